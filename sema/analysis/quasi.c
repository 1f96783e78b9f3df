/* quasi.c -- translation of expressions to quasi-affine functions and sets (polyhedral extraction). */
#include "sema/analysis/quasi.h"

#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/lp.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/val.h>

#include "sema/check.h"

Quasi quasi_begin(Arena *arena, unsigned long operations) {
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx, operations);
    return (Quasi){ctx, arena};
}

void quasi_end(Quasi *q) { isl_ctx_free(q->ctx); }

QuasiFrame quasi_frame(Quasi *q, const Func *f) {
    return (QuasiFrame){.q = q, .f = f, .value = arena_array(q->arena, isl_pw_aff *, f->n_symbols + 1)};
}

void quasi_frame_end(QuasiFrame *at) {
    for (int i = 0; i < at->f->n_symbols; i++) isl_pw_aff_free(at->value[i]);
}

/* Values ----------------------------------------------------------------------------------------------------------- */

static isl_set *universe(Quasi *q) { return isl_set_universe(isl_space_set_alloc(q->ctx, 0, 0)); }

isl_set *quasi_all(Quasi *q) { return universe(q); }
isl_set *quasi_none(Quasi *q) { return isl_set_empty(isl_space_set_alloc(q->ctx, 0, 0)); }

isl_pw_aff *quasi_variable(Quasi *q, const Symbol *sym) {
    return isl_pw_aff_param_on_domain_id(universe(q), isl_id_alloc(q->ctx, sym->name, (void *)sym));
}

void quasi_bind(QuasiFrame *at, const Symbol *sym, isl_pw_aff *value) {
    if (sym->id < 0 || sym->id >= at->f->n_symbols) {
        isl_pw_aff_free(value);
        return;
    }
    isl_pw_aff_free(at->value[sym->id]);
    at->value[sym->id] = value;
}

isl_pw_aff *quasi_number(Quasi *q, int64_t v) {
    return isl_pw_aff_val_on_domain(universe(q), isl_val_int_from_si(q->ctx, v));
}

static isl_pw_aff *power(Quasi *q, int bits) {
    return isl_pw_aff_val_on_domain(universe(q), isl_val_2exp(isl_val_int_from_si(q->ctx, bits)));
}

isl_set *quasi_in_type(isl_pw_aff *value, const Type *t) {
    if (!value || !type_is_integer(t)) return NULL;
    Quasi q = {.ctx = isl_pw_aff_get_ctx(value)};
    isl_pw_aff *above = power(&q, t->bits - t->is_signed);
    isl_pw_aff *least = t->is_signed ? isl_pw_aff_neg(isl_pw_aff_copy(above)) : quasi_number(&q, 0);
    return isl_set_intersect(isl_pw_aff_ge_set(isl_pw_aff_copy(value), least),
                             isl_pw_aff_lt_set(isl_pw_aff_copy(value), above));
}

/* Bounds ----------------------------------------------------------------------------------------------------------- */

typedef struct Bound {
    isl_set *states;
    isl_aff *aff;
    isl_val *least, *most; /* one of them may be NULL */
} Bound;

/* The rational bounds of a conjunction hold for its integers; of one without rational points, they are NaN. */
static isl_stat bound_conjunction(isl_basic_set *b, void *user) {
    Bound *x = user;
    isl_val *lo = x->least ? isl_basic_set_min_lp_val(b, x->aff) : NULL;
    isl_val *hi = x->most ? isl_basic_set_max_lp_val(b, x->aff) : NULL;
    bool above = !x->least || isl_val_is_nan(lo) == isl_bool_true || isl_val_ge(lo, x->least) == isl_bool_true;
    bool below = !x->most || isl_val_is_nan(hi) == isl_bool_true || isl_val_le(hi, x->most) == isl_bool_true;
    isl_val_free(lo);
    isl_val_free(hi);
    isl_basic_set_free(b);
    return above && below ? isl_stat_ok : isl_stat_error;
}

