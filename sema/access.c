/* access.c -- the table of element accesses, and which of their bounds checks can be removed. For each kernel and
 * device function the table has what is known at its start (sizes, domain, parameters) and each access with its
 * indices as affine sums, and for each index whether its check is needless. A check that stays is a check site
 * (CheckSite) with the reason in words; a device reports the number of the site. `may_fail` then says which kernels
 * are launched with an error slot. */
#include <string.h>

#include "sema/access.h"

void walk_check(Walk *w, CheckKind kind, Span span, Span what) {
    if (w->on_host) return;
    vec_push(w->s->arena, &w->s->program->checked, ((Checked){kind, w->f, span, what, 0}));
    w->f->n_checks++;
}

/* Of the check that was noted last. 0: host code, which reports its checks itself. */
int walk_keep(Walk *w, CheckSite site) {
    if (w->on_host) return 0;
    site.func = w->f;
    w->early = NULL; /* a check after it must not be reported before it */
    vec_push(w->s->arena, &w->s->program->sites, site);
    w->f->n_kept++;
    w->f->may_fail = true;
    Program *p = w->s->program;
    p->checked.at[p->checked.n - 1].site = p->sites.n;
    return p->sites.n;
}

int walk_keep_assert(Walk *w, const Stmt *st) {
    if (w->on_host) return 0;
    CheckSite site = {.kind = CHECK_ASSERT, .func = w->f, .span = st->span, .assert_ = st};
    vec_push(w->s->arena, &w->s->program->sites, site);
    w->f->may_fail = w->f->may_assert = true;
    return w->s->program->sites.n;
}

/* Extents ------------------------------------------------------------------------------------------------------- */

bool walk_extent(Walk *w, const Symbol *array, int d, Form *out) {
    if (!array->type || array->type->kind != TY_ARRAY || d >= array->type->rank || shape_is_open(array)) return false;
    const Dim *dim = &array->dims[d];
    if (dim->kind == DIM_CONST) *out = form_const(dim->value);
    if (dim->kind != DIM_SYMBOL && dim->kind != DIM_SUM) return dim->kind == DIM_CONST;
    if (dim->sym->id < 0 || dim->sym->id >= w->n || !w->known[dim->sym->id]) return false;
    *out = w->now[dim->sym->id];
    out->c += dim->value;
    return true;
}

/* No extent of an array that has been made is negative, so `m + 1` has not wrapped. */
void walk_learn_made(Walk *w, const Symbol *array) {
    const int64_t FAR = (int64_t)1 << 62;
    Form zero = form_const(0), most = form_const(INT64_MAX), extent;
    for (int d = 0; array->type->kind == TY_ARRAY && d < array->type->rank; d++) {
        int64_t by = array->dims[d].value;
        bool is_near = by > -FAR && by < FAR; /* else the sum may have wrapped to one that an array can have */
        if (!walk_extent(w, array, d, &extent) || form_is_const(&extent) || !is_near) continue;
        affine_learn_at_least(&w->a, &extent, &zero, 0);
        affine_learn_at_least(&w->a, &most, &extent, 0);
    }
}

/* `over j in m`: where a work item runs, m is not 0. */
static bool is_axis(const Func *f, const Symbol *size) {
    for (int d = 0; f->is_kernel && size && d < f->domain.n; d++) {
        const Range *r = &f->item->fn.over.at[d].range;
        if (!r->lo && !r->step && r->hi->kind == EXPR_NAME && r->hi->name.sym == size) return true;
    }
    return false;
}

/* The least number of elements that an array has for each unit of this size; 0: other extents may be 0. */
static Wide elements_each(const Func *f, const Shape *shape, const Symbol *size) {
    const Wide many = (Wide)1 << 48;
    Wide each = 1;
    bool found = false;
    for (int d = 0; d < shape->rank; d++) {
        const Extent *x = &shape->at[d];
        if (x->kind == EXTENT_CONST) each = x->value > 0 ? wide_least(each * x->value, many) : 0;
        else if (x->value < 0) return 0;
        else if (x->size == size && !found) found = true;
        else if (!is_axis(f, x->size)) return 0;
    }
    return found ? each : 0;
}

