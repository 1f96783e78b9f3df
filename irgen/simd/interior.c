/* interior.c -- index-set splitting of rows. Where the places that a condition is about lie near the ends of a row, as
 * of `j > 0`, `min(j + 1, n - 1)` and `(j + 1) % n`, and are the same in all rows, the items inside are one part of
 * each row:
 *
 *     for j in 0..n { ... }   ==>   for j in 1..n - 1 { ... }   for j in 0, n - 1 { ... }
 *
 * The part is found before the nest, from an item inside: an end of it moves inwards until all items between have the
 * wanted answers (ends.c), by one item first, then twice as many each time, and at last by halves. Where no such item
 * is found, rows are slower, but correct: each row tests all answers for its part again, those about the row among
 * them. Conditions on both counters, or on places anywhere in a row, are asked of each block. */
#include "irgen/simd/interval.h"
#include "irgen/simd/nest.h"

enum { NEAR = 8 /* items from an end of a row */, FAR = 6 /* operations that an end is followed through */ };

/* Is it worth asking? ---------------------------------------------------------------------------------------------- */

bool simd_takes_low_bits(LLVMValueRef v) {
    int64_t mask;
    if (LLVMGetInstructionOpcode(v) != LLVMAnd || !simd_constant(LLVMGetOperand(v, 1), &mask)) return false;
    return mask > 0 && !(mask & (mask + 1));
}

bool simd_is_remainder(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMURem || op == LLVMSRem || simd_takes_low_bits(v);
}

/* A remainder by -1, which may overflow, is written as one by 1. */
LLVMValueRef simd_divisor(LLVMValueRef rem) {
    LLVMValueRef by = LLVMGetOperand(rem, 1);
    if (simd_takes_low_bits(rem)) return LLVMConstAdd(by, LLVMConstInt(LLVMTypeOf(by), 1, false));
    return LLVMIsASelectInst(by) ? LLVMGetOperand(by, 2) : by;
}

/* Is the size among what `end` is computed from, as the length of a row is? */
bool simd_bounds_row(LLVMValueRef size, LLVMValueRef end, int depth) {
    bool is_computed = LLVMIsASelectInst(end) || LLVMIsABinaryOperator(end) || simd_is_extreme(end);
    for (int k = 0; is_computed && depth < FAR && k < LLVMGetNumOperands(end); k++)
        if (simd_bounds_row(size, LLVMGetOperand(end, (unsigned)k), depth + 1)) return true;
    return size == end;
}

static bool is_near(int64_t c) { return c >= -NEAR && c <= NEAR; }

