/* emit.h -- writing a region again for a block of items: what the files that do so share. */
#ifndef KDSL_IRGEN_SIMD_EMIT_H
#define KDSL_IRGEN_SIMD_EMIT_H

#include "irgen/simd/simd.h"

typedef struct SimdLanePair { /* two lanes' words as one number (copies.c) */
    LLVMValueRef of;
    LLVMBasicBlockRef block;
    int row, vector, first;
    LLVMValueRef both;
} SimdLanePair;


/* Addresses of the lanes of a gather, one by one (memory.c): where they are, under which mask (NULL: all lanes). */
typedef struct SimdLanes {
    LLVMValueRef load, mask, *places;
    LLVMBasicBlockRef in;
    int row, vector;
} SimdLanes;
enum { SIMD_MOST_LANES = 8 };

typedef struct SimdEmit {
    SimdRegion *g;
    const SimdTarget *target;
    SimdStreams *streams;
    ValueMap *past;                /* stores that go past the caches; NULL: none */
    Cg *cg;
    LLVMBuilderRef b;
    LLVMBasicBlockRef allocas;    /* of the function; slots go there */
    SimdShape shape;
    int n;                        /* copies: rows * vectors */
    LLVMValueRef x, y;            /* of the block's first item */
    LLVMValueRef **copy;          /* by value: rows (uniform, linear) or rows * vectors of them */
    LLVMValueRef **slot;          /* by value: where it is kept; NULL: nowhere */
    LLVMValueRef **out;           /* by value: what items that left its loop took with them */
    LLVMValueRef **phi;           /* by value: where the ways to it leave what they bring */
    LLVMValueRef ***came;         /* [level][node]: masks of the lanes that have come to a masked node so far */
    int *rest_of;                 /* by loop: the node that takes the lanes that no other one got; END (control.c) */
    LLVMValueRef **live, **live_next; /* by loop, divergent ones: lanes in this round, and in the next */
    LLVMValueRef **all_come;      /* [level][node]: i1: do all lanes come? NULL: it takes a look at the masks */
    LLVMBasicBlockRef **entry;    /* [level][node] */
    LLVMBasicBlockRef *round, *level_end, *loop_done; /* by level, by level, by loop */
    LLVMValueRef **level_mask;    /* by level; NULL: all lanes */
    bool whole;                   /* a block of items of which none is missing */
    bool settled;                 /* what SimdValue.at_ends says is so for all of its items */
    bool rare;                    /* one of few blocks: a tail, an edge, what is left of the rows */
    LLVMValueRef inside, all_inside; /* else: mask of the items of the row, and whether that is all lanes */
    LLVMValueRef *mask;           /* of the block at hand; NULL: all lanes */
    int block;                    /* at hand */
    LLVMValueRef *privates;       /* by private: the block's memory for all its items */
    SimdLanePair pair;            /* made last */
    SimdLanes lanes[SIMD_MOST_LANES]; /* made last, at n_lanes modulo their number */
    int n_lanes;
} SimdEmit;

/* widen.c: instructions */
void simd_instructions(SimdEmit *e, int from, int to); /* of SimdRegion.values, all in the block at hand */

/* copies.c */
LLVMValueRef simd_kept_slot(SimdEmit *e, int i, int k); /* of SimdEmit.slot */
/* An operand where LLVM takes numbers beside vectors, and what was made of such as a vector. */
LLVMValueRef simd_number_or_vector(SimdEmit *e, LLVMValueRef v, int row, int vector);
LLVMValueRef simd_widened(SimdEmit *e, LLVMValueRef v);
LLVMValueRef simd_scalar(SimdEmit *e, LLVMValueRef v, int row,
                         int vector); /* uniform, or the first lane of a linear one */
