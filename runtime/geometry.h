/* geometry.h -- launch geometry: the number of blocks and of threads per block of a launch on a GPU; shared by the
 * code that generates kernels (irgen/gpu/kernel.c) and the code that launches them. */
#ifndef KDSL_RUNTIME_GEOMETRY_H
#define KDSL_RUNTIME_GEOMETRY_H

#include "runtime/runtime.h"

enum {
    GPU_MAX_THREADS = 256, /* of a block at most, where the kernel is not in groups */
    GPU_MAX_DEEP = 64,     /* along z: CUDA C++ Programming Guide, compute capabilities */
    GPU_MAX_PARTS = 1024, /* blocks of a reduction: each has one partial result */
    GPU_MAX_X = 0x7fffffff, GPU_MAX_YZ = 65535 /* blocks along an axis: CUDA C++ Programming Guide, compute
                                                * capabilities */
};
/* The maximum number of threads of a grid, over all axes: HSA has 32 bits for them (HSA_AGENT_INFO_GRID_MAX_SIZE),
 * and 32 bits for those along an axis in the packet of the launch, where a larger number would wrap. CUDA, which
 * counts blocks, gets no larger grids either: one more iteration of the grid-stride loop costs nothing beside so
 * many items. */
#define GPU_MAX_GRID_THREADS INT64_C(0xffffffff)

/* As in libomptarget's KernelArgsTy; x first, which is the last axis of the domain. */
typedef struct KdslGeometry {
    int32_t blocks[3], threads[3];
} KdslGeometry;

/* Trip counts of the domain, from its last axis to its first, 1 for an axis that it does not have, and all above 0.
 * `by`: items of a group along these axes; 0: no groups, and the geometry is free. The number of blocks of a reduction
 * is limited by the room for partial results. If the domain is larger than the grid, kernels iterate (grid-stride
 * loop). Returns non-zero if one iteration is enough (or the kernel is a reduction) and an i32 has all indices, also
 * those of one more iteration: then the narrow version of the kernel may run. With KDSL_NARROW=off the result is
 * always 0. */
KDSL_RT int32_t kdsl_geometry(KdslGeometry *g, int64_t x, int64_t y, int64_t z, int32_t by_x, int32_t by_y,
                              int32_t by_z, int32_t is_reduction);

#endif
