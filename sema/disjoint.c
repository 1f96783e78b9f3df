/* disjoint.c -- arrays that cannot race, by three rules that need no arithmetic: in each stretch between two barriers,
 * the work items of a group only read the array, or only update it atomically, or each of them accesses elements of its
 * own, whose index in one dimension is the domain variable (`y[i]`; in memory of a group, `i.local`), for each axis.
 * Memory that is not of one group has a single stretch, the whole launch.
 *
 * Stretches that a loop or an `if` of the whole group may join are one: two that meet where control flow does. */
#include "sema/check.h"

#include "parser/children.h"

enum { MAX_AXES = 3 };

typedef struct Stretch {
    int same_as; /* itself: the representative of its class */
    bool reads, writes, updates, is_foreign; /* an access that is not of the item's own element */
} Stretch;

typedef struct Walk {
    Arena *arena;
    const Func *kernel;
    const Symbol *array;
    int dim[MAX_AXES]; /* the dimension whose index is the variable of this axis; -1: no access so far */
    Vec(Stretch) stretches;
    int now, loop;     /* stretches: at this point; where the enclosing loop of the group begins */
} Walk;

bool expr_is_builtin(const Expr *e, BuiltinId id) {
    return e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN && e->call.info->builtin == id;
}

/* Stretches --------------------------------------------------------------------------------------------------- */

static int class_of(Walk *w, int i) {
    while (w->stretches.at[i].same_as != i) i = w->stretches.at[i].same_as;
    return i;
}

static int begin_stretch(Walk *w) {
    Stretch fresh = {.same_as = w->stretches.n};
    vec_push(w->arena, &w->stretches, fresh);
    return w->stretches.n - 1;
}

static void join(Walk *w, int a, int b) {
    a = class_of(w, a);
    b = class_of(w, b);
    if (a == b) return;
    Stretch *to = &w->stretches.at[a], *from = &w->stretches.at[b];
    to->reads |= from->reads;
    to->writes |= from->writes;
    to->updates |= from->updates;
    to->is_foreign |= from->is_foreign;
    from->same_as = a;
}

/* Accesses ---------------------------------------------------------------------------------------------------- */

static bool names(const Expr *e, const Symbol *sym) { return e->kind == EXPR_NAME && e->name.sym == sym; }

/* Within a group, where each group has an array of its own. */
static const Symbol *position(const Walk *w, int axis) {
    return w->array->is_shared ? w->kernel->group.local[axis] : w->kernel->domain.at[axis];
}

static Expr *index_of(const Expr *element, int d) {
    return element->kind == EXPR_INDEX ? element->index.at.at[d] : element->call.args.at[d].value;
}

static bool is_own_element(Walk *w, const Expr *element) {
    int n = element->kind == EXPR_INDEX ? element->index.at.n : element->call.args.n;
    bool own = true;
    for (int axis = 0; axis < w->kernel->domain.n; axis++) {
        bool alone = w->array->is_shared && w->kernel->group.by[axis] == 1;
        for (int d = 0; d < n && w->dim[axis] < 0; d++)
            if (names(expr_strip(index_of(element, d)), position(w, axis))) w->dim[axis] = d;
        int d = w->dim[axis];
        own = own && (alone || (d >= 0 && d < n && names(expr_strip(index_of(element, d)), position(w, axis))));
    }
    return own;
}

typedef enum How { READS, WRITES, UPDATES } How;

static void note(Walk *w, How how, bool own) {
    Stretch *here = &w->stretches.at[class_of(w, w->now)];
    here->reads |= how == READS;
    here->writes |= how == WRITES;
    here->updates |= how == UPDATES;
    here->is_foreign |= !own;
}

static void walk_expr(Walk *w, Expr *e);

/* An element, a part of one, or a value passed by reference: what is accessed, then its indices. */
static void walk_place(Walk *w, Expr *e, How how) {
    if (e->kind == EXPR_FIELD) {
        walk_place(w, e->field.base, how);
        return;
    }
    if (names(e, w->array)) note(w, how, false);
    if (e->kind != EXPR_INDEX) return;
    if (names(e->index.base, w->array)) note(w, how, !expr_is_slice(e) && is_own_element(w, e));
    else walk_place(w, e->index.base, how);
    for (int d = 0; d < e->index.at.n; d++) walk_expr(w, e->index.at.at[d]);
}

