/* kdsl.y -- the complete LALR(1) grammar of the language, and its specification; grammar/README.md explains the
 * directives. Each action only calls a constructor of parser/ast_build.h.
 *
 * Built by: lemon -T<lempar.c> -d<build>/grammar kdsl.y (3.40 or later); a conflict fails the build. The generated
 * header is copied to kdsl_tokens.h. The generated C is compiled with -w. */
%name KdslParse
%token_prefix TOK_
%token_type {Token}
%default_type {Expr *}
%extra_context {Parser *p}
%stack_size 0

/* In the order of lexer/tokens.def, as lexer/token.c asserts. */
%token ID INT FLOAT STR.
%token LPAREN RPAREN LBRACKET RBRACKET LBRACE RBRACE COMMA SEMI COLON DOT DOTDOT ARROW.
%token ASSIGN ADD_ASSIGN SUB_ASSIGN MUL_ASSIGN DIV_ASSIGN REM_ASSIGN AND_ASSIGN OR_ASSIGN XOR_ASSIGN SHL_ASSIGN
       ROL_ASSIGN SHR_ASSIGN.
%token OR AND EQ NE LT LE GT GE PIPE CARET AMP SHL SHR ROL PLUS MINUS STAR SLASH PERCENT BANG TILDE.
%token FN KERNEL STRUCT CONST IMPORT EXTERN EXPORT TEST LET VAR IF ELSE FOR IN WHILE BREAK CONTINUE RETURN ASSERT
       OFFLOAD ATOMIC SHARED BARRIER WAIT TRUE FALSE MUT.
%token BY STEP ON RESIDENT ASYNC OUT SCRATCH OVER MIN MAX ASSUME FAST.
%token RESYNC INPUT VALUE BAD.

/* Keywords where a rule expects them, names everywhere else. */
%fallback ID BY STEP ON RESIDENT ASYNC OUT SCRATCH OVER MIN MAX ASSUME FAST.

/* Lowest precedence first, as in ops.def. Comparisons are not associative: `a < b < c` is an error. */
%left OR.
%left AND.
%nonassoc EQ NE LT LE GT GE.
%left PIPE.
%left CARET.
%left AMP.
%left SHL SHR ROL.
%left PLUS MINUS.
%left STAR SLASH PERCENT.

%include {
#include "parser/ast_build.h"

#include <stdlib.h>
}

/* A file; or one input of an interactive session: declarations and statements in any order, then optionally an
 * expression whose value is shown. The tokens INPUT and VALUE, inserted by parser/input.c, select the second rule and
 * mark the start of that expression. */
program ::= items.
program ::= INPUT input value.

input ::= .
input ::= input item(I). { ast_add_item(p, I); }
input ::= input stmt(S). { ast_add_stmt(p, &p->input, S); }
value ::= .
value ::= VALUE expr(E). { ast_add_value(p, E); }

/* ---- items ---- */

items ::= .
items ::= items item(I). { ast_add_item(p, I); }
items ::= items error RESYNC(Z). { ast_add_item(p, ast_item_error(p, Z)); }

%type item {Item *}
item(A) ::= export(E) FN(K) ID(N) generics(G) LPAREN params(P) RPAREN fn_result(R) block(B). {
    A = ast_fn(p, E, K, N, G, P, R, B);
}
item(A) ::= export(E) KERNEL(K) ID(N) generics(G) LPAREN params(P) RPAREN fast(S) OVER binders(V)
            assumes(F) kernel_result(R) block(B). {
    A = ast_kernel(p, E, K, N, G, P, V, R, B);
    A->fn.fast_span = S;
    A->fn.assumes = F;
}
item(A) ::= EXTERN(E) STR(S) FN ID(N) generics(G) LPAREN params(P) RPAREN fn_result(R) SEMI(Z). {
    A = ast_extern_fn(p, E, S, N, G, P, R, Z);
}
item(A) ::= EXTERN(E) STR(S) STRUCT ID(N) SEMI(Z). { A = ast_extern_struct(p, E, S, N, Z); }
item(A) ::= STRUCT(K) ID(N) generics(G) LBRACE fields(F) RBRACE(Z). { A = ast_struct(p, K, N, G, F, Z); }
item(A) ::= CONST(K) ID(N) type_opt(T) ASSIGN expr(V) SEMI(Z). { A = ast_const(p, K, N, T, V, Z); }
item(A) ::= IMPORT(K) path(P) SEMI(Z). { A = ast_import(p, K, P, Z); }
item(A) ::= TEST(K) STR(S) block(B). { A = ast_test(p, K, S, B); }

