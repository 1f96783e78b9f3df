/* run.h -- what the files of this room share. Nobody outside includes it.
 *
 * A value of a scalar type is a Const. Every value also has a form in memory, the one of C: a scalar, vector or struct
 * is its bytes, an array is its descriptor (Array), a struct that owns arrays is one of these for each field. So each
 * expression can be computed in one of two ways: interp_scalar returns a Const, interp_value leaves the bytes at an
 * address. */
#ifndef KDSL_INTERP_RUN_H
#define KDSL_INTERP_RUN_H

#include "interp/interp.h"
#include "runtime/failure.h"
#include "sema/arith.h"

typedef struct Array {
    char *data; /* NULL: moved away */
    int64_t ext[MAX_RANK];
} Array;

/* A variable: where its value is. Small ones are in the slot itself, which is made when the variable is declared. */
enum { SLOT_BYTES = 48 };
typedef struct Slot {
    void *at; /* NULL: not declared yet */
    bool is_heap;
    _Alignas(16) char room[SLOT_BYTES];
} Slot;

typedef struct Made { /* an array without a name, which is freed at the end of its statement */
    struct Made *next;
    char *data;
} Made;

/* Memory for a value of n bytes, in the frame. */
#define ROOM(name, n) __int128 name[(n) / 16 + 1]

typedef struct Run Run;
typedef struct Launch Launch;

typedef struct WorkItem {
    Launch *launch;
    int64_t at[3]; /* the domain's variables */
    struct Fiber *fiber; /* of kernels in groups: what it waits in; NULL: it never waits */
} WorkItem;

typedef struct Frame { /* of a function that runs, or of a work item */
    Run *run;
    const Func *fn;
    Slot *slots; /* by symbol id */
    void *result; /* where `return` leaves the value */
    WorkItem *item;  /* NULL: host code */
    Made *made;
} Frame;

enum { INTERP_DEVICES = 4 }; /* as many as libomptarget makes of a CPU */
struct Run {
    const Program *program;
    Compiler *c;
    InterpOptions options;
    uint64_t random;
    int depth; /* of calls */
    Span called; /* the program's call of the standard library, or its launch, that is executed; or none */
    struct ConstTable *constants; /* array constants that were used */
};

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;

/* run.c */
uint64_t interp_random(Run *r);
void interp_frame_begin(Frame *f, Run *r, const Func *fn, Slot *slots, WorkItem *item);
void interp_frame_end(Frame *f);