LLVMValueRef simd_vector(SimdEmit *e, LLVMValueRef v, int row, int vector);
LLVMValueRef simd_lane(SimdEmit *e, LLVMValueRef v, int row, int vector, LLVMValueRef lane);
bool simd_is_made_by_lane(SimdEmit *e, LLVMValueRef place); /* of numbers, without its vector */
LLVMValueRef simd_clone_lane(SimdEmit *e, LLVMValueRef inst, int row, int vector, LLVMValueRef lane);
LLVMTypeRef simd_type(SimdEmit *e, LLVMTypeRef t);
LLVMValueRef simd_splat(SimdEmit *e, LLVMValueRef scalar);
int simd_copies(const SimdEmit *e, LaneRate r);
int simd_copy_at(const SimdEmit *e, LaneRate r, int row, int vector);
LLVMValueRef simd_iota(SimdEmit *e, LLVMTypeRef t, int64_t stride);
LLVMValueRef simd_joined(SimdEmit *e, LLVMValueRef *v, int n); /* one after another in one vector; n: a power of 2 */
LLVMValueRef simd_look_up(SimdEmit *e, const SimdValue *load, int row, int vector); /* of a table */
LLVMValueRef simd_intrinsic(SimdEmit *e, const char *name, LLVMTypeRef *over, int n_over, LLVMValueRef *args, int n);
LLVMValueRef simd_alloca(SimdEmit *e, LLVMTypeRef t, const char *name);
LLVMBasicBlockRef simd_block(SimdEmit *e, const char *name);
void simd_keep(SimdEmit *e, int value); /* where it may be needed when its block has been skipped */
/* Memory of the frame that LLVM makes registers of: a copy of a value of type t, or of a mask. */
LLVMTypeRef simd_copy_type(SimdEmit *e, LaneRate r, LLVMTypeRef t);
LLVMValueRef simd_slot_new(SimdEmit *e, LLVMTypeRef t, const char *name);
LLVMValueRef simd_out_slot(SimdEmit *e, int value, int copy); /* of SimdEmit.out */
LLVMValueRef simd_hidden(SimdEmit *e, LLVMValueRef v); /* masks.c */
LLVMValueRef simd_mask_call(SimdEmit *e, LLVMValueRef v, LLVMTypeRef to); /* masks.c */
LLVMValueRef simd_slot_load(SimdEmit *e, LLVMTypeRef t, LLVMValueRef slot);
void simd_slot_store(SimdEmit *e, LLVMValueRef v, LLVMValueRef slot);
/* The instruction as it is, for one copy, with the operands that the copy has. */
LLVMValueRef simd_clone(SimdEmit *e, LLVMValueRef inst, int row, int vector);

void simd_stream(SimdEmit *e, LLVMValueRef store, LLVMValueRef made); /* stream.c */

/* memory.c */
LLVMValueRef *simd_mask_of(SimdEmit *e, int row, int vector);
LLVMValueRef *simd_mask_for(SimdEmit *e, LaneRate r, int row, int vector); /* of a value's copy; NULL: all lanes */
LLVMValueRef simd_load(SimdEmit *e, const SimdValue *value, int row, int vector);
void simd_store(SimdEmit *e, const SimdValue *value, int row, int vector);
/* ahead.c: what a load of neighbours that walks down columns (level_walks_far) reads in the next block, or some rounds
 * later */
void simd_fetch_columns(SimdEmit *e, const SimdValue *load, LLVMValueRef place, int row, int vector);
/* How far ahead of what each item accesses in its row it prefetches, in bytes; NULL: nothing is worth it. */
LLVMValueRef simd_ahead_in_rows(SimdEmit *e, const SimdValue *access, int row, int vector);
void simd_fetch(SimdEmit *e, const SimdValue *ahead, int row, int vector); /* of CG_AHEAD */
bool simd_stores_whole(SimdEmit *e, const SimdValue *value); /* not copy by copy */
bool simd_one_store(SimdEmit *e, const SimdValue *value);    /* false: the values differ */
bool simd_blends_store(const SimdEmit *e, const SimdValue *value); /* by all lanes, although under a mask */
LLVMValueRef simd_choice(SimdEmit *e, LLVMValueRef mask, LLVMValueRef v, LLVMValueRef old); /* to be stored */

void simd_per_lane(SimdEmit *e, int value); /* lanes.c: whatever has no vector form: lane by lane, the live ones */
/* transpose.c: as many vectors as one has lanes; or n of them, of whose lanes each n are transposed by themselves */
void simd_transpose(SimdEmit *e, LLVMValueRef *lines);
void simd_transpose_squares(SimdEmit *e, LLVMValueRef *lines, int n);

