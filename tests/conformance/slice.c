#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 1000, lo = 300, hi = 400;
    double *x = array(n), *y = calloc(n, sizeof *y);
    for (long i = 0; i < n; i++) x[i] = i % 5;
#pragma omp target teams distribute parallel for map(to: x[lo:hi - lo]) map(tofrom: y[lo:hi - lo])
    for (long i = lo + 1; i < hi - 1; i++) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 2;
    for (long i = 295; i < 305; i++) printf("%g\n", y[i]);
    return 0;
}
