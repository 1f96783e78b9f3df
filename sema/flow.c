/* flow.c -- builds the event graph of flow.h from a checked body. Events are in the order in which the generated code
 * evaluates: indices before the array, arguments from left to right, then what the call does with them. */
#include <stdlib.h>
#include <string.h>

#include "parser/children.h"
#include "sema/flow.h"

typedef struct Builder {
    Sema *s;
    ArrayFlow *flow;
    FlowBlock *now;
    int loop;        /* innermost, -1: none */
    Stmt *resident;  /* innermost */
    int resident_no; /* the same, in ArrayFlow.residents */
    int *mark, marks; /* by slot: the number of the last search that found it; the number of searches so far */
    bool every_turn; /* the current code is executed in each iteration of the loop */
    struct LoopEnds {
        struct LoopEnds *outer;
        int again, done; /* blocks */
    } *ends;
} Builder;

static void build_expr(Builder *b, Expr *e);
static void build_list(Builder *b, const ExprList *list);
static void build_block(Builder *b, const Block *block);
static void build_stmt(Builder *b, Stmt *st);

/* Blocks ---------------------------------------------------------------------------------------------------------- */

static int block_new(Builder *b) {
    vec_push(b->s->arena, &b->flow->blocks, arena_new(b->s->arena, FlowBlock));
    return b->flow->blocks.n - 1;
}

static FlowBlock *block_at(Builder *b, int i) { return b->flow->blocks.at[i]; }

static void go(Builder *b, int to) {
    if (b->now->n_next < 2) b->now->next[b->now->n_next++] = to;
}

static void enter(Builder *b, int block) { b->now = block_at(b, block); }

/* The statements that follow in the text are unreachable. */
static void enter_nowhere(Builder *b) { enter(b, block_new(b)); }

/* Events ---------------------------------------------------------------------------------------------------------- */

static int slot_of(const Builder *b, const Symbol *sym) {
    return sym && sym->func == b->flow->func && sym->id >= 0 ? b->flow->slot_of[sym->id] : -1;
}

static Event *event_of_slot(Builder *b, EventKind kind, int slot, Expr *at, Span span) {
    if (slot < 0) return NULL;
    Event e = {.kind = kind, .slot = slot, .other = -1, .at = at, .span = span, .param = -1,
               .loop = b->loop, .every_turn = b->every_turn, .resident = b->resident, .resident_no = b->resident_no};
    vec_push(b->s->arena, &b->now->events, e);
    return &b->now->events.at[b->now->events.n - 1];
}

static Event *event(Builder *b, EventKind kind, Expr *name) {
    return event_of_slot(b, kind, slot_of(b, name->name.sym), name, name->span);
}

static bool is_array(const Expr *e) { return e->type && e->type->kind == TY_ARRAY; }

/* The variable that an expression reaches an array through. */
static Expr *array_name(Expr *e) {
    while (e->kind == EXPR_INDEX || e->kind == EXPR_FIELD) e = e->kind == EXPR_INDEX ? e->index.base : e->field.base;
    return e->kind == EXPR_NAME && is_array(e) ? e : NULL;
}

/* The indices on the path to an array that is a part of another one: x[k].v. */
static void build_way(Builder *b, Expr *array) {
    if (array->kind == EXPR_FIELD) build_way(b, array->field.base);
    if (array->kind != EXPR_INDEX) return;
    build_way(b, array->index.base);
    build_list(b, &array->index.at);
}

/* An array that a call returns is read here, and freed: f()[1]. */
static void read_made(Builder *b, Expr *call, bool is_element) {
    build_expr(b, call);
    Event *made = event_of_slot(b, EVENT_MAKE, b->flow->made, NULL, call->span);
    made->maker = call->call.info;
    event_of_slot(b, EVENT_READ, b->flow->made, call, call->span)->is_element = is_element;
}

