/* remedy.c -- what would cure a race. A barrier is proposed only where the analysis of the kernel with that barrier
 * shows the pair of accesses free of races, and where all work items of a group reach it. */
#include <string.h>

#include "sema/races/pairs.h"

/* Barriers --------------------------------------------------------------------------------------------------------- */

enum { MAX_LOOPS = 4, MAX_TRIED = 400000 /* operations of isl, for one report */ };

/* A place for a barrier: in a block, before a statement or at the end. */
typedef struct Gap {
    Block *block;
    int before;       /* the number of the statement */
    const Stmt *loop; /* at the end of this loop; NULL: between the two accesses */
} Gap;

typedef struct Gaps {
    Gap between;          /* block NULL: both accesses are in one statement */
    Gap ends[MAX_LOOPS]; /* of the loops around both, the innermost first */
    int n;
} Gaps;

static bool contains(Span outer, Span inner) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }

static bool block_contains(const Block *b, Span at);

static bool stmt_contains(const Stmt *st, Span at) {
    if (st->kind == STMT_IF)
        return contains(st->if_.cond->span, at) || block_contains(st->if_.then_, at) ||
               (st->if_.else_ && stmt_contains(st->if_.else_, at));
    bool is_block = st->kind == STMT_BLOCK; /* perhaps of an inlined function, whose text is elsewhere */
    return is_block ? block_contains(st->block.block, at) : contains(st->span, at);
}

static int find_in(const Block *b, Span at) {
    for (int i = 0; i < b->stmts.n; i++)
        if (stmt_contains(b->stmts.at[i], at)) return i;
    return -1;
}

static bool block_contains(const Block *b, Span at) { return find_in(b, at) >= 0; }

static Block *loop_body(const Stmt *st) {
    return st->kind == STMT_FOR ? st->for_.body : st->kind == STMT_WHILE ? st->while_.body : NULL;
}

/* The block inside of the statement that contains both accesses; NULL: there is none. */
static Block *inner_block(const Stmt *st, Span a, Span b) {
    Block *found = loop_body(st);
    if (st->kind == STMT_BLOCK) found = st->block.block;
    if (st->kind == STMT_IF) {
        found = st->if_.then_;
        if (st->if_.else_ && stmt_contains(st->if_.else_, a)) return inner_block(st->if_.else_, a, b);
    }
    return found && block_contains(found, a) && block_contains(found, b) ? found : NULL;
}

static void find_gaps(Block *b, Span first, Span second, Gaps *out) {
    int i = find_in(b, first), k = find_in(b, second);
    if (i < 0 || k < 0) return;
    if (i != k) {
        out->between = (Gap){b, i < k ? k : i, NULL};
        return;
    }
    const Stmt *st = b->stmts.at[i];
    Block *inner = inner_block(st, first, second);
    if (!inner) return;
    find_gaps(inner, first, second, out);
    if (loop_body(st) && out->n < MAX_LOOPS) out->ends[out->n++] = (Gap){inner, inner->stmts.n, st};
}

static void put(Sema *s, Gap g, Stmt *barrier) {
    vec_push(s->arena, &g.block->stmts, barrier);
    for (int i = g.block->stmts.n - 1; i > g.before; i--) g.block->stmts.at[i] = g.block->stmts.at[i - 1];
    g.block->stmts.at[g.before] = barrier;
}

static void take(Gap g) {
    for (int i = g.before; i + 1 < g.block->stmts.n; i++) g.block->stmts.at[i] = g.block->stmts.at[i + 1];
    g.block->stmts.n--;
}

/* Would barriers in these n gaps cure the race? */
static bool would_cure(Sema *s, Func *kernel, const RacePair *p, const Gap *gaps, int n) {
    Stmt *made = arena_array(s->arena, Stmt, n);
    for (int i = 0; i < n; i++) {
        made[i] = (Stmt){.kind = STMT_BARRIER, .span = p->at[0], .together = true};
        put(s, gaps[i], &made[i]);
    }
    bool cures = true;
    for (int i = 0; i < n && cures; i++) cures = barriers_would_meet(s, kernel, &made[i]);
    cures = cures && races_cured(s, kernel, p);
    for (int i = n - 1; i >= 0; i--) take(gaps[i]);
    barriers_would_meet(s, kernel, NULL);
    return cures;
}

