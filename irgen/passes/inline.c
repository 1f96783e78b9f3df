/* inline.c -- limits on inlining and optimisation, so that compile time stays linear in the size of the program.
 *
 * Inlining: vector code needs the calls in kernels inlined, but a chain of n functions, each of which calls the next
 * one twice, would grow to 2^n copies. So a function with several callers that would be large with all its callees
 * inlined stays a call. So does, on every target, the top of a long call chain, whose levels LLVM would copy into one
 * another repeatedly. Each call in the program then adds at most MOST_INLINED instructions. A kernel that reaches such
 * a call runs as scalar code (simd/nest.c), with a remark that names the function. The limit is halved while a kernel
 * would still be very large.
 *
 * In the host program, LLVM inlines a function that is called once, however large, and some of its passes take more
 * than linear time in the length of one function. Of these functions only as many stay inlinable as make their caller
 * MOST_ONCE instructions long. A call costs nothing beside a function of more than LEAST_ONCE instructions.
 *
 * Optimisation: some of LLVM's passes take time quadratic in the number of branches of a function. A function with very
 * many branches is compiled as with -O0. */
#include "irgen/passes/passes.h"

#include <string.h>

/* Counted in instructions before optimisation. For comparison, among all programs of tests/ and examples/ the largest
 * function has 1,505, the largest kernel 3,125, and the longest call chain 5 levels. */
enum { MOST_INLINED = 2048, LEAST_INLINED = 64, MOST_OF_KERNEL = 16384, MOST_LEVELS = 24 };
enum { MOST_ONCE = 4096, LEAST_ONCE = 64 };
enum { MOST_OPTIMIZED = 4096 }; /* basic blocks; the largest function of all tests has 330 */

typedef struct Inlinee {
    LLVMValueRef fn;
    int64_t own, size; /* instructions: of its body, and with all inlined callees */
    int64_t whole;     /* with the callees that are called once */
    int levels;        /* depth of the calls inlined in it */
    int sites;         /* number of calls of it */
    bool must, may;    /* alwaysinline; LLVM may inline it */
    bool done, kept;
    Vec(int) calls;    /* callees defined in this module, by number, one entry for each call */
} Inlinee;

typedef struct Inlining {
    Cg *cg;
    ValueMap *number;
    Vec(Inlinee) all;
    unsigned always, never;
} Inlining;

static bool is_defined(LLVMValueRef v) { return v && LLVMIsAFunction(v) && !LLVMIsDeclaration(v); }

static void find_functions(Inlining *in) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(in->cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!is_defined(fn)) continue;
        Inlinee f = {.fn = fn};
        f.must = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, in->always) != NULL;
        f.may = f.must || (LLVMGetLinkage(fn) == LLVMInternalLinkage &&
                           !LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, in->never));
        value_map_put(in->number, fn, in->all.n);
        vec_push(&in->cg->c->arena, &in->all, f);
    }
}

static void find_calls(Inlining *in, Inlinee *f) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            f->own++;
            if (!LLVMIsACallInst(v) || !is_defined(LLVMGetCalledValue(v))) continue;
            int callee = value_map_get(in->number, LLVMGetCalledValue(v));
            in->all.at[callee].sites++;
            vec_push(&in->cg->c->arena, &f->calls, callee);
        }
}

static int64_t capped(int64_t n) { return n < INT32_MAX ? n : INT32_MAX; }

/* In the order of the calls. */
static void bound_once(Inlining *in, Inlinee *f) {
    f->whole = f->own;
    for (int i = 0; i < f->calls.n && in->cg->target->is_program; i++) {
        Inlinee *callee = &in->all.at[f->calls.at[i]];
        if (callee == f || !callee->may || callee->kept || callee->sites != 1) continue;
        callee->kept = callee->whole > LEAST_ONCE && f->whole + callee->whole > MOST_ONCE;
        if (!callee->kept) f->whole += callee->whole;
    }
}

/* Requires that all callees have been measured. */
static void measure(Inlining *in, Inlinee *f, int64_t bound) {
    bound_once(in, f);
    f->size = f->own;
    f->levels = 0;
    for (int i = 0; i < f->calls.n; i++) {
        const Inlinee *callee = &in->all.at[f->calls.at[i]];
        if (!callee->may || callee->kept) continue;
        if (callee->must) f->size = capped(f->size + callee->size);
        if (callee->levels >= f->levels) f->levels = callee->levels + 1;
    }
    f->done = true;
    f->kept = (f->must && f->size > bound && f->sites > 1) || (f->may && f->levels >= MOST_LEVELS);
}

