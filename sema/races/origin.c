/* origin.c -- where a value that the analysis does not follow comes from (provenance): from data, which differ from
 * item to item, or from the old value of an atomic update, by which work items often agree on one of them (tickets,
 * locks). A race that depends on the first is worth a warning, one that depends on the second is not. Random numbers
 * and hashes are as good as data: integers whose bits shifts, rotations and exclusive ors mix, or a product that wraps.
 * Flow-insensitive: what a variable is assigned anywhere in the function, and the conditions around these
 * assignments. */
#include "parser/children.h"
#include "sema/races/walk.h"

enum { MAX_SYMBOLS = 40 /* that one value is traced through */ };

typedef struct Trace {
    const Walk *w;
    const Func *f;
    const Symbol *seen[MAX_SYMBOLS];
    int n;
    unsigned found;
} Trace;

static bool has_old_value(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_ATOMIC) return !e->atomic.drops_old;
    const Func *f = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC ? e->call.info->func : NULL;
    return f && f->item && f->item->fn.body && !f->facts->skip && block_find(f->item->fn.body, has_old_value, NULL);
}

static bool is_float(const Type *t) { return t && type_is_number(t) && !t->is_int; }

/* Operations that generators of random numbers and hash functions are made of. */
static bool mixes(Op op, const Type *t, const Expr *by) {
    OpKind kind = op_info[op].kind;
    bool wraps = op == OP_MUL && t && t->is_int && !t->is_signed && by->konst.kind == CONST_INT &&
                 (uint64_t)by->konst.i > UINT16_MAX;
    return kind == OPK_SHIFT || kind == OPK_ROTATE || op == OP_BIT_XOR || wraps;
}

static void trace_symbol(Trace *t, const Symbol *sym);

static bool trace_expr(Expr *e, void *context) {
    Trace *t = context;
    if (is_float(e->type)) t->found |= ORIGIN_DATA;
    if (e->kind == EXPR_ATOMIC) t->found |= ORIGIN_ATOMIC;
    if (e->kind == EXPR_BINARY && mixes(e->binary.op, e->type, e->binary.rhs)) t->found |= ORIGIN_MIXED;
    if (e->kind == EXPR_BINARY && mixes(e->binary.op, e->type, e->binary.lhs)) t->found |= ORIGIN_MIXED;
    if (e->kind == EXPR_INDEX && !expr_is_slice(e)) t->found |= ORIGIN_DATA;
    if (e->kind == EXPR_NAME && e->name.sym) trace_symbol(t, e->name.sym);
    if (e->kind != EXPR_CALL || !e->call.info) return false;
    bool reads = e->call.info->kind == CALL_BUILTIN && e->call.info->builtin == BUILTIN_AT;
    if (reads || e->call.info->kind == CALL_FUNC) t->found |= ORIGIN_DATA;
    if (has_old_value(e, NULL)) t->found |= ORIGIN_ATOMIC;
    return false;
}

static void trace(Trace *t, const Expr *e) { expr_find((Expr *)e, trace_expr, t); }

typedef struct Passed {
    Trace *t;
    const Symbol *sym;
    bool found;
} Passed;

static bool is_passed(Expr *e, void *context) {
    Passed *p = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if ((a->mode != REF_MUT && a->mode != REF_OUT) || expr_root(a->value) != p->sym) continue;
        p->found = true;
        trace_expr(e, p->t);
    }
    return false;
}

/* Does the statement assign to the variable? Then what it is assigned, and the conditions around, are traced. */
static bool trace_stmt(Trace *t, const Stmt *st, const Symbol *sym) {
    bool assigns = st->kind == STMT_ASSIGN && expr_root(st->assign.target) == sym;
    if (assigns) trace(t, st->assign.value);
    if (assigns && mixes(st->assign.op, st->assign.target->type, st->assign.value)) t->found |= ORIGIN_MIXED;
    Children all = stmt_children(st);
    Passed p = {t, sym, false};
    for (Expr *e; (e = child_expr(&all));) expr_find(e, is_passed, &p);
    assigns = assigns || p.found;
    for (Stmt *inner; (inner = child_stmt(&all));) assigns |= trace_stmt(t, inner, sym);
    if (!assigns) return false;
    if (st->kind == STMT_IF) trace(t, st->if_.cond);
    if (st->kind == STMT_WHILE) trace(t, st->while_.cond);
    if (st->kind == STMT_FOR) {
        trace(t, st->for_.binder.range.lo);
        trace(t, st->for_.binder.range.hi);
    }
    return true;
}

static void trace_symbol(Trace *t, const Symbol *sym) {
    for (int i = 0; i < t->n; i++)
        if (t->seen[i] == sym) return;
    if (t->n == MAX_SYMBOLS) {
        t->found |= ORIGIN_ATOMIC; /* too far to tell */
        return;
    }
    t->seen[t->n++] = sym;
    bool is_param = sym->kind == SYM_PARAM;
    if (is_param && sym->mode != REF_NONE && sym->type->kind != TY_ARRAY) t->found |= ORIGIN_DATA;
    if (is_param && sym->mode == REF_NONE && t->f != t->w->kernel) {
        t->found |= ORIGIN_DATA; /* the caller decides */
        if (block_find(t->w->kernel->item->fn.body, has_old_value, NULL)) t->found |= ORIGIN_ATOMIC;
    }
    bool is_assigned = sym->is_mutable || is_param || sym->is_shared || (sym->type && sym->type->kind == TY_ARRAY);
    if (sym->kind == SYM_LOCAL) trace(t, sym->init);
    if (!is_assigned || (is_param && (sym->mode == REF_NONE || sym->mode == REF_IN))) return;
    const Block *body = t->f->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) trace_stmt(t, body->stmts.at[i], sym);
}

unsigned races_origin(Walk *w, const Expr *e) {
    Trace t = {.w = w, .f = w->frame->quasi.f};
    trace(&t, e);
    return t.found;
}

unsigned races_origin_of(Walk *w, const Symbol *sym) {
    Trace t = {.w = w, .f = w->frame->quasi.f};
    trace_symbol(&t, sym);
    return t.found;
}

bool races_keeps_old_values(const Block *b) { return block_find(b, has_old_value, NULL) != NULL; }
