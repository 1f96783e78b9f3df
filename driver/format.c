/* format.c -- `kdslc fmt`: files are replaced as a whole, and only if formatting changes them and they have no syntax
 * errors. */
#include "driver/format.h"

#include <string.h>
#include <sys/stat.h>

#include "driver/meant.h"
#include "driver/output.h"
#include "fmt/fmt.h"

/* The file keeps its permissions. */
static bool rewrite(Compiler *c, const char *path, const Buf *text) {
    struct stat st;
    unsigned mode = stat(path, &st) ? 0666 : st.st_mode & 07777;
    mode_t mask = umask(0);
    bool ok = off_write_file(c, path, (Blob){text->n ? text->at : "", text->n}, mode);
    umask(mask);
    return ok;
}

static bool deliver(Compiler *c, const Options *o, const Source *s, const char *path, const Formatted *to) {
    bool changed = to->edits.n > 0, is_stream = !strcmp(path, "-"), ok = true;
    Buf said = {0};
    if (o->diff) fmt_diff(s, to, &said);
    else if (o->check_format && changed) buf_printf(&said, "%s\n", s->path);
    else if (!o->check_format && is_stream) buf_add(&said, to->text.at, to->text.n);
    else if (!o->check_format && changed) ok = rewrite(c, path, &to->text);
    if (said.n) ok = output_text(c, "-", said.at, said.n);
    buf_free(&said);
    return ok && !(o->check_format && changed);
}

static bool format_file(Compiler *c, const Options *o, const char *path) {
    const char *why;
    Source *s = source_read(&c->sources, path, SOURCE_ANY, &why);
    if (!s) {
        report_unreadable(c, path, why);
        return false;
    }
    const Module *m = parse_source(c, s, NULL);
    if (c->diags.n_errors) return false;
    Formatted to;
    fmt_source(c, s, m, &to);
    bool ok = deliver(c, o, s, path, &to);
    buf_free(&to.text);
    return ok;
}

bool format_files(Compiler *c, const Options *o) {
    bool ok = true;
    int n_errors = 0;
    if (!o->n_inputs) return format_file(c, o, "-");
    for (int i = 0; i < o->n_inputs; i++) {
        ok = format_file(c, o, o->inputs[i]) && ok;
        n_errors += c->diags.n_errors;
        c->diags.n_errors = 0; /* each file may have as many as one of a compilation */
        if (i + 1 < o->n_inputs) c->diags.too_many = false;
    }
    c->diags.n_errors = n_errors;
    return ok;
}