/* v - c; *c: a constant */
static LLVMValueRef without_constant(LLVMValueRef v, int64_t *c) {
    *c = 0;
    while (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        bool casts = op == LLVMZExt || op == LLVMSExt || op == LLVMTrunc;
        bool adds = op == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
        if (!casts && !adds) break;
        if (adds) *c += LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

/* Is it known when the kernel is launched? What an outer loop changes has places anywhere, anew for each row. */
static bool is_of_launch(LLVMValueRef v, int depth) {
    if (LLVMIsAConstantInt(v) || LLVMIsAArgument(v)) return true;
    bool is_computed = LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsASelectInst(v) || LLVMIsAICmpInst(v) ||
                       simd_is_extreme(v);
    if (!is_computed || depth == FAR) return false;
    int n = simd_is_extreme(v) ? 2 : LLVMGetNumOperands(v);
    for (int k = 0; k < n; k++)
        if (!is_of_launch(LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

/* A place with few items of a row before it, or few after it. */
static bool is_at_end(const SimdRegion *g, LLVMValueRef place) {
    if (LLVMIsAConstantInt(place)) return is_near(LLVMConstIntGetSExtValue(place));
    int64_t c;
    LLVMValueRef size = without_constant(place, &c);
    return is_near(c) && !LLVMIsAConstantInt(size) && simd_bounds_row(size, g->x_hi, 0);
}

/* Of a window of a few items? */
static bool is_near_counter(const SimdRegion *g, LLVMValueRef v) {
    enum { WIDE = 32 };
    for (int l = 0; l < g->loops.n; l++) {
        const SimdLoop *loop = &g->loops.at[l];
        if (loop->counter != v || !LLVMIsAConstantInt(loop->first) || !LLVMIsAConstantInt(loop->last)) continue;
        int64_t first = LLVMConstIntGetSExtValue(loop->first), last = LLVMConstIntGetSExtValue(loop->last);
        return first >= -WIDE && last <= WIDE;
    }
    return false;
}

/* (j + c) % n, where rows have n items: it wraps around near an end of them. */
static bool wraps_at_end(const SimdRegion *g, LLVMValueRef rem) {
    LLVMValueRef by = simd_divisor(rem);
    Form f = simd_place(g, LLVMGetOperand(rem, 0), AS_SIGNED);
    bool moves = false;
    for (int i = 0; i < f.n; i++) {
        LLVMValueRef v = simd_atom(g, f.at[i].atom, NULL);
        if (v == g->x && f.at[i].k == 1) moves = true;
        else if (v != by && !(is_near_counter(g, v) && f.at[i].k * f.at[i].k == 1)) return false;
    }
    return moves && is_near(f.c) && simd_bounds_row(by, g->x_hi, 0);
}

static bool depends_on_row(const SimdRegion *g, const SimdValue *value) {
    return simd_rate(g, LLVMGetOperand(value->v, 0), value->block).y ||
           simd_rate(g, LLVMGetOperand(value->v, 1), value->block).y;
}

static bool is_equality(LLVMValueRef v) {
    return LLVMIsAICmpInst(v) && (LLVMGetICmpPredicate(v) == LLVMIntEQ || LLVMGetICmpPredicate(v) == LLVMIntNE);
}

static bool is_about_ends(const SimdRegion *g, const SimdValue *value) {
    if (depends_on_row(g, value)) return false;
    if (simd_is_remainder(value->v)) return wraps_at_end(g, value->v);
    for (unsigned k = 0; k < 2; k++) { /* an order has one answer up to a place, and the other after it */
        LLVMValueRef place = LLVMGetOperand(value->v, k);
        if (simd_rate(g, place, value->block).x != LANE_UNIFORM) continue;
        if (!(is_equality(value->v) ? is_at_end(g, place) : is_of_launch(place, 0))) return false;
    }
    return true;
}

bool simd_has_interior(const SimdRegion *g) {
    bool any = false;
    if (LLVMIsAConstantInt(g->x_lo) && LLVMIsAConstantInt(g->x_hi)) return false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!simd_settles_along(value)) continue;
        if (!is_about_ends(g, value)) return false;
        any = true;
    }
    return any;
}

/* The part --------------------------------------------------------------------------------------------------------- */

/* Moves `from` towards `to`, by one item, twice as many, ... as long as items from there to the middle are not all
 * inside; half of what is left at most. up: from the left. Returns where it has come to. */
static LLVMValueRef search(Items *n, LLVMValueRef from, LLVMValueRef to, LLVMValueRef middle, bool up) {
    LLVMBuilderRef b = n->b;
    LLVMValueRef one = cg_i64(n->cg, 1), out = nest_counter(n, from, "out"), in = nest_counter(n, to, "in"),
                 step = nest_counter(n, cg_i64(n->cg, 0), "step");
    LLVMBasicBlockRef head = nest_block(n, "interior"), test = nest_block(n, "probe"), inside = nest_block(n, "inner"),
                      outside = nest_block(n, "outer"), done = nest_block(n, "found");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef lo = nest_count(n, up ? out : in), hi = nest_count(n, up ? in : out);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, ""), test, done);
    LLVMPositionBuilderAtEnd(b, test);
    LLVMValueRef left = LLVMBuildNSWSub(b, hi, lo, ""), by = nest_count(n, step);
    LLVMValueRef half = LLVMBuildLShr(b, left, one, "");
    LLVMValueRef is_less = LLVMBuildICmp(b, LLVMIntSLT, by, half, "");
    by = LLVMBuildSelect(b, is_less, by, up ? half : LLVMBuildNSWSub(b, LLVMBuildNSWSub(b, left, one, ""), half, ""),
                         "");
    LLVMValueRef at = up ? LLVMBuildNSWAdd(b, lo, by, "") : LLVMBuildNSWSub(b, hi, by, "");
    LLVMValueRef last = LLVMBuildNSWSub(b, at, one, "");
    LLVMValueRef is_inside = simd_inside_along(n->g, b, up ? at : middle, up ? middle : last);
    LLVMBuildCondBr(b, is_inside, inside, outside);
    LLVMPositionBuilderAtEnd(b, inside);
    LLVMBuildStore(b, at, in);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, outside);
    LLVMBuildStore(b, up ? LLVMBuildNSWAdd(b, at, one, "") : last, out);
    LLVMValueRef twice = LLVMBuildNSWAdd(b, LLVMBuildShl(b, nest_count(n, step), one, ""), one, "");
    LLVMBuildStore(b, LLVMBuildAnd(b, twice, cg_i64(n->cg, INT64_MAX >> 1), ""), step);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, done);
    return nest_count(n, in);
}

/* An item inside, if one of three is: the middle one, and those near the ends, where a condition about a place
 * anywhere, as in `if j > k`, holds if it does at all. */
