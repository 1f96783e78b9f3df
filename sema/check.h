/* check.h -- what the files of this room share among themselves. Nobody outside includes it.
 *
 * Expressions are checked through a slot (`Expr **`), because a check may put an EXPR_CONVERT in the expression's
 * place. Untyped literals keep TY_INT_LITERAL / TY_FLOAT_LITERAL on the way up and are given their type by whoever uses
 * them (coerce, unify, settle). TY_ERROR silences: whoever meets it says nothing and passes it on. */
#ifndef KDSL_CHECK_H
#define KDSL_CHECK_H

#include "sema/arith.h"
#include "sema/sema.h"

enum { N_EFFECTS = 7, MAX_CONST_CHAIN = 200 };

/* Beside E0503, of arrays in kernels. */
#define KERNEL_ARRAYS                                                                                                  \
    "arrays in kernels have constant extents; for others, pass an array of the host, or use `&scratch`"

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
    const char *copy; /* of EFFECT_HEAP: what a kernel can have instead of the expression, a copy; or NULL */
} EffectSource;

/* A local variable whose type has extents, which are compared with those of its value. */
typedef struct Declared {
    Symbol *sym;
    Dim dims[MAX_RANK];
    Span span;
} Declared;

/* An array that initialises a field must have the extents of the field; checked once extents are known. */
typedef struct Promise {
    Expr *value;
    Dim dims[MAX_RANK];
    Span span;
    const char *what;
} Promise;

/* `to` has the extents of `from`, if `from` keeps them (fixed.c). */
typedef struct FixedUse {
    Symbol *to, *from;
} FixedUse;

/* column.c: the parameter of an instance with the number of a column of `array`: its index in dimension `dim`. */
typedef struct ColumnNumber {
    Name name, array;
    int dim;
    Span span;
} ColumnNumber;
typedef Vec(ColumnNumber) ColumnNumbers;

/* A generic declaration: only its instances are checked. */
typedef struct Instance Instance;
typedef struct Template {
    const Item *item; /* as parsed */
    const GenericList *params;
    int n_keys;  /* type parameters; after them, of a function, one for each parameter: any_rank_key */
    Module *module;
    Symbol *sym;
    Vec(Instance *) instances;
    bool has_errors; /* in the body of an instance: the same ones elsewhere are not repeated */
} Template;

/* An instance of it, for one set of types, and of the parameters that take columns. */
struct Instance {
    Template *of;
    Type **args;      /* one per key of the template */
    const unsigned *columns; /* functions: by parameter, the dimensions that have a number; NULL: no columns */
    ColumnNumbers numbers;
    const char *text; /* "clamp<f32>", interned */
    Func *func;       /* functions and kernels */
    Symbol *sym;      /* structs */
    Span at;          /* where it is first used; {0, 0}: nowhere, see generics_check_unused */
    const Instance *made_in; /* in whose text that is, or NULL */
    int depth;               /* how many of those there are outward */
};

/* A parameter of a caller that is passed on to a callee: it has the uses of the parameter of the callee that are in
 * mask. */
typedef struct UseEdge {
    const Func *func;
    int param;
    unsigned mask;
} UseEdge;
typedef Vec(UseEdge) UseEdges;

/* Sema's notes about one function while it is checked and in the passes over the whole program. */
/* An `&out` of a kernel of which not every element is seen to be written, and how many launches, as far as they are
 * planned, write it whole together with others (together.c). */
typedef struct PartlyWritten {
    bool is_partly;
    const char *left_out; /* an example of an element; or NULL */
    int n_launches, n_together;
} PartlyWritten;

/* Is every element of a kernel's parameter written? (whole.c) */
typedef struct Wholeness {
    bool is_known, is_whole;
    const char *writer;   /* the function that is called to write it; NULL: the kernel itself */
    const char *left_out; /* not whole: an element in words, "`y[0]` may not be written", or NULL */
} Wholeness;

/* A `let` or `var` with the name of a variable of an outer block. */
typedef struct Hidden {
    const Stmt *by;
    Symbol *outer;
} Hidden;

/* A local array gets a new value: this one, or that of another local array. */
typedef struct Redefinition {
    Symbol *sym, *other;
    Expr *value;
} Redefinition;

