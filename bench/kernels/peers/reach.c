/* What hand-written AVX-512 reaches for the kernels where every peer is weak: the room that a compiler has, not a peer.
   The kernels that are not here have peers at the machine's limit. */
#include "bench.h"
#include <immintrin.h>
#include <omp.h>
#include <stdint.h>
typedef __m512 V;
#define LD(p) _mm512_loadu_ps(p)
#define ST(p, v) _mm512_storeu_ps(p, v)
#define NT(p, v) _mm512_stream_ps(p, v)

void k_triad(float *a, const float *b, const float *c, float s, int n) {
    V k = _mm512_set1_ps(s);
#pragma omp parallel for
    for (int i = 0; i < n; i += 64)
        for (int j = i; j < i + 64; j += 16) NT(a + j, _mm512_fmadd_ps(k, LD(c + j), LD(b + j)));
}

void k_jacobi(float *d, const float *s, int n) { // aligned vectors; a row's two border lanes keep their value
    V q = _mm512_set1_ps(0.25f);
#pragma omp parallel for schedule(static)
    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < n; j += 16) {
            __mmask16 m = j == 0 ? 0xfffe : j == n - 16 ? 0x7fff : 0xffff;
            const float *p = s + i * n + j;
            V v = _mm512_add_ps(_mm512_add_ps(LD(p - n), LD(p + n)), _mm512_add_ps(LD(p - 1), LD(p + 1)));
            _mm512_mask_storeu_ps(d + i * n + j, m, _mm512_mul_ps(q, v));
        }
}

// Aligned vectors, non-temporal stores (the first and last lane of a row are kept from d), 64 rows of j a block so that
// three planes of a block stay in L2.
void k_stencil(float *d, const float *s, int n) {
    long nn = (long)n * n;
    V a = _mm512_set1_ps(0.4f), b = _mm512_set1_ps(0.1f);
#pragma omp parallel for collapse(2) schedule(static)
    for (int jb = 0; jb < n; jb += 64)
        for (int i = 1; i < n - 1; i++)
            for (int j = jb ? jb : 1; j < jb + 64 && j < n - 1; j++)
                for (int k = 0; k < n; k += 16) {
                    long o = i * nn + (long)j * n + k;
                    const float *p = s + o;
                    _mm_prefetch(p + nn + 4 * n, _MM_HINT_T0); // short rows break the hardware's own prefetching
                    V v = _mm512_add_ps(
                        _mm512_add_ps(LD(p - nn), LD(p + nn)),
                        _mm512_add_ps(_mm512_add_ps(LD(p - n), LD(p + n)), _mm512_add_ps(LD(p - 1), LD(p + 1))));
                    v = _mm512_fmadd_ps(b, v, _mm512_mul_ps(a, LD(p)));
                    if (k == 0)
                        v = _mm512_mask_blend_ps(1, v,
                                                 LD(p)); // the border never changes, so source and target agree on it
                    if (k == n - 16) v = _mm512_mask_blend_ps(0x8000, v, LD(p));
                    NT(d + o, v);
                }
}

static inline V scan16(V v) { // inclusive prefix sum of the lanes
    V z = _mm512_setzero_ps();
#define UP(v, k) _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(v), _mm512_castps_si512(z), 16 - k))
    v = _mm512_add_ps(v, UP(v, 1));
    v = _mm512_add_ps(v, UP(v, 2));
    v = _mm512_add_ps(v, UP(v, 4));
    return _mm512_add_ps(v, UP(v, 8));
}
void k_scan(float *out, const float *in, float *tmp, int n) { // one pass over memory: threads take turns by rounds
    (void)tmp;
    enum { BLK = 65536 };
    int th = omp_get_max_threads();
    float sums[2][64], base = 0;
#pragma omp parallel firstprivate(base)
    {
        int t = omp_get_thread_num(), flip = 0;
        for (int r = 0; r < n; r += BLK * th, flip ^= 1) {
            const float *p = in + r + t * BLK;
            float *q = out + r + t * BLK;
            V s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
            for (int i = 0; i < BLK; i += 64) {
                s0 = _mm512_add_ps(s0, LD(p + i)), s1 = _mm512_add_ps(s1, LD(p + i + 16));
                s2 = _mm512_add_ps(s2, LD(p + i + 32)), s3 = _mm512_add_ps(s3, LD(p + i + 48));
            }
            sums[flip][t] = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
#pragma omp barrier
            float b = base;
            for (int i = 0; i < th; i++) base += sums[flip][i], b += i < t ? sums[flip][i] : 0;
            V c = _mm512_set1_ps(b), last = _mm512_castsi512_ps(_mm512_set1_epi32(15));
            for (int i = 0; i < BLK; i += 16) {
                V v = _mm512_add_ps(scan16(LD(p + i)), c);
                NT(q + i, v);
                c = _mm512_permutexvar_ps(_mm512_castps_si512(last), v);
            }
        }
    }
}

