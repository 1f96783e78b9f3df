/* choose.c -- if-conversion. A branch whose paths do nothing but meet again, as of `if a == b { 3 } else { -2 }` and
 * `a > b && c > d`, becomes selections: then a loop around it is straight, which walked.c, carry.c and others ask for,
 * no block has a mask, and what the selections choose between can be narrow. LLVM does the same (SimplifyCFG), but
 * together with much that would change the loops over items.
 *
 * A path is the edge itself, or a few instructions that cost little, can be executed in any case (speculation), and are
 * executed without a mask in vector code anyway. What the phis choose between is there before the branch then; a
 * condition may be poison only where the branch was undefined. */
#include "irgen/passes/merge.h"
#include "irgen/simd/simd.h"

enum { MOST_SPECULATED = 8 }; /* of a path */

typedef struct Choice {
    LLVMBasicBlockRef from, meet;
    LLVMBasicBlockRef by[2]; /* the paths for true and false; NULL: the edge */
} Choice;

static bool is_marked(const Cg *cg, LLVMValueRef t) {
    return LLVMGetMetadata(t, cg->md_items) || LLVMGetMetadata(t, cg->md_rows);
}

/* What may be poison is chosen by nobody then. */
static bool is_cheap(LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: case LLVMLShr: case LLVMAShr: case LLVMAnd: case LLVMOr:
    case LLVMXor: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFNeg: case LLVMICmp: case LLVMFCmp:
    case LLVMSelect: case LLVMZExt: case LLVMSExt: case LLVMTrunc: case LLVMFPExt: case LLVMFPTrunc:
        return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind;
    default: return false;
    }
}

static int n_ways_to(LLVMBasicBlockRef bb) {
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); u; u = LLVMGetNextUse(u))
        n += LLVMIsATerminatorInst(LLVMGetUser(u)) != NULL;
    return n;
}

/* Is it entered by this edge alone, and does it compute a little and go on? Then *to becomes the block after it. */
static LLVMBasicBlockRef path_by(const Cg *cg, LLVMBasicBlockRef *to) {
    LLVMBasicBlockRef path = *to;
    LLVMValueRef v = LLVMGetFirstInstruction(path);
    for (int n = 0; n < MOST_SPECULATED && is_cheap(v); n++) v = LLVMGetNextInstruction(v);
    if (n_ways_to(path) != 1 || !LLVMIsABranchInst(v) || LLVMIsConditional(v) || is_marked(cg, v)) return NULL;
    *to = LLVMGetSuccessor(v, 0);
    return path;
}

/* Both ways lead to one block, and nothing else does. */
static bool find_choice(const Cg *cg, LLVMBasicBlockRef bb, Choice *c) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t) || is_marked(cg, t)) return false;
    LLVMBasicBlockRef to[2] = {LLVMGetSuccessor(t, 0), LLVMGetSuccessor(t, 1)};
    LLVMBasicBlockRef way[2] = {to[0], to[1]};
    *c = (Choice){.from = bb};
    for (int i = 0; i < 2; i++) c->by[i] = path_by(cg, &way[i]);
    if (c->by[0] && way[0] == to[1]) way[1] = to[1], c->by[1] = NULL;
    if (c->by[1] && way[1] == to[0]) way[0] = to[0], c->by[0] = NULL;
    c->meet = way[0];
    return way[0] == way[1] && (c->by[0] || c->by[1]) && c->meet != bb && n_ways_to(c->meet) == 2;
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

/* A copy of what a path computes, where the builder is. */
static void speculate(Cg *cg, LLVMBasicBlockRef path) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(path); !LLVMIsATerminatorInst(v); v = LLVMGetNextInstruction(v)) {
        LLVMValueRef now = LLVMInstructionClone(v);
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
        LLVMInsertIntoBuilder(cg->b, now);
        LLVMReplaceAllUsesWith(v, now);
    }
}

static void choose(Cg *cg, const Choice *c) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->from), condition = LLVMGetCondition(branch), phi;
    LLVMPositionBuilderBefore(cg->b, branch);
    for (int i = 0; i < 2; i++)
        if (c->by[i]) speculate(cg, c->by[i]);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(branch));
    while (LLVMIsAPHINode(phi = LLVMGetFirstInstruction(c->meet))) {
        LLVMValueRef way[2];
        for (int i = 0; i < 2; i++) way[i] = value_by(phi, c->by[i] ? c->by[i] : c->from);
        LLVMValueRef v = way[0] == way[1] ? way[0] : LLVMBuildSelect(cg->b, condition, way[0], way[1], "");
        LLVMReplaceAllUsesWith(phi, v);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMBuildBr(cg->b, c->meet);
    LLVMInstructionEraseFromParent(branch);
    for (int i = 0; i < 2; i++)
        if (c->by[i]) LLVMDeleteBasicBlock(c->by[i]);
    if (!is_marked(cg, LLVMGetBasicBlockTerminator(c->meet))) LLVMKdslMergeIntoPredecessor(c->meet);
}

/* From the last block to the first: of two choices, one in the other, the inner one comes first. What is left of a
 * choice is part of the block before it, if that leads to nowhere else. */
bool simd_choose(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn), before; bb; bb = before) {
        Choice c;
        bool is_choice = find_choice(cg, bb, &c) && are_numbers(&c);
        if (is_choice) choose(cg, &c);
        before = LLVMGetPreviousBasicBlock(bb);
        if (is_choice && !is_marked(cg, LLVMGetBasicBlockTerminator(bb))) LLVMKdslMergeIntoPredecessor(bb);
        any |= is_choice;
    }
    return any;
}
