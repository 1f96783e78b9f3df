/* target.c -- see target.h. By ELF's default rule a call is bound to the first library of the process that defines the
 * name. If the libgomp of a host program comes first, it defines `omp_get_num_devices`; another version of
 * libomptarget defines all names. A lookup through a handle of the library does not depend on the order, nor on how a
 * KDSL library was loaded. */
#define _GNU_SOURCE
#include "runtime/target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* A machine without devices ---------------------------------------------------------------------------------------- */

static void no_register_lib(const void *descriptor) { (void)descriptor; }
#define no_unregister_lib no_register_lib

static int32_t no_kernel(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    (void)loc, (void)device, (void)teams, (void)threads, (void)region, (void)args;
    return -1; /* OFFLOAD_FAIL: the host version runs */
}

static void no_begin_mapping(void *loc, int64_t device, int32_t n, void **bases, void **begins, int64_t *sizes,
                             int64_t *types, void **names, void **mappers) {
    (void)loc, (void)device, (void)n, (void)bases, (void)begins, (void)sizes, (void)types, (void)names, (void)mappers;
}
#define no_end_mapping no_begin_mapping
#define no_update no_begin_mapping

static void *no_mapped(const void *at, int device) {
    (void)at, (void)device;
    return NULL;
}

static int no_associate(const void *at, const void *there, size_t n_bytes, size_t offset, int device) {
    (void)at, (void)there, (void)n_bytes, (void)offset, (void)device;
    return -1;
}

static int no_dissociate(const void *at, int device) {
    (void)at, (void)device;
    return -1;
}

static int no_n_devices(void) { return 0; }
#define no_default_device no_n_devices

static const char *no_device_uid(int device) {
    (void)device;
    return NULL;
}

/* The library ------------------------------------------------------------------------------------------------------ */

static Target target = {
#define FUNCTION(field, name, result, parameters) .field = no_##field,
    TARGET_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
static void *library;

/* The program or library depends on it, so it is loaded already. */
static void find(void) {
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
#define FUNCTION(field, name, result, parameters) {name, offsetof(Target, field)},
        TARGET_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    library = dlopen(KDSL_OMPTARGET, RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; library && i < sizeof rows / sizeof *rows; i++) {
        void *f = dlsym(library, rows[i].name);
        if (f) memcpy((char *)&target + rows[i].offset, &f, sizeof f);
    }
}

static void find_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
}

const Target *kdsl_target(void) {
    find_once();
    return &target;
}

void *kdsl_target_library(void) {
    find_once();
    return library;
}
