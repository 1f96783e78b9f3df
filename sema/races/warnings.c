/* warnings.c -- races that data decide, where the program shows that they are one: updates that other work items can
 * undo, and accesses that conflict as soon as a condition holds. */
#include <string.h>

#include "sema/races/pairs.h"

enum { MAX_WARNINGS = 3 /* for one kernel */, MAX_LOADED_THROUGH = 4 /* variables */ };

static bool is_mode(const RacePair *p, int k, const char *mode) { return !strcmp(p->mode[k], mode); }

static bool contains(Span outer, Span inner) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }

/* Lost updates ----------------------------------------------------------------------------------------------------- */

/* Data decides which element: it is loaded for the index, here or for a variable. */
static bool is_loaded(Expr *e, void *depth) {
    int left = *(int *)depth - 1;
    if (e->kind == EXPR_INDEX) return !expr_is_slice(e);
    bool is_local = e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && e->name.sym->init;
    return is_local && left > 0 && expr_find(e->name.sym->init, is_loaded, &left);
}

static bool is_at_loaded_index(const Stmt *update) {
    Expr *target = expr_whole(update->assign.target);
    if (target->kind != EXPR_INDEX) return false;
    for (int d = 0; d < target->index.at.n; d++) {
        int depth = MAX_LOADED_THROUGH;
        if (expr_find(target->index.at.at[d], is_loaded, &depth)) return true;
    }
    return false;
}

static void note_result(Sema *s, Diag *d, const RacePair *p, const Stmt *st) {
    bool whole = p->is_same_element && !p->call[0].hi && p->array->kind == SYM_PARAM;
    const char *how = whole ? assign_as_result(st) : NULL;
    if (!how) return;
    const Expr *value = st->assign.value;
    bool counts = st->assign.op == OP_ADD && value->konst.kind == CONST_INT && value->konst.i == 1;
    if (counts)
        diag_note(s->c, d, p->at[0], "or give the kernel a result, which counts for how many work items a condition is "
                                     "true: `-> count`, and return the condition");
    else
        diag_note(s->c, d, p->at[0], "or give the kernel a result, which combines the values of all work items: "
                                     "`-> %s %s`", how, st->assign.target->type->name);
}

/* The update loses another one wherever two items make it at the same element: with equal indices that were loaded, or
 * with conditions that hold for both. */
static bool warn_of_lost_update(Sema *s, Func *kernel, const RacePair *p) {
    (void)kernel;
    const Stmt *st = p->assign[0];
    bool is_twice = p->at[0].lo == p->at[1].lo && !strcmp(p->mode[0], p->mode[1]);
    bool is_update = is_twice && is_mode(p, 0, "update"), is_write = is_twice && is_mode(p, 0, "write");
    if (!st || (!is_update && !is_write) || !assign_can_be_atomic(st)) return false;
    const char *update = is_write ? races_as_update(s, st->assign.target, st->assign.value) : NULL;
    bool at_loaded = p->of_data && is_at_loaded_index(st);
    if ((is_write && !update) || (!at_loaded && !p->if_both)) return false;
    Diag *d = diag(s->c, W0506, p->at[0],
                   "updates of `%s` may be lost: two work items can update the same element at the same time; %s",
                   p->array->name, p->reason);
    if (update)
        diag_fix(s->c, d, (Span){st->assign.target->span.lo, st->assign.value->span.hi},
                 arena_printf(s->arena, "atomic %s", update), "make it an atomic update");
    else fix_insert(s, d, st->span.lo, "atomic ", "make the update atomic");
    if (at_loaded)
        diag_note(s->c, d, p->at[0],
                  "or, if no two work items have the same index, add `assume distinct(...)` of the array of indices to "
                  "the kernel");
    else note_result(s, d, p, st);
    return true;
}

/* Comparisons and assignments -------------------------------------------------------------------------------------- */

typedef struct Guarded { /* if v > best { best = v; } */
    Sema *s;
    Span read, write;
    const Stmt *test, *write_st;
    bool is_max;
} Guarded;

static bool compares(Guarded *g, const Expr *cond, const Stmt *assign) {
    cond = expr_strip((Expr *)cond);
    if (cond->kind != EXPR_BINARY || !contains(cond->span, g->read)) return false;
    Op op = cond->binary.op;
    bool less = op == OP_LT || op == OP_LE, greater = op == OP_GT || op == OP_GE;
    Span target = assign->assign.target->span, value = assign->assign.value->span;
    Span l = cond->binary.lhs->span, r = cond->binary.rhs->span;
    bool left = races_same_text(g->s, target, l) && races_same_text(g->s, value, r);
    bool right = races_same_text(g->s, target, r) && races_same_text(g->s, value, l);
    g->is_max = (less && left) || (greater && right);
    return (less || greater) && (left || right);
}

static bool find_guarded(Guarded *g, const Block *b);

