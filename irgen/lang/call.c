/* call.c -- functions and calls. An array argument is the address of its descriptor, a scalar passed by reference is
 * its address, all others are values. An array result is the descriptor itself, moved to the caller. Shape checks that
 * sema could not decide are made here, before the call. */
#include "irgen/lang/lang.h"

#include <string.h>

/* In a test program `main` is a function like any other. */
static bool cg_is_program(const Cg *cg, const Func *fn) { return fn->is_main && !cg->program->runs_tests; }

LLVMTypeRef cg_function_type(Cg *cg, const Func *fn) {
    if (fn->is_input) return LLVMFunctionType(cg->void_, &cg->ptr, 1, false);
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, fn->params.n + 1);
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = fn->params.at[i];
        params[i] = p->mode == REF_NONE ? cg_type(cg, p->type) : cg->ptr;
    }
    LLVMTypeRef result = fn->is_main ? cg->i32 : cg_type(cg, fn->result);
    return LLVMFunctionType(result, params, (unsigned)fn->params.n, false);
}

static uint64_t size_behind(const Type *t) {
    return (uint64_t)(t->kind == TY_ARRAY ? 8 + 8 * t->rank : cg_size(t));
}

/* References are exclusive (or read-only), so nothing else reaches what they point to. */
static void param_attributes(Cg *cg, const Func *fn, LLVMValueRef v) {
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = fn->params.at[i];
        if (p->mode == REF_NONE) continue;
        cg_param_attr(cg, v, i, "noalias", 0);
        cg_param_attr(cg, v, i, "nonnull", 0);
        cg_param_attr(cg, v, i, "noundef", 0);
        cg_param_attr(cg, v, i, "align", p->type->kind == TY_ARRAY ? 8 : (uint64_t)cg_align(p->type));
        cg_param_attr(cg, v, i, "dereferenceable", size_behind(p->type));
        if (p->mode == REF_IN) cg_param_attr(cg, v, i, "readonly", 0);
    }
}

/* For the check of barriers, as sema's rule is: what a call returns differs where an argument does, or where it may
 * update what it was passed. */
static void divergence_attributes(Cg *cg, const Func *fn, LLVMValueRef v) {
    LLVMAttributeRef reported =
        LLVMCreateStringAttribute(cg->ctx, CG_REPORTED, strlen(CG_REPORTED), "", 0);
    LLVMAttributeRef differs = LLVMCreateStringAttribute(cg->ctx, CG_DIFFERS, strlen(CG_DIFFERS), "", 0);
    if (!cg->target->gpu) return;
    for (unsigned i = (unsigned)fn->params.n; i < LLVMCountParams(v); i++) LLVMAddAttributeAtIndex(v, i + 1, reported);
    for (int i = 0; i < fn->params.n; i++)
        if (fn->params.at[i]->mode == REF_MUT || fn->params.at[i]->mode == REF_OUT)
            LLVMAddAttributeAtIndex(v, LLVMAttributeFunctionIndex, differs);
}

/* A narrow version is another only where it finds elements of its caller's arrays; a fast one, if the caller alone is
 * fast. */
static const char *version(const Cg *cg, const Func *fn, bool narrow) {
    bool is_fast = cg->fast && !fn->is_fast;
    if (cg->shadows && fn->is_shadowed) return is_fast ? ".shadow.fast" : ".shadow";
    for (int i = 0; narrow && i < fn->params.n; i++)
        if (fn->params.at[i]->type->kind == TY_ARRAY) return is_fast ? ".narrow.fast" : ".narrow";
    return is_fast ? ".fast" : "";
}

LLVMValueRef cg_function(Cg *cg, const Func *fn, bool narrow) {
    const char *name = arena_printf(&cg->c->arena, "fn.%s%s", fn->symbol, version(cg, fn, narrow));
    if (cg_is_program(cg, fn)) name = "kdsl_main";
    LLVMValueRef v = LLVMGetNamedFunction(cg->module, name);
    if (v) return v;
    v = LLVMAddFunction(cg->module, name, cg_function_type(cg, fn));
    bool is_seen = cg_is_program(cg, fn) || (cg->options->unit && cg->target->is_program);
    LLVMSetLinkage(v, is_seen ? LLVMExternalLinkage : LLVMInternalLinkage);
    if (cg_is_program(cg, fn)) LLVMSetVisibility(v, LLVMHiddenVisibility);
    cg_fn_attr(cg, v, "nounwind");
    if (fn->on_device) cg_fn_attr(cg, v, cg->vector ? "alwaysinline" : "inlinehint");
    param_attributes(cg, fn, v);
    divergence_attributes(cg, fn, v);
    return v;
}

