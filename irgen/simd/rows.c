/* rows.c -- peeling, strip-mining and tails: writes the rows of a nest as its plan says. A row is a prologue up to an
 * aligned address, whole blocks, and a tail, vector by vector, under a mask or overlapping; rows of arrays larger than
 * the caches have non-temporal stores. */
#include "irgen/simd/nest.h"

/* Aligned rows --------------------------------------------------------------------------------------------------- */

static LLVMValueRef smaller(Items *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef larger(Items *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, a, b, ""), a, b, "");
}

/* May this store of the block at x go past the caches? Where its rows begin at multiples of `unit` bytes. NULL: no. */
static LLVMValueRef goes_past(Items *n, SimdShape shape, LLVMValueRef store, LLVMValueRef x, LLVMValueRef y,
                              int64_t unit) {
    LLVMValueRef past = simd_is_streamed(n->streams, store, nest_vector_bytes(n->g, shape, store));
    for (int row = 0; row < shape.rows && past; row++) {
        LLVMValueRef below = row ? LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, row), "") : y;
        LLVMValueRef at = simd_at(n->g, n->b, LLVMGetOperand(store, 1), x, below);
        if (!at) return NULL;
        at = LLVMBuildAnd(n->b, LLVMBuildPtrToInt(n->b, at, n->cg->i64, ""), cg_i64(n->cg, unit - 1), "");
        past = LLVMBuildAnd(n->b, past, LLVMBuildICmp(n->b, LLVMIntEQ, at, cg_i64(n->cg, 0), ""), "");
    }
    return past;
}

/* Whether the stores that go past the caches at times can do so here, all of them; NULL: there are none. n->past has
 * them. lines: only those that fill lines of memory with each block. */
static LLVMValueRef all_go_past(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool lines) {
    SimdRegion *g = n->g;
    LLVMValueRef all = NULL;
    n->past = value_map_new(g->arena, 4);
    for (int i = 0; i < g->values.n && (lines || shape.rows == 1); i++) {
        LLVMValueRef store = g->values.at[i].v;
        if (!nest_is_row_store(g, &g->values.at[i], n->settled)) continue;
        int64_t vector = nest_vector_bytes(g, shape, store);
        if (lines && vector * shape.vectors % SIMD_LINE) continue;
        LLVMValueRef past = goes_past(n, shape, store, x, y, lines ? SIMD_LINE : vector);
        if (!past) continue;
        all = all ? LLVMBuildAnd(n->b, all, past, "") : past;
        value_map_put(n->past, store, 1);
    }
    return all;
}

/* More than none, but less than a vector? */
static LLVMValueRef is_piece(Items *n, SimdShape shape, LLVMValueRef items) {
    LLVMValueRef before = LLVMBuildNSWSub(n->b, items, cg_i64(n->cg, 1), "");
    return LLVMBuildICmp(n->b, LLVMIntULT, before, cg_i64(n->cg, shape.width - 1), "");
}

/* Where the row's aligned part begins: x_lo, or less than a vector behind it; less than a cache line if it is written
 * past the caches, which goes well for whole lines. from NULL: no matter. */
typedef struct AlignedRow {
    LLVMValueRef from, past; /* past: is it written so? NULL: never */
    int most;                /* vectors before it */
} AlignedRow;

enum { LONG_ROW = NEST_LONG_ROW, LONG_MASKED_ROW = 64 }; /* vectors of a row that gains from it */

static LLVMValueRef is_long(Items *n, SimdShape shape, int vectors) {
    LLVMValueRef length = LLVMBuildNSWSub(n->b, n->g->x_hi, n->g->x_lo, "");
    return LLVMBuildICmp(n->b, LLVMIntSGE, length, cg_i64(n->cg, vectors * shape.width), "");
}

static LLVMValueRef is_large(Items *n, SimdShape shape, LLVMValueRef store) {
    bool never = n->v->stream == STREAM_NONE || n->rows == ROWS_CACHED;
    LLVMValueRef large = never ? NULL : simd_is_streamed(n->streams, store, nest_vector_bytes(n->g, shape, store));
    return large && n->rows == ROWS_STREAMED ? LLVMConstInt(n->cg->i1, 1, false) : large;
}

