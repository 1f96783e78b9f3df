/* expr.c -- expressions. What sema has folded is a constant; everything else is evaluated once, from left to right. */
#include <string.h>

#include "interp/run.h"

/* Operators ---------------------------------------------------------------------------------------------------- */

/* Without checks, division by zero returns 0 and a shift by the width or more shifts out all bits. */
static Const unchecked(Op op, const Type *t, Const a) {
    return const_int(op == OP_SHR && t->is_signed && a.i < 0 ? -1 : 0);
}

static _Noreturn void undefined(Frame *f, Op op, const Type *t, Const b, Span span, int site) {
    bool shift = op_info[op].kind == OPK_SHIFT;
    if (site < 0) interp_was_proven(f, span, shift ? "a shift is too wide" : "division by zero");
    if (shift) interp_fail(f, span, FAILURE_SHIFT, (long long)b.i, (long long)t->bits);
    interp_fail(f, span, FAILURE_DIVIDE);
}

Const interp_binary(Frame *f, Op op, const Type *t, Const a, Const b, Span span, int site) {
    if (a.kind == CONST_STR) {
        int order = strcmp(a.s.at, b.s.at);
        return const_bool((order == 0) == (op == OP_EQ));
    }
    if (arith_is_defined(op, t, b)) return arith_binary(op, t, a, b, NULL);
    if (f->run->options.unchecked) return unchecked(op, t, a);
    undefined(f, op, t, b, span, site);
}

void interp_binary_parts(Frame *f, Op op, const Type *t, const void *a, const void *b, void *to, Span span, int site) {
    int64_t n = type_size_bytes(t->elem);
    for (int i = 0; i < t->width; i++) {
        Const x = interp_load(t->elem, (const char *)a + i * n), y = interp_load(t->elem, (const char *)b + i * n);
        interp_store(t->elem, (char *)to + i * n, interp_binary(f, op, t->elem, x, y, span, site));
    }
}

static Const logic(Frame *f, Expr *e) {
    Const a = interp_scalar(f, e->binary.lhs);
    return (a.i != 0) == (e->binary.op == OP_AND) ? interp_scalar(f, e->binary.rhs) : a;
}

static Const binary(Frame *f, Expr *e) {
    if (op_info[e->binary.op].kind == OPK_LOGIC) return logic(f, e);
    Const a = interp_scalar(f, e->binary.lhs), b = interp_scalar(f, e->binary.rhs);
    return interp_binary(f, e->binary.op, e->binary.lhs->type, a, b, e->binary.op_span, e->binary.site);
}

static void vector_binary(Frame *f, Expr *e, void *to) {
    if (e->binary.fused) {
        interp_fused(f, e, to);
        return;
    }
    ROOM(a, interp_size(e->type));
    ROOM(b, interp_size(e->type));
    interp_value(f, e->binary.lhs, a);
    interp_value(f, e->binary.rhs, b);
    interp_binary_parts(f, e->binary.op, e->type, a, b, to, e->binary.op_span, e->binary.site);
}

static void vector_unary(Frame *f, Expr *e, char *to) {
    const Type *elem = e->type->elem;
    int64_t n = type_size_bytes(elem);
    interp_value(f, e->unary.operand, to);
    for (int i = 0; i < e->type->width; i++)
        interp_store(elem, to + i * n, arith_unary(e->unary.op, elem, interp_load(elem, to + i * n), NULL));
}

/* Parts -------------------------------------------------------------------------------------------------------- */

static int64_t part_at(const Type *whole, int i) {
    return whole->kind == TY_VECTOR ? i * type_size_bytes(whole->elem) : interp_field_at(whole, i);
}

/* p.x of a value without a place, v.zyx. */
static void field_of_value(Frame *f, Expr *e, char *to) {
    const Type *whole = e->field.base->type;
    int64_t n = e->field.n_at > 1 ? type_size_bytes(whole->elem) : interp_size(e->type);
    ROOM(room, interp_size(whole));
    interp_value(f, e->field.base, room);
    for (int i = 0; i < e->field.n_at; i++)
        memcpy(to + i * n, (char *)room + part_at(whole, e->field.at[i]), (size_t)n);
}

static void field(Frame *f, Expr *e, void *to) {
    if (e->field.n_at == 1 && interp_has_place(e)) memcpy(to, interp_address(f, e), (size_t)interp_size(e->type));
    else field_of_value(f, e, to);
}

/* Scalars ------------------------------------------------------------------------------------------------------ */

static Const loaded(Frame *f, Expr *e, void (*make)(Frame *, Expr *, void *)) {
    ROOM(room, interp_size(e->type));
    make(f, e, room);
    return interp_load(e->type, room);
}

static Expr *branch(Frame *f, Expr *e) { return interp_scalar(f, e->if_.cond).i ? e->if_.then_ : e->if_.else_; }

