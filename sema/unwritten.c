/* unwritten.c -- elements that a launch reads of an array that it writes, and that no work item of it writes: the
 * column or row of a pivot in `a[i, j] -= a[i, k] * a[k, j]` over i and j in k + 1..n, the row before in
 * `t[r, j] = t[r - 1, j]`. They keep their values while the kernel runs, so vector code may read them once for many
 * items, and ahead of time.
 *
 * An index of the element is the same in all items, as it is made of parameters and sizes, and each write has another
 * one there: it is proven to be less, or more, with what is known where the write is. */
#include "sema/check.h"

#include "parser/children.h"

/* A field of an element, or a component: the table of accesses has such a write as a read. */
static bool is_part_of(const Expr *target, const Symbol *array) {
    return target->kind == EXPR_FIELD && expr_root(target) == array;
}

/* Does the array occur otherwise than as the base of an element? `outer` is not NULL where it may. */
static bool is_passed(Expr *e, const Symbol *array, const Expr *outer) {
    if (e->kind == EXPR_ATOMIC && is_part_of(e->atomic.target, array)) return true;
    bool is_base = outer && outer->kind == EXPR_INDEX && outer->index.base == e;
    if (e->kind == EXPR_NAME) return e->name.sym == array && !is_base;
    bool is_size = expr_is_builtin(e, BUILTIN_LEN) || expr_is_builtin(e, BUILTIN_SHAPE);
    if (is_size) return false;
    if (expr_is_slice(e) && expr_root(e) == array) return true;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++)
        if (e->call.args.at[i].mode != REF_NONE && is_part_of(e->call.args.at[i].value, array)) return true;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));)
        if (is_passed(x, array, e)) return true;
    return false;
}

static bool is_passed_in(const Stmt *st, const Symbol *array) {
    if (st->kind == STMT_ASSIGN && is_part_of(st->assign.target, array)) return true;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));)
        if (is_passed(x, array, NULL)) return true;
    for (Stmt *s; (s = child_stmt(&all));)
        if (is_passed_in(s, array)) return true;
    return false;
}

static bool is_only_indexed(const Func *f, const Symbol *array) {
    const Block *body = f->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++)
        if (is_passed_in(body->stmts.at[i], array)) return false;
    return true;
}

static bool is_given(const Func *f, const Symbol *sym) {
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i] == sym) return true;
    for (int i = 0; i < f->sizes.n; i++)
        if (f->sizes.at[i] == sym) return true;
    return false;
}

/* The same value in all work items. */
static bool is_uniform(const Func *f, const Form *at) {
    for (int i = 0; i < at->n; i++) {
        const Atom *atom = &f->facts->atoms.at[at->at[i].atom];
        if (atom->kind != ATOM_NAMED || !atom->of || !is_given(f, atom->of)) return false;
    }
    return true;
}

/* Do all executions of the write have another value of this index? */
static bool is_apart(Affine *known, const Access *write, int d, const Form *from) {
    Form one = form_const(1), above, below;
    known->facts.at = write->guard;
    known->facts.n = write->n_guard;
    return (form_add(&above, from, 1, &one) && affine_at_least(known, &write->at[d], &above)) ||
           (form_add(&below, from, -1, &one) && affine_at_least(known, &below, &write->at[d]));
}

static bool is_unwritten(Affine *known, const Func *f, const Access *read) {
    for (int i = 0; i < f->accesses.n; i++) {
        const Access *write = &f->accesses.at[i];
        if (write->array != read->array || !(write->writes || write->is_atomic)) continue;
        bool apart = false;
        for (int d = 0; d < read->n && d < write->n && !apart; d++)
            apart = is_uniform(f, &read->at[d]) && is_apart(known, write, d, &read->at[d]);
        if (!apart) return false;
    }
    return true;
}

void unwritten_find(Sema *s, Func *f) {
    if (!f->is_kernel || !f->item || !f->item->fn.body) return;
    Affine known = {.arena = s->arena};
    known.atoms.at = f->facts->atoms.at;
    known.atoms.n = f->facts->atoms.n;
    for (int i = 0; i < f->accesses.n; i++) {
        const Access *read = &f->accesses.at[i];
        bool may_be = read->expr && !read->call && read->reads && !read->writes && !read->is_atomic && read->array &&
                      read->array->kind == SYM_PARAM && read->array->mode == REF_MUT;
        if (may_be && is_only_indexed(f, read->array) && is_unwritten(&known, f, read))
            read->expr->index.is_unwritten = true;
    }
}
