/* guards.c -- the guards of items: comparisons without which an item does nothing, as in `if t < n { ... }`, in
 * `if i == 0 || i == n - 1 { return; }`, in a conjunction of several, in `if j <= i { ... }`.
 *
 * A comparison is one of numbers that are affine in the counters: 2^k * x + c against 0, where c is the same in the
 * whole nest, or in a row. Their forms (place.c) are those of the integers, as the comparison reads them; the bound is
 * computed in 128 bits, in which none of these sums wraps, and clamped to the loop's own bounds.
 *
 * Legal where no path that an item can take if the comparison fails has an effect: conditions are evaluated with that
 * answer as in ends.c, and no block that is alive then stores, calls, or fails. Such an item is left out. It does not
 * matter for an item that never makes the comparison: the paths have the item's own among them, so it has no effect
 * either. What an index says that no item computes (poison) is frozen: then no item depends on the comparison. A loop
 * without effects is taken to end. */
#include "irgen/simd/guards.h"

/* Lines ------------------------------------------------------------------------------------------------------------ */

static bool is_of_launch(const SimdRegion *g, LLVMValueRef v) {
    return !(simd_slice(g, v) & ~(unsigned)(SLICE_LAUNCH | SLICE_SELECT));
}

static bool is_power_of_two(int64_t n) { return n > 0 && !(n & (n - 1)); }

/* Along one counter at most, or with rows along both, in steps that a shift divides by. */
static bool is_bound(const Guards *n, const Line *l) {
    int64_t step = l->x ? l->x : l->y;
    return (l->x && l->y) == n->of_rows && (!step || is_power_of_two(step) || is_power_of_two(-step));
}

/* What is the same in the whole nest is there in registers as it is. */
static Form form_of(const SimdRegion *g, LLVMValueRef v, Reading r) {
    return is_of_launch(g, v) && !LLVMIsAConstantInt(v) ? simd_as_atom(g, v, r) : simd_place(g, v, r);
}

/* The comparison's first operand less its second, or the other way round. */
static bool difference(const Guards *n, LLVMValueRef cmp, bool swap, Reading r, Line *l) {
    const SimdRegion *g = n->g;
    Form a = form_of(g, LLVMGetOperand(cmp, swap), r), b = form_of(g, LLVMGetOperand(cmp, !swap), r), d;
    if (!form_add(&d, &a, -1, &b)) return false;
    *l = (Line){.of_launch = form_const(d.c)};
    for (int i = 0; i < d.n; i++) {
        LLVMValueRef v = simd_atom(g, d.at[i].atom, NULL);
        if (v == g->x) l->x = d.at[i].k;
        else if (v == g->y) l->y = d.at[i].k;
        else if (is_of_launch(g, v)) l->of_launch.at[l->of_launch.n++] = d.at[i];
        else return false;
    }
    return is_bound(n, l);
}

/* a < b, a <= b, ... as a line that is below zero: a > b is b < a, and a <= b is a - b - 1 < 0. */
static bool read_order(const Guards *n, Guard *o, LLVMIntPredicate p) {
    bool less = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool or_equal = p == LLVMIntSLE || p == LLVMIntSGE || p == LLVMIntULE || p == LLVMIntUGE;
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    if (!o->want) { /* !(a < b) is b <= a */
        less = !less;
        or_equal = !or_equal;
    }
    Reading r = is_signed ? AS_SIGNED : AS_UNSIGNED, other = is_signed ? AS_UNSIGNED : AS_SIGNED;
    bool is_line = difference(n, o->cmp, !less, r, &o->line) ||
                   (LLVMGetICmpSameSign(o->cmp) && difference(n, o->cmp, !less, other, &o->line));
    o->holds = BELOW;
    o->line.of_launch.c -= or_equal;
    return is_line;
}

static bool read_equality(const Guards *n, Guard *o, LLVMIntPredicate p) {
    bool is_line =
        difference(n, o->cmp, false, AS_SIGNED, &o->line) || difference(n, o->cmp, false, AS_UNSIGNED, &o->line);
    int64_t step = o->line.x + o->line.y;
    o->holds = (p == LLVMIntEQ) == o->want ? EQUAL : UNEQUAL;
    return is_line && step >= -1 && step <= 1;
}

static bool read_guard(const Guards *n, Guard *o) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(o->cmp);
    return p == LLVMIntEQ || p == LLVMIntNE ? read_equality(n, o, p) : read_order(n, o, p);
}

/* Items without effects -------------------------------------------------------------------------------------------- */

