/* nvidia.c -- calls of NVIDIA's driver beside libomptarget: names of devices, pinned memory, and the current context
 * of a launch. libomptarget's plugin launches in the current context of the thread, and sets the context of its device
 * only when it copies or allocates. So a launch without copies would fail in a new thread, or would run on the wrong
 * device after a copy for another device; the context is set here before each launch. Devices of libomptarget and of
 * the driver are matched by the unique id in both their names.
 *
 * Source: offload/plugins-nextgen/cuda/src/rtl.cpp of LLVM 22, launchImpl; CUDA Driver API, "Primary Context
 * Management", "Memory Management". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/internal.h"
#include "runtime/target.h"

static struct {
    int (*count)(int *n), (*device)(int *d, int i), (*uuid)(unsigned char id[16], int device);
    int (*name)(char *text, int n_bytes, int device);
    int (*init)(unsigned flags), (*attribute)(int *v, int which, int device);
    int (*retain)(void **context, int device), (*set_current)(void *context);
    int (*pin)(void *at, size_t n_bytes, unsigned flags), (*unpin)(void *at);
    int (*pointer)(void *value, int which, unsigned long long at);
    int (*set)(unsigned long long at, unsigned value, size_t n, void *stream), (*wait)(void *stream);
    int (*flags)(unsigned *flags), (*set_flags)(unsigned flags); /* NULL: the driver is older than CUDA 12.1 */
} driver;

static bool has_driver;

static void find(void *library, void *to, const char *name) {
    void *f = dlsym(library, name);
    memcpy(to, &f, sizeof f);
}

static void load_driver(void) {
    const struct {
        void *to;
        const char *name;
    } functions[] = {{&driver.init, "cuInit"},             {&driver.attribute, "cuDeviceGetAttribute"},
                     {&driver.count, "cuDeviceGetCount"},   {&driver.device, "cuDeviceGet"},
                     {&driver.uuid, "cuDeviceGetUuid"},     {&driver.name, "cuDeviceGetName"},
                     {&driver.retain, "cuDevicePrimaryCtxRetain"}, {&driver.set_current, "cuCtxSetCurrent"},
                     {&driver.pin, "cuMemHostRegister_v2"}, {&driver.unpin, "cuMemHostUnregister"},
                     {&driver.pointer, "cuPointerGetAttribute"}, {&driver.set, "cuMemsetD32Async"},
                     {&driver.wait, "cuStreamSynchronize"}};
    void *library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL); /* libomptarget has it open already */
    has_driver = library != NULL;
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        find(library, functions[i].to, functions[i].name);
        has_driver &= *(void **)functions[i].to != NULL;
    }
    if (!library) return;
    find(library, &driver.flags, "cuCtxGetFlags");
    find(library, &driver.set_flags, "cuCtxSetFlags");
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_driver);
    return has_driver;
}

bool kdsl_nvidia_first(char *text, int n_bytes) {
    enum { MAJOR = 75, MINOR = 76 };
    int device, major, minor;
    char name[128];
    if (!is_loaded() || driver.init(0) || driver.device(&device, 0)) return false;
    if (driver.name(name, sizeof name, device)) return false;
    if (driver.attribute(&major, MAJOR, device) || driver.attribute(&minor, MINOR, device)) return false;
    snprintf(text, (size_t)n_bytes, "%s (sm_%d%d)", name, major, minor);
    return true;
}

/* The driver's number of the device that libomptarget calls "CUDA-0123...": its id in hexadecimal digits. */
static bool find_device(const char *uid, int *device) {
    static const char prefix[] = "CUDA-";
    int n = 0;
    if (!uid || strncmp(uid, prefix, sizeof prefix - 1)) return false;
    if (!is_loaded() || driver.count(&n)) return false;
    for (int i = 0; i < n; i++) {
        unsigned char id[16];
        char text[2 * sizeof id + 1];
        if (driver.device(device, i) || driver.uuid(id, *device)) continue;
        for (size_t k = 0; k < sizeof id; k++) snprintf(text + 2 * k, 3, "%02x", id[k]);
        if (!strcasecmp(text, uid + sizeof prefix - 1)) return true;
    }
    return false;
}

bool kdsl_nvidia_name(const char *uid, char *name, int n_bytes) {
    int device;
    return find_device(uid, &device) && !driver.name(name, n_bytes, device);
}

/* Contexts --------------------------------------------------------------------------------------------------------- */

enum { MOST_DEVICES = 64 };

/* libomptarget's plugin sets CU_CTX_SCHED_BLOCKING_SYNC: a thread that waits for the device sleeps, and takes 25 us to
 * run again after each launch. The default of CUDA is CU_CTX_SCHED_AUTO: the thread spins, or yields if there are more
 * contexts than processors. */
static void spin_while_waiting(void *context) {
    enum { SCHEDULING = 7, AUTO = 0 }; /* CU_CTX_SCHED_MASK, CU_CTX_SCHED_AUTO */
    unsigned flags;
    if (!driver.flags || !driver.set_flags || driver.set_current(context) || driver.flags(&flags)) return;
    driver.set_flags((flags & ~(unsigned)SCHEDULING) | AUTO);
}

static void *context_of(int64_t device) {
    static void *contexts[MOST_DEVICES]; /* NULL: not asked yet */
    static char none;
    if (device < 0 || device >= MOST_DEVICES) return NULL;
    void *context = __atomic_load_n(&contexts[device], __ATOMIC_ACQUIRE);
    if (!context) {
        if (device >= kdsl_target()->n_devices()) return NULL;
        int number;
        bool is_nvidia = find_device(kdsl_target()->device_uid((int)device), &number);
        if (!is_nvidia || driver.retain(&context, number)) context = &none;
        else spin_while_waiting(context);
        __atomic_store_n(&contexts[device], context, __ATOMIC_RELEASE);
    }
    return context == &none ? NULL : context;
}

void kdsl_nvidia_enter(int64_t device) {
    void *context = context_of(device);
    if (context) driver.set_current(context);
}

/* Pinned memory ---------------------------------------------------------------------------------------------------- */

bool kdsl_nvidia_pin(int64_t device, void *at, int64_t n_bytes) {
    enum { FOR_ALL_CONTEXTS = 1 };
    kdsl_nvidia_enter(device);
    return context_of(device) && !driver.pin(at, (size_t)n_bytes, FOR_ALL_CONTEXTS);
}

void kdsl_nvidia_unpin(int64_t device, void *at) {
    kdsl_nvidia_enter(device);
    driver.unpin(at);
}

/* Addresses -------------------------------------------------------------------------------------------------------- */

bool kdsl_nvidia_has(int64_t device, const void *at) {
    enum { MEMORY_TYPE = 2, ON_DEVICE = 2 }; /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE */
    unsigned type = 0;
    void *context = context_of(device);
    if (!context) return false;
    driver.set_current(context);
    return !driver.pointer(&type, MEMORY_TYPE, (unsigned long long)(size_t)at) && type == ON_DEVICE;
}

bool kdsl_nvidia_fill(int64_t device, void *there, uint32_t value, int64_t n_bytes) {
    unsigned long long at = (unsigned long long)(size_t)there;
    kdsl_nvidia_enter(device);
    return context_of(device) && !driver.set(at, value, (size_t)n_bytes / sizeof value, NULL) && !driver.wait(NULL);
}
