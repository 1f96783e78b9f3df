/* group_plan.c -- loop fission at barriers: divides the body of a kernel with groups into segments, and decides the
 * storage of each variable: one for the group, expanded to an element for each item across segments (scalar expansion),
 * or, for variables of a single segment, an ordinary local. The tree is only read. A uniform variable may have one
 * storage for the group if every assignment to it is between segments and reads no expanded variable; expanding a
 * uniform variable is also correct, and only costs time. */
#include "irgen/cpu/group.h"

/* Queries on the tree ---------------------------------------------------------------------------------------------- */

static bool is_exit(const Stmt *st, int depth);

static bool block_exits(const Block *b, int depth) {
    for (int i = 0; i < b->stmts.n; i++)
        if (is_exit(b->stmts.at[i], depth)) return true;
    return false;
}

/* True if an item may leave st by a jump. depth: number of loops of st around this point. */
static bool is_exit(const Stmt *st, int depth) {
    switch (st->kind) {
    case STMT_RETURN: return true;
    case STMT_BREAK:
    case STMT_CONTINUE: return depth == 0;
    case STMT_IF: return block_exits(st->if_.then_, depth) || (st->if_.else_ && is_exit(st->if_.else_, depth));
    case STMT_FOR: return block_exits(st->for_.body, depth + 1);
    case STMT_WHILE: return block_exits(st->while_.body, depth + 1);
    case STMT_BLOCK:
    case STMT_RESIDENT: return block_exits(st->block.block, depth);
    case STMT_LET: case STMT_ASSIGN: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED:
    case STMT_BARRIER: case STMT_WAIT: case STMT_ERROR: case STMT__COUNT: break;
    }
    return false;
}

bool group_fails(const Expr *e) {
    if (e->konst.kind != CONST_NONE) return false;
    if (e->kind == EXPR_INDEX) return true;
    if (e->kind == EXPR_CALL) {
        const CallInfo *info = e->call.info;
        return info->kind == CALL_FUNC || (info->kind == CALL_BUILTIN && info->builtin == BUILTIN_AT);
    }
    if (e->kind == EXPR_NAME) return e->name.sym && e->name.sym->kind == SYM_PARAM && e->name.sym->mode != REF_NONE;
    if (e->kind != EXPR_BINARY || e->binary.rhs->konst.kind != CONST_NONE) return false;
    return op_info[e->binary.op].can_fail;
}

static bool may_fail(Expr *e, void *context) {
    (void)context;
    return group_fails(e);
}

bool group_is_placed(Expr *e) { return expr_find(e, may_fail, NULL) != NULL; }

/* Variables of the group ------------------------------------------------------------------------------------------- */

static bool is_per_item(Expr *e, void *context) {
    const Plan *p = context;
    if (e->kind != EXPR_NAME || !e->name.sym || e->konst.kind != CONST_NONE) return false;
    const Symbol *sym = e->name.sym;
    return sym->kind == SYM_LOCAL && !sym->is_shared && !sym->is_group_value && !p->once[sym->id];
}

bool group_is_of_item(const Expr *e) {
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    return sym && sym->kind == SYM_LOCAL && sym->is_mutable && !sym->is_shared && !sym->is_group_value;
}

static bool differs(Expr *e, void *context) {
    (void)context;
    return e->kind == EXPR_ATOMIC || (e->kind == EXPR_NAME && e->name.sym && symbol_varies(e->name.sym));
}

bool group_is_uniform(const Plan *p, Expr *e) {
    return !expr_find(e, differs, NULL) && !expr_find(e, is_per_item, (void *)p);
}

bool group_knows(const Plan *p, Expr *e) { return group_is_uniform(p, e) && !group_is_placed(e); }

static bool is_symbol(Expr *e, void *sym) { return e->kind == EXPR_NAME && e->name.sym == sym; }

bool group_uses(const Part *part, const Symbol *sym) {
    for (int i = 0; i < part->items.n; i++)
        if (stmt_find(part->items.at[i], is_symbol, (void *)sym)) return true;
    return false;
}

static bool may_be_once(const Symbol *sym) { return !symbol_varies(sym) && sym->type->kind != TY_ARRAY; }

static void candidates(Plan *p, const Block *b);

