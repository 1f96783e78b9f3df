/* quasi.c -- quasi-affine accesses: addresses with a quotient or a remainder of the index in them, as u[i / 2, j / 2]
 * of an image at half the resolution, or a[j % 4]. Such a value goes up by a constant after each period of items:
 *
 *     (x + c) / 4  goes up by 1 every 4 items,    (x + c) % 4  by 0,    whatever c is.
 *
 * So of the lanes of a vector, those that are a period apart read contiguous elements (or one element), and a load is
 * as many loads of part of a vector as the period has items, interleaved. Where the quotient changes is not asked: the
 * run of lanes 1, 3, 5, ... begins at the element of lane 1, which is that of lane 0 or the next one.
 *
 * A quotient goes up so only if its operand counts on over the integers: each reading of a value, with and without a
 * sign, is followed for itself, by the flags of its operations (nsw, nuw), as in place.c. They are about items that are
 * there, so only vectors of which no lane is missing are read in this way. */
#include "irgen/simd/emit.h"

enum { DEEPEST = 8, LONGEST = 4 };

static bool constant(LLVMValueRef v, int64_t *k) {
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
    *k = LLVMConstIntGetSExtValue(v);
    return true;
}

/* Periods are powers of two: the longer one is a multiple of the shorter one. */
static SimdPeriod sum(SimdPeriod a, SimdPeriod b, int sign) {
    int items = a.items > b.items ? a.items : b.items;
    uint64_t by =
        (uint64_t)a.by * (uint64_t)(items / a.items) + (uint64_t)b.by * (uint64_t)(items / b.items) * (uint64_t)sign;
    return (SimdPeriod){items, (int64_t)by, a.is_signed && b.is_signed, a.is_unsigned && b.is_unsigned,
                        a.is_natural && b.is_natural && sign > 0};
}

/* The number of items after which the value has gone up by a multiple of the divisor. */
static bool until_multiple(SimdPeriod *p, int64_t divisor) {
    while (p->by % divisor) {
        if (p->by > INT64_MAX / 2 || p->by < INT64_MIN / 2 || p->items > LONGEST) return false;
        p->by *= 2;
        p->items *= 2;
    }
    return p->items <= LONGEST;
}

static bool quotient(SimdPeriod *p, int64_t divisor, bool is_known) {
    if (!is_known || divisor <= 0 || !until_multiple(p, divisor)) return false;
    p->by /= divisor;
    return true;
}

/* Without a sign; the quotient is below the sign, too. */
static bool natural_quotient(SimdPeriod *p, int64_t divisor) {
    if (divisor < 2 || !quotient(p, divisor, p->is_unsigned)) return false;
    p->is_signed = p->is_unsigned = p->is_natural = true;
    return true;
}

static bool remainder_of(SimdPeriod *p, int64_t divisor, bool is_known) {
    if (!is_known || divisor <= 0 || !until_multiple(p, divisor)) return false;
    *p = (SimdPeriod){p->items, 0, true, true, true};
    return true;
}

static bool find(const SimdRegion *g, LLVMValueRef v, int block, SimdPeriod *p, int depth);

static bool of_address(const SimdRegion *g, LLVMValueRef gep, int block, SimdPeriod *p, int depth) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    if (!find(g, LLVMGetOperand(gep, 0), block, p, depth)) return false;
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        SimdPeriod one;
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            t = LLVMStructGetTypeAtIndex(t, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (i > 1) t = LLVMGetElementType(t);
        if (!find(g, index, block, &one, depth)) return false;
        if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64 && !one.is_signed) return false;
        one.by = (int64_t)((uint64_t)one.by * (uint64_t)simd_bytes(g, t));
        *p = sum(*p, one, 1);
    }
    return true;
}

/* Any operation on values that are the same after each period has such a value. */
static bool repeats(const SimdRegion *g, LLVMValueRef v, int block, SimdPeriod *p, int depth) {
    SimdPeriod b = {1, 0, true, true, false};
    if (LLVMGetNumOperands(v) > 1 && !find(g, LLVMGetOperand(v, 1), block, &b, depth)) return false;
    if (p->by || b.by) return false;
    *p = (SimdPeriod){p->items > b.items ? p->items : b.items, 0, true, true, false};
    return true;
}

