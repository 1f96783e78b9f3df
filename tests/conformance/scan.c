#include <stdio.h>
#include <stdlib.h>

static void add_left(long n, const long *x, long *y, long by) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    for (long i = 0; i < n; i++) y[i] = i >= by ? x[i] + x[i - by] : x[i];
}

int main(void) {
    long n = 1000, *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n), *x0 = x, *y0 = y;
    for (long i = 0; i < n; i++) x[i] = i % 7;
#pragma omp target data map(tofrom: x0[0:n]) map(alloc: y0[0:n])
    for (long by = 1; by < n; by *= 2) {
        add_left(n, x, y, by);
        long *t = x;
        x = y;
        y = t;
    }
    for (long i = 0; i < n; i += 37) printf("%ld\n", x[i]); /* ten steps: x is x0 */
    return 0;
}
