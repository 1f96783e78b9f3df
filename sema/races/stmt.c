/* stmt.c -- statements in the race analysis: which states reach them, and what local variables are worth there. A
 * variable that an iteration advances by the same amount is an affine function of the number of the iteration
 * (induction variable); loops over constants whose iterations differ by more than that are unrolled. */
#include "parser/children.h"
#include "sema/races/walk.h"

enum { MAX_UNROLLED = 64, MAX_PIECES = 6, MAX_DEPTH = 60 };

typedef Vec(const Symbol *) Symbols;

/* Values ----------------------------------------------------------------------------------------------------------- */

static isl_pw_aff *value_of(const Walk *w, const Symbol *sym) { return w->frame->quasi.value[sym->id]; }

static bool is_local(const Walk *w, const Symbol *sym) {
    return sym && sym->kind == SYM_LOCAL && !sym->is_shared && sym->id >= 0 && sym->id < w->frame->quasi.f->n_symbols &&
           races_is_tracked(sym->type) && sym->type->kind != TY_ARRAY;
}

static isl_pw_aff *value(Walk *w, const Expr *e) {
    return e->type->kind == TY_BOOL ? races_bool_value(w, e) : races_int(w, e);
}

static void bind_unknown(Walk *w, const Symbol *sym) {
    races_bind(w, sym, races_unknown(w, sym->type, sym->name, races_origin_of(w, sym))->value);
}

static const Expr *updated(Walk *w, const Stmt *st) {
    if (st->assign.op == OP_NONE) return st->assign.value;
    Expr *e = arena_new(&w->space.arena, Expr);
    *e = (Expr){.kind = EXPR_BINARY, .span = st->span, .type = st->assign.target->type};
    e->binary.op = st->assign.op;
    e->binary.lhs = st->assign.target;
    e->binary.rhs = st->assign.value;
    return e;
}

static void walk_assign(Walk *w, Stmt *st) {
    Expr *target = st->assign.target;
    const Symbol *sym = target->kind == EXPR_NAME ? target->name.sym : NULL;
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    w->wanted = is_local(w, sym) && w->frame->needed[sym->id];
    races_scan(w, st->assign.value);
    w->wanted = false;
    races_scan_target(w, target);
    if (w->failed) return;
    if (is_local(w, sym)) {
        if (!w->frame->needed[sym->id]) return;
        if (st->assign.is_min || st->assign.is_max) bind_unknown(w, sym);
        else {
            isl_pw_aff *v = value(w, updated(w, st));
            if (v) races_bind(w, sym, v);
        }
        return;
    }
    isl_pw_aff *stored = NULL;
    const Expr *name = expr_strip(st->assign.value);
    const Symbol *from = name->kind == EXPR_NAME ? name->name.sym : NULL;
    bool known = from && from->id >= 0 && from->id < w->frame->quasi.f->n_symbols && value_of(w, from);
    if (plain && races_is_tracked(target->type) && known) stored = value(w, st->assign.value);
    if (!w->failed) {
        Touch touch = plain ? TOUCH_WRITE : TOUCH_UPDATE;
        races_touch(w, target, (Event){.touch = touch, .assign = st, .stored = stored});
    }
}

static void walk_let(Walk *w, Stmt *st) {
    const Symbol *sym = st->let.sym;
    w->wanted = is_local(w, sym) && w->frame->needed[sym->id];
    races_scan(w, st->let.init);
    bool wanted = w->wanted;
    w->wanted = false;
    if (w->failed || !wanted) return;
    isl_pw_aff *v = st->let.init ? value(w, st->let.init) : NULL;
    if (v) races_bind(w, sym, v);
    else if (!w->failed) bind_unknown(w, sym);
}

/* Which variables a statement changes ------------------------------------------------------------------------------ */

static void add_symbol(Walk *w, Symbols *all, const Symbol *sym) {
    if (!is_local(w, sym)) return;
    if (!w->frame->needed[sym->id]) return;
    for (int i = 0; i < all->n; i++)
        if (all->at[i] == sym) return;
    vec_push(&w->space.arena, all, sym);
}

typedef struct Changes {
    Walk *w;
    Symbols *all;
} Changes;

