/* nest.c -- from a marked nest of loops to vector code in its place: blocks of rows, in each blocks of vectors along
 * the row, then what is left of the row, then the rows that are left (rows.c). A nest is written more than once where
 * what is known only at the launch makes better code. */
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

/* There are many rows, of which nobody knows how long they are, and their items do little: enough may be lost at their ends
 * to write these more than once. */
static bool ends_matter(const SimdRegion *g) {
    enum { FEW_VALUES = 64 };
    return g->y && !g->loops.n && !nest_is_known_row(g) && g->values.n <= FEW_VALUES;
}

/* Rows of up to half a vector, as of the first steps of a Fourier transform, would have vectors with next to nothing
 * in them. They go item by item, in the nest as it was. Where items have loops of their own, a vector with few lanes
 * still goes through them once for all of these. false: the nest is not needed */
static bool keep_for_short_rows(Items *n, int width, LLVMValueRef latch, LLVMBasicBlockRef simd) {
    SimdRegion *g = n->g;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    if (!simd_allows(g, SHORT_ROWS) || !ends_matter(g) || LLVMGetNumSuccessors(enter) != 1) return false;
    LLVMBasicBlockRef head = LLVMGetSuccessor(enter, 0);
    LLVMPositionBuilderBefore(n->b, enter);
    LLVMValueRef items = LLVMBuildNSWSub(n->b, g->x_hi, g->x_lo, "");
    LLVMValueRef is_short = LLVMBuildICmp(n->b, LLVMIntSLE, items, cg_i64(n->cg, width / 2), "");
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(n->b, g->entry_from);
    LLVMBuildCondBr(n->b, is_short, head, simd);
    nest_say_of_loop(n, latch, "llvm.loop.disable_nonforced"); /* a few items are not worth more code */
    return true;
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
        LLVMTypeRef t = LLVMTypeOf(op == LLVMStore ? LLVMGetOperand(value->v, 0) : value->v);
        bool made_of_parts = is_part_type(t) && op != LLVMCall;
        if (made_of_parts) return simd_refuse(g, "it uses an aggregate value as a whole", value->v);
        if (op == LLVMAlloca) return simd_refuse(g, "it allocates stack memory", value->v);
        if (is_volatile(value->v)) return simd_refuse(g, "it has a volatile load or store", value->v);
    }
    return !leaves_value(g) || simd_refuse(g, "a value of its loop is used after the loop", NULL);
}

/* Versions --------------------------------------------------------------------------------------------------------- */

/* Accesses whose places side by side nothing shows. */
static int n_apart(const SimdRegion *g) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_store = LLVMIsAStoreInst(value->v), is_access = is_store || LLVMIsALoadInst(value->v);
        if (g->blocks.at[value->block].leaves || !is_access) continue;
        n += simd_rate(g, LLVMGetOperand(value->v, is_store), value->block).x == LANE_VARYING;
    }
    return n;
}

/* Of blocks that begin at a multiple of their size, a power of two; width 0: that would show nothing new. */
static SimdShape shape_if_aligned(SimdRegion *g, const SimdTarget *t) {
    SimdShape s = {0};
    int apart = n_apart(g);
    if (!apart || !simd_allows(g, ALIGNED) || !simd_find_aligned(g)) return s;
    g->aligned = true;
    s = simd_shape(g, t);
    while (s.vectors & (s.vectors - 1)) s.vectors--;
    if (s.width == 1 || n_apart(g) >= apart) s = (SimdShape){0};
    g->aligned = false;
    simd_shape(g, t); /* the rates of the other version */
    return s;
}

/* Of blocks whose places are apart alike; width 0: there are no such places, of more accesses than one. */
static SimdShape shape_if_spread(SimdRegion *g, const SimdTarget *t, SimdShape s) {
    int n = 0;
    for (int i = 0; i < g->values.n; i++) {
        bool is_access = LLVMIsAStoreInst(g->values.at[i].v) || LLVMIsALoadInst(g->values.at[i].v);
        n += is_access && !g->blocks.at[g->values.at[i].block].leaves && simd_is_spread(g, t, &g->values.at[i]);
    }
    return (SimdShape){s.rows, 1, n > 1 ? s.width : 0};
}

/* Once for each gap: how lanes are shuffled is known then. */
static void write_joint(Items *n, SimdShape shape, SimdEmit *e) {
    for (int gap = SIMD_MOST_JOINT; gap > 1; gap /= 2) {
        LLVMBasicBlockRef then = nest_block(n, "gap"), otherwise = nest_block(n, "else");
        LLVMBuildCondBr(n->b, simd_joint_has(e, gap), then, otherwise);
        LLVMPositionBuilderAtEnd(n->b, then);
        simd_join_by(e, gap);
        nest_write(n, shape);
        LLVMBuildBr(n->b, n->g->after);
        LLVMPositionBuilderAtEnd(n->b, otherwise);
    }
    simd_join_by(e, 1);
    nest_write(n, shape);
}

