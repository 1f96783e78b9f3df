/* repl.h -- the interactive session, `kdslc repl`. */
#ifndef KDSL_REPL_H
#define KDSL_REPL_H

#include <stdbool.h>

typedef struct ReplOptions {
    const char *file;  /* a file to load first, or NULL */
    const char *march;
    const struct Archs *archs; /* --offload-arch */
    int opt_level;
    bool strict, fast;
    unsigned shadow; /* --check */
    bool colour;
} ReplOptions;

/* Runs until the user leaves. Returns the exit code: 1 if an input failed and input is not a terminal. */
int repl_run(const ReplOptions *options);

#endif
