/* device.c -- enumeration of devices, by the names of libomptarget: each device has a unique name whose beginning
 * tells its plugin (offload/plugins-nextgen, DeviceUId of LLVM 22: "CUDA-...", "AMDGPU-...", "x86_64-0"). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/target.h"

enum { NAME_BYTES = 256 };

static bool is_of(int device, const char *plugin) {
    const char *uid = kdsl_target()->device_uid(device);
    return uid && !strncmp(uid, plugin, strlen(plugin));
}

int64_t kdsl_default_device(void) {
    static int known = -1;
    int device = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (device < 0 || KDSL_IS_LIVE)
        __atomic_store_n(&known, device = kdsl_target()->default_device(), __ATOMIC_RELAXED);
    return device;
}

int32_t kdsl_n_devices(void) { return kdsl_target()->n_devices(); }

bool kdsl_device_is_gpu(int device) { return is_of(device, "CUDA") || is_of(device, "AMDGPU"); }
bool kdsl_device_is_cpu(int device) { return is_of(device, "x86_64"); }

/* Filling: by the drivers, since libomptarget's omp_target_memset copies from the host (offload/libomptarget/OpenMP/
 * API.cpp of LLVM 22) -------------------------------------------------------------------------------------------- */

typedef int AmdFill(void *there, uint32_t value, size_t n_words);
static AmdFill *amd_fill;

static void find_amd_fill(void) {
    void *library = dlopen("libhsa-runtime64.so", RTLD_NOW | RTLD_LOCAL); /* libomptarget has it open already */
    void *f = library ? dlsym(library, "hsa_amd_memory_fill") : NULL;
    memcpy(&amd_fill, &f, sizeof f);
}

static bool fill_on_amd(void *there, uint32_t value, size_t n_words) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_amd_fill);
    return amd_fill && !amd_fill(there, value, n_words);
}

bool kdsl_device_fill(int64_t device, void *there, uint32_t value, int64_t n_bytes) {
    if (is_of((int)device, "CUDA")) return kdsl_nvidia_fill(device, there, value, n_bytes);
    if (kdsl_device_is_gpu((int)device)) return fill_on_amd(there, value, (size_t)n_bytes / sizeof value);
    uint32_t *at = there; /* the memory of a CPU device is the host's */
    for (int64_t i = 0; i < n_bytes / (int64_t)sizeof value; i++) at[i] = value;
    return true;
}

/* KDSL_REQUIRE=gpu ------------------------------------------------------------------------------------------------- */

bool kdsl_device_is_required(void) {
    const char *wanted = getenv("KDSL_REQUIRE");
    if (!wanted || !*wanted) return false;
    if (strcmp(wanted, "gpu")) kdsl_fail(NULL, "KDSL_REQUIRE must be `gpu`, not `%s`", wanted);
    return true;
}

static bool opens(const char *library) {
    void *l = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (l) dlclose(l);
    return l != NULL;
}

static void why_no_gpu(char why[2 * NAME_BYTES]) {
    char model[NAME_BYTES];
    size_t n = 2 * NAME_BYTES;
    if (kdsl_nvidia_first(model, sizeof model))
        snprintf(why, n, "this program has no image for the GPU of this machine, %s", model);
    else if (opens("libhsa-runtime64.so"))
        snprintf(why, n, "this program has no image for an AMD GPU of this machine");
    else if (!access("/dev/nvidiactl", F_OK))
        snprintf(why, n, "NVIDIA's driver, libcuda.so, cannot be loaded or finds no GPU");
    else if (!access("/dev/kfd", F_OK))
        snprintf(why, n, "AMD's driver, libhsa-runtime64.so, cannot be loaded");
    else
        snprintf(why, n, "this machine has no GPU (no libcuda.so, no libhsa-runtime64.so)");
}

void kdsl_device_require(const char *place, int64_t device) {
    int n = kdsl_target()->n_devices();
    if (device < 0) device = kdsl_default_device();
    if (device < n && kdsl_device_is_gpu((int)device)) return;
    for (int d = 0; d < n; d++)
        if (kdsl_device_is_gpu(d))
            kdsl_fail(place, "KDSL_REQUIRE=gpu, but this launch is on device %lld, a CPU; device %d is a GPU",
                      (long long)device, d);
    char why[2 * NAME_BYTES];
    why_no_gpu(why);
    kdsl_fail(place, "KDSL_REQUIRE=gpu, but %s", why);
}

/* Names ------------------------------------------------------------------------------------------------------------ */

static void cpu_name(char name[NAME_BYTES]) {
    char line[NAME_BYTES];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, NAME_BYTES, "x86-64 CPU");
    while (f && fgets(line, sizeof line, f)) {
        const char *value = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
        if (!value) continue;
        snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (f) fclose(f);
}

const char *kdsl_device_name(const char *place, int64_t device) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char names[8][NAME_BYTES]; /* texts live as long as the program */
    static int used;
    char name[NAME_BYTES];
    kdsl_check_device(place, device);
    if (is_of((int)device, "CUDA")) {
        if (!kdsl_nvidia_name(kdsl_target()->device_uid((int)device), name, sizeof name)) strcpy(name, "NVIDIA GPU");
    } else if (is_of((int)device, "AMDGPU"))
        snprintf(name, sizeof name, "AMD GPU %s", kdsl_target()->device_uid((int)device) + sizeof "AMDGPU-" - 1);
    else cpu_name(name);
    pthread_mutex_lock(&lock);
    char *kept = NULL;
    for (int i = 0; i < used && !kept; i++)
        if (!strcmp(names[i], name)) kept = names[i];
    if (!kept) kept = used < 8 ? names[used++] : malloc(NAME_BYTES);
    pthread_mutex_unlock(&lock);
    if (!kept) kdsl_fail(place, "out of memory for the name of a device");
    return strcpy(kept, name);
}
