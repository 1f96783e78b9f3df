/* Statistics: a step of k-means. */
#include "stranger.h"

enum { N = 400000, K = 32, D = 4 };
GLOBAL float *x, *c, *sum;
GLOBAL int32_t *to, *size;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int best = 0;
        float least = 1e30f;
        for (int q = 0; q < K; q++) {
            float d2 = 0;
            for (int d = 0; d < D; d++) d2 += (x[i * D + d] - c[q * D + d]) * (x[i * D + d] - c[q * D + d]);
            if (d2 < least) least = d2, best = q;
        }
        to[i] = best;
        for (int d = 0; d < D; d++) {
#pragma omp atomic
            sum[best * D + d] += x[i * D + d];
        }
#pragma omp atomic
        size[best]++;
    }
}

/* Sixteen points at a time, and sums of its own for each thread. */
void TUNED(void) {
    enum { LANES = 16 };
#pragma omp parallel
    {
        float own[K][D] = {{0}};
        int32_t n[K] = {0};
#pragma omp for schedule(static)
        for (int i0 = 0; i0 < N; i0 += LANES) {
            float least[LANES], p[D][LANES];
            int32_t best[LANES];
            for (int l = 0; l < LANES; l++) {
                least[l] = 1e30f, best[l] = 0;
                for (int d = 0; d < D; d++) p[d][l] = x[(i0 + l) * D + d];
            }
            for (int q = 0; q < K; q++)
#pragma omp simd
                for (int l = 0; l < LANES; l++) {
                    float d2 = 0;
                    for (int d = 0; d < D; d++) d2 += (p[d][l] - c[q * D + d]) * (p[d][l] - c[q * D + d]);
                    best[l] = d2 < least[l] ? q : best[l];
                    least[l] = d2 < least[l] ? d2 : least[l];
                }
            for (int l = 0; l < LANES; l++) {
                to[i0 + l] = best[l];
                for (int d = 0; d < D; d++) own[best[l]][d] += p[d][l];
                n[best[l]]++;
            }
        }
#pragma omp critical
        for (int q = 0; q < K; q++) {
            for (int d = 0; d < D; d++) sum[q * D + d] += own[q][d];
            size[q] += n[q];
        }
    }
}

#ifdef DATA
#include "kmeans.h"
Result result;
double bytes = 0, flops = 12.0 * N * K;

void setup(void) {
    uint64_t seed = 13;
    x = array(4ll * N * D), c = array(4ll * K * D), sum = array(4ll * K * D), to = array(4ll * N),
    size = array(4ll * K);
    for (int i = 0; i < N * D; i++) x[i] = (float)uniform(&seed);
    for (int i = 0; i < K * D; i++) c[i] = (float)uniform(&seed);
    result = (Result){'f', sum, K * D, 1e-3};
}
void prepare(void) { memset(sum, 0, 4 * K * D), memset(size, 0, 4 * K), memset(to, 0, 4ll * N); }
void kdsl(void) { must(kmeans(x, c, to, sum, size, N, K)); }
#endif
