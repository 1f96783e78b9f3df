/* flatten.c -- loop flattening: finds kernels in which two nested loops can be one. `over i in n { for c in 0..3 { o[i,
 * c] = f(x[i, c]); } }` computes with each number of its arrays alike, so it may run along all of them as they lie in
 * memory, instead of one channel at a time:
 *
 * - the inner range is constant, short, and begins at 0;
 * - the two variables are only the last two indices of elements, in this order, and the last extent of these arrays is
 *   the length of the inner range. Then an element's place depends on the variables' linear position alone: the outer
 *   variable may stay where it begins while the inner one counts on. */
#include "sema/analysis/flatten.h"

#include "sema/check.h"

enum { FEWEST = 2, MOST = 16, INDEX_BITS = 64 };

typedef struct Uses {
    const Symbol *outer, *inner;
    int64_t extent;
    int mentions, accesses; /* of either variable; of elements at both */
} Uses;

static bool is_name(const Expr *e, const Symbol *s) {
    e = expr_strip((Expr *)e);
    return e->kind == EXPR_NAME && e->name.sym == s;
}

static bool is_flat_access(const Uses *u, const Expr *e) {
    if (e->kind != EXPR_INDEX || expr_is_slice(e) || e->index.at.n < 2) return false;
    int n = e->index.at.n;
    const Symbol *array = e->index.base->kind == EXPR_NAME ? e->index.base->name.sym : NULL;
    if (!array || array->kind != SYM_PARAM || array->type->kind != TY_ARRAY || array->type->rank != n) return false;
    if (array->dims[n - 1].kind != DIM_CONST || array->dims[n - 1].value != u->extent) return false;
    return is_name(e->index.at.at[n - 2], u->outer) && is_name(e->index.at.at[n - 1], u->inner);
}

static bool see(Expr *e, void *context) {
    Uses *u = context;
    u->mentions += e->kind == EXPR_NAME && (e->name.sym == u->outer || e->name.sym == u->inner);
    u->accesses += is_flat_access(u, e);
    return false;
}

bool axes_flatten(const Func *kernel, const Binder *outer, const Binder *inner) {
    const Range *r = &inner->range;
    const Const *hi = &r->hi->konst;
    bool from_0 = !r->lo || (r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0);
    if (!from_0 || r->step || outer->range.step || hi->kind != CONST_INT || hi->i < FEWEST || hi->i > MOST)
        return false;
    if (inner->sym->type->bits != INDEX_BITS || outer->sym->type->bits != INDEX_BITS) return false;
    Uses u = {.outer = outer->sym, .inner = inner->sym, .extent = (int64_t)hi->i};
    const Block *body = kernel->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) stmt_find(body->stmts.at[i], see, &u);
    return u.accesses && u.mentions == 2 * u.accesses;
}
