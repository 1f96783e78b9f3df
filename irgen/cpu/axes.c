/* axes.c -- the loop nest that a kernel's work items form on a CPU, decided on the tree: the axes of the domain in the
 * order of memory (loop interchange), a loop of the items as one more axis (loop collapsing), the rows of a domain with
 * one axis (delinearisation), a short axis as a loop of each item, or as one axis with the axis around it (loop
 * flattening). Only vector code gains from these, so code for debuggers keeps the order of the source. */
#include "irgen/cpu/cpu.h"
#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"
#include "sema/analysis/distribute.h"
#include "sema/analysis/flat.h"
#include "sema/analysis/flatten.h"

/* The axes as they run, and the loop, or NULL, as the fastest one. */
static int flattened_axes(const Kernel *k, const Stmt *loop) {
    const Binder *axes[MAX_RANK + 1];
    int n = k->func->domain.n;
    for (int d = 0; d < n; d++) axes[d] = &k->func->item->fn.over.at[k->order[d]];
    if (loop) axes[n++] = &loop->for_.binder;
    return cg_allows(k->cg, FLATTEN) ? axes_flatten(k->func, axes, n) : 0;
}

/* A kernel whose checks may fail or that prints is not collapsed: failures and lines have an order within an item. */
static const Stmt *collapsed_loop(Kernel *k) {
    Cg *cg = k->cg;
    if (!cg->vector || !cg_allows(cg, COLLAPSE) || cg_extra_values(cg, k->func)) return NULL;
    const Stmt *loop = collapsible_loop(&cg->c->arena, k->func);
    k->flattened = loop ? flattened_axes(k, loop) : 0;
    if (k->flattened) return loop;
    return loop && axes_want_loop(&cg->c->arena, k->func, loop, false) ? loop : NULL;
}

/* Reductions, failures and lines of output count each item; groups are cut along the axes. */
static bool may_lose_axis(const Kernel *k) {
    const Func *fn = k->func;
    if (!k->cg->vector || fn->domain.n < 2 || fn->group.items || k->loop) return false;
    return !fn->reduction && !fn->loop_checks.n && !cg_extra_values(k->cg, fn);
}

/* Channels, components, small matrices: rows of two to four items would not fill a vector. As loops of each item of the
 * other axes they are unrolled, and their accesses interleaved (simd/unroll.c, parts.c). The number of such axes. */
static int short_axes(const Kernel *k) {
    enum { MOST_INSIDE = 16 }; /* items: those of a matrix of 4 x 4 */
    Cg *cg = k->cg;
    const Func *fn = k->func;
    if (!cg_allows(cg, SHORT_AXIS) || !may_lose_axis(k)) return 0;
    int trips[MAX_RANK], last = fn->domain.n - 1, n = 0;
    for (int d = 0; d <= last; d++) trips[d] = axis_short_trips(&fn->item->fn.over.at[k->order[d]].range);
    for (int inside = 1; n < last; n++) {
        inside *= trips[last - n];
        bool is_row = n + 1 < last || !n || !trips[0]; /* what is left */
        if (!inside || inside > MOST_INSIDE || !is_row) break;
    }
    return n;
}

static void choose_order(Kernel *k) {
    Cg *cg = k->cg;
    bool changes = cg->vector && cg_allows(cg, INTERCHANGE);
    if (changes && axes_in_memory_order(&cg->c->arena, k->func, k->order)) return;
    for (int d = 0; d < k->func->domain.n; d++) k->order[d] = d;
    FlatAxis *flat = arena_new(&cg->c->arena, FlatAxis);
    if (!k->loop && cg->vector && cg_allows(cg, DELINEARISE) && flat_axis(&cg->c->arena, k->func, flat)) k->flat = flat;
}

/* Cheap items: LANES of them at a time leave blocks (reduce.c) that are whole but for a few. */
static bool sums_in_lanes(const Kernel *k) {
    enum { MOST_COST = 64 };
    const Func *fn = k->func;
    const Block *body = fn->item->fn.body;
    if (!k->cg->vector || fn->reduction != REDUCE_SUM) return false;
    if (!fn->result->is_float || fn->item_result != fn->result) return false;
    if (fn->domain.n != 1 || fn->group.items || k->flat || k->loop || cg_extra_values(k->cg, fn)) return false;
    return !block_holds(body, 1u << STMT_FOR | 1u << STMT_WHILE) && cost_of_item(fn) <= MOST_COST;
}

