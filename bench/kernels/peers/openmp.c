/* The OpenMP peers, one source: host threads by default; -DTARGET offloads to the default device with loops as one
   writes them for a CPU (threads over rows, simd inside); -DTARGET -DGPU_STYLE writes them as for a GPU (flat collapsed
   index spaces, a team a tile, its arrays shared, and a parallel region for each phase). */
#include "bench.h"
#include <math.h>
#define PRAGMA(x) _Pragma(#x)
#ifdef TARGET
#define PFOR(...) PRAGMA(omp target teams distribute parallel for __VA_ARGS__)
#define PSIMD(...) PRAGMA(omp target teams distribute parallel for simd __VA_ARGS__)
#else
#define PFOR(...) PRAGMA(omp parallel for __VA_ARGS__)
#define PSIMD(...) PRAGMA(omp parallel for simd __VA_ARGS__)
#endif
#ifdef GPU_STYLE
#define ROWS(d) PFOR(collapse(d))
#define INNER
#define INNER_SUM(...)
#else
#define ROWS(d) PFOR()
#define INNER PRAGMA(omp simd)
#define INNER_SUM(...) PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#endif

#ifdef TARGET
#include <omp.h>
void peer_in(void *p, size_t n_bytes) {
    char *c = p;
    if (omp_target_is_present(p, omp_get_default_device())) {
#pragma omp target update to(c[:n_bytes])
    } else {
#pragma omp target enter data map(to : c[:n_bytes])
    }
}
void peer_out(void *p, size_t n_bytes) {
    char *c = p;
#pragma omp target update from(c[:n_bytes])
}
#endif

void k_saxpy(float *restrict y, const float *restrict x, float a, int n) {
    PSIMD()
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void k_triad(float *restrict a, const float *restrict b, const float *restrict c, float s, int n) {
    PSIMD()
    for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

void k_jacobi(float *restrict dst, const float *restrict src, int n) {
    ROWS(2)
    for (int i = 1; i < n - 1; i++)
        INNER for (int j = 1; j < n - 1; j++) dst[i * n + j] =
            0.25f * (src[(i - 1) * n + j] + src[(i + 1) * n + j] + src[i * n + j - 1] + src[i * n + j + 1]);
}

void k_stencil(float *restrict q, const float *restrict p, int n) {
    int nn = n * n;
#ifdef GPU_STYLE
    PFOR(collapse(3))
#else
    PFOR(collapse(2))
#endif
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) INNER for (int k = 1; k < n - 1; k++) {
                int o = (i * n + j) * n + k;
                q[o] = 0.4f * p[o] + 0.1f * (p[o - nn] + p[o + nn] + p[o - n] + p[o + n] + p[o - 1] + p[o + 1]);
            }
}

void k_matmul(float *restrict c, const float *restrict a, const float *restrict b, int n) {
    ROWS(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}

#ifdef GPU_STYLE
enum { T = 16 };
void k_matmul_tiled(float *restrict c, const float *restrict a, const float *restrict b, int n) {
#pragma omp target teams distribute collapse(2)
    for (int bi = 0; bi < n; bi += T)
        for (int bj = 0; bj < n; bj += T) {
            float at[T][T], bt[T][T], s[T][T];
#pragma omp parallel for collapse(2)
            for (int y = 0; y < T; y++)
                for (int x = 0; x < T; x++) s[y][x] = 0;
            for (int bk = 0; bk < n; bk += T) {
#pragma omp parallel for collapse(2)
                for (int y = 0; y < T; y++)
                    for (int x = 0; x < T; x++) {
                        at[y][x] = a[(bi + y) * n + bk + x];
                        bt[y][x] = b[(bk + y) * n + bj + x];
                    }
#pragma omp parallel for collapse(2)
                for (int y = 0; y < T; y++)
                    for (int x = 0; x < T; x++)
                        for (int k = 0; k < T; k++) s[y][x] += at[y][k] * bt[k][x];
            }
#pragma omp parallel for collapse(2)
            for (int y = 0; y < T; y++)
                for (int x = 0; x < T; x++) c[(bi + y) * n + bj + x] = s[y][x];
        }
}
#else
enum { BI = 32, BJ = 64, BK = 64 };
void k_matmul_tiled(float *restrict c, const float *restrict a, const float *restrict b, int n) {
    PFOR(collapse(2))
    for (int bi = 0; bi < n; bi += BI)
        for (int bj = 0; bj < n; bj += BJ) {
            float s[BI][BJ] = {{0}};
            for (int bk = 0; bk < n; bk += BK)
                for (int i = 0; i < BI; i++)
                    for (int k = 0; k < BK; k++)
                        INNER for (int j = 0; j < BJ; j++) s[i][j] +=
                            a[(bi + i) * n + bk + k] * b[(bk + k) * n + bj + j];
            for (int i = 0; i < BI; i++) INNER for (int j = 0; j < BJ; j++) c[(bi + i) * n + bj + j] = s[i][j];
        }
}
#endif

float k_reduce(const float *x, int n) {
    float s = 0;
    PSIMD(reduction(+ : s))
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}

void k_scan(float *restrict out, const float *restrict in, float *restrict tmp, int n) {
    int nb = n / SCAN_BLOCK;
    PFOR()
    for (int b = 0; b < nb; b++) {
        float s = 0;
        INNER_SUM(s)
        for (int i = 0; i < SCAN_BLOCK; i++) s += in[b * SCAN_BLOCK + i];
        tmp[b] = s;
    }
    PFOR()
    for (int b = 0; b < nb; b++) {
        float s = 0;
        for (int i = 0; i < b; i++) // at most nb adds: cheaper than a third launch
            s += tmp[i];
        for (int i = b * SCAN_BLOCK; i < (b + 1) * SCAN_BLOCK; i++) out[i] = s += in[i];
    }
}

void k_hist_atomic(int *bins, const int *keys, int n) {
    PFOR()
    for (int i = 0; i < N_BINS; i++) bins[i] = 0;
    PFOR()
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        bins[keys[i]]++;
    }
}

void k_hist_local(int *bins, const int *keys, int n) {
    PFOR()
    for (int i = 0; i < N_BINS; i++) bins[i] = 0;
    PFOR(reduction(+ : bins[:N_BINS]))
    for (int i = 0; i < n; i++) bins[keys[i]]++;
}

void k_mandel(int *out, int n, int maxit) {
#ifdef GPU_STYLE
    PFOR(collapse(2))
#else
    PFOR(schedule(dynamic, 8))
#endif
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float cr = -2.0f + 3.0f * j / n, ci = -1.5f + 3.0f * i / n, zr = 0, zi = 0;
            int k = 0;
            for (; k < maxit && zr * zr + zi * zi <= 4; k++) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci, zr = t;
            }
            out[i * n + j] = k;
        }
}

