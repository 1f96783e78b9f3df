/* op.c -- operators. Integers wrap; / and % truncate and INT_MIN / -1 wraps. Where checks can be reported a zero
 * divisor or a too wide shift ends the program; elsewhere they have a defined result: x / 0 and x % 0 are 0, and a
 * shift by the width or more moves every bit out. Nothing is fast-math, and fused is what sema says: the same source
 * gives the same bits on host and device. */
#include "irgen/lang/lang.h"

static LLVMValueRef all_ones(LLVMValueRef like) { return LLVMConstAllOnes(LLVMTypeOf(like)); }
static LLVMValueRef zero_like(LLVMValueRef like) { return LLVMConstNull(LLVMTypeOf(like)); }

/* Unsigned shape: an integer constant of the type of `like`. */
static LLVMValueRef int_like(LLVMValueRef like, int64_t v) { return LLVMConstInt(LLVMTypeOf(like), (uint64_t)v, true); }

/* Division --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef divide(CgFunc *f, Op op, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    if (op == OP_DIV) return is_signed ? LLVMBuildSDiv(f->b, a, b, "") : LLVMBuildUDiv(f->b, a, b, "");
    return is_signed ? LLVMBuildSRem(f->b, a, b, "") : LLVMBuildURem(f->b, a, b, "");
}

static void check_divisor(CgFunc *f, LLVMValueRef is_zero, Span span) {
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "divide", span, 0, is_zero), &ok);
    if (f->error_slot) {
        cg_report(f, f->check.site, (CgFailure){0});
        cg_enter(f, ok);
        return;
    }
    LLVMValueRef place = cg_place_string(f->cg, span);
    cg_call_runtime(f, RT_FAIL_DIVIDE, &place, 1);
    cg_enter(f, ok);
}

/* The processor traps on a zero divisor and on INT_MIN / -1: neither may reach it. */
static LLVMValueRef divide_guarded(CgFunc *f, Op op, bool is_signed, LLVMValueRef a, LLVMValueRef b, Span span) {
    LLVMValueRef is_zero = LLVMBuildICmp(f->b, LLVMIntEQ, b, zero_like(b), "");
    bool reported = cg_can_report(f, f->check.site), never_zero = reported || f->check.site < 0;
    LLVMValueRef unsafe = never_zero ? NULL : is_zero, minus_one = NULL;
    if (reported) check_divisor(f, is_zero, span);
    if (is_signed) {
        minus_one = LLVMBuildICmp(f->b, LLVMIntEQ, b, all_ones(b), "");
        unsafe = unsafe ? LLVMBuildOr(f->b, unsafe, minus_one, "") : minus_one;
    }
    LLVMValueRef safe = unsafe ? LLVMBuildSelect(f->b, unsafe, int_like(b, 1), b, "") : b;
    LLVMValueRef q = divide(f, op, is_signed, a, safe);
    /* by 1 the remainder is 0, which is also x % -1 and x % 0 */
    if (op == OP_REM) return q;
    if (minus_one) q = LLVMBuildSelect(f->b, minus_one, LLVMBuildNeg(f->b, a, ""), q, "");
    return never_zero ? q : LLVMBuildSelect(f->b, is_zero, zero_like(q), q, "");
}

static LLVMValueRef int_divide(CgFunc *f, Op op, const Type *t, LLVMValueRef a, LLVMValueRef b, const Const *kb,
                               Span span) {
    if (kb && kb->kind == CONST_INT && kb->i != 0 && kb->i != -1) return divide(f, op, t->is_signed, a, b);
    return divide_guarded(f, op, t->is_signed, a, b, span);
}

/* Shifts ----------------------------------------------------------------------------------------------------------- */

static void check_shift(CgFunc *f, LLVMValueRef wide, LLVMValueRef amount, bool is_signed, int bits, Span span) {
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "shift", span, 0, wide), &ok);
    LLVMValueRef shown = is_signed ? LLVMBuildSExtOrBitCast(f->b, amount, f->cg->i64, "")
                                   : LLVMBuildZExtOrBitCast(f->b, amount, f->cg->i64, "");
    if (f->error_slot) {
        cg_report(f, f->check.site, (CgFailure){.value = shown});
        cg_enter(f, ok);
        return;
    }
    LLVMValueRef args[3] = {cg_place_string(f->cg, span), shown, cg_i64(f->cg, bits)};
    cg_call_runtime(f, RT_FAIL_SHIFT, args, 3);
    cg_enter(f, ok);
}

static LLVMValueRef shift(CgFunc *f, Op op, const Type *t, LLVMValueRef a, LLVMValueRef n) {
    if (op == OP_SHL) return LLVMBuildShl(f->b, a, n, "");
    return t->is_signed ? LLVMBuildAShr(f->b, a, n, "") : LLVMBuildLShr(f->b, a, n, "");
}

