/* lanes.c -- instructions without a vector form, lane by lane: written out where all lanes are live, else in a loop
 * over the live ones. */
#include "irgen/simd/emit.h"

static LLVMValueRef lanes_as_bits(SimdEmit *e, LLVMValueRef *mask) {
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    return mask ? LLVMBuildBitCast(e->b, *mask, bits, "") : LLVMConstAllOnes(bits);
}

/* for each live lane, lowest first: the instruction as it was */
static void each_lane(SimdEmit *e, LLVMValueRef inst, LLVMValueRef *mask, int row, int vector, LLVMValueRef result) {
    LLVMTypeRef t = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    LLVMBasicBlockRef head = simd_block(e, "lanes"), body = simd_block(e, "lane"), done = simd_block(e, "lanes.done");
    LLVMValueRef left = simd_alloca(e, t, "left");
    LLVMBuildStore(e->b, lanes_as_bits(e, mask), left);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef bits = LLVMBuildLoad2(e->b, t, left, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstNull(t), ""), body, done);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->cg->i1, 1, false)};
    LLVMValueRef lane = simd_intrinsic(e, "llvm.cttz", &t, 1, args, 2);
    lane = LLVMBuildIntCast2(e->b, lane, e->cg->i32, false, "");
    LLVMValueRef one = simd_clone_lane(e, inst, row, vector, lane);
    if (result) {
        LLVMTypeRef all = simd_type(e, LLVMTypeOf(inst));
        LLVMValueRef so_far = LLVMBuildLoad2(e->b, all, result, "");
        LLVMBuildStore(e->b, LLVMBuildInsertElement(e->b, so_far, one, lane, ""), result);
    }
    LLVMValueRef rest = LLVMBuildAnd(e->b, bits, LLVMBuildSub(e->b, bits, LLVMConstInt(t, 1, false), ""), "");
    LLVMBuildStore(e->b, rest, left);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, done);
}

/* The same written out, where all lanes are live. */
static LLVMValueRef every_lane(SimdEmit *e, LLVMValueRef inst, int row, int vector, LLVMValueRef result) {
    for (int i = 0; i < e->shape.width; i++) {
        LLVMValueRef lane = cg_i32(e->cg, i), one = simd_clone_lane(e, inst, row, vector, lane);
        if (result) result = LLVMBuildInsertElement(e->b, result, one, lane, "");
    }
    return result;
}

void simd_per_lane(SimdEmit *e, int i) {
    LLVMValueRef inst = e->g->values.at[i].v;
    if (simd_vector_update(e, inst)) return;
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind;
    LaneRate r = e->g->values.at[i].rate;
    for (int row = 0; row < (has_result && !r.y ? 1 : e->shape.rows); row++)
        for (int vector = 0; vector < e->shape.vectors; vector++) {
            LLVMTypeRef all = has_result ? simd_type(e, LLVMTypeOf(inst)) : NULL;
            int k = has_result ? simd_copy_at(e, r, row, vector) : 0;
            if (!e->mask) {
                LLVMValueRef v = every_lane(e, inst, row, vector, has_result ? LLVMGetPoison(all) : NULL);
                if (has_result) e->copy[i][k] = v;
                continue;
            }
            LLVMValueRef result = has_result ? simd_alloca(e, all, "results") : NULL;
            if (result) LLVMBuildStore(e->b, LLVMConstNull(all), result);
            LLVMValueRef *mask = has_result ? simd_mask_for(e, r, row, vector) : simd_mask_of(e, row, vector);
            each_lane(e, inst, mask, row, vector, result);
            if (result) e->copy[i][k] = LLVMBuildLoad2(e->b, all, result, "");
        }
}
