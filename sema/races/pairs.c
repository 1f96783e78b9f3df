/* pairs.c -- dependence analysis between work items. Two events conflict in the states in which two different items
 * touch the same element at the same time: a set of isl whose parameters are the variables of both items. An empty set
 * is a proof. A point of a set that is exact is a race. */
#include "sema/races/pairs.h"

#include <isl/ctx.h>
#include <isl/options.h>

enum {
    FEW_OPERATIONS = 4000,   /* of isl, for one pair at first */
    MAX_OPERATIONS = 24000,  /* and when all pairs have had a turn */
    MAX_ALL = 60000,         /* for all pairs of one analysis */
    LARGE = 1000,            /* sizes: races that do not depend on how these are related */
};

/* Whether two phases can be the same, and when: asked once for all pairs of events in these. */
typedef struct Meeting {
    const isl_set *a, *b;
    isl_set *when;
    bool never;
} Meeting;

typedef struct Judge {
    Walk *w;
    RaceTable *table;
    const RaceTable *before;
    unsigned long spent, limit; /* operations of isl: so far, and for one pair */
    Vec(Meeting) meetings;
    VarSet domain; /* the scalars that decide how many items there are */
} Judge;

/* The question for one pair. */
typedef struct Pair {
    Judge *j;
    const Event *a, *b;
    isl_set *same;    /* both happen, and touch the same element */
    bool known;    /* of all indices */
    RaceVerdict verdict;
    const char *reason;
    bool needs_sizes, of_data, is_group;
    int64_t holes;
    RaceWitness witness;
} Pair;

static isl_set *keep(Judge *j, isl_set *s) { return space_keep(&j->w->space, s); }

static bool is_none(isl_set *s) { return isl_set_is_empty(s) == isl_bool_true; }

static isl_pw_aff *other(isl_pw_aff *v) { return value_other(isl_pw_aff_copy(v)); }

static isl_set *equal(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_eq_set(isl_pw_aff_copy(a), other(b)); }

/* Elements --------------------------------------------------------------------------------------------------------- */

/* Fields or components that differ. */
static bool are_apart(const Event *a, const Event *b) {
    for (int i = 0; i < a->ref.n && i < b->ref.n; i++) {
        unsigned x = a->ref.at[i].mask, y = b->ref.at[i].mask;
        if (x && y && !(x & y)) return true;
    }
    return false;
}

static isl_set *same_element(Pair *p) {
    isl_set *c = quasi_and(isl_set_copy(p->a->states), set_other(isl_set_copy(p->b->states)));
    for (int i = 0; i < p->a->ref.n && i < p->b->ref.n; i++) {
        const Step *x = &p->a->ref.at[i], *y = &p->b->ref.at[i];
        if (x->mask || y->mask) continue;
        if (!x->at || !y->at || x->open || y->open) p->known = false;
        else c = quasi_and(c, equal(x->at, y->at));
    }
    return c;
}

/* Lemmas ----------------------------------------------------------------------------------------------------------- */

/* Equal arguments, equal values. */
static isl_set *congruence(const Var *v) {
    isl_set *holds = equal(v->value, v->value);
    for (int i = 0; i < v->n_args; i++) {
        if (isl_pw_aff_n_piece(v->args[i]) == 1 && isl_pw_aff_is_cst(v->args[i]) == isl_bool_true) continue;
        holds = isl_set_union(holds, isl_pw_aff_ne_set(isl_pw_aff_copy(v->args[i]), other(v->args[i])));
    }
    return holds;
}

/* Can all arguments be equal? If not, the lemma says nothing, and would make several sets of one. */
static bool may_be_called_alike(const Var *v, isl_set *c) {
    isl_set *alike = isl_set_copy(c);
    for (int i = 0; i < v->n_args; i++) alike = quasi_and(alike, equal(v->args[i], v->args[i]));
    bool may = !is_none(alike);
    isl_set_free(alike);
    return may;
}

static isl_set *implies(isl_set *c, isl_set *premise, isl_set *conclusion) {
    isl_set *then = quasi_and(isl_set_copy(c), isl_set_copy(premise));
    if (is_none(then)) {
        isl_set_free(then);
        isl_set_free(premise);
        isl_set_free(conclusion);
        return c;
    }
    return isl_set_union(isl_set_subtract(c, premise), quasi_and(then, conclusion));
}

