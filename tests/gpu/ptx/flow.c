/* flow.c -- convergence. At an aligned barrier, which is what compilers write, PTX wants all threads of a warp, and not
   some now and the others later, though threads progress independently and a scheduler may well let them come one by
   one. So this does not look at who waits, but at control flow: threads part at a conditional branch and meet at its
   immediate post-dominator. Those that wait at a barrier have to be all of the warp's that have not ended, and none may
   be in a different branch. */
#include "tests/gpu/ptx/grid.h"
#include <stdlib.h>

static bool may_fall_through(const Ins *i) {
    bool leaves = i->op == OP_bra || i->op == OP_brx || i->op == OP_ret || i->op == OP_exit || i->op == OP_trap;
    return i->guard >= 0 || !leaves;
}

/* The places after an instruction; n_code is the function's end. A trap ends the grid, and has none. */
static int n_after(const PtxFunction *f, int pc) {
    const Ins *i = &f->code[pc];
    if (i->op == OP_brx) return f->code[i->target - 1].target - i->target;
    return (i->op == OP_bra || i->op == OP_ret || i->op == OP_exit) + may_fall_through(i);
}

static int after(const PtxFunction *f, int pc, int k) {
    const Ins *i = &f->code[pc];
    if (i->op == OP_brx) return i->target + k;
    if (k == 0 && i->op == OP_bra) return i->target;
    if (k == 0 && (i->op == OP_ret || i->op == OP_exit)) return f->n_code;
    return pc + 1;
}

typedef struct {
    int *first, *list;  /* predecessors of a place: list[first[pc]] up to list[first[pc + 1]] */
    int *order, *place; /* reverse post-order from the end, against the edges; and where a place stands in it */
    int n_order;
    int *dominator; /* immediate post-dominator */
} Flow;

static void find_predecessors(const PtxFunction *f, Flow *w) {
    for (int pc = 0; pc < f->n_code; pc++)
        for (int k = 0; k < n_after(f, pc); k++) w->first[after(f, pc, k) + 1]++;
    for (int pc = 0; pc <= f->n_code; pc++) w->first[pc + 1] += w->first[pc];
    int *fill = calloc((size_t)f->n_code + 1, sizeof *fill);
    w->list = calloc((size_t)w->first[f->n_code + 1] + 1, sizeof *w->list);
    for (int pc = 0; pc < f->n_code; pc++)
        for (int k = 0; k < n_after(f, pc); k++) {
            int to = after(f, pc, k);
            w->list[w->first[to] + fill[to]++] = pc;
        }
    free(fill);
}

/* Post-order by a stack of places and how many of their predecessors are done. */
static void number_places(const PtxFunction *f, Flow *w) {
    int n = f->n_code + 1, depth = 0, at = n;
    int *stack = calloc((size_t)n, sizeof *stack), *done = calloc((size_t)n, sizeof *done);
    for (int pc = 0; pc < n; pc++) w->place[pc] = -1;
    stack[depth++] = f->n_code;
    w->place[f->n_code] = 0;
    while (depth) {
        int pc = stack[depth - 1];
        if (w->first[pc] + done[pc] == w->first[pc + 1]) {
            w->order[--at] = pc, depth--;
            continue;
        }
        int from = w->list[w->first[pc] + done[pc]++];
        if (w->place[from] < 0) w->place[from] = 0, stack[depth++] = from;
    }
    w->n_order = n - at;
    for (int k = 0; k < w->n_order; k++) w->order[k] = w->order[at + k], w->place[w->order[k]] = k;
    free(stack), free(done);
}

static int common(const Flow *w, int a, int b) {
    while (a != b) {
        while (w->place[a] > w->place[b]) a = w->dominator[a];
        while (w->place[b] > w->place[a]) b = w->dominator[b];
    }
    return a;
}

/* Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. */
static void find_dominators(const PtxFunction *f, Flow *w) {
    for (int pc = 0; pc < f->n_code; pc++) w->dominator[pc] = -1;
    w->dominator[f->n_code] = f->n_code;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 1; k < w->n_order; k++) {
            int pc = w->order[k], found = -1;
            for (int s = 0; s < n_after(f, pc); s++) {
                int to = after(f, pc, s);
                if (w->dominator[to] >= 0) found = found < 0 ? to : common(w, to, found);
            }
            changed |= w->dominator[pc] != found;
            w->dominator[pc] = found;
        }
    }
}

/* Where no way leads to the end (an endless loop), ways meet nowhere: at the end. */
void ptx_find_meets(PtxFunction *f) {
    size_t n = (size_t)f->n_code + 2;
    Flow w = {.first = calloc(n, sizeof(int)),
              .order = calloc(n, sizeof(int)),
              .place = calloc(n, sizeof(int)),
              .dominator = calloc(n, sizeof(int))};
    find_predecessors(f, &w);
    number_places(f, &w);
    find_dominators(f, &w);
    for (int pc = 0; pc < f->n_code; pc++) {
        Ins *i = &f->code[pc];
        if (i->guard < 0 && i->op != OP_brx) continue;
        i->meet = w.dominator[pc] < 0 ? f->n_code : w.dominator[pc];
        if (i->meet < f->n_code) f->code[i->meet].meets = true;
    }
    free(w.first), free(w.list), free(w.order), free(w.place), free(w.dominator);
}

/* While a kernel runs ---------------------------------------------------------------------------------------------- */

void ptx_split_by(Grid *g, Thread *t, int pc, uint64_t direction) {
    int meet = t->frames[t->depth - 1].function->code[pc].meet;
    Split *s = t->n_splits ? &t->splits[t->n_splits - 1] : NULL;
    if (!s || s->depth != t->depth || s->meet != meet) {
        if (t->n_splits == MAX_SPLITS) ptx_stop(g, "branches in branches, too many", NULL);
        s = &t->splits[t->n_splits++];
        *s = (Split){.depth = t->depth, .meet = meet};
    }
    s->path = (s->path ^ ((uint64_t)pc << 20 ^ direction)) * UINT64_C(0x9e3779b97f4a7c15);
    s->path ^= s->path >> 29;
}

void ptx_split(Grid *g, Thread *warp, uint32_t lanes, uint32_t taken, int pc) {
    EACH_LANE(l, lanes) ptx_split_by(g, &warp[l], pc, 1 + (taken >> l & 1));
}

void ptx_meet(Thread *warp, uint32_t lanes, int pc) {
    EACH_LANE(l, lanes) {
        Thread *t = &warp[l];
        while (t->n_splits && t->splits[t->n_splits - 1].meet == pc && t->splits[t->n_splits - 1].depth == t->depth)
            t->n_splits--;
    }
}

void ptx_leave_splits(Thread *t) {
    while (t->n_splits && t->splits[t->n_splits - 1].depth > t->depth) t->n_splits--;
}

static bool are_together(const Thread *a, const Thread *b) {
    const Frame *f = &a->frames[a->depth - 1], *g = &b->frames[b->depth - 1];
    if (a->depth != b->depth || f->function != g->function || f->pc != g->pc) return false;
    if (a->n_splits != b->n_splits) return false;
    for (int k = 0; k < a->n_splits; k++)
        if (a->splits[k].meet != b->splits[k].meet || a->splits[k].path != b->splits[k].path) return false;
    return true;
}

void ptx_check_barrier(Grid *g, const Thread *warp, int n) {
    const Thread *first = NULL;
    for (int k = 0; k < n; k++) {
        const Thread *t = &warp[k];
        if (t->state != AT_BARRIER) continue;
        const Frame *f = &t->frames[t->depth - 1];
        const Ins *i = &f->function->code[f->pc - 1];
        if (i->op != OP_bar && !(i->flags & MOD(aligned))) continue;
        if (first && !are_together(first, t)) ptx_stop(g, "a barrier that lanes of a warp do not reach together", i);
        if (!first) first = t;
    }
}
