#include <stdio.h>
#include <stdlib.h>

static void diffuse(long n, const double *old, double *new) {
#pragma omp target teams distribute parallel for map(to: old[0:n]) map(tofrom: new[0:n])
    for (long i = 1; i < n - 1; i++) new[i] = 0.5 * (old[i - 1] + old[i + 1]);
}

int main(void) {
    long n = 500;
    double *now = malloc(n * sizeof *now), *next = malloc(n * sizeof *next), *now0 = now, *next0 = next, sum = 0;
    for (long i = 0; i < n; i++) now[i] = next[i] = 1;
#pragma omp target data map(tofrom: now0[0:n]) map(to: next0[0:n])
    for (int s = 0; s < 10; s++) {
        now[0] = s % 3;
        now[n - 1] = 0.5 * s;
#pragma omp target update to(now[0:1])
#pragma omp target update to(now[n - 1:1])
        diffuse(n, now, next);
        double *t = now;
        now = next;
        next = t;
#pragma omp target update from(now[n / 2:1])
        printf("%.6f\n", now[n / 2]);
    }
    for (long i = 0; i < n; i++) sum += now[i];
    printf("%.6f\n", sum);
    return 0;
}
