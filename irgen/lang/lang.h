/* lang.h -- what the files of irgen/lang share and no other room includes: each construct of the language as LLVM
 * IR. */
#ifndef KDSL_LANG_LANG_H
#define KDSL_LANG_LANG_H

#include "irgen/lang/abi.h"

/* type.c -------------------------------------------------------------------------------------------------------- */
Type *cg_scalar(Cg *cg, TypeKind kind);
CgValue cg_const(Cg *cg, const Const *k, Type *type);
LLVMValueRef cg_plain_place_string(Cg *cg, Span span); /* "file.kdsl:12:5" */

/* value.c ------------------------------------------------------------------------------------------------------- */
CgHere cg_to_entry(CgFunc *f);
void cg_back(CgFunc *f, CgHere here);
void cg_mark_unwritten(CgFunc *f, LLVMValueRef v);           /* a load, of what the launch does not write */
void cg_tag_element(CgFunc *f, LLVMValueRef inst, CgPlace p); /* what alias analysis knows of an element */
void cg_store_desc(CgFunc *f, LLVMValueRef desc, int rank, int field, LLVMValueRef v);
LLVMValueRef cg_bits_to_slot(CgFunc *f, CgValue v); /* any scalar in a 64-bit integer, and back */
CgValue cg_slot_to_value(CgFunc *f, LLVMValueRef slot, Type *type);

/* runtime.c ----------------------------------------------------------------------------------------------------- */
/* A function of libm for this type; it is treated as pure. */
LLVMValueRef cg_libm(Cg *cg, const char *name, const Type *t, int n_args, LLVMTypeRef *fn_type);

/* call.c: the words of a shape check: "n + 1" of the argument that is named first, and of the other one, if it has
 * others; NULL: none */
typedef struct CgShapeWords {
    const char *size, *other_size;
} CgShapeWords;
CgShapeWords cg_shape_words(Cg *cg, const Func *callee, const ShapeCheck *c);

/* constant.c ---------------------------------------------------------------------------------------------------- */
CgArray cg_constant_array(CgFunc *f, const Symbol *sym);

/* math.c: NULL where the target or the type has no function of ours of this name ---------------------------------- */
LLVMValueRef cg_math(Cg *cg, const char *name, const Type *t, int n_args, LLVMTypeRef *fn_type);

/* c_abi.c ------------------------------------------------------------------------------------------------------- */
typedef enum CWay {
    C_DIRECT,    /* one value: a number, or an address */
    C_IN_WORDS,  /* one or two words of 8 bytes, in registers */
    C_IN_MEMORY, /* parameters: a copy on the stack; results: where the caller says */
} CWay;
typedef struct CPassing {
    CWay way;
    const Type *type;
    int n_words; /* C_IN_MEMORY: 0 */
    LLVMTypeRef word[2];
    const char *extension; /* of a small integer, which the caller extends to fill its register; or NULL */
} CPassing;
/* A function of C: its result, and the registers that are left for further parameters. */
typedef struct CgC {
    Cg *cg;
    int n_int, n_float;
    CPassing result;
} CgC;
void cg_c_begin(CgC *c, Cg *cg, const Type *result);
CPassing cg_c_param(CgC *c, const Type *t, bool by_reference); /* of each parameter, in order */
CPassing cg_c_result(CgC *c, const Type *t);
int cg_c_types(Cg *cg, const CPassing *p, LLVMTypeRef *types); /* 1 or 2 of them */
LLVMTypeRef cg_c_result_type(Cg *cg, const CPassing *p);
/* `first`: the number of its first LLVM parameter; `v`: a function or a call. */
void cg_c_param_attributes(Cg *cg, const CPassing *p, LLVMValueRef v, int first);
void cg_c_result_attributes(Cg *cg, const CPassing *p, LLVMValueRef call);
LLVMValueRef cg_c_memory(CgFunc *f, const Type *t);
int cg_c_give(CgFunc *f, const CPassing *p, CgValue v, LLVMValueRef *args); /* the number of arguments */
void cg_c_take(Cg *cg, const CPassing *p, LLVMValueRef fn, int first, LLVMValueRef to);
/* memory: cg_c_memory, which C_IN_MEMORY has passed as the first argument */
LLVMValueRef cg_c_returned(CgFunc *f, const CPassing *p, LLVMValueRef call, LLVMValueRef memory);

/* removal.c: `failed`, but for a check that --without=KEY leaves out */
LLVMValueRef cg_unless_removed(CgFunc *f, const char *what, Span span, int part, LLVMValueRef failed);

