/* const.c -- compile-time values: making, wrapping, converting and printing them. Nothing here reports.
 * Integers live in 64 bits, two's complement, wrapped to their type; floats in a double, rounded to their type. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sema/check.h"

Const const_int(int64_t v) { return (Const){.kind = CONST_INT, .i = v}; }
Const const_float(double v) { return (Const){.kind = CONST_FLOAT, .f = v}; }
Const const_bool(bool v) { return (Const){.kind = CONST_BOOL, .i = v}; }

int64_t int_wrap(int64_t v, const Type *t) {
    if (t->bits >= 64) return v;
    uint64_t mask = (UINT64_C(1) << t->bits) - 1, low = (uint64_t)v & mask;
    if (t->is_signed && low >> (t->bits - 1)) low |= ~mask;
    return (int64_t)low;
}

/* To the nearest f16 or bf16, ties to even. */
static double round_to_half(double v, const Type *t) {
    bool f16 = t->kind == TY_F16;
    int exponent, smallest = f16 ? -24 : -133; /* of the last bit */
    if (!isfinite(v) || v == 0) return v;
    frexp(v, &exponent);
    int last = exponent - float_mantissa_bits(t);
    if (last < smallest) last = smallest;
    double r = ldexp(nearbyint(ldexp(v, -last)), last);
    double most = f16 ? 65504.0 : 0x1.fep127;
    return fabs(r) > most ? copysign(INFINITY, v) : r;
}

static double round_to(double v, const Type *t) {
    if (type_is_half(t)) return round_to_half(v, t);
    return t->bits == 32 ? (double)(float)v : v;
}

/* Rounding to odd: the second rounding, to f16 or bf16, is then correct. */
static double before_half(int64_t v, bool is_unsigned) {
    bool negative = !is_unsigned && v < 0;
    uint64_t size = negative ? -(uint64_t)v : (uint64_t)v, rest = size & 0x7ff;
    if (size >> 53) size = (size - rest) | (rest ? 0x800 : 0);
    return negative ? -(double)size : (double)size;
}

/* Is the integer `v`, read as one of `from`, exactly a value of the float type `to`? */
static bool int_is_exact_float(int64_t v, const Type *from, const Type *to) {
    uint64_t size = from->is_signed && v < 0 ? -(uint64_t)v : (uint64_t)v;
    if (!size) return true;
    while (!(size & 1)) size >>= 1;
    return size < UINT64_C(1) << float_mantissa_bits(to);
}

bool const_fits(Const v, const Type *from, const Type *to) {
    if (v.kind == CONST_INT && to->is_int) {
        bool from_negative = from->is_signed && v.i < 0;
        if (from_negative && !to->is_signed) return false;
        if (!from->is_signed && v.i < 0) return !to->is_signed && to->bits == 64; /* over 2^63 */
        return int_wrap(v.i, to) == v.i;
    }
    if (v.kind == CONST_INT && to->is_float) return int_is_exact_float(v.i, from, to);
    if (v.kind == CONST_FLOAT && to->is_float) return isfinite(round_to(v.f, to)) || !isfinite(v.f);
    return v.kind == CONST_BOOL ? to->kind == TY_BOOL : v.kind == CONST_STR && to->kind == TY_STR;
}

static int64_t saturate(double v, const Type *to) {
    if (v != v) return 0;
    double limit = ldexp(1.0, to->bits - (to->is_signed ? 1 : 0));
    if (!to->is_signed) {
        if (v <= 0) return 0;
        return v >= limit ? int_wrap(-1, to) : (int64_t)(uint64_t)v;
    }
    if (v >= limit) return (int64_t)((UINT64_C(1) << (to->bits - 1)) - 1);
    if (v <= -limit) return (int64_t)(~UINT64_C(0) << (to->bits - 1));
    return (int64_t)v;
}

Const const_convert(Const v, const Type *from, const Type *to) {
    if (v.kind == CONST_NONE || v.kind == CONST_STR) return v;
    if (to->kind == TY_BOOL) return v.kind == CONST_FLOAT ? const_bool(v.f != 0) : const_bool(v.i != 0);
    if (to->is_int) return const_int(v.kind == CONST_FLOAT ? saturate(v.f, to) : int_wrap(v.i, to));
    if (!to->is_float) return (Const){0};
    if (v.kind == CONST_FLOAT) return const_float(round_to(v.f, to));
    /* Straight from 64 bits to the float type: through a double an f32 would be rounded twice. */
    bool is_unsigned = from->is_int && !from->is_signed;
    if (to->bits == 32) return const_float(is_unsigned ? (double)(float)(uint64_t)v.i : (double)(float)v.i);
    if (type_is_half(to)) return const_float(round_to(before_half(v.i, is_unsigned), to));
    return const_float(is_unsigned ? (double)(uint64_t)v.i : (double)v.i);
}

const char *const_text(Sema *s, Const v, const Type *t) {
    switch (v.kind) {
    case CONST_INT:
        if (!t->is_signed) return arena_printf(s->arena, "%llu", (unsigned long long)v.i);
        return arena_printf(s->arena, "%lld", (long long)v.i);
    case CONST_FLOAT:
        for (int digits = 6; digits < 17; digits++) {
            const char *text = arena_printf(s->arena, "%.*g", digits, v.f);
            if (strtod(text, NULL) == v.f) return text;
        }
        return arena_printf(s->arena, "%.17g", v.f);
    case CONST_BOOL: return v.i ? "true" : "false";
    case CONST_NONE:
    case CONST_STR: break;
    }
    return "?";
}
