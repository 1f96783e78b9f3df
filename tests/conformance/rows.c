#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

int main(void) {
    long n = 10, k = 50;
    double *m = array(n * k);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < k; j++) m[i * k + j] = i + j;
    for (long r = 0; r < n; r += 2) {
#pragma omp target teams distribute parallel for map(tofrom: m[r * k:k])
        for (long i = r * k; i < r * k + k; i++) m[i] *= r;
    }
    for (long r = 0; r < n; r++) printf("%g %g\n", m[r * k], m[r * k + k - 1]);
    return 0;
}
