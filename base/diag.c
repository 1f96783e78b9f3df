/* diag.c -- diagnostics: passes collect them as data; they are sorted and printed once.
 *
 *   saxpy.kdsl:7:9: error[E0401]: `x` is read-only here
 *      7 |         x[i] = a * x[i] + y[i];
 *        |         ^~~~
 *   saxpy.kdsl:3:23: note: ...            with its source line, unless that was shown; then
 *        = note: ...   = fix: ...
 *
 * Columns count bytes, as editors expect; the caret line is aligned by display width (tabs, UTF-8). Of long lines a
 * window around the caret is shown, and control bytes are shown as `.`. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help;
    Severity severity;
} codes[DIAG__COUNT] = {
#define DIAG(code, severity, help) [code] = {#code, help, severity},
#include "base/diag.def"
#undef DIAG
};

const char *diag_code_name(DiagCode code) { return codes[code].name; }
const char *diag_help(DiagCode code) { return codes[code].help; }

void compiler_init(Compiler *c) {
    *c = (Compiler){0};
    c->names.arena = &c->arena;
    c->sources.arena = &c->arena;
    c->diags.arena = &c->arena;
    c->diags.sources = &c->sources;
}

void compiler_free(Compiler *c) {
    interner_free(&c->names);
    arena_free(&c->arena);
}

/* What has no place, as a file that cannot be read, is repeated if the text is. */
static bool is_repeated(const Diags *d, const Diag *new) {
    for (int i = d->list.n - 1; i >= 0 && i > d->list.n - 1 - DIAG_MAX_ERRORS; i--) {
        const Diag *old = d->list.at[i];
        if (old->code != new->code || old->span.lo != new->span.lo) continue;
        if (new->span.hi || !strcmp(old->text, new->text)) return true;
    }
    return false;
}

Diag *diag(Compiler *c, DiagCode code, Span span, const char *format, ...) {
    Diags *all = &c->diags;
    Diag *d = arena_new(&c->arena, Diag);
    va_list ap;
    va_start(ap, format);
    *d = (Diag){.code = code, .severity = codes[code].severity, .span = span};
    d->text = arena_vprintf(&c->arena, format, ap);
    va_end(ap);
    if (is_repeated(all, d)) return d;
    bool is_error = d->severity == SEV_ERROR;
    int *count = is_error ? &all->n_errors : &all->n_warnings;
    if (++*count > DIAG_MAX_ERRORS) {
        all->too_many |= is_error;
        return d;
    }
    vec_push(&c->arena, &all->list, d);
    return d;
}

void diag_fix(Compiler *c, Diag *d, Span span, const char *replacement, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    DiagNote note = {.span = span, .text = arena_vprintf(&c->arena, format, ap)};
    va_end(ap);
    if (replacement) note.fix = arena_strndup(&c->arena, replacement, strlen(replacement));
    vec_push(&c->arena, &d->notes, note);
}

void diag_note(Compiler *c, Diag *d, Span span, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    DiagNote note = {.span = span, .text = arena_vprintf(&c->arena, format, ap)};
    va_end(ap);
    vec_push(&c->arena, &d->notes, note);
}

/* ---- printing ---- */

enum { LINE_WINDOW = 160, TAB_WIDTH = 4 };

typedef struct Colours {
    const char *bold, *error, *warning, *note, *caret, *off;
} Colours;
static const Colours no_colours = {"", "", "", "", "", ""};
static const Colours ansi_colours = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