/* The same; the arguments are followed by what an item needs to report and to print. */
LLVMValueRef cg_item_function(Cg *cg, const Func *fn, bool narrow) {
    const char *name = arena_printf(&cg->c->arena, "fn.%s.item%s", fn->symbol, version(cg, fn, narrow));
    LLVMValueRef v = LLVMGetNamedFunction(cg->module, name);
    if (v) return v;
    unsigned n = (unsigned)fn->params.n;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, n + CG_ITEM_ARGS), plain = cg_function_type(cg, fn);
    LLVMGetParamTypes(plain, params);
    n += (unsigned)cg_item_param_types(cg, fn, params + n);
    LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(plain), params, n, false);
    v = LLVMAddFunction(cg->module, name, type);
    LLVMSetLinkage(v, LLVMInternalLinkage);
    cg_fn_attr(cg, v, "nounwind");
    cg_fn_attr(cg, v, cg->vector ? "alwaysinline" : "inlinehint");
    param_attributes(cg, fn, v);
    divergence_attributes(cg, fn, v);
    return v;
}

/* Shape checks ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef name_or_null(Cg *cg, const char *name) {
    return name ? cg_string(cg, name, strlen(name)) : LLVMConstNull(cg->ptr);
}

CgShapeWords cg_shape_words(Cg *cg, const Func *callee, const ShapeCheck *c) {
    Arena *arena = &cg->c->arena;
    const Extent *is = &callee->shapes.at[c->arg].at[c->dim];
    if (c->other_arg < 0) return (CgShapeWords){c->is_least ? size_text(arena, is->size, is->value) : NULL, NULL};
    const Extent *first = &callee->shapes.at[c->other_arg].at[c->other_dim];
    return (CgShapeWords){size_text(arena, first->size, first->value),
                          is->value != first->value ? size_text(arena, is->size, is->value) : NULL};
}

/* The runtime's message names the argument that gave the size its value first, then the one that disagrees. */
static void shape_check(CgFunc *f, const Func *callee, const ShapeCheck *c, const CgArray *args, Span span) {
    Cg *cg = f->cg;
    const CgArray *a = &args[c->arg], *binder = c->other_arg >= 0 ? &args[c->other_arg] : NULL;
    LLVMValueRef want = binder ? cg_plus(f, binder->ext[c->other_dim], c->value) : cg_i64(cg, c->value);
    if (want == a->ext[c->dim] || !cg_can_report(f, c->site)) return;
    LLVMBasicBlockRef ok;
    LLVMValueRef failed = LLVMBuildICmp(f->b, c->is_least ? LLVMIntSLT : LLVMIntNE, a->ext[c->dim], want, "");
    cg_cold(f, cg_unless_removed(f, "shape", span, MAX_RANK * c->arg + c->dim, failed), &ok);
    if (f->error_slot) {
        cg_report(f, c->site, (CgFailure){.array = binder ? binder : a, .other_array = binder ? a : NULL});
        cg_enter(f, ok);
        return;
    }
    const CgArray *first = binder ? binder : a;
    LLVMValueRef none = LLVMConstNull(cg->ptr), zero = cg_i64(cg, 0);
    const CgShapeWords words = cg_shape_words(cg, callee, c);
    LLVMValueRef fail[13] = {
        cg_place_string(cg, span),
        cg_string(cg, callee->name, strlen(callee->name)),
        name_or_null(cg, words.size),
        name_or_null(cg, callee->params.at[binder ? c->other_arg : c->arg]->name),
        cg_i64(cg, first->type->rank),
        cg_extents_in_memory(f, 0, first),
        cg_i64(cg, binder ? c->other_dim : c->dim),
        binder ? name_or_null(cg, callee->params.at[c->arg]->name) : none,
        binder ? cg_i64(cg, a->type->rank) : zero,
        binder ? cg_extents_in_memory(f, 1, a) : none,
        binder ? cg_i64(cg, c->dim) : zero,
        binder ? zero : cg_i64(cg, c->value),
        name_or_null(cg, words.other_size),
    };
    cg_call_runtime(f, RT_FAIL_SHAPE, fail, 13);
    cg_enter(f, ok);
}

