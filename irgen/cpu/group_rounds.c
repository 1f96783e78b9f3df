/* group_rounds.c -- loop interchange of strided loops: `for e in i..n step S`, with which the items of a group read an
 * array together. Executed one item after another these would be many walks with large strides, which suit neither
 * caches nor prefetchers, and would be masked, because trip counts differ. Between barriers the items of a group are
 * unordered, so all items execute an iteration before any executes the next. Contiguous elements are then read one
 * after another, and only the last iteration has fewer items, which is a matter of the bounds of the loop over items. A
 * variable that an item carries from iteration to iteration is expanded, as across segments. A few iterations are
 * unrolled, so that it is not loaded and stored in each. */
#include "irgen/cpu/group.h"

enum { AT_A_TIME = 4, MOST_STEP_LOG2 = 32, MOST_KEPT = 16 << 10 /* bytes, in the first cache beside what is read */ };

/* Places ----------------------------------------------------------------------------------------------------------- */

/* The axis of `i.local`, or of `i` where it counts by ones; -1: neither. A `let` is what it is declared to be. */
int group_axis_of(const Func *fn, const Expr *e, bool *is_local) {
    e = group_declared(e);
    if (e->kind != EXPR_NAME) return -1;
    for (int d = 0; d < fn->domain.n; d++) {
        *is_local = e->name.sym == fn->group.local[d];
        const Expr *step = fn->item->fn.over.at[d].range.step;
        bool by_ones = !step || (step->konst.kind == CONST_INT && step->konst.i == 1);
        if (*is_local || (e->name.sym == fn->domain.at[d] && by_ones)) return d;
    }
    return -1;
}

const Expr *group_declared(const Expr *e) {
    while (e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && !e->name.sym->is_mutable &&
           e->name.sym->init && e->name.sym->type == e->name.sym->init->type)
        e = e->name.sym->init;
    return e;
}

static bool is_sum_of_two(const Expr *e) {
    return e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB) && e->konst.kind == CONST_NONE;
}

static bool is_variable(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && e->name.sym->is_mutable;
}

/* And it is the same here as where a `let` was declared with it. */
static bool is_known(const Plan *p, Expr *e) { return group_knows(p, e) && !expr_find(e, is_variable, NULL); }

/* Is it the item's place along an axis, plus what the group knows? */
static bool is_start(const Plan *p, Expr *e, int *axis) {
    bool is_local;
    *axis = group_axis_of(p->func, e, &is_local);
    if (*axis >= 0) return true;
    e = (Expr *)group_declared(e);
    if (!is_sum_of_two(e)) return false;
    if (is_known(p, e->binary.rhs)) return is_start(p, e->binary.lhs, axis);
    return e->binary.op == OP_ADD && is_known(p, e->binary.lhs) && is_start(p, e->binary.rhs, axis);
}

/* Of the group's first item. */
static LLVMValueRef first_start(GroupRun *r, Expr *e) {
    bool is_local;
    int d = group_axis_of(r->fn, e, &is_local);
    if (d >= 0) return is_local ? cg_i64(r->f->cg, 0) : r->first[d];
    if (is_known(&r->plan, e)) return cg_index_value(r->f, cg_expr(r->f, e));
    e = (Expr *)group_declared(e);
    LLVMValueRef a = first_start(r, e->binary.lhs), b = first_start(r, e->binary.rhs);
    return e->binary.op == OP_ADD ? LLVMBuildAdd(r->f->b, a, b, "") : LLVMBuildSub(r->f->b, a, b, "");
}

/* Which loops ------------------------------------------------------------------------------------------------------ */

/* Far from the ends of the type, whatever the launch: extents, places in a domain made of them, sums of such. */
static bool is_near(const Plan *p, const Expr *e) {
    enum { FAR = 1 << 30 };
    e = group_declared(e);
    if (e->konst.kind == CONST_INT) return e->konst.i > -FAR && e->konst.i < FAR;
    if (is_sum_of_two(e)) return is_near(p, e->binary.lhs) && is_near(p, e->binary.rhs);
    if (e->kind != EXPR_NAME || !e->name.sym) return false;
    const Symbol *sym = e->name.sym;
    if (sym->kind == SYM_SIZE || sym->is_group_value) return true;
    if (sym->kind != SYM_DOMAIN) return false;
    const Range *r = &p->func->item->fn.over.at[sym->dim].range;
    return (!r->lo || is_near(p, r->lo)) && is_near(p, r->hi);
}

