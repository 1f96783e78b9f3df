/* masks.c -- masks on machines without mask registers. There a mask is a vector whose lanes are as wide as the values, all
 * ones or all zeros, and so it should go from block to block. Left alone, LLVM would see that one bit of each lane says it
 * all, and carry the bits, which the machine then packs and unpacks at every turn. So the two conversions are calls of
 * functions that nobody knows until the pipeline is through. */
#include "irgen/simd/simd.h"

#include <string.h>

#define TO_LANES "kdsl.mask.lanes."
#define TO_BITS "kdsl.mask.bits."

static unsigned lane_bits(LLVMTypeRef t) { return LLVMGetIntTypeWidth(LLVMGetElementType(t)); }

/* <n x i1> to <n x iN>, or back. */
LLVMValueRef simd_mask_call(SimdEmit *e, LLVMValueRef v, LLVMTypeRef to) {
    LLVMTypeRef from = LLVMTypeOf(v), wide = lane_bits(to) > 1 ? to : from;
    LLVMTypeRef type = LLVMFunctionType(to, &from, 1, false);
    const char *name = arena_printf(&e->cg->c->arena, "%s%ux%u", wide == to ? TO_LANES : TO_BITS, LLVMGetVectorSize(wide), lane_bits(wide));
    LLVMValueRef fn = LLVMGetNamedFunction(e->cg->module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->cg->module, name, type);
        static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree", "speculatable"};
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) cg_fn_attr(e->cg, fn, attributes[i]);
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(e->cg, "memory", 0));
    }
    return LLVMBuildCall2(e->b, type, fn, &v, 1, "");
}

static LLVMValueRef meaning(Cg *cg, LLVMValueRef call) {
    LLVMValueRef v = LLVMGetOperand(call, 0);
    LLVMPositionBuilderBefore(cg->b, call);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    if (lane_bits(LLVMTypeOf(call)) > 1) return LLVMBuildSExt(cg->b, v, LLVMTypeOf(call), "");
    return LLVMBuildICmp(cg->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static void replace_calls(Cg *cg, LLVMValueRef fn, bool constants_only) {
    for (LLVMUseRef use = LLVMGetFirstUse(fn), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use);
        if (constants_only && !LLVMIsConstant(LLVMGetOperand(call, 0))) continue;
        LLVMReplaceAllUsesWith(call, meaning(cg, call));
        LLVMInstructionEraseFromParent(call);
    }
}

static void replace(Cg *cg, bool constants_only) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module), next; fn; fn = next) {
        size_t n;
        const char *name = LLVMGetValueName2(fn, &n);
        next = LLVMGetNextFunction(fn);
        if (strncmp(name, TO_LANES, strlen(TO_LANES)) && strncmp(name, TO_BITS, strlen(TO_BITS))) continue;
        replace_calls(cg, fn, constants_only);
        if (!LLVMGetFirstUse(fn)) LLVMDeleteFunction(fn);
    }
}

/* A masked access to memory of the frame may begin outside of it, before the first live lane. LLVM takes that for an access
 * to nothing where it can tell, so it is not let see which memory it is. */
#define HIDDEN "kdsl.hidden"

LLVMValueRef simd_hidden(SimdEmit *e, LLVMValueRef at) {
    LLVMTypeRef type = LLVMFunctionType(e->cg->ptr, &e->cg->ptr, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(e->cg->module, HIDDEN);
    if (!fn) {
        fn = LLVMAddFunction(e->cg->module, HIDDEN, type);
        cg_fn_attr(e->cg, fn, "nounwind");
        cg_fn_attr(e->cg, fn, "willreturn");
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(e->cg, "memory", 0));
    }
    return LLVMBuildCall2(e->b, type, fn, &at, 1, "");
}

static void show_hidden(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, HIDDEN);
    for (LLVMUseRef use; fn && (use = LLVMGetFirstUse(fn));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    if (fn) LLVMDeleteFunction(fn);
}

void simd_fold_masks(Cg *cg) { replace(cg, true); }
void simd_lower_masks(Cg *cg) {
    replace(cg, false);
    show_hidden(cg);
}