static isl_stat bound_piece(isl_set *set, isl_aff *aff, void *user) {
    Bound *x = user;
    isl_set *here = quasi_and(isl_set_copy(x->states), set);
    x->aff = isl_aff_align_params(aff, isl_set_get_space(here));
    here = isl_set_align_params(here, isl_aff_get_domain_space(x->aff));
    isl_stat holds = isl_set_foreach_basic_set(here, bound_conjunction, x);
    isl_aff_free(x->aff);
    isl_set_free(here);
    return holds;
}

static bool is_within(isl_set *states, isl_pw_aff *value, isl_val *least, isl_val *most) {
    Bound x = {.states = states, .least = least, .most = most};
    bool holds = states && value && isl_pw_aff_foreach_piece(value, bound_piece, &x) == isl_stat_ok;
    isl_val_free(least);
    isl_val_free(most);
    return holds;
}

bool quasi_at_least(isl_set *states, isl_pw_aff *value, int64_t least) {
    if (!states || !value) return false;
    isl_ctx *ctx = isl_pw_aff_get_ctx(value);
    if (is_within(states, value, isl_val_int_from_si(ctx, least), NULL)) return true;
    isl_pw_aff *from = isl_pw_aff_sub(isl_pw_aff_copy(value), quasi_number(&(Quasi){.ctx = ctx}, least));
    isl_set *holds = isl_pw_aff_nonneg_set(from);
    bool always = isl_set_is_subset(states, holds) == isl_bool_true;
    isl_set_free(holds);
    return always;
}

static bool is_in_type(isl_set *states, isl_pw_aff *value, const Type *t) {
    isl_ctx *ctx = isl_pw_aff_get_ctx(value);
    isl_val *range = isl_val_2exp(isl_val_int_from_si(ctx, t->bits - t->is_signed));
    isl_val *least = t->is_signed ? isl_val_neg(isl_val_copy(range)) : isl_val_zero(ctx);
    return is_within(states, value, least, isl_val_sub_ui(range, 1));
}

bool quasi_is_in_type(isl_set *states, isl_pw_aff *value, const Type *t) {
    if (!states || !value || !type_is_integer(t)) return false;
    if (is_in_type(states, value, t)) return true;
    isl_set *fits = quasi_in_type(value, t);
    bool always = isl_set_is_subset(states, fits) == isl_bool_true;
    isl_set_free(fits);
    return always;
}

/* `value` if the program, which computes in type t, gives just that in all of the states. */
static isl_pw_aff *exact(isl_pw_aff *value, const Type *t, isl_set *states) {
    return quasi_is_in_type(states, value, t) ? value : isl_pw_aff_free(value);
}

/* Integers --------------------------------------------------------------------------------------------------------- */

static isl_pw_aff *constant(Quasi *q, const Expr *e) {
    bool is_large = !e->type->is_signed && e->konst.i < 0; /* a u64 of 2^63 or more */
    return e->konst.kind == CONST_INT && !is_large ? quasi_number(q, e->konst.i) : NULL;
}

static bool is_number(isl_pw_aff *v) { return v && isl_pw_aff_is_cst(v) == isl_bool_true; }

/* The exponent of a constant power of two, or -1. */
static int exponent_of(int64_t v) {
    if (v <= 0 || v & (v - 1)) return -1;
    int bits = 0;
    while (v >> bits > 1) bits++;
    return bits;
}

/* The value of an expression that is the same number in all states. */
static bool number_of(QuasiFrame *at, const Expr *e, isl_set *states, int64_t *out) {
    if (e->konst.kind == CONST_INT) {
        *out = e->konst.i;
        return true;
    }
    isl_pw_aff *v = quasi_int(at, e, states);
    bool found = false;
    if (is_number(v) && isl_pw_aff_n_piece(v) == 1) {
        isl_val *n = isl_pw_aff_eval(isl_pw_aff_copy(v), isl_point_zero(isl_pw_aff_get_domain_space(v)));
        found = isl_val_is_int(n) == isl_bool_true && isl_val_cmp_si(n, INT32_MAX) <= 0 &&
                isl_val_cmp_si(n, INT32_MIN) >= 0;
        if (found) *out = isl_val_get_num_si(n);
        isl_val_free(n);
    }
    isl_pw_aff_free(v);
    return found;
}

