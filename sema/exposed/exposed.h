/* exposed.h -- the walk of exposed.c through a kernel or function: which elements certainly have values at each
 * point. */
#ifndef KDSL_EXPOSED_H
#define KDSL_EXPOSED_H

#include "sema/analysis/quasi.h"
#include "sema/check.h"

typedef struct Tracked {
    const Symbol *sym;
    int rank, n_parts; /* fields or components of an element, a further dimension; 0: it has none */
    bool is_private;
    isl_set *box;      /* all elements */
    isl_set *set;      /* that have values */
    isl_set *gain;     /* since the branch or loop around began */
    bool is_exposed;
} Tracked;

/* What a reference is bound to: along each axis of the array an index, or where the range of a slice begins. */
typedef struct Axis {
    isl_pw_aff *from; /* NULL: not known */
    bool is_open;     /* the reference has this axis, too */
} Axis;
typedef struct Ref {
    Tracked *to; /* NULL: nothing that matters */
    Axis *at;
    int n_open;
    bool is_whole;  /* the array itself */
    bool is_inside; /* of elements: a part of them */
} Ref;

typedef struct Frame {
    QuasiFrame quasi;
    Ref *refs; /* by Symbol.id */
} Frame;

/* A variable that stands for a value: of a loop, or one that is not quasi-affine. */
typedef struct Value {
    isl_pw_aff *v;
    bool is_uniform; /* the same for all items of a group */
} Value;

typedef struct Walk {
    Arena *arena;
    Quasi q;
    Frame *frame;
    Tracked *arrays;
    int n, calls, n_found;
    isl_set *states, *items; /* that reach this point; of all items of a group, where their positions are */
    bool is_dead;
    isl_pw_aff *local[3];
    Vec(Value) values;
    Vec(isl_set *) kept;
    Vec(isl_pw_aff *) kept_values;
} Walk;

typedef struct State {
    isl_set *states;
    bool is_dead;
    isl_set **sets; /* set and gain of each array */
} State;

typedef struct Mention {
    Tracked *to;   /* NULL: memory that does not matter */
    isl_set *part; /* the elements, or more */
    bool is_whole; /* all of these elements are accessed, with all that is in them */
    bool is_element, has_fields;
} Mention;

/* sets.c */
isl_set *exposed_keep(Walk *w, isl_set *s);
isl_pw_aff *exposed_keep_value(Walk *w, isl_pw_aff *v);
isl_space *exposed_elements(const Walk *w, const Tracked *t);
isl_set *exposed_where(isl_set *set, isl_set *states);
isl_set *exposed_box_of(Walk *w, const Tracked *t);
int exposed_find(isl_set *set, isl_pw_aff *variable); /* its number among the parameters, or -1 */
bool exposed_involves(isl_set *set, isl_pw_aff *variable);
/* Without the conjunctions in which the variable occurs. */
isl_set *exposed_without(Walk *w, isl_set *set, isl_pw_aff *variable);
void exposed_bind_unknown(Walk *w, Frame *in, const Symbol *sym);
void exposed_bind_value(Walk *w, Frame *in, const Symbol *sym, const Expr *e);
void exposed_forget_values(Walk *w, int n);
State exposed_save(Walk *w);
void exposed_restore(Walk *w, const State *s);
void exposed_begin_gain(Walk *w);
void exposed_gain(Walk *w, Tracked *t, isl_set *more);
void exposed_suppose(Walk *w, isl_set *c, bool holds);
Ref exposed_ref_of(const Walk *w, const Symbol *sym);
isl_set *exposed_element(Walk *w, const Ref *r, const ExprList *at, bool *is_known);
Mention exposed_mention_of(Walk *w, const Expr *e);
void exposed_read_part(Walk *w, Tracked *t, isl_set *part);
void exposed_write_place(Walk *w, const Mention *p);

/* expr.c */
void exposed_walk_expr(Walk *w, Expr *e);
void exposed_walk_indices(Walk *w, Expr *e);
void exposed_read_place(Walk *w, Expr *e);

/* stmt.c */
void exposed_walk_block(Walk *w, const Block *b);

#endif
