/* leave.c -- the way out of the kernel behind a failed check. It is as cold as code gets, so it stays scalar: written
 * once more for the first lane that failed, with that lane's values, it reports the item as the item itself would have. */
#include "irgen/simd/simd.h"

typedef struct Leaving {
    SimdEmit *e;
    int row, vector;
    LLVMValueRef lane;
    SimdMap *value_at, *block_at;
    Vec(LLVMValueRef) values;
    Vec(LLVMBasicBlockRef) blocks;
} Leaving;

static LLVMValueRef operand(Leaving *l, LLVMValueRef v) {
    if (LLVMValueIsBasicBlock(v)) return LLVMBasicBlockAsValue(l->blocks.at[simd_map_get(l->block_at, LLVMValueAsBasicBlock(v))]);
    int i = simd_map_get(l->value_at, v);
    return i >= 0 ? l->values.at[i] : simd_lane(l->e, v, l->row, l->vector, l->lane);
}

static void make_blocks(Leaving *l, LLVMBasicBlockRef bb) {
    if (simd_map_get(l->block_at, bb) >= 0) return;
    simd_map_put(l->block_at, bb, l->blocks.n);
    vec_push(l->e->g->arena, &l->blocks, simd_block(l->e, "leave"));
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) make_blocks(l, LLVMGetSuccessor(t, i));
}

static void write(Leaving *l, LLVMBasicBlockRef bb) {
    SimdEmit *e = l->e;
    LLVMPositionBuilderAtEnd(e->b, l->blocks.at[simd_map_get(l->block_at, bb)]);
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
        LLVMValueRef c = LLVMInstructionClone(v);
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            LLVMSetOperand(c, (unsigned)i, operand(l, LLVMGetOperand(v, (unsigned)i)));
        LLVMInsertIntoBuilder(e->b, c);
        simd_map_put(l->value_at, v, l->values.n);
        vec_push(e->g->arena, &l->values, c);
    }
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) {
        int s = simd_map_get(l->block_at, LLVMGetSuccessor(t, i));
        if (!LLVMGetFirstInstruction(l->blocks.at[s])) write(l, LLVMGetSuccessor(t, i));
    }
}

static void leave_from(SimdEmit *e, LLVMBasicBlockRef to, int row, int vector, LLVMValueRef failed) {
    Leaving l = {.e = e, .row = row, .vector = vector};
    l.value_at = simd_map_new(e->g->arena, 32);
    l.block_at = simd_map_new(e->g->arena, 4);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    LLVMValueRef args[2] = {LLVMBuildBitCast(e->b, failed, bits, ""), LLVMConstInt(e->cg->i1, 1, false)};
    l.lane = LLVMBuildIntCast2(e->b, simd_intrinsic(e, "llvm.cttz", &bits, 1, args, 2), e->cg->i32, false, "lane");
    make_blocks(&l, to);
    LLVMBuildBr(e->b, l.blocks.at[0]);
    write(&l, to);
}

/* failed: a mask for each copy. The builder is left where all is well. */
void simd_leave(SimdEmit *e, LLVMBasicBlockRef to, LLVMValueRef *failed) {
    LLVMBasicBlockRef ok = simd_block(e, "ok"), bad = simd_block(e, "fail");
    LLVMBuildCondBr(e->b, simd_any(e, failed), bad, ok);
    LLVMPositionBuilderAtEnd(e->b, bad);
    for (int k = 0; k < e->n; k++) {
        LLVMBasicBlockRef here = simd_block(e, "failed"), next = NULL;
        if (k + 1 < e->n) {
            LLVMValueRef one = simd_intrinsic(e, "llvm.vector.reduce.or", (LLVMTypeRef[]){LLVMTypeOf(failed[k])}, 1, &failed[k], 1);
            next = simd_block(e, "next");
            LLVMBuildCondBr(e->b, one, here, next);
        } else {
            LLVMBuildBr(e->b, here);
        }
        LLVMPositionBuilderAtEnd(e->b, here);
        leave_from(e, to, k / e->shape.vectors, k % e->shape.vectors, failed[k]);
        if (next) LLVMPositionBuilderAtEnd(e->b, next);
    }
    LLVMPositionBuilderAtEnd(e->b, ok);
}
