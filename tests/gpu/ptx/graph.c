/* graph.c -- the control flow of a function: where ways that part at a conditional branch meet (the branch's immediate
   post-dominator), and which loops are around a barrier. A place is an instruction; n_code is the function's end. */
#include "tests/gpu/ptx/run.h"
#include <stdlib.h>
#include <string.h>

static bool may_fall_through(const Ins *i) {
    bool leaves = i->op == OP_bra || i->op == OP_brx || i->op == OP_ret || i->op == OP_exit || i->op == OP_trap;
    return i->guard >= 0 || !leaves;
}

/* How many places come after an instruction. A trap ends the grid, and has none. */
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

/* Of each place those that come after it, or before it: list[first[pc]] up to list[first[pc + 1]]. */
typedef struct {
    int n, *first, *list;
} Edges;

static int *numbers(int n) { return calloc((size_t)n + 1, sizeof(int)); }

static void free_edges(Edges *e) { free(e->first), free(e->list); }

static Edges edges_of(const PtxFunction *f, bool backward) {
    Edges e = {.n = f->n_code + 1, .first = numbers(f->n_code + 1)};
    for (int pc = 0; pc < f->n_code; pc++)
        for (int k = 0; k < n_after(f, pc); k++) e.first[(backward ? after(f, pc, k) : pc) + 1]++;
    for (int pc = 0; pc < e.n; pc++) e.first[pc + 1] += e.first[pc];
    int *filled = numbers(e.n);
    e.list = numbers(e.first[e.n]);
    for (int pc = 0; pc < f->n_code; pc++)
        for (int k = 0; k < n_after(f, pc); k++) {
            int to = after(f, pc, k), at = backward ? to : pc;
            e.list[e.first[at] + filled[at]++] = backward ? pc : to;
        }
    free(filled);
    return e;
}

/* Reverse post-order from the root: places, and each place's number; -1 for what is not reached. */
static int number_places(const Edges *out, int root, int *order, int *place) {
    int depth = 0, at = out->n, *stack = numbers(out->n), *done = numbers(out->n);
    for (int pc = 0; pc < out->n; pc++) place[pc] = -1;
    stack[depth++] = root;
    place[root] = 0;
    while (depth) {
        int pc = stack[depth - 1];
        if (out->first[pc] + done[pc] == out->first[pc + 1]) {
            order[--at] = pc, depth--;
            continue;
        }
        int to = out->list[out->first[pc] + done[pc]++];
        if (place[to] < 0) place[to] = 0, stack[depth++] = to;
    }
    memmove(order, order + at, (size_t)(out->n - at) * sizeof *order);
    for (int k = 0; k < out->n - at; k++) place[order[k]] = k;
    free(stack), free(done);
    return out->n - at;
}

static int common(const int *dominator, const int *place, int a, int b) {
    while (a != b) {
        while (place[a] > place[b]) a = dominator[a];
        while (place[b] > place[a]) b = dominator[b];
    }
    return a;
}

/* Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm); with both edges turned round,
   post-dominators. -1: not reached from the root. */
static int *dominators(const Edges *out, const Edges *in, int root) {
    int *order = numbers(out->n), *place = numbers(out->n), *dominator = numbers(out->n);
    int n = number_places(out, root, order, place);
    for (int pc = 0; pc < out->n; pc++) dominator[pc] = -1;
    dominator[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 1; k < n; k++) {
            int found = -1;
            for (int e = in->first[order[k]]; e < in->first[order[k] + 1]; e++) {
                int from = in->list[e];
                if (dominator[from] >= 0) found = found < 0 ? from : common(dominator, place, from, found);
            }
            changed |= dominator[order[k]] != found;
            dominator[order[k]] = found;
        }
    }
    free(order), free(place);
    return dominator;
}

