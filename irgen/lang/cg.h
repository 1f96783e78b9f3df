/* cg.h -- code generation: values, functions under construction, and the constructs of the language as LLVM IR; shared
 * by the rooms of irgen.
 *
 * A Cg is one LLVM module under construction for one target; a CgFunc is one LLVM function in it. The tree is only
 * read: two generators may work on it in parallel, so LLVM values are in CgFunc.slots, indexed by Symbol.id. */
#ifndef KDSL_LANG_CG_H
#define KDSL_LANG_CG_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "irgen/irgen.h"
#include "irgen/lang/marks.h"
#include "irgen/target.h"
#include "sema/analysis/evaluate.h"

/* May this transformation be made? (irgen/transform.def) */
#define cg_allows(cg, id) (!(cg)->shadows && !transform_in((cg)->options->omitted, TRANSFORM_##id))

/* Values ----------------------------------------------------------------------------------------------------------- */
/* A value: of a scalar type the LLVM value (bool: i1); of array type the descriptor { ptr, [rank x i64] } itself. */
typedef struct CgValue {
    LLVMValueRef v;
    Type *type;
} CgValue;

/* An array whose data pointer and extents are values. `desc` is the address of its descriptor; NULL: it has none
 * (kernel parameters; cg_array_desc makes one). */
typedef struct CgArray {
    LLVMValueRef desc, data, ext[MAX_RANK];
    Type *type;
    const char *name; /* for messages */
    Type *whole;      /* part of a struct: as in CgPlace; NULL: an array of its own */
    bool in_variable; /* which is a variable here, so its elements carry no alias information */
    int64_t step;     /* the stride between elements; 0: contiguous (cpu/group.c) */
    int touch;        /* part of a struct: Expr.touch, of what is passed as a copy */
} CgArray;

/* The address of an element or variable, with its type. */
typedef struct CgPlace {
    LLVMValueRef at;
    Type *type;
    bool is_element; /* of an array (or passed by reference): carries alias information */
    Type *whole;     /* not NULL: a field of this struct type, which may also be accessed as a whole */
    int touch;       /* Expr.touch: loads and stores are recorded */
} CgPlace;

/* What a function knows about one of its symbols. */
typedef struct Slot {
    LLVMValueRef addr;  /* scalar variable, scalar passed by reference, or array descriptor in memory */
    LLVMValueRef value; /* scalar known as a value (by-value parameter, size, domain variable); then addr is not used */
    LLVMValueRef debug_copy; /* of value, for gdb */
    LLVMValueRef kept;  /* groups: one for each item, for values that live across barriers */
    int64_t kept_step;  /* stride of an array whose elements are interleaved by item (structure of arrays); else 0 */
    CgArray array;      /* data not NULL: these values are valid while the symbol is in scope */
    bool is_private;    /* reference of a kernel: the thread's own copy of what it refers to (cpu/private.c) */
} Slot;

typedef struct Scope {
    struct Scope *parent;
    Vec(Symbol *) drops;                      /* owning arrays declared so far: freed when control leaves */
    LLVMBasicBlockRef break_to, continue_to;  /* not NULL: the body of a loop */
    LLVMMetadataRef debug;
} Scope;

typedef struct DebugType {
    const Type *type;
    LLVMMetadataRef di;
} DebugType;

enum { MATH_LIBRARIES = 4 };

/* A function of the program as code for devices calls it; narrow: as CgFunc.narrow; shadows, fast: as in
 * Cg. */
typedef struct CgCalled {
    const Func *func;
    bool narrow, shadows, fast;
} CgCalled;

