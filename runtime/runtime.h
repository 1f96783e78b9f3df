/* runtime.h -- the runtime library: C functions that are linked into every program. They are compiled together with
 * the compiler, and embedded in it. All names are hidden, and weak so that several KDSL object files can be linked
 * together.
 *
 * `place` is made at compile time: "file.kdsl:12:5", and after a line end what excerpt.c needs. A failed check flushes
 * stdout, prints "error: what" with the place on stderr and exits with KDSL_EXIT_CHECK. */
#ifndef KDSL_RUNTIME_H
#define KDSL_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef KDSL_LIVE /* live.h: the runtime of sessions, a shared library */
#define KDSL_RT __attribute__((visibility("default")))
#elif !defined KDSL_RT /* the compiler has a function of this, too */
#define KDSL_RT __attribute__((weak, visibility("hidden")))
#endif
enum { KDSL_EXIT_CHECK = 3 };
/* test.c: why a test failed that came to its end: a data race, or what else --check found. */
#define KDSL_WHY_FOUND "--check found an error"

/* start.c: `main` stores the arguments, then calls the program's own main, which the compiler names kdsl_main. */
extern int kdsl_main(void);

/* text.c: one line (print) or one string (format) is built piece by piece, then ended. Style: 0, 'x', 'b', 'e';
 * align: '<', '>' or 0 (numbers right, the rest left); precision -1: shortest text that reads back the same. */
KDSL_RT void kdsl_text_bytes(const char *at, int64_t n);
KDSL_RT void kdsl_text_str(const char *s, int32_t width, int32_t align);
KDSL_RT void kdsl_text_bool(int32_t v, int32_t width, int32_t align); /* true, false */
KDSL_RT void kdsl_text_i64(int64_t v, int32_t bits, int32_t width, int32_t align, int32_t zero, int32_t style);
KDSL_RT void kdsl_text_u64(uint64_t v, int32_t width, int32_t align, int32_t zero, int32_t style);
KDSL_RT void kdsl_text_f64(double v, int32_t bits, int32_t width, int32_t precision, int32_t align, int32_t zero,
                           int32_t style); /* bits 32: v was an f32, which decides what "shortest" is */
/* An array or struct as a str, which the caller frees: value.h says what `type` is. */
KDSL_RT const char *kdsl_value_text(const char *type, const void *at, int32_t width, int32_t precision, int32_t align,
                                    int32_t zero, int32_t style);
KDSL_RT void kdsl_value_text_end(const char *text);
KDSL_RT void kdsl_text_print(void);        /* end of a print: the line and a newline to stdout, in one write */
/* A parsed format, for text that is made after a kernel has run. Numbers are taken from `values` in order, one 64-bit
 * slot each: integers sign- or zero-extended by their type, floats as a double. */
