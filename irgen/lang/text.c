/* text.c -- print, format and the text of a failed assert: a call of runtime/text.c for each piece of the format. All
 * arguments are evaluated before the first piece, because an argument may itself print or format. */
#include "irgen/lang/lang.h"
#include "runtime/failure.h"

#include <string.h>

static void number(CgFunc *f, const FormatPiece *p, CgValue v) {
    Cg *cg = f->cg;
    LLVMValueRef width = cg_i32(cg, p->width), align = cg_i32(cg, p->align), zero = cg_i32(cg, p->zero);
    LLVMValueRef style = cg_i32(cg, p->style);
    const Type *t = v.type;
    if (t->kind == TY_STR) {
        cg_call_runtime(f, RT_TEXT_STR, (LLVMValueRef[]){v.v, width, align}, 3);
    } else if (t->kind == TY_BOOL) {
        LLVMValueRef bits = LLVMBuildZExt(f->b, v.v, cg->i32, "");
        cg_call_runtime(f, RT_TEXT_BOOL, (LLVMValueRef[]){bits, width, align}, 3);
    } else if (t->is_float) {
        LLVMValueRef wide = cg_convert(f, v, cg_scalar(cg, TY_F64)).v;
        LLVMValueRef args[] = {
            wide, cg_i32(cg, t->bits < 32 ? 32 : t->bits), width, cg_i32(cg, p->precision), align, zero, style};
        cg_call_runtime(f, RT_TEXT_F64, args, 7);
    } else if (t->is_signed) {
        LLVMValueRef wide = cg_convert(f, v, cg_scalar(cg, TY_I64)).v;
        cg_call_runtime(f, RT_TEXT_I64, (LLVMValueRef[]){wide, cg_i32(cg, t->bits), width, align, zero, style}, 6);
    } else {
        LLVMValueRef wide = cg_convert(f, v, cg_scalar(cg, TY_U64)).v;
        cg_call_runtime(f, RT_TEXT_U64, (LLVMValueRef[]){wide, width, align, zero, style}, 5);
    }
}

static void text_bytes(CgFunc *f, const char *at, size_t n);

static void piece(CgFunc *f, const FormatPiece *p, CgValue v) {
    if (v.type->kind != TY_VECTOR) {
        number(f, p, v);
        return;
    }
    for (int i = 0; i < v.type->width; i++) {
        text_bytes(f, i ? ", " : "(", i ? 2 : 1);
        number(f, p, cg_part(f, v, i));
    }
    text_bytes(f, ")", 1);
}

static void text_bytes(CgFunc *f, const char *at, size_t n) {
    LLVMValueRef args[2] = {cg_string(f->cg, at, n), cg_i64(f->cg, (int64_t)n)};
    cg_call_runtime(f, RT_TEXT_BYTES, args, 2);
}

static void pieces(CgFunc *f, const FormatPlan *plan, const CgValue *values) {
    for (int i = 0; i < plan->pieces.n; i++) {
        const FormatPiece *p = &plan->pieces.at[i];
        if (p->kind == PIECE_TEXT) text_bytes(f, p->text, p->n);
        else piece(f, p, values[p->arg]);
    }
}

/* Whole arrays and structs ----------------------------------------------------------------------------------------- */

static LLVMValueRef offset_from(CgFunc *f, LLVMValueRef at, int64_t bytes) {
    LLVMValueRef offset = cg_i64(f->cg, bytes);
    return bytes ? LLVMBuildInBoundsGEP2(f->b, f->cg->i8, at, &offset, 1, "") : at;
}

/* The fields of a struct that owns arrays, which are the arguments from *next on, to its place in memory. */
static void gather(CgFunc *f, const Type *t, LLVMValueRef at, const ArgList *args, int *next) {
    if (type_owns(t)) {
        for (int i = 0; i < t->n_fields; i++)
            gather(f, t->fields[i].type, offset_from(f, at, t->fields[i].offset), args, next);
        return;
    }
    Expr *value = args->at[(*next)++].value;
    if (t->kind == TY_ARRAY) {
        CgArray a = cg_array(f, value);
        cg_store_array(f, at, cg_array_value(f, &a));
    } else {
        cg_store(f, (CgPlace){.at = at, .type = value->type}, cg_expr(f, value));
    }
}