static void touch(Builder *b, EventKind kind, Expr *array) {
    Expr *name = array_name(array);
    if (array->kind == EXPR_CALL && is_array(array)) {
        read_made(b, array, false);
        return;
    }
    if (!name) {
        build_expr(b, array);
        return;
    }
    build_way(b, array);
    event(b, kind, name);
}

/* reads: the old element is needed, for `a[i] += x` or for the fields that `a[i].x = 1` does not assign. */
static void write_element(Builder *b, Expr *array, bool reads) {
    if (array->kind == EXPR_NAME) {
        Event *e = event(b, EVENT_WRITE, array);
        if (!e) return;
        e->is_element = true;
        e->reads = reads;
        return;
    }
    if (reads) touch(b, EVENT_READ, array);
    touch(b, EVENT_WRITE, array);
}

static void read_element(Builder *b, Expr *array) {
    Event *e = array->kind == EXPR_NAME ? event(b, EVENT_READ, array) : NULL;
    if (e) e->is_element = true;
    else if (array->kind == EXPR_CALL) read_made(b, array, true);
    else if (array->kind != EXPR_NAME) touch(b, EVENT_READ, array);
}

static bool is_build(const Expr *e) {
    return e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILD && type_owns(e->type);
}

static bool is_owner_name(const Expr *e) { return e->kind == EXPR_NAME && (is_array(e) || type_owns(e->type)); }

/* The events before the new owner has the array. Named arrays are moved later, in hand_over. */
static void build_given(Builder *b, Expr *e) {
    if (is_owner_name(e)) return;
    if (!is_build(e)) build_expr(b, e);
    for (int i = 0; is_build(e) && i < e->call.args.n; i++) build_given(b, e->call.args.at[i].value);
}

static void leave_part(Symbol *part, void *builder) {
    Builder *b = builder;
    event_of_slot(b, EVENT_LEAVE, slot_of(b, part), NULL, part->span);
}

static void leave(Builder *b, const Expr *name) { own_each(name->name.sym, leave_part, b); }

/* The variable `to`, or each array of it if it is a struct, becomes the owner of the arrays of `from`. */
static void move_to(Builder *b, const Symbol *from, const Symbol *to, Expr *at) {
    for (int i = 0; i < to->n_parts; i++) move_to(b, from->parts[i], to->parts[i], at);
    int source = slot_of(b, from);
    Event *e = event_of_slot(b, EVENT_MOVE, slot_of(b, to), at, at->span);
    if (e) e->other = source;
    else event_of_slot(b, EVENT_LEAVE, source, at, at->span);
}

static void make_for(Builder *b, const Symbol *to, Expr *e, Expr *target) {
    for (int i = 0; i < to->n_parts; i++) make_for(b, to->parts[i], e, target);
    Event *made = event_of_slot(b, EVENT_MAKE, slot_of(b, to), target, e->span);
    if (made && e->kind == EXPR_CALL) made->maker = e->call.info;
    if (made && e->kind == EXPR_FILL) made->fill = e;
}

static void hand_over(Builder *b, Expr *e, const Symbol *to, Expr *target) {
    if (is_owner_name(e)) {
        move_to(b, e->name.sym, to, e);
    } else if (!is_build(e)) {
        make_for(b, to, e, target);
    } else {
        for (int i = 0; i < e->call.args.n; i++)
            hand_over(b, e->call.args.at[i].value, to->parts[e->call.info->part_of[i]], target);
    }
}

/* An array whose elements are copied: into a field with constant extents, or into a frame. */
static void copied(Builder *b, Expr *e) {
    if (e->kind == EXPR_NAME) event(b, EVENT_READ, e);
    else if (e->kind == EXPR_CALL) read_made(b, e, false);
    else build_expr(b, e);
}

/* A variable becomes the owner of the arrays that e returns. */
static void owned(Builder *b, Expr *e, Expr *target, const Symbol *sym) {
    if (frame_facts(sym)->in_frame) {
        copied(b, e); /* no launch sees it: functions that launch have no arrays in their frames */
        return;
    }
    build_given(b, e);
    hand_over(b, e, sym, target);
}

