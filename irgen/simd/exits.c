/* exits.c -- jump threading of loop conditions. `while k < LIMIT && x * x + y * y <= 4.0 { ... }` is a branch by k to
 * the second condition or past it, to where both ways meet, and a branch there by what each way brings:
 *
 *     head:  br k < LIMIT, more, meet               head:  br k < LIMIT, more, out
 *     more:  br meet                         ==>    more:  br meet
 *     meet:  br phi [no, head], [c, more]           meet:  br c
 *
 * On a way that brings a constant it is known where the branch goes: if that is out of the loop, the way leads there at
 * once. Then the first condition, often the same for all items, is a branch of its own and needs no mask, and what
 * items that leave the loop take along is not chosen twice. */
#include "irgen/simd/simd.h"

static bool is_bit(LLVMValueRef v, bool set) { return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == set; }

/* A phi and a branch by it, which is all that uses it; NULL: there is more. */
static LLVMValueRef meeting(LLVMBasicBlockRef bb) {
    LLVMValueRef phi = LLVMGetFirstInstruction(bb), t = LLVMGetBasicBlockTerminator(bb);
    bool is_alone = LLVMIsAPHINode(phi) && LLVMGetNextInstruction(phi) == t;
    if (!is_alone || !LLVMIsABranchInst(t) || !LLVMIsConditional(t) || LLVMGetCondition(t) != phi) return NULL;
    return LLVMGetNextUse(LLVMGetFirstUse(phi)) ? NULL : phi;
}

static int n_ways(LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    int n = 0;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) n += LLVMGetSuccessor(t, i) == to;
    return n;
}

/* Out brings along on the new way what it would have on the way through bb, where nothing is computed. */
static void lead_out(LLVMBasicBlockRef from, LLVMBasicBlockRef bb, LLVMBasicBlockRef out) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        if (LLVMGetSuccessor(t, i) == bb) LLVMSetSuccessor(t, i, out);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(out); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        unsigned i = 0;
        while (LLVMGetIncomingBlock(phi, i) != bb) i++;
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        LLVMAddIncoming(phi, &v, &from, 1);
    }
}

/* The condition without the ways that lead out now. */
static void keep_rest(Cg *cg, LLVMValueRef phi, const bool *gone) {
    LLVMPositionBuilderBefore(cg->b, phi);
    LLVMValueRef rest = LLVMBuildPhi(cg->b, LLVMTypeOf(phi), ""), v = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        if (gone[i]) continue;
        v = LLVMGetIncomingValue(phi, i);
        LLVMAddIncoming(rest, &v, &from, 1);
    }
    bool is_one = LLVMCountIncoming(rest) == 1;
    LLVMReplaceAllUsesWith(phi, is_one ? v : rest);
    LLVMInstructionEraseFromParent(phi);
    if (is_one) LLVMInstructionEraseFromParent(rest);
}

static bool thread(Cg *cg, const SimdRegion *g, const SimdLoop *loop, int block, unsigned way) {
    LLVMBasicBlockRef bb = g->blocks.at[block].bb;
    LLVMValueRef phi = meeting(bb);
    LLVMBasicBlockRef out = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(bb), way);
    int s = value_map_get(g->block_of, out);
    if (!phi || (s >= 0 && (loop->has[s] || g->blocks.at[s].leaves))) return false;
    unsigned n = LLVMCountIncoming(phi), n_gone = 0;
    bool *gone = arena_array(g->arena, bool, n);
    for (unsigned i = 0; i < n; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        bool leads_there = is_bit(LLVMGetIncomingValue(phi, i), way == 0);
        n_gone += gone[i] = leads_there && n_ways(from, bb) == 1 && !n_ways(from, out);
    }
    if (!n_gone || n_gone == n) return false;
    for (unsigned i = 0; i < n; i++)
        if (gone[i]) lead_out(LLVMGetIncomingBlock(phi, i), bb, out);
    keep_rest(cg, phi, gone);
    return true;
}

/* One of them; the region has to be read again. */
static bool thread_one(Cg *cg, const SimdRegion *g) {
    for (int b = 0; b < g->blocks.n; b++) {
        int l = g->blocks.at[b].loop;
        if (l < 0 || g->loops.at[l].header == b || simd_n_succ(g, b) != 2 || !meeting(g->blocks.at[b].bb)) continue;
        for (unsigned way = 0; way < 2; way++)
            if (thread(cg, g, &g->loops.at[l], b, way)) return true;
    }
    return false;
}

bool simd_thread_exits_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false;
    while (simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) && thread_one(cg, &g)) any = true;
    return any;
}
