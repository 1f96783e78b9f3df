/* whole.c -- does a kernel write every element of a parameter? It does where each item of the domain reaches
 * `z[i, j] = ...;`, each index another variable of the domain and each of those over the whole of its dimension; also
 * under what holds for all items of the domain, as `inside`, in both branches of an `if`, before an early `return` and
 * behind it, and in a function that it calls with `z` and the indices.
 * A reference to one value is written by whoever comes last. */
#include "sema/flow.h"

enum { MAX_CALLS = 500 }; /* looked into for one parameter */

/* The kernel, or a function called from it: then its parameters stand for what the call gives them. */
typedef struct Frame {
    const struct Frame *outer; /* NULL: the kernel */
    const Func *f;
    const ArgList *args;
    int param;  /* of f: the array in question */
    bool ended; /* some items may have returned from f without having written it */
    int *calls; /* left to look into */
} Frame;

static const Frame *kernel_of(const Frame *at) {
    while (at->outer) at = at->outer;
    return at;
}

/* The variable of the kernel's domain that an index is, or NULL. */
static const Symbol *domain_variable(const Frame *at, Expr *e) {
    e = expr_strip(e);
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (!sym || sym->kind == SYM_DOMAIN) return sym;
    bool given = at->outer && sym->kind == SYM_PARAM && sym->mode == REF_NONE && sym->dim < at->args->n;
    return given ? domain_variable(at->outer, at->args->at[sym->dim].value) : NULL;
}

/* Does the domain variable count exactly 0 .. extent? */
static bool covers(const Func *f, const Symbol *var, const Extent *extent) {
    const Range *r = &f->item->fn.over.at[var->dim].range;
    if (r->lo && !(r->lo->konst.kind == CONST_INT && r->lo->konst.i == 0)) return false;
    if (r->step && !(r->step->konst.kind == CONST_INT && r->step->konst.i == 1)) return false;
    Dim hi = dim_of(r->hi);
    if (extent->kind == EXTENT_CONST) return hi.kind == DIM_CONST && hi.value == extent->value;
    return hi.kind == DIM_SYMBOL && hi.sym == extent->size;
}

static bool is_plain(const Stmt *st) { return st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max; }

static bool is_param(const Frame *at, const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym == at->f->params.at[at->param];
}

/* z[i, j] = e; */
static bool is_whole_store(const Frame *at, const Stmt *st) {
    const Frame *kernel = kernel_of(at);
    const Func *f = kernel->f;
    const Expr *target = st->assign.target;
    if (target->kind != EXPR_INDEX || !is_param(at, target->index.base)) return false;
    if (target->index.at.n != f->domain.n) return false;
    unsigned seen = 0;
    for (int d = 0; d < target->index.at.n; d++) {
        const Symbol *var = domain_variable(at, target->index.at.at[d]);
        if (!var || !covers(f, var, &f->shapes.at[kernel->param].at[d])) return false;
        seen |= 1u << var->dim;
    }
    return seen == (1u << f->domain.n) - 1;
}

/* total = e; */
static bool is_value_store(const Frame *at, const Stmt *st) { return is_param(at, st->assign.target); }

/* What every item has, or none ------------------------------------------------------------------------------------ */

static bool same_dim(Dim a, Dim b) {
    if (a.kind == DIM_UNKNOWN || a.kind != b.kind) return false;
    return a.kind == DIM_CONST ? a.value == b.value : a.sym == b.sym;
}

/* `i op n`, where n is the end of the range of `i`. */
static bool compares_with_end(const Func *f, const Expr *e, Op op) {
    if (e->kind != EXPR_BINARY || e->binary.op != op) return false;
    const Expr *var = expr_strip(e->binary.lhs);
    if (var->kind != EXPR_NAME || !var->name.sym || var->name.sym->kind != SYM_DOMAIN) return false;
    return same_dim(dim_of(e->binary.rhs), dim_of(f->item->fn.over.at[var->name.sym->dim].range.hi));
}

