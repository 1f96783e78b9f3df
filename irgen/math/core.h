/* core.h -- common code of the mathematical functions of devices: polynomial evaluation, range reduction, bit
 * operations.
 *
 * f32.c and f64.c are compiled to LLVM bitcode, which is embedded in the compiler; a kernel that uses a function links
 * and inlines it (lang/math.c). The functions are written to be vectorised: straight-line code of multiply-adds and
 * selects, without tables, loops or branches, except for the rare call of libm for huge angles. A float is not
 * converted to an integer, since the result is undefined for NaN and large numbers: adding ROUNDING rounds to an
 * integer, which is then in the lowest bits of the float.
 *
 * Every fma must have a single rounding; targets without the instruction call libm instead. The polynomials are minimax
 * approximations (Sollya's fpminimax and remez), highest power first; the comment after each is its relative error
 * without rounding. accuracy.def has the error of each function, which tests/unit/test_math_f32.c and test_math_f64.c
 * check. */
#ifndef KDSL_IRGEN_MATH_CORE_H
#define KDSL_IRGEN_MATH_CORE_H

#include <stdint.h>

/* Compiled a second time for the fast mode: without what is needed only for subnormal numbers, for results in the upper
 * half of the last binade, for arguments where a function is not defined, and for huge angles. Only quotients and
 * square roots get LLVM's flags there (lang/math.c): the sums rely on their order. */
#ifdef KDSL_FAST
#define SYMBOL "kdsl.math.fast."
enum { FAST = 1 };
#else
#define SYMBOL "kdsl.math."
enum { FAST = 0 };
#endif

/* The symbol that lang/math.c looks up in the bitcode; a built-in function without a symbol is a call of libm. */
#define FUNCTION_F32(name, ...)                                                                                        \
    float name##_f32(__VA_ARGS__) __asm__(SYMBOL #name ".f32");                                                        \
    float name##_f32(__VA_ARGS__)
#define FUNCTION_F64(name, ...)                                                                                        \
    double name##_f64(__VA_ARGS__) __asm__(SYMBOL #name ".f64");                                                       \
    double name##_f64(__VA_ARGS__)

#define INLINE static inline __attribute__((always_inline))
#define SELDOM(condition) __builtin_expect(condition, 0)
#define INFINITE __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")

typedef union Word32 {
    float x;
    uint32_t bits;
} Word32;
typedef union Word64 {
    double x;
    uint64_t bits;
} Word64;

INLINE uint32_t bits32(float x) { return (Word32){.x = x}.bits; }
INLINE float float32(uint32_t bits) { return (Word32){.bits = bits}.x; }
INLINE uint64_t bits64(double x) { return (Word64){.x = x}.bits; }
INLINE double float64(uint64_t bits) { return (Word64){.bits = bits}.x; }

INLINE float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float abs32(float x) { return __builtin_fabsf(x); }
INLINE double abs64(double x) { return __builtin_fabs(x); }
/* copysign for x >= 0, with one operation less. */
INLINE float with_sign32(float x, float sign) { return float32(bits32(x) | (bits32(sign) & 0x80000000)); }

/* A select of two computed values; `?:` with expressions as operands would become a branch. */
INLINE float choose32(_Bool which, float yes, float no) { return which ? yes : no; }
INLINE double choose64(_Bool which, double yes, double no) { return which ? yes : no; }

/* Clamps x to lo..hi; NaN stays NaN. */
INLINE float clamp32(float x, float lo, float hi) {
    x = lo > x ? lo : x;
    return hi < x ? hi : x;
}

INLINE double clamp64(double x, double lo, double hi) {
    x = lo > x ? lo : x;
    return hi < x ? hi : x;
}

/* Second-order Horner: two chains in x^2, for the even and the odd powers. Kernels compute several vectors at a time,
 * so the number of operations and of live values matters more than latency; but halving the dependence chain is worth
 * the multiplication for x^2. */
INLINE float polynomial32(float x, const float *c, int n) {
    float square = x * x, a = c[0], b = c[1];
    int i = 2;
    for (; i + 1 < n; i += 2) {
        a = fma32(a, square, c[i]);
        b = fma32(b, square, c[i + 1]);
    }
    return i < n ? fma32(b, x, fma32(a, square, c[i])) : fma32(a, x, b);
}

INLINE double polynomial64(double x, const double *c, int n) {
    double square = x * x, a = c[0], b = c[1];
    int i = 2;
    for (; i + 1 < n; i += 2) {
        a = fma64(a, square, c[i]);
        b = fma64(b, square, c[i + 1]);
    }
    return i < n ? fma64(b, x, fma64(a, square, c[i])) : fma64(a, x, b);
}

