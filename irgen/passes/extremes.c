/* extremes.c -- expansion of min and max of floats for x86: llvm.minimumnum and llvm.maximumnum become comparisons and
 * selections. Of a NaN and a number they return the number, and -0 is less than +0. x86's own min returns its second
 * operand if one is NaN or if both are zeros, which is `a < b ? a : b`; what has to be added depends on the operands:
 *
 *   - `b` must be a number. If neither operand is known to be one, `b` is replaced by `a` where it is NaN.
 *   - Two zeros matter only if the result could be the wrong one. If that cannot be excluded, equal operands are joined
 *     by a bitwise or (min: -0 if one of them is) or and (max); other equal operands do not change.
 *
 * In the fast mode (lang/fast.c) neither is added.
 *
 * AVX-512DQ has an instruction that orders zeros and takes the number (VRANGEPS: Intel's manual, volume 2, tables of
 * its special cases), but of a signalling NaN it makes a quiet one. Values that may be such a NaN, which are not
 * results of arithmetic, are multiplied by 1 before (llvm.canonicalize). It replaces what takes more than a comparison
 * and a selection.
 *
 * What is known comes from a data-flow analysis over phis, so an accumulator that begins with a number is a number.
 * LLVM's own expansion (expandFMINIMUM_FMAXIMUM, LowerFMINIMUM_FMAXIMUM in X86ISelLowering.cpp) looks at operands
 * only, takes twice as many instructions, and with AVX-512DQ returns NaN for some scalars (the case with VFPCLASSS).
 * This pass runs after the pipeline, which knows min and max only by their names. */
#include <string.h>

#include "irgen/passes/passes.h"
#include "offload/lld.h"

/* Facts ------------------------------------------------------------------------------------------------------------ */

typedef enum Fact {
    IS_NUMBER,       /* not NaN */
    IS_NOT_NEG_ZERO, /* NaN or not -0 */
    IS_NOT_ZERO,     /* NaN or not zero */
    IS_QUIET         /* no signalling NaN */
} Fact;

enum { MOST_VALUES = 64 }; /* visited for one query */

typedef struct Query {
    Fact fact;
    LLVMValueRef seen[MOST_VALUES]; /* believed: a fact holds if it follows from itself (phis) and from constants */
    int n;
} Query;

static bool holds(Query *q, LLVMValueRef v);

static bool all_hold(Query *q, LLVMValueRef v, unsigned from, unsigned n) {
    for (unsigned i = from; i < from + n; i++)
        if (!holds(q, LLVMGetOperand(v, i))) return false;
    return true;
}

/* What the failed attempt has believed is forgotten. */
static bool either_holds(Query *q, LLVMValueRef v) {
    int n = q->n;
    if (holds(q, LLVMGetOperand(v, 0))) return true;
    q->n = n;
    return holds(q, LLVMGetOperand(v, 1));
}

static bool of_element(Fact fact, LLVMValueRef v) {
    LLVMBool loses = false;
    double d = LLVMConstRealGetDouble(v, &loses);
    if (fact == IS_NUMBER || fact == IS_QUIET) return d == d;
    if (fact == IS_NOT_ZERO) return d != 0.0;
    return !(d == 0.0 && __builtin_signbit(d));
}

static bool of_constant(Fact fact, LLVMValueRef v) {
    if (LLVMIsPoison(v)) return true;
    if (LLVMIsAConstantFP(v)) return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind && of_element(fact, v);
    if (LLVMIsAConstantAggregateZero(v)) return fact != IS_NOT_ZERO;
    if (!LLVMIsAConstantDataVector(v) && !LLVMIsAConstantVector(v)) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(v, i);
        if (!element || !of_constant(fact, element)) return false;
    }
    return true;
}

static bool is_named(LLVMValueRef fn, const char *begin) {
    size_t n;
    return !strncmp(LLVMGetValueName2(fn, &n), begin, strlen(begin));
}

static bool is_extreme_function(LLVMValueRef fn) {
    return is_named(fn, "llvm.minimumnum.") || is_named(fn, "llvm.maximumnum.");
}

/* NULL: v is not a call of a known function */
static LLVMValueRef callee(LLVMValueRef v) {
    return LLVMIsACallInst(v) ? LLVMIsAFunction(LLVMGetCalledValue(v)) : NULL;
}

