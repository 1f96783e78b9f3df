/* idempotent.c -- which items may run twice. A nest that does not read the arrays it writes is idempotent. Then the
 * last vector of a row needs no mask: it ends with the row, overlaps the vector before it, and runs some items again.
 * On machines without mask registers a masked store takes a few dozen cycles, more than the vector it ends. A nest that
 * keeps a check is left out: the code that reports a failure is long, and once is enough. */
#include "irgen/simd/simd.h"

/* A parameter, memory of the item's own frame, or a constant: distinct ones are apart. */
static bool is_object(LLVMValueRef base) {
    return LLVMIsAArgument(base) || LLVMIsAAllocaInst(base) ||
           (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base));
}

static bool clears_private(const SimdRegion *g, LLVMValueRef call) {
    return simd_is_call_of(call, "llvm.memset.") &&
           value_map_get(g->private_of, simd_object(LLVMGetOperand(call, 0))) >= 0;
}

static bool has_no_effect(const SimdRegion *g, LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall: return simd_is_pure_call(v) || simd_is_remark(v) || clears_private(g, v);
    case LLVMAtomicRMW: case LLVMAtomicCmpXchg: case LLVMFence: case LLVMInvoke: case LLVMCallBr: case LLVMVAArg:
        return false;
    default: return !simd_is_atomic(v); /* computes a value, or is a load or store, which the caller checks */
    }
}

bool simd_is_idempotent(const SimdRegion *g) {
    ValueMap *written = value_map_new(g->arena, 4);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (g->blocks.at[value->block].leaves || !has_no_effect(g, value->v)) return false;
        if (!LLVMIsAStoreInst(value->v)) continue;
        LLVMValueRef base = simd_object(LLVMGetOperand(value->v, 1));
        if (!is_object(base)) return false;
        if (value_map_get(g->private_of, base) < 0) value_map_put(written, base, 1);
    }
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!LLVMIsALoadInst(value->v)) continue;
        LLVMValueRef base = simd_object(LLVMGetOperand(value->v, 0));
        if (!is_object(base) || value_map_get(written, base) >= 0) return false;
    }
    return true;
}
