/* sema.h -- the checked program: the interface between sema, which decides, and offload and irgen, which generate code
 * from its decisions. The results are annotations of the tree and the tables of Func; this header declares them. No
 * LLVM here. */
#ifndef KDSL_SEMA_H
#define KDSL_SEMA_H

#include "parser/ast.h"
#include "sema/affine.h"
#include "sema/type.h"

/* builtin.def: B(id, name, signature..., lowering). One row per built-in function, see there. */
typedef enum BuiltinId {
    BUILTIN_NONE,
#define BUILTIN(id, ...) BUILTIN_##id,
#include "sema/builtin.def"
#undef BUILTIN
    BUILTIN__COUNT
} BuiltinId;

typedef enum AtomicKind {
    ATOMIC_NONE,
#define ATOMIC(id, ...) ATOMIC_##id,
#include "sema/atomic.def"
#undef ATOMIC
    ATOMIC__COUNT
} AtomicKind;
typedef struct AtomicRow {
    const char *name, *spelling;
    Op op;
    bool is_min, is_max, compares, only_ints;
    AtomicKind joins; /* ATOMIC_NONE: with no other */
} AtomicRow;
extern const AtomicRow atomic_rows[ATOMIC__COUNT]; /* atomic.c */
AtomicKind atomic_kind(const Expr *e);             /* of an EXPR_ATOMIC; ATOMIC_NONE: there is no such update */

typedef enum SymbolKind {
    SYM_LOCAL,  /* let, var, for and comprehension variables */
    SYM_PARAM,
    SYM_SIZE,   /* an extent bound by a parameter's shape: `n` in x: &[f32; n] */
    SYM_DOMAIN, /* an `over` variable: the work item's position */
    SYM_CONST,
    SYM_FN,     /* also kernels and extern functions */
    SYM_MODULE, /* what `import` names */
    SYM_STRUCT, /* `type` is what it names */
    SYM_TYPE,   /* a type parameter, in an instance of its generic: `type` is the type of this instance */
} SymbolKind;

/* One extent as far as it is known while compiling: a constant, the value of a symbol that never changes, or the sum of
 * both, as in `n + 1`. */
typedef struct Dim {
    enum { DIM_UNKNOWN, DIM_CONST, DIM_SYMBOL, DIM_SUM } kind;
    int64_t value; /* DIM_CONST; DIM_SUM: what is added to the symbol, not 0 */
    Symbol *sym;   /* DIM_SYMBOL, DIM_SUM: a size, an immutable local or a parameter by value */
} Dim;

struct Symbol {
    SymbolKind kind;
    Name name;
    Span span;
    Type *type;
    RefMode mode;     /* SYM_PARAM: how it is passed; REF_NONE by value */
    bool is_mutable;  /* var */
    bool owns;        /* a local that owns heap memory (an array) */
    bool used, written;
    bool is_mentioned; /* a declaration of a module: elsewhere than in its own body */
    Const konst;      /* value where known at compile time (const, let with a constant, sizes never) */
    int id;           /* dense within its function, from 0: irgen's value table. Constants and functions: -1 */
    int dim;          /* SYM_DOMAIN: which axis. SYM_PARAM: position */
    Func *func;       /* SYM_FN: what it names. Others: the function they live in, or NULL */
    Item *item;       /* SYM_CONST, SYM_FN, SYM_STRUCT */
    struct Template *generic; /* SYM_FN, SYM_STRUCT: what is known of a generic one (sema/check.h), else NULL */
    Dim dims[MAX_RANK];       /* arrays: extents known at compile time; equal symbols are equal extents. Unknown where
                               * reshaped, but for values that all have the same (redefined) */
    bool reshaped;      /* assigned whole or swapped, here or in a function it is passed to by &mut */
    bool redefined;     /* with reshaped: only by values that are known (shape.c), so its extents may stay */
    Span keyword;       /* SYM_LOCAL: its `let` or `var`; none for the variables of loops */
    Expr *init;         /* SYM_LOCAL: what it was declared with, or NULL */
    const Range *counts; /* SYM_LOCAL: the variable of a loop: through this range; or NULL */
    const struct ConstArray *table; /* SYM_CONST: an array; the SYM_LOCAL that stands for it in a function: the same */
    struct Symbol **parts; /* of a struct that owns arrays: a variable for each field (own.c) */
    int n_parts;
    Symbol *part_of;
    TypeExpr *as_written; /* SYM_PARAM with parts: its type in the source */
    /* Kernels in groups: */
    bool is_shared;     /* SYM_LOCAL: `shared`, one for the whole group */
    bool is_group_value;/* SYM_LOCAL: `inside`, `i.local`, `i.group`, `i.groups`: predefined, never assigned */
};

