/* triangle.c -- a static schedule with equal work in triangular domains: where items have something to do on one side
 * of a diagonal only, as under `if j <= i`, threads get as many of these items each, not as many rows. The rows' counts
 * are affine, so their sums have a closed form, and a binary search finds where a thread's rows begin. Unlike chunks
 * that are taken from a counter, a row stays with the same thread from launch to launch, in its caches. */
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

static bool is_axis(const Func *fn, const Symbol *sym) {
    for (int d = 0; d < fn->domain.n; d++)
        if (fn->domain.at[d] == sym) return true;
    return false;
}

/* Can the launch compute it, given the first indices of the axes? */
static bool is_computable(const Func *fn, const Expr *e) {
    if (cg_is_known_at_launch(e)) return true;
    if (e->kind == EXPR_NAME) return is_axis(fn, e->name.sym);
    if (e->kind == EXPR_CONVERT) return e->type->is_int && is_computable(fn, e->convert.operand);
    bool adds = e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB);
    return adds && is_computable(fn, e->binary.lhs) && is_computable(fn, e->binary.rhs);
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
    if (!is_computable(k->func, e->binary.lhs) || !is_computable(k->func, e->binary.rhs)) return false;
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
    return guard.cond && find(k, guard, t) ? t : NULL;
}

/* The launch --------------------------------------------------------------------------------------------------------
 */

/* lhs - rhs of the first item. */
static LLVMValueRef difference(CgFunc *f, const Func *fn, const Axis *axes, const Expr *comparison) {
    for (int d = 0; d < fn->domain.n; d++) f->slots[fn->domain.at[d]->id].value = axes[d].lo.v;
    LLVMValueRef left = cg_index_value(f, cg_expr(f, comparison->binary.lhs));
    return LLVMBuildSub(f->b, left, cg_index_value(f, cg_expr(f, comparison->binary.rhs)), "");
}

/* With r and q counted from the first row and column, the work is in the columns q <= r - c or q >= r + c, where c is
 * computed here; `diagonal` is what `clamped_sum` adds to r. */
void cpu_triangle_launch(CgFunc *f, const Kernel *k, Axis *axes) {
    Triangle *t = k->triangle;
    Op op = t->comparison->binary.op;
    LLVMValueRef c = difference(f, k->func, axes, t->comparison), one = cg_i64(f->cg, 1);
    if (t->above) c = LLVMBuildNeg(f->b, c, "");
    if ((op == OP_LT || op == OP_GT) == t->holds) c = LLVMBuildAdd(f->b, c, one, "");
    t->diagonal = t->grows ? LLVMBuildSub(f->b, one, c, "diagonal") : c;
    t->rows = cg_axis_trips(f, &axes[k->order[0]]);
    t->columns = cg_axis_trips(f, &axes[t->axis]);
}

static LLVMValueRef clamped(CgFunc *f, LLVMValueRef v, LLVMValueRef lo, LLVMValueRef hi) {
    v = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, v, lo, ""), lo, v, "");
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, v, hi, ""), hi, v, "");
}

/* The sum of clamp(i + a, 0, m) over i in 0..r: of zeros, of a series from z to e, and of what is m. */
static LLVMValueRef clamped_sum(CgFunc *f, LLVMValueRef r, LLVMValueRef a, LLVMValueRef m) {
    LLVMBuilderRef b = f->b;
    LLVMValueRef z = clamped(f, LLVMBuildNeg(b, a, ""), cg_i64(f->cg, 0), r);
    LLVMValueRef e = clamped(f, LLVMBuildSub(b, m, a, ""), z, r), n = LLVMBuildSub(b, e, z, "");
    LLVMValueRef twice = LLVMBuildSub(b, LLVMBuildAdd(b, e, z, ""), cg_i64(f->cg, 1), "");
    LLVMValueRef series = LLVMBuildLShr(b, LLVMBuildMul(b, n, twice, ""), cg_i64(f->cg, 1), "");
    series = LLVMBuildAdd(b, series, LLVMBuildMul(b, n, a, ""), "");
    return LLVMBuildAdd(b, series, LLVMBuildMul(b, LLVMBuildSub(b, r, e, ""), m, ""), "");
}

