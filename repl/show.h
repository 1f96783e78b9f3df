/* show.h -- formats values for display: scalars with their type, arrays by some elements and a summary, small matrices
 * as tables. */
#ifndef KDSL_SHOW_H
#define KDSL_SHOW_H

#include "repl/session.h"
#include "runtime/value.h"

/* numbers.c: the elements of a value as numbers ------------------------------------------------------------------- */
typedef struct Elements {
    const char *name; /* "f32"; short vectors: the component type */
    int lanes;        /* short vectors: number of components; else 1 */
    int size_bytes;   /* of a component */
    int stride_bytes; /* between elements */
} Elements;
bool elements_of(const SessionValue *v, Elements *e); /* false: not numeric */
double element_number(const SessionValue *v, const Elements *e, int64_t i, int lane);
void element_text(const SessionValue *v, const Elements *e, int64_t i, Buf *out); /* a number; 6 digits of fractions */
int64_t value_length(const SessionValue *v); /* number of elements; 1 if it is not an array */
/* All numbers in order, lanes of vectors in sequence. malloc'd; NULL: not numeric. */
double *value_numbers(const SessionValue *v, int64_t *n);

/* show.c ----------------------------------------------------------------------------------------------------------- */
typedef struct ShowHow {
    int columns; /* of the screen */
    bool colour;
} ShowHow;
void show_value(const SessionValue *v, const ShowHow *how, Buf *out);
/* table.c: an array of numbers with one or two dimensions, or of structs, as an HTML table. false: no such value. */
bool show_table(const SessionValue *v, Buf *out);
/* The value alone, as print writes it; layout: as in runtime/value.h. */
void value_text(const void *at, const char *layout, KdslLook *look, Buf *out);
/* "4 KiB", "1.5 GiB"; "0.42 ms". */
void show_bytes(int64_t bytes, Buf *out);
void show_seconds(double seconds, Buf *out);

#endif