/* An array constant of a module, as far as its elements: const_array.c. */
typedef struct ConstArray {
    const Symbol *sym;         /* the SYM_CONST */
    const char *symbol;        /* unique in the program, as Func.symbol */
    const Const *at;           /* its elements, row-major */
    int64_t n, extent[MAX_RANK];
    bool has_range;            /* of integers: all elements are in least .. greatest */
    int64_t least, greatest;
} ConstArray;

/* Side tables: what one pass finds out about the variables of a function is in a table of Func with a row for each
 * Symbol.id. symbol_new makes the rows, all zero; only the pass that is named writes them, and the functions below
 * read them (of symbols without an id, which are no variables of a function, too). */
typedef struct FrameFacts { /* fixed.c */
    bool is_fixed;      /* a local array with small constant extents, made where it is declared: `dims` are they */
    bool leaves;        /* is_fixed: moved away, or given other memory, so it needs the heap after all */
    bool refilled;      /* is_fixed: assigned whole or swapped with one of the same extents, element by element */
    bool in_frame;      /* is_fixed, and lives in the frame of its function: nothing to free */
    bool unrolls;       /* the variable of a loop: it counts through an array of constant extents, none on the heap */
    int64_t extents[MAX_RANK]; /* of an array declared with constant extents, whatever becomes of it */
} FrameFacts;
typedef struct CombineFacts { /* combine.c: references, in code for devices */
    AtomicKind how;     /* each mention is an atomic update that this one joins, and nobody reads the old value; or
                         * NONE */
    Type *type;         /* of the numbers that are updated: the elements, or components of them */
} CombineFacts;
typedef struct KeptFacts { /* session.c: a variable of an interactive session, which lives on between inputs */
    int number;         /* among them, from 1; 0: it is another variable */
    bool is_older;      /* an earlier input has made it */
    const char *gone;   /* is_older, and no longer there: why */
} KeptFacts;
const FrameFacts *frame_facts(const Symbol *sym);
const CombineFacts *combine_facts(const Symbol *sym);
const KeptFacts *kept_facts(const Symbol *sym);
/* shadow.c: adds the bits of a list such as "race,init"; false: it has another word. `bounds`, which is always checked,
 * has none. */
bool shadow_checks(const char *list, unsigned *checks);
bool symbol_is_shadowed(const Symbol *sym);
bool symbol_is_exposed(const Symbol *sym);
Span symbol_assumed_written(const Symbol *sym); /* assume.c: `assume written` of the array; {0}: there is none */
bool symbol_is_fresh(const Symbol *sym);    /* shadow.c: its elements have no value at first */
bool symbol_varies(const Symbol *sym); /* barrier.c: its value may differ between the items of a group */

/* One extent of an array parameter's shape: a constant, a size, or a size plus a constant. EXTENT_ANY (`_`) is found
 * in functions only: in a kernel each `_` binds a size of its own named `_`, so that every extent of a kernel is a
 * constant or has a size. */
typedef struct Extent {
    enum { EXTENT_ANY, EXTENT_CONST, EXTENT_BINDS, EXTENT_SAME } kind;
    int64_t value;  /* EXTENT_CONST; EXTENT_BINDS, EXTENT_SAME: what is added to the size, mostly 0 */
    Symbol *size;   /* EXTENT_BINDS: this dimension gives the size its value; EXTENT_SAME: must agree with it */
    Span span;
} Extent;
typedef struct Shape {
    int rank;
    Extent at[MAX_RANK];
} Shape;

typedef enum Effect {
    EFFECT_IO = 1,       /* files, clock */
    EFFECT_HEAP = 2,     /* makes or frees arrays */
    EFFECT_EXTERN = 4,
    EFFECT_OFFLOAD = 8,
    EFFECT_STR = 16,     /* strings are on the host */
    EFFECT_PRINT = 32,   /* print: kernels may do that too */
    EFFECT_DEVICES = 64, /* asks which devices there are */
} Effect;

