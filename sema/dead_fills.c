/* dead_fills.c -- liveness of the elements that an array begins with. In
 *
 *     var next = [0.0; n];
 *     offload step(&now, &out next);
 *
 * no element is read before the launch has written all of them. So the array is made without values: its memory is
 * not written twice, and the pages of a large one are first touched by the threads that use them.
 *
 * A backward dataflow analysis over the events of a function: an array is live where some path leads to a use of an
 * element that is there now. */
#include <string.h>

#include "sema/flow.h"

typedef struct Liveness {
    ArrayFlow *flow;
    bool **live; /* by block and slot: before the block */
    bool *now;   /* by slot */
} Liveness;

static bool names_all(const Event *e) { return e->arg->value->kind == EXPR_NAME; }

/* Is an element of before needed: by what the launch or the call does, or by what follows? */
static bool before_pass(const Event *e, bool after) {
    if (e->launch) {
        Transfer t = e->call->func->transfers.at[e->param];
        if (t == TRANSFER_UNUSED) return after;
        if (t & TRANSFER_TO) return true;
        return after && !(t & TRANSFER_FROM && names_all(e));
    }
    unsigned use = use_of_pass(e);
    if (use & (USE_LAUNCHES | USE_REPLACES)) return true;
    if (use & USE_FILLS) return false;
    return after || use & USE_READS;
}

static void before_event(const Event *e, bool *live) {
    bool after = live[e->slot];
    switch (e->kind) {
    case EVENT_MAKE: live[e->slot] = false; return;
    case EVENT_MOVE:
        live[e->slot] = false;
        if (e->other >= 0) live[e->other] = after;
        return;
    case EVENT_SWAP:
        live[e->slot] = e->other < 0 || live[e->other];
        if (e->other >= 0) live[e->other] = after;
        return;
    case EVENT_LEAVE:
    case EVENT_READ: live[e->slot] = true; return;
    case EVENT_WRITE: live[e->slot] = after || e->reads || e->call; return;
    case EVENT_FILL: live[e->slot] = false; return;
    case EVENT_PASS: live[e->slot] = before_pass(e, after); return;
    case EVENT_ENTER: return; /* the launches say what they read */
    }
}

/* Callers see a parameter's elements when the function returns, and later inputs of a session its variables. */
static bool is_live_at_end(const Liveness *l, const FlowBlock *b, int slot) {
    const Symbol *sym = l->flow->symbol[slot];
    return kept_facts(sym)->number || (b->is_return && sym->kind == SYM_PARAM) || sym->table;
}

static void at_end_of(const Liveness *l, const FlowBlock *b) {
    for (int slot = 0; slot < l->flow->n_slots; slot++) {
        l->now[slot] = !b->n_next && is_live_at_end(l, b, slot);
        for (int k = 0; k < b->n_next; k++) l->now[slot] |= l->live[b->next[k]][slot];
    }
}

static bool sweep(Liveness *l) {
    bool changed = false;
    for (int i = l->flow->blocks.n; i-- > 0;) {
        const FlowBlock *b = l->flow->blocks.at[i];
        at_end_of(l, b);
        for (int k = b->events.n; k-- > 0;) before_event(&b->events.at[k], l->now);
        for (int slot = 0; slot < l->flow->n_slots; slot++) {
            changed |= l->now[slot] != l->live[i][slot];
            l->live[i][slot] = l->now[slot];
        }
    }
    return changed;
}

/* Arrays whose elements own arrays are never without values. An expression may make several arrays: then all of them
 * are dead, or none is. */
static void note_fills(const Liveness *l, bool dead) {
    for (int i = 0; i < l->flow->blocks.n; i++) {
        const FlowBlock *b = l->flow->blocks.at[i];
        at_end_of(l, b);
        for (int k = b->events.n; k-- > 0;) {
            const Event *e = &b->events.at[k];
            if (e->kind == EVENT_MAKE && e->fill && l->now[e->slot] != dead)
                e->fill->fill.is_dead = dead && !type_owns(e->fill->type->elem);
            before_event(e, l->now);
        }
    }
}

void dead_fills_find(Sema *s, Func *f) {
    enum { MOST_CELLS = 1 << 24, MOST_SWEEPS = 64 };
    ArrayFlow *flow = f->facts->flow;
    if (!flow || f->is_kernel || f->on_device || (int64_t)flow->blocks.n * flow->n_slots > MOST_CELLS) return;
    Liveness l = {flow, arena_array(s->arena, bool *, flow->blocks.n + 1),
                  arena_array(s->arena, bool, flow->n_slots + 1)};
    for (int i = 0; i < flow->blocks.n; i++) l.live[i] = arena_array(s->arena, bool, flow->n_slots + 1);
    for (int n = 0; sweep(&l); n++)
        if (n == MOST_SWEEPS) return;
    note_fills(&l, true);
    note_fills(&l, false);
}
