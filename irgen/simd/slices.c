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

/* The loop whose counter it is; -1: it is none. */
static int counting_loop(const SimdRegion *g, LLVMValueRef v) {
    for (int l = 0; l < g->loops.n && LLVMIsAPHINode(v); l++)
        if (g->loops.at[l].counter == v) return l;
    return -1;
}

/* Phis end the search, so it does, too. */
static unsigned slice_of_inst(SimdRegion *g, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (counting_loop(g, v) >= 0) return SLICE_COUNTER;
    bool is_arithmetic = LLVMIsABinaryOperator(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v) ||
                         op == LLVMICmp || op == LLVMSelect || simd_is_extreme(v);
    if (!is_arithmetic) return SLICE_OTHER;
    bool selects = op == LLVMSelect || op == LLVMCall;
    unsigned all = may_fail(v) ? SLICE_DIVISION : selects ? SLICE_SELECT : 0;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) all |= slice(g, LLVMGetOperand(v, (unsigned)i));
    return all;
}

static bool is_of_launch(SimdRegion *g, LLVMValueRef v) {
    return !(slice(g, v) & ~(unsigned)(SLICE_LAUNCH | SLICE_SELECT));
}

static void forget_slices(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) g->values.at[i].slice = UNKNOWN;
}

static void find_counting_loops(SimdRegion *g) {
    for (int l = 0; l < g->loops.n; l++) {
        SimdLoop *loop = &g->loops.at[l];
        SimdCounted c;
        if (!simd_find_counter(g, l, &c) || !is_of_launch(g, c.lo) || !is_of_launch(g, c.hi)) continue;
        if (simd_bounds_row(c.hi, g->x_hi, 0) || (g->y && simd_bounds_row(c.hi, g->y_hi, 0))) continue; /* no window */
        loop->counter = c.counter;
        loop->first = c.lo;
        loop->last = c.hi;
        loop->includes_last = c.includes_hi;
    }
}

void simd_find_slices(SimdRegion *g) {
    for (int l = 0; l < g->loops.n; l++) g->loops.at[l].counter = NULL;
    forget_slices(g);
    find_counting_loops(g);
    forget_slices(g); /* in which no value was one of a counter */
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
    return !(simd_slice(g, v) & (SLICE_DIVISION | SLICE_OTHER | SLICE_COUNTER));
}

bool simd_is_placed_in_rounds(const SimdRegion *g, LLVMValueRef v) {
    return !(simd_slice(g, v) & (SLICE_DIVISION | SLICE_OTHER));
}

/* Where one is looked for, in its first or last round. */
typedef struct Spot {
    LLVMValueRef x, y;
    bool last;
} Spot;

static LLVMValueRef at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Spot p);

static LLVMValueRef counter_at(const SimdRegion *g, LLVMBuilderRef b, int loop, Spot p) {
    const SimdLoop *l = &g->loops.at[loop];
    LLVMValueRef v = at(g, b, p.last ? l->last : l->first, p), one = LLVMConstInt(LLVMTypeOf(v), 1, false);
    return p.last && !l->includes_last ? LLVMBuildSub(b, v, one, "") : v;
}

static LLVMValueRef at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Spot p) {
    if (v == g->x) return p.x;
    if (v == g->y) return p.y;
    if (value_map_get(g->value_of, v) < 0) return v;
    int loop = counting_loop(g, v);
    if (loop >= 0) return counter_at(g, b, loop, p);
    LLVMValueRef c = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(c, (unsigned)i, at(g, b, LLVMGetOperand(v, (unsigned)i), p));
    LLVMInsertIntoBuilder(b, c);
    return c;
}

LLVMValueRef simd_at(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y) {
    return simd_is_placed(g, v) ? at(g, b, v, (Spot){x, y, false}) : NULL;
}

LLVMValueRef simd_at_round(const SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y,
                           bool last) {
    return simd_is_placed_in_rounds(g, v) ? at(g, b, v, (Spot){x, y, last}) : NULL;
}
