/* coerce.c -- coercion: gives expressions the type that their context needs. A literal takes that type; a conversion
 * that keeps every value is written into the tree as EXPR_CONVERT; any other is an error, with the explicit conversion
 * as its fix. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "sema/check.h"

bool is_bad(const Type *t) { return t->kind == TY_ERROR; }

Expr *convert_new(Sema *s, Expr *operand, Type *to) {
    if (operand->type == to) return operand;
    Expr *e = arena_new(s->arena, Expr);
    e->kind = EXPR_CONVERT;
    e->depth = operand->depth + 1;
    e->span = operand->span;
    e->type = to;
    e->konst = const_convert(operand->konst, operand->type, to);
    e->convert.operand = operand;
    return e;
}

/* `1 / 2` where a float is needed: the integer division has dropped the fraction, which is rarely intended. */
static void warn_lost_fraction(Sema *s, Expr *e, const Type *to) {
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    if (e->binary.op != OP_DIV || l->konst.kind != CONST_INT || r->konst.kind != CONST_INT) return;
    if (!to->is_float || r->konst.i == 0 || r->konst.i == -1 || l->konst.i % r->konst.i == 0) return;
    Diag *d = diag(s->c, W0404, e->span, "this is an integer division: its value is %s, which is then converted to "
                                         "`%s`",
                   const_text(s, e->konst, e->type), to->name);
    fix_insert(s, d, e->binary.rhs->span.hi, ".0", "write a float to keep the fraction");
}

/* The same with values that are not known: `n / 2` where a float is needed. An intended integer quotient is converted
 * explicitly. */
static void warn_integer_quotient(Sema *s, const Expr *e, const Type *to) {
    if (!e->type->is_int || !to->is_float || e->kind != EXPR_BINARY || e->binary.op != OP_DIV) return;
    Const l = e->binary.lhs->konst, r = e->binary.rhs->konst;
    if (l.kind == CONST_INT && r.kind == CONST_INT && r.i > 0 && l.i % r.i == 0) return;
    Diag *d = diag(s->c, W0404, e->span, "this is an integer division: the fraction is lost before the conversion to "
                                         "`%s`", to->name);
    const char *text = source_text(s, e->binary.lhs->span);
    diag_fix(s->c, d, e->binary.lhs->span, arena_printf(s->arena, "%s(%s)", to->name, text),
             "convert first to keep the fraction");
}

/* Digits of base 16, 8 or 2 are bits: the narrowest unsigned type of at least `bits` that has them; NULL: none. */
static Type *type_of_bits(Sema *s, const Expr *e, int bits) {
    static const TypeKind kinds[] = {TY_U8, TY_U16, TY_U32, TY_U64};
    const char *text = source_text(s, e->span);
    if (e->kind != EXPR_INT || e->int_.suffix || text[0] != '0' || !isalpha((unsigned char)text[1])) return NULL;
    for (int i = 0; i < 4; i++) {
        Type *t = type_scalar(s->types, kinds[i]);
        if (t->bits >= bits && e->int_.value >> (t->bits - 1) >> 1 == 0) return t;
    }
    return NULL;
}

static void does_not_fit(Sema *s, Expr *e, const Type *to) {
    const char *value = const_text(s, e->konst, e->type);
    if (e->type->is_int && to->is_float) {
        diag(s->c, E0309, e->span, "%s cannot be represented exactly in `%s`", value, to->name);
        return;
    }
    Diag *d = diag(s->c, E0309, e->span, "%s does not fit in `%s`", value, to->name);
    if (to->is_int && to->is_signed && to->bits < 64)
        diag_note(s->c, d, e->span, "`%s` ranges from %lld to %lld", to->name, -(1LL << (to->bits - 1)),
                  (1LL << (to->bits - 1)) - 1);
    else if (to->is_int && to->bits < 64)
        diag_note(s->c, d, e->span, "`%s` ranges from 0 to %llu", to->name, (1ULL << to->bits) - 1);
    else if (to->is_int && !to->is_signed) diag_note(s->c, d, e->span, "`%s` has no negative values", to->name);
    const Type *bits = to->is_int && to->is_signed ? type_of_bits(s, e, to->bits) : NULL;
    if (!bits) return;
    diag_note(s->c, d, e->span, "`%s` has this value", bits->name);
    if (bits->bits == to->bits)
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s(%s%s)", to->name, source_text(s, e->span), bits->name),
                 "convert its bits to `%s`", to->name);
}

