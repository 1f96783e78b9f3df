/* facts.c -- access patterns of a kernel: traverses its body and the functions that it calls, in source order, and
 * collects every element access with the strides of its indices along the axes of the grid, and every branch that
 * diverges within a warp. */
#include <stdlib.h>
#include <string.h>

#include "irgen/advice/advice.h"
#include "runtime/geometry.h"

/* Strides ---------------------------------------------------------------------------------------------------------- */

static Step known_step(int64_t by) { return by ? (Step){.kind = STEP_KNOWN, .by = by} : (Step){.kind = STEP_NONE}; }

static const char *step_text(Arena *arena, Step s) {
    return s.kind == STEP_SIZE ? s.text : arena_printf(arena, "%lld", (long long)s.by);
}

Step step_add(Arena *arena, Step a, Step b) {
    if (a.kind == STEP_NONE) return b;
    if (b.kind == STEP_NONE) return a;
    if (a.kind == STEP_ANY || b.kind == STEP_ANY)
        return (Step){.kind = STEP_ANY, .from_memory = a.from_memory || b.from_memory};
    if (a.kind == STEP_KNOWN && b.kind == STEP_KNOWN) return known_step(a.by + b.by);
    const char *x = step_text(arena, a), *y = step_text(arena, b);
    bool minus = *y == '-';
    return (Step){.kind = STEP_SIZE, .text = arena_printf(arena, "%s %c %s", x, minus ? '-' : '+', y + minus)};
}

Step step_scale(Arena *arena, Step a, int64_t by, const char *size) {
    if (a.kind == STEP_NONE || a.kind == STEP_ANY) return a;
    if (!size && a.kind == STEP_KNOWN) return known_step(a.by * by);
    if (!size) size = arena_printf(arena, "%lld", (long long)by);
    if (a.kind == STEP_KNOWN && a.by == 1) return (Step){.kind = STEP_SIZE, .text = size};
    const char *text = step_text(arena, a);
    const char *format = strstr(text, " + ") || strstr(text, " - ") ? "(%s) * %s" : "%s * %s";
    return (Step){.kind = STEP_SIZE, .text = arena_printf(arena, format, text, size)};
}

/* The strides of an element's address in elements; arrays are row-major. */
Steps launch_address(Arena *arena, const LaunchAccess *x, int64_t padding) {
    Steps sum = x->base;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        Step at = {.kind = STEP_NONE};
        for (int d = 0; d < x->rank; d++) {
            bool last = d == x->rank - 1, known = x->extent[d].value >= 0;
            if (d)
                at = step_scale(arena, at, x->extent[d].value + (last ? padding : 0), known ? NULL : x->extent[d].text);
            at = step_add(arena, at, x->index[d].along[axis]);
        }
        sum.along[axis] = step_add(arena, sum.along[axis], at);
    }
    return sum;
}

/* Traversal -------------------------------------------------------------------------------------------------------- */

enum { CALLS_DEEP = 8 };

typedef struct Look {
    Cg *cg;
    LaunchFacts *facts;
    const Func *fn;          /* the function that is being traversed */
    Rates along[GRID_AXES]; /* rates of its expressions along each axis of the grid */
    Warp warp;
    const LaunchAccess *given; /* in a called function: memory and base of each array argument */
    Vec(const Expr *) counted; /* elements already recorded as part of a larger expression */
    int calls, divergence, loop_divergence;
    bool left_early; /* a divergent branch leaves the innermost loop early */
} Look;

static void see_block(Look *l, const Block *b);
static void see_expr(Look *l, Expr *e);

static const char *text_of(Cg *cg, Span span) {
    Place p = cg_place(cg, span);
    return arena_strndup(&cg->c->arena, p.file->text + (span.lo + cg->base_shift - p.file->base), span.hi - span.lo);
}

static Rate rate_on(Look *l, int axis, const Expr *e) { return rate_of(&l->along[axis], (Expr *)e); }

