/* assume.c -- what the author of a kernel knows of an array and says in its head. No element twice, or in order: only
 * the race analysis believes it; a run with --check=race records the accesses that it is said of. Every element of an
 * `&out` array is written: the array is not copied to the device; runs with --check=init test it after each launch. */
#include <string.h>

#include "sema/check.h"

static const char *const words[] = {
    [ASSUME_DISTINCT] = "distinct", [ASSUME_SORTED] = "sorted", [ASSUME_WRITTEN] = "written"};

static const Symbol *array_of(const Func *f, const Assumption *a) {
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i]->name && !strcmp(f->params.at[i]->name, a->array)) return f->params.at[i];
    return NULL;
}

static void check_written(Sema *s, const Assumption *a, const Symbol *p) {
    if (p && p->mode == REF_OUT && p->type->kind == TY_ARRAY) return;
    Diag *d = diag(s->c, E0532, a->array_span, "`%s` is not an `&out` array of the kernel", a->array);
    if (p) note_declared(s, d, p);
}

static void check_one(Sema *s, const Func *f, const Assumption *a) {
    int what = 0;
    while (what < ASSUME__COUNT && strcmp(words[what], a->word)) what++;
    if (what == ASSUME__COUNT) {
        diag(s->c, E0532, a->span, "a kernel cannot assume `%s`: use `distinct` (no two elements are equal), `sorted` "
                                   "(no element is less than the one before it) or `written` (every element is)",
             a->word);
        return;
    }
    const Symbol *p = array_of(f, a);
    if (p && is_bad(p->type)) return;
    if (what == ASSUME_WRITTEN) {
        check_written(s, a, p);
        return;
    }
    bool is_read = p && p->mode == REF_IN && p->type->kind == TY_ARRAY;
    if (!is_read) {
        Diag *d = diag(s->c, E0532, a->array_span, "`%s` is not an array that the kernel only reads", a->array);
        if (p) note_declared(s, d, p);
        return;
    }
    if (!p->type->elem->is_int)
        diag(s->c, E0532, a->array_span, "`%s(%s)` needs integers, not `%s`", a->word, a->array, p->type->elem->name);
    else if (what == ASSUME_SORTED && p->type->rank > 1)
        diag(s->c, E0532, a->array_span, "`sorted(%s)` needs an array with one axis", a->array);
}

void check_assumptions(Sema *s, const Func *f) {
    for (int i = 0; i < f->item->fn.assumes.n; i++) check_one(s, f, &f->item->fn.assumes.at[i]);
}

static Span assumed_at(const Func *f, const Symbol *array, Assume what) {
    bool is_param = array->kind == SYM_PARAM && f->is_kernel;
    for (int i = 0; is_param && i < f->item->fn.assumes.n; i++) {
        const Assumption *a = &f->item->fn.assumes.at[i];
        if (!strcmp(a->word, words[what]) && !strcmp(a->array, array->name)) return a->span;
    }
    return (Span){0};
}

bool is_assumed(const Func *f, const Symbol *array, Assume what) { return assumed_at(f, array, what).hi != 0; }

Span symbol_assumed_written(const Symbol *sym) { return assumed_at(sym->func, sym, ASSUME_WRITTEN); }
