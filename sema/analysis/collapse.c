/* collapse.c -- loop collapsing: finds kernels `over i in n { let a = ...; for j in m { ... } }` whose loop may become
 * another axis of the domain, because its iterations are independent (dependence analysis):
 *
 * - its bounds are known at the launch, no iteration leaves it, and nothing comes after it;
 * - what an iteration assigns are variables that it declares itself, and elements of arrays;
 * - all accesses to an array that it writes have the loop's variable as the same index, or there is one access, at that
 *   variable plus what is the same in all iterations: different iterations access different elements;
 * - what comes before the loop are `let`s of numbers that cost little and read no array which the kernel writes;
 * - no atomic updates, and no functions that write through a reference.
 *
 * References that are written do not overlap others in KDSL. */
#include "sema/analysis/collapse.h"

#include "sema/check.h"

enum { MOST_STEPS = 1000 };

typedef struct Array {
    const Symbol *sym;
    int mentions, accesses; /* by name; those of them that are accesses of an iteration's own element */
    int at;                 /* which index is just the loop variable; -1: the only access has another form */
} Array;

typedef struct Loop {
    Arena *arena;
    const Symbol *var;
    Vec(const Symbol *) own;  /* variables that an iteration declares */
    Vec(Array) written;
    bool refused;
    int depth;                /* of loops inside */
    int steps;                /* through the variables that indices are made of */
} Loop;

/* Bounds ----------------------------------------------------------------------------------------------------------- */

static bool is_known(const Expr *e) {
    if (!e) return true;
    e = expr_strip((Expr *)e);
    const Symbol *s = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (e->konst.kind == CONST_INT) return true;
    if (s) return s->kind == SYM_SIZE || (s->kind == SYM_PARAM && s->mode == REF_NONE && s->type->is_int);
    if (e->kind != EXPR_BINARY || !e->type->is_int) return false;
    if (e->binary.op != OP_ADD && e->binary.op != OP_SUB && e->binary.op != OP_MUL) return false;
    return is_known(e->binary.lhs) && is_known(e->binary.rhs);
}

static bool has_known_range(const Range *r) {
    return is_known(r->lo) && is_known(r->hi) &&
           (!r->step || (r->step->konst.kind == CONST_INT && r->step->konst.i == 1));
}

/* Expressions ------------------------------------------------------------------------------------------------------ */

static bool is_of_body(const Loop *l, const Symbol *s) {
    for (int i = 0; i < l->own.n; i++)
        if (l->own.at[i] == s) return true;
    return s == l->var;
}

static bool refuses(Expr *e, void *context) {
    Loop *l = context;
    if (e->kind == EXPR_ATOMIC || e->kind == EXPR_OFFLOAD || e->kind == EXPR_COMPREHEND) l->refused = true;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        RefMode mode = e->call.args.at[i].mode;
        l->refused |= mode == REF_MUT || mode == REF_OUT;
    }
    return l->refused;
}

/* Does its value differ between iterations? */
static bool is_of_iteration(Expr *e, void *context) {
    if (e->kind == EXPR_NAME) return is_of_body(context, e->name.sym);
    return e->konst.kind == CONST_NONE && e->kind != EXPR_BINARY && e->kind != EXPR_CONVERT;
}

/* The loop's variable, plus or minus what is the same in all iterations. */
static bool counts(Loop *l, Expr *e) {
    e = expr_strip(e);
    if (++l->steps > MOST_STEPS) return false;
    const Symbol *s = e->kind == EXPR_NAME ? e->name.sym : NULL;
    bool is_constant = s && s->kind == SYM_LOCAL && !s->is_mutable && s->init;
    if (s) return s == l->var || (is_constant && is_of_body(l, s) && counts(l, s->init));
    if (e->kind != EXPR_BINARY || (e->binary.op != OP_ADD && e->binary.op != OP_SUB)) return false;
    bool right = e->binary.op == OP_ADD && counts(l, e->binary.rhs);
    if (right) return !expr_find(e->binary.lhs, is_of_iteration, l);
    return counts(l, e->binary.lhs) && !expr_find(e->binary.rhs, is_of_iteration, l);
}

static Array *written(Loop *l, const Symbol *s) {
    for (int i = 0; i < l->written.n; i++)
        if (l->written.at[i].sym == s) return &l->written.at[i];
    return NULL;
}

static int index_of_variable(const Loop *l, const ExprList *at) {
    for (int d = 0; d < at->n; d++) {
        const Expr *e = expr_strip(at->at[d]);
        if (e->kind == EXPR_NAME && e->name.sym == l->var) return d;
    }
    return -1;
}

