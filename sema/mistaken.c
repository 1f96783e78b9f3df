/* mistaken.c -- operators that are something else in other languages or in mathematics: `^`, which is no power (W0405),
 * and `/` of integers, which drops the fraction (W0404). An operand that the function treats as bits, or as a
 * position, is left alone. */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

/* Powers ------------------------------------------------------------------------------------------------------ */

/* `^` binds more loosely than `+` and `*`, so the operands of `2 * x^2 + 1` are `2 * x` and `2 + 1`: what a power would
 * be made of are the rightmost and the leftmost leaf outside of parentheses. */
static Expr *last_leaf(Expr *e, bool *divides) {
    for (;; e = expr_strip(e)) {
        Expr *inner = e->kind == EXPR_BINARY ? e->binary.rhs : e->kind == EXPR_UNARY ? e->unary.operand : NULL;
        if (!inner || inner->span.hi != e->span.hi) return e;
        *divides = e->kind == EXPR_BINARY && (e->binary.op == OP_DIV || e->binary.op == OP_REM);
        e = inner;
    }
}

static Expr *first_leaf(Expr *e) {
    for (;; e = expr_strip(e)) {
        Expr *inner = e->kind == EXPR_BINARY ? e->binary.lhs : NULL;
        if (!inner || inner->span.lo != e->span.lo) return e;
        e = inner;
    }
}

typedef struct Power {
    Expr *base, *exponent;
    bool is_alone; /* they are all of the operation */
    bool divides;  /* what is before the base is divided by it */
} Power;

static Power power_of(const Expr *e) {
    Expr *l = expr_strip(e->binary.lhs), *r = expr_strip(e->binary.rhs);
    Power p = {.exponent = first_leaf(r)};
    p.base = last_leaf(l, &p.divides);
    p.is_alone = p.base == l && p.exponent == r;
    return p;
}

static Span power_span(const Power *p) { return span_join(p->base->span, p->exponent->span); }

/* A literal in decimal digits without a type; 0: it is another expression. */
static uint64_t plain_number(Sema *s, const Expr *e) {
    if (e->kind != EXPR_INT || e->int_.suffix || e->int_.too_big) return 0;
    const char *text = source_text(s, e->span);
    return *text >= '1' && *text <= '9' ? e->int_.value : 0;
}

/* `x` as often as the exponent says. Without parentheses, a quotient would divide by the first of them only. */
static const char *product(Sema *s, const Power *p) {
    uint64_t n = plain_number(s, p->exponent);
    const char *x = source_text(s, p->base->span);
    bool is_plain = p->base->kind == EXPR_NAME || p->base->kind == EXPR_FIELD || p->base->kind == EXPR_INDEX;
    if (!is_plain || n < 2 || n > 3 || strlen(x) > 20) return NULL;
    const char *more = n == 3 ? arena_printf(s->arena, " * %s", x) : "";
    return arena_printf(s->arena, p->divides ? "(%s * %s%s)" : "%s * %s%s", x, x, more);
}

/* An operand as an argument, with the decimal point that a number lacks. */
static const char *argument(Sema *s, const Expr *e) {
    const Expr *digits = e->kind == EXPR_UNARY && e->unary.op == OP_NEG ? e->unary.operand : e;
    return arena_printf(s->arena, "%s%s", argument_text(s, e), plain_number(s, digits) ? ".0" : "");
}

/* Numbers without a type take the other's. */
static bool pow_takes(const Type *x, const Type *y) {
    if (!x || !y || is_bad(x) || is_bad(y)) return false;
    bool has_float = x->is_float || y->is_float;
    return has_float && (x == y ? x->is_float : type_is_literal(x) || type_is_literal(y));
}

void explain_float_power(Sema *s, Diag *d, const Expr *e) {
    Power p = power_of(e);
    const char *times = product(s, &p);
    diag_note(s->c, d, e->binary.op_span,
              p.is_alone ? "`^` is the exclusive or of integers"
                         : "`^` is the exclusive or of integers, and binds looser than `+` and `*`");
    if (times)
        diag_fix(s->c, d, power_span(&p), times, "multiply instead");
    else if (pow_takes(p.base->type, p.exponent->type))
        diag_fix(s->c, d, power_span(&p),
                 arena_printf(s->arena, "pow(%s, %s)", argument(s, p.base), argument(s, p.exponent)), "call `pow`");
    else diag_note(s->c, d, e->binary.op_span, "write a power as `pow(x, y)`");
}

