/* source.c -- source map: the text of files, and the file, line and column of a byte offset.
 *
 * All files share one range of offsets, so a Span needs no file. Line starts are computed when a diagnostic first needs
 * them. The text is not checked here: the lexer reports invalid bytes. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX_BYTES = 1 << 30 }; /* spans are 32-bit and the generated lexer adds to offsets */

static const char byte_order_mark[] = "\xEF\xBB\xBF";

Source *source_add(SourceMap *m, const char *path, const char *text, size_t n) {
    if (!m->next_base) m->next_base = 1; /* offset 0 is no location */
    if (n > SOURCE_MAX_BYTES || m->next_base + n > SOURCE_MAX_BYTES) return NULL;
    Source *s = arena_new(m->arena, Source);
    s->path = arena_strndup(m->arena, path, strlen(path));
    if (n >= 3 && !memcmp(text, byte_order_mark, 3)) text += 3, n -= 3;
    s->text = arena_strndup(m->arena, text, n);
    s->n = (uint32_t)n;
    s->base = m->next_base;
    m->next_base += (uint32_t)n + 1; /* the offset after the end belongs to this file: for "unexpected end of file" */
    vec_push(m->arena, &m->files, s);
    return s;
}

/* Reads up to the end of the file or pipe. false: errno is set. */
static bool read_all(int fd, Buf *out) {
    char block[1 << 16];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
        buf_add(out, block, (size_t)n);
        if (out->n > SOURCE_MAX_BYTES) return errno = EFBIG, false;
    }
}

/* Opening a pipe without a writer blocks. Files that are not named on the command line (SOURCE_FILE) are therefore
 * opened with O_NONBLOCK, and must be regular files. */
Source *source_read(SourceMap *m, const char *path, SourceKind kind, const char **why) {
    bool is_stdin = !strcmp(path, "-");
    int fd = is_stdin ? 0 : open(path, O_RDONLY | O_CLOEXEC | (kind == SOURCE_FILE ? O_NONBLOCK : 0));
    struct stat st;
    Buf text = {0};
    Source *s = NULL;
    if (fd < 0 || fstat(fd, &st)) {
        *why = strerror(errno);
    } else if (S_ISDIR(st.st_mode)) {
        *why = "it is a directory";
    } else if (kind == SOURCE_FILE && !S_ISREG(st.st_mode)) {
        *why = "it is not a regular file";
    } else if (!read_all(fd, &text)) {
        *why = errno == EFBIG ? "it is larger than 1 GiB" : strerror(errno);
    } else if (!(s = source_add(m, is_stdin ? "<stdin>" : path, text.n ? text.at : "", text.n))) {
        *why = "the sources are larger than 1 GiB together";
    }
    if (fd > 0) close(fd);
    buf_free(&text);
    return s;
}

static void find_lines(Arena *a, Source *s) {
    int n = 1;
    for (uint32_t i = 0; i < s->n; i++) n += s->text[i] == '\n';
    s->line_starts = arena_array(a, uint32_t, n);
    s->n_lines = 1;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->text[i] == '\n') s->line_starts[s->n_lines++] = i + 1;
}

/* Binary search for the last line start <= at. */
static int line_of(const Source *s, uint32_t at) {
    int lo = 0, hi = s->n_lines;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (s->line_starts[mid] <= at) lo = mid;
        else hi = mid;
    }
    return lo;
}

Place source_place(SourceMap *m, uint32_t offset) {
    for (int i = 0; i < m->files.n; i++) {
        Source *s = m->files.at[i];
        if (offset < s->base || offset > s->base + s->n) continue;
        if (!s->line_starts) find_lines(m->arena, s);
        int line = line_of(s, offset - s->base);
        return (Place){s, line + 1, (int)(offset - s->base - s->line_starts[line]) + 1};
    }
    return (Place){0};
}

const char *source_line(const Source *s, int line, int *n) {
    uint32_t lo = s->line_starts[line - 1];
    uint32_t hi = line < s->n_lines ? s->line_starts[line] - 1 : s->n;
    if (hi > lo && s->text[hi - 1] == '\r') hi--;
    *n = (int)(hi - lo);
    return s->text + lo;
}
