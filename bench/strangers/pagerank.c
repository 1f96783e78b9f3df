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

/* One pass for each step, which makes the shares of the next one; the rows with many links are shared out evenly. */
void TUNED(void) {
    static double shares[2][N], by[N];
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int v = 0; v < N; v++) by[v] = links[v] > 0 ? 1.0 / links[v] : 0, shares[0][v] = rank_of[v] * by[v];
        for (int s = 0; s < STEPS; s++) {
            const double *share = shares[s % 2];
            double *next = shares[1 - s % 2];
#pragma omp for schedule(dynamic, 1024)
            for (int v = 0; v < N; v++) {
                double sum = 0, other = 0;
                int e = first[v], end = first[v + 1];
                for (; e + 1 < end; e += 2) sum += share[from[e]], other += share[from[e + 1]];
                if (e < end) sum += share[from[e]];
                double r = (1 - 0.85) / N + 0.85 * (sum + other);
                if (s == STEPS - 1) rank_of[v] = r;
                next[v] = r * by[v];
            }
        }
    }
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
