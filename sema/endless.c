/* endless.c -- what never ends (W0409): a `while` whose condition nothing in its body can change, and a function that
 * calls itself on every path. Only what is certain is reported: a loop that is left by a jump, and a condition that
 * depends on memory or on calls, are left alone. */
#include "parser/children.h"
#include "sema/check.h"

#include <math.h>

/* Loops ------------------------------------------------------------------------------------------------------- */

typedef struct Watched {
    Vec(Symbol *) names; /* of the condition */
    Sema *s;
    bool unknown;        /* it depends on more than local numbers */
} Watched;

static bool watch(Expr *e, void *context) {
    Watched *w = context;
    Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    switch (e->kind) {
    case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_UNARY: case EXPR_BINARY: case EXPR_CONVERT: break;
    case EXPR_NAME:
        if (!sym || !sym->type || !(type_is_number(sym->type) || sym->type->kind == TY_BOOL)) w->unknown = true;
        else if (sym->kind == SYM_LOCAL || (sym->kind == SYM_PARAM && sym->mode == REF_NONE))
            vec_push(w->s->arena, &w->names, sym);
        else if (sym->kind != SYM_CONST && sym->kind != SYM_SIZE) w->unknown = true;
        break;
    case EXPR_ERROR: case EXPR_STR: case EXPR_CALL: case EXPR_INDEX: case EXPR_FIELD: case EXPR_IF: case EXPR_FILL:
    case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE: case EXPR_OFFLOAD: case EXPR_ATOMIC: case EXPR__COUNT:
        w->unknown = true;
    }
    return w->unknown;
}

static bool has(const Watched *w, const Symbol *sym) {
    for (int i = 0; i < w->names.n; i++)
        if (w->names.at[i] == sym) return true;
    return false;
}

/* A call that may change one of the names or end the program, or an atomic update of one. */
static bool interferes(Expr *e, void *context) {
    const Watched *w = context;
    if (e->kind == EXPR_ATOMIC) return has(w, expr_root(e->atomic.target));
    if (e->kind != EXPR_CALL) return false;
    const CallInfo *info = e->call.info;
    if (!info || info->kind == CALL_ERROR || (info->kind == CALL_BUILTIN && info->builtin == BUILTIN_EXIT)) return true;
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if ((a->mode == REF_MUT || a->mode == REF_OUT) && has(w, expr_root(a->value))) return true;
    }
    return false;
}

static bool changes(const Watched *w, const Stmt *st) {
    if (st->kind == STMT_RETURN || st->kind == STMT_BREAK) return true;
    if (st->kind == STMT_ERROR || st->kind == STMT_ASSERT) return true;
    if (st->kind == STMT_ASSIGN && has(w, expr_root(st->assign.target))) return true;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));)
        if (expr_find(x, interferes, (void *)w)) return true;
    for (Stmt *x; (x = child_stmt(&all));)
        if (changes(w, x)) return true;
    return false;
}

static void check_while(Sema *s, const Stmt *st) {
    Watched w = {.s = s};
    Expr *cond = st->while_.cond;
    if (!cond->type || is_bad(cond->type) || expr_find(cond, watch, &w) || !w.names.n) return;
    for (int i = 0; i < st->while_.body->stmts.n; i++)
        if (changes(&w, st->while_.body->stmts.at[i])) return;
    const char *names = "";
    for (int i = 0; i < w.names.n; i++) {
        Symbol *sym = w.names.at[i];
        bool again = false;
        for (int k = 0; k < i; k++) again |= w.names.at[k] == sym;
        if (!again) names = arena_printf(s->arena, "%s%s`%s`", names, !*names ? "" : i + 1 < w.names.n ? ", " : " and ",
                                         sym->name);
        sym->written = true; /* that it never changes is said here */
    }
    Diag *d = diag(s->c, W0409, cond->span, "once this loop has begun, it never ends: nothing in its body changes %s",
                   names);
    diag_note(s->c, d, cond->span, "change %s in the loop, or leave it with `break`",
              w.names.n > 1 ? "one of them" : names);
}

/* Adding it to itself, at most 2^20 times, is exact. */
static bool is_exact_step(double step) { return step * 4096.0 == floor(step * 4096.0); }

/* The `x += 0.1;` among the statements of a loop, if nothing else there changes x; NULL: there is none. */
static const Stmt *inexact_step(const Block *b, const Symbol *x) {
    const Stmt *found = NULL;
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        if (st->kind != STMT_ASSIGN || expr_root(st->assign.target) != x) continue;
        const Const *by = &st->assign.value->konst;
        bool steps = (st->assign.op == OP_ADD || st->assign.op == OP_SUB) && by->kind == CONST_FLOAT;
        if (found || !steps || is_exact_step(by->f)) return NULL;
        found = st;
    }
    return found;
}

