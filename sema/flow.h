/* flow.h -- what a function does to its arrays, as a control-flow graph of events (make, move, read, write, pass ...).
 * It is built once (flow.c); the analyses of where arrays are stored (uses.c, plan.c) work on it. */
#ifndef KDSL_FLOW_H
#define KDSL_FLOW_H

#include "sema/check.h"

typedef enum EventKind {
    EVENT_MAKE,    /* the variable owns new memory: a list, a copy, the result of a call */
    EVENT_MOVE,    /* it becomes the owner of the array of `other` */
    EVENT_SWAP,    /* it and `other` exchange their arrays */
    EVENT_LEAVE,   /* its array is no longer tracked: returned, or moved into something that is not a variable */
    EVENT_READ,    /* an element, here and now */
    EVENT_WRITE,
    EVENT_PASS,    /* passed by reference to a function, a kernel, a built-in or C */
    EVENT_FILL,    /* a loop begins that assigns every element */
    EVENT_ENTER,   /* a resident block begins in which a launch uses it */
} EventKind;

typedef struct Event {
    EventKind kind;
    int slot, other;      /* variables, by number (ArrayFlow.symbol); -1: none */
    Expr *at;             /* the EXPR_NAME that names the array; NULL where there is none */
    Span span;            /* for messages */
    bool may_hoist;       /* plan.c: one request before its loop is enough */
    bool is_element;      /* READ, WRITE: of one element, where the index is written. PASS: of a slice */
    bool reads;           /* WRITE: the old element, or a part of it, is read as well */
    const CallInfo *maker; /* MAKE: the call that has made it, or NULL */
    Expr *fill;           /* MAKE: the EXPR_FILL that has made it, or NULL */
    const Arg *arg;       /* PASS */
    const CallInfo *call; /* PASS, and READ and WRITE by a call: all events of one call follow one another */
    Expr *launch;         /* PASS to a kernel: the EXPR_OFFLOAD */
    int param;            /* PASS: which argument it is */
    Stmt *resident;       /* innermost STMT_RESIDENT around it; ENTER: the one that begins */
    bool is_together;     /* PASS to a kernel: with launches around it, it writes every element (together.c) */
    int resident_no;      /* the same: its number in ArrayFlow.residents, -1: none */
    bool copies;          /* ENTER: plan.c: copied in here */
    Stmt *loop_stmt;      /* FILL: the loop that fills it */
    Sync asked;           /* plan.c: what host code requests from the runtime here, or before its loop */
    uint64_t writers;     /* explain_transfers.c */
    int loop;             /* innermost loop around it (ArrayFlow.loops), -1: none */
    bool every_turn;      /* each iteration of that loop passes here before it can leave the loop */
} Event;

typedef struct FlowBlock {
    Vec(Event) events;
    int next[2], n_next; /* successors; none: the function or the program ends */
    bool is_return;      /* the function ends */
} FlowBlock;

typedef struct FlowLoop {
    Stmt *stmt;          /* STMT_FOR or STMT_WHILE; NULL: a comprehension */
    Expr *comprehension;
    int first, last;     /* its blocks: first .. last - 1 */
    bool counts;         /* the trip count is known before the first iteration */
} FlowLoop;

typedef struct FlowEnter {
    int slot, at; /* the EVENT_ENTER in the block before */
} FlowEnter;

typedef struct FlowResident {
    FlowBlock *before; /* the block begins where this ends */
    FlowEnter *enters; /* by slot, ascending */
    int n;
} FlowResident;

typedef struct ArrayFlow {
    Func *func;
    int n_slots;
    int *slot_of;     /* by Symbol.id; -1: no array */
    Symbol **symbol;  /* by slot */
    int made;         /* slot of the result of a call that no variable owns: f()[1], f().at(1) */
    Vec(FlowBlock *) blocks; /* [0] is where the function begins */
    Vec(FlowLoop) loops;
    Vec(FlowResident) residents;
} ArrayFlow;

ArrayFlow *flow_build(Sema *s, Func *f);
/* fills.c: the arrays that this STMT_FOR may assign whole, judged by its text. Whether it also reads them is not
 * checked here. */
void fills_find(Sema *s, const Stmt *loop, SyncList *found);

/* together.c: sets Event.is_together. */
void together_find(Sema *s, ArrayFlow *flow);

/* What a function does with the array of a parameter: uses.c. */
typedef enum Use {
    USE_READS = 1, USE_WRITES = 2, /* elements; of functions: on the host */
    USE_LAUNCHES = 4,              /* launches something with it, exchanges it for another array, or passes slices on:
                                    * the newest copy may be anywhere when it is called */
    USE_REPLACES = 8,              /* replaces it by another array, or moves it away */
    USE_FILLS = 16,                /* assigns every element before any other use */
} Use;
unsigned use_of_pass(const Event *e); /* Use bits of EVENT_PASS; complete after uses_find */
/* EVENT_MAKE: may the newest copy be on a device? The call may have launched something with the array, or may have
 * swapped it out of a parameter whose newest copy was there. */
bool make_is_unknown(const Event *e);
/* The array of an event in the words of the source. */
const char *event_array_name(Sema *s, const ArrayFlow *flow, const Event *e);

#endif
