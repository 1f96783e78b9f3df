/* ends.c -- conditions that compare places with bounds, as those of `at` and of what is different at the edges of an array.
 * Nearly all blocks of items lie where each of them has the same answer. What grows evenly from item to item has it for
 * all if it has it for the first and the last one, which is looked at in scalar registers; then the block is written
 * with the answers as constants, without a mask, and apart from that item after item's vector for those at edges. */
#include "irgen/simd/simd.h"

enum { FAR = 12 };

/* Which conditions ------------------------------------------------------------------------------------------------------ */

static bool grows_evenly(const SimdRegion *g, LLVMValueRef v, int block) {
    LaneRate r = simd_rate(g, v, block);
    return r.x == LANE_UNIFORM || (r.x == LANE_LINEAR && r.exact);
}

static bool is_edge(const SimdRegion *g, const SimdValue *value) {
    if (LLVMGetInstructionOpcode(value->v) != LLVMICmp || !simd_is_placed(g, value->v)) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(value->v);
    LLVMValueRef a = LLVMGetOperand(value->v, 0), b = LLVMGetOperand(value->v, 1);
    if (p == LLVMIntEQ || p == LLVMIntNE || LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMIntegerTypeKind) return false;
    bool one_moves = simd_rate(g, a, value->block).x == LANE_UNIFORM || simd_rate(g, b, value->block).x == LANE_UNIFORM;
    return one_moves && grows_evenly(g, a, value->block) && grows_evenly(g, b, value->block);
}

static bool is_constant(LLVMValueRef v, bool is) {
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == (is ? 1 : 0);
}

/* Does the condition come out as wanted if comparisons that are edges do? They are marked with what is wanted of them. */
static bool settle(SimdRegion *g, LLVMValueRef cond, bool want, int depth) {
    int i = value_map_get(g->value_of, cond);
    if (i < 0 || depth > FAR) return false;
    SimdValue *value = &g->values.at[i];
    if (is_edge(g, value)) {
        int ends = want ? 1 : -1;
        bool agrees = !value->at_ends || value->at_ends == ends;
        value->at_ends = ends;
        return agrees;
    }
    if (LLVMIsAPHINode(cond)) {
        for (unsigned k = 0; k < LLVMCountIncoming(cond); k++) {
            LLVMValueRef v = LLVMGetIncomingValue(cond, k);
            if (!LLVMIsAConstantInt(v) && !settle(g, v, want, depth + 1)) return false;
        }
        return true; /* its constants come with branches, that are settled themselves */
    }
    LLVMValueRef a = LLVMGetOperand(cond, 0), b = LLVMGetNumOperands(cond) > 1 ? LLVMGetOperand(cond, 1) : NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(cond);
    if (op == LLVMXor && is_constant(b, true)) return settle(g, a, !want, depth + 1);
    if (op == LLVMSelect) {
        LLVMValueRef c = LLVMGetOperand(cond, 2);
        bool is_and = is_constant(c, false), is_or = is_constant(b, true);
        if (want ? !is_and : !is_or) return false;
        return settle(g, a, want, depth + 1) && settle(g, want ? b : c, want, depth + 1);
    }
    if (op != (want ? LLVMAnd : LLVMOr)) return false;
    return settle(g, a, want, depth + 1) && settle(g, b, want, depth + 1);
}

/* What there is to do from a node on until all ways meet again. */
static int work_from(const SimdRegion *g, int from, int ipdom) {
    enum { ROUNDS = 8 };
    const SimdLevel *level = &g->levels[0];
    bool *comes = arena_array(g->arena, bool, level->nodes.n + 1);
    int sum = 0, end = ipdom == END ? level->nodes.n : ipdom;
    for (int i = from; i != END && i < end; i++) {
        const SimdNode *n = &level->nodes.at[i];
        if (i != from && !comes[i]) continue;
        sum += n->block >= 0 ? g->blocks.at[n->block].n : g->loops.at[n->loop].size * ROUNDS;
        for (int k = 0; k < n->n_succ; k++)
            if (n->succ[k] != END) comes[n->succ[k]] = true;
    }
    return sum;
}

/* Most items do what is more: an array has more inside than edges. */
static bool expects_yes(const SimdRegion *g, int block) {
    int yes = value_map_get(g->block_of, simd_succ(g, block, 0)), no = value_map_get(g->block_of, simd_succ(g, block, 1));
    int ipdom = g->levels[0].nodes.at[simd_node_of(g, 0, block)].ipdom;
    int work_yes = yes < 0 ? 0 : work_from(g, simd_node_of(g, 0, yes), ipdom);
    int work_no = no < 0 ? 0 : work_from(g, simd_node_of(g, 0, no), ipdom);
    return work_yes >= work_no;
}

/* Where nothing else parts the items: loops that they leave apart, and what they read, keep their masks. */
bool simd_find_ends(SimdRegion *g) {
    bool any = false, all = simd_allows(g, ENDS);
    for (int i = 0; i < g->values.n; i++) g->values.at[i].at_ends = 0;
    for (int b = 0; b < g->blocks.n && all; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        if (block->leaves || !block->diverges) continue;
        LLVMValueRef t = LLVMGetBasicBlockTerminator(block->bb);
        all = block->loop < 0 && settle(g, LLVMGetCondition(t), expects_yes(g, b), 0);
        any = true;
    }
    for (int i = 0; i < g->values.n && !all; i++) g->values.at[i].at_ends = 0;
    return any && all;
}

/* At a block of items ---------------------------------------------------------------------------------------------------- */

/* An unsigned comparison grows evenly where neither side changes its sign: none is negative. */
static LLVMValueRef no_sign(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef cmp, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef all = NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = simd_at(g, b, LLVMGetOperand(cmp, k), x, y);
        v = LLVMBuildICmp(b, LLVMIntSGE, v, LLVMConstNull(LLVMTypeOf(v)), "");
        all = all ? LLVMBuildAnd(b, all, v, "") : v;
    }
    return LLVMBuildFreeze(b, all, "");
}

static bool is_unsigned(LLVMValueRef cmp) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    return p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntUGT || p == LLVMIntUGE;
}

/* What an item says that does not come to the comparison is frozen: another one then has the block written as an edge. */
LLVMValueRef simd_all_inside(SimdRegion *g, LLVMBuilderRef b, SimdShape s, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x))), 1, false);
    LLVMTypeRef i64 = LLVMTypeOf(x);
    LLVMValueRef last = LLVMBuildNSWAdd(b, x, LLVMConstInt(i64, (unsigned)(s.vectors * s.width - 1), false), "");
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        int rows = value->rate.y ? s.rows : 1, ends = value->rate.x == LANE_VARYING ? 2 : 1;
        for (int k = 0; value->at_ends && k < rows * ends; k++) {
            LLVMValueRef row = y ? LLVMBuildNSWAdd(b, y, LLVMConstInt(i64, (unsigned)(k / ends), false), "") : NULL;
            LLVMValueRef place = k % ends ? last : x;
            LLVMValueRef holds = simd_at(g, b, value->v, place, row);
            if (value->at_ends < 0) holds = LLVMBuildNot(b, holds, "");
            all = LLVMBuildAnd(b, all, LLVMBuildFreeze(b, holds, ""), "");
            if (ends == 2 && is_unsigned(value->v)) all = LLVMBuildAnd(b, all, no_sign(g, b, value->v, place, row), "");
        }
    }
    return all;
}
