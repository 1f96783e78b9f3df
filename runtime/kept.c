/* kept.c -- arrays of the host program that stay on the device from call to call of exported functions: kdsl_keep and
 * what belongs to it, as C programs call them; and arguments that are addresses on the device already.
 *
 * A kept array is mapped like one of OpenMP's `target enter data`, in the table of libomptarget, which all libraries of
 * the process share. While it is mapped the device's copy is the newest: an exported function finds it there
 * (resident.c, lent sections), and so do other KDSL libraries and the OpenMP code of the host program. Where the device
 * works in the memory of the host there is nothing to keep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/internal.h"
#include "runtime/section.h"
#include "runtime/target.h"

/* For libomptarget's messages and KDSL_REPORT: the ident_t and the name of what is mapped. */
static const struct {
    int32_t reserved[4];
    const char *source;
} ident = {{0, 2, 0, 0}, ";;the host program;0;0;;"};
static const KdslSection what_is_kept = {&ident, ";array of the host program;;0;0;;"};

/* The arrays ------------------------------------------------------------------------------------------------------- */

typedef struct Kept {
    char *begin, *end;
    int64_t device;
    int64_t n; /* kdsl_keep without kdsl_release */
} Kept;

/* Seen by all libraries of ours that are linked into one program, like kdsl_error_report. */
typedef struct KdslKept {
    pthread_mutex_t lock;
    Kept *at;
    int64_t n, capacity;
} KdslKept;
__attribute__((weak, visibility("default"))) KdslKept kdsl_kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Kept *find_kept(const char *at) {
    for (int64_t i = 0; i < kdsl_kept.n; i++)
        if (kdsl_kept.at[i].begin <= at && at < kdsl_kept.at[i].end) return &kdsl_kept.at[i];
    return NULL;
}

static Kept *need_kept(const char *function, const void *at) {
    Kept *k = find_kept(at);
    if (k) return k;
    pthread_mutex_unlock(&kdsl_kept.lock);
    kdsl_fail(NULL, "%s: no array is kept at %p", function, at);
}

/* Neither kept nor overlapping: NULL. */
static Kept *same_or_none(char *begin, char *end) {
    for (int64_t i = 0; i < kdsl_kept.n; i++) {
        Kept *k = &kdsl_kept.at[i];
        if (k->end <= begin || end <= k->begin) continue;
        if (k->begin == begin && k->end == end) return k;
        pthread_mutex_unlock(&kdsl_kept.lock);
        kdsl_fail(NULL, "kdsl_keep: the %lld bytes at %p overlap another array, of %lld bytes, that is kept at %p",
                  (long long)(end - begin), (void *)begin, (long long)(k->end - k->begin), (void *)k->begin);
    }
    return NULL;
}

static Kept *new_kept(char *begin, char *end) {
    if (kdsl_kept.n == kdsl_kept.capacity) {
        int64_t more = kdsl_kept.capacity ? 2 * kdsl_kept.capacity : 16;
        Kept *larger = realloc(kdsl_kept.at, sizeof *larger * (size_t)more);
        if (!larger) {
            pthread_mutex_unlock(&kdsl_kept.lock);
            kdsl_fail(NULL, "kdsl_keep: out of memory");
        }
        kdsl_kept.at = larger;
        kdsl_kept.capacity = more;
    }
    kdsl_kept.at[kdsl_kept.n] = (Kept){.begin = begin, .end = end, .device = kdsl_default_device()};
    return &kdsl_kept.at[kdsl_kept.n++];
}

/* What moves ------------------------------------------------------------------------------------------------------- */

/* One of libomptarget's functions, for all of the array. */
static void call(Mapper *does, const Kept *k, int64_t type) {
    void *base = k->begin, *at = k->begin;
    int64_t n_bytes = k->end - k->begin;
    KdslMove move = type & MAP_TO ? MOVES_IN : type & MAP_FROM ? MOVES_OUT : MOVES_NOTHING;
    kdsl_moving(&what_is_kept, k->device, n_bytes, move);
    does((void *)&ident, k->device, 1, &base, &at, &n_bytes, &type, (void **)&what_is_kept.name, NULL);
    kdsl_moving(NULL, 0, 0, MOVES_NOTHING);
}

/* Does the default device have memory of its own? Launches run on the host where there is none. */
static bool is_separate(void) {
    int64_t device = kdsl_default_device();
    return device < kdsl_target()->n_devices() && !kdsl_is_in_place(device);
}

typedef struct Request {
    const char *function;
    char *at;
    int64_t n_bytes;
    void *answer;
} Request;

static void keep(void *frame) {
    const Request *r = frame;
    if (r->n_bytes < 0) kdsl_fail(NULL, "kdsl_keep: %lld bytes", (long long)r->n_bytes);
    if (!r->at && r->n_bytes) kdsl_fail(NULL, "kdsl_keep: the address is NULL");
    if (!r->n_bytes || !is_separate()) return;
    pthread_mutex_lock(&kdsl_kept.lock);
    Kept *k = same_or_none(r->at, r->at + r->n_bytes);
    if (!k) k = new_kept(r->at, r->at + r->n_bytes);
    k->n++;
    call(kdsl_target()->begin_mapping, k, MAP_TO);
    pthread_mutex_unlock(&kdsl_kept.lock);
}

