/* written.c -- must-write regions (array region analysis, Creusillet and Irigoin 1995) as integer sets of isl: for each
 * statement the elements of an array that are certainly written from there to the end, as a set whose parameters are
 * the sizes, the variables of the domain and those of the loops around it. A loop's region is the union over its
 * iterations, that of an `if` is what either branch writes under its condition, or what both write where the condition
 * is not quasi-affine. A kernel's is the union over its domain; where it works in groups, over all items of the groups.
 * A launch's is that of its kernel, with the values of the arguments.
 *
 * A region is a lower bound. What is not understood writes nothing: loops that may be left early, `while`, slices. A
 * check that fails ends the program, so what comes after it counts as if none did.
 *
 * isl_set_coalesce is not used: docs/decisions/must-write-regions.md. */
#include "sema/written.h"

#include "sema/check.h"

#include <isl/val.h>

/* The statements that follow a block, up to the end of the function or of a loop's iteration. */
typedef struct Rest {
    const Block *block;
    int from;
    const struct Rest *after; /* NULL: the end */
} Rest;

/* Sets ------------------------------------------------------------------------------------------------------------- */

isl_space *written_elements(const Written *at) { return isl_space_set_alloc(at->quasi.q->ctx, 0, (unsigned)at->rank); }
static isl_set *no_element(const Written *at) { return isl_set_empty(written_elements(at)); }

static isl_set *where(isl_set *written, isl_set *states) {
    return isl_set_intersect_params(written, isl_set_params(states));
}

static isl_map *no_index(const Written *at) {
    return isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(at->quasi.q->ctx, 0, 0)));
}

/* The one element at these indices; NULL if an index is not quasi-affine. */
static isl_set *element(Written *at, const ExprList *indices, isl_set *states) {
    isl_map *m = no_index(at);
    for (int d = 0; d < indices->n; d++)
        m = isl_map_flat_range_product(m, isl_map_from_pw_aff(quasi_int(&at->quasi, indices->at[d], states)));
    return m ? isl_map_range(m) : NULL;
}

