/* session.c -- units of an interactive session. The statements of an input are `void fn.input(ptr frame)`. The frame
 * is a table of addresses: of the memory for the value that the input shows, of a counter, and of each variable that
 * lives on (kept_facts), whose memory belongs to the session. The counter says how many new variables have been made,
 * in case the input fails.
 *
 * Texts in variables outlive the unit whose data contains them, so they are stored elsewhere (IrOptions.keep_text). */
#include "irgen/lang/lang.h"

#include <string.h>

enum { FRAME_VALUE, FRAME_MADE, FRAME_VARIABLES };

static LLVMValueRef frame_entry(CgFunc *f, int i) {
    LLVMValueRef at = cg_i64(f->cg, i), frame = LLVMGetParam(f->fn, 0);
    return LLVMBuildLoad2(f->b, f->cg->ptr, LLVMBuildInBoundsGEP2(f->b, f->cg->ptr, frame, &at, 1, ""), "");
}

LLVMValueRef cg_session_place(CgFunc *f, const Symbol *sym) {
    CgHere here = cg_to_entry(f);
    LLVMValueRef at = frame_entry(f, FRAME_VARIABLES + kept_facts(sym)->number - 1);
    cg_back(f, here);
    return at;
}

void cg_session_bind(CgFunc *f) {
    const Program *p = f->cg->program;
    for (int i = 0; i < p->kept.n; i++) {
        const Symbol *sym = p->kept.at[i];
        Slot *slot = &f->slots[sym->id];
        if (!kept_facts(sym)->is_older) continue;
        slot->addr = frame_entry(f, FRAME_VARIABLES + i);
        if (sym->type->kind != TY_ARRAY || sym->reshaped) continue;
        CgArray a = {.desc = slot->addr, .type = sym->type, .name = sym->name};
        a.data = cg_load_desc(f, slot->addr, sym->type->rank, 0);
        for (int d = 0; d < sym->type->rank; d++) a.ext[d] = cg_load_desc(f, slot->addr, sym->type->rank, 1 + d);
        slot->array = a;
    }
}

void cg_session_made(CgFunc *f, const Symbol *sym) {
    const Program *p = f->cg->program;
    for (int i = 0; f->func->is_input && i < p->new_vars.n; i++)
        if (p->new_vars.at[i].sym == sym) LLVMBuildStore(f->b, cg_i64(f->cg, i + 1), frame_entry(f, FRAME_MADE));
}

/* Named arrays are not moved: the session reads the variable. A slice, field or constant is copied. */
void cg_session_show(CgFunc *f, Stmt *st) {
    Expr *e = st->expr.expr;
    if (shown_variable(st)) {
        for (int i = 0; i < st->expr.reads.n; i++) cg_array(f, st->expr.reads.at[i]);
        return;
    }
    bool is_constant = e->kind == EXPR_NAME && e->name.sym->table;
    bool is_part = e->type->kind == TY_ARRAY && (is_constant || expr_is_slice(e) || expr_fixed_field(e));
    LLVMValueRef to = frame_entry(f, FRAME_VALUE);
    if (is_part) {
        CgArray a = cg_array(f, e);
        cg_store_array(f, to, cg_copy(f, &a, e->span));
    } else if (e->type->kind == TY_VOID) {
        cg_expr(f, e);
    } else if (e->type->kind == TY_ARRAY) {
        CgValue v = cg_expr(f, e);
        cg_own_sync(f, v, e->sync);
        cg_store_array(f, to, v);
    } else if (type_owns(e->type)) {
        CgValue v = cg_expr(f, e);
        cg_own_sync(f, v, e->sync);
        LLVMBuildStore(f->b, v.v, to);
    } else if (cg_by_bytes(e->type)) {
        cg_struct_into(f, e, to);
    } else {
        cg_store(f, cg_variable(to, e->type), cg_convert(f, cg_expr(f, e), e->type));
    }
}

CgValue cg_session_text(CgFunc *f, const char *at, size_t n, Type *type) {
    const IrOptions *o = f->cg->options;
    if (!o->keep_text || !f->cg->target->is_program) return cg_value(cg_string(f->cg, at, n), type);
    uint64_t kept = (uint64_t)(uintptr_t)o->keep_text(o->keep_context, at, n);
    return cg_value(LLVMConstIntToPtr(LLVMConstInt(f->cg->i64, kept, false), f->cg->ptr), type);
}

