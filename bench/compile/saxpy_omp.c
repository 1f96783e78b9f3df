/* What examples/saxpy.kdsl is, in C with OpenMP: the other side of the compile-time comparison. */
#include <stdio.h>
#include <stdlib.h>

static void saxpy(float a, const float *restrict x, float *restrict y, long n) {
#pragma omp target teams distribute parallel for map(to : x[:n]) map(tofrom : y[:n])
    for (long i = 0; i < n; i++) y[i] += a * x[i];
}

int main(void) {
    long n = 1 << 20;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (long i = 0; i < n; i++) x[i] = (float)i, y[i] = 1.0f;
    saxpy(2.0f, x, y, n);
    printf("y[1] = %g, y[%ld] = %.1f\n", y[1], n - 1, y[n - 1]);
    free(x);
    free(y);
}
