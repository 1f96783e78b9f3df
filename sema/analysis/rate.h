/* rate.h -- uniformity analysis on the checked tree: how values change from one work item to its neighbour along one
 * axis of the domain. */
#ifndef KDSL_RATE_H
#define KDSL_RATE_H

#include "sema/sema.h"

typedef enum RateKind { RATE_UNIFORM, RATE_LINEAR, RATE_VARYING } RateKind;

/* Why a value varies; used only in explanations. A value computed from two others has the larger of their reasons. */
typedef enum RateWhy {
    RATE_STEADY = -1, /* unless arithmetic wraps, the difference between neighbours is the same everywhere: `stride`,
                       * or, if that is 0, a value known at run time */
    RATE_COMPUTED = 0,
    RATE_LOADED = 1,  /* computed from what is read from memory */
} RateWhy;

typedef struct Rate {
    RateKind kind;
    bool wraps;      /* LINEAR: arithmetic narrower than 64 bits may have wrapped, so widening it is not linear */
    int64_t stride;  /* LINEAR: difference between neighbours, never 0 */
    RateWhy why;     /* VARYING */
} Rate;

typedef struct RateSlot {
    Rate rate;
    bool known;      /* a value was assigned */
    int divergence;  /* how many divergent conditions enclose the declaration */
} RateSlot;

/* The rates of one function's variables. */
typedef struct Rates {
    Arena *arena;
    const Func *func;
    RateSlot *slots; /* by Symbol.id */
    Rate caller;     /* of the parameters of a function that is not a kernel */
    const Symbol *loop; /* of rates_along_loop: its variable; else NULL */
} Rates;

/* Neighbours along `axis` (0: the first axis of the domain). `given`, or NULL: the rates of the parameters of a
 * function that is called, one for each parameter. */
Rates rates_along(Arena *arena, const Func *fn, int axis, const Rate *given);
/* Neighbours are iterations of a loop of the kernel: by the variable of the loop, which counts by 1. */
Rates rates_along_loop(Arena *arena, const Func *fn, const Symbol *variable);
Rate rate_of(const Rates *f, Expr *e);

/* Do some items of the kernel run more iterations of a loop than others? Functions it calls are followed three deep.
 * UNEVEN_REGULAR: the bounds of these loops, and the conditions around them, are affine in the items' indices, as in
 * triangular domains, so that neighbours take nearly the same time. */
typedef enum Unevenness { EVEN, UNEVEN_REGULAR, UNEVEN } Unevenness;
Unevenness rates_unevenness(Arena *arena, const Func *kernel);

#endif
