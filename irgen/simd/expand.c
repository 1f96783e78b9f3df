/* expand.c -- expansion of memory intrinsics: a copy of a private array, `copy(&s)`, is one load and one store an element.
 * `llvm.memcpy` copies a range of bytes. The elements of a private array do not lie in one range once the items of a
 * block have theirs interleaved (privates.c), so a kernel with such a copy would stay scalar. As elements they are
 * ordinary accesses, and often registers: SROA comes after.
 *
 * Legal: `memcpy` copies between ranges that are the same or do not overlap, so it does not matter in which order its
 * elements are copied. */
#include "irgen/simd/simd.h"

enum { MOST_COPIED = 128 }; /* elements of one copy: more would be more code than vectors save */

/* The type that the program accesses the elements of a private array by, or NULL. */
static LLVMTypeRef accessed_as(LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user)) return LLVMTypeOf(user);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer) return LLVMTypeOf(LLVMGetOperand(user, 0));
        LLVMTypeRef t = LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer ? accessed_as(user) : NULL;
        if (t) return t;
    }
    return NULL;
}

static bool is_copy(LLVMValueRef v) {
    return simd_is_call_of(v, "llvm.memcpy.") && LLVMIsAConstantInt(LLVMGetOperand(v, 2)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(v, 3)) == 0;
}

/* The type of the elements that a copy to or from a private array moves, or NULL: it is no such copy. */
static LLVMTypeRef copied_as(LLVMValueRef copy) {
    LLVMTypeRef t = NULL;
    for (unsigned k = 0; k < 2 && !t; k++) {
        LLVMValueRef memory = simd_object(LLVMGetOperand(copy, k));
        if (LLVMIsAAllocaInst(memory)) t = accessed_as(memory);
    }
    return t;
}

static unsigned align_at(LLVMValueRef copy, unsigned operand, uint64_t offset) {
    LLVMAttributeRef of_range = LLVMGetCallSiteEnumAttribute(copy, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));
    uint64_t both = (of_range ? LLVMGetEnumAttributeValue(of_range) : 1) | offset;
    return (unsigned)(both & (0 - both));
}

static LLVMValueRef element_at(Cg *cg, LLVMValueRef copy, unsigned operand, uint64_t offset) {
    LLVMValueRef by = cg_i64(cg, (int64_t)offset), pointer = LLVMGetOperand(copy, operand);
    return offset ? LLVMBuildInBoundsGEP2(cg->b, cg->i8, pointer, &by, 1, "") : pointer;
}

static bool expand(Cg *cg, LLVMValueRef copy, LLVMTypeRef element) {
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(copy, 2));
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(cg->module), element);
    if (!size || bytes % size || bytes / size > MOST_COPIED) return false;
    LLVMPositionBuilderBefore(cg->b, copy);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(copy));
    for (uint64_t at = 0; at < bytes; at += size) {
        LLVMValueRef v = LLVMBuildLoad2(cg->b, element, element_at(cg, copy, 1, at), "");
        LLVMSetAlignment(v, align_at(copy, 1, at));
        LLVMSetAlignment(LLVMBuildStore(cg->b, v, element_at(cg, copy, 0, at)), align_at(copy, 0, at));
    }
    LLVMInstructionEraseFromParent(copy);
    return true;
}

bool simd_expand_copies(Cg *cg, LLVMValueRef fn) {
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            LLVMTypeRef element = is_copy(v) ? copied_as(v) : NULL;
            if (element && expand(cg, v, element)) any = true;
        }
    }
    return any;
}
