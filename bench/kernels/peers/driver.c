/* Drives one peer: NAME KERNEL makes the data, checks the kernel against a scalar reference, times it and prints a row:
   name, kernel, best seconds a call, rate, verdict. Built once, without fast-math, and linked with each peer. */
#define _GNU_SOURCE
#include "bench.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *peer_name, *kernel_name;

/* A peer that runs on the host has nothing to say to these. */
#define DEFAULT __attribute__((weak))
DEFAULT void peer_init(void) {}
DEFAULT void peer_in(void *p, size_t n_bytes) { (void)p, (void)n_bytes; }
DEFAULT void peer_out(void *p, size_t n_bytes) { (void)p, (void)n_bytes; }
DEFAULT void peer_sync(void) {}
DEFAULT void peer_end(void) {}

static double started;
DEFAULT void peer_start(void) {
    peer_sync();
    started = now();
}
DEFAULT double peer_seconds(void) {
    peer_sync();
    return now() - started;
}

/* Data --------------------------------------------------------------------------------------------------------- */

static unsigned seed = 12345;

static float random_unit(void) { /* [0, 1) */
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) * (1.0f / (1 << 24));
}

static void *new_bytes(size_t n) {
    enum { HUGE_PAGE = 2 << 20 };
    size_t n_bytes = (n + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *p = aligned_alloc(HUGE_PAGE, n_bytes);
    if (!p) exit(1);
    madvise(p, n_bytes, MADV_HUGEPAGE);
    return memset(p, 0, n_bytes);
}

static float *new_floats(size_t n) { return new_bytes(n * sizeof(float)); }
static int *new_ints(size_t n) { return new_bytes(n * sizeof(int)); }

static float *new_uniform(size_t n, float lo, float hi) {
    float *p = new_floats(n);
    for (size_t i = 0; i < n; i++) p[i] = lo + (hi - lo) * random_unit();
    return p;
}

static float *new_copy(const float *p, size_t n) { return memcpy(new_floats(n), p, n * sizeof(float)); }

/* Time: while (again(&w)) { calls; stop(&w, how many); } ---------------------------------------------------------- */

typedef struct {
    double best, spent;
    int n_samples;
} Watch;

#define WATCH ((Watch){.best = HUGE_VAL})

static bool again(Watch *w) { /* of a slow kernel two samples are enough */
    if (w->n_samples >= 5 || (w->n_samples >= 2 && w->spent > 1)) return false;
    peer_start();
    return true;
}

static void stop(Watch *w, int n_calls) {
    double seconds = peer_seconds();
    w->best = fmin(w->best, seconds / n_calls);
    w->spent += seconds;
    w->n_samples++;
}

/* Verdict ------------------------------------------------------------------------------------------------------ */

static bool is_close(float got, double want, double tolerance) {
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

static bool all_close(const float *got, const float *want, size_t n, double tolerance) {
    for (size_t i = 0; i < n; i++)
        if (!is_close(got[i], want[i], tolerance)) return false;
    return true;
}

static void report(Watch w, double work, bool right) {
    printf("%s\t%s\t%.9f\t%.3f\t%s\n", peer_name, kernel_name, w.best, work / w.best * 1e-9, right ? "ok" : "WRONG");
}

/* The kernels -------------------------------------------------------------------------------------------------- */

static void saxpy(void) {
    size_t n = N_STREAM, n_bytes = n * sizeof(float);
    float *x = new_uniform(n, 0, 1), *y = new_uniform(n, 0, 1), *want = new_floats(n);
    for (size_t i = 0; i < n; i++) want[i] = 0.5f * x[i] + y[i];
    peer_in(x, n_bytes), peer_in(y, n_bytes);
    k_saxpy(y, x, 0.5f, (int)n), peer_sync(), peer_out(y, n_bytes);
    bool right = all_close(y, want, n, 1e-6);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 10; r++) k_saxpy(y, x, 0.001f, (int)n);
        stop(&w, 10);
    }
    report(w, 12.0 * n, right);
}

static void triad(void) {
    size_t n = N_STREAM, n_bytes = n * sizeof(float);
    float *x = new_uniform(n, 0, 1), *y = new_uniform(n, 0, 1), *z = new_floats(n), *want = new_floats(n);
    for (size_t i = 0; i < n; i++) want[i] = x[i] + 3.0f * y[i];
    peer_in(x, n_bytes), peer_in(y, n_bytes), peer_in(z, n_bytes);
    k_triad(z, x, y, 3.0f, (int)n), peer_sync(), peer_out(z, n_bytes);
    bool right = all_close(z, want, n, 1e-6);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 10; r++) k_triad(z, x, y, 3.0f, (int)n);
        stop(&w, 10);
    }
    report(w, 12.0 * n, right);
}

