#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long n = 101, *x = malloc(sizeof *x * n);
    for (long i = 0; i < n; i++) x[i] = i * 73 % 101;
#pragma omp target data map(tofrom: x[0:n])
    for (long s = 0; s < n; s++) {
#pragma omp target teams distribute parallel for
        for (long i = s % 2; i < n - 1; i += 2) {
            long a = x[i], b = x[i + 1];
            x[i] = a < b ? a : b;
            x[i + 1] = a < b ? b : a;
        }
    }
    for (long i = 0; i < n; i += 10) printf("%ld\n", x[i]);
    return 0;
}
