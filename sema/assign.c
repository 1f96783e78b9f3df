/* assign.c -- definite assignment and use after move: a dataflow analysis over each body, in the order of execution.
 * It finds reads before assignment (E0406), `&out` read before it is written (E0408), uses after a move (E0407), and
 * paths that return no result (E0314). Of a `shared` array, some work item writes what others read: a write on some
 * path to the read is enough, or one anywhere in a loop around it.
 *
 * A state is three bit sets over the variables that can go wrong: `set` (has a value on every path to here), `moved`
 * (was moved away on some path) and `fresh` (got a new value on every path since the innermost loop began). Each loop
 * is walked only once. What one iteration moves, the next iteration meets where the body uses it without `fresh`; so
 * each loop notes its first such use of each variable, and at its end reports those that were moved. The analysis is
 * therefore linear, however deeply loops are nested. */
#include <string.h>

#include "parser/children.h"
#include "sema/check.h"

typedef struct State {
    struct State *next_free;
    bool dead;       /* unreachable: the neutral element of the join */
    uint64_t bits[]; /* set, moved, fresh; n_words each */
} State;

typedef struct Loop {
    struct Loop *outer;
    State *breaks, *again; /* joined from break, and from continue and the end of the body */
    Span *met;             /* by slot: the first use that reads what the previous iteration left */
} Loop;

typedef struct Flow {
    Sema *s;
    Func *func;
    int n_slots, n_words;
    int *slot_of;    /* by symbol id; -1: nothing can go wrong */
    uint64_t *shared; /* n_words: the slots of `shared` arrays */
    Symbol **symbol; /* by slot */
    bool *told;      /* by slot: a read before its first value was reported */
    Span *moved_at;  /* by slot: the last move */
    Span *launched_at; /* by slot: a launch that may have written it */
    State *now, *free_states;
    Vec(Span *) free_spans;
    Loop *loop;
} Flow;

enum { SET, MOVED, FRESH };

/* Bits -------------------------------------------------------------------------------------------------------- */

static uint64_t *word(const Flow *f, State *st, int set, int slot) { return &st->bits[set * f->n_words + slot / 64]; }
static bool has(const Flow *f, State *st, int set, int slot) { return *word(f, st, set, slot) >> (slot % 64) & 1; }
static void put(const Flow *f, State *st, int set, int slot, bool on) {
    uint64_t bit = UINT64_C(1) << (slot % 64);
    if (on) *word(f, st, set, slot) |= bit;
    else *word(f, st, set, slot) &= ~bit;
}

static size_t bits_bytes(const Flow *f) { return sizeof(uint64_t) * 3 * (size_t)f->n_words; }

static State *state_new(Flow *f) {
    State *st = f->free_states;
    if (st) f->free_states = st->next_free;
    else st = arena_alloc(f->s->arena, sizeof(State) + bits_bytes(f));
    memset(st->bits, 0, bits_bytes(f));
    st->dead = true;
    return st;
}

static State *state_copy(Flow *f, const State *from) {
    State *st = state_new(f);
    memcpy(st->bits, from->bits, bits_bytes(f));
    st->dead = from->dead;
    return st;
}

static void state_drop(Flow *f, State *st) {
    st->next_free = f->free_states;
    f->free_states = st;
}

/* Both paths meet in `into`. */
static void state_join(Flow *f, State *into, const State *from) {
    if (from->dead) return;
    if (into->dead) {
        memcpy(into->bits, from->bits, bits_bytes(f));
        into->dead = false;
        return;
    }
    for (int i = 0; i < f->n_words; i++) {
        uint64_t a = into->bits[SET * f->n_words + i], b = from->bits[SET * f->n_words + i];
        into->bits[SET * f->n_words + i] = (a & b) | ((a | b) & f->shared[i]);
        into->bits[MOVED * f->n_words + i] |= from->bits[MOVED * f->n_words + i];
        into->bits[FRESH * f->n_words + i] &= from->bits[FRESH * f->n_words + i];
    }
}

/* Events ------------------------------------------------------------------------------------------------------ */

static int slot_of(const Flow *f, const Symbol *sym) {
    return sym && sym->func == f->func && sym->id >= 0 ? f->slot_of[sym->id] : -1;
}

