/* simd.h -- the work items of a kernel as lanes of vectors. irgen writes a kernel's body once, as scalar code in a nest
 * of one or two counted loops over its items, and marks the loops. This room reads such a nest, finds out how every
 * value changes from one item to its neighbour, and writes it again for a block of items: `rows` of them along the
 * outer loop times `vectors` of `width` lanes along the inner one. What is the same for all items of a row, or of a
 * column, is computed once for them, so a block also shares loads among its items.
 *
 * Control flow that all items of a block take alike stays control flow. Where items part ways, the blocks on the ways
 * become one sequence, each under a mask of the lanes that came there and skipped when there are none; a loop that
 * items leave at different times runs until the last one has left.
 *
 * The code is read and written before LLVM's own pipeline runs, in the form that a few fixed passes leave it in. */
#ifndef KDSL_IRGEN_SIMD_H
#define KDSL_IRGEN_SIMD_H

#include "irgen/passes/cost.h"
#include "irgen/passes/passes.h"
#include "irgen/simd/module.h"
#include "sema/affine.h"

/* How a value changes along the inner loop (x), and whether along the outer one (y). */
typedef enum LaneKind { LANE_UNIFORM, LANE_LINEAR, LANE_VARYING } LaneKind;
typedef struct LaneRate {
    LaneKind x;
    bool y;          /* differs between the rows of a block */
    int64_t stride;  /* LANE_LINEAR: from item to item; of an address in bytes */
    bool exact;      /* LANE_LINEAR integers: no item's value has wrapped, so widening keeps the stride */
} LaneRate;

/* Of a mask: the bits that count the items of a block (aligned.c). */
typedef enum LowBits { LOW_ANY, LOW_ONES, LOW_ZEROS } LowBits;

enum { END = -1 };   /* in place of a node: the way out of a level, or back to its beginning */

typedef struct SimdValue {
    LLVMValueRef v;       /* an instruction of the region */
    int block;
    LaneRate rate;
    bool known;           /* rates.c: the rate says something already */
    int private_of;       /* an address in memory of the item's own: index of its alloca in SimdRegion.privates; -1 */
    int at_ends; /* ends.c: in most blocks this comparison holds (1), or fails (-1), for all items; this minimum or
                  * maximum is operand at_ends - 1; this remainder does not begin anew (1) */
    bool asked_to_wrap; /* ends.c: of the items of a block inside, none's value has wrapped */
    bool crosses;         /* used where its own block may have been skipped: kept in memory, for LLVM to promote */
    int leaves_loop;      /* innermost divergent loop around it, if it is used outside of that; -1 */
    uint8_t slice;        /* slices.c */
    int changes_in, stays_in; /* invariant.c */
    LowBits low;          /* a bit operation: what its mask has, in the version for aligned blocks */
    int parts;            /* parts.c: which of SimdRegion.parts it belongs to; -1 */
    int read_before;      /* a masked store: the load of its element that every item makes before (blend.c); -1 */
    bool is_still_there;  /* what that has read, where an item does not store */
    bool walks;           /* a load that walked.c will take together with those of the next iterations */
} SimdValue;

typedef struct SimdBlock {
    LLVMBasicBlockRef bb;
    int loop;             /* innermost loop; -1: none */
    bool leaves;          /* only leads out of the function: a failed check */
    int first_pred, n_preds; /* in SimdRegion.preds: the blocks that branch to it, one for each edge */
    int first_way, n_ways;   /* of one that leaves, in SimdRegion.ways: blocks where items part that come here */
    int first, n;         /* its instructions, in SimdRegion.values */
    bool guarded;         /* skipped when no lane is live; else it costs less than a branch */
    bool dead;            /* in a settled version: no item comes here */
    int taken;            /* in a settled version: the successor that all items take; -1: who knows */
    bool diverges;        /* its branch is not taken alike by all items */
    bool conditional;     /* some path through its level leaves it out */
    int goes_on;          /* behind its check: the block that just these items come to, next in the order; -1 */
    bool follows;         /* is such a block */
} SimdBlock;

/* One level: the region itself, or the body of a loop. Its nodes are blocks and inner loops, in an order in which every
 * node comes before those that it leads to. */
typedef struct SimdNode {
    int block, loop;      /* one of them; the other is -1 */
    int succ[8], n_succ;  /* positions in the order; END */
    int ipdom;            /* where all ways from here meet again; END */
    bool diverges;        /* items part ways behind it */
    bool masked;          /* not all items of the level that are live come here together */
    int next;             /* masked, or diverging: the node that is looked at behind this one; END */
} SimdNode;

