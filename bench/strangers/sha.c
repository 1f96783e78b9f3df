/* Signatures: SHA-256 of many records. */
#include "stranger.h"

enum { N = 8000, SIZE = 256 };
GLOBAL uint8_t *records;
GLOBAL uint32_t *digests;
static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t keys[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define RIGHT(v, n) ((v) >> (n) | (v) << (32 - (n)))
/* For words, and for vectors of words. */
#define MIX(Word, state, w)                                                                                            \
    do {                                                                                                               \
        for (int t = 16; t < 64; t++) {                                                                                \
            Word s0 = RIGHT(w[t - 15], 7) ^ RIGHT(w[t - 15], 18) ^ w[t - 15] >> 3;                                     \
            Word s1 = RIGHT(w[t - 2], 17) ^ RIGHT(w[t - 2], 19) ^ w[t - 2] >> 10;                                      \
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;                                                                     \
        }                                                                                                              \
        Word a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],         \
             h = state[7];                                                                                             \
        for (int t = 0; t < 64; t++) {                                                                                 \
            Word t1 = h + (RIGHT(e, 6) ^ RIGHT(e, 11) ^ RIGHT(e, 25)) + ((e & f) ^ (~e & g)) + keys[t] + w[t];         \
            Word t2 = (RIGHT(a, 2) ^ RIGHT(a, 13) ^ RIGHT(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                     \
            h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;                                         \
        }                                                                                                              \
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;                                                    \
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;                                                    \
    } while (0)

static inline uint32_t word(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void PLAIN(void) {
#pragma omp parallel for
    for (int r = 0; r < N; r++) {
        uint32_t state[8], w[64];
        memcpy(state, first, sizeof state);
        for (int block = 0; block <= SIZE / 64; block++) {
            for (int t = 0; t < 16; t++) w[t] = block < SIZE / 64 ? word(records + r * SIZE + 64 * block + 4 * t) : 0;
            if (block == SIZE / 64) w[0] = 0x80000000, w[15] = 8 * SIZE;
            MIX(uint32_t, state, w);
        }
        memcpy(digests + 8 * r, state, sizeof state);
    }
}

/* Sixteen records at a time. */
void TUNED(void) {
    enum { LANES = 16 };
    typedef uint32_t Lanes __attribute__((vector_size(4 * LANES)));
#pragma omp parallel for schedule(static)
    for (int r0 = 0; r0 < N; r0 += LANES) {
        Lanes state[8], w[64];
        for (int k = 0; k < 8; k++) state[k] = (Lanes){0} + first[k];
        for (int block = 0; block <= SIZE / 64; block++) {
            if (block < SIZE / 64) {
                for (int l = 0; l < LANES; l++)
                    for (int t = 0; t < 16; t++) w[t][l] = word(records + (r0 + l) * SIZE + 64 * block + 4 * t);
            } else {
                for (int t = 0; t < 16; t++) w[t] = (Lanes){0} + (t == 0 ? 0x80000000u : t == 15 ? 8u * SIZE : 0u);
            }
            MIX(Lanes, state, w);
        }
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < 8; k++) digests[8 * (r0 + l) + k] = state[k][l];
    }
}

#ifdef DATA
#include "sha.h"
Result result;
double bytes = 1.0 * N * SIZE, flops = 0;

void setup(void) {
    uint64_t seed = 54;
    records = array(N * SIZE), digests = array(32 * N);
    for (int k = 0; k < N * SIZE; k++) records[k] = (uint8_t)next_random(&seed);
    result = (Result){'b', digests, 32 * N, 0};
}
void prepare(void) { memset(digests, 0, 32 * N); }
void kdsl(void) { must(sha(records, digests, N)); }
#endif
