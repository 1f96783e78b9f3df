/* core.h -- what the mathematical functions of devices are made of.
 *
 * f32.c and f64.c are compiled to LLVM bitcode, which is kept in the compiler: a kernel that uses a function gets it
 * as IR and inlines it (lang/math.c). They are written to be widened: one straight line of multiply-adds and choices
 * between values, no table, no loop, no branch but the rare one to libm for huge angles. No integer is made from a
 * float by a conversion either, since that is undefined for NaN and for numbers too large: rounding adds ROUNDING,
 * after which the lowest bits of the float are the integer.
 *
 * Every fma is meant exactly, as one rounding; a target without the instruction keeps calling libm. The polynomials
 * are minimax approximations (Sollya's fpminimax and remez), the highest power first; the error beside each is
 * relative, without rounding. What the functions reach is in accuracy.def, which tests/unit/test_math.c holds them to.
 */
#ifndef KDSL_IRGEN_MATH_CORE_H
#define KDSL_IRGEN_MATH_CORE_H

#include <stdint.h>

/* The names are the table of contents of the bitcode: a built-in function that has none here is called in libm. */
#define FUNCTION_F32(name, ...)                                                                                        \
    float name##_f32(__VA_ARGS__) __asm__("kdsl.math." #name ".f32");                                                  \
    float name##_f32(__VA_ARGS__)
#define FUNCTION_F64(name, ...)                                                                                        \
    double name##_f64(__VA_ARGS__) __asm__("kdsl.math." #name ".f64");                                                 \
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
/* Of x >= 0: one operation less than copysign. */
INLINE float with_sign32(float x, float sign) { return float32(bits32(x) | (bits32(sign) & 0x80000000)); }

/* Both are there, one is chosen: `?:` would become a branch round whatever makes the other. */
INLINE float choose32(_Bool which, float yes, float no) { return which ? yes : no; }
INLINE double choose64(_Bool which, double yes, double no) { return which ? yes : no; }

/* Into lo up to hi; a NaN stays one. */
INLINE float clamp32(float x, float lo, float hi) {
    x = lo > x ? lo : x;
    return hi < x ? hi : x;
}

INLINE double clamp64(double x, double lo, double hi) {
    x = lo > x ? lo : x;
    return hi < x ? hi : x;
}

/* Horner's scheme twice, in x^2: for the even powers and for the odd ones. Kernels compute several vectors at a time,
 * so what counts most is how few operations there are, and how few values wait for others; but a chain half as long is
 * worth a square. */
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

/* Estrin's scheme: pairs of neighbours, then pairs of pairs. For terms that alternate in sign and hardly decrease: the
 * even ones alone, and the odd ones, would be far larger than what they leave of each other. */
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

/* x + ROUNDING is rounded to an integer, which then is the lowest bits; minus ROUNDING it is a float again. */
#define ROUNDING32 0x1.8p23f
#define ROUNDING64 0x1.8p52

/* 2^n, where n + ROUNDING is given. */
INLINE float power_of_two32(float n_rounded) { return float32((bits32(n_rounded) << 23) + bits32(1.0f)); }
INLINE double power_of_two64(double n_rounded) { return float64((bits64(n_rounded) << 52) + bits64(1.0)); }

/* x * 2^n, where n + ROUNDING is given, for n up to twice the exponents there are. In two steps: 2^n alone may be too
 * large, or too small. Half of what is given has half of n in its lowest bits, rounded down; what else is in it is too
 * far up to matter. */
INLINE float scale32(float x, float n_rounded) {
    uint32_t n = bits32(n_rounded), half = n >> 1;
    return x * float32((half << 23) + bits32(1.0f)) * float32(((n - half) << 23) + bits32(1.0f));
}

INLINE double scale64(double x, double n_rounded) {
    uint64_t n = bits64(n_rounded), half = n >> 1;
    return x * float64((half << 52) + bits64(1.0)) * float64(((n - half) << 52) + bits64(1.0));
}

/* x = 2^exponent * (1 + f), from sqrt(1/2) - 1 to sqrt(2) - 1, for x > 0 with all its digits. */
typedef struct Parts32 {
    float exponent, f;
} Parts32;
typedef struct Parts64 {
    double exponent, f;
} Parts64;

INLINE Parts32 take_apart32(float x) {
    const uint32_t root = 0x3f3504f3; /* sqrt(1/2) */
    uint32_t b = bits32(x) + (bits32(1.0f) - root);
    Parts32 p = {(float)((int32_t)(b >> 23) - 127), float32((b & 0x007fffff) + root) - 1.0f};
    return p;
}

/* There is no vector conversion of 64-bit integers everywhere: the exponent goes into the digits of 2^52. */
INLINE Parts64 take_apart64(double x) {
    const uint64_t root = 0x3fe6a09e667f3bcd;
    uint64_t b = bits64(x) + (bits64(1.0) - root);
    Parts64 p = {float64((b >> 52) | bits64(0x1p52)) - (0x1p52 + 1023), float64((b & 0x000fffffffffffff) + root) - 1.0};
    return p;
}

#endif