/* `while x != 1.0` with `x += 0.1;`: sums of rounded numbers miss the number that they should meet. */
static void check_float_end(Sema *s, const Stmt *st) {
    const Expr *cond = st->while_.cond;
    if (cond->kind != EXPR_BINARY || cond->binary.op != OP_NE) return;
    Expr *x = expr_strip(cond->binary.lhs), *end = expr_strip(cond->binary.rhs);
    if (x->kind != EXPR_NAME || !x->name.sym || !x->type->is_float) return;
    const Stmt *step = inexact_step(st->while_.body, x->name.sym);
    if (!step) return;
    Diag *d = diag(s->c, W0409, cond->span,
                   "this loop may never end: `%s` is rounded at each step, and may never be exactly `%s`", x->name.name,
                   source_text(s, end->span));
    bool is_up = (step->assign.op == OP_ADD) == (step->assign.value->konst.f > 0);
    diag_fix(s->c, d, cond->binary.op_span, is_up ? "<" : ">", "compare with `%s`, or count the steps with integers",
             is_up ? "<" : ">");
}

static void check_loops(Sema *s, const Stmt *st) {
    if (st->kind == STMT_WHILE) check_while(s, st), check_float_end(s, st);
    Children all = stmt_children(st);
    while (child_expr(&all)) continue;
    for (Stmt *x; (x = child_stmt(&all));) check_loops(s, x);
}

/* Recursion --------------------------------------------------------------------------------------------------- */

/* What every path through a piece of code does first. */
typedef enum Path {
    PATH_ON,    /* it comes to the end, or is not known to call */
    PATH_CALLS, /* the function itself */
    PATH_LEAVES /* perhaps by a jump, before any call */
} Path;

static Path of_block(const Func *f, const Block *b, const Expr **call);

/* The call that is evaluated whenever the expression is. */
static const Expr *certain_call(const Func *f, const Expr *e) {
    if (!e) return NULL;
    if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC && e->call.info->func == f) return e;
    if (e->kind == EXPR_IF) {
        const Expr *a = certain_call(f, e->if_.cond), *b = a ? NULL : certain_call(f, e->if_.then_);
        return a ? a : b && certain_call(f, e->if_.else_) ? b : NULL;
    }
    bool is_logic = e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_LOGIC;
    if (is_logic) return certain_call(f, e->binary.lhs);
    if (e->kind == EXPR_COMPREHEND || e->kind == EXPR_OFFLOAD) return NULL;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) {
        const Expr *found = certain_call(f, x);
        if (found) return found;
    }
    return NULL;
}

static bool ends_program(Expr *e, void *context) {
    (void)context;
    const CallInfo *info = e->kind == EXPR_CALL ? e->call.info : NULL;
    return e->kind == EXPR_CALL && (!info || (info->kind == CALL_BUILTIN && info->builtin == BUILTIN_EXIT));
}

static bool may_leave(const Stmt *st) {
    if (st->kind == STMT_RETURN || st->kind == STMT_ASSERT || st->kind == STMT_ERROR) return true;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));)
        if (expr_find(x, ends_program, NULL)) return true;
    for (Stmt *x; (x = child_stmt(&all));)
        if (may_leave(x)) return true;
    return false;
}

static Path of_stmt(const Func *f, const Stmt *st, const Expr **call) {
    Children all = stmt_children(st);
    Expr *first = child_expr(&all);
    bool always = st->kind == STMT_LET || st->kind == STMT_ASSIGN || st->kind == STMT_EXPR || st->kind == STMT_RETURN ||
                  st->kind == STMT_IF || st->kind == STMT_WHILE;
    for (Expr *x = always ? first : NULL; x; x = child_expr(&all))
        if ((*call = certain_call(f, x))) return PATH_CALLS;
    if (st->kind == STMT_BLOCK) return of_block(f, st->block.block, call);
    if (st->kind != STMT_IF) return may_leave(st) ? PATH_LEAVES : PATH_ON;
    const Expr *other = NULL;
    Path a = of_block(f, st->if_.then_, call), b = st->if_.else_ ? of_stmt(f, st->if_.else_, &other) : PATH_ON;
    if (a == PATH_LEAVES || b == PATH_LEAVES) return PATH_LEAVES;
    return a == PATH_CALLS && b == PATH_CALLS ? PATH_CALLS : PATH_ON;
}

static Path of_block(const Func *f, const Block *b, const Expr **call) {
    for (int i = 0; i < b->stmts.n; i++) {
        Path p = of_stmt(f, b->stmts.at[i], call);
        if (p != PATH_ON) return p;
    }
    return PATH_ON;
}

static void check_recursion(Sema *s, const Func *f) {
    const Expr *call = NULL;
    if (!f->recurses || of_block(f, f->item->fn.body, &call) != PATH_CALLS || !call) return;
    Diag *d = diag(s->c, W0409, call->span, "`%s` calls itself on every path, so it never returns", f->name);
    diag_note(s->c, d, call->span,
              "return a value without this call in the simplest case: `if n == 0 { return ...; }`");
}

void endless_check(Sema *s, Func *f) {
    if (!f->item || !f->item->fn.body || f->facts->skip || f->is_extern || f->facts->has_errors) return;
    const Block *body = f->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) check_loops(s, body->stmts.at[i]);
    if (!f->facts->instance) check_recursion(s, f);
}