isl_set *written_box(Written *at) {
    isl_map *m = no_index(at);
    for (int d = 0; d < at->rank; d++) {
        isl_map *extent = isl_map_from_pw_aff(quasi_array_extent(&at->quasi, at->array, d));
        isl_map *below = isl_map_lex_gt(isl_space_set_alloc(at->quasi.q->ctx, 0, 1)); /* extent -> i */
        below = isl_map_lower_bound_si(below, isl_dim_out, 0, 0);
        m = isl_map_flat_range_product(m, isl_map_apply_range(extent, below));
    }
    return isl_map_range(m);
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static bool is_plain(const Stmt *st) { return st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max; }

static bool is_array(const Written *at, const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym == at->array;
}

static isl_set *stored(Written *at, const Stmt *st, isl_set *states) {
    const Expr *target = st->assign.target;
    bool is_element = target->kind == EXPR_INDEX && is_array(at, target->index.base) && target->index.at.n == at->rank;
    bool is_value = !at->rank && is_array(at, target);
    if (expr_root(target) == at->array && !is_element && !is_value) *at->unclear = target; /* a part of an element */
    if (!is_plain(st) || (!is_element && !is_value)) return no_element(at);
    *at->writer = at->quasi.f;
    if (is_value) return isl_set_universe(written_elements(at));
    isl_set *one = element(at, &target->index.at, states);
    if (!one) *at->unclear = target;
    return one ? one : no_element(at);
}

static isl_set *written_from(Written *at, Rest rest, isl_set *states);

isl_set *written_by_block(Written *at, const Block *b, isl_set *states) {
    return written_from(at, (Rest){b, 0, NULL}, states);
}

/* The call or launch that a statement begins with or consists of. */
static const Expr *call_of(const Stmt *st) {
    const Expr *e = NULL;
    if (st->kind == STMT_EXPR) e = st->expr.expr;
    if (st->kind == STMT_LET) e = st->let.init;
    if (st->kind == STMT_ASSIGN) e = st->assign.value;
    if (st->kind == STMT_RETURN) e = st->return_.value;
    if (e) e = expr_strip((Expr *)e);
    if (e && e->kind == EXPR_OFFLOAD) e = e->offload.call;
    return e && e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC ? e : NULL;
}

/* The call checks that the shapes agree, so the sizes of the parameter are the extents of the array. */
static void bind_extents(Written *at, Written *in) {
    const Shape *shape = &in->quasi.f->shapes.at[in->array->dim];
    for (int d = 0; d < at->rank && d < shape->rank; d++) {
        const Extent *x = &shape->at[d];
        bool is_size = x->kind == EXTENT_BINDS || x->kind == EXTENT_SAME;
        isl_pw_aff *extent = is_size ? quasi_array_extent(&at->quasi, at->array, d) : NULL;
        if (extent && x->value) extent = isl_pw_aff_sub(extent, quasi_number(at->quasi.q, x->value));
        if (extent) quasi_bind(&in->quasi, x->size, extent);
    }
}

static void bind_arguments(Written *at, Written *in, const Expr *call, isl_set *states) {
    const Func *f = in->quasi.f;
    for (int i = 0; i < call->call.args.n && i < f->params.n; i++)
        if (f->params.at[i]->mode == REF_NONE)
            quasi_bind(&in->quasi, f->params.at[i], quasi_int(&at->quasi, call->call.args.at[i].value, states));
    quasi_bind_sizes(&at->quasi, &in->quasi, call, states);
    bind_extents(at, in);
}

static isl_set *called(Written *at, const Expr *call, isl_set *states) {
    const Func *f = call->call.info->func;
    isl_set *written = no_element(at);
    if (!f->item || !f->item->fn.body || f->facts->skip) return written;
    for (int i = 0; i < call->call.args.n; i++) {
        const Arg *a = &call->call.args.at[i];
        if ((a->mode != REF_MUT && a->mode != REF_OUT) || expr_whole_array(a->value) != at->array || --*at->calls < 0)
            continue;
        Written in = {quasi_frame(at->quasi.q, f), f->params.at[i], at->rank, at->calls, at->writer, at->unclear};
        bind_arguments(at, &in, call, states);
        written = isl_set_union(written, f->is_kernel ? written_by_kernel(&in, states)
                                                      : written_by_block(&in, f->item->fn.body, states));
        quasi_frame_end(&in.quasi);
    }
    return written;
}

/* Each branch where it runs, or what both write where the condition is not known. The `rest` runs after either: NULL
 * where both come to it anyway. */
static isl_set *selected(Written *at, const Stmt *st, const Rest *rest, isl_set *states) {
    isl_set *c = quasi_bool(&at->quasi, st->if_.cond, states);
    isl_set *yes = isl_set_copy(states), *no = isl_set_copy(states);
    if (c) yes = isl_set_intersect(yes, isl_set_copy(c)), no = isl_set_subtract(no, isl_set_copy(c));
    Block *else_ = arena_new(at->quasi.q->arena, Block);
    if (st->if_.else_) vec_push(at->quasi.q->arena, &else_->stmts, st->if_.else_);
    isl_set *then = written_from(at, (Rest){st->if_.then_, 0, rest}, yes);
    isl_set *otherwise = written_from(at, (Rest){else_, 0, rest}, no);
    isl_set_free(yes);
    isl_set_free(no);
    if (!c) return isl_set_intersect(then, otherwise);
    isl_set *other = isl_set_complement(isl_set_copy(c));
    then = where(then, c);
    return isl_set_union(then, where(otherwise, other));
}

/* What a loop that runs to its end writes in some iteration. */
static isl_set *repeated(Written *at, const Stmt *st, isl_set *states) {
    const Symbol *sym = st->for_.binder.sym;
    if (stmt_holds(st, 1u << STMT_RETURN | 1u << STMT_BREAK)) return no_element(at);
    isl_pw_aff *k = quasi_variable(at->quasi.q, sym);
    isl_set *range = quasi_range(&at->quasi, &st->for_.binder.range, k, states), *written = no_element(at);
    if (range) {
        isl_set *inside = isl_set_intersect(isl_set_copy(range), isl_set_copy(states));
        quasi_bind(&at->quasi, sym, isl_pw_aff_copy(k));
        isl_set_free(written);
        written = written_by_block(at, st->for_.body, inside);
        written = quasi_some(where(written, range), k);
        quasi_bind(&at->quasi, sym, NULL);
        isl_set_free(inside);
    }
    isl_pw_aff_free(k);
    return written;
}

static isl_set *written_here(Written *at, const Stmt *st, isl_set *states) {
    switch (st->kind) {
    case STMT_ASSIGN: return stored(at, st, states);
    case STMT_IF: return selected(at, st, NULL, states);
    case STMT_FOR: return repeated(at, st, states);
    case STMT_LET:
        if (!st->let.is_var && st->let.init)
            quasi_bind(&at->quasi, st->let.sym, quasi_int(&at->quasi, st->let.init, states));
        break;
    case STMT_BLOCK:
    case STMT_RESIDENT: return written_by_block(at, st->block.block, states);
    case STMT_RETURN:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_WHILE:
    case STMT_EXPR:
    case STMT_ATOMIC:
    case STMT_ASSERT:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT_ERROR:
    case STMT__COUNT: break;
    }
    return no_element(at);
}

isl_set *written_by_stmt(Written *at, const Stmt *st, isl_set *states) {
    const Expr *call = call_of(st);
    isl_set *written = call ? called(at, call, states) : no_element(at);
    return isl_set_union(written, written_here(at, st, states));
}

/* What is written from here to the end, whichever path is taken. */
static isl_set *written_from(Written *at, Rest rest, isl_set *states) {
    isl_set *written = no_element(at);
    for (;; rest.from++) {
        if (rest.from == rest.block->stmts.n) {
            if (!rest.after) return written;
            rest = *rest.after;
            rest.from--; /* and on with the first of them */
            continue;
        }
        const Stmt *st = rest.block->stmts.at[rest.from];
        Rest next = {rest.block, rest.from + 1, rest.after};
        bool may_leave = stmt_holds(st, STMTS_LEAVE);
        if (may_leave && st->kind == STMT_IF) return isl_set_union(written, selected(at, st, &next, states));
        if (may_leave && st->kind == STMT_BLOCK)
            return isl_set_union(written, written_from(at, (Rest){st->block.block, 0, &next}, states));
        written = isl_set_union(written, written_by_stmt(at, st, states));
        bool is_loop = st->kind == STMT_FOR || st->kind == STMT_WHILE;
        if (is_loop ? stmt_holds(st, STMTS_RETURN) : may_leave) return written;
    }
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

typedef struct Items {
    isl_pw_aff *number[3]; /* along each axis: what the domain's variables are made of */
    isl_set *domain;
} Items;

/* All items of a group run, also those that are not in the domain; its first one is. The host has checked the
 * arithmetic of the bounds before the launch. */
static void bind_group(Written *at, Items *all, int d, isl_set *states) {
    const Func *f = at->quasi.f;
    Quasi *q = at->quasi.q;
    const Range *r = &f->item->fn.over.at[d].range;
    int64_t step = r->step && r->step->konst.kind == CONST_INT ? r->step->konst.i : 1;
    isl_val *by = isl_val_int_from_si(q->ctx, f->group.by[d]), *step_val = isl_val_int_from_si(q->ctx, step);
    isl_pw_aff *k = all->number[d], *lo = r->lo ? quasi_int(&at->quasi, r->lo, states) : quasi_number(q, 0);
    isl_pw_aff *group = isl_pw_aff_floor(isl_pw_aff_scale_down_val(isl_pw_aff_copy(k), isl_val_copy(by)));
    isl_pw_aff *first = isl_pw_aff_copy(group);
    first = isl_pw_aff_scale_val(first, isl_val_mul(isl_val_copy(by), isl_val_copy(step_val)));
    isl_pw_aff *hi = quasi_int(&at->quasi, r->hi, states);
    first = isl_pw_aff_add(first, isl_pw_aff_copy(lo));
    isl_set *runs = step > 0 ? isl_pw_aff_lt_set(first, hi) : isl_pw_aff_gt_set(first, hi);
    if (r->step && r->step->konst.kind != CONST_INT) runs = isl_set_free(runs);
    all->domain = isl_set_intersect(all->domain, isl_set_intersect(isl_pw_aff_nonneg_set(isl_pw_aff_copy(k)), runs));
    quasi_bind(&at->quasi, f->group.at[d], group);
    quasi_bind(&at->quasi, f->group.local[d], isl_pw_aff_mod_val(isl_pw_aff_copy(k), by));
    quasi_bind(&at->quasi, f->domain.at[d], isl_pw_aff_add(lo, isl_pw_aff_scale_val(isl_pw_aff_copy(k), step_val)));
}

/* `inside`: each axis is below its end. */
static void bind_inside(Written *at, isl_set *states) {
    const Func *f = at->quasi.f;
    isl_set *inside = quasi_all(at->quasi.q);
    for (int d = 0; d < f->domain.n; d++) {
        isl_pw_aff *i = isl_pw_aff_copy(at->quasi.value[f->domain.at[d]->id]);
        isl_pw_aff *hi = quasi_int(&at->quasi, f->item->fn.over.at[d].range.hi, states);
        inside = isl_set_intersect(inside, isl_pw_aff_lt_set(i, hi));
    }
    quasi_bind(&at->quasi, f->group.inside, isl_set_indicator_function(inside));
}

static void bind_axis(Written *at, Items *all, int d, isl_set *states) {
    const Func *f = at->quasi.f;
    isl_set *range = quasi_range(&at->quasi, &f->item->fn.over.at[d].range, all->number[d], states);
    all->domain = isl_set_intersect(all->domain, range);
    quasi_bind(&at->quasi, f->domain.at[d], isl_pw_aff_copy(all->number[d]));
}

static Items bind_items(Written *at, isl_set *states) {
    const Func *f = at->quasi.f;
    Items all = {.domain = isl_set_copy(states)};
    for (int d = 0; d < f->domain.n; d++) {
        all.number[d] = quasi_variable(at->quasi.q, f->domain.at[d]);
        if (f->group.items) bind_group(at, &all, d, states);
        else bind_axis(at, &all, d, states);
    }
    if (f->group.items) bind_inside(at, states);
    return all;
}

static isl_set *of_all(const Written *at, const Items *all, isl_set *written) {
    written = where(written, isl_set_copy(all->domain));
    for (int d = 0; d < at->quasi.f->domain.n; d++) written = quasi_some(written, all->number[d]);
    return written;
}

static void free_items(const Written *at, Items *all) {
    for (int d = 0; d < at->quasi.f->domain.n; d++) isl_pw_aff_free(all->number[d]);
    isl_set_free(all->domain);
}

isl_set *written_by_kernel(Written *at, isl_set *states) {
    Items all = bind_items(at, states);
    isl_set *written = of_all(at, &all, written_by_block(at, at->quasi.f->item->fn.body, all.domain));
    free_items(at, &all);
    return written;
}

isl_set *written_if_any(Written *at, isl_set *states) {
    Items all = bind_items(at, states);
    isl_set *some = of_all(at, &all, isl_set_universe(written_elements(at)));
    free_items(at, &all);
    return some;
}