/* An expression of a literal type gets the type `to`, with all its operands. The caller has checked that the kinds
 * agree. */
void retype(Sema *s, Expr *e, Type *to) {
    if (!type_is_literal(e->type)) return;
    if (e->konst.kind != CONST_NONE) {
        if (!const_fits(e->konst, e->type, to)) {
            does_not_fit(s, e, to);
            bad(s, e);
            return;
        }
        if (e->kind == EXPR_BINARY) warn_lost_fraction(s, e, to);
        e->konst = const_convert(e->konst, e->type, to);
        e->type = to;
        return;
    }
    e->type = to;
    switch (e->kind) {
    case EXPR_IF:
        retype(s, e->if_.then_, to);
        retype(s, e->if_.else_, to);
        break;
    case EXPR_UNARY: retype(s, e->unary.operand, to); break;
    case EXPR_BINARY:
        retype(s, e->binary.lhs, to);
        if (!op_counts(e->binary.op)) retype(s, e->binary.rhs, to);
        break;
    case EXPR_CALL:
        for (int i = 0; i < e->call.args.n; i++) retype(s, e->call.args.at[i].value, to);
        break;
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_NAME: case EXPR_INDEX:
    case EXPR_FIELD: case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD:
    case EXPR_ATOMIC: case EXPR_CONVERT: case EXPR__COUNT: break;
    }
}

/* Operands of a folded expression may keep their literal types: irgen reads `konst` of the expression and does not
 * visit them. */
Type *settle(Sema *s, Expr **slot) {
    Expr *e = *slot;
    if (e->type->kind == TY_FLOAT_LITERAL) retype(s, e, s->f64);
    if (e->type->kind != TY_INT_LITERAL) return e->type;
    if (e->konst.kind == CONST_INT && !const_fits(e->konst, e->type, s->i32)) {
        const char *value = const_text(s, e->konst, e->type);
        Diag *d = diag(s->c, E0309, e->span, "%s does not fit in `i32`, the type of an integer without one", value);
        const Type *bits = type_of_bits(s, e, 32);
        if (e->kind == EXPR_INT) fix_insert(s, d, e->span.hi, bits ? bits->name : "i64", "give it a type");
        else fix_convert(s, d, e, s->i64);
        return bad(s, e);
    }
    retype(s, e, s->i32);
    return e->type;
}

static bool literal_can_be(const Type *literal, const Type *to) {
    return literal->kind == TY_INT_LITERAL ? type_is_number(to) : to->is_float;
}

static bool can_convert(const Type *from, const Type *to) {
    if (type_is_number(from) && type_is_number(to)) return true;
    if (from->kind == TY_STR) return type_is_number(to);
    return (from->kind == TY_BOOL && to->is_int) || (from->is_int && to->kind == TY_BOOL);
}

/* `var s = 0.0;`, a sum of values of a narrower type, is where the type comes from: there the fix belongs. */
static bool fix_start(Sema *s, Diag *d, const Expr *e, const Type *to) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    const Expr *init = sym && sym->kind == SYM_LOCAL && sym->is_mutable ? sym->init : NULL;
    if (!init || init->kind != EXPR_FLOAT || init->float_.suffix || !to->is_float || sym->type != s->f64) return false;
    const char *declared = source_text(s, (Span){sym->span.hi, init->span.lo});
    if (strchr(declared, ':') || strpbrk(source_text(s, init->span), "xX")) return false;
    diag_fix(s->c, d, init->span, arena_printf(s->arena, "%s%s", source_text(s, init->span), to->name),
             "`%s` is an `f64` because of this", sym->name);
    return true;
}

static void mismatch(Sema *s, Expr *e, const Type *to, const char *why) {
    Diag *d =
        diag(s->c, E0304, e->span, "this is %s, but `%s` is needed", quoted_type(s, e->type), type_name(s->c, to));
    if (why) diag_note(s->c, d, e->span, "%s", why);
    if (fix_start(s, d, e, to)) return;
    if (can_convert(e->type, to) && to->kind != TY_BOOL) fix_convert(s, d, e, to);
    else if (to->kind == TY_BOOL && e->kind == EXPR_INT && e->int_.value < 2)
        diag_fix(s->c, d, e->span, e->int_.value ? "true" : "false", "write `true` or `false`");
    else if (to->kind == TY_BOOL && type_is_number(e->type))
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s != 0", source_text(s, e->span)), "compare it");
    else if (to->kind == TY_STR && e->type->kind != TY_ARRAY && e->type->kind != TY_STRUCT)
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "format(\"{}\", %s)", source_text(s, e->span)),
                 "convert it to text");
}

