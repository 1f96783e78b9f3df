/* runtime/team.c, with threads of this test's for those of libomp: who executes a task, and how often regions begin. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* For the thread of the loop a round takes as long as a test says; there are many cores. */
static _Thread_local int me;
static int round_takes; /* nanoseconds */

double kdsl_clock(void) {
    static double passed;
    struct timespec t;
    if (!me) return passed += 1e-9 * round_takes;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int n_cores = 8;

static int test_affinity(pid_t pid, size_t size, cpu_set_t *cores) {
    (void)pid, (void)size;
    CPU_ZERO(cores);
    for (int i = 0; i < n_cores; i++) CPU_SET(i, cores);
    return 0;
}

#define sched_getaffinity test_affinity
#include "runtime/team.c"
#undef sched_getaffinity

static int n_failed;

#define CHECK(condition) check(condition, #condition, __LINE__)
#define CHECK_INT(got, wanted) check((got) == (wanted), #got " is " #wanted, __LINE__)

static void check(bool ok, const char *what, int line) {
    if (ok) return;
    n_failed++;
    fprintf(stderr, "FAILED: line %d: %s\n", line, what);
}

enum { MOST = 200 };

static int n_threads = 4, n_regions;
static _Thread_local int in_region;

typedef struct Part {
    Task *task;
    void *context;
    int number;
} Part;

static void *run_part(void *at) {
    const Part *p = at;
    int32_t zero = 0;
    me = p->number;
    in_region = n_threads;
    p->task(&zero, &zero, p->context);
    return NULL;
}

void kdsl_fork_call(void *ident, Task *task, void *context) {
    pthread_t threads[MOST];
    Part parts[MOST];
    (void)ident;
    n_regions++;
    for (int i = 0; i < n_threads; i++) parts[i] = (Part){task, context, i};
    for (int i = 1; i < n_threads; i++) pthread_create(&threads[i], NULL, run_part, &parts[i]);
    run_part(&parts[0]);
    in_region = 0;
    for (int i = 1; i < n_threads; i++) pthread_join(threads[i], NULL);
}

/* What the throttle says (test_runtime_throttle.c). */
static bool is_alone;

bool kdsl_throttle_is_alone(Throttle *t, Task *task, int n) {
    (void)t, (void)task;
    CHECK_INT(n, n_cores);
    return is_alone;
}

int32_t kdsl_thread_num(void) { return me; }
int32_t kdsl_num_threads(void) { return in_region ? in_region : 1; }

/* A loop that has launched already. */
static void begin_loop(void) {
    kdsl_team_begin();
    for (int k = 0; k < OPENS_FROM; k++) kdsl_team_launches();
}

static _Atomic int by_thread[MOST];

static void count(int32_t *thread, int32_t *bound, void *context) {
    (void)thread, (void)bound;
    atomic_fetch_add(&by_thread[me], *(const int *)context);
}

/* All threads execute each task once, before it returns. */
static void check_rounds(int n_rounds) {
    int most = n_threads;
    for (int r = 0; r < n_rounds; r++) {
        memset(by_thread, 0, sizeof by_thread);
        CHECK(kdsl_team_run(NULL, count, &(int){r + 1}));
        for (int i = 0; i < most; i++) CHECK_INT(by_thread[i], r + 1);
    }
}

static void loops(void) {
    n_regions = 0;
    begin_loop();
    check_rounds(3000);
    kdsl_team_begin(); /* a loop of a function that the loop calls */
    check_rounds(3);
    kdsl_team_end();
    check_rounds(3);
    CHECK_INT(n_regions, 1);
    kdsl_team_close(); /* a launch that goes another way */
    CHECK_INT(kdsl_num_threads(), 1);
    check_rounds(3);
    CHECK_INT(n_regions, 2);
    kdsl_team_end();
    CHECK(!kdsl_team_run(NULL, count, &(int){1}));
    CHECK_INT(n_regions, 2);
}

/* Threads that sleep wake up. */
static void pauses(void) {
    begin_loop();
    for (int k = 0; k < 4; k++) {
        check_rounds(2);
        for (int wait = 0; wait < 1000 && atomic_load(&team.n_asleep) < n_threads - 1; wait++) usleep(10000);
        CHECK_INT(atomic_load(&team.n_asleep), n_threads - 1);
    }
    kdsl_team_end();
    CHECK_INT(atomic_load(&team.n_asleep), 0);
}

/* A failure leaves loops within loops. */
static void failures(void) {
    begin_loop();
    kdsl_team_begin();
    check_rounds(2);
    kdsl_team_leave();
    CHECK(!kdsl_team_run(NULL, count, &(int){1}));
    kdsl_team_end();
    loops();
}

static void small_launches(void) {
    kdsl_team_begin();
    for (int k = 0; k < LEAST_LAUNCHES; k++) {
        CHECK(!kdsl_has_team());
        kdsl_team_launches();
    }
    CHECK(kdsl_has_team());
    check_rounds(1);
    kdsl_team_end();
    CHECK(!kdsl_has_team());
    kdsl_team_begin();
    CHECK(!kdsl_has_team());
    kdsl_team_end();
}

/* Threads that are far from one another have a team, but not for small launches. */
static void far_threads(void) {
    begin_loop();
    for (int k = 0; k < LEAST_LAUNCHES; k++) kdsl_team_launches();
    CHECK(kdsl_has_team());
    round_takes = 700;
    check_rounds(1);
    round_takes = 0;
    CHECK(!kdsl_has_team());
    check_rounds(1);
    kdsl_team_end();
    loops();
}

static void count_alone(int32_t *thread, int32_t *bound, void *context) {
    CHECK_INT(kdsl_team_thread(), 0);
    CHECK_INT(kdsl_team_size(), 1);
    count(thread, bound, context);
}

static void check_alone(int n_rounds) {
    is_alone = true;
    for (int r = 0; r < n_rounds; r++) {
        memset(by_thread, 0, sizeof by_thread);
        CHECK(kdsl_team_run(NULL, count_alone, &(int){1}));
        for (int i = 0; i < n_threads; i++) CHECK_INT(by_thread[i], i == 0);
    }
    is_alone = false;
}

/* One thread executes launches, in a team that is open or not yet. */
static void one_thread(void) {
    n_regions = 0;
    begin_loop();
    check_alone(3);
    CHECK_INT(n_regions, 0);
    CHECK_INT(kdsl_team_thread(), -1);
    check_rounds(3);
    check_alone(100);
    CHECK_INT(kdsl_team_size(), n_threads);
    check_rounds(3);
    CHECK_INT(n_regions, 1);
    kdsl_team_end();
    is_alone = true;
    CHECK(!kdsl_team_run(NULL, count, &(int){1}));
    is_alone = false;
}

static void *other(void *at) {
    begin_loop();
    *(bool *)at = kdsl_team_run(NULL, count, &(int){1});
    kdsl_team_end();
    return at;
}

/* One team at a time: of two threads, the second has none until the first has left its loop. */
static void other_threads(void) {
    pthread_t thread;
    bool has_run = true;
    begin_loop();
    check_rounds(1);
    pthread_create(&thread, NULL, other, &has_run);
    pthread_join(thread, NULL);
    CHECK(!has_run);
    check_rounds(1);
    kdsl_team_end();
    pthread_create(&thread, NULL, other, &has_run);
    pthread_join(thread, NULL);
    CHECK(has_run);
}

/* A loop of few launches, and of the first ones, forks as usual. */
static void few_launches(void) {
    kdsl_team_begin();
    n_regions = 0;
    for (int k = 0; k < OPENS_FROM; k++) {
        CHECK(!kdsl_team_run(NULL, count, &(int){1}));
        kdsl_team_launches();
    }
    CHECK_INT(n_regions, 0);
    check_rounds(1);
    kdsl_team_end();
}

static void check_useless(int wanted_regions) {
    n_regions = 0;
    begin_loop();
    for (int k = 0; k < LEAST_LAUNCHES; k++) {
        CHECK(!kdsl_team_run(NULL, count, &(int){1}));
        kdsl_team_launches();
    }
    CHECK(!kdsl_has_team());
    kdsl_team_end();
    CHECK_INT(n_regions, wanted_regions);
}

static void useless_teams(void) {
    int usual = n_threads;
    n_threads = 1;
    check_useless(1);
    n_threads = n_cores + 1;
    check_useless(1);
    n_threads = usual;
    loops();
    round_takes = 6000;
    check_useless(1);
    round_takes = 0;
    for (int k = 0; k < REST; k++) check_useless(0);
    loops();
}

static void *loop_of_child(void *at) {
    loops();
    return at;
}

/* While this thread is in a loop, the process is forked by another one: the child's threads have teams of their own. */
static void *fork_there(void *at) {
    pid_t child = fork();
    if (!child) {
        pthread_t thread;
        pthread_create(&thread, NULL, loop_of_child, NULL);
        pthread_join(thread, NULL);
        _exit(n_failed > 0);
    }
    waitpid(child, at, 0);
    return at;
}

static void forks(void) {
    pthread_t thread;
    int status = -1;
    begin_loop();
    check_rounds(1);
    pthread_create(&thread, NULL, fork_there, &status);
    pthread_join(thread, NULL);
    CHECK_INT(status, 0);
    check_rounds(1);
    kdsl_team_end();
}

int main(void) {
    loops();
    pauses();
    failures();
    small_launches();
    far_threads();
    one_thread();
    other_threads();
    few_launches();
    useless_teams();
    forks();
    return n_failed > 0;
}
