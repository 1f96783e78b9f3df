/* slice.c -- program slicing (Weiser 1981): the variables of a function whose values decide which elements its items
 * touch, and when: those in indices, in conditions and bounds of loops around accesses, in arguments on which a
 * callee's accesses depend, and those from which they are computed. Only these are followed; what is merely stored is
 * not. */
#include "parser/children.h"
#include "sema/races/walk.h"

typedef struct Slice {
    Walk *w;
    const Func *f;
    bool *has;
    bool changed, with_result;
} Slice;

static void need(Slice *s, const Symbol *sym) {
    if (!sym || sym->id < 0 || sym->id >= s->f->n_symbols || s->has[sym->id]) return;
    s->has[sym->id] = s->changed = true;
}

static bool need_name(Expr *e, void *context) {
    if (e->kind == EXPR_NAME) need(context, e->name.sym);
    return false;
}

static void need_all(Slice *s, const Expr *e) { expr_find((Expr *)e, need_name, s); }

/* May an element of it be written? In a function: perhaps, by the kernel. */
static bool may_matter(const Slice *s, const Expr *e) {
    const Symbol *root = expr_root(e);
    return !(s->f == s->w->kernel && root && root->kind == SYM_PARAM && root->mode == REF_IN);
}

static bool touches(Expr *e, void *context) {
    (void)context;
    bool calls = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC;
    bool at = e->kind == EXPR_CALL && e->call.info && e->call.info->receiver;
    bool ref = e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_PARAM && e->name.sym->mode != REF_NONE;
    return e->kind == EXPR_INDEX || e->kind == EXPR_ATOMIC || calls || at || ref;
}

bool races_touches(const Expr *e) { return expr_find((Expr *)e, touches, NULL) != NULL; }

/* Memory that other items may write, or that a callee may touch. */
static bool touches_written(Expr *e, void *context) {
    const Slice *s = context;
    bool has_place = e->kind == EXPR_INDEX || e->kind == EXPR_NAME;
    bool at = e->kind == EXPR_CALL && e->call.info && e->call.info->receiver;
    const Symbol *root = has_place ? expr_root(e) : at ? expr_root(e->call.info->receiver) : NULL;
    bool is_own = root && root->kind == SYM_LOCAL && !root->is_shared;
    return touches(e, NULL) && !is_own && (!root || may_matter(s, at ? e->call.info->receiver : e));
}

static bool changes_followed(const Slice *s, const Stmt *st) {
    const Symbol *sym = st->kind == STMT_ASSIGN ? expr_root(st->assign.target) : NULL;
    return sym && sym->id >= 0 && sym->id < s->f->n_symbols && s->has[sym->id];
}

/* Is what it does of interest to a condition around it? Inside loops and branches an array that is only read is not: it
 * cannot be a race. Where its elements are read in every case, the analysis learns that the indices are inside. */
static bool acts(Slice *s, const Stmt *st, bool inside) {
    unsigned jumps = STMTS_LEAVE | 1u << STMT_BARRIER, around = 1u << STMT_FOR | 1u << STMT_WHILE | 1u << STMT_IF;
    if (jumps >> st->kind & 1 || changes_followed(s, st)) return true;
    inside = inside || around >> st->kind & 1;
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));)
        if (expr_find(e, inside ? touches_written : touches, s)) return true;
    for (Stmt *inner; (inner = child_stmt(&all));)
        if (acts(s, inner, inside)) return true;
    return false;
}

static bool acts_block(Slice *s, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (acts(s, b->stmts.at[i], true)) return true;
    return false;
}

