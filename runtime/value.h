/* value.h -- numbers, arrays and structs as text, for programs (text.c), the interpreter and sessions: a value looks
 * the same everywhere because the same functions write it. They use nothing else of the runtime, so that the compiler
 * can have them, too. */
#ifndef KDSL_VALUE_H
#define KDSL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/runtime.h"

typedef struct KdslSink { /* where text goes */
    void (*put)(void *to, const char *at, size_t n);
    void *to;
} KdslSink;

/* What is between the braces of a format. Style: 0, 'x', 'b', 'e'; align: '<', '>' or 0 (numbers right, the rest left);
 * precision -1: none. */
typedef struct KdslSpec {
    int32_t width, precision, align, zero, style;
} KdslSpec;

/* number.c: one number or text, padded to the width. bits of a float: 32 or 64, which decides what "shortest" is. */
KDSL_RT void kdsl_put_fill(const KdslSink *to, char c, int32_t n);
KDSL_RT void kdsl_put_str(const KdslSink *to, const char *at, size_t n, int32_t width, int32_t align);
KDSL_RT void kdsl_put_digits(const KdslSink *to, bool negative, const char *at, size_t n, const KdslSpec *spec);
KDSL_RT void kdsl_put_u64(const KdslSink *to, uint64_t v, const KdslSpec *spec);
KDSL_RT void kdsl_put_i64(const KdslSink *to, int64_t v, int32_t bits, const KdslSpec *spec);
KDSL_RT void kdsl_put_f64(const KdslSink *to, double v, int32_t bits, const KdslSpec *spec);
KDSL_RT int32_t kdsl_count_columns(const char *at, size_t n); /* that UTF-8 text takes */

/* value.c. `type` is a text that sema makes (type_layout): the name of a scalar or short vector; "[_,_]f32", an array
 * with two dimensions, which is its address and extents in memory; "[2,3]f32", the elements themselves; and
 * "{Point|24|x|0|f32|y|8|f64|}", a struct with its size and the offset of each field. */
typedef struct KdslLook {
    int columns;            /* of a line */
    const char *dim, *plain; /* before and after what is not part of the value; NULL: nothing */
    bool is_table;          /* result: an array of two dimensions or more, on lines of its own */
    bool is_whole;          /* result: all elements are shown */
} KdslLook;
enum { KDSL_LINE_COLUMNS = 80 }; /* of programs, and of sessions without a terminal */
KDSL_RT void kdsl_put_value(const KdslSink *to, const char *type, const void *at, const KdslSpec *spec, KdslLook *look);

#endif
