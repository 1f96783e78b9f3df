/* widen.c -- widening: one instruction of the region for all items of a block, from the copies of its operands
 * (copies.c). */
#include "irgen/simd/emit.h"

#include <string.h>

LLVMValueRef simd_clone(SimdEmit *e, LLVMValueRef inst, int row, int vector) {
    LLVMValueRef c = LLVMInstructionClone(inst);
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        LLVMSetOperand(c, (unsigned)i, simd_scalar(e, LLVMGetOperand(inst, (unsigned)i), row, vector));
    LLVMInsertIntoBuilder(e->b, c);
    return c;
}

/* A linear value stands for those of all lanes by that of the first one, which may not be live: what is promised of
 * live ones does not hold for it. */
static LLVMValueRef clone_linear(SimdEmit *e, LLVMValueRef inst, int row) {
    LLVMValueRef c = simd_clone(e, inst, row, 0);
    if (!e->mask) return c;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl:
        LLVMSetNSW(c, false);
        LLVMSetNUW(c, false);
        return c;
    case LLVMOr: { /* of bits that are not set, which is a sum */
        if (!LLVMGetIsDisjoint(inst)) return c;
        LLVMValueRef sum = LLVMBuildAdd(e->b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 1), "");
        LLVMInstructionEraseFromParent(c);
        return sum;
    }
    case LLVMTrunc: {
        LLVMValueRef plain = LLVMBuildTrunc(e->b, LLVMGetOperand(c, 0), LLVMTypeOf(c), "");
        LLVMInstructionEraseFromParent(c);
        return plain;
    }
    case LLVMGetElementPtr: LLVMGEPSetNoWrapFlags(c, 0); return c;
    default:
        return c; /* phi, select and freeze promise nothing; extensions are linear only where the first lane is live */
    }
}

static void copy_fast_math(LLVMValueRef to, LLVMValueRef from) {
    if (LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(from) && LLVMCanValueUseFastMathFlags(to))
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
}

static void copy_wrap(LLVMValueRef to, LLVMValueRef from, LLVMOpcode op) {
    if (!LLVMIsAInstruction(to)) return;
    if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
        LLVMSetNSW(to, LLVMGetNSW(from));
        LLVMSetNUW(to, LLVMGetNUW(from));
    } else if (op == LLVMUDiv || op == LLVMSDiv || op == LLVMLShr || op == LLVMAShr) {
        LLVMSetExact(to, LLVMGetExact(from));
    } else if (op == LLVMOr) {
        LLVMSetIsDisjoint(to, LLVMGetIsDisjoint(from));
    }
}

/* LLVM multiplies instead of dividing by such a constant. */
static bool never_traps(LLVMValueRef by) {
    if (!LLVMIsAConstantInt(by)) return false;
    long long n = LLVMConstIntGetSExtValue(by);
    return n != 0 && n != -1;
}

/* Intrinsics with a vector form: how many of their types name them, and where those stand. */
typedef struct VectorForm {
    const char *name;
    bool result_too;     /* overloaded on its result and its first argument */
    int scalar_arg;      /* stays a constant; -1: none */
} VectorForm;

#define SATURATE "llvm.fpto" /* si.sat, ui.sat */

static const VectorForm vector_forms[] = {
    {"llvm.sqrt", false, -1},      {"llvm.fabs", false, -1},      {"llvm.fma", false, -1},      {"llvm.fmuladd", false, -1},
    {"llvm.floor", false, -1},     {"llvm.ceil", false, -1},      {"llvm.trunc", false, -1},    {"llvm.rint", false, -1},
    {"llvm.nearbyint", false, -1}, {"llvm.round", false, -1},     {"llvm.roundeven", false, -1},{"llvm.copysign", false, -1},
    {"llvm.minnum", false, -1},    {"llvm.maxnum", false, -1},    {"llvm.minimum", false, -1},  {"llvm.maximum", false, -1},
    {"llvm.minimumnum", false, -1},{"llvm.maximumnum", false, -1},{"llvm.canonicalize", false, -1},
    {"llvm.smax", false, -1},      {"llvm.smin", false, -1},      {"llvm.umax", false, -1},     {"llvm.umin", false, -1},
    {"llvm.abs", false, 1},        {"llvm.ctpop", false, -1},     {"llvm.ctlz", false, 1},      {"llvm.cttz", false, 1},
    {"llvm.bswap", false, -1},     {"llvm.bitreverse", false, -1},{"llvm.fshl", false, -1},     {"llvm.fshr", false, -1},
    {"llvm.sadd.sat", false, -1},  {"llvm.ssub.sat", false, -1},  {"llvm.uadd.sat", false, -1}, {"llvm.usub.sat", false, -1},
    {"llvm.sadd.with.overflow", false, -1}, {"llvm.ssub.with.overflow", false, -1}, {"llvm.smul.with.overflow", false, -1},
    {"llvm.uadd.with.overflow", false, -1}, {"llvm.usub.with.overflow", false, -1}, {"llvm.umul.with.overflow", false, -1},
    {"llvm.fptosi.sat", true, -1}, {"llvm.fptoui.sat", true, -1}, {"llvm.is.fpclass", false, 1},
    {"llvm.scmp", true, -1},       {"llvm.ucmp", true, -1},
};

