/* page_print.c -- the page itself: the explanations, as HTML that is complete without JavaScript; and, for
 * page/page.js, the lines of the panes and the events of the timeline, as JSON. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "driver/page.h"
#include "repl/terminal.h"
#include "sema/races/races.h"

#define EMBED(name, file)                                                                                              \
    extern const char kdsl_page_##name[];                                                                              \
    __asm__(".pushsection .rodata.kdsl_page_" #name ",\"a\"\n"                                                         \
            ".globl kdsl_page_" #name "\n"                                                                             \
            ".hidden kdsl_page_" #name "\n"                                                                            \
            "kdsl_page_" #name ":\n"                                                                                   \
            ".incbin \"" KDSL_PAGE_DIR "/" file "\"\n"                                                                 \
            ".byte 0\n.popsection");
EMBED(style, "page.css")
EMBED(script, "page.js")

/* Text ------------------------------------------------------------------------------------------------------------- */

static void put_char(Buf *out, char c) {
    if (c == '&') buf_puts(out, "&amp;");
    else if (c == '<') buf_puts(out, "&lt;");
    else if (c == '>') buf_puts(out, "&gt;");
    else if (c == '"') buf_puts(out, "&quot;");
    else if ((unsigned char)c < ' ' && c != '\t' && c != '\n') buf_puts(out, "�");
    else buf_putc(out, c);
}

static void put_bytes(Buf *out, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++) put_char(out, at[i]);
}

static void put(Buf *out, const char *text) { put_bytes(out, text, strlen(text)); }

/* What is between backquotes, as code. */
static void put_sentence(Buf *out, const char *text) {
    bool in_code = false;
    for (const char *quote; (quote = strchr(text, '`')); text = quote + 1, in_code = !in_code) {
        put_bytes(out, text, (size_t)(quote - text));
        buf_puts(out, in_code ? "</code>" : "<code>");
    }
    put(out, text);
    if (in_code) buf_puts(out, "</code>");
}

/* The `id` of a line, and what a link to it names. */
static void put_id(Buf *out, int key) {
    if (key >= PAGE_LINES) buf_printf(out, "F%d", key / PAGE_LINES);
    buf_printf(out, "L%d", key % PAGE_LINES);
}

static void put_link(const Page *page, Buf *out, int key) {
    if (!key) return;
    buf_puts(out, "<a href=\"#");
    put_id(out, key);
    buf_puts(out, "\">");
    if (key >= PAGE_LINES) put(out, page->files.at[key / PAGE_LINES]->path), buf_putc(out, ':');
    buf_printf(out, "%d</a>", key % PAGE_LINES);
}

static void put_cell(Buf *out, const char *text) {
    buf_puts(out, "<td>");
    put(out, text);
}

static void put_heads(Buf *out, const char *const *texts) {
    for (; *texts; texts++) buf_printf(out, "<th scope=\"col\">%s", *texts);
}

