/* hoist.c -- range check hoisting: of an access at the beginning of each iteration of a loop, what can be checked
 * before the loop.
 *
 *   CHECK_NEAR    x[j + 1]      the first iteration, and the end of the loop moves to the first one that fails
 *   CHECK_STEADY  x[a, j]       the first iteration: in the others the index is the same
 *   CHECK_AHEAD   x[at[i] + j]  the first and the last iteration, in a loop that is executed to its end otherwise and
 *                               prints nothing: what it stores before a failure is unspecified
 *
 * The last two are for indices that come from data: those that are known when the items begin have better means
 * (irgen/simd/inside.c), which leave neighbouring items loops of the same length. */
#include "sema/access.h"

/* The variable of a loop with a step of 1 whose iterations all begin at its body; loop: NULL for that over the items.
 */
void hoist_begin(Walk *w, LoopChecks *checks, const Stmt *loop, const Symbol *sym, const Range *r) {
    bool unit = !r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i == 1);
    bool fits = sym->type->kind >= TY_I8 && sym->type->kind <= TY_INDEX && sym->type->kind != TY_U64;
    w->early = unit && fits && w->known[sym->id] && !w->f->group.items && !w->on_host ? checks : NULL;
    if (!w->early) return;
    w->early_at = w->now[sym->id];
    w->early_loop = loop;
    w->early_of = sym;
    w->early_may_unroll = false;
}

/* Values that are the same in all iterations ------------------------------------------------------------------------
 */

static const Expr *converted_from(const Expr *e) {
    if (e->kind == EXPR_CONVERT) return e->convert.operand;
    bool is_call = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_CONVERT && e->call.args.n == 1;
    return is_call ? e->call.args.at[0].value : NULL;
}

static bool is_steady(const Walk *w, const Expr *e);

static bool is_steady_name(const Walk *w, const Symbol *sym) {
    if (!sym || sym == w->early_of) return false;
    if (sym->kind == SYM_SIZE || sym->kind == SYM_DOMAIN) return true;
    if (sym->kind == SYM_PARAM) return sym->mode == REF_NONE;
    return sym->kind == SYM_LOCAL && !sym->is_mutable && !sym->is_group_value && !sym->is_shared && !sym->table &&
           sym->span.hi <= w->early_loop->span.lo;
}

/* An element that no item writes, and whose indices need no check. */
static bool is_steady_element(const Walk *w, const Expr *e) {
    const Symbol *array = e->index.base->kind == EXPR_NAME ? e->index.base->name.sym : NULL;
    if (!array || array->kind != SYM_PARAM || array->mode != REF_IN || e->index.site != -1) return false;
    for (int d = 0; d < e->index.at.n; d++)
        if (!is_steady(w, e->index.at.at[d])) return false;
    return true;
}

/* It may be computed before the loop. Checks of divisors and of amounts that stay have ended the search for checks. */
static bool is_steady(const Walk *w, const Expr *e) {
    if (e->konst.kind == CONST_INT) return true;
    switch (e->kind) {
    case EXPR_NAME: return is_steady_name(w, e->name.sym);
    case EXPR_UNARY: return is_steady(w, e->unary.operand);
    case EXPR_BINARY: return is_steady(w, e->binary.lhs) && is_steady(w, e->binary.rhs);
    case EXPR_CONVERT: return is_steady(w, e->convert.operand);
    case EXPR_INDEX: return is_steady_element(w, e);
    case EXPR_CALL: return converted_from(e) && is_steady(w, converted_from(e));
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_FIELD:
    case EXPR_FILL:
    case EXPR_COMPREHEND:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_IF:
    case EXPR_OFFLOAD:
    case EXPR_ATOMIC:
    case EXPR__COUNT: break;
    }
    return false;
}

/* The variable plus something steady: each iteration's value is one more. wraps: or is that modulo the size of its
 * type.
 */
static bool is_counted(Walk *w, const Expr *e, bool wraps) {
    if (e->konst.kind != CONST_NONE || !type_is_integer(e->type)) return false;
    if (e->kind == EXPR_NAME) return e->name.sym == w->early_of;
    const Expr *from = converted_from(e);
    if (from) {
        bool is_variable = from->kind == EXPR_NAME && from->name.sym == w->early_of;
        bool fits = is_variable && affine_within(&w->a, &w->early_at, type_least(e->type), type_most(e->type));
        return fits || (e->type->bits == 64 && is_counted(w, from, false));
    }
    if (e->kind != EXPR_BINARY || (e->type->bits != 64 && !e->binary.exact && !wraps)) return false;
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    if (e->binary.op == OP_SUB) return is_counted(w, l, wraps) && is_steady(w, r);
    if (e->binary.op != OP_ADD) return false;
    return (is_counted(w, l, wraps) && is_steady(w, r)) || (is_steady(w, l) && is_counted(w, r, wraps));
}

/* bits: the type in which it may wrap around, to a negative number */
static bool counts_with(Walk *w, const Expr *e, int *bits) {
    *bits = 64;
    if (is_counted(w, e, false)) return true;
    for (const Expr *from; e->type->bits == 64 && (from = converted_from(e)) && from->type->is_signed;) e = from;
    *bits = e->type->bits;
    return type_is_integer(e->type) && e->type->is_signed && *bits < 64 && is_counted(w, e, true);
}

