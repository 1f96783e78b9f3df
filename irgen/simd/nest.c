/* nest.c -- from a marked nest of loops to vector code in its place: blocks of rows, in each blocks of vectors along the
 * row, then what is left of the row under a mask, then the rows that are left. */
#include "irgen/simd/simd.h"

#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "offload/lld.h"

/* The nest's place ------------------------------------------------------------------------------------------------- */

/* Rows that are written past the caches: asked of each row, known of all of them, or known of none. */
typedef enum RowKind { ROWS_ASK, ROWS_PAST, ROWS_PLAIN } RowKind;

typedef struct Items {
    Cg *cg;
    SimdRegion *g;
    const SimdTarget *target;
    SimdStreams *streams;
    SimdMap *past;            /* stores of rows that may go past the caches */
    LLVMBuilderRef b;
    LLVMBasicBlockRef allocas;
    bool written_out;          /* forward.c: vector by vector */
    bool again;                /* idempotent.c: ends of rows may be whole vectors, some of whose items are done again */
    RowKind rows;
    bool has_ends, settled;    /* ends.c: blocks are written twice; this one is where all conditions hold */
} Items;

static LLVMBasicBlockRef new_block(Items *n, const char *name) {
    return LLVMAppendBasicBlockInContext(n->cg->ctx, n->g->fn, name);
}

static LLVMValueRef counter_new(Items *n, LLVMValueRef from, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(n->allocas));
    LLVMValueRef at = LLVMBuildAlloca(n->b, n->cg->i64, name);
    LLVMPositionBuilderAtEnd(n->b, here);
    LLVMBuildStore(n->b, from, at);
    return at;
}

static LLVMValueRef count(Items *n, LLVMValueRef counter) { return LLVMBuildLoad2(n->b, n->cg->i64, counter, ""); }

static void step(Items *n, LLVMValueRef counter, int by) {
    LLVMBuildStore(n->b, LLVMBuildNSWAdd(n->b, count(n, counter), cg_i64(n->cg, by), ""), counter);
}

/* Lanes of the block that are still items of the row: the lane's number below hi - x. */
static LLVMValueRef row_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef hi) {
    LLVMValueRef left = LLVMBuildSub(e->b, hi, x, ""), width = cg_i64(e->cg, e->shape.width);
    left = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, left, width, ""), left, width, "");
    left = LLVMBuildTrunc(e->b, left, e->cg->i32, "");
    return LLVMBuildICmp(e->b, LLVMIntSLT, simd_iota(e, e->cg->i32, 1), simd_splat(e, left), "");
}

/* Lanes of the block that are items of the row already: from lo on. */
static LLVMValueRef begun_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef lo) {
    LLVMValueRef before = LLVMBuildTrunc(e->b, LLVMBuildSub(e->b, lo, x, ""), e->cg->i32, "");
    return LLVMBuildICmp(e->b, LLVMIntSGE, simd_iota(e, e->cg->i32, 1), simd_splat(e, before), "");
}

/* The block in which the row begins, at lo. */
static void write_begin(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef lo) {
    SimdEmit e = {.g = n->g, .target = n->target, .streams = n->streams, .cg = n->cg, .b = n->b, .allocas = n->allocas,
                  .shape = shape};
    LLVMValueRef *mask = arena_array(n->g->arena, LLVMValueRef, shape.rows), one = begun_mask(&e, x, lo);
    for (int i = 0; i < shape.rows; i++) mask[i] = one;
    simd_region_emit(&e, x, y, mask);
}

/* hi NULL: all lanes are items; past: stores of n->past go past the caches */
static void write_block(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, bool past) {
    SimdEmit e = {.g = n->g, .target = n->target, .streams = n->streams, .cg = n->cg, .b = n->b, .allocas = n->allocas,
                  .shape = shape, .settled = n->settled};
    LLVMValueRef *mask = NULL;
    if (!hi) e.order = simd_joint_order(n->g);
    if (past) e.past = n->past;
    if (hi) {
        mask = arena_array(n->g->arena, LLVMValueRef, shape.rows * shape.vectors);
        LLVMValueRef one = row_mask(&e, x, hi);
        for (int i = 0; i < shape.rows * shape.vectors; i++) mask[i] = one;
        LLVMValueRef last = LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, shape.width), "");
        e.inside = one;
        e.all_inside = LLVMBuildICmp(n->b, LLVMIntSLE, x, last, "");
    }
    simd_turned_emit(&e, x, y, mask);
}

/* while (counter + by <= hi), or while (counter < hi): the builder is left in the body */
typedef struct Loop {
    LLVMBasicBlockRef head, done;  /* head NULL: a single round */
    LLVMValueRef counter, at;
    int by;
} Loop;

static void say_of_loop(Items *n, LLVMValueRef latch, const char *what, LLVMMetadataRef value) {
    LLVMContextRef ctx = n->cg->ctx;
    LLVMMetadataRef said[2] = {LLVMMDStringInContext2(ctx, what, strlen(what)), value};
    LLVMMetadataRef self = LLVMTemporaryMDNode(ctx, NULL, 0);
    LLVMMetadataRef parts[2] = {self, LLVMMDNodeInContext2(ctx, said, value ? 2 : 1)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(ctx, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9), LLVMMetadataAsValue(ctx, loop));
}

/* In blocks there is enough to do at a time; written several times, known rounds would make registers of what a group
 * keeps in memory, far more than there are. */
static void keep_rolled(Items *n, LLVMValueRef latch) { say_of_loop(n, latch, "llvm.loop.unroll.disable", NULL); }

static Loop loop_begin(Items *n, LLVMValueRef counter, LLVMValueRef lo, LLVMValueRef hi, int by, bool whole, const char *name) {
    if (simd_trips(lo, hi) == by) return (Loop){.counter = counter, .at = lo, .by = by};
    Loop l = {.head = new_block(n, name), .done = new_block(n, "done"), .counter = counter, .by = by};
    LLVMBasicBlockRef body = new_block(n, "block");
    LLVMBuildBr(n->b, l.head);
    LLVMPositionBuilderAtEnd(n->b, l.head);
    l.at = count(n, counter);
    LLVMValueRef last = whole ? LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, by - 1), "") : hi;
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, l.at, last, ""), body, l.done);
    LLVMPositionBuilderAtEnd(n->b, body);
    return l;
}

