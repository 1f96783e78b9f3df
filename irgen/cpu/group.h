/* group.h -- the body of a kernel in groups, cut into parts for a machine that runs a group's items one after another:
 * what stands between two barriers becomes a loop over the items; control flow that holds barriers, which all items of
 * a group take alike (sema/barrier.c), stays around these loops and is decided once. */
#ifndef KDSL_IRGEN_GROUP_H
#define KDSL_IRGEN_GROUP_H

#include "irgen/cpu/cpu.h"
#include "sema/analysis/rate.h"

typedef enum PartKind {
    PART_ITEMS, /* statements that each item runs by itself */
    PART_ONCE,  /* a `let` or an assignment whose value is the same for all: one variable, assigned once */
    PART_IF, PART_FOR, PART_WHILE, PART_BLOCK,
    PART_JUMP,  /* break, continue, return of the whole group */
    PART_ROUNDS,/* as PART_ITEMS: a single loop, that all items of the group take round by round */
} PartKind;

/* A loop in whose iterations the items of a group are at neighbouring positions: cpu/group_strided.c. */
typedef struct Strided {
    const Symbol *var;
    Expr *lo, *hi, *step;  /* lo NULL: 0; step NULL: 1 */
    bool upto;             /* as far as hi, included */
    bool is_while;
    bool is_own;           /* nothing but the loop mentions the variable of a `while` */
    Block body;            /* of a `while`: without its last statement, the step */
    bool moves_item;       /* the variable is the item's position; else it is the same for all items */
    int axis;              /* along which positions are neighbours */
    /* Of a variable that is the same for all items: */
    Expr *position;
    int64_t by;            /* its coefficient in it, where that is known */
    Expr *guard, *end;     /* an item does nothing unless position < end, which is what `guard` says; NULL: always */
    bool end_upto;         /* position <= end */
} Strided;

typedef struct Parts Parts;
typedef struct Part {
    PartKind kind;
    Stmt *stmt;          /* all but these two: */
    StmtList items;      /* PART_ITEMS, PART_ROUNDS */
    int number;          /* of these: from 0, in the order of the text */
    bool leaves;         /* PART_ITEMS: an item may return here, or go on to the next round */
    const Strided *strided; /* PART_ROUNDS */
    Parts *then_, *else_;/* bodies */
} Part;

struct Parts {
    Vec(Part) at;
    const Block *block;  /* NULL: a single statement, of an `else if` */
};

typedef struct Plan {
    CgFunc *f;
    Rates rates;         /* along the last axis */
    Arena *arena;
    const Func *func;
    Parts *body;
    int n_parts;         /* PART_ITEMS, PART_ROUNDS */
    bool *once;          /* by symbol id: kept once for the group */
    bool *kept;          /* by symbol id: kept per item from one part to another */
    bool *apart;         /* by symbol id: a kept array of which only elements are used */
    Symbol **symbols;    /* by symbol id: of those kept */
    StmtList again;      /* instead of being kept: `let`s that cost less to make again in each part; as declared */
    int *home;           /* by symbol id: number + 1 of the part that a variable is declared in; 0: not in one */
    int first_return;    /* number of the first part in which an item may return; n_parts: none */
    bool leaves;         /* some item may leave some part */
    bool cuts_rounds;    /* there may be PART_ROUNDS */
    bool has_rounds;     /* there are PART_ROUNDS */
    const Block *around; /* of the statement that is being cut, which is its at-th; NULL: none */
    int at;
} Plan;

void group_plan(Plan *p, CgFunc *f);
bool group_is_placed(Expr *e);                  /* reads memory, calls, or may fail: has its place in the order */
bool group_knows(const Plan *p, Expr *e);       /* the same for all items, and from what is kept once */
bool group_uses(const Part *part, const Symbol *sym);
int64_t group_kept_bytes(const Plan *p);        /* of all items */

/* cpu/group_rounds.c */
bool group_rounds_fit(const Plan *p);

/* cpu/group_strided.c */
const Strided *group_strided(const Plan *p, const Stmt *st); /* NULL: it is none */
const Expr *group_declared(const Expr *e);             /* a `let` is what it is declared to be */
int group_axis_of(const Func *fn, const Expr *e, bool *is_local);
bool group_knows_always(const Plan *p, Expr *e);       /* group_knows, also where a `let` was declared with it */
bool group_is_sum(const Expr *e);
bool group_is_variable(Expr *e, void *context);        /* an ExprTest: a `var` */

