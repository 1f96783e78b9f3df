/* op.c -- operators. Integers wrap; / and % truncate, and INT_MIN / -1 wraps. Where checks can be reported, a zero
 * divisor or an oversized shift amount ends the program; elsewhere the result is defined: x / 0 and x % 0 are 0, and a
 * shift by the width or more shifts out all bits. No fast-math flags are set here, and sema decides what is fused: the
 * same source returns the same bits on host and device, except in the fast mode (lang/fast.c). */
#include "irgen/lang/lang.h"

static LLVMValueRef all_ones(LLVMValueRef like) { return LLVMConstAllOnes(LLVMTypeOf(like)); }
static LLVMValueRef zero_like(LLVMValueRef like) { return LLVMConstNull(LLVMTypeOf(like)); }

/* An integer constant of the type of `like`. */
static LLVMValueRef int_like(LLVMValueRef like, int64_t v) { return LLVMConstInt(LLVMTypeOf(like), (uint64_t)v, true); }

/* Of integers, or of bools for what works on bits. */
typedef struct Operands {
    CgValue a, b;
    const Const *kb; /* what is known of b, or NULL */
    Span span;
} Operands;

/* Division --------------------------------------------------------------------------------------------------------- */

/* Of this many lanes, at least as wide as the target divides. */
static LLVMTypeRef in_words(CgFunc *f, LLVMTypeRef t) {
    bool is_vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    bool is_narrow = LLVMGetIntTypeWidth(is_vector ? LLVMGetElementType(t) : t) < 32;
    if (!is_narrow || !f->cg->target->divides_words) return t;
    return is_vector ? LLVMVectorType(f->cg->i32, LLVMGetVectorSize(t)) : f->cg->i32;
}

