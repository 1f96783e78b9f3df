/* axes.c -- loop interchange over the domain of a kernel: the order of its axes in which neighbours access
 * neighbouring elements. Each access costs, along each axis, nothing where neighbours access the same element, little
 * where they access contiguous ones, more the further they are apart; accesses in loops count more. The axis of the
 * least cost becomes the fastest (memory order: McKinley, Carr and Tseng, 1996).
 *
 * Interchange is legal because work items run in any order. What users see of the order is kept: printed lines are
 * sorted by item, failures name an item by its variables, and reductions that round keep the order of the text, so
 * that their results have the same bits with and without it. Groups are cut along the axes of the text, and keep them,
 * too. */
#include "sema/analysis/axes.h"

#include <math.h>

#include "parser/children.h"
#include "sema/analysis/rate.h"
#include "sema/check.h"

enum {
    LOOP_WEIGHT = 8,     /* of an access in a loop, beside one outside */
    UNKNOWN_EXTENT = 1024,
    UPDATE_COST = 8,     /* of an atomic update, beside its access */
    SHORT_AXIS = 16,     /* trips: too few for rows of vectors */
    EXPR_DEEP = 6,       /* operations and variables that a stride is followed through */
    CALLS_DEEP = 3,
    MOST_CALLS = 64      /* calls of one kernel that are followed */
};

static const double ANYWHERE = 0x1p60; /* elements: the assumed stride of irregular accesses */
static const double MARGIN = 1.25; /* an order must be better than the one of the text by this factor */
static const double OUTER_MARGIN = 1.1;

typedef struct Strides {
    double along[MAX_RANK]; /* in elements, 0: the same for all; estimated where an extent is not known */
} Strides;

typedef struct Look {
    Arena *arena;
    const Func *fn;          /* whose body is looked at */
    int n, depth;            /* axes; calls around */
    int *calls;
    Rates along[MAX_RANK];   /* of its variables */
    const Strides *given;    /* strides of the array arguments of a called function; NULL: the kernel */
    double weight, *cost;    /* cost: along each axis */
    bool *is_guess;          /* along each axis: the stride of an access is not known, nor a product of extents */
} Look;

/* Fewer requests of memory first, then fewer pages. */
static double cost_of(double stride) {
    double by = fabs(stride);
    if (by < 2) return by;
    return by <= 4 ? 3 : 8 + log2(by) / 4; /* up to 4: whole vectors, permuted */
}

static double stride_to(const Rates *rates, const Expr *e, int depth, bool *guess);

static double guessed(double stride, bool *guess) {
    *guess = true;
    return stride;
}

/* Clamped and wrapped indices have the stride of their operand nearly everywhere; quotients have a smaller one. The
 * variable of a loop has the stride of where it begins, as that of the window around an item. */
static double stride_between_edges(const Rates *rates, const Expr *e, int depth, bool *guess) {
    double most = 0;
    e = expr_strip((Expr *)e);
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym->init && !e->name.sym->is_mutable)
        return stride_to(rates, e->name.sym->init, depth, guess);
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym->counts)
        return e->name.sym->counts->lo ? stride_to(rates, e->name.sym->counts->lo, depth, guess) : 0;
    if (e->kind == EXPR_IF) {
        most = stride_to(rates, e->if_.then_, depth, guess);
        return fmax(most, stride_to(rates, e->if_.else_, depth, guess));
    }
    if (e->kind == EXPR_CALL && e->call.info->kind == CALL_BUILTIN) {
        for (int i = 0; i < e->call.args.n; i++)
            most = fmax(most, stride_to(rates, e->call.args.at[i].value, depth, guess));
        return most;
    }
    if (e->kind != EXPR_BINARY || !e->type->is_int) return guessed(ANYWHERE, guess);
    double lhs = stride_to(rates, e->binary.lhs, depth, guess), rhs = stride_to(rates, e->binary.rhs, depth, guess);
    const Const *by = &e->binary.rhs->konst;
    if (e->binary.op == OP_REM && !rhs) return lhs;
    if (e->binary.op == OP_DIV && !rhs) return by->kind == CONST_INT && by->i ? lhs / (double)by->i : 0;
    if (e->binary.op == OP_ADD || e->binary.op == OP_SUB) return lhs + (e->binary.op == OP_ADD ? rhs : -rhs);
    if (e->binary.op == OP_MUL && !rhs && by->kind == CONST_INT) return lhs * (double)by->i;
    if (e->binary.op == OP_MUL && !rhs) return guessed(lhs * UNKNOWN_EXTENT, guess);
    return guessed(ANYWHERE, guess);
}

