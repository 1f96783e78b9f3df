/* place.c -- addresses (lvalues): variables, elements with their bounds checks, fields, arrays and slices. */
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

/* Names of what is checked ------------------------------------------------------------------------------------- */

const char *interp_array_name(Frame *f, const Expr *e) {
    if (e->kind == EXPR_NAME) return e->name.sym->name;
    if (e->kind == EXPR_INDEX && expr_is_slice(e)) return interp_array_name(f, e->index.base);
    if (e->kind != EXPR_FIELD) return expr_made_name(&f->run->c->arena, e);
    const Expr *base = e->field.base;
    bool has_name = base->kind == EXPR_NAME || base->kind == EXPR_FIELD;
    const char *of = has_name ? interp_array_name(f, base) : "the struct";
    return arena_printf(&f->run->c->arena, "%s.%s", of, e->field.name);
}

/* Checks ------------------------------------------------------------------------------------------------------- */

static bool is_proven(Frame *f, const Expr *e, int d) {
    const CheckSite *site = e->index.site > 0 ? &f->run->program->sites.at[e->index.site - 1] : NULL;
    return e->index.proven >> d & 1 || (f->item && site && site->is_needless);
}

static FailedArray failed_array(Frame *f, const Expr *e, const Array *a) {
    const Type *t = e->index.base->type;
    const CheckSite *site = f->item && e->index.site > 0 ? &f->run->program->sites.at[e->index.site - 1] : NULL;
    return (FailedArray){site && site->name ? site->name : interp_array_name(f, e->index.base),
                         interp_shape_text(f, t, a->ext), t->rank, a->ext};
}

static void check_index(Frame *f, const Expr *e, const Array *a, int64_t at, int d, Span span) {
    if ((uint64_t)at < (uint64_t)a->ext[d]) return;
    if (is_proven(f, e, d)) interp_was_proven(f, span, "an index is out of bounds");
    if (f->run->options.unchecked) interp_unsupported(f, span, "this index is out of bounds");
    char text[FAILURE_BYTES];
    const FailedArray failed = failed_array(f, e, a);
    interp_fail(f, span, "%s", failure_index(text, &failed, at, d));
}

static void check_slice(Frame *f, const Expr *e, const Array *a, int64_t lo, int64_t hi, int d) {
    Span span = (f->item ? e : e->index.at.at[d])->span; /* a kernel's report names the whole */
    if (lo >= 0 && lo <= hi && hi <= a->ext[d]) return;
    if (f->run->options.unchecked) interp_unsupported(f, span, "this slice is out of bounds");
    char text[FAILURE_BYTES];
    const FailedArray failed = failed_array(f, e, a);
    interp_fail(f, span, "%s", failure_slice(text, &failed, lo, hi, d));
}

/* Arrays ------------------------------------------------------------------------------------------------------- */

typedef struct ConstTable {
    const ConstArray *of;
    Array array;
    struct ConstTable *next;
} ConstTable;

static Array *constant(Frame *f, const ConstArray *a) {
    for (ConstTable *t = f->run->constants; t; t = t->next)
        if (t->of == a) return &t->array;
    const Type *elem = a->sym->type->elem;
    ConstTable *t = malloc(sizeof *t);
    char *data = malloc((size_t)(a->n + 1) * (size_t)type_size_bytes(elem));
    if (!t || !data) abort();
    *t = (ConstTable){a, {.data = data}, f->run->constants};
    for (int64_t i = 0; i < a->n; i++) interp_store(elem, data + i * type_size_bytes(elem), a->at[i]);
    memcpy(t->array.ext, a->extent, sizeof t->array.ext);
    return &(f->run->constants = t)->array;
}

Array *interp_array_place(Frame *f, Expr *e) {
    if (e->kind != EXPR_NAME) return NULL;
    const Symbol *sym = e->name.sym;
    return sym->table ? constant(f, sym->table) : (Array *)f->slots[sym->id].at;
}

static Array field_array(Frame *f, Expr *e) {
    const Type *t = expr_fixed_field(e);
    Array a = {.data = interp_address(f, e)};
    memcpy(a.ext, t->extent, sizeof a.ext);
    return a;
}

/* Freed when the statement ends. */
static char *keep(Frame *f, char *data) {
    Made *m = malloc(sizeof *m);
    if (!m || !data) abort();
    *m = (Made){f->made, data};
    f->made = m;
    return data;
}

static Array made(Frame *f, Expr *e) {
    Array a;
    interp_value(f, e, &a);
    keep(f, a.data);
    return a;
}