static void update(const Request *r, int64_t direction) {
    if (!is_separate()) return;
    pthread_mutex_lock(&kdsl_kept.lock);
    call(kdsl_target()->update, need_kept(r->function, r->at), direction);
    pthread_mutex_unlock(&kdsl_kept.lock);
}

static void come_home(void *frame) { update(frame, MAP_FROM); }
static void go_there(void *frame) { update(frame, MAP_TO); }

static void release(void *frame) {
    const Request *r = frame;
    if (!is_separate()) return;
    pthread_mutex_lock(&kdsl_kept.lock);
    Kept *k = need_kept(r->function, r->at);
    call(kdsl_target()->end_mapping, k, MAP_FROM);
    if (!--k->n) *k = kdsl_kept.at[--kdsl_kept.n];
    pthread_mutex_unlock(&kdsl_kept.lock);
}

static void find_address(void *frame) {
    Request *r = frame;
    r->answer = r->at;
    if (!is_separate()) return;
    r->answer = kdsl_target()->mapped(r->at, (int)kdsl_default_device());
    if (!r->answer) kdsl_fail(NULL, "%s: no array is kept at %p", r->function, (void *)r->at);
}

static int32_t ask(void (*run)(void *frame), Request r) { return kdsl_border(run, &r); }

int32_t kdsl_keep(void *at, int64_t n_bytes) { return ask(keep, (Request){"kdsl_keep", at, n_bytes, NULL}); }
int32_t kdsl_host(void *at) { return ask(come_home, (Request){"kdsl_host", at, 0, NULL}); }
int32_t kdsl_changed(void *at) { return ask(go_there, (Request){"kdsl_changed", at, 0, NULL}); }
int32_t kdsl_release(void *at) { return ask(release, (Request){"kdsl_release", at, 0, NULL}); }

void *kdsl_device_pointer(void *at) {
    Request r = {"kdsl_device_pointer", at, 0, NULL};
    return kdsl_border(find_address, &r) ? NULL : r.answer;
}

/* Addresses on the device ------------------------------------------------------------------------------------------ */

/* An argument that is an address on the device (of cudaMalloc, or from a DLPack tensor) gets a range of host addresses
 * for the time of the call, which libomptarget associates with it: then it is an array that is mapped already. Its
 * pages are not touched unless host code needs elements. */
typedef struct Window {
    char *begin;
    int64_t n_bytes, device;
} Window;
static Window *windows;
static int64_t n_windows, windows_capacity;
static pthread_mutex_t windows_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_window(Window w) {
    pthread_mutex_lock(&windows_lock);
    if (n_windows == windows_capacity) {
        int64_t more = windows_capacity ? 2 * windows_capacity : 16;
        Window *larger = realloc(windows, sizeof *larger * (size_t)more);
        if (!larger) {
            pthread_mutex_unlock(&windows_lock);
            kdsl_fail(NULL, "out of memory for an argument on the device");
        }
        windows = larger;
        windows_capacity = more;
    }
    windows[n_windows++] = w;
    pthread_mutex_unlock(&windows_lock);
}

static void *window_of(void *there, int64_t n_bytes, int64_t device) {
    enum { WITHOUT_SWAP = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
    void *at = mmap(NULL, (size_t)n_bytes, PROT_READ | PROT_WRITE, WITHOUT_SWAP, -1, 0);
    if (at == MAP_FAILED) kdsl_fail(NULL, "out of memory for an argument on the device");
    if (kdsl_target()->associate(at, there, (size_t)n_bytes, 0, (int)device)) {
        munmap(at, (size_t)n_bytes);
        kdsl_fail(NULL, "libomptarget does not accept the address %p, which is on device %lld", there,
                  (long long)device);
    }
    add_window((Window){at, n_bytes, device});
    return at;
}

static bool take_window(const char *at, Window *w) {
    bool found = false;
    pthread_mutex_lock(&windows_lock);
    for (int64_t i = 0; i < n_windows && !found; i++)
        if (windows[i].begin == at) *w = windows[i], windows[i] = windows[--n_windows], found = true;
    pthread_mutex_unlock(&windows_lock);
    return found;
}

void *kdsl_caller_gives(const KdslSection *what, void *at, int64_t n_bytes) {
    int64_t device = kdsl_default_device();
    if (n_bytes > 0 && kdsl_nvidia_has(device, at)) at = window_of(at, n_bytes, device);
    kdsl_resident_begin(what, at, n_bytes);
    return at;
}

void kdsl_caller_takes(void *at, int64_t n_bytes) {
    Window w;
    kdsl_resident_end(at, n_bytes);
    if (!__atomic_load_n(&n_windows, __ATOMIC_RELAXED) || !take_window(at, &w)) return;
    kdsl_target()->dissociate(w.begin, (int)w.device);
    munmap(w.begin, (size_t)w.n_bytes);
}
