/* flow.h -- what a function does to its arrays, as a control-flow graph of events (make, move, read, write, pass ...).
 * It is built once (flow.c); the analyses of where arrays are stored (uses.c, plan.c) work on it. */
#ifndef KDSL_FLOW_H
#define KDSL_FLOW_H

#include "sema/check.h"

typedef enum EventKind {
    EVENT_MAKE,    /* the variable holds new memory: a list, a copy, what a call gives */
    EVENT_MOVE,    /* it takes over what `other` holds */
    EVENT_SWAP,    /* it and `other` exchange what they hold */
    EVENT_LEAVE,   /* what it holds goes out of sight: returned, moved into something that is not a variable */
    EVENT_READ,    /* an element, here and now */
    EVENT_WRITE,
    EVENT_PASS,    /* behind a reference, to a function, a kernel, a built-in or C */
    EVENT_FILL,    /* a loop over all of it begins, which gives every element a new value */
    EVENT_ENTER,   /* a resident block begins that launches something with it */
} EventKind;

typedef struct Event {
    EventKind kind;
    int slot, other;      /* variables, by number (ArrayFlow.symbol); -1: none */
    Expr *at;             /* the EXPR_NAME that names the array; NULL where there is none */
    Span span;            /* for messages */
    bool may_hoist;       /* plan.c: asking once before its loop is enough */
    bool is_element;      /* READ, WRITE: of one element, where the index is written. PASS: of a slice */
    bool reads;           /* WRITE: of what the element held before, or of a part of it */
    const CallInfo *maker; /* MAKE: the call that has made it, or NULL */
    const Arg *arg;       /* PASS */
    const CallInfo *call; /* PASS, and READ and WRITE by a call: all events of one call follow one another */
    Expr *launch;         /* PASS to a kernel: the EXPR_OFFLOAD */
    int param;            /* PASS: which argument it is */
    Stmt *resident;       /* innermost STMT_RESIDENT around it; ENTER: the one that begins */
    int resident_no;      /* the same: its number in ArrayFlow.residents, -1: none */
    bool copies;          /* ENTER: plan.c: copied in here */
    Stmt *loop_stmt;      /* FILL: the loop that fills it */
    Sync asked;           /* plan.c: what host code asks for here, or before its loop */
    uint64_t writers;     /* explain_transfers.c */
    int loop;             /* innermost loop around it (ArrayFlow.loops), -1: none */
    bool every_turn;      /* each turn of that loop comes by here before it can leave */
} Event;

typedef struct FlowBlock {
    Vec(Event) events;
    int next[2], n_next; /* where it goes on; none: the function or the program ends */
    bool is_return;      /* the function ends */
} FlowBlock;

typedef struct FlowLoop {
    Stmt *stmt;          /* STMT_FOR or STMT_WHILE; NULL: a comprehension */
    Expr *comprehension;
    int first, last;     /* its blocks: first .. last - 1 */
    bool counts;         /* the trip count is known before the first turn */
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
    int made;         /* slot of what a call has made and nobody takes over: f()[1], f().at(1) */
    Vec(FlowBlock *) blocks; /* [0] is where the function begins */
    Vec(FlowLoop) loops;
    Vec(FlowResident) residents;
} ArrayFlow;

ArrayFlow *flow_build(Sema *s, Func *f);
/* fills.c: the arrays that this STMT_FOR may fill whole, as its text has it; whether it reads them is another matter. */
void fills_find(Sema *s, const Stmt *loop, SyncList *found);

/* What a function does with the array behind one of its parameters: uses.c. */
typedef enum Use {
    USE_READS = 1, USE_WRITES = 2, /* elements; of functions: on the host */
    USE_LAUNCHES = 4,              /* launches something with it, or exchanges it for another */
    USE_REPLACES = 8,              /* puts another array in its place, or takes it away */
    USE_FILLS = 16,                /* gives every element a value before it does anything else */
} Use;
unsigned use_of_pass(const Event *e); /* Use bits of EVENT_PASS; complete after uses_find */
/* EVENT_MAKE: may the newest copy be on a device? The call may have launched something with the array, or have taken it out
 * of a parameter (by `swap`) whose newest copy was there. */
bool make_is_unknown(const Event *e);
/* The array of an event in the words of the source. */
const char *event_array_name(Sema *s, const ArrayFlow *flow, const Event *e);

#endif
