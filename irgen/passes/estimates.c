/* estimates.c -- quotients and square roots in vectors of fast kernels on x86, by Newton's method: the processor's
 * estimates of 1 / y and 1 / sqrt(x), with 12 or 14 bits, each step of which doubles the number of right bits. Kernels
 * that wait for the divider gain a factor of 2 to 5. Only instructions with the flags of lang/fast.c are replaced, and
 * only in vectors: a scalar estimate takes longer than the quotient that the code waits for.
 *
 *     r = 1 / y * (1 - e)             an estimate
 *     x / y = x * r * (2 - y * r)     with an error of e^2
 *
 * Where y is 0 or infinite, r is infinite or 0, and the factor is NaN, or -infinity for a y that is too small for an
 * estimate. So the factor, which is near 1, is limited from below by x86's max, which returns its second operand if one
 * is NaN: then it is a positive number, by which r does not change. That is one instruction; without it a step would
 * turn 1 / 0, and 1 / infinity, into NaN.
 *
 * With AVX-512, f32 and f64; with AVX2, which has no estimates of f64 and whose square roots of f32 take as long as an
 * estimate and a step, only quotients and 1 / sqrt(x) of f32. */
#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "irgen/passes/passes.h"
#include "offload/lld.h"

/* A vector type that has estimates. */
typedef struct Lanes {
    int n;          /* lanes of the values */
    int wide;       /* lanes of the register: the least that has an instruction */
    bool is_double;
    bool is_avx512;
    int steps;      /* with an error of 2^-28 after the first one with AVX-512, 2^-22 without */
} Lanes;

typedef struct Estimates {
    Cg *cg;
    bool avx512;
} Estimates;

static bool lanes_of(const Estimates *e, LLVMTypeRef t, Lanes *lanes) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(t));
    bool is_double = kind == LLVMDoubleTypeKind;
    if (!is_double && kind != LLVMFloatTypeKind) return false;
    if (is_double && !e->avx512) return false;
    int n = (int)LLVMGetVectorSize(t), wide = is_double ? 2 : 4, most = is_double ? 8 : e->avx512 ? 16 : 8;
    while (wide < n) wide *= 2;
    *lanes = (Lanes){n, wide, is_double, e->avx512, is_double ? 2 : 1};
    return wide <= most;
}

/* Instructions ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef intrinsic(const Estimates *e, const char *name, LLVMTypeRef over, LLVMValueRef *args, int n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->cg->module, id, &over, over != NULL);
    return LLVMBuildCall2(e->cg->b, LLVMGlobalGetValueType(fn), fn, args, (unsigned)n, "");
}

static LLVMValueRef constant(LLVMTypeRef t, double v) {
    LLVMValueRef lanes[16], one = LLVMConstReal(LLVMGetElementType(t), v);
    unsigned n = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < n; i++) lanes[i] = one;
    return LLVMConstVector(lanes, n);
}

static LLVMValueRef fused(const Estimates *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef args[3] = {a, b, c};
    return intrinsic(e, "llvm.fma", LLVMTypeOf(a), args, 3);
}

static LLVMValueRef times(const Estimates *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFMul(e->cg->b, a, b, "");
}

static LLVMValueRef minus(const Estimates *e, LLVMValueRef a) { return LLVMBuildFNeg(e->cg->b, a, ""); }

/* v, but `least` where v is less or NaN: the instruction max. */
static LLVMValueRef at_least(const Estimates *e, LLVMValueRef v, double least) {
    LLVMValueRef limit = constant(LLVMTypeOf(v), least);
    LLVMValueRef is_more = LLVMBuildFCmp(e->cg->b, LLVMRealOGT, v, limit, "");
    return LLVMBuildSelect(e->cg->b, is_more, v, limit, "");
}