/* True for every item of the domain: `inside`, `i < n`, `i < n && j < m`. */
static bool is_inside(const Func *f, const Expr *e) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND)
        return is_inside(f, e->binary.lhs) && is_inside(f, e->binary.rhs);
    return compares_with_end(f, e, OP_LT) || (f->group.items && e->kind == EXPR_NAME && e->name.sym == f->group.inside);
}

/* True for none of them: `!inside`, `i >= n || j >= m`. */
static bool is_outside(const Func *f, const Expr *e) {
    if (e->kind == EXPR_BINARY && e->binary.op == OP_OR)
        return is_outside(f, e->binary.lhs) && is_outside(f, e->binary.rhs);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) return is_inside(f, e->unary.operand);
    return compares_with_end(f, e, OP_GE);
}

/* if !inside { return; } -- nobody of the domain goes */
static bool leaves_outside(const Func *f, const Stmt *st) {
    return st->kind == STMT_IF && !st->if_.else_ && is_outside(f, st->if_.cond);
}

/* Who writes it --------------------------------------------------------------------------------------------------- */

static const Func *writer_in(Frame *at, const Block *b);

/* The call that a statement begins with or consists of. */
static const Expr *call_of(const Stmt *st) {
    const Expr *e = NULL;
    if (st->kind == STMT_EXPR) e = st->expr.expr;
    if (st->kind == STMT_LET) e = st->let.init;
    if (st->kind == STMT_ASSIGN) e = st->assign.value;
    if (st->kind == STMT_RETURN) e = st->return_.value;
    if (e) e = expr_strip((Expr *)e);
    return e && e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC ? e : NULL;
}

static const Func *writer_called(const Frame *at, const Expr *call) {
    const Func *f = call->call.info->func;
    if (!f->item || !f->item->fn.body || f->facts->skip || --*at->calls < 0) return NULL;
    for (int i = 0; i < call->call.args.n; i++) {
        const Arg *a = &call->call.args.at[i];
        if ((a->mode != REF_MUT && a->mode != REF_OUT) || !is_param(at, a->value)) continue;
        Frame in = {.outer = at, .f = f, .args = &call->call.args, .param = i, .calls = at->calls};
        const Func *writer = writer_in(&in, f->item->fn.body);
        if (writer) return writer;
    }
    return NULL;
}

static const Func *writer_of(Frame *at, const Stmt *st);

/* Both branches, or one that every item takes. Who writes in a branch may return there. */
static const Func *writer_in_if(Frame *at, const Stmt *st) {
    if (!at->outer && is_inside(at->f, st->if_.cond)) return writer_in(at, st->if_.then_);
    const Func *then = writer_in(at, st->if_.then_);
    const Func *otherwise = st->if_.else_ ? writer_of(at, st->if_.else_) : NULL;
    return then && otherwise ? then : NULL;
}

static const Func *writer_of(Frame *at, const Stmt *st) {
    const Expr *call = call_of(st);
    const Func *writer = call ? writer_called(at, call) : NULL;
    if (writer) return writer;
    if (st->kind == STMT_BLOCK) return writer_in(at, st->block.block);
    if (st->kind == STMT_IF) return writer_in_if(at, st);
    bool stores = st->kind == STMT_ASSIGN && is_plain(st) && (is_whole_store(at, st) || is_value_store(at, st));
    return stores ? at->f : NULL;
}

static const Func *writer_in(Frame *at, const Block *b) {
    for (int i = 0; i < b->stmts.n && !at->ended; i++) {
        const Stmt *st = b->stmts.at[i];
        if (!at->outer && leaves_outside(at->f, st)) continue;
        const Func *writer = writer_of(at, st);
        if (writer) return writer;
        bool in_turn = st->kind == STMT_BLOCK || st->kind == STMT_IF; /* their own statements have been looked at */
        at->ended = at->ended || (!in_turn && stmt_holds(st, STMTS_RETURN));
    }
    return NULL;
}

const Func *whole_writer(const Func *kernel, int param) {
    int calls = MAX_CALLS;
    Frame at = {.f = kernel, .param = param, .calls = &calls};
    return writer_in(&at, kernel->item->fn.body);
}