static bool follows(Query *q, LLVMValueRef v) {
    LLVMValueRef fn = callee(v);
    if (q->fact == IS_QUIET && fn && (is_named(fn, "llvm.fma.") || is_named(fn, "llvm.sqrt."))) return true;
    if (fn && is_extreme_function(fn) && q->fact == IS_QUIET) return all_hold(q, v, 0, 2);
    if (fn && is_extreme_function(fn)) return q->fact == IS_NUMBER ? either_holds(q, v) : all_hold(q, v, 0, 2);
    if (fn && is_named(fn, "llvm.fabs.")) return q->fact == IS_NOT_NEG_ZERO || holds(q, LLVMGetOperand(v, 0));
    if (!LLVMIsAInstruction(v)) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFDiv:
    case LLVMFPTrunc: return q->fact == IS_QUIET;
    case LLVMSIToFP:
    case LLVMUIToFP: return q->fact != IS_NOT_ZERO; /* an integer 0 becomes +0; the largest numbers become infinite */
    case LLVMPHI: return all_hold(q, v, 0, LLVMCountIncoming(v));
    case LLVMSelect: return all_hold(q, v, 1, 2);
    case LLVMShuffleVector:
    case LLVMInsertElement: return all_hold(q, v, 0, 2);
    case LLVMExtractElement: return all_hold(q, v, 0, 1);
    case LLVMFPExt: return q->fact == IS_QUIET || all_hold(q, v, 0, 1);
    case LLVMFNeg: return q->fact != IS_NOT_NEG_ZERO && all_hold(q, v, 0, 1);
    case LLVMFMul:
        return q->fact == IS_QUIET || (q->fact == IS_NOT_NEG_ZERO && LLVMGetOperand(v, 0) == LLVMGetOperand(v, 1));
    default: return false; /* every other instruction: nothing is known */
    }
}

static bool holds(Query *q, LLVMValueRef v) {
    if (LLVMIsConstant(v)) return of_constant(q->fact, v);
    for (int i = 0; i < q->n; i++)
        if (q->seen[i] == v) return true;
    if (q->n == MOST_VALUES) return false;
    q->seen[q->n++] = v;
    return follows(q, v);
}

static bool is(LLVMValueRef v, Fact fact) {
    Query q = {.fact = fact};
    return holds(&q, v);
}

/* Expansion -------------------------------------------------------------------------------------------------------- */

static LLVMTypeRef as_integers(LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        return LLVMVectorType(as_integers(LLVMGetElementType(t)), LLVMGetVectorSize(t));
    unsigned bits = LLVMGetTypeKind(t) == LLVMDoubleTypeKind ? 64 : 32;
    return LLVMIntTypeInContext(LLVMGetTypeContext(t), bits);
}

static LLVMValueRef bits_of(Cg *cg, LLVMValueRef v) {
    return LLVMBuildBitCast(cg->b, v, as_integers(LLVMTypeOf(v)), "");
}

/* `among` where the operands are equal: two zeros of which the lesser (greater) is wanted. Without masks in registers
 * of their own, a blend takes longer than two bitwise instructions. */
static LLVMValueRef order_zeros(Cg *cg, bool max, LLVMValueRef a, LLVMValueRef b, LLVMValueRef among) {
    LLVMTypeRef type = LLVMTypeOf(a), ints = as_integers(type);
    LLVMValueRef x = bits_of(cg, a), y = bits_of(cg, b), bits;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMKdslHasFeature(cg->machine, "+avx512f")) {
        LLVMValueRef joined = max ? LLVMBuildAnd(cg->b, x, y, "") : LLVMBuildOr(cg->b, x, y, "");
        LLVMValueRef equal = LLVMBuildFCmp(cg->b, LLVMRealOEQ, a, b, "");
        return LLVMBuildSelect(cg->b, equal, LLVMBuildBitCast(cg->b, joined, type, ""), among, "");
    }
    LLVMValueRef equal = LLVMBuildFCmp(cg->b, max ? LLVMRealUNE : LLVMRealOEQ, a, b, "");
    LLVMValueRef mask = LLVMBuildSExt(cg->b, equal, ints, "");
    if (max) bits = LLVMBuildAnd(cg->b, bits_of(cg, among), LLVMBuildOr(cg->b, x, mask, ""), "");
    else bits = LLVMBuildOr(cg->b, bits_of(cg, among), LLVMBuildAnd(cg->b, x, mask, ""), "");
    return LLVMBuildBitCast(cg->b, bits, type, "");
}

/* Of two zeros, `a < b ? a : b` is b. For max, that is right unless b is -0; for min, unless a is. */
static bool orders_zeros(bool max, LLVMValueRef a, LLVMValueRef b) {
    return is(max ? b : a, IS_NOT_NEG_ZERO) || is(a, IS_NOT_ZERO) || is(b, IS_NOT_ZERO);
}

/* What is decided before anything is replaced, because the analysis reads min and max by their names. */
typedef struct Extreme {
    LLVMValueRef call;
    bool max, is_swapped, replaces_nan, orders_zeros;
    bool is_quiet[2]; /* its operands */
} Extreme;

