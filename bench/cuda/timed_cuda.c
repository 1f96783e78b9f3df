/* timed_cuda.c -- stands before NVIDIA's driver as `libcuda.so` and measures every kernel by two events. All it does
   not have itself is found in libcuda.so.1, which it needs. With CUDA_TIMES it appends rows to that file at the
   program's end: kernel, launches, best, median and total seconds, as cuda_peer.cu does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
typedef int GetFunction(Handle *function, Handle module, const char *name);
typedef int LaunchKernel(Handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned dynamic_bytes, Handle stream, void **params, void **extra);
typedef int CreateEvent(Handle *event, unsigned flags);
typedef int RecordEvent(Handle event, Handle stream);
typedef int WaitEvent(Handle event);
typedef int ElapsedTime(float *milliseconds, Handle from, Handle to);
typedef int UnloadModule(Handle module);

typedef struct {
    const char *name;
    double *seconds;
    size_t n, capacity;
} Kernel;

typedef struct {
    size_t kernel;
    Handle before, after;
} Launch;

typedef struct {
    Handle function;
    size_t kernel;
} Function;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kernel *kernels;
static Launch *launches;
static Function *functions;
static size_t n_kernels, n_launches, n_functions, launch_capacity;

/* The driver's own function of that name. */
static void *driver(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    if (!found) fprintf(stderr, "libcuda.so.1 has no %s\n", name), abort();
    return found;
}

#define DRIVER(type, name) ((type *)driver(name))
#define EXPORT __attribute__((visibility("default")))

static size_t kernel_named(const char *name) {
    for (size_t i = 0; i < n_kernels; i++)
        if (!strcmp(kernels[i].name, name)) return i;
    kernels = realloc(kernels, (n_kernels + 1) * sizeof *kernels);
    kernels[n_kernels] = (Kernel){.name = strdup(name)};
    return n_kernels++;
}

EXPORT int cuModuleGetFunction(Handle *function, Handle module, const char *name) {
    int status = DRIVER(GetFunction, "cuModuleGetFunction")(function, module, name);
    if (status) return status;
    pthread_mutex_lock(&lock);
    functions = realloc(functions, (n_functions + 1) * sizeof *functions);
    functions[n_functions++] = (Function){*function, kernel_named(name)};
    pthread_mutex_unlock(&lock);
    return status;
}

static size_t kernel_of(Handle function) {
    for (size_t i = n_functions; i-- > 0;)
        if (functions[i].function == function) return functions[i].kernel;
    return kernel_named("?");
}

EXPORT int cuLaunchKernel(Handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned dynamic_bytes, Handle stream, void **params, void **extra) {
    Launch l = {0};
    int timed = getenv("CUDA_TIMES") != NULL;
    if (timed) {
        CreateEvent *create = DRIVER(CreateEvent, "cuEventCreate");
        timed =
            !create(&l.before, 0) && !create(&l.after, 0) && !DRIVER(RecordEvent, "cuEventRecord")(l.before, stream);
    }
    int status =
        DRIVER(LaunchKernel, "cuLaunchKernel")(f, gx, gy, gz, bx, by, bz, dynamic_bytes, stream, params, extra);
    if (!timed || status || DRIVER(RecordEvent, "cuEventRecord")(l.after, stream)) return status;
    pthread_mutex_lock(&lock);
    l.kernel = kernel_of(f);
    if (n_launches == launch_capacity) {
        launch_capacity = launch_capacity ? 2 * launch_capacity : 1024;
        launches = realloc(launches, launch_capacity * sizeof *launches);
    }
    launches[n_launches++] = l;
    pthread_mutex_unlock(&lock);
    return status;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void collect(void) {
    for (size_t i = 0; i < n_launches; i++) {
        Kernel *k = &kernels[launches[i].kernel];
        float milliseconds;
        if (DRIVER(WaitEvent, "cuEventSynchronize")(launches[i].after) ||
            DRIVER(ElapsedTime, "cuEventElapsedTime")(&milliseconds, launches[i].before, launches[i].after))
            continue;
        if (k->n == k->capacity) {
            k->capacity = k->capacity ? 2 * k->capacity : 64;
            k->seconds = realloc(k->seconds, k->capacity * sizeof *k->seconds);
        }
        k->seconds[k->n++] = milliseconds * 1e-3;
    }
    n_launches = 0;
}

static void write_times(void) {
    FILE *file = fopen(getenv("CUDA_TIMES"), "a");
    if (!file) return;
    for (size_t i = 0; i < n_kernels; i++) {
        Kernel *k = &kernels[i];
        if (!k->n) continue;
        double total = 0;
        for (size_t j = 0; j < k->n; j++) total += k->seconds[j];
        qsort(k->seconds, k->n, sizeof *k->seconds, by_size);
        fprintf(file, "%s\t%zu\t%.9f\t%.9f\t%.9f\n", k->name, k->n, k->seconds[0], k->seconds[k->n / 2], total);
        k->n = 0;
    }
    fclose(file);
}

/* The last moment at which the driver still works: a program's kernels go before its context does. */
EXPORT int cuModuleUnload(Handle module) {
    pthread_mutex_lock(&lock);
    if (n_launches && getenv("CUDA_TIMES")) collect(), write_times();
    pthread_mutex_unlock(&lock);
    return DRIVER(UnloadModule, "cuModuleUnload")(module);
}
