/* barrier.c -- uniformity analysis for groups: which values may differ between the work items of a group, and the
 * check that each barrier is reached by all items of the group or by none. Positions (`i`, `i.local`, `inside`) and
 * the results of atomic updates differ, except along axes whose groups have one item. Parameters, sizes, `i.group`,
 * and array elements whose indices are the same for all items do not differ: between two barriers no item may write
 * what another one reads, so all items read the same value. A variable differs if it is assigned a differing value, or
 * if it is assigned in divergent code: under a differing condition, or after a `break` or `continue` under one.
 *
 * The results are symbol_varies, a fixpoint that only grows, and Stmt.together: set on each statement that contains a
 * barrier, or a jump that the whole group takes together because barriers follow. Code generation for all targets
 * relies on both. */
#include "parser/children.h"
#include "sema/check.h"

/* Why a variable differs. */
typedef struct Reason {
    Span at;           /* where it is assigned */
    const Expr *from;  /* the first value there that differs */
    const Expr *under; /* or the condition */
} Reason;

typedef struct BLoop {
    struct BLoop *outer;
    const Stmt *stmt;
    const Expr *condition; /* the differing condition around the loop, as `differs` below */
    const Expr *own;       /* its own condition or range, where that is the one that differs; or NULL */
    const Expr *skipped;   /* a `continue` was passed in this iteration: some items may be in the next one */
} BLoop;

/* Loops that some items may leave before others. */
typedef struct LoopFacts {
    const Stmt *stmt;
    const Expr *left;  /* the condition under which */
    Span jump;
    bool together;     /* the group executes its iterations together: a barrier or joint return is in it */
} LoopFacts;

typedef struct Barriers {
    Sema *s;
    Func *f;
    Reason *reasons;         /* by symbol id */
    Vec(LoopFacts) loops;
    BLoop *loop;             /* innermost */
    const Expr *differs;     /* the innermost enclosing condition that differs; NULL: uniform control flow */
    const Expr *returned;    /* a `return` above that only some items may have taken: its condition */
    Span return_at;
    const Expr *inlined;     /* the call whose body this is (group_inline.c), or NULL */
    int n_barriers_ahead;    /* last pass: the number of barriers after this point in the text */
    bool changed, reports;
    const Stmt *asked; /* a barrier: does every item of a group reach it? */
    bool answer;
} Barriers;

static void visit_block(Barriers *b, Block *block);
static void visit(Barriers *b, Stmt *st);

static bool *row_of(const Symbol *sym) { return &sym->func->varying.at[sym->id]; }

bool symbol_varies(const Symbol *sym) { return sym->id >= 0 && *row_of(sym); }

static void mark_varying(Barriers *b, const Symbol *sym) { *row_of(sym) = b->changed = true; }

/* Values ----------------------------------------------------------------------------------------------------------- */

static bool gives_own_value(Expr *e, void *context) {
    (void)context;
    if (e->kind == EXPR_NAME) return e->name.sym && symbol_varies(e->name.sym);
    if (e->kind != EXPR_CALL) return e->kind == EXPR_ATOMIC;
    if (!e->call.info || e->call.info->kind != CALL_FUNC) return false;
    for (int i = 0; i < e->call.args.n; i++) /* it may make an atomic update and return the old value */
        if (e->call.args.at[i].mode == REF_MUT || e->call.args.at[i].mode == REF_OUT) return true;
    return false;
}

/* The first sub-expression of e whose value may differ between items. */
static const Expr *differing(Expr *e) { return e ? expr_find(e, gives_own_value, NULL) : NULL; }

static bool gives_more_than_inside(Expr *e, void *context) {
    const Barriers *b = context;
    return gives_own_value(e, NULL) && !(e->kind == EXPR_NAME && e->name.sym == b->f->group.inside);
}

/* The one that explains most: `inside` is often only a guard of what follows. */
static const Expr *differing_most(Barriers *b, const Expr *e) {
    const Expr *leaf = expr_find((Expr *)e, gives_more_than_inside, b);
    return leaf ? leaf : differing((Expr *)e);
}

