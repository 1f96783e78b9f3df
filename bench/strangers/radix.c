/* Sorting: one pass of a radix sort, by eight bits. */
#include "stranger.h"

enum { N = 4000000, BLOCK = 16384, BLOCKS = (N + BLOCK - 1) / BLOCK, DIGITS = 256, SHIFT = 8 };
GLOBAL uint32_t *keys, *sorted;
#define DIGIT(i) (keys[i] >> SHIFT & 255)

static inline int end_of(int b) { return (b + 1) * BLOCK < N ? (b + 1) * BLOCK : N; }

void PLAIN(void) {
    int32_t *counts = calloc(DIGITS * BLOCKS, 4);
#pragma omp parallel for
    for (int b = 0; b < BLOCKS; b++)
        for (int i = b * BLOCK; i < end_of(b); i++) counts[DIGIT(i) * BLOCKS + b]++;
    for (int k = 0, sum = 0; k < DIGITS * BLOCKS; k++) {
        int count = counts[k];
        counts[k] = sum;
        sum += count;
    }
#pragma omp parallel for
    for (int b = 0; b < BLOCKS; b++)
        for (int i = b * BLOCK; i < end_of(b); i++) sorted[counts[DIGIT(i) * BLOCKS + b]++] = keys[i];
    free(counts);
}

/* Counts on the stack, two tables of them so that equal digits do not wait for each other. */
void TUNED(void) {
    static int32_t counts[BLOCKS][DIGITS];
#pragma omp parallel for schedule(static)
    for (int b = 0; b < BLOCKS; b++) {
        int32_t own[2][DIGITS] = {{0}};
        int i = b * BLOCK, end = end_of(b);
        for (; i + 1 < end; i += 2) own[0][DIGIT(i)]++, own[1][DIGIT(i + 1)]++;
        if (i < end) own[0][DIGIT(i)]++;
        for (int d = 0; d < DIGITS; d++) counts[b][d] = own[0][d] + own[1][d];
    }
    int32_t at[DIGITS] = {0}, sum = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int d = 0; d < DIGITS; d++) {
            int32_t count = counts[b][d];
            counts[b][d] = at[d];
            at[d] += count;
        }
    for (int d = 0; d < DIGITS; d++) {
        int32_t count = at[d];
        at[d] = sum;
        sum += count;
    }
#pragma omp parallel for schedule(static)
    for (int b = 0; b < BLOCKS; b++) {
        uint32_t *next[DIGITS];
        for (int d = 0; d < DIGITS; d++) next[d] = sorted + at[d] + counts[b][d];
        for (int i = b * BLOCK; i < end_of(b); i++) *next[DIGIT(i)]++ = keys[i];
    }
}

#ifdef DATA
#include "radix.h"
Result result;
double bytes = 12.0 * N, flops = 0;

void setup(void) {
    uint64_t seed = 22;
    keys = array(4ll * N), sorted = array(4ll * N);
    for (int i = 0; i < N; i++) keys[i] = next_random(&seed);
    result = (Result){'b', sorted, 4ll * N, 0};
}
void prepare(void) { memset(sorted, 0, 4ll * N); }
void kdsl(void) { must(radix(keys, sorted, BLOCK, SHIFT, N)); }
#endif
