/* run.c -- a grid: blocks in flight, of a block its warps, of a warp some lanes (threads) at one place, which execute
   instructions together until they part or wait for others: for the block at a barrier, for the warp at a shuffle or a
   vote. Which block, warp and lanes come next is a choice (order.c): fixed, or random. */
#define _GNU_SOURCE
#include "tests/gpu/ptx/grid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Noreturn void ptx_stop(Grid *g, const char *what, const Ins *i) {
    int n = i ? (int)strcspn(i->text, ";") : 0;
    snprintf(g->why, sizeof g->why, "%s: %.*s", what, n < 150 ? n : 150, i ? i->text : "");
    longjmp(g->stop, 1);
}

/* Operands --------------------------------------------------------------------------------------------------------- */

static uint64_t lanes_where(int lane, int how) {
    uint32_t mine = 1u << lane, below = mine - 1;
    return how == 0 ? below : how == 1 ? below | mine : how == 2 ? mine : how == 3 ? ~below : ~(below | mine);
}

/* In the order of SPECIALS in decode.c. */
static uint64_t special(const Grid *g, const Thread *t, int which) {
    int lane = t->number % WARP;
    if (which < 3) return t->id[which];
    if (which < 6) return g->launch->block[which - 3];
    if (which < 9) return g->now->id[which - 6];
    if (which < 12) return g->launch->grid[which - 9];
    switch (which) {
    case 12: return (uint64_t)lane;
    case 13: return (uint64_t)(t->number / WARP);
    case 14:
    case 15: return g->n_steps;
    case 16: return g->launch->dynamic_bytes;
    case 17:
    case 18:
    case 19:
    case 20:
    case 21: return lanes_where(lane, which - 17);
    case 23: return 1;
    case 24: return (uint64_t)(mock_now() * 1e9);
    case 25: return (uint64_t)((g->n_threads + WARP - 1) / WARP);
    }
    return 0;
}

static uint64_t in_shared(const Grid *g, uint64_t offset) {
    uint32_t behind = (g->program->shared_bytes + 15) & ~15u; /* UINT32_MAX and what is added: the dynamic part */
    if ((uint32_t)offset == offset && offset < UINT32_MAX - SHARED_BYTES) return (uint64_t)g->now->shared + offset;
    return (uint64_t)g->now->shared + behind + (uint32_t)(offset - UINT32_MAX);
}

static Frame *frame_of(Thread *t) { return &t->frames[t->depth - 1]; }

static uint64_t value_of(Grid *g, Thread *t, const Arg *a) {
    Frame *f = frame_of(t);
    switch (a->kind) {
    case ARG_REG: return a->negated ? !f->regs[a->at * WARP] : f->regs[a->at * WARP];
    case ARG_IMM: return a->value;
    case ARG_SPECIAL: return special(g, t, a->at);
    case ARG_VARIABLE: return a->in_frame ? (uint64_t)f->memory + a->value : in_shared(g, a->value);
    }
    return 0;
}

