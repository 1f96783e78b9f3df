/* launched.c -- interprocedural value range analysis: what holds for the integers of a kernel at every launch of it.
 * In `for k in n { offload lu(&mut a, k); }` the parameter k is at least 0 and less than the extents of `a`. Host
 * functions are walked as kernels are (host_proofs.c); where the walk comes to a launch, each pair of the kernel's
 * integers gets the greatest difference that can be proved (the difference bounds of Mine's zones, 2001). A fact of the
 * kernel is what all of its launches have in common.
 *
 * A kernel of which the walk misses a launch gets no facts. Nor does any kernel of a session: inputs to come may launch
 * it. */
#include "sema/access.h"

enum { MAX_INTEGERS = 8, LEAST_KNOWN = 0, MOST_KNOWN = 1 };

/* The integers of a kernel that a launch decides, and of each two the least difference so far. */
typedef struct Launched {
    const Symbol *of[MAX_INTEGERS + 1]; /* the last one is NULL, for 0 */
    int n, visits, launches;
    bool known[MAX_INTEGERS + 1][MAX_INTEGERS + 1];
    int64_t least[MAX_INTEGERS + 1][MAX_INTEGERS + 1];
    bool has_more_bits[MAX_INTEGERS]; /* perhaps not 0 and no power of two, with either sign */
} Launched;

static bool is_integer(const Symbol *p) {
    return p->mode == REF_NONE && p->type->kind >= TY_I8 && p->type->kind <= TY_INDEX;
}

static Launched *launched_of(Sema *s, Func *kernel) {
    Launched *l = kernel->facts->launched;
    if (l) return l;
    l = kernel->facts->launched = arena_new(s->arena, Launched);
    for (int i = 0; i < kernel->sizes.n && l->n < MAX_INTEGERS; i++) l->of[l->n++] = kernel->sizes.at[i];
    for (int i = 0; i < kernel->params.n && l->n < MAX_INTEGERS; i++)
        if (is_integer(kernel->params.at[i])) l->of[l->n++] = kernel->params.at[i];
    return l;
}

/* One launch ------------------------------------------------------------------------------------------------------ */

static Form some_extent(Walk *w) {
    return form_atom(&w->a, (Atom){.kind = ATOM_COMPUTED, .lo = 0, .hi = INT64_MAX, .text = "an extent"});
}

static Form extent_of(Walk *w, Expr *array, int d) {
    Dim dims[MAX_RANK];
    dims_of_array(array, dims);
    const Symbol *size = dims[d].kind == DIM_SYMBOL || dims[d].kind == DIM_SUM ? dims[d].sym : NULL;
    if (dims[d].kind == DIM_CONST) return form_const(dims[d].value);
    if (!size || size->id < 0 || size->id >= w->n || !w->known[size->id]) return some_extent(w);
    Form zero = form_const(0), extent = w->now[size->id];
    extent.c += dims[d].value;
    affine_learn_at_least(&w->a, &extent, &zero, 0); /* an array was made with it */
    return extent;
}

static Form value_at(Walk *w, const Expr *call, const Symbol *of) {
    const CallInfo *info = call->call.info;
    if (of->kind == SYM_PARAM) return walk_expr(w, call->call.args.at[of->dim].value);
    for (int k = 0; k < info->sizes.n; k++) {
        if (info->func->sizes.at[k] != of) continue;
        Form extent = extent_of(w, call->call.args.at[info->sizes.at[k].arg].value, info->sizes.at[k].dim);
        extent.c -= info->sizes.at[k].add;
        return extent;
    }
    return some_extent(w);
}

/* The greatest difference a - b that can be proved. */
static bool least_difference(Walk *w, const Form *a, const Form *b, int64_t *least) {
    Form difference, less;
    if (!form_add(&difference, a, -1, b)) return false;
    if (form_is_const(&difference)) {
        *least = (int64_t)wide_least(wide_most(difference.c, INT32_MIN), INT32_MAX);
        return difference.c >= INT32_MIN;
    }
    Wide lo = affine_interval(&w->a, &difference).lo;
    *least = lo > LEAST_KNOWN ? (int64_t)wide_least(lo, INT32_MAX) : LEAST_KNOWN;
    if (lo >= MOST_KNOWN) return true;
    less = difference, less.c -= MOST_KNOWN;
    if (affine_prove(&w->a, &less)) return *least = MOST_KNOWN, true;
    return affine_prove(&w->a, &difference);
}

static bool changes(Expr *e, void *context) {
    (void)context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++)
        if (e->call.args.at[i].mode == REF_MUT || e->call.args.at[i].mode == REF_OUT) return true;
    return false;
}

/* No argument changes what another one reads. */
static bool is_steady(const Expr *call) {
    for (int i = 0; i < call->call.args.n; i++)
        if (expr_find(call->call.args.at[i].value, changes, NULL)) return false;
    return true;
}

void launched_look(Walk *w, const Expr *offload) {
    const Expr *call = offload->offload.call;
    const CallInfo *info = call->kind == EXPR_CALL ? call->call.info : NULL;
    if (!info || info->kind != CALL_FUNC || !info->func->is_kernel || !is_steady(call)) return;
    Launched *l = launched_of(w->s, info->func);
    Form value[MAX_INTEGERS + 1];
    w->quiet++;
    for (int i = 0; i < l->n; i++) value[i] = value_at(w, call, l->of[i]);
    w->quiet--;
    value[l->n] = form_const(0);
    for (int i = 0; i < l->n; i++)
        if (l->of[i]->kind != SYM_PARAM || !is_power_of_two(w->f, call->call.args.at[l->of[i]->dim].value))
            l->has_more_bits[i] = true;
    for (int i = 0; i <= l->n; i++)
        for (int j = 0; j <= l->n; j++) {
            int64_t least;
            bool known = i != j && (!l->visits || l->known[i][j]) && least_difference(w, &value[i], &value[j], &least);
            if (known) l->least[i][j] = l->visits && l->least[i][j] < least ? l->least[i][j] : least;
            l->known[i][j] = known;
        }
    l->visits++;
}

/* All launches ---------------------------------------------------------------------------------------------------- */

void launched_expect(Sema *s, const Func *host) {
    for (int k = 0; k < host->facts->calls.n; k++)
        if (host->facts->calls.at[k]->is_launch) launched_of(s, host->facts->calls.at[k]->callee)->launches++;
}

void launched_learn(Walk *w) {
    const Launched *l = w->f->facts->launched;
    if (!l || l->visits != l->launches) return;
    for (int i = 0; i <= l->n; i++)
        for (int j = 0; j <= l->n; j++) {
            if (!l->known[i][j]) continue;
            Form a = i < l->n ? w->now[l->of[i]->id] : form_const(0);
            Form b = j < l->n ? w->now[l->of[j]->id] : form_const(0);
            affine_learn_at_least(&w->a, &a, &b, l->least[i][j]);
        }
}

bool launched_any(const Func *kernel) { return kernel->facts->launched && kernel->facts->launched->launches > 0; }

void launched_facts(const Func *kernel, LaunchedFact fact, void *context) {
    const Launched *l = kernel->facts->launched;
    for (int i = 0; l && l->visits == l->launches && i <= l->n; i++)
        for (int j = 0; j <= l->n; j++)
            if (l->known[i][j]) fact(l->of[i], l->of[j], l->least[i][j], context);
}

bool launched_with_power(const Func *kernel, const Symbol *param) {
    const Launched *l = kernel->facts->launched;
    for (int i = 0; l && l->visits && l->visits == l->launches && i < l->n; i++)
        if (l->of[i] == param) return !l->has_more_bits[i];
    return false;
}
