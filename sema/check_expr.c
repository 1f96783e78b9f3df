/* check_expr.c -- type checking of expressions, from the leaves to the root. Each function sets `type` (TY_ERROR after
 * it has reported an error) and, where the value is known, `konst`. Literals stay untyped until their context has a
 * type for them (coerce.c). */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

static Type *check_int(Sema *s, Expr *e) {
    if (e->int_.too_big) return bad(s, e); /* the lexer has said so */
    uint64_t value = e->int_.value;
    e->konst = const_int((int64_t)value);
    e->type = s->int_literal;
    if (e->int_.suffix) {
        Type *to = type_find(s->types, e->int_.suffix);
        Type *from = value > INT64_MAX ? s->u64 : s->int_literal;
        if (!to || !to->is_int) return bad(s, e);
        if (!const_fits(e->konst, from, to)) {
            diag(s->c, E0309, e->span, "%llu does not fit in `%s`", (unsigned long long)value, to->name);
            return bad(s, e);
        }
        e->type = to;
    } else if (value > INT64_MAX) {
        e->type = s->u64; /* the only type that has it */
    }
    return e->type;
}

static Type *check_float(Sema *s, Expr *e) {
    e->konst = const_float(e->float_.value);
    e->type = s->float_literal;
    if (!e->float_.suffix) return e->type;
    Type *to = type_find(s->types, e->float_.suffix);
    if (!to || !to->is_float) return bad(s, e);
    retype(s, e, to);
    return e->type;
}

static Type *unknown_name(Sema *s, Expr *e) {
    Name name = e->name.name;
    if (name == s->inside && s->func) {
        needs_groups(s, e->span, "`inside`");
        return bad(s, e);
    }
    if (type_find(s->types, name) || builtin_find(s, name)) {
        Diag *d = diag(s->c, E0312, e->span, "`%s` is %s, not a value", name,
                       type_find(s->types, name) ? "a type" : "a function");
        BuiltinId id = builtin_find(s, name);
        if (id) diag_note(s->c, d, e->span, "call it: `%s(%s)`", name, builtin_rows[id].n_args ? "..." : "");
        else diag_note(s->c, d, e->span, "write `%s(...)` to convert to it, or `[%s(0); n]` for an array",
                       name, name);
        return bad(s, e);
    }
    if (holes_may_declare(s, name)) return bad(s, e);
    Diag *d = diag(s->c, E0301, e->span, "`%s` is not declared", name);
    explain_unknown(s, d, e->span, name, NULL);
    return bad(s, e);
}

static Type *check_name(Sema *s, Expr *e) {
    Symbol *sym = scope_find(s, e->name.name);
    if (!sym) return unknown_name(s, e);
    e->name.sym = sym;
    sym->used = true;
    if (kept_facts(sym)->gone) session_gone(s, e);
    if (sym->kind == SYM_CONST && !sym->type) check_const_item(s, sym->item);
    if (sym->kind == SYM_STRUCT || sym->kind == SYM_TYPE) {
        Diag *d = diag(s->c, E0312, e->span, "`%s` is %s, not a value", sym->name, symbol_what(sym));
        diag_note(s->c, d, e->span, "construct a value: `%s(...)`", sym->name);
        return bad(s, e);
    }
    if (sym->kind == SYM_MODULE) {
        if (!sym->item->import.module) return bad(s, e);
        Diag *d = diag(s->c, E0805, e->span, "`%s` is a module, not a value", sym->name);
        diag_note(s->c, d, e->span, "use a name of the module: `%s.name`", sym->name);
        return bad(s, e);
    }
    if (sym->kind == SYM_FN) {
        if (sym->type && is_bad(sym->type)) return bad(s, e);
        bool kernel = sym->func && sym->func->is_kernel;
        Diag *d = diag(s->c, E0312, e->span, "`%s` is %s, not a value", sym->name, symbol_what(sym));
        diag_note(s->c, d, e->span, kernel ? "launch it: `offload %s(...)`" : "call it: `%s(...)`", sym->name);
        return bad(s, e);
    }
    e->name.sym = sym = const_array_local(s, sym, e->name.name);
    e->type = sym->type ? sym->type : s->error;
    e->konst = sym->konst;
    if (e->type->kind == TY_STR && sym->kind == SYM_CONST) effect_add(s, EFFECT_STR, e->span, "uses text");
    return e->type;
}