/* expr.c, op.c ----------------------------------------------------------------------------------------------- */
CgValue cg_move_array(CgFunc *f, const Symbol *sym);
CgValue cg_binary(CgFunc *f, Op op, CgValue a, CgValue b, const Const *kb, Span span);
void cg_set_exact(CgValue v); /* an operation on integers that sema has shown not to wrap */
CgValue cg_fused(CgFunc *f, CgValue a, CgValue b, CgValue c, bool minus_product, bool minus_c); /* where has_fma */
CgValue cg_unary(CgFunc *f, Op op, CgValue a);
CgValue cg_minmax(CgFunc *f, bool max, CgValue a, CgValue b);
CgPlace cg_lvalue(CgFunc *f, Expr *e);
CgPlace cg_target(CgFunc *f, Expr *e, bool reads);

/* fast.c */
void cg_fast_begin(Cg *cg, LLVMValueRef fn); /* fn is made in the fast mode */
void cg_fast_quotient(const Cg *cg, LLVMValueRef v); /* v, or a square root, may be approximated, but not reordered */

/* atomic.c ------------------------------------------------------------------------------------------------------ */
CgValue cg_atomic(CgFunc *f, Expr *e);             /* the element's old value */

/* parts.c: structs and short vectors ------------------------------------------------------------------------------ */
LLVMTypeRef cg_type_of_parts(Cg *cg, const Type *t);
int64_t cg_part_align(const Type *t);
CgValue cg_part(CgFunc *f, CgValue whole, int i);
CgValue cg_with_part(CgFunc *f, CgValue whole, int i, CgValue part);
CgPlace cg_part_place(CgFunc *f, CgPlace whole, int i);
CgValue cg_build(CgFunc *f, Expr *e);
CgValue cg_field(CgFunc *f, Expr *e);
bool cg_has_place(CgFunc *f, const Expr *e); /* a variable or element, or part of one */
CgValue cg_to_vector(CgFunc *f, CgValue v, Type *to);
CgValue cg_by_part(CgFunc *f, Op op, CgValue a, CgValue b, Span span);
CgValue lower_vector(CgFunc *f, Expr *e); /* dot, cross, length */
CgValue cg_slots_to_value(CgFunc *f, LLVMValueRef *slots, Type *t);

/* half.c: f16 and bf16 are computed in f32 */
CgValue cg_widen_half(CgFunc *f, CgValue v);            /* to f32; others stay what they are */
CgValue cg_narrow_half(CgFunc *f, CgValue v, Type *to);

/* array.c ------------------------------------------------------------------------------------------------------- */
CgArray cg_array_zero(CgFunc *f, Type *type, LLVMValueRef *ext, Span span);
CgArray cg_made_array(CgFunc *f, CgValue v);             /* what a call has just made */
void cg_free_made(CgFunc *f, const Expr *e, CgArray *a); /* of cg_array: frees what a call made, nothing else */
void cg_take_back(CgFunc *f, const CgArray *a); /* what a call may have kept on the device comes here, and stays */
void cg_sync(CgFunc *f, const CgArray *a, Sync kind, Span span, int part);
void cg_sync_part(CgFunc *f, const Expr *name, LLVMValueRef at, LLVMValueRef n_bytes, bool reads);
void cg_sync_before_loop(CgFunc *f, const SyncList *syncs, LLVMValueRef trips, Span loop); /* unless there are none */
void cg_check_index(CgFunc *f, const CgArray *a, LLVMValueRef at, int d, Span span, int site);
CgPlace cg_element(CgFunc *f, const CgArray *a, CgValue *at, Span span);
CgValue cg_fill(CgFunc *f, Expr *e);
CgValue cg_list(CgFunc *f, Expr *e);
CgValue cg_comprehend(CgFunc *f, Expr *e);
CgValue cg_copy(CgFunc *f, const CgArray *a, Span span);
void cg_array_into(CgFunc *f, Expr *e, const CgArray *to); /* makes or copies it in memory that has its extents */
LLVMValueRef cg_extents_in_memory(CgFunc *f, int which, const CgArray *a);
LLVMValueRef cg_described_array(CgFunc *f, const CgArray *a);
void cg_drop(CgFunc *f, const Symbol *s);

