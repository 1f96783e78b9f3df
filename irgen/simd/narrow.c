/* narrow.c -- loop bound narrowing (guard elimination): where an item whose index fails a comparison does nothing, as
 * in `if t < n { ... }`, in `if i == 0 || i == n - 1 { return; }` and in a conjunction of several, the comparison
 * becomes the bounds of the loop over the items; an equality that leaves out one item splits its range. What is left
 * has no branch, so its rows are aligned, streamed, overlapped and jammed as those of a kernel without guards.
 *
 * A comparison is one of numbers that are affine in one counter: 2^k * x + c against 0, where c is the same in the
 * whole nest. Their forms (place.c) are those of the integers, as the comparison reads them; the bound is computed in
 * 128 bits, in which none of these sums wraps, and clamped to the loop's own bounds.
 *
 * Legal where no path that an item can take if the comparison fails has an effect: conditions are evaluated with that
 * answer as in ends.c, and no block that is alive then stores, calls, or fails. Such an item is left out. It does not
 * matter for an item that never makes the comparison: the paths have the item's own among them, so it has no effect
 * either. What an index says that no item computes (poison) is frozen: then no item depends on the comparison. A loop
 * without effects is taken to end. */
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
    bool want;            /* the comparison's answer then */
    Holds holds;
    Line line;
} Guard;

typedef struct Narrowing {
    Cg *cg;
    SimdRegion *g;
    LLVMBuilderRef b;
    Guard guards[MOST_GUARDS];
    int n;
} Narrowing;

/* Lines ------------------------------------------------------------------------------------------------------------ */

static bool is_of_launch(const SimdRegion *g, LLVMValueRef v) {
    return !(simd_slice(g, v) & ~(unsigned)(SLICE_LAUNCH | SLICE_SELECT));
}

static bool is_power_of_two(int64_t n) { return n > 0 && !(n & (n - 1)); }

/* Along one counter at most, in steps that a shift divides by. */
static bool is_bound(const Line *l) {
    int64_t step = l->x ? l->x : l->y;
    return !(l->x && l->y) && (!step || is_power_of_two(step) || is_power_of_two(-step));
}

/* What is the same in the whole nest is there in registers as it is. */
static Form form_of(const SimdRegion *g, LLVMValueRef v, Reading r) {
    return is_of_launch(g, v) && !LLVMIsAConstantInt(v) ? simd_as_atom(g, v, r) : simd_place(g, v, r);
}

/* The comparison's first operand less its second, or the other way round. */
static bool difference(const SimdRegion *g, LLVMValueRef cmp, bool swap, Reading r, Line *l) {
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
    return is_bound(l);
}

/* a < b, a <= b, ... as a line that is below zero: a > b is b < a, and a <= b is a - b - 1 < 0. */
static bool read_order(const Narrowing *n, Guard *o, LLVMIntPredicate p) {
    bool less = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool or_equal = p == LLVMIntSLE || p == LLVMIntSGE || p == LLVMIntULE || p == LLVMIntUGE;
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    if (!o->want) { /* !(a < b) is b <= a */
        less = !less;
        or_equal = !or_equal;
    }
    Reading r = is_signed ? AS_SIGNED : AS_UNSIGNED, other = is_signed ? AS_UNSIGNED : AS_SIGNED;
    bool is_line = difference(n->g, o->cmp, !less, r, &o->line) ||
                   (LLVMGetICmpSameSign(o->cmp) && difference(n->g, o->cmp, !less, other, &o->line));
    o->holds = BELOW;
    o->line.of_launch.c -= or_equal;
    return is_line;
}

static bool read_equality(const Narrowing *n, Guard *o, LLVMIntPredicate p) {
    bool is_line = difference(n->g, o->cmp, false, AS_SIGNED, &o->line) ||
                   difference(n->g, o->cmp, false, AS_UNSIGNED, &o->line);
    int64_t step = o->line.x + o->line.y;
    o->holds = (p == LLVMIntEQ) == o->want ? EQUAL : UNEQUAL;
    return is_line && step >= -1 && step <= 1;
}

