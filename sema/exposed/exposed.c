/* exposed.c -- upward-exposed reads (array data-flow analysis: Feautrier 1991; must-write regions: Creusillet and
 * Irigoin 1995): which arrays that begin without values may be read before they are written? For each point of a kernel
 * or function, a set of isl has the elements that certainly have values there, with the sizes, the position of the work
 * item and the variables of the loops around as parameters. A read asks whether its element is in the set.
 *
 * The set of an item has what it has written itself. At a barrier, what the other items of the group have written is
 * added: the set, for some item of the group. So after a tile is loaded and a barrier passed, every element of the tile
 * is in it, and an index that is not understood does no harm: it is inside of the array or fails its check.
 * A loop adds the union over its iterations; inside of it, those before the one under way are added if a read needs
 * them. Branches add what they write where their condition holds, or what both write where it is not quasi-affine.
 *
 * The set is a lower bound. What is not understood adds nothing: loops that may be left early, a `while` without an
 * induction variable, parts of elements below a field. Values that are not quasi-affine are variables as long as they
 * are in scope. */
#include "sema/exposed/exposed.h"

#include <isl/val.h>

enum {
    MAX_OPERATIONS = 2000000, /* of isl, for one function */
    MAX_CALLS = 100,
    MAX_PARTS = 64,
};

/* Functions -------------------------------------------------------------------------------------------------------- */

static isl_set *less(isl_pw_aff *a, isl_pw_aff *b) { return isl_pw_aff_lt_set(a, b); } /* takes both */

static void add_item_fact(Walk *w, isl_set *c) {
    if (c) w->items = exposed_keep(w, isl_set_intersect(isl_set_copy(w->items), c));
}

/* All items of a group run; its first one is in the domain. */
static void bind_group(Walk *w, int d) {
    const Func *f = w->frame->quasi.f;
    const Group *g = &f->group;
    const Range *r = &f->item->fn.over.at[d].range;
    QuasiFrame *at = &w->frame->quasi;
    bool is_fixed = !r->step || r->step->konst.kind == CONST_INT;
    int64_t step = r->step ? r->step->konst.i : 1;
    isl_pw_aff *group = quasi_variable(&w->q, g->at[d]), *local = quasi_number(&w->q, 0);
    add_item_fact(w, isl_pw_aff_nonneg_set(isl_pw_aff_copy(group)));
    if (g->by[d] > 1) {
        isl_pw_aff_free(local);
        local = quasi_variable(&w->q, g->local[d]);
        w->local[d] = isl_pw_aff_copy(local);
        add_item_fact(w, isl_pw_aff_nonneg_set(isl_pw_aff_copy(local)));
        add_item_fact(w, less(isl_pw_aff_copy(local), quasi_number(&w->q, g->by[d])));
    }
    quasi_bind(at, g->at[d], isl_pw_aff_copy(group));
    quasi_bind(at, g->local[d], isl_pw_aff_copy(local));
    isl_pw_aff *lo = r->lo ? quasi_int(at, r->lo, w->states) : quasi_number(&w->q, 0);
    isl_pw_aff *hi = quasi_int(at, r->hi, w->states);
    isl_val *across = isl_val_int_from_si(w->q.ctx, is_fixed ? g->by[d] * step : 1);
    isl_val *one = isl_val_int_from_si(w->q.ctx, is_fixed ? step : 1);
    isl_pw_aff *first = isl_pw_aff_add(lo, isl_pw_aff_scale_val(group, across));
    if (is_fixed && first && hi) add_item_fact(w, less(isl_pw_aff_copy(first), isl_pw_aff_copy(hi)));
    isl_pw_aff *i = isl_pw_aff_add(first, isl_pw_aff_scale_val(local, one));
    if (is_fixed && i) quasi_bind(at, f->domain.at[d], isl_pw_aff_copy(i));
    isl_pw_aff_free(i);
    isl_pw_aff_free(hi);
}

static void bind_axis(Walk *w, int d) {
    const Func *f = w->frame->quasi.f;
    isl_pw_aff *v = quasi_variable(&w->q, f->domain.at[d]);
    isl_set *range = quasi_range(&w->frame->quasi, &f->item->fn.over.at[d].range, v, w->states);
    add_item_fact(w, range);
    quasi_bind(&w->frame->quasi, f->domain.at[d], v);
}

