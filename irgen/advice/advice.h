/* advice.h -- --explain=launch: static analysis of a kernel's memory accesses and branches on a GPU. The facts come
 * from the tree and its rates alone (sema/analysis/rate.c), so they are the same at every -O and for every device. */
#ifndef KDSL_ADVICE_H
#define KDSL_ADVICE_H

#include "irgen/lang/cg.h"
#include "sema/analysis/rate.h"

enum {
    WARP = 32,        /* threads that execute together; of an AMD wavefront a half, or all of it */
    SECTOR_BYTES = 32 /* the unit of memory accesses; both: CUDA C++ Best Practices Guide, coalesced access */
};

/* The stride of an index, or of an address in elements, from a work item to the next one along an axis. */
typedef struct Step {
    enum { STEP_NONE, STEP_KNOWN, STEP_SIZE, STEP_ANY } kind;
    int64_t by;       /* STEP_KNOWN */
    const char *text; /* STEP_SIZE: "n", "2 * n" */
    bool from_memory; /* STEP_ANY: the index depends on a value read from memory */
} Step;
typedef struct Steps {
    Step along[GRID_AXES]; /* of the grid: x first */
} Steps;
Step step_add(Arena *arena, Step a, Step b);
Step step_scale(Arena *arena, Step a, int64_t by, const char *size); /* size: name of an extent; NULL: use `by` */

typedef enum LaunchMemory { MEMORY_GLOBAL, MEMORY_SHARED, MEMORY_CONSTANT, MEMORY_OWN } LaunchMemory;

typedef struct LaunchAccess {
    Span span;
    const Func *in;      /* the function that contains the access: the kernel, or one that it calls */
    const Symbol *array; /* the kernel's array; NULL: a single value passed by reference */
    bool reads, writes, is_atomic;
    LaunchMemory memory;
    int64_t element, bytes; /* size of an element, and of the part of it that is accessed */
    int rank;
    Steps index[MAX_RANK], base; /* base: in elements, if a section of an array was passed to a function */
    struct {
        int64_t value; /* -1: not a constant */
        const char *text;
    } extent[MAX_RANK];
} LaunchAccess;

typedef struct LaunchBranch {
    Span span;
    const Func *in;
    bool is_loop, from_memory;
    bool only_edges, each_group; /* it changes once along each axis of the domain, or of each group */
} LaunchBranch;

typedef struct LaunchFacts {
    const Func *kernel;
    int n_axes;
    int64_t threads[GRID_AXES]; /* of a block, for a large domain or for the constant size of this one */
    bool fixed;                 /* the size of the domain is constant */
    Vec(LaunchAccess) accesses;
    Vec(LaunchBranch) branches;
    int barriers;
} LaunchFacts;
LaunchFacts launch_facts(Cg *cg, const Func *kernel);
Steps launch_address(Arena *arena, const LaunchAccess *x,
                     int64_t padding); /* in elements; padding: columns added to the last extent */

/* lanes.c ------------------------------------------------------------------------------------------------------- */
typedef struct LaneView {
    const Func *kernel;
    const Rates *along; /* rates along the last axis of the domain, of the function that contains the expression */
    int64_t threads;    /* of a block along this axis */
} LaneView;
/* Is a value the same in all lanes of each warp? true only where a warp is 32 work items along the last axis. */
bool lanes_agree(const LaneView *v, const Expr *e);

/* warp.c: the addresses that a warp accesses together ---------------------------------------------------------- */
typedef struct Warp {
    int64_t across[GRID_AXES]; /* work items of a warp along each axis */
} Warp;
Warp warp_of(const int64_t *threads);
/* The cost of one access by a warp, with the addresses relative to the lowest. */
typedef struct WarpCost {
    bool known;
    int places;         /* number of different addresses */
    int sectors, least; /* sectors that the access touches, and the least number that could contain the data */
    int ways;           /* degree of the bank conflict: the most lanes that access different words of one bank */
} WarpCost;
WarpCost warp_cost(const Warp *w, const Steps *address, int64_t element, int64_t bytes);

/* occupancy.c: the resources of a device that a block needs -------------------------------------------------------- */
typedef struct LaunchResources { /* of a kernel on a device, as reported by its assembler */
    bool known;
    int registers, scalars, spilled; /* of a thread; scalars: SGPRs of an AMD wavefront; spilled: bytes */
    int64_t shared;                  /* bytes for each block */
} LaunchResources;
typedef struct Occupancy {
    bool known;                        /* the device is in the table */
    int blocks, threads, most_threads; /* resident at the same time on a multiprocessor or compute unit */
    const char *limit;                 /* the resource that limits it, as text */
} Occupancy;
Occupancy occupancy(const char *arch, int64_t threads, const LaunchResources *r);
/* Parses the output of ptxas -v, or an AMD object's assembly, for the entry `kernel`. */
LaunchResources resources_read(const char *text, const char *kernel, bool amd);

#endif
