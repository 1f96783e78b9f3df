/* perf_map.h -- the names of a session's functions for Linux perf. Their code is in no file, so perf takes the names
 * from /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt): lines of address, size and name. */
#ifndef KDSL_PERF_MAP_H
#define KDSL_PERF_MAP_H

#include "offload/offload.h"

/* Appends the functions of an object that has been loaded. address_of: where a global symbol is; 0: not loaded. What
 * cannot be written is left out. */
void perf_map_add(Blob object, uint64_t (*address_of)(void *context, const char *name), void *context);

#endif
