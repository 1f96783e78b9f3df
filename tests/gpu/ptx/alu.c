/* alu.c -- arithmetic of PTX: bits in, bits out. */
#include "tests/gpu/ptx/run.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

static uint64_t mask(int bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

static int64_t sign(uint64_t x, int bits) {
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* Floating point: everything is done in double or float and rounded once
 * ----------------------------------------------- */

static float f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

static uint64_t from_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static double f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static uint64_t from_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static double f16(uint64_t bits) {
    uint16_t low = (uint16_t)bits;
    _Float16 x;
    memcpy(&x, &low, 2);
    return (double)x;
}

static uint64_t from_f16(double x) {
    _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

static double bf16(uint64_t bits) { return f32((bits & 0xffff) << 16); }

/* To nearest, ties to even; first to odd in float, so that nothing is rounded twice. */
static uint64_t from_bf16(double x) {
    if (x != x) return 0x7fff;
    float f = (float)x;
    uint32_t bits = (uint32_t)from_f32(f);
    if ((double)f != x) {
        if (fabs((double)f) > fabs(x)) bits--;
        bits |= 1;
    }
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static double to_double(Type t, uint64_t bits) {
    if (t.kind == T_BF) return bf16(bits);
    return t.bits == 64 ? f64(bits) : t.bits == 32 ? f32(bits) : f16(bits);
}

static uint64_t from_double(Type t, double x) {
    if (t.kind == T_BF) return from_bf16(x);
    return t.bits == 64 ? from_f64(x) : t.bits == 32 ? from_f32((float)x) : from_f16(x);
}

static bool is_float(Type t) { return t.kind == T_F || t.kind == T_BF; }

static double minimum(double a, double b) { return a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b; }
static double maximum(double a, double b) { return a != a ? b : b != b ? a : a > b || (a == b && signbit(b)) ? a : b; }

static bool float_op(const Ins *i, const double *s, double *result) {
    const char *op = i->op;
    double a = s[0], b = s[1], c = s[2];
    double r;
    if (!strcmp(op, "add")) r = a + b;
    else if (!strcmp(op, "sub")) r = a - b;
    else if (!strcmp(op, "mul")) r = a * b;
    else if (!strcmp(op, "div")) r = a / b;
    else if (!strcmp(op, "fma") || !strcmp(op, "mad"))
        r = i->type.bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
    else if (!strcmp(op, "neg")) r = -a;
    else if (!strcmp(op, "abs")) r = fabs(a);
    else if (!strcmp(op, "min")) r = minimum(a, b);
    else if (!strcmp(op, "max")) r = maximum(a, b);
    else if (!strcmp(op, "sqrt")) r = sqrt(a);
    else if (!strcmp(op, "rsqrt")) r = 1 / sqrt(a);
    else if (!strcmp(op, "rcp")) r = 1 / a;
    else if (!strcmp(op, "sin")) r = sin(a);
    else if (!strcmp(op, "cos")) r = cos(a);
    else if (!strcmp(op, "ex2")) r = exp2(a);
    else if (!strcmp(op, "lg2")) r = log2(a);
    else if (!strcmp(op, "tanh")) r = tanh(a);
    else if (!strcmp(op, "copysign")) r = copysign(b, a);
    else return false;
    if (i->flags & MOD(sat)) r = r != r || r < 0 ? 0 : r > 1 ? 1 : r;
    *result = r;
    return true;
}

/* Of two halves in a word, each by itself. f32 sums in double are rounded to float once more: that is exact. */
static bool do_float(const Ins *i, const uint64_t *s, uint64_t *result) {
    Type t = i->type;
    *result = 0;
    for (int lane = 0; lane < t.lanes; lane++) {
        double in[3], out;
        for (int k = 0; k < 3; k++) in[k] = to_double(t, s[k] >> (lane * t.bits));
        if (!float_op(i, in, &out)) return false;
        *result |= (from_double(t, out) & mask(t.bits)) << (lane * t.bits);
    }
    return true;
}

/* Integers
 * --------------------------------------------------------------------------------------------------------------- */

static uint64_t high(Type t, uint64_t a, uint64_t b) {
    if (t.kind == T_S) return (uint64_t)(((__int128)sign(a, t.bits) * sign(b, t.bits)) >> t.bits);
    return (uint64_t)(((unsigned __int128)(a & mask(t.bits)) * (b & mask(t.bits))) >> t.bits);
}

static uint64_t product(const Ins *i, uint64_t a, uint64_t b) {
    Type t = i->type;
    if (i->flags & MOD(hi)) return high(t, a, b);
    if (t.kind == T_S) return (uint64_t)sign(a, t.bits) * (uint64_t)sign(b, t.bits);
    return (a & mask(t.bits)) * (b & mask(t.bits));
}

static uint64_t quotient(Type t, uint64_t a, uint64_t b, bool remainder) {
    if (t.kind == T_S) {
        int64_t x = sign(a, t.bits), y = sign(b, t.bits);
        if (y == 0) return UINT64_MAX;
        if (y == -1) return remainder ? 0 : (uint64_t) - (unsigned __int128)x;
        return (uint64_t)(remainder ? x % y : x / y);
    }
    uint64_t x = a & mask(t.bits), y = b & mask(t.bits);
    return y == 0 ? UINT64_MAX : remainder ? x % y : x / y;
}

static uint64_t shift_right(Type t, uint64_t a, uint64_t n) {
    n &= 0xffffffff;
    if (t.kind == T_S) return (uint64_t)(sign(a, t.bits) >> (n > 63 ? 63 : n));
    return n >= t.bits ? 0 : (a & mask(t.bits)) >> n;
}

static bool less(Type t, uint64_t a, uint64_t b) {
    return t.kind == T_S ? sign(a, t.bits) < sign(b, t.bits) : (a & mask(t.bits)) < (b & mask(t.bits));
}

static uint64_t reverse(uint64_t x, int bits) {
    uint64_t r = 0;
    for (int k = 0; k < bits; k++) r |= (x >> k & 1) << (bits - 1 - k);
    return r;
}

static uint64_t extract(Type t, uint64_t a, uint64_t at, uint64_t n) {
    at &= 0xff, n &= 0xff;
    uint64_t x = at >= t.bits ? 0 : (a & mask(t.bits)) >> at;
    if (t.kind != T_S || n == 0) return x & mask((int)n);
    int top = at + n > t.bits ? t.bits - 1 : (int)(at + n - 1);
    bool negative = top < t.bits && (a >> top & 1);
    x &= mask((int)n);
    if (negative && at + n > t.bits) x |= ~mask(t.bits > (int)at ? t.bits - (int)at : 0);
    return negative ? x | ~mask((int)n) : x;
}

static uint64_t permute(uint64_t a, uint64_t b, uint64_t how) {
    uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff), r = 0;
    for (int k = 0; k < 4; k++) {
        unsigned pick = how >> (4 * k) & 15;
        uint64_t byte = both >> (8 * (pick & 7)) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * k);
    }
    return r;
}

static uint64_t funnel(const Ins *i, uint64_t low, uint64_t top, uint64_t n) {
    uint64_t both = (top & 0xffffffff) << 32 | (low & 0xffffffff);
    n = i->flags & MOD(clamp) ? (n > 32 ? 32 : n) : n & 31;
    if (i->flags & MOD(l)) return n == 0 ? top : both << n >> 32;
    return both >> n;
}

static uint64_t logic3(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
    uint64_t r = 0;
    for (int k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

static bool do_integer(const Ins *i, const uint64_t *s, uint64_t *result) {
    const char *op = i->op;
    Type t = i->type;
    uint64_t a = s[0], b = s[1], c = s[2], m = mask(t.bits), r;
    if (!strcmp(op, "add")) r = a + b;
    else if (!strcmp(op, "sub")) r = a - b;
    else if (!strcmp(op, "mul")) r = product(i, a, b);
    else if (!strcmp(op, "mul24"))
        r = product(i, t.kind == T_S ? (uint64_t)sign(a, 24) : a & 0xffffff,
                    t.kind == T_S ? (uint64_t)sign(b, 24) : b & 0xffffff);
    else if (!strcmp(op, "mad")) r = product(i, a, b) + c;
    else if (!strcmp(op, "sad")) r = c + (less(t, a, b) ? b - a : a - b);
    else if (!strcmp(op, "div")) r = quotient(t, a, b, false);
    else if (!strcmp(op, "rem")) r = quotient(t, a, b, true);
    else if (!strcmp(op, "abs")) r = sign(a, t.bits) < 0 ? -a : a;
    else if (!strcmp(op, "neg")) r = -a;
    else if (!strcmp(op, "min")) r = less(t, a, b) ? a : b;
    else if (!strcmp(op, "max")) r = less(t, a, b) ? b : a;
    else if (!strcmp(op, "and")) r = a & b;
    else if (!strcmp(op, "or")) r = a | b;
    else if (!strcmp(op, "xor")) r = a ^ b;
    else if (!strcmp(op, "not")) r = t.kind == T_PRED ? !a : ~a;
    else if (!strcmp(op, "cnot")) r = (a & m) == 0;
    else if (!strcmp(op, "lop3")) r = logic3(a, b, c, s[3]);
    else if (!strcmp(op, "shl")) r = (b & 0xffffffff) >= t.bits ? 0 : a << (b & 63);
    else if (!strcmp(op, "shr")) r = shift_right(t, a, b);
    else if (!strcmp(op, "shf")) r = funnel(i, a, b, c & 0xffffffff);
    else if (!strcmp(op, "bfe")) r = extract(t, a, b, c);
    else if (!strcmp(op, "bfi")) {
        uint64_t at = c & 0xff, n = s[3] & 0xff, field = at >= t.bits ? 0 : mask((int)n) << at;
        r = (b & ~field) | ((at >= 64 ? 0 : a << at) & field);
    } else if (!strcmp(op, "brev")) r = reverse(a, t.bits);
    else if (!strcmp(op, "popc")) r = (uint64_t)__builtin_popcountll(a & m);
    else if (!strcmp(op, "clz")) r = (a & m) ? (uint64_t)(__builtin_clzll(a & m) - (64 - t.bits)) : t.bits;
    else if (!strcmp(op, "bfind")) {
        uint64_t x = t.kind == T_S && sign(a, t.bits) < 0 ? ~a & m : a & m;
        r = x ? (uint64_t)(63 - __builtin_clzll(x)) : UINT32_MAX;
    } else if (!strcmp(op, "prmt")) r = permute(a, b, c);
    else return false;
    if (i->flags & MOD(wide)) m = mask(2 * t.bits);
    *result = r & m;
    return true;
}

/* Comparisons
 * ------------------------------------------------------------------------------------------------------------ */

enum { EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };

static bool compare_floats(int how, double a, double b) {
    bool unordered = a != a || b != b;
    switch (how) {
    case EQ: return a == b;
    case NE: return !unordered && a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQU: return unordered || a == b;
    case NEU: return unordered || a != b;
    case LTU: return unordered || a < b;
    case LEU: return unordered || a <= b;
    case GTU: return unordered || a > b;
    case GEU: return unordered || a >= b;
    case NUM: return !unordered;
    default: return unordered;
    }
}

static bool compare_integers(int how, Type t, uint64_t a, uint64_t b) {
    bool same = (a & mask(t.bits)) == (b & mask(t.bits));
    if (how >= LO && how <= HS) t.kind = T_U;
    switch (how) {
    case EQ: return same;
    case NE: return !same;
    case LT:
    case LO: return less(t, a, b);
    case LE:
    case LS: return same || less(t, a, b);
    case GT:
    case HI: return !same && !less(t, a, b);
    default: return same || !less(t, a, b);
    }
}

/* Conversions
 * ------------------------------------------------------------------------------------------------------------ */

static double round_how(const Ins *i, double x) {
    if (i->flags & MOD(rzi)) return trunc(x);
    if (i->flags & MOD(rmi)) return floor(x);
    if (i->flags & MOD(rpi)) return ceil(x);
    return i->flags & MOD(rni) ? rint(x) : x;
}

static uint64_t to_integer(Type t, double x) { /* out of range: the nearest there is */
    if (x != x) return 0;
    double low = t.kind == T_S ? -ldexp(1, t.bits - 1) : 0, top = ldexp(1, t.kind == T_S ? t.bits - 1 : t.bits);
    if (x <= low) return t.kind == T_S ? UINT64_C(1) << (t.bits - 1) : 0;
    if (x >= top) return t.kind == T_S ? mask(t.bits - 1) : mask(t.bits);
    return t.kind == T_S ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static uint64_t clamp_integer(Type to, Type from, uint64_t a) {
    __int128 x = from.kind == T_S ? (__int128)sign(a, from.bits) : (__int128)(a & mask(from.bits));
    __int128 low = to.kind == T_S ? -((__int128)1 << (to.bits - 1)) : 0;
    __int128 top = ((__int128)1 << (to.kind == T_S ? to.bits - 1 : to.bits)) - 1;
    return (uint64_t)(x < low ? low : x > top ? top : x);
}

static uint64_t integer_to_float(const Ins *i, uint64_t a) {
    Type from = i->from;
    int way = i->flags & MOD(rz)   ? FE_TOWARDZERO
              : i->flags & MOD(rm) ? FE_DOWNWARD
              : i->flags & MOD(rp) ? FE_UPWARD
                                   : FE_TONEAREST;
    int before = fegetround();
    fesetround(way);
    volatile uint64_t r;
    if (i->type.bits == 32 && i->type.kind == T_F) /* in one step */
        r = from_f32(from.kind == T_S ? (float)sign(a, from.bits) : (float)(a & mask(from.bits)));
    else r = from_double(i->type, from.kind == T_S ? (double)sign(a, from.bits) : (double)(a & mask(from.bits)));
    fesetround(before);
    return r;
}

static uint64_t float_to_float(const Ins *i, double x) {
    x = round_how(i, x);
    if (i->flags & MOD(sat)) x = x != x || x < 0 ? 0 : x > 1 ? 1 : x;
    int way = i->flags & MOD(rz)   ? FE_TOWARDZERO
              : i->flags & MOD(rm) ? FE_DOWNWARD
              : i->flags & MOD(rp) ? FE_UPWARD
                                   : FE_TONEAREST;
    int before = fegetround();
    fesetround(way);
    volatile double y = x;
    uint64_t r = from_double(i->type, y);
    fesetround(before);
    return r;
}

/* A register that is wider than the type keeps the sign. */
static uint64_t fill(Type to, uint64_t x) { return to.kind == T_S ? (uint64_t)sign(x, to.bits) : x & mask(to.bits); }

static uint64_t convert(const Ins *i, const uint64_t *s) {
    Type to = i->type, from = i->from;
    if (is_float(to) && to.lanes == 2) /* cvt.rn.f16x2.f32 d, high, low */
        return from_double(to, to_double(from, s[0])) << 16 | (from_double(to, to_double(from, s[1])) & 0xffff);
    if (is_float(to)) return is_float(from) ? float_to_float(i, to_double(from, s[0])) : integer_to_float(i, s[0]);
    if (is_float(from)) return fill(to, to_integer(to, round_how(i, to_double(from, s[0]))));
    if (i->flags & MOD(sat)) return fill(to, clamp_integer(to, from, s[0]));
    return fill(to, from.kind == T_S ? (uint64_t)sign(s[0], from.bits) : s[0] & mask(from.bits));
}

bool ptx_alu(const Ins *i, const uint64_t *s, uint64_t *result) {
    if (!strcmp(i->op, "cvt")) return *result = convert(i, s), true;
    if (!strcmp(i->op, "setp") || !strcmp(i->op, "set")) {
        bool holds = is_float(i->from) ? compare_floats(i->compare, to_double(i->from, s[0]), to_double(i->from, s[1]))
                                       : compare_integers(i->compare, i->from, s[0], s[1]);
        *result = i->op[3] ? holds : !holds ? 0 : i->type.kind == T_F ? from_f32(1) : UINT32_MAX;
        return true;
    }
    if (!strcmp(i->op, "selp")) return *result = s[2] & 1 ? s[0] : s[1], true;
    if (!strcmp(i->op, "slct"))
        return *result = (is_float(i->from) ? to_double(i->from, s[2]) >= 0 : sign(s[2], 32) >= 0) ? s[0] : s[1], true;
    return is_float(i->type) ? do_float(i, s, result) : do_integer(i, s, result);
}

const char *const PTX_ATOMICS[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", NULL};

uint64_t ptx_atomic(const Ins *i, const char *operation, uint64_t old, uint64_t a, uint64_t b) {
    Ins as = *i;
    uint64_t sources[4] = {old, a, 0, 0}, result = 0;
    if (!strcmp(operation, "exch")) return a;
    if (!strcmp(operation, "cas")) return (old & mask(i->type.bits)) == (a & mask(i->type.bits)) ? b : old;
    if (!strcmp(operation, "inc")) return old >= a ? 0 : old + 1;
    if (!strcmp(operation, "dec")) return old == 0 || old > a ? a : old - 1;
    strncpy(as.op, operation, sizeof as.op - 1);
    as.flags = 0;
    ptx_alu(&as, sources, &result);
    return result;
}
