/* barriers.h -- the check that every barrier of a GPU module is reached by all items of a group together; no C++ type
 * comes out. */
#ifndef KDSL_IRGEN_BARRIERS_H
#define KDSL_IRGEN_BARRIERS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* String attributes that irgen writes for the analysis: of a parameter that does not decide what a function returns
 * (the work item's position, for reports and prints), and of a function whose result may differ for equal arguments. */
#define LLVM_KDSL_REPORTED "kdsl-reported"
#define LLVM_KDSL_DIFFERS "kdsl-differs"
/* How the names of variables begin to which items write anything but 0 only to end where their group meets next: after
 * that point there are only items that have not. */
#define LLVM_KDSL_FAILED "kdsl.failed"

/* A barrier that only some items of a group may reach, or reach a different number of times: "KERNEL, block NAME", to
 * be freed with LLVMDisposeMessage. NULL: there is none. */
char *LLVMKdslDivergentBarrier(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
