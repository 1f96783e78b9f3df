/* Lattice QCD: a product of complex 3 x 3 matrices for each site. */
#include "stranger.h"

enum { N = 60000 };
GLOBAL double *a, *b, *c; /* 18 for each site */

void PLAIN(void) {
#pragma omp parallel for
    for (int s = 0; s < N; s++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double re = 0, im = 0;
                for (int k = 0; k < 3; k++) {
                    const double *x = a + 18 * s + 2 * (3 * i + k), *y = b + 18 * s + 2 * (3 * k + j);
                    re += x[0] * y[0] - x[1] * y[1];
                    im += x[0] * y[1] + x[1] * y[0];
                }
                c[18 * s + 2 * (3 * i + j)] = re;
                c[18 * s + 2 * (3 * i + j) + 1] = im;
            }
}

/* A row of three complex numbers is a vector of six. */
void TUNED(void) {
#pragma omp parallel for schedule(static)
    for (int s = 0; s < N; s++) {
        const double *restrict x = a + 18 * s, *restrict y = b + 18 * s;
        double *restrict z = c + 18 * s;
        double turned[18]; /* i times b */
        for (int k = 0; k < 9; k++) turned[2 * k] = -y[2 * k + 1], turned[2 * k + 1] = y[2 * k];
        for (int i = 0; i < 3; i++) {
            double row[6] = {0};
            for (int k = 0; k < 3; k++)
#pragma omp simd
                for (int j = 0; j < 6; j++)
                    row[j] += x[2 * (3 * i + k)] * y[6 * k + j] + x[2 * (3 * i + k) + 1] * turned[6 * k + j];
            memcpy(z + 6 * i, row, sizeof row);
        }
    }
}

#ifdef DATA
#include "su3.h"
Result result;
double bytes = 3.0 * 144 * N, flops = 198.0 * N;

void setup(void) {
    uint64_t seed = 8;
    a = array(144ll * N), b = array(144ll * N), c = array(144ll * N);
    for (int i = 0; i < 18 * N; i++) a[i] = uniform(&seed) - 0.5, b[i] = uniform(&seed) - 0.5;
    result = (Result){'d', c, 18 * N, 1e-13};
}
void prepare(void) { memset(c, 0, 144ll * N); }
void kdsl(void) { must(su3((const void *)a, (const void *)b, (void *)c, N)); }
#endif
