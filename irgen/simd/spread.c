/* spread.c -- places that are apart in the same way in every block of items. With a mask that keeps some of the bits that
 * count the lanes and no others, `2 * t - (t & (gap - 1))` is 0 1 4 5 8 9 12 13 behind that of the first lane, or another
 * such row, whatever the block is. Where such a row lies within two vectors, two loads and a permutation make a gather,
 * and in memory that only this thread sees two loads, permutations and two stores make a scatter; the permutations come
 * from the mask alone, so LLVM makes them where the nest begins. */
#include "irgen/simd/simd.h"

enum { FAR = 8, LANES = 8, ELEMENT_BYTES = 4 };

static bool is_spread(const SimdRegion *g, LLVMValueRef v, int block, int depth) {
    if (simd_rate(g, v, block).x != LANE_VARYING) return true;
    int i = value_map_get(g->value_of, v);
    if (i < 0 || depth > FAR) return false;
    const SimdValue *value = &g->values.at[i];
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LaneRate a = simd_rate(g, LLVMGetOperand(v, 0), block);
    if (op == LLVMAnd) return value->low == LOW_ONES && a.x == LANE_LINEAR && a.stride == 1;
    if (op == LLVMShl && !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return false;
    if (op == LLVMGetElementPtr && LLVMGetNumOperands(v) != 2) return false;
    if (op != LLVMAdd && op != LLVMSub && op != LLVMShl && op != LLVMGetElementPtr) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_spread(g, LLVMGetOperand(v, (unsigned)k), block, depth + 1)) return false;
    return true;
}

bool simd_is_spread_number(const SimdRegion *g, LLVMValueRef v, int block) {
    return simd_rate(g, v, block).x == LANE_VARYING && is_spread(g, v, block, 0);
}

/* Is this a place that the version for such masks is about? */
bool simd_is_spread(const SimdRegion *g, const SimdTarget *t, const SimdValue *access) {
    bool is_store = LLVMIsAStoreInst(access->v);
    LLVMValueRef at = LLVMGetOperand(access->v, is_store);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(access->v, 0) : access->v);
    bool is_wide = t->vector_bits == LANES * ELEMENT_BYTES * 8 && simd_width(g, t) == LANES;
    bool fits = is_wide && simd_bytes(g, type) == ELEMENT_BYTES && access->private_of < 0 && !simd_is_atomic(access->v);
    return fits && simd_rate(g, at, access->block).x == LANE_VARYING && is_spread(g, at, access->block, 0);
}

/* What each lane's value is more than the first one's. The mask is known where the nest begins. */
LLVMValueRef simd_behind(SimdEmit *e, LLVMValueRef v) {
    LaneRate r = simd_rate(e->g, v, e->block);
    LLVMTypeRef t = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? e->cg->i64 : LLVMTypeOf(v);
    if (r.x != LANE_VARYING) return simd_items(e, t, r.x == LANE_LINEAR ? r.stride : 0);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = simd_behind(e, LLVMGetOperand(v, 0));
    if (op == LLVMAnd) return LLVMBuildAnd(e->b, a, simd_splat(e, simd_at(e->g, e->b, LLVMGetOperand(v, 1), e->x, e->y)), "");
    if (op == LLVMShl) return LLVMBuildShl(e->b, a, simd_splat(e, LLVMGetOperand(v, 1)), "");
    LLVMValueRef b = simd_behind(e, LLVMGetOperand(v, 1));
    if (op == LLVMAdd) return LLVMBuildAdd(e->b, a, b, "");
    if (op == LLVMSub) return LLVMBuildSub(e->b, a, b, "");
    LLVMTypeRef wide = simd_type(e, e->cg->i64);
    if (LLVMTypeOf(b) != wide) b = LLVMBuildSExt(e->b, b, wide, "");
    int64_t bytes = simd_bytes(e->g, LLVMGetGEPSourceElementType(v));
    return LLVMBuildAdd(e->b, a, LLVMBuildMul(e->b, b, simd_splat(e, cg_i64(e->cg, bytes)), ""), "");
}

/* Of addresses, in elements. */
LLVMValueRef simd_behind_first(SimdEmit *e, LLVMValueRef pointer) {
    LLVMValueRef behind = LLVMBuildAShr(e->b, simd_behind(e, pointer), simd_splat(e, cg_i64(e->cg, 2)), "");
    return LLVMBuildTrunc(e->b, behind, simd_type(e, e->cg->i32), "");
}

