/* launch.h -- --explain=launch: what a kernel does to a GPU's memory and threads, as facts and as text. Facts come from
 * the tree and its rates alone (sema/analysis/rate.c), so they are the same at every -O and for every device. */
#ifndef KDSL_IRGEN_LAUNCH_H
#define KDSL_IRGEN_LAUNCH_H

#include "irgen/lang/cg.h"

enum {
    WARP = 32,        /* items that ask for memory at once; of AMD's wavefronts a half, or one */
    SECTOR_BYTES = 32 /* what memory gives at least; both: CUDA C++ Best Practices Guide, coalesced access */
};

/* How an index, or an address in elements, moves from an item to its neighbour along one axis. */
typedef struct Step {
    enum { STEP_NONE, STEP_KNOWN, STEP_SIZE, STEP_ANY } kind;
    int64_t by;       /* STEP_KNOWN */
    const char *text; /* STEP_SIZE: "n", "2 * n" */
    bool from_memory; /* STEP_ANY: it rests on what was read */
} Step;
typedef struct Steps {
    Step along[GRID_AXES]; /* of the grid: x first */
} Steps;
Step step_add(Arena *arena, Step a, Step b);
Step step_scale(Arena *arena, Step a, int64_t by, const char *size); /* size NULL: times `by` */

typedef enum LaunchMemory { MEMORY_GLOBAL, MEMORY_SHARED, MEMORY_OWN } LaunchMemory;

typedef struct LaunchAccess {
    Span span;
    const Func *in;      /* whose text it is in: the kernel, or a function that it calls */
    const Symbol *array; /* the kernel's, or NULL: a number behind a reference */
    bool reads, writes, is_atomic;
    LaunchMemory memory;
    int64_t element, bytes; /* size of an element, and of what is wanted of it */
    int rank;
    Steps index[MAX_RANK], base; /* base: in elements, where a part of an array was passed to a function */
    struct {
        int64_t value; /* -1: not known here */
        const char *text;
    } extent[MAX_RANK];
} LaunchAccess;

typedef struct LaunchBranch {
    Span span;
    const Func *in;
    bool is_loop, only_edges, from_memory;
} LaunchBranch;

typedef struct LaunchFacts {
    const Func *kernel;
    int n_axes;
    int64_t threads[GRID_AXES]; /* of a block, where the domain is large, or as large as it is */
    bool fixed;                 /* the size of the domain is known here */
    Vec(LaunchAccess) accesses;
    Vec(LaunchBranch) branches;
    int barriers;
} LaunchFacts;
LaunchFacts launch_facts(Cg *cg, const Func *kernel);
Steps launch_address(Arena *arena, const LaunchAccess *x,
                     int64_t padding); /* in elements; padding: of the last extent */

/* warp.c: what a warp accesses at once ------------------------------------------------------------------------
 */
typedef struct Warp {
    int64_t across[GRID_AXES]; /* items of a warp along each axis */
} Warp;
Warp warp_of(const int64_t *threads);
/* Lanes whose addresses are known but for where they begin. */
typedef struct WarpCost {
    bool known;
    int places;         /* different addresses */
    int sectors, least; /* touched, when the lowest address begins one; and as few as hold what is wanted */
    int ways;           /* as many lanes at most want different words of one bank */
} WarpCost;
WarpCost warp_cost(const Warp *w, const Steps *address, int64_t element, int64_t bytes);

/* occupancy.c: what of a device a block takes -------------------------------------------------------------------------
 */
typedef struct LaunchResources { /* of a kernel, on a device, as its assembler says */
    bool known;
    int registers, scalars, spilled; /* a thread's; scalars: AMD's for a whole wavefront; bytes */
    int64_t shared;                  /* bytes of a block */
} LaunchResources;
typedef struct Occupancy {
    bool known;                        /* the device is in the table */
    int blocks, threads, most_threads; /* at once on a multiprocessor, or compute unit */
    const char *limit;                 /* what there would have to be more of */
} Occupancy;
Occupancy occupancy(const char *arch, int64_t threads, const LaunchResources *r);
/* Of `kernel`, from what ptxas -v has said, or from an AMD object's assembly. */
LaunchResources resources_read(const char *text, const char *kernel, bool amd);

#endif
