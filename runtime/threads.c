/* threads.c -- the threads of a launch on the CPU: those of libomp, the OpenMP runtime that libomptarget depends on, in
 * x86 images as well as in the host version of a kernel. Its functions are found as target.c finds libomptarget's. Were
 * they bound by name, a host program with gcc's OpenMP would have `omp_get_thread_num` from libgomp, which knows nothing
 * of libomp's threads: it says 0 of 1 in each of them, and every thread runs all items.
 *
 * Where there is no libomp the calling thread does all the work. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "runtime/target.h"

typedef void Task(int32_t *thread, int32_t *bound, void *context);

static void (*fork_call)(void *ident, int32_t n_args, Task *task, ...); /* openmp/runtime/src/kmp.h */
static int (*thread_num)(void), (*num_threads)(void);

static void *find(const char *name) {
    void *library = kdsl_target_library();
    return library ? dlsym(library, name) : NULL;
}

static void find_all(void) {
    void *fork = find("__kmpc_fork_call"), *num = find("omp_get_thread_num"), *n = find("omp_get_num_threads");
    if (!fork || !num || !n) return;
    memcpy(&fork_call, &fork, sizeof fork);
    memcpy(&thread_num, &num, sizeof num);
    memcpy(&num_threads, &n, sizeof n);
}

void kdsl_fork(void *ident, Task *task, void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int32_t zero = 0;
    pthread_once(&once, find_all);
    if (fork_call) fork_call(ident, 1, task, context);
    else task(&zero, &zero, context);
}

int32_t kdsl_thread_num(void) { return thread_num ? thread_num() : 0; }

int32_t kdsl_num_threads(void) { return num_threads ? num_threads() : 1; }
