#include <stdio.h>
#include <stdlib.h>

static double *array(long n) { return malloc(sizeof(double) * (size_t)n); }

static double dot(long n, const double *x, const double *y) {
    double s = 0;
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) reduction(+: s)
    for (long i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

static void axpy(long n, double a, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (long i = 0; i < n; i++) y[i] += a * x[i];
}

int main(void) {
    long n = 200;
    double *b = array(n), *x = array(n), *r = array(n), *p = array(n), *q = array(n);
    for (long i = 0; i < n; i++) b[i] = i % 3;
#pragma omp target data map(to: b[0:n]) map(from: x[0:n]) map(alloc: r[0:n], p[0:n], q[0:n])
    {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) x[i] = 0, r[i] = p[i] = b[i];
        double rr = dot(n, r, r);
        while (rr > 1e-10) {
#pragma omp target teams distribute parallel for
            for (long i = 0; i < n; i++) q[i] = 2.5 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
            double alpha = rr / dot(n, p, q), before = rr;
            axpy(n, alpha, p, x);
            axpy(n, -alpha, q, r);
            rr = dot(n, r, r);
            double beta = rr / before;
#pragma omp target teams distribute parallel for
            for (long i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
        }
    }
    for (long i = 0; i < n; i += 19) printf("%.4f\n", x[i]);
    return 0;
}