static const char *file_name(const Page *page) {
    const char *path = page->files.at[0]->path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

static const Func *func_of(const Page *page, const LaunchKernel *k) {
    for (int i = 0; i < page->p->funcs.n; i++)
        if (page->p->funcs.at[i]->is_kernel && !strcmp(page->p->funcs.at[i]->name, k->kernel))
            return page->p->funcs.at[i];
    return NULL;
}

static void put_nests(const Page *page, const LaunchKernel *k, Buf *out) {
    int n = 0;
    buf_puts(out, "<td>");
    for (int i = 0; i < page->vector->nests.n; i++) {
        const VectorNest *x = &page->vector->nests.at[i];
        if (strcmp(x->kernel, k->kernel) || x->is_repeat) continue;
        if (n++) buf_puts(out, ", ");
        if (!x->is_vector) buf_puts(out, "scalar");
        else buf_printf(out, "%d", x->lanes);
        if (x->is_vector && x->vectors > 1) buf_printf(out, " × %d", x->vectors);
        if (x->is_vector && x->rows > 1) buf_printf(out, " × %d rows", x->rows);
    }
}

static void put_verdicts(const Func *f, Buf *out) {
    int n[RACE_FOUND + 1] = {0};
    const char *separator = "";
    buf_puts(out, "<td>");
    if (!f || !f->races) return;
    for (int i = 0; i < f->races->pairs.n; i++) n[f->races->pairs.at[i].verdict]++;
    if (f->races->failed) buf_puts(out, "not analysed");
    else if (!f->races->pairs.n) buf_puts(out, "none possible");
    for (int v = 0; v <= RACE_FOUND; v++) {
        if (!n[v]) continue;
        buf_printf(out, "%s%d %s", separator, n[v], race_verdicts[v]);
        separator = ", ";
    }
}

static void put_needs(const LaunchNeeds *d, Buf *out) {
    buf_puts(out, "<td>");
    if (d->known && d->is_amd) buf_printf(out, "%d + %d registers", d->registers, d->scalars);
    else if (d->known) buf_printf(out, "%d registers", d->registers);
    if (d->known && d->spilled) buf_printf(out, ", <b>%d bytes spilled</b>", d->spilled);
    if (d->has_occupancy)
        buf_printf(out, "%s%s%d %%", d->known ? ", " : "", d->known ? "" : "at most ",
                   100 * d->threads / d->most_threads);
}

static void put_kernel(const Page *page, const LaunchKernel *k, Buf *out) {
    const Func *f = func_of(page, k);
    buf_puts(out, "<tr><th scope=\"row\">");
    put(out, k->kernel);
    buf_puts(out, "<td>");
    put_link(page, out, page_key(page, k->file, k->line));
    put_cell(out, k->domain);
    buf_printf(out, "<td>%d of %d left", f ? f->n_kept : 0, f ? f->n_checks : 0);
    put_verdicts(f, out);
    put_nests(page, k, out);
    for (int i = 0; i < k->needs.n; i++) put_needs(&k->needs.at[i], out);
    buf_puts(out, "\n");
}

static void put_kernels(const Page *page, Buf *out) {
    if (!page->kernels.n) return;
    buf_puts(out, "<section id=\"kernels\"><h2>Kernels</h2><div class=\"wide\"><table>\n<tr>");
    put_heads(out, (const char *[]){"kernel", "line", "work items", "checks", "pairs of accesses",
                                    "CPU: lanes × vectors", NULL});
    for (int i = 0; i < page->kernels.at[0].needs.n; i++)
        buf_printf(out, "<th scope=\"col\">%s: registers, occupancy", page->kernels.at[0].needs.at[i].arch);
    buf_puts(out, "\n");
    for (int i = 0; i < page->kernels.n; i++) put_kernel(page, &page->kernels.at[i], out);
    buf_puts(out, "</table></div></section>\n");
}

/* The source ------------------------------------------------------------------------------------------------------- */

static const char *const paints[PAINT__COUNT] = {
    [PAINT_KEYWORD] = "k", [PAINT_TYPE] = "t",    [PAINT_NUMBER] = "n",
    [PAINT_STRING] = "s",  [PAINT_COMMENT] = "c", [PAINT_CALL] = "f"};

/* Where this paint ends; blanks take that of what is around them. */
static int end_of_paint(const char *text, const unsigned char *paint, int from, int n) {
    int end = from;
    for (int i = from; i < n && (paint[i] == paint[from] || text[i] == ' '); i++)
        if (paint[i] == paint[from]) end = i + 1;
    return end;
}

static void put_code(Buf *out, const char *text, const unsigned char *paint, int n) {
    for (int i = 0; i < n;) {
        int end = end_of_paint(text, paint, i, n);
        const char *class = paints[paint[i]];
        if (class) buf_printf(out, "<b class=\"%s\">", class);
        put_bytes(out, text + i, (size_t)(end - i));
        if (class) buf_puts(out, "</b>");
        i = end;
    }
}

/* One mark for each slot, the worst note's; the notes are sorted so. */
static void put_marks(const Page *page, int from, int to, Buf *out) {
    buf_puts(out, "<span class=\"m\">");
    for (int i = from; i < to; i++) {
        const PageNote *n = &page->notes.at[i];
        bool begins = i == from || n[-1].slot != n->slot;
        if (begins) buf_printf(out, "<i class=\"m%d %s\" title=\"", n->slot, page_levels[n->level]);
        put(out, begins ? "" : "\n");
        put(out, n->text);
        if (i + 1 == to || n[1].slot != n->slot) {
            int first = i;
            while (first > from && page->notes.at[first - 1].slot == n->slot) first--;
            buf_puts(out, "\">");
            put(out, page->notes.at[first].mark);
            buf_puts(out, "</i>");
        }
    }
    buf_puts(out, "</span>");
}

static void put_notes(const Page *page, int from, int to, Buf *out) {
    buf_puts(out, "<ul>");
    for (int i = from; i < to; i++) {
        const PageNote *n = &page->notes.at[i];
        buf_printf(out, "<li><i class=\"%s\">", page_levels[n->level]);
        put(out, n->mark);
        buf_printf(out, "</i><span>%s</span> ", page_slots[n->slot]);
        put_sentence(out, n->text);
    }
    buf_puts(out, "</ul></details>\n");
}

static void put_line(const Page *page, int key, const Source *s, const unsigned char *paint, int *at, Buf *out) {
    int n, from = *at, line = key % PAGE_LINES;
    const char *text = source_line(s, line, &n);
    while (*at < page->notes.n && page->notes.at[*at].key == key) ++*at;
    bool has_notes = *at > from;
    buf_puts(out, has_notes ? "<details class=\"l\" id=\"" : "<div class=\"l\" id=\"");
    put_id(out, key);
    buf_printf(out, "\">%s<span class=\"n\">%d</span>", has_notes ? "<summary>" : "", line);
    put_marks(page, from, *at, out);
    buf_puts(out, "<code>");
    put_code(out, text, paint + (text - s->text), n);
    buf_puts(out, "</code>");
    if (has_notes) buf_puts(out, "</summary>"), put_notes(page, from, *at, out);
    else buf_puts(out, "</div>\n");
}

static void put_file(const Page *page, int number, int *at, Buf *out) {
    const Source *s = page->files.at[number];
    unsigned char *paint = arena_alloc(page->arena, s->n + 1);
    int n, last = source_place(&page->c->sources, s->base + (s->n ? s->n - 1 : 0)).line;
    highlight(s->text, s->n, -1, paint);
    source_line(s, 1, &n);
    buf_puts(out, "<h2>");
    put(out, s->path);
    buf_puts(out, "</h2>\n<div class=\"heads\" aria-hidden=\"true\"><span class=\"n\"></span><span class=\"m\">");
    for (int i = 0; i < SLOT__COUNT; i++) buf_printf(out, "<i class=\"m%d\">%s</i>", i, page_slots[i]);
    buf_puts(out, "</span></div>\n");
    for (int line = 1; line <= last; line++) put_line(page, number * PAGE_LINES + line, s, paint, at, out);
}

static void put_source(const Page *page, Buf *out) {
    int at = 0;
    buf_puts(out, "<section id=\"source\" aria-label=\"Source\">\n");
    for (int i = 0; i < page->files.n; i++) put_file(page, i, &at, out);
    buf_puts(out, "</section>\n");
}

/* Tables ----------------------------------------------------------------------------------------------------------- */

static void put_transfers(const Page *page, Buf *out) {
    if (!page->transfers.n) return;
    buf_puts(out, "<section class=\"pane\" id=\"copies\"><h2>Copies</h2><div class=\"wide\"><table>\n<tr>");
    put_heads(out, (const char *[]){"line", "launch or access", "array", "mode", "moves", "bytes", "why", NULL});
    buf_puts(out, "\n");
    for (int i = 0; i < page->transfers.n; i++) {
        const TransferNote *n = &page->transfers.at[i];
        buf_puts(out, "<tr><td>");
        put_link(page, out, page_key(page, n->file, n->line));
        put_cell(out, n->launch ? n->kernel : "the host");
        put_cell(out, n->array);
        put_cell(out, n->mode);
        put_cell(out, n->moves);
        put_cell(out, n->bytes);
        buf_puts(out, "<td>");
        put_sentence(out, n->why);
        buf_puts(out, "\n");
    }
    buf_puts(out, "</table></div></section>\n");
}

typedef struct Sum {
    const PageEvent *first;
    int n;
    double ms;
    int64_t bytes;
} Sum;

static Sum *sum_of(Sum *sums, int *n, const PageEvent *e) {
    for (int i = 0; i < *n; i++)
        if (!strcmp(sums[i].first->name, e->name) && sums[i].first->key == e->key) return &sums[i];
    sums[*n] = (Sum){.first = e};
    return &sums[(*n)++];
}

static void put_sums(const Page *page, Buf *out) {
    int n = 0;
    Sum *sums = arena_array(page->arena, Sum, page->trace.events.n + 1);
    for (int i = 0; i < page->trace.events.n; i++) {
        const PageEvent *e = &page->trace.events.at[i];
        Sum *s = sum_of(sums, &n, e);
        s->n++;
        s->ms += e->dur / 1000;
        if (e->bytes > 0) s->bytes += e->bytes;
    }
    buf_puts(out, "<div class=\"wide\"><table>\n<tr>");
    put_heads(out, (const char *[]){"line", "what", "times", "ms in all", "bytes in all", NULL});
    buf_puts(out, "\n");
    for (int i = 0; i < n; i++) {
        buf_puts(out, "<tr><td>");
        put_link(page, out, sums[i].first->key);
        put_cell(out, sums[i].first->name);
        buf_printf(out, "<td>%d<td>%.3f<td>", sums[i].n, sums[i].ms);
        if (sums[i].bytes) buf_printf(out, "%lld", (long long)sums[i].bytes);
        buf_puts(out, "\n");
    }
    buf_puts(out, "</table></div>");
}

static void put_trace(const Page *page, Buf *out) {
    if (!page->trace.events.n) return;
    buf_puts(out, "<section id=\"timeline\"><h2>Timeline of a run</h2>\n<div id=\"chart\"></div>\n");
    if (page->trace.n_dropped)
        buf_printf(out, "<p>%d events, the shortest or the last ones, are left out.</p>\n", page->trace.n_dropped);
    buf_puts(out, "<details><summary>In sums</summary>");
    put_sums(page, out);
    buf_puts(out, "</details></section>\n");
}

/* The code that does not fit in a page of a megabyte is packed, and only JavaScript can show it: what fits is as text
 * in the page. Those that are shown first come first. */
enum { MOST_PLAIN = 500000 };

static bool is_packed(const Page *page, int number) {
    size_t n = 0;
    for (int i = 0; i <= number; i++)
        if (n + page->panes.at[i].text.n <= MOST_PLAIN || i == number) n += page->panes.at[i].text.n;
    return n > MOST_PLAIN;
}

static void put_panes(const Page *page, Buf *out) {
    buf_puts(out, "<aside id=\"panes\" aria-label=\"Generated code and copies\">\n");
    for (int i = 0; i < page->panes.n; i++) {
        const PagePane *pane = &page->panes.at[i];
        bool packed = is_packed(page, i);
        buf_printf(out, "<section class=\"pane\" id=\"%s\"><h2>%s</h2><pre%s>", pane->id, pane->title,
                   packed ? " data-packed" : "");
        if (packed) buf_puts(out, "This code is packed, and needs JavaScript.");
        else put_bytes(out, pane->text.at, pane->text.n);
        buf_puts(out, "</pre></section>\n");
    }
    put_transfers(page, out);
    buf_puts(out, "</aside>\n");
}

/* Data ------------------------------------------------------------------------------------------------------------- */

/* Runs: how many lines, and their key. */
static struct json_object *keys_object(const PagePane *pane) {
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < pane->keys.n;) {
        int end = i;
        while (end < pane->keys.n && pane->keys.at[end] == pane->keys.at[i]) end++;
        json_object_array_add(list, json_object_new_int(end - i));
        json_object_array_add(list, json_object_new_int(pane->keys.at[i]));
        i = end;
    }
    return list;
}

