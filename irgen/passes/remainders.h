/* remainders.h -- remainders of sums without a division. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_REMAINDERS_H
#define KDSL_IRGEN_PASSES_REMAINDERS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

void LLVMKdslSubtractRemainders(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