/* var a: [f32; 4]; has new memory in each iteration of a loop around it. */
static void declared(Builder *b, const Stmt *st) {
    int slot = slot_of(b, st->let.sym);
    Event made = {.kind = EVENT_MAKE, .slot = slot, .other = -1, .span = st->span, .param = -1, .loop = b->loop,
                  .every_turn = b->every_turn, .resident = b->resident, .resident_no = b->resident_no};
    if (slot >= 0) vec_push(b->s->arena, &b->now->events, made);
}

/* Expressions ----------------------------------------------------------------------------------------------------- */

static void build_list(Builder *b, const ExprList *list) {
    for (int i = 0; i < list->n; i++) build_expr(b, list->at[i]);
}

static void build_children(Builder *b, Children all) {
    for (Expr *x; (x = child_expr(&all));) build_expr(b, x);
}

/* A part that may be skipped. */
static void build_maybe(Builder *b, Expr *e) {
    bool every = b->every_turn;
    FlowBlock *from = b->now;
    int part = block_new(b);
    go(b, part);
    enter(b, part);
    b->every_turn = false;
    build_expr(b, e);
    b->every_turn = every;
    int done = block_new(b);
    go(b, done);
    if (from->n_next < 2) from->next[from->n_next++] = done;
    enter(b, done);
}

static void build_if_expr(Builder *b, Expr *e) {
    build_expr(b, e->if_.cond);
    bool every = b->every_turn;
    FlowBlock *from = b->now;
    int yes = block_new(b);
    from->next[from->n_next++] = yes;
    b->every_turn = false;
    enter(b, yes);
    build_expr(b, e->if_.then_);
    FlowBlock *after_yes = b->now;
    int no = block_new(b);
    from->next[from->n_next++] = no;
    enter(b, no);
    build_expr(b, e->if_.else_);
    int done = block_new(b);
    go(b, done);
    after_yes->next[after_yes->n_next++] = done;
    enter(b, done);
    b->every_turn = every;
}

static int loop_begin(Builder *b, Stmt *st, Expr *comprehension, bool counts) {
    int head = block_new(b);
    go(b, head);
    enter(b, head);
    FlowLoop loop = {.stmt = st, .comprehension = comprehension, .first = head, .counts = counts};
    vec_push(b->s->arena, &b->flow->loops, loop);
    b->loop = b->flow->loops.n - 1;
    b->every_turn = true;
    return head;
}

static void build_comprehension(Builder *b, Expr *e) {
    for (int i = 0; i < e->comprehend.binders.n; i++)
        build_children(b, range_children(&e->comprehend.binders.at[i].range));
    int outer = b->loop;
    bool every = b->every_turn;
    int head = loop_begin(b, NULL, e, true), loop = b->loop;
    FlowBlock *test = b->now;
    int body = block_new(b);
    go(b, body);
    enter(b, body);
    build_expr(b, e->comprehend.value);
    go(b, head);
    b->flow->loops.at[loop].last = b->flow->blocks.n;
    int done = block_new(b);
    test->next[test->n_next++] = done;
    enter(b, done);
    b->loop = outer;
    b->every_turn = every;
}

static bool asks_extent(const CallInfo *info) {
    return info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE);
}

static bool is_shown(const CallInfo *info) {
    return info->kind == CALL_BUILTIN && info->builtin == BUILTIN_SHOWN;
}

/* An array, or a slice of one; not a field of an element, which is passed as a copy. */
static bool is_reference(const Arg *a) {
    const Expr *x = expr_is_slice(a->value) ? a->value->index.base : a->value;
    return a->mode != REF_NONE && x->kind == EXPR_NAME && is_array(x);
}

static void build_swap(Builder *b, const ArgList *args) {
    Expr *x = array_name(args->at[0].value), *y = array_name(args->at[1].value);
    if (!x || !y) return;
    Event *e = event(b, EVENT_SWAP, x);
    if (e) e->other = slot_of(b, y->name.sym);
}

