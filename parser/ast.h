/* ast.h -- the abstract syntax tree: built by the grammar's actions through the ast_* constructors (ast.c), annotated
 * in place by sema, read by irgen. Nodes are tagged unions in the compilation's arena. The parser sets the fields
 * without a remark, sema those marked "sema". Switches over kinds have no `default:`, so that -Wswitch finds
 * omissions. */
#ifndef KDSL_AST_H
#define KDSL_AST_H

#include "base/base.h"

typedef struct Type Type;     /* sema/type.h */
typedef struct Symbol Symbol; /* sema/sema.h */
typedef struct Func Func;     /* sema/sema.h */
typedef struct CallInfo CallInfo;
typedef struct FormatPlan FormatPlan;

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Item Item;
typedef struct TypeExpr TypeExpr;

/* The constructors reject deeper trees (E0203), so that all traversals may be recursive. */
enum { AST_MAX_DEPTH = 200 };

typedef enum RefMode { REF_NONE, REF_IN, REF_MUT, REF_OUT, REF_SCRATCH, REF__COUNT } RefMode; /* by value, & &mut ... */

/* OP(name, spelling, precedence, operation) in grammar/ops.def; OP_NONE is plain `=`. */
typedef enum Op {
    OP_NONE,
#define OP(name, spelling, precedence, operation) OP_##name,
#include "grammar/ops.def"
#undef OP
    OP__COUNT
} Op;
typedef enum OpKind { OPK_ARITH, OPK_BITS, OPK_SHIFT, OPK_ROTATE, OPK_COMPARE, OPK_LOGIC } OpKind;
/* The order of the first operand relative to the second. NaN is unordered: only != is true. */
typedef enum OpOrder { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_ALL = 7 } OpOrder;
typedef struct OpInfo {
    const char *name, *spelling;
    int precedence, arity;
    OpKind kind;
    bool can_fail;   /* on integers, for some second operands */
    unsigned orders; /* OPK_COMPARE: the set of OpOrder for which the result is true */
} OpInfo;
extern const OpInfo op_info[OP__COUNT];
/* True if the second operand is a number of bits, whose integer type may differ from the first operand's. */
static inline bool op_counts(Op op) { return op_info[op].kind == OPK_SHIFT || op_info[op].kind == OPK_ROTATE; }

/* Which operand of a sum or difference is a fused product (fused multiply-add, sema/fuse.c). */
typedef enum Fused { FUSED_NONE, FUSED_LEFT, FUSED_RIGHT } Fused;

/* A compile-time constant. Integers are 64 bits, two's complement, wrapped to the type. */
typedef struct Const {
    enum { CONST_NONE, CONST_INT, CONST_FLOAT, CONST_BOOL, CONST_STR } kind;
    union {
        int64_t i; /* also bool: 0 or 1 */
        double f;
        struct { const char *at; size_t n; } s;
    };
} Const;

/* `lo..hi step s`, or one expression: `in n` has lo NULL. In slices lo and hi may both be NULL (`..`). */
typedef struct Range {
    Expr *lo, *hi, *step;
    Span span;
    bool has_dots; /* written with `..` */
    int site;      /* sema: as EXPR_BINARY, for a step that may be 0 */
    Type *type;    /* sema: type of the loop variable */
    Expr *column;  /* sema, in slices: `..` is written for this number, which the callee gets, too (sema/column.c) */
} Range;

/* Coherence checks in host code, before it accesses an array whose newest copy may be on a device. SYNC_READ,
 * SYNC_WRITE: the whole array. SYNC_PEEK: an element or slice is read, and only that is copied. SYNC_POKE: an element
 * or slice is written; SYNC_UPDATE: read and written. SYNC_FILL: the whole array is overwritten, so nothing is copied.
 * SYNC_DEVICE: at the start of a resident block, copies the array to the device. */
typedef enum Sync {
    SYNC_NONE, SYNC_PEEK, SYNC_READ, SYNC_POKE, SYNC_UPDATE, SYNC_WRITE, SYNC_FILL, SYNC_DEVICE
} Sync;
typedef struct SyncPoint {
    Symbol *array;
    Sync kind;
} SyncPoint;
typedef Vec(SyncPoint) SyncList;

/* `i in range` of over, for and comprehensions; `by e` only in over. */
typedef struct Binder {
    Name name;
    Span span; /* of the name */
    Range range;
    Expr *by;
    Symbol *sym; /* sema */
} Binder;

