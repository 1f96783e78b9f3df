/* masked_loads.c -- keeps masked loads masked on x86 with mask registers. In
 *
 *     v = select(m, op(masked.load(p, m), x), w)
 *
 * LLVM 22 selects one instruction with p as its operand, `vpxord (p), x, w {m}`, which does not touch what m leaves
 * out. But where it then needs a copy of w, it may take the load out of it again (TwoAddressInstructionPass.cpp,
 * X86InstrInfo::unfoldMemoryOperand), and what it takes out is a load of the whole vector: a crash where the rest is
 * on a page that is not there. So the loaded value goes through an empty piece of assembly, into which nothing is
 * folded. */
#include <string.h>

#include "irgen/passes/passes.h"
#include "offload/lld.h"

static bool is_masked_load_of(LLVMValueRef v, LLVMValueRef mask) {
    static const char name[] = "llvm.masked.load.";
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v))) return false;
    size_t n;
    const char *called = LLVMGetValueName2(LLVMGetCalledValue(v), &n);
    return n > sizeof name && !memcmp(called, name, sizeof name - 1) && LLVMGetOperand(v, 1) == mask;
}

/* The value, in the same register. */
static LLVMValueRef pass_through(Cg *cg, LLVMValueRef v) {
    static const char constraints[] = "=v,0";
    LLVMTypeRef t = LLVMTypeOf(v), type = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, false, false,
                                            LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(cg->b, type, nothing, &v, 1, "");
    static const char *const attributes[] = {"nounwind", "memory"};
    for (int i = 0; i < 2; i++) { /* memory(none) is the number 0 */
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(cg->ctx, kind, 0));
    }
    return call;
}

/* n lanes of v, followed by those of `second`, from `from` on. */
static LLVMValueRef lanes_of(Cg *cg, LLVMValueRef v, LLVMValueRef second, unsigned from, unsigned n) {
    LLVMValueRef *at = arena_array(&cg->c->arena, LLVMValueRef, n);
    for (unsigned i = 0; i < n; i++) at[i] = cg_i32(cg, from + i);
    return LLVMBuildShuffleVector(cg->b, v, second, LLVMConstVector(at, n), "");
}

/* A register at a time. NULL: in what registers LLVM has the lanes is not known. */
static LLVMValueRef apart(Cg *cg, LLVMValueRef v) {
    enum { REGISTER_BITS = 512, LEAST_BITS = 128 };
    LLVMTypeRef t = LLVMTypeOf(v), element = LLVMGetElementType(t);
    unsigned lanes = LLVMGetVectorSize(t);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(cg->module), element), all = bits * lanes;
    if (all & (all - 1)) return NULL;
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind || LLVMGetTypeKind(element) == LLVMBFloatTypeKind) {
        LLVMTypeRef integers = LLVMVectorType(LLVMIntTypeInContext(cg->ctx, bits), lanes);
        LLVMValueRef value = apart(cg, LLVMBuildBitCast(cg->b, v, integers, ""));
        return value ? LLVMBuildBitCast(cg->b, value, t, "") : NULL;
    }
    LLVMValueRef unused = LLVMGetPoison(t);
    if (all < LEAST_BITS) {
        LLVMValueRef wide = apart(cg, lanes_of(cg, v, unused, 0, 2 * lanes));
        return wide ? lanes_of(cg, wide, LLVMGetPoison(LLVMTypeOf(wide)), 0, lanes) : NULL;
    }
    if (all <= REGISTER_BITS) return pass_through(cg, v);
    LLVMValueRef low = apart(cg, lanes_of(cg, v, unused, 0, lanes / 2));
    LLVMValueRef high = apart(cg, lanes_of(cg, v, unused, lanes / 2, lanes / 2));
    return low && high ? lanes_of(cg, low, high, 0, lanes) : NULL;
}

/* Is w, of `select`, not used after it? Then LLVM makes no copy of it. w is from the same block, or from the only one
 * before it, and nothing that LLVM could make a copy of another value. */
static bool is_used_up(LLVMValueRef select, LLVMValueRef op) {
    LLVMValueRef w = LLVMGetOperand(select, 2);
    if (!LLVMIsAPHINode(w) && !LLVMIsABinaryOperator(w)) return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(select), from = LLVMGetInstructionParent(w), before = NULL;
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u), n++)
        if (LLVMIsAInstruction(LLVMGetUser(u))) before = LLVMGetInstructionParent(LLVMGetUser(u));
    if (from != block && (n != 1 || before != from)) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(w); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool is_elsewhere = LLVMIsAPHINode(user) && from != block;
        for (unsigned i = 0; is_elsewhere && i < LLVMCountIncoming(user); i++)
            is_elsewhere = LLVMGetIncomingValue(user, i) != w || LLVMGetIncomingBlock(user, i) == from;
        bool is_before = from != block && LLVMGetInstructionParent(user) == from && !LLVMIsAPHINode(user);
        if (user != select && user != op && !is_elsewhere && !is_before) return false;
    }
    return true;
}

static void separate(Cg *cg, LLVMValueRef select) {
    LLVMValueRef mask = LLVMGetOperand(select, 0), op = LLVMGetOperand(select, 1);
    bool is_masked = LLVMGetTypeKind(LLVMTypeOf(mask)) == LLVMVectorTypeKind;
    if (!is_masked || !LLVMIsAInstruction(op) || LLVMIsAPHINode(op) || is_used_up(select, op)) return;
    for (int i = 0; i < LLVMGetNumOperands(op); i++) {
        LLVMValueRef load = LLVMGetOperand(op, (unsigned)i);
        if (!is_masked_load_of(load, mask)) continue;
        LLVMPositionBuilderBefore(cg->b, op);
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(op));
        LLVMValueRef value = apart(cg, load);
        if (value) LLVMSetOperand(op, (unsigned)i, value);
    }
}

void cg_separate_masked_loads(Cg *cg) {
    if (cg->target->gpu || !cg->vector || !LLVMKdslHasFeature(cg->machine, "+avx512f")) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
                if (LLVMIsASelectInst(v)) separate(cg, v);
}
