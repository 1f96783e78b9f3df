/* mock_hsa_queue.c -- signals, copies and queues: whatever happens by itself after somebody has asked for it. A thread
   does it, one thing after the other, each when the signals that it waits for are at zero. The log is written when
   things are asked for, in the caller's thread, so that it is the same every time. */
#define _GNU_SOURCE
#include "tests/gpu/mock_hsa.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PACKET_INVALID = 1, PACKET_DISPATCH = 2, PACKET_BARRIER = 3, MAX_BEFORE = 5 };

typedef void QueueError(hsa_status_t status, QueueFace *queue, void *data);
typedef bool Handler(int64_t value, void *data);

typedef struct Queue {
    QueueFace face; /* what programs see: first */
    int device, number;
    uint64_t n_written, n_read, n_rung; /* packets: given out, done, published */
    bool running;                       /* the packet at n_read has begun; it ends at `until` */
    double until;
    bool trapped;
    QueueError *on_error;
    void *error_data;
    struct Queue *next;
} Queue;

/* A copy, or a function to call, once its signals are at zero. */
typedef struct Task {
    Signal *before[MAX_BEFORE], *done;
    int n_before;
    void *to;
    const void *from;
    size_t n_bytes;
    Handler *handler;
    void *data;
    struct Task *next;
} Task;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Queue *queues;
static Task *tasks; /* in the order in which they came */

static Signal *signal_of(Handle h) { return (Signal *)h.handle; }

/* Signals ---------------------------------------------------------------------------------------------------------- */

static void count_down(Signal *s) {
    if (s) s->value--;
    pthread_cond_broadcast(&changed);
}

static bool at_zero(Signal *const *signals, int n) {
    for (int i = 0; i < n; i++)
        if (signals[i] && signals[i]->value != 0) return false;
    return true;
}

static struct timespec moment(double when) {
    return (struct timespec){(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};
}

/* The thread ------------------------------------------------------------------------------------------------------- */

/* The first task that can be done, taken from the list. */
static Task *take_ready(void) {
    for (Task **at = &tasks; *at; at = &(*at)->next)
        if (at_zero((*at)->before, (*at)->n_before)) {
            Task *t = *at;
            *at = t->next;
            return t;
        }
    return NULL;
}

static void put_last(Task *t) {
    Task **at = &tasks;
    while (*at) at = &(*at)->next;
    t->next = NULL;
    *at = t;
}

static void do_task(Task *t) { /* without the lock: handlers use signals themselves */
    pthread_mutex_unlock(&lock);
    bool again = false;
    if (t->handler) again = t->handler(0, t->data);
    else memmove(t->to, t->from, t->n_bytes);
    pthread_mutex_lock(&lock);
    count_down(t->done);
    if (again) put_last(t);
    else free(t);
}

static int packet_type(const void *packet) { return *(const uint16_t *)packet & 0xff; }

static void *packet_at(const Queue *q, uint64_t i) {
    return (DispatchPacket *)q->face.packets + (i & (q->face.n_packets - 1));
}

static void finish_packet(Queue *q) {
    DispatchPacket *p = packet_at(q, q->n_read);
    Signal *done = signal_of(p->done); /* at the same place in every packet */
    p->header = PACKET_INVALID;
    q->running = false;
    q->n_read++;
    if (q->trapped) {
        pthread_mutex_unlock(&lock);
        q->on_error(HSA_STATUS_ERROR_EXCEPTION, &q->face, q->error_data);
        pthread_mutex_lock(&lock);
    }
    count_down(done);
}

static MockLaunch launch_of(const DispatchPacket *p) {
    const MockKernel *k = (const MockKernel *)p->kernel;
    MockLaunch l = {.args = p->args, .n_arg_bytes = k->param_bytes, .dynamic_bytes = p->group_bytes - k->shared_bytes};
    for (int d = 0; d < 3; d++) {
        l.block[d] = p->block[d];
        l.grid[d] = p->block[d] ? (p->items[d] + p->block[d] - 1) / p->block[d] : 0;
    }
    return l;
}

/* Begin the next packet, if what it waits for is there. */
static bool begin_packet(Queue *q) {
    void *packet = packet_at(q, q->n_read);
    if (packet_type(packet) == PACKET_BARRIER) {
        Signal *before[MAX_BEFORE];
        for (int i = 0; i < MAX_BEFORE; i++) before[i] = signal_of(((BarrierPacket *)packet)->before[i]);
        if (!at_zero(before, MAX_BEFORE)) return false;
        q->until = 0;
    } else if (packet_type(packet) == PACKET_INVALID) { /* refused when it came */
        q->until = 0;
    } else {
        MockLaunch l = launch_of(packet);
        pthread_mutex_unlock(&lock);
        mock_run((const MockKernel *)((DispatchPacket *)packet)->kernel, &l);
        pthread_mutex_lock(&lock);
        q->until = mock_now() + atof(mock_setting("KDSL_MOCK_KERNEL_MS", "0")) * 1e-3;
    }
    return q->running = true;
}

/* Some progress somewhere; if there is none, *wake is when there can be, unless something changes before. */
static bool step(double *wake) {
    Task *t = take_ready();
    if (t) return do_task(t), true;
    for (Queue *q = queues; q; q = q->next) {
        if (!q->running && q->n_read < q->n_rung && begin_packet(q)) return true;
        if (q->running && mock_now() >= q->until) return finish_packet(q), true;
        if (q->running && q->until < *wake) *wake = q->until;
    }
    return false;
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        double wake = 1e18;
        if (step(&wake)) continue;
        struct timespec t = moment(wake);
        if (wake < 1e18) pthread_cond_timedwait(&changed, &lock, &t);
        else pthread_cond_wait(&changed, &lock);
    }
    return NULL;
}

