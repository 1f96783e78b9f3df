/* show.c -- formats values for display. */
#include "repl/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer tables show the first and last rows; lists end with the last three elements. */
enum { TABLE_ROWS = 12, TABLE_EDGE = 4, LIST_TAIL = 3, SLICES = 3, CELL_MAX = 40 };

static const char DIM[] = "\033[2m", PLAIN[] = "\033[0m";

static void dim(const ShowHow *how, const char *text, Buf *out) {
    buf_printf(out, "%s%s%s", how->colour ? DIM : "", text, how->colour ? PLAIN : "");
}

/* Display width in columns: code points, since only texts of the user may contain wide characters. */
static int width_of(const char *text, size_t n) {
    int width = 0;
    for (size_t i = 0; i < n; i++) width += (text[i] & 0xc0) != 0x80;
    return width;
}

/* ---- one element ---- */

static void cell(const SessionValue *v, const ShowHow *how, int64_t i, Buf *out) {
    Elements e;
    if (elements_of(v, &e) && e.lanes == 1) element_text(v, &e, i, out);
    else how->element(how->context, v, i, out);
}

/* ---- as a whole ---- */

static void summary_of_bools(const SessionValue *v, const Elements *e, const ShowHow *how, Buf *out) {
    int64_t n = value_length(v), n_true = 0;
    for (int64_t i = 0; i < n; i++) n_true += element_number(v, e, i, 0) != 0;
    Buf text = {0};
    buf_printf(&text, "%lld of %lld true", (long long)n_true, (long long)n);
    dim(how, text.at, out);
    buf_free(&text);
    buf_putc(out, '\n');
}

/* Minimum and maximum are shown with the digits of the element, not of a double; NaN is ignored and counted. */
static void summary(const SessionValue *v, const ShowHow *how, Buf *out) {
    Elements e;
    if (!elements_of(v, &e) || e.lanes != 1) return;
    if (!strcmp(e.name, "bool")) {
        summary_of_bools(v, &e, how, out);
        return;
    }
    int64_t n = value_length(v), least = -1, greatest = -1, n_nan = 0;
    double lo = INFINITY, hi = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = element_number(v, &e, i, 0);
        sum += isnan(x) ? 0 : x;
        n_nan += isnan(x);
        if (x < lo || (least < 0 && !isnan(x))) lo = x, least = i;
        if (x > hi || (greatest < 0 && !isnan(x))) hi = x, greatest = i;
    }
    Buf text = {0};
    if (least >= 0) {
        buf_puts(&text, "min ");
        element_text(v, &e, least, &text);
        buf_puts(&text, ", max ");
        element_text(v, &e, greatest, &text);
        buf_printf(&text, ", mean %.6g", sum / (double)(n - n_nan));
    }
    if (n_nan) buf_printf(&text, "%s%lld NaN", least >= 0 ? ", " : "", (long long)n_nan);
    dim(how, text.at, out);
    buf_free(&text);
    buf_putc(out, '\n');
}

static void end_with_type(const SessionValue *v, const ShowHow *how, const char *before, Buf *out) {
    Buf type = {0};
    buf_printf(&type, "%s: %s", before, v->type);
    dim(how, type.at, out);
    buf_free(&type);
    buf_putc(out, '\n');
}

/* ---- lists ---- */

/* Appends the elements from `from` on that fit `room` columns; returns the index of the first that does not. */
static int64_t list_part(const SessionValue *v, const ShowHow *how, int64_t from, int64_t to, int room, Buf *out) {
    for (int64_t i = from; i < to; i++) {
        size_t start = out->n;
        if (i > from) buf_puts(out, ", ");
        cell(v, how, i, out);
        room -= width_of(out->at + start, out->n - start);
        if (room >= 0 || i == from) continue;
        out->at[out->n = start] = 0;
        return i;
    }
    return to;
}

static void list(const SessionValue *v, const ShowHow *how, Buf *out) {
    int64_t n = value_length(v);
    int room = how->columns - (int)strlen(v->type) - 6;
    if (room < how->columns / 2) room = how->columns / 2;
    Buf all = {0}, head = {0}, tail = {0};
    bool whole = n <= how->columns && list_part(v, how, 0, n, room, &all) == n;
    if (whole) {
        buf_printf(out, "[%s]", all.at ? all.at : "");
    } else {
        int64_t last = n > LIST_TAIL ? n - LIST_TAIL : 1;
        list_part(v, how, last, n, how->columns, &tail);
        int64_t shown = list_part(v, how, 0, last, room - width_of(tail.at, tail.n) - 5, &head);
        buf_printf(out, shown < last ? "[%s, …, %s]" : "[%s, %s]", head.at, tail.at);
    }
    end_with_type(v, how, " ", out);
    if (!whole) summary(v, how, out);
    buf_free(&all);
    buf_free(&head);
    buf_free(&tail);
}

/* ---- tables ---- */

/* The rows or columns that are shown, of n: all, or the first `head` and the last `n - tail`, with a gap between. */
typedef struct Shown {
    int64_t n, head, tail;
} Shown;

static Shown shown_of(int64_t n, int64_t most, int64_t edge) {
    return n <= most ? (Shown){n, n, n} : (Shown){n, edge, n - edge};
}

