/* shape.c -- shape checking. After all bodies are checked it is known which arrays keep their extents. Then known
 * extents are propagated through declarations, and compared at each call, result and constant index. What cannot be
 * decided at compile time becomes a ShapeCheck at run time. */
#include <string.h>

#include "sema/check.h"

typedef enum Verdict { DIMS_SAME, DIMS_DIFFER, DIMS_UNKNOWN } Verdict;

static Verdict compare_dims(Dim a, Dim b) {
    if (a.kind == DIM_CONST && b.kind == DIM_CONST) return a.value == b.value ? DIMS_SAME : DIMS_DIFFER;
    bool are_symbols = (a.kind == DIM_SYMBOL || a.kind == DIM_SUM) && (b.kind == DIM_SYMBOL || b.kind == DIM_SUM);
    if (are_symbols && a.sym == b.sym) return a.value == b.value ? DIMS_SAME : DIMS_DIFFER;
    return DIMS_UNKNOWN;
}

bool dim_is_same(Dim a, Dim b) { return compare_dims(a, b) == DIMS_SAME; }

static Dim dim_const(int64_t v) { return (Dim){.kind = DIM_CONST, .value = v}; }

/* Extents are far from the ends of 64 bits, so sums of arrays that exist have not wrapped. */
static Dim dim_plus(Dim d, int64_t add) {
    if (d.kind == DIM_UNKNOWN || __builtin_add_overflow(d.value, add, &d.value)) return (Dim){0};
    if (d.kind != DIM_CONST) d.kind = d.value ? DIM_SUM : DIM_SYMBOL;
    return d;
}

const char *size_text(Arena *arena, const Symbol *size, int64_t add) {
    if (!add) return size->name;
    return arena_printf(arena, "%s %c %lld", size->name, add < 0 ? '-' : '+', (long long)(add < 0 ? -add : add));
}

const char *size_factor(Arena *arena, const Symbol *size, int64_t add) {
    return add ? arena_printf(arena, "(%s)", size_text(arena, size, add)) : size->name;
}

static bool keeps_value(const Symbol *sym) {
    if (!sym || !sym->type || !sym->type->is_int) return false;
    if (sym->kind == SYM_LOCAL) return !sym->is_mutable;
    return sym->kind == SYM_SIZE || sym->kind == SYM_DOMAIN || (sym->kind == SYM_PARAM && sym->mode == REF_NONE);
}

static Dim dim_of_call(Expr *e) {
    const CallInfo *info = e->call.info;
    if (!info || info->kind != CALL_BUILTIN || e->call.args.n < 1) return (Dim){0};
    Expr *x = e->call.args.at[0].value;
    if (x->kind != EXPR_NAME || !x->name.sym || x->type->kind != TY_ARRAY) return (Dim){0};
    if (info->builtin == BUILTIN_LEN && x->type->rank == 1) return x->name.sym->dims[0];
    if (info->builtin != BUILTIN_SHAPE) return (Dim){0};
    Const d = e->call.args.at[1].value->konst;
    return d.kind == CONST_INT && d.i >= 0 && d.i < x->type->rank ? x->name.sym->dims[d.i] : (Dim){0};
}

/* n + 1, of 64 bits. */
static Dim dim_of_sum(Expr *e) {
    bool is_wide = e->type->is_int && e->type->is_signed && e->type->bits == 64;
    if (!is_wide || (e->binary.op != OP_ADD && e->binary.op != OP_SUB)) return (Dim){0};
    Dim l = dim_of(e->binary.lhs), r = dim_of(e->binary.rhs);
    if (r.kind == DIM_CONST && r.value != INT64_MIN) return dim_plus(l, e->binary.op == OP_ADD ? r.value : -r.value);
    return l.kind == DIM_CONST && e->binary.op == OP_ADD ? dim_plus(r, l.value) : (Dim){0};
}

Dim dim_of(Expr *e) {
    if (!e) return (Dim){0};
    if (e->konst.kind == CONST_INT) return dim_const(e->konst.i);
    if (e->kind == EXPR_CONVERT) {
        Dim d = dim_of(e->convert.operand);
        return e->convert.operand->type->is_int ? d : (Dim){0};
    }
    if (e->kind == EXPR_NAME && keeps_value(e->name.sym)) return (Dim){.kind = DIM_SYMBOL, .sym = e->name.sym};
    if (e->kind == EXPR_BINARY) return dim_of_sum(e);
    return e->kind == EXPR_CALL ? dim_of_call(e) : (Dim){0};
}

