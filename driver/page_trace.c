/* page_trace.c -- reads the timeline of a run, which KDSL_TRACE writes, for the page. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "driver/page.h"

enum { MOST_EVENTS = 4000 }; /* in the page; the longest ones are kept */

static const char *text_of(struct json_object *o, const char *key) {
    struct json_object *v = json_object_object_get(o, key);
    return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

static int64_t number_of(struct json_object *o, const char *key, int64_t otherwise) {
    struct json_object *v = json_object_object_get(o, key);
    return json_object_is_type(v, json_type_int) || json_object_is_type(v, json_type_double) ? json_object_get_int64(v)
                                                                                             : otherwise;
}

static double time_of(struct json_object *o, const char *key) {
    double v = json_object_get_double(json_object_object_get(o, key));
    return v > 0 && v < 1e15 ? v : 0;
}

static const char *copy(Page *page, const char *text) { return arena_strndup(page->arena, text, strlen(text)); }

static int track_of(Page *page, struct json_object *event) {
    int pid = (int)number_of(event, "pid", 0), tid = (int)number_of(event, "tid", 0);
    for (int i = 0; i < page->trace.tracks.n; i++)
        if (page->trace.tracks.at[i].pid == pid && page->trace.tracks.at[i].tid == tid) return i;
    PageTrack track = {NULL, pid, tid};
    vec_push(page->arena, &page->trace.tracks, track);
    return page->trace.tracks.n - 1;
}

static void name_track(Page *page, struct json_object *event, const char *name) {
    int track = track_of(page, event);
    if (name) page->trace.tracks.at[track].name = copy(page, name);
}

static const char *const sized[] = {"launch", "transfer", "fill", "comparison", "allocation"};

static void add_event(Page *page, struct json_object *event) {
    struct json_object *args = json_object_object_get(event, "args");
    const char *name = text_of(event, "name"), *category = text_of(event, "cat"), *file = text_of(args, "file");
    PageEvent e = {.ts = time_of(event, "ts"), .dur = time_of(event, "dur"), .bytes = -1};
    if (!category || !strcmp(category, "program")) return; /* all of the time */
    e.name = copy(page, name ? name : "?");
    e.category = copy(page, category);
    e.track = track_of(page, event);
    e.key = file ? page_key(page, file, (int)number_of(args, "line", 0)) : 0;
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
        if (!strcmp(category, sized[i])) e.bytes = number_of(args, "bytes", -1);
    e.items = number_of(args, "items", -1);
    vec_push(page->arena, &page->trace.events, e);
}

static void add_any(Page *page, struct json_object *event) {
    const char *phase = text_of(event, "ph"), *name = text_of(event, "name");
    struct json_object *args = json_object_object_get(event, "args");
    if (!phase) return;
    if (!strcmp(phase, "X")) add_event(page, event);
    else if (!strcmp(phase, "M") && name && !strcmp(name, "thread_name"))
        name_track(page, event, text_of(args, "name"));
    else if (!strcmp(phase, "i")) page->trace.n_dropped += (int)number_of(args, "dropped", 0);
}

static int by_length(const void *a, const void *b) {
    double x = ((const PageEvent *)a)->dur, y = ((const PageEvent *)b)->dur;
    return x > y ? -1 : x < y;
}

static int by_time(const void *a, const void *b) {
    const PageEvent *x = a, *y = b;
    if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
    return by_length(a, b); /* the outer one first */
}

static void select_events(PageTrace *trace) {
    if (trace->events.n > MOST_EVENTS) {
        qsort(trace->events.at, (size_t)trace->events.n, sizeof *trace->events.at, by_length);
        trace->n_dropped += trace->events.n - MOST_EVENTS;
        trace->events.n = MOST_EVENTS;
    }
    if (trace->events.n) qsort(trace->events.at, (size_t)trace->events.n, sizeof *trace->events.at, by_time);
    double first = trace->events.n ? trace->events.at[0].ts : 0;
    for (int i = 0; i < trace->events.n; i++) trace->events.at[i].ts -= first;
}

static bool refuse(Page *page, const char *path, const char *why) {
    diag(page->c, E1002, (Span){0}, "cannot read `%s`: %s", path, why);
    return false;
}

bool page_read_trace(Page *page, const char *path) {
    const char *why;
    Source *s = source_read(&page->c->sources, path, SOURCE_ANY, &why);
    if (!s) return refuse(page, path, why);
    struct json_object *all = json_tokener_parse(s->text), *list = all;
    if (json_object_is_type(all, json_type_object)) list = json_object_object_get(all, "traceEvents");
    bool ok = json_object_is_type(list, json_type_array);
    for (size_t i = 0; ok && i < json_object_array_length(list); i++) {
        struct json_object *event = json_object_array_get_idx(list, i);
        if (json_object_is_type(event, json_type_object)) add_any(page, event);
    }
    json_object_put(all);
    if (!ok) return refuse(page, path, "it is not a timeline as KDSL_TRACE writes it");
    select_events(&page->trace);
    return true;
}
