/* check.c -- run-time checks where nothing can be printed: in kernels and in the functions that they call. A launch
 * has an error slot in device memory. The first item whose check fails takes the slot by a compare-and-swap, and
 * stores the number of the check, the values that it compares and the indices of the item. Then its range of items
 * ends; other ranges read the slot and end soon after. The launch returns whether the slot is taken; if so, the host
 * copies the rest and prints the message from a table of checks (runtime/slot.c). No call leaves the device, so this
 * works on every device. Kernels without checks have no slot. */
#include "irgen/lang/lang.h"

#include <string.h>

#include "runtime/runtime.h"

/* The slot: runtime/runtime.h, KdslSlot. All fields are 64 bits, but the first, which are two of 32. */
enum { SLOT_TAKEN, SLOT_SITE, SLOT_VALUE, SLOT_OTHER, SLOT_DIM, SLOT_EXTENTS, SLOT_OTHER_EXTENTS = 9, SLOT_ITEM = 13,
       SLOT__COUNT = 16 };

/* --unchecked leaves the asserts. */
bool cg_has_slot(const Cg *cg, const Func *fn) { return cg->options->unchecked ? fn->may_assert : fn->may_fail; }

bool cg_can_report(const CgFunc *f, int site) {
    return f->error_slot ? site > 0 && !f->cg->options->unchecked : f->checks && site >= 0;
}

LLVMValueRef cg_slot_blocks(CgFunc *f) {
    LLVMValueRef behind = cg_i64(f->cg, 1);
    return LLVMBuildInBoundsGEP2(f->b, f->cg->i32, f->error_slot, &behind, 1, "blocks");
}

/* On devices ------------------------------------------------------------------------------------------------------- */

/* { i32, i1 }: has this item taken the slot, as the first one? */
static LLVMValueRef take_slot(Cg *cg, LLVMBuilderRef b, LLVMValueRef slot, int32_t by) {
    return LLVMBuildAtomicCmpXchg(b, slot, cg_i32(cg, 0), cg_i32(cg, by), LLVMAtomicOrderingMonotonic,
                                  LLVMAtomicOrderingMonotonic, false);
}

/* void kdsl.report(slot, record): the first one wins. */
static LLVMValueRef report_function(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, "kdsl.report");
    if (fn) return fn;
    LLVMTypeRef params[2] = {cg->ptr, cg->ptr};
    fn = LLVMAddFunction(cg->module, "kdsl.report", LLVMFunctionType(cg->void_, params, 2, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "noinline");
    cg_fn_attr(cg, fn, "cold");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->ctx);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cg->ctx, fn, "entry");
    LLVMBasicBlockRef won = LLVMAppendBasicBlockInContext(cg->ctx, fn, "won");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(cg->ctx, fn, "done");
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef slot = LLVMGetParam(fn, 0), one = cg_i64(cg, 1);
    LLVMValueRef swap = take_slot(cg, b, slot, 1);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, swap, 1, ""), won, done);
    LLVMPositionBuilderAtEnd(b, won);
    LLVMValueRef rest = LLVMBuildInBoundsGEP2(b, cg->i64, slot, &one, 1, "");
    LLVMBuildMemCpy(b, rest, 8, LLVMGetParam(fn, 1), 8, cg_i64(cg, 8 * (SLOT__COUNT - 1)));
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return fn;
}

LLVMValueRef cg_item_position(CgFunc *f, int i) {
    if (!f->is_kernel) return f->item[i];
    if (i >= f->func->domain.n) return cg_i64(f->cg, 0);
    const Symbol *sym = f->func->domain.at[i];
    LLVMValueRef v = f->slots[sym->id].value;
    if (sym->type->is_signed) return LLVMBuildSExtOrBitCast(f->b, v, f->cg->i64, "");
    return LLVMBuildZExtOrBitCast(f->b, v, f->cg->i64, "");
}

/* Ends the item: in a kernel, its range of items. A function returns zeros, which its caller does not use: the bit
 * `failed` makes the caller return, too. */
static void leave_item(CgFunc *f) {
    if (f->failed) LLVMBuildStore(f->b, LLVMConstInt(f->cg->i1, 1, false), f->failed);
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    if (f->is_kernel && f->cg->target->gpu) cg_leave_item(f);
    else if (result == f->cg->void_) LLVMBuildRetVoid(f->b);
    else LLVMBuildRet(f->b, LLVMConstNull(result));
}

