/* session.h -- an interactive session: declarations, persistent variables, and the execution of inputs. repl.c and the
 * terminal code use it; it uses jit.h for machine code and images.
 *
 * An input is compiled by the compiler's usual stages: parser, sema, transfer plan, irgen. There is no interpreter. */
#ifndef KDSL_SESSION_H
#define KDSL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

typedef struct Session Session;

typedef struct SessionOptions {
    const char *march; /* NULL: CPU of this machine */
    const struct Archs *archs; /* --offload-arch, outlives the session; NULL: the CPU and the GPUs of this machine */
    int opt_level;     /* of kernels */
    bool strict, fast; /* --fp=strict, --fp=fast */
    unsigned shadow;   /* --check: bits of ShadowCheck */
    bool colour;       /* in diagnostics */
} SessionOptions;

/* Creates the session; only one in a process, because the runtime has global state. NULL: error in *why (free it with
 * buf_free). */
Session *session_new(const SessionOptions *options, Buf *why);
void session_free(Session *s);

typedef enum SessionResult {
    SESSION_DONE,
    SESSION_REFUSED, /* compile-time errors; nothing has changed */
    SESSION_FAILED,  /* a check or assert failed; effects before it remain, and the session is consistent */
    SESSION_STOPPED, /* by session_interrupt */
    SESSION_LEAVES,  /* the input called exit() */
} SessionResult;
int session_exit_code(const Session *s); /* after SESSION_LEAVES: the argument of exit() */

/* The value of an expression, in memory that is valid until the next input. Arrays: the newest copy, on the host. A
 * str: `at` is a const char **. A struct: `at` is its first byte. */
enum { VALUE_RANK = 4 };
typedef struct SessionValue {
    const char *type;       /* in the syntax of the language: "f32", "[f32; 1000]", "Point"; "": no value */
    const char *element;    /* "f32", "bool", ...; arrays: the element type */
    int rank;               /* 0: not an array */
    int64_t extents[VALUE_RANK];
    const void *at;
    const char *layout;     /* of the type: runtime/value.h */
} SessionValue;

/* One launch of the last input. */
typedef struct SessionLaunch {
    const char *kernel, *device, *geometry; /* "saxpy", "x86-64 (device 0)", "1048576 items" */
    double seconds;
    bool is_in_place; /* nothing was copied: what follows is for a device with its own memory */
    int64_t bytes_to, bytes_from; /* transferred for it; transfers by host code: kernel is "host" */
} SessionLaunch;

/* Executes one input: declarations, statements, an expression, in any order that is complete (repl/complete.h). Its
 * output goes to stdout; diagnostics, and the message of a failure, to *said (with colour, ending with a newline).
 * value may be NULL; else *value is the value of the final expression without `;`. */
SessionResult session_run(Session *s, const char *text, size_t n, SessionValue *value, Buf *said);

/* Sets the file of the next input, and the number of lines before it: for line numbers in messages, and as the folder
 * in which modules are searched. NULL: the input is typed. */
void session_from(Session *s, const char *file, int lines_before);

/* For signal handlers: the current input ends at the next iteration of a host loop. true: a kernel is executing, which
 * must end first. */
bool session_interrupt(Session *s);

/* The launches of the last input, in order; *times: how often each was repeated, as equal consecutive launches are
 * combined to one with summed data. */
int session_launches(const Session *s, const SessionLaunch **at, const int **times);

/* Queries: append the answer to *out; false: diagnostics. ---------------------------------------------------------- */
bool session_type(Session *s, const char *expr, Buf *out);           /* :type e */
/* what: transfers, plan, vector or bounds; name: a function or kernel, or NULL for the last input that launched a
 * kernel */
bool session_explain(Session *s, const char *what, const char *name, Buf *out);
bool session_code(Session *s, const char *kind, const char *name, Buf *out); /* kind: ir, asm or ptx */
bool session_devices(Session *s, Buf *out);
/* Sets what launches are checked for, as --check does; "off": nothing; "": says what. */
bool session_check(Session *s, const char *list, Buf *out);
bool session_device(Session *s, int64_t device, Buf *out);           /* sets the device of launches without `on` */
/* Executes the input `text` once, then repeatedly for about `seconds`; returns the number of runs, with their times in
 * seconds in *times (malloc'd, to be freed by the caller). kernels_only: only the time of its launches, with arrays on
 * the device. -1: error in *said. */
int session_time(Session *s, const char *text, double seconds, bool kernels_only, double **times, Buf *said);
void session_reset(Session *s); /* :reset: removes all declarations and variables */

/* Names, for completion and :save. kind: 'v'ariable, 'f'unction, 'k'ernel, 's'truct, 'c'onst, 'm'odule. session_name:
 * the n-th in order of declaration; false: there is none. session_members: NULL-terminated list of members of the
 * expression before the dot. */
typedef struct SessionName {
    const char *name, *type, *text; /* text: the declaration's source; NULL for variables */
    char kind;
} SessionName;
bool session_name(Session *s, int n, SessionName *name);
const char *const *session_members(Session *s, const char *expr);

/* Bytes of code and images, and number of units; for tests of memory growth. */
void session_size(const Session *s, int64_t *bytes, int *units);

#endif
