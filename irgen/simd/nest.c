/* nest.c -- replaces a marked nest of scalar loops by vector code, as its plan says (plan.c): reads the nest, checks
 * that all of it has a vector form, writes each version (rows.c) after its test, and removes the scalar loops. */
#include "irgen/simd/nest.h"

/* Taking the scalar nest away -------------------------------------------------------------------------------------- */

typedef Vec(LLVMBasicBlockRef) Blocks;

static Blocks nest_blocks(SimdRegion *g) {
    Blocks all = {0};
    for (int i = 0; i < g->blocks.n; i++) vec_push(g->arena, &all, g->blocks.at[i].bb);
    vec_push(g->arena, &all, g->inner_head);
    vec_push(g->arena, &all, g->exit);
    if (!g->y) return all;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->outer_head);
    vec_push(g->arena, &all, g->outer_head);
    vec_push(g->arena, &all, LLVMGetSuccessor(enter, 0));
    vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->inner_head), 1));
    return all;
}

static bool holds(const Blocks *blocks, LLVMValueRef inst) {
    for (int i = 0; i < blocks->n; i++)
        if (blocks->at[i] == LLVMGetInstructionParent(inst)) return true;
    return false;
}

/* Invariant: the vector code uses copies of the scalar nest's values, never these themselves. */
static void assert_unused(Cg *cg, const Blocks *nest, LLVMValueRef v) {
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!holds(nest, LLVMGetUser(use)))
            ice(cg->c, (Span){0}, "vector code uses a value of the scalar nest: %s",
                LLVMPrintValueToString(LLVMGetUser(use)));
}

static void take_away(Cg *cg, SimdRegion *g, LLVMBuilderRef b) {
    Blocks all = nest_blocks(g);
    for (int i = 0; i < all.n; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(all.at[i]); v; v = LLVMGetNextInstruction(v)) {
            if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind) continue;
            assert_unused(cg, &all, v);
            LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
        }
    for (int i = 0; i < all.n; i++) {
        for (LLVMValueRef v; (v = LLVMGetLastInstruction(all.at[i]));) LLVMInstructionEraseFromParent(v);
        LLVMPositionBuilderAtEnd(b, all.at[i]);
        /* With it goes what -g left behind; LLVM would find that in the next block made there. */
        LLVMBuildUnreachable(b);
    }
    for (int i = 0; i < all.n; i++) LLVMDeleteBasicBlock(all.at[i]);
}

/* Loop versioning: short rows run in the scalar nest, those of up to half a vector, as in the first steps of a Fourier
 * transform, and those that have no block inside (ends.c). */
static void keep_for_short_rows(Items *n, int most, LLVMValueRef latch, LLVMBasicBlockRef simd) {
    SimdRegion *g = n->g;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    LLVMBasicBlockRef head = LLVMGetSuccessor(enter, 0);
    LLVMPositionBuilderBefore(n->b, enter);
    LLVMValueRef items = LLVMBuildNSWSub(n->b, g->x_hi, g->x_lo, "");
    LLVMValueRef is_short = LLVMBuildICmp(n->b, LLVMIntSLE, items, cg_i64(n->cg, most), "");
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(n->b, g->entry_from);
    LLVMBuildCondBr(n->b, is_short, head, simd);
    LLVMSetMetadata(latch, n->cg->md_version, NULL);
    simd_say_of_loop(n->cg, latch, "llvm.loop.disable_nonforced"); /* a few items are not worth more code */
}

/* Launches for which no version was made run in the scalar nest, which begins here instead of where it did. */
static void go_on_in_scalar_nest(Items *n, LLVMValueRef latch) {
    SimdRegion *g = n->g;
    LLVMBasicBlockRef head = g->y ? g->outer_head : g->inner_head, here = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, head);
    simd_replace_incoming(n->b, head, g->entry_from, here);
    LLVMSetMetadata(latch, n->cg->md_version, NULL);
}

/* The nest's way in goes to `to`; its way out is after. */
static void enter_from(SimdRegion *g, LLVMBasicBlockRef to) {
    LLVMBasicBlockRef head = g->y ? g->outer_head : g->inner_head;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->entry_from);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (LLVMGetSuccessor(t, i) == head) LLVMSetSuccessor(t, i, to);
}

