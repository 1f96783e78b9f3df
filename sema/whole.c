/* whole.c -- does a kernel write every element of a parameter? Must-write regions (array region analysis, Creusillet
 * and Irigoin 1995) as integer sets of isl: for each statement the elements that are certainly written from there to
 * the end, as a set whose parameters are the sizes, the variables of the domain and those of the loops around it. A
 * loop's region is the union over its iterations, that of an `if` is what either branch writes under its condition, or
 * what both write where the condition is not quasi-affine. The kernel's is the union over its domain, and the question
 * is whether the array's box of elements is a subset of it.
 *
 * A region is a lower bound. What is not understood writes nothing: loops that may be left early, `while`, slices. A
 * check that fails ends the program, so what comes after it counts as if none did.
 * A reference to a single value is an array of one element: one item that certainly writes it is enough. A launch
 * without items copies nothing back.
 *
 * isl_set_coalesce is not used: docs/decisions/must-write-regions.md. */
#include "sema/analysis/quasi.h"
#include "sema/flow.h"

#include <isl/point.h>
#include <isl/val.h>

enum {
    MAX_CALLS = 500,         /* looked into for one parameter */
    MAX_OPERATIONS = 200000, /* of isl, for one parameter: some ten milliseconds */
};

/* The statements that follow a block, up to the end of the function or of a loop's iteration. */
typedef struct Rest {
    const Block *block;
    int from;
    const struct Rest *after; /* NULL: the end */
} Rest;

/* A function on the way from the kernel to a store, and which of its parameters the array is. */
typedef struct Frame {
    QuasiFrame quasi;
    int param, rank;
    int *calls;          /* left to look into */
    const Func **writer; /* of the last store */
} Frame;

/* Sets ------------------------------------------------------------------------------------------------------------- */

static isl_space *elements(const Frame *at) { return isl_space_set_alloc(at->quasi.q->ctx, 0, (unsigned)at->rank); }
static isl_set *no_element(const Frame *at) { return isl_set_empty(elements(at)); }

static isl_set *where(isl_set *written, isl_set *states) {
    return isl_set_intersect_params(written, isl_set_params(states));
}

static isl_map *no_index(const Frame *at) {
    return isl_map_universe(isl_space_map_from_set(isl_space_set_alloc(at->quasi.q->ctx, 0, 0)));
}

/* The one element at these indices; none if an index is not quasi-affine. */
static isl_set *element(Frame *at, const ExprList *indices, isl_set *states) {
    isl_map *m = no_index(at);
    for (int d = 0; d < indices->n; d++)
        m = isl_map_flat_range_product(m, isl_map_from_pw_aff(quasi_int(&at->quasi, indices->at[d], states)));
    return m ? isl_map_range(m) : no_element(at);
}