static const Expr *differing_range(const Range *r) {
    const Expr *e = differing(r->lo);
    if (!e) e = differing(r->hi);
    return e ? e : differing(r->step);
}

static LoopFacts *facts_of(Barriers *b, const Stmt *loop) {
    for (int i = 0; i < b->loops.n; i++)
        if (b->loops.at[i].stmt == loop) return &b->loops.at[i];
    vec_push(b->s->arena, &b->loops, (LoopFacts){.stmt = loop});
    return &b->loops.at[b->loops.n - 1];
}

/* The condition that keeps some items from this point or from this iteration; NULL: there is none. */
static const Expr *control(const Barriers *b) {
    if (b->differs) return b->differs;
    for (const BLoop *l = b->loop; l; l = l->outer)
        if (l->skipped) return l->skipped;
    return NULL;
}

/* The same; or the condition under which some items have left one of the loops around. */
static const Expr *control_or_left(Barriers *b) {
    const Expr *why = control(b);
    for (const BLoop *l = b->loop; l && !why; l = l->outer) why = facts_of(b, l->stmt)->left;
    return why;
}

static void assigned(Barriers *b, Symbol *sym, const Expr *from, Span at) {
    if (!sym || sym->id < 0 || symbol_varies(sym) || sym->kind != SYM_LOCAL || sym->is_shared) return;
    const Expr *under = control(b);
    if (!from && !under) return;
    mark_varying(b, sym);
    b->reasons[sym->id] = (Reason){at, from, from ? NULL : under};
}

/* Variables passed to be written. */
static bool note_passed(Expr *e, void *context) {
    Barriers *b = context;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (a->mode == REF_MUT || a->mode == REF_OUT) assigned(b, expr_array_symbol(a->value), e, a->span);
    }
    return false;
}

/* Messages --------------------------------------------------------------------------------------------------------- */

static void explain_value(Barriers *b, Diag *d, const Expr *leaf) {
    enum { MAX_STEPS = 4 };
    for (int i = 0; leaf && i < MAX_STEPS; i++) {
        if (leaf->kind != EXPR_NAME) {
            diag_note(b->s->c, d, leaf->span, "this value may differ between the work items of a group");
            return;
        }
        const Symbol *sym = leaf->name.sym;
        const Reason *r = &b->reasons[sym->id];
        if (!r->at.hi) {
            diag_note(b->s->c, d, leaf->span, "`%s` differs between the work items of a group", sym->name);
            return;
        }
        const Expr *next = r->from ? r->from : differing((Expr *)r->under);
        if (r->from && next->kind == EXPR_NAME)
            diag_note(b->s->c, d, r->at, "`%s` is assigned a value here that depends on `%s`", sym->name,
                      next->name.name);
        else if (r->under)
            diag_note(b->s->c, d, r->at,
                      "`%s` is assigned here, which only some work items of a group may execute because of `%s`",
                      sym->name,
                      source_text(b->s, r->under->span));
        leaf = next;
        if (leaf == NULL || (leaf->kind == EXPR_NAME && leaf->name.sym == sym)) return;
    }
}

static void explain_condition(Barriers *b, Diag *d, const Expr *condition) {
    const Expr *leaf = differing_most(b, condition);
    if (leaf && leaf != condition && leaf->kind == EXPR_NAME)
        diag_note(b->s->c, d, condition->span, "`%s` may differ between work items: it depends on `%s`",
                  source_text(b->s, condition->span), leaf->name.name);
    else if (leaf != condition || leaf->kind != EXPR_NAME)
        diag_note(b->s->c, d, condition->span, "`%s` may differ between work items",
                  source_text(b->s, condition->span));
    if (leaf) explain_value(b, d, leaf);
}

static void diverges(Barriers *b, Span at, const Expr *why, const char *how, Span jump) {
    Diag *d = diag(b->s->c, E0526, at, "every work item of the group must reach this barrier, but %s", how);
    if (b->inlined) diag_note(b->s->c, d, b->inlined->span, "the function is called here");
    if (jump.hi) diag_note(b->s->c, d, jump, "they leave here");
    explain_condition(b, d, why);
    if (!jump.hi) diag_note(b->s->c, d, at, "end the `if` or loop before the barrier, so that all work items reach it");
    if (jump.hi && b->returned == why)
        diag_note(b->s->c, d, jump,
                  "do not leave early; put the work of some items inside `if ... { }`, that of all items of the domain "
                  "inside `if inside { }`");
}

