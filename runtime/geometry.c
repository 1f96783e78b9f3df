/* geometry.c -- launch geometry: the grid of a launch. Blocks are as long as the domain along x, the contiguous axis,
 * up to a limit; the remaining threads are distributed over y and z. Extents are powers of two, so that blocks consist
 * of whole warps. */
#include "runtime/geometry.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The power of two at or above n, but no more than `most`, which is one. */
static int64_t power_above(int64_t n, int64_t most) {
    int64_t p = 1;
    while (p < n && p < most) p *= 2;
    return p;
}

static void choose_threads(int32_t threads[3], const int64_t n[3]) {
    enum { SIDE = 8, DEPTH = 2 }; /* of a block in two and three axes, where the domain has room */
    int64_t z = power_above(n[2], n[1] > 1 ? DEPTH : GPU_MAX_DEEP);
    int64_t y = power_above(n[1], n[2] > 1 ? SIDE / z : SIDE);
    int64_t x = power_above(n[0], GPU_MAX_THREADS / (y * z));
    y = power_above(n[1], GPU_MAX_THREADS / (x * z));
    z = power_above(n[2], smaller(GPU_MAX_THREADS / (x * y), GPU_MAX_DEEP));
    threads[0] = (int32_t)x;
    threads[1] = (int32_t)y;
    threads[2] = (int32_t)z;
}

static int may_be_narrow(void) {
    static int known; /* 1 no, 2 yes; threads that find out at once find the same */
    if (!known) {
        const char *narrow = getenv("KDSL_NARROW");
        known = narrow && !strcmp(narrow, "off") ? 1 : 2;
    }
    return known == 2;
}

int32_t kdsl_geometry(KdslGeometry *g, int64_t x, int64_t y, int64_t z, int32_t by_x, int32_t by_y,
                      int32_t by_z, int32_t is_reduction) {
    const int64_t n[3] = {x, y, z};
    bool small = true;
    g->threads[0] = by_x;
    g->threads[1] = by_y;
    g->threads[2] = by_z;
    if (!by_x) choose_threads(g->threads, n);
    int64_t room = GPU_MAX_GRID_THREADS / ((int64_t)g->threads[0] * g->threads[1] * g->threads[2]); /* blocks */
    if (is_reduction) room = smaller(room, GPU_MAX_PARTS);
    for (int axis = 0; axis < 3; axis++) {
        int64_t wanted = (n[axis] - 1) / g->threads[axis] + 1;
        int64_t blocks = smaller(smaller(wanted, axis ? GPU_MAX_YZ : GPU_MAX_X), room);
        int64_t grid = blocks * g->threads[axis];
        small &= is_reduction ? n[axis] <= INT32_MAX - grid : blocks == wanted && grid <= INT32_MAX;
        g->blocks[axis] = (int32_t)blocks;
        room /= blocks;
    }
    return small && may_be_narrow();
}
