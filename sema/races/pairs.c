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
    bool needs_sizes, of_data, is_group, is_agreed, if_both, if_one;
    int sure; /* RacePair.sure, 0: a */
    int64_t holes;
    RaceWitness witness;
} Pair;

static isl_set *keep(Judge *j, isl_set *s) { return space_keep(&j->w->space, s); }

static bool is_none(isl_set *s) { return isl_set_is_empty(s) == isl_bool_true; }

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
        else c = quasi_and(c, values_meet(x->at, y->at));
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
    isl_set *same = values_meet(a->stored, b->stored);
    bool yes = isl_set_is_subset(c, same) == isl_bool_true;
    isl_set_free(same);
    return yes;
}

static const char *depends_on(Walk *w, const Var *v) {
    const char *what = v->kind == VAR_DATA ? "it depends on the values of `%s`" : "it depends on whether `%s`";
    return arena_printf(w->s->arena, what, v->why);
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
        if (v->kind == VAR_DATA || v->kind == VAR_CHOICE) return depends_on(w, v);
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

/* Values that are not followed ------------------------------------------------------------------------------------- */

static bool is_followed(const Var *v) { return v->kind != VAR_DATA && v->kind != VAR_CHOICE; }

typedef enum Whose { FIRST = 1, SECOND = 2, BOTH = 3 } Whose;

/* For some values of the variables that are not followed. */
static isl_set *for_some(Space *s, isl_set *c, Whose whose) {
    for (int i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        if (is_followed(v)) continue;
        isl_id *ids[2] = {whose & FIRST ? v->id : NULL, whose & SECOND ? v->other : NULL};
        for (int k = 0; k < 2; k++) {
            int pos = ids[k] ? isl_set_find_dim_by_id(c, isl_dim_param, ids[k]) : -1;
            if (pos >= 0) c = isl_set_project_out(c, isl_dim_param, (unsigned)pos, 1);
        }
    }
    return c;
}

/* For all values that these can have: a condition that only has been tested, or whose branches both come here, does
 * not matter. */
static isl_set *for_all(Space *s, const VarSet *in, isl_set *c, Whose whose) {
    isl_set *some = for_some(s, isl_set_copy(c), whose), *legal = isl_set_copy(some);
    for (int i = 0; i < in->n; i++) {
        const Var *v = s->vars.at[i];
        if (!in->has[i] || is_followed(v) || !v->facts) continue;
        if (whose & FIRST) legal = quasi_and(legal, isl_set_copy(v->facts));
        if (whose & SECOND) legal = quasi_and(legal, set_other(isl_set_copy(v->facts)));
    }
    return isl_set_subtract(some, for_some(s, isl_set_subtract(legal, isl_set_copy(c)), whose));
}

static VarSet vars_of(Pair *p, isl_set *c) {
    VarSet in = varset_new(&p->j->w->space);
    varset_add_set(&p->j->w->space, &in, c);
    varset_close(&p->j->w->space, &in);
    return in;
}

/* The variables of all indices of both events. */
static VarSet vars_of_indices(Pair *p) {
    Space *s = &p->j->w->space;
    const Event *e[2] = {p->a, p->b};
    VarSet at = varset_new(s);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < e[k]->ref.n; i++)
            if (!e[k]->ref.at[i].mask && e[k]->ref.at[i].at) varset_add_value(s, &at, e[k]->ref.at[i].at);
    varset_close(s, &at);
    return at;
}

static bool has_unfollowed(Space *s, const VarSet *in) {
    for (int i = 0; i < in->n; i++)
        if (in->has[i] && !is_followed(s->vars.at[i])) return true;
    return false;
}

static bool is_same_for_all(Walk *w, const Event *e);

/* Conditions on numbers that each item computes by mixing bits are as good as those on data where all items use one
 * element; of other elements, such an index may be what keeps the items apart. */
static bool is_mixed(Pair *p, const VarSet *in) {
    Walk *w = p->j->w;
    unsigned origins = 0;
    for (int i = 0; i < in->n; i++)
        if (in->has[i] && !is_followed(w->space.vars.at[i])) origins |= w->space.vars.at[i]->origin;
    return origins & ORIGIN_MIXED && is_same_for_all(w, p->a) && is_same_for_all(w, p->b);
}