/* v = a ^ w is an involution: equal values are of equal items, and the partner's partner is the item itself. */
static isl_set *exchange(const Var *v, isl_set *c) {
    isl_pw_aff *a = v->args[0];
    c = implies(c, equal(v->value, v->value), equal(a, a));
    c = implies(c, equal(v->value, a), equal(a, v->value));
    return implies(c, equal(a, v->value), equal(v->value, a));
}

typedef struct Sums { /* of the products by one factor in an expression, and of what they multiply */
    isl_pw_aff *factor, *multiplied, *product;
    bool is_nonneg;
} Sums;

static isl_stat take_aff(isl_set *set, isl_aff *aff, void *user) {
    isl_aff **one = user;
    isl_set_free(set);
    isl_aff_free(*one);
    *one = aff;
    return isl_stat_ok;
}

/* Of c1 * p1 + c2 * p2 ... + rest with products p by the factor; of a value in pieces, the empty sum. */
static bool sums_of(Walk *w, isl_pw_aff *value, isl_pw_aff *factor, Sums *out) {
    isl_aff *aff = NULL;
    if (isl_pw_aff_n_piece(value) == 1) isl_pw_aff_foreach_piece(value, take_aff, &aff);
    *out = (Sums){factor, quasi_number(&w->space.q, 0), quasi_number(&w->space.q, 0), false};
    bool found = false;
    for (int i = 0; aff && i < isl_aff_dim(aff, isl_dim_param); i++) {
        const Var *v = aff_var(aff, i);
        isl_val *k = isl_aff_get_coefficient_val(aff, isl_dim_param, i);
        bool mine = v->kind == VAR_PRODUCT && isl_val_is_zero(k) == isl_bool_false && value_equal(v->factor, factor);
        if (mine) {
            found = true;
            out->is_nonneg = v->is_nonneg;
            out->multiplied =
                isl_pw_aff_add(out->multiplied, isl_pw_aff_scale_val(isl_pw_aff_copy(v->args[0]), isl_val_copy(k)));
            out->product =
                isl_pw_aff_add(out->product, isl_pw_aff_scale_val(isl_pw_aff_copy(v->value), isl_val_copy(k)));
        }
        isl_val_free(k);
    }
    isl_aff_free(aff);
    space_keep_value(&w->space, out->multiplied);
    space_keep_value(&w->space, out->product);
    return found;
}

/* Multiplication is monotone: a = a' gives a * w = a' * w; a > a' gives a * w >= a' * w + w for w >= 0, and
 * a * w <= a' * w + w for w < 0. */
static isl_set *ordered(isl_pw_aff *x, isl_pw_aff *y, isl_pw_aff *difference, isl_pw_aff *factor, bool is_nonneg) {
    isl_set *above = isl_pw_aff_gt_set(x, y);
    isl_set *grows = isl_pw_aff_ge_set(isl_pw_aff_copy(difference), isl_pw_aff_copy(factor));
    if (is_nonneg) {
        isl_pw_aff_free(difference);
        return quasi_and(above, grows);
    }
    isl_set *sign = isl_pw_aff_nonneg_set(isl_pw_aff_copy(factor));
    isl_set *shrinks = quasi_and(isl_set_complement(isl_set_copy(sign)),
                                         isl_pw_aff_le_set(difference, isl_pw_aff_copy(factor)));
    return quasi_and(above, isl_set_union(quasi_and(grows, sign), shrinks));
}

static isl_set *monotony(const Sums *a, const Sums *b) {
    isl_pw_aff *x = a->multiplied, *y = b->multiplied, *p = a->product, *q = b->product;
    bool is_nonneg = a->is_nonneg || b->is_nonneg;
    isl_set *eq = quasi_and(equal(x, y), equal(p, q));
    isl_pw_aff *difference = isl_pw_aff_sub(isl_pw_aff_copy(p), other(q));
    isl_pw_aff *back = isl_pw_aff_neg(isl_pw_aff_copy(difference));
    isl_set *gt = ordered(isl_pw_aff_copy(x), other(y), difference, a->factor, is_nonneg);
    isl_set *lt = ordered(other(y), isl_pw_aff_copy(x), back, a->factor, is_nonneg);
    return isl_set_union(eq, isl_set_union(gt, lt));
}

