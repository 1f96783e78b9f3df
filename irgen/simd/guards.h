/* guards.h -- comparisons without which an item does nothing, as bounds of its counters: guards.c finds them and
 * computes the bounds; narrow.c gives them to the loops of a nest, trim.c to the rows of its blocks. */
#ifndef KDSL_IRGEN_SIMD_GUARDS_H
#define KDSL_IRGEN_SIMD_GUARDS_H

#include "irgen/simd/simd.h"

enum { MOST_GUARDS = 32, MOST_EXCLUDED = 4 };

/* x * counter of items + y * counter of rows + of_launch, whose atoms are the same in the whole nest. */
typedef struct Line {
    int64_t x, y;
    Form of_launch;
} Line;

/* What has to hold for an item to do anything: is < 0, == 0 or != 0. */
typedef enum Holds { BELOW, EQUAL, UNEQUAL } Holds;
typedef struct Guard {
    LLVMValueRef cmp;
    bool want; /* the comparison's answer then */
    Holds holds;
    Line line;
} Guard;

typedef struct Guards {
    Cg *cg;
    SimdRegion *g;
    LLVMBuilderRef b;
    bool of_rows; /* guards of both counters, and only these; otherwise those of one at most */
    Guard at[MOST_GUARDS];
    int n;
} Guards;

typedef struct Bounds {
    LLVMValueRef lo, hi;                  /* lo <= hi */
    LLVMValueRef excluded[MOST_EXCLUDED]; /* none of lo..hi: anything else from lo - 1 to hi */
    int n;
} Bounds;

/* Adds those of the nest; its slices are known, and nothing yet of its ends (ends.c). */
void guards_find(Guards *of);
LLVMValueRef guards_least(const Guards *of, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef guards_most(const Guards *of, LLVMValueRef a, LLVMValueRef b);
/* What a guard's line is but for step * counter, in 128 bits; y: where the row is, or NULL. */
LLVMValueRef guard_rest(const Guards *of, const Guard *guard, LLVMValueRef y);
/* The bounds become tighter: step * counter + c < 0; the counter is `at`, or is not. */
void guard_below(const Guards *of, Bounds *r, int64_t step, LLVMValueRef c);
void guard_equal(const Guards *of, Bounds *r, bool equal, LLVMValueRef at);
LLVMValueRef guard_number(const Guards *of, Wide k); /* 128 bits */

#endif
