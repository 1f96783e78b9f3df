/* transform.h -- transform.def as an enumeration, and the set of transformations that --no-transform excludes. */
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

/* Adds the rows in `names`, a list separated by commas, to *set. false: there is no row of one of these names. */
bool transform_parse(const char *names, TransformSet *set);
void transform_list(Buf *out); /* appends a line for each row */

#endif
