/* launch.c -- interception of launches on their way to libomptarget: to hide devices that the user has excluded
 * (device.c), to count launches (report.c) and record them (trace.c), to name the launch in the last message if the
 * driver aborts the process, and to leave libomptarget out where it would only call the program's own code. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/internal.h"
#include "runtime/section.h"
#include "runtime/target.h"

/* ident_t.psource: ";file;function;line;column;;" */
const char *kdsl_ident_place(const void *ident) { return *(const char *const *)((const char *)ident + 16); }

enum { FILE_NAME, KERNEL, LINE, COLUMN };

int kdsl_field(const char *text, int k, const char **at) {
    *at = text + (*text == ';');
    for (; k > 0 && **at; k--) {
        *at += strcspn(*at, ";");
        *at += **at == ';';
    }
    return (int)strcspn(*at, ";");
}

/* Where the driver gives up ---------------------------------------------------------------------------------------- */

/* The requests of each thread to libomptarget. The driver may detect an error in a thread of its own: then all
 * requests in progress are named. */
typedef struct UnderWay {
    const void *ident;       /* of the launch; NULL: nothing is */
    const KdslSection *what; /* is mapped or copied for it; NULL: the launch itself */
    int64_t device, n_bytes;
    KdslMove move;
} UnderWay;

enum { MOST_THREADS = 64 }; /* further ones share the last place */
static UnderWay under_way[MOST_THREADS];
static int n_threads;
static _Thread_local UnderWay *mine;

static UnderWay *own(void) {
    if (mine) return mine;
    int i = __atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED);
    return mine = &under_way[i < MOST_THREADS ? i : MOST_THREADS - 1];
}

/* Only what a signal handler may do, from here on. */
static void tell(const char *at, int n) {
    if (write(STDERR_FILENO, at, (size_t)n) < 0) return; /* nobody to tell */
}

static void tell_text(const char *text) { tell(text, (int)strlen(text)); }

static void tell_field(const char *text, int k) {
    const char *at;
    int n = kdsl_field(text, k, &at);
    tell(at, n);
}

static void tell_number(int64_t v) {
    char digits[20];
    int n = 0;
    do digits[sizeof digits - ++n] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    tell(digits + sizeof digits - n, n);
}

static void tell_of(const UnderWay *u) {
    const char *source = kdsl_ident_place(u->ident);
    char size[FAILURE_SIZE_BYTES];
    tell_text("error: ");
    if (u->what) {
        tell_text("`");
        tell_field(u->what->name, 0);
        tell_text("`, ");
        tell_text(failure_size(size, u->n_bytes));
        tell_text(u->move == MOVES_OUT ? ", could not be copied from" : ", could not be copied to");
        tell_text(" device ");
        tell_number(u->device);
        tell_text(u->move == MOVES_OUT ? " after" : " for");
    }
    tell_text(u->what ? " the launch of `" : "the launch of `");
    tell_field(source, KERNEL);
    tell_text("`");
    if (!u->what) {
        tell_text(" failed on device ");
        tell_number(u->device);
    }
    tell_text("\n --> ");
    tell_field(source, FILE_NAME);
    tell_text(":");
    tell_field(source, LINE);
    tell_text(":");
    tell_field(source, COLUMN);
    tell_text("\n      = note: see the message above\n");
}

static struct sigaction before_us; /* the handler of LLVM or of the program, which is called after ours */

static void on_abort(int signal) {
    sigaction(signal, &before_us, NULL);
    raise(signal); /* waits until we are through */
    if (mine && mine->ident) tell_of(mine);
    for (int i = 0; !(mine && mine->ident) && i < MOST_THREADS; i++)
        if (under_way[i].ident) tell_of(&under_way[i]);
}

/* The library may be closed. A handler that was set later by other code stays. */
static void leave_signal(void) {
    struct sigaction now;
    if (!sigaction(SIGABRT, NULL, &now) && now.sa_handler == on_abort) sigaction(SIGABRT, &before_us, NULL);
}

static void begin(void) {
    struct sigaction ours = {.sa_handler = on_abort};
    sigaction(SIGABRT, &ours, &before_us);
    atexit(leave_signal);
}

/* At the first launch, or copy. */
static void begin_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}

void kdsl_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move) {
    begin_once();
    *own() = (UnderWay){what ? what->ident : NULL, what, device, n_bytes, move};
    kdsl_report_moving(what, device, n_bytes, move);
    if (kdsl_trace_is_on) kdsl_trace_moving(what, device, n_bytes, move);
}

/* Launches --------------------------------------------------------------------------------------------------------- */

/* The place of a launch as cg_place_string has it (excerpt.c): the hash and the length are in reserved_1 and reserved_2
 * of the ident_t (offload/launch.c). */