typedef struct FuncFacts {
    CallSites calls, callers;
    EffectSource effect[N_EFFECTS];
    Vec(Symbol *) locals; /* arrays and scalars, in order of declaration */
    Vec(Stmt *) returns;
    Vec(Hidden) hidden;
    Vec(Symbol *) copied; /* warn.c: arrays whose elements are changed only in a copy */
    Vec(Declared) declared;
    Vec(Expr *) indexed; /* element accesses with a constant index, checked once extents are known */
    Vec(Redefinition) redefined;
    Dim result_dims[MAX_RANK];
    bool has_result_dims;
    Span result_span;
    bool skip;          /* not checked (generic, extern, broken signature): nothing about it can be trusted */
    bool skip_result;   /* its result could not be understood: returns are not judged by it */
    bool has_errors;    /* reported while checking its body: no dataflow over it */
    const Instance *instance; /* it was made of a generic one */
    const Item *as_parsed;    /* column.c: a function with arrays that is not generic */
    Template *columns_of;     /* the same: of its instances for columns; NULL: there are none yet */
    bool queued;
    bool accessed;          /* access_check has been here */
    Vec(Atom) atoms;        /* of the sums in Func.accesses */
    struct Launched *launched; /* launched.c: kernels */
    struct LaunchValues *values; /* launch_values.c: kernels; NULL: no launch was found */
    struct ArrayFlow *flow; /* flow.h: NULL: it has no body */
    PartlyWritten *parts;   /* transfer.c: kernels: by parameter; NULL: none is written in part */
    Wholeness *whole;           /* whole.c: kernels: by parameter; NULL: of none yet */
    unsigned *uses;         /* uses.c: Use bits, by parameter */
    UseEdges *used_by;      /* the same: the callers to which they are propagated, by parameter */
    int pending; /* kernel.c: callees not yet shown to end */
    int64_t fixed_bytes; /* of the arrays that may live in its frame (fixed.c) */
    Vec(FixedUse) fixed_uses;
    Vec(FixedUse) fixed_counters; /* to: the variable of a loop; from: an array that it indexes */
    Vec(Promise) promises;
    enum { MEETS_UNKNOWN, MEETS_NO, MEETS_YES } meets; /* a function with barriers (group_inline.c) */
    const Item *unchecked; /* its text, for group_inline.c; NULL: not needed, or not checked yet */
    bool checked;          /* check_body has been here */
    CallSites inlined;     /* kernels: calls of functions with barriers, which are no calls any more */
    Vec(Symbol *) owners; /* parameters that own arrays; `params` has their fields */
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

/* The functions with barriers whose bodies are being inlined, innermost first. */
typedef struct Inlining {
    const Func *callee;
    struct Inlining *outer;
} Inlining;

/* A kernel uses a variable of a host function: host_names.c. */
typedef struct HostName {
    Diag *diag;
    const Func *kernel;
    const Stmt *declared;
} HostName;

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
    Vec(Template *) templates;
    const Instance *making; /* the generic struct being laid out */
    int n_instances;
    bool launches_missed;       /* launch_values.c has not walked through all of the program */
    unsigned long races_spent;  /* operations of isl, by the race analysis of all kernels */
    bool functions_meet;        /* a function has a barrier or `shared` arrays */
    Inlining *inlining;
    const Expr *inlined;        /* the call that is checked in order to be inlined, or NULL */
    bool instances_end;     /* there were too many */
    const Expr *given;    /* the array whose elements are copied into a field (fixed.c) */
    const Expr *at_index; /* the index being checked, or NULL */
    const Expr *made_for; /* the array being made has a variable to live in, which says where (fixed.c) */
    const BuiltInModule *stdlib;
    const SemaOptions *options; /* or NULL */
    Module *own_file; /* the program's; program->module is the one being checked */
    Vec(Module *) modules, in_order; /* as found; each after those it imports */
    Vec(Item *) importing;           /* imports being followed */
    int first_func;                  /* of the module being checked, in program->funcs */
    Vec(HostName) host_names;        /* of the module being checked */
    Vec(const Diag *) holes;         /* syntax errors: holes.c */
    bool strict;                     /* as SemaOptions */
    bool is_host_asked, host_fuses;  /* SemaOptions.host_fuses: called only if the result matters, because it is slow */
    Name underscore, at, main, inside;
    Name builtin_name[BUILTIN__COUNT];
    Type *error, *nothing, *boolean, *i32, *i64, *u64, *index, *f32, *f64, *str, *int_literal, *float_literal;
} Sema;

