/* alu.c -- arithmetic of PTX: bits in, bits out. */
#include "tests/gpu/ptx/run.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

/* What is done of each operation is written once, and compiled for each by itself: a warp asks once which it is. */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t mask(int bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

INLINE int64_t sign(uint64_t x, int bits) {
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* Floating point: everything is done in double or float and rounded once ------------------------------------------- */

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
    if (x != x) return 0x7fff;
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

INLINE double to_double(Type t, uint64_t bits) {
    if (t.kind == T_BF) return bf16(bits);
    return t.bits == 64 ? f64(bits) : t.bits == 32 ? f32(bits) : f16(bits);
}

INLINE uint64_t from_double(Type t, double x) {
    if (t.kind == T_BF) return from_bf16(x);
    return t.bits == 64 ? from_f64(x) : t.bits == 32 ? from_f32((float)x) : from_f16(x);
}

INLINE bool is_float(Type t) { return t.kind == T_F || t.kind == T_BF; }

static double minimum(double a, double b) { return a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b; }
static double maximum(double a, double b) { return a != a ? b : b != b ? a : a > b || (a == b && signbit(b)) ? a : b; }

INLINE bool float_op(Op op, const Ins *i, const double *s, double *result) {
    double a = s[0], b = s[1], c = s[2];
    double r;
    switch (op) {
    case OP_add: r = a + b; break;
    case OP_sub: r = a - b; break;
    case OP_mul: r = a * b; break;
    case OP_div: r = a / b; break;
    case OP_fma:
    case OP_mad: r = i->type.bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c); break;
    case OP_neg: r = -a; break;
    case OP_abs: r = fabs(a); break;
    case OP_min: r = minimum(a, b); break;
    case OP_max: r = maximum(a, b); break;
    case OP_sqrt: r = sqrt(a); break;
    case OP_rsqrt: r = 1 / sqrt(a); break;
    case OP_rcp: r = 1 / a; break;
    case OP_sin: r = sin(a); break;
    case OP_cos: r = cos(a); break;
    case OP_ex2: r = exp2(a); break;
    case OP_lg2: r = log2(a); break;
    case OP_tanh: r = tanh(a); break;
    case OP_copysign: r = copysign(b, a); break;
    default: return false;
    }
    if (i->flags & MOD(sat)) r = r != r || r < 0 ? 0 : r > 1 ? 1 : r;
    *result = r;
    return true;
}

/* Of two halves in a word, each by itself. f32 sums in double are rounded to float once more: that is exact. */
INLINE bool do_float(Op op, const Ins *i, const uint64_t *s, uint64_t *result) {
    Type t = i->type;
    *result = 0;
    for (int lane = 0; lane < t.lanes; lane++) {
        double in[3], out;
        for (int k = 0; k < 3; k++) in[k] = to_double(t, s[k] >> (lane * t.bits));
        if (!float_op(op, i, in, &out)) return false;
        *result |= (from_double(t, out) & mask(t.bits)) << (lane * t.bits);
    }
    return true;
}

/* Integers --------------------------------------------------------------------------------------------------------- */

static uint64_t high(Type t, uint64_t a, uint64_t b) {
    if (t.kind == T_S) return (uint64_t)(((__int128)sign(a, t.bits) * sign(b, t.bits)) >> t.bits);
    return (uint64_t)(((unsigned __int128)(a & mask(t.bits)) * (b & mask(t.bits))) >> t.bits);
}

INLINE uint64_t product(const Ins *i, uint64_t a, uint64_t b) {
    Type t = i->type;
    if (i->flags & MOD(hi)) return high(t, a, b);
    if (t.kind == T_S) return (uint64_t)sign(a, t.bits) * (uint64_t)sign(b, t.bits);
    return (a & mask(t.bits)) * (b & mask(t.bits));
}

INLINE uint64_t quotient(Type t, uint64_t a, uint64_t b, bool remainder) {
    if (t.kind == T_S) {
        int64_t x = sign(a, t.bits), y = sign(b, t.bits);
        if (y == 0) return UINT64_MAX;
        if (y == -1) return remainder ? 0 : (uint64_t) - (unsigned __int128)x;
        return (uint64_t)(remainder ? x % y : x / y);
    }
    uint64_t x = a & mask(t.bits), y = b & mask(t.bits);
    return y == 0 ? UINT64_MAX : remainder ? x % y : x / y;
}

INLINE uint64_t shift_right(Type t, uint64_t a, uint64_t n) {
    n &= 0xffffffff;
    if (t.kind == T_S) return (uint64_t)(sign(a, t.bits) >> (n > 63 ? 63 : n));
    return n >= t.bits ? 0 : (a & mask(t.bits)) >> n;
}

INLINE bool less(Type t, uint64_t a, uint64_t b) {
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

static uint64_t insert(Type t, const uint64_t *s) {
    uint64_t at = s[2] & 0xff, n = s[3] & 0xff, field = at >= t.bits ? 0 : mask((int)n) << at;
    return (s[1] & ~field) | ((at >= 64 ? 0 : s[0] << at) & field);
}

static uint64_t first_bit(Type t, uint64_t a) { /* from above; of a negative number the first 0 */
    uint64_t x = (t.kind == T_S && sign(a, t.bits) < 0 ? ~a : a) & mask(t.bits);
    return x ? (uint64_t)(63 - __builtin_clzll(x)) : UINT32_MAX;
}

static uint64_t product24(const Ins *i, uint64_t a, uint64_t b) {
    if (i->type.kind == T_S) return product(i, (uint64_t)sign(a, 24), (uint64_t)sign(b, 24));
    return product(i, a & 0xffffff, b & 0xffffff);
}

INLINE bool do_integer(Op op, const Ins *i, const uint64_t *s, uint64_t *result) {
    Type t = i->type;
    uint64_t a = s[0], b = s[1], c = s[2], m = mask(t.bits), r;
    switch (op) {
    case OP_add: r = a + b; break;
    case OP_sub: r = a - b; break;
    case OP_mul: r = product(i, a, b); break;
    case OP_mul24: r = product24(i, a, b); break;
    case OP_mad: r = product(i, a, b) + c; break;
    case OP_sad: r = c + (less(t, a, b) ? b - a : a - b); break;
    case OP_div: r = quotient(t, a, b, false); break;
    case OP_rem: r = quotient(t, a, b, true); break;
    case OP_abs: r = sign(a, t.bits) < 0 ? -a : a; break;
    case OP_neg: r = -a; break;
    case OP_min: r = less(t, a, b) ? a : b; break;
    case OP_max: r = less(t, a, b) ? b : a; break;
    case OP_and: r = a & b; break;
    case OP_or: r = a | b; break;
    case OP_xor: r = a ^ b; break;
    case OP_not: r = t.kind == T_PRED ? !a : ~a; break;
    case OP_cnot: r = (a & m) == 0; break;
    case OP_lop3: r = logic3(a, b, c, s[3]); break;
    case OP_shl: r = (b & 0xffffffff) >= t.bits ? 0 : a << (b & 63); break;
    case OP_shr: r = shift_right(t, a, b); break;
    case OP_shf: r = funnel(i, a, b, c & 0xffffffff); break;
    case OP_bfe: r = extract(t, a, b, c); break;
    case OP_bfi: r = insert(t, s); break;
    case OP_brev: r = reverse(a, t.bits); break;
    case OP_popc: r = (uint64_t)__builtin_popcountll(a & m); break;
    case OP_clz: r = (a & m) ? (uint64_t)(__builtin_clzll(a & m) - (64 - t.bits)) : t.bits; break;
    case OP_bfind: r = first_bit(t, a); break;
    case OP_prmt: r = permute(a, b, c); break;
    default: return false;
    }
    if (i->flags & MOD(wide)) m = mask(2 * t.bits);
    *result = r & m;
    return true;
}

/* Comparisons ------------------------------------------------------------------------------------------------------ */

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

/* Conversions ------------------------------------------------------------------------------------------------------ */

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

/* Rounded as the instruction says: the processor rounds, and is told only where it is not to the nearest. */
static uint64_t from_integer(Type to, Type from, uint64_t a) {
    if (to.bits == 32 && to.kind == T_F) /* in one step */
        return from_f32(from.kind == T_S ? (float)sign(a, from.bits) : (float)(a & mask(from.bits)));
    return from_double(to, from.kind == T_S ? (double)sign(a, from.bits) : (double)(a & mask(from.bits)));
}

static int way_of(const Ins *i) {
    return i->flags & MOD(rz)   ? FE_TOWARDZERO
           : i->flags & MOD(rm) ? FE_DOWNWARD
           : i->flags & MOD(rp) ? FE_UPWARD
                                : FE_TONEAREST;
}

static uint64_t integer_to_float(const Ins *i, uint64_t a) {
    int way = way_of(i);
    if (way == FE_TONEAREST) return from_integer(i->type, i->from, a);
    fesetround(way);
    volatile uint64_t number = a, r = from_integer(i->type, i->from, number);
    fesetround(FE_TONEAREST);
    return r;
}

/* Conversions of half precision return one NaN. */
static uint64_t float_to_float(const Ins *i, double x) {
    if (x != x && i->from.bits == 16 && i->type.bits == 32) return 0x7fffffff;
    x = round_how(i, x);
    if (i->flags & MOD(sat)) x = x != x || x < 0 ? 0 : x > 1 ? 1 : x;
    int way = way_of(i);
    if (way == FE_TONEAREST) return from_double(i->type, x);
    fesetround(way);
    volatile double y = x;
    volatile uint64_t r = from_double(i->type, y);
    fesetround(FE_TONEAREST);
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

/* Of the values of one lane. */
INLINE bool compare(const Ins *i, const uint64_t *s, int lane) {
    if (!is_float(i->from)) return compare_integers(i->compare, i->from, s[0], s[1]);
    int shift = lane * i->from.bits;
    return compare_floats(i->compare, to_double(i->from, s[0] >> shift), to_double(i->from, s[1] >> shift));
}

INLINE bool alu(Op op, const Ins *i, const uint64_t *s, uint64_t *result) {
    bool holds;
    switch (op) {
    case OP_cvt: *result = convert(i, s); return true;
    case OP_setp:
    case OP_set:
        holds = compare(i, s, 0);
        if (i->from.lanes == 2) { /* setp.lt.f16x2 p|q, a, b: bit 1 is q */
            *result = holds | compare(i, s, 1) << 1;
            return op == OP_setp;
        }
        *result = op == OP_setp ? holds : !holds ? 0 : i->type.kind == T_F ? from_f32(1) : UINT32_MAX;
        return true;
    case OP_selp: *result = s[2] & 1 ? s[0] : s[1]; return true;
    case OP_slct:
        *result = (is_float(i->from) ? to_double(i->from, s[2]) >= 0 : sign(s[2], 32) >= 0) ? s[0] : s[1];
        return true;
    default: return is_float(i->type) ? do_float(op, i, s, result) : do_integer(op, i, s, result);
    }
}

bool ptx_alu(const Ins *i, const uint64_t *s, uint64_t *result) { return alu(i->op, i, s, result); }

/* Plain operations of a whole warp, for types of which there are many: loops that the C compiler makes vectors of. */
#define WHOLE_WARP(kind_, bits_, as)                                                                                   \
    if (i->type.kind == kind_ && i->type.bits == bits_) {                                                              \
        const Ins plain = {.op = as, .type = {kind_, bits_, 1}, .from = {kind_, bits_, 1}};                            \
        for (int l = 0; l < WARP; l++)                                                                                 \
            alu(as, &plain, (const uint64_t[]){s[0][l], s[1][l], s[2][l], s[3][l]}, &result[l]);                       \
        return true;                                                                                                   \
    }

/* False: it is none of those. */
static bool plain_warp(const Ins *i, const uint64_t *const s[4], uint64_t *result) {
    if (i->flags || i->type.lanes != 1 || memcmp(&i->type, &i->from, sizeof i->type)) return false;
    switch (i->op) {
#define X(name)                                                                                                        \
    case OP_##name:                                                                                                    \
        WHOLE_WARP(T_B, 32, OP_##name)                                                                                 \
        WHOLE_WARP(T_U, 32, OP_##name)                                                                                 \
        WHOLE_WARP(T_S, 32, OP_##name)                                                                                 \
        WHOLE_WARP(T_B, 64, OP_##name)                                                                                 \
        WHOLE_WARP(T_S, 64, OP_##name)                                                                                 \
        WHOLE_WARP(T_F, 32, OP_##name)                                                                                 \
        WHOLE_WARP(T_F, 64, OP_##name)                                                                                 \
        break;
        X(add) X(sub) X(mul) X(and) X(or) X(xor) X(shl) X(shr) X(min) X(max) X(selp) X(neg) X(fma)
#undef X
    }
    return false;
}

bool ptx_alu_warp(const Ins *i, const uint64_t *const s[4], uint32_t lanes, uint64_t *result) {
    bool ok = true;
    if (lanes == ALL && plain_warp(i, s, result)) return true;
    switch (i->op) {
#define X(name, what)                                                                                                  \
    case OP_##name:                                                                                                    \
        for (uint32_t left = lanes; left; left &= left - 1) {                                                          \
            int l = __builtin_ctz(left);                                                                               \
            ok &= alu(OP_##name, i, (const uint64_t[]){s[0][l], s[1][l], s[2][l], s[3][l]}, &result[l]);               \
        }                                                                                                              \
        break;
#include "tests/gpu/ptx/ops.def"
#undef X
    }
    return ok;
}

uint64_t ptx_atomic(const Ins *i, Update update, uint64_t old, uint64_t a, uint64_t b) {
    static const uint8_t OPS[] = {
        [UPDATE_add] = OP_add, [UPDATE_min] = OP_min, [UPDATE_max] = OP_max,
        [UPDATE_and] = OP_and, [UPDATE_or] = OP_or,   [UPDATE_xor] = OP_xor,
    };
    uint64_t sources[4] = {old, a}, result = 0;
    switch (update) {
    case UPDATE_exch: return a;
    case UPDATE_cas: return (old & mask(i->type.bits)) == (a & mask(i->type.bits)) ? b : old;
    case UPDATE_inc: return old >= a ? 0 : old + 1;
    case UPDATE_dec: return old == 0 || old > a ? a : old - 1;
    default: ptx_alu(&(Ins){.op = OPS[update], .type = i->type, .from = i->from}, sources, &result); return result;
    }
}
