/* optimize.c -- LLVM's standard pipeline, and a shorter one for functions that are vector code already.
 *
 * default<O2> simplifies a function three times and runs some thirty passes that recognise what scalar code has. What
 * vectorisation leaves has been through SROA, instruction combining and CSE (simd_prepare), so most find nothing
 * and take as long. The short pipeline keeps those without which an innermost loop of the examples would have more
 * instructions: each was left out in turn, and the loops compared (docs/decisions/short-pipeline.md).
 *
 * Functions with a nest that stayed scalar (CG_SCALAR), and functions that nests call (CG_KEPT_CALL), need what scalar
 * code needs: they take LLVM's pipeline. A module has both kinds at times, and LLVM's pass managers do not choose by
 * function, so the other kind is optnone meanwhile, which LLVM's passes over functions respect. At -O0 and -O3 all is
 * LLVM's pipeline. */
#include "irgen/passes/llvm.h"

#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "irgen/passes/chains.h"
#include "irgen/passes/combine_exits.h"
#include "irgen/passes/merge_regions.h"
#include "irgen/passes/release_loops.h"
#include "irgen/passes/remainders.h"

/* -O3 unrolls and inlines what the host program does once: initialisation of small arrays took LLVM 20 s, and gained
 * nothing. */
enum { MOST_OF_HOST = 2 };

#define COMBINE "instcombine<max-iterations=1;no-verify-fixpoint>"

/* Simplification; reassociation and hoisting of addresses; loops with few iterations, and those that set memory; then
 * redundancies across blocks. The loop vectoriser is for loops beside nests, as those that join copies of arrays. */
static const char short_pipeline[] =
    "cgscc(inline,function-attrs,function<eager-inv>("
    "simplifycfg,early-cse<memssa>," COMBINE ",reassociate,"
    "loop-mssa(loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm),"
    COMBINE ",loop(loop-idiom,loop-deletion,loop-unroll-full),gvn,jump-threading,dse,loop-vectorize,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts;sink-common-insts>,"
    "loop-unroll<O2>,simplifycfg)),globaldce,constmerge";

void cg_run_passes(Cg *cg, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(cg->module, passes, cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses its own pipeline %s: %s", passes, LLVMGetErrorMessage(error));
}

static bool is_marked(LLVMValueRef fn, const char *mark) {
    return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark)) != NULL;
}

static void unmark(LLVMValueRef fn, const char *mark) {
    LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark));
}

static unsigned kind_of(const char *attribute) { return LLVMGetEnumAttributeKindForName(attribute, strlen(attribute)); }

static bool has(LLVMValueRef fn, const char *attribute) {
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of(attribute)) != NULL;
}

static bool is_scalar(LLVMValueRef fn) { return is_marked(fn, CG_SCALAR) || is_marked(fn, CG_KEPT_CALL); }

static bool any_is(Cg *cg, bool scalar) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && (scalar ? is_scalar(fn) : is_marked(fn, CG_VECTOR))) return true;
    return false;
}

/* Marks of functions that are optnone for a while, which demands noinline; in which of the two were added. */
static const char apart[] = "kdsl-apart", apart_inlined[] = "kdsl-apart-inlined";

/* LLVM's passes over functions leave these as they are. */
static void set_apart(Cg *cg, bool scalar) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        bool is_one = scalar ? is_scalar(fn) : is_marked(fn, CG_VECTOR) && !is_scalar(fn);
        if (LLVMIsDeclaration(fn) || !is_one || has(fn, "optnone") || has(fn, "alwaysinline")) continue;
        LLVMAddTargetDependentFunctionAttr(fn, has(fn, "noinline") ? apart : apart_inlined, "");
        cg_fn_attr(cg, fn, "noinline");
        cg_fn_attr(cg, fn, "optnone");
    }
}

/* Asked of the module again: passes over modules may have removed functions, or replaced them by others. */
static void put_back(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        bool was_inlined = is_marked(fn, apart_inlined);
        if (!was_inlined && !is_marked(fn, apart)) continue;
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of("optnone"));
        if (was_inlined) LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind_of("noinline"));
        unmark(fn, apart);
        unmark(fn, apart_inlined);
    }
}

static void run_standard(Cg *cg) {
    char passes[] = "default<O0>";
    int level = cg->options->opt_level, most = cg->target->is_program ? MOST_OF_HOST : 3;
    passes[sizeof "default<O" - 1] = (char)('0' + (level < 0 ? 0 : level > most ? most : level));
    cg_run_passes(cg, passes);
}

static void optimize_by_kind(Cg *cg) {
    if (any_is(cg, true)) {
        set_apart(cg, false);
        run_standard(cg);
        put_back(cg);
    }
    set_apart(cg, true);
    cg_run_passes(cg, short_pipeline);
    put_back(cg);
}

/* What runs once for a launch, or for each of its threads, and has no loop over items: its code is made in the least
 * time. */
static void leave_launches(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!is_marked(fn, CG_LAUNCH) || has(fn, "alwaysinline")) continue;
        cg_fn_attr(cg, fn, "noinline");
        cg_fn_attr(cg, fn, "optnone");
    }
}

/* Nests of kernels have their recurrences in registers before they are vectorised, loops of the host only after LLVM's
 * pipeline. */
void cg_shorten_chains(Cg *cg) {
    if (cg->target->gpu || cg->options->opt_level < 1 || !cg_allows(cg, CHAINS)) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn)) LLVMKdslShortenChains(fn);
}

/* In programs: launches of a session do not go where a team would have them (runtime/launch.c). */
void cg_merge_regions(Cg *cg) {
    if (!cg->target->gpu && !cg->options->unit && cg->options->opt_level > 0)
        LLVMKdslMergeRegions(cg->module, "kdsl_team_begin", "kdsl_team_end");
}

/* On GPUs. Functions that kernels call are inlined first: their checks leave the kernel's loops. */
void cg_combine_exits(Cg *cg) {
    static const char form[] = "cgscc(inline),function(sroa,early-cse,simplifycfg,loop-simplify,lcssa)";
    if (cg->options->opt_level < 2) return;
    cg_run_passes(cg, form);
    LLVMKdslCombineExits(cg->module, cg->machine);
}

/* Of a device whose code another assembler makes. */
void cg_release_loops(Cg *cg) {
    if (!cg->target->text_is_image || cg->options->opt_level < 2) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn)) LLVMKdslReleaseLoops(fn, cg->machine);
}

void cg_optimize(Cg *cg) {
    int level = cg->options->opt_level;
    if (level == 1 || level == 2) leave_launches(cg);
    if ((level == 1 || level == 2) && any_is(cg, false)) optimize_by_kind(cg);
    else run_standard(cg);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        unmark(fn, CG_VECTOR);
        unmark(fn, CG_SCALAR);
        unmark(fn, CG_LAUNCH);
    }
}

void cg_subtract_remainders(Cg *cg) {
    if (cg->target->gpu || cg->options->opt_level < 1) return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn)) LLVMKdslSubtractRemainders(fn);
}
