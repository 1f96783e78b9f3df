/* arith.c -- values of operators. Integers wrap; a float operation is computed in f64 and rounded to its type, which for
 * + - * / and the remainder of the shorter types is the correctly rounded result. Nothing here reports. */
#include <math.h>

#include "sema/arith.h"

static Const float_of(double v, const Type *t) { return const_convert(const_float(v), t, t); }

bool arith_is_defined(Op op, const Type *t, Const b) {
    if (!t->is_int) return true;
    if (op == OP_DIV || op == OP_REM) return b.i != 0;
    return op_info[op].kind != OPK_SHIFT || (b.i >= 0 && b.i < t->bits);
}

Const arith_unary(Op op, const Type *t, Const a, bool *over) {
    int64_t r;
    if (a.kind == CONST_BOOL) return const_bool(!a.i);
    if (a.kind == CONST_FLOAT) return const_float(-a.f);
    if (op == OP_BIT_NOT) return const_int(int_wrap(~a.i, t));
    bool left = __builtin_sub_overflow((int64_t)0, a.i, &r);
    if (over) *over = left;
    return const_int(int_wrap(r, t));
}

/* Comparisons ------------------------------------------------------------------------------------------------- */

static bool int_less(const Type *t, int64_t a, int64_t b) { return t->is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static bool holds(Op op, bool less, bool equal) {
    switch (op) {
    case OP_EQ: return equal;
    case OP_NE: return !equal;
    case OP_LT: return less;
    case OP_LE: return less || equal;
    case OP_GT: return !less && !equal;
    default: return !less;
    }
}

static bool compare(Op op, const Type *t, Const a, Const b) {
    if (a.kind != CONST_FLOAT) return holds(op, int_less(t, a.i, b.i), a.i == b.i);
    if (a.f != a.f || b.f != b.f) return op == OP_NE; /* a NaN is neither less nor equal nor greater */
    return holds(op, a.f < b.f, a.f == b.f);
}

/* Arithmetic -------------------------------------------------------------------------------------------------- */

static int64_t divide(Op op, const Type *t, int64_t a, int64_t b) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if (!t->is_signed) return (int64_t)(op == OP_DIV ? x / y : x % y);
    if (b == -1) return op == OP_DIV ? (int64_t)(0 - x) : 0; /* the least integer by -1 wraps */
    return op == OP_DIV ? a / b : a % b;
}

/* True when the exact result does not fit in 64 bits. */
static bool int_op(Op op, const Type *t, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case OP_ADD: return __builtin_add_overflow(a, b, r);
    case OP_SUB: return __builtin_sub_overflow(a, b, r);
    case OP_MUL: return __builtin_mul_overflow(a, b, r);
    case OP_DIV:
    case OP_REM: *r = divide(op, t, a, b); return op == OP_DIV && t->is_signed && b == -1 && a == INT64_MIN;
    case OP_BIT_AND: *r = a & b; return false;
    case OP_BIT_OR: *r = a | b; return false;
    case OP_BIT_XOR: *r = a ^ b; return false;
    case OP_SHL: *r = (int64_t)((uint64_t)a << b); return *r >> b != a;
    case OP_SHR: *r = t->is_signed ? a >> b : (int64_t)((uint64_t)a >> b); return false;
    default: *r = 0; return false;
    }
}

static double float_op(Op op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    default: return fmod(a, b);
    }
}

static bool bool_op(Op op, bool a, bool b) {
    switch (op) {
    case OP_AND:
    case OP_BIT_AND: return a && b;
    case OP_OR:
    case OP_BIT_OR: return a || b;
    default: return a != b;
    }
}

Const arith_binary(Op op, const Type *t, Const a, Const b, bool *over) {
    int64_t r = 0;
    if (op_info[op].kind == OPK_COMPARE) return const_bool(compare(op, t, a, b));
    if (a.kind == CONST_BOOL) return const_bool(bool_op(op, a.i, b.i));
    if (a.kind == CONST_FLOAT) return float_of(float_op(op, a.f, b.f), t);
    bool left = int_op(op, t, a.i, b.i, &r);
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

/* A NaN and a number give the number; -0 is less than +0. */
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

Const arith_abs(const Type *t, Const a) {
    if (t->is_float) return const_float(fabs(a.f));
    bool negative = t->is_signed && a.i < 0;
    return negative ? const_int(int_wrap((int64_t)(0 - (uint64_t)a.i), t)) : a;
}
