/* offsets.c -- elements of narrow entries (gpu/kernel.c) at constant distances share one address: constants in the
 * 32-bit offset of an element leave the sum and become part of the instruction that accesses memory.
 *
 *     src + zext(row + k + 1), src + zext(row + k - 1)   ==>   p = src + sext(row + k), p + 1, p - 1
 *
 * LLVM's pass for this (SeparateConstOffsetFromGEP) needs to know of each sum that it does not overflow, which passes
 * before it have forgotten, and it extends each operand, to add them in 64 bits. Here the language knows enough: the
 * offset of an element is at least 0 and below CG_NARROW_ELEMENTS, so what is left when a constant is taken away fits
 * into 32 signed bits, however its parts may wrap, if the constant is positive, or at least -SLACK. The offset of an
 * access is all of what is added to the array's address: nothing is assumed of an address that is itself the base of
 * another. An address that nothing accesses may become another one.
 */
#include "irgen/passes/llvm.h"

enum { SLACK = INT32_MAX - CG_NARROW_ELEMENTS, DEPTH = 8 };

/* `a | b` of numbers without common bits is their sum. */
static bool is_sum(LLVMValueRef v) {
    return llvm_is(v, LLVMAdd) || llvm_is(v, LLVMSub) || (llvm_is(v, LLVMOr) && LLVMGetIsDisjoint(v));
}

/* The sum without its constants, which are added to *constant; NULL: nothing else is in it. What is new stands before
 * what it replaces. */
static LLVMValueRef without_constants(Cg *cg, LLVMValueRef v, int sign, int64_t *constant, int depth) {
    if (LLVMIsAConstantInt(v)) {
        *constant += sign * LLVMConstIntGetSExtValue(v);
        return NULL;
    }
    if (!depth || !is_sum(v)) return v;
    bool minus = llvm_is(v, LLVMSub);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMValueRef left = without_constants(cg, a, sign, constant, depth - 1);
    LLVMValueRef right = without_constants(cg, b, minus ? -sign : sign, constant, depth - 1);
    if (left == a && right == b) return v;
    if (!right) return left;
    LLVMPositionBuilderBefore(cg->b, v);
    if (!left) return minus ? LLVMBuildNeg(cg->b, right, "") : right;
    return minus ? LLVMBuildSub(cg->b, left, right, "") : LLVMBuildAdd(cg->b, left, right, "");
}

/* Is it the address of an element: an array and a 32-bit offset? */
static bool is_element(Cg *cg, LLVMValueRef gep) {
    if (!llvm_is(gep, LLVMGetElementPtr) || LLVMGetNumIndices(gep) != 1) return false;
    LLVMValueRef base = LLVMGetOperand(gep, 0), offset = LLVMGetOperand(gep, 1);
    bool is_wide = llvm_is(offset, LLVMSExt) || llvm_is(offset, LLVMZExt);
    if (!is_wide || LLVMTypeOf(LLVMGetOperand(offset, 0)) != cg->i32 || LLVMIsAGetElementPtrInst(base)) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(gep); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool is_access = LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == gep) ||
                         LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user);
        if (!is_access) return false;
    }
    return true;
}

static int64_t constant_of(Cg *cg, LLVMValueRef gep, LLVMValueRef *rest) {
    int64_t constant = 0;
    *rest = without_constants(cg, LLVMGetOperand(LLVMGetOperand(gep, 1), 0), 1, &constant, DEPTH);
    return constant;
}

/* The address of the element that is `constant` elements before this one, and from there to it. */
static void split(Cg *cg, LLVMValueRef gep, LLVMValueRef rest, int64_t constant) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef by = cg_i64(cg, constant);
    LLVMPositionBuilderBefore(cg->b, LLVMGetOperand(gep, 1));
    LLVMValueRef wide = LLVMBuildSExt(cg->b, rest, cg->i64, "");
    LLVMPositionBuilderBefore(cg->b, gep);
    LLVMValueRef base = LLVMBuildGEP2(cg->b, type, LLVMGetOperand(gep, 0), &wide, 1, "");
    LLVMValueRef p = constant ? LLVMBuildGEP2(cg->b, type, base, &by, 1, "") : base;
    LLVMReplaceAllUsesWith(gep, p);
    LLVMInstructionEraseFromParent(gep);
}

typedef Vec(LLVMValueRef) Elements;

/* Elements without a constant change, too, so that they share the address, if any has one. */
static bool share(Cg *cg, LLVMValueRef fn) {
    Elements elements = {0};
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_element(cg, i)) vec_push(&cg->c->arena, &elements, i);
    for (int pass = 0; pass < 2 && (!pass || any); pass++)
        for (int k = 0; k < elements.n; k++) {
            LLVMValueRef rest;
            int64_t constant = constant_of(cg, elements.at[k], &rest);
            bool fits = rest && constant >= -SLACK && constant <= CG_NARROW_ELEMENTS;
            any |= fits && constant;
            if (pass && fits) split(cg, elements.at[k], rest, constant);
        }
    return any;
}

void cg_share_addresses(Cg *cg) {
    bool any = false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (llvm_is_narrow(fn)) any |= cg->options->opt_level > 0 && share(cg, fn);
    if (any) cg_run_passes(cg, "function(early-cse,adce)");
}
