/* examples/bfs.kdsl as an expert writes it with OpenMP. */
#include <stdio.h>
#include <stdlib.h>

enum { UNSEEN = 1000000 };

static int expand(const int *first, const int *to, const int *frontier, int n_frontier, int *level, int *next,
                  int depth) {
    int size = 0;
#pragma omp target teams distribute parallel for map(tofrom: size)
    for (int i = 0; i < n_frontier; i++)
        for (int e = first[frontier[i]]; e < first[frontier[i] + 1]; e++) {
            int w = to[e], before, place;
#pragma omp atomic compare capture
            {
                before = level[w];
                if (depth < level[w]) level[w] = depth;
            }
            if (before == UNSEEN) {
#pragma omp atomic capture
                place = size++;
                next[place] = w;
            }
        }
    return size;
}

int main(void) {
    int n = 20000, waiting = 1, depth = 0, farthest = 0;
    long in_all = 0;
    int *first = malloc(sizeof *first * (n + 1)), *to = malloc(sizeof *to * 3 * n), *level = malloc(sizeof *level * n);
    int *frontier = malloc(sizeof *frontier * n), *next = malloc(sizeof *next * n), *a = frontier, *b = next;
    for (int v = 0; v <= n; v++) first[v] = 3 * v;
    for (int v = 0; v < n; v++) {
        to[3 * v] = (v + 1) % n;
        to[3 * v + 1] = 2 * v % n;
        to[3 * v + 2] = (3 * v + 1) % n;
        level[v] = v ? UNSEEN : 0;
    }
    frontier[0] = 0;
#pragma omp target data map(to: first[0:n + 1], to[0:3 * n], level[0:n]) map(alloc: a[0:n], b[0:n])
    {
#pragma omp target update to(frontier[0:1])
        while (waiting > 0) {
            printf("%2d steps: %5d vertices\n", depth, waiting);
            depth++;
            waiting = expand(first, to, frontier, waiting, level, next, depth);
            int *t = frontier;
            frontier = next;
            next = t;
        }
#pragma omp target teams distribute parallel for reduction(max: farthest)
        for (int v = 0; v < n; v++) farthest = level[v] > farthest ? level[v] : farthest;
#pragma omp target teams distribute parallel for reduction(+: in_all)
        for (int v = 0; v < n; v++) in_all += level[v];
    }
    printf("farthest %d, average %.4f\n", farthest, (double)in_all / n);
    return 0;
}