static void loop_end(Items *n, Loop *l) {
    step(n, l->counter, l->by);
    if (!l->head) return;
    LLVMValueRef latch = LLVMBuildBr(n->b, l->head);
    if (n->g->loops.n || simd_trips(n->g->x_lo, n->g->x_hi)) keep_rolled(n, latch);
    LLVMPositionBuilderAtEnd(n->b, l->done);
}

/* Aligned rows ------------------------------------------------------------------------------------------------------ */

static bool walks_far(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!LLVMIsALoadInst(value->v) || g->blocks.at[value->block].leaves) continue;
        LaneRate at = simd_rate(g, LLVMGetOperand(value->v, 0), value->block);
        if (simd_is_contiguous(g, at, LLVMTypeOf(value->v)) && simd_walks_far(g, value)) return true;
    }
    return false;
}

/* A store of neighbours side by side that every item makes, into an array of the kernel. */
static bool is_row_store(const Items *n, const SimdValue *value) {
    const SimdRegion *g = n->g;
    if (!LLVMIsAStoreInst(value->v) || g->blocks.at[value->block].leaves || value->private_of >= 0) return false;
    LLVMValueRef base = LLVMGetOperand(value->v, 1);
    bool beside = simd_is_contiguous(g, simd_rate(g, base, value->block), LLVMTypeOf(LLVMGetOperand(value->v, 0)));
    return beside && (n->settled || !simd_is_masked(g, value->block)) && LLVMIsAArgument(simd_object(base));
}

static bool is_known_row(const SimdRegion *g) { return LLVMIsAConstantInt(g->x_lo) && LLVMIsAConstantInt(g->x_hi); }

/* Rows begin where the first of these is aligned: stores that lie across two cache lines cost twice. Only where there is
 * little else to do, or where loops walk down the columns of an array: other arrays are mostly aligned alike, and each
 * round would fetch one line more. */
static LLVMValueRef main_store(const Items *n) {
    const SimdRegion *g = n->g;
    if (g->aligned || g->spread || is_known_row(g) || (g->loops.n && !walks_far(g))) return NULL;
    for (int i = 0; i < g->values.n; i++)
        if (is_row_store(n, &g->values.at[i])) return g->values.at[i].v;
    return NULL;
}

static LLVMValueRef smaller(Items *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef larger(Items *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, a, b, ""), a, b, "");
}

static int64_t vector_bytes(const SimdRegion *g, SimdShape shape, LLVMValueRef store) {
    return simd_bytes(g, LLVMTypeOf(LLVMGetOperand(store, 0))) * shape.width;
}

/* May this store of the block at x go past the caches? Where its rows begin at multiples of `unit` bytes. NULL: never */
static LLVMValueRef goes_past(Items *n, SimdShape shape, LLVMValueRef store, LLVMValueRef x, LLVMValueRef y, int64_t unit) {
    LLVMValueRef past = simd_is_streamed(n->streams, store, vector_bytes(n->g, shape, store));
    for (int row = 0; row < shape.rows && past; row++) {
        LLVMValueRef below = row ? LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, row), "") : y;
        LLVMValueRef at = simd_at(n->g, n->b, LLVMGetOperand(store, 1), x, below);
        if (!at) return NULL;
        at = LLVMBuildAnd(n->b, LLVMBuildPtrToInt(n->b, at, n->cg->i64, ""), cg_i64(n->cg, unit - 1), "");
        past = LLVMBuildAnd(n->b, past, LLVMBuildICmp(n->b, LLVMIntEQ, at, cg_i64(n->cg, 0), ""), "");
    }
    return past;
}

/* Whether the stores that go past the caches at times can do so here, all of them; NULL: there are none. n->past has them.
 * lines: only those that fill lines of memory with each block. */
static LLVMValueRef all_go_past(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool lines) {
    SimdRegion *g = n->g;
    LLVMValueRef all = NULL;
    n->past = simd_map_new(g->arena, 4);
    for (int i = 0; i < g->values.n && (lines || shape.rows == 1); i++) {
        LLVMValueRef store = g->values.at[i].v;
        if (!is_row_store(n, &g->values.at[i])) continue;
        int64_t vector = vector_bytes(g, shape, store);
        if (lines && vector * shape.vectors % SIMD_LINE) continue;
        LLVMValueRef past = goes_past(n, shape, store, x, y, lines ? SIMD_LINE : vector);
        if (!past) continue;
        all = all ? LLVMBuildAnd(n->b, all, past, "") : past;
        simd_map_put(n->past, store, 1);
    }
    return all;
}

/* More than none, but less than a vector? */
static LLVMValueRef is_piece(Items *n, SimdShape shape, LLVMValueRef items) {
    LLVMValueRef before = LLVMBuildNSWSub(n->b, items, cg_i64(n->cg, 1), "");
    return LLVMBuildICmp(n->b, LLVMIntULT, before, cg_i64(n->cg, shape.width - 1), "");
}

/* Where the row's aligned part begins: x_lo, or less than a vector behind it; less than a cache line if it is written past
 * the caches, which goes well for whole lines. from NULL: no matter. */
typedef struct AlignedRow {
    LLVMValueRef from, past; /* past: is it written so? NULL: never */
    int most;                /* vectors before it */
} AlignedRow;

enum { LONG_ROW = 16, LONG_MASKED_ROW = 64 }; /* vectors of a row that gains from it */

static LLVMValueRef is_long(Items *n, SimdShape shape, int vectors) {
    LLVMValueRef length = LLVMBuildNSWSub(n->b, n->g->x_hi, n->g->x_lo, "");
    return LLVMBuildICmp(n->b, LLVMIntSGE, length, cg_i64(n->cg, vectors * shape.width), "");
}

