/* check_array.c -- expressions that make an array: [e; n, m], [e for i in n], [a, b, c]. They are allowed only where
 * the array gets an owner: check_owned (check_assign.c) is the only caller, and passes the element type. */
#include "sema/check.h"

static Type *element_type(Sema *s, Expr **slot, Type *want) {
    Type *t = check_expr(s, slot);
    if (t->kind == TY_ARRAY) {
        Diag *d = diag(s->c, E0319, (*slot)->span, "there are no arrays of arrays; an array has up to four dimensions");
        diag_note(s->c, d, (*slot)->span, "write `[0.0; n, m]`, `[e for i in n, j in m]` or rows, `[[1, 2], [3, 4]]`");
        return bad(s, *slot);
    }
    if (own_refused(s, t, (*slot)->span, "an element of an array")) return bad(s, *slot);
    t = check_scalar(s, slot);
    if (is_bad(t)) return t;
    if (want) return coerce(s, slot, want, NULL) ? want : s->error;
    return settle(s, slot);
}

static bool rank_ok(Sema *s, Span span, int n) {
    if (n >= 1 && n <= MAX_RANK) return true;
    diag(s->c, E0324, span, n ? "an array has at most four dimensions, but this has %d" : "an array has a dimension",
         n);
    return false;
}

static bool check_not_negative(Sema *s, const Expr *extent) {
    Const v = extent->konst;
    if (v.kind != CONST_INT || v.i >= 0 || (extent->type->is_int && !extent->type->is_signed)) return true;
    Diag *d = diag(s->c, E0606, extent->span, "an extent cannot be negative, but this is %lld", (long long)v.i);
    wraps_explain(s, d, extent);
    return false;
}

static bool check_extent(Sema *s, Expr **slot) {
    check_scalar(s, slot);
    return to_index(s, slot, "an extent") && check_not_negative(s, *slot);
}

static Type *check_fill(Sema *s, Expr *e, Type *want) {
    Type *elem = element_type(s, &e->fill.value, want);
    bool ok = rank_ok(s, e->span, e->fill.extents.n);
    for (int i = 0; i < e->fill.extents.n; i++) ok = check_extent(s, &e->fill.extents.at[i]) && ok;
    return ok && !is_bad(elem) ? type_array(s->types, elem, e->fill.extents.n) : s->error;
}

static bool is_symbol(Expr *e, void *sym) { return e->kind == EXPR_NAME && e->name.sym == sym; }

/* An array is a box: the range of one index cannot depend on another. */
static bool check_independent(Sema *s, Expr *e, int n) {
    Binder *b = &e->comprehend.binders.at[n];
    Expr *parts[] = {b->range.lo, b->range.hi, b->range.step};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            Binder *outer = &e->comprehend.binders.at[i];
            Expr *use = outer->sym ? expr_find(parts[k], is_symbol, outer->sym) : NULL;
            if (!use) continue;
            Diag *d = diag(s->c, E0611, use->span, "the range of `%s` depends on `%s`, but all rows of an array have "
                                                   "the same length", b->name,
                           outer->name);
            note_declared(s, d, outer->sym);
            return false;
        }
    return true;
}

static Type *check_comprehension(Sema *s, Expr *e, Type *want) {
    BinderList *binders = &e->comprehend.binders;
    bool ok = rank_ok(s, e->span, binders->n);
    scope_enter(s);
    for (int i = 0; i < binders->n; i++) {
        Binder *b = &binders->at[i];
        Type *t = s->error;
        ok = check_binder(s, b, &t) && ok;
        if (range_is_extent(&b->range)) ok = check_not_negative(s, b->range.hi) && ok;
        ok = check_independent(s, e, i) && ok;
        b->sym = symbol_new(s, SYM_LOCAL, b->name, b->span, t);
        ok = scope_add(s, b->sym) && ok;
    }
    Type *elem = element_type(s, &e->comprehend.value, want);
    scope_leave(s);
    return ok && !is_bad(elem) ? type_array(s->types, elem, binders->n) : s->error;
}

/* The type that all elements have in common, where the context needs none. */
static Type *common_type(Sema *s, ExprList *items) {
    Type *common = s->error;
    for (int i = 0; i < items->n; i++) {
        Type *t = check_expr(s, &items->at[i]);
        if (t->kind == TY_ARRAY) return element_type(s, &items->at[i], NULL); /* says what is wrong */
        if (is_bad(check_scalar(s, &items->at[i]))) return s->error;
        Expr *first = items->at[0]; /* carries what those before agreed on */
        common = i ? unify(s, &first, &items->at[i], items->at[i]->span, "this list") : t;
        if (is_bad(common)) return common;
        items->at[0] = first;
    }
    common = settle(s, &items->at[0]);
    bool ok = !is_bad(common);
    for (int i = 1; i < items->n && ok; i++) ok = coerce(s, &items->at[i], common, NULL);
    return ok ? common : s->error;
}

