/* jit.h -- in-process linking and loading of machine code and device images, in units that can be released: one for
 * each input of a session. Independent of the language. */
#ifndef KDSL_JIT_H
#define KDSL_JIT_H

#include "offload/offload.h"
#include "runtime/live.h"

typedef struct Jit Jit;
typedef struct JitUnit JitUnit; /* what is added and released together */

/* Creates ORC's LLJIT for this process, and loads libomptarget and the runtime (runtime/live.h). Code may refer to
 * symbols of older units, of the runtime, and of any library of the process. Only one may exist at a time. NULL: error
 * in *why. */
Jit *jit_new(Compiler *c, bool has_gpu, Buf *why);
void jit_free(Jit *j); /* releases all units, last first: images are unregistered */

/* The contents of a unit: objects that irgen emits for a session (IrOptions.unit), including the x86 device's; images
 * for GPUs; and the symbols of their kernels (off_kernel_symbol). Such objects have no descriptor and no constructor:
 * for each kernel `name` they define `name.region_id`, whose address and name are the kernel's entry. The image for the
 * x86 device is created here, from the names and addresses of the kernels in the object (off_names_image), so that code
 * exists once. Entry table, image table and descriptor are registered before code of the unit is executed; without
 * kernels nothing is registered. String literals of a unit are part of its code, and are released with it. */
typedef struct JitParts {
    const Blob *objects;
    int n_objects;
    const DeviceImage *images; /* for GPUs; copied */
    int n_images;
    const char *const *kernels;
    int n_kernels;
} JitParts;
/* Adds a unit. It can use symbols of older units; a symbol may be defined by one unit at a time. NULL: error in
 * *why. */
JitUnit *jit_add(Jit *j, const JitParts *parts, Buf *why);
/* Address of a symbol, which is linked on first use. NULL: error in *why, for example a missing symbol. */
void *jit_symbol(JitUnit *u, const char *name, Buf *why);
/* Requires that no code of the unit is executing, and that no later unit refers to it. */
void jit_release(Jit *j, JitUnit *u);

/* Calls run(frame). What would end a program (kdsl_fail, exit(), a failed check of a kernel), or an interrupt, ends
 * this call instead. All launches have ended when it returns. Code for a session calls `kdsl_interrupted` (void (void),
 * does not return) on the back edges of host loops if the i32 `kdsl_interrupt` is not 0; both are symbols of the
 * runtime. */
typedef enum JitEnd { JIT_RETURNED, JIT_FAILED, JIT_INTERRUPTED, JIT_EXITED } JitEnd;
JitEnd jit_run(Jit *j, void (*run)(void *frame), void *frame, Buf *said);
int jit_exit_code(const Jit *j); /* after JIT_EXITED */
/* The launches of the last run, in order (runtime/live.h); returns their number. */
int jit_launches(const Jit *j, const KdslLaunch **at);
/* To be called after every jit_run. The runtime keeps a list of arrays allocated in the run that have not been freed.
 * jit_keep marks an array as owned by a variable of the session (data: from kdsl_array_new; arrays of earlier runs are
 * ignored). jit_settle frees the other arrays, if the run did not return, and clears the list. */
void jit_keep(Jit *j, void *data);
void jit_settle(Jit *j, bool free_others);
/* A function of the runtime that may be called outside of jit_run (runtime/runtime.h): kdsl_array_free,
 * kdsl_host_reads. */
void *jit_runtime(Jit *j, const char *name);
/* For the messages of failures in later runs. NULL: no longer. */
void jit_sources_are(Jit *j, const KdslSources *sources);
/* Sets the device of launches without `on`. */
void jit_choose_device(Jit *j, int device);
/* To be called when an input begins: clears an earlier interrupt. */
void jit_begin(Jit *j);
/* Async-signal-safe. The current run ends at the next iteration of a host loop; a later one does not begin. true: a
 * kernel is executing, which must end first. */
bool jit_interrupt(Jit *j);

void jit_size(const Jit *j, int64_t *bytes, int *units);

#endif