/* A nest ----------------------------------------------------------------------------------------------------------- */

static bool is_part_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMStructTypeKind || k == LLVMArrayTypeKind || k == LLVMVectorTypeKind;
}

/* inline.c: calls that were not inlined. */
static bool calls_are_inlined(Cg *cg, SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        const char *callee = cg_kept_call(cg, g->values.at[i].v);
        if (!callee) continue;
        const char *why = arena_printf(&cg->c->arena, "it calls `%s`, which is too large to be inlined", callee);
        return simd_refuse(g, why, g->values.at[i].v);
    }
    return true;
}

static bool is_volatile(LLVMValueRef v) { return (LLVMIsALoadInst(v) || LLVMIsAStoreInst(v)) && LLVMGetVolatile(v); }

/* Does code behind the nest use what the head of a loop has? */
static bool leaves_value(SimdRegion *g) {
    LLVMBasicBlockRef heads[2] = {g->inner_head, g->outer_head};
    Blocks all = nest_blocks(g);
    for (int i = 0; i < (g->y ? 2 : 1); i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(heads[i]); v; v = LLVMGetNextInstruction(v))
            for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
                if (!holds(&all, LLVMGetUser(use))) return true;
    return LLVMIsAPHINode(LLVMGetFirstInstruction(g->after)) != NULL;
}

/* Values of several parts that LLVM did not take apart, and what vector code has no form for. */
static bool is_supported(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        if (g->blocks.at[value->block].leaves) {
            if (op == LLVMPHI) return simd_refuse(g, "the exits of several failed checks share a block", value->v);
            continue;
        }
        LLVMTypeRef t = simd_element(value->v);
        bool made_of_parts = is_part_type(t) && op != LLVMCall;
        if (made_of_parts) return simd_refuse(g, "it uses an aggregate value as a whole", value->v);
        if (op == LLVMAlloca) return simd_refuse(g, "it allocates stack memory", value->v);
        if (is_volatile(value->v)) return simd_refuse(g, "it has a volatile load or store", value->v);
    }
    return !leaves_value(g) || simd_refuse(g, "a value of its loop is used after the loop", NULL);
}

/* Versions --------------------------------------------------------------------------------------------------------- */

/* Those but the last are guarded by a test; where it fails, the builder is left for the next one, or for the scalar
 * nest. */
static void write_versions(Items *n, NestContext *context, const NestPlan *plan) {
    for (int i = 0; i < plan->n; i++) {
        const NestVersion *v = n->v = &plan->at[i];
        nest_select(context, v);
        simd_blends(n->g, context->updated);
        if (i + 1 == plan->n && !plan->rest_is_scalar) {
            nest_write(n);
            return;
        }
        LLVMBasicBlockRef then = nest_block(n, "version"), otherwise = nest_block(n, "else");
        int items = v->shape.vectors * v->shape.width;
        LLVMValueRef is_so = v->launches == LAUNCHES_ALIGNED ? simd_ask_aligned(n->cg, n->g, n->b, items)
                                                             : simd_ask_short_periods(n->g, n->b, items);
        LLVMBuildCondBr(n->b, is_so, then, otherwise);
        LLVMPositionBuilderAtEnd(n->b, then);
        nest_write(n);
        LLVMBuildBr(n->b, n->g->after);
        LLVMPositionBuilderAtEnd(n->b, otherwise);
    }
}

static bool has_aligned(const NestPlan *plan) {
    return plan->rest_is_scalar || plan->at[0].launches == LAUNCHES_ALIGNED;
}