/* It depends on an element or on what a function returns, and not only on sizes, parameters and indices of items. */
static bool is_data(Expr *e, void *context) {
    if (e->kind == EXPR_INDEX) return true;
    if (e->kind == EXPR_CALL) return e->call.info && e->call.info->kind == CALL_FUNC;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return sym && sym->kind == SYM_LOCAL && sym->init && expr_find(sym->init, is_data, context);
}

/* Loops whose iterations are all executed ----------------------------------------------------------------------------
 */

/* Functions that are called are walked before their callers, and do not recurse. */
static bool may_end_item(const Func *f) {
    bool may = f->may_fail || f->may_assert || f->effects & (EFFECT_PRINT | EFFECT_EXTERN);
    for (int i = 0; !may && i < f->facts->calls.n; i++) may = may_end_item(f->facts->calls.at[i]->callee);
    return may;
}

static bool may_end(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_OFFLOAD) return true;
    if (e->kind != EXPR_CALL || !e->call.info) return false;
    if (e->call.info->kind == CALL_BUILTIN) return e->call.info->builtin == BUILTIN_PRINT;
    return e->call.info->kind == CALL_FUNC && may_end_item(e->call.info->func);
}

/* It prints nothing and does not leave the loop. What arrays contain after a failed check is unspecified. */
static bool goes_on(const Stmt *st) {
    const unsigned ends = STMTS_LEAVE | 1u << STMT_WHILE | 1u << STMT_ASSERT | 1u << STMT_BARRIER | 1u << STMT_ERROR;
    return !stmt_holds(st, ends) && !stmt_find(st, may_end, NULL);
}

/* The decision
 * --------------------------------------------------------------------------------------------------------- */

static bool has_kind(const LoopChecks *checks, HoistKind kind) {
    for (int i = 0; i < checks->n; i++)
        if (checks->at[i].kind == kind) return true;
    return false;
}

static bool is_near(const Walk *w, const Form *at, int64_t *by) {
    enum { FAR = 1 << 30 };
    Form add;
    if (w->early_may_unroll || has_kind(w->early, CHECK_AHEAD)) return false;
    if (!form_add(&add, at, -1, &w->early_at) || !form_is_const(&add) || add.c < -FAR || add.c > FAR) return false;
    *by = (int64_t)add.c;
    return true;
}

static bool choose_kind(Walk *w, Expr *index, const Form *at, LoopCheck *check) {
    check->kind = CHECK_NEAR;
    if (is_near(w, at, &check->add)) return true;
    if (!w->early_loop || !expr_find(index, is_data, NULL)) return false;
    check->kind = CHECK_STEADY;
    if (is_steady(w, index)) return true;
    check->kind = CHECK_AHEAD;
    return !has_kind(w->early, CHECK_NEAR) && counts_with(w, index, &check->bits) && goes_on(w->early_loop);
}

/* The checks of all indices that are undecided. false: not all of them can be hoisted. */
static bool choose_checks(Walk *w, Expr *e, const Form *at, const char *why) {
    int before = w->early->n;
    for (int d = 0; d < e->index.at.n; d++) {
        LoopCheck check = {.access = e, .dim = d, .why = why};
        if (e->index.proven >> d & 1) continue;
        if (w->early->n < MAX_LOOP_CHECKS && choose_kind(w, e->index.at.at[d], &at[d], &check)) {
            vec_push(w->s->arena, w->early, check);
            e->index.early |= 1u << d;
            continue;
        }
        w->early->n = before;
        e->index.early = 0;
        return false;
    }
    return true;
}

bool hoist_check(Walk *w, Expr *e, const Symbol *array, const Form *at, const char *why) {
    if (!w->early || !array || array->kind != SYM_PARAM || array->reshaped) return false;
    int before = w->early->n;
    if (e->index.at.n != array->type->rank || !choose_checks(w, e, at, why)) return false;
    LoopChecks *checks = w->early;
    CheckSite site = {
        .kind = CHECK_INDEX, .span = e->span, .rank = e->index.at.n, .name = array->name, .is_hoisted = true};
    site.text = walk_text(w, e->span);
    site.why = arena_printf(w->s->arena, "%s; checked once, before the loop", why);
    e->index.site = walk_keep(w, site);
    for (int i = before; i < checks->n; i++) checks->at[i].site = e->index.site;
    w->early = checks;
    return true;
}

/* An access has one site, and may have a check for each index. */
static int n_accesses(const LoopChecks *checks) {
    int n = 0;
    for (int i = 0; i < checks->n; i++) n += !i || checks->at[i].site != checks->at[i - 1].site;
    return n;
}

/* Where the loop has checks of its own, an iteration may fail before the one that would be reported. Then the first
 * check that looks ahead and those after it, which rely on it, are made in each iteration, as written. */
void hoist_end(Walk *w, LoopChecks *checks, int n_sites) {
    Program *p = w->s->program;
    w->early = NULL;
    if (p->sites.n - n_sites == n_accesses(checks)) return;
    int first = 0;
    while (first < checks->n && checks->at[first].kind != CHECK_AHEAD) first++;
    for (int i = first; i < checks->n; i++) {
        LoopCheck *c = &checks->at[i];
        CheckSite *site = &p->sites.at[c->site - 1];
        ((Expr *)c->access)->index.early &= ~(1u << c->dim);
        site->is_hoisted = false;
        site->why = c->why;
        site->access = (Expr *)c->access;
    }
    checks->n = first;
}
