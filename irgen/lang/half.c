/* half.c -- f16 and bf16. They are stored as 16 bits, an i16 in LLVM IR, and computed in f32: each operation is that
 * of f32, rounded once more, which is the correctly rounded result for + - * / and sqrt. Vectors are widened and
 * narrowed component by component.
 *
 * Conversions of f16 are instructions where the processor has them (F16C, NVIDIA, AMD) and integer code elsewhere,
 * since the libraries that contain such functions are not linked. Both return the same bits, also for NaN: widening
 * keeps the payload and makes the NaN quiet; narrowing to f16 keeps only the sign, narrowing to bf16 the upper bits.
 * NVIDIA's instructions return one NaN for all, so NaNs are corrected after them; F16C keeps payloads, so they are
 * removed before it. bf16 is the upper half of an f32: widening is a shift. Narrowing is an instruction only on
 * NVIDIA: AVX512-BF16 flushes subnormal numbers to zero. */
#include "irgen/lang/lang.h"

static LLVMValueRef u32(CgFunc *f, uint32_t v) { return LLVMConstInt(f->cg->i32, v, false); }
static LLVMValueRef pick(CgFunc *f, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, c, a, b, "");
}
static LLVMValueRef as_float(CgFunc *f, LLVMValueRef bits) { return LLVMBuildBitCast(f->b, bits, f->cg->f32, ""); }
static LLVMValueRef as_bits(CgFunc *f, LLVMValueRef v) { return LLVMBuildBitCast(f->b, v, f->cg->i32, ""); }
static LLVMValueRef is_nan(CgFunc *f, LLVMValueRef v) { return LLVMBuildFCmp(f->b, LLVMRealUNO, v, v, ""); }

/* Widening --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef sign_of_f16(CgFunc *f, LLVMValueRef h) {
    return LLVMBuildShl(f->b, LLVMBuildAnd(f->b, h, u32(f, 0x8000), ""), u32(f, 16), "");
}

/* Of an f16 that is a NaN. */
static LLVMValueRef widen_nan(CgFunc *f, LLVMValueRef h) {
    LLVMValueRef payload = LLVMBuildShl(f->b, LLVMBuildAnd(f->b, h, u32(f, 0x1ff), ""), u32(f, 13), "");
    LLVMValueRef bits = LLVMBuildOr(f->b, payload, sign_of_f16(f, h), "");
    return as_float(f, LLVMBuildOr(f->b, bits, u32(f, 0x7fc00000), ""));
}

static LLVMValueRef widen_by_instruction(CgFunc *f, LLVMValueRef h) {
    LLVMValueRef half = LLVMBuildBitCast(f->b, h, LLVMHalfTypeInContext(f->cg->ctx), "");
    LLVMValueRef wide = LLVMBuildFPExt(f->b, half, f->cg->f32, "");
    if (!f->cg->target->one_nan) return wide;
    return pick(f, is_nan(f, wide), widen_nan(f, LLVMBuildZExt(f->b, h, f->cg->i32, "")), wide);
}

static LLVMValueRef bits_above(CgFunc *f, LLVMValueRef v, uint32_t most, uint32_t bits) {
    return pick(f, LLVMBuildICmp(f->b, LLVMIntSGT, v, u32(f, most), ""), u32(f, bits), u32(f, 0));
}

/* The exponent is rebiased from 15 to 127; subnormal numbers, whose exponent is 0, are corrected by a subtraction,
 * infinity and NaNs by setting all bits of the exponent. */
static LLVMValueRef widen_f16(CgFunc *f, LLVMValueRef h) {
    LLVMValueRef low = LLVMBuildShl(f->b, LLVMBuildAnd(f->b, h, u32(f, 0x7fff), ""), u32(f, 13), "");
    LLVMValueRef normal = LLVMBuildAdd(f->b, low, u32(f, 112u << 23), "");
    LLVMValueRef magic = as_float(f, u32(f, 113u << 23));
    LLVMValueRef small = as_float(f, LLVMBuildAdd(f->b, low, u32(f, 113u << 23), ""));
    small = as_bits(f, LLVMBuildFSub(f->b, small, magic, ""));
    LLVMValueRef bits = pick(f, LLVMBuildICmp(f->b, LLVMIntSLT, low, u32(f, 1u << 23), ""), small, normal);
    bits = LLVMBuildOr(f->b, bits, bits_above(f, low, (0x7c00u << 13) - 1, 0x7f800000u), "");
    bits = LLVMBuildOr(f->b, bits, bits_above(f, low, 0x7c00u << 13, 0x400000), "");
    return as_float(f, LLVMBuildOr(f->b, bits, sign_of_f16(f, h), ""));
}