static isl_pw_aff *shifted_right(QuasiFrame *at, const Expr *e, isl_set *states) {
    int64_t by;
    if (!number_of(at, e->binary.rhs, states, &by) || by < 0 || by > 62) return NULL;
    isl_pw_aff *a = quasi_int(at, e->binary.lhs, states);
    return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, isl_val_int_from_si(at->q->ctx, INT64_C(1) << by)));
}

static isl_pw_aff *shifted_left(QuasiFrame *at, const Expr *e, isl_set *states) {
    int64_t by;
    if (!number_of(at, e->binary.rhs, states, &by) || by < 0 || by > 62) return NULL;
    return isl_pw_aff_scale_val(quasi_int(at, e->binary.lhs, states),
                                isl_val_int_from_si(at->q->ctx, INT64_C(1) << by));
}

/* Bits lo to hi - 1 where they are, in two's complement also of what is negative: floor(a / 2^lo) mod 2^(hi - lo). */
static isl_pw_aff *bits_of(Quasi *q, isl_pw_aff *a, int lo, int hi) {
    isl_val *unit = isl_val_int_from_si(q->ctx, INT64_C(1) << lo);
    if (lo) a = isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, isl_val_copy(unit)));
    a = isl_pw_aff_mod_val(a, isl_val_int_from_si(q->ctx, INT64_C(1) << (hi - lo)));
    return isl_pw_aff_scale_val(a, unit);
}

/* a & mask: the sum over the runs of ones in the mask. */
static isl_pw_aff *masked(Quasi *q, isl_pw_aff *a, int64_t mask) {
    enum { MAX_RUNS = 6 };
    isl_pw_aff *sum = quasi_number(q, 0);
    int runs = 0;
    for (int lo = 0; lo < 62 && mask >> lo; lo++) {
        if (!(mask >> lo & 1)) continue;
        int hi = lo;
        while (hi < 62 && mask >> hi & 1) hi++;
        if (++runs > MAX_RUNS) break;
        sum = isl_pw_aff_add(sum, bits_of(q, isl_pw_aff_copy(a), lo, hi));
        lo = hi;
    }
    isl_pw_aff_free(a);
    return runs <= MAX_RUNS ? sum : isl_pw_aff_free(sum);
}

/* With a mask that is not negative; a | m is a + m - (a & m), a ^ m is a + m - 2 * (a & m). */
static isl_pw_aff *bitwise(QuasiFrame *at, const Expr *e, isl_set *states) {
    const Expr *l = e->binary.lhs, *r = e->binary.rhs;
    int64_t mask;
    if (number_of(at, l, states, &mask)) l = r;
    else if (!number_of(at, r, states, &mask)) return NULL;
    bool clears = e->binary.op == OP_BIT_AND && mask < 0 && exponent_of(-mask) >= 0; /* a & -2^k */
    if (clears) return isl_pw_aff_sub(quasi_int(at, l, states), masked(at->q, quasi_int(at, l, states), -mask - 1));
    if (mask < 0 || mask > INT64_C(1) << 61) return NULL;
    isl_pw_aff *a = quasi_int(at, l, states), *common = masked(at->q, isl_pw_aff_copy(a), mask);
    if (e->binary.op == OP_BIT_AND) {
        isl_pw_aff_free(a);
        return common;
    }
    if (e->binary.op == OP_BIT_XOR) common = isl_pw_aff_scale_val(common, isl_val_int_from_si(at->q->ctx, 2));
    return isl_pw_aff_sub(isl_pw_aff_add(a, quasi_number(at->q, mask)), common);
}

