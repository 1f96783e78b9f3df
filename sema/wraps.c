/* wraps.c -- what interval arithmetic on the checked tree shows of integers: ranges without numbers, and arithmetic
 * that wraps where that is not meant.
 *
 *   W0403  a loop or a domain that is always empty, because a range counts up.
 *   W0406  an operation that certainly overflows: of constants, of variables whose values are known, and of the
 *          variable of a loop with constant bounds in its last iteration. Unsigned types of 32 and 64 bits are made
 *          for that.
 *   W0407  arithmetic of 8 or 16 bits that may wrap before it is compared, divided or converted to a wider type, at
 *          once or as a variable without a declared type (C computes it in `int`), and unsigned differences that are
 *          then compared with 0 or become signed. */
#include <string.h>

#include "parser/children.h"
#include "sema/affine.h"
#include "sema/check.h"

enum { MAX_STEPS = 12 }; /* through variables */
static const Wide MOST_ELEMENTS = (Wide)1 << 56;

/* The values of an expression; `reached`: both ends are values that it really has. */
typedef struct Values {
    Interval in;
    bool reached;
} Values;

typedef struct Review {
    Sema *s;
    Values *loops;    /* by Symbol.id: of variables of loops */
    bool *is_loop;
    bool *is_inferred; /* the same: of variables that have the type of their value */
    int n;
    bool is_const;    /* of the value of a constant */
    bool widens;      /* a constant whose type is that of its value */
    int masked;       /* not 0: an operand of an operation on bits, of which the low ones matter */
    int sometimes;    /* not 0: under a condition, so that the last iteration of a loop may not come there */
} Review;

static Values all_of(const Type *t) { return (Values){{type_least(t), type_most(t)}, false}; }

static bool fits(Interval x, const Type *t) { return x.lo >= type_least(t) && x.hi <= type_most(t); }

static bool is_arithmetic(const Expr *e) {
    if (!type_is_integer(e->type)) return false;
    if (e->kind == EXPR_UNARY) return e->unary.op == OP_NEG;
    return e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_ARITH;
}

/* Intervals ----------------------------------------------------------------------------------------------- */

static Values values_of(const Review *r, const Expr *e, int steps);

static Values point(Wide v) { return (Values){{v, v}, true}; }

/* Of two numbers of 64 bits without a sign the product may need 128: then it is beyond every type anyway. */
static Wide product(Wide a, Wide b) {
    const Wide beyond = (Wide)1 << 120;
    Wide p;
    return !__builtin_mul_overflow(a, b, &p) ? p : (a < 0) == (b < 0) ? beyond : -beyond;
}

static Interval products(Interval a, Interval b) {
    Wide p[4] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
    Interval r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) r = (Interval){wide_least(r.lo, p[i]), wide_most(r.hi, p[i])};
    return r;
}

static bool is_same_name(const Expr *a, const Expr *b) {
    while (a->kind == EXPR_CONVERT) a = a->convert.operand;
    while (b->kind == EXPR_CONVERT) b = b->convert.operand;
    return a->kind == EXPR_NAME && b->kind == EXPR_NAME && a->name.sym == b->name.sym;
}

/* Of + - *, before it wraps. */
static Values exact_of(const Review *r, const Expr *e, int steps) {
    if (e->kind == EXPR_UNARY) {
        Values x = values_of(r, e->unary.operand, steps);
        return (Values){{-x.in.hi, -x.in.lo}, x.reached};
    }
    Values a = values_of(r, e->binary.lhs, steps), b = values_of(r, e->binary.rhs, steps);
    bool square = e->binary.op == OP_MUL && is_same_name(e->binary.lhs, e->binary.rhs) && a.in.lo >= 0;
    bool reached = a.reached && b.reached && (square || a.in.lo == a.in.hi || b.in.lo == b.in.hi);
    if (e->binary.op == OP_ADD) return (Values){{a.in.lo + b.in.lo, a.in.hi + b.in.hi}, reached};
    if (e->binary.op == OP_SUB) return (Values){{a.in.lo - b.in.hi, a.in.hi - b.in.lo}, reached};
    return (Values){products(a.in, b.in), reached};
}

