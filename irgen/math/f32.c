/* f32.c -- mathematical functions of f32, by range reduction and minimax polynomials. The most frequent ones compute in
 * f32; the others, in the second half, compute in f64, whose 29 additional bits make the plain formula accurate enough,
 * without intermediate overflow or underflow. tgamma and lgamma are calls of libm. */
#include "irgen/math/core.h"

/* Exponentials ----------------------------------------------------------------------------------------------------- */

/* exp(x) = 2^n (1 + p) with |p| < 0.42. */
typedef struct Exp32 {
    float n_rounded, p;
} Exp32;

INLINE Exp32 exp_parts(float x) {
    float n_rounded = fma32(x, 0x1.715476p0f, ROUNDING32), n = n_rounded - ROUNDING32;
    float r = fma32(n, 0x1.05c61p-29f, fma32(n, -0x1.62e43p-1f, x)); /* ln 2 in two parts (Cody-Waite) */
    float q = POLYNOMIAL32(r, 0x1.6a6316p-10f, 0x1.123c5ep-7f, 0x1.5558ap-5f, 0x1.55548ep-3f,
                           0x1.fffffcp-2f); /* 2^-29 */
    Exp32 e = {n_rounded, fma32(r * r, q, r)};
    return e;
}

/* exp(x) / 2 for x >= 0, also if exp(x) overflows. */
INLINE float half_exp(float x) {
    Exp32 e = exp_parts(clamp32(x, 0.0f, FAST ? 89.5f : 90.0f));
    return scale_soon32(1.0f + e.p, e.n_rounded - 1.0f);
}

FUNCTION_F32(exp, float x) {
    Exp32 e = exp_parts(clamp32(x, FAST ? -88.0f : -104.0f, 89.0f));
    return scale_soon32(1.0f + e.p, e.n_rounded);
}

FUNCTION_F32(exp2, float x) {
    x = clamp32(x, FAST ? -127.0f : -151.0f, FAST ? 128.0f : 129.0f);
    float n_rounded = x + ROUNDING32, r = x - (n_rounded - ROUNDING32);
    float q = POLYNOMIAL32(r, 0x1.da5f78p-17f, 0x1.441a08p-13f, 0x1.5da986p-10f, 0x1.3b2a52p-7f, 0x1.c6b06cp-5f,
                           0x1.ebfbep-3f, 0x1.62e43p-1f); /* 2^-29 */
    return scale_soon32(fma32(r, q, 1.0f), n_rounded);
}

/* Below -18 the result is -1. At the other end 2^128 overflows, but half of it does not. */
FUNCTION_F32(expm1, float x) {
    Exp32 e = exp_parts(clamp32(x, -18.0f, 89.0f));
    float half = power_of_two32(e.n_rounded - 1.0f);
    return __builtin_copysignf(2.0f * fma32(half, e.p, half - 0.5f), x);
}

FUNCTION_F32(sinh, float x) {
    float a = abs32(x), s = x * x, half = half_exp(a);
    float p = POLYNOMIAL32(s, 0x1.76771ep-19f, 0x1.a01c22p-13f, 0x1.1110eap-7f, 0x1.555556p-3f); /* up to 1: 2^-31 */
    return choose32(a < 1.0f, fma32(x * s, p, x), __builtin_copysignf(half - 0.25f / half, x));
}

FUNCTION_F32(cosh, float x) {
    float half = half_exp(abs32(x));
    return half + 0.25f / half;
}

FUNCTION_F32(tanh, float x) {
    float a = abs32(x), s = x * x;
    float p = POLYNOMIAL32(s, 0x1.1abac8p-9f, -0x1.0c84eep-7f, 0x1.63ac7p-6f, -0x1.b9f218p-5f, 0x1.11107cp-3f,
                           -0x1.555554p-2f); /* up to 0.625: 2^-32 */
    Exp32 e = exp_parts(clamp32(2.0f * a, 0.0f, 20.0f));
    float far = 1.0f - 2.0f / (1.0f + (1.0f + e.p) * power_of_two32(e.n_rounded));
    return __builtin_copysignf(choose32(a < 0.625f, fma32(a * s, p, a), far), x);
}

