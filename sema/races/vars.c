/* vars.c -- variables of the race analysis: products and quotients by values that only the launch decides, which are
 * not affine, become variables with facts (linearisation by uninterpreted functions). */
#include "sema/races/vars.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

void space_begin(Space *s, unsigned long operations) {
    *s = (Space){0};
    s->q = quasi_begin(&s->arena, operations);
}

void space_end(Space *s) {
    for (int i = 0; i < s->vars.n; i++) {
        isl_id_free(s->vars.at[i]->id);
        isl_id_free(s->vars.at[i]->other);
    }
    for (int i = 0; i < s->sets.n; i++) isl_set_free(s->sets.at[i]);
    for (int i = 0; i < s->values.n; i++) isl_pw_aff_free(s->values.at[i]);
    quasi_end(&s->q);
    arena_free(&s->arena);
}

/* isl counts operations, but tells only whether a limit is reached: binary search for the count. */
unsigned long space_spent(Space *s, unsigned long most) {
    unsigned long lo = 0, hi = most;
    while (lo < hi) {
        unsigned long mid = lo + (hi - lo) / 2;
        isl_ctx_set_max_operations(s->q.ctx, mid + 1);
        void *made = isl_malloc_or_die(s->q.ctx, 1); /* an operation */
        if (made) hi = mid;
        else lo = mid + 1;
        free(made);
    }
    isl_ctx_reset_error(s->q.ctx);
    isl_ctx_set_max_operations(s->q.ctx, 0); /* none until the next question */
    return lo;
}

isl_set *space_keep(Space *s, isl_set *set) {
    if (set) vec_push(&s->arena, &s->sets, set);
    return set;
}

isl_pw_aff *space_keep_value(Space *s, isl_pw_aff *value) {
    if (value) vec_push(&s->arena, &s->values, value);
    return value;
}

/* Variables -------------------------------------------------------------------------------------------------------- */

Var *var_new(Space *s, VarKind kind, const char *name, bool shared) {
    Var *v = arena_new(&s->arena, Var);
    *v = (Var){.kind = kind, .name = name, .shared = shared, .is_function = shared};
    v->id = isl_id_alloc(s->q.ctx, arena_printf(&s->arena, "%s.%d", name, s->vars.n), v);
    if (!shared) v->other = isl_id_alloc(s->q.ctx, arena_printf(&s->arena, "%s.%d'", name, s->vars.n), v);
    isl_set *all = quasi_all(&s->q);
    v->value = space_keep_value(s, isl_pw_aff_param_on_domain_id(all, isl_id_copy(v->id)));
    vec_push(&s->arena, &s->vars, v);
    return v;
}

void var_learn(Space *s, Var *v, isl_set *fact) {
    if (!fact) return;
    if (v->facts) fact = quasi_and(isl_set_copy(v->facts), fact);
    v->facts = space_keep(s, fact);
}

void var_within(Space *s, Var *v, int64_t lo, int64_t hi) {
    isl_set *above = isl_pw_aff_ge_set(isl_pw_aff_copy(v->value), quasi_number(&s->q, lo));
    var_learn(s, v, quasi_and(above, isl_pw_aff_lt_set(isl_pw_aff_copy(v->value), quasi_number(&s->q, hi))));
}

bool value_equal(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_plain_is_equal(a, b) == isl_bool_true; }

static Var *computed_new(Space *s, VarKind kind, isl_pw_aff *a, isl_pw_aff *factor) {
    const char *name = kind == VAR_PRODUCT ? "product" : kind == VAR_QUOTIENT ? "quotient" : "value";
    Var *v = var_new(s, kind, name, value_is_shared(s, a));
    v->args = arena_array(&s->arena, isl_pw_aff *, 1);
    v->n_args = 1;
    v->args[0] = space_keep_value(s, isl_pw_aff_copy(a));
    v->factor = space_keep_value(s, isl_pw_aff_copy(factor));
    v->is_function = true;
    return v;
}

static Var *computed(Space *s, VarKind kind, isl_pw_aff *a, isl_pw_aff *factor, bool *is_new) {
    *is_new = false;
    for (int i = 0; i < s->vars.n; i++) {
        Var *v = s->vars.at[i];
        if (v->kind == kind && value_equal(v->args[0], a) && value_equal(v->factor, factor)) return v;
    }
    *is_new = true;
    return computed_new(s, kind, a, factor);
}

static isl_set * not(isl_set * set) { return isl_set_complement(set); }

