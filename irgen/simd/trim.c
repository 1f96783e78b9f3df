/* trim.c -- guards become bounds of rows. Where an item does nothing unless its place is inside, as in
 *
 *     over i in n, j in n { if j <= i { ... } }          // a triangle
 *     over i in h, j in w { if i > 0 && i < h - 1 && j > 0 && j < w - 1 { ... } }
 *
 * a row of blocks begins and ends where its items do: without a vector, and a mask, for each place outside. Of several
 * rows in a block the first and the last one have the least and the most items, as bounds change evenly from row to
 * row. The guards stay in the items, for those at edges.
 *
 * A guard is a comparison of x plus what is the same in the row with what is the same in the row, in the first blocks
 * of an item, before anything is written or checked. */
#include "irgen/simd/nest.h"

enum { MOST_GUARDS = 8 };

typedef struct Guard {
    LLVMValueRef place, bound; /* the item goes on if they compare so */
    LLVMIntPredicate goes_on;
} Guard;

typedef struct Guards {
    Guard at[MOST_GUARDS];
    int n;
} Guards;

/* Finding them ----------------------------------------------------------------------------------------------------- */

static bool is_end(const SimdRegion *g, LLVMBasicBlockRef bb) {
    int b = value_map_get(g->block_of, bb);
    if (bb == g->exit || b < 0) return bb == g->exit;
    return g->blocks.at[b].n == 1 && simd_n_succ(g, b) == 1 && simd_succ(g, b, 0) == g->exit;
}

static bool has_effect(const SimdRegion *g, int block) {
    for (int i = 0; i < g->blocks.at[block].n; i++) {
        LLVMValueRef v = g->values.at[g->blocks.at[block].first + i].v;
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        bool writes = op == LLVMStore || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence;
        bool calls = op == LLVMCall && !simd_is_pure_call(v) && !simd_has_vector_form(v) && !simd_is_remark(v);
        if (writes || calls || (op == LLVMLoad && (LLVMGetVolatile(v) || simd_is_atomic(v)))) return true;
    }
    return false;
}

/* Grows evenly from row to row: a sum of y and of what is the same in the whole nest. */
static bool goes_with_rows(const SimdRegion *g, LLVMValueRef v, bool *has_x) {
    Form f = simd_place(g, v, AS_SIGNED);
    *has_x = false;
    for (int i = 0; i < f.n; i++) {
        LLVMValueRef atom = simd_atom(g, f.at[i].atom, NULL);
        if (atom == g->x && f.at[i].k == 1) *has_x = true;
        else if (atom != g->y && (atom == g->x || simd_slice(g, atom) & (unsigned)~SLICE_LAUNCH)) return false;
    }
    return true;
}

static LLVMIntPredicate exchanged(LLVMIntPredicate p) {
    return p == LLVMIntSLT   ? LLVMIntSGT
           : p == LLVMIntSGT ? LLVMIntSLT
           : p == LLVMIntSLE ? LLVMIntSGE
           : p == LLVMIntSGE ? LLVMIntSLE
           : p == LLVMIntULT ? LLVMIntUGT
           : p == LLVMIntULE ? LLVMIntUGE
           : p == LLVMIntUGT ? LLVMIntULT
           : p == LLVMIntUGE ? LLVMIntULE
                             : p;
}

static LLVMIntPredicate inverse(LLVMIntPredicate p) {
    return p == LLVMIntSLT   ? LLVMIntSGE
           : p == LLVMIntSGE ? LLVMIntSLT
           : p == LLVMIntSLE ? LLVMIntSGT
           : p == LLVMIntSGT ? LLVMIntSLE
           : p == LLVMIntULT ? LLVMIntUGE
           : p == LLVMIntUGE ? LLVMIntULT
           : p == LLVMIntULE ? LLVMIntUGT
           : p == LLVMIntUGT ? LLVMIntULE
           : p == LLVMIntEQ  ? LLVMIntNE
                             : LLVMIntEQ;
}

/* What bounds x from above, from below, or both. */
static bool is_bound(LLVMIntPredicate p) {
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntULT || p == LLVMIntEQ;
}