/* Fewer lemmas prove less, and nothing wrong. */
enum { MAX_LEMMAS = 12, MAX_PIECES = 8 };

/* The lemmas for a pair of values that are compared, then those for what is multiplied in them. */
static isl_set *products(Judge *j, isl_set *c, isl_pw_aff *x, isl_pw_aff *y, int *left) {
    Walk *w = j->w;
    for (int i = 0; i<w->space.vars.n && * left> 0; i++) {
        const Var *v = w->space.vars.at[i];
        bool first = v->kind == VAR_PRODUCT;
        for (int k = 0; k < i && first; k++) {
            const Var *u = w->space.vars.at[k];
            if (u->kind == VAR_PRODUCT && value_equal(u->factor, v->factor)) first = false;
        }
        Sums a, b;
        if (!first) continue;
        bool in_x = sums_of(w, x, v->factor, &a), in_y = sums_of(w, y, v->factor, &b);
        if (!in_x && !in_y) continue;
        --*left;
        c = quasi_and(c, monotony(&a, &b));
        if (is_none(c)) return c;
        c = products(j, c, a.multiplied, b.multiplied, left);
    }
    return c;
}

static isl_set *at_most(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_le_set(isl_pw_aff_copy(a), other(b)); }
static isl_set *at_least(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_ge_set(isl_pw_aff_copy(a), other(b)); }

/* Two elements of one table, v of an item and u of the other one. */
static isl_set *tabled(const Func *kernel, isl_set *c, const Var *v, const Var *u) {
    const Symbol *table = ((const Root *)v->root)->sym;
    if (is_assumed(kernel, table, ASSUME_DISTINCT)) {
        isl_set *alike = isl_set_universe(isl_set_get_space(c));
        for (int i = 0; i < v->n_args; i++) alike = quasi_and(alike, equal(v->args[i], u->args[i]));
        c = implies(c, equal(v->value, u->value), alike);
    }
    if (!is_assumed(kernel, table, ASSUME_SORTED)) return c;
    c = implies(c, at_most(v->args[0], u->args[0]), at_most(v->value, u->value));
    return implies(c, at_least(v->args[0], u->args[0]), at_least(v->value, u->value));
}

static isl_set *assumptions(Judge *j, isl_set *c, const VarSet *in) {
    Space *s = &j->w->space;
    for (int i = 0; i < in->n; i++)
        for (int k = 0; k < in->n; k++) {
            const Var *v = s->vars.at[i], *u = s->vars.at[k];
            bool both = in->has[i] && in->has[k] && v->root && v->root == u->root;
            if (both && isl_set_n_basic_set(c) <= MAX_PIECES) c = tabled(j->w->kernel, c, v, u);
        }
    return c;
}

static isl_set *with_lemmas(Pair *p, isl_set *c) {
    Judge *j = p->j;
    Space *s = &j->w->space;
    int left = MAX_LEMMAS;
    for (int i = 0; i < p->a->ref.n && i < p->b->ref.n; i++) {
        const Step *x = &p->a->ref.at[i], *y = &p->b->ref.at[i];
        if (!x->mask && !y->mask && x->at && y->at) c = products(j, c, x->at, y->at, &left);
    }
    VarSet in = varset_new(s);
    varset_add_set(s, &in, c);
    varset_close(s, &in);
    int n = s->vars.n;
    if (j->w->assuming) c = assumptions(j, c, &in);
    for (int i = 0; i < n && !is_none(c); i++) {
        const Var *v = s->vars.at[i];
        if (!in.has[i] || v->shared || !v->is_function) continue;
        if (v->is_exchange && isl_set_n_basic_set(c) <= MAX_PIECES) c = exchange(v, c);
        if (isl_set_n_basic_set(c) > MAX_PIECES || !may_be_called_alike(v, c)) continue;
        c = quasi_and(c, congruence(v));
        if (v->kind != VAR_QUOTIENT) continue;
        isl_pw_aff *whole = space_multiply(s, v->value, v->factor, v->is_nonneg); /* of q * w + r, which is compared */
        c = products(j, c, whole, whole, &left);
        isl_pw_aff_free(whole);
    }
    return c;
}

