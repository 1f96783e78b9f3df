/* check.h -- what the files of this room share among themselves. Nobody outside includes it.
 *
 * Expressions are checked through a slot (`Expr **`), because a check may put an EXPR_CONVERT in the expression's
 * place. Untyped literals keep TY_INT_LITERAL / TY_FLOAT_LITERAL on the way up and are given their type by whoever uses
 * them (coerce, unify, settle). TY_ERROR silences: whoever meets it says nothing and passes it on. */
#ifndef KDSL_CHECK_H
#define KDSL_CHECK_H

#include "sema/sema.h"

enum { N_EFFECTS = 5, MAX_CONST_CHAIN = 200 };

typedef struct CallSite {
    Func *caller, *callee;
    Expr *call;
    bool is_launch;
} CallSite;
typedef Vec(CallSite *) CallSites;

/* Where an effect of a function comes from: its own text, or a call. */
typedef struct EffectSource {
    Span span;
    const char *what; /* "prints", "makes an array" */
    CallSite *via;    /* NULL: its own */
} EffectSource;

/* A local whose type names its extents, to be compared with what it holds. */
typedef struct Declared {
    Symbol *sym;
    Dim dims[MAX_RANK];
    Span span;
} Declared;

/* Constructs of the language that are not built yet: said once per function. */
typedef enum NotBuilt {
    NB_GROUPS = 1, /* by, and with it shared, barrier, inside, .local */
    NB_SHARED = 2,
    NB_BARRIER = 4,
    NB_INSIDE = 8,
    NB_WAIT = 64,
    NB_RESIDENT = 128,
    NB_ASYNC = 256,
    NB_DEVICE = 512,
} NotBuilt;

/* Sema's notes about one function while it is checked and in the passes over the whole program. */
typedef struct FuncFacts {
    CallSites calls, callers;
    EffectSource effect[N_EFFECTS];
    Vec(Symbol *) locals; /* arrays and scalars, in order of declaration */
    Vec(Stmt *) returns;
    Vec(Declared) declared;
    Vec(Expr *) indexed; /* element accesses with a constant index, checked once extents are known */
    Dim result_dims[MAX_RANK];
    bool has_result_dims;
    Span result_span;
    unsigned not_built; /* NotBuilt already reported */
    bool skip;          /* not checked (generic, extern, broken signature): nothing about it can be trusted */
    bool skip_result;   /* its result could not be understood: returns are not judged by it */
    bool has_errors;    /* reported while checking its body: no dataflow over it */
    bool queued;
    int pending; /* kernel.c: callees not yet shown to end */
} FuncFacts;

typedef struct NameEntry NameEntry;
typedef struct Binding {
    Symbol *sym;
    int level;
    NameEntry *entry;
    struct Binding *below; /* what this one hides */
} Binding;
typedef struct Scopes {
    NameEntry **slots;
    uint32_t n, cap;
    Vec(Binding *) live; /* innermost last */
    int level;
} Scopes;

typedef struct Sema {
    Compiler *c;
    Arena *arena;
    Program *program;
    Types *types;
    Scopes scopes;
    Func *func;       /* being checked; NULL outside */
    FuncFacts *facts; /* of func */
    Block *block;     /* innermost: it frees the arrays declared in it */
    int loop_depth, const_chain, struct_chain;
    const BuiltInModule *stdlib;
    Module *own_file; /* the program's; program->module is the one being checked */
    Vec(Module *) modules, in_order; /* as found; each after those it imports */
    Vec(Item *) importing;           /* imports being followed */
    int first_func;                  /* of the module being checked, in program->funcs */
    Name underscore, at, main, inside;
    Name builtin_name[BUILTIN__COUNT];
    Type *error, *nothing, *boolean, *i32, *i64, *u64, *index, *f32, *f64, *str, *int_literal, *float_literal;
} Sema;

/* type.c */
int float_mantissa_bits(const Type *t);

/* const.c: values without diagnostics */
Const const_int(int64_t v);
Const const_float(double v);
Const const_bool(bool v);
int64_t int_wrap(int64_t v, const Type *t);
bool const_fits(Const v, const Type *from, const Type *to); /* the same value exists in `to` */
Const const_convert(Const v, const Type *from, const Type *to);
const char *const_text(Sema *s, Const v, const Type *t);

