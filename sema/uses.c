/* uses.c -- what each function and kernel does with the arrays behind its parameters: reads elements, writes them,
 * launches something with them (or puts another array in their place, after which as little is known). From the events
 * of each body, and along the calls until nothing changes. */
#include "sema/flow.h"

static unsigned use_of_mode(RefMode mode) {
    switch (mode) {
    case REF_IN: return USE_READS;
    case REF_MUT: return USE_READS | USE_WRITES;
    case REF_OUT: return USE_WRITES;
    case REF_NONE:
    case REF_SCRATCH:
    case REF__COUNT: break;
    }
    return 0;
}

unsigned use_of_pass(const Event *e) {
    const Func *callee = e->call->kind == CALL_FUNC ? e->call->func : NULL;
    if (!callee || callee->is_extern || !callee->facts->uses) return use_of_mode(e->arg->mode);
    if (e->launch) return USE_LAUNCHES;
    unsigned use = callee->facts->uses[e->param];
    return e->arg->value->kind != EXPR_NAME ? use & ~(unsigned)USE_FILLS : use; /* what it fills is a part of the array */
}

bool make_is_unknown(const Event *e) {
    const Func *f = e->maker && e->maker->kind == CALL_FUNC ? e->maker->func : NULL;
    bool replaces = false;
    for (int i = 0; f && f->facts->uses && i < f->params.n; i++) replaces |= (f->facts->uses[i] & USE_REPLACES) != 0;
    return f && (replaces || f->effects & EFFECT_OFFLOAD);
}

static bool is_param(const ArrayFlow *flow, int slot) { return slot >= 0 && flow->symbol[slot]->kind == SYM_PARAM; }

static unsigned use_of_event(const ArrayFlow *flow, const Event *e) {
    switch (e->kind) {
    case EVENT_READ: return USE_READS;
    case EVENT_FILL: return USE_WRITES;
    case EVENT_WRITE: return e->reads ? USE_READS | USE_WRITES : USE_WRITES;
    case EVENT_PASS: return use_of_pass(e);
    case EVENT_ENTER: return USE_LAUNCHES;
    case EVENT_SWAP: /* with another of the caller's arrays, or with one that the caller does not know */
        return is_param(flow, e->slot) && is_param(flow, e->other) ? USE_LAUNCHES : USE_LAUNCHES | USE_REPLACES;
    case EVENT_MAKE:
    case EVENT_MOVE:
    case EVENT_LEAVE: break;
    }
    return USE_LAUNCHES | USE_REPLACES;
}

static bool add_use(ArrayFlow *flow, int slot, unsigned use) {
    if (!is_param(flow, slot)) return false;
    unsigned *known = &flow->func->facts->uses[flow->symbol[slot]->dim], before = *known;
    *known |= use;
    return *known != before;
}

static bool spread_in(ArrayFlow *flow) {
    bool changed = false;
    for (int i = 0; i < flow->blocks.n; i++) {
        FlowBlock *b = flow->blocks.at[i];
        for (int k = 0; k < b->events.n; k++) {
            const Event *e = &b->events.at[k];
            unsigned use = use_of_event(flow, e);
            changed |= add_use(flow, e->slot, use);
            changed |= add_use(flow, e->other, use);
        }
    }
    return changed;
}

/* The first thing that happens to the array, on every way, is that it is filled. */
static void find_fills(ArrayFlow *flow) {
    for (int slot = 0; slot < flow->n_slots; slot++) {
        const FlowBlock *b = flow->blocks.at[0];
        const Event *first = NULL;
        for (int k = 0; k < b->events.n && !first; k++)
            if (b->events.at[k].slot == slot || b->events.at[k].other == slot) first = &b->events.at[k];
        if (first && first->kind == EVENT_FILL) add_use(flow, slot, USE_FILLS);
    }
}

static bool has_body(const Func *f) { return f->item && f->item->fn.body && !f->facts->skip && !f->is_extern; }

void uses_find(Sema *s) {
    Program *p = s->program;
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        if (!has_body(f)) continue;
        f->facts->uses = arena_array(s->arena, unsigned, f->params.n + 1);
        f->facts->flow = flow_build(s, f);
        if (f->facts->flow) find_fills(f->facts->flow);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = p->funcs.n; i-- > 0;) /* callees mostly stand below their callers or above: either way few rounds */
            if (p->funcs.at[i]->facts->flow) changed |= spread_in(p->funcs.at[i]->facts->flow);
    }
}
