/* group.h -- kernels with groups on a CPU, where one thread executes the work items of a group one after another: the
 * body is divided into segments (Part) between barriers, and each segment becomes a loop over the items (loop fission).
 * Control flow that contains barriers is uniform in a group (sema/barrier.c), so it stays around these loops and is
 * evaluated once for the group. */
#ifndef KDSL_IRGEN_GROUP_H
#define KDSL_IRGEN_GROUP_H

#include "irgen/cpu/cpu.h"
#include "sema/analysis/rate.h"

typedef enum PartKind {
    PART_ITEMS, /* statements that each item executes */
    PART_ONCE,  /* a `let` or an assignment of a uniform value: one variable for the group, assigned once */
    PART_IF, PART_FOR, PART_WHILE, PART_BLOCK,
    PART_BARRIER, /* only with --check, which counts them */
    PART_JUMP,  /* break, continue or return of the whole group */
    PART_WORKSHARING, /* a loop of which each iteration belongs to one item, whichever: cpu/group_worksharing.c */
    PART_ROUNDS,/* like PART_ITEMS, a single loop: all items execute an iteration before the next (loop interchange) */
} PartKind;

/* A loop in each of whose iterations the items of a group are at adjacent positions: cpu/group_strided.c. */
typedef struct Strided {
    const Symbol *var;
    Expr *lo, *hi, *step;  /* lo NULL: 0; step NULL: 1 */
    bool upto;             /* the range includes hi */
    bool is_while;
    bool is_own;           /* the variable of a `while` is used in no other statement */
    Block body;            /* of a `while`: without its last statement, which advances the variable */
    bool moves_item;       /* the variable is the item's position; false: it is uniform */
    int axis;              /* of the domain, along which positions are adjacent */
    /* Of a uniform variable, on which the position depends: */
    Expr *position;
    int64_t by;            /* coefficient of the variable in `position`; 0: not known */
    Expr *guard, *end;     /* the body has no effect unless position < end, which `guard` tests; NULL: no guard */
    bool end_upto;         /* the guard is position <= end */
} Strided;

typedef struct Parts Parts;
typedef struct Part {
    PartKind kind;
    Stmt *stmt;          /* NULL for these two kinds: */
    StmtList items;      /* PART_ITEMS, PART_ROUNDS */
    int number;          /* of these two kinds, and of a return with a value: from 0, in source order */
    bool leaves;         /* PART_ITEMS: an item may return here, or continue an enclosing loop */
    const Strided *strided; /* PART_ROUNDS */
    const struct Worksharing *shared; /* PART_WORKSHARING */
    Parts *then_, *else_;/* bodies */
} Part;

struct Parts {
    Vec(Part) at;
    const Block *block;  /* NULL: a single statement, the `if` of an `else if` */
};

/* A part of a rematerialised `let` that is the same for all items, and may fail: it is computed once, before the
 * segment that declares the `let`. */
typedef struct Held {
    Expr *e;
    int part;            /* number of the segment */
    LLVMValueRef at;     /* its value in memory; NULL: not yet computed */
} Held;

typedef struct Plan {
    CgFunc *f;
    Rates rates;         /* per item along the last axis */
    Arena *arena;
    const Func *func;
    Parts *body;
    int n_parts;         /* segments that have a `number` */
    bool *once;          /* by symbol id: one variable for the group */
    bool *kept;          /* by symbol id: live across segments, so expanded to an element for each item */
    bool *apart;         /* by symbol id: an expanded array accessed by elements only, interleaved by item */
    Symbol **symbols;    /* by symbol id: the expanded variables and other locals of items */
    Vec(Held) held;      /* cpu/group_again.c */
    StmtList again;      /* cheap `let`s in source order, rematerialised in each segment instead of expanded */
    int *home;           /* by symbol id: number + 1 of the segment that declares the variable; 0: none does */
    int first_return;    /* the first segment in which an item may return; n_parts: none */
    bool leaves;         /* an item may leave a segment by a jump */
    bool cuts_rounds;    /* PART_ROUNDS are allowed: not if expanded variables exceed the cache */
    bool has_rounds;     /* the plan contains PART_ROUNDS */
    const Block *around; /* block of the statement that is being divided, its at-th; NULL: none */
    int at;
} Plan;

