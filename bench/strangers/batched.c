/* Linear algebra: a batch of small matrix products, 16 x 16. */
#include "stranger.h"

enum { N = 8000, M = 16 };
GLOBAL float *a, *b, *c;

void PLAIN(void) {
#pragma omp parallel for
    for (int p = 0; p < N; p++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) {
                float sum = 0;
                for (int k = 0; k < M; k++) sum += a[(p * M + i) * M + k] * b[(p * M + k) * M + j];
                c[(p * M + i) * M + j] = sum;
            }
}

/* A row of the result is a vector. */
void TUNED(void) {
    typedef float Row __attribute__((vector_size(4 * M), aligned(4)));
#pragma omp parallel for schedule(static)
    for (int p = 0; p < N; p++) {
        const Row *rows = (const Row *)(b + p * M * M);
        const float *left = a + p * M * M;
        for (int i = 0; i < M; i += 8) {
            Row sum[8] = {{0}};
#pragma GCC unroll 16
            for (int k = 0; k < M; k++) {
                Row row = rows[k];
#pragma GCC unroll 8
                for (int r = 0; r < 8; r++) sum[r] += left[(i + r) * M + k] * row;
            }
            memcpy(c + (p * M + i) * M, sum, sizeof sum);
        }
    }
}

#ifdef DATA
#include "batched.h"
Result result;
double bytes = 12.0 * N * M * M, flops = 2.0 * N * M * M * M;

void setup(void) {
    uint64_t seed = 28;
    a = array(4ll * N * M * M), b = array(4ll * N * M * M), c = array(4ll * N * M * M);
    for (int i = 0; i < N * M * M; i++) a[i] = (float)uniform(&seed), b[i] = (float)uniform(&seed);
    result = (Result){'f', c, N * M * M, 1e-6};
}
void prepare(void) { memset(c, 0, 4ll * N * M * M); }
void kdsl(void) { must(batched(a, b, c, N)); }
#endif