/* The stride of a linear expression as source text: i * n + j has the stride n along i. */
static const char *factor_text(Look *l, int axis, const Expr *e) {
    e = expr_strip((Expr *)e);
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym->init && !e->name.sym->is_mutable)
        return factor_text(l, axis, e->name.sym->init);
    if (e->kind != EXPR_BINARY) return "a size";
    const Expr *side[2] = {e->binary.lhs, e->binary.rhs};
    for (int i = 0; i < 2; i++) {
        Rate other = rate_on(l, axis, side[!i]), own = rate_on(l, axis, side[i]);
        if (other.kind != RATE_UNIFORM) continue;
        if (e->binary.op != OP_MUL) return factor_text(l, axis, side[i]);
        const char *by = text_of(l->cg, side[!i]->span);
        if (own.kind == RATE_LINEAR && own.stride == 1) return by;
        return own.stride ? arena_printf(&l->cg->c->arena, "%lld * %s", (long long)own.stride, by) : "a size";
    }
    return "a size";
}

static bool agrees(Look *l, const Expr *e) {
    LaneView v = {l->facts->kernel, &l->along[0], l->facts->threads[0]};
    return lanes_agree(&v, e);
}

static Step step_of(Look *l, int axis, const Expr *e) {
    Rate r = rate_on(l, axis, e);
    if (r.kind == RATE_UNIFORM || (axis == 0 && agrees(l, e))) return (Step){.kind = STEP_NONE};
    if (r.kind == RATE_LINEAR || (r.why == RATE_STEADY && r.stride)) return known_step(r.stride);
    if (r.why == RATE_STEADY) return (Step){.kind = STEP_SIZE, .text = factor_text(l, axis, e)};
    return (Step){.kind = STEP_ANY, .from_memory = r.why == RATE_LOADED};
}

static Steps steps_of(Look *l, const Expr *e) {
    Steps s = {0};
    for (int axis = 0; axis < l->facts->n_axes; axis++) s.along[axis] = step_of(l, axis, e);
    return s;
}

/* True if e differs between the work items of a warp. */
static bool differs(Look *l, const Expr *e, bool *from_memory) {
    bool any = false;
    for (int axis = 0; e && axis < l->facts->n_axes; axis++) {
        if (l->warp.across[axis] < 2) continue;
        Rate r = rate_on(l, axis, e);
        any |= r.kind != RATE_UNIFORM;
        *from_memory |= r.why == RATE_LOADED;
    }
    return any && !agrees(l, e);
}

/* Accesses --------------------------------------------------------------------------------------------------------- */

/* Large ones lie in global memory (lang/constant.c). */
static bool is_in_constant_memory(const ConstArray *a) {
    enum { CONSTANT_MEMORY = 65536 };
    return a->n * type_size_bytes(a->sym->type->elem) <= CONSTANT_MEMORY;
}

static void locate(Look *l, LaunchAccess *x, const Symbol *array) {
    Arena *arena = &l->cg->c->arena;
    x->array = array;
    if (array->is_shared) x->memory = MEMORY_SHARED;
    else if (array->table) x->memory = is_in_constant_memory(array->table) ? MEMORY_CONSTANT : MEMORY_GLOBAL;
    else if (array->kind != SYM_PARAM) x->memory = MEMORY_OWN;
    else if (l->given) {
        x->memory = l->given[array->dim].memory;
        x->array = l->given[array->dim].array;
        x->base = l->given[array->dim].base;
    }
    x->rank = array->type->kind == TY_ARRAY ? array->type->rank : 0;
    for (int d = 0; d < x->rank; d++) {
        const Dim *dim = &array->dims[d];
        x->extent[d].value = dim->kind == DIM_CONST ? dim->value : -1;
        bool is_named = (dim->kind == DIM_SYMBOL || dim->kind == DIM_SUM) && strcmp(dim->sym->name, "_");
        x->extent[d].text = is_named ? size_factor(arena, dim->sym, dim->value)
                                    : arena_printf(arena, "shape(%s, %d)", array->name, d);
    }
}

