/* device.c -- kernels: what is the same on every device. The body becomes one function, `range`, that runs items
 * begin..end of the domain flattened in row-major order: rows outside, the fastest axis as a plain inner loop without a
 * division, which LLVM vectorises. How ranges are spread over a device is the target's kernel_entry. References
 * are noalias because the language has no way to pass one array or variable twice unless both are read-only. */
#include "irgen/cg.h"

#include <string.h>

static bool is_array(const Symbol *p) { return p->type->kind == TY_ARRAY; }

/* A value that the kernel only reads goes by value, whatever the source says, so nothing is mapped for it. */
bool cg_by_reference(const Func *kernel, const Symbol *p) {
    enum { MOST_LITERALS = 8 };
    if (p->mode == REF_NONE || is_array(p)) return p->mode != REF_NONE;
    return kernel->transfers.at[p->dim] & TRANSFER_FROM || cg_slot_count(p->type) > MOST_LITERALS;
}

const char *cg_kernel_symbol(Cg *cg, const Func *fn) {
    if (cg->target->is_program) return off_fallback_symbol(cg->c, fn->symbol);
    return arena_printf(&cg->c->arena, "kdsl_kernel_%s", fn->symbol);
}

/* The parameters in the order of the ABI: references, then values. */
const Symbol *cg_abi_param(const Func *fn, int i) {
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < fn->params.n; p++)
            if (cg_by_reference(fn, fn->params.at[p]) == !pass && i-- == 0) return fn->params.at[p];
    return NULL;
}

static void reference_attributes(Cg *cg, const Func *fn, LLVMValueRef v, int first) {
    for (int i = 0; i < fn->params.n && cg_by_reference(fn, cg_abi_param(fn, i)); i++) {
        const Symbol *p = cg_abi_param(fn, i);
        const Type *behind = is_array(p) ? p->type->elem : p->type;
        cg_param_attr(cg, v, first + i, "noalias", 0);
        cg_param_attr(cg, v, first + i, "nonnull", 0);
        cg_param_attr(cg, v, first + i, "align", (uint64_t)cg_align(behind));
        if (p->mode == REF_IN) cg_param_attr(cg, v, first + i, "readonly", 0);
    }
}

/* Those of `range`; the entry's are split into slots. */
static void name_params(const Func *fn, LLVMValueRef v, int first) {
    for (int i = 0; i < fn->params.n + fn->sizes.n; i++) {
        const char *name = i < fn->params.n ? cg_abi_param(fn, i)->name : fn->sizes.at[i - fn->params.n]->name;
        LLVMSetValueName2(LLVMGetParam(v, (unsigned)(first + i)), name, strlen(name));
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

LLVMValueRef cg_kernel_entry(Cg *cg, const Func *fn) {
    const char *name = cg_kernel_symbol(cg, fn);
    LLVMValueRef v = LLVMGetNamedFunction(cg->module, name);
    if (v) return v;
    int n = 0;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, cg_entry_values(fn) + 4);
    params[n++] = cg->ptr; /* the launch environment: libomptarget passes it first to every kernel */
    int n_references = 0;
    for (int i = 0; i < fn->params.n; i++) n_references += cg_by_reference(fn, fn->params.at[i]);
    for (int i = 0; i < cg_entry_values(fn); i++) params[n++] = i < n_references ? cg->ptr : cg->i64;
    if (fn->reduction) params[n++] = cg->ptr;
    for (int i = 0; i < cg_extra_values(cg, fn); i++) params[n++] = cg->ptr;
    v = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->void_, params, (unsigned)n, false));
    LLVMSetLinkage(v, cg->target->kernel_linkage);
    LLVMSetVisibility(v, cg->target->kernel_visibility);
    LLVMSetFunctionCallConv(v, cg->target->kernel_cc);
    cg_fn_attr(cg, v, "nounwind");
    reference_attributes(cg, fn, v, 1);
    name_entry_params(fn, v, 1);
    for (int i = cg_entry_values(fn) + 1; i < n; i++) cg_param_attr(cg, v, i, "noalias", 0);
    if (cg_prints(fn)) LLVMSetValueName2(LLVMGetParam(v, (unsigned)--n), "prints", 6);
    if (cg_has_slot(cg, fn)) LLVMSetValueName2(LLVMGetParam(v, (unsigned)--n), "slot", 4);
    return v;
}

