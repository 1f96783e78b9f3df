/* f64.c -- mathematical functions of f64, by range reduction and minimax polynomials, in double-double arithmetic where
 * f64 is not accurate enough. asinh, acosh, atanh, tgamma and lgamma are calls of libm. */
#include "irgen/math/core.h"

/* A double-double number: high + low, with |low| at most half a unit in the last place of `high`. */
typedef struct Pair {
    double high, low;
} Pair;

/* a + b without error, for |a| >= |b| (Dekker's fast two-sum). */
INLINE Pair sum(double a, double b) {
    double high = a + b;
    Pair p = {high, a - high + b};
    return p;
}

INLINE Pair quotient(Pair a, Pair b) {
    double inverse = 1.0 / b.high, high = a.high * inverse;
    Pair p = {high, (fma64(-high, b.high, a.high) + fma64(-high, b.low, a.low)) * inverse};
    return p;
}

/* a * b, without the product of the low parts. */
INLINE Pair product(Pair a, Pair b) {
    double high = a.high * b.high;
    Pair p = {high, fma64(a.high, b.high, -high) + fma64(a.high, b.low, a.low * b.high)};
    return p;
}

/* Exponentials ----------------------------------------------------------------------------------------------------- */

/* exp(x) = 2^n (1 + p) with |p| < 0.42. */
typedef struct Exp64 {
    double n_rounded, p;
} Exp64;

/* Decomposes exp(x + low). */
INLINE Exp64 exp_parts(double x, double low) {
    double n_rounded = fma64(x, 0x1.71547652b82fep0, ROUNDING64), n = n_rounded - ROUNDING64;
    double most = fma64(n, -0x1.62e42fefa39efp-1, x),
           rest = fma64(n, -0x1.abc9e3b39803fp-56, low); /* n ln 2 in two parts (Cody-Waite) */
    double r = most + rest, lost = most - r + rest;
    double q = POLYNOMIAL64(r, 0x1.ad904c20a5b2fp-26, 0x1.28ae252d6f41dp-22, 0x1.71df1af29698ep-19,
                            0x1.a01999392aab7p-16, 0x1.a01a012edf54ap-13, 0x1.6c16c18482215p-10, 0x1.1111111126ecbp-7,
                            0x1.555555555069cp-5, 0x1.55555555554fdp-3, 0x1.000000000000ap-1); /* 2^-57 */
    Exp64 e = {n_rounded, r + fma64(r * r, q, lost)};
    return e;
}

INLINE double exp_of(double x, double low, double less) {
    Exp64 e = exp_parts(x, low);
    return scale_soon64(1.0 + e.p, e.n_rounded - less);
}

/* exp(x) / 2 for x >= 0, also if exp(x) overflows. */
INLINE double half_exp(double x) { return exp_of(clamp64(x, 0.0, FAST ? 710.7 : 712.0), 0.0, 1.0); }

FUNCTION_F64(exp, double x) { return exp_of(clamp64(x, FAST ? -709.0 : -746.0, 710.0), 0.0, 0.0); }

/* 2^(x + low) for |x| <= 1100. */
INLINE double exp2_of(double x, double low) {
    double n_rounded = x + ROUNDING64, r = x - (n_rounded - ROUNDING64) + low;
    double q = POLYNOMIAL64(r, 0x1.e0cff5c662b55p-36, 0x1.ec5b126dffc83p-32, 0x1.e4bb951347d87p-28,
                            0x1.b5233f845998dp-24, 0x1.62c0272b1860ep-20, 0x1.ffcbfd43b66f4p-17, 0x1.430912f755a6ep-13,
                            0x1.5d87fe787533dp-10, 0x1.3b2ab6fba51a1p-7, 0x1.c6b08d704a1d1p-5, 0x1.ebfbdff82c58ep-3,
                            0x1.62e42fefa39efp-1); /* 2^-54 */
    return scale_soon64(fma64(r, q, 1.0), n_rounded);
}

/* In the fast mode scale64 needs limits of its own. */
#define LEAST_POWER (FAST ? -1023.0 : -1100.0)
#define MOST_POWER (FAST ? 1024.0 : 1100.0)

FUNCTION_F64(exp2, double x) { return exp2_of(clamp64(x, LEAST_POWER, MOST_POWER), 0.0); }

