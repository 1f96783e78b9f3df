#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 1000;
    double *a = array(n), s = 0;
#pragma omp target data map(alloc: a[0:n])
    {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) a[i] = i;
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) a[i] *= 2;
#pragma omp target teams distribute parallel for reduction(+: s)
        for (long i = 0; i < n; i++) s += a[i];
    }
    printf("%g\n", s);
    return 0;
}