static bool read_guard(const Narrowing *n, Guard *o) {
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

static bool block_has_effect(const SimdRegion *g, int block) {
    if (g->blocks.at[block].leaves) return true;
    for (int i = g->blocks.at[block].first; i < g->blocks.at[block].first + g->blocks.at[block].n; i++)
        if (has_effect(g->values.at[i].v)) return true;
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

/* Rows of a known length, a group's mostly, keep it: blocks fill them, and ends.c tests these. */
static bool has_fixed_row(const SimdRegion *g) { return LLVMIsAConstantInt(g->x_hi); }

static int n_excluded(const Narrowing *n, bool along_y) {
    int sum = 0;
    for (int i = 0; i < n->n; i++) {
        const Guard *o = &n->guards[i];
        sum += o->holds == UNEQUAL && (along_y ? o->line.y : o->line.x) != 0;
    }
    return sum;
}

static void add_guard(Narrowing *n, int value) {
    SimdRegion *g = n->g;
    LLVMValueRef cmp = g->values.at[value].v;
    LLVMTypeRef t = LLVMIsAICmpInst(cmp) ? LLVMTypeOf(LLVMGetOperand(cmp, 0)) : NULL;
    if (!t || LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64 || n->n == MOST_GUARDS) return;
    for (int want = 0; want < 2; want++) {
        Guard o = {.cmp = cmp, .want = want};
        if (!read_guard(n, &o) || does_anything(g, value, !want)) continue;
        bool is_full = o.holds == UNEQUAL && n_excluded(n, o.line.y != 0) == MOST_EXCLUDED;
        if (is_full || (o.holds == UNEQUAL && LLVMIsAPHINode(LLVMGetFirstInstruction(g->after)))) continue;
        n->guards[n->n++] = o;
        return;
    }
}

static bool find_guards(Narrowing *n) {
    SimdRegion *g = n->g;
    if (has_fixed_row(g) || block_has_effect(g, 0)) return false;
    if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->entry_from)) != 1) return false;
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves) add_guard(n, i);
    return n->n > 0;
}

/* Bounds ----------------------------------------------------------------------------------------------------------- */

typedef struct Bounds {
    LLVMValueRef lo, hi;                     /* lo <= hi */
    LLVMValueRef excluded[MOST_EXCLUDED];    /* none of lo..hi: anything else from lo - 1 to hi */
    int n;
} Bounds;

static LLVMTypeRef wide(const Narrowing *n) { return LLVMIntTypeInContext(n->cg->ctx, 128); }

static LLVMValueRef number(const Narrowing *n, Wide k) {
    return LLVMConstIntOfArbitraryPrecision(wide(n), 2, (uint64_t[]){(uint64_t)k, (uint64_t)(k >> 64)});
}

static LLVMValueRef widened(const Narrowing *n, LLVMValueRef v, bool is_signed) {
    return is_signed ? LLVMBuildSExt(n->b, v, wide(n), "") : LLVMBuildZExt(n->b, v, wide(n), "");
}

static LLVMValueRef written(const Narrowing *n, const Form *f) {
    LLVMValueRef sum = number(n, f->c);
    for (int i = 0; i < f->n; i++) {
        bool is_signed;
        LLVMValueRef v = simd_atom(n->g, f->at[i].atom, &is_signed);
        v = widened(n, LLVMBuildFreeze(n->b, simd_at(n->g, n->b, v, NULL, NULL), ""), is_signed);
        sum = LLVMBuildAdd(n->b, sum, LLVMBuildMul(n->b, v, number(n, f->at[i].k), ""), "");
    }
    return sum;
}

static LLVMValueRef lesser(const Narrowing *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef greater(const Narrowing *n, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntSGT, a, b, ""), a, b, "");
}

static LLVMValueRef clamped(const Narrowing *n, LLVMValueRef v, LLVMValueRef lo, LLVMValueRef hi) {
    v = greater(n, lesser(n, v, widened(n, hi, true)), widened(n, lo, true));
    v = LLVMBuildTrunc(n->b, v, n->cg->i64, "");
    if (LLVMIsATruncInst(v)) LLVMSetNSW(v, true); /* between the loop's bounds */
    return v;
}

/* step * counter + c < 0: the counter is less than -c / step rounded up, or greater than c / -step rounded down. */
static void narrow_below(const Narrowing *n, Bounds *r, int64_t step, LLVMValueRef c) {
    int shift = 0;
    while ((step < 0 ? -step : step) >> shift > 1) shift++;
    LLVMValueRef steps = LLVMBuildAShr(n->b, c, number(n, shift), "");
    if (step > 0) r->hi = clamped(n, LLVMBuildNeg(n->b, steps, ""), r->lo, r->hi);
    else r->lo = clamped(n, LLVMBuildAdd(n->b, steps, number(n, 1), ""), r->lo, r->hi);
}

static void narrow_equal(const Narrowing *n, Bounds *r, bool equal, LLVMValueRef at) {
    if (equal) {
        LLVMValueRef lo = clamped(n, at, r->lo, r->hi);
        r->hi = clamped(n, LLVMBuildAdd(n->b, at, number(n, 1), ""), r->lo, r->hi);
        r->lo = lo;
    } else {
        LLVMValueRef before = LLVMBuildNSWSub(n->b, r->lo, cg_i64(n->cg, 1), "");
        r->excluded[r->n++] = clamped(n, at, before, r->hi);
    }
}

