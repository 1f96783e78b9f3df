/* examples/transpose.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 100, M = 70, TILE = 32 };

static void naive(const float *a, float *b) {
#pragma omp target teams distribute parallel for collapse(2)
    for (long j = 0; j < M; j++)
        for (long i = 0; i < N; i++) b[j * N + i] = a[i * M + j];
}

/* `room`: the length of a tile's rows; TILE + 1 puts the elements of a column into different banks. */
static inline void tile_by_tile(const float *a, float *b, long room) {
#pragma omp target teams distribute collapse(2)
    for (long i0 = 0; i0 < N; i0 += TILE)
        for (long j0 = 0; j0 < M; j0 += TILE) {
            float tile[TILE * (TILE + 1)];
#pragma omp parallel
            {
#pragma omp for collapse(2)
                for (long i = 0; i < TILE; i++)
                    for (long j = 0; j < TILE; j++)
                        tile[i * room + j] = i0 + i < N && j0 + j < M ? a[(i0 + i) * M + j0 + j] : 0;
#pragma omp for collapse(2)
                for (long j = 0; j < TILE; j++)
                    for (long i = 0; i < TILE; i++)
                        if (i0 + i < N && j0 + j < M) b[(j0 + j) * N + i0 + i] = tile[i * room + j];
            }
        }
}

static long wrong(const float *a, const float *b) {
    long count = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+: count)
    for (long i = 0; i < N; i++)
        for (long j = 0; j < M; j++) count += b[j * N + i] != a[i * M + j];
    return count;
}

static void show(const char *title, const float *a, float *b) {
#pragma omp target update from(b[69 * N + 3:1])
    printf("%s b[69, 3] = %g, %ld wrong\n", title, b[69 * N + 3], wrong(a, b));
}

int main(void) {
    float *a = malloc(sizeof *a * N * M), *b = malloc(sizeof *b * M * N);
    for (long i = 0; i < N; i++)
        for (long j = 0; j < M; j++) a[i * M + j] = 1000 * i + j;
#pragma omp target data map(to: a[0:N * M]) map(alloc: b[0:M * N])
    {
        naive(a, b);
        show("naive: ", a, b);
        tile_by_tile(a, b, TILE);
        show("tiled: ", a, b);
        tile_by_tile(a, b, TILE + 1);
        show("padded:", a, b);
    }
    return 0;
}
