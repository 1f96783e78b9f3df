/* A triangular domain: y = L x. */
#include "stranger.h"

enum { N = 4000 };
GLOBAL double *l, *x, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++) sum += l[(int64_t)i * N + j] * x[j];
        y[i] = sum;
    }
}

void TUNED(void) {
#pragma omp parallel for schedule(guided)
    for (int r = 0; r < N; r++) {
        int i = N - 1 - r; /* the long rows first */
        const double *row = l + (int64_t)i * N;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j <= i; j++) sum += row[j] * x[j];
        y[i] = sum;
    }
}

#ifdef DATA
#include "trmv.h"
Result result;
double bytes = 4.0 * N * N, flops = 1.0 * N * N;

void setup(void) {
    uint64_t seed = 2;
    l = array(8ll * N * N), x = array(8 * N), y = array(8 * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) l[(int64_t)i * N + j] = uniform(&seed) - 0.5;
    for (int i = 0; i < N; i++) x[i] = uniform(&seed) - 0.5;
    result = (Result){'d', y, N, 1e-12};
}
void prepare(void) { memset(y, 0, 8 * N); }
void kdsl(void) { must(trmv(l, x, y, N)); }
#endif