static Values of_binary(const Review *r, const Expr *e, int steps) {
    Op op = e->binary.op;
    Values all = all_of(e->type);
    if (op == OP_ADD || op == OP_SUB || op == OP_MUL) {
        Values v = exact_of(r, e, steps);
        return fits(v.in, e->type) ? v : all;
    }
    if (op != OP_DIV && op != OP_REM && op != OP_BIT_AND && op != OP_SHR) return all;
    Interval a = values_of(r, e->binary.lhs, steps).in, b = values_of(r, e->binary.rhs, steps).in;
    Wide k = b.lo == b.hi ? b.lo : 0; /* a constant */
    if (op == OP_BIT_AND) {
        if (a.lo < 0 && b.lo < 0) return all;
        Wide most = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : wide_least(a.hi, b.hi);
        return (Values){{0, most}, false};
    }
    if (k <= 0 || (op == OP_SHR && k > 63)) return all;
    if (op == OP_DIV) return (Values){{a.lo / k, a.hi / k}, false};
    if (op == OP_SHR) return (Values){{a.lo >> (int)k, a.hi >> (int)k}, false};
    return (Values){{a.lo < 0 ? 1 - k : 0, wide_least(k - 1, wide_most(a.hi, 0))}, false};
}

static Values joined(Values a, Values b) {
    return (Values){{wide_least(a.in.lo, b.in.lo), wide_most(a.in.hi, b.in.hi)}, false};
}

static Values of_call(const Review *r, const Expr *e, int steps) {
    const CallInfo *info = e->call.info;
    const ArgList *args = &e->call.args;
    Values all = all_of(e->type);
    if (!info || !args->n || !args->at[0].value->type) return all;
    if (info->kind == CALL_CONVERT && type_is_integer(args->at[0].value->type)) {
        Values v = values_of(r, args->at[0].value, steps);
        return fits(v.in, e->type) ? v : all;
    }
    if (info->kind != CALL_BUILTIN || info->receiver) return all;
    if (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE) return (Values){{0, MOST_ELEMENTS}, false};
    bool is_min = info->builtin == BUILTIN_MIN, is_max = info->builtin == BUILTIN_MAX;
    if ((is_min || is_max) && args->n == 2) {
        Interval a = values_of(r, args->at[0].value, steps).in, b = values_of(r, args->at[1].value, steps).in;
        Interval least = {wide_least(a.lo, b.lo), wide_least(a.hi, b.hi)};
        Interval most = {wide_most(a.lo, b.lo), wide_most(a.hi, b.hi)};
        return (Values){is_min ? least : most, false};
    }
    if (info->builtin == BUILTIN_CLAMP && args->n == 3) {
        Interval lo = values_of(r, args->at[1].value, steps).in, hi = values_of(r, args->at[2].value, steps).in;
        return (Values){{wide_least(lo.lo, hi.lo), wide_most(lo.hi, hi.hi)}, false};
    }
    return all;
}

static Values of_name(const Review *r, const Expr *e, int steps) {
    const Symbol *sym = e->name.sym;
    if (!sym || !steps) return all_of(e->type);
    if (sym->kind == SYM_SIZE) return (Values){{0, MOST_ELEMENTS}, false};
    if (sym->id >= 0 && sym->id < r->n && r->is_loop[sym->id]) return r->loops[sym->id];
    if (sym->kind != SYM_LOCAL || !sym->init || sym->written || sym->init->type != e->type) return all_of(e->type);
    return values_of(r, sym->init, steps - 1);
}

static Values values_of(const Review *r, const Expr *e, int steps) {
    if (!type_is_integer(e->type)) return (Values){{-((Wide)1 << 64), (Wide)1 << 64}, false};
    if (e->konst.kind == CONST_INT) return point(e->type->is_signed ? (Wide)e->konst.i : (Wide)(uint64_t)e->konst.i);
    switch (e->kind) {
    case EXPR_NAME: return of_name(r, e, steps);
    case EXPR_CONVERT:
        if (!type_is_integer(e->convert.operand->type)) break;
        return values_of(r, e->convert.operand, steps);
    case EXPR_UNARY: {
        Values v = e->unary.op == OP_NEG ? exact_of(r, e, steps) : all_of(e->type);
        return fits(v.in, e->type) ? v : all_of(e->type);
    }
    case EXPR_BINARY: return of_binary(r, e, steps);
    case EXPR_CALL: return of_call(r, e, steps);
    case EXPR_INDEX: {
        const ConstArray *a = const_array_of(e);
        return a ? (Values){{a->least, a->greatest}, false} : all_of(e->type);
    }
    case EXPR_IF: return joined(values_of(r, e->if_.then_, steps), values_of(r, e->if_.else_, steps));
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_FIELD:
    case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD: case EXPR_ATOMIC:
    case EXPR__COUNT: break;
    }
    return all_of(e->type);
}

