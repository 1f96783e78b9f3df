/* module.h -- the vectoriser's door: whole-function vectorisation of the loops over items that a module's kernels mark. */
#ifndef KDSL_SIMD_MODULE_H
#define KDSL_SIMD_MODULE_H

#include "irgen/lang/cg.h"

void simd_module(Cg *cg);      /* before LLVM's pipeline */
void simd_lower_masks(Cg *cg); /* after it: masks on machines without mask registers (masks.c) */

#endif