bool range_is_extent(const Range *r) {
    bool from_0 = !r->lo || (r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0);
    return from_0 && (!r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i == 1));
}

static Dim dim_of_range(const Range *r) {
    Dim lo = r->lo ? dim_of(r->lo) : dim_const(0), hi = dim_of(r->hi), step = r->step ? dim_of(r->step) : dim_const(1);
    if (step.kind != DIM_CONST || lo.kind != DIM_CONST || step.value == 0) return (Dim){0};
    if (hi.kind == DIM_CONST) {
        __int128 span = step.value > 0 ? (__int128)hi.value - lo.value : (__int128)lo.value - hi.value;
        __int128 by = step.value > 0 ? step.value : -(__int128)step.value, n = span <= 0 ? 0 : (span + by - 1) / by;
        return n > INT64_MAX ? (Dim){0} : dim_const((int64_t)n);
    }
    return range_is_extent(r) ? hi : (Dim){0};
}

/* x[a..b] has b - a elements: known where both are constants, or where a is 0. */
static Dim dim_of_slice(const Range *r, Dim whole) {
    Dim lo = r->lo ? dim_of(r->lo) : dim_const(0), hi = r->hi ? dim_of(r->hi) : whole;
    if (lo.kind != DIM_CONST) return (Dim){0};
    if (lo.value == 0) return hi;
    return hi.kind == DIM_CONST && lo.value > 0 && hi.value >= lo.value ? dim_const(hi.value - lo.value) : (Dim){0};
}

static void dims_of_slice(const Expr *e, Dim out[MAX_RANK]) {
    const Symbol *array = expr_array_symbol(e);
    int n = 0;
    for (int d = 0; d < e->index.at.n; d++)
        if (e->index.at.at[d]->kind == EXPR_RANGE)
            out[n++] = dim_of_slice(&e->index.at.at[d]->range.range, array->dims[d]);
    if (!e->index.is_flat) return;
    Dim product = dim_const(1);
    int64_t count;
    for (int d = 0; d < n; d++) {
        bool fits = product.kind == DIM_CONST && out[d].kind == DIM_CONST;
        product = fits && !__builtin_mul_overflow(product.value, out[d].value, &count) ? dim_const(count) : (Dim){0};
        out[d] = (Dim){0};
    }
    out[0] = product;
}

static Dim dim_of_array(Expr *e, int d) {
    Dim dims[MAX_RANK];
    dims_of_array(e, dims);
    return dims[d];
}

/* The extents of a call's result: those the callee declares, in terms of the caller. */
static Dim dim_of_result(const Expr *e, Dim declared) {
    const CallInfo *info = e->call.info;
    if (declared.kind != DIM_SYMBOL && declared.kind != DIM_SUM) return declared;
    if (declared.sym->kind == SYM_PARAM && declared.sym->dim < e->call.args.n)
        return dim_plus(dim_of(e->call.args.at[declared.sym->dim].value), declared.value);
    for (int k = 0; k < info->func->sizes.n && k < info->sizes.n; k++) {
        if (info->func->sizes.at[k] != declared.sym) continue;
        Dim given = dim_of_array(e->call.args.at[info->sizes.at[k].arg].value, info->sizes.at[k].dim);
        return dim_plus(given, declared.value - info->sizes.at[k].add);
    }
    return (Dim){0};
}

void dims_of_array(Expr *e, Dim out[MAX_RANK]) {
    for (int d = 0; d < MAX_RANK; d++) out[d] = (Dim){0};
    if (!e || !e->type || e->type->kind != TY_ARRAY) return;
    const Symbol *from = NULL;
    if (e->kind == EXPR_FILL) {
        for (int d = 0; d < e->type->rank; d++) out[d] = dim_of(e->fill.extents.at[d]);
    } else if (e->kind == EXPR_COMPREHEND) {
        for (int d = 0; d < e->type->rank; d++) out[d] = dim_of_range(&e->comprehend.binders.at[d].range);
    } else if (e->kind == EXPR_LIST) {
        for (int d = 0; d < e->type->rank; d++) out[d] = dim_const(list_extent(e, d));
    } else if (expr_fixed_field(e)) {
        fixed_extents(e, out);
    } else if (e->kind == EXPR_NAME) {
        from = e->name.sym;
    } else if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC) {
        for (int d = 0; d < e->type->rank; d++) out[d] = dim_of_result(e, e->call.info->func->facts->result_dims[d]);
    } else if (expr_is_slice(e)) {
        dims_of_slice(e, out);
    } else if (e->kind == EXPR_CALL && e->call.info && e->call.info->builtin == BUILTIN_COPY) {
        dims_of_array(e->call.args.at[0].value, out);
    }
    for (int d = 0; from && d < MAX_RANK; d++) out[d] = from->dims[d];
}

