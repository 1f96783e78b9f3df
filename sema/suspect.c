/* suspect.c -- race and bounds diagnostics for kernels: an element that all work items write (E0513), and an index
 * that is out of bounds for the first or the last item (W0502).
 *
 * Only code that every item executes is considered: statements outside of `if` and `while`, up to the first that may
 * end the item, without the conditional parts of expressions; the bodies of loops with constant bounds that run to
 * their end, whose variables an index may contain; and in the functions that the kernel calls, accesses that every item
 * makes (through.c). So there are no false positives; what is missed here, the run-time checks find. */
#include "sema/check.h"

enum { MAX_STEPS = 8 /* through variables */ };

/* A loop around the current statement that runs from `first` to `last`. */
typedef struct Around {
    const Symbol *sym;
    int64_t first, last;
} Around;

typedef struct Suspect {
    Sema *s;
    Func *f;
    Vec(Around) loops;
    Vec(Span) branches; /* parts of the current expression that only some items evaluate */
    const Expr *target; /* of the current assignment, or NULL */
} Suspect;

static const Expr *strip(const Expr *e) {
    while (e && e->kind == EXPR_CONVERT) e = e->convert.operand;
    return e;
}

/* Who writes what every item writes -------------------------------------------------------------------------- */

static bool differs(Expr *e, void *context) {
    (void)context;
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_CONVERT: return false;
    case EXPR_NAME: {
        const Symbol *sym = e->name.sym;
        bool same = sym && (sym->kind == SYM_SIZE || sym->kind == SYM_CONST ||
                            (sym->kind == SYM_PARAM && sym->mode == REF_NONE));
        return !same;
    }
    case EXPR_ERROR:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_CALL:
    case EXPR_INDEX:
    case EXPR_FIELD:
    case EXPR_IF:
    case EXPR_FILL:
    case EXPR_COMPREHEND:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_OFFLOAD:
    case EXPR_ATOMIC:
    case EXPR__COUNT: break;
    }
    return true;
}

static bool is_one(const Range *r) {
    bool lo = !r->lo || r->lo->konst.kind == CONST_INT;
    return lo && r->hi->konst.kind == CONST_INT && r->hi->konst.i - (r->lo ? r->lo->konst.i : 0) <= 1;
}

static bool has_one_item(const Func *f) {
    bool one = true;
    for (int i = 0; i < f->domain.n; i++) one = one && is_one(&f->item->fn.over.at[i].range);
    return one;
}

static void propose_result(Sema *s, Diag *d, Span at, const Stmt *st) {
    const char *how = assign_as_result(st);
    if (how)
        diag_note(s->c, d, at, "or give the kernel a result, which combines the values of all work items: `-> %s %s`",
                  how, st->assign.target->type->name);
    else diag_note(s->c, d, at, "let only one work item write it, or let each work item write its own element");
}

/* Programs with races are to be run: the user says so, or shadow memory reports them where they happen. */
static bool races_allowed(const Sema *s) {
    return s->options && (s->options->races_off || s->options->shadow & SHADOW_RACE);
}

static void same_element(Suspect *u, const Stmt *st) {
    if (races_allowed(u->s)) return;
    const Expr *target = st->assign.target, *base = target->kind == EXPR_INDEX ? target->index.base : target;
    if (base->kind != EXPR_NAME) return;
    const Symbol *param = base->name.sym; /* an array, or a reference to one value */
    if (!param || param->kind != SYM_PARAM || has_one_item(u->f)) return;
    for (int i = 0; target->kind == EXPR_INDEX && i < target->index.at.n; i++)
        if (expr_find(target->index.at.at[i], differs, NULL)) return;
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (plain && st->assign.value->konst.kind != CONST_NONE) return; /* all write the same */
    Compiler *c = u->s->c;
    const char *update =
        plain && assign_can_be_atomic(st) ? races_as_update(u->s, target, st->assign.value) : NULL;
    Diag *d = diag(c, E0513, target->span, "every work item writes `%s`", source_text(u->s, target->span));
    diag_note(c, d, target->span, "they run at the same time, so %s",
              plain && !update ? "which value remains is unpredictable" : "some updates are lost");
    if (!plain && assign_can_be_atomic(st))
        fix_insert(u->s, d, target->span.lo, "atomic ", "make the update atomic");
    if (update)
        diag_fix(c, d, span_join(target->span, st->assign.value->span), arena_printf(u->s->arena, "atomic %s", update),
                 "make it an atomic update");
    propose_result(u->s, d, target->span, st);
}

