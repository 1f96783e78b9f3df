/* group_rounds.c -- loop interchange of strided loops, as `for e in i..n step S`, with which the items of a group read
 * an array together. Executed item by item, these loops would read with large strides, which defeats caches and
 * prefetchers, and their trip counts differ between items, so vector code would need masks. Between barriers the items
 * of a group are unordered, so it is legal that all items execute an iteration before any item executes the next.
 * Contiguous elements are then read in order; only the last iteration has fewer items, which the bounds of the loop
 * over items express. A variable that an item carries from one iteration to the next is expanded, as across segments. A
 * few iterations are unrolled into one pass over the items, so that the variable is not loaded and stored in each. */
#include "irgen/cpu/group.h"

#include <string.h>

enum { AT_A_TIME = 4, MOST_STEP_LOG2 = 32, MOST_KEPT = 16 << 10 /* bytes: half of the L1 cache */ };

/* Positions ------------------------------------------------------------------------------------------------------- */

/* The position of the current item, or of the group's first item; the loop variable, if it occurs, must be bound. */
static LLVMValueRef position(GroupRun *r, const Strided *s, Expr *e, bool of_first) {
    bool is_local;
    CgFunc *f = r->f;
    int d = group_axis_of(r->fn, e, &is_local);
    if (d >= 0 && of_first) return is_local ? cg_i64(f->cg, 0) : r->first[d];
    bool is_known = d >= 0 || (e->kind == EXPR_NAME && e->name.sym == s->var) || group_knows_always(&r->plan, e);
    if (is_known) return cg_index_value(f, cg_expr(f, e));
    e = (Expr *)group_declared(e);
    if (e->kind != EXPR_BINARY) return cg_index_value(f, cg_expr(f, e));
    LLVMValueRef a = position(r, s, e->binary.lhs, of_first), b = position(r, s, e->binary.rhs, of_first);
    if (e->binary.op == OP_MUL) return LLVMBuildMul(f->b, a, b, "");
    return e->binary.op == OP_ADD ? LLVMBuildAdd(f->b, a, b, "") : LLVMBuildSub(f->b, a, b, "");
}

/* Binds the loop variable to a value; v NULL: unbinds it. */
static void set_variable(GroupRun *r, const Strided *s, LLVMValueRef v) {
    r->f->slots[s->var->id].value = v ? LLVMBuildTruncOrBitCast(r->f->b, v, cg_type(r->f->cg, s->var->type), "") : NULL;
}

/* Position of the group's first item when the uniform loop variable has the value v. */
static LLVMValueRef position_at(GroupRun *r, const Strided *s, LLVMValueRef v) {
    set_variable(r, s, v);
    v = position(r, s, s->position, true);
    set_variable(r, s, NULL);
    return v;
}

/* Overflow --------------------------------------------------------------------------------------------------------- */

/* True if e is far from the ends of its type in every launch: extents, domain variables whose bounds are, sums of
 * these. */
bool group_is_near(const Plan *p, const Expr *e) {
    enum { FAR = 1 << 30 };
    e = group_declared(e);
    if (e->konst.kind == CONST_INT) return e->konst.i > -FAR && e->konst.i < FAR;
    if (group_is_sum(e)) return group_is_near(p, e->binary.lhs) && group_is_near(p, e->binary.rhs);
    if (e->kind != EXPR_NAME || !e->name.sym) return false;
    const Symbol *sym = e->name.sym;
    if (sym->kind == SYM_SIZE || sym->is_group_value) return true;
    if (sym->kind != SYM_DOMAIN) return false;
    const Range *r = &p->func->item->fn.over.at[sym->dim].range;
    return (!r->lo || group_is_near(p, r->lo)) && group_is_near(p, r->hi);
}

static bool is_usual(const Plan *p, const Strided *s) {
    const Const *step = s->step ? &s->step->konst : NULL;
    bool small = step && step->kind == CONST_INT && step->i > 0 && step->i <= (INT64_C(1) << MOST_STEP_LOG2);
    return s->moves_item && small && group_is_near(p, s->lo) && group_is_near(p, s->hi);
}

