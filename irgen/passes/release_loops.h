/* release_loops.h -- loops that another tool may unroll. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_RELEASE_LOOPS_H
#define KDSL_IRGEN_PASSES_RELEASE_LOOPS_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

void LLVMKdslReleaseLoops(LLVMValueRef function, LLVMTargetMachineRef machine);

#ifdef __cplusplus
}
#endif
#endif
