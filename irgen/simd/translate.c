/* translate.c -- phi translation of loads. Of `if c { x[i] } else { y[i] }` LLVM makes one load, from an address that
 * is a phi of x and y. To a vector that is a gather, as neighbours may take different paths; a load of each array on
 * its own path is contiguous. So such a load becomes a load on each path, and a phi of what they read.
 *
 * `o[i] = if c { x[i] } else { o[i] }` reads an element that every item writes afterwards. That load is then executed
 * before the paths part (speculation), which leaves nothing to execute under a mask.
 *
 * Legal: between the start of the load's block and the load nothing writes or leaves, so on each path the same element
 * is read as before. A load is speculated if where the paths meet the element is written in any case: it exists, and no
 * other item may write it. */
#include "irgen/simd/simd.h"

enum { DEPTH = 6, MOST_PATHS = 16 };

static bool is_plain_load(LLVMValueRef v) { return LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && !simd_is_atomic(v); }

/* What an address is computed by: no memory, and no division, which not every path may execute. */
static bool is_of_address(LLVMValueRef v) {
    if (LLVMIsAGetElementPtrInst(v) || LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v)) return true;
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMUnreachable;
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMOr || op == LLVMXor;
}

static bool is_in(LLVMValueRef v, LLVMBasicBlockRef bb) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == bb;
}

/* Is it made of the block's phis and of what is there before the block? */
static bool translates(LLVMValueRef v, LLVMBasicBlockRef bb, int depth) {
    if (!is_in(v, bb) || LLVMIsAPHINode(v)) return true;
    if (!depth || !is_of_address(v)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!translates(LLVMGetOperand(v, (unsigned)k), bb, depth - 1)) return false;
    return true;
}

/* `v` where the builder is, on the path from `from` to bb. */
static LLVMValueRef translated(Cg *cg, LLVMValueRef v, LLVMBasicBlockRef bb, LLVMBasicBlockRef from) {
    if (!is_in(v, bb)) return v;
    for (unsigned k = 0; LLVMIsAPHINode(v) && k < LLVMCountIncoming(v); k++)
        if (LLVMGetIncomingBlock(v, k) == from) return LLVMGetIncomingValue(v, k);
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        LLVMSetOperand(copy, (unsigned)k, translated(cg, LLVMGetOperand(v, (unsigned)k), bb, from));
    LLVMInsertIntoBuilder(cg->b, copy);
    return copy;
}

/* The phi of pointers that an address begins with. */
static LLVMValueRef pointers_of(LLVMValueRef address, LLVMBasicBlockRef bb) {
    while (is_in(address, bb) && LLVMIsAGetElementPtrInst(address)) address = LLVMGetOperand(address, 0);
    return is_in(address, bb) && LLVMIsAPHINode(address) ? address : NULL;
}

/* Does it read and compute only? */
static bool is_passive(LLVMValueRef v) {
    if (LLVMIsACallInst(v)) return simd_has_vector_form(v) || simd_is_remark(v);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op != LLVMStore && op != LLVMAtomicRMW && op != LLVMAtomicCmpXchg && op != LLVMFence && op != LLVMInvoke;
}

/* Nothing before it in its block writes or leaves. */
static bool is_first_to_act(LLVMValueRef v) {
    while ((v = LLVMGetPreviousInstruction(v)))
        if (!is_passive(v)) return false;
    return true;
}

/* Does a path lead back to the block, so that it is a loop's header? Then a block before it is reached only through it.
 */
static bool is_header(Cg *cg, LLVMBasicBlockRef bb, LLVMValueRef phi) {
    Vec(LLVMBasicBlockRef) work = {0};
    ValueMap *seen = value_map_new(&cg->c->arena, 8);
    vec_push(&cg->c->arena, &work, LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(bb)));
    value_map_put(seen, LLVMBasicBlockAsValue(work.at[0]), 1);
    for (int i = 0; i < work.n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(work.at[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(t, k);
            if (next == bb || value_map_get(seen, LLVMBasicBlockAsValue(next)) >= 0) continue;
            value_map_put(seen, LLVMBasicBlockAsValue(next), 1);
            vec_push(&cg->c->arena, &work, next);
        }
    }
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (value_map_get(seen, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, k))) < 0) return true;
    return false;
}

static bool can_split(Cg *cg, LLVMValueRef load) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(load);
    LLVMValueRef address = simd_address(load), phi = pointers_of(address, bb);
    if (!phi || LLVMCountIncoming(phi) > MOST_PATHS || !translates(address, bb, DEPTH)) return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!LLVMIsABranchInst(LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k)))) return false;
    return is_first_to_act(load) && !is_header(cg, bb, phi);
}

