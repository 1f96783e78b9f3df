/* nowrap.c -- widening of index arithmetic, under a condition that is tested before a nest (loop versioning). In
 *
 *     x[i * w + j]  with an i32 w, or     let q = i32(i);  ... x[q + 1]
 *
 * the index is of 32 bits and may wrap; so nothing tells that neighbours are contiguous, nor which of them fail a
 * check. The items of a nest are a rectangle, and w is known before it: interval arithmetic on the bounds of the loops,
 * on values from before the nest and on the bounds of counters of the items' own loops says whether any operation can
 * wrap for any item. Where none can, the nest computes the index in 64 bits, with operations that are known not to
 * wrap; a copy that is left as it was, and is scalar, runs for other rectangles.
 *
 * An expression is the sum, product, quotient, ... over the integers of its leaves. The condition is that each of its
 * operations lies within the numbers of the narrow type; then the value is that integer, in whatever width it is
 * computed. Looked for are values that extend, or cut off, an expression of 31 or 32 bits: conversions to 64 bits, the
 * same as shifts or masks, and comparisons. A factor of an index along the fastest axis has to be a constant, and a
 * small one: else, as in a hash function, neighbours are not contiguous anyhow, and the arithmetic may be meant to
 * wrap. */
#include "irgen/simd/interval.h"

enum { MOST_ROOTS = 64 };

typedef struct Root {
    LLVMValueRef v;           /* replaced by an expression of 64 bits; a comparison: its operands are */
    LLVMValueRef of[2];       /* narrow expressions; the second one of comparisons only */
    unsigned bits;
    int up;                   /* the value is the expression shifted to the left by this number of bits */
    bool is_signed;
} Root;

typedef struct Versions {
    Cg *cg;
    SimdRegion *g;
    Root roots[MOST_ROOTS];
    int n;
} Versions;

static bool is_shifted(LLVMValueRef v, int64_t *by) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMShl && simd_constant(LLVMGetOperand(v, 1), by);
}

/* (v << 32) >> 32 is the low half of v with its sign; one that is shifted down by less, a multiple of it. */
static bool read_shifts(Root *r, int down) {
    int64_t up;
    if (!is_shifted(r->of[0], &up) || up != 32 || down > 32) return false;
    r->of[0] = LLVMGetOperand(r->of[0], 0);
    r->bits = 32;
    r->up = 32 - down;
    return true;
}

/* v & 0xffffffff, (v << 2) & 0x3fffffffc: the same without a sign. */
static bool read_mask(Root *r, int64_t mask) {
    int64_t up;
    if (is_shifted(r->of[0], &up) && up > 0 && up < 16 && mask % ((int64_t)1 << up) == 0) {
        r->of[0] = LLVMGetOperand(r->of[0], 0);
        r->up = (int)up;
        mask >>= up;
    }
    r->bits = mask == INT64_C(0xffffffff) ? 32 : mask == INT64_C(0x7fffffff) ? 31 : 0;
    return r->bits > 0;
}

