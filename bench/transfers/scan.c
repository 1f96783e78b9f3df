/* examples/scan.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 256 };

static void hillis_steele(long n, const int *x, int *y, int *totals) {
#pragma omp target teams distribute
    for (long group = 0; group < n; group += GROUP) {
        int a[GROUP], b[GROUP];
#pragma omp parallel
        {
#pragma omp for
            for (long i = 0; i < GROUP; i++) a[i] = group + i < n ? x[group + i] : 0;
            for (long gap = 1; gap < GROUP; gap *= 2) {
#pragma omp for
                for (long i = 0; i < GROUP; i++) b[i] = a[i] + (i >= gap ? a[i - gap] : 0);
#pragma omp for
                for (long i = 0; i < GROUP; i++) a[i] = b[i];
            }
#pragma omp for
            for (long i = 0; i < GROUP; i++)
                if (group + i < n) y[group + i] = a[i];
        }
        totals[group / GROUP] = a[GROUP - 1];
    }
}

static void blelloch(long n, const int *x, int *y, int *totals) {
#pragma omp target teams distribute
    for (long group = 0; group < n; group += GROUP) {
        int a[GROUP];
#pragma omp parallel
        {
#pragma omp for
            for (long i = 0; i < GROUP; i++) a[i] = group + i < n ? x[group + i] : 0;
            for (long gap = 1; gap < GROUP; gap *= 2) {
#pragma omp for
                for (long right = 2 * gap - 1; right < GROUP; right += 2 * gap) a[right] += a[right - gap];
            }
#pragma omp single
            {
                totals[group / GROUP] = a[GROUP - 1];
                a[GROUP - 1] = 0;
            }
            for (long gap = GROUP / 2; gap > 0; gap /= 2) {
#pragma omp for
                for (long right = 2 * gap - 1; right < GROUP; right += 2 * gap) {
                    int left_sum = a[right - gap];
                    a[right - gap] = a[right];
                    a[right] += left_sum;
                }
            }
#pragma omp for
            for (long i = 0; i < GROUP; i++)
                if (group + i < n) y[group + i] = a[i];
        }
    }
}

/* `totals`, `before` and `all` never leave the device. */
static void add_totals_before(long n, int *y, int *totals, int *before, int *all) {
    blelloch((n + GROUP - 1) / GROUP, totals, before, all);
#pragma omp target teams distribute parallel for
    for (long i = 0; i < n; i++) y[i] += before[i / GROUP];
}

int main(void) {
    long n = 10000, groups = (n + GROUP - 1) / GROUP;
    int *x = malloc(sizeof *x * n), *running = malloc(sizeof *running * n), *exclusive = malloc(sizeof *exclusive * n);
    int *totals = malloc(sizeof *totals * groups), *before = malloc(sizeof *before * groups), all[1];
    for (long i = 0; i < n; i++) x[i] = i * 7919 % 101;
#pragma omp target data map(to: x[0:n]) map(from: running[0:n], exclusive[0:n]) \
    map(alloc: totals[0:groups], before[0:groups], all)
    {
        hillis_steele(n, x, running, totals);
        add_totals_before(n, running, totals, before, all);
        blelloch(n, x, exclusive, totals);
        add_totals_before(n, exclusive, totals, before, all);
    }
    static const long places[] = {0, 1, 255, 256, 5000, 9999};
    printf("    i     x  inclusive  exclusive\n");
    for (int p = 0; p < 6; p++)
        printf("%5ld %5d %10d %10d\n", places[p], x[places[p]], running[places[p]], exclusive[places[p]]);
    int sum = 0, wrong = 0;
    for (long i = 0; i < n; i++) {
        wrong += exclusive[i] != sum;
        sum += x[i];
        wrong += running[i] != sum;
    }
    printf("%d wrong\n", wrong);
    return 0;
}
