/* flatten.h -- loop flattening: two nested loops that access arrays only at their two indices are one loop. */
#ifndef KDSL_FLATTEN_H
#define KDSL_FLATTEN_H

#include "sema/sema.h"

/* Can the kernel's work items along `outer`, and in each of them the short constant range of `inner`, another axis or
 * the last loop of an item, run as one axis? */
bool axes_flatten(const Func *kernel, const Binder *outer, const Binder *inner);

#endif
