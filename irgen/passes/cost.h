/* cost.h -- what the target's cost model says of instructions (llvm/Analysis/TargetTransformInfo.h). */
#ifndef KDSL_IRGEN_PASSES_COST_H
#define KDSL_IRGEN_PASSES_COST_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cost of the instruction, arithmetic of any kind, for one element and for so many at once. The unit is LLVM's
 * reciprocal throughput, 1 for a simple operation. */
typedef struct OperationCost {
    double alone, vector;
} OperationCost;

/* For n values of fn, costs[i] is what at[i] costs. What is no arithmetic, or has no vector form, costs -1. */
void LLVMKdslOperationCosts(LLVMTargetMachineRef machine, LLVMValueRef fn, const LLVMValueRef *at, int n, int lanes,
                        OperationCost *costs);

#ifdef __cplusplus
}
#endif
#endif