/* Estrin's scheme: combines adjacent terms, then adjacent pairs. For alternating series that decrease slowly: there the
 * sums of the even and of the odd terms are much larger than their difference, so second-order Horner would cancel
 * digits. */
enum { MAX_PAIRED = 24 };

INLINE float paired32(float x, const float *c, int n) {
    float y[MAX_PAIRED];
    for (int i = 0; i < n; i++) y[i] = c[n - 1 - i];
    for (; n > 1; n = (n + 1) / 2, x *= x) {
        for (int i = 0; i < n / 2; i++) y[i] = fma32(y[2 * i + 1], x, y[2 * i]);
        if (n & 1) y[n / 2] = y[n - 1];
    }
    return y[0];
}

INLINE double paired64(double x, const double *c, int n) {
    double y[MAX_PAIRED];
    for (int i = 0; i < n; i++) y[i] = c[n - 1 - i];
    for (; n > 1; n = (n + 1) / 2, x *= x) {
        for (int i = 0; i < n / 2; i++) y[i] = fma64(y[2 * i + 1], x, y[2 * i]);
        if (n & 1) y[n / 2] = y[n - 1];
    }
    return y[0];
}

#define POLYNOMIAL32(x, ...) polynomial32(x, (const float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}) / 4)
#define POLYNOMIAL64(x, ...) polynomial64(x, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / 8)
#define PAIRED32(x, ...) paired32(x, (const float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}) / 4)
#define PAIRED64(x, ...) paired64(x, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / 8)

/* x + ROUNDING rounds x to an integer, in the lowest bits of the sum; subtracting ROUNDING gives the integer as a
 * float. */
#define ROUNDING32 0x1.8p23f
#define ROUNDING64 0x1.8p52

/* 2^n for the argument n + ROUNDING. */
INLINE float power_of_two32(float n_rounded) { return float32((bits32(n_rounded) << 23) + bits32(1.0f)); }
INLINE double power_of_two64(double n_rounded) { return float64((bits64(n_rounded) << 52) + bits64(1.0)); }

/* x * 2^n for the argument n + ROUNDING, for |n| up to twice the largest exponent. Two multiplications, because 2^n may
 * overflow or underflow. Shifting the argument's bits right by one halves n in the lowest bits, rounded down; the shift
 * of the factor into the exponent drops the other bits. */
INLINE float scale32(float x, float n_rounded) {
    uint32_t n = bits32(n_rounded), half = n >> 1;
    return x * float32((half << 23) + bits32(1.0f)) * float32(((n - half) << 23) + bits32(1.0f));
}

INLINE double scale64(double x, double n_rounded) {
    uint64_t n = bits64(n_rounded), half = n >> 1;
    return x * float64((half << 52) + bits64(1.0)) * float64(((n - half) << 52) + bits64(1.0));
}

/* The same. In the fast mode for n from -127 (-1023), for which the result is 0, to 128 (1024), for which it is
 * infinite. */
INLINE float scale_soon32(float x, float n_rounded) {
    return FAST ? x * power_of_two32(n_rounded) : scale32(x, n_rounded);
}

INLINE double scale_soon64(double x, double n_rounded) {
    return FAST ? x * power_of_two64(n_rounded) : scale64(x, n_rounded);
}

/* x = 2^exponent * (1 + f) with f from sqrt(1/2) - 1 to sqrt(2) - 1, for normal x > 0. */
typedef struct Parts32 {
    float exponent, f;
} Parts32;
typedef struct Parts64 {
    double exponent, f;
} Parts64;

/* Adds `more` to the exponent. */
INLINE Parts32 take_apart32(float x, float more) {
    const uint32_t root = 0x3f3504f3; /* sqrt(1/2) */
    uint32_t exponent = (bits32(x) - root) & 0xff800000;
    Parts32 p = {fma32((float)(int32_t)exponent, 0x1p-23f, more), float32(bits32(x) - exponent) - 1.0f};
    return p;
}

/* Not every target has a vector conversion of 64-bit integers, so the exponent is inserted into the mantissa of
 * 2^52. */
INLINE Parts64 take_apart64(double x) {
    const uint64_t root = 0x3fe6a09e667f3bcd;
    uint64_t b = bits64(x) + (bits64(1.0) - root);
    Parts64 p = {float64((b >> 52) | bits64(0x1p52)) - (0x1p52 + 1023), float64((b & 0x000fffffffffffff) + root) - 1.0};
    return p;
}

#endif