/* frame.c: arrays of constant extents that live in the frame of their function --------------------------------- */
void cg_frame_array(CgFunc *f, const Symbol *sym, Expr *init);
void cg_frame_assign(CgFunc *f, const Symbol *sym, Expr *value);
void cg_frame_swap(CgFunc *f, const CgArray *a, const CgArray *b);
CgArray cg_field_array(CgFunc *f, Expr *e);          /* p.w, x[i].w */
void cg_field_assign(CgFunc *f, Expr *target, Expr *value);
CgValue cg_field_value(CgFunc *f, Expr *e, const Type *field); /* the new value of a field, as part of its struct */
bool cg_by_bytes(const Type *t);                     /* a struct with such arrays */
void cg_struct_into(CgFunc *f, Expr *e, LLVMValueRef at);
LLVMValueRef cg_struct_made(CgFunc *f, Expr *e);     /* in memory of its own */
void cg_struct_store(CgFunc *f, LLVMValueRef to, LLVMValueRef made, const Type *t);
void cg_addressable(CgFunc *f, const Symbol *sym);   /* a value with arrays in it gets memory */
int64_t cg_unroll_for(CgFunc *f, const Symbol *counter, const Range *r); /* into how many copies; 0: not */
/* At the end of a loop: would it, unrolled with those inside of it, have too many blocks? before: f->copies at its
 * begin, where `more` is set to 0. */
bool cg_loop_ends_rolled(CgFunc *f, const Range *r, CgCopies before);
void cg_mark_unrolled(CgFunc *f, LLVMValueRef latch, int64_t copies);
void cg_mark_rolled(CgFunc *f, LLVMValueRef latch);
void cg_mark_outer(CgFunc *f, LLVMValueRef latch); /* a loop around other loops: not too many iterations */

/* session.c: units of an interactive session -------------------------------------------------------------------- */
void cg_session_bind(CgFunc *f);                    /* an input's older variables */
LLVMValueRef cg_session_place(CgFunc *f, const Symbol *sym); /* of a variable that lives on */
void cg_session_made(CgFunc *f, const Symbol *sym); /* the variable, or all of a struct, has its value */
void cg_session_show(CgFunc *f, Stmt *st);          /* the value of the input */
CgValue cg_session_text(CgFunc *f, const char *at, size_t n, Type *type);
void cg_leave_range(CgFunc *f);                     /* as where a check fails: ends the items that run here */
void cg_for_polls(CgFunc *f, const Range *r);       /* at the end of an iteration of this loop in a kernel */
void cg_session_poll(CgFunc *f);                    /* in loops and calls: was the input interrupted? */
/* Numbers that a kernel reports refer to tables of the unit in which the kernel was made. */
const char *cg_table_name(Cg *cg, const Func *kernel, const char *table);
LLVMValueRef cg_shared_table(Cg *cg, LLVMValueRef table);

/* own.c: structs that own arrays --------------------------------------------------------------------------------- */
void cg_own_let(CgFunc *f, Symbol *sym, CgValue v);
void cg_own_assign(CgFunc *f, const Symbol *sym, CgValue v);
CgValue cg_own_moved(CgFunc *f, const Symbol *sym);
CgValue cg_own_copy(CgFunc *f, Expr *call);
void cg_own_sync(CgFunc *f, CgValue v, Sync kind); /* of each array of a value that a call has made */

/* check.c ------------------------------------------------------------------------------------------------------- */
typedef struct CgFailure { /* what a failed check is about; zero where it does not matter */
    LLVMValueRef value, other;
    int dim;
    const CgArray *array, *other_array;
    LLVMValueRef *values;  /* asserts: in place of the other fields */
    int n_values;
} CgFailure;
bool cg_can_report(const CgFunc *f, int site);     /* is the check made here? */
void cg_report(CgFunc *f, int site, CgFailure what); /* with an error slot: report and leave; ends the block */
int cg_item_param_types(Cg *cg, const Func *fn, LLVMTypeRef *params); /* how many */
int cg_item_args(CgFunc *f, const Func *fn, LLVMValueRef *args);
void cg_leave_if_call_failed(CgFunc *f, const Func *fn); /* after such a call */
void cg_item_bind(CgFunc *f);
LLVMValueRef cg_item_position(CgFunc *f, int axis);
LLVMValueRef cg_domain_names(Cg *cg, const Func *kernel); /* table of texts */

/* print.c: print and assert in code for devices ----------------------------------------------------------------- */
void cg_print_record(CgFunc *f, Expr *e);
LLVMValueRef *cg_text_slots(CgFunc *f, const ArgList *args, int first, int *n_slots); /* values, for the host to show */
LLVMValueRef cg_assert_pieces(Cg *cg, const Stmt *st, int *n);
LLVMValueRef cg_constant_table(Cg *cg, const char *name, LLVMTypeRef elem, LLVMValueRef *values, int n);