static int line_of(Sema *s, uint32_t offset) { return source_place(&s->c->sources, offset).line; }

static void propose(Sema *s, Diag *d, const Gap *g) {
    if (g->loop) {
        uint32_t end = g->block->span.hi - 1;
        fix_insert(s, d, end, "barrier; ",
                   arena_printf(s->arena,
                                "some work items can be in the next iteration of the loop on line %d while others "
                                "are still in this one: let all wait at the end of the loop",
                                line_of(s, g->loop->span.lo)));
        return;
    }
    uint32_t at = g->block->stmts.at[g->before]->span.lo;
    fix_insert(s, d, at, "barrier; ",
               arena_printf(s->arena, "let all work items of the group wait for each other before line %d",
                            line_of(s, at)));
}

static bool propose_barrier(Sema *s, Func *kernel, Diag *d, const RacePair *p) {
    Span at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = p->at[k];
        if (!block_contains(kernel->item->fn.body, at[k])) at[k] = p->call[k];
    }
    Gaps all = {0};
    find_gaps(kernel->item->fn.body, at[0], at[1], &all);
    Gap both[2] = {all.between};
    int first = all.between.block ? 0 : 1;
    unsigned long begun = s->races_spent;
    for (int n = 1; n <= 2; n++)
        for (int i = first; i <= all.n && s->races_spent - begun < MAX_TRIED; i++) {
            if (n == 2 && (first == 1 || i == 0)) continue;
            const Gap *tried = n == 2 ? both : i == 0 ? &all.between : &all.ends[i - 1];
            if (n == 2) both[1] = all.ends[i - 1];
            if (n == 2 && both[1].block == both[0].block) both[1].before++; /* the first one is already there */
            if (!would_cure(s, kernel, p, tried, n)) continue;
            if (i == 0 || n == 2) propose(s, d, &all.between);
            if (i > 0) propose(s, d, &all.ends[i - 1]);
            return true;
        }
    return false;
}

/* Other remedies --------------------------------------------------------------------------------------------------- */

static bool is_mode(const RacePair *p, int k, const char *mode) { return !strcmp(p->mode[k], mode); }

/* An update that loses others, or what meets an atomic update. */
static bool propose_atomic(Sema *s, Diag *d, const RacePair *p, Span at) {
    bool updates = is_mode(p, 0, "update") && is_mode(p, 1, "update"), found = false;
    for (int k = 0; k < 2; k++) {
        const Stmt *st = p->assign[k];
        if (!updates && !is_mode(p, !k, "atomic")) continue;
        if (is_mode(p, k, "read")) {
            const Type *t = p->array->type->kind == TY_ARRAY ? p->array->type->elem : p->array->type;
            diag_note(s->c, d, at,
                      "use the old value that `let old = atomic ...;` returns, or read by an atomic update that "
                      "changes nothing: `let v = atomic %s %s;`",
                      p->text[k], t->is_int || type_is_parts(t) ? "|= 0" : "-= 0.0");
            return true;
        }
        if (!st || !assign_can_be_atomic(st)) continue;
        if (!k || p->at[0].lo != p->at[1].lo)
            fix_insert(s, d, p->at[k].lo, "atomic ",
                       st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max
                           ? "make the assignment atomic" : "make the update atomic");
        found = true;
    }
    return found;
}

/* `y[k] = y[k] + v` is an update, which can be atomic. */
static bool propose_update(Sema *s, Diag *d, const RacePair *p) {
    int k = is_mode(p, 0, "write") ? 0 : 1;
    const Stmt *st = p->assign[k];
    if (!st || !is_mode(p, k, "write") || p->is_group || !assign_can_be_atomic(st)) return false;
    Span value = st->assign.value->span;
    bool itself = p->at[0].lo == p->at[1].lo || (value.lo <= p->at[!k].lo && p->at[!k].hi <= value.hi);
    const char *update = itself ? races_as_update(s, st->assign.target, st->assign.value) : NULL;
    bool is_other = p->at[0].lo != p->at[1].lo && !races_same_text(s, p->at[!k], st->assign.target->span);
    if (!update || is_other) return false;
    diag_fix(s->c, d, span_join(st->assign.target->span, value), arena_printf(s->arena, "atomic %s", update),
             "make it an atomic update");
    return true;
}

