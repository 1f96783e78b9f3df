/* Neural networks: normalisation of the rows of a layer. */
#include "stranger.h"

enum { N = 2048, D = 768 };
GLOBAL float *x, *gain, *bias, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float sum = 0, squares = 0;
        for (int k = 0; k < D; k++) sum += x[i * D + k];
        float mean = sum / D;
        for (int k = 0; k < D; k++) squares += (x[i * D + k] - mean) * (x[i * D + k] - mean);
        float scale = 1 / sqrtf(squares / D + 1e-5f);
        for (int k = 0; k < D; k++) y[i * D + k] = (x[i * D + k] - mean) * scale * gain[k] + bias[k];
    }
}

void TUNED(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        const float *restrict row = x + i * D;
        float *restrict to = y + i * D;
        float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < D; k++) sum += row[k];
        float mean = sum * (1.f / D);
#pragma omp simd reduction(+ : squares)
        for (int k = 0; k < D; k++) squares += (row[k] - mean) * (row[k] - mean);
        float scale = 1 / sqrtf(squares * (1.f / D) + 1e-5f);
#pragma omp simd
        for (int k = 0; k < D; k++) to[k] = (row[k] - mean) * scale * gain[k] + bias[k];
    }
}

#ifdef DATA
#include "layernorm.h"
Result result;
double bytes = 8.0 * N * D, flops = 0;

void setup(void) {
    uint64_t seed = 41;
    x = array(4ll * N * D), y = array(4ll * N * D), gain = array(4 * D), bias = array(4 * D);
    for (int i = 0; i < N * D; i++) x[i] = (float)(uniform(&seed) + uniform(&seed) - 0.9);
    for (int k = 0; k < D; k++) gain[k] = (float)(0.5 + uniform(&seed)), bias[k] = (float)uniform(&seed);
    result = (Result){'f', y, N * D, 2e-6};
}
void prepare(void) { memset(y, 0, 4ll * N * D); }
void kdsl(void) { must(layernorm(x, gain, bias, y, N, D)); }
#endif
