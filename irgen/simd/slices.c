/* slices.c -- what an index, an address or a condition is computed from: the item's indices, values of the launch, or
 * anything else. The slice of a value (all that it is computed from) is summed up in a few bits, found once for each
 * nest; what consists of the indices and of the launch's values alone has a value at any item, which can be computed
 * before the items run, to test where a block lies. */
#include "irgen/simd/simd.h"

enum { UNKNOWN = 0, KNOWN = 1 << 7 }; /* KNOWN: the bits have been found */

bool simd_is_extreme(LLVMValueRef v) {
    return simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.smax.") || simd_is_call_of(v, "llvm.umin.") ||
           simd_is_call_of(v, "llvm.umax.");
}

bool simd_is_float_extreme(LLVMValueRef v) {
    return simd_is_call_of(v, "llvm.minimumnum.") || simd_is_call_of(v, "llvm.maximumnum.");
}

static unsigned slice_of_inst(SimdRegion *g, LLVMValueRef v);

static unsigned slice(SimdRegion *g, LLVMValueRef v) {
    if (v == g->x) return SLICE_X;
    if (v == g->y) return SLICE_Y;
    if (LLVMIsAConstantInt(v)) return 0;
    int i = value_map_get(g->value_of, v);
    if (i < 0) return SLICE_LAUNCH;
    if (g->values.at[i].slice == UNKNOWN) g->values.at[i].slice = (uint8_t)(KNOWN | slice_of_inst(g, v));
    return g->values.at[i].slice & (unsigned)~KNOWN;
}

static bool may_fail(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem) return false;
    LLVMValueRef by = LLVMGetOperand(v, 1);
    return !LLVMIsAConstantInt(by) || LLVMIsNull(by) || LLVMConstIntGetSExtValue(by) == -1;
}

/* Phis end the search, so it does, too. */
static unsigned slice_of_inst(SimdRegion *g, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool is_arithmetic = LLVMIsABinaryOperator(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v) ||
                         op == LLVMICmp || op == LLVMSelect || simd_is_extreme(v);
    if (!is_arithmetic) return SLICE_OTHER;
    bool selects = op == LLVMSelect || op == LLVMCall;
    unsigned all = may_fail(v) ? SLICE_DIVISION : selects ? SLICE_SELECT : 0;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) all |= slice(g, LLVMGetOperand(v, (unsigned)i));
    return all;
}

void simd_find_slices(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) g->values.at[i].slice = UNKNOWN;
    for (int i = 0; i < g->values.n; i++) slice(g, g->values.at[i].v);
}

unsigned simd_slice(const SimdRegion *g, LLVMValueRef v) {
    if (v == g->x) return SLICE_X;
    if (v == g->y) return SLICE_Y;
    if (LLVMIsAConstantInt(v)) return 0;
    int i = value_map_get(g->value_of, v);
    return i < 0 ? SLICE_LAUNCH : g->values.at[i].slice & (unsigned)~KNOWN;
}

bool simd_is_placed(const SimdRegion *g, LLVMValueRef v) {
    return !(simd_slice(g, v) & (SLICE_DIVISION | SLICE_OTHER));
}

static LLVMValueRef at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y) {
    if (v == g->x) return x;
    if (v == g->y) return y;
    if (value_map_get(g->value_of, v) < 0) return v;
    LLVMValueRef c = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(c, (unsigned)i, at(g, b, LLVMGetOperand(v, (unsigned)i), x, y));
    LLVMInsertIntoBuilder(b, c);
    return c;
}

LLVMValueRef simd_at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y) {
    return simd_is_placed(g, v) ? at(g, b, v, x, y) : NULL;
}
