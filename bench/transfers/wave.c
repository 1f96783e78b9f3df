/* examples/wave.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 241, WIDTH = 61, LINES = 9 };

static const double pi = 3.14159265358979323846, c2 = 0.81;

static void step(const double *before, const double *now, double *next) {
#pragma omp target teams distribute parallel for
    for (long i = 1; i < N - 1; i++) next[i] = 2 * now[i] - before[i] + c2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

static double energy(const double *before, const double *now) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (long i = 0; i < N - 1; i++) {
        double v = now[i] - before[i], stretch = (now[i + 1] - now[i]) * (before[i + 1] - before[i]);
        sum += 0.5 * v * v + 0.5 * c2 * stretch;
    }
    return sum;
}

static double overtone(const double *u, long k) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (long i = 0; i < N; i++) sum += u[i] * sin(pi * (k * i) / (N - 1)) * 2 / (N - 1);
    return sum;
}

static void plot(int steps, const double *u) {
    printf("after %d steps\n", steps);
    for (int line = 0; line < LINES; line++) {
        double top = 1 - 2.0 * line / LINES, bottom = top - 2.0 / LINES;
        for (int c = 0; c < WIDTH; c++) {
            double v = u[c * (N - 1) / (WIDTH - 1)];
            printf("%c", v <= top && v > bottom ? '*' : line == LINES / 2 ? '-' : ' ');
        }
        printf("|\n");
    }
}

int main(void) {
    double *before = malloc(sizeof *before * N), *now = malloc(sizeof *now * N), *next = calloc(N, sizeof *next);
    double *a = before, *b = now, *c = next;
    for (long i = 0; i < N; i++) before[i] = now[i] = i <= 60 ? i / 60.0 : (240 - i) / 180.0;
#pragma omp target data map(to: a[0:N], b[0:N], c[0:N])
    {
        double at_start = energy(before, now);
        for (int steps = 0; steps < 360;) {
            if (steps > 0) {
#pragma omp target update from(now[0:N])
            }
            plot(steps, now);
            for (int s = 0; s < 90; s++, steps++) {
                step(before, now, next);
                double *t = before;
                before = now;
                now = next;
                next = t;
            }
        }
        double drift = energy(before, now) / at_start - 1;
        printf("energy kept to 12 digits: %s\n", fabs(drift) < 1e-12 ? "true" : "false");
        for (long k = 1; k < 6; k++) printf("overtone %ld: %8.4f\n", k, overtone(now, k));
    }
    return 0;
}
