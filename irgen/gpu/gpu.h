/* gpu.h -- kernels on GPUs, shared by the files of this directory. A thread executes work items; the last axis of the
 * domain is the x axis of the grid, the one before it the y axis, and so on. The launch decides the geometry
 * (runtime/geometry.c); if the domain is larger than the grid, each thread executes items one grid apart (a grid-stride
 * loop). */
#ifndef KDSL_IRGEN_GPU_H
#define KDSL_IRGEN_GPU_H

#include "irgen/gpu/kernel.h"

/* Indices and counts along an axis, all i32: of the thread in its block, of the block in the grid. */
LLVMValueRef gpu_thread(CgFunc *f, int axis);
LLVMValueRef gpu_block(CgFunc *f, int axis);
LLVMValueRef gpu_threads(CgFunc *f, int axis);
LLVMValueRef gpu_blocks(CgFunc *f, int axis);
/* The linear index of up to three axes, (z * ny + y) * nx + x, in i32. */
LLVMValueRef gpu_flat(CgFunc *f, int n_axes, LLVMValueRef (*at)(CgFunc *, int), LLVMValueRef (*count)(CgFunc *, int));

void gpu_attribute(CgFunc *f, const char *name, const char *value); /* sets a function attribute of the kernel */

/* gpu/reduce.c: each thread accumulates the values of its items; gpu_sum_end must be reached by all threads of the
 * grid, and one of them stores the result. */
typedef struct GpuTeam {          /* the threads of a block */
    LLVMValueRef me, count, room; /* i32; room: shared array, an accumulator for each thread */
} GpuTeam;
typedef struct GpuSum {
    Kernel *k;
    Reduction how;
    Type *item, *acc;
    GpuTeam team;
    LLVMValueRef at;   /* alloca: the thread's accumulator */
} GpuSum;
GpuSum gpu_sum_begin(Kernel *k, CgFunc *f);
void gpu_sum_item(GpuSum *s, CgFunc *f); /* f->item_result has the value of an item, or the identity */
void gpu_sum_end(GpuSum *s, CgFunc *f, LLVMValueRef result);

#endif
