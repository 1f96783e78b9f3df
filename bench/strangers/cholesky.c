/* Linear algebra: the Cholesky factorisation of a positive definite matrix. */
#include "stranger.h"

enum { N = 512 };
GLOBAL double *a, *given;

void PLAIN(void) {
    for (int k = 0; k < N; k++) {
        double pivot = sqrt(a[k * N + k]);
        for (int i = k; i < N; i++) a[i * N + k] /= pivot;
#pragma omp parallel for
        for (int i = k + 1; i < N; i++)
            for (int j = k + 1; j <= i; j++) a[i * N + j] -= a[i * N + k] * a[j * N + k];
    }
}

/* Blocks of columns: their own factor, the rows under it, then the rest by tiles, from columns that are transposed. */
void TUNED(void) {
    enum { B = 32 };
    for (int k0 = 0; k0 < N; k0 += B) {
        static double t[B][N];
        for (int k = k0; k < k0 + B; k++) {
            double sum = a[k * N + k];
            for (int e = k0; e < k; e++) sum -= a[k * N + e] * a[k * N + e];
            a[k * N + k] = sqrt(sum);
            for (int i = k + 1; i < k0 + B; i++) {
                double s = a[i * N + k];
                for (int e = k0; e < k; e++) s -= a[i * N + e] * a[k * N + e];
                a[i * N + k] = s / a[k * N + k];
            }
        }
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int i = k0 + B; i < N; i++)
                for (int k = k0; k < k0 + B; k++) {
                    double s = a[i * N + k];
                    for (int e = k0; e < k; e++) s -= a[i * N + e] * a[k * N + e];
                    t[k - k0][i] = a[i * N + k] = s / a[k * N + k];
                }
#pragma omp for schedule(dynamic)
            for (int i0 = k0 + B; i0 < N; i0 += 4)
                for (int j0 = k0 + B; j0 <= i0; j0 += B) {
                    double sum[4][B] = {{0}};
                    for (int e = 0; e < B; e++)
                        for (int r = 0; r < 4; r++)
#pragma omp simd
                            for (int j = 0; j < B; j++) sum[r][j] += t[e][i0 + r] * t[e][j0 + j];
                    for (int r = 0; r < 4; r++)
                        for (int j = j0; j < j0 + B && j <= i0 + r; j++) a[(i0 + r) * N + j] -= sum[r][j - j0];
                }
        }
    }
}

#ifdef DATA
#include "cholesky.h"
Result result;
double bytes = 0, flops = 1.0 * N * N * N / 3;

/* The upper triangle is zero: no version writes it. */
void setup(void) {
    uint64_t seed = 29;
    a = array(8ll * N * N), given = array(8ll * N * N);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) given[i * N + j] = uniform(&seed) - 0.5;
        given[i * N + i] = N;
    }
    result = (Result){'d', a, N * N, 1e-14};
}
void prepare(void) { memcpy(a, given, 8ll * N * N); }
void kdsl(void) { must(cholesky(a, N)); }
#endif