/* Below -40 the result is -1. At the other end 2^1024 overflows, but half of it does not. */
FUNCTION_F64(expm1, double x) {
    Exp64 e = exp_parts(clamp64(x, -40.0, 710.0), 0.0);
    double half = power_of_two64(e.n_rounded - 1.0);
    return __builtin_copysign(2.0 * fma64(half, e.p, half - 0.5), x);
}

FUNCTION_F64(sinh, double x) {
    double a = abs64(x), s = x * x, half = half_exp(a);
    double p =
        POLYNOMIAL64(s, 0x1.b52ebddfa9c53p-41, 0x1.6118df717749ap-33, 0x1.ae646b4d5f193p-26, 0x1.71de3a40565e2p-19,
                     0x1.a01a01a0318d8p-13, 0x1.111111111104p-7, 0x1.5555555555556p-3); /* up to 1: 2^-61 */
    return choose64(a < 1.0, fma64(x * s, p, x), __builtin_copysign(half - 0.25 / half, x));
}

FUNCTION_F64(cosh, double x) {
    double half = half_exp(abs64(x));
    return half + 0.25 / half;
}

FUNCTION_F64(tanh, double x) {
    double a = abs64(x), s = x * x;
    double p = POLYNOMIAL64(s, 0x1.960f9fd563601p-18, -0x1.facbac34c7b78p-16, 0x1.801d2380c121dp-14,
                            -0x1.f113c984ac9e1p-13, 0x1.350b936866277p-11, -0x1.7d9c348f08764p-10, 0x1.d6d35a58217ccp-9,
                            -0x1.226e32d073edap-7, 0x1.664f4870ca5eep-6, -0x1.ba1ba1b9d1b7fp-5, 0x1.1111111110c54p-3,
                            -0x1.5555555555552p-2); /* up to 0.625: 2^-61 */
    Exp64 e = exp_parts(clamp64(2.0 * a, 0.0, 44.0), 0.0);
    double far = 1.0 - 2.0 / (1.0 + (1.0 + e.p) * power_of_two64(e.n_rounded));
    return __builtin_copysign(choose64(a < 0.625, fma64(a * s, p, a), far), x);
}

/* Logarithms ------------------------------------------------------------------------------------------------------- */

INLINE Parts64 log_parts(double x) {
    if (FAST) return take_apart64(x);
    _Bool small = x < 0x1p-1022;
    Parts64 p = take_apart64(choose64(small, x * 0x1p54, x));
    p.exponent -= choose64(small, 54.0, 0.0);
    return p;
}

/* log(1 + f) - f, by the series of atanh in s = f / (2 + f). */
INLINE double log_rest(double f) {
    double s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    double p = z * POLYNOMIAL64(z, 0x1.1023b86d5d38dp-3, 0x1.0f4a1544c3517p-3, 0x1.3b215933c2fc5p-3,
                                0x1.745cdb7521fa2p-3, 0x1.c71c725c5ee56p-3, 0x1.249249242ee1bp-2, 0x1.9999999999d59p-2,
                                0x1.5555555555555p-1); /* 2^-54 */
    return s * (half_square + p) - half_square;
}

/* y, the logarithm of x; handles zero, negative numbers, infinity and NaN. */
INLINE double log_of(double x, double y) {
    if (FAST) return choose64(x < 0x1p-1022, -INFINITE, choose64(x < INFINITE, y, x));
    double none = choose64(x == 0.0, -INFINITE, NOT_A_NUMBER);
    return choose64(x < INFINITE, choose64(x > 0.0, y, none), x);
}

FUNCTION_F64(log, double x) {
    Parts64 p = log_parts(x);
    double rest = fma64(p.exponent, 0x1.abc9e3b39803fp-56, log_rest(p.f));
    return log_of(x, fma64(p.exponent, 0x1.62e42fefa39efp-1, p.f + rest));
}

/* Multiplies the logarithm in two parts by 1 / ln(base) in two parts, and adds `whole`. */
INLINE double log_to_base(Parts64 p, double whole, double inverse, double inverse_low) {
    Pair l = sum(p.f, log_rest(p.f));
    return fma64(l.high, inverse, fma64(l.high, inverse_low, fma64(l.low, inverse, whole)));
}

