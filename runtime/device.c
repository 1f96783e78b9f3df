/* device.c -- which devices there are, in the words of libomptarget: each has a unique name whose beginning says which
 * plugin it belongs to (offload/plugins-nextgen, DeviceUId of LLVM 22: "CUDA-...", "AMDGPU-...", "x86_64-0"). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

/* Weak: a program without kernels has none of these. */
__attribute__((weak)) int omp_get_num_devices(void);
__attribute__((weak)) int omp_get_default_device(void);
__attribute__((weak)) const char *omp_get_uid_from_device(int device);

static bool is_of(int device, const char *plugin) {
    const char *uid = omp_get_uid_from_device ? omp_get_uid_from_device(device) : NULL;
    return uid && !strncmp(uid, plugin, strlen(plugin));
}

bool kdsl_device_is_gpu(int device) { return is_of(device, "CUDA") || is_of(device, "AMDGPU"); }

/* KDSL_REQUIRE=gpu ---------------------------------------------------------------------------------------------------
 */

bool kdsl_device_is_required(void) {
    const char *wanted = getenv("KDSL_REQUIRE");
    if (!wanted || !*wanted) return false;
    if (strcmp(wanted, "gpu")) kdsl_fail(NULL, "KDSL_REQUIRE may be `gpu`, not `%s`", wanted);
    return true;
}

void kdsl_device_require(const char *place, int64_t device) {
    int n = omp_get_num_devices();
    if (device < 0) device = omp_get_default_device();
    if (device < n && kdsl_device_is_gpu((int)device)) return;
    for (int d = 0; d < n; d++)
        if (kdsl_device_is_gpu(d))
            kdsl_fail(place, "KDSL_REQUIRE=gpu, and this launch is on device %lld, a CPU; device %d is a GPU",
                      (long long)device, d);
    kdsl_fail(place, "KDSL_REQUIRE=gpu, and there is no GPU here that this program has an image for");
}

/* Names --------------------------------------------------------------------------------------------------------------
 */

enum { NAME_BYTES = 256 };

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

/* The driver counts in the order in which the plugin does. */
static void nvidia_name(int nth, char name[NAME_BYTES]) {
    void *library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
    int (*get)(int *device, int nth) = library ? (int (*)(int *, int))dlsym(library, "cuDeviceGet") : NULL;
    int (*read)(char *, int, int) = library ? (int (*)(char *, int, int))dlsym(library, "cuDeviceGetName") : NULL;
    int device;
    if (!get || !read || get(&device, nth) || read(name, NAME_BYTES, device)) snprintf(name, NAME_BYTES, "NVIDIA GPU");
    if (library) dlclose(library);
}

const char *kdsl_device_name(const char *place, int64_t device) {
    static char names[8][NAME_BYTES]; /* texts live as long as the program */
    static int used;
    char name[NAME_BYTES];
    int nth = 0;
    kdsl_check_device(place, device);
    for (int d = 0; d < device; d++) nth += is_of(d, "CUDA");
    if (is_of((int)device, "CUDA")) nvidia_name(nth, name);
    else if (is_of((int)device, "AMDGPU"))
        snprintf(name, sizeof name, "AMD GPU %s", omp_get_uid_from_device((int)device) + sizeof "AMDGPU-" - 1);
    else cpu_name(name);
    for (int i = 0; i < used; i++)
        if (!strcmp(names[i], name)) return names[i];
    char *kept = used < 8 ? names[used++] : malloc(NAME_BYTES);
    if (!kept) abort();
    return strcpy(kept, name);
}