static void declare_range(Kernel *k) {
    Cg *cg = k->cg;
    const Func *fn = k->func;
    int n = 0;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, k->n_values + 3);
    for (int i = 0; i < fn->params.n; i++)
        params[n++] = cg_by_reference(fn, cg_abi_param(fn, i)) ? cg->ptr : cg_type(cg, cg_abi_param(fn, i)->type);
    for (int i = 0; i < fn->sizes.n; i++) params[n++] = cg->i64;
    for (int i = 0; i < cg_extra_values(cg, fn); i++) params[n++] = cg->ptr;
    params[n++] = cg->i64;
    params[n++] = cg->i64;
    if (fn->reduction) params[n++] = cg->ptr;
    k->range_type = LLVMFunctionType(cg->void_, params, (unsigned)n, false);
    k->range = LLVMAddFunction(cg->module, arena_printf(&cg->c->arena, "kernel.%s", fn->symbol), k->range_type);
    LLVMSetLinkage(k->range, LLVMInternalLinkage);
    cg_fn_attr(cg, k->range, "nounwind");
    cg_fn_attr(cg, k->range, "noinline"); /* called from two places: one copy is enough */
    reference_attributes(cg, fn, k->range, 0);
    name_params(fn, k->range, 0);
    for (int i = cg_extra_values(cg, fn); i > 0; i--) cg_param_attr(cg, k->range, k->n_values - i, "noalias", 0);
    if (!fn->reduction) return;
    cg_param_attr(cg, k->range, n - 1, "noalias", 0);
    cg_param_attr(cg, k->range, n - 1, "nonnull", 0);
}

/* Symbols ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef kernel_extent(CgFunc *f, const Extent *x) {
    return x->kind == EXTENT_CONST ? cg_i64(f->cg, x->value) : f->slots[x->size->id].value;
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
        for (int d = 0; d < p->type->rank; d++)
            slot->array.ext[d] = kernel_extent(f, &fn->shapes.at[p->dim].at[d]);
    }
}

int cg_kernel_values(Kernel *k, CgFunc *f, LLVMValueRef *values) {
    const Func *fn = k->func;
    unsigned at = 1;
    for (int i = 0; i < k->n_values; i++) {
        const Symbol *p = i < fn->params.n ? cg_abi_param(fn, i) : NULL;
        int n_slots = p && !cg_by_reference(fn, p) ? cg_slot_count(p->type) : 1;
        LLVMValueRef *slots = arena_array(&k->cg->c->arena, LLVMValueRef, n_slots);
        for (int n = 0; n < n_slots; n++) slots[n] = LLVMGetParam(k->entry, at++);
        values[i] = p && !cg_by_reference(fn, p) ? cg_slots_to_value(f, slots, p->type).v : slots[0];
    }
    unsigned n = LLVMCountParams(k->entry); /* the others stand behind the result */
    for (int i = cg_extra_values(k->cg, fn); i > 0; i--)
        values[k->n_values - i] = LLVMGetParam(k->entry, n - (unsigned)i);
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

/* The body --------------------------------------------------------------------------------------------------------- */

/* Where `range` is in the domain: `at` in the flattened order, position[d] along each axis. */
typedef struct Walk {
    CgFunc *f;
    const Func *fn;
    Axis axes[MAX_RANK];
    int n;
    LLVMValueRef begin, end, items;
    LLVMValueRef at, position[MAX_RANK]; /* allocas; the last axis' position is where the row starts */
} Walk;

static LLVMValueRef load64(CgFunc *f, LLVMValueRef at) { return LLVMBuildLoad2(f->b, f->cg->i64, at, ""); }

static void set_domain_variable(Walk *w, int d, LLVMValueRef k) {
    const Symbol *sym = w->fn->domain.at[d];
    LLVMValueRef v = cg_axis_at(w->f, &w->axes[d], k).v;
    w->f->slots[sym->id].value = v;
    cg_debug_value(w->f, sym, v, 0);
}