/* Verdicts --------------------------------------------------------------------------------------------------------- */

static bool same_constant(const Const *a, const Const *b) {
    if (a->kind == CONST_NONE || a->kind != b->kind) return false;
    return a->kind == CONST_FLOAT ? a->f == b->f : a->kind != CONST_STR && a->i == b->i;
}

static bool same_symbol(const Func *kernel, const Expr *a, const Expr *b) {
    const Symbol *x = a->kind == EXPR_NAME ? a->name.sym : NULL;
    bool fixed = x && x->func == kernel && x->kind == SYM_PARAM && x->mode == REF_NONE;
    return fixed && b->kind == EXPR_NAME && b->name.sym == x;
}

/* Do both write the same value? */
static bool is_benign(const Pair *p, isl_set *c) {
    const Event *a = p->a, *b = p->b;
    if (a->touch != TOUCH_WRITE || b->touch != TOUCH_WRITE || !a->assign || !b->assign) return false;
    const Expr *x = expr_strip(a->assign->assign.value), *y = expr_strip(b->assign->assign.value);
    if (same_constant(&x->konst, &y->konst) || same_symbol(p->j->w->kernel, x, y)) return true;
    if (!a->stored || !b->stored) return false;
    isl_set *same = equal(a->stored, b->stored);
    bool yes = isl_set_is_subset(c, same) == isl_bool_true;
    isl_set_free(same);
    return yes;
}

/* What is unknown about a conflict; NULL: it is exact. */
static const char *doubt(Pair *p, isl_set *c) {
    Walk *w = p->j->w;
    Space *s = &w->space;
    if (p->a->may) return p->a->may;
    if (p->b->may) return p->b->may;
    VarSet in = varset_new(s);
    varset_add_set(s, &in, c);
    varset_close(s, &in);
    const char *why = NULL;
    for (int i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        if (!in.has[i]) continue;
        p->of_data |= v->kind == VAR_DATA;
        if (v->kind == VAR_DATA || v->kind == VAR_CHOICE)
            return arena_printf(w->s->arena,
                                v->kind == VAR_DATA ? "it depends on the values of `%s`" : "it depends on whether `%s`",
                                v->why);
        if (v->kind != VAR_PRODUCT && v->kind != VAR_QUOTIENT) continue;
        p->needs_sizes = true;
        why = "it depends on products of sizes";
    }
    return why || p->known ? why : "an index is not known";
}

/* A scalar for whose value the program alone decides must not be needed for the conflict. */
static const char *scalar_in_doubt(Pair *p, isl_set *c) {
    Walk *w = p->j->w;
    Space *s = &w->space;
    VarSet in = varset_new(s);
    varset_add_set(s, &in, c);
    isl_set *shown = isl_set_copy(c), *legal = quasi_all(&s->q);
    const char *name = NULL;
    for (int i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        bool counts = i < p->j->domain.n && p->j->domain.has[i];
        bool stays = v->kind == VAR_SCALAR && in.has[i] && !counts;
        if (stays) {
            name = v->sym ? v->sym->name : v->why;
            if (v->facts) legal = quasi_and(legal, isl_set_copy(v->facts));
            continue;
        }
        isl_id *ids[2] = {v->id, v->other};
        for (int k = 0; k < 2; k++) {
            int pos = ids[k] ? isl_set_find_dim_by_id(shown, isl_dim_param, ids[k]) : -1;
            if (pos >= 0) shown = isl_set_project_out(shown, isl_dim_param, (unsigned)pos, 1);
        }
    }
    bool always = !name || isl_set_is_subset(legal, shown) == isl_bool_true;
    isl_set_free(shown);
    isl_set_free(legal);
    return always ? NULL : arena_printf(w->s->arena, "it depends on the value of `%s`", name);
}

/* Sizes and scalars that only the launches of the program decide: a conflict for some of them is a race if they are
 * known, or if it is there for all that the launches can have, as far as sizes are large. */
