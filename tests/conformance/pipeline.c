#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 1000;
    double *a = array(n), *b = array(n), *c = array(n), *d = array(n);
    for (long i = 0; i < n; i++) a[i] = i % 50;
#pragma omp target data map(to: a[0:n]) map(alloc: b[0:n], c[0:n]) map(from: d[0:n])
    {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) b[i] = a[i] * a[i];
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) c[i] = b[i > 0 ? i - 1 : 0] + b[i < n - 1 ? i + 1 : n - 1];
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) d[i] = c[i] < 1000 ? c[i] : 1000;
    }
    for (long i = 0; i < n; i += 49) printf("%g\n", d[i]);
    return 0;
}