static const char *place_of_launch(const void *ident, char *text, size_t room) {
    const char *source = kdsl_ident_place(ident), *file, *line, *column;
    const uint32_t *reserved = ident;
    int n_file = kdsl_field(source, FILE_NAME, &file), n_line = kdsl_field(source, LINE, &line);
    int n_column = kdsl_field(source, COLUMN, &column);
    snprintf(text, room, "%.*s:%.*s:%.*s\n%u %08x", n_file, file, n_line, line, n_column, column, reserved[2],
             reserved[0]);
    return text;
}

static void require_gpu(const void *ident, int64_t device) {
    static _Thread_local char text[512];
    kdsl_device_require(place_of_launch(ident, text, sizeof text), device);
}

static void check_launch(const void *loc, int64_t device) {
    static int needs_gpu = -1; /* not asked yet */
    int needs = __atomic_load_n(&needs_gpu, __ATOMIC_RELAXED);
    begin_once();
    if (needs < 0) __atomic_store_n(&needs_gpu, needs = kdsl_device_is_required(), __ATOMIC_RELAXED);
    if (needs) require_gpu(loc, device);
}

/* On a device that works in place each argument is a literal: of an array, its address on the host. */
static int32_t launch_in_place(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, KernelArgs *a) {
    enum { FEW = 64 };
    static int64_t few[FEW] = {[0 ... FEW - 1] = MAP_PARAM | MAP_LITERAL};
    int64_t *many = a->n_args <= FEW ? NULL : malloc(a->n_args * sizeof *many);
    if (a->n_args > FEW && !many) kdsl_fail(NULL, "out of memory for a launch");
    for (uint32_t i = 0; many && i < a->n_args; i++) many[i] = *few;
    a->types = many ? many : few;
    int32_t rc = kdsl_target()->kernel(loc, device, teams, threads, region, a);
    free(many);
    return rc;
}

const char *kdsl_launch_arg_name(const KernelArgs *a, uint32_t i) { return a->names ? a->names[i] : ";unnamed;;0;0;;"; }

/* On a device with its own memory: an array of one value, which the launch maps for itself, is mapped before the launch
 * and filled there; what the launch would have done at its end is done afterwards. */
static _Thread_local struct {
    uint32_t filled;   /* bits: the arguments that the device has filled */
    double fills_took; /* seconds, if they are reported */
} own_fills;

double kdsl_launch_fills_took(uint32_t *filled) {
    double seconds = own_fills.fills_took;
    *filled = own_fills.filled;
    own_fills.filled = 0;
    own_fills.fills_took = 0;
    return seconds;
}

static double fills_since(double start) { return kdsl_report_is_on ? kdsl_clock() - start : 0; }

static double fills_start(void) { return kdsl_report_is_on ? kdsl_clock() : 0; }

/* Elements are compared last: an array that is on the device already is left alone, however large it is. */
bool kdsl_launch_fills(const KernelArgs *a, uint32_t i, void *loc, int64_t device) {
    char *at = a->begins[i];
    bool is_copied = a->types[i] & MAP_TO && !(a->types[i] & (MAP_LITERAL | MAP_ALWAYS));
    if (!is_copied || a->sizes[i] < LEAST_COST_BYTES || kdsl_copies_each) return false;
    if (device < 0 || device >= kdsl_target()->n_devices() || kdsl_target()->mapped(at, (int)device)) return false;
    const KdslSection what = {loc, kdsl_launch_arg_name(a, i)};
    double start = fills_start();
    bool is_uniform = kdsl_part_is_uniform((Part){at, at + a->sizes[i]}, &what);
    own_fills.fills_took += fills_since(start);
    return is_uniform;
}

static void map_one(Mapper *does, void *loc, int64_t device, const KernelArgs *a, uint32_t i, int64_t type) {
    void *base = a->begins[i], *at = a->begins[i];
    int64_t n_bytes = a->sizes[i];
    does(loc, device, 1, &base, &at, &n_bytes, &type, a->names ? (void **)&a->names[i] : NULL, NULL);
}

bool kdsl_launch_fill(const KernelArgs *a, uint32_t i, void *loc, int64_t device) {
    uint32_t value;
    double start = fills_start();
    memcpy(&value, a->begins[i], sizeof value);
    void *there = kdsl_target()->mapped(a->begins[i], (int)device);
    bool is_filled = there && kdsl_device_fill(device, there, value, a->sizes[i]);
    own_fills.fills_took += fills_since(start);
    own_fills.filled |= (uint32_t)is_filled << i;
    if (is_filled) return true;
    map_one(kdsl_target()->update, loc, device, a, i, MAP_TO);
    return false;
}

static int32_t launch_apart(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, KernelArgs *args) {
    enum { MOST = MOST_FILLED };
    KernelArgs a = *args; /* the runtime changes it */
    bool is_filled[MOST] = {false};
    uint32_t n = a.n_args < MOST ? a.n_args : MOST;
    for (uint32_t i = 0; i < n; i++) {
        is_filled[i] = kdsl_launch_fills(&a, i, loc, device);
        if (!is_filled[i]) continue;
        map_one(kdsl_target()->begin_mapping, loc, device, &a, i, 0);
        kdsl_launch_fill(&a, i, loc, device);
    }
    int32_t rc = kdsl_target()->kernel(loc, device, teams, threads, region, args);
    for (uint32_t i = n; i-- > 0;)
        if (is_filled[i]) map_one(kdsl_target()->end_mapping, loc, device, &a, i, rc ? 0 : a.types[i] & MAP_FROM);
    return rc;
}