/* fold.c: values of operators, with diagnostics */
void fold_unary(Sema *s, Expr *e);
void fold_binary(Sema *s, Expr *e);
void fold_builtin(Sema *s, Expr *e, BuiltinId id);
bool check_divisor(Sema *s, Op op, const Type *t, Expr *rhs); /* constant zero or too wide shift; false: reported */

/* coerce.c: giving expressions the type their context wants */
bool is_bad(const Type *t);
Type *settle(Sema *s, Expr **slot);                           /* a literal takes its default type */
bool coerce(Sema *s, Expr **slot, Type *to, const char *why); /* why: NULL or "`x` is declared `f32`" */
Type *unify(Sema *s, Expr **a, Expr **b, Span at, const char *what);
bool to_index(Sema *s, Expr **slot, const char *what);
Expr *convert_new(Sema *s, Expr *operand, Type *to);
void retype(Sema *s, Expr *e, Type *to);

/* scope.c */
void scope_enter(Sema *s);
void scope_leave(Sema *s);
Symbol *scope_find(Sema *s, Name name);
void scope_clear(Sema *s); /* the outermost scope, too */
bool scope_add(Sema *s, Symbol *sym);   /* reports a duplicate */
void scope_again(Sema *s, Symbol *sym); /* the same, silently: it has been reported */
Symbol *symbol_new(Sema *s, SymbolKind kind, Name name, Span span, Type *type);
typedef enum NameClass { NAMES_VALUES = 1, NAMES_FUNCTIONS = 2, NAMES_TYPES = 4 } NameClass;
const char *type_of_other_language(Name name); /* "int": "i32"; NULL: none */
const char *nearest_name(Sema *s, Name name, unsigned classes); /* NULL: nothing close */
const char *symbol_what(const Symbol *sym);                     /* "a parameter", "a kernel" */