/* Replaces the scalar nest, which is kept for short rows if the plan has them. */
static void write_plan(NestContext *n, const NestPlan *plan, LLVMValueRef latch) {
    SimdRegion *g = n->g;
    Items items = {.cg = n->cg,
                   .g = g,
                   .target = n->target,
                   .streams = n->streams,
                   .b = n->cg->b,
                   .allocas = LLVMGetEntryBasicBlock(g->fn)};
    LLVMBasicBlockRef start = nest_block(&items, "simd");
    LLVMPositionBuilderAtEnd(items.b, start);
    LLVMSetCurrentDebugLocation2(items.b, LLVMInstructionGetDebugLoc(latch));
    LLVMBasicBlockRef after = g->after;
    if (simd_has_totals(g)) g->after = nest_block(&items, "totals");
    write_versions(&items, n, plan);
    if (plan->rest_is_scalar) go_on_in_scalar_nest(&items, latch);
    else LLVMBuildBr(items.b, g->after);
    if (g->after != after) {
        LLVMPositionBuilderAtEnd(items.b, g->after);
        simd_bring_totals(&(SimdEmit){.g = g, .cg = n->cg, .b = items.b, .shape = {1, 1, 1}, .allocas = items.allocas});
        LLVMBuildBr(items.b, after);
    }
    if (plan->short_rows && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->entry_from)) == 1) {
        keep_for_short_rows(&items, plan->short_rows, latch, start);
        return;
    }
    enter_from(g, start);
    if (!plan->rest_is_scalar) take_away(n->cg, g, items.b);
}

static int tile_of(Cg *cg, LLVMValueRef latch) {
    LLVMValueRef note = LLVMGetMetadata(latch, cg->md_tile), n;
    if (!note) return 0;
    LLVMGetMDNodeOperands(note, &n);
    return (int)LLVMConstIntGetZExtValue(n);
}

/* Reads the nest; a loop in it that is unrolled (walked.c) has it read again. */
static bool read_nest(Cg *cg, SimdRegion *g, const SimdTarget *target, LLVMValueRef fn, LLVMValueRef latch,
                      LLVMValueRef outer_latch, SimdShape *shape) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    bool walks;
    do {
        if (!simd_region(g, &cg->c->arena, fn, layout, latch, outer_latch) || !calls_are_inlined(cg, g) ||
            !simd_privates(g) || !is_supported(g))
            return false;
        simd_find_slices(g);
        simd_count_stores(g);
        g->omitted = cg->options->omitted;
        simd_find_row_guards(cg, g);
        g->tile = tile_of(cg, latch);
        if (LLVMGetMetadata(latch, cg->md_short_rows))
            g->omitted |= UINT64_C(1) << TRANSFORM_ENDS; /* blocks have edges */
        g->always = cg->options->vector_always;
        g->mask_registers = target->mask_registers;
        g->target = target;
        *shape = simd_shape(g, target);
        int level = cg->options->opt_level;
        if (cg_allows(cg, INNER) && level >= 2 && simd_leaves_to_inner(g, level > 2))
            return simd_refuse(g, "a loop of each item is vectorised instead: it goes along a row", NULL);
        if (LLVMGetMetadata(latch, cg->md_single) && !g->always)
            return simd_refuse(g, "it has a single work item", NULL);
        walks = cg_allows(cg, WALKED);
        if (walks && shape->width == 1 && simd_find_walks(g, simd_width(g, target))) *shape = simd_shape(g, target);
    } while ((shape->rows > 1 && simd_write_triangles(cg, g)) ||
             (walks && shape->width > 1 && simd_walked(cg, g, shape->width)));
    return true;
}

bool simd_nest(Cg *cg, const SimdTarget *target, SimdStreams *streams, const ValueMap *updated, LLVMValueRef fn,
               LLVMValueRef latch, LLVMValueRef outer_latch, int number) {
    SimdRegion g;
    SimdShape shape;
    NestPlan plan;
    NestContext n = {cg, &g, target, streams, updated, number};
    bool is_read = read_nest(cg, &g, target, fn, latch, outer_latch, &shape);
    if (!is_read || !nest_plan(&n, latch, shape, &plan)) {
        simd_note_scalar(cg, &g, number, is_read);
        return false;
    }
    const NestVersion *last = &plan.at[plan.n - 1];
    simd_blends(&g, updated);
    simd_note(cg, &g, number, last->shape,
              (SimdVersions){has_aligned(&plan), plan.rest_is_scalar, last->split != SPLIT_NONE, last->unrolled});
    nest_note_plan(&n, &plan);
    write_plan(&n, &plan, latch);
    return true;
}