/* Ignores arrays that are fields: they belong to an element, or to a local variable. */
static void record_access(Look *l, const Expr *base, const ExprList *at, Span span, int64_t bytes, LaunchAccess x) {
    const Symbol *array = base->kind == EXPR_NAME ? base->name.sym : NULL;
    if (!array || !array->type || array->type->kind != TY_ARRAY) return;
    x.span = span;
    x.in = l->fn;
    locate(l, &x, array);
    x.element = type_size_bytes(array->type->elem);
    x.bytes = bytes;
    for (int d = 0; d < x.rank && d < at->n; d++) x.index[d] = steps_of(l, at->at[d]);
    vec_push(&l->cg->c->arena, &l->facts->accesses, x);
}

static bool is_counted(const Look *l, const Expr *e) {
    for (int i = 0; i < l->counted.n; i++)
        if (l->counted.at[i] == e) return true;
    return false;
}

/* Records the access of x[i], or of the field x[i].v.x; see_expr handles the indices. */
static void record_element(Look *l, Expr *e, LaunchAccess x) {
    const Expr *whole = expr_whole(e);
    if (whole->kind != EXPR_INDEX || expr_is_slice(whole) || is_counted(l, whole)) return;
    if (whole->konst.kind != CONST_NONE) return; /* of an array constant: no access */
    vec_push(&l->cg->c->arena, &l->counted, whole);
    const Type *wanted = e->type->kind == TY_ARRAY ? whole->type : e->type;
    record_access(l, whole->index.base, &whole->index.at, e->span, type_size_bytes(wanted), x);
}

/* An update of a single value passed by reference has one address for all work items. */
static void record_atomic(Look *l, Expr *e) {
    LaunchAccess x = {.reads = true, .writes = true, .is_atomic = true};
    Expr *target = e->atomic.target;
    if (expr_whole(target)->kind == EXPR_INDEX) {
        record_element(l, target, x);
        return;
    }
    x.span = target->span;
    x.in = l->fn;
    x.element = x.bytes = type_size_bytes(target->type);
    vec_push(&l->cg->c->arena, &l->facts->accesses, x);
}

/* Memory and base of an array argument, for the accesses of the called function. */
static LaunchAccess locate_argument(Look *l, const Arg *a) {
    LaunchAccess x = {0};
    const Expr *e = a->value, *base = e->kind == EXPR_INDEX ? e->index.base : e;
    const Symbol *array = base->kind == EXPR_NAME ? base->name.sym : NULL;
    if (!array || !array->type || array->type->kind != TY_ARRAY) return (LaunchAccess){.memory = MEMORY_OWN};
    locate(l, &x, array);
    for (int d = 0; e->kind == EXPR_INDEX && d < x.rank && d < e->index.at.n; d++) {
        const Expr *at = e->index.at.at[d];
        if (at->kind == EXPR_RANGE) at = at->range.range.lo;
        if (at) x.index[d] = steps_of(l, at);
    }
    x.base = launch_address(&l->cg->c->arena, &x, 0);
    return x;
}

static void see_call(Look *l, Expr *e) {
    const CallInfo *info = e->call.info;
    Arena *arena = &l->cg->c->arena;
    if (info->kind == CALL_BUILTIN && info->builtin == BUILTIN_AT) {
        ExprList at = {0};
        for (int i = 0; i < e->call.args.n; i++) vec_push(arena, &at, e->call.args.at[i].value);
        record_access(l, info->receiver, &at, e->span, type_size_bytes(e->type), (LaunchAccess){.reads = true});
    }
    const Func *fn = info->kind == CALL_FUNC ? info->func : NULL;
    if (!fn || fn->is_extern || !fn->item->fn.body || l->calls == CALLS_DEEP) return;
    Look in = *l;
    LaunchAccess *given = arena_array(arena, LaunchAccess, fn->params.n + 1);
    for (int i = 0; i < fn->params.n && i < e->call.args.n; i++) given[i] = locate_argument(l, &e->call.args.at[i]);
    for (int axis = 0; axis < l->facts->n_axes; axis++) {
        Rate *rates = arena_array(arena, Rate, fn->params.n + 1);
        for (int i = 0; i < fn->params.n && i < e->call.args.n; i++) {
            Expr *value = e->call.args.at[i].value;
            if (value->type->kind != TY_ARRAY) rates[i] = rate_on(l, axis, value);
        }
        in.along[axis] = rates_along(arena, fn, axis, rates);
    }
    in.fn = fn;
    in.given = given;
    memset(&in.counted, 0, sizeof in.counted);
    in.calls++;
    see_block(&in, fn->item->fn.body);
}