/* The work in the first r rows, in items. To begin a row, and to do what is left over from blocks, takes as long as
 * some ROW_ITEMS of them (measured with one operation and with an exponential function an item). */
static LLVMValueRef work_before(CgFunc *f, const Triangle *t, LLVMValueRef r) {
    enum { ROW_ITEMS = 128 };
    LLVMValueRef sum = clamped_sum(f, r, t->diagonal, t->columns);
    if (!t->grows) sum = LLVMBuildSub(f->b, LLVMBuildMul(f->b, r, t->columns, ""), sum, "");
    return LLVMBuildAdd(f->b, sum, LLVMBuildMul(f->b, r, cg_i64(f->cg, ROW_ITEMS), ""), "work");
}

/* The least row before which there is so much work. */
static LLVMValueRef row_after(CgFunc *f, const Triangle *t, LLVMValueRef work) {
    LLVMBuilderRef b = f->b;
    LLVMTypeRef i64 = f->cg->i64;
    LLVMValueRef lo = cg_alloca(f, i64, "lo"), hi = cg_alloca(f, i64, "hi");
    LLVMBuildStore(b, cg_i64(f->cg, 0), lo);
    LLVMBuildStore(b, t->rows, hi);
    LLVMBasicBlockRef head = cg_block(f, "search"), look = cg_block(f, "look"), done = cg_block(f, "found");
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef first = LLVMBuildLoad2(b, i64, lo, ""), last = LLVMBuildLoad2(b, i64, hi, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, first, last, ""), look, done);
    cg_enter(f, look);
    LLVMValueRef middle = LLVMBuildLShr(b, LLVMBuildAdd(b, first, last, ""), cg_i64(f->cg, 1), "middle");
    LLVMValueRef enough = LLVMBuildICmp(b, LLVMIntSGE, work_before(f, t, middle), work, "");
    LLVMValueRef next = LLVMBuildAdd(b, middle, cg_i64(f->cg, 1), "");
    LLVMBuildStore(b, LLVMBuildSelect(b, enough, middle, last, ""), hi);
    LLVMBuildStore(b, LLVMBuildSelect(b, enough, first, next, ""), lo);
    cg_goto(f, head);
    cg_enter(f, done);
    return first;
}

/* The first item of a thread's: me = threads is the end of the last one's. The work of all threads but one times their
 * number may not be a number of 64 bits, so it is divided first. */
static LLVMValueRef first_item(CgFunc *f, const Triangle *t, LLVMValueRef n, LLVMValueRef me, LLVMValueRef threads) {
    LLVMBuilderRef b = f->b;
    LLVMValueRef all = work_before(f, t, t->rows);
    LLVMValueRef before = LLVMBuildMul(b, LLVMBuildUDiv(b, all, threads, ""), me, "");
    LLVMValueRef row = row_after(f, t, before), items = LLVMBuildUDiv(b, n, t->rows, "");
    LLVMValueRef is_end = LLVMBuildICmp(b, LLVMIntEQ, me, threads, "");
    return LLVMBuildSelect(b, is_end, n, LLVMBuildMul(b, row, items, ""), "");
}

void cpu_triangle_share(CgFunc *f, const Triangle *t, LLVMValueRef n, LLVMValueRef *begin, LLVMValueRef *end) {
    LLVMTypeRef i64 = f->cg->i64;
    LLVMValueRef me = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_THREAD_NUM, NULL, 0), i64, "me");
    LLVMValueRef threads = LLVMBuildZExt(f->b, cg_call_runtime(f, RT_NUM_THREADS, NULL, 0), i64, "threads");
    *begin = first_item(f, t, n, me, threads);
    *end = first_item(f, t, n, LLVMBuildAdd(f->b, me, cg_i64(f->cg, 1), ""), threads);
}