/* type.c */
int float_mantissa_bits(const Type *t);

/* const.c: values without diagnostics; more of them in sema/arith.h */
bool const_fits(Const v, const Type *from, const Type *to); /* the same value exists in `to` */
const char *const_text(Sema *s, Const v, const Type *t);

/* const_array.c: array constants */
bool const_item_is_array(const Item *item);
void const_array_check(Sema *s, Item *item);
void const_array_not_written(Sema *s, const Expr *e); /* `const a = b;` */
/* What stands for the constant here, by the name that is used; another symbol itself. */
Symbol *const_array_local(Sema *s, Symbol *sym, Name name);
bool const_array_index(Sema *s, Expr *e); /* the value of an element whose indices are known; false: it is outside */
/* The elements that an access may read, if they are integers; NULL: nothing is known. */
const ConstArray *const_array_of(const Expr *element);
void const_array_advise(Sema *s, Diag *d, Span at); /* where an element is not known */
void const_array_measure(Expr *call, const Expr *array, int dim); /* of `len`, dim -1, and `shape` */
void const_array_refuse(Sema *s, const Symbol *sym, Span at, const char *what); /* "assigned", "moved" */

/* fold.c: values of operators, with diagnostics */
void fold_unary(Sema *s, Expr *e);
void fold_binary(Sema *s, Expr *e);
void fold_builtin(Expr *e);
bool check_divisor(Sema *s, Op op, const Type *t, Expr *rhs); /* constant zero or too wide shift; false: reported */

/* fuse.c: contraction to fused multiply-add */
Fused fuse_operand(const Expr *e);               /* of an EXPR_BINARY; whatever --fp says */
Fused fuse_constant(Sema *s, const Expr *e);     /* of one whose operands are known */
bool fuse_update(const Sema *s, const Stmt *st); /* of a STMT_ASSIGN */
void fuse_mark(Sema *s, Func *f);                /* the expressions of its body */

/* coerce.c: expressions get the type that their context needs */
bool is_bad(const Type *t);
Type *settle(Sema *s, Expr **slot);                           /* a literal takes its default type */
bool coerce(Sema *s, Expr **slot, Type *to, const char *why); /* why: NULL or "`x` is declared `f32`" */
Type *unify(Sema *s, Expr **a, Expr **b, Span at, const char *what);
bool to_index(Sema *s, Expr **slot, const char *what);
bool check_as_index(Sema *s, Expr **slot, const char *what); /* checks the expression before */
Expr *convert_new(Sema *s, Expr *operand, Type *to);
void retype(Sema *s, Expr *e, Type *to);

/* scope.c */
void scope_enter(Sema *s);
void scope_leave(Sema *s);
Symbol *scope_find(Sema *s, Name name);
Symbol *scope_hides(Sema *s, Name name); /* what a declaration of this name hides; it is not used by that */
const Symbol *scope_ended(Sema *s, Name name); /* a local of this function, out of scope; NULL: none */
void scope_clear(Sema *s); /* the outermost scope, too */
bool scope_add(Sema *s, Symbol *sym);   /* reports a duplicate */
void scope_add_as(Sema *s, Name name, Symbol *sym); /* under another name; hides what has it */
void scope_again(Sema *s, Symbol *sym); /* the same, silently: it has been reported */
Symbol *symbol_new(Sema *s, SymbolKind kind, Name name, Span span, Type *type);
typedef enum NameClass { NAMES_VALUES = 1, NAMES_FUNCTIONS = 2, NAMES_TYPES = 4 } NameClass;
const char *nearest_name(Sema *s, Name name, unsigned classes); /* NULL: nothing close */
const char *symbol_what(const Symbol *sym);                     /* "a parameter", "a kernel" */

void suspect_check(Sema *s, Func *f); /* suspect.c: races and out-of-bounds accesses of all work items */

/* holes.c: a text with syntax errors */
void holes_find(Sema *s, const Module *m);
bool holes_in_body(const Sema *s, const Item *item);     /* the item has one */
bool holes_hide(const Sema *s, const Item *item);        /* nothing about its name can be trusted */
bool holes_may_declare(Sema *s, Name name);
bool holes_mention(Sema *s, Name name); /* the same, but no declaration whose name is lost */

