/* failure.h -- the texts of run-time errors that the runtime and the interpreter both print: a program fails with the
 * same words wherever it runs. excerpt.c makes the whole message of one of these, its place and notes. */
#ifndef KDSL_RUNTIME_FAILURE_H
#define KDSL_RUNTIME_FAILURE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FAILURE_ASSERT "assertion failed: "
#define FAILURE_DIVIDE "division by zero"
#define FAILURE_SHIFT "shift by %lld, but the value has %lld bits"
#define FAILURE_STEP "the step of a range is 0"
#define FAILURE_DOMAIN "the domain of `%s` is too large: %s work items"
#define FAILURE_EXTENT "an array cannot have a negative extent: %s"
#define FAILURE_EXTENT_IS "in the call of `%s`, dimension %lld of `%s` must be %s%lld, but its shape is %s"
#define FAILURE_EXTENTS_DIFFER \
    "in the call of `%s`, `%s` is %lld for `%s`, whose shape is %s, but %s%lld for `%s`, whose shape is %s"
#define FAILURE_DEVICE "there is no device %lld; `devices()` is %d"
#define FAILURE_RANGE "`%s` is out of range for %s"
#define FAILURE_NUMBER "`%s` is not %s %s"
#define FAILURE_NOT_TEXT "`%s` is not a text file: it contains a NUL byte; use `read_array` to read bytes"
#define FAILURE_TOO_SHORT "`%s`, whose shape is %s, needs %s, but `%s` has only %s from byte %lld on"
#define FAILURE_OFFSET "cannot read `%s` from byte %lld on"
#define FAILURE_INPUT_ENDED "standard input has ended; check `input_ended()` before reading"
#define FAILURE_INPUT_NOT_TEXT "standard input is not text: it contains a NUL byte"

#define FAILURE_NO_ARGUMENTS "the program was given no arguments"
#define FAILURE_ITEM "work item %s of kernel `%s`"

enum { FAILURE_BYTES = 1024, FAILURE_SIZE_BYTES = 64 };
typedef struct FailedArray {
    const char *name, *shape; /* a name with a space is the description of an array without a name */
    int64_t rank;
    const int64_t *extents;
} FailedArray;

/* An extent `n + 1` must be 1 or more. */
static inline const char *failure_least(const char *size) { return size ? "at least " : ""; }

/* "`n + 1` is ", of an argument whose extent is another sum; "" for NULL */
static inline const char *failure_again(char text[FAILURE_BYTES], const char *size) {
    snprintf(text, FAILURE_BYTES, size ? "`%.900s` is " : "%s", size ? size : "");
    return text;
}

/* FNV-1a, of lines of sources: a program shows only a line that is as it was when it was compiled. */
#define FAILURE_LIBRARY "<stdlib>/" /* before the names of files of the standard library */

#define FAILURE_HASH UINT32_C(0x811c9dc5)
static inline uint32_t failure_hash(uint32_t hash, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)at[i]) * UINT32_C(0x01000193);
    return hash;
}

/* "16 bytes", "4000000 bytes (4 MB)". Also for signal handlers, so without printf. */
static inline const char *failure_size(char text[FAILURE_SIZE_BYTES], int64_t n_bytes) {
    static const char units[] = "kMGTPE";
    char *at = text + FAILURE_SIZE_BYTES - 1;
    uint64_t n = n_bytes < 0 ? 0 : (uint64_t)n_bytes, tenths = n / 100;
    int unit = 0;
    *at = '\0';
    if (n >= 10000) {
        for (; tenths >= 10000; unit++) tenths /= 1000;
        at -= 4;
        memcpy(at, (const char[]){' ', units[unit], 'B', ')'}, 4);
        if (tenths % 10) {
            *--at = (char)('0' + tenths % 10);
            *--at = '.';
        }
        for (tenths /= 10; tenths; tenths /= 10) *--at = (char)('0' + tenths % 10);
        at -= 2;
        memcpy(at, " (", 2);
    }
    at -= n == 1 ? 5 : 6;
    memcpy(at, " bytes", n == 1 ? 5 : 6);
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    return at;
}

/* "`x`", "dimension 1 of `m`" */
static inline void failure_put_array(char text[FAILURE_BYTES], const FailedArray *a, int64_t dim) {
    const char *quote = strchr(a->name, ' ') ? "" : "`";
    char where[40] = "";
    if (a->rank > 1) snprintf(where, sizeof where, "dimension %lld of ", (long long)dim);
    snprintf(text, FAILURE_BYTES, "%s%s%.800s%s", where, quote, a->name, quote);
}

/* "which has 10 elements", "whose shape is [2, 3]" */
static inline void failure_put_size(char text[FAILURE_BYTES], const FailedArray *a) {
    long long n = (long long)*a->extents;
    if (a->rank > 1) snprintf(text, FAILURE_BYTES, "whose shape is %s", a->shape);
    else if (n) snprintf(text, FAILURE_BYTES, "which has %lld element%s", n, n == 1 ? "" : "s");
    else snprintf(text, FAILURE_BYTES, "which has no elements");
}

static inline const char *failure_index(char text[FAILURE_BYTES], const FailedArray *a, int64_t index, int64_t dim) {
    char array[FAILURE_BYTES], size[FAILURE_BYTES], range[40] = "";
    if (!strcmp(a->name, "args()") && !*a->extents) return FAILURE_NO_ARGUMENTS;
    failure_put_array(array, a, dim);
    failure_put_size(size, a);
    if (a->rank == 1 && *a->extents) snprintf(range, sizeof range, " (0 to %lld)", (long long)*a->extents - 1);
    snprintf(text, FAILURE_BYTES, "index %lld is out of bounds for %.860s, %.100s%s", (long long)index, array, size,
             range);
    return text;
}

static inline const char *failure_slice(char text[FAILURE_BYTES], const FailedArray *a, int64_t lo, int64_t hi,
                                        int64_t dim) {
    char array[FAILURE_BYTES], size[FAILURE_BYTES];
    long long from = (long long)lo, to = (long long)hi;
    failure_put_array(array, a, dim);
    failure_put_size(size, a);
    if (lo >= 0 && lo <= a->extents[dim] && hi >= 0 && hi < lo)
        snprintf(text, FAILURE_BYTES, "slice %lld..%lld of %.860s ends before it begins", from, to, array);
    else
        snprintf(text, FAILURE_BYTES, "slice %lld..%lld is out of bounds for %.860s, %.100s", from, to, array, size);
    return text;
}

/* "out of memory: [2000000, 2000000] elements of 8 bytes need 32 TB" */
static inline const char *failure_memory(char text[FAILURE_BYTES], const FailedArray *a, int64_t elem_bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double n_bytes = (double)elem_bytes;
    int unit = 0;
    for (int64_t d = 0; d < a->rank; d++) n_bytes *= (double)a->extents[d];
    for (; n_bytes >= 1000 && unit < 6; unit++) n_bytes /= 1000;
    snprintf(text, FAILURE_BYTES, "out of memory: %s elements of %lld bytes need %.4g %s", a->shape,
             (long long)elem_bytes, n_bytes, units[unit]);
    return text;
}

#endif
