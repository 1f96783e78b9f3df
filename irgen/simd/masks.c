/* masks.c -- representation of masks on machines without mask registers. There a mask is a vector whose lanes are as
 * wide as the data, all ones or all zeros, and is kept in that form across blocks. LLVM would find that one bit of a
 * lane determines the others, and keep bits, which must be packed and unpacked at each use. So the two conversions are
 * calls of opaque functions until the pipeline has run. */
#include "irgen/simd/emit.h"

#include <string.h>

#define TO_LANES "kdsl.mask.lanes."
#define TO_BITS "kdsl.mask.bits."
#define HIDDEN "kdsl.hidden."
#define HIDDEN_PLACE HIDDEN "place"
#define HIDDEN_WORDS HIDDEN "words"

static unsigned lane_bits(LLVMTypeRef t) { return LLVMGetIntTypeWidth(LLVMGetElementType(t)); }

/* <n x i1> to <n x iN>, or back. */
LLVMValueRef simd_mask_call(SimdEmit *e, LLVMValueRef v, LLVMTypeRef to) {
    LLVMTypeRef from = LLVMTypeOf(v), wide = lane_bits(to) > 1 ? to : from;
    LLVMTypeRef type = LLVMFunctionType(to, &from, 1, false);
    const char *name = arena_printf(&e->cg->c->arena, "%s%ux%u", wide == to ? TO_LANES : TO_BITS,
                                    LLVMGetVectorSize(wide), lane_bits(wide));
    LLVMValueRef fn = LLVMGetNamedFunction(e->cg->module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->cg->module, name, type);
        static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree", "speculatable"};
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) cg_fn_attr(e->cg, fn, attributes[i]);
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(e->cg, "memory", 0));
    }
    return LLVMBuildCall2(e->b, type, fn, &v, 1, "");
}

bool simd_is_call_of(LLVMValueRef v, const char *prefix) {
    size_t n;
    LLVMValueRef fn = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    return fn && LLVMIsAFunction(fn) && !strncmp(LLVMGetValueName2(fn, &n), prefix, strlen(prefix));
}

/* The mask as lanes of type t, without a way through bits where it is put together from lanes. */
static LLVMValueRef lanes_of(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef t, int depth) {
    enum { FAR = 6 };
    if (simd_is_call_of(v, TO_BITS) && LLVMTypeOf(LLVMGetOperand(v, 0)) == t) return LLVMGetOperand(v, 0);
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMUnreachable;
    bool is_choice =
        op == LLVMSelect && LLVMTypeOf(LLVMGetOperand(v, 0)) == LLVMTypeOf(v) && LLVMIsNull(LLVMGetOperand(v, 2));
    if ((op != LLVMAnd && op != LLVMOr && op != LLVMXor && !is_choice) || depth > FAR)
        return LLVMBuildSExt(b, v, t, "");
    LLVMValueRef x = lanes_of(b, LLVMGetOperand(v, 0), t, depth + 1),
                 y = lanes_of(b, LLVMGetOperand(v, 1), t, depth + 1);
    if (is_choice) y = LLVMBuildFreeze(b, y, ""); /* what a lane says that is not there stays unsaid */
    return LLVMBuildBinOp(b, is_choice ? LLVMAnd : op, x, y, "");
}

static LLVMValueRef meaning(Cg *cg, LLVMValueRef call) {
    LLVMValueRef v = LLVMGetOperand(call, 0);
    LLVMPositionBuilderBefore(cg->b, call);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    if (simd_is_call_of(call, HIDDEN_PLACE)) return v;
    /* LLVM 22's instruction selection loses the zero extension of an index in the lower half of a register where it
     * knows from the vector that few bits can be set: X86DAGToDAGISel::shrinkAndImmediate drops an `and` that isel
     * patterns (`def32`) have counted on. So the vector stays hidden to the end. */
    if (simd_is_call_of(call, HIDDEN_WORDS)) return cg_through_register(cg, v, "=r,0");
    if (lane_bits(LLVMTypeOf(call)) > 1) return lanes_of(cg->b, v, LLVMTypeOf(call), 0);
    return LLVMBuildICmp(cg->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static void replace_calls(Cg *cg, LLVMValueRef fn, bool constants_only) {
    for (LLVMUseRef use = LLVMGetFirstUse(fn), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use);
        if (constants_only && !LLVMIsConstant(LLVMGetOperand(call, 0))) continue;
        LLVMReplaceAllUsesWith(call, meaning(cg, call));
        LLVMInstructionEraseFromParent(call);
    }
}

static void replace(Cg *cg, const char *prefix, bool constants_only) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module), next; fn; fn = next) {
        size_t n;
        const char *name = LLVMGetValueName2(fn, &n);
        next = LLVMGetNextFunction(fn);
        if (strncmp(name, prefix, strlen(prefix))) continue;
        replace_calls(cg, fn, constants_only);
        if (!LLVMGetFirstUse(fn)) LLVMDeleteFunction(fn);
    }
}

/* A masked access to memory of the frame may begin outside of it, before the first live lane. LLVM takes that for an
 * access to nothing where it can tell, so it is not let see which memory it is. Nor that a number is two lanes' words:
 * it would take each out of the vector by itself. */
LLVMValueRef simd_hidden(SimdEmit *e, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v), type = LLVMFunctionType(t, &t, 1, false);
    const char *name = t == e->cg->ptr ? HIDDEN_PLACE : HIDDEN_WORDS;
    LLVMValueRef fn = LLVMGetNamedFunction(e->cg->module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->cg->module, name, type);
        cg_fn_attr(e->cg, fn, "nounwind");
        cg_fn_attr(e->cg, fn, "willreturn");
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, cg_attr(e->cg, "memory", 0));
    }
    return LLVMBuildCall2(e->b, type, fn, &v, 1, "");
}

void simd_fold_masks(Cg *cg) {
    replace(cg, TO_LANES, true);
    replace(cg, TO_BITS, true);
}

/* Lanes first: they see then which bits come from lanes. */
void simd_lower_masks(Cg *cg) {
    replace(cg, TO_LANES, false);
    replace(cg, TO_BITS, false);
    replace(cg, HIDDEN, false);
}
