/* stmt.c -- what statements write, whichever path is taken, and integers that are assigned: a variable that each
 * iteration of a `while` advances by the same amount is an affine function of the number of the iteration (induction
 * variable). */
#include "parser/children.h"
#include "sema/exposed/exposed.h"

#include <isl/id.h>
#include <isl/val.h>

/* Statements ------------------------------------------------------------------------------------------------------- */

static void walk_stmt(Walk *w, Stmt *st);

/* Variables ------------------------------------------------------------------------------------------------------- */

typedef Vec(const Symbol *) Symbols;

/* An integer that may be assigned, whose value is followed from statement to statement. */
static bool is_variable(const Walk *w, const Symbol *sym) {
    const Func *f = w->frame->quasi.f;
    bool is_ours = sym && sym->kind == SYM_LOCAL && sym->func == f && sym->id >= 0 && sym->id < f->n_symbols;
    return is_ours && sym->is_mutable && !sym->is_shared && sym->type->kind >= TY_I8 && sym->type->kind <= TY_INDEX;
}

typedef struct Changes {
    Walk *w;
    Symbols *all;
} Changes;

static void add_changed(Walk *w, Symbols *all, const Expr *e) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    bool is_new = is_variable(w, sym);
    for (int i = 0; is_new && i < all->n; i++) is_new = all->at[i] != sym;
    if (is_new) vec_push(w->arena, all, sym);
}

static bool find_passed(Expr *e, void *context) {
    Changes *c = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (a->mode == REF_MUT || a->mode == REF_OUT) add_changed(c->w, c->all, a->value);
    }
    if (e->kind == EXPR_ATOMIC) add_changed(c->w, c->all, e->atomic.target);
    return false;
}

static void passed(Walk *w, const Stmt *st, Symbols *all) {
    Children c = stmt_children(st);
    for (Expr *e; (e = child_expr(&c));) expr_find(e, find_passed, &(Changes){w, all});
}

/* The variables that a statement changes. */
static void changed(Walk *w, const Stmt *st, Symbols *all) {
    if (st->kind == STMT_ASSIGN) add_changed(w, all, st->assign.target);
    passed(w, st, all);
    Children c = stmt_children(st);
    while (child_expr(&c)) continue;
    for (Stmt *s; (s = child_stmt(&c));) changed(w, s, all);
}

/* What an expression of the statement itself changes has no known value in any of them. */
static void unbind_passed(Walk *w, const Stmt *st) {
    Symbols all = {0};
    passed(w, st, &all);
    for (int i = 0; i < all.n; i++) quasi_bind(&w->frame->quasi, all.at[i], NULL);
}

/* Blocks ---------------------------------------------------------------------------------------------------------- */

void exposed_walk_block(Walk *w, const Block *b) {
    int n = w->values.n;
    for (int i = 0; i < b->stmts.n && !w->is_dead; i++) {
        unbind_passed(w, b->stmts.at[i]);
        walk_stmt(w, b->stmts.at[i]);
    }
    exposed_forget_values(w, n);
}

static isl_pw_aff *value_of(const Walk *w, const Symbol *sym) { return w->frame->quasi.value[sym->id]; }

static void unbind(Walk *w, const Symbol *sym) { quasi_bind(&w->frame->quasi, sym, NULL); }

/* A variable that is assigned. */
static void assign(Walk *w, Stmt *st) {
    const Symbol *sym = st->assign.target->name.sym;
    Expr sum = {.kind = EXPR_BINARY, .type = st->assign.target->type};
    sum.binary.op = st->assign.op;
    sum.binary.lhs = st->assign.target;
    sum.binary.rhs = st->assign.value;
    bool is_choice = st->assign.is_min || st->assign.is_max;
    const Expr *e = st->assign.op == OP_NONE ? st->assign.value : &sum;
    if (is_variable(w, sym))
        quasi_bind(&w->frame->quasi, sym, is_choice ? NULL : quasi_int(&w->frame->quasi, e, w->states));
}

static void walk_assign(Walk *w, Stmt *st) {
    Expr *target = st->assign.target;
    bool is_plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    exposed_walk_indices(w, target);
    exposed_walk_expr(w, st->assign.value);
    if (!is_plain) exposed_read_place(w, target);
    Mention p = exposed_mention_of(w, target);
    exposed_write_place(w, &p);
    if (target->kind == EXPR_NAME) assign(w, st);
}

