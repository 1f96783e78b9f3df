/* words.c -- integers of narrow entries (gpu/kernel.c) in 32 bits: narrow_integers.cpp, and LLVM's passes that remove
 * what it leaves. Extensions to 64 bits are sunk at the end, since the selection of instructions sees one block at a
 * time: it makes one instruction of an extension and the product with the size of an element, if both are in it. */
#include "irgen/passes/llvm.h"

#include "irgen/passes/narrow_integers.h"

void cg_narrow_integers(Cg *cg) {
    bool any = false;
    if (!cg->options->opt_level) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (llvm_is_narrow(fn)) any |= LLVMKdslNarrowIntegers(fn, cg->machine);
    if (any) cg_run_passes(cg, "function(adce,instsimplify,early-cse)");
}

void cg_sink_extensions(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!llvm_is_narrow(fn)) continue;
        if (cg->options->opt_level) LLVMKdslSinkExtensions(fn);
        LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_NARROW, strlen(CG_NARROW));
    }
}
