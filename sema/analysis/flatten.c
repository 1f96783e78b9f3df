/* flatten.c -- loop flattening: finds kernels in which nested loops can be one. `over i in m, j in n { y[i, j] += x[i,
 * j]; }` computes with each number of its arrays alike, so it may run along all of them as they lie in memory, instead
 * of one row, or one channel, at a time:
 *
 * - the variables are only indices of elements, in this order, one after the other;
 * - but for the outermost, their ranges begin at 0, and are as long as these arrays are there. Then an element's place
 *   depends on the variables' linear position alone: the others may stay where they begin while the innermost one
 *   counts on.
 *
 * Rows of few items, as the groups of `over i in n, g in 4 { ... x[i, g, k] ... }`, become one long row so. */
#include "sema/analysis/flatten.h"

#include "sema/check.h"

enum { INDEX_BITS = 64 };

typedef struct Uses {
    const Binder *const *axes;
    int n;
    int mentions, accesses; /* of any of the variables; of elements at all of them */
} Uses;

static bool is_name(const Expr *e, const Symbol *s) {
    e = expr_strip((Expr *)e);
    return e->kind == EXPR_NAME && e->name.sym == s;
}

static bool is_as_long(const Range *r, const Dim *dim) {
    if (dim->kind == DIM_CONST) return r->hi->konst.kind == CONST_INT && r->hi->konst.i == dim->value;
    return dim->kind == DIM_SYMBOL && is_name(r->hi, dim->sym);
}

static bool is_flat_from(const Uses *u, const Expr *e, const Symbol *array, int first) {
    for (int d = 0; d < u->n; d++) {
        if (!is_name(e->index.at.at[first + d], u->axes[d]->sym)) return false;
        if (d && !is_as_long(&u->axes[d]->range, &array->dims[first + d])) return false;
    }
    return true;
}

static bool is_flat_access(const Uses *u, const Expr *e) {
    if (e->kind != EXPR_INDEX || expr_is_slice(e)) return false;
    const Symbol *array = e->index.base->kind == EXPR_NAME ? e->index.base->name.sym : NULL;
    if (!array || array->kind != SYM_PARAM || array->type->kind != TY_ARRAY || array->type->rank != e->index.at.n)
        return false;
    for (int first = 0; first + u->n <= e->index.at.n; first++)
        if (is_flat_from(u, e, array, first)) return true;
    return false;
}

static bool see(Expr *e, void *context) {
    Uses *u = context;
    for (int d = 0; d < u->n; d++) u->mentions += e->kind == EXPR_NAME && e->name.sym == u->axes[d]->sym;
    u->accesses += is_flat_access(u, e);
    return false;
}

static bool is_from_0(const Range *r) { return !r->lo || (r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0); }

static bool can_be_one(const Func *kernel, const Binder *const *axes, int n) {
    for (int d = 0; d < n; d++) {
        if (axes[d]->range.step || axes[d]->sym->type->bits != INDEX_BITS) return false;
        if (d && !is_from_0(&axes[d]->range)) return false;
    }
    Uses u = {.axes = axes, .n = n};
    const Block *body = kernel->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) stmt_find(body->stmts.at[i], see, &u);
    return u.accesses && u.mentions == n * u.accesses;
}

int axes_flatten(const Func *kernel, const Binder *const *axes, int n) {
    for (int k = n; k > 1; k--)
        if (can_be_one(kernel, axes + n - k, k)) return k;
    return 0;
}
