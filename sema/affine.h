/* affine.h -- integers as affine sums `c + k1 * a1 + k2 * a2 ...` over atoms (values that do not change while the sum
 * is used), facts about them in the form "this sum is not negative", and a prover over these facts. The arithmetic
 * here is exact, without wrapping: a caller that makes a sum has proved that the program's own arithmetic does not
 * wrap. */
#ifndef KDSL_AFFINE_H
#define KDSL_AFFINE_H

#include "base/base.h"
#include "sema/type.h"

enum { FORM_TERMS = 6 };
typedef __int128 Wide;

typedef struct Form {
    Wide c;
    int n;
    struct {
        int atom;
        int64_t k; /* not 0 */
    } at[FORM_TERMS]; /* by atom, ascending */
} Form;

/* The origin of an atom: the reason why nothing more is known about its value. */
typedef enum AtomKind {
    ATOM_NAMED,    /* a size, a domain variable, a loop's variable, a parameter */
    ATOM_LOADED,   /* an element of an array, a field */
    ATOM_CALLED,   /* the result of a function */
    ATOM_CHANGES,  /* a `var` that was assigned in a loop or on one of two paths to here */
    ATOM_WRAPS,    /* arithmetic that may leave its type */
    ATOM_COMPUTED, /* a product, a shift, ... : not a sum */
} AtomKind;

typedef struct Atom {
    AtomKind kind;
    Wide lo, hi;       /* of its type, or tighter */
    const char *text;  /* as the program says it */
    const struct Symbol *of;  /* ATOM_NAMED: the size, parameter or variable of a domain or loop whose value it is,
                               * or NULL */
    bool is_either;    /* the value is one of these two */
    Form either[2];
    bool is_sum;       /* ATOM_WRAPS: the value is either[0] where that is within lo..hi */
} Atom;

typedef struct Affine {
    Arena *arena;
    Vec(Atom) atoms;
    Vec(Form) facts; /* each is >= 0; a stack: facts are dropped at the end of the scope in which they hold */
    int steps;       /* left for the proof at hand */
} Affine;

Form form_const(Wide c);
Form form_atom(Affine *a, Atom atom); /* a new one */
Form form_of_atom(int atom);
/* *out = x + k * y. False: too many terms, or too large numbers. */
bool form_add(Form *out, const Form *x, int64_t k, const Form *y);
bool form_is_const(const Form *f);
/* Bounds from the ranges of the atoms alone: lo <= f <= hi. */
typedef struct Interval {
    Wide lo, hi;
} Interval;
Interval affine_interval(const Affine *a, const Form *f);
void affine_limit(Affine *a, const Form *atom, Wide lo, Wide hi); /* of a new atom: its value is within these bounds */
Wide wide_least(Wide a, Wide b);
Wide wide_most(Wide a, Wide b);
bool affine_prove(Affine *a, const Form *f);                  /* f >= 0? */
bool affine_at_least(Affine *a, const Form *f, const Form *g);/* f >= g? */
bool affine_within(Affine *a, const Form *f, Wide lo, Wide hi);
void affine_learn(Affine *a, const Form *f);                  /* f >= 0, from here to the end of the scope */
void affine_learn_at_least(Affine *a, const Form *f, const Form *g, int64_t by); /* f >= g + by */
const char *form_text(Affine *a, const Form *f);              /* "i + 1" */
/* The values of an integer type. */
Wide type_least(const Type *t);
Wide type_most(const Type *t);

#endif
