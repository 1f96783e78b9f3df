/* indices.c -- widening of induction variables and of the arithmetic on them. An index of fewer bits than an address is
 * extended where it is used; across that extension nothing tells that neighbouring work items read neighbouring
 * elements, as the narrow value may wrap. Where every operation below it is known not to (the flags nsw and nuw, which
 * sema's proofs and the bounds of loops have set), the arithmetic is done in 64 bits instead: the extension goes.
 * Quotients and remainders by a constant, masks, minima and maxima never wrap. LLVM's own rewriting of extensions loses
 * these flags, so this comes before it. */
#include "irgen/simd/simd.h"

enum { DEEPEST = 8 };

typedef struct Widening {
    LLVMBuilderRef b;
    LLVMTypeRef wide;
    bool is_signed;
} Widening;

static LLVMValueRef widened(const Widening *w, LLVMValueRef v, int depth);

static void build_behind(const Widening *w, LLVMValueRef v) {
    LLVMValueRef next = LLVMGetNextInstruction(v);
    while (LLVMIsAPHINode(next)) next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(w->b, next);
    LLVMSetCurrentDebugLocation2(w->b, LLVMInstructionGetDebugLoc(v));
}

static LLVMValueRef extended_constant(const Widening *w, LLVMValueRef v) {
    long long k = w->is_signed ? LLVMConstIntGetSExtValue(v) : (long long)LLVMConstIntGetZExtValue(v);
    return LLVMConstInt(w->wide, (unsigned long long)k, true);
}

/* A value whose arithmetic is not looked into. */
static LLVMValueRef extended(const Widening *w, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v)) return extended_constant(w, v);
    if (LLVMIsAInstruction(v) && !LLVMIsATerminatorInst(v)) {
        build_behind(w, v);
    } else {
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInsertBlock(w->b)));
        LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(entry));
    }
    return w->is_signed ? LLVMBuildSExt(w->b, v, w->wide, "") : LLVMBuildZExt(w->b, v, w->wide, "");
}

static bool never_wraps(const Widening *w, LLVMValueRef v) { return w->is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v); }

static LLVMValueRef widened_operation(const Widening *w, LLVMValueRef v, LLVMOpcode op, int depth) {
    LLVMValueRef by[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = LLVMGetOperand(v, i);
        by[i] = widened(w, part, depth + 1);
        if (!by[i]) by[i] = extended(w, part);
    }
    build_behind(w, v);
    LLVMValueRef sum = LLVMBuildBinOp(w->b, op, by[0], by[1], "");
    if (!LLVMIsAInstruction(sum)) return sum;
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl) return sum;
    LLVMSetNSW(sum, true); /* the narrow value fits with a bit to spare */
    LLVMSetNUW(sum, !w->is_signed);
    return sum;
}

/* What is the same of the extended operand; the operand is worth it only if it is more than extended itself. */
static LLVMValueRef widened_first(const Widening *w, LLVMValueRef v, LLVMOpcode op, int depth) {
    int64_t least = op == LLVMAnd || op == LLVMAShr || op == LLVMLShr ? 0 : 1; /* -1 divides with overflow */
    LLVMValueRef by = LLVMGetOperand(v, 1);
    if (!LLVMIsAConstantInt(by) || LLVMConstIntGetSExtValue(by) < least) return NULL;
    LLVMValueRef of = widened(w, LLVMGetOperand(v, 0), depth + 1);
    if (!of) return NULL;
    build_behind(w, v);
    return LLVMBuildBinOp(w->b, op, of, extended_constant(w, by), "");
}

static LLVMValueRef widened_extreme(const Widening *w, LLVMValueRef v, int depth) {
    LLVMValueRef by[2];
    for (unsigned i = 0; i < 2; i++) by[i] = widened(w, LLVMGetOperand(v, i), depth + 1);
    if (!by[0] && !by[1]) return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (!by[i]) by[i] = extended(w, LLVMGetOperand(v, i));
    const char *name = w->is_signed ? simd_is_call_of(v, "llvm.smin.") ? "llvm.smin" : "llvm.smax"
                                    : simd_is_call_of(v, "llvm.umin.") ? "llvm.umin" : "llvm.umax";
    unsigned id = LLVMLookupIntrinsicID(name, 9);
    LLVMTypeRef wide = w->wide;
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(LLVMGetGlobalParent(LLVMGetCalledValue(v)), id, &wide, 1);
    build_behind(w, v);
    return LLVMBuildCall2(w->b, LLVMGlobalGetValueType(fn), fn, by, 2, "");
}

static bool is_extreme(const Widening *w, LLVMValueRef v) {
    if (w->is_signed) return simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.smax.");
    return simd_is_call_of(v, "llvm.umin.") || simd_is_call_of(v, "llvm.umax.");
}

/* NULL: nothing is gained over extending it. */
static LLVMValueRef widened(const Widening *w, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > DEEPEST) return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMTrunc: return never_wraps(w, v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == w->wide ? LLVMGetOperand(v, 0) : NULL;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul: return never_wraps(w, v) ? widened_operation(w, v, op, depth) : NULL;
    case LLVMShl: return never_wraps(w, v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) ? widened_operation(w, v, op, depth) : NULL;
    case LLVMSDiv:
    case LLVMSRem:
    case LLVMAShr: return w->is_signed ? widened_first(w, v, op, depth) : NULL;
    case LLVMUDiv:
    case LLVMURem:
    case LLVMLShr: return w->is_signed ? NULL : widened_first(w, v, op, depth);
    case LLVMAnd: return widened_first(w, v, op, depth);
    case LLVMCall: return is_extreme(w, v) ? widened_extreme(w, v, depth) : NULL;
    default: return NULL;
    }
}

void simd_widen_indices(Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            if ((!LLVMIsASExtInst(v) && !LLVMIsAZExtInst(v)) || LLVMTypeOf(v) != cg->i64) continue;
            Widening w = {cg->b, cg->i64, LLVMIsASExtInst(v) != NULL};
            LLVMPositionBuilderBefore(w.b, v);
            LLVMValueRef wide = widened(&w, LLVMGetOperand(v, 0), 0);
            if (!wide) continue;
            LLVMReplaceAllUsesWith(v, wide);
            LLVMInstructionEraseFromParent(v);
        }
}
