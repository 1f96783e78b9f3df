/* report.c -- profiling, KDSL_REPORT=1 in the environment: at its end the program prints on stderr how often and how
 * long each launch ran, on which device, and how many bytes were copied for it and for each array. Copies for host
 * code are listed after the launches. A launch that ran on two devices, or on none, has a row for each; so has an
 * array. `planned` is what the program requested by its transfer plan; `moved` is what the OpenMP runtime reports
 * through its tools interface, which only programs may use, not libraries. Without KDSL_REPORT no tool is registered,
 * and a launch costs one more branch.
 *
 * Source of the interface: openmp/runtime/src/include/omp-tools.h.var of LLVM 22.1.8 (OMPT, OpenMP 5.2 section 19). */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "runtime/live.h"
#include "runtime/target.h"

/* omp-tools.h ------------------------------------------------------------------------------------------------------ */
typedef void (*Function)(void);
typedef struct Tool {
    int (*initialize)(Function (*lookup)(const char *name), int device, void *data);
    void (*finalize)(void *data);
    void *data;
} Tool;
enum { SCOPE_END = 2, DATA_OP = 34, TO_DEVICE = 2, FROM_DEVICE = 3, TO_DEVICE_ASYNC = 18, FROM_DEVICE_ASYNC = 19 };

/* What is counted -------------------------------------------------------------------------------------------------- */
typedef struct Count {
    int64_t n, bytes;
} Count;
enum { PLANNED, MOVED };
enum { ON_HOST = -1 }; /* no device took the launch */
typedef struct Row {
    const char *name;  /* ";x[0:n];file;line;column;;" or ";file;function;line;column;;" */
    int64_t device;
    const char *device_name;
    Count in[2], out[2];
    int64_t launches;
    double seconds;
} Row;

bool kdsl_report_is_on = KDSL_IS_LIVE;
static bool is_measured; /* the tools interface reports what moves */
static Row *arrays, *launches;
static int n_arrays, n_launches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rows: launches may be in several threads */
static _Thread_local const KernelArgs *now; /* the launch at hand */
static _Thread_local const char *place;     /* and where it is, as a row's name */
static _Thread_local const char *moving;    /* what resident.c moves */
static const char host_code[] = ";;host code;;;";
static _Thread_local const KdslSection *served; /* the launch for which another device copies something back */

/* The name of a device is read early: when the report is printed, libomptarget has been shut down. */
static Row *row(Row **rows, int *n, const char *name, int64_t device) {
    for (int i = 0; i < *n; i++)
        if ((*rows)[i].device == device && !strcmp((*rows)[i].name, name)) return &(*rows)[i];
    Row *more = realloc(*rows, sizeof **rows * (size_t)(*n + 1));
    if (!more) abort();
    *rows = more;
    more[*n] = (Row){.name = name, .device = device};
    if (device != ON_HOST) more[*n].device_name = kdsl_device_name(NULL, device);
    return &more[(*n)++];
}

static void add(Count *c, int64_t n_bytes) {
    c->n++;
    c->bytes += n_bytes;
}

/* For the array and for the launch at hand. */
static void count(const char *name, int64_t device, int which, bool in, int64_t n_bytes) {
    if (KDSL_IS_LIVE) {
        bool is_in_place = kdsl_is_in_place(device); /* then nothing is copied: the planned bytes count */
        if (which == (is_in_place ? PLANNED : MOVED)) kdsl_live_moved(in, now != NULL, is_in_place, n_bytes);
        return;
    }
    pthread_mutex_lock(&lock);
    Row *r[2] = {row(&arrays, &n_arrays, name, device), row(&launches, &n_launches, place ? place : host_code, device)};
    for (int i = 0; i < 2; i++) add(in ? &r[i]->in[which] : &r[i]->out[which], n_bytes);
    pthread_mutex_unlock(&lock);
}

static const char *name_at(const void *host) {
    if (moving) return moving;
    for (uint32_t i = 0; now && i < now->n_args; i++)
        if (now->begins[i] == host && !(now->types[i] & MAP_LITERAL)) return now->names[i];
    return ";unnamed;;;;";
}