static AlignedRow aligned_row(Items *n, SimdShape shape, LLVMValueRef y) {
    SimdRegion *g = n->g;
    LLVMValueRef store = n->v->align, at = store ? simd_at(g, n->b, LLVMGetOperand(store, 1), g->x_lo, y) : NULL;
    if (!at) return (AlignedRow){0};
    int64_t vector = nest_vector_bytes(g, shape, store), per_line = SIMD_LINE * shape.width / vector;
    LLVMValueRef large = is_large(n, shape, store), line = cg_i64(n->cg, (g->loops.n ? SIMD_LINE : vector) - 1);
    if (large && vector < SIMD_LINE) line = LLVMBuildSelect(n->b, large, cg_i64(n->cg, SIMD_LINE - 1), line, "");
    LLVMValueRef over = LLVMBuildNeg(n->b, LLVMBuildPtrToInt(n->b, at, n->cg->i64, ""), "");
    over = LLVMBuildAnd(n->b, over, line, "");
    LLVMValueRef items = LLVMBuildUDiv(n->b, over, cg_i64(n->cg, vector / shape.width), "");
    if (n->v->idempotent &&
        large) { /* what is done again would not be past the caches: a line more holds a whole vector */
        LLVMValueRef more = LLVMBuildNSWAdd(n->b, items, cg_i64(n->cg, per_line), "");
        LLVMValueRef is_less = LLVMBuildAnd(n->b, large, is_piece(n, shape, items), "");
        items = LLVMBuildSelect(n->b, is_less, more, items, "");
    }
    LLVMValueRef gains = is_long(n, shape, g->loops.n || n->v->idempotent ? LONG_ROW : LONG_MASKED_ROW);
    if (n->rows != ROWS_STREAMED) items = LLVMBuildSelect(n->b, gains, items, cg_i64(n->cg, 0), "");
    LLVMValueRef from = LLVMBuildNSWAdd(n->b, g->x_lo, items, "");
    LLVMValueRef past = n->v->stream == STREAM_ROW ? all_go_past(n, shape, from, y, false) : NULL;
    if (past) { /* one that begins with a line has less to lose */
        LLVMValueRef whole = LLVMBuildICmp(n->b, LLVMIntEQ, over, cg_i64(n->cg, 0), "");
        whole = LLVMBuildAnd(n->b, whole, is_long(n, shape, LONG_ROW), "");
        past = LLVMBuildAnd(n->b, past, LLVMBuildOr(n->b, gains, whole, ""), "");
    }
    return (AlignedRow){from, past, (int)(per_line + 2 * shape.width - 2) / shape.width};
}

/* Rows ----------------------------------------------------------------------------------------------------------- */

static void write_whole(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past);

/* The items of a block one vector after the other, as they may part; most vectors of it are still inside. */
static void write_edge(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y) {
    if (shape.rows > 1) {
        LLVMValueRef row = nest_counter(n, y, "y");
        Loop rows = nest_loop_begin(n, row, NULL, LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows), ""), 1, false,
                                    "edge.rows");
        write_edge(n, (SimdShape){1, shape.vectors, shape.width}, x, rows.at);
        nest_loop_end(n, &rows);
        return;
    }
    if (shape.vectors == 1) {
        nest_write_block(n, shape, x, y, NULL, false);
        return;
    }
    LLVMValueRef at = nest_counter(n, x, "x"),
                 hi = LLVMBuildNSWAdd(n->b, x, cg_i64(n->cg, shape.vectors * shape.width), "");
    Loop vectors = nest_loop_begin(n, at, NULL, hi, shape.width, false, "edge");
    write_whole(n, (SimdShape){1, 1, shape.width}, vectors.at, y, false);
    nest_loop_end(n, &vectors);
}

/* Rows of a known length, a group's mostly, begin where they begin: each block is asked whether it fills lines. */
static void write_inside(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past) {
    LLVMValueRef fills = n->v->stream == STREAM_BLOCK ? all_go_past(n, shape, x, y, true) : NULL;
    if (!fills) {
        nest_write_block(n, shape, x, y, NULL, past);
        return;
    }
    LLVMBasicBlockRef lines = nest_block(n, "lines"), plain = nest_block(n, "plain"),
                      done = nest_block(n, "lines.done");
    LLVMBuildCondBr(n->b, fills, lines, plain);
    LLVMPositionBuilderAtEnd(n->b, lines);
    nest_write_block(n, shape, x, y, NULL, true);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, plain);
    nest_write_block(n, shape, x, y, NULL, false);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* Goes to `done`, if the block is inside; the builder is left where it is not. fits: another condition, or NULL. */
static void write_if_inside(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past, LLVMValueRef fits,
                            LLVMBasicBlockRef done) {
    LLVMBasicBlockRef inside = nest_block(n, "inside"), edge = nest_block(n, "edge");
    LLVMValueRef is_inside = simd_all_inside(n->g, n->b, shape, x, y);
    if (fits) is_inside = LLVMBuildAnd(n->b, fits, is_inside, "");
    LLVMBuildCondBr(n->b, is_inside, inside, edge);
    LLVMPositionBuilderAtEnd(n->b, inside);
    n->settled = true;
    simd_rates_settled(n->g, true);
    write_inside(n, shape, x, y, past);
    n->settled = false;
    simd_rates_settled(n->g, false);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, edge);
}

