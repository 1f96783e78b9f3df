/* merge.h -- merging of blocks, and phis that only use one another (llvm/Transforms/Utils/BasicBlockUtils.h). */
#ifndef KDSL_IRGEN_PASSES_MERGE_H
#define KDSL_IRGEN_PASSES_MERGE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The block becomes the end of its only predecessor, which leads to nowhere else. false: it cannot. */
LLVMBool LLVMKdslMergeIntoPredecessor(LLVMBasicBlockRef block);
void LLVMKdslDeleteDeadPhis(LLVMBasicBlockRef block);

#ifdef __cplusplus
}
#endif
#endif