/* Logarithms ------------------------------------------------------------------------------------------------------- */

INLINE Parts32 log_parts(float x) {
    if (FAST) return take_apart32(x, 0.0f);
    _Bool small = x < 0x1p-126f;
    return take_apart32(choose32(small, x * 0x1p23f, x), choose32(small, -23.0f, 0.0f));
}

/* log(1 + f) - f. */
INLINE float log_rest(float f) {
    float p = POLYNOMIAL32(f, 0x1.2ce14ep-4f, -0x1.de242ep-4f, 0x1.dc977p-4f, -0x1.fbb328p-4f, 0x1.23dc42p-3f,
                           -0x1.5562aep-3f, 0x1.999d36p-3f, -0x1.ffffe6p-3f, 0x1.555554p-2f, -0.5f); /* 2^-27 */
    return f * f * p;
}

/* y, the logarithm of x; handles zero, negative numbers, infinity and NaN. */
INLINE float log_of(float x, float y) {
    if (FAST) return choose32(x < 0x1p-126f, -INFINITE, choose32(x < INFINITE, y, x));
    y = choose32(bits32(x) < bits32(INFINITE), y, fma32(x, INFINITE, INFINITE)); /* below 0: -inf + inf */
    return choose32(x == 0.0f, -INFINITE, y);
}

FUNCTION_F32(log, float x) {
    Parts32 p = log_parts(x);
    float rest = fma32(p.exponent, -0x1.05c61p-29f, log_rest(p.f));
    return log_of(x, fma32(p.exponent, 0x1.62e43p-1f, p.f + rest));
}

/* Multiplies the logarithm in two parts by 1 / ln(base) in two parts, and adds `whole`. */
INLINE float log_to_base(Parts32 p, float whole, float inverse, float inverse_low) {
    float rest = log_rest(p.f), l = p.f + rest, low = p.f - l + rest;
    return fma32(l, inverse, fma32(l, inverse_low, fma32(low, inverse, whole)));
}

FUNCTION_F32(log2, float x) {
    Parts32 p = log_parts(x);
    return log_of(x, log_to_base(p, p.exponent, 0x1.715476p0f, 0x1.4ae0cp-26f));
}

FUNCTION_F32(log10, float x) {
    Parts32 p = log_parts(x);
    float low = log_to_base(p, p.exponent * -0x1.ec10cp-27f, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f);
    return log_of(x, fma32(p.exponent, 0x1.344136p-2f, low));
}

/* Angles ----------------------------------------------------------------------------------------------------------- */

/* Up to this angle the reduction below is accurate enough; larger angles need more digits of pi, which libm has. */
#define ANGLE32 0x1p16f

#define HALF_PI32 0x1.921fb6p0f
#define HALF_PI32_LOW -0x1.777a5cp-25f

float libm_sin32(float) __asm__("sinf") __attribute__((const, nothrow));
float libm_cos32(float) __asm__("cosf") __attribute__((const, nothrow));
float libm_tan32(float) __asm__("tanf") __attribute__((const, nothrow));

/* Cody-Waite reduction: x - n * unit as r + low, with the unit in three parts. */
typedef struct Rest32 {
    float r, low;
} Rest32;

INLINE Rest32 less_multiple(float x, float n, float unit, float unit_1, float unit_2) {
    float first = fma32(n, -unit, x), second = n * unit_1, r = first - second; /* first is exact */
    if (FAST) return (Rest32){fma32(n, -unit_2, fma32(n, -unit_1, first)), 0.0f};
    float lost = first - r - second - fma32(n, unit_1, -second);
    Rest32 rest = {r, fma32(n, -unit_2, lost)};
    return rest;
}

/* An angle >= 0 as a number of quarter turns, in the lowest bits of `quarters`, and a remainder of at most pi/4. */
typedef struct Angle32 {
    uint32_t quarters;
    Rest32 rest;
} Angle32;

INLINE Angle32 quarter_turns(float a) {
    float n = fma32(a, 0x1.45f306p-1f, ROUNDING32);
    Angle32 angle = {bits32(n), less_multiple(a, n - ROUNDING32, HALF_PI32, HALF_PI32_LOW, -0x1.ee59dap-50f)};
    return angle;
}