typedef struct SimdLevel {
    int loop;             /* -1: the region */
    Vec(SimdNode) nodes;
} SimdLevel;

typedef struct SimdLoop {
    int header, parent;
    bool *has;            /* by block */
    int size;
    bool divergent;       /* items leave it at different times */
    bool conditional;     /* only some of its level's items come to it */
    LLVMValueRef counter, first, last; /* slices.c: it counts up by one from first to last, values of the launch, `last`
                                        * included or not; NULL: it does not */
    bool includes_last;
    LLVMValueRef triangle; /* its counter: it is read as the iterations that all rows have, as triangle.c writes it */
} SimdLoop;

typedef struct SimdPrivate {
    LLVMValueRef alloca_;
    int64_t elem_bytes;   /* all of its accesses are of this size */
} SimdPrivate;

enum { ANY_STEP = 0 };

/* Accesses of one kind in one block, near each other, whose places are `step` elements apart from item to item. */
typedef struct SimdParts {
    Vec(int) of;          /* SimdRegion.values, in their order */
    Vec(int64_t) place;   /* of each: elements behind the first one's */
    int64_t lo, hi;       /* of these */
    int step;             /* ANY_STEP: neighbours' are far apart, or who knows where */
    bool is_store;
    bool is_grid;         /* all items' places lie a multiple of the step apart */
} SimdParts;

/* A vector in which a nest gathers what its work items bring to one element (update.c). */
typedef struct SimdTotal {
    int value, copy;      /* the update, and of which copy */
    LLVMTypeRef type;
    LLVMValueRef slot;
} SimdTotal;

/* Larger nests stay scalar: what is asked here of blocks and values goes over all of them, for each of them. The
 * largest of all tests have 60 blocks and 1,500 values. */
enum { SIMD_MOST_BLOCKS = 512, SIMD_MOST_VALUES = 16384 };

typedef struct SimdPlaces SimdPlaces;

typedef struct SimdRegion {
    Arena *arena;
    LLVMValueRef fn;
    LLVMTargetDataRef layout;
    /* The nest. */
    LLVMBasicBlockRef entry_from, outer_head, inner_head, body, exit, after;
    LLVMValueRef x, y;            /* the counters (phis); y NULL: one loop */
    LLVMValueRef x_lo, x_hi, y_lo, y_hi;
    /* What is in it. */
    Vec(SimdBlock) blocks;
    Vec(int) preds, ways;         /* of blocks: SimdBlock */
    Vec(SimdValue) values;
    OperationCost *costs;         /* level_cost.c: of each value, as many at once as a vector has */
    Vec(SimdLoop) loops;
    Vec(SimdPrivate) privates;
    Vec(SimdParts) parts;
    Vec(SimdTotal) totals;        /* made as the nest is written */
    SimdLevel *levels;            /* [0]: the region, [1 + l]: loop l */
    ValueMap *value_of, *block_of, *private_of;
    ValueMap *other_items;        /* blocks of other loops over items; NULL: not looked for yet (privates.c) */
    SimdPlaces *places;           /* place.c */
    const struct Guards *row_guards; /* trim.c; NULL: none */
    int n_reached; /* blocks, while they are found */
    bool aligned;                 /* in the version for masks that leave neighbours side by side */
    bool mask_registers;          /* SimdTarget */
    const struct SimdTarget *target; /* while code for it is written; else NULL */
    ValueMap *n_stores;           /* gaps.c: by parameter */
    TransformSet omitted;         /* --no-transform */
    int tile;                     /* rows have so many items, but for the last one of several (pack.c); 0: any number */
    bool always;                  /* --vector=always: not refused for its cost */
    bool settled; /* ends.c: the rates are those of blocks in which all comparisons that are ends hold */
    bool rows;                    /* blocks of more than one row are looked at */
    int row_vectors;              /* of blocks of one row, for those that fill no block of several */
    int tail_vectors;             /* so many are worth a block under masks, not one after the other; 0: none are */
    const char *why_not;          /* not NULL: stays scalar, and why */
    double slower;                /* estimated time of its best vector code, by that of its items one by one */
    int lanes_tried;              /* of that */
    LLVMValueRef why_at;
} SimdRegion;

#define simd_allows(g, id) (!transform_in((g)->omitted, TRANSFORM_##id))

/* A block of items, and the machine's vectors. */
typedef struct SimdShape {
    int rows, vectors, width;
} SimdShape;