/* All elements of an array. */
static isl_set *box(Frame *at, const Shape *shape) {
    isl_map *m = no_index(at);
    for (int d = 0; d < shape->rank; d++) {
        isl_map *extent = isl_map_from_pw_aff(quasi_extent(&at->quasi, &shape->at[d]));
        isl_map *below = isl_map_lex_gt(isl_space_set_alloc(at->quasi.q->ctx, 0, 1)); /* extent -> i */
        below = isl_map_lower_bound_si(below, isl_dim_out, 0, 0);
        m = isl_map_flat_range_product(m, isl_map_apply_range(extent, below));
    }
    return isl_map_range(m);
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static bool is_plain(const Stmt *st) { return st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max; }

static bool is_array(const Frame *at, const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym == at->quasi.f->params.at[at->param];
}

static isl_set *stored(Frame *at, const Stmt *st, isl_set *states) {
    const Expr *target = st->assign.target;
    bool is_element = target->kind == EXPR_INDEX && is_array(at, target->index.base) && target->index.at.n == at->rank;
    bool is_value = !at->rank && is_array(at, target);
    if (!is_plain(st) || (!is_element && !is_value)) return no_element(at);
    *at->writer = at->quasi.f;
    return is_element ? element(at, &target->index.at, states) : isl_set_universe(elements(at));
}

static isl_set *written_from(Frame *at, Rest rest, isl_set *states);

/* The call that a statement begins with or consists of. */
static const Expr *call_of(const Stmt *st) {
    const Expr *e = NULL;
    if (st->kind == STMT_EXPR) e = st->expr.expr;
    if (st->kind == STMT_LET) e = st->let.init;
    if (st->kind == STMT_ASSIGN) e = st->assign.value;
    if (st->kind == STMT_RETURN) e = st->return_.value;
    if (e) e = expr_strip((Expr *)e);
    return e && e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC ? e : NULL;
}

static void bind_arguments(Frame *at, Frame *in, const Expr *call, isl_set *states) {
    const Func *f = in->quasi.f;
    for (int i = 0; i < call->call.args.n && i < f->params.n; i++)
        if (f->params.at[i]->mode == REF_NONE)
            quasi_bind(&in->quasi, f->params.at[i], quasi_int(&at->quasi, call->call.args.at[i].value, states));
    quasi_bind_sizes(&at->quasi, &in->quasi, call, states);
}

static isl_set *called(Frame *at, const Expr *call, isl_set *states) {
    const Func *f = call->call.info->func;
    isl_set *written = no_element(at);
    if (!f->item || !f->item->fn.body || f->facts->skip) return written;
    for (int i = 0; i < call->call.args.n; i++) {
        const Arg *a = &call->call.args.at[i];
        if ((a->mode != REF_MUT && a->mode != REF_OUT) || !is_array(at, a->value) || --*at->calls < 0) continue;
        Frame in = {quasi_frame(at->quasi.q, f), i, at->rank, at->calls, at->writer};
        bind_arguments(at, &in, call, states);
        written = isl_set_union(written, written_from(&in, (Rest){f->item->fn.body, 0, NULL}, states));
        quasi_frame_end(&in.quasi);
    }
    return written;
}

/* Each branch where it runs, or what both write where the condition is not known. The `rest` runs after either: NULL
 * where both come to it anyway. */
static isl_set *selected(Frame *at, const Stmt *st, const Rest *rest, isl_set *states) {
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
static isl_set *repeated(Frame *at, const Stmt *st, isl_set *states) {
    const Symbol *sym = st->for_.binder.sym;
    if (stmt_holds(st, 1u << STMT_RETURN | 1u << STMT_BREAK)) return no_element(at);
    isl_pw_aff *k = quasi_variable(at->quasi.q, sym);
    isl_set *range = quasi_range(&at->quasi, &st->for_.binder.range, k, states), *written = no_element(at);
    if (range) {
        isl_set *inside = isl_set_intersect(isl_set_copy(range), isl_set_copy(states));
        quasi_bind(&at->quasi, sym, isl_pw_aff_copy(k));
        isl_set_free(written);
        written = written_from(at, (Rest){st->for_.body, 0, NULL}, inside);
        written = quasi_some(where(written, range), k);
        quasi_bind(&at->quasi, sym, NULL);
        isl_set_free(inside);
    }
    isl_pw_aff_free(k);
    return written;
}

static isl_set *written_by(Frame *at, const Stmt *st, isl_set *states) {
    switch (st->kind) {
    case STMT_ASSIGN: return stored(at, st, states);
    case STMT_IF: return selected(at, st, NULL, states);
    case STMT_FOR: return repeated(at, st, states);
    case STMT_LET:
        if (!st->let.is_var && st->let.init)
            quasi_bind(&at->quasi, st->let.sym, quasi_int(&at->quasi, st->let.init, states));
        break;
    case STMT_BLOCK: return written_from(at, (Rest){st->block.block, 0, NULL}, states);
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
    case STMT_RESIDENT:
    case STMT_ERROR:
    case STMT__COUNT: break;
    }
    return no_element(at);
}

/* What is written from here to the end, whichever path is taken. */
static isl_set *written_from(Frame *at, Rest rest, isl_set *states) {
    isl_set *written = no_element(at);
    for (;; rest.from++) {
        if (rest.from == rest.block->stmts.n) {
            if (!rest.after) return written;
            rest = *rest.after;
            rest.from--; /* and on with the first of them */
            continue;
        }
        const Stmt *st = rest.block->stmts.at[rest.from];
        const Expr *call = call_of(st);
        if (call) written = isl_set_union(written, called(at, call, states));
        Rest next = {rest.block, rest.from + 1, rest.after};
        bool may_leave = stmt_holds(st, STMTS_LEAVE);
        if (may_leave && st->kind == STMT_IF) return isl_set_union(written, selected(at, st, &next, states));
        if (may_leave && st->kind == STMT_BLOCK)
            return isl_set_union(written, written_from(at, (Rest){st->block.block, 0, &next}, states));
        written = isl_set_union(written, written_by(at, st, states));
        bool is_loop = st->kind == STMT_FOR || st->kind == STMT_WHILE;
        if (is_loop ? stmt_holds(st, STMTS_RETURN) : may_leave) return written;
    }
}

/* The kernel ------------------------------------------------------------------------------------------------------- */

/* The host has checked the arithmetic of the bounds before the launch. */
static isl_set *bind_domain(Frame *at, isl_set *states) {
    const Func *f = at->quasi.f;
    isl_set *domain = isl_set_copy(states);
    for (int d = 0; d < f->domain.n; d++) {
        isl_pw_aff *v = quasi_variable(at->quasi.q, f->domain.at[d]);
        domain = isl_set_intersect(domain, quasi_range(&at->quasi, &f->item->fn.over.at[d].range, v, states));
        quasi_bind(&at->quasi, f->domain.at[d], v);
    }
    return domain;
}

static isl_set *of_all_items(Frame *at, isl_set *written, isl_set *domain) {
    const Func *f = at->quasi.f;
    written = where(written, domain);
    for (int d = 0; d < f->domain.n; d++) written = quasi_some(written, at->quasi.value[f->domain.at[d]->id]);
    return written;
}

/* A point of it, with small sizes if there is one. */
static isl_point *small_point(isl_set *missing) {
    for (int bits = 2; bits <= 32; bits *= 2) {
        isl_set *few = isl_set_copy(missing);
        for (int i = 0; i < isl_set_dim(missing, isl_dim_param); i++) {
            few = isl_set_lower_bound_val(few, isl_dim_param, (unsigned)i,
                                          isl_val_int_from_si(isl_set_get_ctx(missing), 0));
            few = isl_set_upper_bound_val(few, isl_dim_param, (unsigned)i,
                                          isl_val_int_from_si(isl_set_get_ctx(missing), INT64_C(1) << bits));
        }
        isl_point *point = isl_set_sample_point(few);
        if (isl_point_is_void(point) == isl_bool_false) {
            isl_set_free(missing);
            return point;
        }
        isl_point_free(point);
    }
    return isl_set_sample_point(missing);
}

/* "`y[0, 2]` may be left out, for example if `n` is 3": a point of what is not shown to be written. NULL: none found.
 */
static const char *example(const Frame *at, isl_set *missing, Arena *arena) {
    const Symbol *array = at->quasi.f->params.at[at->param];
    isl_point *point = small_point(missing);
    const char *text = arena_printf(arena, "`%s[", array->name), *when = "";
    bool found = isl_point_is_void(point) == isl_bool_false;
    for (int d = 0; found && d < at->rank; d++) {
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, d);
        text = arena_printf(arena, "%s%s%ld", text, d ? ", " : "", isl_val_get_num_si(v));
        isl_val_free(v);
    }
    isl_space *space = isl_point_get_space(point);
    for (int i = 0; found && i < isl_space_dim(space, isl_dim_param); i++) {
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_param, i);
        when = arena_printf(arena, "%s%s`%s` is %ld", when, *when ? " and " : ", for example if ",
                            isl_space_get_dim_name(space, isl_dim_param, (unsigned)i), isl_val_get_num_si(v));
        isl_val_free(v);
    }
    isl_space_free(space);
    isl_point_free(point);
    return found ? arena_printf(arena, "%s]` may be left out%s", text, when) : NULL;
}

