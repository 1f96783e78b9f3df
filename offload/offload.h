/* offload.h -- libomptarget's protocol: what irgen calls while it builds the host module (emitters), and what the
 * driver calls with finished objects (images, executable). Layouts: offload/protocol.h, each citing its LLVM header. */
#ifndef KDSL_OFFLOAD_H
#define KDSL_OFFLOAD_H

#include <llvm-c/Core.h>

#include "base/base.h"
#include "sema/sema.h"

/* A place in the source as the runtime shows it. */
typedef struct OffPlace {
    const char *file, *function;
    int line, col;
} OffPlace;

/* entries.c, launch.c ---------------------------------------------------------------------------------------------- */
/* State of the protocol in one host module: the kernels launched so far. It owns its memory (not the Compiler's arena,
 * which another thread may be using) and only reads `c`. Free it after off_module_finish; what was emitted stays.
 * Functions that hold launches must not be deleted in between. */
typedef struct OffModule OffModule;
OffModule *off_module_new(Compiler *c, LLVMModuleRef host);
void off_module_free(OffModule *m); /* NULL is fine */
/* The module is one of several that come and go in a session: a kernel's region is a symbol of its own,
 * `kernel.region_id`, which off_define_region gives to one of them; who loads them makes the tables and the
 * descriptor. */
void off_be_unit(OffModule *m);
void off_define_region(OffModule *m, const char *kernel);
void off_require_unified_memory(OffModule *m); /* host and devices see one memory: maps copy nothing */

/* One argument of a launch. For arrays base, begin (ptr) and size_bytes (i64) say the section; by-value scalars ride in
 * the base slot as 64 bits (LITERAL), `value` being any integer or float of at most 64 bits. */
typedef struct OffArg {
    LLVMValueRef base, begin, size_bytes; /* arrays */
    LLVMValueRef value;                   /* scalars; NULL for arrays */
    Transfer transfer;                    /* arrays */
    bool is_there;                        /* arrays: already on the device, and copied all the same as `transfer`
                                           * says */
    const char *label;                    /* "x[0:n]", "a": shown by LIBOMPTARGET_INFO */
    OffPlace place;
} OffArg;

typedef struct OffLaunch {
    const char *kernel;      /* device symbol */
    const char *narrow;      /* of another version, taken where `fits` holds; NULL: there is none */
    LLVMValueRef fits;       /* i1 */
    OffPlace place;          /* of the offload expression; function = the kernel's own name */
    LLVMValueRef device;     /* i64, or NULL: the default device */
    LLVMValueRef trip_count; /* i64 */
    LLVMValueRef teams[3], threads[3]; /* i32; NULL: 1 (the x86 device is told nothing about them) */
    bool is_alone;           /* launches of this kernel on GPUs must follow one another */
    OffArg *args;
    int n_args;
} OffLaunch;

/* Emit one launch at the builder's position, which must be inside a function. Strings and args need to live for the
 * call only. The arrays and the argument struct are
 * allocas in the function's entry block, refilled at every launch. Result: i32, 0 done, not 0: run the host version. */
LLVMValueRef off_emit_launch(OffModule *m, LLVMBuilderRef b, const OffLaunch *l);

/* What the runtime's table of resident arrays is told about a section: a constant { ident, name } (runtime/runtime.h,
 * KdslSection). */
LLVMValueRef off_section_info(OffModule *m, const OffArg *section, const OffPlace *place);

/* Entry table, image table, descriptor, constructor and destructor. The images' bytes are the symbols
 * off_image_symbol(k, end) of another object. Without kernels nothing is emitted and 0 is returned; else the number of
 * kernels. has_ptx: some image is PTX, which the driver has to assemble first (runtime/cuda.c). */
int off_module_finish(OffModule *m, int n_images, bool has_ptx);
/* In c->arena: for the thread that owns the compiler. Distinct for distinct sources, so two of our objects link. */
const char *off_image_symbol(Compiler *c, int image, bool end);
/* A kernel's name in every image. PTX knows no dots, of which a kernel of a module has one. */
const char *off_kernel_symbol(Compiler *c, const char *kernel);
const char *off_narrow_symbol(Compiler *c, const char *kernel); /* of its version for small launches, if there is one */
/* The host version of a kernel: a second name, in the x86 device's object, for the function the image holds. The object
 * is linked into the program too. The name is this program's own, so that two programs' kernels never meet. */
const char *off_fallback_symbol(Compiler *c, const char *kernel);

/* image.c, link.c, output.c: on the thread that owns the compiler -------------------------------------------------- */
typedef struct Blob { /* bytes on the heap; blob_free */
    char *at;
    size_t n;
} Blob;
void blob_free(Blob *b);

/* names.c: an x86 image of functions that lie in this process already; `loaded` is called each time the plugin has
 * loaded it. false: no memory. */
typedef struct OffName {
    const char *name;
    const void *at;
} OffName;
bool off_names_image(const OffName *names, int n, void (*loaded)(void), Blob *image);

/* A library that a plugin has loaded, which it would keep until it ends itself. */
void off_close_image(void *library);

/* Device objects -> image the x86 plugin loads (a shared object). false: reported. */
bool off_link_x86_image(Compiler *c, const Blob *objects, int n, Blob *image);
/* libomptarget, of the version whose protocol this is: where it is, or NULL; *name: what it is called. */
const char *off_find_omptarget(Compiler *c, const char **name);
/* exports.c: reports exported functions whose names other parts of the process have. */
void off_check_exports(Compiler *c, const Program *p);
/* CUDA's assembler: the one KDSL_PTXAS names (empty: none), on PATH, or where the toolkit puts it. NULL: there is
 * none. */
const char *off_find_ptxas(Arena *arena);
/* What ptxas -v says of these kernels. false: there is no ptxas, or it has reported why not. */
bool off_ptxas_tells(Compiler *c, const char *cpu, const Blob *ptx, Blob *text);
/* A GPU's module -> image: "amdgpu", an object, to the code object the plugin loads; "nvptx", PTX, to the cubin that
 * ptxas makes of it, or, where there is no ptxas or newer models shall run it, to the PTX itself, which the program has
 * assembled by the driver it finds (runtime/cuda.c). cpu: sm_90, gfx90a. */
bool off_link_gpu_image(Compiler *c, const char *target, const char *cpu, bool any_newer, const Blob *module,
                        Blob *image);
/* An object that holds the images under off_image_symbol names, each in a container that says what it is. */
typedef struct DeviceImage {
    Blob bytes;
    const char *triple, *arch; /* "nvptx64-nvidia-cuda", "sm_90" */
} DeviceImage;
bool off_images_object(Compiler *c, const DeviceImage *images, int n, Blob *object);
/* Objects + embedded runtime -> executable (or, relocatable: one .o; shared: one .so). needs_omptarget: the host
 * object launches. */
typedef struct LinkJob {
    const Blob *objects;
    int n_objects;
    const char **libraries, **folders; /* of the user: -l and -L */
    int n_libraries, n_folders;
    bool relocatable, shared, needs_omptarget, debug;
    const char *output; /* written atomically: on failure an older file is untouched */
    Blob *in_memory;    /* not NULL: the result goes here, and nothing is written */
} LinkJob;
bool off_link(Compiler *c, const LinkJob *job);
/* Write bytes to `path` through a temporary file in the same folder and rename. mode: 0666 or 0777 before umask. */
bool off_write_file(Compiler *c, const char *path, Blob bytes, unsigned mode);

#endif
