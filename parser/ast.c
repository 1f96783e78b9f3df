/* ast.c -- constructors of expressions and types (ast_build.h). ast_item.c has those of statements and items.
 *
 * Every constructor allocates its node by one of the *_new functions, which check the depth: no tree is deeper than
 * AST_MAX_DEPTH. */
#include "parser/ast_build.h"

const OpInfo op_info[OP__COUNT] = {
    [OP_NONE] = {"NONE", "", 0, 0, OPK_ARITH, false, 0},
#define INFO_LOGIC(f) 2, OPK_LOGIC, false, 0
#define INFO_COMPARE(orders) 2, OPK_COMPARE, false, orders
#define INFO_BITS(f) 2, OPK_BITS, false, 0
#define INFO_SHIFT(f) 2, OPK_SHIFT, true, 0
#define INFO_ROTATE(f) 2, OPK_ROTATE, false, 0
#define INFO_ARITH(f) 2, OPK_ARITH, false, 0
#define INFO_DIVIDE(f) 2, OPK_ARITH, true, 0
#define INFO_LOGIC_1(f) 1, OPK_LOGIC, false, 0
#define INFO_BITS_1(f) 1, OPK_BITS, false, 0
#define INFO_ARITH_1(f) 1, OPK_ARITH, false, 0
#define OP(name, spelling, precedence, operation) [OP_##name] = {#name, spelling, precedence, INFO_##operation},
#include "grammar/ops.def"
#undef OP
};

