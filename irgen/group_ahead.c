/* group_ahead.c -- what the next group will read. A group of many parts reads at its beginning and then works in its own
 * memory for a while, in which nothing is asked of far memory. So where its items read neighbours side by side, what the
 * items of the next group will read there is asked for: it is on its way while this group goes from part to part. */
#include "irgen/group.h"

typedef struct Ahead {
    GroupRun *r;
    LLVMValueRef at; /* of the domain's variable, a group from here */
} Ahead;

/* The array of x[i] or x.at(i) that is only read; NULL: it is something else. */
static const Symbol *read_at_item(const GroupRun *r, const Expr *e) {
    const Expr *at = NULL;
    const Symbol *array = NULL;
    if (e->kind == EXPR_INDEX && e->index.at.n == 1) {
        array = expr_array_symbol(e->index.base);
        at = e->index.at.at[0];
    } else if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
               e->call.info->builtin == BUILTIN_AT && e->call.args.n == 1) {
        array = expr_array_symbol(e->call.info->receiver);
        at = e->call.args.at[0].value;
    }
    bool is_local;
    bool reads = array && array->kind == SYM_PARAM && array->mode == REF_IN && array->type->rank == 1;
    return reads && group_axis_of(r->fn, at, &is_local) == 0 && !is_local ? array : NULL;
}

static bool fetch(Expr *e, void *context) {
    Ahead *a = context;
    CgFunc *f = a->r->f;
    const Symbol *array = read_at_item(a->r, e);
    for (int i = 0; i < a->r->fetched.n && array; i++)
        if (a->r->fetched.at[i] == array) return false;
    if (!array) return false;
    vec_push(&f->cg->c->arena, &a->r->fetched, array);
    LLVMTypeRef t = cg_type_mem(f->cg, array->type->elem);
    cg_debug_at(f, e->span);
    cg_ahead(f, LLVMBuildGEP2(f->b, t, cg_symbol_array(f, array).data, &a->at, 1, ""), AHEAD_GROUP);
    return false;
}

/* Once for a group, and where there is something to do meanwhile. */
void group_fetch_next(GroupRun *r, const Part *part) {
    if (!r->f->cg->vector || r->n != 1 || r->loop || r->in_strip || r->rounds || r->plan.n_parts == 1) return;
    LLVMValueRef items = cg_i64(r->f->cg, r->group->items);
    Ahead a = {.r = r, .at = LLVMBuildAdd(r->f->b, r->f->slots[r->fn->domain.at[0]->id].value, items, "")};
    for (int i = 0; i < part->items.n; i++) stmt_find(part->items.at[i], fetch, &a);
}