CgValue cg_widen_half(CgFunc *f, CgValue v) {
    if (v.type->kind == TY_VECTOR && type_is_half(v.type->elem))
        return cg_to_vector(f, v, type_vector(f->cg->program->types, cg_scalar(f->cg, TY_F32), v.type->width));
    if (!type_is_half(v.type)) return v;
    Type *f32 = cg_scalar(f->cg, TY_F32);
    if (v.type->kind == TY_F16 && f->cg->has_half) return cg_value(widen_by_instruction(f, v.v), f32);
    LLVMValueRef h = LLVMBuildZExt(f->b, v.v, f->cg->i32, "");
    return cg_value(v.type->kind == TY_F16 ? widen_f16(f, h) : as_float(f, LLVMBuildShl(f->b, h, u32(f, 16), "")), f32);
}

/* Narrowing -------------------------------------------------------------------------------------------------------- */

static LLVMValueRef upper_half(CgFunc *f, LLVMValueRef bits) { return LLVMBuildLShr(f->b, bits, u32(f, 16), ""); }

/* Of an f32 that is a NaN, as the lower half of 32 bits. */
static LLVMValueRef narrow_nan(CgFunc *f, LLVMValueRef v, bool to_f16) {
    LLVMValueRef top = upper_half(f, as_bits(f, v));
    if (to_f16) top = LLVMBuildAnd(f->b, top, u32(f, 0x8000), "");
    return LLVMBuildOr(f->b, top, u32(f, to_f16 ? 0x7e00 : 0x40), "");
}

/* A NaN with its sign and no payload. */
static LLVMValueRef without_payload(CgFunc *f, LLVMValueRef v) {
    LLVMValueRef sign = LLVMBuildAnd(f->b, as_bits(f, v), u32(f, 0x80000000u), "");
    return pick(f, is_nan(f, v), as_float(f, LLVMBuildOr(f->b, sign, u32(f, 0x7fc00000), "")), v);
}

static LLVMValueRef narrow_by_instruction(CgFunc *f, LLVMValueRef v, bool to_f16) {
    LLVMContextRef ctx = f->cg->ctx;
    bool after = f->cg->target->one_nan;
    LLVMTypeRef half = to_f16 ? LLVMHalfTypeInContext(ctx) : LLVMBFloatTypeInContext(ctx);
    LLVMValueRef narrow = LLVMBuildFPTrunc(f->b, after ? v : without_payload(f, v), half, "");
    narrow = LLVMBuildBitCast(f->b, narrow, f->cg->i16, "");
    if (!after) return narrow;
    return pick(f, is_nan(f, v), LLVMBuildTrunc(f->b, narrow_nan(f, v, to_f16), f->cg->i16, ""), narrow);
}

/* Nearest, ties to even: large numbers become infinity, small ones are rounded by an addition that shifts them. */
static LLVMValueRef narrow_f16(CgFunc *f, LLVMValueRef v) {
    LLVMValueRef bits = as_bits(f, v);
    LLVMValueRef sign = LLVMBuildAnd(f->b, bits, u32(f, 0x80000000u), "");
    LLVMValueRef a = LLVMBuildXor(f->b, bits, sign, "");
    LLVMValueRef nan = LLVMBuildICmp(f->b, LLVMIntUGT, a, u32(f, 0x7f800000u), "");
    LLVMValueRef large = pick(f, nan, u32(f, 0x7e00), u32(f, 0x7c00));
    LLVMValueRef half = LLVMConstReal(f->cg->f32, 0.5);
    LLVMValueRef small = as_bits(f, LLVMBuildFAdd(f->b, as_float(f, a), half, ""));
    small = LLVMBuildSub(f->b, small, u32(f, 0x3f000000u), "");
    LLVMValueRef odd = LLVMBuildAnd(f->b, LLVMBuildLShr(f->b, a, u32(f, 13), ""), u32(f, 1), "");
    LLVMValueRef normal = LLVMBuildAdd(f->b, LLVMBuildAdd(f->b, a, u32(f, 0xc8000fffu), ""), odd, "");
    normal = LLVMBuildLShr(f->b, normal, u32(f, 13), "");
    LLVMValueRef is_large = LLVMBuildICmp(f->b, LLVMIntUGE, a, u32(f, 0x47800000u), "");
    LLVMValueRef is_small = LLVMBuildICmp(f->b, LLVMIntULT, a, u32(f, 0x38800000u), "");
    LLVMValueRef out = pick(f, is_large, large, pick(f, is_small, small, normal));
    return LLVMBuildOr(f->b, out, LLVMBuildLShr(f->b, sign, u32(f, 16), ""), "");
}