/* Length of the UTF-8 sequence at text[0..n); 0: invalid. */
static int utf8_length(const unsigned char *text, int n) {
    int need = text[0] < 0x80 ? 1 : text[0] >= 0xC2 && text[0] < 0xE0 ? 2 : (text[0] & 0xF0) == 0xE0 ? 3
             : text[0] >= 0xF0 && text[0] < 0xF5 ? 4 : 0;
    if (!need || need > n) return 0;
    for (int i = 1; i < need; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    return need;
}

/* Appends one character of the source to `out` (NULL: only measures) and returns its display width. */
static int put_glyph(Buf *out, const char *text, int n, int column, int *used) {
    const unsigned char *at = (const unsigned char *)text;
    int length = utf8_length(at, n);
    *used = length ? length : 1;
    if (*at == '\t') {
        int width = TAB_WIDTH - column % TAB_WIDTH;
        if (out) buf_printf(out, "%*s", width, "");
        return width;
    }
    if (out) {
        if (!length || *at < 0x20 || *at == 0x7F) buf_putc(out, '.');
        else buf_add(out, text, (size_t)length);
    }
    return 1;
}

static void print_snippet(SourceMap *m, Span span, const Colours *col, Buf *out) {
    Place at = source_place(m, span.lo);
    int n;
    const char *line = source_line(at.file, at.line, &n);
    int caret = at.col - 1 > n ? n : at.col - 1;
    int end = span.hi > span.lo ? caret + (int)(span.hi - span.lo) : caret + 1;
    if (end > n) end = n;
    int from = caret > LINE_WINDOW ? caret - LINE_WINDOW / 2 : 0;
    int to = n - from > LINE_WINDOW ? from + LINE_WINDOW : n;
    while (from > 0 && ((unsigned char)line[from] & 0xC0) == 0x80) from--;
    buf_printf(out, "%5d | %s", at.line, from ? "..." : "");
    int column = 0, caret_column = 0, end_column = 0, used;
    for (int i = from; i < to; i += used) {
        if (i <= caret) caret_column = column;
        column += put_glyph(out, line + i, n - i, column, &used);
        if (i < end) end_column = column;
    }
    if (caret >= to) caret_column = column;
    buf_printf(out, "%s\n      | %*s%s^", to < n ? "..." : "", caret_column + (from ? 3 : 0), "", col->caret);
    for (int i = caret_column + 1; i < end_column; i++) buf_putc(out, '~');
    buf_printf(out, "%s\n", col->off);
}

static void print_one(Diags *all, Span span, const char *label, const char *label_colour, const char *text,
                      const Colours *col, Buf *out) {
    Place at = source_place(all->sources, span.lo);
    if (at.file) buf_printf(out, "%s%s:%d:%d:%s ", col->bold, at.file->path, at.line, at.col, col->off);
    else buf_printf(out, "%skdslc:%s ", col->bold, col->off);
    buf_printf(out, "%s%s:%s %s\n", label_colour, label, col->off, text);
    if (at.file) print_snippet(all->sources, span, col, out);
}

/* "replace `n` with `f32(n)`", or without the old text if that is long. */
static void print_edit(const DiagNote *note, const Source *file, Buf *out) {
    bool inserts = note->span.hi <= note->span.lo;
    const char *old = file->text + (note->span.lo - file->base);
    int n_old = inserts ? 0 : (int)(note->span.hi - note->span.lo);
    if (n_old > 60 || memchr(old, '\n', (size_t)n_old)) n_old = -1;
    int n_new = (int)strlen(note->fix);
    bool is_line = inserts && n_new && note->fix[n_new - 1] == '\n';
    if (is_line) buf_printf(out, "insert the line `%.*s`\n", n_new - 1, note->fix);
    else if (inserts) buf_printf(out, "insert `%s`\n", note->fix);
    else if (!*note->fix && n_old >= 0) buf_printf(out, "remove `%.*s`\n", n_old, old);
    else if (n_old >= 0) buf_printf(out, "replace `%.*s` with `%s`\n", n_old, old, note->fix);
    else buf_printf(out, "write `%s`\n", note->fix);
}

/* Prints a note with its source line, or on one line if the diagnostic has shown that line. */
static void print_note(Diags *all, const Diag *d, const DiagNote *note, const Colours *col, Buf *out) {
    Place at = source_place(all->sources, note->span.lo), shown = source_place(all->sources, d->span.lo);
    bool has_text = note->text && *note->text, fixes = note->fix && at.file;
    bool on_screen = at.file && at.file == shown.file && at.line == shown.line;
    bool here = on_screen && (fixes || note->span.lo == d->span.lo);
    if (has_text && !here) print_one(all, note->span, "note", col->note, note->text, col, out);
    if (has_text && here && !fixes) buf_printf(out, "      = %snote:%s %s\n", col->note, col->off, note->text);
    if (!fixes) return;
    buf_printf(out, "      = %sfix:%s ", col->note, col->off);
    if (has_text && here) buf_printf(out, "%s%s ", note->text, note->text[strlen(note->text) - 1] == '?' ? "" : ":");
    print_edit(note, at.file, out);
}

/* Compares locations; passes do not report in source order. */
static int by_place(const void *a, const void *b) {
    const Diag *x = *(Diag *const *)a, *y = *(Diag *const *)b;
    return x->span.lo < y->span.lo ? -1 : x->span.lo > y->span.lo;
}

/* A stable sort, so that diagnostics at the same location stay in the order of reporting. Insertion sort suffices: the
 * list has at most 2 * DIAG_MAX_ERRORS entries. */
static void sort_by_place(Diag **at, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && by_place(&at[j - 1], &at[j]) > 0; j--) {
            Diag *t = at[j];
            at[j] = at[j - 1];
            at[j - 1] = t;
        }
}

