/* fast.c -- the fast mode, of --fp=fast and of kernels marked `fast`: LLVM's fast-math flags. Sums and products may be
 * reordered and contracted, quotients be products with a reciprocal, functions be approximated, and zeros lose their
 * sign. The flags that allow LLVM to assume that there is no NaN and no infinity (nnan, ninf) are not set: with them, a
 * result that is NaN or infinite has no value at all, and isnan(x) is false.
 *
 * A function that is called by a fast kernel and by others is made twice (lang/call.c). Flags are set when all code has
 * been written, in one place; what passes write later, as the exact division of integers in vectors, has none. The
 * vectoriser copies them, passes/estimates.c and passes/extremes.c use them, and so do LLVM's back ends for GPUs. */
#include "irgen/lang/lang.h"

#include <string.h>

enum {
    APPROXIMATE = LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc,
    FLAGS = APPROXIMATE | LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros | LLVMFastMathAllowContract
};

/* Estimates of LLVM's back end for x86 return NaN where the exact result is infinite or 0: passes/estimates.c makes
 * others. */
void cg_fast_begin(Cg *cg, LLVMValueRef fn) {
    LLVMAddTargetDependentFunctionAttr(fn, CG_FAST, "");
    if (!cg->target->gpu) LLVMAddTargetDependentFunctionAttr(fn, "reciprocal-estimates", "none");
}

/* AMD's estimates of f64 have half of the bits, and LLVM takes some of them for results. */
static bool is_kept_exact(const Cg *cg, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) t = LLVMGetElementType(t);
    return cg->target->gpu && t == cg->f64;
}

/* fmod is exact, and so are conversions. */
static bool takes_flags(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool computes = op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFNeg;
    return computes || (op == LLVMCall && LLVMCanValueUseFastMathFlags(v));
}

void cg_fast_quotient(const Cg *cg, LLVMValueRef v) {
    if (!is_kept_exact(cg, v)) LLVMSetFastMathFlags(v, APPROXIMATE);
}

static void set_flags(const Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
            if (takes_flags(v)) LLVMSetFastMathFlags(v, is_kept_exact(cg, v) ? FLAGS & ~APPROXIMATE : FLAGS);
}

void cg_fast_end(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_FAST, strlen(CG_FAST))) continue;
        set_flags(cg, fn);
        LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_FAST, strlen(CG_FAST));
    }
}