/* report.c: what several checks say */
Type *not_built(Sema *s, NotBuilt what, Span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
const char *source_text(Sema *s, Span span);
const char *quoted_type(Sema *s, const Type *t); /* "`f32`", "an integer", "a float" */
void fix_convert(Sema *s, Diag *d, Expr *e, const Type *to);
void fix_insert(Sema *s, Diag *d, uint32_t offset, const char *text, const char *message);
void note_declared(Sema *s, Diag *d, const Symbol *sym);
Type *bad(Sema *s, Expr *e); /* e->type = error */

/* builtin.c */
typedef enum BuiltinArgs {
    ARGS_FLOAT,
    ARGS_NUMBER,
    ARGS_INTEGER,
    ARGS_BOOL,
    ARGS_ANY,
    ARGS_ARRAY,
    ARGS_STR,
    ARGS_SPECIAL
} BuiltinArgs;
typedef enum BuiltinResult {
    RESULT_SAME,
    RESULT_INDEX,
    RESULT_BOOL,
    RESULT_F64,
    RESULT_STR,
    RESULT_VOID,
    RESULT_SPECIAL
} BuiltinResult;
typedef struct BuiltinRow {
    const char *name;
    int n_args;
    BuiltinArgs args;
    BuiltinResult result;
    bool host_only, elementwise; /* elementwise: also of vectors, part by part */
} BuiltinRow;
extern const BuiltinRow builtin_rows[BUILTIN__COUNT];
BuiltinId builtin_find(Sema *s, Name name);
Type *check_builtin(Sema *s, Expr *e, BuiltinId id);
Type *check_method(Sema *s, Expr *e);

/* format.c: args are the values after the format string */
FormatPlan *check_format(Sema *s, Expr *format, Arg *args, int n_args);

/* check_decl.c */
void declare_items(Sema *s);
void check_const_item(Sema *s, Item *item);
Type *local_type(Sema *s, TypeExpr *te, Dim dims[MAX_RANK]);
void check_signatures(Sema *s);
void check_bodies(Sema *s);
Type *scalar_type(Sema *s, TypeExpr *te);

/* border.c: what is called from outside, or calls outside */
void declare_test(Sema *s, Item *item);
void check_extern(Sema *s, Func *f);
void check_export(Sema *s, Func *f);
void keep_tests(Sema *s, bool run); /* after all checks: the tests leave the program unless they are to run */

/* module.c */
bool modules_load(Sema *s, Module *own_file); /* into s->in_order; false: errors were reported */
void declare_import(Sema *s, Item *item);
void module_leave(Sema *s);
bool module_member(Sema *s, Expr *e); /* e was `module.name`, and is now a name or, after an error, EXPR_ERROR */
Symbol *scope_find_qualified(Sema *s, Name name);
void keep_reached(Sema *s);

/* check_stmt.c */
void check_block(Sema *s, Block *b);
bool check_binder(Sema *s, Binder *b, Type **type);

/* check_assign.c */
void check_let(Sema *s, Stmt *st);
void check_assign(Sema *s, Stmt *st);
void check_owned(Sema *s, Expr **slot, Type *want, const char *why); /* where an array may be made or moved */
typedef enum WriteKind { WRITE_VALUE, WRITE_ELEMENT, WRITE_WHOLE, WRITE_PASS } WriteKind;
bool check_writable(Sema *s, Symbol *sym, Span at, WriteKind how);

/* check_expr.c */
Type *check_expr(Sema *s, Expr **slot);   /* may yield a literal type, void or an array */
Type *check_scalar(Sema *s, Expr **slot); /* not void, not an array */
bool check_value(Sema *s, Expr **slot, Type *want, const char *why);
void check_condition(Sema *s, Expr **slot);
Type *check_array_name(Sema *s, Expr *e, const char *what); /* a plain name of an array */
Type *check_measured(Sema *s, Expr *e, const char *what);   /* that, or a call whose result is one */

/* atomic.c */
Type *check_atomic(Sema *s, Expr *e);

/* check_struct.c */
void declare_struct(Sema *s, Item *item);
Type *struct_need(Sema *s, Symbol *sym, Span use);
Type *check_build_struct(Sema *s, Expr *e, Symbol *sym);
Type *check_struct_field(Sema *s, Expr *e, Type *t);

/* check_vector.c */
Type *check_build_vector(Sema *s, Expr *e, Type *to);
Type *check_vector_part(Sema *s, Expr *e, Type *t);
bool vector_unknown(Sema *s, Name name, Span at);
void broadcast(Sema *s, Expr **slot, Type *vector);
Type *vector_among(ArgList *args); /* NULL: none */
Type *check_vector_builtin(Sema *s, Expr *e, BuiltinId id);

/* slice.c */
Type *check_slice(Sema *s, Expr *e);    /* in arguments: its type is that of an array */
Type *slice_as_value(Sema *s, Expr *e); /* anywhere else: reports */
bool slices_disjoint(const Expr *a, const Expr *b);

/* check_array.c */
Type *check_array_literal(Sema *s, Expr *e, Type *want_elem);

/* check_call.c */
Type *check_call(Sema *s, Expr *e);
Type *check_offload(Sema *s, Expr *e);
bool check_reference(Sema *s, Arg *arg, RefMode mode); /* &a as mode; the value is then a checked name */

/* kernel.c */
void check_domain(Sema *s, Func *f);
void check_kernel_result(Sema *s, Func *f);
void kernels_check(Sema *s); /* after effects: what kernels reach */

/* effects.c */
void effect_add(Sema *s, Effect effect, Span span, const char *what);
void call_site_add(Sema *s, Func *callee, Expr *call, bool is_launch);
void effects_spread(Sema *s);

/* shape.c: after all bodies */
Dim dim_of(Expr *e);
void shapes_check(Sema *s);

/* assign.c, transfer.c, warn.c: one function at a time, after all bodies */
void assign_check(Sema *s, Func *f);
void transfer_infer(Sema *s, Func *f);
void warn_unused(Sema *s, Func *f);

/* access.c: after transfers; which checks code for devices needs */
void access_check(Sema *s, Func *f);
void access_spread(Sema *s); /* may_fail, from callees to callers */

/* walk.c */
typedef bool (*ExprTest)(Expr *e, void *context);
Expr *expr_find(Expr *e, ExprTest test, void *context); /* first sub-expression for which test holds, itself included */

#endif