static const VectorForm *vector_form(LLVMValueRef call) {
    LLVMValueRef fn = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(fn) || !LLVMGetIntrinsicID(fn)) return NULL;
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n);
    for (size_t i = 0; i < sizeof vector_forms / sizeof *vector_forms; i++) {
        size_t k = strlen(vector_forms[i].name);
        if (k < n && !strncmp(name, vector_forms[i].name, k) && name[k] == '.' ) {
            /* llvm.abs.i32, but not llvm.fptosi.sat for llvm.fptosi */
            LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, 0));
            if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return &vector_forms[i];
        }
    }
    return NULL;
}

static LLVMValueRef vector_call(SimdEmit *e, LLVMValueRef call, const VectorForm *form, int row, int vector) {
    enum { MAX_ARGS = 3 };
    LLVMValueRef args[MAX_ARGS];
    int n = (int)LLVMGetNumArgOperands(call), n_over = 0;
    for (int i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(call, (unsigned)i);
        args[i] = i == form->scalar_arg ? v : simd_vector(e, v, row, vector);
    }
    LLVMTypeRef over[2];
    bool saturates = !strncmp(form->name, SATURATE, strlen(SATURATE));
    if (saturates && simd_saturates(e->target, LLVMTypeOf(LLVMGetOperand(call, 0)), LLVMTypeOf(call)))
        return simd_saturated(e, args[0], LLVMTypeOf(call), form->name[strlen(SATURATE)] == 's');
    if (form->result_too) over[n_over++] = simd_type(e, LLVMTypeOf(call));
    over[n_over++] = LLVMTypeOf(args[0]);
    LLVMValueRef r = simd_intrinsic(e, form->name, over, n_over, args, n);
    copy_fast_math(r, call);
    return r;
}

static LLVMValueRef vector_gep(SimdEmit *e, LLVMValueRef gep, int row, int vector) {
    int n = LLVMGetNumOperands(gep) - 1;
    LLVMValueRef *at = arena_array(e->g->arena, LLVMValueRef, n + 1);
    LLVMValueRef base = simd_number_or_vector(e, LLVMGetOperand(gep, 0), row, vector);
    for (int i = 0; i < n; i++) at[i] = simd_number_or_vector(e, LLVMGetOperand(gep, (unsigned)i + 1), row, vector);
    return simd_widened(e, LLVMBuildGEPWithNoWrapFlags(e->b, LLVMGetGEPSourceElementType(gep), base, at, (unsigned)n,
                                                       "", LLVMGEPGetNoWrapFlags(gep)));
}

