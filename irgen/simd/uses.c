/* uses.c -- what is found out of values before the code of a block of items is written: which blocks are worth a branch
 * that skips them when no lane is live, and which values may be used where their own block has been skipped, or after a
 * loop that lanes leave at different times. */
#include "irgen/simd/simd.h"

#include "irgen/lang/marks.h"

static bool worth_a_branch(const SimdRegion *g, const SimdBlock *b) {
    enum { FEW = 8 };
    int cost = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        switch (LLVMGetInstructionOpcode(g->values.at[i].v)) {
        case LLVMLoad: case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: return true;
        case LLVMCall: /* what is updated is there for items that come here only */
            if (!simd_is_pure_call(g->values.at[i].v) && !simd_is_remark(g->values.at[i].v)) return true;
            cost += simd_is_plain(g->values.at[i].v) ? 1 : FEW / 2;
            break;
        case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem: return true;
        case LLVMPHI: case LLVMBr: break;
        default: cost++;
        }
        if (cost > FEW) return true;
    }
    return false;
}

/* Does it only ask whether a loop runs at all? */
static bool asks_for_first(const SimdRegion *g, const SimdNode *node) {
    LLVMValueRef branch = node->block >= 0 ? LLVMGetBasicBlockTerminator(g->blocks.at[node->block].bb) : NULL;
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(g->fn));
    return branch && LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(ctx, CG_RUNS, sizeof CG_RUNS - 1));
}

/* Blocks and loops that some path through their level leaves out: in the order of the nodes an edge passes over them.
 */
static void find_conditional(SimdRegion *g) {
    for (int l = 0; l <= g->loops.n; l++) {
        const SimdLevel *level = &g->levels[l];
        for (int i = 0, farthest = 0, passed = 0; i < level->nodes.n; i++) {
            const SimdNode *node = &level->nodes.at[i];
            if (node->block >= 0) g->blocks.at[node->block].conditional = farthest > i;
            else g->loops.at[node->loop].conditional = node->masked && passed > i;
            bool is_usual = asks_for_first(g, node);
            for (int k = 0; k < node->n_succ; k++) {
                if (node->succ[k] > farthest) farthest = node->succ[k];
                if (node->succ[k] > passed && !is_usual) passed = node->succ[k];
            }
        }
    }
}

static void note_use(SimdRegion *g, LLVMValueRef v, int user) {
    int i = value_map_get(g->value_of, v);
    if (i < 0 || g->values.at[i].block == user) return;
    SimdValue *value = &g->values.at[i];
    int from = value->block;
    if (g->blocks.at[from].leaves) return; /* used on the same way out, which is no part of the block of items */
    bool may_be_skipped = simd_is_masked(g, from) && g->blocks.at[from].guarded;
    /* The masked nodes after a divergent branch follow one another also where `from`, in another arm of a uniform
     * branch, has not been executed. */
    may_be_skipped |= simd_may_miss(g, user) && !simd_is_masked(g, from) && g->blocks.at[from].conditional;
    if (may_be_skipped || !simd_in_loop(g, g->blocks.at[from].loop, user)) value->crosses = true;
    for (int l = g->blocks.at[from].loop; l >= 0 && value->leaves_loop < 0; l = g->loops.at[l].parent)
        if (g->loops.at[l].divergent && !g->loops.at[l].has[user]) value->leaves_loop = l;
    if (value->leaves_loop >= 0) value->crosses = true;
}

/* A block that leaves is written where some block branches to it. */
static void note_leaving_use(SimdRegion *g, LLVMValueRef v, int leaving) {
    const SimdBlock *at = &g->blocks.at[leaving];
    for (int i = 0; i < at->n_ways; i++) note_use(g, v, g->ways.at[at->first_way + i]);
}

/* What a check cuts in parts is skipped as a whole. */
static void guard(SimdRegion *g) {
    for (int b = 0; b < g->blocks.n; b++) {
        if (g->blocks.at[b].follows) continue;
        bool worth = false;
        for (int p = b; p >= 0; p = g->blocks.at[p].goes_on) worth = worth || worth_a_branch(g, &g->blocks.at[p]);
        for (int p = b; p >= 0; p = g->blocks.at[p].goes_on) g->blocks.at[p].guarded = worth;
    }
}

void simd_find_uses(SimdRegion *g) {
    guard(g);
    find_conditional(g);
    for (int i = 0; i < g->values.n; i++) {
        SimdValue *value = &g->values.at[i];
        bool is_phi = LLVMIsAPHINode(value->v) != NULL;
        unsigned n = is_phi ? LLVMCountIncoming(value->v) : (unsigned)LLVMGetNumOperands(value->v);
        for (unsigned k = 0; k < n; k++) {
            int user = is_phi ? value_map_get(g->block_of, LLVMGetIncomingBlock(value->v, k)) : value->block;
            LLVMValueRef v = is_phi ? LLVMGetIncomingValue(value->v, k) : LLVMGetOperand(value->v, k);
            if (user < 0 || !LLVMIsAInstruction(v)) continue;
            if (g->blocks.at[user].leaves) note_leaving_use(g, v, user);
            else note_use(g, v, user);
        }
    }
}