static LLVMValueRef is_large(Items *n, SimdShape shape, LLVMValueRef store) {
    LLVMValueRef large = n->rows == ROWS_PLAIN ? NULL : simd_is_streamed(n->streams, store, vector_bytes(n->g, shape, store));
    return large && n->rows == ROWS_PAST ? LLVMConstInt(n->cg->i1, 1, false) : large;
}

static AlignedRow aligned_row(Items *n, SimdShape shape, LLVMValueRef y) {
    SimdRegion *g = n->g;
    LLVMValueRef store = main_store(n), at = store ? simd_at(g, n->b, LLVMGetOperand(store, 1), g->x_lo, y) : NULL;
    if (!at) return (AlignedRow){0};
    int64_t vector = vector_bytes(g, shape, store), per_line = SIMD_LINE * shape.width / vector;
    LLVMValueRef large = is_large(n, shape, store), line = cg_i64(n->cg, (g->loops.n ? SIMD_LINE : vector) - 1);
    if (large && vector < SIMD_LINE) line = LLVMBuildSelect(n->b, large, cg_i64(n->cg, SIMD_LINE - 1), line, "");
    LLVMValueRef over = LLVMBuildNeg(n->b, LLVMBuildPtrToInt(n->b, at, n->cg->i64, ""), "");
    over = LLVMBuildAnd(n->b, over, line, "");
    LLVMValueRef items = LLVMBuildUDiv(n->b, over, cg_i64(n->cg, vector / shape.width), "");
    if (n->again && large) { /* what is done again would not be past the caches: a line more holds a whole vector */
        LLVMValueRef more = LLVMBuildNSWAdd(n->b, items, cg_i64(n->cg, per_line), "");
        LLVMValueRef is_less = LLVMBuildAnd(n->b, large, is_piece(n, shape, items), "");
        items = LLVMBuildSelect(n->b, is_less, more, items, "");
    }
    LLVMValueRef gains = is_long(n, shape, g->loops.n || n->again ? LONG_ROW : LONG_MASKED_ROW);
    if (n->rows != ROWS_PAST) items = LLVMBuildSelect(n->b, gains, items, cg_i64(n->cg, 0), "");
    LLVMValueRef from = LLVMBuildNSWAdd(n->b, g->x_lo, items, "");
    LLVMValueRef past = n->rows == ROWS_ASK ? all_go_past(n, shape, from, y, false) : NULL;
    if (past) { /* one that begins with a line has less to lose */
        LLVMValueRef whole = LLVMBuildICmp(n->b, LLVMIntEQ, over, cg_i64(n->cg, 0), "");
        whole = LLVMBuildAnd(n->b, whole, is_long(n, shape, LONG_ROW), "");
        past = LLVMBuildAnd(n->b, past, LLVMBuildOr(n->b, gains, whole, ""), "");
    }
    return (AlignedRow){from, past, (int)(per_line + 2 * shape.width - 2) / shape.width};
}

/* Rows ---------------------------------------------------------------------------------------------------------------- */

/* The items of a block one vector after the other, as they may part. */
static void write_edge(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y) {
    if (shape.rows > 1) {
        LLVMValueRef row = counter_new(n, y, "y");
        Loop rows = loop_begin(n, row, NULL, LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows), ""), 1, false, "edge.rows");
        write_edge(n, (SimdShape){1, shape.vectors, shape.width}, x, rows.at);
        loop_end(n, &rows);
        return;
    }
    LLVMValueRef at = counter_new(n, x, "x"), hi = LLVMBuildNSWAdd(n->b, x, cg_i64(n->cg, shape.vectors * shape.width), "");
    Loop vectors = loop_begin(n, at, NULL, hi, shape.width, false, "edge");
    write_block(n, (SimdShape){1, 1, shape.width}, vectors.at, y, NULL, false);
    loop_end(n, &vectors);
}

/* Rows of a known length, a group's mostly, begin where they begin: each block is asked whether it fills lines. */
static void write_inside(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past) {
    LLVMValueRef fills = is_known_row(n->g) ? all_go_past(n, shape, x, y, true) : NULL;
    if (!fills) {
        write_block(n, shape, x, y, NULL, past);
        return;
    }
    LLVMBasicBlockRef lines = new_block(n, "lines"), plain = new_block(n, "plain"), done = new_block(n, "lines.done");
    LLVMBuildCondBr(n->b, fills, lines, plain);
    LLVMPositionBuilderAtEnd(n->b, lines);
    write_block(n, shape, x, y, NULL, true);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, plain);
    write_block(n, shape, x, y, NULL, false);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

static void write_whole(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past) {
    if (!n->has_ends) {
        write_inside(n, shape, x, y, past);
        return;
    }
    LLVMBasicBlockRef inside = new_block(n, "inside"), edge = new_block(n, "edge"), done = new_block(n, "block.done");
    LLVMBuildCondBr(n->b, simd_all_inside(n->g, n->b, shape, x, y), inside, edge);
    LLVMPositionBuilderAtEnd(n->b, inside);
    n->settled = true;
    write_inside(n, shape, x, y, past);
    n->settled = false;
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, edge);
    write_edge(n, shape, x, y);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* The end of the row, or less, if a part of a vector is left after whole blocks: that would be a piece of the last block
 * again, which has gone past the caches. */
static LLVMValueRef leaving_a_vector(Items *n, SimdShape shape, LLVMValueRef from) {
    LLVMValueRef hi = n->g->x_hi, block = cg_i64(n->cg, shape.vectors * shape.width);
    LLVMValueRef left = LLVMBuildURem(n->b, LLVMBuildNSWSub(n->b, hi, from, ""), block, "");
    return LLVMBuildSelect(n->b, is_piece(n, shape, left), LLVMBuildNSWSub(n->b, hi, block, ""), hi, "");
}