void k_mandel(int *out, int n, int maxit) { // 4 vectors at a time: the loop is latency-bound with fewer
    V two = _mm512_set1_ps(2), four = _mm512_set1_ps(4), lane;
    float l[16];
    for (int i = 0; i < 16; i++) l[i] = i;
    lane = LD(l);
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j += 64) {
            V ci = _mm512_set1_ps(-1.5f + 3.0f * i / n), cr[4], x[4], y[4];
            __m512i k[4], one = _mm512_set1_epi32(1);
            for (int u = 0; u < 4; u++) {
                V c = _mm512_add_ps(lane, _mm512_set1_ps(j + 16 * u));
                cr[u] = _mm512_add_ps(_mm512_set1_ps(-2),
                                      _mm512_div_ps(_mm512_mul_ps(_mm512_set1_ps(3), c), _mm512_set1_ps(n)));
                x[u] = y[u] = _mm512_setzero_ps(), k[u] = _mm512_setzero_si512();
            }
            for (int it = 0; it < maxit; it++) {
                __mmask16 any = 0;
#pragma GCC unroll 4
                for (int u = 0; u < 4; u++) {
                    V xx = _mm512_mul_ps(x[u], x[u]), yy = _mm512_mul_ps(y[u], y[u]);
                    __mmask16 m = _mm512_cmp_ps_mask(_mm512_add_ps(xx, yy), four, _CMP_LE_OQ);
                    k[u] = _mm512_mask_add_epi32(k[u], m, k[u], one), any |= m;
                    V xy = _mm512_mul_ps(two, x[u]);
                    x[u] = _mm512_add_ps(_mm512_sub_ps(xx, yy), cr[u]), y[u] = _mm512_fmadd_ps(xy, y[u], ci);
                }
                if (!any) break;
            }
            for (int u = 0; u < 4; u++) _mm512_storeu_si512(out + i * n + j + 16 * u, k[u]);
        }
}

static inline void tr16(float *q, const float *p, long n) { // 16x16 by 4 rounds of shuffles, non-temporal stores
    __m512i r[16], t[16];
    for (int i = 0; i < 16; i++) r[i] = _mm512_castps_si512(LD(p + i * n));
    for (int i = 0; i < 16; i += 2)
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]), t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]), r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]), r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88), t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88),
              t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88), r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    }
    for (int i = 0; i < 16; i++) NT(q + i * n, _mm512_castsi512_ps(r[i]));
}
void k_transpose(float *out, const float *in, int n) {
#pragma omp parallel for
    for (int jb = 0; jb < n; jb += 64)
        for (int i = 0; i < n; i += 16)
            for (int j = jb; j < jb + 64; j += 16) tr16(out + (long)i * n + j, in + (long)j * n + i, n);
}

// Compare-exchange of vectors for strides of 16 and more, of lanes below; blocks of B elements finish in L2.
static inline void steps(float *a, int lo, int hi, int k, int j0) {
    static const int idx[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int j = j0; j >= 16; j /= 2)
        for (int i = lo; i < hi; i += 2 * j)
            for (int x = i; x < i + j; x += 16) {
                V p = LD(a + x), q = LD(a + x + j), mn = _mm512_min_ps(p, q), mx = _mm512_max_ps(p, q);
                int up = !(x & k);
                ST(a + x, up ? mn : mx), ST(a + x + j, up ? mx : mn);
            }
    __m512i id = _mm512_loadu_si512(idx);
    for (int i = lo; i < hi; i += 16) {
        V v = LD(a + i);
        for (int j = j0 < 8 ? j0 : 8; j > 0; j /= 2) {
            __m512i pi = _mm512_xor_si512(id, _mm512_set1_epi32(j));
            V w = _mm512_permutexvar_ps(pi, v);
            __mmask16 low = _mm512_testn_epi32_mask(id, _mm512_set1_epi32(j));
            __mmask16 up = _mm512_testn_epi32_mask(_mm512_add_epi32(id, _mm512_set1_epi32(i)), _mm512_set1_epi32(k));
            v = _mm512_mask_blend_ps(low ^ up, _mm512_min_ps(v, w), _mm512_max_ps(v, w));
        }
        ST(a + i, v);
    }
}
void k_bitonic(float *a, int n) {
    enum { B = 1 << 16, S = 1 << 12 };
#pragma omp parallel for
    for (int b = 0; b < n; b += B) {
        for (int c = b; c < b + B; c += S)
            for (int k = 2; k <= S; k *= 2) steps(a, c, c + S, k, k / 2);
        for (int k = 2 * S; k <= B; k *= 2) steps(a, b, b + B, k, k / 2);
    }
    for (int k = 2 * B; k <= n; k *= 2) {
        for (int j = k / 2; j >= B; j /= 2)
#pragma omp parallel for
            for (int t = 0; t < n / 2; t += 16) {
                int x = 2 * t - (t & (j - 1)), up = !(x & k);
                V p = LD(a + x), q = LD(a + x + j), mn = _mm512_min_ps(p, q), mx = _mm512_max_ps(p, q);
                ST(a + x, up ? mn : mx), ST(a + x + j, up ? mx : mn);
            }
#pragma omp parallel for
        for (int b = 0; b < n; b += B) steps(a, b, b + B, k, B / 2);
    }
}

