/* Statistics of rows: softmax. */
#include "stranger.h"

enum { N = 2000, M = 1000 };
GLOBAL float *x, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float most = x[i * M], sum = 0;
        for (int j = 0; j < M; j++)
            if (x[i * M + j] > most) most = x[i * M + j];
        for (int j = 0; j < M; j++) {
            y[i * M + j] = expf(x[i * M + j] - most);
            sum += y[i * M + j];
        }
        for (int j = 0; j < M; j++) y[i * M + j] /= sum;
    }
}

/* The exponential by hand, so that it is vectorised: 2^k times a polynomial (Cephes). */
static inline float exponential(float v) {
    v = v < -87.0f ? -87.0f : v;
    float k = floorf(v * 1.44269504f + 0.5f), r = v - k * 0.693359375f + k * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f, p = p * r + 8.3334519073e-3f, p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f, p = p * r + 5.0000001201e-1f, p = p * r * r + r + 1;
    union {
        int32_t i;
        float f;
    } scale = {((int32_t)k + 127) << 23};
    return p * scale.f;
}

void TUNED(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        const float *restrict in = x + i * M;
        float *restrict out = y + i * M, most = in[0], sum = 0;
#pragma omp simd reduction(max : most)
        for (int j = 0; j < M; j++) most = in[j] > most ? in[j] : most;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < M; j++) sum += out[j] = exponential(in[j] - most);
        float by = 1 / sum;
#pragma omp simd
        for (int j = 0; j < M; j++) out[j] *= by;
    }
}

#ifdef DATA
#include "softmax.h"
Result result;
double bytes = 8.0 * N * M, flops = 0;

void setup(void) {
    uint64_t seed = 12;
    x = array(4ll * N * M), y = array(4ll * N * M);
    for (int i = 0; i < N * M; i++) x[i] = (float)(20 * uniform(&seed) - 10);
    result = (Result){'f', y, N * M, 1e-5};
}
void prepare(void) { memset(y, 0, 4ll * N * M); }
void kdsl(void) { must(softmax(x, y, N, M)); }
#endif