static void start(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL)) abort();
    pthread_detach(thread);
}

static void submit(Task *t) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    put_last(t);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Signals, as programs use them ------------------------------------------------------------------------------------ */

EXPORT hsa_status_t hsa_amd_signal_create(int64_t value, uint32_t n, const Handle *consumers, uint64_t attributes,
                                          Handle *signal) {
    (void)n, (void)consumers, (void)attributes;
    Signal *s = calloc(1, sizeof *s);
    s->value = value;
    signal->handle = (uint64_t)s;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_signal_create(int64_t value, uint32_t n, const Handle *consumers, Handle *signal) {
    return hsa_amd_signal_create(value, n, consumers, 0, signal);
}

EXPORT hsa_status_t hsa_signal_destroy(Handle signal) {
    free(signal_of(signal));
    return HSA_STATUS_SUCCESS;
}

static Queue *queue_of_doorbell(const Signal *s) {
    for (Queue *q = queues; q; q = q->next)
        if (signal_of(q->face.doorbell) == s) return q;
    return NULL;
}

static const char *objection(const DispatchPacket *p) {
    const MockKernel *k = (const MockKernel *)p->kernel;
    uint32_t threads = (uint32_t)p->block[0] * p->block[1] * p->block[2];
    if (!k) return "no kernel";
    if (!threads || !p->items[0] || !p->items[1] || !p->items[2]) return "a dimension of 0";
    if (threads > (k->max_threads ? k->max_threads : MAX_BLOCK)) return "more items in a group than the kernel allows";
    if (p->group_bytes < k->shared_bytes) return "less group memory than the kernel has";
    if (p->group_bytes > GROUP_MEMORY) return "more group memory than there is";
    if (k->param_bytes && !reach(p->args, k->param_bytes)) return "no block of arguments";
    return NULL;
}

/* Say what a packet asks for. False: it is wrong, and the queue's owner has been told. */
static bool announce(Queue *q, DispatchPacket *p) {
    if (packet_type(p) != PACKET_DISPATCH) return true;
    const MockKernel *k = (const MockKernel *)p->kernel;
    const char *why = objection(p);
    if (why || mock_fails("launch")) {
        hsa_status_t error = why ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        refuse(error, "launch %d %s: %s", q->device, k ? k->name : "?", why ? why : "as KDSL_MOCK_FAIL says");
        q->on_error(error, &q->face, q->error_data);
        return false;
    }
    MockLaunch l = launch_of(p);
    char name[16];
    snprintf(name, sizeof name, "q%d", q->number);
    mock_log_launch(q->device, k, &l, name);
    return true;
}

static void ring(Queue *q, int64_t packet) {
    bool trapped = false;
    for (uint64_t i = q->n_rung; i <= (uint64_t)packet; i++) {
        DispatchPacket *p = packet_at(q, i);
        if (!announce(q, p)) p->header = PACKET_INVALID;
        trapped |= packet_type(p) == PACKET_DISPATCH && mock_fails("trap");
    }
    pthread_mutex_lock(&lock);
    q->n_rung = (uint64_t)packet + 1;
    q->trapped |= trapped;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void store(Handle signal, int64_t value) {
    pthread_mutex_lock(&lock);
    Queue *q = queue_of_doorbell(signal_of(signal));
    if (!q) signal_of(signal)->value = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (q) ring(q, value);
}

EXPORT void hsa_signal_store_relaxed(Handle signal, int64_t value) { store(signal, value); }
EXPORT void hsa_signal_store_screlease(Handle signal, int64_t value) { store(signal, value); }
EXPORT int64_t hsa_signal_load_scacquire(Handle signal) { return signal_of(signal)->value; }

EXPORT void hsa_signal_subtract_screlease(Handle signal, int64_t value) {
    pthread_mutex_lock(&lock);
    signal_of(signal)->value -= value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool holds(int64_t value, uint32_t condition, int64_t wanted) {
    switch (condition) {
    case 0: return value == wanted;
    case 1: return value != wanted;
    case 2: return value < wanted;
    default: return value >= wanted;
    }
}

/* The timeout is a hint, in nanoseconds here. */
EXPORT int64_t hsa_signal_wait_scacquire(Handle signal, uint32_t condition, int64_t wanted, uint64_t timeout,
                                         uint32_t how) {
    (void)how;
    Signal *s = signal_of(signal);
    double end = mock_now() + (timeout > UINT64_C(1) << 60 ? 1e9 : (double)timeout * 1e-9);
    struct timespec t = moment(end);
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    while (!holds(s->value, condition, wanted))
        if (pthread_cond_timedwait(&changed, &lock, &t) == ETIMEDOUT) break;
    int64_t value = s->value;
    pthread_mutex_unlock(&lock);
    return value;
}

EXPORT hsa_status_t hsa_amd_signal_async_handler(Handle signal, uint32_t condition, int64_t value, Handler *handler,
                                                 void *data) {
    if (condition != 0 || value != 0) return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a handler for more than zero");
    Task *t = calloc(1, sizeof *t);
    *t = (Task){.before = {signal_of(signal)}, .n_before = 1, .handler = handler, .data = data};
    submit(t);
    return HSA_STATUS_SUCCESS;
}

/* Copies ----------------------------------------------------------------------------------------------------------- */

void *reach(const void *address, uint64_t n_bytes) {
    if (!mock_is_device_address((uint64_t)address)) return (void *)address;
    return mock_find((uint64_t)address, n_bytes) ? mock_view((uint64_t)address) : NULL;
}

EXPORT hsa_status_t hsa_amd_memory_async_copy(void *to, Handle to_agent, const void *from, Handle from_agent,
                                              size_t n_bytes, uint32_t n_before, const Handle *before, Handle done) {
    bool in = mock_is_device_address((uint64_t)to), out = mock_is_device_address((uint64_t)from);
    Task *t = calloc(1, sizeof *t);
    *t = (Task){.to = reach(to, n_bytes), .from = reach(from, n_bytes), .n_bytes = n_bytes, .done = signal_of(done)};
    if (!t->to || !t->from || n_before > MAX_BEFORE || mock_fails("copy")) {
        free(t);
        return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT, "copy of %zu bytes from %s to %s: no such memory", n_bytes,
                      mock_show((uint64_t)from), mock_show((uint64_t)to));
    }
    for (uint32_t i = 0; i < n_before; i++) t->before[t->n_before++] = signal_of(before[i]);
    int device = device_of(in ? to_agent : from_agent);
    if (in && out) mock_log("copy %d %s %s %zu", device, mock_show((uint64_t)to), mock_show((uint64_t)from), n_bytes);
    else mock_log("copy-%s %d %s %zu", in ? "in" : "out", device, mock_show((uint64_t)(in ? to : from)), n_bytes);
    submit(t);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_memory_copy(void *to, const void *from, size_t n_bytes) {
    void *inside_to = reach(to, n_bytes);
    const void *inside_from = reach(from, n_bytes);
    if (!inside_to || !inside_from) return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT, "copy: no such memory");
    memmove(inside_to, inside_from, n_bytes);
    mock_log("copy-now %s %s %zu", mock_show((uint64_t)to), mock_show((uint64_t)from), n_bytes);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_fill(void *to, uint32_t value, size_t n_words) {
    uint32_t *words = reach(to, 4 * n_words);
    if (!words) return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT, "fill: no such memory");
    for (size_t i = 0; i < n_words; i++) words[i] = value;
    mock_log("fill %s %zu", mock_show((uint64_t)to), 4 * n_words);
    return HSA_STATUS_SUCCESS;
}

/* Queues ----------------------------------------------------------------------------------------------------------- */

EXPORT hsa_status_t hsa_queue_create(Handle agent, uint32_t n_packets, uint32_t type, QueueError *on_error, void *data,
                                     uint32_t private_bytes, uint32_t group_bytes, QueueFace **queue) {
    static _Atomic int n_queues;
    (void)private_bytes, (void)group_bytes;
    if (device_of(agent) < 0) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!n_packets || n_packets & (n_packets - 1)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Queue *q = calloc(1, sizeof *q);
    *q =
        (Queue){.device = device_of(agent), .number = mock_number(&n_queues), .on_error = on_error, .error_data = data};
    DispatchPacket *packets = aligned_alloc(64, n_packets * sizeof *packets);
    memset(packets, 0, n_packets * sizeof *packets);
    for (uint32_t i = 0; i < n_packets; i++) packets[i].header = PACKET_INVALID;
    q->face =
        (QueueFace){.type = type, .features = 1, .packets = packets, .n_packets = n_packets, .id = (uint64_t)q->number};
    hsa_signal_create(0, 0, NULL, &q->face.doorbell);
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    q->next = queues;
    queues = q;
    pthread_mutex_unlock(&lock);
    *queue = &q->face;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_queue_destroy(QueueFace *face) {
    Queue *q = (Queue *)face;
    pthread_mutex_lock(&lock);
    for (Queue **at = &queues; *at; at = &(*at)->next)
        if (*at == q) {
            *at = q->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(signal_of(face->doorbell));
    free(face->packets);
    free(q);
    return HSA_STATUS_SUCCESS;
}

EXPORT uint64_t hsa_queue_add_write_index_relaxed(QueueFace *face, uint64_t n) {
    Queue *q = (Queue *)face;
    pthread_mutex_lock(&lock);
    uint64_t before = q->n_written;
    q->n_written += n;
    pthread_mutex_unlock(&lock);
    return before;
}

EXPORT uint64_t hsa_queue_load_read_index_scacquire(const QueueFace *face) {
    pthread_mutex_lock(&lock);
    uint64_t n = ((const Queue *)face)->n_read;
    pthread_mutex_unlock(&lock);
    return n;
}