void cg_leave_range(CgFunc *f) { leave_item(f); }

/* Where the fields after the first are written: in the slot, or in memory of the caller. */
typedef struct Report {
    LLVMValueRef at;
    bool is_zero; /* before anything is written */
} Report;

/* What is enough to write into a field that is zero: the lower half of a number without an upper one, which needs one
 * register of a GPU instead of two. */
static LLVMValueRef without_zeros(CgFunc *f, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) <= UINT32_MAX) return LLVMConstTrunc(v, f->cg->i32);
    bool is_word = LLVMIsAZExtInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == f->cg->i32;
    return is_word ? LLVMGetOperand(v, 0) : v;
}

static void put(CgFunc *f, const Report *r, int field, LLVMValueRef v) {
    LLVMValueRef at = cg_i64(f->cg, field - SLOT_SITE);
    if (r->is_zero && LLVMIsConstant(v) && LLVMIsNull(v)) return;
    if (r->is_zero) v = without_zeros(f, v);
    LLVMBuildStore(f->b, v, LLVMBuildInBoundsGEP2(f->b, f->cg->i64, r->at, &at, 1, ""));
}

/* Is the second value part of the message? */
static bool has_other(const Cg *cg, int site) { return cg->program->sites.at[site - 1].kind != CHECK_INDEX; }

static void put_all(CgFunc *f, const Report *r, int site, CgFailure what) {
    Cg *cg = f->cg;
    LLVMValueRef zero = cg_i64(cg, 0);
    if (!r->is_zero) put(f, r, SLOT_SITE, cg_i64(cg, site));
    put(f, r, SLOT_VALUE, what.value ? what.value : zero);
    if (!r->is_zero || has_other(cg, site)) put(f, r, SLOT_OTHER, what.other ? what.other : zero);
    put(f, r, SLOT_DIM, cg_i64(cg, what.dim));
    for (int d = 0; what.array && d < what.array->type->rank; d++) put(f, r, SLOT_EXTENTS + d, what.array->ext[d]);
    for (int d = 0; what.other_array && d < what.other_array->type->rank; d++)
        put(f, r, SLOT_OTHER_EXTENTS + d, what.other_array->ext[d]);
    for (int i = 0; i < what.n_values; i++) put(f, r, SLOT_VALUE + i, what.values[i]);
    for (int i = 0; i < 3; i++) put(f, r, SLOT_ITEM + i, cg_item_position(f, i));
}

/* On a GPU, the item that takes the slot, with the number of the check, writes to the slot itself. Memory of its own
 * and a call would cost registers, which the kernel would have from its beginning, though no check fails. */
static void report_here(CgFunc *f, int site, CgFailure what) {
    Cg *cg = f->cg;
    LLVMBasicBlockRef won = cg_block(f, "won"), told = cg_block(f, "told");
    LLVMValueRef one = cg_i64(cg, 1), swap = take_slot(cg, f->b, f->error_slot, site);
    unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, CG_REPORT, sizeof CG_REPORT - 1);
    LLVMSetMetadata(swap, kind, LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0)));
    LLVMBuildCondBr(f->b, LLVMBuildExtractValue(f->b, swap, 1, ""), won, told);
    cg_enter(f, won);
    Report r = {LLVMBuildInBoundsGEP2(f->b, cg->i64, f->error_slot, &one, 1, ""), true};
    put_all(f, &r, site, what);
    cg_goto(f, told);
    cg_enter(f, told);
}

void cg_report(CgFunc *f, int site, CgFailure what) {
    Cg *cg = f->cg;
    if (cg->target->gpu) {
        report_here(f, site, what);
    } else {
        if (!f->record) f->record = cg_alloca(f, LLVMArrayType2(cg->i64, SLOT__COUNT - 1), "record");
        put_all(f, &(Report){f->record, false}, site, what);
        LLVMValueRef fn = report_function(cg), args[2] = {f->error_slot, f->record};
        cg_call(f, LLVMGlobalGetValueType(fn), fn, args, 2);
    }
    leave_item(f);
}