FUNCTION_F64(log2, double x) {
    Parts64 p = log_parts(x);
    return log_of(x, log_to_base(p, p.exponent, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
}

FUNCTION_F64(log10, double x) {
    Parts64 p = log_parts(x);
    double low = log_to_base(p, p.exponent * -0x1.9dc1da994fd21p-59, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
    return log_of(x, fma64(p.exponent, 0x1.34413509f79ffp-2, low));
}

/* u = 1 + x is rounded; the error `lost` is corrected by log(u + lost) = log(u) + lost / u. */
FUNCTION_F64(log1p, double x) {
    double u = 1.0 + x, lost = choose64(x < 1.0, x - (u - 1.0), 1.0 - (u - x));
    Parts64 p = take_apart64(u);
    double rest = fma64(p.exponent, 0x1.abc9e3b39803fp-56, log_rest(p.f) + lost / u);
    double y = fma64(p.exponent, 0x1.62e42fefa39efp-1, p.f + rest);
    double none = choose64(x == -1.0, -INFINITE, NOT_A_NUMBER);
    y = choose64(x == 0.0, x, y);
    return choose64(x < INFINITE, choose64(x > -1.0, y, none), x);
}

/* Powers and roots ------------------------------------------------------------------------------------------------- */

/* log2(x) for x > 0 with a relative error of 2^-63, so that the sum with an exponent of 1000 is still accurate to the
 * last bit. */
INLINE Pair log2_pair(double x) {
    static const Pair third = {0x1.5555555555555p-1, 0x1.5555555555555p-55}; /* 2/3 */
    static const Pair log2_e = {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
    Parts64 p = log_parts(x);
    Pair divisor = sum(2.0, p.f);
    double inverse = 1.0 / divisor.high, s_high = p.f * inverse;
    Pair s = {s_high, (fma64(-s_high, divisor.high, p.f) - s_high * divisor.low) * inverse};
    Pair z = product(s, s);
    double q =
        POLYNOMIAL64(z.high, 0x1.da9000072fdbp-4, 0x1.e01b9e2a1bb45p-4, 0x1.11154601f4b17p-3, 0x1.3b13aa0342a94p-3,
                     0x1.745d173c57417p-3, 0x1.c71c71c74d1cp-3, 0x1.24924924922fcp-2, 0x1.999999999999ap-2); /* 2^-54 */
    Pair cube = product(s, product(z, sum(third.high, fma64(z.high, q, third.low))));
    Pair l = sum(2.0 * s.high, cube.high);
    l.low += fma64(s.low, 2.0, cube.low);
    l = product(l, log2_e);
    Pair y = sum(p.exponent, l.high);
    y.low += l.low;
    return y;
}

FUNCTION_F64(pow, double x, double y) {
    double a = abs64(x);
    Pair l = log2_pair(a);
    double high = choose64(a == 0.0, -INFINITE, choose64(a < INFINITE, l.high, a)), e = y * high;
    double low = choose64(abs64(e) < 1100.0, fma64(y, l.high, -e) + y * l.low, 0.0);
    if (FAST) e = choose64(y == 0.0, 0.0, e);
    double power = choose64(!FAST && a == 1.0, 1.0, exp2_of(clamp64(e, LEAST_POWER, MOST_POWER), low));
    _Bool whole = __builtin_trunc(y) == y, odd = whole & (__builtin_trunc(y * 0.5) != y * 0.5);
    power = choose64(odd, __builtin_copysign(power, x), power);
    if (FAST) return power;
    power = choose64((x < 0.0) & !whole, choose64(a < INFINITE, NOT_A_NUMBER, power), power);
    power = choose64(__builtin_isunordered(x, y), x + y, power);
    return choose64((y == 0.0) | (x == 1.0), 1.0, power);
}

/* 2^(log2(a) / 3), improved by one Newton iteration. */
FUNCTION_F64(cbrt, double x) {
    double a = abs64(x);
    _Bool small = a < 0x1p-1022;
    a = choose64(small, a * 0x1p54, a);
    Parts64 p = log_parts(a);
    double third = 0x1.5555555555555p-2, whole = p.exponent * third + ROUNDING64 - ROUNDING64;
    double y =
        exp2_of(whole + third * fma64(whole, -3.0, fma64(p.f + log_rest(p.f), 0x1.71547652b82fep0, p.exponent)), 0.0);
    double square = y * y, low = fma64(y, y, -square);
    y -= fma64(low, y, fma64(square, y, -a)) / (3.0 * square);
    y *= choose64(small, 0x1p-18, 1.0);
    return choose64(a < INFINITE, choose64(x == 0.0, x, __builtin_copysign(y, x)), x);
}

/* Infinite if one argument is, even if the other is NaN (C, annex F). Very large and very small arguments are scaled,
 * so that their squares neither overflow nor underflow. */
FUNCTION_F64(hypot, double x, double y) {
    double a = abs64(x), b = abs64(y);
    double large = choose64(a > b, a, b), small = choose64(a > b, b, a);
    _Bool huge = large > 0x1p500, tiny = large < 0x1p-400;
    double scale = choose64(huge, 0x1p-600, choose64(tiny, 0x1p600, 1.0));
    double back = choose64(huge, 0x1p600, choose64(tiny, 0x1p-600, 1.0));
    large *= scale;
    small *= scale;
    double h = back * __builtin_sqrt(fma64(large, large, small * small));
    return choose64((a == INFINITE) | (b == INFINITE), INFINITE, h);
}

/* Angles ----------------------------------------------------------------------------------------------------------- */

/* Up to this angle the reduction below is accurate enough; larger angles need more digits of pi, which libm has. */
#define ANGLE64 0x1p28
#define HALF_PI64 0x1.921fb54442d18p0
#define HALF_PI64_LOW 0x1.1a62633145c07p-54

double libm_sin64(double) __asm__("sin") __attribute__((const, nothrow));
double libm_cos64(double) __asm__("cos") __attribute__((const, nothrow));
double libm_tan64(double) __asm__("tan") __attribute__((const, nothrow));

/* An angle >= 0 as a number of quarter turns, in the lowest bits of `quarters`, and a remainder of at most pi/4. */
typedef struct Angle64 {
    uint64_t quarters;
    Pair rest;
} Angle64;

INLINE Angle64 quarter_turns(double a) {
    double n_rounded = fma64(a, 0x1.45f306dc9c883p-1, ROUNDING64), n = n_rounded - ROUNDING64;
    double first = fma64(n, -HALF_PI64, a), second = n * HALF_PI64_LOW, r = first - second; /* first is exact */
    if (FAST) {
        Pair rest = {fma64(n, 0x1.f1976b7ed8fbcp-110, fma64(n, -HALF_PI64_LOW, first)), 0.0};
        return (Angle64){bits64(n_rounded), rest};
    }
    double lost = first - r - second - fma64(n, HALF_PI64_LOW, -second);
    Angle64 angle = {bits64(n_rounded), {r, fma64(n, 0x1.f1976b7ed8fbcp-110, lost)}};
    return angle;
}

INLINE Pair sine(Pair x, double s) {
    double p = POLYNOMIAL64(s, 0x1.5d8d6e1091e0bp-33, -0x1.ae5e52092adc7p-26, 0x1.71de355c5f14p-19,
                            -0x1.a01a019befb93p-13, 0x1.111111110f751p-7, -0x1.5555555555548p-3); /* 2^-57 */
    return sum(x.high, fma64(x.high * s, p, fma64(-0.5 * s, x.low, x.low)));
}

INLINE Pair cosine(Pair x, double s) {
    double q = POLYNOMIAL64(s, -0x1.8fa5c16594864p-37, 0x1.1ee9da88f425p-29, -0x1.27e4f7f00878p-22,
                            0x1.a01a019c8d949p-16, -0x1.6c16c16c1500cp-10, 0x1.555555555554bp-5); /* 2^-63 */
    Pair most = sum(1.0, -0.5 * s);
    return sum(most.high, most.low + fma64(s * s, q, -x.high * x.low));
}

/* The sine of x plus `turns` quarter turns. */
INLINE double sin_of(Pair x, uint64_t turns) {
    double s = x.high * x.high;
    return float64(bits64(choose64(turns & 1, cosine(x, s).high, sine(x, s).high)) ^ (turns >> 1 << 63));
}

FUNCTION_F64(sin, double x) {
    double a = abs64(x);
    if (!FAST && SELDOM(a > ANGLE64)) return libm_sin64(x);
    Angle64 angle = quarter_turns(a);
    return float64(bits64(sin_of(angle.rest, angle.quarters)) ^ (bits64(x) & 0x8000000000000000));
}

FUNCTION_F64(cos, double x) {
    double a = abs64(x);
    if (!FAST && SELDOM(a > ANGLE64)) return libm_cos64(x);
    Angle64 angle = quarter_turns(a);
    return sin_of(angle.rest, angle.quarters + 1);
}

FUNCTION_F64(tan, double x) {
    double a = abs64(x);
    if (!FAST && SELDOM(a > ANGLE64)) return libm_tan64(x);
    Angle64 angle = quarter_turns(a);
    double square = angle.rest.high * angle.rest.high;
    Pair s = sine(angle.rest, square), c = cosine(angle.rest, square);
    if (FAST) {
        double t = choose64(angle.quarters & 1, -c.high, s.high) / choose64(angle.quarters & 1, s.high, c.high);
        return float64(bits64(t) ^ (bits64(x) & 0x8000000000000000));
    }
    _Bool odd = angle.quarters & 1;
    Pair over = {choose64(odd, -c.high, s.high), choose64(odd, -c.low, s.low)};
    Pair under = {choose64(odd, s.high, c.high), choose64(odd, s.low, c.low)};
    Pair y = quotient(over, under);
    return float64(bits64(y.high + y.low) ^ (bits64(x) & 0x8000000000000000));
}

/* atan(z) for |z| <= 1. */
INLINE double atan_small(double z) {
    double s = z * z;
    double p =
        PAIRED64(s, -0x1.53e5c94348b72p-16, 0x1.d3bb11406b765p-13, -0x1.312a3f0dfb77ep-10, 0x1.f96cc734222ebp-9,
                     -0x1.2cf76bf20e848p-7, 0x1.162c3d97e979ep-6, -0x1.a726a91b49509p-6, 0x1.1715db019349p-5,
                     -0x1.4f4521ca52068p-5, 0x1.7ee3f62d7830bp-5, -0x1.ad32ba4e0c7bbp-5, 0x1.e1781735b887ep-5,
                     -0x1.11089d02de0dfp-4, 0x1.3b12b2e8e2d48p-4, -0x1.745d02310537cp-4, 0x1.c71c709e19f6ap-4,
                     -0x1.2492491fa2135p-3, 0x1.999999998411p-3, -0x1.555555555544cp-2); /* 2^-54 */
    return fma64(z * s, p, z);
}

FUNCTION_F64(atan, double x) {
    double a = abs64(x), t = atan_small(choose64(a > 1.0, -1.0 / a, a));
    return __builtin_copysign(choose64(a > 1.0, HALF_PI64 + (t + HALF_PI64_LOW), t), x);
}

FUNCTION_F64(atan2, double y, double x) {
    double a = abs64(x), b = abs64(y);
    double large = choose64(a > b, a, b), small = choose64(a > b, b, a);
    double ratio =
        choose64(large == 0.0, 0.0, choose64(small == large, 1.0, small / large)); /* also if both are infinite */
    double t = atan_small(ratio);
    t = choose64(b > a, HALF_PI64 - (t - HALF_PI64_LOW), t);
    t = choose64(bits64(x) >> 63, 2 * HALF_PI64 - (t - 2 * HALF_PI64_LOW), t);
    return choose64(!FAST && __builtin_isunordered(x, y), x + y, __builtin_copysign(t, y));
}

/* For |x| > 0.6, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)); then y is the arcsine on the right side, else
 * asin(|x|). */
typedef struct Asin64 {
    _Bool far;
    double y;
} Asin64;

INLINE Asin64 asin_parts(double x) {
    double a = abs64(x);
    _Bool far = a > 0.6;
    double z = choose64(far, fma64(a, -0.5, 0.5), a * a), s = choose64(far, __builtin_sqrt(z), a);
    double p = POLYNOMIAL64(z, 0x1.6d5dfd9fc39c2p-4, -0x1.271a6882f9b5fp-3, 0x1.1995fc2fbdc0dp-3, -0x1.029bf910cbdf7p-4,
                            0x1.14d3d25060d4cp-5, 0x1.b9651098b05b7p-9, 0x1.9ff160db5571fp-7, 0x1.c4dc56e051ea4p-7,
                            0x1.1c84847083c3dp-6, 0x1.6e88673c42f34p-6, 0x1.f1c73c8e74b69p-6, 0x1.6db6db0f66a79p-5,
                            0x1.33333333bef48p-4, 0x1.55555555550cep-3); /* 2^-54 */
    Asin64 parts = {far, fma64(s * z, p, s)};
    return parts;
}

FUNCTION_F64(asin, double x) {
    Asin64 p = asin_parts(x);
    return __builtin_copysign(choose64(p.far, HALF_PI64 + fma64(p.y, -2.0, HALF_PI64_LOW), p.y), x);
}

FUNCTION_F64(acos, double x) {
    Asin64 p = asin_parts(x);
    double near = HALF_PI64 - (__builtin_copysign(p.y, x) - HALF_PI64_LOW);
    double far = choose64(x < 0.0, 2 * HALF_PI64 + fma64(p.y, -2.0, 2 * HALF_PI64_LOW), 2.0 * p.y);
    return choose64(p.far, far, near);
}

/* The error function ----------------------------------------------------------------------------------------------- */

/* erfc(x) = exp(-x^2) g(t) / (1 + 2x) for x >= 0.5, with t = (x - 4) / (x + 4), from -1 to 0.75. Beyond 27.3 the result
 * is 0. */
INLINE double erfc_of(double a) {
    a = choose64(27.4 < a, 27.4, a);
    double t = (a - 4.0) / (a + 4.0);
    double u =
        POLYNOMIAL64(t, -0x1.eb8648f86e6dcp-30, -0x1.d3ae73157cfc8p-27, -0x1.0d197faa990a9p-27, 0x1.ee3cd6c1360e4p-24,
                     0x1.0dc8b2cce9d2ep-24, -0x1.c01f25f60a12cp-21, 0x1.4398e4cf10a9cp-22, 0x1.7fb167c754f4ap-18,
                     -0x1.78a50e9aa46cap-17, -0x1.9969e2c3828bfp-16, 0x1.3be0bd81de1efp-13, -0x1.a1de85eaa73eap-13,
                     -0x1.8d4a9ea728a39p-11, 0x1.49c6719838379p-8, -0x1.09623881f41bcp-6, 0x1.3079edf9d73b2p-5,
                     -0x1.0fb06dfe50d8dp-4, 0x1.7fee004df808p-4, -0x1.9ddb23c3e8fbcp-4, 0x1.16ecefcfa5f88p-4,
                     0x1.f7f5df66fd7d9p-7, -0x1.1df1ad154a29bp-3); /* 2^-54 */
    Pair g = sum(0x1.3ba5916e9fd7fp0, t * u), y = quotient(g, sum(2.0 * a, 1.0));
    double square = a * a;
    Exp64 e = exp_parts(-square, -fma64(a, a, -square));
    return scale64(y.high + fma64(y.high, e.p, y.low), e.n_rounded);
}

/* erf(x) for |x| up to 0.93. */
INLINE double erf_near(double x) {
    double s = x * x;
    double p = POLYNOMIAL64(s, 0x1.4154d16cfdadep-34, -0x1.4d307011a0316p-30, 0x1.fe003389e0256p-27,
                            -0x1.5fade0997abefp-23, 0x1.b9ef7657fad83p-20, -0x1.f4d323b1b5befp-17,
                            0x1.f9a332a0d1d35p-14, -0x1.c02db473f64e2p-11, 0x1.565bcd115c35cp-8, -0x1.b82ce312a0e38p-6,
                            0x1.ce2f21a04331bp-4, -0x1.812746b0379f8p-2, 0x1.06eba8214db69p-3); /* 2^-56 */
    return fma64(p, x, x);
}

FUNCTION_F64(erf, double x) {
    double a = abs64(x);
    return __builtin_copysign(choose64(a < 0.92, erf_near(a), 1.0 - erfc_of(a)), x);
}

FUNCTION_F64(erfc, double x) {
    double y = erfc_of(abs64(x));
    y = choose64(x < 0.0, 2.0 - y, y);
    return choose64(abs64(x) < 0.6, 1.0 - erf_near(x), y);
}