static bool passed(Expr *e, void *context) {
    Changes *c = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if ((a->mode == REF_MUT || a->mode == REF_OUT) && a->value->kind == EXPR_NAME)
            add_symbol(c->w, c->all, a->value->name.sym);
    }
    if (e->kind == EXPR_ATOMIC && e->atomic.target->kind == EXPR_NAME)
        add_symbol(c->w, c->all, e->atomic.target->name.sym);
    return false;
}

static void changed(Walk *w, const Stmt *st, Symbols *all) {
    if (st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME)
        add_symbol(w, all, st->assign.target->name.sym);
    Children c = stmt_children(st);
    for (Expr *e; (e = child_expr(&c));) expr_find(e, passed, &(Changes){w, all});
    for (Stmt *s; (s = child_stmt(&c));) changed(w, s, all);
}

static Symbols changed_by_block(Walk *w, const Block *b) {
    Symbols all = {0}, before = {0};
    for (int i = 0; i < b->stmts.n; i++) changed(w, b->stmts.at[i], &all);
    for (int i = 0; i < all.n; i++) /* those that are there before */
        if (value_of(w, all.at[i])) vec_push(&w->space.arena, &before, all.at[i]);
    return before;
}

/* Branches --------------------------------------------------------------------------------------------------------- */

static void walk_stmt(Walk *w, Stmt *st);

static bool is_none(isl_set *s) { return isl_set_is_empty(s) == isl_bool_true; }

static isl_set *both(Walk *w, isl_set *a, isl_set *b) {
    return space_keep(&w->space, quasi_and(isl_set_copy(a), isl_set_copy(b)));
}

static isl_set *without(Walk *w, isl_set *a, isl_set *b) {
    return space_keep(&w->space, isl_set_subtract(isl_set_copy(a), isl_set_copy(b)));
}

static void merge_value(Walk *w, const Symbol *sym, isl_set *c, isl_pw_aff *yes, isl_pw_aff *no) {
    if (!yes || !no || value_equal(yes, no)) {
        if (yes && no) races_bind(w, sym, no);
        return;
    }
    isl_pw_aff *a = isl_pw_aff_intersect_domain(isl_pw_aff_copy(yes), isl_set_copy(c));
    isl_pw_aff *b = isl_pw_aff_subtract_domain(isl_pw_aff_copy(no), isl_set_copy(c));
    isl_pw_aff *v = space_keep_value(&w->space, isl_pw_aff_union_add(a, b));
    if (v && isl_pw_aff_n_piece(v) <= MAX_PIECES) races_bind(w, sym, v);
    else bind_unknown(w, sym);
}