/* What is multiplied fits 64 bits, as the elements of arrays do. */
Var *var_product(Space *s, isl_pw_aff *a, isl_pw_aff *factor, bool is_nonneg) {
    bool is_new;
    Var *v = computed(s, VAR_PRODUCT, a, factor, &is_new);
    if (!is_new) return v;
    v->is_nonneg = is_nonneg;
    var_within(s, v, -(INT64_C(1) << 60), INT64_C(1) << 60);
    if (!is_nonneg) return v;
    isl_set *nonneg = isl_pw_aff_nonneg_set(isl_pw_aff_copy(a));
    isl_set *below = not(isl_set_copy(nonneg));
    isl_set *up = quasi_and(nonneg, isl_pw_aff_nonneg_set(isl_pw_aff_copy(v->value)));
    isl_pw_aff *zero = quasi_number(&s->q, 0);
    isl_set *down = quasi_and(below, isl_pw_aff_le_set(isl_pw_aff_copy(v->value), zero));
    var_learn(s, v, isl_set_union(up, down));
    return v;
}

/* q * w <= a < q * w + w for w > 0; q <= 0 for w < 0; w is not 0, or a check has failed. */
Var *var_quotient(Space *s, isl_pw_aff *a, isl_pw_aff *factor, bool is_nonneg) {
    bool is_new;
    Var *v = computed(s, VAR_QUOTIENT, a, factor, &is_new);
    if (!is_new) return v;
    v->is_nonneg = is_nonneg;
    Var *p = var_product(s, v->value, factor, is_nonneg);
    isl_pw_aff *rest = isl_pw_aff_sub(isl_pw_aff_copy(a), isl_pw_aff_copy(p->value));
    isl_set *fact = isl_pw_aff_nonneg_set(isl_pw_aff_copy(rest));
    fact = quasi_and(fact, isl_pw_aff_lt_set(rest, isl_pw_aff_copy(factor)));
    fact = quasi_and(fact, isl_pw_aff_nonneg_set(isl_pw_aff_copy(v->value)));
    fact = quasi_and(fact, isl_pw_aff_ge_set(isl_pw_aff_copy(a), isl_pw_aff_copy(v->value)));
    if (!is_nonneg) {
        isl_set *positive = isl_pw_aff_pos_set(isl_pw_aff_copy(factor));
        isl_set *not_above = isl_pw_aff_le_set(isl_pw_aff_copy(v->value), quasi_number(&s->q, 0));
        fact = quasi_and(fact, isl_set_copy(positive));
        fact = isl_set_union(fact, quasi_and(not(positive), not_above));
    }
    var_learn(s, v, fact);
    return v;
}

/* Bits that differ: |a - w| <= a ^ w <= a + w. */
Var *var_exchange(Space *s, isl_pw_aff *a, isl_pw_aff *factor) {
    for (int i = 0; i < s->vars.n; i++) {
        Var *v = s->vars.at[i];
        if (v->is_exchange && value_equal(v->args[0], a) && value_equal(v->factor, factor)) return v;
    }
    Var *v = computed_new(s, VAR_DATA, a, factor);
    v->is_exchange = true;
    isl_pw_aff *up = isl_pw_aff_sub(isl_pw_aff_copy(v->value), isl_pw_aff_copy(a));
    isl_pw_aff *down = isl_pw_aff_neg(isl_pw_aff_copy(up));
    isl_set *fact = isl_pw_aff_le_set(up, isl_pw_aff_copy(factor));
    fact = quasi_and(fact, isl_pw_aff_le_set(down, isl_pw_aff_copy(factor)));
    isl_pw_aff *sum = isl_pw_aff_add(isl_pw_aff_copy(v->value), isl_pw_aff_copy(a));
    var_learn(s, v, quasi_and(fact, isl_pw_aff_ge_set(sum, isl_pw_aff_copy(factor))));
    return v;
}

static Var *var_at(isl_id *id) {
    Var *v = isl_id_get_user(id);
    isl_id_free(id);
    return v;
}

Var *aff_var(isl_aff *aff, int param) {
    isl_space *space = isl_aff_get_domain_space(aff);
    Var *v = var_at(isl_space_get_dim_id(space, isl_dim_param, (unsigned)param));
    isl_space_free(space);
    return v;
}

typedef struct Affine1 {
    isl_aff *aff;
    int n;
} Affine1;

static isl_stat take_piece(isl_set *set, isl_aff *aff, void *user) {
    Affine1 *one = user;
    isl_set_free(set);
    isl_aff_free(one->aff);
    one->aff = aff;
    one->n++;
    return isl_stat_ok;
}