void cg_shape_checks(CgFunc *f, const CallInfo *info, const CgArray *args, Span span) {
    for (int i = 0; i < info->checks.n; i++) shape_check(f, info->func, &info->checks.at[i], args, span);
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

/* Failures in the standard library are reported at the place of the call in the program. Host code tells it before the
 * call; returns whether it did. */
static bool note_place(CgFunc *f, const Func *callee, Span span) {
    bool is_host = f->cg->target->is_program && !f->is_kernel;
    if (!is_host || !func_tells_caller(callee) || cg_is_in_library(f->cg, span)) return false;
    cg_called_at(f, span);
    return true;
}

/* No span: the call is over. */
void cg_called_at(CgFunc *f, Span span) {
    LLVMValueRef place = span.hi ? cg_place_string(f->cg, span) : LLVMConstNull(f->cg->ptr);
    cg_call_runtime(f, RT_CALLED_AT, &place, 1);
}

static CgValue call_function(CgFunc *f, Expr *e) {
    const CallInfo *info = e->call.info;
    const ArgList *args = &e->call.args;
    CgArray *arrays = arena_array(&f->cg->c->arena, CgArray, args->n + 1);
    LLVMValueRef *v = arena_array(&f->cg->c->arena, LLVMValueRef, args->n + CG_ITEM_ARGS + 1);
    CgArray *parts = arena_array(&f->cg->c->arena, CgArray, args->n + 1);
    CgBounds *bounds = arena_array(&f->cg->c->arena, CgBounds, args->n + 1);
    for (int i = 0; i < args->n; i++) {
        const Symbol *p = info->func->params.at[i];
        Expr *arg = args->at[i].value;
        if (p->mode != REF_NONE && p->mode != REF_IN) cg_private_written(f, expr_root(arg));
        if (p->mode == REF_NONE) {
            v[i] = cg_convert(f, cg_expr(f, arg), p->type).v;
        } else if (p->type->kind != TY_ARRAY) {
            v[i] = cg_reference(f, arg);
        } else if (expr_is_slice(arg)) {
            bounds[i] = cg_slice_bounds(f, arg);
        }
    }
    for (int i = 0; i < args->n; i++) { /* arrays last: a call among the scalars may reallocate them */
        if (info->func->params.at[i]->type->kind != TY_ARRAY) continue;
        Expr *arg = args->at[i].value;
        arrays[i] = expr_is_slice(arg) ? cg_slice(f, arg, &bounds[i]) : cg_array(f, arg);
        parts[i] = arrays[i];
        arrays[i] = cg_pass_part(f, &parts[i]);
        v[i] = !info->func->is_extern            ? cg_array_desc(f, &arrays[i])
               : passes_described(info->func) ? cg_described_array(f, &arrays[i])
                                              : arrays[i].data;
    }
    cg_debug_at(f, e->span);
    cg_shape_checks(f, info, arrays, e->span);
    bool is_noted = note_place(f, info->func, e->span);
    if (info->func->is_extern) {
        CgValue r = cg_value(cg_call_c(f, info->func, v), e->type);
        if (is_noted) cg_called_at(f, (Span){0});
        for (int i = 0; i < args->n; i++) cg_part_back(f, &parts[i], &arrays[i], info->func->params.at[i]->mode);
        return r;
    }
    int n = args->n;
    bool item = (f->error_slot || f->print_buffer) && cg_needs_item(f->cg, info->func);
    LLVMValueRef fn = (item ? cg_item_function : cg_function)(f->cg, info->func, f->narrow);
    CgCalled called = {info->func, f->narrow, f->cg->shadows && info->func->is_shadowed, f->cg->fast};
    if (!f->cg->target->is_program) vec_push(&f->cg->c->arena, &f->cg->called, called);
    if (item) n += cg_item_args(f, info->func, v + n);
    LLVMValueRef r = cg_call(f, LLVMGlobalGetValueType(fn), fn, v, n);
    if (is_noted) cg_called_at(f, (Span){0});
    if (item) cg_leave_if_call_failed(f, info->func);
    for (int i = 0; i < args->n && info->func->effects & EFFECT_OFFLOAD; i++)
        if (expr_fixed_field(args->at[i].value)) cg_take_back(f, &arrays[i]);
    for (int i = 0; i < args->n; i++) cg_part_back(f, &parts[i], &arrays[i], info->func->params.at[i]->mode);
    return cg_value(r, e->type);
}

/* i32(text): the whole text must be a number of the type, else the program ends. */
static CgValue parse_text(CgFunc *f, Expr *e, CgValue text) {
    Type *to = e->type;
    LLVMValueRef type = cg_string(f->cg, to->name, strlen(to->name)), place = cg_place_string(f->cg, e->span);
    LLVMValueRef bits = cg_i32(f->cg, to->bits);
    if (to->is_float) {
        if (type_is_half(to)) bits = cg_i32(f->cg, 64); /* rounded once, by the conversion */
        LLVMValueRef args[4] = {text.v, type, bits, place};
        LLVMValueRef v = cg_call_runtime(f, RT_PARSE_FLOAT, args, 4);
        return cg_convert(f, cg_value(v, cg_scalar(f->cg, TY_F64)), to);
    }
    LLVMValueRef args[5] = {text.v, type, bits, cg_i32(f->cg, to->is_signed), place};
    LLVMValueRef v = cg_call_runtime(f, RT_PARSE_INT, args, 5);
    return cg_convert(f, cg_value(v, cg_scalar(f->cg, TY_I64)), to);
}

CgValue cg_call_expr(CgFunc *f, Expr *e) {
    const CallInfo *info = e->call.info;
    switch (info->kind) {
    case CALL_FUNC: return call_function(f, e);
    case CALL_BUILTIN: return cg_builtin(f, e);
    case CALL_CONVERT: {
        CgValue v = cg_expr(f, e->call.args.at[0].value);
        return v.type->kind == TY_STR && e->type->kind != TY_STR ? parse_text(f, e, v) : cg_convert(f, v, e->type);
    }
    case CALL_BUILD: return cg_build(f, e);
    case CALL_ERROR: break;
    }
    ice(f->cg->c, e->span, "a call that sema did not resolve");
}