/* The first operation of the expression that may leave its type; NULL: none. Calls are not entered. */
static const Expr *may_wrap(const Review *r, const Expr *e) {
    if (e->konst.kind != CONST_NONE || !is_arithmetic(e)) return NULL;
    if (e->kind == EXPR_UNARY) return fits(exact_of(r, e, MAX_STEPS).in, e->type) ? may_wrap(r, e->unary.operand) : e;
    const Expr *found = may_wrap(r, e->binary.lhs);
    if (!found) found = may_wrap(r, e->binary.rhs);
    if (found || e->binary.op == OP_DIV || e->binary.op == OP_REM) return found;
    return fits(exact_of(r, e, MAX_STEPS).in, e->type) ? NULL : e;
}

/* Fixes --------------------------------------------------------------------------------------------------- */

static Span between(uint32_t lo, uint32_t hi) { return (Span){lo, hi}; }

static bool is_plain_literal(const Expr *e) { return e->kind == EXPR_INT && !e->int_.suffix; }

/* The text of an expression, computed in `to`: the first operand of each operation is converted. A literal then gets
 * the type by itself. */
static const char *in_type(Sema *s, const Expr *e, const Type *to) {
    e = expr_strip((Expr *)e);
    if (!is_arithmetic(e)) return arena_printf(s->arena, "%s(%s)", to->name, source_text(s, e->span));
    const Expr *l = e->kind == EXPR_UNARY ? NULL : expr_strip(e->binary.lhs);
    const Expr *r = expr_strip(e->kind == EXPR_UNARY ? e->unary.operand : e->binary.rhs);
    bool from_left = l && (!is_plain_literal(l) || is_plain_literal(r));
    bool from_right = !from_left || (is_arithmetic(r) && !is_plain_literal(r));
    const char *left = !l ? "" : from_left ? in_type(s, l, to) : source_text(s, l->span);
    const char *right = from_right ? in_type(s, r, to) : source_text(s, r->span);
    uint32_t begin = l ? l->span.lo : r->span.lo, middle = l ? l->span.hi : r->span.lo;
    return arena_printf(s->arena, "%s%s%s%s%s", source_text(s, between(e->span.lo, begin)), left,
                        source_text(s, between(middle, r->span.lo)), right,
                        source_text(s, between(r->span.hi, e->span.hi)));
}

/* The first operation of known values that leaves its type; NULL: none. */
static const Expr *wrapped(const Review *r, const Expr *e) {
    e = expr_strip((Expr *)e);
    if (e->kind != EXPR_BINARY) return NULL;
    const Expr *found = wrapped(r, e->binary.lhs);
    if (!found) found = wrapped(r, e->binary.rhs);
    if (found || !is_arithmetic(e) || !type_is_integer(e->type)) return found;
    bool exact = e->binary.op == OP_ADD || e->binary.op == OP_SUB || e->binary.op == OP_MUL;
    return exact && !fits(exact_of(r, e, MAX_STEPS).in, e->type) ? e : NULL;
}

static bool is_short(Sema *s, const Expr *e) {
    const char *text = source_text(s, e->span);
    return strlen(text) <= 60 && !strchr(text, '\n');
}

/* W0406 --------------------------------------------------------------------------------------------------- */

static bool is_modular(const Type *t) { return !t->is_signed && t->bits >= 32; }

static const char *number(Sema *s, Wide v) {
    char digits[48];
    int at = sizeof digits;
    unsigned __int128 left = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
    digits[--at] = 0;
    do digits[--at] = (char)('0' + (int)(left % 10));
    while ((left /= 10) && at > 1);
    return arena_printf(s->arena, "%s%s", v < 0 ? "-" : "", digits + at);
}

