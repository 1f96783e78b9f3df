/* ast_build.h -- the constructors of the tree, which the grammar's actions call, and the state of the parser.
 *
 * Each constructor joins the spans of its operands, and rejects a tree deeper than AST_MAX_DEPTH (E0203, once per
 * item): then it returns an *_ERROR node, whose children must not be read. There are no other errors. */
#ifndef KDSL_AST_BUILD_H
#define KDSL_AST_BUILD_H

#include "lexer/lexer.h"
#include "parser/ast.h"

typedef struct Parser {
    Compiler *c;
    Arena *arena;
    Module *module;
    Span last;      /* of the last token fed */
    bool too_deep;  /* E0203 was reported in this item */
    StmtList input; /* of an interactive session: the statements of the input */
} Parser;

/* The operator of an assignment. */
typedef struct AssignOp {
    Op op; /* OP_NONE: plain `=` */
    bool is_min, is_max;
    Span span;
} AssignOp;

typedef struct KernelResult {
    TypeExpr *type;
    Name reduce;
    Span reduce_span;
} KernelResult;

typedef struct ClosedTypes { /* type arguments, the last of which ends with the first half of a `>>` */
    TypeExprList types;
    Span end; /* of the second half */
} ClosedTypes;

typedef struct AssertText {
    Expr *format;
    ArgList args;
} AssertText;

typedef struct LaunchWords { /* the options between `offload` and the kernel */
    bool async;
    Expr *device;
} LaunchWords;

/* Reports E0203 if a node with children of this depth would be too deep. */
bool ast_too_deep(Parser *p, Span span, uint32_t child_depth);

/* lists */
void ast_add_expr(Parser *p, ExprList *list, Expr *e);
void ast_add_stmt(Parser *p, StmtList *list, Stmt *s);
void ast_add_value(Parser *p, Expr *e); /* the last expression of an input, whose value is shown */
void ast_add_type(Parser *p, TypeExprList *list, TypeExpr *t);
void ast_add_arg(Parser *p, ArgList *list, Arg a);
void ast_add_binder(Parser *p, BinderList *list, Binder b);
void ast_add_param(Parser *p, ParamList *list, Token name, TypeExpr *type);
void ast_add_field(Parser *p, FieldList *list, Token name, TypeExpr *type);
void ast_add_generic(Parser *p, GenericList *list, Token name, const Token *constraint);
void ast_add_name(Parser *p, NameList *list, Token name);

/* types */
Token ast_qualified(Parser *p, Token module, Token name);
TypeExpr *ast_type_name(Parser *p, Token name, TypeExprList args, Span end);
ClosedTypes ast_closed_twice(Parser *p, TypeExprList before, Token name, TypeExprList args, Token close);
TypeExpr *ast_type_array(Parser *p, Token open, TypeExpr *elem, ExprList extents, Token close);
TypeExpr *ast_type_any_rank(Parser *p, Token open, TypeExpr *elem, Token dots, Token close);
TypeExpr *ast_type_ref(Parser *p, RefMode mode, Span mode_span, TypeExpr *to);

/* expressions */
Expr *ast_int(Parser *p, Token t);
Expr *ast_float(Parser *p, Token t);
Expr *ast_bool(Parser *p, Token t, bool value);
Expr *ast_str(Parser *p, Token t);
Expr *ast_name(Parser *p, Token t);
Expr *ast_parens(Parser *p, Token open, Expr *e, Token close);
Expr *ast_unary(Parser *p, Op op, Token t, Expr *operand);
Expr *ast_binary(Parser *p, Op op, Token t, Expr *lhs, Expr *rhs);
Expr *ast_call(Parser *p, Expr *callee, ArgList args, Token close);
Expr *ast_index(Parser *p, Expr *base, ExprList at, Token close);
Expr *ast_field(Parser *p, Expr *base, Token name);
Expr *ast_if_expr(Parser *p, Token if_, Expr *cond, Expr *then_, Expr *else_, Span end);
Expr *ast_fill(Parser *p, Token open, Expr *value, ExprList extents, Token close);
Expr *ast_comprehend(Parser *p, Token open, Expr *value, BinderList binders, Token close);
Expr *ast_list(Parser *p, Token open, ExprList items, Token close);
Expr *ast_slice(Parser *p, Expr *lo, Token dots, Expr *hi);
Expr *ast_offload(Parser *p, Token offload, LaunchWords words, Expr *callee, ArgList args, Token close);
Expr *ast_atomic(Parser *p, Token atomic, Expr *target, AssignOp op, Expr *value, Expr *was); /* was: may be NULL */

