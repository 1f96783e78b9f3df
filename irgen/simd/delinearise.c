/* delinearise.c -- delinearisation of loops over items with constant bounds. In a group of 256 items of one axis,
 * `t.local / 16` and `t.local % 16` are the row and the column of an item in a tile. The loop over the items becomes a
 * nest of 16 rows of 16: the quotient is then the counter of the rows, the same for a whole row, and the remainder is
 * the counter of the items, so accesses that no analysis of the division would show to be contiguous are, and rows
 * share loads. Shifts and masks, into which LLVM makes divisions by powers of two, are quotients and remainders as
 * well.
 *
 * Legal because items run in the same order as before: the loop counts from 0 up to a constant that is a multiple of
 * the divisor, so x = y * divisor + x' with 0 <= x' < divisor takes the same values one after the other. */
#include "irgen/simd/simd.h"

/* Shorter rows are less than a vector of 32-bit numbers. */
enum { LEAST_ROW = 8, MOST_DIVISORS = 16 };

typedef struct Split {
    Cg *cg;
    SimdRegion *g;
    int64_t items, row;
    LLVMValueRef x, y;           /* the counters of the new nest */
} Split;

/* Reading the divisions
 * ------------------------------------------------------------------------------------------------ */

typedef struct Division {
    int64_t by;
    bool is_remainder;
} Division;

/* x / by or x % by; no counter is negative, so with and without signs they are the same. by = 0: anything else. */
static Division division_of(LLVMValueRef v, LLVMValueRef x) {
    Division none = {0};
    if (!LLVMIsABinaryOperator(v) || LLVMGetOperand(v, 0) != x || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return none;
    int64_t k = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMUDiv: case LLVMSDiv: return (Division){k > 0 ? k : 0, false};
    case LLVMURem: case LLVMSRem: return (Division){k > 0 ? k : 0, true};
    case LLVMLShr: case LLVMAShr: return (Division){k < 32 ? INT64_C(1) << k : 0, false};
    case LLVMAnd: return (Division){k > 0 && (k & (k + 1)) == 0 ? k + 1 : 0, true};
    default: return none;
    }
}

static bool is_row_of(const Split *s, int64_t by) {
    return by >= LEAST_ROW && by < s->items && s->items % by == 0;
}

/* Does what items do depend on v, other than what they report where they leave? */
static bool is_for_items(const SimdRegion *g, LLVMValueRef v, int depth) {
    enum { DEEPEST = 8 };
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int block = value_map_get(g->block_of, LLVMGetInstructionParent(user));
        if (block >= 0 && g->blocks.at[block].leaves) continue;
        bool leads = simd_is_plain(user) && depth < DEEPEST;
        if (!leads || is_for_items(g, user, depth + 1)) return true;
    }
    return false;
}

/* The least divisor that makes rows; 0: none. */
static int64_t find_row(const Split *s) {
    int64_t least = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(s->g->x); u; u = LLVMGetNextUse(u)) {
        int64_t by = division_of(LLVMGetUser(u), s->g->x).by;
        bool is_less = is_row_of(s, by) && (!least || by < least);
        if (is_less && is_for_items(s->g, LLVMGetUser(u), 0)) least = by;
    }
    return least;
}

/* Writing them
 * --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef number(const Split *s, int64_t k) { return cg_i64(s->cg, k); }

static LLVMValueRef whole(const Split *s, LLVMValueRef row) {
    LLVMValueRef before = LLVMBuildNSWMul(s->cg->b, row, number(s, s->row), "");
    LLVMSetNUW(before, true);
    LLVMValueRef sum = LLVMBuildNSWAdd(s->cg->b, before, s->x, "");
    LLVMSetNUW(sum, true);
    return sum;
}

/* With x = y * row + x', and by = row * k: x / by = y / k and x % by = (y % k) * row + x'. */
static LLVMValueRef divided(const Split *s, Division d) {
    LLVMBuilderRef b = s->cg->b;
    int64_t k = d.by / s->row;
    if (!d.is_remainder) return k == 1 ? s->y : LLVMBuildUDiv(b, s->y, number(s, k), "");
    return k == 1 ? s->x : whole(s, LLVMBuildURem(b, s->y, number(s, k), ""));
}

static bool is_in_latch(const Split *s, LLVMValueRef user) {
    return LLVMGetInstructionParent(user) == s->g->exit || LLVMGetInstructionParent(user) == s->g->inner_head;
}

