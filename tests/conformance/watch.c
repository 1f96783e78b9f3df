#include <stdio.h>
#include <stdlib.h>

struct rate { double factor, offset; };

static void decay(long n, double *x, struct rate by, int times) {
#pragma omp target teams distribute parallel for map(tofrom: x[0:n]) firstprivate(by, times)
    for (long i = 0; i < n; i++)
        for (int k = 0; k < times; k++) x[i] = x[i] * by.factor + by.offset * i;
}

int main(void) {
    long n = 800;
    double *x = malloc(n * sizeof *x), sum = 0;
    struct rate by = {0.5, 0.001};
    int times = 1;
    for (long i = 0; i < n; i++) x[i] = 100;
#pragma omp target data map(tofrom: x[0:n])
    while (x[0] > 1) {
        decay(n, x, by, times);
        times = 2;
#pragma omp target update from(x[0:1])
    }
    for (long i = 0; i < n; i++) sum += x[i];
    printf("%.6f\n", sum);
    return 0;
}
