/* version.c -- function multiversioning: kernels compiled for several levels of x86-64, one module for each level, in
 * one image. The entry of each version has a hidden symbol. The module of the lowest level defines the functions that
 * libomptarget and the program call: a dispatcher, which tests the level of the processor, determined when the image or
 * the program was loaded (runtime/cpu.c), and calls the best version. A processor below a level never executes its
 * code. */
#include "irgen/version.h"

#include <stdlib.h>
#include <string.h>

static const char *version_symbol(Cg *cg, const Func *fn, const char *level) {
    return arena_printf(&cg->c->arena, "%s.%s", off_fallback_symbol(cg->c, fn->symbol), level);
}

/* A musttail call: the dispatcher adds no stack frame. */
static void tail_call(Cg *cg, LLVMValueRef version, LLVMValueRef *args, int n) {
    LLVMValueRef call = LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(version), version, args, (unsigned)n, "");
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    LLVMBuildRetVoid(cg->b);
}

static LLVMValueRef level_here(Cg *cg) {
    LLVMValueRef level = LLVMGetNamedGlobal(cg->module, "kdsl_cpu_level");
    if (!level) {
        level = LLVMAddGlobal(cg->module, cg->i32, "kdsl_cpu_level");
        LLVMSetVisibility(level, LLVMHiddenVisibility);
    }
    return LLVMBuildLoad2(cg->b, cg->i32, level, "level");
}

static void emit_dispatch(Cg *cg, const Func *fn, LLVMValueRef choice, LLVMValueRef lowest) {
    const IrOptions *o = cg->options;
    LLVMTypeRef type = LLVMGlobalGetValueType(choice);
    int n = (int)LLVMCountParams(choice);
    LLVMValueRef *args = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    LLVMGetParams(choice, args);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, choice, "entry"));
    LLVMValueRef level = level_here(cg);
    for (int i = o->n_levels - 1; i > 0; i--) {
        LLVMValueRef version = LLVMAddFunction(cg->module, version_symbol(cg, fn, o->levels[i]), type);
        LLVMSetVisibility(version, LLVMHiddenVisibility);
        LLVMBasicBlockRef has = LLVMAppendBasicBlockInContext(cg->ctx, choice, o->levels[i]);
        LLVMBasicBlockRef not = LLVMAppendBasicBlockInContext(cg->ctx, choice, "below");
        LLVMValueRef least = cg_i32(cg, irgen_cpu_level(o->levels[i]));
        LLVMBuildCondBr(cg->b, LLVMBuildICmp(cg->b, LLVMIntSGE, level, least, ""), has, not);
        LLVMPositionBuilderAtEnd(cg->b, has);
        tail_call(cg, version, args, n);
        LLVMPositionBuilderAtEnd(cg->b, not);
    }
    tail_call(cg, lowest, args, n);
}

void version_kernel(Cg *cg, const Target *whole, const Func *fn) {
    const IrOptions *o = cg->options;
    LLVMValueRef entry = cg_kernel_entry(cg, fn);
    const char *name = cg_kernel_symbol(cg, fn), *own = version_symbol(cg, fn, o->march);
    LLVMSetValueName2(entry, own, strlen(own));
    if (strcmp(o->march, o->levels[0])) return;
    LLVMTypeRef type = LLVMGlobalGetValueType(entry);
    LLVMValueRef choice = LLVMAddFunction(cg->module, name, type);
    LLVMSetLinkage(choice, whole->kernel_linkage);
    LLVMSetVisibility(choice, whole->kernel_visibility);
    cg_fn_attr(cg, entry, "noinline"); /* the dispatcher would contain a second copy */
    LLVMSetFunctionCallConv(choice, whole->kernel_cc);
    cg_fn_attr(cg, choice, "nounwind");
    emit_dispatch(cg, fn, choice, entry);
    cg_narrow_alias(cg, fn, choice);
    if (whole->holds_fallback) {
        LLVMValueRef alias = LLVMAddAlias2(cg->module, type, 0, choice, off_fallback_symbol(cg->c, fn->symbol));
        LLVMSetVisibility(alias, LLVMHiddenVisibility);
    }
}

/* Emits a constructor with the highest priority that programs may use, so that it runs before any that could launch a
 * kernel. Its slot in .init_array needs a hidden symbol, since LLVM would remove an internal one, and a name that is
 * unique in the program. */
void version_constructor(Cg *cg, const Func *first) {
    LLVMTypeRef type = LLVMFunctionType(cg->void_, NULL, 0, false);
    LLVMValueRef constructor = LLVMAddFunction(cg->module, "kdsl.choose_cpu", type);
    LLVMSetLinkage(constructor, LLVMInternalLinkage);
    cg_fn_attr(cg, constructor, "nounwind");
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, constructor, "entry"));
    LLVMValueRef lowest = cg_i32(cg, irgen_cpu_level(cg->options->levels[0])), choose = cg_runtime(cg, RT_CPU_CHOOSE);
    LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(choose), choose, &lowest, 1, "");
    LLVMBuildRetVoid(cg->b);
    LLVMValueRef slot = LLVMAddGlobal(cg->module, cg->ptr, version_symbol(cg, first, "constructor"));
    LLVMSetInitializer(slot, constructor);
    LLVMSetVisibility(slot, LLVMHiddenVisibility);
    LLVMSetGlobalConstant(slot, true);
    LLVMSetSection(slot, ".init_array.101");
}
