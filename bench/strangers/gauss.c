/* Linear algebra: a dense system by elimination with pivots. */
#include "stranger.h"

enum { N = 384, M = N + 1 };
GLOBAL double *a, *given, *x;

static void pivot(int k) {
    int p = k;
    for (int i = k + 1; i < N; i++)
        if (fabs(a[i * M + k]) > fabs(a[p * M + k])) p = i;
    for (int j = k; p != k && j < M; j++) {
        double t = a[p * M + j];
        a[p * M + j] = a[k * M + j];
        a[k * M + j] = t;
    }
}

void PLAIN(void) {
    for (int k = 0; k < N; k++) {
        pivot(k);
#pragma omp parallel for
        for (int i = k + 1; i < N; i++)
            for (int j = k + 1; j < M; j++) a[i * M + j] -= a[i * M + k] / a[k * M + k] * a[k * M + j];
    }
    for (int k = N - 1; k >= 0; k--) {
        a[k * M + N] /= a[k * M + k];
        for (int i = 0; i < k; i++) a[i * M + N] -= a[i * M + k] * a[k * M + N];
    }
    for (int i = 0; i < N; i++) x[i] = a[i * M + N];
}

/* One team of threads for all steps, a factor for each row, substitution along rows. */
void TUNED(void) {
#pragma omp parallel
    for (int k = 0; k < N; k++) {
#pragma omp single
        pivot(k);
        double by = 1 / a[k * M + k];
        const double *restrict from = a + k * M;
#pragma omp for schedule(static)
        for (int i = k + 1; i < N; i++) {
            double *restrict to = a + i * M, factor = to[k] * by;
#pragma omp simd
            for (int j = k + 1; j < M; j++) to[j] -= factor * from[j];
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        double sum = a[k * M + N];
#pragma omp simd reduction(+ : sum)
        for (int j = k + 1; j < N; j++) sum -= a[k * M + j] * x[j];
        x[k] = sum / a[k * M + k];
    }
}

#ifdef DATA
#include "gauss.h"
Result result;
double bytes = 0, flops = 2.0 * N * N * N / 3;

/* The tolerance: the rounding of the steps, times the condition of a random matrix of this size, some thousand. */
void setup(void) {
    uint64_t seed = 62;
    a = array(8ll * N * M), given = array(8ll * N * M), x = array(8 * N);
    for (int i = 0; i < N * M; i++) given[i] = uniform(&seed) - 0.5;
    result = (Result){'d', x, N, 1e-10};
}
void prepare(void) { memcpy(a, given, 8ll * N * M), memset(x, 0, 8 * N); }
void kdsl(void) { must(gauss(a, x, N, M)); }
#endif
