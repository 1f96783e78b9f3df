/* passes.h -- passes over a module's LLVM IR around LLVM's own pipeline; each knows of the language what marks.h says. */
#ifndef KDSL_PASSES_H
#define KDSL_PASSES_H

#include "irgen/lang/cg.h"

/* inline.c, before the pipeline: some functions that were to be inlined stay calls, and very large ones are not optimised. */
void cg_bound_inlining(Cg *cg);
void cg_bound_optimizing(Cg *cg);
const char *cg_kept_call(Cg *cg, LLVMValueRef inst); /* the name of the function; NULL: it is not such a call */

void cg_guard_extremes(Cg *cg); /* extremes.c, after the pipeline */
void cg_stack_needs(Cg *cg);    /* stack.c, when the code is final */

/* value_map.c: from an LLVM value, a block, or any other address to a number */
typedef struct ValueMap ValueMap;
ValueMap *value_map_new(Arena *a, int expected);
void value_map_put(ValueMap *m, const void *key, int value);
int value_map_get(const ValueMap *m, const void *key); /* -1: not there */

#endif
