/* walk.c -- looking for something in an expression or a statement. */
#include "sema/check.h"

static Expr *find_in_list(ExprList *list, ExprTest test, void *context) {
    for (int i = 0; i < list->n; i++) {
        Expr *found = expr_find(list->at[i], test, context);
        if (found) return found;
    }
    return NULL;
}

static Expr *find_in_args(ArgList *list, ExprTest test, void *context) {
    for (int i = 0; i < list->n; i++) {
        Expr *found = expr_find(list->at[i].value, test, context);
        if (found) return found;
    }
    return NULL;
}

static Expr *find_in_range(Range *r, ExprTest test, void *context) {
    Expr *found = expr_find(r->lo, test, context);
    if (!found) found = expr_find(r->hi, test, context);
    return found ? found : expr_find(r->step, test, context);
}

static Expr *find_in_comprehension(Expr *e, ExprTest test, void *context) {
    for (int i = 0; i < e->comprehend.binders.n; i++) {
        Expr *found = find_in_range(&e->comprehend.binders.at[i].range, test, context);
        if (found) return found;
    }
    return expr_find(e->comprehend.value, test, context);
}

Expr *expr_find(Expr *e, ExprTest test, void *context) {
    if (!e) return NULL;
    if (test(e, context)) return e;
    Expr *found = NULL;
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_NAME:
    case EXPR__COUNT: return NULL;
    case EXPR_UNARY: return expr_find(e->unary.operand, test, context);
    case EXPR_BINARY:
        found = expr_find(e->binary.lhs, test, context);
        return found ? found : expr_find(e->binary.rhs, test, context);
    case EXPR_CALL:
        found = e->call.callee->kind == EXPR_NAME ? NULL : expr_find(e->call.callee, test, context);
        return found ? found : find_in_args(&e->call.args, test, context);
    case EXPR_INDEX:
        found = expr_find(e->index.base, test, context);
        return found ? found : find_in_list(&e->index.at, test, context);
    case EXPR_FIELD: return expr_find(e->field.base, test, context);
    case EXPR_IF:
        found = expr_find(e->if_.cond, test, context);
        if (!found) found = expr_find(e->if_.then_, test, context);
        return found ? found : expr_find(e->if_.else_, test, context);
    case EXPR_FILL:
        found = expr_find(e->fill.value, test, context);
        return found ? found : find_in_list(&e->fill.extents, test, context);
    case EXPR_COMPREHEND: return find_in_comprehension(e, test, context);
    case EXPR_LIST: return find_in_list(&e->list.items, test, context);
    case EXPR_RANGE: return find_in_range(&e->range.range, test, context);
    case EXPR_OFFLOAD:
        found = expr_find(e->offload.device, test, context);
        return found ? found : expr_find(e->offload.call, test, context);
    case EXPR_ATOMIC:
        found = expr_find(e->atomic.target, test, context);
        if (!found) found = expr_find(e->atomic.value, test, context);
        return found ? found : expr_find(e->atomic.was, test, context);
    case EXPR_CONVERT: return expr_find(e->convert.operand, test, context);
    }
    return NULL;
}

static Expr *find_in_block(const Block *b, ExprTest test, void *context) {
    for (int i = 0; i < b->stmts.n; i++) {
        Expr *found = stmt_find(b->stmts.at[i], test, context);
        if (found) return found;
    }
    return NULL;
}

Expr *stmt_find(const Stmt *st, ExprTest test, void *context) {
    Expr *found = NULL;
    switch (st->kind) {
    case STMT_LET: return expr_find(st->let.init, test, context);
    case STMT_ASSIGN:
        found = expr_find(st->assign.target, test, context);
        return found ? found : expr_find(st->assign.value, test, context);
    case STMT_ATOMIC: return expr_find(st->atomic.atomic, test, context);
    case STMT_EXPR: return expr_find(st->expr.expr, test, context);
    case STMT_IF:
        found = expr_find(st->if_.cond, test, context);
        if (!found) found = find_in_block(st->if_.then_, test, context);
        return found || !st->if_.else_ ? found : stmt_find(st->if_.else_, test, context);
    case STMT_FOR:
        found = find_in_range((Range *)&st->for_.binder.range, test, context);
        return found ? found : find_in_block(st->for_.body, test, context);
    case STMT_WHILE:
        found = expr_find(st->while_.cond, test, context);
        return found ? found : find_in_block(st->while_.body, test, context);
    case STMT_RETURN: return expr_find(st->return_.value, test, context);
    case STMT_ASSERT:
        found = expr_find(st->assert_.cond, test, context);
        return found ? found : find_in_args((ArgList *)&st->assert_.args, test, context);
    case STMT_BLOCK:
    case STMT_RESIDENT: return find_in_block(st->block.block, test, context);
    case STMT_ERROR:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: return NULL;
    }
    return NULL;
}

bool block_holds(const Block *b, unsigned kinds) {
    for (int i = 0; i < b->stmts.n; i++)
        if (stmt_holds(b->stmts.at[i], kinds)) return true;
    return false;
}

bool stmt_holds(const Stmt *st, unsigned kinds) {
    if (kinds >> st->kind & 1) return true;
    switch (st->kind) {
    case STMT_IF: return block_holds(st->if_.then_, kinds) || (st->if_.else_ && stmt_holds(st->if_.else_, kinds));
    case STMT_FOR: return block_holds(st->for_.body, kinds);
    case STMT_WHILE: return block_holds(st->while_.body, kinds);
    case STMT_BLOCK:
    case STMT_RESIDENT: return block_holds(st->block.block, kinds);
    case STMT_ERROR:
    case STMT_LET:
    case STMT_ASSIGN:
    case STMT_ATOMIC:
    case STMT_EXPR:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_RETURN:
    case STMT_ASSERT:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    }
    return false;
}
