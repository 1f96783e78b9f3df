/* json.c -- the transfer plan as JSON, through json-c. */
#include "driver/json.h"

#include <json-c/json.h>

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

void transfers_as_json(const Program *p, Buf *out) {
    TransferNotes notes = transfer_notes(p);
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < notes.n; i++) json_object_array_add(list, note_object(&notes.at[i]));
    buf_puts(out, json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    buf_putc(out, '\n');
    json_object_put(list);
}