/* The sine of x plus `turns` quarter turns. */
INLINE float sin_of(Rest32 x, uint32_t turns) {
    float s = x.r * x.r;
    float p = POLYNOMIAL32(s, 0x1.76878cp-19f, -0x1.a0439cp-13f, 0x1.11116p-7f, -0x1.555556p-3f); /* 2^-32 */
    float q = POLYNOMIAL32(s, 0x1.999a6cp-16f, -0x1.6c0b08p-10f, 0x1.555548p-5f, -0.5f);          /* 2^-32 */
    float sine = x.r + fma32(x.r * s, p, x.low), cosine = 1.0f + fma32(s, q, -x.r * x.low);
    return float32(bits32(choose32(turns & 1, cosine, sine)) ^ (turns >> 1 << 31));
}

FUNCTION_F32(sin, float x) {
    float a = abs32(x);
    if (!FAST && SELDOM(a > ANGLE32)) return libm_sin32(x);
    Angle32 angle = quarter_turns(a);
    return float32(bits32(sin_of(angle.rest, angle.quarters)) ^ (bits32(x) & 0x80000000));
}

FUNCTION_F32(cos, float x) {
    float a = abs32(x);
    if (!FAST && SELDOM(a > ANGLE32)) return libm_cos32(x);
    Angle32 angle = quarter_turns(a);
    return sin_of(angle.rest, angle.quarters + 1);
}

FUNCTION_F32(tan, float x) {
    float a = abs32(x);
    if (!FAST && SELDOM(a > ANGLE32)) return libm_tan32(x);
    Angle32 angle = quarter_turns(a);
    float r = angle.rest.r, low = angle.rest.low, s = r * r;
    float p = POLYNOMIAL32(s, 0x1.2c24fp-8f, -0x1.4dac72p-12f, 0x1.6d74aep-7f, 0x1.5ab808p-6f, 0x1.bb0b96p-5f,
                           0x1.110c88p-3f, 0x1.555564p-2f); /* 2^-29 */
    float t = r + fma32(r * s, p, fma32(low, s, low));
    float y = choose32(angle.quarters & 1, -1.0f / t, t);
    return float32(bits32(y) ^ (bits32(x) & 0x80000000));
}

/* atan(z) for |z| <= 1. */
INLINE float atan_small(float z) {
    float s = z * z;
    float p = PAIRED32(s, 0x1.7ec1c4p-9f, -0x1.0c23fep-6f, 0x1.61f756p-5f, -0x1.3553f4p-4f, 0x1.b4dfdcp-4f,
                           -0x1.230abp-3f, 0x1.9978eep-3f, -0x1.5554dcp-2f); /* 2^-25 */
    return fma32(z * s, p, z);
}

FUNCTION_F32(atan, float x) {
    float a = abs32(x), t = atan_small(choose32(a > 1.0f, -1.0f / a, a));
    return __builtin_copysignf(choose32(a > 1.0f, HALF_PI32 + (t + HALF_PI32_LOW), t), x);
}

FUNCTION_F32(atan2, float y, float x) {
    float a = abs32(x), b = abs32(y);
    float large = choose32(a > b, a, b), small = choose32(a > b, b, a);
    float ratio =
        choose32(large == 0.0f, 0.0f, choose32(small == large, 1.0f, small / large)); /* also if both are infinite */
    float t = atan_small(ratio);
    t = choose32(b > a, HALF_PI32 - (t - HALF_PI32_LOW), t);
    t = choose32(bits32(x) >> 31, 2 * HALF_PI32 - (t - 2 * HALF_PI32_LOW), t);
    return choose32(!FAST && __builtin_isunordered(x, y), x + y, __builtin_copysignf(t, y));
}

/* For |x| > 0.6, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)); then y is the arcsine on the right side, else
 * asin(|x|). */
typedef struct Asin32 {
    _Bool far;
    float y;
} Asin32;

