/* jit.c -- implements jit.h. ORC links the objects, with a resource tracker for each unit, so that the memory of a unit
 * can be released. The runtime is a shared object embedded in kdslc and loaded from memory by dlopen, so that it can
 * have thread-local variables; libomptarget is loaded before it, so that its symbols are found.
 *
 * After an image is unregistered, libomptarget (LLVM 22.1.8) keeps the plugin's copy of the image, which is small
 * (off_names_image); the library loaded from it, which this file closes; and the address of the entry table, which must
 * not be used again for another table: tables are allocated in an arena that is never freed. */
#define _GNU_SOURCE
#include "repl/jit.h"

#include <dlfcn.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "offload/protocol.h"
#include "repl/perf_map.h"
#include "runtime/embedded.h"
#include "runtime/perf.h"

static Arena tables; /* entry tables: never freed */

struct Jit {
    LLVMOrcLLJITRef orc;
    LLVMOrcJITDylibRef symbols;
    void *runtime;
    const KdslLive *live;
    void (*register_lib)(const OffDescriptor *d), (*unregister_lib)(const OffDescriptor *d);
    Buf errors; /* ORC's messages, which precede the error that it returns */
    JitUnit *last;
    int64_t bytes;
    int n_units, n_released, exit_code;
};

struct JitUnit {
    Jit *jit;
    JitUnit *older, *newer;
    LLVMOrcResourceTrackerRef tracker;
    int64_t bytes;
    Arena arena; /* of all the data below */
    OffDescriptor descriptor;
    OffName *kernels; /* one for each entry */
    Blob names_image;
    bool is_registered, has_ptx;
};

/* Start ------------------------------------------------------------------------------------------------------------ */

static bool refuse(Buf *why, LLVMErrorRef error) {
    if (!error) return false;
    char *text = LLVMGetErrorMessage(error);
    buf_puts(why, text);
    LLVMDisposeErrorMessage(text);
    return true;
}

static void on_error(void *errors, LLVMErrorRef error) {
    refuse(errors, error);
    buf_putc(errors, '\n');
}

static bool open_omptarget(Jit *j, Compiler *c, Buf *why) {
    const char *name, *path = off_find_omptarget(c, &name);
    void *library = dlopen(path ? path : name, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        buf_printf(why,
                   "cannot run kernels: `%s` was not found; install the Debian package liboffload-22",
                   name);
        return false;
    }
    *(void **)&j->register_lib = dlsym(library, "__tgt_register_lib");
    *(void **)&j->unregister_lib = dlsym(library, "__tgt_unregister_lib");
    dlopen("libmvec.so.1", RTLD_LAZY | RTLD_GLOBAL); /* if it exists, since kernels may call it */
    return j->register_lib && j->unregister_lib;
}

/* From memory, so that no file has to be found or deleted. */
static bool open_runtime(Jit *j, Buf *why) {
    size_t n = (size_t)(kdsl_embedded_live_end - kdsl_embedded_live);
    char path[64];
    int fd = memfd_create("kdsl_live.so", MFD_CLOEXEC);
    bool ok = fd >= 0 && write(fd, kdsl_embedded_live, n) == (ssize_t)n;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* Before OpenMP starts: the runtime is registered as an OMPT tool, to observe transfers. KMP_BLOCKTIME (ms):
     * threads must not spin for long after a launch, while the next input is compiled. */
    setenv("OMP_TOOL_LIBRARIES", path, 1);
    setenv("KMP_BLOCKTIME", "1", 0);
    j->runtime = ok ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    j->live = j->runtime ? dlsym(j->runtime, "kdsl_live") : NULL;
    if (j->live) return true;
    const char *reason = ok ? dlerror() : NULL;
    buf_printf(why, "the runtime cannot be loaded from memory: %s", reason ? reason : "out of memory");
    return false;
}

static bool start_orc(Jit *j, Buf *why) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    if (refuse(why, LLVMOrcCreateLLJIT(&j->orc, LLVMOrcCreateLLJITBuilder()))) return false;
    j->symbols = LLVMOrcLLJITGetMainJITDylib(j->orc);
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(j->orc), on_error, &j->errors);
    return true;
}

