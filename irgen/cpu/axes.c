/* axes.c -- the loop nest that a kernel's work items form on a CPU, decided on the tree: the axes of the domain in the
 * order of memory (loop interchange), a loop of the items as one more axis (loop collapsing), the rows of a domain with
 * one axis (delinearisation), a short axis as a loop of each item, or as one axis with the axis around it (loop
 * flattening). Only vector code gains from these, so code for debuggers keeps the order of the source. */
#include "irgen/cpu/cpu.h"
#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"
#include "sema/analysis/flat.h"
#include "sema/analysis/flatten.h"

/* A kernel whose checks may fail or that prints is not collapsed: failures and lines have an order within an item. */
static const Stmt *collapsed_loop(Kernel *k) {
    Cg *cg = k->cg;
    if (!cg->vector || !cg_allows(cg, COLLAPSE) || cg_extra_values(cg, k->func)) return NULL;
    const Stmt *loop = collapsible_loop(&cg->c->arena, k->func);
    const Func *fn = k->func;
    if (loop && cg_allows(cg, FLATTEN) &&
        axes_flatten(fn, &fn->item->fn.over.at[fn->domain.n - 1], &loop->for_.binder)) {
        k->is_flattened = true;
        return loop;
    }
    return loop && axes_want_loop(&cg->c->arena, k->func, loop) ? loop : NULL;
}

/* Reductions, failures and lines of output count each item; groups are cut along the axes. */
static bool may_lose_axis(const Kernel *k) {
    const Func *fn = k->func;
    if (!k->cg->vector || fn->domain.n < 2 || fn->group.items || k->loop) return false;
    return !fn->reduction && !fn->loop_checks.n && !cg_extra_values(k->cg, fn);
}

static bool flattens(const Kernel *k) {
    int n = k->func->domain.n;
    const BinderList *over = &k->func->item->fn.over;
    if (!cg_allows(k->cg, FLATTEN) || !may_lose_axis(k)) return false;
    return axes_flatten(k->func, &over->at[k->order[n - 2]], &over->at[k->order[n - 1]]);
}

/* Channels, components: rows of two to four items would not fill a vector. As a loop of each item of the other axes
 * they are unrolled, and their accesses interleaved (simd/unroll.c, parts.c). */
static bool has_short_axis(const Kernel *k) {
    Cg *cg = k->cg;
    const Func *fn = k->func;
    if (!cg_allows(cg, SHORT_AXIS) || !may_lose_axis(k)) return false;
    return axis_is_short(&fn->item->fn.over.at[k->order[fn->domain.n - 1]].range);
}

static void choose_order(Kernel *k) {
    Cg *cg = k->cg;
    bool changes = cg->vector && cg_allows(cg, INTERCHANGE);
    if (changes && axes_in_memory_order(&cg->c->arena, k->func, k->order)) return;
    for (int d = 0; d < k->func->domain.n; d++) k->order[d] = d;
    FlatAxis *flat = arena_new(&cg->c->arena, FlatAxis);
    if (!k->loop && cg->vector && cg_allows(cg, DELINEARISE) && flat_axis(&cg->c->arena, k->func, flat)) k->flat = flat;
}

/* Decided once for both versions of the kernel, and for chunks, which consist of whole rows. */
void cpu_choose_axes(Kernel *k) {
    k->loop = collapsed_loop(k);
    choose_order(k);
    if (k->loop) {
        for (int d = 0; d < k->func->domain.n; d++) k->is_flattened = k->is_flattened && k->order[d] == d;
        if (!k->is_flattened && !axes_want_loop(&k->cg->c->arena, k->func, k->loop)) k->loop = NULL;
        return;
    }
    k->is_flattened = flattens(k);
    k->short_axis = !k->is_flattened && has_short_axis(k);
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
    if (k->is_flattened) {
        const char *inner =
            k->loop ? k->loop->for_.binder.sym->name : k->func->domain.at[k->order[k->func->domain.n - 1]]->name;
        LLVMAddTargetDependentFunctionAttr(range, CG_FLATTENED, inner);
    }
    if (k->loop && !k->is_flattened)
        LLVMAddTargetDependentFunctionAttr(range, CG_COLLAPSED, k->loop->for_.binder.sym->name);
    int fastest = k->order[k->func->domain.n - 1];
    if (k->short_axis) LLVMAddTargetDependentFunctionAttr(range, CG_SHORT_AXIS, k->func->domain.at[fastest]->name);
    if (!k->flat) return;
    const char *rest = k->flat->row.n ? "; nest 2 is for other launches" : "";
    const char *text = arena_printf(&cg->c->arena, "`%s` work items%s", flat_text(&cg->c->arena, &k->flat->row), rest);
    LLVMAddTargetDependentFunctionAttr(range, CG_FLAT, text);
}
