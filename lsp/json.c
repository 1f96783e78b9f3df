/* json.c -- members of JSON objects, by path. The library is json-c. */
#include "lsp/json.h"

#include <stdbool.h>
#include <string.h>

struct json_object *json_at(struct json_object *o, const char *path) {
    char name[64];
    while (o && *path) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof name || !json_object_is_type(o, json_type_object)) return NULL;
        memcpy(name, path, n);
        name[n] = 0;
        o = json_object_object_get(o, name);
        path += n + (path[n] == '.');
    }
    return o;
}

const char *json_text(struct json_object *o, const char *path) {
    o = json_at(o, path);
    return json_object_is_type(o, json_type_string) ? json_object_get_string(o) : "";
}

int json_number(struct json_object *o, const char *path) {
    o = json_at(o, path);
    return json_object_is_type(o, json_type_int) ? json_object_get_int(o) : 0;
}

void json_add_text(struct json_object *o, const char *key, const char *text) {
    json_object_object_add(o, key, json_object_new_string(text));
}

void json_add_number(struct json_object *o, const char *key, int64_t n) {
    json_object_object_add(o, key, json_object_new_int64(n));
}

void json_add_true(struct json_object *o, const char *key) {
    json_object_object_add(o, key, json_object_new_boolean(true));
}
