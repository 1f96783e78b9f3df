/* report.c -- what a class or a single student got: as text, as JSON, and as JUnit's XML for a learning platform. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "driver/grade/grade.h"
#include "driver/json.h"

static struct json_object *get(struct json_object *o, const char *key) { return json_object_object_get(o, key); }
static const char *text_of(struct json_object *o, const char *key) {
    struct json_object *v = get(o, key);
    return v ? json_object_get_string(v) : "";
}
static bool passed(struct json_object *o) { return json_object_get_boolean(get(o, "passed")); }
static int length(struct json_object *list) { return list ? (int)json_object_array_length(list) : 0; }
static struct json_object *element(struct json_object *list, int i) {
    return json_object_array_get_idx(list, (size_t)i);
}

/* One submission --------------------------------------------------------------------------------------------------- */

static const char *colour_of(bool ok, bool colour) { return !colour ? "" : ok ? "\033[32m" : "\033[1;31m"; }

static void print_criterion(struct json_object *o, bool colour, Buf *out) {
    bool ok = passed(o);
    buf_printf(out, "  %s%s%s  %s: %s\n", colour_of(ok, colour), ok ? "ok    " : "FAILED", colour ? "\033[0m" : "",
               text_of(o, "name"), text_of(o, "sentence"));
    struct json_object *where = get(o, "where");
    for (int i = 0; !ok && i < length(where); i++)
        buf_printf(out, "            %s\n", json_object_get_string(element(where, i)));
    if (!ok && get(o, "see")) buf_printf(out, "            see: %s\n", text_of(o, "see"));
}

static void print_submission(struct json_object *v, const char *title, bool colour, Buf *out) {
    struct json_object *criteria = get(v, "criteria");
    int n = length(criteria), n_passed = 0;
    buf_printf(out, "%s: %s\n", text_of(v, "submission"), title);
    for (int i = 0; i < n; i++) {
        print_criterion(element(criteria, i), colour, out);
        n_passed += passed(element(criteria, i));
    }
    buf_printf(out, "%s: %d of %d\n", passed(v) ? "passed" : "not passed", n_passed, n);
}

/* A class ---------------------------------------------------------------------------------------------------------- */

static void short_names(const Class *class, int *skip, int *drop) {
    const char *first = class->at[0].path;
    size_t start = strrchr(first, '/') ? (size_t)(strrchr(first, '/') - first) + 1 : 0, end = strlen(first);
    for (int i = 1; i < class->n; i++) {
        const char *p = class->at[i].path;
        size_t n = strlen(p), same = 0, tail = 0;
        while (same < start && p[same] == first[same]) same++;
        while (same > 0 && first[same - 1] != '/') same--;
        start = same;
        while (tail < end && tail < n && p[n - 1 - tail] == first[strlen(first) - 1 - tail]) tail++;
        end = tail;
    }
    const char *rest = first + strlen(first) - end, *cut = strpbrk(rest, "/."); /* whole names and suffixes */
    *skip = (int)start;
    *drop = cut ? (int)strlen(cut) : 0;
}

const char *class_name(Arena *arena, const Class *class, int i) {
    int skip, drop;
    const char *path = class->at[i].path;
    short_names(class, &skip, &drop);
    return arena_strndup(arena, path + skip, strlen(path) - (size_t)skip - (size_t)drop);
}

static const char *criterion_result(struct json_object *verdict, const char *name) {
    struct json_object *criteria = get(verdict, "criteria");
    for (int i = 0; i < length(criteria); i++) {
        struct json_object *o = element(criteria, i);
        if (!strcmp(text_of(o, "name"), name)) return passed(o) ? "ok" : "FAILED";
    }
    return "-";
}

static const char *first_criterion(const Graded *g) { return text_of(element(get(g->verdict, "criteria"), 0), "name"); }

bool class_is_read(const Graded *g) { return strcmp(first_criterion(g), "submitted") != 0; }

static bool compiles(const Graded *g) { return class_is_read(g) && strcmp(first_criterion(g), "compiles") != 0; }