static isl_pw_aff *both(QuasiFrame *at, const Expr *e, isl_set *states,
                        isl_pw_aff *(*join)(isl_pw_aff *, isl_pw_aff *)) {
    return join(quasi_int(at, e->binary.lhs, states), quasi_int(at, e->binary.rhs, states));
}

static isl_pw_aff *product(QuasiFrame *at, const Expr *e, isl_set *states) {
    isl_pw_aff *a = quasi_int(at, e->binary.lhs, states), *b = quasi_int(at, e->binary.rhs, states);
    if (is_number(a) || is_number(b)) return isl_pw_aff_mul(a, b);
    isl_pw_aff_free(a);
    return isl_pw_aff_free(b);
}

/* Division cuts towards zero; of a constant that is not 0. */
static isl_pw_aff *divided(QuasiFrame *at, const Expr *e, isl_set *states,
                           isl_pw_aff *(*divide)(isl_pw_aff *, isl_pw_aff *)) {
    int64_t by;
    if (!number_of(at, e->binary.rhs, states, &by) || by <= 0) return NULL;
    return divide(quasi_int(at, e->binary.lhs, states), quasi_number(at->q, by));
}

static isl_pw_aff *binary(QuasiFrame *at, const Expr *e, isl_set *states) {
    switch (e->binary.op) {
    case OP_ADD: return both(at, e, states, isl_pw_aff_add);
    case OP_SUB: return both(at, e, states, isl_pw_aff_sub);
    case OP_MUL: return product(at, e, states);
    case OP_DIV: return divided(at, e, states, isl_pw_aff_tdiv_q);
    case OP_REM: return divided(at, e, states, isl_pw_aff_tdiv_r);
    case OP_SHL: return shifted_left(at, e, states);
    case OP_SHR: return shifted_right(at, e, states);
    case OP_BIT_AND:
    case OP_BIT_OR:
    case OP_BIT_XOR: return bitwise(at, e, states);
    case OP_OR:
    case OP_AND:
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_ROL:
    case OP_NEG:
    case OP_NOT:
    case OP_BIT_NOT:
    case OP_NONE:
    case OP__COUNT: break;
    }
    return NULL;
}

static isl_pw_aff *plus(QuasiFrame *at, isl_pw_aff *v, int64_t add) {
    return v && add ? isl_pw_aff_add(v, quasi_number(at->q, add)) : v;
}

isl_pw_aff *quasi_extent(QuasiFrame *at, const Extent *x) {
    switch (x->kind) {
    case EXTENT_CONST: return quasi_number(at->q, x->value);
    case EXTENT_BINDS:
    case EXTENT_SAME: return plus(at, isl_pw_aff_copy(at->value[x->size->id]), x->value);
    case EXTENT_ANY: break;
    }
    return NULL;
}

/* shape(x, d), len(x) */
static isl_pw_aff *measured(QuasiFrame *at, const Expr *e) {
    const CallInfo *info = e->call.info;
    const Expr *x = info->receiver ? info->receiver : e->call.args.n ? e->call.args.at[0].value : NULL;
    const Symbol *array = x && x->kind == EXPR_NAME ? x->name.sym : NULL;
    if (!array || array->type->kind != TY_ARRAY) return NULL;
    if (info->builtin == BUILTIN_LEN) return array->type->rank == 1 ? quasi_array_extent(at, array, 0) : NULL;
    const Expr *d = e->call.args.n ? e->call.args.at[e->call.args.n - 1].value : NULL;
    bool known = d && d->konst.kind == CONST_INT && d->konst.i >= 0 && d->konst.i < array->type->rank;
    return known ? quasi_array_extent(at, array, (int)d->konst.i) : NULL;
}

