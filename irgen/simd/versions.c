/* versions.c -- a nest in two versions (loop versioning): one for the rectangles of items for which a condition holds,
 * in which what follows from it is changed, and a copy, left as it was and mostly scalar, for all others. */
#include "irgen/passes/clone.h"
#include "irgen/simd/interval.h"

typedef Vec(LLVMBasicBlockRef) Blocks;

/* The head first. */
static Blocks blocks_of(const SimdRegion *g) {
    Blocks all = {0};
    if (g->y) vec_push(g->arena, &all, g->outer_head);
    vec_push(g->arena, &all, g->inner_head);
    vec_push(g->arena, &all, g->exit);
    if (g->y) {
        vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->outer_head), 0));
        vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->inner_head), 1));
    }
    for (int i = 0; i < g->blocks.n; i++) vec_push(g->arena, &all, g->blocks.at[i].bb);
    return all;
}

static bool has(const Blocks *all, LLVMBasicBlockRef bb) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i] == bb) return true;
    return false;
}

/* Its values are used inside, and from outside it is entered at the head only. */
static bool is_closed(const Blocks *all, LLVMBasicBlockRef head) {
    for (int i = 0; i < all->n; i++) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(all->at[i]); v; v = LLVMGetNextInstruction(v))
            for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
                if (!has(all, LLVMGetInstructionParent(LLVMGetUser(u)))) return false;
        LLVMUseRef ways = all->at[i] == head ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(all->at[i]));
        for (LLVMUseRef u = ways; u; u = LLVMGetNextUse(u))
            if (LLVMIsATerminatorInst(LLVMGetUser(u)) && !has(all, LLVMGetInstructionParent(LLVMGetUser(u))))
                return false;
    }
    return true;
}

/* Scalar: its loops are not marked. */
static LLVMBasicBlockRef copy_of(Cg *cg, const Blocks *all, LLVMBasicBlockRef head, bool stays_scalar) {
    LLVMBasicBlockRef copy = LLVMKdslCloneBlocks(all->at, (unsigned)all->n, head);
    if (!stays_scalar) return copy;
    for (LLVMBasicBlockRef bb = copy; bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsABranchInst(t) || has(all, bb)) continue;
        LLVMSetMetadata(t, cg->md_items, NULL);
        LLVMSetMetadata(t, cg->md_rows, NULL);
        LLVMSetMetadata(t, cg->md_version, NULL);
    }
    return copy;
}

/* dropped.c removes the version if it stays scalar. */
static void mark_version(Cg *cg, const Blocks *all, LLVMValueRef test) {
    LLVMValueRef mark = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    LLVMSetMetadata(test, cg->md_version, mark);
    for (int i = 0; i < all->n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(all->at[i]);
        if (LLVMGetMetadata(t, cg->md_items)) LLVMSetMetadata(t, cg->md_version, mark);
    }
}

/* The change comes before the heads have other phis. */
bool simd_make_versions(Cg *cg, const SimdRegion *g, const SimdVersioning *v) {
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    if (LLVMGetNumSuccessors(enter) != 1) return false;
    Blocks all = blocks_of(g);
    LLVMBasicBlockRef head = g->y ? g->outer_head : g->inner_head;
    if (!is_closed(&all, head)) return false;
    LLVMBasicBlockRef copy = copy_of(cg, &all, head, !v->both);
    LLVMBasicBlockRef holds = LLVMInsertBasicBlockInContext(cg->ctx, head, "holds");
    LLVMBasicBlockRef fails = LLVMInsertBasicBlockInContext(cg->ctx, copy, "fails");
    LLVMPositionBuilderBefore(cg->b, enter);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(enter));
    LLVMValueRef test = LLVMBuildCondBr(cg->b, v->condition(v->of), holds, fails);
    LLVMInstructionEraseFromParent(enter);
    if (v->for_vectors) mark_version(cg, &all, test);
    v->change(v->of);
    LLVMBasicBlockRef to[2][2] = {{holds, head}, {fails, copy}};
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(cg->b, to[i][0]);
        LLVMBuildBr(cg->b, to[i][1]);
        simd_replace_incoming(cg->b, to[i][1], g->entry_from, to[i][0]);
    }
    return true;
}
