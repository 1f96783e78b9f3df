/* module.c -- the passes that make vector code of a module's kernels (pass.def). */
#include "irgen/simd/nest.h"

#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "offload/lld.h"

static void run_passes(Cg *cg, LLVMValueRef fn, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = fn ? LLVMRunPassesOnFunction(fn, passes, cg->machine, options)
                            : LLVMRunPasses(cg->module, passes, cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses the passes %s: %s", passes, LLVMGetErrorMessage(error));
}

typedef struct Mark {
    LLVMValueRef fn, items, rows; /* the branches back; rows NULL: one loop */
} Mark;
typedef Vec(Mark) Marks;

/* The branch back of the loop around, which begins where the inner one ends. */
static LLVMValueRef rows_of(Cg *cg, LLVMValueRef latch) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(latch, 0));
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) return NULL;
    LLVMValueRef rows = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(t, 1));
    return LLVMGetMetadata(rows, cg->md_rows) ? rows : NULL;
}

static Marks find_marks(Cg *cg) {
    Marks marks = {0};
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
            LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
            if (!t || !LLVMGetMetadata(t, cg->md_items)) continue;
            Mark m = {fn, t, rows_of(cg, t)};
            vec_push(&cg->c->arena, &marks, m);
        }
    return marks;
}

/* Item by item there is nothing to gain from it. */
static void drop_ahead(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_AHEAD);
    if (!fn) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(fn);
}

/* Stores past the caches are seen by nobody in order before a fence. Whoever waits for the kernel waits for its return,
 * so there it is, once: in a group, which does not read the array either, it would hold up the stores of every tile. */
static void fence_returns(Cg *cg, LLVMValueRef fn) {
    unsigned id = LLVMLookupIntrinsicID("llvm.x86.sse.sfence", 19);
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(cg->module, id, NULL, 0);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsAReturnInst(t)) continue;
        LLVMPositionBuilderBefore(cg->b, t);
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(t));
        LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fence), fence, NULL, 0, "");
    }
}

static const char *const width_names[2] = {"prefer-vector-width", "min-legal-vector-width"};

static void use_whole_vectors(Cg *cg, const SimdTarget *t, LLVMValueRef fn) {
    const char *bits = arena_printf(&cg->c->arena, "%d", t->vector_bits);
    for (int i = 0; i < 2; i++) LLVMAddTargetDependentFunctionAttr(fn, width_names[i], bits);
}

static void use_default_vectors(LLVMValueRef fn) {
    for (int i = 0; i < 2; i++)
        LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, width_names[i],
                                         (unsigned)strlen(width_names[i]));
}

static bool is_marked(LLVMValueRef fn, const char *mark) {
    return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark)) != NULL;
}

/* LLVM says of the processor that code is tuned for whether gathers are fast: Intel's since Skylake. Those of Zen 4 and
 * Zen 5 are microcode; and so are those of the processors below, since it was mended (gather data sampling,
 * INTEL-SA-00828, 2023): docs/decisions/cost-model.md. Code for x86-64-v3 or v4 may run on any of these. */
static Gathers gathers_of(Cg *cg) {
    static const char *const mended[] = {"skylake",        "skylake-avx512", "skx",       "cascadelake",
                                         "cooperlake",     "cannonlake",     "tigerlake", "icelake-client",
                                         "icelake-server", "rocketlake"};
    if (!LLVMKdslHasFeature(cg->machine, "+fast-gather")) return GATHERS_SLOW;
    char *cpu = LLVMGetTargetMachineCPU(cg->machine);
    Gathers are = strncmp(cpu, "x86-64", 6) ? GATHERS_FAST : GATHERS_UNKNOWN;
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        if (!strcmp(cpu, mended[i])) are = GATHERS_WIDE;
    LLVMDisposeMessage(cpu);
    return are;
}

static SimdTarget machine(Cg *cg) {
    Gathers gathers = gathers_of(cg);
    if (LLVMKdslHasFeature(cg->machine, "+avx512f") && LLVMKdslHasFeature(cg->machine, "+avx512vl") &&
        LLVMKdslHasFeature(cg->machine, "+avx512dq") && LLVMKdslHasFeature(cg->machine, "+avx512bw"))
        return (SimdTarget){512, 32, 4, cg->machine, true, gathers, LLVMKdslHasFeature(cg->machine, "+avx512vbmi")};
    if (LLVMKdslHasFeature(cg->machine, "+avx2")) return (SimdTarget){256, 16, 3, cg->machine, false, gathers, false};
    return (SimdTarget){128, 16, 3, cg->machine, false, GATHERS_SLOW, LLVMKdslHasFeature(cg->machine, "+ssse3")};
}