// The naive kernel's own arithmetic, 8 rows by 3 vectors of work-items at a time: what coarsening alone gives.
static inline __attribute__((always_inline)) void mm(float *c, const float *a, const float *b, int n, int i, int j,
                                                     int w) {
    V s[8][3];
    for (int r = 0; r < 8; r++)
        for (int u = 0; u < w; u++) s[r][u] = _mm512_setzero_ps();
    for (int k = 0; k < n; k++)
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++)
            for (int u = 0; u < w; u++)
                s[r][u] = _mm512_fmadd_ps(_mm512_set1_ps(a[(i + r) * n + k]), LD(b + k * n + j + 16 * u), s[r][u]);
    for (int r = 0; r < 8; r++)
        for (int u = 0; u < w; u++) ST(c + (i + r) * n + j + 16 * u, s[r][u]);
}
void k_matmul(float *c, const float *a, const float *b, int n) {
#pragma omp parallel for
    for (int ib = 0; ib < n; ib += 128)
        for (int j = 0; j < n; j += 48)
            for (int i = ib; i < ib + 128; i += 8)
                if (n - j >= 48) mm(c, a, b, n, i, j, 3);
                else mm(c, a, b, n, i, j, 1);
}

// The OpenCL kernel as written, a 16x16 group with two local tiles: lanes along x, the 16 rows of the group in
// registers across the barriers.
void k_matmul_tiled(float *c, const float *a, const float *b, int n) {
    enum { T = 16 };
#pragma omp parallel for
    for (int bi = 0; bi < n; bi += T)
        for (int bj = 0; bj < n; bj += T) {
            float at[T][T];
            V bt[T], s[T];
#pragma GCC unroll 16
            for (int y = 0; y < T; y++) s[y] = _mm512_setzero_ps();
            for (int k0 = 0; k0 < n; k0 += T) {
                for (int y = 0; y < T; y++) ST(at[y], LD(a + (bi + y) * n + k0)), bt[y] = LD(b + (k0 + y) * n + bj);
                for (int k = 0; k < T; k++)
#pragma GCC unroll 16
                    for (int y = 0; y < T; y++) s[y] = _mm512_fmadd_ps(_mm512_set1_ps(at[y][k]), bt[k], s[y]);
            }
#pragma GCC unroll 16
            for (int y = 0; y < T; y++) ST(c + (bi + y) * n + bj, s[y]);
        }
}

void k_nbody(float *acc, const float *p, int n) { // 14-bit rsqrt and one Newton step, 2 vectors of bodies at a time
    V eps = _mm512_set1_ps(1e-2f), h = _mm512_set1_ps(-0.5f), th = _mm512_set1_ps(1.5f);
#pragma omp parallel for
    for (int i = 0; i < n; i += 32) {
        V ax[2], ay[2], az[2], x[2], y[2], z[2];
        for (int u = 0; u < 2; u++) {
            ax[u] = ay[u] = az[u] = _mm512_setzero_ps();
            x[u] = LD(p + i + 16 * u), y[u] = LD(p + n + i + 16 * u), z[u] = LD(p + 2 * n + i + 16 * u);
        }
        for (int j = 0; j < n; j++) {
            V bx = _mm512_set1_ps(p[j]), by = _mm512_set1_ps(p[n + j]), bz = _mm512_set1_ps(p[2 * n + j]);
            V m = _mm512_set1_ps(p[3 * n + j]);
            for (int u = 0; u < 2; u++) {
                V dx = _mm512_sub_ps(bx, x[u]), dy = _mm512_sub_ps(by, y[u]), dz = _mm512_sub_ps(bz, z[u]);
                V d = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, eps)));
                V r = _mm512_rsqrt14_ps(d), r2 = _mm512_mul_ps(r, r);
                r = _mm512_mul_ps(r, _mm512_fmadd_ps(_mm512_mul_ps(d, r2), h, th));
                V f = _mm512_mul_ps(_mm512_mul_ps(m, r), _mm512_mul_ps(r, r));
                ax[u] = _mm512_fmadd_ps(f, dx, ax[u]), ay[u] = _mm512_fmadd_ps(f, dy, ay[u]),
                az[u] = _mm512_fmadd_ps(f, dz, az[u]);
            }
        }
        for (int u = 0; u < 2; u++)
            ST(acc + i + 16 * u, ax[u]), ST(acc + n + i + 16 * u, ay[u]), ST(acc + 2 * n + i + 16 * u, az[u]);
    }
}