static void walk_if(Walk *w, Stmt *st) {
    bool acts = races_acts(w, st);
    w->wanted = acts;
    races_scan(w, st->if_.cond);
    w->wanted = false;
    if (!acts) return;
    isl_set *c = w->failed ? NULL : races_bool(w, st->if_.cond);
    if (!c) return;
    Symbols all = {0};
    changed(w, st, &all);
    isl_pw_aff **was = arena_array(&w->space.arena, isl_pw_aff *, 2 * all.n + 1), **yes = was + all.n;
    for (int i = 0; i < all.n; i++) was[i] = space_keep_value(&w->space, isl_pw_aff_copy(value_of(w, all.at[i])));
    isl_set *live = w->live, *phase = w->phase;
    const char *may = w->may;
    w->live = both(w, live, c);
    if (!is_none(w->live)) races_block(w, st->if_.then_);
    isl_set *after = w->live, *phase_yes = w->phase;
    for (int i = 0; i < all.n; i++) yes[i] = space_keep_value(&w->space, isl_pw_aff_copy(value_of(w, all.at[i])));
    for (int i = 0; i < all.n; i++)
        if (was[i]) races_bind(w, all.at[i], was[i]);
    w->live = without(w, live, c);
    w->phase = phase;
    if (st->if_.else_ && !is_none(w->live) && !w->failed) walk_stmt(w, st->if_.else_);
    if (w->failed) return;
    bool left_yes = is_none(after), left_no = is_none(w->live);
    if (left_yes && left_no) return;
    if (!w->may) w->may = may;
    for (int i = 0; i < all.n; i++) {
        isl_pw_aff *no = value_of(w, all.at[i]);
        if (left_no && yes[i]) races_bind(w, all.at[i], yes[i]);
        else if (!left_yes) merge_value(w, all.at[i], c, yes[i], no);
    }
    if (st->together) w->phase = left_no ? phase_yes : left_yes ? w->phase : phase_select(w, c, phase_yes, w->phase);
    else w->phase = phase;
    if (left_no) w->live = after;
    else if (!left_yes) {
        bool whole = !stmt_holds(st, STMTS_LEAVE);
        w->live = whole ? live : space_keep(&w->space, isl_set_union(isl_set_copy(after), isl_set_copy(w->live)));
    }
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

/* The statement of the body itself that changes the variable, if it is the only one and adds to it. */
static const Stmt *advance_of(Walk *w, const Block *body, const Symbol *sym) {
    const Stmt *only = NULL;
    for (int i = 0; i < body->stmts.n; i++) {
        const Stmt *st = body->stmts.at[i];
        Symbols all = {0};
        changed(w, st, &all);
        bool changes = false;
        for (int k = 0; k < all.n; k++) changes = changes || all.at[k] == sym;
        if (!changes) continue;
        bool adds = st->kind == STMT_ASSIGN && (st->assign.op == OP_ADD || st->assign.op == OP_SUB) &&
                    st->assign.target->kind == EXPR_NAME;
        if (only || !adds || !sym->type->is_int) return NULL;
        only = st;
    }
    return only && !block_holds(body, 1u << STMT_CONTINUE) ? only : NULL;
}

/* How much it adds: the same for all items, and in all iterations. */
static isl_pw_aff *amount_of(Walk *w, const Stmt *st, const Symbols *changes) {
    const Expr *by = expr_strip(st->assign.value);
    if (by->kind == EXPR_NAME)
        for (int i = 0; i < changes->n; i++)
            if (changes->at[i] == by->name.sym) return NULL;
    if (by->konst.kind != CONST_INT && by->kind != EXPR_NAME) return NULL;
    isl_pw_aff *v = races_int(w, by);
    if (!v || !value_is_shared(&w->space, v)) return NULL;
    return st->assign.op == OP_SUB ? space_keep_value(&w->space, isl_pw_aff_neg(isl_pw_aff_copy(v))) : v;
}

static isl_pw_aff *times(Walk *w, isl_pw_aff *a, isl_pw_aff *by) {
    bool number = isl_pw_aff_is_cst(by) == isl_bool_true;
    if (number) return space_keep_value(&w->space, isl_pw_aff_mul(isl_pw_aff_copy(a), isl_pw_aff_copy(by)));
    bool sign = quasi_at_least(w->live, by, 0);
    int n = w->space.vars.n;
    isl_pw_aff *v = space_keep_value(&w->space, space_multiply(&w->space, a, by, sign));
    for (; n < w->space.vars.n; n++)
        if (w->space.vars.at[n]->facts) races_suppose(w, w->space.vars.at[n]->facts);
    return v;
}

static isl_pw_aff *added(Walk *w, isl_pw_aff *a, isl_pw_aff *b) {
    return space_keep_value(&w->space, isl_pw_aff_add(isl_pw_aff_copy(a), isl_pw_aff_copy(b)));
}

/* The variables that a loop changes, where iteration number t begins. */
static void begin_iteration(Walk *w, const Block *body, const Symbols *changes, const Var *t) {
    for (int i = 0; i < changes->n && !w->failed; i++) {
        const Symbol *sym = changes->at[i];
        const Stmt *advance = advance_of(w, body, sym);
        isl_pw_aff *by = advance ? amount_of(w, advance, changes) : NULL, *grown = by ? times(w, t->value, by) : NULL;
        isl_pw_aff *v = grown ? added(w, value_of(w, sym), grown) : NULL;
        isl_set *fits = v ? quasi_in_type(v, sym->type) : NULL;
        if (v) {
            races_suppose(w, fits);
            races_bind(w, sym, v);
        } else if (!w->failed) {
            bool uniform = w->kernel->group.items && !w->frame->caller && !symbol_varies(sym);
            Var *u = races_unknown(w, sym->type, sym->name, races_origin_of(w, sym));
            races_bind(w, sym, u->value);
            if (uniform) races_same_in_group(w, u);
        }
        isl_set_free(fits);
    }
}

static Var *counter(Walk *w, const char *name) {
    Var *t = var_new(&w->space, VAR_COUNTER, name, false);
    var_within(&w->space, t, 0, INT64_C(1) << 60);
    races_suppose(w, t->facts);
    return t;
}

/* The condition under which iteration t runs. */
static isl_set *enter(Walk *w, const Stmt *st, const Var *t) {
    if (st->kind == STMT_WHILE) {
        w->wanted = true;
        races_scan(w, st->while_.cond);
        w->wanted = false;
        return w->failed ? NULL : races_bool(w, st->while_.cond);
    }
    const Range *r = &st->for_.binder.range;
    isl_pw_aff *lo = r->lo ? races_int(w, r->lo) : space_keep_value(&w->space, quasi_number(&w->space.q, 0));
    isl_pw_aff *hi = races_int(w, r->hi), *step = r->step ? races_int(w, r->step) : NULL;
    if (w->failed) return NULL;
    bool down = r->step && r->step->konst.kind == CONST_INT && r->step->konst.i < 0;
    isl_pw_aff *grown = step ? times(w, t->value, step) : t->value;
    if (!grown) return NULL;
    isl_pw_aff *v = added(w, lo, grown);
    if (st->for_.binder.sym) races_bind(w, st->for_.binder.sym, v);
    if (step && r->step->konst.kind != CONST_INT) { /* a step that is not known counts upwards or downwards */
        isl_set *up = quasi_and(isl_pw_aff_pos_set(isl_pw_aff_copy(step)),
                                        isl_pw_aff_lt_set(isl_pw_aff_copy(v), isl_pw_aff_copy(hi)));
        isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(step), quasi_number(&w->space.q, 0));
        isl_set *back = quasi_and(below, isl_pw_aff_gt_set(isl_pw_aff_copy(v), isl_pw_aff_copy(hi)));
        return space_keep(&w->space, isl_set_union(up, back));
    }
    isl_set *c = down ? isl_pw_aff_gt_set(isl_pw_aff_copy(v), isl_pw_aff_copy(hi))
                      : isl_pw_aff_lt_set(isl_pw_aff_copy(v), isl_pw_aff_copy(hi));
    return space_keep(&w->space, c);
}

