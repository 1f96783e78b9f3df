/* accumulate.c -- integer overflow of accumulators (W0406): `total += i32(i);` in a loop whose trip count is known. The
 * loop is executed here, on integers of 128 bits. Only what is certain is reported: the variable is declared beside the
 * loop, with a value that is known, and nothing but this statement, which each iteration executes, changes or reads it
 * in the loop. */
#include "parser/children.h"
#include "sema/affine.h"
#include "sema/check.h"

enum { MAX_TRIPS = 1 << 20 };

typedef struct Loop {
    const Symbol *counter;
    Wide i;
} Loop;

static bool fits(Wide v, const Type *t) { return v >= type_least(t) && v <= type_most(t); }

/* The value of `e` in one iteration; false: it depends on more than the counter, or wraps. */
static bool value_of(const Loop *l, const Expr *e, Wide *v) {
    if (!e->type || !e->type->is_int) return false;
    if (e->konst.kind == CONST_INT) return *v = e->konst.i, true;
    if (e->kind == EXPR_CONVERT) return value_of(l, e->convert.operand, v) && fits(*v, e->type);
    if (e->kind == EXPR_NAME) return *v = l->i, e->name.sym == l->counter;
    if (e->kind == EXPR_CALL) {
        bool converts = e->call.info && e->call.info->kind == CALL_CONVERT && e->call.args.n == 1;
        return converts && value_of(l, e->call.args.at[0].value, v) && fits(*v, e->type);
    }
    Wide a, b;
    if (e->kind != EXPR_BINARY || !value_of(l, e->binary.lhs, &a) || !value_of(l, e->binary.rhs, &b)) return false;
    if (e->binary.op == OP_ADD) *v = a + b;
    else if (e->binary.op == OP_SUB) *v = a - b;
    else if (e->binary.op == OP_MUL) *v = a * b; /* of at most 64 bits each */
    else return false;
    return fits(*v, e->type);
}

static int mentions(const Expr *e, const Symbol *sym) {
    int n = e->kind == EXPR_NAME && e->name.sym == sym;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) n += mentions(x, sym);
    return n;
}

static int mentions_in_stmt(const Stmt *st, const Symbol *sym) {
    int n = 0;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) n += mentions(x, sym);
    for (Stmt *x; (x = child_stmt(&all));) n += mentions_in_stmt(x, sym);
    return n;
}

static void say(Sema *s, const Stmt *st, const Stmt *let, const Loop *l, Wide reached) {
    const Symbol *sym = let->let.sym;
    Diag *d = diag(s->c, W0406, st->span, "`%s` no longer fits in `%s` when `%s` is %lld: it wraps", sym->name,
                   sym->type->name, l->counter->name, (long long)l->i);
    const Expr *init = let->let.init;
    bool is_plain = init->kind == EXPR_INT && !init->int_.suffix && !let->let.type;
    bool widens = is_plain && sym->type->bits < 64 && fits(reached, s->i64);
    Span after = {let->let.name_span.hi, let->let.name_span.hi};
    if (widens) diag_fix(s->c, d, after, ": i64", "declare `%s` as an `i64`", sym->name);
    else diag_note(s->c, d, let->span, "give `%s` a type that has room for it, such as `i64` or `f64`", sym->name);
}

/* `s += v`, `s = s + v` or `s = v + s` */
typedef struct Step {
    Op op; /* OP_NONE: another statement */
    const Expr *value;
} Step;

static bool is_sum_or_product(Op op) { return op == OP_ADD || op == OP_SUB || op == OP_MUL; }

static Step step_of(const Stmt *st, const Symbol *sym) {
    const Expr *value = st->assign.value;
    if (is_sum_or_product(st->assign.op)) return (Step){st->assign.op, value};
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (!plain || value->kind != EXPR_BINARY || !is_sum_or_product(value->binary.op)) return (Step){OP_NONE, NULL};
    const Expr *lhs = value->binary.lhs, *rhs = value->binary.rhs;
    if (lhs->kind == EXPR_NAME && lhs->name.sym == sym) return (Step){value->binary.op, rhs};
    bool turned = rhs->kind == EXPR_NAME && rhs->name.sym == sym && value->binary.op != OP_SUB;
    return turned ? (Step){value->binary.op, lhs} : (Step){OP_NONE, NULL};
}

/* Executes the loop for one accumulator. */
static void run_loop(Sema *s, const Stmt *loop, const Stmt *st, Step step, const Stmt *let) {
    const Range *range = &loop->for_.binder.range;
    const Type *t = let->let.sym->type;
    Wide total = let->let.init->konst.i, more, lo = range->lo ? range->lo->konst.i : 0, hi = range->hi->konst.i;
    Loop l = {loop->for_.binder.sym, lo};
    for (; l.i < hi && l.i < lo + MAX_TRIPS; l.i++) {
        if (!value_of(&l, step.value, &more)) return;
        total = step.op == OP_ADD ? total + more : step.op == OP_SUB ? total - more : total * more;
        if (fits(total, t)) continue;
        say(s, st, let, &l, total);
        return;
    }
}

static bool is_known_range(const Range *r) {
    bool known = r->hi && r->hi->konst.kind == CONST_INT && (!r->lo || r->lo->konst.kind == CONST_INT) && !r->step;
    return known && r->hi->type && r->hi->type->is_int;
}

/* The declaration of `sym` before statement `at` of the block, if nothing between them names it; NULL: none. */
static const Stmt *declared_before(const Block *b, int at, const Symbol *sym) {
    while (--at >= 0) {
        const Stmt *st = b->stmts.at[at];
        bool declares = st->kind == STMT_LET && st->let.sym == sym;
        if (declares) return st->let.init && st->let.init->konst.kind == CONST_INT ? st : NULL;
        if (mentions_in_stmt(st, sym)) return NULL;
    }
    return NULL;
}

static void check_loop(Sema *s, const Block *b, int at) {
    const Stmt *loop = b->stmts.at[at];
    if (loop->kind != STMT_FOR || !loop->for_.binder.sym || !is_known_range(&loop->for_.binder.range)) return;
    for (int i = 0; i < loop->for_.body->stmts.n; i++)
        if (stmt_holds(loop->for_.body->stmts.at[i], STMTS_LEAVE)) return;
    for (int i = 0; i < loop->for_.body->stmts.n; i++) {
        const Stmt *st = loop->for_.body->stmts.at[i];
        if (st->kind != STMT_ASSIGN || st->assign.target->kind != EXPR_NAME) continue;
        const Symbol *sym = st->assign.target->name.sym;
        if (!sym || !sym->type || !sym->type->is_int || !sym->type->is_signed) continue;
        Step step = step_of(st, sym);
        const Stmt *let = step.value ? declared_before(b, at, sym) : NULL;
        int own = st->assign.op == OP_NONE ? 2 : 1;
        if (let && mentions_in_stmt(loop, sym) == own) run_loop(s, loop, st, step, let);
    }
}

static void search_block(Sema *s, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        check_loop(s, b, i);
        Children all = stmt_children(b->stmts.at[i]);
        if (all.block && *all.block) search_block(s, *all.block);
        if (all.other && *all.other) {
            Stmt *other = *all.other;
            Block alone = {.stmts = {.at = &other, .n = 1}};
            search_block(s, &alone);
        }
    }
}

void accumulators_check(Sema *s, Func *f) {
    if (!f->item || !f->item->fn.body || f->facts->skip || f->is_extern || f->facts->instance || f->facts->has_errors)
        return;
    search_block(s, f->item->fn.body);
}
