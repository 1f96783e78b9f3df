/* sets.c -- sets of elements, values that are not known, and the places that expressions name. */
#include "sema/exposed/exposed.h"

#include <isl/id.h>

/* Sets ------------------------------------------------------------------------------------------------------------- */

isl_set *exposed_keep(Walk *w, isl_set *s) {
    if (s) vec_push(w->arena, &w->kept, s);
    return s;
}

isl_pw_aff *exposed_keep_value(Walk *w, isl_pw_aff *v) {
    if (v) vec_push(w->arena, &w->kept_values, v);
    return v;
}

isl_space *exposed_elements(const Walk *w, const Tracked *t) {
    return isl_space_set_alloc(w->q.ctx, 0, (unsigned)(t->rank + (t->n_parts > 0)));
}

isl_set *exposed_where(isl_set *set, isl_set *states) { return isl_set_intersect_params(set, isl_set_params(states)); }

static isl_map *no_index(const Walk *w) {
    return isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(w->q.ctx, 0, 0)));
}

static isl_map *below(const Walk *w, isl_pw_aff *extent) {
    isl_map *less = isl_map_lex_gt(isl_space_set_alloc(w->q.ctx, 0, 1)); /* extent -> i */
    return isl_map_apply_range(isl_map_from_pw_aff(extent), isl_map_lower_bound_si(less, isl_dim_out, 0, 0));
}

isl_set *exposed_box_of(Walk *w, const Tracked *t) {
    isl_map *m = no_index(w);
    for (int d = 0; d < t->rank; d++) {
        const Dim *fixed = &t->sym->dims[d];
        isl_pw_aff *extent = NULL;
        if (t->sym->kind == SYM_PARAM)
            extent = quasi_extent(&w->frame->quasi, &w->frame->quasi.f->shapes.at[t->sym->dim].at[d]);
        else if (fixed->kind == DIM_CONST) extent = quasi_number(&w->q, fixed->value);
        m = isl_map_flat_range_product(m, below(w, extent));
    }
    if (t->n_parts) m = isl_map_flat_range_product(m, below(w, quasi_number(&w->q, t->n_parts)));
    return exposed_keep(w, isl_map_range(m));
}

static isl_set *unite(Walk *w, isl_set *a, isl_set *b) {
    if (a == b || isl_set_plain_is_empty(b) == isl_bool_true) return a;
    return exposed_keep(w, isl_set_union(isl_set_copy(a), isl_set_copy(b)));
}

int exposed_find(isl_set *set, isl_pw_aff *variable) {
    isl_id *id = isl_pw_aff_get_dim_id(variable, isl_dim_param, 0);
    int pos = set ? isl_set_find_dim_by_id(set, isl_dim_param, id) : -1;
    isl_id_free(id);
    return pos;
}

bool exposed_involves(isl_set *set, isl_pw_aff *variable) {
    int pos = exposed_find(set, variable);
    return pos >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)pos, 1) != isl_bool_false;
}

static bool depends(isl_pw_aff *value, isl_pw_aff *variable) {
    isl_id *id = isl_pw_aff_get_dim_id(variable, isl_dim_param, 0);
    bool found = false;
    for (int i = 0; value && i < isl_pw_aff_dim(value, isl_dim_param); i++) {
        isl_id *other = isl_pw_aff_get_dim_id(value, isl_dim_param, (unsigned)i);
        if (other == id) found = isl_pw_aff_involves_dims(value, isl_dim_param, (unsigned)i, 1) != isl_bool_false;
        isl_id_free(other);
    }
    isl_id_free(id);
    return found;
}

typedef struct Without {
    int pos;
    isl_set *rest;
} Without;

static isl_stat take_without(isl_basic_set *b, void *user) {
    Without *x = user;
    if (isl_basic_set_involves_dims(b, isl_dim_param, (unsigned)x->pos, 1) == isl_bool_false)
        x->rest = isl_set_union(x->rest, isl_set_from_basic_set(b));
    else isl_basic_set_free(b);
    return isl_stat_ok;
}