void k_nbody(float *restrict acc, const float *restrict pos, int n) {
    PFOR()
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0, x = pos[i], y = pos[n + i], z = pos[2 * n + i];
        INNER_SUM(ax, ay, az)
        for (int j = 0; j < n; j++) {
            float dx = pos[j] - x, dy = pos[n + j] - y, dz = pos[2 * n + j] - z;
            float inv = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 1e-2f), f = pos[3 * n + j] * inv * inv * inv;
            ax += f * dx, ay += f * dy, az += f * dz;
        }
        acc[i] = ax, acc[n + i] = ay, acc[2 * n + i] = az;
    }
}

void k_blackscholes(float *restrict c, float *restrict p, const float *restrict s, const float *restrict k,
                    const float *restrict t, int n) {
    PSIMD()
    for (int i = 0; i < n; i++) {
        float sq = sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (0.02f + 0.5f * 0.09f) * t[i]) / (0.3f * sq),
              d2 = d1 - 0.3f * sq;
        float e = k[i] * expf(-0.02f * t[i]);
        float n1 = 0.5f + 0.5f * erff(d1 * 0.70710678f), n2 = 0.5f + 0.5f * erff(d2 * 0.70710678f);
        c[i] = s[i] * n1 - e * n2, p[i] = e * (1 - n2) - s[i] * (1 - n1);
    }
}

void k_spmv(float *restrict y, const float *restrict val, const int *restrict col, const int *restrict row,
            const float *restrict x, int n) {
    PFOR()
    for (int i = 0; i < n; i++) {
        float s = 0;
        INNER_SUM(s)
        for (int j = row[i]; j < row[i + 1]; j++) s += val[j] * x[col[j]];
        y[i] = s;
    }
}

#ifdef GPU_STYLE
void k_transpose(float *restrict out, const float *restrict in, int n) {
#pragma omp target teams distribute collapse(2)
    for (int bi = 0; bi < n; bi += T)
        for (int bj = 0; bj < n; bj += T) {
            float t[T][T + 1];
#pragma omp parallel for collapse(2)
            for (int y = 0; y < T; y++)
                for (int x = 0; x < T; x++) t[y][x] = in[(bi + y) * n + bj + x];
#pragma omp parallel for collapse(2)
            for (int y = 0; y < T; y++)
                for (int x = 0; x < T; x++) out[(bj + y) * n + bi + x] = t[x][y];
        }
}
#else
enum { T = 32 };
void k_transpose(float *restrict out, const float *restrict in, int n) {
    PFOR(collapse(2))
    for (int bi = 0; bi < n; bi += T)
        for (int bj = 0; bj < n; bj += T)
            for (int i = bi; i < bi + T; i++) INNER for (int j = bj; j < bj + T; j++) out[i * n + j] = in[j * n + i];
}
#endif

void k_bitonic(float *a, int n) {
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            PFOR()
            for (int t = 0; t < n / 2; t++) {
                int i = 2 * t - (t & (j - 1));
                float x = a[i], y = a[i + j];
                if ((x > y) == !(i & k)) a[i] = y, a[i + j] = x;
            }
        }
}
