// merge.cpp -- merging of blocks, with the debug records between them, which the C API would leave behind.
#include "irgen/passes/merge.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

LLVMBool LLVMKdslMergeIntoPredecessor(LLVMBasicBlockRef block) {
    return llvm::MergeBlockIntoPredecessor(llvm::unwrap(block));
}

void LLVMKdslDeleteDeadPhis(LLVMBasicBlockRef block) { llvm::DeleteDeadPHIs(llvm::unwrap(block)); }