typedef struct KdslPiece {
    const char *text;                    /* of n bytes; NULL: a number */
    int64_t n;
    int32_t kind;                        /* 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    int32_t bits, width, precision, align, zero, style;
} KdslPiece;
KDSL_RT void kdsl_text_pieces(const KdslPiece *pieces, int64_t n, const int64_t *values); /* print.c */
KDSL_RT const char *kdsl_text_format(void);/* end of a format: a string that lives as long as the program */
KDSL_RT _Noreturn void kdsl_text_assert(const char *place); /* end of a failed assert's text */

/* cpu.c: 1 x86-64, 2 x86-64-v2, ...; 0 until it is chosen. `lowest`: of the versions there are. Ends the program where
 * the processor, or KDSL_CPU, is below that, and where KDSL_CPU is above the processor. */
KDSL_RT extern int32_t kdsl_cpu_level;
KDSL_RT void kdsl_cpu_choose(int32_t lowest);
/* Are they too many for the last-level cache? Kernels call it before they use non-temporal stores. */
KDSL_RT int32_t kdsl_exceeds_cache(int64_t n_bytes);

/* stack.c: ends the program if the stack has no room for further calls. Functions that may call themselves call it
 * first; those of programs only if the stack pointer is below kdsl_stack_reserve (internal.h). */
KDSL_RT void kdsl_check_stack(const char *place, const char *function);

/* heap.c: arrays. 64-byte aligned. Fails the program when an extent is negative, the size overflows or memory is
 * out. */
KDSL_RT void *kdsl_array_new(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place);
KDSL_RT void *kdsl_array_zero(int64_t elem_bytes, int64_t rank, const int64_t *extents, const char *place);
KDSL_RT void kdsl_array_free(void *data); /* NULL is fine */

/* check.c */
KDSL_RT _Noreturn void kdsl_fail_index(const char *place, const char *array, int64_t index, int64_t dim, int64_t rank,
                                       const int64_t *extents);
/* lo..hi of dimension dim is not within the array, or ends before it begins */
KDSL_RT _Noreturn void kdsl_fail_slice(const char *place, const char *array, int64_t lo, int64_t hi, int64_t dim,
                                       int64_t rank, const int64_t *extents);
/* The text "matmul: k is {} in a: {} but {} in b: {}" is built from these: function, name of the size, and for each of
 * the two arguments the name of the parameter, its rank, its extents and which of them is meant. other_name NULL: the
 * extent must equal the constant `required`, or, if `size` is its name, be that much or more. other_size: the words for
 * the size of the other argument, NULL: the same. */
KDSL_RT _Noreturn void kdsl_fail_shape(const char *place, const char *function, const char *size, const char *name,
                                       int64_t rank, const int64_t *extents, int64_t dim, const char *other_name,
                                       int64_t other_rank, const int64_t *other_extents, int64_t other_dim,
                                       int64_t required, const char *other_size);
KDSL_RT _Noreturn void kdsl_fail_divide(const char *place); /* division by zero */
KDSL_RT _Noreturn void kdsl_fail_shift(const char *place, int64_t amount, int64_t bits);
/* a domain of `rank` axes with too many work items to count */
KDSL_RT _Noreturn void kdsl_fail_domain(const char *place, const char *kernel, int64_t rank, int64_t n0, int64_t n1,
                                        int64_t n2);
KDSL_RT _Noreturn void kdsl_fail_step(const char *place); /* a range with step 0 */
/* A check that failed in a kernel. The compiler emits a table of all checks in kernels; the item whose check failed
 * first has filled the slot of the launch (irgen/lang/check.c). axes: names of the domain variables. */
typedef enum KdslCheckKind { /* sema/sema.h: CheckKind; irgen/lang/check.c has both */
    KDSL_CHECK_INDEX, KDSL_CHECK_DIVIDE, KDSL_CHECK_SHIFT, KDSL_CHECK_STEP, KDSL_CHECK_SHAPE, KDSL_CHECK_SLICE,
    KDSL_CHECK_ASSERT
} KdslCheckKind;
typedef struct KdslCheck {
    const char *place, *name; /* of the array; of the argument whose shape is wrong */
    const char *function, *size, *other, *other_size; /* shapes: as kdsl_fail_shape */
    int64_t kind;             /* KdslCheckKind */
    int64_t rank, dim, other_rank, other_dim;
    int64_t number;           /* shifts: bits of the value; shapes: required */
    const KdslPiece *pieces;  /* asserts: the text; its values begin at slot->value */
    int64_t n_pieces;
} KdslCheck;
typedef struct KdslSlot {
    int32_t taken;  /* not 0: the first failed check has it; on a GPU, the number of the check, and `site` is 0 */
    int32_t blocks; /* GPU reductions: blocks that have stored their partial result; 0 when all have */
    int64_t site, value, other, dim, extents[4], other_extents[4], item[3];
} KdslSlot;
KDSL_RT _Noreturn void kdsl_fail_item(const KdslCheck *checks, const KdslSlot *slot, const char *const *axes,
                                      int64_t n_axes, const char *kernel);

/* print.c: lines that kernels print. The launch maps a buffer; an item that prints reserves room in it with one atomic
 * add, and stores the number of the print, its position and the values. After the launch the host prints the lines in
 * the order of the work items, and those of one item in the order in which it printed. Words of 64 bits: */
enum {
    KDSL_PRINT_NEXT,    /* the first free word; beyond the end once a record did not fit */
    KDSL_PRINT_DROPPED, /* records that did not fit */
    KDSL_PRINT_END,     /* words of the whole buffer */
    KDSL_PRINT_FIRST,   /* records: number of the print (from 1), position[3], values */
};
typedef struct KdslPrint {
    const KdslPiece *pieces; /* NULL: not in code for devices */
    int64_t n_pieces, n_values;
} KdslPrint;
KDSL_RT int64_t *kdsl_print_begin(void);   /* the buffer, empty; always the same one */
KDSL_RT int64_t kdsl_print_bytes(void);    /* its size: KDSL_PRINT_BUFFER, or 1 MiB */
KDSL_RT void kdsl_print_end(const KdslPrint *prints, const char *const *axes, int64_t n_axes, const char *place,
                            const char *kernel);

/* What a generic C function of the standard library gets of an array. type: "f64", "Particle" */
typedef struct KdslArray {
    void *at;
    const char *type;
    int64_t elem_bytes, rank, extents[4];
} KdslArray;
/* Before a call of the standard library, and before a launch: failures in the library are reported with this place,
 * which is the program's. NULL: after it. */
KDSL_RT void kdsl_called_at(const char *place);
/* resident.c: arrays kept on the device. Before a launch, an array that outlives it there is brought up to date, and
 * libomptarget then finds it mapped; the caller passes what the kernel does with it. If the launch then runs on the
 * host after all, it cancels this. Host code calls these functions before it reads or writes an array whose newest copy
 * may be on the device. at, n_bytes: the section, whole or in part. */
typedef struct KdslSection {
    const void *ident; /* of the place: libomptarget's ident_t */
    const char *name;  /* ";x[0:n];file;line;column;;", as in a launch's name table */
} KdslSection;
KDSL_RT void kdsl_on_device(const KdslSection *what, int64_t device, void *at, int64_t n_bytes, int32_t reads,
                            int32_t writes); /* device -1: the default one */
/* 1: for all arrays of a launch, kdsl_on_device would do nothing. place: as of kdsl_settle_at. */
KDSL_RT int32_t kdsl_keeps_nothing(int64_t device, const char *place);
KDSL_RT void kdsl_not_on_device(void *at, int64_t n_bytes, int32_t writes);
/* place: as of kdsl_settle_at. peeks, pokes: only these bytes; more: others are likely to follow. fills: all of it, and
 * what it held is not needed. */
KDSL_RT void kdsl_host_peeks(void *at, int64_t n_bytes, int32_t more, const char *place);
KDSL_RT void kdsl_host_pokes(void *at, int64_t n_bytes, const char *place);
KDSL_RT void kdsl_host_reads(void *at, int64_t n_bytes, const char *place);
KDSL_RT void kdsl_host_writes(void *at, int64_t n_bytes, const char *place);
KDSL_RT void kdsl_host_fills(void *at, int64_t n_bytes, const char *place);
KDSL_RT void kdsl_check_device(const char *place, int64_t device); /* is there one of this number? else the program
                                                                    * ends */
KDSL_RT void kdsl_host_takes(void *at, int64_t n_bytes); /* it is here, and no device keeps a copy */

/* slot.c: allocates the slot of a launch for the first failed check, zeroed, also on the device (-1: the default one).
 * After the launch, whether or not it ran there: ends the program if the slot is taken, else frees it. */
KDSL_RT KdslSlot *kdsl_slot_take(const KdslSection *what, int64_t device);
KDSL_RT void kdsl_slot_end(KdslSlot *slot, int32_t on_host, const KdslCheck *checks, const char *const *axes,
                           int64_t n_axes, const char *kernel);

/* async.c: calls run(copy of frame) on the thread of the device (-1: the default one), after the earlier launches on
 * the same device, and after those on other devices that write what it uses, or use what it writes. kdsl_settle: waits
 * for all. */
typedef struct KdslUse {
    char *at;
    int64_t n_bytes, writes;
} KdslUse;
KDSL_RT void kdsl_async(void (*run)(void *frame), const void *frame, int64_t n_bytes, const KdslUse *uses,
                        int64_t n_uses, int64_t device);
KDSL_RT void kdsl_settle_at(const char *place); /* of what needs it, for the timeline; NULL: not known */
KDSL_RT void kdsl_settle(void);

/* device.c: how many there are; what one is called. */
KDSL_RT int32_t kdsl_n_devices(void);
KDSL_RT const char *kdsl_device_name(const char *place, int64_t device);
/* launch.c: libomptarget's launch. 0: the kernel has run; else the host version is to be called. _alone: not beside
 * another one of these. */
KDSL_RT int32_t kdsl_launch_alone(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);
KDSL_RT int32_t kdsl_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);

