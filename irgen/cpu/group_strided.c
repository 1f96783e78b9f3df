/* group_strided.c -- induction variable analysis of strided loops, with which the items of a group traverse an array
 * together: in each iteration the items are at adjacent positions, and each iteration advances all of them by the same
 * stride. Such a loop may be written in several ways,
 *
 *     for e in i..n step S { B }        e is the position
 *     var e = i;  while e < n { B; e += S; }
 *     for r in 0..k { let e = r * S + i;  if e < n { B } }          r is uniform; also without the condition
 *
 * all of which a Strided describes by the loop variable, its range, and the position as a linear expression of the
 * variable. group_rounds.c executes these loops. */
#include "irgen/cpu/group.h"

const Expr *group_declared(const Expr *e) {
    while (e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && !e->name.sym->is_mutable &&
           e->name.sym->init && e->name.sym->type == e->name.sym->init->type)
        e = e->name.sym->init;
    return e;
}

/* The axis of `i.local`, or of `i` if its step is 1; -1: neither. Immutable `let`s are followed. */
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

/* Positions: item + variable * coefficient + uniform values ------------------------------------------------------- */

bool group_is_variable(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && e->name.sym->is_mutable;
}

/* Also where a `let` was declared with e, the value was the same as here. */
bool group_knows_always(const Plan *p, Expr *e) { return group_knows(p, e) && !expr_find(e, group_is_variable, NULL); }

bool group_is_sum(const Expr *e) {
    return e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB) && e->konst.kind == CONST_NONE;
}

static bool is_counter(const Strided *s, const Expr *e) {
    return s->var && e->kind == EXPR_NAME && e->name.sym == s->var;
}

/* True if e is linear in the loop variable, modulo 2^64. *by: the coefficient; 0 if it is not a constant. */
static bool is_linear(const Plan *p, const Strided *s, Expr *e, int64_t *by) {
    e = (Expr *)group_declared(e);
    *by = 0;
    bool is_known = group_knows_always(p, e) && !is_counter(s, e);
    if (is_known) return true;
    bool calls = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_CONVERT;
    const Expr *from = calls ? e->call.args.at[0].value : e->kind == EXPR_CONVERT ? e->convert.operand : e;
    if (from != e && e->type->kind != TY_INDEX) return false;
    if (is_counter(s, from)) e = (Expr *)from;
    *by = 1;
    if (is_counter(s, e)) return true;
    if (e->kind != EXPR_BINARY || e->type->kind != TY_INDEX) return false;
    Expr *sides[2] = {e->binary.lhs, e->binary.rhs};
    if (group_is_sum(e)) {
        int64_t more;
        if (!is_linear(p, s, sides[0], by) || !is_linear(p, s, sides[1], &more)) return false;
        *by += e->binary.op == OP_ADD ? more : -more;
        return true;
    }
    if (e->binary.op != OP_MUL) return false;
    for (int i = 0; i < 2; i++) {
        if (!group_knows_always(p, sides[!i]) || !is_linear(p, s, sides[i], by)) continue;
        const Const *k = &sides[!i]->konst;
        *by = k->kind == CONST_INT && k->i > 0 && k->i < INT32_MAX ? *by * k->i : 0;
        return true;
    }
    return false;
}

/* True if e is the position of the item along *axis plus an expression linear in the loop variable (*by: its
 * coefficient). */
static bool is_position(const Plan *p, const Strided *s, Expr *e, int *axis, int64_t *by) {
    bool is_local;
    int64_t more;
    *by = 0;
    *axis = group_axis_of(p->func, e, &is_local);
    if (*axis >= 0) return true;
    e = (Expr *)group_declared(e);
    if (!group_is_sum(e) || e->type->kind != TY_INDEX) return false;
    bool found = is_linear(p, s, e->binary.rhs, &more) && is_position(p, s, e->binary.lhs, axis, by);
    if (!found && e->binary.op == OP_ADD)
        found = is_linear(p, s, e->binary.lhs, &more) && is_position(p, s, e->binary.rhs, axis, by);
    *by += e->binary.op == OP_ADD ? more : -more;
    return found;
}

