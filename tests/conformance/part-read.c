#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static double sum_of(long n, const double *x) {
    double s = 0;
    for (long i = 0; i < n; i++) s += x[i];
    return s;
}

int main(void) {
    long n = 1000;
    double *x = calloc(n, sizeof *x);
#pragma omp target data map(to: x[0:n])
    for (int s = 0; s < 3; s++) {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) x[i] = x[i] * 0.5 + i;
#pragma omp target update from(x[990:10])
        printf("%.10g\n", sum_of(10, x + 990));
    }
    return 0;
}
