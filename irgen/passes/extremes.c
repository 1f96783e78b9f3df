/* extremes.c -- a workaround for the least and the greatest of two numbers on processors with AVX-512DQ. Where LLVM 22
 * knows that one operand cannot be NaN, as a converted integer, it selects instructions that return the other operand
 * if that is NaN: those of llvm.maximum, but docs/reference.md wants the number, as llvm.maximumnum returns
 * (LowerFMINIMUM_FMAXIMUM in X86ISelLowering.cpp, with VFPCLASSS; vectors are not affected). So an operand that is NaN
 * is replaced by the other one first; operands that cannot be NaN are not tested. Runs after the pipeline, which would
 * remove it again. */
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
