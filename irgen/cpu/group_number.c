/* group_number.c -- loop coalescing: in a group of several axes, a segment whose items use only their number in the
 * group, `y.local * 16 + x.local`, as the last steps of a reduction do, is one loop over all items. `if number < half {
 * }` is then a bound of this loop (group_narrow.c), and a vector goes on from one row of the group to the next. */
#include "irgen/cpu/group.h"

#include "parser/children.h"

/* c[d]: coefficient of the item's position along axis d; false: e is not made of these alone. */
static bool is_linear(const Func *fn, const Expr *e, int64_t c[3]) {
    enum { MOST = 1 << 20 };
    bool is_local;
    e = group_unconverted(e);
    int d = group_axis_of(fn, e, &is_local);
    if (d >= 0 && is_local) c[d]++;
    if (d >= 0) return is_local;
    if (e->konst.kind == CONST_INT) return e->konst.i == 0;
    if (e->kind != EXPR_BINARY || e->konst.kind != CONST_NONE) return false;
    if (e->binary.op == OP_ADD) return is_linear(fn, e->binary.lhs, c) && is_linear(fn, e->binary.rhs, c);
    for (int side = 0; e->binary.op == OP_MUL && side < 2; side++) {
        const Const *k = &(side ? e->binary.lhs : e->binary.rhs)->konst;
        int64_t part[3] = {0};
        if (k->kind != CONST_INT || k->i < 0 || k->i > MOST) continue;
        if (!is_linear(fn, side ? e->binary.rhs : e->binary.lhs, part)) return false;
        for (int i = 0; i < 3; i++) c[i] += part[i] * k->i;
        return true;
    }
    return false;
}

bool group_is_number(const Func *fn, const Expr *e) {
    const Group *g = &fn->group;
    int64_t c[3] = {0}, wanted = 1;
    if (!e || !is_linear(fn, e, c)) return false;
    for (int d = fn->domain.n; d-- > 0;) {
        if (g->by[d] > 1 && c[d] != wanted) return false;
        wanted *= g->by[d];
    }
    return true;
}

/* Is there a position in e that is no part of the number? */
static bool has_position(const Func *fn, Expr *e) {
    bool is_local;
    if (e->konst.kind != CONST_NONE || group_is_number(fn, e)) return false;
    if (e->kind == EXPR_NAME && e->name.sym == fn->group.inside) return true;
    int d = group_axis_of(fn, e, &is_local);
    if (d >= 0) return !is_local || fn->group.by[d] > 1;
    for (int i = 0; e->kind == EXPR_NAME && i < fn->domain.n; i++)
        if (e->name.sym == fn->domain.at[i]) return true;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));)
        if (has_position(fn, x)) return true;
    return false;
}

static bool has_position_in(const Func *fn, const Stmt *st) {
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));)
        if (has_position(fn, x)) return true;
    for (Stmt *s; (s = child_stmt(&all));)
        if (has_position_in(fn, s)) return true;
    return false;
}

bool group_counts_items(const Plan *p, const Part *part) {
    int n = 0;
    for (int d = 0; d < p->func->domain.n; d++) n += p->func->group.by[d] > 1;
    if (part->kind != PART_ITEMS || n < 2 || p->leaves || !cg_allows(p->f->cg, GROUP_NUMBER)) return false;
    for (int i = 0; i < part->items.n; i++)
        if (has_position_in(p->func, part->items.at[i])) return false;
    const bool *wanted = group_wanted(p, part);
    for (int i = 0; i < p->again.n; i++)
        if (wanted[i] && has_position(p->func, p->again.at[i]->let.init)) return false;
    return true;
}

void group_position_of(GroupRun *r, LLVMValueRef number, LLVMValueRef at[3]) {
    LLVMBuilderRef b = r->f->b;
    for (int d = r->n; d-- > 0;) {
        LLVMValueRef by = cg_i64(r->f->cg, r->group->by[d]);
        at[d] = d ? LLVMBuildURem(b, number, by, "") : number;
        if (d) number = LLVMBuildUDiv(b, number, by, "");
    }
}