/* What is known of each array --------------------------------------------------------------------------------- */

static void param_dims(Symbol *param, const Shape *shape) {
    for (int d = 0; d < shape->rank && !param->reshaped; d++) {
        const Extent *x = &shape->at[d];
        if (x->kind == EXTENT_CONST) param->dims[d] = dim_const(x->value);
        else if (x->size) param->dims[d] = dim_plus((Dim){.kind = DIM_SYMBOL, .sym = x->size}, x->value);
    }
}

bool shape_is_open(const Symbol *sym) { return sym->reshaped && !sym->redefined; }

void shape_redefine(Sema *s, Redefinition r, bool was_open) {
    if (r.sym->type->kind != TY_ARRAY || r.sym->kind != SYM_LOCAL || was_open || !s->facts) return;
    if (frame_facts(r.sym)->is_fixed) return; /* fixed.c decides */
    r.sym->redefined = true;
    vec_push(s->arena, &s->facts->redefined, r);
}

static bool has_dims(const Symbol *sym) {
    return sym->type->kind == TY_ARRAY && !shape_is_open(sym) && !frame_facts(sym)->is_fixed;
}

/* Forgets the extents that a value does not have. */
static bool meet_dims(Symbol *sym, Dim dims[MAX_RANK]) {
    bool changed = false;
    for (int d = 0; d < sym->type->rank; d++) {
        if (sym->dims[d].kind == DIM_UNKNOWN || dim_is_same(sym->dims[d], dims[d])) continue;
        sym->dims[d] = (Dim){0};
        changed = true;
    }
    return changed;
}

/* All values that a variable gets have the extents of the first: the greatest fixed point, since it may get that of
 * another variable whose extents depend on its own. */
static void settle_dims(FuncFacts *facts) {
    Dim dims[MAX_RANK];
    for (bool changed = facts->redefined.n > 0; changed;) {
        changed = false;
        for (int i = 0; i < facts->redefined.n; i++) {
            Redefinition *r = &facts->redefined.at[i];
            if (r->value) dims_of_array(r->value, dims);
            if (has_dims(r->sym)) changed |= meet_dims(r->sym, r->value ? dims : r->other->dims);
        }
        for (int i = 0; i < facts->locals.n; i++) {
            Symbol *sym = facts->locals.at[i];
            if (!has_dims(sym)) continue;
            dims_of_array(sym->init, dims);
            changed |= meet_dims(sym, dims);
        }
    }
}

static void gather_dims(Func *f) {
    fixed_settle(f);
    for (int i = 0; i < f->params.n; i++) param_dims(f->params.at[i], &f->shapes.at[i]);
    for (int i = 0; i < f->facts->locals.n; i++) {
        Symbol *sym = f->facts->locals.at[i];
        if (has_dims(sym)) dims_of_array(sym->init, sym->dims);
    }
    settle_dims(f->facts);
}

/* Comparing --------------------------------------------------------------------------------------------------- */

static const char *dim_text(Sema *s, Dim d) {
    if (d.kind == DIM_CONST) return arena_printf(s->arena, "%lld", (long long)d.value);
    return d.kind == DIM_UNKNOWN ? "unknown" : size_text(s->arena, d.sym, d.value);
}

static const char *shape_text(Sema *s, const Symbol *param, Expr *arg) {
    const char *text = arena_printf(s->arena, "`%s`, whose shape is [", param->name);
    for (int d = 0; d < param->type->rank; d++) {
        Dim x = dim_of_array(arg, d);
        const char *sep = d ? ", " : "";
        text = arena_printf(s->arena, "%s%s%s", text, sep, x.kind == DIM_UNKNOWN ? "_" : dim_text(s, x));
    }
    return arena_printf(s->arena, "%s]", text);
}

/* "n + 1": of a parameter, as declared */
static const char *declared_text(Sema *s, const Func *f, int arg, int dim) {
    const Extent *x = &f->shapes.at[arg].at[dim];
    return size_text(s->arena, x->size, x->value);
}