/* Without the conjunctions in which the variable occurs. */
isl_set *exposed_without(Walk *w, isl_set *set, isl_pw_aff *variable) {
    Without x = {.pos = exposed_find(set, variable)};
    if (x.pos < 0) return set;
    x.rest = isl_set_empty(isl_set_get_space(set));
    isl_set_foreach_basic_set(set, take_without, &x);
    return exposed_keep(w, isl_set_project_out(x.rest, isl_dim_param, (unsigned)x.pos, 1));
}

/* Values ----------------------------------------------------------------------------------------------------------- */

/* A value that is not known. */
void exposed_bind_unknown(Walk *w, Frame *in, const Symbol *sym) {
    if (!sym || sym->type->kind < TY_I8 || sym->type->kind > TY_INDEX) return;
    isl_pw_aff *v = quasi_variable(&w->q, sym);
    w->states = exposed_keep(w, isl_set_intersect(isl_set_copy(w->states), quasi_in_type(v, sym->type)));
    vec_push(w->arena, &w->values, ((Value){isl_pw_aff_copy(v), false}));
    quasi_bind(&in->quasi, sym, v);
}

void exposed_bind_value(Walk *w, Frame *in, const Symbol *sym, const Expr *e) {
    isl_pw_aff *v = quasi_int(&w->frame->quasi, e, w->states);
    if (sym->type->kind == TY_BOOL) {
        isl_set *c = quasi_bool(&w->frame->quasi, e, w->states);
        v = c ? isl_set_indicator_function(c) : NULL;
    }
    if (v) quasi_bind(&in->quasi, sym, v);
    else exposed_bind_unknown(w, in, sym);
}

/* The variables from number n on go out of scope. */
void exposed_forget_values(Walk *w, int n) {
    while (w->values.n > n) {
        isl_pw_aff *v = w->values.at[--w->values.n].v;
        for (int i = 0; i < w->n; i++) {
            w->arrays[i].set = exposed_without(w, w->arrays[i].set, v);
            w->arrays[i].gain = exposed_without(w, w->arrays[i].gain, v);
        }
        w->states = exposed_keep(w, quasi_some(isl_set_copy(w->states), v));
        isl_pw_aff **value = w->frame->quasi.value;
        for (int i = 0; i < w->frame->quasi.f->n_symbols; i++)
            if (depends(value[i], v)) value[i] = isl_pw_aff_free(value[i]);
        isl_pw_aff_free(v);
    }
}

/* States ----------------------------------------------------------------------------------------------------------- */

State exposed_save(Walk *w) {
    State s = {w->states, w->is_dead, arena_array(w->arena, isl_set *, 2 * w->n + 1)};
    for (int i = 0; i < w->n; i++) {
        s.sets[2 * i] = w->arrays[i].set;
        s.sets[2 * i + 1] = w->arrays[i].gain;
    }
    return s;
}

void exposed_restore(Walk *w, const State *s) {
    w->states = s->states;
    w->is_dead = s->is_dead;
    for (int i = 0; i < w->n; i++) {
        w->arrays[i].set = s->sets[2 * i];
        w->arrays[i].gain = s->sets[2 * i + 1];
    }
}

/* Sets stay as they are; what is gained from here on is counted anew. */
void exposed_begin_gain(Walk *w) {
    for (int i = 0; i < w->n; i++)
        w->arrays[i].gain = exposed_keep(w, isl_set_empty(exposed_elements(w, &w->arrays[i])));
}

void exposed_gain(Walk *w, Tracked *t, isl_set *more) {
    t->set = unite(w, t->set, more);
    t->gain = unite(w, t->gain, more);
}

void exposed_suppose(Walk *w, isl_set *c, bool holds) {
    isl_set *states = isl_set_copy(w->states);
    states = holds ? isl_set_intersect(states, isl_set_copy(c)) : isl_set_subtract(states, isl_set_copy(c));
    w->states = exposed_keep(w, states);
}