/* The first n lanes; those that v does not have are 1, of which no estimate takes longer. */
static LLVMValueRef resized(const Estimates *e, LLVMValueRef v, int n) {
    LLVMTypeRef t = LLVMTypeOf(v);
    int has = (int)LLVMGetVectorSize(t);
    if (has == n) return v;
    LLVMValueRef mask[16];
    for (int i = 0; i < n; i++) mask[i] = cg_i32(e->cg, i < has ? i : has);
    return LLVMBuildShuffleVector(e->cg->b, v, constant(t, 1.0), LLVMConstVector(mask, (unsigned)n), "");
}

/* what: "rcp" or "rsqrt" */
static LLVMValueRef estimate(const Estimates *e, const Lanes *l, const char *what, LLVMValueRef v) {
    Cg *cg = e->cg;
    LLVMValueRef args[3] = {resized(e, v, l->wide)};
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    const char *type = l->is_double ? "pd" : "ps", *name;
    if (l->is_avx512) {
        LLVMTypeRef bits = l->wide > 8 ? cg->i16 : cg->i8;
        args[1] = LLVMConstNull(t);
        args[2] = LLVMConstAllOnes(bits);
        int width = l->wide * (l->is_double ? 64 : 32);
        name = arena_printf(&cg->c->arena, "llvm.x86.avx512.%s14.%s.%d", what, type, width);
    } else if (l->wide == 8) {
        name = arena_printf(&cg->c->arena, "llvm.x86.avx.%s.%s.256", what, type);
    } else {
        name = arena_printf(&cg->c->arena, "llvm.x86.sse.%s.%s", what, type);
    }
    return resized(e, intrinsic(e, name, NULL, args, l->is_avx512 ? 3 : 1), l->n);
}

/* Formulas --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef quotient(const Estimates *e, const Lanes *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef t = LLVMTypeOf(y);
    LLVMValueRef r = estimate(e, l, "rcp", y), two = constant(t, 2.0), minus_y = minus(e, y), factor;
    for (int step = 1;; step++) {
        factor = at_least(e, fused(e, minus_y, r, two), 0.5);
        if (step == l->steps) break;
        r = times(e, r, factor);
    }
    return times(e, times(e, x, r), factor);
}

/* 1 / sqrt(x): r * (3/2 - x/2 * r * r). The error is always in one direction; without AVX-512, half of it would be
 * seen, so the result of a step is larger by as much. */
static LLVMValueRef reciprocal_root(const Estimates *e, const Lanes *l, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef r = estimate(e, l, "rsqrt", x), half = times(e, x, constant(t, 0.5));
    LLVMValueRef three_halves = constant(t, l->is_avx512 ? 1.5 : 1.5 + 0x1p-23);
    for (int step = 0; step < l->steps; step++) {
        LLVMValueRef factor = fused(e, minus(e, times(e, half, r)), r, three_halves);
        r = times(e, r, at_least(e, factor, 0.5));
    }
    return r;
}

/* s = x * r, then s + s/2 * (1 - s * r); 0 and infinity are their own roots. */
static LLVMValueRef root(const Estimates *e, const Lanes *l, LLVMValueRef x) {
    enum { POSITIVE_INFINITY = 1 << 9, ZEROS = 1 << 5 | 1 << 6 };
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef r = estimate(e, l, "rsqrt", x), s = times(e, x, r), half = constant(t, 0.5), one = constant(t, 1.0);
    for (int step = 0; step < l->steps; step++) {
        LLVMValueRef error = fused(e, minus(e, s), r, one);
        if (step + 1 < l->steps) r = fused(e, times(e, r, half), error, r);
        s = fused(e, times(e, s, half), error, s);
    }
    LLVMValueRef args[2] = {x, cg_i32(e->cg, POSITIVE_INFINITY | ZEROS)};
    return LLVMBuildSelect(e->cg->b, intrinsic(e, "llvm.is.fpclass", t, args, 2), x, s, "");
}

/* What is replaced ------------------------------------------------------------------------------------------------- */

static bool has_flag(LLVMValueRef v, LLVMFastMathFlags flag) {
    return LLVMCanValueUseFastMathFlags(v) && (LLVMGetFastMathFlags(v) & flag);
}