/* ahead NULL: nothing is asked for before */
static void write_vectors(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past, const SimdAhead *ahead) {
    LLVMValueRef from = ahead ? count(n, x) : NULL, hi = n->g->x_hi;
    if (past && n->again) hi = leaving_a_vector(n, shape, from);
    Loop whole = loop_begin(n, x, n->g->x_lo, hi, shape.vectors * shape.width, true, "vectors");
    if (ahead) simd_fetch_ahead(n->cg, ahead, LLVMBuildNSWSub(n->b, whole.at, from, ""), shape.vectors * shape.width);
    write_whole(n, shape, whole.at, y, past);
    loop_end(n, &whole);
}

/* Twice, where a row as a whole is written past the caches or not: the loops have nothing to ask. */
static void write_aligned(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef past) {
    if (!past) {
        write_vectors(n, shape, x, y, false, NULL);
        return;
    }
    LLVMBasicBlockRef large = new_block(n, "past"), small = new_block(n, "plain"), done = new_block(n, "aligned.done");
    LLVMBuildCondBr(n->b, past, large, small);
    LLVMPositionBuilderAtEnd(n->b, large);
    SimdAhead ahead = simd_reads_ahead(n->cg, n->g, count(n, x), y);
    write_vectors(n, shape, x, y, true, &ahead);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, small);
    write_vectors(n, shape, x, y, false, NULL);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* Of a vector under a mask that has all its items nearly always, do accesses cost much more than without? */
static bool is_dear_under_mask(const Items *n) {
    const SimdRegion *g = n->g;
    if (n->target->mask_registers || n->has_ends) return false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_store = LLVMIsAStoreInst(value->v) != NULL, is_access = is_store || LLVMIsALoadInst(value->v);
        if (!is_access || value->private_of >= 0 || g->blocks.at[value->block].leaves) continue;
        LLVMTypeRef t = LLVMTypeOf(is_store ? LLVMGetOperand(value->v, 0) : value->v);
        LaneRate at = simd_rate(g, LLVMGetOperand(value->v, is_store), value->block);
        if (value->parts >= 0 || (simd_is_contiguous(g, at, t) && simd_bytes(g, t) < 4)) return true;
    }
    return false;
}

/* Rows that edges part go one by one: where one is not inside, it reads nothing. So do those without a loop: at the end
 * of a row they have little to share, and it would be the code of all of them. */
static void write_piece(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    if (shape.rows == 1 || (!n->has_ends && n->g->loops.n)) {
        write_block(n, shape, x, y, hi, false);
        return;
    }
    LLVMValueRef row = counter_new(n, y, "y");
    Loop rows = loop_begin(n, row, NULL, LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows), ""), 1, false, "piece.rows");
    write_block(n, (SimdShape){1, 1, shape.width}, x, rows.at, hi, false);
    loop_end(n, &rows);
}

/* A vector of items from `at` on; nearer to the beginning or the end of the row, if it would pass that or `hi`. */
static void write_clamped(Items *n, SimdShape shape, LLVMValueRef at, LLVMValueRef y, LLVMValueRef hi) {
    LLVMValueRef last = LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, shape.width), "");
    write_piece(n, (SimdShape){shape.rows, 1, shape.width}, larger(n, smaller(n, at, last), n->g->x_lo), y, NULL);
}

/* Up to `hi`, in vectors of which the last one ends there, or begins with the row; x is left at hi. */
static void write_again(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    Loop pieces = loop_begin(n, x, NULL, hi, shape.width, false, "again");
    write_clamped(n, shape, pieces.at, y, hi);
    LLVMValueRef next = LLVMBuildNSWAdd(n->b, count(n, x), cg_i64(n->cg, shape.width), "");
    LLVMBuildStore(n->b, smaller(n, next, hi), x);
    LLVMBuildBr(n->b, pieces.head);
    LLVMPositionBuilderAtEnd(n->b, pieces.done);
}

/* The same without a loop, whose end the machine would guess wrong, and then have nothing on its way from memory: up to
 * `most` vectors, the last ones again where that is too many. */
static void write_straight(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, int most) {
    LLVMBasicBlockRef some = new_block(n, "straight"), done = new_block(n, "straight.done");
    LLVMValueRef at = count(n, x);
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, at, hi, ""), some, done);
    LLVMPositionBuilderAtEnd(n->b, some);
    for (int i = 0; i < most; i++)
        write_clamped(n, shape, LLVMBuildNSWAdd(n->b, at, cg_i64(n->cg, i * shape.width), ""), y, hi);
    LLVMBuildStore(n->b, hi, x);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* Up to `hi`, the last vector under a mask; x is left at hi. */
static void write_masked(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    Loop pieces = loop_begin(n, x, NULL, hi, shape.width, false, "pieces");
    write_piece(n, (SimdShape){shape.rows, 1, shape.width}, pieces.at, y, hi);
    LLVMValueRef next = LLVMBuildNSWAdd(n->b, count(n, x), cg_i64(n->cg, shape.width), "");
    LLVMBuildStore(n->b, smaller(n, next, hi), x);
    LLVMBuildBr(n->b, pieces.head);
    LLVMPositionBuilderAtEnd(n->b, pieces.done);
}

/* Is the row at least a vector long? The builder is left where it is; what is for shorter ones goes to *is_short. */
static LLVMBasicBlockRef if_long(Items *n, SimdShape shape, LLVMBasicBlockRef *is_short) {
    LLVMBasicBlockRef whole = new_block(n, "long"), done = new_block(n, "row.end");
    *is_short = new_block(n, "short");
    LLVMBuildCondBr(n->b, is_long(n, shape, 1), whole, *is_short);
    LLVMPositionBuilderAtEnd(n->b, whole);
    return done;
}

static void then_short(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMBasicBlockRef is_short,
                       LLVMBasicBlockRef done) {
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, is_short);
    write_masked(n, shape, x, y, n->g->x_hi);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

static void write_pieces(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    if (!n->again || n->target->mask_registers) {
        if (shape.vectors > 1 && is_dear_under_mask(n)) {
            Loop whole = loop_begin(n, x, NULL, hi, shape.width, true, "singles");
            write_whole(n, (SimdShape){shape.rows, 1, shape.width}, whole.at, y, false);
            loop_end(n, &whole);
        }
        write_masked(n, shape, x, y, hi);
        return;
    }
    LLVMBasicBlockRef is_short, done = if_long(n, shape, &is_short);
    write_again(n, shape, x, y, hi);
    then_short(n, shape, x, y, is_short, done);
}

