/* launch_values.c -- concrete launches: the integers with which the program launches its kernels, as far as they do not
 * depend on data. The host program is interpreted at compile time, with integers and bools only, and with the
 * language's arithmetic (sema/analysis/evaluate.h): what comes from anywhere else is not known. The race analysis then
 * has numbers where a kernel has parameters.
 *
 * The interpreter follows more ways than the program takes, never fewer: of a condition that is not known both sides,
 * in turn; a loop that is long, or whose end is not known, is walked once with what it assigns unknown, after its
 * first iterations. So the launches of a kernel are complete if each has only known integers. */
#include "sema/analysis/evaluate.h"
#include "sema/check.h"

#include <string.h>

#include "parser/children.h"
#include "sema/arith.h"

enum {
    MOST_STEPS = 4000,                   /* statements, of a whole program */
    MOST_ROUNDS = 64, FIRST_ROUNDS = 3,  /* iterations of a short loop; of a long one */
    MOST_CALLS = 8                       /* one in another */
};

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;

typedef struct Run {
    Sema *s;
    const Func *f;
    Const *known;    /* by Symbol.id of f */
    int *steps, calls;
    int unsure;      /* conditions that are not known decide whether the program comes here */
} Run;

static Const variable(const Expr *e, void *context) {
    const Run *r = context;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    bool is_here = sym && sym->id >= 0 && sym->id < r->f->n_symbols;
    return is_here ? r->known[sym->id] : (Const){0};
}

static Const value_of(Run *r, const Expr *e) { return evaluate_expr(e, variable, r); }

static bool is_plain(const Type *t) { return t && (t->is_int || t->kind == TY_BOOL); }

static void set(Run *r, const Symbol *sym, Const v) {
    if (sym && sym->id >= 0 && sym->id < r->f->n_symbols) r->known[sym->id] = v;
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static Const plus(Const v, int64_t add) {
    return v.kind == CONST_INT && !__builtin_add_overflow(v.i, add, &v.i) ? v : (Const){0};
}

static Const extent_of(Run *r, Expr *array, int d) {
    Dim dims[MAX_RANK];
    dims_of_array(array, dims);
    if (dims[d].kind == DIM_CONST) return const_int(dims[d].value);
    const Symbol *size = dims[d].kind != DIM_UNKNOWN ? dims[d].sym : NULL;
    bool is_here = size && size->id >= 0 && size->id < r->f->n_symbols;
    return is_here ? plus(r->known[size->id], dims[d].value) : (Const){0};
}

static Const size_at(Run *r, const Expr *call, int k) {
    const SizeSource *from = &call->call.info->sizes.at[k];
    return plus(extent_of(r, call->call.args.at[from->arg].value, from->dim), -from->add);
}

static Const param_at(Run *r, const Expr *call, const Symbol *p) {
    bool is_value = p->mode == REF_NONE && is_plain(p->type) && p->dim < call->call.args.n;
    return is_value ? value_of(r, call->call.args.at[p->dim].value) : (Const){0};
}

LaunchValues *launch_values_of(Sema *s, Func *kernel) {
    if (!kernel->facts->values) kernel->facts->values = arena_new(s->arena, LaunchValues);
    return kernel->facts->values;
}

static bool is_alike(const Func *kernel, const int64_t *a, const int64_t *b) {
    return !memcmp(a, b, sizeof *a * (size_t)(kernel->sizes.n + kernel->params.n));
}

static void note(Run *r, const Expr *call) {
    Func *kernel = call->call.info->func;
    LaunchValues *all = launch_values_of(r->s, kernel);
    int n = kernel->sizes.n + kernel->params.n, found = 0;
    LaunchSample one = {call->span, arena_array(r->s->arena, int64_t, n + 1), !r->unsure};
    bool complete = true;
    for (int i = 0; i < n; i++) {
        bool is_size = i < kernel->sizes.n;
        const Symbol *p = is_size ? NULL : kernel->params.at[i - kernel->sizes.n];
        Const v = is_size ? size_at(r, call, i) : param_at(r, call, p);
        one.value[i] = v.kind == CONST_INT || v.kind == CONST_BOOL ? v.i : LAUNCH_OPEN;
        found += one.value[i] != LAUNCH_OPEN;
        complete = complete && (one.value[i] != LAUNCH_OPEN || (p && !(p->mode == REF_NONE && is_plain(p->type))));
    }
    all->is_partial |= !complete;
    all->visited++;
    for (int i = 0; i < all->at.n; i++) {
        if (!is_alike(kernel, all->at.at[i].value, one.value)) continue;
        if (one.is_sure && !all->at.at[i].is_sure) all->at.at[i] = one;
        return;
    }
    if (!found || all->at.n == MOST_LAUNCH_SAMPLES) all->is_partial = true;
    else vec_push(r->s->arena, &all->at, one);
}

/* Expressions ------------------------------------------------------------------------------------------------------ */

static Flow run_block(Run *r, const Block *b);

static bool launches(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_OFFLOAD) return true;
    bool calls = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC;
    return calls && e->call.info->func->effects & EFFECT_OFFLOAD;
}

