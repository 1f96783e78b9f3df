/* narrow.c -- loop bound narrowing (guard elimination): where an item whose index fails a comparison does nothing
 * (guards.c), the comparison becomes the bounds of the loop over the items; an equality that leaves out one item splits
 * its range. What is left has no branch, so its rows are aligned, streamed, overlapped and jammed as those of a kernel
 * without guards. Comparisons of both counters have bounds that change from row to row, which are trim.c's. */
#include "irgen/simd/guards.h"

/* Rows of a known length, a group's mostly, keep it: blocks fill them, and ends.c tests these. */
static bool has_fixed_row(const SimdRegion *g) { return LLVMIsAConstantInt(g->x_hi); }

static bool find_guards(Guards *n) {
    SimdRegion *g = n->g;
    if (has_fixed_row(g) || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->entry_from)) != 1) return false;
    guards_find(n);
    return n->n > 0;
}

/* A condition of the launch empties the range. */
static void narrow_all(const Guards *n, Bounds *r, Holds holds, LLVMValueRef c) {
    LLVMIntPredicate p = holds == BELOW ? LLVMIntSLT : holds == EQUAL ? LLVMIntEQ : LLVMIntNE;
    r->hi = LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, p, c, guard_number(n, 0), ""), r->hi, r->lo, "");
}

static Bounds narrowed(const Guards *n, bool along_y, LLVMValueRef lo, LLVMValueRef hi) {
    Bounds r = {.lo = lo, .hi = guards_most(n, lo, hi)};
    for (int i = 0; i < n->n; i++) {
        const Guard *o = &n->at[i];
        int64_t step = along_y ? o->line.y : o->line.x;
        bool for_none = !o->line.x && !o->line.y;
        if (!step && !(for_none && !along_y)) continue;
        LLVMValueRef c = guard_rest(n, o, NULL);
        if (!step) narrow_all(n, &r, o->holds, c);
        else if (o->holds == BELOW) guard_below(n, &r, step, c);
        else guard_equal(n, &r, o->holds == EQUAL, step > 0 ? LLVMBuildNeg(n->b, c, "") : c);
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
static LLVMValueRef next_excluded(const Guards *n, const Bounds *r, LLVMValueRef at) {
    LLVMValueRef end = r->hi;
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef ahead = LLVMBuildICmp(n->b, LLVMIntSGE, r->excluded[i], at, "");
        end = LLVMBuildSelect(n->b, ahead, guards_least(n, r->excluded[i], end), end, "");
    }
    return end;
}

/* A loop around the nest, from one item that is left out to the next. after: where the nest leads to, which becomes the
 * block that goes on to the next part. The builder is left at the end of a block that leads to the nest. */
static void split_range(Guards *n, Bounds *r, LLVMBasicBlockRef *after) {
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

static void write_bounds(Guards *n) {
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

static void answer(const Guards *n) {
    for (int i = 0; i < n->n; i++) {
        LLVMReplaceAllUsesWith(n->at[i].cmp, LLVMConstInt(n->cg->i1, n->at[i].want, false));
        LLVMInstructionEraseFromParent(n->at[i].cmp);
    }
}

bool simd_narrow_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Guards n = {.cg = cg, .g = &g, .b = cg->b};
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return false;
    simd_find_slices(&g);
    if (!find_guards(&n)) return false;
    write_bounds(&n);
    answer(&n);
    return true;
}
