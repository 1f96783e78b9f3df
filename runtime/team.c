/* team.c -- parallel region merging: the launches of a loop are executed by one team of threads, which stays together
 * between them. libomp's fork and join take 0.4 to 1.2 us for two threads (Zen 4), a round of a team 0.2 us, so
 * launches with less work are worth threads, too.
 *
 * The compiler surrounds loops of the host that launch, and call nothing that may use threads of its own, with
 * kdsl_team_begin and kdsl_team_end (irgen/passes/merge_regions.cpp). A launch in between that forks opens the team:
 * one parallel region of libomp, in which the other threads wait for tasks and the calling thread goes on with the
 * loop. A parallel region is a call, `fork_call(task)`, so it is on a stack of its own, from whose task this thread
 * switches back to the loop, and to whose end it returns when the loop has ended.
 *
 * A process has one team at a time. Other threads that launch meanwhile fork as usual, and so does this one if a round
 * is slow, since threads have no core of their own. How long it takes depends on how far their cores are apart. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/internal.h"

enum {
    MOST_THREADS = 128,
    OPENS_FROM = 8,      /* launches of a loop: to open the team takes as long as to fork for some of them */
    LEAST_LAUNCHES = 16, /* until small launches may open it */
    TRIALS = 4,
    REST = 32,      /* loops without a team after one whose rounds took long */
    BUSY = 1 << 10, /* polls, about 20 us: then other threads may have the core */
    LINE_BYTES = 64,
    STACK_BYTES = 256 << 10 /* for libomp's fork and join */
};

/* In seconds: a round is quick, so that small launches are worth it, or slow, so that none is; a thread that has waited
 * so long sleeps, from which it takes 10 us to wake up. */
#define QUICK 3.5e-7
#define SLOW 5e-6
#define AWAKE 0.01

typedef struct Done {
    _Alignas(LINE_BYTES) _Atomic uint32_t round; /* the last one that this thread has executed */
} Done;

static struct {
    _Atomic bool is_taken; /* by the thread that is_owner */
    int depth;             /* of loops within loops, in functions that the outermost one calls */
    int n_launches;
    bool is_open, is_quick, is_useless;
    int rest;
    int n_threads;
    Throttle throttle;
    ucontext_t loop, region;
    void *ident; /* of the launch that opened it */
    _Alignas(LINE_BYTES) _Atomic int n_asleep;
    /* What waiting threads read is in one cache line. */
    _Alignas(LINE_BYTES) _Atomic uint32_t round;
    Task *task; /* of this round; NULL: the team ends */
    void *context;
    Done done[MOST_THREADS];
} team;

static char stack[STACK_BYTES] __attribute__((aligned(LINE_BYTES)));

/* Of this thread. Others may have the same pthread_t when it has ended. */
static _Thread_local bool is_owner;
static _Thread_local int number = -1, n_in_team; /* while it is in an open team */

/* Waiting ---------------------------------------------------------------------------------------------------------- */

static void poll(unsigned n) {
    if (n < BUSY) __builtin_ia32_pause();
    else sched_yield();
}

