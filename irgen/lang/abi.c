/* abi.c -- the launch ABI: the parameters of a kernel's entry as libomptarget calls it, (launch environment,
 * references, values in 64-bit slots, sizes[, result][, error slot][, print buffer][, shadow]), the symbols bound to
 * them, and the domain that they describe. It is the same for all devices; how items are distributed over a device is
 * the target's kernel_entry. References are noalias, because the language does not let an array or variable be passed
 * twice unless both references are read-only. */
#include "irgen/lang/lang.h"

#include <string.h>

static bool is_array(const Symbol *p) { return p->type->kind == TY_ARRAY; }

/* A value that the kernel only reads is passed by value, even if the source passes a reference, so nothing is mapped
 * for it. */
bool cg_by_reference(const Func *kernel, const Symbol *p) {
    enum { MOST_LITERALS = 8 };
    if (p->mode == REF_NONE || is_array(p)) return p->mode != REF_NONE;
    return kernel->transfers.at[p->dim] & TRANSFER_FROM || cg_slot_count(p->type) > MOST_LITERALS;
}

/* Of a session, symbols are unique as they are, and later units look for them. */
static const char *fallback_symbol(Cg *cg, const Func *fn) {
    if (!cg->options->unit) return off_fallback_symbol(cg->c, fn->symbol);
    return arena_printf(&cg->c->arena, "%s.host", off_kernel_symbol(cg->c, fn->symbol));
}

const char *cg_kernel_symbol(Cg *cg, const Func *fn) {
    if (cg->target->is_program) return fallback_symbol(cg, fn);
    return off_kernel_symbol(cg->c, fn->symbol);
}

/* The parameters in the order of the ABI: references, then values. */
const Symbol *cg_abi_param(const Func *fn, int i) {
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < fn->params.n; p++)
            if (cg_by_reference(fn, fn->params.at[p]) == !pass && i-- == 0) return fn->params.at[p];
    return NULL;
}

void cg_reference_attributes(Cg *cg, const Func *fn, LLVMValueRef v, int first) {
    for (int i = 0; i < fn->params.n && cg_by_reference(fn, cg_abi_param(fn, i)); i++) {
        const Symbol *p = cg_abi_param(fn, i);
        const Type *referent = is_array(p) ? p->type->elem : p->type;
        cg_param_attr(cg, v, first + i, "noalias", 0);
        cg_param_attr(cg, v, first + i, "nonnull", 0);
        cg_param_attr(cg, v, first + i, "align", (uint64_t)cg_align(referent));
        if (p->mode == REF_IN) cg_param_attr(cg, v, first + i, "readonly", 0);
    }
}

/* By-value structs and vectors take several of the entry's parameters. */
int cg_entry_values(const Func *fn) {
    int n = fn->sizes.n;
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = fn->params.at[i];
        n += cg_by_reference(fn, p) ? 1 : cg_slot_count(p->type);
    }
    return n;
}

static void name_entry_params(const Func *fn, LLVMValueRef v, unsigned at) {
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = cg_abi_param(fn, i);
        for (int k = cg_by_reference(fn, p) ? 1 : cg_slot_count(p->type); k > 0; k--)
            LLVMSetValueName2(LLVMGetParam(v, at++), p->name, strlen(p->name));
    }
    for (int i = 0; i < fn->sizes.n; i++)
        LLVMSetValueName2(LLVMGetParam(v, at++), fn->sizes.at[i]->name, strlen(fn->sizes.at[i]->name));
}

static LLVMValueRef entry_named(Cg *cg, const Func *fn, const char *name) {
    LLVMValueRef v = LLVMGetNamedFunction(cg->module, name);
    if (v) return v;
    int n = 0;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, cg_entry_values(fn) + 5);
    params[n++] = cg->global_ptr; /* the launch environment: libomptarget passes it first to every kernel */
    int n_references = 0;
    for (int i = 0; i < fn->params.n; i++) n_references += cg_by_reference(fn, fn->params.at[i]);
    for (int i = 0; i < cg_entry_values(fn); i++) params[n++] = i < n_references ? cg->global_ptr : cg->i64;
    if (fn->reduction) params[n++] = cg->global_ptr;
    for (int i = 0; i < cg_extra_values(cg, fn); i++) params[n++] = cg->global_ptr;
    v = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->void_, params, (unsigned)n, false));
    LLVMSetLinkage(v, cg->target->kernel_linkage);
    if (!cg->target->is_program || !cg->options->unit) LLVMSetVisibility(v, cg->target->kernel_visibility);
    LLVMSetFunctionCallConv(v, cg->target->kernel_cc);
    cg_fn_attr(cg, v, "nounwind");
    cg_reference_attributes(cg, fn, v, 1);
    name_entry_params(fn, v, 1);
    for (int i = cg_entry_values(fn) + 1; i < n; i++) cg_param_attr(cg, v, i, "noalias", 0);
    if (fn->is_shadowed) LLVMSetValueName2(LLVMGetParam(v, (unsigned)--n), "shadow", 6);
    if (cg_prints(fn)) LLVMSetValueName2(LLVMGetParam(v, (unsigned)--n), "prints", 6);
    if (cg_has_slot(cg, fn)) LLVMSetValueName2(LLVMGetParam(v, (unsigned)--n), "slot", 4);
    return v;
}

