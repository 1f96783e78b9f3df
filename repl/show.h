/* show.h -- what a value looks like: scalars with their type, arrays by a few elements and what they are as a whole,
 * small matrices as tables. */
#ifndef KDSL_SHOW_H
#define KDSL_SHOW_H

#include "repl/session.h"

/* numbers.c: the elements of a value as numbers ------------------------------------------------------------------- */
typedef struct Elements {
    const char *name; /* "f32"; of short vectors that of their parts */
    int lanes;        /* 1; of short vectors how many */
    int size_bytes;   /* of a part */
    int stride_bytes; /* from element to element */
} Elements;
bool elements_of(const SessionValue *v, Elements *e); /* false: they are no numbers */
double element_number(const SessionValue *v, const Elements *e, int64_t i, int lane);
void element_text(const SessionValue *v, const Elements *e, int64_t i, Buf *out); /* of a single number; 6 digits of a
                                                                                   * fraction */
int64_t value_length(const SessionValue *v); /* how many elements; 1 of what is no array */
/* All numbers in order, lanes side by side. malloc'd; NULL: they are no numbers. */
double *value_numbers(const SessionValue *v, int64_t *n);

/* show.c ------------------------------------------------------------------------------------------------------------
 */
/* Spells element i of what is no number: text in quotes, structs, short vectors; and single values with all their
 * digits. */
typedef void (*ShowElement)(void *context, const SessionValue *v, int64_t i, Buf *out);
typedef struct ShowHow {
    int columns; /* of the screen */
    bool colour;
    ShowElement element;
    void *context;
} ShowHow;
void show_value(const SessionValue *v, const ShowHow *how, Buf *out);
/* "4 KiB", "1.5 GiB"; "0.42 ms". */
void show_bytes(int64_t bytes, Buf *out);
void show_seconds(double seconds, Buf *out);

#endif