static Block *body_of(const Stmt *st) { return st->kind == STMT_FOR ? st->for_.body : st->while_.body; }

/* Whether a later iteration runs only if the ones before it did. */
static bool runs_on(Walk *w, isl_set *c, const Var *t) {
    isl_set *before = set_shifted(w, c, t, -1);
    isl_set *later = quasi_and(isl_set_copy(c), isl_set_copy(w->live));
    later = quasi_and(later, isl_pw_aff_ge_set(isl_pw_aff_copy(t->value), quasi_number(&w->space.q, 1)));
    bool yes = isl_set_is_subset(later, before) == isl_bool_true;
    isl_set_free(later);
    return yes;
}

static void run_body(Walk *w, const Stmt *st, Var *t, isl_set *c, const Symbols *changes) {
    isl_set *before = w->phase;
    isl_set *live = w->live;
    int site = w->site;
    if (st->together && w->phase) { /* once to see with which barrier an iteration ends */
        isl_pw_aff **was = arena_array(&w->space.arena, isl_pw_aff *, changes->n + 1);
        for (int i = 0; i < changes->n; i++)
            was[i] = space_keep_value(&w->space, isl_pw_aff_copy(value_of(w, changes->at[i])));
        w->phase = phase_unknown_entry(w);
        w->quiet++;
        races_block(w, body_of(st));
        w->quiet--;
        for (int i = 0; i < changes->n; i++) races_bind(w, changes->at[i], was[i]);
        w->live = live;
        w->site = site;
        w->phase = phase_entry(w, before, w->phase, t);
    }
    if (!w->failed) races_block(w, body_of(st));
    if (st->together) w->phase = before && w->phase ? phase_after(w, before, w->phase, both(w, live, c), t) : NULL;
    else w->phase = before;
}

