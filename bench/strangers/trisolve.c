/* Linear algebra: a lower triangular system with many right sides. */
#include "stranger.h"

enum { N = 512, M = 512 };
GLOBAL double *l, *x, *given;

void PLAIN(void) {
#pragma omp parallel for
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++) {
            double sum = x[i * M + j];
            for (int k = 0; k < i; k++) sum -= l[i * N + k] * x[k * M + j];
            x[i * M + j] = sum / l[i * N + i];
        }
}

/* Strips of 32 columns, four rows of them in registers. */
void TUNED(void) {
    enum { STRIP = 32, ROWS = 4 };
#pragma omp parallel for schedule(static)
    for (int j0 = 0; j0 < M; j0 += STRIP) {
        double t[N][STRIP];
        for (int i0 = 0; i0 < N; i0 += ROWS) {
            double sum[ROWS][STRIP];
            for (int r = 0; r < ROWS; r++) memcpy(sum[r], x + (i0 + r) * M + j0, sizeof sum[r]);
            for (int k = 0; k < i0; k++)
                for (int r = 0; r < ROWS; r++)
#pragma omp simd
                    for (int j = 0; j < STRIP; j++) sum[r][j] -= l[(i0 + r) * N + k] * t[k][j];
            for (int r = 0; r < ROWS; r++) {
                for (int k = 0; k < r; k++)
                    for (int j = 0; j < STRIP; j++) sum[r][j] -= l[(i0 + r) * N + i0 + k] * t[i0 + k][j];
                double by = 1 / l[(i0 + r) * N + i0 + r];
                for (int j = 0; j < STRIP; j++) x[(i0 + r) * M + j0 + j] = t[i0 + r][j] = sum[r][j] * by;
            }
        }
    }
}

#ifdef DATA
#include "trisolve.h"
Result result;
double bytes = 0, flops = 1.0 * N * N * M;

void setup(void) {
    uint64_t seed = 30;
    l = array(8ll * N * N), x = array(8ll * N * M), given = array(8ll * N * M);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) l[i * N + j] = (uniform(&seed) - 0.5) / 16;
        l[i * N + i] = 1 + uniform(&seed);
    }
    for (int i = 0; i < N * M; i++) given[i] = uniform(&seed) - 0.5;
    result = (Result){'d', x, N * M, 1e-12};
}
void prepare(void) { memcpy(x, given, 8ll * N * M); }
void kdsl(void) { must(trisolve(l, x, N, M)); }
#endif
