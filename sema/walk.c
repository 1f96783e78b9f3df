/* walk.c -- tree traversal: searches for something in an expression or a statement. */
#include "sema/check.h"

#include "parser/children.h"

/* The name of the function that is called is skipped: it is not a value. */
Expr *expr_find(Expr *e, ExprTest test, void *context) {
    if (!e) return NULL;
    if (test(e, context)) return e;
    Expr *found = NULL;
    Children all = expr_children(e);
    if (e->kind == EXPR_CALL && e->call.callee->kind == EXPR_NAME) child_expr(&all);
    for (Expr *x; !found && (x = child_expr(&all));) found = expr_find(x, test, context);
    return found;
}

Expr *stmt_find(const Stmt *st, ExprTest test, void *context) {
    Expr *found = NULL;
    Children all = stmt_children(st);
    for (Expr *x; !found && (x = child_expr(&all));) found = expr_find(x, test, context);
    for (Stmt *s; !found && (s = child_stmt(&all));) found = stmt_find(s, test, context);
    return found;
}

Expr *block_find(const Block *b, ExprTest test, void *context) {
    Expr *found = NULL;
    for (int i = 0; i < b->stmts.n && !found; i++) found = stmt_find(b->stmts.at[i], test, context);
    return found;
}

bool block_holds(const Block *b, unsigned kinds) {
    for (int i = 0; i < b->stmts.n; i++)
        if (stmt_holds(b->stmts.at[i], kinds)) return true;
    return false;
}

bool stmt_holds(const Stmt *st, unsigned kinds) {
    if (kinds >> st->kind & 1) return true;
    Children all = stmt_children(st);
    for (Stmt *s; (s = child_stmt(&all));)
        if (stmt_holds(s, kinds)) return true;
    return false;
}