INLINE Asin32 asin_parts(float x) {
    float a = abs32(x);
    _Bool far = a > 0.6f;
    float z = choose32(far, fma32(a, -0.5f, 0.5f), a * a), s = choose32(far, __builtin_sqrtf(z), a);
    float p = POLYNOMIAL32(z, 0x1.c6b25cp-5f, -0x1.b4b61ep-7f, 0x1.0c8d46p-5f, 0x1.d36a34p-6f, 0x1.6f2062p-5f,
                           0x1.332b56p-4f, 0x1.555564p-3f); /* 2^-30 */
    Asin32 parts = {far, fma32(s * z, p, s)};
    return parts;
}

FUNCTION_F32(asin, float x) {
    Asin32 p = asin_parts(x);
    return __builtin_copysignf(choose32(p.far, HALF_PI32 + fma32(p.y, -2.0f, HALF_PI32_LOW), p.y), x);
}

FUNCTION_F32(acos, float x) {
    Asin32 p = asin_parts(x);
    float near = HALF_PI32 - (__builtin_copysignf(p.y, x) - HALF_PI32_LOW);
    float far = choose32(x < 0.0f, 2 * HALF_PI32 + fma32(p.y, -2.0f, 2 * HALF_PI32_LOW), 2.0f * p.y);
    return choose32(p.far, far, near);
}

/* The error function ----------------------------------------------------------------------------------------------- */

/* erf(x) = 1 - erfc(x), and a polynomial approximates log(erfc). 1 - 2^n (1 + p) is computed as (1 - 2^n) - 2^n p: for
 * small x, n is 0 and there is no cancellation. From 4 on the result is 1. */
FUNCTION_F32(erf, float x) {
    float a = clamp32(abs32(x), 0.0f, 4.0f);
    float p = POLYNOMIAL32(a, 0x1.366366p-17f, -0x1.ed3092p-14f, 0x1.4badfcp-11f, -0x1.b4e558p-10f, 0x1.4f795p-13f,
                           0x1.39ced6p-6f, -0x1.a4fa72p-4f, -0x1.45f2fap-1f, -0x1.06eba8p-3f); /* 2^-27 of erf */
    Exp32 e = exp_parts(fma32(a, p, -a));
    float power = power_of_two32(e.n_rounded);
    return with_sign32(fma32(-power, e.p, 1.0f - power), x);
}

/* In f64: logarithms and powers of two ----------------------------------------------------------------------------- */

/* log(1 + f) by the series of atanh: log((1 + s) / (1 - s)) with s = f / (2 + f). */
INLINE double log_of_part(double f) {
    double s = f / (2.0 + f), z = s * s;
    double p = POLYNOMIAL64(z, 0x1.546f727248a0ap-3, 0x1.73827ec11936ap-3, 0x1.c71fcf194991ap-3, 0x1.24924628275cfp-2,
                            0x1.9999999b88e65p-2, 0x1.55555555553b6p-1, 2.0); /* 2^-49 */
    return s * p;
}

INLINE double log_wide(double x) {
    Parts64 p = take_apart64(x);
    return fma64(p.exponent, 0x1.62e42fefa39efp-1, log_of_part(p.f));
}

INLINE double log2_wide(double x) {
    Parts64 p = take_apart64(x);
    double y = fma64(log_of_part(p.f), 0x1.71547652b82fep0, p.exponent);
    return choose64(x == 0.0, -INFINITE, choose64(x < INFINITE, y, x));
}

/* 2^x; clamped well outside the range of an f32. */
INLINE double exp2_wide(double x) {
    x = clamp64(x, -200.0, 200.0);
    double n_rounded = x + ROUNDING64, r = x - (n_rounded - ROUNDING64);
    double y =
        POLYNOMIAL64(r, 0x1.fde5061fa8569p-17, 0x1.445d31426004dp-13, 0x1.5d8a88958744cp-10, 0x1.3b29f2d60571dp-7,
                     0x1.c6b08abc4a577p-5, 0x1.ebfbe07849d1cp-3, 0x1.62e42ff0e41e7p-1, 1.0); /* 2^-34 */
    return y * power_of_two64(n_rounded);
}

/* Powers and roots ------------------------------------------------------------------------------------------------- */