typedef enum Reduction {
    REDUCE_NONE, REDUCE_SUM, REDUCE_PROD, REDUCE_MIN, REDUCE_MAX, REDUCE_ANY, REDUCE_ALL, REDUCE_COUNT
} Reduction;

/* Transfer directions of a kernel parameter, as bits. The launch uses this value. An `&out` that is not proved to be
 * written whole is copied in both directions, so that no garbage is copied back (transfer.c). */
typedef enum Transfer {
    TRANSFER_ALLOC = 0, TRANSFER_TO = 1, TRANSFER_FROM = 2, TRANSFER_TOFROM = 3,
    TRANSFER_UNUSED = 4, /* the kernel uses no element: nothing is mapped */
} Transfer;

/* How one launch has its arrays: by parameter. */
typedef struct ArgPlan {
    Transfer transfer;
    bool resident;  /* kept on the device, in the table of resident arrays; else the launch maps it itself */
    bool is_there;  /* resident, and known to be there already */
    bool only_parts; /* the same, except for single elements and slices that the host has written */
    bool brings_whole; /* of a slice: the whole array is copied to the device, because a later launch reads it */
} ArgPlan;
typedef struct LaunchPlan {
    ArgPlan *args;
} LaunchPlan;

/* One element access in code for devices, in the text of the function or in a function that it calls: then the sums
 * are in terms of the caller (through.c). `guard`: sums known not to be negative at the access. */
typedef struct Access {
    Symbol *array;  /* NULL: not a named array of this function */
    Expr *expr;     /* the EXPR_INDEX; index.proven says which of its checks are needless. NULL: x.at(i) */
    const Expr *call; /* in this function, that leads to it; NULL: its own text */
    const Stmt *assign; /* whose target it is, or NULL */
    bool reads, writes, is_atomic;
    bool always;    /* every execution of the function reaches it */
    int n;          /* indices */
    Form *at, *ext; /* one per index; atoms are numbered within the function. ext: where has_ext has a bit */
    unsigned has_ext;
    Form *guard;
    int n_guard;
} Access;

typedef enum CheckKind { CHECK_INDEX, CHECK_DIVIDE, CHECK_SHIFT, CHECK_STEP, CHECK_SHAPE, CHECK_SLICE,
               CHECK_ASSERT } CheckKind;
/* A check that stays in code for devices. Numbered from 1 through the whole program: the device reports the number. */
typedef struct CheckSite {
    CheckKind kind;
    const Func *func;
    Span span;
    const char *name;         /* CHECK_INDEX: the array's */
    int rank;                 /* CHECK_INDEX */
    int bits;                 /* CHECK_SHIFT: of the value */
    const CallInfo *call;     /* CHECK_SHAPE: call->checks.at[shape] */
    int shape;
    const Stmt *assert_;      /* CHECK_ASSERT */
    const char *text, *why;   /* what is checked, as the program says it; why that is not shown needless */
    Expr *access;             /* CHECK_INDEX in a function: the EXPR_INDEX */
    unsigned open;            /* the same: bit d: some kernel does not show that index d is inside */
    bool is_reached;          /* the same: by a kernel */
    bool is_needless;         /* every kernel shows all of it */
    bool is_hoisted;          /* a loop checks for all of its iterations (LoopCheck) */
} CheckSite;

/* A check that code for devices would need if nothing were known, kept or not. */
typedef struct Checked {
    CheckKind kind;
    const Func *func;
    Span span, what; /* what: the text that messages show */
    int site;        /* Program.sites[site - 1]; 0: shown needless */
} Checked;

/* Range check hoisting (hoist.c): a check that a loop makes once for all of its iterations. The access is at the
 * beginning of each iteration. CHECK_NEAR: its index is the loop variable plus `add`; the loop ends before the first
 * iteration that fails, which is reported then. CHECK_STEADY: the same index in all iterations. CHECK_AHEAD: one more
 * in each iteration; the failure of a later iteration may be reported before the first. */
enum { MAX_LOOP_CHECKS = 4 };
typedef enum HoistKind { CHECK_NEAR, CHECK_STEADY, CHECK_AHEAD } HoistKind;
typedef struct LoopCheck {
    const Expr *access; /* an EXPR_INDEX of a parameter */
    HoistKind kind;
    int dim;
    int64_t add; /* CHECK_NEAR */
    int bits;    /* CHECK_AHEAD: of the signed type in which the index wraps around; 64: it does not */
    int site;
    const char *why;
} LoopCheck;
typedef struct LoopChecks {
    LoopCheck *at;
    int n, cap;
} LoopChecks;

