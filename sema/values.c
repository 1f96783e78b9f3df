/* values.c -- value range analysis: a walk through a kernel or device function in the order of execution, with the
 * value of each integer as an affine sum over atoms (affine.h), and with facts from ranges, conditions and earlier
 * checks. Each element access is decided in access.c; checks of divisors, shift amounts, steps and shapes are decided
 * here.
 *
 * Three rules make it sound. An expression gets a sum only if the arithmetic is proved not to wrap. A variable that is
 * assigned gets a fresh atom where paths join: atoms never change. A fact holds from where it is learnt to the end of
 * the block, and is dropped with the block. */
#include <string.h>

#include "parser/children.h"
#include "sema/access.h"
#include "sema/check.h"

enum { MAX_TEXT = 40, MAX_ASSERT_VALUES = 8 };

/* Values -------------------------------------------------------------------------------------------------------- */

const char *source_brief(Sema *s, Span span) {
    const char *text = source_text(s, span);
    return strlen(text) > MAX_TEXT || strchr(text, '\n') ? arena_printf(s->arena, "%.*s...", 20, text) : text;
}

const char *walk_text(Walk *w, Span span) { return source_brief(w->s, span); }

static Form fresh(Walk *w, AtomKind kind, const Type *t, const char *text) {
    if (!type_is_integer(t)) return form_const(0);
    return form_atom(&w->a, (Atom){.kind = kind, .lo = type_least(t), .hi = type_most(t), .text = text});
}

Form walk_unknown(Walk *w, AtomKind kind, const Expr *e) {
    return type_is_integer(e->type) ? fresh(w, kind, e->type, walk_text(w, e->span)) : form_const(0);
}

/* The sum, if the arithmetic of the program is proved not to wrap; else a fresh atom. */
static Form exact(Walk *w, bool in_reach, const Form *sum, const Type *t, Span span) {
    w->exact = in_reach && affine_within(&w->a, sum, type_least(t), type_most(t));
    if (w->exact) return *sum;
    return form_atom(&w->a, (Atom){.kind = ATOM_WRAPS, .lo = type_least(t), .hi = type_most(t),
                                   .text = walk_text(w, span), .is_sum = in_reach,
                                   .either = {in_reach ? *sum : form_const(0)}});
}

static bool has_slot(Walk *w, const Symbol *sym) {
    return sym && sym->id >= 0 && sym->id < w->n && type_is_integer(sym->type) && sym->mode == REF_NONE;
}

void walk_set(Walk *w, const Symbol *sym, const Form *f) {
    if (!has_slot(w, sym)) return;
    w->now[sym->id] = *f;
    w->known[sym->id] = true;
}

static void forget(Walk *w, const Symbol *sym) {
    if (sym && sym->kind != SYM_LOCAL) return; /* parameters and sizes stay what they are */
    if (!has_slot(w, sym)) return;
    Form f = fresh(w, ATOM_CHANGES, sym->type, sym->name);
    walk_set(w, sym, &f);
}

/* Does the statement at hand change it by a call? Then each use in it may be of another value. */
static bool is_unsettled(const Walk *w, const Symbol *sym) {
    for (int i = 0; i < w->unsettled.n; i++)
        if (w->unsettled.at[i] == sym) return true;
    return false;
}

Form walk_symbol(Walk *w, const Symbol *sym, const Expr *e) {
    if (!has_slot(w, sym) || is_unsettled(w, sym)) return walk_unknown(w, ATOM_CHANGES, e);
    if (!w->known[sym->id]) return fresh(w, ATOM_NAMED, sym->type, sym->name);
    return w->now[sym->id];
}

/* Drops what is known of each variable that a statement may assign. */
static bool forget_passed(Expr *e, void *context) {
    if (e->kind != EXPR_CALL) return false;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        bool writes = a->mode == REF_MUT || a->mode == REF_OUT;
        if (writes && a->value->kind == EXPR_NAME) forget(context, a->value->name.sym);
    }
    return false;
}

static void forget_stmt(Walk *w, const Stmt *st) {
    if (st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME) forget(w, st->assign.target->name.sym);
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));) expr_find(e, forget_passed, w);
    for (Stmt *s; (s = child_stmt(&all));) forget_stmt(w, s);
}

static void forget_block(Walk *w, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) forget_stmt(w, b->stmts.at[i]);
}

/* Arithmetic ---------------------------------------------------------------------------------------------------- */

static bool at_least(Walk *w, const Form *f, int64_t least) {
    Form k = form_const(least);
    return affine_at_least(&w->a, f, &k);
}

static bool is_small(const Form *f, Wide most) { return form_is_const(f) && f->c >= 0 && f->c <= most; }

