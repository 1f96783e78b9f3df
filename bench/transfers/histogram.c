/* examples/histogram.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 16, GROUP = 128 };

static void all_read(long n, const unsigned char *x, const int *h, int *seen) {
#pragma omp target teams distribute parallel for map(to: x[0:n], h[0:BINS]) map(from: seen[0:n])
    for (long i = 0; i < n; i++) seen[i] = h[x[i] % BINS] + 1;
}

static void then_write(long n, const unsigned char *x, const int *seen, int *h) {
#pragma omp target teams distribute parallel for map(to: x[0:n], seen[0:n]) map(tofrom: h[0:BINS])
    for (long bin = 0; bin < BINS; bin++)
        for (long i = 0; i < n; i++)
            if (x[i] % BINS == bin) h[bin] = seen[i];
}

static void with_atomics(long n, const unsigned char *x, int *h) {
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: h[0:BINS])
    for (long i = 0; i < n; i++) {
#pragma omp atomic
        h[x[i] % BINS]++;
    }
}

static void with_groups(long n, const unsigned char *x, int *h) {
#pragma omp target teams distribute map(to: x[0:n]) map(tofrom: h[0:BINS])
    for (long group = 0; group < n; group += GROUP) {
        int mine[BINS] = {0};
        long end = group + GROUP < n ? group + GROUP : n;
#pragma omp parallel for
        for (long i = group; i < end; i++) {
#pragma omp atomic
            mine[x[i] % BINS]++;
        }
        for (long bin = 0; bin < BINS; bin++) {
#pragma omp atomic
            h[bin] += mine[bin];
        }
    }
}

static void show(const char *title, const int *h) {
    int total = 0;
    printf("%-8s", title);
    for (long bin = 0; bin < BINS; bin++) printf(" %4d", h[bin]), total += h[bin];
    printf(", together %d\n", total);
}

int main(void) {
    long n = 10000;
    unsigned char *x = malloc(n);
    int wrong[BINS] = {0}, h[BINS] = {0}, g[BINS] = {0}, *seen = malloc(sizeof *seen * n);
    for (long i = 0; i < n; i++) x[i] = i * i / 7 % 251;
#pragma omp target data map(to: x[0:n])
    {
#pragma omp target data map(tofrom: wrong) map(alloc: seen[0:n])
        {
            all_read(n, x, wrong, seen);
            then_write(n, x, seen, wrong);
        }
        with_atomics(n, x, h);
        with_groups(n, x, g);
    }
    show("wrong", wrong);
    show("atomic", h);
    show("groups", g);
    return 0;
}
