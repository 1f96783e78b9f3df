/* document.c -- open documents: their text, which the client changes by ranges, and what the compiler finds in it.
 * Each check is a compilation of its own. The last one without syntax errors is kept: while a line is being written, it
 * still knows the names of the others. */
#include <stdlib.h>
#include <string.h>

#include "lexer/lexer.h"
#include "lsp/internal.h"

/* Documents ------------------------------------------------------------------------------------------------------- */

static Document *find_document(Server *s, const char *uri) {
    for (int i = 0; i < s->n_documents; i++)
        if (!strcmp(s->documents[i]->uri, uri)) return s->documents[i];
    return NULL;
}

Document *document_of(Server *s, struct json_object *params) {
    return find_document(s, json_text(params, "textDocument.uri"));
}

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Of "file:///home/a%20b.kdsl"; of another scheme the URI itself. */
static char *path_of(const char *uri) {
    static const char scheme[] = "file://";
    if (!strncmp(uri, scheme, sizeof scheme - 1)) uri += sizeof scheme - 1;
    char *path = strdup(uri), *to = path;
    for (const char *from = uri; *from; from++) {
        bool coded = *from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0;
        *to++ = coded ? (char)(hex(from[1]) * 16 + hex(from[2])) : *from;
        from += coded ? 2 : 0;
    }
    *to = 0;
    return path;
}

static void set_text(Document *d, const char *text) {
    d->text.n = 0;
    buf_puts(&d->text, text);
    d->is_dirty = true;
}

void lsp_opened(Server *s, struct json_object *params) {
    const char *uri = json_text(params, "textDocument.uri");
    Document *d = find_document(s, uri);
    if (!d) {
        d = calloc(1, sizeof *d);
        d->uri = strdup(uri);
        d->path = path_of(uri);
        d->memo = memo_new();
        s->documents = realloc(s->documents, sizeof *s->documents * (size_t)(s->n_documents + 1));
        s->documents[s->n_documents++] = d;
    }
    d->version = json_number(params, "textDocument.version");
    set_text(d, json_text(params, "textDocument.text"));
}

static void change(Server *s, Document *d, struct json_object *what) {
    const char *text = json_text(what, "text");
    if (!json_at(what, "range")) {
        set_text(d, text);
        return;
    }
    uint32_t lo = document_offset(s, d, json_at(what, "range.start"));
    uint32_t hi = document_offset(s, d, json_at(what, "range.end"));
    if (hi < lo) hi = lo;
    Buf all = {0};
    buf_add(&all, d->text.at, lo);
    buf_puts(&all, text);
    buf_add(&all, d->text.at + hi, d->text.n - hi);
    buf_free(&d->text);
    d->text = all;
    d->is_dirty = true;
}

void lsp_changed(Server *s, struct json_object *params) {
    Document *d = document_of(s, params);
    struct json_object *changes = json_at(params, "contentChanges");
    if (!d || !json_object_is_type(changes, json_type_array)) return;
    d->version = json_number(params, "textDocument.version");
    for (size_t i = 0; i < json_object_array_length(changes); i++)
        change(s, d, json_object_array_get_idx(changes, i));
}

/* Modules are read from their files, so a saved document may change what others mean. */
void lsp_saved(Server *s, struct json_object *params) {
    (void)params;
    for (int i = 0; i < s->n_documents; i++) s->documents[i]->is_dirty = true;
}

static void forget_analyses(Document *d) {
    if (d->good != d->now) analysis_free(d->good);
    analysis_free(d->now);
    d->now = d->good = NULL;
}

void lsp_closed(Server *s, struct json_object *params) {
    Document *d = document_of(s, params);
    if (!d) return;
    forget_analyses(d);
    d->version = 0;
    report_publish(s, d);
    int i = 0;
    while (s->documents[i] != d) i++;
    s->documents[i] = s->documents[--s->n_documents];
    buf_free(&d->text);
    memo_free(d->memo);
    free(d->uri);
    free(d->path);
    free(d);
}

/* Checking -------------------------------------------------------------------------------------------------------- */

Analysis *analysis_new(Server *s, const Document *d, bool with_races) {
    Analysis *a = calloc(1, sizeof *a);
    compiler_init(&a->c);
    a->source = source_add(&a->c.sources, d->path, d->text.n ? d->text.at : "", d->text.n);
    if (!a->source) return a;
    a->module = parse_source(&a->c, a->source, NULL);
    a->program = s->check(&a->c, a->module, with_races, d->memo);
    if (a->program) mentions_find(a);
    return a;
}

