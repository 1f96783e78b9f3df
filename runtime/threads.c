/* threads.c -- the threads of a launch on the CPU: those of libomp, the OpenMP runtime that libomptarget depends on,
 * in x86 images and in the host version of a kernel. The functions of libomp are looked up as target.c looks up
 * libomptarget's. If they were bound by name, a host program with gcc's OpenMP would get `omp_get_thread_num` of
 * libgomp, which does not know libomp's threads: it returns thread 0 of 1 in each of them, and every thread would run
 * all items.
 *
 * Without libomp, the calling thread runs all items. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"

/* openmp/runtime/src/kmp.h; include/omp.h */
#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(fork_call, "__kmpc_fork_call", void, (void *ident, int32_t n_args, Task *task, ...))                      \
    FUNCTION(global_thread_num, "__kmpc_global_thread_num", int32_t, (void *ident))                                    \
    FUNCTION(begin_team_of_one, "__kmpc_serialized_parallel", void, (void *ident, int32_t thread))                     \
    FUNCTION(end_team_of_one, "__kmpc_end_serialized_parallel", void, (void *ident, int32_t thread))                   \
    FUNCTION(thread_num, "omp_get_thread_num", int, (void))                                                            \
    FUNCTION(num_threads, "omp_get_num_threads", int, (void))                                                          \
    FUNCTION(max_threads, "omp_get_max_threads", int, (void))                                                          \
    FUNCTION(control_tool, "omp_control_tool", int, (int command, int modifier, void *argument))                       \
    FUNCTION(stack_size, "kmp_get_stacksize_s", size_t, (void))

static struct {
    bool is_there;
#define FUNCTION(field, name, result, parameters) result(*field) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} omp;

static void *find(const char *name) {
    void *library = kdsl_target_library(), *f = library ? dlsym(library, name) : NULL;
    omp.is_there = omp.is_there && f;
    return f;
}

static void find_all(void) {
    omp.is_there = true;
#define FUNCTION(field, name, result, parameters) memcpy(&omp.field, &(void *){find(name)}, sizeof(void *));
    FUNCTIONS(FUNCTION)
#undef FUNCTION
}

static void find_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_all);
}

/* OMP_STACKSIZE may be less than a kernel with large local arrays needs. */
static bool fits(int64_t n_bytes) {
    enum { OTHERS_BYTES = 64 << 10, SMALL_BYTES = 4 << 10 }; /* others: spilled registers, the C library, libomp
                                                              * itself */
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    int64_t size = (int64_t)omp.stack_size(), needed = n_bytes + OTHERS_BYTES;
    if (needed <= size || n_bytes < SMALL_BYTES) return true;
    if (!atomic_flag_test_and_set(&is_told))
        fprintf(stderr, "OMP_STACKSIZE: threads have a stack of %lld KiB, but a kernel needs %lld KiB: it runs on one "
                        "thread\n",
                (long long)size >> 10, (long long)needed >> 10);
    return false;
}

/* Whatever team of the host's this thread belongs to, the task finds itself to be the first of one. */
static void run_alone(void *ident, Task *task, void *context) {
    int32_t zero = 0, thread = omp.global_thread_num(ident);
    omp.begin_team_of_one(ident, thread);
    task(&thread, &zero, context);
    omp.end_team_of_one(ident, thread);
}

void kdsl_fork_call(void *ident, Task *task, void *context) { omp.fork_call(ident, 1, task, context); }

void kdsl_fork(void *ident, Task *task, void *context, int64_t stack_bytes) {
    int32_t zero = 0;
    find_once();
    if (!omp.is_there) task(&zero, &zero, context);
    else if (!fits(stack_bytes)) run_alone(ident, task, context);
    else if (!kdsl_team_run(ident, task, context)) kdsl_fork_call(ident, task, context);
}

/* Commands of a tool's own begin at 64, and tools ignore those that they do not know (OpenMP, omp_control_tool). libomp
 * says that there is no tool until it has counted the threads. */
static bool has_tool(void) {
    enum { NO_TOOL = -2, UNKNOWN_COMMAND = 0x6b64736c };
    omp.max_threads();
    return omp.control_tool(UNKNOWN_COMMAND, 0, NULL) != NO_TOOL;
}

/* With stacks smaller than libomp's own choice, kernels may not fit, which images and programs would each report. */
bool kdsl_threads_are_plain(void) {
    enum { USUAL_BYTES = 4 << 20 };
    find_once();
    return omp.is_there && (int64_t)omp.stack_size() >= USUAL_BYTES && !has_tool();
}

int32_t kdsl_thread_num(void) {
    int in_team = kdsl_team_thread();
    return in_team >= 0 ? in_team : omp.is_there ? omp.thread_num() : 0;
}

int32_t kdsl_num_threads(void) {
    int in_team = kdsl_team_size();
    return in_team ? in_team : omp.is_there ? omp.num_threads() : 1;
}
