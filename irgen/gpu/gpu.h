/* gpu.h -- kernels on GPUs, for the files of this room. A work item is a thread; the
 * domain's last axis is the grid's x axis, and so on outwards. The launch decides the geometry (runtime/geometry.c);
 * where a domain has more items than the grid has threads, each thread takes its next one a whole grid further. */
#ifndef KDSL_IRGEN_GPU_H
#define KDSL_IRGEN_GPU_H

#include "irgen/gpu/kernel.h"

/* All i32. */
LLVMValueRef gpu_thread(CgFunc *f, int axis);
LLVMValueRef gpu_block(CgFunc *f, int axis);
LLVMValueRef gpu_threads(CgFunc *f, int axis);
LLVMValueRef gpu_blocks(CgFunc *f, int axis);
/* Of three axes as one: (z * ny + y) * nx + x, in i32. */
LLVMValueRef gpu_flat(CgFunc *f, int n_axes, LLVMValueRef (*at)(CgFunc *, int), LLVMValueRef (*count)(CgFunc *, int));

void gpu_attribute(CgFunc *f, const char *name, const char *value); /* of the kernel */

/* gpu/reduce.c: what a thread has joined of its items; at the end all threads come here, and one writes the result. */
typedef struct GpuTeam {          /* the threads of this block */
    LLVMValueRef me, count, room; /* i32; room: an accumulator for each, shared */
} GpuTeam;
typedef struct GpuSum {
    Kernel *k;
    Reduction how;
    Type *item, *acc;
    GpuTeam team;
    LLVMValueRef at;   /* alloca: the thread's own */
} GpuSum;
GpuSum gpu_sum_begin(Kernel *k, CgFunc *f);
void gpu_sum_item(GpuSum *s, CgFunc *f); /* f->item_result holds an item's value, or nothing */
void gpu_sum_end(GpuSum *s, CgFunc *f, LLVMValueRef result);

#endif
