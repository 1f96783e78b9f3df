/* async.c -- launches that the program does not wait for. One thread of the program's own runs them in the order in which
 * they were made, so whatever one launch writes the next one finds. Everything that looks at an array which may be on a
 * device settles first (resident.c), and so do `wait` and the program's end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

typedef struct Launch {
    struct Launch *next;
    void (*run)(void *frame);
    _Alignas(16) char frame[];
} Launch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, fewer = PTHREAD_COND_INITIALIZER;
static Launch *first, **end = &first;
static int64_t n_pending; /* made and not finished */
static bool has_worker;
static _Thread_local bool is_worker;

static void *work(void *unused) {
    (void)unused;
    is_worker = true;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!first) pthread_cond_wait(&more, &lock);
        Launch *l = first;
        first = l->next;
        if (!first) end = &first;
        pthread_mutex_unlock(&lock);
        l->run(l->frame);
        free(l);
        pthread_mutex_lock(&lock);
        __atomic_store_n(&n_pending, n_pending - 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&fewer);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static bool start_worker(void) {
    pthread_t thread;
    if (!has_worker && !pthread_create(&thread, NULL, work, NULL)) {
        pthread_detach(thread);
        has_worker = true;
    }
    return has_worker;
}

void kdsl_async(void (*run)(void *frame), const void *frame, int64_t n_bytes) {
    Launch *l = malloc(sizeof *l + (size_t)n_bytes);
    if (!l) kdsl_fail(NULL, "no memory for a launch");
    *l = (Launch){.run = run};
    memcpy(l->frame, frame, (size_t)n_bytes);
    pthread_mutex_lock(&lock);
    bool later = start_worker();
    if (later) {
        *end = l;
        end = &l->next;
        __atomic_store_n(&n_pending, n_pending + 1, __ATOMIC_RELEASE);
        pthread_cond_signal(&more);
    }
    pthread_mutex_unlock(&lock);
    if (later) return;
    l->run(l->frame); /* no thread is to be had: now, then */
    free(l);
}

void kdsl_settle(void) {
    if (!__atomic_load_n(&n_pending, __ATOMIC_ACQUIRE) || is_worker) return;
    pthread_mutex_lock(&lock);
    while (n_pending) pthread_cond_wait(&fewer, &lock);
    pthread_mutex_unlock(&lock);
}
