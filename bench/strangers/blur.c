/* Pictures: a separable blur with seven weights, bytes to floats, the border repeated. */
#include "stranger.h"

enum { H = 1500, W = 2000, R = 3 };
GLOBAL uint8_t *picture;
GLOBAL float *blurred;
static const float weights[2 * R + 1] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};

static inline int within(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

void PLAIN(void) {
    float *t = malloc(4ll * H * W);
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float sum = 0;
            for (int k = 0; k <= 2 * R; k++) sum += weights[k] * picture[i * W + within(j + k - R, W)];
            t[i * W + j] = sum;
        }
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float sum = 0;
            for (int k = 0; k <= 2 * R; k++) sum += weights[k] * t[within(i + k - R, H) * W + j];
            blurred[i * W + j] = sum;
        }
    free(t);
}

/* Strips of rows whose blurred rows stay in the cache; a copy of each row with its border. */
void TUNED(void) {
    enum { STRIP = 50 };
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < H; i0 += STRIP) {
        static _Thread_local float t[STRIP + 2 * R][W];
        float row[W + 2 * R];
        for (int i = 0; i < STRIP + 2 * R; i++) {
            const uint8_t *from = picture + within(i0 + i - R, H) * W;
            for (int j = 0; j < R; j++) row[j] = from[0], row[W + R + j] = from[W - 1];
            for (int j = 0; j < W; j++) row[R + j] = from[j];
#pragma omp simd
            for (int j = 0; j < W; j++) {
                float sum = 0;
                for (int k = 0; k <= 2 * R; k++) sum += weights[k] * row[j + k];
                t[i][j] = sum;
            }
        }
        for (int i = 0; i < STRIP; i++)
#pragma omp simd
            for (int j = 0; j < W; j++) {
                float sum = 0;
                for (int k = 0; k <= 2 * R; k++) sum += weights[k] * t[i + k][j];
                blurred[(i0 + i) * W + j] = sum;
            }
    }
}

#ifdef DATA
#include "blur.h"
Result result;
double bytes = 5.0 * H * W, flops = 28.0 * H * W;

void setup(void) {
    uint64_t seed = 23;
    picture = array(H * W), blurred = array(4ll * H * W);
    for (int i = 0; i < H * W; i++) picture[i] = (uint8_t)((i / W + i % W) / 16 + next_random(&seed) % 32);
    result = (Result){'f', blurred, H * W, 1e-6};
}
void prepare(void) { memset(blurred, 0, 4ll * H * W); }
void kdsl(void) { must(blur(picture, blurred, H, W)); }
#endif
