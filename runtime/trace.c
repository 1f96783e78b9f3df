/* trace.c -- see trace.h. Events are recorded by the thread that causes them, in memory, up to a limit:
 * KDSL_TRACE_EVENTS. The file is written when the program ends, also after a failed check, or when the library is
 * closed.
 *
 * A launch on a device with its own memory maps its arrays one by one while it is recorded, before the kernel starts
 * and after it has ended: so the time of each copy is known, and that of the kernel alone. (OpenMP's tools interface
 * would tell the copies of programs, but not those of libraries; and of GPUs, only when they were requested.) */
#define _GNU_SOURCE
#include "runtime/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/target.h"

bool kdsl_trace_is_on;
static KdslTrace trace;
static const char *path;      /* of the file, or NULL */
static int profile_file = -1; /* KDSL_PROFILE, or none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of this thread: copies since its last launch, and what it is copying. */
static _Thread_local struct {
    int32_t thread;
    bool is_worker;
    int64_t in, out;
    const char *place; /* of the launch for which these were copied */
    int64_t flops[2];  /* of the launch that follows */
    const KdslSection *moves;
    int64_t device, n_bytes, start;
    KdslMove move;
} own;

/* Events ----------------------------------------------------------------------------------------------------------- */

int64_t kdsl_trace_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t kdsl_trace_start(void) { return kdsl_trace_is_on ? kdsl_trace_now() : 0; }

static KdslChunk *chunk_with_room(void) {
    if (trace.last && trace.last->n < KDSL_EVENTS_IN_CHUNK) return trace.last;
    KdslChunk *more = trace.n < trace.most ? malloc(sizeof *more) : NULL;
    if (!more) return NULL;
    more->next = NULL;
    more->n = 0;
    if (trace.last) trace.last->next = more;
    else trace.first = more;
    return trace.last = more;
}

static bool is_known(int64_t device) { return device < trace.n_devices && trace.device_names[device]; }

static void set_name(int64_t device, const char *name) {
    if (device >= trace.n_devices) {
        const char **more = realloc(trace.device_names, sizeof *more * (size_t)(device + 1));
        if (!more) return;
        memset(more + trace.n_devices, 0, sizeof *more * (size_t)(device + 1 - trace.n_devices));
        trace.device_names = more;
        trace.n_devices = device + 1;
    }
    trace.device_names[device] = name;
}

/* The name is read early: when the file is written, libomptarget has been shut down. Without the lock, which a failure
 * must not find held. */
static void know_device(int64_t device) {
    pthread_mutex_lock(&lock);
    bool known = device < 0 || is_known(device);
    pthread_mutex_unlock(&lock);
    if (known) return;
    const char *name = kdsl_device_name(NULL, device);
    pthread_mutex_lock(&lock);
    set_name(device, name);
    pthread_mutex_unlock(&lock);
}

void kdsl_trace_add(KdslEvent e, int64_t start) {
    if (!own.thread) own.thread = gettid();
    if (!e.ns) e.ns = kdsl_trace_now() - start;
    e.start = start;
    e.thread = own.thread;
    e.is_worker = own.is_worker;
    pthread_mutex_lock(&lock);
    if (profile_file >= 0) kdsl_profile_add(&e);
    KdslChunk *c = path && trace.n < trace.most ? chunk_with_room() : NULL;
    if (c) c->at[c->n++] = e, trace.n++;
    else trace.n_dropped++;
    pthread_mutex_unlock(&lock);
}

/* Of launches and copies only: programs without kernels, which record waits and their end, contain nothing of
 * libomptarget. */
static void add_on_device(KdslEvent e, int64_t start) {
    if (!e.ns) e.ns = kdsl_trace_now() - start;
    know_device(e.device);
    kdsl_trace_add(e, start);
}

void kdsl_trace_is_worker(void) { own.is_worker = true; }

void kdsl_trace_waited(int64_t start, const char *place) {
    if (start) kdsl_trace_add((KdslEvent){.kind = TRACED_WAIT, .device = -1, .place = place}, start);
}

void kdsl_trace_filled(const KdslSection *what, int64_t device, int64_t n_bytes, int64_t start) {
    if (!start) return;
    add_on_device((KdslEvent){.kind = TRACED_FILL, .device = device, .place = kdsl_ident_place(what->ident),
                              .what = what->name, .n_bytes = n_bytes}, start);
}

/* Work of the host, on the track of its thread. */
void kdsl_trace_compared(const KdslSection *what, int64_t n_bytes, int64_t start) {
    if (!start) return;
    kdsl_trace_add((KdslEvent){.kind = TRACED_COMPARE, .device = -1, .place = kdsl_ident_place(what->ident),
                               .what = what->name, .n_bytes = n_bytes}, start);
}