typedef struct Cg {
    const Program *program;
    const IrOptions *options;
    const Target *target;
    Compiler *c;                   /* private to this generator: arena, and the source map for places */
    struct {
        const Source *file;
        int line;
        uint32_t hash;
    } hashed_line; /* the last one of cg_place_string */
    uint32_t base_shift;           /* added to a span's offset, gives the offset in c's own source map */
    LLVMContextRef ctx;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    LLVMBuilderRef b;
    LLVMTypeRef void_, ptr, i1, i8, i16, i32, i64, f32, f64;
    LLVMTypeRef global_ptr;        /* a kernel's parameters that are addresses: Target.global_space */
    LLVMMetadataRef tbaa_desc, tbaa_elem[TY__COUNT], tbaa_cell; /* shadow memory */
    unsigned md_tbaa;
    unsigned md_items, md_rows;    /* on the branches back of loops over items: simd/ */
    unsigned md_tile;             /* beside md_items: rows are tiles of so many items (simd/pack.c) */
    unsigned md_short_rows;       /* beside md_items: of launches whose rows are short (delinearisation) */
    unsigned md_unwritten;        /* on loads: no item of the launch writes the element (sema/unwritten.c) */
    unsigned md_single;           /* beside md_items: of a domain that has one work item */
    unsigned md_version; /* beside md_items, and on the test: of a version of a loop that is made for vector code */
    unsigned md_counted;           /* beside md_items, in a loop that is written round by round */
    Vec(CgCalled) called;          /* by kernels, and by functions that they call */
    bool vector;                   /* kernels become vector code */
    bool shadows;                  /* of this kernel or function, accesses are recorded (lang/shadow.c) */
    bool fast;                     /* this kernel or function computes in the fast mode (lang/fast.c) */
    bool has_fma;                  /* the machine has fused multiply-adds; else what sema fuses is rounded twice */
    bool has_half;                 /* the machine has conversions of f16; else they are integer code */
    VectorNotes *vector_notes;     /* not NULL: explanations of how they are vectorised */

    OffModule *off;                /* the program's module: launches */
    const struct CgLaunches *launches; /* how they are made */
    struct CgRuntime *runtime;     /* runtime.c: functions declared so far */
    LLVMModuleRef math[MATH_LIBRARIES]; /* math.c: where the functions of kernels come from; NULL: not opened */
    Vec(const char *) libm_used;
    LLVMDIBuilderRef di;           /* NULL without -g */
    LLVMMetadataRef di_file, di_unit, di_types[TY__COUNT][MAX_RANK + 1];
    Vec(DebugType) di_parts;       /* types made of structs and vectors */
    LLVMValueRef ident;            /* libomp's ident_t */
    int64_t constant_bytes;        /* GPUs: of array constants in constant memory so far */
    const char *refused;           /* what LLVM cannot generate code for; NULL: nothing so far */
} Cg;

/* Launches contain expressions and are expressions: the room that generates them (irgen/launch/) registers these
 * functions, because irgen/lang does not include it. */
typedef struct CgLaunches {
    CgValue (*launch)(CgFunc *f, Expr *e);
    /* From values: arrays and scalars by parameter, sizes as in kernel->sizes. */
    CgValue (*launch_values)(CgFunc *f, const Func *kernel, CgArray *arrays, CgValue *scalars, LLVMValueRef *sizes);
    void (*enter_resident)(CgFunc *f, const Symbol *array, Span block); /* copied to the device now */
} CgLaunches;

/* What unrolling makes of a function: its blocks as written, and those that copies of loops with constant bounds
 * add. */
typedef struct CgCopies {
    int64_t blocks, more;
} CgCopies;

/* The number of the current check site: set where the expression is generated, read by the check. */
typedef struct CgCheck {
    int site;        /* > 0 kept; 0 sema did not look (host code); < 0 shown needless */
    unsigned proven; /* indices: bit d */
    bool natural;    /* of / and %: neither operand is negative */
} CgCheck;

/* Kernels in groups on a GPU: the target of the branch of an item whose check fails (segment.c). */
typedef struct CgSegments {
    bool joint;                    /* the kernel has barriers */
    LLVMBasicBlockRef at;          /* the end of this segment; NULL: between two, where a check fails for all items
                                    * or none */
    LLVMBasicBlockRef start;       /* before all segments */
    LLVMBasicBlockRef begin;       /* of this segment: its block, and the last instruction before it, if any */
    LLVMValueRef before;
    Vec(const Symbol *) variables; /* variables declared so far that are the same for all items */
    LLVMValueRef number;           /* i32: the number of this segment, from 1; NULL: not needed so far */
    LLVMValueRef ended;            /* alloca, i32: how many segments have ended; the same for all items of the group */
    LLVMValueRef note;             /* shared, i32: the number of the segment in which a check failed; NULL: never
                                    * wanted */
} CgSegments;