typedef struct Rows {
    int64_t extent[MAX_RANK]; /* -1: no row of this depth so far */
    const Expr *first[MAX_RANK];
    int rank; /* 0: no element so far */
    ExprList elements;
} Rows;

static bool uneven_rows(Sema *s, const Expr *row, const Expr *first, int64_t needed) {
    int n = row->list.items.n;
    Diag *d = diag(s->c, E0611, row->span, "this row has %d element%s, but the first has %lld", n, n == 1 ? "" : "s",
                   (long long)needed);
    diag_note(s->c, d, first->span, "all rows of an array have the same length; this is the first");
    return false;
}

static bool mixed_rows(Sema *s, const Expr *e) {
    Diag *d = diag(s->c, E0319, e->span, "this list has rows and single elements, so it is not an array");
    diag_note(s->c, d, e->span, "write all rows as lists of the same length: `[[1, 2], [3, 4]]`");
    return false;
}

static bool collect_rows(Sema *s, Expr *e, int depth, Rows *r) {
    ExprList *items = &e->list.items;
    if (r->extent[depth] < 0) r->extent[depth] = items->n;
    if (!r->first[depth]) r->first[depth] = e;
    if (items->n != r->extent[depth]) return uneven_rows(s, e, r->first[depth], r->extent[depth]);
    for (int i = 0; i < items->n; i++) {
        Expr *item = items->at[i];
        bool is_row = item->kind == EXPR_LIST, has_deeper = depth + 1 < MAX_RANK && r->extent[depth + 1] >= 0;
        if (is_row ? r->rank && r->rank <= depth + 1 : has_deeper) return mixed_rows(s, item);
        if (is_row && depth + 1 == MAX_RANK) return rank_ok(s, item->span, MAX_RANK + 1);
        if (is_row && !collect_rows(s, item, depth + 1, r)) return false;
        if (is_row) continue;
        r->rank = depth + 1;
        vec_push(s->arena, &r->elements, item);
    }
    return true;
}

/* [[1, 2], [3, 4]]: the rows are joined, the last index counts fastest. */
static bool join_rows(Sema *s, Expr *e) {
    Rows r = {.extent = {-1, -1, -1, -1}};
    bool has_rows = e->list.items.n && e->list.items.at[0]->kind == EXPR_LIST;
    if (e->list.extent) return true; /* checked before */
    for (int i = 0; i < e->list.items.n && !has_rows; i++)
        if (e->list.items.at[i]->kind == EXPR_LIST) return mixed_rows(s, e->list.items.at[i]);
    if (!has_rows) return true;
    if (!collect_rows(s, e, 0, &r)) return false;
    int64_t *extent = arena_array(s->arena, int64_t, MAX_RANK + 1);
    for (int d = 0; d < MAX_RANK; d++) extent[d] = r.extent[d];
    extent[MAX_RANK] = -1;
    e->list.extent = extent;
    e->list.items = r.elements;
    return true;
}

int list_rank(const Expr *e) {
    int rank = 1;
    while (e->list.extent && e->list.extent[rank] >= 0) rank++;
    return rank;
}

int64_t list_extent(const Expr *e, int d) { return e->list.extent ? e->list.extent[d] : e->list.items.n; }

static Type *check_list(Sema *s, Expr *e, Type *want) {
    ExprList *items = &e->list.items;
    if (!join_rows(s, e)) return s->error;
    if (!items->n && !want) {
        Diag *d = diag(s->c, E0414, e->span, "cannot tell the element type of an empty list");
        diag_note(s->c, d, e->span, "declare the type: `let a: [f32; _] = [];`");
        return s->error;
    }
    Type *elem = want ? want : common_type(s, items);
    bool ok = !is_bad(elem);
    for (int i = 0; i < items->n && want; i++) ok = !is_bad(element_type(s, &items->at[i], want)) && ok;
    return ok ? type_array(s->types, elem, list_rank(e)) : s->error;
}

Type *check_array_literal(Sema *s, Expr *e, Type *want) {
    if (e != s->made_for) effect_add(s, EFFECT_HEAP, e->span, "creates an array");
    Type *t = s->error;
    if (e->kind == EXPR_FILL) t = check_fill(s, e, want);
    else if (e->kind == EXPR_COMPREHEND) t = check_comprehension(s, e, want);
    else if (e->kind == EXPR_LIST) t = check_list(s, e, want);
    if (t->kind == TY_ARRAY && t->elem->kind == TY_VOID) t = s->error;
    return e->type = t;
}
