/* group_unroll.c -- complete unrolling of loops around barriers, by constant propagation over what a group executes
 * once. A uniform variable has one storage for the group (Plan.once), and between segments its value is often a
 * constant: the gap of a tree reduction or a scan, which of two buffers is read, the bounds of a `for`. The loop is
 * interpreted at compile time, on the tree and with the language's arithmetic: if every condition evaluates to a
 * constant, and the loop ends soon, its iterations are emitted one after another. Its conditions and steps may have any
 * form. A loop whose trip count is known only at run time is not unrolled.
 *
 * Only loops whose items access contiguous elements of the group's own memory are unrolled: addresses are then
 * constants, and store-to-load forwarding (simd/forward.c) finds the elements that an earlier iteration has left in
 * registers. */
#include "irgen/cpu/group.h"

#include <string.h>

#include "sema/analysis/evaluate.h"
#include "sema/arith.h"

enum {
    MOST_NESTS = 64, MOST_ITEMS = 10240, /* emitted */
    MOST_STEPS = 1024,                   /* interpreted iterations, of all loops together */
    FAR = 1 << 30
};

/* Known values ---------------------------------------------------------------------------------------------------- */

/* The value of a variable of the group. */
static Const variable(const Expr *e, void *known) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return sym && sym->kind == SYM_LOCAL ? ((const Const *)known)[sym->id] : (Const){0};
}

static Const value_of(Const *known, const Expr *e) { return evaluate_expr(e, variable, known); }

static Symbol *target_of(const Stmt *st) {
    return st->kind == STMT_LET ? st->let.sym : st->assign.target->name.sym;
}

/* Interprets a statement that is executed once for the group. */
static void execute(Const *known, const Stmt *st) {
    const Symbol *sym = target_of(st);
    const Expr *value = st->kind == STMT_LET ? st->let.init : st->assign.value;
    Const v = value ? value_of(known, value) : (Const){0};
    known[sym->id] = st->kind == STMT_LET ? v : evaluate_update(st, sym->type, known[sym->id], v);
}

void group_forget(Const *known, const Parts *parts) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        const Part *part = &parts->at.at[i];
        if (part->kind == PART_ONCE) known[target_of(part->stmt)->id] = (Const){0};
        if (part->kind == PART_FOR) known[part->stmt->for_.binder.sym->id] = (Const){0};
        group_forget(known, part->then_);
        group_forget(known, part->else_);
    }
}

/* Includes conditions that have the same value for all items of the current box (cpu/group_split.c). */
Const group_known(const Expr *e, void *run) {
    GroupRun *r = run;
    Const k = variable(e, r->known);
    return k.kind == CONST_NONE && r->box ? group_known_in_box(r, e) : k;
}

void group_learn(GroupRun *r, const Stmt *once) { execute(r->known, once); }

/* Statements of the items ----------------------------------------------------------------------------------------- */

/* True if adjacent items access adjacent elements. */
static bool is_contiguous(const Plan *p, const Expr *e) {
    int last = e->index.at.n - 1;
    for (int d = 0; d < last; d++)
        if (rate_of(&p->rates, e->index.at.at[d]).kind != RATE_UNIFORM) return false;
    Rate r = rate_of(&p->rates, e->index.at.at[last]);
    return r.kind == RATE_LINEAR && r.stride == 1;
}

/* True for all but arithmetic and contiguous elements of the group's memory. */
static bool reaches_out(Expr *e, void *context) {
    if (e->konst.kind != CONST_NONE) return false;
    if (e->kind == EXPR_INDEX) return expr_is_slice(e) || !is_contiguous(context, e);
    if (e->kind == EXPR_CALL) return e->call.info->kind != CALL_CONVERT;
    if (e->kind == EXPR_NAME) return !e->name.sym || e->name.sym->kind == SYM_PARAM;
    return e->kind == EXPR_ATOMIC || e->kind == EXPR_OFFLOAD;
}

/* Interpretation of a loop ---------------------------------------------------------------------------------------- */

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_UNKNOWN } Flow;

typedef struct Iteration { /* of a loop that the whole group executes */
    bool is_known;         /* it is known whether there is a next one */
    int64_t i, hi, step;   /* PART_FOR */
} Iteration;

typedef struct Trace {
    const Plan *p;
    Const *known;
    int steps, nests;
} Trace;

static bool is_small(Const k) { return k.kind == CONST_INT && k.i > -FAR && k.i < FAR; }

/* The first iteration, with the values known before the loop. */
static Iteration first_iteration(Const *known, const Part *loop) {
    Iteration at = {.is_known = true};
    if (loop->kind == PART_WHILE) return at;
    const Range *r = &loop->stmt->for_.binder.range;
    Const lo = r->lo ? value_of(known, r->lo) : const_int(0), hi = value_of(known, r->hi);
    Const step = r->step ? value_of(known, r->step) : const_int(1);
    at.is_known = is_small(lo) && is_small(hi) && is_small(step) && step.i != 0 && r->type->is_int;
    at.i = lo.i;
    at.hi = hi.i;
    at.step = step.i;
    return at;
}

