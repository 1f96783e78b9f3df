/* order.c -- an adversary: PTX leaves open which block, warp and lane comes next; with KDSL_MOCK_SEED=1, 2, ... the
   choice is random. Up to three blocks are in flight, and begin in any order. Between barriers a warp's lanes go
   together; in parts that overtake each other, as independent thread scheduling allows; or one by one. Shared memory,
   stacks and registers begin as garbage, which differs from seed to seed. Without a seed: block after block, warp
   after warp, the lanes furthest behind first, and what nobody wrote is 0xCB. */
#include "tests/gpu/ptx/grid.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(Grid *g) { /* xorshift64* */
    g->random ^= g->random >> 12, g->random ^= g->random << 25, g->random ^= g->random >> 27;
    return g->random * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(Grid *g, uint32_t n) { return (uint32_t)((next_random(g) >> 32) * n >> 32); }

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

void ptx_seed(Grid *g) {
    static _Atomic uint64_t n_launches;
    const uint32_t *n = g->launch->grid;
    uint64_t seed = strtoull(mock_setting("KDSL_MOCK_SEED", "0"), NULL, 10);
    g->n_blocks = (uint64_t)n[0] * n[1] * n[2];
    g->stride = 1, g->n_in_flight = 1;
    if (!seed) return;
    g->random = (seed * UINT64_C(0x9e3779b97f4a7c15)) ^ (++n_launches << 32 | 1);
    g->n_in_flight = IN_FLIGHT;
    do g->stride = 1 + next_random(g) % g->n_blocks;
    while (common_divisor(g->stride, g->n_blocks) != 1);
}

bool ptx_next_block(Grid *g, uint32_t id[3]) {
    const uint32_t *n = g->launch->grid;
    if (g->n_begun == g->n_blocks) return false;
    uint64_t k = (uint64_t)((unsigned __int128)++g->n_begun * g->stride % g->n_blocks);
    if (!g->random) k = g->n_begun - 1;
    id[0] = (uint32_t)(k % n[0]), id[1] = (uint32_t)(k / n[0] % n[1]), id[2] = (uint32_t)(k / n[0] / n[1]);
    return true;
}

Block *ptx_choose_block(Grid *g) {
    Block *used[IN_FLIGHT];
    uint32_t n = 0;
    for (int k = 0; k < g->n_in_flight; k++)
        if (g->blocks[k].used) used[n++] = &g->blocks[k];
    return !n ? NULL : used[g->random ? below(g, n) : 0];
}

static bool some_run(const Grid *g, int first) {
    for (int k = first; k < first + WARP && k < g->n_threads; k++)
        if (g->now->threads[k].state == RUNS) return true;
    return false;
}

int ptx_choose_warp(Grid *g) {
    int n = (g->n_threads + WARP - 1) / WARP, first = g->random ? (int)below(g, (uint32_t)n) : 0;
    for (int k = 0; k < n; k++)
        if (some_run(g, (first + k) % n * WARP)) return (first + k) % n * WARP;
    return -1;
}

/* Those that stand where `t` stands. */
static uint32_t beside(const Thread *warp, int n, const Thread *t, bool *others) {
    const Frame *f = &t->frames[t->depth - 1];
    uint32_t lanes = 0;
    for (int k = 0; k < n; k++) {
        if (warp[k].state != RUNS) continue;
        const Frame *his = &warp[k].frames[warp[k].depth - 1];
        bool same = warp[k].depth == t->depth && his->pc == f->pc && his->function == f->function;
        lanes |= (uint32_t)same << k;
        *others |= !same;
    }
    return lanes;
}

/* The one furthest behind, in the innermost call: the others are waited for where ways meet. */
static const Thread *furthest_behind(const Thread *warp, int n) {
    const Thread *first = NULL;
    for (int k = 0; k < n; k++) {
        const Thread *t = &warp[k];
        if (t->state != RUNS) continue;
        bool behind = !first || t->depth > first->depth ||
                      (t->depth == first->depth && t->frames[t->depth - 1].pc < first->frames[t->depth - 1].pc);
        if (behind) first = t;
    }
    return first;
}

static const Thread *any_that_runs(Grid *g, const Thread *warp, int n) {
    uint32_t first = below(g, (uint32_t)n);
    for (int k = 0; k < n; k++)
        if (warp[(first + (uint32_t)k) % (uint32_t)n].state == RUNS) return &warp[(first + (uint32_t)k) % (uint32_t)n];
    return NULL;
}

uint32_t ptx_choose_lanes(Grid *g, const Thread *warp, int n, bool *others, int *most) {
    Manner how = g->random ? (Manner)g->now->manners[warp->number / WARP] : TOGETHER;
    *others = false;
    *most = g->random ? 1 + (int)below(g, how == APART ? 64 : 1024) : INT_MAX;
    const Thread *t = how == TOGETHER ? furthest_behind(warp, n) : any_that_runs(g, warp, n);
    if (!t) return 0;
    uint32_t lanes = beside(warp, n, t, others), mine = 1u << (t - warp);
    uint32_t chosen = how == TOGETHER ? lanes : how == ALONE ? mine : mine | (lanes & (uint32_t)next_random(g));
    *others |= chosen != lanes;
    return chosen;
}

/* Half of them together: one by one takes 32 times as long. */
void ptx_choose_manners(Grid *g) {
    static const Manner MANNERS[] = {TOGETHER, TOGETHER, APART, ALONE};
    if (!g->random) return;
    for (int k = 0; k * WARP < g->n_threads; k++) g->now->manners[k] = (uint8_t)MANNERS[below(g, 4)];
}

void ptx_poison(Grid *g, void *p, size_t n_bytes) { memset(p, g->random ? (int)next_random(g) : 0xCB, n_bytes); }

uint64_t ptx_poison_word(Grid *g) { return g->random ? next_random(g) : UINT64_C(0xCBCBCBCBCBCBCBCB); }
