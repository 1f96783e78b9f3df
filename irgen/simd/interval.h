/* interval.h -- interval arithmetic before a nest (interval.c), and the nest in two versions (versions.c). For nowrap.c
 * and inside.c. */
#ifndef KDSL_IRGEN_SIMD_INTERVAL_H
#define KDSL_IRGEN_SIMD_INTERVAL_H

#include "irgen/simd/simd.h"

bool simd_constant(LLVMValueRef v, int64_t *k);
bool simd_is_integer(LLVMValueRef v);                          /* of 64 bits or fewer */
bool simd_is_outside(const SimdRegion *g, LLVMValueRef v);     /* known before the nest, or a counter of it */

/* An expression is the sum, product, quotient, ... over the integers of its leaves: constants, values from outside and
 * counters of items' loops. */
typedef struct SimdLook {
    const SimdRegion *g;
    unsigned bits;      /* its values are at least so wide */
    bool is_signed;
    int nodes;
    bool may_wrap;      /* answer: there is an operation that is not known not to */
    bool any_factor;    /* a factor of an index along the fastest axis need not be a small constant */
} SimdLook;

/* has_x: does it depend on the index along the fastest axis? */
bool simd_is_expression(SimdLook *w, LLVMValueRef v, bool *has_x);

typedef struct SimdBounds {
    LLVMValueRef lo, hi; /* of 64 bits */
} SimdBounds;

typedef struct SimdAsking {
    Cg *cg;
    LLVMBuilderRef b;    /* before the nest */
    const SimdRegion *g;
    unsigned bits; /* width of the numbers within which each operation has to lie; at most 62, because the bounds are
                    * computed in 64 */
    bool is_signed;
    int in_block;        /* the expression is of this block; -1: anywhere, also behind the counters' loops */
    LLVMValueRef holds;  /* the condition, so far */
} SimdAsking;

void simd_ask(SimdAsking *a, LLVMIntPredicate p, LLVMValueRef v, LLVMValueRef than);
SimdBounds simd_bounds(SimdAsking *a, LLVMValueRef v);         /* of such an expression */
LLVMValueRef simd_as_wide(SimdAsking *a, LLVMValueRef v);

/* versions.c: the nest in a version for the rectangles for which a condition holds, and a scalar copy for all others.
 * false: it cannot be copied, and nothing has changed. */
typedef struct SimdVersioning {
    LLVMValueRef (*condition)(const void *of); /* written before the nest */
    void (*change)(const void *of);            /* of the first version, by what follows from it */
    const void *of;
    bool for_vectors;                          /* of no use to scalar code */
    bool both;                                 /* the copy is for vector code, too */
} SimdVersioning;
bool simd_make_versions(Cg *cg, const SimdRegion *g, const SimdVersioning *v);

#endif