bool coerce(Sema *s, Expr **slot, Type *to, const char *why) {
    Expr *e = *slot;
    if (is_bad(e->type) || is_bad(to)) return false;
    if (e->type == to) return true;
    if (type_is_literal(e->type) && literal_can_be(e->type, to)) {
        retype(s, e, to);
        return !is_bad(e->type);
    }
    if (!type_is_literal(e->type) && type_widens(e->type, to)) {
        warn_integer_quotient(s, e, to);
        *slot = convert_new(s, e, to);
        return true;
    }
    if (e->type->kind == TY_INT_LITERAL && type_is_literal(to)) { /* an integer literal beside a float literal */
        retype(s, e, to);
        return !is_bad(e->type);
    }
    mismatch(s, e, to, why);
    bad(s, e);
    return false;
}

/* The narrowest type that both become by themselves: of two integers, or of two floats. */
static Type *holds_both(Sema *s, const Type *a, const Type *b) {
    static const TypeKind kinds[] = {TY_I16, TY_I32, TY_I64, TY_F32};
    if (!((a->is_int && b->is_int) || (a->is_float && b->is_float))) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Type *t = type_scalar(s->types, kinds[i]);
        if (type_widens(a, t) && type_widens(b, t)) return t;
    }
    return NULL;
}

static bool narrows(const Type *from, const Type *to) {
    return from->is_int == to->is_int && !type_is_literal(from) && !type_is_literal(to) && to->bits < from->bits;
}

/* Floats in indices -------------------------------------------------------------------------------------------- */

static bool is_whole(const Expr *e) {
    return e->kind == EXPR_FLOAT && !e->float_.suffix && e->float_.value == floor(e->float_.value) &&
           fabs(e->float_.value) < 1e15;
}

/* The text of an expression with `2` for `2.0`; NULL: that would not make it an integer. */
static const char *as_integer(Sema *s, const Expr *e) {
    e = expr_strip((Expr *)e);
    if (is_whole(e)) return arena_printf(s->arena, "%.0f", e->float_.value);
    if (e->type->is_int || e->type->kind == TY_INT_LITERAL) return source_text(s, e->span);
    if (e->kind != EXPR_BINARY || op_info[e->binary.op].kind != OPK_ARITH) return NULL;
    const Expr *l = expr_strip(e->binary.lhs), *r = expr_strip(e->binary.rhs);
    const char *left = as_integer(s, l), *right = as_integer(s, r);
    if (!left || !right) return NULL;
    return arena_printf(s->arena, "%s%s%s%s%s", source_text(s, (Span){e->span.lo, l->span.lo}), left,
                        source_text(s, (Span){l->span.hi, r->span.lo}), right,
                        source_text(s, (Span){r->span.hi, e->span.hi}));
}

/* Is the value of `e` the index, or an operand of arithmetic that computes it? */
static bool computes(const Expr *index, const Expr *e) {
    index = expr_strip((Expr *)index);
    if (index == e) return true;
    if (index->kind == EXPR_UNARY) return computes(index->unary.operand, e);
    return index->kind == EXPR_BINARY && (computes(index->binary.lhs, e) || computes(index->binary.rhs, e));
}

/* `x[i / 2.0]` does not become an index by converting `i`. */
static bool fix_in_index(Sema *s, Diag *d, const Expr *a, const Expr *b) {
    if (!s->at_index || !computes(s->at_index, a)) return false;
    Span whole = span_join(a->span, b->span);
    const char *left = as_integer(s, a), *right = as_integer(s, b);
    diag_note(s->c, d, d->span, "an index must be an integer");
    const char *between = source_text(s, (Span){a->span.hi, b->span.lo});
    if (left && right)
        diag_fix(s->c, d, whole, arena_printf(s->arena, "%s%s%s", left, between, right), "compute with integers");
    else if (whole.hi - whole.lo <= 60) {
        const char *x = source_text(s, a->span), *y = source_text(s, b->span);
        const Type *to = a->type->is_int ? b->type : a->type;
        if (to->kind == TY_FLOAT_LITERAL) to = s->f64;
        const char *text = a->type->is_int ? arena_printf(s->arena, "index(%s(%s)%s%s)", to->name, x, between, y)
                                           : arena_printf(s->arena, "index(%s%s%s(%s))", x, between, to->name, y);
        diag_fix(s->c, d, whole, text, "convert the result, which drops its fraction");
    }
    return true;
}