static bool is_own_of_loop(const Barriers *b) {
    for (const BLoop *l = b->loop; l; l = l->outer)
        if (l->own && l->own == b->differs) return true;
    return false;
}

static void check_barrier(Barriers *b, const Stmt *st) {
    if (b->differs) {
        diverges(b, st->span, b->differs,
                 is_own_of_loop(b) ? "the number of iterations of this loop may differ between them" : "some may not",
                 (Span){0});
        return;
    }
    for (const BLoop *l = b->loop; l; l = l->outer) {
        const LoopFacts *facts = facts_of(b, l->stmt);
        if (l->skipped) {
            diverges(b, st->span, l->skipped, "some may have continued with the next iteration", (Span){0});
            return;
        }
        if (!facts->left) continue;
        diverges(b, st->span, facts->left, "some may have left this loop", facts->jump);
        return;
    }
    if (b->returned) diverges(b, st->span, b->returned, "some may have returned", b->return_at);
}

/* Statements ------------------------------------------------------------------------------------------------------- */

static void visit_let(Barriers *b, Stmt *st) {
    Symbol *sym = st->let.sym;
    expr_find(st->let.init, note_passed, b);
    if (sym->type->kind == TY_ARRAY && !symbol_varies(sym)) { /* each item has its own */
        mark_varying(b, sym);
        b->reasons[sym->id] = (Reason){0};
    }
    assigned(b, sym, differing(st->let.init), st->span);
}

static void visit_assign(Barriers *b, Stmt *st) {
    expr_find(st->assign.target, note_passed, b);
    expr_find(st->assign.value, note_passed, b);
    const Expr *whole = expr_whole(st->assign.target);
    if (whole->kind == EXPR_NAME) assigned(b, whole->name.sym, differing(st->assign.value), st->span);
}

static void visit_if(Barriers *b, Stmt *st) {
    expr_find(st->if_.cond, note_passed, b);
    const Expr *outer = b->differs;
    if (!b->differs && differing(st->if_.cond)) b->differs = st->if_.cond;
    visit_block(b, st->if_.then_);
    if (st->if_.else_) visit(b, st->if_.else_);
    b->differs = outer;
}

static void visit_loop(Barriers *b, const Stmt *st, Block *body, const Expr *condition) {
    const Expr *outer = b->differs;
    BLoop loop = {.outer = b->loop, .stmt = st, .condition = outer};
    if (!b->differs) b->differs = loop.own = condition;
    if (!b->differs && !b->reports) b->differs = facts_of(b, st)->left;
    b->loop = &loop;
    visit_block(b, body);
    b->loop = loop.outer;
    b->differs = outer;
}

static void visit_for(Barriers *b, Stmt *st) {
    const Range *r = &st->for_.binder.range;
    const Expr *condition = differing_range(r);
    assigned(b, st->for_.binder.sym, condition, st->for_.binder.span);
    visit_loop(b, st, st->for_.body, condition);
}

static void visit_while(Barriers *b, Stmt *st) {
    expr_find(st->while_.cond, note_passed, b);
    visit_loop(b, st, st->while_.body, differing(st->while_.cond) ? st->while_.cond : NULL);
}

static void visit_jump(Barriers *b, Stmt *st) {
    if (!b->loop) return;
    /* A condition around the loop keeps items from the whole loop, not from single iterations. */
    const Expr *why = b->differs != b->loop->condition ? b->differs : NULL;
    if (!why) why = b->loop->skipped;
    if (!why) return;
    if (st->kind == STMT_CONTINUE) {
        if (!b->loop->skipped) b->loop->skipped = why;
        return;
    }
    LoopFacts *facts = facts_of(b, b->loop->stmt);
    if (facts->left) return;
    facts->left = why;
    facts->jump = st->span;
    b->changed = true;
}

