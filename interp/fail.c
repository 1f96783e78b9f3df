/* fail.c -- run-time errors of an interpreted program. As in a compiled program, buffered output is written first,
 * then the message on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

enum { EXIT_CHECK = 3 };

const char *interp_place(Run *r, Span span) {
    Place p = source_place(&r->c->sources, span.lo);
    return arena_printf(&r->c->arena, "%s:%d:%d", p.file ? p.file->path : "?", p.line, p.col);
}

void interp_exit(int status) {
    fflush(stdout);
    exit(status);
}

static void flush(Frame *f) {
    if (f->item) interp_flush_prints(f->item->launch);
    fflush(stdout);
}

bool interp_is_in_library(const Run *r, Span span) {
    Place p = source_place(&r->c->sources, span.lo);
    return p.file && !strncmp(p.file->path, FAILURE_LIBRARY, sizeof FAILURE_LIBRARY - 1);
}

void interp_fail(Frame *f, Span span, const char *format, ...) {
    Buf said = {0};
    bool is_called = f->run->called.hi && interp_is_in_library(f->run, span);
    Span library = is_called ? span : (Span){0};
    va_list ap;
    va_start(ap, format);
    const char *message = arena_vprintf(&f->run->c->arena, format, ap);
    diag_failure(f->run->c, is_called ? f->run->called : span, library, message, interp_item_text(f), &said,
                 f->run->options.colour);
    va_end(ap);
    flush(f);
    fputs(said.at, stderr);
    interp_exit(EXIT_CHECK);
}

void interp_unsupported(Frame *f, Span span, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    flush(f);
    fprintf(stderr, "%s: ", interp_place(f->run, span));
    vfprintf(stderr, format, ap);
    va_end(ap);
    fprintf(stderr, ", which the interpreter does not support\n");
    interp_exit(INTERP_UNSUPPORTED);
}

static const char *in_item(Frame *f) {
    return f->item ? arena_printf(&f->run->c->arena, " (%s)", interp_item_text(f)) : "";
}

void interp_was_proven(Frame *f, Span span, const char *what) {
    ice(f->run->c, span, "%s, but the checker has proven that this cannot happen%s", what, in_item(f));
}

const char *interp_shape_text(Frame *f, const Type *array, const int64_t *ext) {
    const char *text = "[";
    for (int d = 0; d < array->rank; d++)
        text = arena_printf(&f->run->c->arena, "%s%s%lld", text, d ? ", " : "", (long long)ext[d]);
    return arena_printf(&f->run->c->arena, "%s]", text);
}
