/* ast_item.c -- constructors of statements, items and the module (ast_build.h). */
#include "parser/ast_build.h"

#include <string.h>

static uint32_t deeper(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t expr_depth(const Expr *e) { return e ? e->depth : 0; }
static uint32_t type_depth(const TypeExpr *t) { return t ? t->depth : 0; }

static Stmt *stmt_new(Parser *p, StmtKind kind, Span lo, Span hi, uint32_t child_depth) {
    Stmt *s = arena_new(p->arena, Stmt);
    Span span = span_join(lo, hi);
    bool refused = ast_too_deep(p, span, child_depth);
    s->kind = refused ? STMT_ERROR : kind;
    s->depth = refused ? 1 : child_depth + 1;
    s->span = span;
    return s;
}

/* ---- statements ---- */

void ast_add_stmt(Parser *p, StmtList *list, Stmt *s) { vec_push(p->arena, list, s); }

void ast_add_value(Parser *p, Expr *e) {
    Stmt *s = stmt_new(p, STMT_EXPR, e->span, e->span, e->depth);
    s->expr.expr = e;
    s->expr.is_shown = true;
    ast_add_stmt(p, &p->input, s);
}

Block *ast_block(Parser *p, Token open, StmtList stmts, Token close) {
    Block *b = arena_new(p->arena, Block);
    b->span = span_join(open.span, close.span);
    b->stmts = stmts;
    for (int i = 0; i < stmts.n; i++) b->depth = deeper(b->depth, stmts.at[i]->depth);
    return b;
}

Stmt *ast_let(Parser *p, Token let, Token name, TypeExpr *type, Expr *init, Token semi) {
    Stmt *s = stmt_new(p, STMT_LET, let.span, semi.span, deeper(type_depth(type), expr_depth(init)));
    s->let.is_var = let.kind == TOK_VAR;
    s->let.name = name.name;
    s->let.name_span = name.span;
    s->let.type = type;
    s->let.init = init;
    return s;
}

/* After E0217: as the `var` that is the fix. */
Stmt *ast_let_repaired(Parser *p, Token let, Token name, TypeExpr *type, Token end) {
    let.kind = TOK_VAR;
    return ast_let(p, let, name, type, NULL, end);
}

Stmt *ast_assign(Parser *p, Expr *target, AssignOp op, Expr *value, Token semi) {
    Stmt *s = stmt_new(p, STMT_ASSIGN, target->span, semi.span, deeper(target->depth, value->depth));
    s->assign.target = target;
    s->assign.op = op.op;
    s->assign.is_min = op.is_min;
    s->assign.is_max = op.is_max;
    s->assign.op_span = op.span;
    s->assign.value = value;
    return s;
}

/* `stop;` of Fortran */
static bool is_foreign_statement(Parser *p, const Expr *e) {
    static const struct { const char *theirs, *ours, *advice; } rows[] = {
#define FOREIGN_STATEMENT(theirs, ours, advice) {theirs, ours, advice},
#include "grammar/foreign.def"
    };
    for (size_t i = 0; e->kind == EXPR_NAME && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].theirs, e->name.name)) continue;
        Diag *d = diag(p->c, E0216, e->span, "%s", rows[i].advice);
        if (rows[i].ours) diag_fix(p->c, d, e->span, rows[i].ours, "use the statement of KDSL");
        return true;
    }
    return false;
}

static void check_has_effect(Parser *p, const Expr *e) {
    if (e->kind == EXPR_CALL || e->kind == EXPR_OFFLOAD || e->kind == EXPR_ERROR) return;
    if (is_foreign_statement(p, e)) return;
    Diag *d = diag(p->c, E0214, e->span, "this statement has no effect: its value is not used");
    if (e->kind == EXPR_NAME)
        diag_fix(p->c, d, (Span){e->span.hi, e->span.hi}, "()", "call the function with parentheses");
}

Stmt *ast_expr_stmt(Parser *p, Expr *e, Token semi) {
    bool is_atomic = e->kind == EXPR_ATOMIC;
    Stmt *s = stmt_new(p, is_atomic ? STMT_ATOMIC : STMT_EXPR, e->span, semi.span, e->depth);
    if (is_atomic) {
        s->atomic.atomic = e;
        e->atomic.drops_old = true;
        return s;
    }
    check_has_effect(p, e);
    s->expr.expr = e;
    return s;
}