const Func *whole_writer(const Func *kernel, int param, Arena *arena, const char **left_out) {
    if (is_assumed(kernel, kernel->params.at[param], ASSUME_WRITTEN)) return kernel;
    int calls = MAX_CALLS;
    const Func *writer = NULL;
    Arena own = {0};
    Quasi q = quasi_begin(&own, MAX_OPERATIONS);
    const Shape *shape = &kernel->shapes.at[param];
    Frame at = {quasi_frame(&q, kernel), param, shape->rank, &calls, &writer};
    isl_set *states = quasi_bind_parameters(&at.quasi), *domain = bind_domain(&at, states);
    isl_set *written = written_from(&at, (Rest){kernel->item->fn.body, 0, NULL}, domain);
    isl_set *all = shape->rank ? where(box(&at, shape), isl_set_copy(states))
                               : of_all_items(&at, isl_set_universe(elements(&at)), isl_set_copy(domain));
    written = of_all_items(&at, written, isl_set_copy(domain));
    isl_set *missing = isl_set_subtract(all, written);
    bool is_whole = isl_set_is_empty(missing) == isl_bool_true;
    if (left_out) *left_out = !is_whole && shape->rank ? example(&at, isl_set_copy(missing), arena) : NULL;
    isl_set_free(missing);
    isl_set_free(domain);
    isl_set_free(states);
    quasi_frame_end(&at.quasi);
    quasi_end(&q);
    arena_free(&own);
    return is_whole ? writer : NULL;
}
