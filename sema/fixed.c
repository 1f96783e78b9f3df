/* fixed.c -- allocation of arrays of constant extents in stack frames. A variable that holds a small one needs no heap
 * memory: the array lives in the frame of its function, and in registers where the loops over it are unrolled, so
 * kernels may use such arrays. This file decides which arrays are in frames: those that are made where they are
 * declared, and neither moved away nor replaced by another array's memory. Assignments of a new array of the same
 * extents, and swaps of two of them, then copy the elements. All other arrays are allocated on the heap, which is an
 * effect (EFFECT_HEAP). Fields of structs with constant extents are here, too. */
#include "sema/check.h"

enum { MAX_FIXED_BYTES = 16384, MAX_FIXED_BYTES_OF_FN = 4096 }; /* functions may recurse */

static FrameFacts *row_of(const Symbol *sym) { return &sym->func->frames.at[sym->id]; }

const FrameFacts *frame_facts(const Symbol *sym) {
    static const FrameFacts none;
    return sym->id < 0 ? &none : row_of(sym);
}

static int64_t most_bytes(const Sema *s) { return s->func->is_kernel ? MAX_FIXED_BYTES : MAX_FIXED_BYTES_OF_FN; }

static bool all_constant(const Dim *dims, int rank) {
    for (int d = 0; d < rank; d++)
        if (dims[d].kind != DIM_CONST) return false;
    return rank > 0;
}

/* Its bytes, or more than any variable may have. */
static int64_t bytes_of(const Type *array, const Dim *dims) {
    int64_t n = type_size_bytes(array->elem);
    for (int d = 0; d < array->rank; d++) {
        if (dims[d].value < 0 || (dims[d].value && n > MAX_FIXED_BYTES / dims[d].value)) return INT64_MAX;
        n *= dims[d].value;
    }
    return n;
}

/* The extents of a named array, if they are constants that cannot change: known while bodies are checked. */
bool fixed_extents(const Expr *e, Dim dims[MAX_RANK]) {
    const Type *field = expr_fixed_field(e);
    for (int d = 0; field && d < field->rank; d++) dims[d] = (Dim){.kind = DIM_CONST, .value = field->extent[d]};
    if (field) return true;
    if (e->kind != EXPR_NAME || !e->name.sym || !e->type || e->type->kind != TY_ARRAY) return false;
    const Symbol *sym = e->name.sym;
    if (frame_facts(sym)->is_fixed) {
        for (int d = 0; d < MAX_RANK; d++) dims[d] = sym->dims[d];
        return true;
    }
    if (sym->kind != SYM_PARAM || !sym->func || sym->dim >= sym->func->shapes.n) return false;
    const Shape *shape = &sym->func->shapes.at[sym->dim];
    for (int d = 0; d < shape->rank; d++) {
        if (shape->at[d].kind != EXTENT_CONST) return false;
        dims[d] = (Dim){.kind = DIM_CONST, .value = shape->at[d].value};
    }
    return shape->rank > 0;
}

static Expr *copied(Expr *e) {
    bool is_copy = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
                   e->call.info->builtin == BUILTIN_COPY;
    return is_copy ? e->call.args.at[0].value : NULL;
}

/* An array expression with constant extents. */
static bool made_extents(Expr *e, Dim dims[MAX_RANK]) {
    if (e->type->kind != TY_ARRAY) return false;
    if (copied(e)) return fixed_extents(copied(e), dims);
    if (!expr_makes_array(e)) return false;
    dims_of_array(e, dims);
    return all_constant(dims, e->type->rank);
}

/* `to` has the extents of `from` as long as `from` keeps them. */
static void depends(Sema *s, Symbol *to, Expr *from) {
    FixedUse use = {to, from && from->kind == EXPR_NAME ? from->name.sym : NULL};
    if (use.from) vec_push(s->arena, &s->facts->fixed_uses, use);
}

bool expr_makes_array(const Expr *e) {
    return e->kind == EXPR_FILL || e->kind == EXPR_COMPREHEND || e->kind == EXPR_LIST;
}

