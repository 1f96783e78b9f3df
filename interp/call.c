/* call.c -- calls: arguments and shape checks, functions of the program, conversions, construction of structs and
 * vectors. */
#include <string.h>

#include "interp/run.h"

enum { MAX_CALLS = 100000 }; /* deep: what the stack has room for */

/* Arguments ---------------------------------------------------------------------------------------------------- */

static void pass_reference(Frame *f, Frame *callee, const Symbol *p, Expr *arg) {
    if (interp_has_place(arg)) callee->slots[p->id].at = interp_address(f, arg);
    else interp_value_as(f, arg, p->type, interp_declare(callee, p));
}

static void pass_array(Frame *f, Frame *callee, const Symbol *p, Expr *arg, const Bounds *bounds, Array *room) {
    Array *at = interp_array_place(f, arg);
    if (!at) *(at = room) = expr_is_slice(arg) ? interp_slice(f, arg, bounds) : interp_array(f, arg);
    else interp_array(f, arg);
    callee->slots[p->id].at = at;
}

static const Array *array_of(const Frame *callee, int param) {
    return callee->slots[callee->fn->params.at[param]->id].at;
}

static const char *shape_of(Frame *f, const Frame *callee, int param) {
    return interp_shape_text(f, callee->fn->params.at[param]->type, array_of(callee, param)->ext);
}

static void shape_check(Frame *f, const Frame *callee, const ShapeCheck *c, Span span) {
    const Func *fn = callee->fn;
    int64_t is = array_of(callee, c->arg)->ext[c->dim];
    int64_t want = c->other_arg < 0 ? c->value : array_of(callee, c->other_arg)->ext[c->other_dim] + c->value;
    if (is == want || (c->is_least && is >= want)) return;
    if (f->run->options.unchecked) interp_unsupported(f, span, "this passes an array of another shape");
    Arena *arena = &f->run->c->arena;
    const char *name = fn->params.at[c->arg]->name;
    const Extent *x = &fn->shapes.at[c->arg].at[c->dim];
    if (c->other_arg < 0)
        interp_fail(f, span, FAILURE_EXTENT_IS, fn->name, (long long)c->dim, name,
                    failure_least(c->is_least ? x->size->name : NULL), (long long)c->value,
                    shape_of(f, callee, c->arg));
    char again[FAILURE_BYTES];
    const Extent *first = &fn->shapes.at[c->other_arg].at[c->other_dim];
    failure_again(again, first->value != x->value ? size_text(arena, x->size, x->value) : NULL);
    interp_fail(f, span, FAILURE_EXTENTS_DIFFER, fn->name, size_text(arena, first->size, first->value),
                (long long)(want - c->value), fn->params.at[c->other_arg]->name, shape_of(f, callee, c->other_arg),
                again, (long long)is, name, shape_of(f, callee, c->arg));
}

/* Shape checks that sema has decided are repeated here: a wrong decision of sema must not look like an error of the
 * program. */
static void bind_extent(Frame *f, Frame *callee, const Extent *x, int64_t is, Span span) {
    const Type *t = x->size ? x->size->type : NULL;
    if (x->kind == EXTENT_BINDS) interp_store(t, interp_declare(callee, x->size), const_int(is - x->value));
    bool right = x->kind != EXTENT_CONST || x->value == is;
    if (x->kind == EXTENT_SAME) right = interp_load(t, callee->slots[x->size->id].at).i + x->value == is;
    if (!right && !f->run->options.unchecked) interp_was_proven(f, span, "an extent differs");
}

static void bind_sizes(Frame *f, Frame *callee, Span span) {
    const Func *fn = callee->fn;
    for (int i = 0; i < fn->n_given; i++)
        for (int d = 0; d < fn->shapes.at[i].rank; d++)
            bind_extent(f, callee, &fn->shapes.at[i].at[d], array_of(callee, i)->ext[d], span);
}