/* Items from..to of the current row; `first` is the number of the item at position 0 of the row, counted from begin. */
static void run_row(Walk *w, LLVMValueRef from, LLVMValueRef to, LLVMValueRef first) {
    CgFunc *f = w->f;
    LLVMBasicBlockRef head = cg_block(f, "items"), body = cg_block(f, "item"), done = cg_block(f, "row.done");
    f->next_item = cg_block(f, "item.next");
    const Symbol *sym = w->fn->domain.at[w->n - 1];
    LLVMValueRef lo = cg_index_value(f, w->axes[w->n - 1].lo);
    CgEarly early = cg_early_begin(f, &w->fn->loop_checks, sym, LLVMBuildAdd(f->b, lo, from, ""),
                                   LLVMBuildAdd(f->b, lo, to, ""));
    if (early.checks) to = LLVMBuildSub(f->b, early.end, lo, "");
    LLVMValueRef counter = cg_alloca(f, f->cg->i64, "item");
    LLVMBuildStore(f->b, from, counter);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef k = load64(f, counter);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, k, to, ""), body, done);
    cg_enter(f, body);
    set_domain_variable(w, w->n - 1, k);
    if (w->items) {
        LLVMValueRef number = LLVMBuildNSWAdd(f->b, k, first, "");
        LLVMTypeRef t = cg_type_mem(f->cg, w->fn->item_result);
        f->item_result = LLVMBuildInBoundsGEP2(f->b, t, w->items, &number, 1, "");
    }
    cg_stmts(f, w->fn->item->fn.body, NULL, NULL);
    cg_goto(f, f->next_item);
    cg_enter(f, f->next_item);
    if (f->error_slot) cg_stop_now_and_then(f, load64(f, counter));
    cg_debug_at(f, w->fn->item->fn.over.at[w->n - 1].span);
    LLVMValueRef next = LLVMBuildNSWAdd(f->b, load64(f, counter), cg_i64(f->cg, 1), "");
    LLVMSetNUW(next, true);
    LLVMBuildStore(f->b, next, counter);
    cg_goto(f, head);
    cg_enter(f, done);
    cg_early_end(f, &early);
}

/* Items that hang over the end of the domain change nothing. */
void cg_store_item(CgFunc *f, CgValue v) {
    const Func *fn = f->func;
    if (fn->group.items) {
        LLVMValueRef bits = v.type->kind == TY_BOOL ? LLVMBuildZExt(f->b, v.v, f->cg->i8, "") : v.v;
        LLVMValueRef inside = f->slots[fn->group.inside->id].value;
        bits = LLVMBuildSelect(f->b, inside, bits, cg_neutral(f->cg, fn->reduction, v.type), "");
        LLVMBuildStore(f->b, bits, f->item_result);
        return;
    }
    cg_store(f, (CgPlace){f->item_result, v.type, rate_linear(1, false), true, NULL}, v);
}

/* begin, taken apart into a position on each axis: the only divisions of a whole range. */
static void walk_start(Walk *w) {
    CgFunc *f = w->f;
    LLVMValueRef rest = w->begin;
    w->at = cg_alloca(f, f->cg->i64, "at");
    LLVMBuildStore(f->b, w->begin, w->at);
    for (int d = w->n; d-- > 0;) {
        LLVMValueRef k = rest, trips = w->axes[d].trips;
        if (d > 0) {
            k = LLVMBuildURem(f->b, rest, trips, "");
            rest = LLVMBuildUDiv(f->b, rest, trips, "");
        }
        w->position[d] = cg_alloca(f, f->cg->i64, "position");
        LLVMBuildStore(f->b, k, w->position[d]);
    }
}

