/* navigate.c -- definitions, references, renaming, the outline of a text. */
#include <ctype.h>
#include <string.h>

#include "lexer/lexer.h"
#include "lsp/internal.h"

/* Of the protocol: SymbolKind. */
enum { KIND_METHOD = 6, KIND_FUNCTION = 12, KIND_CONSTANT = 14, KIND_EVENT = 24, KIND_STRUCT = 23, KIND_MODULE = 2 };

/* The name under the cursor. NULL: none */
static const Mention *named(Server *s, struct json_object *params, Document **d, const Analysis **a) {
    *d = document_of(s, params);
    *a = *d ? document_analysis(s, *d) : NULL;
    if (!*a) return NULL;
    return mention_at(*a, analysis_offset(*d, *a, document_offset(s, *d, json_at(params, "position"))));
}

static struct json_object *location(const Server *s, const Document *d, const Analysis *a, Span span) {
    struct json_object *o = json_object_new_object();
    json_add_text(o, "uri", d->uri);
    json_object_object_add(o, "range", range_object(s, a, span));
    return o;
}

/* In another file; those of the standard library are in the compiler. */
static struct json_object *location_elsewhere(const Server *s, const Analysis *a, Span span) {
    const Source *file = source_place((SourceMap *)&a->c.sources, span.lo).file;
    if (!file || file->path[0] == '<') return NULL;
    struct json_object *o = json_object_new_object();
    Buf uri = {0};
    buf_puts(&uri, "file://");
    for (const char *p = file->path; *p; p++) {
        bool plain = isalnum((unsigned char)*p) || strchr("/-_.~", *p);
        buf_printf(&uri, plain ? "%c" : "%%%02X", (unsigned char)*p);
    }
    json_add_text(o, "uri", uri.at);
    json_object_object_add(o, "range", range_in(s, &a->c.sources, file, span));
    buf_free(&uri);
    return o;
}

struct json_object *lsp_definition(Server *s, struct json_object *params) {
    Document *d;
    const Analysis *a;
    const Mention *m = named(s, params, &d, &a);
    if (!m) return NULL;
    bool is_here = is_in_source(a->source, m->declared);
    return is_here ? location(s, d, a, m->declared) : location_elsewhere(s, a, m->declared);
}

static bool is_same(const Mention *a, const Mention *b) { return a->declared.lo == b->declared.lo; }

struct json_object *lsp_references(Server *s, struct json_object *params) {
    Document *d;
    const Analysis *a;
    const Mention *m = named(s, params, &d, &a);
    struct json_object *list = json_object_new_array();
    bool with_declaration = json_object_get_boolean(json_at(params, "context.includeDeclaration"));
    for (int i = 0; m && i < a->mentions.n; i++) {
        const Mention *one = &a->mentions.at[i];
        bool is_declaration = one->at.lo == one->declared.lo;
        if (is_same(one, m) && (with_declaration || !is_declaration))
            json_object_array_add(list, location(s, d, a, one->at));
    }
    return list;
}

struct json_object *lsp_highlight(Server *s, struct json_object *params) {
    Document *d;
    const Analysis *a;
    const Mention *m = named(s, params, &d, &a);
    struct json_object *list = json_object_new_array();
    for (int i = 0; m && i < a->mentions.n; i++) {
        if (!is_same(&a->mentions.at[i], m)) continue;
        struct json_object *o = json_object_new_object();
        json_object_object_add(o, "range", range_object(s, a, a->mentions.at[i].at));
        json_object_array_add(list, o);
    }
    return list;
}

/* Renaming -------------------------------------------------------------------------------------------------------- */

/* What is declared here, and while the text can be understood: old places would be wrong in a new text. */
static bool can_rename(const Document *d, const Analysis *a, const Mention *m) {
    return m && a == d->now && is_in_source(a->source, m->declared);
}

struct json_object *lsp_prepare_rename(Server *s, struct json_object *params) {
    Document *d;
    const Analysis *a;
    const Mention *m = named(s, params, &d, &a);
    return can_rename(d, a, m) ? range_object(s, a, m->at) : NULL;
}