/* An extent that an exported function takes as a number: which array it comes from, or the size that it is. */
typedef struct BorderSize {
    Name name;
    int param, dim;
    int64_t add;        /* the extent is this much more than the number */
    const Symbol *size; /* NULL: an extent without a name (`_` of a function) */
} BorderSize;

/* A kernel whose domain is divided into groups (`by`). All items of a group run, also those past the end of the
 * domain; between two barriers they run in any order, or in parallel. */
typedef struct Group {
    int64_t items;      /* of one group; 0: the kernel has no groups */
    int64_t by[3];      /* its extent along each axis, 1 where nothing is written */
    Symbol *local[3], *at[3], *count[3]; /* i.local, i.group, i.groups */
    Symbol *inside;
    Vec(Symbol *) shared;
    int64_t shared_bytes;
} Group;

/* A function or kernel, checked. */
struct Func {
    Item *item;
    Name name;
    Span name_span;
    const char *symbol; /* unique in the program: `name`, `math.name` of a module, `test.1`; irgen's names come from
                         * it */
    Module *module;
    bool is_kernel, is_extern, is_export, is_main, is_test;
    bool is_fast;               /* --fp=fast, or a kernel that is marked `fast` (irgen/lang/fast.c) */
    bool is_input;              /* the statements of an input of an interactive session (session.c) */
    bool is_made;               /* its code is there already: made by an earlier input of a session, as `symbol` */
    const char *made_in;        /* is_made: IrOptions.unit of then */
    Vec(Symbol *) params;
    int n_given;                /* those that callers pass; the `&scratch` parameters of a kernel follow them */
    Vec(Shape) shapes;          /* one per parameter; rank 0 for scalars */
    Vec(Transfer) transfers;    /* kernels: one per parameter; TRANSFER_TO for values */
    Vec(Symbol *) sizes;        /* in order of binding */
    Vec(Symbol *) constants;    /* the locals that stand for array constants (const_array.c) */
    Vec(Symbol *) domain;       /* kernels: 1 to 3, outermost first; the last is the fastest (contiguous) axis */
    Group group;                /* kernels with `by` */
    Reduction reduction;        /* kernels */
    Type *result;               /* functions: result type, void if none. Kernels with a reduction: type of its value */
    Type *item_result;          /* kernels with a reduction: type of one item's value (bool for any, all, count) */
    Vec(BorderSize) border;     /* exported: the extents in the order in which C passes them */
    Sync *at_border;            /* exported functions, by parameter: how the newest copy of an array that the C caller
                                 * keeps on a device is made available to host code; NULL: the program launches
                                 * nothing */
    unsigned effects;           /* own and of everything called; complete after sema */
    Func *effect_from;          /* the callee a foreign effect came from, or NULL */
    Span effect_span;           /* where the effect is */
    bool on_host, on_device;    /* is code needed there? Kernels are both: the host version is the fallback */
    bool recurses;              /* may call itself, through others or not */
    int n_symbols;              /* ids used */
    Vec(FrameFacts) frames;     /* side tables, by Symbol.id */
    Vec(CombineFacts) combined;
    Vec(KeptFacts) kept;
    Vec(bool) varying;
    Vec(bool) shadowed;         /* shadow.c: accesses to this memory are recorded */
    Vec(bool) exposed;          /* the same; reads of elements without values are reported */
    bool is_shadowed;           /* code for devices: accesses are recorded here or in a function called */
    Vec(Access) accesses;       /* code for devices: every element access, in the order of the text; with those of the
                                 * functions called, unless there are very many (misses_accesses) */
    bool misses_accesses;
    int n_checks, n_kept;       /* code for devices: run-time checks; those not shown needless */
    LoopChecks loop_checks;     /* kernels over one variable: what the loop over the items checks for all of them */
    bool may_fail;              /* code for devices: a check or an assert is left here or in a function called */
    bool may_assert;            /* the same, of asserts only */
    struct RaceTable *races;    /* kernels: sema/races; NULL: not analysed */
    struct FuncFacts *facts;    /* sema's own notes (sema/check.h) */
};

/* Is it a function of the standard library whose failures name the program's call? Not those of numbers only, which
 * rarely fail and should stay cheap. */
bool func_tells_caller(const Func *callee);

