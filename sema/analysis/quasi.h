/* quasi.h -- quasi-affine expressions: integers and conditions of a program as functions and sets of isl, the library
 * of integer sets and relations (sums of variables with constant factors, their quotients and remainders by constants,
 * minima, and what comparisons of them select).
 *
 * Variables are parameters of isl: sizes, scalar parameters, variables of the domain and of loops. An expression is an
 * isl_pw_aff without dimensions, a condition the isl_set of the states in which it holds, without dimensions either.
 * NULL is an expression or a condition that is not of this form; every function takes NULL and then returns NULL.
 *
 * The arithmetic of isl is that of the integers. An expression is translated only where the program's own arithmetic is
 * shown not to wrap in the states at hand. */
#ifndef KDSL_QUASI_H
#define KDSL_QUASI_H

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

#include "sema/sema.h"

typedef struct Quasi {
    isl_ctx *ctx;
    Arena *arena;
} Quasi;

/* What the integers of one function are: by Symbol.id, NULL where unknown; a bool is 0 or 1. */
typedef struct QuasiFrame {
    Quasi *q;
    const Func *f;
    isl_pw_aff **value;
    /* What stands for an expression or condition that is not of this form, for analyses that know more; or NULL. */
    isl_pw_aff *(*other_int)(struct QuasiFrame *at, const Expr *e, isl_set *states);
    isl_set *(*other_bool)(struct QuasiFrame *at, const Expr *e, isl_set *states);
    const Symbol *sized;       /* an array whose extents the analysis knows; or NULL */
    isl_pw_aff *const *extent; /* of that one */
} QuasiFrame;

Quasi quasi_begin(Arena *arena, unsigned long operations); /* after this number isl stops: all that follows is NULL */
void quasi_end(Quasi *q);
QuasiFrame quasi_frame(Quasi *q, const Func *f);
void quasi_frame_end(QuasiFrame *at);

/* A new variable. The name is for people; two variables of one name are different. */
isl_pw_aff *quasi_variable(Quasi *q, const Symbol *sym);
void quasi_bind(QuasiFrame *at, const Symbol *sym, __isl_take isl_pw_aff *value);
__isl_give isl_set *quasi_all(Quasi *q); /* every state */
/* The states of both. Unlike isl_set_intersect, it does not look for an integer point in each conjunction, which took
 * more than half of the time of the analysis: the result may be empty without being known to be. */
__isl_give isl_set *quasi_and(__isl_take isl_set *a, __isl_take isl_set *b);
__isl_give isl_set *quasi_none(Quasi *q);
__isl_give isl_pw_aff *quasi_number(Quasi *q, int64_t v);
/* The states in which a value of an integer type lies within it. */
__isl_give isl_set *quasi_in_type(__isl_keep isl_pw_aff *value, const Type *t);

/* Does the value fit into the type, is it at least `least`, in all of the states? By linear programming first, which is
 * cheap and mostly enough. */
bool quasi_is_in_type(__isl_keep isl_set *states, __isl_keep isl_pw_aff *value, const Type *t);
bool quasi_at_least(__isl_keep isl_set *states, __isl_keep isl_pw_aff *value, int64_t least);

/* An integer; `states` holds at least the states in which the program computes it. */
__isl_give isl_pw_aff *quasi_int(QuasiFrame *at, const Expr *e, __isl_keep isl_set *states);
/* A condition. */
__isl_give isl_set *quasi_bool(QuasiFrame *at, const Expr *e, __isl_keep isl_set *states);
/* lo <= v < hi, v - lo a multiple of the step; NULL: not known. */
__isl_give isl_set *quasi_range(QuasiFrame *at, const Range *r, __isl_keep isl_pw_aff *v, __isl_keep isl_set *states);
/* The extent d of an array parameter. */
__isl_give isl_pw_aff *quasi_extent(QuasiFrame *at, const Extent *x);
/* An extent as sema knows it; the extent d of any array; NULL: not known. */
__isl_give isl_pw_aff *quasi_dim(QuasiFrame *at, const Dim *dim);
__isl_give isl_pw_aff *quasi_array_extent(QuasiFrame *at, const Symbol *array, int d);
/* The states in which a value can be an extent: from 0 to what a processor has addresses for. */
__isl_give isl_set *quasi_is_size(__isl_keep isl_pw_aff *value);
/* Of a kernel or function: sizes are from 0, scalar parameters within their types. The states of that. */
__isl_give isl_set *quasi_bind_parameters(QuasiFrame *at);
/* The sizes of a function that is called. */
void quasi_bind_sizes(QuasiFrame *at, QuasiFrame *in, const Expr *call, __isl_keep isl_set *states);
/* `set` for some value of the variable. */
__isl_give isl_set *quasi_some(__isl_take isl_set *set, __isl_keep isl_pw_aff *variable);

#endif
