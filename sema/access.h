/* access.h -- what values.c and access.c share: the state of a walk through one function, with what is known at each
 * point. */
#ifndef KDSL_ACCESS_H
#define KDSL_ACCESS_H

#include "sema/check.h"

enum { MAX_ELEMENTS = 64 };
typedef Vec(const Symbol *) Symbols;

typedef struct KnownElement {
    const Symbol *array;
    Form at[MAX_RANK], value;
} KnownElement;

typedef struct Walk {
    Sema *s;
    Func *f;
    Affine a;
    int n;       /* symbols */
    Form *now;   /* by symbol: its value at this point, if known[] is true */
    bool *known;
    bool exact;  /* the last operation was proved not to wrap */
    int quiet;   /* the expression has been walked before: nothing is recorded */
    int calls;   /* of functions, so far */
    int sometimes; /* not 0: the current code is conditional */
    int inherited; /* accesses of functions called, so far */
    const Stmt *assign; /* whose target is walked, or NULL */
    Vec(KnownElement) elements;
    Symbols unsettled; /* variables that calls in the statement at hand change */
    LoopChecks *early; /* checks of the loop whose body begins here; NULL: no body begins here */
    Form early_at;     /* its variable */
    const Symbol *early_of;
    const Stmt *early_loop; /* NULL: the loop over the items */
    bool early_may_unroll;  /* its bounds are constants */
    bool on_host;      /* of a host function (host_proofs.c): checks that stay are not recorded */
    void (*launch)(struct Walk *w, const Expr *offload); /* host functions: at each launch; or NULL */
    Form *domain_hi; /* groups: one for each domain variable: what is known if `inside` is true */
} Walk;

void columns_learn(Walk *w); /* column.c: the numbers of columns are in range */

/* monotone.c: variables that a loop only makes smaller, or only larger */
enum { MAX_MONOTONE = 8 };
typedef struct Monotone {
    struct {
        const Symbol *sym;
        const Stmt *once;  /* the only assignment, at most once in each iteration; NULL: several */
        bool divided;      /* every assignment divides or shifts right */
        bool grows, shrinks;
        Form was;
    } at[MAX_MONOTONE];
    int n, n_lost;
} Monotone;
void monotone_look(Walk *w, const Stmt *loop, Monotone *m);     /* before the walk drops what is known of variables
                                                                 * that the loop assigns */
void monotone_begin(Walk *w, Monotone *m, Expr *cond);          /* after that, where an iteration begins */
void monotone_learn(Walk *w, const Monotone *m);                /* where the walk forgets again */

/* values.c */
Form walk_expr(Walk *w, Expr *e);
void walk_body(Walk *w, const Block *b);
/* sym takes a value of lo..hi step; hi is NULL if the value may be past it. */
void walk_bind(Walk *w, const Symbol *sym, const Form *lo, const Form *hi, const Form *step);
void walk_set(Walk *w, const Symbol *sym, const Form *f);
Form walk_symbol(Walk *w, const Symbol *sym, const Expr *e);
Form walk_unknown(Walk *w, AtomKind kind, const Expr *e);
const char *walk_text(Walk *w, Span span);

/* elements.c: the value of an element */
Form walk_element(Walk *w, Expr *e);

/* learn.c */
void walk_learn(Walk *w, Expr *cond, bool holds);

/* access.c */
void walk_begin(Walk *w, Sema *s, Func *f); /* its sizes and parameters are known by name */
void walk_index(Walk *w, Expr *e, bool reads, bool writes, bool is_atomic);
bool walk_extent(Walk *w, const Symbol *array, int d, Form *out); /* false: not known */
void walk_learn_inside(Walk *w);
void walk_learn_made(Walk *w, const Symbol *array);             /* where a variable of the host is declared */
void walk_check(Walk *w, CheckKind kind, Span span, Span what); /* notes a check; walk_keep follows if it is kept */
int walk_keep(Walk *w, CheckSite site);                         /* its number */
int walk_keep_assert(Walk *w, const Stmt *st);
void walk_at(Walk *w, const Expr *e, const Form *at); /* x.at(i) */
void walk_note(Walk *w, Access x); /* into the table, with what is known here */

/* hoist.c */
void hoist_begin(Walk *w, LoopChecks *checks, const Stmt *loop, const Symbol *sym, const Range *r);
/* true: the checks of its undecided indices, for the reason `why`, are of the loop whose body begins here */
bool hoist_check(Walk *w, Expr *e, const Symbol *array, const Form *at, const char *why);
void hoist_end(Walk *w, LoopChecks *checks, int n_sites); /* n_sites: Program.sites at hoist_begin */

/* launched.c: what all launches of a kernel have in common */
void launched_expect(Sema *s, const Func *host);  /* before any look */
void launched_look(Walk *w, const Expr *offload); /* where the walk of a host function comes to it */
void launched_learn(Walk *w);

/* through.c: adds the accesses of a called function; given: the values of the arguments */
void walk_through(Walk *w, Expr *call, const Form *given);

#endif