/* p: P(w: x), of a field with constant extents. */
static bool fills_field(const Expr *e, int arg) {
    const CallInfo *info = e->call.info;
    return info->kind == CALL_BUILD && e->type->kind == TY_STRUCT &&
           e->type->fields[info->part_of[arg]].type->kind == TY_FIXED;
}

static void build_call(Builder *b, Expr *call, Expr *launch) {
    const CallInfo *info = call->call.info;
    ArgList *args = &call->call.args;
    if (!info) return;
    for (int i = 0; i < args->n; i++) {
        Expr *x = args->at[i].value;
        if (fills_field(call, i)) copied(b, x);
        else if (is_array(x) && x->kind == EXPR_CALL && is_shown(info)) read_made(b, x, false);
        else if (!is_array(x) || !array_name(x)) build_expr(b, x);
        else if (x->kind != EXPR_NAME) build_way(b, x);
        else if (args->at[i].mode == REF_NONE && !asks_extent(info)) event(b, EVENT_LEAVE, x);
    }
    if (info->receiver) {
        if (is_array(info->receiver)) touch(b, EVENT_READ, info->receiver); /* x.at(i) */
        else build_expr(b, info->receiver);
    }
    if (asks_extent(info)) return;
    for (int i = 0; i < info->copied.n; i++) event(b, EVENT_READ, info->copied.at[i]);
    if (info->copied.n) return;
    if (info->kind == CALL_BUILTIN && info->builtin == BUILTIN_SWAP && args->n == 2) {
        build_swap(b, args);
        return;
    }
    for (int i = 0; i < args->n; i++) {
        Expr *name = args->at[i].mode != REF_NONE ? array_name(args->at[i].value) : NULL;
        if (name && !is_reference(&args->at[i])) {
            Event *e = event(b, args->at[i].mode == REF_IN ? EVENT_READ : EVENT_WRITE, name);
            if (e) e->call = info;
        }
        if (!is_reference(&args->at[i])) continue;
        Event *p = event(b, EVENT_PASS, array_name(args->at[i].value));
        if (!p) continue;
        p->arg = &args->at[i];
        p->call = info;
        p->launch = launch;
        p->param = i;
        p->span = args->at[i].span;
        p->is_element = expr_is_part(args->at[i].value);
    }
}

static void build_expr(Builder *b, Expr *e) {
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR:
    case EXPR__COUNT: break;
    case EXPR_NAME:
        if (is_array(e)) event(b, EVENT_LEAVE, e);
        else if (type_owns(e->type)) leave(b, e);
        break;
    case EXPR_UNARY:
    case EXPR_FIELD:
    case EXPR_FILL:
    case EXPR_LIST:
    case EXPR_RANGE:
    case EXPR_CONVERT: build_children(b, expr_children(e)); break;
    case EXPR_BINARY:
        build_expr(b, e->binary.lhs);
        if (op_info[e->binary.op].kind == OPK_LOGIC) build_maybe(b, e->binary.rhs);
        else build_expr(b, e->binary.rhs);
        break;
    case EXPR_CALL: build_call(b, e, NULL); break;
    case EXPR_INDEX:
        build_list(b, &e->index.at);
        read_element(b, e->index.base);
        break;
    case EXPR_IF: build_if_expr(b, e); break;
    case EXPR_COMPREHEND: build_comprehension(b, e); break;
    case EXPR_OFFLOAD:
        if (e->offload.device) build_expr(b, e->offload.device);
        if (e->offload.call->kind == EXPR_CALL) build_call(b, e->offload.call, e);
        break;
    case EXPR_ATOMIC: {
        build_expr(b, e->atomic.value);
        if (e->atomic.was) build_expr(b, e->atomic.was);
        Expr *whole = expr_whole(e->atomic.target);
        if (whole->kind != EXPR_INDEX) break;
        build_list(b, &whole->index.at);
        touch(b, EVENT_READ, whole->index.base);
        touch(b, EVENT_WRITE, whole->index.base);
        break;
    }
    }
}