static void walk_let(Walk *w, Stmt *st) {
    const Symbol *sym = st->let.sym;
    if (st->let.init) exposed_walk_expr(w, st->let.init);
    Tracked *t = sym ? exposed_ref_of(w, sym).to : NULL;
    if (t) t->set = t->gain = exposed_keep(w, isl_set_empty(exposed_elements(w, t))); /* each time it is declared */
    if (sym && !st->let.is_var && st->let.init) exposed_bind_value(w, w->frame, sym, st->let.init);
    if (is_variable(w, sym))
        quasi_bind(&w->frame->quasi, sym, st->let.init ? quasi_int(&w->frame->quasi, st->let.init, w->states) : NULL);
}

/* What all items that come to the end of an `if` have; `c`: its condition, or NULL. */
static void join(Walk *w, const State *before, const State *yes, const State *no, isl_set *c) {
    bool both = !yes->is_dead && !no->is_dead;
    exposed_restore(w, before);
    w->is_dead = yes->is_dead && no->is_dead;
    if (w->is_dead) return;
    if (c && !both) exposed_suppose(w, c, !yes->is_dead);
    isl_set *other = c ? exposed_keep(w, isl_set_complement(isl_set_copy(c))) : NULL;
    for (int i = 0; i < w->n; i++) {
        isl_set *a = yes->sets[2 * i + 1], *b = no->sets[2 * i + 1];
        if (!both && !c) {
            exposed_gain(w, &w->arrays[i], yes->is_dead ? b : a);
        } else if (both && !c) {
            exposed_gain(w, &w->arrays[i], exposed_keep(w, isl_set_intersect(isl_set_copy(a), isl_set_copy(b))));
        } else {
            isl_set *in_a = exposed_where(isl_set_copy(a), isl_set_copy(c));
            isl_set *in_b = exposed_where(isl_set_copy(b), isl_set_copy(other));
            exposed_keep(w, in_a);
            exposed_keep(w, in_b);
            if (!yes->is_dead) exposed_gain(w, &w->arrays[i], in_a);
            if (!no->is_dead) exposed_gain(w, &w->arrays[i], in_b);
        }
    }
}

static void walk_if(Walk *w, Stmt *st) {
    Symbols changes = {0};
    changed(w, st, &changes);
    isl_pw_aff **was = arena_array(w->arena, isl_pw_aff *, changes.n + 1);
    exposed_walk_expr(w, st->if_.cond);
    for (int i = 0; i < changes.n; i++) was[i] = exposed_keep_value(w, isl_pw_aff_copy(value_of(w, changes.at[i])));
    isl_set *c = exposed_keep(w, quasi_bool(&w->frame->quasi, st->if_.cond, w->states));
    State before = exposed_save(w);
    exposed_begin_gain(w);
    if (c) exposed_suppose(w, c, true);
    exposed_walk_block(w, st->if_.then_);
    State yes = exposed_save(w);
    exposed_restore(w, &before);
    for (int i = 0; i < changes.n; i++) quasi_bind(&w->frame->quasi, changes.at[i], isl_pw_aff_copy(was[i]));
    exposed_begin_gain(w);
    if (c) exposed_suppose(w, c, false);
    if (st->if_.else_) walk_stmt(w, st->if_.else_);
    State no = exposed_save(w);
    join(w, &before, &yes, &no, c);
    for (int i = 0; i < changes.n; i++) unbind(w, changes.at[i]);
}

/* A loop: the variables that it changes, and what they are worth where the iteration begins; NULL: not known. */
typedef struct Loop {
    const Block *body;
    Symbols changes;
    isl_pw_aff **values;
    int64_t *steps;      /* by how much each iteration advances them; 0: otherwise */
    isl_pw_aff *counter; /* of the iterations, or what a `for` counts with; NULL: not known */
    isl_set *range;      /* of the counter; NULL: not known */
    bool is_down;
} Loop;

static Loop loop_of(Walk *w, const Block *body) {
    Loop l = {.body = body};
    for (int i = 0; i < body->stmts.n; i++) changed(w, body->stmts.at[i], &l.changes);
    l.values = arena_array(w->arena, isl_pw_aff *, l.changes.n + 1);
    l.steps = arena_array(w->arena, int64_t, l.changes.n + 1);
    return l;
}