/* No processor has addresses for more than 2^56 bytes, which is a smaller bound of an extent than its type has. */
static Wide most_of_size(const Func *f, const Symbol *size) {
    const Wide addresses = (Wide)1 << 56;
    Wide most = INT64_MAX;
    for (int i = 0; i < f->params.n; i++) {
        const Type *t = f->params.at[i]->type;
        Wide each = t->kind == TY_ARRAY ? elements_each(f, &f->shapes.at[i], size) : 0;
        if (!each || ((t->elem->kind < TY_BOOL || t->elem->kind > TY_F64) && !type_is_parts(t->elem))) continue;
        most = wide_least(most, addresses / (each * type_size_bytes(t->elem)));
    }
    return most;
}

/* Reasons ------------------------------------------------------------------------------------------------------- */

static const char *about_atom(Walk *w, const Atom *atom, const char *index) {
    Arena *arena = w->s->arena;
    bool same = strcmp(atom->text, index) == 0;
    const char *rests = same ? "" : arena_printf(arena, "it depends on `%s`: ", atom->text);
    switch (atom->kind) {
    case ATOM_LOADED:
        return same ? arena_printf(arena, "the value of `%s` is not known at compile time", atom->text)
                    : arena_printf(arena, "it depends on the value of `%s`, which is not known at compile time",
                                   atom->text);
    case ATOM_CALLED: return arena_printf(arena, "%sthe result of the call is not known", rests);
    case ATOM_CHANGES: return arena_printf(arena, "%sa variable that changes", rests);
    case ATOM_WRAPS: return arena_printf(arena, "%sthe arithmetic may overflow", rests);
    case ATOM_COMPUTED: return arena_printf(arena, "%snot a linear expression", rests);
    case ATOM_NAMED: break;
    }
    return NULL;
}

/* `over i in n` with `b[i]`, where the extent of b is m: a size that the index is less than, other than its extent. */
static const Symbol *size_above(Walk *w, const Form *at, const Form *ext) {
    for (int i = 0; i < w->f->sizes.n && at->n; i++) {
        const Symbol *size = w->f->sizes.at[i];
        if (!w->known[size->id] || size->name == w->s->underscore) continue;
        Form last = w->now[size->id], gap;
        if (form_add(&gap, &last, -1, ext) && form_is_const(&gap)) continue;
        last.c--;
        if (affine_at_least(&w->a, &last, at)) return size;
    }
    return NULL;
}

/* The reason why an index cannot be proved to be in 0..ext. */
static const char *reason(Walk *w, const char *index, const Form *at, const Form *ext, bool low, bool high) {
    Arena *arena = w->s->arena;
    for (int i = at->n; i-- > 0;) {
        const char *text = about_atom(w, &w->a.atoms.at[at->at[i].atom], index);
        if (text) return text;
    }
    if (!ext) return "the extent is only known at run time";
    const char *extent = form_text(&w->a, ext);
    const Symbol *size = low ? size_above(w, at, ext) : NULL;
    if (size)
        return arena_printf(arena, "cannot prove that it is less than %s, only that it is less than %s", extent,
                            size->name);
    if (low) return arena_printf(arena, "cannot prove that it is less than %s", extent);
    if (high) return "cannot prove that it is not negative";
    return arena_printf(arena, "cannot prove that it is in 0..%s", extent);
}

static bool element_extent(Walk *w, const Expr *e, const Symbol *array, int d, Form *ext) {
    const Type *field = expr_fixed_field(e->index.base);
    if (array) return walk_extent(w, array, d, ext);
    if (!field || d >= field->rank) return false;
    *ext = form_const(field->extent[d]);
    return true;
}

/* The decision -------------------------------------------------------------------------------------------------- */

static const char *decide(Walk *w, Expr *e, const Symbol *array, int d, const Form *at) {
    Form ext, zero = form_const(0), last;
    bool has_ext = element_extent(w, e, array, d, &ext);
    bool low = affine_at_least(&w->a, at, &zero), high = false;
    if (has_ext) {
        last = ext;
        last.c--;
        high = affine_at_least(&w->a, &last, at);
    }
    const char *why = NULL;
    if (low && high) e->index.proven |= 1u << d;
    else if (!w->on_host) why = reason(w, walk_text(w, e->index.at.at[d]->span), at, has_ext ? &ext : NULL, low, high);
    if (!low) affine_learn_at_least(&w->a, at, &zero, 0);
    if (has_ext && !high) affine_learn_at_least(&w->a, &ext, at, 1);
    return why;
}