static void used_after_move(Flow *f, int slot, Span at, bool next_turn) {
    const Symbol *sym = own_whole(f->symbol[slot]);
    Diag *d = diag(f->s->c, E0407, at,
                   next_turn ? "`%s` was moved in an earlier iteration of the loop and can no longer be used"
                             : "`%s` was moved and can no longer be used",
                   sym->name);
    diag_note(f->s->c, d, f->moved_at[slot], "it is moved here");
    diag_fix(f->s->c, d, f->moved_at[slot], arena_printf(f->s->arena, "copy(&%s)", sym->name),
             "copy it there to keep using it");
}

/* The array must not have been moved away; its elements do not matter. */
static void touch(Flow *f, const Symbol *sym, Span at) {
    int slot = slot_of(f, sym);
    if (slot < 0 || f->now->dead) return;
    if (f->loop && !has(f, f->now, FRESH, slot) && !f->loop->met[slot].hi) f->loop->met[slot] = at;
    if (!has(f, f->now, MOVED, slot)) return;
    used_after_move(f, slot, at, false);
    for (int i = 0; i < f->n_slots; i++) /* said once */
        if (own_whole(f->symbol[i]) == own_whole(sym)) put(f, f->now, MOVED, i, false);
}

static void use(Flow *f, const Symbol *sym, Span at) {
    touch(f, sym, at);
    int slot = slot_of(f, sym);
    if (slot < 0 || f->now->dead || has(f, f->now, SET, slot) || f->told[slot]) return;
    f->told[slot] = true;
    const char *mode = sym->is_shared ? "shared" : sym->mode == REF_OUT ? "&out" : "&scratch";
    bool out = sym->is_shared || sym->kind == SYM_PARAM;
    Diag *d = out ? diag(f->s->c, E0408, at, "`%s` is `%s` and must be written before it is read", sym->name, mode)
                  : diag(f->s->c, E0406, at, "`%s` is not assigned on every path to this use", sym->name);
    note_declared(f->s, d, sym);
    if (sym->is_shared) diag_note(f->s->c, d, at, "give its elements a first value, and write `barrier;` after it");
    if (f->launched_at[slot].hi)
        diag_note(f->s->c, d, f->launched_at[slot],
                  "an empty domain would leave it unset; initialise it first");
    put(f, f->now, SET, slot, true);
}

/* A struct that owns arrays has a value if all of its fields have; the first field without one is reported for the
 * struct. */
static void use_whole(Flow *f, const Symbol *sym, Span at) {
    if (!sym || !sym->parts) use(f, sym, at);
    for (int i = 0; sym && i < sym->n_parts; i++) use_whole(f, sym->parts[i], at);
}

static void move_whole(Flow *f, const Symbol *sym, Span at) {
    for (int i = 0; i < sym->n_parts; i++) move_whole(f, sym->parts[i], at);
    int slot = slot_of(f, sym);
    if (slot < 0) return;
    put(f, f->now, MOVED, slot, true);
    f->moved_at[slot] = at;
}

static void give_value(Flow *f, const Symbol *sym) {
    for (int i = 0; sym && i < sym->n_parts; i++) give_value(f, sym->parts[i]);
    int slot = slot_of(f, sym);
    if (slot < 0) return;
    put(f, f->now, SET, slot, true);
    put(f, f->now, MOVED, slot, false);
    put(f, f->now, FRESH, slot, true);
}

static void give_element(Flow *f, const Symbol *sym) {
    int slot = slot_of(f, sym);
    if (slot >= 0) put(f, f->now, SET, slot, true);
}

/* Expressions ------------------------------------------------------------------------------------------------- */

static void flow_expr(Flow *f, Expr *e);
static void flow_list(Flow *f, ExprList *list);

static void flow_maybe(Flow *f, Expr *e) {
    State *skipped = state_copy(f, f->now);
    flow_expr(f, e);
    state_join(f, f->now, skipped);
    state_drop(f, skipped);
}

static void flow_children(Flow *f, Children all) {
    for (Expr *x; (x = child_expr(&all));) flow_expr(f, x);
}

static bool asks_extent(const Expr *e) {
    const CallInfo *info = e->call.info;
    return info && info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE);
}

/* After a call of a function its `&out` arguments have values; after a launch only if the domain is not empty. */
static void give_passed(Flow *f, const Expr *e, const Arg *a) {
    const Symbol *sym = expr_array_symbol(a->value);
    int slot = slot_of(f, sym);
    bool maybe = e->call.info && e->call.info->kind == CALL_FUNC && e->call.info->func->is_kernel;
    if (!maybe || (sym && sym->type->kind == TY_ARRAY)) give_element(f, sym);
    else if (slot >= 0 && !has(f, f->now, SET, slot)) f->launched_at[slot] = a->span;
}

