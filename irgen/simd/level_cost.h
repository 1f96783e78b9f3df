/* level_cost.h -- what a level of a nest costs: level_cost.c; shape.c chooses by it. */
#ifndef KDSL_IRGEN_SIMD_LEVEL_COST_H
#define KDSL_IRGEN_SIMD_LEVEL_COST_H

#include "irgen/simd/simd.h"

/* Operations by what they differ along, and registers held through a round. */
typedef struct LevelCost {
    double both, vectors, rows, none; /* operations: of each vector; of each column; of each row; of all */
    double hoisted_both, hoisted_vectors; /* of these, what LLVM does before the loop */
    double held_both, held_vectors;   /* registers, for as many */
    double held_live;                 /* registers of each vector, where items leave a loop */
    double held_rows;                 /* registers of each column, where there are rows */
    double columns; /* operations of each vector that a block with a row for each lane need not make */
    double beyond;  /* operations of each vector that gathers take beyond what LLVM's model of the processor says */
    double lines_of_parts, lines_apart; /* of each vector, which several may lose (footprint.c) */
    double divergence;                  /* operations of each vector for masks, branches and selections */
    double live;    /* operations of each vector that are executed lane by lane, for those that are live */
    double locked;  /* cycles of each vector in which its lanes update memory that other threads reach */
    double locked_together;               /* of each block in which all of its lanes do so by one update */
    double divider_both, divider_vectors; /* cycles of the divider: of each vector; of each column */
    double chain, chain_alone; /* cycles that an iteration waits for the one before it: of a vector; of one item */
    double mask_chain;         /* the same, of a vector whose lanes leave the loop one after the other */
    double iteration;          /* cycles of the longest way through one iteration of a vector */
    int way;                   /* operations that wait for one another in a region without loops */
    double weight;             /* how often it runs for an item */
    bool few;                  /* so often for each item, by numbers that are known: the end is foreseen */
    bool inner;                /* holds no other loop */
} LevelCost;

/* footprint.c: do the lanes' own elements that are accessed again exceed the first cache? Lines of an access then */
bool level_is_crowded(const SimdRegion *g, int width);
double level_crowded_lines(const SimdRegion *g, const SimdValue *access, int width);
/* Adds the lines that the lanes of an access go along from round to round: a vector of each lane's row (walked.c), or
 * one element. And those that are lost in each round, for each vector of a block. */
void level_add_lines(LevelCost *c, const SimdRegion *g, const SimdValue *access, int width);
double level_lines_lost(const LevelCost *c, SimdShape s);
int64_t simd_private_bytes(const SimdRegion *g); /* of one item */

void level_find_costs(SimdRegion *g, const SimdTarget *t, int width); /* SimdRegion.costs */
LevelCost level_cost(const SimdRegion *g, const SimdTarget *t, int loop, int width);
double level_time(const LevelCost *c, const SimdTarget *t, SimdShape s); /* cycles, for a vector */
/* For one item by itself, where a vector would have so many. */
double level_time_alone(const SimdRegion *g, const SimdTarget *t, const LevelCost *c, int loop, int width);
/* Does each round load from where the one before says, lane by lane? While one item waits for that, the next one goes
 * on, as one vector beside another does. */
bool level_chases(const LevelCost *c);
double level_gather_time(const LevelCost *c); /* what that takes a vector */
/* Of a vector, for all rounds of its items and no more: what live lanes do one after the other, beside level_time; and
 * the least that all of it takes, for updates wait for one another. Of a block: what updates for all of its lanes take,
 * beside level_time. */
double level_live_time(const LevelCost *c);
double level_locked_time(const LevelCost *c);
double level_locked_together_time(const LevelCost *c);
double level_divergence_time(const LevelCost *c);
bool level_walks_down(const SimdRegion *g);
bool level_takes_columns(const SimdRegion *g);
/* Have the lanes of an access addresses that no vector of memory holds in any order? */
bool level_is_by_lane(const SimdRegion *g, const SimdValue *value, int width);

#endif
