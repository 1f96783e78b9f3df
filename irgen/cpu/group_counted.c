/* group_counted.c -- complete unrolling of loops around barriers whose trip count is known, as `while gap < 256 { ...;
 * gap *= 2; }` of a tree reduction or a scan. Such a loop is unrolled where its items only read and write the group's
 * own memory: the gap of each iteration is then a constant, and store-to-load forwarding (simd/forward.c) finds the
 * elements that an earlier iteration has left in registers. */
#include "irgen/cpu/group.h"

enum { MOST_ROUNDS = 16, MOST_ITEMS = 10240 /* of all parts in all rounds: they are written out */, FAR = 1 << 30 };

static const Symbol *variable_of(const Expr *e) {
    while (e->kind == EXPR_CONVERT) e = e->convert.operand;
    return e->kind == EXPR_NAME && e->konst.kind == CONST_NONE ? e->name.sym : NULL;
}

static bool is_small(const Expr *e) { return e->konst.kind == CONST_INT && e->konst.i > -FAR && e->konst.i < FAR; }

/* What the items do ------------------------------------------------------------------------------------------------- */

/* Neighbours have neighbouring elements. */
static bool is_beside(const Plan *p, const Expr *e) {
    if (e->index.at.n != 1) return false;
    Rate r = rate_of(&p->rates, e->index.at.at[0]);
    return r.kind == RATE_LINEAR && r.stride == 1;
}

/* Anything but arithmetic and elements of the group's memory side by side. */
static bool reaches_out(Expr *e, void *context) {
    if (e->konst.kind != CONST_NONE) return false;
    if (e->kind == EXPR_INDEX) return expr_is_slice(e) || !is_beside(context, e);
    if (e->kind == EXPR_CALL) return e->call.info->kind != CALL_CONVERT;
    if (e->kind == EXPR_NAME) return !e->name.sym || e->name.sym->kind == SYM_PARAM;
    return e->kind == EXPR_ATOMIC || e->kind == EXPR_OFFLOAD;
}

static bool assigns(const Part *part, const Symbol *sym) {
    const Stmt *st = part->stmt;
    if (part->kind != PART_ONCE) return false;
    return st->kind == STMT_LET ? st->let.sym == sym : st->assign.target->name.sym == sym;
}

/* The only one that assigns to sym; NULL: there is none, or something else in the loop. */
static const Stmt *only_step(const Plan *p, const Parts *body, const Symbol *sym, int *n_items) {
    const Stmt *step = NULL;
    for (int i = 0; i < body->at.n; i++) {
        const Part *part = &body->at.at[i];
        bool is_once = part->kind == PART_ONCE;
        if ((!is_once && part->kind != PART_ITEMS) || part->leaves) return NULL;
        for (int k = 0; k < part->items.n; k++)
            if (stmt_find(part->items.at[k], reaches_out, (void *)p)) return NULL;
        *n_items += part->items.n > 0;
        if (!assigns(part, sym)) continue;
        if (step || part->stmt->kind != STMT_ASSIGN) return NULL;
        step = part->stmt;
    }
    return step;
}

/* Rounds ------------------------------------------------------------------------------------------------------------ */

typedef struct Step {
    Op op;
    const Expr *by;
} Step;

/* sym op= by, or sym = sym op by */
static Step step_of(const Stmt *st, const Symbol *sym) {
    const Expr *value = st->assign.value;
    if (st->assign.is_min || st->assign.is_max) return (Step){OP_NONE, value};
    if (st->assign.op != OP_NONE) return (Step){st->assign.op, value};
    if (value->kind != EXPR_BINARY || variable_of(value->binary.lhs) != sym) return (Step){OP_NONE, value};
    return (Step){value->binary.op, value->binary.rhs};
}

static bool apply(Step step, bool is_signed, int64_t *v) {
    int64_t by = step.by->konst.i;
    bool shifts = (step.op == OP_SHL || step.op == OP_SHR) && by >= 0 && by < 31;
    if (*v < 0) return false;
    if (step.op == OP_ADD) *v += by;
    else if (step.op == OP_SUB) *v -= by;
    else if (step.op == OP_MUL) *v *= by;
    else if (step.op == OP_DIV && by > 0) *v /= by;
    else if (shifts) *v = step.op == OP_SHL ? *v * (INT64_C(1) << by) : *v >> by;
    else return false;
    return *v > (is_signed ? -FAR : -1) && *v < FAR;
}

static bool holds(Op op, int64_t a, int64_t b) {
    return op == OP_LT ? a < b : op == OP_LE ? a <= b : op == OP_GT ? a > b : op == OP_GE ? a >= b : op == OP_NE && a != b;
}

/* The value that sym begins with, given by the nearest of the parts before part `at`. */
static const Expr *start_of(const Parts *around, int at, const Symbol *sym) {
    for (int i = at; i-- > 0;) {
        const Part *part = &around->at.at[i];
        const Stmt *st = part->stmt;
        if (assigns(part, sym)) return st->kind == STMT_LET ? st->let.init : st->assign.op == OP_NONE ? st->assign.value : NULL;
        if (part->kind != PART_ONCE && part->kind != PART_ITEMS) return NULL;
    }
    return NULL;
}

int group_counted_rounds(const Plan *p, const Parts *around, int at) {
    const Part *loop = &around->at.at[at];
    if (!p->f->cg->vector || !cg_allows(p->f->cg, GROUP_UNROLL) || loop->kind != PART_WHILE || loop->stmt->while_.cond->kind != EXPR_BINARY) return 0;
    const Expr *cond = loop->stmt->while_.cond, *upto = cond->binary.rhs;
    const Symbol *sym = variable_of(cond->binary.lhs);
    if (!sym || sym->kind != SYM_LOCAL || !p->once[sym->id] || !sym->type->is_int || type_size_bytes(sym->type) < 4) return 0;
    if (!is_small(upto)) return 0;
    const Expr *start = start_of(around, at, sym);
    int n_items = 0;
    const Stmt *step = only_step(p, loop->then_, sym, &n_items);
    if (!start || !is_small(start) || !step) return 0;
    Step by = step_of(step, sym);
    int64_t v = start->konst.i;
    int n = 0;
    for (; holds(cond->binary.op, v, upto->konst.i) && n <= MOST_ROUNDS; n++)
        if (!is_small(by.by) || !apply(by, sym->type->is_signed, &v)) return 0;
    return n <= MOST_ROUNDS && n * n_items * p->func->group.items <= MOST_ITEMS ? n : 0;
}
