/* group_narrow.c -- guards as loop bounds (index-set splitting): a segment that only some items execute, as `if i.local
 * < stride { }` and `if inside { }`, becomes a loop over just these items. The last iterations of a tree reduction then
 * cost no more than their few items, and the vectoriser has no condition to turn into a mask. Legal because comparisons
 * of positions have no effects. */
#include "irgen/cpu/group.h"

static LLVMValueRef least(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef most(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, a, b, ""), a, b, "");
}

static bool is_inside(const GroupRun *r, const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym == r->group->inside;
}

/* Not for tiles of vector code: their rows have a short constant length, so simd/ends.c handles them as whole vectors
 * under a mask. */
static bool narrows_inside(const GroupRun *r) { return r->n == 1 || !r->f->cg->vector; }

static void only_inside(GroupRun *r, Nest *nest) {
    for (int d = 0; d < r->n; d++) nest->hi[d] = least(r->f, nest->hi[d], r->left[d]);
}

#define FAR (INT64_C(1) << 62)

/* i.local + more, or i + more */
typedef struct ItemPlace {
    int axis; /* -1: anything else */
    bool is_local;
    int64_t more;
} ItemPlace;

static ItemPlace place_of(const Func *fn, const Expr *e, bool counts) {
    enum { MOST = 1 << 30 };
    ItemPlace p = {.axis = -1};
    for (;;) {
        e = group_declared(e);
        p.axis = group_axis_of(fn, e, &p.is_local);
        if (counts) p.axis = group_is_number(fn, e) ? 0 : -1;
        p.is_local |= counts;
        bool is_sum = p.axis < 0 && group_is_sum(e) && e->type->kind == TY_INDEX;
        if (!is_sum) return p;
        bool minus = e->binary.op == OP_SUB, turned = !minus && e->binary.lhs->konst.kind == CONST_INT;
        const Const *k = &(turned ? e->binary.lhs : e->binary.rhs)->konst;
        if (k->kind != CONST_INT || k->i > MOST || k->i < -MOST) return p;
        p.more += minus ? -k->i : k->i;
        if (p.more > MOST || p.more < -MOST) return p;
        e = turned ? e->binary.rhs : e->binary.lhs;
    }
}

/* Turns the bound of the place into one of `i.local`. Positions are less than 2^61, so a clamped bound decides the
 * same.
 */
static LLVMValueRef local_value(GroupRun *r, const ItemPlace *p, LLVMValueRef v) {
    CgFunc *f = r->f;
    if (p->is_local && !p->more) return v;
    v = most(f, least(f, v, cg_i64(f->cg, FAR)), cg_i64(f->cg, -FAR));
    v = LLVMBuildNSWSub(f->b, v, cg_i64(f->cg, p->more), "");
    return p->is_local ? v : LLVMBuildSub(f->b, v, r->first[p->axis], "");
}

Op group_mirrored(Op op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : op == OP_GE ? OP_LE : op;
}

static bool compares(GroupRun *r, Nest *nest, Op op, Expr *place, Expr *with) {
    CgFunc *f = r->f;
    ItemPlace p = place_of(r->fn, place, r->item_number != NULL);
    int d = p.axis;
    if (d < 0 || !group_knows(&r->plan, with)) return false;
    LLVMValueRef v = local_value(r, &p, cg_index_value(f, cg_expr(f, with)));
    if (op == OP_LE || op == OP_GT) { /* i <= v: i < v + 1 */
        v = LLVMBuildAdd(f->b, least(f, v, cg_i64(f->cg, FAR)), cg_i64(f->cg, 1), "");
        op = op == OP_LE ? OP_LT : OP_GE;
    }
    if (op == OP_LT) nest->hi[d] = least(f, nest->hi[d], v);
    else nest->lo[d] = most(f, nest->lo[d], v);
    if (op != OP_EQ) return true;
    nest->single[d] = true;
    LLVMValueRef past = LLVMBuildAdd(f->b, v, cg_i64(f->cg, 1), "");
    LLVMValueRef is_local_index = LLVMBuildICmp(f->b, LLVMIntULT, v, cg_i64(f->cg, group_items_along(r, d)), "");
    nest->hi[d] = least(f, nest->hi[d], LLVMBuildSelect(f->b, is_local_index, past, cg_i64(f->cg, 0), ""));
    return true;
}