/* The first and the last item --------------------------------------------------------------------------------- */

/* e is `name + c` */
static const Symbol *shifted(const Expr *e, int64_t *c) {
    *c = 0;
    e = strip(e);
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB)) {
        const Expr *l = strip(e->binary.lhs), *r = strip(e->binary.rhs);
        if (r->konst.kind != CONST_INT || r->konst.i > 1000000 || r->konst.i < -1000000) return NULL;
        *c = e->binary.op == OP_ADD ? r->konst.i : -r->konst.i;
        e = l;
    }
    return e->kind == EXPR_NAME ? e->name.sym : NULL;
}

static int domain_place(const Func *f, const Symbol *sym) {
    for (int i = 0; i < f->domain.n; i++)
        if (f->domain.at[i] == sym) return i;
    return -1;
}

/* An index that is a domain variable and a number between lo and hi, both of which it reaches. */
typedef struct Offset {
    const Symbol *var;
    int64_t lo, hi;
    const char *at_lo, *at_hi; /* the iterations of loops in which: " where a = -1"; "": there are none */
} Offset;

static bool add_loop(Suspect *u, const Symbol *sym, Offset *o) {
    for (int i = 0; i < u->loops.n; i++) {
        const Around *l = &u->loops.at[i];
        if (l->sym != sym) continue;
        Arena *arena = u->s->arena;
        o->lo += l->first;
        o->hi += l->last;
        const char *lo_begin = *o->at_lo ? "," : " where", *hi_begin = *o->at_hi ? "," : " where";
        o->at_lo = arena_printf(arena, "%s%s %s = %lld", o->at_lo, lo_begin, sym->name, (long long)l->first);
        o->at_hi = arena_printf(arena, "%s%s %s = %lld", o->at_hi, hi_begin, sym->name, (long long)l->last);
        return true;
    }
    return false;
}

static bool add_offset(Suspect *u, const Expr *e, Offset *o, int steps) {
    e = strip(e);
    if (e->konst.kind == CONST_INT) {
        if (e->konst.i > 1000000 || e->konst.i < -1000000) return false;
        o->lo += e->konst.i;
        o->hi += e->konst.i;
        return true;
    }
    if (e->kind == EXPR_BINARY && e->binary.op == OP_ADD)
        return add_offset(u, e->binary.lhs, o, steps) && add_offset(u, e->binary.rhs, o, steps);
    if (e->kind == EXPR_BINARY && e->binary.op == OP_SUB) {
        const Const *c = &strip(e->binary.rhs)->konst;
        if (c->kind != CONST_INT || c->i > 1000000 || c->i < -1000000) return false;
        o->lo -= c->i;
        o->hi -= c->i;
        return add_offset(u, e->binary.lhs, o, steps);
    }
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (!sym) return false;
    if (domain_place(u->f, sym) >= 0) {
        if (o->var) return false;
        o->var = sym;
        return true;
    }
    if (add_loop(u, sym, o)) return true;
    bool is_value = steps && sym->kind == SYM_LOCAL && !sym->written && sym->init && type_is_integer(sym->init->type);
    return is_value && add_offset(u, sym->init, o, steps - 1);
}

/* mirrored: what the index should be where it falls as the domain rises, `n - 1 - i` for `n - i`; NULL: it does not.
 * domain: one for which the index is inside. */
static void say_outside(Suspect *u, Expr *e, int k, const Range *r, const char *value, bool first,
                        const char *mirrored, const char *domain) {
    const Expr *at = e->index.at.at[k];
    const char *text = source_text(u->s, at->span), *array = e->index.base->name.sym->name;
    Span range = span_join(r->lo ? r->lo->span : r->hi->span, r->hi->span);
    Diag *d = diag(u->s->c, W0502, at->span, "`%s` is %s for the %s work item, which is out of bounds for `%s`", text,
                   value, first ? "first" : "last", array);
    if (mirrored) diag_fix(u->s->c, d, at->span, mirrored, "the elements in reverse order are at `%s`", mirrored);
    else
        diag_note(u->s->c, d, range, first ? "start the domain later, as in `over %s`" : "shorten the domain, as in "
                                             "`over %s`", domain);
    if (e->index.at.n == 1 && e != u->target)
        diag_note(u->s->c, d, at->span, "or read `%s.at(%s)`, which is 0 out of bounds", array, text);
}

