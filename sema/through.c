/* through.c -- interprocedural bounds analysis: element accesses in functions from the view of a caller. The sums of
 * the callee are rewritten with the arguments of the call in place of its parameters and sizes, and what is known in
 * the callee is added to what is known at the call. So the table of a kernel has all accesses that are made for it,
 * however deep the calls, and a check that was undecided in a function is decided again with the knowledge of each
 * kernel that leads there: a check that no kernel needs is omitted on devices. (Host code keeps it.) */
#include <string.h>

#include "sema/access.h"

enum { MAX_INHERITED = 400 }; /* by one function */

/* One call. */
typedef struct Inward {
    Walk *w;
    const Expr *call;
    const Func *callee;
    const Form *given; /* by argument */
    Form *value;       /* by atom of the callee, if known[] is true */
    bool *known;
} Inward;

/* Sums ------------------------------------------------------------------------------------------------------------ */

static bool translate(Inward *in, const Form *f, Form *out);

/* A value about which the caller knows no more than the callee, except that arithmetic may be proved not to wrap here.
 */
static Form same_value(Inward *in, const Atom *atom) {
    Atom copy = *atom;
    if (atom->is_sum) copy.is_sum = translate(in, &atom->either[0], &copy.either[0]);
    if (copy.is_sum && affine_within(&in->w->a, &copy.either[0], atom->lo, atom->hi)) return copy.either[0];
    copy.of = NULL;
    for (int i = 0; i < 2 && copy.is_either; i++) copy.is_either = translate(in, &atom->either[i], &copy.either[i]);
    return form_atom(&in->w->a, copy);
}

static const Arg *argument(const Inward *in, int i) {
    return i < in->call->call.args.n ? &in->call->call.args.at[i] : NULL;
}

static bool extent_given(Inward *in, const Symbol *size, Form *out) {
    const CallInfo *info = in->call->call.info;
    for (int k = 0; k < in->callee->sizes.n && k < info->sizes.n; k++) {
        const Arg *a = argument(in, info->sizes.at[k].arg);
        if (in->callee->sizes.at[k] != size || !a || a->value->kind != EXPR_NAME || !a->value->name.sym) continue;
        if (!walk_extent(in->w, a->value->name.sym, info->sizes.at[k].dim, out)) return false;
        out->c -= info->sizes.at[k].add;
        return true;
    }
    return false;
}

static Form value_of(Inward *in, int atom) {
    if (in->known[atom]) return in->value[atom];
    const Atom *a = &in->callee->facts->atoms.at[atom];
    const Symbol *of = a->of;
    bool by_value = of && of->kind == SYM_PARAM && of->mode == REF_NONE && argument(in, of->dim);
    Form v;
    if (by_value) v = in->given[of->dim];
    else if (!of || of->kind != SYM_SIZE || !extent_given(in, of, &v)) v = same_value(in, a);
    in->known[atom] = true;
    return in->value[atom] = v;
}

/* false: out of reach */
static bool translate(Inward *in, const Form *f, Form *out) {
    Form sum = form_const(f->c);
    for (int i = 0; i < f->n; i++) {
        Form v = value_of(in, f->at[i].atom);
        if (!form_add(&sum, &sum, f->at[i].k, &v)) return false;
    }
    *out = sum;
    return true;
}

static Form anything(Inward *in, const Access *x) {
    const char *text = x->expr ? walk_text(in->w, x->expr->span) : "?";
    return form_atom(&in->w->a, (Atom){.kind = ATOM_COMPUTED, .lo = INT64_MIN, .hi = INT64_MAX, .text = text});
}

/* Accesses -------------------------------------------------------------------------------------------------------- */

/* The indices that are undecided in the function itself. */
static unsigned open_of(const Access *x) {
    if (!x->expr || x->expr->index.site <= 0) return 0;
    return ((1u << x->expr->index.at.n) - 1) & ~(x->expr->index.proven | x->expr->index.early);
}

static CheckSite *site_of(const Walk *w, const Access *x) { return &w->s->program->sites.at[x->expr->index.site - 1]; }

static bool is_inside(Walk *w, const Access *x, int d) {
    Form zero = form_const(0), last = x->ext[d];
    last.c--;
    return x->has_ext >> d & 1 && affine_at_least(&w->a, &x->at[d], &zero) && affine_at_least(&w->a, &last, &x->at[d]);
}

