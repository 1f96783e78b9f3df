/* map.c -- from addresses of LLVM's values and blocks to small numbers: an open table that never forgets. */
#include "irgen/simd/simd.h"

struct SimdMap {
    Arena *arena;
    const void **keys;
    int *values;
    int n, cap; /* cap: a power of two */
};

static uint64_t hash(const void *key) { return ((uint64_t)(uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20; }

static void set_capacity(SimdMap *m, int cap) {
    m->cap = cap;
    m->keys = arena_array(m->arena, const void *, cap);
    m->values = arena_array(m->arena, int, cap);
}

SimdMap *simd_map_new(Arena *a, int expected) {
    SimdMap *m = arena_new(a, SimdMap);
    m->arena = a;
    int cap = 16;
    while (cap < 2 * expected) cap *= 2;
    set_capacity(m, cap);
    return m;
}

static int find(const SimdMap *m, const void *key) {
    int i = (int)(hash(key) & (uint64_t)(m->cap - 1));
    while (m->keys[i] && m->keys[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

static void grow(SimdMap *m) {
    SimdMap old = *m;
    set_capacity(m, 2 * old.cap);
    m->n = 0;
    for (int i = 0; i < old.cap; i++)
        if (old.keys[i]) simd_map_put(m, old.keys[i], old.values[i]);
}

void simd_map_put(SimdMap *m, const void *key, int value) {
    if (2 * (m->n + 1) > m->cap) grow(m);
    int i = find(m, key);
    if (!m->keys[i]) m->n++;
    m->keys[i] = key;
    m->values[i] = value;
}

int simd_map_get(const SimdMap *m, const void *key) {
    int i = find(m, key);
    return m->keys[i] ? m->values[i] : -1;
}