static bool is_same(const char *place, const char *other) {
    return place == other || (place && other && !strcmp(place, other));
}

/* Counts for the launch that follows, or is at hand. */
static void count(const char *place, KdslTraced kind, int64_t n_bytes) {
    if (!place || (kind != TRACED_IN && kind != TRACED_OUT)) return;
    if (!is_same(own.place, place)) own.in = own.out = 0;
    own.place = place;
    *(kind == TRACED_IN ? &own.in : &own.out) += n_bytes;
}

/* Copies that the runtime makes: kdsl_moving names them before, and calls this with NULL after. */
void kdsl_trace_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move) {
    static const KdslTraced kinds[] = {
        [MOVES_IN] = TRACED_IN, [MOVES_OUT] = TRACED_OUT, [MOVES_ROOM] = TRACED_ROOM};
    if (what) {
        bool is_real = move != MOVES_NOTHING && !kdsl_is_in_place(device);
        own.moves = is_real ? what : NULL;
        own.device = device;
        own.n_bytes = n_bytes;
        own.move = move;
        own.start = kdsl_trace_now();
        return;
    }
    if (!own.moves) return;
    const KdslSection *served = kdsl_report_served();
    const KdslSection *launch = own.move != MOVES_OUT ? own.moves : served;
    const char *place = launch ? kdsl_ident_place(launch->ident) : NULL;
    count(place, kinds[own.move], own.n_bytes);
    add_on_device((KdslEvent){.kind = kinds[own.move], .device = own.device, .place = place, .what = own.moves->name,
                              .n_bytes = own.n_bytes}, own.start);
    own.moves = NULL;
}

void kdsl_trace_work(int64_t f32, int64_t f64) {
    own.flops[0] = f32;
    own.flops[1] = f64;
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static KdslSection section_of(const void *loc, const KernelArgs *a, uint32_t i) {
    return (KdslSection){loc, kdsl_launch_arg_name(a, i)};
}

static void note_copy(KdslTraced kind, const KdslSection *what, int64_t device, int64_t n_bytes, int64_t start) {
    const char *place = kdsl_ident_place(what->ident);
    count(place, kind, n_bytes);
    add_on_device((KdslEvent){.kind = kind, .device = device, .place = place, .what = what->name, .n_bytes = n_bytes},
                  start);
}

/* kind: what that causes; TRACED__COUNT: nothing. */
static void map(Mapper *does, void *loc, int64_t device, const KernelArgs *a, uint32_t i, int64_t type,
                KdslTraced kind) {
    KdslSection what = section_of(loc, a, i);
    void *base = a->begins[i], *at = a->begins[i];
    int64_t n_bytes = a->sizes[i], start = kdsl_trace_now();
    does(loc, device, 1, &base, &at, &n_bytes, &type, (void **)&what.name, NULL);
    if (kind != TRACED__COUNT) note_copy(kind, &what, device, n_bytes, start);
}

static bool is_section(const KernelArgs *a, uint32_t i) { return !(a->types[i] & MAP_LITERAL) && a->sizes[i] > 0; }

static void fill(void *loc, int64_t device, const KernelArgs *a, uint32_t i) {
    KdslSection what = section_of(loc, a, i);
    map(kdsl_target()->begin_mapping, loc, device, a, i, 0, TRACED_ROOM);
    int64_t start = kdsl_trace_now();
    bool is_filled = kdsl_launch_fill(a, i, loc, device);
    note_copy(is_filled ? TRACED_FILL : TRACED_IN, &what, device, a->sizes[i], start);
}

/* Maps all sections of the launch. types: what is left for the launch itself, which finds them mapped. */
static void map_all(void *loc, int64_t device, const KernelArgs *a, int64_t *types, bool *is_new) {
    for (uint32_t i = 0; i < a->n_args; i++) {
        types[i] = a->types[i];
        is_new[i] = false;
        if (!is_section(a, i)) continue;
        is_new[i] = !kdsl_target()->mapped(a->begins[i], (int)device);
        bool copies = a->types[i] & MAP_TO && (is_new[i] || a->types[i] & MAP_ALWAYS);
        types[i] = MAP_PARAM;
        if (kdsl_launch_fills(a, i, loc, device)) fill(loc, device, a, i);
        else
            map(kdsl_target()->begin_mapping, loc, device, a, i, a->types[i] & (MAP_TO | MAP_ALWAYS),
                copies ? TRACED_IN : is_new[i] ? TRACED_ROOM : TRACED__COUNT);
    }
}

static void unmap_all(void *loc, int64_t device, const KernelArgs *a, const bool *is_new, bool ran) {
    for (uint32_t i = a->n_args; i-- > 0;) {
        if (!is_section(a, i)) continue;
        bool copies = ran && a->types[i] & MAP_FROM && (is_new[i] || a->types[i] & MAP_ALWAYS);
        map(kdsl_target()->end_mapping, loc, device, a, i, ran ? a->types[i] & (MAP_FROM | MAP_ALWAYS) : 0,
            copies ? TRACED_OUT : TRACED__COUNT);
    }
}

/* What the kernel reads and writes: whole sections, by the signature and what the compiler knows of the kernel. */
static void add_traffic(KdslEvent *e, const KernelArgs *a, const int64_t *types) {
    for (uint32_t i = 0; i < a->n_args; i++) {
        if (types[i] & (MAP_LITERAL | MAP_ALWAYS) || a->sizes[i] <= 0) continue;
        if (types[i] & MAP_TO) e->reads += a->sizes[i];
        if (types[i] & MAP_FROM) e->writes += a->sizes[i];
    }
}

int32_t kdsl_trace_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    KernelArgs kept = *(const KernelArgs *)args, *a = args; /* the runtime changes it */
    int64_t number = device < 0 ? kdsl_default_device() : device;
    bool is_there = number < kdsl_target()->n_devices(), is_in_place = is_there && kdsl_is_in_place(number);
    bool is_apart = is_there && !is_in_place && kept.n_args;
    bool *is_new = is_apart ? malloc(kept.n_args * sizeof *is_new) : NULL;
    int64_t *types = is_new ? malloc(kept.n_args * sizeof *types) : NULL;
    if (types) {
        map_all(loc, number, &kept, types, is_new);
        a->types = types;
    }
    int64_t start = kdsl_trace_now();
    int32_t rc = kdsl_launch_now(loc, device, teams, threads, region, args);
    KdslEvent e = {.kind = TRACED_LAUNCH, .device = rc ? -1 : number, .is_in_place = is_in_place && !rc,
                   .place = kdsl_ident_place(loc), .items = (int64_t)kept.items, .ns = kdsl_trace_now() - start};
    if (types) unmap_all(loc, number, &kept, is_new, !rc);
    add_traffic(&e, &kept, kept.types);
    memcpy(e.flops, own.flops, sizeof e.flops);
    if (is_same(own.place, e.place)) e.in = own.in, e.out = own.out;
    own.place = NULL;
    own.in = own.out = 0;
    add_on_device(e, start);
    free(types);
    free(is_new);
    return rc;
}

