#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 1000;
    double *x = array(n), sum = 0;
#pragma omp target data map(from: x[0:n])
    for (int s = 0; s < 3; s++) {
        for (long i = 0; i < n; i++) x[i] = i + s;
#pragma omp target update to(x[0:n])
        for (int k = 0; k < 2; k++) {
#pragma omp target teams distribute parallel for
            for (long i = 0; i < n; i++) x[i] *= 2;
        }
    }
    for (long i = 0; i < n; i++) sum += x[i];
    printf("%.10g\n", sum);
    return 0;
}