/* foreign.c: suggestions for a name that is not declared; notes and fixes for `d` */
const char *type_of_other_language(Name name); /* "int": "i32"; NULL: none */
/* host_names.c: the variable exists; the note comes with host_names_explain, at the end of the module. */
bool host_names_find(Sema *s, Diag *d, Name name);
void host_names_explain(Sema *s);
void explain_unknown(Sema *s, Diag *d, Span span, Name name, const Expr *call); /* call: what calls it; or NULL */
const char *foreign_advice(Name name);   /* what replaces a name of another language; NULL: nothing is known */
const char *foreign_function(Name name); /* the function of KDSL that has this name elsewhere; NULL: none */
void explain_array_member(Sema *s, Diag *d, Expr *field, Span whole); /* whole: `x.len`, or the call `x.len()` */

void explain_method(Sema *s, Diag *d, Expr *call); /* p.norm() */

/* meant.c: what a wrong expression was meant to be; false: not known, and nothing was reported */
Diag *say_missing(Sema *s, Expr *call, const Func *f);           /* E0311: too few arguments, which have types */
bool arguments_exchanged(Sema *s, Expr *call, const Func *f);    /* E0401 */
bool fix_foreign_call(Sema *s, Diag *d, const Expr *call, Name name, const char *ours);
bool range_called(Sema *s, Expr *e);                             /* E0301: range(n) of Python */
bool foreign_path(Sema *s, Expr *call);                          /* E0301: System.out.println(x) */
bool fix_joined(Sema *s, Diag *d, Expr *e);                      /* "a" + b */
bool fix_compared(Sema *s, Diag *d, const Expr *e);              /* p == q of structs */
bool fix_dotted(Sema *s, Diag *d, const Expr *field);            /* a .and. b */
const char *argument_text(Sema *s, const Expr *e); /* the text in the source, without parentheses around all of it */
void explain_elements(Sema *s, Diag *d, const Symbol *array, const Type *want); /* E0304: elements of another type */
bool indices_apart(Sema *s, Expr *e);                            /* E0316: m[1][2] */

void endless_check(Sema *s, Func *f); /* endless.c: loops and recursion without end */

void launch_bounds_check(Sema *s, Func *f); /* launch_bounds.c: indices that the program's launches put out of bounds */
void past_end_check(Sema *s, Func *f); /* past_end.c: what work items past the end of a domain in groups do */

void unwritten_find(Sema *s, Func *f); /* unwritten.c: sets Expr.index.is_unwritten, after access_check */
/* races/races.c: data races of a kernel. Only races_tell reports them, and changes the syntax tree meanwhile, to see
 * what would cure one. */
void races_find(Sema *s, Func *f);
bool races_are_error(const Sema *s, const Func *f); /* of those found, some for certain */
void races_tell(Sema *s, Func *f);
/* races/update.c: "c[0] += 1" of `c[0] = c[0] + 1`; NULL: the value does not update the target as an atomic one can */
const char *races_as_update(Sema *s, const Expr *target, const Expr *value);

/* report.c: what several checks say */
const char *source_text(Sema *s, Span span);
const char *source_brief(Sema *s, Span span); /* values.c: the same, cut after 20 bytes if it is long */
const char *quoted_type(Sema *s, const Type *t); /* "`f32`", "an integer", "a float" */
void fix_convert(Sema *s, Diag *d, Expr *e, const Type *to);
void fix_quotient(Sema *s, Diag *d, Expr *e, const Type *to); /* of integers, which is to be one of floats */
void fix_insert(Sema *s, Diag *d, uint32_t offset, const char *text, const char *message);
void note_declared(Sema *s, Diag *d, const Symbol *sym);
Type *bad(Sema *s, Expr *e); /* e->type = error */