/* Columns of a terminal: of UTF-8, combining marks have none and characters of East Asia two. */
static int width_shown(const char *text, int n) {
    int width = 0;
    for (const unsigned char *at = (const unsigned char *)text, *end = at + n; at < end;) {
        int more = *at < 0xC0 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
        uint32_t c = *at++ & (more ? 0x3Fu >> more : 0x7Fu);
        for (; more && at < end && (*at & 0xC0) == 0x80; more--) c = c << 6 | (*at++ & 0x3Fu);
        bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) || (c >= 0xAC00 && c < 0xD7A4) ||
                    (c >= 0xF900 && c < 0xFB00) || (c >= 0xFF00 && c < 0xFF61) || c >= 0x1F300;
        width += c >= 0x300 && c < 0x370 ? 0 : wide ? 2 : 1;
    }
    return width;
}

static void print_name(const char *name, int n, int width, Buf *out) {
    buf_printf(out, "%.*s%*s", n, name, width - width_shown(name, n), "");
}

struct json_object *class_columns(const Class *class) {
    const Graded *best = &class->at[0];
    for (int i = 1; i < class->n; i++)
        if (!compiles(best) && compiles(&class->at[i])) best = &class->at[i];
    return get(best->verdict, "criteria");
}

static int width_of(const char *name) { return (int)strlen(name) < 6 ? 6 : (int)strlen(name); }

static void print_row(const Class *class, int i, struct json_object *columns, int width, int skip, int drop, Buf *out) {
    const Graded *g = &class->at[i];
    int n = (int)strlen(g->path) - skip - drop;
    print_name(g->path + skip, n, width, out);
    for (int k = 0; k < length(columns); k++) {
        const char *name = text_of(element(columns, k), "name");
        buf_printf(out, "  %-*s", width_of(name), compiles(g) ? criterion_result(g->verdict, name) : "-");
    }
    const char *why = text_of(element(get(g->verdict, "criteria"), 0), "sentence");
    if (!strncmp(why, "it ", 3)) why += 3;
    buf_printf(out, "  %s\n", passed(g->verdict) ? "passed" : compiles(g) ? "" : why);
}

static void print_lines(const Alike *x, int side, Buf *out) {
    int n = x->lines[side].n, *at = x->lines[side].at;
    for (int i = 0; i < n; i++) {
        int end = i;
        while (end + 1 < n && at[end + 1] == at[end] + 1) end++;
        buf_printf(out, "%s%d", i ? ", " : "", at[i]);
        if (end > i) buf_printf(out, " to %d", at[end]);
        i = end;
    }
}

static void print_same(const Class *class, int skip, int drop, Buf *out) {
    if (class->same.n) buf_puts(out, "\nThe same text, but for comments and layout:\n");
    for (int i = 0; i < class->same.n; i++) {
        const Same *x = &class->same.at[i];
        for (int k = 0; k < x->who.n; k++) {
            const char *path = class->at[x->who.at[k]].path;
            buf_printf(out, "%s%.*s", k ? ", " : "  ", (int)strlen(path) - skip - drop, path + skip);
        }
        buf_puts(out, "\n");
    }
}

static void print_alike(const Class *class, int skip, int drop, Buf *out) {
    if (class->alike.n)
        buf_puts(out,
                      "\nAlike (not compared: what the exercise gives, and what more than half of the submissions "
                      "share; read both before you judge):\n");
    for (int i = 0; i < class->alike.n; i++) {
        const Alike *x = &class->alike.at[i];
        const char *a = class->at[x->a].path, *b = class->at[x->b].path;
        buf_printf(out, "  %3.0f %%  %.*s lines ", 100 * x->part, (int)strlen(a) - skip - drop, a + skip);
        print_lines(x, 0, out);
        buf_printf(out, " and %.*s lines ", (int)strlen(b) - skip - drop, b + skip);
        print_lines(x, 1, out);
        buf_puts(out, "\n");
    }
}

static void print_class(const Class *class, Buf *out) {
    struct json_object *columns = class_columns(class);
    int skip, drop, width = 10, n_passed = 0;
    short_names(class, &skip, &drop);
    for (int i = 0; i < class->n; i++) {
        const char *name = class->at[i].path + skip;
        int n = width_shown(name, (int)strlen(name) - drop);
        if (n > width) width = n;
        n_passed += passed(class->at[i].verdict);
    }
    buf_printf(out, "%s\n\n%-*s", class->exercise->title, width, "submission");
    for (int k = 0; k < length(columns); k++) {
        const char *name = text_of(element(columns, k), "name");
        buf_printf(out, "  %-*s", width_of(name), name);
    }
    buf_puts(out, "\n");
    for (int i = 0; i < class->n; i++) print_row(class, i, columns, width, skip, drop, out);
    buf_printf(out, "%-*s", width, "passed");
    for (int k = 0; k < length(columns); k++) {
        const char *name = text_of(element(columns, k), "name");
        int n = 0;
        for (int i = 0; i < class->n; i++) n += !strcmp(criterion_result(class->at[i].verdict, name), "ok");
        buf_printf(out, "  %-*d", width_of(name), n);
    }
    buf_printf(out, "  %d of %d\n", n_passed, class->n);
    print_same(class, skip, drop, out);
    print_alike(class, skip, drop, out);
}