/* The fix loses as little as possible: an integer beside a float is converted to the float; of two integers one is
 * converted to a type that has the values of both, and the other is then converted implicitly. If there is no such
 * type, the narrower one is converted: `u64(a) * b`, since `a * i32(b)` would drop bits. */
static Type *mixed(Sema *s, Expr *a, Expr *b, Span at, const char *what) {
    Type *ta = a->type, *tb = b->type;
    Diag *d = diag(s->c, E0305, at, "%s mixes %s and %s", what, quoted_type(s, ta), quoted_type(s, tb));
    bool a_is_float = ta->is_float || ta->kind == TY_FLOAT_LITERAL;
    bool b_is_float = tb->is_float || tb->kind == TY_FLOAT_LITERAL;
    if (a_is_float != b_is_float && fix_in_index(s, d, a, b)) return s->error;
    bool to_a =
        !type_is_literal(ta) && !type_is_literal(tb) ? ta->is_float || !tb->is_float : a_is_float || !b_is_float;
    Type *both = holds_both(s, ta, tb);
    if (!both && narrows(to_a ? tb : ta, to_a ? ta : tb)) to_a = !to_a;
    Expr *moved = to_a ? b : a;
    Type *to = to_a ? ta : tb;
    if (to->kind == TY_FLOAT_LITERAL) to = s->f64;
    if (both) to = both;
    if (can_convert(moved->type, to) && type_is_number(moved->type)) fix_convert(s, d, moved, to);
    return s->error;
}

/* A float literal is an f64 unless the other operand is an f32; so beside an integer all of whose values an f64 has,
 * it is an f64. */
static bool meets_in_f64(Sema *s, const Type *literal, const Type *other) {
    return literal->kind == TY_FLOAT_LITERAL && other->is_int && type_widens(other, s->f64);
}

/* One type for two operands: the one both widen to. `what` names the operation: "`+`", "the two branches". */
Type *unify(Sema *s, Expr **a, Expr **b, Span at, const char *what) {
    Type *ta = (*a)->type, *tb = (*b)->type;
    if (is_bad(ta) || is_bad(tb)) return s->error;
    if (ta == tb) return ta;
    Type *to = NULL;
    bool la = type_is_literal(ta), lb = type_is_literal(tb);
    if (la && lb) to = s->float_literal;
    else if (la) to = literal_can_be(ta, tb) ? tb : NULL;
    else if (lb) to = literal_can_be(tb, ta) ? ta : NULL;
    else if (ta->kind == TY_INDEX && type_widens(tb, ta)) to = ta;
    else if (type_widens(ta, tb)) to = tb;
    else if (type_widens(tb, ta)) to = ta;
    if (!to && (meets_in_f64(s, ta, tb) || meets_in_f64(s, tb, ta))) to = s->f64;
    if (!to) return mixed(s, *a, *b, at, what);
    bool ok = coerce(s, a, to, NULL);
    ok = coerce(s, b, to, NULL) && ok;
    return ok ? to : s->error;
}

bool check_as_index(Sema *s, Expr **slot, const char *what) {
    const Expr *outer = s->at_index;
    s->at_index = *slot;
    check_scalar(s, slot);
    s->at_index = outer;
    return to_index(s, slot, what);
}

/* Indices and extents: any integer is taken. */
bool to_index(Sema *s, Expr **slot, const char *what) {
    Expr *e = *slot;
    if (is_bad(e->type)) return false;
    if (e->type->kind == TY_INT_LITERAL) return coerce(s, slot, s->index, NULL);
    if (e->type->is_int) {
        *slot = convert_new(s, e, s->index);
        return true;
    }
    Diag *d = diag(s->c, E0317, e->span, "%s must be an integer, but this is %s", what, quoted_type(s, e->type));
    const char *whole = e->type->is_float || e->type->kind == TY_FLOAT_LITERAL ? as_integer(s, e) : NULL;
    if (whole && e->span.hi - e->span.lo <= 60) diag_fix(s->c, d, e->span, whole, "compute with integers");
    else if (e->type->is_float) fix_convert(s, d, e, s->index);
    bad(s, e);
    return false;
}
