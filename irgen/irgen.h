/* irgen.h -- code generation: from the checked program to machine code, for the host and each device. The public
 * interface of this directory. */
#ifndef KDSL_IRGEN_H
#define KDSL_IRGEN_H

#include "irgen/told.h"
#include "irgen/transform.h"
#include "offload/offload.h"
#include "runtime/runtime.h"
#include "sema/sema.h"

typedef struct IrOptions {
    int opt_level;         /* 0 .. 3 */
    bool debug;            /* -g */
    bool only_lines;       /* of debug: the lines of instructions; no variables, which change the code a little */
    bool unchecked;        /* no run-time checks except asserts */
    KdslMemoryKind memory; /* --memory */
    bool transfers_each;   /* --transfers=each */
    bool scalar;           /* --vector=off */
    bool vector_always;    /* --vector=always: whatever the cost model says */
    const char *nest_plan; /* --nest-plan: lines of simd/plan_text.c; NULL: none */
    TransformSet omitted;  /* --no-transform */
    const char *without;   /* lang/removal.c: the check or copy that is left out; NULL: none */
    bool gpu;              /* of the host: launches may run on GPUs, so they say how large the grid is */
    bool counts_flops;     /* of the host: launches tell the runtime how many floating-point operations they make */
    bool has_ptx;          /* of the host: some of them are PTX */
    int n_images;          /* of the host: device images, which off_images_object holds */
    const char *print_before; /* a pass: it and those after it do not run; NULL: all run */
    bool verify_each;      /* the module is checked after each pass, not only at the end of stages */
    bool explain_vector;   /* only IrResult.vector is made: what kernels become as vector code */
    const char *march;     /* host and x86 device CPU: "native" (default), "x86-64-v3", ... */
    /* Of a device: the levels of x86-64 for which the kernels are compiled, lowest first; `march` is one of them.
     * n_levels = 0: no versions. The module of the lowest level has the dispatchers (version.c). */
    const char *const *levels;
    int n_levels;
    int part, n_parts;     /* of a device: compile only this part of the kernels; 0, 0: all */
    /* Of an interactive session (repl/): name of the unit, one of its inputs. Functions and kernels have external
     * linkage for later units; those of earlier units (Func.is_made) are only declared; images are not registered by a
     * constructor. */
    const char *unit;
    const char *(*keep_text)(void *context, const char *at, size_t n); /* copies text that must outlive the module */
    const void *(*keep_bytes)(void *context, const void *at, size_t n); /* the same, for array constants */
    void *keep_context;
    bool want_text, want_asm; /* set text, assembly of IrResult instead of object */
    bool want_module;      /* the object is the optimised module, for irgen_emit */
} IrOptions;

typedef struct IrTimes {
    double build, verify, vectorize, optimize, codegen; /* CPU time, in seconds */
} IrTimes;

typedef struct IrResult {
    Blob object;      /* relocatable ELF; PTX; or LLVM bitcode */
    char *text;       /* LLVM IR after the pass pipeline, or NULL; malloc */
    char *assembly;   /* or NULL; malloc */
    VectorNotes *vector; /* or NULL; malloc, with an arena of its own */
    int n_kernels;
    IrTimes times;
} IrResult;

/* Both may run on different threads at the same time: each has its own LLVM context and only reads the Program. There
 * are no diagnostics; an internal error ends the process. */
bool irgen_host(const Program *p, const IrOptions *o, IrResult *r);
bool irgen_device(const Program *p, const char *target, const IrOptions *o, IrResult *r);
/* target: "x86", "nvptx" (the object is PTX) or "amdgpu" */
/* The last stage alone: the object of a module that want_module has left. */
bool irgen_emit(const Blob *module, const char *target, const IrOptions *o, IrResult *r);
void ir_result_free(IrResult *r);
/* For tests: parses text[0..n) as LLVM IR of a module for this target, runs one pass (pass.def), and appends the
 * module's text to `out`. false: there is no such pass, or the text has an error; then `out` gets the message. */
bool irgen_run_pass(const char *name, const char *target, const IrOptions *o, const char *text, size_t n,
                    const char *path, Buf *out);
void irgen_list_passes(Buf *out);
bool irgen_has_pass(const char *name);
/* Of a text for IrOptions.nest_plan: what is wrong with it, or NULL. */
const char *irgen_nest_plan_problem(Arena *a, const char *text);
/* The symbols of a kernel's entries in every image of the program; returns their number. */
enum { MOST_ENTRIES = 2 };
int irgen_entries(Compiler *c, const Func *kernel, const IrOptions *o, const char *names[MOST_ENTRIES]);
/* --explain=launch: geometry, memory accesses and branches of each kernel, and its occupancy on each of these devices;
 * in the arena of the program's compiler. */
LaunchKernels irgen_launch_kernels(const Program *p, const LaunchDevice *devices, int n);
/* Is this a valid IrOptions.march? */
bool irgen_knows_cpu(const char *march);
/* Does that CPU have fused multiply-adds? If not, host code rounds each product, as with --fp=strict. */
bool irgen_host_fuses(const char *march);
/* Is `cpu` (sm_90, gfx90a) an architecture of this target? irgen_arch_name: the i-th of them, or NULL. */
bool irgen_knows_arch(const char *target, const char *cpu);
/* Is the optimised module the same for both, so that it need be made once? */
bool irgen_same_module(const char *target, const char *a, const char *b);
const char *irgen_triple(const char *target);
const char *irgen_arch_name(const char *target, int i);
/* Levels of x86-64: 1 x86-64, 2 x86-64-v2, ...; 0: not a level. irgen_cpu_level_name: NULL if there is no such
 * level. */
int irgen_cpu_level(const char *march);
const char *irgen_cpu_level_name(int level);

#endif
