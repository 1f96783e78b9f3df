/* The ISPC peer: vector code from kernels.ispc, threads from OpenMP. RUN splits [lo, hi) in chunks of `step`. */
#include "bench.h"
#include "kernels.ispc.h"
#include <omp.h>
#define RUN(lo, hi, step, call)                                                                                        \
    _Pragma("omp parallel for schedule(dynamic)") for (int b = (lo); b < (hi); b += (step)) {                          \
        int e = b + (step) < (hi) ? b + (step) : (hi);                                                                 \
        call;                                                                                                          \
    }
#define HALF(n) (((n) + omp_get_max_threads() - 1) / omp_get_max_threads())
#define F (float *)
#define I (int *)

void k_saxpy(float *y, const float *x, float a, int n) { RUN(0, n, 1 << 20, saxpy(y, F x, a, b, e)) }
void k_triad(float *a, const float *x, const float *c, float s, int n) {
    RUN(0, n, 1 << 20, triad(a, F x, F c, s, b, e))
}
void k_jacobi(float *d, const float *s, int n) { RUN(1, n - 1, HALF(n - 2), jacobi(d, F s, n, b, e)) }
void k_stencil(float *d, const float *s, int n) { RUN(1, n - 1, 8, stencil3d(d, F s, n, b, e)) }
void k_matmul(float *c, const float *a, const float *x, int n) { RUN(0, n, 8, matmul(c, F a, F x, n, b, e)) }
void k_matmul_tiled(float *c, const float *a, const float *x, int n) {
    RUN(0, n, 128, matmul_tiled(c, F a, F x, n, b, e))
}
float k_reduce(const float *x, int n) {
    float s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int b = 0; b < n; b += 1 << 20) s += reduce(F x, b, b + (1 << 20));
    return s;
}
void k_scan(float *out, const float *in, float *tmp, int n) {
    RUN(0, n, SCAN_BLOCK, tmp[b / SCAN_BLOCK] = reduce(F in, b, e))
    float s = 0;
    for (int i = 0; i < n / SCAN_BLOCK; i++) {
        float t = tmp[i];
        tmp[i] = s, s += t;
    }
    RUN(0, n, SCAN_BLOCK, scan(out, F in, tmp[b / SCAN_BLOCK], b, e))
}
static void zero(int *bins) {
    for (int i = 0; i < N_BINS; i++) bins[i] = 0;
}
void k_hist_atomic(int *bins, const int *keys, int n) {
    zero(bins);
    RUN(0, n, 1 << 18, hist_atomic(bins, I keys, b, e))
}
void k_hist_local(int *bins, const int *keys, int n) {
    zero(bins);
    RUN(0, n, 1 << 20, hist_local(bins, I keys, b, e))
}
void k_mandel(int *out, int n, int maxit) { RUN(0, n, 8, mandel(out, n, maxit, b, e)) }
void k_nbody(float *acc, const float *pos, int n) { RUN(0, n, 256, nbody(acc, F pos, n, b, e)) }
void k_blackscholes(float *c, float *p, const float *s, const float *k, const float *t, int n) {
    RUN(0, n, 1 << 16, blackscholes(c, p, F s, F k, F t, b, e))
}
void k_spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n) {
    RUN(0, n, 4096, spmv(y, F val, I col, I row, F x, b, e))
}
void k_transpose(float *out, const float *in, int n) { RUN(0, n, 64, transpose(out, F in, n, b, e)) }
void k_bitonic(float *a, int n) {
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) RUN(0, n / 2, HALF(n / 2), bitonic_step(a, k, j, b, e))
}
