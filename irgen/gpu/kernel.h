/* kernel.h -- the entry functions of a kernel on a GPU, and the supported kinds of GPU. */
#ifndef KDSL_GPU_KERNEL_H
#define KDSL_GPU_KERNEL_H

#include "irgen/lang/abi.h"

void gpu_kernel_entry(Kernel *k);
extern const Gpu nvptx_gpu, amdgpu_gpu;
void nvptx_init(void);
void amdgpu_init(void);

#endif
