/* Bioinformatics: local alignments of many pairs of short reads. */
#include "stranger.h"

enum { N = 4096, L = 64 };
GLOBAL uint8_t *a, *b;
GLOBAL int32_t *best;

static inline int larger(int x, int y) { return x > y ? x : y; }

void PLAIN(void) {
#pragma omp parallel for
    for (int p = 0; p < N; p++) {
        int row[L + 1] = {0}, most = 0;
        for (int i = 0; i < L; i++) {
            int before = 0;
            for (int j = 0; j < L; j++) {
                int same = a[p * L + i] == b[p * L + j] ? 3 : -2;
                int s = larger(larger(before + same, 0), larger(row[j], row[j + 1]) - 2);
                before = row[j + 1];
                row[j + 1] = s;
                most = larger(most, s);
            }
        }
        best[p] = most;
    }
}

/* 32 pairs at a time, in 16 bits: a score is at most 3 L. */
void TUNED(void) {
    enum { LANES = 32 };
#pragma omp parallel for schedule(static)
    for (int p0 = 0; p0 < N; p0 += LANES) {
        int16_t row[L + 1][LANES] = {{0}}, most[LANES] = {0}, x[L][LANES], y[L][LANES];
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < L; k++) x[k][l] = a[(p0 + l) * L + k], y[k][l] = b[(p0 + l) * L + k];
        for (int i = 0; i < L; i++) {
            int16_t before[LANES] = {0};
            for (int j = 0; j < L; j++)
#pragma omp simd
                for (int l = 0; l < LANES; l++) {
                    int16_t s = before[l] + (x[i][l] == y[j][l] ? 3 : -2), gap = row[j][l], up = row[j + 1][l];
                    before[l] = up;
                    gap = gap > up ? gap : up;
                    gap -= 2;
                    s = s > gap ? s : gap;
                    s = s > 0 ? s : 0;
                    row[j + 1][l] = s;
                    most[l] = most[l] > s ? most[l] : s;
                }
        }
        for (int l = 0; l < LANES; l++) best[p0 + l] = most[l];
    }
}

#ifdef DATA
#include "reads.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 37;
    a = array(N * L), b = array(N * L), best = array(4 * N);
    for (int k = 0; k < N * L; k++) a[k] = "ACGT"[next_random(&seed) % 4];
    for (int k = 0; k < N * L; k++) /* shifted, with errors */
        b[k] = next_random(&seed) % 8 && k + 5 < N * L ? a[k + 5] : (uint8_t) "ACGT"[next_random(&seed) % 4];
    result = (Result){'i', best, N, 0};
}
void prepare(void) { memset(best, 0, 4 * N); }
void kdsl(void) { must(reads(a, b, best, N)); }
#endif
