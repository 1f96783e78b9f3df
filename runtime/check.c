/* check.c -- failed run-time checks end the program: buffered output is flushed, then the failure is printed on stderr
 * (excerpt.c), then the program exits with code 3. It ends through exit(), so that the devices are shut down in
 * order. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

/* The note while the failure of a work item is reported. */
static _Thread_local char item_text[FAILURE_BYTES];

static _Thread_local const char *called_at;

void kdsl_called_at(const char *place) { called_at = place; }

const char *kdsl_called(const char *module) { return called_at ? called_at : module; }

/* In one piece: several processes of an MPI job may fail at the same time. */
void kdsl_tell(const KdslFailure *f) {
    char few[KDSL_REPORT_BYTES], *text = few;
    bool colour = kdsl_failures_have_colour();
    size_t n = kdsl_failure_text(few, sizeof few - 1, f, colour), room = sizeof few;
    if (n + 2 > room && (text = malloc(n + 2))) kdsl_failure_text(text, room = n + 2, f, colour);
    if (!text) text = few; /* cut short */
    strcpy(text + (n + 2 > room ? room - 2 : n), "\n");
    fputs(text, stderr);
    if (text != few) free(text);
}

void kdsl_fail(const char *place, const char *format, ...) {
    char few[FAILURE_BYTES], *message = few, *many = NULL, item[sizeof item_text];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(few, sizeof few, format, ap);
    va_end(ap);
    va_start(ap, format);
    if (n >= (int)sizeof few && (many = malloc((size_t)n + 1))) {
        vsnprintf(many, (size_t)n + 1, format, ap);
        message = many;
    }
    va_end(ap);
    strcpy(item, item_text);
    item_text[0] = '\0';
    KdslFailure f = {place, message, {item, kdsl_job_text}, NULL};
    if (called_at && kdsl_is_in_library(place)) f.library = place, f.place = called_at;
    kdsl_tables_let_go();
    fflush(stdout);
    kdsl_border_fail(KDSL_EXIT_CHECK, &f);
    kdsl_async_stop(); /* if two threads fail, only the first one reports */
    fflush(stdout);
    kdsl_tell(&f);
    kdsl_end(KDSL_EXIT_CHECK);
}

/* What is found ---------------------------------------------------------------------------------------------------- */

/* Below an exported function these are of the call, which one thread executes. */
enum { MOST_KEYS = 4096 };
static _Thread_local uint64_t keys[MOST_KEYS];
static _Thread_local int n_keys;
static _Thread_local bool has_found;
static bool has_program_found; /* on any thread, such as that of an asynchronous launch */

bool kdsl_has_found(void) { return has_found; }
bool kdsl_has_program_found(void) { return __atomic_load_n(&has_program_found, __ATOMIC_ACQUIRE); }

void kdsl_found_reset(void) {
    n_keys = 0;
    has_found = false;
}

void kdsl_found(const KdslFailure *f) {
    has_found = true;
    if (!KDSL_IS_LIVE && kdsl_border_is_there()) {
        kdsl_border_tell(f);
        return;
    }
    fflush(stdout);
    if (!KDSL_IS_LIVE) __atomic_store_n(&has_program_found, true, __ATOMIC_RELEASE);
    kdsl_tell(f);
}

void kdsl_found_once(uint64_t key, const char *place, const char *message) {
    const KdslFailure f = {place, message, {NULL}, NULL};
    for (int i = 0; i < n_keys; i++)
        if (keys[i] == key) return;
    if (n_keys < MOST_KEYS) keys[n_keys++] = key;
    kdsl_found(&f);
}

/* The message of a failed check on another thread ends the call that waits for it. */
void kdsl_fail_again(const char *message) {
    kdsl_tables_let_go();
    fflush(stdout);
    kdsl_border_fail_again(KDSL_EXIT_CHECK, message);
}

void kdsl_output_failed(int error) {
    char text[FAILURE_BYTES];
    snprintf(text, sizeof text, "cannot write to standard output: %s", strerror(error ? error : EIO));
    const KdslFailure f = {NULL, text, {kdsl_job_text}, NULL};
    kdsl_border_fail(1, &f);
    kdsl_tell(&f);
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

static void set_item_text(const int64_t *item, const char *const *axes, int64_t n_axes, const char *kernel) {
    char text[160];
    size_t n = 0;
    for (int64_t i = 0; i < n_axes && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.24s = %lld", i ? ", " : "", axes[i], (long long)item[i]);
    snprintf(item_text, sizeof item_text, FAILURE_ITEM, text, kernel);
}

void kdsl_fail_item(const KdslCheck *checks, const KdslSlot *slot, const char *const *axes, int64_t n_axes,
                    const char *kernel) {
    const KdslCheck *c = &checks[slot->site - 1];
    set_item_text(slot->item, axes, n_axes, kernel);
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