/* Functions that hold marked nests, as simd_prepare has found them. */
static bool has_nests(LLVMValueRef fn) { return !LLVMIsDeclaration(fn) && is_marked(fn, CG_NESTS); }

static void run_on_nests(Cg *cg, const char *passes) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (has_nests(fn)) run_passes(cg, fn, passes);
}

/* What a pass makes at the end of a block gets the builder's location, which must not be one in another function. */
static void begin_function(Cg *cg) { LLVMSetCurrentDebugLocation2(cg->b, NULL); }

static void each_with_nests(Cg *cg, void (*run)(Cg *cg, LLVMValueRef fn)) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        begin_function(cg);
        if (has_nests(fn)) run(cg, fn);
    }
}

/* passes: of LLVM, where `run` has changed something; or NULL */
static void change_each_with_nests(Cg *cg, bool (*run)(Cg *cg, LLVMValueRef fn), const char *passes) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn)) {
        begin_function(cg);
        if (has_nests(fn) && run(cg, fn) && passes) run_passes(cg, fn, passes);
    }
}

typedef bool (*OnNest)(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch);

/* passes: after the last nest of a function, because they delete what has become unreachable. */
static bool change_each_nest(Cg *cg, OnNest run, const char *passes) {
    Marks marks = find_marks(cg);
    bool changed = false, any = false;
    for (int i = 0; i < marks.n; i++) {
        begin_function(cg);
        if (run(cg, marks.at[i].fn, marks.at[i].items, marks.at[i].rows)) changed = any = true;
        if (i + 1 < marks.n && marks.at[i + 1].fn == marks.at[i].fn) continue;
        if (changed && passes) run_passes(cg, marks.at[i].fn, passes);
        changed = false;
    }
    return any;
}

/* LLVM makes tables of its own for each width that it meets, so a module has one, if all its nests become vector code.
 */
static void use_one_width(Cg *cg, const SimdTarget *t) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (has_nests(fn) || is_marked(fn, CG_LAUNCH)) use_whole_vectors(cg, t, fn);
}

/* Rows before the items in them: what these begin with is what rows do. */
static void forget_items(Cg *cg) {
    Marks marks = find_marks(cg);
    for (int i = 0; i < marks.n; i++) {
        if (marks.at[i].rows) simd_forget_items(marks.at[i].rows);
        simd_forget_items(marks.at[i].items);
    }
}

/* What has to be done before is little and always the same, so that what becomes of a kernel does not depend on -O:
 * calls inlined, memory to registers, values of several parts taken apart. What put these parts together again has to
 * be gone before instcombine comes: it would merge them. */
void simd_prepare(Cg *cg) {
    Marks marks = find_marks(cg);
    SimdTarget target = machine(cg);
    for (int i = 0; i < marks.n; i++) LLVMAddTargetDependentFunctionAttr(marks.at[i].fn, CG_NESTS, "");
    run_passes(cg, NULL, "always-inline");
    use_one_width(cg, &target); /* inlining takes the smaller one */
    run_on_nests(cg, "unreachableblockelim,sroa");
    if (cg_allows(cg, ALONE)) simd_find_alone(cg);
    each_with_nests(cg, simd_thread_failing);
    each_with_nests(cg, simd_split_aggregates);
    if (cg_allows(cg, WIDEN)) each_with_nests(cg, simd_widen_indices);
    run_on_nests(cg, "early-cse<memssa>"); /* what is there before two paths part is none of them */
    change_each_with_nests(cg, simd_choose, NULL);
    run_on_nests(cg,
                 "early-cse,instsimplify,dce,instcombine<no-verify-fixpoint>,scalarizer<load-store>,sroa,early-cse,dce,"
                 "unreachableblockelim");
    change_each_with_nests(cg, simd_expand_copies, "sroa,early-cse,dce");
    forget_items(cg);
    each_with_nests(cg, simd_sink_addresses);
    change_each_with_nests(cg, simd_use_words, "instsimplify,dce");
    if (cg_allows(cg, SINK)) change_each_with_nests(cg, simd_sink, "instsimplify,dce");
    change_each_with_nests(cg, simd_choose, "instcombine<no-verify-fixpoint>,dce");
    if (cg_allows(cg, TRANSLATE)) change_each_with_nests(cg, simd_translate, "early-cse,dce");
    if (cg_allows(cg, SHRINK)) {
        each_with_nests(cg, simd_shrink);
        run_on_nests(cg, "dce");
    }
    each_with_nests(cg, simd_hoist_parts);
}

