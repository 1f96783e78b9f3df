/* border.c -- the foreign interface: calls of C functions, exported functions and kernels, and the table of tests. C
 * types: an integer or float is itself, bool is _Bool, index is int64_t, str is const char *, a struct or vector is a
 * struct, an array is the address of its first element, a reference to a value is its address. */
#include "irgen/lang/lang.h"

#include <string.h>

/* Calls of C ------------------------------------------------------------------------------------------------------- */

/* `args`: values, arrays by their first elements. The declaration may be of a name that is also used by the compiler
 * itself (a function of libm, say): the type of the call is what counts. */
LLVMValueRef cg_call_c(CgFunc *f, const Func *fn, LLVMValueRef *args) {
    Cg *cg = f->cg;
    CgC c;
    cg_c_begin(&c, cg, fn->result);
    bool in_memory = c.result.way == C_IN_MEMORY;
    int most = 2 * fn->params.n + 1, n = 0;
    LLVMValueRef *given = arena_array(&cg->c->arena, LLVMValueRef, most);
    LLVMTypeRef *types = arena_array(&cg->c->arena, LLVMTypeRef, most);
    CPassing *passing = arena_array(&cg->c->arena, CPassing, fn->params.n + 1);
    int *first = arena_array(&cg->c->arena, int, fn->params.n + 1);
    LLVMValueRef memory = type_is_parts(fn->result) ? cg_c_memory(f, fn->result) : NULL;
    if (in_memory) given[n] = memory, types[n++] = cg->ptr;
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = fn->params.at[i];
        passing[i] = cg_c_param(&c, p->type, p->mode != REF_NONE);
        first[i] = n;
        cg_c_types(cg, &passing[i], types + n);
        n += cg_c_give(f, &passing[i], cg_value(args[i], p->type), given + n);
    }
    LLVMTypeRef type = LLVMFunctionType(cg_c_result_type(cg, &c.result), types, (unsigned)n, false);
    const char *name = fn->item->name; /* also of all instances of a generic */
    LLVMValueRef v = LLVMGetNamedFunction(cg->module, name);
    if (!v) {
        v = LLVMAddFunction(cg->module, name, type);
        cg_fn_attr(cg, v, "nounwind");
    }
    LLVMValueRef call = cg_call(f, type, v, given, n);
    cg_c_result_attributes(cg, &c.result, call);
    for (int i = 0; i < fn->params.n; i++) cg_c_param_attributes(cg, &passing[i], call, first[i]);
    return cg_c_returned(f, &c.result, call, memory);
}

/* Tests ------------------------------------------------------------------------------------------------------------ */

static LLVMValueRef test_row(Cg *cg, LLVMTypeRef row_type, const Func *test) {
    LLVMValueRef fields[3] = {cg_string(cg, test->name, strlen(test->name)), cg_plain_place_string(cg, test->name_span),
                              cg_function(cg, test, false)};
    return LLVMConstNamedStruct(row_type, fields, 3);
}

/* int kdsl_main(void) { return kdsl_test_main(tests, n); } -- runtime.h, KdslTest */
void cg_tests(Cg *cg) {
    int n = cg->program->tests.n;
    LLVMTypeRef fields[3] = {cg->ptr, cg->ptr, cg->ptr};
    LLVMTypeRef row_type = LLVMStructCreateNamed(cg->ctx, "KdslTest");
    LLVMStructSetBody(row_type, fields, 3, false);
    LLVMValueRef *rows = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) rows[i] = test_row(cg, row_type, cg->program->tests.at[i]);
    LLVMTypeRef table_type = LLVMArrayType2(row_type, (uint64_t)n);
    LLVMValueRef table = LLVMAddGlobal(cg->module, table_type, "kdsl.tests");
    LLVMSetInitializer(table, LLVMConstArray2(row_type, rows, (uint64_t)n));
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetGlobalConstant(table, true);

    LLVMValueRef fn = LLVMAddFunction(cg->module, "kdsl_main", LLVMFunctionType(cg->i32, NULL, 0, false));
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, fn, "entry"));
    LLVMValueRef run = cg_runtime(cg, RT_TEST_MAIN), args[2] = {table, cg_i64(cg, n)};
    LLVMBuildRet(cg->b, LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(run), run, args, 2, ""));
}

/* Exports ---------------------------------------------------------------------------------------------------------- */

/* `int32_t f(parameters, sizes, result *)`: stores its parameters in a frame in memory, from which an inner function
 * loads them. The runtime calls the inner function so that a failed check returns as a status. */
