/* group.c -- kernels whose domain is divided into groups: `by`, the values `i.local`, `i.group`, `i.groups` and
 * `inside`, and `shared` arrays. These values are ordinary symbols, so later passes need no special case for them;
 * `i.local` is replaced by the name of its symbol. That all items of a group reach each barrier is checked in
 * barrier.c. */
#include <string.h>

#include "sema/check.h"

/* Limits of all GPUs of the last ten years; deep: along the first of three axes (CUDA C++ Programming Guide, compute
 * capabilities). */
enum { MAX_GROUP_ITEMS = 1024, MAX_GROUP_DEEP = 64, MAX_SHARED_BYTES = 48 << 10 };

/* In a function they are those of the kernels that it is inlined in. */
bool joins_groups(Sema *s, Span at, const char *what) {
    return (s->func && group_is_inlined(s->func)) || needs_groups(s, at, what);
}

bool needs_groups(Sema *s, Span at, const char *what) {
    if (s->func && s->func->group.items) return true;
    if (!s->func || !s->func->is_kernel) {
        Diag *d = diag(s->c, E0522, at, "%s is only available in kernels with groups, not in functions", what);
        diag_note(s->c, d, at, "pass the values that it needs as arguments");
        return false;
    }
    Diag *d = diag(s->c, E0522, at, "%s needs groups, but the domain of `%s` has none", what, s->func->name);
    if (!s->func->domain.n) return false;
    const Binder *last = &s->func->item->fn.over.at[s->func->domain.n - 1];
    fix_insert(s, d, last->range.span.hi, " by 64", "add the size of the groups");
    return false;
}

/* by -------------------------------------------------------------------------------------------------------------- */

static int64_t read_by(Sema *s, Binder *b) {
    if (!b->by) return 1;
    check_scalar(s, &b->by);
    if (!to_index(s, &b->by, "the extent of a group")) return 1;
    Const v = b->by->konst;
    if (v.kind == CONST_INT && v.i >= 1 && v.i <= MAX_GROUP_ITEMS) return v.i;
    if (v.kind == CONST_INT)
        diag(s->c, E0521, b->by->span, "a group has 1 to %d work items along an axis, not %lld", MAX_GROUP_ITEMS,
             (long long)v.i);
    else
        diag(s->c, E0521, b->by->span, "the extent of a group must be a constant, but `%s` is not",
             source_text(s, b->by->span));
    return 1;
}

static Symbol *group_value(Sema *s, const Symbol *axis, const char *field, Type *t) {
    Name name = axis ? name_of(&s->c->names, arena_printf(s->arena, "%s.%s", axis->name, field))
                     : name_of(&s->c->names, field);
    Symbol *sym = symbol_new(s, SYM_LOCAL, name, axis ? axis->span : s->func->name_span, t);
    sym->is_group_value = true;
    sym->dim = axis ? axis->dim : -1;
    return sym;
}

/* The last group may extend past the range of a narrow type, so all positions in groups have type `index`. */
void group_range(Sema *s, Range *r, Type **type) {
    Expr **parts[3] = {&r->lo, &r->hi, &r->step};
    for (int i = 0; i < 3; i++)
        if (*parts[i]) to_index(s, parts[i], "a bound");
    r->type = *type = s->index;
}

/* Once the variable is there. */
void group_axis(Sema *s, Func *f, Binder *b, const Symbol *axis) {
    Group *g = &f->group;
    int d = axis->dim;
    if (d >= 3) return;
    g->by[d] = read_by(s, b);
    g->items *= g->by[d];
    g->local[d] = group_value(s, axis, "local", s->index);
    g->at[d] = group_value(s, axis, "group", s->index);
    g->count[d] = group_value(s, axis, "groups", s->index);
}

void group_done(Sema *s, Func *f) {
    Group *g = &f->group;
    const BinderList *over = &f->item->fn.over;
    g->inside = group_value(s, NULL, "inside", s->boolean);
    if (!scope_find(s, g->inside->name)) scope_add(s, g->inside);
    if (over->n == 3 && g->by[0] > MAX_GROUP_DEEP && g->items <= MAX_GROUP_ITEMS)
        diag(s->c, E0521, over->at[0].by->span, "along the first of three axes a group has up to %d work items, not "
                                                "%lld",
             MAX_GROUP_DEEP, (long long)g->by[0]);
    if (g->items <= MAX_GROUP_ITEMS) return;
    diag(s->c, E0521, (Span){over->at[0].span.lo, over->at[over->n - 1].range.span.hi},
         "a group has up to %d work items, but this has %lld", MAX_GROUP_ITEMS, (long long)g->items);
}

/* i.local ---------------------------------------------------------------------------------------------------------- */

