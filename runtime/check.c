/* check.c -- failed run-time checks end the program: buffered output is flushed, then the message is printed on
 * stderr, then the program exits with code 3. It ends through exit(), so that the devices are shut down in order. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

/* " (work item i = 3, j = 4)" while the failure of a work item is reported. */
static _Thread_local char item_text[160];

/* In one piece if possible: several processes of an MPI job may fail at the same time. */
static void say(const char *place, const char *format, va_list ap) {
    char text[2 * FAILURE_BYTES];
    int n = place ? snprintf(text, sizeof text, "%s: ", place) : 0;
    va_list again;
    va_copy(again, ap);
    int more = n < (int)sizeof text ? vsnprintf(text + n, sizeof text - (size_t)n, format, again) : 0;
    va_end(again);
    if (n + more + 1 < (int)sizeof text) {
        strcpy(text + n + more, "\n");
        fputs(text, stderr);
        return;
    }
    if (place) fprintf(stderr, "%s: ", place);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
}

void kdsl_fail(const char *place, const char *format, ...) {
    char full[512];
    snprintf(full, sizeof full, RUN_TIME_ERROR "%s%s%s", format, item_text, kdsl_job_text);
    item_text[0] = '\0';
    format = full;
    kdsl_tables_let_go();
    fflush(stdout);
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    kdsl_border_fail(KDSL_EXIT_CHECK, place, format, again);
    va_end(again);
    kdsl_async_stop(); /* if two threads fail, only the first one reports */
    fflush(stdout);
    say(place, format, ap);
    va_end(ap);
    kdsl_end(KDSL_EXIT_CHECK);
}

/* Findings. Below an exported function they are those of the call, which one thread executes. ---------------------- */

enum { MOST_KEYS = 4096 };
static _Thread_local uint64_t keys[MOST_KEYS];
static _Thread_local int n_keys;
static _Thread_local bool has_found;

bool kdsl_has_found(void) { return has_found; }

void kdsl_found_reset(void) {
    n_keys = 0;
    has_found = false;
}

