/* examples/kmeans.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

enum { K = 4, ROUNDS = 50, STARTS = 4 * (K - 1) + 1 }; /* the first centres are every fourth of so many points */

static long below(u64 seed, u64 i, u64 n) {
    u64 bits = philox(seed, 0, i), least = -n % n;
    for (u64 attempt = 1; bits * n < least; attempt++) bits = philox(seed, attempt, i);
    return (unsigned __int128)bits * n >> 64;
}

static void scatter(long n, long *x, long *y) {
#pragma omp target teams distribute parallel for map(from: x[0:n], y[0:n])
    for (long i = 0; i < n; i++) {
        static const long centre_x[] = {2000, 8000, 3000, 9000}, centre_y[] = {2000, 3000, 8000, 9000};
        x[i] = centre_x[i % 4] + below(1, i, 3001) - 1500;
        y[i] = centre_y[i % 4] + below(2, i, 3001) - 1500;
    }
}

static long assign(long n, const long *x, const long *y, const long *cx, const long *cy, int *heap) {
    long moved = 0;
#pragma omp target teams distribute parallel for map(to: cx[0:K], cy[0:K]) reduction(+: moved)
    for (long i = 0; i < n; i++) {
        int best = 0;
        long least = (x[i] - cx[0]) * (x[i] - cx[0]) + (y[i] - cy[0]) * (y[i] - cy[0]);
        for (int c = 1; c < K; c++) {
            long distance = (x[i] - cx[c]) * (x[i] - cx[c]) + (y[i] - cy[c]) * (y[i] - cy[c]);
            if (distance < least) least = distance, best = c;
        }
        moved += best != heap[i];
        heap[i] = best;
    }
    return moved;
}

static void add_up(long n, const long *x, const long *y, const int *heap, long *sx, long *sy, long *size) {
#pragma omp target teams distribute parallel for map(tofrom: sx[0:K], sy[0:K], size[0:K])
    for (long i = 0; i < n; i++) {
#pragma omp atomic
        sx[heap[i]] += x[i];
#pragma omp atomic
        sy[heap[i]] += y[i];
#pragma omp atomic
        size[heap[i]]++;
    }
}

int main(void) {
    long n = 20000, *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n), cx[K], cy[K];
    int *heap = malloc(sizeof *heap * n);
    for (long i = 0; i < n; i++) heap[i] = -1;
#pragma omp target data map(alloc: x[0:n], y[0:n]) map(to: heap[0:n])
    {
        scatter(n, x, y);
#pragma omp target update from(x[0:STARTS], y[0:STARTS])
        for (int c = 0; c < K; c++) cx[c] = x[4 * c], cy[c] = y[4 * c];
        for (int round = 1; round < ROUNDS; round++) {
            long moved = assign(n, x, y, cx, cy, heap), sx[K] = {0}, sy[K] = {0}, size[K] = {0};
            printf("round %d: %5ld points moved\n", round, moved);
            if (moved == 0) break;
            add_up(n, x, y, heap, sx, sy, size);
            for (int c = 0; c < K; c++)
                if (size[c] > 0) cx[c] = sx[c] / size[c], cy[c] = sy[c] / size[c];
        }
    }
    for (int c = 0; c < K; c++) printf("centre %d: (%.3f, %.3f)\n", c, cx[c] / 1000.0, cy[c] / 1000.0);
    return 0;
}