static bool is_name(const char *text) {
    Compiler c;
    compiler_init(&c);
    Source *source = source_add(&c.sources, "name", text, strlen(text));
    Lexer lx;
    lex_init(&lx, &c, source);
    Token first = lex_next(&lx);
    bool is = first.kind == TOK_ID && lex_next(&lx).kind == TOK_END && !c.diags.n_errors;
    compiler_free(&c);
    return is;
}

/* A name that is taken already, say. */
static bool changes_meaning(Server *s, const Document *d, const Analysis *a, const Mention *m, const char *name) {
    Document other = {.path = d->path};
    uint32_t from = 0;
    for (int i = 0; i < a->mentions.n; i++) {
        const Mention *one = &a->mentions.at[i];
        if (!is_same(one, m)) continue;
        buf_add(&other.text, a->source->text + from, one->at.lo - a->source->base - from);
        buf_puts(&other.text, name);
        from = one->at.hi - a->source->base;
    }
    buf_add(&other.text, a->source->text + from, a->source->n - from);
    Analysis *there = analysis_new(s, &other, false);
    bool changes = there->c.diags.n_errors > a->c.diags.n_errors || there->mentions.n != a->mentions.n;
    analysis_free(there);
    buf_free(&other.text);
    return changes;
}

struct json_object *lsp_rename(Server *s, struct json_object *params) {
    Document *d;
    const Analysis *a;
    const Mention *m = named(s, params, &d, &a);
    const char *name = json_text(params, "newName");
    s->refusal = !m ? "there is no name here"
               : a != d->now ? "the text has syntax errors"
               : !can_rename(d, a, m) ? "it is declared in another file"
               : !is_name(name) ? "that is not a name, or a keyword"
               : changes_meaning(s, d, a, m, name) ? "the program would not compile with that name" : NULL;
    if (s->refusal) return NULL;
    struct json_object *list = json_object_new_array(), *changes = json_object_new_object();
    struct json_object *edit = json_object_new_object();
    for (int i = 0; i < a->mentions.n; i++) {
        if (!is_same(&a->mentions.at[i], m)) continue;
        struct json_object *o = json_object_new_object();
        json_object_object_add(o, "range", range_object(s, a, a->mentions.at[i].at));
        json_add_text(o, "newText", name);
        json_object_array_add(list, o);
    }
    json_object_object_add(changes, d->uri, list);
    json_object_object_add(edit, "changes", changes);
    return edit;
}

/* Outline --------------------------------------------------------------------------------------------------------- */

static int kind_of(const Item *item) {
    switch (item->kind) {
    case ITEM_ERROR:
    case ITEM__COUNT: return 0;
    case ITEM_FN: return KIND_FUNCTION;
    case ITEM_KERNEL: return KIND_METHOD;
    case ITEM_STRUCT: return KIND_STRUCT;
    case ITEM_CONST: return KIND_CONSTANT;
    case ITEM_IMPORT: return KIND_MODULE;
    case ITEM_TEST: return KIND_EVENT;
    }
    return 0;
}

struct json_object *lsp_outline(Server *s, struct json_object *params) {
    struct json_object *list = json_object_new_array();
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    for (int i = 0; a && i < a->module->items.n; i++) {
        const Item *item = a->module->items.at[i];
        if (!kind_of(item) || !is_in_source(a->source, item->name_span)) continue;
        struct json_object *o = json_object_new_object();
        json_add_text(o, "name", item->name && *item->name ? item->name : "?");
        json_add_number(o, "kind", kind_of(item));
        Span all = {item->span.lo < item->name_span.lo ? item->span.lo : item->name_span.lo,
                    item->span.hi > item->name_span.hi ? item->span.hi : item->name_span.hi};
        json_object_object_add(o, "range", range_object(s, a, all));
        json_object_object_add(o, "selectionRange", range_object(s, a, item->name_span));
        json_object_array_add(list, o);
    }
    return list;
}