bool group_rounds_fit(const Plan *p) { return !p->has_rounds || group_kept_bytes(p) <= MOST_KEPT; }

/* The iterations of one item --------------------------------------------------------------------------------------- */

/* Value of the loop variable in the l-th of the current iterations; l NULL: in the first. */
static LLVMValueRef variable_in(GroupRun *r, LLVMValueRef l) {
    CgFunc *f = r->f;
    const Rounds *rounds = r->rounds;
    if (rounds->loop->moves_item) {
        LLVMValueRef local = f->slots[r->group->local[rounds->loop->axis]->id].value;
        LLVMValueRef at = LLVMBuildNSWAdd(f->b, rounds->from, local, "");
        return l ? LLVMBuildNSWAdd(f->b, at, LLVMBuildNSWMul(f->b, l, rounds->stride, ""), "") : at;
    }
    LLVMValueRef number = l ? LLVMBuildNSWAdd(f->b, rounds->number, l, "") : rounds->number;
    return LLVMBuildNSWAdd(f->b, rounds->lo, LLVMBuildNSWMul(f->b, number, rounds->step, ""), "");
}

/* The bounds of the loop over items imply the guard. */
static Const guard_holds(const Expr *e, void *run) {
    const GroupRun *r = run;
    return (Const){.kind = r->rounds && e == r->rounds->loop->guard ? CONST_BOOL : CONST_NONE, .i = true};
}

static void run_body(GroupRun *r, LLVMValueRef v, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    const Strided *s = r->rounds->loop;
    set_variable(r, s, v);
    cg_debug_value(f, s->var, f->slots[s->var->id].value, 0);
    Known outer = f->known;
    if (s->guard) f->known = guard_holds;
    cg_stmts(f, &s->body, next, next); /* the body has no break */
    f->known = outer;
    set_variable(r, s, NULL);
    if (!s->is_while || s->is_own || cg_ended(f)) return;
    LLVMValueRef after = LLVMBuildAdd(f->b, v, r->rounds->step, "");
    cg_store(f, cg_variable(f->slots[s->var->id].addr, s->var->type),
             cg_value(LLVMBuildTruncOrBitCast(f->b, after, cg_type(f->cg, s->var->type), ""), s->var->type));
}

typedef struct Ahead {
    GroupRun *r;
    const Strided *loop;
    LLVMValueRef at;       /* the item's position, some iterations later */
    Vec(const Symbol *) done;
} Ahead;

static bool is_same(const Expr *a, const Expr *b) {
    a = group_declared(a);
    b = group_declared(b);
    if (a->konst.kind == CONST_INT || b->konst.kind == CONST_INT)
        return a->konst.kind == b->konst.kind && a->konst.i == b->konst.i;
    if (a == b || a->kind != b->kind) return a == b;
    if (a->kind == EXPR_NAME) return a->name.sym == b->name.sym;
    if (a->kind == EXPR_CONVERT) return a->type == b->type && is_same(a->convert.operand, b->convert.operand);
    return a->kind == EXPR_BINARY && a->binary.op == b->binary.op && is_same(a->binary.lhs, b->binary.lhs) &&
           is_same(a->binary.rhs, b->binary.rhs);
}

/* True if e is the item's position. */
static bool is_item_position(const Strided *s, const Expr *e) {
    return s->moves_item ? e->kind == EXPR_NAME && e->name.sym == s->var : is_same(e, s->position);
}

static void fetch(Ahead *a, const Symbol *array, const Expr *at) {
    CgFunc *f = a->r->f;
    if (!array || array->kind != SYM_PARAM || array->mode != REF_IN || !is_item_position(a->loop, at)) return;
    for (int i = 0; i < a->done.n; i++)
        if (a->done.at[i] == array) return;
    vec_push(&f->cg->c->arena, &a->done, array);
    LLVMTypeRef t = cg_type_mem(f->cg, array->type->elem);
    cg_ahead(f, LLVMBuildGEP2(f->b, t, cg_symbol_array(f, array).data, &a->at, 1, ""), AHEAD_ROUNDS);
}

