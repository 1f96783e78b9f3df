/* number.c -- the values of the built-in functions of numbers, for constants (fold.c) and the interpreter: the column
 * `value` of builtin.def. Functions of floats are computed in f64 and rounded to their type. */
#include <math.h>

#include "sema/arith.h"

typedef Const (*NumberFn)(const Type *t, const Const *x);

static Const float_of(double v, const Type *t) { return const_convert(const_float(v), t, t); }

/* Floats ---------------------------------------------------------------------------------------------------------- */

static Const number_fma(const Type *t, const Const *x) { return arith_fma(t, x[0], x[1], x[2]); }

static Const number_rsqrt(const Type *t, const Const *x) {
    if (type_is_half(t)) return float_of((double)(1.0f / sqrtf((float)x->f)), t);
    return arith_binary(OP_DIV, t, const_float(1), float_of(sqrt(x->f), t), NULL);
}

static Const number_isnan(const Type *t, const Const *x) {
    (void)t;
    return const_bool(x->f != x->f);
}

static Const number_isinf(const Type *t, const Const *x) {
    (void)t;
    return const_bool(fabs(x->f) == HUGE_VAL);
}

/* Numbers of every kind ------------------------------------------------------------------------------------------- */

static Const number_abs(const Type *t, const Const *x) {
    if (t->is_float) return const_float(fabs(x->f));
    bool negative = t->is_signed && x->i < 0;
    return negative ? const_int(int_wrap((int64_t)(0 - (uint64_t)x->i), t)) : *x;
}

static Const number_min(const Type *t, const Const *x) { return arith_min_or_max(false, t, x[0], x[1]); }
static Const number_max(const Type *t, const Const *x) { return arith_min_or_max(true, t, x[0], x[1]); }

static Const number_clamp(const Type *t, const Const *x) {
    return arith_min_or_max(false, t, arith_min_or_max(true, t, x[0], x[1]), x[2]);
}

/* Bits of integers ------------------------------------------------------------------------------------------------ */

/* Those of the type, without the sign's copies above it. */
static uint64_t bits_of(const Type *t, const Const *x) { return (uint64_t)x->i & ~UINT64_C(0) >> (64 - t->bits); }

static Const number_popcount(const Type *t, const Const *x) { return const_int(__builtin_popcountll(bits_of(t, x))); }

static Const number_leading_zeros(const Type *t, const Const *x) {
    uint64_t v = bits_of(t, x);
    return const_int(v ? __builtin_clzll(v) - (64 - t->bits) : t->bits);
}

static Const number_trailing_zeros(const Type *t, const Const *x) {
    uint64_t v = bits_of(t, x);
    return const_int(v ? __builtin_ctzll(v) : t->bits);
}

static Const number_rotate_left(const Type *t, const Const *x) { return arith_binary(OP_ROL, t, x[0], x[1], NULL); }

/* The rows -------------------------------------------------------------------------------------------------------- */

typedef struct ValueRow {
    double (*math_1)(double), (*math_2)(double, double);
    NumberFn number;
} ValueRow;

static const ValueRow rows[BUILTIN__COUNT] = {
#define VALUE_MATH_1(f) {.math_1 = f}
#define VALUE_MATH_2(f) {.math_2 = f}
#define VALUE_NUMBER(f) {.number = number_##f}
#define VALUE_RUN(f) {0}
#define BUILTIN(id, name, n_args, args, result, where, value, lowering) [BUILTIN_##id] = VALUE_##value,
#include "sema/builtin.def"
#undef BUILTIN
};

bool number_value(BuiltinId id, const Type *t, const Const *x, Const *r) {
    const ValueRow *row = &rows[id];
    if (row->math_1) *r = float_of(row->math_1(x[0].f), t);
    else if (row->math_2) *r = float_of(row->math_2(x[0].f, x[1].f), t);
    else if (row->number) *r = row->number(t, x);
    else return false;
    return true;
}
