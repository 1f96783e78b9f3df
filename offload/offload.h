/* offload.h -- offloading through libomptarget: functions that emit its protocol into the host module (for irgen), and
 * functions that create images and executables from objects (for the driver). Layouts: offload/protocol.h, each with
 * its LLVM header. */
#ifndef KDSL_OFFLOAD_H
#define KDSL_OFFLOAD_H

#include <llvm-c/Core.h>

#include "base/base.h"
#include "runtime/runtime.h"
#include "sema/sema.h"

/* A source location, for the runtime's reports. */
typedef struct OffPlace {
    const char *file, *function;
    int line, col;
    int length;    /* of what is marked; 0: not known */
    uint32_t hash; /* of the whole line (runtime/failure.h) */
} OffPlace;

/* entries.c, launch.c ---------------------------------------------------------------------------------------------- */
/* State of the protocol in one host module: the kernels launched so far. It has its own memory (another thread may be
 * using the Compiler's arena) and only reads `c`. Free it after off_module_finish; the emitted IR remains valid.
 * Functions with launches must not be deleted before that. */
typedef struct OffModule OffModule;
OffModule *off_module_new(Compiler *c, LLVMModuleRef host);
void off_module_free(OffModule *m); /* m may be NULL */
/* For one of several modules that an interactive session loads and unloads: each kernel's region is an external symbol
 * `kernel.region_id`, which off_define_region defines in one of them; the session creates the tables and the
 * descriptor. */
void off_be_unit(OffModule *m);
void off_define_region(OffModule *m, const char *kernel);
void off_set_memory(OffModule *m, KdslMemoryKind kind, bool copies_each); /* --memory, --transfers=each; without this
                                                                            * call: auto, no */

/* One argument of a launch. Arrays: base, begin (ptr) and size_bytes (i64) describe the section. By-value scalars:
 * `value`, an integer or float of at most 64 bits, is passed as 64 bits in the base slot (LITERAL). */
typedef struct OffArg {
    LLVMValueRef base, begin, size_bytes; /* arrays */
    LLVMValueRef value;                   /* scalars; NULL for arrays */
    Transfer transfer;                    /* arrays */
    bool is_there;                        /* arrays: copied although they are already mapped (OFF_MAP_ALWAYS) */
    const char *label;                    /* "x[0:n]", "a": shown by LIBOMPTARGET_INFO */
    OffPlace place;
} OffArg;

typedef struct OffLaunch {
    const char *kernel;      /* device symbol */
    const char *narrow;      /* symbol of the narrow entry, launched if `fits`; NULL: there is none */
    LLVMValueRef fits;       /* i1 */
    OffPlace place;          /* of the offload expression; function = the kernel's own name */
    LLVMValueRef device;     /* i64, or NULL: the default device */
    LLVMValueRef trip_count; /* i64 */
    LLVMValueRef teams[3], threads[3]; /* i32; NULL: 1 (the x86 device ignores them) */
    bool is_alone;           /* launches of this kernel on a GPU must not overlap */
    OffArg *args;
    int n_args;
} OffLaunch;

/* Emits a launch at the builder's position, which must be in a function. Strings and args are only read during the
 * call. The arrays and the argument struct are allocas in the function's entry block, which every launch refills.
 * Returns an i32: 0: the kernel was executed; else the host version must be called. */
LLVMValueRef off_emit_launch(OffModule *m, LLVMBuilderRef b, const OffLaunch *l);

/* A constant { ident, name } that describes a section to the runtime's table of resident arrays (runtime/runtime.h,
 * KdslSection). */
LLVMValueRef off_section_info(OffModule *m, const OffArg *section, const OffPlace *place);

/* Emits the entry table, image table, descriptor, constructor and destructor. The images are in another object, with
 * the symbols off_image_symbol(k, end). Returns the number of kernels; 0: nothing was emitted. has_ptx: an image is
 * PTX, which the CUDA driver must assemble first (runtime/cuda.c). */
int off_module_finish(OffModule *m, int n_images, bool has_ptx);
/* The symbols are allocated in c->arena, so only the thread that owns the compiler may call these. Image symbols are
 * distinct for distinct sources, so that two of our objects can be linked. */
const char *off_image_symbol(Compiler *c, int image, bool end);
/* A kernel's symbol in every image. `$` replaces the dot in the name of a module's kernel, since PTX names have no
 * dots. */