static bool is_of_data(const Var *v) { return (v->origin & ~ORIGIN_MIXED) == ORIGIN_DATA; }

/* Only data decide whether, and not which elements: no index is data, no condition is an agreement of the items. */
static bool is_conditional(Pair *p, const VarSet *in) {
    Walk *w = p->j->w;
    Space *s = &w->space;
    if (!p->known || p->a->is_claimed || p->b->is_claimed || !has_unfollowed(s, in)) return false;
    /* What ends a loop early may keep the items apart, which matters less if all use one element. */
    if ((p->a->may || p->b->may) && !(is_same_for_all(w, p->a) && is_same_for_all(w, p->b))) return false;
    VarSet at = vars_of_indices(p);
    bool mixed = is_mixed(p, in);
    for (int i = 0; i < in->n; i++) {
        const Var *v = s->vars.at[i];
        if (in->has[i] && !is_followed(v) && !is_of_data(v) && (!mixed || v->origin & ORIGIN_ATOMIC)) return false;
        bool in_index = i < at.n && at.has[i];
        if (in_index && (!is_followed(v) || v->kind == VAR_PRODUCT || v->kind == VAR_QUOTIENT)) return false;
    }
    return true;
}

static const char *unfollowed_in(Pair *p, const VarSet *in) {
    Walk *w = p->j->w;
    for (int i = 0; i < in->n; i++)
        if (in->has[i] && !is_followed(w->space.vars.at[i])) return depends_on(w, w->space.vars.at[i]);
    return NULL;
}

/* A conflict that depends on data: the warnings need to know how. What it depends on. */
static const char *note_conditions(Pair *p, isl_set *c, const char *why) {
    Space *s = &p->j->w->space;
    VarSet in = vars_of(p, c);
    p->is_agreed = p->is_agreed || p->a->is_claimed || p->b->is_claimed;
    for (int i = 0; i < in.n; i++)
        if (in.has[i] && !is_followed(s->vars.at[i]) && s->vars.at[i]->origin & ORIGIN_ATOMIC) p->is_agreed = true;
    if (!is_conditional(p, &in)) return why;
    p->if_both = true;
    if (p->a->may || p->b->may) return unfollowed_in(p, &in);
    for (int i = 0; i < in.n; i++) /* what one item computes may never be what the race needs */
        if (in.has[i] && !is_followed(s->vars.at[i]) && !is_of_data(s->vars.at[i])) return why;
    if (p->if_one) return why;
    for (Whose whose = FIRST; whose <= SECOND && !p->if_one; whose++) {
        isl_set *one = for_all(s, &in, isl_set_copy(c), whose);
        RaceWitness witness;
        if (!is_none(one) && !launch_in_doubt(p, one) && races_witness(p->j->w, p->a, one, &witness)) {
            p->if_one = true;
            p->sure = whose == FIRST ? 0 : 1;
            p->witness = witness;
        }
        isl_set_free(one);
    }
    return why;
}

/* A conflict that is none of values which are not followed. */
static isl_set *certain(Pair *p, isl_set *c) {
    if (p->a->may || p->b->may || !p->known) return NULL;
    VarSet in = vars_of(p, c), at = vars_of_indices(p);
    if (has_unfollowed(&p->j->w->space, &at)) return NULL; /* it would be the same element for few of them */
    isl_set *all = keep(p->j, for_all(&p->j->w->space, &in, isl_set_copy(c), BOTH));
    return all && !is_none(all) ? all : NULL;
}

static void decide(Pair *p, isl_set *c, bool is_group) {
    const char *why = doubt(p, c);
    if (why && p->holes) why = NULL;
    isl_set *all = why ? certain(p, c) : NULL;
    if (all && !doubt(p, all)) why = NULL, c = all;
    if (why) why = note_conditions(p, c, why);
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
    c = keep(p->j, races_with_lemmas(p->j->w, p->a, p->b, c));
    if (!is_none(c)) decide(p, c, is_group);
}

/* Items ------------------------------------------------------------------------------------------------------------ */

