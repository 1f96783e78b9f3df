/* launch_bounds.c -- indices that are certainly out of bounds in a launch: where the program launches a kernel with
 * known integers (launch_values.c), the greatest and the least index of each access that every work item makes are
 * numbers, and so is the extent of the array. Kernels with groups are past_end.c's. */
#include <ctype.h>
#include <string.h>

#include "sema/analysis/evaluate.h"
#include "sema/check.h"

typedef struct Launched {
    Sema *s;
    const Func *f;
    const LaunchSample *sample;
    Wide first[3], last[3]; /* of the domain's variables */
} Launched;

static int64_t value_of(const Launched *l, const Symbol *sym) {
    for (int i = 0; i < l->f->sizes.n; i++)
        if (l->f->sizes.at[i] == sym) return l->sample->value[i];
    for (int i = 0; i < l->f->params.n; i++)
        if (l->f->params.at[i] == sym && sym->mode == REF_NONE) return l->sample->value[l->f->sizes.n + i];
    return LAUNCH_OPEN;
}

/* The extent that `len(x)` or `shape(x, d)` of a parameter is; or NULL. */
static const Extent *extent_there(const Func *f, const Expr *e) {
    bool is_len = expr_is_builtin(e, BUILTIN_LEN), is_shape = expr_is_builtin(e, BUILTIN_SHAPE);
    const Expr *x = is_len || is_shape ? e->call.args.at[0].value : NULL;
    if (!x || x->kind != EXPR_NAME || (is_shape && e->call.args.at[1].value->konst.kind != CONST_INT)) return NULL;
    int64_t d = is_shape ? e->call.args.at[1].value->konst.i : 0;
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i] == x->name.sym && d < f->shapes.at[i].rank && (is_shape || f->shapes.at[i].rank == 1))
            return &f->shapes.at[i].at[d];
    return NULL;
}

static Const value_there(const Expr *e, void *context) {
    const Launched *l = context;
    const Extent *extent = extent_there(l->f, e);
    const Symbol *sym = extent ? extent->size : e->kind == EXPR_NAME ? e->name.sym : NULL;
    int64_t v = sym ? value_of(l, sym) : LAUNCH_OPEN;
    return v == LAUNCH_OPEN ? (Const){0} : const_int(v + (extent ? extent->value : 0));
}

/* False: the domain is empty, or not known. */
static bool find_domain(Launched *l) {
    const int64_t far = INT64_C(1) << 56;
    const BinderList *over = &l->f->item->fn.over;
    for (int d = 0; d < l->f->domain.n; d++) {
        const Range *r = &over->at[d].range;
        Const lo = r->lo ? evaluate_expr(r->lo, value_there, l) : const_int(0);
        Const hi = evaluate_expr(r->hi, value_there, l);
        Const step = r->step ? evaluate_expr(r->step, value_there, l) : const_int(1);
        bool known = lo.kind == CONST_INT && hi.kind == CONST_INT && step.kind == CONST_INT && step.i > 0;
        if (!known || lo.i < -far || hi.i > far || hi.i <= lo.i) return false;
        l->first[d] = lo.i;
        l->last[d] = lo.i + (hi.i - 1 - lo.i) / step.i * step.i;
    }
    return l->f->domain.n > 0;
}

/* The size that is the upper bound, `n` or `len(x)`; or NULL. */
static const Symbol *size_of_bound(const Func *f, const Expr *hi) {
    while (hi->kind == EXPR_CONVERT) hi = hi->convert.operand;
    const Extent *extent = extent_there(f, hi);
    if (extent) return extent->value ? NULL : extent->size;
    return hi->kind == EXPR_NAME ? hi->name.sym : NULL;
}

/* The greatest or least value among all work items. False: not known. */
static bool extreme_of(const Launched *l, const Form *form, bool is_greatest, Wide *out) {
    *out = form->c;
    for (int i = 0; i < form->n; i++) {
        const Symbol *sym = l->f->facts->atoms.at[form->at[i].atom].of;
        int64_t v = sym ? value_of(l, sym) : LAUNCH_OPEN;
        Wide value = v;
        for (int d = 0; d < l->f->domain.n && v == LAUNCH_OPEN; d++) {
            if (l->f->domain.at[d] != sym) continue;
            value = (form->at[i].k > 0) == is_greatest ? l->last[d] : l->first[d];
            v = 0;
        }
        if (v == LAUNCH_OPEN) return false;
        *out += form->at[i].k * value;
    }
    return true;
}

/* The dimension in which the access is out of bounds for some work item, or -1. */
static int dimension_of(const Launched *l, const Access *x, Wide *index, Wide *extent) {
    for (int d = 0; d < x->n; d++) {
        if (!(x->has_ext >> d & 1) || !extreme_of(l, &x->ext[d], true, extent)) continue;
        if (extreme_of(l, &x->at[d], true, index) && *index >= *extent) return d;
        if (extreme_of(l, &x->at[d], false, index) && *index < 0) return d;
    }
    return -1;
}