/* builtin.c */
typedef enum BuiltinArgs { ARGS_CHECK, ARGS_FLOAT, ARGS_FLOATS, ARGS_NUMBERS, ARGS_INTEGERS } BuiltinArgs;
typedef enum BuiltinResult { RESULT_CHECKED, RESULT_SAME, RESULT_BOOL } BuiltinResult;
typedef struct BuiltinRow {
    const char *name;
    int n_args;
    BuiltinArgs args;
    Type *(*check)(Sema *s, Expr *e); /* ARGS_CHECK: of the arguments; returns the type of the result */
    BuiltinResult result;             /* RESULT_CHECKED: by `check` */
    bool host_only;
    Effect effect;                    /* on the caller, which is then said to do `what`; 0: none */
    const char *what;
} BuiltinRow;
extern const BuiltinRow builtin_rows[BUILTIN__COUNT];
BuiltinId builtin_find(Sema *s, Name name);
Type *check_builtin(Sema *s, Expr *e, BuiltinId id);
Type *check_method(Sema *s, Expr *e);

/* format.c: args are the values after the format string */
FormatPlan *check_format(Sema *s, Expr *format, Arg *args, int n_args);
void check_missing_format(Sema *s, Expr *call); /* print(x): reports it */

/* shown.c: whole arrays and structs among the values of a format */
Type *shown_check(Sema *s, Expr **slot);     /* the type of a value, which may be a slice or an array without a name */
bool shown_is_whole(const Type *t);          /* an array or struct: then shown_pass replaces the value by its text */
void shown_pass(Sema *s, Expr **slot);
bool shown_has_float(const Type *t);         /* among the numbers of the value */
bool shown_has_int(const Type *t);
extern const char shown_array_words[], shown_struct_words[]; /* what a function does that prints one */
void shown_lines(Sema *s, FormatPlan *plan, const Arg *args, int n_args); /* line ends around tables */

/* check_decl.c */
void declare_items(Sema *s);
void check_const_item(Sema *s, Item *item);
Type *local_type(Sema *s, TypeExpr *te, Dim dims[MAX_RANK]);
void check_signatures(Sema *s);
void check_signature(Sema *s, Func *f);
Func *func_new(Sema *s, Item *item, Module *m);
void check_bodies(Sema *s);
void check_body(Sema *s, Func *f); /* once */
Type *scalar_type(Sema *s, TypeExpr *te);

/* generic.c */
typedef struct Elsewhere { /* what is saved while a generic is checked in the scope of another module */
    Scopes scopes;
    Func *func;
    FuncFacts *facts;
    Block *block;
    int loop_depth;
    Module *module;
    Scopes *lent;
} Elsewhere;
Elsewhere elsewhere_enter(Sema *s, Module *m);
void elsewhere_leave(Sema *s, Elsewhere here);
Elsewhere instance_enter(Sema *s, const Instance *inst); /* nothing happens for NULL */
void instance_leave(Sema *s, const Instance *inst, Elsewhere here);
enum { ALL_STEPS = 6 };
void instance_notes(Sema *s, const Instance *inst, int since, int max_steps); /* since: diags.list.n before */
bool type_mentions(const TypeExpr *te, Name name);
void generic_declare(Sema *s, Symbol *sym, const GenericList *params);
bool constraint_allows(const Generic *g, const Type *t);
/* A parameter `[T; ..]`, and a function that has one. The key of an instance: an array type with the rank of the
 * argument (of none: 1); NULL: the parameter is declared with a rank. */
bool is_any_rank(const TypeExpr *te);
bool has_any_rank(const Item *item);
bool refuse_any_rank(Sema *s, const TypeExpr *te); /* check_decl.c: reports a type that no parameter has */
Type *any_rank_key(Sema *s, const Param *p, const Type *argument);
const char *constraint_what(const Generic *g);
bool is_workspace(const TypeExpr *te); /* &scratch */
/* columns: see Instance. NULL: reported */
Func *instance_func(Sema *s, Template *t, Type **args, const unsigned *columns, Span use);
Symbol *instance_struct(Sema *s, Template *t, Type **args, Span use); /* NULL: reported */
void generics_check_unused(Sema *s);

void wrong_mode(Sema *s, Arg *arg, RefMode mode); /* check_call.c: reports an argument with another mode */
const char *signature_text(Sema *s, const Item *item); /* `f(x: &[f32; n]) -> f32` */

