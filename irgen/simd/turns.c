/* turns.c -- a bit that is the same for all items of a block and turns what they find: `(a > b) == ((i & size) == 0)` in a
 * sorting network, where it says which way the block is sorted. As a vector it would be made, and combined with every
 * comparison, for each block anew, and keep the machine from taking the less and the greater of two numbers at once. As a
 * branch it costs next to nothing, because blocks that follow one another mostly answer alike. So the block is written
 * with either answer.
 *
 * Only in the versions for masks (aligned.c, spread.c): elsewhere such bits differ from item to item. */
#include "irgen/simd/simd.h"

static bool is_comparison(LLVMValueRef v) { return LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v); }

/* Is it the block's, and not the launch's, which LLVM asks before the loop? */
static bool is_of_block(SimdEmit *e, LLVMValueRef v) {
    int i = value_map_get(e->g->value_of, v);
    if (i < 0 || !LLVMIsAICmpInst(v)) return false;
    LaneRate r = simd_rate(e->g, v, e->g->values.at[i].block);
    return simd_joint_first_bits(e, v, NULL) || (r.x == LANE_UNIFORM && !r.y && simd_is_placed(e->g, v));
}

/* What turns a comparison in this part of the region; NULL: nothing does. */
static LLVMValueRef turning_in(SimdEmit *e, int block) {
    const SimdRegion *g = e->g;
    const SimdBlock *b = &g->blocks.at[block];
    for (int i = b->first; i < b->first + b->n; i++) {
        LLVMValueRef v = g->values.at[i].v;
        if (LLVMGetInstructionOpcode(v) != LLVMXor || LLVMTypeOf(v) != e->cg->i1) continue;
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef bit = LLVMGetOperand(v, k), found = LLVMGetOperand(v, !k);
            bool varies = is_comparison(found) && simd_rate(g, found, block).x == LANE_VARYING;
            if (varies && is_of_block(e, bit)) return bit;
        }
    }
    return NULL;
}

/* Where all items come to: in the beginning and behind its checks. */
static LLVMValueRef turning(SimdEmit *e) {
    LLVMValueRef bit = NULL;
    for (int b = e->block; b >= 0 && !bit; b = e->g->blocks.at[b].goes_on) bit = turning_in(e, b);
    return bit;
}

static void emit_told(SimdEmit *e, LLVMBasicBlockRef at, LLVMValueRef bit, bool answer, LLVMBasicBlockRef done) {
    LLVMPositionBuilderAtEnd(e->b, at);
    e->told = bit;
    e->answer = answer;
    simd_region_emit(e, e->x, e->y, NULL);
    LLVMBuildBr(e->b, done);
    e->told = NULL;
}

void simd_turned_emit(SimdEmit *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *mask) {
    e->block = value_map_get(e->g->block_of, e->g->body);
    e->x = x;
    e->y = y;
    LLVMValueRef bit = mask || !simd_allows(e->g, TOLD) || !(e->g->aligned || e->g->spread) ? NULL : turning(e), all = NULL;
    if (!bit) {
        simd_region_emit(e, x, y, mask);
        return;
    }
    LLVMBasicBlockRef yes = simd_block(e, "turned"), no = simd_block(e, "straight"), done = simd_block(e, "turns.done");
    LLVMValueRef joint = simd_joint_first_bits(e, bit, &all), is = joint ? joint : simd_at(e->g, e->b, bit, x, y);
    is = LLVMBuildFreeze(e->b, is, ""); /* behind a check that fails it may be anything */
    LLVMBuildCondBr(e->b, is, yes, no);
    if (joint) { /* the bits of all places, or those behind the first one differ */
        LLVMBasicBlockRef alike = simd_block(e, "alike"), apart = simd_block(e, "apart");
        LLVMPositionBuilderAtEnd(e->b, yes);
        LLVMBuildCondBr(e->b, all, alike, apart);
        LLVMPositionBuilderAtEnd(e->b, apart);
        simd_region_emit(e, x, y, NULL);
        LLVMBuildBr(e->b, done);
        yes = alike;
    }
    bool is_none = !joint || LLVMGetICmpPredicate(bit) == LLVMIntEQ;
    emit_told(e, yes, bit, is_none, done);
    emit_told(e, no, bit, !is_none, done);
    LLVMPositionBuilderAtEnd(e->b, done);
}
