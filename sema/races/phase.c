/* phase.c -- barrier phases. The phase of an access is the last barrier before it: which one in the text, and in which
 * iterations of the loops around it. It is a function of the state, as a set of isl whose parameters are the state and
 * whose dimensions are the barrier. Two items of a group may be at two accesses at the same time exactly if these have
 * the same last barrier, because all items of a group reach each barrier together (barrier.c). */
#include "sema/races/walk.h"

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/space.h>

static isl_set *point(Walk *w, int site) {
    Quasi *q = &w->space.q;
    isl_map *m = isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(q->ctx, 0, 0)));
    for (int d = 0; d < PHASE_DIMS; d++) {
        isl_pw_aff *at = d == 0            ? quasi_number(q, site)
                         : d <= w->joint.n ? isl_pw_aff_copy(w->joint.at[d - 1]->value)
                                           : quasi_number(q, 0);
        m = isl_map_flat_range_product(m, isl_map_from_pw_aff(at));
    }
    return space_keep(&w->space, isl_map_range(m));
}

void phase_begin(Walk *w) { w->phase = point(w, 0); }

/* Stands for the phase in which an iteration begins, while it is found out where it ends. */
enum { AT_ENTRY = -1 };
isl_set *phase_unknown_entry(Walk *w) { return point(w, AT_ENTRY); }

void phase_barrier(Walk *w) {
    w->site++;
    if (w->joint.n < PHASE_DIMS) w->phase = point(w, w->site);
    else w->phase = NULL;
}

/* The phase stays its owner's. */
static isl_set *where(isl_set *phase, isl_set *states) {
    return isl_set_intersect_params(isl_set_copy(phase), isl_set_params(states));
}