static LLVMValueRef all_of(SimdEmit *e, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMTypeOf(mask);
    return simd_intrinsic(e, "llvm.vector.reduce.and", &t, 1, &mask, 1);
}

/* places: the addresses of the lanes, all of them live */
SimdWindow simd_window(SimdEmit *e, LLVMValueRef pointer, LLVMValueRef places) {
    SimdWindow w = {0};
    w.behind[0] = simd_behind_first(e, pointer);
    LLVMValueRef last = LLVMBuildExtractElement(e->b, w.behind[0], cg_i32(e->cg, LANES - 1), "");
    LLVMValueRef second = LLVMBuildSub(e->b, last, cg_i32(e->cg, LANES - 1), "");
    w.behind[1] = LLVMBuildSub(e->b, w.behind[0], simd_splat(e, second), "");
    LLVMValueRef between = all_of(e, LLVMBuildICmp(e->b, LLVMIntULE, w.behind[0], simd_splat(e, last), ""));
    w.holds = LLVMBuildAnd(e->b, between, LLVMBuildICmp(e->b, LLVMIntULE, second, cg_i32(e->cg, LANES), ""), "");
    w.at[0] = LLVMBuildExtractElement(e->b, places, cg_i32(e->cg, 0), "");
    w.at[1] = LLVMBuildGEP2(e->b, e->cg->f32, w.at[0], &second, 1, "");
    return w;
}

LLVMValueRef simd_permuted(SimdEmit *e, LLVMValueRef v, LLVMValueRef order) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef args[2] = {LLVMBuildBitCast(e->b, v, simd_type(e, e->cg->f32), ""), order};
    v = simd_intrinsic(e, "llvm.x86.avx2.permps", NULL, 0, args, 2);
    return LLVMBuildBitCast(e->b, v, t, "");
}

LLVMValueRef simd_elements_at(SimdEmit *e, LLVMTypeRef t, LLVMValueRef at) {
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, at, "");
    LLVMSetAlignment(v, ELEMENT_BYTES);
    return v;
}

LLVMValueRef simd_window_load(SimdEmit *e, const SimdWindow *w, LLVMTypeRef t) {
    LLVMValueRef parts[2];
    for (int k = 0; k < 2; k++) parts[k] = simd_permuted(e, simd_elements_at(e, t, w->at[k]), w->behind[k]);
    LLVMValueRef in_first = LLVMBuildICmp(e->b, LLVMIntULT, w->behind[0], simd_splat(e, cg_i32(e->cg, LANES)), "");
    return LLVMBuildSelect(e->b, in_first, parts[0], parts[1], "");
}

/* A part of the window with the lanes' values where they belong. */
static LLVMValueRef filled(SimdEmit *e, LLVMValueRef part, LLVMValueRef v, LLVMValueRef behind) {
    LLVMValueRef places = simd_iota(e, e->cg->i32, 1), lane_of = LLVMConstNull(LLVMTypeOf(places));
    LLVMValueRef is_some = LLVMConstNull(simd_type(e, e->cg->i1));
    for (int lane = 0; lane < LANES; lane++) {
        LLVMValueRef place = simd_splat(e, LLVMBuildExtractElement(e->b, behind, cg_i32(e->cg, lane), ""));
        LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntEQ, places, place, "");
        lane_of = LLVMBuildSelect(e->b, here, simd_splat(e, cg_i32(e->cg, lane)), lane_of, "");
        is_some = LLVMBuildOr(e->b, is_some, here, "");
    }
    return simd_choice(e, is_some, simd_permuted(e, v, lane_of), part);
}

/* Between the lanes' places it writes back what is there. */
void simd_window_store(SimdEmit *e, const SimdWindow *w, LLVMValueRef v) {
    LLVMValueRef parts[2];
    for (int k = 0; k < 2; k++) parts[k] = simd_elements_at(e, LLVMTypeOf(v), w->at[k]);
    for (int k = 0; k < 2; k++) parts[k] = filled(e, parts[k], v, w->behind[k]);
    for (int k = 0; k < 2; k++) LLVMSetAlignment(LLVMBuildStore(e->b, parts[k], w->at[k]), ELEMENT_BYTES);
}