static bool uses_counter(Expr *e, void *strided) {
    if (is_counter(strided, e)) return true;
    const Expr *value = group_declared(e);
    return value != e && expr_find((Expr *)value, uses_counter, strided);
}

/* Counted loops --------------------------------------------------------------------------------------------------- */

static bool jumps(const Block *b, unsigned kinds);

/* True if st contains a jump of one of `kinds` that belongs to the loop around st. */
static bool is_jump(const Stmt *st, unsigned kinds) {
    if (st->kind == STMT_BLOCK) return jumps(st->block.block, kinds);
    if (st->kind != STMT_IF) return kinds >> st->kind & 1;
    return jumps(st->if_.then_, kinds) || (st->if_.else_ && is_jump(st->if_.else_, kinds));
}

static bool jumps(const Block *b, unsigned kinds) {
    for (int i = 0; i < b->stmts.n; i++)
        if (is_jump(b->stmts.at[i], kinds)) return true;
    return false;
}

static bool is_passed(Expr *e, void *sym) {
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        bool may_write = a->mode != REF_NONE && a->mode != REF_IN;
        if (may_write && a->value->kind == EXPR_NAME && a->value->name.sym == sym) return true;
    }
    return e->kind == EXPR_ATOMIC && expr_root(e->atomic.target) == sym;
}

static bool assigns_in(const Block *b, int n, const Symbol *sym);

static bool assigns(const Stmt *st, const Symbol *sym) {
    if (stmt_find(st, is_passed, (void *)sym)) return true;
    switch (st->kind) {
    case STMT_ASSIGN: return expr_root(st->assign.target) == sym;
    case STMT_IF:
        return assigns_in(st->if_.then_, st->if_.then_->stmts.n, sym) || (st->if_.else_ && assigns(st->if_.else_, sym));
    case STMT_FOR: return assigns_in(st->for_.body, st->for_.body->stmts.n, sym);
    case STMT_WHILE: return assigns_in(st->while_.body, st->while_.body->stmts.n, sym);
    case STMT_BLOCK:
    case STMT_RESIDENT: return assigns_in(st->block.block, st->block.block->stmts.n, sym);
    case STMT_LET: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED: case STMT_BARRIER:
    case STMT_WAIT: case STMT_ERROR: case STMT_RETURN: case STMT_BREAK: case STMT_CONTINUE: case STMT__COUNT: break;
    }
    return false;
}

static bool assigns_in(const Block *b, int n, const Symbol *sym) {
    for (int i = 0; i < n; i++)
        if (assigns(b->stmts.at[i], sym)) return true;
    return false;
}

/* The value that the variable has at the start of the loop; NULL: unknown. *giver: the statement that assigns it. */
static Expr *start_of(const Block *around, int at, const Symbol *sym, const Stmt **giver) {
    for (int i = at; i-- > 0;) {
        const Stmt *st = around->stmts.at[i];
        *giver = st;
        if (st->kind == STMT_LET && st->let.sym == sym) return st->let.init;
        if (!assigns(st, sym)) continue;
        bool gives = st->kind == STMT_ASSIGN && st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
        return gives && st->assign.target->kind == EXPR_NAME ? st->assign.value : NULL;
    }
    return NULL;
}

/* sym += by, or sym = sym + by */
static Expr *step_of(const Stmt *st, const Symbol *sym) {
    if (st->kind != STMT_ASSIGN || st->assign.is_min || st->assign.is_max) return NULL;
    if (st->assign.target->kind != EXPR_NAME || st->assign.target->name.sym != sym) return NULL;
    Expr *value = st->assign.value;
    if (st->assign.op != OP_NONE) return st->assign.op == OP_ADD ? value : NULL;
    if (value->kind != EXPR_BINARY || value->binary.op != OP_ADD) return NULL;
    Expr *sides[2] = {value->binary.lhs, value->binary.rhs};
    for (int i = 0; i < 2; i++)
        if (sides[i]->kind == EXPR_NAME && sides[i]->name.sym == sym) return sides[!i];
    return NULL;
}

