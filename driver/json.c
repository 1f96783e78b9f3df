/* json.c -- the transfer plan and the verdicts on races as JSON, through json-c. */
#include "driver/json.h"

#include <json-c/json.h>

#include "sema/races/races.h"

static void add_text(struct json_object *to, const char *key, const char *text) {
    if (text) json_object_object_add(to, key, json_object_new_string(text));
}

static struct json_object *note_object(const TransferNote *n) {
    struct json_object *o = json_object_new_object();
    add_text(o, "kind", n->launch ? "launch" : "host");
    add_text(o, "file", n->file);
    json_object_object_add(o, "line", json_object_new_int(n->line));
    json_object_object_add(o, "column", json_object_new_int(n->col));
    add_text(o, "function", n->function);
    add_text(o, "text", n->text);
    add_text(o, "kernel", n->kernel);
    add_text(o, "array", n->array);
    add_text(o, "mode", n->mode);
    add_text(o, "moves", n->moves);
    if (n->launch) add_text(o, "bytes", n->bytes);
    json_object_object_add(o, "resident", json_object_new_boolean(n->resident));
    add_text(o, "why", n->why);
    return o;
}

void json_print(struct json_object *o, Buf *out) {
    buf_puts(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    buf_putc(out, '\n');
    json_object_put(o);
}

void transfers_as_json(const Program *p, Buf *out) {
    TransferNotes notes = transfer_notes(p);
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < notes.n; i++) json_object_array_add(list, note_object(&notes.at[i]));
    json_print(list, out);
}

/* Races ------------------------------------------------------------------------------------------------------------ */

static struct json_object *values_object(const RaceValues *v) {
    struct json_object *o = json_object_new_object();
    for (int i = 0; i < v->n; i++) json_object_object_add(o, v->at[i].name, json_object_new_int64(v->at[i].value));
    return o;
}

static struct json_object *witness_object(const RaceWitness *x) {
    struct json_object *o = json_object_new_object(), *items = json_object_new_array(),
                       *element = json_object_new_array();
    for (int k = 0; k < 2; k++) json_object_array_add(items, values_object(&x->items[k]));
    for (int i = 0; i < x->element.n; i++)
        json_object_array_add(element, json_object_new_int64(x->element.at[i].value));
    json_object_object_add(o, "sizes", values_object(&x->sizes));
    json_object_object_add(o, "items", items);
    json_object_object_add(o, "element", element);
    return o;
}

static struct json_object *pair_object(const Program *p, const RacePair *r) {
    struct json_object *o = json_object_new_object(), *lines = json_object_new_array();
    struct json_object *columns = json_object_new_array(), *modes = json_object_new_array();
    for (int k = 0; k < 2; k++) {
        Place at = source_place(&p->c->sources, r->at[k].lo);
        json_object_array_add(lines, json_object_new_int(at.line));
        json_object_array_add(columns, json_object_new_int(at.col));
        json_object_array_add(modes, json_object_new_string(r->mode[k]));
    }
    add_text(o, "array", r->array->name);
    json_object_object_add(o, "lines", lines);
    json_object_object_add(o, "columns", columns);
    json_object_object_add(o, "modes", modes);
    add_text(o, "verdict", r->verdict == RACE_FREE ? "free" : r->verdict == RACE_UNKNOWN ? "unknown" : "race");
    json_object_object_add(o, "benign", json_object_new_boolean(r->verdict == RACE_BENIGN));
    if (r->verdict >= RACE_BENIGN) json_object_object_add(o, "witness", witness_object(&r->witness));
    add_text(o, "reason", r->reason);
    return o;
}

void races_as_json(const Program *p, Buf *out) {
    struct json_object *all = json_object_new_object(), *kernels = json_object_new_array();
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        if (!f->races) continue;
        struct json_object *o = json_object_new_object(), *pairs = json_object_new_array();
        Place at = source_place(&p->c->sources, f->name_span.lo);
        add_text(o, "name", f->name);
        add_text(o, "file", at.file ? at.file->path : "?");
        json_object_object_add(o, "line", json_object_new_int(at.line));
        for (int k = 0; k < f->races->pairs.n; k++)
            json_object_array_add(pairs, pair_object(p, &f->races->pairs.at[k]));
        json_object_object_add(o, "pairs", pairs);
        add_text(o, "failed", f->races->failed);
        if (f->races->ms > 0) {
            json_object_object_add(o, "ms", json_object_new_double(f->races->ms));
            json_object_object_add(o, "steps", json_object_new_int64((int64_t)f->races->steps));
        }
        json_object_array_add(kernels, o);
    }
    json_object_object_add(all, "kernels", kernels);
    json_print(all, out);
}