void simd_widen_counters(Cg *cg) {
    Marks marks = find_marks(cg);
    LLVMValueRef *latches = arena_array(&cg->c->arena, LLVMValueRef, 2 * marks.n + 1);
    for (int i = 0, n = 0; i < marks.n && cg_allows(cg, COUNTERS); i++) {
        latches[2 * n] = marks.at[i].items;
        latches[2 * n++ + 1] = marks.at[i].rows;
        if (i + 1 < marks.n && marks.at[i + 1].fn == marks.at[i].fn) continue;
        begin_function(cg);
        if (simd_widen_counters_in(cg, marks.at[i].fn, latches, n))
            run_passes(cg, marks.at[i].fn, "sccp,instcombine<no-verify-fixpoint>,early-cse,dce");
        n = 0;
    }
    if (cg_allows(cg, COUNTERS))
        change_each_nest(cg, simd_widen_bounded_in, "instcombine<no-verify-fixpoint>,early-cse,dce");
}

void simd_version_indices(Cg *cg) {
    if (cg_allows(cg, INDEX_VERSIONS))
        change_each_nest(cg, simd_version_indices_in, "instcombine<no-verify-fixpoint>,early-cse,dce");
}

void simd_version_checks(Cg *cg) {
    if (cg_allows(cg, CHECK_VERSIONS)) change_each_nest(cg, simd_version_checks_in, "sccp,dce");
}

void simd_delinearise(Cg *cg) {
    if (cg_allows(cg, DELINEARISE))
        change_each_nest(cg, simd_delinearise_in, "instcombine<no-verify-fixpoint>,early-cse,dce");
}

void simd_narrow(Cg *cg) {
    if (cg_allows(cg, NARROW)) change_each_nest(cg, simd_narrow_in, "sccp");
}

void simd_thread_exits(Cg *cg) {
    if (cg_allows(cg, THREAD_EXITS)) change_each_nest(cg, simd_thread_exits_in, NULL);
}

/* Unrolled loops are smaller once they are simplified, and then the loop around them may be small enough. */
void simd_unroll(Cg *cg) {
    static const char simplify[] = "instcombine<no-verify-fixpoint>,sroa,early-cse,sccp,dce";
    enum { MOST_AROUND = 2 };
    if (cg_allows(cg, UNROLL)) change_each_nest(cg, simd_leaves_short_in, "lcssa");
    bool goes_on = cg_allows(cg, UNROLL) && change_each_nest(cg, simd_unroll_in, simplify);
    for (int i = 0; i < MOST_AROUND && goes_on; i++) {
        each_with_nests(cg, simd_merge_straight);
        goes_on = change_each_nest(cg, simd_unroll_again_in, simplify);
    }
    if (goes_on) each_with_nests(cg, simd_merge_straight);
    each_with_nests(cg, simd_drop_dead_phis);
}

void simd_relate_checked(Cg *cg) {
    if (cg_allows(cg, WIDEN)) change_each_nest(cg, simd_relate_checked_in, "early-cse,dce");
}

void simd_collect(Cg *cg) {
    if (cg_allows(cg, COLLECT)) change_each_with_nests(cg, simd_collect_in, NULL);
}

void simd_promote(Cg *cg) {
    if (cg_allows(cg, PROMOTE)) change_each_nest(cg, simd_promote_in, "sroa,early-cse");
}

void simd_carry(Cg *cg) {
    if (cg_allows(cg, CARRY)) change_each_nest(cg, simd_carry_in, "instcombine<no-verify-fixpoint>,early-cse,dce");
}

void simd_idioms(Cg *cg) {
    if (cg_allows(cg, IDIOMS)) change_each_with_nests(cg, simd_recognise_idioms, "sccp,instsimplify,dce");
}

