/* profile.c -- `kdslc profile`: the program runs in a process of its own, whose runtime sums what it does and writes
 * the sums to a file in memory (runtime/profile.c). The table goes to standard error, so standard output is the
 * program's. */
#include "driver/profile.h"

#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/output.h"

/* The program ------------------------------------------------------------------------------------------------------ */

/* Of what follows, only the program is to end when Ctrl-C is pressed. */
static int wait_for(pid_t pid) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int status = 0;
    sigaction(SIGINT, &ignore, &before);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    sigaction(SIGINT, &before, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(Compiler *c, Blob program, const Options *o, int fd) {
    pid_t pid = fork();
    if (pid == 0) {
        setenv("KDSL_PROFILE", arena_printf(&c->arena, "%d", fd), 1);
        if (o->trace) setenv("KDSL_TRACE", o->trace, 1);
        output_execute(c, program, o);
        _exit(KDSLC_DIAGNOSTICS);
    }
    return pid < 0 ? -1 : wait_for(pid);
}

static bool read_file(int fd, Buf *text) {
    char block[1 << 14];
    ssize_t n = 0;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block, sizeof block)) > 0) buf_add(text, block, (size_t)n);
    return n == 0 && text->n;
}

/* Its sums --------------------------------------------------------------------------------------------------------- */

static int64_t number(struct json_object *o, const char *key) {
    return json_object_get_int64(json_object_object_get(o, key));
}

static const char *text(struct json_object *o, const char *key) {
    const char *t = json_object_get_string(json_object_object_get(o, key));
    return t ? t : "";
}

static bool truth(struct json_object *o, const char *key) {
    return json_object_get_boolean(json_object_object_get(o, key));
}

static ProfileRow row_of(struct json_object *o) {
    struct json_object *place = json_object_object_get(o, "place");
    if (!place) place = json_object_object_get(o, "of");
    return (ProfileRow){.kind = text(o, "kind"),
                        .kernel = text(o, "kernel"),
                        .array = text(o, "array"),
                        .file = text(place, "file"),
                        .device_name = text(o, "device_name"),
                        .line = number(place, "line"),
                        .column = number(place, "column"),
                        .device = number(o, "device"),
                        .n = number(o, "n"),
                        .ns = number(o, "ns"),
                        .min_ns = number(o, "min_ns"),
                        .max_ns = number(o, "max_ns"),
                        .items = number(o, "items"),
                        .bytes = number(o, "bytes"),
                        .reads = number(o, "reads"),
                        .writes = number(o, "writes"),
                        .to_device = number(o, "to_device"),
                        .from_device = number(o, "from_device"),
                        .flops = {number(o, "flops_f32"), number(o, "flops_f64")},
                        .is_async = truth(o, "async"),
                        .is_in_place = truth(o, "in_place")};
}

static int by_time(const void *a, const void *b) {
    const ProfileRow *x = a, *y = b;
    if (x->ns != y->ns) return x->ns < y->ns ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void sort(ProfileRows *rows) {
    if (rows->n) qsort(rows->at, (size_t)rows->n, sizeof *rows->at, by_time);
}

static void take_rows(Arena *a, Profile *p, struct json_object *all) {
    for (size_t i = 0; i < json_object_array_length(all); i++) {
        ProfileRow r = row_of(json_object_array_get_idx(all, i));
        bool is_launch = !strcmp(r.kind, "launch"), is_wait = !strcmp(r.kind, "wait");
        vec_push(a, is_launch ? &p->launches : is_wait ? &p->waits : &p->moves, r);
    }
    sort(&p->launches);
    sort(&p->moves);
    sort(&p->waits);
}

static bool write_out(Compiler *c, const Options *o, const Profile *p) {
    Buf out = {0};
    if (o->format == FORMAT_JSON) profile_as_json(p, &out);
    else profile_as_text(p, &out);
    bool ok = o->output ? output_text(c, o->output, out.at, out.n) : write_fully(STDERR_FILENO, out.at, out.n);
    buf_free(&out);
    return ok;
}

/* `all` is what the program has written: the rows point into it. */
static bool tell(Compiler *c, const Options *o, struct json_object *all, int exit_code) {
    Profile p = {.program = o->input,
                 .ns = number(all, "ns"),
                 .host_ns = number(all, "host_ns"),
                 .exit_code = exit_code,
                 .limits = profile_limits(o)};
    take_rows(&c->arena, &p, json_object_object_get(all, "rows"));
    return write_out(c, o, &p);
}

int profile_run(Compiler *c, Blob program, const Options *o) {
    Buf written = {0};
    int fd = memfd_create("profile", 0), status = fd < 0 ? -1 : run(c, program, o, fd);
    if (status < 0) {
        diag(c, E1005, (Span){0}, "cannot start the compiled program: %s", strerror(errno));
        return -1;
    }
    struct json_object *all = read_file(fd, &written) ? json_tokener_parse(written.at) : NULL;
    close(fd);
    bool ok = all && tell(c, o, all, status);
    if (!all) diag(c, E1005, (Span){0}, "the program ended with %d and left no profile: it was stopped by a signal",
                   status);
    json_object_put(all);
    buf_free(&written);
    return ok ? status : -1;
}