static void bind_changes(Walk *w, const Loop *l) {
    for (int i = 0; i < l->changes.n; i++)
        quasi_bind(&w->frame->quasi, l->changes.at[i], isl_pw_aff_copy(l->values[i]));
}

/* An iteration from the state at hand: what it gains, if it runs to its end. */
static void iterate(Walk *w, const Loop *l, isl_set *range, isl_set **gained) {
    const Block *body = l->body;
    State before = exposed_save(w);
    bind_changes(w, l);
    exposed_begin_gain(w);
    if (range) exposed_suppose(w, range, true);
    exposed_walk_block(w, body);
    bool ends = !block_holds(body, 1u << STMT_BREAK | 1u << STMT_CONTINUE);
    for (int i = 0; i < w->n; i++)
        gained[i] = ends ? w->arrays[i].gain : exposed_keep(w, isl_set_empty(exposed_elements(w, &w->arrays[i])));
    exposed_restore(w, &before);
    for (int i = 0; i < l->changes.n; i++) unbind(w, l->changes.at[i]);
}

/* The same for another value of the counter, one that comes before. */
static isl_set *of_earlier(Walk *w, isl_set *set, const Loop *l) {
    isl_id *was = isl_id_alloc(w->q.ctx, "earlier", NULL);
    isl_pw_aff *before = isl_pw_aff_param_on_domain_id(quasi_all(&w->q), isl_id_copy(was));
    int pos = exposed_find(set, l->counter);
    if (pos >= 0) set = isl_set_set_dim_id(set, isl_dim_param, (unsigned)pos, was);
    else isl_id_free(was);
    isl_set *order = l->is_down ? isl_pw_aff_gt_set(isl_pw_aff_copy(before), isl_pw_aff_copy(l->counter))
                                : isl_pw_aff_lt_set(isl_pw_aff_copy(before), isl_pw_aff_copy(l->counter));
    set = quasi_some(exposed_where(set, order), before);
    isl_pw_aff_free(before);
    return set;
}

/* The union over the iterations, or over those before the one under way. */
static isl_set *over(Walk *w, isl_set *set, const Loop *l, bool earlier) {
    set = exposed_where(isl_set_copy(set), isl_set_copy(l->range));
    return exposed_keep(w, earlier ? of_earlier(w, set, l) : quasi_some(set, l->counter));
}

/* Are its bounds the same for all items of a group? */
static bool is_uniform(const Walk *w, isl_set *range, isl_pw_aff *k) {
    for (int d = 0; d < 3; d++)
        if (w->local[d] && exposed_involves(range, w->local[d])) return false;
    for (int i = 0; i < w->values.n; i++) {
        const Value *x = &w->values.at[i];
        if (!x->is_uniform && x->v != k && exposed_involves(range, x->v)) return false;
    }
    return true;
}

static bool is_empty(isl_set **sets, int n) {
    for (int i = 0; i < n; i++)
        if (isl_set_plain_is_empty(sets[i]) != isl_bool_true) return false;
    return true;
}

static void walk_loop(Walk *w, const Loop *l) {
    isl_set **gained = arena_array(w->arena, isl_set *, w->n + 1);
    bool *was = arena_array(w->arena, bool, w->n + 1);
    int found = w->n_found;
    for (int i = 0; i < w->n; i++) was[i] = w->arrays[i].is_exposed;
    iterate(w, l, l->range, gained);
    if (!l->counter || !l->range) return;
    if (w->n_found > found && !is_empty(gained, w->n)) { /* with the iterations before */
        State before = exposed_save(w);
        for (int i = 0; i < w->n; i++) {
            w->arrays[i].is_exposed = was[i];
            exposed_gain(w, &w->arrays[i], over(w, gained[i], l, true));
        }
        isl_set **again = arena_array(w->arena, isl_set *, w->n + 1);
        iterate(w, l, l->range, again);
        exposed_restore(w, &before);
    }
    for (int i = 0; i < w->n; i++) exposed_gain(w, &w->arrays[i], over(w, gained[i], l, false));
}

