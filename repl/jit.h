/* jit.h -- machine code and device images that come and go while the process runs: what the linker and the loader do
 * for a program, for one input of a session. Knows nothing of the language. */
#ifndef KDSL_JIT_H
#define KDSL_JIT_H

#include "offload/offload.h"
#include "runtime/live.h"

typedef struct Jit Jit;
typedef struct JitUnit JitUnit; /* what came together and goes together */

/* ORC's LLJIT for this process, with libomptarget and the runtime (runtime/live.h) opened: what code refers to is a
 * symbol of an older unit, of the runtime, or of any library of the process. One at a time. NULL: *why. */
Jit *jit_new(Compiler *c, bool has_gpu, Buf *why);
void jit_free(Jit *j); /* and all units: images unregistered, last first */

/* What comes together: objects as irgen makes them for a session (IrOptions.unit), the x86 device's among them; GPUs'
 * images; and the names of the kernels that these hold (off_kernel_symbol). irgen makes no descriptor and no
 * constructor then: for each kernel `name` there is a global `name.region_id` in the objects, whose address and name
 * are an entry. The image for the x86 device is made here, of the names and the addresses of the object's kernels
 * (off_names_image): code is there once. Entries, image table and descriptor are registered before anything of the unit
 * runs. Without kernels there is nothing to register. Texts of a unit (str) are in its code, and go with it. */
typedef struct JitParts {
    const Blob *objects;
    int n_objects;
    const DeviceImage *images; /* of GPUs; copied */
    int n_images;
    const char *const *kernels;
    int n_kernels;
} JitParts;
/* Symbols of older units are seen; a symbol is defined by one unit at a time. NULL: *why. */
JitUnit *jit_add(Jit *j, const JitParts *parts, Buf *why);
/* Linked when first asked for. NULL: *why, which may be that something the object needs is nowhere. */
void *jit_symbol(JitUnit *u, const char *name, Buf *why);
/* No code of the unit runs any more, and no later unit refers to it. */
void jit_release(Jit *j, JitUnit *u);

/* run(frame) below a border: what would end a program (kdsl_fail, exit(), a failed check of a kernel) or an interrupt
 * ends the call instead. All launches are over when it comes back. Code made for a session calls `kdsl_interrupted`
 * (void (void), does not return) at the back edges of host loops where the i32 `kdsl_interrupt` is not 0: symbols of
 * the runtime. */
typedef enum JitEnd { JIT_RETURNED, JIT_FAILED, JIT_INTERRUPTED, JIT_EXITED } JitEnd;
JitEnd jit_run(Jit *j, void (*run)(void *frame), void *frame, Buf *said);
int jit_exit_code(const Jit *j); /* after JIT_EXITED */
/* What the last run launched, in order (runtime/live.h). */
int jit_launches(const Jit *j, const KdslLaunch **at);
/* After every jit_run: blocks of arrays made in it that are still alive stay known until the session has said of each
 * that a variable of its holds it (jit_keep, data as kdsl_array_new gave it; also of older blocks, which changes
 * nothing); jit_settle frees the others where the call did not return, and forgets the list. */
void jit_keep(Jit *j, void *data);
void jit_settle(Jit *j, bool free_others);
/* A function of the runtime (runtime/runtime.h), to be called below no border: kdsl_array_free, kdsl_host_reads. */
void *jit_runtime(Jit *j, const char *name);
/* Launches that name no device go to this one. */
void jit_choose_device(Jit *j, int device);
/* An input begins: interrupts are for it from now on. */
void jit_begin(Jit *j);
/* Async-signal-safe: the run at hand ends at the next round of a loop, one to come does not begin. true: a kernel is
 * running, which ends first. */
bool jit_interrupt(Jit *j);

void jit_size(const Jit *j, int64_t *bytes, int *units);

#endif