const char *off_kernel_symbol(Compiler *c, const char *kernel);
const char *off_narrow_symbol(Compiler *c, const char *kernel); /* of the narrow entry */
/* The symbol of the host version of a kernel: an alias, in the x86 device's object, of the function in the image. The
 * object is also linked into the program. The symbol contains a hash of the sources, so that the kernels of two
 * programs never collide. */
const char *off_fallback_symbol(Compiler *c, const char *kernel);

/* image.c, link.c, output.c: on the thread that owns the compiler -------------------------------------------------- */
typedef struct Blob { /* bytes allocated by malloc; free with blob_free */
    char *at;
    size_t n;
} Blob;
void blob_free(Blob *b);

/* names.c: creates an x86 image that names functions of this process; `loaded` is called each time the plugin has
 * loaded the image. false: out of memory. */
typedef struct OffName {
    const char *name;
    const void *at;
} OffName;
bool off_names_image(const OffName *names, int n, void (*loaded)(void), Blob *image);

/* Closes an image that a plugin has loaded and would keep until the end of the process. */
void off_close_image(void *library);

/* The k-th function that a relocatable object defines: false if there are not that many. `at` is its offset in the
 * section with that number. The name points into `object`. */
typedef struct OffFunction {
    const char *name;
    int section;
    uint64_t at, n_bytes;
    bool is_global;
} OffFunction;
bool off_function(Blob object, int k, OffFunction *f);

/* Links device objects to the image for the x86 plugin, a shared object. false: an error was reported. */
bool off_link_x86_image(Compiler *c, const Blob *objects, int n, Blob *image);
/* Path of the libomptarget whose protocol is implemented here, or NULL; *name: its file name. */
const char *off_find_omptarget(Compiler *c, const char **name);
/* Path of the file of the C library that a program begins with, or NULL. */
const char *off_find_start_file(Compiler *c);
/* exports.c: reports exported functions whose names other libraries of the process define. */
void off_check_exports(Compiler *c, const Program *p);
/* Path of CUDA's assembler: from KDSL_PTXAS (empty: none), on PATH, or in the toolkit's default folder. NULL: not
 * found. */
const char *off_find_ptxas(Arena *arena);
/* On PATH; NULL: it is not there. */
const char *off_find_program(Arena *arena, const char *program);
/* *text: the output of ptxas -v for these kernels. false: there is no ptxas, or an error was reported. */
bool off_ptxas_tells(Compiler *c, const char *cpu, const Blob *ptx, Blob *text);
/* Creates the image from a GPU's module. "amdgpu": links the object to a code object. "nvptx": assembles the PTX to a
 * cubin by ptxas; without ptxas, or for newer models as well (any_newer), the image is the PTX itself, which the CUDA
 * driver assembles at run time (runtime/cuda.c). cpu: sm_90, gfx90a. */
bool off_link_gpu_image(Compiler *c, const char *target, const char *cpu, bool any_newer, const Blob *module,
                        Blob *image);
/* Creates an object with the images, each in LLVM's container format, under the symbols of off_image_symbol. */
typedef struct DeviceImage {
    Blob bytes;
    const char *triple, *arch; /* "nvptx64-nvidia-cuda", "sm_90" */
} DeviceImage;
bool off_images_object(Compiler *c, const DeviceImage *images, int n, Blob *object);
/* Links objects and the embedded runtime to an executable, a .o (relocatable) or a .so (shared). needs_omptarget: the
 * host object contains launches. */
typedef struct LinkExtern { /* a C function that the program declares, and where */
    const char *symbol;
    Span at;
} LinkExtern;
typedef struct LinkJob {
    const Blob *objects;
    int n_objects;
    const char **libraries, **folders; /* arguments of -l and -L */
    int n_libraries, n_folders;
    const LinkExtern *externs; /* for messages */
    int n_externs;
    bool relocatable, shared, needs_omptarget, debug;
    const char *output; /* replaced atomically: after a failure an older file is unchanged */
    Blob *in_memory;    /* not NULL: stores the result here and writes no file */
} LinkJob;
bool off_link(Compiler *c, const LinkJob *job);
/* Replaces the file `path` atomically, by a temporary file in the same folder and rename. mode: 0666 or 0777 before
 * umask. */
bool off_write_file(Compiler *c, const char *path, Blob bytes, unsigned mode);

#endif