/* By how much the body changes a variable, if it does so in one statement of each iteration; 0: not so. */
static int64_t step_of(Walk *w, const Block *body, const Symbol *sym) {
    int64_t step = 0;
    if (block_holds(body, 1u << STMT_CONTINUE)) return 0;
    for (int i = 0; i < body->stmts.n; i++) {
        const Stmt *st = body->stmts.at[i];
        Symbols in = {0};
        changed(w, st, &in);
        bool changes = false;
        for (int k = 0; k < in.n; k++) changes = changes || in.at[k] == sym;
        if (!changes) continue;
        bool adds = st->kind == STMT_ASSIGN && (st->assign.op == OP_ADD || st->assign.op == OP_SUB) &&
                    st->assign.target->kind == EXPR_NAME && st->assign.value->konst.kind == CONST_INT;
        int64_t by = adds ? st->assign.value->konst.i : 0;
        if (step || !by || by > INT32_MAX || by < -INT32_MAX) return 0;
        step = st->assign.op == OP_SUB ? -by : by;
    }
    return step;
}

/* Induction variables are functions of t, the number of the iteration. */
static void induce(Walk *w, Loop *l, isl_pw_aff *t) {
    for (int i = 0; i < l->changes.n; i++) {
        if (!l->steps[i]) continue;
        isl_pw_aff *more = isl_pw_aff_scale_val(isl_pw_aff_copy(t), isl_val_int_from_si(w->q.ctx, l->steps[i]));
        isl_pw_aff *from = isl_pw_aff_copy(value_of(w, l->changes.at[i]));
        l->values[i] = exposed_keep_value(w, isl_pw_aff_add(from, more));
    }
}

/* Does none of them wrap in the iterations, nor after the last one? */
static bool fit(Walk *w, const Loop *l) {
    isl_set *runs = isl_set_intersect(isl_set_copy(w->states), isl_set_copy(l->range));
    bool all = true;
    for (int i = 0; i < l->changes.n; i++) {
        if (!l->values[i]) continue;
        const Type *t = l->changes.at[i]->type;
        isl_pw_aff *after = isl_pw_aff_add(isl_pw_aff_copy(l->values[i]), quasi_number(&w->q, l->steps[i]));
        isl_set *in = isl_set_intersect(quasi_in_type(l->values[i], t), quasi_in_type(after, t));
        all = all && isl_set_is_subset(runs, in) == isl_bool_true;
        isl_pw_aff_free(after);
        isl_set_free(in);
    }
    isl_set_free(runs);
    return all;
}

static void forget_induced(Loop *l) {
    for (int i = 0; i < l->changes.n; i++) l->values[i] = NULL;
}

static void find_steps(Walk *w, Loop *l) {
    for (int i = 0; i < l->changes.n; i++)
        l->steps[i] = value_of(w, l->changes.at[i]) ? step_of(w, l->body, l->changes.at[i]) : 0;
}

static void walk_for(Walk *w, Stmt *st) {
    const Range *r = &st->for_.binder.range;
    const Symbol *sym = st->for_.binder.sym;
    Loop l = loop_of(w, st->for_.body);
    Expr *ends[3] = {r->lo, r->hi, r->step};
    for (int i = 0; i < 3; i++)
        if (ends[i]) exposed_walk_expr(w, ends[i]);
    int n = w->values.n;
    if (sym) exposed_bind_unknown(w, w->frame, sym);
    l.counter = w->values.n > n ? w->values.at[n].v : NULL;
    l.range = l.counter ? exposed_keep(w, quasi_range(&w->frame->quasi, r, l.counter, w->states)) : NULL;
    int64_t step = r->step ? r->step->konst.i : 1; /* a constant, if the range is known */
    l.is_down = step < 0;
    if (l.range) {
        w->values.at[n].is_uniform = is_uniform(w, l.range, l.counter);
        isl_pw_aff *lo = r->lo ? quasi_int(&w->frame->quasi, r->lo, w->states) : quasi_number(&w->q, 0);
        isl_pw_aff *t = isl_pw_aff_sub(isl_pw_aff_copy(l.counter), lo);
        if (l.is_down) t = isl_pw_aff_neg(t);
        t = isl_pw_aff_floor(isl_pw_aff_scale_down_val(t, isl_val_int_from_si(w->q.ctx, l.is_down ? -step : step)));
        find_steps(w, &l);
        induce(w, &l, t);
        isl_pw_aff_free(t);
        if (!fit(w, &l)) forget_induced(&l);
    }
    walk_loop(w, &l);
    exposed_forget_values(w, n);
}

