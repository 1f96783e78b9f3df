/* learn.c -- what a condition says of the values that it compares, where it holds and where it does not. */
#include "sema/access.h"

/* a is one of `orders` of b. */
static void learn_order(Walk *w, unsigned orders, const Form *a, const Form *b) {
    int apart = !(orders & ORDER_EQUAL);
    if (!(orders & ORDER_GREATER)) affine_learn_at_least(&w->a, b, a, apart);
    if (!(orders & ORDER_LESS)) affine_learn_at_least(&w->a, a, b, apart);
    if (orders != (ORDER_LESS | ORDER_GREATER)) return;
    if (affine_at_least(&w->a, a, b)) affine_learn_at_least(&w->a, a, b, 1);
    else if (affine_at_least(&w->a, b, a)) affine_learn_at_least(&w->a, b, a, 1);
}

static bool changes_variables(Expr *e, void *context) {
    (void)context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++)
        if (e->call.args.at[i].mode != REF_NONE && e->call.args.at[i].mode != REF_IN) return true;
    return false;
}

/* Of a condition that was computed earlier: is one of its operands what could be different by now? */
static bool may_have_changed(Expr *e, void *context) {
    (void)context;
    switch (e->kind) {
    case EXPR_NAME: return !e->name.sym || e->name.sym->is_mutable;
    case EXPR_INT: case EXPR_BOOL: case EXPR_UNARY: case EXPR_BINARY: case EXPR_CONVERT: return false;
    case EXPR_ERROR: case EXPR_FLOAT: case EXPR_STR: case EXPR_CALL: case EXPR_INDEX: case EXPR_FIELD: case EXPR_FILL:
    case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_IF: case EXPR_OFFLOAD: case EXPR_ATOMIC:
    case EXPR__COUNT: break;
    }
    return e->konst.kind == CONST_NONE;
}

/* `if inside`, where `let inside = k >= 0 && k < n;`. */
static Expr *named_condition(const Expr *e) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    bool has_init = sym && sym->kind == SYM_LOCAL && !sym->is_mutable && sym->init;
    return has_init && !expr_find(sym->init, may_have_changed, NULL) ? sym->init : NULL;
}

/* The operands of a comparison are evaluated again, with the values that they have just had; so nothing is learnt if a
 * call in the condition may have changed a variable. */
void walk_learn(Walk *w, Expr *e, bool holds) {
    if (e->konst.kind != CONST_NONE || expr_find(e, changes_variables, NULL)) return;
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym == w->f->group.inside) {
        if (holds) walk_learn_inside(w);
        return;
    }
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) walk_learn(w, e->unary.operand, !holds);
    Expr *earlier = named_condition(e);
    if (earlier) walk_learn(w, earlier, holds);
    if (e->kind != EXPR_BINARY) return;
    Op op = e->binary.op;
    if (op_info[op].kind == OPK_LOGIC) {
        if ((op == OP_AND) != holds) return;
        walk_learn(w, e->binary.lhs, holds);
        walk_learn(w, e->binary.rhs, holds);
        return;
    }
    if (op_info[op].kind != OPK_COMPARE || !type_is_integer(e->binary.lhs->type) ||
        !type_is_integer(e->binary.rhs->type)) return;
    w->quiet++;
    Form a = walk_expr(w, e->binary.lhs), b = walk_expr(w, e->binary.rhs);
    w->quiet--;
    learn_order(w, holds ? op_info[op].orders : ORDER_ALL & ~op_info[op].orders, &a, &b);
}