/* Operators -------------------------------------------------------------------------------------------------- */

/* As a number, a bool is 0 or 1: in the type of the other operand, unless that is a bool or a literal. Floats are made
 * of integers. */
static const char *as_number(Sema *s, Expr *x, const Expr *other) {
    const char *text = source_text(s, x->span);
    const Type *t = other->type == s->float_literal ? s->f64 : other->type;
    if (x->type->kind != TY_BOOL) return text;
    if (t == s->int_literal || t->kind == TY_BOOL) t = s->i32;
    bool has_brackets = text[0] == '(' && text[strlen(text) - 1] == ')';
    const char *type = type_name(s->c, t->is_float ? s->i32 : t);
    const char *integer = arena_printf(s->arena, has_brackets ? "%s%s" : "%s(%s)", type, text);
    return t->is_float ? arena_printf(s->arena, "%s(%s)", type_name(s->c, t), integer) : integer;
}

static void fix_bools(Sema *s, Diag *d, Expr *e) {
    Expr *l = e->binary.lhs, *r = e->binary.rhs;
    bool are_numbers = (l->type->kind == TY_BOOL || type_is_number(l->type)) &&
                       (r->type->kind == TY_BOOL || type_is_number(r->type));
    bool is_of_types = s->func && s->func->facts->instance; /* where a parameter stands for bool */
    if (!are_numbers || is_of_types) return;
    const char *op = op_info[e->binary.op].spelling;
    diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s %s %s", as_number(s, l, r), op, as_number(s, r, l)),
             "convert the bool, of which `true` becomes 1");
}

static Type *wrong_operator(Sema *s, Expr *e, Span at, const char *op, const Type *t) {
    Diag *d = diag(s->c, E0306, at, "`%s` cannot be applied to %s", op, quoted_type(s, t));
    bool formats = op[0] == '%' && !op[1] && t->kind == TY_STR && e->kind == EXPR_BINARY;
    if (formats && e->binary.lhs->kind == EXPR_STR)
        diag_fix(s->c, d, e->span,
                 arena_printf(s->arena, "format(%s, %s)", format_without_percents(s, e->binary.lhs->span),
                              source_text(s, e->binary.rhs->span)),
                 "use `format`");
    if (type_is_parts(t))
        diag_note(s->c, d, at, t->is_handle ? "pointers of C can only be compared, with `==` and `!=`"
                               : t->kind == TY_STRUCT ? "use its fields" : "use its components, as in `v.x`");
    if (t->kind == TY_STRUCT && e->kind == EXPR_BINARY) fix_compared(s, d, e);
    if (t->kind == TY_STR && op[0] == '+' && !(e->kind == EXPR_BINARY && fix_joined(s, d, e)))
        diag_note(s->c, d, at, "join texts with `format(\"{}{}\", a, b)`");
    if (t->kind == TY_BOOL && e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_ARITH) fix_bools(s, d, e);
    if (t->is_float && op[0] == '^' && e->kind == EXPR_BINARY) explain_float_power(s, d, e);
    if (t->is_int && (!strcmp(op, "&&") || !strcmp(op, "||")))
        diag_note(s->c, d, at, "a condition must be a bool, as in `n != 0`; use `&` and `|` for bits");
    return bad(s, e);
}

static bool op_suits(Op op, const Type *t) {
    if (t->kind == TY_VECTOR && op_info[op].kind != OPK_COMPARE) t = t->elem; /* which is no bool */
    switch (op_info[op].kind) {
    case OPK_ARITH: return type_is_number(t);
    case OPK_BITS: return t->is_int || (t->kind == TY_BOOL && op != OP_BIT_NOT);
    case OPK_SHIFT:
    case OPK_ROTATE: return t->is_int;
    case OPK_COMPARE: return type_is_number(t) || (t->kind == TY_BOOL && (op == OP_EQ || op == OP_NE));
    case OPK_LOGIC: return t->kind == TY_BOOL;
    }
    return false;
}

static Type *check_not(Sema *s, Expr *e, Type *t) {
    if (t->kind == TY_BOOL) return e->type = t;
    Diag *d = diag(s->c, E0306, e->span, "`!` needs a bool, but this is %s", quoted_type(s, t));
    const char *text = source_text(s, e->unary.operand->span);
    if (t->is_int) diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s == 0", text),
                            "compare with zero (or use `~` to invert bits)");
    return bad(s, e);
}