static void outside(Suspect *u, Expr *e, int k) {
    int64_t more;
    const Symbol *array = e->index.base->name.sym;
    Offset o = {.at_lo = "", .at_hi = ""};
    if (array->reshaped || k >= array->type->rank || !add_offset(u, e->index.at.at[k], &o, MAX_STEPS) || !o.var) return;
    Arena *arena = u->s->arena;
    const Range *r = &u->f->item->fn.over.at[domain_place(u->f, o.var)].range;
    const char *name = o.var->name, *from = r->lo ? source_text(u->s, r->lo->span) : "0";
    int64_t lo = r->lo ? r->lo->konst.i : 0;
    const Symbol *end = shifted(r->hi, &more);
    const Dim *dim = &array->dims[k];
    bool is_size = dim->kind == DIM_SYMBOL || dim->kind == DIM_SUM;
    bool first = (!r->lo || r->lo->konst.kind == CONST_INT) && lo + o.lo < 0;
    bool last = !r->step && end && is_size && dim->sym == end && more - 1 + o.hi >= dim->value;
    if (!first && !last) return;
    if (first) from = arena_printf(arena, "%lld", (long long)-o.lo);
    const char *to = last ? size_text(arena, end, dim->value - o.hi) : source_text(u->s, r->hi->span);
    const char *value = first ? arena_printf(arena, "%lld%s", (long long)(lo + o.lo), o.at_lo)
                              : arena_printf(arena, "%s%s", size_text(arena, end, more - 1 + o.hi), o.at_hi);
    say_outside(u, e, k, r, value, first, NULL, arena_printf(arena, "%s in %s..%s", name, from, to));
}

/* An index that runs against the domain, as `n - i`: from the sum of a size, a constant and minus a domain variable. */
typedef struct Mirrored {
    const Symbol *size, *var;
    int64_t c;
} Mirrored;

static bool add_terms(const Suspect *u, const Expr *e, bool minus, Mirrored *m) {
    e = strip(e);
    if (e->konst.kind == CONST_INT) {
        if (e->konst.i > 1000000 || e->konst.i < -1000000) return false;
        m->c += minus ? -e->konst.i : e->konst.i;
        return true;
    }
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB)) {
        bool minus_right = minus ^ (e->binary.op == OP_SUB);
        return add_terms(u, e->binary.lhs, minus, m) && add_terms(u, e->binary.rhs, minus_right, m);
    }
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (!sym) return false;
    if (domain_place(u->f, sym) >= 0 && minus && !m->var) m->var = sym;
    else if (sym->kind == SYM_SIZE && !minus && !m->size) m->size = sym;
    else return false;
    return true;
}

/* For the first item such an index is greatest, for the last one least. */
static void outside_mirrored(Suspect *u, Expr *e, int k) {
    Mirrored m = {0};
    const Expr *at = e->index.at.at[k];
    const Symbol *array = e->index.base->name.sym;
    if (array->reshaped || k >= array->type->rank || !add_terms(u, at, false, &m) || !m.var || !m.size) return;
    const Range *r = &u->f->item->fn.over.at[domain_place(u->f, m.var)].range;
    const Dim *dim = &array->dims[k];
    bool is_size = dim->kind == DIM_SYMBOL || dim->kind == DIM_SUM;
    int64_t lo = r->lo ? r->lo->konst.i : 0, more;
    const Symbol *end = shifted(r->hi, &more);
    bool is_all = !r->lo && !r->step && end == m.size && !more;
    const char *right =
        is_all ? arena_printf(u->s->arena, "%s - 1 - %s", m.size->name, m.var->name) : NULL;
    const char *from = r->lo ? source_text(u->s, r->lo->span) : "0";
    const char *later = arena_printf(u->s->arena, "%s in %lld..%s", m.var->name, (long long)(m.c - dim->value + 1),
                                     source_text(u->s, r->hi->span));
    if (is_size && dim->sym == m.size && (!r->lo || r->lo->konst.kind == CONST_INT) && m.c - lo >= dim->value)
        say_outside(u, e, k, r, size_text(u->s->arena, m.size, m.c - lo), true, right, later);
    else if (!r->step && end == m.size && m.c - (more - 1) < 0)
        say_outside(u, e, k, r, arena_printf(u->s->arena, "%lld", (long long)(m.c - (more - 1))), false, right,
                    arena_printf(u->s->arena, "%s in %s..%s", m.var->name, from,
                                 size_text(u->s->arena, m.size, m.c + 1)));
}

