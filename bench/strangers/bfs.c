/* Graphs: breadth-first search of a graph with some nodes of many edges. */
#include "stranger.h"

enum { N = 200000, EDGES = 8 };
GLOBAL int32_t *first, *to, *level, edges;

void PLAIN(void) {
    bool *last = calloc(N, 1), *next = calloc(N, 1);
    for (int v = 0; v < N; v++) last[v] = level[v] == 0;
    for (int now = 1, found = 1; found; now++) {
        found = 0;
#pragma omp parallel for reduction(+ : found)
        for (int v = 0; v < N; v++) {
            next[v] = false;
            if (level[v] >= 0) continue;
            for (int e = first[v]; e < first[v + 1]; e++)
                if (last[to[e]]) {
                    level[v] = now;
                    next[v] = true;
                    found++;
                    break;
                }
        }
        bool *other = last;
        last = next, next = other;
    }
    free(last), free(next);
}

/* Small levels go from the list of their nodes, large ones to the nodes without a level. */
void TUNED(void) {
    int32_t *now_list = malloc(4ll * N), *next_list = malloc(4ll * N);
    int n_now = 0;
    for (int v = 0; v < N; v++)
        if (level[v] == 0) now_list[n_now++] = v;
    for (int now = 1; n_now; now++) {
        int n_next = 0;
        if (n_now > N / 20) {
#pragma omp parallel for schedule(guided)
            for (int v = 0; v < N; v++) {
                if (level[v] >= 0) continue;
                for (int e = first[v]; e < first[v + 1]; e++)
                    if (level[to[e]] == now - 1) {
                        level[v] = now;
                        int at;
#pragma omp atomic capture
                        at = n_next++;
                        next_list[at] = v;
                        break;
                    }
            }
        } else {
#pragma omp parallel for schedule(dynamic, 64)
            for (int k = 0; k < n_now; k++)
                for (int e = first[now_list[k]]; e < first[now_list[k] + 1]; e++) {
                    int w = to[e], none = -1;
                    if (level[w] >= 0 ||
                        !__atomic_compare_exchange_n(&level[w], &none, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                        continue;
                    int at;
#pragma omp atomic capture
                    at = n_next++;
                    next_list[at] = w;
                }
        }
        int32_t *other = now_list;
        now_list = next_list, next_list = other, n_now = n_next;
    }
    free(now_list), free(next_list);
}

#ifdef DATA
#include "bfs.h"
Result result;
double bytes = 0, flops = 0;

/* Both directions of random edges; a tenth of them ends at one of a thousand nodes. */
void setup(void) {
    uint64_t seed = 14;
    int32_t m = N * EDGES / 2, *from = malloc(4ll * m), *end = malloc(4ll * m);
    first = array(4ll * (N + 2)), to = array(8ll * m), level = array(4ll * N), edges = 2 * m;
    for (int e = 0; e < m; e++) {
        from[e] = (int32_t)(next_random(&seed) % N);
        end[e] = (int32_t)(next_random(&seed) % (e % 10 ? N : 1000));
        first[from[e] + 2]++, first[end[e] + 2]++;
    }
    for (int v = 2; v < N + 2; v++) first[v] += first[v - 1];
    for (int e = 0; e < m; e++) to[first[from[e] + 1]++] = end[e], to[first[end[e] + 1]++] = from[e];
    free(from), free(end);
    result = (Result){'i', level, N, 0};
}
void prepare(void) {
    for (int v = 0; v < N; v++) level[v] = v ? -1 : 0;
}
void kdsl(void) { must(bfs(first, to, level, N, edges)); }
#endif
