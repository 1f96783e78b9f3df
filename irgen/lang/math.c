/* math.c -- mathematical functions of kernels, as IR that is inlined and vectorised like the code around it, where a
 * call of libm would have to be made item by item. The functions of math/ are in the compiler as bitcode. A call gets
 * a declaration; cg_math_end links the bodies of those that are used. */
#include "irgen/lang/lang.h"
#include "irgen/embed.h"

#include <string.h>

#include <llvm-c/BitReader.h>

#include "offload/lld.h"

EMBED(kdsl_math_f32, "f32.bc");
EMBED(kdsl_math_f64, "f64.bc");
EMBED(kdsl_math_fast_f32, "fast-f32.bc");
EMBED(kdsl_math_fast_f64, "fast-f64.bc");

#define PREFIX "kdsl.math."
#define FAST "fast."

static const struct {
    TypeKind type;
    bool is_fast;
    const char *bitcode, *end;
} libraries[MATH_LIBRARIES] = {
    {TY_F32, false, kdsl_math_f32, kdsl_math_f32_end},
    {TY_F64, false, kdsl_math_f64, kdsl_math_f64_end},
    {TY_F32, true, kdsl_math_fast_f32, kdsl_math_fast_f32_end},
    {TY_F64, true, kdsl_math_fast_f64, kdsl_math_fast_f64_end},
};

/* Its table of contents is read; functions are read when they are linked. */
static LLVMModuleRef open_library(Cg *cg, const char *bitcode, const char *end) {
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(bitcode, (size_t)(end - bitcode), "kdsl.math", false);
    LLVMModuleRef library;
    if (LLVMGetBitcodeModuleInContext2(cg->ctx, buffer, &library))
        ice(cg->c, (Span){0}, "the compiler's mathematical functions cannot be read");
    LLVMSetTarget(library, LLVMGetTarget(cg->module));
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(cg->module));
    return library;
}

LLVMValueRef cg_math(Cg *cg, const char *name, const Type *t, int n_args, LLVMTypeRef *fn_type) {
    int i = 0;
    while (i < MATH_LIBRARIES && (libraries[i].type != t->kind || libraries[i].is_fast != cg->fast)) i++;
    if (i == MATH_LIBRARIES || !cg->target->own_math || !cg->has_fma) return NULL;
    if (!cg->math[i]) cg->math[i] = open_library(cg, libraries[i].bitcode, libraries[i].end);
    const char *symbol = arena_printf(&cg->c->arena, PREFIX "%s%s.%s", cg->fast ? FAST : "", name, t->name);
    if (!LLVMGetNamedFunction(cg->math[i], symbol)) return NULL;
    LLVMTypeRef elem = cg_type(cg, t), params[3] = {elem, elem, elem};
    *fn_type = LLVMFunctionType(elem, params, (unsigned)n_args, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, symbol);
    return fn ? fn : LLVMAddFunction(cg->module, symbol, *fn_type);
}

static unsigned sqrt_id(void) { return LLVMLookupIntrinsicID("llvm.sqrt", strlen("llvm.sqrt")); }

/* In the fast mode quotients and square roots are approximated inside of functions, too. */
static void approximate(const Cg *cg, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            bool is_root = LLVMIsACallInst(v) && LLVMGetIntrinsicID(LLVMGetCalledValue(v)) == sqrt_id();
            if (LLVMGetInstructionOpcode(v) == LLVMFDiv || is_root) cg_fast_quotient(cg, v);
        }
}

/* What clang assumed of the machine says nothing about this one. */
static void adopt(Cg *cg, LLVMValueRef fn, bool inlined) {
    static const char *const assumed[] = {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"};
    for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++)
        LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, assumed[i], (unsigned)strlen(assumed[i]));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    if (inlined) cg_fn_attr(cg, fn, "alwaysinline");
}

static void link_library(Cg *cg, LLVMModuleRef library) {
    if (LLVMKdslLinkNeeded(cg->module, library))
        ice(cg->c, (Span){0}, "the compiler's mathematical functions cannot be linked");
}

/* Functions of libm that are still undefined and that no library defines; some are called by the functions of math/. */
static void link_libm(Cg *cg, const Gpu *gpu) {
    LLVMModuleRef libm = open_library(cg, gpu->libm, gpu->libm_end);
    bool any = false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(libm); fn; fn = LLVMGetNextFunction(fn)) {
        size_t n;
        const char *name = LLVMGetValueName2(fn, &n);
        bool is_one = LLVMGetLinkage(fn) != LLVMInternalLinkage && !LLVMIsDeclaration(fn);
        LLVMValueRef wanted = is_one ? LLVMGetNamedFunction(cg->module, name) : NULL;
        if (!wanted || !LLVMIsDeclaration(wanted)) continue;
        vec_push(&cg->c->arena, &cg->libm_used, arena_strndup(&cg->c->arena, name, n));
        any = true;
    }
    if (any) link_library(cg, libm);
    else LLVMDisposeModule(libm);
    for (int i = 0; i < cg->libm_used.n; i++) adopt(cg, LLVMGetNamedFunction(cg->module, cg->libm_used.at[i]), false);
}

void cg_math_end(Cg *cg) {
    for (int i = 0; i < MATH_LIBRARIES; i++)
        if (cg->math[i]) link_library(cg, cg->math[i]);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        size_t n;
        const char *name = LLVMGetValueName2(fn, &n);
        if (strncmp(name, PREFIX, strlen(PREFIX)) || LLVMIsDeclaration(fn)) continue;
        adopt(cg, fn, true);
        if (!strncmp(name, PREFIX FAST, strlen(PREFIX FAST))) approximate(cg, fn);
    }
    if (cg->target->gpu) link_libm(cg, cg->target->gpu);
}
