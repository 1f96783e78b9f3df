/* flops.h -- how many floating-point operations a launch makes. */
#ifndef KDSL_FLOPS_H
#define KDSL_FLOPS_H

#include "irgen/lang/abi.h"

/* i64, where the kernel's parameters have values: operations on f64, or on f32 and narrower types; -1: not known. */
LLVMValueRef flops_of_launch(CgFunc *f, const Func *kernel, LLVMValueRef items, bool is_f64);

#endif
