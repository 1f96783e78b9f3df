/* fills.c -- recognition of host loops that assign every element of an array: `for i in n { b[i] = ...; }`, one loop
 * for each dimension, in order, each over the whole dimension. Such a loop does not need the old elements, so they are
 * not copied back from a device first. */
#include "sema/flow.h"

typedef struct Nest {
    const Stmt *loops[MAX_RANK];
    int depth;
    SyncList *found;
    Sema *s;
} Nest;

static bool is_int(const Expr *e, int64_t v) { return e->konst.kind == CONST_INT && e->konst.i == v; }

/* len(a), shape(a, d) */
static bool is_extent_of(Expr *e, const Symbol *array, int d) {
    e = expr_strip(e);
    if (e->kind != EXPR_CALL || !e->call.info || e->call.info->kind != CALL_BUILTIN || !e->call.args.n) return false;
    const Expr *x = e->call.args.at[0].value;
    if (x->kind != EXPR_NAME || x->name.sym != array) return false;
    if (e->call.info->builtin == BUILTIN_LEN) return array->type->rank == 1;
    return e->call.info->builtin == BUILTIN_SHAPE && is_int(e->call.args.at[1].value, d);
}

static bool covers(const Range *r, const Symbol *array, int d) {
    if ((r->lo && !is_int(r->lo, 0)) || (r->step && !is_int(r->step, 1))) return false;
    if (is_extent_of(r->hi, array, d)) return true;
    return dim_is_same(dim_of(r->hi), array->dims[d]);
}

static bool stores_all(const Nest *n, const Stmt *st) {
    const Expr *target = st->assign.target;
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (!plain || target->kind != EXPR_INDEX || target->index.base->kind != EXPR_NAME || target->index.at.n != n->depth)
        return false;
    for (int d = 0; d < n->depth; d++) {
        const Expr *at = expr_strip(target->index.at.at[d]);
        if (at->kind != EXPR_NAME || at->name.sym != n->loops[d]->for_.binder.sym) return false;
        if (!covers(&n->loops[d]->for_.binder.range, target->index.base->name.sym, d)) return false;
    }
    return true;
}

/* The assignments that each iteration executes: those up to the first statement that may leave the loop. */
static void look(Nest *n, const Stmt *loop) {
    if (n->depth == MAX_RANK) return;
    n->loops[n->depth++] = loop;
    const Block *body = loop->for_.body;
    for (int i = 0; i < body->stmts.n && !stmt_holds(body->stmts.at[i], STMTS_LEAVE); i++) {
        const Stmt *st = body->stmts.at[i];
        if (st->kind == STMT_FOR) look(n, st);
        if (st->kind != STMT_ASSIGN || !stores_all(n, st)) continue;
        SyncPoint point = {st->assign.target->index.base->name.sym, SYNC_WRITE};
        vec_push(n->s->arena, n->found, point);
    }
    for (int i = 0; i < body->stmts.n; i++) /* a later `break` skips turns */
        if (stmt_holds(body->stmts.at[i], STMTS_LEAVE)) n->found->n = 0;
    n->depth--;
}

void fills_find(Sema *s, const Stmt *loop, SyncList *found) {
    Nest n = {.found = found, .s = s};
    look(&n, loop);
}
