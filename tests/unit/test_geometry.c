/* test_geometry.c -- the grid of a launch: blocks that devices take, that hold all items, and whether in one round. */
#include <stdbool.h>
#include <stdio.h>

/* The runtime is no library of the compiler: it is embedded as objects. Here it is compiled in. */
#include "runtime/geometry.c"

static int n_failed;
static KdslGeometry g;

#define CHECK(is_so) expect(is_so, #is_so)
static void expect(bool is_so, const char *what) {
    if (is_so || n_failed++ > 10) return;
    fprintf(stderr, "not so: %s; %d x %d x %d blocks of %d x %d x %d\n", what, g.blocks[0], g.blocks[1], g.blocks[2],
            g.threads[0], g.threads[1], g.threads[2]);
}

/* As the compute capabilities of the CUDA C++ Programming Guide allow it. */
static void check_limits(void) {
    CHECK(g.threads[0] * g.threads[1] * g.threads[2] <= 1024);
    CHECK(g.threads[0] <= 1024 && g.threads[1] <= 1024 && g.threads[2] <= 64);
    CHECK(g.blocks[0] > 0 && g.blocks[1] > 0 && g.blocks[2] > 0);
    CHECK(g.blocks[1] <= 65535 && g.blocks[2] <= 65535);
    /* As HSA's packet and HSA_AGENT_INFO_GRID_MAX_SIZE have it: 32 bits for the items along an axis, and for all. */
    int64_t items = 1;
    for (int axis = 0; axis < 3; axis++) {
        items *= (int64_t)g.blocks[axis] * g.threads[axis];
        CHECK(items > 0 && items <= UINT32_MAX);
    }
}

static bool holds(const int64_t n[3]) {
    for (int axis = 0; axis < 3; axis++)
        if ((int64_t)g.blocks[axis] * g.threads[axis] < n[axis]) return false;
    return true;
}

static void every_domain(void) {
    static const int64_t sizes[] = {1,          2,
                                    3,          31,
                                    64,         65,
                                    255,        1000,
                                    65535,      65536,
                                    21000000,   (int64_t)1 << 31,
                                    UINT32_MAX, (int64_t)1 << 32,
                                    5000000000, (int64_t)1 << 40,
                                    INT64_MAX};
    enum { N = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < N * N * N; i++) {
        int64_t n[3] = {sizes[i % N], sizes[i / N % N], sizes[i / N / N]};
        bool one = kdsl_geometry(&g, n[0], n[1], n[2], 0, 0, 0, 0);
        check_limits();
        bool within = n[0] < INT32_MAX && n[1] < INT32_MAX && n[2] < INT32_MAX;
        CHECK(!one || (holds(n) && within));
        bool few = (__int128)n[0] * n[1] * n[2] <= UINT32_MAX / 16; /* the last blocks may not be full along three
                                                                     * axes */
        if (within && few && n[1] <= 65535 && n[2] <= 65535) CHECK(one);
        bool sum = kdsl_geometry(&g, n[0], n[1], n[2], 0, 0, 0, 1);
        check_limits();
        CHECK((int64_t)g.blocks[0] * g.blocks[1] * g.blocks[2] <= GPU_MAX_PARTS);
        for (int axis = 0; axis < 3; axis++) /* the place a round further, too */
            CHECK(!sum || n[axis] + (int64_t)g.blocks[axis] * g.threads[axis] <= INT32_MAX);
        if (n[0] <= 21000000 && n[1] <= 21000000 && n[2] <= 21000000) CHECK(sum);
    }
}

static void groups(void) {
    CHECK(kdsl_geometry(&g, 100, 50, 1, 16, 8, 1, 0));
    CHECK(g.threads[0] == 16 && g.threads[1] == 8 && g.blocks[0] == 7 && g.blocks[1] == 7 && g.blocks[2] == 1);
    CHECK(!kdsl_geometry(&g, 16, 70000 * 8, 1, 16, 8, 1, 0));
    CHECK(g.blocks[1] == 65535);
    static const int64_t counts[] = {1,          1000,     UINT32_MAX, (int64_t)1 << 32, ((int64_t)1 << 32) + 1,
                                     5000000000, INT64_MAX};
    static const int32_t by[][3] = {{1, 1, 1},   {3, 1, 1},  {256, 1, 1}, {1024, 1, 1},
                                    {32, 32, 1}, {16, 8, 8}, {1, 1, 64}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof by / sizeof *by; j++)
            for (int axes = 1; axes < 8; axes++) {
                int64_t n[3] = {axes & 1 ? counts[i] : 7, axes & 2 ? counts[i] : 1, axes & 4 ? counts[i] : 1};
                bool one = kdsl_geometry(&g, n[0], n[1], n[2], by[j][0], by[j][1], by[j][2], 0);
                check_limits();
                CHECK(!one || holds(n));
            }
}

/* More items than the largest grid: it has to be smaller than the domain, and no smaller than it has to be. */
static void large(void) {
    CHECK(!kdsl_geometry(&g, 5000000000, 1, 1, 0, 0, 0, 0));
    CHECK(g.threads[0] == 256 && g.blocks[0] == UINT32_MAX / 256);
    CHECK(!kdsl_geometry(&g, (int64_t)1 << 32, 1, 1, 0, 0, 0, 0));
    CHECK(g.blocks[0] == UINT32_MAX / 256);
    CHECK(!kdsl_geometry(&g, 100000, 100000, 1, 0, 0, 0, 0));
    CHECK(g.blocks[0] * g.threads[0] >= 100000 && g.blocks[1] > 1);
}

int main(void) {
    every_domain();
    large();
    groups();
    return n_failed > 0;
}