static void flow_owned(Flow *f, Expr *e);

static void flow_call(Flow *f, Expr *e) {
    ArgList *args = &e->call.args;
    if (e->call.info && e->call.info->kind == CALL_BUILD && type_owns(e->type)) {
        for (int i = 0; i < args->n; i++) flow_owned(f, args->at[i].value);
        return;
    }
    if (e->call.info && e->call.info->receiver) flow_expr(f, e->call.info->receiver);
    for (int i = 0; i < args->n; i++) {
        Expr *x = args->at[i].value;
        bool slice = expr_is_slice(x), named = slice || x->kind == EXPR_NAME;
        bool array = x->type && x->type->kind == TY_ARRAY;
        const Symbol *root = named ? expr_array_symbol(x) : NULL;
        bool gives = args->at[i].mode == REF_OUT || (args->at[i].mode == REF_MUT && root && root->is_shared);
        if (named && (gives || (array && asks_extent(e)))) {
            if (slice) flow_list(f, &x->index.at);
            touch(f, root, x->span);
            if (root->is_shared && gives) give_element(f, root);
        } else {
            flow_expr(f, x);
        }
    }
    for (int i = 0; i < args->n; i++)
        if (args->at[i].mode == REF_OUT) give_passed(f, e, &args->at[i]);
}

static void flow_list(Flow *f, ExprList *list) {
    for (int i = 0; i < list->n; i++) flow_expr(f, list->at[i]);
}

static void flow_if_expr(Flow *f, Expr *e) {
    flow_expr(f, e->if_.cond);
    State *other = state_copy(f, f->now);
    flow_expr(f, e->if_.then_);
    State *then = f->now;
    f->now = other;
    flow_expr(f, e->if_.else_);
    state_join(f, f->now, then);
    state_drop(f, then);
}

static void flow_binary(Flow *f, Expr *e) {
    flow_expr(f, e->binary.lhs);
    if (op_info[e->binary.op].kind == OPK_LOGIC) flow_maybe(f, e->binary.rhs);
    else flow_expr(f, e->binary.rhs);
}

static void flow_expr(Flow *f, Expr *e) {
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR__COUNT: break;
    case EXPR_NAME: use_whole(f, e->name.sym, e->span); break;
    case EXPR_UNARY:
    case EXPR_FIELD:
    case EXPR_FILL:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_OFFLOAD:
    case EXPR_ATOMIC:
    case EXPR_CONVERT: flow_children(f, expr_children(e)); break;
    case EXPR_BINARY: flow_binary(f, e); break;
    case EXPR_CALL: flow_call(f, e); break;
    case EXPR_INDEX:
        flow_list(f, &e->index.at);
        flow_expr(f, e->index.base);
        break;
    case EXPR_IF: flow_if_expr(f, e); break;
    case EXPR_COMPREHEND:
        for (int i = 0; i < e->comprehend.binders.n; i++)
            flow_children(f, range_children(&e->comprehend.binders.at[i].range));
        flow_maybe(f, e->comprehend.value);
        break;
    }
}

/* An array that is named where it gets a new owner is moved out of its variable. */
static void flow_owned(Flow *f, Expr *e) {
    flow_expr(f, e);
    if (e->kind != EXPR_NAME || (e->type->kind != TY_ARRAY && !type_owns(e->type))) return;
    move_whole(f, e->name.sym, e->span);
}

/* Statements -------------------------------------------------------------------------------------------------- */

static void flow_block(Flow *f, Block *b);
static void flow_stmt(Flow *f, Stmt *st);

static void flow_let(Flow *f, Stmt *st) {
    if (st->let.init) flow_owned(f, st->let.init);
    if (st->let.init) give_value(f, st->let.sym);
    int slot = slot_of(f, st->let.sym);
    if (slot < 0 || st->let.init) return;
    put(f, f->now, SET, slot, false);
    put(f, f->now, FRESH, slot, true);
}

/* x[i].w[k] = v: the indices on the path to the element, and the variable at its root. */
static void flow_place(Flow *f, Expr *e) {
    if (e->kind == EXPR_FIELD) flow_place(f, e->field.base);
    if (e->kind != EXPR_INDEX) return;
    flow_place(f, e->index.base);
    flow_list(f, &e->index.at);
}