static void differ(Sema *s, const CallSite *site, const ShapeCheck *c) {
    const Func *f = site->callee;
    ArgList *args = &site->call->call.args;
    const Symbol *param = f->params.at[c->arg];
    const Arg *arg = &args->at[c->arg];
    if (c->other_arg < 0) {
        Diag *d = diag(s->c, E0601, arg->span, "in the call of `%s`, dimension %d of %s, must be %s%lld", f->name,
                       c->dim, shape_text(s, param, arg->value), c->is_least ? "at least " : "", (long long)c->value);
        diag_note(s->c, d, f->shapes.at[c->arg].at[c->dim].span, "it is declared here");
        return;
    }
    const Symbol *other_param = f->params.at[c->other_arg];
    const Arg *other = &args->at[c->other_arg];
    const char *name = declared_text(s, f, c->arg, c->dim), *first = declared_text(s, f, c->other_arg, c->other_dim);
    const char *again = strcmp(name, first) ? arena_printf(s->arena, "`%s` is ", name) : "";
    Diag *d = diag(s->c, E0601, arg->span, "in the call of `%s`, `%s` is %s for %s, but %s%s for %s", f->name, first,
                   dim_text(s, dim_of_array(other->value, c->other_dim)), shape_text(s, other_param, other->value),
                   again, dim_text(s, dim_of_array(arg->value, c->dim)), shape_text(s, param, arg->value));
    if (other != arg) diag_note(s->c, d, other->span, "`%s` gets its value here", c->size->name);
}

static Verdict least_verdict(Dim have, int64_t least) {
    if (have.kind == DIM_CONST) return have.value >= least ? DIMS_SAME : DIMS_DIFFER;
    bool is_size = have.kind != DIM_UNKNOWN && have.sym->kind == SYM_SIZE; /* not negative */
    return is_size && have.value >= least ? DIMS_SAME : DIMS_UNKNOWN;
}

static void check_extent(Sema *s, CallSite *site, ShapeCheck c) {
    CallInfo *info = site->call->call.info;
    ArgList *args = &site->call->call.args;
    Dim have = dim_of_array(args->at[c.arg].value, c.dim);
    Dim want = dim_const(c.value);
    if (c.other_arg >= 0) want = dim_plus(dim_of_array(args->at[c.other_arg].value, c.other_dim), c.value);
    switch (c.is_least ? least_verdict(have, c.value) : compare_dims(have, want)) {
    case DIMS_SAME: break;
    case DIMS_DIFFER: differ(s, site, &c); break;
    case DIMS_UNKNOWN: vec_push(s->arena, &info->checks, c); break;
    }
}

/* Arrays of no elements for `n + 1` would make n negative, unless another array has as many elements as n, or fewer. */
static bool may_be_negative(const Func *f, const Symbol *size) {
    for (int i = 0; i < f->n_given; i++)
        for (int d = 0; d < f->shapes.at[i].rank; d++) {
            const Extent *x = &f->shapes.at[i].at[d];
            if (x->kind != EXTENT_CONST && x->size == size && x->value <= 0) return false;
        }
    return true;
}

/* The memory of a slice belongs to the sliced array. */
static void check_replaced(Sema *s, CallSite *site) {
    for (int i = 0; i < site->callee->n_given; i++) {
        const Symbol *param = site->callee->params.at[i];
        const Arg *arg = &site->call->call.args.at[i];
        if (param->reshaped && expr_fixed_field(arg->value))
            diag(s->c, E0345, arg->span, "`%s` replaces or swaps `%s`, but `%s` is part of a struct",
                 site->callee->name,
                 param->name, source_text(s, arg->value->span));
        if (!param->reshaped || !expr_is_slice(arg->value)) continue;
        Diag *d = diag(s->c, E0613, arg->span, "`%s` replaces or swaps `%s`, which needs a whole array, not a slice",
                       site->callee->name, param->name);
        note_declared(s, d, param);
    }
}

static void check_call_shapes(Sema *s, CallSite *site) {
    Func *f = site->callee;
    const CallInfo *info = site->call->call.info;
    check_replaced(s, site);
    for (int i = 0; i < f->n_given; i++)
        for (int d = 0; d < f->shapes.at[i].rank; d++) {
            const Extent *x = &f->shapes.at[i].at[d];
            ShapeCheck c = {.arg = i, .dim = d, .other_arg = -1, .other_dim = -1, .value = x->value, .size = x->size};
            c.is_least = x->kind == EXTENT_BINDS && x->value > 0 && may_be_negative(f, x->size);
            if (x->kind == EXTENT_CONST || c.is_least) check_extent(s, site, c);
            for (int k = 0; x->kind == EXTENT_SAME && k < f->sizes.n && k < info->sizes.n; k++) {
                if (f->sizes.at[k] != x->size) continue;
                c.other_arg = info->sizes.at[k].arg;
                c.other_dim = info->sizes.at[k].dim;
                c.value = x->value - info->sizes.at[k].add;
                check_extent(s, site, c);
            }
        }
}