/* The table ------------------------------------------------------------------------------------------------------- */

void walk_note(Walk *w, Access x) {
    if (w->on_host) return;
    x.n_guard = w->a.facts.n;
    x.guard = arena_array(w->s->arena, Form, x.n_guard + 1);
    if (x.n_guard) memcpy(x.guard, w->a.facts.at, sizeof *x.guard * (size_t)x.n_guard);
    x.always = x.always && !w->sometimes;
    vec_push(w->s->arena, &w->f->accesses, x);
}

static void note_element(Walk *w, Expr *e, Symbol *array, const Form *at, Access x) {
    x.array = array;
    x.expr = e;
    x.always = true;
    x.n = e->index.at.n;
    x.at = arena_array(w->s->arena, Form, x.n + 1);
    x.ext = arena_array(w->s->arena, Form, x.n + 1);
    for (int d = 0; d < x.n; d++) {
        x.at[d] = at[d];
        if (element_extent(w, e, array, d, &x.ext[d])) x.has_ext |= 1u << d;
    }
    walk_note(w, x);
}

void walk_at(Walk *w, const Expr *e, const Form *at) {
    const Expr *x = e->call.info->receiver;
    Access access = {.array = expr_array_symbol(x), .reads = true, .always = true, .n = e->call.args.n};
    if (!access.array || access.array->type->kind != TY_ARRAY || x->kind != EXPR_NAME) return;
    access.at = arena_array(w->s->arena, Form, access.n + 1);
    access.ext = arena_array(w->s->arena, Form, access.n + 1);
    for (int d = 0; d < access.n; d++) {
        access.at[d] = at[d];
        if (walk_extent(w, access.array, d, &access.ext[d])) access.has_ext |= 1u << d;
    }
    walk_note(w, access);
}

static void keep_slice(Walk *w, Expr *e, const Symbol *array) {
    CheckSite site = {.kind = CHECK_SLICE, .span = e->span, .rank = e->index.at.n};
    site.name = array ? array->name : "the array";
    site.text = walk_text(w, e->span);
    site.why = "the bounds of slices are always checked at run time";
    walk_check(w, CHECK_SLICE, e->span, e->span);
    e->index.site = walk_keep(w, site);
}

void walk_index(Walk *w, Expr *e, bool reads, bool writes, bool is_atomic) {
    Expr *base = e->index.base;
    Symbol *array = base->kind == EXPR_NAME ? base->name.sym : NULL;
    const Stmt *assign = w->assign;
    w->assign = NULL; /* of this element, not of elements in its indices */
    if (!array) walk_expr(w, base);
    Form at[MAX_RANK];
    bool is_slice = e->index.at.n > MAX_RANK;
    for (int d = 0; d < e->index.at.n; d++) {
        Form f = walk_expr(w, e->index.at.at[d]);
        is_slice = is_slice || e->index.at.at[d]->kind == EXPR_RANGE;
        if (d < MAX_RANK) at[d] = f;
    }
    if (w->quiet) return;
    if (is_slice) {
        keep_slice(w, e, array);
        return;
    }
    note_element(w, e, array, at, (Access){.assign = assign, .reads = reads, .writes = writes, .is_atomic = is_atomic});
    const char *why = NULL;
    unsigned all = (1u << e->index.at.n) - 1;
    e->index.proven = e->index.early = 0;
    for (int d = 0; d < e->index.at.n; d++) {
        const char *one = decide(w, e, array, d, &at[d]);
        if (!one) continue;
        if (e->index.at.n > 1) one = arena_printf(w->s->arena, "`%s`: %s", walk_text(w, e->index.at.at[d]->span), one);
        why = why ? arena_printf(w->s->arena, "%s; %s", why, one) : one;
    }
    walk_check(w, CHECK_INDEX, e->span, e->span);
    e->index.site = e->index.proven == all ? -1 : 0;
    if (e->index.proven == all || w->on_host || hoist_check(w, e, array, at, why)) return;
    CheckSite site = {.kind = CHECK_INDEX, .span = e->span, .rank = e->index.at.n, .why = why, .access = e};
    site.name = array ? array->name : expr_fixed_field(base) ? walk_text(w, base->span) : "the array";
    site.text = walk_text(w, e->span);
    e->index.site = walk_keep(w, site);
}