/* column.c */
void columns_keep(Sema *s, Func *f); /* before anything of it is checked */
/* Checks the arguments that are columns. *columns: as in Instance; false: an error was reported. */
bool columns_find(Sema *s, Expr *call, const Item *callee, unsigned **columns);
Func *columns_instance(Sema *s, const Expr *call, const unsigned *columns); /* NULL: reported */
/* Rewrites a clone of a function. false: reported */
bool columns_give(Sema *s, Item *item, const unsigned *columns, ColumnNumbers *added, Span use);
void columns_pass(Sema *s, Expr *call, const unsigned *columns);

/* infer.c */
Func *infer_call(Sema *s, Expr *call, Template *t, const unsigned *columns);
Symbol *infer_build(Sema *s, Expr *e, Template *t);
Type *written_struct(Sema *s, TypeExpr *te, Template *t);
Type *not_generic(Sema *s, const TypeExpr *te);

/* border.c: exported and extern functions */
void declare_test(Sema *s, Item *item);
void check_extern(Sema *s, Func *f);
bool is_std_name(Name name); /* of a C function of stdlib/ */
void check_export(Sema *s, Func *f);
void check_kept(Sema *s, const Func *f); /* after all bodies */
void keep_tests(Sema *s, bool run); /* after all checks: the tests leave the program unless they are to run */

/* module.c */
bool modules_load(Sema *s, Module *own_file); /* into s->in_order; false: errors were reported */
void declare_import(Sema *s, Item *item);
void module_leave(Sema *s);
bool module_member(Sema *s, Expr *e); /* resolves `module.name` to a name, or EXPR_ERROR */
/* "math.lerp" for `lerp`, if imported; else NULL. *is_for_host: it launches kernels. */
const char *module_offers(Sema *s, Name name, bool *is_for_host);
Symbol *scope_find_qualified(Sema *s, Name name);
/* Functions that are not reachable from those for which `begins` is true are checked, but generate no code. */
void mark_reached(Sema *s, bool (*begins)(const Sema *s, const Func *f)); /* facts->queued */
void keep_reached(Sema *s, bool (*begins)(const Sema *s, const Func *f));
bool is_own(const Sema *s, const Func *f); /* of the program's own file */

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
void expect(Expr *e, Type *want);         /* e is not checked yet; its context needs the type `want` (NULL: any) */
bool check_value(Sema *s, Expr **slot, Type *want, const char *why);
void check_condition(Sema *s, Expr **slot);
Type *check_array_name(Sema *s, Expr *e, const char *what); /* a plain name of an array */
Type *check_measured(Sema *s, Expr *e, const char *what);   /* that, or a call whose result is one */

/* session.c: inputs of an interactive session */
void session_declare(Sema *s);                 /* the input, as a function */
void session_enter(Sema *s);                   /* its older variables, where its body begins */
void session_keep(Sema *s, Symbol *sym);       /* a variable of its outermost block */
void session_show(Sema *s, Stmt *st);          /* the expression at its end */
void session_gone(Sema *s, const Expr *e);     /* a variable that is no longer there was named */
bool session_explain_lost(Sema *s, Diag *d, Name name); /* an earlier input declared the name in vain */
bool session_explain_unknown(Sema *s, Diag *d, Name name); /* in a function: a variable of the session */
void session_name_types(Sema *s);              /* of new variables, after all modules */
bool session_is_input(const Sema *s, const Func *f);
bool session_is_new(const Sema *s, const Func *f);

/* atomic.c */
Type *check_atomic(Sema *s, Expr *e);
bool assign_can_be_atomic(const Stmt *st);
const char *assign_as_result(const Stmt *st); /* the result of a kernel that replaces this update, "sum", or NULL */

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
Type *check_vector(Sema *s, Expr *e); /* dot, cross, length */

/* slice.c */
void slice_flat_args(Sema *s, ArgList *args);      /* flat(&m) becomes a slice */
bool slice_misplaced_flat(Sema *s, Expr *e);       /* flat(m), or flat(&m) that is no argument; reported */
Type *check_slice(Sema *s, Expr *e);    /* in arguments: its type is that of an array */
Type *slice_as_value(Sema *s, Expr *e); /* anywhere else: reports */
Expr *slice_elements(Sema *s, Expr *e); /* not checked yet: `[m[i, 2] for i in shape(m, 0)]`; NULL: it is contiguous */
Expr *shape_call(Sema *s, Expr *array, int d); /* shape(array, d) */
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
void find_recursion(Sema *s); /* recursion.c */
void kernels_check(Sema *s); /* after effects: what kernels reach */