/* If no descriptor is registered, libomptarget shuts its plugins down, which would close libraries that are already
 * closed. So this descriptor stays registered until the process ends. Its image makes the CPU's devices available
 * before there are kernels. With GPUs it has no image, because GPUs must come first in the numbering of devices and
 * need an image of their own format. */
static bool start_devices(Jit *j, bool has_gpu) {
    static OffImage image;
    static OffDescriptor first = {.images = &image};
    Blob bytes;
    if (!off_names_image(NULL, 0, j->live->image_loaded, &bytes)) return false;
    image = (OffImage){.image_begin = bytes.at, .image_end = bytes.at + bytes.n};
    first.n_images = !has_gpu;
    j->register_lib(&first);
    return true;
}

Jit *jit_new(Compiler *c, bool has_gpu, Buf *why) {
    Jit *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    if (open_omptarget(j, c, why) && open_runtime(j, why) && start_orc(j, why) && start_devices(j, has_gpu)) return j;
    free(j);
    return NULL;
}

void jit_free(Jit *j) {
    if (!j) return;
    while (j->last) jit_release(j, j->last);
    LLVMConsumeError(LLVMOrcDisposeLLJIT(j->orc));
    buf_free(&j->errors);
    free(j);
}

/* Units ------------------------------------------------------------------------------------------------------------ */

static void *lookup(Jit *j, const char *name, Buf *why) {
    LLVMOrcExecutorAddress at = 0;
    j->errors.n = 0;
    if (!refuse(why, LLVMOrcLLJITLookup(j->orc, &at, name))) return (void *)at;
    if (j->errors.n) buf_printf(why, "\n%.*s", (int)j->errors.n, j->errors.at);
    return NULL;
}

void *jit_symbol(JitUnit *u, const char *name, Buf *why) { return lookup(u->jit, name, why); }

static bool add_object(JitUnit *u, Blob object, Buf *why) {
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.at, object.n, "unit");
    u->bytes += (int64_t)object.n;
    return !refuse(why, LLVMOrcLLJITAddObjectFileWithRT(u->jit->orc, u->tracker, bytes));
}

static bool make_entries(JitUnit *u, const JitParts *parts, Buf *why) {
    OffEntry *entries = arena_array(&tables, OffEntry, parts->n_kernels);
    u->kernels = arena_array(&u->arena, OffName, parts->n_kernels);
    for (int i = 0; i < parts->n_kernels; i++) {
        const char *name = parts->kernels[i], *region = arena_printf(&u->arena, "%s.region_id", name);
        u->kernels[i] = (OffName){arena_strndup(&u->arena, name, strlen(name)), lookup(u->jit, name, why)};
        entries[i] = (OffEntry){.version = OFF_ENTRY_VERSION,
                                .kind = OFF_KIND_OPENMP,
                                .address = lookup(u->jit, region, why),
                                .symbol = (char *)u->kernels[i].name};
        if (!u->kernels[i].at || !entries[i].address) return false;
    }
    u->descriptor.entries_begin = entries;
    u->descriptor.entries_end = entries + parts->n_kernels;
    return true;
}

static void add_image(JitUnit *u, Blob bytes) {
    u->descriptor.images[u->descriptor.n_images++] =
        (OffImage){bytes.at, bytes.at + bytes.n, u->descriptor.entries_begin, u->descriptor.entries_end};
    u->bytes += (int64_t)bytes.n;
}

static bool is_ptx(const DeviceImage *image) {
    return !strncmp(image->triple, "nvptx", 5) && strncmp(image->bytes.at, "\177ELF", 4);
}

/* GPU images come first, because devices are numbered in the order of images. */
static bool register_images(JitUnit *u, const JitParts *parts, Buf *why) {
    if (!make_entries(u, parts, why)) return false;
    u->descriptor.images = arena_array(&u->arena, OffImage, parts->n_images + 1);
    for (int i = 0; i < parts->n_images; i++) {
        Blob bytes = parts->images[i].bytes;
        u->has_ptx = u->has_ptx || is_ptx(&parts->images[i]);
        add_image(u, (Blob){memcpy(arena_array(&u->arena, char, bytes.n), bytes.at, bytes.n), bytes.n});
    }
    if (!off_names_image(u->kernels, parts->n_kernels, u->jit->live->image_loaded, &u->names_image)) return false;
    add_image(u, u->names_image);
    if (u->has_ptx) u->jit->live->register_ptx(&u->descriptor);
    else u->jit->register_lib(&u->descriptor);
    u->is_registered = true;
    return true;
}