static LLVMValueRef narrow_bf16(CgFunc *f, LLVMValueRef v) {
    LLVMValueRef bits = as_bits(f, v), top = upper_half(f, bits);
    LLVMValueRef round = LLVMBuildAdd(f->b, LLVMBuildAnd(f->b, top, u32(f, 1), ""), u32(f, 0x7fff), "");
    LLVMValueRef out = upper_half(f, LLVMBuildAdd(f->b, bits, round, ""));
    return pick(f, is_nan(f, v), narrow_nan(f, v, false), out);
}

/* f64 to f32, rounded to odd: what was cut off leaves its mark in the last bit, so rounding once more is exact. */
static LLVMValueRef to_odd(CgFunc *f, LLVMValueRef v) {
    LLVMValueRef t = LLVMBuildFPTrunc(f->b, v, f->cg->f32, ""), back = LLVMBuildFPExt(f->b, t, f->cg->f64, "");
    LLVMValueRef size[2];
    for (int i = 0; i < 2; i++) size[i] = cg_intrinsic(f, "llvm.fabs", &f->cg->f64, 1, i ? &v : &back, 1);
    LLVMValueRef past = LLVMBuildFCmp(f->b, LLVMRealOGT, size[0], size[1], "");
    LLVMValueRef inexact = LLVMBuildFCmp(f->b, LLVMRealUNE, back, v, "");
    LLVMValueRef bits = LLVMBuildSub(f->b, as_bits(f, t), LLVMBuildZExt(f->b, past, f->cg->i32, ""), "");
    return as_float(f, LLVMBuildOr(f->b, bits, LLVMBuildZExt(f->b, inexact, f->cg->i32, ""), ""));
}

/* An integer that f64 has no room for, rounded to odd likewise: its last 11 bits leave their mark in the one before. */
static CgValue integer_to_odd(CgFunc *f, CgValue v) {
    LLVMTypeRef t = LLVMTypeOf(v.v);
    LLVMValueRef rest = LLVMBuildAnd(f->b, v.v, LLVMConstInt(t, 0x7ff, false), "");
    LLVMValueRef some = LLVMBuildICmp(f->b, LLVMIntNE, rest, LLVMConstNull(t), "");
    LLVMValueRef mark = pick(f, some, LLVMConstInt(t, 0x800, false), LLVMConstNull(t));
    LLVMValueRef odd = LLVMBuildOr(f->b, LLVMBuildSub(f->b, v.v, rest, ""), mark, "");
    LLVMValueRef room = LLVMConstInt(t, UINT64_C(1) << 53, false), from_least = v.v;
    if (v.type->is_signed) from_least = LLVMBuildAdd(f->b, v.v, room, "");
    LLVMValueRef most = v.type->is_signed ? LLVMConstInt(t, UINT64_C(1) << 54, false) : room;
    v.v = pick(f, LLVMBuildICmp(f->b, LLVMIntUGT, from_least, most, ""), odd, v.v);
    return v;
}

CgValue cg_narrow_half(CgFunc *f, CgValue v, Type *to) {
    v = cg_widen_half(f, v);
    if (v.type->is_int && v.type->bits == 64) v = integer_to_odd(f, v);
    bool exact = v.type->kind == TY_F32 || (v.type->bits <= 16 && !v.type->is_float);
    v = cg_convert(f, v, cg_scalar(f->cg, exact ? TY_F32 : TY_F64));
    LLVMValueRef wide = exact ? v.v : to_odd(f, v.v);
    bool to_f16 = to->kind == TY_F16, by_instruction = to_f16 ? f->cg->has_half : f->cg->target->converts_bf16;
    if (by_instruction) return cg_value(narrow_by_instruction(f, wide, to_f16), to);
    LLVMValueRef bits = to_f16 ? narrow_f16(f, wide) : narrow_bf16(f, wide);
    return cg_value(LLVMBuildTrunc(f->b, bits, f->cg->i16, ""), to);
}
