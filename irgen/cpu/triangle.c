/* triangle.c -- triangular domains: where items have something to do on one side of a diagonal only, as under
 * `if j <= i`, the columns of a row that have work are 0..n or n..m, where n is affine in the row. */
#include "irgen/cpu/cpu.h"

/* Which kernels ---------------------------------------------------------------------------------------------------- */

/* Items that have work: those with `lhs op rhs`, or else those without. */
typedef struct Guard {
    Expr *cond;
    bool holds;
} Guard;

static bool only_returns(const Block *b) { return b->stmts.n == 1 && b->stmts.at[0]->kind == STMT_RETURN; }

/* The body is `if ... { ... }`, or begins with `if ... { return; }`; before it variables may be computed. */
static Guard guard_of(const Block *body) {
    int i = 0;
    while (i < body->stmts.n && body->stmts.at[i]->kind == STMT_LET) i++;
    if (i == body->stmts.n || body->stmts.at[i]->kind != STMT_IF) return (Guard){0};
    const Stmt *s = body->stmts.at[i];
    if (s->if_.else_) return (Guard){0};
    if (only_returns(s->if_.then_)) return (Guard){s->if_.cond, false};
    return i == body->stmts.n - 1 ? (Guard){s->if_.cond, true} : (Guard){0};
}

/* How the value grows along an axis, if that is always by the same. */
static bool slope(const Kernel *k, int axis, Expr *e, int64_t *by) {
    Rates rates = rates_along(&k->cg->c->arena, k->func, axis, NULL);
    Rate r = rate_of(&rates, e);
    *by = r.kind == RATE_LINEAR ? r.stride : 0;
    return r.kind == RATE_UNIFORM || (r.kind == RATE_LINEAR && !r.wraps);
}

static bool difference_slope(const Kernel *k, int axis, const Expr *comparison, int64_t *by) {
    int64_t left, right;
    bool known = slope(k, axis, comparison->binary.lhs, &left) && slope(k, axis, comparison->binary.rhs, &right);
    *by = known ? left - right : 0;
    return known;
}

static bool compares(Op op) { return op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE; }

/* Of the comparisons that must all hold, one of an index of the slowest axis with one of another. */
static bool find(const Kernel *k, Guard guard, Triangle *t) {
    Expr *e = guard.cond;
    if (e->kind != EXPR_BINARY) return false;
    Op joins = guard.holds ? OP_AND : OP_OR;
    if (e->binary.op == joins)
        return find(k, (Guard){e->binary.lhs, guard.holds}, t) || find(k, (Guard){e->binary.rhs, guard.holds}, t);
    if (!compares(e->binary.op) || !e->binary.lhs->type->is_int) return false;
    if (!cost_is_known(k->func, e->binary.lhs) || !cost_is_known(k->func, e->binary.rhs)) return false;
    int64_t down, across;
    if (!difference_slope(k, k->order[0], e, &down) || (down != 1 && down != -1)) return false;
    for (int d = 1; d < k->func->domain.n; d++) {
        if (!difference_slope(k, k->order[d], e, &across) || across != -down) continue;
        bool above = (e->binary.op == OP_GT || e->binary.op == OP_GE) == guard.holds;
        *t = (Triangle){
            .comparison = e, .axis = k->order[d], .holds = guard.holds, .above = above, .grows = (across > 0) != above};
        return true;
    }
    return false;
}

Triangle *cpu_triangle(const Kernel *k) {
    const Func *fn = k->func;
    if (fn->domain.n < 2 || fn->group.items || fn->reduction || k->flat) return NULL;
    Guard guard = guard_of(fn->item->fn.body);
    Triangle *t = arena_new(&k->cg->c->arena, Triangle);
    if (!guard.cond || !find(k, guard, t)) return NULL;
    t->guard = guard.cond;
    return t;
}

/* A row ------------------------------------------------------------------------------------------------------------ */

/* lhs - rhs of the item at these indices. */
static LLVMValueRef difference(CgFunc *f, const Expr *comparison) {
    LLVMValueRef left = cg_index_value(f, cg_expr(f, comparison->binary.lhs));
    return LLVMBuildSub(f->b, left, cg_index_value(f, cg_expr(f, comparison->binary.rhs)), "");
}

/* With q counted from the first column, the work is in the columns q <= -c, or q >= c. */
LLVMValueRef cpu_triangle_columns(CgFunc *f, const Triangle *t, LLVMValueRef columns) {
    Op op = t->comparison->binary.op;
    LLVMValueRef c = difference(f, t->comparison), zero = cg_i64(f->cg, 0), one = cg_i64(f->cg, 1);
    if (t->above) c = LLVMBuildNeg(f->b, c, "");
    if ((op == OP_LT || op == OP_GT) == t->holds) c = LLVMBuildAdd(f->b, c, one, "");
    LLVMValueRef n = t->grows ? LLVMBuildSub(f->b, one, c, "") : LLVMBuildSub(f->b, columns, c, "");
    n = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, n, zero, ""), zero, n, "");
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, n, columns, ""), columns, n, "");
}