static bool block_launches(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (stmt_find(b->stmts.at[i], launches, NULL)) return true;
    return false;
}

/* What a call may assign is not known after it. */
static void forget_arguments(Run *r, const Expr *call) {
    for (int i = 0; i < call->call.args.n; i++) {
        const Expr *a = call->call.args.at[i].value;
        if (call->call.args.at[i].mode >= REF_MUT && a->kind == EXPR_NAME) set(r, a->name.sym, (Const){0});
    }
}

static void forget_by_calls(Run *r, const Expr *e) {
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) forget_by_calls(r, x);
    if (e->kind == EXPR_CALL) forget_arguments(r, e);
}

static void call_function(Run *r, const Expr *call) {
    const Func *f = call->call.info->func;
    if (f->is_kernel || f->is_extern || !f->item || !f->item->fn.body || f->facts->skip) return;
    if (!(f->effects & EFFECT_OFFLOAD)) return;
    if (r->calls >= MOST_CALLS) {
        *r->steps = MOST_STEPS;
        return;
    }
    Run in = {.s = r->s, .f = f, .steps = r->steps, .calls = r->calls + 1, .unsure = r->unsure};
    in.known = arena_array(r->s->arena, Const, f->n_symbols + 1);
    for (int i = 0; i < f->params.n; i++) set(&in, f->params.at[i], param_at(r, call, f->params.at[i]));
    for (int i = 0; i < f->sizes.n && i < call->call.info->sizes.n; i++) set(&in, f->sizes.at[i], size_at(r, call, i));
    run_block(&in, f->item->fn.body);
}

static void visit(Run *r, const Expr *e) {
    Const yes = e->kind == EXPR_IF ? value_of(r, e->if_.cond) : (Const){0};
    if (yes.kind != CONST_NONE) {
        visit(r, e->if_.cond);
        visit(r, yes.i ? e->if_.then_ : e->if_.else_);
        return;
    }
    bool may_skip = e->kind == EXPR_IF || (e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR));
    Children all = expr_children(e);
    r->unsure += may_skip;
    for (Expr *x; (x = child_expr(&all));) visit(r, x);
    r->unsure -= may_skip;
    if (e->kind == EXPR_OFFLOAD) {
        const Expr *call = e->offload.call;
        bool is_launch = call->kind == EXPR_CALL && call->call.info && call->call.info->kind == CALL_FUNC;
        if (is_launch && call->call.info->func->is_kernel) note(r, call);
        return;
    }
    if (e->kind != EXPR_CALL || !e->call.info) return;
    if (e->call.info->kind == CALL_FUNC) call_function(r, e);
    forget_arguments(r, e);
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static void forget_assigned(Run *r, const Stmt *st) {
    if (st->kind == STMT_ASSIGN && st->assign.target->kind == EXPR_NAME)
        set(r, st->assign.target->name.sym, (Const){0});
    if (st->kind == STMT_LET) set(r, st->let.sym, (Const){0});
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) forget_by_calls(r, x);
    for (Stmt *x; (x = child_stmt(&all));) forget_assigned(r, x);
}

static void forget_in(Run *r, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) forget_assigned(r, b->stmts.at[i]);
}

static Flow run_stmt(Run *r, const Stmt *st);

static Flow run_if(Run *r, const Stmt *st) {
    Const yes = value_of(r, st->if_.cond);
    if (yes.kind != CONST_NONE) {
        if (yes.i) return run_block(r, st->if_.then_);
        return st->if_.else_ ? run_stmt(r, st->if_.else_) : FLOW_ON;
    }
    bool may_leave = stmt_holds(st, STMTS_LEAVE);
    int n = r->f->n_symbols;
    r->unsure++;
    Const *before = arena_array(r->s->arena, Const, n + 1);
    memcpy(before, r->known, sizeof *before * (size_t)n);
    run_block(r, st->if_.then_);
    for (int i = 0; i < n; i++) {
        Const then = r->known[i];
        r->known[i] = before[i];
        before[i] = then;
    }
    if (st->if_.else_) run_stmt(r, st->if_.else_);
    for (int i = 0; i < n; i++)
        if (before[i].kind != r->known[i].kind || before[i].i != r->known[i].i) r->known[i] = (Const){0};
    r->unsure -= !may_leave; /* what follows is for one side only */
    return FLOW_ON;
}

/* An iteration that stands for all others, or for any number of them. */
static void run_any(Run *r, const Block *body, const Symbol *counter) {
    forget_in(r, body);
    set(r, counter, (Const){0});
    if (!block_launches(body)) return;
    int before = r->unsure++;
    run_block(r, body);
    r->unsure = before;
    forget_in(r, body);
}