/* a < b or a <= b, or b > a or b >= a */
static bool is_below(const Expr *e, Expr **a, Expr **b, bool *upto) {
    if (e->kind != EXPR_BINARY || e->konst.kind != CONST_NONE) return false;
    Op op = e->binary.op;
    bool mirrored = op == OP_GT || op == OP_GE;
    *upto = op == OP_LE || op == OP_GE;
    *a = mirrored ? e->binary.rhs : e->binary.lhs;
    *b = mirrored ? e->binary.lhs : e->binary.rhs;
    return mirrored || op == OP_LT || op == OP_LE;
}

static bool count_for(const Stmt *st, Strided *s) {
    const Range *r = &st->for_.binder.range;
    if (jumps(st->for_.body, 1 << STMT_BREAK)) return false;
    *s = (Strided){.var = st->for_.binder.sym, .lo = r->lo, .hi = r->hi, .step = r->step, .body = *st->for_.body};
    return true;
}

typedef struct Mentions {
    const Symbol *sym;
    int n;
} Mentions;

static bool count_mention(Expr *e, void *context) {
    Mentions *m = context;
    m->n += e->kind == EXPR_NAME && e->name.sym == m->sym;
    return false;
}

/* True if a statement other than the loop and `giver` uses the variable. */
static bool is_mentioned(const Plan *p, const Symbol *sym, const Stmt *loop, const Stmt *giver) {
    Mentions all = {.sym = sym}, here = {.sym = sym};
    const Block *body = p->func->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) stmt_find(body->stmts.at[i], count_mention, &all);
    stmt_find(loop, count_mention, &here);
    stmt_find(giver, count_mention, &here);
    return all.n != here.n;
}

/* The step must be the last statement, so that the variable is constant in all others. */
static bool count_while(const Plan *p, const Stmt *st, Strided *s) {
    const Block *body = st->while_.body;
    Expr *var;
    const Stmt *giver;
    *s = (Strided){.body = *body, .is_while = true};
    if (!p->around || !body->stmts.n || !is_below(st->while_.cond, &var, &s->hi, &s->upto)) return false;
    if (!group_is_variable(var, NULL)) return false;
    s->var = var->name.sym;
    s->body.stmts.n--;
    s->step = step_of(body->stmts.at[s->body.stmts.n], s->var);
    if (!s->step || assigns_in(body, s->body.stmts.n, s->var)) return false;
    if (jumps(body, 1 << STMT_BREAK | 1 << STMT_CONTINUE)) return false;
    s->lo = start_of(p->around, p->at, s->var, &giver);
    s->is_own = s->lo && !is_mentioned(p, s->var, st, giver);
    return s->lo != NULL;
}

/* Positions in loops with a uniform variable ---------------------------------------------------------------------- */

/* True if the body is `let`s without effects and one `if`: where its condition is false, nothing happens. */
static bool is_guarded(const Plan *p, Strided *s) {
    int last = s->body.stmts.n - 1;
    for (int i = 0; i <= last; i++) {
        const Stmt *st = s->body.stmts.at[i];
        bool is_let = st->kind == STMT_LET && !st->let.is_var && st->let.init && !group_is_placed(st->let.init);
        if (i == last ? st->kind != STMT_IF || st->if_.else_ : !is_let) return false;
    }
    if (last < 0) return false;
    s->guard = s->body.stmts.at[last]->if_.cond;
    return is_below(s->guard, &s->position, &s->end, &s->end_upto) && s->position->type->kind == TY_INDEX &&
           expr_find(s->position, uses_counter, s) && group_knows_always(p, s->end) &&
           is_position(p, s, s->position, &s->axis, &s->by);
}

