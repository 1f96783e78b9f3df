/* examples/heat.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void step(long n, const double *now, double *next, double r) {
#pragma omp target teams distribute parallel for collapse(2) map(to: now[0:n * n]) map(tofrom: next[0:n * n])
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) {
            const double *u = &now[i * n + j];
            next[i * n + j] = *u + r * (u[-n] + u[n] + u[-1] + u[1] - 4 * *u);
        }
}

static double hottest(long n, const double *u) {
    double most = -INFINITY;
#pragma omp target teams distribute parallel for map(to: u[0:n * n]) reduction(max: most)
    for (long i = 0; i < n * n; i++) most = fmax(most, u[i]);
    return most;
}

static double error(long n, const double *u, double top) {
    double most = 0, h = pi / (n - 1);
#pragma omp target teams distribute parallel for collapse(2) map(to: u[0:n * n]) reduction(max: most)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) most = fmax(most, fabs(u[i * n + j] - top * sin(i * h) * sin(j * h)));
    return most;
}

int main(void) {
    long n = 65;
    double r = 0.2, h = pi / (n - 1), half = sin(0.5 * h), factor = 1 - 8 * r * half * half;
    double *now = malloc(sizeof *now * n * n), *next = calloc(n * n, sizeof *next), *a = now, *b = next;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) now[i * n + j] = 100 * sin(i * h) * sin(j * h);
    printf("  steps    hottest    by formula\n");
#pragma omp target data map(to: a[0:n * n], b[0:n * n])
    for (int s = 0; s < 2001; s++) {
        if (s % 500 == 0) printf("%7d %10.4f %13.4f\n", s, hottest(n, now), 100 * pow(factor, s));
        if (s == 2000)
            printf("largest error below 1e-9: %s\n", error(n, now, 100 * pow(factor, 2000)) < 1e-9 ? "true" : "false");
        step(n, now, next, r);
        double *t = now;
        now = next;
        next = t;
    }
    return 0;
}
