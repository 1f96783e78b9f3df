/* cost.c -- static cost model of a work item, computed from the tree. It decides whether a launch is worth a fork: a
 * saxpy needs thousands of items, a kernel with a loop in each item a few. The unit is one operation of vector code,
 * about a hundredth of a nanosecond, and the weights were measured in that unit. Loops whose bounds depend on
 * parameters only are counted at the launch. The blocks of a reduction follow from the cost, so it must not depend on
 * the machine, or the bits of the result would. */
#include "irgen/cpu/cpu.h"
#include "parser/children.h"

enum {
    COST_TRIPS = 32,         /* trip count of a loop about which nothing is known */
    COST_LOOP = 16,          /* besides the body: an iteration often waits for the one before */
    COST_DIVIDE = 8,
    COST_INT_DIVIDE = 200,   /* by a variable: there is no vector instruction */
    COST_ROOT = 16,
    COST_MATH = 100,         /* exp, sin, ... */
    COST_ATOMIC = 20,
    COST_CALL_DEPTH = 3,
    COST_MAX = COST_MOST
};

/* The part of the cost that the launch computes: loops with trip counts that only it knows. */
typedef struct AtLaunch {
    CgFunc *f;               /* the kernel's entry, where parameters have values; NULL: estimates only */
    LLVMValueRef cost;       /* i64, at most COST_MAX; NULL: 0 */
    const Func *at_item;     /* the kernel: slots have the indices of an item, too; NULL: they have not */
} AtLaunch;

static int64_t cost_expr(const Expr *e, int depth);
static int64_t cost_block(AtLaunch *l, const Block *b, int depth);

static int64_t capped(int64_t c) { return c < COST_MAX ? c : COST_MAX; }

static int64_t cost_range(const Range *r, int depth) {
    int64_t cost = 1;
    if (r->lo) cost += cost_expr(r->lo, depth);
    if (r->hi) cost += cost_expr(r->hi, depth);
    if (r->step) cost += cost_expr(r->step, depth);
    return cost;
}

static bool range_is_constant(const Range *r) {
    return r->hi && r->hi->konst.kind == CONST_INT && (!r->lo || r->lo->konst.kind == CONST_INT) && !r->step;
}

static int64_t range_trip_count(const Range *r) {
    if (!range_is_constant(r)) return COST_TRIPS;
    int64_t lo = r->lo ? r->lo->konst.i : 0, hi = r->hi->konst.i;
    return hi <= lo ? 0 : capped((int64_t)((uint64_t)hi - (uint64_t)lo) < 0 ? COST_MAX : hi - lo);
}

static int64_t cost_call(const Expr *e, int depth) {
    const CallInfo *info = e->call.info;
    int64_t cost = 1;
    for (int i = 0; i < e->call.args.n; i++) cost += cost_expr(e->call.args.at[i].value, depth);
    if (info->kind == CALL_FUNC)
        return cost + (depth < COST_CALL_DEPTH ? cost_block(NULL, info->func->item->fn.body, depth + 1) : COST_MATH);
    if (info->kind != CALL_BUILTIN) return cost;
    if (info->builtin == BUILTIN_SQRT || info->builtin == BUILTIN_RSQRT) return cost + COST_ROOT;
    return cost + (info->builtin >= BUILTIN_SQRT && info->builtin <= BUILTIN_HYPOT ? COST_MATH : 1);
}

/* A product that is fused with a sum costs no more than the sum. */
static int64_t cost_operation(const Expr *e) {
    if (e->binary.fused) return 0;
    if (e->binary.op != OP_DIV && e->binary.op != OP_REM) return 1;
    return e->type->is_int && e->binary.rhs->konst.kind == CONST_NONE ? COST_INT_DIVIDE : COST_DIVIDE;
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
    case EXPR_BINARY: return cost_operation(e) + cost_expr(e->binary.lhs, depth) + cost_expr(e->binary.rhs, depth);
    case EXPR_CALL: return capped(cost_call(e, depth));
    case EXPR_INDEX: return 2 + cost_list(&e->index.at, depth);
    case EXPR_IF:
        return 1 + cost_expr(e->if_.cond, depth) + cost_expr(e->if_.then_, depth) + cost_expr(e->if_.else_, depth);
    case EXPR_ATOMIC:
        return COST_ATOMIC + cost_expr(e->atomic.target, depth) + cost_expr(e->atomic.value, depth) +
               (e->atomic.was ? cost_expr(e->atomic.was, depth) : 0);
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

static bool is_axis(const Func *kernel, const Symbol *sym) {
    for (int d = 0; d < kernel->domain.n; d++)
        if (kernel->domain.at[d] == sym) return true;
    return false;
}

bool cost_is_known(const Func *kernel, const Expr *e) {
    if (cg_is_known_at_launch(e)) return true;
    if (e->kind == EXPR_NAME) return is_axis(kernel, e->name.sym);
    if (e->kind == EXPR_CONVERT) return e->type->is_int && cost_is_known(kernel, e->convert.operand);
    bool adds = e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB);
    return adds && cost_is_known(kernel, e->binary.lhs) && cost_is_known(kernel, e->binary.rhs);
}