/* Running the plan: cpu/group.c, cpu/group_carry.c, cpu/group_narrow.c, cpu/group_rounds.c ------------------------------------------- */

typedef struct Flag { /* which items have left */
    LLVMValueRef at;  /* [items x i8]; NULL: not needed */
    bool is_raised;   /* by a part before this point */
} Flag;

typedef struct GLoop { /* a loop that the group runs as one */
    struct GLoop *outer;
    Flag skipped;
} GLoop;

typedef struct Rounds { /* iterations of a PART_ROUNDS, executed by the items one after another */
    const Strided *loop;
    int n;
    LLVMValueRef number;  /* of the first of them */
    LLVMValueRef from;    /* where the group's first item is in it */
    LLVMValueRef stride;  /* from one to the next */
    LLVMValueRef lo, step;/* of the variable */
    LLVMValueRef left;    /* so many items take part; NULL: all of them */
} Rounds;

typedef struct Box { /* items of a group: lo..hi along each axis */
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
    LLVMValueRef count[3];          /* groups along each axis */
    LLVMValueRef first[3], left[3]; /* of this group: value of the variable at its first item; items in the domain */
    LLVMValueRef number;            /* of this group */
    LLVMBasicBlockRef group_done;
    Flag returned;
    GLoop *loop;
    Vec(const Symbol *) fetched;    /* cpu/group_ahead.c: arrays of which the next group's elements are on their way */
    const Rounds *rounds;           /* in a PART_ROUNDS, unless its loop is run as it is written */
    Const *known;                   /* by symbol id: values of variables that are kept once, where the builder is */
    bool unrolled;                  /* in a loop whose iterations are written out */
    const Box *box;                 /* the items at hand; NULL: all of the group */
} GroupRun;

/* cpu/group_unroll.c: what is known of variables that the group keeps once; loops that are written out */
void group_learn(GroupRun *r, const Stmt *once);       /* that has been executed */
void group_forget(Const *known, const Parts *parts);   /* what may be assigned in them */
Const group_known(const Expr *e, void *run);           /* Known of sema/analysis/evaluate.h */
bool group_unrolls(const GroupRun *r, const Part *loop);
void group_run_unrolled(GroupRun *r, const Part *loop);

/* cpu/group_split.c */
void group_run_split(GroupRun *r, const Part *part);
Const group_known_in_box(GroupRun *r, const Expr *e);
unsigned group_known_inside(const Expr *element, void *run); /* CgFunc.known_inside */

typedef struct Nest { /* loops over the items of the group: local in lo..hi */
    LLVMValueRef lo[3], hi[3], counter[3];
    LLVMBasicBlockRef head[3], done[3], next;
    LLVMValueRef *own;       /* by symbol id: cpu/group_carry.c; NULL: in the array of all items */
} Nest;

void group_carry_in(GroupRun *r, const Part *part, Nest *nest);
void group_carry_out(GroupRun *r, const Nest *nest);

/* The part under its own condition, if there is one: what of it only says where in the group an item is becomes the
 * bounds of the loops; the rest is left to be asked. */
typedef struct Narrowed {
    int from;          /* first statement of the part that is still to run */
    ExprList rest;
    const Block *body; /* NULL: the statements */
} Narrowed;
Narrowed group_narrow(GroupRun *r, const Part *part, Nest *nest);
Op group_mirrored(Op op); /* b op' a for a op b */

void group_run_items(GroupRun *r, const Part *part);
void group_run_parts(GroupRun *r, const Parts *parts, LLVMBasicBlockRef break_to, LLVMBasicBlockRef continue_to);
void group_enter_round(GroupRun *r, GLoop *loop);
/* cpu/group_ahead.c */
void group_fetch_next(GroupRun *r, const Part *part);
LLVMValueRef group_in_turn(GroupRun *r, LLVMValueRef turn, LLVMValueRef n);
void group_find_place(GroupRun *r, LLVMValueRef *place); /* cpu/group_order.c: along each axis */
void group_run_rounds(GroupRun *r, const Part *part);
void group_round_of_item(GroupRun *r, const Part *part, LLVMBasicBlockRef next);
void group_strided_as_written(GroupRun *r, const Part *part);

#endif
