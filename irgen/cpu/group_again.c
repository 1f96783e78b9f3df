/* group_again.c -- rematerialisation: a `let` that is cheap to compute is computed again in each segment that uses it,
 * instead of being expanded to an array. Vector code then sees what it is made of: `i.local - 1`, `max(i.local - 1,
 * lo)` and `i.group / n * 16 + i.local % 16` are adjacent in adjacent items, while what comes from an array may be
 * anything.
 *
 * What is the same for all items and may fail, as the division by `n`, is computed once, before the segment that
 * declares the `let`. Legal because each item computes it there, before anything else that may fail. */
#include "irgen/cpu/group.h"

#include "parser/children.h"

static bool is_extremum(const CallInfo *call) {
    bool is_one = call->builtin == BUILTIN_MIN || call->builtin == BUILTIN_MAX || call->builtin == BUILTIN_CLAMP;
    return call->kind == CALL_BUILTIN && is_one;
}

static bool is_arithmetic(const Expr *e) {
    if (e->kind == EXPR_CALL)
        return is_extremum(e->call.info) || (e->call.info->kind == CALL_CONVERT && e->type->is_int);
    return e->kind == EXPR_BINARY || e->kind == EXPR_UNARY || e->kind == EXPR_CONVERT;
}

/* Not one of the immutable values that cost nothing to get: positions, sizes, rematerialised `let`s. */
static bool changes(const Expr *e, const Plan *p) {
    if (e->kind == EXPR_ATOMIC || e->kind == EXPR_IF) return true;
    if (e->kind == EXPR_CALL)
        return !is_extremum(e->call.info) && (e->call.info->kind != CALL_CONVERT || e->type->kind == TY_STRUCT);
    if (e->kind != EXPR_NAME || !e->name.sym || e->konst.kind != CONST_NONE) return false;
    const Symbol *sym = e->name.sym;
    if (sym->kind == SYM_PARAM) return sym->mode != REF_NONE || type_is_parts(sym->type);
    if (sym->kind != SYM_LOCAL || sym->is_group_value || !sym->keyword.hi) return false;
    if (sym->is_mutable) return true;
    if (p->once[sym->id]) return false;
    for (int i = 0; i < p->again.n; i++)
        if (p->again.at[i]->let.sym == sym) return false;
    return true;
}

typedef struct Search {
    Plan *p;
    const Part *part;
    bool holds; /* what may fail may be computed before the segment */
    int operations;
} Search;

static bool is_pure(const Search *s, Expr *e) {
    if (e->konst.kind == CONST_NONE && e->kind != EXPR_NAME && !is_arithmetic(e)) return false;
    if (e->konst.kind == CONST_NONE && (changes(e, s->p) || group_is_variable(e, NULL))) return false;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));)
        if (!is_pure(s, x)) return false;
    return true;
}

static bool is_same_in_group(const Search *s, Expr *e) {
    return e->type->is_int && is_pure(s, e) && group_is_uniform(s->p, e);
}

static bool is_cheap(Search *s, Expr *e) {
    enum { MAX_OPERATIONS = 6 };
    if (e->konst.kind != CONST_NONE) return true;
    if (s->holds && is_arithmetic(e) && group_is_placed(e) && is_same_in_group(s, e)) {
        vec_push(s->p->arena, &s->p->held, ((Held){.e = e, .part = s->part->number}));
        return true;
    }
    if (changes(e, s->p) || group_fails(e)) return false;
    s->operations += e->kind == EXPR_BINARY || e->kind == EXPR_UNARY || e->kind == EXPR_CALL;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));)
        if (!is_cheap(s, x)) return false;
    return s->operations <= MAX_OPERATIONS;
}

/* Does each item come here, without having done anything that may fail? */
static bool comes_first(const Plan *p, const Part *part, int at) {
    for (int i = 0; i < at; i++) {
        const Stmt *st = part->items.at[i];
        bool is_again = false;
        for (int k = 0; k < p->again.n; k++) is_again = is_again || p->again.at[k] == st;
        if (!is_again) return false;
    }
    return !p->leaves;
}

bool group_is_again(Plan *p, const Part *part, int at) {
    const Stmt *st = part->items.at[at];
    Expr *e = st->let.init;
    if (!e || st->let.is_var || (!st->let.sym->type->is_int && st->let.sym->type->kind != TY_BOOL)) return false;
    Search s = {.p = p, .part = part, .holds = part->kind == PART_ITEMS && comes_first(p, part, at)};
    int n_held = p->held.n;
    if (is_cheap(&s, e)) return true;
    p->held.n = n_held;
    return false;
}

void group_hold(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    for (int i = 0; i < r->plan.held.n; i++) {
        Held *h = &r->plan.held.at[i];
        if (h->part != part->number) continue;
        h->at = NULL; /* not what another copy of the segment has computed */
        LLVMValueRef v = cg_expr(f, h->e).v;
        h->at = cg_alloca(f, LLVMTypeOf(v), "held");
        LLVMBuildStore(f->b, v, h->at);
    }
}

LLVMValueRef group_held(const Expr *e, void *run) {
    const GroupRun *r = run;
    if (r->item_number && e->type->kind == TY_INDEX && group_is_number(r->fn, e)) return r->item_number;
    for (int i = 0; i < r->plan.held.n; i++)
        if (r->plan.held.at[i].e == e) return r->plan.held.at[i].at;
    return NULL;
}

bool *group_wanted(const Plan *p, const Part *part) {
    bool *wanted = arena_array(p->arena, bool, p->again.n + 1);
    for (int i = p->again.n; i-- > 0;) {
        const Symbol *sym = p->again.at[i]->let.sym;
        wanted[i] = group_uses(part, sym);
        Part user = {0};
        for (int k = i + 1; k < p->again.n && !wanted[i]; k++) {
            if (!wanted[k]) continue;
            user.items.n = 0;
            vec_push(p->arena, &user.items, p->again.at[k]);
            wanted[i] = group_uses(&user, sym);
        }
        if (p->home[sym->id] == part->number + 1) wanted[i] = false;
    }
    return wanted;
}

void group_rematerialise(GroupRun *r, const Part *part) {
    const Plan *p = &r->plan;
    const bool *wanted = group_wanted(p, part);
    for (int i = 0; i < p->again.n; i++)
        if (wanted[i]) cg_stmt(r->f, p->again.at[i]);
}