static bool is_usual(const Plan *p, const Range *r) {
    const Const *step = &r->step->konst;
    bool small = step->kind == CONST_INT && step->i > 0 && step->i <= (INT64_C(1) << MOST_STEP_LOG2);
    return small && is_near(p, r->lo) && is_near(p, r->hi);
}

static bool breaks(const Block *b);

/* Is there a `break` of the loop around st? */
static bool is_break(const Stmt *st) {
    if (st->kind == STMT_BLOCK) return breaks(st->block.block);
    if (st->kind != STMT_IF) return st->kind == STMT_BREAK;
    return breaks(st->if_.then_) || (st->if_.else_ && is_break(st->if_.else_));
}

static bool breaks(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (is_break(b->stmts.at[i])) return true;
    return false;
}

bool group_rounds_takes(const Plan *p, const Stmt *st) {
    int axis;
    if (!cg_allows(p->f->cg, GROUP_ROUNDS)) return false;
    if (st->kind != STMT_FOR || st->together || stmt_holds(st, STMTS_RETURN)) return false;
    const Range *r = &st->for_.binder.range;
    if (r->type->kind != TY_INDEX || !r->lo || !r->step || !group_knows(p, r->hi) || !group_knows(p, r->step)) return false;
    if (r->step->konst.kind == CONST_INT && r->step->konst.i <= 0) return false;
    return is_start(p, r->lo, &axis) && !breaks(st->for_.body);
}

bool group_rounds_fit(const Plan *p) { return !p->has_rounds || group_kept_bytes(p) <= MOST_KEPT; }

/* Running them ----------------------------------------------------------------------------------------------------- */

static void run_body(GroupRun *r, const Stmt *st, LLVMValueRef at, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    const Symbol *sym = st->for_.binder.sym;
    f->slots[sym->id].value = at;
    cg_debug_value(f, sym, at, 0);
    cg_stmts(f, st->for_.body, next, next); /* nobody breaks */
}

typedef struct Ahead {
    CgFunc *f;
    const Symbol *binder;
    LLVMValueRef at;       /* of the loop's variable, some rounds from here */
    Vec(const Symbol *) done;
} Ahead;

/* x[e] of an array that is only read. */
static bool fetch_ahead(Expr *e, void *context) {
    Ahead *a = context;
    const Symbol *array = e->kind == EXPR_INDEX ? expr_array_symbol(e->index.base) : NULL;
    if (!array || array->kind != SYM_PARAM || array->mode != REF_IN || e->index.at.n != 1) return false;
    if (e->index.at.at[0]->kind != EXPR_NAME || e->index.at.at[0]->name.sym != a->binder) return false;
    for (int i = 0; i < a->done.n; i++)
        if (a->done.at[i] == array) return false;
    vec_push(&a->f->cg->c->arena, &a->done, array);
    LLVMTypeRef t = cg_type_mem(a->f->cg, array->type->elem);
    cg_ahead(a->f, LLVMBuildGEP2(a->f->b, t, cg_symbol_array(a->f, array).data, &a->at, 1, ""), AHEAD_ROUNDS);
    return false;
}

/* The next rounds are far away, where the machine does not expect them: what they read is asked for now. */
static void fetch_next_rounds(GroupRun *r, const Stmt *st, LLVMValueRef at) {
    LLVMValueRef by = LLVMBuildMul(r->f->b, r->rounds->step, cg_i64(r->f->cg, r->rounds->n), "");
    Ahead a = {.f = r->f, .binder = st->for_.binder.sym, .at = LLVMBuildAdd(r->f->b, at, by, "")};
    for (int i = 0; i < st->for_.body->stmts.n; i++) stmt_find(st->for_.body->stmts.at[i], fetch_ahead, &a);
}

/* What one item does of the rounds at hand. */
void group_round_of_item(GroupRun *r, const Part *part, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    const Rounds *rounds = r->rounds;
    LLVMValueRef at = LLVMBuildNSWAdd(f->b, rounds->from, f->slots[r->group->local[rounds->axis]->id].value, "");
    if (rounds->n == 1) {
        run_body(r, part->items.at[0], at, next);
        return;
    }
    Axis axis = cg_axis_upto(f, cg_i64(f->cg, rounds->n));
    CgLoop l = cg_loop_begin(f, &axis);
    LLVMValueRef by = LLVMBuildNSWMul(f->b, l.i.v, rounds->step, "");
    at = LLVMBuildNSWAdd(f->b, at, by, "");
    fetch_next_rounds(r, part->items.at[0], at);
    run_body(r, part->items.at[0], at, l.next);
    cg_loop_end(f, &l);
}