/* Nothing is left when it is known that whole blocks fill the loop: group's rows mostly. */
static bool is_filled(LLVMValueRef lo, LLVMValueRef hi, int by) {
    int64_t trips = simd_trips(lo, hi);
    return trips > 0 && trips % by == 0;
}

/* A row that begins anywhere and ends where a block ends: blocks begin at multiples of their size, the first with what is
 * left of it. So what one part of a group writes lies in memory as the next one reads it, vector by vector, and only the
 * first vector has a mask. */
static void write_row_to_end(Items *n, SimdShape shape, LLVMValueRef y) {
    SimdRegion *g = n->g;
    SimdShape one = {shape.rows, 1, shape.width};
    LLVMValueRef first = LLVMBuildAnd(n->b, g->x_lo, cg_i64(n->cg, -shape.width), ""), x = counter_new(n, first, "x");
    LLVMBasicBlockRef begin = new_block(n, "begin"), whole = new_block(n, "begun");
    LLVMValueRef later = LLVMBuildICmp(n->b, LLVMIntSLT, first, g->x_lo, "");
    later = LLVMBuildAnd(n->b, later, LLVMBuildICmp(n->b, LLVMIntSLT, first, g->x_hi, ""), "");
    LLVMBuildCondBr(n->b, later, begin, whole);
    LLVMPositionBuilderAtEnd(n->b, begin);
    write_begin(n, one, first, y, g->x_lo);
    step(n, x, shape.width);
    LLVMBuildBr(n->b, whole);
    LLVMPositionBuilderAtEnd(n->b, whole);
    if (shape.vectors > 1) { /* up to a multiple of a block */
        LLVMValueRef block = cg_i64(n->cg, shape.vectors * shape.width), at = count(n, x);
        LLVMValueRef past = LLVMBuildAnd(n->b, LLVMBuildNeg(n->b, at, ""), LLVMBuildSub(n->b, block, cg_i64(n->cg, 1), ""), "");
        LLVMValueRef upto = smaller(n, LLVMBuildAdd(n->b, at, past, ""), g->x_hi);
        Loop singles = loop_begin(n, x, NULL, upto, shape.width, false, "singles");
        write_whole(n, one, singles.at, y, false);
        loop_end(n, &singles);
    }
    Loop blocks = loop_begin(n, x, NULL, g->x_hi, shape.vectors * shape.width, false, "vectors");
    write_whole(n, shape, blocks.at, y, false);
    loop_end(n, &blocks);
}

/* Vector by vector, from multiples of a vector on. */
static void write_out(Items *n, int width) {
    SimdRegion *g = n->g;
    int64_t lo = LLVMConstIntGetSExtValue(g->x_lo), hi = LLVMConstIntGetSExtValue(g->x_hi);
    for (int64_t x = lo / width * width; x < hi; x += width) {
        SimdEmit e = {.g = g, .target = n->target, .streams = n->streams, .cg = n->cg, .b = n->b, .allocas = n->allocas,
                      .shape = {1, 1, width}};
        LLVMValueRef at = cg_i64(n->cg, x), mask = NULL;
        if (x < lo) mask = begun_mask(&e, at, g->x_lo);
        if (x + width > hi) mask = mask ? LLVMBuildAnd(n->b, mask, row_mask(&e, at, g->x_hi), "") : row_mask(&e, at, g->x_hi);
        simd_region_emit(&e, at, NULL, mask ? &mask : NULL);
    }
}

/* A row that is written past the caches: what comes before its aligned part, and behind its blocks, without loops. */
static void write_straight_row(Items *n, SimdShape shape, LLVMValueRef y) {
    AlignedRow row = aligned_row(n, shape, y);
    LLVMValueRef x = counter_new(n, n->g->x_lo, "x");
    write_straight(n, shape, x, y, row.from, row.most);
    SimdAhead ahead = simd_reads_ahead(n->cg, n->g, row.from, y);
    write_vectors(n, shape, x, y, true, &ahead);
    write_straight(n, shape, x, y, n->g->x_hi, shape.vectors + 1);
}

/* First what is not aligned, then whole vectors, then what is left; the code for the first and the last is the same. */
static void write_row(Items *n, SimdShape shape, LLVMValueRef y) {
    if (n->written_out) {
        write_out(n, shape.width);
        return;
    }
    if (n->rows == ROWS_PAST) {
        write_straight_row(n, shape, y);
        return;
    }
    AlignedRow row = aligned_row(n, shape, y);
    if (!row.from && simd_known_end(n->g, shape.width)) {
        write_row_to_end(n, shape, y);
        return;
    }
    LLVMValueRef x = counter_new(n, n->g->x_lo, "x");
    if (!row.from) {
        write_vectors(n, shape, x, y, false, NULL);
        if (!is_filled(n->g->x_lo, n->g->x_hi, shape.vectors * shape.width)) write_pieces(n, shape, x, y, n->g->x_hi);
        return;
    }
    LLVMValueRef hi = counter_new(n, row.from, "hi");
    LLVMBasicBlockRef part = new_block(n, "part"), middle = new_block(n, "middle"), done = new_block(n, "row.done");
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, part);
    LLVMValueRef upto = count(n, hi);
    write_pieces(n, shape, x, y, upto);
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntEQ, upto, n->g->x_hi, ""), done, middle);
    LLVMPositionBuilderAtEnd(n->b, middle);
    write_aligned(n, shape, x, y, row.past);
    LLVMBuildStore(n->b, n->g->x_hi, hi);
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, done);
}

