/* throttle.c -- dynamic concurrency throttling (Curtis-Maury, Dzierwa, Antonopoulos, Nikolopoulos 2006): does one
 * thread execute the launches of a loop faster than all of them? So it is where launches are small and each reads what
 * another thread's cache has. That depends on the data, on the machine, and on what else the loop does, so it is
 * measured.
 *
 * An iteration is what lies between two launches of one task. Now and then a few iterations are executed in the other
 * way, and that way stays if they took less time. To try costs little, as long as launches are short: it begins after
 * many iterations for each thread, ends at once where one thread is slow, and comes half as often each time. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

enum {
    FIRST_WAIT = 16, /* iterations for each thread, until the other way is tried */
    MOST_WAIT = 1 << 12,
    FIRST_SEARCH = 32, /* launches without the one at which iterations begin, until another one is chosen */
    FEW = 3,           /* launches of one thread may take long because others had the processor */
    VERDICTS = 64
};

#define LONG 5e-5      /* seconds: after a launch that takes so long nothing is tried; */
#define OFTEN 0.25     /* where so much of one thread's time goes to them, all threads go on */
#define LESS 0.95      /* of the usual time takes what stays */
#define MOST_TIMES 1.5 /* the usual time: then one thread stops trying */

/* The tasks at whose launches iterations begin, of loops in which one thread was faster the last time. */
static Task *faster_alone[VERDICTS];

static Task **verdict_of(Task *task) { return &faster_alone[((uintptr_t)task >> 4) % VERDICTS]; }

static void turn(Throttle *t, bool is_alone) {
    t->is_alone = is_alone;
    t->is_trial = false;
    t->n = t->n_long = 0;
    t->in_long = t->since = 0;
}

static void begin_with(Throttle *t, Task *task, int n_threads) {
    t->first = task;
    t->n_others = 0;
    t->wait = FIRST_WAIT * n_threads;
    turn(t, *verdict_of(task) == task);
}

static void stay(Throttle *t, bool is_alone, int n_threads) {
    Task **verdict = verdict_of(t->first);
    if (is_alone) *verdict = t->first;
    else if (*verdict == t->first) *verdict = NULL;
    t->wait = FIRST_WAIT * n_threads;
    turn(t, is_alone);
}

static void go_back(Throttle *t) {
    if (t->wait < MOST_WAIT) t->wait *= 2;
    turn(t, !t->is_alone);
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const Throttle *t) {
    double sorted[THROTTLE_WINDOW];
    memcpy(sorted, t->took, sizeof sorted);
    qsort(sorted, THROTTLE_WINDOW, sizeof *sorted, by_time);
    return sorted[THROTTLE_WINDOW / 2];
}

static void try_other(Throttle *t) {
    t->usual = median(t);
    turn(t, !t->is_alone);
    t->is_trial = true;
}

/* Is this iteration of the trial of one thread? */
static bool is_too_long(const Throttle *t, double now) {
    return t->is_trial && t->is_alone && now - t->began > MOST_TIMES * t->usual;
}

/* The first iteration in another way is not counted: data goes from cache to cache. */
static void end_iteration(Throttle *t, int n_threads, double now) {
    bool ends_trial = is_too_long(t, now);
    t->took[t->n++ % THROTTLE_WINDOW] = now - t->began;
    t->began = now;
    t->n_others = 0;
    if (ends_trial) go_back(t);
    else if (!t->is_trial && t->n >= t->wait) try_other(t);
    else if (t->is_trial && t->n > THROTTLE_WINDOW)
        median(t) < LESS * t->usual ? stay(t, t->is_alone, n_threads) : go_back(t);
}

static void add_long(Throttle *t, int n_threads, double took, double now) {
    if (t->is_trial) return;
    t->in_long += took;
    if (!t->is_alone) t->n = 0;
    else if (++t->n_long >= FEW && t->in_long > OFTEN * (now - t->since)) stay(t, false, n_threads);
}

/* To ask for the time takes about as long as a small launch: all threads are timed only before one is tried. */
static bool is_timed(const Throttle *t) { return t->is_alone || t->is_trial || t->n + THROTTLE_WINDOW >= t->wait - 1; }

bool kdsl_throttle_is_alone(Throttle *t, Task *task, int n_threads) {
    double now = t->first && is_timed(t) ? kdsl_clock() : 0;
    if (!t->first) {
        t->search = FIRST_SEARCH;
        begin_with(t, task, n_threads);
    } else if (task == t->first) {
        end_iteration(t, n_threads, now);
    } else if (++t->n_others > t->search) {
        t->search *= 2;
        begin_with(t, task, n_threads);
    } else if (is_too_long(t, now)) {
        go_back(t);
    }
    if (t->since == 0) t->since = now;
    if (t->last > 0 && now - t->last > LONG) add_long(t, n_threads, now - t->last, now);
    t->last = now;
    return t->is_alone;
}