static void on_data_op(int endpoint, void *task, void *target, uint64_t *id, int op, void *from, int from_device,
                       void *to, int to_device, size_t n_bytes, const void *return_address) {
    (void)task, (void)target, (void)id, (void)return_address;
    bool in = op == TO_DEVICE || op == TO_DEVICE_ASYNC, out = op == FROM_DEVICE || op == FROM_DEVICE_ASYNC;
    if (endpoint == SCOPE_END && (in || out)) 
        count(name_at(in ? from : to), in ? to_device : from_device, MOVED, in, (int64_t)n_bytes);
}

void kdsl_report_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move) {
    if (!kdsl_report_is_on) return;
    moving = what ? what->name : NULL;
    const KdslSection *launch = move != MOVES_OUT ? what : served;
    place = !what ? NULL : launch ? kdsl_ident_place(launch->ident) : host_code;
    if (what && (move == MOVES_IN || move == MOVES_OUT)) count(what->name, device, PLANNED, move == MOVES_IN, n_bytes);
}

void kdsl_report_serve(const KdslSection *launch) { served = launch; }
const KdslSection *kdsl_report_served(void) { return served; }

/* After the launch: what is still mapped was so before, and is not copied. */
static bool is_mapped(void *at, int64_t device) {
    return kdsl_is_resident(device, at) || (!kdsl_is_in_place(device) && kdsl_target()->mapped(at, (int)device));
}

/* filled: bits, by argument. */
static void plan_launch(const KernelArgs *a, uint32_t filled, int64_t device) {
    for (uint32_t i = 0; i < a->n_args; i++) {
        if (a->types[i] & MAP_LITERAL || !a->sizes[i]) continue;
        if (!(a->types[i] & MAP_ALWAYS) && is_mapped(a->begins[i], device)) continue;
        bool is_copied = a->types[i] & MAP_TO && !(i < MOST_FILLED && filled >> i & 1);
        if (is_copied) count(a->names[i], device, PLANNED, true, a->sizes[i]);
        if (a->types[i] & MAP_FROM) count(a->names[i], device, PLANNED, false, a->sizes[i]);
    }
}

/* The report ------------------------------------------------------------------------------------------------------- */

static void say_count(FILE *to, const Count *c) {
    char planned[64], moved[64];
    snprintf(planned, sizeof planned, "%lld x, %lld B", (long long)c[PLANNED].n, (long long)c[PLANNED].bytes);
    snprintf(moved, sizeof moved, is_measured ? "%lld x, %lld B" : "-", (long long)c[MOVED].n,
             (long long)c[MOVED].bytes);
    fprintf(to, "  %-20s %-20s", planned, moved);
}

/* What moved, and where to. */
static void say_moves(FILE *to, const Row *r) {
    say_count(to, r->in);
    say_count(to, r->out);
    if (r->device == ON_HOST) fprintf(to, "  the host: no device ran it\n");
    else
        fprintf(to, "  %lld: %s%s\n", (long long)r->device, r->device_name,
                kdsl_is_in_place(r->device) ? ", in place" : "");
}

static const char directions[] =
    "  to device: planned   moved                 from device: planned moved                 device\n";

static void say_array(FILE *to, const Row *r) {
    const char *name, *file, *line;
    char what[256];
    int n = kdsl_field(r->name, 0, &name), n_file = kdsl_field(r->name, 1, &file),
        n_line = kdsl_field(r->name, 2, &line);
    snprintf(what, sizeof what, n_file ? "%.*s (%.*s:%.*s)" : "%.*s", n, name, n_file, file, n_line, line);
    fprintf(to, "%-32s", what);
    say_moves(to, r);
}

static void say_launch(FILE *to, const Row *r) {
    const char *file, *kernel, *line;
    char what[256];
    int n_file = kdsl_field(r->name, 0, &file), n = kdsl_field(r->name, 1, &kernel),
        n_line = kdsl_field(r->name, 2, &line);
    snprintf(what, sizeof what, n_file ? "%.*s (%.*s:%.*s)" : "%.*s", n, kernel, n_file, file, n_line, line);
    fprintf(to, "%-32s", what);
    if (r->launches) fprintf(to, "  %-8lld %-14.3f", (long long)r->launches, 1e3 * r->seconds);
    else fprintf(to, "  %-8s %-14s", "", "");
    say_moves(to, r);
}

