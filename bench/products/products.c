/* products.c -- times the kernels of products.kdsl beside OpenBLAS, in turn, and compares what they compute.
 *
 * A row for each form and size, separated by tabs: form, type, size, 10^9 operations a second of KDSL and of OpenBLAS,
 * the largest difference relative to the largest element. The first row has the most operations that the processor can
 * do. REAL and the cblas functions' letter are given by run.py. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "products.h"

#define JOIN2(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN2(a, b, c)
#define BLAS(name) JOIN(cblas_, LETTER, name)

typedef struct Data {
    const REAL *a, *b;
    REAL *c;
    int n;
} Data;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void ours_ab(Data d) { ab(d.a, d.b, d.c, d.n, d.n, d.n); }
static void ours_atb(Data d) { atb(d.a, d.b, d.c, d.n, d.n, d.n); }
static void ours_abt(Data d) { abt(d.a, d.b, d.c, d.n, d.n, d.n); }
static void ours_atbt(Data d) { atbt(d.a, d.b, d.c, d.n, d.n, d.n); }
static void ours_gemm(Data d) { gemm(d.a, d.b, d.c, d.n, d.n, d.n); }
static void ours_syrk(Data d) { syrk(d.a, d.c, d.n, d.n); }
static void ours_syrkt(Data d) { syrkt(d.a, d.c, d.n, d.n); }
static void ours_symm(Data d) { symm(d.a, d.b, d.c, d.n, d.n); }
static void ours_trmm(Data d) { trmm(d.a, d.b, d.c, d.n, d.n); }
static int64_t batches(int n) { return (int64_t)n * n / (64 * 64); }
static void ours_batched(Data d) { batched(d.a, d.b, d.c, batches(d.n)); }

static void product(Data d, int a, int b, REAL alpha, REAL beta) {
    int n = d.n;
    BLAS(gemm)(CblasRowMajor, a, b, n, n, n, alpha, d.a, n, d.b, n, beta, d.c, n);
}
static void blas_ab(Data d) { product(d, CblasNoTrans, CblasNoTrans, 1, 0); }
static void blas_atb(Data d) { product(d, CblasTrans, CblasNoTrans, 1, 0); }
static void blas_abt(Data d) { product(d, CblasNoTrans, CblasTrans, 1, 0); }
static void blas_atbt(Data d) { product(d, CblasTrans, CblasTrans, 1, 0); }
static void blas_gemm(Data d) { product(d, CblasNoTrans, CblasNoTrans, 0.75, 0.5); }
static void lower(Data d, int trans) {
    BLAS(syrk)(CblasRowMajor, CblasLower, trans, d.n, d.n, 1, d.a, d.n, 0, d.c, d.n);
}
static void blas_syrk(Data d) { lower(d, CblasNoTrans); }
static void blas_syrkt(Data d) { lower(d, CblasTrans); }
static void blas_symm(Data d) {
    BLAS(symm)(CblasRowMajor, CblasLeft, CblasLower, d.n, d.n, 1, d.a, d.n, d.b, d.n, 0, d.c, d.n);
}
static void blas_trmm(Data d) {
    memcpy(d.c, d.b, (size_t)d.n * (size_t)d.n * sizeof(REAL));
    BLAS(trmm)(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, d.n, d.n, 1, d.a, d.n, d.c, d.n);
}
static void blas_batched(Data d) {
#pragma omp parallel for
    for (int64_t p = 0; p < batches(d.n); p++) {
        size_t at = (size_t)p * 64 * 64;
        BLAS(gemm)
        (CblasRowMajor, CblasNoTrans, CblasNoTrans, 64, 64, 64, 1, d.a + at, 64, d.b + at, 64, 0, d.c + at, 64);
    }
}

static const struct Form {
    const char *name;
    void (*ours)(Data), (*blas)(Data);
    double share; /* of n^3 multiplications and additions */
} forms[] = {{"ab", ours_ab, blas_ab, 1},           {"atb", ours_atb, blas_atb, 1},
             {"abt", ours_abt, blas_abt, 1},        {"atbt", ours_atbt, blas_atbt, 1},
             {"gemm", ours_gemm, blas_gemm, 1},     {"syrk", ours_syrk, blas_syrk, .5},
             {"syrkt", ours_syrkt, blas_syrkt, .5}, {"symm", ours_symm, blas_symm, 1},
             {"trmm", ours_trmm, blas_trmm, .5},    {"batched", ours_batched, blas_batched, 0}};

/* Independent chains of fused multiplications and additions in registers. */
typedef REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
enum { LANES = VECTOR_BYTES / sizeof(REAL), CHAINS = 12 };

static double peak(void) {
    double best = 0;
    for (int round = 0; round < 20; round++) {
        double begun = now(), sum = 0;
        enum { STEPS = 1000000 };
#pragma omp parallel reduction(+ : sum)
        {
            Vector c[CHAINS];
            for (int k = 0; k < CHAINS; k++) c[k] = (Vector){0} + (REAL)k;
            Vector a = (Vector){0} + (REAL)0.5, b = (Vector){0} + (REAL)0.25;
            for (int i = 0; i < STEPS; i++)
#pragma GCC unroll 12
                for (int k = 0; k < CHAINS; k++) {
                    c[k] = c[k] * a + b;
                    __asm__("" : "+v"(c[k]));
                }
            for (int k = 0; k < CHAINS; k++) sum += (double)c[k][0];
        }
        double rate = 2.0 * STEPS * CHAINS * LANES * omp_get_max_threads() / (now() - begun);
        if (sum != 0 && rate > best) best = rate;
    }
    return best * 1e-9;
}

static REAL *matrix(int n, unsigned seed) {
    size_t all = (size_t)n * (size_t)n;
    REAL *at = aligned_alloc(64, all * sizeof(REAL));
    if (!at) abort();
    for (size_t i = 0; i < all; i++)
        at[i] = (REAL)((double)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24)) - (REAL)0.5;
    return at;
}

static void compare(const struct Form *f, int n, double seconds) {
    size_t all = (size_t)n * (size_t)n;
    REAL *a = matrix(n, 1), *b = matrix(n, 2), *c[2] = {matrix(n, 3), matrix(n, 3)};
    double least[2] = {1e9, 1e9}, difference = 0, largest = 1e-300;
    f->ours((Data){a, b, c[0], n});
    f->blas((Data){a, b, c[1], n});
    for (size_t i = 0; i < all; i++) {
        double x = (double)c[0][i], y = (double)c[1][i];
        if (!(fabs(x - y) <= difference)) difference = fabs(x - y);
        largest = fmax(largest, fabs(y));
    }
    double begun = now();
    for (int round = 0; round < 3 || now() - begun < seconds; round++)
        for (int who = 0; who < 2; who++) {
            double t = now();
            (who ? f->blas : f->ours)((Data){a, b, c[who], n});
            least[who] = fmin(least[who], now() - t);
        }
    double operations = f->share ? 2.0 * f->share * n * n * n : 2.0 * 64 * n * n;
    printf("%s\t%s\t%d\t%.2f\t%.2f\t%.1e\n", f->name, TYPE, n, operations / least[0] * 1e-9,
           operations / least[1] * 1e-9, difference / largest);
    fflush(stdout);
    free(a), free(b), free(c[0]), free(c[1]);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    printf("peak\t%s\t0\t%.2f\t0\t0\n", TYPE, peak());
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int i = 3; i < argc; i++)
            if (!argv[2][0] || !strcmp(argv[2], forms[f].name)) compare(&forms[f], atoi(argv[i]), seconds);
    return 0;
}
