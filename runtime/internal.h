/* internal.h -- what the runtime's own files share. Nothing here is called by generated code. */
#ifndef KDSL_RUNTIME_INTERNAL_H
#define KDSL_RUNTIME_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>

#include "runtime/runtime.h"

#ifdef KDSL_LIVE
enum { KDSL_IS_LIVE = 1 };
#else
enum { KDSL_IS_LIVE = 0 };
#endif

KDSL_RT extern int kdsl_argc; /* of the whole program; 0 when `main` is not ours */
KDSL_RT extern char **kdsl_argv;

/* stack.c: calls below it look closer; the largest address before the first one of the thread */
KDSL_RT extern _Thread_local uintptr_t kdsl_stack_reserve;

/* resident.c sets it when a first array is kept on a device: memory that is freed must not stay in its table. */
KDSL_RT extern void (*kdsl_forget_freed)(void *at, size_t n_bytes);

/* launch.c: names what is mapped or copied from now on; NULL: nothing more. report.c gets the name, too. */
/* ROOM: memory is allocated on the device, and nothing is copied. */
typedef enum KdslMove { MOVES_NOTHING, MOVES_ROOM, MOVES_IN, MOVES_OUT } KdslMove;
KDSL_RT void kdsl_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move);
KDSL_RT void kdsl_report_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move);
/* report.c: what comes back from here on is for this launch on another device; NULL: it is for host code. */
KDSL_RT void kdsl_report_serve(const KdslSection *launch);
KDSL_RT const KdslSection *kdsl_report_served(void);
/* resident.c: does the table of the device have it? */
KDSL_RT bool kdsl_is_resident(int64_t device, void *at);
/* resident.c: releases the locks of this thread, which fails while it works on the tables. */
KDSL_RT void kdsl_tables_let_go(void);
/* resident.c: copies everything back and keeps nothing on devices; the next launch finds the default device again. */
KDSL_RT void kdsl_all_come_back(void);

/* launch.c: the place of an ident_t, ";file;kernel;line;column;;". */
KDSL_RT const char *kdsl_ident_place(const void *ident);
/* launch.c: the k-th field of ";x[0:n];file;line;column;;" and its length. */
KDSL_RT int kdsl_field(const char *text, int k, const char **at);
/* launch.c: without counting. The arguments are changed. */
/* Is argument i an array of one value that the launch maps for itself? On a device with its own memory it is filled
 * there, not copied. Of further arguments than MOST_FILLED all are copied. */
enum { MOST_FILLED = 32 };
struct KernelArgs;
KDSL_RT bool kdsl_launch_fills(const struct KernelArgs *args, uint32_t i, void *loc, int64_t device);
/* The array is mapped: fills it, or copies it if the device cannot. Returns whether it was filled. */
KDSL_RT bool kdsl_launch_fill(const struct KernelArgs *args, uint32_t i, void *loc, int64_t device);
/* Of this thread since the last call: the seconds that comparing and filling took, which are no time of the kernel; in
 * *filled, bit i: argument i was filled. */
KDSL_RT double kdsl_launch_fills_took(uint32_t *filled);
KDSL_RT const char *kdsl_launch_arg_name(const struct KernelArgs *args, uint32_t i); /* as in a KdslSection */
KDSL_RT int32_t kdsl_launch_now(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);
KDSL_RT extern bool kdsl_is_observed; /* by report.c or trace.c: the one question that a launch asks without them */
KDSL_RT extern bool kdsl_report_is_on;
KDSL_RT int32_t kdsl_report_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);

/* trace.c, KDSL_TRACE: the same for each launch and copy, with its time; and the beginning and end of recording. */
KDSL_RT extern bool kdsl_trace_is_on;
KDSL_RT int32_t kdsl_trace_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);
KDSL_RT void kdsl_trace_moving(const KdslSection *what, int64_t device, int64_t n_bytes, KdslMove move);
KDSL_RT void kdsl_trace_begin(void);
KDSL_RT void kdsl_trace_end(void);