static LLVMValueRef start(Items *n, LLVMValueRef middle) {
    SimdRegion *g = n->g;
    LLVMValueRef near = cg_i64(n->cg, NEAR), one = cg_i64(n->cg, 1), from = middle;
    LLVMValueRef ends[2] = {LLVMBuildNSWAdd(n->b, g->x_lo, near, ""),
                            LLVMBuildNSWSub(n->b, LLVMBuildNSWSub(n->b, g->x_hi, one, ""), near, "")};
    for (int k = 0; k < 2; k++) {
        LLVMValueRef is_in = LLVMBuildICmp(n->b, k ? LLVMIntSGT : LLVMIntSLT, ends[k], middle, "");
        LLVMValueRef at = LLVMBuildSelect(n->b, is_in, ends[k], middle, "");
        from = LLVMBuildSelect(n->b, simd_inside_along(g, n->b, from, from), from, at, "");
    }
    return from;
}

Interior nest_interior(Items *n) {
    const SimdRegion *g = n->g;
    LLVMValueRef length = LLVMBuildNSWSub(n->b, g->x_hi, g->x_lo, "");
    LLVMValueRef half = LLVMBuildAShr(n->b, length, cg_i64(n->cg, 1), "");
    LLVMValueRef from = start(n, LLVMBuildNSWAdd(n->b, g->x_lo, half, ""));
    LLVMValueRef lo = search(n, g->x_lo, from, from, true);
    LLVMValueRef after = LLVMBuildNSWAdd(n->b, from, cg_i64(n->cg, 1), "");
    LLVMValueRef hi = search(n, g->x_hi, after, from, false);
    LLVMValueRef is_less = LLVMBuildICmp(n->b, LLVMIntSLT, hi, g->x_hi, ""); /* not in a row without items */
    return (Interior){lo, LLVMBuildSelect(n->b, is_less, hi, g->x_hi, "")};
}

/* Rows ----------------------------------------------------------------------------------------------------------- */

static void write_interior(Items *n, SimdShape shape, LLVMValueRef y, bool masked, Interior in) {
    SimdRegion *g = n->g;
    LLVMValueRef lo = g->x_lo, hi = g->x_hi;
    g->x_lo = in.lo;
    g->x_hi = in.hi;
    n->settled = true;
    simd_rates_settled(g, true);
    nest_write_part(n, shape, y, masked);
    n->settled = false;
    simd_rates_settled(g, false);
    g->x_lo = lo;
    g->x_hi = hi;
}

/* Few items before and after the interior, one by one. */
static void write_single_items(Items *n, LLVMValueRef y, Interior in) {
    LLVMValueRef is_before = LLVMBuildICmp(n->b, LLVMIntSLT, n->g->x_lo, in.lo, "");
    LLVMValueRef x = nest_counter(n, LLVMBuildSelect(n->b, is_before, n->g->x_lo, in.hi, ""), "x");
    Loop items = nest_loop_begin(n, x, NULL, n->g->x_hi, 1, false, "single");
    nest_write_block(n, (SimdShape){1, 1, 1}, items.at, y, NULL, false);
    LLVMValueRef next = LLVMBuildNSWAdd(n->b, nest_count(n, x), cg_i64(n->cg, 1), "");
    LLVMValueRef passes = LLVMBuildICmp(n->b, LLVMIntEQ, next, in.lo, "");
    LLVMBuildStore(n->b, LLVMBuildSelect(n->b, passes, in.hi, next, ""), x);
    LLVMBuildBr(n->b, items.head);
    LLVMPositionBuilderAtEnd(n->b, items.done);
}

/* Those, if there are many: vector by vector, first what is before the interior, then what is after it. */
static void write_around(Items *n, int width, LLVMValueRef y, Interior in) {
    LLVMValueRef x = nest_counter(n, n->g->x_lo, "x"), end = nest_counter(n, in.lo, "end");
    LLVMBasicBlockRef part = nest_block(n, "around"), after = nest_block(n, "after"),
                      done = nest_block(n, "around.done");
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, part);
    LLVMValueRef upto = nest_count(n, end);
    bool was_rare = n->rare;
    n->rare = true;
    nest_write_pieces(n, (SimdShape){1, 1, width}, x, y, upto);
    n->rare = was_rare;
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, upto, n->g->x_hi, ""), after, done);
    LLVMPositionBuilderAtEnd(n->b, after);
    LLVMBuildStore(n->b, in.hi, x);
    LLVMBuildStore(n->b, n->g->x_hi, end);
    LLVMBuildBr(n->b, part);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* What is around the interior of a row; in.lo and in.hi are the row's end, if all of it is. */
