/* Text: the edit distances of a list of words to a word. */
#include "stranger.h"

enum { N = 100000, LONGEST = 16, M = 11 };
GLOBAL uint8_t *list, *word;
GLOBAL int32_t *lengths, *edits;

static inline int smaller(int x, int y) { return x < y ? x : y; }

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int row[LONGEST + 1];
        for (int k = 0; k <= LONGEST; k++) row[k] = k;
        for (int j = 0; j < M; j++) {
            int before = row[0];
            row[0] = j + 1;
            for (int k = 0; k < lengths[i]; k++) {
                int changed = before + (list[i * LONGEST + k] != word[j]);
                before = row[k + 1];
                row[k + 1] = smaller(changed, smaller(row[k], row[k + 1]) + 1);
            }
        }
        edits[i] = row[lengths[i]];
    }
}

/* 32 words at a time, in bytes; each is compared up to the longest length. */
void TUNED(void) {
    enum { LANES = 32 };
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < N; i0 += LANES) {
        uint8_t row[LONGEST + 1][LANES], letters[LONGEST][LANES];
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < LONGEST; k++) letters[k][l] = list[(i0 + l) * LONGEST + k];
        for (int k = 0; k <= LONGEST; k++) memset(row[k], k, LANES);
        for (int j = 0; j < M; j++) {
            uint8_t before[LANES];
            memcpy(before, row[0], LANES), memset(row[0], j + 1, LANES);
            for (int k = 0; k < LONGEST; k++)
#pragma omp simd
                for (int l = 0; l < LANES; l++) {
                    uint8_t changed = before[l] + (letters[k][l] != word[j]), left = row[k][l], up = row[k + 1][l];
                    before[l] = up;
                    left = left < up ? left : up;
                    left++;
                    row[k + 1][l] = changed < left ? changed : left;
                }
        }
        for (int l = 0; l < LANES; l++) edits[i0 + l] = row[lengths[i0 + l]][l];
    }
}

#ifdef DATA
#include "words.h"
Result result;
double bytes = 0, flops = 0;

void setup(void) {
    uint64_t seed = 38;
    list = array(N * LONGEST), word = array(M), lengths = array(4 * N), edits = array(4 * N);
    memcpy(word, "parallelism", M);
    for (int i = 0; i < N; i++) {
        lengths[i] = 3 + (int32_t)(next_random(&seed) % 7 + next_random(&seed) % 8);
        for (int k = 0; k < lengths[i]; k++) /* a third are variants of the word */
            list[i * LONGEST + k] = i % 3 || k >= M || next_random(&seed) % 4 == 0
                                        ? (uint8_t) "etaoinshrdlu"[next_random(&seed) % 12]
                                        : word[k];
    }
    result = (Result){'i', edits, N, 0};
}
void prepare(void) { memset(edits, 0, 4 * N); }
void kdsl(void) { must(words(list, lengths, word, edits, N, M)); }
#endif