static void walk_symbolic(Walk *w, Stmt *st) {
    Symbols changes = changed_by_block(w, body_of(st));
    isl_set *live = w->live;
    const char *may = w->may;
    int base = w->memo.n;
    isl_pw_aff **was = arena_array(&w->space.arena, isl_pw_aff *, changes.n + 1);
    Var *t = counter(w, "t");
    vec_push(&w->space.arena, &w->counters, t);
    if (st->together) vec_push(&w->space.arena, &w->joint, t);
    for (int i = 0; i < changes.n; i++)
        was[i] = space_keep_value(&w->space, isl_pw_aff_copy(value_of(w, changes.at[i])));
    begin_iteration(w, body_of(st), &changes, t);
    isl_set *c = w->failed ? NULL : enter(w, st, t);
    if (!c) w->failed = true;
    else {
        races_suppose(w, c);
        if (block_holds(body_of(st), 1u << STMT_BREAK | 1u << STMT_RETURN)) w->may = "the loop around it may end early";
        else if (st->kind == STMT_WHILE && !runs_on(w, c, t)) w->may = "how often its loop runs is not known";
        run_body(w, st, t, c, &changes);
    }
    w->counters.n--;
    if (st->together) w->joint.n--;
    w->live = live;
    if (!block_holds(body_of(st), STMTS_RETURN) || may) w->may = may;
    bool jumps = block_holds(body_of(st), 1u << STMT_BREAK | 1u << STMT_RETURN);
    if (jumps && races_keeps_old_values(body_of(st))) w->claimed = true;
    for (int i = 0; i < changes.n && !w->failed; i++) {
        races_bind(w, changes.at[i], was[i]);
        bool uniform = w->kernel->group.items && !w->frame->caller && !symbol_varies(changes.at[i]);
        const Symbol *sym = changes.at[i];
        Var *u = races_unknown(w, sym->type, sym->name, races_origin_of(w, sym));
        races_bind(w, changes.at[i], u->value);
        if (uniform) races_same_in_group(w, u);
    }
    if (st->kind == STMT_WHILE && !w->failed && !block_holds(body_of(st), 1u << STMT_BREAK)) {
        int quiet = w->quiet++; /* its reads are those of the last iteration */
        w->memo.n = base;
        isl_set *more = races_bool(w, st->while_.cond);
        w->quiet = quiet;
        if (more) w->live = without(w, w->live, more);
    }
}

/* Does an iteration need the value of its variables: a shift by it, a product, halving? */
static bool needs_value(Expr *e, void *context) {
    const Symbols *of = context;
    if (e->kind != EXPR_BINARY) return false;
    Op op = e->binary.op;
    if (op != OP_SHL && op != OP_SHR && op != OP_BIT_XOR && op != OP_BIT_AND && op != OP_MUL && op != OP_DIV &&
        op != OP_REM)
        return false;
    const Expr *r = expr_strip(e->binary.rhs), *l = expr_strip(e->binary.lhs);
    for (int i = 0; i < of->n; i++) {
        bool right = expr_root(r) == of->at[i], left = expr_root(l) == of->at[i];
        if (right && l->konst.kind == CONST_NONE) return true;
        if ((left || right) && (op == OP_SHL || op == OP_SHR) && right) return true;
        if (left && r->konst.kind == CONST_NONE && (op == OP_MUL || op == OP_BIT_AND || op == OP_BIT_XOR)) return true;
    }
    return false;
}

static bool multiplies(const Stmt *st, const Symbols *changes) {
    if (st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME)
        for (int i = 0; i < changes->n; i++) {
            if (changes->at[i] != st->assign.target->name.sym) continue;
            Op op = st->assign.op;
            const Expr *v = expr_strip(st->assign.value);
            if (op == OP_NONE && v->kind == EXPR_BINARY && expr_root(v->binary.lhs) == changes->at[i])
                op = v->binary.op;
            if (op == OP_MUL || op == OP_DIV || op == OP_SHL || op == OP_SHR) return true;
        }
    Children all = stmt_children(st);
    for (Stmt *s; (s = child_stmt(&all));)
        if (multiplies(s, changes)) return true;
    return false;
}

