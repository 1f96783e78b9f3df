/* interface.c -- --emit=interface: the exported functions as JSON, for tools that call them. The functions are those of
 * the header (header.c), in the order of the program; each has its parameters as C passes them, then the sizes. */
#include <json-c/json.h>
#include <string.h>

#include "driver/json.h"

typedef struct Interface {
    const Program *program;
    struct json_object *structs;
    Vec(const Type *) described;
} Interface;

static void text(struct json_object *to, const char *key, const char *value) {
    json_object_object_add(to, key, value ? json_object_new_string(value) : NULL);
}

static void number(struct json_object *to, const char *key, int64_t value) {
    json_object_object_add(to, key, json_object_new_int64(value));
}

/* Types ------------------------------------------------------------------------------------------------------------ */

/* "i32", "bool", "index", "str", "f32x3", the name of a struct, "pointer". */
static const char *type_text(const Type *t) { return t->is_handle ? "pointer" : t->name; }

static struct json_object *fields_of(const Type *t) {
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < t->n_fields; i++) {
        const Type *of = t->fields[i].type;
        struct json_object *o = json_object_new_object(), *extents = json_object_new_array();
        bool is_array = of->kind == TY_FIXED;
        text(o, "name", t->fields[i].name);
        text(o, "type", type_text(is_array ? of->elem : of));
        number(o, "offset", t->fields[i].offset);
        for (int d = 0; is_array && d < of->rank; d++)
            json_object_array_add(extents, json_object_new_int64(of->extent[d]));
        json_object_object_add(o, "extents", extents);
        json_object_array_add(list, o);
    }
    return list;
}

/* After the structs in its fields. */
static void describe(Interface *in, const Type *t) {
    if (t->kind == TY_ARRAY || t->kind == TY_FIXED) {
        describe(in, t->elem);
        return;
    }
    if (t->kind != TY_STRUCT || t->is_handle) return;
    for (int i = 0; i < in->described.n; i++)
        if (in->described.at[i] == t) return;
    for (int i = 0; i < t->n_fields; i++) describe(in, t->fields[i].type);
    vec_push(&in->program->c->arena, &in->described, t);
    struct json_object *o = json_object_new_object();
    text(o, "name", t->name);
    number(o, "bytes", t->size_bytes);
    number(o, "align", t->align_bytes);
    json_object_object_add(o, "fields", fields_of(t));
    json_object_array_add(in->structs, o);
}

/* Functions -------------------------------------------------------------------------------------------------------- */

static struct json_object *shape_of(Interface *in, const Shape *shape) {
    struct json_object *list = json_object_new_array();
    for (int d = 0; d < shape->rank; d++) {
        const Extent *x = &shape->at[d];
        bool is_constant = x->kind == EXTENT_CONST;
        const char *name = x->size && strcmp(x->size->name, "_") ? size_text(&in->program->c->arena, x->size, x->value)
                                                                  : NULL;
        json_object_array_add(list, is_constant ? json_object_new_int64(x->value)
                                                : name ? json_object_new_string(name) : NULL);
    }
    return list;
}

static struct json_object *parameter(Interface *in, const Func *f, int i) {
    static const char *const modes[] = {[REF_NONE] = "value", [REF_IN] = "&", [REF_MUT] = "&mut", [REF_OUT] = "&out"};
    const Symbol *p = f->params.at[i];
    struct json_object *o = json_object_new_object();
    bool is_array = p->type->kind == TY_ARRAY;
    text(o, "name", p->name);
    text(o, "mode", modes[p->mode]);
    text(o, "type", type_text(is_array ? p->type->elem : p->type));
    json_object_object_add(o, "shape", is_array ? shape_of(in, &f->shapes.at[i]) : NULL);
    describe(in, p->type);
    return o;
}

/* The declaration as in the source, up to its body. */
static struct json_object *declaration(Interface *in, const Func *f) {
    Place p = source_place(&in->program->c->sources, f->item->span.lo);
    const char *at = p.file->text + (f->item->span.lo - p.file->base);
    int n = (int)(f->item->fn.body->span.lo - f->item->span.lo);
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\n')) n--;
    return json_object_new_string_len(at, n);
}

static struct json_object *function(Interface *in, const Func *f) {
    struct json_object *o = json_object_new_object(), *params = json_object_new_array();
    struct json_object *sizes = json_object_new_array();
    Place at = source_place(&in->program->c->sources, f->name_span.lo);
    text(o, "name", f->name);
    json_object_object_add(o, "kernel", json_object_new_boolean(f->is_kernel));
    json_object_object_add(o, "declaration", declaration(in, f));
    text(o, "file", at.file->path);
    number(o, "line", at.line);
    for (int i = 0; i < f->n_given; i++) json_object_array_add(params, parameter(in, f, i));
    for (int i = 0; i < f->border.n; i++) {
        struct json_object *size = json_object_new_object();
        text(size, "name", f->border.at[i].name);
        number(size, "parameter", f->border.at[i].param);
        number(size, "dimension", f->border.at[i].dim);
        if (f->border.at[i].add) number(size, "add", f->border.at[i].add);
        json_object_array_add(sizes, size);
    }
    json_object_object_add(o, "parameters", params);
    json_object_object_add(o, "sizes", sizes);
    text(o, "result", f->result->kind == TY_VOID ? NULL : type_text(f->result));
    describe(in, f->result);
    return o;
}

void interface_as_json(const Program *p, Buf *out) {
    Interface in = {.program = p, .structs = json_object_new_array()};
    struct json_object *o = json_object_new_object(), *files = json_object_new_array(), *all = json_object_new_array();
    for (int i = 0; i < p->c->sources.files.n; i++)
        json_object_array_add(files, json_object_new_string(p->c->sources.files.at[i]->path));
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export) json_object_array_add(all, function(&in, p->funcs.at[i]));
    json_object_object_add(o, "files", files);
    json_object_object_add(o, "structs", in.structs);
    json_object_object_add(o, "functions", all);
    json_print(o, out);
}