/* Branches --------------------------------------------------------------------------------------------------------- */

/* A value that is not the same in each iteration of a loop, or that data decide: it has no place along an axis. */
static bool is_changing(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_INDEX || e->kind == EXPR_CALL || e->kind == EXPR_ATOMIC) return true;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (!sym || sym->kind != SYM_LOCAL || sym->is_group_value) return false;
    return sym->is_mutable || sym->counts || (sym->init && expr_find(sym->init, is_changing, NULL));
}

/* Has each warp whole rows of the domain, because its last axis is not longer than a warp? Then a change along this
 * axis is in every warp. */
static bool has_short_rows(const Look *l) {
    const Func *f = l->facts->kernel;
    const Range *r = &f->item->fn.over.at[f->domain.n - 1].range;
    if (f->domain.n < 2 || r->hi->konst.kind != CONST_INT || (r->lo && r->lo->konst.kind != CONST_INT)) return false;
    return r->hi->konst.i - (r->lo ? r->lo->konst.i : 0) <= WARP;
}

static bool changes_once(Look *l, const Expr *e) {
    Expr *const sides[2] = {e->binary.lhs, e->binary.rhs};
    for (int i = 0; i < 2; i++) {
        bool moves = false;
        for (int axis = 0; axis < l->facts->n_axes; axis++) {
            Step step = step_of(l, axis, sides[i]);
            if (step.kind == STEP_ANY || (axis == 0 && step.kind != STEP_NONE && has_short_rows(l))) return false;
            moves |= step.kind != STEP_NONE;
        }
        bool is_equality = e->binary.op == OP_EQ || e->binary.op == OP_NE;
        if (is_equality && !moves && expr_find(sides[i], is_changing, NULL)) return false;
    }
    return true;
}

/* True if the condition changes only once along each axis, so that only a warp at that point diverges. */
static bool only_edges(Look *l, const Expr *e) {
    bool ignored = false;
    e = expr_strip((Expr *)e);
    if (!differs(l, e, &ignored)) return true;
    if (e->kind == EXPR_NAME && e->name.sym == l->fn->group.inside) return true;
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym->init && !e->name.sym->is_mutable)
        return only_edges(l, e->name.sym->init);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) return only_edges(l, e->unary.operand);
    if (e->kind != EXPR_BINARY) return false;
    if (op_info[e->binary.op].kind == OPK_LOGIC) return only_edges(l, e->binary.lhs) && only_edges(l, e->binary.rhs);
    return op_info[e->binary.op].kind == OPK_COMPARE && changes_once(l, e);
}

static bool is_local(Expr *e, void *group) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    const Group *g = group;
    for (int d = 0; sym && d < 3; d++)
        if (sym == g->local[d]) return true;
    return sym && sym->init && !sym->is_mutable && expr_find(sym->init, is_local, group);
}

/* The group, or the work item in the domain. */
static bool is_position(Expr *e, void *group) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    const Group *g = group;
    for (int d = 0; sym && d < 3; d++)
        if (sym == g->at[d]) return true;
    if (sym && sym->kind == SYM_DOMAIN) return true;
    return sym && sym->init && !sym->is_mutable && expr_find(sym->init, is_position, group);
}

/* Does a comparison in the condition depend on the place in the group alone? */
static bool compares_local(const Expr *e, Group *g) {
    e = expr_strip((Expr *)e);
    if (e->kind == EXPR_NAME && e->name.sym && e->name.sym->init && !e->name.sym->is_mutable)
        return compares_local(e->name.sym->init, g);
    if (e->kind == EXPR_UNARY) return compares_local(e->unary.operand, g);
    if (e->kind != EXPR_BINARY) return false;
    if (op_info[e->binary.op].kind == OPK_LOGIC)
        return compares_local(e->binary.lhs, g) || compares_local(e->binary.rhs, g);
    return expr_find((Expr *)e, is_local, g) && !expr_find((Expr *)e, is_position, g);
}

