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
    diag_note(s->c, d, at, "write to a second array, so that no work item reads what another one writes");
}
