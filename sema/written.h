/* written.h -- must-write regions: which elements of an array are certainly written by statements, kernels, launches.
 * A region is a set of isl whose dimensions are those of the array, and whose parameters are the variables of the
 * frame. It may lack elements that are written; it has none that is not. Callers free what they are given. */
#ifndef KDSL_WRITTEN_H
#define KDSL_WRITTEN_H

#include "sema/analysis/quasi.h"

/* A function on the way to a store, and the array as it is named there. */
typedef struct Written {
    QuasiFrame quasi;
    const Symbol *array;
    int rank;            /* 0: a single value, an array of one element */
    int *calls;          /* left to look into */
    const Func **writer; /* of the last store */
    const Expr **unclear; /* what is written by a store that is left out of the region, as nobody knows where it goes */
} Written;

isl_space *written_elements(const Written *at);
isl_set *written_box(Written *at); /* all elements; NULL: the extents are not known */
/* What is written in these `states`, whichever path is taken: by one statement, by a block up to its end. */
isl_set *written_by_stmt(Written *at, const Stmt *st, isl_set *states);
isl_set *written_by_block(Written *at, const Block *b, isl_set *states);
/* By all items of the kernel at->quasi.f, whose parameters are bound. */
isl_set *written_by_kernel(Written *at, isl_set *states);
/* Everything where the kernel has items, else nothing. */
isl_set *written_if_any(Written *at, isl_set *states);

#endif
