/* session.h -- an interactive session: what has been declared, the values that live on, and how one input is run. What
 * the terminal does with it stands above (repl.c and what it uses); machine code and images below (jit.h).
 *
 * An input goes through the compiler's own stages: parser, sema, plan, irgen. There is no second interpreter. */
#ifndef KDSL_SESSION_H
#define KDSL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

typedef struct Session Session;

typedef struct SessionOptions {
    const char *march; /* NULL: this machine's processor */
    const struct Archs *archs; /* of --offload-arch, alive as long as the session; NULL: the CPU, and what GPUs are
                                * here */
    int opt_level;     /* of kernels */
    bool strict;       /* --fp=strict */
    bool colour;       /* of diagnostics */
} SessionOptions;

/* One in a process: its runtime is the process's. NULL: *why (to be freed by buf_free) says what is missing. */
Session *session_new(const SessionOptions *options, Buf *why);
void session_free(Session *s);

typedef enum SessionResult {
    SESSION_DONE,
    SESSION_REFUSED, /* did not compile; nothing has changed */
    SESSION_FAILED,  /* a check, an assert: what ran before it has happened, and the session is intact */
    SESSION_STOPPED, /* by session_interrupt */
    SESSION_LEAVES,  /* the input called exit() */
} SessionResult;
int session_exit_code(const Session *s); /* after SESSION_LEAVES: what exit() was given */

/* What an expression gave: a view of memory that is the session's until its next input. Arrays are the newest copy, on
 * the host. A str: `at` is a const char **. A struct: `at` its first byte; session_value_text spells it. */
enum { VALUE_RANK = 4 };
typedef struct SessionValue {
    const char *type;       /* as the language writes it: "f32", "[f32; 1000]", "Point"; "": no value */
    const char *element;    /* "f32", "bool", ... of an array its elements' */
    int rank;               /* 0: no array */
    int64_t extents[VALUE_RANK];
    const void *at;
} SessionValue;

/* One launch of the last input. */
typedef struct SessionLaunch {
    const char *kernel, *device, *geometry; /* "saxpy", "x86-64 (device 0)", "1048576 items" */
    double seconds;
    int64_t bytes_to, bytes_from; /* moved for it; host code's own transfers: kernel "host" */
} SessionLaunch;

/* Runs one input: declarations, statements, an expression, in any mixture that is complete (repl/complete.h). What it
 * prints goes to stdout; diagnostics, and the message of what failed, to *said (with colour, ended by a newline).
 * Where the input ends in an expression without `;`, *value is what it gave; may be NULL. */
SessionResult session_run(Session *s, const char *text, size_t n, SessionValue *value, Buf *said);

/* The next input stands in this file, below so many lines: messages name its lines, and modules are looked for beside
 * it. NULL: it is typed. */
void session_from(Session *s, const char *file, int lines_before);

/* From a signal handler: the input that runs stops at the next round of a loop of host code. true: a kernel is running,
 * which has to end first. */
bool session_interrupt(Session *s);

/* What the last input launched, in order; equal launches of a loop one after another are one with the sum: *times. */
int session_launches(const Session *s, const SessionLaunch **at, const int **times);

/* A value as text: numbers as `print` writes them, a struct with its fields. i: element (row-major) of an array. */
void session_value_text(Session *s, const SessionValue *v, int64_t i, Buf *out);

/* Questions; each gives its answer as text, or false with diagnostics in *out. ------------------------------------- */
bool session_type(Session *s, const char *expr, Buf *out);           /* :type e */
/* what: transfers, plan, vector or bounds, of the last input that launched (name NULL), or of a function or kernel */
bool session_explain(Session *s, const char *what, const char *name, Buf *out);
bool session_code(Session *s, const char *kind, const char *name, Buf *out); /* ir | asm | ptx, of a function or
                                                                              * kernel */
bool session_devices(Session *s, Buf *out);
bool session_device(Session *s, int64_t device, Buf *out);           /* launches without `on` go there */
/* The input `text` many times, after one that does not count, for about `seconds`: each run's time in *times (seconds,
 * malloc'd, the caller frees). kernels_only: the time of its launches alone, arrays on the device. -1: failed, see
 * *said. */
int session_time(Session *s, const char *text, double seconds, bool kernels_only, double **times, Buf *said);
void session_reset(Session *s); /* :reset: nothing declared, no variables */

/* Names, for completion and :save. kind: 'v'ariable, 'f'unction, 'k'ernel, 's'truct, 'c'onst, 'm'odule. The n-th in
 * order of declaration; false: no more. Members: of the type of the expression before the dot; NULL-terminated list. */
typedef struct SessionName {
    const char *name, *type, *text; /* text: as it was declared; of a variable NULL */
    char kind;
} SessionName;
bool session_name(Session *s, int n, SessionName *name);
const char *const *session_members(Session *s, const char *expr);

/* Bytes held for code and images, and in how many units; for tests of growth. */
void session_size(const Session *s, int64_t *bytes, int *units);

#endif
