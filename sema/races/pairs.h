/* pairs.h -- what the files of this room share about pairs of accesses. */
#ifndef KDSL_RACES_PAIRS_H
#define KDSL_RACES_PAIRS_H

#include "sema/races/races.h"
#include "sema/races/walk.h"

/* pigeon.c: the most elements that an event of many items touches, whatever the data; 0: not known */
int64_t races_holes(Walk *w, const Event *e);
/* lemmas.c: the conflicts of two events, without those that cannot be */
isl_set *races_with_lemmas(Walk *w, const Event *a, const Event *b, __isl_take isl_set *c);
/* pairs.c: all pairs of events but those that are free in `before`, which may be NULL */
void races_judge(Walk *w, RaceTable *table, const RaceTable *before);
bool races_same_pair(const RacePair *p, const RacePair *q); /* of accesses in the program text */
/* witness.c: an example of a conflict; false: none with numbers that a person would read */
bool races_witness(Walk *w, const Event *a, isl_set *conflict, RaceWitness *out);
/* explain.c: in words */
const char *races_values(Arena *arena, const RaceValues *v);      /* "i = 3, j = 0"; of an element "3, 0" */
const char *races_items(Arena *arena, const RaceWitness *x);      /* "i = 3 and i = 4" */
const char *races_element(Arena *arena, const RacePair *p);       /* "x[3, 0]" */
void races_report(Sema *s, Func *kernel, RaceTable *table); /* report.c */
/* warnings.c: of pairs that are not decided; n: how many races have been reported */
void races_warn(Sema *s, Func *kernel, const RaceTable *table, int n);
/* again.c: an element that is read beside its atomic update */
bool races_warn_again(Sema *s, Func *kernel, const RacePair *p);
bool races_remedy_again(Sema *s, const Func *kernel, Diag *d, const RacePair *p);
/* update.c */
bool races_same_text(Sema *s, Span a, Span b);
/* remedy.c: notes and fixes of a report; races.c: is the pair free now, after a change to the kernel? */
void races_remedy(Sema *s, Func *kernel, Diag *d, const RacePair *p, Span at);
/* where each of two work items reads and writes what the other one does */
void races_remedy_exchange(Sema *s, Func *kernel, Diag *d, const RacePair *p, Span at);
void races_remedy_benign(Sema *s, Diag *d, const RacePair *p);
bool races_cured(Sema *s, const Func *kernel, const RacePair *p);

#endif
