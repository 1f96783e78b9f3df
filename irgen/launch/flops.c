/* flops.c -- see flops.h. Operations are counted on the tree for one work item, with the loops whose bounds the launch
 * knows, and multiplied by the items. An addition, subtraction, multiplication, division or mathematical function is
 * one operation, a fused multiply-add two, each lane of a vector its own; comparisons, minima and conversions are none.
 * Of the two branches of an `if` the longer counts. A loop that computes and whose trip count is not known makes the
 * number unknown. */
#include "irgen/launch/flops.h"

#include "parser/children.h"

enum { CALLS_DEEP = 8 };

typedef struct Work {
    int64_t fixed;
    LLVMValueRef more; /* i64: what only the launch knows; NULL: 0 */
    bool unknown;
} Work;

typedef struct Count {
    CgFunc *f; /* where the kernel's parameters have values; NULL: in a function that it calls */
    bool is_f64;
    int depth; /* of calls */
} Count;

static Work of_block(const Count *c, const Block *b);
static Work of_stmt(const Count *c, const Stmt *s);

static const Work nothing;

static bool is_none(Work w) { return !w.fixed && !w.more && !w.unknown; }

static Work sum(const Count *c, Work a, Work b) {
    LLVMValueRef more = !a.more ? b.more : !b.more ? a.more : LLVMBuildAdd(c->f->b, a.more, b.more, "");
    return (Work){a.fixed + b.fixed, more, a.unknown || b.unknown};
}

static Work longer(const Count *c, Work a, Work b) {
    if (!a.more && !b.more) return (Work){a.fixed > b.fixed ? a.fixed : b.fixed, NULL, a.unknown || b.unknown};
    Cg *cg = c->f->cg;
    LLVMBuilderRef builder = c->f->b;
    LLVMValueRef v[2] = {cg_i64(cg, a.fixed), cg_i64(cg, b.fixed)};
    if (a.more) v[0] = LLVMBuildAdd(builder, v[0], a.more, "");
    if (b.more) v[1] = LLVMBuildAdd(builder, v[1], b.more, "");
    LLVMValueRef is_more = LLVMBuildICmp(builder, LLVMIntSGT, v[0], v[1], "");
    return (Work){0, LLVMBuildSelect(builder, is_more, v[0], v[1], ""), a.unknown || b.unknown};
}

/* One operation on values of this type. */
static Work one(const Count *c, const Type *t) {
    const Type *part = type_of_part(t);
    bool counts = part->is_float && (part->bits == 64) == c->is_f64;
    return (Work){.fixed = counts ? t->kind == TY_VECTOR ? t->width : 1 : 0};
}

static bool is_computed(Op op) { return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV; }

static Work of_call(const Count *c, const Expr *e) {
    const CallInfo *info = e->call.info;
    if (info->kind == CALL_BUILTIN)
        return info->builtin >= BUILTIN_SQRT && info->builtin <= BUILTIN_HYPOT ? one(c, e->type) : nothing;
    if (info->kind != CALL_FUNC || !info->func->item || !info->func->item->fn.body) return nothing;
    if (c->depth == CALLS_DEEP) return (Work){.unknown = true};
    return of_block(&(Count){NULL, c->is_f64, c->depth + 1}, info->func->item->fn.body);
}

static Work of_expr(const Count *c, const Expr *e) {
    Work w = nothing;
    if (e->konst.kind != CONST_NONE) return w;
    if (e->kind == EXPR_BINARY && is_computed(e->binary.op)) w = one(c, e->type);
    if (e->kind == EXPR_ATOMIC) w = one(c, e->type);
    if (e->kind == EXPR_CALL) w = of_call(c, e);
    if (e->kind == EXPR_IF)
        return sum(c, of_expr(c, e->if_.cond), longer(c, of_expr(c, e->if_.then_), of_expr(c, e->if_.else_)));
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) w = sum(c, w, of_expr(c, x));
    return w;
}

/* The trip count, known or computed; false: neither. */
static bool trips_of(const Count *c, const Range *r, int64_t *fixed, LLVMValueRef *at_launch) {
    bool has_plain_step = !r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i);
    *at_launch = NULL;
    if (!r->hi || r->column || !has_plain_step) return false;
    bool is_constant = r->hi->konst.kind == CONST_INT && (!r->lo || r->lo->konst.kind == CONST_INT) && !r->step;
    if (is_constant) {
        int64_t lo = r->lo ? r->lo->konst.i : 0;
        return !__builtin_sub_overflow(r->hi->konst.i, lo, fixed) && (*fixed = *fixed < 0 ? 0 : *fixed, true);
    }
    if (!c->f || !cg_is_known_at_launch(r->lo) || !cg_is_known_at_launch(r->hi)) return false;
    Axis axis = cg_axis(c->f, r);
    *at_launch = cg_axis_trips(c->f, &axis);
    return true;
}

static Work of_loop(const Count *c, const Range *r, const Block *body) {
    Work w = of_block(c, body);
    int64_t fixed = 0;
    LLVMValueRef trips;
    if (is_none(w)) return w;
    if (w.unknown || !trips_of(c, r, &fixed, &trips)) return (Work){.unknown = true};
    if (!trips && !w.more) return (Work){.fixed = w.fixed * fixed};
    LLVMValueRef each = cg_i64(c->f->cg, w.fixed);
    if (w.more) each = LLVMBuildAdd(c->f->b, each, w.more, "");
    return (Work){.more = LLVMBuildMul(c->f->b, trips ? trips : cg_i64(c->f->cg, fixed), each, "")};
}

static Work of_assignment(const Count *c, const Stmt *s) {
    Work w = is_computed(s->assign.op) ? one(c, s->assign.target->type) : nothing;
    return sum(c, w, sum(c, of_expr(c, s->assign.target), of_expr(c, s->assign.value)));
}

static Work of_stmt(const Count *c, const Stmt *s) {
    Work w = nothing;
    Children all = stmt_children(s);
    if (s->kind == STMT_ASSIGN) return of_assignment(c, s);
    if (s->kind == STMT_FOR) return of_loop(c, &s->for_.binder.range, s->for_.body);
    if (s->kind == STMT_IF)
        return sum(c, of_expr(c, s->if_.cond),
                   longer(c, of_block(c, s->if_.then_), s->if_.else_ ? of_stmt(c, s->if_.else_) : nothing));
    for (Expr *x; (x = child_expr(&all));) w = sum(c, w, of_expr(c, x));
    for (Stmt *x; (x = child_stmt(&all));) w = sum(c, w, of_stmt(c, x));
    return s->kind == STMT_WHILE && !is_none(w) ? (Work){.unknown = true} : w;
}

static Work of_block(const Count *c, const Block *b) {
    Work w = nothing;
    for (int i = 0; i < b->stmts.n; i++) w = sum(c, w, of_stmt(c, b->stmts.at[i]));
    return w;
}

LLVMValueRef flops_of_launch(CgFunc *f, const Func *kernel, LLVMValueRef items, bool is_f64) {
    Count c = {.f = f, .is_f64 = is_f64};
    Work w = of_block(&c, kernel->item->fn.body);
    if (kernel->reduction == REDUCE_SUM || kernel->reduction == REDUCE_PROD)
        w = sum(&c, w, one(&c, kernel->result));
    if (w.unknown) return cg_i64(f->cg, -1);
    LLVMValueRef each = cg_i64(f->cg, w.fixed);
    if (w.more) each = LLVMBuildAdd(f->b, each, w.more, "");
    return LLVMBuildMul(f->b, items, each, "flops");
}
