/* collect.c -- sinking of stores to control-equivalent blocks: a store moves down to the item's next store to the same
 * array, if every item that comes to one comes to the other. Channels of a pixel that are each computed with branches,
 * `o[i, 0] = f(a); o[i, 1] = f(b);` where f has an `if`, are stored in several blocks; in one block they are parts of
 * an interleaved access (parts.c), where each alone would be a scatter.
 *
 * Legal: the first block dominates the second, and every path from the first comes to the second before the item ends,
 * so both are executed equally often; on the way there is no loop, nothing accesses the array, nor anything that may be
 * the same memory, and no check leaves. */
#include "irgen/simd/simd.h"

enum { MOST_BLOCKS = 64 };

typedef Vec(LLVMBasicBlockRef) Blocks;

static bool has(const Blocks *all, LLVMBasicBlockRef bb) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i] == bb) return true;
    return false;
}

static bool ends_item(const Cg *cg, LLVMValueRef t) {
    return !LLVMIsABranchInst(t) || LLVMGetMetadata(t, cg->md_items) || LLVMGetMetadata(t, cg->md_rows);
}

/* Blocks on ways from `from` to `to`, neither of them. false: there is a way to the item's end, or back, or there are
 * many. */
static bool find_between(Cg *cg, LLVMBasicBlockRef from, LLVMBasicBlockRef to, Blocks *between) {
    LLVMBasicBlockRef at = from;
    for (int i = -1; i < between->n; i++) {
        if (i >= 0) at = between->at[i];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(at);
        if (ends_item(cg, t) || between->n > MOST_BLOCKS) return false;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(t, k);
            if (next == from) return false;
            if (next != to && !has(between, next)) vec_push(&cg->c->arena, between, next);
        }
    }
    return true;
}

/* Are these blocks, and `to`, entered only from `from` and each other? */
static bool are_dominated(const Blocks *between, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    for (int i = -1; i < between->n; i++) {
        LLVMBasicBlockRef bb = i < 0 ? to : between->at[i];
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsAPHINode(user)) continue;
            LLVMBasicBlockRef before = LLVMGetInstructionParent(user);
            if (before != from && !has(between, before)) return false;
        }
    }
    return true;
}

/* No block is reached from itself. */
static bool has_loop(Cg *cg, const Blocks *between, LLVMBasicBlockRef to) {
    for (int i = 0; i < between->n; i++) {
        Blocks after = {0};
        if (!find_between(cg, between->at[i], to, &after)) return true;
    }
    return false;
}

/* The first in the block that accesses the memory; NULL: none does. */
static LLVMValueRef first_access(LLVMValueRef v, LLVMValueRef address) {
    for (; v; v = LLVMGetNextInstruction(v))
        if (simd_may_access(v, address)) return v;
    return NULL;
}

static bool is_plain_store(LLVMValueRef v) {
    return v && LLVMIsAStoreInst(v) && !LLVMGetVolatile(v) && !simd_is_atomic(v);
}

/* Does `store` meet `next` as the first access, on all ways? */
static bool can_sink(Cg *cg, LLVMValueRef store, LLVMValueRef next) {
    LLVMBasicBlockRef from = LLVMGetInstructionParent(store), to = LLVMGetInstructionParent(next);
    LLVMValueRef address = LLVMGetOperand(store, 1);
    Blocks between = {0};
    if (first_access(LLVMGetNextInstruction(store), address)) return false;
    if (first_access(LLVMGetFirstInstruction(to), address) != next) return false;
    if (!find_between(cg, from, to, &between) || !are_dominated(&between, from, to)) return false;
    for (int i = 0; i < between.n; i++)
        if (first_access(LLVMGetFirstInstruction(between.at[i]), address)) return false;
    return !has_loop(cg, &between, to);
}

/* The next one in the order of the text, of elements of the same type. */
static LLVMValueRef next_of(LLVMValueRef store) {
    LLVMValueRef object = simd_object(LLVMGetOperand(store, 1));
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(store, 0));
    for (LLVMBasicBlockRef bb = LLVMGetInstructionParent(store); (bb = LLVMGetNextBasicBlock(bb));)
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            if (!LLVMIsAStoreInst(v) || simd_object(LLVMGetOperand(v, 1)) != object) continue;
            return is_plain_store(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == t ? v : NULL;
        }
    return NULL;
}

/* From the last one up: when one is moved, those after it are together. */
bool simd_collect_in(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn); bb; bb = LLVMGetPreviousBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetLastInstruction(bb), before; v; v = before) {
            before = LLVMGetPreviousInstruction(v);
            LLVMValueRef next = is_plain_store(v) ? next_of(v) : NULL;
            if (!next || !can_sink(cg, v, next)) continue;
            LLVMInstructionRemoveFromParent(v);
            LLVMPositionBuilderBefore(cg->b, next);
            LLVMInsertIntoBuilder(cg->b, v);
            any = true;
        }
    return any;
}
