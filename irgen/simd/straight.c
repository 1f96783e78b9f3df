/* straight.c -- merging of blocks that follow one another and are entered from nowhere else, as checks that turn out to
 * be superfluous leave behind. What is accessed in one block can be taken together (parts.c). */
#include "irgen/passes/merge.h"
#include "irgen/simd/simd.h"

static bool is_marked(const Cg *cg, LLVMValueRef t) {
    return LLVMGetMetadata(t, cg->md_items) || LLVMGetMetadata(t, cg->md_rows);
}

/* The block that this one alone leads to, and that leads nowhere but here; NULL: there is none. */
static LLVMBasicBlockRef only_next(const Cg *cg, LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    bool jumps = LLVMIsABranchInst(t) && !LLVMIsConditional(t);
    if (!jumps || is_marked(cg, t)) return NULL;
    LLVMBasicBlockRef next = LLVMGetSuccessor(t, 0);
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(next)); u; u = LLVMGetNextUse(u))
        n += LLVMIsATerminatorInst(LLVMGetUser(u)) != NULL;
    bool is_latch = is_marked(cg, LLVMGetBasicBlockTerminator(next)); /* it stays by itself: region.c */
    return n == 1 && next != bb && !is_latch ? next : NULL;
}

void simd_merge_straight(Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(fn)), next; bb;
         bb = LLVMGetNextBasicBlock(bb))
        while ((next = only_next(cg, bb)) && LLVMKdslMergeIntoPredecessor(next)) continue;
}

/* What an item has left in memory of its own would go on to the next one, until it is known that each item begins by
 * writing there: then the phis for it are used by one another alone. */
void simd_drop_dead_phis(Cg *cg, LLVMValueRef fn) {
    (void)cg;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        LLVMKdslDeleteDeadPhis(bb);
}