static void write_rows(Items *n, SimdShape shape) {
    SimdRegion *g = n->g;
    if (!g->y) {
        write_row(n, shape, NULL);
        return;
    }
    LLVMValueRef y = counter_new(n, g->y_lo, "y");
    if (shape.rows > 1) {
        Loop rows = loop_begin(n, y, g->y_lo, g->y_hi, shape.rows, true, "rows");
        write_row(n, shape, rows.at);
        loop_end(n, &rows);
        if (is_filled(g->y_lo, g->y_hi, shape.rows)) return;
    }
    SimdShape one = {1, shape.rows > 1 ? 1 : shape.vectors, shape.width};
    Loop row = loop_begin(n, y, NULL, g->y_hi, 1, false, "row");
    write_row(n, one, row.at);
    loop_end(n, &row);
}

/* Are there stores past the caches, all of them those by which rows are aligned, and little else to do? Whether they are
 * made is asked once for the nest then, which is written for either answer. */
static LLVMValueRef rows_past(Items *n, SimdShape shape) {
    enum { FEW_VALUES = 64 }; /* little enough to be written several times for the ends of rows */
    SimdRegion *g = n->g;
    LLVMValueRef store = main_store(n), large = store ? is_large(n, shape, store) : NULL;
    if (!large || !n->again || shape.rows > 1 || g->loops.n || g->values.n > FEW_VALUES) return NULL;
    n->past = simd_map_new(g->arena, 1);
    simd_map_put(n->past, store, 1);
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef other = g->values.at[i].v;
        if (other != store && is_row_store(n, &g->values.at[i]) && is_large(n, shape, other)) return NULL;
    }
    if (!simd_is_placed(g, LLVMGetOperand(store, 1))) return NULL;
    return LLVMBuildAnd(n->b, large, is_long(n, shape, LONG_ROW), "");
}

static void write_nest(Items *n, SimdShape shape) {
    LLVMValueRef past = rows_past(n, shape);
    if (!past) {
        write_rows(n, shape);
        return;
    }
    LLVMBasicBlockRef large = new_block(n, "past"), small = new_block(n, "plain"), done = new_block(n, "nest.done");
    LLVMBuildCondBr(n->b, past, large, small);
    LLVMPositionBuilderAtEnd(n->b, large);
    n->rows = ROWS_PAST;
    write_rows(n, shape);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, small);
    n->rows = ROWS_PLAIN;
    write_rows(n, shape);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
    n->rows = ROWS_ASK;
}

/* Taking the scalar nest away -------------------------------------------------------------------------------------- */

typedef Vec(LLVMBasicBlockRef) Blocks;

static Blocks nest_blocks(SimdRegion *g) {
    Blocks all = {0};
    for (int i = 0; i < g->blocks.n; i++) vec_push(g->arena, &all, g->blocks.at[i].bb);
    vec_push(g->arena, &all, g->inner_head);
    vec_push(g->arena, &all, g->exit);
    if (!g->y) return all;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->outer_head);
    vec_push(g->arena, &all, g->outer_head);
    vec_push(g->arena, &all, LLVMGetSuccessor(enter, 0));
    vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->inner_head), 1));
    return all;
}

static void take_away(SimdRegion *g, LLVMBuilderRef b) {
    Blocks all = nest_blocks(g);
    for (int i = 0; i < all.n; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(all.at[i]); v; v = LLVMGetNextInstruction(v))
            if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind) LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
    for (int i = 0; i < all.n; i++) {
        for (LLVMValueRef v; (v = LLVMGetLastInstruction(all.at[i]));) LLVMInstructionEraseFromParent(v);
        LLVMPositionBuilderAtEnd(b, all.at[i]);
        LLVMBuildUnreachable(b); /* with it goes what -g left behind; LLVM would find that in the next block made there */
    }
    for (int i = 0; i < all.n; i++) LLVMDeleteBasicBlock(all.at[i]);
}

/* Rows of up to half a vector, as of the first steps of a Fourier transform, would have vectors with next to nothing
 * in them. They go item by item, in the nest as it was. Where items have loops of their own, a vector with few lanes
 * still goes through them once for all of these. false: the nest is not needed */
static bool keep_for_short_rows(Items *n, int width, LLVMValueRef latch, LLVMBasicBlockRef simd) {
    SimdRegion *g = n->g;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    if (!g->y || g->loops.n || is_known_row(g) || LLVMGetNumSuccessors(enter) != 1) return false;
    LLVMBasicBlockRef head = LLVMGetSuccessor(enter, 0);
    LLVMPositionBuilderBefore(n->b, enter);
    LLVMValueRef items = LLVMBuildNSWSub(n->b, g->x_hi, g->x_lo, "");
    LLVMValueRef is_short = LLVMBuildICmp(n->b, LLVMIntSLE, items, cg_i64(n->cg, width / 2), "");
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(n->b, g->entry_from);
    LLVMBuildCondBr(n->b, is_short, head, simd);
    LLVMMetadataRef no = LLVMValueAsMetadata(LLVMConstInt(n->cg->i1, 0, false));
    say_of_loop(n, latch, "llvm.loop.vectorize.enable", no);
    return true;
}

/* The nest's way in goes to `to`; its way out is after. */
static void enter_from(SimdRegion *g, LLVMBasicBlockRef to) {
    LLVMBasicBlockRef head = g->y ? g->outer_head : g->inner_head;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->entry_from);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (LLVMGetSuccessor(t, i) == head) LLVMSetSuccessor(t, i, to);
}

/* A nest ----------------------------------------------------------------------------------------------------------- */

static bool is_part_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMStructTypeKind || k == LLVMArrayTypeKind || k == LLVMVectorTypeKind;
}

/* Values of several parts that LLVM did not take apart. */
static bool is_supported(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        if (g->blocks.at[value->block].leaves) {
            if (op == LLVMPHI) return simd_refuse(g, "failed checks come together", value->v);
            continue;
        }
        LLVMTypeRef t = LLVMTypeOf(op == LLVMStore ? LLVMGetOperand(value->v, 0) : value->v);
        bool made_of_parts = is_part_type(t) && op != LLVMCall;
        if (made_of_parts) return simd_refuse(g, "it handles a value of several parts as a whole", value->v);
        if (op == LLVMAlloca) return simd_refuse(g, "it makes memory", value->v);
    }
    return !LLVMIsAPHINode(LLVMGetFirstInstruction(g->after)) || simd_refuse(g, "its loop leaves a value behind", NULL);
}