/* trace.c: the operations on f32 and f64 of the launch that follows in this thread, -1: not known. In programs of
 * `kdslc profile` only. */
KDSL_RT void kdsl_trace_work(int64_t f32, int64_t f64);

/* threads.c: task(thread, bound, context) on the threads of the OpenMP runtime, if these have the stack that it needs,
 * or on this one; and in there, which of how many this is. */
KDSL_RT void kdsl_fork(void *ident, void (*task)(int32_t *thread, int32_t *bound, void *context), void *context,
                       int64_t stack_bytes);
KDSL_RT int32_t kdsl_thread_num(void);
KDSL_RT int32_t kdsl_num_threads(void);

/* team.c: around a loop of launches. 1: it has had many, so that work for some tenths of a microsecond is worth
 * kdsl_fork. */
KDSL_RT void kdsl_team_begin(void);
KDSL_RT void kdsl_team_end(void);
KDSL_RT int32_t kdsl_has_team(void);

/* memory.c: the choice of --memory, before the program registers itself. requirements: that of its entry for
 * libomptarget, which says that memory is unified; NULL: there is none. KDSL_MEMORY in the environment overrides it.
 * copies_each: --transfers=each, where launches copy all that they are told to. */
typedef enum KdslMemoryKind { KDSL_MEMORY_AUTO, KDSL_MEMORY_SEPARATE, KDSL_MEMORY_UNIFIED } KdslMemoryKind;
KDSL_RT void kdsl_memory(int32_t kind, int32_t copies_each, int64_t *requirements);