static void candidate(Plan *p, const Stmt *st) {
    if (st->kind == STMT_LET && may_be_once(st->let.sym)) p->once[st->let.sym->id] = true;
    if (!st->together) return;
    switch (st->kind) {
    case STMT_IF:
        candidates(p, st->if_.then_);
        if (st->if_.else_) candidate(p, st->if_.else_);
        return;
    case STMT_FOR:
        p->once[st->for_.binder.sym->id] = true;
        candidates(p, st->for_.body);
        return;
    case STMT_WHILE: candidates(p, st->while_.body); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: candidates(p, st->block.block); return;
    case STMT_LET: case STMT_ASSIGN: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED:
    case STMT_BARRIER: case STMT_WAIT: case STMT_ERROR: case STMT_RETURN: case STMT_BREAK: case STMT_CONTINUE:
    case STMT__COUNT: return;
    }
}

static void candidates(Plan *p, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) candidate(p, b->stmts.at[i]);
}

typedef struct Demotion {
    Plan *p;
    bool changed;
} Demotion;

static void demote(Demotion *d, const Symbol *sym) {
    if (!sym || sym->kind != SYM_LOCAL || !d->p->once[sym->id]) return;
    d->p->once[sym->id] = false;
    d->changed = true;
}

static bool demote_passed(Expr *e, void *context) {
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if (a->mode == REF_MUT || a->mode == REF_OUT) demote(context, expr_array_symbol(a->value));
    }
    return false;
}

static void demote_in_block(Demotion *d, const Block *b, bool between);

static void demote_assigned(Demotion *d, const Symbol *sym, Expr *value, bool between) {
    Plan *p = d->p;
    if (sym->kind != SYM_LOCAL || !p->once[sym->id]) return;
    if (!between || (value && expr_find(value, is_per_item, p)) || (p->leaves && value && group_is_placed(value)))
        demote(d, sym);
}

static void demote_in(Demotion *d, const Stmt *st, bool between) {
    stmt_find(st, demote_passed, d);
    between = between && (st->together || st->kind == STMT_LET || st->kind == STMT_ASSIGN);
    switch (st->kind) {
    case STMT_LET: demote_assigned(d, st->let.sym, st->let.init, between); return;
    case STMT_ASSIGN: {
        Expr *target = st->assign.target;
        const Expr *whole = expr_whole(target);
        if (whole->kind == EXPR_NAME) demote_assigned(d, whole->name.sym, st->assign.value, between && whole == target);
        return;
    }
    case STMT_IF:
        demote_in_block(d, st->if_.then_, between);
        if (st->if_.else_) demote_in(d, st->if_.else_, between);
        return;
    case STMT_FOR: demote_in_block(d, st->for_.body, between); return;
    case STMT_WHILE: demote_in_block(d, st->while_.body, between); return;
    case STMT_BLOCK:
    case STMT_RESIDENT: demote_in_block(d, st->block.block, between); return;
    case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED: case STMT_BARRIER: case STMT_WAIT:
    case STMT_ERROR: case STMT_RETURN: case STMT_BREAK: case STMT_CONTINUE: case STMT__COUNT: return;
    }
}

static void demote_in_block(Demotion *d, const Block *b, bool between) {
    for (int i = 0; i < b->stmts.n; i++) demote_in(d, b->stmts.at[i], between);
}

static bool some_leave(const Block *b);

static bool some_leave_here(const Stmt *st) {
    if (!st->together) return is_exit(st, 0);
    switch (st->kind) {
    case STMT_IF: return some_leave(st->if_.then_) || (st->if_.else_ && some_leave_here(st->if_.else_));
    case STMT_FOR: return some_leave(st->for_.body);
    case STMT_WHILE: return some_leave(st->while_.body);
    case STMT_BLOCK:
    case STMT_RESIDENT: return some_leave(st->block.block);
    case STMT_LET: case STMT_ASSIGN: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT: case STMT_SHARED:
    case STMT_BARRIER: case STMT_WAIT: case STMT_ERROR: case STMT_RETURN: case STMT_BREAK: case STMT_CONTINUE:
    case STMT__COUNT: break;
    }
    return false;
}

static bool some_leave(const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (some_leave_here(b->stmts.at[i])) return true;
    return false;
}

/* Segments --------------------------------------------------------------------------------------------------------- */

static Parts *cut_block(Plan *p, const Block *b);

static Part *part_new(Plan *p, Parts *to, PartKind kind, Stmt *st) {
    Part part = {.kind = kind, .stmt = st, .number = -1};
    vec_push(p->arena, &to->at, part);
    return &to->at.at[to->at.n - 1];
}

