/* axes.h -- memory order of a domain: which of its axes should be the fastest, by the strides of the kernel's
 * accesses. */
#ifndef KDSL_AXES_H
#define KDSL_AXES_H

#include "sema/sema.h"

/* order[0] is the axis of the outermost loop, order[domain.n - 1] of the innermost. false: the order of the text. */
bool axes_in_memory_order(Arena *arena, const Func *kernel, int order[MAX_RANK]);
bool range_is_shorter(const Range *r, int64_t trips); /* by constant bounds; false: who knows */
/* The number of values, if it is constant and two to four: too few for a row of vectors; or 0. */
int axis_short_trips(const Range *r);
/* Should a loop of the kernel, were it an axis of the domain, be the fastest? alone: by its own accesses */
bool axes_want_loop(Arena *arena, const Func *kernel, const Stmt *loop, bool alone);

#endif
