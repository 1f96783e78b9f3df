/* excerpt.c -- failures as text, in the layout of the compiler's diagnostics (base/diag.c):
 *
 *   error: index 10 is out of bounds for `x`, which has 10 elements (0 to 9)
 *    --> saxpy.kdsl:7:9
 *       7 |         x[i] = a * x[i] + y[i];
 *         |         ^~~~
 *         = note: work item i = 10 of kernel `saxpy`
 *
 * The source line is read when the program fails. It is shown only if it is the line that was compiled, which its hash
 * says: a place is "saxpy.kdsl:7:9", for cg_place_string with "\n4 1a2b3c4d" after it, the length of what is marked and
 * the hash of the line. tests/unit/test_excerpt.c compares the layout with the compiler's.
 *
 * Of the standard library there are no files: after its places comes what is marked, "<stdlib>/algo.kdsl:206:86\n8
 * 1a2b3c4d\nx[at[i]]". It is shown in a note. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/internal.h"
#include "runtime/live.h"

enum { LINE_WINDOW = 160, TAB_WIDTH = 4, BEFORE = 8, AFTER = 4, MOST_PATH = 4096, MOST_SOURCE = 1 << 30 };

typedef struct Colours {
    const char *bold, *error, *note, *caret, *off;
} Colours;
static const Colours no_colours = {"", "", "", "", ""};
static const Colours ansi_colours = {"\033[1m", "\033[1;31m", "\033[1;36m", "\033[1;32m", "\033[0m"};

typedef struct Out { /* as of snprintf: n goes on beyond the room */
    char *at;
    size_t room, n;
} Out;

__attribute__((format(printf, 2, 3))) static void append(Out *o, const char *format, ...) {
    size_t left = o->n < o->room ? o->room - o->n : 0;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(left ? o->at + o->n : NULL, left, format, ap);
    va_end(ap);
    o->n += n > 0 ? (size_t)n : 0;
}

/* Places ----------------------------------------------------------------------------------------------------------- */

typedef struct Where {
    const char *text, *marked; /* marked: of the standard library; else NULL */
    int n_text, n_file; /* of "saxpy.kdsl:7:9"; n_file 0: it is the name of a module */
    int64_t line, column, length;
    uint32_t hash;
    bool has_hash;
} Where;

/* A number at the end of text[0..n), after a colon; its beginning with the colon, or n. */
static int number_before(const char *text, int n, int64_t *number) {
    int at = n;
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') at--;
    if (at == n || n - at > 10 || at < 2 || text[at - 1] != ':') return n;
    *number = strtoll(text + at, NULL, 10);
    return at - 1;
}

bool kdsl_is_in_library(const char *place) {
    return place && !strncmp(place, FAILURE_LIBRARY, sizeof FAILURE_LIBRARY - 1);
}

static Where place_of(const char *text) {
    bool is_library = kdsl_is_in_library(text);
    const char *more = is_library ? strchr(text, '\n') : strrchr(text, '\n'); /* a path may have line ends */
    Where p = {.text = text, .n_text = (int)(more ? (size_t)(more - text) : strlen(text))};
    long long length;
    p.has_hash = more && sscanf(more + 1, "%lld %8x", &length, &p.hash) == 2;
    p.length = p.has_hash ? length : 0;
    int end = number_before(text, p.n_text, &p.column), begin = number_before(text, end, &p.line);
    if (begin == end) p.line = p.column, p.column = 0;
    p.n_file = end == p.n_text ? 0 : begin;
    const char *marked = is_library && more ? strchr(more + 1, '\n') : NULL;
    p.marked = marked ? marked + 1 : NULL;
    return p;
}

/* The line --------------------------------------------------------------------------------------------------------- */

typedef struct Line {
    int64_t n, begin; /* `at` has the bytes from `begin` on */
    uint32_t hash;
    char at[BEFORE + LINE_WINDOW + AFTER];
} Line;

static void take(Line *l, char c) {
    l->hash = failure_hash(l->hash, &c, 1);
    if (l->n >= l->begin && l->n < l->begin + (int64_t)sizeof l->at) l->at[l->n - l->begin] = c;
    l->n++;
}

static void skip_mark(FILE *f) { /* the byte order mark, as the compiler does */
    char head[3];
    if (fread(head, 1, 3, f) != 3 || memcmp(head, "\xEF\xBB\xBF", 3)) rewind(f);
}

/* Without its line end, which may be "\r\n". */
static bool read_line(FILE *f, int64_t line, Line *l) {
    int64_t at = 1;
    bool has_return = false;
    skip_mark(f);
    for (int c; (c = getc_unlocked(f)) != EOF;) {
        if (c == '\n' && at == line) break;
        at += c == '\n';
        if (at != line || c == '\n') continue;
        if (has_return) take(l, '\r');
        has_return = c == '\r';
        if (!has_return) take(l, (char)c);
    }
    return at == line && !ferror(f);
}

/* Not of a pipe or a device, where reading may wait or change something. */
static FILE *open_source(const Where *p) {
    char path[MOST_PATH];
    struct stat s;
    if (p->n_file >= MOST_PATH) return NULL;
    snprintf(path, sizeof path, "%.*s", p->n_file, p->text);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return NULL;
    bool is_source = !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size <= MOST_SOURCE;
    FILE *f = is_source ? fdopen(fd, "r") : NULL;
    if (!f) close(fd);
    return f;
}