/* `x^2 + y^2` of floats is an exclusive or twice: the second is reported, too. */
const Type *float_power(const Expr *e) {
    if (e->binary.op != OP_BIT_XOR || is_bad(e->binary.rhs->type)) return NULL;
    const Type *base = power_of(e).base->type;
    return base && base->is_float ? base : NULL;
}

/* `2 ^ 10`, `10 ^ 6`. Hexadecimal digits are bits. */
static bool warn_number_power(Sema *s, const Expr *e, const Power *p) {
    uint64_t base = plain_number(s, p->base), n = plain_number(s, p->exponent);
    if ((base != 2 && base != 10) || !n || n >= 64) return false;
    Diag *d = diag(s->c, W0405, e->binary.op_span, "`%llu ^ %llu` is %llu: `^` is the bitwise exclusive or",
                   (unsigned long long)base, (unsigned long long)n, (unsigned long long)(base ^ n));
    Span whole = power_span(p);
    if (base == 2 && n < 31)
        diag_fix(s->c, d, whole, arena_printf(s->arena, p->is_alone ? "1 << %llu" : "(1 << %llu)",
                                              (unsigned long long)n), "write a power of two as a shift");
    else diag_note(s->c, d, whole, base == 2 ? "write a power of two as a shift, of a type that has room for it"
                                             : "write a power of ten as a number");
    return true;
}

/* What a function does with its variables --------------------------------------------------------------------- */

typedef struct Review {
    Sema *s;
    const Func *f;
    bool *is_bits, *is_place;  /* by Symbol.id: an operand of a bit operation; a part of an index */
    int *n_uses, *n_as_float;  /* the same: how often, and how often converted implicitly */
    Type **as;                 /* the type of the latter; NULL: several */
    Vec(const Expr *) powers;  /* candidates */
    Vec(const Symbol *) into;  /* the variable that gets the value of each, or NULL */
    Vec(const Stmt *) quotients;
} Review;

static int slot_of(const Review *r, const Symbol *sym) {
    return sym && sym->id >= 0 && sym->id < r->f->n_symbols ? sym->id : -1;
}

typedef struct Marks {
    Review *r;
    bool *at;
} Marks;

static bool mark(Expr *e, void *context) {
    const Marks *m = context;
    int id = e->kind == EXPR_NAME ? slot_of(m->r, e->name.sym) : -1;
    if (id >= 0) m->at[id] = true;
    return false;
}

static void mark_all(Review *r, Expr *e, bool *at) {
    Marks m = {r, at};
    expr_find(e, mark, &m);
}

static bool works_on_bits(Op op) {
    OpKind kind = op_info[op].kind;
    return kind == OPK_BITS || kind == OPK_SHIFT || kind == OPK_ROTATE;
}

static bool is_power_like(const Review *r, const Expr *e) {
    if (e->kind != EXPR_BINARY || e->binary.op != OP_BIT_XOR || !e->type->is_int) return false;
    Power p = power_of(e); /* both have types, as e has one */
    uint64_t n = plain_number(r->s, p.exponent), base = plain_number(r->s, p.base);
    if (base == 2 || base == 10) return true;
    bool has_name = p.base->kind == EXPR_NAME || p.base->kind == EXPR_FIELD || p.base->kind == EXPR_INDEX;
    return has_name && p.base->type->is_int && p.base->type->is_signed && n >= 2 && n <= 3;
}

typedef struct Where {
    const Symbol *into;
    bool in_bits, in_index;
} Where;

static void review_expr(Review *r, Expr *e, Where at);
static void review_conversion(Review *r, const Expr *e);

static bool is_value(const Expr *e, Const c) {
    return e->konst.kind == CONST_INT && c.kind == CONST_INT && e->konst.i == c.i;
}

