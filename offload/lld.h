/* lld.h -- C interface to lld and to functions of LLVM that its C API lacks. */
#ifndef KDSL_OFFLOAD_LLD_H
#define KDSL_OFFLOAD_LLD_H

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LLVM_KDSL_LINK_OK = 0, LLVM_KDSL_LINK_FAILED = 1, LLVM_KDSL_LINK_BROKEN = 2 };

/* Runs ld.lld's ELF driver; argv[0] is its name. *message: lld's output, malloc'd, never NULL, may be "". A mutex
 * serialises calls, because lld has global state. BROKEN: lld failed in the middle and must not be used again in this
 * process; later calls return BROKEN at once. */
int LLVMKdslLinkElf(int argc, const char *const *argv, char **message);

/* Is `cpu` a valid CPU for the 64-bit x86 `triple`? LLVM itself would print warnings for unknown names and end the
 * process for CPUs without 64-bit mode. The target must be registered. */
int LLVMKdslIsX86_64Cpu(const char *triple, const char *cpu);

/* Is `cpu` one of the triple's processors? LLVMKdslCpuName: the i-th of them, a static string of LLVM; NULL after the
 * last. */
int LLVMKdslIsCpu(const char *triple, const char *cpu);
const char *LLVMKdslCpuName(const char *triple, int i);

/* Does the CPU of `machine` have this feature, for instance "+fma"? */
int LLVMKdslHasFeature(LLVMTargetMachineRef machine, const char *feature);

/* Closes a library that LLVM has opened, and removes it from LLVM's list of libraries to close at exit. library: result
 * of dlopen. */
void LLVMKdslCloseLibrary(void *library);

/* Links into `into` the functions that it declares and `from` defines. Consumes `from`; its module flags are
 * ignored. */
int LLVMKdslLinkNeeded(LLVMModuleRef into, LLVMModuleRef from);

#ifdef __cplusplus
}
#endif
#endif