static bool has_plain_step(const Range *r) {
    return !r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i);
}

static bool is_known(const Func *at_item, const Expr *e) {
    return at_item ? cost_is_known(at_item, e) : cg_is_known_at_launch(e);
}

static bool counts_at_launch(const AtLaunch *l, const Range *r) {
    if (!l || !l->f || !r->hi || !has_plain_step(r) || range_is_constant(r)) return false;
    return is_known(l->at_item, r->lo) && is_known(l->at_item, r->hi);
}

static LLVMValueRef at_most(CgFunc *f, LLVMValueRef v) {
    LLVMValueRef most = cg_i64(f->cg, COST_MAX);
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntULT, v, most, ""), v, most, "");
}

static void add_at_launch(AtLaunch *l, LLVMValueRef cost) {
    l->cost = l->cost ? at_most(l->f, LLVMBuildAdd(l->f->b, l->cost, cost, "")) : cost;
}

static int64_t cost_loop(AtLaunch *l, const Range *r, const Block *body, int depth) {
    AtLaunch inside = {.f = l ? l->f : NULL, .at_item = l ? l->at_item : NULL};
    int64_t bounds = cost_range(r, depth), round = COST_LOOP + cost_block(&inside, body, depth);
    LLVMValueRef all = NULL;
    if (inside.cost) all = LLVMBuildAdd(l->f->b, inside.cost, cg_i64(l->f->cg, round), "");
    if (!counts_at_launch(l, r)) {
        if (inside.cost) all = LLVMBuildMul(l->f->b, all, cg_i64(l->f->cg, range_trip_count(r)), "");
        if (inside.cost) add_at_launch(l, at_most(l->f, all));
        return inside.cost ? bounds : bounds + range_trip_count(r) * round;
    }
    Axis axis = cg_axis(l->f, r);
    LLVMValueRef trips = at_most(l->f, cg_axis_trips(l->f, &axis));
    if (!all) all = cg_i64(l->f->cg, round);
    add_at_launch(l, at_most(l->f, LLVMBuildMul(l->f->b, trips, all, "")));
    return bounds;
}

static int64_t cost_stmt(AtLaunch *l, const Stmt *s, int depth) {
    switch (s->kind) {
    case STMT_LET: return s->let.init ? cost_expr(s->let.init, depth) : 0;
    case STMT_ASSIGN:
        return !s->assign.fused + cost_expr(s->assign.value, depth) + cost_expr(s->assign.target, depth);
    case STMT_ATOMIC: return cost_expr(s->atomic.atomic, depth);
    case STMT_EXPR: return cost_expr(s->expr.expr, depth);
    case STMT_IF:
        return 1 + cost_expr(s->if_.cond, depth) + cost_block(l, s->if_.then_, depth) +
               (s->if_.else_ ? cost_stmt(l, s->if_.else_, depth) : 0);
    case STMT_FOR: return cost_loop(l, &s->for_.binder.range, s->for_.body, depth);
    case STMT_WHILE:
        return COST_TRIPS * (COST_LOOP + cost_expr(s->while_.cond, depth) + cost_block(NULL, s->while_.body, depth));
    case STMT_RETURN: return s->return_.value ? cost_expr(s->return_.value, depth) : 0;
    case STMT_ASSERT: return 1 + cost_expr(s->assert_.cond, depth);
    case STMT_BLOCK: return cost_block(l, s->block.block, depth);
    case STMT_ERROR: case STMT_BREAK: case STMT_CONTINUE: case STMT_SHARED: case STMT_BARRIER:
    case STMT_WAIT: case STMT_RESIDENT: case STMT__COUNT: break;
    }
    return 1;
}

