/* fold.c -- operators over compile-time values. The node keeps its operands; its `konst` is what counts.
 * Typed integers wrap as they do at run time. Untyped ones have 64 bits and may not overflow: there is no type whose
 * wrapping could be meant. Division by zero and shifts by the width or more are errors here. */
#include <math.h>
#include <string.h>

#include "sema/check.h"

static const char *type_words(const Type *t) { return type_is_literal(t) ? "a 64-bit constant" : t->name; }

bool check_divisor(Sema *s, Op op, const Type *t, Expr *rhs) {
    if (rhs->konst.kind != CONST_INT) return true;
    if ((op == OP_DIV || op == OP_REM) && t->is_int && rhs->konst.i == 0) {
        diag(s->c, E0705, rhs->span, "division by zero");
        return false;
    }
    bool too_wide = rhs->konst.i < 0 || rhs->konst.i >= t->bits;
    if ((op == OP_SHL || op == OP_SHR) && t->is_int && too_wide) {
        diag(s->c, E0706, rhs->span, "a shift by %s is too wide for %s: it has %d bits",
             const_text(s, rhs->konst, rhs->type), type_words(t), t->bits);
        return false;
    }
    return true;
}

static void overflow(Sema *s, Expr *e) {
    Diag *d = diag(s->c, E0709, e->span, "this constant does not fit in 64 bits");
    diag_note(s->c, d, e->span, "give one of the numbers a type, as in `1u64`, if it shall wrap");
    bad(s, e);
}

static void fold_int_unary(Sema *s, Expr *e) {
    Expr *a = e->unary.operand;
    int64_t r = 0;
    if (e->unary.op == OP_BIT_NOT) r = ~a->konst.i;
    else if (__builtin_sub_overflow((int64_t)0, a->konst.i, &r) && type_is_literal(e->type)) {
        overflow(s, e);
        return;
    }
    e->konst = const_int(int_wrap(r, e->type));
}

void fold_unary(Sema *s, Expr *e) {
    Const a = e->unary.operand->konst;
    switch (a.kind) {
    case CONST_INT: fold_int_unary(s, e); break;
    case CONST_FLOAT: e->konst = const_float(-a.f); break;
    case CONST_BOOL: e->konst = const_bool(!a.i); break;
    case CONST_NONE:
    case CONST_STR: break;
    }
}

static bool compare_result(Op op, int order, bool unordered) {
    if (unordered) return op == OP_NE;
    switch (op) {
    case OP_EQ: return order == 0;
    case OP_NE: return order != 0;
    case OP_LT: return order < 0;
    case OP_LE: return order <= 0;
    case OP_GT: return order > 0;
    default: return order >= 0;
    }
}

static void fold_compare(Expr *e) {
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    Const a = l->konst, b = r->konst;
    int order;
    bool unordered = false;
    if (a.kind == CONST_FLOAT) {
        unordered = a.f != a.f || b.f != b.f;
        order = (a.f > b.f) - (a.f < b.f);
    } else if (a.kind == CONST_INT && !l->type->is_signed) {
        order = ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
    } else {
        order = (a.i > b.i) - (a.i < b.i);
    }
    e->konst = const_bool(compare_result(e->binary.op, order, unordered));
}

/* Two's complement arithmetic in 64 bits; true when it left them. */
static bool int_arith(Op op, const Type *t, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case OP_ADD: return __builtin_add_overflow(a, b, r);
    case OP_SUB: return __builtin_sub_overflow(a, b, r);
    case OP_MUL: return __builtin_mul_overflow(a, b, r);
    case OP_DIV:
        if (!t->is_signed) *r = (int64_t)((uint64_t)a / (uint64_t)b);
        else if (b == -1) return __builtin_sub_overflow((int64_t)0, a, r);
        else *r = a / b;
        return false;
    case OP_REM:
        if (!t->is_signed) *r = (int64_t)((uint64_t)a % (uint64_t)b);
        else *r = b == -1 ? 0 : a % b;
        return false;
    case OP_BIT_AND: *r = a & b; return false;
    case OP_BIT_OR: *r = a | b; return false;
    case OP_BIT_XOR: *r = a ^ b; return false;
    case OP_SHL: *r = (int64_t)((uint64_t)a << b); return *r >> b != a;
    case OP_SHR: *r = t->is_signed ? a >> b : (int64_t)((uint64_t)a >> b); return false;
    default: *r = 0; return false;
    }
}

static void fold_int(Sema *s, Expr *e) {
    int64_t r = 0;
    bool over = int_arith(e->binary.op, e->type, e->binary.lhs->konst.i, e->binary.rhs->konst.i, &r);
    if (over && type_is_literal(e->type)) overflow(s, e);
    else e->konst = const_int(int_wrap(r, e->type));
}

static double float_arith(Op op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    default: return fmod(a, b);
    }
}

