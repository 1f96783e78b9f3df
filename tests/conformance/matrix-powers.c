#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static void multiply(long n, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n * n], b[0:n * n]) map(from: c[0:n * n])
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long e = 0; e < n; e++) sum += a[i * n + e] * b[e * n + j];
            c[i * n + j] = sum;
        }
}

int main(void) {
    long n = 20;
    double *a = array(n * n), *p = array(n * n), *q = array(n * n), *p0 = p, *q0 = q;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) a[i * n + j] = p[i * n + j] = (i + j) % 3;
#pragma omp target data map(to: a[0:n * n]) map(tofrom: p0[0:n * n]) map(alloc: q0[0:n * n])
    for (int s = 0; s < 4; s++) {
        multiply(n, a, p, q);
        double *t = p;
        p = q;
        q = t;
    }
    for (long i = 0; i < n; i++) printf("%g\n", p[i * n + 1]);
    return 0;
}