/* effects.c */
int effect_bit(Effect e);
void effect_add(Sema *s, Effect effect, Span span, const char *what);
void call_site_add(Sema *s, Func *callee, Expr *call, bool is_launch);
void effects_spread(Sema *s);

/* fixed.c */
bool fixed_extents(const Expr *e, Dim dims[MAX_RANK]);
void fixed_declare(Sema *s, const Stmt *st, Symbol *sym, const Dim *declared);
void fixed_constant(const Symbol *sym);
void fixed_leaves(const Expr *e);
void fixed_symbol_leaves(const Symbol *sym);
bool fixed_assign(Sema *s, Expr *target, Expr *value);
bool fixed_swap(Sema *s, Symbol *a, Symbol *b, Span span);
void fixed_index(Sema *s, const Expr *e);
void fixed_settle(Func *f);
Type *fixed_field_type(Sema *s, TypeExpr *te);
Type *fixed_as_array(Sema *s, Type *t); /* the type of such a field as an expression */
bool fixed_give(Sema *s, Expr **slot, const TypeField *f, const char *why);

/* own.c */
Type *own_field_type(Sema *s, TypeExpr *te);
bool own_check_fields(Sema *s, Type *t);
Type *own_as_value(Sema *s, Expr *e);
bool own_refused(Sema *s, const Type *t, Span at, const char *where); /* reported */
void own_declare(Sema *s, Symbol *sym, Expr *init);
const Symbol *own_whole(const Symbol *sym);   /* the variable that a field is part of, or itself */
Type *own_field(Sema *s, Expr *e, int field);
void own_expand_params(Sema *s, Func *f);
void own_bind_param(const Param *p);
int own_count(const Func *f);
bool own_expand_args(Sema *s, Expr *call, const Func *f);
void own_written(Symbol *sym);
typedef void (*OwnVisit)(Symbol *sym, void *context);
void own_each(Symbol *sym, OwnVisit visit, void *context); /* its fields, or itself */
void own_names(Sema *s, Symbol *sym, Span at, ExprList *out); /* of its arrays, in order, as expressions */

/* shape.c: after all bodies */
bool dim_is_same(Dim a, Dim b);
Dim dim_of(Expr *e);
void dims_of_array(Expr *e, Dim out[MAX_RANK]);
void shapes_check(Sema *s);

/* uses.c, plan.c: when all is checked and nothing was wrong */
void uses_find(Sema *s);
void uses_at_border(Sema *s); /* Func.at_border; after uses_find */
void plan_transfers(Sema *s, Func *f);
void dead_fills_find(Sema *s, Func *f); /* dead_fills.c: sets Expr.fill.is_dead; after plan_transfers */

/* assign.c, transfer.c, warn.c: one function at a time, after all bodies */
void assign_check(Sema *s, Func *f);
void transfer_infer(Sema *s, Func *f);
void transfer_warn(Sema *s, Func *f); /* W0501, after plan_transfers */
void transfer_narrow(Sema *s, Func *f); /* after uses_find */
/* whole.c: does the kernel write every element of a parameter (a value: in every item)? wants_example: look for
 * Wholeness.left_out. */
const Wholeness *whole_find(Sema *s, Func *kernel, int param, bool wants_example);
void warn_unused(Sema *s, Func *f);
bool warn_copied(const Func *f, const Symbol *array); /* the warning says that its elements were to be changed */
void warn_unused_items(Sema *s); /* of the program's own file; after all checks */
void wraps_check(Sema *s, Func *f); /* wraps.c: integer overflow */
void accumulators_check(Sema *s, Func *f); /* accumulate.c: the same, of sums in loops */
void wraps_check_const(Sema *s, const Symbol *sym);
void wraps_explain(Sema *s, Diag *d, const Expr *e); /* the extent `e` is negative because arithmetic in it wraps */
const char *format_without_percents(Sema *s, Span literal); /* format.c: a format of C, as one of KDSL */

/* mistaken.c: `^` and `/` where an operator of other languages is meant */
void mistaken_check(Sema *s, Func *f);
const Type *float_power(const Expr *e); /* of an expression with errors: the type of the base, or NULL */
void explain_float_power(Sema *s, Diag *d, const Expr *e);