Stmt *ast_if(Parser *p, Token if_, Expr *cond, Block *then_, Stmt *else_) {
    uint32_t depth = deeper(cond->depth, deeper(then_->depth, else_ ? else_->depth : 0));
    Stmt *s = stmt_new(p, STMT_IF, if_.span, else_ ? else_->span : then_->span, depth);
    s->if_.cond = cond;
    s->if_.then_ = then_;
    s->if_.else_ = else_;
    return s;
}

Stmt *ast_for(Parser *p, Token for_, Token name, Range range, Block *body) {
    uint32_t depth = deeper(expr_depth(range.lo), deeper(expr_depth(range.hi), expr_depth(range.step)));
    Stmt *s = stmt_new(p, STMT_FOR, for_.span, body->span, deeper(depth, body->depth));
    s->for_.binder = ast_binder(name, range, NULL);
    s->for_.body = body;
    return s;
}

Stmt *ast_while(Parser *p, Token while_, Expr *cond, Block *body) {
    Stmt *s = stmt_new(p, STMT_WHILE, while_.span, body->span, deeper(cond->depth, body->depth));
    s->while_.cond = cond;
    s->while_.body = body;
    return s;
}

Stmt *ast_return(Parser *p, Token return_, Expr *value, Token semi) {
    Stmt *s = stmt_new(p, STMT_RETURN, return_.span, semi.span, expr_depth(value));
    s->return_.value = value;
    return s;
}

Stmt *ast_assert(Parser *p, Token assert_, Expr *cond, AssertText text, Token semi) {
    uint32_t depth = deeper(cond->depth, expr_depth(text.format));
    for (int i = 0; i < text.args.n; i++) depth = deeper(depth, text.args.at[i].value->depth);
    Stmt *s = stmt_new(p, STMT_ASSERT, assert_.span, semi.span, depth);
    s->assert_.cond = cond;
    if (cond->kind == EXPR_UNARY && cond->unary.op == OP_NOT && cond->unary.op_span.lo == assert_.span.hi) {
        Diag *d = diag(p->c, E0216, cond->unary.op_span,
                       "there are no macros; write `assert c;`, which fails if c is false");
        diag_fix(p->c, d, cond->unary.op_span, " ", "`assert` is a statement");
    }
    s->assert_.format = text.format;
    s->assert_.args = text.args;
    return s;
}

Stmt *ast_shared(Parser *p, Token shared, Token name, TypeExpr *type, Token semi) {
    Stmt *s = stmt_new(p, STMT_SHARED, shared.span, semi.span, type->depth);
    s->shared.name = name.name;
    s->shared.name_span = name.span;
    s->shared.type = type;
    return s;
}

Stmt *ast_word_stmt(Parser *p, StmtKind kind, Token word, Token semi) {
    return stmt_new(p, kind, word.span, semi.span, 0);
}

Stmt *ast_block_stmt(Parser *p, Block *block) {
    Stmt *s = stmt_new(p, STMT_BLOCK, block->span, block->span, block->depth);
    s->block.block = block;
    return s;
}

Stmt *ast_resident(Parser *p, Token offload, Block *block) {
    Stmt *s = stmt_new(p, STMT_RESIDENT, offload.span, block->span, block->depth);
    s->block.block = block;
    return s;
}

Stmt *ast_stmt_error(Parser *p, Token resync) { return stmt_new(p, STMT_ERROR, resync.span, resync.span, 0); }

/* ---- items ---- */

Item *ast_input(Parser *p, Span whole) {
    Item *i = arena_new(p->arena, Item);
    Token open = {.span = {whole.lo, whole.lo}}, close = {.span = {whole.hi, whole.hi}};
    i->kind = ITEM_FN;
    i->span = i->name_span = whole;
    i->name = name_of(&p->c->names, "<input>");
    i->fn.body = ast_block(p, open, p->input, close);
    return i;
}

static Item *item_new(Parser *p, ItemKind kind, Span lo, Span hi, Token name) {
    Item *i = arena_new(p->arena, Item);
    i->kind = kind;
    i->span = span_join(lo, hi);
    i->name = name.name;
    i->name_span = name.span;
    return i;
}

void ast_add_item(Parser *p, Item *item) {
    p->too_deep = false;
    vec_push(p->arena, &p->module->items, item);
}

void ast_add_param(Parser *p, ParamList *list, Token name, TypeExpr *type) {
    vec_push(p->arena, list, ((Param){.name = name.name, .span = name.span, .type = type}));
}

void ast_add_field(Parser *p, FieldList *list, Token name, TypeExpr *type) {
    vec_push(p->arena, list, ((Field){.name = name.name, .span = name.span, .type = type}));
}