static struct json_object *microseconds(double v) {
    char text[32];
    snprintf(text, sizeof text, "%.3f", v);
    return json_object_new_double_s(v, text);
}

static struct json_object *event_object(const PageEvent *e) {
    struct json_object *o = json_object_new_array();
    json_object_array_add(o, json_object_new_int(e->track));
    json_object_array_add(o, microseconds(e->ts));
    json_object_array_add(o, microseconds(e->dur));
    json_object_array_add(o, json_object_new_string(e->category));
    json_object_array_add(o, json_object_new_string(e->name));
    json_object_array_add(o, json_object_new_int(e->key));
    json_object_array_add(o, json_object_new_int64(e->bytes));
    json_object_array_add(o, json_object_new_int64(e->items));
    return o;
}

static struct json_object *base64_object(const unsigned char *at, size_t n) {
    Buf text = {0};
    buf_base64(&text, at, n);
    struct json_object *o = json_object_new_string_len(text.n ? text.at : "", (int)text.n);
    buf_free(&text);
    return o;
}

/* zlib's format: `deflate` of JavaScript's DecompressionStream. */
static struct json_object *packed_object(const Page *page, const Buf *text) {
    uLongf n = compressBound(text->n);
    unsigned char *packed = arena_alloc(page->arena, n);
    if (compress2(packed, &n, (const unsigned char *)text->at, text->n, Z_BEST_COMPRESSION) != Z_OK)
        ice(page->c, (Span){0}, "out of memory for a page");
    return base64_object(packed, n);
}

