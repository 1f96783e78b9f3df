/* passes.h -- own passes over a module's LLVM IR, before and after LLVM's pipeline (pass.def). What they know about the
 * language is in lang/marks.h. */
#ifndef KDSL_PASSES_H
#define KDSL_PASSES_H

#include "irgen/lang/cg.h"

/* inline.c, before the pipeline: limits the size of inlined code; very large functions are not optimised. */
void cg_bound_inlining(Cg *cg);
void cg_bound_optimizing(Cg *cg);
void cg_bound_unrolling(Cg *cg); /* bound_unrolling.c, after that */
const char *cg_kept_call(Cg *cg, LLVMValueRef inst); /* the callee's name; NULL: it is not such a call */

void cg_optimize(Cg *cg); /* optimize.c: LLVM's pipeline, or a short one for functions that are vector code */

void cg_shorten_chains(Cg *cg); /* optimize.c, before vectorisation, and after the pipeline */
void cg_merge_regions(Cg *cg); /* optimize.c, after it, on the host */
void cg_combine_exits(Cg *cg); /* optimize.c, before it, on GPUs */
void cg_plain_loads(Cg *cg); /* plain_loads.c, after it, on GPUs */
void cg_narrow_integers(Cg *cg); /* words.c, after it, on GPUs */
void cg_share_addresses(Cg *cg); /* offsets.c, after it, on GPUs */
void cg_sink_extensions(Cg *cg); /* words.c, after that */
void cg_release_loops(Cg *cg); /* optimize.c, after that, on GPUs */
void cg_split_byte_products(Cg *cg); /* byte_products.c, after the pipeline, on GPUs */

void cg_estimate(Cg *cg); /* estimates.c, after the pipeline */
bool cg_is_estimated(Cg *cg, LLVMValueRef v); /* as part of a vector: it will be replaced */
void cg_expand_extremes(Cg *cg); /* extremes.c, after the pipeline */
void cg_subtract_remainders(Cg *cg); /* optimize.c, after the pipeline */
void cg_separate_masked_loads(Cg *cg); /* masked_loads.c, after the pipeline */
void cg_mark_searches(Cg *cg); /* searches.c, after the pipeline */
void cg_keep_endless(Cg *cg); /* endless.c, after all that use what it removes */
void cg_stack_needs(Cg *cg);     /* stack.c, when the code is final */

/* value_map.c: a hash table from LLVM values, blocks or other addresses to ints */
typedef struct ValueMap ValueMap;
ValueMap *value_map_new(Arena *a, int expected);
void value_map_put(ValueMap *m, const void *key, int value);
int value_map_get(const ValueMap *m, const void *key); /* -1: not in the table */

#endif