static bool should_unroll(Walk *w, const Stmt *st, const Symbols *changes) {
    const Block *body = body_of(st);
    if (block_holds(body, STMTS_LEAVE)) return false;
    for (int i = 0; i < body->stmts.n; i++)
        if (multiplies(body->stmts.at[i], changes)) return true;
    if (st->kind != STMT_FOR || !st->for_.binder.sym) return false;
    Symbols of = {0};
    vec_push(&w->space.arena, &of, st->for_.binder.sym);
    return block_find(body, needs_value, &of) != NULL;
}

/* Is the condition decided? 1: it holds, 0: it does not, -1: open */
static int decided(Walk *w, isl_set *c) {
    if (!c) return -1;
    isl_set *in = quasi_and(isl_set_copy(w->live), isl_set_copy(c));
    int none = is_none(in);
    isl_set_free(in);
    if (none) return 0;
    return isl_set_is_subset(w->live, c) == isl_bool_true ? 1 : -1;
}

static isl_set *holds_at(Walk *w, const Stmt *st, int n) {
    if (st->kind == STMT_WHILE) return quasi_bool(&w->frame->quasi, st->while_.cond, w->live);
    const Range *r = &st->for_.binder.range;
    if (r->step && r->step->konst.kind != CONST_INT) return NULL;
    int64_t step = r->step ? r->step->konst.i : 1;
    isl_pw_aff *v = r->lo ? quasi_int(&w->frame->quasi, r->lo, w->live) : quasi_number(&w->space.q, 0);
    isl_pw_aff *hi = quasi_int(&w->frame->quasi, r->hi, w->live);
    v = isl_pw_aff_add(v, quasi_number(&w->space.q, step * n));
    if (v && st->for_.binder.sym) quasi_bind(&w->frame->quasi, st->for_.binder.sym, isl_pw_aff_copy(v));
    return step > 0 ? isl_pw_aff_lt_set(v, hi) : isl_pw_aff_gt_set(v, hi);
}

/* How often a loop runs whose variables are constants: by running those alone. -1: not known. */
static bool is_constant(const Walk *w, const Symbol *sym) {
    isl_pw_aff *v = value_of(w, sym);
    return v && isl_pw_aff_is_cst(v) == isl_bool_true;
}

static bool has_constants(Walk *w, const Stmt *st, const Symbols *changes) {
    if (st->kind == STMT_FOR) {
        const Range *r = &st->for_.binder.range;
        bool fixed = true;
        const Expr *ends[2] = {r->lo, r->hi};
        for (int i = 0; i < 2; i++) {
            isl_pw_aff *v = ends[i] ? quasi_int(&w->frame->quasi, ends[i], w->live) : NULL;
            if (ends[i]) fixed = fixed && v && isl_pw_aff_is_cst(v) == isl_bool_true;
            isl_pw_aff_free(v);
        }
        return fixed && (!r->step || r->step->konst.kind == CONST_INT);
    }
    for (int i = 0; i < changes->n; i++)
        if (is_constant(w, changes->at[i])) return true;
    return false;
}

/* Iteration by iteration; false: it is not known when it ends, and nothing has been walked. */
static bool walk_unrolled(Walk *w, Stmt *st) {
    Symbols changes = changed_by_block(w, body_of(st));
    if (w->depth > 12 || !should_unroll(w, st, &changes) || !has_constants(w, st, &changes)) return false;
    QuasiFrame *at = &w->frame->quasi;
    int base = w->memo.n, n_events = w->events.n, site = w->site;
    isl_set *live = w->live, *phase = w->phase;
    isl_pw_aff **was = arena_array(&w->space.arena, isl_pw_aff *, changes.n + 1);
    for (int i = 0; i < changes.n; i++)
        was[i] = space_keep_value(&w->space, isl_pw_aff_copy(value_of(w, changes.at[i])));
    for (int n = 0; n <= MAX_UNROLLED && !w->failed; n++) {
        isl_pw_aff *(*other_int)(QuasiFrame *, const Expr *, isl_set *) = at->other_int;
        isl_set *(*other_bool)(QuasiFrame *, const Expr *, isl_set *) = at->other_bool;
        at->other_int = NULL; /* only what is known for certain */
        at->other_bool = NULL;
        isl_set *c = holds_at(w, st, n);
        at->other_int = other_int;
        at->other_bool = other_bool;
        int runs = decided(w, c);
        isl_set_free(c);
        if (!runs) return true;
        if (runs < 0 || n == MAX_UNROLLED) break;
        w->memo.n = base;
        w->depth++;
        races_block(w, body_of(st));
        w->depth--;
    }
    if (w->failed) return true;
    w->events.n = n_events;
    w->site = site;
    w->live = live;
    w->phase = phase;
    for (int i = 0; i < changes.n; i++) races_bind(w, changes.at[i], was[i]);
    return false;
}