LLVMValueRef cg_kernel_entry(Cg *cg, const Func *fn) { return entry_named(cg, fn, cg_kernel_symbol(cg, fn)); }

bool cg_is_narrow_value(const Func *kernel, const Symbol *p) {
    return p->type->kind == TY_INDEX && !cg_by_reference(kernel, p);
}

/* at: from 0, without the launch environment, which is the first parameter. */
static void set_range(Cg *cg, LLVMValueRef entry, int at, int64_t least) {
    static const char range[] = "range";
    const uint64_t from = (uint64_t)least, end = (uint64_t)CG_NARROW_ELEMENTS + 1;
    unsigned kind = LLVMGetEnumAttributeKindForName(range, sizeof range - 1);
    LLVMAddAttributeAtIndex(entry, (unsigned)at + 2, LLVMCreateConstantRangeAttribute(cg->ctx, kind, 64, &from, &end));
}

/* Sizes and indices that such a launch has (launch/launch.c): they fit into 32 bits. */
LLVMValueRef cg_narrow_entry(Cg *cg, const Func *fn) {
    LLVMValueRef v = entry_named(cg, fn, off_narrow_symbol(cg->c, fn->symbol));
    int at = 0;
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = cg_abi_param(fn, i);
        if (cg_is_narrow_value(fn, p)) set_range(cg, v, at, -(int64_t)CG_NARROW_ELEMENTS);
        at += cg_by_reference(fn, p) ? 1 : cg_slot_count(p->type);
    }
    for (int i = 0; i < fn->sizes.n; i++) set_range(cg, v, at + i, 0);
    return v;
}

/* Symbols ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef kernel_extent(CgFunc *f, const Extent *x) {
    return x->kind == EXTENT_CONST ? cg_i64(f->cg, x->value) : cg_plus(f, f->slots[x->size->id].value, x->value);
}

void cg_kernel_bind(CgFunc *f, const Func *fn, LLVMValueRef *values) {
    for (int i = 0; i < fn->sizes.n; i++) f->slots[fn->sizes.at[i]->id].value = values[fn->params.n + i];
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = cg_abi_param(fn, i);
        Slot *slot = &f->slots[p->id];
        if (!is_array(p)) {
            if (cg_by_reference(fn, p)) slot->addr = values[i];
            else slot->value = values[i];
            cg_addressable(f, p);
            continue;
        }
        slot->array = (CgArray){.data = values[i], .type = p->type, .name = p->name};
        for (int d = 0; d < p->type->rank; d++) slot->array.ext[d] = kernel_extent(f, &fn->shapes.at[p->dim].at[d]);
    }
}

/* Inside, an address is an address, wherever it leads: LLVM finds out again. */
static LLVMValueRef entry_value(Kernel *k, CgFunc *f, unsigned i) {
    LLVMValueRef v = LLVMGetParam(k->entry, i);
    bool is_global = LLVMTypeOf(v) == f->cg->global_ptr && f->cg->global_ptr != f->cg->ptr;
    return is_global ? LLVMBuildAddrSpaceCast(f->b, v, f->cg->ptr, "") : v;
}