/* -128i8: the number after the sign is not in the range of its type, but the negated number is. */
static bool is_lowest(Sema *s, Expr *e, Expr *x) {
    if (x->kind != EXPR_INT || x->int_.too_big) return false;
    Type *t = x->int_.suffix ? type_find(s->types, x->int_.suffix) : s->int_literal;
    if (!t || !t->is_int || !t->is_signed || x->int_.value != UINT64_C(1) << (t->bits - 1)) return false;
    x->type = e->type = t;
    x->konst = e->konst = const_int((int64_t)(~UINT64_C(0) << (t->bits - 1)));
    return true;
}

static Type *check_unary(Sema *s, Expr *e) {
    if (e->unary.op == OP_NEG && is_lowest(s, e, e->unary.operand)) return e->type;
    Type *t = check_scalar(s, &e->unary.operand);
    if (is_bad(t)) return bad(s, e);
    if (e->unary.op == OP_NOT && t->kind != TY_BOOL) return check_not(s, e, t);
    if (!op_suits(e->unary.op, t)) return wrong_operator(s, e, e->unary.op_span, op_info[e->unary.op].spelling, t);
    e->type = t;
    fold_unary(s, e);
    return e->type;
}

/* Shifts and rotations. */
static Type *check_shift(Sema *s, Expr *e) {
    Type *l = e->binary.lhs->type, *r = e->binary.rhs->type;
    const char *op = op_info[e->binary.op].spelling;
    if (!l->is_int) return wrong_operator(s, e, e->binary.op_span, op, l);
    if (!r->is_int) return wrong_operator(s, e, e->binary.op_span, op, r);
    bool both_known = e->binary.lhs->konst.kind != CONST_NONE && e->binary.rhs->konst.kind != CONST_NONE;
    bool has_width = op_info[e->binary.op].kind == OPK_ROTATE; /* which the value depends on */
    if (type_is_literal(l) && (has_width || !both_known)) l = settle(s, &e->binary.lhs);
    if (type_is_literal(r) && !type_is_literal(l)) r = settle(s, &e->binary.rhs);
    e->type = is_bad(l) || is_bad(r) ? s->error : l;
    fold_binary(s, e);
    return e->type;
}

/* Both operands are untyped: fold exactly, then they get their default types. */
static void settle_compared(Sema *s, Expr *e) {
    Type *t = e->binary.lhs->type;
    if (!type_is_literal(t)) return;
    bool wide = t->kind == TY_INT_LITERAL &&
                ((e->binary.lhs->konst.kind == CONST_INT && !const_fits(e->binary.lhs->konst, t, s->i32)) ||
                 (e->binary.rhs->konst.kind == CONST_INT && !const_fits(e->binary.rhs->konst, t, s->i32)));
    Type *to = t->is_float ? s->f64 : wide ? s->i64 : s->i32;
    retype(s, e->binary.lhs, to);
    retype(s, e->binary.rhs, to);
}

/* Two texts are equal when their bytes are. */
static Type *check_same_text(Sema *s, Expr *e) {
    Const a = e->binary.lhs->konst, b = e->binary.rhs->konst;
    if (a.kind == CONST_STR && b.kind == CONST_STR) {
        bool same = a.s.n == b.s.n && !memcmp(a.s.at, b.s.at, a.s.n);
        e->konst = const_bool(same == (e->binary.op == OP_EQ));
    }
    effect_add(s, EFFECT_STR, e->span, "compares texts");
    return e->type = s->boolean;
}

