/* footprint.c -- does the first cache keep what items read again? An item's own memory, and elements far from those of
 * its neighbours that it reads in several rounds of a loop, are a few kilobytes for one item, which the cache keeps;
 * for all lanes of a vector they may be more than that. Then each line comes from the second cache again. */
#include "irgen/simd/level_cost.h"

#include <stdlib.h>

enum { FIRST_BYTES = 32 << 10, MOST_OF_ITEM = 24 << 10 /* otherwise one item's lines are not kept either */ };

static bool is_own(const SimdRegion *g, const SimdValue *access) {
    if (!simd_is_access(access->v) || g->blocks.at[access->block].leaves || access->private_of >= 0) return false;
    LaneRate at = simd_address_rate(g, access);
    return at.x == LANE_VARYING || (at.x == LANE_LINEAR && llabs(at.stride) >= SIMD_LINE);
}

/* Of the elements that it accesses in loops around it, if in one of them it comes back to the same; 0: it does not, or
 * nobody knows how many there are. */
static double bytes_of(const SimdRegion *g, const SimdValue *access) {
    double bytes = (double)simd_bytes(g, simd_element(access->v));
    bool again = false;
    for (int l = g->blocks.at[access->block].loop; l >= 0; l = g->loops.at[l].parent) {
        int64_t trips = simd_known_trips(g, l);
        if (!simd_pace(g, simd_address(access->v), l)) again = true;
        else if (!trips) return 0;
        else bytes *= (double)trips;
    }
    return again ? bytes : 0;
}

int64_t simd_private_bytes(const SimdRegion *g) {
    int64_t n = 0;
    for (int i = 0; i < g->privates.n; i++) n += simd_bytes(g, LLVMGetAllocatedType(g->privates.at[i].alloca_));
    return n;
}

bool level_is_crowded(const SimdRegion *g, int width) {
    double bytes = (double)simd_private_bytes(g);
    for (int i = 0; i < g->values.n; i++)
        if (is_own(g, &g->values.at[i])) bytes += bytes_of(g, &g->values.at[i]);
    return bytes <= MOST_OF_ITEM && bytes * width > FIRST_BYTES;
}

double level_crowded_lines(const SimdRegion *g, const SimdValue *access, int width) {
    bool is_private = access->private_of >= 0 && simd_is_access(access->v) && !g->blocks.at[access->block].leaves;
    if (!is_private && (!is_own(g, access) || !bytes_of(g, access))) return 0;
    int loop = g->blocks.at[access->block].loop;
    int64_t bytes = simd_bytes(g, simd_element(access->v)), by = 0;
    if (!is_private && access->parts < 0 && loop >= 0) by = llabs(simd_pace(g, simd_address(access->v), loop));
    if (by > SIMD_LINE) by = SIMD_LINE;
    return (double)width * (double)(by > bytes ? by : bytes) / SIMD_LINE;
}
