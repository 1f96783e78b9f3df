/* examples/jacobi.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double around(long n, const double *u, long i, long j) {
    return 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}

static double residual(long n, const double *u) {
    double most = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to: u[0:n * n]) reduction(max: most)
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) most = fmax(most, fabs(around(n, u, i, j) - u[i * n + j]));
    return most;
}

int main(void) {
    long n = 49;
    double *now = malloc(sizeof *now * n * n), *next = malloc(sizeof *next * n * n), *a = now, *b = next;
    for (long i = 0; i < n * n; i++) now[i] = next[i] = i < n ? 100 : 0;
#pragma omp target data map(to: a[0:n * n], b[0:n * n])
    {
        int sweeps = 0;
        double change = residual(n, now);
        printf("%5d sweeps: residual %.2e\n", sweeps, change);
        while (change > 1e-6) {
            for (int s = 0; s < 1000; s++) {
#pragma omp target teams distribute parallel for collapse(2)
                for (long i = 1; i < n - 1; i++)
                    for (long j = 1; j < n - 1; j++) next[i * n + j] = around(n, now, i, j);
                double *t = now;
                now = next;
                next = t;
            }
            sweeps += 1000;
            change = residual(n, now);
            printf("%5d sweeps: residual %.2e\n", sweeps, change);
        }
#pragma omp target update from(now[n / 2 * n + n / 2:1])
    }
    printf("middle of the plate: %.3f degrees\n", now[n / 2 * n + n / 2]);
    return 0;
}