/* p.w[k] = v; p.w = a; -- the elements are copied. */
static void flow_part(Flow *f, Expr *target, Expr *value) {
    flow_place(f, target);
    flow_expr(f, value);
    const Symbol *root = expr_root(target);
    const Expr *in = target->kind == EXPR_INDEX ? expr_whole(target->index.base) : expr_whole(target);
    if (in->kind == EXPR_NAME) {
        use(f, root, target->span);
    } else {
        touch(f, root, target->span);
        give_element(f, root);
    }
}

static void flow_assign(Flow *f, Stmt *st) {
    Expr *target = expr_whole(st->assign.target);
    bool is_part = target != st->assign.target;
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (is_part && target->kind == EXPR_NAME) use(f, target->name.sym, target->span); /* the rest must be there */
    if (expr_fixed_field(target->kind == EXPR_INDEX ? target->index.base : st->assign.target)) {
        flow_part(f, target, st->assign.value);
        return;
    }
    if (target->kind == EXPR_INDEX) flow_list(f, &target->index.at);
    Expr *base = target->kind == EXPR_INDEX ? target->index.base : target;
    if (!plain) flow_expr(f, base);
    flow_owned(f, st->assign.value);
    if (base->kind != EXPR_NAME) return;
    if (target->kind == EXPR_INDEX) {
        touch(f, base->name.sym, base->span);
        give_element(f, base->name.sym);
    } else if (plain && !is_part) {
        give_value(f, base->name.sym);
    }
}

static void flow_if(Flow *f, Stmt *st) {
    flow_expr(f, st->if_.cond);
    State *other = state_copy(f, f->now);
    flow_block(f, st->if_.then_);
    State *then = f->now;
    f->now = other;
    if (st->if_.else_) flow_stmt(f, st->if_.else_);
    state_join(f, f->now, then);
    state_drop(f, then);
}

static Span *spans_new(Flow *f) {
    Span *spans = f->free_spans.n ? f->free_spans.at[--f->free_spans.n] : arena_array(f->s->arena, Span, f->n_slots);
    if (f->n_slots) memset(spans, 0, sizeof(Span) * (size_t)f->n_slots);
    return spans;
}

/* Only the first field of a struct is reported. */
static void once_of_whole(Flow *f, const Loop *loop, int slot, State *entry) {
    for (int i = 0; i < slot; i++)
        if (own_whole(f->symbol[i]) == own_whole(f->symbol[slot]) && loop->met[i].hi && !has(f, entry, MOVED, i) &&
            has(f, loop->again, MOVED, i))
            return;
    used_after_move(f, slot, loop->met[slot], true);
}

/* Reports what one iteration moved and the next one uses; uses in this loop are also uses in the loop around it. */
static void loop_turns(Flow *f, Loop *loop, State *entry) {
    for (int slot = 0; slot < f->n_slots; slot++) {
        if (!loop->met[slot].hi) continue;
        if (!loop->again->dead && has(f, loop->again, MOVED, slot) && !has(f, entry, MOVED, slot))
            once_of_whole(f, loop, slot, entry);
        if (loop->outer && !has(f, entry, FRESH, slot) && !loop->outer->met[slot].hi)
            loop->outer->met[slot] = loop->met[slot];
    }
}

/* A `for` over the extent of an array that assigns `&out`, or an array declared without a value, counts as executed:
 * if it was not, the array has no elements to read. */
static void count_for_as_run(Flow *f, State *exit, State *turned) {
    if (exit->dead || turned->dead) return;
    for (int slot = 0; slot < f->n_slots; slot++)
        if (f->symbol[slot]->type->kind == TY_ARRAY && has(f, turned, SET, slot)) put(f, exit, SET, slot, true);
}

static void loop_leave(Flow *f, Loop *loop, State *entry, State *exit) {
    for (int i = 0; i < f->n_words; i++) {
        if (!exit->dead && !loop->again->dead)
            exit->bits[MOVED * f->n_words + i] |= loop->again->bits[MOVED * f->n_words + i];
    }
    state_join(f, loop->breaks, exit);
    state_drop(f, exit);
    State *after = loop->breaks; /* `fresh` since the loop around began: also what was so before this loop */
    for (int i = 0; i < f->n_words; i++) after->bits[FRESH * f->n_words + i] |= entry->bits[FRESH * f->n_words + i];
    f->now = after;
}