/* Where no way leads to the end (an endless loop), ways meet nowhere: at the end. */
static void find_meets(PtxFunction *f, const int *dominator) {
    for (int pc = 0; pc < f->n_code; pc++) {
        Ins *i = &f->code[pc];
        if (i->guard < 0 && i->op != OP_brx) continue;
        i->meet = dominator[pc] < 0 ? f->n_code : dominator[pc];
        if (i->meet < f->n_code) f->code[i->meet].meets = true;
    }
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

static bool dominates(const int *dominator, int a, int b) {
    for (; b > 0 && b != a; b = dominator[b])
        if (dominator[b] < 0) return false;
    return a == b;
}

/* Marks the places of the loop whose header it is: all that lead back to it, or to it from `latch` only (-1: any).
   Returns how many; 0: it is none. */
static int mark_loop(const Edges *in, const int *dominator, int header, int latch, bool *inside, int *stack) {
    int depth = 0, n = 0;
    memset(inside, 0, (size_t)in->n * sizeof *inside);
    for (int e = in->first[header]; e < in->first[header + 1]; e++)
        if ((latch < 0 || in->list[e] == latch) && dominates(dominator, header, in->list[e]))
            stack[depth++] = in->list[e];
    if (!depth) return 0;
    inside[header] = true, n++;
    while (depth) {
        int pc = stack[--depth];
        if (inside[pc]) continue;
        inside[pc] = true, n++;
        for (int e = in->first[pc]; e < in->first[pc + 1]; e++)
            if (!inside[in->list[e]] && dominator[in->list[e]] >= 0) stack[depth++] = in->list[e];
    }
    return n;
}

static bool holds_barrier(const PtxFunction *f, const bool *inside) {
    for (int pc = 0; pc < f->n_code; pc++)
        if (inside[pc] && (f->code[pc].op == OP_bar || f->code[pc].op == OP_barrier)) return true;
    return false;
}

/* Two loops that begin at one place look like one: iterations of the inner one do not count if no barrier is in it. */
static void mark_quiet(PtxFunction *f, const Edges *in, const int *dominator, int header, bool *inside, int *stack) {
    for (int e = in->first[header]; e < in->first[header + 1]; e++) {
        int latch = in->list[e], n = mark_loop(in, dominator, header, latch, inside, stack);
        if (n && !holds_barrier(f, inside)) f->code[latch].quiet = true;
    }
}

static int larger_first(const void *a, const void *b) {
    return ((const PtxLoop *)b)->n_places - ((const PtxLoop *)a)->n_places;
}

/* Only loops around barriers: in which iteration a thread is matters there. */
static void find_loops(PtxFunction *f, const Edges *in, const int *dominator) {
    bool *inside = calloc((size_t)in->n, sizeof *inside);
    int *stack = numbers(in->first[in->n] + in->n);
    f->loops = calloc((size_t)in->n, sizeof *f->loops);
    f->loop_of = malloc((size_t)in->n * sizeof *f->loop_of);
    for (int pc = 0; pc < f->n_code; pc++) {
        int n = f->code[pc].joins && dominator[pc] >= 0 ? mark_loop(in, dominator, pc, -1, inside, stack) : 0;
        if (n && holds_barrier(f, inside)) f->loops[f->n_loops++] = (PtxLoop){.header = pc, .n_places = n};
    }
    qsort(f->loops, (size_t)f->n_loops, sizeof *f->loops, larger_first);
    memset(f->loop_of, 0xff, (size_t)in->n * sizeof *f->loop_of); /* -1 */
    for (int l = 0; l < f->n_loops; l++) {
        int header = f->loops[l].header;
        mark_quiet(f, in, dominator, header, inside, stack);
        mark_loop(in, dominator, header, -1, inside, stack);
        f->code[header].heads = true;
        f->loops[l].parent = f->loop_of[header];
        for (int pc = 0; pc < f->n_code; pc++)
            if (inside[pc]) f->loop_of[pc] = l;
    }
    free(inside), free(stack);
}

static bool has_barrier(const PtxFunction *f) {
    for (int pc = 0; pc < f->n_code; pc++)
        if (f->code[pc].op == OP_bar || f->code[pc].op == OP_barrier) return true;
    return false;
}

void ptx_find_flow(PtxFunction *f) {
    Edges out = edges_of(f, false), in = edges_of(f, true);
    int *after_all = dominators(&in, &out, f->n_code);
    find_meets(f, after_all);
    free(after_all);
    if (has_barrier(f)) {
        int *before_all = dominators(&out, &in, 0);
        find_loops(f, &in, before_all);
        free(before_all);
    }
    free_edges(&out), free_edges(&in);
}
