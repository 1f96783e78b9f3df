/* cost.h -- instruction costs from LLVM's target cost model (llvm/Analysis/TargetTransformInfo.h). A C interface
 * without C++ types. */
#ifndef KDSL_IRGEN_PASSES_COST_H
#define KDSL_IRGEN_PASSES_COST_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cost of an arithmetic instruction for one element, and for a vector of elements; of a load or store: of a gather
 * or scatter of as many. The unit is LLVM's reciprocal throughput: 1 is a simple operation. */
typedef struct OperationCost {
    double alone, vector;
} OperationCost;

/* Sets costs[i] to the cost of at[i], for i in 0..n; fn: the function that contains these. -1: not an arithmetic
 * instruction, or there is no vector form. */
void LLVMKdslOperationCosts(LLVMTargetMachineRef machine, LLVMValueRef fn, const LLVMValueRef *at, int n, int lanes,
                        OperationCost *costs);

#ifdef __cplusplus
}
#endif
#endif
