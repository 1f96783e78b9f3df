/* examples/bitonic.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 512 };

static void order(unsigned *x, long i, long other, long size) {
    if (other <= i || (x[i] > x[other]) != ((i & size) == 0)) return;
    unsigned t = x[i];
    x[i] = x[other];
    x[other] = t;
}

/* One target region, in which a team works on a copy of its own. */
static void sort_group(unsigned *x) {
#pragma omp target map(to: x[0:GROUP])
    {
        unsigned a[GROUP];
#pragma omp parallel
        {
#pragma omp for
            for (long i = 0; i < GROUP; i++) a[i] = x[i];
            for (long size = 2; size <= GROUP; size *= 2)
                for (long gap = size / 2; gap > 0; gap /= 2) {
#pragma omp for
                    for (long i = 0; i < GROUP; i++) order(a, i, i ^ gap, size);
                }
#pragma omp for
            for (long i = 0; i < GROUP; i++) x[i] = a[i];
        }
    }
}

static void sort(long n, unsigned *x) {
    for (long size = 2; size <= n; size *= 2)
        for (long gap = size / 2; gap > 0; gap /= 2) {
#pragma omp target teams distribute parallel for map(to: x[0:n])
            for (long i = 0; i < n; i++) order(x, i, i ^ gap, size);
        }
}

static long out_of_order(long n, const unsigned *x) {
    long count = 0;
#pragma omp target teams distribute parallel for map(to: x[0:n]) reduction(+: count)
    for (long i = 1; i < n; i++) count += x[i - 1] > x[i];
    return count;
}

static unsigned long total(long n, const unsigned *x) {
    unsigned long sum = 0;
#pragma omp target teams distribute parallel for map(to: x[0:n]) reduction(+: sum)
    for (long i = 0; i < n; i++) sum += x[i];
    return sum;
}

static unsigned *numbers(long n, unsigned below) {
    unsigned *x = malloc(sizeof *x * n);
    for (long i = 0; i < n; i++) x[i] = (unsigned)i * 2654435761u % below;
    return x;
}

int main(void) {
    unsigned *small = numbers(GROUP, 10007);
#pragma omp target data map(to: small[0:GROUP])
    {
        printf("%d numbers: %ld out of order, total %lu\n", GROUP, out_of_order(GROUP, small), total(GROUP, small));
        sort_group(small);
#pragma omp target update from(small[0:1])
#pragma omp target update from(small[GROUP - 1:1])
        printf("one group: %ld out of order, total %lu; %u ... %u\n", out_of_order(GROUP, small), total(GROUP, small),
               small[0], small[GROUP - 1]);
    }
    long n = 1 << 13;
    unsigned *large = numbers(n, 1000003);
#pragma omp target data map(to: large[0:n])
    {
        printf("%ld numbers: %ld out of order, total %lu\n", n, out_of_order(n, large), total(n, large));
        sort(n, large);
#pragma omp target update from(large[0:1])
#pragma omp target update from(large[n - 1:1])
        printf("91 launches: %ld out of order, total %lu; %u ... %u\n", out_of_order(n, large), total(n, large),
               large[0], large[n - 1]);
    }
    return 0;
}