/* The amount may be of another integer type than the value. */
static LLVMValueRef int_shift(CgFunc *f, Op op, CgValue a, CgValue n, const Const *kn, Span span) {
    int bits = a.type->bits;
    LLVMTypeRef t = LLVMTypeOf(a.v);
    bool known = kn && kn->kind == CONST_INT && kn->i >= 0 && kn->i < bits;
    LLVMValueRef wide = known ? NULL : LLVMBuildICmp(f->b, LLVMIntUGE, n.v, int_like(n.v, bits), "");
    LLVMValueRef amount = n.type->bits > bits ? LLVMBuildTrunc(f->b, n.v, t, "")
                                              : LLVMBuildZExtOrBitCast(f->b, n.v, t, "");
    if (known || f->check.site < 0) return shift(f, op, a.type, a.v, amount);
    if (cg_can_report(f, f->check.site)) {
        check_shift(f, wide, n.v, n.type->is_signed, bits, span);
        return shift(f, op, a.type, a.v, amount);
    }
    if (op == OP_SHR && a.type->is_signed)
        return shift(f, op, a.type, a.v, LLVMBuildSelect(f->b, wide, int_like(amount, bits - 1), amount, ""));
    amount = LLVMBuildSelect(f->b, wide, zero_like(amount), amount, "");
    return LLVMBuildSelect(f->b, wide, zero_like(a.v), shift(f, op, a.type, a.v, amount), "");
}

/* Comparisons ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef compare_ints(CgFunc *f, Op op, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    static const LLVMIntPredicate table[OP__COUNT][2] = {
        [OP_EQ] = {LLVMIntEQ, LLVMIntEQ},   [OP_NE] = {LLVMIntNE, LLVMIntNE},   [OP_LT] = {LLVMIntULT, LLVMIntSLT},
        [OP_LE] = {LLVMIntULE, LLVMIntSLE}, [OP_GT] = {LLVMIntUGT, LLVMIntSGT}, [OP_GE] = {LLVMIntUGE, LLVMIntSGE},
    };
    return LLVMBuildICmp(f->b, table[op][is_signed], a, b, "");
}

static LLVMValueRef compare_floats(CgFunc *f, Op op, LLVMValueRef a, LLVMValueRef b) {
    static const LLVMRealPredicate table[OP__COUNT] = {
        [OP_EQ] = LLVMRealOEQ, [OP_NE] = LLVMRealUNE, [OP_LT] = LLVMRealOLT,
        [OP_LE] = LLVMRealOLE, [OP_GT] = LLVMRealOGT, [OP_GE] = LLVMRealOGE,
    };
    return LLVMBuildFCmp(f->b, table[op], a, b, "");
}

static LLVMValueRef compare(CgFunc *f, Op op, const Type *t, LLVMValueRef a, LLVMValueRef b) {
    if (t->is_float) return compare_floats(f, op, a, b);
    if (t->kind != TY_STR) return compare_ints(f, op, t->is_signed, a, b);
    LLVMValueRef texts[2] = {a, b};
    LLVMValueRef order = cg_call_runtime(f, RT_STRCMP, texts, 2);
    return compare_ints(f, op, true, order, zero_like(order));
}

/* Arithmetic ------------------------------------------------------------------------------------------------------- */

/* C's fmod. LLVM has an instruction for it, of which back ends for GPUs make something else where a is much larger. */
static LLVMValueRef float_rem(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef t = LLVMTypeOf(a), fn_type;
    if (!f->cg->target->gpu) return LLVMBuildFRem(f->b, a, b, "");
    LLVMValueRef args[2] = {a, b};
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) {
        LLVMValueRef fmod = cg_libm(f->cg, "fmod", cg_scalar(f->cg, t == f->cg->f32 ? TY_F32 : TY_F64), 2, &fn_type);
        return cg_call(f, fn_type, fmod, args, 2);
    }
    LLVMValueRef whole = LLVMGetPoison(t);
    for (unsigned i = 0; i < LLVMGetVectorSize(t); i++) {
        LLVMValueRef at = cg_i32(f->cg, i), x = LLVMBuildExtractElement(f->b, a, at, "");
        whole = LLVMBuildInsertElement(f->b, whole, float_rem(f, x, LLVMBuildExtractElement(f->b, b, at, "")), at, "");
    }
    return whole;
}

