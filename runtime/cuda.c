/* cuda.c -- linking of NVIDIA images that are PTX. If the compiler found no ptxas, the program contains PTX, which
 * libomptarget cannot load; so before its images are registered, the PTX is linked by the driver, and the resulting
 * cubin replaces it. Newer devices run older PTX, so the newest PTX that the device supports is taken; if there are
 * devices of several models, one for each model. Without a driver, or if the driver refuses, the image is left out and
 * the next one is tried.
 *
 * Linked only into programs with such images. Source of the interface: cuda.h, CUDA Driver API, "Module Management";
 * of the descriptor: llvm/lib/Frontend/Offloading/OffloadWrapper.cpp of LLVM 22. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"

typedef struct Image {
    const char *begin, *end;
    const void *entries, *entries_end;
} Image;

typedef struct Descriptor {
    int32_t n;
    const Image *images;
    const void *entries, *entries_end;
} Descriptor;

/* The driver ------------------------------------------------------------------------------------------------------- */

enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, INPUT_PTX = 1, OPTION_ERROR_LOG = 5, OPTION_ERROR_LOG_BYTES = 6 };

static struct Driver {
    int (*init)(unsigned flags), (*count)(int *n), (*device)(int *d, int i),
        (*attribute)(int *v, int which, int device);
    int (*retain)(void **context, int device), (*set_current)(void *context);
    int (*create)(unsigned n, int *options, void **values, void **linker);
    int (*add)(void *linker, int type, const void *data, size_t bytes, const char *name, unsigned n, int *options,
               void **values);
    int (*complete)(void *linker, void **cubin, size_t *bytes), (*destroy)(void *linker);
} driver;

static void *function(void *library, const char *name) {
    char newer[64];
    snprintf(newer, sizeof newer, "%s_v2", name); /* what cuda.h means by the plain name */
    void *f = dlsym(library, newer);
    return f ? f : dlsym(library, name);
}

static int load_driver(void) {
    static const struct {
        void *to;
        const char *name;
    } functions[] = {{&driver.init, "cuInit"},
                     {&driver.count, "cuDeviceGetCount"},
                     {&driver.device, "cuDeviceGet"},
                     {&driver.attribute, "cuDeviceGetAttribute"},
                     {&driver.retain, "cuDevicePrimaryCtxRetain"},
                     {&driver.set_current, "cuCtxSetCurrent"},
                     {&driver.create, "cuLinkCreate"},
                     {&driver.add, "cuLinkAddData"},
                     {&driver.complete, "cuLinkComplete"},
                     {&driver.destroy, "cuLinkDestroy"}};
    void *library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL); /* by the name that libomptarget will use */
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *f = function(library, functions[i].name);
        if (!f) return 0;
        memcpy(functions[i].to, &f, sizeof f);
    }
    return library != NULL;
}

enum { MOST_MODELS = 8 };

typedef struct Model {
    int device;  /* the first one of it */
    int version; /* 90 for sm_90 */
} Model;

static int version_of(int device) {
    int major, minor;
    if (driver.attribute(&major, ATTRIBUTE_MAJOR, device) || driver.attribute(&minor, ATTRIBUTE_MINOR, device))
        return 0;
    return 10 * major + minor;
}

/* Newest first: libomptarget loads the first image that a device accepts. */
static void insert(Model *models, int *n, Model m) {
    int at = 0;
    while (at < *n && models[at].version > m.version) at++;
    if (!m.version || *n == MOST_MODELS || (at < *n && models[at].version == m.version)) return;
    memmove(&models[at + 1], &models[at], sizeof *models * (size_t)(*n - at));
    models[at] = m;
    (*n)++;
}

static int find_models(Model models[MOST_MODELS]) {
    int n_devices = 0, n = 0, device;
    if (!load_driver() || driver.init(0) || driver.count(&n_devices)) return 0;
    for (int i = 0; i < n_devices; i++)
        if (!driver.device(&device, i)) insert(models, &n, (Model){device, version_of(device)});
    return n;
}

/* The driver's context of the device stays: libomptarget takes the same, and to make it anew takes a tenth of a
 * second. */
