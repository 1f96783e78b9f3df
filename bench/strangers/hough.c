/* Pictures: lines, by the votes of bright pixels. */
#include "stranger.h"

enum { H = 480, W = 640, ANGLES = 180, DISTANCES = 1603 };
GLOBAL uint8_t *edges;
GLOBAL int32_t *votes;

static void fill(float *c, float *s) {
    for (int a = 0; a < ANGLES; a++) c[a] = cosf(a * 3.14159265f / ANGLES), s[a] = sinf(a * 3.14159265f / ANGLES);
}

void PLAIN(void) {
    float c[ANGLES], s[ANGLES];
    fill(c, s);
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            if (edges[i * W + j])
                for (int a = 0; a < ANGLES; a++) {
                    int d = (int)roundf(j * c[a] + i * s[a]) + DISTANCES / 2;
#pragma omp atomic
                    votes[a * DISTANCES + d]++;
                }
}

/* The bright pixels in a list; each thread has its angles, whose votes stay in its cache, so no update is atomic. */
void TUNED(void) {
    enum { LANES = 16 };
    static float x[H * W], y[H * W];
    float c[ANGLES], s[ANGLES];
    int n = 0;
    fill(c, s);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            if (edges[i * W + j]) x[n] = (float)j, y[n++] = (float)i;
#pragma omp parallel for schedule(dynamic)
    for (int a = 0; a < ANGLES; a++) {
        int32_t *own = votes + a * DISTANCES;
        for (int k0 = 0; k0 < n; k0 += LANES) {
            int d[LANES], m = n - k0 < LANES ? n - k0 : LANES;
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                float v = x[k0 + l] * c[a] + y[k0 + l] * s[a];
                d[l] = (int)(v + copysignf(0.5f, v)) + DISTANCES / 2;
            }
            for (int l = 0; l < m; l++) own[d[l]]++;
        }
    }
}

#ifdef DATA
#include "hough.h"
Result result;
double bytes = 0, flops = 0;

/* Some lines, and noise. A vote near a border of two distances may be rounded into the other one. */
void setup(void) {
    uint64_t seed = 65;
    edges = array(H * W), votes = array(4ll * ANGLES * DISTANCES);
    for (int k = 0; k < 4000; k++) edges[next_random(&seed) % (H * W)] = 255;
    for (int k = 0; k < 8; k++) {
        double x = uniform(&seed) * W, y = uniform(&seed) * H, angle = uniform(&seed) * 3.1;
        for (int t = -400; t < 400; t++) {
            int j = (int)(x + t * cos(angle)), i = (int)(y + t * sin(angle));
            if (i >= 0 && i < H && j >= 0 && j < W) edges[i * W + j] = 255;
        }
    }
    result = (Result){'i', votes, ANGLES * DISTANCES, 0.02};
}
void prepare(void) { memset(votes, 0, 4ll * ANGLES * DISTANCES); }
void kdsl(void) { must(hough(edges, votes, H, W, ANGLES, DISTANCES)); }
#endif
