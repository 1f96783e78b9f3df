/* output.h -- atomic replacement of files: a new file is written under a temporary name in the same folder, and
 * renamed when it is complete. If writing fails, the old file remains. */
#ifndef KDSL_RUNTIME_OUTPUT_H
#define KDSL_RUNTIME_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/internal.h"

typedef struct Output {
    FILE *file;
    char *real, *temporary; /* the file that will be replaced, and the one beside it; NULL: `path` itself is written */
} Output;

/* false: errno says why. */
KDSL_RT bool kdsl_output_open(Output *o, const char *path);
/* ok: everything was written. false: it was not, or could not be kept; errno says why. */
KDSL_RT bool kdsl_output_close(Output *o, bool ok);

#endif