typedef struct Arg { /* call argument: `e`, `&e`, `&mut e`, `&out e`, `field: e` */
    RefMode mode;
    Name label; /* NULL when unlabelled */
    Expr *value;
    Span span, mode_span;
} Arg;

/* AST lists: pointers into the arena with a count. */
typedef Vec(Expr *) ExprList;
typedef Vec(Stmt *) StmtList;
typedef Vec(Item *) ItemList;
typedef Vec(Arg) ArgList;
typedef Vec(Binder) BinderList;
typedef Vec(TypeExpr *) TypeExprList;

typedef enum TypeExprKind { TE_ERROR, TE_NAME, TE_ARRAY, TE_REF } TypeExprKind;
struct TypeExpr {
    TypeExprKind kind;
    uint32_t depth;
    Span span;
    Type *type; /* sema */
    bool known; /* sema: created by sema, with `type` set */
    union {
        struct { Name name; TypeExprList args; } name;        /* f32, Pair<f32> */
        struct { TypeExpr *elem; ExprList extents; } array;   /* [T; n, m]; [T; ..] has one EXPR_RANGE */
        struct { RefMode mode; Span mode_span; TypeExpr *to; } ref; /* &T &mut T &out T &scratch T */
    };
};

typedef enum ExprKind {
    EXPR_ERROR,
    EXPR_INT,       /* 1, 0xff, 7u8 */
    EXPR_FLOAT,     /* 1.0, 1e-3f32 */
    EXPR_BOOL,
    EXPR_STR,
    EXPR_NAME,
    EXPR_UNARY,     /* - ! ~ */
    EXPR_BINARY,
    EXPR_CALL,      /* f(a), f32(a), x.at(i), Particle(pos: p) */
    EXPR_INDEX,     /* x[i, j], with ranges a slice */
    EXPR_FIELD,     /* p.pos, v.xy, i.local */
    EXPR_IF,        /* if c { a } else { b } */
    EXPR_FILL,      /* [e; n, m] */
    EXPR_COMPREHEND,/* [e for i in n, j in m] */
    EXPR_LIST,      /* [a, b, c] */
    EXPR_RANGE,     /* only inside EXPR_INDEX */
    EXPR_OFFLOAD,   /* offload k(args) */
    EXPR_ATOMIC,    /* atomic h[b] += 1, = 1, = 1 if == 0; as a value: the old value */
    EXPR_CONVERT,   /* sema: an implicit, exact conversion of `convert.operand` to `type` */
    EXPR__COUNT
} ExprKind;

struct Expr {
    ExprKind kind;
    uint32_t depth; /* 1 + deepest child */
    Span span;
    Type *type; /* sema: never NULL afterwards (TY_ERROR after an error) */
    Const konst; /* sema: CONST_NONE if it is not a compile-time constant */
    Sync sync;   /* sema, for EXPR_NAME of an array, EXPR_CALL that returns one: the check when it is evaluated */
    int touch;   /* sema, --check: the number of this access, if it is recorded; 0: it is not (Program.touches) */
    bool more;   /* sema, SYNC_PEEK, SYNC_UPDATE: other elements are likely to be read soon */
    union {
        struct { uint64_t value; bool too_big; Name suffix; } int_; /* suffix: "u8" or NULL */
        struct { double value; Name suffix; } float_;
        struct { bool value; } bool_;
        struct { const char *at; size_t n; } str; /* escapes decoded; not NUL-safe: use n */
        struct { Name name; Symbol *sym; /* sema */ } name;
        struct { Op op; Span op_span; Expr *operand; } unary;
        struct {
            Op op;
            Span op_span;
            Expr *lhs, *rhs;
            int site; /* sema, for devices: its run-time check (Program.sites); 0: none, -1: proven redundant */
            Fused fused; /* sema */
            bool exact;  /* sema, of integers: shown not to wrap; of / and %: neither operand is negative */
        } binary;
        struct {
            Expr *callee;
            ArgList args;
            CallInfo *info; /* sema */
            Type *wanted;   /* sema: expected type, for the type inference of generics; or NULL */
            bool fused;     /* sema: dot, cross, length use fused multiply-adds */
        } call;
        struct {
            Expr *base;
            ExprList at;
            bool is_flat;    /* sema: the slice has one dimension, of all its elements: flat(&m) */
            bool is_column;  /* sema: a slice that need not be contiguous (sema/column.c) */
            bool is_unwritten; /* sema: read in a kernel, and no item of the launch writes it (sema/unwritten.c) */
            unsigned proven; /* sema: bit d: index d is proven in bounds */
            int site;        /* sema: as above, for the others */
            unsigned early;  /* sema: bit d: on devices the enclosing loop checks index d; see LoopCheck */
        } index;
        struct {
            Expr *base;
            Name name;
            Span name_span;
            int n_at;   /* sema: 1 for a field or a vector component; 2 to 4 for `v.xy` */
            int at[4];  /* sema: numbers of the fields or components */
        } field;
        struct { Expr *cond, *then_, *else_; } if_;
        struct {
            Expr *value;
            ExprList extents;
            bool is_dead; /* sema: no element is read before it is written (dead_fills.c) */
        } fill;
        struct { Expr *value; BinderList binders; SyncList syncs; /* sema: before it, if not empty */ } comprehend;
        struct { ExprList items; const int64_t *extent; /* sema, of joined rows: up to -1; or NULL */ } list;
        struct { Range range; } range;
        struct { bool async; Expr *device; Expr *call; struct LaunchPlan *plan; /* sema */ } offload;
        struct {
            Expr *target;
            Op op; /* OP_NONE: plain `=`, an exchange */
            bool is_min, is_max;
            Span op_span;
            Expr *value;
            Expr *was;      /* `= value if == was`: compare-and-swap; or NULL */
            bool drops_old; /* a statement: the old value is not used */
        } atomic;
        struct { Expr *operand; } convert;
    };
};