static void sum(float (*kernel)(const float *x, int n)) {
    size_t n = N_STREAM;
    float *x = new_uniform(n, 0, 1);
    double want = 0;
    for (size_t i = 0; i < n; i++) want += x[i];
    peer_in(x, n * sizeof(float));
    float got = kernel(x, (int)n);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 10; r++) got = kernel(x, (int)n);
        stop(&w, 10);
    }
    report(w, 4.0 * n, is_close(got, want, 1e-3));
}

static void reduce(void) { sum(k_reduce); }
static void reduce_tree(void) { sum(k_reduce_tree); }

static void sweep_2d(float *dst, const float *src, int n) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            dst[i * n + j] =
                0.25f * (src[(i - 1) * n + j] + src[(i + 1) * n + j] + src[i * n + j - 1] + src[i * n + j + 1]);
}

static void sweep_3d(float *dst, const float *src, int n) {
    int nn = n * n;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                const float *p = src + i * nn + j * n + k;
                dst[i * nn + j * n + k] = 0.4f * p[0] + 0.1f * (p[-nn] + p[nn] + p[-n] + p[n] + p[-1] + p[1]);
            }
}

typedef void Sweep(float *dst, const float *src, int n);

static void sweeps(Sweep *sweep, float *u, float *v, int n, int n_sweeps) {
    for (int s = 0; s < n_sweeps; s += 2) sweep(v, u, n), sweep(u, v, n);
}

static void stencil(Sweep *kernel, Sweep *reference, int n, size_t n_points, int n_sweeps) {
    size_t n_bytes = n_points * sizeof(float);
    float *u = new_uniform(n_points, 0, 1), *v = new_copy(u, n_points);
    float *want = new_copy(u, n_points), *other = new_copy(u, n_points);
    sweeps(reference, want, other, n, n_sweeps);
    peer_in(u, n_bytes), peer_in(v, n_bytes);
    sweeps(kernel, u, v, n, n_sweeps), peer_sync(), peer_out(u, n_bytes);
    bool right = all_close(u, want, n_points, 1e-5);
    Watch w = WATCH;
    while (again(&w)) {
        sweeps(kernel, u, v, n, n_sweeps);
        stop(&w, 1);
    }
    report(w, 8.0 * n_points * n_sweeps, right);
}

static void jacobi2d(void) { stencil(k_jacobi, sweep_2d, N_JACOBI, (size_t)N_JACOBI * N_JACOBI, SWEEPS_2D); }
static void stencil3d(void) {
    stencil(k_stencil, sweep_3d, N_STENCIL, (size_t)N_STENCIL * N_STENCIL * N_STENCIL, SWEEPS_3D);
}

static void matmul(void (*kernel)(float *c, const float *a, const float *b, int n), int n_calls) {
    int n = N_MATMUL;
    size_t n_elems = (size_t)n * n, n_bytes = n_elems * sizeof(float);
    float *a = new_uniform(n_elems, -1, 1), *b = new_uniform(n_elems, -1, 1);
    float *c = new_floats(n_elems), *want = new_floats(n_elems);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) want[i * n + j] += a[i * n + k] * b[k * n + j];
    peer_in(a, n_bytes), peer_in(b, n_bytes), peer_in(c, n_bytes);
    kernel(c, a, b, n), peer_sync(), peer_out(c, n_bytes);
    bool right = all_close(c, want, n_elems, 1e-3);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < n_calls; r++) kernel(c, a, b, n);
        stop(&w, n_calls);
    }
    report(w, 2.0 * n * n * n, right);
}

static void matmul_naive(void) { matmul(k_matmul, 1); }
static void matmul_tiled(void) { matmul(k_matmul_tiled, 3); }

static void scan(void) { /* of 0 and 1, so that every sum is exact */
    size_t n = N_SCAN, n_bytes = n * sizeof(float), n_tmp = n / 64;
    float *in = new_floats(n), *out = new_floats(n), *tmp = new_floats(n_tmp), *want = new_floats(n), sum = 0;
    for (size_t i = 0; i < n; i++) in[i] = random_unit() > 0.5f, want[i] = sum += in[i];
    peer_in(in, n_bytes), peer_in(out, n_bytes), peer_in(tmp, n_tmp * sizeof(float));
    k_scan(out, in, tmp, (int)n), peer_sync(), peer_out(out, n_bytes);
    bool right = all_close(out, want, n, 0);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 5; r++) k_scan(out, in, tmp, (int)n);
        stop(&w, 5);
    }
    report(w, 8.0 * n, right);
}