static int enter(int device) {
    void *context;
    return !driver.retain(&context, device) && !driver.set_current(context);
}

/* malloc'd, or NULL after saying why. */
static char *assemble(const char *ptx, size_t n, size_t *n_cubin) {
    char log[4096] = "", *copy = NULL;
    int options[] = {OPTION_ERROR_LOG, OPTION_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log}, *linker = NULL, *cubin = NULL;
    int failed = driver.create(2, options, values, &linker);
    failed = failed || driver.add(linker, INPUT_PTX, ptx, n, "kernels", 0, NULL, NULL);
    failed = failed || driver.complete(linker, &cubin, n_cubin);
    if (!failed && (copy = malloc(*n_cubin))) memcpy(copy, cubin, *n_cubin); /* the linker's own is gone with it */
    if (linker) driver.destroy(linker);
    if (copy) return copy;
    log[sizeof log - 1] = '\0';
    fprintf(stderr,
            "kdslc: the NVIDIA driver cannot compile this program's kernels: %s\n(the kernels run on another device; "
            "to avoid this, install the CUDA toolkit's ptxas and compile the program again for this device)\n",
            *log ? log : "no reason given");
    return NULL;
}

/* Images ----------------------------------------------------------------------------------------------------------- */

/* ".target sm_90" of PTX: 90; 0 for anything else. */
static int ptx_version(const Image *i) {
    static const char elf[] = "\x7f"
                              "ELF",
                      target[] = ".target sm_";
    if (i->end - i->begin < 4 || !memcmp(i->begin, elf, 4)) return 0;
    const char *at = memmem(i->begin, (size_t)(i->end - i->begin), target, sizeof target - 1);
    return at ? atoi(at + sizeof target - 1) : 0;
}

static const Image *newest_usable(const Descriptor *d, int device_version) {
    const Image *best = NULL;
    for (int i = 0; i < d->n; i++) {
        int version = ptx_version(&d->images[i]);
        if (version && version <= device_version && (!best || version > ptx_version(best))) best = &d->images[i];
    }
    return best;
}

typedef struct Registered {
    Descriptor made;
    const Descriptor *of;
    struct Registered *next;
} Registered;
static Registered *registered;

/* Replaces PTX by a cubin for each model that has no newer image. Returns the number of cubins. */
static int add_cubins(Image *to, const Image *ptx, const Descriptor *d, const Model *models, int n_models) {
    int n = 0;
    for (int i = 0; i < n_models; i++) {
        size_t n_cubin = 0;
        if (newest_usable(d, models[i].version) != ptx || !enter(models[i].device)) continue;
        char *cubin = assemble(ptx->begin, (size_t)(ptx->end - ptx->begin), &n_cubin);
        if (!cubin) continue;
        to[n] = *ptx;
        to[n].begin = cubin;
        to[n++].end = cubin + n_cubin;
    }
    return n;
}

/* Runs before main, or when a library is loaded: by one thread. The cubins stay, as images in the program do. */
void kdsl_ptx_register(const void *descriptor, const void *anchor) {
    const Descriptor *d = descriptor;
    Model models[MOST_MODELS];
    Registered *r = calloc(1, sizeof *r);
    Image *images = calloc((size_t)d->n + MOST_MODELS, sizeof *images);
    (void)anchor;
    kdsl_report_begin();
    kdsl_trace_begin();
    if (!r || !images) abort();
    int n_models = find_models(models), n = 0;
    for (int i = 0; i < d->n; i++) {
        if (ptx_version(&d->images[i])) n += add_cubins(images + n, &d->images[i], d, models, n_models);
        else images[n++] = d->images[i];
    }
    r->made = (Descriptor){n, images, d->entries, d->entries_end};
    r->of = d;
    r->next = registered;
    registered = r;
    kdsl_target()->register_lib(&r->made);
}

/* A session may register a later descriptor at the same address, so the record must go as well. */
void kdsl_ptx_unregister(const void *d) {
    Registered **at = &registered;
    while (*at && (*at)->of != d) at = &(*at)->next;
    Registered *r = *at;
    if (!r) return;
    kdsl_target()->unregister_lib(&r->made);
    *at = r->next;
    free((void *)r->made.images);
    free(r);
}
