/* dropped.c -- removes versions of loops that were made for vector code and of which none came: those of a domain in
 * rows (delinearisation) and of indices that do not wrap (nowrap.c). As scalar code they are only more code, with a
 * test before it. The branch of the test and the branch back of the version are marked; a loop that has become vector
 * code has lost its mark. A test with a known result stays: nothing is left of the loop that it does not lead to. */
#include "irgen/simd/module.h"
#include "irgen/simd/simd.h"

typedef Vec(LLVMBasicBlockRef) Blocks;

static bool has(const Blocks *all, LLVMBasicBlockRef bb) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i] == bb) return true;
    return false;
}

/* The blocks that are reached from `bb`, but not through the block of the test. */
static Blocks reached(Cg *cg, LLVMBasicBlockRef test, LLVMBasicBlockRef bb) {
    Blocks all = {0};
    vec_push(&cg->c->arena, &all, bb);
    for (int i = 0; i < all.n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(all.at[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(t, k);
            if (to != test && !has(&all, to)) vec_push(&cg->c->arena, &all, to);
        }
    }
    return all;
}

/* Is there a loop of a version that is still scalar, where only one successor leads to? */
static bool is_scalar_version(Cg *cg, const Blocks *of, const Blocks *other) {
    for (int i = 0; i < of->n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(of->at[i]);
        bool is_latch = LLVMGetMetadata(t, cg->md_items) != NULL;
        if (is_latch && LLVMGetMetadata(t, cg->md_version) && !has(other, of->at[i])) return true;
    }
    return false;
}

void simd_drop_scalar_versions(Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        bool is_test = t && LLVMIsABranchInst(t) && LLVMIsConditional(t) && LLVMGetMetadata(t, cg->md_version);
        if (!is_test || LLVMGetMetadata(t, cg->md_items) || LLVMIsConstant(LLVMGetCondition(t))) continue;
        Blocks to[2];
        for (unsigned i = 0; i < 2; i++) to[i] = reached(cg, bb, LLVMGetSuccessor(t, i));
        for (int i = 0; i < 2; i++)
            if (is_scalar_version(cg, &to[i], &to[!i])) LLVMSetCondition(t, LLVMConstInt(cg->i1, i == 1, false));
    }
}
