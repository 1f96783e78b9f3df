/* plan.c -- the transfer plan: a dataflow analysis of where the newest copy of each array is, at each point of the
 * host code, and from it the fewest run-time tests and copies.
 *
 * A copy is made when it is needed and not before: a launch copies to the device what it reads if the device does not
 * have the newest copy, and host code copies back what it reads if the host does not. No other plan copies an array
 * less often. This file decides where that needs no test at run time:
 *
 * - an array that no launch has kept on the device is read and written directly (most host code);
 * - a launch that is the only user of an array maps the array itself, as clang does for `target`: nothing else on
 *   the device uses the array later, and the host next reads it either on every path (then the launch copies it
 *   back) or on none (then nothing is copied back);
 * - every other launch keeps its arrays on the device, and where the host then reads or writes them the program
 *   consults its table of resident arrays (runtime/resident.c). In a `for` loop it does so once, before the first
 *   iteration. A single element or slice is copied by itself.
 *
 * "The device" is the default one. For a launch that names a device the number is not known here, so the tests are
 * made at run time; what such a launch writes is on no other device.
 *
 * The facts for each array variable are forward facts that hold on every path to a point (joined by `and`), and
 * backward facts. A call of a function that launches something with an array ends what is known about the array. Such
 * a function knows nothing about its parameters at its start, because its callers differ. */
#include <stdlib.h>
#include <string.h>

#include "sema/flow.h"

/* Forward. */
enum {
    CLEAN = 1,    /* not in the table of resident arrays: never kept on the device, or released */
    HOST_OK = 2,  /* the host's copy is the newest */
    HOST_OWN = 4, /* and the device's copy will not be used again: the host may write */
    DEVICE_OK = 8, /* the device's copy is whole and the newest */
    DEVICE_MOST = 16, /* the same, except for single elements and slices that the host has written */
    ON_DEVICE = DEVICE_OK | DEVICE_MOST,
    ALL_FACTS = 31,
    FRESH = CLEAN | HOST_OK | HOST_OWN,
};
/* Backward. */
enum {
    LATER_LAUNCH = 1, /* may be used by a launch before the host writes it */
    MAY_READ = 2,     /* the host may need it as it is here */
    MUST_READ = 4,    /* the host needs it on every path that ends, and before a launch writes it */
    READ_SOON = 8,    /* the host reads some of it before that, on a path that stays in the loop */
    WHOLE_SOON = 16,  /* before the host writes it, a launch reads all of it, on every path that ends */
    MUST = MUST_READ | WHOLE_SOON,
    ALL_BITS = 31,
};

typedef unsigned char Bits;
typedef Vec(int) IntList;

typedef struct Plan {
    Sema *s;
    ArrayFlow *flow;
    int n;       /* slots */
    Bits **in;   /* forward, by block: before it */
    Bits **out;  /* backward, by block: after it */
    int *order;  /* reachable blocks in reverse postorder */
    int n_order;
    bool *dirty; /* by block: what its facts are made of has changed */
    int *loop_of;           /* by block: the innermost loop, -1: none */
    IntList *before;        /* by block: those that lead there */
    unsigned char **unsettled; /* by loop and slot: UNSETTLES_ bits; NULL: not computed yet */
    int **asked;            /* by loop and slot: the index in the list of requests before the loop, from 1; or NULL */
    Bits *now;              /* room for the facts of one block */
} Plan;

/* Blocks times arrays: what the facts need. */
enum { MOST_CELLS = 1 << 24 };
/* The most sweeps. If facts still change then, arrays are swapped in a circle, and nothing is known of them. */
enum { MOST_SWEEPS = 64 };

/* Order ----------------------------------------------------------------------------------------------------------- */

static void find_order(Plan *p) {
    int n = p->flow->blocks.n, depth = 0, filled = n;
    int *stack = arena_array(p->s->arena, int, n + 1), *step = arena_array(p->s->arena, int, n + 1);
    bool *seen = arena_array(p->s->arena, bool, n + 1);
    p->order = arena_array(p->s->arena, int, n + 1);
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        int at = stack[depth - 1];
        const FlowBlock *b = p->flow->blocks.at[at];
        if (step[at] < b->n_next) {
            int to = b->next[step[at]++];
            if (seen[to]) continue;
            seen[to] = true;
            stack[depth++] = to;
        } else {
            p->order[--filled] = at;
            depth--;
        }
    }
    p->n_order = n - filled;
    memmove(p->order, p->order + filled, sizeof *p->order * (size_t)p->n_order);
}