typedef enum StmtKind {
    STMT_ERROR,
    STMT_LET,     /* let x = e;  var x: T = e;  var x: T; */
    STMT_ASSIGN,  /* x = e;  x[i] += e; */
    STMT_ATOMIC,  /* atomic x[i] += e; */
    STMT_EXPR,    /* a call or an offload */
    STMT_IF,
    STMT_FOR,
    STMT_WHILE,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_ASSERT,
    STMT_BLOCK,
    STMT_SHARED,  /* shared t: [f32; 16, 16]; */
    STMT_BARRIER,
    STMT_WAIT,
    STMT_RESIDENT, /* offload resident { } */
    STMT__COUNT
} StmtKind;

typedef struct Block {
    StmtList stmts;
    Span span;  /* both braces included */
    uint32_t depth;
    Vec(Symbol *) drops; /* sema: owned arrays declared here, freed in reverse order at the end of the block */
} Block;

struct Stmt {
    StmtKind kind;
    uint32_t depth;
    Span span;
    bool together; /* sema, kernels with groups: contains a barrier or a jump of the whole group: uniform in a group */
    union {
        struct { bool is_var; Name name; Span name_span; TypeExpr *type; Expr *init; Symbol *sym; /* sema */ } let;
        struct {
            Expr *target;
            Op op; /* OP_NONE: plain = */
            bool is_min, is_max;
            Span op_span;
            Expr *value;
            int site; /* sema: as EXPR_BINARY */
            bool exact; /* sema: as EXPR_BINARY */
            bool fused; /* sema: `value` is a fused product */
        } assign;
        struct { Expr *atomic; } atomic; /* an EXPR_ATOMIC whose value is not used */
        struct {
            Expr *expr;
            bool is_shown;  /* its value is the result of an input of an interactive session */
            ExprList reads; /* sema, is_shown: names of the arrays that are shown without a copy */
        } expr;
        struct { Expr *cond; Block *then_; Stmt *else_; } if_; /* else_: STMT_BLOCK, STMT_IF or NULL */
        struct {
            Binder binder;
            Block *body;
            const struct LoopChecks *checks; /* sema, for devices */
            SyncList syncs;                  /* sema: checks before the loop */
        } for_;
        struct { Expr *cond; Block *body; bool calls; /* sema: an iteration calls functions */ } while_;
        struct { Expr *value; } return_; /* NULL: no value */
        struct {
            Expr *cond;
            Expr *format;
            ArgList args;
            FormatPlan *plan;
            int site; /* sema */
        } assert_;    /* format: NULL, STR */
        struct {
            Block *block;
            SyncList enter; /* sema, STMT_RESIDENT */
            Expr *inlined;  /* sema: the call that stood here (sema/group_inline.c), or NULL */
        } block;
        struct { Name name; Span name_span; TypeExpr *type; Symbol *sym; /* sema */ } shared;
    };
};