static isl_pw_aff *called(QuasiFrame *at, const Expr *e, isl_set *states) {
    const CallInfo *info = e->call.info;
    const ArgList *args = &e->call.args;
    if (!info) return NULL;
    if (info->kind == CALL_CONVERT && args->n == 1 && type_is_integer(args->at[0].value->type))
        return quasi_int(at, args->at[0].value, states);
    if (info->kind != CALL_BUILTIN) return NULL;
    if (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE) return measured(at, e);
    bool least = info->builtin == BUILTIN_MIN, most = info->builtin == BUILTIN_MAX,
         all = info->builtin == BUILTIN_CLAMP;
    if (info->builtin == BUILTIN_ABS && args->n == 1) {
        isl_pw_aff *v = quasi_int(at, args->at[0].value, states);
        isl_pw_aff *negative = isl_pw_aff_neg(isl_pw_aff_copy(v));
        return isl_pw_aff_max(v, negative);
    }
    if (!least && !most && !all) return NULL;
    isl_pw_aff *a = quasi_int(at, args->at[0].value, states), *b = quasi_int(at, args->at[1].value, states);
    if (all) return isl_pw_aff_min(isl_pw_aff_max(a, b), quasi_int(at, args->at[2].value, states));
    return least ? isl_pw_aff_min(a, b) : isl_pw_aff_max(a, b);
}

/* if c { a } else { b } */
static isl_pw_aff *selected(QuasiFrame *at, const Expr *e, isl_set *states) {
    isl_set *c = quasi_bool(at, e->if_.cond, states);
    isl_set *yes = isl_set_intersect(isl_set_copy(states), isl_set_copy(c));
    isl_set *no = isl_set_subtract(isl_set_copy(states), c);
    isl_pw_aff *a = isl_pw_aff_intersect_domain(quasi_int(at, e->if_.then_, yes), yes);
    isl_pw_aff *b = isl_pw_aff_intersect_domain(quasi_int(at, e->if_.else_, no), no);
    return isl_pw_aff_union_add(a, b);
}

/* i.local and i.group: of the position in the domain, counted in steps. */
static isl_pw_aff *group_value(QuasiFrame *at, const Symbol *sym) {
    const Group *g = &at->f->group;
    for (int d = 0; d < at->f->domain.n && g->items; d++) {
        const Range *r = &at->f->item->fn.over.at[d].range;
        bool plain = (!r->lo || (r->lo->konst.kind == CONST_INT && !r->lo->konst.i)) && !r->step;
        if (!plain || (sym != g->local[d] && sym != g->at[d])) continue;
        isl_pw_aff *i = isl_pw_aff_copy(at->value[at->f->domain.at[d]->id]);
        isl_val *by = isl_val_int_from_si(at->q->ctx, g->by[d]);
        if (sym == g->local[d]) return isl_pw_aff_mod_val(i, by);
        return isl_pw_aff_floor(isl_pw_aff_scale_down_val(i, by));
    }
    return NULL;
}

static isl_pw_aff *named(QuasiFrame *at, const Symbol *sym) {
    if (!sym || sym->id < 0 || sym->id >= at->f->n_symbols) return NULL;
    if (sym->is_group_value && !at->value[sym->id]) return group_value(at, sym);
    return isl_pw_aff_copy(at->value[sym->id]);
}

static isl_pw_aff *integer(QuasiFrame *at, const Expr *e, isl_set *states) {
    if (e->konst.kind != CONST_NONE) return constant(at->q, e);
    switch (e->kind) {
    case EXPR_NAME: return named(at, e->name.sym);
    case EXPR_CONVERT:
        return type_is_integer(e->convert.operand->type) ? quasi_int(at, e->convert.operand, states) : NULL;
    case EXPR_UNARY:
        if (e->unary.op != OP_NEG) return NULL;
        return exact(isl_pw_aff_neg(quasi_int(at, e->unary.operand, states)), e->type, states);
    case EXPR_BINARY: return exact(binary(at, e, states), e->type, states);
    case EXPR_CALL: return exact(called(at, e, states), e->type, states);
    case EXPR_IF: return selected(at, e, states);
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR_INDEX:
    case EXPR_FIELD:
    case EXPR_FILL:
    case EXPR_COMPREHEND:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_OFFLOAD:
    case EXPR_ATOMIC:
    case EXPR__COUNT: break;
    }
    return NULL;
}

