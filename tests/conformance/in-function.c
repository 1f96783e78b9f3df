#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void wave(long n, const double *old, const double *now, double *new) {
#pragma omp target teams distribute parallel for map(to: old[0:n], now[0:n]) map(tofrom: new[0:n])
    for (long i = 1; i < n - 1; i++)
        new[i] = 2 * now[i] - old[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

int main(void) {
    long n = 100;
    double *old = array(n), *now = array(n), *new = array(n);
    for (long i = 0; i < n; i++) old[i] = now[i] = i == 50, new[i] = 0;
    double *a = old, *b = now, *c = new; /* sixty steps: each is where it began */
#pragma omp target data map(to: a[0:n], c[0:n]) map(tofrom: b[0:n])
    for (int s = 0; s < 60; s++) {
        wave(n, old, now, new);
        double *t = old;
        old = now;
        now = new;
        new = t;
    }
    for (long i = 0; i < n; i += 7) printf("%.6f\n", now[i]);
    return 0;
}
