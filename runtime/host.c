/* host.c -- the program's arguments, the clock, numbers from text, and the end of the program. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

#ifndef KDSL_LIVE
/* Defined by gcc's crtbegin.o in other programs: the handle under which the atexit handlers of this executable or
 * library are registered. Weak, for programs that are linked with crtbegin.o as well. */
KDSL_RT void *__dso_handle = &__dso_handle;
#endif

int kdsl_argc;
char **kdsl_argv;

int64_t kdsl_args_count(void) { return kdsl_argc > 0 ? kdsl_argc - 1 : 0; }

const char *kdsl_args_at(int64_t i) { return i >= 0 && i < kdsl_args_count() ? kdsl_argv[i + 1] : ""; }

double kdsl_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char kdsl_job_text[64], kdsl_job_mark[32];
int kdsl_job_rank = -1;
static void (*abort_job)(int status);

void kdsl_job_begins(int rank, int n_ranks, void (*abort)(int status)) {
    snprintf(kdsl_job_text, sizeof kdsl_job_text, "rank %d of %d", rank, n_ranks);
    snprintf(kdsl_job_mark, sizeof kdsl_job_mark, "rank %d: ", rank);
    kdsl_job_rank = n_ranks > 1 ? rank : -1;
    abort_job = abort;
}

void kdsl_end(int status) {
    kdsl_team_leave();
    kdsl_async_stop();
    if (status && abort_job) kdsl_trace_end(); /* abort_job calls no exit handlers */
    if (status && abort_job) abort_job(status); /* or the others would wait for this one */
    exit(status);
}

void kdsl_exit(int32_t status) {
    kdsl_settle();
    if (fflush(stdout) || ferror(stdout)) kdsl_output_failed(errno);
    if (KDSL_IS_LIVE) {
        kdsl_exit_code = status;
        kdsl_border_leave(KDSL_LEFT);
    }
    kdsl_end(kdsl_has_program_found() && !status ? KDSL_EXIT_CHECK : status);
}

/* Numbers from text ------------------------------------------------------------------------------------------------ */
static void need_number(KdslNumber is, const char *text, const char *type, const char *place) {
    if (is == KDSL_NO_ROOM) kdsl_fail(place, FAILURE_RANGE, text, type);
    /* an i32, an f32, an index; a u8 */
    if (is == KDSL_NO_NUMBER) kdsl_fail(place, FAILURE_NUMBER, text, type[0] == 'u' ? "a" : "an", type);
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static int base_of(const char **digits) {
    const char *s = *digits;
    int base = s[0] != '0' ? 10 : s[1] == 'x' ? 16 : s[1] == 'b' ? 2 : s[1] == 'o' ? 8 : 10;
    if (base != 10) *digits += 2;
    return base;
}

/* The whole text must be the number: no spaces, no rest. Integers as in source: decimal, 0x, 0b, 0o, with a sign. */
KdslNumber kdsl_read_int(const char *text, int bits, int is_signed, int64_t *number) {
    const char *s = text;
    bool negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    int base = base_of(&s);
    uint64_t value = 0;
    bool overflow = false;
    if (!*s) return KDSL_NO_NUMBER;
    for (; *s; s++) {
        int d = digit_value(*s);
        if (d >= base) return KDSL_NO_NUMBER;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)d, &value);
    }
    uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : negative ? 0 : UINT64_MAX >> (64 - bits);
    *number = (int64_t)(negative ? -value : value);
    return overflow || value > most ? KDSL_NO_ROOM : KDSL_NUMBER;
}

KdslNumber kdsl_read_float(const char *text, int bits, double *number) {
    const char *digits = text + (*text == '-' || *text == '+');
    bool word = !strcmp(digits, "inf") || !strcmp(digits, "nan");
    bool starts = (*digits >= '0' && *digits <= '9') || *digits == '.';
    if (!word && (!starts || digits[0] == '\0' || digits[1] == 'x' || digits[1] == 'X')) return KDSL_NO_NUMBER;
    char *end;
    *number = bits == 32 ? strtof(text, &end) : strtod(text, &end);
    if (end == text || *end) return KDSL_NO_NUMBER;
    return !word && isinf(*number) ? KDSL_NO_ROOM : KDSL_NUMBER;
}

int64_t kdsl_parse_int(const char *text, const char *type, int32_t bits, int32_t is_signed, const char *place) {
    int64_t value = 0;
    need_number(kdsl_read_int(text, bits, is_signed, &value), text, type, place);
    return value;
}

double kdsl_parse_float(const char *text, const char *type, int32_t bits, const char *place) {
    double value = 0;
    need_number(kdsl_read_float(text, bits, &value), text, type, place);
    return value;
}