Arg ast_arg(RefMode mode, Span mode_span, Expr *value);
Arg ast_labelled_arg(Token label, Expr *value);
Range ast_range(Expr *lo, Expr *hi, Expr *step, bool has_dots);
Binder ast_binder(Token name, Range range, Expr *by);
AssignOp ast_assign_op(Op op, Token t);

/* statements */
Block *ast_block(Parser *p, Token open, StmtList stmts, Token close);
Stmt *ast_let(Parser *p, Token let, Token name, TypeExpr *type, Expr *init, Token semi);
Stmt *ast_let_repaired(Parser *p, Token let, Token name, TypeExpr *type, Token end);
Stmt *ast_assign(Parser *p, Expr *target, AssignOp op, Expr *value, Token semi);
Stmt *ast_expr_stmt(Parser *p, Expr *e, Token semi); /* also EXPR_ATOMIC; E0214 if it has no effect */
Stmt *ast_if(Parser *p, Token if_, Expr *cond, Block *then_, Stmt *else_);
Stmt *ast_for(Parser *p, Token for_, Token name, Range range, Block *body);
Stmt *ast_while(Parser *p, Token while_, Expr *cond, Block *body);
Stmt *ast_return(Parser *p, Token return_, Expr *value, Token semi);
Stmt *ast_assert(Parser *p, Token assert_, Expr *cond, AssertText text, Token semi);
Stmt *ast_shared(Parser *p, Token shared, Token name, TypeExpr *type, Token semi);
Stmt *ast_word_stmt(Parser *p, StmtKind kind, Token word, Token semi); /* break, continue, barrier, wait */
Stmt *ast_block_stmt(Parser *p, Block *block);
Stmt *ast_resident(Parser *p, Token offload, Block *block);
Stmt *ast_stmt_error(Parser *p, Token resync);

/* items */
Item *ast_fn(Parser *p, Span linkage, Token fn, Token name, GenericList generics, ParamList params, TypeExpr *result,
             Block *body);
Item *ast_extern_struct(Parser *p, Token extern_, Token abi, Token name, Token semi);
Item *ast_extern_fn(Parser *p, Token extern_, Token abi, Token name, GenericList generics, ParamList params,
                    TypeExpr *result, Token semi);
Item *ast_kernel(Parser *p, Span linkage, Token kernel, Token name, GenericList generics, ParamList params,
                 BinderList over, KernelResult result, Block *body);
Item *ast_struct(Parser *p, Token struct_, Token name, GenericList generics, FieldList fields, Token close);
Item *ast_const(Parser *p, Token const_, Token name, TypeExpr *type, Expr *value, Token semi);
Item *ast_import(Parser *p, Token import, NameList path, Token semi);
Item *ast_test(Parser *p, Token test, Token text, Block *body);
Item *ast_item_error(Parser *p, Token resync);
Item *ast_input(Parser *p, Span whole); /* a function with the statements of an input */
void ast_add_item(Parser *p, Item *item);
void ast_add_assumption(Parser *p, AssumptionList *list, Token word, Token array);
KernelResult ast_kernel_result(Parser *p, const Token *reduce, TypeExpr *type);

/* The generated parser (kdsl.y). */
void *KdslParseAlloc(void *(*allocate)(size_t), Parser *p);
void KdslParse(void *yy, int kind, Token t);
void KdslParseFree(void *yy, void (*release)(void *));
/* True if the grammar accepts a token of this kind next. Exact: simulates the reductions that precede the shift. */
bool grammar_accepts(const void *yy, int kind);
int grammar_stack_depth(const void *yy);
int grammar_open_brackets(const void *yy); /* unclosed ( [ { on the parser's stack */

#endif