/* Does a gather take less time than a load for each lane? On some processors one of 16 lanes with indices of 32 bits
 * takes as long as those, and all others longer. */
typedef enum Gathers {
    GATHERS_SLOW,
    GATHERS_WIDE,
    GATHERS_UNKNOWN /* taken for fast, but not relied on */,
    GATHERS_FAST
} Gathers;

typedef struct SimdTarget {
    int vector_bits, registers;
    int alone_in_a_cycle;         /* scalar operations in a cycle, where it starts two of vectors (level_cost.c) */
    LLVMTargetMachineRef machine;
    bool mask_registers;          /* masks are bits, and every access may have one */
    Gathers gathers;
    bool permutes_bytes;          /* anywhere in a register (VBMI; with 128 bits SSSE3) */
} SimdTarget;

/* region.c: the nest that ends in this branch; false with why_not: it cannot be vector code */
bool simd_region(SimdRegion *g, Arena *a, LLVMValueRef fn, LLVMTargetDataRef layout, LLVMValueRef latch,
                 LLVMValueRef outer_latch);
int simd_node_of(const SimdRegion *g, int level,
                 int block); /* block's node in the level that holds it; END: elsewhere */
bool simd_in_loop(const SimdRegion *g, int loop, int block);
int simd_n_succ(const SimdRegion *g, int block);
LLVMBasicBlockRef simd_succ(const SimdRegion *g, int block, int i);

/* rates.c: how values change, which branches diverge, what runs under masks */
void simd_rates(SimdRegion *g, bool rows);
LaneRate simd_rate(const SimdRegion *g, LLVMValueRef v, int user_block);
bool simd_is_masked(const SimdRegion *g, int block); /* may some items that are live at its level not come here? */
bool simd_may_miss(const SimdRegion *g, int block); /* may some of all the region's items not come here? */
bool simd_is_plain_header(const SimdRegion *g, int block); /* of a block that begins with phis */
int64_t simd_bytes(const SimdRegion *g, LLVMTypeRef t); /* in memory */
bool simd_is_fused(LLVMValueRef v); /* a * b + c */
bool simd_is_pure_call(LLVMValueRef call); /* reads and writes no memory */
bool simd_is_atomic(LLVMValueRef v); /* a load or store: lane by lane, but for what all items load */
bool simd_is_plain(
    LLVMValueRef v); /* arithmetic on its operands alone, as fused multiply-adds are: cheap, and anywhere the same */
bool simd_is_sign_of_fused(LLVMValueRef v); /* the minus of c - a * b, which is part of the fused operation */
bool simd_is_contiguous(const SimdRegion *g, LaneRate at, LLVMTypeRef t);

void simd_find_uses(SimdRegion *g); /* uses.c: once the rates are there */

bool simd_refuse(SimdRegion *g, const char *why, LLVMValueRef at); /* false; the first reason counts */

/* Before, on functions that hold nests. */
void simd_thread_failing(Cg *cg, LLVMValueRef fn);   /* failing.c: failed checks of inlined functions leave at once */
void simd_split_aggregates(Cg *cg,
                           LLVMValueRef fn);        /* aggregates.c: structs and arrays as a whole become their parts */
void simd_find_alone(Cg *cg);                       /* alone.c: atomic updates of a group's memory are plain ones */
void simd_hoist_parts(Cg *cg, LLVMValueRef fn);      /* and those of parameters are taken before all loops */
/* indices.c: narrow index arithmetic that cannot wrap becomes 64-bit arithmetic */
void simd_widen_indices(Cg *cg, LLVMValueRef fn);
bool simd_sink(Cg *cg, LLVMValueRef fn); /* sink.c: stores of several paths to where the paths join. Any? */
bool simd_are_equal(LLVMValueRef a, LLVMValueRef b, int depth); /* the same, or computed alike from the same? */
bool simd_may_access(LLVMValueRef inst, LLVMValueRef address); /* what a store to `address` writes */
bool simd_collect_in(Cg *cg, LLVMValueRef fn); /* collect.c: stores to one array, into one block. Any? */
bool simd_translate(Cg *cg, LLVMValueRef fn); /* translate.c: loads of phis of addresses. Any? */
bool simd_expand_copies(Cg *cg, LLVMValueRef fn); /* expand.c: of private arrays, by elements. Any? */
bool simd_choose(Cg *cg, LLVMValueRef fn); /* choose.c: branches that only choose become selections. Any? */
void simd_drop_dead_phis(Cg *cg, LLVMValueRef fn);  /* straight.c: those that only use one another */
void simd_merge_straight(Cg *cg, LLVMValueRef fn); /* straight.c: blocks that are entered from one block alone */
bool simd_recognise_idioms(Cg *cg, LLVMValueRef fn); /* idioms.c: loops that count bits become instructions. Any? */
bool simd_use_words(Cg *cg, LLVMValueRef fn); /* subwords.c: small elements of private memory as parts of words. Any? */
void simd_shrink(Cg *cg, LLVMValueRef fn); /* shrink.c: arithmetic whose values fit 16 bits is done in 16 */

