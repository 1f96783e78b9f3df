/* format.c -- formatting, as `kdslc fmt` does it: the lines that change, so that the others and the cursor stay. */
#include "fmt/fmt.h"
#include "lsp/internal.h"

static struct json_object *edit_object(const Server *s, const Compiler *c, const Source *of, const Formatted *to,
                                       const FmtEdit *e) {
    struct json_object *o = json_object_new_object();
    int lo = to->new_lines.at[e->new_line], hi = to->new_lines.at[e->new_line + e->n_new];
    int begin = to->old_lines.at[e->old_line], end = to->old_lines.at[e->old_line + e->n_old];
    Span old = {of->base + (uint32_t)begin, of->base + (uint32_t)end};
    json_object_object_add(o, "range", range_in(s, &c->sources, of, old));
    json_object_object_add(o, "newText", json_object_new_string_len(to->text.at + lo, hi - lo));
    return o;
}

/* The edits that touch lines `from` to `last`. The tree of an analysis is sema's, so the text is parsed again. */
static struct json_object *edits(Server *s, const Document *d, int from, int last) {
    struct json_object *list = json_object_new_array();
    Compiler c;
    compiler_init(&c);
    Source *source = source_add(&c.sources, d->path, d->text.n ? d->text.at : "", d->text.n);
    const Module *m = source ? parse_source(&c, source, NULL) : NULL;
    if (!m || c.diags.n_errors) {
        s->refusal = "the text has syntax errors";
    } else {
        Formatted to;
        fmt_source(&c, source, m, &to);
        for (int i = 0; i < to.edits.n; i++) {
            const FmtEdit *e = &to.edits.at[i];
            bool touches = e->old_line <= last && e->old_line + e->n_old >= from;
            if (touches) json_object_array_add(list, edit_object(s, &c, source, &to, e));
        }
        buf_free(&to.text);
    }
    compiler_free(&c);
    return list;
}

struct json_object *lsp_format(Server *s, struct json_object *params) {
    const Document *d = document_of(s, params);
    return d ? edits(s, d, 0, INT32_MAX) : NULL;
}

struct json_object *lsp_format_range(Server *s, struct json_object *params) {
    const Document *d = document_of(s, params);
    return d ? edits(s, d, json_number(params, "range.start.line"), json_number(params, "range.end.line")) : NULL;
}
