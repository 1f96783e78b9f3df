/* trace_file.c -- the file of KDSL_TRACE: JSON in the Trace Event Format, which Perfetto and Chrome show (docs/
 * profiling.md has the format). The file appears completely or not at all. Of several libraries in one process, each
 * adds its events to what the others have written. No number is printed by floating point: the program may have set
 * a locale with another decimal separator. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/output.h"
#include "runtime/trace.h"

void kdsl_trace_complain(const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fprintf(stderr, "%swarning: %s\n", kdsl_job_mark, text);
}

/* Text ------------------------------------------------------------------------------------------------------------- */

/* The length of the well-formed UTF-8 sequence there, or 0. */
static int sequence(const unsigned char *s, int n) {
    int length = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : 0;
    if (!length || length > n) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    bool is_overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool is_surrogate = s[0] == 0xED && s[1] >= 0xA0, is_beyond = s[0] == 0xF4 && s[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

/* Inside quotation marks. What is not UTF-8 becomes U+FFFD. */
static void put_escaped(FILE *f, const char *text, int n) {
    for (int i = 0; i < n;) {
        const unsigned char *s = (const unsigned char *)text + i;
        int length = sequence(s, n - i);
        if (!length) fputs("\\ufffd", f);
        else if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f) fprintf(f, "\\u%04x", *s);
        else fwrite(s, 1, (size_t)length, f);
        i += length ? length : 1;
    }
}

void kdsl_trace_put_text(FILE *f, const char *text) { put_escaped(f, text, (int)strlen(text)); }

void kdsl_trace_put_field(FILE *f, const char *text, int k) {
    const char *at;
    int n = kdsl_field(text, k, &at);
    put_escaped(f, at, n);
}

static void put_key(FILE *f, const char *key, int64_t value) { fprintf(f, ",\"%s\":%lld", key, (long long)value); }

/* Thousandths of it, as a number with three decimals. */
static void put_thousandths(FILE *f, const char *key, int64_t value) {
    fprintf(f, ",\"%s\":%lld.%03lld", key, (long long)(value / 1000), (long long)(value % 1000));
}

/* Tracks ----------------------------------------------------------------------------------------------------------- */

/* A thread has a track for host code, and one for each device that it uses: so events of a track never overlap, except
 * that one contains the other. The numbers differ between libraries of one process where the tracks do. */
enum { TRACKS_OF_A_DEVICE = 10000000 /* above Linux's greatest number of a thread, 2^22 */ };

typedef struct Track {
    int64_t device; /* -1: host code */
    int32_t thread;
    bool is_worker;
} Track;

static int64_t number_of(int64_t device, int32_t thread) { return (device + 1) * TRACKS_OF_A_DEVICE + thread; }

static void put_begin(FILE *f, const char *phase, int64_t track) {
    fprintf(f, "{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld", phase, (long long)getpid(), (long long)track);
}

static void put_track_name(FILE *f, const KdslTrace *t, Track k) {
    const char *name = k.device >= 0 && k.device < t->n_devices ? t->device_names[k.device] : NULL;
    put_begin(f, "M", number_of(k.device, k.thread));
    fputs(",\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"", f);
    if (k.device < 0) fputs("host", f);
    else fprintf(f, "device %lld", (long long)k.device);
    if (name) fputs(": ", f), put_escaped(f, name, (int)strlen(name));
    if (k.is_worker) fputs(", async", f);
    else if (k.thread != getpid()) fprintf(f, ", thread %d", k.thread);
    fputs("\"}},\n", f);
    put_begin(f, "M", number_of(k.device, k.thread));
    fprintf(f, ",\"ts\":0,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%lld}},\n", (long long)k.device + 1);
}

/* Few: all that occur in the events, each once. */
static void put_track_names(FILE *f, const KdslTrace *t) {
    Track *known = NULL, host = {-1, getpid(), false};
    int64_t n_known = 0;
    put_track_name(f, t, host);
    for (const KdslChunk *c = t->first; c; c = c->next)
        for (int i = 0; i < c->n; i++) {
            Track k = {c->at[i].device, c->at[i].thread, c->at[i].is_worker};
            bool found = k.device == host.device && k.thread == host.thread;
            for (int64_t j = n_known; j-- > 0 && !found;)
                found = known[j].device == k.device && known[j].thread == k.thread;
            Track *more = found ? NULL : realloc(known, sizeof *known * (size_t)(n_known + 1));
            if (!more) continue;
            known = more;
            known[n_known++] = k;
            put_track_name(f, t, k);
        }
    free(known);
}

/* Events ----------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *category, *prefix; /* before the name of the kernel or array */
} kinds[TRACED__COUNT] = {
    [TRACED_LAUNCH] = {"launch", ""},
    [TRACED_IN] = {"transfer", "to device: "},
    [TRACED_OUT] = {"transfer", "from device: "},
    [TRACED_FILL] = {"fill", "fill: "},
    [TRACED_COMPARE] = {"comparison", "compare: "},
    [TRACED_ROOM] = {"allocation", "allocate: "},
    [TRACED_WAIT] = {"wait", "wait for launches"},
};

enum { FILE_NAME, KERNEL, FUNCTION = KERNEL, SECTION = 0, ITS_FILE }; /* fields of a place; of the name of an array */
enum { LINE = 2, COLUMN };                         /* of both */

void kdsl_trace_put_place(FILE *f, const char *text, int file) {
    fputs("\"file\":\"", f);
    kdsl_trace_put_field(f, text, file);
    fputs("\"", f);
    const char *at;
    kdsl_field(text, LINE, &at);
    put_key(f, "line", atoi(at));
    kdsl_field(text, COLUMN, &at);
    put_key(f, "column", atoi(at));
}

/* Of the host, whose number is -1: "host", as its track is called. */
static const char *device_name(const KdslTrace *t, int64_t device) {
    if (device < 0) return "host";
    return device < t->n_devices ? t->device_names[device] : NULL;
}

static void put_device(FILE *f, const KdslTrace *t, const KdslEvent *e) {
    const char *name = device_name(t, e->device);
    put_key(f, "device", e->device);
    if (!name) return;
    fputs(",\"device_name\":\"", f);
    kdsl_trace_put_text(f, name);
    fputs("\"", f);
}

static void put_launch(FILE *f, const KdslTrace *t, const KdslEvent *e) {
    kdsl_trace_put_place(f, e->place, FILE_NAME);
    fputs(",\"kernel\":\"", f);
    kdsl_trace_put_field(f, e->place, KERNEL);
    fputs("\"", f);
    put_device(f, t, e);
    put_key(f, "items", e->items);
    fprintf(f, ",\"in_place\":%s,\"async\":%s", e->is_in_place ? "true" : "false", e->is_worker ? "true" : "false");
    put_key(f, "reads", e->reads);
    put_key(f, "writes", e->writes);
    put_key(f, "to_device", e->in);
    put_key(f, "from_device", e->out);
    if (e->flops[0] > 0) put_key(f, "flops_f32", e->flops[0]);
    if (e->flops[1] > 0) put_key(f, "flops_f64", e->flops[1]);
}

static void put_move(FILE *f, const KdslTrace *t, const KdslEvent *e) {
    if (e->place) kdsl_trace_put_place(f, e->place, FILE_NAME);
    else kdsl_trace_put_place(f, e->what, ITS_FILE);
    fputs(",\"array\":\"", f);
    kdsl_trace_put_field(f, e->what, SECTION);
    fputs("\",\"for\":\"", f);
    if (e->place) kdsl_trace_put_field(f, e->place, KERNEL);
    else fputs("host code", f);
    fputs("\"", f);
    if (e->kind == TRACED_IN || e->kind == TRACED_OUT)
        fprintf(f, ",\"direction\":\"%s\"", e->kind == TRACED_IN ? "to device" : "from device");
    put_device(f, t, e);
    put_key(f, "bytes", e->n_bytes);
    if (e->kind != TRACED_ROOM && e->ns > 0 && e->n_bytes < INT64_MAX / 1000)
        put_thousandths(f, "GB_per_s", e->n_bytes * 1000 / e->ns);
}

static void put_wait(FILE *f, const KdslEvent *e) {
    kdsl_trace_put_place(f, e->place, FILE_NAME);
    fputs(",\"function\":\"", f);
    kdsl_trace_put_field(f, e->place, FUNCTION);
    fputs("\"", f);
}

static void put_span(FILE *f, int64_t track, int64_t start, int64_t ns, const char *category) {
    put_begin(f, "X", track);
    put_thousandths(f, "ts", start);
    put_thousandths(f, "dur", ns);
    fprintf(f, ",\"cat\":\"%s\",\"name\":\"", category);
}

static void put_event(FILE *f, const KdslTrace *t, const KdslEvent *e) {
    put_span(f, number_of(e->device, e->thread), e->start, e->ns, kinds[e->kind].category);
    fputs(kinds[e->kind].prefix, f);
    if (e->kind == TRACED_LAUNCH) kdsl_trace_put_field(f, e->place, KERNEL);
    else if (e->kind != TRACED_WAIT) kdsl_trace_put_field(f, e->what, SECTION);
    fputs("\",\"args\":{", f);
    switch (e->kind) {
    case TRACED_LAUNCH: put_launch(f, t, e); break;
    case TRACED_IN: case TRACED_OUT: case TRACED_FILL: case TRACED_COMPARE: case TRACED_ROOM:
        put_move(f, t, e);
        break;
    case TRACED_WAIT: if (e->place) put_wait(f, e); break;
    case TRACED__COUNT: break;
    }
    fputs("}}", f);
}

/* The events of this program or library, one a line, without a comma after the last. */
static void put_all(FILE *f, const KdslTrace *t) {
    put_begin(f, "M", getpid());
    fputs(",\"ts\":0,\"name\":\"process_name\",\"args\":{\"name\":\"", f);
    put_escaped(f, program_invocation_short_name, (int)strlen(program_invocation_short_name));
    fprintf(f, *kdsl_job_text ? " (%s)\"}},\n" : "%s\"}},\n", kdsl_job_text);
    put_track_names(f, t);
    for (const KdslChunk *c = t->first; c; c = c->next)
        for (int i = 0; i < c->n; i++) {
            put_event(f, t, &c->at[i]);
            fputs(",\n", f);
        }
    if (t->n_dropped) {
        put_begin(f, "i", getpid());
        put_thousandths(f, "ts", t->end);
        fprintf(f, ",\"s\":\"p\",\"cat\":\"note\",\"name\":\"%lld events were dropped\"", (long long)t->n_dropped);
        fprintf(f, ",\"args\":{\"dropped\":%lld}},\n", (long long)t->n_dropped);
    }
    put_span(f, getpid(), t->begin, t->end - t->begin, "program");
    fprintf(f, "%s\",\"args\":{}}", kdsl_argc ? "program" : "library");
}

/* The file --------------------------------------------------------------------------------------------------------- */

/* Clock ticks between the start of the machine and that of the process: with its number, nobody else's. */
static unsigned long long start_time(void) {
    char text[1024] = "";
    unsigned long long ticks = 0;
    FILE *f = fopen("/proc/self/stat", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    const char *after = strrchr(text, ')'); /* the name of the program may be anything */
    for (int field = 2; after && field < 22; field++) after = strchr(after + 1, ' ');
    if (after) ticks = strtoull(after, NULL, 10);
    return ticks;
}

enum { MOST_HEAD = 160 };

static int make_head(char head[MOST_HEAD]) {
    static const char format[] = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"producer\":\"kdslc\","
                                 "\"process\":\"%lld-%llu\"},\"traceEvents\":[\n";
    return snprintf(head, MOST_HEAD, format, (long long)getpid(), start_time());
}

static const char tail[] = "\n]}\n";

/* What another library of this process has written there, up to its tail. False: nothing has, or it cannot be read. */
static bool copy_written(FILE *to, const char *path, const char *head, int n_head) {
    char text[1 << 14], end[sizeof tail] = "";
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool is_ours = fread(text, 1, (size_t)n_head, f) == (size_t)n_head && !memcmp(text, head, (size_t)n_head) &&
                   !fseek(f, 1 - (long)sizeof tail, SEEK_END);
    long left = is_ours ? ftell(f) - n_head : 0;
    is_ours = is_ours && fread(end, 1, sizeof tail - 1, f) == sizeof tail - 1 && !strcmp(end, tail) &&
              !fseek(f, n_head, SEEK_SET);
    while (is_ours && left > 0) {
        size_t n = fread(text, 1, left < (long)sizeof text ? (size_t)left : sizeof text, f);
        left = n ? left - (long)n : 0;
        fwrite(text, 1, n, to);
    }
    fclose(f);
    return is_ours;
}

/* Errors are found by the caller, when it closes the file. */
static void put_file(FILE *f, const KdslTrace *t, const char *path) {
    char head[MOST_HEAD];
    int n = make_head(head);
    fwrite(head, 1, (size_t)n, f);
    if (path && copy_written(f, path, head, n)) fputs(",\n", f);
    put_all(f, t);
    fputs(tail, f);
}

/* The rank that the launcher of an MPI job tells its processes, for those that are in one without the module `mpi`. */
static int rank_of_launcher(void) {
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (rank && size && atoi(size) > 1) return atoi(rank);
    }
    return -1;
}

/* run.json: run.rank1.json of a process of an MPI job, run.4711.json of one that was forked. */
static char *name_of(const KdslTrace *t, const char *path) {
    char *name = NULL, mark[32] = "";
    int rank = kdsl_job_rank >= 0 ? kdsl_job_rank : rank_of_launcher();
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    int n = (int)(dot && dot > base ? (size_t)(dot - path) : strlen(path));
    if (t->is_forked) snprintf(mark, sizeof mark, ".%lld", (long long)getpid());
    else if (rank >= 0) snprintf(mark, sizeof mark, ".rank%d", rank);
    return asprintf(&name, "%.*s%s%s", n, path, mark, path + n) < 0 ? NULL : name;
}

static bool write_file(const KdslTrace *t, const char *path) {
    Output o;
    if (!kdsl_output_open(&o, path)) return false;
    put_file(o.file, t, o.temporary ? path : NULL);
    return kdsl_output_close(&o, !ferror(o.file));
}

void kdsl_trace_write(const KdslTrace *t, const char *path) {
    char *name = name_of(t, path);
    if (t->is_forked && !t->n) {
        free(name); /* it has done nothing of its own */
        return;
    }
    errno = ENOMEM;
    if (!name || !write_file(t, name))
        kdsl_trace_complain("KDSL_TRACE: cannot write `%s`: %s", name ? name : path, strerror(errno));
    else if (t->n_dropped)
        kdsl_trace_complain("KDSL_TRACE: `%s` has the first %lld of %lld events; KDSL_TRACE_EVENTS=%lld keeps all",
                            name, (long long)t->n, (long long)(t->n + t->n_dropped),
                            (long long)(t->n + t->n_dropped));
    free(name);
}