static void futex(int operation, uint32_t value) {
    syscall(SYS_futex, &team.round, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static uint32_t round_after(uint32_t last) {
    double end = 0;
    for (unsigned n = 0; n <= BUSY || kdsl_clock() < end; poll(n++)) {
        uint32_t now = atomic_load_explicit(&team.round, memory_order_acquire);
        if (now != last) return now;
        if (n == BUSY) end = kdsl_clock() + AWAKE;
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
    int me = kdsl_thread_num(), n = kdsl_num_threads();
    number = me;
    n_in_team = n;
    if (me && me < MOST_THREADS) serve(me, *(const uint32_t *)context);
    if (!me) {
        team.n_threads = n;
        team.is_open = true;
        swapcontext(&team.region, &team.loop);
    }
    number = -1;
    n_in_team = 0;
}

int kdsl_team_thread(void) { return number; }

int kdsl_team_size(void) { return n_in_team; }

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
    if (!is_owner || !team.is_open) return;
    begin_round(NULL, NULL);
    team.is_open = false;
    swapcontext(&team.loop, &team.region);
}

static void run(Task *task, void *context) {
    uint32_t round = begin_round(task, context);
    int32_t thread = 0, bound = 0;
    unsigned n = 0;
    task(&thread, &bound, context);
    for (int i = 1; i < team.n_threads; i++)
        while (atomic_load_explicit(&team.done[i].round, memory_order_acquire) != round) poll(n++);
}

/* Other threads wait, and the task finds itself to be the only one. */
static void run_alone(Task *task, void *context) {
    int32_t thread = 0, bound = 0;
    int was = number, n = n_in_team;
    number = 0;
    n_in_team = 1;
    task(&thread, &bound, context);
    number = was;
    n_in_team = n;
}

static void nothing(int32_t *thread, int32_t *bound, void *context) { (void)thread, (void)bound, (void)context; }

/* Seconds, or what is quick. The first round may be longer, since threads are still on their way. */
static double time_of_round(void) {
    double least = SLOW;
    for (int i = 0; i < TRIALS && least > QUICK; i++) {
        double start = kdsl_clock();
        run(nothing, NULL);
        double took = kdsl_clock() - start;
        least = took < least ? took : least;
    }
    return least;
}

/* With KMP_GTID_MODE=1 libomp tells threads apart by their stacks. */
static int most_threads(void) {
    static int most; /* 0: not asked yet */
    cpu_set_t cores;
    if (most) return most;
    bool is_known = !getenv("KMP_GTID_MODE") && !sched_getaffinity(0, sizeof cores, &cores);
    int n = is_known ? CPU_COUNT(&cores) : 1;
    return most = n < MOST_THREADS ? n : MOST_THREADS;
}

/* Is there a team that helps? Of threads that were slow, another loop later asks again. */
static bool has_opened(void *ident) {
    if (most_threads() < 2) return false;
    open_team(ident);
    bool may_help = team.n_threads >= 2 && team.n_threads <= most_threads();
    double took = may_help ? time_of_round() : SLOW;
    team.is_quick = took <= QUICK;
    if (took < SLOW) return true;
    kdsl_team_close();
    if (may_help) team.rest = REST;
    return false;
}

bool kdsl_team_run(void *ident, Task *task, void *context) {
    if (!is_owner || team.n_launches < OPENS_FROM) return false;
    if (most_threads() > 1 && kdsl_throttle_is_alone(&team.throttle, task, most_threads())) {
        run_alone(task, context);
        return true;
    }
    if (!team.is_open && !team.is_useless) team.is_useless = !has_opened(ident);
    if (team.is_useless) return false;
    run(task, context);
    return true;
}

/* Loops ------------------------------------------------------------------------------------------------------------ */

/* The process that fork has made has one thread, which is in no team. */
static void begin_child(void) {
    is_owner = team.is_open = false;
    number = -1;
    n_in_team = 0;
    atomic_store(&team.n_asleep, 0);
    atomic_store(&team.is_taken, false);
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, begin_child); }

void kdsl_team_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool taken = false;
    if (is_owner) {
        team.depth++;
    } else if (atomic_compare_exchange_strong(&team.is_taken, &taken, true)) {
        pthread_once(&once, watch_forks);
        is_owner = true;
        team.depth = 1;
        team.n_launches = 0;
        team.throttle = (Throttle){0};
        team.is_useless = team.rest > 0;
        team.rest -= team.is_useless;
    }
}

void kdsl_team_leave(void) {
    if (!is_owner) return;
    kdsl_team_close();
    is_owner = false;
    atomic_store_explicit(&team.is_taken, false, memory_order_release);
}

void kdsl_team_end(void) {
    if (is_owner && !--team.depth) kdsl_team_leave();
}

void kdsl_team_launches(void) {
    if (is_owner && team.n_launches < LEAST_LAUNCHES) team.n_launches++;
}

int32_t kdsl_has_team(void) {
    return is_owner && team.n_launches == LEAST_LAUNCHES && !team.is_useless && (team.is_quick || !team.is_open);
}