static bool is_once(const Plan *p, const Stmt *st) {
    if (st->kind == STMT_LET) return p->once[st->let.sym->id];
    if (st->kind != STMT_ASSIGN || st->assign.target->kind != EXPR_NAME) return false;
    const Symbol *sym = st->assign.target->name.sym;
    return sym->kind == SYM_LOCAL && p->once[sym->id];
}

/* A declaration without reads of memory is moved before the items of the segment that is open, which then stays
 * whole. */
static void cut_once(Plan *p, Parts *to, Stmt *st, bool *open) {
    bool early = *open && st->kind == STMT_LET && !(st->let.init && group_is_placed(st->let.init));
    part_new(p, to, PART_ONCE, st);
    if (!early) {
        *open = false;
        return;
    }
    int last = to->at.n - 1;
    Part once = to->at.at[last];
    to->at.at[last] = to->at.at[last - 1];
    to->at.at[last - 1] = once;
}

/* Loop distribution ------------------------------------------------------------------------------------------------ */

static bool block_uses(const Block *b, int from, int to, const Symbol *sym) {
    for (int i = from; i < to; i++)
        if (stmt_find(b->stmts.at[i], is_symbol, (void *)sym)) return true;
    return false;
}

/* Would a variable of the open segment be expanded only because the segment ends at the statement p->at? */
static bool is_needed_beyond(const Plan *p, const Stmt *st) {
    if (st->kind != STMT_LET || p->once[st->let.sym->id]) return false;
    const Type *t = st->let.sym->type;
    bool is_plain = !st->let.is_var && st->let.init && (t->is_int || t->kind == TY_BOOL);
    if (is_plain && !group_is_placed(st->let.init)) return false; /* rematerialised */
    const Block *b = p->around;
    int end = p->at;
    while (end < b->stmts.n && !b->stmts.at[end]->together) end++;
    return block_uses(b, p->at, end, st->let.sym) && !block_uses(b, end, b->stmts.n, st->let.sym);
}

/* `if i.local == 0 { }` among other statements: in a loop of its own over the items that the condition is true of
 * (group_narrow.c), it needs no mask. Legal because between barriers items are unordered. */
static bool stands_apart(const Plan *p, const Part *open, const Stmt *st) {
    bool is_guard = st->kind == STMT_IF && !st->if_.else_ && p->around && cg_allows(p->f->cg, GROUP_NARROW);
    if (!is_guard || is_exit(st, 0) || !group_narrows(p, st->if_.cond)) return false;
    for (int i = 0; open && i < open->items.n; i++)
        if (is_needed_beyond(p, open->items.at[i])) return false;
    return true;
}

static void cut(Plan *p, Parts *to, Stmt *st, bool *open) {
    if (!st->together && is_once(p, st)) {
        cut_once(p, to, st, open);
        return;
    }
    if (st->kind == STMT_SHARED) return;
    const Worksharing *shared = group_worksharing(p, st);
    const Strided *strided = p->cuts_rounds && !shared ? group_strided(p, st) : NULL;
    if (shared || strided) {
        Part *part = part_new(p, to, shared ? PART_WORKSHARING : PART_ROUNDS, NULL);
        part->shared = shared;
        part->strided = strided;
        vec_push(p->arena, &part->items, st);
        p->has_rounds = p->has_rounds || strided;
        *open = false;
        return;
    }
    if (!st->together) {
        bool apart = stands_apart(p, *open ? &to->at.at[to->at.n - 1] : NULL, st);
        Part *part = *open && !apart ? &to->at.at[to->at.n - 1] : part_new(p, to, PART_ITEMS, NULL);
        *open = !apart;
        vec_push(p->arena, &part->items, st);
        part->leaves = part->leaves || is_exit(st, 0);
        return;
    }
    *open = false;
    switch (st->kind) {
    case STMT_IF: {
        Parts *then_ = cut_block(p, st->if_.then_), *else_ = NULL;
        if (st->if_.else_) {
            else_ = arena_new(p->arena, Parts);
            bool fresh = false;
            cut(p, else_, st->if_.else_, &fresh);
        }
        Part *part = part_new(p, to, PART_IF, st);
        part->then_ = then_;
        part->else_ = else_;
        return;
    }
    case STMT_FOR: {
        Parts *body = cut_block(p, st->for_.body);
        part_new(p, to, PART_FOR, st)->then_ = body;
        return;
    }
    case STMT_WHILE: {
        Parts *body = cut_block(p, st->while_.body);
        part_new(p, to, PART_WHILE, st)->then_ = body;
        return;
    }
    case STMT_BLOCK:
    case STMT_RESIDENT: {
        Parts *body = cut_block(p, st->block.block);
        part_new(p, to, PART_BLOCK, st)->then_ = body;
        return;
    }
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_RETURN: part_new(p, to, PART_JUMP, st); return;
    case STMT_BARRIER:
        if (p->f->cg->shadows) part_new(p, to, PART_BARRIER, st);
        return;
    case STMT_LET: case STMT_ASSIGN: case STMT_ATOMIC: case STMT_EXPR: case STMT_ASSERT:
    case STMT_SHARED: case STMT_WAIT: case STMT_ERROR: case STMT__COUNT: return;
    }
}