%type export {Span}
export(A) ::= . { A = (Span){0}; }
export(A) ::= EXPORT(K). { A = K.span; }

/* `kernel k(...) fast over i in n`: floating-point arithmetic as with --fp=fast */
%type fast {Span}
fast(A) ::= . { A = (Span){0}; }
fast(A) ::= FAST(K). { A = K.span; }

%type path {NameList}
path(A) ::= ID(N). { A = (NameList){0}; ast_add_name(p, &A, N); }
path(A) ::= path(B) DOT ID(N). { A = B; ast_add_name(p, &A, N); }

%type generics {GenericList}
%type generic_list {GenericList}
generics(A) ::= . { A = (GenericList){0}; }
generics(A) ::= LT generic_list(L) comma GT. { A = L; }
generic_list(A) ::= ID(N). { A = (GenericList){0}; ast_add_generic(p, &A, N, NULL); }
generic_list(A) ::= ID(N) COLON ID(C). { A = (GenericList){0}; ast_add_generic(p, &A, N, &C); }
generic_list(A) ::= generic_list(L) COMMA ID(N). { A = L; ast_add_generic(p, &A, N, NULL); }
generic_list(A) ::= generic_list(L) COMMA ID(N) COLON ID(C). { A = L; ast_add_generic(p, &A, N, &C); }

/* A trailing comma, allowed in every bracketed list. */
comma ::= .
comma ::= COMMA.

%type params {ParamList}
%type param_list {ParamList}
params(A) ::= . { A = (ParamList){0}; }
params(A) ::= param_list(L) comma. { A = L; }
param_list(A) ::= ID(N) COLON type(T). { A = (ParamList){0}; ast_add_param(p, &A, N, T); }
param_list(A) ::= param_list(L) COMMA ID(N) COLON type(T). { A = L; ast_add_param(p, &A, N, T); }

%type fields {FieldList}
%type field_list {FieldList}
fields(A) ::= . { A = (FieldList){0}; }
fields(A) ::= field_list(L) comma. { A = L; }
field_list(A) ::= ID(N) COLON type(T). { A = (FieldList){0}; ast_add_field(p, &A, N, T); }
field_list(A) ::= field_list(L) COMMA ID(N) COLON type(T). { A = L; ast_add_field(p, &A, N, T); }

%type fn_result {TypeExpr *}
fn_result(A) ::= . { A = NULL; }
fn_result(A) ::= ARROW type(T). { A = T; }

/* `-> sum f32`; `-> any` alone is parsed as a type, and recognised by its name. */
%type kernel_result {KernelResult}
kernel_result(A) ::= . { A = (KernelResult){0}; }
kernel_result(A) ::= ARROW type(T). { A = ast_kernel_result(p, NULL, T); }
kernel_result(A) ::= ARROW ID(R) type(T). { A = ast_kernel_result(p, &R, T); }

/* `assume distinct(to), sorted(row)` */
%type assumes {AssumptionList}
%type assumption_list {AssumptionList}
assumes(A) ::= . { A = (AssumptionList){0}; }
assumes(A) ::= ASSUME assumption_list(L). { A = L; }
assumption_list(A) ::= ID(W) LPAREN ID(N) RPAREN. { A = (AssumptionList){0}; ast_add_assumption(p, &A, W, N); }
assumption_list(A) ::= assumption_list(L) COMMA ID(W) LPAREN ID(N) RPAREN. { A = L; ast_add_assumption(p, &A, W, N); }

