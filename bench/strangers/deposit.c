/* Plasmas: the charge of particles on a grid. */
#include "stranger.h"

enum { N = 1000000, G = 257 };
GLOBAL double *x, *y, *q, *rho;

void PLAIN(void) {
#pragma omp parallel for
    for (int p = 0; p < N; p++) {
        int i = (int)y[p], j = (int)x[p];
        double dy = y[p] - i, dx = x[p] - j;
#pragma omp atomic
        rho[i * G + j] += q[p] * (1 - dx) * (1 - dy);
#pragma omp atomic
        rho[i * G + j + 1] += q[p] * dx * (1 - dy);
#pragma omp atomic
        rho[(i + 1) * G + j] += q[p] * (1 - dx) * dy;
#pragma omp atomic
        rho[(i + 1) * G + j + 1] += q[p] * dx * dy;
    }
}

/* A grid for each thread. */
void TUNED(void) {
#pragma omp parallel
    {
        static _Thread_local double own[G * G];
        memset(own, 0, sizeof own);
#pragma omp for schedule(static) nowait
        for (int p = 0; p < N; p++) {
            int i = (int)y[p], j = (int)x[p];
            double dy = y[p] - i, dx = x[p] - j, low = q[p] * (1 - dy), high = q[p] * dy, *at = own + i * G + j;
            at[0] += low * (1 - dx), at[1] += low * dx;
            at[G] += high * (1 - dx), at[G + 1] += high * dx;
        }
#pragma omp critical
#pragma omp simd
        for (int k = 0; k < G * G; k++) rho[k] += own[k];
    }
}

#ifdef DATA
#include "deposit.h"
Result result;
double bytes = 24.0 * N, flops = 0;

void setup(void) {
    uint64_t seed = 35;
    x = array(8ll * N), y = array(8ll * N), q = array(8ll * N), rho = array(8 * G * G);
    for (int p = 0; p < N; p++) {
        x[p] = (G - 1) * uniform(&seed), y[p] = (G - 1) * uniform(&seed);
        q[p] = next_random(&seed) % 2 ? 1 : -0.5;
    }
    result = (Result){'d', rho, G * G, 1e-13};
}
void prepare(void) { memset(rho, 0, 8 * G * G); }
void kdsl(void) { must(deposit(x, y, q, rho, N, G, G)); }
#endif