isl_pw_aff *quasi_int(QuasiFrame *at, const Expr *e, isl_set *states) {
    if (!e || !states || !type_is_integer(e->type)) return NULL;
    isl_pw_aff *v = integer(at, e, states);
    return v || !at->other_int ? v : at->other_int(at, e, states);
}

/* Conditions ------------------------------------------------------------------------------------------------------- */

typedef isl_set *Comparison(isl_pw_aff *, isl_pw_aff *);

static Comparison *const comparisons[OP__COUNT] = {
    [OP_EQ] = isl_pw_aff_eq_set, [OP_NE] = isl_pw_aff_ne_set, [OP_LT] = isl_pw_aff_lt_set,
    [OP_LE] = isl_pw_aff_le_set, [OP_GT] = isl_pw_aff_gt_set, [OP_GE] = isl_pw_aff_ge_set,
};

static isl_set *compared(QuasiFrame *at, const Expr *e, isl_set *states) {
    Comparison *compare = comparisons[e->binary.op];
    if (!compare || !type_is_integer(e->binary.lhs->type)) return NULL;
    return compare(quasi_int(at, e->binary.lhs, states), quasi_int(at, e->binary.rhs, states));
}

static isl_set *negated(Quasi *q, isl_set *c) { return c ? isl_set_subtract(universe(q), c) : NULL; }

/* The right side is computed only where the left one has not decided. */
static isl_set *joined(QuasiFrame *at, const Expr *e, isl_set *states) {
    bool is_and = e->binary.op == OP_AND;
    isl_set *l = quasi_bool(at, e->binary.lhs, states);
    isl_set *on = is_and ? isl_set_copy(l) : negated(at->q, isl_set_copy(l));
    on = isl_set_intersect(on, isl_set_copy(states));
    isl_set *r = quasi_bool(at, e->binary.rhs, on);
    isl_set_free(on);
    return is_and ? isl_set_intersect(l, r) : isl_set_union(l, r);
}

static isl_set *condition(QuasiFrame *at, const Expr *e, isl_set *states) {
    if (e->konst.kind == CONST_BOOL) return e->konst.i ? universe(at->q) : quasi_none(at->q);
    if (e->kind == EXPR_NAME && e->type->kind == TY_BOOL) {
        const Symbol *sym = e->name.sym;
        bool known = sym && sym->id >= 0 && sym->id < at->f->n_symbols && at->value[sym->id];
        if (known) return isl_pw_aff_eq_set(isl_pw_aff_copy(at->value[sym->id]), quasi_number(at->q, 1));
        if (at->f->group.items && sym == at->f->group.inside) return universe(at->q);
    }
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) return negated(at->q, quasi_bool(at, e->unary.operand, states));
    if (e->kind != EXPR_BINARY) return NULL;
    if (e->binary.op == OP_AND || e->binary.op == OP_OR) return joined(at, e, states);
    return compared(at, e, states);
}

isl_set *quasi_bool(QuasiFrame *at, const Expr *e, isl_set *states) {
    if (!e || !states) return NULL;
    isl_set *c = condition(at, e, states);
    return c || !at->other_bool ? c : at->other_bool(at, e, states);
}

/* Ranges ----------------------------------------------------------------------------------------------------------- */