static LLVMValueRef divide(CgFunc *f, bool remainder, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef t = LLVMTypeOf(a), word = in_words(f, t);
    if (word != t) {
        LLVMOpcode extend = is_signed ? LLVMSExt : LLVMZExt;
        a = LLVMBuildCast(f->b, extend, a, word, "");
        b = LLVMBuildCast(f->b, extend, b, word, "");
        return LLVMBuildTrunc(f->b, divide(f, remainder, is_signed, a, b), t, "");
    }
    if (!remainder) return is_signed ? LLVMBuildSDiv(f->b, a, b, "") : LLVMBuildUDiv(f->b, a, b, "");
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
static LLVMValueRef divide_guarded(CgFunc *f, bool remainder, bool is_signed, LLVMValueRef a, LLVMValueRef b,
                                   Span span) {
    LLVMValueRef is_zero = LLVMBuildICmp(f->b, LLVMIntEQ, b, zero_like(b), "");
    bool reported = cg_can_report(f, f->check.site), never_zero = reported || f->check.site < 0;
    LLVMValueRef unsafe = never_zero ? NULL : is_zero, minus_one = NULL;
    if (reported) check_divisor(f, is_zero, span);
    if (is_signed) {
        minus_one = LLVMBuildICmp(f->b, LLVMIntEQ, b, all_ones(b), "");
        unsafe = unsafe ? LLVMBuildOr(f->b, unsafe, minus_one, "") : minus_one;
    }
    LLVMValueRef safe = unsafe ? LLVMBuildSelect(f->b, unsafe, int_like(b, 1), b, "") : b;
    LLVMValueRef q = divide(f, remainder, is_signed, a, safe);
    /* by 1 the remainder is 0, which is also x % -1 and x % 0 */
    if (remainder) return q;
    if (minus_one) q = LLVMBuildSelect(f->b, minus_one, LLVMBuildNeg(f->b, a, ""), q, "");
    return never_zero ? q : LLVMBuildSelect(f->b, is_zero, zero_like(q), q, "");
}

static LLVMValueRef divide_ints(CgFunc *f, bool remainder, const Operands *o) {
    bool is_signed = o->a.type->is_signed && !f->check.natural; /* the results are the same, and need no correction */
    if (o->kb && o->kb->kind == CONST_INT && o->kb->i != 0 && o->kb->i != -1)
        return divide(f, remainder, is_signed, o->a.v, o->b.v);
    return divide_guarded(f, remainder, is_signed, o->a.v, o->b.v, o->span);
}

static LLVMValueRef int_div(CgFunc *f, const Operands *o) { return divide_ints(f, false, o); }
static LLVMValueRef int_rem(CgFunc *f, const Operands *o) { return divide_ints(f, true, o); }

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

static LLVMValueRef shift(CgFunc *f, bool right, const Type *t, LLVMValueRef a, LLVMValueRef n) {
    if (!right) return LLVMBuildShl(f->b, a, n, "");
    return t->is_signed ? LLVMBuildAShr(f->b, a, n, "") : LLVMBuildLShr(f->b, a, n, "");
}

/* The amount may be of another integer type than the value. */
static LLVMValueRef shift_ints(CgFunc *f, bool right, const Operands *o) {
    CgValue a = o->a, n = o->b;
    int bits = a.type->bits;
    LLVMTypeRef t = LLVMTypeOf(a.v);
    bool known = o->kb && o->kb->kind == CONST_INT && o->kb->i >= 0 && o->kb->i < bits;
    LLVMValueRef wide = known ? NULL : LLVMBuildICmp(f->b, LLVMIntUGE, n.v, int_like(n.v, bits), "");
    LLVMValueRef amount = n.type->bits > bits ? LLVMBuildTrunc(f->b, n.v, t, "")
                                              : LLVMBuildZExtOrBitCast(f->b, n.v, t, "");
    if (known || f->check.site < 0) return shift(f, right, a.type, a.v, amount);
    if (cg_can_report(f, f->check.site)) {
        check_shift(f, wide, n.v, n.type->is_signed, bits, o->span);
        return shift(f, right, a.type, a.v, amount);
    }
    if (right && a.type->is_signed)
        return shift(f, right, a.type, a.v, LLVMBuildSelect(f->b, wide, int_like(amount, bits - 1), amount, ""));
    amount = LLVMBuildSelect(f->b, wide, zero_like(amount), amount, "");
    return LLVMBuildSelect(f->b, wide, zero_like(a.v), shift(f, right, a.type, a.v, amount), "");
}

static LLVMValueRef int_shl(CgFunc *f, const Operands *o) { return shift_ints(f, false, o); }
static LLVMValueRef int_shr(CgFunc *f, const Operands *o) { return shift_ints(f, true, o); }

/* The count is taken modulo the width, which its low bits are, whatever its type. */
static LLVMValueRef int_rol(CgFunc *f, const Operands *o) {
    int bits = type_of_part(o->a.type)->bits, n_bits = type_of_part(o->b.type)->bits;
    LLVMTypeRef t = LLVMTypeOf(o->a.v);
    LLVMValueRef n = n_bits > bits ? LLVMBuildTrunc(f->b, o->b.v, t, "") : LLVMBuildZExtOrBitCast(f->b, o->b.v, t, "");
    LLVMValueRef args[3] = {o->a.v, o->a.v, n};
    return cg_intrinsic(f, "llvm.fshl", &t, 1, args, 3);
}

/* Comparisons ------------------------------------------------------------------------------------------------------ */

/* By a set of OpOrder. */
static LLVMValueRef compare_ints(CgFunc *f, unsigned orders, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    static const LLVMIntPredicate table[ORDER_ALL][2] = {
        [ORDER_LESS] = {LLVMIntULT, LLVMIntSLT},
        [ORDER_EQUAL] = {LLVMIntEQ, LLVMIntEQ},
        [ORDER_GREATER] = {LLVMIntUGT, LLVMIntSGT},
        [ORDER_LESS | ORDER_EQUAL] = {LLVMIntULE, LLVMIntSLE},
        [ORDER_GREATER | ORDER_EQUAL] = {LLVMIntUGE, LLVMIntSGE},
        [ORDER_LESS | ORDER_GREATER] = {LLVMIntNE, LLVMIntNE},
    };
    return LLVMBuildICmp(f->b, table[orders][is_signed], a, b, "");
}

/* A NaN is unequal to everything. */
static LLVMValueRef compare_floats(CgFunc *f, unsigned orders, LLVMValueRef a, LLVMValueRef b) {
    static const LLVMRealPredicate table[ORDER_ALL] = {
        [ORDER_LESS] = LLVMRealOLT,
        [ORDER_EQUAL] = LLVMRealOEQ,
        [ORDER_GREATER] = LLVMRealOGT,
        [ORDER_LESS | ORDER_EQUAL] = LLVMRealOLE,
        [ORDER_GREATER | ORDER_EQUAL] = LLVMRealOGE,
        [ORDER_LESS | ORDER_GREATER] = LLVMRealUNE,
    };
    return LLVMBuildFCmp(f->b, table[orders], a, b, "");
}

static LLVMValueRef compare(CgFunc *f, unsigned orders, const Type *t, LLVMValueRef a, LLVMValueRef b) {
    if (t->is_float) return compare_floats(f, orders, a, b);
    if (t->kind != TY_STR) return compare_ints(f, orders, t->is_signed, a, b);
    LLVMValueRef texts[2] = {a, b};
    LLVMValueRef order = cg_call_runtime(f, RT_STRCMP, texts, 2);
    return compare_ints(f, orders, true, order, zero_like(order));
}

/* Arithmetic ------------------------------------------------------------------------------------------------------- */

/* C's fmod. LLVM has an instruction for it, which back ends for GPUs expand inexactly if a is much larger. */
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

static LLVMValueRef float_add(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildFAdd(f->b, a, b, ""); }
static LLVMValueRef float_sub(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildFSub(f->b, a, b, ""); }
static LLVMValueRef float_mul(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildFMul(f->b, a, b, ""); }
static LLVMValueRef float_div(CgFunc *f, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildFDiv(f->b, a, b, ""); }

static LLVMValueRef int_add(CgFunc *f, const Operands *o) { return LLVMBuildAdd(f->b, o->a.v, o->b.v, ""); }
static LLVMValueRef int_sub(CgFunc *f, const Operands *o) { return LLVMBuildSub(f->b, o->a.v, o->b.v, ""); }
static LLVMValueRef int_mul(CgFunc *f, const Operands *o) { return LLVMBuildMul(f->b, o->a.v, o->b.v, ""); }
static LLVMValueRef int_and(CgFunc *f, const Operands *o) { return LLVMBuildAnd(f->b, o->a.v, o->b.v, ""); }
static LLVMValueRef int_or(CgFunc *f, const Operands *o) { return LLVMBuildOr(f->b, o->a.v, o->b.v, ""); }
static LLVMValueRef int_xor(CgFunc *f, const Operands *o) { return LLVMBuildXor(f->b, o->a.v, o->b.v, ""); }

static LLVMValueRef one_neg(CgFunc *f, CgValue a) {
    return type_of_part(a.type)->is_float ? LLVMBuildFNeg(f->b, a.v, "") : LLVMBuildNeg(f->b, a.v, "");
}

static LLVMValueRef one_not(CgFunc *f, CgValue a) { return LLVMBuildNot(f->b, a.v, ""); }

/* The rows --------------------------------------------------------------------------------------------------------- */

static const struct {
    LLVMValueRef (*ints)(CgFunc *f, const Operands *o);
    LLVMValueRef (*floats)(CgFunc *f, LLVMValueRef a, LLVMValueRef b);
    LLVMValueRef (*one)(CgFunc *f, CgValue a);
} rows[OP__COUNT] = {
#define ROW_LOGIC(f) 0 /* a branch: lang/expr.c */
#define ROW_COMPARE(orders) 0
#define ROW_BITS(f) .ints = int_##f
#define ROW_SHIFT(f) .ints = int_##f
#define ROW_ROTATE(f) .ints = int_##f
#define ROW_ARITH(f) .ints = int_##f, .floats = float_##f
#define ROW_DIVIDE(f) .ints = int_##f, .floats = float_##f
#define ROW_LOGIC_1(f) .one = one_##f
#define ROW_BITS_1(f) .one = one_##f
#define ROW_ARITH_1(f) .one = one_##f
#define OP(name, spelling, precedence, operation) [OP_##name] = {ROW_##operation},
#include "grammar/ops.def"
#undef OP
};

/* Each part is checked. */
static bool goes_by_part(Op op, const Type *t) {
    return t->kind == TY_VECTOR && t->elem->is_int && op_info[op].can_fail;
}

CgValue cg_binary(CgFunc *f, Op op, CgValue a, CgValue b, const Const *kb, Span span) {
    if (a.type->is_handle) return cg_binary(f, op, cg_part(f, a, 0), cg_part(f, b, 0), NULL, span);
    if (goes_by_part(op, a.type)) return cg_by_part(f, op, a, b, span);
    if (type_is_half(type_of_part(a.type))) {
        CgValue v = cg_binary(f, op, cg_widen_half(f, a), cg_widen_half(f, b), NULL, span);
        return op_info[op].kind == OPK_COMPARE ? v : cg_convert(f, v, a.type);
    }
    if (op_info[op].kind == OPK_COMPARE)
        return cg_value(compare(f, op_info[op].orders, a.type, a.v, b.v), cg_scalar(f->cg, TY_BOOL));
    bool is_float = type_of_part(a.type)->is_float;
    LLVMValueRef v = is_float ? rows[op].floats(f, a.v, b.v) : rows[op].ints(f, &(Operands){a, b, kb, span});
    f->check = (CgCheck){0};
    return cg_value(v, a.type);
}

void cg_set_exact(CgValue v) {
    if (!LLVMIsAInstruction(v.v)) return;
    LLVMOpcode op = LLVMGetInstructionOpcode(v.v);
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl) return;
    if (v.type->is_signed) LLVMSetNSW(v.v, true);
    else LLVMSetNUW(v.v, true);
}

static LLVMValueRef negated_if(CgFunc *f, bool negated, LLVMValueRef v) {
    return negated ? LLVMBuildFNeg(f->b, v, "") : v;
}

/* a * b + c, rounded once; in the fast mode, once or twice. LLVM makes none of these by itself in the other modes. */
CgValue cg_fused(CgFunc *f, CgValue a, CgValue b, CgValue c, bool minus_product, bool minus_c) {
    LLVMValueRef args[3] = {negated_if(f, minus_product, a.v), b.v, negated_if(f, minus_c, c.v)};
    LLVMTypeRef over = LLVMTypeOf(a.v);
    LLVMValueRef v = cg_intrinsic(f, f->cg->fast ? "llvm.fmuladd" : "llvm.fma", &over, 1, args, 3);
    return cg_value(v, a.type);
}

CgValue cg_unary(CgFunc *f, Op op, CgValue a) {
    if (type_is_half(type_of_part(a.type))) return cg_convert(f, cg_unary(f, op, cg_widen_half(f, a)), a.type);
    a.v = rows[op].one(f, a);
    return a;
}

/* Of a NaN and a number the result is the number; -0 is less than +0: so the result does not depend on the order of
 * evaluation. */
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