/* vector_memory.c: accesses of a vector, as inst has one of an element; mask NULL: all lanes */
LLVMValueRef simd_all_lanes(SimdEmit *e);
LLVMValueRef simd_safe_place(SimdEmit *e); /* of a vector that any lane may read */
unsigned simd_alignment(SimdEmit *e, LLVMValueRef inst); /* of its elements */
LLVMValueRef simd_load_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask);
/* n contiguous elements, or the first of them n times */
LLVMValueRef simd_load_run(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, int n, bool is_splat);
/* as many as the mask has lanes, of these those that it says */
LLVMValueRef simd_load_some(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef mask);
LLVMValueRef simd_load_lanes(SimdEmit *e, LLVMValueRef inst, LLVMValueRef *places);
LLVMValueRef *simd_lane_places(SimdEmit *e, LLVMValueRef at, const LLVMValueRef *mask);
LLVMValueRef simd_gather(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask);
void simd_store_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask);
void simd_scatter(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask);
LLVMBasicBlockRef simd_when_all_inside(SimdEmit *e, LLVMBasicBlockRef *on);
LLVMValueRef simd_load_elements(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef at, LLVMValueRef *mask);
void simd_store_elements(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef v, LLVMValueRef at,
                         LLVMValueRef *mask);

/* update.c: updates of memory by all lanes */
bool simd_vector_update(SimdEmit *e, LLVMValueRef call); /* false: it is made lane by lane */
void simd_bring_totals(SimdEmit *e); /* where the nest ends */

/* partial.c */
bool simd_adds_partially(const SimdEmit *e, SimdPartial p); /* has the block enough lanes? */
LLVMTypeRef simd_partial_type(const SimdEmit *e, SimdPartial p, LLVMTypeRef sum); /* of the total */
LLVMValueRef simd_add_partially(SimdEmit *e, SimdPartial p, LLVMValueRef total, int row, int vector,
                                LLVMValueRef *mask);

/* saturate.c */
LLVMValueRef simd_saturated(SimdEmit *e, LLVMValueRef x, LLVMTypeRef to, bool is_signed);

/* divide.c: of vectors, by what is no constant; the divisor of no lane is 0 */
LLVMValueRef simd_divided(SimdEmit *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *mask);

/* powers.c: the same by `by`, which is the divisor of all live lanes of b */
LLVMValueRef simd_divided_by_one(SimdEmit *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef by,
                                 LLVMValueRef *mask);

/* interleave.c */
bool simd_reads_parts(const SimdEmit *e, const SimdValue *load, const LLVMValueRef *mask); /* together */
/* And the other parts' copies with it. */
LLVMValueRef simd_load_parts(SimdEmit *e, const SimdValue *load, int row, int vector, LLVMValueRef *mask);
bool simd_writes_parts(const SimdEmit *e, const SimdValue *store); /* together, where the last one stands */
bool simd_ends_parts(const SimdEmit *e, const SimdValue *store);
const SimdValue *simd_part(const SimdEmit *e, const SimdValue *store, int i); /* NULL: there are no more */
void simd_store_parts(SimdEmit *e, const SimdValue *store, int row, int vector, LLVMValueRef *mask);
LLVMValueRef simd_gathered(SimdEmit *e, LLVMValueRef *v, int n, const int *of, const int *lane);

LLVMValueRef simd_load_quasi_affine(SimdEmit *e, const SimdValue *load, SimdPeriod p, int row,
                                    int vector); /* quasi.c */

/* gaps.c: stores of some of the parts */
void simd_store_gaps(SimdEmit *e, const SimdValue *store, LLVMValueRef first, int row, int vector, LLVMValueRef *mask);

void simd_say_of_loop(Cg *cg, LLVMValueRef latch,
                      const char *what); /* blocks.c: metadata for LLVM's passes over loops */
void simd_keep_scalar(Cg *cg, LLVMValueRef latch); /* ... which may do all but vectorise */

/* control.c: the region once, for the shape of e; the builder is left at the end. mask NULL: all lanes */
void simd_region_emit(SimdEmit *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *mask);
LLVMValueRef simd_live_where(SimdEmit *e, int copy, LLVMValueRef c);
LLVMValueRef *simd_lanes_where(SimdEmit *e, LLVMValueRef cond, bool holds);
LLVMValueRef simd_any(SimdEmit *e, LLVMValueRef *mask);

/* triangle.c */
LLVMValueRef simd_of_all_rows(SimdEmit *e, LLVMValueRef call);

/* boscc.c */
bool simd_gains_without_mask(const SimdEmit *e, int block);
bool simd_only_blends(SimdEmit *e, int block);

/* leave.c */
void simd_check(SimdEmit *e, LLVMValueRef cond, bool fails, LLVMBasicBlockRef to); /* items that fail go to `to` */
void simd_branch_seldom(SimdEmit *e, LLVMValueRef cond, LLVMBasicBlockRef then,
                        LLVMBasicBlockRef otherwise); /* to `then` */

#endif