Type *check_group_field(Sema *s, Expr *e) {
    const Symbol *axis = e->field.base->name.sym;
    const char *field = e->field.name, *whole = arena_printf(s->arena, "`%s.%s`", axis->name, field);
    bool local = !strcmp(field, "local"), at = !strcmp(field, "group"), count = !strcmp(field, "groups");
    if (!local && !at && !count) {
        Diag *d = diag(s->c, E0318, e->field.name_span, "`%s` has no `%s`", axis->name, field);
        diag_note(s->c, d, e->field.name_span,
                  "with groups (`by`), it has `%s.local`, `%s.group` and `%s.groups`", axis->name,
                  axis->name, axis->name);
        return bad(s, e);
    }
    const Group *g = &s->func->group;
    if (!needs_groups(s, e->span, whole)) return bad(s, e);
    Symbol *sym = local ? g->local[axis->dim] : at ? g->at[axis->dim] : g->count[axis->dim];
    if (!sym) { /* in the domain itself, which is what decides about groups */
        diag(s->c, E0507, e->span, "a domain can only use parameters, sizes and constants, not %s", whole);
        return bad(s, e);
    }
    e->kind = EXPR_NAME;
    e->name.name = sym->name;
    e->name.sym = sym;
    sym->used = true;
    return e->type = sym->type;
}

/* shared ----------------------------------------------------------------------------------------------------------- */

static bool shared_extents(Sema *s, const Stmt *st, const Dim *dims, int rank) {
    for (int d = 0; d < rank; d++) {
        if (dims[d].kind == DIM_CONST && dims[d].value > 0) continue;
        Expr *e = st->shared.type->array.extents.at[d];
        if (is_bad(e->type)) return false;
        if (dims[d].kind == DIM_CONST)
            diag(s->c, E0523, e->span, "an extent of `%s` must be at least 1, but this is %lld", st->shared.name,
                 (long long)dims[d].value);
        else
            diag(s->c, E0523, e->span, "the extents of a `shared` array must be constants, but `%s` is not",
                 source_text(s, e->span));
        return false;
    }
    return true;
}

static Type *shared_type(Sema *s, const Stmt *st, Dim dims[MAX_RANK]) {
    TypeExpr *te = st->shared.type;
    if (te->kind == TE_REF || te->kind == TE_ERROR) return local_type(s, te, dims);
    Type *t = te->kind == TE_ARRAY ? local_type(s, te, dims) : scalar_type(s, te);
    if (is_bad(t)) return t;
    if (t->kind != TY_ARRAY) {
        Diag *d = diag(s->c, E0523, te->span, "`shared` is for arrays, but `%s` is not an array", type_name(s->c, t));
        diag_fix(s->c, d, te->span, arena_printf(s->arena, "[%s; 1]", type_name(s->c, t)),
                 "use an array of one element");
        return s->error;
    }
    if (t->elem->kind == TY_STR) {
        diag(s->c, E0523, te->array.elem->span, "text is only available on the host; a `shared` array cannot contain "
                                                "it");
        return s->error;
    }
    return shared_extents(s, st, dims, t->rank) ? t : s->error;
}

/* Rounded up, so that each array starts at a cache line. */
static int64_t shared_size(const Type *t, const Dim *dims) {
    int64_t bytes = type_size_bytes(t->elem);
    for (int d = 0; d < t->rank; d++)
        bytes = dims[d].value > MAX_SHARED_BYTES ? MAX_SHARED_BYTES + 1 : bytes * dims[d].value;
    return bytes;
}

static void count_shared(Sema *s, Symbol *sym, Span at) {
    Group *g = &s->func->group;
    int64_t before = g->shared_bytes;
    int64_t bytes = shared_size(sym->type, sym->dims);
    g->shared_bytes += bytes;
    vec_push(s->arena, &g->shared, sym);
    if (g->shared_bytes <= MAX_SHARED_BYTES || before > MAX_SHARED_BYTES) return;
    Diag *d = diag(s->c, E0524, at, "the `shared` arrays of `%s` need more than the %d KiB that a group has",
                   s->func->name, MAX_SHARED_BYTES >> 10);
    for (int i = 0; i < g->shared.n; i++) {
        const Symbol *one = g->shared.at[i];
        int64_t size = shared_size(one->type, one->dims);
        diag_note(s->c, d, one->span, "`%s` needs %lld bytes%s", one->name, (long long)size,
                  size > MAX_SHARED_BYTES ? " or more" : "");
    }
}

void check_shared(Sema *s, Stmt *st) {
    Dim dims[MAX_RANK] = {0};
    Type *t = joins_groups(s, st->span, "`shared`") ? shared_type(s, st, dims) : s->error;
    Symbol *sym = st->shared.sym = symbol_new(s, SYM_LOCAL, st->shared.name, st->shared.name_span, t);
    sym->is_mutable = sym->used = sym->is_shared = true;
    sym->keyword = (Span){st->span.lo, st->span.lo + 6};
    scope_add(s, sym);
    if (is_bad(t)) return;
    for (int d = 0; d < t->rank; d++) sym->dims[d] = dims[d];
    count_shared(s, sym, st->span);
}
