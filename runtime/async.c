/* async.c -- asynchronous launches. Each device has a thread of the runtime that executes its launches in order.
 * Launches on different devices run in parallel, unless one writes what the other uses: then they keep their order. So
 * each launch reads what the launches before it have written. All host code that uses an array which may be on a
 * device waits for all launches first (resident.c), as do `wait` and the end of the program. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/target.h"
#include "runtime/trace.h"

typedef struct Launch {
    struct Launch *next;
    void (*run)(void *frame);
    int64_t device;
    bool has_border; /* below an exported function, or in a session: a failure ends the call, not the process */
    int64_t n_uses;
    KdslUse *uses;
    _Alignas(16) char frame[];
} Launch;

typedef struct Worker {
    struct Worker *next;
    int64_t device;
    pthread_t thread;
} Worker;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a launch was made, or is over */
static Launch *first, **end = &first; /* in the order in which they were made; those that are over have left */
static Worker *workers;
static bool has_pending;
static int n_running;
static bool is_ending;  /* the program is about to end: no launch begins any more */
static bool is_closing; /* all launches are over, and the workers end */
static _Thread_local bool is_worker, ends_program;

/* Whose turn it is ------------------------------------------------------------------------------------------------- */

static bool overlap(const KdslUse *a, const KdslUse *b) {
    return a->at < b->at + b->n_bytes && b->at < a->at + a->n_bytes;
}

static bool must_follow(const Launch *later, const Launch *l) {
    if (later->device == l->device) return true;
    for (int64_t i = 0; i < l->n_uses; i++)
        for (int64_t k = 0; k < later->n_uses; k++)
            if ((l->uses[i].writes || later->uses[k].writes) && overlap(&l->uses[i], &later->uses[k])) return true;
    return false;
}

/* The next launch of the device, if it does not have to wait for an earlier one; else NULL. */
static Launch *next_on(int64_t device) {
    Launch *l = first;
    while (l && l->device != device) l = l->next;
    for (const Launch *before = first; l && before != l; before = before->next)
        if (must_follow(l, before)) return NULL;
    return is_ending ? NULL : l;
}

static void finish(Launch *l) {
    Launch **at = &first;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    if (!l->next) end = at;
    __atomic_store_n(&has_pending, first != NULL, __ATOMIC_RELEASE);
    n_running--;
    pthread_cond_broadcast(&changed);
}

/* In a call of an exported function: the message of the first asynchronous launch that failed, reported where the call
 * waits for launches. */
static char failure[KDSL_REPORT_BYTES];

static void keep_failure(void) {
    pthread_mutex_lock(&lock);
    if (!*failure) snprintf(failure, sizeof failure, "%s", kdsl_last_error());
    pthread_mutex_unlock(&lock);
}

static void tell_failure(void) {
    char text[sizeof failure];
    pthread_mutex_lock(&lock);
    memcpy(text, failure, sizeof text);
    *failure = '\0';
    pthread_mutex_unlock(&lock);
    if (*text && kdsl_border_is_there()) kdsl_fail_again(text);
}

static void *work(void *worker) {
    is_worker = true;
    kdsl_trace_is_worker();
    pthread_mutex_lock(&lock);
    for (;;) {
        Launch *l;
        while (!(l = next_on(((Worker *)worker)->device)) && !is_closing) pthread_cond_wait(&changed, &lock);
        if (!l) break;
        n_running++;
        pthread_mutex_unlock(&lock);
        if (!l->has_border) l->run(l->frame);
        else if (kdsl_border_cross(l->run, l->frame)) keep_failure();
        pthread_mutex_lock(&lock);
        finish(l);
        free(l);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* At the end of the program, or when the library is closed: its code is unmapped, so no thread may still execute it. */
static void end_workers(void) {
    kdsl_settle();
    pthread_mutex_lock(&lock);
    bool ends = !is_ending && !is_worker;
    is_closing = ends;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (Worker *w; ends && (w = workers);) {
        pthread_join(w->thread, NULL);
        workers = w->next;
        free(w);
    }
    is_closing = false;
}

/* A process that is forked has the thread that forked it, and no other one. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void begin_child(void) {
    workers = NULL; /* these few bytes are not freed: their threads belong to the parent process */
    first = NULL;
    end = &first;
    n_running = 0;
    __atomic_store_n(&has_pending, false, __ATOMIC_RELEASE);
    pthread_cond_init(&changed, NULL);
    pthread_mutex_unlock(&lock);
}

static void prepare(void) {
    atexit(end_workers);
    pthread_atfork(before_fork, after_fork, begin_child);
}

static bool start_worker(int64_t device) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    for (Worker *w = workers; w; w = w->next)
        if (w->device == device) return true;
    pthread_once(&once, prepare);
    Worker *w = malloc(sizeof *w);
    if (!w) return false;
    *w = (Worker){.next = workers, .device = device};
    if (pthread_create(&w->thread, NULL, work, w)) {
        free(w);
        return false;
    }
    workers = w;
    return true;
}

/* What others ask for ---------------------------------------------------------------------------------------------- */

static Launch *make(void (*run)(void *frame), const void *frame, int64_t n_bytes, const KdslUse *uses, int64_t n_uses) {
    size_t room = ((size_t)n_bytes + 15) / 16 * 16;
    Launch *l = malloc(sizeof *l + room + sizeof *uses * (size_t)n_uses);
    if (!l) kdsl_fail(NULL, "out of memory for a launch");
    *l = (Launch){.run = run, .has_border = kdsl_border_is_there(), .n_uses = n_uses};
    l->uses = (KdslUse *)(l->frame + room);
    memcpy(l->frame, frame, (size_t)n_bytes);
    memcpy(l->uses, uses, sizeof *uses * (size_t)n_uses);
    return l;
}

void kdsl_async(void (*run)(void *frame), const void *frame, int64_t n_bytes, const KdslUse *uses, int64_t n_uses,
                int64_t device) {
    Launch *l = make(run, frame, n_bytes, uses, n_uses);
    l->device = device < 0 ? kdsl_default_device() : device;
    pthread_mutex_lock(&lock);
    bool later = start_worker(l->device);
    if (later) {
        *end = l;
        end = &l->next;
        __atomic_store_n(&has_pending, true, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (later) return;
    kdsl_settle();
    l->run(l->frame); /* no thread is to be had: now, then */
    free(l);
}

static void wait_for_all(const char *place) {
    int64_t start = kdsl_trace_start();
    pthread_mutex_lock(&lock);
    while (first) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    kdsl_trace_waited(start, place);
}

void kdsl_settle_at(const char *place) {
    if (is_worker || ends_program) return;
    if (__atomic_load_n(&has_pending, __ATOMIC_ACQUIRE)) wait_for_all(place);
    if (*failure) tell_failure();
}

void kdsl_settle(void) { kdsl_settle_at(NULL); }

/* What ends the program ends the devices, too, on which other threads may be at work: these finish first, and no launch
 * begins any more. Of two threads that would end the program, the first one does. */
void kdsl_async_stop(void) {
    pthread_mutex_lock(&lock);
    if (is_worker && !ends_program) n_running--;
    pthread_cond_broadcast(&changed);
    while (is_ending && !ends_program) pthread_cond_wait(&changed, &lock);
    is_ending = ends_program = true;
    while (n_running) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