static bool see_mention(Expr *e, void *context) {
    Loop *l = context;
    Array *a = e->kind == EXPR_NAME ? written(l, e->name.sym) : NULL;
    if (a) a->mentions++;
    const Expr *base = e->kind == EXPR_INDEX && !expr_is_slice(e) ? e->index.base : NULL;
    a = base && base->kind == EXPR_NAME ? written(l, base->name.sym) : NULL;
    if (!a) return false;
    int at = index_of_variable(l, &e->index.at);
    bool counts_up = at >= 0;
    for (int d = 0; d < e->index.at.n && !counts_up; d++) counts_up = counts(l, e->index.at.at[d]);
    if (!counts_up || (a->accesses && (at < 0 || at != a->at))) l->refused = true;
    a->at = at;
    a->accesses++;
    return false;
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static void look_block(Loop *l, const Block *b);

static void look_assign(Loop *l, Expr *target) {
    const Expr *whole = expr_whole(target);
    const Expr *of = whole->kind == EXPR_INDEX ? whole->index.base : whole;
    const Symbol *s = of->kind == EXPR_NAME ? of->name.sym : NULL;
    if (s && is_of_body(l, s)) return;
    bool is_element = whole->kind == EXPR_INDEX && !expr_is_slice(whole) && s && s->kind == SYM_PARAM;
    if (!is_element || s->type->kind != TY_ARRAY) l->refused = true;
    else if (!written(l, s)) vec_push(l->arena, &l->written, ((Array){.sym = s, .at = -1}));
}

static void look_loop(Loop *l, const Block *body) {
    l->depth++;
    look_block(l, body);
    l->depth--;
}

static void look_stmt(Loop *l, const Stmt *st) {
    switch (st->kind) {
    case STMT_LET: vec_push(l->arena, &l->own, st->let.sym); return;
    case STMT_ASSIGN: look_assign(l, st->assign.target); return;
    case STMT_IF:
        look_block(l, st->if_.then_);
        if (st->if_.else_) look_stmt(l, st->if_.else_);
        return;
    case STMT_FOR:
        vec_push(l->arena, &l->own, st->for_.binder.sym);
        look_loop(l, st->for_.body);
        return;
    case STMT_WHILE: look_loop(l, st->while_.body); return;
    case STMT_BLOCK: look_block(l, st->block.block); return;
    case STMT_CONTINUE: return;
    case STMT_BREAK: l->refused |= !l->depth; return;
    case STMT_ERROR: case STMT_ATOMIC: case STMT_EXPR: case STMT_RETURN: case STMT_ASSERT: case STMT_SHARED:
    case STMT_BARRIER: case STMT_WAIT: case STMT_RESIDENT: case STMT__COUNT: break;
    }
    l->refused = true;
}

static void look_block(Loop *l, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) look_stmt(l, b->stmts.at[i]);
}

/* Each block of iterations computes it: functions have loops, and mathematical ones cost more than many iterations. */
static bool is_costly(Expr *e, void *context) {
    (void)context;
    if (e->kind != EXPR_CALL || e->call.info->kind == CALL_CONVERT) return false;
    BuiltinId b = e->call.info->builtin;
    if (e->call.info->kind != CALL_BUILTIN) return true;
    bool is_choice = b == BUILTIN_MIN || b == BUILTIN_MAX || b == BUILTIN_ABS || b == BUILTIN_CLAMP;
    return !is_choice && b != BUILTIN_LEN && b != BUILTIN_SHAPE;
}

/* A constant of the item, of one number. */
static bool is_number(const Stmt *st) {
    if (st->kind != STMT_LET || st->let.is_var || !st->let.init || expr_find(st->let.init, is_costly, NULL))
        return false;
    return st->let.sym->type->is_int || st->let.sym->type->is_float;
}

static void look_iterations(Loop *l, const Stmt *loop) {
    look_block(l, loop->for_.body);
    if (!l->refused) stmt_find(loop, refuses, l);
    if (!l->refused) stmt_find(loop, see_mention, l);
    for (int i = 0; i < l->written.n; i++) l->refused |= l->written.at[i].mentions != l->written.at[i].accesses;
}

static void look_kernel(Loop *l, const Block *body, const Stmt *loop) {
    look_iterations(l, loop);
    for (int i = 0; i < l->written.n; i++) l->written.at[i].mentions = 0;
    for (int i = 0; i < body->stmts.n - 1 && !l->refused; i++) {
        l->refused = !is_number(body->stmts.at[i]);
        if (l->refused) return;
        stmt_find(body->stmts.at[i], refuses, l);
        stmt_find(body->stmts.at[i], see_mention, l);
    }
    for (int i = 0; i < l->written.n; i++) l->refused |= l->written.at[i].mentions > 0;
}

static bool may_be_axis(const Stmt *st) {
    return st->kind == STMT_FOR && !st->for_.checks && has_known_range(&st->for_.binder.range);
}

bool loop_is_independent(Arena *arena, const Stmt *st) {
    if (!may_be_axis(st)) return false;
    Loop l = {.arena = arena, .var = st->for_.binder.sym};
    look_iterations(&l, st);
    return !l.refused;
}

const Stmt *collapsible_loop(Arena *arena, const Func *kernel) {
    const Block *body = kernel->item->fn.body;
    if (kernel->group.items || kernel->reduction || kernel->domain.n >= MAX_RANK || !body->stmts.n) return NULL;
    const Stmt *loop = body->stmts.at[body->stmts.n - 1];
    if (!may_be_axis(loop)) return NULL;
    Loop l = {.arena = arena, .var = loop->for_.binder.sym};
    look_kernel(&l, body, loop);
    return l.refused ? NULL : loop;
}
