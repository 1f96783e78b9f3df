#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void sweep(long n, const double *old, double *new) {
#pragma omp target teams distribute parallel for collapse(2) map(to: old[0:n * n]) map(tofrom: new[0:n * n])
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            new[i * n + j] =
                0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] + old[i * n + j + 1]);
}

int main(void) {
    long n = 30;
    double *now = array(n * n), *next = array(n * n), *now0 = now, *next0 = next, sum = 0;
    for (long i = 0; i < n * n; i++) now[i] = next[i] = i < n ? 100 : 0;
#pragma omp target data map(tofrom: now0[0:n * n]) map(to: next0[0:n * n])
    for (int s = 0; s < 100; s++) {
        sweep(n, now, next);
        double *t = now;
        now = next;
        next = t;
    }
    for (long i = 0; i < n * n; i++) sum += now[i]; /* an even number of sweeps: now is now0 */
    printf("%.6f\n", sum);
    return 0;
}
