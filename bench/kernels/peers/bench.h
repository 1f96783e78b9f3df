/* What every C peer shares: the sizes, the clock, and the kernels that it fills in. The sizes are those of the KDSL
   programs one folder up. */
#ifndef BENCH_H
#define BENCH_H
#include <stddef.h>
#include <time.h>

enum {
    N_STREAM = 1 << 25, /* saxpy, triad, reduce: 128 MiB an array, well past the last-level cache */
    N_JACOBI = 2048,    /* 2-D */
    SWEEPS_2D = 100,
    N_STENCIL = 256, /* 3-D */
    SWEEPS_3D = 20,
    N_MATMUL = 1024,
    N_SCAN = 1 << 24,
    SCAN_BLOCK = 16384,
    N_HIST = 1 << 24,
    N_BINS = 256,
    N_MANDEL = 2048,
    MANDEL_LIMIT = 256,
    N_BODIES = 4096,
    N_OPTIONS = 1 << 22,
    N_ROWS = 1 << 18, /* spmv, 16 to 48 entries a row */
    MOST_IN_ROW = 48,
    N_TRANSPOSE = 4096,
    N_SORT = 1 << 20,
};

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The device: pointers are the host's, the peer keeps its own map from them. */
void peer_init(void);
void peer_in(void *p, size_t n_bytes);  /* the first call maps, every call copies host to device */
void peer_out(void *p, size_t n_bytes); /* device to host */
void peer_sync(void);                   /* calls of kernels may be asynchronous until then */
void peer_start(void);                  /* time begins here, and ... */
double peer_seconds(void);              /* this is how much of it calls of kernels have taken */
void peer_end(void);

/* Weak: a peer may leave kernels out, and the driver then prints no row for it. */
#define KERNEL __attribute__((weak))
KERNEL void k_saxpy(float *y, const float *x, float a, int n);
KERNEL void k_triad(float *z, const float *x, const float *y, float s, int n);
KERNEL void k_jacobi(float *dst, const float *src, int n);
KERNEL void k_stencil(float *dst, const float *src, int n);
KERNEL void k_matmul(float *c, const float *a, const float *b, int n);
KERNEL void k_matmul_tiled(float *c, const float *a, const float *b, int n);
KERNEL float k_reduce(const float *x, int n);
KERNEL float k_reduce_tree(const float *x, int n); /* in groups, with barriers */
KERNEL void k_scan(float *out, const float *in, float *tmp, int n); /* tmp: n / 64 floats */
KERNEL void k_hist_atomic(int *bins, const int *keys, int n);       /* global atomics */
KERNEL void k_hist_local(int *bins, const int *keys, int n);        /* private or local bins, then merged */
KERNEL void k_mandel(int *out, int n, int limit);
KERNEL void k_nbody(float *acc, const float *pos, int n); /* pos: x[n] y[n] z[n] m[n]; acc: x[n] y[n] z[n] */
KERNEL void k_blackscholes(float *call, float *put, const float *s, const float *k, const float *t, int n);
KERNEL void k_spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n);
KERNEL void k_transpose(float *out, const float *in, int n);
KERNEL void k_bitonic(float *a, int n);
#endif
