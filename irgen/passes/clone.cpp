// clone.cpp -- see clone.h. LLVM has no C interface of CloneFunction.
#include "irgen/passes/clone.h"

#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/Cloning.h"

LLVMValueRef LLVMKdslCloneFunction(LLVMValueRef fn) {
    llvm::ValueToValueMapTy copies;
    return llvm::wrap(llvm::CloneFunction(llvm::unwrap<llvm::Function>(fn), copies));
}
