/* examples/cg.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void apply(long n, const double *p, double *q) {
#pragma omp target teams distribute parallel for map(to: p[0:n]) map(from: q[0:n])
    for (long i = 0; i < n; i++) q[i] = 2 * p[i] - (i > 0 ? p[i - 1] : 0) - (i < n - 1 ? p[i + 1] : 0);
}

static double dot_product(long n, const double *x, const double *y) {
    double sum = 0;
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) reduction(+: sum)
    for (long i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add(long n, double *y, double a, const double *x) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (long i = 0; i < n; i++) y[i] += a * x[i];
}

static void turn(long n, double *p, double b, const double *r) {
#pragma omp target teams distribute parallel for map(to: r[0:n]) map(tofrom: p[0:n])
    for (long i = 0; i < n; i++) p[i] = r[i] + b * p[i];
}

int main(void) {
    long n = 1000;
    int steps = 0;
    double *x = malloc(sizeof *x * n), *r = malloc(sizeof *r * n), *p = malloc(sizeof *p * n);
    double *q = malloc(sizeof *q * n), worst = 0;
    for (long i = 0; i < n; i++) x[i] = 0, r[i] = p[i] = 1;
#pragma omp target data map(to: x[0:n], r[0:n], p[0:n]) map(alloc: q[0:n])
    {
        double rr = dot_product(n, r, r), enough = 1e-20 * rr;
        while (rr > enough) {
            apply(n, p, q);
            double alpha = rr / dot_product(n, p, q);
            add(n, x, alpha, p);
            add(n, r, -alpha, q);
            double after = dot_product(n, r, r);
            turn(n, p, after / rr, r);
            rr = after;
            if (++steps % 100 == 0) printf("%4d steps, residual %8.3f\n", steps, sqrt(rr));
        }
#pragma omp target teams distribute parallel for reduction(max: worst)
        for (long i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - 0.5 * (i + 1) * (n - i)));
#pragma omp target update from(x[0:1])
#pragma omp target update from(x[n / 2:1])
    }
    printf("done after %d steps\n", steps);
    printf("x[0] = %.6f, x[%ld] = %.6f, largest error below 1e-6: %s\n", x[0], n / 2, x[n / 2],
           worst < 1e-6 ? "true" : "false");
    return 0;
}