static void visit_return(Barriers *b, Stmt *st) {
    expr_find(st->return_.value, note_passed, b);
    const Expr *why = control_or_left(b);
    if (!why) return;
    if (!b->returned) {
        b->returned = why;
        b->return_at = st->span;
    }
    for (const BLoop *l = b->loop; l; l = l->outer) { /* a barrier above, in the next round */
        LoopFacts *facts = facts_of(b, l->stmt);
        if (facts->left) continue;
        facts->left = why;
        facts->jump = st->span;
        b->changed = true;
    }
}

static void visit_nested(Barriers *b, Stmt *st) {
    const Expr *outer = b->inlined;
    if (st->block.inlined) b->inlined = st->block.inlined;
    visit_block(b, st->block.block);
    b->inlined = outer;
}

static void visit(Barriers *b, Stmt *st) {
    switch (st->kind) {
    case STMT_LET: visit_let(b, st); return;
    case STMT_ASSIGN: visit_assign(b, st); return;
    case STMT_ATOMIC: expr_find(st->atomic.atomic, note_passed, b); return;
    case STMT_EXPR: expr_find(st->expr.expr, note_passed, b); return;
    case STMT_IF: visit_if(b, st); return;
    case STMT_FOR: visit_for(b, st); return;
    case STMT_WHILE: visit_while(b, st); return;
    case STMT_BREAK:
    case STMT_CONTINUE: visit_jump(b, st); return;
    case STMT_RETURN: visit_return(b, st); return;
    case STMT_ASSERT: expr_find(st->assert_.cond, note_passed, b); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: visit_nested(b, st); return;
    case STMT_BARRIER:
        if (b->reports) check_barrier(b, st);
        if (st == b->asked) b->answer = !control_or_left(b) && !b->returned;
        return;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_WAIT:
    case STMT__COUNT: return;
    }
}

static void visit_block(Barriers *b, Block *block) {
    for (int i = 0; i < block->stmts.n; i++) visit(b, block->stmts.at[i]);
}

/* What the group does as one --------------------------------------------------------------------------------------- */

static int count_barriers(const Stmt *st) {
    int n = st->kind == STMT_BARRIER;
    Children all = stmt_children(st);
    for (Stmt *s; (s = child_stmt(&all));) n += count_barriers(s);
    return n;
}

static int count_block(const Block *b) {
    int n = 0;
    for (int i = 0; i < b->stmts.n; i++) n += count_barriers(b->stmts.at[i]);
    return n;
}

/* Is there a barrier after this point, or before it in a loop, so that the next iteration reaches it? */
static bool barriers_follow(Barriers *b) {
    for (const BLoop *l = b->loop; l; l = l->outer)
        if (count_barriers(l->stmt)) return true;
    return b->n_barriers_ahead > 0;
}

static bool mark_block(Barriers *b, Block *block);

/* `differs` and `skipped` of the loops are maintained as in visit: a `continue` that only some items take is not
 * joint. */
static bool mark_jump(Barriers *b, Stmt *st) {
    if (st->kind == STMT_RETURN) return barriers_follow(b);
    if (!b->loop || !facts_of(b, b->loop->stmt)->together) return false;
    bool some = b->differs != NULL || b->loop->skipped;
    if (st->kind == STMT_CONTINUE && some) b->loop->skipped = b->differs ? b->differs : b->loop->skipped;
    return st->kind == STMT_BREAK || !some;
}

static bool mark_loop(Barriers *b, const Stmt *st, Block *body, const Expr *condition) {
    const Expr *outer = b->differs;
    BLoop loop = {.outer = b->loop, .stmt = st, .condition = outer};
    facts_of(b, st)->together = count_block(body) > 0 || (block_holds(body, STMTS_RETURN) && barriers_follow(b));
    if (!b->differs) b->differs = condition;
    b->loop = &loop;
    bool together = mark_block(b, body);
    b->loop = loop.outer;
    b->differs = outer;
    return together;
}

