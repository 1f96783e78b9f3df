#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long n = 1000, *x = malloc(sizeof *x * n);
    for (long i = 0; i < n; i++) x[i] = i;
#pragma omp target data map(to: x[0:n])
    for (int s = 1; s < 21; s++) {
#pragma omp target teams distribute parallel for
        for (long i = 0; i < n; i++) x[i] = (x[i] * 5 + i) % 1001;
        if (s % 5 == 0) {
            long sum = 0;
#pragma omp target update from(x[0:n])
            for (long i = 0; i < n; i++) sum += x[i];
            printf("%ld\n", sum);
        }
    }
    return 0;
}