/* While more is left than `least`, n rounds. `counter` is where the group's first item is. */
static void run_rounds(GroupRun *r, const Part *part, Rounds rounds, LLVMValueRef counter, LLVMValueRef hi, LLVMValueRef least) {
    CgFunc *f = r->f;
    LLVMBasicBlockRef head = cg_block(f, "rounds"), body = cg_block(f, "round"), done = cg_block(f, "rounds.done");
    cg_goto(f, head);
    cg_enter(f, head);
    rounds.from = LLVMBuildLoad2(f->b, f->cg->i64, counter, "");
    LLVMValueRef left = LLVMBuildNSWSub(f->b, hi, rounds.from, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, left, least, ""), body, done);
    cg_enter(f, body);
    rounds.left = rounds.n == 1 ? left : NULL;
    r->rounds = &rounds;
    group_run_items(r, part);
    r->rounds = NULL;
    LLVMValueRef by = LLVMBuildNSWMul(f->b, rounds.step, cg_i64(f->cg, rounds.n), "");
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, rounds.from, by, ""), counter);
    cg_goto(f, head);
    cg_enter(f, done);
}

static LLVMValueRef is_within(CgFunc *f, LLVMValueRef v, LLVMValueRef from, LLVMValueRef count) {
    return LLVMBuildICmp(f->b, LLVMIntULT, LLVMBuildSub(f->b, v, from, ""), count, "");
}

/* Upwards, and so that no sum here can overflow? Else the loop is run as it is written. */
static void unless_usual(GroupRun *r, const Part *part, LLVMValueRef first, LLVMValueRef hi, LLVMValueRef step,
                         LLVMBasicBlockRef done) {
    CgFunc *f = r->f;
    const int64_t far = INT64_C(1) << 62;
    LLVMValueRef low = cg_i64(f->cg, -far), width = LLVMConstInt(f->cg->i64, (uint64_t)far * 2, false);
    LLVMValueRef small = cg_i64(f->cg, INT64_C(1) << MOST_STEP_LOG2);
    LLVMValueRef usual = LLVMBuildAnd(f->b, is_within(f, first, low, width), is_within(f, hi, low, width), "");
    usual = LLVMBuildAnd(f->b, usual, is_within(f, step, cg_i64(f->cg, 1), small), "usual");
    LLVMBasicBlockRef yes = cg_block(f, "usual"), no = cg_block(f, "unusual");
    LLVMBuildCondBr(f->b, usual, yes, no);
    cg_enter(f, no);
    group_run_items(r, part);
    cg_goto(f, done);
    cg_enter(f, yes);
}

void group_run_rounds(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    const Range *range = &part->items.at[0]->for_.binder.range;
    cg_debug_at(f, part->items.at[0]->span);
    Rounds rounds = {.n = AT_A_TIME};
    is_start(&r->plan, range->lo, &rounds.axis);
    LLVMValueRef first = first_start(r, range->lo), hi = cg_index_value(f, cg_expr(f, range->hi));
    rounds.step = cg_index_value(f, cg_expr(f, range->step));
    LLVMBasicBlockRef done = cg_block(f, "all.rounds.done");
    if (!is_usual(&r->plan, range)) unless_usual(r, part, first, hi, rounds.step, done);
    LLVMValueRef counter = cg_alloca(f, f->cg->i64, "first");
    LLVMBuildStore(f->b, first, counter);
    LLVMValueRef last = LLVMBuildNSWMul(f->b, rounds.step, cg_i64(f->cg, AT_A_TIME - 1), "");
    last = LLVMBuildNSWAdd(f->b, last, cg_i64(f->cg, r->group->by[rounds.axis] - 1), "");
    run_rounds(r, part, rounds, counter, hi, last);
    rounds.n = 1;
    run_rounds(r, part, rounds, counter, hi, cg_i64(f->cg, 0));
    cg_goto(f, done);
    cg_enter(f, done);
}
