/* print.c -- printing in kernels, and messages of asserts. The device writes only numbers: which text, the position of
 * the work item, and the values, each in a 64-bit slot. The texts are in tables of the host program, and
 * runtime/print.c combines both after the launch. Only a kernel that prints, itself or in a function that it calls, is
 * launched with a buffer. No call leaves the device. */
#include "irgen/lang/lang.h"

#include <string.h>

#include "runtime/runtime.h"

bool cg_prints(const Func *fn) { return (fn->effects & EFFECT_PRINT) != 0; }

/* Values as runtime.h's KdslPiece describes them ------------------------------------------------------------------- */

static LLVMValueRef slot_of(CgFunc *f, CgValue v) {
    Cg *cg = f->cg;
    if (v.type->kind == TY_BOOL) return LLVMBuildZExt(f->b, v.v, cg->i64, "");
    if (v.type->is_float) return LLVMBuildBitCast(f->b, cg_convert(f, v, cg_scalar(cg, TY_F64)).v, cg->i64, "");
    return cg_convert(f, v, cg_scalar(cg, v.type->is_signed ? TY_I64 : TY_U64)).v;
}

static int slots_of_type(const Type *t) { return t->kind == TY_VECTOR ? t->width : 1; }

static int slots_of_args(const ArgList *args, int first) {
    int n = 0;
    for (int i = first; i < args->n; i++) n += slots_of_type(args->at[i].value->type);
    return n;
}

LLVMValueRef *cg_text_slots(CgFunc *f, const ArgList *args, int first, int *n_slots) {
    LLVMValueRef *slots = arena_array(&f->cg->c->arena, LLVMValueRef, slots_of_args(args, first) + 1);
    int n = 0;
    for (int i = first; i < args->n; i++) {
        CgValue v = cg_expr(f, args->at[i].value);
        for (int k = 0; k < slots_of_type(v.type); k++)
            slots[n++] = slot_of(f, v.type->kind == TY_VECTOR ? cg_part(f, v, k) : v);
    }
    *n_slots = n;
    return slots;
}

/* Tables, in the host program -------------------------------------------------------------------------------------- */

typedef struct Pieces {
    Cg *cg;
    Vec(LLVMValueRef) rows;
} Pieces;

static void add_row(Pieces *p, LLVMValueRef text, size_t n, const int32_t numbers[8]) {
    Cg *cg = p->cg;
    LLVMValueRef v[10] = {text, cg_i64(cg, (int64_t)n)};
    for (int i = 0; i < 8; i++) v[2 + i] = cg_i32(cg, numbers[i]);
    vec_push(&cg->c->arena, &p->rows, LLVMConstStructInContext(cg->ctx, v, 10, false));
}

static void add_text(Pieces *p, const char *at, size_t n) {
    static const int32_t none[8] = {0};
    if (n) add_row(p, cg_string(p->cg, at, n), n, none);
}

static void add_number(Pieces *p, const FormatPiece *piece, const Type *t) {
    char kind = t->kind == TY_BOOL ? 'b' : t->is_float ? 'f' : t->is_signed ? 'i' : 'u';
    int32_t bits = t->is_float && t->bits < 32 ? 32 : t->bits;
    const int32_t numbers[8] = {kind, bits, piece->width, piece->precision, piece->align, piece->zero, piece->style, 0};
    add_row(p, LLVMConstNull(p->cg->ptr), 0, numbers);
}

static void add_value(Pieces *p, const FormatPiece *piece, const Type *t) {
    if (t->kind != TY_VECTOR) {
        add_number(p, piece, t);
        return;
    }
    for (int i = 0; i < t->width; i++) {
        add_text(p, i ? ", " : "(", i ? 2 : 1);
        add_number(p, piece, t->elem);
    }
    add_text(p, ")", 1);
}

static void add_plan(Pieces *p, const FormatPlan *plan, const ArgList *args, int first) {
    for (int i = 0; i < plan->pieces.n; i++) {
        const FormatPiece *piece = &plan->pieces.at[i];
        if (piece->kind == PIECE_TEXT) add_text(p, piece->text, piece->n);
        else add_value(p, piece, args->at[first + piece->arg].value->type);
    }
}

LLVMValueRef cg_constant_table(Cg *cg, const char *name, LLVMTypeRef elem, LLVMValueRef *values, int n) {
    LLVMValueRef table = LLVMAddGlobal(cg->module, LLVMArrayType2(elem, (uint64_t)n), name);
    LLVMSetInitializer(table, LLVMConstArray2(elem, values, (uint64_t)n));
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetGlobalConstant(table, true);
    return table;
}

static LLVMValueRef table_of(Pieces *p) {
    if (!p->rows.n) return LLVMConstNull(p->cg->ptr);
    return cg_constant_table(p->cg, "pieces", LLVMTypeOf(p->rows.at[0]), p->rows.at, p->rows.n);
}

LLVMValueRef cg_assert_pieces(Cg *cg, const Stmt *st, int *n) {
    Pieces p = {.cg = cg};
    if (st->assert_.format) {
        add_plan(&p, st->assert_.plan, &st->assert_.args, 0);
    } else {
        const char *text = cg_condition_text(cg, st->assert_.cond);
        add_text(&p, text, strlen(text));
    }
    *n = p.rows.n;
    return table_of(&p);
}

