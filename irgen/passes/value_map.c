/* value_map.c -- a hash table from LLVM values and blocks to small integers: open addressing, without deletion. */
#include "irgen/passes/passes.h"

struct ValueMap {
    Arena *arena;
    const void **keys;
    int *values;
    int n, cap; /* cap: a power of two */
};

static uint64_t hash(const void *key) { return ((uint64_t)(uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20; }

static void set_capacity(ValueMap *m, int cap) {
    m->cap = cap;
    m->keys = arena_array(m->arena, const void *, cap);
    m->values = arena_array(m->arena, int, cap);
}

ValueMap *value_map_new(Arena *a, int expected) {
    ValueMap *m = arena_new(a, ValueMap);
    m->arena = a;
    int cap = 16;
    while (cap < 2 * expected) cap *= 2;
    set_capacity(m, cap);
    return m;
}

static int find(const ValueMap *m, const void *key) {
    int i = (int)(hash(key) & (uint64_t)(m->cap - 1));
    while (m->keys[i] && m->keys[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

static void grow(ValueMap *m) {
    ValueMap old = *m;
    set_capacity(m, 2 * old.cap);
    m->n = 0;
    for (int i = 0; i < old.cap; i++)
        if (old.keys[i]) value_map_put(m, old.keys[i], old.values[i]);
}

void value_map_put(ValueMap *m, const void *key, int value) {
    if (2 * (m->n + 1) > m->cap) grow(m);
    int i = find(m, key);
    if (!m->keys[i]) m->n++;
    m->keys[i] = key;
    m->values[i] = value;
}

int value_map_get(const ValueMap *m, const void *key) {
    int i = find(m, key);
    return m->keys[i] ? m->values[i] : -1;
}