static Transfer transfer_of(const Event *e) {
    Transfer t = e->call->func->transfers.at[e->param];
    return e->is_together ? t & (Transfer)~TRANSFER_TO : t;
}

/* What invalidates a request that is made once before a loop: for code that only reads, for code that writes. */
enum { UNSETTLES_READERS = 1, UNSETTLES_WRITERS = 2, UNSETTLES_ALL = 3 };

static unsigned unsettles(const Event *e) {
    if (e->kind == EVENT_READ || e->kind == EVENT_WRITE) return 0;
    if (e->kind != EVENT_PASS) return UNSETTLES_ALL;
    if (!(use_of_pass(e) & USE_LAUNCHES)) return 0;
    return !e->launch || transfer_of(e) & TRANSFER_FROM ? UNSETTLES_ALL : UNSETTLES_WRITERS;
}

static const unsigned char *unsettled_in(Plan *p, int loop) {
    if (p->unsettled[loop]) return p->unsettled[loop];
    unsigned char *by = p->unsettled[loop] = arena_alloc(p->s->arena, (size_t)p->n + 1);
    for (int i = p->flow->loops.at[loop].first; i < p->flow->loops.at[loop].last; i++) {
        const FlowBlock *b = p->flow->blocks.at[i];
        for (int k = 0; k < b->events.n; k++) {
            const Event *e = &b->events.at[k];
            if (e->slot >= 0) by[e->slot] |= unsettles(e);
            if (e->other >= 0) by[e->other] |= unsettles(e);
        }
    }
    return by;
}

static void find_hoistable(Plan *p) {
    for (int i = 0; i < p->n_order; i++) {
        FlowBlock *b = p->flow->blocks.at[p->order[i]];
        for (int k = 0; k < b->events.n; k++) {
            Event *e = &b->events.at[k];
            const FlowLoop *loop = e->loop >= 0 ? &p->flow->loops.at[e->loop] : NULL;
            bool writes = e->kind != EVENT_READ && !(e->kind == EVENT_PASS && use_of_pass(e) == USE_READS);
            unsigned by = writes ? UNSETTLES_ALL : UNSETTLES_READERS;
            e->may_hoist = loop && loop->counts && e->every_turn && !(unsettled_in(p, e->loop)[e->slot] & by);
        }
    }
}

/* Backward -------------------------------------------------------------------------------------------------------- */

static bool is_param(const Plan *p, int slot) { return p->flow->symbol[slot]->kind == SYM_PARAM; }

/* An array constant is never written, so the copy of the host is always good; where else it is, callers know. */
static bool is_constant(const Plan *p, int slot) { return p->flow->symbol[slot]->table != NULL; }

/* Later inputs of a session use its variables as callers use references after a call: nothing is known about them. */
static bool lives_on(const Plan *p, int slot) {
    return is_param(p, slot) || is_constant(p, slot) || kept_facts(p->flow->symbol[slot])->number;
}

/* A single element or slice, but not the elements that a loop uses one after the other and that can be requested as a
 * whole before the loop. */
static bool may_peek(const Event *e) {
    return e->is_element && !e->may_hoist && (e->kind == EVENT_READ || (!e->launch && use_of_pass(e) == USE_READS));
}

static bool is_poke(const Event *e) {
    if (e->kind == EVENT_WRITE) return true;
    return e->kind == EVENT_PASS && !e->launch && use_of_pass(e) & USE_WRITES &&
           !(use_of_pass(e) & ~(USE_READS | USE_WRITES));
}

/* `later`: the backward facts after it. If no launch follows, nothing on the device has to be kept. */
static bool pokes(const Event *e, Bits later) {
    return later & LATER_LAUNCH && e->is_element && !e->may_hoist && is_poke(e);
}

/* Of a slice whatever a function leaves as it was counts. */
static bool reads_of_poke(const Event *e) {
    if (e->kind == EVENT_WRITE) return e->reads;
    const Func *callee = e->call->kind == CALL_FUNC ? e->call->func : NULL;
    return !callee || !callee->facts->uses || !(callee->facts->uses[e->param] & USE_FILLS);
}