static bool writes_shared(const Stmt *st, const Symbol *sym);

static bool block_writes(const Block *b, const Symbol *sym) {
    for (int i = 0; i < b->stmts.n; i++)
        if (writes_shared(b->stmts.at[i], sym)) return true;
    return false;
}

static bool is_store(const Expr *e) {
    if (e->kind != EXPR_ATOMIC || e->atomic.was) return false;
    return e->atomic.op == OP_NONE && !e->atomic.is_min && !e->atomic.is_max;
}

static bool passes(Expr *e, void *sym) {
    if (is_store(e)) return expr_root(e->atomic.target) == sym;
    for (int i = 0; e->kind == EXPR_CALL && i < e->call.args.n; i++) {
        const Arg *a = &e->call.args.at[i];
        if ((a->mode == REF_OUT || a->mode == REF_MUT) && expr_array_symbol(a->value) == sym) return true;
    }
    return false;
}

/* Whether it gives an element a value that is not made of the old one. */
static bool writes_shared(const Stmt *st, const Symbol *sym) {
    bool plain = st->kind == STMT_ASSIGN && st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max;
    if (plain && expr_root(st->assign.target) == sym) return true;
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));)
        if (expr_find(x, passes, (void *)sym)) return true;
    for (Stmt *x; (x = child_stmt(&all));)
        if (writes_shared(x, sym)) return true;
    return false;
}

static void flow_loop(Flow *f, Expr *cond, Block *body) {
    for (int i = 0; i < f->n_slots; i++) /* an earlier iteration may have written it */
        if (f->symbol[i]->is_shared && block_writes(body, f->symbol[i])) put(f, f->now, SET, i, true);
    State *entry = state_copy(f, f->now);
    Loop loop = {.outer = f->loop, .breaks = state_new(f), .again = state_new(f), .met = spans_new(f)};
    f->loop = &loop;
    memset(&f->now->bits[FRESH * f->n_words], 0, sizeof(uint64_t) * (size_t)f->n_words);
    if (cond) flow_expr(f, cond);
    State *exit = state_copy(f, f->now);
    if (cond && cond->konst.kind == CONST_BOOL && cond->konst.i) exit->dead = true; /* while true */
    flow_block(f, body);
    state_join(f, loop.again, f->now);
    state_drop(f, f->now);
    f->loop = loop.outer;
    loop_turns(f, &loop, entry);
    if (!cond) count_for_as_run(f, exit, loop.again);
    loop_leave(f, &loop, entry, exit);
    state_drop(f, loop.again);
    state_drop(f, entry);
    vec_push(f->s->arena, &f->free_spans, loop.met);
}

static void flow_jump(Flow *f, State *to) {
    state_join(f, to, f->now);
    f->now->dead = true;
}

static bool ends_program(const Expr *e) {
    return e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
           e->call.info->builtin == BUILTIN_EXIT;
}

/* After the call the variable of the caller must have a value. Elements of arrays had values before. */
static void check_given(Flow *f, Span at) {
    if (f->now->dead || f->func->is_kernel) return;
    for (int slot = 0; slot < f->n_slots; slot++) {
        Symbol *sym = f->symbol[slot];
        if (sym->kind != SYM_PARAM || sym->type->kind == TY_ARRAY || has(f, f->now, SET, slot)) continue;
        Diag *d = diag(f->s->c, E0417, at, "`%s` can end here without assigning `%s`, which is `&out`",
                       f->func->name, sym->name);
        note_declared(f->s, d, sym);
        put(f, f->now, SET, slot, true); /* said once */
    }
}

static void flow_assert(Flow *f, Stmt *st) {
    flow_expr(f, st->assert_.cond);
    State *passed = state_copy(f, f->now);
    for (int i = 0; i < st->assert_.args.n; i++) flow_expr(f, st->assert_.args.at[i].value);
    state_drop(f, f->now);
    f->now = passed;
}

/* `atomic x[i] = v;` writes, and reads nothing. */
static void flow_atomic(Flow *f, Expr *e) {
    Expr *target = e->atomic.target;
    Expr *base = target->kind == EXPR_INDEX ? target->index.base : target;
    if (!is_store(e) || base->kind != EXPR_NAME) {
        flow_expr(f, e);
        return;
    }
    if (target->kind == EXPR_INDEX) flow_list(f, &target->index.at);
    flow_expr(f, e->atomic.value);
    touch(f, base->name.sym, base->span);
    give_element(f, base->name.sym);
}

