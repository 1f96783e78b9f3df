/* group_ahead.c -- software prefetching for the next group. A group with many segments reads arrays in the first ones
 * and then computes in its own memory for a while, during which main memory is idle. Where items read contiguous
 * elements, the elements of the next group along the last axis are prefetched, and arrive while this group is executed.
 *
 * Groups that write little, such as one sum each, are executed alternately from the first and the second half of the
 * range: two streams of reads have more requests in flight. Where groups write rows, two streams of writes would cost
 * more than that gains. */
#include "irgen/cpu/group.h"

/* The array that e reads as x[i, j] or x.at(i, j) at the item's own index, if it is read-only; else NULL. */
static const Symbol *read_at_item(const GroupRun *r, const Expr *e) {
    const Symbol *array = NULL;
    const Expr *at[3];
    if (e->kind == EXPR_INDEX && e->index.at.n == r->n) {
        array = expr_array_symbol(e->index.base);
        for (int d = 0; d < r->n; d++) at[d] = e->index.at.at[d];
    } else if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
               e->call.info->builtin == BUILTIN_AT && e->call.args.n == r->n) {
        array = expr_array_symbol(e->call.info->receiver);
        for (int d = 0; d < r->n; d++) at[d] = e->call.args.at[d].value;
    }
    bool is_local, reads = array && array->kind == SYM_PARAM && array->mode == REF_IN && array->type->rank == r->n;
    for (int d = 0; d < r->n && reads; d++) reads = at[d] && group_axis_of(r->fn, at[d], &is_local) == d && !is_local;
    return reads ? array : NULL;
}

/* Address of the element that the item at the same position of the next group reads. */
static LLVMValueRef next_address(const GroupRun *r, const CgArray *x) {
    CgFunc *f = r->f;
    LLVMValueRef at = f->slots[r->fn->domain.at[0]->id].value;
    for (int d = 1; d < r->n; d++) {
        at = LLVMBuildMul(f->b, at, x->ext[d], "");
        at = LLVMBuildAdd(f->b, at, f->slots[r->fn->domain.at[d]->id].value, "");
    }
    at = LLVMBuildAdd(f->b, at, cg_i64(f->cg, r->group->by[r->n - 1]), "");
    return LLVMBuildGEP2(f->b, cg_type_mem(f->cg, x->type->elem), x->data, &at, 1, "");
}

static bool fetch(Expr *e, void *run) {
    GroupRun *r = run;
    const Symbol *array = read_at_item(r, e);
    for (int i = 0; i < r->fetched.n && array; i++)
        if (r->fetched.at[i] == array) return false;
    if (!array) return false;
    vec_push(&r->f->cg->c->arena, &r->fetched, array);
    cg_debug_at(r->f, e->span);
    CgArray x = cg_symbol_array(r->f, array);
    cg_ahead(r->f, next_address(r, &x), AHEAD_GROUP);
    return false;
}

/* Once for each array and group, and only if later segments leave time until the data is needed. */
void group_fetch_next(GroupRun *r, const Part *part) {
    if (!cg_allows(r->f->cg, GROUP_AHEAD) || !r->f->cg->vector || r->loop || r->rounds || r->plan.n_parts == 1) return;
    for (int i = 0; i < part->items.n; i++) stmt_find(part->items.at[i], fetch, r);
}

/* Two interleaved halves ------------------------------------------------------------------------------------------- */

static bool reads_row(Expr *e, void *run) { return read_at_item(run, e) != NULL; }

/* An element of an output array whose first index is not just the group's: assume that the group writes a row. */
static bool writes_row(Expr *e, void *run) {
    const GroupRun *r = run;
    const Symbol *array = e->kind == EXPR_INDEX ? expr_array_symbol(e->index.base) : NULL;
    if (!array || array->kind != SYM_PARAM || array->mode == REF_IN) return false;
    const Expr *at = e->index.at.at[0];
    return at->kind != EXPR_NAME || at->name.sym != r->group->at[0];
}

static bool any(GroupRun *r, ExprTest test) {
    const Block *body = r->fn->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++)
        if (stmt_find(body->stmts.at[i], test, r)) return true;
    return false;
}

/* Number of the group that is executed `turn`-th among the `n` groups from r->begin on: alternating halves of the range
 * where that is worth it. */
LLVMValueRef group_in_turn(GroupRun *r, LLVMValueRef turn, LLVMValueRef n) {
    CgFunc *f = r->f;
    bool abreast = f->cg->vector && r->n == 1 && r->plan.n_parts > 1 && any(r, reads_row) && !any(r, writes_row);
    if (!abreast) return LLVMBuildNSWAdd(f->b, r->begin, turn, "");
    LLVMValueRef one = cg_i64(f->cg, 1), first = LLVMBuildLShr(f->b, LLVMBuildNSWAdd(f->b, n, one, ""), one, "stretch");
    LLVMValueRef is_second = LLVMBuildTrunc(f->b, turn, f->cg->i1, "");
    LLVMValueRef from = LLVMBuildSelect(f->b, is_second, LLVMBuildNSWAdd(f->b, r->begin, first, ""), r->begin, "");
    return LLVMBuildNSWAdd(f->b, from, LLVMBuildLShr(f->b, turn, one, ""), "");
}
