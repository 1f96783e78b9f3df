/* ast.h -- the tree. Built by the grammar's actions through the ast_* constructors (ast.c), annotated in place by
 * sema, walked by irgen. Plain tagged unions, all in the compilation's arena. Each field says who writes it;
 * fields without a remark are the parser's. Switches over kinds have no `default:`, so -Wswitch finds omissions. */
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

/* Trees deeper than this are refused by the constructors (E0203), so every later walk may recurse. */
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
/* How the first operand may stand to the second. A NaN is in none of these orders, only unequal. */
typedef enum OpOrder { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_ALL = 7 } OpOrder;
typedef struct OpInfo {
    const char *name, *spelling;
    int precedence, arity;
    OpKind kind;
    bool can_fail;   /* of integers, for some second operands */
    unsigned orders; /* OPK_COMPARE: a set of OpOrder: where it is true */
} OpInfo;
extern const OpInfo op_info[OP__COUNT];
/* The second operand counts bits: it may be of another integer type than the first. */
static inline bool op_counts(Op op) { return op_info[op].kind == OPK_SHIFT || op_info[op].kind == OPK_ROTATE; }

/* Which operand of a sum or difference is a product that is rounded with it, once (sema/fuse.c). */
typedef enum Fused { FUSED_NONE, FUSED_LEFT, FUSED_RIGHT } Fused;

/* A value known at compile time. Integers are kept in 64 bits, two's complement, wrapped to the type. */
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
} Range;

/* Where host code asks, before it reads or writes an array, whether the newest copy is on a device. SYNC_PEEK: an
 * element or a slice is read, and only that needs to come. SYNC_POKE: it is written, and only that needs to go;
 * SYNC_UPDATE: read and written. SYNC_FILL: all of it gets new values, what it held is not needed. SYNC_DEVICE: where
 * a resident block begins, it is brought there. */
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
    bool known; /* sema: made by it, and `type` is what it means */
    union {
        struct { Name name; TypeExprList args; } name;        /* f32, Pair<f32> */
        struct { TypeExpr *elem; ExprList extents; } array;   /* [T; n, m]; `_` is EXPR_NAME "_" */
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
    EXPR_ATOMIC,    /* atomic h[b] += 1, = 1, = 1 if == 0 as a value: the old one */
    EXPR_CONVERT,   /* sema: an implicit, exact conversion of `convert.operand` to `type` */
    EXPR__COUNT
} ExprKind;

struct Expr {
    ExprKind kind;
    uint32_t depth; /* 1 + deepest child */
    Span span;
    Type *type; /* sema: NULL before, never NULL after (TY_ERROR when unknown) */
    Const konst; /* sema: CONST_NONE unless the value is known at compile time */
    Sync sync;   /* sema, EXPR_NAME of an array, EXPR_CALL that has made one: asked when it is reached */
    bool more;   /* sema, SYNC_PEEK, SYNC_UPDATE: other parts of it are likely to be read soon */
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
            int site; /* sema, for devices: number of the check kept (Program.sites), 0 none, -1 shown needless */
            Fused fused; /* sema */
            bool exact;  /* sema, of integers: shown not to wrap */
        } binary;
        struct {
            Expr *callee;
            ArgList args;
            CallInfo *info; /* sema */
            Type *wanted;   /* sema: what the place of the call asks for, or NULL: generics take their types from it */
            bool fused;     /* sema: of dot, cross, length: products in it are rounded with the sums they go into */
        } call;
        struct {
            Expr *base;
            ExprList at;
            unsigned proven; /* sema: bit d: index d is inside */
            int site;        /* sema: as above, for those that are not proven */
            unsigned early;  /* sema: bit d: on devices the loop around has looked at index d; see LoopCheck */
        } index;
        struct {
            Expr *base;
            Name name;
            Span name_span;
            int n_at;   /* sema: 1 for a field or one part of a vector; 2 to 4 for `v.xy` */
            int at[4];  /* sema: which */
        } field;
        struct { Expr *cond, *then_, *else_; } if_;
        struct { Expr *value; ExprList extents; } fill;
        struct { Expr *value; BinderList binders; SyncList syncs; /* sema: before it, if it has elements */ } comprehend;
        struct { ExprList items; } list;
        struct { Range range; } range;
        struct { bool async; Expr *device; Expr *call; struct LaunchPlan *plan; /* sema */ } offload;
        struct {
            Expr *target;
            Op op; /* OP_NONE: plain =, an exchange */
            bool is_min, is_max;
            Span op_span;
            Expr *value;
            Expr *was;      /* `= value if == was`: compare-and-swap; or NULL */
            bool drops_old; /* a statement */
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
    Vec(Symbol *) drops; /* sema: owning arrays declared here, freed in reverse order when the block is left */
} Block;