/* Versions --------------------------------------------------------------------------------------------------------- */

/* Accesses whose places side by side nothing shows. */
static int n_apart(const SimdRegion *g) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_store = LLVMIsAStoreInst(value->v), is_access = is_store || LLVMIsALoadInst(value->v);
        if (g->blocks.at[value->block].leaves || !is_access) continue;
        n += simd_rate(g, LLVMGetOperand(value->v, is_store), value->block).x == LANE_VARYING;
    }
    return n;
}

/* Of blocks that begin at a multiple of their size, a power of two; width 0: that would show nothing new. */
static SimdShape shape_if_aligned(SimdRegion *g, const SimdTarget *t) {
    SimdShape s = {0};
    int apart = n_apart(g);
    if (!apart || !simd_find_aligned(g)) return s;
    g->aligned = true;
    s = simd_shape(g, t);
    while (s.vectors & (s.vectors - 1)) s.vectors--;
    if (s.width == 1 || n_apart(g) >= apart) s = (SimdShape){0};
    g->aligned = false;
    simd_shape(g, t); /* the rates of the other version */
    return s;
}

/* Of blocks whose places are apart alike; width 0: there are no such places, of more accesses than one. */
static SimdShape shape_if_spread(SimdRegion *g, const SimdTarget *t, SimdShape s) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        bool is_access = LLVMIsAStoreInst(g->values.at[i].v) || LLVMIsALoadInst(g->values.at[i].v);
        n += is_access && !g->blocks.at[g->values.at[i].block].leaves && simd_is_spread(g, t, &g->values.at[i]);
    }
    return (SimdShape){s.rows, 1, n > 1 ? s.width : 0};
}

/* Once for each gap: how lanes are shuffled is known then. */
static void write_joint(Items *n, SimdShape shape, SimdEmit *e) {
    for (int gap = SIMD_MOST_JOINT; gap > 1; gap /= 2) {
        LLVMBasicBlockRef then = new_block(n, "gap"), otherwise = new_block(n, "else");
        LLVMBuildCondBr(n->b, simd_joint_has(e, gap), then, otherwise);
        LLVMPositionBuilderAtEnd(n->b, then);
        simd_join_by(e, gap);
        write_nest(n, shape);
        LLVMBuildBr(n->b, n->g->after);
        LLVMPositionBuilderAtEnd(n->b, otherwise);
    }
    simd_join_by(e, 1);
    write_nest(n, shape);
}

/* The version that g now says. The builder is left where the next one belongs. */
static void write_version(Items *n, SimdShape shape, const SimdMap *updated) {
    SimdRegion *g = n->g;
    simd_shape(g, n->target);
    simd_blends(g, updated);
    LLVMBasicBlockRef then = new_block(n, "version"), otherwise = new_block(n, "else");
    LLVMValueRef holds = simd_ask_aligned(n->cg, g, n->b, shape.vectors * shape.width);
    SimdEmit e = {.g = g, .target = n->target, .cg = n->cg, .b = n->b, .shape = shape, .x = g->x_lo, .y = g->y_lo};
    LLVMValueRef joined = g->spread ? simd_join(&e) : NULL;
    if (joined) holds = LLVMBuildFreeze(n->b, LLVMBuildAnd(n->b, holds, joined, ""), "");
    LLVMBuildCondBr(n->b, holds, then, otherwise);
    LLVMPositionBuilderAtEnd(n->b, then);
    if (joined) write_joint(n, shape, &e);
    else write_nest(n, shape);
    LLVMBuildBr(n->b, g->after);
    LLVMPositionBuilderAtEnd(n->b, otherwise);
}

static void write_versions(Items *n, SimdShape shape, SimdShape aligned, SimdShape spread, const SimdMap *updated,
                           bool has_ends) {
    SimdRegion *g = n->g;
    g->aligned = true;
    if (aligned.vectors > 1) write_version(n, aligned, updated);
    aligned.vectors = 1; /* the smaller the block, the more masks leave it whole */
    if (aligned.width) write_version(n, aligned, updated);
    g->aligned = false;
    g->spread = true;
    if (spread.width) write_version(n, spread, updated);
    g->spread = false;
    g->joint = NULL;
    if (aligned.width) simd_shape(g, n->target); /* the rates of this version again */
    simd_blends(g, updated);
    n->has_ends = has_ends;
    n->again = !is_known_row(g) && simd_is_idempotent(g);
    write_nest(n, shape);
}

/* Stores past the caches are seen by nobody in order before a fence. Whoever waits for the kernel waits for its return, so
 * there it is, once: in a group, which does not read the array either, it would hold up the stores of every tile. */
static void fence_returns(Cg *cg, LLVMValueRef fn) {
    unsigned id = LLVMLookupIntrinsicID("llvm.x86.sse.sfence", 19);
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(cg->module, id, NULL, 0);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsAReturnInst(t)) continue;
        LLVMPositionBuilderBefore(cg->b, t);
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(t));
        LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fence), fence, NULL, 0, "");
    }
}

/* Short rows whose places in the group's memory are all known: forward.c sees them where they are written out. */
static bool is_written_out(Cg *cg, const SimdRegion *g, LLVMValueRef latch, int width) {
    enum { MOST_VECTORS = 128 };
    int64_t trips = simd_trips(g->x_lo, g->x_hi);
    return LLVMGetMetadata(latch, cg->md_counted) && trips > 0 && trips <= MOST_VECTORS * width && simd_has_known_places(g);
}

