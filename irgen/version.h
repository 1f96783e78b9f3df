/* version.h -- function multiversioning: kernels compiled for several levels of x86-64. */
#ifndef KDSL_IRGEN_VERSION_H
#define KDSL_IRGEN_VERSION_H

#include "irgen/lang/abi.h"

void version_kernel(Cg *cg, const Target *whole, const Func *fn); /* after cg_kernel; emits the dispatcher, too */
void version_constructor(Cg *cg, const Func *first);              /* determines the level of the processor */

#endif