static Type *check_binary(Sema *s, Expr *e) {
    Op op = e->binary.op;
    Type *l = check_scalar(s, &e->binary.lhs), *r = check_scalar(s, &e->binary.rhs);
    const char *spelling = op_info[op].spelling;
    const Type *power = is_bad(l) ? float_power(e) : NULL;
    if (power) return wrong_operator(s, e, e->binary.op_span, spelling, power);
    if (is_bad(l) || is_bad(r)) return bad(s, e);
    if (l->kind == TY_VECTOR || r->kind == TY_VECTOR) {
        if (l->kind == TY_VECTOR && !check_divisor(s, op, l->elem, e->binary.rhs)) return bad(s, e);
        broadcast(s, &e->binary.lhs, r);
        broadcast(s, &e->binary.rhs, l);
        l = e->binary.lhs->type;
        r = e->binary.rhs->type;
        if (is_bad(l) || is_bad(r)) return bad(s, e);
    } else if (op_counts(op)) {
        return check_shift(s, e);
    }
    if (l->kind == TY_STR && r->kind == TY_STR && (op == OP_EQ || op == OP_NE)) return check_same_text(s, e);
    if (l->is_handle && r == l && (op == OP_EQ || op == OP_NE)) {
        effect_add(s, EFFECT_EXTERN, e->span, "compares pointers of C");
        return e->type = s->boolean;
    }
    if (!op_suits(op, l)) return wrong_operator(s, e, e->binary.op_span, spelling, l);
    if (!op_suits(op, r)) return wrong_operator(s, e, e->binary.op_span, spelling, r);
    const char *what = arena_printf(s->arena, "`%s`", spelling);
    Type *t = unify(s, &e->binary.lhs, &e->binary.rhs, e->binary.op_span, what);
    if (is_bad(t)) return bad(s, e);
    e->type = op_info[op].kind == OPK_COMPARE ? s->boolean : t;
    fold_binary(s, e);
    if (op_info[op].kind == OPK_COMPARE) settle_compared(s, e);
    return e->type;
}

/* Places ----------------------------------------------------------------------------------------------------- */

Type *check_array_name(Sema *s, Expr *e, const char *what) {
    if (e->kind == EXPR_ERROR) return bad(s, e);
    if (e->kind != EXPR_NAME) {
        Type *t = check_expr(s, &e);
        if (is_bad(t) || expr_fixed_field(e)) return t;
        if (e->kind == EXPR_NAME && t->kind == TY_ARRAY) return t; /* g.u: a name now */
        Diag *d = NULL;
        if (t->kind == TY_ARRAY) {
            d = diag(s->c, E0411, e->span, "this array has no name, so it could not be freed after %s", what);
            diag_note(s->c, d, e->span, "give it a name first: `let a = %s;`", source_text(s, e->span));
        } else if (what[0] == 'i') {
            diag(s->c, E0316, e->span, "only arrays can be indexed, but this is %s", quoted_type(s, t));
        } else {
            diag(s->c, E0325, e->span, "%s needs an array, but this is %s", what, quoted_type(s, t));
        }
        return bad(s, e);
    }
    Type *t = check_name(s, e);
    if (is_bad(t) || t->kind == TY_ARRAY) return t;
    Diag *d = diag(s->c, what[0] == 'i' ? E0316 : E0325, e->span, "`%s` is `%s`, not an array", e->name.name,
                   type_name(s->c, t));
    note_declared(s, d, e->name.sym);
    if (what[0] == 'i' && t->kind == TY_VECTOR)
        diag_note(s->c, d, e->span,
                  t->width > 4 ? "the components of a vector are `%s.s0` to `%s.s%d`"
                               : "the components of a vector are `%s.x` to `%s.%c`",
                  e->name.name, e->name.name, t->width > 4 ? t->width - 1 : "xyzw"[t->width - 1]);
    return bad(s, e);
}

/* The result of a call that is only read here needs no variable: args()[0], len(args()). */
Type *check_measured(Sema *s, Expr *e, const char *what) {
    if (e->kind == EXPR_CALL) {
        Type *t = check_expr(s, &e);
        if (t->kind == TY_ARRAY) return t;
    }
    return check_array_name(s, e, what);
}

static bool check_indices(Sema *s, Expr *e) {
    bool ok = true;
    for (int i = 0; i < e->index.at.n; i++) ok = check_as_index(s, &e->index.at.at[i], "an index") && ok;
    return ok;
}

/* x[len(x)], which is the last element where indices begin at 1. */
static bool past_last(Sema *s, const Expr *e) {
    Expr *at = expr_strip(e->index.at.at[0]);
    const CallInfo *info = at->kind == EXPR_CALL ? at->call.info : NULL;
    if (e->index.at.n != 1 || !info || info->kind != CALL_BUILTIN || info->builtin != BUILTIN_LEN) return false;
    const Expr *of = at->call.args.at[0].value, *base = e->index.base;
    if (of->kind != EXPR_NAME || base->kind != EXPR_NAME || of->name.sym != base->name.sym) return false;
    Diag *d = diag(s->c, E0610, at->span, "index `%s` is out of bounds: the first index is 0",
                   source_text(s, at->span));
    fix_insert(s, d, at->span.hi, " - 1", "the last element");
    return true;
}

