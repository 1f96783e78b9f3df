/* Recurrences along both axes: alternating directions, tridiagonal systems by Thomas' algorithm. */
#include "stranger.h"

enum { N = 1024, STEPS = 5 };
GLOBAL double *u, *given, *v, *c;
#define AT(x, i, j) x[(int64_t)(i)*N + (j)]

void PLAIN(void) {
    const double r = 0.3;
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for
        for (int j = 0; j < N; j++) {
            AT(c, 0, j) = -r / (1 + 2 * r);
            AT(v, 0, j) = AT(u, 0, j) / (1 + 2 * r);
            for (int i = 1; i < N; i++) {
                double m = 1 / (1 + 2 * r + r * AT(c, i - 1, j));
                AT(c, i, j) = -r * m;
                AT(v, i, j) = (AT(u, i, j) + r * AT(v, i - 1, j)) * m;
            }
            for (int i = N - 2; i >= 0; i--) AT(v, i, j) -= AT(c, i, j) * AT(v, i + 1, j);
        }
#pragma omp parallel for
        for (int i = 0; i < N; i++) {
            AT(c, i, 0) = -r / (1 + 2 * r);
            AT(u, i, 0) = AT(v, i, 0) / (1 + 2 * r);
            for (int j = 1; j < N; j++) {
                double m = 1 / (1 + 2 * r + r * AT(c, i, j - 1));
                AT(c, i, j) = -r * m;
                AT(u, i, j) = (AT(v, i, j) + r * AT(u, i, j - 1)) * m;
            }
            for (int j = N - 2; j >= 0; j--) AT(u, i, j) -= AT(c, i, j) * AT(u, i, j + 1);
        }
    }
}

/* The factors are the same for all lines and steps; columns as vectors of a strip, rows eight at a time. */
void TUNED(void) {
    enum { STRIP = 64, ROWS = 8 };
    static double m[N], cc[N];
    const double r = 0.3;
    m[0] = 1 / (1 + 2 * r), cc[0] = -r * m[0];
    for (int i = 1; i < N; i++) m[i] = 1 / (1 + 2 * r + r * cc[i - 1]), cc[i] = -r * m[i];
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for schedule(static)
        for (int j0 = 0; j0 < N; j0 += STRIP) {
            for (int j = j0; j < j0 + STRIP; j++) AT(v, 0, j) = AT(u, 0, j) * m[0];
            for (int i = 1; i < N; i++)
#pragma omp simd
                for (int j = j0; j < j0 + STRIP; j++) AT(v, i, j) = (AT(u, i, j) + r * AT(v, i - 1, j)) * m[i];
            for (int i = N - 2; i >= 0; i--)
#pragma omp simd
                for (int j = j0; j < j0 + STRIP; j++) AT(v, i, j) -= cc[i] * AT(v, i + 1, j);
        }
#pragma omp parallel for schedule(static)
        for (int i0 = 0; i0 < N; i0 += ROWS) {
            double last[ROWS];
            for (int k = 0; k < ROWS; k++) last[k] = AT(u, i0 + k, 0) = AT(v, i0 + k, 0) * m[0];
            for (int j = 1; j < N; j++)
                for (int k = 0; k < ROWS; k++) last[k] = AT(u, i0 + k, j) = (AT(v, i0 + k, j) + r * last[k]) * m[j];
            for (int j = N - 2; j >= 0; j--)
                for (int k = 0; k < ROWS; k++) last[k] = AT(u, i0 + k, j) -= cc[j] * last[k];
        }
    }
}

#ifdef DATA
#include "adi.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 7;
    int64_t n = 8ll * N * N;
    u = array(n), given = array(n), v = array(n), c = array(n);
    for (int i = 0; i < N * N; i++) given[i] = uniform(&seed);
    result = (Result){'d', u, N * N, 1e-11};
}
void prepare(void) { memcpy(u, given, 8ll * N * N); }
void kdsl(void) { must(adi(u, STEPS, N)); }
#endif
