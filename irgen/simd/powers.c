/* powers.c -- strength reduction of divisions by powers of two that are known at run time only. Divisors that are the
 * same for all lanes are sizes mostly: of a table, of a tile, of a step of a network. Many of them are powers of two,
 * which a test finds out, as the same branch for all lanes; the quotient is a shift then, the remainder a mask.
 *
 * Legal because with d = 2^k and m = d - 1, for numbers without a sign, x / d = x >> k and x % d = x & m. With a sign,
 * quotients are rounded towards 0, shifts towards minus infinity: negative numbers are increased by m before. The
 * remainder is what the quotient leaves. */
#include "irgen/simd/emit.h"

typedef struct Power {
    SimdEmit *e;
    LLVMOpcode op;
    LLVMValueRef a, by;          /* vector, number */
} Power;

static LLVMValueRef splat(const Power *p, LLVMValueRef number) { return simd_splat(p->e, number); }

static LLVMValueRef number(const Power *p, uint64_t k) { return LLVMConstInt(LLVMTypeOf(p->by), k, false); }

static LLVMValueRef low_bits(const Power *p) { return LLVMBuildSub(p->e->b, p->by, number(p, 1), ""); }

/* Zero is none; nor is the least number with a sign. */
static LLVMValueRef is_power(const Power *p) {
    LLVMBuilderRef b = p->e->b;
    LLVMValueRef rest = LLVMBuildAnd(b, p->by, low_bits(p), "");
    LLVMValueRef single = LLVMBuildICmp(b, LLVMIntEQ, rest, number(p, 0), "");
    return LLVMBuildAnd(b, single, LLVMBuildICmp(b, LLVMIntSGT, p->by, number(p, 0), ""), "power");
}

static LLVMValueRef exponent(const Power *p) {
    LLVMTypeRef t = LLVMTypeOf(p->by);
    LLVMValueRef args[2] = {p->by, LLVMConstInt(p->e->cg->i1, 1, false)};
    return simd_intrinsic(p->e, "llvm.cttz", &t, 1, args, 2);
}

/* Increased where it is negative. */
static LLVMValueRef adjusted(const Power *p) {
    LLVMBuilderRef b = p->e->b;
    LLVMValueRef sign = splat(p, number(p, LLVMGetIntTypeWidth(LLVMTypeOf(p->by)) - 1));
    LLVMValueRef is_negative = LLVMBuildAShr(b, p->a, sign, "");
    return LLVMBuildAdd(b, p->a, LLVMBuildAnd(b, is_negative, splat(p, low_bits(p)), ""), "");
}

static LLVMValueRef reduced(const Power *p) {
    LLVMBuilderRef b = p->e->b;
    if (p->op == LLVMURem) return LLVMBuildAnd(b, p->a, splat(p, low_bits(p)), "");
    if (p->op == LLVMUDiv) return LLVMBuildLShr(b, p->a, splat(p, exponent(p)), "");
    LLVMValueRef up = adjusted(p);
    if (p->op == LLVMSDiv) return LLVMBuildAShr(b, up, splat(p, exponent(p)), "");
    return LLVMBuildSub(b, p->a, LLVMBuildAnd(b, up, splat(p, LLVMBuildNeg(b, p->by, "")), ""), "");
}

LLVMValueRef simd_divided_by_one(SimdEmit *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef by,
                                 LLVMValueRef *mask) {
    if (!simd_allows(e->g, POWERS)) return simd_divided(e, op, a, b, mask);
    /* Nobody may have come here whose divisor this is. */
    Power p = {e, op, a, LLVMBuildFreeze(e->b, by, "")};
    LLVMBasicBlockRef shift = simd_block(e, "power"), divide = simd_block(e, "divide"), on = simd_block(e, "quotient"),
                      from[2];
    LLVMValueRef values[2];
    LLVMBuildCondBr(e->b, is_power(&p), shift, divide);
    LLVMPositionBuilderAtEnd(e->b, shift);
    values[0] = reduced(&p);
    from[0] = shift;
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, divide);
    values[1] = simd_divided(e, op, a, b, mask);
    from[1] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    LLVMValueRef v = LLVMBuildPhi(e->b, LLVMTypeOf(a), "");
    LLVMAddIncoming(v, values, from, 2);
    return v;
}