static Type *check_index(Sema *s, Expr *e) {
    if (expr_is_slice(e)) return slice_as_value(s, e);
    Expr *base = e->index.base;
    if (indices_apart(s, e)) return e->type;
    Type *array = check_measured(s, base, "indexing");
    bool ok = check_indices(s, e);
    if (is_bad(array) || !ok) return bad(s, e);
    if (e->index.at.n != array->rank) {
        const char *name = source_text(s, base->span);
        Diag *d = diag(s->c, E0316, e->span, "`%s` has %d dimension%s, but is indexed with %d ind%s", name, array->rank,
                       array->rank == 1 ? "" : "s", e->index.at.n, e->index.at.n == 1 ? "ex" : "ices");
        static const char *const all[] = {"i", "i, j", "i, j, k", "i, j, k, l"};
        if (e->index.at.n < array->rank)
            diag_note(s->c, d, e->span, "write all indices in one pair of brackets: `%s[%s]`", name,
                      all[array->rank - 1]);
        if (base->kind == EXPR_NAME) note_declared(s, d, base->name.sym);
        return bad(s, e);
    }
    if (past_last(s, e)) return bad(s, e);
    fixed_index(s, e);
    if (s->facts && (base->kind == EXPR_NAME || expr_fixed_field(base)))
        for (int i = 0; i < e->index.at.n; i++)
            if (e->index.at.at[i]->konst.kind == CONST_INT) {
                vec_push(s->arena, &s->facts->indexed, e);
                break;
            }
    return const_array_index(s, e) || s->facts ? e->type = array->elem : bad(s, e);
}

static Type *check_field(Sema *s, Expr *e) {
    if (module_member(s, e)) return e->kind == EXPR_NAME ? check_name(s, e) : bad(s, e);
    Type *t = check_expr(s, &e->field.base);
    Expr *base = e->field.base;
    if (is_bad(t)) return bad(s, e);
    if (base->kind == EXPR_NAME && base->name.sym->kind == SYM_DOMAIN) return check_group_field(s, e);
    if (t->kind == TY_STRUCT) return check_struct_field(s, e, t);
    if (t->kind == TY_VECTOR) return check_vector_part(s, e, t);
    Diag *d = diag(s->c, E0318, e->field.name_span, "%s has no field `%s`", quoted_type(s, t), e->field.name);
    if (t->kind == TY_ARRAY) explain_array_member(s, d, e, e->span);
    else fix_dotted(s, d, e);
    return bad(s, e);
}

static Type *check_if(Sema *s, Expr *e) {
    check_condition(s, &e->if_.cond);
    Type *a = check_expr(s, &e->if_.then_), *b = check_expr(s, &e->if_.else_);
    if (is_bad(a) || is_bad(b)) return bad(s, e);
    if (a->kind == TY_ARRAY || b->kind == TY_ARRAY) {
        Diag *d = diag(s->c, E0411, e->span, "an `if` expression can only choose between values, not whole arrays");
        diag_note(s->c, d, e->span, "use an `if` statement that assigns a `var`");
        return bad(s, e);
    }
    if (is_bad(check_scalar(s, &e->if_.then_)) || is_bad(check_scalar(s, &e->if_.else_))) return bad(s, e);
    Type *t = unify(s, &e->if_.then_, &e->if_.else_, e->span, "this `if`");
    if (is_bad(t)) return bad(s, e);
    e->type = t;
    Const cond = e->if_.cond->konst;
    if (cond.kind == CONST_BOOL) {
        const Expr *chosen = cond.i ? e->if_.then_ : e->if_.else_, *other = cond.i ? e->if_.else_ : e->if_.then_;
        if (other->konst.kind != CONST_NONE) e->konst = chosen->konst;
    }
    return t;
}

static Type *check_str(Sema *s, Expr *e) {
    e->konst = (Const){.kind = CONST_STR, .s = {e->str.at, e->str.n}};
    effect_add(s, EFFECT_STR, e->span, "uses text");
    return e->type = s->str;
}