static void walk_loop(Walk *w, Stmt *st) {
    if (!races_acts(w, st)) return;
    w->wanted = true;
    if (st->kind == STMT_FOR) {
        if (st->for_.binder.range.lo) races_scan(w, st->for_.binder.range.lo);
        races_scan(w, st->for_.binder.range.hi);
        if (st->for_.binder.range.step) races_scan(w, st->for_.binder.range.step);
    }
    w->wanted = false;
    if (!w->failed && !walk_unrolled(w, st)) walk_symbolic(w, st);
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static void walk_return(Walk *w, Stmt *st) {
    Frame *in = w->frame;
    w->wanted = in->caller && !in->result_unknown;
    races_scan(w, st->return_.value);
    w->wanted = false;
    if (st->return_.value && in->caller && !in->result_unknown && !w->failed) {
        isl_pw_aff *v = value(w, st->return_.value);
        v = v ? isl_pw_aff_intersect_domain(isl_pw_aff_copy(v), isl_set_copy(w->live)) : NULL;
        if (w->counters.n && w->may) in->result_unknown = true;
        if (!v) in->result_unknown = true;
        else in->result = in->result ? isl_pw_aff_union_add(in->result, v) : v;
    }
    w->live = space_keep(&w->space, quasi_none(&w->space.q));
}

static bool is_followed(Expr *e, void *context) {
    const Walk *w = context;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return sym && sym->id >= 0 && sym->id < w->frame->quasi.f->n_symbols && value_of(w, sym);
}

static void walk_assert(Walk *w, Stmt *st) {
    bool tells = expr_find(st->assert_.cond, is_followed, w) != NULL;
    w->wanted = tells;
    races_scan(w, st->assert_.cond);
    w->wanted = false;
    for (int i = 0; i < st->assert_.args.n; i++) races_scan(w, st->assert_.args.at[i].value);
    isl_set *c = tells && !w->failed ? races_bool(w, st->assert_.cond) : NULL;
    if (c) races_suppose(w, c);
}

static void walk_stmt(Walk *w, Stmt *st) {
    switch (st->kind) {
    case STMT_LET: walk_let(w, st); return;
    case STMT_ASSIGN: walk_assign(w, st); return;
    case STMT_ATOMIC: races_scan(w, st->atomic.atomic); return;
    case STMT_EXPR: races_scan(w, st->expr.expr); return;
    case STMT_IF: walk_if(w, st); return;
    case STMT_FOR:
    case STMT_WHILE: walk_loop(w, st); return;
    case STMT_BREAK:
    case STMT_CONTINUE: w->live = space_keep(&w->space, quasi_none(&w->space.q)); return;
    case STMT_RETURN: walk_return(w, st); return;
    case STMT_ASSERT: walk_assert(w, st); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: races_block(w, st->block.block); return;
    case STMT_BARRIER: phase_barrier(w); return;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}

void races_block(Walk *w, const Block *b) {
    int base = w->memo.n;
    if (++w->depth > MAX_DEPTH) w->failed = true;
    for (int i = 0; i < b->stmts.n && !w->failed; i++) {
        if (is_none(w->live)) break;
        w->memo.n = base;
        walk_stmt(w, b->stmts.at[i]);
    }
    w->memo.n = base;
    w->depth--;
}