/* a / by, rounded down, for a >= 0 and by > 0: by * q <= a <= by * q + by - 1 */
static Form quotient(Walk *w, const Form *a, const Form *by, const Type *t, Span span) {
    Form q = fresh(w, ATOM_COMPUTED, t, walk_text(w, span)), rest;
    if (!at_least(w, a, 0) || !at_least(w, by, 1)) return q;
    affine_limit(&w->a, &q, 0, affine_interval(&w->a, a).hi / wide_most(affine_interval(&w->a, by).lo, 1));
    affine_learn_at_least(&w->a, a, &q, 0);
    if (!form_is_const(by) || by->c > INT32_MAX || !form_add(&rest, a, -(int64_t)by->c, &q)) return q;
    affine_learn(&w->a, &rest);
    Form most = form_const(by->c - 1);
    affine_learn_at_least(&w->a, &most, &rest, 0);
    return q;
}

/* Rounded towards 0. The range of any a bounds, for example, the number of the `(n + 15) / 16` blocks of n items, where
 * n + 15 may have wrapped: 16 times that cannot. */
static Form range_div(Walk *w, const Form *a, const Form *by, const Type *t, Span span) {
    Form q = quotient(w, a, by, t, span);
    Interval all = affine_interval(&w->a, a);
    Wide least = affine_interval(&w->a, by).lo;
    if (least > 0) affine_limit(&w->a, &q, wide_least(all.lo / least, 0), wide_most(all.hi / least, 0));
    w->exact = at_least(w, a, 0) && at_least(w, by, 1);
    return q;
}

/* The number of bits of a shift, as far as it is known; it has been checked. */
static Interval shift_amounts(Walk *w, const Form *by) {
    Interval r = affine_interval(&w->a, by);
    return (Interval){wide_most(r.lo, 0), wide_least(r.hi, 63)};
}

/* a / 2^by, also of what may be negative; `by` has been checked. */
static Form range_shr(Walk *w, const Form *a, const Form *by, const Type *t, Span span) {
    if (!form_is_const(by)) {
        Interval bits = shift_amounts(w, by), r = affine_interval(&w->a, a);
        Wide least = bits.lo <= bits.hi ? (Wide)1 << (int)bits.lo : 1;
        Form some = form_atom(&w->a, (Atom){.kind = ATOM_COMPUTED, .lo = least, .hi = (Wide)1 << 63, .text = "2^n"});
        Form q = quotient(w, a, &some, t, span);
        if (r.lo >= 0 && bits.lo <= bits.hi) affine_limit(&w->a, &q, r.lo >> (int)bits.hi, r.hi >> (int)bits.lo);
        return q;
    }
    if (!is_small(by, 63)) return fresh(w, ATOM_COMPUTED, t, walk_text(w, span));
    Form power = form_const((Wide)1 << (int)by->c);
    Interval r = affine_interval(&w->a, a);
    Form q = quotient(w, a, &power, t, span);
    affine_limit(&w->a, &q, r.lo >> (int)by->c, r.hi >> (int)by->c);
    return q;
}

static Form range_rem(Walk *w, const Form *a, const Form *by, const Type *t, Span span) {
    Form r = fresh(w, ATOM_COMPUTED, t, walk_text(w, span)), zero = form_const(0), low;
    if (!at_least(w, by, 1)) return r;
    Wide most = affine_interval(&w->a, by).hi - 1;
    affine_learn_at_least(&w->a, by, &r, 1);
    w->exact = at_least(w, a, 0);
    if (w->exact) {
        affine_limit(&w->a, &r, 0, most);
        affine_learn_at_least(&w->a, a, &r, 0);
    } else if (form_add(&low, &zero, -1, by)) {
        affine_limit(&w->a, &r, -most, most);
        affine_learn_at_least(&w->a, &r, &low, 1);
    }
    return r;
}

/* The least 2^k - 1 that is not less than either of two non-negative values. False: not found. */
static bool all_bits(Walk *w, const Form *a, const Form *b, Form *all) {
    enum { MOST_BITS = 32 };
    int few = 0, enough = MOST_BITS + 1;
    while (few + 1 < enough) { /* fewer are too few */
        int bits = (few + enough) / 2;
        Form try = form_const(((Wide)1 << bits) - 1);
        bool fits = affine_at_least(&w->a, &try, a) && affine_at_least(&w->a, &try, b);
        *(fits ? &enough : &few) = bits;
    }
    *all = form_const(((Wide)1 << enough) - 1);
    return enough <= MOST_BITS;
}

/* a & b, which is a + b - (a | b). */
static Form range_and(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form r = fresh(w, ATOM_COMPUTED, t, walk_text(w, span)), all, least;
    const Form *sides[2] = {a, b};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        if (!at_least(w, sides[i], 0)) continue;
        affine_limit(&w->a, &r, 0, affine_interval(&w->a, sides[i]).hi);
        affine_learn_at_least(&w->a, sides[i], &r, 0);
        n++;
    }
    if (n < 2 || form_is_const(a) || form_is_const(b) || !all_bits(w, a, b, &all)) return r;
    if (form_add(&least, a, 1, b) && form_add(&least, &least, -1, &all)) affine_learn_at_least(&w->a, &r, &least, 0);
    return r;
}