/* fail.c: they end the process. */
const char *interp_place(Run *r, Span span);
bool interp_is_in_library(const Run *r, Span span); /* the standard library */
_Noreturn void interp_fail(Frame *f, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void interp_unsupported(Frame *f, Span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void interp_exit(int status);
const char *interp_shape_text(Frame *f, const Type *array, const int64_t *ext);
/* What sema has shown never to fail has failed. */
_Noreturn void interp_was_proven(Frame *f, Span span, const char *what);

/* memory.c: values in memory, variables, arrays */
int64_t interp_size(const Type *t);
int64_t interp_field_at(const Type *t, int field);
Const interp_load(const Type *t, const void *at);
void interp_store(const Type *t, void *at, Const v);
void *interp_declare(Frame *f, const Symbol *sym); /* its memory; allocated now if there is none yet */
int64_t interp_count(const Type *array, const Array *a);
int64_t interp_bytes(const Type *array, const Array *a);
Array interp_array_new(Frame *f, const Type *array, const int64_t *ext, Span span);
Array interp_array_copy(Frame *f, const Type *array, const Array *a, Span span);
void interp_array_free(Array *a);
void interp_poison(void *at, int64_t n_bytes);

/* expr.c */
static inline bool interp_is_scalar(const Type *t) { return t->kind > TY_VOID && t->kind < TY_ARRAY; }
Const interp_scalar(Frame *f, Expr *e);
Const interp_scalar_as(Frame *f, Expr *e, const Type *t); /* converted, if it is of another type */
void interp_value(Frame *f, Expr *e, void *to);
void interp_value_as(Frame *f, Expr *e, const Type *t, void *to);
int64_t interp_index(Frame *f, Expr *e);
Const interp_binary(Frame *f, Op op, const Type *t, Const a, Const b, Span span, int site);
void interp_binary_parts(Frame *f, Op op, const Type *t, const void *a, const void *b, void *to, Span span, int site);

/* fuse.c */
void interp_fused(Frame *f, Expr *e, void *to); /* an EXPR_BINARY */
void interp_fused_update(Frame *f, const Stmt *s);

/* place.c: where something is */
bool interp_has_place(const Expr *e);
void *interp_address(Frame *f, Expr *e);
typedef struct Bounds { /* of a slice, evaluated before the array */
    int64_t lo[MAX_RANK], hi[MAX_RANK], column[MAX_RANK];
    bool has_lo[MAX_RANK], has_hi[MAX_RANK], has_column[MAX_RANK];
} Bounds;
void interp_bounds(Frame *f, Expr *e, Bounds *b);
Array interp_slice(Frame *f, Expr *e, const Bounds *b);
Array interp_array(Frame *f, Expr *e);  /* a named array; one without a name is freed at the end of the statement */
Array *interp_array_place(Frame *f, Expr *e); /* a variable's descriptor, or NULL */
const char *interp_array_name(Frame *f, const Expr *e);
int64_t interp_offset(const Type *array, const Array *a, const int64_t *at); /* in elements */

/* array.c: making arrays, and structs that own them */
void interp_make_array(Frame *f, Expr *e, Array *to);
void interp_take_elements(Frame *f, Expr *e, const Type *fixed, void *to); /* what a field is given */
void interp_gather(Frame *f, const Symbol *sym, bool copy, char *to, Span span);
void interp_spread(Frame *f, const Symbol *sym, const char *from, bool declare);

/* range.c */
typedef struct Axis {
    const Type *type;
    __int128 lo, step;
    int64_t trips, width; /* hi - lo, which may be negative */
} Axis;
Axis interp_axis(Frame *f, const Range *r);
int64_t interp_axis_at(const Axis *a, int64_t k);

/* call.c */
void interp_call(Frame *f, Expr *e, void *to);
/* Evaluates the arguments into the callee's frame, checks shapes (failures name `span`), binds sizes. */
void interp_bind(Frame *f, Frame *callee, Expr *call, Array *arrays, Span span);

/* builtin.c, math.c, text.c, file.c */
void interp_builtin(Frame *f, Expr *e, void *to);
bool interp_math(BuiltinId id, const Type *t, const Const *x, bool on_device, Const *r); /* false: it is none */
char *interp_text(Frame *f, const FormatPlan *plan, const ArgList *args, int first);
void interp_print(Frame *f, Expr *e);
void interp_print_line(const char *head, const char *text);
Const interp_number_of_text(Frame *f, Expr *e, const char *text, const Type *to);
void run_shown(Frame *f, Expr *e, void *to);
void run_write_file(Frame *f, Expr *e, void *to); /* also append_file */
void run_read_file(Frame *f, Expr *e, void *to);
void run_read_array(Frame *f, Expr *e, void *to);
void run_file_exists(Frame *f, Expr *e, void *to);
void run_file_size(Frame *f, Expr *e, void *to);
void run_read_line(Frame *f, Expr *e, void *to);
void run_input_ended(Frame *f, Expr *e, void *to);

/* stmt.c */
Flow interp_block(Frame *f, const Block *b);
Const interp_update(Frame *f, Expr *e); /* an atomic; the old value */

/* launch.c */
typedef struct Order { /* of n things: one by one, or each as many further on, modulo n */
    int64_t n, first, by;
} Order;
void interp_launch(Frame *f, Expr *e, void *to);
void interp_item_begin(Frame *f, Launch *l, Slot *slots, WorkItem *item);
void interp_item_goes_to(Frame *f, int axis, int64_t k);
Order interp_order(Run *r, int64_t n);
int64_t interp_in_order(const Order *o, int64_t i);
void interp_item_prints(Frame *f, char *text);
void interp_flush_prints(Launch *l);
const char *interp_item_text(Frame *f); /* "", or "work item i = 3 of kernel `k`" */

/* reduce.c */
Const interp_identity(Reduction r, const Type *t);
Const interp_reduce(const Func *kernel, const void *values, int64_t n);

/* group.c */
void interp_groups(Launch *l);
void interp_barrier(Frame *f, const Stmt *s);

/* fiber.c: a coroutine, on a stack of its own */
typedef struct Fiber Fiber;
Fiber *fiber_new(size_t stack_bytes);
void fiber_start(Fiber *b, void (*run)(void *), void *with);
bool fiber_resume(Fiber *b); /* false: it has ended */
void fiber_yield(Fiber *b);
void fiber_free(Fiber *b);

struct Launch {
    Run *run;
    const Func *kernel;
    Frame *frame;         /* parameters and sizes */
    Axis axes[3];
    int64_t trips[3];
    int64_t n_items;      /* that run: in groups also those that hang over the end */
    char *values;         /* one result for each item, or NULL */
    int64_t value_bytes;
    struct Line *lines;   /* printed */
    int64_t n_lines, cap_lines;
};

#endif
