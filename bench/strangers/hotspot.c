/* Heat: the temperature of a chip (as in Rodinia's hotspot), some steps. */
#include "stranger.h"

enum { H = 1024, W = 1024, STEPS = 6 };
GLOBAL float *t, *given, *power;

static void step(const float *from, float *to) {
    const float r = 0.4f, c = 0.5f;
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float here = from[i * W + j];
            float north = i > 0 ? from[(i - 1) * W + j] : here, south = i < H - 1 ? from[(i + 1) * W + j] : here;
            float west = j > 0 ? from[i * W + j - 1] : here, east = j < W - 1 ? from[i * W + j + 1] : here;
            to[i * W + j] =
                here + c * (power[i * W + j] + r * (north + south + west + east - 4 * here) + 0.01f * (80 - here));
        }
}

void PLAIN(void) {
    float *next = malloc(4ll * H * W);
    for (int s = 0; s < STEPS; s += 2) step(t, next), step(next, t);
    free(next);
}

/* Rows without conditions. */
void TUNED(void) {
    static float next[H * W];
    const float r = 0.4f, c = 0.5f;
    float *now = t, *other = next;
#pragma omp parallel firstprivate(now, other)
    for (int s = 0; s < STEPS; s++) {
#pragma omp for schedule(static)
        for (int i = 0; i < H; i++) {
            const float *restrict row = now + i * W, *restrict up = i ? row - W : row, *restrict p = power + i * W;
            const float *restrict down = i < H - 1 ? row + W : row;
            float *restrict to = other + i * W;
#define CELL(j, left, right)                                                                                           \
    to[j] = row[j] + c * (p[j] + r * (up[j] + down[j] + row[left] + row[right] - 4 * row[j]) + 0.01f * (80 - row[j]))
            CELL(0, 0, 1);
#pragma omp simd
            for (int j = 1; j < W - 1; j++) CELL(j, j - 1, j + 1);
            CELL(W - 1, W - 2, W - 1);
        }
        float *last = now;
        now = other, other = last;
    }
}

#ifdef DATA
#include "hotspot.h"
Result result;
double bytes = 12.0 * H * W * STEPS, flops = 0;

/* Blocks of a chip, some of which work. */
void setup(void) {
    uint64_t seed = 46;
    t = array(4ll * H * W), given = array(4ll * H * W), power = array(4ll * H * W);
    float parts[16][16];
    for (int k = 0; k < 256; k++) parts[k / 16][k % 16] = next_random(&seed) % 4 ? 0 : (float)uniform(&seed);
    for (int i = 0; i < H * W; i++) {
        given[i] = 80 + (float)uniform(&seed);
        power[i] = parts[i / W / (H / 16)][i % W / (W / 16)];
    }
    result = (Result){'f', t, H * W, 1e-6};
}
void prepare(void) { memcpy(t, given, 4ll * H * W); }
void kdsl(void) { must(hotspot(t, power, STEPS, H, W)); }
#endif