/* a | b, a ^ b: no bit higher than the highest of the two. */
static Form range_or(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form r = fresh(w, ATOM_COMPUTED, t, walk_text(w, span)), all;
    if (!at_least(w, a, 0) || !at_least(w, b, 0)) return r;
    affine_limit(&w->a, &r, 0, all_bits(w, a, b, &all) ? all.c : type_most(t));
    return r;
}

static Form range_xor(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    return range_or(w, a, b, t, span);
}

static Form range_add(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form sum;
    return exact(w, form_add(&sum, a, 1, b), &sum, t, span);
}

static Form range_sub(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form sum;
    return exact(w, form_add(&sum, a, -1, b), &sum, t, span);
}

static Form range_mul(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form sum, zero = form_const(0);
    if (!form_is_const(b)) {
        if (form_is_const(a)) return range_mul(w, b, a, t, span);
        return fresh(w, ATOM_COMPUTED, t, walk_text(w, span));
    }
    return exact(w, b->c == (int32_t)b->c && form_add(&sum, &zero, (int64_t)b->c, a), &sum, t, span);
}

static Form range_shl(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form sum, zero = form_const(0);
    if (!is_small(b, 30)) {
        Form r = fresh(w, ATOM_COMPUTED, t, walk_text(w, span));
        Interval x = affine_interval(&w->a, a), bits = shift_amounts(w, b);
        bool fits = x.lo >= 0 && bits.lo <= bits.hi && x.hi <= type_most(t) >> (int)bits.hi;
        if (fits) affine_limit(&w->a, &r, x.lo << (int)bits.lo, x.hi << (int)bits.hi);
        return r;
    }
    return exact(w, form_add(&sum, &zero, (int64_t)1 << (int)b->c, a), &sum, t, span);
}

static Form range_rol(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    (void)a, (void)b;
    return fresh(w, ATOM_COMPUTED, t, walk_text(w, span));
}

static Form (*const ranges[OP__COUNT])(Walk *w, const Form *a, const Form *b, const Type *t, Span span) = {
#define RANGE_LOGIC(f) NULL
#define RANGE_COMPARE(orders) NULL
#define RANGE_BITS(f) range_##f
#define RANGE_SHIFT(f) range_##f
#define RANGE_ROTATE(f) range_##f
#define RANGE_ARITH(f) range_##f
#define RANGE_DIVIDE(f) range_##f
#define RANGE_LOGIC_1(f) NULL
#define RANGE_BITS_1(f) NULL
#define RANGE_ARITH_1(f) NULL
#define OP(name, spelling, precedence, operation) [OP_##name] = RANGE_##operation,
#include "grammar/ops.def"
#undef OP
};

/* The value of an operation on integers; *exact: it is proved not to wrap. */
static Form computed(Walk *w, Op op, const Form *a, const Form *b, const Type *t, Span span, bool *exact) {
    w->exact = false;
    Form value = ranges[op](w, a, b, t, span);
    if (!w->quiet) *exact = w->exact;
    return value;
}

/* One of two values. */
static Form either_of(Walk *w, const Form *a, const Form *b, const Type *t, Span span) {
    Form r = form_atom(&w->a, (Atom){.kind = ATOM_COMPUTED, .lo = type_least(t), .hi = type_most(t),
                                     .text = walk_text(w, span), .is_either = true, .either = {*a, *b}});
    Interval x = affine_interval(&w->a, a), y = affine_interval(&w->a, b);
    affine_limit(&w->a, &r, wide_least(x.lo, y.lo), wide_most(x.hi, y.hi));
    return r;
}

/* The smaller (sign 1) or larger (-1) of two. */
static Form choose(Walk *w, const Form *a, const Form *b, int sign, const Type *t, Span span) {
    Form r = either_of(w, a, b, t, span);
    Interval x = affine_interval(&w->a, a), y = affine_interval(&w->a, b);
    if (sign > 0) affine_limit(&w->a, &r, type_least(t), wide_least(x.hi, y.hi));
    else affine_limit(&w->a, &r, wide_most(x.lo, y.lo), type_most(t));
    affine_learn_at_least(&w->a, sign > 0 ? a : &r, sign > 0 ? &r : a, 0);
    affine_learn_at_least(&w->a, sign > 0 ? b : &r, sign > 0 ? &r : b, 0);
    return r;
}