/* Delinearisation (flat.c): the position of the work item in a domain that runs in rows; `axis` NULL: it does not. */
typedef struct CgFlat {
    const struct FlatAxis *axis;
    LLVMValueRef row, at, length;  /* i64: p / w, p % w, w */
} CgFlat;

/* Rows of arrays that an item has copies of (cpu/row_copies.c). */
typedef struct CgRows {
    void (*before_loop)(CgFunc *f, const Stmt *loop);
    /* The place of an element in a copy, given its indices, which have been checked; NULL: it is not in one. */
    LLVMValueRef (*element)(CgFunc *f, const Expr *access, const CgValue *at);
} CgRows;

struct CgFunc { /* typedef: target.h */
    Cg *cg;
    LLVMBuilderRef b;              /* cg->b, for short */
    const Func *func;
    LLVMValueRef fn;
    LLVMMetadataRef debug_scope;   /* NULL: no debug information here */
    LLVMBasicBlockRef entry;       /* allocas only; branches to the body */
    Slot *slots;
    Scope *scope;
    bool checks;                   /* report failed checks by ending the program */
    LLVMValueRef error_slot;       /* not NULL: report them here, and end the item (check.c) */
    LLVMValueRef print_buffer;     /* not NULL: the print buffer (print.c) */
    LLVMValueRef shadow_at, shadow_calls[3], shadow_phase; /* shadow.c: NULL, or the values of fields of KdslShadow */
    LLVMValueRef shadow_turn;      /* NULL, or of the item that runs here */
    struct CgCells *shadow_cells;  /* by Symbol.id (shadow_cell.c) */
    LLVMValueRef *shadow_private;  /* the same (shadow_private.c) */
    LLVMValueRef shadow;           /* not NULL, entries of kernels: the KdslShadow of the launch (shadow.c) */
    LLVMValueRef item[3], record;  /* position, in functions called from kernels; what is reported, in memory */
    LLVMValueRef failed, call_failed; /* i1 in memory: set when the item ends here; by a call; NULL: neither */
    CgCheck check;
    bool is_kernel;                /* body of a kernel: `return` ends the item */
    bool polls;                    /* sessions: in each iteration of a `for` loop an interrupt ends the items */
    bool narrow;                   /* no array has more elements than an i32 can count (gpu/kernel.c) */
    LLVMBasicBlockRef next_item;   /* kernels: where return goes */
    LLVMValueRef item_result;      /* kernels with a reduction: where the item's value is stored */
    LLVMValueRef scratch_extents[2]; /* [MAX_RANK x i64], for failed checks and allocations */
    int64_t unrolled;              /* copies that the unrolled loops around make; 0: none */
    CgCopies copies;               /* so far in the loop around */
    Known known;                   /* values of expressions beyond Expr.konst; NULL: none */
    unsigned (*known_inside)(const Expr *element, void *context); /* indices: bit d; with Expr.index.proven; NULL:
                                                                   * none */
    LLVMValueRef (*held)(const Expr *e, void *context); /* a value that is in memory, and its address; NULL: none */
    void *known_of;                /* their context */
    const CgRows *rows;            /* rows of arrays that the item copies; NULL: none */
    LLVMValueRef group_item;       /* kernels in groups: the number of the item in its group */
    CgSegments meet;
    CgFlat flat;
};

/* One axis of a domain: i = lo + k * step for k in 0..trips. */
typedef struct Axis {
    CgValue lo, hi, step;
    Const known_step;              /* CONST_NONE: not known while compiling */
    LLVMValueRef trips;            /* i64, never negative; NULL until cg_axis_trips */
    Type *type;
    Span span;
    int site;                      /* of the check that the step is not 0 */
} Axis;

