/* Statistics: mean and variance of the columns of a table. */
#include "stranger.h"

enum { N = 4000, M = 500 };
GLOBAL double *x, *mean, *variance;

void PLAIN(void) {
#pragma omp parallel for
    for (int j = 0; j < M; j++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < N; i++) sum += x[i * M + j];
        mean[j] = sum / N;
        for (int i = 0; i < N; i++) squares += (x[i * M + j] - mean[j]) * (x[i * M + j] - mean[j]);
        variance[j] = squares / (N - 1);
    }
}

/* Whole rows in the order of memory; each thread has sums of its own, of the differences from the first row. */
void TUNED(void) {
    static double sums[M], squares[M];
    memset(sums, 0, sizeof sums), memset(squares, 0, sizeof squares);
#pragma omp parallel
    {
        double s[M] = {0}, q[M] = {0};
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
#pragma omp simd
            for (int j = 0; j < M; j++) {
                double d = x[i * M + j] - x[j];
                s[j] += d, q[j] += d * d;
            }
#pragma omp critical
        for (int j = 0; j < M; j++) sums[j] += s[j], squares[j] += q[j];
    }
    for (int j = 0; j < M; j++) {
        mean[j] = x[j] + sums[j] / N;
        variance[j] = (squares[j] - sums[j] * sums[j] / N) / (N - 1);
    }
}

#ifdef DATA
#include "columns.h"
Result result;
double bytes = 8.0 * N * M, flops = 0;

void setup(void) {
    uint64_t seed = 43;
    x = array(8ll * N * M), mean = array(16 * M), variance = mean + M;
    for (int i = 0; i < N * M; i++) x[i] = i % M % 10 + uniform(&seed) + uniform(&seed);
    result = (Result){'d', mean, 2 * M, 1e-13};
}
void prepare(void) { memset(mean, 0, 16 * M); }
void kdsl(void) { must(columns(x, mean, variance, N, M)); }
#endif