/* Sums, products and bit operations: their low bits depend on no others of their operands. */
static bool is_modular(LLVMOpcode op) {
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

/* Is v extended from no more bits than t has? */
static bool is_had_in(LLVMValueRef v, LLVMTypeRef t) {
    if (LLVMIsAConstantInt(v)) return true;
    return (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) <= LLVMGetIntTypeWidth(t);
}

bool simd_is_low_half(LLVMValueRef v) {
    enum { LEAST_PRODUCT = 16 };
    if (!LLVMIsATruncInst(v)) return false;
    LLVMValueRef of = LLVMGetOperand(v, 0);
    return LLVMIsABinaryOperator(of) && is_modular(LLVMGetInstructionOpcode(of)) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= LEAST_PRODUCT && is_had_in(LLVMGetOperand(of, 0), LLVMTypeOf(v)) &&
           is_had_in(LLVMGetOperand(of, 1), LLVMTypeOf(v));
}

static LLVMValueRef low_operand(SimdEmit *e, LLVMValueRef v, LLVMTypeRef t, int row, int vector) {
    if (LLVMIsAConstantInt(v)) return simd_splat(e, LLVMConstTrunc(v, t));
    LLVMValueRef from = simd_vector(e, LLVMGetOperand(v, 0), row, vector);
    return LLVMIsAZExtInst(v) ? LLVMBuildZExt(e->b, from, simd_type(e, t), "")
                              : LLVMBuildSExt(e->b, from, simd_type(e, t), "");
}

/* Computed again with as many bits as are wanted: that is one operation, and to collect the lower halves of the lanes
 * of two vectors several. (LLVM does so where the wide number has no other use.) */
static LLVMValueRef low_half(SimdEmit *e, LLVMValueRef v, int row, int vector) {
    LLVMValueRef of = LLVMGetOperand(v, 0), a = low_operand(e, LLVMGetOperand(of, 0), LLVMTypeOf(v), row, vector);
    LLVMValueRef b = low_operand(e, LLVMGetOperand(of, 1), LLVMTypeOf(v), row, vector);
    return LLVMBuildBinOp(e->b, LLVMGetInstructionOpcode(of), a, b, "");
}

static LLVMValueRef vector_inst(SimdEmit *e, LLVMValueRef v, int row, int vector) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef r, a = NULL, b = NULL;
    if (op == LLVMGetElementPtr) return vector_gep(e, v, row, vector);
    if (op == LLVMCall) return vector_call(e, v, vector_form(v), row, vector);
    if (simd_is_low_half(v)) return low_half(e, v, row, vector);
    if (LLVMGetNumOperands(v) > 0 && op != LLVMSelect) a = simd_vector(e, LLVMGetOperand(v, 0), row, vector);
    if (LLVMGetNumOperands(v) > 1) b = simd_vector(e, LLVMGetOperand(v, 1), row, vector);
    switch (op) {
    case LLVMFNeg: r = LLVMBuildFNeg(e->b, a, ""); break;
    case LLVMFreeze: r = LLVMBuildFreeze(e->b, a, ""); break;
    case LLVMICmp: r = LLVMBuildICmp(e->b, LLVMGetICmpPredicate(v), a, b, ""); break;
    case LLVMFCmp: r = LLVMBuildFCmp(e->b, LLVMGetFCmpPredicate(v), a, b, ""); break;
    case LLVMExtractValue: r = LLVMBuildExtractValue(e->b, a, *LLVMGetIndices(v), ""); break;
    case LLVMSelect:
        r = simd_number_or_vector(e, LLVMGetOperand(v, 0), row, vector);
        r = LLVMBuildSelect(e->b, r, b, simd_vector(e, LLVMGetOperand(v, 2), row, vector), "");
        break;
    default:
        if (LLVMIsACastInst(v)) {
            r = LLVMBuildCast(e->b, op, a, simd_type(e, LLVMTypeOf(v)), "");
            break;
        }
        if (simd_divides(v) && !never_traps(LLVMGetOperand(v, 1))) {
            LLVMValueRef by = LLVMGetOperand(v, 1), *mask = simd_mask_for(e, simd_rate(e->g, v, e->block), row, vector);
            bool is_one = simd_rate(e->g, by, e->block).x == LANE_UNIFORM && !LLVMIsConstant(by);
            r = is_one ? simd_divided_by_one(e, op, a, b, simd_scalar(e, by, row, vector), mask)
                       : simd_divided(e, op, a, b, mask);
            break;
        }
        r = LLVMBuildBinOp(e->b, op, a, b, "");
        copy_wrap(r, v, op);
    }
    copy_fast_math(r, v);
    return r;
}

