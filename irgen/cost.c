/* cost.c -- a rough count of what one work item executes, from the tree alone: enough to tell a saxpy, which needs
 * thousands of items to be worth a fork, from a kernel whose every item is a loop. Host and device must count alike,
 * because the blocks of a reduction follow from it. */
#include "irgen/cg.h"

enum {
    COST_LOOP_ROUNDS = 32, /* rounds of a loop whose length is not known */
    COST_DIVIDE = 8,
    COST_MATH = 20,        /* exp, sin, ... */
    COST_CALL_DEPTH = 3,
    COST_MAX = 1 << 20
};

static int64_t cost_expr(const Expr *e, int depth);
static int64_t cost_block(const Block *b, int depth);

static int64_t capped(int64_t c) { return c < COST_MAX ? c : COST_MAX; }

static int64_t cost_range(const Range *r, int depth) {
    int64_t cost = 1;
    if (r->lo) cost += cost_expr(r->lo, depth);
    if (r->hi) cost += cost_expr(r->hi, depth);
    if (r->step) cost += cost_expr(r->step, depth);
    return cost;
}

static int64_t range_rounds(const Range *r) {
    if (!r->hi || r->hi->konst.kind != CONST_INT || (r->lo && r->lo->konst.kind != CONST_INT) || r->step)
        return COST_LOOP_ROUNDS;
    int64_t lo = r->lo ? r->lo->konst.i : 0, hi = r->hi->konst.i;
    return hi <= lo ? 0 : capped((int64_t)((uint64_t)hi - (uint64_t)lo) < 0 ? COST_MAX : hi - lo);
}

static int64_t cost_call(const Expr *e, int depth) {
    const CallInfo *info = e->call.info;
    int64_t cost = 1;
    for (int i = 0; i < e->call.args.n; i++) cost += cost_expr(e->call.args.at[i].value, depth);
    if (info->kind == CALL_FUNC)
        return cost + (depth < COST_CALL_DEPTH ? cost_block(info->func->item->fn.body, depth + 1) : COST_MATH);
    if (info->kind != CALL_BUILTIN) return cost;
    return cost + (info->builtin >= BUILTIN_SQRT && info->builtin <= BUILTIN_HYPOT ? COST_MATH : 1);
}

static int64_t cost_list(const ExprList *list, int depth) {
    int64_t cost = 0;
    for (int i = 0; i < list->n; i++) cost += cost_expr(list->at[i], depth);
    return cost;
}

static int64_t cost_expr(const Expr *e, int depth) {
    if (e->konst.kind != CONST_NONE) return 0;
    switch (e->kind) {
    case EXPR_UNARY: return 1 + cost_expr(e->unary.operand, depth);
    case EXPR_BINARY: {
        bool divides = e->binary.op == OP_DIV || e->binary.op == OP_REM;
        return (divides ? COST_DIVIDE : 1) + cost_expr(e->binary.lhs, depth) + cost_expr(e->binary.rhs, depth);
    }
    case EXPR_CALL: return capped(cost_call(e, depth));
    case EXPR_INDEX: return 2 + cost_list(&e->index.at, depth);
    case EXPR_IF:
        return 1 + cost_expr(e->if_.cond, depth) + cost_expr(e->if_.then_, depth) + cost_expr(e->if_.else_, depth);
    case EXPR_ATOMIC: return COST_MATH + cost_expr(e->atomic.target, depth) + cost_expr(e->atomic.value, depth);
    case EXPR_CONVERT: return cost_expr(e->convert.operand, depth);
    case EXPR_FIELD: return cost_expr(e->field.base, depth);
    case EXPR_RANGE:
        return (e->range.range.lo ? cost_expr(e->range.range.lo, depth) : 0) +
               (e->range.range.hi ? cost_expr(e->range.range.hi, depth) : 0);
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_NAME:
    case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_OFFLOAD:
    case EXPR__COUNT: break;
    }
    return 1;
}

static int64_t cost_stmt(const Stmt *s, int depth) {
    switch (s->kind) {
    case STMT_LET: return s->let.init ? cost_expr(s->let.init, depth) : 0;
    case STMT_ASSIGN:
        return 1 + cost_expr(s->assign.value, depth) + cost_expr(s->assign.target, depth);
    case STMT_ATOMIC: return cost_expr(s->atomic.atomic, depth);
    case STMT_EXPR: return cost_expr(s->expr.expr, depth);
    case STMT_IF:
        return 1 + cost_expr(s->if_.cond, depth) + cost_block(s->if_.then_, depth) +
               (s->if_.else_ ? cost_stmt(s->if_.else_, depth) : 0);
    case STMT_FOR: {
        int64_t body = 2 + cost_block(s->for_.body, depth);
        return cost_range(&s->for_.binder.range, depth) + range_rounds(&s->for_.binder.range) * body;
    }
    case STMT_WHILE:
        return COST_LOOP_ROUNDS * (2 + cost_expr(s->while_.cond, depth) + cost_block(s->while_.body, depth));
    case STMT_RETURN: return s->return_.value ? cost_expr(s->return_.value, depth) : 0;
    case STMT_ASSERT: return 1 + cost_expr(s->assert_.cond, depth);
    case STMT_BLOCK: return cost_block(s->block.block, depth);
    case STMT_ERROR: case STMT_BREAK: case STMT_CONTINUE: case STMT_SHARED: case STMT_BARRIER:
    case STMT_WAIT: case STMT_RESIDENT: case STMT__COUNT: break;
    }
    return 1;
}

static int64_t cost_block(const Block *b, int depth) {
    int64_t cost = 0;
    for (int i = 0; i < b->stmts.n; i++) cost = capped(cost + capped(cost_stmt(b->stmts.at[i], depth)));
    return cost;
}

int64_t cost_of_item(const Func *fn) { return 2 + cost_block(fn->item->fn.body, 0); }
