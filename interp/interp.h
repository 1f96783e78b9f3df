/* interp.h -- a checked program, executed on its tree: a second opinion on what a program does, which shares sema's
 * decisions and arithmetic (sema/arith.h) with the compiler and nothing else. Slow, and meant to be simple.
 *
 * The work items of a launch run one after another, those of a group up to their next barrier. With a seed the order
 * is another one: a correct program cannot tell. What is not supported ends the process with a message and
 * INTERP_UNSUPPORTED, never with a wrong result. */
#ifndef KDSL_INTERP_H
#define KDSL_INTERP_H

#include "sema/sema.h"

enum { INTERP_UNSUPPORTED = 4 };

typedef struct InterpOptions {
    char **args; /* of the program */
    int n_args;
    uint64_t seed; /* 0: work items run in order */
    bool unchecked;
} InterpOptions;

/* Runs main and returns the program's exit code. Failed checks, exit() and what is not supported end the process. */
int interp_run(const Program *p, const InterpOptions *o);

#endif
