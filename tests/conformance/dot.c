#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static double dot(long n, const double *x, const double *y) {
    double s = 0;
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) reduction(+: s)
    for (long i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

int main(void) {
    long n = 1000;
    double *x = array(n), *y = array(n);
    for (long i = 0; i < n; i++) x[i] = i, y[i] = 0.5;
#pragma omp target data map(to: x[0:n], y[0:n])
    {
        printf("%g\n", dot(n, x, y));
        printf("%.10g\n", dot(n, x, x));
    }
    return 0;
}
