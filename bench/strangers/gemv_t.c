/* Dense linear algebra, walked by columns: y = transposed A times x. */
#include "stranger.h"

enum { N = 4000, M = 3000 };
GLOBAL double *a, *x, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int j = 0; j < M; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += a[(int64_t)i * M + j] * x[i];
        y[j] = sum;
    }
}

/* Rows of A are read in order; each thread has a strip of columns. */
void TUNED(void) {
    enum { STRIP = 512 };
#pragma omp parallel for schedule(static)
    for (int j0 = 0; j0 < M; j0 += STRIP) {
        int n = M - j0 < STRIP ? M - j0 : STRIP;
        double sum[STRIP] = {0};
        for (int i = 0; i < N; i++) {
            const double *row = a + (int64_t)i * M + j0;
            double xi = x[i];
#pragma omp simd
            for (int j = 0; j < n; j++) sum[j] += row[j] * xi;
        }
        memcpy(y + j0, sum, (size_t)n * sizeof *y);
    }
}

#ifdef DATA
#include "gemv_t.h"
Result result;
double bytes = 8.0 * N * M, flops = 2.0 * N * M;

void setup(void) {
    uint64_t seed = 1;
    a = array(8ll * N * M), x = array(8ll * N), y = array(8ll * M);
    for (int64_t i = 0; i < (int64_t)N * M; i++) a[i] = uniform(&seed) - 0.5;
    for (int i = 0; i < N; i++) x[i] = uniform(&seed) - 0.5;
    result = (Result){'d', y, M, 1e-12};
}
void prepare(void) { memset(y, 0, 8 * M); }
void kdsl(void) { must(gemv_t(a, x, y, N, M)); }
#endif