typedef struct Accesses {
    const Plan *p;
    Strided *s;
} Accesses;

/* True if the call accesses memory through a reference, which this analysis does not follow. */
static bool hides_access(const Expr *e) {
    for (int i = 0; i < e->call.args.n; i++)
        if (e->call.args.at[i].mode != REF_NONE) return true;
    return e->call.info && e->call.info->receiver;
}

/* True if e accesses an array of the kernel at an index that depends on the loop variable but is not adjacent for
 * adjacent items. */
static bool strays(Expr *e, void *context) {
    Accesses *a = context;
    Strided *s = a->s;
    const Symbol *array = e->kind == EXPR_INDEX ? expr_array_symbol(e->index.base) : NULL;
    if (e->kind == EXPR_CALL) return hides_access(e) && expr_find(e, uses_counter, s);
    if (!array || array->kind != SYM_PARAM || !expr_find(e, uses_counter, s)) return false;
    Expr *at = e->index.at.at[e->index.at.n - 1];
    int axis;
    int64_t by;
    if (e->index.at.n != 1 || expr_is_slice(e) || !is_position(a->p, s, at, &axis, &by)) return true;
    if (s->position && (axis != s->axis || by != s->by)) return true;
    s->position = at;
    s->axis = axis;
    s->by = by;
    return false;
}

static bool is_adjacent(const Plan *p, Strided *s) {
    Accesses a = {p, s};
    s->guard = s->position = s->end = NULL;
    for (int i = 0; i < s->body.stmts.n; i++)
        if (stmt_find(s->body.stmts.at[i], strays, &a)) return false;
    return s->position != NULL;
}

/* All conditions -------------------------------------------------------------------------------------------------- */

/* False if the stride is known to be less than the group, so that iterations would overlap. */
static bool strides_far(const Plan *p, const Strided *s, int64_t by) {
    const Const *step = s->step ? &s->step->konst : &(Const){.kind = CONST_INT, .i = 1};
    if (step->kind == CONST_INT && step->i <= 0) return false;
    return by == 0 || step->kind != CONST_INT || by > INT32_MAX || step->i > INT32_MAX ||
           by * step->i >= p->func->group.by[s->axis];
}

static bool moves_item(const Plan *p, Strided *s) {
    int64_t by;
    Strided none = {0};
    if (!s->lo || !s->step || s->var->type->kind != TY_INDEX) return false;
    if (!is_position(p, &none, s->lo, &s->axis, &by)) return false;
    s->moves_item = true;
    return strides_far(p, s, s->is_while ? 1 : 0);
}

static bool moves_all(const Plan *p, Strided *s) {
    bool is_counter = s->var->type->is_int && s->var->type->is_signed && s->var->type->bits >= 32;
    if (!is_counter || (s->lo && !group_knows_always(p, s->lo))) return false;
    return (is_guarded(p, s) || is_adjacent(p, s)) && strides_far(p, s, s->by);
}

bool group_counts(const Plan *p, const Stmt *st, Strided *s) {
    if (st->kind == STMT_FOR) return count_for(st, s);
    return st->kind == STMT_WHILE && count_while(p, st, s);
}

const Strided *group_strided(const Plan *p, const Stmt *st) {
    Strided s;
    if (!cg_allows(p->f->cg, GROUP_ROUNDS) || st->together || stmt_holds(st, STMTS_RETURN)) return NULL;
    if (!group_counts(p, st, &s)) return NULL;
    if (!group_knows(p, s.hi) || (s.step && !group_knows(p, s.step))) return NULL;
    if (!moves_item(p, &s) && !moves_all(p, &s)) return NULL;
    Strided *found = arena_new(p->arena, Strided);
    *found = s;
    return found;
}
