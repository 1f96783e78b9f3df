/* kernel.h -- the entry of a kernel on the cores of a processor. */
#ifndef KDSL_CPU_KERNEL_H
#define KDSL_CPU_KERNEL_H

#include "irgen/lang/abi.h"

void cpu_kernel_entry(Kernel *k);

#endif
