/* endless.c -- functions that may not return keep their calls. A call of a function that only reads memory, with a
 * result that nobody uses, has no effect but that it may never return. LLVM's passes leave it alone for that reason;
 * FastISel, which selects instructions in functions with `optnone`, does not (isFoldedOrDeadInstruction in
 * llvm/lib/CodeGen/SelectionDAG/SelectionDAGISel.cpp asks only whether it writes), so a kernel with an endless loop
 * would end at once. Without `memory(...)` such a function may write, as far as the selection knows. */
#include "irgen/passes/llvm.h"

static unsigned kind_of(const char *name) { return LLVMGetEnumAttributeKindForName(name, strlen(name)); }

static bool has(LLVMValueRef fn, const char *name) {
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of(name)) != NULL;
}

/* On GPUs no function has `optnone`. */
void cg_keep_endless(Cg *cg) {
    if (cg->target->kernel_cc != LLVMCCallConv) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && has(fn, "memory") && !has(fn, "willreturn"))
            LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of("memory"));
}
