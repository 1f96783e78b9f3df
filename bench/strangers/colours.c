/* Films: colours by a table in three dimensions, with trilinear interpolation. */
#include "stranger.h"

enum { T = 33, M = 400000 };
GLOBAL float *table, *pixels, *graded;

void PLAIN(void) {
#pragma omp parallel for
    for (int p = 0; p < M; p++) {
        int at[3];
        float f[3];
        for (int d = 0; d < 3; d++) {
            float v = fminf(fmaxf(pixels[3 * p + d], 0), 1) * (T - 1);
            at[d] = (int)v < T - 2 ? (int)v : T - 2;
            f[d] = v - at[d];
        }
        for (int c = 0; c < 3; c++) {
            float sum = 0;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    float wa = a ? f[0] : 1 - f[0], wb = b ? f[1] : 1 - f[1];
                    const float *low = table + (((at[0] + a) * T + at[1] + b) * T + at[2]) * 3 + c;
                    sum += wa * wb * (low[0] + f[2] * (low[3] - low[0]));
                }
            graded[3 * p + c] = sum;
        }
    }
}

/* The place of 16 pixels at a time, then their tables by gathers. */
void TUNED(void) {
    enum { LANES = 16 };
#pragma omp parallel for schedule(static)
    for (int p0 = 0; p0 < M; p0 += LANES) {
        float f[3][LANES];
        int at[LANES] = {0};
        for (int d = 0; d < 3; d++)
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                float v = pixels[3 * (p0 + l) + d];
                v = v > 0 ? v : 0;
                v = (v < 1 ? v : 1) * (T - 1);
                int whole = (int)v;
                whole = whole < T - 2 ? whole : T - 2;
                f[d][l] = v - whole;
                at[l] = at[l] * T + whole;
            }
        for (int c = 0; c < 3; c++)
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                const float *o = table + 3 * at[l] + c;
                float a = o[0] + f[2][l] * (o[3] - o[0]);
                float b = o[3 * T] + f[2][l] * (o[3 * T + 3] - o[3 * T]);
                float e = o[3 * T * T] + f[2][l] * (o[3 * T * T + 3] - o[3 * T * T]);
                float g = o[3 * T * T + 3 * T] + f[2][l] * (o[3 * T * T + 3 * T + 3] - o[3 * T * T + 3 * T]);
                a += f[1][l] * (b - a), e += f[1][l] * (g - e);
                graded[3 * (p0 + l) + c] = a + f[0][l] * (e - a);
            }
    }
}

#ifdef DATA
#include "colours.h"
Result result;
double bytes = 24.0 * M, flops = 0;

/* A smooth table, and a picture whose neighbours are alike. */
void setup(void) {
    uint64_t seed = 53;
    table = array(12 * T * T * T), pixels = array(12ll * M), graded = array(12ll * M);
    for (int k = 0; k < T * T * T; k++) {
        float r = k / (T * T) / (T - 1.f), g = k / T % T / (T - 1.f), b = k % T / (T - 1.f);
        table[3 * k] = powf(r, 0.8f), table[3 * k + 1] = 0.9f * g + 0.1f * r, table[3 * k + 2] = b * b * (3 - 2 * b);
    }
    for (int p = 0; p < M; p++)
        for (int d = 0; d < 3; d++)
            pixels[3 * p + d] = 0.5f + 0.5f * sinf(p * (d + 1) * 1e-4f) + 0.05f * (float)uniform(&seed);
    result = (Result){'f', graded, 3 * M, 2e-6};
}
void prepare(void) { memset(graded, 0, 12ll * M); }
void kdsl(void) { must(colours(table, pixels, graded, T, M)); }
#endif
