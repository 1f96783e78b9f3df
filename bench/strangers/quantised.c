/* Language models: a matrix of bytes with scales, times a vector. */
#include "stranger.h"

enum { N = 4096, GROUP = 32, GROUPS = 64 };
GLOBAL int8_t *w;
GLOBAL float *scale, *x, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int g = 0; g < GROUPS; g++) {
            float part = 0;
            for (int k = 0; k < GROUP; k++) part += w[(i * GROUPS + g) * GROUP + k] * x[g * GROUP + k];
            sum += scale[i * GROUPS + g] * part;
        }
        y[i] = sum;
    }
}

/* Sums of 16 columns in a vector up to the end of the row. */
void TUNED(void) {
    enum { LANES = 16 };
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        float sums[LANES] = {0}, sum = 0;
        for (int g = 0; g < GROUPS; g++) {
            const int8_t *at = w + (i * GROUPS + g) * GROUP;
            float s = scale[i * GROUPS + g];
#pragma omp simd
            for (int l = 0; l < LANES; l++)
                sums[l] += s * (at[l] * x[g * GROUP + l] + at[LANES + l] * x[g * GROUP + LANES + l]);
        }
        for (int l = 0; l < LANES; l++) sum += sums[l];
        y[i] = sum;
    }
}

#ifdef DATA
#include "quantised.h"
Result result;
double bytes = 1.0 * N * GROUPS * (GROUP + 4), flops = 2.0 * N * GROUPS * GROUP;

void setup(void) {
    uint64_t seed = 63;
    w = array((int64_t)N * GROUPS * GROUP), scale = array(4ll * N * GROUPS), x = array(4 * GROUPS * GROUP),
    y = array(4 * N);
    for (int i = 0; i < N * GROUPS * GROUP; i++) w[i] = (int8_t)(next_random(&seed) % 255 - 127);
    for (int i = 0; i < N * GROUPS; i++) scale[i] = (float)(0.001 + 0.001 * uniform(&seed));
    for (int i = 0; i < GROUPS * GROUP; i++) x[i] = (float)(uniform(&seed) - 0.5);
    result = (Result){'f', y, N, 2e-6};
}
void prepare(void) { memset(y, 0, 4 * N); }
void kdsl(void) { must(quantised(w, scale, x, y, N, GROUPS)); }
#endif