Type *check_expr(Sema *s, Expr **slot) {
    Expr *e = *slot;
    if (e->type) return e->type; /* checked already, by a look-ahead of the caller */
    switch (e->kind) {
    case EXPR_ERROR: return bad(s, e);
    case EXPR_INT: return check_int(s, e);
    case EXPR_FLOAT: return check_float(s, e);
    case EXPR_BOOL: e->konst = const_bool(e->bool_.value); return e->type = s->boolean;
    case EXPR_STR: return check_str(s, e);
    case EXPR_NAME: return check_name(s, e);
    case EXPR_UNARY: return check_unary(s, e);
    case EXPR_BINARY: return check_binary(s, e);
    case EXPR_CALL: return check_call(s, e);
    case EXPR_INDEX: return check_index(s, e);
    case EXPR_FIELD: return check_field(s, e);
    case EXPR_IF: return check_if(s, e);
    case EXPR_FILL:
    case EXPR_COMPREHEND:
    case EXPR_LIST: return check_array_literal(s, e, NULL);
    case EXPR_RANGE: return bad(s, e); /* the grammar has them in indices only: slice.c */
    case EXPR_OFFLOAD: return check_offload(s, e);
    case EXPR_ATOMIC: return check_atomic(s, e);
    case EXPR_CONVERT:
    case EXPR__COUNT: return e->type;
    }
    return bad(s, e);
}

static bool has_value(const Stmt *st) {
    if (st->kind == STMT_RETURN && st->return_.value) return true;
    Children all = stmt_children(st);
    while (child_expr(&all)) continue;
    for (Stmt *x; (x = child_stmt(&all));)
        if (has_value(x)) return true;
    return false;
}

/* A call of a function that returns a value, but is declared without a result (E0313). */
static bool returns_value(const Expr *e) {
    const CallInfo *info = e->kind == EXPR_CALL ? e->call.info : NULL;
    const Func *f = info && info->kind == CALL_FUNC ? info->func : NULL;
    const Block *body = f && !f->is_kernel && f->item ? f->item->fn.body : NULL;
    for (int i = 0; body && i < body->stmts.n; i++)
        if (has_value(body->stmts.at[i])) return true;
    return false;
}

Type *check_scalar(Sema *s, Expr **slot) {
    Type *t = check_expr(s, slot);
    Expr *e = *slot;
    if (t->kind == TY_VOID && returns_value(e)) return bad(s, e); /* that is reported in the function */
    if (t->kind == TY_VOID) {
        Diag *d = diag(s->c, E0323, e->span, "this call has no result");
        diag_note(s->c, d, e->span,
                  e->kind == EXPR_OFFLOAD ? "declare how a kernel combines the values of its work items: `-> sum f32`"
                                          : "declare the result type of the function: `-> f32`");
        return bad(s, e);
    }
    if (type_owns(t)) return own_as_value(s, e);
    if (t->kind != TY_ARRAY) return t;
    Diag *d = diag(s->c, E0325, e->span, "expected a single value, but this is a whole array `%s`", type_name(s->c, t));
    if (e->kind == EXPR_NAME)
        diag_note(s->c, d, e->span,
                  t->rank == 1 ? "use an element, `%s[%s]`, or compute an array: `[2.0 * %s[i] for i in len(%s)]`"
                               : "use an element: `%s[%s]`",
                  e->name.name, (const char *[]){"", "i", "i, j", "i, j, k", "i, j, k, l"}[t->rank], e->name.name,
                  e->name.name);
    return bad(s, e);
}

/* `let p: Pair<f32, i32> = Pair(a: 1, b: 2);` */
void expect(Expr *e, Type *want) {
    if (e->kind == EXPR_CALL && !e->type) e->call.wanted = want;
}

bool check_value(Sema *s, Expr **slot, Type *want, const char *why) {
    expect(*slot, want);
    check_scalar(s, slot);
    return coerce(s, slot, want, why);
}

void check_condition(Sema *s, Expr **slot) {
    Type *t = check_scalar(s, slot);
    Expr *e = *slot;
    if (is_bad(t) || t->kind == TY_BOOL) return;
    Diag *d = diag(s->c, E0308, e->span, "a condition must be a bool, but this is %s", quoted_type(s, t));
    if (type_is_number(t)) {
        bool simple = e->kind == EXPR_NAME || e->kind == EXPR_INDEX || e->kind == EXPR_CALL || e->kind == EXPR_INT ||
                      e->kind == EXPR_FLOAT;
        const char *text = source_text(s, e->span), *zero = t->is_float ? "0.0" : "0";
        diag_fix(s->c, d, e->span, arena_printf(s->arena, simple ? "%s != %s" : "(%s) != %s", text, zero),
                 "compare it");
    }
    bad(s, e);
}