/* access.c: after transfers; bounds checks of code for devices */
void access_check(Sema *s, Func *f);
typedef void (*LaunchedFact)(const Symbol *a, const Symbol *b, int64_t least, void *context);
bool launched_any(const Func *kernel); /* the program launches it */
void launched_facts(const Func *kernel, LaunchedFact fact, void *context); /* a - b >= least; NULL stands for 0 */
bool launched_with_power(const Func *kernel, const Symbol *param); /* of two at every launch, or not positive */
/* assume.c */
typedef enum Assume { ASSUME_DISTINCT, ASSUME_SORTED, ASSUME_WRITTEN, ASSUME__COUNT } Assume;
void check_assumptions(Sema *s, const Func *f);
bool is_assumed(const Func *f, const Symbol *array, Assume what);
/* power.c */
bool is_power_of_two(const Func *f, const Expr *e); /* or 0, or the negative of one */
/* launch_values.c: one launch of a kernel, as numbers: of its sizes, then of its parameters. */
enum { LAUNCH_OPEN = INT64_MIN, MOST_LAUNCH_SAMPLES = 8 };
typedef struct LaunchSample {
    Span at;
    int64_t *value; /* LAUNCH_OPEN: not known, or no integer */
    bool is_sure;   /* no condition that is not known decides whether the program comes here */
} LaunchSample;
typedef struct LaunchValues {
    Vec(LaunchSample) at;
    int visited;
    bool is_partial; /* there may be other launches, or ones with other values */
} LaunchValues;
void launch_values_find(Sema *s);
bool shape_is_open(const Symbol *sym);                       /* shape.c: it may get other extents */
void shape_redefine(Sema *s, Redefinition r, bool was_open); /* perhaps not by this value, which shows later */
void host_prove(Sema *s);   /* host_proofs.c: before access_check; also FuncFacts.launched of kernels */
void combine_find(Sema *s); /* combine.c: Func.combined */
/* disjoint.c: no two work items access the same element of the array in a way that races. */
bool accesses_are_disjoint(Arena *arena, const Func *kernel, const Symbol *array);
/* exposed/: of each of these arrays, may an element be read before it has a value? By their order in `arrays`. */
bool *exposed_arrays(Arena *arena, const Func *f, Symbol *const *arrays, int n);
bool symbol_is_unset(const Symbol *sym); /* shadow.c: an array of a work item that is declared without values */
bool expr_is_builtin(const Expr *e, BuiltinId id);
void shadow_find(Sema *s);  /* shadow.c: Func.shadowed, Expr.touch */
void access_settle(Sema *s); /* through.c: checks in functions that are needless for all kernels */
void access_spread(Sema *s); /* may_fail, from callees to callers */

/* group.c: the domain in groups, and what only their kernels have */
void group_range(Sema *s, Range *r, Type **type);
void group_axis(Sema *s, Func *f, Binder *b, const Symbol *axis);
void group_done(Sema *s, Func *f);
Type *check_group_field(Sema *s, Expr *e);  /* i.local, i.group, i.groups */
void check_shared(Sema *s, Stmt *st);
/* group_inline.c */
bool group_meets(Sema *s, const Symbol *fn);   /* a function that has a barrier, or calls one that has */
bool group_is_inlined(const Func *f);          /* may have barriers: no kernel, and nothing that the host calls */
bool group_may_call(Sema *s, const Expr *call, const Func *f); /* false, and said so: one that meets, not here */
/* If statement i of a block of a kernel calls a function that meets, its body takes the place of the call. Returns how
 * many statements from i on have been checked: 0, or those that were put there. */
int group_inline(Sema *s, Block *b, int i);
void group_drop_inlined(Sema *s); /* from the program: after all checks, functions that meet */

bool joins_groups(Sema *s, Span at, const char *what); /* for `barrier` and `shared`: or in a function */
bool needs_groups(Sema *s, Span at, const char *what); /* false, and said so: not in a kernel with `by` */
/* barrier.c: which values differ in a group; each barrier is reached by all items of a group or by none */
void barriers_check(Sema *s, Func *f);
/* Would all items of a group reach this barrier, which was put into the kernel after the check? Marks Stmt.together
 * again. NULL: only marks, after it was taken away. */
bool barriers_would_meet(Sema *s, Func *f, const Stmt *barrier);

#endif
