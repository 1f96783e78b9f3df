/* fuse.c -- sums and differences with a product in them that sema has marked: both are rounded once (sema/fuse.c). */
#include "interp/run.h"

enum { VALUE_BYTES = 64 }; /* the widest vector */

typedef struct Sum {
    Op op;
    bool left, negated; /* the product is the left operand; under a minus sign */
    const Type *type;
    const void *factors[2], *other;
} Sum;

static void add_up(const Sum *s, char *to) {
    const Type *part = type_of_part(s->type);
    int64_t n = type_size_bytes(part);
    int width = s->type->kind == TY_VECTOR ? s->type->width : 1;
    for (int i = 0; i < width; i++) {
        Const factors[2];
        for (int k = 0; k < 2; k++) factors[k] = interp_load(part, (const char *)s->factors[k] + i * n);
        Const other = interp_load(part, (const char *)s->other + i * n);
        interp_store(part, to + i * n, arith_fused(s->op, part, factors, s->negated, s->left, other));
    }
}

void interp_fused(Frame *f, Expr *e, void *to) {
    ROOM(a, VALUE_BYTES);
    ROOM(b, VALUE_BYTES);
    ROOM(c, VALUE_BYTES);
    bool left = e->binary.fused == FUSED_LEFT;
    Product p = fused_product(left ? e->binary.lhs : e->binary.rhs);
    if (!left) interp_value(f, e->binary.lhs, c);
    interp_value(f, p.whole->binary.lhs, a);
    interp_value(f, p.whole->binary.rhs, b);
    if (left) interp_value(f, e->binary.rhs, c);
    add_up(&(Sum){e->binary.op, left, p.negated, e->type, {a, b}, c}, to);
}

/* s += a * b; */
void interp_fused_update(Frame *f, const Stmt *s) {
    ROOM(a, VALUE_BYTES);
    ROOM(b, VALUE_BYTES);
    Product p = fused_product(s->assign.value);
    interp_value(f, p.whole->binary.lhs, a);
    interp_value(f, p.whole->binary.rhs, b);
    void *at = interp_address(f, s->assign.target);
    add_up(&(Sum){s->assign.op, false, p.negated, s->assign.target->type, {a, b}, at}, at);
}
