/* array.c -- creation of arrays, and structs that own arrays, whose fields are variables of their own. */
#include <string.h>

#include "interp/run.h"

/* Making ------------------------------------------------------------------------------------------------------- */

static void fill(Frame *f, Expr *e, Array *to) {
    const Type *elem = e->type->elem;
    int64_t ext[MAX_RANK], n = type_size_bytes(elem);
    ROOM(v, n);
    interp_value_as(f, e->fill.value, elem, v);
    for (int d = 0; d < e->type->rank; d++) ext[d] = interp_index(f, e->fill.extents.at[d]);
    *to = interp_array_new(f, e->type, ext, e->span);
    for (int64_t i = interp_count(e->type, to); i-- > 0;) memcpy(to->data + i * n, v, (size_t)n);
}

static void list(Frame *f, Expr *e, Array *to) {
    int64_t n = type_size_bytes(e->type->elem), count = e->list.items.n, ext[MAX_RANK];
    for (int d = 0; d < e->type->rank; d++) ext[d] = list_extent(e, d);
    *to = interp_array_new(f, e->type, ext, e->span);
    for (int64_t i = 0; i < count; i++) interp_value_as(f, e->list.items.at[i], e->type->elem, to->data + i * n);
}

/* The bounds of all axes come first, then the memory, then the elements, the last axis fastest. */
static void comprehend(Frame *f, Expr *e, Array *to) {
    int rank = e->comprehend.binders.n;
    int64_t ext[MAX_RANK], n = type_size_bytes(e->type->elem);
    Axis axes[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        const Range *r = &e->comprehend.binders.at[d].range;
        axes[d] = interp_axis(f, r);
        ext[d] = range_is_extent(r) ? axes[d].width : axes[d].trips;
    }
    *to = interp_array_new(f, e->type, ext, e->span);
    int64_t count = interp_count(e->type, to);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (int d = rank; d-- > 0; rest /= ext[d]) {
            const Symbol *sym = e->comprehend.binders.at[d].sym;
            interp_store(sym->type, interp_declare(f, sym), const_int(interp_axis_at(&axes[d], rest % ext[d])));
        }
        interp_value_as(f, e->comprehend.value, e->type->elem, to->data + i * n);
    }
}

void interp_make_array(Frame *f, Expr *e, Array *to) {
    if (e->kind == EXPR_FILL) fill(f, e, to);
    else if (e->kind == EXPR_LIST) list(f, e, to);
    else comprehend(f, e, to);
}

/* A field gets a copy of the elements; a named array keeps its own. */
void interp_take_elements(Frame *f, Expr *e, const Type *fixed, void *to) {
    Array a = interp_array(f, e);
    memcpy(to, a.data, (size_t)(type_size_bytes(fixed)));
}

/* Structs that own arrays -------------------------------------------------------------------------------------- */

/* All of its fields together: moved out of the variable, or copied. */
void interp_gather(Frame *f, const Symbol *sym, bool copy, char *to, Span span) {
    for (int i = 0; i < sym->n_parts; i++) {
        const Symbol *part = sym->parts[i];
        char *field = to + interp_field_at(sym->type, i);
        if (part->parts) {
            interp_gather(f, part, copy, field, span);
            continue;
        }
        void *at = f->slots[part->id].at;
        memcpy(field, at, (size_t)interp_size(part->type));
        if (part->type->kind != TY_ARRAY) continue;
        if (copy) *(Array *)field = interp_array_copy(f, part->type, at, span);
        else ((Array *)at)->data = NULL;
    }
}

void interp_spread(Frame *f, const Symbol *sym, const char *from, bool declare) {
    for (int i = 0; i < sym->n_parts; i++) {
        const Symbol *part = sym->parts[i];
        const char *field = from + interp_field_at(sym->type, i);
        if (part->parts) {
            interp_spread(f, part, field, declare);
            continue;
        }
        void *at = declare ? interp_declare(f, part) : f->slots[part->id].at;
        if (!declare && part->type->kind == TY_ARRAY) interp_array_free(at);
        memcpy(at, field, (size_t)interp_size(part->type));
    }
}