static bool is_launched_always(Pair *p, isl_set *c, bool with_scalars) {
    Walk *w = p->j->w;
    Space *s = &w->space;
    isl_set *shown = isl_set_copy(c), *legal = isl_set_copy(w->launches);
    int n = 0;
    for (int i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        if (v->kind == VAR_SIZE) {
            isl_set *large = isl_pw_aff_ge_set(isl_pw_aff_copy(v->value), quasi_number(&s->q, LARGE));
            isl_set *both = quasi_and(isl_set_copy(legal), large);
            bool bounded = is_none(both);
            isl_set_free(bounded ? both : legal);
            if (!bounded) legal = both;
            n++;
            continue;
        }
        bool counts = i < p->j->domain.n && p->j->domain.has[i];
        if (with_scalars && v->kind == VAR_SCALAR && v->sym && !counts) {
            n++;
            continue;
        }
        isl_id *ids[2] = {v->id, v->other};
        for (int k = 0; k < 2; k++) {
            int pos = ids[k] ? isl_set_find_dim_by_id(shown, isl_dim_param, ids[k]) : -1;
            if (pos >= 0) shown = isl_set_project_out(shown, isl_dim_param, (unsigned)pos, 1);
            pos = ids[k] ? isl_set_find_dim_by_id(legal, isl_dim_param, ids[k]) : -1;
            if (pos >= 0) legal = isl_set_project_out(legal, isl_dim_param, (unsigned)pos, 1);
        }
    }
    bool always = !n || isl_set_is_subset(legal, shown) == isl_bool_true;
    isl_set_free(shown);
    isl_set_free(legal);
    return always;
}

static const char *launch_in_doubt(Pair *p, isl_set *c) {
    const Walk *w = p->j->w;
    bool launched = w->launched && w->launches;
    const char *why = scalar_in_doubt(p, c);
    if (why && launched && is_launched_always(p, c, true)) return NULL;
    if (why || !launched || is_launched_always(p, c, false)) return why;
    return "it depends on the sizes of the launches";
}

static void decide(Pair *p, isl_set *c, bool is_group) {
    const char *why = doubt(p, c);
    if (why && p->holes) why = NULL;
    if (!why) why = launch_in_doubt(p, c);
    RaceWitness witness = {0};
    if (!why && !races_witness(p->j->w, p->a, c, &witness)) why = "no example with known, small values was found";
    if (why) {
        if (p->verdict == RACE_FREE) p->verdict = RACE_UNKNOWN, p->reason = why;
        return;
    }
    p->verdict = is_benign(p, c) ? RACE_BENIGN : RACE_FOUND;
    p->witness = witness;
    p->is_group = is_group;
    p->reason = NULL;
}

enum { FEW_PIECES = 4 };

/* Phases of few pieces tell many pairs apart. Those after loops have many, and often the pair is free at any time. */
static bool has_plain_phases(const Pair *p) {
    if (!p->a->phase || !p->b->phase) return false;
    return isl_set_n_basic_set(p->a->phase) * isl_set_n_basic_set(p->b->phase) <= FEW_PIECES;
}

static const Meeting *meeting(Pair *p) {
    Judge *j = p->j;
    isl_set *a = p->a->phase, *b = p->b->phase;
    for (int i = 0; i < j->meetings.n; i++)
        if (j->meetings.at[i].a == a && j->meetings.at[i].b == b) return &j->meetings.at[i];
    isl_set *both = quasi_and(isl_set_copy(a), set_other(isl_set_copy(b)));
    Meeting m = {.a = a, .b = b, .when = keep(j, isl_set_project_out(both, isl_dim_set, 0, PHASE_DIMS))};
    m.never = is_none(m.when);
    if (m.when) vec_push(j->w->s->arena, &j->meetings, m); /* else isl has come to the limit */
    return m.when ? &j->meetings.at[j->meetings.n - 1] : NULL;
}

/* At the same time, in one group. */
static isl_set *at_once(Pair *p, isl_set *c) {
    if (!p->a->phase || !p->b->phase) {
        p->known = false;
        return c;
    }
    const Meeting *m = meeting(p);
    return m ? quasi_and(c, isl_set_copy(m->when)) : c;
}

/* One of the cases in which the items differ. */
static void consider(Pair *p, isl_set *c, bool is_group) {
    bool is_late = is_group && !has_plain_phases(p);
    if (is_late && p->verdict != RACE_FOUND && !is_none(c)) c = at_once(p, c);
    if (p->verdict == RACE_FOUND || is_none(c)) {
        isl_set_free(c);
        return;
    }
    c = keep(p->j, with_lemmas(p, c));
    if (!is_none(c)) decide(p, c, is_group);
}

