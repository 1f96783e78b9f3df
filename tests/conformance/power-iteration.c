#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 50;
    double *a = array(n * n), *x = array(n), *y = array(n);
    for (long i = 0; i < n; i++) x[i] = 1;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) a[i * n + j] = 1.0 / (i + j + 1);
#pragma omp target data map(to: a[0:n * n]) map(tofrom: x[0:n]) map(alloc: y[0:n])
    for (int s = 0; s < 10; s++) {
        double norm = 0;
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long j = 0; j < n; j++) sum += a[i * n + j] * x[j];
            y[i] = sum;
        }
#pragma omp target teams distribute parallel for reduction(+: norm)
        for (long i = 0; i < n; i++) norm += y[i] * y[i];
        norm = sqrt(norm);
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) x[i] = y[i] * (1 / norm);
        printf("%.6f\n", norm);
    }
    for (long i = 0; i < n; i += 9) printf("%.6f\n", x[i]);
    return 0;
}