static void walk_call(Walk *w, Expr *e) {
    for (int i = 0; i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (a->mode == REF_NONE || expr_root(a->value) != w->array) {
            walk_expr(w, a->value);
            continue;
        }
        bool updates = combine_facts(e->call.info->func->params.at[i])->how;
        walk_place(w, a->value, a->mode == REF_IN ? READS : updates ? UPDATES : WRITES);
        if (a->mode != REF_IN && !updates) note(w, READS, false);
    }
}

static void walk_expr(Walk *w, Expr *e) {
    if (e->kind == EXPR_ATOMIC) {
        walk_place(w, e->atomic.target, UPDATES);
        walk_expr(w, e->atomic.value);
        if (e->atomic.was) walk_expr(w, e->atomic.was);
        return;
    }
    if (expr_is_builtin(e, BUILTIN_LEN) || expr_is_builtin(e, BUILTIN_SHAPE)) return;
    if (expr_is_builtin(e, BUILTIN_AT)) {
        if (names(e->call.info->receiver, w->array)) note(w, READS, is_own_element(w, e));
        else walk_expr(w, e->call.info->receiver);
        for (int i = 0; i < e->call.args.n; i++) walk_expr(w, e->call.args.at[i].value);
        return;
    }
    if (e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_FUNC) {
        walk_call(w, e);
        return;
    }
    if (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD || e->kind == EXPR_NAME) {
        bool is_place = expr_root(e) != NULL;
        if (is_place) walk_place(w, e, READS);
        if (is_place) return;
    }
    Children all = expr_children(e);
    if (e->kind == EXPR_CALL && e->call.callee->kind == EXPR_NAME) child_expr(&all);
    for (Expr *x; (x = child_expr(&all));) walk_expr(w, x);
}

/* Statements -------------------------------------------------------------------------------------------------- */

static void walk_stmt(Walk *w, const Stmt *st);

static void walk_block(Walk *w, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) walk_stmt(w, b->stmts.at[i]);
}

static void walk_branches(Walk *w, const Stmt *st) {
    int before = w->now;
    walk_expr(w, st->if_.cond);
    walk_block(w, st->if_.then_);
    int then_ = w->now;
    w->now = before;
    if (st->if_.else_) walk_stmt(w, st->if_.else_);
    join(w, w->now, then_);
}

/* What follows a loop follows its head. */
static void walk_loop(Walk *w, const Stmt *st) {
    int outer = w->loop, head = w->now;
    w->loop = head;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) walk_expr(w, x);
    walk_block(w, st->kind == STMT_FOR ? st->for_.body : st->while_.body);
    join(w, head, w->now);
    w->now = head;
    w->loop = outer;
}

static void walk_stmt(Walk *w, const Stmt *st) {
    if (st->kind == STMT_BARRIER && w->array->is_shared) w->now = begin_stretch(w);
    if (st->together && st->kind == STMT_IF) {
        walk_branches(w, st);
        return;
    }
    if (st->together && (st->kind == STMT_FOR || st->kind == STMT_WHILE)) {
        walk_loop(w, st);
        return;
    }
    if (st->together && (st->kind == STMT_BREAK || st->kind == STMT_CONTINUE)) join(w, w->loop, w->now);
    Children all = stmt_children(st);
    if (st->kind == STMT_ASSIGN) {
        walk_place(w, st->assign.target, WRITES);
        if (st->assign.op != OP_NONE || st->assign.is_min || st->assign.is_max) walk_place(w, st->assign.target, READS);
        child_expr(&all);
    }
    for (Expr *x; (x = child_expr(&all));) walk_expr(w, x);
    for (Stmt *s; (s = child_stmt(&all));) walk_stmt(w, s);
}

static Walk walk_kernel(Arena *arena, const Func *kernel, const Symbol *array) {
    Walk w = {.arena = arena, .kernel = kernel, .array = array, .dim = {-1, -1, -1}};
    w.now = w.loop = begin_stretch(&w);
    walk_block(&w, kernel->item->fn.body);
    return w;
}

bool accesses_are_disjoint(Arena *arena, const Func *kernel, const Symbol *array) {
    Walk w = walk_kernel(arena, kernel, array);
    for (int i = 0; i < w.stretches.n; i++) {
        const Stretch *x = &w.stretches.at[i];
        if (x->same_as == i && x->is_foreign && x->reads + x->writes + x->updates > 1) return false;
        if (x->same_as == i && x->is_foreign && x->writes) return false;
    }
    return true;
}
