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

int main(void) {
    long n = 12;
    unsigned char *now = calloc(n * n, 1), *next = calloc(n * n, 1), *now0 = now, *next0 = next;
    now[1] = now[n + 2] = now[2 * n] = now[2 * n + 1] = now[2 * n + 2] = 1;
#pragma omp target data map(tofrom: now0[0:n * n]) map(alloc: next0[0:n * n])
    for (int g = 0; g < 48; g++) {
        if (g % 12 == 0) printf("%ld\n", population(n, now));
        generation(n, now, next);
        unsigned char *t = now;
        now = next;
        next = t;
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            if (now[i * n + j]) printf("%ld %ld\n", i, j);
    return 0;
}
