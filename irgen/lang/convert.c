/* convert.c -- conversions between scalars. Integers wrap; floats to integers saturate, and NaN becomes 0; a bool
 * becomes 0 or 1, and a number becomes true unless it is 0. */
#include "irgen/lang/lang.h"

static LLVMValueRef int_to_int(CgFunc *f, CgValue v, const Type *to) {
    if (to->bits <= v.type->bits) return LLVMBuildTruncOrBitCast(f->b, v.v, cg_type(f->cg, to), "");
    LLVMTypeRef t = cg_type(f->cg, to);
    return v.type->is_signed ? LLVMBuildSExt(f->b, v.v, t, "") : LLVMBuildZExt(f->b, v.v, t, "");
}

static LLVMValueRef int_to_float(CgFunc *f, CgValue v, const Type *to) {
    LLVMTypeRef t = cg_type(f->cg, to);
    return v.type->is_signed ? LLVMBuildSIToFP(f->b, v.v, t, "") : LLVMBuildUIToFP(f->b, v.v, t, "");
}

static LLVMValueRef float_to_int(CgFunc *f, CgValue v, const Type *to) {
    LLVMTypeRef over[2] = {cg_type(f->cg, to), LLVMTypeOf(v.v)};
    return cg_intrinsic(f, to->is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", over, 2, &v.v, 1);
}

static LLVMValueRef float_to_float(CgFunc *f, CgValue v, const Type *to) {
    LLVMTypeRef t = cg_type(f->cg, to);
    return to->bits < v.type->bits ? LLVMBuildFPTrunc(f->b, v.v, t, "") : LLVMBuildFPExt(f->b, v.v, t, "");
}

static LLVMValueRef to_bool(CgFunc *f, CgValue v) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v.v));
    if (v.type->is_float) return LLVMBuildFCmp(f->b, LLVMRealUNE, v.v, zero, "");
    return LLVMBuildICmp(f->b, LLVMIntNE, v.v, zero, "");
}

static LLVMValueRef from_bool(CgFunc *f, CgValue v, const Type *to) {
    LLVMTypeRef t = cg_type(f->cg, to);
    return to->is_float ? LLVMBuildUIToFP(f->b, v.v, t, "") : LLVMBuildZExt(f->b, v.v, t, "");
}

static LLVMValueRef convert(CgFunc *f, CgValue v, const Type *to) {
    if (to->kind == TY_BOOL) return to_bool(f, v);
    if (v.type->kind == TY_BOOL) return from_bool(f, v, to);
    if (v.type->is_int && to->is_int) return int_to_int(f, v, to);
    if (v.type->is_int && to->is_float) return int_to_float(f, v, to);
    if (v.type->is_float && to->is_int) return float_to_int(f, v, to);
    if (v.type->is_float && to->is_float) return float_to_float(f, v, to);
    ice(f->cg->c, (Span){0}, "no conversion from %s to %s", v.type->name, to->name);
}

CgValue cg_convert(CgFunc *f, CgValue v, Type *to) {
    if (v.type == to || v.type->kind == TY_ARRAY) return v;
    if (to->kind == TY_VECTOR) return cg_to_vector(f, v, to);
    if (type_is_half(to)) return cg_narrow_half(f, v, to);
    if (type_is_half(v.type)) return cg_convert(f, cg_widen_half(f, v), to);
    if (to->bits == v.type->bits && to->is_int && v.type->is_int) return cg_value(v.v, to); /* index, i64, u64 */
    return cg_value(convert(f, v, to), to);
}