/* The blocks of a band that are below one another: they access the same lines of memory. */
static void write_band(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past) {
    LLVMValueRef at = nest_counter(n, y, "y");
    Loop blocks = nest_loop_begin(n, at, NULL, n->band_end, shape.rows, false, "band");
    write_inside(n, shape, x, blocks.at, past);
    nest_loop_end(n, &blocks);
}

static void write_whole(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past) {
    if (!n->v->split) {
        if (n->band_end) write_band(n, shape, x, y, past);
        else write_inside(n, shape, x, y, past);
        return;
    }
    LLVMBasicBlockRef done = nest_block(n, "block.done");
    write_if_inside(n, shape, x, y, past, NULL, done);
    bool was_rare = n->rare;
    n->rare = true;
    write_edge(n, shape, x, y);
    n->rare = was_rare;
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* The end of the row, or less, if a part of a vector is left after whole blocks: that would be a piece of the last
 * block again, which has gone past the caches. */
static LLVMValueRef leaving_a_vector(Items *n, SimdShape shape, LLVMValueRef from) {
    LLVMValueRef hi = n->g->x_hi, block = cg_i64(n->cg, shape.vectors * shape.width);
    LLVMValueRef left = LLVMBuildURem(n->b, LLVMBuildNSWSub(n->b, hi, from, ""), block, "");
    return LLVMBuildSelect(n->b, is_piece(n, shape, left), LLVMBuildNSWSub(n->b, hi, block, ""), hi, "");
}

/* Blocks, and vectors, that are inside; for a vector that is not, the row goes its way, whose code has masks. */
static void write_vectors_inside(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, bool past,
                                 const SimdAhead *ahead) {
    LLVMValueRef from = ahead ? nest_count(n, x) : NULL;
    int block = shape.vectors * shape.width;
    Loop vectors = nest_loop_begin(n, x, n->g->x_lo, hi, shape.width, true, "vectors");
    LLVMBasicBlockRef whole = nest_block(n, "whole"), next = nest_block(n, "vectors.next");
    if (ahead) simd_fetch_ahead(n->cg, ahead, LLVMBuildNSWSub(n->b, vectors.at, from, ""), block);
    LLVMValueRef end = LLVMBuildNSWAdd(n->b, vectors.at, cg_i64(n->cg, block), "");
    LLVMValueRef fits = shape.vectors > 1 ? LLVMBuildICmp(n->b, LLVMIntSLE, end, hi, "") : NULL;
    write_if_inside(n, shape, vectors.at, y, past, fits, whole);
    if (shape.vectors > 1)
        write_if_inside(n, (SimdShape){shape.rows, 1, shape.width}, vectors.at, y, false, NULL, next);
    LLVMBuildStore(n->b, LLVMBuildNSWAdd(n->b, vectors.at, cg_i64(n->cg, shape.width), ""), n->edges.hi);
    LLVMBuildBr(n->b, n->edges.part);
    LLVMPositionBuilderAtEnd(n->b, whole);
    nest_step(n, x, block - shape.width);
    LLVMBuildBr(n->b, next);
    LLVMPositionBuilderAtEnd(n->b, next);
    nest_loop_end(n, &vectors);
}

/* ahead NULL: nothing is asked for before */
static void write_vectors(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, bool past,
                          const SimdAhead *ahead) {
    LLVMValueRef from = ahead ? nest_count(n, x) : NULL, hi = n->g->x_hi;
    if (past && n->v->idempotent) hi = leaving_a_vector(n, shape, from);
    if (n->edges.part) {
        write_vectors_inside(n, shape, x, y, hi, past, ahead);
        return;
    }
    Loop whole = nest_loop_begin(n, x, n->g->x_lo, hi, shape.vectors * shape.width, true, "vectors");
    if (ahead) simd_fetch_ahead(n->cg, ahead, LLVMBuildNSWSub(n->b, whole.at, from, ""), shape.vectors * shape.width);
    write_whole(n, shape, whole.at, y, past);
    nest_loop_end(n, &whole);
}

/* Twice, where a row as a whole is written past the caches or not: the loops have nothing to ask. */
static void write_aligned(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef past) {
    if (!past) {
        write_vectors(n, shape, x, y, false, NULL);
        return;
    }
    LLVMBasicBlockRef large = nest_block(n, "past"), small = nest_block(n, "plain"),
                      done = nest_block(n, "aligned.done");
    LLVMBuildCondBr(n->b, past, large, small);
    LLVMPositionBuilderAtEnd(n->b, large);
    SimdAhead ahead = simd_reads_ahead(n->cg, n->g, nest_count(n, x), y);
    write_vectors(n, shape, x, y, true, &ahead);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, small);
    write_vectors(n, shape, x, y, false, NULL);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* Of a vector under a mask that has all its items nearly always, do accesses cost much more than without? With mask
 * registers the loads of a loop are no longer parts of the operations that use them. */
static bool is_dear_under_mask(const Items *n) {
    const SimdRegion *g = n->g;
    if (n->v->split) return false;
    if (n->target->mask_registers) return g->loops.n && !simd_n_apart(g);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!simd_is_access(value->v) || value->private_of >= 0 || g->blocks.at[value->block].leaves) continue;
        bool is_small = simd_bytes(g, simd_element(value->v)) < 4;
        if (value->parts >= 0 || (is_small && simd_is_beside(g, value))) return true;
    }
    return false;
}

