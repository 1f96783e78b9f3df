/* races.h -- the static race analysis: for each pair of accesses of a kernel to one array, of which one writes, whether
 * two different work items can touch the same element at the same time. */
#ifndef KDSL_RACES_H
#define KDSL_RACES_H

#include "sema/sema.h"

typedef enum RaceVerdict { RACE_FREE, RACE_UNKNOWN, RACE_BENIGN, RACE_FOUND } RaceVerdict; /* the worst last */
extern const char *const race_verdicts[];                                                  /* "free" */

typedef struct RaceValue {
    const char *name; /* of an element: NULL */
    int64_t value;
} RaceValue;
typedef Vec(RaceValue) RaceValues;

/* An example: the sizes of a launch, two work items, the element that both touch. */
typedef struct RaceWitness {
    RaceValues sizes, items[2], element;
    bool is_symbolic; /* which element depends on a value that is not known: it is shown as in the program */
} RaceWitness;

typedef struct RacePair {
    const Symbol *array;
    Span at[2];            /* the accesses, in the order of the text */
    Span call[2];          /* in the kernel, that lead to them; {0, 0}: its own text */
    const char *mode[2];   /* read, write, update, atomic */
    const char *text[2];   /* of the elements, as the program says them */
    const Stmt *assign[2]; /* whose target it is, or NULL */
    const Expr *atomic[2]; /* the update whose target it is, or NULL */
    bool is_atomic[2];
    RaceVerdict verdict;
    const char *reason;   /* one line: why it is free or unknown */
    bool needs_sizes;     /* unknown: products of sizes are in the way */
    bool of_data;         /* unknown: it depends on the values of an array */
    bool is_agreed;       /* unknown: the items agree by old values of atomic updates */
    bool if_both;         /* unknown: a race if conditions on data hold for both items */
    bool if_one;          /* unknown: a race if a condition on data holds for one of them */
    int sure;             /* of if_one: the access that is executed whatever the data are */
    Span instead;         /* found: the second access or this one is executed, whatever the data are; {0, 0}: none */
    RaceWitness witness;  /* RACE_FOUND, RACE_BENIGN; unknown: if_one */
    Span launch;          /* the witness is of this launch; {0, 0}: of some launch */
    int64_t holes;         /* the most elements that the items touch, whatever the data; 0: not known */
    bool is_same_element; /* the same element for all items */
    bool is_group;        /* the two items are of one group */
    bool is_assumed;      /* free as far as the kernel's assumptions hold */
} RacePair;
typedef struct RaceTable {
    Vec(RacePair) pairs;
    const char *failed; /* the kernel was not analysed, or not to its end: why */
    double ms;          /* of processor time */
    unsigned long steps; /* of isl */
} RaceTable;

#endif