/* registration.c: the constructor that irgen makes registers the images of the program with libomptarget; they are
 * unregistered when the program ends or the library is closed. `anchor`: a function of libomptarget, so that the
 * program depends on it. */
KDSL_RT void kdsl_register(const void *descriptor, const void *anchor);
KDSL_RT void kdsl_unregister(const void *descriptor);
KDSL_RT void kdsl_ptx_register(const void *descriptor, const void *anchor); /* cuda.c: of programs with PTX images */
KDSL_RT void kdsl_ptx_unregister(const void *descriptor);

/* border.c: exported functions. Runs `run(frame)`; 0, or the exit code with which a program would have ended there. */
KDSL_RT int32_t kdsl_border(void (*run)(void *frame), void *frame);
/* kept.c: an array that came from outside, before the function uses it, and after the call. _gives returns the address
 * that the function uses: another one if `at` is an address on the device. */
KDSL_RT void *kdsl_caller_gives(const KdslSection *what, void *at, int64_t n_bytes);
KDSL_RT void kdsl_caller_takes(void *at, int64_t n_bytes);
/* An array that came from outside: no negative extent, and not NULL unless it is empty. */
KDSL_RT void kdsl_check_argument(const char *place, const char *name, const void *at, int64_t rank,
                                 const int64_t *extents);
/* Two arguments from outside: no byte belongs to both. may_be_same: unless they are one and the same. */
KDSL_RT void kdsl_check_apart(const char *place, const char *name, const char *at, int64_t n_bytes,
                              const char *other_name, const char *other, int64_t other_bytes, int32_t may_be_same);

/* test.c: the main function of `kdslc test`. Runs each test in a process of its own; returns the exit code of the
 * program. */
typedef struct KdslTest {
    const char *name, *place;
    void (*run)(void);
} KdslTest;
KDSL_RT int32_t kdsl_test_main(const KdslTest *tests, int64_t n);

/* file.c: failures end the program, naming path and reason */
KDSL_RT void kdsl_write_file(const char *path, const void *at, int64_t n_bytes, int32_t append, const char *place);
KDSL_RT const char *kdsl_read_file(const char *path, const char *place);
KDSL_RT void kdsl_read_array(const char *path, int64_t offset, void *at, int64_t n_bytes, const char *name,
                             int64_t rank, const int64_t *extents, const char *place);
KDSL_RT int32_t kdsl_file_exists(const char *path);
KDSL_RT int64_t kdsl_file_size(const char *path, const char *place);
KDSL_RT const char *kdsl_read_line(const char *place);
KDSL_RT int32_t kdsl_input_ended(const char *place);

/* host.c */
KDSL_RT int64_t kdsl_args_count(void);
KDSL_RT const char *kdsl_args_at(int64_t i);
KDSL_RT double kdsl_clock(void);
KDSL_RT _Noreturn void kdsl_exit(int32_t status); /* flushes */
/* whole text -> number; `type` is "i32", "f32", ... ; not a number or out of range ends the program with exit 3 and
 * "place: `abc` is not an i32". */
KDSL_RT int64_t kdsl_parse_int(const char *text, const char *type, int32_t bits, int32_t is_signed, const char *place);
KDSL_RT double kdsl_parse_float(const char *text, const char *type, int32_t bits, const char *place);

/* shadow.c: --check=race,init. A launch of a kernel with recorded accesses begins with kdsl_shadow_begin, which returns
 * what the kernel gets as its last argument, and ends with kdsl_shadow_end, which prints the reports. The kernel calls
 * the runtime through the pointers in there, since its code may be in the image of a device, which has no copy of this
 * state. One such launch runs at a time, on one thread. */
