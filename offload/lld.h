/* lld.h -- the LLVM linker in this process. What the LLVM C API lacks; no C++ type comes out. */
#ifndef KDSL_OFFLOAD_LLD_H
#define KDSL_OFFLOAD_LLD_H

#ifdef __cplusplus
extern "C" {
#endif

enum { LLVM_KDSL_LINK_OK = 0, LLVM_KDSL_LINK_FAILED = 1, LLVM_KDSL_LINK_BROKEN = 2 };

/* Run ld.lld's ELF driver; argv[0] is its name. *message: what lld printed, malloc'd, never NULL, may be "".
 * Calls from several threads wait for each other: lld keeps its state in globals. BROKEN: lld gave up half way through
 * and must not be used again in this process; later calls return BROKEN at once. */
int LLVMKdslLinkElf(int argc, const char *const *argv, char **message);

#ifdef __cplusplus
}
#endif
#endif