/* let a = [...]; var a: [f32; 4]; */
void fixed_declare(Sema *s, const Stmt *st, Symbol *sym, const Dim *declared) {
    Dim dims[MAX_RANK] = {0};
    const Expr *init = st->let.init;
    bool made = init ? made_extents(st->let.init, dims) : all_constant(declared, sym->type->rank);
    if (!init && made)
        for (int d = 0; d < MAX_RANK; d++) dims[d] = declared[d];
    int64_t bytes = made ? bytes_of(sym->type, dims) : 0;
    for (int d = 0; d < MAX_RANK && made; d++) row_of(sym)->extents[d] = dims[d].value;
    if (made && bytes <= most_bytes(s) - s->facts->fixed_bytes) {
        row_of(sym)->is_fixed = true;
        if (init) depends(s, sym, copied(st->let.init));
        for (int d = 0; d < MAX_RANK; d++) sym->dims[d] = dims[d];
        s->facts->fixed_bytes += bytes;
        return;
    }
    if (init && init->type->kind == TY_ERROR) return; /* its extents may be constants: another error says more */
    Span at = init ? init->span : st->let.name_span;
    bool is_call = init && init->kind == EXPR_CALL;
    if (made)
        effect_add(s, EFFECT_HEAP, at,
                   arena_printf(s->arena, "creates arrays of more than %d bytes in one function",
                                (int)most_bytes(s)));
    else if (!init || expr_makes_array(init))
        effect_add(s, EFFECT_HEAP, at, "creates an array whose extents are not constants");
    else if (is_call && init->call.info && init->call.info->kind == CALL_BUILTIN)
        effect_add(s, EFFECT_HEAP, at, "copies an array whose extents are not constants");
}

/* What stands for an array constant: its memory is no frame's, but its extents are constants. */
void fixed_constant(const Symbol *sym) {
    row_of(sym)->is_fixed = true;
    for (int d = 0; d < MAX_RANK; d++) row_of(sym)->extents[d] = sym->dims[d].value;
}

void fixed_symbol_leaves(const Symbol *sym) {
    if (sym->id >= 0) row_of(sym)->leaves = true;
}

/* The memory of the variable gets another owner. */
void fixed_leaves(const Expr *e) {
    if (e->kind == EXPR_NAME && e->name.sym) fixed_symbol_leaves(e->name.sym);
}

static bool same_extents(const Dim *a, const Dim *b, int rank) {
    for (int d = 0; d < rank; d++)
        if (a[d].value != b[d].value) return false;
    return true;
}

/* a = [...]; with what `a` has: its elements are replaced, not the array. */
bool fixed_assign(Sema *s, Expr *target, Expr *value) {
    Dim dims[MAX_RANK] = {0};
    Symbol *sym = target->name.sym;
    if (frame_facts(sym)->is_fixed && value->type->kind == TY_ARRAY && value->type == sym->type &&
        made_extents(value, dims) && same_extents(dims, sym->dims, sym->type->rank)) {
        row_of(sym)->refilled = true;
        depends(s, sym, copied(value));
        return true;
    }
    fixed_symbol_leaves(sym);
    if (expr_makes_array(value)) effect_add(s, EFFECT_HEAP, value->span, "creates an array");
    else if (value->kind == EXPR_CALL) effect_add(s, EFFECT_HEAP, value->span, "replaces an array");
    return false;
}

/* swap(&mut a, &mut b) */
bool fixed_swap(Sema *s, Symbol *a, Symbol *b, Span span) {
    if (frame_facts(a)->is_fixed && frame_facts(b)->is_fixed && same_extents(a->dims, b->dims, a->type->rank)) {
        FixedUse uses[2] = {{a, b}, {b, a}};
        for (int i = 0; i < 2; i++) vec_push(s->arena, &s->facts->fixed_uses, uses[i]);
        row_of(a)->refilled = row_of(b)->refilled = true;
        return true;
    }
    fixed_symbol_leaves(a);
    fixed_symbol_leaves(b);
    effect_add(s, EFFECT_HEAP, span, "swaps arrays");
    return false;
}

typedef struct Indexed {
    Sema *s;
    Symbol *local; /* NULL: the array is not a local variable */
} Indexed;

static bool mark_counter(Expr *e, void *context) {
    const Indexed *in = context;
    bool counts = e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && !e->name.sym->keyword.hi;
    FixedUse use = {e->name.sym, in->local};
    if (counts && in->local) vec_push(in->s->arena, &in->s->facts->fixed_counters, use);
    else if (counts) row_of(e->name.sym)->unrolls = true;
    return false;
}

/* acc[e, 1] in `for e in 0..4`: unrolled, the elements are registers. Not if `acc` is on the heap, which
 * fixed_settle finds out. */
void fixed_index(Sema *s, const Expr *e) {
    Dim dims[MAX_RANK];
    if (!fixed_extents(e->index.base, dims)) return;
    Symbol *array = e->index.base->kind == EXPR_NAME ? e->index.base->name.sym : NULL;
    bool is_variable = array && array->kind == SYM_LOCAL && !array->table && s->facts;
    Indexed in = {s, is_variable ? array : NULL};
    for (int d = 0; d < e->index.at.n; d++) expr_find(e->index.at.at[d], mark_counter, &in);
}