/* Rounded once, as code does it. */
static double float_fused(const Expr *e) {
    bool left = e->binary.fused == FUSED_LEFT, minus = e->binary.op == OP_SUB;
    Product p = fused_product(left ? e->binary.lhs : e->binary.rhs);
    double a = p.whole->binary.lhs->konst.f, b = p.whole->binary.rhs->konst.f;
    double c = left ? e->binary.rhs->konst.f : e->binary.lhs->konst.f;
    if (p.negated != (minus && !left)) a = -a;
    if (minus && left) c = -c;
    return e->type->bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static void fold_float(Sema *s, Expr *e) {
    if (!s->strict_constants) e->binary.fused = fuse_operand(e);
    double v = e->binary.fused ? float_fused(e) : float_arith(e->binary.op, e->binary.lhs->konst.f, e->binary.rhs->konst.f);
    e->konst = const_convert(const_float(v), e->type, e->type);
}

static void fold_bool(Expr *e) {
    int64_t a = e->binary.lhs->konst.i, b = e->binary.rhs->konst.i;
    switch (e->binary.op) {
    case OP_AND:
    case OP_BIT_AND: e->konst = const_bool(a && b); break;
    case OP_OR:
    case OP_BIT_OR: e->konst = const_bool(a || b); break;
    case OP_BIT_XOR: e->konst = const_bool(a != b); break;
    default: break;
    }
}

/* `2 ^ 10`, `10 ^ 6`: in other languages a power. Hexadecimal digits are bits, and meant so. */
static void warn_power(Sema *s, const Expr *e) {
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    if (e->binary.op != OP_BIT_XOR || l->kind != EXPR_INT || r->kind != EXPR_INT || l->int_.suffix) return;
    const char *base = source_text(s, l->span), *exponent = source_text(s, r->span);
    if ((strcmp(base, "2") && strcmp(base, "10")) || *exponent == '0' || r->int_.value >= 64) return;
    Diag *d = diag(s->c, W0405, e->binary.op_span, "`%s ^ %s` is %lld: `^` is the exclusive or of the bits", base,
                   exponent, (long long)(l->int_.value ^ r->int_.value));
    if (base[0] == '2')
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "1 << %s", exponent), "a power of two is a shift");
    else
        diag_note(s->c, d, e->span, "a power is written `pow(10.0, %s.0)`, or as a number: `1e%s`", exponent, exponent);
}

void fold_binary(Sema *s, Expr *e) {
    Op op = e->binary.op;
    Const a = e->binary.lhs->konst, b = e->binary.rhs->konst;
    warn_power(s, e);
    if (!is_bad(e->type) && !check_divisor(s, op, e->type, e->binary.rhs)) bad(s, e);
    if (is_bad(e->type) || a.kind == CONST_NONE || b.kind == CONST_NONE || a.kind != b.kind) return;
    if (op_info[op].kind == OPK_COMPARE) {
        if (a.kind != CONST_STR) fold_compare(e);
        return;
    }
    switch (a.kind) {
    case CONST_INT: fold_int(s, e); break;
    case CONST_FLOAT: fold_float(s, e); break;
    case CONST_BOOL: fold_bool(e); break;
    case CONST_NONE:
    case CONST_STR: break;
    }
}

static bool fold_float_call(BuiltinId id, const double *x, double *r) {
    switch (id) {
    case BUILTIN_SQRT: *r = sqrt(x[0]); return true;
    case BUILTIN_EXP: *r = exp(x[0]); return true;
    case BUILTIN_EXP2: *r = exp2(x[0]); return true;
    case BUILTIN_LOG: *r = log(x[0]); return true;
    case BUILTIN_LOG2: *r = log2(x[0]); return true;
    case BUILTIN_LOG10: *r = log10(x[0]); return true;
    case BUILTIN_POW: *r = pow(x[0], x[1]); return true;
    case BUILTIN_SIN: *r = sin(x[0]); return true;
    case BUILTIN_COS: *r = cos(x[0]); return true;
    case BUILTIN_TAN: *r = tan(x[0]); return true;
    case BUILTIN_ASIN: *r = asin(x[0]); return true;
    case BUILTIN_ACOS: *r = acos(x[0]); return true;
    case BUILTIN_ATAN: *r = atan(x[0]); return true;
    case BUILTIN_ATAN2: *r = atan2(x[0], x[1]); return true;
    case BUILTIN_HYPOT: *r = hypot(x[0], x[1]); return true;
    case BUILTIN_CBRT: *r = cbrt(x[0]); return true;
    case BUILTIN_FLOOR: *r = floor(x[0]); return true;
    case BUILTIN_CEIL: *r = ceil(x[0]); return true;
    case BUILTIN_TRUNC: *r = trunc(x[0]); return true;
    case BUILTIN_ROUND: *r = round(x[0]); return true;
    case BUILTIN_ABS: *r = fabs(x[0]); return true;
    case BUILTIN_MIN: *r = fmin(x[0], x[1]); return true;
    case BUILTIN_MAX: *r = fmax(x[0], x[1]); return true;
    default: return false;
    }
}

static bool int_less(const Type *t, int64_t a, int64_t b) { return t->is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static bool fold_int_call(BuiltinId id, const Type *t, const int64_t *x, int64_t *r) {
    switch (id) {
    case BUILTIN_ABS: *r = t->is_signed && x[0] < 0 ? (int64_t)(0 - (uint64_t)x[0]) : x[0]; return true;
    case BUILTIN_MIN: *r = int_less(t, x[0], x[1]) ? x[0] : x[1]; return true;
    case BUILTIN_MAX: *r = int_less(t, x[0], x[1]) ? x[1] : x[0]; return true;
    default: return false;
    }
}

/* Calls with constant arguments, so that `const PI = 4.0 * atan(1.0);` works. What is not listed stays a call. */
void fold_builtin(Sema *s, Expr *e, BuiltinId id) {
    (void)s;
    double f[3] = {0}, fr = 0;
    int64_t i[3] = {0}, ir = 0;
    int n = e->call.args.n;
    if (is_bad(e->type) || n < 1 || n > 2) return;
    for (int k = 0; k < n; k++) {
        Const v = e->call.args.at[k].value->konst;
        if (v.kind != (e->type->is_float ? CONST_FLOAT : CONST_INT)) return;
        if (e->type->is_float) f[k] = v.f;
        else i[k] = v.i;
    }
    if (e->type->is_float && fold_float_call(id, f, &fr)) e->konst = const_convert(const_float(fr), e->type, e->type);
    else if (e->type->is_int && fold_int_call(id, e->type, i, &ir)) e->konst = const_int(int_wrap(ir, e->type));
}