/* Both sides are indices; positions are not compared otherwise. */
static bool is_comparison(const Expr *e) {
    if (e->kind != EXPR_BINARY || e->konst.kind != CONST_NONE) return false;
    if (op_info[e->binary.op].kind != OPK_COMPARE || e->binary.op == OP_NE) return false;
    return e->binary.lhs->type->kind == TY_INDEX && e->binary.rhs->type->kind == TY_INDEX;
}

bool group_narrows(const Plan *p, const Expr *e) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND && e->konst.kind == CONST_NONE)
        return group_narrows(p, e->binary.lhs) || group_narrows(p, e->binary.rhs);
    if (!is_comparison(e)) return false;
    Expr *a = e->binary.lhs, *b = e->binary.rhs;
    for (int counts = 0; counts < 2; counts++) {
        if (place_of(p->func, a, counts).axis >= 0 && group_knows(p, b)) return true;
        if (place_of(p->func, b, counts).axis >= 0 && group_knows(p, a)) return true;
    }
    return false;
}

/* Adds the condition e to the bounds of the nest; false: e is not of that form, nothing has changed. */
static bool take(GroupRun *r, Nest *nest, Expr *e) {
    if (is_inside(r, e) && narrows_inside(r)) {
        only_inside(r, nest);
        return true;
    }
    if (!is_comparison(e)) return false;
    return compares(r, nest, e->binary.op, e->binary.lhs, e->binary.rhs) ||
           compares(r, nest, group_mirrored(e->binary.op), e->binary.rhs, e->binary.lhs);
}

static void take_all(GroupRun *r, Nest *nest, Expr *e, ExprList *rest) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND && e->konst.kind == CONST_NONE) {
        take_all(r, nest, e->binary.lhs, rest);
        take_all(r, nest, e->binary.rhs, rest);
    } else if (!take(r, nest, e)) {
        vec_push(&r->f->cg->c->arena, rest, e);
    }
}

/* True if the segment begins with `if !inside { return; }` and no later segment must know who has returned. */
static bool drops_outside(const GroupRun *r, const Part *part) {
    if (!part->items.n || r->returned.at || r->items || !narrows_inside(r)) return false;
    const Stmt *st = part->items.at[0];
    if (st->kind != STMT_IF || st->if_.else_ || st->if_.cond->kind != EXPR_UNARY || st->if_.cond->unary.op != OP_NOT)
        return false;
    const Block *then = st->if_.then_;
    return is_inside(r, st->if_.cond->unary.operand) && then->stmts.n == 1 && then->stmts.at[0]->kind == STMT_RETURN;
}

Narrowed group_narrow(GroupRun *r, const Part *part, Nest *nest) {
    Narrowed n = {0};
    for (int d = 0; d < group_axes(r); d++) {
        nest->lo[d] = cg_i64(r->f->cg, r->box ? r->box->lo[d] : 0);
        nest->hi[d] = cg_i64(r->f->cg, r->box ? r->box->hi[d] : group_items_along(r, d));
        nest->single[d] = group_items_along(r, d) == 1 && r->group->items > 1;
    }
    if (r->rounds) {
        int d = r->rounds->loop->axis;
        if (r->rounds->left) nest->hi[d] = least(r->f, nest->hi[d], r->rounds->left);
    } else if (!cg_allows(r->f->cg, GROUP_NARROW)) {
        return n;
    } else if (drops_outside(r, part)) {
        only_inside(r, nest);
        n.from = 1;
    } else if (part->items.n == 1 && part->items.at[0]->kind == STMT_IF && !part->items.at[0]->if_.else_) {
        take_all(r, nest, part->items.at[0]->if_.cond, &n.rest);
        n.body = part->items.at[0]->if_.then_;
    }
    return n;
}