/* The check of a divisor or shift amount. After the check its condition is a fact. */
static void check_operand(Walk *w, Op op, const Form *b, const Type *t, Expr *rhs, Span span, int *site) {
    if (w->quiet || rhs->konst.kind != CONST_NONE) return;
    bool is_shift = op_info[op].kind == OPK_SHIFT, fine;
    Form least = form_const(is_shift ? 0 : 1);
    if (is_shift) fine = affine_within(&w->a, b, 0, t->bits - 1);
    else fine = at_least(w, b, 1) || affine_within(&w->a, b, type_least(t), -1);
    *site = -1;
    CheckKind kind = is_shift ? CHECK_SHIFT : CHECK_DIVIDE;
    walk_check(w, kind, span, rhs->span);
    if (fine) return;
    CheckSite at = {.kind = kind, .span = span, .bits = t->bits};
    at.text = walk_text(w, rhs->span);
    at.why = is_shift ? arena_printf(w->s->arena, "cannot prove that it is in 0 .. %d", t->bits - 1)
                      : "cannot prove that it is not 0";
    *site = walk_keep(w, at);
    if (is_shift || at_least(w, b, 0)) affine_learn_at_least(&w->a, b, &least, 0);
}

/* The components of a vector are checked at run time, unless they are constants. */
static void check_parts(Walk *w, Op op, const Type *t, Expr *rhs, Span span, int *site) {
    if (w->quiet || t->kind != TY_VECTOR || !type_is_integer(t->elem) || !op_info[op].can_fail) return;
    if (expr_strip(rhs)->konst.kind != CONST_NONE) return;
    bool is_shift = op_info[op].kind == OPK_SHIFT;
    CheckSite at = {.kind = is_shift ? CHECK_SHIFT : CHECK_DIVIDE, .span = span, .bits = t->elem->bits};
    at.text = walk_text(w, rhs->span);
    at.why = "the components of vectors are always checked at run time";
    walk_check(w, at.kind, span, rhs->span);
    *site = walk_keep(w, at);
}

static Form converted(Walk *w, const Form *f, const Type *from, const Expr *e) {
    if (!type_is_integer(e->type)) return form_const(0);
    if (!type_is_integer(from)) return walk_unknown(w, ATOM_COMPUTED, e);
    return exact(w, true, f, e->type, e->span);
}

/* Expressions --------------------------------------------------------------------------------------------------- */

static Form constant(const Expr *e) {
    if (e->konst.kind != CONST_INT || !type_is_integer(e->type)) return form_const(0);
    return form_const(e->type->is_signed ? (Wide)e->konst.i : (Wide)(uint64_t)e->konst.i);
}

static Form logic(Walk *w, Expr *e) {
    walk_expr(w, e->binary.lhs);
    int mark = w->a.facts.n;
    w->early = NULL;
    walk_learn(w, e->binary.lhs, e->binary.op == OP_AND);
    w->sometimes++;
    walk_expr(w, e->binary.rhs);
    w->sometimes--;
    w->a.facts.n = mark;
    return form_const(0);
}

static Form binary(Walk *w, Expr *e) {
    if (op_info[e->binary.op].kind == OPK_LOGIC) return w->quiet ? form_const(0) : logic(w, e);
    Form a = walk_expr(w, e->binary.lhs), b = walk_expr(w, e->binary.rhs);
    Op op = e->binary.op;
    check_parts(w, op, e->type, e->binary.rhs, e->binary.op_span, &e->binary.site);
    if (!type_is_integer(e->type) || op_info[op].kind == OPK_COMPARE) return form_const(0);
    if (op_info[op].can_fail)
        check_operand(w, op, &b, e->type, e->binary.rhs, e->binary.op_span, &e->binary.site);
    return computed(w, op, &a, &b, e->type, e->span, &e->binary.exact);
}

static Form unary(Walk *w, Expr *e) {
    Form x = walk_expr(w, e->unary.operand), zero = form_const(0), sum;
    if (!type_is_integer(e->type)) return zero;
    if (e->unary.op != OP_NEG) return walk_unknown(w, ATOM_COMPUTED, e);
    return exact(w, form_add(&sum, &zero, -1, &x), &sum, e->type, e->span);
}

static Form if_expr(Walk *w, Expr *e) {
    if (w->quiet) return walk_unknown(w, ATOM_COMPUTED, e);
    walk_expr(w, e->if_.cond);
    w->early = NULL;
    Form v[2];
    w->sometimes++;
    for (int i = 0; i < 2; i++) {
        int mark = w->a.facts.n;
        walk_learn(w, e->if_.cond, i == 0);
        v[i] = walk_expr(w, i ? e->if_.else_ : e->if_.then_);
        w->a.facts.n = mark;
    }
    w->sometimes--;
    if (!type_is_integer(e->type)) return form_const(0);
    return either_of(w, &v[0], &v[1], e->type, e->span);
}

static Form atomic(Walk *w, Expr *e) {
    walk_expr(w, e->atomic.value);
    if (e->atomic.was) walk_expr(w, e->atomic.was);
    int mark = w->a.facts.n;
    Expr *whole = expr_whole(e->atomic.target); /* h[i] of h[i].n */
    if (whole->kind == EXPR_INDEX) walk_index(w, whole, true, true, true);
    w->a.facts.n = mark;
    return walk_unknown(w, ATOM_LOADED, e);
}

