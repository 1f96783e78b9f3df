/* Linear algebra: a matrix times the transpose of another one. */
#include "stranger.h"

#include "product.h"

enum { N = 512 };
GLOBAL double *a, *b, *c;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[i * N + k] * b[j * N + k];
            c[i * N + j] = sum;
        }
}

void TUNED(void) {
    static double pa[N * N] __attribute__((aligned(64))), pb[N * N] __attribute__((aligned(64)));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            pa[i / ROWS * ROWS * N + k * ROWS + i % ROWS] = a[i * N + k];
            pb[i / COLUMNS * COLUMNS * N + k * COLUMNS + i % COLUMNS] = b[i * N + k];
        }
    multiply(N, pa, pb, c);
}

#ifdef DATA
#include "abt.h"
Result result;
double bytes = 0, flops = 2.0 * N * N * N;

void setup(void) {
    uint64_t seed = 25;
    a = array(8ll * N * N), b = array(8ll * N * N), c = array(8ll * N * N);
    for (int i = 0; i < N * N; i++) a[i] = uniform(&seed) - 0.5, b[i] = uniform(&seed) - 0.5;
    result = (Result){'d', c, N * N, 1e-13};
}
void prepare(void) { memset(c, 0, 8ll * N * N); }
void kdsl(void) { must(abt(a, b, c, N, N, N)); }
#endif