static void set(Thread *t, const Arg *a, uint64_t value) {
    if (a->kind == ARG_REG) frame_of(t)->regs[a->at * WARP] = value;
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

/* The device's array at an address. An instruction mostly stays in one: the lists have a lock. */
static MockAllocation *array_at(Grid *g, const Ins *i, uint64_t at) {
    MockAllocation *near = &g->near[((uintptr_t)i / sizeof *i) % NEAR];
    if (g->n_released != mock_n_released()) {
        memset(g->near, 0, sizeof g->near);
        g->n_released = mock_n_released();
    }
    if (at - near->address < near->n_bytes) return near;
    const MockAllocation *found = mock_find(at, 1);
    if (!found) return NULL;
    *near = *found;
    return near;
}

/* Only memory of a device, of the block or of the thread: what a kernel reaches beyond is an illegal address. */
static void *address_of(Grid *g, Thread *t, const Ins *i, const Arg *a, uint32_t n_bytes) {
    Frame *f = frame_of(t);
    uint64_t at = a->value;
    if (a->has_reg) at += f->regs[a->at * WARP];
    else if (a->in_frame) at += (uint64_t)f->memory;
    else if (a->negated) at = in_shared(g, at);
    if (at - (uint64_t)g->now->shared < SHARED_BYTES && at - (uint64_t)g->now->shared + n_bytes <= SHARED_BYTES)
        return (void *)at;
    uint64_t stack = (uint64_t)g->now->stacks, stack_bytes = (uint64_t)g->n_threads * STACK_BYTES;
    if (at - stack < stack_bytes && at - stack + n_bytes <= stack_bytes) return (void *)at;
    /* The word around an element of 8 or 16 bits, which is updated by compare-and-swap, may end after the array. */
    const MockAllocation *array = array_at(g, i, at);
    bool inside = array && at + n_bytes <= array->address + (array->n_bytes + 3) / 4 * 4;
    if (!inside && mock_is_pinned(at, n_bytes)) return (void *)at;
    if (!inside) ptx_stop(g, "an illegal address", i);
    if (at % (n_bytes ? n_bytes : 1) && !(i->vector)) ptx_stop(g, "a misaligned address", i);
    return mock_view(at);
}

static uint64_t widen(Type t, uint64_t x) { /* as a register keeps it */
    if (t.kind == T_S && t.bits < 64) return (uint64_t)((int64_t)(x << (64 - t.bits)) >> (64 - t.bits));
    return x;
}

static void copy(void *to, const void *from, uint32_t n_bytes) { /* of sizes that are known memcpy is an instruction */
    switch (n_bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, n_bytes);
    }
}

static void load(Grid *g, Thread *t, const Ins *i) {
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8, n = i->n_group[0] ? i->n_group[0] : 1;
    const char *from = address_of(g, t, i, &i->args[1], n_bytes * n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t x = 0;
        copy(&x, from + k * n_bytes, n_bytes);
        set(t, i->n_group[0] ? &i->group[0][k] : &i->args[0], widen(i->type, x));
    }
}

static void store(Grid *g, Thread *t, const Ins *i) {
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8, n = i->n_group[1] ? i->n_group[1] : 1;
    char *to = address_of(g, t, i, &i->args[0], n_bytes * n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t x = value_of(g, t, i->n_group[1] ? &i->group[1][k] : &i->args[1]);
        copy(to + k * n_bytes, &x, n_bytes);
    }
}

/* atom.global.add.f32 d, [a], b; red has no d. */
static void atomic(Grid *g, Thread *t, const Ins *i) {
    bool gives = i->op == OP_atom;
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8;
    void *at = address_of(g, t, i, &i->args[gives], n_bytes);
    uint64_t old = 0, a = value_of(g, t, &i->args[gives + 1]), b = value_of(g, t, &i->args[gives + 2]);
    memcpy(&old, at, n_bytes);
    uint64_t fresh = ptx_atomic(i, i->code, old, a, b);
    memcpy(at, &fresh, n_bytes);
    if (gives) set(t, &i->args[0], widen(i->type, old));
}

