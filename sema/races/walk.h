/* walk.h -- a kernel, walked symbolically with the functions that it calls: rows of events, one for each access to
 * memory that work items share. An event has the element as functions of variables (vars.h), the set of states in which
 * it happens, and its barrier phase. */
#ifndef KDSL_RACES_WALK_H
#define KDSL_RACES_WALK_H

#include "sema/check.h"
#include "sema/races/vars.h"

enum { PHASE_DIMS = 6, MAX_STEPS = 12 };

/* An array or a single value that items share: a parameter of the kernel, or `shared`. */
typedef struct Root {
    const Symbol *sym;
    bool is_local;   /* `shared`: one for each group */
    bool is_written; /* by the kernel */
} Root;

/* From the root to the element: an index along an axis, or components of a struct or vector. */
typedef struct Step {
    unsigned mask;    /* a field or components; 0: an index */
    isl_pw_aff *at;   /* an index, where it is known: kept in the space */
    isl_pw_aff *ext;  /* of the axis or of the slice of it; NULL: not known */
    isl_pw_aff *from; /* where the slice begins; NULL: a whole axis */
    bool open;        /* of a slice or a whole array: `at` is where it begins */
} Step;
typedef struct Ref {
    Root *root; /* NULL: memory of one item */
    Step *at;
    int n;
} Ref;

typedef enum Touch { TOUCH_READ, TOUCH_WRITE, TOUCH_UPDATE, TOUCH_ATOMIC } Touch;
extern const char *const touch_names[];
typedef struct Event {
    Ref ref;
    Touch touch;
    Span span;
    Span call;          /* in the kernel, that leads to it; {0, 0}: its own text */
    const Stmt *assign; /* whose target it is, or NULL */
    isl_pw_aff *stored; /* TOUCH_WRITE of an integer, where it is known */
    isl_set *states;
    isl_set *phase;  /* groups; NULL: any */
    const char *may; /* the states are too many, and why; NULL: exact */
    bool is_claimed; /* a loop before it may end when an atomic update succeeds */
    const Expr *atomic; /* TOUCH_ATOMIC: the update */
} Event;

typedef struct Memo {
    const Expr *of;
    isl_pw_aff *value;
} Memo;

/* slice.c: by Symbol.id, the variables of a function whose values matter */
typedef struct SliceOf {
    const Func *of;
    bool with_result;
    const bool *has;
} SliceOf;

struct Frame;
typedef struct Walk {
    Sema *s;
    const Func *kernel;
    Space space;
    Vec(Root *) roots;
    Vec(Event) events;
    Vec(Var *) items;           /* without groups: positions in the domain */
    Vec(Var *) groups, locals;  /* of groups: positions of the group, and in it */
    isl_pw_aff *position[3];    /* by axis */
    isl_set *live;              /* the states in which this point is reached */
    isl_set *phase;             /* the last barrier, with the counters of the loops around it; NULL: not known */
    Vec(Var *) counters, joint; /* of the loops around this point; of those with barriers */
    Vec(SliceOf) slices;
    Vec(Memo) memo; /* what stands for expressions of the statements under way */
    struct Frame *frame;
    const char *may;      /* not NULL: `live` has states too many */
    bool assuming;        /* believes the kernel's assumptions */
    bool launched;        /* with what all launches of the program have in common */
    isl_set *launches;    /* that; NULL: nothing is known */
    Vec(isl_pw_aff *) powers; /* values that are 2^k, or not positive */
    const int64_t *given; /* of the sizes, then of the parameters: LAUNCH_OPEN, or its value; NULL: all are open */
    Span call;
    int site, quiet, calls, depth;
    bool wanted;  /* the value of the expression that is scanned matters */
    bool created; /* a memo was made in this evaluation */
    bool claimed; /* Event.is_claimed */
    bool failed;  /* of isl: the limit of operations, or too many events */
} Walk;

/* A function under way. */
typedef struct Frame {
    QuasiFrame quasi; /* the first: quasi.h's functions for unknown expressions get it */
    Walk *walk;
    Ref *refs;          /* by Symbol.id */
    const bool *needed; /* slice.c: the variables that are followed */
    struct Frame *caller;
    isl_pw_aff *result;
    bool result_unknown;
} Frame;

void walk_kernel(Walk *w); /* fills events */

/* expr.c */
isl_pw_aff *races_int(Walk *w, const Expr *e);        /* kept; NULL: failed */
isl_set *races_bool(Walk *w, const Expr *e);          /* kept */
isl_pw_aff *races_bool_value(Walk *w, const Expr *e); /* 0 or 1 */
void races_scan(Walk *w, Expr *e);                    /* the events of an expression that is evaluated */
void races_touch(Walk *w, Expr *e, Event how); /* touch, assign, atomic, stored */
void races_scan_target(Walk *w, Expr *e); /* the indices of an element */
Var *races_unknown(Walk *w, const Type *t, const char *why, unsigned origin);
/* A value that is the same for all items of a group (barrier.c): a function of the group and of the loops around. */
void races_same_in_group(Walk *w, Var *v);
void races_suppose(Walk *w, __isl_keep isl_set *c); /* the states of c only */
void races_bind(Walk *w, const Symbol *sym, isl_pw_aff *value);
Frame races_frame(Walk *w, const Func *f, bool with_result);
Ref races_resolve(Walk *w, const Expr *e);
bool races_is_tracked(const Type *t); /* integers and bools */

/* origin.c: ORIGIN_ bits of a value in the current function */
unsigned races_origin(Walk *w, const Expr *e);
unsigned races_origin_of(Walk *w, const Symbol *sym);
bool races_keeps_old_values(const Block *b); /* of atomic updates */

/* slice.c */
const bool *races_slice(Walk *w, const Func *f, bool with_result); /* NULL: it has no body */
bool races_acts(Walk *w, const Stmt *st); /* does it touch memory, jump, or change a variable that is followed? */
bool races_touches(const Expr *e);

/* stmt.c */
void races_block(Walk *w, const Block *b);

/* phase.c */
void phase_begin(Walk *w);
void phase_barrier(Walk *w);
isl_set *phase_select(Walk *w, isl_set *c, isl_set *yes, isl_set *no);
/* A loop with barriers: what an iteration begins with, and what follows the loop. `ran`: the states in which iteration
 * number `t` is executed; `end`: the phase at its end. */
isl_set *phase_unknown_entry(Walk *w);
isl_set *phase_entry(Walk *w, isl_set *before, isl_set *end, const Var *t);
isl_set *phase_after(Walk *w, isl_set *before, isl_set *end, isl_set *ran, const Var *t);
isl_set *set_shifted(Walk *w, isl_set *set, const Var *t, int by); /* kept: t is t + by */

#endif
