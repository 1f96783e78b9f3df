/* distribute.h -- loop fission (distribution) with scalar expansion: a kernel whose items have loops with independent
 * iterations (collapse.h) beside others. Its body is cut into parts, each of which all items of a strip execute before
 * the next one; so a part that is such a loop can be an axis. Values that later parts read are kept for each item of
 * the strip.
 *
 * (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 5.3 and 6.2) */
#ifndef KDSL_DISTRIBUTE_H
#define KDSL_DISTRIBUTE_H

#include "sema/sema.h"

typedef struct DistributedPart {
    int first, n;     /* statements of the body */
    const Stmt *loop; /* the only one, whose iterations are an axis; NULL: the items are */
} DistributedPart;

typedef struct DistributedValue {
    const Symbol *sym; /* a number that part `from` declares */
    int from;
    unsigned in; /* the parts that mention it, by bit */
} DistributedValue;

typedef struct Distribution {
    Vec(DistributedPart) parts;
    Vec(DistributedValue) values;
} Distribution;

enum {
    MOST_PARTS_OF_BODY = 8,
    LEAST_DISTRIBUTED = 64 /* iterations of each loop that is an axis, at the launch: fewer stay in the item */
};

/* false: the kernel has no loop that gains by it, or its items must be executed one by one. */
bool kernel_distributes(Arena *arena, const Func *kernel, Distribution *out);

#endif