/* Elements x[e] that a called function reads of its array parameters, if e is one of its scalar parameters. */
static void fetch_in_call(Ahead *a, const Expr *call) {
    const Func *fn = call->call.info->func;
    if (fn->params.n != call->call.args.n) return;
    for (int i = 0; i < fn->accesses.n; i++) {
        const Access *access = &fn->accesses.at[i];
        if (access->call || !access->reads || !access->expr || !access->array || access->n != 1) continue;
        const Expr *at = access->expr->index.at.at[0];
        const Symbol *index = at->kind == EXPR_NAME ? at->name.sym : NULL;
        if (!index || index->kind != SYM_PARAM || index->mode != REF_NONE || access->array->kind != SYM_PARAM) continue;
        fetch(a, expr_array_symbol(call->call.args.at[access->array->dim].value), call->call.args.at[index->dim].value);
    }
}

/* Elements x[e] of read-only arrays at the item's position. */
static bool fetch_ahead(Expr *e, void *context) {
    bool is_element = e->kind == EXPR_INDEX && e->index.at.n == 1;
    if (is_element) fetch(context, expr_array_symbol(e->index.base), e->index.at.at[0]);
    if (e->kind == EXPR_CALL && e->call.info->kind == CALL_FUNC) fetch_in_call(context, e);
    return false;
}

/* The next pass reads far away, where a hardware prefetcher does not expect it, so its elements are prefetched now. */
static void fetch_next_rounds(GroupRun *r, LLVMValueRef l) {
    CgFunc *f = r->f;
    const Rounds *rounds = r->rounds;
    LLVMValueRef by = LLVMBuildMul(f->b, rounds->stride, LLVMBuildAdd(f->b, l, cg_i64(f->cg, rounds->n), ""), "");
    LLVMValueRef local = f->slots[r->group->local[rounds->loop->axis]->id].value;
    LLVMValueRef at = LLVMBuildAdd(f->b, LLVMBuildAdd(f->b, rounds->from, local, ""), by, "");
    Ahead a = {.r = r, .loop = rounds->loop, .at = at};
    const StmtList *stmts = &rounds->loop->body.stmts;
    for (int i = 0; i < stmts->n; i++) stmt_find(stmts->at[i], fetch_ahead, &a);
}

/* One item's part of the current iterations. */
void group_round_of_item(GroupRun *r, const Part *part, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    (void)part;
    if (r->rounds->n == 1) {
        run_body(r, variable_in(r, NULL), next);
        return;
    }
    Axis axis = cg_axis_upto(f, cg_i64(f->cg, r->rounds->n));
    CgLoop l = cg_loop_begin(f, &axis);
    LLVMValueRef v = variable_in(r, l.i.v);
    fetch_next_rounds(r, l.i.v);
    run_body(r, v, l.next);
    cg_loop_end(f, &l);
}

/* Fallback, the loop as it is written: initialises its variable, if no other statement does. */
void group_strided_as_written(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    const Strided *s = part->strided;
    if (!s->is_while || !s->is_own) return;
    Type *type = s->var->type;
    LLVMValueRef at = cg_alloca(f, cg_type_mem(f->cg, type), s->var->name);
    CgValue v = s->moves_item ? cg_value(position(r, s, s->lo, false), type) : cg_expr(f, s->lo);
    f->slots[s->var->id].addr = at;
    cg_store(f, cg_variable(at, type), cg_convert(f, v, type));
}

/* The iterations of the group ------------------------------------------------------------------------------------- */

typedef struct Course {
    LLVMValueRef first;   /* position of the group's first item in the first iteration */
    LLVMValueRef end;     /* items at positions below it take part; NULL: all do */
    LLVMValueRef trips;   /* trip count; NULL: until no item takes part */
    LLVMValueRef counter; /* alloca: iterations executed so far */
} Course;