/* For perf's map, which may lack what cannot be linked: whoever needs the symbol reports that. */
static uint64_t address_of(void *jit, const char *name) {
    Buf why = {0};
    uint64_t at = (uint64_t)(uintptr_t)lookup(jit, name, &why);
    buf_free(&why);
    return at;
}

JitUnit *jit_add(Jit *j, const JitParts *parts, Buf *why) {
    JitUnit *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    *u = (JitUnit){.jit = j, .older = j->last, .tracker = LLVMOrcJITDylibCreateResourceTracker(j->symbols)};
    if (j->last) j->last->newer = u;
    j->last = u;
    j->n_units++;
    bool ok = true;
    for (int i = 0; i < parts->n_objects && ok; i++) ok = add_object(u, parts->objects[i], why);
    if (ok && parts->n_kernels) ok = register_images(u, parts, why);
    j->bytes += u->bytes;
    for (int i = 0; i < parts->n_objects && ok && kdsl_is_for_perf(); i++)
        perf_map_add(parts->objects[i], address_of, j);
    if (ok) return u;
    jit_release(j, u);
    return NULL;
}

static void unregister_images(JitUnit *u) {
    enum { MOST_DEVICES = 64 };
    Jit *j = u->jit;
    if (u->has_ptx) j->live->unregister_ptx(&u->descriptor);
    else j->unregister_lib(&u->descriptor);
    const OffName *k = &u->kernels[0];
    void *image;
    for (int i = 0; i < MOST_DEVICES && (image = j->live->find_image(k->name, k->at)); i++) {
        off_close_image(image);
        dlclose(image); /* find_image has opened it once more */
    }
}

/* ORC does not free unused symbol names by itself, and finding them visits all names, so this is done rarely. */
static void forget_names(Jit *j) {
    enum { OFTEN = 64 };
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(j->orc);
    if (++j->n_released % OFTEN) return;
    LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(session));
}

void jit_release(Jit *j, JitUnit *u) {
    if (!u) return;
    if (u->is_registered) unregister_images(u);
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(u->tracker));
    LLVMOrcReleaseResourceTracker(u->tracker);
    *(u->newer ? &u->newer->older : &j->last) = u->older;
    if (u->older) u->older->newer = u->newer;
    j->n_units--;
    j->bytes -= u->bytes;
    blob_free(&u->names_image);
    arena_free(&u->arena);
    free(u);
    forget_names(j);
}

/* Execution -------------------------------------------------------------------------------------------------------- */

JitEnd jit_run(Jit *j, void (*run)(void *frame), void *frame, Buf *said) {
    static const JitEnd ends[] = {[KDSL_RETURNED] = JIT_RETURNED,
                                  [KDSL_FAILED] = JIT_FAILED,
                                  [KDSL_EXITED] = JIT_EXITED,
                                  [KDSL_INTERRUPTED] = JIT_INTERRUPTED};
    const char *message = "";
    KdslEnd end = j->live->run(run, frame, &j->exit_code, &message);
    if (end == KDSL_FAILED || end == KDSL_INTERRUPTED) buf_puts(said, message);
    return ends[end];
}

int jit_exit_code(const Jit *j) { return j->exit_code; }

int jit_launches(const Jit *j, const KdslLaunch **at) { return j->live->launches(at); }

void jit_keep(Jit *j, void *data) { j->live->keep(data); }

void jit_settle(Jit *j, bool free_others) { j->live->settle(free_others); }

void *jit_runtime(Jit *j, const char *name) { return dlsym(j->runtime, name); }

void jit_sources_are(Jit *j, const KdslSources *sources) { j->live->sources_are(sources); }

void jit_choose_device(Jit *j, int device) { j->live->choose_device(device); }

void jit_begin(Jit *j) { *j->live->interrupt = 0; }

bool jit_interrupt(Jit *j) {
    *j->live->interrupt = 1;
    return *j->live->n_launching > 0;
}

void jit_size(const Jit *j, int64_t *bytes, int *units) {
    *bytes = j->bytes;
    *units = j->n_units;
}
