/* told.h -- what the compiler tells of kernels as rows, from which text and JSON are printed: how they are vectorised
 * (--explain=vector) and what they do to a GPU (--explain=launch). */
#ifndef KDSL_IRGEN_TOLD_H
#define KDSL_IRGEN_TOLD_H

#include "base/base.h"

/* Vector code ------------------------------------------------------------------------------------------------------ */

typedef struct VectorRemark {
    const char *kind;      /* a word: gather, scatter, call, check, ... */
    bool is_scalar;        /* it is done item by item */
    const char *file;      /* NULL: about the nest as a whole */
    int line, col;
    const char *text;
} VectorRemark;
typedef Vec(VectorRemark) VectorRemarks;

/* A version of a nest; at run time the first one that the launch allows is chosen. The words of --nest-plan. */
typedef struct VectorPlan {
    int version;
    const char *launches, *start, *tail, *stream, *split;
    int lanes, vectors, rows, band;
    bool unroll;
    int tile; /* 0: rows have any number of items */
} VectorPlan;

/* A nest of loops over work items. */
typedef struct VectorNest {
    const char *kernel, *file; /* file NULL: the place is not known */
    int number, line, col;     /* number: in its kernel, from 1 */
    bool is_vector;            /* false: head has the reason */
    bool is_repeat;            /* the text says the same as that of a nest before: it is left out */
    bool has_versions;         /* for masks under which accesses stay contiguous */
    bool is_unrolled;
    int lanes, vectors, rows;
    VectorRemarks head, remarks; /* of the nest; of places in it */
    Vec(VectorPlan) plans;
} VectorNest;

typedef struct VectorNotes {
    Arena arena;
    Vec(VectorNest) nests;
} VectorNotes;

void vector_notes_print(const VectorNotes *notes, Buf *out); /* vector_text.c */

/* Launches on GPUs ------------------------------------------------------------------------------------------------- */

/* A device for which the kernels are compiled, and what its assembler said of them. */
typedef struct LaunchDevice {
    const char *target, *arch; /* "nvptx", "sm_90" */
    const char *said;          /* output of ptxas -v, or for AMD the assembly; NULL: not available */
} LaunchDevice;

/* What a kernel needs of a device, and its occupancy. */
typedef struct LaunchNeeds {
    const char *arch;
    bool is_amd, known;              /* known: what the assembler says */
    int registers, scalars, spilled; /* scalars: of an AMD wavefront; spilled: bytes */
    bool has_occupancy;              /* the device is in the table */
    int blocks, threads, most_threads; /* resident together on a multiprocessor or compute unit */
    const char *limit;               /* what limits them */
} LaunchNeeds;

enum { LAUNCH_AXES = 3 };

/* An access of a warp, 32 neighbouring work items. */
typedef struct LaunchAccessNote {
    const char *function, *file; /* the kernel, or a function that it calls */
    int line, col;
    const char *mode, *text;     /* read, write, both, atomic; what is accessed */
    const char *memory, *steps;  /* global, shared, private; "stride 1" */
    bool known;                  /* the numbers that follow; ways is of shared memory, the others of global memory */
    int places, sectors, least, ways;
    int64_t bytes;                 /* that one item accesses */
    int64_t stride[LAUNCH_AXES];   /* bytes from an item to the next, if known; x first */
    const char *size[LAUNCH_AXES]; /* NULL: `stride`; a formula, or "": not affine */
    const char *cost, *advice;   /* advice: NULL: none */
} LaunchAccessNote;

typedef struct LaunchBranchNote {
    const char *function, *file;
    int line, col;
    bool is_loop, only_edges, each_group, from_memory;
    const char *text;
} LaunchBranchNote;

typedef struct LaunchKernel {
    const char *kernel, *file;
    int line, col;
    const char *domain; /* "over i in n" */
    int n_axes;
    int64_t threads[LAUNCH_AXES];    /* of a block; x first */
    const char *axis[LAUNCH_AXES];   /* the variable along it */
    int64_t warp[LAUNCH_AXES];       /* items of a warp along it */
    const char *blocks, *items;      /* as formulas and words */
    bool varies;                     /* small domains have other blocks */
    int64_t shared;                  /* bytes for each block */
    Vec(LaunchNeeds) needs;          /* by device */
    Vec(LaunchAccessNote) accesses;
    Vec(LaunchBranchNote) branches;  /* divergent ones */
    int barriers;                    /* in the source */
} LaunchKernel;
typedef Vec(LaunchKernel) LaunchKernels;

const char *launch_branch_text(const LaunchBranchNote *b);
void launch_kernels_print(const LaunchKernels *kernels, Buf *out); /* launch_text.c */

#endif