/* `n >= 0` where n is a u32: the constant is the least or the largest value of the type. */
static void review_comparison(Review *r, const Expr *e) {
    Op op = e->binary.op;
    bool constant_first = e->binary.lhs->konst.kind == CONST_INT;
    const Expr *x = constant_first ? e->binary.rhs : e->binary.lhs, *c = constant_first ? e->binary.lhs : e->binary.rhs;
    const Type *t = x->type;
    if (!t || !t->is_int || t->is_signed || t->bits > 32) return;
    if (x->konst.kind != CONST_NONE || x->kind == EXPR_BINARY || r->f->facts->instance) return; /* wraps.c */
    if (constant_first) op = op == OP_LT ? OP_GT : op == OP_LE ? OP_GE : op == OP_GT ? OP_LT : op == OP_GE ? OP_LE : op;
    Const least = const_int(0), most = const_int((int64_t)((UINT64_C(1) << t->bits) - 1));
    bool always = (op == OP_GE && is_value(c, least)) || (op == OP_LE && is_value(c, most));
    bool never = (op == OP_LT && is_value(c, least)) || (op == OP_GT && is_value(c, most));
    if (!always && !never) return;
    Diag *d = diag(r->s->c, W0411, e->span, "this is always %s: `%s` is from 0 to %lld", always ? "true" : "false",
                   t->name, (long long)most.i);
    diag_note(r->s->c, d, e->span, t->bits < 32 ? "use a type with more values, such as `i32`"
                                                : "use a signed type, such as `i64`");
}

static void review_binary(Review *r, Expr *e, Where at) {
    if (op_info[e->binary.op].kind == OPK_COMPARE) review_comparison(r, e);
    if (is_power_like(r, e)) {
        if (at.in_bits || at.in_index) return;
        vec_push(r->s->arena, &r->powers, e);
        vec_push(r->s->arena, &r->into, at.into);
    } else if (works_on_bits(e->binary.op) && e->type->is_int) {
        at.in_bits = true;
        mark_all(r, e, r->is_bits);
        if (slot_of(r, at.into) >= 0) r->is_bits[at.into->id] = true;
    }
    review_expr(r, e->binary.lhs, at);
    review_expr(r, e->binary.rhs, at);
}

static void count_float(Review *r, const Expr *e) {
    const Expr *x = e->convert.operand;
    int id = x->kind == EXPR_NAME && e->type->is_float ? slot_of(r, x->name.sym) : -1;
    if (id < 0) return;
    r->as[id] = r->n_as_float[id]++ && r->as[id] != e->type ? NULL : e->type;
}

static void review_expr(Review *r, Expr *e, Where at) {
    if (!e || !e->type) return;
    int id = e->kind == EXPR_NAME ? slot_of(r, e->name.sym) : -1;
    if (id >= 0) r->n_uses[id]++;
    if (e->kind == EXPR_BINARY) {
        review_binary(r, e, at);
        return;
    }
    if (e->kind == EXPR_CONVERT) count_float(r, e);
    if (e->kind == EXPR_CALL) review_conversion(r, e);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_BIT_NOT) mark_all(r, e, r->is_bits);
    Children all = expr_children(e);
    if (e->kind == EXPR_CALL && e->call.callee->kind == EXPR_NAME) child_expr(&all);
    for (Expr *x; (x = child_expr(&all));) {
        Where there = at;
        if (e->kind == EXPR_INDEX && x != e->index.base) {
            there.in_index = true;
            mark_all(r, x, r->is_place);
        }
        review_expr(r, x, there);
    }
}

/* One that may have a fraction, which `n / 2` is meant to drop. */
static bool is_quotient(const Expr *e) {
    if (e->kind != EXPR_BINARY || e->binary.op != OP_DIV || !e->type || !e->type->is_int) return false;
    if (expr_strip(e->binary.rhs)->kind == EXPR_INT) return false;
    Const l = e->binary.lhs->konst, r = e->binary.rhs->konst;
    return !(l.kind == CONST_INT && r.kind == CONST_INT && r.i > 0 && l.i % r.i == 0);
}

/* `f64(1 / i)` is 0 for every i above 1. Other quotients that are converted explicitly are intended. */
static void review_conversion(Review *r, const Expr *e) {
    const CallInfo *info = e->call.info;
    if (!info || info->kind != CALL_CONVERT || e->call.args.n != 1 || !e->type->is_float) return;
    Expr *x = expr_strip(e->call.args.at[0].value);
    if (!is_quotient(x) || x->binary.rhs->konst.kind != CONST_NONE) return;
    const Expr *one = expr_strip(x->binary.lhs);
    if (one->kind != EXPR_INT || one->int_.value != 1) return;
    Sema *s = r->s;
    Diag *d = diag(s->c, W0404, x->span,
                   "this is an integer division: its fraction is lost before the conversion to `%s`", e->type->name);
    fix_quotient(s, d, x, e->type);
}