void ast_add_generic(Parser *p, GenericList *list, Token name, const Token *constraint) {
    Name must_be = constraint ? constraint->name : NULL;
    Span constraint_span = constraint ? constraint->span : (Span){0};
    Generic g = {.name = name.name, .constraint = must_be, .span = name.span, .constraint_span = constraint_span};
    vec_push(p->arena, list, g);
}

Item *ast_fn(Parser *p, Span linkage, Token fn, Token name, GenericList generics, ParamList params, TypeExpr *result,
             Block *body) {
    Item *i = item_new(p, ITEM_FN, span_join(linkage, fn.span), body->span, name);
    i->fn.is_export = linkage.hi != 0;
    i->fn.linkage_span = linkage;
    i->fn.generics = generics;
    i->fn.params = params;
    i->fn.result = result;
    i->fn.body = body;
    return i;
}

static void check_language(Parser *p, Token abi) {
    if (abi.broken || (abi.str.n == 1 && *abi.str.at == 'C')) return;
    Diag *d = diag(p->c, E0201, abi.span, "only C functions and structs can be declared `extern`");
    diag_fix(p->c, d, abi.span, "\"C\"", "name the language");
}

Item *ast_extern_fn(Parser *p, Token extern_, Token abi, Token name, GenericList generics, ParamList params,
                    TypeExpr *result, Token semi) {
    Item *i = item_new(p, ITEM_FN, extern_.span, semi.span, name);
    check_language(p, abi);
    i->fn.is_extern = true;
    i->fn.generics = generics;
    i->fn.linkage_span = span_join(extern_.span, abi.span);
    i->fn.params = params;
    i->fn.result = result;
    return i;
}

Item *ast_kernel(Parser *p, Span linkage, Token kernel, Token name, GenericList generics, ParamList params,
                 BinderList over, KernelResult result, Block *body) {
    Item *i = ast_fn(p, linkage, kernel, name, generics, params, result.type, body);
    i->kind = ITEM_KERNEL;
    i->fn.reduce = result.reduce;
    i->fn.reduce_span = result.reduce_span;
    i->fn.over = over;
    return i;
}

static bool is_reduction(Name name) {
    static const char *const reductions[] = {"sum", "prod", "min", "max", "any", "all", "count"};
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (!strcmp(name, reductions[i])) return true;
    return false;
}

/* `-> any` alone is parsed as a type. No type has such a name, so the name decides. */
void ast_add_assumption(Parser *p, AssumptionList *list, Token word, Token array) {
    vec_push(p->arena, list, ((Assumption){word.name, array.name, word.span, array.span}));
}

KernelResult ast_kernel_result(Parser *p, const Token *reduce, TypeExpr *type) {
    (void)p;
    if (reduce) return (KernelResult){type, reduce->name, reduce->span};
    if (type->kind == TE_NAME && !type->name.args.n && is_reduction(type->name.name))
        return (KernelResult){NULL, type->name.name, type->span};
    return (KernelResult){.type = type};
}

Item *ast_extern_struct(Parser *p, Token extern_, Token abi, Token name, Token semi) {
    Item *i = item_new(p, ITEM_STRUCT, extern_.span, semi.span, name);
    check_language(p, abi);
    i->struct_.is_extern = true;
    return i;
}

Item *ast_struct(Parser *p, Token struct_, Token name, GenericList generics, FieldList fields, Token close) {
    Item *i = item_new(p, ITEM_STRUCT, struct_.span, close.span, name);
    i->struct_.generics = generics;
    i->struct_.fields = fields;
    return i;
}

Item *ast_const(Parser *p, Token const_, Token name, TypeExpr *type, Expr *value, Token semi) {
    Item *i = item_new(p, ITEM_CONST, const_.span, semi.span, name);
    i->const_.type = type;
    i->const_.value = value;
    return i;
}

Item *ast_import(Parser *p, Token import, NameList path, Token semi) {
    Token name = {.span = {import.span.hi, semi.span.lo}, .name = path.at[path.n - 1]};
    Item *i = item_new(p, ITEM_IMPORT, import.span, semi.span, name);
    i->import.path = path;
    return i;
}

Item *ast_test(Parser *p, Token test, Token text, Block *body) {
    Token name = {.span = text.span, .name = name_intern(&p->c->names, text.str.at, text.str.n)};
    Item *i = item_new(p, ITEM_TEST, test.span, body->span, name);
    i->test.body = body;
    return i;
}

Item *ast_item_error(Parser *p, Token resync) {
    return item_new(p, ITEM_ERROR, resync.span, resync.span, (Token){.span = resync.span});
}