/* True if the loop executes another iteration; then its variable is set. */
static bool has_iteration(Const *known, const Part *loop, Iteration *at) {
    if (!at->is_known) return false;
    if (loop->kind == PART_WHILE) {
        Const more = value_of(known, loop->stmt->while_.cond);
        at->is_known = more.kind != CONST_NONE;
        return at->is_known && more.i;
    }
    known[loop->stmt->for_.binder.sym->id] = const_int(at->i);
    return at->step > 0 ? at->i < at->hi : at->i > at->hi;
}

static Flow trace(Trace *t, const Parts *parts);

static Flow trace_items(Trace *t, const Part *part) {
    t->nests++;
    for (int i = 0; i < part->items.n; i++)
        if (stmt_find(part->items.at[i], reaches_out, (void *)t->p)) return FLOW_UNKNOWN;
    return part->leaves ? FLOW_UNKNOWN : FLOW_ON;
}

static Flow trace_if(Trace *t, const Part *part) {
    Const yes = value_of(t->known, part->stmt->if_.cond);
    if (yes.kind == CONST_NONE) return FLOW_UNKNOWN;
    return yes.i ? trace(t, part->then_) : part->else_ ? trace(t, part->else_) : FLOW_ON;
}

static Flow trace_loop(Trace *t, const Part *part) {
    Iteration at = first_iteration(t->known, part);
    while (has_iteration(t->known, part, &at)) {
        Flow flow = ++t->steps > MOST_STEPS ? FLOW_UNKNOWN : trace(t, part->then_);
        if (flow == FLOW_UNKNOWN) return flow;
        if (flow == FLOW_BREAK) return FLOW_ON;
        at.i += at.step;
    }
    return at.is_known ? FLOW_ON : FLOW_UNKNOWN;
}

static Flow trace_part(Trace *t, const Part *part) {
    switch (part->kind) {
    case PART_ITEMS: return trace_items(t, part);
    case PART_ONCE: execute(t->known, part->stmt); return FLOW_ON;
    case PART_IF: return trace_if(t, part);
    case PART_FOR:
    case PART_WHILE: return trace_loop(t, part);
    case PART_BLOCK: return trace(t, part->then_);
    case PART_WORKSHARING:
    case PART_BARRIER: return FLOW_ON;
    case PART_JUMP:
        if (part->stmt->kind == STMT_RETURN) break;
        return part->stmt->kind == STMT_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    case PART_ROUNDS: break;
    }
    return FLOW_UNKNOWN;
}

static Flow trace(Trace *t, const Parts *parts) {
    Flow flow = FLOW_ON;
    for (int i = 0; i < parts->at.n && flow == FLOW_ON; i++) flow = trace_part(t, &parts->at.at[i]);
    return flow;
}

static Const *copy_of(const GroupRun *r) {
    Const *known = arena_array(r->plan.arena, Const, r->fn->n_symbols + 1);
    memcpy(known, r->known, sizeof *known * (size_t)r->fn->n_symbols);
    return known;
}

bool group_unrolls(const GroupRun *r, const Part *loop) {
    if (!r->f->cg->vector || !cg_allows(r->f->cg, GROUP_UNROLL)) return false;
    Trace t = {.p = &r->plan, .known = copy_of(r)};
    return trace_loop(&t, loop) == FLOW_ON && t.nests <= MOST_NESTS && t.nests * r->group->items <= MOST_ITEMS;
}

/* How the body ends, in a loop that is being unrolled. */
static Flow flow_of(const GroupRun *r, const Parts *body) {
    Trace t = {.p = &r->plan, .known = copy_of(r)};
    return trace(&t, body);
}

void group_run_unrolled(GroupRun *r, const Part *loop) {
    CgFunc *f = r->f;
    LLVMBasicBlockRef done = cg_block(f, "unrolled");
    const Symbol *binder = loop->kind == PART_FOR ? loop->stmt->for_.binder.sym : NULL;
    Iteration at = first_iteration(r->known, loop);
    bool outermost = !r->unrolled;
    r->unrolled = true;
    f->known = group_known;
    f->known_inside = group_known_inside;
    for (Flow flow = FLOW_ON; flow != FLOW_BREAK && has_iteration(r->known, loop, &at); at.i += at.step) {
        LLVMBasicBlockRef next = cg_block(f, "iteration");
        GLoop round = {0};
        if (binder) f->slots[binder->id].value = LLVMConstInt(cg_type(f->cg, binder->type), (uint64_t)at.i, false);
        group_enter_round(r, &round);
        flow = flow_of(r, loop->then_);
        group_run_parts(r, loop->then_, done, next);
        r->loop = round.outer;
        cg_goto(f, next);
        cg_enter(f, next);
    }
    cg_goto(f, done);
    cg_enter(f, done);
    r->unrolled = !outermost;
    if (!outermost) return;
    f->known = NULL;
    f->known_inside = NULL;
}
