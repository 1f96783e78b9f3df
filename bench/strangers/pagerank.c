/* Graphs: the ranks of pages, of a graph where some pages have many links to them. */
#include "stranger.h"

enum { N = 200000, M = 8 * N, STEPS = 5 };
GLOBAL int32_t *first, *from, *links;
GLOBAL double *rank_of;

void PLAIN(void) {
    double *share = malloc(8ll * N);
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for
        for (int v = 0; v < N; v++) share[v] = links[v] > 0 ? rank_of[v] / links[v] : 0;
#pragma omp parallel for
        for (int v = 0; v < N; v++) {
            double sum = 0;
            for (int e = first[v]; e < first[v + 1]; e++) sum += share[from[e]];
            rank_of[v] = (1 - 0.85) / N + 0.85 * sum;
        }
    }
    free(share);
}

/* No divisions, and equal numbers of links for each thread, since some rows have many. */
static int row_of(int link) {
    int low = 0, high = N;
    while (low < high) {
        int middle = (low + high) / 2;
        if (first[middle] < link) low = middle + 1;
        else high = middle;
    }
    return low;
}

void TUNED(void) {
    enum { PARTS = 64 };
    double *share = malloc(8ll * N), *by = malloc(8ll * N);
#pragma omp parallel
    for (int s = 0; s < STEPS; s++) {
#pragma omp for schedule(static)
        for (int v = 0; v < N; v++) {
            if (s == 0) by[v] = links[v] > 0 ? 1.0 / links[v] : 0;
            share[v] = rank_of[v] * by[v];
        }
#pragma omp for schedule(static)
        for (int part = 0; part < PARTS; part++)
            for (int v = row_of(M / PARTS * part), end = row_of(M / PARTS * (part + 1)); v < end; v++) {
                double sum = 0;
                for (int e = first[v]; e < first[v + 1]; e++) sum += share[from[e]];
                rank_of[v] = (1 - 0.85) / N + 0.85 * sum;
            }
    }
    free(share), free(by);
}

#ifdef DATA
#include "pagerank.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 32;
    int32_t *end = malloc(4ll * M);
    first = array(4ll * (N + 2)), from = array(4ll * M), links = array(4ll * N), rank_of = array(8ll * N);
    for (int e = 0; e < M; e++) {
        end[e] = (int32_t)(next_random(&seed) % (e % 5 ? N : 1000));
        first[end[e] + 2]++;
    }
    for (int v = 2; v < N + 2; v++) first[v] += first[v - 1];
    for (int e = 0; e < M; e++) {
        int32_t v = (int32_t)(next_random(&seed) % N);
        from[first[end[e] + 1]++] = v, links[v]++;
    }
    free(end);
    result = (Result){'d', rank_of, N, 1e-12};
}
void prepare(void) {
    for (int v = 0; v < N; v++) rank_of[v] = 1.0 / N;
}
void kdsl(void) { must(pagerank(first, from, links, rank_of, STEPS, N, M)); }
#endif