typedef struct Border {
    Cg *cg;
    const Func *fn;
    LLVMTypeRef frame_type;
    int n;               /* fields of the frame: parameters, sizes, result */
    bool has_result;
    LLVMValueRef *fields; /* in the thunk: their addresses */
    CPassing *passing;    /* of the fields, as C passes them */
    int *first;           /* of each: the number of its first LLVM parameter */
} Border;

static LLVMTypeRef frame_field(Border *b, int i) {
    const Func *fn = b->fn;
    if (i < fn->n_given) {
        const Symbol *p = fn->params.at[i];
        return p->mode == REF_NONE ? cg_type_mem(b->cg, p->type) : b->cg->ptr;
    }
    return i < fn->n_given + fn->border.n ? b->cg->i64 : b->cg->ptr;
}

static LLVMValueRef take(Border *b, CgFunc *f, int i) {
    return LLVMBuildLoad2(f->b, frame_field(b, i), b->fields[i], "");
}

static LLVMValueRef border_extent(Border *b, CgFunc *f, int param, int dim) {
    const Extent *x = &b->fn->shapes.at[param].at[dim];
    if (x->kind == EXTENT_CONST) return cg_i64(b->cg, x->value);
    for (int i = 0; i < b->fn->border.n; i++) {
        const BorderSize *s = &b->fn->border.at[i];
        bool same = x->size ? s->size == x->size : s->param == param && s->dim == dim;
        if (!same) continue;
        LLVMValueRef size = take(b, f, b->fn->n_given + i); /* a sum that overflows is refused as negative */
        return x->value ? LLVMBuildAdd(f->b, size, cg_i64(b->cg, x->value), "") : size;
    }
    ice(b->cg->c, x->span, "an extent that C does not pass");
}

/* `n + 1`, of a negative n */
static void check_least(Border *b, CgFunc *f, const CgArray *a, int param, int dim) {
    const Extent *x = &b->fn->shapes.at[param].at[dim];
    Cg *cg = b->cg;
    LLVMBasicBlockRef ok;
    if (x->kind != EXTENT_BINDS || x->value <= 0) return;
    cg_cold(f, LLVMBuildICmp(f->b, LLVMIntSLT, a->ext[dim], cg_i64(cg, x->value), ""), &ok);
    const char *words = size_text(&cg->c->arena, x->size, x->value);
    LLVMValueRef none = LLVMConstNull(cg->ptr), zero = cg_i64(cg, 0);
    LLVMValueRef fail[13] = {
        cg_place_string(cg, b->fn->params.at[param]->span),
        cg_string(cg, b->fn->name, strlen(b->fn->name)),
        cg_string(cg, words, strlen(words)),
        cg_string(cg, a->name, strlen(a->name)),
        cg_i64(cg, a->type->rank),
        cg_extents_in_memory(f, 0, a),
        cg_i64(cg, dim),
        none,
        zero,
        none,
        zero,
        cg_i64(cg, x->value),
        none,
    };
    cg_call_runtime(f, RT_FAIL_SHAPE, fail, 13);
    cg_enter(f, ok);
}

static CgArray border_array(Border *b, CgFunc *f, int i) {
    const Symbol *p = b->fn->params.at[i];
    CgArray a = {.data = take(b, f, i), .type = p->type, .name = p->name};
    if (p->type->kind != TY_ARRAY) {
        LLVMValueRef check[5] = {cg_place_string(b->cg, p->span), cg_string(b->cg, p->name, strlen(p->name)), a.data,
                                 cg_i64(b->cg, 0), LLVMConstNull(b->cg->ptr)};
        cg_call_runtime(f, RT_CHECK_ARGUMENT, check, 5);
        return a;
    }
    for (int d = 0; d < p->type->rank; d++) a.ext[d] = border_extent(b, f, i, d);
    LLVMValueRef check[5] = {cg_place_string(b->cg, p->span), cg_string(b->cg, p->name, strlen(p->name)), a.data,
                             cg_i64(b->cg, p->type->rank), cg_extents_in_memory(f, 0, &a)};
    cg_call_runtime(f, RT_CHECK_ARGUMENT, check, 5);
    for (int d = 0; d < p->type->rank; d++) check_least(b, f, &a, i, d);
    return a;
}

static LLVMValueRef reference_bytes(CgFunc *f, const CgArray *a) {
    return a->type->kind == TY_ARRAY ? cg_array_bytes(f, a) : cg_i64(f->cg, cg_size(a->type));
}

/* The generated code assumes that an array that is written overlaps no other. Arrays that a launch only reads may be
 * the same array, but not overlapping parts of one: libomptarget maps each byte once. */