static int64_t shown_next(const Shown *s, int64_t i) { return i + 1 == s->head && s->tail > s->head ? s->tail : i + 1; }
static bool gap_before(const Shown *s, int64_t i) { return i == s->tail && s->tail > s->head; }

typedef struct Table {
    const SessionValue *v;
    const ShowHow *how;
    int64_t first; /* index of the element in its first row and column */
    Shown rows, columns;
    int width; /* of a column */
} Table;

static int64_t at(const Table *t, int64_t row, int64_t column) { return t->first + row * t->columns.n + column; }

static void measure(Table *t) {
    Buf text = {0};
    t->width = 1;
    for (int64_t r = 0; r < t->rows.n; r = shown_next(&t->rows, r)) {
        for (int64_t c = 0; c < t->columns.n; c = shown_next(&t->columns, c)) {
            text.n = 0;
            cell(t->v, t->how, at(t, r, c), &text);
            int width = width_of(text.at, text.n);
            if (width > t->width) t->width = width;
        }
    }
    buf_free(&text);
}

static void padded(const char *text, size_t n, int width, Buf *out) {
    int blanks = width - width_of(text, n);
    buf_printf(out, "%*s", blanks > 0 ? blanks : 0, "");
    buf_add(out, text, n);
}

static void table_row(const Table *t, int64_t row, Buf *out) {
    Buf text = {0};
    for (int64_t c = 0; c < t->columns.n; c = shown_next(&t->columns, c)) {
        if (gap_before(&t->columns, c)) buf_puts(out, "  …");
        text.n = 0;
        cell(t->v, t->how, at(t, row, c), &text);
        buf_puts(out, "  ");
        padded(text.at, text.n, t->width, out);
    }
    buf_free(&text);
    buf_putc(out, '\n');
}

/* Prints the last two dimensions as a table; returns true if it shows all rows and columns. */
static bool table(const SessionValue *v, const ShowHow *how, int64_t first, Buf *out) {
    Table t = {.v = v, .how = how, .first = first};
    t.rows = shown_of(v->extents[v->rank - 2], TABLE_ROWS, TABLE_EDGE);
    t.columns = shown_of(v->extents[v->rank - 1], TABLE_ROWS, TABLE_EDGE);
    measure(&t);
    int64_t fit = how->columns / (t.width + 2), shown = t.columns.n <= TABLE_ROWS ? t.columns.n : 2 * TABLE_EDGE;
    if (fit < shown) {
        int64_t edge = (fit - 1) / 2;
        t.columns = shown_of(t.columns.n, 0, edge < 1 ? 1 : edge);
        if (t.columns.head >= t.columns.tail) t.columns = (Shown){t.columns.n, t.columns.n, t.columns.n};
    }
    for (int64_t r = 0; r < t.rows.n; r = shown_next(&t.rows, r)) {
        if (gap_before(&t.rows, r)) padded("…\n", 4, t.width + 3, out);
        table_row(&t, r, out);
    }
    return t.rows.head == t.rows.tail && t.columns.head == t.columns.tail;
}

/* The heading of a slice: `[0, 2, .., ..]`. */
static void slice_name(const SessionValue *v, int64_t slice, Buf *out) {
    int64_t index[VALUE_RANK];
    for (int d = v->rank - 3; d >= 0; d--) {
        index[d] = slice % v->extents[d];
        slice /= v->extents[d];
    }
    buf_putc(out, '[');
    for (int d = 0; d < v->rank - 2; d++) buf_printf(out, "%lld, ", (long long)index[d]);
    buf_puts(out, "..]");
}

static void tables(const SessionValue *v, const ShowHow *how, Buf *out) {
    int64_t size = v->extents[v->rank - 2] * v->extents[v->rank - 1], n = value_length(v) / size;
    bool whole = n <= SLICES;
    for (int64_t i = 0; i < n && i < SLICES; i++) {
        Buf name = {0};
        slice_name(v, i, &name);
        if (v->rank > 2) dim(how, name.at, out), buf_putc(out, '\n');
        buf_free(&name);
        if (!table(v, how, i * size, out)) whole = false;
    }
    if (n > SLICES) buf_printf(out, "  … %lld more\n", (long long)(n - SLICES));
    end_with_type(v, how, "", out);
    if (!whole) summary(v, how, out);
}

void show_value(const SessionValue *v, const ShowHow *how, Buf *out) {
    if (!v->type || !*v->type) return;
    if (!v->rank) {
        how->element(how->context, v, 0, out);
        end_with_type(v, how, " ", out);
    } else if (!value_length(v)) {
        buf_puts(out, "[]");
        end_with_type(v, how, " ", out);
    } else if (v->rank == 1) {
        list(v, how, out);
    } else {
        tables(v, how, out);
    }
}

/* ---- quantities ---- */

void show_bytes(int64_t bytes, Buf *out) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    int unit = 0;
    for (; v >= 1024 && unit < 4; unit++) v /= 1024;
    buf_printf(out, v >= 100 || v == floor(v) ? "%.0f %s" : "%.1f %s", v, units[unit]);
}

void show_seconds(double seconds, Buf *out) {
    static const char *const units[] = {"s", "ms", "µs", "ns"};
    double v = seconds;
    int unit = 0;
    for (; v < 1 && unit < 3; unit++) v *= 1000;
    buf_printf(out, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[unit]);
}