static KdslSources sources; /* of a session */

#ifdef KDSL_LIVE
void kdsl_sources_are(const KdslSources *s) { sources = s ? *s : (KdslSources){0}; }
#endif

static bool line_of_session(const Where *p, Line *l) {
    int n;
    const char *text = sources.line ? sources.line(sources.of, p->text, p->n_file, (int)p->line, p->hash, &n)
                                    : NULL;
    for (int i = 0; text && i < n; i++) take(l, text[i]);
    return text != NULL;
}

static bool find_line(const Where *p, Line *l) {
    int64_t caret = p->column - 1;
    *l = (Line){.hash = FAILURE_HASH};
    l->begin = caret > LINE_WINDOW ? caret - LINE_WINDOW / 2 - BEFORE : 0;
    if (!p->has_hash || !p->n_file || p->line < 1 || p->column < 1) return false;
    bool found = line_of_session(p, l);
    FILE *f = found ? NULL : open_source(p);
    if (f) {
        found = read_line(f, p->line, l);
        fclose(f);
    }
    return found && l->hash == p->hash && caret <= l->n;
}

/* The excerpt ------------------------------------------------------------------------------------------------------ */

static int utf8_length(const char *at, int64_t n) { /* 0: invalid */
    const unsigned char *text = (const unsigned char *)at;
    int need = text[0] < 0x80 ? 1 : text[0] >= 0xC2 && text[0] < 0xE0 ? 2 : (text[0] & 0xF0) == 0xE0 ? 3
             : text[0] >= 0xF0 && text[0] < 0xF5 ? 4 : 0;
    if (need > n) return 0;
    for (int i = 1; i < need; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    return need;
}

/* One character; returns its display width. */
static int put_glyph(Out *o, const char *at, int64_t n, int column, int *used) {
    int length = utf8_length(at, n), width = *at == '\t' ? TAB_WIDTH - column % TAB_WIDTH : 1;
    *used = length ? length : 1;
    if (*at == '\t') append(o, "%*s", width, "");
    else if (!length || (unsigned char)*at < 0x20 || *at == 0x7F) append(o, ".");
    else append(o, "%.*s", length, at);
    return width;
}

static void put_excerpt(Out *o, const Where *p, const Colours *c) {
    Line l;
    if (!find_line(p, &l)) return;
    int64_t caret = p->column - 1, end = caret + (p->length > 0 ? p->length : 1);
    if (end > l.n) end = l.n;
    int64_t from = caret > LINE_WINDOW ? caret - LINE_WINDOW / 2 : 0;
    int64_t to = l.n - from > LINE_WINDOW ? from + LINE_WINDOW : l.n;
    while (from > l.begin && ((unsigned char)l.at[from - l.begin] & 0xC0) == 0x80) from--;
    append(o, "\n%5lld | %s", (long long)p->line, from ? "..." : "");
    int column = 0, caret_column = 0, end_column = 0, used;
    for (int64_t i = from; i < to; i += used) {
        if (i <= caret) caret_column = column;
        column += put_glyph(o, l.at + (i - l.begin), l.n - i, column, &used);
        if (i < end) end_column = column;
    }
    if (caret >= to) caret_column = column;
    append(o, "%s\n      | %*s%s^", to < l.n ? "..." : "", caret_column + (from ? 3 : 0), "", c->caret);
    for (int i = caret_column + 1; i < end_column; i++) append(o, "~");
    append(o, "%s", c->off);
}

static void put_note(Out *o, const Colours *c, const char *before, int n, const char *text, const char *after) {
    append(o, "\n      = %snote:%s %s%.*s%s", c->note, c->off, before, n, text, after);
}

static void put_place(Out *o, const char *text, const Colours *c) {
    Where p = place_of(text);
    if (!p.n_file) {
        put_note(o, c, "in module `", p.n_text, text, "`");
        return;
    }
    append(o, "\n %s-->%s %.*s", c->bold, c->off, p.n_text, text);
    put_excerpt(o, &p, c);
}

static void put_library(Out *o, const char *text, const Colours *c) {
    Where p = place_of(text);
    append(o, "\n      = %snote:%s in %.*s", c->note, c->off, p.n_text, text);
    if (p.marked) append(o, ": `%s`", p.marked);
}

size_t kdsl_failure_text(char *at, size_t room, const KdslFailure *f, bool colour) {
    const Colours *c = colour ? &ansi_colours : &no_colours;
    Out o = {at, room, 0};
    if (room) *at = '\0';
    append(&o, "%serror:%s %s", c->error, c->off, f->message);
    if (f->place) put_place(&o, f->place, c);
    if (f->library) put_library(&o, f->library, c);
    for (int i = 0; i < KDSL_MOST_NOTES; i++)
        if (f->notes[i] && *f->notes[i]) put_note(&o, c, "", (int)strlen(f->notes[i]), f->notes[i], "");
    return o.n;
}

bool kdsl_failures_have_colour(void) { /* as driver/options.c decides for diagnostics */
    const char *term = getenv("TERM");
    if (KDSL_IS_LIVE) return sources.colour;
    return isatty(STDERR_FILENO) && !getenv("NO_COLOR") && !(term && !strcmp(term, "dumb"));
}
