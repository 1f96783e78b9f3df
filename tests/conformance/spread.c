#include <stdio.h>
#include <stdlib.h>

static void relax(long n, const int *old, int *new) {
#pragma omp target teams distribute parallel for map(to: old[0:n]) map(from: new[0:n])
    for (long i = 0; i < n; i++) {
        int left = old[i > 0 ? i - 1 : n - 1], right = old[i + 1 < n ? i + 1 : 0];
        int near = (left < right ? left : right) + 1;
        new[i] = old[i] < near ? old[i] : near;
    }
}

static long differs(long n, const int *a, const int *b) {
    long count = 0;
#pragma omp target teams distribute parallel for map(to: a[0:n], b[0:n]) reduction(+: count)
    for (long i = 0; i < n; i++) count += a[i] != b[i];
    return count;
}

int main(void) {
    long n = 100;
    int *d = malloc(sizeof *d * n), *e = malloc(sizeof *e * n), *d0 = d, *e0 = e, rounds = 0;
    for (long i = 0; i < n; i++) d[i] = i == 10 ? 0 : 100000;
#pragma omp target data map(to: d0[0:n]) map(alloc: e0[0:n])
    {
        for (;; rounds++) {
            relax(n, d, e);
            if (differs(n, d, e) == 0) break;
            int *t = d;
            d = e;
            e = t;
        }
#pragma omp target update from(d[0:n])
    }
    printf("%d\n", rounds);
    for (long i = 0; i < n; i += 9) printf("%d\n", d[i]);
    return 0;
}