/* type.c -------------------------------------------------------------------------------------------------------- */
void cg_types_init(Cg *cg);
LLVMTypeRef cg_type(Cg *cg, const Type *t);       /* as a value */
LLVMTypeRef cg_type_mem(Cg *cg, const Type *t);   /* in memory: bool is i8 */
LLVMTypeRef cg_desc_type(Cg *cg, int rank);
LLVMValueRef cg_i64(Cg *cg, int64_t v);
LLVMValueRef cg_i32(Cg *cg, int64_t v);
LLVMValueRef cg_string(Cg *cg, const char *at, size_t n); /* address of a NUL-terminated constant */
LLVMValueRef cg_place_string(Cg *cg, Span span); /* of a failure: runtime/excerpt.c */
bool cg_is_in_library(Cg *cg, Span span); /* the standard library */
uint32_t cg_line_hash(Cg *cg, Place p);   /* of its whole line, as in cg_place_string */
Place cg_place(Cg *cg, Span span);
LLVMAttributeRef cg_attr(Cg *cg, const char *name, uint64_t value);
void cg_fn_attr(Cg *cg, LLVMValueRef fn, const char *name);
void cg_param_attr(Cg *cg, LLVMValueRef fn, int param, const char *name, uint64_t value);
/* An optimisation barrier: v through a register that inline assembly, which is empty, might have changed. */
LLVMValueRef cg_through_register(Cg *cg, LLVMValueRef v, const char *constraint);
int64_t cg_size(const Type *elem);                        /* of an element of an array */
int64_t cg_align(const Type *elem);                       /* what its address is a multiple of, on every device */

/* value.c ------------------------------------------------------------------------------------------------------- */
CgValue cg_value(LLVMValueRef v, Type *type);
/* Go to the end of the entry block, among the allocas, and back. */
typedef struct CgHere {
    LLVMBasicBlockRef block;
    LLVMMetadataRef debug;
} CgHere;
LLVMValueRef cg_alloca(CgFunc *f, LLVMTypeRef type, const char *name);
CgValue cg_load(CgFunc *f, CgPlace p);
void cg_store(CgFunc *f, CgPlace p, CgValue v);
CgPlace cg_variable(LLVMValueRef addr, Type *type);
LLVMValueRef cg_load_desc(CgFunc *f, LLVMValueRef desc, int rank, int field); /* 0: data, 1 + d: extent d */
LLVMBasicBlockRef cg_block(CgFunc *f, const char *name);
void cg_goto(CgFunc *f, LLVMBasicBlockRef to);     /* unless the current block has ended */
void cg_enter(CgFunc *f, LLVMBasicBlockRef block); /* position at its end */
bool cg_ended(CgFunc *f);
void cg_branch(CgFunc *f, CgValue cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no);
/* Branch to a cold block when `failed`; the builder is left in the cold block, *ok is where to go on. */
void cg_cold(CgFunc *f, LLVMValueRef failed, LLVMBasicBlockRef *ok);
LLVMValueRef cg_call(CgFunc *f, LLVMTypeRef type, LLVMValueRef fn, LLVMValueRef *args, int n);
LLVMValueRef cg_intrinsic(CgFunc *f, const char *name, LLVMTypeRef *over, int n_over, LLVMValueRef *args, int n);

/* runtime.c, over lang/runtime.def --------------------------------------------------------------------------------- */
typedef enum RuntimeId {
#define RUNTIME(id, ...) RT_##id,
#include "irgen/lang/runtime.def"
#undef RUNTIME
    RT__COUNT
} RuntimeId;
LLVMValueRef cg_runtime(Cg *cg, RuntimeId id); /* the declaration, made on first use */
LLVMValueRef cg_call_runtime(CgFunc *f, RuntimeId id, LLVMValueRef *args, int n);

/* math.c: NULL where the target or the type has no function of ours of this name ---------------------------------- */
void cg_math_end(Cg *cg);

/* removal.c: is this what --without=KEY leaves out, for tests? `part` distinguishes several at one place */
bool cg_removes(CgFunc *f, const char *what, Span span, int part);
Transfer cg_without_copies(CgFunc *f, Span span, int param, Transfer t);

/* expr.c, op.c ----------------------------------------------------------------------------------------------- */
CgValue cg_expr(CgFunc *f, Expr *e);               /* an array named here is moved out of */
LLVMValueRef cg_reference(CgFunc *f, Expr *e);     /* the address of a named value, for a parameter `n: &i32` */
LLVMValueRef cg_index_value(CgFunc *f, CgValue v); /* as i64 */