/* Calls --------------------------------------------------------------------------------------------------------- */

static Form passed(Walk *w, const Arg *a) {
    bool writes = a->mode == REF_MUT || a->mode == REF_OUT;
    if (a->mode == REF_NONE) return walk_expr(w, a->value);
    if (a->value->kind == EXPR_INDEX) walk_index(w, a->value, a->mode != REF_OUT, writes, false);
    else if (a->value->kind == EXPR_NAME && writes) forget(w, a->value->name.sym);
    else if (a->value->kind == EXPR_FIELD) walk_expr(w, a->value); /* x[i].w: the check of i */
    return form_const(0);
}

static void keep_shapes(Walk *w, Expr *e) {
    CallInfo *info = e->call.info;
    for (int i = 0; i < info->checks.n; i++) {
        walk_check(w, CHECK_SHAPE, e->span, e->span);
        CheckSite at = {.kind = CHECK_SHAPE, .span = e->span, .call = info, .shape = i};
        at.text = walk_text(w, e->span);
        at.why = "the extents are only known at run time";
        info->checks.at[i].site = walk_keep(w, at);
    }
}

static Form extremum(Walk *w, Expr *e, BuiltinId id) {
    Form v[3];
    for (int i = 0; i < e->call.args.n && i < 3; i++) v[i] = walk_expr(w, e->call.args.at[i].value);
    if (!type_is_integer(e->type)) return form_const(0);
    if (id == BUILTIN_MIN) return choose(w, &v[0], &v[1], 1, e->type, e->span);
    Form most = choose(w, &v[0], &v[1], -1, e->type, e->span);
    if (id == BUILTIN_MAX) return most;
    Form r = choose(w, &most, &v[2], 1, e->type, e->span);
    if (affine_at_least(&w->a, &v[2], &v[1])) affine_learn_at_least(&w->a, &r, &v[1], 0);
    return r;
}

static Form extent_asked(Walk *w, Expr *e, BuiltinId id) {
    Expr *x = e->call.info->receiver ? e->call.info->receiver : e->call.args.at[0].value;
    Form f;
    Const d = {.kind = CONST_INT};
    if (id == BUILTIN_SHAPE) d = e->call.args.at[1].value->konst;
    const Type *field = expr_fixed_field(x);
    if (field && (id == BUILTIN_SHAPE || field->rank == 1) && d.kind == CONST_INT)
        return form_const(field->extent[d.i]);
    bool one = id == BUILTIN_SHAPE || (x->type->kind == TY_ARRAY && x->type->rank == 1);
    if (one && x->kind == EXPR_NAME && x->name.sym && d.kind == CONST_INT && d.i >= 0 && d.i < MAX_RANK &&
        walk_extent(w, x->name.sym, (int)d.i, &f))
        return f;
    f = walk_unknown(w, ATOM_COMPUTED, e);
    affine_learn(&w->a, &f); /* no extent is negative */
    return f;
}

static Form bit_count(Walk *w, Expr *e) {
    Form n = walk_unknown(w, ATOM_COMPUTED, e);
    if (type_is_integer(e->type)) affine_limit(&w->a, &n, 0, e->type->bits);
    return n;
}

static Form builtin(Walk *w, Expr *e) {
    BuiltinId id = e->call.info->builtin;
    if (id == BUILTIN_MIN || id == BUILTIN_MAX || id == BUILTIN_CLAMP) return extremum(w, e, id);
    if (id == BUILTIN_LEN || id == BUILTIN_SHAPE) return extent_asked(w, e, id);
    if (w->quiet) return walk_unknown(w, ATOM_COMPUTED, e);
    Form *v = arena_array(w->s->arena, Form, e->call.args.n + 1);
    for (int i = 0; i < e->call.args.n; i++) v[i] = passed(w, &e->call.args.at[i]);
    if (id == BUILTIN_AT) walk_at(w, e, v);
    if (id == BUILTIN_POPCOUNT || id == BUILTIN_LEADING_ZEROS || id == BUILTIN_TRAILING_ZEROS) return bit_count(w, e);
    if (id == BUILTIN_ABS && type_is_integer(e->type) && at_least(w, &v[0], 0)) return v[0];
    return walk_unknown(w, id == BUILTIN_AT ? ATOM_LOADED : ATOM_COMPUTED, e);
}