int32_t kdsl_launch_now(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    int64_t number = device < 0 ? kdsl_default_device() : device;
    return kdsl_is_in_place(number) ? launch_in_place(loc, number, teams, threads, region, args)
                                    : launch_apart(loc, number, teams, threads, region, args);
}

bool kdsl_is_observed = KDSL_IS_LIVE;

static int32_t observed(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    return kdsl_report_is_on ? kdsl_report_launch(loc, device, teams, threads, region, args)
                             : kdsl_trace_launch(loc, device, teams, threads, region, args);
}

/* Through libomptarget, and counted if somebody counts. */
static int32_t launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    kdsl_team_close();
    int64_t number = device < 0 ? kdsl_default_device() : device;
    kdsl_nvidia_enter(number);
    UnderWay *u = own();
    *u = (UnderWay){.ident = loc, .device = number};
    bool waits = KDSL_IS_LIVE && kdsl_device_is_gpu((int)number); /* kernels on CPUs end when they are interrupted */
    if (waits) __atomic_add_fetch(&kdsl_n_launching, 1, __ATOMIC_RELAXED);
    int32_t rc = kdsl_is_observed ? observed(loc, device, teams, threads, region, args)
                                  : kdsl_launch_now(loc, device, teams, threads, region, args);
    if (waits) __atomic_sub_fetch(&kdsl_n_launching, 1, __ATOMIC_RELAXED);
    u->ident = NULL;
    return rc;
}

/* Direct launches -------------------------------------------------------------------------------------------------- */

/* libomptarget takes 0.9 us for a launch on the CPU, to call a function of the image whose copy in the program is the
 * host version (docs/decisions/x86-is-a-device.md). So only the first launch of a kernel on a CPU device goes through
 * libomptarget, which loads the image and may fail; later ones tell the program to call the host version, unless
 * somebody observes launches. */
enum { CALL_HOST_VERSION = -1 };

/* The kernels that have run: a region and the number of its device in one word. Of two that share a row, each is a
 * first one again after the other. */
enum { ROWS = 256, MOST_DEVICES = 64, DEVICE_SHIFT = 57 /* above all addresses */, SPREAD = 67 };
static uintptr_t launched[ROWS];

static uintptr_t key_of(const void *region, int64_t device) {
    return (uintptr_t)region | (uintptr_t)device << DEVICE_SHIFT;
}

static uintptr_t *row_of(const void *region, int64_t device) {
    return &launched[((uintptr_t)region + SPREAD * (uintptr_t)device) % ROWS];
}

static bool has_run(const void *region, int64_t device) {
    return device < MOST_DEVICES &&
           __atomic_load_n(row_of(region, device), __ATOMIC_RELAXED) == key_of(region, device);
}

static void note_run(const void *region, int64_t device) {
    bool is_cpu = device < MOST_DEVICES && kdsl_is_in_place(device) && kdsl_device_is_cpu((int)device);
    if (is_cpu) __atomic_store_n(row_of(region, device), key_of(region, device), __ATOMIC_RELAXED);
}

static bool is_wanted(void) {
    const char *direct = getenv("KDSL_DIRECT");
    return !(direct && !strcmp(direct, "off")) && !getenv("LIBOMPTARGET_INFO") && !getenv("LIBOMPTARGET_PROFILE") &&
           kdsl_threads_are_plain();
}

/* Asked when a kernel has run: libomptarget and libomp have begun by then. */
static bool may_be_direct(void) {
    static int may = -1; /* not asked yet */
    if (KDSL_IS_LIVE || kdsl_is_observed) return false;
    int known = __atomic_load_n(&may, __ATOMIC_RELAXED);
    if (known < 0) __atomic_store_n(&may, known = is_wanted(), __ATOMIC_RELAXED);
    return known;
}

int32_t kdsl_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    check_launch(loc, device);
    int64_t number = device < 0 ? kdsl_default_device() : device;
    if (has_run(region, number) && may_be_direct()) {
        kdsl_team_launches();
        return CALL_HOST_VERSION;
    }
    int32_t rc = launch(loc, device, teams, threads, region, args);
    if (!rc) note_run(region, number);
    return rc;
}

/* A launch of a kernel that has data of its own on the device (irgen/gpu/reduce.c). */
int32_t kdsl_launch_alone(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    check_launch(loc, device); /* may leave, which it must not do with the lock */
    pthread_mutex_lock(&one_at_a_time);
    int32_t rc = launch(loc, device, teams, threads, region, args);
    pthread_mutex_unlock(&one_at_a_time);
    return rc;
}
