/* lemmas.c -- what holds of the values of two items that are not affine: equal arguments have equal values, products
 * and exchanges have laws, and the kernel's assumptions are about elements of tables. */
#include "sema/races/pairs.h"

static bool is_none(isl_set *s) { return isl_set_is_empty(s) == isl_bool_true; }

/* Equal arguments, equal values. */
static isl_set *congruence(const Var *v) {
    isl_set *holds = values_meet(v->value, v->value);
    for (int i = 0; i < v->n_args; i++) {
        if (isl_pw_aff_n_piece(v->args[i]) == 1 && isl_pw_aff_is_cst(v->args[i]) == isl_bool_true) continue;
        isl_pw_aff *theirs = value_other(isl_pw_aff_copy(v->args[i]));
        holds = isl_set_union(holds, isl_pw_aff_ne_set(isl_pw_aff_copy(v->args[i]), theirs));
    }
    return holds;
}

/* Can all arguments be equal? If not, the lemma says nothing, and would make several sets of one. */
static bool may_be_called_alike(const Var *v, isl_set *c) {
    isl_set *alike = isl_set_copy(c);
    for (int i = 0; i < v->n_args; i++) alike = quasi_and(alike, values_meet(v->args[i], v->args[i]));
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
    c = implies(c, values_meet(v->value, v->value), values_meet(a, a));
    c = implies(c, values_meet(v->value, a), values_meet(a, v->value));
    return implies(c, values_meet(a, v->value), values_meet(v->value, a));
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
    isl_set *eq = quasi_and(values_meet(x, y), values_meet(p, q));
    isl_pw_aff *difference = isl_pw_aff_sub(isl_pw_aff_copy(p), value_other(isl_pw_aff_copy(q)));
    isl_pw_aff *back = isl_pw_aff_neg(isl_pw_aff_copy(difference));
    isl_set *gt = ordered(isl_pw_aff_copy(x), value_other(isl_pw_aff_copy(y)), difference, a->factor, is_nonneg);
    isl_set *lt = ordered(value_other(isl_pw_aff_copy(y)), isl_pw_aff_copy(x), back, a->factor, is_nonneg);
    return isl_set_union(eq, isl_set_union(gt, lt));
}

/* Fewer lemmas prove less, and nothing wrong. */
enum { MAX_LEMMAS = 12, MAX_PIECES = 8 };

/* The lemmas for a pair of values that are compared, then those for what is multiplied in them. */
static isl_set *products(Walk *w, isl_set *c, isl_pw_aff *x, isl_pw_aff *y, int *left) {
    for (int i = 0; i < w->space.vars.n && *left > 0; i++) {
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
        c = products(w, c, a.multiplied, b.multiplied, left);
    }
    return c;
}

static isl_set *at_most(isl_pw_aff *a, isl_pw_aff *b) {
    return isl_pw_aff_le_set(isl_pw_aff_copy(a), value_other(isl_pw_aff_copy(b)));
}
static isl_set *at_least(isl_pw_aff *a, isl_pw_aff *b) {
    return isl_pw_aff_ge_set(isl_pw_aff_copy(a), value_other(isl_pw_aff_copy(b)));
}

/* Two elements of one table, v of an item and u of the other one. */
static isl_set *tabled(const Func *kernel, isl_set *c, const Var *v, const Var *u) {
    const Symbol *table = ((const Root *)v->root)->sym;
    if (is_assumed(kernel, table, ASSUME_DISTINCT)) {
        isl_set *alike = isl_set_universe(isl_set_get_space(c));
        for (int i = 0; i < v->n_args; i++) alike = quasi_and(alike, values_meet(v->args[i], u->args[i]));
        c = implies(c, values_meet(v->value, u->value), alike);
    }
    if (!is_assumed(kernel, table, ASSUME_SORTED)) return c;
    c = implies(c, at_most(v->args[0], u->args[0]), at_most(v->value, u->value));
    return implies(c, at_least(v->args[0], u->args[0]), at_least(v->value, u->value));
}

static isl_set *assumptions(Walk *w, isl_set *c, const VarSet *in) {
    Space *s = &w->space;
    for (int i = 0; i < in->n; i++)
        for (int k = 0; k < in->n; k++) {
            const Var *v = s->vars.at[i], *u = s->vars.at[k];
            bool both = in->has[i] && in->has[k] && v->root && v->root == u->root;
            if (both && isl_set_n_basic_set(c) <= MAX_PIECES) c = tabled(w->kernel, c, v, u);
        }
    return c;
}

isl_set *races_with_lemmas(Walk *w, const Event *a, const Event *b, isl_set *c) {
    Space *s = &w->space;
    int left = MAX_LEMMAS;
    for (int i = 0; i < a->ref.n && i < b->ref.n; i++) {
        const Step *x = &a->ref.at[i], *y = &b->ref.at[i];
        if (!x->mask && !y->mask && x->at && y->at) c = products(w, c, x->at, y->at, &left);
    }
    VarSet in = varset_new(s);
    varset_add_set(s, &in, c);
    varset_close(s, &in);
    int n = s->vars.n;
    if (w->assuming) c = assumptions(w, c, &in);
    for (int i = 0; i < n && !is_none(c); i++) {
        const Var *v = s->vars.at[i];
        if (!in.has[i] || v->shared || !v->is_function) continue;
        if (v->is_exchange && isl_set_n_basic_set(c) <= MAX_PIECES) c = exchange(v, c);
        if (isl_set_n_basic_set(c) > MAX_PIECES || !may_be_called_alike(v, c)) continue;
        c = quasi_and(c, congruence(v));
        if (v->kind != VAR_QUOTIENT) continue;
        isl_pw_aff *whole = space_multiply(s, v->value, v->factor, v->is_nonneg); /* of q * w + r, which is compared */
        c = products(w, c, whole, whole, &left);
        isl_pw_aff_free(whole);
    }
    return c;
}
