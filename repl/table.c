/* table.c -- arrays as HTML tables: a row or a matrix of numbers, and structs with a column for each field. Of large
 * arrays the first and last rows and columns are shown. */
#include <stdlib.h>
#include <string.h>

#include "repl/show.h"

enum { ROWS_FIRST = 16, ROWS_LAST = 4, COLUMNS_FIRST = 8, COLUMNS_LAST = 3, CELL_COLUMNS = 40 };

/* The indices that are shown of an axis. */
typedef struct Shown {
    int64_t n, first, last; /* extent; how many from the beginning and from the end */
} Shown;

static Shown shown_of(int64_t n, int64_t first, int64_t last) {
    return n <= first + last ? (Shown){n, n, 0} : (Shown){n, first, last};
}

static int64_t shown_count(const Shown *s) { return s->first + s->last; }
static int64_t shown_index(const Shown *s, int64_t k) { return k < s->first ? k : s->n - s->last + (k - s->first); }
static bool has_gap(const Shown *s, int64_t k) { return s->last && k == s->first; } /* before the k-th */

static void add_escaped(void *to, const char *at, size_t n) {
    Buf *out = to;
    for (size_t i = 0; i < n; i++) {
        if (at[i] == '<') buf_puts(out, "&lt;");
        else if (at[i] == '&') buf_puts(out, "&amp;");
        else buf_putc(out, at[i]);
    }
}

static void add_index(int64_t i, Buf *out) { buf_printf(out, "<th>%lld</th>", (long long)i); }

static void begin_table(const SessionValue *v, Buf *out) {
    buf_puts(out, "<table><caption>");
    add_escaped(out, v->type, strlen(v->type));
    buf_puts(out, "</caption>\n<tr><th></th>");
}

/* Structs ---------------------------------------------------------------------------------------------------------- */

/* The end of a layout (runtime/value.h) that begins at p. */
static const char *layout_end(const char *p) {
    if (*p == '[') return layout_end(strchr(p, ']') + 1);
    if (*p != '{') return p + strcspn(p, "|");
    p = strchr(strchr(p, '|') + 1, '|') + 1; /* after name and size */
    while (*p != '}') p = layout_end(strchr(strchr(p, '|') + 1, '|') + 1) + 1;
    return p + 1;
}

typedef struct Field {
    const char *name, *layout;
    int n_name;
    int64_t offset;
} Field;

enum { MOST_FIELDS = 16 };

/* The fields of the struct layout at p; 0: it is none, or there are too many for a table. */
static int fields_of(const char *p, Field out[MOST_FIELDS], int64_t *size_bytes) {
    int n = 0;
    if (*p != '{') return 0;
    p = strchr(p, '|') + 1;
    *size_bytes = strtoll(p, NULL, 10);
    for (p = strchr(p, '|') + 1; *p != '}'; p = layout_end(p) + 1) {
        if (n == MOST_FIELDS) return 0;
        const char *bar = strchr(p, '|');
        out[n] = (Field){.name = p, .n_name = (int)(bar - p), .offset = strtoll(bar + 1, NULL, 10)};
        p = out[n++].layout = strchr(bar + 1, '|') + 1;
    }
    return n;
}

static void add_value(const void *at, const char *layout, Buf *out) {
    const KdslSink sink = {add_escaped, out};
    const KdslSpec plain = {.precision = -1};
    KdslLook look = {.columns = CELL_COLUMNS};
    kdsl_put_value(&sink, layout, at, &plain, &look);
}

static void struct_table(const SessionValue *v, const Field *fields, int n_fields, int64_t size_bytes, Buf *out) {
    Shown rows = shown_of(v->extents[0], ROWS_FIRST, ROWS_LAST);
    begin_table(v, out);
    for (int f = 0; f < n_fields; f++) buf_printf(out, "<th>%.*s</th>", fields[f].n_name, fields[f].name);
    buf_puts(out, "</tr>\n");
    for (int64_t k = 0; k < shown_count(&rows); k++) {
        const char *at = (const char *)v->at + shown_index(&rows, k) * size_bytes;
        if (has_gap(&rows, k)) buf_printf(out, "<tr><th>⋮</th><td colspan=\"%d\"></td></tr>\n", n_fields);
        buf_puts(out, "<tr>");
        add_index(shown_index(&rows, k), out);
        for (int f = 0; f < n_fields; f++) {
            buf_puts(out, "<td>");
            add_value(at + fields[f].offset, fields[f].layout, out);
            buf_puts(out, "</td>");
        }
        buf_puts(out, "</tr>\n");
    }
    buf_puts(out, "</table>");
}

/* Numbers ---------------------------------------------------------------------------------------------------------- */

static void number_table(const SessionValue *v, const Elements *e, Buf *out) {
    int64_t width = v->extents[v->rank - 1], height = v->rank == 2 ? v->extents[0] : 1;
    Shown columns = shown_of(width, COLUMNS_FIRST, COLUMNS_LAST), rows = shown_of(height, ROWS_FIRST, ROWS_LAST);
    begin_table(v, out);
    for (int64_t c = 0; c < shown_count(&columns); c++) {
        if (has_gap(&columns, c)) buf_puts(out, "<th>⋯</th>");
        add_index(shown_index(&columns, c), out);
    }
    buf_puts(out, "</tr>\n");
    for (int64_t r = 0; r < shown_count(&rows); r++) {
        if (has_gap(&rows, r))
            buf_printf(out, "<tr><th>⋮</th><td colspan=\"%lld\"></td></tr>\n", (long long)shown_count(&columns) + 1);
        buf_puts(out, "<tr>");
        if (v->rank == 2) add_index(shown_index(&rows, r), out);
        else buf_puts(out, "<th></th>");
        for (int64_t c = 0; c < shown_count(&columns); c++) {
            if (has_gap(&columns, c)) buf_puts(out, "<td>⋯</td>");
            buf_puts(out, "<td>");
            element_text(v, e, shown_index(&rows, r) * width + shown_index(&columns, c), out);
            buf_puts(out, "</td>");
        }
        buf_puts(out, "</tr>\n");
    }
    buf_puts(out, "</table>");
}

bool show_table(const SessionValue *v, Buf *out) {
    Field fields[MOST_FIELDS];
    Elements e;
    int64_t size_bytes = 0;
    if (v->rank < 1 || v->rank > 2 || !value_length(v)) return false;
    int n = v->rank == 1 ? fields_of(strchr(v->layout, ']') + 1, fields, &size_bytes) : 0;
    bool is_numbers = !n && elements_of(v, &e) && e.lanes == 1;
    if (n) struct_table(v, fields, n, size_bytes, out);
    if (is_numbers) number_table(v, &e, out);
    return n || is_numbers;
}