static LLVMValueRef print_row(Cg *cg, const PrintSite *site) {
    Pieces p = {.cg = cg};
    const CallInfo *info = site->call->call.info;
    bool on_device = site->func->on_device && info->format;
    if (on_device) add_plan(&p, info->format, &site->call->call.args, 1);
    LLVMValueRef v[3] = {table_of(&p), cg_i64(cg, p.rows.n),
                         cg_i64(cg, on_device ? slots_of_args(&site->call->call.args, 1) : 0)};
    return LLVMConstStructInContext(cg->ctx, v, 3, false);
}

static LLVMValueRef print_table(Cg *cg, const Func *kernel) {
    const char *name = cg_table_name(cg, kernel, "kdsl.prints");
    LLVMValueRef table = LLVMGetNamedGlobal(cg->module, name);
    if (table) return table;
    if (kernel->is_made) return LLVMAddGlobal(cg->module, cg->ptr, name);
    int n = cg->program->prints.n;
    LLVMValueRef *rows = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) rows[i] = print_row(cg, &cg->program->prints.at[i]);
    return cg_shared_table(cg, cg_constant_table(cg, name, LLVMTypeOf(rows[0]), rows, n));
}

/* On devices ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef word(LLVMBuilderRef b, Cg *cg, LLVMValueRef at, int n) {
    LLVMValueRef offset = cg_i64(cg, n);
    return LLVMBuildInBoundsGEP2(b, cg->i64, at, &offset, 1, "");
}

static LLVMValueRef add_atomically(LLVMBuilderRef b, Cg *cg, LLVMValueRef at, LLVMValueRef n) {
    LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(b, LLVMAtomicRMWBinOpAdd, at, n, LLVMAtomicOrderingMonotonic,
                                                   cg_atomic_scope(cg));
    LLVMSetAlignment(old, 8);
    return old;
}

/* ptr kdsl.print.room(buffer, words): NULL, and counted, if the buffer is full. */
static LLVMValueRef room_function(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, "kdsl.print.room");
    if (fn) return fn;
    LLVMTypeRef params[2] = {cg->ptr, cg->i64};
    fn = LLVMAddFunction(cg->module, "kdsl.print.room", LLVMFunctionType(cg->ptr, params, 2, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "noinline");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->ctx);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cg->ctx, fn, "entry");
    LLVMBasicBlockRef fits = LLVMAppendBasicBlockInContext(cg->ctx, fn, "fits");
    LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(cg->ctx, fn, "full");
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef buffer = LLVMGetParam(fn, 0), words = LLVMGetParam(fn, 1);
    LLVMValueRef from = add_atomically(b, cg, word(b, cg, buffer, KDSL_PRINT_NEXT), words);
    LLVMValueRef end = LLVMBuildLoad2(b, cg->i64, word(b, cg, buffer, KDSL_PRINT_END), "end");
    LLVMValueRef to = LLVMBuildAdd(b, from, words, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLE, to, end, ""), fits, full);
    LLVMPositionBuilderAtEnd(b, fits);
    LLVMBuildRet(b, LLVMBuildInBoundsGEP2(b, cg->i64, buffer, &from, 1, ""));
    LLVMPositionBuilderAtEnd(b, full);
    add_atomically(b, cg, word(b, cg, buffer, KDSL_PRINT_DROPPED), cg_i64(cg, 1));
    LLVMBuildRet(b, LLVMConstNull(cg->ptr));
    LLVMDisposeBuilder(b);
    return fn;
}

void cg_print_record(CgFunc *f, Expr *e) {
    Cg *cg = f->cg;
    int n;
    LLVMValueRef *values = cg_text_slots(f, &e->call.args, 1, &n), fn = room_function(cg);
    cg_debug_at(f, e->span);
    LLVMValueRef args[2] = {f->print_buffer, cg_i64(cg, 4 + n)};
    LLVMValueRef at = cg_call(f, LLVMGlobalGetValueType(fn), fn, args, 2);
    LLVMBasicBlockRef some = cg_block(f, "print"), done = cg_block(f, "printed");
    LLVMBuildCondBr(f->b, LLVMBuildIsNotNull(f->b, at, ""), some, done);
    cg_enter(f, some);
    LLVMBuildStore(f->b, cg_i64(cg, e->call.info->print_site), at);
    for (int i = 0; i < 3; i++) LLVMBuildStore(f->b, cg_item_position(f, i), word(f->b, cg, at, 1 + i));
    for (int i = 0; i < n; i++) LLVMBuildStore(f->b, values[i], word(f->b, cg, at, 4 + i));
    cg_goto(f, done);
    cg_enter(f, done);
}

/* On the host, around a launch ------------------------------------------------------------------------------------- */

LLVMValueRef cg_print_buffer(CgFunc *f) { return cg_call_runtime(f, RT_PRINT_BEGIN, NULL, 0); }

OffArg cg_print_arg(CgFunc *f, LLVMValueRef buffer, const Func *kernel) {
    Place p = cg_place(f->cg, kernel->name_span);
    return (OffArg){.base = buffer, .begin = buffer, .size_bytes = cg_call_runtime(f, RT_PRINT_BYTES, NULL, 0),
                    .transfer = TRANSFER_TOFROM, .label = "prints",
                    .place = {p.file->path, kernel->name, p.line, p.col}};
}

void cg_print_lines(CgFunc *f, const Func *kernel, Span launch) {
    Cg *cg = f->cg;
    LLVMValueRef args[5] = {print_table(cg, kernel), cg_domain_names(cg, kernel), cg_i64(cg, kernel->domain.n),
                            cg_place_string(cg, launch), cg_string(cg, kernel->name, strlen(kernel->name))};
    cg_call_runtime(f, RT_PRINT_END, args, 5);
}