static void host_use(Bits *b, bool writes) {
    *b |= MAY_READ | MUST_READ | READ_SOON;
    if (writes) *b &= (Bits) ~(LATER_LAUNCH | WHOLE_SOON);
}

static void host_writes(const Event *e, Bits *b) {
    if (!pokes(e, *b)) host_use(b, true);
    else *b |= reads_of_poke(e) ? MAY_READ | READ_SOON : MAY_READ;
}

static bool is_whole(const Event *e) { return e->arg->value->kind == EXPR_NAME || !e->is_element; }

static bool names_device(const Event *e) { return e->launch->offload.device != NULL; }

/* A launch that writes hides what the host would have read before: only later readers of the new values count. */
static void before_launch(const Event *e, Bits *b) {
    *b |= LATER_LAUNCH;
    bool whole_soon = transfer_of(e) & TRANSFER_TO && !names_device(e);
    if (is_whole(e)) *b = (Bits)((*b & ~WHOLE_SOON) | (whole_soon ? WHOLE_SOON : 0));
    if (transfer_of(e) & TRANSFER_FROM) *b &= (Bits) ~(MUST_READ | READ_SOON);
}

static void before_event(const Event *e, Bits *at) {
    Bits unknown = LATER_LAUNCH | MAY_READ | READ_SOON, old = at[e->slot];
    switch (e->kind) {
    case EVENT_MAKE: at[e->slot] = 0; return;
    case EVENT_LEAVE: at[e->slot] = unknown; return;
    case EVENT_MOVE:
        at[e->slot] = 0;
        if (e->other >= 0) at[e->other] = old;
        return;
    case EVENT_SWAP:
        at[e->slot] = e->other >= 0 ? at[e->other] : unknown;
        if (e->other >= 0) at[e->other] = old;
        return;
    case EVENT_READ:
        if (may_peek(e)) at[e->slot] |= MAY_READ | READ_SOON; /* one element is no reason to bring all of it */
        else host_use(&at[e->slot], false);
        return;
    case EVENT_WRITE: host_writes(e, &at[e->slot]); return;
    case EVENT_FILL: at[e->slot] = 0; return;
    case EVENT_ENTER: at[e->slot] |= LATER_LAUNCH; return;
    case EVENT_PASS: {
        unsigned use = use_of_pass(e);
        if (e->launch) before_launch(e, &at[e->slot]);
        else if (use & USE_LAUNCHES) at[e->slot] = unknown;
        else if (use & USE_FILLS) at[e->slot] = 0;
        else if (may_peek(e)) at[e->slot] |= MAY_READ | READ_SOON;
        else if (use & USE_WRITES) host_writes(e, &at[e->slot]);
        else if (use) host_use(&at[e->slot], false);
        return;
    }
    }
}

/* Does this edge leave a loop in which the other edge stays? A loop iterates more often than it ends. */
static bool leaves_loop(const Plan *p, int block, int k) {
    const FlowBlock *b = p->flow->blocks.at[block];
    const FlowLoop *inner = p->loop_of[block] >= 0 ? &p->flow->loops.at[p->loop_of[block]] : NULL;
    if (!inner || b->n_next < 2 || (b->next[k] >= inner->first && b->next[k] < inner->last)) return false;
    return b->next[!k] >= inner->first && b->next[!k] < inner->last;
}

static void join_backward(Plan *p, int block, Bits *into) {
    const FlowBlock *b = p->flow->blocks.at[block];
    memset(into, b->n_next || b->is_return ? 0 : MUST, (size_t)p->n); /* the program ends: any promise holds */
    /* After an exported function returns, the C caller needs whole arrays. */
    Bits behind = p->flow->func->is_export ? LATER_LAUNCH | MAY_READ | READ_SOON : LATER_LAUNCH | MAY_READ;
    for (int i = 0; b->is_return && i < p->n; i++) into[i] = lives_on(p, i) ? behind : 0;
    for (int k = 0; k < b->n_next; k++) {
        const Bits *next = p->in[b->next[k]];
        Bits any = leaves_loop(p, block, k) ? LATER_LAUNCH | MAY_READ : LATER_LAUNCH | MAY_READ | READ_SOON;
        for (int i = 0; i < p->n; i++) {
            Bits must = k ? into[i] & next[i] & MUST : next[i] & MUST;
            into[i] = (Bits)((into[i] & ~MUST) | (next[i] & any) | must);
        }
    }
}

