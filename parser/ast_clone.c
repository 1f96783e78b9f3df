/* ast_clone.c -- a deep copy of an item as the parser left it. A generic function is checked once for each set of types
 * it is used with, and checking writes into the tree: every use has a tree of its own, and the declaration stays as
 * written. Fields are copied as they are; only what points to a part of the tree is followed. */
#include "parser/ast.h"

static Expr *clone_expr(Arena *a, const Expr *e);
static Block *clone_block(Arena *a, const Block *b);
static Stmt *clone_stmt(Arena *a, const Stmt *s);

static ExprList clone_exprs(Arena *a, ExprList list) {
    ExprList copy = {0};
    for (int i = 0; i < list.n; i++) vec_push(a, &copy, clone_expr(a, list.at[i]));
    return copy;
}

static Range clone_range(Arena *a, Range r) {
    r.lo = clone_expr(a, r.lo);
    r.hi = clone_expr(a, r.hi);
    r.step = clone_expr(a, r.step);
    return r;
}

static Binder clone_binder(Arena *a, Binder b) {
    b.range = clone_range(a, b.range);
    b.by = clone_expr(a, b.by);
    return b;
}

static BinderList clone_binders(Arena *a, BinderList list) {
    BinderList copy = {0};
    for (int i = 0; i < list.n; i++) vec_push(a, &copy, clone_binder(a, list.at[i]));
    return copy;
}

static ArgList clone_args(Arena *a, ArgList list) {
    ArgList copy = {0};
    for (int i = 0; i < list.n; i++) {
        Arg arg = list.at[i];
        arg.value = clone_expr(a, arg.value);
        vec_push(a, &copy, arg);
    }
    return copy;
}

/* ---- types ---- */

static TypeExpr *clone_type(Arena *a, const TypeExpr *t) {
    if (!t) return NULL;
    TypeExpr *copy = arena_new(a, TypeExpr);
    *copy = *t;
    switch (t->kind) {
    case TE_ERROR: break;
    case TE_NAME:
        copy->name.args = (TypeExprList){0};
        for (int i = 0; i < t->name.args.n; i++) vec_push(a, &copy->name.args, clone_type(a, t->name.args.at[i]));
        break;
    case TE_ARRAY:
        copy->array.elem = clone_type(a, t->array.elem);
        copy->array.extents = clone_exprs(a, t->array.extents);
        break;
    case TE_REF: copy->ref.to = clone_type(a, t->ref.to); break;
    }
    return copy;
}

/* ---- expressions ---- */

static Expr *clone_expr(Arena *a, const Expr *e) {
    if (!e) return NULL;
    Expr *copy = arena_new(a, Expr);
    *copy = *e;
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_NAME:
    case EXPR__COUNT: break;
    case EXPR_UNARY: copy->unary.operand = clone_expr(a, e->unary.operand); break;
    case EXPR_BINARY:
        copy->binary.lhs = clone_expr(a, e->binary.lhs);
        copy->binary.rhs = clone_expr(a, e->binary.rhs);
        break;
    case EXPR_CALL:
        copy->call.callee = clone_expr(a, e->call.callee);
        copy->call.args = clone_args(a, e->call.args);
        break;
    case EXPR_INDEX:
        copy->index.base = clone_expr(a, e->index.base);
        copy->index.at = clone_exprs(a, e->index.at);
        break;
    case EXPR_FIELD: copy->field.base = clone_expr(a, e->field.base); break;
    case EXPR_IF:
        copy->if_.cond = clone_expr(a, e->if_.cond);
        copy->if_.then_ = clone_expr(a, e->if_.then_);
        copy->if_.else_ = clone_expr(a, e->if_.else_);
        break;
    case EXPR_FILL:
        copy->fill.value = clone_expr(a, e->fill.value);
        copy->fill.extents = clone_exprs(a, e->fill.extents);
        break;
    case EXPR_COMPREHEND:
        copy->comprehend.value = clone_expr(a, e->comprehend.value);
        copy->comprehend.binders = clone_binders(a, e->comprehend.binders);
        break;
    case EXPR_LIST: copy->list.items = clone_exprs(a, e->list.items); break;
    case EXPR_RANGE: copy->range.range = clone_range(a, e->range.range); break;
    case EXPR_OFFLOAD:
        copy->offload.device = clone_expr(a, e->offload.device);
        copy->offload.call = clone_expr(a, e->offload.call);
        break;
    case EXPR_ATOMIC:
        copy->atomic.target = clone_expr(a, e->atomic.target);
        copy->atomic.value = clone_expr(a, e->atomic.value);
        copy->atomic.was = clone_expr(a, e->atomic.was);
        break;
    case EXPR_CONVERT: copy->convert.operand = clone_expr(a, e->convert.operand); break;
    }
    return copy;
}

