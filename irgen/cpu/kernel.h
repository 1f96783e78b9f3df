/* kernel.h -- the entry function of a kernel on a CPU. */
#ifndef KDSL_CPU_KERNEL_H
#define KDSL_CPU_KERNEL_H

#include "irgen/lang/abi.h"

/* Target.kernel_entry: defines k->entry, declared with the launch ABI (lang/abi.h), and the functions that it calls. */
void cpu_kernel_entry(Kernel *k);

#endif