static bool read_guard(const SimdRegion *g, LLVMValueRef cmp, bool if_true, Guard *guard) {
    if (!LLVMIsAICmpInst(cmp) || LLVMTypeOf(LLVMGetOperand(cmp, 0)) != LLVMTypeOf(g->x)) return false;
    LLVMValueRef a = LLVMGetOperand(cmp, 0), b = LLVMGetOperand(cmp, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    bool in_a, in_b;
    if (!goes_with_rows(g, a, &in_a) || !goes_with_rows(g, b, &in_b) || in_a == in_b) return false;
    if (in_b) p = exchanged(p);
    *guard = (Guard){in_a ? a : b, in_a ? b : a, if_true ? p : inverse(p)};
    return is_bound(guard->goes_on);
}

static Guards find_guards(const SimdRegion *g) {
    Guards all = {.n = 0};
    for (int b = 0; b >= 0 && all.n < MOST_GUARDS && !has_effect(g, b) && simd_n_succ(g, b) == 2;) {
        bool ends[2] = {is_end(g, simd_succ(g, b, 0)), is_end(g, simd_succ(g, b, 1))};
        LLVMValueRef cmp = LLVMGetCondition(LLVMGetBasicBlockTerminator(g->blocks.at[b].bb));
        if (ends[0] == ends[1]) break;
        if (g->blocks.at[b].loop >= 0 || g->blocks.at[b].leaves) break;
        all.n += read_guard(g, cmp, ends[1], &all.at[all.n]);
        b = value_map_get(g->block_of, simd_succ(g, b, ends[0]));
    }
    return all;
}

/* Their bounds ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef chosen(LLVMBuilderRef b, LLVMIntPredicate if_, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(b, LLVMBuildICmp(b, if_, x, y, ""), x, y, "");
}
static LLVMValueRef least(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y) { return chosen(b, LLVMIntSLT, x, y); }
static LLVMValueRef most(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y) { return chosen(b, LLVMIntSGT, x, y); }

/* Is a place, which may be any number, near enough to 0 that its sums with other places do not wrap? */
static LLVMValueRef is_near(LLVMBuilderRef b, LLVMValueRef v) {
    LLVMValueRef far = LLVMConstInt(LLVMTypeOf(v), UINT64_C(1) << 60, true);
    return LLVMBuildICmp(b, LLVMIntULT, LLVMBuildAdd(b, v, far, ""), LLVMBuildAdd(b, far, far, ""), "");
}

/* Of the row y: items from *lo up to *hi. NULL: as the rows of the nest. */
static void bounds_of(const SimdRegion *g, LLVMBuilderRef b, const Guard *guard, LLVMValueRef y, LLVMValueRef *lo,
                      LLVMValueRef *hi) {
    LLVMTypeRef i64 = LLVMTypeOf(g->x);
    LLVMValueRef zero = LLVMConstInt(i64, 0, false), one = LLVMConstInt(i64, 1, false);
    LLVMValueRef shift = LLVMBuildFreeze(b, simd_at(g, b, guard->place, zero, y), "");
    LLVMValueRef bound = LLVMBuildFreeze(b, simd_at(g, b, guard->bound, zero, y), "");
    LLVMValueRef is_known = LLVMBuildAnd(b, is_near(b, shift), is_near(b, bound), "");
    LLVMValueRef at = LLVMBuildSub(b, bound, shift, ""), behind = LLVMBuildAdd(b, at, one, "");
    *lo = *hi = NULL;
    switch (guard->goes_on) {
    case LLVMIntSLT: *hi = at; break;
    case LLVMIntSLE: *hi = behind; break;
    case LLVMIntSGT: *lo = behind; break;
    case LLVMIntSGE: *lo = at; break;
    case LLVMIntEQ: *lo = at, *hi = behind; break;
    default: /* without signs: from 0 up to a bound that has none */
        is_known = LLVMBuildAnd(b, is_known, LLVMBuildICmp(b, LLVMIntSGE, bound, zero, ""), "");
        *lo = LLVMBuildNeg(b, shift, "");
        *hi = at;
    }
    if (*lo) *lo = LLVMBuildSelect(b, is_known, *lo, g->x_lo, "");
    if (*hi) *hi = LLVMBuildSelect(b, is_known, *hi, g->x_hi, "");
}

/* g->x_lo and g->x_hi become the bounds of the rows y..y + rows - 1, or up to `last` if that is not NULL. */
void nest_trim(SimdRegion *g, LLVMBuilderRef b, int rows, LLVMValueRef y, LLVMValueRef last) {
    Guards all = find_guards(g);
    LLVMValueRef lo = g->x_lo, hi = g->x_hi;
    if (y && !last && rows > 1) last = LLVMBuildNSWAdd(b, y, LLVMConstInt(LLVMTypeOf(y), (unsigned)rows - 1, false), "");
    for (int i = 0; i < all.n; i++) {
        LLVMValueRef from[2], to[2];
        bounds_of(g, b, &all.at[i], y, &from[0], &to[0]);
        if (last) bounds_of(g, b, &all.at[i], last, &from[1], &to[1]);
        if (last && from[0]) from[0] = least(b, from[0], from[1]);
        if (last && to[0]) to[0] = most(b, to[0], to[1]);
        if (from[0]) lo = most(b, lo, from[0]);
        if (to[0]) hi = least(b, hi, to[0]);
    }
    if (!all.n) return;
    g->x_lo = least(b, lo, g->x_hi);
    g->x_hi = most(b, hi, g->x_lo);
}