/* Rows that edges part go one by one: where one is not inside, it reads nothing. So do those without a loop: at the end
 * of a row they have little to share, and it would be the code of all of them. */
static void write_piece(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    bool is_block = shape.rows == 1 || (!n->v->split && n->g->loops.n);
    if (is_block && !n->band_end) {
        nest_write_block(n, shape, x, y, hi, false);
        return;
    }
    if (is_block) {
        Loop blocks = nest_loop_begin(n, nest_counter(n, y, "y"), NULL, n->band_end, shape.rows, false, "piece.band");
        nest_write_block(n, shape, x, blocks.at, hi, false);
        nest_loop_end(n, &blocks);
        return;
    }
    LLVMValueRef row = nest_counter(n, y, "y");
    LLVMValueRef end = n->band_end ? n->band_end : LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows), "");
    Loop rows = nest_loop_begin(n, row, NULL, end, 1, false, "piece.rows");
    nest_write_block(n, (SimdShape){1, 1, shape.width}, x, rows.at, hi, false);
    nest_loop_end(n, &rows);
}

/* A vector of items from `at` on; nearer to the beginning or the end of the row, if it would pass that or `hi`. */
static void write_clamped(Items *n, SimdShape shape, LLVMValueRef at, LLVMValueRef y, LLVMValueRef hi) {
    LLVMValueRef last = LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, shape.width), "");
    bool was_rare = n->rare;
    n->rare = true;
    write_piece(n, (SimdShape){shape.rows, 1, shape.width}, larger(n, smaller(n, at, last), n->g->x_lo), y, NULL);
    n->rare = was_rare;
}

/* Up to `hi`, in vectors of which the last one ends there, or begins with the row; x is left at hi. */
static void write_again(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    Loop pieces = nest_loop_begin(n, x, NULL, hi, shape.width, false, "again");
    write_clamped(n, shape, pieces.at, y, hi);
    LLVMValueRef next = LLVMBuildNSWAdd(n->b, nest_count(n, x), cg_i64(n->cg, shape.width), "");
    LLVMBuildStore(n->b, smaller(n, next, hi), x);
    LLVMBuildBr(n->b, pieces.head);
    LLVMPositionBuilderAtEnd(n->b, pieces.done);
}

/* The same without a loop, whose end the machine would guess wrong, and then have nothing on its way from memory: up to
 * `most` vectors, the last ones again where that is too many. */
static void write_straight(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, int most) {
    LLVMBasicBlockRef some = nest_block(n, "straight"), done = nest_block(n, "straight.done");
    LLVMValueRef at = nest_count(n, x);
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
    Loop pieces = nest_loop_begin(n, x, NULL, hi, shape.width, false, "pieces");
    write_piece(n, (SimdShape){shape.rows, 1, shape.width}, pieces.at, y, hi);
    LLVMValueRef next = LLVMBuildNSWAdd(n->b, nest_count(n, x), cg_i64(n->cg, shape.width), "");
    LLVMBuildStore(n->b, smaller(n, next, hi), x);
    LLVMBuildBr(n->b, pieces.head);
    LLVMPositionBuilderAtEnd(n->b, pieces.done);
}

/* Are the items at edges written one by one? Others of their vector are inside, which takes masks. */
static bool has_items_at_edges(const Items *n) { return n->v->split && !n->g->loops.n && simd_has_thin_edges(n->g); }

