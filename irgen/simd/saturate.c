/* saturate.c -- saturating conversion of floating-point numbers to integers: beyond the range of the type its nearest
 * end, NaN gives 0. LLVM's intrinsic for it is scalarised; here it is a clamp, a conversion, and selects for the values
 * that a clamp cannot express. */
#include "irgen/simd/emit.h"

#include <math.h>

static LLVMValueRef all(SimdEmit *e, LLVMTypeRef number, double v) { return simd_splat(e, LLVMConstReal(number, v)); }

static LLVMValueRef choose(SimdEmit *e, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b, LLVMValueRef yes,
                           LLVMValueRef no) {
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, p, a, b, ""), yes, no, "");
}

/* Is it a conversion that vectors have? To 64 bits there is none before AVX-512: lanes are converted one by one, and
 * branches that are predicted take less time than a clamp before. */
bool simd_saturates(const SimdTarget *t, LLVMTypeRef from, LLVMTypeRef to) {
    LLVMTypeKind k = LLVMGetTypeKind(from);
    return (k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind) &&
           LLVMGetIntTypeWidth(to) <= (t->mask_registers ? 64 : 32);
}

/* x: a vector; to: the type of its lanes' results */
LLVMValueRef simd_saturated(SimdEmit *e, LLVMValueRef x, LLVMTypeRef to, bool is_signed) {
    LLVMTypeRef number = LLVMGetElementType(LLVMTypeOf(x)),
                wide = LLVMGetIntTypeWidth(to) > 32 ? e->cg->i64 : e->cg->i32;
    int digits = LLVMGetTypeKind(number) == LLVMFloatTypeKind ? 24 : 53;
    int bits = (int)LLVMGetIntTypeWidth(to), magnitude = bits - is_signed;
    double end = ldexp(1, magnitude), largest = end - (magnitude > digits ? ldexp(1, magnitude - digits) : 1);
    LLVMValueRef lo = all(e, number, is_signed ? -end : 0), hi = all(e, number, largest);
    LLVMValueRef v = choose(e, LLVMRealOGT, x, lo, x, lo); /* NaN becomes the lowest, too */
    v = choose(e, LLVMRealOLT, v, hi, v, hi);
    bool plain = is_signed || bits < 32;
    v = plain ? LLVMBuildFPToSI(e->b, v, simd_type(e, wide), "") : LLVMBuildFPToUI(e->b, v, simd_type(e, wide), "");
    if (magnitude > digits) { /* the number below the end is not the largest */
        uint64_t most = bits == 64 ? UINT64_MAX : UINT32_MAX;
        LLVMValueRef top = simd_splat(e, LLVMConstInt(wide, is_signed ? most / 2 : most, false));
        v = choose(e, LLVMRealOGE, x, all(e, number, end), top, v);
    }
    if (is_signed) v = choose(e, LLVMRealORD, x, x, v, LLVMConstNull(LLVMTypeOf(v)));
    return bits < 32 ? LLVMBuildTrunc(e->b, v, simd_type(e, to), "") : v;
}