/* loop.c -------------------------------------------------------------------------------------------------------- */
LLVMValueRef cg_loop_position(CgFunc *f, CgLoop *l);

/* call.c -------------------------------------------------------------------------------------------------------- */
CgValue cg_call_expr(CgFunc *f, Expr *e);
LLVMTypeRef cg_function_type(Cg *cg, const Func *fn);

/* border.c: C functions, exports, tests -------------------------------------------------------------------------- */
LLVMValueRef cg_call_c(CgFunc *f, const Func *fn, LLVMValueRef *args);

/* file.c ----------------------------------------------------------------------------------------------------------- */
CgValue lower_shown(CgFunc *f, Expr *e);
CgValue lower_write_file(CgFunc *f, Expr *e); /* also append_file */
CgValue lower_read_file(CgFunc *f, Expr *e);
CgValue lower_read_array(CgFunc *f, Expr *e);
CgValue lower_file_exists(CgFunc *f, Expr *e);
CgValue lower_file_size(CgFunc *f, Expr *e);
CgValue lower_read_line(CgFunc *f, Expr *e);
CgValue lower_input_ended(CgFunc *f, Expr *e);

/* builtin.c, text.c ------------------------------------------------------------------------------------------ */
CgValue cg_builtin(CgFunc *f, Expr *e);
CgValue lower_text(CgFunc *f, Expr *e); /* print, format */
void cg_assert(CgFunc *f, Stmt *s);
const char *cg_condition_text(Cg *cg, const Expr *cond); /* "assertion failed: i < n" */

/* stmt.c -------------------------------------------------------------------------------------------------------- */
void cg_return_nothing(CgFunc *f);
void cg_declare(CgFunc *f, Symbol *sym, CgValue v); /* a local, of an array or one value */

/* segment.c: the items of a group on a GPU meet -------------------------------------------------------------------- */
/* Of the statements of b, at a level where all items of a group are: before the i-th one. Is it a barrier at which the
 * group has waited already? */
bool cg_segment(CgFunc *f, const Block *b, int i);
void cg_segment_begin(CgFunc *f);
void cg_segment_declares(CgFunc *f, const Symbol *sym); /* a variable, now in memory */
bool cg_segment_end(CgFunc *f); /* has the group waited here? */
void cg_leave_item(CgFunc *f);  /* in a kernel, after a failed check */

/* shadow.c */
typedef enum CgTouch { TOUCH_READ, TOUCH_WRITE, TOUCH_UPDATE } CgTouch;
void cg_touch(CgFunc *f, CgTouch how, const CgPlace *p); /* the access that follows */
void cg_touch_store(CgFunc *f, const CgPlace *p, CgValue v);
void cg_touch_bytes(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, LLVMValueRef n_bytes);
LLVMValueRef cg_shadow(CgFunc *f); /* the KdslShadow, loaded where the function begins */
int cg_shadow_number(Cg *cg, const Func *kernel, const Symbol *array);
void cg_shadow_cells(CgFunc *f, const Symbol *sym, int number); /* shadow_cell.c */
bool cg_touch_cell(CgFunc *f, CgTouch how, const CgPlace *p, CgValue stored); /* false: the runtime has to do it */
void cg_touch_call(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, LLVMValueRef n_bytes, CgValue stored);
LLVMValueRef cg_shadow_row(Cg *cg, const Symbol *array);        /* a KdslShadowArray */
void cg_private_declare(CgFunc *f, const Symbol *sym, bool has_value); /* shadow_private.c */
void cg_private_written(CgFunc *f, const Symbol *sym);          /* all of it, if it is such an array */
bool cg_touch_private(CgFunc *f, CgTouch how, int touch, LLVMValueRef at, int64_t bytes);
void cg_tag_cell(CgFunc *f, LLVMValueRef inst);                 /* value.c: alias information */

/* reduction.c */
void cg_combine_alone(CgFunc *f, AtomicKind how, LLVMValueRef at, CgValue v); /* of memory that is this thread's own */
void cg_store_item(CgFunc *f, CgValue v); /* the item's value, where its reduction looks for it */

/* flat.c: `e` where it divides a domain variable that runs in rows, or a remainder of it; NULL: it does not */
LLVMValueRef cg_flat_division(CgFunc *f, const Expr *e);

#endif
