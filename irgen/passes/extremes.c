/* extremes.c -- a workaround for a wrong instruction selection of min and max on x86 with AVX-512DQ. If one operand
 * cannot be NaN, such as a converted integer, LLVM 22 selects for llvm.minimumnum and llvm.maximumnum the instructions
 * of llvm.minimum and llvm.maximum, which return NaN if the other operand is NaN; the language requires the number
 * (docs/reference.md). See LowerFMINIMUM_FMAXIMUM in X86ISelLowering.cpp, the case with VFPCLASSS; vectors are not
 * affected. This pass replaces an operand that is NaN by the other operand; operands that cannot be NaN are not tested.
 * It runs after the pipeline, which would remove the replacement. */
#include "irgen/passes/passes.h"
#include "offload/lld.h"

static LLVMValueRef number_or(Cg *cg, LLVMValueRef v, LLVMValueRef other) {
    if (LLVMIsASIToFPInst(v) || LLVMIsAUIToFPInst(v)) return v;
    LLVMValueRef is_nan = LLVMBuildFCmp(cg->b, LLVMRealUNO, v, v, "");
    if (LLVMIsAConstantInt(is_nan)) return LLVMIsNull(is_nan) ? v : other;
    return LLVMBuildSelect(cg->b, is_nan, other, v, "");
}

static void guard(Cg *cg, LLVMValueRef call) {
    LLVMPositionBuilderBefore(cg->b, call);
    LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    LLVMSetOperand(call, 0, number_or(cg, a, b));
    LLVMSetOperand(call, 1, number_or(cg, b, a));
}

void cg_guard_extremes(Cg *cg) {
    static const char *const names[] = {"llvm.minimumnum.f32", "llvm.maximumnum.f32", "llvm.minimumnum.f64",
                                        "llvm.maximumnum.f64"};
    if (cg->target->gpu || !LLVMKdslHasFeature(cg->machine, "+avx512dq")) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef fn = LLVMGetNamedFunction(cg->module, names[i]);
        LLVMUseRef use = fn ? LLVMGetFirstUse(fn) : NULL;
        for (; use; use = LLVMGetNextUse(use)) guard(cg, LLVMGetUser(use));
    }
}
