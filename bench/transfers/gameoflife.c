/* examples/gameoflife.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

static void generation(long n, const unsigned char *now, unsigned char *next) {
#pragma omp target teams distribute parallel for collapse(2) map(to: now[0:n * n]) map(from: next[0:n * n])
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            int neighbours = 0;
            for (long di = 0; di < 3; di++)
                for (long dj = 0; dj < 3; dj++)
                    neighbours += now[(i + di + n - 1) % n * n + (j + dj + n - 1) % n];
            neighbours -= now[i * n + j];
            next[i * n + j] = neighbours == 3 || (neighbours == 2 && now[i * n + j]);
        }
}

static long population(long n, const unsigned char *board) {
    long count = 0;
#pragma omp target teams distribute parallel for map(to: board[0:n * n]) reduction(+: count)
    for (long i = 0; i < n * n; i++) count += board[i] == 1;
    return count;
}

static int differ(long n, const unsigned char *a, const unsigned char *b) {
    int any = 0;
#pragma omp target teams distribute parallel for map(to: a[0:n * n], b[0:n * n]) reduction(||: any)
    for (long i = 0; i < n * n; i++) any = any || a[i] != b[i];
    return any;
}

static void show(long n, const unsigned char *board) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) printf(board[i * n + j] ? " #" : " .");
        printf("\n");
    }
}

int main(void) {
    long n = 12;
    unsigned char *now = calloc(n * n, 1), *next = calloc(n * n, 1), *start = malloc(n * n), *a = now, *b = next;
    now[1] = now[n + 2] = now[2 * n] = now[2 * n + 1] = now[2 * n + 2] = 1;
    for (long i = 0; i < n * n; i++) start[i] = now[i];
#pragma omp target data map(to: a[0:n * n]) map(alloc: b[0:n * n])
    for (int g = 0; g < 49; g++) {
        if (g % 12 == 0) printf("generation %d: %ld alive\n", g, population(n, now));
        if (g == 12) {
#pragma omp target update from(now[0:n * n])
            show(n, now);
        }
        if (g == 48) printf("back at the start: %s\n", differ(n, now, start) ? "false" : "true");
        generation(n, now, next);
        unsigned char *t = now;
        now = next;
        next = t;
    }
    return 0;
}