/* The entry point for the tools interface of the OpenMP runtime; NULL without KDSL_REPORT. */
KDSL_RT void *kdsl_report_tool(void);
KDSL_RT void kdsl_remove_stale_mark(void); /* stale.c, before libomp begins */

/* A program or library is registered: is there to be a report when it ends or is closed? */
KDSL_RT void kdsl_report_begin(void);

/* excerpt.c: a failure as text, with the line of the source. place: as of cg_place_string; or the name of a module; or
 * NULL. Returns the length, as snprintf does; there is no line end after it. */
enum { KDSL_MOST_NOTES = 2, KDSL_REPORT_BYTES = 4096 };
typedef struct KdslFailure {
    const char *place, *message, *notes[KDSL_MOST_NOTES]; /* notes: NULL or "" for none */
    const char *library; /* the place in the standard library, if `place` is that of the call; or NULL */
} KdslFailure;
KDSL_RT size_t kdsl_failure_text(char *at, size_t room, const KdslFailure *f, bool colour);
KDSL_RT bool kdsl_is_in_library(const char *place); /* the standard library */
KDSL_RT bool kdsl_failures_have_colour(void); /* on standard error; in a session, in the message */

/* Flush stdout, print the failure on stderr, exit with KDSL_EXIT_CHECK. */
KDSL_RT _Noreturn void kdsl_fail(const char *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
KDSL_RT void kdsl_fail_again(const char *message);
KDSL_RT void kdsl_tell(const KdslFailure *f); /* on stderr, which ends nothing */
/* check.c: something is wrong that ends nothing: the program goes on, and ends with KDSL_EXIT_CHECK; so does an
 * exported function, with the failure as its message. */
KDSL_RT void kdsl_found(const KdslFailure *f);
/* check.c: the same for findings of --check. One with the key of an earlier one is not repeated. */
KDSL_RT void kdsl_found_once(uint64_t key, const char *place, const char *message);
KDSL_RT bool kdsl_has_found(void); /* in the call of the exported function */
KDSL_RT bool kdsl_has_program_found(void);
KDSL_RT void kdsl_found_reset(void); /* a call of an exported function, or an input of a session, begins */
/* host.c: the program is one of the processes of an MPI job. If it fails, abort(status) ends the others; NULL: that is
 * the business of the program that has called us. */
KDSL_RT void kdsl_job_begins(int rank, int n_ranks, void (*abort)(int status));
KDSL_RT extern char kdsl_job_text[64]; /* "rank 1 of 4", or nothing */
KDSL_RT extern char kdsl_job_mark[32]; /* "rank 1: ", or nothing: before the lines of a report */
KDSL_RT extern int kdsl_job_rank;      /* -1: not in a job */
/* The place of a failure in the C functions of the standard library: that of the call in the program, else `module`. */
KDSL_RT const char *kdsl_called(const char *module);
/* Inside an exported function: ends the call with `status` and does not return. Elsewhere it does nothing. */
KDSL_RT void kdsl_border_fail(int status, const KdslFailure *f);
KDSL_RT void kdsl_border_fail_again(int status, const char *text); /* with the whole message of another thread */
/* The same without a message; and the parts of kdsl_border that need neither blocks nor messages. */
KDSL_RT void kdsl_border_leave(int status);
KDSL_RT bool kdsl_border_is_there(void);
KDSL_RT void kdsl_border_tell(const KdslFailure *f); /* for the message of the call, which goes on */
__attribute__((weak, visibility("default"))) const char *kdsl_last_error(void); /* seen by C callers */
KDSL_RT int32_t kdsl_border_cross(void (*run)(void *frame), void *frame);
enum { KDSL_LEFT = 256, KDSL_STOPPED }; /* of a session: exit(), an interrupt */
KDSL_RT extern int32_t kdsl_exit_code;  /* of a session's exit() */
KDSL_RT extern volatile int32_t kdsl_n_launching, kdsl_interrupt; /* a session's */
/* slot.c: a copy of `what` and of all that it points to, in one block, which the caller frees. NULL: out of memory.
 * For sessions, whose code may be unloaded while its arrays stay. */
KDSL_RT KdslSection *kdsl_section_copy(const KdslSection *what);
/* heap.c: is that an array, all of it, with no other one in its pages? */
enum { KDSL_LARGE_FROM_BYTES = 1 << 20 };
KDSL_RT bool kdsl_is_large_array(const char *at, int64_t n_bytes);
/* heap.c: records the arrays that this thread allocates, until _end frees or keeps them. */
typedef struct KdslBlock KdslBlock;
typedef struct KdslBlocks {
    KdslBlock *first;
    int keeps_list;
} KdslBlocks;
KDSL_RT KdslBlocks kdsl_blocks_begin(void);
KDSL_RT void kdsl_blocks_end(KdslBlocks outer, int free_all);
KDSL_RT void kdsl_blocks_keep(void *data); /* this one is known no longer */
/* file.c: these bytes come first in the file that this thread writes next, if it has that path. */
enum { KDSL_HEAD_BYTES = 256 };
KDSL_RT void kdsl_file_head(const char *path, const char *bytes, int64_t n);
/* host.c: is the whole text a number of that type? */
typedef enum KdslNumber { KDSL_NUMBER, KDSL_NO_NUMBER, KDSL_NO_ROOM } KdslNumber;
KDSL_RT KdslNumber kdsl_read_int(const char *text, int bits, int is_signed, int64_t *number);
KDSL_RT KdslNumber kdsl_read_float(const char *text, int bits, double *number);
KDSL_RT void kdsl_text_reset(void); /* forget the pieces of a line that a failure cut short */
/* Standard output took no more: say why, exit with 1. Silence would pass for success. */
KDSL_RT _Noreturn void kdsl_output_failed(int error);
/* "[4, 512]" into `text`. */
enum { KDSL_SHAPE_BYTES = 4 * 22 + 8 };
KDSL_RT const char *kdsl_shape_text(char text[KDSL_SHAPE_BYTES], int64_t rank, const int64_t *extents);

/* async.c: the program is about to end; returns when no launch runs any more. */
KDSL_RT void kdsl_async_stop(void);
/* host.c: the only way in which the runtime ends the process. The program's own exit() waits for all launches first. */
KDSL_RT _Noreturn void kdsl_end(int status);

/* device.c: the default device, found at the first call; KDSL programs cannot change it. */
KDSL_RT int64_t kdsl_default_device(void);
/* device.c: is KDSL_REQUIRE=gpu set? Then: ends the program unless a launch on `device` (-1: the default) is on one. */
KDSL_RT bool kdsl_device_is_required(void);
KDSL_RT void kdsl_device_require(const char *place, int64_t device);
KDSL_RT bool kdsl_device_is_gpu(int device);
KDSL_RT bool kdsl_device_is_cpu(int device);
/* threads.c: threads have stacks of the usual size, and no tool (OMPT) listens to libomp. */
KDSL_RT bool kdsl_threads_are_plain(void);
typedef void Task(int32_t *thread, int32_t *bound, void *context);
KDSL_RT void kdsl_fork_call(void *ident, Task *task, void *context); /* libomp is there */
/* team.c: executes it by the team of the loop. False: this thread is in no such loop, or a team would not help. */
KDSL_RT bool kdsl_team_run(void *ident, Task *task, void *context);
KDSL_RT int kdsl_team_thread(void);    /* the number of this thread in an open team; -1: it is in none */
KDSL_RT int kdsl_team_size(void);      /* 0: it is in none */
KDSL_RT void kdsl_team_launches(void); /* a kernel that is called directly */
KDSL_RT void kdsl_team_close(void);    /* until the next of these: another way to launch comes */
KDSL_RT void kdsl_team_leave(void);    /* the loop of this thread, if it is in one, ends by a failure */
enum { THROTTLE_WINDOW = 5 };
/* throttle.c: do one or all threads execute the launches of a loop? All 0: the loop begins. Times are those of
 * kdsl_clock; 0: it was not asked. */
typedef struct Throttle {
    Task *first;                  /* with each launch of it an iteration begins; NULL: not chosen yet */
    bool is_alone, is_trial;      /* one thread; for a few iterations only */
    int n, wait;                  /* iterations in this way, and until the other one is tried */
    int n_others, search;         /* launches since an iteration began, and until another task is chosen */
    int n_long;                   /* launches that took long, */
    double in_long, since;        /* how long together, and since when */
    double began, last;           /* the iteration and the last launch */
    double took[THROTTLE_WINDOW]; /* the last iterations, in any order */
    double usual;                 /* an iteration before the trial */
} Throttle;
/* Of the launch that begins now. One thread at a time may call it. */
KDSL_RT bool kdsl_throttle_is_alone(Throttle *t, Task *task, int n_threads);
/* device.c: fills memory of a device that does not work in place, without a copy; n_bytes and the address are multiples
 * of 4. False: the device did not. */
KDSL_RT bool kdsl_device_fill(int64_t device, void *there, uint32_t value, int64_t n_bytes);
/* memory.c: does the device (not -1) work in the memory of the host? */
KDSL_RT bool kdsl_is_in_place(int64_t device);
KDSL_RT extern bool kdsl_copies_each; /* --transfers=each */
KDSL_RT bool kdsl_is_known_in_place(int64_t device); /* false where nobody has asked yet */
/* The same; a message about a failure names `what`, which is about to be copied. */
KDSL_RT bool kdsl_is_in_place_for(const KdslSection *what, int64_t device, int64_t n_bytes);

/* nvidia.c: the name of the device that libomptarget calls `uid`; and before a launch on the device: if it is one of
 * NVIDIA's, the thread works with it from here on. */
KDSL_RT bool kdsl_nvidia_first(char *text, int n_bytes); /* "name (sm_90)" of the driver's first one, used or not */
KDSL_RT bool kdsl_nvidia_name(const char *uid, char *name, int n_bytes);
KDSL_RT void kdsl_nvidia_enter(int64_t device);
/* Pins pages of the host, so that the device copies them by DMA. False: not possible, which does no harm. */
KDSL_RT bool kdsl_nvidia_pin(int64_t device, void *at, int64_t n_bytes);
KDSL_RT void kdsl_nvidia_unpin(int64_t device, void *at);
KDSL_RT bool kdsl_nvidia_fill(int64_t device, void *there, uint32_t value, int64_t n_bytes);
/* Is it an address on that device, of cudaMalloc? */
KDSL_RT bool kdsl_nvidia_has(int64_t device, const void *at);

/* kept.c: seen by C callers, in the generated header. The address is that of the first byte or, except for kdsl_keep,
 * of any other. 0, or KDSL_EXIT_CHECK with the message in kdsl_last_error(); NULL instead of the address. */
#define SEEN_BY_CALLERS __attribute__((weak, visibility("default")))
SEEN_BY_CALLERS int32_t kdsl_keep(void *at, int64_t n_bytes);
SEEN_BY_CALLERS int32_t kdsl_host(void *at);
SEEN_BY_CALLERS int32_t kdsl_changed(void *at);
SEEN_BY_CALLERS int32_t kdsl_release(void *at);
SEEN_BY_CALLERS void *kdsl_device_pointer(void *at);
/* resident.c: an exported function begins or ends with this argument. At the end the newest copy is where it was
 * before: on the device if the caller keeps it there, else on the host. */
KDSL_RT void kdsl_resident_begin(const KdslSection *what, void *at, int64_t n_bytes);
KDSL_RT void kdsl_resident_end(void *at, int64_t n_bytes);
/* image_file.c: removes the file from which the host plugin has loaded an image, if its content is still that at
 * `loaded`. Returns whether the name is one that the plugin uses. */
KDSL_RT void kdsl_remove_image_file(const char *path, const void *loaded);
KDSL_RT bool kdsl_is_image_file(const char *path);

#endif