/* A condition of the launch empties the range. */
static void narrow_all(const Narrowing *n, Bounds *r, Holds holds, LLVMValueRef c) {
    LLVMIntPredicate p = holds == BELOW ? LLVMIntSLT : holds == EQUAL ? LLVMIntEQ : LLVMIntNE;
    r->hi = LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, p, c, number(n, 0), ""), r->hi, r->lo, "");
}

static Bounds narrowed(const Narrowing *n, bool along_y, LLVMValueRef lo, LLVMValueRef hi) {
    Bounds r = {.lo = lo, .hi = greater(n, lo, hi)};
    for (int i = 0; i < n->n; i++) {
        const Guard *o = &n->guards[i];
        int64_t step = along_y ? o->line.y : o->line.x;
        bool for_none = !o->line.x && !o->line.y;
        if (!step && !(for_none && !along_y)) continue;
        LLVMValueRef c = written(n, &o->line.of_launch);
        if (!step) narrow_all(n, &r, o->holds, c);
        else if (o->holds == BELOW) narrow_below(n, &r, step, c);
        else narrow_equal(n, &r, o->holds == EQUAL, step > 0 ? LLVMBuildNeg(n->b, c, "") : c);
    }
    return r;
}

/* The nest --------------------------------------------------------------------------------------------------------- */

/* Of a loop whose head begins with its counter and ends with the test of it. */
static void set_bounds(LLVMBasicBlockRef head, LLVMBasicBlockRef from, Bounds bounds) {
    LLVMValueRef counter = LLVMGetFirstInstruction(head);
    LLVMValueRef cmp = LLVMGetCondition(LLVMGetBasicBlockTerminator(head));
    LLVMSetOperand(cmp, LLVMGetOperand(cmp, 0) == counter, bounds.hi);
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++)
        if (LLVMGetIncomingBlock(counter, i) == from) LLVMSetOperand(counter, i, bounds.lo);
}

/* The first item from `at` on that is excluded, or the end. */
static LLVMValueRef next_excluded(const Narrowing *n, const Bounds *r, LLVMValueRef at) {
    LLVMValueRef end = r->hi;
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef ahead = LLVMBuildICmp(n->b, LLVMIntSGE, r->excluded[i], at, "");
        end = LLVMBuildSelect(n->b, ahead, lesser(n, r->excluded[i], end), end, "");
    }
    return end;
}

/* A loop around the nest, from one item that is left out to the next. after: where the nest leads to, which becomes the
 * block that goes on to the next part. The builder is left at the end of a block that leads to the nest. */
static void split_range(Narrowing *n, Bounds *r, LLVMBasicBlockRef *after) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(n->b);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(n->cg->ctx, n->g->fn, "parts");
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(n->cg->ctx, n->g->fn, "parts.next");
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    LLVMValueRef at = LLVMBuildPhi(n->b, n->cg->i64, "part"), end = next_excluded(n, r, at);
    LLVMPositionBuilderAtEnd(n->b, next);
    LLVMValueRef following = LLVMBuildNSWAdd(n->b, end, cg_i64(n->cg, 1), "");
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, following, r->hi, ""), head, *after);
    LLVMAddIncoming(at, (LLVMValueRef[]){r->lo, following}, (LLVMBasicBlockRef[]){from, next}, 2);
    LLVMPositionBuilderAtEnd(n->b, head);
    r->lo = at;
    r->hi = end;
    *after = next;
}

static void write_bounds(Narrowing *n) {
    SimdRegion *g = n->g;
    LLVMBasicBlockRef after = g->after, head = g->y ? g->outer_head : g->inner_head;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    LLVMPositionBuilderBefore(n->b, enter);
    LLVMSetCurrentDebugLocation2(n->b, LLVMInstructionGetDebugLoc(enter));
    Bounds y = {0}, x = narrowed(n, false, g->x_lo, g->x_hi);
    if (g->y) y = narrowed(n, true, g->y_lo, g->y_hi);
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(n->b, g->entry_from);
    if (y.n) split_range(n, &y, &after);
    if (x.n) split_range(n, &x, &after);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, head);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(head), 1, after);
    simd_replace_incoming(n->b, head, g->entry_from, from);
    set_bounds(head, from, g->y ? y : x);
    if (g->y) set_bounds(g->inner_head, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(head), 0), x);
}

static void answer(const Narrowing *n) {
    for (int i = 0; i < n->n; i++) {
        LLVMReplaceAllUsesWith(n->guards[i].cmp, LLVMConstInt(n->cg->i1, n->guards[i].want, false));
        LLVMInstructionEraseFromParent(n->guards[i].cmp);
    }
}

bool simd_narrow_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Narrowing n = {.cg = cg, .g = &g, .b = cg->b};
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return false;
    simd_find_slices(&g);
    if (!find_guards(&n)) return false;
    write_bounds(&n);
    answer(&n);
    return true;
}
