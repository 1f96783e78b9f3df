/* fmt.c -- the formatter from start to end. It checks its own work: a source is a user's, and nothing may get lost. */
#include "fmt/internal.h"

void fmt_source(Compiler *c, const Source *s, const Module *m, Formatted *out) {
    Fmt f, again;
    *out = (Formatted){0};
    fmt_read(&f, c, s);
    fmt_roles(&f, m);
    fmt_keep_breaks(&f);
    fmt_lay_out(&f);
    fmt_print(&f, &out->text);
    const char *text = out->text.n ? out->text.at : "";
    const Source *result = source_add(&c->sources, s->path, text, out->text.n);
    if (!result) ice(c, (Span){0}, "the formatted source is too large");
    fmt_read(&again, c, result);
    if (!fmt_same(&f, &again)) ice(c, (Span){s->base, s->base}, "the formatter changed more than blanks");
    fmt_edits(&f, out);
    buf_free(&f.code);
}
