#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void processor(const int32_t *code, int m, int32_t seed, int i, int32_t *result, int32_t *why) {
    uint32_t r[8] = {0}, memory[16] = {0};
    r[1] = (uint32_t)seed;
    r[2] = (uint32_t)i & 15;
    int pc = 0, steps = 0, state = 0;
    for (;;) {
        if (steps >= 300) { state = 1; break; }
        steps++;
        if (pc < 0 || pc >= m) { state = 2; break; }
        int32_t w = code[pc++];
        int op = w & 15, a = (w >> 4) & 7, b = (w >> 7) & 7, c = (w >> 10) & 7, k = (w >> 16) & 255;
        switch (op) {
        case 0: if ((r[a] & 7) == 3) { state = 3; goto out; } break;
        case 1: r[a] = r[b] + r[c]; break;
        case 2: r[a] = r[b] - r[c] + (uint32_t)k; break;
        case 3: r[a] = r[b] * r[c] + 1; break;
        case 4: r[a] = r[b] ^ (uint32_t)((int32_t)r[c] >> (k & 31)); break;
        case 5:
            if (!r[c]) { state = 4; goto out; }
            if (r[c] != UINT32_MAX)
                r[a] = (uint32_t)((int32_t)r[b] / (int32_t)r[c]) + (uint32_t)((int32_t)r[b] % (int32_t)r[c]);
            break;
        case 6: case 7: {
            int at = (int)(r[b] & 15) + (k & 3);
            if (at >= 16) { if ((r[c] & 3) == 0) { state = 5; goto out; } break; }
            if (op == 6) r[a] = memory[at]; else memory[at] = r[a] + (uint32_t)k;
            break;
        }
        case 8: if ((int32_t)r[a] < (int32_t)r[b]) pc += k & 7; break;
        case 9: if (r[a] & 1) pc -= (k & 15) + 1; break;
        case 10: r[a & 3] = (uint32_t)(k - 128); break;
        case 11: r[((uint32_t)a + r[b]) & 7] = r[((uint32_t)c ^ r[a]) & 7]; break;
        default: memory[(r[a] & 7) + 8] += r[b]; break;
        }
    }
out:;
    uint32_t sum = (uint32_t)steps;
    for (int e = 0; e < 8; e++) sum = sum * 31 + r[e];
    for (int e = 0; e < 16; e++) sum = sum * 31 + memory[e];
    *result = (int32_t)sum;
    *why = state;
}

static void run(int words, int n, uint32_t x) {
    int32_t *code = malloc(sizeof *code * (size_t)words), *seed = malloc(sizeof *seed * (size_t)n), result, why;
    for (int k = 0; k < words; k++) code[k] = (int32_t)((x = x * 1664525u + 1013904223u) >> 4);
    for (int k = 0; k < n; k++) seed[k] = (int32_t)((x = x * 1664525u + 1013904223u) >> 8) - 8000000;
    uint32_t sum = 0;
    int counts[6] = {0};
    for (int k = 0; k < n; k++) {
        processor(code, words, seed[k], k, &result, &why);
        sum = sum * 31 + (uint32_t)result;
        counts[why]++;
    }
    printf("%u %d %d %d %d %d\n", sum, counts[1], counts[2], counts[3], counts[4], counts[5]);
    free(code);
    free(seed);
}

int main(void) {
    for (int k = 0; k < 12; k++) run(20 + k * 7, 61 + k * 40, (uint32_t)k * 77 + 5);
    return 0;
}
