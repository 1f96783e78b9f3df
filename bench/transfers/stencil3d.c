/* examples/stencil3d.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { X = 25, Y = 29, Z = 33, N = X * Y * Z, MIDDLE = (12 * Y + 14) * Z + 16 };

static void spread(const double *old, double *new, double r) {
#pragma omp target teams distribute parallel for collapse(3)
    for (long i = 1; i < X - 1; i++)
        for (long j = 1; j < Y - 1; j++)
            for (long k = 1; k < Z - 1; k++) {
                long at = (i * Y + j) * Z + k;
                const double *u = &old[at];
                new[at] = *u + r * (u[-Y * Z] + u[Y * Z] + u[-Z] + u[Z] + u[-1] + u[1] - 6 * *u);
            }
}

static double total(const double *u) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (long i = 0; i < N; i++) sum += u[i];
    return sum;
}

static long cells_with_smoke(const double *u) {
    long count = 0;
#pragma omp target teams distribute parallel for reduction(+: count)
    for (long i = 0; i < N; i++) count += u[i] > 0;
    return count;
}

int main(void) {
    double *now = calloc(N, sizeof *now), *next = calloc(N, sizeof *next), *a = now, *b = next;
    now[MIDDLE] = next[MIDDLE] = 1;
    printf("steps  total      cells  in the middle\n");
#pragma omp target data map(to: a[0:N], b[0:N])
    for (int s = 0; s < 13; s++) {
        if (s % 3 == 0) {
            if (s > 0) {
#pragma omp target update from(now[MIDDLE:1])
            }
            printf("%5d  %.7f  %5ld  %.7f\n", s, total(now), cells_with_smoke(now), now[MIDDLE]);
        }
        spread(now, next, 0.125);
        double *t = now;
        now = next;
        next = t;
    }
    return 0;
}
