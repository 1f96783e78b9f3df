/* perf.h -- is Linux perf to name the code of this process? perf reads symbols from files when it reports, after the
 * program has ended: so files that are temporary otherwise have to stay. perf sets PERF_BUILDID_DIR for the programs
 * that it starts (tools/perf/util/config.c: "for communicating with external commands"). KDSL_PERF=1 says the same for
 * a process that perf is attached to, and KDSL_PERF=0 that nothing is to stay. */
#ifndef KDSL_RUNTIME_PERF_H
#define KDSL_RUNTIME_PERF_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool kdsl_is_for_perf(void) {
    const char *asked = getenv("KDSL_PERF");
    return asked && *asked ? strcmp(asked, "0") != 0 : getenv("PERF_BUILDID_DIR") != NULL;
}

#endif
