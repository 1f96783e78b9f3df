/* interp.h -- a tree-walking interpreter for checked programs: an independent implementation for differential tests,
 * which shares only sema's decisions and arithmetic (sema/arith.h) with the compiler. It is slow, and meant to be
 * simple.
 *
 * The work items of a launch run one after another, those of a group up to their next barrier. With a seed the order
 * is a different one: a correct program computes the same. An unsupported construct ends the process with a message
 * and INTERP_UNSUPPORTED, never with a wrong result. */
#ifndef KDSL_INTERP_H
#define KDSL_INTERP_H

#include "sema/sema.h"

enum { INTERP_UNSUPPORTED = 4 };

typedef struct InterpOptions {
    char **args; /* of the program */
    int n_args;
    uint64_t seed; /* 0: work items run in order */
    bool unchecked, colour;
} InterpOptions;

/* Runs main and returns the program's exit code. Failed checks, exit() and what is not supported end the process. */
int interp_run(const Program *p, const InterpOptions *o);

#endif