typedef enum CallKind {
    CALL_ERROR,
    CALL_FUNC,    /* func(args) */
    CALL_BUILTIN, /* builtin, args in call.args; receiver of a method call in `receiver` */
    CALL_CONVERT, /* f32(e): numeric conversion, or parsing of a str; f32x4(e): of each component, or a splat */
    CALL_BUILD,   /* P(x: a, y: b), f32x4(a, b, c, d): argument i is field or component part_of[i] */
} CallKind;

/* A shape requirement at a call that could not be decided while compiling: extent `dim` of argument `arg` must equal
 * extent `other_dim` of argument `other_arg` (which bound the size) plus `value`. If other_arg is -1, it must equal the
 * constant `value`. */
typedef struct ShapeCheck {
    int arg, dim, other_arg, other_dim;
    int64_t value;
    bool is_least; /* it must be `value` or more, so that the size is not negative; other_arg is -1 */
    Symbol *size;  /* NULL for a constant */
    int site;     /* in code for devices: Program.sites[site - 1] */
} ShapeCheck;

/* Where a call finds the value of the callee's sizes[k]: extent `dim` of argument `arg`, less `add`. */
typedef struct SizeSource {
    int arg, dim;
    int64_t add;
} SizeSource;

struct CallInfo {
    CallKind kind;
    Func *func;
    BuiltinId builtin;
    Expr *receiver;            /* x in x.at(i) */
    ExprList copied;           /* copy(&g) of a struct that owns arrays: their names, in order */
    Vec(ShapeCheck) checks;
    Vec(SizeSource) sizes;     /* one per func->sizes */
    FormatPlan *format;        /* print, format */
    const Type *shown;         /* BUILTIN_SHOWN: the type of the array or struct, and how it is written */
    struct FormatPiece *shown_as;
    int print_site;            /* print: its number in Program.prints, from 1 */
    int *part_of;              /* CALL_BUILD */
};

/* A format string, taken apart and checked against its arguments. */
typedef struct FormatPiece {
    enum { PIECE_TEXT, PIECE_ARG } kind;
    const char *text; /* PIECE_TEXT: n bytes */
    size_t n;
    int arg;          /* PIECE_ARG: index among the values after the format string */
    /* `{:[<>][0][width][.precision][x|b|e]}` */
    int width, precision; /* precision -1: shortest text that reads back as the same value */
    char align;           /* '<', '>' or 0: numbers right, the rest left */
    bool zero;
    char style;           /* 0, 'x', 'b', 'e' */
} FormatPiece;
struct FormatPlan {
    Vec(FormatPiece) pieces;
};

typedef struct PrintSite {
    const Func *func;
    const Expr *call;
} PrintSite;

/* A variable of an interactive session, which lives on between its inputs: in each later input it is a local variable
 * that exists from the start. */
typedef struct KeptVar {
    Name name;
    TypeExpr *type;        /* of an older one */
    const char *type_text; /* sema, of a new one: its type as source text; NULL: it cannot be written */
    bool is_mutable;
    Span span, keyword;    /* where it was declared */
    Const konst;           /* of an older `let`, where its value was known when it was declared */
    const char *gone;      /* not NULL: it cannot be used any more, and why */
    Symbol *sym;           /* sema */
} KeptVar;

/* A name of an interactive session whose declaration was not kept. */
typedef struct LostName {
    Name name;
    Span span;      /* where it is declared */
    bool has_ended; /* its input ended at run time, before the declaration; otherwise it had errors */
} LostName;

typedef struct Recorded { /* --check: an access that is recorded */
    Span span;
    const Symbol *array; /* or a value passed by reference */
} Recorded;

typedef struct Program {
    Compiler *c;
    Module *module;
    Types *types;
    Vec(Func *) funcs;    /* in source order; functions and kernels */
    Vec(Symbol *) consts;
    Vec(CheckSite) sites; /* checks kept in code for devices */
    Vec(Checked) checked; /* all of them, those shown needless too */
    Vec(PrintSite) prints;/* every print: a kernel reports the number of the one it comes to */
    Vec(Recorded) touches; /* --check: number - 1 */
    unsigned shadow;      /* SemaOptions.shadow */
    bool launches;        /* something does, or a C caller may launch an exported kernel */
    bool has_async;       /* a launch is `async` */
    Func *main;           /* NULL: none */
    Vec(Func *) tests;    /* `test` blocks of the program's own file, in order: functions without parameters or
                           * result */
    bool runs_tests;      /* the tests are the program; otherwise they are not among `funcs` */
    Func *input;          /* of an interactive session: the statements of the input, or NULL */
    Vec(Symbol *) kept;   /* the variables that live between inputs, by number - 1; of structs that own arrays their
                           * fields */
    Vec(KeptVar) new_vars;/* those that this input declares, in order */
    struct Sema *waiting; /* of SemaOptions.races_later, for sema_find_races; NULL: nothing is left to check */
} Program;

