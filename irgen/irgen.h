/* irgen.h -- the checked program to machine code, for the host and each device. The only public face of this room. */
#ifndef KDSL_IRGEN_H
#define KDSL_IRGEN_H

#include "irgen/transform.h"
#include "offload/offload.h"
#include "sema/sema.h"

typedef struct IrOptions {
    int opt_level;         /* 0 .. 3 */
    bool debug;            /* -g */
    bool unchecked;        /* no run-time checks but asserts */
    bool unified;          /* --memory=unified */
    bool scalar;           /* --vector=off */
    const char *nest_plan; /* --nest-plan: lines of simd/plan_text.c; NULL: none */
    TransformSet omitted;  /* --no-transform */
    const char *without;   /* lang/removal.c: the check or copy that is left out; NULL: none */
    bool gpu;              /* of the host: launches may run on GPUs, so they say how large the grid is */
    bool has_ptx;          /* of the host: some of them are PTX */
    int n_images;          /* of the host: device images, which off_images_object holds */
    const char *print_before; /* a pass: it and those after it do not run; NULL: all run */
    bool verify_each;      /* the module is checked after each pass, not only at the end of stages */
    bool explain_vector;   /* only IrResult.text is made: what kernels become as vector code */
    const char *march;     /* host and x86 device CPU: "native" (default), "x86-64-v3", ... */
    /* Of a device: `march` is one of so many levels of x86-64, lowest first, that the kernels are made for; 0: the only
     * one. The module of the lowest has the kernels' entries, which choose among the versions where they run. */
    const char *const *levels;
    int n_levels;
    int part, n_parts;     /* of a device: only this part of the kernels; 0, 0: all */
    /* Of an interactive session (repl/): the modules of one of its inputs, under this name. Functions and kernels are
     * seen by later units, those that are made already (Func.is_made) are only declared, and nothing registers by
     * itself. */
    const char *unit;
    const char *(*keep_text)(void *context, const char *at, size_t n); /* text that variables may hold: where it
                                                                        * stays */
    void *keep_context;
    bool want_text, want_asm; /* fill the fields of IrResult */
} IrOptions;

typedef struct IrTimes {
    double build, verify, vectorize, optimize, codegen; /* processor time, in seconds */
} IrTimes;

typedef struct IrResult {
    Blob object;      /* relocatable ELF */
    char *text;       /* LLVM IR after the pass pipeline, or NULL; malloc */
    char *assembly;   /* or NULL; malloc */
    int n_kernels;
    IrTimes times;
} IrResult;

/* Both are independent of each other and may run on two threads: each owns its LLVM context and only reads the Program.
 * Diagnostics (there should be none) go to c->diags under a lock. */
bool irgen_host(const Program *p, const IrOptions *o, IrResult *r);
bool irgen_device(const Program *p, const char *target, const IrOptions *o, IrResult *r);
/* target: "x86"; "nvptx", whose object is PTX; "amdgpu" */
void ir_result_free(IrResult *r);
/* For tests: runs one pass (pass.def) on the LLVM IR in text[0..n) as on a module for this target, and prints what is
 * made of it, or, where it is none, LLVM's message. */
bool irgen_run_pass(const char *name, const char *target, const IrOptions *o, const char *text, size_t n,
                    const char *path, Buf *out);
void irgen_list_passes(Buf *out);
bool irgen_has_pass(const char *name);
/* Of a text for IrOptions.nest_plan: what is wrong with it, or NULL. */
const char *irgen_nest_plan_problem(Arena *a, const char *text);
/* What a kernel's entries are called in every image of such a program; how many there are. */
enum { MOST_ENTRIES = 2 };
int irgen_entries(Compiler *c, const Func *kernel, const IrOptions *o, const char *names[MOST_ENTRIES]);
/* --explain=launch: what each kernel does to a GPU's threads and memory, and what it takes of each of these devices.
 * `said`: by ptxas -v of the kernels made for it, or for AMD their assembly; NULL: nobody has. */
typedef struct LaunchDevice {
    const char *target, *arch; /* "nvptx", "sm_90" */
    const char *said;
} LaunchDevice;
void irgen_explain_launch(const Program *p, const LaunchDevice *devices, int n, Buf *out);
/* May IrOptions.march say this? */
bool irgen_knows_cpu(const char *march);
/* Has that CPU fused multiply-adds? Where not, host code rounds each product by itself, as with --fp=strict. */
bool irgen_host_fuses(const char *march);
/* Is `cpu` (sm_90, gfx90a) a device of this target? And the i-th of them, or NULL. */
bool irgen_knows_arch(const char *target, const char *cpu);
const char *irgen_triple(const char *target);
const char *irgen_arch_name(const char *target, int i);
/* 1 x86-64, 2 x86-64-v2, ...; 0: no level. And back; NULL past the last. */
int irgen_cpu_level(const char *march);
const char *irgen_cpu_level_name(int level);

#endif