static uint32_t deeper(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t expr_depth(const Expr *e) { return e ? e->depth : 0; }

static uint32_t list_depth(ExprList list) {
    uint32_t depth = 0;
    for (int i = 0; i < list.n; i++) depth = deeper(depth, list.at[i]->depth);
    return depth;
}

static uint32_t args_depth(ArgList args) {
    uint32_t depth = 0;
    for (int i = 0; i < args.n; i++) depth = deeper(depth, args.at[i].value->depth);
    return depth;
}

static uint32_t range_depth(Range r) {
    return deeper(expr_depth(r.lo), deeper(expr_depth(r.hi), expr_depth(r.step)));
}

bool ast_too_deep(Parser *p, Span span, uint32_t child_depth) {
    if (child_depth < AST_MAX_DEPTH) return false;
    if (!p->too_deep) diag(p->c, E0203, span, "nested too deeply: the limit is %d levels", AST_MAX_DEPTH);
    return p->too_deep = true;
}

static Expr *expr_new(Parser *p, ExprKind kind, Span span, uint32_t child_depth) {
    Expr *e = arena_new(p->arena, Expr);
    bool refused = ast_too_deep(p, span, child_depth);
    e->kind = refused ? EXPR_ERROR : kind;
    e->depth = refused ? 1 : child_depth + 1;
    e->span = span;
    return e;
}

/* ---- lists ---- */

void ast_add_expr(Parser *p, ExprList *list, Expr *e) { vec_push(p->arena, list, e); }
void ast_add_type(Parser *p, TypeExprList *list, TypeExpr *t) { vec_push(p->arena, list, t); }
void ast_add_arg(Parser *p, ArgList *list, Arg a) { vec_push(p->arena, list, a); }
void ast_add_binder(Parser *p, BinderList *list, Binder b) { vec_push(p->arena, list, b); }
void ast_add_name(Parser *p, NameList *list, Token name) { vec_push(p->arena, list, name.name); }

/* ---- types ---- */

static TypeExpr *type_new(Parser *p, TypeExprKind kind, Span span, uint32_t child_depth) {
    TypeExpr *t = arena_new(p->arena, TypeExpr);
    bool refused = ast_too_deep(p, span, child_depth);
    t->kind = refused ? TE_ERROR : kind;
    t->depth = refused ? 1 : child_depth + 1;
    t->span = span;
    return t;
}

/* `geo.Point` as a single name, under which sema looks it up. */
Token ast_qualified(Parser *p, Token module, Token name) {
    const char *text = arena_printf(p->arena, "%s.%s", module.name, name.name);
    module.name = name_of(&p->c->names, text);
    module.span = span_join(module.span, name.span);
    return module;
}

TypeExpr *ast_type_name(Parser *p, Token name, TypeExprList args, Span end) {
    uint32_t depth = 0;
    for (int i = 0; i < args.n; i++) depth = deeper(depth, args.at[i]->depth);
    TypeExpr *t = type_new(p, TE_NAME, span_join(name.span, end), depth);
    t->name.name = name.name;
    t->name.args = args;
    return t;
}

ClosedTypes ast_closed_twice(Parser *p, TypeExprList before, Token name, TypeExprList args, Token close) {
    uint32_t middle = close.span.lo + 1;
    ast_add_type(p, &before, ast_type_name(p, name, args, (Span){close.span.lo, middle}));
    return (ClosedTypes){before, {middle, close.span.hi}};
}

TypeExpr *ast_type_array(Parser *p, Token open, TypeExpr *elem, ExprList extents, Token close) {
    TypeExpr *t =
        type_new(p, TE_ARRAY, span_join(open.span, close.span), deeper(elem->depth, list_depth(extents)));
    t->array.elem = elem;
    t->array.extents = extents;
    return t;
}

TypeExpr *ast_type_any_rank(Parser *p, Token open, TypeExpr *elem, Token dots, Token close) {
    ExprList extents = {0};
    ast_add_expr(p, &extents, ast_slice(p, NULL, dots, NULL));
    return ast_type_array(p, open, elem, extents, close);
}

TypeExpr *ast_type_ref(Parser *p, RefMode mode, Span mode_span, TypeExpr *to) {
    TypeExpr *t = type_new(p, TE_REF, span_join(mode_span, to->span), to->depth);
    t->ref.mode = mode;
    t->ref.mode_span = mode_span;
    t->ref.to = to;
    return t;
}

/* ---- expressions ---- */

Expr *ast_int(Parser *p, Token t) {
    Expr *e = expr_new(p, EXPR_INT, t.span, 0);
    e->int_.value = t.int_.value;
    e->int_.too_big = t.int_.too_big;
    e->int_.suffix = t.int_.suffix;
    return e;
}

Expr *ast_float(Parser *p, Token t) {
    Expr *e = expr_new(p, EXPR_FLOAT, t.span, 0);
    e->float_.value = t.float_.value;
    e->float_.suffix = t.float_.suffix;
    return e;
}

Expr *ast_bool(Parser *p, Token t, bool value) {
    Expr *e = expr_new(p, EXPR_BOOL, t.span, 0);
    e->bool_.value = value;
    return e;
}

Expr *ast_str(Parser *p, Token t) {
    Expr *e = expr_new(p, EXPR_STR, t.span, 0);
    e->str.at = t.str.at;
    e->str.n = t.str.n;
    return e;
}

Expr *ast_name(Parser *p, Token t) {
    Expr *e = expr_new(p, EXPR_NAME, t.span, 0);
    e->name.name = t.name;
    return e;
}

/* Brackets have no node; their span replaces that of the expression, so that messages underline all of `(a + b)`. */
Expr *ast_parens(Parser *p, Token open, Expr *e, Token close) {
    (void)p;
    e->span = span_join(open.span, close.span);
    return e;
}

Expr *ast_unary(Parser *p, Op op, Token t, Expr *operand) {
    Expr *e = expr_new(p, EXPR_UNARY, span_join(t.span, operand->span), operand->depth);
    e->unary.op = op;
    e->unary.op_span = t.span;
    e->unary.operand = operand;
    return e;
}

Expr *ast_binary(Parser *p, Op op, Token t, Expr *lhs, Expr *rhs) {
    Expr *e = expr_new(p, EXPR_BINARY, span_join(lhs->span, rhs->span), deeper(lhs->depth, rhs->depth));
    e->binary.op = op;
    e->binary.op_span = t.span;
    e->binary.lhs = lhs;
    e->binary.rhs = rhs;
    return e;
}

static Expr *call_new(Parser *p, Expr *callee, ArgList args, Token close) {
    Expr *e =
        expr_new(p, EXPR_CALL, span_join(callee->span, close.span), deeper(callee->depth, args_depth(args)));
    e->call.callee = callee;
    e->call.args = args;
    return e;
}

Expr *ast_call(Parser *p, Expr *callee, ArgList args, Token close) { return call_new(p, callee, args, close); }

Expr *ast_index(Parser *p, Expr *base, ExprList at, Token close) {
    Expr *e = expr_new(p, EXPR_INDEX, span_join(base->span, close.span), deeper(base->depth, list_depth(at)));
    e->index.base = base;
    e->index.at = at;
    return e;
}

Expr *ast_field(Parser *p, Expr *base, Token name) {
    Expr *e = expr_new(p, EXPR_FIELD, span_join(base->span, name.span), base->depth);
    e->field.base = base;
    e->field.name = name.name;
    e->field.name_span = name.span;
    return e;
}

Expr *ast_if_expr(Parser *p, Token if_, Expr *cond, Expr *then_, Expr *else_, Span end) {
    uint32_t depth = deeper(cond->depth, deeper(then_->depth, else_->depth));
    Expr *e = expr_new(p, EXPR_IF, span_join(if_.span, end), depth);
    e->if_.cond = cond;
    e->if_.then_ = then_;
    e->if_.else_ = else_;
    return e;
}

Expr *ast_fill(Parser *p, Token open, Expr *value, ExprList extents, Token close) {
    Expr *e =
        expr_new(p, EXPR_FILL, span_join(open.span, close.span), deeper(value->depth, list_depth(extents)));
    e->fill.value = value;
    e->fill.extents = extents;
    return e;
}

Expr *ast_comprehend(Parser *p, Token open, Expr *value, BinderList binders, Token close) {
    uint32_t depth = value->depth;
    for (int i = 0; i < binders.n; i++)
        depth = deeper(depth, deeper(range_depth(binders.at[i].range), expr_depth(binders.at[i].by)));
    Expr *e = expr_new(p, EXPR_COMPREHEND, span_join(open.span, close.span), depth);
    e->comprehend.value = value;
    e->comprehend.binders = binders;
    return e;
}

Expr *ast_list(Parser *p, Token open, ExprList items, Token close) {
    Expr *e = expr_new(p, EXPR_LIST, span_join(open.span, close.span), list_depth(items));
    e->list.items = items;
    return e;
}

Expr *ast_slice(Parser *p, Expr *lo, Token dots, Expr *hi) {
    Range range = {.lo = lo, .hi = hi, .has_dots = true, .span = dots.span};
    if (lo) range.span = span_join(lo->span, range.span);
    if (hi) range.span = span_join(range.span, hi->span);
    Expr *e = expr_new(p, EXPR_RANGE, range.span, range_depth(range));
    e->range.range = range;
    return e;
}

Expr *ast_offload(Parser *p, Token offload, LaunchWords words, Expr *callee, ArgList args, Token close) {
    Expr *call = call_new(p, callee, args, close);
    Expr *e = expr_new(p, EXPR_OFFLOAD, span_join(offload.span, close.span),
                       deeper(call->depth, expr_depth(words.device)));
    e->offload.async = words.async;
    e->offload.device = words.device;
    e->offload.call = call;
    return e;
}

Expr *ast_atomic(Parser *p, Token atomic, Expr *target, AssignOp op, Expr *value, Expr *was) {
    Expr *last = was ? was : value;
    uint32_t depth = deeper(deeper(target->depth, value->depth), last->depth);
    Expr *e = expr_new(p, EXPR_ATOMIC, span_join(atomic.span, last->span), depth);
    e->atomic.target = target;
    e->atomic.op = op.op;
    e->atomic.is_min = op.is_min;
    e->atomic.is_max = op.is_max;
    e->atomic.op_span = op.span;
    e->atomic.value = value;
    e->atomic.was = was;
    return e;
}

Arg ast_arg(RefMode mode, Span mode_span, Expr *value) {
    return (Arg){.mode = mode, .value = value, .span = span_join(mode_span, value->span), .mode_span = mode_span};
}

Arg ast_labelled_arg(Token label, Expr *value) {
    return (Arg){.label = label.name, .value = value, .span = span_join(label.span, value->span)};
}

Range ast_range(Expr *lo, Expr *hi, Expr *step, bool has_dots) {
    Span span = lo ? span_join(lo->span, hi->span) : hi->span;
    if (step) span = span_join(span, step->span);
    return (Range){.lo = lo, .hi = hi, .step = step, .span = span, .has_dots = has_dots};
}

Binder ast_binder(Token name, Range range, Expr *by) {
    return (Binder){.name = name.name, .span = name.span, .range = range, .by = by};
}

AssignOp ast_assign_op(Op op, Token t) { return (AssignOp){.op = op, .span = t.span}; }
