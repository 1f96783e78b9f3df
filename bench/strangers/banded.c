/* Banded linear algebra: a product with 2 K + 1 diagonals. */
#include "stranger.h"

enum { N = 1000000, K = 8, D = 2 * K + 1 };
GLOBAL double *a, *x, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int q = 0; q < D; q++) {
            int j = i + q - K;
            if (j >= 0 && j < N) sum += a[(int64_t)q * N + i] * x[j];
        }
        y[i] = sum;
    }
}

void TUNED(void) {
    enum { STRIP = 2048 };
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < N; i0 += STRIP) {
        int n = N - i0 < STRIP ? N - i0 : STRIP;
        double *restrict out = y + i0;
        memset(out, 0, 8 * (size_t)n);
        for (int q = 0; q < D; q++) {
            int from = i0 + q - K < 0 ? K - q - i0 : 0, to = i0 + n + q - K > N ? N - q + K - i0 : n;
            const double *restrict row = a + (int64_t)q * N + i0, *restrict in = x + i0 + q - K;
#pragma omp simd
            for (int i = from; i < to; i++) out[i] += row[i] * in[i];
        }
    }
}

#ifdef DATA
#include "banded.h"
Result result;
double bytes = 8.0 * N * (D + 2), flops = 2.0 * N * D;

void setup(void) {
    uint64_t seed = 11;
    a = array(8ll * D * N), x = array(8ll * N), y = array(8ll * N);
    for (int64_t i = 0; i < (int64_t)D * N; i++) a[i] = uniform(&seed) - 0.5;
    for (int i = 0; i < N; i++) x[i] = uniform(&seed) - 0.5;
    result = (Result){'d', y, N, 1e-13};
}
void prepare(void) { memset(y, 0, 8ll * N); }
void kdsl(void) { must(banded(a, x, y, K, D, N)); }
#endif