/* Of a call that is none any more (group_inline.c): nothing is left to be decided at run time. */
static void check_inlined_shapes(Sema *s, CallSite *site) {
    const CallInfo *info = site->call->call.info;
    check_call_shapes(s, site);
    if (!info->checks.n) return;
    const Arg *a = &site->call->call.args.at[info->checks.at[0].arg];
    Diag *d = diag(s->c, E0528, a->span, "cannot tell whether `%s` has the extents that `%s` needs",
                   source_text(s, a->value->span), site->callee->name);
    diag_note(s->c, d, a->span, "a function with a barrier is inlined: use the same sizes or constants in both");
}

/* `let x: [f64; 4] = [1.0, 2.0, 3.0];`: the extent is the last number of the type. */
static void say_length(Sema *s, const Expr *list, int64_t have, int64_t want, Span where, const char *what) {
    Diag *d = diag(s->c, E0601, list->span, "this list has %lld element%s, but the type of the %s has %lld",
                   (long long)have, have == 1 ? "" : "s", what, (long long)want);
    const char *type = source_text(s, where), *number = arena_printf(s->arena, "%lld]", (long long)want);
    size_t n = strlen(type), n_number = strlen(number);
    bool is_plain = n > n_number && !strcmp(type + n - n_number, number);
    if (is_plain)
        diag_fix(s->c, d, (Span){where.hi - (uint32_t)n_number, where.hi - 1},
                 arena_printf(s->arena, "%lld", (long long)have), "write the number of elements");
    else diag_note(s->c, d, where, "the type is here");
}

static void check_promised(Sema *s, Expr *value, const Dim *promised, Span where, const char *what) {
    Dim have[MAX_RANK];
    if (!value || !value->type || value->type->kind != TY_ARRAY) return;
    dims_of_array(value, have);
    for (int d = 0; d < value->type->rank; d++) {
        Verdict v = promised[d].kind == DIM_UNKNOWN ? DIMS_SAME : compare_dims(have[d], promised[d]);
        if (v == DIMS_SAME) continue;
        const char *want = dim_text(s, promised[d]);
        bool is_list = value->kind == EXPR_LIST && value->type->rank == 1 && v == DIMS_DIFFER &&
                       have[d].kind == DIM_CONST && promised[d].kind == DIM_CONST;
        if (is_list) {
            say_length(s, value, have[d].value, promised[d].value, where, what);
            return;
        }
        Diag *said = v == DIMS_DIFFER
                         ? diag(s->c, E0601, value->span, "extent %d is %s here, but %s in the type of the %s", d,
                                dim_text(s, have[d]), want, what)
                         : diag(s->c, E0608, value->span, "cannot tell whether extent %d of this is %s", d, want);
        diag_note(s->c, said, where,
                  v == DIMS_DIFFER ? "the type is here" : "use `_` for an extent that is only known at run time");
        return;
    }
}

/* Bounds of a slice: 0 <= lo <= hi <= extent, as far as they are constants. */
static void check_slice_range(Sema *s, const Symbol *array, const Range *r, int64_t extent) {
    bool has_lo = r->lo && r->lo->konst.kind == CONST_INT, has_hi = r->hi && r->hi->konst.kind == CONST_INT;
    int64_t lo = has_lo ? r->lo->konst.i : 0, hi = has_hi ? r->hi->konst.i : extent;
    Diag *d = NULL;
    if ((has_lo && lo < 0) || (has_hi && hi < 0))
        d = diag(s->c, E0615, lo < 0 ? r->lo->span : r->hi->span, "an index cannot be negative, but this is %lld",
                 (long long)(lo < 0 ? lo : hi));
    else if (has_hi && extent >= 0 && hi > extent)
        d = diag(s->c, E0615, r->hi->span, "the slice ends at %lld, but `%s` has extent %lld", (long long)hi,
                 array->name, (long long)extent);
    else if (has_lo && has_hi && lo > hi)
        d = diag(s->c, E0615, r->lo->span, "the slice ends before it begins: it is %lld..%lld", (long long)lo,
                 (long long)hi);
    else if (has_lo && extent >= 0 && lo > extent)
        d = diag(s->c, E0615, r->lo->span, "the slice begins at %lld, but `%s` has extent %lld", (long long)lo,
                 array->name, (long long)extent);
    if (d) note_declared(s, d, array);
}