void diags_print(Compiler *c, Buf *out, bool colour) {
    Diags *all = &c->diags;
    const Colours *col = colour ? &ansi_colours : &no_colours;
    sort_by_place(all->list.at, all->list.n);
    for (int i = 0; i < all->list.n; i++) {
        const Diag *d = all->list.at[i];
        bool error = d->severity == SEV_ERROR;
        char label[32];
        snprintf(label, sizeof label, "%s[%s]", error ? "error" : "warning", diag_code_name(d->code));
        print_one(all, d->span, label, error ? col->error : col->warning, d->text, col, out);
        for (int k = 0; k < d->notes.n; k++) print_note(all, d, &d->notes.at[k], col, out);
    }
    if (all->too_many)
        buf_printf(out, "kdslc: %d errors in total; only the first %d are shown\n", all->n_errors, DIAG_MAX_ERRORS);
}

const char *source_marked(Arena *a, Place at, uint32_t n) {
    int length;
    const char *line = source_line(at.file, at.line, &length);
    int begin = at.col - 1 < length ? at.col - 1 : length, most = length - begin;
    return arena_strndup(a, line + begin, n < (uint32_t)most ? n : (size_t)most);
}

void diag_failure(Compiler *c, Span span, Span library, const char *message, const char *note, Buf *out, bool colour) {
    const Colours *col = colour ? &ansi_colours : &no_colours;
    Place at = source_place(&c->sources, span.lo);
    buf_printf(out, "%serror:%s %s\n", col->error, col->off, message);
    if (at.file) {
        buf_printf(out, " %s-->%s %s:%d:%d\n", col->bold, col->off, at.file->path, at.line, at.col);
        print_snippet(&c->sources, span, col, out);
    }
    if (library.hi) {
        Place p = source_place(&c->sources, library.lo);
        uint32_t n = library.hi > library.lo ? library.hi - library.lo : 1;
        buf_printf(out, "      = %snote:%s in %s:%d:%d: `%s`\n", col->note, col->off, p.file->path, p.line, p.col,
                   source_marked(&c->arena, p, n));
    }
    if (*note) buf_printf(out, "      = %snote:%s %s\n", col->note, col->off, note);
}

void ice(Compiler *c, Span span, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    Place at = c ? source_place(&c->sources, span.lo) : (Place){0};
    fputs("kdslc: internal error: ", stderr);
    vfprintf(stderr, format, ap);
    if (at.file) fprintf(stderr, "\n  while compiling %s:%d:%d", at.file->path, at.line, at.col);
    fputs("\nThis is a bug in kdslc; please report it with the program that shows it.\n", stderr);
    va_end(ap);
    abort();
}