isl_pw_aff *space_multiply(Space *s, isl_pw_aff *a, isl_pw_aff *factor, bool is_nonneg) {
    Affine1 one = {0};
    isl_pw_aff_foreach_piece(a, take_piece, &one);
    bool plain = one.n == 1 && isl_aff_dim(one.aff, isl_dim_div) == 0;
    isl_val *c = one.aff ? isl_aff_get_constant_val(one.aff) : NULL;
    isl_pw_aff *sum = plain ? isl_pw_aff_scale_val(isl_pw_aff_copy(factor), c) : NULL;
    if (!plain) isl_val_free(c);
    for (int i = 0; plain && i < isl_aff_dim(one.aff, isl_dim_param); i++) {
        isl_val *k = isl_aff_get_coefficient_val(one.aff, isl_dim_param, i);
        if (isl_val_is_zero(k) == isl_bool_true) {
            isl_val_free(k);
            continue;
        }
        Var *v = aff_var(one.aff, i);
        Var *p = var_product(s, v->value, factor, is_nonneg);
        sum = isl_pw_aff_add(sum, isl_pw_aff_scale_val(isl_pw_aff_copy(p->value), k));
    }
    isl_aff_free(one.aff);
    return plain ? sum : isl_pw_aff_copy(var_product(s, a, factor, is_nonneg)->value);
}

/* Which variables -------------------------------------------------------------------------------------------------- */

/* One that is newer than the VarSet is not in it. */
static void varset_add(const Space *s, VarSet *to, const Var *v) {
    for (int i = 0; i < to->n; i++)
        if (s->vars.at[i] == v) to->has[i] = true;
}

VarSet varset_new(Space *s) { return (VarSet){arena_array(&s->arena, bool, s->vars.n + 1), s->vars.n}; }

void varset_add_set(Space *s, VarSet *v, isl_set *set) {
    for (int i = 0; set && i < isl_set_dim(set, isl_dim_param); i++)
        if (isl_set_involves_dims(set, isl_dim_param, (unsigned)i, 1) == isl_bool_true)
            varset_add(s, v, var_at(isl_set_get_dim_id(set, isl_dim_param, (unsigned)i)));
}

void varset_add_value(Space *s, VarSet *v, isl_pw_aff *value) {
    for (int i = 0; value && i < isl_pw_aff_dim(value, isl_dim_param); i++)
        if (isl_pw_aff_involves_dims(value, isl_dim_param, (unsigned)i, 1) == isl_bool_true)
            varset_add(s, v, var_at(isl_pw_aff_get_dim_id(value, isl_dim_param, (unsigned)i)));
}

void varset_close(Space *s, VarSet *v) {
    bool *done = arena_array(&s->arena, bool, v->n + 1);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < v->n; i++) {
            if (!v->has[i] || done[i]) continue;
            Var *of = s->vars.at[i];
            done[i] = more = true;
            varset_add_set(s, v, of->facts);
            for (int k = 0; k < of->n_args; k++) varset_add_value(s, v, of->args[k]);
            varset_add_value(s, v, of->factor);
        }
    }
}

bool value_is_shared(Space *s, isl_pw_aff *value) {
    (void)s;
    for (int i = 0; value && i < isl_pw_aff_dim(value, isl_dim_param); i++)
        if (isl_pw_aff_involves_dims(value, isl_dim_param, (unsigned)i, 1) == isl_bool_true &&
            !var_at(isl_pw_aff_get_dim_id(value, isl_dim_param, (unsigned)i))->shared)
            return false;
    return value != NULL;
}

/* The other item --------------------------------------------------------------------------------------------------- */

isl_set *set_other(isl_set *set) {
    for (int i = 0; set && i < isl_set_dim(set, isl_dim_param); i++) {
        const Var *v = var_at(isl_set_get_dim_id(set, isl_dim_param, (unsigned)i));
        if (!v->shared) set = isl_set_set_dim_id(set, isl_dim_param, (unsigned)i, isl_id_copy(v->other));
    }
    return set;
}

isl_pw_aff *value_other(isl_pw_aff *value) {
    for (int i = 0; value && i < isl_pw_aff_dim(value, isl_dim_param); i++) {
        const Var *v = var_at(isl_pw_aff_get_dim_id(value, isl_dim_param, (unsigned)i));
        if (!v->shared) value = isl_pw_aff_set_dim_id(value, isl_dim_param, (unsigned)i, isl_id_copy(v->other));
    }
    return value;
}

isl_set *values_meet(isl_pw_aff *a, isl_pw_aff *b) {
    return isl_pw_aff_eq_set(isl_pw_aff_copy(a), value_other(isl_pw_aff_copy(b)));
}
