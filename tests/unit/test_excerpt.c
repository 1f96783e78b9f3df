/* Failures of compiled programs are printed as the compiler prints them: runtime/excerpt.c and diag_failure agree on
 * random sources, byte by byte, also on tabs, other alphabets, bytes that are no text, and long lines. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The runtime is no library of the compiler: it is embedded as objects. Here it is compiled in. */
#include "runtime/excerpt.c"

enum { SOURCES = 400, SPANS = 25 };

static uint64_t state = 88172645463325252u;

static unsigned chance(unsigned n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)((state >> 20) % n);
}

static void add_glyph(Buf *b) {
    static const char *const glyphs[] = {"\t", "x", " ", "+", "ä", "漢", "😀",
                                         "\xFF", "\x01", "\r", "\x80", "\xE2\x82"};
    const char *glyph = glyphs[chance(3) ? chance(4) : chance(sizeof glyphs / sizeof *glyphs)];
    buf_puts(b, glyph);
}

static void make_source(Buf *b) {
    if (!chance(4)) buf_puts(b, "\xEF\xBB\xBF");
    for (unsigned line = chance(6) + 1; line-- > 0;) {
        for (unsigned n = chance(5) ? chance(60) : chance(700); n-- > 0;) add_glyph(b);
        if (line || chance(2)) buf_puts(b, chance(4) ? "\n" : "\r\n");
    }
}

static void write_file_of(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f)) exit(1);
}

static bool is_same(const char *got, const char *want, const char *what) {
    if (!strcmp(got, want)) return true;
    printf("%s:\n%s\n-- not\n%s\n", what, got, want);
    return false;
}

static bool compare(Compiler *c, const Source *s, Span span, bool colour) {
    char place[512], got[8192];
    Buf want = {0};
    int n;
    Place at = source_place(&c->sources, span.lo);
    const char *line = source_line(s, at.line, &n);
    snprintf(place, sizeof place, "%s:%d:%d\n%u %08x", s->path, at.line, at.col,
             span.hi > span.lo ? span.hi - span.lo : 1, failure_hash(FAILURE_HASH, line, (size_t)n));
    const KdslFailure f = {place, "it fails", {NULL, "work item i = 3 of kernel `k`"}, NULL};
    kdsl_failure_text(got, sizeof got - 1, &f, colour);
    strcat(got, "\n");
    diag_failure(c, span, (Span){0}, f.message, f.notes[1], &want, colour);
    bool same = is_same(got, want.at, "a random source");
    buf_free(&want);
    return same;
}

static bool compare_source(const char *path) {
    Compiler c;
    Buf text = {0};
    const char *why;
    bool same = true;
    compiler_init(&c);
    make_source(&text);
    write_file_of(path, text.at ? text.at : "", text.n);
    Source *s = source_read(&c.sources, path, SOURCE_FILE, &why);
    for (int i = 0; s && i < SPANS && same; i++) {
        uint32_t lo = s->base + chance(s->n + 1), most = s->base + s->n - lo;
        Place at = source_place(&c.sources, lo);
        int n;
        source_line(s, at.line, &n);
        if (at.col - 1 > n) continue; /* in a line end */
        uint32_t length = chance(3) ? chance(12) % (most + 1) : chance(most + 1);
        same = compare(&c, s, (Span){lo, lo + length}, chance(4) == 0);
    }
    buf_free(&text);
    compiler_free(&c);
    return same;
}

/* Without an excerpt: what is not there, has changed, or is no source. */
static bool has_none(const char *place, const char *want) {
    char got[1024];
    const KdslFailure f = {place, "it fails", {"", NULL}, NULL};
    kdsl_failure_text(got, sizeof got, &f, false);
    return is_same(got, want, place);
}

static bool compare_without(const char *path) {
    char place[512], want[600];
    uint32_t hash = failure_hash(FAILURE_HASH, "abc", 3);
    bool same = has_none("image", "error: it fails\n      = note: in module `image`");
    same &= has_none("a.kdsl:6", "error: it fails\n --> a.kdsl:6") && has_none("a:6:7", "error: it fails\n --> a:6:7");
    same &= has_none(NULL, "error: it fails");
    same &= has_none("/dev/zero:1:1\n1 00000000", "error: it fails\n --> /dev/zero:1:1");
    same &= has_none("/:1:1\n1 811c9dc5", "error: it fails\n --> /:1:1");
    write_file_of(path, "abc\n", 4);
    for (int i = 0; i < 6; i++) { /* another line, a column beyond it, a changed line, a file that is gone */
        snprintf(want, sizeof want, "error: it fails\n --> %s:%d:%d%s", path, i == 1 ? 9 : 1, i == 2 ? 5 : 2,
                 i == 0 ? "\n    1 | abc\n      |  ^" : "");
        if (i == 3) write_file_of(path, "abd\n", 4);
        if (i == 4) write_file_of(path, "", 0);
        if (i == 5) remove(path);
        snprintf(place, sizeof place, "%s:%d:%d\n1 %08x", path, i == 1 ? 9 : 1, i == 2 ? 5 : 2, hash);
        same &= has_none(place, want);
    }
    return same;
}

static bool compare_sizes(void) {
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {{0, "0 bytes"}, {1, "1 byte"}, {16, "16 bytes"}, {9999, "9999 bytes"},
                 {10000, "10000 bytes (10 kB)"}, {12345, "12345 bytes (12.3 kB)"}, {999999, "999999 bytes (999.9 kB)"}, {4000000, "4000000 bytes (4 MB)"},
                 {1048576, "1048576 bytes (1 MB)"}, {INT64_MAX, "9223372036854775807 bytes (9.2 EB)"}};
    bool same = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FAILURE_SIZE_BYTES];
        same &= is_same(failure_size(text, cases[i].n), cases[i].text, "a size");
    }
    return same;
}

int main(void) {
    char path[] = "/tmp/test_excerpt-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    bool same = compare_sizes();
    for (int i = 0; i < SOURCES && same; i++) same = compare_source(path);
    same &= compare_without(path);
    remove(path);
    return !same;
}