void interp_bind(Frame *f, Frame *callee, Expr *call, Array *arrays, Span span) {
    const CallInfo *info = call->call.info;
    const ArgList *args = &call->call.args;
    Bounds bounds[args->n + 1];
    for (int i = 0; i < args->n; i++) {
        const Symbol *p = info->func->params.at[i];
        Expr *arg = args->at[i].value;
        if (p->mode == REF_NONE) interp_value_as(f, arg, p->type, interp_declare(callee, p));
        else if (p->type->kind != TY_ARRAY) pass_reference(f, callee, p, arg);
        else if (expr_is_slice(arg)) interp_bounds(f, arg, &bounds[i]);
    }
    for (int i = 0; i < args->n; i++) { /* arrays last: a call among the others may reallocate them */
        const Symbol *p = info->func->params.at[i];
        if (p->type->kind == TY_ARRAY) pass_array(f, callee, p, args->at[i].value, &bounds[i], &arrays[i]);
    }
    for (int i = 0; i < info->checks.n; i++) shape_check(f, callee, &info->checks.at[i], span);
    bind_sizes(f, callee, span);
}

/* Functions ---------------------------------------------------------------------------------------------------- */

static void call_function(Frame *f, Expr *e, void *to) {
    const Func *fn = e->call.info->func;
    if (fn->is_extern) interp_unsupported(f, e->span, "this calls the C function `%s`", fn->name);
    Slot slots[fn->n_symbols + 1];
    Array arrays[e->call.args.n + 1];
    Frame callee;
    if (++f->run->depth > MAX_CALLS)
        interp_unsupported(f, e->span, "calls are nested more than %d deep here", MAX_CALLS);
    interp_frame_begin(&callee, f->run, fn, slots, f->item);
    callee.result = to;
    interp_bind(f, &callee, e, arrays, e->span);
    bool is_noted = !f->item && func_tells_caller(fn) && !interp_is_in_library(f->run, e->span);
    if (is_noted) f->run->called = e->span;
    interp_block(&callee, fn->item->fn.body);
    if (is_noted) f->run->called = (Span){0};
    interp_frame_end(&callee);
    f->run->depth--;
}

/* Building ----------------------------------------------------------------------------------------------------- */

static void build_struct(Frame *f, Expr *e, char *to) {
    for (int i = 0; i < e->call.args.n; i++) {
        int part = e->call.info->part_of[i];
        const Type *t = e->type->fields[part].type;
        char *at = to + interp_field_at(e->type, part);
        if (t->kind == TY_FIXED) interp_take_elements(f, e->call.args.at[i].value, t, at);
        else interp_value_as(f, e->call.args.at[i].value, t, at);
    }
}

static void build_vector(Frame *f, Expr *e, char *to) {
    int64_t n = type_size_bytes(e->type->elem);
    for (int i = 0; i < e->call.args.n; i++) {
        Expr *arg = e->call.args.at[i].value;
        char *at = to + e->call.info->part_of[i] * n;
        if (arg->type->kind != TY_VECTOR) {
            interp_value_as(f, arg, e->type->elem, at);
            continue;
        }
        ROOM(room, interp_size(arg->type)); /* one of three has room for four */
        interp_value(f, arg, room);
        memcpy(at, room, (size_t)(n * arg->type->width));
    }
}

static void convert(Frame *f, Expr *e, void *to) {
    Expr *arg = e->call.args.at[0].value;
    if (arg->type->kind != TY_STR || e->type->kind == TY_STR) {
        interp_value_as(f, arg, e->type, to);
        return;
    }
    interp_store(e->type, to, interp_number_of_text(f, e, interp_scalar(f, arg).s.at, e->type));
}

void interp_call(Frame *f, Expr *e, void *to) {
    switch (e->call.info->kind) {
    case CALL_FUNC: call_function(f, e, to); return;
    case CALL_BUILTIN: interp_builtin(f, e, to); return;
    case CALL_CONVERT: convert(f, e, to); return;
    case CALL_BUILD:
        if (e->type->kind == TY_VECTOR) build_vector(f, e, to);
        else build_struct(f, e, to);
        return;
    case CALL_ERROR: break;
    }
    ice(f->run->c, e->span, "a call that sema did not resolve");
}
