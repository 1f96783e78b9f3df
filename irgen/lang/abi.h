/* abi.h -- kernels: the launch ABI, the domain, and what a reduction is; for the rooms that launch them or run them. */
#ifndef KDSL_LANG_ABI_H
#define KDSL_LANG_ABI_H

#include "irgen/lang/cg.h"
#include "sema/analysis/rate.h"

/* One kernel in one module. */
struct Kernel { /* typedef: target.h */
    Cg *cg;
    const Func *func;
    LLVMValueRef entry;            /* (launch environment, references, values as 64-bit slots, sizes[, result]) */
    int n_values;                  /* references + values + sizes (+ the error slot) (+ the print buffer) */
    bool narrow;                   /* on GPUs: the version for small launches */
    /* On processors: the body becomes `range`, which runs items begin..end of the flattened domain. */
    LLVMValueRef range;            /* (arrays, scalars, sizes, begin, end[, items]); of groups, where there are
                                    * groups */
    LLVMValueRef range_apart;      /* the same with copies of arrays that may be too large for it; NULL: there are
                                    * none */
    LLVMTypeRef range_type;
    int order[MAX_RANK];           /* CPU: the domain's axes from the slowest to the fastest (sema/analysis/axes.h) */
    const Stmt *loop;              /* CPU: a loop of each item that runs as another axis, the fastest one (collapsed
                                    * loop); NULL: none */
    int short_axes;                /* CPU: so many of the fastest axes are short: loops of each item of the others */
    int flattened;                 /* CPU: so many of the fastest axes, with the loop, are one axis; 0: none are */
    const struct Distribution *distribution; /* CPU: the body's parts (sema/analysis/distribute.h); NULL: it is one */
    bool in_lanes;                 /* CPU: a sum of floats, of which `range` adds each value to one of SUM_LANES numbers
                                    * (cpu/reduce.c) */
    const struct FlatAxis *flat;   /* CPU: the rows of a domain of one axis; NULL: it has none */
    LLVMValueRef row;              /* CPU: items of a row of the domain, in the entry; NULL: they have no rows */
    int64_t share_items;           /* items of a group that is spread as a whole; 1: single items */
    int64_t share_cost;            /* rough instructions one of these costs, for the decision to go parallel */
    LLVMValueRef share_work;       /* i64: the same as it is at the launch, in the entry */
    bool balanced;                 /* CPU: static scheduling with equal work (cpu/balance.c) */
    struct Triangle *triangle;     /* CPU: what of each row has work; NULL: all */
    Axis *axes;                    /* CPU: of the domain, in the entry */
    Unevenness uneven;             /* dynamic or guided scheduling, because some items may cost more than others */
};

/* abi.c ------------------------------------------------------------------------------------------------------------ */
void cg_kernel(Cg *cg, const Func *fn);
const char *cg_kernel_symbol(Cg *cg, const Func *fn);
LLVMValueRef cg_kernel_entry(Cg *cg, const Func *fn);      /* declaration, with the launch ABI */
/* GPUs have kernels twice (gpu/kernel.c): the second entry, for small launches. */
LLVMValueRef cg_narrow_entry(Cg *cg, const Func *fn);
bool cg_is_narrow_value(const Func *kernel, const Symbol *p); /* an index: at most CG_NARROW_ELEMENTS if narrow */
void cg_narrow_alias(Cg *cg, const Func *fn, LLVMValueRef entry); /* a processor has it once, under both names */
bool cg_by_reference(const Func *kernel, const Symbol *p); /* a parameter that is passed as an address */
const Symbol *cg_abi_param(const Func *fn, int i);         /* i-th of those, then the values */
int cg_entry_values(const Func *fn); /* the entry's parameters between the launch environment and the result */
/* noalias, align, ...: of the references among the parameters of v, from parameter `first` on. */
void cg_reference_attributes(Cg *cg, const Func *fn, LLVMValueRef v, int first);
int cg_kernel_values(Kernel *k, CgFunc *f, LLVMValueRef *values); /* the entry's parameters, decoded */
LLVMValueRef cg_kernel_result(Kernel *k, CgFunc *f);       /* the address for a reduction's result */
/* Slots of the kernel's symbols from values in the order of the ABI: arrays (data), scalars, sizes. */
void cg_kernel_bind(CgFunc *f, const Func *fn, LLVMValueRef *values);

void cg_domain(CgFunc *f, const Func *kernel, Axis *axes); /* the over clause, where slots hold the parameters */
LLVMValueRef cg_domain_total(CgFunc *f, const Func *kernel, Axis *axes);
LLVMValueRef cg_groups_along(CgFunc *f, const Group *g, Axis *axis, int d); /* how many, the last one maybe not full */
LLVMValueRef cg_domain_shares(CgFunc *f, const Func *kernel, Axis *axes);   /* what is spread: items, or groups */

/* check.c: the error slot and the print buffer, the entry's last parameters ---------------------------------------- */
int cg_extra_values(Cg *cg, const Func *fn);
void cg_bind_extra(CgFunc *f, const Func *fn, LLVMValueRef *extra);

/* reduction.c ------------------------------------------------------------------------------------------------------ */
LLVMValueRef cg_identity(Cg *cg, Reduction r, const Type *t); /* in its memory type */
/* a op b: scalars, or vectors, of the memory type of `t`, the reduction's result. */
LLVMValueRef cg_join(CgFunc *f, Reduction r, Type *t, LLVMValueRef a, LLVMValueRef b);
/* May the values of items be combined in any order? Those of integers and bools without groups, because the result is
 * the same. */
bool cg_combines_at_once(const Cg *cg, const Func *fn);
/* Then: combines the value in f->item_result with *total, which is this thread's own. */
void cg_combine_item(CgFunc *f, LLVMValueRef total);
LLVMValueRef cg_neutral(Cg *cg, Reduction r, const Type *item); /* an item's value that changes nothing */

/* array.c: for the timeline, what waits here for asynchronous launches: a text, or a null pointer. */
LLVMValueRef cg_wait_place(CgFunc *f, Span span);

/* call.c: host code is about to enter the standard library, or a launch; no span: it is over. */
void cg_called_at(CgFunc *f, Span span);

#endif