static void histogram(void (*kernel)(int *bins, const int *keys, int n)) {
    size_t n = N_HIST;
    int *keys = new_ints(n), *bins = new_ints(N_BINS), want[N_BINS] = {0};
    for (size_t i = 0; i < n; i++) {
        float first = random_unit();
        keys[i] = (int)(first * random_unit() * N_BINS), want[keys[i]]++;
    }
    peer_in(keys, n * sizeof(int)), peer_in(bins, sizeof want);
    kernel(bins, keys, (int)n), peer_sync(), peer_out(bins, sizeof want);
    bool right = !memcmp(bins, want, sizeof want);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 2; r++) kernel(bins, keys, (int)n);
        stop(&w, 2);
    }
    report(w, 4.0 * n, right);
}

static void hist_local(void) { histogram(k_hist_local); }
static void hist_atomic(void) { histogram(k_hist_atomic); }

static int steps(float cr, float ci) {
    float zr = 0, zi = 0;
    int k = 0;
    for (; k < MANDEL_LIMIT && zr * zr + zi * zi <= 4; k++) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = t;
    }
    return k;
}

static void mandelbrot(void) {
    int n = N_MANDEL, n_wrong = 0, *out = new_ints((size_t)n * n);
    size_t n_bytes = (size_t)n * n * sizeof(int);
    double needed = 0;
    peer_in(out, n_bytes);
    k_mandel(out, n, MANDEL_LIMIT), peer_sync(), peer_out(out, n_bytes);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int k = steps(-2.0f + 3.0f * j / n, -1.5f + 3.0f * i / n);
            needed += k, n_wrong += out[i * n + j] != k;
        }
    Watch w = WATCH;
    while (again(&w)) {
        k_mandel(out, n, MANDEL_LIMIT);
        stop(&w, 1);
    }
    report(w, 8 * needed, n_wrong <= n * n / 200); /* fused operations move some points of the chaotic border */
}

static void nbody(void) {
    int n = N_BODIES;
    float *pos = new_uniform(4 * n, -1, 1), *acc = new_floats(3 * n), *want = new_floats(3 * n);
    for (int i = 0; i < n; i++) {
        double sum[3] = {0};
        for (int j = 0; j < n; j++) {
            float d[3], square = 1e-2f;
            for (int e = 0; e < 3; e++) d[e] = pos[e * n + j] - pos[e * n + i], square += d[e] * d[e];
            float inverse = 1 / sqrtf(square), f = pos[3 * n + j] * inverse * inverse * inverse;
            for (int e = 0; e < 3; e++) sum[e] += f * d[e];
        }
        for (int e = 0; e < 3; e++) want[e * n + i] = (float)sum[e];
    }
    peer_in(pos, 4 * n * sizeof(float)), peer_in(acc, 3 * n * sizeof(float));
    k_nbody(acc, pos, n), peer_sync(), peer_out(acc, 3 * n * sizeof(float));
    bool right = all_close(acc, want, 3 * n, 1e-3);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 5; r++) k_nbody(acc, pos, n);
        stop(&w, 5);
    }
    report(w, 20.0 * n * n, right);
}

static void blackscholes(void) { /* rate 0.02, volatility 0.30; 55 operations an option by convention */
    size_t n = N_OPTIONS, n_bytes = n * sizeof(float);
    float *s = new_uniform(n, 5, 30), *k = new_uniform(n, 1, 100), *t = new_uniform(n, 0.25, 10);
    float *call = new_floats(n), *put = new_floats(n);
    peer_in(s, n_bytes), peer_in(k, n_bytes), peer_in(t, n_bytes), peer_in(call, n_bytes), peer_in(put, n_bytes);
    k_blackscholes(call, put, s, k, t, (int)n), peer_sync(), peer_out(call, n_bytes), peer_out(put, n_bytes);
    bool right = true;
    for (size_t i = 0; i < n; i++) {
        double root = sqrt(t[i]), d1 = (log(s[i] / (double)k[i]) + (0.02 + 0.5 * 0.09) * t[i]) / (0.3 * root);
        double d2 = d1 - 0.3 * root, e = k[i] * exp(-0.02 * t[i]);
        double n1 = 0.5 + 0.5 * erf(d1 * sqrt(0.5)), n2 = 0.5 + 0.5 * erf(d2 * sqrt(0.5));
        right = right && is_close(call[i], s[i] * n1 - e * n2, 2e-4) &&
                is_close(put[i], e * (1 - n2) - s[i] * (1 - n1), 2e-4);
    }
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 2; r++) k_blackscholes(call, put, s, k, t, (int)n);
        stop(&w, 2);
    }
    report(w, 55.0 * n, right);
}

