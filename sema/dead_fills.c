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

typedef uint64_t Word;

enum { WORD_BITS = 64 };

typedef struct Liveness {
    ArrayFlow *flow;
    int n_words;     /* of a set of slots */
    Word **live;     /* by block: before it */
    Word *now;       /* at a point of the block that is looked at */
    Word *at_return; /* where the function returns */
    Word *at_end;    /* where the program ends */
} Liveness;

static bool has(const Word *set, int slot) { return set[slot / WORD_BITS] >> slot % WORD_BITS & 1; }

static void put(Word *set, int slot, bool is_live) {
    Word bit = (Word)1 << slot % WORD_BITS, *word = &set[slot / WORD_BITS];
    *word = is_live ? *word | bit : *word & ~bit;
}

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

static void before_event(const Event *e, Word *live) {
    bool after = has(live, e->slot);
    switch (e->kind) {
    case EVENT_MAKE: put(live, e->slot, false); return;
    case EVENT_MOVE:
        put(live, e->slot, false);
        if (e->other >= 0) put(live, e->other, after);
        return;
    case EVENT_SWAP:
        put(live, e->slot, e->other < 0 || has(live, e->other));
        if (e->other >= 0) put(live, e->other, after);
        return;
    case EVENT_LEAVE:
    case EVENT_READ: put(live, e->slot, true); return;
    case EVENT_WRITE: put(live, e->slot, after || e->reads || e->call); return;
    case EVENT_FILL: put(live, e->slot, false); return;
    case EVENT_PASS: put(live, e->slot, before_pass(e, after)); return;
    case EVENT_ENTER: return; /* the launches say what they read */
    }
}

/* Callers see a parameter's elements when the function returns, and later inputs of a session its variables. */
static void find_ends(Liveness *l) {
    for (int slot = 0; slot < l->flow->n_slots; slot++) {
        const Symbol *sym = l->flow->symbol[slot];
        bool lives_on = kept_facts(sym)->number || sym->table;
        put(l->at_end, slot, lives_on);
        put(l->at_return, slot, lives_on || sym->kind == SYM_PARAM);
    }
}

static void at_end_of(Liveness *l, const FlowBlock *b) {
    const Word *first = b->n_next ? l->live[b->next[0]] : b->is_return ? l->at_return : l->at_end;
    memcpy(l->now, first, sizeof *first * (size_t)l->n_words);
    for (int i = 0; i < l->n_words && b->n_next > 1; i++) l->now[i] |= l->live[b->next[1]][i];
}

static bool sweep(Liveness *l) {
    bool changed = false;
    size_t n_bytes = sizeof *l->now * (size_t)l->n_words;
    for (int i = l->flow->blocks.n; i-- > 0;) {
        const FlowBlock *b = l->flow->blocks.at[i];
        at_end_of(l, b);
        for (int k = b->events.n; k-- > 0;) before_event(&b->events.at[k], l->now);
        changed |= memcmp(l->now, l->live[i], n_bytes) != 0;
        memcpy(l->live[i], l->now, n_bytes);
    }
    return changed;
}

/* Arrays whose elements own arrays are never without values. An expression may make several arrays: then all of them
 * are dead, or none is. */
static void note_fills(Liveness *l, bool dead) {
    for (int i = 0; i < l->flow->blocks.n; i++) {
        const FlowBlock *b = l->flow->blocks.at[i];
        at_end_of(l, b);
        for (int k = b->events.n; k-- > 0;) {
            const Event *e = &b->events.at[k];
            if (e->kind == EVENT_MAKE && e->fill && has(l->now, e->slot) != dead)
                e->fill->fill.is_dead = dead && !type_owns(e->fill->type->elem);
            before_event(e, l->now);
        }
    }
}

static bool makes_filled(const ArrayFlow *flow) {
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++)
            if (flow->blocks.at[i]->events.at[k].fill) return true;
    return false;
}

void dead_fills_find(Sema *s, Func *f) {
    enum { MOST_CELLS = 1 << 24, MOST_SWEEPS = 64 };
    ArrayFlow *flow = f->facts->flow;
    if (!flow || f->is_kernel || f->on_device || !makes_filled(flow)) return;
    if ((int64_t)flow->blocks.n * flow->n_slots > MOST_CELLS) return; /* plan.c refuses it */
    Liveness l = {.flow = flow, .n_words = flow->n_slots / WORD_BITS + 1};
    l.live = arena_array(s->arena, Word *, flow->blocks.n + 1);
    for (int i = 0; i < flow->blocks.n; i++) l.live[i] = arena_array(s->arena, Word, l.n_words);
    l.now = arena_array(s->arena, Word, l.n_words);
    l.at_return = arena_array(s->arena, Word, l.n_words);
    l.at_end = arena_array(s->arena, Word, l.n_words);
    find_ends(&l);
    for (int n = 0; sweep(&l); n++)
        if (n == MOST_SWEEPS) return;
    note_fills(&l, true);
    note_fills(&l, false);
}
