#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void normalize(long n, double *x) {
    double most = 0;
    for (long i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    if (most > 1) {
        double by = 1 / most;
#pragma omp target teams distribute parallel for map(tofrom: x[0:n])
        for (long i = 0; i < n; i++) x[i] *= by;
    }
}

int main(void) {
    long n = 1000;
    double *x = array(n);
    for (long k = 0; k < 4; k++) {
        for (long i = 0; i < n; i++) x[i] = i * k % 5;
        normalize(n, x);
        printf("%g %g\n", x[1], x[2]);
    }
    return 0;
}
