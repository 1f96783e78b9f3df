#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 64 };

static int clamped(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static void packed(const int16_t *x, const int16_t *steps, const int8_t *moves, uint8_t *codes, int16_t *good,
                   int16_t *last) {
    int16_t back[LENGTH] = {0};
    int guess = 0, at = 0, silent = 0, end = 0;
    for (int k = 0; k < 32; k++) codes[k] = 0;
    for (int k = 0; k < LENGTH; k++) {
        int v = x[k];
        if (v == 0) {
            if (++silent == 5) break;
        } else silent = 0;
        int step = steps[at], off = v - guess, change = step >> 3;
        unsigned code = 0;
        if (off < 0) { code = 8; off = -off; }
        if (off >= step) { code |= 4; off -= step; change += step; }
        if (off >= step >> 1) { code |= 2; off -= step >> 1; change += step >> 1; }
        if (off >= step >> 2) { code |= 1; change += step >> 2; }
        guess = clamped(guess + (code & 8 ? -change : change), -32768, 32767);
        at = clamped(at + moves[code], 0, 88);
        back[k] = (int16_t)guess;
        codes[k / 2] |= (uint8_t)(code << (k % 2 ? 4 : 0));
        end = k + 1;
        if (abs(back[k] - v) > 24000 && k > 40) break;
    }
    *good = (int16_t)end;
    *last = -1;
    if (!end) return;
    int16_t sum = 0;
    for (int k = 0; k < end; k++) {
        sum = (int16_t)(sum * 3 + back[end - 1 - k]);
        if (sum == 77) break;
    }
    *last = sum;
}

int main(void) {
    static const int8_t moves[16] = {-1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8};
    int16_t steps[89];
    int step = 7;
    for (int k = 0; k < 89; k++) {
        steps[k] = (int16_t)step;
        step = step + step / 10 + 1 < 32767 ? step + step / 10 + 1 : 32767;
    }
    uint32_t seed = 12345;
    for (int round = 1; round < 8; round++) {
        int n = round * round * 9 + 1;
        int16_t *x = malloc(sizeof *x * (size_t)(n * LENGTH));
        for (int k = 0; k < n * LENGTH; k++) {
            seed = seed * 1664525u + 1013904223u;
            int wild = k / LENGTH % 3 == 1;
            x[k] = (seed >> 9) % 4 == 0 ? 0
                   : wild               ? (int16_t)(seed >> 12)
                                        : (int16_t)((int)((seed >> 12) % 2001) - 1000);
        }
        uint32_t sum = 0;
        int whole = 0;
        for (int i = 0; i < n; i++) {
            uint8_t codes[32];
            int16_t good, last;
            packed(x + i * LENGTH, steps, moves, codes, &good, &last);
            for (int k = 0; k < 32; k++) sum = sum * 31 + codes[k];
            sum = sum * 31 + (uint16_t)good;
            sum = sum * 31 + (uint16_t)last;
            whole += good;
        }
        printf("%u %d\n", sum, whole);
        free(x);
    }
    return 0;
}
