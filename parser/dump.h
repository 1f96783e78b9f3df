/* dump.h -- shared by ast_dump.c (expressions, types) and ast_dump_item.c (statements, items). */
#ifndef KDSL_DUMP_H
#define KDSL_DUMP_H

#include <stdio.h>

#include "lexer/lexer.h"
#include "parser/ast.h"

typedef struct Dump {
    Compiler *c;
    Buf *out;
    int indent;
    const char *(*type_text)(Compiler *c, const Type *t); /* NULL: without types */
} Dump;

void dump_expr(Dump *d, const Expr *e);
void dump_type(Dump *d, const TypeExpr *t);
void dump_args(Dump *d, ArgList args);
void dump_range(Dump *d, const Range *r);
void dump_binders(Dump *d, BinderList binders);
void dump_string(Dump *d, const char *at, size_t n);
void dump_fused(Dump *d, bool fused);
const char *dump_update_text(Dump *d, Op op, bool is_min, bool is_max); /* "+=", "min=" */

#endif
