/* internal.h -- private to repl/: the state of a session. session.c executes an input in stages, declarations.c keeps
 * declarations, variables.c variables, code.c machine code; check.c runs the front end; values.c and questions.c
 * produce answers. */
#ifndef KDSL_REPL_INTERNAL_H
#define KDSL_REPL_INTERNAL_H

#include <stdlib.h>

#include "driver/arch.h"
#include "repl/jit.h"
#include "repl/session.h"
#include "sema/sema.h"

/* Growable lists on the heap, since a session lives long and must free what it no longer needs. */
#define List(T)                                                                                                        \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        int n, cap;                                                                                                    \
    }
void *list_grow(void *at, int n, int *cap, size_t elem_bytes);
#define list_push(l, x) ((l)->at = list_grow((l)->at, (l)->n, &(l)->cap, sizeof *(l)->at), (l)->at[(l)->n++] = (x))
char *copy_text(const char *text, size_t n);

/* The text of an input, reference counted: kept as long as one of its declarations. */
typedef struct Text {
    char *path, *at; /* "input 3" */
    size_t n;
    int refs;
} Text;
Text *text_new(const char *path, const char *at, size_t n); /* has one reference */
void text_drop(Text *t);

/* declarations.c --------------------------------------------------------------------------------------------------- */
typedef struct Decl {
    char *name;
    ItemKind kind;
    Text *text;
    int item;        /* number of the item in the text */
    uint32_t lo, hi; /* its span, as offsets in the text */
    int generation;  /* distinct for distinct texts of declarations */
    bool waits;      /* does not compile with the current declarations, so it is excluded from programs (check.c) */
    List(char *) words; /* identifiers in its text, which include all names that it uses */
    char *shape;     /* signature, "(x: &[f32; n]) -> f32" */
    char *source;    /* source text of the whole declaration */
} Decl;
Decl *decl_find(const Session *s, const char *name);
Decl *decl_new(Session *s, Compiler *c, Text *t, int item, const Item *i);
void decl_free(Decl *d);
void decl_add(Session *s, Decl *d); /* replaces one of the same name */
bool decl_is(const Decl *d, ItemKind kind, const char *source); /* compares kind and text */
bool mentions(const char *text, const char *word);

/* The declarations on which a declaration depends, transitively, itself first; the order depends on texts only. */
typedef struct Closure {
    List(const Decl *) decls;
    bool has_module;
} Closure;
Closure closure_of(const Session *s, const char *words);
uint64_t closure_hash(const Closure *c, const char *symbol, uint64_t modules);
void closure_free(Closure *c);

/* variables.c: values that persist between inputs ------------------------------------------------------------------ */
/* A struct that owns arrays has a Leaf for each field, any other variable a single one. */
typedef struct Leaf {
    void *at;   /* its memory; of an array the descriptor */
    bool is_array;
} Leaf;
typedef struct Var {
    char *name, *type; /* type: with `_` for extents */
    char *type_now;    /* with the current extents, set when they are queried */
    bool is_mutable;
    Text *text;
    uint32_t name_lo, keyword_lo; /* offsets in the text */
    Const konst;
    char *gone;          /* the reason why the variable has lost its value; NULL: it has one */
    List(Leaf) leaves;
} Var;
Var *var_find(const Session *s, const char *name);
void var_free(Session *s, Var *v);
void var_remove(Session *s, const char *name);
void var_release(Session *s, Var *v, const char *why); /* frees the values; the name remains, for messages */

/* lost.c: names that inputs declared in vain ----------------------------------------------------------------------- */
typedef struct Lost {
    char *name;
    Text *text;
    uint32_t lo;    /* of the name, as an offset in the text */
    bool has_ended; /* the input ended at run time, before the declaration; otherwise it had errors */
} Lost;
void lost_add(Session *s, Text *text, const char *name, uint32_t lo, bool has_ended);
void lost_all(Session *s, Text *text); /* all names that the text declares, because it has errors */
void lost_forget(Session *s, const char *name);
void lost_clear(Session *s);

