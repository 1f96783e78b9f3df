#include <math.h>
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

static double change(long n, const double *a, const double *b) {
    double most = 0;
#pragma omp target teams distribute parallel for map(to: a[0:n * n], b[0:n * n]) reduction(max: most)
    for (long i = 0; i < n * n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

int main(void) {
    long n = 30;
    double *now = array(n * n), *next = array(n * n), *now0 = now, *next0 = next, most = 1;
    for (long i = 0; i < n * n; i++) now[i] = next[i] = i < n ? 100 : 0;
#pragma omp target data map(to: now0[0:n * n], next0[0:n * n])
    for (int rounds = 1; most > 0.01; rounds++) {
        for (int s = 0; s < 25; s++) {
            sweep(n, now, next);
            double *t = now;
            now = next;
            next = t;
        }
        most = change(n, now, next);
        printf("%d %.6f\n", rounds, most);
    }
    return 0;
}
