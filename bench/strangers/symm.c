/* Linear algebra: a symmetric matrix, of which the lower triangle is stored, times another one. */
#include "stranger.h"

#include "product.h"

enum { N = 512 };
GLOBAL double *a, *b, *c;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k <= i; k++) sum += a[i * N + k] * b[k * N + j];
            for (int k = i + 1; k < N; k++) sum += a[k * N + i] * b[k * N + j];
            c[i * N + j] = sum;
        }
}

void TUNED(void) {
    static double pa[N * N] __attribute__((aligned(64))), pb[N * N] __attribute__((aligned(64)));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            pa[i / ROWS * ROWS * N + k * ROWS + i % ROWS] = k <= i ? a[i * N + k] : a[k * N + i];
            pb[i / COLUMNS * COLUMNS * N + k * COLUMNS + i % COLUMNS] = b[k * N + i];
        }
    multiply(N, pa, pb, c);
}

#ifdef DATA
#include "symm.h"
Result result;
double bytes = 0, flops = 2.0 * N * N * N;

void setup(void) {
    uint64_t seed = 27;
    a = array(8ll * N * N), b = array(8ll * N * N), c = array(8ll * N * N);
    for (int i = 0; i < N * N; i++) a[i] = uniform(&seed) - 0.5, b[i] = uniform(&seed) - 0.5;
    result = (Result){'d', c, N * N, 1e-13};
}
void prepare(void) { memset(c, 0, 8ll * N * N); }
void kdsl(void) { must(symm(a, b, c, N, N)); }
#endif