%type binders {BinderList}
%type binder {Binder}
binders(A) ::= binder(B). { A = (BinderList){0}; ast_add_binder(p, &A, B); }
binders(A) ::= binders(L) COMMA binder(B). { A = L; ast_add_binder(p, &A, B); }
binder(A) ::= ID(N) IN range(R). { A = ast_binder(N, R, NULL); }
binder(A) ::= ID(N) IN range(R) BY expr(E). { A = ast_binder(N, R, E); }

%type range {Range}
range(A) ::= expr(N). { A = ast_range(NULL, N, NULL, false); }
range(A) ::= expr(N) STEP expr(S). { A = ast_range(NULL, N, S, false); }
range(A) ::= expr(L) DOTDOT expr(H). { A = ast_range(L, H, NULL, true); }
range(A) ::= expr(L) DOTDOT expr(H) STEP expr(S). { A = ast_range(L, H, S, true); }

/* ---- types ---- */

%type type {TypeExpr *}
%type type_opt {TypeExpr *}
%type types {TypeExprList}
%type type_word {Token}
%type closed_twice {ClosedTypes}
type_opt(A) ::= . { A = NULL; }
type_opt(A) ::= COLON type(T). { A = T; }
type(A) ::= type_word(N). { A = ast_type_name(p, N, (TypeExprList){0}, N.span); }
type(A) ::= type_word(N) LT types(L) comma GT(Z). { A = ast_type_name(p, N, L, Z.span); }
type(A) ::= type_word(N) LT closed_twice(L). { A = ast_type_name(p, N, L.types, L.end); }
type(A) ::= LBRACKET(O) type(T) SEMI exprs(E) comma RBRACKET(Z). { A = ast_type_array(p, O, T, E, Z); }
type(A) ::= LBRACKET(O) type(T) SEMI DOTDOT(D) RBRACKET(Z). { A = ast_type_any_rank(p, O, T, D, Z); }
type(A) ::= AMP(M) type(T). { A = ast_type_ref(p, REF_IN, M.span, T); }
type(A) ::= AMP(M) MUT(W) type(T). { A = ast_type_ref(p, REF_MUT, span_join(M.span, W.span), T); }
type(A) ::= AMP(M) OUT(W) type(T). { A = ast_type_ref(p, REF_OUT, span_join(M.span, W.span), T); }
type(A) ::= AMP(M) SCRATCH(W) type(T). { A = ast_type_ref(p, REF_SCRATCH, span_join(M.span, W.span), T); }
type_word(A) ::= ID(N). { A = N; }
type_word(A) ::= ID(M) DOT ID(N). { A = ast_qualified(p, M, N); }
/* Pair<f32, Pair<i32, i32>>: a single token `>>` closes both. */
closed_twice(A) ::= type_word(N) LT types(L) comma SHR(Z). { A = ast_closed_twice(p, (TypeExprList){0}, N, L, Z); }
closed_twice(A) ::= types(T) COMMA type_word(N) LT types(L) comma SHR(Z). { A = ast_closed_twice(p, T, N, L, Z); }
types(A) ::= type(T). { A = (TypeExprList){0}; ast_add_type(p, &A, T); }
types(A) ::= types(L) COMMA type(T). { A = L; ast_add_type(p, &A, T); }

/* ---- statements ---- */

%type block {Block *}
%type stmts {StmtList}
%type stmt {Stmt *}
%type if {Stmt *}
%type else {Stmt *}
block(A) ::= LBRACE(O) stmts(S) RBRACE(Z). { A = ast_block(p, O, S, Z); }
stmts(A) ::= . { A = (StmtList){0}; }
stmts(A) ::= stmts(L) stmt(S). { A = L; ast_add_stmt(p, &A, S); }

