/* evaluate.h -- constant evaluation on the checked tree: the value of an expression where those of some of its parts
 * are known. */
#ifndef KDSL_EVALUATE_H
#define KDSL_EVALUATE_H

#include "sema/sema.h"

/* The known value of a sub-expression, such as a variable; CONST_NONE: not known. */
typedef Const (*Known)(const Expr *e, void *context);

/* An integer or a bool; CONST_NONE: not known, or not defined, as a division by zero. */
Const evaluate_expr(const Expr *e, Known known, void *context);

/* The value of `v op= by` for a variable of type t; op OP_NONE: of `v = by`. */
Const evaluate_update(const Stmt *assign, const Type *t, Const v, Const by);

#endif