/* A value without an address is stored in a temporary: f(x).w[1]. */
static char *room_for_value(Frame *f, Expr *e) {
    char *room = keep(f, malloc((size_t)interp_size(e->type)));
    interp_value(f, e, room);
    return room;
}

Array interp_array(Frame *f, Expr *e) {
    if (expr_fixed_field(e)) return field_array(f, e);
    if (e->kind == EXPR_INDEX && expr_is_slice(e)) {
        Bounds b;
        interp_bounds(f, e, &b);
        return interp_slice(f, e, &b);
    }
    if (e->kind != EXPR_NAME) return made(f, e);
    Array *a = interp_array_place(f, e);
    if (!a || !a->data) ice(f->run->c, e->span, "`%s` has no array here: it was moved", e->name.name);
    return *a;
}

void interp_bounds(Frame *f, Expr *e, Bounds *b) {
    for (int d = 0; d < e->index.at.n; d++) {
        Expr *at = e->index.at.at[d], *lo = at, *hi = NULL;
        Expr *column = at->kind == EXPR_RANGE ? at->range.range.column : NULL;
        if (at->kind == EXPR_RANGE) lo = at->range.range.lo, hi = at->range.range.hi;
        b->has_lo[d] = lo != NULL;
        b->has_hi[d] = hi != NULL;
        if (lo) b->lo[d] = interp_index(f, lo);
        if (hi) b->hi[d] = interp_index(f, hi);
        b->has_column[d] = column != NULL;
        if (column) b->column[d] = interp_index(f, column);
    }
}

Array interp_slice(Frame *f, Expr *e, const Bounds *b) {
    Array a = interp_array(f, e->index.base), s = {0};
    const Type *t = e->index.base->type;
    int64_t offset = 0;
    int n = 0;
    for (int d = 0; d < t->rank; d++) {
        int64_t lo = b->has_lo[d] ? b->lo[d] : 0, hi = b->has_hi[d] ? b->hi[d] : a.ext[d];
        bool ranged = e->index.at.at[d]->kind == EXPR_RANGE;
        if (ranged) check_slice(f, e, &a, lo, hi, d);
        else check_index(f, e, &a, lo, d, (f->item ? e : e->index.at.at[d])->span);
        if (b->has_column[d]) check_index(f, e, &a, b->column[d], d, (f->item ? e : e->index.at.at[d])->span);
        if (ranged) s.ext[n++] = hi - lo;
        offset = offset * a.ext[d] + lo;
    }
    for (int d = 1; e->index.is_flat && d < n; d++) s.ext[0] *= s.ext[d];
    s.data = a.data + offset * type_size_bytes(t->elem);
    return s;
}

int64_t interp_offset(const Type *array, const Array *a, const int64_t *at) {
    int64_t offset = 0;
    for (int d = 0; d < array->rank; d++) offset = offset * a->ext[d] + at[d];
    return offset;
}

/* Places ------------------------------------------------------------------------------------------------------- */

/* The indices first: a call in one of them may reallocate the array. */
static void *element(Frame *f, Expr *e) {
    const Type *t = e->index.base->type;
    int64_t at[MAX_RANK];
    for (int d = 0; d < t->rank; d++) at[d] = interp_index(f, e->index.at.at[d]);
    Array a = interp_array(f, e->index.base);
    for (int d = 0; d < t->rank; d++) check_index(f, e, &a, at[d], d, e->span);
    return a.data + interp_offset(t, &a, at) * type_size_bytes(t->elem);
}

bool interp_has_place(const Expr *e) {
    if (e->kind == EXPR_FIELD) return e->field.n_at == 1 && interp_has_place(e->field.base);
    if (e->kind == EXPR_NAME) return e->name.sym->kind != SYM_CONST;
    return e->kind == EXPR_INDEX;
}

void *interp_address(Frame *f, Expr *e) {
    if (e->kind == EXPR_INDEX) return element(f, e);
    if (e->kind == EXPR_NAME) {
        void *at = f->slots[e->name.sym->id].at;
        if (!at) ice(f->run->c, e->span, "`%s` is used where it is not declared", e->name.name);
        return at;
    }
    if (e->kind != EXPR_FIELD) return room_for_value(f, e);
    const Type *whole = e->field.base->type;
    int64_t part = whole->kind == TY_VECTOR ? e->field.at[0] * type_size_bytes(whole->elem)
                                            : interp_field_at(whole, e->field.at[0]);
    return (char *)interp_address(f, e->field.base) + part;
}