/* atomic.c ------------------------------------------------------------------------------------------------------ */
unsigned cg_atomic_scope(Cg *cg);
void cg_combine(CgFunc *f, AtomicKind how, LLVMValueRef at, CgValue v); /* into the number at `at`, atomically */

/* parts.c: structs and short vectors ------------------------------------------------------------------------------ */
int cg_slot_count(const Type *t); /* the number of 64-bit literals that a by-value argument of a kernel takes */
void cg_value_to_slots(CgFunc *f, CgValue v, LLVMValueRef *slots);

/* convert.c ----------------------------------------------------------------------------------------------------- */
CgValue cg_convert(CgFunc *f, CgValue v, Type *to);

/* array.c ------------------------------------------------------------------------------------------------------- */
CgArray cg_array(CgFunc *f, Expr *e);              /* an expression of array type, without moving it */
CgArray cg_symbol_array(CgFunc *f, const Symbol *s);
LLVMValueRef cg_array_desc(CgFunc *f, const CgArray *a);
LLVMValueRef cg_array_count(CgFunc *f, const CgArray *a); /* elements */
LLVMValueRef cg_plus(CgFunc *f, LLVMValueRef extent, int64_t add);
LLVMValueRef cg_array_bytes(CgFunc *f, const CgArray *a);
CgValue cg_array_value(CgFunc *f, const CgArray *a);
CgArray cg_array_new(CgFunc *f, Type *type, LLVMValueRef *ext, Span span);
void cg_store_array(CgFunc *f, LLVMValueRef desc, CgValue array);

/* frame.c: arrays of constant extents that live in the frame of their function --------------------------------- */
/* A field of an element is passed as a copy, because its alias information is that of the struct. */
CgArray cg_pass_part(CgFunc *f, const CgArray *a);
void cg_part_back(CgFunc *f, const CgArray *a, const CgArray *passed, RefMode mode);
void cg_mark_plain(CgFunc *f, LLVMValueRef latch); /* not worth the time to unroll or vectorise */

/* slice.c ------------------------------------------------------------------------------------------------------- */
/* The bounds of a slice, by dimension of its array: an index is `lo` alone; NULL: from the start, to the end. */
typedef struct CgBounds {
    LLVMValueRef lo[MAX_RANK], hi[MAX_RANK], column[MAX_RANK]; /* NULL: none is written */
} CgBounds;
CgBounds cg_slice_bounds(CgFunc *f, Expr *e);
CgArray cg_slice(CgFunc *f, Expr *e, const CgBounds *b);

/* check.c ------------------------------------------------------------------------------------------------------- */
bool cg_has_slot(const Cg *cg, const Func *fn);    /* is fn called, or launched, with an error slot? */
void cg_stop_if_failed(CgFunc *f);
/* The parameters that follow the arguments of a function that reports or prints and is called from a kernel: the slot,
 * the buffer, the address of the `failed` bit (on CPUs), each if it is needed, and the position of the item. */
enum { CG_ITEM_ARGS = 6 };
bool cg_needs_item(const Cg *cg, const Func *fn);
LLVMValueRef cg_slot_blocks(CgFunc *f); /* i32 in the slot, 0 when the launch begins: a count for reductions on GPUs */
LLVMValueRef cg_slot_take(CgFunc *f, const Func *kernel, LLVMValueRef device, const OffPlace *launch);
OffArg cg_slot_arg(CgFunc *f, LLVMValueRef slot, const Func *kernel);
/* After the launch: end the program if it is taken. on_host: i32, not 0 if the host version ran. */
void cg_slot_end(CgFunc *f, LLVMValueRef slot, LLVMValueRef on_host, const Func *kernel);

/* session.c: interrupts of a session. In code for the host after a launch: was it stopped? In kernels for CPUs, where
 * cg_kernels_poll: ends the items if the input was interrupted. */
void cg_session_launched(CgFunc *f, const Func *kernel, const Expr *offload);
bool cg_kernels_poll(const Cg *cg);
void cg_kernel_poll(CgFunc *f);

/* func.c: how code is made from here on: does it record accesses, does it compute in the fast mode? */
typedef struct CgMode {
    bool shadows, vector, fast;
} CgMode;
CgMode cg_mode_begin(Cg *cg, bool shadows, bool fast);
void cg_mode_end(Cg *cg, CgMode was);