/* Each use in the items by its part of the new counters. old: the old counter, as the items still use it. */
static void replace_divisions(Split *s, LLVMValueRef old) {
    for (LLVMUseRef u = LLVMGetFirstUse(old), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        Division d = division_of(user, old);
        if (!d.by || d.by % s->row) continue;
        LLVMPositionBuilderBefore(s->cg->b, user);
        LLVMSetCurrentDebugLocation2(s->cg->b, LLVMInstructionGetDebugLoc(user));
        LLVMReplaceAllUsesWith(user, divided(s, d));
    }
}

/* A loop of rows around the items' loop, which counts to the length of a row. */
static void write_rows(Split *s, LLVMValueRef latch) {
    SimdRegion *g = s->g;
    LLVMBuilderRef b = s->cg->b;
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(s->cg->ctx, g->fn, "rows");
    LLVMBasicBlockRef enter = LLVMAppendBasicBlockInContext(s->cg->ctx, g->fn, "row");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(s->cg->ctx, g->fn, "row.done");
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(latch));
    LLVMPositionBuilderAtEnd(b, head);
    s->y = LLVMBuildPhi(b, s->cg->i64, "row");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntSLT, s->y, number(s, s->items / s->row), "");
    LLVMBuildCondBr(b, more, enter, g->after);
    LLVMPositionBuilderAtEnd(b, enter);
    LLVMBuildBr(b, g->inner_head);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef next = LLVMBuildNSWAdd(b, s->y, number(s, 1), "");
    LLVMSetNUW(next, true);
    LLVMValueRef back = LLVMBuildBr(b, head);
    LLVMSetMetadata(back, s->cg->md_rows, LLVMMetadataAsValue(s->cg->ctx, LLVMMDNodeInContext2(s->cg->ctx, NULL, 0)));
    LLVMAddIncoming(s->y, (LLVMValueRef[]){number(s, 0), next}, (LLVMBasicBlockRef[]){g->entry_from, done}, 2);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->entry_from);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (LLVMGetSuccessor(t, i) == g->inner_head) LLVMSetSuccessor(t, i, head);
    simd_replace_incoming(b, g->inner_head, g->entry_from, enter);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(g->inner_head), 1, done);
    LLVMValueRef cond = LLVMGetCondition(LLVMGetBasicBlockTerminator(g->inner_head));
    LLVMSetOperand(cond, LLVMGetOperand(cond, 0) == LLVMGetFirstInstruction(g->inner_head), number(s, s->row));
}

/* The items' own counter, of which only the loop itself is left to use the phi. */
static void replace_counter(Split *s) {
    SimdRegion *g = s->g;
    s->x = LLVMGetFirstInstruction(g->inner_head); /* simd_replace_incoming has made another */
    LLVMValueRef first = LLVMGetFirstInstruction(g->body);
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(s->cg->b, first);
    LLVMValueRef old = LLVMBuildFreeze(s->cg->b, s->x, "");
    LLVMValueRef sum = whole(s, s->y);
    for (LLVMUseRef u = LLVMGetFirstUse(s->x), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        for (next = LLVMGetNextUse(u); next && LLVMGetUser(next) == user;) next = LLVMGetNextUse(next);
        if (user == old || user == sum || is_in_latch(s, user)) continue;
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == s->x) LLVMSetOperand(user, (unsigned)i, old);
    }
    replace_divisions(s, old);
    LLVMReplaceAllUsesWith(old, sum);
    LLVMInstructionEraseFromParent(old);
}

/* The latch counts by itself; the items may have computed the next number for themselves. */
static void count_in_latch(Split *s) {
    SimdRegion *g = s->g;
    bool second = LLVMGetIncomingBlock(g->x, 1) == g->exit;
    if (LLVMGetInstructionParent(LLVMGetIncomingValue(g->x, second)) == g->exit) return;
    LLVMPositionBuilderBefore(s->cg->b, LLVMGetBasicBlockTerminator(g->exit));
    LLVMSetCurrentDebugLocation2(s->cg->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(g->exit)));
    LLVMValueRef next = LLVMBuildNSWAdd(s->cg->b, g->x, number(s, 1), "");
    LLVMSetNUW(next, true);
    LLVMSetOperand(g->x, second, next);
}

bool simd_delinearise_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Split s = {.cg = cg, .g = &g};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    if (!simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) || g.y) return false;
    if (LLVMIsAPHINode(LLVMGetFirstInstruction(g.after)) || !LLVMIsAConstantInt(g.x_lo) || !LLVMIsNull(g.x_lo))
        return false;
    s.items = simd_trips(g.x_lo, g.x_hi);
    s.row = find_row(&s);
    if (!s.row) return false;
    if (outer_latch) LLVMSetMetadata(outer_latch, cg->md_rows, NULL); /* a loop of one iteration */
    count_in_latch(&s);
    write_rows(&s, latch);
    replace_counter(&s);
    return true;
}
