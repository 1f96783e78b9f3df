/* examples/saxpy.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long n = 1 << 20;
    float *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    for (long i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
#pragma omp target data map(to: y[0:n])
    {
#pragma omp target teams distribute parallel for map(to: x[0:n])
        for (long i = 0; i < n; i++) y[i] += 2 * x[i];
#pragma omp target update from(y[1:1])
#pragma omp target update from(y[n - 1:1])
    }
    printf("y[1] = %g, y[%ld] = %.1f\n", y[1], n - 1, y[n - 1]);
    return 0;
}