void cg_fast_end(Cg *cg); /* fast.c: when all functions are complete */

/* shadow.c: --check ------------------------------------------------------------------------------------------------ */
/* Nothing happens in any of these but in kernels that record. The entry: */
void cg_shadow_enter(CgFunc *f);
void cg_shadow_domain(CgFunc *f, Axis *axes);
void cg_shadow_arrays(CgFunc *f, bool shared);     /* tells the runtime of the parameters, or of the `shared` arrays */
void cg_shadow_item(CgFunc *f);                    /* the next item begins */
void cg_shadow_group(CgFunc *f, LLVMValueRef number); /* number of the group, in row-major order */
void cg_shadow_once(CgFunc *f, bool once);         /* is what follows done once for all items of a group? */
void cg_shadow_item_of_group(CgFunc *f, LLVMValueRef number);
void cg_shadow_barrier(CgFunc *f);
LLVMValueRef cg_shadow_launch(CgFunc *f, const Func *kernel); /* the last argument of the kernel */
void cg_shadow_launched(CgFunc *f);

/* print.c: print and assert in code for devices ----------------------------------------------------------------- */
bool cg_prints(const Func *fn);                    /* is fn called, or launched, with a buffer for lines? */
LLVMValueRef cg_print_buffer(CgFunc *f);
OffArg cg_print_arg(CgFunc *f, LLVMValueRef buffer, const Func *kernel);
void cg_print_lines(CgFunc *f, const Func *kernel, Span launch); /* after the launch */

/* loop.c -------------------------------------------------------------------------------------------------------- */
Axis cg_axis(CgFunc *f, const Range *r);         /* evaluates lo, hi, step */
Axis cg_axis_upto(CgFunc *f, LLVMValueRef n);    /* 0..n, as index */
LLVMValueRef cg_axis_trips(CgFunc *f, Axis *a);
bool cg_is_known_at_launch(const Expr *e);       /* its value does not depend on the item; NULL: true */
CgValue cg_axis_at(CgFunc *f, const Axis *a, LLVMValueRef k); /* lo + k * step */
/* A loop over an axis. cg_loop_begin leaves the builder in the body; `i` is the loop variable there. */
typedef struct CgLoop {
    Axis axis;
    LLVMValueRef counter; /* alloca: of i where the step is 1, else of k */
    LLVMBasicBlockRef head, next, done;
    CgValue i;
    LLVMValueRef k;       /* i64, from 0: only where asked for */
    int64_t copies;       /* ask LLVM to unroll it completely: its iterations; 0: no */
    bool is_outer;        /* it holds loops */
    bool stays_rolled;    /* LLVM may not unroll it */
    bool together;        /* a group runs each iteration as one: Stmt.together */
} CgLoop;
/* early.c: range checks hoisted out of a loop. */
typedef struct CgEarly {
    const LoopChecks *checks; /* NULL: none */
    const Symbol *item;       /* the kernel's variable, if it is the loop's; NULL: an inner loop */
    LLVMValueRef hi, end;     /* i64: the end of the loop, and the end that the checks allow */
    LLVMBasicBlockRef out;    /* behind it all: where `break` goes */
} CgEarly;
/* var: the variable of the loop; items: which is that over the kernel's items */
CgEarly cg_early_begin(CgFunc *f, const LoopChecks *checks, const Symbol *var, bool items, LLVMValueRef lo,
                       LLVMValueRef hi);
void cg_early_end(CgFunc *f, const CgEarly *e);

/* flat.c: delinearisation */
LLVMValueRef cg_flat_length(CgFunc *f, const struct FlatAxis *axis); /* i64: of a row */
LLVMValueRef cg_flat_is_legal(CgFunc *f, const struct FlatAxis *axis); /* i1: rows are long, and areas are integers */
LLVMValueRef cg_flat_index(CgFunc *f, LLVMValueRef row);    /* of this item, if it were in that row */
LLVMValueRef cg_flat_value(CgFunc *f, LLVMValueRef v, const Type *t); /* v, which is not negative, in a type that has
                                                                       * it */

