/* flow.c -- convergence. At an aligned barrier, which is what compilers write, PTX wants all threads of a warp, and not
   some now and the others later, though threads progress independently and a scheduler may well let them come one by
   one. So this does not look at who waits, but at control flow. Threads part at a conditional branch and meet at its
   immediate post-dominator; they part also where some leave a loop and others stay, until all have left. Those that
   wait at a barrier have to be all of the warp's that have not ended, in no different branches, and in the same
   iteration of each loop around the barrier. */
#include "tests/gpu/ptx/grid.h"

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

static bool is_around(const PtxFunction *f, int loop, int pc) {
    int around = f->loop_of[pc];
    while (around >= 0 && around != loop) around = f->loops[around].parent;
    return around >= 0;
}

/* Of the loops that the thread was in last, those around this place. */
static void leave_loops(Thread *t, const PtxFunction *f, int pc) {
    for (; t->n_turns; t->n_turns--) {
        const Turn *last = &t->turns[t->n_turns - 1];
        if (last->depth < t->depth || (last->depth == t->depth && is_around(f, last->loop, pc))) return;
    }
}

void ptx_turn(Grid *g, Thread *warp, uint32_t lanes, int pc) {
    EACH_LANE(l, lanes) {
        Thread *t = &warp[l];
        const Frame *frame = &t->frames[t->depth - 1];
        const PtxFunction *f = frame->function;
        int loop = f->loop_of[pc];
        leave_loops(t, f, pc);
        Turn *last = t->n_turns ? &t->turns[t->n_turns - 1] : NULL;
        if (last && last->depth == t->depth && last->loop == loop && is_around(f, loop, frame->from)) {
            last->n += !f->code[frame->from].quiet;
            continue;
        }
        if (t->n_turns == MAX_TURNS) ptx_stop(g, "loops in loops, too many", NULL);
        t->turns[t->n_turns++] = (Turn){.depth = t->depth, .loop = loop};
    }
}

void ptx_return(Thread *t) {
    while (t->n_splits && t->splits[t->n_splits - 1].depth > t->depth) t->n_splits--;
    while (t->n_turns && t->turns[t->n_turns - 1].depth > t->depth) t->n_turns--;
}

static bool are_together(const Thread *a, const Thread *b) {
    const Frame *f = &a->frames[a->depth - 1], *g = &b->frames[b->depth - 1];
    if (a->depth != b->depth || f->function != g->function || f->pc != g->pc) return false;
    if (a->n_splits != b->n_splits || a->n_turns != b->n_turns) return false;
    for (int k = 0; k < a->n_splits; k++)
        if (a->splits[k].meet != b->splits[k].meet || a->splits[k].path != b->splits[k].path) return false;
    for (int k = 0; k < a->n_turns; k++)
        if (a->turns[k].loop != b->turns[k].loop || a->turns[k].n != b->turns[k].n) return false;
    return true;
}

void ptx_check_barrier(Grid *g, Thread *warp, int n) {
    const Thread *first = NULL;
    for (int k = 0; k < n; k++) {
        Thread *t = &warp[k];
        if (t->state != AT_BARRIER) continue;
        const Frame *f = &t->frames[t->depth - 1];
        const Ins *i = &f->function->code[f->pc - 1];
        if (i->op != OP_bar && !(i->flags & MOD(aligned))) continue;
        leave_loops(t, f->function, f->pc - 1);
        if (first && !are_together(first, t)) ptx_stop(g, "a barrier that lanes of a warp do not reach together", i);
        if (!first) first = t;
    }
}