/* Atomic, not volatile: the vectoriser has atomic loads (simd/). */
static LLVMValueRef is_interrupted(CgFunc *f) {
    Cg *cg = f->cg;
    LLVMValueRef flag = LLVMGetNamedGlobal(cg->module, "kdsl_interrupt");
    if (!flag) flag = LLVMAddGlobal(cg->module, cg->i32, "kdsl_interrupt");
    LLVMValueRef set = LLVMBuildLoad2(f->b, cg->i32, flag, "");
    LLVMSetOrdering(set, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(set, 4);
    return LLVMBuildIsNotNull(f->b, set, "interrupted");
}

void cg_session_poll(CgFunc *f) {
    Cg *cg = f->cg;
    LLVMBasicBlockRef ok;
    if (!cg->options->unit || !cg->target->is_program || cg_ended(f)) return;
    cg_cold(f, is_interrupted(f), &ok);
    cg_call_runtime(f, RT_INTERRUPTED, NULL, 0);
    cg_enter(f, ok);
}

bool cg_kernels_poll(const Cg *cg) { return cg->options->unit && !cg->target->is_program && !cg->target->gpu; }

void cg_kernel_poll(CgFunc *f) {
    LLVMBasicBlockRef ok;
    if (!cg_kernels_poll(f->cg) || cg_ended(f)) return;
    cg_cold(f, is_interrupted(f), &ok);
    cg_leave_range(f);
    cg_enter(f, ok);
}

/* A `for` loop whose length the launch knows is part of the cost of an item there, by which cpu/strips.c chooses. */
void cg_for_polls(CgFunc *f, const Range *r) {
    bool is_known = cg_is_known_at_launch(r->lo) && cg_is_known_at_launch(r->hi) && cg_is_known_at_launch(r->step);
    if (f->polls || !is_known) cg_kernel_poll(f);
}

/* "kernel `spin` was stopped: `x` and `y` may be partly written" */
static const char *stopped_text(CgFunc *f, const Func *kernel, const Expr *offload) {
    Arena *a = &f->cg->c->arena;
    const ArgList *args = offload ? &offload->offload.call->call.args : NULL;
    const char *names = "", *last = NULL;
    for (int i = 0; args && i < kernel->n_given; i++) {
        RefMode mode = kernel->params.at[i]->mode;
        const Symbol *root = mode == REF_NONE || mode == REF_IN ? NULL : expr_root(args->at[i].value);
        if (!root) continue;
        if (last) names = arena_printf(a, "%s%s`%s`", names, *names ? ", " : "", last);
        last = root->name;
    }
    if (!last) return arena_printf(a, "kernel `%s` was stopped", kernel->name);
    return arena_printf(a, "kernel `%s` was stopped: %s%s`%s` may be partly written", kernel->name, names,
                        *names ? " and " : "", last);
}

void cg_session_launched(CgFunc *f, const Func *kernel, const Expr *offload) {
    Cg *cg = f->cg;
    LLVMBasicBlockRef ok;
    if (!cg->options->unit || !cg->target->is_program) return;
    cg_cold(f, is_interrupted(f), &ok);
    const char *text = stopped_text(f, kernel, offload);
    LLVMValueRef arg = cg_string(cg, text, strlen(text));
    cg_call_runtime(f, RT_LAUNCH_STOPPED, &arg, 1);
    cg_enter(f, ok);
}

const char *cg_table_name(Cg *cg, const Func *kernel, const char *table) {
    const char *unit = kernel->is_made ? kernel->made_in : cg->options->unit;
    return unit ? arena_printf(&cg->c->arena, "%s.%s", table, unit) : table;
}

LLVMValueRef cg_shared_table(Cg *cg, LLVMValueRef table) {
    if (!cg->options->unit) return table;
    LLVMSetLinkage(table, LLVMExternalLinkage);
    LLVMSetUnnamedAddress(table, LLVMNoUnnamedAddr);
    return table;
}
