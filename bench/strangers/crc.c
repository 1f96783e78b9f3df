/* Storage: CRC-32 of the blocks of a file. */
#include "stranger.h"

enum { N = 4096, SIZE = 1024 };
GLOBAL uint8_t *data;
GLOBAL uint32_t *sums;
static uint32_t table[8][256];

static void fill(void) {
    if (table[0][1]) return;
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t c = k;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        table[0][k] = c;
    }
    for (int t = 1; t < 8; t++)
        for (int k = 0; k < 256; k++) table[t][k] = table[0][table[t - 1][k] & 255] ^ table[t - 1][k] >> 8;
}

void PLAIN(void) {
    fill();
#pragma omp parallel for
    for (int b = 0; b < N; b++) {
        uint32_t c = ~0u;
        for (int k = 0; k < SIZE; k++) c = table[0][(c ^ data[b * SIZE + k]) & 255] ^ c >> 8;
        sums[b] = ~c;
    }
}

/* Eight bytes at a time with eight tables, for two blocks at once. */
void TUNED(void) {
    fill();
#define EIGHT(c, at)                                                                                                   \
    do {                                                                                                               \
        uint64_t v;                                                                                                    \
        memcpy(&v, at, 8);                                                                                             \
        v ^= c;                                                                                                        \
        c = table[7][v & 255] ^ table[6][v >> 8 & 255] ^ table[5][v >> 16 & 255] ^ table[4][v >> 24 & 255] ^           \
            table[3][v >> 32 & 255] ^ table[2][v >> 40 & 255] ^ table[1][v >> 48 & 255] ^ table[0][v >> 56];           \
    } while (0)
#pragma omp parallel for schedule(static)
    for (int b = 0; b < N; b += 2) {
        uint32_t c = ~0u, d = ~0u;
        const uint8_t *x = data + b * SIZE, *y = x + SIZE;
        for (int k = 0; k < SIZE; k += 8) {
            EIGHT(c, x + k);
            EIGHT(d, y + k);
        }
        sums[b] = ~c, sums[b + 1] = ~d;
    }
}

#ifdef DATA
#include "crc.h"
Result result;
double bytes = 1.0 * N * SIZE, flops = 0;

void setup(void) {
    uint64_t seed = 39;
    data = array(N * SIZE), sums = array(4 * N);
    for (int k = 0; k < N * SIZE; k++) data[k] = (uint8_t)next_random(&seed);
    result = (Result){'b', sums, 4 * N, 0};
}
void prepare(void) { memset(sums, 0, 4 * N); }
void kdsl(void) { must(crc(data, sums, N, SIZE)); }
#endif
