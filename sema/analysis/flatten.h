/* flatten.h -- loop flattening: nested loops that access arrays only at all of their indices are one loop. */
#ifndef KDSL_FLATTEN_H
#define KDSL_FLATTEN_H

#include "sema/sema.h"

/* How many of the kernel's last axes, which run in the order given, slowest first, can be one axis; the last may be the
 * last loop of an item. 0: none can. */
int axes_flatten(const Func *kernel, const Binder *const *axes, int n);

#endif