static bool is_quotient(LLVMValueRef v) {
    return LLVMGetInstructionOpcode(v) == LLVMFDiv && has_flag(v, LLVMFastMathAllowReciprocal);
}

static bool is_root(LLVMValueRef v) {
    LLVMValueRef fn = LLVMIsACallInst(v) ? LLVMIsAFunction(LLVMGetCalledValue(v)) : NULL;
    size_t n;
    return fn && !strncmp(LLVMGetValueName2(fn, &n), "llvm.sqrt.", 10) && has_flag(v, LLVMFastMathApproxFunc);
}

/* Of all vectors that take the place of v, or a scalar. */
static bool is_estimated(const Estimates *e, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) t = LLVMGetElementType(t);
    bool is_single = t == e->cg->f32;
    if (!is_single && (t != e->cg->f64 || !e->avx512)) return false;
    return is_quotient(v) || (is_root(v) && e->avx512);
}

static LLVMValueRef replacement(const Estimates *e, LLVMValueRef v) {
    Lanes l;
    if (!lanes_of(e, LLVMTypeOf(v), &l)) return NULL;
    LLVMPositionBuilderBefore(e->cg->b, v);
    LLVMSetCurrentDebugLocation2(e->cg->b, LLVMInstructionGetDebugLoc(v));
    LLVMValueRef first = LLVMGetOperand(v, 0);
    if (is_root(v)) return l.is_avx512 ? root(e, &l, first) : NULL;
    LLVMValueRef y = LLVMGetOperand(v, 1);
    if (!LLVMIsAInstruction(y) || !is_root(y)) return quotient(e, &l, first, y);
    LLVMValueRef r = reciprocal_root(e, &l, LLVMGetOperand(y, 0));
    bool is_one = LLVMIsConstant(first) && first == constant(LLVMTypeOf(first), 1.0);
    return is_one ? r : times(e, first, r);
}

static bool replace_in(const Estimates *e, LLVMBasicBlockRef bb, bool roots) {
    bool any = false;
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (!(roots ? is_root(v) : is_quotient(v))) continue;
        LLVMValueRef by = replacement(e, v);
        if (!by) continue;
        LLVMReplaceAllUsesWith(v, by);
        LLVMInstructionEraseFromParent(v);
        any = true;
    }
    return any;
}

/* A root of which only the reciprocal was used. */
static void drop_unused(LLVMBasicBlockRef bb) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (is_root(v) && !LLVMGetFirstUse(v)) LLVMInstructionEraseFromParent(v);
    }
}

/* Quotients by the same number have the same estimate. */
static void share_estimates(Cg *cg, LLVMValueRef fn) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPassesOnFunction(fn, "early-cse", cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses early-cse: %s", LLVMGetErrorMessage(error));
}

/* false: this machine has none, or the code is the host's */
static bool estimates_of(Cg *cg, Estimates *e) {
    if (cg->target->gpu || cg->target->is_program || !cg->has_fma) return false;
    bool avx512 = LLVMKdslHasFeature(cg->machine, "+avx512f") && LLVMKdslHasFeature(cg->machine, "+avx512vl") &&
                  LLVMKdslHasFeature(cg->machine, "+avx512dq");
    *e = (Estimates){cg, avx512};
    return LLVMKdslHasFeature(cg->machine, "+avx2");
}

bool cg_is_estimated(Cg *cg, LLVMValueRef v) {
    Estimates e;
    return estimates_of(cg, &e) && is_estimated(&e, v);
}

void cg_estimate(Cg *cg) {
    Estimates e;
    if (!estimates_of(cg, &e)) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMBasicBlockRef bb;
        bool any = false;
        for (bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) any |= replace_in(&e, bb, false);
        for (bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) drop_unused(bb);
        for (bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) any |= replace_in(&e, bb, true);
        if (any) share_estimates(cg, fn);
    }
}
