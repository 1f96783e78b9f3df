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
    return cg_value(cg_call_runtime(f, is_print ? RT_TEXT_PRINT : RT_TEXT_FORMAT, NULL, 0), e->type);
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
