/* page.c -- the results of a class as one HTML page without scripts: the table, the criteria that each submission
 * fails, and the pairs of submissions that are alike, side by side. */
#include <json-c/json.h>
#include <string.h>

#include "driver/grade/grade.h"

static const char style[] =
    ":root{color-scheme:light dark;--bad:#b3261e;--good:#1b6e3c;--line:#8886;--mark:#f6c34355}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.2rem .6rem;text-align:left}"
    ".wide{overflow-x:auto}.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}"
    "@media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--good:#7bd88f}}"
    "pre{font:13px/1.4 ui-monospace,monospace;overflow-x:auto;margin:.3rem 0}"
    ".pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}"
    "@media(max-width:45rem){.pair{grid-template-columns:1fr}}"
    ".pair>div{min-width:0}mark{background:var(--mark);color:inherit}"
    "@media print{details{break-inside:avoid}}";

static struct json_object *get(struct json_object *o, const char *key) { return json_object_object_get(o, key); }
static bool passed(struct json_object *o) { return json_object_get_boolean(get(o, "passed")); }

static void add_n(Buf *out, const char *text, size_t n) { results_add_xml(out, (Bytes){text, n}); }
static void add(Buf *out, const char *text) { add_n(out, text, strlen(text)); }

static struct json_object *find(struct json_object *criteria, const char *name) {
    for (size_t i = 0; i < json_object_array_length(criteria); i++) {
        struct json_object *o = json_object_array_get_idx(criteria, i);
        if (!strcmp(json_object_get_string(get(o, "name")), name)) return o;
    }
    return NULL;
}

static void add_cell(struct json_object *o, Buf *out) {
    if (!o) buf_puts(out, "<td>-");
    else buf_puts(out, passed(o) ? "<td class=good>ok" : "<td class=bad>FAILED");
}

static void add_table(Arena *arena, const Class *class, Buf *out) {
    struct json_object *columns = class_columns(class);
    size_t n = json_object_array_length(columns);
    buf_puts(out, "<div class=wide><table><tr><th>submission");
    for (size_t k = 0; k < n; k++) {
        buf_puts(out, "<th>");
        add(out, json_object_get_string(get(json_object_array_get_idx(columns, k), "name")));
    }
    for (int i = 0; i < class->n; i++) {
        buf_printf(out, "<tr><td><a href=\"#s%d\">", i);
        add(out, class_name(arena, class, i));
        buf_puts(out, "</a>");
        for (size_t k = 0; k < n; k++) {
            const char *name = json_object_get_string(get(json_object_array_get_idx(columns, k), "name"));
            add_cell(find(get(class->at[i].verdict, "criteria"), name), out);
        }
    }
    buf_puts(out, "</table></div>\n");
}

static void add_criterion(struct json_object *o, Buf *out) {
    struct json_object *where = get(o, "where");
    buf_puts(out, passed(o) ? "<li class=good><b>" : "<li class=bad><b>");
    add(out, json_object_get_string(get(o, "name")));
    buf_puts(out, "</b>: ");
    add(out, json_object_get_string(get(o, "sentence")));
    if (passed(o) || !where || !json_object_array_length(where)) return;
    buf_puts(out, "<pre>");
    for (size_t i = 0; i < json_object_array_length(where); i++) {
        add(out, json_object_get_string(json_object_array_get_idx(where, i)));
        buf_puts(out, "\n");
    }
    buf_puts(out, "</pre>");
}

static void add_submission(Arena *arena, const Class *class, int i, Buf *out) {
    struct json_object *criteria = get(class->at[i].verdict, "criteria");
    buf_printf(out, "<details id=s%d%s><summary>", i, class->n == 1 ? " open" : "");
    add(out, class_name(arena, class, i));
    buf_puts(out, passed(class->at[i].verdict) ? ": passed</summary><ul>" : ": not passed</summary><ul>");
    for (size_t k = 0; k < json_object_array_length(criteria); k++)
        add_criterion(json_object_array_get_idx(criteria, k), out);
    buf_puts(out, "</ul></details>\n");
}

static bool is_shared(const Alike *x, int side, int line) {
    for (int i = 0; i < x->lines[side].n; i++)
        if (x->lines[side].at[i] == line) return true;
    return false;
}

static void add_text(const Alike *x, int side, const char *text, Buf *out) {
    int line = 0;
    buf_puts(out, "<pre>");
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        bool shared = is_shared(x, side, ++line);
        buf_printf(out, "%s%4d  ", shared ? "<mark>" : "", line);
        add_n(out, text, (size_t)(end - text));
        buf_puts(out, shared ? "</mark>\n" : "\n");
    }
    buf_puts(out, "</pre>");
}

static void add_pair(Arena *arena, const Class *class, const Alike *x, Buf *out) {
    const int who[2] = {x->a, x->b};
    buf_printf(out, "<details><summary>%.0f %%: ", 100 * x->part);
    add(out, class_name(arena, class, x->a));
    buf_puts(out, " and ");
    add(out, class_name(arena, class, x->b));
    buf_puts(out, "</summary><div class=pair>");
    for (int side = 0; side < 2; side++) {
        buf_puts(out, "<div><b>");
        add(out, class_name(arena, class, who[side]));
        buf_puts(out, "</b>");
        add_text(x, side, class->at[who[side]].text, out);
        buf_puts(out, "</div>");
    }
    buf_puts(out, "</div></details>\n");
}

void report_html(Arena *arena, const Class *class, Buf *out) {
    buf_puts(out, "<!doctype html>\n<html lang=en><meta charset=utf-8>"
                  "<meta name=viewport content=\"width=device-width\"><title>");
    add(out, class->exercise->title);
    buf_printf(out, "</title><style>%s</style>\n<h1>", style);
    add(out, class->exercise->title);
    buf_puts(out, "</h1>\n");
    add_table(arena, class, out);
    buf_puts(out, "<h2>Submissions</h2>\n");
    for (int i = 0; i < class->n; i++) add_submission(arena, class, i, out);
    if (class->same.n) buf_puts(out, "<h2>The same text</h2>\n<p>Comments and layout do not count.</p>\n<ul>\n");
    for (int i = 0; i < class->same.n; i++) {
        const Same *x = &class->same.at[i];
        for (int k = 0; k < x->who.n; k++) {
            buf_puts(out, k ? ", " : "<li>");
            add(out, class_name(arena, class, x->who.at[k]));
        }
        buf_puts(out, "</li>\n");
    }
    if (class->same.n) buf_puts(out, "</ul>\n");
    if (!class->alike.n) return;
    buf_puts(out, "<h2>Alike</h2>\n<p>Names, numbers and layout do not count, nor does what the exercise gives. Read "
                  "both before you judge.</p>\n");
    for (int i = 0; i < class->alike.n; i++) add_pair(arena, class, &class->alike.at[i], out);
}