static void spmv(void) { /* half of each row in a band about the diagonal, half anywhere */
    int n = N_ROWS, nnz = 0;
    float *x = new_uniform(n, -1, 1), *val = new_floats((size_t)n * MOST_IN_ROW), *y = new_floats(n);
    float *want = new_floats(n);
    int *row = new_ints(n + 1), *col = new_ints((size_t)n * MOST_IN_ROW);
    for (int i = 0; i < n; i++) {
        int length = 16 + (int)(random_unit() * 33);
        double sum = 0;
        row[i] = nnz;
        for (int j = 0; j < length; j++, nnz++) {
            int c = j & 1 ? (int)(random_unit() * n) : i + j - 16;
            col[nnz] = c < 0 ? 0 : c >= n ? n - 1 : c;
            val[nnz] = random_unit() - 0.5f, sum += val[nnz] * x[col[nnz]];
        }
        want[i] = (float)sum;
    }
    row[n] = nnz;
    size_t row_bytes = (n + 1) * sizeof(int), vector_bytes = n * sizeof(float), nnz_bytes = nnz * sizeof(float);
    peer_in(row, row_bytes), peer_in(col, nnz_bytes), peer_in(val, nnz_bytes);
    peer_in(x, vector_bytes), peer_in(y, vector_bytes);
    k_spmv(y, val, col, row, x, n), peer_sync(), peer_out(y, vector_bytes);
    bool right = all_close(y, want, n, 1e-4);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 5; r++) k_spmv(y, val, col, row, x, n);
        stop(&w, 5);
    }
    report(w, 8.0 * nnz + 12.0 * n, right);
}

static void transpose(void) {
    int n = N_TRANSPOSE;
    size_t n_elems = (size_t)n * n, n_bytes = n_elems * sizeof(float);
    float *in = new_uniform(n_elems, 0, 1), *out = new_floats(n_elems), *want = new_floats(n_elems);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) want[(size_t)j * n + i] = in[(size_t)i * n + j];
    peer_in(in, n_bytes), peer_in(out, n_bytes);
    k_transpose(out, in, n), peer_sync(), peer_out(out, n_bytes);
    bool right = all_close(out, want, n_elems, 0);
    Watch w = WATCH;
    while (again(&w)) {
        for (int r = 0; r < 5; r++) k_transpose(out, in, n);
        stop(&w, 5);
    }
    report(w, 8.0 * n_elems, right);
}

static int compare_floats(const void *a, const void *b) {
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static void bitonic(void) { /* reported as keys: 1e3 makes millions a second of what `report` divides by 1e9 */
    size_t n = N_SORT, n_bytes = n * sizeof(float);
    float *x = new_uniform(n, 0, 1), *keys = new_copy(x, n), *want = new_copy(x, n);
    qsort(want, n, sizeof *want, compare_floats);
    peer_in(x, n_bytes), k_bitonic(x, (int)n), peer_sync(), peer_out(x, n_bytes);
    bool right = all_close(x, want, n, 0);
    Watch w = WATCH;
    for (;;) {
        memcpy(x, keys, n_bytes), peer_in(x, n_bytes);
        if (!again(&w)) break;
        k_bitonic(x, (int)n);
        stop(&w, 1);
    }
    report(w, 1e3 * n, right);
}

typedef void Any(void);

#define ROW(name, kernel)                                                                                              \
    { #name, name, (Any *)kernel }
static const struct {
    const char *name;
    void (*run)(void);
    Any *kernel; /* NULL: this peer has none */
} KERNELS[] = {
    ROW(saxpy, k_saxpy),
    ROW(triad, k_triad),
    ROW(reduce, k_reduce),
    ROW(reduce_tree, k_reduce_tree),
    ROW(jacobi2d, k_jacobi),
    ROW(stencil3d, k_stencil),
    ROW(transpose, k_transpose),
    ROW(scan, k_scan),
    ROW(spmv, k_spmv),
    ROW(hist_local, k_hist_local),
    ROW(hist_atomic, k_hist_atomic),
    ROW(matmul_naive, k_matmul),
    ROW(matmul_tiled, k_matmul_tiled),
    ROW(nbody, k_nbody),
    ROW(blackscholes, k_blackscholes),
    ROW(mandelbrot, k_mandel),
    ROW(bitonic, k_bitonic),
};

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: %s NAME KERNEL\n", argv[0]), 2;
    peer_name = argv[1], kernel_name = argv[2];
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (!strcmp(KERNELS[i].name, kernel_name)) {
            if (!KERNELS[i].kernel) return 0;
            peer_init();
            KERNELS[i].run();
            peer_end();
            return 0;
        }
    return fprintf(stderr, "%s: no kernel `%s`\n", argv[0], kernel_name), 2;
}
