/* expr.c -- what evaluating an expression reads and writes. Functions are followed at each call. */
#include "parser/children.h"
#include "sema/exposed/exposed.h"

/* Expressions ------------------------------------------------------------------------------------------------------ */

/* The indices of a place. */
void exposed_walk_indices(Walk *w, Expr *e) {
    if (e->kind == EXPR_FIELD) exposed_walk_indices(w, e->field.base);
    if (e->kind != EXPR_INDEX) return;
    exposed_walk_indices(w, e->index.base);
    for (int d = 0; d < e->index.at.n; d++) exposed_walk_expr(w, e->index.at.at[d]);
}

void exposed_read_place(Walk *w, Expr *e) {
    Mention p = exposed_mention_of(w, e);
    if (p.to) exposed_read_part(w, p.to, p.part);
}

static bool leaves_early(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        if (stmt_holds(st, STMTS_RETURN) && !(i == b->stmts.n - 1 && st->kind == STMT_RETURN)) return true;
    }
    return false;
}

/* Of a slice of what `base` refers to. */
static Ref sliced(Walk *w, const Ref *base, const Expr *e) {
    Ref r = {base->to, arena_array(w->arena, Axis, base->to->rank + 1), 0, false, base->is_inside};
    for (int d = 0, k = 0; d < base->to->rank; d++) {
        r.at[d] = base->at[d];
        if (!base->at[d].is_open) continue;
        const Expr *i = e->index.at.at[k++];
        const Range *range = i->kind == EXPR_RANGE ? &i->range.range : NULL;
        r.at[d].is_open = range != NULL;
        r.n_open += range != NULL;
        if (range && range->lo) i = range->lo;
        else if (range) continue;
        isl_pw_aff *more = range && range->step ? NULL : quasi_int(&w->frame->quasi, i, w->states);
        r.at[d].from = exposed_keep_value(w, isl_pw_aff_add(isl_pw_aff_copy(base->at[d].from), more));
    }
    return r;
}

static Ref ref_to(Walk *w, const Expr *e) {
    if (e->kind == EXPR_NAME) return exposed_ref_of(w, e->name.sym);
    const Expr *name = expr_is_slice(e) ? e->index.base : NULL;
    Ref base = name && name->kind == EXPR_NAME ? exposed_ref_of(w, name->name.sym) : (Ref){0};
    if (base.to && base.n_open == e->index.at.n) return sliced(w, &base, e);
    Tracked *to = exposed_mention_of(w, e).to;
    return (Ref){to, arena_array(w->arena, Axis, (to ? to->rank : 0) + 1), 0, false, true};
}

static void bind_arguments(Walk *w, Frame *in, const Expr *e) {
    const Func *f = in->quasi.f;
    quasi_bind_sizes(&w->frame->quasi, &in->quasi, e, w->states);
    for (int i = 0; i < f->params.n && i < e->call.args.n; i++) {
        const Symbol *p = f->params.at[i];
        const Expr *value = e->call.args.at[i].value;
        Ref r = p->mode == REF_NONE ? (Ref){0} : ref_to(w, value);
        if (p->mode == REF_NONE) exposed_bind_value(w, in, p, value);
        else if (r.to && !r.to->is_private) in->refs[p->id] = r;
    }
}

/* A function, as often as it is called. */
static void walk_body(Walk *w, const Expr *e) {
    const Func *f = e->call.info->func;
    State before = exposed_save(w);
    int n = w->values.n;
    Frame in = {quasi_frame(&w->q, f), arena_array(w->arena, Ref, f->n_symbols + 1)}, *caller = w->frame;
    bind_arguments(w, &in, e);
    w->frame = &in;
    exposed_walk_block(w, f->item->fn.body);
    w->frame = caller;
    w->is_dead = before.is_dead;
    exposed_forget_values(w, n);
    w->states = before.states;
    if (leaves_early(f->item->fn.body)) exposed_restore(w, &before);
    quasi_frame_end(&in.quasi);
}

