/* diff.c -- what formatting changes, in lines. Both texts have the same pieces, so a piece that begins a line in both
 * is where they meet again: no search is needed. */
#include "fmt/internal.h"

#include <string.h>

enum { CONTEXT = 3 };

/* Appends where each line of a text starts, and where the last one ends. */
static int find_lines(Arena *a, const char *text, size_t n, FmtLines *out) {
    for (size_t at = 0; at < n;) {
        const char *feed = memchr(text + at, '\n', n - at);
        vec_push(a, out, (int)at);
        at = feed ? (size_t)(feed - text) + 1 : n;
    }
    vec_push(a, out, (int)n);
    return out->n - 1;
}

/* A position in both texts. */
typedef struct Meeting { int old, new; } Meeting;

static bool same_line(const Fmt *f, const Formatted *to, int old, int new) {
    int n = to->old_lines.at[old + 1] - to->old_lines.at[old];
    if (n != to->new_lines.at[new + 1] - to->new_lines.at[new]) return false;
    return !memcmp(f->text + to->old_lines.at[old], to->text.at + to->new_lines.at[new], (size_t)n);
}

static void add_edit(const Fmt *f, Formatted *to, Meeting lo, Meeting hi) {
    while (lo.old < hi.old && lo.new < hi.new && same_line(f, to, lo.old, lo.new)) lo.old++, lo.new++;
    while (lo.old < hi.old && lo.new < hi.new && same_line(f, to, hi.old - 1, hi.new - 1)) hi.old--, hi.new--;
    if (lo.old == hi.old && lo.new == hi.new) return;
    FmtEdit *last = to->edits.n ? &to->edits.at[to->edits.n - 1] : NULL;
    if (last && last->old_line + last->n_old == lo.old && last->new_line + last->n_new == lo.new) {
        last->n_old += hi.old - lo.old;
        last->n_new += hi.new - lo.new;
        return;
    }
    FmtEdit edit = {lo.old, hi.old - lo.old, lo.new, hi.new - lo.new};
    vec_push(&f->c->arena, &to->edits, edit);
}

void fmt_edits(const Fmt *f, Formatted *out) {
    Meeting at = {0, 0}, end;
    end.old = find_lines(&f->c->arena, f->text, f->source->n, &out->old_lines);
    end.new = find_lines(&f->c->arena, out->text.n ? out->text.at : "", out->text.n, &out->new_lines);
    for (int i = 0; i < f->lines.n; i++) {
        const Line *line = &f->lines.at[i];
        const Piece *p = piece_at(f, line->first);
        if (line->first && !p->newlines) continue;
        Meeting here = {p->line, line->number};
        add_edit(f, out, at, here);
        at = here;
    }
    add_edit(f, out, at, end);
}

/* The unified format ----------------------------------------------------------------------------------------------- */

static void put_lines(Buf *out, char sign, const char *text, const FmtLines *lines, int from, int n) {
    for (int i = from; i < from + n; i++) {
        int length = lines->at[i + 1] - lines->at[i];
        const char *at = text + lines->at[i];
        buf_putc(out, sign);
        buf_add(out, at, (size_t)length);
        if (at[length - 1] != '\n') buf_puts(out, "\n\\ No newline at end of file\n");
    }
}

/* "12,3": a range of no lines is named by the line before it. */
static void put_range(Buf *out, char sign, int from, int n) {
    buf_printf(out, "%c%d", sign, n ? from + 1 : from);
    if (n != 1) buf_printf(out, ",%d", n);
}

/* The edits from i on that are so near that they share their context. */
static int edits_together(const Formatted *to, int i) {
    int n = 1;
    while (i + n < to->edits.n) {
        const FmtEdit *a = &to->edits.at[i + n - 1], *b = a + 1;
        if (b->old_line - (a->old_line + a->n_old) > 2 * CONTEXT) break;
        n++;
    }
    return n;
}

static void put_hunk(const Source *s, const Formatted *to, int i, int n, Buf *out) {
    const FmtEdit *first = &to->edits.at[i], *last = &to->edits.at[i + n - 1];
    int before = first->old_line < CONTEXT ? first->old_line : CONTEXT, end = last->old_line + last->n_old;
    int after = to->old_lines.n - 1 - end < CONTEXT ? to->old_lines.n - 1 - end : CONTEXT;
    int old = first->old_line - before, new = first->new_line - before;
    buf_puts(out, "@@ ");
    put_range(out, '-', old, end + after - old);
    buf_putc(out, ' ');
    put_range(out, '+', new, last->new_line + last->n_new + after - new);
    buf_puts(out, " @@\n");
    for (const FmtEdit *e = first; e <= last; e++) {
        put_lines(out, ' ', s->text, &to->old_lines, old, e->old_line - old);
        put_lines(out, '-', s->text, &to->old_lines, e->old_line, e->n_old);
        put_lines(out, '+', to->text.at, &to->new_lines, e->new_line, e->n_new);
        old = e->old_line + e->n_old;
    }
    put_lines(out, ' ', s->text, &to->old_lines, old, after);
}

void fmt_diff(const Source *s, const Formatted *to, Buf *out) {
    if (!to->edits.n) return;
    buf_printf(out, "--- %s\n+++ %s\n", s->path, s->path);
    for (int i = 0, n; i < to->edits.n; i += n) {
        n = edits_together(to, i);
        put_hunk(s, to, i, n, out);
    }
}
