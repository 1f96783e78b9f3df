/* The machine's own limits, in rows as those of the peers: streaming bandwidth, with and without non-temporal stores,
   the bandwidth of what fits the last-level cache or the second, and peak f32 arithmetic. Vectors are as wide as the
   compiler's target has them. Arguments: which ones; none: all. */
#define _GNU_SOURCE
#pragma GCC optimize("no-tree-loop-distribute-patterns") /* a copy is a loop here, not a call of memcpy */
#include "bench.h"
#include <immintrin.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined __AVX512F__
enum { VECTOR = 64, N_CHAINS = 16 };
#define STREAM(p, v) _mm512_stream_ps((float *)(p), (__m512)(v))
#elif defined __AVX__
enum { VECTOR = 32, N_CHAINS = 12 };
#define STREAM(p, v) _mm256_stream_ps((float *)(p), (__m256)(v))
#else
enum { VECTOR = 16, N_CHAINS = 12 };
#define STREAM(p, v) _mm_stream_ps((float *)(p), (__m128)(v))
#endif
enum { LANES = VECTOR / sizeof(float), UNROLL = 4 };
typedef float Vec __attribute__((vector_size(VECTOR), may_alias));

static int n_threads;
static volatile float sink;

static float *new_floats(size_t n) {
    enum { HUGE_PAGE = 2 << 20 };
    size_t n_bytes = (n * sizeof(float) + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    float *p = aligned_alloc(HUGE_PAGE, n_bytes);
    if (!p) exit(1);
    madvise(p, n_bytes, MADV_HUGEPAGE);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) p[i] = (float)(i % 7);
    return p;
}

/* The part of n floats that is this thread's, as vectors; n is a power of two far above what all threads step by. */
static void part_of(long n, long *lo, long *hi) {
    long n_vectors = n / LANES / UNROLL, t = omp_get_thread_num();
    *lo = n_vectors * t / n_threads * UNROLL, *hi = n_vectors * (t + 1) / n_threads * UNROLL;
}

static float sum_of(Vec v) {
    float sum = 0;
    for (int i = 0; i < LANES; i++) sum += v[i];
    return sum;
}

static void triad(float *a, const float *b, const float *c, long n, bool nontemporal) {
    Vec *to = (Vec *)a, three = {0};
    const Vec *x = (const Vec *)b, *y = (const Vec *)c;
    three += 3;
#pragma omp parallel
    {
        long lo, hi;
        part_of(n, &lo, &hi);
        if (nontemporal)
            for (long i = lo; i < hi; i++) STREAM(to + i, x[i] + three * y[i]);
        else
            for (long i = lo; i < hi; i++) to[i] = x[i] + three * y[i];
        _mm_sfence();
    }
}

static void copy(float *a, const float *b, long n, bool nontemporal) {
    Vec *to = (Vec *)a;
    const Vec *from = (const Vec *)b;
#pragma omp parallel
    {
        long lo, hi;
        part_of(n, &lo, &hi);
        if (nontemporal)
            for (long i = lo; i < hi; i++) STREAM(to + i, from[i]);
        else
            for (long i = lo; i < hi; i++) to[i] = from[i];
        _mm_sfence();
    }
}

static void read_all(const float *b, long n) {
    const Vec *x = (const Vec *)b;
    float total = 0;
#pragma omp parallel reduction(+ : total)
    {
        Vec s[UNROLL] = {0};
        long lo, hi;
        part_of(n, &lo, &hi);
        for (long i = lo; i < hi; i += UNROLL)
#pragma GCC unroll 4
            for (int u = 0; u < UNROLL; u++) s[u] += x[i + u];
        total += sum_of(s[0] + s[1] + s[2] + s[3]);
    }
    sink = total;
}

/* As many independent chains as registers allow: more than latency times pipes everywhere. */
static void fma_peak(long n_rounds) {
    float total = 0;
#pragma omp parallel reduction(+ : total)
    {
        Vec v[N_CHAINS], m = {0}, a = {0}, sum = {0};
        m += 0.999999f, a += 1e-6f;
#pragma GCC unroll 16
        for (int i = 0; i < N_CHAINS; i++) v[i] = a * (float)i;
        for (long k = 0; k < n_rounds; k++)
#pragma GCC unroll 16
            for (int i = 0; i < N_CHAINS; i++) v[i] = v[i] * m + a;
#pragma GCC unroll 16
        for (int i = 0; i < N_CHAINS; i++) sum += v[i];
        total += sum_of(sum);
    }
    sink = total;
}

static bool is_wanted(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name)) return true;
    return argc == 1;
}

/* Best of six samples of several calls. */
#define LIMIT(name, work, n_calls, call)                                                                               \
    if (is_wanted(name, argc, argv)) {                                                                                 \
        double best = 1e30;                                                                                            \
        for (int s = 0; s < 6; s++) {                                                                                  \
            double start = now();                                                                                      \
            for (int r = 0; r < (n_calls); r++) call;                                                                  \
            double seconds = (now() - start) / (n_calls);                                                              \
            if (seconds < best) best = seconds;                                                                        \
        }                                                                                                              \
        printf("limit\t%s\t%.9f\t%.3f\tok\n", name, best, (work) / best * 1e-9);                                       \
    }

static long power_of_two_below(long n) {
    long p = 1;
    while (2 * p <= n) p *= 2;
    return p;
}

/* A quarter of a cache, for two arrays. What the kernel says of this core's caches; sysconf has those of the socket. */
static long quarter_in_floats(int level, long n_caches, long fallback_kib) {
    char path[64];
    long kib = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ldK", &kib) != 1) kib = 0;
    if (file) fclose(file);
    return power_of_two_below((kib > 0 ? kib : fallback_kib) * 1024 * n_caches / 4 / (long)sizeof(float));
}

int main(int argc, char **argv) {
    n_threads = omp_get_max_threads();
    long n = N_STREAM, n_rounds = 10000000;
    long l3 = quarter_in_floats(3, 1, 16384);
    long l2 = quarter_in_floats(2, n_threads, 512);
    float *a = new_floats(n), *b = new_floats(n), *c = new_floats(n);
    LIMIT("triad", 12.0 * n, 5, triad(a, b, c, n, false))
    LIMIT("triad_nt", 12.0 * n, 5, triad(a, b, c, n, true))
    LIMIT("copy", 8.0 * n, 5, copy(a, b, n, false))
    LIMIT("copy_nt", 8.0 * n, 5, copy(a, b, n, true))
    LIMIT("read", 4.0 * n, 5, read_all(b, n))
    LIMIT("copy_l3", 8.0 * l3, 200, copy(a, b, l3, false))
    LIMIT("read_l3", 8.0 * l3, 200, read_all(b, 2 * l3))
    LIMIT("copy_l2", 8.0 * l2, 5000, copy(a, b, l2, false))
    LIMIT("fma_peak", 2.0 * LANES * N_CHAINS * n_rounds * n_threads, 2, fma_peak(n_rounds))
}
