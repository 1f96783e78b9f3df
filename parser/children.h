/* children.h -- tree traversal: the children of a node, listed once for all walkers over the tree. A walker treats the
 * kinds of nodes that matter to it, and goes through the children of the others:
 *
 *     Children all = expr_children(e);
 *     for (Expr *x; (x = child_expr(&all));) walk(x);
 *
 * Children come in the order in which they are evaluated, all expressions before all statements. Absent ones (a range
 * without a step, an `if` without `else`) are left out. Types are not children. */
#ifndef KDSL_CHILDREN_H
#define KDSL_CHILDREN_H

#include "parser/ast.h"

typedef struct Children {
    BinderList *binders; /* their ranges come first, */
    Expr **few[3];
    ArgList *args;
    ExprList *list;
    Block **block;       /* then the statements of a block, */
    Stmt **other;        /* and the statement after `else` */
    int n_exprs, n_stmts; /* taken so far */
} Children;

Children expr_children(const Expr *e);
Children stmt_children(const Stmt *st);
Children range_children(const Range *r);

/* The next child, or NULL after the last one. */
Expr **child_slot(Children *c); /* where the node keeps the child: a pass may replace it */
Expr *child_expr(Children *c);
Stmt *child_stmt(Children *c);

#endif
