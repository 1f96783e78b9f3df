/* monotone.c -- monotone variables of loops, such as the stride of a tree reduction or of a scan. A variable that each
 * assignment divides or shifts right stays between 0 and its first value. A variable that each iteration increases (or
 * decreases) by one sum or product never falls below (or rises above) its first value, if the sum does not wrap; the
 * condition of the loop proves that, since it held for the value at the beginning of the iteration. */
#include "parser/children.h"
#include "sema/access.h"

/* v op= k, however it is written. */
typedef struct Update {
    Op op; /* OP_NONE: another assignment */
    Expr *by;
} Update;

static Update update_of(const Stmt *st) {
    Expr *v = st->assign.value;
    const Symbol *sym = st->assign.target->name.sym;
    if (st->assign.is_min || st->assign.is_max) return (Update){.op = OP_NONE};
    if (st->assign.op != OP_NONE) return (Update){st->assign.op, v};
    bool is_own = v->kind == EXPR_BINARY && v->binary.lhs->kind == EXPR_NAME && v->binary.lhs->name.sym == sym;
    return is_own ? (Update){v->binary.op, v->binary.rhs} : (Update){.op = OP_NONE};
}

static bool divides(Update u) {
    if (u.op == OP_NONE || u.by->konst.kind != CONST_INT) return false;
    return (u.op == OP_DIV && u.by->konst.i >= 1) || (u.op == OP_SHR && u.by->konst.i >= 0);
}

/* Which assignments there are ------------------------------------------------------------------------------------- */

static int place_of(Monotone *m, const Symbol *sym) {
    for (int i = 0; i < m->n; i++)
        if (m->at[i].sym == sym) return i;
    if (m->n == MAX_MONOTONE) {
        m->n_lost++;
        return -1;
    }
    m->at[m->n].sym = sym;
    m->at[m->n].once = NULL;
    m->at[m->n].divided = true;
    return m->n++;
}

static void spoil(Monotone *m, const Symbol *sym) {
    int i = sym ? place_of(m, sym) : -1;
    if (i < 0) return;
    m->at[i].once = NULL;
    m->at[i].divided = false;
}

static bool spoil_passed(Expr *e, void *context) {
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        bool writes = a->mode == REF_MUT || a->mode == REF_OUT;
        if (writes && a->value->kind == EXPR_NAME) spoil(context, a->value->name.sym);
    }
    return false;
}

static void look_at(Monotone *m, const Stmt *st, bool inner) {
    int known = m->n, i = place_of(m, st->assign.target->name.sym);
    if (i < 0) return;
    m->at[i].once = i == known && !inner ? st : NULL;
    m->at[i].divided = m->at[i].divided && divides(update_of(st));
}

static void look(Monotone *m, const Stmt *st, bool inner) {
    if (st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME) look_at(m, st, inner);
    Children all = stmt_children(st);
    inner = inner || st->kind == STMT_FOR || st->kind == STMT_WHILE;
    for (Stmt *s; (s = child_stmt(&all));) look(m, s, inner);
}

void monotone_look(Walk *w, const Stmt *loop, Monotone *m) {
    Form zero = form_const(0);
    m->n = m->n_lost = 0;
    Children body = stmt_children(loop);
    for (Stmt *s; (s = child_stmt(&body));) look(m, s, false);
    stmt_find(loop, spoil_passed, m);
    for (int i = 0; i < m->n; i++) {
        const Symbol *sym = m->at[i].sym;
        bool known = !m->n_lost && sym->kind == SYM_LOCAL && sym->id >= 0 && sym->id < w->n && w->known[sym->id];
        if (known) m->at[i].was = w->now[sym->id];
        if (!known) m->at[i].once = NULL;
        m->at[i].divided = m->at[i].divided && known;
        m->at[i].grows = false;
        m->at[i].shrinks = m->at[i].divided && affine_at_least(&w->a, &m->at[i].was, &zero);
    }
}

/* What they do ---------------------------------------------------------------------------------------------------- */

/* v as the update leaves it; false: not a sum. */
static bool updated(const Form *v, Update u, Form *next) {
    Form zero = form_const(0), by;
    if (u.op == OP_NONE || u.by->konst.kind != CONST_INT) return false;
    if (u.by->konst.i < 0 || u.by->konst.i > INT32_MAX) return false;
    by = form_const(u.by->konst.i);
    if (u.op == OP_ADD) return form_add(next, v, 1, &by);
    if (u.op == OP_SUB) return form_add(next, v, -1, &by);
    if (u.op == OP_MUL) return form_add(next, &zero, u.by->konst.i, v);
    return u.op == OP_SHL && u.by->konst.i < 31 && form_add(next, &zero, (int64_t)1 << u.by->konst.i, v);
}

/* Does one iteration keep v above (or below) its first value, for each v that is already there? */
static bool holds(Walk *w, const Form *was, const Form *v, const Stmt *st, Expr *cond, bool up) {
    Form next;
    const Type *t = st->assign.target->type;
    int mark = w->a.facts.n;
    affine_learn_at_least(&w->a, up ? v : was, up ? was : v, 0);
    if (cond) walk_learn(w, cond, true);
    bool fine = updated(v, update_of(st), &next) && affine_at_least(&w->a, up ? &next : v, up ? v : &next) &&
                affine_within(&w->a, &next, type_least(t), type_most(t));
    w->a.facts.n = mark;
    return fine;
}

void monotone_begin(Walk *w, Monotone *m, Expr *cond) {
    for (int i = 0; i < m->n; i++) {
        const Stmt *st = m->at[i].once;
        if (m->at[i].divided || !st) continue;
        const Form *v = &w->now[m->at[i].sym->id];
        m->at[i].grows = holds(w, &m->at[i].was, v, st, cond, true);
        m->at[i].shrinks = !m->at[i].grows && holds(w, &m->at[i].was, v, st, cond, false);
    }
    monotone_learn(w, m);
}

void monotone_learn(Walk *w, const Monotone *m) {
    for (int i = 0; i < m->n; i++) {
        if (!m->at[i].divided && !m->at[i].shrinks && !m->at[i].grows) continue;
        const Form *now = &w->now[m->at[i].sym->id], *was = &m->at[i].was;
        Interval before = affine_interval(&w->a, was);
        if (m->at[i].divided) affine_limit(&w->a, now, wide_least(before.lo, 0), wide_most(before.hi, 0));
        if (m->at[i].divided && m->at[i].shrinks) affine_learn(&w->a, now);
        if (m->at[i].shrinks) affine_learn_at_least(&w->a, was, now, 0);
        if (m->at[i].grows) affine_learn_at_least(&w->a, now, was, 0);
    }
}