stmt(A) ::= LET(K) ID(N) type_opt(T) ASSIGN init(E) SEMI(Z). { A = ast_let(p, K, N, T, E, Z); }
stmt(A) ::= VAR(K) ID(N) type_opt(T) ASSIGN init(E) SEMI(Z). { A = ast_let(p, K, N, T, E, Z); }
stmt(A) ::= VAR(K) ID(N) COLON type(T) SEMI(Z). { A = ast_let(p, K, N, T, NULL, Z); }
stmt(A) ::= LET(K) ID(N) COLON type(T) RESYNC(Z). { A = ast_let_repaired(p, K, N, T, Z); }
stmt(A) ::= postfix(T) ASSIGN(O) init(E) SEMI(Z). { A = ast_assign(p, T, ast_assign_op(OP_NONE, O), E, Z); }
stmt(A) ::= postfix(T) update(O) expr(E) SEMI(Z). { A = ast_assign(p, T, O, E, Z); }
stmt(A) ::= atomic(E) SEMI(Z). { A = ast_expr_stmt(p, E, Z); }
stmt(A) ::= postfix(E) SEMI(Z). { A = ast_expr_stmt(p, E, Z); }
stmt(A) ::= if(I). { A = I; }
stmt(A) ::= FOR(K) ID(N) IN range(R) block(B). { A = ast_for(p, K, N, R, B); }
stmt(A) ::= WHILE(K) expr(C) block(B). { A = ast_while(p, K, C, B); }
stmt(A) ::= BREAK(K) SEMI(Z). { A = ast_word_stmt(p, STMT_BREAK, K, Z); }
stmt(A) ::= CONTINUE(K) SEMI(Z). { A = ast_word_stmt(p, STMT_CONTINUE, K, Z); }
stmt(A) ::= BARRIER(K) SEMI(Z). { A = ast_word_stmt(p, STMT_BARRIER, K, Z); }
stmt(A) ::= WAIT(K) SEMI(Z). { A = ast_word_stmt(p, STMT_WAIT, K, Z); }
stmt(A) ::= RETURN(K) SEMI(Z). { A = ast_return(p, K, NULL, Z); }
stmt(A) ::= RETURN(K) expr(E) SEMI(Z). { A = ast_return(p, K, E, Z); }
stmt(A) ::= ASSERT(K) expr(C) assert_text(T) SEMI(Z). { A = ast_assert(p, K, C, T, Z); }
stmt(A) ::= SHARED(K) ID(N) COLON type(T) SEMI(Z). { A = ast_shared(p, K, N, T, Z); }
stmt(A) ::= OFFLOAD(K) RESIDENT block(B). { A = ast_resident(p, K, B); }
stmt(A) ::= block(B). { A = ast_block_stmt(p, B); }
stmt(A) ::= error RESYNC(Z). { A = ast_stmt_error(p, Z); }

if(A) ::= IF(K) expr(C) block(T) else(E). { A = ast_if(p, K, C, T, E); }
else(A) ::= . { A = NULL; }
else(A) ::= ELSE block(B). { A = ast_block_stmt(p, B); }
else(A) ::= ELSE if(I). { A = I; }

%type assert_text {AssertText}
assert_text(A) ::= . { A = (AssertText){0}; }
assert_text(A) ::= COMMA STR(S) comma. { A = (AssertText){.format = ast_str(p, S)}; }
assert_text(A) ::= COMMA STR(S) COMMA arg_list(L) comma. { A = (AssertText){ast_str(p, S), L}; }

/* The right side of `=`: an atomic update cannot be an operand of an expression. */
init(A) ::= expr(E). { A = E; }
init(A) ::= atomic(E). { A = E; }
atomic(A) ::= ATOMIC(K) postfix(T) update(O) expr(E). { A = ast_atomic(p, K, T, O, E, NULL); }
atomic(A) ::= ATOMIC(K) postfix(T) ASSIGN(O) expr(E). { A = ast_atomic(p, K, T, ast_assign_op(OP_NONE, O), E, NULL); }
atomic(A) ::= ATOMIC(K) postfix(T) ASSIGN(O) expr(E) IF EQ expr(W). {
    A = ast_atomic(p, K, T, ast_assign_op(OP_NONE, O), E, W);
}

