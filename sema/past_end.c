/* past_end.c -- work items past the end of the domain. All items of a group run, so that all reach the barriers: in a
 * kernel over i in n by 256 also those that n leaves over in the last group. A kernel that does not ask which ones they
 * are (`inside`, or a condition on the index) and in which they certainly access an element out of bounds, update one
 * once too often, or print, is warned of (W0505). Not where all launches of the program fill their groups. */
#include "parser/children.h"
#include "sema/analysis/evaluate.h"
#include "sema/check.h"

typedef struct Ends {
    Sema *s;
    Func *f;
    bool open[3];       /* by axis: its last group may have items past the end */
    const Expr *site;   /* the first access, update or print that is wrong for them; NULL: none yet */
    const Stmt *around; /* the statement of the kernel's body that it is in */
    const char *what;   /* what it does */
    bool reads;         /* an element of an array of numbers, and nothing else */
} Ends;

/* Axes that end within a group ------------------------------------------------------------------------------------ */

static bool is_multiple(const Expr *e, int64_t of) {
    while (e->kind == EXPR_CONVERT) e = e->convert.operand;
    if (e->konst.kind == CONST_INT) return e->konst.i % of == 0;
    if (e->kind != EXPR_BINARY) return false;
    bool l = is_multiple(e->binary.lhs, of), r = is_multiple(e->binary.rhs, of);
    return e->binary.op == OP_MUL ? l || r : (e->binary.op == OP_ADD || e->binary.op == OP_SUB) && l && r;
}

typedef struct Launch {
    const Func *f;
    const int64_t *value; /* as LaunchSample.value */
} Launch;

static Const value_there(const Expr *e, void *context) {
    const Launch *l = context;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    for (int i = 0; sym && i < l->f->sizes.n + l->f->params.n; i++) {
        const Symbol *at = i < l->f->sizes.n ? l->f->sizes.at[i] : l->f->params.at[i - l->f->sizes.n];
        if (at == sym && l->value[i] != LAUNCH_OPEN) return (Const){.kind = CONST_INT, .i = l->value[i]};
    }
    return (Const){0};
}

static bool fills_groups(const Func *f, const Range *r, int64_t by, const int64_t *value) {
    Launch l = {f, value};
    Const lo = r->lo ? evaluate_expr(r->lo, value_there, &l) : (Const){.kind = CONST_INT};
    Const hi = evaluate_expr(r->hi, value_there, &l);
    return lo.kind == CONST_INT && hi.kind == CONST_INT && (hi.i <= lo.i || (hi.i - lo.i) % by == 0);
}

static bool all_launches_fill(const Sema *s, const Func *f, const Range *r, int64_t by) {
    const LaunchValues *all = f->facts->values;
    if (!all || all->is_partial || s->launches_missed || f->is_export || !launched_any(f)) return false;
    for (int i = 0; i < all->at.n; i++)
        if (!fills_groups(f, r, by, all->at.at[i].value)) return false;
    return all->at.n > 0;
}

static bool find_open(Ends *u) {
    bool any = false;
    for (int d = 0; d < u->f->domain.n && d < 3; d++) {
        const Range *r = &u->f->item->fn.over.at[d].range;
        int64_t by = u->f->group.by[d];
        bool whole = by < 2 || r->step || (is_multiple(r->hi, by) && (!r->lo || is_multiple(r->lo, by)));
        u->open[d] = !whole && !all_launches_fill(u->s, u->f, r, by);
        any |= u->open[d];
    }
    return any;
}

/* What their items do ---------------------------------------------------------------------------------------------- */

/* The end of the range, as a constant or a name plus a constant. */
static bool end_of(const Range *r, const Symbol **name, int64_t *more) {
    const Expr *e = r->hi;
    *more = 0;
    *name = NULL;
    while (e->kind == EXPR_CONVERT) e = e->convert.operand;
    if (e->konst.kind == CONST_INT) {
        *more = e->konst.i;
        return true;
    }
    if (e->kind == EXPR_BINARY && (e->binary.op == OP_ADD || e->binary.op == OP_SUB)) {
        Const by = e->binary.rhs->konst;
        if (by.kind != CONST_INT || by.i > 1000000 || by.i < -1000000) return false;
        *more = e->binary.op == OP_ADD ? by.i : -by.i;
        e = e->binary.lhs;
        while (e->kind == EXPR_CONVERT) e = e->convert.operand;
    }
    *name = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return *name != NULL;
}

/* The axis of which `at` is the variable, lo + by * group + local (access.c), and a constant; or -1. */
static int axis_of(const Ends *u, const Form *at) {
    const Group *g = &u->f->group;
    if (at->n != 2) return -1;
    const Symbol *x = u->f->facts->atoms.at[at->at[0].atom].of, *y = u->f->facts->atoms.at[at->at[1].atom].of;
    for (int d = 0; d < u->f->domain.n && d < 3; d++) {
        bool in_order = x && x == g->at[d] && y == g->local[d];
        if (in_order && at->at[0].k == g->by[d] && at->at[1].k == 1) return d;
    }
    return -1;
}

/* Is index `at` not less than the extent `ext` for the first item past the end? */
static bool is_past(const Ends *u, const Form *at, const Form *ext) {
    int axis = axis_of(u, at);
    const Range *r = axis < 0 ? NULL : &u->f->item->fn.over.at[axis].range;
    const Symbol *name;
    int64_t more;
    if (!r || !u->open[axis] || (r->lo && r->lo->konst.kind != CONST_INT)) return false;
    if (!end_of(r, &name, &more) || ext->n != (name != NULL)) return false;
    if (name && (ext->at[0].k != 1 || u->f->facts->atoms.at[ext->at[0].atom].of != name)) return false;
    return at->c - (r->lo ? r->lo->konst.i : 0) + more >= ext->c;
}