/* Accesses --------------------------------------------------------------------------------------------------------- */

Ref exposed_ref_of(const Walk *w, const Symbol *sym) {
    const Func *f = w->frame->quasi.f;
    bool known = sym && sym->id >= 0 && sym->func == f && sym->id < f->n_symbols;
    return known ? w->frame->refs[sym->id] : (Ref){0};
}

/* The element with these indices of the reference; with any index where one is not known, or `at` is NULL. */
isl_set *exposed_element(Walk *w, const Ref *r, const ExprList *at, bool *is_known) {
    isl_map *m = no_index(w);
    for (int d = 0, k = 0; d < r->to->rank; d++) {
        isl_pw_aff *i = isl_pw_aff_copy(r->at[d].from);
        if (r->at[d].is_open) i = isl_pw_aff_add(i, at ? quasi_int(&w->frame->quasi, at->at[k++], w->states) : NULL);
        if (!i) *is_known = false;
        isl_map *index = i ? isl_map_from_pw_aff(i) : isl_map_universe(isl_space_alloc(w->q.ctx, 0, 0, 1));
        m = isl_map_flat_range_product(m, index);
    }
    if (r->to->n_parts) m = isl_map_flat_range_product(m, below(w, quasi_number(&w->q, r->to->n_parts)));
    return exposed_keep(w, isl_map_range(m));
}

static isl_set *fields(Walk *w, const Tracked *t, isl_set *part, const Expr *e) {
    isl_set *some = isl_set_empty(isl_set_get_space(part));
    for (int i = 0; i < e->field.n_at; i++) {
        isl_set *one = isl_set_copy(part);
        some = isl_set_union(some, isl_set_fix_si(one, isl_dim_set, (unsigned)t->rank, e->field.at[i]));
    }
    return exposed_keep(w, some);
}

Mention exposed_mention_of(Walk *w, const Expr *e) {
    if (e->kind == EXPR_NAME || e->kind == EXPR_INDEX) {
        const Expr *base = e->kind == EXPR_INDEX ? e->index.base : e;
        Ref r = base->kind == EXPR_NAME ? exposed_ref_of(w, base->name.sym) : (Ref){0};
        if (base->kind != EXPR_NAME) {
            Mention p = exposed_mention_of(w, base);
            p.is_whole = p.is_element = false;
            return p;
        }
        if (!r.to) return (Mention){0};
        if (r.is_whole && e == base && r.n_open) return (Mention){r.to, r.to->box, true, false, false};
        bool is_element = e == base ? r.n_open == 0 : r.n_open && !expr_is_slice(e) && e->index.at.n == r.n_open;
        bool is_known = is_element && !r.is_inside;
        isl_set *part = exposed_element(w, &r, is_element && r.n_open ? &e->index.at : NULL, &is_known);
        return (Mention){r.to, part, is_known, is_element && !r.is_inside, false};
    }
    if (e->kind != EXPR_FIELD) return (Mention){0};
    Mention p = exposed_mention_of(w, e->field.base);
    if (!p.to) return p;
    bool is_part = p.is_element && !p.has_fields && p.to->n_parts && e->field.n_at > 0;
    if (is_part) p.part = fields(w, p.to, p.part, e);
    p.is_whole = p.is_whole && is_part;
    p.has_fields = true;
    return p;
}

void exposed_read_part(Walk *w, Tracked *t, isl_set *part) {
    if (t->is_exposed || w->is_dead) return;
    isl_set *asked = isl_set_copy(part);
    if (part != t->box) asked = isl_set_intersect(asked, isl_set_copy(t->box));
    asked = exposed_where(asked, isl_set_copy(w->states));
    if (isl_set_is_subset(asked, t->set) != isl_bool_true) {
        t->is_exposed = true;
        w->n_found++;
    }
    isl_set_free(asked);
}

void exposed_write_place(Walk *w, const Mention *p) {
    if (p->to && p->is_whole) exposed_gain(w, p->to, p->part);
}