static bool find_guarded_in(Guarded *g, const Stmt *st) {
    const Block *inner = st->kind == STMT_BLOCK ? st->block.block : st->kind == STMT_FOR ? st->for_.body
                         : st->kind == STMT_WHILE ? st->while_.body : NULL;
    if (inner) return find_guarded(g, inner);
    if (st->kind != STMT_IF) return false;
    const Block *then = st->if_.then_;
    for (int i = 0; i < then->stmts.n; i++) {
        const Stmt *x = then->stmts.at[i];
        bool is_write = x->kind == STMT_ASSIGN && x->assign.op == OP_NONE && !x->assign.is_min && !x->assign.is_max &&
                        x->assign.target->span.lo == g->write.lo;
        if (!is_write || !compares(g, st->if_.cond, x)) continue;
        g->test = st;
        g->write_st = x;
        return true;
    }
    return find_guarded(g, then) || (st->if_.else_ && find_guarded_in(g, st->if_.else_));
}

static bool find_guarded(Guarded *g, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (find_guarded_in(g, b->stmts.at[i])) return true;
    return false;
}

static bool is_of(Expr *e, void *array) { return e->kind == EXPR_NAME && e->name.sym == array; }

static bool warn_of_extremum(Sema *s, Func *kernel, const RacePair *p) {
    int read = is_mode(p, 0, "read") ? 0 : 1;
    if (!is_mode(p, read, "read") || !is_mode(p, !read, "write") || !p->if_one) return false;
    Guarded g = {.s = s, .read = p->at[read], .write = p->at[!read]};
    if (!find_guarded(&g, kernel->item->fn.body) || !assign_can_be_atomic(g.write_st)) return false;
    if (expr_find(g.write_st->assign.value, is_of, (void *)p->array)) return false; /* two elements are exchanged */
    const Expr *target = g.write_st->assign.target;
    const char *how = g.is_max ? "max" : "min", *name = source_text(s, target->span);
    const char *update = arena_printf(s->arena, "atomic %s %s= %s;", name, how,
                                      source_text(s, g.write_st->assign.value->span));
    Diag *d = diag(s->c, W0506, p->at[!read],
                   "updates of `%s` may be lost: another work item can write `%s` between the comparison and this "
                   "assignment", p->array->name, name);
    if (g.test->if_.then_->stmts.n == 1 && !g.test->if_.else_)
        diag_fix(s->c, d, g.test->span, update, "make it an atomic update");
    else
        diag_note(s->c, d, p->at[!read],
                  "the value alone can be updated by `%s`; for its position, search for the value after that, as "
                  "`algo.arg%s` does", update, how);
    if (target->kind == EXPR_NAME)
        diag_note(s->c, d, p->at[!read], "or give the kernel a result, which combines the values of all work items: "
                                         "`-> %s %s`", how, target->type->name);
    return true;
}

/* Conditions ------------------------------------------------------------------------------------------------------- */

static const char *verb(const RacePair *p, int k) {
    return is_mode(p, k, "read") ? "reads" : is_mode(p, k, "write") ? "writes" : "updates";
}

static bool warn_of_condition(Sema *s, Func *kernel, const RacePair *p) {
    (void)kernel;
    bool atomic = is_mode(p, 0, "atomic") || is_mode(p, 1, "atomic");
    if (!p->if_one || atomic) return false;
    int k = is_mode(p, 0, "read") ? 1 : 0;
    const RaceWitness *x = &p->witness;
    Diag *d = diag(s->c, W0508, p->at[k], "data race that depends on data: work items %s can touch `%s` at the same "
                                          "time; %s",
                   races_items(s->arena, x), races_element(s->arena, p), p->reason);
    diag_note(s->c, d, p->at[!k], "the other access: work item %s %s `%s`%s", races_values(s->arena, &x->items[!k]),
              verb(p, !k), races_element(s->arena, p), p->sure == !k ? " whatever the data are" : "");
    if (x->sizes.n) diag_note(s->c, d, p->at[k], "for example when %s", races_values(s->arena, &x->sizes));
    diag_note(s->c, d, p->at[k], "write to a second array, so that no work item reads what another one writes, or let "
                                 "each launch change only elements that no other work item accesses");
    return true;
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef bool Warning(Sema *s, Func *kernel, const RacePair *p);

/* Have the others said enough of this array? */
static bool is_said(const RaceTable *table, const Symbol *array, const bool *warned) {
    for (int i = 0; i < table->pairs.n; i++)
        if (table->pairs.at[i].array == array && (warned[i] || table->pairs.at[i].verdict >= RACE_BENIGN)) return true;
    return false;
}

void races_warn(Sema *s, Func *kernel, const RaceTable *table, int n) {
    Warning *const all[] = {warn_of_lost_update, races_warn_again, warn_of_extremum, warn_of_condition};
    bool *warned = arena_array(s->arena, bool, table->pairs.n + 1);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < table->pairs.n && n < MAX_WARNINGS; i++) {
            const RacePair *p = &table->pairs.at[i];
            bool open = p->verdict == RACE_UNKNOWN && !warned[i];
            bool each = all[k] == warn_of_lost_update; /* the others are about the array */
            if (!open || (!each && is_said(table, p->array, warned)) || !all[k](s, kernel, p)) continue;
            warned[i] = true;
            n++;
        }
}
