/* geometry.h -- launch geometry: the number of blocks and of threads per block of a launch on a GPU; shared by the
 * code that generates kernels (irgen/gpu/kernel.c) and the code that launches them. */
#ifndef KDSL_RUNTIME_GEOMETRY_H
#define KDSL_RUNTIME_GEOMETRY_H

#include "runtime/runtime.h"

enum {
    GPU_MAX_THREADS = 256, /* of a block at most, where the kernel is not in groups */
    GPU_MAX_DEEP = 64,     /* along z: CUDA C++ Programming Guide, compute capabilities */
    GPU_MAX_PARTS = 1024, /* blocks of a reduction: one part of the result each */
    GPU_MAX_X = 0x7fffffff, GPU_MAX_YZ = 65535 /* blocks along an axis: CUDA C++ Programming Guide, compute capabilities */
};
/* Threads of a grid, of all axes together: HSA counts them in 32 bits (HSA_AGENT_INFO_GRID_MAX_SIZE), those along an axis in
 * the packet of the launch, where more wrap to a few. CUDA, which counts blocks, gets no larger grids either: one round more
 * is nothing beside so many items. */
#define GPU_MAX_GRID_THREADS INT64_C(0xffffffff)

/* As in libomptarget's KernelArgsTy; x first, which is the last axis of the domain. */
typedef struct KdslGeometry {
    int32_t blocks[3], threads[3];
} KdslGeometry;

/* Trip counts of the domain, from its last axis to its first, 1 where it has none, and above 0 all. `by`: items of a
 * group along these axes; 0: there are no groups, and the geometry is free. A reduction has no more blocks than it has
 * room for parts. A domain larger than the grid is walked through in rounds. Not 0: there is but one, unless it is a
 * reduction, and an i32 holds all places and the one a round further. KDSL_NARROW=off says 0 always, so that all launches
 * take the versions of kernels that need neither. */
KDSL_RT int32_t kdsl_geometry(KdslGeometry *g, int64_t x, int64_t y, int64_t z, int32_t by_x, int32_t by_y,
                              int32_t by_z, int32_t is_reduction);

#endif