/* Byte offset of an address made from `base`, as the scalar code counts it. one: of all lanes */
static LLVMValueRef private_offset(SimdEmit *e, LLVMValueRef gep, int row, int vector, bool one) {
    int n = LLVMGetNumOperands(gep) - 1;
    LLVMValueRef *at = arena_array(e->g->arena, LLVMValueRef, n), null = LLVMConstNull(e->cg->ptr);
    for (int i = 0; i < n; i++) at[i] = simd_number_or_vector(e, LLVMGetOperand(gep, (unsigned)i + 1), row, vector);
    LLVMValueRef p = LLVMBuildGEP2(e->b, LLVMGetGEPSourceElementType(gep), null, at, (unsigned)n, "");
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMVectorTypeKind;
    LLVMValueRef by = LLVMBuildPtrToInt(e->b, p, is_vector ? simd_type(e, e->cg->i64) : e->cg->i64, "");
    return one ? by : simd_widened(e, by);
}

/* All items' elements of one index lie between those of the indices before and behind: offsets count that much more. */
static LLVMValueRef private_gep(SimdEmit *e, LLVMValueRef gep, int row, int vector, bool one) {
    LLVMValueRef by = private_offset(e, gep, row, vector, one);
    LLVMValueRef items = cg_i64(e->cg, (int64_t)e->n * e->shape.width);
    by = LLVMBuildMul(e->b, by, one ? items : simd_splat(e, items), "");
    return LLVMBuildGEP2(e->b, e->cg->i8, simd_number_or_vector(e, LLVMGetOperand(gep, 0), row, vector), &by, 1, "");
}

bool simd_has_vector_form(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMCall) return vector_form(v) != NULL;
    if (LLVMIsACastInst(v) || LLVMIsABinaryOperator(v)) return true;
    return op == LLVMFNeg || op == LLVMFreeze || op == LLVMICmp || op == LLVMFCmp || op == LLVMSelect ||
           op == LLVMExtractValue || op == LLVMGetElementPtr;
}

/* Says something to LLVM only, of one item. */
static bool is_remark(LLVMValueRef v) {
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v))) return false;
    static const char *const names[] = {"llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias.scope.decl",
                                        "llvm.dbg.", CG_AHEAD};
    size_t n;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(v), &n);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return true;
    return false;
}

bool simd_is_remark(LLVMValueRef v) { return is_remark(v); }

/* All the memory of one index range is one range again. */
static void private_memset(SimdEmit *e, LLVMValueRef call) {
    for (int row = 0; row < (simd_rate(e->g, LLVMGetOperand(call, 0), e->block).y ? e->shape.rows : 1); row++) {
        LLVMValueRef n = simd_scalar(e, LLVMGetOperand(call, 2), row, 0);
        n = LLVMBuildMul(e->b, n, LLVMConstInt(LLVMTypeOf(n), (uint64_t)(e->n * e->shape.width), false), "");
        LLVMBuildMemSet(e->b, simd_scalar(e, LLVMGetOperand(call, 0), row, 0),
                        simd_scalar(e, LLVMGetOperand(call, 1), row, 0), n, 1);
    }
}

void simd_keep(SimdEmit *e, int i) {
    const SimdValue *value = &e->g->values.at[i];
    if (!value->crosses) return;
    for (int k = 0; k < simd_copies(e, value->rate); k++) simd_slot_store(e, e->copy[i][k], simd_kept_slot(e, i, k));
}

static LLVMValueRef one_copy(SimdEmit *e, const SimdValue *value, int row, int vector) {
    bool one = value->rate.x != LANE_VARYING;
    if (e->settled && value->at_ends && LLVMIsAICmpInst(value->v)) {
        LLVMTypeRef t = simd_copy_type(e, value->rate, e->cg->i1);
        return value->at_ends > 0 ? LLVMConstAllOnes(t) : LLVMConstNull(t);
    }
    int known = e->settled && LLVMIsASelectInst(value->v) ? simd_known(e->g, LLVMGetOperand(value->v, 0)) : 0;
    if (known) { /* the other operand may be of another rate */
        LLVMValueRef chosen = LLVMGetOperand(value->v, known > 0 ? 1 : 2);
        return one ? simd_scalar(e, chosen, row, vector) : simd_vector(e, chosen, row, vector);
    }
    if (LLVMIsALoadInst(value->v)) return simd_load(e, value, row, vector);
    if (value->private_of >= 0 && LLVMIsAGetElementPtrInst(value->v)) return private_gep(e, value->v, row, vector, one);
    if (value->rate.x == LANE_LINEAR) return clone_linear(e, value->v, row);
    return one ? simd_clone(e, value->v, row, vector) : vector_inst(e, value->v, row, vector);
}