typedef enum KdslShadowCheck { KDSL_SHADOW_RACE = 1, KDSL_SHADOW_INIT = 2 } KdslShadowCheck;
typedef enum KdslMemory { KDSL_MEMORY_GLOBAL, KDSL_MEMORY_FRESH, KDSL_MEMORY_SHARED } KdslMemory;
typedef struct KdslShadowArray {
    const char *name;
    int64_t elem_bytes, rank;  /* rank 0: a single value */
    int64_t unit_bytes;        /* size of the parts of an element, if all are of one size; else 0 */
    int64_t n_parts;           /* of an element: numbers */
    const uint16_t *part_at;   /* unit_bytes 0: by byte of the element, the part there */
    const char *const *parts;  /* their names, ".pos.x" */
    const char *kinds;         /* a letter for each part: 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    int64_t memory;            /* KdslMemory */
    int64_t is_exposed;        /* reads of elements without values are reported */
    const char *written;       /* the place of `assume written`: so are elements that nothing has written; or NULL */
    const int64_t *extents;    /* of an array of one item; NULL: a single value */
} KdslShadowArray;
typedef struct KdslShadowKernel {
    const char *name;
    int64_t checks;            /* KdslShadowCheck */
    int64_t n_axes;
    const char *const *axes;
    int64_t by[3];             /* items of a group along each axis; by[0] = 0: no groups */
    const KdslShadowArray *arrays;
    int64_t n_arrays;
    const char *const *sites;  /* "file.kdsl:12:5", by number - 1 */
    int64_t n_sites;
} KdslShadowKernel;
/* A cell, from its lowest bit: kind 3 bits, has a value 1, several groups 1, site 16, turn 42, is a record 1. The cell
 * of a record: kind, updates 1, many 1, number 26, phase 32: if several items read in this phase, and nobody writes or
 * updates, one more is nothing new; so it is if they only update. Kernels compare and store cells, too
 * (irgen/lang/shadow_cell.c). */
typedef enum KdslCellKind {
    KDSL_CELL_NOTHING, KDSL_CELL_READ, KDSL_CELL_WRITE, KDSL_CELL_UPDATE, KDSL_CELL_RECORD
} KdslCellKind;
enum {
    KDSL_CELL_KIND_BITS = 3, KDSL_CELL_SET = 1 << 3, KDSL_CELL_SEVERAL = 1 << 4, KDSL_CELL_MANY = 1 << 4,
    KDSL_CELL_UPDATES = 1 << 3,
    KDSL_CELL_SITE = 5, KDSL_CELL_SITE_BITS = 16, KDSL_CELL_TURN = 21, KDSL_CELL_TURN_BITS = 42,
    KDSL_CELL_NUMBER_BITS = 26, KDSL_CELL_PHASE = 31, KDSL_CELL_IS_RECORD = 63
};
typedef struct KdslShadowCells {
    uint64_t at, n_bytes; /* of the array */
    uint64_t *cells;
} KdslShadowCells;
typedef struct KdslShadow {
    uint64_t turn;             /* of the item that runs; groups: that of the phase plus the number in the group */
    uint64_t phase;            /* groups: of the first item in this interval between two barriers */
    uint64_t launch;           /* the first turn of this launch */
    uint64_t first;            /* of this group; without groups nothing is before it in order: UINT64_MAX */
    KdslShadowCells *cells;    /* of the arrays, by their numbers */
    int64_t every;             /* groups: not 0: what runs, runs once for all items */
    uint64_t value;            /* the bits that are about to be written, in a call of `writes` from value_site */
    int64_t value_site;
    void (*domain)(const int64_t *lo, const int64_t *step, const int64_t *trips);
    void (*array)(int64_t number, uint64_t at, const int64_t *extents);
    void (*group)(int64_t number);
    void (*barrier)(void);
    void (*reads)(uint64_t at, int64_t n_bytes, int64_t site);
    void (*writes)(uint64_t at, int64_t n_bytes, int64_t site);
    void (*updates)(uint64_t at, int64_t n_bytes, int64_t site);
    /* An array of one item: bytes that are read. `flags`: for each byte of it, whether it has been written. */
    void (*unset)(const KdslShadowArray *array, const char *flags, int64_t offset, int64_t n_bytes, int64_t site);
} KdslShadow;
KDSL_RT KdslShadow *kdsl_shadow_begin(const KdslShadowKernel *kernel);
KDSL_RT void kdsl_shadow_end(void);

/* live.c: only in sessions. Called by code for the host when Ctrl-C was pressed: ends the input. */
KDSL_RT _Noreturn void kdsl_interrupted(void);
/* The same after a launch, which may have ended early. what: as the session prints it. */
KDSL_RT _Noreturn void kdsl_launch_stopped(const char *what);

#endif