static void check_apart(Border *b, CgFunc *f, const CgArray *arrays, int i, int k) {
    const Symbol *p = b->fn->params.at[i], *q = b->fn->params.at[k];
    bool reads = p->mode == REF_IN && q->mode == REF_IN;
    if (p->mode == REF_NONE || q->mode == REF_NONE || (reads && !b->fn->is_kernel)) return;
    LLVMValueRef args[8] = {cg_place_string(b->cg, q->span), cg_string(b->cg, p->name, strlen(p->name)), arrays[i].data,
                            reference_bytes(f, &arrays[i]), cg_string(b->cg, q->name, strlen(q->name)), arrays[k].data,
                            reference_bytes(f, &arrays[k]), cg_i32(b->cg, reads)};
    cg_call_runtime(f, RT_CHECK_APART, args, 8);
}

/* As the program's own functions take it. */
static LLVMValueRef border_value(CgFunc *f, const Symbol *p, const CgArray *array, const CgValue *scalar) {
    if (p->mode == REF_NONE) return scalar->v;
    return p->type->kind == TY_ARRAY ? cg_array_desc(f, array) : array->data;
}

/* What the caller keeps on the device stays there, and the function finds it. */
static void give(Border *b, CgFunc *f, CgArray *a, int i) {
    const Func *fn = b->fn;
    const Symbol *p = fn->params.at[i];
    if (!fn->at_border || p->mode == REF_NONE || p->type->kind != TY_ARRAY) return;
    Place at = cg_place(b->cg, p->span);
    OffArg section = {.label = p->name, .place = {at.file->path, fn->name, at.line, at.col}};
    LLVMValueRef args[3] = {off_section_info(b->cg->off, &section, &section.place), a->data, cg_array_bytes(f, a)};
    a->data = cg_call_runtime(f, RT_CALLER_GIVES, args, 3);
    LLVMBuildStore(f->b, a->data, b->fields[i]);
    cg_sync(f, a, fn->at_border[i], p->span, p->id);
}

static CgValue call_inside(Border *b, CgFunc *f, CgArray *arrays, CgValue *scalars) {
    Cg *cg = b->cg;
    const Func *fn = b->fn;
    LLVMValueRef *values = arena_array(&cg->c->arena, LLVMValueRef, fn->n_given + fn->border.n + 1);
    if (fn->is_kernel) { /* a kernel's sizes are its border, in the same order */
        for (int i = 0; i < fn->border.n; i++) values[i] = take(b, f, fn->n_given + i);
        return f->cg->launches->launch_values(f, fn, arrays, scalars, values);
    }
    for (int i = 0; i < fn->n_given; i++)
        values[i] = border_value(f, fn->params.at[i], &arrays[i], &scalars[i]);
    LLVMValueRef v = cg_call(f, cg_function_type(cg, fn), cg_function(cg, fn, false), values, fn->n_given);
    return cg_value(v, fn->result);
}