typedef struct BuiltInModule { /* a module that is part of the compiler */
    const char *name, *text, *end;
} BuiltInModule;

/* Bits, as KdslShadowCheck. SHADOW_ALL: also accesses that cannot race are recorded. */
typedef enum ShadowCheck { SHADOW_RACE = 1, SHADOW_INIT = 2, SHADOW_ALL = 4 } ShadowCheck;

/* memo.c: what an editor's checks of one document keep for the next one. */
typedef struct Memo Memo;
Memo *memo_new(void);
void memo_free(Memo *m);

/* kdslc grade: `import name;` in the program's own file reads this file, which itself can import the standard library
 * only. name NULL: none. */
typedef struct GivenModule {
    const char *name, *path;
} GivenModule;

typedef struct SemaOptions {
    const BuiltInModule *stdlib; /* ended by a row without a name; NULL: none */
    GivenModule submission;
    bool need_main; /* report a missing `fn main` */
    bool is_library; /* C will call it: report if it exports nothing */
    bool run_tests; /* make a program of the `test` blocks */
    bool transfers_each; /* every launch maps its arrays by itself */
    KeptVar *kept;       /* older variables of a session, of which this is an input; `sym` is filled in */
    int n_kept;
    const LostName *lost;
    int n_lost;
    unsigned shadow;     /* --check: what is looked for in the accesses of each launch */
    bool strict;         /* --fp=strict: no product is rounded together with a sum (fuse.c) */
    bool fast;           /* --fp=fast: every function and kernel is Func.is_fast */
    /* Does host code have fused multiply-add? Constants are rounded as host code rounds. NULL: it has. */
    bool (*host_fuses)(const char *march);
    const char *march;
    bool is_session;     /* `main` is a function like any other */
    bool races_strict;   /* --races=strict: what is not proven free of races is an error */
    bool races_off;      /* --races=off: kernels are not analysed for them */
    bool races_listed;   /* --explain=races: they are no errors */
    bool races_timed;    /* tells the time of each kernel there */
    bool races_later;    /* the analysis of data races may be left to sema_find_races */
    bool only_reached;   /* of a session: leave out what the input does not lead to, after warnings about it */
    Span own;            /* of a session: the text of the input, whose declarations are new */
    Memo *memo;          /* of the document; NULL: none */
} SemaOptions;

/* Check the whole module. Never NULL; when c->diags.n_errors is not 0 the program must not be generated. */
Program *sema_check(Compiler *c, Module *m, const SemaOptions *options);
/* The analysis of data races, if it was left for later. No code depends on it, and it changes nothing that code is
 * generated from, so that other threads can do so meanwhile. false: there is an error. */
bool sema_find_races(Program *p);
/* Reports them, and the warnings that come afterwards. Not while other threads generate code. */
void sema_tell_races(Program *p);
/* After syntax errors: only reports errors of types in the declarations without any. */
void sema_check_rest(Compiler *c, Module *m, const SemaOptions *options);

/* explain.c: the checks of code for devices, function by function, each in the order of the text */
typedef enum CheckFate {
    CHECK_KEPT,
    CHECK_HOISTED, /* checked once, before a loop */
    CHECK_PROVEN,
    CHECK_PROVEN_BY_CALLERS /* every kernel that calls the function shows it */
} CheckFate;
typedef struct CheckNote {
    const Func *func;
    const char *file;
    int line, col;
    const char *kind, *text; /* index, divisor, shift, ...; what is checked, as the program says it */
    CheckFate fate;
    const char *why;         /* why it is kept, or NULL */
} CheckNote;
typedef Vec(CheckNote) CheckNotes;
CheckNotes check_notes(const Program *p);
void explain_bounds(const Program *p, Buf *out); /* --explain=bounds */
void explain_races(const Program *p, Buf *out); /* sema/races: --explain=races */
/* combine.c: a line for each parameter that the kernel only combines values into */
void explain_combined(const Func *kernel, Buf *out);
/* explain_transfers.c: the decisions of the plan, in the order of the text: one for each array of each launch, and one
 * for each access of host code that may copy an array back. Texts are in the arena of the compilation. */