static void walk_call(Walk *w, Expr *e) {
    const Func *f = e->call.info->func;
    bool has_body = f->item && f->item->fn.body && !f->facts->skip, matters = false;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        Mention p = a->mode == REF_NONE ? (Mention){0} : exposed_mention_of(w, a->value);
        if (p.to) exposed_walk_indices(w, a->value);
        else exposed_walk_expr(w, a->value);
        matters |= p.to && !p.to->is_private;
    }
    if (matters && has_body && w->calls > 0) {
        w->calls--;
        walk_body(w, e);
    }
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        Mention p = a->mode == REF_NONE ? (Mention){0} : exposed_mention_of(w, a->value);
        if (!p.to) continue;
        if (p.to->is_private && a->mode != REF_IN) exposed_gain(w, p.to, p.to->box); /* irgen/lang/shadow_private.c */
        else if (!p.to->is_private && !(has_body && w->calls > 0)) exposed_read_part(w, p.to, p.to->box);
    }
}

/* Evaluated only under a condition, which may be NULL: what it writes does not count. */
static void walk_under(Walk *w, Expr *e, isl_set *c, bool holds) {
    State before = exposed_save(w);
    if (c) exposed_suppose(w, c, holds);
    exposed_walk_expr(w, e);
    exposed_restore(w, &before);
}

static void walk_atomic(Walk *w, Expr *e) {
    exposed_walk_indices(w, e->atomic.target);
    exposed_walk_expr(w, e->atomic.value);
    if (e->atomic.was) exposed_walk_expr(w, e->atomic.was);
    exposed_read_place(w, e->atomic.target);
    Mention p = exposed_mention_of(w, e->atomic.target);
    exposed_write_place(w, &p);
}

static void walk_at(Walk *w, Expr *e) {
    Expr *array = e->call.info->receiver;
    ExprList at = {0};
    for (int i = 0; i < e->call.args.n; i++) {
        exposed_walk_expr(w, e->call.args.at[i].value);
        vec_push(w->arena, &at, e->call.args.at[i].value);
    }
    Mention p = exposed_mention_of(w, array);
    Ref r = array->kind == EXPR_NAME ? exposed_ref_of(w, array->name.sym) : (Ref){0};
    bool is_known = true;
    if (!p.to) exposed_walk_expr(w, array);
    else exposed_read_part(w, p.to, r.to && r.n_open == at.n ? exposed_element(w, &r, &at, &is_known) : p.part);
}

static void walk_choice(Walk *w, Expr *e) {
    bool is_if = e->kind == EXPR_IF;
    Expr *first = is_if ? e->if_.cond : e->binary.lhs;
    exposed_walk_expr(w, first);
    isl_set *c = exposed_keep(w, quasi_bool(&w->frame->quasi, first, w->states));
    walk_under(w, is_if ? e->if_.then_ : e->binary.rhs, c, is_if || e->binary.op == OP_AND);
    if (is_if) walk_under(w, e->if_.else_, c, false);
}

void exposed_walk_expr(Walk *w, Expr *e) {
    bool is_choice = e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR);
    bool is_call = e->kind == EXPR_CALL && e->call.info;
    if (expr_is_builtin(e, BUILTIN_LEN) || expr_is_builtin(e, BUILTIN_SHAPE)) return;
    if (e->kind == EXPR_ATOMIC) walk_atomic(w, e);
    else if (e->kind == EXPR_IF || is_choice) walk_choice(w, e);
    else if (expr_is_builtin(e, BUILTIN_AT)) walk_at(w, e);
    else if (is_call && e->call.info->kind == CALL_FUNC) walk_call(w, e);
    else if ((e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_FIELD) && exposed_mention_of(w, e).to) {
        exposed_walk_indices(w, e);
        exposed_read_place(w, e);
    } else {
        State before = exposed_save(w);
        Children all = expr_children(e);
        for (Expr *x; (x = child_expr(&all));) exposed_walk_expr(w, x);
        if (is_call && e->call.info->receiver) exposed_walk_expr(w, e->call.info->receiver);
        if (e->kind == EXPR_COMPREHEND) exposed_restore(w, &before);
    }
}
