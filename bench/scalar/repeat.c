/* repeat.c -- times each launch of an unchanged program: LD_PRELOAD=repeat.so KDSL_TIMES=FILE OMP_NUM_THREADS=1
 * PROGRAM
 *
 * Before each of the first launches of a kernel a child process repeats the launch on its copy of the memory, and
 * appends to FILE `PLACE LAUNCH NANOSECONDS`: where the kernel's region id lies in the program (nm names it), and the
 * fastest repetition. The program itself goes on as if nothing had happened. A child that does not end in time, or in
 * which the kernel fails, says nothing. The launch's own overhead is in the time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_KERNELS = 256,
    LAUNCHES_EACH = 2,
    SECONDS_LIMIT = 4,
    BATCH_NS = 20000,
    BATCHES = 1000,
    TOTAL_NS = 60000000
};

typedef int32_t Launch(void *location, int64_t device, int32_t teams, int32_t threads, void *region_id,
                       uint32_t *arguments);

typedef struct Repeated {
    Launch *launch;
    void *location;
    int64_t device;
    int32_t teams, threads;
    void *region_id;
    uint32_t *arguments, n_arguments; /* KernelArgsTy (offload/include/Shared/APITypes.h): version, number, ... */
} Repeated;

static struct {
    void *region_id;
    int launches;
} seen[MOST_KERNELS];

static int next_launch(void *region_id) {
    int i = 0;
    while (i < MOST_KERNELS - 1 && seen[i].region_id && seen[i].region_id != region_id) i++;
    seen[i].region_id = region_id;
    return seen[i].launches++;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_of(const Repeated *r, int n) {
    double start = now();
    for (int i = 0; i < n; i++) {
        r->arguments[1] = r->n_arguments; /* a launch counts its implicit argument in */
        r->launch(r->location, r->device, r->teams, r->threads, r->region_id, r->arguments);
    }
    return (now() - start) / n;
}

/* The first repetitions fill caches and copy the pages that are written; batches grow until the clock costs nothing.
 * There are enough of them to outlast another program's time slice: a core that two hardware threads share runs at half
 * speed. */
static double fastest(const Repeated *r) {
    double begin = now(), best = time_of(r, 1);
    int n = 1;
    for (int i = 0; i < BATCHES && now() - begin < TOTAL_NS; i++) {
        double t = time_of(r, n);
        if (t < best || i == 0) best = t;
        if (t * n >= BATCH_NS) continue;
        n *= 2;
        i = 0;
    }
    return best;
}

static void in_child(const Repeated *r, const char *file, int launch) {
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    dup2(nothing, 2);
    alarm(SECONDS_LIMIT);
    Dl_info info;
    if (!dladdr(r->region_id, &info)) _exit(1);
    double t = fastest(r);
    char line[128];
    int n = snprintf(line, sizeof line, "%tx %d %.1f\n", (char *)r->region_id - (char *)info.dli_fbase, launch, t);
    int out = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    _exit(write(out, line, (size_t)n) != n);
}

int32_t __tgt_target_kernel(void *location, int64_t device, int32_t teams, int32_t threads, void *region_id,
                            uint32_t *arguments) {
    Repeated r = {NULL, location, device, teams, threads, region_id, arguments, arguments[1]};
    *(void **)&r.launch = dlsym(RTLD_NEXT, "__tgt_target_kernel");
    const char *file = getenv("KDSL_TIMES");
    int launch = next_launch(region_id);
    if (file && launch < LAUNCHES_EACH) {
        fflush(NULL);
        pid_t child = fork();
        if (!child) in_child(&r, file, launch);
        if (child > 0) waitpid(child, NULL, 0);
    }
    return r.launch(location, device, teams, threads, region_id, arguments);
}