static const Expr *site_of(const Access *x) { return x->call ? x->call : x->expr; }

static void look_at_accesses(Ends *u) {
    for (int i = 0; i < u->f->accesses.n && !u->site; i++) {
        const Access *x = &u->f->accesses.at[i];
        if (!x->always || !x->expr || !x->array || x->array->is_shared) continue;
        for (int d = 0; d < x->n && !u->site; d++) {
            if (!(x->has_ext >> d & 1) || !is_past(u, &x->at[d], &x->ext[d])) continue;
            u->site = site_of(x);
            u->what = arena_printf(u->s->arena, x->call ? "this call accesses `%s` out of bounds for"
                                                        : "`%s` is out of bounds for",
                                   x->call ? x->array->name : source_text(u->s, u->site->span));
            u->reads = !x->call && !x->writes && type_is_number(x->array->type->elem);
        }
    }
}

static bool varies(Expr *e, void *context) {
    (void)context;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return e->kind == EXPR_INDEX || e->kind == EXPR_CALL || e->kind == EXPR_ATOMIC ||
           (sym && (sym->kind == SYM_DOMAIN || symbol_varies(sym)));
}

/* An update that an item makes whatever its data are: one too many. `min=` and `&=` make no difference. */
static bool counts_item(const Expr *e) {
    bool adds = e->atomic.op == OP_ADD || e->atomic.op == OP_SUB || e->atomic.op == OP_BIT_XOR;
    const Symbol *root = expr_root(e->atomic.target);
    return adds && root && !root->is_shared && !expr_find(e->atomic.value, varies, NULL);
}

static bool look_at(Expr *e, void *context) {
    Ends *u = context;
    bool prints = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
                  e->call.info->builtin == BUILTIN_PRINT;
    if (u->site || (!prints && !(e->kind == EXPR_ATOMIC && counts_item(e)))) return false;
    u->site = e;
    u->what = prints ? "this is also printed by"
                     : arena_printf(u->s->arena, "`%s` is also updated by", source_text(u->s, e->atomic.target->span));
    return true;
}

static void look_at_block(Ends *u, const Block *b);

/* Statements that every item executes, in order. */
static bool look_at_stmt(Ends *u, const Stmt *st) {
    if (st->kind == STMT_BLOCK) look_at_block(u, st->block.block);
    else if (st->kind != STMT_IF && st->kind != STMT_WHILE && st->kind != STMT_FOR) stmt_find(st, look_at, u);
    return !u->site && !stmt_holds(st, STMTS_LEAVE | 1u << STMT_ASSERT);
}

static void look_at_block(Ends *u, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (!look_at_stmt(u, b->stmts.at[i])) return;
}

/* What is said ---------------------------------------------------------------------------------------------------- */

static bool find_around(Ends *u, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        if (st->span.lo > u->site->span.lo || st->span.hi < u->site->span.hi) continue;
        u->around = st;
        if (st->kind == STMT_BLOCK) find_around(u, st->block.block);
        return true;
    }
    return false;
}

/* What the items past the end may return: it does not count. */
static const char *any_result(Reduction r) {
    switch (r) {
    case REDUCE_NONE: return "";
    case REDUCE_SUM: return " 0";
    case REDUCE_PROD: return " 1";
    case REDUCE_ANY:
    case REDUCE_COUNT: return " false";
    case REDUCE_ALL: return " true";
    case REDUCE_MIN:
    case REDUCE_MAX: break;
    }
    return NULL;
}

static void propose(Ends *u, Diag *d) {
    Sema *s = u->s;
    const Block *body = u->f->item->fn.body;
    const char *result = any_result(u->f->reduction);
    if (!block_holds(body, 1u << STMT_BARRIER) && result && body->stmts.n) {
        const char *text = arena_printf(s->arena, "if !inside { return%s; } ", result);
        fix_insert(s, d, body->stmts.at[0]->span.lo, text, "return from these work items first");
        return;
    }
    const Expr *e = u->site;
    if (u->reads && e->index.base->kind == EXPR_NAME) {
        Span indices = {e->index.base->span.hi + 1, e->span.hi - 1};
        diag_fix(s->c, d, e->span, arena_printf(s->arena, "%s.at(%s)", e->index.base->name.name,
                                                source_text(s, indices)), "read 0 out of bounds");
        return;
    }
    bool plain = u->around && (u->around->kind == STMT_ASSIGN || u->around->kind == STMT_ATOMIC ||
                               u->around->kind == STMT_EXPR);
    if (plain)
        diag_fix(s->c, d, u->around->span,
                 arena_printf(s->arena, "if inside { %s }", source_text(s, u->around->span)),
                 "exclude these work items");
    else diag_note(s->c, d, e->span, "`inside` tells whether an item is in the domain: `if inside { ... }`");
}

void past_end_check(Sema *s, Func *f) {
    if (!f->is_kernel || !f->group.items || f->group.inside->used || !f->item->fn.body || f->facts->skip) return;
    Ends u = {.s = s, .f = f};
    if (!find_open(&u)) return;
    look_at_accesses(&u);
    if (!u.site) look_at_block(&u, f->item->fn.body);
    if (!u.site) return;
    find_around(&u, f->item->fn.body);
    const BinderList *over = &f->item->fn.over;
    Diag *d = diag(s->c, W0505, u.site->span, "%s work items past the end of the domain", u.what);
    for (int i = 0; i < over->n && i < 3; i++)
        if (u.open[i])
            diag_note(s->c, d, span_join(over->at[i].range.span, over->at[i].by->span),
                      "the last group has %lld items, too, even if the domain ends within it",
                      (long long)f->group.by[i]);
    propose(&u, d);
}