/* An array that is part of a struct. */
static void check_field_indexed(Sema *s, const Expr *e, const Type *field) {
    for (int d = 0; d < e->index.at.n && d < field->rank; d++) {
        const Expr *at = e->index.at.at[d];
        if (at->konst.kind != CONST_INT || (at->konst.i >= 0 && at->konst.i < field->extent[d])) continue;
        diag(s->c, E0610, at->span, "index %lld is out of bounds for `%s`, whose extent is %lld",
             (long long)at->konst.i,
             source_text(s, e->index.base->span), (long long)field->extent[d]);
    }
}

static int64_t known_extent(const Symbol *array, int d) {
    return array->dims[d].kind == DIM_CONST ? array->dims[d].value : -1;
}

/* a[-1] of Python is the last element. */
static void fix_from_the_end(Sema *s, Diag *d, const Expr *at, const Symbol *array, int dim, int64_t extent) {
    bool is_literal = at->kind == EXPR_UNARY && at->unary.op == OP_NEG && at->unary.operand->kind == EXPR_INT;
    if (!is_literal || (extent >= 0 && -at->konst.i > extent)) return;
    const char *length = array->type->rank == 1 ? arena_printf(s->arena, "len(%s)", array->name)
                                                : arena_printf(s->arena, "shape(%s, %d)", array->name, dim);
    diag_fix(s->c, d, at->span, arena_printf(s->arena, "%s - %lld", length, (long long)-at->konst.i),
             "count from the end");
}

static void check_indexed(Sema *s, const Expr *e) {
    if (expr_fixed_field(e->index.base)) {
        check_field_indexed(s, e, expr_fixed_field(e->index.base));
        return;
    }
    const Symbol *array = e->index.base->name.sym;
    for (int d = 0; d < e->index.at.n; d++) {
        const Expr *at = e->index.at.at[d];
        if (at->kind == EXPR_RANGE) check_slice_range(s, array, &at->range.range, known_extent(array, d));
        if (at->kind == EXPR_RANGE && at->range.range.column) at = at->range.range.column;
        if (at->konst.kind != CONST_INT) continue;
        int64_t extent = known_extent(array, d);
        if (at->konst.i >= 0 && (extent < 0 || at->konst.i < extent)) continue;
        Diag *said = extent < 0
                         ? diag(s->c, E0610, at->span, "an index cannot be negative, but this is %lld",
                                (long long)at->konst.i)
                         : diag(s->c, E0610, at->span, "index %lld is out of bounds for `%s`, whose extent is %lld",
                                (long long)at->konst.i, array->name, (long long)extent);
        note_declared(s, said, array);
        fix_from_the_end(s, said, at, array, d, extent);
    }
}

static void check_func(Sema *s, Func *f) {
    FuncFacts *facts = f->facts;
    gather_dims(f);
    for (int i = 0; i < facts->declared.n; i++)
        check_promised(s, facts->declared.at[i].sym->init, facts->declared.at[i].dims, facts->declared.at[i].span,
                       "variable");
    for (int i = 0; i < facts->promises.n; i++) {
        const Promise *p = &facts->promises.at[i];
        check_promised(s, p->value, p->dims, p->span, p->what);
    }
    for (int i = 0; i < facts->calls.n; i++) check_call_shapes(s, facts->calls.at[i]);
    for (int i = 0; i < facts->inlined.n; i++) check_inlined_shapes(s, facts->inlined.at[i]);
    for (int i = 0; i < facts->indexed.n; i++) check_indexed(s, facts->indexed.at[i]);
    for (int i = 0; i < facts->returns.n && facts->has_result_dims; i++)
        check_promised(s, facts->returns.at[i]->return_.value, facts->result_dims, facts->result_span, "result");
}

void shapes_check(Sema *s) {
    for (int i = 0; i < s->program->funcs.n; i++) {
        int since = s->c->diags.list.n;
        check_func(s, s->program->funcs.at[i]);
        instance_notes(s, s->program->funcs.at[i]->facts->instance, since, ALL_STEPS);
    }
}
