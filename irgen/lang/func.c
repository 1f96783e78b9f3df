/* func.c -- functions of the program, for the host and, if kernels call them, for devices. The code is the same,
 * except that a failed check ends the program on the host, and is recorded in the error slot of the launch on a device
 * (lang/check.c). */
#include "irgen/lang/lang.h"

#include <string.h>

CgMode cg_mode_begin(Cg *cg, bool shadows, bool fast) {
    CgMode was = {cg->shadows, cg->vector, cg->fast};
    cg->shadows = shadows;
    cg->vector = cg->vector && !shadows;
    cg->fast = fast;
    return was;
}

void cg_mode_end(Cg *cg, CgMode was) {
    cg->shadows = was.shadows;
    cg->vector = was.vector;
    cg->fast = was.fast;
}

void cg_func_begin(CgFunc *f, Cg *cg, const Func *fn, LLVMValueRef llvm_fn) {
    *f = (CgFunc){.cg = cg, .b = cg->b, .func = fn, .fn = llvm_fn, .is_kernel = fn->is_kernel};
    f->checks = cg->target->checks && !fn->is_kernel && !cg->options->unchecked;
    f->slots = arena_array(&cg->c->arena, Slot, fn->n_symbols + 1);
    if (cg->fast) cg_fast_begin(cg, llvm_fn);
    LLVMSetCurrentDebugLocation2(f->b, NULL);
    f->entry = cg_block(f, "entry");
    LLVMBasicBlockRef body = cg_block(f, "start");
    cg_enter(f, f->entry);
    LLVMBuildBr(f->b, body);
    cg_enter(f, body);
}

/* One extent of an array parameter: a constant, the size it binds, or the size it has been checked to equal. */
static LLVMValueRef param_extent(CgFunc *f, const Extent *x, LLVMValueRef desc, int rank, int d) {
    if (x->kind == EXTENT_CONST) return cg_i64(f->cg, x->value);
    if (x->kind == EXTENT_SAME) return cg_plus(f, f->slots[x->size->id].value, x->value);
    LLVMValueRef ext = cg_load_desc(f, desc, rank, 1 + d);
    if (x->kind == EXTENT_BINDS) f->slots[x->size->id].value = cg_plus(f, ext, -x->value);
    return ext;
}

static void bind_array(CgFunc *f, int i, LLVMValueRef desc) {
    const Symbol *sym = f->func->params.at[i];
    Slot *slot = &f->slots[sym->id];
    slot->addr = desc;
    CgArray a = {.desc = desc, .type = sym->type, .name = sym->name};
    for (int d = 0; d < sym->type->rank; d++)
        a.ext[d] = param_extent(f, &f->func->shapes.at[i].at[d], desc, sym->type->rank, d);
    if (sym->reshaped) return;
    a.data = cg_load_desc(f, desc, sym->type->rank, 0);
    slot->array = a;
}

static void bind_param(CgFunc *f, int i) {
    const Symbol *sym = f->func->params.at[i];
    LLVMValueRef v = LLVMGetParam(f->fn, (unsigned)i);
    LLVMSetValueName2(v, sym->name, __builtin_strlen(sym->name));
    if (sym->mode == REF_NONE) {
        f->slots[sym->id].value = v;
        cg_debug_value(f, sym, v, i + 1);
        cg_addressable(f, sym);
        return;
    }
    if (sym->type->kind == TY_ARRAY) bind_array(f, i, v);
    else f->slots[sym->id].addr = v;
    cg_debug_reference(f, sym, v, i + 1);
}

static bool is_for_program(const Cg *cg) {
    if (cg->options->unit) return false;
    for (int i = 0; i < cg->program->funcs.n; i++)
        if (cg->program->funcs.at[i]->is_export) return false;
    return true;
}

/* Is the stack pointer below runtime/stack.c's kdsl_stack_reserve? That is at a fixed place of a thread's memory in
 * programs, and needs a call in libraries. */
static LLVMValueRef stack_is_low(CgFunc *f) {
    static const char name[] = "kdsl_stack_reserve", intrinsic[] = "llvm.read_register", pointer[] = "rsp";
    Cg *cg = f->cg;
    LLVMValueRef reserve = LLVMGetNamedGlobal(cg->module, name);
    if (!reserve) reserve = LLVMAddGlobal(cg->module, cg->i64, name);
    LLVMSetThreadLocalMode(reserve, LLVMInitialExecTLSModel);
    LLVMSetVisibility(reserve, LLVMHiddenVisibility);
    LLVMMetadataRef text = LLVMMDStringInContext2(cg->ctx, pointer, sizeof pointer - 1);
    LLVMValueRef which = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, &text, 1));
    LLVMValueRef at = cg_intrinsic(f, intrinsic, &cg->i64, 1, &which, 1);
    return LLVMBuildICmp(f->b, LLVMIntULT, at, LLVMBuildLoad2(f->b, cg->i64, reserve, ""), "");
}

/* Calls that are nested too deeply end the program as a failed check does, rather than by a signal. For that each of
 * them has to keep its frame: no call may become a jump. */
static void check_stack(CgFunc *f, const Func *fn) {
    static const char attribute[] = "disable-tail-calls", yes[] = "true";
    if (!fn->recurses || !f->cg->target->is_program) return;
    LLVMAddAttributeAtIndex(
        f->fn, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(f->cg->ctx, attribute, sizeof attribute - 1, yes, sizeof yes - 1));
    LLVMValueRef args[2] = {cg_place_string(f->cg, fn->name_span), cg_string(f->cg, fn->name, strlen(fn->name))};
    LLVMBasicBlockRef ok = NULL;
    if (is_for_program(f->cg)) cg_cold(f, stack_is_low(f), &ok);
    cg_call_runtime(f, RT_CHECK_STACK, args, 2);
    if (!ok) return;
    cg_goto(f, ok);
    cg_enter(f, ok);
}

static void emit_function(Cg *cg, const Func *fn, LLVMValueRef llvm_fn, bool has_slot, bool narrow) {
    CgFunc f;
    cg_func_begin(&f, cg, fn, llvm_fn);
    f.narrow = narrow;
    if (narrow) LLVMAddTargetDependentFunctionAttr(llvm_fn, CG_NARROW, "");
    if (has_slot) cg_item_bind(&f);
    cg_debug_function(&f, fn->name);
    if (fn->is_input) cg_session_bind(&f);
    else cg_session_poll(&f); /* a recursion is a loop, too */
    check_stack(&f, fn);
    cg_debug_prologue(&f);
    for (int i = 0; i < fn->params.n; i++) bind_param(&f, i);
    for (int i = 0; i < fn->sizes.n; i++) cg_debug_value(&f, fn->sizes.at[i], f.slots[fn->sizes.at[i]->id].value, 0);
    cg_debug_at(&f, fn->name_span);
    cg_stmts(&f, fn->item->fn.body, NULL, NULL);
    cg_return_nothing(&f);
}

void cg_host_function(Cg *cg, const Func *fn) {
    CgMode mode = cg_mode_begin(cg, cg->shadows, fn->is_fast);
    emit_function(cg, fn, cg_function(cg, fn, false), false, false);
    cg_mode_end(cg, mode);
}

void cg_device_function(Cg *cg, const Func *fn, bool narrow) {
    bool item = cg_needs_item(cg, fn);
    LLVMValueRef v = item ? cg_item_function(cg, fn, narrow) : cg_function(cg, fn, narrow);
    emit_function(cg, fn, v, item, narrow);
}