static int64_t cost_block(AtLaunch *l, const Block *b, int depth) {
    int64_t cost = 0;
    for (int i = 0; i < b->stmts.n; i++) cost = capped(cost + capped(cost_stmt(l, b->stmts.at[i], depth)));
    return cost;
}

/* Updates ---------------------------------------------------------------------------------------------------------- */

static int64_t updates_of_block(const Block *b, int depth);

static int64_t updates_of_expr(Expr *e, int depth) {
    const Symbol *target = e->kind == EXPR_ATOMIC ? expr_root(e->atomic.target) : NULL;
    int64_t n = target && combine_facts(target)->how != ATOMIC_NONE;
    if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC && depth < COST_CALL_DEPTH)
        n += updates_of_block(e->call.info->func->item->fn.body, depth + 1);
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) n += updates_of_expr(x, depth);
    return capped(n);
}

static int64_t updates_of_stmt(Stmt *s, int depth) {
    int64_t n = 0, trips = s->kind == STMT_WHILE ? COST_TRIPS : 1;
    if (s->kind == STMT_FOR) trips = range_trip_count(&s->for_.binder.range);
    Children all = stmt_children(s);
    for (Expr *x; (x = child_expr(&all));) n += updates_of_expr(x, depth);
    for (Stmt *inner; (inner = child_stmt(&all));) n += updates_of_stmt(inner, depth);
    return capped(n * trips);
}

static int64_t updates_of_block(const Block *b, int depth) {
    int64_t n = 0;
    for (int i = 0; i < b->stmts.n; i++) n = capped(n + updates_of_stmt(b->stmts.at[i], depth));
    return n;
}

int64_t cost_updates(const Func *fn) { return updates_of_block(fn->item->fn.body, 0); }

int64_t cost_of_item(const Func *fn) { return 2 + cost_block(NULL, fn->item->fn.body, 0); }

static LLVMValueRef cost_with(CgFunc *f, const Func *fn, const Func *at_item) {
    AtLaunch l = {.f = f, .at_item = at_item};
    LLVMValueRef cost = cg_i64(f->cg, 2 + cost_block(&l, fn->item->fn.body, 0));
    return l.cost ? LLVMBuildAdd(f->b, cost, l.cost, "cost") : cost;
}

LLVMValueRef cost_at_launch(CgFunc *f, const Func *fn) { return cost_with(f, fn, NULL); }

LLVMValueRef cost_at_item(CgFunc *f, const Func *kernel) { return cost_with(f, kernel, kernel); }

/* Does cost_at_item know all --------------------------------------------------------------------------------------- */

enum { STMTS_LOOP = 1 << STMT_FOR | 1 << STMT_WHILE };

static bool is_call_with_loop(Expr *e, void *context) {
    (void)context;
    bool is_call = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC;
    return is_call && block_holds(e->call.info->func->item->fn.body, STMTS_LOOP);
}

static bool knows_block(const Func *kernel, const Block *b, const Expr *guard);

static bool knows(const Func *kernel, const Stmt *s, const Expr *guard) {
    if (s->kind == STMT_FOR) {
        const Range *r = &s->for_.binder.range;
        bool is_counted = r->hi && has_plain_step(r) && cost_is_known(kernel, r->lo) && cost_is_known(kernel, r->hi);
        return is_counted && knows_block(kernel, s->for_.body, guard);
    }
    bool is_guard = s->kind == STMT_IF && s->if_.cond == guard;
    if (is_guard) return stmt_holds(s, STMTS_LOOP) ? knows_block(kernel, s->if_.then_, guard) : true;
    return !stmt_holds(s, STMTS_LOOP | STMTS_LEAVE);
}

static bool knows_block(const Func *kernel, const Block *b, const Expr *guard) {
    for (int i = 0; i < b->stmts.n; i++)
        if (!knows(kernel, b->stmts.at[i], guard)) return false;
    return true;
}

bool cost_is_of_loops(const Func *kernel, const Expr *guard) {
    const Block *body = kernel->item->fn.body;
    return knows_block(kernel, body, guard) && !block_find(body, is_call_with_loop, NULL);
}