isl_set *phase_select(Walk *w, isl_set *c, isl_set *yes, isl_set *no) {
    if (!yes || !no) return NULL;
    if (isl_set_plain_is_equal(yes, no) == isl_bool_true) return yes;
    isl_set *a = where(yes, isl_set_copy(c)), *b = where(no, isl_set_complement(isl_set_copy(c)));
    return space_keep(&w->space, isl_set_union(a, b));
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

static int find(isl_set *set, const Var *v) { return set ? isl_set_find_dim_by_id(set, isl_dim_param, v->id) : -1; }

isl_set *set_shifted(Walk *w, isl_set *set, const Var *t, int by) {
    int pos = find(set, t);
    if (pos < 0) return set;
    isl_id *old = isl_id_alloc(w->space.q.ctx, "shifted", NULL);
    set = isl_set_set_dim_id(isl_set_copy(set), isl_dim_param, (unsigned)pos, isl_id_copy(old));
    isl_set *all = quasi_all(&w->space.q);
    isl_pw_aff *was = isl_pw_aff_param_on_domain_id(all, isl_id_copy(old));
    isl_pw_aff *now = isl_pw_aff_add(isl_pw_aff_copy(t->value), quasi_number(&w->space.q, by));
    isl_set *equal = isl_pw_aff_eq_set(was, now);
    if (isl_set_dim(set, isl_dim_set)) set = isl_set_intersect_params(set, isl_set_params(equal));
    else set = quasi_and(set, equal);
    pos = set ? isl_set_find_dim_by_id(set, isl_dim_param, old) : -1;
    if (pos >= 0) set = isl_set_project_out(set, isl_dim_param, (unsigned)pos, 1);
    isl_id_free(old);
    return space_keep(&w->space, set);
}

/* Only sizes, positions and the counters of the loops around are the same in another iteration. */
static isl_set *forget_others(Walk *w, isl_set *set, const Var *t) {
    for (int i = isl_set_dim(set, isl_dim_param) - 1; i >= 0; i--) {
        isl_id *id = isl_set_get_dim_id(set, isl_dim_param, (unsigned)i);
        const Var *v = isl_id_get_user(id);
        isl_id_free(id);
        bool stays = !v || v == t || v->shared || v->kind == VAR_ITEM;
        for (int k = 0; k < w->counters.n; k++) stays = stays || w->counters.at[k] == v;
        if (!stays) set = isl_set_project_out(set, isl_dim_param, (unsigned)i, 1);
    }
    return set;
}

static bool would_forget(Walk *w, isl_set *set, const Var *t) {
    isl_set *less = forget_others(w, isl_set_copy(set), t);
    bool changed = isl_set_dim(less, isl_dim_param) != isl_set_dim(set, isl_dim_param);
    isl_set_free(less);
    return changed;
}

/* The phases at the ends of iterations that come to a barrier: those of the latest of the iterations before t. */
static isl_set *latest_before(isl_set *own, const Var *t) {
    int pos = find(own, t);
    if (pos < 0) return NULL;
    isl_set *all = isl_set_move_dims(isl_set_copy(own), isl_dim_set, 0, isl_dim_param, (unsigned)pos, 1);
    isl_space *space = isl_space_params(isl_set_get_space(all));
    space = isl_space_add_param_id(space, isl_id_copy(t->id));
    all = isl_set_align_params(all, space);
    pos = find(all, t);
    isl_local_space *local = isl_local_space_from_space(isl_set_get_space(all));
    isl_constraint *c = isl_constraint_alloc_inequality(local); /* t - t' - 1 >= 0 */
    c = isl_constraint_set_coefficient_si(c, isl_dim_param, pos, 1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, 0, -1);
    c = isl_constraint_set_constant_si(c, -1);
    all = isl_set_add_constraint(all, c);
    all = isl_set_lower_bound_si(all, isl_dim_set, 0, 0);
    return isl_set_project_out(isl_set_lexmax(all), isl_dim_set, 0, 1);
}

/* `end`: the phase at the end of iteration t, which began in phase_unknown_entry. An iteration begins in the phase in
 * which the latest one before it that came to a barrier ended, or in `before` if there is none. NULL: not known. */
isl_set *phase_entry(Walk *w, isl_set *before, isl_set *end, const Var *t) {
    if (!before || !end) return NULL;
    isl_set *own = isl_set_lower_bound_si(isl_set_copy(end), isl_dim_set, 0, 0);
    isl_set *none = isl_set_upper_bound_si(isl_set_copy(end), isl_dim_set, 0, AT_ENTRY);
    bool never = isl_set_is_empty(own) == isl_bool_true, always = isl_set_is_empty(none) == isl_bool_true;
    isl_set_free(none);
    own = space_keep(&w->space, own);
    if (never) return before;
    if (always) {
        isl_set *last = set_shifted(w, space_keep(&w->space, forget_others(w, isl_set_copy(own), t)), t, -1);
        isl_set *first = isl_pw_aff_eq_set(isl_pw_aff_copy(t->value), quasi_number(&w->space.q, 0));
        isl_set *later = isl_pw_aff_ge_set(isl_pw_aff_copy(t->value), quasi_number(&w->space.q, 1));
        return space_keep(&w->space, isl_set_union(where(before, first), where(last, later)));
    }
    isl_set *last = would_forget(w, own, t) ? NULL : latest_before(own, t);
    if (!last) return NULL;
    isl_set *some = isl_set_params(isl_set_copy(last));
    return space_keep(&w->space, isl_set_union(last, where(before, isl_set_complement(some))));
}

/* After iteration t, if iteration t + 1 is not executed; and what was before, if none is. */
isl_set *phase_after(Walk *w, isl_set *before, isl_set *end, isl_set *ran, const Var *t) {
    if (!before || !end) return NULL;
    isl_set *runs = forget_others(w, isl_set_copy(ran), t);
    isl_set *next = isl_set_copy(set_shifted(w, space_keep(&w->space, isl_set_copy(runs)), t, 1));
    isl_set *last = isl_set_subtract(isl_set_copy(runs), next);
    isl_set *ended = space_keep(&w->space, forget_others(w, isl_set_copy(end), t));
    isl_set *after = where(ended, last);
    int pos = find(after, t);
    if (pos >= 0) after = isl_set_project_out(after, isl_dim_param, (unsigned)pos, 1);
    isl_set *first =
        quasi_and(runs, isl_pw_aff_eq_set(isl_pw_aff_copy(t->value), quasi_number(&w->space.q, 0)));
    pos = find(first, t);
    if (pos >= 0) first = isl_set_project_out(first, isl_dim_param, (unsigned)pos, 1);
    isl_set *none = where(before, isl_set_complement(first));
    return space_keep(&w->space, isl_set_union(after, none));
}