/* Executes passes of n iterations as long as all items take part in all of them; n = 1: as long as some item does. */
static void run_rounds(GroupRun *r, const Part *part, Rounds rounds, const Course *c) {
    CgFunc *f = r->f;
    int64_t reach = rounds.n == 1 ? 0 : r->group->by[rounds.loop->axis] - 1;
    LLVMValueRef last = LLVMBuildNSWMul(f->b, rounds.stride, cg_i64(f->cg, rounds.n - 1), "");
    last = LLVMBuildNSWAdd(f->b, last, cg_i64(f->cg, reach), "");
    LLVMBasicBlockRef head = cg_block(f, "rounds"), body = cg_block(f, "round"), done = cg_block(f, "rounds.done");
    cg_goto(f, head);
    cg_enter(f, head);
    rounds.number = LLVMBuildLoad2(f->b, f->cg->i64, c->counter, "");
    rounds.from = LLVMBuildNSWAdd(f->b, c->first, LLVMBuildNSWMul(f->b, rounds.number, rounds.stride, ""), "");
    LLVMValueRef left = c->end ? LLVMBuildNSWSub(f->b, c->end, rounds.from, "") : NULL, more = NULL;
    LLVMValueRef next = LLVMBuildNSWAdd(f->b, rounds.number, cg_i64(f->cg, rounds.n), "");
    if (left) more = LLVMBuildICmp(f->b, LLVMIntSGT, left, last, "");
    if (c->trips) {
        LLVMValueRef is_in = LLVMBuildICmp(f->b, LLVMIntSLE, next, c->trips, "");
        more = more ? LLVMBuildAnd(f->b, more, is_in, "") : is_in;
    }
    LLVMBuildCondBr(f->b, more, body, done);
    cg_enter(f, body);
    rounds.left = rounds.n == 1 ? left : NULL;
    r->rounds = &rounds;
    group_run_items(r, part);
    r->rounds = NULL;
    LLVMBuildStore(f->b, next, c->counter);
    cg_goto(f, head);
    cg_enter(f, done);
}

static LLVMValueRef is_within(CgFunc *f, LLVMValueRef v, LLVMValueRef from, LLVMValueRef count) {
    return LLVMBuildICmp(f->b, LLVMIntULT, LLVMBuildSub(f->b, v, from, ""), count, "");
}

static LLVMValueRef is_near_zero(CgFunc *f, LLVMValueRef v, int bits) {
    int64_t far = INT64_C(1) << bits;
    return is_within(f, v, cg_i64(f->cg, -far), LLVMConstInt(f->cg->i64, (uint64_t)far * 2, false));
}

/* Loop versioning: executes the loop as written unless `usual` holds, that is, steps are positive and no sum can
 * overflow. */
static void unless_usual(GroupRun *r, const Part *part, LLVMValueRef usual, LLVMBasicBlockRef done) {
    CgFunc *f = r->f;
    if (!LLVMIsConstant(usual)) LLVMSetValueName2(usual, "usual", strlen("usual"));
    LLVMBasicBlockRef yes = cg_block(f, "usual"), no = cg_block(f, "unusual");
    LLVMBuildCondBr(f->b, usual, yes, no);
    cg_enter(f, no);
    group_run_items(r, part);
    cg_goto(f, done);
    cg_enter(f, yes);
}

static LLVMValueRef both(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAnd(f->b, a, b, ""); }

static LLVMValueRef is_step(CgFunc *f, LLVMValueRef v, int64_t least, int bits) {
    return is_within(f, v, cg_i64(f->cg, least), cg_i64(f->cg, INT64_C(1) << bits));
}

/* The exclusive upper bound. */
static LLVMValueRef bound(CgFunc *f, LLVMValueRef hi, bool upto) {
    return upto ? LLVMBuildAdd(f->b, hi, cg_i64(f->cg, 1), "") : hi;
}

/* A loop whose variable is the item's position: an iteration advances it by `step`, as long as it is below hi. */
static LLVMValueRef plan_items(GroupRun *r, const Strided *s, Rounds *rounds, Course *c) {
    CgFunc *f = r->f;
    enum { FAR = 61 };
    c->first = position(r, s, s->lo, true);
    c->end = bound(f, cg_index_value(f, cg_expr(f, s->hi)), s->upto);
    rounds->stride = rounds->step = cg_index_value(f, cg_expr(f, s->step));
    LLVMValueRef usual = both(f, is_near_zero(f, c->first, FAR), is_near_zero(f, c->end, FAR));
    return both(f, usual, is_step(f, rounds->step, 1, MOST_STEP_LOG2));
}