/* In post-order of the call graph: callees first, except on the back edges of recursion. An explicit stack, because
 * call chains may be long. */
static void measure_all(Inlining *in, int64_t bound) {
    int n = in->all.n, depth;
    int *stack = arena_array(&in->cg->c->arena, int, n + 1), *next = arena_array(&in->cg->c->arena, int, n + 1);
    for (int i = 0; i < n; i++) in->all.at[i].done = false;
    for (int i = 0; i < n; i++) {
        if (in->all.at[i].done) continue;
        stack[0] = i;
        for (depth = 1; depth;) {
            Inlinee *f = &in->all.at[stack[depth - 1]];
            int k = next[stack[depth - 1]]++;
            if (k >= f->calls.n) {
                measure(in, f, bound);
                depth--;
            } else if (!in->all.at[f->calls.at[k]].done && !next[f->calls.at[k]]) {
                stack[depth++] = f->calls.at[k];
            }
        }
    }
}

static bool is_too_large(const Inlining *in) {
    for (int i = 0; i < in->all.n; i++)
        if (!in->all.at[i].must && in->all.at[i].size > MOST_OF_KERNEL) return true;
    return false;
}

/* The name in the source: "fn.NAME", possibly with the suffix ".item" or ".narrow". */
static const char *source_name(Cg *cg, LLVMValueRef fn) {
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n), *dot = strchr(name, '.');
    name = dot ? dot + 1 : name;
    return arena_strndup(&cg->c->arena, name, strcspn(name, "."));
}

static void keep(Cg *cg, LLVMValueRef fn, unsigned always) {
    LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, always);
    cg_fn_attr(cg, fn, "noinline");
    LLVMAddTargetDependentFunctionAttr(fn, CG_KEPT_CALL, source_name(cg, fn));
}

void cg_bound_inlining(Cg *cg) {
    Inlining in = {.cg = cg, .number = value_map_new(&cg->c->arena, 64),
                   .always = LLVMGetEnumAttributeKindForName("alwaysinline", 12),
                   .never = LLVMGetEnumAttributeKindForName("noinline", 8)};
    find_functions(&in);
    for (int i = 0; i < in.all.n; i++) find_calls(&in, &in.all.at[i]);
    int64_t bound = MOST_INLINED;
    measure_all(&in, bound);
    while (bound > LEAST_INLINED && is_too_large(&in)) measure_all(&in, bound /= 2);
    for (int i = 0; i < in.all.n; i++)
        if (in.all.at[i].kept) keep(cg, in.all.at[i].fn, in.always);
}

/* A module flag may lower the limit, so that tests of this pass need no functions of thousands of blocks. */
static unsigned most_optimized(Cg *cg) {
    static const char own[] = "kdsl.most.optimized";
    LLVMMetadataRef flag = LLVMGetModuleFlag(cg->module, own, sizeof own - 1);
    return flag ? (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(LLVMMetadataAsValue(cg->ctx, flag), 0))
                : MOST_OPTIMIZED;
}

void cg_bound_optimizing(Cg *cg) {
    if (cg->target->gpu) return; /* untested: on GPUs -O0 would also change how memory is allocated */
    unsigned most = most_optimized(cg);
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!is_defined(fn) || LLVMCountBasicBlocks(fn) <= most) continue;
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, always);
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName("inlinehint", 10));
        cg_fn_attr(cg, fn, "noinline");
        cg_fn_attr(cg, fn, "optnone");
    }
}

const char *cg_kept_call(Cg *cg, LLVMValueRef inst) {
    LLVMValueRef fn = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    LLVMAttributeRef kept = NULL;
    if (is_defined(fn))
        kept = LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_KEPT_CALL, sizeof CG_KEPT_CALL - 1);
    unsigned n;
    const char *name = kept ? LLVMGetStringAttributeValue(kept, &n) : NULL;
    return name ? arena_strndup(&cg->c->arena, name, n) : NULL;
}
