/* evaluate.c -- constant evaluation on the checked tree, with the language's arithmetic (sema/arith.h). Only integers
 * and bools, and only expressions without effects, so that a caller may replace the expression by its value. */
#include "sema/analysis/evaluate.h"

#include "sema/arith.h"

#define NOT_KNOWN ((Const){.kind = CONST_NONE})

static bool is_plain(const Type *t) { return t->is_int || t->kind == TY_BOOL; }

static Const binary_of(Op op, const Type *t, Const a, Const b) {
    if (a.kind == CONST_NONE || a.kind != b.kind || !arith_is_defined(op, t, b)) return NOT_KNOWN;
    return arith_binary(op, t, a, b, NULL);
}

/* The right side of && and || is evaluated only when it decides. */
static Const of_binary(const Expr *e, Known known, void *context) {
    Const a = evaluate_expr(e->binary.lhs, known, context);
    if (a.kind == CONST_NONE) return NOT_KNOWN;
    if (op_info[e->binary.op].kind == OPK_LOGIC && a.i == (e->binary.op == OP_OR)) return a;
    return binary_of(e->binary.op, e->binary.lhs->type, a, evaluate_expr(e->binary.rhs, known, context));
}

static Const of_unary(const Expr *e, Known known, void *context) {
    Const a = evaluate_expr(e->unary.operand, known, context);
    return a.kind == CONST_NONE ? NOT_KNOWN : arith_unary(e->unary.op, e->type, a, NULL);
}

static Const converted(const Expr *operand, const Type *to, Known known, void *context) {
    return const_convert(evaluate_expr(operand, known, context), operand->type, to);
}

static Const of_call(const Expr *e, Known known, void *context) {
    enum { MOST_ARGS = 3 };
    const CallInfo *info = e->call.info;
    int n = e->call.args.n;
    Const x[MOST_ARGS], r = NOT_KNOWN;
    if (!info || n < 1 || n > MOST_ARGS) return NOT_KNOWN;
    const Expr *first = e->call.args.at[0].value;
    if (info->kind == CALL_CONVERT && n == 1) return converted(first, e->type, known, context);
    if (info->kind != CALL_BUILTIN || info->receiver || !first->type->is_int) return NOT_KNOWN;
    for (int i = 0; i < n; i++) {
        x[i] = evaluate_expr(e->call.args.at[i].value, known, context);
        if (x[i].kind != CONST_INT) return NOT_KNOWN;
    }
    return number_value(info->builtin, first->type, x, &r) ? r : NOT_KNOWN;
}

Const evaluate_expr(const Expr *e, Known known, void *context) {
    if (!is_plain(e->type)) return NOT_KNOWN;
    if (e->konst.kind != CONST_NONE) return e->konst;
    Const k = known(e, context);
    if (k.kind != CONST_NONE) return k;
    switch (e->kind) {
    case EXPR_UNARY: return of_unary(e, known, context);
    case EXPR_BINARY: return of_binary(e, known, context);
    case EXPR_CALL: return of_call(e, known, context);
    case EXPR_CONVERT: return converted(e->convert.operand, e->type, known, context);
    case EXPR_IF:
        k = evaluate_expr(e->if_.cond, known, context);
        return k.kind == CONST_NONE ? k : evaluate_expr(k.i ? e->if_.then_ : e->if_.else_, known, context);
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_NAME: case EXPR_INDEX:
    case EXPR_FIELD: case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD:
    case EXPR_ATOMIC: case EXPR__COUNT: break;
    }
    return NOT_KNOWN;
}

Const evaluate_update(const Stmt *assign, const Type *t, Const v, Const by) {
    bool is_extreme = assign->assign.is_min || assign->assign.is_max;
    if (!is_extreme && assign->assign.op == OP_NONE) return by;
    if (v.kind == CONST_NONE || by.kind == CONST_NONE) return NOT_KNOWN;
    if (is_extreme) return arith_min_or_max(assign->assign.is_max, t, v, by);
    return binary_of(assign->assign.op, t, v, by);
}
