/* shifted.c -- induction variables that LLVM has shifted: it makes of `for k in i + 1..n` a counter that begins at i,
 * to which each iteration first adds 1. They count from where the loop begins again, so that the loop is seen to be a
 * counted one.
 *
 *     p = phi [i, before], [k, body]; k = p + 1   ==>   k = phi [i + 1, before], [k + 1, body] */
#include "irgen/simd/simd.h"

/* The sum that the phi goes on with, which is all that it is used for, by a constant, in the same block. */
static LLVMValueRef sum_of(LLVMValueRef phi) {
    LLVMUseRef use = LLVMGetFirstUse(phi);
    LLVMValueRef v = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    bool is_sum = v && LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd;
    if (!is_sum || LLVMGetInstructionParent(v) != LLVMGetInstructionParent(phi)) return NULL;
    return LLVMIsAConstantInt(LLVMGetOperand(v, 1)) ? v : NULL;
}

static LLVMValueRef add_again(LLVMBuilderRef b, LLVMBasicBlockRef at, LLVMValueRef to, LLVMValueRef sum) {
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(at));
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(sum));
    LLVMValueRef next = LLVMBuildAdd(b, to, LLVMGetOperand(sum, 1), "");
    if (!LLVMIsAInstruction(next)) return next;
    LLVMSetNSW(next, LLVMGetNSW(sum));
    LLVMSetNUW(next, LLVMGetNUW(sum));
    return next;
}

static void unshift(LLVMBuilderRef b, LLVMValueRef phi, LLVMValueRef sum, unsigned back) {
    LLVMBasicBlockRef from[2] = {LLVMGetIncomingBlock(phi, !back), LLVMGetIncomingBlock(phi, back)};
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef counter = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    LLVMValueRef values[2] = {add_again(b, from[0], LLVMGetIncomingValue(phi, !back), sum),
                              add_again(b, from[1], counter, sum)};
    LLVMReplaceAllUsesWith(sum, counter);
    LLVMAddIncoming(counter, values, from, 2);
    LLVMReplaceAllUsesWith(phi, counter); /* its own use, in the sum, goes with it */
    LLVMInstructionEraseFromParent(sum);
    LLVMInstructionEraseFromParent(phi);
}

void simd_unshift_counters(Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v && LLVMIsAPHINode(v); v = next) {
            next = LLVMGetNextInstruction(v);
            LLVMValueRef sum = LLVMCountIncoming(v) == 2 ? sum_of(v) : NULL;
            for (unsigned k = 0; sum && k < 2; k++) {
                if (LLVMGetIncomingValue(v, k) != sum || LLVMGetIncomingValue(v, !k) == sum) continue;
                if (next == sum) next = LLVMGetNextInstruction(sum);
                unshift(cg->b, v, sum, k);
                break;
            }
        }
}
