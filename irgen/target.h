/* target.h -- the description of a target machine as data. A new device is a row in target.c and, where its kernels
 * start differently, a function pointer to code in a file of its own. Code generation tests fields of the row, never
 * the target's name. */
#ifndef KDSL_IRGEN_TARGET_H
#define KDSL_IRGEN_TARGET_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

typedef struct Kernel Kernel; /* cg.h */
typedef struct CgFunc CgFunc;

/* Address spaces on NVPTX and AMDGPU. The constant memory of AMDGPU is its memory, known to be only read. */
enum { GLOBAL_SPACE = 1, SHARED_SPACE = 3, CONSTANT_SPACE = 4 };
enum { GRID_AXES = 3 }; /* x is the fastest, and the last axis of a domain */

typedef enum GpuNumber { GPU_THREAD, GPU_BLOCK, GPU_THREADS, GPU_BLOCKS } GpuNumber;

/* A GPU: indices, barriers and attributes, as intrinsics of its LLVM back end. */
typedef struct Gpu {
    /* Emits an index or count along an axis, i32: of the thread in its block, or of the block in the grid. */
    LLVMValueRef (*number)(CgFunc *f, GpuNumber which, int axis);
    void (*barrier)(CgFunc *f);                   /* emits a barrier for the block, with its memory fences */
    void (*bounds)(CgFunc *f, const int64_t *by); /* sets the size of the block; NULL: at most GPU_MAX_THREADS */
    /* Returns v (i64) made opaque to LLVM's analyses; is_uniform: v is the same for all threads of the block. */
    LLVMValueRef (*hidden)(CgFunc *f, LLVMValueRef v, bool is_uniform);
    const char *libm, *libm_end;                  /* bitcode of functions that the device lacks (math/libm.c) */
    const char *group_scope;                      /* LLVM's synchronisation scope of a block */
    const char *const *update_marks;              /* metadata of atomic updates, up to NULL; NULL: none */
    const char *copies_bound;                     /* LLVM option with the threshold of unrolling, or NULL */
    int64_t constant_bytes;                       /* what fits in its constant memory, CONSTANT_SPACE */
    /* With which 1 / sqrt(x) of f32 becomes the instruction for it, if an error of an ulp is allowed (fpmath), too. */
    LLVMFastMathFlags inverse_root;
} Gpu;

typedef struct Target {
    const char *name, *triple;
    const char *default_cpu;   /* for --march=native; NULL: CPU and features of this machine */
    const Gpu *gpu;            /* NULL: a CPU */
    unsigned global_space;     /* address space of a kernel's pointers */
    /* GPUs for which LLVM's optimiser makes the same module, up to NULL; NULL: none. Their code differs. */
    const char *const *alike;
    int code_object;           /* AMDGPU: code object version times 100; else 0 */
    bool text_is_image;        /* the image is assembly: embedded as it is, or assembled by another tool */
    bool lines_only;           /* -g emits line tables, but no variables, which would prevent optimisation */
    bool is_program;           /* the module is the host program: its functions, launches, kdsl_main */
    bool checks;               /* failed checks of indices, divisions and shifts can be reported directly */
    bool vector;               /* kernels are vectorised (simd/) */
    const char *atomic_scope;  /* LLVM's synchronisation scope of the device; "": the whole system */
    /* Its object is also linked into the program, where its kernels are the host versions for launches without a
     * device. */
    bool holds_fallback;
    bool group_is_loop;        /* one thread executes all items of a group, so shared memory is private to it */
    bool copies_apart;         /* privatisation: threads update copies of small arrays (cpu/private.c) */
    const char *fma_feature;   /* the CPU feature that provides fused multiply-adds; "": always there */
    bool updates_to_read; /* LLVM fails to select atomic loads of arrays that a kernel does not write */
    bool splits_byte_products; /* LLVM fails to select sums of products of vectors of bytes */
    bool divides_words;        /* divides in 32 bits at least: LLVM cannot select udivrem and sdivrem of fewer */
    const char *half_feature;  /* the CPU feature that provides conversions of f16; "": always there */
    bool converts_bf16;        /* LLVM's conversion to bf16 rounds like lang/half.c, which handles NaNs in any case */
    bool one_nan;              /* conversions of floats return one NaN, whatever the payload */
    bool own_math;             /* kernels use the functions of math/, if there are fused multiply-adds */
    LLVMLinkage kernel_linkage;
    LLVMVisibility kernel_visibility;
    unsigned kernel_cc;
    /* Emits the kernel's entry: trip counts, distribution of the work items over threads, reductions. */
    void (*kernel_entry)(Kernel *k);
    void (*init)(void);        /* registers the LLVM target; called once per process */
} Target;

const Target *target_find(const char *name); /* NULL: unknown */
/* The row for a module with one of several versions of the kernels (version.c): its entries are hidden symbols. */
Target target_version(const Target *t);
/* march NULL or "native": the default of the row. Returns NULL if this LLVM has no such target. The machine belongs to
 * this thread, which has it again for the next module. */
LLVMTargetMachineRef target_machine(const Target *t, const char *march, int opt_level);
bool target_has_fma(const Target *t, LLVMTargetMachineRef machine);
bool target_has_half(const Target *t, LLVMTargetMachineRef machine); /* conversions of f16 */

#endif