/* Is it a sum or product of constants, sizes and scalar parameters, so that all items have the same? NULL: yes */
CgLoop cg_loop_begin(CgFunc *f, Axis *a);
void cg_loop_end(CgFunc *f, CgLoop *l);            /* leaves the builder behind the loop */

/* call.c -------------------------------------------------------------------------------------------------------- */
void cg_shape_checks(CgFunc *f, const CallInfo *info, const CgArray *args, Span span);
/* Their LLVM declarations; narrow: as CgFunc.narrow. */
LLVMValueRef cg_function(Cg *cg, const Func *fn, bool narrow);
LLVMValueRef cg_item_function(Cg *cg, const Func *fn, bool narrow); /* the version that kernels call, where it may
                                                                     * fail */

/* border.c: C functions, exports, tests -------------------------------------------------------------------------- */
void cg_tests(Cg *cg);
void cg_export(Cg *cg, const Func *fn);

/* stmt.c -------------------------------------------------------------------------------------------------------- */
void cg_stmts(CgFunc *f, const Block *b, LLVMBasicBlockRef break_to, LLVMBasicBlockRef continue_to);
void cg_stmt(CgFunc *f, Stmt *s);
LLVMValueRef cg_kept(CgFunc *f, const Symbol *sym); /* the item's own, of Slot.kept */
LLVMTypeRef cg_kept_type(CgFunc *f, const Symbol *sym);

/* func.c: functions of the program ---------------------------------------------------------------------------- */
void cg_func_begin(CgFunc *f, Cg *cg, const Func *fn, LLVMValueRef llvm_fn); /* leaves the builder behind the allocas */
void cg_host_function(Cg *cg, const Func *fn);
void cg_device_function(Cg *cg, const Func *fn, bool narrow); /* as kernels call it */

/* segment.c: the items of a group on a GPU meet -------------------------------------------------------------------- */
void cg_barrier(CgFunc *f);
LLVMValueRef cg_shared(CgFunc *f, LLVMTypeRef type, unsigned align,
                       const char *name); /* memory of the block, generic address */
void cg_segments_begin(CgFunc *f); /* around all that a kernel in groups does for its items */
void cg_segments_end(CgFunc *f);
void cg_reconverge(CgFunc *f);  /* all items of the group come here together, also after LLVM's passes; no code */

/* Loops over items, marked for simd/ (value.c): the fastest axis, and the one around it where it has nothing else in
 * it. */
void cg_mark_items(CgFunc *f, LLVMValueRef latch, bool rows);
void cg_enter_next(CgFunc *f, LLVMBasicBlockRef next); /* of an item, at the end of the loop over them */
void cg_mark_short_rows(CgFunc *f, LLVMValueRef latch);
void cg_mark_single(CgFunc *f, LLVMValueRef latch);
void cg_mark_version(CgFunc *f, LLVMValueRef branch);
void cg_mark_counted(CgFunc *f, LLVMValueRef latch);
LLVMValueRef cg_group_memory(CgFunc *f, LLVMValueRef at);
typedef enum CgAhead { AHEAD_ROUNDS, AHEAD_GROUP } CgAhead; /* what will read there */
void cg_ahead(CgFunc *f, LLVMValueRef at, CgAhead whose);

/* debug.c: nothing happens in any of these without -g ----------------------------------------------------------- */
void cg_debug_begin(Cg *cg);
void cg_debug_end(Cg *cg);
void cg_debug_function(CgFunc *f, const char *name);
void cg_debug_at(CgFunc *f, Span span);
LLVMMetadataRef cg_debug_block(CgFunc *f, Span span);
void cg_debug_variable(CgFunc *f, const Symbol *s, LLVMValueRef addr, int arg_no); /* arg_no 0: a local */
void cg_debug_reference(CgFunc *f, const Symbol *s, LLVMValueRef addr, int arg_no); /* keeps a copy of addr, too */
void cg_debug_prologue(CgFunc *f); /* until cg_debug_at: code before the place of a breakpoint on the function */
void cg_debug_value(CgFunc *f, const Symbol *s, LLVMValueRef v, int arg_no); /* keeps a copy in memory for gdb */

#endif