/* Instead of an update of what other work items update, too. */
static void propose_other_than_atomic(Sema *s, Diag *d, const RacePair *p, Span at) {
    const Stmt *st = p->assign[0];
    if (p->is_group || !st || p->at[0].lo != p->at[1].lo) return;
    const char *how = p->is_same_element ? assign_as_result(st) : NULL;
    if (how)
        diag_note(s->c, d, at, "or give the kernel a result, which combines the values of all work items: `-> %s %s`",
                  how, st->assign.target->type->name);
    else if (!p->is_same_element && !p->holes)
        diag_note(s->c, d, at, "or change the domain, so that one work item makes all updates of an element");
}

/* The first axis along which the two work items of the example differ. */
static const char *axis_that_differs(const RacePair *p) {
    const RaceValues *a = &p->witness.items[0], *b = &p->witness.items[1];
    for (int i = 0; i < a->n && i < b->n; i++)
        if (a->at[i].value != b->at[i].value) return a->at[i].name;
    return NULL;
}

static void propose_one_writer(Sema *s, Diag *d, const RacePair *p, Span at, bool has_groups) {
    const char *axis = axis_that_differs(p);
    bool few = axis && (p->is_group || (p->is_same_element && !has_groups));
    if (few)
        diag_note(s->c, d, at,
                  "use an index that is different for each work item, or let only one work item write, as in "
                  "`if %s%s == 0 { ... }`",
                  axis, p->is_group ? ".local" : "");
    else diag_note(s->c, d, at, "use an index that is different for each work item, or change the domain");
}

/* Shorter domains -------------------------------------------------------------------------------------------------- */

enum { MAX_AXES = 3 };

static Expr *number(Sema *s, int64_t v, const Expr *like) {
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_INT, .span = like->span, .type = like->type, .konst = const_int(v)};
    e->int_.value = (uint64_t)v;
    return e;
}

/* Not folded: a constant is moved by itself. */
static Expr *computed(Sema *s, const Expr *end, Op op, int64_t by) {
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_BINARY, .span = end->span, .type = end->type};
    e->binary.op = op;
    e->binary.lhs = (Expr *)end;
    e->binary.rhs = number(s, by, end);
    return e;
}

static Expr *beside(Sema *s, const Expr *end, int by) {
    if (end->konst.kind == CONST_INT) return number(s, end->konst.i + by, end);
    return computed(s, end, by > 0 ? OP_ADD : OP_SUB, 1);
}

/* A name or a sum can have another term; what else there is needs parentheses. */
static bool takes_term(const Expr *e) {
    e = expr_strip((Expr *)e);
    bool sums = e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_ARITH;
    return sums || e->kind == EXPR_NAME || e->kind == EXPR_INT || e->kind == EXPR_CALL;
}

static const char *text_of(Sema *s, const Expr *e) { return e ? source_brief(s, e->span) : "0"; }

static void fix_first(Sema *s, Diag *d, const char *axis, const Range *r) {
    const char *how = arena_printf(s->arena, "if work item %s = %s need not run, start the domain after it", axis,
                                   text_of(s, r->lo));
    if (!r->lo) fix_insert(s, d, r->hi->span.lo, "1..", how);
    else if (r->lo->konst.kind == CONST_INT)
        diag_fix(s->c, d, r->lo->span, arena_printf(s->arena, "%lld", (long long)r->lo->konst.i + 1), "%s", how);
    else fix_insert(s, d, r->lo->span.hi, " + 1", how);
}

static void fix_last(Sema *s, Diag *d, const char *axis, const Range *r) {
    fix_insert(s, d, r->hi->span.hi, " - 1",
               arena_printf(s->arena, "if work item %s = %s - 1 need not run, end the domain before it", axis,
                            text_of(s, r->hi)));
}