static Extreme decide(LLVMValueRef call) {
    LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    Extreme e = {.call = call, .max = is_named(LLVMGetCalledValue(call), "llvm.maximumnum.")};
    if (LLVMGetFastMathFlags(call) & LLVMFastMathNoSignedZeros) return e;
    bool a_is_number = is(a, IS_NUMBER), b_is_number = is(b, IS_NUMBER);
    bool ordered = orders_zeros(e.max, a, b), swapped_is = orders_zeros(e.max, b, a);
    e.is_swapped = a_is_number && (!b_is_number || (!ordered && swapped_is));
    e.replaces_nan = !a_is_number && !b_is_number;
    e.orders_zeros = !(e.is_swapped ? swapped_is : ordered);
    e.is_quiet[0] = is(a, IS_QUIET);
    e.is_quiet[1] = is(b, IS_QUIET);
    return e;
}

/* The name of the intrinsic function for vectors of this type; NULL: the machine has no such instruction. */
static const char *range_name(Cg *cg, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || !LLVMKdslHasFeature(cg->machine, "+avx512dq")) return NULL;
    bool is_double = LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMDoubleTypeKind;
    unsigned bits = LLVMGetVectorSize(t) * (is_double ? 64 : 32);
    if (bits != 512 && !LLVMKdslHasFeature(cg->machine, "+avx512vl")) return NULL;
    if (bits != 128 && bits != 256 && bits != 512) return NULL;
    return arena_printf(&cg->c->arena, "llvm.x86.avx512.mask.range.p%c.%u", is_double ? 'd' : 's', bits);
}

/* LLVM would drop a product by 1; this is one that it keeps. */
static LLVMValueRef quiet(Cg *cg, LLVMValueRef v, bool is_quiet) {
    static const char CANONICALIZE[] = "llvm.canonicalize";
    if (is_quiet) return v;
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(cg->module, LLVMLookupIntrinsicID(CANONICALIZE, sizeof CANONICALIZE - 1), &t, 1);
    return LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fn), fn, &v, 1, "");
}

/* VRANGE of a and b: the sign is that of the result of the comparison. */
static LLVMValueRef by_range(Cg *cg, const Extreme *e, const char *name) {
    enum { MIN = 4, MAX = 5, CURRENT_ROUNDING = 4 };
    LLVMValueRef a = quiet(cg, LLVMGetOperand(e->call, 0), e->is_quiet[0]);
    LLVMValueRef b = quiet(cg, LLVMGetOperand(e->call, 1), e->is_quiet[1]);
    LLVMTypeRef t = LLVMTypeOf(a);
    unsigned lanes = LLVMGetVectorSize(t);
    LLVMTypeRef mask = LLVMIntTypeInContext(cg->ctx, lanes > 8 ? lanes : 8);
    LLVMValueRef args[] = {
        a, b, cg_i32(cg, e->max ? MAX : MIN), LLVMGetPoison(t), LLVMConstAllOnes(mask), cg_i32(cg, CURRENT_ROUNDING)};
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(cg->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    unsigned n = LLVMCountParams(fn);
    return LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

static LLVMValueRef expanded(Cg *cg, const Extreme *e) {
    LLVMPositionBuilderBefore(cg->b, e->call);
    const char *range = e->replaces_nan || e->orders_zeros ? range_name(cg, LLVMTypeOf(e->call)) : NULL;
    if (range) return by_range(cg, e, range);
    LLVMValueRef a = LLVMGetOperand(e->call, e->is_swapped), b = LLVMGetOperand(e->call, !e->is_swapped);
    if (e->replaces_nan) b = LLVMBuildSelect(cg->b, LLVMBuildFCmp(cg->b, LLVMRealUNO, b, b, ""), a, b, "");
    LLVMValueRef takes_a = LLVMBuildFCmp(cg->b, e->max ? LLVMRealOGT : LLVMRealOLT, a, b, "");
    LLVMValueRef among = LLVMBuildSelect(cg->b, takes_a, a, b, "");
    return e->orders_zeros ? order_zeros(cg, e->max, a, b, among) : among;
}

static bool is_f32_or_f64(LLVMTypeRef t) {
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMVectorTypeKind) return is_f32_or_f64(LLVMGetElementType(t));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_extreme_of_floats(LLVMValueRef fn) {
    return is_extreme_function(fn) && is_f32_or_f64(LLVMGetReturnType(LLVMGlobalGetValueType(fn)));
}

void cg_expand_extremes(Cg *cg) {
    if (cg->target->gpu) return;
    Arena a = {0};
    int n = 0;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMUseRef u = is_extreme_of_floats(fn) ? LLVMGetFirstUse(fn) : NULL; u; u = LLVMGetNextUse(u)) n++;
    Extreme *extremes = arena_array(&a, Extreme, n);
    n = 0;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMUseRef u = is_extreme_of_floats(fn) ? LLVMGetFirstUse(fn) : NULL; u; u = LLVMGetNextUse(u))
            extremes[n++] = decide(LLVMGetUser(u));
    for (int i = 0; i < n; i++) {
        LLVMReplaceAllUsesWith(extremes[i].call, expanded(cg, &extremes[i]));
        LLVMInstructionEraseFromParent(extremes[i].call);
    }
    arena_free(&a);
}
