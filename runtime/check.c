/* check.c -- how a run-time check ends the program: what was printed so far comes out first, then "place: what" on
 * stderr, then exit 3. The program ends through exit(), so the devices are shut down in order. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

void kdsl_fail(const char *place, const char *format, ...) {
    fflush(stdout);
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "%s: ", place);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(KDSL_EXIT_CHECK);
}

void kdsl_output_failed(int error) {
    fprintf(stderr, "cannot write to standard output: %s\n", strerror(error ? error : EIO));
    exit(1);
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
    char shape[KDSL_SHAPE_BYTES];
    kdsl_shape_text(shape, rank, extents);
    if (rank == 1) kdsl_fail(place, "index %lld is outside %s: %s", (long long)index, array, shape);
    kdsl_fail(place, "index %lld is outside dimension %lld of %s: %s", (long long)index, (long long)dim, array, shape);
}

void kdsl_fail_shape(const char *place, const char *function, const char *size, const char *name, int64_t rank,
                     const int64_t *extents, int64_t dim, const char *other_name, int64_t other_rank,
                     const int64_t *other_extents, int64_t other_dim, int64_t required) {
    char shape[KDSL_SHAPE_BYTES], other[KDSL_SHAPE_BYTES];
    long long is = (long long)extents[dim];
    kdsl_shape_text(shape, rank, extents);
    if (!other_name)
        kdsl_fail(place, "%s: dimension %lld of %s: %s must be %lld", function, (long long)dim, name, shape,
                  (long long)required);
    kdsl_shape_text(other, other_rank, other_extents);
    kdsl_fail(place, "%s: %s is %lld in %s: %s but %lld in %s: %s", function, size, is, name, shape,
              (long long)other_extents[other_dim], other_name, other);
}

void kdsl_fail_divide(const char *place) { kdsl_fail(place, "division by zero"); }

void kdsl_fail_shift(const char *place, int64_t amount, int64_t bits) {
    kdsl_fail(place, "shift by %lld of a value of %lld bits", (long long)amount, (long long)bits);
}

void kdsl_fail_step(const char *place) { kdsl_fail(place, "the step of a range is 0"); }

void kdsl_fail_domain(const char *place, const char *kernel, int64_t rank, int64_t n0, int64_t n1, int64_t n2) {
    char last[32] = "";
    if (rank == 3) snprintf(last, sizeof last, " x %lld", (long long)n2);
    kdsl_fail(place, "the domain of %s has more work items than can be counted: %lld x %lld%s", kernel, (long long)n0,
              (long long)n1, last);
}
