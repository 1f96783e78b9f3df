/* bounded.c -- widening of induction variables between constants. `for k in 32 { s += w[i, k]; }` counts in 32 bits,
 * as its bound is an i32, and each index is an extension of the counter. It cannot wrap below the bound, so it becomes
 * one of 64 bits, as the counters of loops up to a size are (counters.c has those that may wrap). */
#include "irgen/simd/simd.h"

typedef struct Bounded {
    LLVMValueRef phi, next, test, bound;
    LLVMBasicBlockRef before, latch;
} Bounded;

static bool is_natural(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) >= 0; }

/* phi < constant, as long as the loop goes on */
static bool read_test(Bounded *c, const SimdRegion *g, const SimdLoop *loop) {
    LLVMBasicBlockRef header = g->blocks.at[loop->header].bb;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return false;
    int into = value_map_get(g->block_of, LLVMGetSuccessor(branch, 0));
    c->test = LLVMGetCondition(branch);
    if (into < 0 || !loop->has[into] || !LLVMIsAICmpInst(c->test)) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(c->test);
    c->phi = LLVMGetOperand(c->test, 0);
    c->bound = LLVMGetOperand(c->test, 1);
    bool is_less = (p == LLVMIntSLT || p == LLVMIntULT) && is_natural(c->bound);
    return is_less && LLVMIsAPHINode(c->phi) && LLVMGetInstructionParent(c->phi) == header &&
           LLVMGetIntTypeWidth(LLVMTypeOf(c->phi)) < 64;
}

/* From a constant on, by a constant; at the bound the next step would not wrap either. */
static bool read_steps(Bounded *c, const SimdRegion *g, const SimdLoop *loop) {
    if (LLVMCountIncoming(c->phi) != 2) return false;
    int from = value_map_get(g->block_of, LLVMGetIncomingBlock(c->phi, 0));
    unsigned back = from < 0 || !loop->has[from];
    c->latch = LLVMGetIncomingBlock(c->phi, back);
    c->before = LLVMGetIncomingBlock(c->phi, !back);
    c->next = LLVMGetIncomingValue(c->phi, back);
    bool adds = LLVMIsAInstruction(c->next) && LLVMGetInstructionOpcode(c->next) == LLVMAdd &&
                LLVMGetOperand(c->next, 0) == c->phi;
    LLVMValueRef first = LLVMGetIncomingValue(c->phi, !back);
    if (!adds || !is_natural(LLVMGetOperand(c->next, 1)) || !is_natural(first)) return false;
    int64_t most = (INT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(c->phi)) - 1)) - 1;
    return LLVMConstIntGetSExtValue(c->bound) <= most - LLVMConstIntGetSExtValue(LLVMGetOperand(c->next, 1));
}

static bool is_extended(LLVMValueRef phi) {
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u))
        if (LLVMIsASExtInst(LLVMGetUser(u)) || LLVMIsAZExtInst(LLVMGetUser(u))) return true;
    return false;
}

static LLVMValueRef wide_constant(Cg *cg, LLVMValueRef v) { return cg_i64(cg, LLVMConstIntGetSExtValue(v)); }

static void widen(Cg *cg, const Bounded *c) {
    LLVMBuilderRef b = cg->b;
    LLVMBasicBlockRef header = LLVMGetInstructionParent(c->phi);
    LLVMValueRef first = LLVMGetIncomingValue(c->phi, LLVMGetIncomingBlock(c->phi, 0) == c->latch);
    LLVMPositionBuilderBefore(b, c->phi);
    LLVMValueRef wide = LLVMBuildPhi(b, cg->i64, "");
    LLVMPositionBuilderBefore(b, c->next);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(c->next));
    LLVMValueRef next = LLVMBuildNSWAdd(b, wide, wide_constant(cg, LLVMGetOperand(c->next, 1)), "");
    LLVMSetNUW(next, true);
    LLVMAddIncoming(wide, (LLVMValueRef[]){wide_constant(cg, first), next}, (LLVMBasicBlockRef[]){c->before, c->latch},
                    2);
    for (LLVMUseRef u = LLVMGetFirstUse(c->phi), after; u; u = after) {
        after = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        bool extends = LLVMIsASExtInst(user) || LLVMIsAZExtInst(user);
        if (extends && LLVMTypeOf(user) == cg->i64) LLVMReplaceAllUsesWith(user, wide);
    }
    LLVMPositionBuilderBefore(b, c->test);
    LLVMReplaceAllUsesWith(c->test, LLVMBuildICmp(b, LLVMIntSLT, wide, wide_constant(cg, c->bound), ""));
    LLVMValueRef at = LLVMGetFirstInstruction(header);
    while (LLVMIsAPHINode(at)) at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    LLVMValueRef narrow = LLVMBuildTrunc(b, wide, LLVMTypeOf(c->phi), "");
    LLVMSetNSW(narrow, true);
    LLVMSetNUW(narrow, true);
    LLVMReplaceAllUsesWith(c->phi, narrow);
    LLVMInstructionEraseFromParent(c->phi);
}

static bool widen_one(Cg *cg, const SimdRegion *g) {
    for (int l = 0; l < g->loops.n; l++) {
        Bounded c = {0};
        if (!read_test(&c, g, &g->loops.at[l]) || !read_steps(&c, g, &g->loops.at[l]) || !is_extended(c.phi)) continue;
        widen(cg, &c);
        return true;
    }
    return false;
}

bool simd_widen_bounded_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false;
    while (simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) && widen_one(cg, &g)) any = true;
    return any;
}
