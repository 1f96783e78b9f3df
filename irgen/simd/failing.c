/* failing.c -- jump threading of failed checks. A function that a kernel calls says in a bit whether a check in it has
 * failed, and its caller leaves by that bit. Once the function is inlined, the paths meet, and part again where the bit
 * is asked; here the paths on which it is known to be set go straight to the way out, as those of a kernel's own checks
 * do. Then the region of the work items has no paths that meet again after a failed check. */
#include "irgen/simd/simd.h"

/* Is it a chain of blocks that ends with the function? */
static bool leads_out(LLVMBasicBlockRef bb) {
    enum { LONGEST = 8 };
    for (int i = 0; i < LONGEST; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (LLVMIsAPHINode(LLVMGetFirstInstruction(bb))) return false;
        if (LLVMIsAReturnInst(t) || LLVMIsAUnreachableInst(t)) return true;
        if (!LLVMIsABranchInst(t) || LLVMIsConditional(t)) return false;
        bb = LLVMGetSuccessor(t, 0);
    }
    return false;
}

/* Phis and a branch by one of them, which it returns; NULL: there is more to do, or less. */
static LLVMValueRef meeting(LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) return NULL;
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v != t; v = LLVMGetNextInstruction(v))
        if (!LLVMIsAPHINode(v) && !simd_is_call_of(v, "llvm.lifetime.")) return NULL;
    LLVMValueRef c = LLVMGetCondition(t);
    return LLVMIsAPHINode(c) && LLVMGetInstructionParent(c) == bb ? c : NULL;
}

static bool is_bit(LLVMValueRef v, bool set) { return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == set; }

static bool goes_straight(LLVMBasicBlockRef from) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    return LLVMIsABranchInst(t) && !LLVMIsConditional(t);
}

/* Are the phis used in other blocks than those that `out` leads to? */
static bool are_needed(LLVMBasicBlockRef bb, LLVMBasicBlockRef out) {
    for (LLVMValueRef phi = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (LLVMBasicBlockRef at = out; at;) {
            for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use))
                if (LLVMGetInstructionParent(LLVMGetUser(use)) == at) return true;
            LLVMValueRef t = LLVMGetBasicBlockTerminator(at);
            at = LLVMGetNumSuccessors(t) ? LLVMGetSuccessor(t, 0) : NULL;
        }
    return false;
}

typedef struct Edges { /* into one block */
    LLVMBasicBlockRef *from;
    int n;
} Edges;

static bool has(const Edges *edges, LLVMBasicBlockRef from) {
    for (int i = 0; i < edges->n; i++)
        if (edges->from[i] == from) return true;
    return false;
}

static void drop_edges(Cg *cg, LLVMValueRef phi, const Edges *drop) {
    LLVMValueRef v = NULL;
    LLVMPositionBuilderBefore(cg->b, phi);
    LLVMValueRef rest = LLVMBuildPhi(cg->b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        if (has(drop, from)) continue;
        v = LLVMGetIncomingValue(phi, i);
        LLVMAddIncoming(rest, &v, &from, 1);
    }
    bool is_one = LLVMCountIncoming(rest) == 1 && v != phi;
    LLVMReplaceAllUsesWith(phi, is_one ? v : rest);
    LLVMInstructionEraseFromParent(phi);
    if (is_one) LLVMInstructionEraseFromParent(rest);
}

static void go_on(Cg *cg, LLVMBasicBlockRef bb, LLVMBasicBlockRef to) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(t));
    LLVMInstructionEraseFromParent(t);
    LLVMPositionBuilderAtEnd(cg->b, bb);
    LLVMBuildBr(cg->b, to);
}

/* The edges on which `bit`, by which bb branches, is known to be `set` go to `out`. */
static bool thread(Cg *cg, LLVMBasicBlockRef bb, LLVMValueRef bit, LLVMBasicBlockRef out, bool set) {
    int n = (int)LLVMCountIncoming(bit), n_never = 0;
    Edges drop = {arena_array(&cg->c->arena, LLVMBasicBlockRef, n + 1), 0};
    for (int i = 0; i < n; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(bit, (unsigned)i);
        LLVMValueRef v = LLVMGetIncomingValue(bit, (unsigned)i);
        if (is_bit(v, set) && goes_straight(from)) drop.from[drop.n++] = from;
        n_never += is_bit(v, !set);
    }
    if (!drop.n || drop.n == n || are_needed(bb, out)) return false;
    for (int i = 0; i < drop.n; i++) LLVMSetSuccessor(LLVMGetBasicBlockTerminator(drop.from[i]), 0, out);
    /* Where nobody is left who would go to `out` from here. */
    if (drop.n + n_never == n) go_on(cg, bb, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bb), set));
    for (LLVMValueRef phi = LLVMGetFirstInstruction(bb), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        drop_edges(cg, phi, &drop);
    }
    return true;
}

static bool thread_one(Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef bit = meeting(bb), t = LLVMGetBasicBlockTerminator(bb);
        for (unsigned i = 0; i < 2 && bit; i++) {
            LLVMBasicBlockRef out = LLVMGetSuccessor(t, i);
            if (out != LLVMGetSuccessor(t, !i) && leads_out(out) && thread(cg, bb, bit, out, i == 0)) return true;
        }
    }
    return false;
}

void simd_thread_failing(Cg *cg, LLVMValueRef fn) {
    while (thread_one(cg, fn)) continue;
}