static bool overflows(const Review *r, const Expr *e, Values *v) {
    bool is_op = e->kind == EXPR_UNARY ? e->unary.op == OP_NEG && e->unary.operand->kind != EXPR_INT /* -128i8 */
                                       : e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB ||
                                                                    e->binary.op == OP_MUL);
    if (!is_op || r->masked || !type_is_integer(e->type) || is_modular(e->type)) return false;
    *v = exact_of(r, e, MAX_STEPS);
    Wide least = type_least(e->type), most = type_most(e->type);
    if (v->in.hi < least || v->in.lo > most) return true;
    return v->reached && !r->sometimes && (v->in.lo < least || v->in.hi > most);
}

/* The arithmetic that an operation is part of, and the type that its result is converted to at once. */
typedef struct Whole {
    const Expr *e;
    const Type *into; /* NULL: it is not converted */
} Whole;

/* The sum of a loop that overflows before a term of it does (accumulate.c) is the same mistake. */
static Diag *said_of_sum(const Sema *s, Span at) {
    for (int i = 0; i < s->c->diags.list.n; i++) {
        Diag *d = s->c->diags.list.at[i];
        if (d->code == W0406 && d->span.lo <= at.lo && d->span.hi >= at.hi) return d;
    }
    return NULL;
}

static void say_overflow(Review *r, const Expr *e, const Values *v, Whole whole) {
    Sema *s = r->s;
    bool high = v->in.hi > type_most(e->type);
    Wide end = high ? v->in.hi : v->in.lo;
    Diag *d = said_of_sum(s, e->span);
    if (d) {
        diag_note(s->c, d, e->span, "`%s` does not fit in `%s`, either: convert its operands first",
                  source_brief(s, e->span), e->type->name);
        return;
    }
    if (v->in.lo == v->in.hi)
        d = diag(s->c, W0406, e->span, "this is %s, which does not fit in `%s`: it wraps to %s", number(s, end),
                 e->type->name, number(s, int_wrap((int64_t)end, e->type)));
    else if (v->reached)
        d = diag(s->c, W0406, e->span, "this grows to %s, which does not fit in `%s`: it wraps", number(s, end),
                 e->type->name);
    else d = diag(s->c, W0406, e->span, "this does not fit in `%s`: it wraps", e->type->name);
    const Type *into = whole.into;
    if (into && is_short(s, whole.e) && (into->is_float || fits(v->in, into)))
        diag_fix(s->c, d, whole.e->span, in_type(s, whole.e, into), "compute it in `%s`", into->name);
    else if (r->widens && whole.e && is_short(s, whole.e) && fits(v->in, s->i64))
        diag_fix(s->c, d, whole.e->span, in_type(s, whole.e, s->i64), "compute it in `i64`");
    else diag_note(s->c, d, e->span, "compute it in a type that has room for it, such as `i64`");
}

/* W0407 --------------------------------------------------------------------------------------------------- */

static bool is_narrow(const Type *t) { return type_is_integer(t) && t->bits <= 16; }

static const Type *wider(Sema *s, const Type *t) { return t->bits <= 16 ? s->i32 : t->bits == 32 ? s->i64 : NULL; }

static bool divides(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_BINARY && (e->binary.op == OP_DIV || e->binary.op == OP_REM);
}

/* Into a float, the fix keeps divisions of integers such. */
static void fix_widened(Sema *s, Diag *d, const Expr *e, const Type *to, const Expr *call) {
    const Type *by = to;
    if (to->is_float && (call || expr_find((Expr *)e, divides, NULL))) by = wider(s, e->type);
    bool whole = call && by == to;
    if (!by || !is_short(s, e) || (!call && by != to && !type_widens(by, to)))
        diag_note(s->c, d, e->span, "convert the operands first");
    else diag_fix(s->c, d, whole ? call->span : e->span, in_type(s, e, by), "convert first");
}

static bool is_said(const Sema *s, Span at) {
    for (int i = 0; i < s->c->diags.list.n; i++) {
        const Diag *d = s->c->diags.list.at[i];
        if (d->code == W0407 && d->span.lo == at.lo && d->span.hi == at.hi) return true;
    }
    return false;
}

