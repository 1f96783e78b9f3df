/* grid.h -- a grid while it runs: what run.c, flow.c and order.c share. */
#ifndef MOCK_PTX_GRID_H
#define MOCK_PTX_GRID_H
#include "tests/gpu/ptx/run.h"
#include <setjmp.h>

enum {
    STACK_BYTES = 64 << 10, /* of a thread */
    MAX_DEPTH = 64,         /* of calls */
    MAX_BLOCK = 1024,
    SHARED_BYTES = 256 << 10,
    MAX_SPLITS = 64,
    MAX_TURNS = 16,
    IN_FLIGHT = 3, /* blocks, in a random order */
    NEAR = 64,
};

typedef struct {
    const PtxFunction *function;
    int pc, from;   /* the next instruction, and the last one */
    uint64_t *regs; /* of its lane: WARP apart */
    uint8_t *memory;
} Frame;

/* The registers of a warp at each depth of calls, of a function one after the other, with an element for each lane. */
typedef struct Registers {
    uint64_t *at[MAX_DEPTH];
    struct Registers *next;
} Registers;

typedef enum { RUNS, AT_BARRIER, IN_WARP, DONE } State;

/* A thread is between a conditional branch and the branch's immediate post-dominator. `path`: a hash of the directions
   it took since. */
typedef struct {
    int depth, meet;
    uint64_t path;
} Split;

/* The iteration of a loop around a barrier that a thread is in. */
typedef struct {
    int depth, loop;
    uint64_t n;
} Turn;

typedef struct {
    State state;
    int depth;    /* 0: has not begun, or is done */
    uint32_t top; /* of the stack in use */
    uint32_t id[3];
    int number;
    Registers *registers;
    Frame frames[MAX_DEPTH];
    int n_splits;
    Split splits[MAX_SPLITS]; /* innermost last */
    int n_turns;
    Turn turns[MAX_TURNS];
} Thread;

/* How the lanes of a warp are scheduled up to its next barrier. */
typedef enum { TOGETHER, APART, ALONE, N_MANNERS } Manner;

typedef struct {
    bool used;
    uint32_t id[3];
    Thread *threads;
    uint8_t *stacks, *shared; /* below 4 GiB */
    uint8_t manners[MAX_BLOCK / WARP];
} Block;

typedef struct {
    PtxProgram *program;
    const MockLaunch *launch;
    const PtxFunction *kernel;
    int n_threads; /* of a block */
    Block blocks[IN_FLIGHT], *now;
    int n_in_flight;
    uint64_t n_begun, n_blocks, stride; /* block number k is the one at (k * stride) modulo n_blocks */
    uint64_t random;                    /* state of the generator; 0: nothing is random */
    Registers *free_registers;          /* no warp's */
    int n_registers;                    /* at most, of a function */
    uint64_t n_steps;
    MockAllocation near[NEAR]; /* where instructions have last been, while nothing is released */
    uint64_t n_released;
    jmp_buf stop;
    char why[256];
} Grid;

_Noreturn void ptx_stop(Grid *g, const char *what, const Ins *i);

#define EACH_LANE(lane, lanes)                                                                                         \
    for (uint32_t left_ = (lanes), lane; left_ && (lane = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

/* flow.c: where threads part and meet. */

/* The lanes `taken` of `lanes` take the branch at `pc`, the others do not. */
void ptx_split(Grid *g, Thread *warp, uint32_t lanes, uint32_t taken, int pc);
/* brx: each lane has its own target. */
void ptx_split_by(Grid *g, Thread *t, int pc, uint64_t direction);
/* They have reached `pc`, which is a branch's immediate post-dominator. */
void ptx_meet(Thread *warp, uint32_t lanes, int pc);
/* They have reached `pc`, which is the header of a loop. */
void ptx_turn(Grid *g, Thread *warp, uint32_t lanes, int pc);
/* The thread has returned from a function. */
void ptx_return(Thread *t);
/* Stops the grid if those of a warp that wait at a barrier have not reached it together. */
void ptx_check_barrier(Grid *g, Thread *warp, int n);

/* order.c: what comes next. A seed (KDSL_MOCK_SEED) makes all of it random. */

void ptx_seed(Grid *g);
/* The identity of the next block to begin; false: all have begun. */
bool ptx_next_block(Grid *g, uint32_t id[3]);
Block *ptx_choose_block(Grid *g);
/* The first thread of a warp in which some lane runs; -1: there is none. */
int ptx_choose_warp(Grid *g);
/* Lanes at one place, the most instructions they may execute, and whether other lanes of the warp run, too. */
uint32_t ptx_choose_lanes(Grid *g, const Thread *warp, int n, bool *others, int *most);
/* The manners of the warps up to the next barrier. */
void ptx_choose_manners(Grid *g);
/* Bytes that nothing has written yet. */
void ptx_poison(Grid *g, void *p, size_t n_bytes);
uint64_t ptx_poison_word(Grid *g);
#endif