/* On to the next row: a carry, from the axis before the last outwards. */
static void walk_carry(Walk *w) {
    CgFunc *f = w->f;
    LLVMBuildStore(f->b, cg_i64(f->cg, 0), w->position[w->n - 1]);
    LLVMValueRef carry = cg_i64(f->cg, 1);
    for (int d = w->n - 2; d >= 0; d--) {
        LLVMValueRef k = LLVMBuildAdd(f->b, load64(f, w->position[d]), carry, "");
        if (d > 0) {
            LLVMValueRef full = LLVMBuildICmp(f->b, LLVMIntEQ, k, w->axes[d].trips, "");
            k = LLVMBuildSelect(f->b, full, cg_i64(f->cg, 0), k, "");
            carry = LLVMBuildZExt(f->b, full, f->cg->i64, "");
        }
        LLVMBuildStore(f->b, k, w->position[d]);
    }
}

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static void run_rows(Walk *w) {
    CgFunc *f = w->f;
    LLVMBasicBlockRef head = cg_block(f, "rows"), row = cg_block(f, "row"), done = cg_block(f, "done");
    walk_start(w);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef at = load64(f, w->at);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, at, w->end, ""), row, done);
    cg_enter(f, row);
    LLVMValueRef from = load64(f, w->position[w->n - 1]);
    LLVMValueRef left = LLVMBuildSub(f->b, w->axes[w->n - 1].trips, from, "");
    LLVMValueRef take = smaller(f, left, LLVMBuildSub(f->b, w->end, at, ""));
    for (int d = 0; d < w->n - 1; d++) set_domain_variable(w, d, load64(f, w->position[d]));
    LLVMValueRef first = LLVMBuildSub(f->b, LLVMBuildSub(f->b, at, from, ""), w->begin, "");
    run_row(w, from, LLVMBuildNSWAdd(f->b, from, take, ""), first);
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, at, take, ""), w->at);
    walk_carry(w);
    cg_goto(f, head);
    cg_enter(f, done);
}

static void debug_params(CgFunc *f, const Func *fn, LLVMValueRef *values) {
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = cg_abi_param(fn, i);
        if (!cg_by_reference(fn, p)) cg_debug_value(f, p, values[i], p->dim + 1);
        if (!cg_by_reference(fn, p) || !f->debug_scope) continue;
        if (!is_array(p)) {
            cg_debug_variable(f, p, values[i], p->dim + 1);
            continue;
        }
        CgArray *a = &f->slots[p->id].array;
        a->desc = cg_array_desc(f, a);
        cg_debug_variable(f, p, a->desc, p->dim + 1);
    }
    for (int i = 0; i < fn->sizes.n; i++) cg_debug_value(f, fn->sizes.at[i], values[fn->params.n + i], 0);
}

static void emit_range(Kernel *k) {
    CgFunc f;
    LLVMValueRef *values = arena_array(&k->cg->c->arena, LLVMValueRef, k->n_values + 3);
    cg_func_begin(&f, k->cg, k->func, k->range);
    rate_function(&f);
    cg_debug_function(&f, k->func->name);
    LLVMGetParams(k->range, values);
    cg_kernel_bind(&f, k->func, values);
    debug_params(&f, k->func, values);
    Walk w = {.f = &f, .fn = k->func, .n = k->func->domain.n, .begin = values[k->n_values],
              .end = values[k->n_values + 1], .items = k->func->reduction ? values[k->n_values + 2] : NULL};
    if (cg_extra_values(k->cg, k->func))
        cg_bind_extra(&f, k->func, values + k->n_values - cg_extra_values(k->cg, k->func));
    if (k->func->group.items) { /* Target.group_is_loop */
        cg_group_range(&f, w.begin, w.end, w.items);
        LLVMBuildRetVoid(f.b);
        return;
    }
    cg_domain(&f, k->func, w.axes);
    for (int d = 0; d < w.n; d++) cg_axis_trips(&f, &w.axes[d]);
    if (w.n == 1) run_row(&w, w.begin, w.end, LLVMBuildNeg(f.b, w.begin, ""));
    else run_rows(&w);
    LLVMBuildRetVoid(f.b);
}

/* The host version is the same machine code under another name: it costs no second compilation, and cannot differ. */
static void fallback_alias(Cg *cg, const Func *fn, LLVMValueRef entry) {
    const char *name = off_fallback_symbol(cg->c, fn->symbol);
    LLVMValueRef alias = LLVMAddAlias2(cg->module, LLVMGlobalGetValueType(entry), 0, entry, name);
    LLVMSetLinkage(alias, LLVMExternalLinkage);
    LLVMSetVisibility(alias, LLVMHiddenVisibility);
}

void cg_kernel(Cg *cg, const Func *fn) {
    Kernel k = {.cg = cg, .func = fn, };
    k.share_items = fn->group.items ? fn->group.items : 1;
    k.share_cost = cost_of_item(fn) * k.share_items;
    k.n_values = fn->params.n + fn->sizes.n + cg_extra_values(cg, fn);
    k.entry = cg_kernel_entry(cg, fn);
    declare_range(&k);
    emit_range(&k);
    cg->target->kernel_entry(&k);
    if (cg->target->holds_fallback) fallback_alias(cg, fn, k.entry);
}
