/* group_ahead.c -- software prefetching of what the next group reads. A group of many segments reads at its beginning
 * and then works in its own memory for a while, in which main memory is idle. So where items read contiguous elements,
 * the elements that the next group along the last axis will read are prefetched, and arrive while this group runs.
 *
 * Groups that write little, a sum each, run in two interleaved streams: memory that is read at two addresses has more
 * requests in flight. Where groups write rows, two streams would split the rows as well, which costs more. */
#include "irgen/cpu/group.h"

/* The array of x[i, j] or x.at(i, j), for an item at (i, j), that is only read; NULL: it is something else. */
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

/* Of the element that this item's neighbour in the next group reads. */
static LLVMValueRef next_place(const GroupRun *r, const CgArray *x) {
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
    cg_ahead(r->f, next_place(r, &x), AHEAD_GROUP);
    return false;
}

/* Once for a group, and where there is something to do meanwhile. */
void group_fetch_next(GroupRun *r, const Part *part) {
    if (!cg_allows(r->f->cg, GROUP_AHEAD) || !r->f->cg->vector || r->loop || r->rounds || r->plan.n_parts == 1) return;
    for (int i = 0; i < part->items.n; i++) stmt_find(part->items.at[i], fetch, r);
}

/* Two stretches ---------------------------------------------------------------------------------------------------- */

static bool reads_row(Expr *e, void *run) { return read_at_item(run, e) != NULL; }

/* An element of an array that does not go by the group alone: a row of them, for all one knows. */
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

/* The group that comes `turn`-th among `n` from r->begin on: of the second stretch every other time. */
LLVMValueRef group_in_turn(GroupRun *r, LLVMValueRef turn, LLVMValueRef n) {
    CgFunc *f = r->f;
    bool abreast = f->cg->vector && r->n == 1 && r->plan.n_parts > 1 && any(r, reads_row) && !any(r, writes_row);
    if (!abreast) return LLVMBuildNSWAdd(f->b, r->begin, turn, "");
    LLVMValueRef one = cg_i64(f->cg, 1), first = LLVMBuildLShr(f->b, LLVMBuildNSWAdd(f->b, n, one, ""), one, "stretch");
    LLVMValueRef is_second = LLVMBuildTrunc(f->b, turn, f->cg->i1, "");
    LLVMValueRef from = LLVMBuildSelect(f->b, is_second, LLVMBuildNSWAdd(f->b, r->begin, first, ""), r->begin, "");
    return LLVMBuildNSWAdd(f->b, from, LLVMBuildLShr(f->b, turn, one, ""), "");
}
