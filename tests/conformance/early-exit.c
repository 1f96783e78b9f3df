#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void halvings(long n, double *x, double *w, int most) {
    for (long i = 0; i < n; i++) w[i] = 0;
#pragma omp target data map(to: x[0:n]) map(tofrom: w[0:n])
    for (int s = 0; s < most; s++) {
        long over = 0;
#pragma omp target teams distribute parallel for reduction(+: over)
        for (long i = 0; i < n; i++) over += x[i] > 1;
        if (over == 0) break;
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++)
            if (x[i] > 1) w[i] += 1;
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) x[i] *= 0.5;
    }
}

int main(void) {
    long n = 1000;
    double *x = array(n), *w = array(n);
    for (long i = 0; i < n; i++) x[i] = i;
    halvings(n, x, w, 100);
    for (long i = 0; i < n; i += 77) printf("%g\n", w[i]);
    return 0;
}
