/* barriers.h -- the check that every barrier of a GPU module is reached by all items of a group together; no C++ type
 * comes out. */
#ifndef KDSL_IRGEN_BARRIERS_H
#define KDSL_IRGEN_BARRIERS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A barrier that only some items of a group may reach, or reach a different number of times: "KERNEL, block NAME", to
 * be freed with LLVMDisposeMessage. NULL: there is none. */
char *LLVMKdslDivergentBarrier(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