/* Items ------------------------------------------------------------------------------------------------------------ */

/* Positions that differ, at the first axis where they do. */
static void differing(Pair *p, isl_set *c, Var *const *vars, int n, bool is_group) {
    isl_set *before = isl_set_copy(c);
    for (int i = 0; i < n; i++) {
        isl_pw_aff *v = vars[i]->value;
        isl_set *less = isl_pw_aff_lt_set(isl_pw_aff_copy(v), other(v));
        consider(p, quasi_and(isl_set_copy(before), less), is_group);
        if (p->a != p->b) {
            isl_set *more = isl_pw_aff_gt_set(isl_pw_aff_copy(v), other(v));
            consider(p, quasi_and(isl_set_copy(before), more), is_group);
        }
        before = quasi_and(before, equal(v, v));
    }
    isl_set_free(before);
}

static bool never_meet(Pair *p) {
    const Meeting *m = has_plain_phases(p) ? meeting(p) : NULL;
    return m && m->never;
}

static void same_group(Pair *p, isl_set *c) {
    Walk *w = p->j->w;
    if (never_meet(p)) return;
    c = isl_set_copy(c);
    for (int i = 0; i < w->groups.n; i++)
        c = quasi_and(c, equal(w->groups.at[i]->value, w->groups.at[i]->value));
    if (has_plain_phases(p)) c = at_once(p, c);
    if (!is_none(c)) differing(p, c, w->locals.at, w->locals.n, true);
    isl_set_free(c);
}

static void ask(Pair *p) {
    Walk *w = p->j->w;
    p->known = true;
    if (w->kernel->group.items && p->a->ref.root->is_local && never_meet(p)) return;
    p->holes = p->a == p->b ? races_holes(p->j->w, p->a) : 0;
    p->same = keep(p->j, same_element(p));
    if (is_none(p->same)) return;
    if (!w->kernel->group.items) {
        differing(p, p->same, w->items.at, w->items.n, false);
        return;
    }
    if (!p->a->ref.root->is_local) differing(p, p->same, w->groups.at, w->groups.n, false);
    bool known = p->known;
    same_group(p, p->same);
    p->known = known;
}

/* Rows ------------------------------------------------------------------------------------------------------------- */

static bool conflicts(const Event *a, const Event *b) {
    if (a->ref.root != b->ref.root || (a->touch == TOUCH_READ && b->touch == TOUCH_READ)) return false;
    if (a->touch == TOUCH_ATOMIC && b->touch == TOUCH_ATOMIC) return false;
    return !are_apart(a, b);
}

static bool is_same_for_all(Walk *w, const Event *e) {
    for (int i = 0; i < e->ref.n; i++)
        if (!e->ref.at[i].mask && (!e->ref.at[i].at || !value_is_shared(&w->space, e->ref.at[i].at))) return false;
    return true;
}

bool races_same_pair(const RacePair *p, const RacePair *q) {
    return q->array == p->array && q->at[0].lo == p->at[0].lo && q->at[1].lo == p->at[1].lo &&
           q->mode[0] == p->mode[0] && q->mode[1] == p->mode[1];
}

static bool was_free(const RaceTable *before, const RacePair *row) {
    for (int i = 0; before && i < before->pairs.n; i++)
        if (races_same_pair(&before->pairs.at[i], row)) return before->pairs.at[i].verdict == RACE_FREE;
    return false;
}