%type update {AssignOp}
update(A) ::= ADD_ASSIGN(T). { A = ast_assign_op(OP_ADD, T); }
update(A) ::= SUB_ASSIGN(T). { A = ast_assign_op(OP_SUB, T); }
update(A) ::= MUL_ASSIGN(T). { A = ast_assign_op(OP_MUL, T); }
update(A) ::= DIV_ASSIGN(T). { A = ast_assign_op(OP_DIV, T); }
update(A) ::= REM_ASSIGN(T). { A = ast_assign_op(OP_REM, T); }
update(A) ::= AND_ASSIGN(T). { A = ast_assign_op(OP_BIT_AND, T); }
update(A) ::= OR_ASSIGN(T). { A = ast_assign_op(OP_BIT_OR, T); }
update(A) ::= XOR_ASSIGN(T). { A = ast_assign_op(OP_BIT_XOR, T); }
update(A) ::= SHL_ASSIGN(T). { A = ast_assign_op(OP_SHL, T); }
update(A) ::= SHR_ASSIGN(T). { A = ast_assign_op(OP_SHR, T); }
update(A) ::= ROL_ASSIGN(T). { A = ast_assign_op(OP_ROL, T); }
update(A) ::= MIN(M) ASSIGN(T). { A = (AssignOp){.is_min = true, .span = span_join(M.span, T.span)}; }
update(A) ::= MAX(M) ASSIGN(T). { A = (AssignOp){.is_max = true, .span = span_join(M.span, T.span)}; }

/* ---- expressions ---- */

expr(A) ::= unary(E). { A = E; }
expr(A) ::= expr(L) OR(T) expr(R). { A = ast_binary(p, OP_OR, T, L, R); }
expr(A) ::= expr(L) AND(T) expr(R). { A = ast_binary(p, OP_AND, T, L, R); }
expr(A) ::= expr(L) EQ(T) expr(R). { A = ast_binary(p, OP_EQ, T, L, R); }
expr(A) ::= expr(L) NE(T) expr(R). { A = ast_binary(p, OP_NE, T, L, R); }
expr(A) ::= expr(L) LT(T) expr(R). { A = ast_binary(p, OP_LT, T, L, R); }
expr(A) ::= expr(L) LE(T) expr(R). { A = ast_binary(p, OP_LE, T, L, R); }
expr(A) ::= expr(L) GT(T) expr(R). { A = ast_binary(p, OP_GT, T, L, R); }
expr(A) ::= expr(L) GE(T) expr(R). { A = ast_binary(p, OP_GE, T, L, R); }
expr(A) ::= expr(L) PIPE(T) expr(R). { A = ast_binary(p, OP_BIT_OR, T, L, R); }
expr(A) ::= expr(L) CARET(T) expr(R). { A = ast_binary(p, OP_BIT_XOR, T, L, R); }
expr(A) ::= expr(L) AMP(T) expr(R). { A = ast_binary(p, OP_BIT_AND, T, L, R); }
expr(A) ::= expr(L) SHL(T) expr(R). { A = ast_binary(p, OP_SHL, T, L, R); }
expr(A) ::= expr(L) SHR(T) expr(R). { A = ast_binary(p, OP_SHR, T, L, R); }
expr(A) ::= expr(L) ROL(T) expr(R). { A = ast_binary(p, OP_ROL, T, L, R); }
expr(A) ::= expr(L) PLUS(T) expr(R). { A = ast_binary(p, OP_ADD, T, L, R); }
expr(A) ::= expr(L) MINUS(T) expr(R). { A = ast_binary(p, OP_SUB, T, L, R); }
expr(A) ::= expr(L) STAR(T) expr(R). { A = ast_binary(p, OP_MUL, T, L, R); }
expr(A) ::= expr(L) SLASH(T) expr(R). { A = ast_binary(p, OP_DIV, T, L, R); }
expr(A) ::= expr(L) PERCENT(T) expr(R). { A = ast_binary(p, OP_REM, T, L, R); }