static void put_data(const Page *page, Buf *out) {
    struct json_object *all = json_object_new_object(), *panes = json_object_new_object();
    struct json_object *packed = json_object_new_object();
    struct json_object *events = json_object_new_array(), *tracks = json_object_new_array();
    for (int i = 0; i < page->panes.n; i++) {
        const PagePane *pane = &page->panes.at[i];
        json_object_object_add(panes, pane->id, keys_object(pane));
        if (is_packed(page, i)) json_object_object_add(packed, pane->id, packed_object(page, &pane->text));
    }
    for (int i = 0; i < page->trace.events.n; i++)
        json_object_array_add(events, event_object(&page->trace.events.at[i]));
    for (int i = 0; i < page->trace.tracks.n; i++) {
        const char *name = page->trace.tracks.at[i].name;
        json_object_array_add(tracks, json_object_new_string(name ? name : "?"));
    }
    json_object_object_add(all, "lines", json_object_new_int(PAGE_LINES));
    json_object_object_add(all, "panes", panes);
    json_object_object_add(all, "packed", packed);
    json_object_object_add(all, "tracks", tracks);
    json_object_object_add(all, "events", events);
    buf_puts(out, "<script type=\"application/json\" id=\"data\">");
    for (const char *at = json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN); *at; at++) {
        if (*at == '<') buf_puts(out, "\\u003c"); /* so `</script>` and `<!--` cannot occur */
        else buf_putc(out, *at);
    }
    buf_puts(out, "</script>\n");
    json_object_put(all);
}