/* Another item may have failed: then there is no use in going on. */
void cg_stop_if_failed(CgFunc *f) {
    LLVMValueRef taken = LLVMBuildLoad2(f->b, f->cg->i32, f->error_slot, "taken");
    LLVMSetOrdering(taken, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(taken, 4);
    LLVMBasicBlockRef ok;
    cg_cold(f, LLVMBuildICmp(f->b, LLVMIntNE, taken, cg_i32(f->cg, 0), ""), &ok);
    leave_item(f);
    cg_enter(f, ok);
}

/* What a function called from a kernel needs to report or to print; follows its own arguments. */
bool cg_needs_item(const Cg *cg, const Func *fn) { return cg_has_slot(cg, fn) || cg_prints(fn); }

/* A bit in the caller's frame says whether a check in fn has failed. */
static bool tells_caller(const Cg *cg, const Func *fn) { return cg_has_slot(cg, fn); }

int cg_item_param_types(Cg *cg, const Func *fn, LLVMTypeRef *params) {
    int n = cg_extra_values(cg, fn) + tells_caller(cg, fn);
    for (int i = 0; i < n; i++) params[i] = cg->ptr;
    for (int i = 0; i < 3; i++) params[n + i] = cg->i64;
    return n + 3;
}

int cg_item_args(CgFunc *f, const Func *fn, LLVMValueRef *args) {
    int n = 0;
    if (cg_has_slot(f->cg, fn)) args[n++] = f->error_slot;
    if (cg_prints(fn)) args[n++] = f->print_buffer;
    if (tells_caller(f->cg, fn)) {
        if (!f->call_failed) f->call_failed = cg_alloca(f, f->cg->i1, "failed");
        LLVMBuildStore(f->b, LLVMConstNull(f->cg->i1), f->call_failed);
        args[n++] = f->call_failed;
    }
    for (int i = 0; i < 3; i++) args[n++] = cg_item_position(f, i);
    return n;
}

/* After a call of fn: an item whose check has failed there ends. */
void cg_leave_if_call_failed(CgFunc *f, const Func *fn) {
    LLVMBasicBlockRef ok;
    if (!tells_caller(f->cg, fn)) return;
    cg_cold(f, LLVMBuildLoad2(f->b, f->cg->i1, f->call_failed, ""), &ok);
    leave_item(f);
    cg_enter(f, ok);
}

void cg_item_bind(CgFunc *f) {
    unsigned at = (unsigned)f->func->params.n;
    LLVMValueRef extra[2];
    f->checks = false;
    for (int i = 0; i < cg_extra_values(f->cg, f->func); i++) extra[i] = LLVMGetParam(f->fn, at++);
    cg_bind_extra(f, f->func, extra);
    if (tells_caller(f->cg, f->func)) f->failed = LLVMGetParam(f->fn, at++);
    for (int i = 0; i < 3; i++) f->item[i] = LLVMGetParam(f->fn, at++);
}

/* The error slot, the print buffer and, of kernels, the KdslShadow, where fn has them. */
int cg_extra_values(Cg *cg, const Func *fn) {
    return cg_has_slot(cg, fn) + cg_prints(fn) + (fn->is_kernel && fn->is_shadowed);
}

void cg_bind_extra(CgFunc *f, const Func *fn, LLVMValueRef *extra) {
    if (cg_has_slot(f->cg, fn)) {
        f->error_slot = *extra++;
        LLVMSetValueName2(f->error_slot, "slot", 4);
    }
    if (cg_prints(fn)) {
        f->print_buffer = *extra++;
        LLVMSetValueName2(f->print_buffer, "prints", 6);
    }
    if (fn->is_kernel && fn->is_shadowed) f->shadow = *extra;
}

/* On the host ------------------------------------------------------------------------------------------------------ */

/* Only the first word of the slot, SLOT_TAKEN, is copied back. */
OffArg cg_slot_arg(CgFunc *f, LLVMValueRef slot, const Func *kernel) {
    Place p = cg_place(f->cg, kernel->name_span);
    return (OffArg){.base = slot, .begin = slot, .size_bytes = cg_i64(f->cg, 8), .transfer = TRANSFER_FROM,
                    .is_there = true, .label = "checks", .place = {p.file->path, kernel->name, p.line, p.col}};
}

LLVMValueRef cg_slot_take(CgFunc *f, const Func *kernel, LLVMValueRef device, const OffPlace *launch) {
    OffArg arg = cg_slot_arg(f, NULL, kernel);
    LLVMValueRef args[2] = {off_section_info(f->cg->off, &arg, launch), device ? device : cg_i64(f->cg, -1)};
    return cg_call_runtime(f, RT_SLOT_TAKE, args, 2);
}

static LLVMValueRef text(Cg *cg, const char *s) { return s ? cg_string(cg, s, strlen(s)) : LLVMConstNull(cg->ptr); }

static KdslCheckKind kind_of(Cg *cg, const CheckSite *s) {
    switch (s->kind) {
    case CHECK_INDEX: return KDSL_CHECK_INDEX;
    case CHECK_DIVIDE: return KDSL_CHECK_DIVIDE;
    case CHECK_SHIFT: return KDSL_CHECK_SHIFT;
    case CHECK_STEP: return KDSL_CHECK_STEP;
    case CHECK_SHAPE: return KDSL_CHECK_SHAPE;
    case CHECK_SLICE: return KDSL_CHECK_SLICE;
    case CHECK_ASSERT: return KDSL_CHECK_ASSERT;
    }
    ice(cg->c, s->span, "a check of a kind that the runtime does not know");
}

/* runtime.h, KdslCheck. Of a shape, the array that bound the size comes first. */
static LLVMValueRef row(Cg *cg, const CheckSite *s) {
    const Func *callee = s->kind == CHECK_SHAPE ? s->call->func : NULL;
    const ShapeCheck *c = callee ? &s->call->checks.at[s->shape] : NULL;
    bool two = c && c->other_arg >= 0;
    const Symbol *first = c ? callee->params.at[two ? c->other_arg : c->arg] : NULL;
    const Symbol *second = two ? callee->params.at[c->arg] : NULL;
    int n_pieces = 0;
    LLVMValueRef pieces = LLVMConstNull(cg->ptr);
    if (s->kind == CHECK_ASSERT) pieces = cg_assert_pieces(cg, s->assert_, &n_pieces);
    const CgShapeWords words = c ? cg_shape_words(cg, callee, c) : (CgShapeWords){0};
    LLVMValueRef v[14] = {
        cg_place_string(cg, s->span),
        text(cg, c ? first->name : s->name),
        text(cg, c ? callee->name : NULL),
        text(cg, words.size),
        text(cg, two ? second->name : NULL),
        text(cg, words.other_size),
        cg_i64(cg, kind_of(cg, s)),
        cg_i64(cg, c ? first->type->rank : s->rank),
        cg_i64(cg, c ? (two ? c->other_dim : c->dim) : 0),
        cg_i64(cg, two ? second->type->rank : 0),
        cg_i64(cg, two ? c->dim : 0),
        cg_i64(cg, two ? 0 : c ? c->value : s->bits),
        pieces,
        cg_i64(cg, n_pieces),
    };
    return LLVMConstStructInContext(cg->ctx, v, 14, false);
}

static LLVMValueRef check_table(Cg *cg, const Func *kernel) {
    const char *name = cg_table_name(cg, kernel, "kdsl.checks");
    LLVMValueRef table = LLVMGetNamedGlobal(cg->module, name);
    if (table) return table;
    if (kernel->is_made) return LLVMAddGlobal(cg->module, cg->ptr, name);
    int n = cg->program->sites.n;
    if (!n) return LLVMConstNull(cg->ptr); /* a slot for interrupts alone */
    LLVMValueRef *rows = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) rows[i] = row(cg, &cg->program->sites.at[i]);
    return cg_shared_table(cg, cg_constant_table(cg, name, LLVMTypeOf(rows[0]), rows, n));
}

LLVMValueRef cg_domain_names(Cg *cg, const Func *kernel) {
    LLVMValueRef names[3];
    for (int i = 0; i < kernel->domain.n; i++) names[i] = text(cg, kernel->domain.at[i]->name);
    return cg_constant_table(cg, "domain", cg->ptr, names, kernel->domain.n);
}

void cg_slot_end(CgFunc *f, LLVMValueRef slot, LLVMValueRef on_host, const Func *kernel) {
    Cg *cg = f->cg;
    LLVMValueRef args[6] = {slot, on_host, check_table(cg, kernel), cg_domain_names(cg, kernel),
                            cg_i64(cg, kernel->domain.n), text(cg, kernel->name)};
    cg_call_runtime(f, RT_SLOT_END, args, 6);
}