static bool visit_expr(Expr *e, void *context) {
    Slice *s = context;
    if (e->kind == EXPR_INDEX && may_matter(s, e))
        for (int i = 0; i < e->index.at.n; i++) need_all(s, e->index.at.at[i]);
    bool chooses = e->kind == EXPR_IF && (expr_find(e->if_.then_, touches_written, s) ||
                                          expr_find(e->if_.else_, touches_written, s));
    if (chooses) need_all(s, e->if_.cond);
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_AND || e->binary.op == OP_OR) &&
        expr_find(e->binary.rhs, touches_written, s))
        need_all(s, e->binary.lhs);
    if (e->kind != EXPR_CALL || !e->call.info) return false;
    const CallInfo *info = e->call.info;
    if (info->receiver)
        for (int i = 0; i < e->call.args.n; i++) need_all(s, e->call.args.at[i].value);
    if (info->kind != CALL_FUNC || !info->func) return false;
    const bool *callee = races_slice(s->w, info->func, false);
    for (int i = 0; i < e->call.args.n && i < info->func->params.n; i++) {
        const Symbol *p = info->func->params.at[i];
        if (p->id >= 0 && (!callee || callee[p->id])) need_all(s, e->call.args.at[i].value);
    }
    return false;
}

static bool is_variable(const Expr *e) {
    return e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL;
}

static bool is_loaded(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_INDEX || e->kind == EXPR_CALL || e->kind == EXPR_ATOMIC;
}

/* A name whose value may be known: what is loaded is not, and would only put its pair in doubt. */
static bool is_computed(Expr *e) {
    const Symbol *sym = expr_strip(e)->kind == EXPR_NAME ? expr_strip(e)->name.sym : NULL;
    if (!sym || sym->kind != SYM_LOCAL) return sym != NULL;
    return !sym->is_mutable && (!sym->init || !expr_find(sym->init, is_loaded, NULL));
}

static void visit(Slice *s, const Stmt *st) {
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));) expr_find(e, visit_expr, s);
    if (st->kind == STMT_LET && st->let.sym && st->let.sym->id >= 0 && s->has[st->let.sym->id])
        need_all(s, st->let.init);
    if (st->kind == STMT_ASSIGN && acts(s, st, false)) {
        const Symbol *sym = st->assign.target->kind == EXPR_NAME ? st->assign.target->name.sym : NULL;
        if (sym && sym->id >= 0 && sym->id < s->f->n_symbols && s->has[sym->id]) need_all(s, st->assign.value);
    }
    if (st->kind == STMT_ASSIGN && !is_variable(st->assign.target) && is_computed(st->assign.value))
        need_all(s, st->assign.value); /* do two items write the same value? */
    if (st->kind == STMT_IF && acts(s, st, false)) need_all(s, st->if_.cond);
    if (st->kind == STMT_WHILE && acts_block(s, st->while_.body)) need_all(s, st->while_.cond);
    if (st->kind == STMT_FOR && acts_block(s, st->for_.body)) {
        const Range *r = &st->for_.binder.range;
        need_all(s, r->lo);
        need_all(s, r->hi);
        need_all(s, r->step);
    }
    if (st->kind == STMT_RETURN && s->with_result) need_all(s, st->return_.value);
    for (Stmt *inner; (inner = child_stmt(&all));) visit(s, inner);
}

bool races_acts(Walk *w, const Stmt *st) {
    Slice s = {.w = w, .f = w->frame->quasi.f, .has = (bool *)w->frame->needed};
    return acts(&s, st, false);
}

const bool *races_slice(Walk *w, const Func *f, bool with_result) {
    for (int i = 0; i < w->slices.n; i++)
        if (w->slices.at[i].of == f && w->slices.at[i].with_result == with_result) return w->slices.at[i].has;
    if (!f->item || !f->item->fn.body || f->facts->skip) return NULL;
    Slice s = {.w = w, .f = f, .has = arena_array(&w->space.arena, bool, f->n_symbols + 1), .with_result = with_result};
    do {
        s.changed = false;
        for (int i = 0; i < f->item->fn.body->stmts.n; i++) visit(&s, f->item->fn.body->stmts.at[i]);
    } while (s.changed);
    vec_push(&w->space.arena, &w->slices, ((SliceOf){f, with_result, s.has}));
    return s.has;
}