/* mov {low, high}: packed and unpacked. */
static void move(Grid *g, Thread *t, const Ins *i) {
    if (i->n_group[0]) {
        uint64_t x = value_of(g, t, &i->args[1]);
        int bits = i->type.bits / i->n_group[0];
        for (int k = 0; k < i->n_group[0]; k++) set(t, &i->group[0][k], x >> (k * bits) & ((UINT64_C(1) << bits) - 1));
        return;
    }
    uint64_t x = 0;
    int bits = i->type.bits / i->n_group[1];
    for (int k = 0; k < i->n_group[1]; k++)
        x |= (value_of(g, t, &i->group[1][k]) & ((UINT64_C(1) << bits) - 1)) << (k * bits);
    set(t, &i->args[0], x);
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static void push(Grid *g, Thread *t, const PtxFunction *f) {
    if (*f->broken) ptx_stop(g, f->broken, NULL);
    uint32_t n_bytes = (f->frame_bytes + 15) & ~15u;
    if (t->depth == MAX_DEPTH || t->top + n_bytes > STACK_BYTES) ptx_stop(g, "the stack is too small", NULL);
    uint8_t *memory = g->now->stacks + (size_t)t->number * STACK_BYTES + t->top;
    uint64_t **regs = &t->registers->at[t->depth];
    if (!*regs) *regs = calloc((size_t)g->n_registers * WARP, sizeof **regs);
    t->frames[t->depth++] = (Frame){.function = f, .regs = *regs + t->number % WARP, .memory = memory};
    t->top += n_bytes;
    ptx_poison(g, memory, n_bytes);
    uint64_t poison = ptx_poison_word(g), *mine = frame_of(t)->regs;
    for (int k = 0; k < f->n_regs; k++) mine[k * WARP] = poison;
}

static void pop(Thread *t) {
    const Frame *f = frame_of(t);
    t->top -= (f->function->frame_bytes + 15) & ~15u;
    t->depth--;
    ptx_return(t);
}

static void call(Grid *g, Thread *t, const Ins *i) {
    const PtxFunction *callee = &g->program->functions[i->target];
    if (!callee->n_code) ptx_stop(g, "call of a function that is not there", i);
    uint8_t *from = frame_of(t)->memory;
    push(g, t, callee);
    for (int k = 0; k < i->n_group[1] && callee->n_results + k < callee->n_params; k++)
        memcpy(frame_of(t)->memory + callee->params[callee->n_results + k].at, from + i->group[1][k].value,
               callee->params[callee->n_results + k].n_bytes);
}

static void give_back(Thread *t) {
    const PtxFunction *callee = frame_of(t)->function;
    uint8_t *from = frame_of(t)->memory;
    pop(t);
    if (!t->depth) {
        t->state = DONE;
        return;
    }
    Frame *caller = frame_of(t);
    const Ins *i = &caller->function->code[caller->pc - 1];
    for (int k = 0; k < i->n_group[0] && k < callee->n_results; k++)
        memcpy(caller->memory + i->group[0][k].value, from + callee->params[k].at, callee->params[k].n_bytes);
}

/* Arithmetic: of all lanes ----------------------------------------------------------------------------------------- */

/* A register's values where they are, anything else in `room`. */
static const uint64_t *values_of(Grid *g, Thread *warp, uint32_t lanes, const Arg *a, uint64_t *room) {
    if (a->kind == ARG_REG && !a->negated) {
        const Thread *first = &warp[__builtin_ctz(lanes)];
        return first->registers->at[first->depth - 1] + a->at * WARP;
    }
    if (a->kind == ARG_IMM) for (int l = 0; l < WARP; l++) room[l] = a->value;
    else EACH_LANE(l, lanes) room[l] = value_of(g, &warp[l], a);
    return room;
}

static void set_all(Thread *warp, uint32_t lanes, const Arg *a, const uint64_t *values) {
    const Thread *first = &warp[__builtin_ctz(lanes)];
    uint64_t *to = first->registers->at[first->depth - 1] + a->at * WARP;
    if (a->kind != ARG_REG) return;
    if (lanes == ALL) for (int l = 0; l < WARP; l++) to[l] = values[l];
    else EACH_LANE(l, lanes) to[l] = values[l];
}

/* setp.lt.and.f32 p|q, a, b, c: q is the opposite, before c joins. Of f16x2, p is of the lower halves, q of the upper
 * ones. */
static void compare(Thread *t, const Ins *i, uint64_t holds, uint64_t other) {
    uint64_t p = holds & 1, q = i->from.lanes == 2 ? holds >> 1 : !holds;
    if (i->code == 1) p &= other, q &= other;
    if (i->code == 2) p |= other, q |= other;
    if (i->code == 3) p ^= other, q ^= other;
    set(t, &i->args[0], p);
    if (i->n_group[0]) set(t, &i->group[0][0], q);
}

static void alu(Grid *g, Thread *warp, uint32_t lanes, const Ins *i) {
    static const uint64_t ZEROS[WARP];
    uint64_t room[4][WARP], result[WARP];
    const uint64_t *sources[4] = {ZEROS, ZEROS, ZEROS, ZEROS};
    for (int k = 1; k < i->n_args && k < 5; k++)
        sources[k - 1] = values_of(g, warp, lanes, &i->args[k], room[k - 1]);
    if (!ptx_alu_warp(i, sources, lanes, result)) ptx_stop(g, "no such operation here", i);
    if (i->op == OP_setp && (i->code || i->n_group[0]))
        EACH_LANE(l, lanes) compare(&warp[l], i, result[l], sources[2][l] & 1);
    else set_all(warp, lanes, &i->args[0], result);
}

static void move_all(Grid *g, Thread *warp, uint32_t lanes, const Ins *i) {
    uint64_t room[WARP];
    if (i->n_group[0] || i->n_group[1]) EACH_LANE(l, lanes) move(g, &warp[l], i);
    else set_all(warp, lanes, &i->args[0], values_of(g, warp, lanes, &i->args[1], room));
}

/* One instruction of the lanes of a warp that are at it ------------------------------------------------------------ */

typedef enum {
    DO_ALU,
    DO_LOAD,
    DO_STORE,
    DO_ATOMIC,
    DO_MOVE,
    DO_NOTHING,
    DO_CALL, /* from here on: what changes where they are */
    DO_RET,
    DO_EXIT,
    DO_TRAP,
    DO_BRANCH,
    DO_BARRIER,
    DO_WARP
} What;

static const uint8_t WHAT[] = {
#define X(name, what) DO_##what,
#include "tests/gpu/ptx/ops.def"
#undef X
};

static void compute(Grid *g, Thread *warp, uint32_t lanes, const Ins *i) {
    switch ((What)WHAT[i->op]) {
    case DO_ALU: alu(g, warp, lanes, i); break;
    case DO_LOAD: EACH_LANE(l, lanes) load(g, &warp[l], i); break;
    case DO_STORE: EACH_LANE(l, lanes) store(g, &warp[l], i); break;
    case DO_ATOMIC: EACH_LANE(l, lanes) atomic(g, &warp[l], i); break;
    case DO_MOVE: move_all(g, warp, lanes, i); break;
    default: break;
    }
}

static void go_elsewhere(Grid *g, Thread *t, const Ins *i) {
    switch ((What)WHAT[i->op]) {
    case DO_CALL: call(g, t, i); break;
    case DO_RET: give_back(t); break;
    case DO_EXIT:
        while (t->depth) pop(t);
        t->state = DONE;
        break;
    case DO_TRAP: ptx_stop(g, "a trap", i);
    case DO_BRANCH: /* brx: a table */
        frame_of(t)->pc = i->target + (i->n_args ? (int)value_of(g, t, &i->args[0]) : 0);
        break;
    case DO_BARRIER: t->state = i->flags & MOD(warp) ? RUNS : AT_BARRIER; break;
    case DO_WARP: frame_of(t)->pc--, t->state = IN_WARP; break; /* done for all of them at once */
    default: break;
    }
}

/* Those of them that its guard lets through. */
static uint32_t guarded(const Thread *warp, uint32_t lanes, const Ins *i) {
    if (i->guard < 0) return lanes;
    const Thread *first = &warp[__builtin_ctz(lanes)];
    const uint64_t *guard = first->registers->at[first->depth - 1] + i->guard * WARP;
    uint32_t through = 0;
    EACH_LANE(l, lanes) through |= (uint32_t)((bool)guard[l] != i->guard_not) << l;
    return through;
}

/* Do all of them go the same way? Then `*pc` is where. */
static bool go_together(uint32_t active, uint32_t lanes, const Ins *i, int *pc) {
    if (i->op != OP_bra || (active && active != lanes)) return false;
    if (active) *pc = i->target;
    return true;
}

/* Their ways part here, or would have if they were others'; `all` are the lanes of the warp that have not ended. */
static void note_split(Grid *g, Thread *warp, uint32_t lanes, uint32_t active, uint32_t all, int pc, const Ins *i) {
    if (!g->program->has_barriers || WHAT[i->op] < DO_CALL) return;
    if (i->guard >= 0 && (lanes != all || (active && active != lanes))) ptx_split(g, warp, lanes, active, pc);
    if (i->op == OP_brx) EACH_LANE(l, active) ptx_split_by(g, &warp[l], pc, value_of(g, &warp[l], &i->args[0]));
}

static uint32_t not_done(const Thread *warp, int n) {
    uint32_t lanes = 0;
    for (int k = 0; k < n; k++) lanes |= (uint32_t)(warp[k].state != DONE) << k;
    return lanes;
}

/* They go on together up to where their ways may part, or where others, who run as well, may join them; `most`
   instructions of each. */
static void run_lanes(Grid *g, Thread *warp, uint32_t lanes, uint32_t all, bool others, int most) {
    const Frame *f = frame_of(&warp[__builtin_ctz(lanes)]);
    const PtxFunction *function = f->function;
    for (int pc = f->pc, from = -1;;) { /* -1: each lane has its own */
        if (pc >= function->n_code) ptx_stop(g, "the end of a function", NULL);
        const Ins *i = &function->code[pc];
        if (i->meets) ptx_meet(warp, lanes, pc);
        if (i->heads && from >= 0) EACH_LANE(l, lanes) frame_of(&warp[l])->from = from;
        if (i->heads) ptx_turn(g, warp, lanes, pc);
        from = pc;
        uint32_t active = guarded(warp, lanes, i);
        note_split(g, warp, lanes, active, all, pc++, i);
        bool together = WHAT[i->op] < DO_CALL || go_together(active, lanes, i, &pc);
        g->n_steps++;
        if (together && active) compute(g, warp, active, i);
        if (together && --most > 0 && !(others && pc < function->n_code && function->code[pc].joins)) continue;
        EACH_LANE(l, lanes) frame_of(&warp[l])->pc = pc, frame_of(&warp[l])->from = from;
        if (!together) EACH_LANE(l, active) go_elsewhere(g, &warp[l], i);
        return;
    }
}

/* Warps ------------------------------------------------------------------------------------------------------------ */

static void shuffle(Grid *g, Thread *warp, int n, const Ins *i, const uint64_t *value) {
    for (int lane = 0; lane < n; lane++) {
        Thread *t = &warp[lane];
        if (t->state != IN_WARP) continue;
        int b = (int)value_of(g, t, &i->args[2]), c = (int)value_of(g, t, &i->args[3]);
        int segment = c >> 8 & 31, limit = c & 31, first = lane & segment, last = first | (limit & ~segment), from;
        if (i->flags & MOD(up)) from = lane - b;
        else if (i->flags & MOD(down)) from = lane + b;
        else if (i->flags & MOD(bfly)) from = lane ^ b;
        else from = first | (b & ~segment);
        bool good = i->flags & MOD(up) ? from >= last : from <= last;
        if (!good || from < 0 || from >= n) from = lane, good = false;
        set(t, &i->args[0], value[from]);
        if (i->n_group[0]) set(t, &i->group[0][0], good);
    }
}

static void vote(Thread *warp, int n, const Ins *i, const uint64_t *value, uint32_t members) {
    uint32_t yes = 0;
    for (int lane = 0; lane < n; lane++)
        if (members >> lane & 1 && value[lane] & 1) yes |= 1u << lane;
    uint64_t r = i->flags & MOD(ballot) ? yes
                 : i->flags & MOD(all)  ? yes == members
                 : i->flags & MOD(any)  ? yes != 0
                                        : yes == members || !yes;
    for (int lane = 0; lane < n; lane++)
        if (members >> lane & 1) set(&warp[lane], &i->args[0], r);
}

static void reduce(Thread *warp, int n, const Ins *i, const uint64_t *value, uint32_t members) {
    bool begun = false;
    uint64_t r = 0;
    for (int lane = 0; lane < n; lane++)
        if (members >> lane & 1) r = begun ? ptx_atomic(i, i->code, r, value[lane], 0) : value[lane], begun = true;
    for (int lane = 0; lane < n; lane++)
        if (members >> lane & 1) set(&warp[lane], &i->args[0], r);
}

/* All threads of a warp that are not done or at a barrier wait at one instruction. */
static void step_warp(Grid *g, Thread *warp, int n) {
    const Ins *i = NULL;
    uint64_t value[WARP] = {0};
    uint32_t members = 0;
    for (int lane = 0; lane < n; lane++) {
        Thread *t = &warp[lane];
        if (t->state != IN_WARP) continue;
        const Ins *his = &frame_of(t)->function->code[frame_of(t)->pc];
        if (i && his != i) ptx_stop(g, "threads of a warp at different places", his);
        i = his;
        members |= 1u << lane;
        if (i->n_args > 1) value[lane] = value_of(g, t, &i->args[1]);
    }
    if (!i) return;
    if (i->op == OP_shfl) shuffle(g, warp, n, i, value);
    else if (i->op == OP_vote) vote(warp, n, i, value, members);
    else if (i->op == OP_redux) reduce(warp, n, i, value, members);
    for (int lane = 0; lane < n; lane++) {
        Thread *t = &warp[lane];
        if (t->state != IN_WARP) continue;
        if (i->op == OP_activemask) set(t, &i->args[0], members);
        frame_of(t)->pc++;
        t->state = RUNS;
    }
}

/* Blocks ----------------------------------------------------------------------------------------------------------- */

static int warp_size(const Grid *g, int first) { return g->n_threads - first < WARP ? g->n_threads - first : WARP; }

/* False: all have begun. */
static bool begin_block(Grid *g, Block *block) {
    const uint32_t *b = g->launch->block;
    if (!ptx_next_block(g, block->id)) return false;
    g->now = block;
    block->used = true;
    ptx_poison(g, block->shared, g->program->shared_bytes + 16 + g->launch->dynamic_bytes);
    ptx_choose_manners(g);
    for (int n = 0; n < g->n_threads; n++) {
        Thread *t = &block->threads[n];
        t->state = RUNS, t->depth = 0, t->top = 0, t->number = n, t->n_splits = t->n_turns = 0;
        uint32_t id[3] = {(uint32_t)n % b[0], (uint32_t)n / b[0] % b[1], (uint32_t)n / b[0] / b[1]};
        memcpy(t->id, id, sizeof id);
    }
    return true;
}

static void begin_thread(Grid *g, Thread *t, Registers *registers) {
    const PtxFunction *kernel = g->kernel;
    t->registers = registers;
    push(g, t, kernel);
    for (int p = 0; p < kernel->n_params; p++)
        if (kernel->params[p].at + kernel->params[p].n_bytes <= g->launch->n_arg_bytes)
            memcpy(t->frames[0].memory + kernel->params[p].at, (const char *)g->launch->args + kernel->params[p].at,
                   kernel->params[p].n_bytes);
}

static void begin_warp(Grid *g, Thread *warp, int n) {
    Registers *registers = g->free_registers;
    if (registers) g->free_registers = registers->next;
    else registers = calloc(1, sizeof *registers);
    for (int k = 0; k < n; k++) begin_thread(g, &warp[k], registers);
}

/* Lanes of it, once; the registers are given back when all have ended. */
static void run_warp(Grid *g, Thread *warp, int n) {
    bool others;
    int most;
    if (!warp->registers) begin_warp(g, warp, n);
    uint32_t lanes = ptx_choose_lanes(g, warp, n, &others, &most);
    run_lanes(g, warp, lanes, not_done(warp, n), others, most);
    if (not_done(warp, n)) return;
    warp->registers->next = g->free_registers;
    g->free_registers = warp->registers;
    for (int k = 0; k < n; k++) warp[k].registers = NULL;
}

/* Nobody of the block runs: those who wait go on. False: all are done. */
static bool wake(Grid *g) {
    bool warps = false, any = false;
    Thread *threads = g->now->threads;
    for (int n = 0; n < g->n_threads; n += WARP) {
        int size = warp_size(g, n);
        for (int k = 0; k < size; k++) warps |= threads[n + k].state == IN_WARP;
        step_warp(g, &threads[n], size);
    }
    if (warps) return true;
    for (int n = 0; n < g->n_threads; n += WARP) ptx_check_barrier(g, &threads[n], warp_size(g, n));
    for (int n = 0; n < g->n_threads; n++)
        if (threads[n].state == AT_BARRIER) threads[n].state = RUNS, any = true;
    if (any) ptx_choose_manners(g);
    return any;
}

static void run_blocks(Grid *g) {
    for (int k = 0; k < g->n_in_flight && begin_block(g, &g->blocks[k]); k++) {}
    while ((g->now = ptx_choose_block(g))) {
        int warp = ptx_choose_warp(g);
        if (warp >= 0) run_warp(g, &g->now->threads[warp], warp_size(g, warp));
        else if (!wake(g)) g->now->used = false, begin_block(g, g->now);
    }
}

static void free_registers(Registers *r) {
    for (int depth = 0; r && depth < MAX_DEPTH; depth++) free(r->at[depth]);
    free(r);
}

/* Those of warps that were stopped, too. */
static void free_all_registers(Grid *g) {
    for (int k = 0; k < g->n_in_flight; k++)
        for (int n = 0; g->blocks[k].threads && n < g->n_threads; n += WARP)
            free_registers(g->blocks[k].threads[n].registers);
    for (Registers *r = g->free_registers, *next; r; r = next) {
        next = r->next;
        free_registers(r);
    }
}

static void *low_memory(size_t n_bytes) {
    void *p =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool make_blocks(Grid *g) {
    bool ok = true;
    for (int k = 0; k < g->n_in_flight; k++) {
        Block *b = &g->blocks[k];
        b->threads = calloc((size_t)g->n_threads, sizeof *b->threads);
        b->stacks = low_memory((size_t)g->n_threads * STACK_BYTES);
        b->shared = low_memory(SHARED_BYTES);
        ok = ok && b->threads && b->stacks && b->shared;
    }
    return ok;
}

static void free_blocks(Grid *g) {
    for (int k = 0; k < g->n_in_flight; k++) {
        Block *b = &g->blocks[k];
        if (b->stacks) munmap(b->stacks, (size_t)g->n_threads * STACK_BYTES);
        if (b->shared) munmap(b->shared, SHARED_BYTES);
        free(b->threads);
    }
}

bool ptx_run(PtxProgram *program, const char *kernel, const MockLaunch *launch, const char **why) {
    static _Thread_local char reason[256];
    int number = ptx_find(program, kernel), n_threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    Grid *g = calloc(1, sizeof *g);
    *g = (Grid){.program = program, .launch = launch, .n_threads = n_threads};
    for (int k = 0; k < program->n_functions; k++)
        if (program->functions[k].n_regs > g->n_registers) g->n_registers = program->functions[k].n_regs;
    ptx_seed(g);
    bool fits = program->shared_bytes + 16 + launch->dynamic_bytes <= SHARED_BYTES;
    bool ok = make_blocks(g) && number >= 0 && fits;
    if (ok && !setjmp(g->stop)) g->kernel = &program->functions[number], run_blocks(g);
    else ok = false;
    snprintf(reason, sizeof reason, "%s", *g->why ? g->why : "no memory, or no such kernel");
    *why = reason;
    free_all_registers(g);
    free_blocks(g);
    free(g);
    return ok;
}
