/* transform.h -- transform.def as an enumeration, and which of its rows a compilation may use. */
#ifndef KDSL_IRGEN_TRANSFORM_H
#define KDSL_IRGEN_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

typedef enum Transform {
#define TRANSFORM(id, name, what) TRANSFORM_##id,
#include "irgen/transform.def"
#undef TRANSFORM
    TRANSFORM__COUNT
} Transform;

typedef uint64_t TransformSet; /* bit i: Transform i */

static inline bool transform_in(TransformSet set, Transform t) { return set >> t & 1; }

/* Adds the row of this name, one of `names`, which commas separate. false: there is no such row. */
bool transform_parse(const char *names, TransformSet *set);
void transform_list(Buf *out); /* a line for each row */

#endif
