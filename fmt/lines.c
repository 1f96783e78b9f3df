/* lines.c -- the lines become text. Comments at line ends that are below each other in the source stay so. */
#include "fmt/internal.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* A line of a comment, which moves by some columns; a tab at its start stays. */
static void comment_line(const char *text, size_t n, int by, Buf *out) {
    size_t blanks = 0;
    while (n && is_blank(text[n - 1])) n--;
    while (blanks < n && text[blanks] == ' ') blanks++;
    if (blanks == n || text[blanks] == '\t') by = 0;
    int margin = (int)blanks + by;
    for (int i = 0; i < margin; i++) buf_putc(out, ' ');
    if (n > blanks) buf_add(out, text + blanks, n - blanks);
}

void fmt_comment(const Fmt *f, const Piece *p, int column, Buf *out) {
    const char *at = f->text + p->lo, *end = f->text + p->hi;
    for (int by = 0;; by = column - p->column) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        comment_line(at, (size_t)((feed ? feed : end) - at), by, out);
        if (!feed) return;
        buf_putc(out, '\n');
        at = feed + 1;
    }
}

bool fmt_continues(const Fmt *f, int comment) {
    if (comment == 0 || !f->lines.n) return false;
    const Piece *p = piece_at(f, comment), *above = piece_at(f, comment - 1);
    int n = f->lines.n - 1;
    if (f->lines.at[n].first == comment) n--; /* its line has been begun */
    return n >= 0 && f->lines.at[n].comment == comment - 1 && p->newlines == 1 && p->kind == PIECE_LINE_COMMENT &&
           p->column == above->column;
}

/* The lines from i on whose comments begin at the same column of the source. */
static int aligned_lines(const Fmt *f, int i) {
    int n = 1, column = piece_at(f, f->lines.at[i].comment)->column;
    for (; i + n < f->lines.n; n++) {
        const Line *line = &f->lines.at[i + n];
        if (line->after_blank || line->comment < 0 || piece_at(f, line->comment)->column != column) break;
    }
    return n;
}

static void print_comment(const Fmt *f, const Line *line, int column, Buf *out) {
    int code = line->hi > line->lo ? line->width : 0;
    for (; code < column; code++) buf_putc(out, ' ');
    fmt_comment(f, piece_at(f, line->comment), column, out);
}

static int count_lines(const char *text, size_t n) {
    int lines = 0;
    for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
    return lines;
}

void fmt_print(Fmt *f, Buf *out) {
    int number = 0, column = 0, left = 0; /* lines of the run whose comments begin at `column` */
    for (int i = 0; i < f->lines.n; i++) {
        Line *line = &f->lines.at[i];
        size_t start = out->n;
        if (line->after_blank) buf_putc(out, '\n');
        line->number = number + line->after_blank;
        if (line->hi > line->lo) {
            buf_printf(out, "%*s", line->indent, "");
            buf_add(out, f->code.at + line->lo, line->hi - line->lo);
        }
        if (line->comment >= 0 && !left) {
            left = aligned_lines(f, i);
            column = 0;
            for (int k = i; k < i + left; k++)
                if (f->lines.at[k].hi > f->lines.at[k].lo && f->lines.at[k].width + FMT_COMMENT_GAP > column)
                    column = f->lines.at[k].width + FMT_COMMENT_GAP;
        }
        if (line->comment >= 0) print_comment(f, line, column, out), left--;
        buf_putc(out, '\n');
        number += count_lines(out->at + start, out->n - start);
    }
}