/* Of the narrow value that v extends, or the low bits that it keeps. */
static bool read_root(LLVMValueRef v, Root *r) {
    int64_t k;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    *r = (Root){.v = v, .is_signed = true};
    if (op == LLVMICmp) {
        LLVMIntPredicate p = LLVMGetICmpPredicate(v);
        for (unsigned i = 0; i < 2; i++) r->of[i] = LLVMGetOperand(v, i);
        if (!simd_is_integer(r->of[0])) return false;
        r->bits = LLVMGetIntTypeWidth(LLVMTypeOf(r->of[0]));
        r->is_signed = p != LLVMIntULT && p != LLVMIntULE && p != LLVMIntUGT && p != LLVMIntUGE;
        return r->bits == 32;
    }
    if (!simd_is_integer(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64) return false;
    r->of[0] = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    if (op == LLVMSExt || op == LLVMZExt) {
        r->bits = LLVMGetIntTypeWidth(LLVMTypeOf(r->of[0]));
        r->is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        return r->bits == 32;
    }
    if ((op != LLVMAnd && op != LLVMAShr) || !simd_constant(LLVMGetOperand(v, 1), &k) || k <= 0) return false;
    r->is_signed = op == LLVMAShr;
    return r->is_signed ? read_shifts(r, (int)k) : read_mask(r, k);
}

static bool is_wanted(const SimdRegion *g, const Root *r) {
    SimdLook w = {.g = g, .bits = r->bits, .is_signed = r->is_signed};
    bool has_x = false, any_x = false;
    for (int i = 0; i < 2 && r->of[i]; i++) {
        if (!simd_is_expression(&w, r->of[i], &has_x)) return false;
        any_x |= has_x;
    }
    return any_x && (w.may_wrap || !r->of[1]);
}

static void find_roots(Versions *s) {
    const SimdRegion *g = s->g;
    for (int i = 0; i < g->values.n && s->n < MOST_ROOTS; i++) {
        Root *r = &s->roots[s->n];
        s->n += read_root(g->values.at[i].v, r) && is_wanted(g, r);
    }
}

static LLVMValueRef condition(const void *versions) {
    const Versions *s = versions;
    SimdAsking a = {
        .cg = s->cg, .b = s->cg->b, .g = s->g, .in_block = -1, .holds = LLVMConstInt(s->cg->i1, 1, false)};
    for (int i = 0; i < s->n; i++) {
        a.bits = s->roots[i].bits;
        a.is_signed = s->roots[i].is_signed;
        for (int k = 0; k < 2 && s->roots[i].of[k]; k++) simd_bounds(&a, s->roots[i].of[k]);
    }
    return LLVMBuildFreeze(a.b, a.holds, ""); /* an item may not use what is poison here */
}

/* The expressions -------------------------------------------------------------------------------------------------- */

static LLVMValueRef exact(SimdAsking *a, LLVMValueRef v) {
    int64_t k;
    if (simd_constant(v, &k)) return cg_i64(a->cg, k);
    if (simd_is_outside(a->g, v) || LLVMIsAPHINode(v)) return simd_as_wide(a, v);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMSExt || op == LLVMZExt) {
        SimdAsking inner = *a;
        inner.is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        return exact(&inner, LLVMGetOperand(v, 0));
    }
    LLVMValueRef x = exact(a, LLVMGetOperand(v, 0));
    if (op == LLVMTrunc) return x;
    LLVMValueRef by[2] = {x, exact(a, LLVMGetOperand(v, 1))};
    if (op == LLVMCall) {
        bool is_least = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
        LLVMTypeRef t = a->cg->i64;
        unsigned id = LLVMLookupIntrinsicID(is_least ? "llvm.smin" : "llvm.smax", 9);
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(a->cg->module, id, &t, 1);
        return LLVMBuildCall2(a->b, LLVMGlobalGetValueType(fn), fn, by, 2, "");
    }
    LLVMValueRef all = LLVMBuildBinOp(a->b, op, by[0], by[1], "");
    bool is_sum = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    if (is_sum && LLVMIsAInstruction(all)) LLVMSetNSW(all, true);
    return all;
}

static LLVMIntPredicate with_sign(LLVMIntPredicate p) {
    return p == LLVMIntULT ? LLVMIntSLT : p == LLVMIntULE ? LLVMIntSLE : p == LLVMIntUGT ? LLVMIntSGT
         : p == LLVMIntUGE ? LLVMIntSGE : p;
}

static void write_expressions(const void *versions) {
    const Versions *s = versions;
    LLVMBuilderRef b = s->cg->b;
    for (int i = 0; i < s->n; i++) {
        const Root *r = &s->roots[i];
        SimdAsking a = {.cg = s->cg, .b = b, .g = s->g, .bits = r->bits, .is_signed = r->is_signed};
        LLVMPositionBuilderBefore(b, r->v);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(r->v));
        LLVMValueRef by = exact(&a, r->of[0]);
        if (r->of[1]) {
            LLVMIntPredicate p = LLVMGetICmpPredicate(r->v);
            by = LLVMBuildICmp(b, with_sign(p), by, exact(&a, r->of[1]), "");
        }
        if (r->up) by = LLVMBuildNSWMul(b, by, cg_i64(s->cg, (int64_t)1 << r->up), "");
        LLVMReplaceAllUsesWith(r->v, by);
    }
}

/* LLVM adds to what is shifted; here the sum is shifted again: (v << 32) + (k << 32) is (v + k) << 32. */
static void shift_sums(Cg *cg, LLVMValueRef fn) {
    int64_t k, up;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            bool is_sum = LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMTypeOf(v) == cg->i64;
            if (!is_sum || !simd_constant(LLVMGetOperand(v, 1), &k) || !is_shifted(LLVMGetOperand(v, 0), &up)) continue;
            if (up != 32 || k % (INT64_C(1) << up)) continue;
            LLVMPositionBuilderBefore(cg->b, v);
            LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
            LLVMValueRef sum = LLVMBuildAdd(cg->b, LLVMGetOperand(LLVMGetOperand(v, 0), 0), cg_i64(cg, k >> up), "");
            LLVMReplaceAllUsesWith(v, LLVMBuildShl(cg->b, sum, cg_i64(cg, up), ""));
            LLVMInstructionEraseFromParent(v);
        }
}

bool simd_version_indices_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Versions s = {.cg = cg, .g = &g};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    shift_sums(cg, fn);
    if (!simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch)) return false;
    find_roots(&s);
    return s.n && simd_make_versions(cg, &g, &(SimdVersioning){condition, write_expressions, &s, true, false});
}