static bool has_loop(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        Children all = stmt_children(st);
        bool is_loop = st->kind == STMT_FOR || st->kind == STMT_WHILE;
        for (Stmt *x; !is_loop && (x = child_stmt(&all));) is_loop = x->kind == STMT_FOR || x->kind == STMT_WHILE;
        if (is_loop) return true;
    }
    return false;
}

static bool jumps(const Stmt *st) {
    if (st->kind == STMT_BREAK || st->kind == STMT_CONTINUE) return true;
    Children all = stmt_children(st);
    while (child_expr(&all)) {}
    for (Stmt *x; (x = child_stmt(&all));)
        if (jumps(x)) return true;
    return false;
}

/* A loop without launches is of interest for the integers that it computes, if it is a small one. Where an iteration
 * may be left early, on a condition that may be unknown, its assignments may be left out. */
static bool is_followed(const Block *body) {
    for (int i = 0; i < body->stmts.n; i++)
        if (jumps(body->stmts.at[i])) return false;
    return block_launches(body) || !has_loop(body);
}

static Flow run_for(Run *r, const Stmt *st) {
    const Range *range = &st->for_.binder.range;
    const Symbol *counter = st->for_.binder.sym;
    Const lo = range->lo ? value_of(r, range->lo) : const_int(0), hi = value_of(r, range->hi);
    Const step = range->step ? value_of(r, range->step) : const_int(1);
    const int64_t far = INT64_C(1) << 40;
    bool known = lo.kind == CONST_INT && hi.kind == CONST_INT && step.kind == CONST_INT && step.i > 0 && lo.i > -far &&
                 hi.i < far && range->type && range->type->is_int && is_followed(st->for_.body);
    int64_t trips = known && hi.i > lo.i ? (hi.i - lo.i - 1) / step.i + 1 : 0;
    bool is_long = trips > MOST_ROUNDS;
    for (int64_t k = 0; known && k < (is_long ? FIRST_ROUNDS : trips); k++) {
        set(r, counter, const_int(lo.i + k * step.i));
        Flow flow = run_block(r, st->for_.body);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN) return flow;
    }
    if (!known || is_long) run_any(r, st->for_.body, counter);
    return FLOW_ON;
}

static Flow run_while(Run *r, const Stmt *st) {
    for (int k = 0; k < MOST_ROUNDS && is_followed(st->while_.body); k++) {
        Const more = value_of(r, st->while_.cond);
        if (more.kind == CONST_NONE) break;
        if (!more.i) return FLOW_ON;
        Flow flow = run_block(r, st->while_.body);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_RETURN) return flow;
    }
    run_any(r, st->while_.body, NULL);
    return FLOW_ON;
}

static Flow run_stmt(Run *r, const Stmt *st) {
    if ((*r->steps)++ >= MOST_STEPS) return FLOW_RETURN;
    if (st->kind != STMT_BLOCK) {
        Children all = stmt_children(st);
        for (Expr *x; (x = child_expr(&all));) visit(r, x);
    }
    switch (st->kind) {
    case STMT_LET:
        set(r, st->let.sym, st->let.init && is_plain(st->let.init->type) ? value_of(r, st->let.init) : (Const){0});
        return FLOW_ON;
    case STMT_ASSIGN: {
        const Expr *to = st->assign.target;
        if (to->kind != EXPR_NAME || !is_plain(to->type)) return FLOW_ON;
        set(r, to->name.sym, evaluate_update(st, to->type, variable(to, r), value_of(r, st->assign.value)));
        return FLOW_ON;
    }
    case STMT_IF: return run_if(r, st);
    case STMT_FOR: return run_for(r, st);
    case STMT_WHILE: return run_while(r, st);
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_RETURN: return FLOW_RETURN;
    case STMT_BLOCK: case STMT_RESIDENT: return run_block(r, st->block.block);
    case STMT_ERROR: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED: case STMT_BARRIER:
    case STMT_WAIT: case STMT__COUNT: break;
    }
    return FLOW_ON;
}

static Flow run_block(Run *r, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        Flow flow = run_stmt(r, b->stmts.at[i]);
        if (flow != FLOW_ON) return flow;
    }
    return FLOW_ON;
}

/* All of the program ----------------------------------------------------------------------------------------------- */

/* A function that nobody calls is called from outside, or is main or a test; what is only called is walked there. */
void launch_values_find(Sema *s) {
    Program *p = s->program;
    int steps = 0;
    if (s->options && s->options->is_session) return;
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        if (f->is_kernel || f->is_extern || f->facts->skip || !f->item || !f->item->fn.body) continue;
        if (f->facts->callers.n && !f->is_export) continue;
        Run r = {.s = s, .f = f, .steps = &steps};
        r.known = arena_array(s->arena, Const, f->n_symbols + 1);
        run_block(&r, f->item->fn.body);
    }
    s->launches_missed = steps >= MOST_STEPS;
}