/* Of the index itself, perhaps: W0502. */
static bool is_said(const Sema *s, Span at) {
    for (int i = 0; i < s->c->diags.list.n; i++)
        if (s->c->diags.list.at[i]->span.lo >= at.lo && s->c->diags.list.at[i]->span.lo < at.hi) return true;
    return false;
}

/* "n = 10, m = 8" */
static const char *sizes_text(const Launched *l) {
    const char *text = "";
    for (int i = 0; i < l->f->sizes.n; i++) {
        const Symbol *size = l->f->sizes.at[i];
        if (l->sample->value[i] == LAUNCH_OPEN || size->name == l->s->underscore) continue;
        text = arena_printf(l->s->arena, "%s%s%s = %lld", text, *text ? ", " : "", size->name,
                            (long long)l->sample->value[i]);
    }
    return text;
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* `text` with `to` for each word `from`. */
static const char *exchanged(Sema *s, const char *text, const char *from, const char *to) {
    const char *out = "";
    size_t n = strlen(from);
    for (const char *at = text; *at;) {
        size_t k = 0;
        while (in_word(at[k])) k++;
        bool is_it = k == n && !memcmp(at, from, n);
        if (!k) k = 1;
        out = is_it ? arena_printf(s->arena, "%s%s", out, to) : arena_printf(s->arena, "%s%.*s", out, (int)k, at);
        at += k;
    }
    return out;
}

/* The index is below the size `n` of the domain, and the extent is another size: perhaps both are meant to be one. */
static bool propose_size(Launched *l, Diag *d, const Access *x, int dim) {
    const Atom *atoms = l->f->facts->atoms.at;
    const Form *at = &x->at[dim], *ext = &x->ext[dim];
    if (at->n != 1 || at->c || at->at[0].k != 1 || ext->n != 1 || ext->c || ext->at[0].k != 1) return false;
    const Symbol *v = atoms[at->at[0].atom].of, *m = atoms[ext->at[0].atom].of, *n = NULL;
    for (int i = 0; i < l->f->domain.n; i++)
        if (l->f->domain.at[i] == v) n = size_of_bound(l->f, l->f->item->fn.over.at[i].range.hi);
    bool differ = n && m && n != m && n->kind == SYM_SIZE && m->kind == SYM_SIZE && m->name != l->s->underscore;
    if (!differ || x->array->kind != SYM_PARAM) return false;
    for (int i = 0; i < l->f->params.n; i++) {
        if (l->f->params.at[i] != x->array) continue;
        const char *type = source_text(l->s, l->f->item->fn.params.at[i].type->span);
        diag_note(l->s->c, d, x->array->span,
                  "`%s` and `%s` are two sizes; where they must be equal, declare `%s: %s`, and every launch is "
                  "checked",
                  n->name, m->name, x->array->name, exchanged(l->s, type, m->name, n->name));
        return true;
    }
    return false;
}

static void say(Launched *l, const Access *x, int dim, Wide index, Wide extent) {
    Sema *s = l->s;
    const Expr *site = x->call ? x->call : x->expr;
    const char *array = x->array->name;
    long long n = (long long)extent;
    const char *size = x->n == 1 ? arena_printf(s->arena, "`%s` has %lld element%s", array, n, n == 1 ? "" : "s")
                                 : arena_printf(s->arena, "dimension %d of `%s` is %lld", dim, array, n);
    const char *what = arena_printf(s->arena, x->call ? "this call accesses `%s`" : "`%s` is",
                                    x->call ? array : source_text(s, site->span));
    Diag *d = diag(s->c, W0507, site->span, "%s out of bounds in a launch: it reaches index %lld, but %s", what,
                   (long long)index, size);
    const char *sizes = sizes_text(l);
    diag_note(s->c, d, l->sample->at, "`%s` is launched here%s%s", l->f->name, *sizes ? ", with " : "", sizes);
    if (!propose_size(l, d, x, dim))
        diag_note(s->c, d, site->span, "shorten the domain, test the index first, or read with `%s.at(...)`", array);
}

void launch_bounds_check(Sema *s, Func *f) {
    if (!f->is_kernel || f->group.items || !f->item->fn.body || f->facts->skip || !f->facts->values) return;
    for (int k = 0; k < f->facts->values->at.n; k++) {
        Launched l = {.s = s, .f = f, .sample = &f->facts->values->at.at[k]};
        for (int i = 0; l.sample->is_sure && find_domain(&l) && i < f->accesses.n; i++) {
            const Access *x = &f->accesses.at[i];
            Wide index, extent;
            int dim = x->always && x->expr && x->array && !x->array->is_shared ? dimension_of(&l, x, &index, &extent)
                                                                              : -1;
            if (dim < 0 || is_said(s, (x->call ? x->call : x->expr)->span)) continue;
            say(&l, x, dim, index, extent);
            return;
        }
    }
}
