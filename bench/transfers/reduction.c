/* examples/reduction.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 256 };

static long serial(long n, const long *x) {
    long total;
#pragma omp target map(from: total)
    {
        long sum = 0;
        for (long i = 0; i < n; i++) sum += x[i];
        total = sum;
    }
    return total;
}

static long atomic_for_each(long n, const long *x) {
    long total = 0;
#pragma omp target teams distribute parallel for map(tofrom: total)
    for (long i = 0; i < n; i++) {
#pragma omp atomic
        total += x[i];
    }
    return total;
}

static long atomic_for_each_group(long n, const long *x) {
    long total = 0;
#pragma omp target teams distribute map(tofrom: total)
    for (long group = 0; group < n; group += GROUP) {
        long sum = 0, end = group + GROUP < n ? group + GROUP : n;
#pragma omp parallel for
        for (long i = group; i < end; i++) {
#pragma omp atomic
            sum += x[i];
        }
#pragma omp atomic
        total += sum;
    }
    return total;
}

static long tree(long n, const long *x) {
    long total = 0;
#pragma omp target teams distribute map(tofrom: total)
    for (long group = 0; group < n; group += GROUP) {
        long part[GROUP];
#pragma omp parallel
        {
#pragma omp for
            for (long i = 0; i < GROUP; i++) part[i] = group + i < n ? x[group + i] : 0;
            for (long half = GROUP / 2; half > 0; half /= 2) {
#pragma omp for
                for (long i = 0; i < half; i++) part[i] += part[i + half];
            }
        }
#pragma omp atomic
        total += part[0];
    }
    return total;
}

static long built_in(long n, const long *x) {
    long sum = 0;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (long i = 0; i < n; i++) sum += x[i];
    return sum;
}

int main(void) {
    long n = 100000, *x = malloc(sizeof *x * n);
    for (long i = 0; i < n; i++) x[i] = i * i % 1000;
#pragma omp target data map(to: x[0:n])
    {
        printf("one item:          %ld\n", serial(n, x));
        printf("atomic for each:   %ld\n", atomic_for_each(n, x));
        printf("shared and atomic: %ld\n", atomic_for_each_group(n, x));
        printf("tree:              %ld\n", tree(n, x));
        printf("-> sum:            %ld\n", built_in(n, x));
    }
    return 0;
}
