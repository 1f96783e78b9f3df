/* elements.c -- value numbering of elements: those of an array that is passed by `&` do not change, so two with the
 * same indices are one value, as the two of `for e in first[i]..first[i] + 8 { ... e - first[i] ... }`. */
#include "sema/access.h"

static bool is_same_form(const Form *a, const Form *b) {
    bool same = a->n == b->n && a->c == b->c;
    for (int i = 0; same && i < a->n; i++) same = a->at[i].atom == b->at[i].atom && a->at[i].k == b->at[i].k;
    return same;
}

/* NULL: not one of these */
static Form *known_element(Walk *w, Expr *e) {
    const Symbol *array = e->index.base->kind == EXPR_NAME ? e->index.base->name.sym : NULL;
    if (!array || array->kind != SYM_PARAM || array->mode != REF_IN || array->type->kind != TY_ARRAY) return NULL;
    if (!type_is_integer(e->type) || e->index.at.n != array->type->rank) return NULL;
    KnownElement one = {.array = array};
    w->quiet++;
    for (int d = 0; d < e->index.at.n; d++) one.at[d] = walk_expr(w, e->index.at.at[d]);
    w->quiet--;
    for (int i = 0; i < w->elements.n; i++) {
        KnownElement *other = &w->elements.at[i];
        bool same = other->array == array;
        for (int d = 0; same && d < e->index.at.n; d++) same = is_same_form(&one.at[d], &other->at[d]);
        if (same) return &other->value;
    }
    if (w->elements.n == MAX_ELEMENTS) return NULL;
    one.value = walk_unknown(w, ATOM_LOADED, e);
    vec_push(w->s->arena, &w->elements, one);
    return &w->elements.at[w->elements.n - 1].value;
}

Form walk_element(Walk *w, Expr *e) {
    const Form *known = known_element(w, e);
    if (known) return *known;
    Form f = walk_unknown(w, ATOM_LOADED, e);
    const ConstArray *a = const_array_of(e);
    if (a) affine_limit(&w->a, &f, a->least, a->greatest);
    return f;
}