static void all_dirty(Plan *p) {
    for (int i = 0; i < p->n_order; i++) p->dirty[p->order[i]] = true;
}

/* What may be only becomes more, what must be only less. false: nothing new */
static bool grow_backward(Plan *p, int block, const Bits *at, bool widen) {
    Bits *known = p->in[block];
    bool changed = false;
    for (int slot = 0; slot < p->n; slot++) {
        Bits more = (Bits)(((known[slot] | at[slot]) & ~MUST) | (known[slot] & at[slot] & MUST));
        changed |= more != known[slot];
        known[slot] = more;
    }
    if (changed && widen) memset(known, LATER_LAUNCH | MAY_READ | READ_SOON, (size_t)p->n);
    return changed;
}

static bool sweep_backward(Plan *p, Bits wanted, bool widen) {
    bool again = false;
    for (int i = p->n_order; i-- > 0;) {
        int block = p->order[i];
        const FlowBlock *b = p->flow->blocks.at[block];
        if (!p->dirty[block]) continue;
        p->dirty[block] = false;
        join_backward(p, block, p->out[block]);
        memcpy(p->now, p->out[block], (size_t)p->n);
        for (int k = b->events.n; k-- > 0;) before_event(&b->events.at[k], p->now);
        for (int slot = 0; slot < p->n; slot++) p->now[slot] &= wanted;
        if (!grow_backward(p, block, p->now, widen)) continue;
        for (int k = 0; k < p->before[block].n; k++) p->dirty[p->before[block].at[k]] = true;
        again = true;
    }
    return again;
}

static void settle_backward(Plan *p, Bits wanted) {
    all_dirty(p);
    for (int sweep = 0; sweep_backward(p, wanted, sweep >= MOST_SWEEPS);) sweep++;
}

/* p->in has the facts before each block here; afterwards only p->out is used. Launches that follow are computed first,
 * because the effect of a write depends on them. */
static void find_backward(Plan *p) {
    settle_backward(p, LATER_LAUNCH);
    for (int i = 0; i < p->n_order; i++)
        for (int slot = 0; slot < p->n; slot++) p->in[p->order[i]][slot] |= MUST;
    settle_backward(p, ALL_BITS);
}

/* Forward --------------------------------------------------------------------------------------------------------- */

/* May this launch map the array itself? `later`: the backward facts after it. */
static bool may_go_alone(const Event *e, Bits later) {
    if (later & LATER_LAUNCH || e->is_together) return false;
    return !(transfer_of(e) & TRANSFER_FROM) || !(later & MAY_READ) || later & MUST_READ;
}

static bool goes_alone(const Event *e, Bits later) {
    return e->kind == EVENT_PASS && e->launch && !e->launch->offload.async && !e->resident && may_go_alone(e, later);
}

/* Only that element comes: unless all of it is needed soon anyway. */
static bool peeks(const Event *e, Bits later) { return may_peek(e) && !(later & MUST_READ); }

/* A part is used now, and all of it soon: so all of it is copied now. */
static bool brings_whole(const Event *e, Bits later) {
    return !is_whole(e) && later & WHOLE_SOON && !e->launch->offload.async && !names_device(e);
}

static void behind_launch(const Event *e, Bits *fact, bool alone, bool all_goes_in) {
    Transfer t = transfer_of(e);
    if (t == TRANSFER_UNUSED || (alone && *fact & CLEAN)) return;
    *fact &= (Bits) ~(CLEAN | HOST_OWN);
    if (names_device(e)) *fact &= (Bits)(t & TRANSFER_FROM ? ~ON_DEVICE : ALL_FACTS);
    else if (is_whole(e) || all_goes_in) *fact |= ON_DEVICE;
    if (t & TRANSFER_FROM) *fact &= (Bits)~HOST_OK;
}

/* A single element that is copied leaves the rest of both copies as it is. */
static Bits behind_write(const Event *e, Bits fact, Bits later) {
    if (pokes(e, later)) return (Bits)(fact & ~DEVICE_OK);
    return (Bits)((fact | HOST_OK | HOST_OWN) & ~ON_DEVICE);
}

