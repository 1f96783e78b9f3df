/* json.h -- members of JSON objects of protocols, by path ("position.line"), over json-c. */
#ifndef KDSL_LSP_JSON_H
#define KDSL_LSP_JSON_H

#include <json-c/json.h>
#include <stdint.h>

/* NULL, "" and 0 where there is none of the type. */
struct json_object *json_at(struct json_object *o, const char *path);
const char *json_text(struct json_object *o, const char *path);
int json_number(struct json_object *o, const char *path);
void json_add_text(struct json_object *o, const char *key, const char *text);
void json_add_number(struct json_object *o, const char *key, int64_t n);
void json_add_true(struct json_object *o, const char *key);

#endif
