#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 60, m = 40;
    double *a = array(n * m), *x = array(m), *y = array(n), most = -INFINITY;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) a[i * m + j] = i - j;
    for (long j = 0; j < m; j++) x[j] = 1;
#pragma omp target data map(from: y[0:n])
    {
#pragma omp target teams distribute parallel for map(to: a[0:n * m], x[0:m])
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long j = 0; j < m; j++) sum += a[i * m + j] * x[j];
            y[i] = sum;
        }
#pragma omp target teams distribute parallel for reduction(max: most)
        for (long i = 0; i < n; i++) most = fmax(most, y[i]);
    }
    for (long i = 0; i < n; i++) printf("%g\n", y[i] - most);
    return 0;
}