/* A call that only launches leaves arrays on the device that are there; it may exchange them with each other. The
 * events of one call follow one another, with at most one for each argument. */
static bool all_on_device(const FlowBlock *b, int k, const Bits *at) {
    const CallInfo *call = b->events.at[k].call;
    while (k > 0 && b->events.at[k - 1].call == call) k--;
    for (; k < b->events.n && b->events.at[k].call == call; k++) {
        const Event *e = &b->events.at[k];
        if (e->kind != EVENT_PASS || !(use_of_pass(e) & USE_LAUNCHES)) continue;
        if (use_of_pass(e) != USE_LAUNCHES || !(at[e->slot] & DEVICE_OK)) return false;
    }
    return true;
}

static void behind_event(const FlowBlock *b, int k, Bits *at, Bits later) {
    const Event *e = &b->events.at[k];
    Bits old = at[e->slot];
    switch (e->kind) {
    case EVENT_MAKE: at[e->slot] = make_is_unknown(e) ? 0 : FRESH; return;
    case EVENT_LEAVE: at[e->slot] = 0; return;
    case EVENT_MOVE:
        at[e->slot] = e->other >= 0 ? at[e->other] : 0;
        if (e->other >= 0) at[e->other] = 0;
        return;
    case EVENT_SWAP:
        at[e->slot] = e->other >= 0 ? at[e->other] : 0;
        if (e->other >= 0) at[e->other] = old;
        return;
    case EVENT_READ:
        if (!peeks(e, later)) at[e->slot] |= HOST_OK;
        return;
    case EVENT_FILL: at[e->slot] = (Bits)((old | HOST_OK | HOST_OWN) & ~ON_DEVICE); return;
    case EVENT_WRITE: at[e->slot] = behind_write(e, old, later); return;
    case EVENT_ENTER:
        if (e->copies) at[e->slot] = (Bits)((old | ON_DEVICE) & ~(CLEAN | HOST_OWN));
        return;
    case EVENT_PASS: {
        unsigned use = use_of_pass(e);
        if (e->launch) behind_launch(e, &at[e->slot], goes_alone(e, later), brings_whole(e, later));
        else if (use == USE_LAUNCHES) at[e->slot] = all_on_device(b, k, at) ? ON_DEVICE : 0;
        else if (use & USE_LAUNCHES) at[e->slot] = 0;
        else if (use & USE_WRITES) at[e->slot] = behind_write(e, old, later);
        else if (use && !peeks(e, later)) at[e->slot] |= HOST_OK;
        return;
    }
    }
}

/* The copies of a constant are good for ever. */
static void step_over(const Plan *p, const FlowBlock *b, int k, Bits *at, Bits later) {
    int slot = b->events.at[k].slot;
    Bits kept = is_constant(p, slot) ? at[slot] : 0;
    behind_event(b, k, at, later);
    at[slot] |= kept;
}

/* Backward facts after each event of a block, in order. */
static Bits *later_in_block(Plan *p, int block) {
    const FlowBlock *b = p->flow->blocks.at[block];
    Bits *later = arena_alloc(p->s->arena, (size_t)b->events.n + 1);
    memcpy(p->now, p->out[block], (size_t)p->n);
    for (int k = b->events.n; k-- > 0;) {
        later[k] = p->now[b->events.at[k].slot];
        before_event(&b->events.at[k], p->now);
    }
    return later;
}

static bool meet_into(Plan *p, Bits *into, const Bits *from, bool widen) {
    bool changed = false;
    for (int i = 0; i < p->n; i++) {
        Bits met = into[i] & from[i];
        changed |= met != into[i];
        into[i] = met;
    }
    if (changed && widen) memset(into, 0, (size_t)p->n);
    return changed;
}

static Bits at_entry(const Plan *p, int slot) {
    if (is_constant(p, slot)) return HOST_OK;
    if (!is_param(p, slot)) return 0;
    unsigned use = p->flow->func->facts->uses[p->flow->symbol[slot]->dim];
    return use & USE_LAUNCHES ? 0 : HOST_OK | HOST_OWN; /* the caller has seen to it */
}