void simd_pack(Cg *cg) {
    SimdTarget target = machine(cg);
    Marks marks = find_marks(cg);
    SimdPanelMemory memory = {0};
    bool changed = false;
    for (int i = 0; i < marks.n && cg_allows(cg, PACK); i++) {
        const Mark *m = &marks.at[i];
        begin_function(cg);
        if (!i || m->fn != marks.at[i - 1].fn) {
            memory = (SimdPanelMemory){0};
            simd_unshift_counters(cg, m->fn);
        }
        changed |= simd_pack_in(cg, &target, m->items, m->rows, &memory);
        if (i + 1 < marks.n && marks.at[i + 1].fn == m->fn) continue;
        if (changed) run_passes(cg, m->fn, "early-cse,dce");
        changed = false;
    }
}

void simd_print_places(Cg *cg) {
    Marks marks = find_marks(cg);
    for (int i = 0; i < marks.n; i++) simd_note_places(cg, marks.at[i].fn, marks.at[i].items, marks.at[i].rows);
}

/* LLVM's own vectorisers take gathers for cheaper than loads lane by lane, on all processors that have them. In code
 * that none of ours is in, they need not be made. */
static void avoid_gathers(Cg *cg, const SimdTarget *target, LLVMValueRef fn) {
    if (target->gathers == GATHERS_FAST || target->vector_bits < 256) return;
    char *features = LLVMGetTargetMachineFeatureString(cg->machine);
    const char *all = arena_printf(&cg->c->arena, "%s,+prefer-no-gather", features);
    LLVMDisposeMessage(features);
    LLVMAddTargetDependentFunctionAttr(fn, "target-features", all);
}

typedef struct Code {
    ValueMap *seen; /* functions */
    bool vector, scalar;
} Code;

/* What the items that this function executes have become: its own, or those of the functions that it calls. */
static void look_for_code(Code *c, LLVMValueRef fn) {
    if (LLVMIsDeclaration(fn) || value_map_get(c->seen, fn) >= 0) return;
    value_map_put(c->seen, fn, 1);
    c->vector |= is_marked(fn, CG_VECTOR);
    c->scalar |= is_marked(fn, CG_SCALAR);
    if (is_marked(fn, CG_NESTS)) return;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)))
                look_for_code(c, LLVMGetCalledValue(i));
}

/* What a kernel's entry knows only now. The function is optimised no more (optnone). */
static void choose_by_code(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_BY_CODE);
    if (!fn) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) {
        enum { FEW = 16 };
        Code c = {.seen = value_map_new(&cg->c->arena, FEW)};
        LLVMValueRef call = LLVMGetUser(use);
        look_for_code(&c, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, c.scalar && !c.vector));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(fn);
}

void simd_vectorize(Cg *cg) {
    SimdTarget target = machine(cg);
    Marks marks = find_marks(cg);
    SimdStreams streams;
    simd_find_streams(cg, &streams);
    ValueMap *updated = simd_find_updated(cg);
    for (int i = 0, number = 1; i < marks.n; i++, number++) {
        const Mark *m = &marks.at[i];
        bool is_first = !i || m->fn != marks.at[i - 1].fn;
        if (is_first) number = 1;
        if (is_first) simd_unshift_counters(cg, m->fn); /* of nests that were not packed */
        begin_function(cg);
        bool is_vector = simd_nest(cg, &target, &streams, updated, m->fn, m->items, m->rows, number);
        if (is_vector) use_whole_vectors(cg, &target, m->fn);
        LLVMAddTargetDependentFunctionAttr(m->fn, is_vector ? CG_VECTOR : CG_SCALAR, "");
        bool is_last = i + 1 == marks.n || marks.at[i + 1].fn != marks.at[i].fn;
        if (!is_last) continue;
        if (!is_marked(m->fn, CG_VECTOR)) use_default_vectors(m->fn), avoid_gathers(cg, &target, m->fn);
        if (is_marked(m->fn, CG_SCALAR)) simd_drop_scalar_versions(cg, m->fn);
        if (streams.used) fence_returns(cg, marks.at[i].fn);
        streams.used = false;
    }
    simd_drop_of_all_rows(cg);
    drop_ahead(cg);
    choose_by_code(cg);
}

void simd_clean(Cg *cg) { run_on_nests(cg, "sroa,instsimplify"); }

void simd_forward(Cg *cg) {
    if (cg_allows(cg, FORWARD)) each_with_nests(cg, simd_forward_in);
}

void simd_drop_calls(Cg *cg, const char *name) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, name);
    if (!fn) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(fn);
}

/* The calls of cg_group_memory, and the marks of functions, have done their work. */
void simd_open_group_memory(Cg *cg) {
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, CG_NESTS, sizeof CG_NESTS - 1);
    simd_drop_calls(cg, CG_GROUP_MEMORY);
}