/* privates.c */
bool simd_privates(SimdRegion *g);
void simd_forget_items(LLVMValueRef latch); /* what an item leaves in private memory, of a loop's branch back */
void simd_sink_addresses(Cg *cg, LLVMValueRef fn); /* of private memory, to where they are used */

/* aligned.c: nests that are written twice */
bool simd_find_aligned(SimdRegion *g);
bool simd_counts_on(const SimdRegion *g, const SimdValue *value);
LLVMValueRef simd_ask_aligned(Cg *cg, const SimdRegion *g, LLVMBuilderRef b, int items);

/* counters.c: the branches back of n nests of a function, inner and outer ones; true: the function has a version now */
bool simd_widen_counters_in(Cg *cg, LLVMValueRef fn, const LLVMValueRef *latches, int n);

/* bounded.c: a nest's marks; true: counters between constants have 64 bits now */
bool simd_widen_bounded_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* nowrap.c: a nest's marks; true: the nest has a version now */
void simd_drop_scalar_versions(Cg *cg, LLVMValueRef fn); /* dropped.c */
bool simd_version_indices_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* inside.c: the same, for checks of indices */
bool simd_version_checks_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* checked.c: a nest's marks; true: an index is known to be another one plus a constant now */
bool simd_relate_checked_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* delinearise.c: a nest's marks; true: it is rows of items now */
bool simd_delinearise_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* narrow.c: a nest's marks; true: its loops have other bounds now */
bool simd_narrow_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* promote.c: the same; true: an element is kept in memory of the frame, for LLVM to promote */
bool simd_promote_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);
LLVMValueRef simd_accessed(LLVMValueRef v); /* the address of a load, store or atomic update; NULL: no such access */
bool simd_is_other_object(LLVMValueRef pointer, LLVMValueRef object); /* surely? */
bool simd_touches_no_memory(LLVMValueRef v); /* of what has no such address */

/* carry.c: the same; true: an element is passed from iteration to iteration in a register */
bool simd_carry_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* pack.c: the same; true: the nest is in tiles that read panels, in memory that all nests of a function share */
typedef struct SimdPanelMemory {
    LLVMValueRef columns, rows, lines; /* NULL: none yet */
} SimdPanelMemory;
bool simd_pack_in(Cg *cg, const SimdTarget *target, LLVMValueRef latch, LLVMValueRef outer_latch,
                  SimdPanelMemory *memory);

/* In the phis of `at`, what comes from `old` comes from `by`; NULL: it is dropped. */
void simd_replace_incoming(LLVMBuilderRef b, LLVMBasicBlockRef at, LLVMBasicBlockRef old, LLVMBasicBlockRef by);

/* exits.c: the same; true: conditions of its items' loops are branches of their own now */
bool simd_thread_exits_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* unroll.c: the same; true: a loop is unrolled */
/* Has it a loop to unroll that is also left early? Then values used after the loop must come from phis (LCSSA). */
bool simd_leaves_short_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);
bool simd_unroll_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);
bool simd_unroll_again_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* blend.c: SimdValue.read_before, once the rates are there */
ValueMap *simd_find_updated(Cg *cg);
bool simd_dominates(const SimdRegion *g, int by, int to); /* does every path to block `to` lead through `by`? */
void simd_blends(SimdRegion *g, const ValueMap *updated);

/* shape.c */
SimdShape simd_shape(SimdRegion *g, const SimdTarget *t);
int simd_width(const SimdRegion *g, const SimdTarget *t);
bool simd_loses_at_edges(SimdRegion *g, const SimdTarget *t, int width); /* are its items better one by one there? */
int simd_n_apart(const SimdRegion *g); /* accesses whose places side by side nothing shows */
enum { SIMD_LINE = 64 }; /* bytes of a cache line */
/* Operations on vectors that wait at a time, or are under way, in the machine's schedulers: longer code is written in
 * an order in which few wait. The reorder buffer also holds what has been executed, so it is larger (level_cost.c). */