static bool mark_if(Barriers *b, Stmt *st) {
    const Expr *outer = b->differs;
    if (!b->differs && differing(st->if_.cond)) b->differs = st->if_.cond;
    bool together = mark_block(b, st->if_.then_);
    if (st->if_.else_) {
        bool other = false;
        Stmt *e = st->if_.else_;
        if (e->kind == STMT_IF) other = e->together = mark_if(b, e);
        else other = e->together = mark_block(b, e->block.block);
        together = together || other;
    }
    b->differs = outer;
    return together;
}

static bool mark(Barriers *b, Stmt *st) {
    switch (st->kind) {
    case STMT_BARRIER: b->n_barriers_ahead--; return true;
    case STMT_IF: return mark_if(b, st);
    case STMT_FOR: return mark_loop(b, st, st->for_.body, differing_range(&st->for_.binder.range));
    case STMT_WHILE: return mark_loop(b, st, st->while_.body, differing(st->while_.cond));
    case STMT_BLOCK:
    case STMT_RESIDENT: return mark_block(b, st->block.block);
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_RETURN: return mark_jump(b, st);
    case STMT_LET:
    case STMT_ASSIGN:
    case STMT_ATOMIC:
    case STMT_EXPR:
    case STMT_ASSERT:
    case STMT_SHARED:
    case STMT_ERROR:
    case STMT_WAIT:
    case STMT__COUNT: return false;
    }
    return false;
}

static bool mark_block(Barriers *b, Block *block) {
    bool together = false;
    for (int i = 0; i < block->stmts.n; i++) {
        Stmt *st = block->stmts.at[i];
        st->together = mark(b, st);
        together = together || st->together;
    }
    return together;
}

/* The kernel ------------------------------------------------------------------------------------------------------- */

static int64_t bytes_of(const Symbol *sym) {
    if (sym->type->kind == TY_ERROR) return 0;
    if (sym->type->kind != TY_ARRAY) return type_size_bytes(sym->type);
    int64_t bytes = type_size_bytes(sym->type->elem);
    for (int d = 0; d < sym->type->rank; d++) bytes *= frame_facts(sym)->extents[d];
    return bytes;
}

/* On a CPU, which runs the items one after another, each variable that lives across a barrier is stored once for each
 * item. */
static void check_room(Barriers *b) {
    enum { MOST = 1 << 20 };
    const FuncFacts *facts = b->f->facts;
    int64_t sum = 0;
    for (int i = 0; i < facts->locals.n; i++) {
        const Symbol *sym = facts->locals.at[i];
        sum += bytes_of(sym) * b->f->group.items;
        if (sum <= MOST) continue;
        Diag *d = diag(b->s->c, E0527, sym->span,
                       "with `%s`, the variables of a group of %lld work items need more than %d KiB", sym->name,
                       (long long)b->f->group.items, MOST >> 10);
        diag_note(b->s->c, d, sym->span, "it needs %lld bytes for each work item; use smaller groups",
                  (long long)bytes_of(sym));
        return;
    }
}

/* Along an axis whose groups have one item, the position is the same for all items of the group. */
static void seed(Func *f) {
    for (int i = 0; i < f->domain.n; i++)
        *row_of(f->domain.at[i]) = *row_of(f->group.local[i]) = f->group.by[i] > 1;
    *row_of(f->group.inside) = true;
}

static void fixpoint(Barriers *b) {
    b->reasons = arena_array(b->s->arena, Reason, b->f->n_symbols + 1);
    do {
        b->changed = false;
        b->returned = NULL;
        visit_block(b, b->f->item->fn.body);
    } while (b->changed);
    b->returned = NULL;
}

bool barriers_would_meet(Sema *s, Func *f, const Stmt *barrier) {
    Barriers b = {.s = s, .f = f, .asked = barrier};
    fixpoint(&b);
    b.n_barriers_ahead = count_block(f->item->fn.body);
    mark_block(&b, f->item->fn.body);
    return b.answer;
}

void barriers_check(Sema *s, Func *f) {
    if (!f->group.items) return;
    Barriers b = {.s = s, .f = f};
    Block *body = f->item->fn.body;
    seed(f);
    fixpoint(&b);
    b.reports = true;
    visit_block(&b, body);
    b.n_barriers_ahead = count_block(body);
    if (b.n_barriers_ahead) check_room(&b);
    mark_block(&b, body);
}
