/* run.c -- a grid, block after block; of a block, one thread after the other, each until it ends or has to wait for
   others: for the block at a barrier, for its warp at a shuffle or a vote. */
#define _GNU_SOURCE
#include "tests/gpu/ptx/run.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WARP = 32, STACK_BYTES = 64 << 10, MAX_DEPTH = 64, MAX_BLOCK = 1024, SHARED_BYTES = 256 << 10 };

typedef struct {
    int function, pc;
    uint64_t *regs;
    uint8_t *memory;
} Frame;

typedef enum { RUNS, AT_BARRIER, IN_WARP, DONE } State;

typedef struct {
    State state;
    int depth;
    Frame frames[MAX_DEPTH];
    uint32_t top; /* of the stack in use */
    uint32_t id[3];
    int number;
} Thread;

typedef struct {
    PtxProgram *program;
    const MockLaunch *launch;
    uint32_t block[3];
    int n_threads;
    Thread *threads;
    uint8_t *stacks, *shared; /* below 4 GiB */
    uint64_t n_steps;
    jmp_buf stop;
    char why[256];
} Grid;

static _Noreturn void stop(Grid *g, const char *what, const Ins *i) {
    snprintf(g->why, sizeof g->why, "%s: %.150s", what, i ? i->text : "");
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
    if (which < 9) return g->block[which - 6];
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
    if ((uint32_t)offset == offset && offset < UINT32_MAX - SHARED_BYTES) return (uint64_t)g->shared + offset;
    return (uint64_t)g->shared + behind + (uint32_t)(offset - UINT32_MAX);
}

static Frame *frame_of(Thread *t) { return &t->frames[t->depth - 1]; }

static uint64_t value_of(Grid *g, Thread *t, const Arg *a) {
    Frame *f = frame_of(t);
    switch (a->kind) {
    case ARG_REG: return a->negated ? !f->regs[a->at] : f->regs[a->at];
    case ARG_IMM: return a->value;
    case ARG_SPECIAL: return special(g, t, a->at);
    case ARG_VARIABLE: return a->in_frame ? (uint64_t)f->memory + a->value : in_shared(g, a->value);
    }
    return 0;
}

