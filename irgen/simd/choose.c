/* choose.c -- if-conversion. A branch whose paths do nothing but meet again, as of `if a == b { 3 } else { -2 }`,
 * becomes selections: then a loop around it is straight, which walked.c, carry.c and others ask for, and no block has a
 * mask. LLVM does the same (SimplifyCFG), but together with much that would change the loops over items.
 *
 * A path is a block without instructions, or the edge itself. What the phis choose between is there before the branch;
 * a condition may be poison only where the branch was undefined. */
#include "irgen/simd/simd.h"

typedef struct Choice {
    LLVMBasicBlockRef from, meet;
    LLVMBasicBlockRef by[2]; /* of the paths for true and false, the block before `meet` */
} Choice;

static bool is_marked(const Cg *cg, LLVMValueRef t) {
    return LLVMGetMetadata(t, cg->md_items) || LLVMGetMetadata(t, cg->md_rows);
}

/* A block that does nothing but jump, entered from here alone; or the block where the paths meet. */
static LLVMBasicBlockRef after_path(const Cg *cg, LLVMBasicBlockRef path) {
    LLVMValueRef first = LLVMGetFirstInstruction(path);
    if (!LLVMIsABranchInst(first) || LLVMIsConditional(first) || is_marked(cg, first)) return NULL;
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(path));
    return use && !LLVMGetNextUse(use) ? LLVMGetSuccessor(first, 0) : NULL;
}

/* Both ways lead to one block, and nothing else does. */
static bool find_choice(const Cg *cg, LLVMBasicBlockRef bb, Choice *c) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t) || is_marked(cg, t)) return false;
    LLVMBasicBlockRef way[2] = {LLVMGetSuccessor(t, 0), LLVMGetSuccessor(t, 1)};
    LLVMBasicBlockRef after[2] = {after_path(cg, way[0]), after_path(cg, way[1])};
    *c = (Choice){.from = bb, .by = {bb, bb}};
    if (way[0] == way[1]) return false;
    if (after[0] && after[0] == after[1]) c->meet = after[0], c->by[0] = way[0], c->by[1] = way[1];
    else if (after[0] == way[1]) c->meet = way[1], c->by[0] = way[0];
    else if (after[1] == way[0]) c->meet = way[0], c->by[1] = way[1];
    return c->meet && c->meet != bb;
}

static int n_ways_to(LLVMBasicBlockRef bb) {
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); u; u = LLVMGetNextUse(u))
        n += LLVMIsATerminatorInst(LLVMGetUser(u)) != NULL;
    return n;
}

static LLVMValueRef value_by(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static bool are_numbers(const Choice *c) {
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->meet); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind) return false; /* translate.c */
    return LLVMIsAPHINode(LLVMGetFirstInstruction(c->meet));
}

static void choose(Cg *cg, const Choice *c) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->from), condition = LLVMGetCondition(branch), phi;
    LLVMPositionBuilderBefore(cg->b, branch);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(branch));
    while (LLVMIsAPHINode(phi = LLVMGetFirstInstruction(c->meet))) {
        LLVMValueRef yes = value_by(phi, c->by[0]), no = value_by(phi, c->by[1]);
        LLVMValueRef v = yes == no ? yes : LLVMBuildSelect(cg->b, condition, yes, no, "");
        LLVMReplaceAllUsesWith(phi, v);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMSetCondition(branch, LLVMConstInt(cg->i1, 1, false)); /* SCCP takes the other way out */
}

bool simd_choose(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        Choice c;
        if (!find_choice(cg, bb, &c) || n_ways_to(c.meet) != 2 || !are_numbers(&c)) continue;
        choose(cg, &c);
        any = true;
    }
    return any;
}