static void put_legend(Buf *out) {
    buf_puts(out,
             "<details id=\"legend\"><summary>How to read the marks</summary><ul>"
             "<li><b>copies</b>: ↑ to the device, ↓ back, ↕ both, · nothing"
             "<li><b>checks</b> of indices and divisors: ✓ proven unnecessary, 1 once before a loop, ! at run time"
             "<li><b>races</b> between work items: ✓ none, ~ benign, ? unknown, ✗ found"
             "<li><b>vectors</b> on the CPU: lanes where work items begin, 1 scalar, ! slow in vector code"
             "<li><b>memory</b> of a GPU: sectors of 32 bytes for a warp, 4× a conflict of banks"
             "<li><b>branches</b> of a GPU that diverge within a warp: Y a condition, ↻ a loop"
             "</ul><p>Open a line for its sentences. A line of the source lights up the code generated from it, and "
             "the code its line; click to keep it lit.</p></details>\n");
}

void page_print(const Page *page, Buf *out) {
    buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                  "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    put(out, file_name(page));
    buf_puts(out, "</title>\n<style>\n");
    buf_puts(out, kdsl_page_style);
    buf_puts(out, "</style></head>\n<body>\n<header><h1>");
    put(out, file_name(page));
    buf_puts(out, "</h1></header>\n");
    put_kernels(page, out);
    put_trace(page, out);
    put_legend(out);
    buf_puts(out, "<main>\n");
    put_source(page, out);
    put_panes(page, out);
    buf_puts(out, "</main>\n");
    put_data(page, out);
    buf_puts(out, "<script>\n");
    buf_puts(out, kdsl_page_script);
    buf_puts(out, "</script>\n</body>\n</html>\n");
}
