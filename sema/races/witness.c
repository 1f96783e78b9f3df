/* witness.c -- an example of a race: the smallest sizes, then the first items, as the lexicographic minimum of the
 * conflicts. */
#include "sema/races/pairs.h"

#include <isl/id.h>
#include <isl/point.h>
#include <isl/val.h>

enum { MAX_SHOWN = 1 << 20, MAX_WANTED = 24 };

typedef struct Wanted {
    isl_pw_aff *value; /* owned */
    const char *name;
    RaceValues *to;
} Wanted;

typedef struct Question {
    Walk *w;
    Wanted at[MAX_WANTED];
    int n;
} Question;

static void want(Question *q, isl_pw_aff *value, const char *name, RaceValues *to) {
    if (value && q->n < MAX_WANTED) q->at[q->n++] = (Wanted){value, name, to};
    else isl_pw_aff_free(value);
}

static void want_items(Question *q, RaceWitness *out) {
    Walk *w = q->w;
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < w->kernel->domain.n; d++) {
            isl_pw_aff *v = isl_pw_aff_copy(w->position[d]);
            want(q, k ? value_other(v) : v, w->kernel->domain.at[d]->name, &out->items[k]);
        }
}

/* As dimensions, in order; nothing else is left. */
static isl_set *answers(const Question *q, __isl_take isl_set *conflict) {
    isl_ctx *ctx = q->w->space.q.ctx;
    isl_map *m = isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(ctx, 0, 0)));
    for (int i = 0; i < q->n; i++)
        m = isl_map_flat_range_product(m, isl_map_from_pw_aff(isl_pw_aff_copy(q->at[i].value)));
    isl_set *s = isl_map_range(m);
    s = isl_set_intersect_params(s, isl_set_params(conflict));
    int n = s ? isl_set_dim(s, isl_dim_param) : 0;
    return n > 0 ? isl_set_project_out(s, isl_dim_param, 0, (unsigned)n) : s;
}

/* Scalars are small and positive where they may be. */
static isl_set *with_small_scalars(Walk *w, isl_set *c) {
    for (int i = 0; i < w->space.vars.n; i++) {
        const Var *v = w->space.vars.at[i];
        if (v->kind != VAR_SCALAR) continue;
        isl_set *positive = isl_pw_aff_ge_set(isl_pw_aff_copy(v->value), quasi_number(&w->space.q, 1));
        isl_set *both = quasi_and(isl_set_copy(c), positive);
        if (isl_set_is_empty(both) == isl_bool_false) {
            isl_set_free(c);
            c = both;
        } else isl_set_free(both);
    }
    return c;
}

/* A scalar whose value the message cannot state: computed from parameters in a way that is not followed, or loaded. */
static bool is_opaque(const Var *v) { return v->kind == VAR_SCALAR && !v->sym; }

static bool has_opaque(Walk *w, isl_pw_aff *value) {
    VarSet in = varset_new(&w->space);
    varset_add_value(&w->space, &in, value);
    for (int i = 0; i < in.n; i++)
        if (in.has[i] && is_opaque(w->space.vars.at[i])) return true;
    return false;
}

static isl_set *without(isl_set *c, isl_id *id) {
    int pos = id ? isl_set_find_dim_by_id(c, isl_dim_param, id) : -1;
    return pos >= 0 ? isl_set_project_out(c, isl_dim_param, (unsigned)pos, 1) : c;
}

/* Do the sizes and items of the example conflict whatever the values of the opaque scalars are? */
static bool is_example(const Question *q, const VarSet *in, isl_set *conflict, const RaceWitness *found,
                       isl_point *point) {
    Space *s = &q->w->space;
    bool any = false;
    for (int i = 0; i < in->n; i++) any = any || (in->has[i] && is_opaque(s->vars.at[i]));
    if (!any) return true;
    isl_set *shown = isl_set_copy(conflict), *legal = quasi_all(&s->q);
    for (int i = 0; i < q->n; i++) {
        if (q->at[i].to == &found->element) continue;
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, i);
        isl_pw_aff *number = quasi_number(&s->q, isl_val_get_num_si(v));
        isl_val_free(v);
        shown = quasi_and(shown, isl_pw_aff_eq_set(isl_pw_aff_copy(q->at[i].value), number));
    }
    for (int i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        if (!is_opaque(v)) shown = without(without(shown, v->id), v->other);
        else if (v->facts && i < in->n && in->has[i]) legal = quasi_and(legal, isl_set_copy(v->facts));
    }
    bool always = isl_set_is_subset(legal, shown) == isl_bool_true;
    isl_set_free(shown);
    isl_set_free(legal);
    return always;
}

bool races_witness(Walk *w, const Event *a, isl_set *conflict, RaceWitness *out) {
    Question q = {.w = w};
    *out = (RaceWitness){0};
    VarSet in = varset_new(&w->space);
    varset_add_set(&w->space, &in, conflict);
    for (int i = 0; i < a->ref.n && !a->ref.at[i].mask && a->ref.at[i].at; i++)
        varset_add_value(&w->space, &in, a->ref.at[i].at);
    int n_sizes = w->kernel->sizes.n;
    for (int i = 0; w->given && i < n_sizes + w->kernel->params.n; i++) {
        const Symbol *sym = i < n_sizes ? w->kernel->sizes.at[i] : w->kernel->params.at[i - n_sizes];
        if (w->given[i] != LAUNCH_OPEN) want(&q, quasi_number(&w->space.q, w->given[i]), sym->name, &out->sizes);
    }
    for (int i = 0; i < w->space.vars.n; i++) {
        const Var *v = w->space.vars.at[i];
        if (in.has[i] && v->sym && (v->kind == VAR_SIZE || v->kind == VAR_SCALAR))
            want(&q, isl_pw_aff_copy(v->value), v->sym->name, &out->sizes);
    }
    want_items(&q, out);
    for (int i = 0; i < a->ref.n; i++) {
        const Step *x = &a->ref.at[i];
        if (x->mask || !x->at) break;
        out->is_symbolic = out->is_symbolic || has_opaque(w, x->at);
        want(&q, isl_pw_aff_copy(x->at), NULL, &out->element);
    }
    isl_set *all = answers(&q, with_small_scalars(w, isl_set_copy(conflict)));
    isl_set *least = isl_set_lexmin(isl_set_copy(all));
    isl_point *point = isl_set_sample_point(least ? least : isl_set_copy(all));
    isl_set_free(all);
    bool found = isl_point_is_void(point) == isl_bool_false;
    for (int i = 0; i < q.n; i++) {
        isl_val *v = found ? isl_point_get_coordinate_val(point, isl_dim_set, i) : NULL;
        found = found && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, MAX_SHOWN) <= 0 &&
                isl_val_cmp_si(v, -MAX_SHOWN) >= 0;
        if (found) vec_push(w->s->arena, q.at[i].to, ((RaceValue){q.at[i].name, isl_val_get_num_si(v)}));
        isl_val_free(v);
    }
    found = found && is_example(&q, &in, conflict, out, point);
    if (out->is_symbolic) out->element.n = 0;
    for (int i = 0; i < q.n; i++) isl_pw_aff_free(q.at[i].value);
    isl_point_free(point);
    return found;
}
