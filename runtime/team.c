/* team.c -- parallel region merging: the launches of a loop are executed by one team of threads, which stays together
 * between them. libomp's fork and join take 1.2 us for two threads (Zen 4), a round of a team 0.2 us, so launches with
 * less work are worth threads, too.
 *
 * The compiler surrounds loops of the host that launch, and call nothing that may use threads of its own, with
 * kdsl_team_begin and kdsl_team_end (irgen/passes/merge_regions.cpp). The first launch in between that forks opens the
 * team: one parallel region of libomp, in which the other threads wait for tasks and the calling thread goes on with
 * the loop. A parallel region is a call, `fork_call(task)`, so it is on a stack of its own, from whose task this thread
 * switches back to the loop, and to whose end it returns when the loop has ended.
 *
 * A process has one team at a time. Other threads that launch meanwhile fork as usual. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/internal.h"

enum {
    MOST_THREADS = 128,
    LEAST_LAUNCHES = 16, /* of a loop, until small launches may open a team: that takes as long as a fork */
    BUSY = 1 << 10,      /* polls, about 20 us: then other threads may have the core */
    TRIALS = 4,
    LINE_BYTES = 64,
    STACK_BYTES = 256 << 10 /* for libomp's fork and join */
};

#define QUICK 4e-7 /* seconds, a round of a team for which small launches are worth it */
#define AWAKE 0.01 /* seconds; then a thread sleeps, from which it takes 10 us to wake up */

typedef struct Done {
    _Alignas(LINE_BYTES) _Atomic uint32_t round; /* the last one that this thread has executed */
} Done;

static struct {
    _Atomic pthread_t owner; /* 0: nobody */
    int depth;               /* of loops within loops, in functions that the outermost one calls */
    int n_launches;
    bool is_open, is_quick, is_useless; /* useless: one thread, or too many */
    int n_threads;
    ucontext_t loop, region;
    void *ident; /* of the launch that opened it */
    Task *task;  /* of this round; NULL: the team ends */
    void *context;
    _Alignas(LINE_BYTES) _Atomic uint32_t round;
    _Atomic int n_asleep;
    Done done[MOST_THREADS];
} team;

static char stack[STACK_BYTES] __attribute__((aligned(LINE_BYTES)));

static bool is_ours(void) { return atomic_load_explicit(&team.owner, memory_order_relaxed) == pthread_self(); }

/* Waiting ---------------------------------------------------------------------------------------------------------- */

static double now_in_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void poll(unsigned n) {
    if (n < BUSY) __builtin_ia32_pause();
    else sched_yield();
}

static void futex(int operation, uint32_t value) {
    syscall(SYS_futex, &team.round, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static uint32_t round_after(uint32_t last) {
    double end = 0;
    for (unsigned n = 0; n <= BUSY || now_in_seconds() < end; poll(n++)) {
        uint32_t now = atomic_load_explicit(&team.round, memory_order_acquire);
        if (now != last) return now;
        if (n == BUSY) end = now_in_seconds() + AWAKE;
    }
    uint32_t now;
    atomic_fetch_add(&team.n_asleep, 1);
    while ((now = atomic_load(&team.round)) == last) futex(FUTEX_WAIT, last);
    atomic_fetch_sub(&team.n_asleep, 1);
    return now;
}

static uint32_t begin_round(Task *task, void *context) {
    team.task = task;
    team.context = context;
    uint32_t round = atomic_fetch_add(&team.round, 1) + 1;
    if (atomic_load(&team.n_asleep)) futex(FUTEX_WAKE, MOST_THREADS);
    return round;
}

/* The team --------------------------------------------------------------------------------------------------------- */

static void serve(int me, uint32_t round) {
    for (;;) {
        round = round_after(round);
        if (!team.task) return;
        int32_t thread = 0, bound = 0;
        team.task(&thread, &bound, team.context);
        atomic_store_explicit(&team.done[me].round, round, memory_order_release);
    }
}

/* The region's task. The first thread leaves it for the loop. */
static void join_team(int32_t *thread, int32_t *bound, void *context) {
    (void)thread, (void)bound;
    int me = kdsl_thread_num();
    if (me && me < MOST_THREADS) serve(me, *(const uint32_t *)context);
    if (me) return;
    team.n_threads = kdsl_num_threads();
    team.is_open = true;
    swapcontext(&team.region, &team.loop);
}

static void run_region(void) {
    uint32_t round = atomic_load_explicit(&team.round, memory_order_relaxed);
    kdsl_fork_call(team.ident, join_team, &round);
}

static void open_team(void *ident) {
    team.ident = ident;
    getcontext(&team.region);
    team.region.uc_stack.ss_sp = stack;
    team.region.uc_stack.ss_size = sizeof stack;
    team.region.uc_link = &team.loop;
    makecontext(&team.region, run_region, 0);
    swapcontext(&team.loop, &team.region);
}

/* Between two launches of the loop, or after it. What is launched by other ways than kdsl_team_run must not be within
 * the region, where libomp would give it one thread. */
void kdsl_team_close(void) {
    if (!is_ours() || !team.is_open) return;
    begin_round(NULL, NULL);
    team.is_open = false;
    swapcontext(&team.loop, &team.region);
}

static void run(Task *task, void *context) {
    uint32_t round = begin_round(task, context);
    int32_t thread = 0, bound = 0;
    task(&thread, &bound, context);
    for (int i = 1; i < team.n_threads; i++)
        for (unsigned n = 0; atomic_load_explicit(&team.done[i].round, memory_order_acquire) != round; n++) poll(n);
}

static void nothing(int32_t *thread, int32_t *bound, void *context) { (void)thread, (void)bound, (void)context; }

/* Threads whose cores are far from one another, or that have none at the moment, do not help with small launches. */
static bool measure(void) {
    double least = QUICK;
    for (int i = 0; i < TRIALS; i++) {
        double start = now_in_seconds();
        run(nothing, NULL);
        double took = now_in_seconds() - start;
        least = took < least ? took : least;
    }
    return least < QUICK;
}

bool kdsl_team_run(void *ident, Task *task, void *context) {
    if (!is_ours() || team.is_useless) return false;
    bool is_new = !team.is_open;
    if (is_new) open_team(ident);
    team.is_useless = team.n_threads < 2 || team.n_threads > MOST_THREADS;
    if (team.is_useless) {
        kdsl_team_close();
        return false;
    }
    if (is_new) team.is_quick = measure();
    run(task, context);
    return true;
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

void kdsl_team_begin(void) {
    pthread_t nobody = 0;
    if (is_ours()) {
        team.depth++;
    } else if (atomic_compare_exchange_strong(&team.owner, &nobody, pthread_self())) {
        team.depth = 1;
        team.is_useless = false;
        team.n_launches = 0;
    }
}

void kdsl_team_leave(void) {
    if (!is_ours()) return;
    kdsl_team_close();
    atomic_store_explicit(&team.owner, 0, memory_order_release);
}

void kdsl_team_end(void) {
    if (is_ours() && !--team.depth) kdsl_team_leave();
}

void kdsl_team_launches(void) {
    if (is_ours() && team.n_launches < LEAST_LAUNCHES) team.n_launches++;
}

int32_t kdsl_has_team(void) {
    return is_ours() && team.n_launches == LEAST_LAUNCHES && !team.is_useless && (team.is_quick || !team.is_open);
}