static bool has_effect(LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: case LLVMFence: case LLVMInvoke: case LLVMCallBr:
    case LLVMVAArg: return true;
    case LLVMLoad: return simd_is_atomic(v) || LLVMGetVolatile(v);
    case LLVMCall: return !simd_is_pure_call(v) && !simd_is_remark(v);
    default: return false; /* computes a value: the instructions that write memory are all above */
    }
}

static LLVMValueRef constant_now(const SimdRegion *g, LLVMValueRef v, int depth);

/* Of those ways that are taken; what comes around a loop has not been looked at. */
static LLVMValueRef constant_of_ways(const SimdRegion *g, LLVMValueRef phi, int depth) {
    LLVMBasicBlockRef here = LLVMGetInstructionParent(phi);
    LLVMValueRef all = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, k));
        if (from < 0 || from >= value_map_get(g->block_of, here)) return NULL;
        const SimdBlock *b = &g->blocks.at[from];
        if (b->dead || (b->taken >= 0 && simd_succ(g, from, b->taken) != here)) continue;
        LLVMValueRef one = constant_now(g, LLVMGetIncomingValue(phi, k), depth + 1);
        if (!one || (all && one != all)) return NULL;
        all = one;
    }
    return all;
}

/* The constant that v is as long as the comparison comes out so; NULL: none that is seen. */
static LLVMValueRef constant_now(const SimdRegion *g, LLVMValueRef v, int depth) {
    enum { MOST = 8 };
    if (LLVMIsAConstant(v)) return v;
    if (depth == MOST || value_map_get(g->value_of, v) < 0) return NULL;
    if (LLVMIsAPHINode(v)) return constant_of_ways(g, v, depth);
    if (LLVMIsASelectInst(v)) {
        int known = simd_known(g, LLVMGetOperand(v, 0));
        return known ? constant_now(g, LLVMGetOperand(v, known > 0 ? 1 : 2), depth + 1) : NULL;
    }
    if (LLVMIsAICmpInst(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return NULL;
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v)) return NULL;
    LLVMValueRef of = constant_now(g, LLVMGetOperand(v, 0), depth + 1);
    return of && LLVMIsNull(of) ? LLVMConstNull(LLVMTypeOf(v)) : NULL;
}

/* A sum that grows by 0, and the like: an item that returns 0 does not count. */
static bool adds_nothing(const SimdRegion *g, LLVMValueRef v) {
    if (!LLVMIsACallInst(v) || LLVMGetNumArgOperands(v) < 2) return false;
    LLVMValueRef by = constant_now(g, LLVMGetOperand(v, 1), 0);
    return by && simd_changes_nothing(v, by);
}

static bool block_has_effect(const SimdRegion *g, int block) {
    if (g->blocks.at[block].leaves) return true;
    for (int i = g->blocks.at[block].first; i < g->blocks.at[block].first + g->blocks.at[block].n; i++)
        if (has_effect(g->values.at[i].v) && !adds_nothing(g, g->values.at[i].v)) return true;
    return false;
}

/* Goes over the blocks in their order, in which a block comes after those that lead to it, but for edges back. */
static bool finds_effect(SimdRegion *g) {
    for (int b = 0; b < g->blocks.n; b++) g->blocks.at[b].dead = b > 0;
    for (int b = 0; b < g->blocks.n; b++) {
        SimdBlock *block = &g->blocks.at[b];
        if (block->dead) continue;
        if (block_has_effect(g, b)) return true;
        bool branches = simd_n_succ(g, b) == 2;
        int known = branches ? simd_known(g, LLVMGetCondition(LLVMGetBasicBlockTerminator(block->bb))) : 0;
        block->taken = known ? known < 0 : -1;
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s >= 0 && (!known || i == block->taken)) g->blocks.at[s].dead = false;
        }
    }
    return false;
}

/* Does an item do anything for which the comparison comes out so? */
static bool does_anything(SimdRegion *g, int cmp, bool answer) {
    g->settled = true;
    g->values.at[cmp].at_ends = answer ? 1 : -1;
    bool found = finds_effect(g);
    g->settled = false;
    g->values.at[cmp].at_ends = 0;
    for (int b = 0; b < g->blocks.n; b++) {
        g->blocks.at[b].dead = false;
        g->blocks.at[b].taken = -1;
    }
    return found;
}

/* Guards ----------------------------------------------------------------------------------------------------------- */

static int n_excluded(const Guards *n, bool along_y) {
    int sum = 0;
    for (int i = 0; i < n->n; i++) {
        const Guard *o = &n->at[i];
        sum += o->holds == UNEQUAL && (along_y ? o->line.y : o->line.x) != 0;
    }
    return sum;
}