void group_plan(Plan *p, CgFunc *f);
bool group_fails(const Expr *e);                /* itself reads memory, calls or may fail: must not be moved; */
bool group_is_placed(Expr *e);                  /* it, or a part of it */
bool group_is_uniform(const Plan *p, Expr *e);  /* the same for all items, and so are the variables it is made of */
bool group_is_of_item(const Expr *e);           /* a variable that may be assigned */
bool group_knows(const Plan *p, Expr *e);       /* uniform, and computed from variables of the group only */
bool group_uses(const Part *part, const Symbol *sym);
int64_t group_kept_bytes(const Plan *p);        /* for all items */

/* cpu/group_rounds.c */
bool group_is_near(const Plan *p, const Expr *e); /* it is far from the ends of its type in every launch */
bool group_rounds_fit(const Plan *p); /* the expanded variables fit into the cache */

/* cpu/group_strided.c */
const Strided *group_strided(const Plan *p, const Stmt *st); /* NULL: not such a loop */
bool group_counts(const Plan *p, const Stmt *st, Strided *s); /* the bounds and the body of a loop that counts up */
const Expr *group_declared(const Expr *e);             /* follows immutable `let`s to their initialiser */
int group_axis_of(const Func *fn, const Expr *e, bool *is_local);
bool group_knows_always(const Plan *p, Expr *e);       /* and without mutable variables */
bool group_is_sum(const Expr *e);
bool group_is_variable(Expr *e, void *context);        /* an ExprTest: a mutable local */

/* Execution of the plan: cpu/group.c, group_carry.c, group_narrow.c, group_rounds.c -------------------------------- */

typedef struct Flag { /* which items have left a segment by a jump */
    LLVMValueRef at;  /* [items x i8]; NULL: not needed */
    bool is_raised;   /* a segment before this point may have set it */
} Flag;

typedef struct GLoop { /* an enclosing loop that is executed once for the group */
    struct GLoop *outer;
    Flag skipped;
} GLoop;

typedef struct Rounds { /* iterations of a PART_ROUNDS that are in execution */
    const Strided *loop;
    int n;
    LLVMValueRef number;  /* of the first of these iterations */
    LLVMValueRef from;    /* position of the group's first item in that iteration */
    LLVMValueRef stride;  /* by which positions grow in each iteration */
    LLVMValueRef lo, step;/* start and step of the loop variable */
    LLVMValueRef left;    /* only items below it take part; NULL: all items */
} Rounds;

typedef struct Box { /* a subset of the items of a group: lo..hi along each axis */
    int64_t lo[3], hi[3];
} Box;

typedef struct GroupRun {
    CgFunc *f;
    const Func *fn;
    const Group *group;
    Plan plan;
    Axis axes[3];
    int n;
    LLVMValueRef begin, items;
    LLVMValueRef count[3];          /* number of groups along each axis */
    LLVMValueRef first[3], left[3]; /* of this group: domain variable of its first item; items inside the domain */
    LLVMValueRef number;            /* of this group in the domain */
    LLVMBasicBlockRef group_done;
    Flag returned;
    GLoop *loop;
    Vec(const Symbol *) fetched;    /* cpu/group_ahead.c: arrays whose elements for the next group are prefetched */
    const Rounds *rounds;           /* in a PART_ROUNDS; NULL if its loop is executed as it is written */
    Const *known;                   /* by symbol id: constant values of the group's variables at this point */
    LLVMValueRef item_number;       /* cpu/group_number.c: in memory; NULL: positions are used */
    bool unrolled;                  /* in a loop that is completely unrolled */
    const Box *box;                 /* the items of the current loop nest; NULL: all items of the group */
} GroupRun;

/* cpu/group_unroll.c: constant propagation through the group's variables; complete unrolling */
void group_learn(GroupRun *r, const Stmt *once);       /* the statement has been executed */
void group_forget(Const *known, const Parts *parts);   /* drops what may be assigned in them */
Const group_known(const Expr *e, void *run);           /* a callback of type Known, sema/analysis/evaluate.h */
bool group_unrolls(const GroupRun *r, const Part *loop);      /* its conditions are known, its code is small */
void group_run_unrolled(GroupRun *r, const Part *loop);