/* One function -------------------------------------------------------------------------------------------------- */

static void name_value(Walk *w, const Symbol *sym, const char *text, Wide lo, Wide hi) {
    Form f = form_atom(&w->a, (Atom){.kind = ATOM_NAMED, .lo = lo, .hi = hi, .text = text, .of = sym});
    walk_set(w, sym, &f);
}

/* A size that `_` binds has no name: in messages it is shape(x, d). */
static const char *size_words(const Walk *w, const Symbol *size) {
    for (int i = 0; i < w->f->shapes.n && size->name == w->s->underscore; i++)
        for (int d = 0; d < w->f->shapes.at[i].rank; d++)
            if (w->f->shapes.at[i].at[d].size == size)
                return arena_printf(w->s->arena, "shape(%s, %d)", w->f->params.at[i]->name, d);
    return size->name;
}

/* In groups, items past the end of the domain run, too: only `inside` bounds them. */
void walk_learn_inside(Walk *w) {
    for (int i = 0; w->domain_hi && i < w->f->domain.n; i++) {
        const Symbol *v = w->f->domain.at[i];
        if (w->known[v->id]) affine_learn_at_least(&w->a, &w->domain_hi[i], &w->now[v->id], 1);
    }
}

/* 0 <= position < extent */
static Form place(Walk *w, const Symbol *sym, Form *extent) {
    Form f = form_atom(&w->a, (Atom){.kind = ATOM_NAMED, .lo = 0, .hi = INT64_MAX, .text = sym->name, .of = sym});
    affine_learn_at_least(&w->a, extent, &f, 1);
    walk_set(w, sym, &f);
    return f;
}

/* The domain consists of whole groups: no item is past its end, as in `over i in 64 * m by 32`. */
static bool is_whole_groups(const Form *lo, const Form *hi, int64_t items) {
    Form gap;
    bool whole = form_add(&gap, hi, -1, lo) && gap.c % items == 0;
    for (int i = 0; whole && i < gap.n; i++) whole = gap.at[i].k % items == 0;
    return whole;
}

/* i is lo + step * (by * group + local), and the launch has checked that this cannot overflow. The first item of a
 * group is below hi: no group consists only of items past the end. */
static void bind_group(Walk *w, int d, const Form *lo, const Form *hi, const Form *step) {
    const Group *g = &w->f->group;
    Form most = form_const((Wide)1 << 62), by = form_const(g->by[d]), zero = form_const(0), first, at;
    Form count = form_atom(&w->a, (Atom){.kind = ATOM_NAMED, .lo = 1, .hi = INT64_MAX, .text = g->count[d]->name});
    walk_set(w, g->count[d], &count);
    Form group = place(w, g->at[d], &count), local = place(w, g->local[d], &by);
    const Symbol *sym = w->f->domain.at[d];
    bool known = form_is_const(step) && step->c > 0 && step->c <= INT32_MAX &&
                 form_add(&first, &zero, g->by[d] * (int64_t)step->c, &group) &&
                 form_add(&first, lo, 1, &first) && form_add(&at, &first, (int64_t)step->c, &local);
    if (known) {
        affine_learn_at_least(&w->a, hi, &first, 1);
        affine_learn_at_least(&w->a, &most, &at, 0);
        affine_learn_at_least(&w->a, &at, lo, 0);
        if (is_whole_groups(lo, hi, g->by[d] * (int64_t)step->c)) affine_learn_at_least(&w->a, hi, &at, 1);
    } else {
        at = form_atom(&w->a, (Atom){.kind = ATOM_NAMED, .lo = INT64_MIN, .hi = INT64_MAX, .text = sym->name});
    }
    walk_set(w, w->f->domain.at[d], &at);
}

