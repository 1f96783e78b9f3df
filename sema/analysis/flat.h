/* flat.h -- delinearisation: a domain of one axis whose items divide their index, `p / w` and `p % w`, as rows of w. */
#ifndef KDSL_FLAT_H
#define KDSL_FLAT_H

#include "sema/sema.h"

enum {
    MAX_FACTORS = 4,
    MAX_AREAS = 4,
    LEAST_ROW = 32,      /* items of a constant row: accesses of fewer are permuted (simd/quasi.c) */
    LEAST_OPEN_ROW = 2   /* of one that a launch knows: else each item would divide; without branches, which would be
                          * guessed item by item in rows shorter than a vector */
};

/* A product of values that a launch has: sizes, parameters, variables made of these, and a constant. */
typedef struct Factors {
    int64_t k;
    int n;
    const Symbol *at[MAX_FACTORS];
} Factors;

typedef struct FlatAxis {
    const Symbol *axis;       /* the domain variable p, which is never negative */
    Factors row;              /* w */
    Factors area[MAX_AREAS];  /* products with w that p, or a remainder of it, is divided by as well: h * w */
    int n_areas;
    bool branches;            /* items do */
} FlatAxis;

/* e is e.of / by or e.of % by; also e.of >> k and e.of & (2^k - 1), which are these where e.of is not negative. */
typedef struct Division {
    const Expr *of;
    Factors by;
    bool is_remainder;
} Division;

bool flat_division(const Expr *e, Division *out);
/* false: the domain has several axes, or its index is not divided by anything known at the launch. */
bool flat_axis(Arena *arena, const Func *kernel, FlatAxis *out);
/* `by` is w (*rest is 1) or one of the areas: w times *rest. */
bool flat_divisor(const FlatAxis *f, const Factors *by, Factors *rest);
const char *flat_text(Arena *arena, const Factors *f); /* "h * w" */
/* `e` without conversions that keep its value, and with constants of the item replaced by their values. */
const Expr *flat_origin(const Expr *e);

#endif
