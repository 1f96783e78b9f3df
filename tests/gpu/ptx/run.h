/* run.h -- PTX as the mock driver runs it on the CPU: an interpreter for what compilers write, one thread at a time, to
   see that kernels compute what they should where there is no GPU. decode.c makes instructions of the text, alu.c does
   arithmetic, run.c has memory, control, blocks and warps, graph.c and flow.c find lanes that reach a barrier apart,
   order.c decides what comes next, at random if KDSL_MOCK_SEED is set.

   Addresses of global memory are the device's, those of shared memory and of a thread's stack the host's, below 4 GiB,
   since PTX keeps them in 32 bits now and then. So all spaces are one, and cvta does nothing. */
#ifndef MOCK_PTX_RUN_H
#define MOCK_PTX_RUN_H
#include "tests/gpu/mock.h"

typedef enum { T_NONE, T_PRED, T_B, T_U, T_S, T_F, T_BF } TypeKind; /* T_F with 16 bits is half */

typedef struct {
    uint8_t kind, bits, lanes; /* lanes 2: f16x2 */
} Type;

typedef enum { ARG_NONE, ARG_REG, ARG_IMM, ARG_SPECIAL, ARG_MEMORY, ARG_VARIABLE } ArgKind;

typedef struct {
    uint8_t kind;
    bool negated;     /* !%p */
    bool in_frame;    /* the address counts from the frame */
    bool has_reg;     /* and a register is added */
    int32_t at;       /* register, special, or place in the frame of a variable */
    uint64_t value;   /* immediate, or what is added to an address */
} Arg;

typedef enum {
#define X(name, what) OP_##name,
#include "tests/gpu/ptx/ops.def"
#undef X
} Op;

/* X(name): what atom, red and redux do */
#define UPDATES(X) X(add) X(min) X(max) X(and) X(or) X(xor) X(exch) X(cas) X(inc) X(dec)
typedef enum {
#define X(name) UPDATE_##name,
    UPDATES(X)
#undef X
} Update;

#define ALL UINT32_MAX /* lanes of a warp */
enum { WARP = 32, MAX_ARGS = 6, MAX_GROUP = 8 };

/* What each of them looks at comes first: programs are longer than a cache. */
typedef struct {
    uint8_t op;               /* Op */
    bool guard_not;
    bool joins;               /* a branch leads here */
    bool meets;               /* and the ways of one meet here: it is the immediate post-dominator */
    bool heads;               /* header of a loop around a barrier */
    bool quiet;               /* the jump back to it, of an inner loop without barrier that begins there, too */
    uint8_t compare, vector;
    int32_t guard;            /* register, -1: always */
    Type type, from;          /* the last type is of the sources */
    uint8_t n_types, n_args;
    uint32_t flags;           /* MOD_ */
    int32_t target;           /* of a branch: an instruction; of a call: a function */
    int32_t meet;             /* of a conditional branch: its immediate post-dominator; n_code: the end */
    uint8_t code;             /* atom, red, redux: Update; setp: 1 and, 2 or, 3 xor with a predicate */
    uint8_t n_group[2];
    Arg args[MAX_ARGS];       /* destination first */
    Arg group[2][MAX_GROUP];  /* {a, b, c, d}, of which the first goes with args[0] or args[1] */
    const char *text;         /* in the image, for messages */
} Ins;

/* X(name): `.name` in an opcode, if it changes what is done */
#define MODS(X)                                                                                                        \
    X(hi) X(wide) X(sat) X(rz) X(rm) X(rp) X(rni) X(rzi) X(rmi) X(rpi) X(l) X(clamp) X(up) X(down) X(bfly) X(all)      \
    X(any) X(ballot) X(warp) X(aligned)
enum {
#define X(name) MODN_##name,
    MODS(X)
#undef X
};
#define MOD(name) (1u << MODN_##name)

typedef struct {
    int header, n_places, parent; /* the loop around it; -1: none */
} PtxLoop;

typedef struct {
    char name[MOCK_NAME];
    Ins *code;
    int n_code, n_regs;
    PtxLoop *loops; /* around barriers */
    int n_loops;
    int *loop_of; /* of an instruction, the innermost of them; -1: none */
    uint32_t frame_bytes; /* parameters, the stack, what calls pass */
    int n_params;
    struct {
        uint32_t at, n_bytes;
    } params[512]; /* places in the frame; what a function gives back comes first */
    int n_results;
    char broken[256]; /* why it cannot run: only matters if it does */
} PtxFunction;

typedef struct PtxProgram {
    PtxFunction *functions;
    int n_functions;
    struct {
        char name[MOCK_NAME];
        uint32_t at;
    } shared[512]; /* variables of all kernels share one area; what is dynamic lies after it */
    int n_shared;
    uint32_t shared_bytes;
    bool has_barriers; /* and where ways part and meet matters */
    MockImage *image; /* for the addresses of globals */
} PtxProgram;

/* Functions that are not understood are marked, and the others run. */
PtxProgram *ptx_decode(const char *text, MockImage *image);
/* Of a function that is whole: where ways meet, and loops (graph.c). */
void ptx_find_flow(PtxFunction *function);
void ptx_free(PtxProgram *program);
int ptx_find(const PtxProgram *program, const char *name);

/* One result; false: no such operation here. */
bool ptx_alu(const Ins *i, const uint64_t *sources, uint64_t *result);
/* The same for each of these lanes. */
bool ptx_alu_warp(const Ins *i, const uint64_t *const sources[4], uint32_t lanes, uint64_t *result);
uint64_t ptx_atomic(const Ins *i, Update update, uint64_t old, uint64_t a, uint64_t b);

/* The whole grid. False: it has trapped, or did what no kernel may; *why says it. */
bool ptx_run(PtxProgram *program, const char *kernel, const MockLaunch *launch, const char **why);
#endif