/* `let s = a + b + c;`, which is converted later. */
static void widened_later(Review *r, const Expr *name, const Type *to) {
    const Symbol *sym = name->name.sym;
    bool knows = sym && sym->id >= 0 && sym->id < r->n && sym->kind == SYM_LOCAL && r->is_inferred[sym->id];
    if (!knows || sym->written || !is_narrow(name->type) || !sym->init || sym->init->type != name->type) return;
    const Expr *wraps = may_wrap(r, sym->init);
    if (!wraps || is_said(r->s, wraps->span)) return;
    Diag *d = diag(r->s->c, W0407, wraps->span, "this is computed in `%s`, and may wrap before it is converted to `%s`",
                   name->type->name, to->name);
    diag_note(r->s->c, d, name->span, "`%s` is converted here", sym->name);
    const Type *by = wider(r->s, name->type);
    diag_note(r->s->c, d, wraps->span, "compute `%s` in a wider type, as in `let %s = %s;`", sym->name, sym->name,
              in_type(r->s, sym->init, by));
}

/* A generator of random numbers shifts a product that is meant to wrap; the factors of a filter are small. */
static bool is_large_product(const Expr *e) {
    if (e->kind != EXPR_BINARY || e->binary.op != OP_MUL) return false;
    Const k = e->binary.lhs->konst.kind == CONST_INT ? e->binary.lhs->konst : e->binary.rhs->konst;
    return k.kind != CONST_INT || k.i > 16;
}

/* `(a + b + c) / 3`, `(a + b) >> 1`: a carry that is lost is missing in the quotient. Bytes mostly have all values of
 * their type; 16 bits are often chosen because they have room for a sum. */
static void divided(Review *r, const Expr *e) {
    Sema *s = r->s;
    if (!type_is_integer(e->type) || e->type->bits > 8 || e->konst.kind != CONST_NONE) return;
    bool shifts = e->binary.op == OP_SHR && e->binary.rhs->konst.kind == CONST_INT;
    if (!shifts && e->binary.op != OP_DIV) return;
    const Expr *x = expr_strip(e->binary.lhs), *wraps = may_wrap(r, x);
    if (!wraps || wraps->kind == EXPR_UNARY || is_said(s, wraps->span)) return;
    if (shifts && is_large_product(wraps)) return;
    Diag *d = diag(s->c, W0407, wraps->span, "this is computed in `%s`, and may wrap before it is %s", e->type->name,
                   shifts ? "shifted" : "divided");
    const Type *to = wider(s, e->type);
    const char *before = source_text(s, between(e->span.lo, x->span.lo));
    const char *text = arena_printf(s->arena, "%s(%s%s%s)", e->type->name, before, in_type(s, x, to),
                                    source_text(s, between(x->span.hi, e->span.hi)));
    if (is_short(s, e)) diag_fix(s->c, d, e->span, text, "compute it in `%s`", to->name);
    else diag_note(s->c, d, e->span, "compute it in `%s`, and convert the result to `%s`", to->name, e->type->name);
}

/* `e` is converted to `to`: by the compiler, or by `call`. */
static void widened(Review *r, const Expr *e, const Type *to, const Expr *call) {
    Sema *s = r->s;
    if (!type_is_integer(e->type) || !(to->is_float || (type_is_integer(to) && to->bits > e->type->bits))) return;
    if (e->kind == EXPR_NAME) widened_later(r, e, to);
    const Expr *wraps = may_wrap(r, e);
    bool difference = wraps && wraps->kind == EXPR_BINARY && wraps->binary.op == OP_SUB && !e->type->is_signed &&
                      (to->is_float || to->is_signed) && !call;
    if (!wraps || !(is_narrow(e->type) || difference)) return;
    Diag *d = diag(s->c, W0407, wraps->span, "this is computed in `%s`, and may wrap before it is converted to `%s`",
                   e->type->name, to->name);
    fix_widened(s, d, e, to, call);
}

/* Is the result the same for all values of the type, because `other` is the last of them? */
static bool is_limit(const Expr *other, const Type *t) {
    if (other->konst.kind != CONST_INT) return false;
    Wide k = t->is_signed ? (Wide)other->konst.i : (Wide)(uint64_t)other->konst.i;
    return t->is_signed ? k == type_least(t) || k == type_most(t) : k == 0 || k == type_most(t);
}