/* Where checks may fail or lines be printed, items are executed one by one. */
static const Distribution *distribution(Kernel *k) {
    Cg *cg = k->cg;
    if (!cg->vector || k->flat || !cg_allows(cg, DISTRIBUTE)) return NULL;
    if (cg_extra_values(cg, k->func) || k->func->loop_checks.n) return NULL;
    Distribution *d = arena_new(&cg->c->arena, Distribution);
    return kernel_distributes(&cg->c->arena, k->func, d) ? d : NULL;
}

/* Decided once for both versions of the kernel, and for chunks, which consist of whole rows. */
void cpu_choose_axes(Kernel *k) {
    for (int d = 0; d < k->func->domain.n; d++) k->order[d] = d;
    k->loop = collapsed_loop(k);
    choose_order(k);
    if (k->loop) {
        if (k->flattened) k->flattened = flattened_axes(k, k->loop);
        if (!k->flattened && !axes_want_loop(&k->cg->c->arena, k->func, k->loop, false)) k->loop = NULL;
        return;
    }
    k->distribution = distribution(k);
    if (k->distribution) return;
    k->in_lanes = sums_in_lanes(k);
    k->flattened = may_lose_axis(k) ? flattened_axes(k, NULL) : 0;
    k->short_axes = k->flattened ? 0 : short_axes(k);
}

/* `i`, `j` and `c`: so many of the fastest axes */
static const char *names_of_fastest(const Kernel *k, int count) {
    const char *text = "";
    int n = k->func->domain.n + (k->loop ? 1 : 0), first = n - count;
    for (int d = first; d < n; d++) {
        const Symbol *axis = d == k->func->domain.n ? k->loop->for_.binder.sym : k->func->domain.at[k->order[d]];
        const char *before = d == first ? "" : d == n - 1 ? " and " : ", ";
        text = arena_printf(&k->cg->c->arena, "%s%s`%s`", text, before, axis->name);
    }
    return text;
}

static const char *distributed_names(const Kernel *k) {
    const char *text = "";
    for (int p = 0; p < k->distribution->parts.n; p++) {
        const Stmt *loop = k->distribution->parts.at[p].loop;
        if (!loop) continue;
        const char *before = *text ? ", " : "";
        text = arena_printf(&k->cg->c->arena, "%s%s`%s`", text, before, loop->for_.binder.sym->name);
    }
    return text;
}

/* Writes the decisions as attributes of the function, for --explain=vector. */
void cpu_tell_axes(const Kernel *k, LLVMValueRef range) {
    Cg *cg = k->cg;
    const char *names = "";
    bool changed = false;
    for (int d = 0; d < k->func->domain.n; d++) {
        const char *name = k->func->domain.at[k->order[d]]->name;
        names = d ? arena_printf(&cg->c->arena, "%s, %s", names, name) : name;
        changed |= k->order[d] != d;
    }
    if (changed) LLVMAddTargetDependentFunctionAttr(range, CG_AXES, names);
    if (k->flattened) LLVMAddTargetDependentFunctionAttr(range, CG_FLATTENED, names_of_fastest(k, k->flattened));
    if (k->loop && !k->flattened)
        LLVMAddTargetDependentFunctionAttr(range, CG_COLLAPSED, k->loop->for_.binder.sym->name);
    if (k->distribution) LLVMAddTargetDependentFunctionAttr(range, CG_DISTRIBUTED, distributed_names(k));
    if (k->short_axes) LLVMAddTargetDependentFunctionAttr(range, CG_SHORT_AXIS, names_of_fastest(k, k->short_axes));
    if (!k->flat) return;
    const char *rest = k->flat->row.n ? "; nest 2 is for other launches" : "";
    const char *text = arena_printf(&cg->c->arena, "`%s` work items%s", flat_text(&cg->c->arena, &k->flat->row), rest);
    LLVMAddTargetDependentFunctionAttr(range, CG_FLAT, text);
}
