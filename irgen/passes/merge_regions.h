/* merge_regions.h -- parallel region merging of launches. A C interface without C++ types. */
#ifndef KDSL_IRGEN_PASSES_MERGE_REGIONS_H
#define KDSL_IRGEN_PASSES_MERGE_REGIONS_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* module: of the host. begin, end: of functions without parameters or results; loops of launches are surrounded with
 * calls of them. */
void LLVMKdslMergeRegions(LLVMModuleRef module, const char *begin, const char *end);

#ifdef __cplusplus
}
#endif
#endif
