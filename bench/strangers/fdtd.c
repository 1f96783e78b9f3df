/* Fields: Maxwell's equations on Yee's grid, with a source in the middle. */
#include "stranger.h"

enum { N = 128, STEPS = 4 };
typedef float Grid[N][N][N];
GLOBAL Grid *e, *h, *given; /* three components each */

#define MAGNETIC                                                                                                       \
    h[0][i][j][k] += c * (e[1][i][j][k + 1] - e[1][i][j][k] - (e[2][i][j + 1][k] - e[2][i][j][k]));                    \
    h[1][i][j][k] += c * (e[2][i + 1][j][k] - e[2][i][j][k] - (e[0][i][j][k + 1] - e[0][i][j][k]));                    \
    h[2][i][j][k] += c * (e[0][i][j + 1][k] - e[0][i][j][k] - (e[1][i + 1][j][k] - e[1][i][j][k]))
#define ELECTRIC                                                                                                       \
    e[0][i][j][k] += c * (h[2][i][j][k] - h[2][i][j - 1][k] - (h[1][i][j][k] - h[1][i][j][k - 1]));                    \
    e[1][i][j][k] += c * (h[0][i][j][k] - h[0][i][j][k - 1] - (h[2][i][j][k] - h[2][i - 1][j][k]));                    \
    e[2][i][j][k] += c * (h[1][i][j][k] - h[1][i - 1][j][k] - (h[0][i][j][k] - h[0][i][j - 1][k]))

void PLAIN(void) {
    const float c = 0.5f;
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                for (int k = 0; k < N - 1; k++) { MAGNETIC; }
#pragma omp parallel for
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++) { ELECTRIC; }
        e[2][N / 2][N / 2][N / 2] += sinf(0.3f * s);
    }
}

/* Vectors; a thread updates the electric field of a plane as soon as it has the magnetic field of it and the one
 * before, so that both are still in the cache: only the first plane of each thread waits for its neighbour. */
static void electric_plane(int i) {
    const float c = 0.5f;
    for (int j = 1; j < N - 1; j++)
#pragma omp simd
        for (int k = 1; k < N - 1; k++) { ELECTRIC; }
}

static void magnetic_plane(int i) {
    const float c = 0.5f;
    for (int j = 0; j < N - 1; j++)
#pragma omp simd
        for (int k = 0; k < N - 1; k++) { MAGNETIC; }
}

void TUNED(void) {
    enum { PART = 16 };
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel
        {
            /* Each part leaves its first electric plane for later: the part before reads it for its last magnetic
             * plane. */
#pragma omp for schedule(static)
            for (int part = 0; part < N; part += PART)
                for (int i = part; i < part + PART; i++) {
                    if (i < N - 1) magnetic_plane(i);
                    if (i > part + 1 && i < N) electric_plane(i - 1);
                }
#pragma omp for schedule(static)
            for (int part = 0; part < N; part += PART) {
                if (part > 0) electric_plane(part);
                if (part + PART < N) electric_plane(part + PART - 1);
            }
        }
        e[2][N / 2][N / 2][N / 2] += sinf(0.3f * s);
    }
}

#ifdef DATA
#include "fdtd.h"
Result result;
double bytes = 72.0 * N * N * N * STEPS, flops = 36.0 * N * N * N * STEPS;

void setup(void) {
    uint64_t seed = 34;
    e = array(3 * sizeof(Grid)), h = array(3 * sizeof(Grid)), given = array(3 * sizeof(Grid));
    for (int i = 0; i < 3 * N * N * N; i++) (&given[0][0][0][0])[i] = (float)(uniform(&seed) - 0.5);
    result = (Result){'f', e, 3 * N * N * N, 1e-5};
}
void prepare(void) { memcpy(e, given, 3 * sizeof(Grid)), memset(h, 0, 3 * sizeof(Grid)); }
void kdsl(void) {
    must(
        fdtd(&e[0][0][0][0], &e[1][0][0][0], &e[2][0][0][0], &h[0][0][0][0], &h[1][0][0][0], &h[2][0][0][0], STEPS, N));
}
#endif