/* The version that g now says. The builder is left where the next one belongs. */
static void write_version(Items *n, SimdShape shape, const ValueMap *updated) {
    SimdRegion *g = n->g;
    simd_shape(g, n->target);
    simd_blends(g, updated);
    LLVMBasicBlockRef then = nest_block(n, "version"), otherwise = nest_block(n, "else");
    LLVMValueRef holds = simd_ask_aligned(n->cg, g, n->b, shape.vectors * shape.width);
    SimdEmit e = {.g = g, .target = n->target, .cg = n->cg, .b = n->b, .shape = shape, .x = g->x_lo, .y = g->y_lo};
    LLVMValueRef joined = g->spread && simd_allows(g, JOINT) ? simd_join(&e) : NULL;
    if (joined) holds = LLVMBuildFreeze(n->b, LLVMBuildAnd(n->b, holds, joined, ""), "");
    LLVMBuildCondBr(n->b, holds, then, otherwise);
    LLVMPositionBuilderAtEnd(n->b, then);
    if (joined) write_joint(n, shape, &e);
    else nest_write(n, shape);
    LLVMBuildBr(n->b, g->after);
    LLVMPositionBuilderAtEnd(n->b, otherwise);
}

static void write_versions(Items *n, SimdShape shape, SimdShape aligned, SimdShape spread, const ValueMap *updated,
                           bool has_ends) {
    SimdRegion *g = n->g;
    g->aligned = true;
    if (aligned.vectors > 1) write_version(n, aligned, updated);
    aligned.vectors = 1; /* the smaller the block, the more masks leave it whole */
    if (aligned.width) write_version(n, aligned, updated);
    g->aligned = false;
    g->spread = true;
    if (spread.width) write_version(n, spread, updated);
    g->spread = false;
    g->joint = NULL;
    if (aligned.width) simd_shape(g, n->target); /* the rates of this version again */
    simd_blends(g, updated);
    n->has_ends = has_ends;
    n->again = simd_allows(g, OVERLAP) && ends_matter(g) && simd_is_idempotent(g);
    nest_write(n, shape);
}

/* Short rows whose places in the group's memory are all known: forward.c sees them where they are written out. */
static bool is_written_out(Cg *cg, const SimdRegion *g, LLVMValueRef latch, int width) {
    enum { MOST_VECTORS = 128 };
    int64_t trips = simd_trips(g->x_lo, g->x_hi);
    return cg_allows(cg, FORWARD) && LLVMGetMetadata(latch, cg->md_counted) && trips > 0 && trips <= MOST_VECTORS * width &&
           simd_has_known_places(g);
}

bool simd_nest(Cg *cg, const SimdTarget *target, SimdStreams *streams, const ValueMap *updated, LLVMValueRef fn,
               LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdShape shape;
    bool stages = false;
    for (bool again = true; again;) {
        if (!simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) || !calls_are_inlined(cg, &g) ||
            !simd_privates(&g) || !is_supported(&g)) {
            simd_note_scalar(cg, &g);
            return false;
        }
        g.omitted = cg->options->omitted;
        shape = simd_shape(&g, target);
        again = shape.width > 1 && cg_allows(cg, WALKED) && simd_walked(cg, &g, shape.width);
        if (again || shape.width == 1) continue;
        again = cg_allows(cg, STAGES) && simd_stages(cg, &g, target);
        stages |= again;
    }
    SimdShape aligned = shape_if_aligned(&g, target);
    if (shape.width == 1 && aligned.width)
        shape = (SimdShape){1, 1, simd_width(&g, target)}; /* for the sake of that version */
    if (shape.width == 1) {
        simd_refuse(&g, "most of it would be executed lane by lane, which is slower than scalar code", NULL);
        simd_note_scalar(cg, &g);
        return false;
    }
    SimdShape spread = aligned.width && cg_allows(cg, SPREAD) ? shape_if_spread(&g, target, shape) : (SimdShape){0};
    bool has_ends = simd_find_ends(&g);
    bool written_out = is_written_out(cg, &g, latch, shape.width);
    if (written_out) shape = (SimdShape){1, 1, shape.width};
    simd_note(cg, &g, shape, (SimdVersions){aligned.width > 0, spread.width > 0, has_ends, written_out, stages});
    Items n = {
        .cg = cg, .g = &g, .target = target, .streams = streams, .b = cg->b, .allocas = LLVMGetEntryBasicBlock(fn)};
    n.written_out = written_out;
    LLVMBasicBlockRef start = nest_block(&n, "simd");
    LLVMPositionBuilderAtEnd(n.b, start);
    LLVMSetCurrentDebugLocation2(n.b, LLVMInstructionGetDebugLoc(latch));
    write_versions(&n, shape, aligned, spread, updated, has_ends);
    LLVMBuildBr(n.b, g.after);
    if (keep_for_short_rows(&n, shape.width, latch, start)) return true;
    enter_from(&g, start);
    take_away(cg, &g, n.b);
    return true;
}
