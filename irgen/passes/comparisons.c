/* comparisons.c -- comparisons of narrow entries (gpu/kernel.c) in 32 bits: the language counts in 64 bits, which a GPU
 * compares in two instructions or more, but the numbers of work items and the sizes of arrays fit into 32 there.
 *
 *     icmp slt i64 (zext nneg i32 k), n   ==>   icmp slt i32 k, (trunc n)
 *
 * After LLVM's pipeline, which understands the 64-bit form: that a loop over n items runs where an item is below n. */
#include "irgen/passes/llvm.h"

enum { DEPTH = 6, NEAR = INT32_MAX - CG_NARROW_ELEMENTS };

static bool is_near_zero(LLVMValueRef v) {
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) <= NEAR && LLVMConstIntGetSExtValue(v) >= -NEAR;
}

/* Is the 64-bit number one of 32 signed bits? Sizes are far enough below for a constant to be added. */
static bool fits(LLVMValueRef v, int depth) {
    if (LLVMIsAConstantInt(v)) {
        int64_t c = LLVMConstIntGetSExtValue(v);
        return c >= INT32_MIN && c <= INT32_MAX;
    }
    if (LLVMIsAArgument(v)) return llvm_has_attribute(v, "range");
    if (llvm_is(v, LLVMSExt)) return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) <= 32;
    if (llvm_is(v, LLVMZExt)) {
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0)));
        return bits < 32 || (bits == 32 && LLVMGetNNeg(v));
    }
    if (llvm_is(v, LLVMAdd) && LLVMIsAArgument(LLVMGetOperand(v, 0)))
        return llvm_has_attribute(LLVMGetOperand(v, 0), "range") && is_near_zero(LLVMGetOperand(v, 1));
    if (!depth || !llvm_is(v, LLVMSelect)) return false;
    return fits(LLVMGetOperand(v, 1), depth - 1) && fits(LLVMGetOperand(v, 2), depth - 1);
}

static LLVMValueRef word(Cg *cg, LLVMValueRef v) {
    bool is_wider = llvm_is(v, LLVMSExt) || llvm_is(v, LLVMZExt);
    LLVMValueRef from = is_wider ? LLVMGetOperand(v, 0) : NULL;
    return is_wider && LLVMTypeOf(from) == cg->i32 ? from : LLVMBuildTrunc(cg->b, v, cg->i32, "");
}

static bool narrow(Cg *cg, LLVMValueRef compare) {
    LLVMValueRef a = LLVMGetOperand(compare, 0), b = LLVMGetOperand(compare, 1);
    if (LLVMTypeOf(a) != cg->i64 || !fits(a, DEPTH) || !fits(b, DEPTH)) return false;
    LLVMPositionBuilderBefore(cg->b, compare);
    LLVMValueRef less = LLVMBuildICmp(cg->b, LLVMGetICmpPredicate(compare), word(cg, a), word(cg, b), "");
    LLVMReplaceAllUsesWith(compare, less);
    return true;
}

void cg_narrow_comparisons(Cg *cg) {
    bool any = false;
    if (!cg->options->opt_level) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!llvm_is_narrow(fn)) continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsAICmpInst(i)) any |= narrow(cg, i);
            }
    }
    if (any) cg_run_passes(cg, "function(instcombine<max-iterations=1;no-verify-fixpoint>)");
}
