/* alone.c -- atomic updates of memory that one thread has for itself are ordinary updates (escape analysis). In a
 * kernel lang/atomic.c sees that an array is `shared`; in a function the array is whatever its callers pass, so the
 * call is replaced where the function has been inlined. A group's memory is never passed to another thread: its group
 * runs on this one from start to end. */
#include "irgen/simd/simd.h"

#include <string.h>

static void use_alone(LLVMValueRef fn, LLVMValueRef alone) {
    for (LLVMUseRef use = LLVMGetFirstUse(fn), next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call) || !simd_is_group_memory(LLVMGetOperand(call, 0))) continue;
        LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, alone);
    }
}

void simd_find_alone(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        size_t n;
        const char *name = LLVMGetValueName2(fn, &n);
        if (strncmp(name, CG_UPDATE, strlen(CG_UPDATE))) continue;
        LLVMValueRef alone = LLVMGetNamedFunction(cg->module, arena_printf(&cg->c->arena, "%s" CG_ALONE, name));
        if (alone) use_alone(fn, alone);
    }
}
