/* internal.h -- the state of a session, shared by the files that make it: session.c runs an input, in the order of the
 * stages; declarations.c has what has been declared, variables.c the values that live on, code.c machine code that is
 * kept, check.c the front end over all of it, values.c and questions.c the answers. */
#ifndef KDSL_REPL_INTERNAL_H
#define KDSL_REPL_INTERNAL_H

#include <stdlib.h>

#include "driver/arch.h"
#include "repl/jit.h"
#include "repl/session.h"
#include "sema/sema.h"

/* Growable lists on the heap: a session lives long, and lets go of what it holds. */
#define List(T)                                                                                                        \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        int n, cap;                                                                                                    \
    }
void *list_grow(void *at, int n, int *cap, size_t elem_bytes);
#define list_push(l, x) ((l)->at = list_grow((l)->at, (l)->n, &(l)->cap, sizeof *(l)->at), (l)->at[(l)->n++] = (x))
char *copy_text(const char *text, size_t n);

/* What was typed, as long as something declared in it lives. */
typedef struct Text {
    char *path, *at; /* "input 3" */
    size_t n;
    int refs;
} Text;
Text *text_new(const char *path, const char *at, size_t n); /* with one reference */
void text_drop(Text *t);

/* declarations.c --------------------------------------------------------------------------------------------------- */
typedef struct Decl {
    char *name;
    ItemKind kind;
    Text *text;
    int item;        /* which item of the text */
    uint32_t lo, hi; /* of that, in the text */
    int generation;  /* no other text of the session has the same */
    bool waits;      /* it does not fit what it uses any more: not part of the program until it does */
    List(char *) words; /* names in its text, among which are those of all it uses */
    char *shape;     /* "(x: &[f32; n]) -> f32", for those who ask */
    char *source;    /* all of it */
} Decl;
Decl *decl_find(const Session *s, const char *name);
Decl *decl_new(Session *s, Compiler *c, Text *t, int item, const Item *i);
void decl_free(Decl *d);
void decl_add(Session *s, Decl *d); /* in place of an older one */
bool decl_is(const Decl *d, ItemKind kind, const char *source); /* word for word */
bool mentions(const char *text, const char *word);

/* Names that a declaration's meaning depends on, its own first, in an order that depends on texts only. */
typedef struct Closure {
    List(const Decl *) decls;
    bool has_module;
} Closure;
Closure closure_of(const Session *s, const char *words);
uint64_t closure_hash(const Closure *c, const char *symbol, uint64_t modules);
void closure_free(Closure *c);

/* variables.c ------------------------------------------------------------------------------------------------------ */
/* A struct that owns arrays is one of these for each of its fields. */
typedef struct Leaf {
    void *at;   /* of an array its descriptor */
    bool is_array;
} Leaf;
typedef struct Var {
    char *name, *type; /* with `_` for extents */
    char *type_now;    /* with those of now, when it was last asked for */
    bool is_mutable;
    Text *text;
    uint32_t name_lo, keyword_lo; /* in the text */
    Const konst;
    char *gone;          /* why it cannot be used any more; NULL: it can */
    List(Leaf) leaves;
} Var;
Var *var_find(const Session *s, const char *name);
void var_free(Session *s, Var *v);
void var_remove(Session *s, const char *name);
void var_release(Session *s, Var *v, const char *why); /* its values go, its name stays */

/* check.c: an input with all that is declared, through the front end ----------------------------------------------- */
typedef struct Trial {
    Compiler c;
    Module *module;
    Program *program;
    Source *own;        /* the input's text */
    ItemList items;     /* of the input */
    KeptVar *kept;      /* Session.vars, those that the program sees */
    Var **kept_of;
    int n_kept;
    List(Decl *) unfit, again; /* living declarations that do not fit any more; that fit again */
    Buf unfit_said;     /* what is wrong with those */
} Trial;
/* false: refused, *said says why. all: nothing is left out that the input does not lead to. */
bool trial_check(Session *s, Trial *t, Text *input, bool all, Buf *said);
void trial_free(Trial *t);
bool launches(const Trial *t);

enum { HOST_LEVEL = 1 }; /* of optimisation, for host code: it is made more often than it runs long */

/* code.c ----------------------------------------------------------------------------------------------------------- */
typedef struct Unit {
    JitUnit *jit;
    char name[24];
    int n_made;
} Unit;
/* A function or kernel whose code is there. */
typedef struct Made {
    char *symbol;
    Unit *unit;
    bool is_kernel, may_fail;
    uint64_t modules;          /* 0: it uses none */
    List(int) generations;     /* of all it depends on */
} Made;
typedef void RunInput(void *frame);
/* The program's code and what of it is new as a unit. NULL: *said says why not. *run: the input. */
Unit *code_make(Session *s, Trial *t, RunInput **run, Buf *said);
void code_settle(Session *s); /* the input has run: what nothing needs any more is released */
void code_release(Session *s);

/* values.c: what an input shows ------------------------------------------------------------------------------------ */
void value_begin(Session *s, const Trial *t); /* room for it */
void value_keep(Session *s);                  /* its arrays are not those of a failed input */
void value_tell(Session *s, const Trial *t, void *const *leaves, SessionValue *v);
void value_drop(Session *s);
const char *session_keep_text(Session *s, const char *at, size_t n); /* one copy of each, as long as the session */

/* session.c: an input on its way ----------------------------------------------------------------------------------- */
typedef struct Run {
    Session *s;
    Trial *t;
    Text *text;
    Unit *unit;
    RunInput *input;
    Var **fresh;     /* variables that the input declares */
    void **frame;    /* irgen/lang/session.c */
    void **leaves;   /* part of it: by KeptFacts.number - 1 */
    int64_t made;    /* how many of the fresh ones have their values */
} Run;
/* An input that declares nothing, compiled, to be run as often as one likes. false: *said says why not. */
bool run_ready(Session *s, const char *text, Run *r, Buf *said);
bool run_again(Run *r, Buf *said); /* false: it failed, or was interrupted */
void run_over(Run *r);
void note_launches(Session *s); /* machine.c: of the run that has just ended */

struct Session {
    SessionOptions options;
    Jit *jit;
    Archs archs;
    Arena arena;            /* what stays: options, the device list */
    List(Decl *) decls;     /* in order of declaration */
    List(Var *) vars;
    List(Made *) made;
    List(Unit *) units;
    int n_inputs, n_generations, n_units;
    char *file;             /* where the inputs come from; NULL: they are typed */
    int line;               /* of it, how many stand before the input */
    uint64_t modules;       /* hash of the files that modules come from */
    Trial *last;            /* the input at hand, or the last one: types of its value */
    Trial *launched;        /* the last one before it that launches something; or NULL */
    struct {
        char **at;
        uint32_t n, cap;
    } texts;                /* session_keep_text */
    struct {
        void *at;           /* memory of the value */
        size_t room;
        const Type *type;   /* in last; NULL: none */
        bool owned;         /* at holds descriptors of arrays that are the session's to free */
        char *type_text;
    } value;
    List(SessionLaunch) launches;
    List(int) launch_times;
    List(char *) answers;   /* texts of session_members and the like, until the next question */
};

#endif