static double stride_to(const Rates *rates, const Expr *e, int depth, bool *guess) {
    Rate r = rate_of(rates, (Expr *)e);
    if (r.kind == RATE_UNIFORM) return 0;
    if (r.kind == RATE_LINEAR) return (double)r.stride;
    if (r.why == RATE_COMPUTED && depth > 0) return stride_between_edges(rates, e, depth - 1, guess);
    if (r.why != RATE_STEADY) return guessed(ANYWHERE, guess);
    return r.stride ? (double)r.stride : guessed(UNKNOWN_EXTENT, guess);
}

static void add_index(Look *l, Strides *s, const Expr *at) {
    if (at && at->kind == EXPR_RANGE) at = at->range.range.lo;
    for (int axis = 0; at && axis < l->n; axis++)
        s->along[axis] += stride_to(&l->along[axis], at, EXPR_DEEP, &l->is_guess[axis]);
}

/* Row-major, as arrays lie. */
static Strides strides_of(Look *l, const Symbol *array, Expr *const *at, int n) {
    Strides s = {0};
    for (int d = 0; d < array->type->rank; d++) {
        bool known = array->dims[d].kind == DIM_CONST;
        double extent = known ? (double)array->dims[d].value : UNKNOWN_EXTENT;
        for (int axis = 0; axis < l->n && d; axis++) s.along[axis] *= extent;
        if (d < n) add_index(l, &s, at[d]);
    }
    for (int axis = 0; axis < l->n && l->given; axis++) s.along[axis] += l->given[array->dim].along[axis];
    return s;
}

static const Symbol *array_behind(const Expr *base) {
    const Symbol *array = base->kind == EXPR_NAME ? base->name.sym : NULL;
    return array && array->kind == SYM_PARAM && array->type->kind == TY_ARRAY ? array : NULL;
}

static void note(Look *l, const Expr *base, Expr *const *at, int n) {
    const Symbol *array = array_behind(base);
    if (!array) return;
    Strides s = strides_of(l, array, at, n);
    for (int axis = 0; axis < l->n; axis++) l->cost[axis] += l->weight * cost_of(s.along[axis]);
}

/* Updates of one element are combined first, and those of several are made one by one, contiguous or not. */
static void note_update(Look *l, const Expr *target) {
    const Expr *whole = expr_whole((Expr *)target);
    const Symbol *array = whole->kind == EXPR_INDEX ? array_behind(whole->index.base) : NULL;
    if (!array) return;
    Strides s = strides_of(l, array, whole->index.at.at, whole->index.at.n);
    for (int axis = 0; axis < l->n; axis++) l->cost[axis] += s.along[axis] ? l->weight * UPDATE_COST : 0;
}

static void look_block(Look *l, const Block *b);

static Strides place_of(Look *l, const Expr *arg) {
    bool is_part = arg->kind == EXPR_INDEX;
    const Symbol *array = array_behind(is_part ? arg->index.base : arg);
    if (!array) return (Strides){0};
    return is_part ? strides_of(l, array, arg->index.at.at, arg->index.at.n) : strides_of(l, array, NULL, 0);
}

static void follow(Look *l, const Func *fn, const ArgList *args) {
    if (fn->is_extern || !fn->item->fn.body || l->depth == CALLS_DEEP || ++*l->calls > MOST_CALLS) return;
    Look in = *l;
    Strides *given = arena_array(l->arena, Strides, fn->params.n + 1);
    for (int i = 0; i < fn->params.n && i < args->n; i++) given[i] = place_of(l, args->at[i].value);
    for (int axis = 0; axis < l->n; axis++) {
        Rate *rates = arena_array(l->arena, Rate, fn->params.n + 1);
        for (int i = 0; i < fn->params.n && i < args->n; i++)
            if (args->at[i].value->type->kind != TY_ARRAY) rates[i] = rate_of(&l->along[axis], args->at[i].value);
        in.along[axis] = rates_along(l->arena, fn, axis, rates);
    }
    in.fn = fn;
    in.given = given;
    in.depth++;
    look_block(&in, fn->item->fn.body);
}

static bool look_at(Expr *e, void *context) {
    Look *l = context;
    if (e->kind == EXPR_ATOMIC) note_update(l, e->atomic.target);
    if (e->kind == EXPR_INDEX && !expr_is_slice(e)) note(l, e->index.base, e->index.at.at, e->index.at.n);
    if (e->kind != EXPR_CALL) return false;
    const CallInfo *info = e->call.info;
    if (info->kind == CALL_FUNC) follow(l, info->func, &e->call.args);
    if (info->kind != CALL_BUILTIN || info->builtin != BUILTIN_AT) return false;
    Expr *at[MAX_RANK];
    int n = e->call.args.n < MAX_RANK ? e->call.args.n : MAX_RANK;
    for (int i = 0; i < n; i++) at[i] = e->call.args.at[i].value;
    note(l, info->receiver, at, n);
    return false;
}

