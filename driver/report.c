/* report.c -- diagnostics as JSON and SARIF, through json-c. Lines and columns count from 1, columns in bytes; the end
 * is the place after the last byte. */
#include "driver/report.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "driver/json.h"
#include "lexer/lexer.h"

typedef struct json_object Json;

static void add(Json *o, const char *key, Json *value) { json_object_object_add(o, key, value); }
static void add_text(Json *o, const char *key, const char *text) { add(o, key, json_object_new_string(text)); }
static void add_number(Json *o, const char *key, int n) { add(o, key, json_object_new_int(n)); }

static const char *severity_text(Severity s) {
    switch (s) {
    case SEV_ERROR: return "error";
    case SEV_WARNING: return "warning";
    case SEV_NOTE: return "note";
    }
    return "";
}

static int by_place(const void *x, const void *y) {
    const Diag *a = *(Diag *const *)x, *b = *(Diag *const *)y;
    return (a->span.lo > b->span.lo) - (a->span.lo < b->span.lo);
}

/* In the order of the text; those without a place first. */
static Diag **sorted(Compiler *c) {
    int n = c->diags.list.n;
    Diag **all = arena_array(&c->arena, Diag *, n + 1);
    if (n) memcpy(all, c->diags.list.at, sizeof *all * (size_t)n);
    if (n) qsort(all, (size_t)n, sizeof *all, by_place);
    return all;
}

/* JSON ------------------------------------------------------------------------------------------------------------ */

static void add_place(Compiler *c, Json *o, Span span) {
    Place lo = source_place(&c->sources, span.lo), hi = source_place(&c->sources, span.hi);
    if (!lo.file || !span.hi) return;
    add_text(o, "file", lo.file->path);
    add_number(o, "line", lo.line);
    add_number(o, "column", lo.col);
    if (hi.file != lo.file) return;
    add_number(o, "end_line", hi.line);
    add_number(o, "end_column", hi.col);
}

static Json *note_object(Compiler *c, const DiagNote *n) {
    Json *o = json_object_new_object();
    add_text(o, "message", n->text);
    add_place(c, o, n->span);
    if (n->fix) add_text(o, "fix", n->fix);
    return o;
}

void diags_as_json(Compiler *c, Buf *out) {
    Json *list = json_object_new_array();
    Diag **all = sorted(c);
    for (int i = 0; i < c->diags.list.n; i++) {
        const Diag *d = all[i];
        Json *o = json_object_new_object(), *notes = json_object_new_array();
        add_text(o, "code", diag_code_name(d->code));
        add_text(o, "severity", severity_text(d->severity));
        add_text(o, "message", d->text);
        add_place(c, o, d->span);
        for (int k = 0; k < d->notes.n; k++) json_object_array_add(notes, note_object(c, &d->notes.at[k]));
        add(o, "notes", notes);
        json_object_array_add(list, o);
    }
    json_print(list, out);
}

/* SARIF ----------------------------------------------------------------------------------------------------------- */

/* SARIF counts columns in UTF-16 code units. */
static int wide_column(Place at) {
    int n, column = 1;
    const char *line = source_line(at.file, at.line, &n);
    for (int i = 0, bytes; i < at.col - 1 && i < n; i += bytes) {
        uint32_t code;
        bytes = utf8_decode(line + i, (size_t)(n - i), &code);
        if (bytes < 1) bytes = 1, code = 0;
        column += code > 0xffff ? 2 : 1;
    }
    return column;
}

static Json *region(Compiler *c, Span span) {
    Place lo = source_place(&c->sources, span.lo), hi = source_place(&c->sources, span.hi);
    Json *o = json_object_new_object();
    add_number(o, "startLine", lo.line);
    add_number(o, "startColumn", wide_column(lo));
    if (hi.file == lo.file) {
        add_number(o, "endLine", hi.line);
        add_number(o, "endColumn", wide_column(hi));
    }
    return o;
}

