/* aligned.c -- known bits of indices, and loop versioning by them. `t & (gap - 1)`, for example, is the partner of an
 * item in a butterfly network (sorting, Fourier and Hadamard transforms): for gaps of at least a block the mask keeps
 * all low bits, and neighbours stay contiguous. Whether that holds is known when the nest begins; a test there chooses
 * between versions of the nest.
 *
 * A value is aligned if the bits that count the lanes are 0 in a block's first item. For such a value and a mask that
 * is the same for all items,
 *     low bits of the mask all 1:  value & mask counts with the value
 *     low bits of the mask all 0:  value | mask and value ^ mask count with the value; value & mask is one for all
 *
 * A division without signs by such a number is another spelling of it. A divisor whose low bits are all 0 is a multiple
 * of the block, so no multiple of it lies within the block: value / divisor is one for all, value % divisor counts with
 * the value. */
#include "irgen/simd/simd.h"

enum { FAR = 6, SMALL = 7 }; /* SMALL: the bits that count the items of a small block */

static bool is_step(LLVMOpcode op) {
    switch (op) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMURem:
    case LLVMTrunc: case LLVMSExt: case LLVMZExt: return true;
    default: return false;
    }
}

/* An integer that has a value where the nest begins. */
static bool is_known_before(const SimdRegion *g, LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && !(simd_slice(g, v) & ~(unsigned)SLICE_LAUNCH);
}

static bool may_be_aligned(const SimdRegion *g, LLVMValueRef v, int depth);

/* One operand of a product, or of `&`, is enough. */
static LLVMValueRef aligned_factor(const SimdRegion *g, LLVMValueRef v, int depth) {
    for (unsigned i = 0; i < 2; i++)
        if (may_be_aligned(g, LLVMGetOperand(v, i), depth + 1)) return LLVMGetOperand(v, i);
    return NULL;
}

/* Aligned in every block, if what is known before and goes into it is (and the first item's number). */
static bool may_be_aligned(const SimdRegion *g, LLVMValueRef v, int depth) {
    if (v == g->x) return true;
    if (LLVMIsAConstantInt(v)) return (LLVMConstIntGetSExtValue(v) & SMALL) == 0;
    if (is_known_before(g, v)) return true;
    if (depth > FAR || value_map_get(g->value_of, v) < 0) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (!is_step(op)) return false;
    if (op == LLVMShl) return may_be_aligned(g, LLVMGetOperand(v, 0), depth + 1);
    if (op == LLVMMul || op == LLVMAnd) return aligned_factor(g, v, depth) != NULL;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!may_be_aligned(g, LLVMGetOperand(v, (unsigned)i), depth + 1)) return false;
    return true;
}

/* What is to be hoped for: n - 1 is a mask that keeps low bits, anything else one that has none. */
static LowBits hoped(LLVMValueRef mask) {
    enum { LEAST = 63 }; /* larger than any block */
    if (LLVMIsAConstantInt(mask)) {
        uint64_t low = LLVMConstIntGetZExtValue(mask) & LEAST;
        return low == LEAST ? LOW_ONES : low == 0 ? LOW_ZEROS : LOW_ANY;
    }
    bool is_sum = LLVMIsAInstruction(mask) && LLVMGetInstructionOpcode(mask) == LLVMAdd;
    LLVMValueRef by = is_sum ? LLVMGetOperand(mask, 1) : NULL;
    return by && LLVMIsAConstantInt(by) && LLVMConstIntGetSExtValue(by) == -1 ? LOW_ONES : LOW_ZEROS;
}

/* Marks the operations whose masks are asked for. */
bool simd_find_aligned(SimdRegion *g) {
    bool found = false;
    for (int i = 0; i < g->values.n; i++) {
        SimdValue *value = &g->values.at[i];
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        value->low = LOW_ANY;
        bool divides = op == LLVMUDiv || op == LLVMURem;
        if ((op != LLVMAnd && op != LLVMOr && op != LLVMXor && !divides) || g->blocks.at[value->block].leaves) continue;
        if (divides && value->at_ends) continue; /* the same in blocks inside (ends.c) */
        LLVMValueRef a = LLVMGetOperand(value->v, 0), mask = LLVMGetOperand(value->v, 1);
        if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(a)) < 16) continue;
        if (is_known_before(g, a) || !is_known_before(g, mask) || !may_be_aligned(g, a, 0)) continue;
        LowBits low = divides ? LOW_ZEROS : hoped(mask);
        if (low == LOW_ONES && op != LLVMAnd) continue;
        value->low = low;
        found = found || low != LOW_ANY;
    }
    return found;
}

/* Of a marked operation: does its value count the lanes? */
static bool is_about_lanes(const SimdRegion *g, const SimdValue *value) {
    if (value->low == LOW_ANY) return false;
    LaneRate a = simd_rate(g, LLVMGetOperand(value->v, 0), value->block);
    LaneRate mask = simd_rate(g, LLVMGetOperand(value->v, 1), value->block);
    return a.x == LANE_LINEAR && a.stride == 1 && mask.x == LANE_UNIFORM && !mask.y;
}

bool simd_counts_on(const SimdRegion *g, const SimdValue *value) { return g->aligned && is_about_lanes(g, value); }

/* The question ----------------------------------------------------------------------------------------------------- */

typedef struct Question {
    Cg *cg;
    const SimdRegion *g;
    LLVMBuilderRef b;
    int64_t low;          /* the bits that count the items of a block */
    LLVMValueRef holds;
} Question;

static void ask_low(Question *q, LLVMValueRef v, LowBits want) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef low = LLVMConstInt(t, (uint64_t)q->low, false);
    LLVMValueRef has = LLVMBuildAnd(q->b, simd_at(q->g, q->b, v, NULL, NULL), low, "");
    has = LLVMBuildICmp(q->b, LLVMIntEQ, has, want == LOW_ONES ? low : LLVMConstNull(t), "");
    /* Poison where the value overflows here; then it does in each item that computes it. */
    q->holds = LLVMBuildAnd(q->b, q->holds, LLVMBuildFreeze(q->b, has, ""), "");
}

static void ask_aligned(Question *q, LLVMValueRef v) {
    if (v == q->g->x) return;
    if (is_known_before(q->g, v)) {
        ask_low(q, v, LOW_ZEROS);
        return;
    }
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMMul || op == LLVMAnd) {
        ask_aligned(q, aligned_factor(q->g, v, 0));
        return;
    }
    int n = op == LLVMShl ? 1 : LLVMGetNumOperands(v);
    for (int i = 0; i < n; i++) ask_aligned(q, LLVMGetOperand(v, (unsigned)i));
}

/* For blocks of that many items, a power of two. */
LLVMValueRef simd_ask_aligned(Cg *cg, const SimdRegion *g, LLVMBuilderRef b, int items) {
    Question q = {.cg = cg, .g = g, .b = b, .low = items - 1, .holds = LLVMConstInt(cg->i1, 1, false)};
    ask_low(&q, g->x_lo, LOW_ZEROS);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!is_about_lanes(g, value)) continue;
        ask_aligned(&q, LLVMGetOperand(value->v, 0));
        ask_low(&q, LLVMGetOperand(value->v, 1), value->low);
    }
    return q.holds;
}