/* `a[j] = a[k] / 2.0` over j in k..n: only the work item j = k is in the way of the others. */
static bool propose_shorter(Sema *s, Func *kernel, Diag *d, const RacePair *p) {
    BinderList *over = &kernel->item->fn.over;
    unsigned long begun = s->races_spent;
    if (kernel->group.items || p->launch.hi) return false;
    for (int last = 0; last < 2; last++)
        for (int k = 0; k < over->n && k < MAX_AXES && s->races_spent - begun < MAX_TRIED; k++) {
            Range *r = &over->at[k].range, before = *r;
            const Expr *end = last ? r->hi : r->lo;
            if (r->step || (end && !takes_term(end))) continue;
            Expr *shorter = beside(s, end ? end : number(s, 0, r->hi), last ? -1 : 1);
            if (last) r->hi = shorter;
            else r->lo = shorter;
            bool cures = races_cured(s, kernel, p);
            *r = before;
            if (!cures) continue;
            const char *axis = kernel->domain.at[k]->name;
            if (last) fix_last(s, d, axis, r);
            else fix_first(s, d, axis, r);
            return true;
        }
    return false;
}

void races_remedy_exchange(Sema *s, Func *kernel, Diag *d, const RacePair *p, Span at) {
    BinderList *over = &kernel->item->fn.over;
    Range *r = &over->at[0].range, before = *r;
    bool is_whole = (!r->lo || (r->lo->konst.kind == CONST_INT && !r->lo->konst.i)) && !r->step;
    if (kernel->group.items || p->launch.hi) return;
    if (over->n > 1) {
        const char *a = kernel->domain.at[0]->name, *b = kernel->domain.at[1]->name;
        diag_note(s->c, d, at, "if two work items exchange these elements, let only one of the two do that, as in "
                               "`if %s < %s { ... }`", a, b);
        return;
    }
    if (!is_whole || expr_strip(r->hi)->kind != EXPR_NAME) return;
    r->hi = computed(s, r->hi, OP_DIV, 2);
    bool cures = races_cured(s, kernel, p);
    *r = before;
    if (cures)
        fix_insert(s, d, r->hi->span.hi, " / 2", "if two work items exchange these elements, let only one of the two "
                                                 "do that: end the domain in the middle");
}

/* Both write the same value. */
void races_remedy_benign(Sema *s, Diag *d, const RacePair *p) {
    bool atomic = true;
    for (int k = 0; k < 2; k++) atomic = atomic && p->assign[k] && assign_can_be_atomic(p->assign[k]);
    if (!atomic) {
        diag_note(s->c, d, p->at[0], "let only one work item write, or use an `i32`, whose assignments can be atomic");
        return;
    }
    for (int k = 0; k < 2; k++)
        if (!k || p->at[0].lo != p->at[1].lo)
            fix_insert(s, d, p->at[k].lo, "atomic ", "if that is intended, make the assignment atomic");
}

void races_remedy(Sema *s, Func *kernel, Diag *d, const RacePair *p, Span at) {
    bool has_groups = kernel->group.items > 0, reads = false, updates = true;
    for (int k = 0; k < 2; k++) {
        reads = reads || is_mode(p, k, "read") || (is_mode(p, k, "update") && p->at[0].lo != p->at[1].lo);
        updates = updates && is_mode(p, k, "update");
    }
    if (p->is_group && !updates && propose_barrier(s, kernel, d, p)) return;
    if (races_remedy_again(s, kernel, d, p) || propose_update(s, d, p)) return;
    if (propose_atomic(s, d, p, at)) {
        propose_other_than_atomic(s, d, p, at);
        return;
    }
    if (p->is_group && updates && propose_barrier(s, kernel, d, p)) return;
    if (!reads) {
        propose_one_writer(s, d, p, at, has_groups);
        return;
    }
    if (p->is_group) {
        diag_note(s->c, d, at,
                  "first read into a variable, then wait at a `barrier;`, then write");
        return;
    }
    if (has_groups)
        diag_note(s->c, d, at, "a `barrier` does not help: the two work items are in different groups, which never "
                               "wait for each other");
    if (!has_groups && propose_shorter(s, kernel, d, p)) {
        diag_note(s->c, d, at,
                  "otherwise, write to a second array, so that no work item reads what another one writes");
        return;
    }
    diag_note(s->c, d, at, "write to a second array, so that no work item reads what another one writes");
}
