/* lld.h -- the LLVM linker in this process, and what else the LLVM C API lacks; no C++ type comes out. */
#ifndef KDSL_OFFLOAD_LLD_H
#define KDSL_OFFLOAD_LLD_H

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LLVM_KDSL_LINK_OK = 0, LLVM_KDSL_LINK_FAILED = 1, LLVM_KDSL_LINK_BROKEN = 2 };

/* Run ld.lld's ELF driver; argv[0] is its name. *message: what lld printed, malloc'd, never NULL, may be "".
 * Calls from several threads wait for each other: lld keeps its state in globals. BROKEN: lld gave up half way through
 * and must not be used again in this process; later calls return BROKEN at once. */
int LLVMKdslLinkElf(int argc, const char *const *argv, char **message);

/* Is `cpu` one that code for the 64-bit x86 `triple` can be generated for? LLVM itself warns about names it does not
 * know and ends the process for CPUs without 64-bit mode. The target must be registered. */
int LLVMKdslIsX86_64Cpu(const char *triple, const char *cpu);

/* Is `cpu` one of the triple's processors? And the i-th of them, NULL past the last: LLVM's, alive as long as the
 * process. */
int LLVMKdslIsCpu(const char *triple, const char *cpu);
const char *LLVMKdslCpuName(const char *triple, int i);

/* Does the CPU that `machine` makes code for have this, for instance "+fma"? */
int LLVMKdslHasFeature(LLVMTargetMachineRef machine, const char *feature);

/* What dlopen gave LLVM, which keeps a list of it to be closed in the end: closed, and off the list. */
void LLVMKdslCloseLibrary(void *library);

/* Bring what `into` declares, and `from` defines, into it. `from` is gone afterwards; its flags do not count. */
int LLVMKdslLinkNeeded(LLVMModuleRef into, LLVMModuleRef from);

#ifdef __cplusplus
}
#endif
#endif