/* The block that only this edge leads through, made where there is none. */
static LLVMBasicBlockRef on_edge(Cg *cg, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    if (!LLVMIsConditional(t)) return from;
    LLVMBasicBlockRef edge = LLVMInsertBasicBlockInContext(cg->ctx, to, "edge");
    for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++)
        if (LLVMGetSuccessor(t, k) == to) LLVMSetSuccessor(t, k, edge);
    LLVMPositionBuilderAtEnd(cg->b, edge);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(t));
    LLVMBuildBr(cg->b, to);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(to), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(cg->b, phi);
        LLVMValueRef now = LLVMBuildPhi(cg->b, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef before = LLVMGetIncomingBlock(phi, k);
            LLVMValueRef v = LLVMGetIncomingValue(phi, k);
            LLVMAddIncoming(now, &v, before == from ? &edge : &before, 1);
        }
        LLVMReplaceAllUsesWith(phi, now);
        LLVMInstructionEraseFromParent(phi);
    }
    return edge;
}

/* Where the paths of the block's phis come from, each by a jump. */
static int split_edges(Cg *cg, LLVMBasicBlockRef bb, LLVMBasicBlockRef from[MOST_PATHS]) {
    LLVMValueRef phi = LLVMGetFirstInstruction(bb);
    int n = (int)LLVMCountIncoming(phi);
    for (int k = 0; k < n; k++) from[k] = LLVMGetIncomingBlock(phi, (unsigned)k);
    for (int k = 0; k < n; k++) from[k] = on_edge(cg, from[k], bb);
    return n;
}

static void split(Cg *cg, LLVMValueRef load) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(load), from[MOST_PATHS];
    LLVMValueRef value[MOST_PATHS], address = simd_address(load);
    int n = split_edges(cg, bb, from);
    for (int k = 0; k < n; k++) {
        LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(from[k]));
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(load));
        LLVMValueRef at = translated(cg, address, bb, from[k]);
        value[k] = LLVMInstructionClone(load);
        LLVMSetOperand(value[k], 0, at);
        LLVMInsertIntoBuilder(cg->b, value[k]);
    }
    LLVMPositionBuilderBefore(cg->b, LLVMGetFirstInstruction(bb));
    LLVMValueRef phi = LLVMBuildPhi(cg->b, LLVMTypeOf(load), "");
    LLVMAddIncoming(phi, value, from, (unsigned)n);
    LLVMReplaceAllUsesWith(load, phi);
    LLVMInstructionEraseFromParent(load);
}

/* Speculation ------------------------------------------------------------------------------------------------------ */

/* The only block before this one, if it ends with a branch two ways. */
static LLVMBasicBlockRef branch_before(LLVMBasicBlockRef bb) {
    LLVMBasicBlockRef before = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user)) continue;
        if (!LLVMIsABranchInst(user) || before) return NULL;
        before = LLVMGetInstructionParent(user);
    }
    return before && LLVMIsConditional(LLVMGetBasicBlockTerminator(before)) ? before : NULL;
}

/* Is the element written where this path meets the others, on whichever path an item has come? */
static bool is_written_next(LLVMValueRef load) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(load));
    if (!LLVMIsABranchInst(t) || LLVMIsConditional(t)) return false;
    for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetSuccessor(t, 0)); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsACallInst(v) && !is_passive(v)) return false;
        if (!LLVMIsAStoreInst(v) || LLVMGetVolatile(v) || simd_is_atomic(v)) continue;
        bool is_same_type = LLVMTypeOf(LLVMGetOperand(v, 0)) == LLVMTypeOf(load);
        if (is_same_type && simd_are_equal(LLVMGetOperand(v, 1), simd_address(load), DEPTH)) return true;
    }
    return false;
}

/* Both ways of the branch lead to the block in which the element is written. */
static bool always_meet(LLVMValueRef load, LLVMBasicBlockRef branch) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(load), to = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bb), 0);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(branch);
    LLVMBasicBlockRef other = LLVMGetSuccessor(t, LLVMGetSuccessor(t, 0) == bb);
    if (other == to) return true;
    LLVMValueRef on = LLVMGetBasicBlockTerminator(other);
    for (LLVMValueRef v = LLVMGetFirstInstruction(other); v != on; v = LLVMGetNextInstruction(v))
        if (LLVMIsACallInst(v) && !is_passive(v)) return false;
    return LLVMIsABranchInst(on) && !LLVMIsConditional(on) && LLVMGetSuccessor(on, 0) == to;
}

static bool speculate(Cg *cg, LLVMValueRef load) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(load), branch = branch_before(bb);
    if (!branch || !translates(simd_address(load), bb, DEPTH) || !is_first_to_act(load)) return false;
    if (!is_written_next(load) || !always_meet(load, branch)) return false;
    LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(branch));
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(load));
    LLVMValueRef at = translated(cg, simd_address(load), bb, branch);
    LLVMSetOperand(load, 0, at);
    LLVMInstructionRemoveFromParent(load);
    LLVMInsertIntoBuilder(cg->b, load);
    return true;
}

static bool for_loads(Cg *cg, LLVMValueRef fn, bool (*run)(Cg *cg, LLVMValueRef load)) {
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            if (is_plain_load(v) && run(cg, v)) any = true;
        }
    return any;
}

static bool split_if_possible(Cg *cg, LLVMValueRef load) {
    if (!can_split(cg, load)) return false;
    split(cg, load);
    return true;
}

bool simd_translate(Cg *cg, LLVMValueRef fn) {
    bool any = for_loads(cg, fn, split_if_possible);
    return for_loads(cg, fn, speculate) || any;
}
