/* combine_exits.h -- unrolling of loops whose checks may fail. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_COMBINE_EXITS_H
#define KDSL_IRGEN_PASSES_COMBINE_EXITS_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In every function of the module, whose loops have to be in loop-simplify and LCSSA form; returns how many loops it
 * has changed. */
int LLVMKdslCombineExits(LLVMModuleRef module, LLVMTargetMachineRef machine);

#ifdef __cplusplus
}
#endif
#endif
