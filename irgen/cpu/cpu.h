/* cpu.h -- kernels on the cores of a processor, for the files of this room: ranges of items, spread over threads. */
#ifndef KDSL_CPU_H
#define KDSL_CPU_H

#include "irgen/cpu/kernel.h"

/* kernel.c */
/* Call `share(values..., begin, end)` for all of 0..n; spread over the cores where `fork` holds: in equal parts, one a
 * thread, or, where `least` is not 0, so many or more at a time, to whoever is free. */
void cpu_spread(Kernel *k, CgFunc *f, LLVMValueRef share, LLVMValueRef *values, int n_values, LLVMValueRef n,
                LLVMValueRef fork, int64_t least);

/* range.c */
void cpu_kernel_ranges(Kernel *k);  /* fills Kernel.range, range_apart, and what axes.c decides */

/* axes.c */
void cpu_choose_axes(Kernel *k);   /* fills Kernel.order, loop, flat */
void cpu_tell_axes(const Kernel *k, LLVMValueRef range); /* for --explain=vector */

/* group.c: kernels in groups; the function runs groups begin..end */
void cpu_group_range(CgFunc *f, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef items);

/* reduce.c */
void cpu_reduce(Kernel *k, CgFunc *f, LLVMValueRef *values, int n_values, LLVMValueRef total, LLVMValueRef fork,
                LLVMValueRef result);

/* private.c: privatisation, threads that update copies of their own */
enum { PRIVATE_ALIGN = 64 };
bool cg_updates_copy(const Cg *cg, const Func *kernel, const Symbol *param, bool apart);
bool cg_may_copy_more(const Cg *cg, const Func *kernel); /* than it always does */
bool cg_copies_are_light(const Cg *cg, const Func *kernel); /* each of many chunks may have its own */
/* What takes the place of `share`, or `apart`, and gives one of them copies. units: which parameter tells how many of
 * what the kernel spreads are in one of begin..end; -1: one. */
LLVMValueRef private_share(Kernel *k, LLVMValueRef share, LLVMValueRef apart, int units);

/* cost.c */
int64_t cost_of_item(const Func *fn);                      /* rough instructions, from the tree */
LLVMValueRef cost_at_launch(CgFunc *f, const Func *fn);    /* i64: the same where its parameters are known */
enum { COST_FORK = 1 << 17 };                              /* below this much work a fork costs more than it gives */

#endif
