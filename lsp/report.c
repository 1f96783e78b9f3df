/* report.c -- diagnostics as the client shows them, and their fixes as code actions. */
#include <string.h>

#include "lsp/internal.h"

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2 };

/* What has no place in the text that is open is shown at its beginning. */
static Span shown_span(const Analysis *a, Span span) {
    return is_in_source(a->source, span) ? span : (Span){a->source->base, a->source->base};
}

static const char *full_text(const Analysis *a, const Diag *d, Buf *out) {
    if (!is_in_source(a->source, d->span) && d->span.hi) {
        Place at = source_place((SourceMap *)&a->c.sources, d->span.lo);
        if (at.file) buf_printf(out, "%s:%d:%d: ", at.file->path, at.line, at.col);
    }
    buf_puts(out, d->text);
    for (int i = 0; i < d->notes.n; i++) {
        const DiagNote *n = &d->notes.at[i];
        bool is_elsewhere = is_in_source(a->source, n->span) && n->span.lo != d->span.lo;
        if (!n->fix && !is_elsewhere) buf_printf(out, "\n%s", n->text);
    }
    return out->at;
}

static struct json_object *related(const Server *s, const Document *d, const Analysis *a, const Diag *diag) {
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < diag->notes.n; i++) {
        const DiagNote *n = &diag->notes.at[i];
        if (n->fix || !is_in_source(a->source, n->span) || n->span.lo == diag->span.lo) continue;
        struct json_object *o = json_object_new_object(), *location = json_object_new_object();
        json_add_text(location, "uri", d->uri);
        json_object_object_add(location, "range", range_object(s, a, n->span));
        json_object_object_add(o, "location", location);
        json_add_text(o, "message", n->text);
        json_object_array_add(list, o);
    }
    return list;
}

static struct json_object *diagnostic(const Server *s, const Document *d, const Analysis *a, const Diag *diag) {
    struct json_object *o = json_object_new_object();
    Buf text = {0};
    json_object_object_add(o, "range", range_object(s, a, shown_span(a, diag->span)));
    json_add_number(o, "severity", diag->severity == SEV_ERROR ? SEVERITY_ERROR : SEVERITY_WARNING);
    json_add_text(o, "code", diag_code_name(diag->code));
    json_add_text(o, "source", "kdslc");
    json_add_text(o, "message", full_text(a, diag, &text));
    json_object_object_add(o, "relatedInformation", related(s, d, a, diag));
    buf_free(&text);
    return o;
}

void report_publish(Server *s, const Document *d) {
    struct json_object *params = json_object_new_object(), *list = json_object_new_array();
    const Analysis *a = d->now;
    for (int i = 0; a && a->source && i < a->c.diags.list.n; i++)
        json_object_array_add(list, diagnostic(s, d, a, a->c.diags.list.at[i]));
    json_add_text(params, "uri", d->uri);
    if (d->version) json_add_number(params, "version", d->version);
    json_object_object_add(params, "diagnostics", list);
    lsp_notify(s, "textDocument/publishDiagnostics", params);
}

/* Code actions ---------------------------------------------------------------------------------------------------- */

static struct json_object *edit_of(const Server *s, const Document *d, const Analysis *a, const DiagNote *n) {
    struct json_object *change = json_object_new_object(), *list = json_object_new_array();
    struct json_object *changes = json_object_new_object(), *edit = json_object_new_object();
    json_object_object_add(change, "range", range_object(s, a, n->span));
    json_add_text(change, "newText", n->fix);
    json_object_array_add(list, change);
    json_object_object_add(changes, d->uri, list);
    json_object_object_add(edit, "changes", changes);
    return edit;
}

/* A menu has commands: of a question, as "did you mean `f32`?", what the answer does. */
static const char *title_of(const Analysis *a, const DiagNote *n, Buf *out) {
    size_t length = strlen(n->text), n_old = n->span.hi - n->span.lo;
    const char *old = a->source->text + (n->span.lo - a->source->base);
    if (!length || n->text[length - 1] != '?' || memchr(old, '\n', n_old)) return n->text;
    if (!n_old) buf_printf(out, "insert `%s`", n->fix);
    else if (!*n->fix) buf_printf(out, "remove `%.*s`", (int)n_old, old);
    else buf_printf(out, "replace `%.*s` with `%s`", (int)n_old, old, n->fix);
    return out->at;
}

static struct json_object *action(const Server *s, const Document *d, const Diag *diag, const DiagNote *n) {
    struct json_object *o = json_object_new_object(), *solved = json_object_new_array();
    Buf title = {0};
    json_add_text(o, "title", title_of(d->now, n, &title));
    buf_free(&title);
    json_add_text(o, "kind", "quickfix");
    json_object_array_add(solved, diagnostic(s, d, d->now, diag));
    json_object_object_add(o, "diagnostics", solved);
    json_object_object_add(o, "edit", edit_of(s, d, d->now, n));
    return o;
}

/* True if the request names the diagnostic, by its code and range. */
static bool is_named(const Server *s, const Analysis *a, const Diag *diag, struct json_object *named) {
    if (!json_object_is_type(named, json_type_array)) return false;
    struct json_object *range = range_object(s, a, diag->span);
    bool found = false;
    for (size_t i = 0; i < json_object_array_length(named) && !found; i++) {
        struct json_object *o = json_object_array_get_idx(named, i), *of = json_at(o, "range");
        found = !strcmp(json_text(o, "code"), diag_code_name(diag->code)) && of && json_object_equal(of, range);
    }
    json_object_put(range);
    return found;
}

/* Editors ask with the cursor as the range, which is rarely in the text that is underlined: so the lines count. */
struct json_object *lsp_code_action(Server *s, struct json_object *params) {
    struct json_object *list = json_object_new_array();
    Document *d = document_of(s, params);
    if (!d) return list;
    document_check(s, d, false);
    const Analysis *a = d->now;
    uint32_t lo = document_offset(s, d, json_at(params, "range.start"));
    uint32_t hi = document_offset(s, d, json_at(params, "range.end"));
    while (lo > 0 && d->text.at[lo - 1] != '\n') lo--;
    while (hi < d->text.n && d->text.at[hi] != '\n') hi++;
    for (int i = 0; a->source && i < a->c.diags.list.n; i++) {
        const Diag *diag = a->c.diags.list.at[i];
        uint32_t base = a->source->base;
        if (!is_in_source(a->source, diag->span)) continue;
        bool is_near = diag->span.lo - base <= hi && diag->span.hi - base >= lo;
        if (!is_near && !is_named(s, a, diag, json_at(params, "context.diagnostics"))) continue;
        for (int k = 0; k < diag->notes.n; k++)
            if (diag->notes.at[k].fix && is_in_source(a->source, diag->notes.at[k].span))
                json_object_array_add(list, action(s, d, diag, &diag->notes.at[k]));
    }
    return list;
}