static void judge(Walk *w, const Access *x) {
    unsigned open = open_of(x);
    CheckSite *site = open ? site_of(w, x) : NULL;
    for (int d = 0; site && d < x->n; d++)
        if (open >> d & 1 && !is_inside(w, x, d)) site->open |= 1u << d;
    if (site) site->is_reached = true;
}

/* No kernel decides the access again, so its checks stay. */
static void give_up(Walk *w, const Access *x) {
    w->f->misses_accesses = true;
    if (!open_of(x)) return;
    site_of(w, x)->open = ~0u;
    site_of(w, x)->is_reached = true;
}

static Symbol *array_given(const Inward *in, const Access *x, bool *is_whole) {
    const Arg *a = x->array && x->array->kind == SYM_PARAM ? argument(in, x->array->dim) : NULL;
    *is_whole = a && a->value->kind == EXPR_NAME;
    return a ? expr_root(a->value) : NULL;
}

/* A slice is passed: the indices of the callee are not those of the array. */
static void anywhere(Inward *in, Access *x) {
    if (!x->array || x->array->type->kind != TY_ARRAY) return;
    x->n = x->array->type->rank;
    x->at = arena_array(in->w->s->arena, Form, x->n + 1);
    x->ext = arena_array(in->w->s->arena, Form, x->n + 1);
    x->has_ext = 0;
    for (int d = 0; d < x->n; d++) {
        x->at[d] = anything(in, x);
        if (walk_extent(in->w, x->array, d, &x->ext[d])) x->has_ext |= 1u << d;
    }
}

static void inherit(Inward *in, const Access *x) {
    Walk *w = in->w;
    Access y = *x;
    bool is_whole;
    y.array = array_given(in, x, &is_whole);
    y.call = in->call;
    if (!y.array && !open_of(x)) return;
    y.at = arena_array(w->s->arena, Form, x->n + 1);
    y.ext = arena_array(w->s->arena, Form, x->n + 1);
    for (int d = 0; d < x->n; d++) {
        if (!translate(in, &x->at[d], &y.at[d])) y.at[d] = anything(in, x);
        if (x->has_ext >> d & 1 && !translate(in, &x->ext[d], &y.ext[d])) y.has_ext &= ~(1u << d);
    }
    int mark = w->a.facts.n;
    for (int i = 0; i < x->n_guard; i++) {
        Form fact;
        if (translate(in, &x->guard[i], &fact)) affine_learn(&w->a, &fact);
    }
    if (w->f->is_kernel) judge(w, &y);
    if (y.array && !is_whole) anywhere(in, &y);
    walk_note(w, y);
    w->a.facts.n = mark;
}

void walk_through(Walk *w, Expr *call, const Form *given) {
    const Func *callee = call->call.info->func;
    int n = callee->facts->atoms.n;
    Inward in = {.w = w, .call = call, .callee = callee, .given = given};
    in.value = arena_array(w->s->arena, Form, n + 1);
    in.known = arena_array(w->s->arena, bool, n + 1);
    w->f->misses_accesses |= callee->misses_accesses;
    for (int i = 0; i < callee->accesses.n; i++) {
        if (w->inherited++ < MAX_INHERITED) inherit(&in, &callee->accesses.at[i]);
        else give_up(w, &callee->accesses.at[i]);
    }
}

/* What no kernel needs -------------------------------------------------------------------------------------------- */

static void settle_site(CheckSite *site) {
    Expr *e = site->access;
    unsigned all = (1u << e->index.at.n) - 1;
    e->index.early |= all & ~e->index.proven & ~site->open;
    site->is_needless = !(all & ~e->index.proven & ~e->index.early);
    if (site->is_needless) ((Func *)site->func)->n_kept--;
}

void access_settle(Sema *s) {
    Program *p = s->program;
    for (int i = 0; i < p->sites.n; i++) {
        CheckSite *site = &p->sites.at[i];
        if (site->kind == CHECK_INDEX && site->access && site->is_reached) settle_site(site);
    }
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        if (!f->n_kept && !f->may_assert) f->may_fail = false;
    }
}
