/* version.h -- kernels made for several levels of x86-64. */
#ifndef KDSL_IRGEN_VERSION_H
#define KDSL_IRGEN_VERSION_H

#include "irgen/lang/abi.h"

void version_kernel(Cg *cg, const Target *whole, const Func *fn); /* after cg_kernel: its name; in the lowest, the
                                                                   * choice */
void version_constructor(Cg *cg, const Func *first);              /* looks at the processor when the program is
                                                                   * loaded */

#endif
