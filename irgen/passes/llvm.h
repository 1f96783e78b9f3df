/* llvm.h -- what the passes have in common. */
#ifndef KDSL_PASSES_LLVM_H
#define KDSL_PASSES_LLVM_H

#include <string.h>

#include "irgen/passes/passes.h"

/* optimize.c: passes of LLVM, as `opt -passes=` names them. */
void cg_run_passes(Cg *cg, const char *passes);

static inline bool llvm_is(LLVMValueRef v, LLVMOpcode op) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static inline bool llvm_is_narrow(LLVMValueRef fn) {
    return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_NARROW, strlen(CG_NARROW)) != NULL;
}

/* An attribute of a parameter, by its name in LLVM IR: "noalias". */
static inline bool llvm_has_attribute(LLVMValueRef argument, const char *name) {
    LLVMValueRef fn = LLVMGetParamParent(argument);
    unsigned at = 1;
    while (LLVMGetParam(fn, at - 1) != argument) at++;
    return LLVMGetEnumAttributeAtIndex(fn, at, LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

#endif