typedef struct Param {
    Name name;
    Span span; /* of the name */
    TypeExpr *type;
    Symbol *sym; /* sema */
    Symbol *owner; /* sema: this parameter is field number `field` of `owner` (sema/own.c) */
    int field;
} Param;
typedef struct Field {
    Name name;
    Span span;
    TypeExpr *type;
} Field;
typedef struct Generic {
    Name name, constraint; /* constraint NULL: any type */
    Span span, constraint_span;
} Generic;
typedef Vec(Param) ParamList;
typedef Vec(Field) FieldList;
typedef Vec(Generic) GenericList;
typedef Vec(Name) NameList;

typedef enum ItemKind {
    ITEM_ERROR,
    ITEM_FN,     /* fn, export fn, extern "C" fn */
    ITEM_KERNEL,
    ITEM_STRUCT,
    ITEM_CONST,
    ITEM_IMPORT,
    ITEM_TEST,
    ITEM__COUNT
} ItemKind;

/* `distinct(to)`: what a kernel takes for granted of an array */
typedef struct Assumption {
    Name word, array;
    Span span, array_span;
} Assumption;
typedef Vec(Assumption) AssumptionList;

struct Item {
    ItemKind kind;
    Span span;      /* whole item */
    Span name_span; /* for messages */
    Name name;      /* test: its text; import: the last part */
    union {
        struct {
            bool is_export, is_extern;
            Span linkage_span; /* export, extern "C" */
            GenericList generics;
            ParamList params;
            TypeExpr *result;          /* NULL: none */
            Name reduce;               /* kernel: sum prod min max any all count, as in the source, or NULL */
            Span reduce_span;
            BinderList over;           /* kernel: 1 to 3 */
            AssumptionList assumes;    /* kernel */
            Span fast_span;            /* kernel: the word `fast`; hi 0: none */
            Block *body;               /* NULL: extern */
            Func *func;                /* sema: generics: without code */
            ItemList instances;        /* sema: generics: the instances, copies of this item */
            const char *bound;         /* sema: an instance: its types, "T = f32" */
        } fn;                          /* ITEM_FN and ITEM_KERNEL */
        struct {
            GenericList generics;
            FieldList fields;
            bool is_extern; /* a pointer of C; no fields */
            Symbol *sym;    /* sema */
        } struct_;
        struct { TypeExpr *type; Expr *value; Symbol *sym; /* sema */ } const_;
        struct { NameList path; struct Module *module; /* sema: NULL after an error */ } import;
        struct { Block *body; Func *func; /* sema */ } test;
    };
};

typedef struct Module {
    ItemList items;
    Source *source;
    Item *input; /* of an interactive session: its statements, as a function; or NULL */
    /* sema: */
    const char *key, *path, *symbol; /* file; `a.b`, "" for the main module; unique prefix of symbols */
    Vec(Symbol *) symbols;           /* its declarations, after it was checked */
    bool complete;                   /* all its imports are loaded */
    bool is_std;                     /* part of the standard library */
    bool is_submission;                   /* SemaOptions.submission */
    Vec(struct Scopes *) idle_scopes; /* copies of its scope, for checking instances of generics (generic.c) */
    const char *(*type_text)(Compiler *c, const Type *t); /* sema: its type_name, for ast_dump */
} Module;

/* parser.c: parses a source file. Never returns NULL; invalid parts become *_ERROR nodes. Reports errors to c->diags.
 * *incomplete (may be NULL): the text ends inside a construct, so an interactive session should read more. */
Module *parse_source(Compiler *c, Source *s, bool *incomplete);
/* input.c: the same for an input of an interactive session, whose statements become Module.input. */
Module *parse_input(Compiler *c, Source *s, bool *incomplete);
/* True if a bracket is open where the text ends, whatever errors are before; reports malformed tokens again. */
bool input_has_open_bracket(Compiler *c, Source *s);
/* The names that an input declares for later ones, even if it has syntax errors. */
typedef void InputName(void *context, Name name, Span span);
void input_names(Compiler *c, Source *s, InputName *visit, void *context);

/* ast_clone.c: deep copy of a function, kernel or struct that sema has not annotated. */
Item *ast_clone(Compiler *c, const Item *i);
Expr *ast_clone_expr(Compiler *c, const Expr *e);

/* ast_dump.c: appends the tree as canonical source text, with brackets only where precedence needs them. Parsing the
 * text and dumping the tree again yields the same text, which a test checks. types (after sema): each declaration has
 * its type, and implicit conversions are written as calls. */
void ast_dump(Compiler *c, const Module *m, bool types, Buf *out);
void ast_dump_expr(Compiler *c, const Expr *e, Buf *out);

#endif