/* cpu/group_worksharing.c */
typedef struct WorkAxis { /* counts to hi; var NULL: the items of the group along an axis, as elsewhere */
    const Symbol *var;
    Expr *hi;
    bool upto;            /* hi is included */
} WorkAxis;
typedef struct Worksharing {
    WorkAxis at[3];       /* by axis of the domain; is_linear: at[0] counts through all items */
    bool is_linear;
    const Symbol *own;    /* of a `while`: its variable, which is used nowhere else; else NULL */
    Block body;
} Worksharing;

const Worksharing *group_worksharing(const Plan *p, const Stmt *st); /* NULL: not such a loop */
void group_run_shared_loop(GroupRun *r, const Part *part);
void group_bind_item(GroupRun *r, LLVMValueRef *at, LLVMValueRef number); /* cpu/group.c; NULL: that of its position */
void group_bind_between(GroupRun *r);
int group_axes(const GroupRun *r);                    /* of the nest: 1 where items are counted */
int64_t group_items_along(const GroupRun *r, int d);

/* cpu/group_split.c */
const Expr *group_unconverted(const Expr *e); /* without conversions of integers that keep positions */
void group_run_split(GroupRun *r, const Part *part);  /* group_run_items, after index-set splitting */
Const group_known_in_box(GroupRun *r, const Expr *e); /* a comparison, if constant in r->box */
unsigned group_known_inside(const Expr *element, void *run); /* a callback for CgFunc.known_inside */

/* cpu/group_again.c */
bool group_is_again(Plan *p, const Part *part, int at); /* is its statement `at` a cheap `let`? */
void group_hold(GroupRun *r, const Part *part);
LLVMValueRef group_held(const Expr *e, void *run);      /* a callback of type CgFunc.held */
bool *group_wanted(const Plan *p, const Part *part);    /* the rematerialised `let`s it uses, as in p->again */
void group_rematerialise(GroupRun *r, const Part *part);

/* cpu/group_number.c */
bool group_is_number(const Func *fn, const Expr *e);    /* of the item in its group, as a sum of its positions */
bool group_counts_items(const Plan *p, const Part *part); /* it uses nothing but the number */
void group_position_of(GroupRun *r, LLVMValueRef number, LLVMValueRef at[3]); /* along each axis */

typedef struct Nest { /* loops over the items lo..hi of the group */
    LLVMValueRef lo[3], hi[3], counter[3];
    bool single[3];          /* there is at most one item along the axis, lo: no loop */
    LLVMBasicBlockRef head[3], done[3], next;
    LLVMValueRef *own;       /* by symbol id: cpu/group_carry.c; NULL: use the expanded array */
} Nest;

/* cpu/group_carry.c: emitted at the start and at the end of an iteration of the nest */
void group_carry_in(GroupRun *r, const Part *part, Nest *nest);
void group_carry_out(GroupRun *r, const Nest *nest);

/* A segment whose only statement is an `if`: conjuncts of its condition that compare an item's position become bounds
 * of the nest, the others remain conditions. */
typedef struct Narrowed {
    int from;          /* index of the first statement to execute */
    ExprList rest;
    const Block *body; /* NULL: the statements of the segment */
} Narrowed;
Narrowed group_narrow(GroupRun *r, const Part *part, Nest *nest); /* sets lo and hi of the nest */
bool group_narrows(const Plan *p, const Expr *condition); /* would a part of it become a bound? */
Op group_mirrored(Op op); /* the operator op' with b op' a == a op b */

/* Emit a segment as a nest of loops over the items; the segments and uniform control flow of a block; the start of an
 * iteration of a loop of the group. */
void group_run_items(GroupRun *r, const Part *part);
void group_run_parts(GroupRun *r, const Parts *parts, LLVMBasicBlockRef break_to, LLVMBasicBlockRef continue_to);
void group_enter_round(GroupRun *r, GLoop *loop);
/* cpu/group_ahead.c: prefetches for the next group; the number of the turn-th group of n */
void group_fetch_next(GroupRun *r, const Part *part);
LLVMValueRef group_in_turn(GroupRun *r, LLVMValueRef turn, LLVMValueRef n);
void group_find_place(GroupRun *r, LLVMValueRef *place); /* cpu/group_order.c: index of the group along each axis */
/* cpu/group_rounds.c: a PART_ROUNDS; the current iterations of one item; the loop of an item without interchange */
void group_run_rounds(GroupRun *r, const Part *part);
void group_round_of_item(GroupRun *r, const Part *part, LLVMBasicBlockRef next);
void group_strided_as_written(GroupRun *r, const Part *part);

#endif
