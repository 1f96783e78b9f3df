/* Automata: the game of life on a torus, in bytes. */
#include "stranger.h"

enum { H = 1024, W = 2048, STEPS = 4 };
GLOBAL uint8_t *cells, *given;

static void step(const uint8_t *now, uint8_t *next) {
#pragma omp parallel for
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            int up = (i + H - 1) % H, down = (i + 1) % H, left = (j + W - 1) % W, right = (j + 1) % W;
            int around = now[up * W + left] + now[up * W + j] + now[up * W + right] + now[i * W + left] +
                         now[i * W + right] + now[down * W + left] + now[down * W + j] + now[down * W + right];
            next[i * W + j] = around == 3 || (around == 2 && now[i * W + j]);
        }
}

void PLAIN(void) {
    uint8_t *other = malloc(H * W);
    for (int s = 0; s < STEPS; s += 2) step(cells, other), step(other, cells);
    free(other);
}

/* Pointers to the three rows; the two columns at the border apart, the others as vectors of bytes. */
static inline uint8_t alive(const uint8_t *a, const uint8_t *b, const uint8_t *c, int left, int j, int right) {
    uint8_t around = a[left] + a[j] + a[right] + b[left] + b[right] + c[left] + c[j] + c[right];
    return (around | b[j]) == 3; /* 3, or 2 and alive */
}

void TUNED(void) {
    static uint8_t other[H * W];
    uint8_t *now = cells, *next = other;
    for (int s = 0; s < STEPS; s++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < H; i++) {
            const uint8_t *restrict a = now + (i + H - 1) % H * W, *restrict b = now + i * W,
                                    *restrict c = now + (i + 1) % H * W;
            uint8_t *restrict to = next + i * W;
            to[0] = alive(a, b, c, W - 1, 0, 1), to[W - 1] = alive(a, b, c, W - 2, W - 1, 0);
#pragma omp simd
            for (int j = 1; j < W - 1; j++) to[j] = alive(a, b, c, j - 1, j, j + 1);
        }
        uint8_t *t = now;
        now = next, next = t;
    }
}

#ifdef DATA
#include "life.h"
Result result;
double bytes = 2.0 * H * W * STEPS, flops = 0;

void setup(void) {
    uint64_t seed = 45;
    cells = array(H * W), given = array(H * W);
    for (int i = 0; i < H * W; i++) given[i] = next_random(&seed) % 3 == 0;
    result = (Result){'b', cells, H * W, 0};
}
void prepare(void) { memcpy(cells, given, H * W); }
void kdsl(void) { must(life(cells, STEPS, H, W)); }
#endif