static void add_guard(Guards *n, int value) {
    SimdRegion *g = n->g;
    LLVMValueRef cmp = g->values.at[value].v;
    LLVMTypeRef t = LLVMIsAICmpInst(cmp) ? LLVMTypeOf(LLVMGetOperand(cmp, 0)) : NULL;
    if (!t || LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64 || n->n == MOST_GUARDS) return;
    for (int want = 0; want < 2; want++) {
        Guard o = {.cmp = cmp, .want = want};
        if (!read_guard(n, &o) || does_anything(g, value, !want)) continue;
        bool is_full = o.holds == UNEQUAL && (n->of_rows || n_excluded(n, o.line.y != 0) == MOST_EXCLUDED);
        if (is_full || (o.holds == UNEQUAL && LLVMIsAPHINode(LLVMGetFirstInstruction(g->after)))) continue;
        n->at[n->n++] = o;
        return;
    }
}

void guards_find(Guards *n) {
    SimdRegion *g = n->g;
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves) add_guard(n, i);
}

/* Bounds ----------------------------------------------------------------------------------------------------------- */

static LLVMTypeRef wide(const Guards *n) { return LLVMIntTypeInContext(n->cg->ctx, 128); }

LLVMValueRef guard_number(const Guards *n, Wide k) {
    return LLVMConstIntOfArbitraryPrecision(wide(n), 2, (uint64_t[]){(uint64_t)k, (uint64_t)(k >> 64)});
}

static LLVMValueRef widened(const Guards *n, LLVMValueRef v, bool is_signed) {
    return is_signed ? LLVMBuildSExt(n->b, v, wide(n), "") : LLVMBuildZExt(n->b, v, wide(n), "");
}

LLVMValueRef guard_rest(const Guards *n, const Guard *guard, LLVMValueRef y) {
    const Form *f = &guard->line.of_launch;
    LLVMValueRef sum = guard_number(n, f->c);
    for (int i = 0; i < f->n; i++) {
        bool is_signed;
        LLVMValueRef v = simd_atom(n->g, f->at[i].atom, &is_signed);
        v = widened(n, LLVMBuildFreeze(n->b, simd_at(n->g, n->b, v, NULL, NULL), ""), is_signed);
        sum = LLVMBuildAdd(n->b, sum, LLVMBuildMul(n->b, v, guard_number(n, f->at[i].k), ""), "");
    }
    if (!y) return sum;
    LLVMValueRef row = LLVMBuildMul(n->b, widened(n, y, true), guard_number(n, guard->line.y), "");
    return LLVMBuildAdd(n->b, sum, row, "");
}

LLVMValueRef guards_least(const Guards *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, a, b, ""), a, b, "");
}

LLVMValueRef guards_most(const Guards *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, a, b, ""), a, b, "");
}

static LLVMValueRef clamped(const Guards *n, LLVMValueRef v, LLVMValueRef lo, LLVMValueRef hi) {
    v = guards_most(n, guards_least(n, v, widened(n, hi, true)), widened(n, lo, true));
    v = LLVMBuildTrunc(n->b, v, n->cg->i64, "");
    if (LLVMIsATruncInst(v)) LLVMSetNSW(v, true); /* between the loop's bounds */
    return v;
}

/* step * counter + c < 0: the counter is less than -c / step rounded up, or greater than c / -step rounded down. */
void guard_below(const Guards *n, Bounds *r, int64_t step, LLVMValueRef c) {
    int shift = 0;
    while ((step < 0 ? -step : step) >> shift > 1) shift++;
    LLVMValueRef steps = LLVMBuildAShr(n->b, c, guard_number(n, shift), "");
    if (step > 0) r->hi = clamped(n, LLVMBuildNeg(n->b, steps, ""), r->lo, r->hi);
    else r->lo = clamped(n, LLVMBuildAdd(n->b, steps, guard_number(n, 1), ""), r->lo, r->hi);
}

void guard_equal(const Guards *n, Bounds *r, bool equal, LLVMValueRef at) {
    if (equal) {
        LLVMValueRef lo = clamped(n, at, r->lo, r->hi);
        r->hi = clamped(n, LLVMBuildAdd(n->b, at, guard_number(n, 1), ""), r->lo, r->hi);
        r->lo = lo;
    } else {
        LLVMValueRef before = LLVMBuildNSWSub(n->b, r->lo, cg_i64(n->cg, 1), "");
        r->excluded[r->n++] = clamped(n, at, before, r->hi);
    }
}