typedef struct TransferNote {
    const char *file, *function;
    int line, col;
    const char *text;     /* of the launch or the access */
    const Expr *launch;   /* NULL: host code */
    const char *kernel, *array;
    const char *mode;     /* as written: & &mut &out; host code: read, write, fill */
    const char *moves;    /* to, from, tofrom, alloc, nothing; host code: from, element, nothing */
    const char *bytes;    /* "4*n", in the words of the kernel */
    bool resident;
    bool is_checks;       /* of a launch whose kernel has checks left: the word that tells whether one failed */
    bool is_value;        /* a single value by reference, or the result of a reduction */
    const char *why;
} TransferNote;
typedef Vec(TransferNote) TransferNotes;
TransferNotes transfer_notes(const Program *p);
void explain_transfers(const Program *p, Buf *out); /* --explain=transfers */
void emit_plan(const Program *p, Buf *out);         /* --emit=plan */

/* Reading helpers for later passes */
Expr *expr_strip(Expr *e); /* without EXPR_CONVERT */
bool expr_is_slice(const Expr *e);            /* x[a..b], m[i, ..], flat(&m) */
bool expr_is_part(const Expr *e);             /* a slice that is not all of the array */
const Symbol *expr_whole_array(const Expr *e); /* of x, and of x[..] and x[.., j] as arguments; else NULL */
bool passes_described(const Func *f);         /* a generic function of C: border.c */
bool range_is_extent(const Range *r);         /* `i in n`, `i in 0..n` of a comprehension: n is the extent */
/* The variable that an input shows, whose arrays are not copied for it. NULL: the input shows another value. */
Symbol *shown_variable(const Stmt *st);
const Type *expr_fixed_field(const Expr *e);  /* p.w with constant extents: the field's type; else NULL */
bool type_owns(const Type *t);                /* a struct that owns arrays */
Symbol *expr_root(const Expr *e);             /* the variable that an element, field or slice is part of, or NULL */
const char *expr_made_name(Arena *arena, const Expr *e); /* of an array without a name, for messages: "args()" */
int list_rank(const Expr *e); /* of an EXPR_LIST, once checked; the extent of dimension `d` of it */
int64_t list_extent(const Expr *e, int d);
bool expr_makes_array(const Expr *e);         /* [e; n], [e for ...], [a, b] */
Symbol *expr_array_symbol(const Expr *e);     /* the variable that the argument of a reference names, or NULL */
Expr *expr_whole(Expr *e); /* the variable or element that a chain of fields is part of: x[i] of x[i].pos.x */
/* fuse.c: the operand that Expr.binary.fused or Stmt.assign.fused refers to: `whole` is the EXPR_BINARY that
 * multiplies, `negated`: under an odd number of minus signs. */
typedef struct Product {
    Expr *whole;
    bool negated;
} Product;
Product fused_product(Expr *operand);
/* First sub-expression for which test holds, itself included; of a statement, in the order of the text. NULL: none. */
typedef bool (*ExprTest)(Expr *e, void *context);
Expr *expr_find(Expr *e, ExprTest test, void *context);
Expr *stmt_find(const Stmt *st, ExprTest test, void *context);
Expr *block_find(const Block *b, ExprTest test, void *context);
/* Is there a statement of one of these kinds (bits 1 << StmtKind) in it, itself included? */
enum { STMTS_RETURN = 1 << STMT_RETURN, STMTS_LEAVE = 1 << STMT_RETURN | 1 << STMT_BREAK | 1 << STMT_CONTINUE };
bool stmt_holds(const Stmt *st, unsigned kinds);
bool block_holds(const Block *b, unsigned kinds);
const char *size_text(Arena *arena, const Symbol *size, int64_t add); /* shape.c: "n + 1" */
const char *size_factor(Arena *arena, const Symbol *size, int64_t add); /* the same, in a product: "(n + 1)" */
Type *shown_type(const Expr *value); /* shown.c: of a value of a format: what the program passes */
const char *effect_name(Effect e);
const char *func_effect_reason(const Func *f, Effect e); /* of an effect that it has: "reads the clock" */
const char *reduction_name(Reduction r);

#endif
