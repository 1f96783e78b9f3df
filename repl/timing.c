/* timing.c -- executes an input repeatedly: compiled once, each run timed separately. Its output is printed once. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "repl/internal.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double launches_took(const Session *s, bool *any) {
    const KdslLaunch *l;
    int n = jit_launches(s->jit, &l);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += l[i].seconds;
    for (int i = 0; i < n; i++) *any = *any || *l[i].kernel;
    return sum;
}

/* Redirects standard output to /dev/null until it is restored. */
static int silence(void) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0) close(nowhere);
    return kept;
}

static void restore(int kept) {
    fflush(stdout);
    if (kept < 0) return;
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

typedef struct Samples {
    double *at;
    int n, cap;
    bool kernels_only, launched;
} Samples;

static bool sample(Run *r, Samples *all, Buf *said) {
    double start = now();
    if (!run_again(r, said)) return false;
    double seconds = now() - start, launched = launches_took(r->s, &all->launched);
    list_push(all, all->kernels_only ? launched : seconds);
    return true;
}

int session_time(Session *s, const char *text, double seconds, bool kernels_only, double **times, Buf *said) {
    enum { MOST = 10000, LEAST = 3 };
    Samples all = {.kernels_only = kernels_only};
    Run r;
    *times = NULL;
    if (!run_ready(s, text, &r, said)) return -1;
    bool ok = sample(&r, &all, said);
    all.n = 0;
    int kept = silence();
    double end = now() + seconds;
    while (ok && all.n < MOST && (all.n < LEAST || now() < end) && (!kernels_only || all.launched))
        ok = sample(&r, &all, said);
    restore(kept);
    run_over(&r);
    if (ok) *times = all.at;
    else free(all.at);
    return ok ? all.n : -1;
}
