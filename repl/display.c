/* display.c -- layout of the input line on the screen, sent as one write to avoid flicker. Line breaks are explicit, so
 * nothing depends on how a terminal wraps at its right margin. */
#include "repl/display.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lexer/lexer.h"

enum { TAB_COLUMNS = 4 };

typedef struct Layout {
    const DisplayText *t;
    Arena arena;
    Vec(size_t) starts; /* offset of each row in text */
    Buf text;
    int row, column, cursor_row, cursor_column;
    Paint paint;
} Layout;

static void set_paint(Layout *l, Paint p) {
    if (p == l->paint || !l->t->colour) return;
    if (l->paint != PAINT_PLAIN) buf_puts(&l->text, "\033[0m");
    buf_puts(&l->text, highlight_code(p));
    l->paint = p;
}

static void begin_row(Layout *l) {
    vec_push(&l->arena, &l->starts, l->text.n);
    l->row = l->starts.n - 1;
    l->column = 0;
}

/* Erases the rest of an older text in this row; not in the last column, where some terminals would erase a
 * character. */
static void end_row(Layout *l) {
    set_paint(l, PAINT_PLAIN);
    if (l->column < l->t->columns) buf_puts(&l->text, "\033[K");
}

static void put(Layout *l, const char *at, size_t n, int width) {
    if (l->column + width > l->t->columns) {
        Paint p = l->paint;
        end_row(l);
        begin_row(l);
        set_paint(l, p);
    }
    buf_add(&l->text, at, n);
    l->column += width;
}

static void put_prompt(Layout *l, const char *prompt) {
    if (l->t->colour) buf_puts(&l->text, "\033[1m");
    for (; *prompt; prompt++) put(l, prompt, 1, 1);
    if (l->t->colour) buf_puts(&l->text, "\033[0m");
}

/* Decodes the next character of text[0..n): returns its length; *shown: the bytes to send, *width: its columns. */
static size_t character(const char *text, size_t n, char shown[8], int *width) {
    uint32_t code;
    int bytes = utf8_decode(text, n, &code);
    unsigned char c = (unsigned char)*text;
    if (c == '\t') {
        *width = TAB_COLUMNS;
        strcpy(shown, "    ");
    } else if (!bytes || c < ' ' || c == 127) {
        *width = 2;
        snprintf(shown, 8, "^%c", bytes && c < 128 ? c ^ 64 : '?');
    } else {
        int w = wcwidth((wchar_t)code);
        *width = w < 0 ? 1 : w;
        snprintf(shown, 8, "%.*s", bytes, text);
    }
    return bytes ? (size_t)bytes : 1;
}

static void note_cursor(Layout *l) {
    if (l->column == l->t->columns) { /* after a full row the cursor is in the next one */
        end_row(l);
        begin_row(l);
    }
    l->cursor_row = l->row;
    l->cursor_column = l->column;
}

static void lay_out(Layout *l, const unsigned char *paints) {
    const DisplayText *t = l->t;
    begin_row(l);
    put_prompt(l, t->prompt);
    for (size_t i = 0; i < t->n;) {
        char shown[8];
        int width;
        if (i == t->cursor) note_cursor(l);
        if (t->text[i] == '\n') {
            end_row(l);
            begin_row(l);
            put_prompt(l, t->more);
            i++;
            continue;
        }
        size_t n = character(t->text + i, t->n - i, shown, &width);
        set_paint(l, (Paint)paints[i]);
        put(l, shown, strlen(shown), width);
        i += n;
    }
    set_paint(l, PAINT_PLAIN);
    if (t->cursor >= t->n) note_cursor(l);
    end_row(l);
}

/* Sends the rows from `first` on that fit the screen, and moves the cursor to its position. */
static void send_rows(Layout *l, Display *d, int first, int n, Buf *out) {
    if (d->row) buf_printf(out, "\033[%dA", d->row);
    buf_putc(out, '\r');
    for (int r = first; r < first + n; r++) {
        size_t end = r + 1 < l->starts.n ? l->starts.at[r + 1] : l->text.n;
        if (r > first) buf_puts(out, "\r\n");
        buf_add(out, l->text.at + l->starts.at[r], end - l->starts.at[r]);
    }
    if (d->n_rows > n) buf_puts(out, "\r\n\033[J\033[A"); /* erase rows of the older text below */
    int up = first + n - 1 - l->cursor_row;
    if (up) buf_printf(out, "\033[%dA", up);
    buf_putc(out, '\r');
    if (l->cursor_column) buf_printf(out, "\033[%dC", l->cursor_column);
    *d = (Display){n, l->cursor_row - first};
}

void display_update(Display *d, const DisplayText *t, Buf *out) {
    Layout l = {.t = t};
    unsigned char *paints = calloc(t->n + 1, 1);
    if (!paints) abort();
    if (t->colour) highlight(t->text, t->n, t->match ? (int)t->cursor : -1, paints);
    lay_out(&l, paints);
    int n = l.starts.n < t->rows ? l.starts.n : t->rows, first = l.cursor_row - n + 1;
    if (first < 0) first = 0;
    send_rows(&l, d, first, n, out);
    free(paints);
    buf_free(&l.text);
    arena_free(&l.arena);
}

void display_leave(Display *d, Buf *out) {
    if (d->n_rows - 1 > d->row) buf_printf(out, "\033[%dB", d->n_rows - 1 - d->row);
    buf_puts(out, "\r\n");
    *d = (Display){0};
}
