/* uses.c -- interprocedural use analysis: what each function and kernel does with its array parameters: reads
 * elements, writes them, launches something with them (or replaces the array, after which as little is known). The
 * sets are collected from the events of each body (flow.h), and propagated from callees to callers up to a fixpoint. */
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
    if (callee && passes_described(callee) && e->arg->mode == REF_OUT) return USE_WRITES | USE_FILLS; /* a promise */
    if (!callee || callee->is_extern || !callee->facts->uses) return use_of_mode(e->arg->mode);
    if (e->launch) return USE_LAUNCHES;
    unsigned use = callee->facts->uses[e->param];
    return e->arg->value->kind != EXPR_NAME ? use & ~(unsigned)USE_FILLS
                                            : use; /* what it fills is a part of the array */
}

bool make_is_unknown(const Event *e) {
    const Func *f = e->maker && e->maker->kind == CALL_FUNC ? e->maker->func : NULL;
    bool replaces = false;
    for (int i = 0; f && f->facts->uses && i < f->params.n; i++) replaces |= (f->facts->uses[i] & USE_REPLACES) != 0;
    return f && (replaces || f->effects & EFFECT_OFFLOAD);
}

static bool is_param(const ArrayFlow *flow, int slot) { return slot >= 0 && flow->symbol[slot]->kind == SYM_PARAM; }

/* For calls, only the uses that do not depend on the callee: the others are propagated along the edges. */
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

/* Propagation from callees to callers: a worklist of parameters whose uses have grown. A parameter has five bits, so
 * each edge is followed at most five times. */
typedef struct Grown {
    const Func *func;
    int param;
} Grown;

typedef struct Spread {
    Sema *s;
    Vec(Grown) work;
} Spread;

static void add_use(Spread *sp, const Func *f, int param, unsigned use) {
    unsigned *known = &f->facts->uses[param];
    if ((*known | use) == *known) return;
    *known |= use;
    Grown grown = {f, param};
    if (f->facts->used_by[param].n) vec_push(sp->s->arena, &sp->work, grown);
}

static void add_slot_use(Spread *sp, const ArrayFlow *flow, int slot, unsigned use) {
    if (is_param(flow, slot)) add_use(sp, flow->func, flow->symbol[slot]->dim, use);
}

/* The uses of a parameter in the callee are uses of the argument in the caller. That the callee assigns every element
 * avoids a copy only if nothing else happens to the array before the call, on any path. */
static void add_edge(Spread *sp, const ArrayFlow *flow, const Event *e, bool is_first) {
    const Func *callee = e->call->kind == CALL_FUNC ? e->call->func : NULL;
    if (!callee || e->launch || !callee->facts->uses || !is_param(flow, e->slot)) return;
    bool keeps_fills = is_first && e->arg->value->kind == EXPR_NAME;
    UseEdge edge = {flow->func, flow->symbol[e->slot]->dim, keeps_fills ? ~0u : ~(unsigned)USE_FILLS};
    vec_push(sp->s->arena, &callee->facts->used_by[e->param], edge);
}

static void begin_event(Spread *sp, const ArrayFlow *flow, const Event *e, bool is_first) {
    unsigned use = use_of_event(flow, e);
    if (e->kind == EVENT_PASS) add_edge(sp, flow, e, is_first);
    if (e->kind == EVENT_FILL) use |= USE_FILLS;
    if (!is_first) use &= ~(unsigned)USE_FILLS;
    add_slot_use(sp, flow, e->slot, use);
    add_slot_use(sp, flow, e->other, use);
}

static void begin_function(Spread *sp, const ArrayFlow *flow) {
    bool *seen = arena_array(sp->s->arena, bool, flow->n_slots + 1);
    for (int i = 0; i < flow->blocks.n; i++) {
        const FlowBlock *b = flow->blocks.at[i];
        for (int k = 0; k < b->events.n; k++) {
            const Event *e = &b->events.at[k];
            begin_event(sp, flow, e, i == 0 && e->slot >= 0 && !seen[e->slot]);
            if (e->slot >= 0) seen[e->slot] = true;
            if (e->other >= 0) seen[e->other] = true;
        }
    }
}

/* A function that only passes slices of a parameter on copies these where it does so: its callers need not see to it
 * that the whole array is on the host. If it does so in a loop, they do, once. */
static void leave_slices_to_callee(Spread *sp, const ArrayFlow *flow) {
    if (flow->func->is_kernel || flow->func->on_device) return;
    bool *passes = arena_array(sp->s->arena, bool, flow->n_slots + 1);
    bool *other = arena_array(sp->s->arena, bool, flow->n_slots + 1);
    for (int i = 0; i < flow->blocks.n; i++) {
        const FlowBlock *b = flow->blocks.at[i];
        for (int k = 0; k < b->events.n; k++) {
            const Event *e = &b->events.at[k];
            bool is_slice = e->kind == EVENT_PASS && e->is_element && !e->launch && e->loop < 0;
            if (e->slot >= 0) *(is_slice ? &passes[e->slot] : &other[e->slot]) = true;
            if (e->other >= 0) other[e->other] = true;
        }
    }
    for (int slot = 0; slot < flow->n_slots; slot++)
        if (passes[slot] && !other[slot]) add_slot_use(sp, flow, slot, USE_LAUNCHES);
}

static bool has_body(const Func *f) { return f->item && f->item->fn.body && !f->facts->skip && !f->is_extern; }

static void prepare(Sema *s, Func *f) {
    f->facts->uses = arena_array(s->arena, unsigned, f->params.n + 1);
    f->facts->used_by = arena_array(s->arena, UseEdges, f->params.n + 1);
    f->facts->flow = flow_build(s, f);
}

void uses_find(Sema *s) {
    Program *p = s->program;
    Spread sp = {.s = s};
    for (int i = 0; i < p->funcs.n; i++)
        if (has_body(p->funcs.at[i])) prepare(s, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->facts->flow) begin_function(&sp, p->funcs.at[i]->facts->flow);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->facts->flow) leave_slices_to_callee(&sp, p->funcs.at[i]->facts->flow);
    while (sp.work.n) {
        Grown from = sp.work.at[--sp.work.n];
        const UseEdges *edges = &from.func->facts->used_by[from.param];
        for (int i = 0; i < edges->n; i++)
            add_use(&sp, edges->at[i].func, edges->at[i].param, from.func->facts->uses[from.param] & edges->at[i].mask);
    }
}

/* Functions that launch nothing with an array expect it on the host: callers of our own see to that (plan.c). */
static void sync_at_border(Sema *s, Func *f) {
    f->at_border = arena_array(s->arena, Sync, f->params.n + 1);
    for (int i = 0; i < f->params.n && !f->is_kernel; i++) {
        unsigned use = f->params.at[i]->type->kind == TY_ARRAY ? f->facts->uses[i] : 0;
        if (!use || use & USE_LAUNCHES) continue;
        f->at_border[i] = use & USE_FILLS ? SYNC_FILL : use & USE_WRITES ? SYNC_WRITE : SYNC_READ;
    }
}

void uses_at_border(Sema *s) {
    for (int i = 0; i < s->program->funcs.n && s->program->launches; i++)
        if (s->program->funcs.at[i]->is_export) sync_at_border(s, s->program->funcs.at[i]);
}
