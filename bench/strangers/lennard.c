/* Molecular dynamics: forces of Lennard-Jones with lists of neighbours. */
#include "stranger.h"

enum { SIDE = 32, N = SIDE * SIDE * SIDE, M = 128 };
GLOBAL float *at, *force;
GLOBAL int32_t *list, *count;

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < count[i]; k++) {
            int j = list[i * M + k];
            float dx = at[3 * i] - at[3 * j], dy = at[3 * i + 1] - at[3 * j + 1], dz = at[3 * i + 2] - at[3 * j + 2];
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < 6.25f) {
                float s2 = 1 / r2, s6 = s2 * s2 * s2, f = 48 * s2 * s6 * (s6 - 0.5f);
                fx += f * dx, fy += f * dy, fz += f * dz;
            }
        }
        force[3 * i] = fx, force[3 * i + 1] = fy, force[3 * i + 2] = fz;
    }
}

void TUNED(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        const int32_t *restrict near = list + i * M;
        float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2], fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (int k = 0; k < count[i]; k++) {
            int j = near[k];
            float dx = x - at[3 * j], dy = y - at[3 * j + 1], dz = z - at[3 * j + 2];
            float r2 = dx * dx + dy * dy + dz * dz, s2 = 1 / r2, s6 = s2 * s2 * s2;
            float f = r2 < 6.25f ? 48 * s2 * s6 * (s6 - 0.5f) : 0;
            fx += f * dx, fy += f * dy, fz += f * dz;
        }
        force[3 * i] = fx, force[3 * i + 1] = fy, force[3 * i + 2] = fz;
    }
}

#ifdef DATA
#include "lennard.h"
Result result;
double bytes = 0, flops = 0;

static int near(int i, int32_t *out) {
    int n = 0, x = i / (SIDE * SIDE), y = i / SIDE % SIDE, z = i % SIDE;
    for (int dx = -2; dx <= 2; dx++)
        for (int dy = -2; dy <= 2; dy++)
            for (int dz = -2; dz <= 2; dz++) {
                int a = x + dx, b = y + dy, c = z + dz;
                bool inside = a >= 0 && b >= 0 && c >= 0 && a < SIDE && b < SIDE && c < SIDE;
                if (inside && (dx || dy || dz) && dx * dx + dy * dy + dz * dz < 9) out[n++] = (a * SIDE + b) * SIDE + c;
            }
    return n;
}

void setup(void) {
    uint64_t seed = 9;
    at = array(12ll * N), force = array(12ll * N), list = array(4ll * N * M), count = array(4ll * N);
    for (int i = 0; i < N; i++) {
        const int place[3] = {i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE};
        for (int d = 0; d < 3; d++) at[3 * i + d] = (float)(1.1 * place[d] + 0.2 * uniform(&seed));
        count[i] = near(i, list + i * M);
    }
    result = (Result){'f', force, 3 * N, 1e-4};
}
void prepare(void) { memset(force, 0, 12ll * N); }
void kdsl(void) { must(lennard(at, list, count, force, N, M)); }
#endif