static void compared(Review *r, const Expr *e, const Expr *x, const Expr *other) {
    Sema *s = r->s;
    if (!type_is_integer(x->type)) return;
    const Expr *wraps = may_wrap(r, x);
    bool is_suspect = x->type->is_signed ? is_narrow(x->type) && is_limit(other, x->type)
                                         : is_narrow(x->type) || is_limit(other, x->type);
    if (!wraps || !is_suspect) return;
    Diag *d = diag(s->c, W0407, wraps->span, "this is computed in `%s`, and may wrap before it is compared",
                   x->type->name);
    const Type *to = wider(s, x->type);
    if (!to || !is_short(s, e)) {
        diag_note(s->c, d, e->span, "compare the operands, as in `a < b` instead of `a - b < 0`");
        return;
    }
    const char *text = in_type(s, x, to);
    if (e->kind == EXPR_CALL)
        text = arena_printf(s->arena, "%s(%s%s%s)", e->type->name, source_text(s, between(e->span.lo, x->span.lo)),
                            text, source_text(s, between(x->span.hi, e->span.hi)));
    diag_fix(s->c, d, e->kind == EXPR_CALL ? e->span : x->span, text, "compute it in `%s`", to->name);
}

static void look_at_call(Review *r, const Expr *e) {
    const CallInfo *info = e->call.info;
    const ArgList *args = &e->call.args;
    if (!info || info->receiver || !args->n || !args->at[0].value->type) return;
    if (info->kind == CALL_CONVERT && args->n == 1) widened(r, args->at[0].value, e->type, e);
    bool chooses = info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_MIN || info->builtin == BUILTIN_MAX ||
                                                  info->builtin == BUILTIN_CLAMP);
    for (int i = 0; i < args->n && chooses && args->n > 1; i++)
        compared(r, e, args->at[i].value, args->at[i ? 0 : args->n - 1].value);
}

static bool is_order(Op op) { return op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE; }

/* The walk ------------------------------------------------------------------------------------------------ */

static void look_at(Review *r, const Expr *e, Whole whole) {
    Values v;
    if (!e || !e->type || is_bad(e->type)) return;
    if (!is_arithmetic(e)) whole = (Whole){0};
    else if (!whole.e) whole.e = e;
    if (overflows(r, e, &v)) {
        say_overflow(r, e, &v, whole);
        return;
    }
    if (e->kind == EXPR_CONVERT && !r->is_const) widened(r, e->convert.operand, e->type, NULL);
    if (e->kind == EXPR_CALL && !r->is_const) look_at_call(r, e);
    if (e->kind == EXPR_BINARY && !r->is_const) divided(r, e);
    if (e->kind == EXPR_BINARY && is_order(e->binary.op) && !r->is_const) {
        compared(r, e, e->binary.lhs, e->binary.rhs);
        compared(r, e, e->binary.rhs, e->binary.lhs);
    }
    Children all = expr_children(e);
    if (e->kind == EXPR_CALL && e->call.callee->kind == EXPR_NAME) child_expr(&all);
    OpKind kind = e->kind == EXPR_BINARY ? op_info[e->binary.op].kind : OPK_ARITH;
    bool is_condition = e->kind == EXPR_IF || kind == OPK_LOGIC;
    bool is_mask = kind == OPK_BITS || kind == OPK_SHIFT || kind == OPK_ROTATE;
    r->sometimes += is_condition;
    r->masked += is_mask;
    for (Expr *x; (x = child_expr(&all));) {
        if (e->kind == EXPR_INDEX && x->kind == EXPR_CONVERT) x = x->convert.operand; /* the index is checked */
        Whole of = {.into = e->kind == EXPR_CONVERT ? e->type : e->kind == EXPR_INDEX ? r->s->index : NULL};
        look_at(r, x, is_arithmetic(e) ? whole : of);
    }
    r->sometimes -= is_condition;
    r->masked -= is_mask;
}