int cg_kernel_values(Kernel *k, CgFunc *f, LLVMValueRef *values) {
    const Func *fn = k->func;
    unsigned at = 1;
    for (int i = 0; i < k->n_values; i++) {
        const Symbol *p = i < fn->params.n ? cg_abi_param(fn, i) : NULL;
        int n_slots = p && !cg_by_reference(fn, p) ? cg_slot_count(p->type) : 1;
        LLVMValueRef *slots = arena_array(&k->cg->c->arena, LLVMValueRef, n_slots);
        for (int n = 0; n < n_slots; n++) slots[n] = entry_value(k, f, at++);
        values[i] = p && !cg_by_reference(fn, p) ? cg_slots_to_value(f, slots, p->type).v : slots[0];
    }
    unsigned n = LLVMCountParams(k->entry); /* the others come after the result */
    for (int i = cg_extra_values(k->cg, fn); i > 0; i--) values[k->n_values - i] = entry_value(k, f, n - (unsigned)i);
    return k->n_values;
}

/* The domain ------------------------------------------------------------------------------------------------------- */

void cg_domain(CgFunc *f, const Func *kernel, Axis *axes) {
    for (int d = 0; d < kernel->domain.n; d++) axes[d] = cg_axis(f, &kernel->item->fn.over.at[d].range);
}

LLVMValueRef cg_domain_total(CgFunc *f, const Func *kernel, Axis *axes) {
    LLVMValueRef total = cg_axis_trips(f, &axes[0]);
    for (int d = 1; d < kernel->domain.n; d++) total = LLVMBuildMul(f->b, total, cg_axis_trips(f, &axes[d]), "total");
    return total;
}

LLVMValueRef cg_groups_along(CgFunc *f, const Group *g, Axis *axis, int d) {
    LLVMValueRef trips = cg_axis_trips(f, axis), by = cg_i64(f->cg, g->by[d]), zero = cg_i64(f->cg, 0);
    LLVMValueRef whole = LLVMBuildUDiv(f->b, trips, by, ""), rest = LLVMBuildURem(f->b, trips, by, "");
    LLVMValueRef more = LLVMBuildZExt(f->b, LLVMBuildICmp(f->b, LLVMIntNE, rest, zero, ""), f->cg->i64, "");
    return LLVMBuildNSWAdd(f->b, whole, more, "groups");
}

LLVMValueRef cg_domain_shares(CgFunc *f, const Func *kernel, Axis *axes) {
    if (!kernel->group.items) return cg_domain_total(f, kernel, axes);
    LLVMValueRef n = cg_groups_along(f, &kernel->group, &axes[0], 0);
    for (int d = 1; d < kernel->domain.n; d++)
        n = LLVMBuildMul(f->b, n, cg_groups_along(f, &kernel->group, &axes[d], d), "groups");
    return n;
}

/* The entry -------------------------------------------------------------------------------------------------------- */

LLVMValueRef cg_kernel_result(Kernel *k, CgFunc *f) {
    return entry_value(k, f, (unsigned)cg_entry_values(k->func) + 1);
}

/* The host version is the same machine code under another name: it costs no second compilation, and cannot differ. */
static void fallback_alias(Cg *cg, const Func *fn, LLVMValueRef entry) {
    const char *name = fallback_symbol(cg, fn);
    LLVMValueRef alias = LLVMAddAlias2(cg->module, LLVMGlobalGetValueType(entry), 0, entry, name);
    LLVMSetLinkage(alias, LLVMExternalLinkage);
    if (!cg->options->unit) LLVMSetVisibility(alias, LLVMHiddenVisibility);
}

/* All images of a program have the same entries. */
void cg_narrow_alias(Cg *cg, const Func *fn, LLVMValueRef entry) {
    if (cg->target->gpu || !cg->options->gpu) return;
    const char *name = off_narrow_symbol(cg->c, fn->symbol);
    LLVMValueRef alias = LLVMAddAlias2(cg->module, LLVMGlobalGetValueType(entry), 0, entry, name);
    LLVMSetLinkage(alias, LLVMGetLinkage(entry));
    LLVMSetVisibility(alias, LLVMGetVisibility(entry));
}

void cg_kernel(Cg *cg, const Func *fn) {
    Kernel k = {.cg = cg, .func = fn};
    k.share_items = fn->group.items ? fn->group.items : 1;
    k.n_values = fn->params.n + fn->sizes.n + cg_extra_values(cg, fn);
    k.entry = cg_kernel_entry(cg, fn);
    CgMode mode = cg_mode_begin(cg, fn->is_shadowed, fn->is_fast);
    cg->target->kernel_entry(&k);
    cg_mode_end(cg, mode);
    if (cg->target->holds_fallback) fallback_alias(cg, fn, k.entry);
    if (!cg->options->n_levels) cg_narrow_alias(cg, fn, k.entry);
}
