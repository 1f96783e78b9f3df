#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANGE = 3 };

static void search(const uint8_t *now, const uint8_t *before, int h, int w, int y, int x, uint16_t *best,
                   int16_t *place) {
    unsigned total = 65535;
    for (int k = 0; k < 4; k++) best[k] = 65535;
    *place = -1;
    for (int dy = -RANGE; dy <= RANGE; dy++) {
        if (!total) break;
        for (int dx = -RANGE; dx <= RANGE; dx++) {
            uint16_t row[4] = {0};
            unsigned sum = 0;
            for (int k = 0; k < 16;) {
                int v = y * 4 + k / 4, u = x * 4 + k % 4;
                if (v + dy < 0 || u + dx < 0 || v + dy >= h || u + dx >= w) { sum = 65535; break; }
                int far = abs(now[v * w + u] - before[(v + dy) * w + u + dx]);
                row[k / 4] = (uint16_t)(row[k / 4] + far);
                sum += (unsigned)far;
                k++;
                if (k % 4 == 0 && sum >= total) break;
            }
            if (sum >= total) continue;
            total = sum;
            *place = (int16_t)((dy + RANGE) * 16 + dx + RANGE);
            for (int k = 0; k < 4; k++) best[k] = row[k];
            if (!sum) break;
        }
    }
}

int main(void) {
    uint32_t seed = 99;
    for (int round = 1; round < 6; round++) {
        int r = round * 2 + 1, c = round * 5 + 2, h = r * 4, w = c * 4;
        uint8_t *before = malloc((size_t)(h * w)), *now = malloc((size_t)(h * w));
        for (int k = 0; k < h * w; k++) before[k] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24) >> 2;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                seed = seed * 1664525u + 1013904223u;
                now[y * w + x] = (seed >> 20) % 50 == 0 ? (uint8_t)(seed >> 8) : before[y * w + (x + y / 4 % 3) % w];
            }
        uint32_t sum = 0;
        int none = 0;
        for (int y = 0; y < r; y++)
            for (int x = 0; x < c; x++) {
                uint16_t best[4];
                int16_t place;
                search(now, before, h, w, y, x, best, &place);
                for (int k = 0; k < 4; k++) sum = sum * 31 + best[k];
                sum = sum * 31 + (uint16_t)place;
                none += best[0] == 0;
            }
        printf("%u %d\n", sum, none);
        free(before);
        free(now);
    }
    return 0;
}