static bool sweep_forward(Plan *p, Bits **later, bool widen) {
    bool again = false;
    for (int i = 0; i < p->n_order; i++) {
        int block = p->order[i];
        const FlowBlock *b = p->flow->blocks.at[block];
        if (!p->dirty[block]) continue;
        p->dirty[block] = false;
        memcpy(p->now, p->in[block], (size_t)p->n);
        for (int k = 0; k < b->events.n; k++) step_over(p, b, k, p->now, later[block][k]);
        for (int k = 0; k < b->n_next; k++)
            if (meet_into(p, p->in[b->next[k]], p->now, widen)) again = p->dirty[b->next[k]] = true;
    }
    return again;
}

static void find_forward(Plan *p, Bits **later) {
    for (int i = 0; i < p->n_order; i++) memset(p->in[p->order[i]], ALL_FACTS, (size_t)p->n);
    for (int i = 0; i < p->n; i++) p->in[0][i] = at_entry(p, i);
    all_dirty(p);
    for (int sweep = 0; sweep_forward(p, later, sweep >= MOST_SWEEPS);) sweep++;
}

/* The decisions ---------------------------------------------------------------------------------------------------- */

static SyncList *before_loop(const FlowLoop *loop) {
    return loop->comprehension ? &loop->comprehension->comprehend.syncs : &loop->stmt->for_.syncs;
}

static void ask(Plan *p, Event *e, Sync kind) {
    SyncPoint point = {p->flow->symbol[e->slot], kind};
    e->asked = point.kind;
    if (e->may_hoist && kind != SYNC_FILL) { /* before the loop it would discard what an iteration reads first */
        SyncList *list = before_loop(&p->flow->loops.at[e->loop]);
        int **asked = &p->asked[e->loop];
        if (!*asked) *asked = arena_array(p->s->arena, int, p->n + 1);
        int at = (*asked)[e->slot] - 1;
        if (at < 0) {
            vec_push(p->s->arena, list, point);
            (*asked)[e->slot] = list->n;
        } else if (kind > list->at[at].kind) {
            list->at[at].kind = kind;
        }
        return;
    }
    e->at->sync = point.kind;
}

static void moves(Plan *p, const Event *e, const char *why) {
    Diag *d = diag(p->s->c, E0620, e->span, "`%s` would have to be copied here, inside `offload resident`: %s",
                   event_array_name(p->s, p->flow, e), why);
    Span block = {e->resident->span.lo, e->resident->block.block->span.lo};
    diag_note(p->s->c, d, block, "no array is copied from here to the end of the block");
}

static Sync sync_of_host(const Event *e, Bits later, bool writes) {
    if (!writes) return peeks(e, later) ? SYNC_PEEK : SYNC_READ;
    if (!pokes(e, later)) return SYNC_WRITE;
    return reads_of_poke(e) ? SYNC_UPDATE : SYNC_POKE;
}

static void decide_host(Plan *p, Event *e, Bits fact, Bits later, bool writes) {
    bool settled = writes ? (fact & HOST_OK) && (fact & HOST_OWN) : fact & HOST_OK;
    if (e->resident && !(fact & HOST_OK))
        moves(p, e, writes ? "its newest values are on the device, and the host changes some of them"
                           : "its newest values are on the device, and the host reads them");
    if (settled) return;
    ask(p, e, sync_of_host(e, later, writes));
    e->at->more = later & READ_SOON;
}

/* What it held is not needed: no copy, but the device's is not to be used any more. */
static void decide_fill(Plan *p, Event *e, Bits fact) {
    if ((fact & HOST_OK) && (fact & HOST_OWN)) return;
    if (e->at) ask(p, e, SYNC_FILL);
    else {
        SyncPoint point = {p->flow->symbol[e->slot], SYNC_FILL};
        e->asked = point.kind;
        vec_push(p->s->arena, &e->loop_stmt->for_.syncs, point);
    }
}

