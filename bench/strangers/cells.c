/* Particles: short forces between neighbours, which are found by cells. */
#include "stranger.h"

enum { N = 60000, SIDE = 20, CELLS = SIDE * SIDE * SIDE };
GLOBAL float *p, *f;

static inline int cell_of(float x) { return (int)(x * SIDE) < SIDE - 1 ? (int)(x * SIDE) : SIDE - 1; }
static inline int cell_at(const float *at) { return (cell_of(at[0]) * SIDE + cell_of(at[1])) * SIDE + cell_of(at[2]); }
static inline int low(int c) { return c > 0 ? c - 1 : 0; }
static inline int high(int c) { return c + 2 < SIDE ? c + 2 : SIDE; }

void PLAIN(void) {
    int *begins = calloc(CELLS + 1, 4), *ends = malloc(4 * CELLS), *cell = malloc(4 * N), *who = malloc(4 * N);
    float *sorted = malloc(12 * N);
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        cell[i] = cell_at(p + 3 * i);
#pragma omp atomic
        begins[cell[i] + 1]++;
    }
    for (int k = 0; k < CELLS; k++) begins[k + 1] += begins[k], ends[k] = begins[k];
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int at;
#pragma omp atomic capture
        at = ends[cell[i]]++;
        memcpy(sorted + 3 * at, p + 3 * i, 12);
        who[at] = i;
    }
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float x = sorted[3 * i], y = sorted[3 * i + 1], z = sorted[3 * i + 2], reach = 1.0f / SIDE;
        float fx = 0, fy = 0, fz = 0;
        int cx = cell_of(x), cy = cell_of(y), cz = cell_of(z);
        for (int a = low(cx); a < high(cx); a++)
            for (int b = low(cy); b < high(cy); b++)
                for (int d = low(cz); d < high(cz); d++) {
                    int k = (a * SIDE + b) * SIDE + d;
                    for (int o = begins[k]; o < ends[k]; o++) {
                        float dx = x - sorted[3 * o], dy = y - sorted[3 * o + 1], dz = z - sorted[3 * o + 2];
                        float r2 = dx * dx + dy * dy + dz * dz;
                        if (r2 < reach * reach && o != i) {
                            float push = 1 - r2 / (reach * reach);
                            fx += push * dx, fy += push * dy, fz += push * dz;
                        }
                    }
                }
        float *to = f + 3 * who[i];
        to[0] = fx, to[1] = fy, to[2] = fz;
    }
    free(begins), free(ends), free(cell), free(who), free(sorted);
}

/* Coordinates apart; the cells of a column follow one another in memory, so they are one loop of vectors; the particle
 * itself adds nothing. */
void TUNED(void) {
    static int begins[CELLS + 1], next[CELLS], cell[N], who[N];
    static float x[N], y[N], z[N];
    memset(begins, 0, sizeof begins);
    for (int i = 0; i < N; i++) begins[1 + (cell[i] = cell_at(p + 3 * i))]++;
    for (int k = 0; k < CELLS; k++) begins[k + 1] += begins[k], next[k] = begins[k];
    for (int i = 0; i < N; i++) {
        int at = next[cell[i]]++;
        x[at] = p[3 * i], y[at] = p[3 * i + 1], z[at] = p[3 * i + 2], who[at] = i;
    }
#pragma omp parallel for schedule(dynamic, 1024)
    for (int i = 0; i < N; i++) {
        float fx = 0, fy = 0, fz = 0, reach2 = (1.0f / SIDE) * (1.0f / SIDE), by = 1 / reach2;
        int cx = cell_of(x[i]), cy = cell_of(y[i]), cz = cell_of(z[i]);
        for (int a = low(cx); a < high(cx); a++)
            for (int b = low(cy); b < high(cy); b++) {
                int column = (a * SIDE + b) * SIDE, end = begins[column + high(cz)];
#pragma omp simd reduction(+ : fx, fy, fz)
                for (int o = begins[column + low(cz)]; o < end; o++) {
                    float dx = x[i] - x[o], dy = y[i] - y[o], dz = z[i] - z[o], r2 = dx * dx + dy * dy + dz * dz;
                    float push = r2 < reach2 ? 1 - r2 * by : 0;
                    fx += push * dx, fy += push * dy, fz += push * dz;
                }
            }
        float *to = f + 3 * who[i];
        to[0] = fx, to[1] = fy, to[2] = fz;
    }
}

#ifdef DATA
#include "cells.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 61;
    p = array(12 * N), f = array(12 * N);
    for (int k = 0; k < 3 * N; k++) p[k] = (float)uniform(&seed);
    result = (Result){'f', f, 3 * N, 5e-6};
}
void prepare(void) { memset(f, 0, 12 * N); }
void kdsl(void) { must(cells(p, f, SIDE, N)); }
#endif
