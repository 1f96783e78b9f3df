/* walk.c -- the symbolic walk through a kernel: its parameters, its domain, its groups. */
#include "sema/races/walk.h"

enum { MAX_SIZE_BITS = 56 }; /* of an extent: no processor gives a program more addresses */

static isl_pw_aff *keep(Walk *w, isl_pw_aff *v) { return space_keep_value(&w->space, v); }
static isl_pw_aff *number(Walk *w, int64_t v) { return keep(w, quasi_number(&w->space.q, v)); }

static void bind_sizes(Walk *w) {
    const Func *f = w->kernel;
    for (int i = 0; i < f->sizes.n; i++) {
        if (w->given && w->given[i] != LAUNCH_OPEN) {
            races_bind(w, f->sizes.at[i], number(w, w->given[i]));
            continue;
        }
        Var *v = var_new(&w->space, VAR_SIZE, f->sizes.at[i]->name, true);
        v->sym = f->sizes.at[i];
        var_within(&w->space, v, 1, INT64_C(1) << MAX_SIZE_BITS);
        races_suppose(w, v->facts);
        races_bind(w, f->sizes.at[i], v->value);
    }
}

static isl_pw_aff *extent(Walk *w, const Symbol *p, int d) {
    isl_pw_aff *ext = quasi_extent(&w->frame->quasi, &w->kernel->shapes.at[p->dim].at[d]);
    return keep(w, ext);
}

static Ref root_new(Walk *w, const Symbol *sym, bool is_local, int rank) {
    Root *root = arena_new(&w->space.arena, Root);
    *root = (Root){.sym = sym, .is_local = is_local};
    vec_push(&w->space.arena, &w->roots, root);
    Ref r = {root, arena_array(&w->space.arena, Step, rank + 1), rank};
    for (int d = 0; d < rank; d++) {
        isl_pw_aff *ext =
            is_local ? sym->dims[d].kind == DIM_CONST ? number(w, sym->dims[d].value) : NULL : extent(w, sym, d);
        r.at[d] = (Step){.at = number(w, 0), .ext = ext, .open = true};
    }
    return r;
}

static void bind_params(Walk *w) {
    const Func *f = w->kernel;
    for (int i = 0; i < f->params.n; i++) {
        const Symbol *p = f->params.at[i];
        if (p->id < 0) continue;
        if (p->mode != REF_NONE) {
            w->frame->refs[p->id] = root_new(w, p, false, p->type->kind == TY_ARRAY ? p->type->rank : 0);
            continue;
        }
        if (!races_is_tracked(p->type)) continue;
        if (w->given && w->given[f->sizes.n + i] != LAUNCH_OPEN) {
            races_bind(w, p, number(w, w->given[f->sizes.n + i]));
            continue;
        }
        Var *v = var_new(&w->space, VAR_SCALAR, p->name, true);
        v->sym = p;
        if (p->type->kind == TY_BOOL) var_within(&w->space, v, 0, 2);
        else var_learn(&w->space, v, quasi_in_type(v->value, p->type));
        races_suppose(w, v->facts);
        races_bind(w, p, v->value);
    }
    for (int i = 0; i < f->group.shared.n; i++) {
        const Symbol *sym = f->group.shared.at[i];
        if (sym->id >= 0) w->frame->refs[sym->id] = root_new(w, sym, true, sym->type->rank);
    }
}

/* Domains ---------------------------------------------------------------------------------------------------------- */

static Var *item(Walk *w, const char *name) {
    Var *v = var_new(&w->space, VAR_ITEM, name, false);
    return v;
}

static void suppose(Walk *w, isl_set *c) {
    races_suppose(w, c);
    isl_set_free(c);
}

