/* privates.c -- layout of private arrays: memory of one item, such as an array in a kernel's frame, that SROA could not
 * promote. All items of a block need theirs at once. Element k of all items is contiguous, followed by element k + 1
 * (structure of arrays), so what all items access at one index is one vector. That requires that all accesses have the
 * same size. */
#include "irgen/simd/simd.h"

static bool has_size(SimdRegion *g, SimdPrivate *p, LLVMTypeRef t, LLVMValueRef at) {
    int64_t bytes = simd_bytes(g, t);
    if (!p->elem_bytes) p->elem_bytes = bytes;
    return p->elem_bytes == bytes || simd_refuse(g, "a private array is accessed with elements of different sizes", at);
}

static bool leads_to(LLVMBasicBlockRef from, const ValueMap *blocks) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; t && k < LLVMGetNumSuccessors(t); k++)
        if (value_map_get(blocks, LLVMGetSuccessor(t, k)) >= 0) return true;
    return false;
}

/* All blocks of the loop over items that a branch goes back from, added to `all`. */
static void add_loop(const SimdRegion *g, LLVMValueRef latch, ValueMap *all) {
    LLVMBasicBlockRef head = LLVMGetSuccessor(latch, 0);
    ValueMap *loop = value_map_new(g->arena, 32);
    value_map_put(loop, LLVMGetInstructionParent(latch), 1);
    for (bool grows = true; grows;) {
        grows = false;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(g->fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
            if (bb == head || value_map_get(loop, bb) >= 0 || !leads_to(bb, loop)) continue;
            value_map_put(loop, bb, 1);
            grows = true;
        }
    }
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(g->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        if (bb == head || value_map_get(loop, bb) >= 0) value_map_put(all, bb, 1);
}

static bool is_in_other_items(SimdRegion *g, LLVMBasicBlockRef block) {
    if (g->other_items) return value_map_get(g->other_items, block) >= 0;
    g->other_items = value_map_new(g->arena, 64);
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(g->fn)), "kdsl.items", 10);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(g->fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (t && LLVMGetMetadata(t, kind) && value_map_get(g->block_of, bb) < 0) add_loop(g, t, g->other_items);
    }
    return value_map_get(g->other_items, block) >= 0;
}

/* Another nest of the function, as that of the items of which a check fails, has the same array for its items: none of
 * them reads what another one has written. */
static bool is_of_another_nest(SimdRegion *g, LLVMValueRef user, LLVMValueRef pointer) {
    if (!LLVMIsAInstruction(user) || value_map_get(g->block_of, LLVMGetInstructionParent(user)) >= 0) return false;
    if (!is_in_other_items(g, LLVMGetInstructionParent(user))) return false;
    if (LLVMIsALoadInst(user) || simd_is_call_of(user, "llvm.memset.")) return true;
    if (LLVMIsAStoreInst(user)) return LLVMGetOperand(user, 0) != pointer;
    if (!LLVMIsAGetElementPtrInst(user)) return false;
    for (LLVMUseRef use = LLVMGetFirstUse(user); use; use = LLVMGetNextUse(use))
        if (!is_of_another_nest(g, LLVMGetUser(use), user)) return false;
    return true;
}

/* Through addresses made from `pointer`. */
static bool follow(SimdRegion *g, int private, LLVMValueRef pointer) {
    SimdPrivate *p = &g->privates.at[private];
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int i = value_map_get(g->value_of, user);
        if (simd_is_call_of(user, "llvm.lifetime.")) continue;
        if (is_of_another_nest(g, user, pointer)) continue;
        if (i < 0) return simd_refuse(g, "an array of the work item is used outside its loop", user);
        SimdValue *value = &g->values.at[i];
        if (g->blocks.at[value->block].leaves)
            return simd_refuse(g, "a failed check reports the value of a private array", user);
        value->private_of = private;
        bool is_store =
            LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer && LLVMGetOperand(user, 0) != pointer;
        if (LLVMIsALoadInst(user) || is_store) {
            if (simd_is_atomic(user)) return simd_refuse(g, "a private array is accessed atomically", user);
            LLVMTypeRef t = is_store ? LLVMTypeOf(LLVMGetOperand(user, 0)) : LLVMTypeOf(user);
            if (!has_size(g, p, t, user)) return false;
        } else if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer) {
            if (!follow(g, private, user)) return false;
        } else if (!simd_is_call_of(user, "llvm.memset.") || LLVMGetOperand(user, 0) != pointer) {
            bool copied = simd_is_call_of(user, "llvm.mem");
            return simd_refuse(
                g, copied ? "a large private array is copied" : "a private array is passed on as a whole", user);
        }
    }
    return true;
}

bool simd_privates(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        if (g->blocks.at[g->values.at[i].block].leaves || simd_is_call_of(g->values.at[i].v, "llvm.lifetime."))
            continue;
        for (int k = 0; k < LLVMGetNumOperands(g->values.at[i].v); k++) {
            LLVMValueRef v = LLVMGetOperand(g->values.at[i].v, (unsigned)k);
            if (!LLVMIsAAllocaInst(v) || value_map_get(g->private_of, v) >= 0) continue;
            SimdPrivate p = {.alloca_ = v};
            value_map_put(g->private_of, v, g->privates.n);
            vec_push(g->arena, &g->privates, p);
            if (!follow(g, g->privates.n - 1, v)) return false;
        }
    }
    return true;
}

/* Memory of its own that an item reads before it has written there, as the padding of a struct that is copied, has no
 * value. Where SROA has made registers of it, it would have the value that the item before left there. */
void simd_forget_items(LLVMValueRef latch) {
    LLVMBasicBlockRef around = LLVMGetInstructionParent(latch), head = LLVMGetSuccessor(latch, 0);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        if (LLVMCountIncoming(phi) != 2) continue;
        LLVMValueRef before = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == around);
        if (!LLVMIsUndef(before)) continue;
        LLVMReplaceAllUsesWith(phi, before);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* The addresses of private memory that were computed in front of the loops, for all items, are computed where they are
 * used: each item of a block has another. */
void simd_sink_addresses(Cg *cg, LLVMValueRef fn) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    LLVMValueRef before;
    for (LLVMValueRef v = LLVMGetBasicBlockTerminator(entry); v; v = before) {
        before = LLVMGetPreviousInstruction(v);
        if (!LLVMIsAGetElementPtrInst(v) || !LLVMIsAAllocaInst(simd_object(v))) continue;
        for (LLVMUseRef use = LLVMGetFirstUse(v), next; use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) == entry) continue;
            LLVMValueRef here = LLVMInstructionClone(v);
            LLVMPositionBuilderBefore(cg->b, user);
            LLVMInsertIntoBuilder(cg->b, here);
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, k) == v) LLVMSetOperand(user, k, here);
            next = LLVMGetFirstUse(v);
        }
    }
}