/* check.c: parsing and checking of an input with all declarations -------------------------------------------------- */
typedef struct Trial {
    Compiler c;
    Module *module;
    Program *program;
    Source *own;        /* the text of the input */
    ItemList items;     /* declarations of the input */
    KeptVar *kept;      /* the variables of Session.vars that the program can use */
    Var **kept_of;
    int n_kept;
    LostName *lost;     /* names that earlier inputs declared in vain */
    int n_lost;
    List(Decl *) unfit, again; /* declarations that no longer compile; that compile again */
    Buf unfit_said;     /* diagnostics of the former */
} Trial;
/* false: there are errors, in *said. all: also checks declarations that the input does not use. */
bool trial_check(Session *s, Trial *t, Text *input, bool all, Buf *said);
void trial_free(Trial *t);
bool launches(const Trial *t);

enum { HOST_LEVEL = 1 }; /* optimisation level of host code, for which compile time matters more than run time */

typedef struct KeptBytes {
    void *at;
    size_t n;
} KeptBytes;

/* code.c ----------------------------------------------------------------------------------------------------------- */
typedef struct Unit {
    JitUnit *jit;
    char name[24];
    int n_made;
} Unit;
/* A function or kernel with machine code. */
typedef struct Made {
    char *symbol;
    Unit *unit;
    bool is_kernel, may_fail, is_shadowed;
    uint64_t modules;          /* hash of imported modules; 0: uses none */
    List(int) generations;     /* of all declarations on which it depends */
} Made;
typedef void RunInput(void *frame);
/* Compiles the functions of the program that have no code yet, as a new unit. NULL: error in *said. *run: the code of
 * the input. */
Unit *code_make(Session *s, Trial *t, RunInput **run, Buf *said);
void code_settle(Session *s); /* after the input was executed: releases code that can no longer be used */
void code_release(Session *s);

/* values.c: the value that an input shows -------------------------------------------------------------------------- */
void value_begin(Session *s, const Trial *t); /* allocates its memory */
void value_keep(Session *s);                  /* keeps its arrays after an input without failure */
void value_tell(Session *s, const Trial *t, void *const *leaves, SessionValue *v);
void value_drop(Session *s);
const char *session_keep_text(Session *s, const char *at, size_t n); /* one copy of each text; never freed */
const void *session_keep_bytes(Session *s, const void *at, size_t n); /* the same */

/* session.c: the execution of an input ----------------------------------------------------------------------------- */
typedef struct Run {
    Session *s;
    Trial *t;
    Text *text;
    Unit *unit;
    RunInput *input;
    Var **fresh;     /* variables that the input declares */
    void **frame;    /* memory for the input's function: irgen/lang/session.c */
    void **leaves;   /* part of frame, by KeptFacts.number - 1 */
    int64_t made;    /* number of `fresh` variables that are initialised */
} Run;
/* Compiles an input without declarations, for repeated execution. false: error in *said. */
bool run_ready(Session *s, const char *text, Run *r, Buf *said);
bool run_again(Run *r, Buf *said); /* false: the input failed, or was interrupted */
void run_over(Run *r);
void note_launches(Session *s); /* machine.c: records the launches of the last run */

struct Session {
    SessionOptions options;
    Jit *jit;
    Archs archs;
    Arena arena;            /* data that is never freed: options, the device list */
    List(Decl *) decls;     /* in order of declaration */
    List(Var *) vars;
    List(Lost) lost;
    List(Made *) made;
    List(Unit *) units;
    int n_inputs, n_generations, n_units;
    char *file;             /* the file that contains the inputs; NULL: they are typed */
    int line;               /* number of lines of the file before the input */
    uint64_t modules;       /* hash of the modules' texts */
    Trial *last;            /* the current or last input: types of its value */
    Trial *launched;        /* the last input before it that launches a kernel; or NULL */
    struct {
        char **at;
        uint32_t n, cap;
    } texts;                /* session_keep_text */
    List(KeptBytes) bytes;  /* session_keep_bytes */
    struct {
        void *at;           /* memory of the value */
        size_t room;
        const Type *type;   /* allocated in `last`; NULL: no value */
        bool owned;         /* `at` contains descriptors of arrays that the session must free */
        char *type_text;
    } value;
    List(SessionLaunch) launches;
    List(int) launch_times;
    List(char *) answers;   /* results of session_members and similar functions, until the next query */
};

#endif