/* `square(3);`: the call does nothing but compute its result. */
static void review_call(Review *r, const Expr *e) {
    const CallInfo *info = e->kind == EXPR_CALL ? e->call.info : NULL;
    const Func *f = info && info->kind == CALL_FUNC ? info->func : NULL;
    if (!f || f->is_kernel || f->is_extern || f->effects || f->result->kind == TY_VOID || !f->item->fn.body) return;
    for (int i = 0; i < f->params.n; i++)
        if (f->params.at[i]->mode == REF_MUT || f->params.at[i]->mode == REF_OUT) return;
    if (block_holds(f->item->fn.body, 1u << STMT_ASSERT | 1u << STMT_BARRIER | 1u << STMT_SHARED)) return;
    Diag *d = diag(r->s->c, W0410, e->span, "the result of `%s` is not used, and the call does nothing else", f->name);
    diag_note(r->s->c, d, e->span, "use it, as in `let y = %s(...);`", f->name);
}

static void review_stmt(Review *r, const Stmt *st) {
    Where at = {0};
    if (st->kind == STMT_EXPR && !st->expr.is_shown) review_call(r, st->expr.expr);
    if (st->kind == STMT_LET) at.into = st->let.sym;
    if (st->kind == STMT_LET && st->let.init && !st->let.is_var && is_quotient(st->let.init))
        vec_push(r->s->arena, &r->quotients, st);
    if (st->kind == STMT_ASSIGN) {
        at.into = expr_root(st->assign.target);
        if (works_on_bits(st->assign.op)) {
            mark_all(r, st->assign.target, r->is_bits);
            mark_all(r, st->assign.value, r->is_bits);
        }
    }
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) review_expr(r, x, at);
    for (Stmt *x; (x = child_stmt(&all));) review_stmt(r, x);
}

/* What is reported -------------------------------------------------------------------------------------------- */

static bool is_meant(const Review *r, const Symbol *sym) {
    int id = slot_of(r, sym);
    return id >= 0 && (r->is_bits[id] || r->is_place[id] || sym->kind == SYM_DOMAIN || sym->is_group_value);
}

static void warn_power(Review *r, const Expr *e, const Symbol *into) {
    Power p = power_of(e);
    if (warn_number_power(r->s, e, &p) || is_meant(r, expr_root(p.base)) || is_meant(r, into)) return;
    Sema *s = r->s;
    const char *base = source_text(s, p.base->span), *n = source_text(s, p.exponent->span);
    Diag *d = diag(s->c, W0405, e->binary.op_span, "`%s ^ %s` is not a power: `^` is the bitwise exclusive or", base,
                   n);
    const char *times = product(s, &p);
    if (times) diag_fix(s->c, d, power_span(&p), times, "multiply instead");
    else diag_note(s->c, d, e->binary.op_span, "multiply instead");
}

/* `let p = hits / n;`, where p is only used as a float. */
static void warn_quotient(Review *r, const Stmt *st) {
    int id = slot_of(r, st->let.sym);
    if (id < 0 || !r->n_as_float[id] || r->n_as_float[id] != r->n_uses[id]) return;
    Sema *s = r->s;
    Expr *e = st->let.init;
    Diag *d = diag(s->c, W0404, e->span, "this is an integer division, but `%s` is only used as a float",
                   st->let.sym->name);
    if (r->as[id] && !st->let.type) fix_quotient(s, d, e, r->as[id]);
    else diag_note(s->c, d, e->span, "convert both numbers first to keep the fraction");
}

void mistaken_check(Sema *s, Func *f) {
    if (!f->item || !f->item->fn.body || f->facts->skip || f->is_extern) return;
    Review r = {.s = s, .f = f};
    r.is_bits = arena_array(s->arena, bool, f->n_symbols + 1);
    r.is_place = arena_array(s->arena, bool, f->n_symbols + 1);
    r.n_uses = arena_array(s->arena, int, f->n_symbols + 1);
    r.n_as_float = arena_array(s->arena, int, f->n_symbols + 1);
    r.as = arena_array(s->arena, Type *, f->n_symbols + 1);
    const Block *body = f->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) review_stmt(&r, body->stmts.at[i]);
    for (int i = 0; i < r.powers.n; i++) warn_power(&r, r.powers.at[i], r.into.at[i]);
    for (int i = 0; i < r.quotients.n; i++) warn_quotient(&r, r.quotients.at[i]);
}