const TransferNotes *analysis_notes(const Analysis *a) {
    Analysis *own = (Analysis *)a; /* what is asked for first is kept */
    if (!own->has_notes && own->program && !own->c.diags.n_errors) own->notes = transfer_notes(own->program);
    own->has_notes = true;
    return &own->notes;
}

void analysis_free(Analysis *a) {
    if (!a) return;
    compiler_free(&a->c);
    free(a);
}

void document_check(Server *s, Document *d, bool with_races) {
    if (!d->is_dirty && !(with_races && d->wants_races)) return;
    Analysis *a = analysis_new(s, d, with_races);
    if (d->now != d->good) analysis_free(d->now);
    d->now = a;
    if (a->program) {
        analysis_free(d->good);
        d->good = a;
    }
    d->is_dirty = false;
    d->wants_races = a->program && !a->c.diags.n_errors && !with_races;
    report_publish(s, d);
}

const Analysis *document_analysis(Server *s, Document *d) {
    document_check(s, d, false);
    return d->good;
}

/* Places ---------------------------------------------------------------------------------------------------------- */

uint32_t character_bytes(const Server *s, const char *text, size_t n, uint32_t at, int *columns) {
    uint32_t code;
    int bytes = utf8_decode(text + at, n - at, &code);
    if (bytes < 1) bytes = 1, code = 0;
    *columns = s->utf8 ? bytes : code > 0xffff ? 2 : 1;
    return (uint32_t)bytes;
}

uint32_t document_offset(const Server *s, const Document *d, struct json_object *position) {
    int line = json_number(position, "line"), column = json_number(position, "character"), columns;
    const char *text = d->text.at;
    uint32_t at = 0, n = (uint32_t)d->text.n;
    for (; line > 0 && at < n; line--) {
        const char *end = memchr(text + at, '\n', n - at);
        if (!end) return n;
        at = (uint32_t)(end - text) + 1;
    }
    while (column > 0 && at < n && text[at] != '\n') {
        at += character_bytes(s, text, n, at, &columns);
        column -= columns;
    }
    return at < n ? at : n;
}

uint32_t analysis_offset(const Document *d, const Analysis *a, uint32_t offset) {
    const char *old = a->source->text, *now = d->text.at;
    uint32_t n_old = a->source->n, n_now = (uint32_t)d->text.n, same = 0, end = 0;
    uint32_t most = n_old < n_now ? n_old : n_now;
    while (same < most && old[same] == now[same]) same++;
    while (end < most - same && old[n_old - 1 - end] == now[n_now - 1 - end]) end++;
    if (offset <= same) return offset;
    if (n_now - offset <= end) return n_old - (n_now - offset);
    return same < n_old ? same : n_old;
}

bool is_in_source(const Source *of, Span span) {
    return span.hi && span.lo >= of->base && span.hi <= of->base + of->n + 1;
}

struct json_object *position_object(const Server *s, const SourceMap *sources, const Source *of, uint32_t at) {
    struct json_object *o = json_object_new_object();
    if (at > of->base + of->n) at = of->base + of->n;
    Place place = source_place((SourceMap *)sources, at); /* finds the lines of a file on first use */
    uint32_t end = at - of->base, from = end - (uint32_t)(place.col - 1);
    int column = 0, columns;
    for (; from < end; column += columns) from += character_bytes(s, of->text, of->n, from, &columns);
    json_add_number(o, "line", place.line - 1);
    json_add_number(o, "character", column);
    return o;
}

struct json_object *range_in(const Server *s, const SourceMap *sources, const Source *of, Span span) {
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "start", position_object(s, sources, of, span.lo));
    json_object_object_add(o, "end", position_object(s, sources, of, span.hi));
    return o;
}

struct json_object *range_object(const Server *s, const Analysis *a, Span span) {
    return range_in(s, &a->c.sources, a->source, span);
}

const char *analysis_text(const Analysis *a, Span span, int *n) {
    *n = is_in_source(a->source, span) ? (int)(span.hi - span.lo) : 0;
    return *n ? a->source->text + (span.lo - a->source->base) : "";
}
