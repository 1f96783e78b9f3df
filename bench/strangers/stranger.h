/* stranger.h -- a kernel of the corpus, three ways: KDSL, C as a user writes it first (PLAIN), and C tuned by hand
 * (TUNED). Each NAME.c is compiled by gcc and by clang; only one of the objects has the data (DATA). main.c executes
 * all versions in turn on the same data and compares what they compute. */
#ifndef STRANGER_H
#define STRANGER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define PLAIN CAT(plain, COMPILER)
#define TUNED CAT(tuned, COMPILER)
#ifdef DATA
#define GLOBAL
#else
#define GLOBAL extern
#endif

typedef struct Result {
    char type; /* 'd' double, 'f' float, 'i' int32_t, 'b' bytes */
    const void *at;
    int64_t n;
    double tolerance; /* relative to the largest value */
} Result;

void setup(void);      /* allocates and fills */
void prepare(void);    /* before each execution, not timed: what an execution changes */
void kdsl(void);
extern Result result;  /* after setup */
extern double bytes, flops; /* that an execution moves and computes at least; 0: says nothing */

/* Page-aligned, touched by the threads that will use it. */
static inline void *array(int64_t n_bytes) {
    void *at = aligned_alloc(4096, (size_t)((n_bytes + 4095) / 4096 * 4096));
    if (!at) abort();
    memset(at, 0, (size_t)n_bytes);
    return at;
}

static inline uint32_t next_random(uint64_t *seed) { /* splitmix64 */
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}
static inline double uniform(uint64_t *seed) { return next_random(seed) * 0x1p-32; }

static inline void must(int32_t code) {
    extern const char *kdsl_last_error(void);
    if (!code) return;
    fprintf(stderr, "%s\n", kdsl_last_error());
    exit(1);
}

#endif
