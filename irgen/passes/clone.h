/* clone.h -- a copy of a function of a module, or of some of its blocks (llvm/Transforms/Utils/Cloning.h); a module as
 * bytes, which other contexts can read. */
#ifndef KDSL_IRGEN_PASSES_CLONE_H
#define KDSL_IRGEN_PASSES_CLONE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

LLVMValueRef LLVMKdslCloneFunction(LLVMValueRef fn);
/* n blocks that are entered at `head` only, and whose values are used in them only; the copy of the head. Nothing
 * branches to it yet, although its phis have the entries of the head's. */
LLVMBasicBlockRef LLVMKdslCloneBlocks(const LLVMBasicBlockRef *blocks, unsigned n, LLVMBasicBlockRef head);
/* As bitcode that keeps the order of uses, by which passes choose among equals. */
LLVMMemoryBufferRef LLVMKdslWriteModule(LLVMModuleRef m);

#ifdef __cplusplus
}
#endif
#endif
