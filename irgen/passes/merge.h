/* merge.h -- merging of blocks, phis that only use one another (llvm/Transforms/Utils/BasicBlockUtils.h), and the form
 * of the comparison that ends a loop. */
#ifndef KDSL_IRGEN_PASSES_MERGE_H
#define KDSL_IRGEN_PASSES_MERGE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The block becomes the end of its only predecessor, which leads to nowhere else. false: it cannot. */
LLVMBool LLVMKdslMergeIntoPredecessor(LLVMBasicBlockRef block);
void LLVMKdslDeleteDeadPhis(LLVMBasicBlockRef block);
/* The end of block goes on while counter <= last, in any form: what LLVM makes of counter < last + 1. It becomes that
 * again, with the sum at the end of `before`, and goes on to the first successor. false: it has another form. */
LLVMBool LLVMKdslCountBelow(LLVMBasicBlockRef block, LLVMValueRef counter, LLVMBasicBlockRef before);

#ifdef __cplusplus
}
#endif
#endif