isl_set *quasi_range(QuasiFrame *at, const Range *r, isl_pw_aff *v, isl_set *states) {
    int64_t step = 1;
    if (r->step && (r->step->konst.kind != CONST_INT || !(step = r->step->konst.i) || step == INT64_MIN)) return NULL;
    isl_pw_aff *lo = r->lo ? quasi_int(at, r->lo, states) : quasi_number(at->q, 0), *hi = quasi_int(at, r->hi, states);
    isl_pw_aff *from = isl_pw_aff_sub(isl_pw_aff_copy(v), isl_pw_aff_copy(lo));
    isl_set *first = step > 0 ? isl_pw_aff_ge_set(isl_pw_aff_copy(v), lo) : isl_pw_aff_le_set(isl_pw_aff_copy(v), lo);
    isl_set *last = step > 0 ? isl_pw_aff_lt_set(isl_pw_aff_copy(v), hi) : isl_pw_aff_gt_set(isl_pw_aff_copy(v), hi);
    isl_val *by = isl_val_int_from_si(at->q->ctx, step > 0 ? step : -step);
    isl_set *steps = isl_pw_aff_zero_set(isl_pw_aff_mod_val(from, by));
    return isl_set_intersect(isl_set_intersect(first, last), steps);
}

isl_set *quasi_some(isl_set *set, isl_pw_aff *variable) {
    isl_id *id = isl_pw_aff_get_dim_id(variable, isl_dim_param, 0);
    int pos = set ? isl_set_find_dim_by_id(set, isl_dim_param, id) : -1;
    isl_id_free(id);
    return pos < 0 ? set : isl_set_project_out(set, isl_dim_param, (unsigned)pos, 1);
}

typedef struct Conjunctions {
    isl_basic_set *with; /* NULL: collects them */
    isl_set *all, *sum;
} Conjunctions;

static bool has_points(isl_basic_set *b) { /* rational ones */
    isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(isl_basic_set_get_space(b)));
    isl_val *v = isl_basic_set_max_lp_val(b, zero);
    bool empty = isl_val_is_nan(v) == isl_bool_true;
    isl_val_free(v);
    isl_aff_free(zero);
    return !empty;
}

static isl_stat join_inner(isl_basic_set *b, void *user) {
    Conjunctions *c = user;
    b = isl_basic_set_intersect(isl_basic_set_copy(c->with), b);
    if (has_points(b)) c->sum = isl_set_union(c->sum, isl_set_from_basic_set(b));
    else isl_basic_set_free(b);
    return isl_stat_ok;
}

static isl_stat join_outer(isl_basic_set *b, void *user) {
    Conjunctions *c = user;
    c->with = b;
    isl_stat ok = isl_set_foreach_basic_set(c->all, join_inner, c);
    isl_basic_set_free(b);
    return ok;
}

static isl_stat take_conjunction(isl_basic_set *b, void *user) {
    isl_basic_set **one = user;
    isl_basic_set_free(*one);
    *one = b;
    return isl_stat_ok;
}

isl_set *quasi_and(isl_set *a, isl_set *b) {
    if (!a || !b) {
        isl_set_free(a);
        isl_set_free(b);
        return NULL;
    }
    a = isl_set_align_params(a, isl_set_get_space(b));
    b = isl_set_align_params(b, isl_set_get_space(a));
    if (isl_set_n_basic_set(a) == 1 && isl_set_n_basic_set(b) == 1) {
        isl_basic_set *x = NULL, *y = NULL;
        isl_set_foreach_basic_set(a, take_conjunction, &x);
        isl_set_foreach_basic_set(b, take_conjunction, &y);
        isl_set_free(a);
        isl_set_free(b);
        return isl_set_from_basic_set(isl_basic_set_intersect(x, y));
    }
    Conjunctions c = {.all = b, .sum = isl_set_empty(isl_set_get_space(a))};
    if (isl_set_foreach_basic_set(a, join_outer, &c) != isl_stat_ok) c.sum = isl_set_free(c.sum);
    isl_set_free(a);
    isl_set_free(b);
    return c.sum;
}

/* Functions -------------------------------------------------------------------------------------------------------- */

enum { MAX_SIZE_BITS = 56 }; /* of an extent: no processor gives a program more addresses */