/* How many items from `at` on are inside, of those up to `end`: all of them, or all but 1, 2, 4, 8 ... at the end. */
static LLVMValueRef count_inside(Items *n, LLVMValueRef at, LLVMValueRef end, LLVMValueRef y) {
    LLVMValueRef cut = nest_counter(n, cg_i64(n->cg, 0), "cut");
    LLVMBasicBlockRef head = nest_block(n, "cut"), test = nest_block(n, "cut.test"), more = nest_block(n, "cut.more"),
                      done = nest_block(n, "cut.done");
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    LLVMValueRef off = nest_count(n, cut), left = LLVMBuildNSWSub(n->b, LLVMBuildNSWSub(n->b, end, at, ""), off, "");
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, left, cg_i64(n->cg, 0), ""), test, done);
    LLVMPositionBuilderAtEnd(n->b, test);
    LLVMValueRef last = LLVMBuildNSWSub(n->b, LLVMBuildNSWAdd(n->b, at, left, ""), cg_i64(n->cg, 1), "");
    LLVMBuildCondBr(n->b, simd_inside_upto(n->g, n->b, 1, at, last, y), done, more);
    LLVMPositionBuilderAtEnd(n->b, more);
    LLVMValueRef twice = LLVMBuildShl(n->b, off, cg_i64(n->cg, 1), "");
    LLVMBuildStore(n->b, larger(n, twice, cg_i64(n->cg, 1)), cut);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, done);
    return left;
}

/* Up to `hi`, for rows with thin edges: what is inside in vectors under masks, the rest item by item; x is left at hi.
 */
static void write_thin(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    SimdShape one = {1, 1, shape.width};
    LLVMValueRef from = nest_count(n, x), row = y;
    Loop rows = {0};
    if (shape.rows > 1) {
        LLVMValueRef bottom = LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows), "");
        rows = nest_loop_begin(n, nest_counter(n, y, "y"), NULL, bottom, 1, false, "thin.rows");
        row = rows.at;
    }
    LLVMValueRef at = nest_counter(n, from, "x");
    Loop pieces = nest_loop_begin(n, at, NULL, hi, 1, false, "thin");
    LLVMValueRef end = smaller(n, LLVMBuildNSWAdd(n->b, pieces.at, cg_i64(n->cg, shape.width), ""), hi);
    LLVMValueRef inside = count_inside(n, pieces.at, end, row);
    LLVMBasicBlockRef some = nest_block(n, "thin.inside"), none = nest_block(n, "thin.item"),
                      next = nest_block(n, "thin.next");
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, inside, cg_i64(n->cg, 0), ""), some, none);
    LLVMPositionBuilderAtEnd(n->b, some);
    LLVMValueRef upto = LLVMBuildNSWAdd(n->b, pieces.at, inside, "");
    n->settled = true;
    simd_rates_settled(n->g, true);
    nest_write_block(n, one, pieces.at, row, upto, false);
    n->settled = false;
    simd_rates_settled(n->g, false);
    LLVMBuildStore(n->b, upto, at);
    LLVMBuildBr(n->b, next);
    LLVMPositionBuilderAtEnd(n->b, none);
    nest_write_block(n, (SimdShape){1, 1, 1}, pieces.at, row, NULL, false);
    nest_step(n, at, 1);
    LLVMBuildBr(n->b, next);
    LLVMPositionBuilderAtEnd(n->b, next);
    LLVMBuildBr(n->b, pieces.head);
    LLVMPositionBuilderAtEnd(n->b, pieces.done);
    if (shape.rows > 1) nest_loop_end(n, &rows);
    LLVMBuildStore(n->b, hi, x);
}

/* Is the row at least a vector long? The builder is left where it is; what is for shorter ones goes to *is_short. */
static LLVMBasicBlockRef if_long(Items *n, SimdShape shape, LLVMBasicBlockRef *is_short) {
    LLVMBasicBlockRef whole = nest_block(n, "long"), done = nest_block(n, "row.end");
    *is_short = nest_block(n, "short");
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

/* Many vectors before `hi`, but no whole block: one block, under masks where the machine has registers for them; half a
 * block elsewhere. */
static void write_many(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    if (!n->target->mask_registers) {
        SimdShape half = {shape.rows, shape.vectors / 2, shape.width};
        if (half.vectors < n->g->tail_vectors || half.vectors == 1) return;
        Loop whole = nest_loop_begin(n, x, NULL, hi, half.vectors * half.width, true, "halves");
        write_whole(n, half, whole.at, y, false);
        nest_loop_end(n, &whole);
        return;
    }
    LLVMBasicBlockRef many = nest_block(n, "many"), few = nest_block(n, "few");
    LLVMValueRef at = nest_count(n, x), left = LLVMBuildNSWSub(n->b, hi, at, "");
    LLVMValueRef least = cg_i64(n->cg, (n->g->tail_vectors - 1) * shape.width);
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, left, least, ""), many, few);
    LLVMPositionBuilderAtEnd(n->b, many);
    nest_write_block(n, shape, at, y, hi, false);
    LLVMValueRef end = LLVMBuildNSWAdd(n->b, at, cg_i64(n->cg, shape.vectors * shape.width), "");
    LLVMBuildStore(n->b, smaller(n, end, hi), x);
    LLVMBuildBr(n->b, few);
    LLVMPositionBuilderAtEnd(n->b, few);
}

