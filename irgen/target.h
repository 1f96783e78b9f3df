/* target.h -- what the generator needs to know about a machine, as data. A new device is a row in target.c and, where
 * its kernels start differently, a hook in a file of its own; the generator never asks which target it is on. */
#ifndef KDSL_IRGEN_TARGET_H
#define KDSL_IRGEN_TARGET_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

typedef struct Kernel Kernel; /* cg.h */
typedef struct CgFunc CgFunc;

enum { SHARED_SPACE = 3 };  /* address space of a block's shared memory, of NVPTX and AMDGPU */
enum { GRID_AXES = 3 }; /* x is the fastest, and the last axis of a domain */

typedef enum GpuNumber { GPU_THREAD, GPU_BLOCK, GPU_THREADS, GPU_BLOCKS } GpuNumber;

/* A machine whose threads are the work items: how they find their place, and how they wait for each other. */
typedef struct Gpu {
    /* Along an axis, an i32: of the thread in its block, of the block in the grid, and how many there are of each. */
    LLVMValueRef (*number)(CgFunc *f, GpuNumber which, int axis);
    void (*barrier)(CgFunc *f);                   /* all threads of the block, and what they have written */
    void (*bounds)(CgFunc *f, const int64_t *by); /* what is known of the block's size; NULL: at most GPU_MAX_THREADS */
    /* The same i64, of which LLVM knows nothing more; is_uniform: it is the same for all threads of the block. */
    LLVMValueRef (*hidden)(CgFunc *f, LLVMValueRef v, bool is_uniform);
    const char *libm, *libm_end;                  /* bitcode of what is missing of it (math/libm.c) */
    const char *group_scope;                      /* LLVM's name for "all threads of this block" */
    const char *copies_bound;                     /* LLVM's name for how large a loop written out may be, if it needs
                                                   * one */
} Gpu;

typedef struct Target {
    const char *name, *triple;
    const char *default_cpu;   /* for --march=native; NULL: this machine's CPU and features, asked of LLVM */
    const Gpu *gpu;            /* NULL: a processor */
    unsigned global_space;     /* address space of a kernel's pointers */
    int code_object;           /* AMDGPU: version of its format, times 100; else 0 */
    bool text_is_image;        /* its assembly is what is embedded, or assembled by another tool */
    bool lines_only;           /* -g: where the code is from, but no variables, with which nothing could be optimised */
    bool is_program;           /* the module holds the host program: its functions, launches, kdsl_main */
    bool checks;               /* failed index, division and shift checks can be reported from here */
    bool vector;               /* simd/ makes vector code of its kernels */
    const char *atomic_scope;  /* LLVM's name for "all items of this device"; "" is the whole system */
    /* Its object is linked into the program as well, where its kernels are the host versions that launches fall back
     * to. */
    bool holds_fallback;
    bool group_is_loop;        /* one thread runs the items of a group one after another: shared memory is its own */
    bool copies_apart;         /* its threads update copies of small arrays and bring them together at the end
                                * (cpu/private.c) */
    const char *fma_feature;   /* with this feature of a CPU there are fused multiply-adds; "": always */
    bool divides_words;        /* not less than 32 bits: LLVM's udivrem and sdivrem of fewer have no instruction */
    const char *half_feature;  /* with this feature there are conversions of f16; "": always */
    bool converts_bf16;        /* LLVM's conversion to bf16 rounds as half.c does; NaNs are half.c's in any case */
    bool one_nan;              /* conversions of floats return one NaN, whatever the payload */
    bool own_math;             /* kernels take their mathematics from math/, where there are fused multiply-adds */
    LLVMLinkage kernel_linkage;
    LLVMVisibility kernel_visibility;
    unsigned kernel_cc;
    /* Emit the kernel's entry: trip counts, the distribution of items over whatever runs in parallel, reductions. */
    void (*kernel_entry)(Kernel *k);
    void (*init)(void);        /* register the LLVM target; called once per process */
} Target;

const Target *target_find(const char *name); /* NULL: unknown */
/* The row of a module that holds one version of the kernels among several: found by the entries, and by nobody else. */
Target target_version(const Target *t);
/* march NULL or "native": the row's own default. NULL when this LLVM cannot make code for the row. */
LLVMTargetMachineRef target_machine(const Target *t, const char *march, int opt_level);
bool target_has_fma(const Target *t, LLVMTargetMachineRef machine);
bool target_has_half(const Target *t, LLVMTargetMachineRef machine); /* conversions of f16 */

#endif