/* Statements ------------------------------------------------------------------------------------------------------ */

static void build_assign(Builder *b, Stmt *st) {
    Expr *target = st->assign.target, *whole = expr_whole(target);
    if (is_owner_name(target)) {
        owned(b, st->assign.value, target, target->name.sym);
        return;
    }
    if (is_array(target)) { /* p.w = ...: its elements are copied there */
        copied(b, st->assign.value);
        if (array_name(target)) touch(b, EVENT_WRITE, target);
        else build_way(b, target);
        return;
    }
    build_expr(b, st->assign.value);
    if (whole->kind != EXPR_INDEX) return;
    build_list(b, &whole->index.at);
    bool plain = st->assign.op == OP_NONE && !st->assign.is_min && !st->assign.is_max && whole == target;
    write_element(b, whole->index.base, !plain);
}

static void build_if(Builder *b, Stmt *st) {
    build_expr(b, st->if_.cond);
    bool every = b->every_turn;
    FlowBlock *from = b->now;
    b->every_turn = false;
    int yes = block_new(b);
    from->next[from->n_next++] = yes;
    enter(b, yes);
    build_block(b, st->if_.then_);
    FlowBlock *after_yes = b->now, *after_no = from;
    bool has_else = st->if_.else_ != NULL;
    if (has_else) {
        int no = block_new(b);
        from->next[from->n_next++] = no;
        enter(b, no);
        build_stmt(b, st->if_.else_);
        after_no = b->now;
    }
    int done = block_new(b);
    if (after_yes->n_next < 2) after_yes->next[after_yes->n_next++] = done;
    if (after_no->n_next < 2) after_no->next[after_no->n_next++] = done;
    enter(b, done);
    b->every_turn = every;
}

static bool is_true(const Expr *e) { return e && e->konst.kind == CONST_BOOL && e->konst.i; }

/* head: the condition; body; again: back to the head. */
static void build_loop(Builder *b, Stmt *st, Expr *cond, const Block *body) {
    int outer = b->loop;
    bool every = b->every_turn;
    int done = block_new(b); /* not among the loop's own */
    int head = loop_begin(b, st, NULL, cond == NULL), loop = b->loop;
    if (cond) build_expr(b, cond);
    FlowBlock *test = b->now;
    int inside = block_new(b), again = block_new(b);
    test->next[test->n_next++] = inside;
    if (!is_true(cond)) test->next[test->n_next++] = done;
    struct LoopEnds ends = {b->ends, again, done};
    b->ends = &ends;
    enter(b, inside);
    build_block(b, body);
    go(b, again);
    enter(b, again);
    go(b, head);
    b->ends = ends.outer;
    b->flow->loops.at[loop].last = b->flow->blocks.n;
    enter(b, done);
    b->loop = outer;
    b->every_turn = every;
}

static bool is_write(const Event *e) { return (e->kind == EVENT_WRITE && !e->reads) || e->kind == EVENT_FILL; }

/* Marks (b->mark) the arrays that the loop does not only write. A fill of the others does not need their old elements.
 * Returns the mark. */
static int mark_used(Builder *b, const FlowLoop *loop) {
    int mark = ++b->marks;
    for (int i = loop->first; i < loop->last; i++)
        for (int k = 0; k < b->flow->blocks.at[i]->events.n; k++) {
            const Event *e = &b->flow->blocks.at[i]->events.at[k];
            if (is_write(e)) continue;
            if (e->slot >= 0) b->mark[e->slot] = mark;
            if (e->other >= 0) b->mark[e->other] = mark;
        }
    return mark;
}

