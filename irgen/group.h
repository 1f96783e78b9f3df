/* group.h -- the body of a kernel in groups, cut into parts for a machine that runs a group's items one after another:
 * what stands between two barriers becomes a loop over the items; control flow that holds barriers, which all items of
 * a group take alike (sema/barrier.c), stays around these loops and is decided once. */
#ifndef KDSL_IRGEN_GROUP_H
#define KDSL_IRGEN_GROUP_H

#include "irgen/cg.h"

typedef enum PartKind {
    PART_ITEMS, /* statements that each item runs by itself */
    PART_ONCE,  /* a `let` or an assignment whose value is the same for all: one variable, assigned once */
    PART_IF, PART_FOR, PART_WHILE, PART_BLOCK,
    PART_JUMP,  /* break, continue, return of the whole group */
    PART_STRIP, /* as PART_ITEMS, but by strips of items: its own parts with loops that they take round by round */
} PartKind;

typedef struct Parts Parts;
typedef struct Part {
    PartKind kind;
    Stmt *stmt;          /* all but PART_ITEMS */
    StmtList items;      /* PART_ITEMS */
    int number;          /* PART_ITEMS: from 0, in the order of the text */
    bool leaves;         /* PART_ITEMS: an item may return here, or go on to the next round */
    Parts *then_, *else_;/* bodies */
} Part;

struct Parts {
    Vec(Part) at;
    const Block *block;  /* NULL: a single statement, of an `else if` */
};

typedef struct Plan {
    CgFunc *f;           /* for the rates of its symbols */
    Arena *arena;
    const Func *func;
    Parts *body;
    int n_parts;         /* PART_ITEMS */
    bool *once;          /* by symbol id: kept once for the group */
    bool *kept;          /* by symbol id: kept per item from one part to another */
    bool *apart;         /* by symbol id: a kept array of which only elements are used */
    Symbol **symbols;    /* by symbol id: of those kept */
    StmtList again;      /* instead of being kept: `let`s that cost less to make again in each part; as declared */
    int *home;           /* by symbol id: number + 1 of the part that a variable is declared in; 0: not in one */
    int first_return;    /* number of the first part in which an item may return; n_parts: none */
    bool leaves;         /* some item may leave some part */
    bool strips;         /* there may be PART_STRIP */
} Plan;

void group_plan(Plan *p, CgFunc *f);
bool group_is_placed(Expr *e);                  /* reads memory, calls, or may fail: has its place in the order */
bool group_knows(const Plan *p, Expr *e);       /* the same for all items, and from what is kept once */
bool group_uses(const Part *part, const Symbol *sym);

/* group_strip.c */
int64_t group_strip_items(const Group *g, int n_axes); /* of a strip along the last axis; 0: there are none */
bool group_strip_takes(const Plan *p, const Stmt *st); /* a loop to put around strips */
bool group_strip_fits(const Plan *p);                  /* what is kept because of it has room */

/* Running the plan: group.c, group_narrow.c ------------------------------------------------------------------------ */

typedef struct Flag { /* which items have left */
    LLVMValueRef at;  /* [items x i8]; NULL: not needed */
    bool is_raised;   /* by a part before this point */
} Flag;

typedef struct GLoop { /* a loop that the group runs as one */
    struct GLoop *outer;
    Flag skipped;
} GLoop;

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
    bool in_strip;
    LLVMValueRef strip_at[3];       /* in a PART_STRIP: place along the outer axes, and where the strip begins */
} GroupRun;

typedef struct Nest { /* loops over the items of the group: local in lo..hi */
    LLVMValueRef lo[3], hi[3], counter[3];
    LLVMBasicBlockRef head[3], done[3], next;
} Nest;

/* The part under its own condition, if there is one: what of it only says where in the group an item is becomes the
 * bounds of the loops; the rest is left to be asked. */
typedef struct Narrowed {
    int from;          /* first statement of the part that is still to run */
    ExprList rest;
    const Block *body; /* NULL: the statements */
} Narrowed;
Narrowed group_narrow(GroupRun *r, const Part *part, Nest *nest);

#endif