static RacePair *row_of(Judge *j, const Event *a, const Event *b) {
    if (a->span.lo > b->span.lo) {
        const Event *c = a;
        a = b;
        b = c;
    }
    const char *x = touch_names[a->touch], *y = touch_names[b->touch];
    for (int i = 0; i < j->table->pairs.n; i++) {
        RacePair *r = &j->table->pairs.at[i];
        if (r->array == a->ref.root->sym && r->at[0].lo == a->span.lo && r->at[0].hi == a->span.hi &&
            r->at[1].lo == b->span.lo && r->at[1].hi == b->span.hi && r->mode[0] == x && r->mode[1] == y)
            return r;
    }
    Sema *s = j->w->s;
    RacePair r = {
        .array = a->ref.root->sym, .at = {a->span, b->span}, .mode = {x, y}, .assign = {a->assign, b->assign}};
    r.call[0] = a->call;
    r.call[1] = b->call;
    r.text[0] = source_text(s, a->span);
    r.text[1] = source_text(s, b->span);
    r.is_atomic[0] = a->touch == TOUCH_ATOMIC;
    r.is_atomic[1] = b->touch == TOUCH_ATOMIC;
    r.is_same_element = a == b && is_same_for_all(j->w, a);
    r.reason = "no two work items touch the same element";
    vec_push(s->arena, &j->table->pairs, r);
    return &j->table->pairs.at[j->table->pairs.n - 1];
}

static void adopt(RacePair *row, const Pair *p) {
    if (p->verdict <= row->verdict) return;
    row->verdict = p->verdict;
    row->reason = p->reason;
    row->needs_sizes = p->needs_sizes;
    row->of_data = p->of_data;
    row->holes = p->holes;
    row->witness = p->witness;
    row->is_group = p->is_group;
    if (p->a->span.lo <= p->b->span.lo) return;
    RaceValues first = row->witness.items[0];
    row->witness.items[0] = row->witness.items[1];
    row->witness.items[1] = first;
}

/* false: it came to the limit */
static bool judge(Judge *j, const Event *a, const Event *b) {
    RacePair *row = row_of(j, a, b);
    if (row->verdict == RACE_FOUND || was_free(j->before, row)) return true;
    isl_ctx *ctx = j->w->space.q.ctx;
    Pair p = {.j = j, .a = a, .b = b, .verdict = RACE_FREE};
    if (j->spent >= MAX_ALL) {
        p.verdict = RACE_UNKNOWN;
        p.reason = "the kernel has too many accesses to compare";
    } else {
        isl_ctx_set_max_operations(ctx, j->limit);
        isl_ctx_reset_operations(ctx);
        isl_ctx_reset_error(ctx);
        ask(&p);
        bool ended = isl_ctx_last_error(ctx) != isl_error_none && p.verdict != RACE_FOUND;
        j->spent += space_spent(&j->w->space, j->limit);
        if (ended && j->limit < MAX_OPERATIONS) return false;
        if (ended) p.verdict = RACE_UNKNOWN, p.reason = "the comparison takes too long";
    }
    adopt(row, &p);
    return true;
}

/* The scalars in the bounds of the domain. */
static void find_domain(Judge *j) {
    Walk *w = j->w;
    const Func *f = w->kernel;
    j->domain = varset_new(&w->space);
    for (int d = 0; d < f->domain.n; d++) {
        const Range *r = &f->item->fn.over.at[d].range;
        const Expr *ends[2] = {r->lo, r->hi};
        for (int i = 0; i < w->space.vars.n; i++) {
            const Symbol *sym = w->space.vars.at[i]->kind == VAR_SCALAR ? w->space.vars.at[i]->sym : NULL;
            for (int k = 0; k < 2 && sym; k++) {
                const Expr *e = ends[k] ? expr_strip((Expr *)ends[k]) : NULL;
                if (e && e->kind == EXPR_NAME && e->name.sym == sym) j->domain.has[i] = true;
            }
        }
    }
}

/* Cheap pairs first: what takes longer waits until all have had a turn. */
void races_judge(Walk *w, RaceTable *table, const RaceTable *before) {
    Judge j = {.w = w, .table = table, .before = before, .limit = FEW_OPERATIONS};
    Vec(const Event *) late = {0};
    find_domain(&j);
    for (int i = 0; i < w->events.n; i++)
        for (int k = i; k < w->events.n; k++) {
            const Event *a = &w->events.at[i], *b = &w->events.at[k];
            if (!conflicts(a, b) || judge(&j, a, b)) continue;
            vec_push(&w->space.arena, &late, a);
            vec_push(&w->space.arena, &late, b);
        }
    j.limit = MAX_OPERATIONS;
    for (int i = 0; i < late.n; i += 2) judge(&j, late.at[i], late.at[i + 1]);
    w->s->races_spent += j.spent;
}
