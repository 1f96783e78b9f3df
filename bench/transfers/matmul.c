/* examples/matmul.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16, ROWS = 4 };

static void naive(long n, long k, long m, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            float sum = 0;
            for (long e = 0; e < k; e++) sum += a[i * k + e] * b[e * m + j];
            c[i * m + j] = sum;
        }
}

/* A team makes `height` times TILE results from tiles of A and B that it keeps to itself. */
static void by_tiles(long n, long k, long m, const float *a, const float *b, float *c, long height) {
#pragma omp target teams distribute collapse(2)
    for (long i0 = 0; i0 < n; i0 += height)
        for (long j0 = 0; j0 < m; j0 += TILE) {
            float ta[ROWS * TILE][TILE], tb[TILE][TILE], sum[ROWS * TILE][TILE] = {0};
#pragma omp parallel
            for (long t = 0; t < k; t += TILE) {
#pragma omp for collapse(2)
                for (long i = 0; i < height; i++)
                    for (long e = 0; e < TILE; e++) ta[i][e] = i0 + i < n && t + e < k ? a[(i0 + i) * k + t + e] : 0;
#pragma omp for collapse(2)
                for (long e = 0; e < TILE; e++)
                    for (long j = 0; j < TILE; j++) tb[e][j] = t + e < k && j0 + j < m ? b[(t + e) * m + j0 + j] : 0;
#pragma omp for collapse(2)
                for (long i = 0; i < height; i++)
                    for (long j = 0; j < TILE; j++)
                        for (long e = 0; e < TILE; e++) sum[i][j] += ta[i][e] * tb[e][j];
            }
            for (long i = 0; i < height && i0 + i < n; i++)
                for (long j = 0; j < TILE && j0 + j < m; j++) c[(i0 + i) * m + j0 + j] = sum[i][j];
        }
}

static long differences(long n, const float *c, const float *d) {
    long count = 0;
#pragma omp target teams distribute parallel for reduction(+: count)
    for (long i = 0; i < n; i++) count += c[i] != d[i];
    return count;
}

int main(void) {
    long n = 150, k = 90, m = 110;
    float *a = malloc(sizeof *a * n * k), *b = malloc(sizeof *b * k * m);
    float *c = malloc(sizeof *c * n * m), *d = malloc(sizeof *d * n * m);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < k; j++) a[i * k + j] = (3 * i + 5 * j) % 11 - 5;
    for (long i = 0; i < k; i++)
        for (long j = 0; j < m; j++) b[i * m + j] = (7 * i + 2 * j) % 13 - 6;
#pragma omp target data map(to: a[0:n * k], b[0:k * m]) map(alloc: c[0:n * m], d[0:n * m])
    {
        naive(n, k, m, a, b, c);
#pragma omp target update from(c[7 * m + 9:1])
#pragma omp target update from(c[n * m - 1:1])
        printf("naive:   c[7, 9] = %g, c[149, 109] = %g\n", c[7 * m + 9], c[n * m - 1]);
        by_tiles(n, k, m, a, b, d, TILE);
        printf("tiled:   %ld differences\n", differences(n * m, c, d));
        by_tiles(n, k, m, a, b, d, ROWS * TILE);
        printf("blocked: %ld differences\n", differences(n * m, c, d));
    }
    return 0;
}