static void decide_launch(Plan *p, Event *e, Bits fact, Bits later, bool alone) {
    LaunchPlan *plan = e->launch->offload.plan;
    if (!plan) {
        plan = e->launch->offload.plan = arena_new(p->s->arena, LaunchPlan);
        plan->args = arena_array(p->s->arena, ArgPlan, e->call->func->params.n + 1);
        for (int i = 0; i < e->call->func->params.n; i++) plan->args[i].transfer = e->call->func->transfers.at[i];
    }
    ArgPlan *a = &plan->args[e->param];
    a->transfer = transfer_of(e);
    PartlyWritten *part = e->call->func->facts->parts;
    if (part) part[e->param].n_launches++, part[e->param].n_together += e->is_together;
    if (a->transfer == TRANSFER_UNUSED) return;
    a->resident = !(alone && fact & CLEAN);
    a->is_there = fact & DEVICE_OK && !names_device(e);
    a->only_parts = !a->is_there && fact & DEVICE_MOST && !names_device(e);
    a->brings_whole = a->resident && !a->is_there && brings_whole(e, later);
    if (e->resident && names_device(e))
        moves(p, e, "the launch names a device, which may be another one than the default, where it is");
    else if (e->resident && a->transfer & TRANSFER_TO && !a->is_there)
        moves(p, e, "the launch reads it, and its newest values may be on the host");
    if (!a->resident && !(later & MAY_READ)) a->transfer &= (Transfer)~TRANSFER_FROM;
}

static void decide_resident_call(Plan *p, const Event *e, Bits fact, unsigned use) {
    const char *callee = e->call->func->name;
    if (use != USE_LAUNCHES && !is_constant(p, e->slot))
        moves(p, e, arena_printf(p->s->arena, "`%s` uses it on the host as well", callee));
    else if (!(fact & DEVICE_OK))
        moves(p, e, arena_printf(p->s->arena, "`%s` launches with it, and its newest values may be on the host",
                                 callee));
}

static void decide_block(Plan *p, int block, const Bits *later) {
    FlowBlock *b = p->flow->blocks.at[block];
    Bits *at = p->now;
    memcpy(at, p->in[block], (size_t)p->n);
    for (int k = 0; k < b->events.n; k++) {
        Event *e = &b->events.at[k];
        bool alone = goes_alone(e, later[k]);
        unsigned use = e->kind == EVENT_PASS ? use_of_pass(e) : 0;
        if (e->kind == EVENT_READ) decide_host(p, e, at[e->slot], later[k], false);
        else if (e->kind == EVENT_WRITE) decide_host(p, e, at[e->slot], later[k], true);
        else if (e->kind == EVENT_FILL) decide_fill(p, e, at[e->slot]);
        else if (use & USE_FILLS && !(use & USE_LAUNCHES)) decide_fill(p, e, at[e->slot]);
        else if (e->kind == EVENT_PASS && e->launch) decide_launch(p, e, at[e->slot], later[k], alone);
        else if (use && !(use & USE_LAUNCHES)) decide_host(p, e, at[e->slot], later[k], use & USE_WRITES);
        else if (use && e->resident) decide_resident_call(p, e, at[e->slot], use);
        else if (e->kind == EVENT_ENTER && e->copies) {
            SyncPoint point = {p->flow->symbol[e->slot], SYNC_DEVICE};
            vec_push(p->s->arena, &e->resident->block.enter, point);
        }
        step_over(p, b, k, at, later[k]);
    }
}

/* Resident blocks: which of their arrays come in at the beginning? Those that a launch inside reads before another one
 * has written them: first none is assumed to, then each that was missed. */
static bool needs_device(const Event *e, Bits fact) {
    if (e->kind != EVENT_PASS || !e->resident || fact & DEVICE_OK || (e->launch && names_device(e))) return false;
    return e->launch ? transfer_of(e) & TRANSFER_TO : use_of_pass(e) & USE_LAUNCHES;
}

static int compare_slots(const void *x, const void *y) {
    return ((const FlowEnter *)x)->slot - ((const FlowEnter *)y)->slot;
}

static bool copy_in(Event *enter) {
    bool is_new = !enter->copies;
    enter->copies = true;
    return is_new;
}

static bool copy_at_entry(Plan *p, const Event *e) {
    const FlowResident *r = &p->flow->residents.at[e->resident_no];
    FlowEnter wanted = {e->slot, 0};
    const FlowEnter *found = bsearch(&wanted, r->enters, (size_t)r->n, sizeof wanted, compare_slots);
    return found && copy_in(&r->before->events.at[found->at]);
}

/* The array came from another variable, by a swap. */
static bool copy_all_at_entry(Plan *p, const Event *e) {
    const FlowResident *r = &p->flow->residents.at[e->resident_no];
    bool changed = false;
    for (int i = 0; i < r->n; i++) changed |= copy_in(&r->before->events.at[r->enters[i].at]);
    return changed;
}

