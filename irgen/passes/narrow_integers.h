/* narrow_integers.h -- integers of 64 bits as 32 bits, where these are enough. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_NARROW_INTEGERS_H
#define KDSL_IRGEN_PASSES_NARROW_INTEGERS_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In a function of narrow entries; returns whether it has changed. What is no longer used stays, for LLVM's passes. */
LLVMBool LLVMKdslNarrowIntegers(LLVMValueRef function, LLVMTargetMachineRef machine);

/* Each block that uses a 32-bit integer as 64 bits extends it itself; returns whether the function has changed. */
LLVMBool LLVMKdslSinkExtensions(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
