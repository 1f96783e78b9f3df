/* fold.c -- constant folding. A folded node keeps its operands; its `konst` is its value. Typed integers wrap as at
 * run time. Untyped integers have 64 bits, and overflow is an error, because no type says how they should wrap.
 * Division by zero and shifts by the width or more are errors. */
#include "sema/check.h"

static const char *type_words(const Type *t) { return type_is_literal(t) ? "a 64-bit constant" : t->name; }

bool check_divisor(Sema *s, Op op, const Type *t, Expr *rhs) {
    if (rhs->konst.kind != CONST_INT || arith_is_defined(op, t, rhs->konst)) return true;
    if (op_info[op].kind == OPK_SHIFT)
        diag(s->c, E0706, rhs->span, "cannot shift by %s: %s has only %d bits",
             const_text(s, rhs->konst, rhs->type), type_words(t), t->bits);
    else diag(s->c, E0705, rhs->span, "division by zero");
    return false;
}

static void overflow(Sema *s, Expr *e) {
    Diag *d =
        diag(s->c, E0709, e->span, "this constant does not fit in `i64`, in which numbers without a type are computed");
    diag_note(s->c, d, e->span, "give one of the numbers a type, as in `1u64 << 63`; then it wraps around");
    bad(s, e);
}

/* The value, unless it is one of no type and left its 64 bits. */
static void give(Sema *s, Expr *e, Const v, bool over) {
    if (over && type_is_literal(e->type)) overflow(s, e);
    else e->konst = v;
}

void fold_unary(Sema *s, Expr *e) {
    Const a = e->unary.operand->konst;
    bool over = false;
    if (a.kind == CONST_NONE || a.kind == CONST_STR) return;
    Const v = arith_unary(e->unary.op, e->type, a, &over);
    give(s, e, v, over);
}

/* Rounded once, as code does it. */
static Const fused(const Expr *e) {
    bool left = e->binary.fused == FUSED_LEFT;
    Product p = fused_product(left ? e->binary.lhs : e->binary.rhs);
    Const factors[2] = {p.whole->binary.lhs->konst, p.whole->binary.rhs->konst};
    Const other = (left ? e->binary.rhs : e->binary.lhs)->konst;
    return arith_fused(e->binary.op, e->type, factors, p.negated, left, other);
}

void fold_binary(Sema *s, Expr *e) {
    Op op = e->binary.op;
    Const a = e->binary.lhs->konst, b = e->binary.rhs->konst;
    if (!is_bad(e->type) && !check_divisor(s, op, e->type, e->binary.rhs)) bad(s, e);
    if (is_bad(e->type) || a.kind == CONST_NONE || b.kind == CONST_NONE || a.kind != b.kind) return;
    if (a.kind == CONST_STR) return;
    if (a.kind == CONST_FLOAT) e->binary.fused = fuse_constant(s, e);
    bool over = false;
    Const v = e->binary.fused ? fused(e) : arith_binary(op, e->binary.lhs->type, a, b, &over);
    give(s, e, v, over);
}

/* Calls with constant arguments, so that `const PI = 4.0 * atan(1.0);` works. */
void fold_builtin(Expr *e) {
    enum { MAX_ARGS = 3 };
    Const x[MAX_ARGS];
    int n = e->call.args.n;
    if (is_bad(e->type) || n < 1 || n > MAX_ARGS) return;
    const Type *t = e->call.args.at[0].value->type;
    for (int k = 0; k < n; k++) {
        x[k] = e->call.args.at[k].value->konst;
        if (x[k].kind != (t->is_float ? CONST_FLOAT : CONST_INT)) return;
    }
    Const r;
    if (number_value(e->call.info->builtin, t, x, &r)) e->konst = r;
}