static bool copy_missed(Plan *p, Bits **later, bool (*copy)(Plan *p, const Event *e)) {
    bool changed = false;
    for (int i = 0; i < p->n_order; i++) {
        const FlowBlock *b = p->flow->blocks.at[p->order[i]];
        memcpy(p->now, p->in[p->order[i]], (size_t)p->n);
        for (int k = 0; k < b->events.n; k++) {
            const Event *e = &b->events.at[k];
            if (needs_device(e, p->now[e->slot])) changed |= copy(p, e);
            step_over(p, b, k, p->now, later[p->order[i]][k]);
        }
    }
    return changed;
}

/* Requests only grow, so the fixpoint is reached after a few iterations. */
static bool find_missed(Plan *p, Bits **later) {
    return copy_missed(p, later, copy_at_entry) || copy_missed(p, later, copy_all_at_entry);
}

static Bits **bits_by_block(Plan *p) {
    Bits **bits = arena_array(p->s->arena, Bits *, p->flow->blocks.n + 1);
    for (int i = 0; i < p->flow->blocks.n; i++) bits[i] = arena_alloc(p->s->arena, (size_t)p->n + 1);
    return bits;
}

static bool is_too_large(Plan *p, const Func *f) {
    int64_t blocks = p->flow->blocks.n;
    if (blocks * p->n <= MOST_CELLS) return false;
    Diag *d = diag(p->s->c, E0623, f->name_span, "cannot plan the transfers of `%s`: it has %d arrays and %d branches",
                   f->name, p->n, (int)blocks);
    diag_note(p->s->c, d, f->name_span, "the limit is %d for arrays times branches; move parts of it into functions",
              MOST_CELLS);
    return true;
}

/* Predecessors of blocks, and the innermost loop of each block (inner loops come later in the list). */
static void find_surroundings(Plan *p) {
    int n = p->flow->blocks.n;
    p->dirty = arena_array(p->s->arena, bool, n + 1);
    p->before = arena_array(p->s->arena, IntList, n + 1);
    p->loop_of = arena_array(p->s->arena, int, n + 1);
    for (int i = 0; i < n; i++) p->loop_of[i] = -1;
    for (int l = 0; l < p->flow->loops.n; l++)
        for (int i = p->flow->loops.at[l].first; i < p->flow->loops.at[l].last; i++) p->loop_of[i] = l;
    for (int i = 0; i < p->n_order; i++) {
        const FlowBlock *b = p->flow->blocks.at[p->order[i]];
        for (int k = 0; k < b->n_next; k++) vec_push(p->s->arena, &p->before[b->next[k]], p->order[i]);
    }
    p->unsettled = arena_array(p->s->arena, unsigned char *, p->flow->loops.n + 1);
    p->asked = arena_array(p->s->arena, int *, p->flow->loops.n + 1);
}

/* The function launches something, itself or in a callee, or it has arrays that may be on a device: left there by
 * earlier inputs of a session, or by callers, whose arrays it may replace. */
static bool may_find_resident(const Func *f) {
    bool found = f->effects & EFFECT_OFFLOAD || f->is_input;
    for (int i = 0; i < f->params.n; i++) found |= (f->facts->uses[i] & USE_LAUNCHES) != 0;
    return found;
}

void plan_transfers(Sema *s, Func *f) { /* of a program that launches something */
    Plan p = {.s = s, .flow = f->facts->flow};
    if (!p.flow || !may_find_resident(f)) return;
    p.n = p.flow->n_slots;
    if (is_too_large(&p, f)) return;
    p.in = bits_by_block(&p);
    p.out = bits_by_block(&p);
    p.now = arena_alloc(s->arena, (size_t)p.n + 1);
    together_find(s, p.flow);
    find_order(&p);
    find_surroundings(&p);
    find_hoistable(&p);
    find_backward(&p);
    Bits **later = arena_array(s->arena, Bits *, p.flow->blocks.n + 1);
    for (int i = 0; i < p.n_order; i++) later[p.order[i]] = later_in_block(&p, p.order[i]);
    do find_forward(&p, later);
    while (find_missed(&p, later));
    for (int i = 0; i < p.n_order; i++) decide_block(&p, p.order[i], later[p.order[i]]);
}