static Const name(Frame *f, Expr *e) {
    if (e->name.sym->kind == SYM_CONST) return e->name.sym->konst;
    void *at = f->slots[e->name.sym->id].at;
    return interp_load(e->type, at ? at : interp_address(f, e));
}

Const interp_scalar_as(Frame *f, Expr *e, const Type *t) {
    Const v = interp_scalar(f, e);
    return e->type == t ? v : const_convert(v, e->type, t);
}

Const interp_scalar(Frame *f, Expr *e) {
    if (e->konst.kind != CONST_NONE) return e->konst;
    switch (e->kind) {
    case EXPR_NAME: return name(f, e);
    case EXPR_UNARY: return arith_unary(e->unary.op, e->type, interp_scalar(f, e->unary.operand), NULL);
    case EXPR_BINARY: return e->binary.fused ? loaded(f, e, interp_fused) : binary(f, e);
    case EXPR_CALL: return loaded(f, e, interp_call);
    case EXPR_INDEX: return interp_load(e->type, interp_address(f, e));
    case EXPR_FIELD: return loaded(f, e, field);
    case EXPR_IF: return interp_scalar_as(f, branch(f, e), e->type);
    case EXPR_OFFLOAD: return loaded(f, e, interp_launch);
    case EXPR_ATOMIC: return interp_update(f, e);
    case EXPR_CONVERT: return interp_scalar_as(f, e->convert.operand, e->type);
    case EXPR_STR: return (Const){.kind = CONST_STR, .s = {e->str.at, e->str.n}};
    case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_ERROR: case EXPR_FILL: case EXPR_COMPREHEND:
    case EXPR_LIST: case EXPR_RANGE: case EXPR__COUNT: break;
    }
    ice(f->run->c, e->span, "sema let an expression through that has no value");
}

int64_t interp_index(Frame *f, Expr *e) { return interp_scalar(f, e).i; }

/* All others --------------------------------------------------------------------------------------------------- */

static void splat(const Type *vector, Const v, char *to) {
    for (int i = 0; i < vector->width; i++) interp_store(vector->elem, to + i * type_size_bytes(vector->elem), v);
}

/* An array that is named where a value is wanted is moved. */
static void name_value(Frame *f, Expr *e, void *to) {
    const Symbol *sym = e->name.sym;
    if (sym->parts) {
        interp_gather(f, sym, false, to, e->span);
        return;
    }
    void *at = interp_address(f, e);
    memcpy(to, at, (size_t)interp_size(e->type));
    if (e->type->kind == TY_ARRAY) ((Array *)at)->data = NULL;
}

void interp_value(Frame *f, Expr *e, void *to) {
    if (interp_is_scalar(e->type)) {
        interp_store(e->type, to, interp_scalar(f, e));
        return;
    }
    if (e->konst.kind != CONST_NONE && e->type->kind == TY_VECTOR) {
        splat(e->type, e->konst, to);
        return;
    }
    switch (e->kind) {
    case EXPR_NAME: name_value(f, e, to); return;
    case EXPR_UNARY: vector_unary(f, e, to); return;
    case EXPR_BINARY: vector_binary(f, e, to); return;
    case EXPR_CALL: interp_call(f, e, to); return;
    case EXPR_INDEX: memcpy(to, interp_address(f, e), (size_t)interp_size(e->type)); return;
    case EXPR_FIELD: field(f, e, to); return;
    case EXPR_IF: interp_value_as(f, branch(f, e), e->type, to); return;
    case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: interp_make_array(f, e, to); return;
    case EXPR_OFFLOAD: interp_launch(f, e, to); return;
    case EXPR_CONVERT: interp_value_as(f, e->convert.operand, e->type, to); return;
    case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_ATOMIC: case EXPR_ERROR: case EXPR_RANGE:
    case EXPR__COUNT: break;
    }
    ice(f->run->c, e->span, "sema let an expression through that has no value");
}

static void to_vector(Frame *f, Expr *e, const Type *t, char *to) {
    const Type *elem = t->elem, *from = e->type->elem;
    if (e->type->kind != TY_VECTOR) {
        splat(t, interp_scalar_as(f, e, elem), to);
        return;
    }
    ROOM(room, interp_size(e->type));
    interp_value(f, e, room);
    for (int i = 0; i < t->width; i++) {
        Const part = interp_load(from, (char *)room + i * type_size_bytes(from));
        interp_store(elem, to + i * type_size_bytes(elem), const_convert(part, from, elem));
    }
}

void interp_value_as(Frame *f, Expr *e, const Type *t, void *to) {
    if (interp_is_scalar(t)) interp_store(t, to, interp_scalar_as(f, e, t));
    else if (t->kind == TY_VECTOR && e->type != t) to_vector(f, e, t, to);
    else interp_value(f, e, to);
}
