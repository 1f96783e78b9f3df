#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 1000;
    double *x = array(n), *y = calloc(n, sizeof *y);
#pragma omp target data map(tofrom: y[0:n])
    for (int s = 0; s < 5; s++) {
        for (long i = 0; i < n; i++) x[i] = i % (s + 2);
#pragma omp target teams distribute parallel for map(to: x[0:n])
        for (long i = 0; i < n; i++) y[i] += x[i];
    }
    for (long i = 0; i < n; i += 77) printf("%g\n", y[i]);
    return 0;
}
