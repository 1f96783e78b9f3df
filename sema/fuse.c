/* fuse.c -- contraction of products and sums to fused multiply-add. A product whose only use is a sum or difference in
 * the same expression is rounded once, together with the sum, on every machine and in constants. The tree alone
 * decides which products these are: this file marks them, and no later pass fuses any other operation. Invariant: the
 * product, its factors and the sum have one type, f32, f64 or a vector of these (not every machine has the operation
 * for 16-bit floats). Atomic updates are never fused. */
#include "sema/check.h"

Product fused_product(Expr *operand) {
    Product p = {.whole = operand};
    while (p.whole->kind == EXPR_UNARY && p.whole->unary.op == OP_NEG) {
        p.negated = !p.negated;
        p.whole = p.whole->unary.operand;
    }
    return p;
}

/* NULL: of an expression that stays unchecked after an error in another one. */
static bool can_fuse(const Type *t) {
    if (!t) return false;
    t = type_of_part(t);
    return t->is_float && !type_is_half(t);
}

static bool is_product(Expr *e, const Type *t) {
    e = fused_product(e).whole;
    if (e->kind != EXPR_BINARY || e->binary.op != OP_MUL || e->type != t) return false;
    return e->binary.lhs->type == t && e->binary.rhs->type == t;
}

/* Of two products the left one. */
Fused fuse_operand(const Expr *e) {
    Op op = e->binary.op;
    if ((op != OP_ADD && op != OP_SUB) || !can_fuse(e->type)) return FUSED_NONE;
    if (is_product(e->binary.lhs, e->type)) return FUSED_LEFT;
    return is_product(e->binary.rhs, e->type) ? FUSED_RIGHT : FUSED_NONE;
}

static bool host_fuses(Sema *s) {
    const SemaOptions *o = s->options;
    if (!s->is_host_asked) s->host_fuses = !o || !o->host_fuses || o->host_fuses(o->march);
    s->is_host_asked = true;
    return s->host_fuses;
}

Fused fuse_constant(Sema *s, const Expr *e) {
    Fused operand = s->strict ? FUSED_NONE : fuse_operand(e);
    return operand && host_fuses(s) ? operand : FUSED_NONE;
}

/* dot(a, b) is a.x * b.x + a.y * b.y + ..., and the others are sums of products as well. */
static bool is_sum_of_products(const Expr *e) {
    const CallInfo *info = e->call.info;
    if (!info || info->kind != CALL_BUILTIN) return false;
    return info->builtin == BUILTIN_DOT || info->builtin == BUILTIN_CROSS || info->builtin == BUILTIN_LENGTH;
}

static bool mark_expr(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_BINARY && e->konst.kind == CONST_NONE) e->binary.fused = fuse_operand(e);
    if (e->kind == EXPR_CALL) e->call.fused = is_sum_of_products(e) && can_fuse(e->type);
    return false;
}

bool fuse_update(const Sema *s, const Stmt *st) {
    bool sums = st->assign.op == OP_ADD || st->assign.op == OP_SUB;
    Type *t = st->assign.value->type;
    return sums && !s->strict && can_fuse(t) && is_product(st->assign.value, t);
}

void fuse_mark(Sema *s, Func *f) {
    const Block *body = f->item ? f->item->fn.body : NULL;
    if (body && !s->strict) block_find(body, mark_expr, NULL);
}