enum { SIMD_IN_SIGHT = 96 };
bool simd_walks_far(const SimdRegion *g, const SimdValue *load);
bool simd_begins_run(const SimdRegion *g, const SimdValue *load); /* of neighbours, on far lines in each round */
int64_t simd_known_end(const SimdRegion *g, int width); /* of rows whose blocks begin at multiples of their size; 0 */
int64_t simd_most_trips(const SimdRegion *g); /* that a row has; 0: not known */
int64_t simd_trips(LLVMValueRef lo, LLVMValueRef hi); /* items along a loop, where that is known; 0 */

/* boscc.c: is there an update or another call that is made lane by lane? */
bool simd_makes_by_lane(const SimdRegion *g);

/* vector_memory.c: is a vector of what it loads gathered by one instruction, if its lanes lie anywhere? */
bool simd_is_gathered(const SimdRegion *g, const SimdTarget *t, LLVMValueRef load);
/* Lane by lane: does a load before it in its block read `by` bytes, less than a line, before it? */
bool simd_has_lanes_of(const SimdRegion *g, LLVMValueRef first, LLVMValueRef second, int64_t *by);
bool simd_shares_lanes(const SimdRegion *g, const SimdValue *load);

/* trips.c: what the cost model takes a loop of an item for */
double simd_trip_count(const SimdRegion *g, int loop);
bool simd_is_smooth(const SimdRegion *g, LLVMValueRef v);
bool simd_exit_is_missed(const SimdRegion *g, int loop);
bool simd_is_folded(const SimdRegion *g, int loop);
int64_t simd_known_trips(const SimdRegion *g, int loop); /* 0: nobody knows */
bool simd_is_counter(const SimdRegion *g, int loop, LLVMValueRef v);
bool simd_is_filling(const SimdRegion *g, int loop);
/* Iterations of a block of items in a loop and those around it, by those of the mean item; loop -1: 1 */
double simd_unevenness(const SimdRegion *g, int loop, int n_items);

/* counted.c: for counter in lo..hi, straight on */
typedef struct SimdCounted {
    const SimdLoop *loop;
    LLVMBasicBlockRef head, body, before; /* body: the last, or only, block of a round */
    LLVMValueRef counter, hi, lo;
    bool includes_hi;             /* counter <= hi; else counter < hi */
    bool leaves_by_true;          /* the header's branch does */
    int *of, n;                   /* a round's instructions, in SimdRegion.values; without branches */
    bool checks;                  /* some of which leave the nest if they fail */
} SimdCounted;
bool simd_find_counted(const SimdRegion *g, int loop, SimdCounted *c);
bool simd_find_counted_narrow(const SimdRegion *g, int loop, SimdCounted *c); /* of any width */
bool simd_find_counted_rounds(const SimdRegion *g, int loop, SimdCounted *c); /* a round may branch */
bool simd_find_counter(const SimdRegion *g, int loop, SimdCounted *c); /* of any width; checks in a round may fail */
LLVMValueRef simd_coming(const SimdCounted *c, LLVMValueRef phi, bool round); /* from a round, or from before */
bool simd_is_in_counted(const SimdRegion *g, const SimdCounted *c, LLVMValueRef v);

void simd_drop_calls(Cg *cg, const char *name); /* module.c: each call of the function becomes its first operand */
void simd_unshift_counters(Cg *cg, LLVMValueRef fn); /* shifted.c: count from where their loops begin */

/* front.c: its first iterations, up to `end`, are a loop before it, so many rounds at a time */
typedef struct SimdFront {
    LLVMBasicBlockRef head, exit;
    LLVMValueRef counter;         /* of the second loop; its value from `exit` is where the first one ended */
} SimdFront;
bool simd_may_have_front(const SimdCounted *c);
SimdFront simd_write_front(Cg *cg, SimdRegion *g, const SimdCounted *c, LLVMValueRef end, int rounds);

/* triangle.c: loops of which a bound changes from row to row; found for the rates of rows, written before the region is
 * read again */
bool simd_find_triangles(SimdRegion *g);
void simd_forget_triangles(SimdRegion *g);
bool simd_write_triangles(Cg *cg, SimdRegion *g); /* true: the first one is written */
bool simd_is_of_some_rows(const SimdRegion *g, int loop); /* the iterations that only some rows of a block have */
bool simd_is_of_all_rows(LLVMValueRef v); /* a call: the bound that all rows of a block have */
void simd_drop_of_all_rows(Cg *cg); /* those calls, from what has stayed scalar */

