/* stream.c -- non-temporal stores. An array that a kernel only writes and that is larger than the last-level cache need
 * not be read into the cache first, which saves a third of the traffic of a triad. The sizes come from irgen, as calls
 * of CG_EXTENT at the beginning of a kernel, where one test decides whether an array is large. Such stores must be
 * aligned, and are slow unless they fill whole cache lines one after another: only stores that all items of a long row
 * execute qualify (plan.c). */
#include "irgen/simd/emit.h"

/* Is nothing done with this address, or one made from it, but storing? */
static bool only_written(LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user)) {
            if (LLVMGetOperand(user, 0) != pointer || !only_written(user)) return false;
        } else if (LLVMIsACallInst(user)) {
            LLVMValueRef fn = LLVMGetCalledValue(user);
            if (fn != LLVMGetNamedFunction(LLVMGetGlobalParent(fn), CG_EXTENT)) return false;
        } else if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) == pointer) {
            return false;
        }
    }
    return true;
}

/* Of a kernel's arrays, those that may be written past the caches: map from the parameter to its answer. */
void simd_find_streams(Cg *cg, SimdStreams *s) {
    LLVMValueRef marker = LLVMGetNamedFunction(cg->module, CG_EXTENT);
    *s = (SimdStreams){.of = value_map_new(&cg->c->arena, 8)};
    if (!marker) return;
    LLVMValueRef exceeds = cg_runtime(cg, RT_EXCEEDS_CACHE);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(marker));) {
        LLVMValueRef mark = LLVMGetUser(use), array = LLVMGetOperand(mark, 0), bytes = LLVMGetOperand(mark, 1);
        if (cg_allows(cg, STREAM) && LLVMIsAArgument(array) && only_written(array)) {
            LLVMPositionBuilderBefore(cg->b, mark);
            LLVMSetCurrentDebugLocation2(cg->b, NULL);
            value_map_put(s->of, array, s->large.n);
            LLVMValueRef large = LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(exceeds), exceeds, &bytes, 1, "");
            large = LLVMBuildICmp(cg->b, LLVMIntNE, large, cg_i32(cg, 0), "large");
            vec_push(&cg->c->arena, &s->large, large);
        }
        LLVMInstructionEraseFromParent(mark);
    }
    LLVMDeleteFunction(marker);
}

LLVMValueRef simd_is_streamed(const SimdStreams *s, LLVMValueRef store, int64_t vector_bytes) {
    enum { LEAST_BYTES = 16 };
    int i = value_map_get(s->of, simd_object(LLVMGetOperand(store, 1)));
    return i < 0 || vector_bytes % LEAST_BYTES ? NULL : s->large.at[i];
}

void simd_stream(SimdEmit *e, LLVMValueRef store, LLVMValueRef made) {
    if (!e->past || value_map_get(e->past, store) < 0) return;
    LLVMValueRef one = cg_i32(e->cg, 1);
    LLVMSetAlignment(made, (unsigned)simd_bytes(e->g, LLVMTypeOf(LLVMGetOperand(made, 0))));
    unsigned kind = LLVMGetMDKindIDInContext(e->cg->ctx, "nontemporal", 11);
    LLVMSetMetadata(made, kind, LLVMMDNodeInContext(e->cg->ctx, &one, 1));
    e->streams->used = true;
}