/* Begin and end ---------------------------------------------------------------------------------------------------- */

void kdsl_trace_end(void) {
    if (!kdsl_trace_is_on) return;
    pthread_mutex_lock(&lock);
    kdsl_trace_is_on = false;
    trace.end = kdsl_trace_now();
    if (path) kdsl_trace_write(&trace, path);
    if (profile_file >= 0) kdsl_profile_write(&trace, profile_file);
    pthread_mutex_unlock(&lock);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* The events so far are those of the parent. */
static void begin_child(void) {
    trace.first = trace.last = NULL;
    trace.n = trace.n_dropped = 0;
    trace.is_forked = true;
    trace.begin = kdsl_trace_now();
    own.thread = 0;
    pthread_mutex_unlock(&lock);
}

static int64_t most_events(void) {
    enum { USUAL = 200000 };
    const char *wanted = getenv("KDSL_TRACE_EVENTS");
    int64_t n = 0;
    if (!wanted || !*wanted) return USUAL;
    if (kdsl_read_int(wanted, 64, 1, &n) == KDSL_NUMBER && n > 0) return n;
    kdsl_trace_complain("KDSL_TRACE_EVENTS must be a number from 1, not `%s`", wanted);
    return USUAL;
}

static void begin(void) {
    const char *file = getenv("KDSL_TRACE"), *profile = getenv("KDSL_PROFILE");
    if (file && *file) path = strdup(file); /* the program may change its environment */
    if (profile && *profile) profile_file = atoi(profile);
    unsetenv("KDSL_PROFILE"); /* what the program starts must not write there */
    if (!path && profile_file < 0) return;
    trace.most = most_events();
    trace.begin = kdsl_trace_now();
    kdsl_trace_is_on = true;
    kdsl_is_observed = true;
    pthread_atfork(before_fork, after_fork, begin_child);
    atexit(kdsl_trace_end);
}

void kdsl_trace_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!KDSL_IS_LIVE) pthread_once(&once, begin);
}