void report_text(const Class *class, bool colour, Buf *out) {
    if (class->n == 1) print_submission(class->at[0].verdict, class->exercise->title, colour, out);
    else print_class(class, out);
    if (!class->sandbox->program)
        buf_printf(out, "The programs ran without a sandbox: %s. Their time, memory and output were limited, and "
                        "submissions that use C functions or files were refused.\n", class->sandbox->why_not);
}

/* For tools -------------------------------------------------------------------------------------------------------- */

static struct json_object *numbers(const int *at, int n) {
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < n; i++) json_object_array_add(list, json_object_new_int(at[i]));
    return list;
}

void report_json(const Class *class, Buf *out) {
    struct json_object *all = json_object_new_object(), *list = json_object_new_array();
    struct json_object *alike = json_object_new_array(), *same = json_object_new_array();
    json_object_object_add(all, "exercise", json_object_new_string(class->exercise->title));
    json_object_object_add(all, "sandbox", class->sandbox->program ? json_object_new_string("bubblewrap") : NULL);
    for (int i = 0; i < class->n; i++) json_object_array_add(list, json_object_get(class->at[i].verdict));
    for (int i = 0; i < class->alike.n; i++) {
        const Alike *x = &class->alike.at[i];
        struct json_object *o = json_object_new_object(), *who = json_object_new_array();
        struct json_object *lines = json_object_new_array();
        json_object_array_add(who, json_object_new_string(class->at[x->a].path));
        json_object_array_add(who, json_object_new_string(class->at[x->b].path));
        for (int k = 0; k < 2; k++) json_object_array_add(lines, numbers(x->lines[k].at, x->lines[k].n));
        json_object_object_add(o, "submissions", who);
        json_object_object_add(o, "shared", json_object_new_double(x->part));
        json_object_object_add(o, "lines", lines);
        json_object_array_add(alike, o);
    }
    json_object_object_add(all, "submissions", list);
    for (int i = 0; i < class->same.n; i++) {
        const Same *x = &class->same.at[i];
        struct json_object *who = json_object_new_array();
        for (int k = 0; k < x->who.n; k++)
            json_object_array_add(who, json_object_new_string(class->at[x->who.at[k]].path));
        json_object_array_add(same, who);
    }
    json_object_object_add(all, "same", same);
    json_object_object_add(all, "alike", alike);
    json_print(all, out);
}

static void add_xml(Buf *out, const char *text) { results_add_xml(out, (Bytes){text, strlen(text)}); }

static void add_testcase(struct json_object *o, const char *submission, Buf *out) {
    buf_puts(out, "    <testcase name=\"");
    add_xml(out, text_of(o, "name"));
    buf_puts(out, "\" classname=\"");
    add_xml(out, submission);
    buf_puts(out, passed(o) ? "\"/>\n" : "\">\n      <failure message=\"");
    if (passed(o)) return;
    add_xml(out, text_of(o, "sentence"));
    buf_puts(out, "\">");
    struct json_object *where = get(o, "where");
    for (int i = 0; i < length(where); i++) {
        add_xml(out, json_object_get_string(element(where, i)));
        buf_puts(out, "\n");
    }
    buf_puts(out, "</failure>\n    </testcase>\n");
}

void report_junit(const Class *class, Buf *out) {
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < class->n; i++) {
        struct json_object *v = class->at[i].verdict, *criteria = get(v, "criteria");
        int failed = 0;
        for (int k = 0; k < length(criteria); k++) failed += !passed(element(criteria, k));
        buf_puts(out, "  <testsuite name=\"");
        add_xml(out, class->at[i].path);
        buf_printf(out, "\" tests=\"%d\" failures=\"%d\" time=\"%.3f\">\n", length(criteria), failed,
                   json_object_get_double(get(v, "seconds")));
        for (int k = 0; k < length(criteria); k++) add_testcase(element(criteria, k), class->at[i].path, out);
        buf_puts(out, "  </testsuite>\n");
    }
    buf_puts(out, "</testsuites>\n");
}