/* A condition that changes only once along each axis does so in the domain, or in each group, as `i.local >= 8`. Where
 * a warp has several rows of a group, a change along x is in every warp. */
static void classify(Look *l, LaunchBranch *b, const Expr *cond) {
    Group all = l->fn->group, x = {0};
    if (!only_edges(l, cond)) return;
    if (l->facts->n_axes) x.local[0] = all.local[l->facts->n_axes - 1];
    bool is_local_change = compares_local(cond, &all);
    bool in_rows = l->warp.across[0] < WARP && compares_local(cond, &x);
    b->only_edges = !is_local_change;
    b->each_group = is_local_change && !in_rows;
}

static void record_branch(Look *l, LaunchBranch b) {
    b.in = l->fn;
    vec_push(&l->cg->c->arena, &l->facts->branches, b);
}

/* Records the condition of an `if` as a branch if it is divergent. */
static bool see_condition(Look *l, Expr *cond) {
    LaunchBranch b = {.span = cond->span};
    see_expr(l, cond);
    if (cond->konst.kind != CONST_NONE || !differs(l, cond, &b.from_memory)) return false;
    classify(l, &b, cond);
    record_branch(l, b);
    return true;
}

static void see_loop(Look *l, Span head, const Block *body, bool diverges, bool from_memory) {
    bool left_early = l->left_early;
    int loop_divergence = l->loop_divergence, at = l->facts->branches.n;
    l->divergence += diverges;
    l->loop_divergence = l->divergence;
    l->left_early = false;
    LaunchBranch b = {.span = head, .in = l->fn, .is_loop = true, .from_memory = from_memory};
    record_branch(l, b);
    see_block(l, body);
    if (!diverges && !l->left_early) { /* the loop is uniform: remove its record */
        memmove(&l->facts->branches.at[at], &l->facts->branches.at[at + 1],
                sizeof b * (size_t)(l->facts->branches.n - at - 1));
        l->facts->branches.n--;
    }
    l->divergence -= diverges;
    l->loop_divergence = loop_divergence;
    l->left_early = left_early;
}

static void see_range(Look *l, const Range *r) {
    see_expr(l, r->lo);
    see_expr(l, r->hi);
    see_expr(l, r->step);
}

