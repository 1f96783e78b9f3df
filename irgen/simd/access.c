/* access.c -- what an access is of: its address, the type of its element, the object that the address leads into. */
#include "irgen/simd/simd.h"

#include <string.h>

LLVMValueRef simd_address(LLVMValueRef access) { return LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL); }

LLVMTypeRef simd_element(LLVMValueRef access) {
    return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
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