/* Has no form for one copy at a time. */
static bool is_whole(SimdEmit *e, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (op == LLVMLoad) return value->rate.x == LANE_VARYING && simd_is_atomic(value->v);
    if (op == LLVMStore && simd_is_atomic(value->v)) return true;
    if (op == LLVMStore) return simd_stores_whole(e, value);
    if (op == LLVMCall && (value->private_of >= 0 || simd_is_of_all_rows(value->v))) return true;
    bool same = value->rate.x != LANE_VARYING && LLVMGetTypeKind(LLVMTypeOf(value->v)) != LLVMVoidTypeKind;
    return !same && !simd_has_vector_form(value->v);
}

static void emit_whole(SimdEmit *e, int i) {
    const SimdValue *value = &e->g->values.at[i];
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(value->v));
    if (LLVMIsACallInst(value->v) && value->private_of >= 0) private_memset(e, value->v);
    else if (simd_is_of_all_rows(value->v)) e->copy[i][0] = simd_of_all_rows(e, value->v);
    else if (!LLVMIsAStoreInst(value->v) || !simd_one_store(e, value)) simd_per_lane(e, i);
}

static void emit_copy(SimdEmit *e, int i, int row, int vector) {
    const SimdValue *value = &e->g->values.at[i];
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(value->v));
    if (simd_is_remark(value->v)) {
        if (LLVMGetCalledValue(value->v) == LLVMGetNamedFunction(e->cg->module, CG_AHEAD))
            simd_fetch(e, value, row, vector);
        return;
    }
    if (LLVMIsAStoreInst(value->v)) {
        simd_store(e, value, row, vector);
        return;
    }
    LLVMValueRef *at = &e->copy[i][simd_copy_at(e, value->rate, row, vector)];
    if (!*at) *at = one_copy(e, value, row, vector);
}

/* LLVM's scheduler moves nothing over this, which makes no code. It would put one copy behind the other again, for the
 * sake of registers; but what is stored and loaded once more costs less than what waits. */
static void keep_order(SimdEmit *e) {
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(e->cg->ctx), NULL, 0, true);
    LLVMValueRef fn = LLVMGetNamedFunction(e->cg->module, "llvm.fake.use");
    if (!fn) fn = LLVMAddFunction(e->cg->module, "llvm.fake.use", t);
    LLVMBuildCall2(e->b, t, fn, &e->x, 1, ""); /* of something that is in a register all the while */
}

/* Copy by copy: what one needs in between is needed no longer when the next begins, and needs no registers then. */
static void emit_by_copy(SimdEmit *e, int from, int to) {
    for (int c = 0; c < e->n; c++)
        for (int i = from; i < to; i++) emit_copy(e, i, c / e->shape.vectors, c % e->shape.vectors);
}

/* Instruction by instruction: while one copy waits for its operands, the others have something to do. The machine sees
 * to that by itself in what is short. */
static void emit_in_turn(SimdEmit *e, int from, int to) {
    bool is_long = e->n > 1 && (to - from) * e->n > SIMD_IN_SIGHT;
    for (int i = from; i < to; i++) {
        for (int c = 0; c < e->n; c++) emit_copy(e, i, c / e->shape.vectors, c % e->shape.vectors);
        if (is_long) keep_order(e);
    }
}

/* Items have no order among each other. Where there are loops, registers hold what the rounds share. */
void simd_instructions(SimdEmit *e, int from, int to) {
    for (int i = from; i < to;) {
        int end = i;
        while (end < to && (simd_is_remark(e->g->values.at[end].v) || !is_whole(e, &e->g->values.at[end]))) end++;
        for (int k = i; k < end; k++)
            for (int c = 0; c < e->n; c++) e->copy[k][c] = NULL;
        if (e->g->loops.n) emit_by_copy(e, i, end);
        else emit_in_turn(e, i, end);
        if (end < to) emit_whole(e, end);
        for (int k = i; k < end + (end < to); k++)
            if (LLVMGetTypeKind(LLVMTypeOf(e->g->values.at[k].v)) != LLVMVoidTypeKind) simd_keep(e, k);
        i = end + 1;
    }
}
