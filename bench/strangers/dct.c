/* Pictures: the cosine transform of blocks, divided and rounded (the core of JPEG). */
#include "stranger.h"

enum { H = 768, W = 1024 };
GLOBAL uint8_t *picture;
GLOBAL float *table;
GLOBAL int16_t *coefficients;

static void fill(float c[8][8]) {
    for (int u = 0; u < 8; u++)
        for (int j = 0; j < 8; j++) c[u][j] = (u ? 0.5f : sqrtf(0.125f)) * cosf((2 * j + 1) * u * 0.19634954f);
}

void PLAIN(void) {
    float c[8][8];
    fill(c);
#pragma omp parallel for
    for (int bi = 0; bi < H / 8; bi++)
        for (int bj = 0; bj < W / 8; bj++) {
            float t[8][8];
            for (int i = 0; i < 8; i++)
                for (int v = 0; v < 8; v++) {
                    float sum = 0;
                    for (int j = 0; j < 8; j++) sum += c[v][j] * (picture[(8 * bi + i) * W + 8 * bj + j] - 128.f);
                    t[i][v] = sum;
                }
            for (int u = 0; u < 8; u++)
                for (int v = 0; v < 8; v++) {
                    float sum = 0;
                    for (int i = 0; i < 8; i++) sum += c[u][i] * t[i][v];
                    coefficients[(8 * bi + u) * W + 8 * bj + v] = (int16_t)roundf(sum / table[8 * u + v]);
                }
        }
}

/* Rows of a block are vectors of eight, multiplied by numbers: first the columns, then, by the transposed matrix, the
 * rows. */
void TUNED(void) {
    typedef float Row __attribute__((vector_size(32)));
    float c[8][8];
    Row transposed[8];
    fill(c);
    for (int j = 0; j < 8; j++)
        for (int v = 0; v < 8; v++) transposed[j][v] = c[v][j];
#pragma omp parallel for schedule(static)
    for (int bi = 0; bi < H / 8; bi++)
        for (int bj = 0; bj < W / 8; bj++) {
            Row t[8];
            for (int i = 0; i < 8; i++) {
                const uint8_t *at = picture + (8 * bi + i) * W + 8 * bj;
                Row sum = {0};
#pragma GCC unroll 8
                for (int j = 0; j < 8; j++) sum += (at[j] - 128.f) * transposed[j];
                t[i] = sum;
            }
            for (int u = 0; u < 8; u++) {
                Row sum = {0};
#pragma GCC unroll 8
                for (int i = 0; i < 8; i++) sum += c[u][i] * t[i];
                for (int v = 0; v < 8; v++) {
                    float q = sum[v] / table[8 * u + v];
                    coefficients[(8 * bi + u) * W + 8 * bj + v] = (int16_t)(q + copysignf(0.5f, q));
                }
            }
        }
}

#ifdef DATA
#include "dct.h"
Result result;
double bytes = 3.0 * H * W, flops = 32.0 * H * W;

/* The tolerance is that of bytes: no coefficient may differ. No quotient is so near to a half that its rounding could.
 */
void setup(void) {
    uint64_t seed = 64;
    picture = array(H * W), table = array(4 * 64), coefficients = array(2ll * H * W);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            picture[i * W + j] = (uint8_t)(128 + 80 * sin(i * 0.02) * cos(j * 0.03) + next_random(&seed) % 32);
    for (int k = 0; k < 64; k++) table[k] = 10.37f + 3.1f * (k / 8 + k % 8);
    result = (Result){'b', coefficients, 2ll * H * W, 0};
}
void prepare(void) { memset(coefficients, 0, 2ll * H * W); }
void kdsl(void) { must(dct(picture, table, coefficients, H, W)); }
#endif
