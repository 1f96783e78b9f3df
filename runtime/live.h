/* live.h -- the runtime as a shared library (kdsl_live.so), for a process that generates code while it runs
 * (repl/jit.c). The files of the runtime are compiled a second time for it, with KDSL_LIVE. Differences: exit() ends
 * the current call, not the process; no pointer to generated code is kept after it has run, because the code may be
 * unloaded; every launch is recorded. */
#ifndef KDSL_RUNTIME_LIVE_H
#define KDSL_RUNTIME_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/target.h"

typedef enum KdslEnd { KDSL_RETURNED, KDSL_FAILED, KDSL_EXITED, KDSL_INTERRUPTED } KdslEnd;

/* One launch, or `times` equal ones in a row; device -1: the host itself. kernel "": no launch, but what host code
 * has brought back. */
typedef struct KdslLaunch {
    char kernel[64];
    int32_t line, device;
    int64_t items;
    int32_t blocks[3], threads[3]; /* as GPUs are told */
    int64_t times, bytes_to, bytes_from;
    bool is_in_place; /* nothing was copied: a device with its own memory would have needed these bytes */
    double seconds;
} KdslLaunch;

/* Sources that may be no files, such as inputs: returns the line `line` (from 1) of `file` with that hash (failure.h);
 * NULL if there is none. */
typedef struct KdslSources {
    const char *(*line)(void *of, const char *file, int n_file, int line, uint32_t hash, int *n);
    void *of;
    bool colour;
} KdslSources;

typedef struct KdslLive {
    /* Calls run(frame) so that failures and exit() end only this call. All launches have finished when it returns.
     * *exit_code: of exit(); *message: why it failed, valid until the next call. */
    KdslEnd (*run)(void (*run)(void *frame), void *frame, int32_t *exit_code, const char **message);
    /* The arrays of the last run that still exist are recorded until `settle`, which frees those that were not passed
     * to `keep`, or keeps them all. */
    void (*keep)(void *array);
    void (*settle)(bool free_others);
    volatile int32_t *interrupt;            /* not 0: the run at hand is to end, and none begins */
    volatile int32_t *n_launching;          /* launches on GPUs that run at this moment: nothing ends them */
    void (*choose_device)(int device);      /* what others keep comes back first */
    void (*sources_are)(const KdslSources *sources); /* for messages of failures */
    int (*launches)(const KdslLaunch **at); /* of the last run */
    void (*image_loaded)(void);             /* of an image without code (off_names_image) */
    /* The handle (of dlopen) of the image that the plugin has loaded and that defines `name` at `at`; or NULL. */
    void *(*find_image)(const char *name, const void *at);
    void (*register_ptx)(const void *descriptor), (*unregister_ptx)(const void *descriptor);
} KdslLive;

__attribute__((visibility("default"))) extern const KdslLive kdsl_live;

enum { KDSL_HOST = -2 };

void kdsl_sources_are(const KdslSources *sources); /* excerpt.c */

/* Called by report.c. device -1: the default one. place: ";file;kernel;line;column;;" */
void kdsl_live_moved(bool in, bool by_launch, bool is_in_place, int64_t n_bytes);
void kdsl_live_launched(const char *place, int64_t device, const KernelArgs *args, double seconds);

#endif
