/* byte_products.c -- products of vectors of bytes become products of bytes, on AMD. LLVM 22 cannot select a sum of such
 * a product and a permutation of it, as sums over vectors end: SITargetLowering::performAddCombine takes vectors for
 * numbers when it looks for v_dot4 (llvm/lib/Target/AMDGPU/SIISelLowering.cpp), and crashes. The lanes of a vector of
 * bytes are computed one by one on these devices anyway. */
#include "irgen/passes/llvm.h"

static bool is_byte_product(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    if (!llvm_is(i, LLVMMul) || LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    return LLVMGetIntTypeWidth(LLVMGetElementType(t)) == 8;
}

static void split(LLVMBuilderRef b, LLVMValueRef product) {
    LLVMTypeRef t = LLVMTypeOf(product), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    LLVMValueRef all = LLVMGetPoison(t);
    LLVMPositionBuilderBefore(b, product);
    for (unsigned k = 0; k < LLVMGetVectorSize(t); k++) {
        LLVMValueRef lane = LLVMConstInt(i32, k, false);
        LLVMValueRef x = LLVMBuildExtractElement(b, LLVMGetOperand(product, 0), lane, "");
        LLVMValueRef y = LLVMBuildExtractElement(b, LLVMGetOperand(product, 1), lane, "");
        all = LLVMBuildInsertElement(b, all, LLVMBuildMul(b, x, y, ""), lane, "");
    }
    LLVMReplaceAllUsesWith(product, all);
    LLVMInstructionEraseFromParent(product);
}

void cg_split_byte_products(Cg *cg) {
    if (!cg->target->splits_byte_products) return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->ctx);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_byte_product(i)) split(b, i);
            }
    LLVMDisposeBuilder(b);
}
