/* linker.c -- runs lld on files in memory: inputs are memfds named /proc/self/fd/N, the output is read from a pipe.
 *
 * A pipe, because lld writes a regular file through a temporary file in the same folder, which cannot be created in
 * /proc/self/fd, but streams to anything else. A thread reads the pipe while lld writes, so the output may have any
 * size. */
#define _GNU_SOURCE
#include "offload/linker.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "offload/lld.h"

void linker_begin(Linker *l, Compiler *c, const char *what) {
    *l = (Linker){.c = c, .what = what};
    linker_add(l, "ld.lld");
}

void linker_add(Linker *l, const char *argument) { vec_push(&l->c->arena, &l->argv, argument); }

void linker_add_list(Linker *l, const char *const *arguments) {
    for (; *arguments; arguments++) linker_add(l, *arguments);
}

static bool write_all(int fd, const char *at, size_t n) {
    while (n > 0) {
        ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

/* A limit on file sizes (ulimit -f) applies to memfds, too; then the output could not be written either. */
static void no_resources(Linker *l) {
    int error = errno;
    const char *why = strerror(error);
    if (l->failed) return;
    l->failed = true;
    if (error == EFBIG) diag(l->c, E1003, (Span){0, 0}, "cannot write %s: %s", l->what, why);
    else diag(l->c, E1024, (Span){0, 0}, "cannot link %s: out of memory for its files: %s", l->what, why);
}

void linker_add_bytes(Linker *l, const char *label, const void *at, size_t n) {
    if (l->failed) return;
    LinkerInput in = {memfd_create(label, MFD_CLOEXEC), label};
    if (in.fd < 0 || !write_all(in.fd, at, n)) {
        no_resources(l);
        if (in.fd >= 0) close(in.fd);
        return;
    }
    vec_push(&l->c->arena, &l->inputs, in);
    l->input_bytes += n;
    linker_add(l, arena_printf(&l->c->arena, "/proc/self/fd/%d", in.fd));
}

/* The output ------------------------------------------------------------------------------------------------------- */
typedef struct Reader {
    int fd;
    Blob got;
    bool failed;
} Reader;

static void *read_all(void *context) {
    Reader *r = context;
    size_t cap = 0;
    for (;;) {
        if (cap - r->got.n < 65536) {
            cap = cap ? 2 * cap : 1 << 18;
            char *at = realloc(r->got.at, cap);
            if (!at) break;
            r->got.at = at;
        }
        ssize_t k = read(r->fd, r->got.at + r->got.n, cap - r->got.n);
        if (k < 0 && errno == EINTR) continue;
        if (k == 0) return NULL;
        if (k < 0) break;
        r->got.n += (size_t)k;
    }
    r->failed = true;
    return NULL;
}

/* Messages --------------------------------------------------------------------------------------------------------- */
/* Replaces /proc/self/fd/N, lld's name of an input, by the label of the input. */
static const char *label_at(const Linker *l, const char *text, size_t *n) {
    static const char prefix[] = "/proc/self/fd/";
    if (strncmp(text, prefix, sizeof prefix - 1)) return NULL;
    char *end;
    long fd = strtol(text + sizeof prefix - 1, &end, 10);
    *n = (size_t)(end - text);
    for (int i = 0; i < l->inputs.n; i++)
        if (l->inputs.at[i].fd == fd) return l->inputs.at[i].label;
    return NULL;
}

static const char *readable(const Linker *l, const char *text) {
    Buf b = {0};
    buf_puts(&b, "");
    while (*text) {
        size_t n = 0;
        const char *label = label_at(l, text, &n);
        if (label) {
            buf_puts(&b, label);
            text += n;
        } else if (!strncmp(text, "ld.lld: ", 8)) {
            text += 8;
        } else {
            buf_putc(&b, *text++);
        }
    }
    while (b.n && isspace((unsigned char)b.at[b.n - 1])) b.at[--b.n] = '\0';
    const char *kept = arena_strndup(&l->c->arena, b.at, b.n);
    buf_free(&b);
    return kept;
}

/* C functions that the program declares and no library defines, at their declarations. */
static bool report_undefined(Linker *l, const char *text) {
    static const char head[] = "undefined symbol: ";
    bool any = false;
    for (const char *at = strstr(text, head); at; at = strstr(at, head)) {
        at += sizeof head - 1;
        size_t n = strcspn(at, "\n");
        for (int i = 0; i < l->n_externs; i++) {
            const LinkExtern *x = &l->externs[i];
            if (strncmp(at, x->symbol, n) || x->symbol[n]) continue;
            Diag *d = diag(l->c, E1023, x->at, "cannot link %s: no library that is linked defines `%s`", l->what,
                           x->symbol);
            diag_note(l->c, d, x->at, "`-lNAME` links with the library that defines it, `-LFOLDER` says where it is");
            any = true;
            break;
        }
    }
    return any;
}

/* The first line of lld's message becomes the diagnostic, the others its notes. */
static void report(Linker *l, const char *message) {
    const char *text = readable(l, message), *end = strchrnul(text, '\n');
    if (!strncmp(text, "error: ", 7)) text += 7;
    if (report_undefined(l, text)) return;
    Diag *d = diag(l->c, E1023, (Span){0, 0}, "cannot link %s: %.*s", l->what, (int)(end - text), text);
    while (*end) {
        const char *line = end + 1;
        end = strchrnul(line, '\n');
        if (end > line) diag_note(l->c, d, (Span){0, 0}, "%.*s", (int)(end - line), line);
    }
}

/* The run ---------------------------------------------------------------------------------------------------------- */
/* Small links take less time than starting threads. */
enum { PARALLEL_FROM_BYTES = 16 << 20 };

static bool run_into(Linker *l, int pipe_write, Reader *reader) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, read_all, reader)) return false;
    if (l->input_bytes < PARALLEL_FROM_BYTES) linker_add(l, "--threads=1");
    linker_add(l, "-o");
    linker_add(l, arena_printf(&l->c->arena, "/proc/self/fd/%d", pipe_write));
    char *message;
    int status = LLVMKdslLinkElf(l->argv.n, l->argv.at, &message);
    close(pipe_write); /* end of file for the reader ... */
    if (status == LLVM_KDSL_LINK_BROKEN) pthread_cancel(thread); /* ... unless lld has failed without closing it */
    pthread_join(thread, NULL);
    if (status != LLVM_KDSL_LINK_OK) report(l, message);
    else if (reader->failed) no_resources(l);
    free(message);
    return status == LLVM_KDSL_LINK_OK && !reader->failed;
}

static bool run(Linker *l, Blob *output) {
    int ends[2];
    if (l->failed) return false;
    if (pipe2(ends, O_CLOEXEC)) {
        no_resources(l);
        return false;
    }
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20); /* fewer context switches for large outputs; may fail */
    Reader reader = {.fd = ends[0]};
    bool ok = run_into(l, ends[1], &reader);
    close(ends[0]);
    if (ok) *output = reader.got;
    else free(reader.got.at);
    return ok;
}

bool linker_run(Linker *l, Blob *output) {
    *output = (Blob){0};
    bool ok = run(l, output);
    for (int i = 0; i < l->inputs.n; i++) close(l->inputs.at[i].fd);
    return ok;
}