struct Stmt {
    StmtKind kind;
    uint32_t depth;
    Span span;
    bool together; /* sema, kernels in groups: holds a barrier, or a jump that a group makes as one: all its items
                    * meet */
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
            bool fused; /* sema: `value` is a product that is rounded with the sum, once */
        } assign;
        struct { Expr *atomic; } atomic; /* an EXPR_ATOMIC whose value is dropped */
        struct {
            Expr *expr;
            bool is_shown;  /* its value is the result of an input of a session */
            ExprList reads; /* sema, is_shown: names of the arrays that are looked at where they are */
        } expr;
        struct { Expr *cond; Block *then_; Stmt *else_; } if_; /* else_: STMT_BLOCK, STMT_IF or NULL */
        struct {
            Binder binder;
            Block *body;
            const struct LoopChecks *checks; /* sema, for devices */
            SyncList syncs;                  /* sema: before the first turn */
        } for_;
        struct { Expr *cond; Block *body; bool calls; /* sema: a round calls functions */ } while_;
        struct { Expr *value; } return_; /* NULL: no value */
        struct { Expr *cond; Expr *format; ArgList args; FormatPlan *plan; int site; /* sema */ } assert_; /* format: NULL, STR */
        struct { Block *block; SyncList enter; /* sema, STMT_RESIDENT */ } block;
        struct { Name name; Span name_span; TypeExpr *type; Symbol *sym; /* sema */ } shared;
    };
};

typedef struct Param {
    Name name;
    Span span; /* of the name */
    TypeExpr *type;
    Symbol *sym; /* sema */
    Symbol *owner; /* sema: it stands for field number `field` of this parameter (sema/own.c) */
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

struct Item {
    ItemKind kind;
    Span span;      /* whole item */
    Span name_span; /* for messages about it */
    Name name;      /* test: its text; import: the last part */
    union {
        struct {
            bool is_export, is_extern;
            Span linkage_span; /* export, extern "C" */
            GenericList generics;
            ParamList params;
            TypeExpr *result;          /* NULL: none */
            Name reduce;               /* kernel: sum prod min max any all count, as written, or NULL */
            Span reduce_span;
            BinderList over;           /* kernel: 1 to 3 */
            Block *body;               /* NULL: extern */
            Func *func;                /* sema: of generics none that makes code */
            ItemList instances;        /* sema: generics: a copy of this item for each set of types */
            const char *bound;         /* sema: such a copy: "T = f32" */
        } fn;                          /* ITEM_FN and ITEM_KERNEL */
        struct { GenericList generics; FieldList fields; Symbol *sym; /* sema */ } struct_;
        struct { TypeExpr *type; Expr *value; Symbol *sym; /* sema */ } const_;
        struct { NameList path; struct Module *module; /* sema: NULL where it failed */ } import;
        struct { Block *body; Func *func; /* sema */ } test;
    };
};

typedef struct Module {
    ItemList items;
    Source *source;
    Item *input; /* of an interactive session: its statements, as a function without a name; or NULL */
    /* sema: */
    const char *key, *path, *symbol; /* the file; `a.b`, "" for the program's own; the same, unique in the program */
    Vec(Symbol *) symbols;           /* what it declares, once it is checked */
    bool complete;                   /* all it imports is loaded */
    bool is_std;                     /* part of the standard library */
    Vec(struct Scopes *) idle_scopes; /* copies of its names, to check instances of its generics among (generic.c) */
    const char *(*type_text)(Compiler *c, const Type *t); /* sema: its type_name, for ast_dump */
} Module;

/* parser.c: lex and parse one source. Never NULL; broken parts are *_ERROR nodes. Reports to c->diags.
 * *incomplete (may be NULL) says the text ended in the middle of something, so a REPL should ask for more. */
Module *parse_source(Compiler *c, Source *s, bool *incomplete);
/* input.c: the same of one input of an interactive session, whose statements become Module.input. */
Module *parse_input(Compiler *c, Source *s, bool *incomplete);

/* ast_clone.c: a copy of a function, kernel or struct that nothing has checked yet, sharing no part of the tree. */
Item *ast_clone(Compiler *c, const Item *i);
Expr *ast_clone_expr(Compiler *c, const Expr *e);

/* ast_dump.c: canonical source text of the tree, one way to write each thing, every binary operation in brackets
 * where precedence needs them; parsing it again gives the same dump (a test holds that). With `types` (after sema) each
 * declaration carries its type and each implicit conversion is written out. */
void ast_dump(Compiler *c, const Module *m, bool types, Buf *out);
void ast_dump_expr(Compiler *c, const Expr *e, Buf *out);

#endif