/* True if the trip count diverges; bounds with the same stride have the same trip count for all items. */
static bool trip_count_differs(Look *l, const Range *r, bool *from_memory) {
    bool any = differs(l, r->step, from_memory);
    for (int axis = 0; axis < l->facts->n_axes; axis++) {
        if (l->warp.across[axis] < 2) continue;
        Rate lo = r->lo ? rate_on(l, axis, r->lo) : (Rate){.kind = RATE_UNIFORM}, hi = rate_on(l, axis, r->hi);
        bool alike = lo.kind != RATE_VARYING && lo.kind == hi.kind && lo.stride == hi.stride;
        alike |= axis == 0 && (!r->lo || agrees(l, r->lo)) && agrees(l, r->hi);
        any |= !alike;
        *from_memory |= lo.why == RATE_LOADED || hi.why == RATE_LOADED;
    }
    return any;
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static bool see_part(Expr *e, void *look) {
    Look *l = look;
    switch (e->kind) {
    case EXPR_FIELD:
    case EXPR_INDEX: record_element(l, e, (LaunchAccess){.reads = true}); return false;
    case EXPR_IF: {
        LaunchBranch b = {.span = e->if_.cond->span};
        if (e->if_.cond->konst.kind == CONST_NONE && differs(l, e->if_.cond, &b.from_memory)) {
            classify(l, &b, e->if_.cond);
            record_branch(l, b);
        }
        return false;
    }
    case EXPR_CALL: see_call(l, e); return false;
    case EXPR_ATOMIC: record_atomic(l, e); return false;
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_NAME: case EXPR_UNARY:
    case EXPR_BINARY: case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD:
    case EXPR_CONVERT: case EXPR__COUNT: break;
    }
    return false;
}

static void see_expr(Look *l, Expr *e) { expr_find(e, see_part, l); }

static void see_assign(Look *l, const Stmt *st) {
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    see_expr(l, st->assign.value);
    record_element(l, st->assign.target, (LaunchAccess){.reads = !plain, .writes = true});
    see_expr(l, st->assign.target);
}

static void see_leaving(Look *l) {
    if (l->divergence > l->loop_divergence) l->left_early = true;
}

static void see_if(Look *l, const Stmt *st);

static void see_stmt(Look *l, const Stmt *st) {
    bool from_memory = false;
    switch (st->kind) {
    case STMT_LET: see_expr(l, st->let.init); return;
    case STMT_ASSIGN: see_assign(l, st); return;
    case STMT_ATOMIC: see_expr(l, st->atomic.atomic); return;
    case STMT_EXPR: see_expr(l, st->expr.expr); return;
    case STMT_IF: see_if(l, st); return;
    case STMT_FOR: {
        const Range *r = &st->for_.binder.range;
        see_range(l, r);
        bool diverges = trip_count_differs(l, r, &from_memory);
        see_loop(l, st->for_.binder.span, st->for_.body, diverges, from_memory);
        return;
    }
    case STMT_WHILE: {
        see_expr(l, st->while_.cond);
        bool diverges = differs(l, st->while_.cond, &from_memory);
        see_loop(l, st->while_.cond->span, st->while_.body, diverges, from_memory);
        return;
    }
    case STMT_BREAK:
    case STMT_CONTINUE: see_leaving(l); return;
    case STMT_RETURN:
        see_expr(l, st->return_.value);
        see_leaving(l);
        return;
    case STMT_ASSERT: see_expr(l, st->assert_.cond); return;
    case STMT_BARRIER: l->facts->barriers++; return;
    case STMT_BLOCK:
    case STMT_RESIDENT: see_block(l, st->block.block); return;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}

static void see_if(Look *l, const Stmt *st) {
    bool diverges = see_condition(l, st->if_.cond);
    l->divergence += diverges;
    see_block(l, st->if_.then_);
    if (st->if_.else_) see_stmt(l, st->if_.else_);
    l->divergence -= diverges;
}

static void see_block(Look *l, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) see_stmt(l, b->stmts.at[i]);
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

/* The trip count of a range with constant bounds; 0: they are not constant. */
static int64_t trips_of(const Range *r) {
    Const zero = {.kind = CONST_INT}, one = {.kind = CONST_INT, .i = 1};
    const Const *lo = r->lo ? &r->lo->konst : &zero, *hi = &r->hi->konst, *step = r->step ? &r->step->konst : &one;
    if (lo->kind != CONST_INT || hi->kind != CONST_INT || step->kind != CONST_INT || step->i < 1) return 0;
    return hi->i > lo->i ? (hi->i - lo->i - 1) / step->i + 1 : 1;
}

LaunchFacts launch_facts(Cg *cg, const Func *kernel) {
    enum { LARGE = 1 << 20 };
    LaunchFacts facts = {.kernel = kernel, .n_axes = kernel->domain.n, .fixed = true};
    int64_t n[GRID_AXES] = {1, 1, 1};
    int32_t by[GRID_AXES] = {0};
    for (int axis = 0; axis < facts.n_axes; axis++) {
        int d = facts.n_axes - 1 - axis;
        n[axis] = trips_of(&kernel->item->fn.over.at[d].range);
        facts.fixed = facts.fixed && n[axis];
        if (!n[axis]) n[axis] = LARGE;
        if (kernel->group.items) by[axis] = (int32_t)kernel->group.by[d];
    }
    for (int axis = facts.n_axes; kernel->group.items && axis < GRID_AXES; axis++) by[axis] = 1;
    KdslGeometry g;
    kdsl_geometry(&g, n[0], n[1], n[2], by[0], by[1], by[2], kernel->reduction != REDUCE_NONE);
    for (int axis = 0; axis < GRID_AXES; axis++) facts.threads[axis] = g.threads[axis];
    Look l = {.cg = cg, .facts = &facts, .fn = kernel, .warp = warp_of(facts.threads)};
    for (int axis = 0; axis < facts.n_axes; axis++)
        l.along[axis] = rates_along(&cg->c->arena, kernel, facts.n_axes - 1 - axis, NULL);
    see_block(&l, kernel->item->fn.body);
    return facts;
}
