/* Neural networks: a convolution with channels, 3 x 3. */
#include "stranger.h"

enum { C = 32, O = 32, H = 66, W = 66 };
GLOBAL float *x, *weight, *bias, *y;

void PLAIN(void) {
#pragma omp parallel for
    for (int q = 0; q < O; q++)
        for (int i = 1; i < H - 1; i++)
            for (int j = 1; j < W - 1; j++) {
                float sum = bias[q];
                for (int p = 0; p < C; p++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            sum += weight[((q * C + p) * 3 + a) * 3 + b] * x[(p * H + i + a - 1) * W + j + b - 1];
                y[(q * H + i) * W + j] = sum > 0 ? sum : 0;
            }
}

/* Half a row of eight channels in registers: each vector of x serves eight sums, each weight two vectors. */
void TUNED(void) {
    enum { CHANNELS = 8, LANES = 32 };
    typedef float Lanes __attribute__((vector_size(64), aligned(4)));
#pragma omp parallel for schedule(static) collapse(2)
    for (int q0 = 0; q0 < O; q0 += CHANNELS)
        for (int i = 1; i < H - 1; i++)
            for (int j0 = 1; j0 < W - 1; j0 += LANES) {
                Lanes sum[CHANNELS][2];
                for (int q = 0; q < CHANNELS; q++) sum[q][0] = sum[q][1] = (Lanes){0} + bias[q0 + q];
                for (int p = 0; p < C; p++)
                    for (int a = 0; a < 3; a++) {
                        const float *row = x + (p * H + i + a - 1) * W + j0 - 1;
                        const float *w = weight + ((q0 * C + p) * 3 + a) * 3;
#pragma GCC unroll 3
                        for (int b = 0; b < 3; b++) {
                            Lanes low = *(const Lanes *)(row + b), high = *(const Lanes *)(row + b + 16);
#pragma GCC unroll 8
                            for (int q = 0; q < CHANNELS; q++) {
                                Lanes v = (Lanes){0} + w[q * C * 9 + b];
                                sum[q][0] += v * low, sum[q][1] += v * high;
                            }
                        }
                    }
                for (int q = 0; q < CHANNELS; q++)
                    for (int j = 0; j < LANES; j++) {
                        float v = sum[q][j / 16][j % 16];
                        y[((q0 + q) * H + i) * W + j0 + j] = v > 0 ? v : 0;
                    }
            }
}

#ifdef DATA
#include "cnn.h"
Result result;
double bytes = 0, flops = 18.0 * C * O * (H - 2) * (W - 2);

void setup(void) {
    uint64_t seed = 42;
    x = array(4ll * C * H * W), y = array(4ll * O * H * W), weight = array(4 * O * C * 9), bias = array(4 * O);
    for (int i = 0; i < C * H * W; i++) x[i] = (float)uniform(&seed);
    for (int i = 0; i < O * C * 9; i++) weight[i] = (float)(uniform(&seed) - 0.5);
    for (int i = 0; i < O; i++) bias[i] = (float)(uniform(&seed) - 0.5);
    result = (Result){'f', y, O * H * W, 2e-6};
}
void prepare(void) { memset(y, 0, 4ll * O * H * W); }
void kdsl(void) { must(cnn(x, weight, bias, y, C, H, W, O)); }
#endif