unary(A) ::= MINUS(T) unary(E). { A = ast_unary(p, OP_NEG, T, E); }
unary(A) ::= BANG(T) unary(E). { A = ast_unary(p, OP_NOT, T, E); }
unary(A) ::= TILDE(T) unary(E). { A = ast_unary(p, OP_BIT_NOT, T, E); }
unary(A) ::= postfix(E). { A = E; }
unary(A) ::= if_expr(E). { A = E; }

/* Not a postfix, so that `if` at the start of a statement begins an `if` statement. */
if_expr(A) ::= IF(K) expr(C) LBRACE expr(T) RBRACE ELSE LBRACE expr(E) RBRACE(Z). {
    A = ast_if_expr(p, K, C, T, E, Z.span);
}
if_expr(A) ::= IF(K) expr(C) LBRACE expr(T) RBRACE ELSE if_expr(E). { A = ast_if_expr(p, K, C, T, E, E->span); }

postfix(A) ::= primary(E). { A = E; }
postfix(A) ::= postfix(F) LPAREN args(L) RPAREN(Z). { A = ast_call(p, F, L, Z); }
postfix(A) ::= postfix(B) LBRACKET indices(L) comma RBRACKET(Z). { A = ast_index(p, B, L, Z); }
postfix(A) ::= postfix(B) DOT ID(N). { A = ast_field(p, B, N); }

primary(A) ::= ID(T). { A = ast_name(p, T); }
primary(A) ::= INT(T). { A = ast_int(p, T); }
primary(A) ::= FLOAT(T). { A = ast_float(p, T); }
primary(A) ::= STR(T). { A = ast_str(p, T); }
primary(A) ::= TRUE(T). { A = ast_bool(p, T, true); }
primary(A) ::= FALSE(T). { A = ast_bool(p, T, false); }
primary(A) ::= LPAREN(O) expr(E) RPAREN(Z). { A = ast_parens(p, O, E, Z); }
primary(A) ::= LBRACKET(O) RBRACKET(Z). { A = ast_list(p, O, (ExprList){0}, Z); }
primary(A) ::= LBRACKET(O) exprs(L) comma RBRACKET(Z). { A = ast_list(p, O, L, Z); }
primary(A) ::= LBRACKET(O) expr(V) SEMI exprs(L) comma RBRACKET(Z). { A = ast_fill(p, O, V, L, Z); }
primary(A) ::= LBRACKET(O) expr(V) FOR binders(B) RBRACKET(Z). { A = ast_comprehend(p, O, V, B, Z); }
primary(A) ::= OFFLOAD(K) launch(W) kernel_name(F) LPAREN args(L) RPAREN(Z). { A = ast_offload(p, K, W, F, L, Z); }

%type launch {LaunchWords}
launch(A) ::= . { A = (LaunchWords){0}; }
launch(A) ::= ASYNC. { A = (LaunchWords){.async = true}; }
launch(A) ::= ON device(D). { A = (LaunchWords){.device = D}; }
launch(A) ::= ASYNC ON device(D). { A = (LaunchWords){true, D}; }
device(A) ::= ID(T). { A = ast_name(p, T); }
device(A) ::= INT(T). { A = ast_int(p, T); }
device(A) ::= LPAREN(O) expr(E) RPAREN(Z). { A = ast_parens(p, O, E, Z); }
kernel_name(A) ::= ID(T). { A = ast_name(p, T); }
kernel_name(A) ::= kernel_name(B) DOT ID(N). { A = ast_field(p, B, N); }

%type exprs {ExprList}
exprs(A) ::= expr(E). { A = (ExprList){0}; ast_add_expr(p, &A, E); }
exprs(A) ::= exprs(L) COMMA expr(E). { A = L; ast_add_expr(p, &A, E); }