/* W0403: `10..0`, `n - 1..0`. A range from a number to itself can be meant. */
static void warn_empty(Review *r, const Range *g, const char *what) {
    Sema *s = r->s;
    if (!g->lo || !g->hi || g->step || !g->lo->type || !g->hi->type || !type_is_integer(g->lo->type)) return;
    Values lo = values_of(r, g->lo, MAX_STEPS), hi = values_of(r, g->hi, MAX_STEPS);
    bool to_zero = g->hi->konst.kind == CONST_INT && !g->hi->konst.i && g->lo->konst.kind == CONST_NONE;
    bool hardly = to_zero && lo.in.lo == -1; /* n - 1, where n is a size */
    if (!hardly && (lo.in.lo < hi.in.hi || (lo.in.lo == hi.in.hi && !to_zero))) return;
    const char *from = source_text(s, g->lo->span), *to = source_text(s, g->hi->span);
    Diag *d = diag(s->c, W0403, g->span, "%s: a range counts up, and %s is %s %s", what, from,
                   lo.in.lo > hi.in.hi ? "above" : "not below", to);
    if (*what == 't') fix_insert(s, d, g->hi->span.hi, " step -1", "count down");
    else diag_fix(s->c, d, g->span, arena_printf(s->arena, "%s..%s", to, from), "name the lower end first");
    if (*what == 't' && g->hi->konst.kind == CONST_INT && !g->hi->konst.i)
        diag_note(s->c, d, g->hi->span, "the end is not part of a range: `%s..-1 step -1` counts down to 0", from);
}

/* A loop with constant bounds that nothing leaves comes to its last iteration. */
static void bind_loop(Review *r, const Stmt *st) {
    const Binder *b = &st->for_.binder;
    const Range *g = &b->range;
    if (!b->sym || b->sym->id < 0 || b->sym->id >= r->n || !type_is_integer(b->sym->type) || !g->hi ||
        !g->hi->type) return;
    Values lo = g->lo ? values_of(r, g->lo, MAX_STEPS) : point(0), hi = values_of(r, g->hi, MAX_STEPS);
    if (g->step || lo.in.lo >= hi.in.hi) return;
    bool reached = lo.in.lo == lo.in.hi && hi.in.lo == hi.in.hi && !block_holds(st->for_.body, STMTS_LEAVE);
    r->is_loop[b->sym->id] = true;
    r->loops[b->sym->id] = (Values){{lo.in.lo, hi.in.hi - 1}, reached};
}

static void look_at_stmt(Review *r, const Stmt *st) {
    if (st->kind == STMT_FOR) {
        warn_empty(r, &st->for_.binder.range, "this loop has no iterations");
        bind_loop(r, st);
    }
    if (st->kind == STMT_LET && !st->let.type && st->let.sym && st->let.sym->id >= 0 && st->let.sym->id < r->n)
        r->is_inferred[st->let.sym->id] = true;
    bool is_condition = st->kind == STMT_IF || st->kind == STMT_WHILE;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) look_at(r, x, (Whole){0});
    r->sometimes += is_condition;
    for (Stmt *x; (x = child_stmt(&all));) look_at_stmt(r, x);
    r->sometimes -= is_condition;
}

void wraps_check(Sema *s, Func *f) {
    if (!f->item || !f->item->fn.body || f->facts->skip || f->is_extern || f->facts->instance) return;
    Review r = {.s = s, .n = f->n_symbols};
    r.loops = arena_array(s->arena, Values, r.n + 1);
    r.is_loop = arena_array(s->arena, bool, r.n + 1);
    r.is_inferred = arena_array(s->arena, bool, r.n + 1);
    const BinderList *over = &f->item->fn.over;
    for (int i = 0; i < over->n; i++) warn_empty(&r, &over->at[i].range, "a kernel over this has no work items");
    const Block *body = f->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) look_at_stmt(&r, body->stmts.at[i]);
}

void wraps_explain(Sema *s, Diag *d, const Expr *e) {
    Review r = {.s = s};
    const Expr *w = e->konst.kind == CONST_INT ? wrapped(&r, e) : NULL;
    if (!w || !is_short(s, e)) return;
    Values v = exact_of(&r, w, MAX_STEPS);
    if (v.in.lo != v.in.hi) return;
    diag_note(s->c, d, w->span, "`%s` is %s, which does not fit in `%s`: it wraps", source_text(s, w->span),
              number(s, v.in.lo), w->type->name);
    diag_fix(s->c, d, e->span, in_type(s, expr_strip((Expr *)e), s->index), "compute it in `index`");
}

void wraps_check_const(Sema *s, const Symbol *sym) {
    Review r = {.s = s, .is_const = true};
    r.widens = sym->item && !sym->item->const_.type;
    if (sym->item && sym->type && !is_bad(sym->type)) look_at(&r, sym->item->const_.value, (Whole){0});
}
