/* repl.h -- `kdslc repl`. */
#ifndef KDSL_REPL_H
#define KDSL_REPL_H

#include <stdbool.h>

typedef struct ReplOptions {
    const char *file;  /* to load first, or NULL */
    const char *march;
    const struct Archs *archs; /* --offload-arch */
    int opt_level;
    bool strict;
    bool colour;
} ReplOptions;

/* Until the user leaves. The exit code: where nobody types, 1 if an input failed. */
int repl_run(const ReplOptions *options);

#endif