static void build_for(Builder *b, Stmt *st) {
    build_children(b, stmt_children(st)); /* the bounds */
    FlowBlock *before = b->now;
    Event fill = {.kind = EVENT_FILL, .other = -1, .loop_stmt = st, .span = st->span, .param = -1, .loop = b->loop,
                  .every_turn = b->every_turn, .resident = b->resident, .resident_no = b->resident_no};
    int loop = b->flow->loops.n;
    build_loop(b, st, NULL, st->for_.body);
    SyncList filled = {0};
    fills_find(b->s, st, &filled);
    int used = filled.n ? mark_used(b, &b->flow->loops.at[loop]) : 0;
    for (int i = 0; i < filled.n; i++) {
        fill.slot = slot_of(b, filled.at[i].array);
        if (fill.slot >= 0 && b->mark[fill.slot] != used) vec_push(b->s->arena, &before->events, fill);
    }
}

static void build_assert(Builder *b, Stmt *st) {
    build_expr(b, st->assert_.cond);
    if (!st->assert_.args.n) return;
    FlowBlock *from = b->now;
    bool every = b->every_turn;
    b->every_turn = false;
    int failed = block_new(b);
    from->next[from->n_next++] = failed;
    enter(b, failed);
    for (int i = 0; i < st->assert_.args.n; i++) build_expr(b, st->assert_.args.at[i].value);
    int passed = block_new(b);
    from->next[from->n_next++] = passed;
    enter(b, passed);
    b->every_turn = every;
}

static void build_jump(Builder *b, int to) {
    go(b, to);
    enter_nowhere(b);
    b->every_turn = false;
}

/* An EVENT_ENTER for each array that launches in the block use, or that is swapped with such an array. */
static void enters(Builder *b, FlowResident *r, Stmt *st, const Event *e, int mark) {
    bool launches =
        e->kind == EVENT_PASS && (e->launch || (e->call->kind == CALL_FUNC && e->call->func->effects & EFFECT_OFFLOAD));
    if (e->resident != st || !(launches || e->kind == EVENT_SWAP)) return;
    int slots[2] = {e->slot, e->kind == EVENT_SWAP ? e->other : -1};
    for (int i = 0; i < 2; i++) {
        if (slots[i] < 0 || b->mark[slots[i]] == mark) continue;
        b->mark[slots[i]] = mark;
        Event enter = *e;
        enter.kind = EVENT_ENTER;
        enter.slot = slots[i];
        enter.other = -1;
        vec_push(b->s->arena, &r->before->events, enter);
        r->n++;
    }
}

static int by_slot(const void *x, const void *y) { return ((const FlowEnter *)x)->slot - ((const FlowEnter *)y)->slot; }

/* Its arrays are copied to the device where it begins. Which arrays these are is known at its end. */
static void build_resident(Builder *b, Stmt *st) {
    Stmt *outer = b->resident;
    FlowResident r = {.before = b->now};
    int outer_no = b->resident_no, no = b->flow->residents.n, first = block_new(b);
    vec_push(b->s->arena, &b->flow->residents, r);
    go(b, first);
    enter(b, first);
    b->resident = st;
    b->resident_no = no;
    build_block(b, st->block.block);
    b->resident = outer;
    b->resident_no = outer_no;
    int mark = ++b->marks, from = r.before->events.n;
    for (int i = first; i < b->flow->blocks.n; i++) {
        FlowBlock *inside = b->flow->blocks.at[i];
        for (int k = 0; k < inside->events.n; k++) enters(b, &r, st, &inside->events.at[k], mark);
    }
    r.enters = arena_array(b->s->arena, FlowEnter, r.n + 1);
    for (int i = 0; i < r.n; i++) r.enters[i] = (FlowEnter){r.before->events.at[from + i].slot, from + i};
    qsort(r.enters, (size_t)r.n, sizeof *r.enters, by_slot);
    b->flow->residents.at[no] = r;
}

static bool ends_program(const Expr *e) {
    return e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_BUILTIN &&
           e->call.info->builtin == BUILTIN_EXIT;
}

/* The value of an input: named arrays are not moved. */
static void build_shown(Builder *b, Stmt *st) {
    for (int i = 0; i < st->expr.reads.n; i++) event(b, EVENT_READ, st->expr.reads.at[i]);
    Expr *e = st->expr.expr;
    if (st->expr.is_shown && e->kind == EXPR_CALL && (is_array(e) || type_owns(e->type))) read_made(b, e, false);
    else if (!shown_variable(st)) build_expr(b, e);
}

