/* Fluids: steps of the lattice Boltzmann method, D2Q9, periodic. */
#include "stranger.h"

enum { H = 512, W = 512, Q = 9, STEPS = 4 };
GLOBAL float *f, *given, *g;
static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float weight[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

static void step(const float *from, float *to, float omega) {
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float d[Q], rho = 0, ux = 0, uy = 0;
            for (int q = 0; q < Q; q++) {
                d[q] = from[(q * H + (i - cy[q] + H) % H) * W + (j - cx[q] + W) % W];
                rho += d[q], ux += d[q] * cx[q], uy += d[q] * cy[q];
            }
            ux /= rho, uy /= rho;
            float u2 = 1.5f * (ux * ux + uy * uy);
            for (int q = 0; q < Q; q++) {
                float cu = 3 * (ux * cx[q] + uy * cy[q]);
                float equal = weight[q] * rho * (1 + cu + 0.5f * cu * cu - u2);
                to[(q * H + i) * W + j] = d[q] + omega * (equal - d[q]);
            }
        }
}

void PLAIN(void) {
    for (int s = 0; s < STEPS; s += 2) step(f, g, 1.2f), step(g, f, 1.2f);
}

/* Directions written out, rows of their sources found once, columns that wrap apart from the others. */
static inline void cell(const float *const from[Q], float *const to[Q], int j, int left, int right, float omega) {
    float d0 = from[0][j], d1 = from[1][left], d2 = from[2][j], d3 = from[3][right], d4 = from[4][j];
    float d5 = from[5][left], d6 = from[6][right], d7 = from[7][right], d8 = from[8][left];
    float rho = d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8, by = 1 / rho;
    float ux = (d1 - d3 + d5 - d6 - d7 + d8) * by, uy = (d2 - d4 + d5 + d6 - d7 - d8) * by;
    float rest = 1 - 1.5f * (ux * ux + uy * uy), keep = 1 - omega;
    float w0 = omega * (4.f / 9) * rho, w1 = omega * (1.f / 9) * rho, w5 = omega * (1.f / 36) * rho;
#define EQUAL(w, u) ((w) * (rest + 3 * (u) + 4.5f * (u) * (u)))
    to[0][j] = keep * d0 + w0 * rest;
    to[1][j] = keep * d1 + EQUAL(w1, ux), to[3][j] = keep * d3 + EQUAL(w1, -ux);
    to[2][j] = keep * d2 + EQUAL(w1, uy), to[4][j] = keep * d4 + EQUAL(w1, -uy);
    to[5][j] = keep * d5 + EQUAL(w5, ux + uy), to[7][j] = keep * d7 + EQUAL(w5, -ux - uy);
    to[6][j] = keep * d6 + EQUAL(w5, uy - ux), to[8][j] = keep * d8 + EQUAL(w5, ux - uy);
}

void TUNED(void) {
    float *a = f, *b = g;
#pragma omp parallel firstprivate(a, b)
    for (int s = 0; s < STEPS; s++) {
#pragma omp for schedule(static)
        for (int i = 0; i < H; i++) {
            const float *from[Q];
            float *to[Q];
            for (int q = 0; q < Q; q++) from[q] = a + (q * H + (i - cy[q] + H) % H) * W, to[q] = b + (q * H + i) * W;
            cell(from, to, 0, W - 1, 1, 1.2f);
#pragma omp simd
            for (int j = 1; j < W - 1; j++) cell(from, to, j, j - 1, j + 1, 1.2f);
            cell(from, to, W - 1, W - 2, 0, 1.2f);
        }
        float *other = a;
        a = b, b = other;
    }
}

#ifdef DATA
#include "lbm.h"
Result result;
double bytes = 72.0 * H * W * STEPS, flops = 0;

/* A shear flow with a disturbance. */
void setup(void) {
    int64_t n = 4ll * Q * H * W;
    f = array(n), g = array(n), given = array(n);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float ux = 0.1f * tanhf((i - H / 2) / 20.f), uy = 0.01f * sinf(6.2831853f * j / W), u2 = ux * ux + uy * uy;
            for (int q = 0; q < Q; q++) {
                float cu = 3 * (ux * cx[q] + uy * cy[q]);
                given[(q * H + i) * W + j] = weight[q] * (1 + cu + 0.5f * cu * cu - 1.5f * u2);
            }
        }
    result = (Result){'f', f, (int64_t)Q * H * W, 5e-6};
}
void prepare(void) { memcpy(f, given, 4ll * Q * H * W); }
void kdsl(void) { must(lbm(f, STEPS, H, W)); }
#endif
