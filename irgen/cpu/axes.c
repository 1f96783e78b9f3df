/* axes.c -- the loop nest that a kernel's work items form on a CPU, decided on the tree: the axes of the domain in the
 * order of memory (loop interchange), a loop of the items as one more axis (loop collapsing), the rows of a domain with
 * one axis (delinearisation). Only vector code gains from these, so code for debuggers keeps the order of the
 * source. */
#include "irgen/cpu/cpu.h"
#include "sema/analysis/axes.h"
#include "sema/analysis/collapse.h"
#include "sema/analysis/flat.h"

/* A kernel whose checks may fail or that prints is not collapsed: failures and lines have an order within an item. */
static const Stmt *collapsed_loop(const Kernel *k) {
    Cg *cg = k->cg;
    if (!cg->vector || !cg_allows(cg, COLLAPSE) || cg_extra_values(cg, k->func)) return NULL;
    const Stmt *loop = collapsible_loop(&cg->c->arena, k->func);
    return loop && axes_want_loop(&cg->c->arena, k->func, loop) ? loop : NULL;
}

/* Decided once for both versions of the kernel, and for chunks, which consist of whole rows. */
void cpu_choose_axes(Kernel *k) {
    Cg *cg = k->cg;
    bool changes = cg->vector && cg_allows(cg, INTERCHANGE);
    k->loop = collapsed_loop(k);
    if (changes && axes_in_memory_order(&cg->c->arena, k->func, k->order)) return;
    for (int d = 0; d < k->func->domain.n; d++) k->order[d] = d;
    FlatAxis *flat = arena_new(&cg->c->arena, FlatAxis);
    if (!k->loop && cg->vector && cg_allows(cg, DELINEARISE) && flat_axis(&cg->c->arena, k->func, flat)) k->flat = flat;
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
    if (k->loop) LLVMAddTargetDependentFunctionAttr(range, CG_COLLAPSED, k->loop->for_.binder.sym->name);
    if (!k->flat) return;
    const char *rest = k->flat->row.n ? "; nest 2 is for other launches" : "";
    const char *text = arena_printf(&cg->c->arena, "`%s` work items%s", flat_text(&cg->c->arena, &k->flat->row), rest);
    LLVMAddTargetDependentFunctionAttr(range, CG_FLAT, text);
}