static Json *artifact(Compiler *c, Span span) {
    Json *o = json_object_new_object();
    add_text(o, "uri", source_place(&c->sources, span.lo).file->path);
    return o;
}

static Json *message(const char *text) {
    Json *o = json_object_new_object();
    add_text(o, "text", text);
    return o;
}

/* NULL: it has no place. */
static Json *location(Compiler *c, Span span, const char *text) {
    if (!span.hi || !source_place(&c->sources, span.lo).file) return NULL;
    Json *o = json_object_new_object(), *physical = json_object_new_object();
    add(physical, "artifactLocation", artifact(c, span));
    add(physical, "region", region(c, span));
    add(o, "physicalLocation", physical);
    if (text) add(o, "message", message(text));
    return o;
}

static Json *list_of(Json *one) {
    Json *list = json_object_new_array();
    if (one) json_object_array_add(list, one);
    return list;
}

static Json *fix_object(Compiler *c, const DiagNote *n) {
    Json *o = json_object_new_object(), *change = json_object_new_object(), *replaced = json_object_new_object();
    add(replaced, "deletedRegion", region(c, n->span));
    add(replaced, "insertedContent", message(n->fix));
    add(change, "artifactLocation", artifact(c, n->span));
    add(change, "replacements", list_of(replaced));
    add(o, "description", message(n->text));
    add(o, "artifactChanges", list_of(change));
    return o;
}

static Json *result(Compiler *c, const Diag *d) {
    Json *o = json_object_new_object(), *related = json_object_new_array(), *fixes = json_object_new_array();
    Buf text = {0};
    buf_puts(&text, d->text);
    for (int i = 0; i < d->notes.n; i++) {
        const DiagNote *n = &d->notes.at[i];
        Json *place = location(c, n->span, n->text);
        if (n->fix && place) {
            json_object_array_add(fixes, fix_object(c, n));
            json_object_put(place);
        } else if (place) {
            json_object_array_add(related, place);
        } else {
            buf_printf(&text, "\n%s", n->text);
        }
    }
    add_text(o, "ruleId", diag_code_name(d->code));
    add_text(o, "level", severity_text(d->severity));
    add(o, "message", message(text.at));
    add(o, "locations", list_of(location(c, d->span, NULL)));
    add(o, "relatedLocations", related);
    if (json_object_array_length(fixes)) add(o, "fixes", fixes);
    else json_object_put(fixes);
    buf_free(&text);
    return o;
}

static bool has_rule(Json *rules, const char *id) {
    for (size_t i = 0; i < json_object_array_length(rules); i++) {
        Json *have = json_object_object_get(json_object_array_get_idx(rules, i), "id");
        if (!strcmp(json_object_get_string(have), id)) return true;
    }
    return false;
}

static void add_rule(Json *rules, DiagCode code) {
    const char *id = diag_code_name(code);
    if (has_rule(rules, id)) return;
    Json *o = json_object_new_object();
    add_text(o, "id", id);
    add(o, "shortDescription", message(diag_help(code)));
    json_object_array_add(rules, o);
}

void diags_as_sarif(Compiler *c, Buf *out) {
    Json *log = json_object_new_object(), *run = json_object_new_object(), *tool = json_object_new_object();
    Json *compiler = json_object_new_object(), *rules = json_object_new_array(), *results = json_object_new_array();
    Diag **all = sorted(c);
    for (int i = 0; i < c->diags.list.n; i++) {
        add_rule(rules, all[i]->code);
        json_object_array_add(results, result(c, all[i]));
    }
    add_text(compiler, "name", "kdslc");
    add_text(compiler, "version", KDSL_VERSION);
    add(compiler, "rules", rules);
    add(tool, "driver", compiler);
    add(run, "tool", tool);
    add_text(run, "columnKind", "utf16CodeUnits");
    add(run, "results", results);
    add_text(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    add_text(log, "version", "2.1.0");
    add(log, "runs", list_of(run));
    json_print(log, out);
}
