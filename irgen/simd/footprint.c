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

/* Lines that lanes go along from round to round, each lane one of its own: several vectors' drive each other out. */

enum { WAY_BYTES = 4096, HALF_THE_WAYS = 4, MOST_VECTORS = 4 };

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

/* May so many lines, so many bytes apart, drive each other out? Where nobody knows how far they are apart, they may. */
static bool may_collide(LaneRate at, int lines) {
    if (at.x != LANE_LINEAR) return true;
    int64_t sets = WAY_BYTES / greatest_divisor(WAY_BYTES, llabs(at.stride)), most = WAY_BYTES / SIMD_LINE;
    return lines > HALF_THE_WAYS * (sets < most ? sets : most);
}

/* Does the next round need the rest of the lines? */
static bool walks_along(const SimdRegion *g, const SimdValue *access, int width) {
    int loop = g->blocks.at[access->block].loop;
    if (loop < 0 || simd_is_rest(g, loop) || access->private_of >= 0 || !level_is_by_lane(g, access, width))
        return false;
    int64_t by = llabs(simd_pace(g, simd_address(access->v), loop));
    return by && by < SIMD_LINE;
}

void level_add_lines(LevelCost *c, const SimdRegion *g, const SimdValue *access, int width) {
    enum { OF_PART = 3 }; /* lines, measured: docs/decisions/cost-model.md */
    if (g->blocks.at[access->block].leaves || !simd_is_access(access->v)) return;
    bool is_part = simd_is_of_rows(g, access) && simd_reach(&g->parts.at[access->parts]) >= width;
    if (access->walks || is_part) c->lines_of_parts += OF_PART;
    else if (walks_along(g, access, width) && may_collide(simd_address_rate(g, access), MOST_VECTORS * width))
        c->lines_apart += width;
}

double level_lines_lost(const LevelCost *c, SimdShape s) {
    enum { MOST_OF_PARTS = 8, MOST_APART = 32 }; /* of one vector of 16 lanes, half are lost where they collide */
    if (s.vectors == 1) return 0;
    double of_parts = s.vectors * s.width > MOST_OF_PARTS ? c->lines_of_parts : 0;
    return of_parts + (s.vectors * c->lines_apart > MOST_APART ? c->lines_apart : 0);
}
