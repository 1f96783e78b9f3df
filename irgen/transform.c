/* transform.c -- the names of transformations (transform.def), parsed and listed. */
#include "irgen/transform.h"

#include <string.h>

static const struct {
    const char *name, *what;
} rows[TRANSFORM__COUNT] = {
#define TRANSFORM(id, name, what) [TRANSFORM_##id] = {name, what},
#include "irgen/transform.def"
#undef TRANSFORM
};

_Static_assert(TRANSFORM__COUNT <= 64, "a TransformSet has 64 bits");

static bool add(const char *name, size_t n, TransformSet *set) {
    for (int i = 0; i < TRANSFORM__COUNT; i++) {
        if (strlen(rows[i].name) != n || memcmp(rows[i].name, name, n) != 0) continue;
        *set |= UINT64_C(1) << i;
        return true;
    }
    return false;
}

bool transform_parse(const char *names, TransformSet *set) {
    for (const char *at = names;; at++) {
        size_t n = strcspn(at, ",");
        if (!add(at, n, set)) return false;
        at += n;
        if (!*at) return true;
    }
}

void transform_list(Buf *out) {
    for (int i = 0; i < TRANSFORM__COUNT; i++) buf_printf(out, "%-24s %s\n", rows[i].name, rows[i].what);
}
