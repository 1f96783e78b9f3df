/* Dynamic programming: alignment of two sequences, along diagonals. */
#include "stranger.h"

enum { N = 2000, W = N + 1 };
GLOBAL int32_t *score;
GLOBAL uint8_t *a, *b;

static inline int larger(int x, int y) { return x > y ? x : y; }

static void edges(void) {
    for (int i = 0; i <= N; i++) score[i * W] = score[i] = -2 * i;
}

void PLAIN(void) {
    edges();
    for (int d = 2; d <= 2 * N; d++) {
        int lo = larger(1, d - N), hi = d < N + 1 ? d : N + 1;
#pragma omp parallel for
        for (int i = lo; i < hi; i++) {
            int j = d - i, same = a[i - 1] == b[j - 1] ? 2 : -1;
            score[i * W + j] =
                larger(score[(i - 1) * W + j - 1] + same, larger(score[(i - 1) * W + j], score[i * W + j - 1]) - 2);
        }
    }
}

/* Tiles along their diagonals, each row by row. */
void TUNED(void) {
    enum { T = 100, TILES = N / T };
    edges();
#pragma omp parallel
    for (int d = 0; d < 2 * TILES - 1; d++)
#pragma omp for schedule(dynamic)
        for (int ti = larger(0, d - TILES + 1); ti <= (d < TILES ? d : TILES - 1); ti++) {
            int i0 = ti * T + 1, j0 = (d - ti) * T + 1;
            for (int i = i0; i < i0 + T; i++) {
                int left = score[i * W + j0 - 1], before = score[(i - 1) * W + j0 - 1];
                for (int j = j0; j < j0 + T; j++) {
                    int up = score[(i - 1) * W + j], same = a[i - 1] == b[j - 1] ? 2 : -1;
                    left = larger(before + same, larger(up, left) - 2);
                    score[i * W + j] = left;
                    before = up;
                }
            }
        }
}

#ifdef DATA
#include "align.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 10;
    score = array(4ll * W * W), a = array(N), b = array(N);
    for (int i = 0; i < N; i++) a[i] = (uint8_t)(next_random(&seed) % 4), b[i] = next_random(&seed) % 5 ? a[i] : 3;
    result = (Result){'i', score, W * W, 0};
}
void prepare(void) { memset(score, 0, 4ll * W * W); }
void kdsl(void) { must(align(score, a, b, N)); }
#endif