static void say_all(FILE *to) {
    fprintf(to, "%-32s  %-8s %-14s%s", "launch", "times", "milliseconds", directions);
    for (int i = 0; i < n_launches; i++)
        if (launches[i].name != host_code) say_launch(to, &launches[i]);
    for (int i = 0; i < n_launches; i++)
        if (launches[i].name == host_code) say_launch(to, &launches[i]);
    fprintf(to, "%-32s%s", "array", directions);
    for (int i = 0; i < n_arrays; i++) say_array(to, &arrays[i]);
}

/* In one piece, since the processes of an MPI job write to one standard error. Each line tells its process. */
static void report(void) {
    char *text = NULL;
    size_t n = 0;
    fflush(stdout);
    FILE *plain = open_memstream(&text, &n);
    if (!plain) return;
    say_all(plain);
    if (fclose(plain)) return;
    char *marked = NULL;
    FILE *to = open_memstream(&marked, &n);
    for (const char *at = text; to && *at; at = strchr(at, '\n') + 1)
        fprintf(to, "%s%.*s\n", kdsl_job_mark, (int)strcspn(at, "\n"), at);
    if (to && !fclose(to)) fwrite(marked, 1, n, stderr);
    free(marked);
    free(text);
}

static int initialize(Function (*lookup)(const char *), int device, void *data) {
    (void)device, (void)data;
    int (*set)(int event, Function callback) = (int (*)(int, Function))lookup("ompt_set_callback");
    if (set) set(DATA_OP, (Function)on_data_op);
    is_measured = set != NULL;
    return 1;
}

static void finalize(void *data) { (void)data; }

static void begin(void) {
    const char *wanted = getenv("KDSL_REPORT");
    kdsl_report_is_on = wanted && *wanted && strcmp(wanted, "0");
    if (!kdsl_report_is_on) return;
    kdsl_is_observed = true;
    atexit(report);
}

void kdsl_report_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!KDSL_IS_LIVE) pthread_once(&once, begin);
}

void *kdsl_report_tool(void) {
    static Tool tool = {initialize, finalize, NULL};
    kdsl_report_begin();
    return kdsl_report_is_on ? &tool : NULL;
}

static void note_launch(int64_t where, double seconds) {
    pthread_mutex_lock(&lock);
    Row *r = row(&launches, &n_launches, place, where);
    r->seconds += seconds;
    r->launches++;
    pthread_mutex_unlock(&lock);
}

/* In place nothing is filled, and the report tells of what another device would fill. */
static uint32_t would_fill(const KernelArgs *a, void *loc, int64_t device) {
    uint32_t filled = 0;
    if (device >= kdsl_target()->n_devices() || !kdsl_is_in_place(device)) return 0;
    for (uint32_t i = 0; i < a->n_args && i < MOST_FILLED; i++)
        if (!kdsl_is_resident(device, a->begins[i]) && kdsl_launch_fills(a, i, loc, device)) filled |= 1u << i;
    return filled;
}

/* A launch that is counted: runtime/launch.c has decided so. */
int32_t kdsl_report_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    KernelArgs kept = *(const KernelArgs *)args; /* the runtime changes it */
    now = &kept;
    place = kdsl_ident_place(loc);
    uint32_t would = would_fill(&kept, loc, device < 0 ? kdsl_default_device() : device), filled;
    kdsl_launch_fills_took(&filled); /* up to now */
    double start = kdsl_clock();
    int32_t rc = kdsl_trace_is_on ? kdsl_trace_launch(loc, device, teams, threads, region, args)
                                  : kdsl_launch_now(loc, device, teams, threads, region, args);
    double seconds = kdsl_clock() - start;
    seconds -= kdsl_launch_fills_took(&filled);
    int64_t where = rc ? ON_HOST : device < 0 ? kdsl_default_device() : device;
    if (!rc) plan_launch(&kept, filled | would, where);
    if (KDSL_IS_LIVE) kdsl_live_launched(place, rc ? KDSL_HOST : device, &kept, seconds);
    else note_launch(where, seconds);
    now = NULL;
    place = NULL;
    return rc;
}