/* Positions that differ, at the first axis where they do. */
static void differing(Pair *p, isl_set *c, Var *const *vars, int n, bool is_group) {
    isl_set *before = isl_set_copy(c);
    for (int i = 0; i < n; i++) {
        isl_pw_aff *v = vars[i]->value;
        isl_set *less = isl_pw_aff_lt_set(isl_pw_aff_copy(v), value_other(isl_pw_aff_copy(v)));
        consider(p, quasi_and(isl_set_copy(before), less), is_group);
        if (p->a != p->b) {
            isl_set *more = isl_pw_aff_gt_set(isl_pw_aff_copy(v), value_other(isl_pw_aff_copy(v)));
            consider(p, quasi_and(isl_set_copy(before), more), is_group);
        }
        before = quasi_and(before, values_meet(v, v));
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
        c = quasi_and(c, values_meet(w->groups.at[i]->value, w->groups.at[i]->value));
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
    r.atomic[0] = a->atomic;
    r.atomic[1] = b->atomic;
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
    row->is_agreed = p->is_agreed;
    row->if_both = p->if_both;
    row->if_one = p->if_one;
    row->sure = p->a->span.lo <= p->b->span.lo ? p->sure : !p->sure;
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

/* Branches --------------------------------------------------------------------------------------------------------- */

static bool has_phase_of(const Event *a, const Event *b) {
    if (!a->phase || !b->phase) return a->phase == b->phase;
    return isl_set_plain_is_equal(a->phase, b->phase) == isl_bool_true;
}

/* Of the same element in the same way, so that one may be executed where the other one is not. */
static bool is_alternative(const Event *a, const Event *b) {
    bool same = a->ref.root == b->ref.root && a->ref.n == b->ref.n && a->touch != TOUCH_ATOMIC &&
                b->touch != TOUCH_ATOMIC && (a->touch == TOUCH_READ) == (b->touch == TOUCH_READ);
    if (!same || a->may || b->may || !has_phase_of(a, b)) return false;
    for (int i = 0; i < a->ref.n; i++) {
        const Step *x = &a->ref.at[i], *y = &b->ref.at[i];
        if (x->mask != y->mask || (!x->mask && (!x->at || !y->at || x->open || y->open))) return false;
        if (!x->mask && !value_equal(x->at, y->at)) return false;
    }
    return true;
}

/* The event with the states of all of its alternatives that follow; NULL: there is none. */
static Event *joined(Judge *j, int n, Span *last) {
    Walk *w = j->w;
    const Event *e = &w->events.at[n];
    isl_set *states = NULL;
    bool one_value = e->assign != NULL;
    for (int i = n + 1; i < w->events.n; i++) {
        const Event *x = &w->events.at[i];
        if (!is_alternative(e, x)) continue;
        if (x->span.lo != e->span.lo) *last = x->span;
        one_value = one_value && x->assign &&
                    same_constant(&e->assign->assign.value->konst, &x->assign->assign.value->konst);
        states = isl_set_union(states ? states : isl_set_copy(e->states), isl_set_copy(x->states));
    }
    if (!states) return NULL;
    Event *all = arena_new(&w->space.arena, Event);
    *all = *e;
    all->stored = NULL;
    if (!one_value) all->assign = NULL;
    all->states = keep(j, isl_set_coalesce(states));
    return all->states ? all : NULL;
}

/* What both branches of a condition do is done whatever the condition is. */
static void judge_joined(Judge *j) {
    Walk *w = j->w;
    for (int i = 0; i < w->events.n; i++) {
        bool is_first = w->events.at[i].touch != TOUCH_ATOMIC;
        for (int k = 0; k < i && is_first; k++) is_first = !is_alternative(&w->events.at[k], &w->events.at[i]);
        Span last = {0};
        Event *all = is_first ? joined(j, i, &last) : NULL;
        for (int k = 0; all && k < w->events.n && j->spent < MAX_ALL; k++) {
            const Event *e = k == i ? all : &w->events.at[k];
            RacePair *row = conflicts(e, all) ? row_of(j, e, all) : NULL;
            if (!row || row->verdict != RACE_UNKNOWN || was_free(j->before, row)) continue;
            judge(j, e, all);
            if (row->verdict >= RACE_BENIGN) row->instead = last;
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
    judge_joined(&j);
    w->s->races_spent += j.spent;
}