/* void name(frame): left in its body, with the fields at hand. */
static LLVMValueRef frame_function(Border *b, CgFunc *f, const char *name) {
    Cg *cg = b->cg;
    LLVMTypeRef type = LLVMFunctionType(cg->void_, &cg->ptr, 1, false);
    LLVMValueRef fn = LLVMAddFunction(cg->module, arena_printf(&cg->c->arena, "%s.%s", name, b->fn->symbol), type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_func_begin(f, cg, b->fn, fn);
    f->is_kernel = false;
    f->checks = cg->target->checks;
    b->fields = arena_array(&cg->c->arena, LLVMValueRef, b->n + 1);
    for (int i = 0; i < b->n; i++)
        b->fields[i] = LLVMBuildStructGEP2(f->b, b->frame_type, LLVMGetParam(fn, 0), (unsigned)i, "");
    return fn;
}

/* However the call ended, the caller's arrays are where they were before. NULL: nothing has moved. */
static LLVMValueRef emit_take_back(Border *b) {
    const Func *fn = b->fn;
    if (!fn->at_border) return NULL;
    CgFunc f;
    LLVMValueRef take_back = frame_function(b, &f, "border.back");
    for (int i = 0; i < fn->n_given; i++) {
        const Symbol *p = fn->params.at[i];
        if (p->type->kind != TY_ARRAY) continue;
        CgArray a = {.data = take(b, &f, i), .type = p->type, .name = p->name};
        for (int d = 0; d < p->type->rank; d++) a.ext[d] = border_extent(b, &f, i, d);
        LLVMValueRef args[2] = {a.data, cg_array_bytes(&f, &a)};
        cg_call_runtime(&f, RT_CALLER_TAKES, args, 2);
    }
    LLVMBuildRetVoid(f.b);
    return take_back;
}

static LLVMValueRef emit_thunk(Border *b) {
    Cg *cg = b->cg;
    const Func *fn = b->fn;
    CgFunc f;
    LLVMValueRef thunk = frame_function(b, &f, "border");
    CgArray *arrays = arena_array(&cg->c->arena, CgArray, fn->params.n + 1);
    CgValue *scalars = arena_array(&cg->c->arena, CgValue, fn->params.n + 1);
    for (int i = 0; i < fn->n_given; i++) {
        if (fn->params.at[i]->mode == REF_NONE)
            scalars[i] = cg_load(&f, cg_variable(b->fields[i], fn->params.at[i]->type));
        else arrays[i] = border_array(b, &f, i);
    }
    for (int i = 0; i < fn->n_given; i++)
        for (int k = 0; k < i; k++) check_apart(b, &f, arrays, k, i);
    for (int i = 0; i < fn->n_given; i++) give(b, &f, &arrays[i], i);
    CgValue v = call_inside(b, &f, arrays, scalars);
    if (b->has_result) cg_store(&f, cg_variable(take(b, &f, b->n - 1), fn->result), v);
    LLVMBuildRetVoid(f.b);
    return thunk;
}

/* As C passes a field of the frame. */
static CPassing passing_of(Border *b, CgC *c, int i) {
    const Func *fn = b->fn;
    if (i < fn->n_given) return cg_c_param(c, fn->params.at[i]->type, fn->params.at[i]->mode != REF_NONE);
    bool is_size = i < fn->n_given + fn->border.n;
    return cg_c_param(c, is_size ? cg_scalar(b->cg, TY_INDEX) : fn->result, !is_size);
}

static LLVMValueRef declare_export(Border *b) {
    Cg *cg = b->cg;
    int n = 0;
    CgC c;
    LLVMTypeRef *fields = arena_array(&cg->c->arena, LLVMTypeRef, b->n + 1);
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, 2 * b->n + 1);
    b->passing = arena_array(&cg->c->arena, CPassing, b->n + 1);
    b->first = arena_array(&cg->c->arena, int, b->n + 1);
    cg_c_begin(&c, cg, cg_scalar(cg, TY_I32));
    for (int i = 0; i < b->n; i++) {
        fields[i] = frame_field(b, i);
        b->passing[i] = passing_of(b, &c, i);
        b->first[i] = n;
        n += cg_c_types(cg, &b->passing[i], params + n);
    }
    b->frame_type = LLVMStructTypeInContext(cg->ctx, fields, (unsigned)b->n, false);
    LLVMValueRef v = LLVMAddFunction(cg->module, b->fn->name, LLVMFunctionType(cg->i32, params, (unsigned)n, false));
    for (int i = 0; i < b->n; i++) cg_c_param_attributes(cg, &b->passing[i], v, b->first[i]);
    return v;
}

/* Words that C passes may reach beyond a small struct, so they are stored elsewhere first. */
static void take_field(Border *b, LLVMValueRef fn, LLVMValueRef frame, int i) {
    Cg *cg = b->cg;
    const CPassing *p = &b->passing[i];
    LLVMValueRef to = LLVMBuildStructGEP2(cg->b, b->frame_type, frame, (unsigned)i, "");
    if (p->way != C_IN_WORDS) {
        cg_c_take(cg, p, fn, b->first[i], to);
        return;
    }
    LLVMValueRef words = LLVMBuildAlloca(cg->b, LLVMArrayType2(cg->i64, 2), "words");
    cg_c_take(cg, p, fn, b->first[i], words);
    LLVMBuildMemCpy(cg->b, to, 1, words, 8, cg_i64(cg, type_size_bytes(p->type)));
}

void cg_export(Cg *cg, const Func *fn) {
    Border b = {.cg = cg, .fn = fn, .has_result = fn->result->kind != TY_VOID};
    b.n = fn->n_given + fn->border.n + b.has_result;
    LLVMValueRef v = declare_export(&b), thunk = emit_thunk(&b), take_back = emit_take_back(&b);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, v, "entry"));
    LLVMValueRef frame = LLVMBuildAlloca(cg->b, b.frame_type, "frame");
    for (int i = 0; i < b.n; i++) take_field(&b, v, frame, i);
    LLVMValueRef border = cg_runtime(cg, RT_BORDER), args[2] = {thunk, frame};
    LLVMValueRef status = LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(border), border, args, 2, "");
    if (take_back) LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(take_back), take_back, &frame, 1, "");
    LLVMBuildRet(cg->b, status);
}
