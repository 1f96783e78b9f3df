#include <stdio.h>
#include <stdlib.h>

static void saxpy(long n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (long i = 0; i < n; i++) y[i] += a * x[i];
}

int main(void) {
    long n = 1000;
    float *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    for (long i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    saxpy(n, 2, x, y);
    printf("%g %g\n", y[1], y[999]);
    return 0;
}
