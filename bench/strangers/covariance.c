/* Statistics: the covariances of the columns of a table, half of a symmetric matrix. */
#include "stranger.h"

enum { N = 3000, M = 400 };
GLOBAL double *x, *c;

void PLAIN(void) {
    static double mean[M];
#pragma omp parallel for
    for (int j = 0; j < M; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += x[(int64_t)i * M + j];
        mean[j] = sum / N;
    }
#pragma omp parallel for
    for (int a = 0; a < M; a++)
        for (int b = a; b < M; b++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += (x[(int64_t)i * M + a] - mean[a]) * (x[(int64_t)i * M + b] - mean[b]);
            c[a * M + b] = c[b * M + a] = sum / (N - 1);
        }
}

/* Centred once; then rows a to a + 3 at a time, along the rows of the table. */
void TUNED(void) {
    enum { ROWS = 4 };
    static double centred[(int64_t)N * M], mean[M];
    memset(mean, 0, sizeof mean);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) mean[j] += x[(int64_t)i * M + j];
    for (int j = 0; j < M; j++) mean[j] /= N;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) centred[(int64_t)i * M + j] = x[(int64_t)i * M + j] - mean[j];
#pragma omp parallel for schedule(dynamic)
    for (int a = 0; a < M; a += ROWS) {
        double sum[ROWS][M] = {{0}};
        for (int i = 0; i < N; i++) {
            const double *row = centred + (int64_t)i * M;
#pragma omp simd
            for (int b = a; b < M; b++) {
                sum[0][b] += row[a] * row[b];
                sum[1][b] += row[a + 1] * row[b];
                sum[2][b] += row[a + 2] * row[b];
                sum[3][b] += row[a + 3] * row[b];
            }
        }
        for (int k = 0; k < ROWS; k++)
            for (int b = a + k; b < M; b++) c[(a + k) * M + b] = c[b * M + a + k] = sum[k][b] / (N - 1);
    }
}

#ifdef DATA
#include "covariance.h"
Result result;
double bytes = 0, flops = 1.5 * N * M * M;

void setup(void) {
    uint64_t seed = 3;
    x = array(8ll * N * M), c = array(8ll * M * M);
    for (int64_t i = 0; i < (int64_t)N * M; i++) x[i] = uniform(&seed);
    result = (Result){'d', c, M * M, 1e-12};
}
void prepare(void) { memset(c, 0, 8ll * M * M); }
void kdsl(void) { must(covariance(x, c, N, M)); }
#endif