static void set(Thread *t, const Arg *a, uint64_t value) {
    if (a->kind == ARG_REG) frame_of(t)->regs[a->at] = value;
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

/* Only memory of a device, of the block or of the thread: what a kernel reaches beyond is an illegal address. */
static void *address_of(Grid *g, Thread *t, const Ins *i, const Arg *a, uint32_t n_bytes) {
    Frame *f = frame_of(t);
    uint64_t at = a->value;
    if (a->has_reg) at += f->regs[a->at];
    else if (a->in_frame) at += (uint64_t)f->memory;
    else if (a->negated) at = in_shared(g, at);
    if (at - (uint64_t)g->shared < SHARED_BYTES && at - (uint64_t)g->shared + n_bytes <= SHARED_BYTES)
        return (void *)at;
    uint64_t stack = (uint64_t)g->stacks, stack_bytes = (uint64_t)g->n_threads * STACK_BYTES;
    if (at - stack < stack_bytes && at - stack + n_bytes <= stack_bytes) return (void *)at;
    /* The word around an element of 8 or 16 bits, which is updated by compare-and-swap, may end behind the array. */
    const MockAllocation *array = mock_find(at, 1);
    bool inside = array && at + n_bytes <= array->address + (array->n_bytes + 3) / 4 * 4;
    if (!inside && mock_is_pinned(at, n_bytes)) return (void *)at;
    if (!inside) stop(g, "an illegal address", i);
    if (at % (n_bytes ? n_bytes : 1) && !(i->vector)) stop(g, "a misaligned address", i);
    return mock_view(at);
}

static uint64_t widen(Type t, uint64_t x) { /* as a register keeps it */
    if (t.kind == T_S && t.bits < 64) return (uint64_t)((int64_t)(x << (64 - t.bits)) >> (64 - t.bits));
    return x;
}

static void load(Grid *g, Thread *t, const Ins *i) {
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8, n = i->n_group[0] ? i->n_group[0] : 1;
    const char *from = address_of(g, t, i, &i->args[1], n_bytes * n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t x = 0;
        memcpy(&x, from + k * n_bytes, n_bytes);
        set(t, i->n_group[0] ? &i->group[0][k] : &i->args[0], widen(i->type, x));
    }
}

static void store(Grid *g, Thread *t, const Ins *i) {
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8, n = i->n_group[1] ? i->n_group[1] : 1;
    char *to = address_of(g, t, i, &i->args[0], n_bytes * n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t x = value_of(g, t, i->n_group[1] ? &i->group[1][k] : &i->args[1]);
        memcpy(to + k * n_bytes, &x, n_bytes);
    }
}

/* atom.global.add.f32 d, [a], b; red has no d. */
static void atomic(Grid *g, Thread *t, const Ins *i) {
    bool gives = i->op[0] == 'a';
    uint32_t n_bytes = i->type.bits * i->type.lanes / 8;
    void *at = address_of(g, t, i, &i->args[gives], n_bytes);
    uint64_t old = 0, a = value_of(g, t, &i->args[gives + 1]), b = value_of(g, t, &i->args[gives + 2]);
    memcpy(&old, at, n_bytes);
    uint64_t fresh = ptx_atomic(i, PTX_ATOMICS[i->code], old, a, b);
    memcpy(at, &fresh, n_bytes);
    if (gives) set(t, &i->args[0], widen(i->type, old));
}

/* mov: of one value, or {low, high} packed and unpacked. */
static void move(Grid *g, Thread *t, const Ins *i) {
    if (i->n_group[0]) {
        uint64_t x = value_of(g, t, &i->args[1]);
        int bits = i->type.bits / i->n_group[0];
        for (int k = 0; k < i->n_group[0]; k++) set(t, &i->group[0][k], x >> (k * bits) & ((UINT64_C(1) << bits) - 1));
    } else if (i->n_group[1]) {
        uint64_t x = 0;
        int bits = i->type.bits / i->n_group[1];
        for (int k = 0; k < i->n_group[1]; k++)
            x |= (value_of(g, t, &i->group[1][k]) & ((UINT64_C(1) << bits) - 1)) << (k * bits);
        set(t, &i->args[0], x);
    } else set(t, &i->args[0], value_of(g, t, &i->args[1]));
}

/* Calls ------------------------------------------------------------------------------------------------------------ */

static void push(Grid *g, Thread *t, int function) {
    const PtxFunction *f = &g->program->functions[function];
    if (*f->broken) stop(g, f->broken, NULL);
    uint32_t n_bytes = (f->frame_bytes + 15) & ~15u;
    if (t->depth == MAX_DEPTH || t->top + n_bytes > STACK_BYTES) stop(g, "the stack is too small", NULL);
    uint8_t *memory = g->stacks + (size_t)t->number * STACK_BYTES + t->top;
    uint64_t *regs = calloc((size_t)f->n_regs + 1, sizeof *regs);
    t->frames[t->depth++] = (Frame){.function = function, .regs = regs, .memory = memory};
    t->top += n_bytes;
}

static void pop(Grid *g, Thread *t) {
    Frame *f = frame_of(t);
    t->top -= (g->program->functions[f->function].frame_bytes + 15) & ~15u;
    free(f->regs);
    t->depth--;
}

static void call(Grid *g, Thread *t, const Ins *i) {
    const PtxFunction *callee = &g->program->functions[i->target];
    if (!callee->n_code) stop(g, "call of a function that is not there", i);
    uint8_t *from = frame_of(t)->memory;
    push(g, t, i->target);
    for (int k = 0; k < i->n_group[1] && callee->n_results + k < callee->n_params; k++)
        memcpy(frame_of(t)->memory + callee->params[callee->n_results + k].at, from + i->group[1][k].value,
               callee->params[callee->n_results + k].n_bytes);
}

static void give_back(Grid *g, Thread *t) {
    const PtxFunction *callee = &g->program->functions[frame_of(t)->function];
    uint8_t *from = frame_of(t)->memory;
    pop(g, t);
    if (!t->depth) {
        t->state = DONE;
        return;
    }
    Frame *caller = frame_of(t);
    const Ins *i = &g->program->functions[caller->function].code[caller->pc - 1];
    for (int k = 0; k < i->n_group[0] && k < callee->n_results; k++)
        memcpy(caller->memory + i->group[0][k].value, from + callee->params[k].at, callee->params[k].n_bytes);
}

/* One instruction of one thread ------------------------------------------------------------------------------------ */

typedef enum {
    DO_ALU,
    DO_LOAD,
    DO_STORE,
    DO_ATOMIC,
    DO_MOVE,
    DO_CALL,
    DO_RET,
    DO_EXIT,
    DO_TRAP,
    DO_BRANCH,
    DO_BARRIER,
    DO_WARP,
    DO_NOTHING
} What;

static const struct {
    const char *op;
    What what;
} OPS[] = {
    {"ld", DO_LOAD},       {"ldu", DO_LOAD},         {"st", DO_STORE},          {"atom", DO_ATOMIC},
    {"red", DO_ATOMIC},    {"mov", DO_MOVE},         {"cvta", DO_MOVE},         {"call", DO_CALL},
    {"ret", DO_RET},       {"exit", DO_EXIT},        {"trap", DO_TRAP},         {"bra", DO_BRANCH},
    {"brx", DO_BRANCH},    {"bar", DO_BARRIER},      {"barrier", DO_BARRIER},   {"shfl", DO_WARP},
    {"vote", DO_WARP},     {"activemask", DO_WARP},  {"redux", DO_WARP},        {"membar", DO_NOTHING},
    {"fence", DO_NOTHING}, {"prefetch", DO_NOTHING}, {"nanosleep", DO_NOTHING}, {"add", DO_ALU},
    {"sub", DO_ALU},       {"mul", DO_ALU},          {"mul24", DO_ALU},         {"mad", DO_ALU},
    {"sad", DO_ALU},       {"div", DO_ALU},          {"rem", DO_ALU},           {"abs", DO_ALU},
    {"neg", DO_ALU},       {"min", DO_ALU},          {"max", DO_ALU},           {"and", DO_ALU},
    {"or", DO_ALU},        {"xor", DO_ALU},          {"not", DO_ALU},           {"cnot", DO_ALU},
    {"lop3", DO_ALU},      {"shl", DO_ALU},          {"shr", DO_ALU},           {"shf", DO_ALU},
    {"bfe", DO_ALU},       {"bfi", DO_ALU},          {"brev", DO_ALU},          {"popc", DO_ALU},
    {"clz", DO_ALU},       {"bfind", DO_ALU},        {"prmt", DO_ALU},          {"fma", DO_ALU},
    {"sqrt", DO_ALU},      {"rsqrt", DO_ALU},        {"rcp", DO_ALU},           {"sin", DO_ALU},
    {"cos", DO_ALU},       {"ex2", DO_ALU},          {"lg2", DO_ALU},           {"tanh", DO_ALU},
    {"copysign", DO_ALU},  {"cvt", DO_ALU},          {"setp", DO_ALU},          {"set", DO_ALU},
    {"selp", DO_ALU},      {"slct", DO_ALU},
};

int ptx_op(const char *op) {
    for (size_t k = 0; k < sizeof OPS / sizeof *OPS; k++)
        if (!strcmp(OPS[k].op, op)) return (int)k;
    return -1;
}

/* setp.lt.and.f32 p|q, a, b, c: q is the opposite, before c joins. */
static void compare(Grid *g, Thread *t, const Ins *i, uint64_t holds, uint64_t other) {
    uint64_t p = holds, q = !holds;
    (void)g;
    if (i->code == 1) p &= other, q &= other;
    if (i->code == 2) p |= other, q |= other;
    if (i->code == 3) p ^= other, q ^= other;
    set(t, &i->args[0], p);
    if (i->n_group[0]) set(t, &i->group[0][0], q);
}

static void alu(Grid *g, Thread *t, const Ins *i) {
    uint64_t sources[4] = {0}, result;
    for (int k = 1; k < i->n_args && k < 5; k++) sources[k - 1] = value_of(g, t, &i->args[k]);
    if (!ptx_alu(i, sources, &result)) stop(g, "no such operation here", i);
    if (!strcmp(i->op, "setp")) compare(g, t, i, result, sources[2] & 1);
    else set(t, &i->args[0], result);
}

static void step(Grid *g, Thread *t) {
    Frame *f = frame_of(t);
    const PtxFunction *function = &g->program->functions[f->function];
    if (f->pc >= function->n_code) stop(g, "the end of a function", NULL);
    const Ins *i = &function->code[f->pc++];
    g->n_steps++;
    if (i->guard >= 0 && (bool)f->regs[i->guard] == i->guard_not) return;
    switch (OPS[i->what].what) {
    case DO_ALU: alu(g, t, i); break;
    case DO_LOAD: load(g, t, i); break;
    case DO_STORE: store(g, t, i); break;
    case DO_ATOMIC: atomic(g, t, i); break;
    case DO_MOVE: move(g, t, i); break;
    case DO_CALL: call(g, t, i); break;
    case DO_RET: give_back(g, t); break;
    case DO_EXIT:
        while (t->depth) pop(g, t);
        t->state = DONE;
        break;
    case DO_TRAP: stop(g, "a trap", i);
    case DO_BRANCH: f->pc = i->target + (i->n_args ? (int)value_of(g, t, &i->args[0]) : 0); break; /* brx: a table */
    case DO_BARRIER: t->state = strstr(i->text, ".warp") ? RUNS : AT_BARRIER; break;
    case DO_WARP: f->pc--, t->state = IN_WARP; break; /* done for all of them at once */
    case DO_NOTHING: break;
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

static void reduce(Grid *g, Thread *warp, int n, const Ins *i, const uint64_t *value, uint32_t members) {
    static const char *const HOW[] = {".add", ".min", ".max", ".and", ".or", ".xor"};
    const char *operation = NULL;
    for (size_t k = 0; k < sizeof HOW / sizeof *HOW; k++)
        if (strstr(i->text, HOW[k])) operation = HOW[k] + 1;
    if (!operation) stop(g, "no such reduction here", i);
    bool begun = false;
    uint64_t r = 0;
    for (int lane = 0; lane < n; lane++)
        if (members >> lane & 1) r = begun ? ptx_atomic(i, operation, r, value[lane], 0) : value[lane], begun = true;
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
        const Ins *his = &g->program->functions[frame_of(t)->function].code[frame_of(t)->pc];
        if (i && his != i) stop(g, "threads of a warp at different places", his);
        i = his;
        members |= 1u << lane;
        if (i->n_args > 1) value[lane] = value_of(g, t, &i->args[1]);
    }
    if (!i) return;
    if (!strcmp(i->op, "shfl")) shuffle(g, warp, n, i, value);
    else if (!strcmp(i->op, "vote")) vote(warp, n, i, value, members);
    else if (!strcmp(i->op, "redux")) reduce(g, warp, n, i, value, members);
    for (int lane = 0; lane < n; lane++) {
        Thread *t = &warp[lane];
        if (t->state != IN_WARP) continue;
        if (!strcmp(i->op, "activemask")) set(t, &i->args[0], members);
        frame_of(t)->pc++;
        t->state = RUNS;
    }
}

/* Blocks ----------------------------------------------------------------------------------------------------------- */

static void begin_block(Grid *g, int kernel) {
    const PtxFunction *f = &g->program->functions[kernel];
    const uint32_t *b = g->launch->block;
    memset(g->shared, 0xCB, g->program->shared_bytes + 16 + g->launch->dynamic_bytes);
    for (int n = 0; n < g->n_threads; n++) {
        Thread *t = &g->threads[n];
        *t = (Thread){.number = n, .id = {(uint32_t)n % b[0], (uint32_t)n / b[0] % b[1], (uint32_t)n / b[0] / b[1]}};
        push(g, t, kernel);
        for (int p = 0; p < f->n_params; p++)
            if (f->params[p].at + f->params[p].n_bytes <= g->launch->n_arg_bytes)
                memcpy(t->frames[0].memory + f->params[p].at, (const char *)g->launch->args + f->params[p].at,
                       f->params[p].n_bytes);
    }
}

/* Nobody runs: those who wait go on. False: all are done. */
static bool wake(Grid *g) {
    bool warps = false, any = false;
    for (int n = 0; n < g->n_threads; n += WARP) {
        int size = g->n_threads - n < WARP ? g->n_threads - n : WARP;
        for (int k = 0; k < size; k++) warps |= g->threads[n + k].state == IN_WARP;
        step_warp(g, &g->threads[n], size);
    }
    if (warps) return true;
    for (int n = 0; n < g->n_threads; n++)
        if (g->threads[n].state == AT_BARRIER) g->threads[n].state = RUNS, any = true;
    return any;
}

static void run_block(Grid *g, int kernel) {
    begin_block(g, kernel);
    do
        for (int n = 0; n < g->n_threads; n++)
            while (g->threads[n].state == RUNS) step(g, &g->threads[n]);
    while (wake(g));
}

static void run_blocks(Grid *g, int kernel) {
    const uint32_t *n = g->launch->grid;
    for (g->block[2] = 0; g->block[2] < n[2]; g->block[2]++)
        for (g->block[1] = 0; g->block[1] < n[1]; g->block[1]++)
            for (g->block[0] = 0; g->block[0] < n[0]; g->block[0]++) run_block(g, kernel);
}

static void *low_memory(size_t n_bytes) {
    void *p =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool ptx_run(PtxProgram *program, const char *kernel, const MockLaunch *launch, const char **why) {
    static _Thread_local char reason[256];
    int number = ptx_find(program, kernel), n_threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    Grid *g = calloc(1, sizeof *g);
    *g = (Grid){.program = program, .launch = launch, .n_threads = n_threads};
    g->threads = calloc((size_t)n_threads, sizeof *g->threads);
    g->stacks = low_memory((size_t)n_threads * STACK_BYTES);
    g->shared = low_memory(SHARED_BYTES);
    bool fits = program->shared_bytes + 16 + launch->dynamic_bytes <= SHARED_BYTES;
    bool ok = number >= 0 && fits && g->threads && g->stacks && g->shared;
    if (ok && !setjmp(g->stop)) run_blocks(g, number);
    else ok = false;
    snprintf(reason, sizeof reason, "%s", *g->why ? g->why : "no memory, or no such kernel");
    *why = reason;
    for (int n = 0; g->threads && n < n_threads; n++)
        while (g->threads[n].depth) pop(g, &g->threads[n]);
    if (g->stacks) munmap(g->stacks, (size_t)n_threads * STACK_BYTES);
    if (g->shared) munmap(g->shared, SHARED_BYTES);
    free(g->threads);
    free(g);
    return ok;
}
