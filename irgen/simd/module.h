/* module.h -- the vectoriser's door: the passes of pass.def that make vector code of a module's kernels. The loops over
 * items, which lang/value.c has marked, are vectorised; simd_prepare marks the functions that hold such loops
 * (CG_NESTS), for the passes after it. */
#ifndef KDSL_SIMD_MODULE_H
#define KDSL_SIMD_MODULE_H

#include "irgen/lang/cg.h"

/* What is wrong with a text for --nest-plan, or NULL (plan_text.c). */
const char *simd_plan_problem(Arena *a, const char *text);

/* Before LLVM's pipeline, in this order. */
void simd_prepare(Cg *cg);
void simd_widen_counters(Cg *cg);
void simd_version_indices(Cg *cg);
void simd_version_checks(Cg *cg);
void simd_delinearise(Cg *cg);
void simd_narrow(Cg *cg);
void simd_thread_exits(Cg *cg);
void simd_unroll(Cg *cg);
void simd_relate_checked(Cg *cg);
void simd_collect(Cg *cg);
void simd_promote(Cg *cg);
void simd_carry(Cg *cg);
void simd_print_places(Cg *cg);
void simd_idioms(Cg *cg);
void simd_pack(Cg *cg);
void simd_vectorize(Cg *cg);
void simd_clean(Cg *cg);
void simd_fold_masks(Cg *cg);
void simd_forward(Cg *cg);
void simd_open_group_memory(Cg *cg);
/* After it: masks on machines without mask registers (masks.c). */
void simd_lower_masks(Cg *cg);

#endif