%type indices {ExprList}
indices(A) ::= index(E). { A = (ExprList){0}; ast_add_expr(p, &A, E); }
indices(A) ::= indices(L) COMMA index(E). { A = L; ast_add_expr(p, &A, E); }
index(A) ::= expr(E). { A = E; }
index(A) ::= DOTDOT(D). { A = ast_slice(p, NULL, D, NULL); }
index(A) ::= DOTDOT(D) expr(H). { A = ast_slice(p, NULL, D, H); }
index(A) ::= expr(L) DOTDOT(D). { A = ast_slice(p, L, D, NULL); }
index(A) ::= expr(L) DOTDOT(D) expr(H). { A = ast_slice(p, L, D, H); }

%type args {ArgList}
%type arg_list {ArgList}
%type arg {Arg}
args(A) ::= . { A = (ArgList){0}; }
args(A) ::= arg_list(L) comma. { A = L; }
arg_list(A) ::= arg(B). { A = (ArgList){0}; ast_add_arg(p, &A, B); }
arg_list(A) ::= arg_list(L) COMMA arg(B). { A = L; ast_add_arg(p, &A, B); }
arg(A) ::= expr(E). { A = ast_arg(REF_NONE, (Span){0}, E); }
arg(A) ::= AMP(M) expr(E). { A = ast_arg(REF_IN, M.span, E); }
arg(A) ::= AMP(M) MUT(W) expr(E). { A = ast_arg(REF_MUT, span_join(M.span, W.span), E); }
arg(A) ::= AMP(M) OUT(W) expr(E). { A = ast_arg(REF_OUT, span_join(M.span, W.span), E); }
arg(A) ::= ID(N) COLON expr(E). { A = ast_labelled_arg(N, E); }

/* ---- queries of the parser's state, for parser.c; only this file has access to the tables ---- */

%code {
/* Simulates reductions without changing the parser: the stack is the parser's first `n_real` states, then `pending`. */
enum { MAX_PENDING = 64 };

bool grammar_accepts(const void *yy, int kind) {
    const yyParser *yyp = yy;
    YYACTIONTYPE pending[MAX_PENDING];
    int n_real = (int)(yyp->yytos - yyp->yystack) + 1, n_pending = 0;
    for (;;) {
        YYACTIONTYPE top = n_pending ? pending[n_pending - 1] : yyp->yystack[n_real - 1].stateno;
        YYACTIONTYPE act = yy_find_shift_action((YYCODETYPE)kind, top);
        if (act <= YY_MAX_SHIFTREDUCE || act == YY_ACCEPT_ACTION) return true;
        if (act < YY_MIN_REDUCE) return false;
        int rule = act - YY_MIN_REDUCE;
        for (int i = yyRuleInfoNRhs[rule]; i < 0; i++) {
            if (n_pending) n_pending--;
            else n_real--;
        }
        if (n_pending == MAX_PENDING) return true; /* not reached: no grammar state reduces as many empty rules */
        top = n_pending ? pending[n_pending - 1] : yyp->yystack[n_real - 1].stateno;
        pending[n_pending++] = yy_find_reduce_action(top, yyRuleInfoLhs[rule]);
    }
}

int grammar_stack_depth(const void *yy) {
    const yyParser *yyp = yy;
    return (int)(yyp->yytos - yyp->yystack);
}

int grammar_open_brackets(const void *yy) {
    const yyParser *yyp = yy;
    int n = 0;
    for (const yyStackEntry *e = yyp->yystack + 1; e <= yyp->yytos; e++) { /* with closed ones, until reduced */
        n += e->major == TOK_LPAREN || e->major == TOK_LBRACKET || e->major == TOK_LBRACE;
        n -= e->major == TOK_RPAREN || e->major == TOK_RBRACKET || e->major == TOK_RBRACE;
    }
    return n;
}
}