static bool vectorize(Cg *cg, const SimdTarget *target, SimdStreams *streams, const SimdMap *updated, LLVMValueRef fn,
                      LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdShape shape;
    bool stages = false;
    for (bool again = true; again; stages |= again) {
        if (!simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) || !simd_privates(&g) || !is_supported(&g)) {
            simd_note_scalar(cg, &g);
            return false;
        }
        shape = simd_shape(&g, target);
        again = shape.width > 1 && simd_stages(cg, &g, target);
    }
    SimdShape aligned = shape_if_aligned(&g, target);
    if (shape.width == 1 && aligned.width) shape = (SimdShape){1, 1, simd_width(&g, target)}; /* for the sake of that version */
    if (shape.width == 1) {
        simd_refuse(&g, "most of it would go lane by lane, which costs more than item by item", NULL);
        simd_note_scalar(cg, &g);
        return false;
    }
    SimdShape spread = aligned.width ? shape_if_spread(&g, target, shape) : (SimdShape){0};
    bool has_ends = simd_find_ends(&g);
    bool written_out = is_written_out(cg, &g, latch, shape.width);
    if (written_out) shape = (SimdShape){1, 1, shape.width};
    simd_note(cg, &g, shape, (SimdVersions){aligned.width > 0, spread.width > 0, has_ends, written_out, stages});
    Items n = {.cg = cg, .g = &g, .target = target, .streams = streams, .b = cg->b, .allocas = LLVMGetEntryBasicBlock(fn)};
    n.written_out = written_out;
    LLVMBasicBlockRef start = new_block(&n, "simd");
    LLVMPositionBuilderAtEnd(n.b, start);
    LLVMSetCurrentDebugLocation2(n.b, LLVMInstructionGetDebugLoc(latch));
    write_versions(&n, shape, aligned, spread, updated, has_ends);
    LLVMBuildBr(n.b, g.after);
    if (keep_for_short_rows(&n, shape.width, latch, start)) return true;
    enter_from(&g, start);
    take_away(&g, n.b);
    return true;
}

/* A module --------------------------------------------------------------------------------------------------------- */

static void run_passes(Cg *cg, LLVMValueRef fn, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = fn ? LLVMRunPassesOnFunction(fn, passes, cg->machine, options)
                            : LLVMRunPasses(cg->module, passes, cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses the passes %s: %s", passes, LLVMGetErrorMessage(error));
}

typedef struct Mark {
    LLVMValueRef fn, items, rows; /* the branches back; rows NULL: one loop */
} Mark;
typedef Vec(Mark) Marks;
typedef Vec(LLVMValueRef) Functions;

/* The branch back of the loop around, which begins where the inner one ends. */
static LLVMValueRef rows_of(Cg *cg, LLVMValueRef latch) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(latch, 0));
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) return NULL;
    LLVMValueRef rows = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(t, 1));
    return LLVMGetMetadata(rows, cg->md_rows) ? rows : NULL;
}

static Marks find_marks(Cg *cg) {
    Marks marks = {0};
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
            LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
            if (!t || !LLVMGetMetadata(t, cg->md_items)) continue;
            Mark m = {fn, t, rows_of(cg, t)};
            vec_push(&cg->c->arena, &marks, m);
        }
    return marks;
}

/* cg_group_memory's calls have done their work. */
static void open_group_memory(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_GROUP_MEMORY);
    if (!fn) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(fn);
}

/* Item by item there is nothing to gain from it. */
static void drop_ahead(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_AHEAD);
    if (!fn) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(fn);
}

static void use_whole_vectors(Cg *cg, const SimdTarget *t, LLVMValueRef fn) {
    const char *bits = arena_printf(&cg->c->arena, "%d", t->vector_bits);
    static const char *const names[2] = {"prefer-vector-width", "min-legal-vector-width"};
    for (int i = 0; i < 2; i++) LLVMAddTargetDependentFunctionAttr(fn, names[i], bits);
}

static SimdTarget machine(Cg *cg) {
    if (LLVMKdslHasFeature(cg->machine, "+avx512f") && LLVMKdslHasFeature(cg->machine, "+avx512vl") &&
        LLVMKdslHasFeature(cg->machine, "+avx512dq") && LLVMKdslHasFeature(cg->machine, "+avx512bw"))
        return (SimdTarget){512, 32, true};
    if (LLVMKdslHasFeature(cg->machine, "+avx2")) return (SimdTarget){256, 16, false};
    return (SimdTarget){128, 16, false};
}

static Functions functions_of(Cg *cg, const Marks *marks) {
    Functions all = {0};
    for (int i = 0; i < marks->n; i++)
        if (!i || marks->at[i].fn != marks->at[i - 1].fn) vec_push(&cg->c->arena, &all, marks->at[i].fn);
    return all;
}

/* The marked nests of the module to vector code. What LLVM has to do before is little and always the same, so that what
 * becomes of a kernel does not depend on -O: calls inlined, memory to registers, values of several parts taken apart. */
void simd_module(Cg *cg) {
    static const char before[] = "unreachableblockelim,sroa,instcombine<no-verify-fixpoint>,scalarizer<load-store>,sroa,early-cse,"
                                 "unreachableblockelim";
    Marks marks = find_marks(cg);
    Functions functions = functions_of(cg, &marks);
    run_passes(cg, NULL, "always-inline");
    for (int i = 0; i < functions.n; i++) run_passes(cg, functions.at[i], before);
    SimdTarget target = machine(cg);
    marks = find_marks(cg);
    SimdStreams streams;
    simd_find_streams(cg, &streams);
    SimdMap *updated = simd_find_updated(cg);
    for (int i = 0; i < marks.n; i++) {
        if (vectorize(cg, &target, &streams, updated, marks.at[i].fn, marks.at[i].items, marks.at[i].rows))
            use_whole_vectors(cg, &target, marks.at[i].fn);
        bool is_last = i + 1 == marks.n || marks.at[i + 1].fn != marks.at[i].fn;
        if (!is_last) continue;
        if (streams.used) fence_returns(cg, marks.at[i].fn);
        streams.used = false;
    }
    drop_ahead(cg);
    for (int i = 0; i < functions.n; i++) run_passes(cg, functions.at[i], "sroa,instsimplify");
    simd_fold_masks(cg);
    for (int i = 0; i < functions.n; i++) simd_forward(cg, functions.at[i]);
    open_group_memory(cg);
}