static void write_edges(Items *n, int width, LLVMValueRef y, Interior in) {
    LLVMValueRef all = LLVMBuildNSWSub(n->b, n->g->x_hi, n->g->x_lo, "");
    LLVMValueRef rest = LLVMBuildNSWSub(n->b, all, LLVMBuildNSWSub(n->b, in.hi, in.lo, ""), "");
    if (simd_has_totals(n->g)) {
        write_around(n, width, y, in);
        return;
    }
    LLVMBasicBlockRef few = nest_block(n, "items"), many = nest_block(n, "edges"), done = nest_block(n, "edges.done");
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLE, rest, cg_i64(n->cg, width / 2), ""), few, many);
    LLVMPositionBuilderAtEnd(n->b, few);
    write_single_items(n, y, in);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, many);
    write_around(n, width, y, in);
    LLVMBuildBr(n->b, done);
    LLVMPositionBuilderAtEnd(n->b, done);
}

/* A block of rows from y on, whose interior has all the answers that are wanted, those about the rows as well: it is
 * written, and *lo and *hi say so. The builder is left at `edges`. */
static void write_if_split(Items *n, SimdShape shape, LLVMValueRef y, bool masked, LLVMValueRef lo, LLVMValueRef hi,
                           LLVMBasicBlockRef edges) {
    Interior in = n->interior;
    LLVMBasicBlockRef inside = nest_block(n, "split");
    LLVMValueRef last = LLVMBuildNSWSub(n->b, in.hi, cg_i64(n->cg, 1), "");
    LLVMValueRef length = LLVMBuildNSWSub(n->b, in.hi, in.lo, "");
    int least = n->rows == ROWS_STREAMED ? NEST_LONG_ROW * shape.width : 1;
    LLVMValueRef pays = LLVMBuildICmp(n->b, LLVMIntSGE, length, cg_i64(n->cg, least), "");
    pays = LLVMBuildAnd(n->b, pays, simd_inside_upto(n->g, n->b, shape.rows, in.lo, last, y), "");
    LLVMBuildCondBr(n->b, pays, inside, edges);
    LLVMPositionBuilderAtEnd(n->b, inside);
    write_interior(n, shape, y, masked, in);
    LLVMBuildStore(n->b, in.lo, lo);
    LLVMBuildStore(n->b, in.hi, hi);
    LLVMBuildBr(n->b, edges);
    LLVMPositionBuilderAtEnd(n->b, edges);
}

/* Rows in blocks of several, and those left over one by one; what is around the interior in one place for all. one:
 * the shape of blocks of single rows. */
void nest_write_split_rows(Items *n, SimdShape shape, SimdShape one, bool masked) {
    SimdRegion *g = n->g;
    LLVMBasicBlockRef head = nest_block(n, "rows"), body = nest_block(n, "row"), several = nest_block(n, "block"),
                      single = nest_block(n, "left"), edges = nest_block(n, "around"),
                      done = nest_block(n, "rows.done");
    LLVMValueRef y = nest_counter(n, g->y_lo, "y"), end = nest_counter(n, g->y_lo, "end");
    LLVMValueRef lo = nest_counter(n, g->x_hi, "interior.lo"), hi = nest_counter(n, g->x_hi, "interior.hi");
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    LLVMValueRef at = nest_count(n, y);
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, at, g->y_hi, ""), body, done);
    LLVMPositionBuilderAtEnd(n->b, body);
    LLVMBuildStore(n->b, g->x_hi, lo);
    LLVMBuildStore(n->b, g->x_hi, hi);
    LLVMValueRef below = LLVMBuildNSWAdd(n->b, at, cg_i64(n->cg, shape.rows), "");
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLE, below, g->y_hi, ""), several, single);
    LLVMPositionBuilderAtEnd(n->b, several);
    LLVMBuildStore(n->b, below, end);
    write_if_split(n, shape, at, false, lo, hi, edges);
    LLVMPositionBuilderAtEnd(n->b, single);
    LLVMBuildStore(n->b, LLVMBuildNSWAdd(n->b, at, cg_i64(n->cg, 1), ""), end);
    n->rare = true;
    write_if_split(n, one, at, masked, lo, hi, edges);
    n->rare = false;
    LLVMValueRef upto = nest_count(n, end);
    Interior in = {nest_count(n, lo), nest_count(n, hi)};
    Loop rows = nest_loop_begin(n, y, NULL, upto, 1, false, "row.edges");
    write_edges(n, shape.width, rows.at, in);
    nest_loop_end(n, &rows);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, done);
}

void nest_write_split_row(Items *n, SimdShape shape, LLVMValueRef y) {
    LLVMValueRef lo = nest_counter(n, n->g->x_hi, "interior.lo"), hi = nest_counter(n, n->g->x_hi, "interior.hi");
    write_if_split(n, shape, y, false, lo, hi, nest_block(n, "row.edges"));
    write_edges(n, shape.width, y, (Interior){nest_count(n, lo), nest_count(n, hi)});
}