static LLVMValueRef float_op(CgFunc *f, Op op, LLVMValueRef a, LLVMValueRef b) {
    switch (op) {
    case OP_ADD: return LLVMBuildFAdd(f->b, a, b, "");
    case OP_SUB: return LLVMBuildFSub(f->b, a, b, "");
    case OP_MUL: return LLVMBuildFMul(f->b, a, b, "");
    case OP_DIV: return LLVMBuildFDiv(f->b, a, b, "");
    case OP_REM: return float_rem(f, a, b);
    default: ice(f->cg->c, (Span){0}, "operator %s on floats", op_info[op].spelling);
    }
}

static LLVMValueRef int_op(CgFunc *f, Op op, CgValue a, CgValue b, const Const *kb, Span span) {
    switch (op) {
    case OP_ADD: return LLVMBuildAdd(f->b, a.v, b.v, "");
    case OP_SUB: return LLVMBuildSub(f->b, a.v, b.v, "");
    case OP_MUL: return LLVMBuildMul(f->b, a.v, b.v, "");
    case OP_DIV:
    case OP_REM: return int_divide(f, op, a.type, a.v, b.v, kb, span);
    case OP_BIT_AND: return LLVMBuildAnd(f->b, a.v, b.v, "");
    case OP_BIT_OR: return LLVMBuildOr(f->b, a.v, b.v, "");
    case OP_BIT_XOR: return LLVMBuildXor(f->b, a.v, b.v, "");
    case OP_SHL:
    case OP_SHR: return int_shift(f, op, a, b, kb, span);
    default: ice(f->cg->c, span, "operator %s on integers", op_info[op].spelling);
    }
}

/* Division and shifts ask something of each part. */
static bool goes_by_part(Op op, const Type *t) {
    if (t->kind != TY_VECTOR || !t->elem->is_int) return false;
    return op == OP_DIV || op == OP_REM || op_info[op].kind == OPK_SHIFT;
}

CgValue cg_binary(CgFunc *f, Op op, CgValue a, CgValue b, const Const *kb, Span span) {
    if (goes_by_part(op, a.type)) return cg_by_part(f, op, a, b, span);
    if (type_is_half(type_of_part(a.type))) {
        CgValue v = cg_binary(f, op, cg_widen_half(f, a), cg_widen_half(f, b), NULL, span);
        return op_info[op].kind == OPK_COMPARE ? v : cg_convert(f, v, a.type);
    }
    if (op_info[op].kind == OPK_COMPARE)
        return cg_value(compare(f, op, a.type, a.v, b.v), cg_scalar(f->cg, TY_BOOL));
    LLVMValueRef v = type_of_part(a.type)->is_float ? float_op(f, op, a.v, b.v) : int_op(f, op, a, b, kb, span);
    f->check = (CgCheck){0};
    return cg_value(v, a.type);
}

static LLVMValueRef negated_if(CgFunc *f, bool negated, LLVMValueRef v) {
    return negated ? LLVMBuildFNeg(f->b, v, "") : v;
}

/* a * b + c, rounded once. LLVM makes none of these by itself. */
CgValue cg_fused(CgFunc *f, CgValue a, CgValue b, CgValue c, bool minus_product, bool minus_c) {
    LLVMValueRef args[3] = {negated_if(f, minus_product, a.v), b.v, negated_if(f, minus_c, c.v)};
    LLVMTypeRef over = LLVMTypeOf(a.v);
    LLVMValueRef v = cg_intrinsic(f, "llvm.fma", &over, 1, args, 3);
    return cg_value(v, a.type);
}

CgValue cg_unary(CgFunc *f, Op op, CgValue a) {
    if (type_is_half(type_of_part(a.type))) return cg_convert(f, cg_unary(f, op, cg_widen_half(f, a)), a.type);
    if (op == OP_NEG) a.v = type_of_part(a.type)->is_float ? LLVMBuildFNeg(f->b, a.v, "") : LLVMBuildNeg(f->b, a.v, "");
    else a.v = LLVMBuildNot(f->b, a.v, "");
    return a;
}

/* A NaN and a number give the number; -0 is less than +0: the result does not depend on how it is computed. */
CgValue cg_minmax(CgFunc *f, bool max, CgValue a, CgValue b) {
    if (type_is_half(type_of_part(a.type)))
        return cg_convert(f, cg_minmax(f, max, cg_widen_half(f, a), cg_widen_half(f, b)), a.type);
    const Type *t = type_of_part(a.type);
    static const char *const names[3][2] = {
        {"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}, {"llvm.minimumnum", "llvm.maximumnum"}};
    const char *name = names[t->is_float ? 2 : t->is_signed][max];
    LLVMTypeRef over = LLVMTypeOf(a.v);
    LLVMValueRef args[2] = {a.v, b.v};
    return cg_value(cg_intrinsic(f, name, &over, 1, args, 2), a.type);
}