void kdsl_found(uint64_t key, const char *text) {
    for (int i = 0; i < n_keys; i++)
        if (keys[i] == key) return;
    if (n_keys < MOST_KEYS) keys[n_keys++] = key;
    has_found = true;
    if (!KDSL_IS_LIVE && kdsl_border_is_there()) {
        kdsl_border_tell(text);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
}

static _Thread_local const char *called_at;

void kdsl_called_at(const char *place) { called_at = place; }

const char *kdsl_called(const char *module) { return called_at ? called_at : module; }

static void leave(int status, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    kdsl_border_fail(status, NULL, format, ap);
    va_end(ap);
}

/* The message of a failed check on another thread ends the call that waits for it. */
void kdsl_fail_again(const char *message) {
    kdsl_tables_let_go();
    fflush(stdout);
    leave(KDSL_EXIT_CHECK, "%s", message);
}

void kdsl_output_failed(int error) {
    leave(1, RUN_TIME_ERROR "cannot write to standard output: %s", strerror(error ? error : EIO));
    fprintf(stderr, RUN_TIME_ERROR "cannot write to standard output: %s\n", strerror(error ? error : EIO));
    kdsl_end(1);
}

const char *kdsl_shape_text(char text[KDSL_SHAPE_BYTES], int64_t rank, const int64_t *extents) {
    int n = snprintf(text, KDSL_SHAPE_BYTES, "[");
    for (int64_t d = 0; d < rank && d < 4; d++)
        n += snprintf(text + n, (size_t)(KDSL_SHAPE_BYTES - n), "%s%lld", d ? ", " : "", (long long)extents[d]);
    snprintf(text + n, (size_t)(KDSL_SHAPE_BYTES - n), "]");
    return text;
}

void kdsl_fail_index(const char *place, const char *array, int64_t index, int64_t dim, int64_t rank,
                     const int64_t *extents) {
    char text[FAILURE_BYTES], shape[KDSL_SHAPE_BYTES];
    const FailedArray a = {array, kdsl_shape_text(shape, rank, extents), rank, extents};
    kdsl_fail(place, "%s", failure_index(text, &a, index, dim));
}

void kdsl_fail_slice(const char *place, const char *array, int64_t lo, int64_t hi, int64_t dim, int64_t rank,
                     const int64_t *extents) {
    char text[FAILURE_BYTES], shape[KDSL_SHAPE_BYTES];
    const FailedArray a = {array, kdsl_shape_text(shape, rank, extents), rank, extents};
    kdsl_fail(place, "%s", failure_slice(text, &a, lo, hi, dim));
}

void kdsl_fail_shape(const char *place, const char *function, const char *size, const char *name, int64_t rank,
                     const int64_t *extents, int64_t dim, const char *other_name, int64_t other_rank,
                     const int64_t *other_extents, int64_t other_dim, int64_t required,
                     const char *other_size) {
    char shape[KDSL_SHAPE_BYTES], other[KDSL_SHAPE_BYTES];
    char again[FAILURE_BYTES];
    long long is = (long long)extents[dim];
    kdsl_shape_text(shape, rank, extents);
    if (!other_name)
        kdsl_fail(place, FAILURE_EXTENT_IS, function, (long long)dim, name, failure_least(size), (long long)required,
                  shape);
    kdsl_shape_text(other, other_rank, other_extents);
    kdsl_fail(place, FAILURE_EXTENTS_DIFFER, function, size, is, name, shape, failure_again(again, other_size),
              (long long)other_extents[other_dim], other_name, other);
}

void kdsl_fail_divide(const char *place) { kdsl_fail(place, FAILURE_DIVIDE); }

void kdsl_fail_shift(const char *place, int64_t amount, int64_t bits) {
    kdsl_fail(place, FAILURE_SHIFT, (long long)amount, (long long)bits);
}

void kdsl_fail_step(const char *place) { kdsl_fail(place, FAILURE_STEP); }

void kdsl_fail_domain(const char *place, const char *kernel, int64_t rank, int64_t n0, int64_t n1, int64_t n2) {
    const int64_t n[3] = {n0, n1, n2};
    char text[80] = "";
    for (int64_t i = 0, at = 0; i < rank; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%lld", i ? " x " : "", (long long)n[i]);
    kdsl_fail(place, FAILURE_DOMAIN, kernel, text);
}

static void set_item_text(const int64_t *item, const char *const *axes, int64_t n_axes) {
    size_t n = (size_t)snprintf(item_text, sizeof item_text, " (work item");
    for (int64_t i = 0; i < n_axes && n < sizeof item_text; i++)
        n += (size_t)snprintf(item_text + n, sizeof item_text - n, "%s %.24s = %lld", i ? "," : "", axes[i],
                              (long long)item[i]);
    if (n + 1 < sizeof item_text) strcpy(item_text + n, ")");
}

void kdsl_fail_item(const KdslCheck *checks, const KdslSlot *slot, const char *const *axes, int64_t n_axes) {
    const KdslCheck *c = &checks[slot->site - 1];
    set_item_text(slot->item, axes, n_axes);
    switch ((KdslCheckKind)c->kind) {
    case KDSL_CHECK_INDEX: kdsl_fail_index(c->place, c->name, slot->value, slot->dim, c->rank, slot->extents);
    case KDSL_CHECK_SLICE:
        if (slot->other == INT64_MIN) /* an index among the ranges */
            kdsl_fail_index(c->place, c->name, slot->value, slot->dim, c->rank, slot->extents);
        kdsl_fail_slice(c->place, c->name, slot->value, slot->other, slot->dim, c->rank, slot->extents);
    case KDSL_CHECK_DIVIDE: kdsl_fail_divide(c->place);
    case KDSL_CHECK_SHIFT: kdsl_fail_shift(c->place, slot->value, c->number);
    case KDSL_CHECK_STEP: kdsl_fail_step(c->place);
    case KDSL_CHECK_ASSERT:
        kdsl_text_pieces(c->pieces, c->n_pieces, &slot->value);
        kdsl_text_assert(c->place);
    case KDSL_CHECK_SHAPE:
        kdsl_fail_shape(c->place, c->function, c->size, c->name, c->rank, slot->extents, c->dim, c->other,
                        c->other_rank, slot->other_extents, c->other_dim, c->number, c->other_size);
    }
    abort();
}
