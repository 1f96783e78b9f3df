/* kernel.h -- the entry functions of a kernel on a GPU, and the supported kinds of GPU. */
#ifndef KDSL_GPU_KERNEL_H
#define KDSL_GPU_KERNEL_H

#include "irgen/lang/abi.h"

/* Target.kernel_entry: defines k->entry and the narrow entry, declared with the launch ABI (lang/abi.h). */
void gpu_kernel_entry(Kernel *k);
extern const Gpu nvptx_gpu, amdgpu_gpu;
/* Target.init: register the LLVM targets. */
void nvptx_init(void);
void amdgpu_init(void);

#endif