static Form call(Walk *w, Expr *e) {
    const CallInfo *info = e->call.info;
    if (!info) return walk_unknown(w, ATOM_CALLED, e);
    if (info->kind == CALL_BUILTIN) return builtin(w, e);
    if (info->kind == CALL_CONVERT && e->call.args.n == 1) {
        Expr *x = e->call.args.at[0].value;
        Form f = walk_expr(w, x);
        return converted(w, &f, x->type, e);
    }
    if (w->quiet) {
        expr_find(e, forget_passed, w);
        return walk_unknown(w, ATOM_CALLED, e);
    }
    Form *given = arena_array(w->s->arena, Form, e->call.args.n + 1);
    for (int i = 0; i < e->call.args.n; i++) given[i] = passed(w, &e->call.args.at[i]);
    if (info->kind == CALL_FUNC) {
        w->calls++;
        keep_shapes(w, e);
        if (!w->on_host) walk_through(w, e, given);
        w->early = NULL;
    }
    return walk_unknown(w, ATOM_CALLED, e);
}

static void check_step(Walk *w, Range *r, const Form *step);

static void comprehension(Walk *w, Expr *e) {
    int mark = w->a.facts.n;
    w->early = NULL;
    for (int i = 0; i < e->comprehend.binders.n; i++) {
        Binder *b = &e->comprehend.binders.at[i];
        Form lo = form_const(0), hi, step = form_const(1);
        if (b->range.lo) lo = walk_expr(w, b->range.lo);
        hi = walk_expr(w, b->range.hi);
        if (b->range.step) step = walk_expr(w, b->range.step);
        check_step(w, &b->range, &step);
        walk_bind(w, b->sym, &lo, &hi, &step);
    }
    expr_find(e->comprehend.value, forget_passed, w); /* what one iteration changes, the next one reads */
    w->sometimes++;
    walk_expr(w, e->comprehend.value);
    w->sometimes--;
    expr_find(e->comprehend.value, forget_passed, w);
    w->a.facts.n = mark;
}

static void offload(Walk *w, Expr *e) {
    if (w->quiet) return;
    if (w->launch) w->launch(w, e);
    walk_expr(w, e->offload.call);
}

Form walk_expr(Walk *w, Expr *e) {
    if (!e || !e->type) return form_const(0);
    if (e->konst.kind != CONST_NONE) return constant(e);
    switch (e->kind) {
    case EXPR_NAME: return walk_symbol(w, e->name.sym, e);
    case EXPR_UNARY: return unary(w, e);
    case EXPR_BINARY: return binary(w, e);
    case EXPR_CALL: return call(w, e);
    case EXPR_INDEX:
        if (!w->quiet) walk_index(w, e, true, false, false);
        return walk_element(w, e);
    case EXPR_IF: return if_expr(w, e);
    case EXPR_CONVERT: {
        Form f = walk_expr(w, e->convert.operand);
        return converted(w, &f, e->convert.operand->type, e);
    }
    case EXPR_ATOMIC: return w->quiet ? walk_unknown(w, ATOM_LOADED, e) : atomic(w, e);
    case EXPR_FIELD:
        if (!w->quiet) walk_expr(w, e->field.base);
        return walk_unknown(w, ATOM_LOADED, e);
    case EXPR_RANGE:
    case EXPR_LIST: {
        Children all = expr_children(e);
        for (Expr *x; (x = child_expr(&all));) walk_expr(w, x);
        break;
    }
    case EXPR_FILL: walk_expr(w, e->fill.value); break;
    case EXPR_COMPREHEND: comprehension(w, e); break;
    case EXPR_OFFLOAD: offload(w, e); break;
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR__COUNT: break;
    }
    return walk_unknown(w, ATOM_COMPUTED, e);
}

/* Statements ---------------------------------------------------------------------------------------------------- */

static void walk_stmt(Walk *w, Stmt *st);

static void walk_block(Walk *w, const Block *b) {
    int mark = w->a.facts.n;
    for (int i = 0; i < b->stmts.n; i++) {
        walk_stmt(w, b->stmts.at[i]);
        if (stmt_holds(b->stmts.at[i], STMTS_LEAVE | 1u << STMT_ASSERT)) w->sometimes++; /* from here on, for good */
    }
    w->a.facts.n = mark;
}

static bool leaves(const Stmt *st) {
    if (!st) return false;
    if (st->kind == STMT_RETURN || st->kind == STMT_BREAK || st->kind == STMT_CONTINUE) return true;
    const Block *b = st->kind == STMT_BLOCK ? st->block.block : st->kind == STMT_IF ? st->if_.then_ : NULL;
    if (!b || !b->stmts.n || !leaves(b->stmts.at[b->stmts.n - 1])) return false;
    return st->kind == STMT_BLOCK || leaves(st->if_.else_);
}

static void walk_if(Walk *w, Stmt *st) {
    walk_expr(w, st->if_.cond);
    w->early = NULL;
    int mark = w->a.facts.n;
    walk_learn(w, st->if_.cond, true);
    w->sometimes++;
    walk_block(w, st->if_.then_);
    w->a.facts.n = mark;
    forget_block(w, st->if_.then_);
    walk_learn(w, st->if_.cond, false); /* on the other path all values are those of the condition */
    int after = w->a.facts.n;
    if (st->if_.else_) walk_stmt(w, st->if_.else_);
    w->sometimes--;
    const Block *then = st->if_.then_;
    bool left = then->stmts.n && leaves(then->stmts.at[then->stmts.n - 1]);
    w->a.facts.n = left ? after : mark;
    if (st->if_.else_) forget_stmt(w, st->if_.else_);
    if (!left) forget_block(w, then);
}