static void flow_stmt(Flow *f, Stmt *st) {
    switch (st->kind) {
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    case STMT_LET: flow_let(f, st); break;
    case STMT_ASSIGN: flow_assign(f, st); break;
    case STMT_ATOMIC: flow_atomic(f, st->atomic.atomic); break;
    case STMT_EXPR:
        flow_expr(f, st->expr.expr);
        if (ends_program(st->expr.expr)) f->now->dead = true;
        break;
    case STMT_IF: flow_if(f, st); break;
    case STMT_FOR:
        flow_children(f, stmt_children(st)); /* the bounds */
        flow_loop(f, NULL, st->for_.body);
        break;
    case STMT_WHILE: flow_loop(f, st->while_.cond, st->while_.body); break;
    case STMT_BREAK:
        if (f->loop) flow_jump(f, f->loop->breaks);
        break;
    case STMT_CONTINUE:
        if (f->loop) flow_jump(f, f->loop->again);
        break;
    case STMT_RETURN:
        if (st->return_.value) flow_owned(f, st->return_.value);
        check_given(f, st->span);
        f->now->dead = true;
        break;
    case STMT_ASSERT: flow_assert(f, st); break;
    case STMT_BLOCK:
    case STMT_RESIDENT: flow_block(f, st->block.block); break;
    }
}

static void flow_block(Flow *f, Block *b) {
    for (int i = 0; i < b->stmts.n; i++) flow_stmt(f, b->stmts.at[i]);
}

/* The function ------------------------------------------------------------------------------------------------ */

static void track(Flow *f, Symbol *sym) {
    if (sym->id < 0 || f->slot_of[sym->id] >= 0) return;
    f->slot_of[sym->id] = f->n_slots;
    f->symbol[f->n_slots++] = sym;
}

static void choose_slots(Flow *f) {
    Func *func = f->func;
    f->slot_of = arena_array(f->s->arena, int, func->n_symbols);
    f->symbol = arena_array(f->s->arena, Symbol *, func->n_symbols);
    for (int i = 0; i < func->n_symbols; i++) f->slot_of[i] = -1;
    for (int i = 0; i < func->params.n; i++)
        if ((func->params.at[i]->mode == REF_OUT || func->params.at[i]->mode == REF_SCRATCH) &&
            !is_bad(func->params.at[i]->type))
            track(f, func->params.at[i]);
    for (int i = 0; i < func->facts->locals.n; i++) {
        Symbol *sym = func->facts->locals.at[i];
        if (sym->owns || sym->part_of || !sym->init) track(f, sym);
    }
    for (int i = 0; i < func->group.shared.n; i++) track(f, func->group.shared.at[i]);
    f->n_words = (f->n_slots + 63) / 64;
    f->shared = arena_array(f->s->arena, uint64_t, f->n_words);
    for (int i = 0; i < f->n_slots; i++)
        if (f->symbol[i]->is_shared) f->shared[i / 64] |= UINT64_C(1) << (i % 64);
    f->told = arena_array(f->s->arena, bool, f->n_slots);
    f->moved_at = arena_array(f->s->arena, Span, f->n_slots);
    f->launched_at = arena_array(f->s->arena, Span, f->n_slots);
}

static void check_end(Flow *f) {
    const Func *func = f->func;
    const Type *result = func->is_kernel ? func->item_result : func->result;
    if (f->now->dead || !result || result->kind == TY_VOID || is_bad(result)) return;
    Span body = func->item->fn.body->span, end = {body.hi - 1, body.hi};
    Diag *d = diag(f->s->c, E0314, end, "`%s` can end here without returning a value", func->name);
    Span where = func->is_kernel ? func->item->fn.reduce_span : func->facts->result_span;
    diag_note(f->s->c, d, where, "it must return `%s`", type_name(f->s->c, result));
}

void assign_check(Sema *s, Func *func) {
    Flow f = {.s = s, .func = func};
    choose_slots(&f);
    f.now = state_new(&f);
    f.now->dead = false;
    for (int i = 0; i < f.n_slots; i++)
        if (kept_facts(f.symbol[i])->is_older) put(&f, f.now, SET, i, true);
    flow_block(&f, func->item->fn.body);
    Span body = func->item->fn.body->span;
    check_given(&f, (Span){body.hi - 1, body.hi});
    check_end(&f);
}
