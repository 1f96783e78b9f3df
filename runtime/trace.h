/* trace.h -- recording of a run: launches, copies, fills, comparisons, allocations and waits, with their times.
 * KDSL_TRACE=FILE in the environment writes the events as JSON (trace_file.c), KDSL_PROFILE sums over them (profile.c).
 */
#ifndef KDSL_RUNTIME_TRACE_H
#define KDSL_RUNTIME_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/internal.h"

typedef enum KdslTraced {
    TRACED_LAUNCH, TRACED_IN, TRACED_OUT, TRACED_FILL, TRACED_COMPARE, TRACED_ROOM, TRACED_WAIT,
    TRACED__COUNT
} KdslTraced;

/* Times in nanoseconds of CLOCK_MONOTONIC. Texts are those of the program: they live until it is unloaded. */
typedef struct KdslEvent {
    KdslTraced kind;
    bool is_in_place, is_worker; /* worker: the thread of a device's asynchronous launches */
    int32_t thread;
    int64_t device;              /* -1: the host */
    int64_t start, ns;
    const char *place;           /* of the launch: ";file;kernel;line;column;;"; of a copy, that for which it is made;
                                  * NULL: for host code. Of a wait: what needs the launches to be over, ";file;function;
                                  * line;column;;"; NULL: the end of the program, or of an exported function */
    const char *what;            /* what is copied: ";x[0:n];file;line;column;;" */
    int64_t n_bytes;
    int64_t items, reads, writes; /* of a launch: bytes of the arrays that the kernel reads and writes */
    int64_t in, out;              /* copied for the launch */
    int64_t flops[2];             /* of a launch: operations on f32 and on f64; -1: not known */
} KdslEvent;

KDSL_RT int64_t kdsl_trace_now(void);
/* An event of this thread, which ends now unless e.ns says how long it took. The thread is added. */
KDSL_RT void kdsl_trace_add(KdslEvent e, int64_t start);
KDSL_RT int64_t kdsl_trace_start(void); /* now; 0 where nothing is recorded, and then the next three do nothing */
KDSL_RT void kdsl_trace_filled(const KdslSection *what, int64_t device, int64_t n_bytes, int64_t start);
/* The host has compared so many bytes of an array, to find out whether the device can fill it. */
KDSL_RT void kdsl_trace_compared(const KdslSection *what, int64_t n_bytes, int64_t start);
KDSL_RT void kdsl_trace_waited(int64_t start, const char *place); /* place: as of an event */
KDSL_RT void kdsl_trace_is_worker(void); /* this thread is one */

/* The events in the order in which they ended. */
enum { KDSL_EVENTS_IN_CHUNK = 1024 };
typedef struct KdslChunk {
    struct KdslChunk *next;
    int n;
    KdslEvent at[KDSL_EVENTS_IN_CHUNK];
} KdslChunk;
typedef struct KdslTrace {
    KdslChunk *first, *last;
    int64_t n, most, n_dropped;
    int64_t begin, end;         /* of the program; for libraries: since they were loaded */
    const char **device_names;  /* by number; NULL: never used */
    int64_t n_devices;
    bool is_forked;             /* the process was forked: the file of the parent is not its own */
} KdslTrace;
/* profile.c: counts the event; writes all sums to the open file. */
KDSL_RT void kdsl_profile_add(const KdslEvent *e);
KDSL_RT void kdsl_profile_write(const KdslTrace *t, int fd);
/* trace_file.c: texts inside quotation marks; `"file":"x.kdsl","line":1,"column":2`, the fields from `first` on. */
KDSL_RT void kdsl_trace_put_text(FILE *f, const char *text);
KDSL_RT void kdsl_trace_put_field(FILE *f, const char *text, int k);
KDSL_RT void kdsl_trace_put_place(FILE *f, const char *text, int first);
/* trace_file.c: writes the events to the file that KDSL_TRACE names. */
KDSL_RT void kdsl_trace_write(const KdslTrace *t, const char *path);
KDSL_RT void kdsl_trace_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
