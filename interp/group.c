/* group.c -- kernels in groups, one group after another. The items of a group are coroutines: each runs up to the next
 * barrier, and when all have reached it, they continue. A seed changes the order of the items after each barrier, so
 * that results which depend on the order, or on what the previous group has left in shared memory, become visible. */
#include <stdlib.h>

#include "interp/run.h"

enum { FIBER_BYTES = 256 << 10 };

typedef struct Member { /* a work item of the group */
    Frame frame;
    WorkItem item;
    Slot *slots;
    const Stmt *waits; /* the barrier at which it is, or NULL */
    bool ended;
} Member;

typedef struct Team {
    Launch *l;
    const Group *group;
    Member *members;
    Array shared[64]; /* descriptors, in the order of Group.shared */
    int64_t groups[3], at[3]; /* along each axis */
    char nowhere[64]; /* the value of an item outside of the domain */
    bool waits;       /* there are barriers */
} Team;

static void set(Frame *f, const Symbol *sym, Const v) { interp_store(sym->type, interp_declare(f, sym), v); }

/* The position of item `number` of the group. */
static void place_member(Team *t, Member *m, int64_t number, int64_t group_number) {
    Launch *l = t->l;
    const Group *g = t->group;
    bool inside = true;
    int64_t rest = number;
    for (int d = l->kernel->domain.n; d-- > 0; rest /= g->by[d]) {
        int64_t local = rest % g->by[d], k = t->at[d] * g->by[d] + local;
        inside = inside && k < l->trips[d];
        interp_item_goes_to(&m->frame, d, k);
        set(&m->frame, g->local[d], const_int(local));
        set(&m->frame, g->at[d], const_int(t->at[d]));
        set(&m->frame, g->count[d], const_int(t->groups[d]));
    }
    set(&m->frame, g->inside, const_bool(inside));
    int64_t value = group_number * g->items + number;
    m->frame.result = l->values && inside ? l->values + value * l->value_bytes : t->nowhere;
    m->waits = NULL;
    m->ended = false;
}

static void run_member(void *with) {
    Member *m = with;
    interp_block(&m->frame, m->frame.fn->item->fn.body);
}

void interp_barrier(Frame *f, const Stmt *s) {
    Member *m = (Member *)f; /* a barrier is in the kernel itself, never in a function */
    m->waits = s;
    fiber_yield(f->item->fiber);
}

/* Up to the next barrier. */
static void turn(Team *t, Member *m) {
    if (t->waits) m->ended = !fiber_resume(m->item.fiber);
    else run_member(m);
    if (!t->waits) m->ended = true;
    if (m->ended) m->waits = NULL;
}

/* All items of a group reach a barrier, or none (sema/barrier.c). */
static void check_meeting(Team *t) {
    const Stmt *where = t->members[0].waits;
    for (int64_t i = 1; i < t->group->items; i++) {
        Member *m = &t->members[i];
        const Stmt *other = where ? where : m->waits;
        if (m->waits != where) interp_was_proven(&m->frame, other->span, "only some items of a group come here");
    }
}

static void run_group(Team *t, int64_t number) {
    Launch *l = t->l;
    int64_t rest = number, n = t->group->items;
    for (int d = l->kernel->domain.n; d-- > 0; rest /= t->groups[d]) t->at[d] = rest % t->groups[d];
    for (int i = 0; i < t->group->shared.n; i++)
        interp_poison(t->shared[i].data, interp_bytes(t->group->shared.at[i]->type, &t->shared[i]));
    for (int64_t i = 0; i < n; i++) {
        place_member(t, &t->members[i], i, number);
        if (t->waits) fiber_start(t->members[i].item.fiber, run_member, &t->members[i]);
    }
    do {
        Order order = interp_order(l->run, n);
        for (int64_t i = 0; i < n; i++) turn(t, &t->members[interp_in_order(&order, i)]);
        check_meeting(t);
    } while (!t->members[0].ended);
}

static void team_begin(Team *t) {
    Launch *l = t->l;
    int64_t n = t->group->items, n_slots = l->kernel->n_symbols + 1;
    t->members = calloc((size_t)n, sizeof *t->members);
    Slot *slots = calloc((size_t)(n * n_slots), sizeof *slots);
    if (!t->members || !slots) abort();
    for (int i = 0; i < t->group->shared.n; i++) {
        const Symbol *sym = t->group->shared.at[i];
        int64_t ext[MAX_RANK];
        for (int d = 0; d < sym->type->rank; d++) ext[d] = sym->dims[d].value;
        t->shared[i] = interp_array_new(l->frame, sym->type, ext, sym->span);
    }
    for (int64_t i = 0; i < n; i++) {
        Member *m = &t->members[i];
        m->slots = slots + i * n_slots;
        interp_item_begin(&m->frame, l, m->slots, &m->item);
        if (t->waits) m->item.fiber = fiber_new(FIBER_BYTES);
        for (int k = 0; k < t->group->shared.n; k++) m->slots[t->group->shared.at[k]->id].at = &t->shared[k];
    }
}

static void team_end(Team *t) {
    for (int64_t i = 0; i < t->group->items; i++) {
        interp_frame_end(&t->members[i].frame);
        if (t->waits) fiber_free(t->members[i].item.fiber);
    }
    for (int i = 0; i < t->group->shared.n; i++) interp_array_free(&t->shared[i]);
    free(t->members[0].slots);
    free(t->members);
}

void interp_groups(Launch *l) {
    const Func *k = l->kernel;
    Team t = {.l = l, .group = &k->group, .waits = block_holds(k->item->fn.body, 1 << STMT_BARRIER)};
    int64_t n = 1;
    if (k->group.shared.n > (int)(sizeof t.shared / sizeof *t.shared))
        interp_unsupported(l->frame, k->name_span, "this kernel has %d shared arrays", k->group.shared.n);
    for (int d = 0; d < k->domain.n; d++) {
        t.groups[d] = (l->trips[d] + k->group.by[d] - 1) / k->group.by[d];
        n *= t.groups[d];
    }
    team_begin(&t);
    Order order = interp_order(l->run, n);
    for (int64_t i = 0; i < n; i++) run_group(&t, interp_in_order(&order, i));
    team_end(&t);
}