static isl_set *at_least(isl_pw_aff *a, isl_pw_aff *b) {
    return isl_pw_aff_ge_set(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
}
static isl_set *below(isl_pw_aff *a, isl_pw_aff *b) {
    return isl_pw_aff_lt_set(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
}

static isl_pw_aff *scaled(Walk *w, isl_pw_aff *a, int64_t k) {
    return keep(w, isl_pw_aff_scale_val(isl_pw_aff_copy(a), isl_val_int_from_si(w->space.q.ctx, k)));
}

static isl_pw_aff *plus(Walk *w, isl_pw_aff *a, isl_pw_aff *b) {
    return keep(w, isl_pw_aff_add(isl_pw_aff_copy(a), isl_pw_aff_copy(b)));
}

static void bind_axis(Walk *w, int d, isl_pw_aff *lo, isl_pw_aff *hi, int64_t step) {
    Var *v = item(w, w->kernel->domain.at[d]->name);
    vec_push(&w->space.arena, &w->items, v);
    isl_pw_aff *zero = number(w, 0);
    if (step == 1) suppose(w, at_least(v->value, lo));
    else suppose(w, at_least(v->value, zero)); /* how many steps */
    w->position[d] = step == 1 ? v->value : plus(w, lo, scaled(w, v->value, step));
    suppose(w, below(w->position[d], hi));
}

/* All items of a group run; its first one is in the domain. */
static void bind_group(Walk *w, int d, isl_pw_aff *lo, isl_pw_aff *hi, int64_t step) {
    const Group *g = &w->kernel->group;
    Var *at = item(w, g->at[d]->name);
    vec_push(&w->space.arena, &w->groups, at);
    suppose(w, at_least(at->value, number(w, 0)));
    isl_pw_aff *local = number(w, 0);
    if (g->by[d] > 1) {
        Var *l = item(w, g->local[d]->name);
        vec_push(&w->space.arena, &w->locals, l);
        local = l->value;
        suppose(w, at_least(local, number(w, 0)));
        suppose(w, below(local, number(w, g->by[d])));
    }
    isl_pw_aff *first = plus(w, lo, scaled(w, at->value, g->by[d] * step));
    suppose(w, below(first, hi));
    w->position[d] = plus(w, first, scaled(w, local, step));
    races_bind(w, g->local[d], local);
    races_bind(w, g->at[d], at->value);
    isl_pw_aff *length = isl_pw_aff_sub(isl_pw_aff_copy(hi), isl_pw_aff_copy(lo));
    length = isl_pw_aff_add(length, quasi_number(&w->space.q, g->by[d] * step - 1));
    isl_val *by = isl_val_int_from_si(w->space.q.ctx, g->by[d] * step);
    races_bind(w, g->count[d], keep(w, isl_pw_aff_floor(isl_pw_aff_scale_down_val(length, by))));
}

static void bind_domain(Walk *w) {
    const Func *f = w->kernel;
    isl_set *inside = quasi_all(&w->space.q);
    for (int d = 0; d < f->domain.n && !w->failed; d++) {
        const Range *r = &f->item->fn.over.at[d].range;
        isl_pw_aff *lo = r->lo ? races_int(w, r->lo) : number(w, 0), *hi = races_int(w, r->hi);
        if (w->failed || (r->step && (r->step->konst.kind != CONST_INT || r->step->konst.i < 1))) {
            w->failed = true;
            break;
        }
        isl_pw_aff *length = isl_pw_aff_sub(isl_pw_aff_copy(hi), isl_pw_aff_copy(lo)); /* the launch can count them */
        suppose(w, isl_pw_aff_le_set(length, quasi_number(&w->space.q, INT64_C(1) << MAX_SIZE_BITS)));
        if (f->group.items) bind_group(w, d, lo, hi, r->step ? r->step->konst.i : 1);
        else bind_axis(w, d, lo, hi, r->step ? r->step->konst.i : 1);
        races_bind(w, f->domain.at[d], w->position[d]);
        inside = quasi_and(inside, below(w->position[d], hi));
    }
    if (f->group.items && !w->failed)
        races_bind(w, f->group.inside, keep(w, isl_set_indicator_function(isl_set_copy(inside))));
    isl_set_free(inside);
}

static isl_pw_aff *integer_of(Walk *w, const Symbol *sym) {
    return sym ? isl_pw_aff_copy(w->frame->quasi.value[sym->id]) : quasi_number(&w->space.q, 0);
}

static void learn_launched(const Symbol *a, const Symbol *b, int64_t least, void *context) {
    Walk *w = context;
    isl_pw_aff *x = integer_of(w, a), *y = isl_pw_aff_add(integer_of(w, b), quasi_number(&w->space.q, least));
    isl_set *fact = isl_pw_aff_ge_set(x, y);
    if (!fact) return;
    suppose(w, fact);
    w->launches = w->live;
}

static void learn_powers(Walk *w) {
    for (int i = 0; i < w->kernel->params.n; i++) {
        const Symbol *p = w->kernel->params.at[i];
        isl_pw_aff *v = p->id >= 0 ? w->frame->quasi.value[p->id] : NULL;
        if (v && launched_with_power(w->kernel, p))
            vec_push(&w->space.arena, &w->powers, keep(w, isl_pw_aff_copy(v)));
    }
}

void walk_kernel(Walk *w) {
    Frame frame = races_frame(w, w->kernel, false);
    w->frame = &frame;
    w->live = space_keep(&w->space, quasi_all(&w->space.q));
    bind_sizes(w);
    bind_params(w);
    if (w->launched) w->launches = w->live;
    if (w->launched) launched_facts(w->kernel, learn_launched, w);
    if (w->launched) learn_powers(w);
    bind_domain(w);
    phase_begin(w);
    if (!w->failed) races_block(w, w->kernel->item->fn.body);
    quasi_frame_end(&frame.quasi);
    w->frame = NULL;
}
