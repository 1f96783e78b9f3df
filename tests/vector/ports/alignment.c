#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 32, BAND = 9 };

static int larger(int a, int b) { return a > b ? a : b; }

static void align(const uint8_t *reads, const uint8_t *to, int16_t *score, int16_t *place) {
    int h[LENGTH + 1] = {0}, e[LENGTH + 1] = {0}, best = 0, at = -1;
    for (int r = 0; r < LENGTH; r++) {
        int f = 0, diagonal = h[0], top = 0, a = reads[r];
        if (a == 4) break;
        for (int c = larger(r - BAND, 0); c < r + BAND + 1 && c < LENGTH; c++) {
            int b = to[c], old = h[c + 1];
            if (b == 4) break;
            e[c + 1] = larger(e[c + 1] - 2, old - 5);
            f = larger(f - 2, h[c] - 5);
            int v = diagonal + (a == b ? 3 : -4);
            v = larger(larger(v, e[c + 1]), larger(f, 0));
            diagonal = old;
            h[c + 1] = v;
            top = larger(top, v);
            if (v > best) { best = v; at = r * LENGTH + c; }
        }
        if (top + 20 < best) break;
    }
    *score = (int16_t)best;
    *place = (int16_t)at;
}

int main(void) {
    uint32_t seed = 4711;
    for (int round = 1; round < 7; round++) {
        int n = round * round * 13;
        uint32_t sum = 0;
        int all = 0;
        for (int i = 0; i < n; i++) {
            uint8_t reads[LENGTH], to[LENGTH];
            int16_t score, place;
            for (int k = 0; k < LENGTH; k++) {
                seed = seed * 1664525u + 1013904223u;
                to[k] = (seed >> 18) % 200 == 0 ? 4 : (uint8_t)((seed >> 13) % 4);
            }
            for (int k = 0; k < LENGTH; k++) {
                seed = seed * 1664525u + 1013904223u;
                int from = k + (int)((seed >> 27) % 2) * (i % 3);
                if (from > LENGTH - 1) from = LENGTH - 1;
                reads[k] = (seed >> 13) % 6 == 0 ? (uint8_t)((seed >> 16) % 4) : to[from];
            }
            align(reads, to, &score, &place);
            sum = (sum * 31 + (uint16_t)score) * 31 + (uint16_t)place;
            all += score;
        }
        printf("%u %d\n", sum, all);
    }
    return 0;
}
