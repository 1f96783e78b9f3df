/* Tables: building a hash table with linear probing, and looking up in it. */
#include "stranger.h"

enum { N = 400000, Q = 800000, SIZE = 1 << 20 };
GLOBAL uint32_t *key, *wanted;
GLOBAL int32_t *value, *found;

static inline uint32_t hashed(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ h >> 16;
}

void PLAIN(void) {
    uint32_t *keys = calloc(SIZE, 4);
    int32_t *values = calloc(SIZE, 4);
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        uint32_t s = hashed(key[i]) % SIZE;
        for (;;) {
            uint32_t old = 0;
            if (__atomic_compare_exchange_n(&keys[s], &old, key[i], false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                old == key[i])
                break;
            s = (s + 1) % SIZE;
        }
#pragma omp atomic
        values[s] += value[i];
    }
#pragma omp parallel for
    for (int i = 0; i < Q; i++) {
        uint32_t s = hashed(wanted[i]) % SIZE;
        while (keys[s] && keys[s] != wanted[i]) s = (s + 1) % SIZE;
        found[i] = keys[s] ? values[s] : -1;
    }
    free(keys), free(values);
}

/* Key and value share a cache line, which is fetched before it is needed; a plain read comes before each exchange. */
void TUNED(void) {
    enum { AHEAD = 16 };
    typedef struct Slot {
        uint32_t key;
        int32_t value;
    } Slot;
    static Slot slots[SIZE];
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < SIZE; i++) slots[i] = (Slot){0, 0};
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            if (i + AHEAD < N) __builtin_prefetch(&slots[hashed(key[i + AHEAD]) % SIZE], 1);
            uint32_t s = hashed(key[i]) % SIZE, old;
            for (;; s = (s + 1) % SIZE) {
                old = __atomic_load_n(&slots[s].key, __ATOMIC_RELAXED);
                if (old == key[i]) break;
                if (!old && (__atomic_compare_exchange_n(&slots[s].key, &old, key[i], false, __ATOMIC_RELAXED,
                                                         __ATOMIC_RELAXED) ||
                             old == key[i]))
                    break;
            }
#pragma omp atomic
            slots[s].value += value[i];
        }
#pragma omp for schedule(static)
        for (int i = 0; i < Q; i++) {
            if (i + AHEAD < Q) __builtin_prefetch(&slots[hashed(wanted[i + AHEAD]) % SIZE]);
            uint32_t s = hashed(wanted[i]) % SIZE;
            while (slots[s].key && slots[s].key != wanted[i]) s = (s + 1) % SIZE;
            found[i] = slots[s].key ? slots[s].value : -1;
        }
    }
}

#ifdef DATA
#include "hash.h"
Result result;
double bytes = 0, flops = 0;

/* Some keys occur twice; half of what is looked up is in the table. */
void setup(void) {
    uint64_t seed = 31;
    key = array(4ll * N), value = array(4ll * N), wanted = array(4ll * Q), found = array(4ll * Q);
    for (int i = 0; i < N; i++) {
        key[i] = i % 10 ? next_random(&seed) | 1 : key[i / 2] | 1;
        value[i] = (int32_t)(next_random(&seed) % 1000);
    }
    for (int i = 0; i < Q; i++) wanted[i] = i % 2 ? key[next_random(&seed) % N] : next_random(&seed) | 1;
    result = (Result){'i', found, Q, 0};
}
void prepare(void) { memset(found, 0, 4ll * Q); }
void kdsl(void) { must(hash(key, value, wanted, found, SIZE, N, Q)); }
#endif
