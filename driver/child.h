/* child.h -- programs of the compiler's own, compiled and run in a process of their own. */
#ifndef KDSL_CHILD_H
#define KDSL_CHILD_H

#include <stdbool.h>

#include "base/base.h"

/* Runs `kdslc run OPTIONS - [argument]` with the program as its input, and collects stdout and stderr. options end with
 * NULL; argument NULL: none. False: it failed. */
bool child_run(const char *const *options, const char *program, const char *argument, Buf *text);

#endif
