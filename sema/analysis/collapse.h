/* collapse.h -- loop collapsing: a loop that is the end of a kernel's body, and whose iterations are independent. */
#ifndef KDSL_COLLAPSE_H
#define KDSL_COLLAPSE_H

#include "sema/sema.h"

/* The loop; before it come only constants of the item. Its iterations may run in any order, each with these constants
 * computed anew, as long as no check can fail and nothing is printed. NULL: the kernel has no such loop. */
const Stmt *collapsible_loop(Arena *arena, const Func *kernel);
/* A loop with bounds that the launch knows, whose iterations may run in any order, by whatever comes before and after.
 */
bool loop_is_independent(Arena *arena, const Stmt *st);

#endif