static Parts *cut_block(Plan *p, const Block *b) {
    Parts *parts = arena_new(p->arena, Parts);
    parts->block = b;
    bool open = false;
    for (int i = 0; i < b->stmts.n; i++) {
        p->around = b;
        p->at = i;
        cut(p, parts, b->stmts.at[i], &open);
    }
    p->around = NULL;
    return parts;
}

/* Numbers the segments in source order. */
static void number(Plan *p, Parts *parts) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        Part *part = &parts->at.at[i];
        bool returns_values = part->kind == PART_JUMP && part->stmt->kind == STMT_RETURN && part->stmt->return_.value;
        bool is_segment =
            part->kind == PART_ITEMS || part->kind == PART_ROUNDS || part->kind == PART_WORKSHARING;
        if (is_segment || returns_values) part->number = p->n_parts++;
        number(p, part->then_);
        number(p, part->else_);
    }
}

/* Variables that are live across segments -------------------------------------------------------------------------- */

typedef struct Homes {
    Plan *p;
    int *home;
    int here;  /* number of the segment; -1: between segments */
    const Symbol *own; /* the variable of a strided loop, private to the segment wherever it is declared */
} Homes;

static void find_homes(Homes *h, const Parts *parts) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        const Part *part = &parts->at.at[i];
        for (int k = 0; k < part->items.n; k++) {
            const Stmt *st = part->items.at[k];
            if (st->kind != STMT_LET) continue;
            h->home[st->let.sym->id] = part->number + 1;
            h->p->symbols[st->let.sym->id] = st->let.sym;
            if (group_is_again(h->p, part, k)) vec_push(h->p->arena, &h->p->again, (Stmt *)st);
        }
        find_homes(h, part->then_);
        find_homes(h, part->else_);
    }
}

static bool record_use(Expr *e, void *context) {
    Homes *h = context;
    if (e->kind != EXPR_NAME || !e->name.sym || e->name.sym->id < 0) return false;
    int id = e->name.sym->id;
    if (h->home[id] && e->name.sym != h->own && h->home[id] != h->here + 1) h->p->kept[id] = true;
    return false;
}

static void use_range(Homes *h, const Range *r) {
    expr_find(r->lo, record_use, h);
    expr_find(r->hi, record_use, h);
    expr_find(r->step, record_use, h);
}

static void find_uses(Homes *h, const Parts *parts) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        const Part *part = &parts->at.at[i];
        h->here = part->number;
        switch (part->kind) {
        case PART_ITEMS:
        case PART_ROUNDS:
        case PART_WORKSHARING:
            h->own = part->strided && part->strided->is_own ? part->strided->var : NULL;
            if (part->shared) h->own = part->shared->own;
            for (int k = 0; k < part->items.n; k++) stmt_find(part->items.at[k], record_use, h);
            h->own = NULL;
            break;
        case PART_ONCE:
        case PART_JUMP: stmt_find(part->stmt, record_use, h); break;
        case PART_IF: expr_find(part->stmt->if_.cond, record_use, h); break;
        case PART_FOR: use_range(h, &part->stmt->for_.binder.range); break;
        case PART_WHILE: expr_find(part->stmt->while_.cond, record_use, h); break;
        case PART_BLOCK:
        case PART_BARRIER: break;
        }
        find_uses(h, part->then_);
        find_uses(h, part->else_);
    }
}

/* True if a condition between segments reads the variable; that needs the first item's element, so the variable must be
 * expanded. */