/* The numbers of the iterations: the condition holds there and before. NULL: not known. */
static isl_set *iterations(Walk *w, const Stmt *st, const Loop *l) {
    isl_set *all = isl_pw_aff_nonneg_set(isl_pw_aff_copy(l->counter));
    isl_set *states = isl_set_intersect(isl_set_copy(w->states), isl_set_copy(all));
    for (int i = 0; i < l->changes.n; i++)
        if (l->values[i]) states = isl_set_intersect(states, quasi_in_type(l->values[i], l->changes.at[i]->type));
    bind_changes(w, l);
    isl_set *c = quasi_bool(&w->frame->quasi, st->while_.cond, states), *range = NULL;
    isl_set_free(states);
    if (c) range = of_earlier(w, isl_set_subtract(isl_set_copy(all), isl_set_copy(c)), l); /* it is over */
    if (c) range = isl_set_subtract(isl_set_intersect(isl_set_copy(all), c), range);
    isl_set_free(all);
    return exposed_keep(w, range);
}

static void walk_while(Walk *w, Stmt *st) {
    Loop l = loop_of(w, st->while_.body);
    Symbols in_condition = {0};
    passed(w, st, &in_condition);
    int n = w->values.n;
    if (!in_condition.n) find_steps(w, &l);
    for (int i = 0; i < l.changes.n && !l.counter; i++) /* no loop around this one counts with the same variable: it */
        if (l.steps[i]) l.counter = quasi_variable(&w->q, l.changes.at[i]); /* would be changed twice there */
    if (l.counter) {
        vec_push(w->arena, &w->values, ((Value){l.counter, false}));
        induce(w, &l, l.counter);
        l.range = iterations(w, st, &l);
        if (l.range && !fit(w, &l)) l.range = NULL;
        if (l.range) w->values.at[n].is_uniform = is_uniform(w, l.range, l.counter);
        else forget_induced(&l);
    }
    State before = exposed_save(w);
    bind_changes(w, &l);
    if (l.range) exposed_suppose(w, l.range, true);
    exposed_walk_expr(w, st->while_.cond);
    isl_set *c = l.range ? NULL : exposed_keep(w, quasi_bool(&w->frame->quasi, st->while_.cond, w->states));
    exposed_restore(w, &before);
    if (!l.range) {
        l.counter = NULL;
        l.range = c;
    }
    walk_loop(w, &l);
    exposed_forget_values(w, n);
}

/* What any item of the group has written, all have from here on. */
static void walk_barrier(Walk *w) {
    for (int i = 0; i < w->n; i++) {
        Tracked *t = &w->arrays[i];
        if (t->is_private) continue;
        isl_set *all = t->set;
        for (int k = 0; k < w->values.n; k++)
            if (!w->values.at[k].is_uniform) all = exposed_without(w, all, w->values.at[k].v);
        all = exposed_where(isl_set_copy(all), isl_set_copy(w->items));
        for (int d = 0; d < 3; d++)
            if (w->local[d]) all = quasi_some(all, w->local[d]);
        exposed_gain(w, t, exposed_keep(w, all));
    }
}

static void walk_stmt(Walk *w, Stmt *st) {
    switch (st->kind) {
    case STMT_LET: walk_let(w, st); return;
    case STMT_ASSIGN: walk_assign(w, st); return;
    case STMT_ATOMIC: exposed_walk_expr(w, st->atomic.atomic); return;
    case STMT_EXPR: exposed_walk_expr(w, st->expr.expr); return;
    case STMT_IF: walk_if(w, st); return;
    case STMT_FOR: walk_for(w, st); return;
    case STMT_WHILE: walk_while(w, st); return;
    case STMT_BREAK:
    case STMT_CONTINUE: w->is_dead = true; return;
    case STMT_RETURN:
        if (st->return_.value) exposed_walk_expr(w, st->return_.value);
        w->is_dead = true;
        return;
    case STMT_ASSERT: {
        Children all = stmt_children(st);
        for (Expr *e; (e = child_expr(&all));) exposed_walk_expr(w, e);
        isl_set *c = exposed_keep(w, quasi_bool(&w->frame->quasi, st->assert_.cond, w->states));
        if (c) exposed_suppose(w, c, true);
        return;
    }
    case STMT_BLOCK:
    case STMT_RESIDENT: exposed_walk_block(w, st->block.block); return;
    case STMT_BARRIER: walk_barrier(w); return;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}
