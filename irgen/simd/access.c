/* access.c -- loads and stores: their address and how it changes, the type of their element, the object that the
 * address leads into. */
#include "irgen/simd/simd.h"

#include <string.h>

LLVMValueRef simd_address(LLVMValueRef access) { return LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL); }

LLVMTypeRef simd_element(LLVMValueRef access) {
    return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
}

bool simd_is_access(LLVMValueRef v) { return LLVMIsALoadInst(v) || LLVMIsAStoreInst(v); }

LaneRate simd_address_rate(const SimdRegion *g, const SimdValue *access) {
    return simd_rate(g, simd_address(access->v), access->block);
}

bool simd_is_beside(const SimdRegion *g, const SimdValue *access) {
    return simd_is_contiguous(g, simd_address_rate(g, access), simd_element(access->v));
}

bool simd_is_reversed(const SimdRegion *g, const SimdValue *access) {
    LaneRate at = simd_address_rate(g, access);
    return at.x == LANE_LINEAR && at.stride == -simd_bytes(g, simd_element(access->v));
}

LLVMValueRef simd_object(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer)) pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

bool simd_is_param(LLVMValueRef object, const char *attribute) {
    if (!LLVMIsAArgument(object)) return false;
    LLVMValueRef fn = LLVMGetParamParent(object);
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute)), i = 0;
    while (LLVMGetParam(fn, i) != object) i++;
    return LLVMGetEnumAttributeAtIndex(fn, i + 1, kind) != NULL;
}

bool simd_is_group_memory(LLVMValueRef pointer) {
    LLVMValueRef object = simd_object(pointer), fn = LLVMIsACallInst(object) ? LLVMGetCalledValue(object) : NULL;
    return fn && fn == LLVMGetNamedFunction(LLVMGetGlobalParent(fn), CG_GROUP_MEMORY);
}
