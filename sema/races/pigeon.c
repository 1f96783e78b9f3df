/* pigeon.c -- the pigeonhole principle: an index such as `x[i] % 16` has at most 16 values, so of 17 work items two
 * have the same one, whatever is in `x`. */
#include "sema/races/pairs.h"

#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/val.h>

enum { MAX_HOLES = 1 << 16 };

/* How many values an index has by its own arithmetic; 0: too many. The range of a type does not count: a small type may
 * be chosen because there are few items. */
static int64_t values_of(isl_pw_aff *at) {
    isl_set *range = isl_map_range(isl_map_from_pw_aff(isl_pw_aff_copy(at)));
    int n = range ? isl_set_dim(range, isl_dim_param) : 0;
    if (n > 0) range = isl_set_project_out(range, isl_dim_param, 0, (unsigned)n);
    isl_local_space *here = isl_local_space_from_space(isl_set_get_space(range));
    isl_aff *value = isl_aff_var_on_domain(here, isl_dim_set, 0);
    isl_val *count = isl_val_sub(isl_set_max_val(range, value), isl_set_min_val(range, value));
    isl_aff_free(value);
    isl_set_free(range);
    bool few = isl_val_is_int(count) == isl_bool_true && isl_val_cmp_si(count, MAX_HOLES) < 0;
    int64_t found = few ? isl_val_get_num_si(count) + 1 : 0;
    isl_val_free(count);
    return found;
}

static bool has_data(Walk *w, const VarSet *in) {
    for (int i = 0; i < in->n; i++)
        if (in->has[i] && w->space.vars.at[i]->kind == VAR_DATA) return true;
    return false;
}

/* Elements that items which differ in `axis` only may touch; 0: not known. */
static int64_t holes(Walk *w, const Event *e, const Var *axis, VarSet *data) {
    Space *s = &w->space;
    int64_t all = 1;
    for (int i = 0; i < e->ref.n && all; i++) {
        isl_pw_aff *at = e->ref.at[i].at;
        if (e->ref.at[i].mask) continue;
        if (!at || e->ref.at[i].open) return 0;
        VarSet in = varset_new(s);
        varset_add_value(s, &in, at);
        for (int k = 0; k < in.n; k++) {
            if (!in.has[k]) continue;
            if (s->vars.at[k] == axis || s->vars.at[k]->kind > VAR_DATA || s->vars.at[k]->kind == VAR_COUNTER) return 0;
            if (s->vars.at[k]->kind == VAR_DATA) data->has[k] = true;
        }
        if (has_data(w, &in)) all *= values_of(at);
        if (all > MAX_HOLES) return 0;
    }
    return all;
}

/* Can the domain have more than `n` items along the axis? */
static bool has_more(Walk *w, const Event *e, const Var *axis, int64_t n) {
    isl_set *c = quasi_and(isl_set_copy(e->states), set_other(isl_set_copy(e->states)));
    isl_pw_aff *far = isl_pw_aff_add(isl_pw_aff_copy(axis->value), quasi_number(&w->space.q, n));
    c = quasi_and(c, isl_pw_aff_eq_set(value_other(isl_pw_aff_copy(axis->value)), far));
    bool yes = isl_set_is_empty(c) == isl_bool_false;
    isl_set_free(c);
    return yes;
}

/* Nothing but the index depends on data. */
static bool is_certain(Walk *w, const Event *e, const VarSet *data) {
    Space *s = &w->space;
    VarSet in = varset_new(s);
    varset_add_set(s, &in, e->states);
    for (int i = 0; i < in.n; i++)
        if (in.has[i] && s->vars.at[i]->kind > VAR_COUNTER && !(i < data->n && data->has[i])) return false;
    return !e->may;
}

int64_t races_holes(Walk *w, const Event *e) {
    if (w->kernel->group.items || e->touch == TOUCH_ATOMIC) return 0;
    for (int i = 0; i < w->items.n; i++) {
        VarSet data = varset_new(&w->space);
        int64_t n = holes(w, e, w->items.at[i], &data);
        if (n && has_data(w, &data) && is_certain(w, e, &data) && has_more(w, e, w->items.at[i], n)) return n;
    }
    return 0;
}
