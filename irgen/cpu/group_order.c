/* group_order.c -- tiling of the order in which groups are executed: row-major, as arrays are laid out, or in bands of
 * a few rows, each band column by column. Bands serve kernels in which a column of groups accesses the same cache
 * lines, as in a transpose, or the same part of an array, which is then still cached, as in a matrix product. Legal
 * because groups are unordered. */
#include "irgen/cpu/group.h"

/* Which of the last two axes an index depends on through the group (not through `i.local`). */
typedef struct Reach {
    const GroupRun *r;
    bool rows, columns;
} Reach;

static bool find_reach(Expr *e, void *context) {
    Reach *reach = context;
    const GroupRun *r = reach->r;
    if (e->kind != EXPR_NAME || !e->name.sym) return false;
    const Symbol *sym = e->name.sym;
    reach->rows |= sym == r->fn->domain.at[r->n - 2] || sym == r->group->at[r->n - 2];
    reach->columns |= sym == r->fn->domain.at[r->n - 1] || sym == r->group->at[r->n - 1];
    bool is_let = sym->kind == SYM_LOCAL && !sym->is_mutable && sym->init;
    if (is_let) expr_find(sym->init, find_reach, reach);
    return false;
}

static Reach reach_of(const GroupRun *r, Expr *e) {
    Reach reach = {.r = r};
    expr_find(e, find_reach, &reach);
    return reach;
}

/* The indices of x[i, j] or x.at(i, j), if x is an array parameter of the kernel; else none. */
static ExprList access_indices(const GroupRun *r, const Expr *e) {
    ExprList at = {0};
    const Symbol *array = NULL;
    if (e->kind == EXPR_INDEX) {
        array = expr_array_symbol(e->index.base);
        at = e->index.at;
    } else if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
               e->call.info->builtin == BUILTIN_AT) {
        array = expr_array_symbol(e->call.info->receiver);
        for (int d = 0; d < e->call.args.n; d++) vec_push(&r->f->cg->c->arena, &at, e->call.args.at[d].value);
    }
    return array && array->kind == SYM_PARAM ? at : (ExprList){0};
}

static bool gains_from_bands(Expr *e, void *context) {
    const GroupRun *r = context;
    ExprList at = access_indices(r, e);
    bool rows = false, columns = false;
    for (int d = 0; d < at.n && at.n > 1; d++) {
        Reach reach = reach_of(r, at.at[d]);
        if (d == at.n - 1 && reach.rows) return true;
        rows |= reach.rows;
        columns |= reach.columns;
    }
    return columns && !rows;
}

/* Not for reductions: their values are stored in the order of the domain. */
static bool runs_in_bands(GroupRun *r) {
    if (r->n < 2 || r->items) return false;
    const Block *body = r->fn->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++)
        if (stmt_find(body->stmts.at[i], gains_from_bands, r)) return true;
    return false;
}

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* Row and column of group `number` of a plane. */
static void find_in_band(GroupRun *r, LLVMValueRef number, LLVMValueRef *row, LLVMValueRef *column) {
    enum { BAND = 4 };
    CgFunc *f = r->f;
    LLVMValueRef rows = r->count[r->n - 2], columns = r->count[r->n - 1], most = cg_i64(f->cg, BAND);
    LLVMValueRef in_band = LLVMBuildNSWMul(f->b, columns, most, "");
    LLVMValueRef above = LLVMBuildNSWMul(f->b, LLVMBuildUDiv(f->b, number, in_band, "band"), most, "");
    LLVMValueRef height = smaller(f, LLVMBuildNSWSub(f->b, rows, above, ""), most);
    LLVMValueRef rest = LLVMBuildURem(f->b, number, in_band, "");
    *row = LLVMBuildNSWAdd(f->b, above, LLVMBuildURem(f->b, rest, height, ""), "");
    *column = LLVMBuildUDiv(f->b, rest, height, "");
}

void group_find_place(GroupRun *r, LLVMValueRef *place) {
    CgFunc *f = r->f;
    LLVMValueRef rest = r->number;
    int d = r->n - 1;
    if (cg_allows(f->cg, GROUP_ORDER) && runs_in_bands(r)) {
        LLVMValueRef plane = LLVMBuildNSWMul(f->b, r->count[d - 1], r->count[d], "");
        find_in_band(r, LLVMBuildURem(f->b, rest, plane, ""), &place[d - 1], &place[d]);
        rest = LLVMBuildUDiv(f->b, rest, plane, "");
        d -= 2;
    }
    for (; d > 0; d--) {
        place[d] = LLVMBuildURem(f->b, rest, r->count[d], "");
        rest = LLVMBuildUDiv(f->b, rest, r->count[d], "");
    }
    if (d == 0) place[0] = rest;
}