/* walked.c: loops in which each item walks along a row of its own; true: one has been written again, as above */
bool simd_walked(Cg *cg, SimdRegion *g, int width);
bool simd_find_walks(SimdRegion *g, int width); /* SimdValue.walks, for the cost model; false: there are none */

/* trim.c: guards of both counters, once the slices are known */
void simd_find_row_guards(Cg *cg, SimdRegion *g);

/* inner.c: loops of an item are better vectorised than items */
bool simd_leaves_to_inner(SimdRegion *g, bool unrolls);
double simd_walked_rounds(const SimdRegion *g, int loop, double rounds); /* of a loop that else makes so many */
bool simd_is_rest(const SimdRegion *g, int loop); /* of rounds that are too few to be taken together */

/* slp.c: operations of one item that are one, at this level, if items run one after the other; loop -1: outside */
double simd_lanes_alone(const SimdRegion *g, int loop, int width);

/* place.c: affine forms */
typedef enum Reading { AS_SIGNED, AS_UNSIGNED, AS_BITS } Reading;
SimdPlaces *simd_places_new(Arena *a);
Form simd_place(const SimdRegion *g, LLVMValueRef v, Reading r); /* of integers and addresses */
Form simd_as_atom(const SimdRegion *g, LLVMValueRef v, Reading r); /* not looked into */
LLVMValueRef simd_atom(const SimdRegion *g, int atom, bool *is_signed); /* is_signed NULL: never mind */
bool simd_is_atom(const SimdRegion *g, const Form *f, LLVMValueRef v); /* and nothing else */
bool simd_is_behind(const Form *a, const Form *b,
                    int64_t *by); /* a is b + *by; false: their difference is no constant */
bool simd_goes_on_by(const SimdRegion *g, LLVMValueRef v, LLVMValueRef next,
                     int64_t *by);                                     /* next is v + *by, modulo 2^w */
bool simd_step_down(const SimdRegion *g, LLVMValueRef v, int64_t *by); /* from row to row; false: not by a constant */
bool simd_is_in_next_row(const SimdRegion *g, LLVMValueRef v, LLVMValueRef next); /* is it there what v is here? */
int64_t simd_pace(const SimdRegion *g, LLVMValueRef v,
                  int loop); /* from iteration to iteration; SIMD_LINE: far; 0: unknown, too */

void simd_note_places(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch); /* place_text.c */

/* invariant.c: loop-invariant values */
void simd_find_invariants(SimdRegion *g);
bool simd_is_invariant(const SimdRegion *g, int loop, LLVMValueRef v);
bool simd_may_hoist(const SimdRegion *g, int loop, LLVMValueRef v); /* speculatively; then it is invariant */

/* slices.c: what a value is computed from */
enum {
    SLICE_X = 1, SLICE_Y = 2,  /* the item's indices */
    SLICE_LAUNCH = 4,          /* what is the same in the whole nest */
    SLICE_DIVISION = 8,        /* which may fail */
    SLICE_SELECT = 16,
    SLICE_OTHER = 32,          /* memory, calls, what loops carry */
    SLICE_COUNTER = 64         /* counters of loops between values of the launch */
};
void simd_find_slices(SimdRegion *g);
unsigned simd_slice(const SimdRegion *g, LLVMValueRef v);
/* Addresses computed from the items' indices alone, as of `x[i ^ gap]`, often are contiguous: worth a test each time,
 * which costs less than a gather. */
bool simd_may_be_neighbours(const SimdRegion *g, LLVMValueRef address);
bool simd_is_extreme(LLVMValueRef v); /* the least or greatest of two integers */
bool simd_is_float_extreme(LLVMValueRef v); /* the same of two floats, a number if one is NaN: in any order */
bool simd_is_placed(const SimdRegion *g, LLVMValueRef v); /* has a value at any item: simd_at */
bool simd_is_placed_in_rounds(const SimdRegion *g, LLVMValueRef v); /* and in the first and last rounds of loops */
LLVMValueRef simd_at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x,
                     LLVMValueRef y); /* or NULL */
LLVMValueRef simd_at_round(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y,
                           bool last); /* the same, in the first or the last round of each loop */

