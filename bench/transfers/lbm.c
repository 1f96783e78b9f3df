/* examples/lbm.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NY = 16, NX = 4, CELLS = NY * NX, DIRECTIONS = 9 };

static const double force = 1e-5;

static int step_x(int d) { return d == 1 || d == 5 || d == 8 ? 1 : d == 3 || d == 6 || d == 7 ? -1 : 0; }
static int step_y(int d) { return d == 2 || d == 5 || d == 6 ? 1 : d == 4 || d == 7 || d == 8 ? -1 : 0; }
static int opposite(int d) { return d == 0 ? 0 : d < 5 ? (d + 1) % 4 + 1 : (d - 3) % 4 + 5; }
static double weight(int d) { return d == 0 ? 4.0 / 9 : d < 5 ? 1.0 / 9 : 1.0 / 36; }

static double at_rest(int d, double density, double ux, double uy) {
    double along = step_x(d) * ux + step_y(d) * uy;
    return weight(d) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
}

static double arriving(const double *f, int d, int y, int x) {
    int from_y = y - step_y(d), from_x = (x - step_x(d) + NX) % NX;
    return from_y < 0 || from_y >= NY ? f[opposite(d) * CELLS + y * NX + x] : f[d * CELLS + from_y * NX + from_x];
}

static void time_step(const double *f, double *next, double rate) {
#pragma omp target teams distribute parallel for collapse(2)
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            double density = 0, px = 0, py = 0;
            for (int d = 0; d < DIRECTIONS; d++) {
                double part = arriving(f, d, y, x);
                density += part, px += step_x(d) * part, py += step_y(d) * part;
            }
            double ux = (px + 0.5 * force) / density, uy = py / density;
            for (int d = 0; d < DIRECTIONS; d++) {
                double part = arriving(f, d, y, x), push = (1 - 0.5 * rate) * 3 * weight(d) * step_x(d) * force;
                next[d * CELLS + y * NX + x] = part + rate * (at_rest(d, density, ux, uy) - part) + push;
            }
        }
}

static double speed(const double *f, int y, int x) {
    double density = 0, px = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        double part = f[d * CELLS + y * NX + x];
        density += part, px += step_x(d) * part;
    }
    return (px - 0.5 * force) / density;
}

int main(void) {
    long n = DIRECTIONS * CELLS;
    double rate = 1 / (0.5 + sqrt(3) / 4), viscosity = (1 / rate - 0.5) / 3, mass = 0;
    double *f = malloc(sizeof *f * n), *next = malloc(sizeof *next * n), *a = f, *b = next;
    for (long i = 0; i < n; i++) f[i] = weight(i / CELLS);
#pragma omp target data map(to: a[0:n]) map(alloc: b[0:n])
    {
        for (int t = 0; t < 6000; t++) {
            time_step(f, next, rate);
            double *swap = f;
            f = next;
            next = swap;
        }
#pragma omp target update from(f[0:n])
#pragma omp target teams distribute parallel for reduction(+: mass)
        for (long i = 0; i < n; i++) mass += f[i];
    }
    printf("  y     speed  parabola\n");
    for (int y = 0; y < NY; y += 3)
        printf("%3d %9.6f %9.6f\n", y, speed(f, y, 0), force / (2 * viscosity) * (y + 0.5) * (NY - y - 0.5));
    printf("mass %.6f\n", mass);
    return 0;
}