static void build_stmt(Builder *b, Stmt *st) {
    switch (st->kind) {
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    case STMT_LET:
        if (!st->let.init) declared(b, st);
        else if (st->let.sym && (is_array(st->let.init) || type_owns(st->let.init->type)))
            owned(b, st->let.init, NULL, st->let.sym);
        else build_expr(b, st->let.init);
        break;
    case STMT_ASSIGN: build_assign(b, st); break;
    case STMT_ATOMIC: build_expr(b, st->atomic.atomic); break;
    case STMT_EXPR:
        build_shown(b, st);
        if (ends_program(st->expr.expr)) enter_nowhere(b);
        break;
    case STMT_IF: build_if(b, st); break;
    case STMT_FOR: build_for(b, st); break;
    case STMT_WHILE: build_loop(b, st, st->while_.cond, st->while_.body); break;
    case STMT_BREAK:
        if (b->ends) build_jump(b, b->ends->done);
        break;
    case STMT_CONTINUE:
        if (b->ends) build_jump(b, b->ends->again);
        break;
    case STMT_RETURN:
        if (st->return_.value) build_expr(b, st->return_.value);
        b->now->is_return = true;
        enter_nowhere(b);
        b->every_turn = false;
        break;
    case STMT_ASSERT: build_assert(b, st); break;
    case STMT_BLOCK: build_block(b, st->block.block); break;
    case STMT_RESIDENT: build_resident(b, st); break;
    }
}

static void build_block(Builder *b, const Block *block) {
    for (int i = 0; i < block->stmts.n; i++) {
        build_stmt(b, block->stmts.at[i]);
        /* a `break` in one branch makes what follows the `if` conditional too */
        if (b->every_turn && stmt_holds(block->stmts.at[i], STMTS_LEAVE)) b->every_turn = false;
    }
}

/* The function ---------------------------------------------------------------------------------------------------- */

static void track(ArrayFlow *flow, Symbol *sym) {
    if (sym->id < 0 || !sym->type || sym->type->kind != TY_ARRAY || flow->slot_of[sym->id] >= 0) return;
    if (frame_facts(sym)->in_frame) return; /* never on a device */
    flow->slot_of[sym->id] = flow->n_slots;
    flow->symbol[flow->n_slots++] = sym;
}

static void track_made(Sema *s, ArrayFlow *flow) {
    Symbol *made = arena_new(s->arena, Symbol);
    *made = (Symbol){.kind = SYM_LOCAL, .name = "the array", .id = -1, .func = flow->func};
    flow->made = flow->n_slots;
    flow->symbol[flow->n_slots++] = made;
}

ArrayFlow *flow_build(Sema *s, Func *f) {
    ArrayFlow *flow = arena_new(s->arena, ArrayFlow);
    flow->func = f;
    flow->slot_of = arena_array(s->arena, int, f->n_symbols + 1);
    flow->symbol = arena_array(s->arena, Symbol *, f->n_symbols + 2);
    for (int i = 0; i < f->n_symbols; i++) flow->slot_of[i] = -1;
    for (int i = 0; i < f->params.n; i++) track(flow, f->params.at[i]);
    for (int i = 0; i < f->facts->locals.n; i++) track(flow, f->facts->locals.at[i]);
    for (int i = 0; i < f->constants.n; i++) track(flow, f->constants.at[i]);
    track_made(s, flow);
    Builder b = {.s = s, .flow = flow, .loop = -1, .resident_no = -1};
    b.mark = arena_array(s->arena, int, flow->n_slots);
    enter(&b, block_new(&b));
    build_block(&b, f->item->fn.body);
    b.now->is_return = true;
    return flow;
}

const char *event_array_name(Sema *s, const ArrayFlow *flow, const Event *e) {
    return e->slot == flow->made && e->at ? source_text(s, e->at->span) : flow->symbol[e->slot]->name;
}
