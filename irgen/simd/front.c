/* front.c -- index-set splitting of a counted loop: its first iterations become a loop of their own before it, one or
 * several at a time. The iterations keep their order.
 *
 *     for k in lo..hi { k }   ==>   for k in lo..end by rounds { k; k + 1; ... }   for k in end..hi { k } */
#include "irgen/simd/simd.h"

typedef struct Front {
    Cg *cg;
    SimdRegion *g;
    const SimdCounted *c;
    LLVMBasicBlockRef head, body;
    LLVMBasicBlockRef exit;        /* where items that leave at different times wait for each other */
    LLVMValueRef counter;          /* of the first round of those taken at a time */
    LLVMValueRef *now;             /* by instruction of the body: in the round at hand */
    LLVMValueRef *phis, *carried;  /* the header's, anew; and what goes on to the round at hand */
    LLVMValueRef *old;
    int n_phis;
} Front;

/* Phis, the comparison and the branch. */
static bool only_counts(const SimdCounted *c) {
    LLVMValueRef v = LLVMGetFirstInstruction(c->head), branch = LLVMGetBasicBlockTerminator(c->head);
    for (; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v))
        if (LLVMCountIncoming(v) != 2) return false;
    return v == LLVMGetCondition(branch) && LLVMGetNextInstruction(v) == branch;
}

bool simd_may_have_front(const SimdCounted *c) { return !c->checks && only_counts(c); }

static LLVMValueRef now(const Front *f, LLVMValueRef v) {
    for (int i = 0; i < f->c->n; i++)
        if (f->g->values.at[f->c->of[i]].v == v) return f->now[i];
    for (int k = 0; k < f->n_phis; k++)
        if (f->old[k] == v) return f->carried[k];
    return v;
}

static void begin_loop(Front *f, LLVMValueRef end) {
    LLVMBuilderRef b = f->cg->b;
    LLVMBasicBlockRef before = f->c->before;
    LLVMPositionBuilderAtEnd(b, f->head);
    for (int k = 0; k < f->n_phis; k++) {
        f->phis[k] = f->carried[k] = LLVMBuildPhi(b, LLVMTypeOf(f->old[k]), "");
        LLVMValueRef from_before = simd_coming(f->c, f->old[k], false);
        LLVMAddIncoming(f->phis[k], &from_before, &before, 1);
        if (f->old[k] == f->c->counter) f->counter = f->phis[k];
    }
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, f->counter, end, ""), f->body, f->exit);
    LLVMPositionBuilderAtEnd(b, f->exit);
    LLVMBuildBr(b, f->c->head);
}

/* Each round computes its counter from the first one's, so that addresses differ from its addresses by constants. */
static void write_round(Front *f, int round) {
    LLVMValueRef next = simd_coming(f->c, f->c->counter, true);
    LLVMValueRef *after = arena_array(f->g->arena, LLVMValueRef, f->n_phis);
    for (int i = 0; i < f->c->n; i++) {
        LLVMValueRef v = f->g->values.at[f->c->of[i]].v;
        if (v == next) {
            f->now[i] = LLVMBuildNSWAdd(f->cg->b, f->counter, cg_i64(f->cg, round + 1), "");
            continue;
        }
        if (round && simd_is_invariant(f->g, (int)(f->c->loop - f->g->loops.at), v)) continue;
        LLVMValueRef again = f->now[i] = LLVMInstructionClone(v);
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            LLVMSetOperand(again, (unsigned)k, now(f, LLVMGetOperand(v, (unsigned)k)));
        LLVMSetCurrentDebugLocation2(f->cg->b, LLVMInstructionGetDebugLoc(v));
        LLVMInsertIntoBuilder(f->cg->b, again);
    }
    for (int k = 0; k < f->n_phis; k++) after[k] = now(f, simd_coming(f->c, f->old[k], true));
    for (int k = 0; k < f->n_phis; k++) f->carried[k] = after[k];
}

/* The rest of the rounds begins with what the others have left: its counter. */
static LLVMValueRef enter_rest(Front *f) {
    LLVMBasicBlockRef from[2] = {f->exit, f->c->body};
    LLVMValueRef counter = NULL;
    for (int k = 0; k < f->n_phis; k++) {
        LLVMPositionBuilderBefore(f->cg->b, f->old[k]);
        LLVMValueRef rest = LLVMBuildPhi(f->cg->b, LLVMTypeOf(f->old[k]), "");
        LLVMValueRef values[2] = {f->phis[k], simd_coming(f->c, f->old[k], true)};
        if (values[1] == f->old[k]) values[1] = rest;
        LLVMReplaceAllUsesWith(f->old[k], rest);
        LLVMAddIncoming(rest, values, from, 2);
        if (f->old[k] == f->c->counter) counter = rest;
    }
    for (int k = 0; k < f->n_phis; k++) LLVMInstructionEraseFromParent(f->old[k]);
    return counter;
}

static void find_phis(Front *f) {
    LLVMValueRef first = LLVMGetFirstInstruction(f->c->head);
    for (LLVMValueRef v = first; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) f->n_phis++;
    f->old = arena_array(f->g->arena, LLVMValueRef, 3 * f->n_phis);
    f->phis = f->old + f->n_phis;
    f->carried = f->phis + f->n_phis;
    LLVMValueRef v = first;
    for (int k = 0; k < f->n_phis; k++, v = LLVMGetNextInstruction(v)) f->old[k] = v;
}

SimdFront simd_write_front(Cg *cg, SimdRegion *g, const SimdCounted *c, LLVMValueRef end, int rounds) {
    Front f = {.cg = cg, .g = g, .c = c, .now = arena_array(g->arena, LLVMValueRef, c->n + 1)};
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(c->before);
    find_phis(&f);
    f.head = LLVMInsertBasicBlockInContext(cg->ctx, c->head, "front");
    f.body = LLVMInsertBasicBlockInContext(cg->ctx, c->head, "rounds");
    f.exit = LLVMInsertBasicBlockInContext(cg->ctx, c->head, "front.done");
    for (unsigned i = 0; i < LLVMGetNumSuccessors(enter); i++)
        if (LLVMGetSuccessor(enter, i) == c->head) LLVMSetSuccessor(enter, i, f.head);
    begin_loop(&f, end);
    LLVMPositionBuilderAtEnd(cg->b, f.body);
    for (int round = 0; round < rounds; round++) write_round(&f, round);
    LLVMBuildBr(cg->b, f.head);
    for (int k = 0; k < f.n_phis; k++) LLVMAddIncoming(f.phis[k], &f.carried[k], &f.body, 1);
    return (SimdFront){f.head, f.exit, enter_rest(&f)};
}
