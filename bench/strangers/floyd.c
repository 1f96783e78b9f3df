/* Graphs: all shortest paths, by small launches in a long loop. */
#include "stranger.h"

enum { N = 500 };
GLOBAL float *d, *given;

void PLAIN(void) {
    for (int k = 0; k < N; k++) {
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                float via = d[i * N + k] + d[k * N + j];
                if (via < d[i * N + j]) d[i * N + j] = via;
            }
    }
}

/* One parallel region; row k does not change in its own step. */
void TUNED(void) {
#pragma omp parallel
    for (int k = 0; k < N; k++) {
        const float *row = d + k * N;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            float *to = d + i * N, dik = to[k];
            if (i == k) continue;
#pragma omp simd
            for (int j = 0; j < N; j++) to[j] = to[j] < dik + row[j] ? to[j] : dik + row[j];
        }
    }
}

#ifdef DATA
#include "floyd.h"
Result result;
double bytes = 0, flops = 2.0 * N * N * N;

void setup(void) {
    uint64_t seed = 6;
    d = array(4ll * N * N), given = array(4ll * N * N);
    for (int i = 0; i < N * N; i++)
        given[i] = i % (N + 1) == 0 ? 0 : uniform(&seed) < 0.05 ? (float)(1 + 9 * uniform(&seed)) : 1e9f;
    result = (Result){'f', d, N * N, 1e-6};
}
void prepare(void) { memcpy(d, given, 4ll * N * N); }
void kdsl(void) { must(floyd(d, N)); }
#endif