isl_set *quasi_is_size(isl_pw_aff *v) {
    isl_space *space = isl_space_params(isl_pw_aff_get_domain_space(v));
    isl_val *most = isl_val_int_from_si(isl_pw_aff_get_ctx(v), INT64_C(1) << MAX_SIZE_BITS);
    isl_pw_aff *end = isl_pw_aff_val_on_domain(isl_set_universe(isl_space_set_from_params(space)), most);
    return isl_set_intersect(isl_pw_aff_nonneg_set(isl_pw_aff_copy(v)), isl_pw_aff_le_set(isl_pw_aff_copy(v), end));
}

isl_set *quasi_bind_parameters(QuasiFrame *at) {
    const Func *f = at->f;
    Quasi *q = at->q;
    isl_set *states = quasi_all(q);
    for (int i = 0; i < f->sizes.n; i++) {
        isl_pw_aff *v = quasi_variable(q, f->sizes.at[i]);
        states = isl_set_intersect(states, quasi_is_size(v));
        quasi_bind(at, f->sizes.at[i], v);
    }
    for (int i = 0; i < f->params.n; i++) {
        const Symbol *p = f->params.at[i];
        if (p->mode != REF_NONE || !type_is_integer(p->type)) continue;
        isl_pw_aff *v = quasi_variable(q, p);
        states = isl_set_intersect(states, quasi_in_type(v, p->type));
        quasi_bind(at, p, v);
    }
    return states;
}

isl_pw_aff *quasi_array_extent(QuasiFrame *at, const Symbol *array, int d) {
    if (array && array == at->sized) return isl_pw_aff_copy(at->extent[d]);
    if (!array || array->reshaped || array->type->kind != TY_ARRAY) return NULL;
    if (array->kind == SYM_PARAM) return quasi_extent(at, &at->f->shapes.at[array->dim].at[d]);
    return quasi_dim(at, &array->dims[d]);
}

isl_pw_aff *quasi_dim(QuasiFrame *at, const Dim *dim) {
    if (dim->kind == DIM_CONST) return quasi_number(at->q, dim->value);
    bool is_known = dim->kind != DIM_UNKNOWN && dim->sym->id >= 0 && dim->sym->id < at->f->n_symbols;
    return is_known ? plus(at, isl_pw_aff_copy(at->value[dim->sym->id]), dim->value) : NULL;
}

static isl_pw_aff *extent_of(QuasiFrame *at, const Expr *e, int d) {
    return quasi_array_extent(at, e->kind == EXPR_NAME ? e->name.sym : NULL, d);
}

/* Of the range number d in a slice. */
static isl_pw_aff *extent_of_slice(QuasiFrame *at, const Expr *e, int d, isl_set *states) {
    if (e->index.is_flat) return NULL;
    for (int k = 0; k < e->index.at.n; k++) {
        if (e->index.at.at[k]->kind != EXPR_RANGE || d-- > 0) continue;
        const Range *r = &e->index.at.at[k]->range.range;
        if (r->step) return NULL;
        isl_pw_aff *hi = r->hi ? quasi_int(at, r->hi, states) : extent_of(at, e->index.base, k);
        return r->lo ? isl_pw_aff_sub(hi, quasi_int(at, r->lo, states)) : hi;
    }
    return NULL;
}

void quasi_bind_sizes(QuasiFrame *at, QuasiFrame *in, const Expr *call, isl_set *states) {
    const CallInfo *info = call->call.info;
    const Func *f = in->f;
    for (int k = 0; k < f->sizes.n && k < info->sizes.n; k++) {
        const Expr *a = call->call.args.at[info->sizes.at[k].arg].value;
        int d = info->sizes.at[k].dim;
        isl_pw_aff *n = expr_is_slice(a) ? extent_of_slice(at, a, d, states) : extent_of(at, a, d);
        n = plus(at, n, -info->sizes.at[k].add);
        if (n) quasi_bind(in, f->sizes.at[k], n);
    }
}
