/* cpu.h -- kernels on a CPU, shared by the files of this directory: worksharing of the domain among threads, the
 * function that executes a range of work items, privatisation, reductions and the cost model. */
#ifndef KDSL_CPU_H
#define KDSL_CPU_H

#include "irgen/cpu/kernel.h"

enum { SUM_LANES = 32 }; /* accumulators of a sum of floats in each block (reduce.c) */

/* kernel.c */
/* Emits calls of `share(values..., begin, end)` that cover 0..n: in parallel if `fork` (i1) is true, else a single
 * serial call. least = 0: static schedule, one chunk of equal size for each thread; else dynamic schedule with chunks
 * of at least `least`. n counts work items, groups or blocks of a reduction, as `share` does. */
void cpu_spread(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef n,
                LLVMValueRef fork, int64_t least);

/* range.c */
void cpu_kernel_ranges(Kernel *k);  /* sets Kernel.range, range_apart, and what axes.c decides */

/* axes.c */
void cpu_choose_axes(Kernel *k);   /* sets Kernel.order, loop, flat */
void cpu_tell_axes(const Kernel *k, LLVMValueRef range); /* attributes for --explain=vector */

/* group.c */
/* Scalar expansion: an element for each of so many items, which execute parts of their body in turn. */
LLVMValueRef cpu_expanded(CgFunc *f, LLVMTypeRef t, int64_t items, const char *name);
/* Kernels with groups: emits the execution of groups begin..end. items: buffer of a reduction's item values, or NULL */
void cpu_group_range(CgFunc *f, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef items);

/* row_copies.c: sets f->rows, where items have rows that their loops read again */
void cpu_copy_rows(const Kernel *k, CgFunc *f);

/* triangle.c: NULL: the domain is not triangular */
typedef struct Triangle {
    const Expr *guard;      /* the condition, of which this is one: */
    const Expr *comparison; /* items with work are those for which it holds, or does not */
    int axis;               /* of the domain: whose index it compares with that of the slowest axis */
    bool holds, above;      /* above: lhs is the larger side where there is work */
    bool grows;             /* the first columns have work, more and more of them; or the last ones, fewer and fewer */
} Triangle;
Triangle *cpu_triangle(const Kernel *k);
/* Emits the number of columns with work in a row, whose index its slot has; that of the columns' axis has the first. */
LLVMValueRef cpu_triangle_columns(CgFunc *f, const Triangle *t, LLVMValueRef columns);

/* balance.c: does each thread get whole rows with as much work? */
bool cpu_balances(const Kernel *k);
/* Emits, in the entry, the work that comes before each of some places of the domain: a table for the threads. */
LLVMValueRef cpu_balance_table(Kernel *k, CgFunc *f);
/* Emits (i1): are there rows enough for it? Else another schedule is better. rows: of the slowest axis */
LLVMValueRef cpu_balance_is_fine(const Kernel *k, CgFunc *f, LLVMValueRef rows);
/* Emits this thread's share of 0..n. */
void cpu_balance_share(const Kernel *k, CgFunc *f, LLVMValueRef n, LLVMValueRef rows, LLVMValueRef table,
                       LLVMValueRef *begin, LLVMValueRef *end);

/* strips.c: in sessions, a function that calls `range` for a strip of begin..end at a time, or `polling` where items
 * take long, and stops at an interrupt */
LLVMValueRef cpu_strips(Kernel *k, LLVMValueRef range, LLVMValueRef polling);

/* reduce.c: emits the reduction over 0..total (work items or groups) and stores its value at `result` */
void cpu_reduce(Kernel *k, CgFunc *f, LLVMValueRef *values, int n_values, LLVMValueRef total, LLVMValueRef fork,
                LLVMValueRef result);

/* private.c: privatisation. apart: in the version for launches with small arrays (Kernel.range_apart) */
enum { PRIVATE_ALIGN = 64 };
bool cg_updates_copy(const Cg *cg, const Func *kernel, const Symbol *param, bool apart); /* is param privatised? */
bool cg_may_copy_more(const Cg *cg, const Func *kernel); /* are there arrays whose size only the launch decides? */
bool cg_copies_are_light(const Cg *cg, const Func *kernel); /* at most a cache line: cheap for every chunk */
/* Returns a function with the parameters of `share` that allocates and initialises the copies, calls `share` or `apart`
 * with them, and combines them at the end; `share` itself if no array is copied. units: index of the parameter that
 * says how many work items or groups each element of begin..end contains; -1: one. */
LLVMValueRef private_share(Kernel *k, LLVMValueRef share, LLVMValueRef apart, int units);

/* cost.c */
int64_t cost_of_item(const Func *fn);                      /* estimate from the tree; no trip counts of the launch */
LLVMValueRef cost_at_launch(CgFunc *f, const Func *fn);    /* i64: estimate with the trip counts of this launch */
LLVMValueRef cost_at_item(CgFunc *f, const Func *kernel);  /* i64: and where slots have an item's indices */
bool cost_is_known(const Func *kernel, const Expr *e); /* do these and the launch decide its value? */
/* Do items cost more than others only by loops that cost_at_item counts? guard: the triangle's, or NULL */
bool cost_is_of_loops(const Func *kernel, const Expr *guard);
int64_t cost_updates(const Func *fn); /* of arrays that may be privatised (sema/combine.c), an item; the same way */
enum { COST_MOST = 1 << 20 };                              /* of an item: no estimate is higher by more than a few */
enum {
    COST_FORK = 1 << 17,  /* with less work a fork costs more than it saves */
    COST_ROUND = 1 << 16, /* the same of a round of a team (runtime/team.c) */
    COST_SCALAR = 4       /* times as long as the estimate, which is of vector code, take items in scalar code */
};

#endif