/* Vectors, then one of half as many lanes, if there are so many items, and so on: none needs a mask. */
static void write_halved(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    SimdShape one = {shape.rows, 1, shape.width};
    Loop whole = nest_loop_begin(n, x, NULL, hi, one.width, true, "singles");
    write_whole(n, one, whole.at, y, false);
    nest_loop_end(n, &whole);
    for (int width = shape.width / 2; width >= 1; width /= 2) {
        LLVMBasicBlockRef some = nest_block(n, "half"), less = nest_block(n, "less");
        LLVMValueRef at = nest_count(n, x), left = LLVMBuildNSWSub(n->b, hi, at, "");
        LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSGE, left, cg_i64(n->cg, width), ""), some, less);
        LLVMPositionBuilderAtEnd(n->b, some);
        write_piece(n, (SimdShape){shape.rows, 1, width}, at, y, NULL);
        nest_step(n, x, width);
        LLVMBuildBr(n->b, less);
        LLVMPositionBuilderAtEnd(n->b, less);
    }
}

void nest_write_pieces(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi) {
    if (n->v->tail == TAIL_HALVED && !n->v->split && !n->edges.part) {
        write_halved(n, shape, x, y, hi);
        return;
    }
    if (n->v->tail != TAIL_OVERLAPPED) {
        bool is_block = shape.vectors == n->v->shape.vectors && !n->v->split && !n->band_end;
        if (is_block && n->g->tail_vectors) write_many(n, shape, x, y, hi);
        if (shape.vectors > 1 && is_dear_under_mask(n)) {
            Loop whole = nest_loop_begin(n, x, NULL, hi, shape.width, true, "singles");
            write_whole(n, (SimdShape){shape.rows, 1, shape.width}, whole.at, y, false);
            nest_loop_end(n, &whole);
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

/* A row that begins anywhere and ends where a block ends: blocks begin at multiples of their size, the first with what
 * is left of it. So what one part of a group writes lies in memory as the next one reads it, vector by vector, and only
 * the first vector has a mask. */
static void write_row_to_end(Items *n, SimdShape shape, LLVMValueRef y) {
    SimdRegion *g = n->g;
    SimdShape one = {shape.rows, 1, shape.width};
    LLVMValueRef first = LLVMBuildAnd(n->b, g->x_lo, cg_i64(n->cg, -shape.width), ""), x = nest_counter(n, first, "x");
    LLVMBasicBlockRef begin = nest_block(n, "begin"), whole = nest_block(n, "begun");
    LLVMValueRef later = LLVMBuildICmp(n->b, LLVMIntSLT, first, g->x_lo, "");
    later = LLVMBuildAnd(n->b, later, LLVMBuildICmp(n->b, LLVMIntSLT, first, g->x_hi, ""), "");
    LLVMBuildCondBr(n->b, later, begin, whole);
    LLVMPositionBuilderAtEnd(n->b, begin);
    nest_write_begin(n, one, first, y, g->x_lo);
    nest_step(n, x, shape.width);
    LLVMBuildBr(n->b, whole);
    LLVMPositionBuilderAtEnd(n->b, whole);
    if (shape.vectors > 1) { /* up to a multiple of a block */
        LLVMValueRef block = cg_i64(n->cg, shape.vectors * shape.width), at = nest_count(n, x);
        LLVMValueRef past =
            LLVMBuildAnd(n->b, LLVMBuildNeg(n->b, at, ""), LLVMBuildSub(n->b, block, cg_i64(n->cg, 1), ""), "");
        LLVMValueRef upto = smaller(n, LLVMBuildAdd(n->b, at, past, ""), g->x_hi);
        Loop singles = nest_loop_begin(n, x, NULL, upto, shape.width, false, "singles");
        write_whole(n, one, singles.at, y, false);
        nest_loop_end(n, &singles);
    }
    Loop blocks = nest_loop_begin(n, x, NULL, g->x_hi, shape.vectors * shape.width, false, "vectors");
    write_whole(n, shape, blocks.at, y, false);
    nest_loop_end(n, &blocks);
}

/* Vector by vector, from multiples of a vector on. */
static void write_out(Items *n, int width) {
    SimdRegion *g = n->g;
    int64_t lo = LLVMConstIntGetSExtValue(g->x_lo), hi = LLVMConstIntGetSExtValue(g->x_hi);
    for (int64_t x = lo / width * width; x < hi; x += width) {
        SimdEmit e = {.g = g,
                      .target = n->target,
                      .streams = n->streams,
                      .cg = n->cg,
                      .b = n->b,
                      .allocas = n->allocas,
                      .shape = {1, 1, width}};
        LLVMValueRef at = cg_i64(n->cg, x), mask = NULL;
        if (x < lo) mask = nest_begun_mask(&e, at, g->x_lo);
        if (x + width > hi)
            mask = mask ? LLVMBuildAnd(n->b, mask, nest_row_mask(&e, at, g->x_hi), "") : nest_row_mask(&e, at, g->x_hi);
        simd_region_emit(&e, at, NULL, mask ? &mask : NULL);
    }
}

/* A row that is written past the caches: what comes before its aligned part, and behind its blocks, without loops. */
static void write_straight_row(Items *n, SimdShape shape, LLVMValueRef y) {
    AlignedRow row = aligned_row(n, shape, y);
    LLVMValueRef x = nest_counter(n, n->g->x_lo, "x");
    write_straight(n, shape, x, y, row.from, row.most);
    SimdAhead ahead = simd_reads_ahead(n->cg, n->g, row.from, y);
    write_vectors(n, shape, x, y, true, &ahead);
    write_straight(n, shape, x, y, n->g->x_hi, shape.vectors + 1);
}

/* With mask registers, masks cost nothing but where each lane takes a branch. */
static bool edges_are_epilogues(const Items *n) {
    return n->v->split && n->target->mask_registers && !nest_has_constant_rows(n->g) && !simd_makes_by_lane(n->g);
}

/* First what is not aligned, then whole vectors, then what is left; the code for the first and the last is the same.
 * With mask registers a vector at an edge takes the same code. */
static void write_row(Items *n, SimdShape shape, LLVMValueRef y) {
    if (n->v->unrolled) {
        write_out(n, shape.width);
        return;
    }
    if (n->rows == ROWS_STREAMED) {
        write_straight_row(n, shape, y);
        return;
    }
    AlignedRow row = aligned_row(n, shape, y);
    if (n->v->start == START_MULTIPLE) {
        write_row_to_end(n, shape, y);
        return;
    }
    LLVMValueRef x = nest_counter(n, n->g->x_lo, "x");
    bool filled = is_filled(n->g->x_lo, n->g->x_hi, shape.vectors * shape.width);
    bool masked_edges = edges_are_epilogues(n);
    if (!row.from && !masked_edges) {
        write_vectors(n, shape, x, y, false, NULL);
        if (!filled) nest_write_pieces(n, shape, x, y, n->g->x_hi);
        return;
    }
    LLVMValueRef hi = nest_counter(n, row.from ? row.from : n->g->x_lo, "hi");
    LLVMBasicBlockRef part = nest_block(n, "part"), middle = nest_block(n, "middle"), done = nest_block(n, "row.done");
    if (masked_edges) n->edges = (EdgeWay){part, hi};
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, part);
    LLVMValueRef upto = nest_count(n, hi);
    if (masked_edges && has_items_at_edges(n)) write_thin(n, shape, x, y, upto);
    else nest_write_pieces(n, shape, x, y, upto);
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntEQ, upto, n->g->x_hi, ""), done, middle);
    LLVMPositionBuilderAtEnd(n->b, middle);
    write_aligned(n, shape, x, y, row.past);
    n->edges = (EdgeWay){0};
    LLVMBuildStore(n->b, n->g->x_hi, hi);
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* Not of short rows between constants, whose code is as it is because of these. */
static bool is_trimmed(const Items *n) {
    enum { LEAST_ITEMS = 64 };
    int64_t trips = simd_trips(n->g->x_lo, n->g->x_hi);
    return !n->v->unrolled && n->v->start != START_MULTIPLE && (!trips || trips >= LEAST_ITEMS);
}

/* Blocks and tails of n->g->x_lo..x_hi, or, where masks are enough, vector by vector. */
void nest_write_part(Items *n, SimdShape shape, LLVMValueRef y, bool masked) {
    if (masked) write_masked(n, shape, nest_counter(n, n->g->x_lo, "x"), y, n->g->x_hi);
    else write_row(n, shape, y);
}

/* Without places at its ends where no item does anything. */
static void write_trimmed_row(Items *n, SimdShape shape, LLVMValueRef y, bool masked) {
    SimdRegion *g = n->g;
    LLVMValueRef lo = g->x_lo, hi = g->x_hi, last = NULL;
    if (n->band_end) last = LLVMBuildNSWSub(n->b, n->band_end, cg_i64(n->cg, 1), "");
    else if (shape.rows > 1) last = LLVMBuildNSWAdd(n->b, y, cg_i64(n->cg, shape.rows - 1), "");
    if (is_trimmed(n)) nest_trim(g, y, last);
    nest_write_part(n, shape, y, masked);
    g->x_lo = lo;
    g->x_hi = hi;
}

/* Rows that fill no block of several: with mask registers a vector under a mask takes little longer than one without,
 * so the row is one loop, in place of three. */
static bool masks_are_enough(const Items *n, SimdShape shape) {
    bool any_way = n->v->unrolled || n->v->start == START_MULTIPLE || is_filled(n->g->x_lo, n->g->x_hi, shape.width);
    return shape.rows > 1 && n->target->mask_registers && !any_way && n->v->tail != TAIL_HALVED;
}

/* All blocks of several rows, band by band; y is left after them. */
static void write_bands(Items *n, SimdShape shape, LLVMValueRef y) {
    SimdRegion *g = n->g;
    int by = n->v->band * shape.rows;
    LLVMValueRef length = larger(n, LLVMBuildNSWSub(n->b, g->y_hi, g->y_lo, ""), cg_i64(n->cg, 0));
    LLVMValueRef rest = LLVMBuildURem(n->b, length, cg_i64(n->cg, shape.rows), "");
    LLVMValueRef end = LLVMBuildNSWAdd(n->b, g->y_lo, LLVMBuildNSWSub(n->b, length, rest, ""), "");
    Loop bands = nest_loop_begin(n, y, NULL, end, by, false, "bands");
    n->band_end = smaller(n, LLVMBuildNSWAdd(n->b, bands.at, cg_i64(n->cg, by), ""), end);
    write_trimmed_row(n, shape, bands.at, false);
    n->band_end = NULL;
    nest_loop_end(n, &bands);
    LLVMBuildStore(n->b, end, y);
}

static void write_rows(Items *n, SimdShape shape) {
    SimdRegion *g = n->g;
    SimdShape one = {1, shape.rows > 1 ? g->row_vectors : shape.vectors, shape.width};
    bool masked = one.vectors == 1 && masks_are_enough(n, shape);
    if (!g->y) {
        if (n->interior.lo) nest_write_split_row(n, shape, NULL);
        else write_row(n, shape, NULL);
        return;
    }
    if (n->interior.lo && shape.rows > 1) {
        nest_write_split_rows(n, shape, one, masked);
        return;
    }
    LLVMValueRef y = nest_counter(n, g->y_lo, "y");
    if (shape.rows > 1 && n->v->band > 1) {
        write_bands(n, shape, y);
    } else if (shape.rows > 1) {
        Loop rows = nest_loop_begin(n, y, g->y_lo, g->y_hi, shape.rows, true, "rows");
        write_trimmed_row(n, shape, rows.at, false);
        nest_loop_end(n, &rows);
        if (is_filled(g->y_lo, g->y_hi, shape.rows)) return;
    }
    n->rare = shape.rows > 1;
    Loop row = nest_loop_begin(n, y, NULL, g->y_hi, 1, false, "row");
    if (n->interior.lo) nest_write_split_row(n, one, row.at);
    else write_trimmed_row(n, one, row.at, masked);
    nest_loop_end(n, &row);
    n->rare = false;
}

/* Vectors that fill a line, or are whole ones: memory has enough to do with them, and ends are short. */
static int lines_vectors(const Items *n, SimdShape shape) {
    int64_t per_line = SIMD_LINE / nest_vector_bytes(n->g, shape, n->v->align);
    return per_line > 1 && per_line < shape.vectors ? (int)per_line : per_line > 1 ? shape.vectors : 1;
}

static void write_nest(Items *n) {
    SimdShape shape = n->v->shape;
    if (n->v->stream != STREAM_NEST) {
        write_rows(n, shape);
        return;
    }
    n->past = value_map_new(n->g->arena, 1);
    value_map_put(n->past, n->v->align, 1);
    LLVMValueRef past = LLVMBuildAnd(n->b, is_large(n, shape, n->v->align), is_long(n, shape, LONG_ROW), "");
    LLVMBasicBlockRef large = nest_block(n, "past"), small = nest_block(n, "plain"), done = nest_block(n, "nest.done");
    LLVMBuildCondBr(n->b, past, large, small);
    LLVMPositionBuilderAtEnd(n->b, large);
    n->rows = ROWS_STREAMED;
    write_rows(n, (SimdShape){1, lines_vectors(n, shape), shape.width});
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, small);
    n->rows = ROWS_CACHED;
    write_rows(n, shape);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
    n->rows = ROWS_TESTED;
}

void nest_write(Items *n) {
    const NestVersion *v = n->v;
    NestVersion parts = *v;
    if (v->split == SPLIT_ROWS) { /* neither the interior nor what is around it has edges */
        n->interior = nest_interior(n);
        parts.split = SPLIT_NONE;
        n->v = &parts;
    }
    write_nest(n);
    n->interior = (Interior){0};
    n->v = v;
}