static void branch(Suspect *u, const Expr *e) { vec_push(u->s->arena, &u->branches, e->span); }

static bool look_at(Expr *e, void *context) {
    Suspect *u = context;
    if (e->kind == EXPR_IF) {
        branch(u, e->if_.then_);
        branch(u, e->if_.else_);
    }
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR)) branch(u, e->binary.rhs);
    if (e->kind != EXPR_INDEX || e->index.base->kind != EXPR_NAME) return false;
    const Symbol *array = e->index.base->name.sym;
    if (!array || !array->type || array->type->kind != TY_ARRAY || array->kind != SYM_PARAM) return false;
    for (int i = 0; i < u->branches.n; i++)
        if (e->span.lo >= u->branches.at[i].lo && e->span.hi <= u->branches.at[i].hi) return false;
    for (int k = 0; k < e->index.at.n; k++) outside(u, e, k), outside_mirrored(u, e, k);
    return false;
}

static void look(Suspect *u, Expr *e) {
    u->branches.n = 0;
    expr_find(e, look_at, u);
}

/* The statements that every item runs ------------------------------------------------------------------------- */

/* After an assert its condition holds. */
static bool may_leave(const Stmt *st) { return stmt_holds(st, STMTS_LEAVE | 1u << STMT_ASSERT); }

static bool visit_block(Suspect *u, const Block *b, bool runs);

/* A loop with constant bounds that nothing leaves has all its iterations; any other has perhaps none. */
static bool visit_loop(Suspect *u, const Stmt *st, bool runs) {
    const Binder *b = &st->for_.binder;
    const Range *r = &b->range;
    bool known = r->hi && r->hi->konst.kind == CONST_INT && (!r->lo || r->lo->konst.kind == CONST_INT) && !r->step;
    Around l = {b->sym, known && r->lo ? r->lo->konst.i : 0, known ? r->hi->konst.i - 1 : 0};
    bool has_all = known && b->sym && l.first <= l.last && l.first > -1000000 && l.last < 1000000;
    if (has_all) vec_push(u->s->arena, &u->loops, l);
    bool more = visit_block(u, st->for_.body, runs && has_all);
    if (has_all) u->loops.n--;
    return more;
}

/* `runs`: every item executes this; in a loop, perhaps none. Returns false if what follows may not be executed. */
static bool visit(Suspect *u, Stmt *st, bool runs) {
    switch (st->kind) {
    case STMT_LET:
        if (runs) look(u, st->let.init);
        return true;
    case STMT_ASSIGN:
        same_element(u, st);
        u->target = st->assign.target;
        if (runs) look(u, st->assign.target);
        u->target = NULL;
        if (runs) look(u, st->assign.value);
        return true;
    case STMT_ATOMIC:
        if (runs) look(u, st->atomic.atomic);
        return true;
    case STMT_EXPR:
        if (runs) look(u, st->expr.expr);
        return true;
    case STMT_RETURN:
        if (runs) look(u, st->return_.value);
        return false;
    case STMT_IF:
        if (runs) look(u, st->if_.cond);
        return !may_leave(st);
    case STMT_FOR: return !may_leave(st) && visit_loop(u, st, runs);
    case STMT_BLOCK: return visit_block(u, st->block.block, runs);
    case STMT_WHILE: return !may_leave(st);
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_ASSERT: return false;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT_RESIDENT:
    case STMT__COUNT: break;
    }
    return true;
}

static bool visit_block(Suspect *u, const Block *b, bool runs) {
    for (int i = 0; i < b->stmts.n; i++)
        if (!visit(u, b->stmts.at[i], runs)) return false;
    return true;
}

/* In functions that every item calls -------------------------------------------------------------------------- */

static const Symbol *named(const Func *f, int atom) { return f->facts->atoms.at[atom].of; }

static bool same_for_all(const Func *f, const Form *at) {
    for (int i = 0; i < at->n; i++) {
        const Atom *atom = &f->facts->atoms.at[at->at[i].atom];
        bool given = atom->of && (atom->of->kind == SYM_SIZE || atom->of->kind == SYM_PARAM);
        bool sum = atom->is_sum && same_for_all(f, &atom->either[0]); /* even if it wraps */
        if (!given && !sum) return false;
    }
    return true;
}

