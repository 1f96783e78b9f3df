/* clone.h -- a copy of a function of a module (llvm/Transforms/Utils/Cloning.h). */
#ifndef KDSL_IRGEN_PASSES_CLONE_H
#define KDSL_IRGEN_PASSES_CLONE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

LLVMValueRef LLVMKdslCloneFunction(LLVMValueRef fn);

#ifdef __cplusplus
}
#endif
#endif
