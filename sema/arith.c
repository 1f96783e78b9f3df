/* arith.c -- constant arithmetic: the values of operators. Integers wrap. A float operation is computed in f64 and
 * rounded to its type, which is the correctly rounded result for + - * / and the remainder of the shorter types.
 * Nothing here reports errors. */
#include <math.h>

#include "sema/arith.h"

static Const float_of(double v, const Type *t) { return const_convert(const_float(v), t, t); }

bool arith_is_defined(Op op, const Type *t, Const b) {
    if (!t->is_int || !op_info[op].can_fail) return true;
    return op_info[op].kind == OPK_SHIFT ? b.i >= 0 && b.i < t->bits : b.i != 0;
}

/* Integers: true when the exact result does not fit in 64 bits ---------------------------------------------------- */

static bool int_less(const Type *t, int64_t a, int64_t b) { return t->is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static int64_t quotient(const Type *t, int64_t a, int64_t b) {
    if (!t->is_signed) return (int64_t)((uint64_t)a / (uint64_t)b);
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; /* the least integer by -1 wraps */
}

static int64_t remainder_of(const Type *t, int64_t a, int64_t b) {
    if (!t->is_signed) return (int64_t)((uint64_t)a % (uint64_t)b);
    return b == -1 ? 0 : a % b;
}

static int64_t shifted_right(const Type *t, int64_t a, int64_t b) {
    return t->is_signed ? a >> b : (int64_t)((uint64_t)a >> b);
}

/* Rotates by b modulo the width; b may have any integer type, since only its low bits count. */
static int64_t rotated_left(const Type *t, int64_t a, int64_t b) {
    int n = (int)(b & (t->bits - 1));
    uint64_t mask = ~UINT64_C(0) >> (64 - t->bits), x = (uint64_t)a & mask;
    return (int64_t)(n ? x << n | x >> (t->bits - n) : x);
}

#define INTS(name, result)                                                                                             \
    static bool int_##name(const Type *t, int64_t a, int64_t b, int64_t *r) { return (void)t, result; }
INTS(add, __builtin_add_overflow(a, b, r))
INTS(sub, __builtin_sub_overflow(a, b, r))
INTS(mul, __builtin_mul_overflow(a, b, r))
INTS(div, (*r = quotient(t, a, b), t->is_signed && b == -1 && a == INT64_MIN))
INTS(rem, (*r = remainder_of(t, a, b), false))
INTS(and, (*r = a & b, false))
INTS(or, (*r = a | b, false))
INTS(xor, (*r = a ^ b, false))
INTS(shl, (*r = (int64_t)((uint64_t)a << b), *r >> b != a))
INTS(shr, (*r = shifted_right(t, a, b), false))
INTS(rol, (*r = rotated_left(t, a, b), false))
#undef INTS

/* Floats and bools ------------------------------------------------------------------------------------------------ */

static double float_add(double a, double b) { return a + b; }
static double float_sub(double a, double b) { return a - b; }
static double float_mul(double a, double b) { return a * b; }
static double float_div(double a, double b) { return a / b; }
static double float_rem(double a, double b) { return fmod(a, b); }

static bool bool_and(bool a, bool b) { return a && b; }
static bool bool_or(bool a, bool b) { return a || b; }
static bool bool_xor(bool a, bool b) { return a != b; }

/* Of one operand -------------------------------------------------------------------------------------------------- */

static Const one_neg(const Type *t, Const a, bool *over) {
    int64_t r;
    if (a.kind == CONST_FLOAT) return const_float(-a.f);
    *over = __builtin_sub_overflow((int64_t)0, a.i, &r);
    return const_int(int_wrap(r, t));
}

static Const one_not(const Type *t, Const a, bool *over) {
    *over = false;
    return a.kind == CONST_BOOL ? const_bool(!a.i) : const_int(int_wrap(~a.i, t));
}

/* The rows -------------------------------------------------------------------------------------------------------- */

static const struct {
    bool (*ints)(const Type *t, int64_t a, int64_t b, int64_t *r);
    double (*floats)(double a, double b);
    bool (*bools)(bool a, bool b);
    Const (*one)(const Type *t, Const a, bool *over);
} rows[OP__COUNT] = {
#define ROW_LOGIC(f) .bools = bool_##f
#define ROW_COMPARE(orders) 0
#define ROW_BITS(f) .ints = int_##f, .bools = bool_##f
#define ROW_SHIFT(f) .ints = int_##f
#define ROW_ROTATE(f) .ints = int_##f
#define ROW_ARITH(f) .ints = int_##f, .floats = float_##f
#define ROW_DIVIDE(f) .ints = int_##f, .floats = float_##f
#define ROW_LOGIC_1(f) .one = one_##f
#define ROW_BITS_1(f) .one = one_##f
#define ROW_ARITH_1(f) .one = one_##f
#define OP(name, spelling, precedence, operation) [OP_##name] = {ROW_##operation},
#include "grammar/ops.def"
#undef OP
};

static bool compare(Op op, const Type *t, Const a, Const b) {
    unsigned orders = op_info[op].orders;
    bool is_float = a.kind == CONST_FLOAT, less = is_float ? a.f < b.f : int_less(t, a.i, b.i);
    if (is_float && (a.f != a.f || b.f != b.f)) return orders == (ORDER_LESS | ORDER_GREATER); /* a NaN */
    bool equal = is_float ? a.f == b.f : a.i == b.i;
    return orders & (less ? ORDER_LESS : equal ? ORDER_EQUAL : ORDER_GREATER);
}

Const arith_unary(Op op, const Type *t, Const a, bool *over) {
    bool ignored;
    return rows[op].one(t, a, over ? over : &ignored);
}

Const arith_binary(Op op, const Type *t, Const a, Const b, bool *over) {
    int64_t r = 0;
    if (op_info[op].kind == OPK_COMPARE) return const_bool(compare(op, t, a, b));
    if (a.kind == CONST_BOOL) return const_bool(rows[op].bools(a.i, b.i));
    if (a.kind == CONST_FLOAT) return float_of(rows[op].floats(a.f, b.f), t);
    bool left = rows[op].ints(t, a.i, b.i, &r);
    if (over) *over = left;
    return const_int(int_wrap(r, t));
}

Const arith_fma(const Type *t, Const a, Const b, Const c) {
    if (t->bits == 64) return const_float(fma(a.f, b.f, c.f));
    return float_of(fmaf((float)a.f, (float)b.f, (float)c.f), t);
}

Const arith_fused(Op op, const Type *t, const Const factors[2], bool negated, bool left, const Const other) {
    bool minus = op == OP_SUB;
    Const a = factors[0], c = other;
    if (negated != (minus && !left)) a.f = -a.f;
    if (minus && left) c.f = -c.f;
    return arith_fma(t, a, factors[1], c);
}

/* Functions --------------------------------------------------------------------------------------------------- */

/* Of a NaN and a number the result is the number; -0 is less than +0. */
static double float_extreme(bool max, double a, double b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return !signbit(a) == max ? a : b;
    return (a > b) == max ? a : b;
}

Const arith_min_or_max(bool max, const Type *t, Const a, Const b) {
    if (t->is_float) return const_float(float_extreme(max, a.f, b.f));
    return int_less(t, a.i, b.i) == max ? b : a;
}