static LLVMValueRef struct_in_memory(CgFunc *f, const CallInfo *info, const ArgList *args) {
    enum { ALIGN = 16 };
    uint64_t n = ((uint64_t)type_size_bytes(info->shown) + ALIGN - 1) / ALIGN;
    LLVMValueRef at = cg_alloca(f, LLVMArrayType2(LLVMVectorType(f->cg->i8, ALIGN), n), "shown");
    int next = 0;
    gather(f, info->shown, at, args, &next);
    return at;
}

static LLVMValueRef text_of(CgFunc *f, const CallInfo *info, LLVMValueRef at, Span span) {
    Cg *cg = f->cg;
    const FormatPiece *p = info->shown_as;
    const char *layout = type_layout(cg->c, info->shown);
    cg_debug_at(f, span);
    LLVMValueRef args[] = {cg_string(cg, layout, strlen(layout)), at, cg_i32(cg, p->width), cg_i32(cg, p->precision),
                           cg_i32(cg, p->align), cg_i32(cg, p->zero), cg_i32(cg, p->style)};
    return cg_call_runtime(f, RT_VALUE_TEXT, args, 7);
}

CgValue lower_shown(CgFunc *f, Expr *e) {
    const CallInfo *info = e->call.info;
    Expr *value = e->call.args.at[0].value;
    if (info->shown->kind != TY_ARRAY)
        return cg_value(text_of(f, info, struct_in_memory(f, info, &e->call.args), e->span), e->type);
    CgArray a = cg_array(f, value);
    LLVMValueRef text = text_of(f, info, cg_array_desc(f, &a), e->span);
    if (e->call.args.at[0].mode == REF_NONE) cg_call_runtime(f, RT_ARRAY_FREE, &a.data, 1); /* it has no name */
    return cg_value(text, e->type);
}

static void free_shown(CgFunc *f, const ArgList *args, int first, const CgValue *values) {
    for (int i = first; i < args->n; i++)
        if (shown_type(args->at[i].value) != args->at[i].value->type)
            cg_call_runtime(f, RT_VALUE_TEXT_END, (LLVMValueRef[]){values[i - first].v}, 1);
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static CgValue *evaluate(CgFunc *f, const ArgList *args, int first) {
    CgValue *values = arena_array(&f->cg->c->arena, CgValue, args->n + 1);
    for (int i = first; i < args->n; i++) values[i - first] = cg_expr(f, args->at[i].value);
    return values;
}

CgValue lower_text(CgFunc *f, Expr *e) {
    const CallInfo *info = e->call.info;
    if (f->print_buffer && info->builtin == BUILTIN_PRINT) {
        cg_print_record(f, e);
        return cg_value(NULL, e->type);
    }
    CgValue *values = evaluate(f, &e->call.args, 1);
    cg_debug_at(f, e->span);
    pieces(f, info->format, values);
    bool is_print = info->builtin == BUILTIN_PRINT;
    LLVMValueRef text = cg_call_runtime(f, is_print ? RT_TEXT_PRINT : RT_TEXT_FORMAT, NULL, 0);
    free_shown(f, &e->call.args, 1, values);
    return cg_value(text, e->type);
}

/* An assert without a text prints its condition, on one line. */
const char *cg_condition_text(Cg *cg, const Expr *cond) {
    Place p = cg_place(cg, cond->span);
    int n = (int)(cond->span.hi - cond->span.lo);
    const char *at = p.file->text + (cond->span.lo + cg->base_shift - p.file->base);
    char *text = arena_printf(&cg->c->arena, FAILURE_ASSERT "%.*s", n, at);
    for (char *s = text; *s; s++)
        if ((unsigned char)*s < ' ') *s = ' ';
    return text;
}

void cg_assert(CgFunc *f, Stmt *s) {
    CgValue cond = cg_expr(f, s->assert_.cond);
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "assert", s->span, 0, LLVMBuildNot(f->b, cond.v, "")), &ok);
    if (f->error_slot) {
        CgFailure what = {0};
        what.values = cg_text_slots(f, &s->assert_.args, 0, &what.n_values);
        cg_report(f, s->assert_.site, what);
        cg_enter(f, ok);
        return;
    }
    if (s->assert_.format) pieces(f, s->assert_.plan, evaluate(f, &s->assert_.args, 0));
    else text_bytes(f, cg_condition_text(f->cg, s->assert_.cond), strlen(cg_condition_text(f->cg, s->assert_.cond)));
    LLVMValueRef place = cg_place_string(f->cg, s->span);
    cg_call_runtime(f, RT_TEXT_ASSERT, &place, 1);
    cg_enter(f, ok);
}