static void bind_domain(Walk *w) {
    Func *f = w->f;
    const BinderList *over = &f->item->fn.over;
    bool groups = f->group.items > 0;
    if (groups) w->domain_hi = arena_array(w->s->arena, Form, f->domain.n + 1);
    w->quiet++; /* the host has checked the arithmetic of the bounds before the launch */
    for (int i = 0; i < f->domain.n; i++) {
        const Range *r = &over->at[i].range;
        Form lo = form_const(0), hi, step = form_const(1);
        if (r->lo) lo = walk_expr(w, r->lo);
        hi = walk_expr(w, r->hi);
        if (r->step) step = walk_expr(w, r->step);
        if (groups) {
            bind_group(w, i, &lo, &hi, &step);
            w->domain_hi[i] = hi;
        } else walk_bind(w, f->domain.at[i], &lo, &hi, &step);
    }
    w->quiet--;
}

/* `n - 1`: n is 1 or more. */
static void learn_extent(Walk *w, const Symbol *param, int d) {
    const Dim *dim = &param->dims[d];
    Form extent, zero = form_const(0);
    if (dim->kind == DIM_SUM && dim->value < 0 && walk_extent(w, param, d, &extent))
        affine_learn_at_least(&w->a, &extent, &zero, 0);
}

void walk_begin(Walk *w, Sema *s, Func *f) {
    *w = (Walk){.s = s, .f = f, .n = f->n_symbols};
    w->a.arena = s->arena;
    w->now = arena_array(s->arena, Form, w->n + 1);
    w->known = arena_array(s->arena, bool, w->n + 1);
    for (int i = 0; i < f->sizes.n; i++) {
        const Symbol *size = f->sizes.at[i];
        name_value(w, size, size_words(w, size), 0, most_of_size(f, size));
    }
    for (int i = 0; i < f->params.n; i++) {
        const Symbol *p = f->params.at[i];
        if (p->mode == REF_NONE && p->type->kind >= TY_I8 && p->type->kind <= TY_INDEX)
            name_value(w, p, p->name, type_least(p->type), type_most(p->type));
    }
    for (int i = 0; i < f->params.n; i++)
        for (int d = 0; d < f->shapes.at[i].rank; d++) learn_extent(w, f->params.at[i], d);
    columns_learn(w);
}

/* In a session a kernel may be interrupted in a loop of a function, which is reported as a failed check is. */
static bool may_be_interrupted(const Sema *s, const Func *f) {
    unsigned loops = 1u << STMT_FOR | 1u << STMT_WHILE;
    return s->options && s->options->is_session && !f->is_kernel && block_holds(f->item->fn.body, loops);
}

void access_check(Sema *s, Func *f) {
    if (!f->on_device || !f->item || !f->item->fn.body || f->facts->skip || f->facts->accessed) return;
    f->facts->accessed = true;
    for (int i = 0; i < f->facts->calls.n; i++) /* callees first: device functions do not recurse */
        access_check(s, f->facts->calls.at[i]->callee);
    Walk w;
    walk_begin(&w, s, f);
    if (f->is_kernel) {
        launched_learn(&w);
        bind_domain(&w);
    }
    if (f->is_kernel && f->domain.n == 1)
        hoist_begin(&w, &f->loop_checks, NULL, f->domain.at[0], &f->item->fn.over.at[0].range);
    walk_body(&w, f->item->fn.body);
    if (may_be_interrupted(s, f)) f->may_fail = f->may_assert = true;
    f->facts->atoms.at = w.a.atoms.at;
    f->facts->atoms.n = w.a.atoms.n;
}

/* A check that stays in a function also makes its callers able to fail. */
void access_spread(Sema *s) {
    bool changed = true;
    while (changed) { /* device functions do not recurse, so the number of iterations is the depth of calls */
        changed = false;
        for (int i = 0; i < s->program->funcs.n; i++) {
            Func *f = s->program->funcs.at[i];
            for (int k = 0; f->on_device && k < f->facts->calls.n; k++) {
                const CallSite *site = f->facts->calls.at[k];
                if (site->is_launch) continue;
                if (site->callee->may_fail && !f->may_fail) f->may_fail = changed = true;
                if (site->callee->may_assert && !f->may_assert) f->may_assert = changed = true;
            }
        }
    }
}
