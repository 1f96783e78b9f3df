/* children.c -- tree traversal: which children each kind of node has. The two switches have no `default:`, so the C
 * compiler names a new kind of node that is missing here. */
#include "parser/children.h"

static Children few(Expr **a, Expr **b, Expr **c) { return (Children){.few = {a, b, c}}; }
static Children one(Expr **a) { return few(a, NULL, NULL); }

Children range_children(const Range *of) {
    Range *r = (Range *)of;
    return few(&r->lo, &r->hi, r->column ? &r->column : &r->step);
}

/* The parameter is const for walkers that only read the tree; those that replace children own it. */
Children expr_children(const Expr *of) {
    Expr *e = (Expr *)of;
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_NAME:
    case EXPR__COUNT: break;
    case EXPR_UNARY: return one(&e->unary.operand);
    case EXPR_BINARY: return few(&e->binary.lhs, &e->binary.rhs, NULL);
    case EXPR_CALL: return (Children){.few = {&e->call.callee}, .args = &e->call.args};
    case EXPR_INDEX: return (Children){.few = {&e->index.base}, .list = &e->index.at};
    case EXPR_FIELD: return one(&e->field.base);
    case EXPR_IF: return few(&e->if_.cond, &e->if_.then_, &e->if_.else_);
    case EXPR_FILL: return (Children){.few = {&e->fill.value}, .list = &e->fill.extents};
    case EXPR_COMPREHEND: return (Children){.binders = &e->comprehend.binders, .few = {&e->comprehend.value}};
    case EXPR_LIST: return (Children){.list = &e->list.items};
    case EXPR_RANGE: return range_children(&e->range.range);
    case EXPR_OFFLOAD: return few(&e->offload.device, &e->offload.call, NULL);
    case EXPR_ATOMIC: return few(&e->atomic.target, &e->atomic.value, &e->atomic.was);
    case EXPR_CONVERT: return one(&e->convert.operand);
    }
    return (Children){0};
}

Children stmt_children(const Stmt *of) {
    Stmt *st = (Stmt *)of;
    switch (st->kind) {
    case STMT_ERROR:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    case STMT_LET: return one(&st->let.init);
    case STMT_ASSIGN: return few(&st->assign.target, &st->assign.value, NULL);
    case STMT_ATOMIC: return one(&st->atomic.atomic);
    case STMT_EXPR: return one(&st->expr.expr);
    case STMT_IF: return (Children){.few = {&st->if_.cond}, .block = &st->if_.then_, .other = &st->if_.else_};
    case STMT_FOR: {
        Children all = range_children(&st->for_.binder.range);
        all.block = &st->for_.body;
        return all;
    }
    case STMT_WHILE: return (Children){.few = {&st->while_.cond}, .block = &st->while_.body};
    case STMT_RETURN: return one(&st->return_.value);
    case STMT_ASSERT:
        return (Children){.few = {&st->assert_.cond, &st->assert_.format}, .args = &st->assert_.args};
    case STMT_BLOCK:
    case STMT_RESIDENT: return (Children){.block = &st->block.block};
    }
    return (Children){0};
}

static Expr **range_slot(Range *r, int i) { return i == 0 ? &r->lo : i == 1 ? &r->hi : &r->step; }

/* Slot number i, which may be empty or NULL; false: there are fewer. */
static bool slot_at(const Children *c, int i, Expr ***slot) {
    int n_bounds = c->binders ? 3 * c->binders->n : 0, n_args = c->args ? c->args->n : 0;
    if (i < n_bounds) {
        *slot = range_slot(&c->binders->at[i / 3].range, i % 3);
        return true;
    }
    i -= n_bounds;
    if (i < 3) {
        *slot = c->few[i];
        return true;
    }
    i -= 3;
    if (i < n_args) {
        *slot = &c->args->at[i].value;
        return true;
    }
    i -= n_args;
    if (!c->list || i >= c->list->n) return false;
    *slot = &c->list->at[i];
    return true;
}

Expr **child_slot(Children *c) {
    Expr **slot;
    while (slot_at(c, c->n_exprs, &slot)) {
        c->n_exprs++;
        if (slot && *slot) return slot;
    }
    return NULL;
}

Expr *child_expr(Children *c) {
    Expr **slot = child_slot(c);
    return slot ? *slot : NULL;
}

Stmt *child_stmt(Children *c) {
    const Block *block = c->block ? *c->block : NULL;
    int i = c->n_stmts, n = block ? block->stmts.n : 0;
    if (i > n || (i == n && !c->other)) return NULL;
    c->n_stmts++;
    return i < n ? block->stmts.at[i] : *c->other;
}
