/* expand.c -- expansion of memory intrinsics: a copy of a private array, `copy(&s)`, is one load and one store an
 * element, written out or, if there are many, in a loop. `llvm.memcpy` copies a range of bytes. The elements of a
 * private array do not lie in one range once the items of a block have theirs interleaved (privates.c), so a kernel
 * with such a copy would stay scalar. As elements they are ordinary accesses, and often registers: SROA comes after.
 *
 * Legal: `memcpy` copies between ranges that are the same or do not overlap, so it does not matter in which order its
 * elements are copied. */
#include "irgen/simd/simd.h"

enum { MOST_WRITTEN = 128 }; /* elements of one copy without a loop */

/* The larger type; NULL: none. */
static LLVMTypeRef larger(LLVMTargetDataRef layout, LLVMTypeRef a, LLVMTypeRef b) {
    if (!a || !b) return a ? a : b;
    return LLVMABISizeOfType(layout, b) > LLVMABISizeOfType(layout, a) ? b : a;
}

/* The largest type that the program accesses elements of a private array by, or NULL. */
static LLVMTypeRef accessed_as(LLVMTargetDataRef layout, LLVMValueRef pointer) {
    LLVMTypeRef t = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_address = simd_is_access(user) && simd_address(user) == pointer;
        if (is_address) t = larger(layout, t, simd_element(user));
        else if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer)
            t = larger(layout, t, accessed_as(layout, user));
    }
    return t;
}

static bool is_copy(LLVMValueRef v) {
    return simd_is_call_of(v, "llvm.memcpy.") && LLVMIsAConstantInt(LLVMGetOperand(v, 2)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(v, 3)) == 0;
}

/* The type of the elements that a copy to or from a private array moves, or NULL: it is no such copy. Elements of
 * several sizes are copied by the largest (subwords.c). */
static LLVMTypeRef copied_as(LLVMTargetDataRef layout, LLVMValueRef copy) {
    LLVMTypeRef t = NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef memory = simd_object(LLVMGetOperand(copy, k));
        if (LLVMIsAAllocaInst(memory)) t = larger(layout, t, accessed_as(layout, memory));
    }
    return t;
}

static unsigned align_at(LLVMValueRef copy, unsigned operand, uint64_t offset) {
    LLVMAttributeRef of_range =
        LLVMGetCallSiteEnumAttribute(copy, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));
    uint64_t both = (of_range ? LLVMGetEnumAttributeValue(of_range) : 1) | offset;
    return (unsigned)(both & (0 - both));
}

/* Element `at`, bytes from the beginning, of which `step` is known to be a divisor. */
static void copy_element(Cg *cg, LLVMValueRef copy, LLVMTypeRef element, LLVMValueRef at, uint64_t step) {
    LLVMValueRef place[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef pointer = LLVMGetOperand(copy, k);
        bool is_first = LLVMIsAConstantInt(at) && !LLVMConstIntGetZExtValue(at);
        place[k] = is_first ? pointer : LLVMBuildInBoundsGEP2(cg->b, cg->i8, pointer, &at, 1, "");
    }
    LLVMValueRef v = LLVMBuildLoad2(cg->b, element, place[1], "");
    LLVMSetAlignment(v, align_at(copy, 1, step));
    LLVMSetAlignment(LLVMBuildStore(cg->b, v, place[0]), align_at(copy, 0, step));
}

/* The block after the loop; what came after the copy moves there. */
static LLVMBasicBlockRef split_after(Cg *cg, LLVMValueRef copy) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(copy);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(cg->ctx, LLVMGetBasicBlockParent(bb), "copied");
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        simd_replace_incoming(cg->b, LLVMGetSuccessor(end, i), bb, after);
    for (LLVMValueRef v = LLVMGetNextInstruction(copy), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        LLVMInstructionRemoveFromParent(v);
        LLVMPositionBuilderAtEnd(cg->b, after);
        LLVMInsertIntoBuilder(cg->b, v);
    }
    return after;
}

/* for k in 0..n { to[k] = from[k]; } */
static void copy_in_loop(Cg *cg, LLVMValueRef copy, LLVMTypeRef element, int64_t n, uint64_t size) {
    LLVMBasicBlockRef from = LLVMGetInstructionParent(copy), after = split_after(cg, copy);
    LLVMValueRef fn = LLVMGetBasicBlockParent(from), start = cg_i64(cg, 0);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(cg->ctx, fn, "copy");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(cg->ctx, fn, "copy.element");
    LLVMPositionBuilderAtEnd(cg->b, from);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(copy));
    LLVMBuildBr(cg->b, head);
    LLVMPositionBuilderAtEnd(cg->b, head);
    LLVMValueRef k = LLVMBuildPhi(cg->b, cg->i64, "");
    LLVMBuildCondBr(cg->b, LLVMBuildICmp(cg->b, LLVMIntSLT, k, cg_i64(cg, n), ""), body, after);
    LLVMPositionBuilderAtEnd(cg->b, body);
    copy_element(cg, copy, element, LLVMBuildNSWMul(cg->b, k, cg_i64(cg, (int64_t)size), ""), size);
    LLVMValueRef next = LLVMBuildNSWAdd(cg->b, k, cg_i64(cg, 1), "");
    LLVMBuildBr(cg->b, head);
    LLVMAddIncoming(k, &start, &from, 1);
    LLVMAddIncoming(k, &next, &body, 1);
}

/* By smaller numbers where elements so large do not lie at multiples of their size. */
static LLVMTypeRef aligned_type(Cg *cg, LLVMValueRef copy, LLVMTypeRef element, uint64_t bytes) {
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(cg->module), element), most = size;
    while (most > 1 && (bytes % most || align_at(copy, 0, most) < most || align_at(copy, 1, most) < most)) most /= 2;
    return most == size ? element : LLVMIntTypeInContext(cg->ctx, (unsigned)most * 8);
}

static bool expand(Cg *cg, LLVMValueRef copy, LLVMTypeRef element) {
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(copy, 2));
    element = aligned_type(cg, copy, element, bytes);
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(cg->module), element);
    if (!size || bytes % size) return false;
    LLVMPositionBuilderBefore(cg->b, copy);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(copy));
    if (bytes / size > MOST_WRITTEN) copy_in_loop(cg, copy, element, (int64_t)(bytes / size), size);
    for (uint64_t at = 0; at < bytes && bytes / size <= MOST_WRITTEN; at += size)
        copy_element(cg, copy, element, cg_i64(cg, (int64_t)at), at);
    LLVMInstructionEraseFromParent(copy);
    return true;
}

bool simd_expand_copies(Cg *cg, LLVMValueRef fn) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            LLVMTypeRef element = is_copy(v) ? copied_as(layout, v) : NULL;
            bool ends_block = element && next && LLVMGetInstructionParent(next) == b;
            if (!element || !expand(cg, v, element)) continue;
            any = true;
            if (ends_block && LLVMGetInstructionParent(next) != b) break; /* the rest is in a block of its own now */
        }
    }
    return any;
}
