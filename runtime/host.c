/* host.c -- the program's arguments, clock, files, numbers from text, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/internal.h"

/* What gcc's crtbegin.o gives a program: the name under which this executable's or library's atexit handlers are kept. Weak, for
 * programs that are linked with crtbegin.o as well. */
KDSL_RT void *__dso_handle = &__dso_handle;

int kdsl_argc;
char **kdsl_argv;

int64_t kdsl_args_count(void) { return kdsl_argc > 0 ? kdsl_argc - 1 : 0; }

const char *kdsl_args_at(int64_t i) { return i >= 0 && i < kdsl_args_count() ? kdsl_argv[i + 1] : ""; }

double kdsl_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void kdsl_exit(int32_t status) {
    if (fflush(stdout) || ferror(stdout)) kdsl_output_failed(errno);
    exit(status);
}

/* Files ------------------------------------------------------------------------------------------------------------ */
static bool write_all(int fd, const char *at, int64_t n) {
    while (n > 0) {
        ssize_t k = write(fd, at, (size_t)n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return false;
        at += k;
        n -= k;
    }
    return true;
}

void kdsl_write_file(const char *path, const void *at, int64_t n_bytes, int32_t append, const char *place) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    bool ok = fd >= 0 && write_all(fd, at, n_bytes);
    if (fd >= 0 && close(fd)) ok = false; /* NFS reports a full disk here */
    if (!ok) kdsl_fail(place, "cannot write `%s`: %s", path, strerror(errno));
}

/* Numbers from text ------------------------------------------------------------------------------------------------ */
/* The whole text must be the number: no spaces, no rest. Integers as in source: decimal, 0x, 0b, 0o, with a sign. */
static _Noreturn void not_a(const char *text, const char *type, const char *place) {
    /* an i32, an f32, an index; a u8 */
    kdsl_fail(place, "`%s` is not %s %s", text, type[0] == 'u' ? "a" : "an", type);
}

static _Noreturn void no_room(const char *text, const char *type, const char *place) {
    kdsl_fail(place, "`%s` is outside the range of %s", text, type);
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

int64_t kdsl_parse_int(const char *text, const char *type, int32_t bits, int32_t is_signed, const char *place) {
    const char *s = text;
    bool negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    int base = base_of(&s);
    uint64_t value = 0;
    bool overflow = false;
    if (!*s) not_a(text, type, place);
    for (; *s; s++) {
        int d = digit_value(*s);
        if (d >= base) not_a(text, type, place);
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)d, &value);
    }
    uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : negative ? 0 : UINT64_MAX >> (64 - bits);
    if (overflow || value > most) no_room(text, type, place);
    return (int64_t)(negative ? -value : value);
}

double kdsl_parse_float(const char *text, const char *type, int32_t bits, const char *place) {
    const char *digits = text + (*text == '-' || *text == '+');
    bool word = !strcmp(digits, "inf") || !strcmp(digits, "nan");
    bool number = (*digits >= '0' && *digits <= '9') || *digits == '.';
    if (!word && (!number || digits[0] == '\0' || digits[1] == 'x' || digits[1] == 'X')) not_a(text, type, place);
    char *end;
    double value = bits == 32 ? strtof(text, &end) : strtod(text, &end);
    if (end == text || *end) not_a(text, type, place);
    if (!word && isinf(value)) no_room(text, type, place);
    return value;
}
