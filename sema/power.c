/* power.c -- which integers of a function are powers of two at any time (an invariant, by induction): 0 and the powers
 * of two, with either sign, stay such when they are doubled or halved, also where a product wraps. A variable is one if
 * all that is ever assigned to it is. */
#include "parser/children.h"
#include "sema/check.h"

enum { MAX_INDUCTION = 8 };

typedef struct Induction {
    const Func *f;
    const Symbol *assumed[MAX_INDUCTION]; /* the hypotheses */
    int n;
} Induction;

static bool is_single_bit(int64_t v, const Type *t) {
    if (v < 0 && !t->is_signed) return v == INT64_MIN;
    uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    return !(size & (size - 1));
}

static bool holds(Induction *in, const Expr *e);

typedef struct Change {
    Induction *in;
    const Symbol *sym;
} Change;

static bool takes_reference(Expr *e, void *context) {
    const Change *u = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (a->mode != REF_NONE && a->mode != REF_IN && expr_root(a->value) == u->sym) return true;
    }
    return e->kind == EXPR_ATOMIC && expr_root(e->atomic.target) == u->sym;
}

static bool keeps(Induction *in, const Stmt *st) {
    Op op = st->assign.op;
    if (st->assign.is_min || st->assign.is_max || op == OP_NONE || op == OP_MUL || op == OP_DIV)
        return holds(in, st->assign.value);
    return op == OP_SHL || op == OP_SHR;
}

static bool is_broken(Change *u, const Stmt *st) {
    Children all = stmt_children(st);
    if (st->kind == STMT_ASSIGN && expr_root(st->assign.target) == u->sym && !keeps(u->in, st)) return true;
    for (Expr *e; (e = child_expr(&all));)
        if (expr_find(e, takes_reference, u)) return true;
    for (Stmt *inner; (inner = child_stmt(&all));)
        if (is_broken(u, inner)) return true;
    return false;
}

static bool is_variable(Induction *in, const Symbol *sym) {
    for (int i = 0; i < in->n; i++)
        if (in->assumed[i] == sym) return true;
    bool is_own = sym && sym->func == in->f && sym->kind == SYM_LOCAL && sym->init && in->n < MAX_INDUCTION;
    if (!is_own || !type_is_integer(sym->type)) return false;
    in->assumed[in->n++] = sym;
    if (!holds(in, sym->init)) return false;
    const Block *body = in->f->item->fn.body;
    for (int i = 0; sym->is_mutable && i < body->stmts.n; i++)
        if (is_broken(&(Change){in, sym}, body->stmts.at[i])) return false;
    return true;
}

static bool is_computed(Induction *in, const Expr *e) {
    Op op = e->binary.op;
    if (op == OP_SHL || op == OP_SHR) return holds(in, e->binary.lhs);
    return (op == OP_MUL || op == OP_DIV) && holds(in, e->binary.lhs) && holds(in, e->binary.rhs);
}

static bool is_chosen(Induction *in, const Expr *e) {
    const CallInfo *info = e->call.info;
    if (!info || info->kind != CALL_BUILTIN) return false;
    if (info->builtin != BUILTIN_MIN && info->builtin != BUILTIN_MAX) return false;
    for (int i = 0; i < e->call.args.n; i++)
        if (!holds(in, e->call.args.at[i].value)) return false;
    return true;
}

static bool holds(Induction *in, const Expr *e) {
    if (!type_is_integer(e->type)) return false;
    if (e->konst.kind == CONST_INT) return is_single_bit(e->konst.i, e->type);
    if (e->kind == EXPR_CONVERT) {
        const Type *from = e->convert.operand->type; /* -2^k has other bits without a sign */
        return type_is_integer(from) && (e->type->is_signed || !from->is_signed) && holds(in, e->convert.operand);
    }
    if (e->kind == EXPR_BINARY) return is_computed(in, e);
    if (e->kind == EXPR_CALL) return is_chosen(in, e);
    return e->kind == EXPR_NAME && is_variable(in, e->name.sym);
}

bool is_power_of_two(const Func *f, const Expr *e) {
    Induction in = {.f = f};
    return f->item && f->item->fn.body && holds(&in, e);
}
