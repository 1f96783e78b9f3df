/* barriers.h -- checks that the barriers of a GPU module are not divergent: all work items of a group reach them
 * together. A C interface without C++ types. */
#ifndef KDSL_IRGEN_BARRIERS_H
#define KDSL_IRGEN_BARRIERS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a barrier that only some items of a group may reach, or reach a different number of times. Returns "KERNEL,
 * block NAME", to be freed with LLVMDisposeMessage; NULL: there is no such barrier. */
char *LLVMKdslDivergentBarrier(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