/* All items write the same value, or perhaps do. */
static bool writes_one_value(const Access *x) {
    const Stmt *st = x->assign;
    if (!st || st->assign.op != OP_NONE || st->assign.is_min || st->assign.is_max) return false;
    const Expr *value = strip(st->assign.value);
    const Symbol *sym = value->kind == EXPR_NAME ? value->name.sym : NULL;
    return value->konst.kind != CONST_NONE || (sym && sym->kind == SYM_PARAM && sym->mode == REF_NONE);
}

static void same_element_called(Suspect *u, const Access *x) {
    if (races_allowed(u->s)) return;
    if (!x->assign || !x->array || x->array->kind != SYM_PARAM || has_one_item(u->f) || writes_one_value(x)) return;
    for (int d = 0; d < x->n; d++)
        if (!same_for_all(u->f, &x->at[d])) return;
    Compiler *c = u->s->c;
    Diag *d = diag(c, E0513, x->call->span, "every work item writes the same element of `%s`", x->array->name);
    diag_note(c, d, x->assign->assign.target->span, "it is written here; the work items run at the same time, so %s",
              x->assign->assign.op == OP_NONE && !x->assign->assign.is_min && !x->assign->assign.is_max
                  ? "which value remains is unpredictable" : "some updates are lost");
    propose_result(u->s, d, x->call->span, x->assign);
}

static void say_outside_called(Suspect *u, const Access *x, int d, const Range *r, const char *value, bool first) {
    Compiler *c = u->s->c;
    const Expr *at = x->expr->index.at.at[d];
    Span range = span_join(r->lo ? r->lo->span : r->hi->span, r->hi->span);
    Diag *diag_ = diag(c, W0502, x->call->span, "this call accesses `%s` out of bounds for the %s work item: index %s",
                       x->array->name, first ? "first" : "last", value);
    diag_note(c, diag_, at->span, "`%s` is the index here", source_text(u->s, at->span));
    diag_note(c, diag_, range,
              first ? "start the domain later, as in `over i in 1..n`" : "shorten the domain, as in "
                  "`over i in 0..n - 1`");
}

/* An index that is a variable of the domain and a constant. */
static void outside_called(Suspect *u, const Access *x, int d) {
    const Form *at = &x->at[d], *ext = &x->ext[d];
    const Symbol *var = at->n == 1 && at->at[0].k == 1 ? named(u->f, at->at[0].atom) : NULL;
    int place = var ? domain_place(u->f, var) : -1;
    if (place < 0) return;
    const Range *r = &u->f->item->fn.over.at[place].range;
    Wide lo = r->lo ? (Wide)r->lo->konst.i : 0;
    if ((!r->lo || r->lo->konst.kind == CONST_INT) && lo + at->c < 0) {
        say_outside_called(u, x, d, r, arena_printf(u->s->arena, "%lld", (long long)(lo + at->c)), true);
        return;
    }
    int64_t more;
    const Symbol *end = shifted(r->hi, &more);
    bool is_end = end && x->has_ext >> d & 1 && ext->n == 1 && ext->at[0].k == 1 && named(u->f, ext->at[0].atom) == end;
    Wide over = is_end ? more - 1 + at->c - ext->c : -1;
    if (r->step || over < 0) return;
    const char *value = more - 1 + at->c
        ? arena_printf(u->s->arena, "%s + %lld", end->name, (long long)(more - 1 + at->c)) : end->name;
    say_outside_called(u, x, d, r, value, false);
}

static void look_through(Suspect *u) {
    for (int i = 0; i < u->f->accesses.n; i++) {
        const Access *x = &u->f->accesses.at[i];
        if (!x->call || !x->always || !x->array || !x->expr) continue;
        if (x->writes && !x->is_atomic) same_element_called(u, x);
        for (int d = 0; d < x->n; d++) outside_called(u, x, d);
    }
}

void suspect_check(Sema *s, Func *f) {
    if (!f->is_kernel || !f->item || !f->item->fn.body || f->facts->skip) return;
    Suspect u = {.s = s, .f = f};
    visit_block(&u, f->item->fn.body, true);
    look_through(&u);
}
