/* examples/matvec.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long n = 1000, m = 700;
    double *a = malloc(sizeof *a * n * m), *x = malloc(sizeof *x * m), *y = malloc(sizeof *y * n), worst = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) a[i * m + j] = i - j;
    for (long j = 0; j < m; j++) x[j] = 1;
#pragma omp target data map(alloc: y[0:n])
    {
#pragma omp target teams distribute parallel for map(to: a[0:n * m], x[0:m])
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long j = 0; j < m; j++) sum += a[i * m + j] * x[j];
            y[i] = sum;
        }
#pragma omp target teams distribute parallel for reduction(max: worst)
        for (long i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - ((double)m * i - (double)m * (m - 1) / 2)));
#pragma omp target update from(y[0:1])
#pragma omp target update from(y[n - 1:1])
    }
    printf("y[0] = %g, y[%ld] = %g\n", y[0], n - 1, y[n - 1]);
    printf("largest error: %g\n", worst);
    return 0;
}
