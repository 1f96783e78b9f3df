/* group_carry.c -- scalar replacement of an expanded variable that a loop of a segment changes: for the segment, each
 * item has a local variable, loaded from its element before and stored after, so that the loop keeps the value in a
 * register. LLVM would do this only after vectorisation, which is too late: the cost model of the vectoriser would
 * count the loads and stores in each iteration. Legal because no other item accesses the element during the segment. */
#include "irgen/cpu/group.h"

static bool loops_with(const Part *part, const Symbol *sym) {
    enum { LOOPS = 1 << STMT_FOR | 1 << STMT_WHILE };
    Part loops = {0};
    for (int i = 0; i < part->items.n; i++) {
        loops.items = (StmtList){.at = &part->items.at[i], .n = 1};
        if (stmt_holds(part->items.at[i], LOOPS) && group_uses(&loops, sym)) return true;
    }
    return false;
}

void group_carry_in(GroupRun *r, const Part *part, Nest *nest) {
    CgFunc *f = r->f;
    nest->own = arena_array(r->plan.arena, LLVMValueRef, r->fn->n_symbols + 1);
    for (int id = 0; f->cg->vector && cg_allows(f->cg, GROUP_CARRY) && id < r->fn->n_symbols; id++) {
        const Symbol *sym = r->plan.symbols[id];
        if (!sym || !r->plan.kept[id] || !sym->is_mutable || sym->type->kind == TY_ARRAY) continue;
        if (!loops_with(part, sym)) continue;
        LLVMTypeRef t = cg_type_mem(f->cg, sym->type);
        nest->own[id] = cg_alloca(f, t, sym->name);
        LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, f->slots[id].addr, ""), nest->own[id]);
        f->slots[id].addr = nest->own[id];
    }
}

/* The stores precede the back edge, which gets a block of its own. */
void group_carry_out(GroupRun *r, const Nest *nest) {
    CgFunc *f = r->f;
    bool any = false;
    for (int id = 0; id < r->fn->n_symbols; id++) {
        if (!nest->own[id]) continue;
        any = true;
        const Symbol *sym = r->plan.symbols[id];
        LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, cg_type_mem(f->cg, sym->type), nest->own[id], ""), cg_kept(f, sym));
    }
    if (!any) return;
    LLVMBasicBlockRef back = cg_block(f, "item.back");
    cg_goto(f, back);
    cg_enter(f, back);
}