/* `lo + 16`, which may wrap: then it is less than lo, and the loop from lo to it has no iterations. Or NULL. */
static const Form *end_without_wrap(Walk *w, const Form *lo, const Form *hi) {
    const Atom *atom = hi->n == 1 && hi->c == 0 && hi->at[0].k == 1 ? &w->a.atoms.at[hi->at[0].atom] : NULL;
    Form length;
    if (!atom || atom->kind != ATOM_WRAPS || !atom->is_sum || !form_add(&length, &atom->either[0], -1, lo)) return NULL;
    Interval trips = affine_interval(&w->a, &length);
    return trips.lo >= 0 && trips.hi <= atom->hi - atom->lo ? &atom->either[0] : NULL;
}

void walk_bind(Walk *w, const Symbol *sym, const Form *lo, const Form *hi, const Form *step) {
    if (!type_is_integer(sym->type)) return;
    Wide least = type_least(sym->type), most = type_most(sym->type);
    Form v = form_atom(&w->a, (Atom){.kind = ATOM_NAMED, .lo = least, .hi = most, .text = sym->name, .of = sym});
    walk_set(w, sym, &v);
    bool up = at_least(w, step, 1), down = !up && affine_within(&w->a, step, -((Wide)1 << 63), -1);
    bool lo_fits = affine_within(&w->a, lo, least, most), hi_fits = hi && affine_within(&w->a, hi, least, most);
    Interval first = affine_interval(&w->a, lo);
    if (up && lo_fits) affine_limit(&w->a, &v, first.lo, hi_fits ? affine_interval(&w->a, hi).hi - 1 : most);
    if (down && lo_fits) affine_limit(&w->a, &v, hi_fits ? affine_interval(&w->a, hi).lo + 1 : least, first.hi);
    if (up && lo_fits) affine_learn_at_least(&w->a, &v, lo, 0);
    if (up && hi_fits) affine_learn_at_least(&w->a, hi, &v, 1);
    const Form *end = up && lo_fits && hi_fits ? end_without_wrap(w, lo, hi) : NULL;
    if (end) affine_learn_at_least(&w->a, end, &v, 1);
    if (down && lo_fits) affine_learn_at_least(&w->a, lo, &v, 0);
    if (down && hi_fits) affine_learn_at_least(&w->a, &v, hi, 1);
}

static void check_step(Walk *w, Range *r, const Form *step) {
    if (w->quiet || !r->step || r->step->konst.kind != CONST_NONE) return;
    walk_check(w, CHECK_STEP, r->span, r->step->span);
    r->site = -1;
    if (at_least(w, step, 1) || affine_within(&w->a, step, -((Wide)1 << 63), -1)) return;
    CheckSite at = {.kind = CHECK_STEP, .span = r->span, .text = walk_text(w, r->step->span)};
    at.why = "cannot prove that it is not 0";
    r->site = walk_keep(w, at);
}

static void walk_for(Walk *w, Stmt *st) {
    Range *r = &st->for_.binder.range;
    Form lo = form_const(0), hi, step = form_const(1);
    if (r->lo) lo = walk_expr(w, r->lo);
    hi = walk_expr(w, r->hi);
    if (r->step) step = walk_expr(w, r->step);
    check_step(w, r, &step);
    int mark = w->a.facts.n;
    Monotone monotone;
    monotone_look(w, st, &monotone);
    forget_block(w, st->for_.body);
    monotone_begin(w, &monotone, NULL);
    walk_bind(w, st->for_.binder.sym, &lo, &hi, &step);
    LoopChecks *checks = arena_new(w->s->arena, LoopChecks);
    int n_sites = w->s->program->sites.n;
    hoist_begin(w, checks, st, st->for_.binder.sym, r);
    w->early_may_unroll = form_is_const(&lo) && form_is_const(&hi);
    w->sometimes++;
    walk_block(w, st->for_.body);
    w->sometimes--;
    hoist_end(w, checks, n_sites);
    if (checks->n) st->for_.checks = checks;
    w->a.facts.n = mark;
    forget_block(w, st->for_.body);
    monotone_learn(w, &monotone);
}

static void walk_while(Walk *w, Stmt *st) {
    w->early = NULL;
    int calls = w->calls, mark = w->a.facts.n;
    Monotone monotone;
    monotone_look(w, st, &monotone);
    forget_stmt(w, st);
    monotone_begin(w, &monotone, st->while_.cond);
    walk_expr(w, st->while_.cond);
    walk_learn(w, st->while_.cond, true);
    w->sometimes++;
    walk_block(w, st->while_.body);
    w->sometimes--;
    w->a.facts.n = mark;
    forget_stmt(w, st);
    monotone_learn(w, &monotone);
    if (!w->quiet) st->while_.calls = w->calls != calls;
}

