/* A filter of pictures in bytes: Sobel's edges. */
#include "stranger.h"

enum { H = 2160, W = 3840 };
GLOBAL uint8_t *src, *dst;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 1; i < H - 1; i++)
        for (int j = 1; j < W - 1; j++) {
            int gx = src[(i - 1) * W + j + 1] + 2 * src[i * W + j + 1] + src[(i + 1) * W + j + 1] -
                     src[(i - 1) * W + j - 1] - 2 * src[i * W + j - 1] - src[(i + 1) * W + j - 1];
            int gy = src[(i + 1) * W + j - 1] + 2 * src[(i + 1) * W + j] + src[(i + 1) * W + j + 1] -
                     src[(i - 1) * W + j - 1] - 2 * src[(i - 1) * W + j] - src[(i - 1) * W + j + 1];
            int g = abs(gx) + abs(gy);
            dst[i * W + j] = g > 255 ? 255 : g;
        }
}

/* In 16 bits, which hold every sum, so that a vector has twice the pixels. */
void TUNED(void) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < H - 1; i++) {
        const uint8_t *restrict up = src + (i - 1) * W, *restrict at = src + i * W, *restrict down = src + (i + 1) * W;
        uint8_t *restrict out = dst + i * W;
#pragma omp simd
        for (int j = 1; j < W - 1; j++) {
            int16_t right = (int16_t)(up[j + 1] + 2 * at[j + 1] + down[j + 1]);
            int16_t left = (int16_t)(up[j - 1] + 2 * at[j - 1] + down[j - 1]);
            int16_t below = (int16_t)(down[j - 1] + 2 * down[j] + down[j + 1]);
            int16_t above = (int16_t)(up[j - 1] + 2 * up[j] + up[j + 1]);
            int16_t gx = (int16_t)(right - left), gy = (int16_t)(below - above);
            int16_t g = (int16_t)((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy));
            out[j] = (uint8_t)(g > 255 ? 255 : g);
        }
    }
}

#ifdef DATA
#include "sobel.h"
Result result;
double bytes = 2.0 * H * W, flops = 0;

void setup(void) {
    uint64_t seed = 4;
    src = array(H * W), dst = array(H * W);
    for (int i = 0; i < H * W; i++) src[i] = (uint8_t)(next_random(&seed) & (i / 1000 % 2 ? 255 : 31));
    result = (Result){'b', dst, H * W, 0};
}
void prepare(void) { memset(dst, 0, H * W); }
void kdsl(void) { must(sobel(src, dst, H, W)); }
#endif