/* ends.c */
bool simd_find_ends(SimdRegion *g);  /* false: there are none; the rates are there, and again after it */
void simd_rates_settled(SimdRegion *g, bool settled); /* the rates of blocks that are inside, or of all */
void simd_find_dead(SimdRegion *g);  /* SimdBlock.dead and .taken */
bool simd_comes_alive(const SimdRegion *g, int from, int to); /* can items come along this edge? */
LaneRate simd_settled_rate(const SimdRegion *g, const SimdValue *value); /* of what is marked, but for comparisons */
int simd_known(const SimdRegion *g, LLVMValueRef cond); /* in a settled version: 1 or -1 for all items, 0: who knows */
LLVMValueRef simd_all_inside(SimdRegion *g, LLVMBuilderRef b, SimdShape s, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef simd_inside_upto(SimdRegion *g, LLVMBuilderRef b, int rows, LLVMValueRef x, LLVMValueRef last,
                              LLVMValueRef y); /* last: of the items from x on */
bool simd_settles_along(const SimdValue *value); /* where the item is along its row has a part in it */
LLVMValueRef simd_inside_along(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef last); /* these only */
bool simd_has_interior(const SimdRegion *g); /* interior.c: these are about the ends of rows, alike in all rows */
bool simd_takes_low_bits(LLVMValueRef v);    /* those below one: the remainder of a division by a power of two */
bool simd_is_remainder(LLVMValueRef v);      /* or of another division */
LLVMValueRef simd_divisor(LLVMValueRef rem);
bool simd_bounds_row(LLVMValueRef size, LLVMValueRef end, int depth); /* is `end` computed from it? */
bool simd_has_thin_edges(const SimdRegion *g);
bool simd_has_periods(const SimdRegion *g); /* ends that are remainders by what only a launch knows, */
LLVMValueRef simd_ask_short_periods(SimdRegion *g, LLVMBuilderRef b, int items); /* and is one short beside a block? */

/* stream.c: arrays that may be written past the caches, by what answers whether they are */
typedef struct SimdStreams {
    ValueMap *of;
    Vec(LLVMValueRef) large;
    bool used;
} SimdStreams;
void simd_find_streams(Cg *cg, SimdStreams *s);
LLVMValueRef simd_is_streamed(const SimdStreams *s, LLVMValueRef store, int64_t vector_bytes); /* NULL: never */

bool simd_is_idempotent(const SimdRegion *g); /* idempotent.c: may items be done again? */

/* ahead.c: what a row asks for before it comes there. Places are of the item at x. */
typedef struct SimdLead {
    LLVMValueRef array, at;
    int64_t bytes;            /* from item to item */
    int n_reads;              /* of its array */
} SimdLead;
typedef Vec(SimdLead) SimdAhead;
SimdAhead simd_reads_ahead(Cg *cg, SimdRegion *g, LLVMValueRef x, LLVMValueRef y);
void simd_fetch_ahead(Cg *cg, const SimdAhead *ahead, LLVMValueRef items,
                      int n_items);             /* of the block `items` behind x */
typedef enum SimdCache { SECOND_CACHE = 2, FIRST_CACHE } SimdCache; /* as llvm.prefetch counts them */
void simd_prefetch(Cg *cg, LLVMValueRef place, SimdCache cache);

/* widen.c, masks.c: which instructions are what */
bool simd_has_vector_form(LLVMValueRef v);
bool simd_is_low_half(LLVMValueRef v); /* a truncation of an operation that has a narrow form */
bool simd_is_remark(LLVMValueRef v);
bool simd_is_call_of(LLVMValueRef v, const char *prefix); /* masks.c: of a function whose name begins so */

/* access.c: loads and stores */
LLVMValueRef simd_address(LLVMValueRef access); /* of a load or store */
LLVMTypeRef simd_element(LLVMValueRef access);
bool simd_is_access(LLVMValueRef v); /* a load or store */
LaneRate simd_address_rate(const SimdRegion *g, const SimdValue *access); /* in the block of the access */
bool simd_is_beside(const SimdRegion *g, const SimdValue *access); /* are the elements of neighbours contiguous? */
bool simd_is_reversed(const SimdRegion *g, const SimdValue *access); /* the same in descending order */
LLVMValueRef simd_object(LLVMValueRef pointer); /* what it points into */
bool simd_is_param(LLVMValueRef object, const char *attribute); /* a parameter that is said to be so */
bool simd_is_group_memory(LLVMValueRef pointer); /* this thread's alone */

/* memory.c: tiles that are read or written across, and transposed */
bool simd_takes_columns(const SimdRegion *g, const SimdValue *access);
bool simd_turns_columns(const SimdRegion *g, SimdShape s,
                        const SimdValue *access); /* takes them whole, and transposes */

/* update.c: updates of memory by all lanes */
bool simd_changes_nothing(LLVMValueRef call, LLVMValueRef by); /* an update by 0, if it adds */
bool simd_updates_alone(LLVMValueRef v); /* an update of memory that this thread has for itself: no lock */
bool simd_has_vector_update(const SimdRegion *g, LLVMValueRef v, int block); /* false: it is made lane by lane */
double simd_update_cost(const SimdRegion *g, LLVMValueRef call, int block); /* of such a one, for a vector */
bool simd_has_totals(const SimdRegion *g); /* will it have any? */

/* partial.c: sums of small integers, in groups of lanes */
typedef enum PartialKind { PARTIAL_NONE, PARTIAL_BYTES, PARTIAL_WORDS } PartialKind;
typedef struct SimdPartial {
    PartialKind kind;
    LLVMValueRef a, b; /* extensions of what is added up; b: of the other factor, or what is subtracted; NULL: none */
} SimdPartial;
SimdPartial simd_partial_of(LLVMValueRef added);
SimdPartial simd_partial_update(const SimdRegion *g, LLVMValueRef call); /* update.c */
bool simd_is_of_partial(const SimdRegion *g, LLVMValueRef v, int depth); /* depth: 0 */

/* saturate.c */
bool simd_saturates(const SimdTarget *t, LLVMTypeRef from, LLVMTypeRef to);
/* divide.c */
bool simd_divides(LLVMValueRef v); /* integers */
double simd_division_cost(const SimdRegion *g, const SimdTarget *t, LLVMValueRef v, int width, double otherwise);
double simd_division_cycles(const SimdRegion *g, const SimdTarget *t, LLVMValueRef v,
                            int width); /* of the divider; 0: no floats are divided */

/* parts.c: interleaved accesses */
void simd_find_parts(SimdRegion *g); /* once the rates are there */
int simd_reach(const SimdParts *p); /* elements from the first to the last */
bool simd_is_part(const SimdRegion *g, const SimdValue *access, int width); /* with vectors of this width */
bool simd_is_of_rows(const SimdRegion *g, const SimdValue *access); /* and each item's are read for themselves */
/* elements of such a row that are read at a time, for their element size: a power of 2, at most the width */
int simd_row_length(const SimdParts *p, int width, int64_t bytes);
bool simd_walks(const SimdRegion *g, const SimdValue *access,
                const SimdCounted *c);               /* its items' own rows, side by side */
bool simd_may_meet(LLVMValueRef a, LLVMValueRef b); /* may two accesses be of one array? */

/* quasi.c: values that go up by a constant after each period of items */
typedef struct SimdPeriod {
    int items;            /* a power of two */
    int64_t by;           /* of an address in bytes */
    bool is_signed, is_unsigned; /* also of the value as an integer with, without a sign: nothing wraps */
    bool is_natural;      /* never negative */
} SimdPeriod;
bool simd_is_table(const SimdRegion *g, const SimdValue *load); /* tables.c: of a short constant array */
bool simd_is_of_table(const SimdRegion *g, LLVMValueRef v);
double simd_table_cost(const SimdRegion *g, const SimdValue *load, int width); /* operations */
bool simd_is_quasi_affine(const SimdRegion *g, const SimdValue *load, int width,
                          SimdPeriod *p); /* in blocks without a mask */

/* gaps.c: stores of some of the parts */
void simd_count_stores(SimdRegion *g); /* before any code is written */
bool simd_bridges_gaps(const SimdRegion *g, const SimdParts *p);

/* forward.c: what is in registers already of the memory of a group */
/* true if every address is an affine function of the item's index */
bool simd_has_known_places(const SimdRegion *g);
void simd_forward_in(Cg *cg, LLVMValueRef fn);

/* leave.c: checks */
bool simd_checked_at_ends(const SimdRegion *g, LLVMValueRef cond, int block);      /* and so for next to nothing */
LLVMValueRef simd_check_of(const SimdRegion *g, int block); /* what its branch leaves by, or does not; NULL: no check */

/* explain.c: what was decided, for --explain=vector */
/* Versions of a nest, and of its blocks: aligned.c, ends.c */
typedef struct SimdVersions {
    bool aligned, rest_is_scalar, ends, written_out;
} SimdVersions;
void simd_note(Cg *cg, SimdRegion *g, int number, SimdShape shape, SimdVersions versions);
void simd_note_scalar(Cg *cg, const SimdRegion *g, int number, bool slower);

#endif
