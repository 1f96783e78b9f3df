/* profile.c -- sums over the events of trace.c, for `kdslc profile`: one row for each launch, array that is copied, and
 * wait, however many events there are. KDSL_PROFILE is the number of an open file, to which they are written as JSON
 * when the program ends (driver/profile.c reads it). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/trace.h"

typedef struct Row {
    KdslEvent of; /* its first event; n_bytes, reads, writes, in, out and flops: sums over all */
    int64_t n, ns, least, most;
} Row;

static Row *rows;
static int64_t n_rows, n_lost;
static int64_t host_ns; /* the main thread did not execute host code */

static bool is_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool belongs(const Row *r, const KdslEvent *e) {
    return r->of.kind == e->kind && r->of.device == e->device && is_same(r->of.place, e->place) &&
           is_same(r->of.what, e->what);
}

static Row *row_of(const KdslEvent *e) {
    for (int64_t i = 0; i < n_rows; i++)
        if (belongs(&rows[i], e)) return &rows[i];
    Row *more = realloc(rows, sizeof *rows * (size_t)(n_rows + 1));
    if (!more) return NULL;
    rows = more;
    rows[n_rows] = (Row){.of = *e, .least = INT64_MAX};
    KdslEvent *of = &rows[n_rows].of;
    of->items = of->n_bytes = of->reads = of->writes = of->in = of->out = of->flops[0] = of->flops[1] = 0;
    return &rows[n_rows++];
}

static void add_known(int64_t *sum, int64_t flops) { *sum = *sum < 0 || flops < 0 ? -1 : *sum + flops; }

void kdsl_profile_add(const KdslEvent *e) {
    Row *r = row_of(e);
    if (e->thread == getpid()) host_ns += e->ns;
    if (!r) {
        n_lost++;
        return;
    }
    r->n++;
    r->ns += e->ns;
    if (e->ns < r->least) r->least = e->ns;
    if (e->ns > r->most) r->most = e->ns;
    r->of.items += e->items;
    r->of.n_bytes += e->n_bytes;
    r->of.reads += e->reads;
    r->of.writes += e->writes;
    r->of.in += e->in;
    r->of.out += e->out;
    for (int i = 0; i < 2; i++) add_known(&r->of.flops[i], e->flops[i]);
}

static void put_row(FILE *f, const KdslTrace *t, const Row *r) {
    static const char *const kinds[TRACED__COUNT] = {
        [TRACED_LAUNCH] = "launch", [TRACED_IN] = "to device", [TRACED_OUT] = "from device", [TRACED_FILL] = "fill",
        [TRACED_COMPARE] = "compare", [TRACED_ROOM] = "allocate", [TRACED_WAIT] = "wait"};
    const KdslEvent *e = &r->of;
    fprintf(f, "{\"kind\":\"%s\",\"async\":%s,\"in_place\":%s", kinds[e->kind], e->is_worker ? "true" : "false",
            e->is_in_place ? "true" : "false");
    if (e->place) fputs(",\"place\":{", f), kdsl_trace_put_place(f, e->place, 0), fputs("},\"kernel\":\"", f);
    if (e->place) kdsl_trace_put_field(f, e->place, 1), fputs("\"", f);
    if (e->what) fputs(",\"array\":\"", f), kdsl_trace_put_field(f, e->what, 0), fputs("\",\"of\":{", f);
    if (e->what) kdsl_trace_put_place(f, e->what, 1), fputs("}", f);
    const char *name = e->device >= 0 && e->device < t->n_devices ? t->device_names[e->device] : NULL;
    if (name) fputs(",\"device_name\":\"", f), kdsl_trace_put_text(f, name), fputs("\"", f);
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"device", e->device}, {"n", r->n}, {"ns", r->ns}, {"min_ns", r->least}, {"max_ns", r->most},
                   {"items", e->items}, {"bytes", e->n_bytes}, {"reads", e->reads}, {"writes", e->writes},
                   {"to_device", e->in}, {"from_device", e->out}, {"flops_f32", e->flops[0]},
                   {"flops_f64", e->flops[1]}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(f, ",\"%s\":%lld", numbers[i].key, (long long)numbers[i].value);
    fputs("}", f);
}

void kdsl_profile_write(const KdslTrace *t, int fd) {
    FILE *f = t->is_forked ? NULL : fdopen(fd, "w");
    if (!f) return;
    fprintf(f, "{\"ns\":%lld,\"host_ns\":%lld,\"lost\":%lld,\"rows\":[", (long long)(t->end - t->begin),
            (long long)(t->end - t->begin - host_ns), (long long)n_lost);
    for (int64_t i = 0; i < n_rows; i++) {
        if (i) fputs(",\n", f);
        put_row(f, t, &rows[i]);
    }
    fputs("]}\n", f);
    fclose(f);
}
