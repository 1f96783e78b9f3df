/* vars.h -- the integers of the race analysis: variables of isl with what is known of them. Sizes and scalar parameters
 * are the same for all work items ("shared"); positions, loop counters and values that are not understood belong to one
 * item, so that a pair of items has two copies of each. */
#ifndef KDSL_RACES_VARS_H
#define KDSL_RACES_VARS_H

#include "sema/analysis/quasi.h"

typedef enum VarKind {
    VAR_SIZE,     /* an extent that a parameter's shape binds */
    VAR_SCALAR,   /* a parameter by value, or a value of a read-only array that is the same for all items */
    VAR_ITEM,     /* the position of the work item: of its group, in its group, or in the domain */
    VAR_COUNTER,  /* iterations of a loop so far */
    VAR_DATA,     /* an integer that is not understood: loaded, or computed in a way that is not quasi-affine */
    VAR_CHOICE,   /* 0 or 1: a condition that is not understood */
    VAR_PRODUCT,  /* args[0] * factor */
    VAR_QUOTIENT, /* args[0] / factor, rounded down */
} VarKind;

/* elements and floats; old values of atomic updates; numbers whose bits were mixed, as random ones (origin.c) */
enum { ORIGIN_DATA = 1, ORIGIN_ATOMIC = 2, ORIGIN_MIXED = 4 };

typedef struct Var {
    VarKind kind;
    const char *name;
    const Symbol *sym; /* or NULL */
    bool shared;
    bool is_function;   /* of `args` alone: equal arguments, equal values (congruence) */
    isl_id *id, *other; /* `other`: the copy of the second item of a pair */
    isl_pw_aff *value;
    isl_set *facts; /* what always holds of it */
    isl_pw_aff **args;
    int n_args;
    isl_pw_aff *factor; /* shared */
    bool is_nonneg;     /* the factor is not negative */
    bool is_exchange;   /* VAR_DATA: args[0] ^ factor */
    unsigned origin;    /* VAR_DATA, VAR_CHOICE: ORIGIN_ bits of what it was computed from */
    const void *root;   /* VAR_DATA: the array that it was loaded from; or NULL */
    const char *why;    /* VAR_DATA, VAR_CHOICE: text of the program */
} Var;

/* Everything that lives as long as the analysis of one kernel. */
typedef struct Space {
    Quasi q;
    Arena arena;
    Vec(Var *) vars;
    Vec(isl_set *) sets;
    Vec(isl_pw_aff *) values;
} Space;

void space_begin(Space *s, unsigned long operations);
void space_end(Space *s);
unsigned long space_spent(Space *s, unsigned long most); /* operations of isl since the last reset; clears its error */
isl_set *space_keep(Space *s, __isl_take isl_set *set); /* freed at the end */
isl_pw_aff *space_keep_value(Space *s, __isl_take isl_pw_aff *value);

Var *var_new(Space *s, VarKind kind, const char *name, bool shared);
void var_learn(Space *s, Var *v, __isl_take isl_set *fact); /* NULL: nothing */
void var_within(Space *s, Var *v, int64_t lo, int64_t hi);  /* lo <= v < hi */
/* is_nonneg: the factor is not negative; otherwise that is not known. */
Var *var_product(Space *s, __isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *factor, bool is_nonneg);
Var *var_quotient(Space *s, __isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *factor, bool is_nonneg); /* a >= 0 */
Var *var_exchange(Space *s, __isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *factor); /* a ^ factor, neither below 0 */
/* a * factor as a sum of products of single variables, so that equal products are the same variable. */
__isl_give isl_pw_aff *space_multiply(Space *s, __isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *factor,
                                      bool is_nonneg);

/* Which variables occur: bits by number in `vars`. */
typedef struct VarSet {
    bool *has;
    int n; /* of the variables when it was made: later ones are not in it */
} VarSet;
VarSet varset_new(Space *s);
void varset_add_set(Space *s, VarSet *v, __isl_keep isl_set *set);
void varset_add_value(Space *s, VarSet *v, __isl_keep isl_pw_aff *value);
void varset_close(Space *s, VarSet *v); /* and those in their facts and arguments */
bool value_is_shared(Space *s, __isl_keep isl_pw_aff *value);
Var *aff_var(__isl_keep isl_aff *aff, int param); /* the variable that is its parameter with this number */
bool value_equal(__isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *b);

/* The same of the second item of a pair. */
__isl_give isl_set *set_other(__isl_take isl_set *set);
__isl_give isl_pw_aff *value_other(__isl_take isl_pw_aff *value);
__isl_give isl_set *values_meet(__isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *b); /* a of one is b of the other */

#endif