static bool read_between(const Parts *parts, const Symbol *sym) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        const Part *part = &parts->at.at[i];
        void *s = (void *)sym;
        bool found = false;
        switch (part->kind) {
        case PART_ITEMS:
        case PART_ROUNDS:
        case PART_WORKSHARING: break;
        case PART_ONCE:
        case PART_JUMP: found = stmt_find(part->stmt, is_symbol, s); break;
        case PART_IF: found = expr_find(part->stmt->if_.cond, is_symbol, s); break;
        case PART_FOR: {
            const Range *r = &part->stmt->for_.binder.range;
            found = expr_find(r->lo, is_symbol, s) || expr_find(r->hi, is_symbol, s);
            found = found || expr_find(r->step, is_symbol, s);
            break;
        }
        case PART_WHILE: found = expr_find(part->stmt->while_.cond, is_symbol, s); break;
        case PART_BLOCK:
        case PART_BARRIER: break;
        }
        if (found || read_between(part->then_, sym) || read_between(part->else_, sym)) return true;
    }
    return false;
}

static void keep_some_again(Plan *p) {
    int n = 0;
    bool all = true;
    for (int i = 0; i < p->again.n && all; i++) { /* later ones may use earlier ones */
        Stmt *st = p->again.at[i];
        int id = st->let.sym->id;
        all = !p->kept[id] || !read_between(p->body, st->let.sym);
        if (!all) break;
        p->kept[id] = false;
        p->again.at[n++] = st;
    }
    p->again.n = n;
}

typedef struct Uses {
    const Symbol *sym;
    int named, indexed;
} Uses;

static bool count_uses(Expr *e, void *context) {
    Uses *u = context;
    u->named += is_symbol(e, (void *)u->sym);
    u->indexed += e->kind == EXPR_INDEX && !expr_is_slice(e) && is_symbol(e->index.base, (void *)u->sym);
    return false;
}

static bool only_elements(const Plan *p, const Symbol *sym) {
    Uses u = {.sym = sym};
    const Block *body = p->func->item->fn.body;
    for (int i = 0; i < body->stmts.n; i++) stmt_find(body->stmts.at[i], count_uses, &u);
    return u.named == u.indexed;
}

static void find_returns(Plan *p, const Parts *parts) {
    for (int i = 0; parts && i < parts->at.n; i++) {
        const Part *part = &parts->at.at[i];
        for (int k = 0; k < part->items.n; k++)
            if (stmt_holds(part->items.at[k], STMTS_RETURN) && part->number < p->first_return)
                p->first_return = part->number;
        find_returns(p, part->then_);
        find_returns(p, part->else_);
    }
}

static int64_t bytes_of(const Symbol *sym) {
    if (sym->type->kind != TY_ARRAY) return type_size_bytes(sym->type);
    int64_t bytes = type_size_bytes(sym->type->elem);
    for (int d = 0; d < sym->type->rank; d++) bytes *= frame_facts(sym)->extents[d];
    return bytes;
}

int64_t group_kept_bytes(const Plan *p) {
    int64_t bytes = 0;
    for (int id = 0; id < p->func->n_symbols; id++)
        if (p->kept[id]) bytes += bytes_of(p->symbols[id]);
    return bytes * p->func->group.items;
}

static void plan(Plan *p, CgFunc *f, bool cuts_rounds) {
    Arena *arena = &f->cg->c->arena;
    const Func *fn = f->func;
    *p = (Plan){.f = f, .arena = arena, .func = fn, .cuts_rounds = cuts_rounds};
    p->rates = rates_along(arena, fn, fn->domain.n - 1, NULL);
    p->once = arena_array(arena, bool, fn->n_symbols + 1);
    p->kept = arena_array(arena, bool, fn->n_symbols + 1);
    p->symbols = arena_array(arena, Symbol *, fn->n_symbols + 1);
    p->home = arena_array(arena, int, fn->n_symbols + 1);
    p->apart = arena_array(arena, bool, fn->n_symbols + 1);
    const Block *body = fn->item->fn.body;
    p->leaves = some_leave(body);
    candidates(p, body);
    Demotion d = {.p = p};
    do {
        d.changed = false;
        demote_in_block(&d, body, true);
    } while (d.changed);
    p->body = cut_block(p, body);
    number(p, p->body);
    Homes h = {.p = p, .home = p->home};
    find_homes(&h, p->body);
    find_uses(&h, p->body);
    keep_some_again(p);
    for (int id = 0; id < fn->n_symbols; id++)
        p->apart[id] = p->kept[id] && p->symbols[id]->type->kind == TY_ARRAY && only_elements(p, p->symbols[id]) &&
                       !(f->cg->shadows && symbol_is_shadowed(p->symbols[id]));
    p->first_return = p->n_parts;
    find_returns(p, p->body);
}

void group_plan(Plan *p, CgFunc *f) {
    plan(p, f, !f->cg->shadows);
    if (!group_rounds_fit(p)) plan(p, f, false);
}
