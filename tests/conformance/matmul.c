#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 20;
    double *a = array(n * n), *b = array(n * n), *c = array(n * n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) a[i * n + j] = i + j, b[i * n + j] = i - j;
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n * n], b[0:n * n]) map(from: c[0:n * n])
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long e = 0; e < n; e++) sum += a[i * n + e] * b[e * n + j];
            c[i * n + j] = sum;
        }
    for (long i = 0; i < n; i++) printf("%g\n", c[i * n + i]);
    return 0;
}
