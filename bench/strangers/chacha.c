/* A cipher: the key stream of ChaCha20 (RFC 8439), a block for each item. */
#include "stranger.h"

enum { N = 200000 };
GLOBAL uint32_t *state, *out;

#define ROTATE(v, n) ((v) << (n) | (v) >> (32 - (n)))
#define QUARTER(a, b, c, d)                                                                                            \
    a += b, d ^= a, d = ROTATE(d, 16), c += d, b ^= c, b = ROTATE(b, 12), a += b, d ^= a, d = ROTATE(d, 8), c += d,    \
                    b ^= c, b = ROTATE(b, 7)

void PLAIN(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        uint32_t s[16];
        memcpy(s, state, 64);
        s[12] += (uint32_t)i;
        for (int r = 0; r < 10; r++) {
            QUARTER(s[0], s[4], s[8], s[12]);
            QUARTER(s[1], s[5], s[9], s[13]);
            QUARTER(s[2], s[6], s[10], s[14]);
            QUARTER(s[3], s[7], s[11], s[15]);
            QUARTER(s[0], s[5], s[10], s[15]);
            QUARTER(s[1], s[6], s[11], s[12]);
            QUARTER(s[2], s[7], s[8], s[13]);
            QUARTER(s[3], s[4], s[9], s[14]);
        }
        for (int k = 0; k < 16; k++) out[16 * i + k] = s[k] + state[k] + (k == 12 ? (uint32_t)i : 0);
    }
}

/* Sixteen blocks at a time: each word of the state is a vector over the blocks. */
void TUNED(void) {
    enum { LANES = 16 };
    typedef uint32_t Lanes __attribute__((vector_size(4 * LANES)));
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < N; i0 += LANES) {
        Lanes s[16], first[16], number;
        for (int l = 0; l < LANES; l++) number[l] = (uint32_t)(i0 + l);
        for (int k = 0; k < 16; k++) s[k] = first[k] = (Lanes){0} + state[k];
        s[12] = first[12] = first[12] + number;
        for (int r = 0; r < 10; r++) {
            QUARTER(s[0], s[4], s[8], s[12]);
            QUARTER(s[1], s[5], s[9], s[13]);
            QUARTER(s[2], s[6], s[10], s[14]);
            QUARTER(s[3], s[7], s[11], s[15]);
            QUARTER(s[0], s[5], s[10], s[15]);
            QUARTER(s[1], s[6], s[11], s[12]);
            QUARTER(s[2], s[7], s[8], s[13]);
            QUARTER(s[3], s[4], s[9], s[14]);
        }
        for (int k = 0; k < 16; k++) s[k] += first[k];
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < 16; k++) out[16 * (i0 + l) + k] = s[k][l];
    }
}

#ifdef DATA
#include "chacha.h"
Result result;
double bytes = 64.0 * N, flops = 0;

void setup(void) {
    uint64_t seed = 5;
    state = array(64), out = array(64ll * N);
    for (int k = 0; k < 16; k++) state[k] = next_random(&seed);
    result = (Result){'b', out, 64ll * N, 0};
}
void prepare(void) { memset(out, 0, 64ll * N); }
void kdsl(void) { must(chacha(state, out, N)); }
#endif