/* Of a binary operation, or of an extension. */
static bool of_operation(const SimdRegion *g, LLVMValueRef v, int block, SimdPeriod *p, int depth) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    SimdPeriod b;
    int64_t k = 0;
    if (!find(g, LLVMGetOperand(v, 0), block, p, depth)) return false;
    bool has_constant = LLVMGetNumOperands(v) == 2 && constant(LLVMGetOperand(v, 1), &k);
    bool may_wrap = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMTrunc;
    switch (op) {
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v)) return false; /* fall through */
    case LLVMAdd:
    case LLVMSub:
        if (!find(g, LLVMGetOperand(v, 1), block, &b, depth)) return false;
        *p = sum(*p, b, op == LLVMSub ? -1 : 1);
        break;
    case LLVMShl: k = k >= 0 && k < 62 ? (int64_t)1 << k : 0; /* fall through */
    case LLVMMul:
        if (!has_constant || !k) return false;
        p->by = (int64_t)((uint64_t)p->by * (uint64_t)k);
        break;
    case LLVMLShr: return has_constant && k > 0 && k < 62 && natural_quotient(p, (int64_t)1 << k);
    case LLVMUDiv: return has_constant && natural_quotient(p, k);
    case LLVMAShr:
        if (!has_constant || k < 0 || k >= 62 || !quotient(p, (int64_t)1 << k, p->is_signed)) return false;
        p->is_unsigned = p->is_natural;
        return true;
    case LLVMSDiv: return has_constant && p->is_natural && quotient(p, k, p->is_signed);
    case LLVMSRem: return has_constant && remainder_of(p, k, p->is_natural);
    case LLVMURem: return has_constant && remainder_of(p, k, p->is_unsigned);
    case LLVMAnd: return has_constant && k > 0 && (k & (k + 1)) == 0 && k < INT32_MAX && remainder_of(p, k + 1, true);
    case LLVMTrunc: break;
    case LLVMSExt: p->is_unsigned = p->is_natural; return p->is_signed;
    case LLVMZExt:
        if (!p->is_unsigned && !(p->is_signed && LLVMGetNNeg(v))) return false;
        p->is_signed = p->is_unsigned = p->is_natural = true;
        return true;
    default: return repeats(g, v, block, p, depth);
    }
    if (!may_wrap) return true;
    p->is_signed &= LLVMGetNSW(v) != 0;
    p->is_natural &= p->is_signed && k >= 0;
    p->is_unsigned = p->is_natural || (p->is_unsigned && LLVMGetNUW(v));
    return true;
}

static bool find(const SimdRegion *g, LLVMValueRef v, int block, SimdPeriod *p, int depth) {
    LaneRate r = simd_rate(g, v, block);
    int i = value_map_get(g->value_of, v);
    *p = (SimdPeriod){1, v == g->x, true, true, v == g->x || v == g->y};
    if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64)
        p->is_natural = LLVMConstIntGetSExtValue(v) >= 0;
    if (r.x == LANE_UNIFORM || v == g->x) return true;
    if (i < 0 || depth > DEEPEST) return false;
    block = g->values.at[i].block;
    SimdPeriod found;
    bool is_found = LLVMIsAGetElementPtrInst(v) ? of_address(g, v, block, &found, depth + 1)
                  : LLVMIsABinaryOperator(v) || LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v)
                      ? of_operation(g, v, block, &found, depth + 1) : false;
    if (is_found) *p = found;
    else if (r.x == LANE_LINEAR) *p = (SimdPeriod){1, r.stride, r.exact, false, false};
    return is_found || r.x == LANE_LINEAR;
}

bool simd_is_quasi_affine(const SimdRegion *g, const SimdValue *load, int width, SimdPeriod *p) {
    if (!simd_allows(g, QUASI_AFFINE) || !LLVMIsALoadInst(load->v) || load->private_of >= 0 || simd_is_atomic(load->v))
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(load->v));
    bool is_int = kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(load->v)) % 8 == 0;
    if (!is_int && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) return false;
    LLVMValueRef at = simd_address(load->v);
    if (simd_is_masked(g, load->block)) return false;
    if (simd_rate(g, at, load->block).x != LANE_VARYING || !find(g, at, load->block, p, 0)) return false;
    bool is_run = p->by == 0 || p->by == simd_bytes(g, LLVMTypeOf(load->v));
    return is_run && p->items > 1 && p->items <= LONGEST && width % p->items == 0;
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

/* The address of a lane, computed for it alone; what varies in it are operations that have a period. */
static LLVMValueRef of_lane(SimdEmit *e, LLVMValueRef v, int row, int vector, int lane) {
    if (simd_rate(e->g, v, e->block).x != LANE_VARYING) return simd_lane(e, v, row, vector, cg_i32(e->cg, lane));
    LLVMValueRef one = LLVMInstructionClone(v);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        LLVMSetOperand(one, (unsigned)k, of_lane(e, LLVMGetOperand(v, (unsigned)k), row, vector, lane));
    LLVMInsertIntoBuilder(e->b, one);
    return one;
}

/* a[0], b[0], a[1], b[1], ... */
static LLVMValueRef zipped(SimdEmit *e, LLVMValueRef a, LLVMValueRef b) {
    int n = (int)LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, 2 * n);
    for (int i = 0; i < 2 * n; i++) order[i] = cg_i32(e->cg, i % 2 * n + i / 2);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(order, 2 * (unsigned)n), "");
}

LLVMValueRef simd_load_quasi_affine(SimdEmit *e, const SimdValue *load, SimdPeriod p, int row, int vector) {
    LLVMValueRef run[LONGEST], at = simd_address(load->v);
    int n = e->shape.width / p.items;
    for (int i = 0; i < p.items; i++) run[i] = simd_load_run(e, load->v, of_lane(e, at, row, vector, i), n, p.by == 0);
    for (int apart = p.items / 2; apart > 0; apart /= 2)
        for (int i = 0; i < apart; i++) run[i] = zipped(e, run[i], run[i + apart]);
    return run[0];
}
