/* Sparse matrices: the format ELL, a matrix of a mesh, times a vector. */
#include "stranger.h"

enum { N = 200000, WIDTH = 12 };
GLOBAL double *value, *x, *y;
GLOBAL int32_t *column;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < WIDTH; k++) sum += value[k * N + i] * x[column[k * N + i]];
        y[i] = sum;
    }
}

/* A strip of rows as vectors, one entry of each at a time. */
void TUNED(void) {
    enum { LANES = 32 };
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < N; i0 += LANES) {
        double sum[LANES] = {0};
        for (int k = 0; k < WIDTH; k++)
#pragma omp simd
            for (int i = 0; i < LANES; i++) sum[i] += value[k * N + i0 + i] * x[column[k * N + i0 + i]];
        memcpy(y + i0, sum, sizeof sum);
    }
}

#ifdef DATA
#include "ell.h"
Result result;
double bytes = 12.0 * N * WIDTH + 16.0 * N, flops = 2.0 * N * WIDTH;

/* The columns are near the diagonal, as in a mesh with a good numbering, some are not; rows have 6 to 12 entries. */
void setup(void) {
    uint64_t seed = 52;
    value = array(8ll * N * WIDTH), column = array(4ll * N * WIDTH), x = array(8ll * N), y = array(8ll * N);
    for (int i = 0; i < N; i++) {
        x[i] = uniform(&seed);
        int entries = 6 + (int)(next_random(&seed) % 7);
        for (int k = 0; k < entries; k++) {
            int at = i - 500 + (int)(next_random(&seed) % 1001);
            if (next_random(&seed) % 50 == 0) at = (int)(next_random(&seed) % N);
            column[k * N + i] = at < 0 ? 0 : at < N ? at : N - 1;
            value[k * N + i] = uniform(&seed) - 0.5;
        }
    }
    result = (Result){'d', y, N, 1e-14};
}
void prepare(void) { memset(y, 0, 8ll * N); }
void kdsl(void) { must(ell(value, column, x, y, WIDTH, N)); }
#endif