/* An array that is moved away, or whose function launches kernels. The table of resident arrays (runtime/resident.c)
 * identifies arrays by address, and a frame would reuse addresses without freeing the entries. */
static bool needs_heap(const Func *f, const Symbol *sym) { return row_of(sym)->leaves || f->effects & EFFECT_OFFLOAD; }

/* Called when it is known what the function and its callees do with its arrays. */
void fixed_settle(Func *f) {
    FuncFacts *facts = f->facts;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < facts->locals.n; i++) {
            Symbol *sym = facts->locals.at[i];
            const FrameFacts *row = row_of(sym);
            if (!row->is_fixed || sym->reshaped || !needs_heap(f, sym) || !row->refilled) continue;
            sym->reshaped = changed = true;
        }
        for (int i = 0; i < facts->fixed_uses.n; i++) {
            const FixedUse *use = &facts->fixed_uses.at[i];
            if (!use->from->reshaped || use->to->reshaped) continue;
            use->to->reshaped = changed = true;
        }
    }
    for (int i = 0; i < facts->locals.n; i++) {
        Symbol *sym = facts->locals.at[i];
        FrameFacts *row = row_of(sym);
        if (!row->is_fixed) continue;
        row->is_fixed = !sym->reshaped;
        row->in_frame = row->is_fixed && !needs_heap(f, sym);
        for (int d = 0; d < MAX_RANK && sym->reshaped; d++) sym->dims[d] = (Dim){0};
    }
    for (int i = 0; i < facts->fixed_counters.n; i++) {
        const FixedUse *use = &facts->fixed_counters.at[i];
        row_of(use->to)->unrolls |= row_of(use->from)->in_frame;
    }
}

/* Fields ------------------------------------------------------------------------------------------------------ */

/* p.w, x[i].w, where `w` is a field with constant extents: its type in the struct. NULL: it is something else. */
const Type *expr_fixed_field(const Expr *e) {
    if (e->kind != EXPR_FIELD || !e->field.base->type || e->field.base->type->kind != TY_STRUCT || e->field.n_at != 1)
        return NULL;
    const Type *t = e->field.base->type->fields[e->field.at[0]].type;
    return t->kind == TY_FIXED ? t : NULL;
}

Type *fixed_as_array(Sema *s, Type *t) { return t->kind == TY_FIXED ? type_array(s->types, t->elem, t->rank) : t; }

/* w: [f32; 3, 3] of a struct. */
Type *fixed_field_type(Sema *s, TypeExpr *te) {
    Type *elem = scalar_type(s, te->array.elem);
    int64_t extent[MAX_RANK] = {0};
    int rank = te->array.extents.n;
    if (is_bad(elem)) return elem;
    if (rank < 1 || rank > MAX_RANK) {
        diag(s->c, E0324, te->span, "an array has one to four dimensions, but this has %d", rank);
        return s->error;
    }
    for (int d = 0; d < rank; d++) {
        Expr **slot = &te->array.extents.at[d];
        bool open = (*slot)->kind == EXPR_NAME && (*slot)->name.name == s->underscore;
        if (!open) check_scalar(s, slot);
        if (!open && !to_index(s, slot, "an extent")) return s->error;
        Const v = (*slot)->konst;
        if (v.kind == CONST_INT && v.i >= 0) {
            extent[d] = v.i;
            continue;
        }
        Diag *said = diag(s->c, v.kind == CONST_INT ? E0606 : E0604, (*slot)->span,
                          v.kind == CONST_INT ? "an extent cannot be negative, but this is %lld"
                                              : "the extents of an array in a struct must all be constants, or all be "
                                                "`_`",
                          (long long)v.i);
        if (v.kind != CONST_INT) diag_note(s->c, said, te->span, "with `_`, the struct owns an array of any size");
        return s->error;
    }
    Type *t = type_fixed(s->c, elem, rank, extent);
    if (t) return te->type = t;
    diag(s->c, E0341, te->span, "this array is too large to be part of a struct");
    return s->error;
}

/* The array that initialises a field: its elements are copied, so it must have exactly these extents. */
bool fixed_give(Sema *s, Expr **slot, const TypeField *f, const char *why) {
    const Expr *made_for = s->made_for, *given = s->given;
    s->made_for = s->given = *slot;
    check_owned(s, slot, fixed_as_array(s, f->type), why);
    s->made_for = made_for;
    s->given = given;
    Expr *e = *slot;
    if (is_bad(e->type)) return false;
    Promise p = {.value = e, .span = f->span, .what = "field"};
    for (int d = 0; d < f->type->rank; d++) p.dims[d] = (Dim){.kind = DIM_CONST, .value = f->type->extent[d]};
    if (s->facts) vec_push(s->arena, &s->facts->promises, p);
    return true;
}