/* `inside`: each axis is below its end. */
static void bind_inside(Walk *w) {
    const Func *f = w->frame->quasi.f;
    isl_set *inside = quasi_all(&w->q);
    for (int d = 0; d < f->domain.n; d++) {
        isl_pw_aff *i = isl_pw_aff_copy(w->frame->quasi.value[f->domain.at[d]->id]);
        isl_pw_aff *hi = quasi_int(&w->frame->quasi, f->item->fn.over.at[d].range.hi, w->states);
        inside = isl_set_intersect(inside, less(i, hi));
    }
    isl_pw_aff *v = inside ? isl_set_indicator_function(inside) : quasi_variable(&w->q, f->group.inside);
    if (!inside) vec_push(w->arena, &w->values, ((Value){isl_pw_aff_copy(v), false}));
    quasi_bind(&w->frame->quasi, f->group.inside, v);
}

static int parts_of(const Type *t) {
    int n = t->kind == TY_STRUCT ? t->n_fields : t->kind == TY_VECTOR ? t->width : 0;
    return n <= MAX_PARTS ? n : 0;
}

static bool begins_unset(const Func *f, const Symbol *sym) {
    if (sym->kind == SYM_PARAM) return f->is_kernel && symbol_is_fresh(sym);
    return sym->is_shared ? f->is_kernel : symbol_is_unset(sym);
}

static void track(Walk *w, const Symbol *sym) {
    const Type *elem = sym->type->kind == TY_ARRAY ? sym->type->elem : sym->type;
    Tracked *t = &w->arrays[w->n++];
    *t = (Tracked){.sym = sym, .rank = sym->type->kind == TY_ARRAY ? sym->type->rank : 0, .n_parts = parts_of(elem)};
    t->is_private = sym->kind == SYM_LOCAL && !sym->is_shared;
    t->box = exposed_box_of(w, t);
    t->set = t->gain = exposed_keep(w, isl_set_empty(exposed_elements(w, t)));
    Ref *r = &w->frame->refs[sym->id];
    *r = (Ref){t, arena_array(w->arena, Axis, t->rank + 1), t->rank, true, false};
    for (int d = 0; d < t->rank; d++) r->at[d] = (Axis){exposed_keep_value(w, quasi_number(&w->q, 0)), true};
}

bool *exposed_arrays(Arena *arena, const Func *f, Symbol *const *arrays, int n) {
    bool *exposed = arena_array(arena, bool, n + 1);
    Arena own = {0};
    Walk w = {.arena = &own, .q = quasi_begin(&own, MAX_OPERATIONS), .calls = MAX_CALLS};
    Frame frame = {quasi_frame(&w.q, f), arena_array(&own, Ref, f->n_symbols + 1)};
    w.frame = &frame;
    w.arrays = arena_array(&own, Tracked, n + 1);
    w.states = w.items = exposed_keep(&w, quasi_bind_parameters(&frame.quasi));
    for (int d = 0; f->is_kernel && d < f->domain.n; d++) {
        if (f->group.items) bind_group(&w, d);
        else bind_axis(&w, d);
    }
    w.states = w.items;
    if (f->group.items) bind_inside(&w);
    for (int i = 0; i < n; i++)
        if (begins_unset(f, arrays[i])) track(&w, arrays[i]);
    exposed_walk_block(&w, f->item->fn.body);
    bool failed = isl_ctx_last_error(w.q.ctx) != isl_error_none;
    for (int i = 0, k = 0; i < n; i++) exposed[i] = !begins_unset(f, arrays[i]) || w.arrays[k++].is_exposed || failed;
    exposed_forget_values(&w, 0);
    for (int d = 0; d < 3; d++) isl_pw_aff_free(w.local[d]);
    for (int i = 0; i < w.kept.n; i++) isl_set_free(w.kept.at[i]);
    for (int i = 0; i < w.kept_values.n; i++) isl_pw_aff_free(w.kept_values.at[i]);
    quasi_frame_end(&frame.quasi);
    quasi_end(&w.q);
    arena_free(&own);
    return exposed;
}
