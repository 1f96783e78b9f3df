/* Pictures: rays and spheres. */
#include "stranger.h"

enum { N = 64, H = 256, W = 320 };
GLOBAL double *x, *y, *z, *radius, *picture;

static double seen(int s, double t, double rx, double ry, double rz) {
    double length = sqrt(17.0);
    double light = (t * rx - x[s]) * (2 / length) + (t * ry - y[s]) * (3 / length) + (t * rz - z[s]) * (-2 / length);
    return fmax(light / radius[s], 0) + 0.1;
}

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            double rx = (j + 0.5) / W - 0.5, ry = 0.5 - (i + 0.5) / H, rz = 1, l = sqrt(rx * rx + ry * ry + rz * rz);
            rx /= l, ry /= l, rz /= l;
            double nearest = 1e30;
            int hit = -1;
            for (int s = 0; s < N; s++) {
                double b = rx * x[s] + ry * y[s] + rz * z[s];
                double d = b * b - (x[s] * x[s] + y[s] * y[s] + z[s] * z[s]) + radius[s] * radius[s];
                if (d > 0) {
                    double t = b - sqrt(d);
                    if (t > 0 && t < nearest) nearest = t, hit = s;
                }
            }
            picture[i * W + j] = hit < 0 ? 0 : seen(hit, nearest, rx, ry, rz);
        }
}

/* 16 rays at a time, without branches; what depends on the sphere only is computed once. */
void TUNED(void) {
    enum { LANES = 16 };
    double c[N];
    for (int s = 0; s < N; s++) c[s] = radius[s] * radius[s] - (x[s] * x[s] + y[s] * y[s] + z[s] * z[s]);
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < H; i++)
        for (int j0 = 0; j0 < W; j0 += LANES) {
            double rx[LANES], ry[LANES], rz[LANES], nearest[LANES];
            int64_t hit[LANES];
            for (int k = 0; k < LANES; k++) {
                double u = (j0 + k + 0.5) / W - 0.5, v = 0.5 - (i + 0.5) / H, by = 1 / sqrt(u * u + v * v + 1);
                rx[k] = u * by, ry[k] = v * by, rz[k] = by, nearest[k] = 1e30, hit[k] = -1;
            }
            for (int s = 0; s < N; s++)
#pragma omp simd
                for (int k = 0; k < LANES; k++) {
                    double b = rx[k] * x[s] + ry[k] * y[s] + rz[k] * z[s], d = b * b + c[s];
                    double t = b - sqrt(d > 0 ? d : 0);
                    bool nearer = (d > 0) & (t > 0) & (t < nearest[k]);
                    nearest[k] = nearer ? t : nearest[k];
                    hit[k] = nearer ? s : hit[k];
                }
            for (int k = 0; k < LANES; k++)
                picture[i * W + j0 + k] = hit[k] < 0 ? 0 : seen((int)hit[k], nearest[k], rx[k], ry[k], rz[k]);
        }
}

#ifdef DATA
#include "rays.h"
Result result;
double bytes = 0, flops = 0;

/* The tolerance: where a ray grazes a sphere, the root of a small difference magnifies its rounding. */
void setup(void) {
    uint64_t seed = 51;
    x = array(8 * N), y = array(8 * N), z = array(8 * N), radius = array(8 * N), picture = array(8ll * H * W);
    for (int s = 0; s < N; s++) {
        z[s] = 4 + 4 * uniform(&seed), radius[s] = 0.2 + 0.4 * uniform(&seed);
        x[s] = (uniform(&seed) - 0.5) * z[s], y[s] = (uniform(&seed) - 0.5) * z[s];
    }
    result = (Result){'d', picture, H * W, 1e-9};
}
void prepare(void) { memset(picture, 0, 8ll * H * W); }
void kdsl(void) { must(rays(x, y, z, radius, picture, N, H, W)); }
#endif
