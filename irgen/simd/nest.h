/* nest.h -- how a nest of loops is written as vector code: blocks.c, rows.c, nest.c and module.c among themselves. */
#ifndef KDSL_IRGEN_SIMD_NEST_H
#define KDSL_IRGEN_SIMD_NEST_H

#include "irgen/simd/simd.h"

/* Rows that are written past the caches: asked of each row, known of all of them, or known of none. */
typedef enum RowKind { ROWS_ASK, ROWS_PAST, ROWS_PLAIN } RowKind;

typedef struct Items {
    Cg *cg;
    SimdRegion *g;
    const SimdTarget *target;
    SimdStreams *streams;
    ValueMap *past;            /* stores of rows that may go past the caches */
    LLVMBuilderRef b;
    LLVMBasicBlockRef allocas;
    bool written_out;          /* forward.c: vector by vector */
    bool again;                /* idempotent.c: ends of rows may be whole vectors, some of whose items are done again */
    RowKind rows;
    bool has_ends, settled;    /* ends.c: blocks are written twice; this one is where all conditions hold */
} Items;

/* blocks.c */
/* while (counter + by <= hi), or while (counter < hi): the builder is left in the body */
typedef struct Loop {
    LLVMBasicBlockRef head, done;  /* head NULL: a single round */
    LLVMValueRef counter, at;
    int by;
} Loop;

LLVMBasicBlockRef nest_block(Items *n, const char *name);
LLVMValueRef nest_counter(Items *n, LLVMValueRef from, const char *name); /* memory that LLVM makes a register of */
LLVMValueRef nest_count(Items *n, LLVMValueRef counter);
void nest_step(Items *n, LLVMValueRef counter, int by);
Loop nest_loop_begin(Items *n, LLVMValueRef counter, LLVMValueRef lo, LLVMValueRef hi, int by, bool whole,
                     const char *name);
void nest_loop_end(Items *n, Loop *l);
void nest_say_of_loop(Items *n, LLVMValueRef latch, const char *what);
LLVMValueRef nest_row_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef hi);
LLVMValueRef nest_begun_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef lo);
void nest_write_begin(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef lo);
/* hi NULL: all lanes are items; past: stores of n->past go past the caches */
void nest_write_block(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, bool past);

/* rows.c */
bool nest_is_known_row(const SimdRegion *g);
void nest_write(Items *n, SimdShape shape); /* all rows, as blocks of this shape */

/* nest.c; false: it stays scalar */
bool simd_nest(Cg *cg, const SimdTarget *target, SimdStreams *streams, const ValueMap *updated, LLVMValueRef fn,
               LLVMValueRef latch, LLVMValueRef outer_latch);

#endif
