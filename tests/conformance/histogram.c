#include <stdio.h>
#include <stdlib.h>

static void count(long n, const unsigned *x, int *h) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: h[0:16])
    for (long i = 0; i < n; i++) {
#pragma omp atomic
        h[x[i] & 15]++;
    }
}

int main(void) {
    long n = 1000;
    unsigned *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
    int h[16] = {0};
    for (long i = 0; i < n; i++) x[i] = (unsigned)(i * i), y[i] = (unsigned)i;
#pragma omp target data map(tofrom: h[0:16])
    {
        count(n, x, h);
        count(n, y, h);
    }
    for (int i = 0; i < 16; i++) printf("%d\n", h[i]);
    return 0;
}
