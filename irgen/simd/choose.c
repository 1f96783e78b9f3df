/* choose.c -- if-conversion. A branch whose paths do nothing but meet again, as of `if a == b { 3 } else { -2 }` and
 * `a > b && c > d`, becomes selections: then a loop around it is straight, which walked.c, carry.c and others ask for, no
 * block has a mask, and what the selections choose between can be narrow. LLVM does the same (SimplifyCFG), but together
 * with much that would change the loops over items.
 *
 * A path is the edge itself, or a few instructions that cost little, can be executed in any case (speculation), and are
 * executed without a mask in vector code anyway. What the phis choose between is there before the branch then; a
 * condition may be poison only where the branch was undefined. */
#include "irgen/simd/simd.h"

enum { MOST_SPECULATED = 8 }; /* of a path */

/* A way from a branch to the block where the ways meet: `begin` to `end`, blocks that lead to each other alone. */
typedef struct Path {
    LLVMBasicBlockRef begin, end; /* NULL: the edge */
} Path;

typedef struct Choice {
    LLVMBasicBlockRef from, meet;
    Path by[2];                   /* for true and false */
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

/* The block after the longest path that begins with this edge; NULL: it is none. */
static LLVMBasicBlockRef after_path(const Cg *cg, LLVMBasicBlockRef to, Path *path) {
    int n = 0;
    *path = (Path){NULL, NULL};
    while (n_ways_to(to) == 1) {
        LLVMValueRef v = LLVMGetFirstInstruction(to);
        for (; n < MOST_SPECULATED && is_cheap(v); n++) v = LLVMGetNextInstruction(v);
        if (!LLVMIsABranchInst(v) || LLVMIsConditional(v) || is_marked(cg, v)) return NULL;
        if (!path->begin) path->begin = to;
        path->end = to;
        to = LLVMGetSuccessor(v, 0);
    }
    return to;
}

/* Both ways lead to one block, and nothing else does. */
static bool find_choice(const Cg *cg, LLVMBasicBlockRef bb, Choice *c) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t) || is_marked(cg, t)) return false;
    *c = (Choice){.from = bb};
    LLVMBasicBlockRef yes = after_path(cg, LLVMGetSuccessor(t, 0), &c->by[0]);
    LLVMBasicBlockRef no = after_path(cg, LLVMGetSuccessor(t, 1), &c->by[1]);
    bool is_choice = c->by[0].begin || c->by[1].begin;
    c->meet = yes;
    return is_choice && yes && yes == no && yes != bb && n_ways_to(yes) == 2;
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
static void speculate(Cg *cg, const Path *path) {
    for (LLVMBasicBlockRef bb = path->begin; bb;) {
        LLVMValueRef v = LLVMGetFirstInstruction(bb);
        for (; !LLVMIsATerminatorInst(v); v = LLVMGetNextInstruction(v)) {
            LLVMValueRef now = LLVMInstructionClone(v);
            LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
            LLVMInsertIntoBuilder(cg->b, now);
            LLVMReplaceAllUsesWith(v, now);
        }
        bb = bb == path->end ? NULL : LLVMGetSuccessor(v, 0);
    }
}

static void delete_path(const Path *path) {
    for (LLVMBasicBlockRef bb = path->begin; bb;) {
        LLVMBasicBlockRef next = bb == path->end ? NULL : LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bb), 0);
        LLVMDeleteBasicBlock(bb);
        bb = next;
    }
}

static void choose(Cg *cg, const Choice *c) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->from), condition = LLVMGetCondition(branch), phi;
    LLVMPositionBuilderBefore(cg->b, branch);
    for (int i = 0; i < 2; i++) speculate(cg, &c->by[i]);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(branch));
    while (LLVMIsAPHINode(phi = LLVMGetFirstInstruction(c->meet))) {
        LLVMValueRef way[2];
        for (int i = 0; i < 2; i++) way[i] = value_by(phi, c->by[i].end ? c->by[i].end : c->from);
        LLVMValueRef v = way[0] == way[1] ? way[0] : LLVMBuildSelect(cg->b, condition, way[0], way[1], "");
        LLVMReplaceAllUsesWith(phi, v);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMBuildBr(cg->b, c->meet);
    LLVMInstructionEraseFromParent(branch);
    for (int i = 0; i < 2; i++) delete_path(&c->by[i]);
}

/* From the last block to the first: of two choices, one in the other, the inner one comes first. */
bool simd_choose(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn); bb; bb = LLVMGetPreviousBasicBlock(bb)) {
        Choice c;
        if (!find_choice(cg, bb, &c) || !are_numbers(&c)) continue;
        choose(cg, &c);
        any = true;
    }
    return any;
}