FUNCTION_F32(pow, float x, float y) {
    float a = abs32(x);
    double e = (double)y * log2_wide(a);
    if (FAST) e = choose64(y == 0.0f, 0.0, e);
    float power = choose32(!FAST && a == 1.0f, 1.0f, (float)exp2_wide(e));
    _Bool whole = __builtin_truncf(y) == y, odd = whole & (__builtin_truncf(y * 0.5f) != y * 0.5f);
    power = choose32(odd, __builtin_copysignf(power, x), power);
    if (FAST) return power;
    power = choose32((x < 0.0f) & !whole, choose32(a < INFINITE, NOT_A_NUMBER, power), power);
    power = choose32(__builtin_isunordered(x, y), x + y, power);
    return choose32((y == 0.0f) | (x == 1.0f), 1.0f, power);
}

FUNCTION_F32(cbrt, float x) {
    float y = (float)exp2_wide(log2_wide(abs32(x)) * 0x1.5555555555555p-2);
    return choose32(x == 0.0f, x, __builtin_copysignf(y, x));
}

/* Infinite if one argument is, even if the other is NaN (C, annex F). */
FUNCTION_F32(hypot, float x, float y) {
    double a = abs32(x), b = abs32(y);
    float h = (float)__builtin_sqrt(fma64(a, a, b * b));
    return choose32(!FAST && ((a == INFINITE) | (b == INFINITE)), INFINITE, h);
}

/* Logarithms near 1 ------------------------------------------------------------------------------------------------ */

FUNCTION_F32(log1p, float x) {
    double a = x, near = fma64(a * a, fma64(a, 0x1.5555555555555p-2, -0.5), a);
    float y = choose32(abs32(x) < 0x1p-12f, (float)near, (float)log_wide(1.0 + a));
    float none = choose32(x == -1.0f, -INFINITE, NOT_A_NUMBER);
    return choose32(x < INFINITE, choose32(x > -1.0f, y, none), x);
}

FUNCTION_F32(asinh, float x) {
    double a = abs32(x), s = a * a;
    double y = choose64(a < 0x1p-10, fma64(a * s, -0x1.5555555555555p-3, a), log_wide(a + __builtin_sqrt(s + 1.0)));
    return __builtin_copysignf((float)choose64(a < INFINITE, y, a), x);
}

FUNCTION_F32(acosh, float x) {
    double a = x, y = log_wide(a + __builtin_sqrt(fma64(a, a, -1.0)));
    return choose32(x < INFINITE, choose32(x >= 1.0f, (float)y, NOT_A_NUMBER), x);
}

FUNCTION_F32(atanh, float x) {
    double a = abs32(x);
    double y = choose64(a < 0x1p-10, fma64(a * a * a, 0x1.5555555555555p-2, a), 0.5 * log_wide((1.0 + a) / (1.0 - a)));
    return __builtin_copysignf(choose32(a < 1.0, (float)y, choose32(a == 1.0, INFINITE, NOT_A_NUMBER)), x);
}

/* erfc ------------------------------------------------------------------------------------------------------------- */

/* erfc(x) = exp(-x^2) g(t) / (1 + 2x) with t = (x - 2) / (x + 2), from -1 to 0.67. Beyond 10.1 the result is 0. */
FUNCTION_F32(erfc, float x) {
    double a = abs32(x);
    a = 10.5 < a ? 10.5 : a;
    double t = (a - 2.0) / (a + 2.0);
    double g = POLYNOMIAL64(t, 0x1.289da78b430a4p-16, 0x1.e767424a3fef6p-14, 0x1.5f1b6a37b9124p-13,
                            -0x1.d29726217b1fap-12, -0x1.77fff00c6847ep-10, 0x1.4d7ceaae4bbc1p-10, 0x1.1da1e00f8a19bp-7,
                            -0x1.0747c8bf8848fp-7, -0x1.bc2a1d1459678p-5, 0x1.4ffa287092998p-3, -0x1.5407c30854ba6p-3,
                            -0x1.7bf5eca09efd9p-4, 0x1.46e80e23869dcp0); /* 2^-32 */
    double y = exp2_wide(a * a * -0x1.71547652b82fep0) * g / fma64(a, 2.0, 1.0);
    return (float)choose64(x < 0.0f, 2.0 - y, y);
}