/* Trip count of lo..hi; any number if the step is not positive. */
static LLVMValueRef trips(CgFunc *f, const Rounds *rounds, LLVMValueRef hi) {
    LLVMValueRef one = cg_i64(f->cg, 1), zero = cg_i64(f->cg, 0);
    LLVMValueRef is_up = LLVMBuildICmp(f->b, LLVMIntSGT, rounds->step, zero, "");
    LLVMValueRef step = LLVMBuildSelect(f->b, is_up, rounds->step, one, "");
    LLVMValueRef length = LLVMBuildSub(f->b, hi, rounds->lo, "");
    length = LLVMBuildAdd(f->b, length, LLVMBuildSub(f->b, step, one, ""), "");
    LLVMValueRef some = LLVMBuildICmp(f->b, LLVMIntSGT, hi, rounds->lo, "");
    return LLVMBuildSelect(f->b, some, LLVMBuildUDiv(f->b, length, step, ""), zero, "trips");
}

static LLVMValueRef plan_all(GroupRun *r, const Strided *s, Rounds *rounds, Course *c) {
    CgFunc *f = r->f;
    enum { FAR = 61, MOST_TRIPS_LOG2 = 28 };
    int far = s->var->type->bits - 2, most_step = far - 1 < MOST_STEP_LOG2 ? far - 1 : MOST_STEP_LOG2;
    rounds->lo = s->lo ? cg_index_value(f, cg_expr(f, s->lo)) : cg_i64(f->cg, 0);
    rounds->step = s->step ? cg_index_value(f, cg_expr(f, s->step)) : cg_i64(f->cg, 1);
    LLVMValueRef hi = bound(f, cg_index_value(f, cg_expr(f, s->hi)), s->upto);
    c->first = position_at(r, s, rounds->lo);
    LLVMValueRef second = position_at(r, s, LLVMBuildAdd(f->b, rounds->lo, rounds->step, ""));
    rounds->stride = LLVMBuildSub(f->b, second, c->first, "");
    if (s->end) c->end = bound(f, cg_index_value(f, cg_expr(f, s->end)), s->end_upto);
    LLVMValueRef usual = both(f, is_near_zero(f, rounds->lo, far), is_near_zero(f, hi, far));
    usual = both(f, usual, is_step(f, rounds->step, 1, most_step));
    usual = both(f, usual, is_near_zero(f, c->first, FAR - 1));
    usual = both(f, usual, is_step(f, rounds->stride, r->group->by[s->axis], MOST_STEP_LOG2));
    if (s->end) usual = both(f, usual, is_near_zero(f, c->end, FAR));
    c->trips = trips(f, rounds, hi);
    return both(f, usual, is_within(f, c->trips, cg_i64(f->cg, 0), cg_i64(f->cg, INT64_C(1) << MOST_TRIPS_LOG2)));
}

void group_run_rounds(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    const Strided *s = part->strided;
    cg_debug_at(f, part->items.at[0]->span);
    Rounds rounds = {.loop = s, .n = AT_A_TIME};
    Course c = {.counter = cg_alloca(f, f->cg->i64, "rounds")};
    LLVMValueRef usual = s->moves_item ? plan_items(r, s, &rounds, &c) : plan_all(r, s, &rounds, &c);
    LLVMBasicBlockRef done = cg_block(f, "all.rounds.done");
    if (!is_usual(&r->plan, s)) unless_usual(r, part, usual, done);
    LLVMBuildStore(f->b, cg_i64(f->cg, 0), c.counter);
    run_rounds(r, part, rounds, &c);
    rounds.n = 1;
    run_rounds(r, part, rounds, &c);
    cg_goto(f, done);
    cg_enter(f, done);
}
