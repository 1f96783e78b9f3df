/* chains.h -- reassociation of minima and maxima along the critical path. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_CHAINS_H
#define KDSL_IRGEN_PASSES_CHAINS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if it has changed something. */
int LLVMKdslShortenChains(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
