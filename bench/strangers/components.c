/* Graphs: the connected parts of a sparse random graph. */
#include "stranger.h"

enum { N = 300000, M = 240000 };
GLOBAL int32_t *a, *b, *label;
#define READ(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

static inline void lower(int32_t *at, int32_t to) {
    int32_t old = READ(*at);
    while (to < old && !__atomic_compare_exchange_n(at, &old, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static inline int32_t root_of(int32_t r) {
    for (int32_t above; (above = READ(label[r])) != r;) r = above;
    return r;
}

void PLAIN(void) {
    for (int v = 0; v < N; v++) label[v] = v;
    for (int changed = 1; changed;) {
        changed = 0;
#pragma omp parallel for reduction(| : changed)
        for (int e = 0; e < M; e++) {
            int u = READ(label[a[e]]), v = READ(label[b[e]]);
            if (u < v) lower(&label[v], u);
            if (v < u) lower(&label[u], v);
            changed |= u != v;
        }
        if (!changed) break;
#pragma omp parallel for
        for (int v = 0; v < N; v++) __atomic_store_n(&label[v], root_of(label[v]), __ATOMIC_RELAXED);
    }
}

/* One pass over the edges: roots are united under the smaller one, and paths are halved on the way. */
static inline int32_t halve(int32_t v) {
    for (;;) {
        int32_t above = READ(label[v]), next = READ(label[above]);
        if (above == next) return above;
        __atomic_store_n(&label[v], next, __ATOMIC_RELAXED);
        v = next;
    }
}

void TUNED(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int v = 0; v < N; v++) label[v] = v;
#pragma omp for schedule(static)
        for (int e = 0; e < M; e++) {
            int32_t u = halve(a[e]), v = halve(b[e]);
            while (u != v) {
                int32_t high = u > v ? u : v, low = u < v ? u : v, old = high;
                if (__atomic_compare_exchange_n(&label[high], &old, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                    break;
                u = halve(high), v = halve(low);
            }
        }
#pragma omp for schedule(static)
        for (int v = 0; v < N; v++) __atomic_store_n(&label[v], root_of(v), __ATOMIC_RELAXED);
    }
}

#ifdef DATA
#include "components.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 66;
    a = array(4 * M), b = array(4 * M), label = array(4 * N);
    for (int e = 0; e < M; e++) a[e] = (int32_t)(next_random(&seed) % N), b[e] = (int32_t)(next_random(&seed) % N);
    result = (Result){'i', label, N, 0};
}
void prepare(void) { memset(label, 0, 4 * N); }
void kdsl(void) { must(components(a, b, label, M, N)); }
#endif
