/* nest.h -- how a nest of loops is written as vector code: plan.c decides, nest.c, rows.c and blocks.c write what it
 * says. */
#ifndef KDSL_IRGEN_SIMD_NEST_H
#define KDSL_IRGEN_SIMD_NEST_H

#include "irgen/simd/emit.h"

/* The plan --------------------------------------------------------------------------------------------------------- */

/* Where the whole blocks of a row begin: at its first item; where a store is aligned (peeling); at a multiple of a
 * block, in rows whose end is one. */
typedef enum RowStart { START_FIRST, START_ALIGNED, START_MULTIPLE } RowStart;

/* The items after the last whole block: there are none; under a mask; in a vector that overlaps the one before it; in
 * vectors of half as many lanes each time. */
typedef enum RowTail { TAIL_NONE, TAIL_MASKED, TAIL_OVERLAPPED, TAIL_HALVED } RowTail;

/* Non-temporal stores to arrays larger than the last cache: none; tested for each block, each row, or once for the
 * nest. */
typedef enum RowStream { STREAM_NONE, STREAM_BLOCK, STREAM_ROW, STREAM_NEST } RowStream;

/* Index-set splitting (ends.c): none; blocks inside and blocks at edges apart; the inside of each row found before, and
 * the items around it apart (interior.c). */
typedef enum EdgeSplit { SPLIT_NONE, SPLIT_BLOCKS, SPLIT_ROWS } EdgeSplit;

/* Launches that a version is for: all; those in which bit operations on the index leave aligned blocks contiguous
 * (aligned.c); those in which a remainder that is an index begins anew every few blocks, or in each (ends.c). */
typedef enum Launches { LAUNCHES_ALL, LAUNCHES_ALIGNED, LAUNCHES_SHORT_PERIODS } Launches;

typedef struct NestVersion {
    Launches launches;
    SimdShape shape;     /* of a whole block */
    int band;            /* blocks below one another before the next ones along the row */
    EdgeSplit split;
    bool unrolled;       /* the whole row is unrolled, for store forwarding (forward.c) */
    bool idempotent;     /* items may run twice (idempotent.c), so vectors may overlap */
    RowStart start;
    RowTail tail;
    RowStream stream;
    LLVMValueRef align;  /* START_ALIGNED: the store that is aligned; NULL: none */
} NestVersion;

enum { MOST_VERSIONS = 3 };

/* Tests at run time choose the first version that is allowed; the last one always is. */
typedef struct NestPlan {
    NestVersion at[MOST_VERSIONS];
    int n;
    bool rest_is_scalar; /* where no version's test holds, the scalar nest runs; else the last version has no test */
    int short_rows;      /* the longest rows, in items, that run in the scalar nest (loop versioning); 0: none do */
} NestPlan;

typedef struct NestContext {
    Cg *cg;
    SimdRegion *g;
    const SimdTarget *target;
    SimdStreams *streams;
    const ValueMap *updated;  /* blend.c */
    int number;               /* of the nest in its function, from 1 */
} NestContext;

/* plan.c; false: the nest stays scalar, and g->why_not says why */
bool nest_plan(NestContext *n, LLVMValueRef latch, SimdShape shape, NestPlan *plan);
void nest_select(NestContext *n, const NestVersion *v); /* g has the rates of this version then */
bool nest_may_have_bands(const NestContext *n, const NestVersion *v);
bool nest_has_constant_rows(const SimdRegion *g);
/* A store of contiguous elements into an array of the kernel that every item makes. settled: of those inside (ends.c)
 */
bool nest_is_row_store(const SimdRegion *g, const SimdValue *value, bool settled);
int64_t nest_vector_bytes(const SimdRegion *g, SimdShape shape, LLVMValueRef store);

/* plan_text.c: plans as text, for --explain=vector and --nest-plan */
void nest_note_plan(const NestContext *n, const NestPlan *plan);
void nest_force(const NestContext *n, int version, NestVersion *v); /* what --nest-plan says of it */

/* Writing it ------------------------------------------------------------------------------------------------------- */

/* Of a nest with STREAM_NEST: the copy with non-temporal stores, the one without; elsewhere rows are tested. */
typedef enum RowKind { ROWS_TESTED, ROWS_STREAMED, ROWS_CACHED } RowKind;

/* Where a row goes for a vector that is not inside: to `part`, which writes up to `hi` under masks, and comes back. */
typedef struct EdgeWay {
    LLVMBasicBlockRef part;    /* NULL: edges have code of their own */
    LLVMValueRef hi;
} EdgeWay;

/* The items of a row that have all the answers that are wanted of them, but for those about the row. */
typedef struct Interior {
    LLVMValueRef lo, hi;       /* NULL: rows are not split */
} Interior;

typedef struct Items {
    Cg *cg;
    SimdRegion *g;
    const SimdTarget *target;
    SimdStreams *streams;
    const NestVersion *v;      /* being written */
    ValueMap *past;            /* stores that may be non-temporal */
    LLVMBuilderRef b;
    LLVMBasicBlockRef allocas;
    RowKind rows;
    LLVMValueRef band_end;     /* the row after those of the band; NULL: a row of blocks is written at a time */
    bool settled;              /* NestVersion.split: what is written is for items inside */
    Interior interior;
    EdgeWay edges;
    bool rare;                 /* what is written is for edges, or for rows that fill no block */
} Items;

/* blocks.c */
/* while (counter + by <= hi), or while (counter < hi): the builder is left in the body */
typedef struct Loop {
    LLVMBasicBlockRef head, done;  /* head NULL: a single iteration */
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
LLVMValueRef nest_row_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef hi);
LLVMValueRef nest_begun_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef lo);
void nest_write_begin(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef lo);
/* hi NULL: all lanes are items; past: stores of n->past are non-temporal */
void nest_write_block(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, bool past);

/* interior.c: before the nest; of one with simd_has_interior. */
Interior nest_interior(Items *n);
/* With that, a row, and all rows: blocks of several, and blocks of single rows of shape `one`, under masks or not. */
void nest_write_split_row(Items *n, SimdShape shape, LLVMValueRef y);
void nest_write_split_rows(Items *n, SimdShape shape, SimdShape one, bool masked);

/* rows.c: the nest as n->v says */
enum { NEST_LONG_ROW = 16 }; /* vectors */
void nest_write(Items *n);
void nest_write_part(Items *n, SimdShape shape, LLVMValueRef y, bool masked); /* n->g->x_lo..x_hi */
void nest_write_pieces(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi); /* x: moves to hi */

/* nest.c; number: of the nest in its function, from 1; false: it stays scalar */
bool simd_nest(Cg *cg, const SimdTarget *target, SimdStreams *streams, const ValueMap *updated, LLVMValueRef fn,
               LLVMValueRef latch, LLVMValueRef outer_latch, int number);

/* trim.c: g->x_lo and g->x_hi become those of the items that do something in the rows from y to `last`, or in row y if
 * that is NULL */
void nest_trim(SimdRegion *g, LLVMValueRef y, LLVMValueRef last);

#endif