static void look_stmt(Look *l, const Stmt *st) {
    Children all = stmt_children(st);
    bool is_loop = st->kind == STMT_FOR || st->kind == STMT_WHILE;
    /* twice: a cache line is read before it is written */
    if (st->kind == STMT_ASSIGN) expr_find(st->assign.target, look_at, l);
    for (Expr *e; !is_loop && (e = child_expr(&all));) expr_find(e, look_at, l);
    if (is_loop) l->weight *= LOOP_WEIGHT;
    for (Stmt *s; (s = child_stmt(&all));) look_stmt(l, s);
    if (is_loop) l->weight /= LOOP_WEIGHT;
}

static void look_block(Look *l, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) look_stmt(l, b->stmts.at[i]);
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

static bool is_exact(const Func *kernel) {
    return kernel->reduction == REDUCE_NONE || kernel->result->is_int || kernel->result->kind == TY_BOOL;
}

bool range_is_shorter(const Range *r, int64_t trips) {
    Const zero = {.kind = CONST_INT};
    const Const *lo = r->lo ? &r->lo->konst : &zero, *hi = &r->hi->konst;
    return lo->kind == CONST_INT && hi->kind == CONST_INT && (double)hi->i - (double)lo->i < (double)trips;
}

static bool is_short(const Range *r) { return range_is_shorter(r, SHORT_AXIS); }

int axis_short_trips(const Range *r) {
    enum { FEWEST = 2, MOST = 4 };
    Const zero = {.kind = CONST_INT};
    const Const *lo = r->lo ? &r->lo->konst : &zero, *hi = &r->hi->konst;
    if (lo->kind != CONST_INT || hi->kind != CONST_INT || r->step) return 0;
    double trips = (double)hi->i - (double)lo->i;
    return trips >= FEWEST && trips <= MOST ? (int)trips : 0;
}

/* The axes around the fastest one change places only by strides that are known: the order of the text is no worse a
 * guess. */
static void choose(const Func *kernel, const double *cost, const bool *is_guess, int *order) {
    int n = kernel->domain.n, fastest = n - 1;
    for (int d = n - 1; d-- > 0;)
        if (!is_short(&kernel->item->fn.over.at[d].range) && cost[d] * MARGIN < cost[fastest]) fastest = d;
    int k = 0;
    for (int d = 0; d < n; d++)
        if (d != fastest) order[k++] = d;
    order[k] = fastest;
    if (n < 3 || cost[order[1]] <= cost[order[0]] * OUTER_MARGIN) return;
    if (is_guess[order[0]] || is_guess[order[1]]) return;
    int outer = order[0];
    order[0] = order[1];
    order[1] = outer;
}

/* Along each axis of the domain and, where `loop` is not NULL, along it, which comes last. alone: of the loop */
static void costs_of(Arena *arena, const Func *kernel, const Stmt *loop, bool alone, double cost[MAX_RANK],
                     bool is_guess[MAX_RANK]) {
    int calls = 0, n = kernel->domain.n;
    Look l = {.arena = arena, .fn = kernel, .n = n, .calls = &calls, .weight = 1, .cost = cost, .is_guess = is_guess};
    for (int axis = 0; axis < n; axis++) l.along[axis] = rates_along(arena, kernel, axis, NULL);
    if (loop) l.along[l.n++] = rates_along_loop(arena, kernel, loop->for_.binder.sym);
    if (alone) look_stmt(&l, loop);
    else look_block(&l, kernel->item->fn.body);
}

bool axes_in_memory_order(Arena *arena, const Func *kernel, int order[MAX_RANK]) {
    double cost[MAX_RANK] = {0};
    bool is_guess[MAX_RANK] = {false};
    int n = kernel->domain.n;
    for (int d = 0; d < n; d++) order[d] = d;
    if (n < 2 || kernel->group.items || !is_exact(kernel)) return false;
    costs_of(arena, kernel, NULL, false, cost, is_guess);
    choose(kernel, cost, is_guess, order);
    bool changed = false;
    for (int d = 0; d < n; d++) changed |= order[d] != d;
    return changed;
}

bool axes_want_loop(Arena *arena, const Func *kernel, const Stmt *loop, bool alone) {
    double cost[MAX_RANK] = {0};
    bool is_guess[MAX_RANK] = {false};
    if (is_short(&loop->for_.binder.range)) return false;
    costs_of(arena, kernel, loop, alone, cost, is_guess);
    for (int d = 0; d < kernel->domain.n; d++)
        if (cost[kernel->domain.n] * MARGIN >= cost[d]) return false;
    return true;
}
