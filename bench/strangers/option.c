/* Monte Carlo with a table: an option whose volatility depends on the price. */
#include "stranger.h"

enum { N = 200000, M = 256, STEPS = 100 };
GLOBAL float *table, *pay;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float s = 100;
        uint32_t seed = (uint32_t)i * 747796405u + 2891336453u;
        for (int t = 0; t < STEPS; t++) {
            seed = seed * 1664525u + 1013904223u;
            float u = (float)(seed >> 8) * (1.0f / 16777216) - 0.5f;
            int k = (int)(s * 0.5f);
            k = k < 0 ? 0 : k > M - 1 ? M - 1 : k;
            s = s * (1 + 0.0001f + table[k] * u);
        }
        pay[i] = s > 100 ? s - 100 : 0;
    }
}

/* Sixty-four paths together, so that their loops are vectors. */
void TUNED(void) {
    enum { LANES = 64 };
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < N; i0 += LANES) {
        float s[LANES];
        uint32_t seed[LANES];
        for (int l = 0; l < LANES; l++) s[l] = 100, seed[l] = (uint32_t)(i0 + l) * 747796405u + 2891336453u;
        for (int t = 0; t < STEPS; t++)
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                seed[l] = seed[l] * 1664525u + 1013904223u;
                float u = (float)(int32_t)(seed[l] >> 8) * (1.0f / 16777216) - 0.5f;
                int k = (int)(s[l] * 0.5f);
                k = k < 0 ? 0 : k;
                k = k > M - 1 ? M - 1 : k;
                s[l] = s[l] * (1 + 0.0001f + table[k] * u);
            }
        for (int l = 0; l < LANES && i0 + l < N; l++) pay[i0 + l] = s[l] > 100 ? s[l] - 100 : 0;
    }
}

#ifdef DATA
#include "option.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    table = array(4 * M), pay = array(4ll * N);
    for (int k = 0; k < M; k++) table[k] = 0.02f + 0.02f * (float)(k % 64) / 64;
    result = (Result){'f', pay, N, 1e-3};
}
void prepare(void) { memset(pay, 0, 4ll * N); }
void kdsl(void) { must(option(table, pay, STEPS, M, N)); }
#endif