/* ---- statements ---- */

static Block *clone_block(Arena *a, const Block *b) {
    if (!b) return NULL;
    Block *copy = arena_new(a, Block);
    copy->span = b->span;
    copy->depth = b->depth;
    for (int i = 0; i < b->stmts.n; i++) vec_push(a, &copy->stmts, clone_stmt(a, b->stmts.at[i]));
    return copy;
}

static Stmt *clone_stmt(Arena *a, const Stmt *s) {
    if (!s) return NULL;
    Stmt *copy = arena_new(a, Stmt);
    *copy = *s;
    switch (s->kind) {
    case STMT_ERROR:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    case STMT_LET:
        copy->let.type = clone_type(a, s->let.type);
        copy->let.init = clone_expr(a, s->let.init);
        break;
    case STMT_ASSIGN:
        copy->assign.target = clone_expr(a, s->assign.target);
        copy->assign.value = clone_expr(a, s->assign.value);
        break;
    case STMT_ATOMIC: copy->atomic.atomic = clone_expr(a, s->atomic.atomic); break;
    case STMT_EXPR: copy->expr.expr = clone_expr(a, s->expr.expr); break;
    case STMT_IF:
        copy->if_.cond = clone_expr(a, s->if_.cond);
        copy->if_.then_ = clone_block(a, s->if_.then_);
        copy->if_.else_ = clone_stmt(a, s->if_.else_);
        break;
    case STMT_FOR:
        copy->for_.binder = clone_binder(a, s->for_.binder);
        copy->for_.body = clone_block(a, s->for_.body);
        break;
    case STMT_WHILE:
        copy->while_.cond = clone_expr(a, s->while_.cond);
        copy->while_.body = clone_block(a, s->while_.body);
        break;
    case STMT_RETURN: copy->return_.value = clone_expr(a, s->return_.value); break;
    case STMT_ASSERT:
        copy->assert_.cond = clone_expr(a, s->assert_.cond);
        copy->assert_.format = clone_expr(a, s->assert_.format);
        copy->assert_.args = clone_args(a, s->assert_.args);
        break;
    case STMT_BLOCK:
    case STMT_RESIDENT: copy->block.block = clone_block(a, s->block.block); break;
    case STMT_SHARED: copy->shared.type = clone_type(a, s->shared.type); break;
    }
    return copy;
}

/* ---- items ---- */

static void clone_function(Arena *a, Item *copy, const Item *i) {
    copy->fn.params = (ParamList){0};
    for (int k = 0; k < i->fn.params.n; k++) {
        Param p = i->fn.params.at[k];
        p.type = clone_type(a, p.type);
        vec_push(a, &copy->fn.params, p);
    }
    copy->fn.result = clone_type(a, i->fn.result);
    copy->fn.over = clone_binders(a, i->fn.over);
    copy->fn.body = clone_block(a, i->fn.body);
}

static void clone_struct(Arena *a, Item *copy, const Item *i) {
    copy->struct_.fields = (FieldList){0};
    for (int k = 0; k < i->struct_.fields.n; k++) {
        Field f = i->struct_.fields.at[k];
        f.type = clone_type(a, f.type);
        vec_push(a, &copy->struct_.fields, f);
    }
}

Expr *ast_clone_expr(Compiler *c, const Expr *e) { return clone_expr(&c->arena, e); }

Item *ast_clone(Compiler *c, const Item *i) {
    Item *copy = arena_new(&c->arena, Item);
    *copy = *i;
    if (i->kind == ITEM_FN || i->kind == ITEM_KERNEL) clone_function(&c->arena, copy, i);
    else if (i->kind == ITEM_STRUCT) clone_struct(&c->arena, copy, i);
    return copy;
}