static void walk_assign(Walk *w, Stmt *st) {
    Expr *target = st->assign.target, *value = st->assign.value;
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    Form v = walk_expr(w, value), old = form_const(0);
    w->assign = st;
    if (target->kind == EXPR_INDEX) walk_index(w, target, !plain, true, false);
    else if (target->kind != EXPR_NAME || !plain) old = walk_expr(w, target);
    if (target->kind != EXPR_NAME && type_is_integer(target->type)) old = walk_unknown(w, ATOM_LOADED, target);
    w->assign = NULL;
    Op op = st->assign.op;
    if (op != OP_NONE) check_parts(w, op, target->type, value, st->assign.op_span, &st->assign.site);
    if (type_is_integer(target->type) && op != OP_NONE && op_info[op].can_fail)
        check_operand(w, op, &v, target->type, value, st->assign.op_span, &st->assign.site);
    if (target->kind != EXPR_NAME || !type_is_integer(target->type)) return;
    if (st->assign.is_min || st->assign.is_max)
        v = choose(w, &old, &v, st->assign.is_min ? 1 : -1, target->type, st->span);
    else if (op != OP_NONE)
        v = computed(w, op, &old, &v, target->type, st->span, &st->assign.exact);
    walk_set(w, target->name.sym, &v);
}

/* An assert is never omitted, so the condition holds after it. On a device its values are returned in the error slot
 * of the launch. */
static void walk_assert(Walk *w, Stmt *st) {
    w->early = NULL;
    walk_expr(w, st->assert_.cond);
    if (w->quiet) {
        walk_learn(w, st->assert_.cond, true);
        return;
    }
    int mark = w->a.facts.n, slots = 0;
    walk_learn(w, st->assert_.cond, false);
    for (int i = 0; i < st->assert_.args.n; i++) {
        const Expr *x = st->assert_.args.at[i].value;
        walk_expr(w, st->assert_.args.at[i].value);
        slots += x->type->kind == TY_VECTOR ? x->type->width : 1;
        if (w->on_host || slots <= MAX_ASSERT_VALUES ||
            slots - (x->type->kind == TY_VECTOR ? x->type->width : 1) > MAX_ASSERT_VALUES)
            continue;
        Diag *d = diag(w->s->c, E0710, x->span, "an assert in a kernel can print at most %d values; each component of "
                                                "a vector counts",
                       MAX_ASSERT_VALUES);
        if (!w->f->is_kernel) diag_note(w->s->c, d, w->f->name_span, "`%s` is called from a kernel", w->f->name);
    }
    w->a.facts.n = mark;
    walk_learn(w, st->assert_.cond, true);
    st->assert_.site = walk_keep_assert(w, st);
}

static void walk_one(Walk *w, Stmt *st) {
    switch (st->kind) {
    case STMT_LET:
        if (st->let.init) {
            Form v = walk_expr(w, st->let.init);
            walk_set(w, st->let.sym, &v);
        }
        if (w->on_host) walk_learn_made(w, st->let.sym);
        return;
    case STMT_ASSIGN: walk_assign(w, st); return;
    case STMT_ATOMIC: walk_expr(w, st->atomic.atomic); return;
    case STMT_EXPR:
        w->early = NULL; /* it may print */
        walk_expr(w, st->expr.expr);
        return;
    case STMT_IF: walk_if(w, st); return;
    case STMT_FOR: walk_for(w, st); return;
    case STMT_WHILE: walk_while(w, st); return;
    case STMT_RETURN:
        if (st->return_.value) walk_expr(w, st->return_.value);
        return;
    case STMT_ASSERT: walk_assert(w, st); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: walk_block(w, st->block.block); return;
    case STMT_ERROR:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}

/* Notes the variables that calls in the statement's own expressions change, in whatever order they are evaluated. */
static bool note_passed(Expr *e, void *context) {
    Walk *w = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        bool writes = a->mode == REF_MUT || a->mode == REF_OUT;
        if (writes && a->value->kind == EXPR_NAME) vec_push(w->s->arena, &w->unsettled, a->value->name.sym);
    }
    return false;
}

static void walk_stmt(Walk *w, Stmt *st) {
    Symbols outer = w->unsettled;
    w->unsettled = (Symbols){0};
    Children before = stmt_children(st), after = before;
    for (Expr *e; (e = child_expr(&before));) {
        expr_find(e, note_passed, w);
        expr_find(e, forget_passed, w); /* the walk does not enter all of them */
    }
    walk_one(w, st);
    for (Expr *e; (e = child_expr(&after));) expr_find(e, forget_passed, w);
    w->unsettled = outer;
}

void walk_body(Walk *w, const Block *b) { walk_block(w, b); }
