/* control.c -- if-conversion and predication of a region for a block of items. Nodes of the control-flow graph that all
 * live items reach together keep their branches. What follows a check is part of the node before it, since the same
 * items reach both. A masked node has a mask, to which each edge into the node adds its lanes. After a divergent branch
 * the masked nodes follow one another in topological order up to the post-dominator; a node is skipped if no lane is
 * live. A divergent loop runs until its last lane has left; a lane that leaves keeps the values that are used after the
 * loop. Values that may outlive a skipped node are stored in the frame, and SROA makes registers of them. */
#include "irgen/simd/emit.h"

/* Masks ------------------------------------------------------------------------------------------------------------ */

static LLVMValueRef *masks_new(SimdEmit *e) { return arena_array(e->g->arena, LLVMValueRef, e->n); }
static LLVMTypeRef mask_type(SimdEmit *e) { return simd_type(e, e->cg->i1); }

static LLVMValueRef *slots_new(SimdEmit *e, const char *name) {
    LLVMValueRef *m = masks_new(e);
    for (int k = 0; k < e->n; k++) m[k] = simd_slot_new(e, mask_type(e), name);
    return m;
}

static LLVMValueRef *load_masks(SimdEmit *e, LLVMValueRef *slots) {
    LLVMValueRef *m = masks_new(e);
    for (int k = 0; k < e->n; k++) m[k] = simd_slot_load(e, mask_type(e), slots[k]);
    return m;
}

static void store_masks(SimdEmit *e, LLVMValueRef *slots, LLVMValueRef *m) {
    for (int k = 0; k < e->n; k++) simd_slot_store(e, m ? m[k] : LLVMConstAllOnes(mask_type(e)), slots[k]);
}

static void clear_masks(SimdEmit *e, LLVMValueRef *slots) {
    for (int k = 0; k < e->n; k++) simd_slot_store(e, LLVMConstNull(mask_type(e)), slots[k]);
}

static void add_masks(SimdEmit *e, LLVMValueRef *slots, LLVMValueRef *m) {
    for (int k = 0; k < e->n; k++) {
        LLVMValueRef old = simd_slot_load(e, mask_type(e), slots[k]);
        simd_slot_store(e, m ? LLVMBuildOr(e->b, old, m[k], "") : LLVMConstAllOnes(mask_type(e)), slots[k]);
    }
}

LLVMValueRef simd_any(SimdEmit *e, LLVMValueRef *mask) {
    LLVMValueRef all = mask[0];
    for (int k = 1; k < e->n; k++) all = LLVMBuildOr(e->b, all, mask[k], "");
    LLVMTypeRef t = LLVMTypeOf(all);
    return simd_intrinsic(e, "llvm.vector.reduce.or", &t, 1, &all, 1);
}

/* Places ----------------------------------------------------------------------------------------------------------- */

static SimdNode *node_at(SimdEmit *e, int level, int i) { return &e->g->levels[level].nodes.at[i]; }

static LLVMBasicBlockRef entry_of(SimdEmit *e, int level, int node) {
    return node == END ? e->level_end[level] : e->entry[level][node];
}

static LLVMBasicBlockRef jump_to(SimdEmit *e, int level, LLVMBasicBlockRef to);

/* All that were in the loop leave it together, for `to`. */
static LLVMBasicBlockRef exit_to(SimdEmit *e, int loop, LLVMBasicBlockRef to) {
    SimdRegion *g = e->g;
    if (g->loops.at[loop].divergent) return e->loop_done[loop];
    int outer = g->loops.at[loop].parent + 1, node = simd_node_of(g, outer, g->loops.at[loop].header);
    if (node_at(e, outer, node)->masked) return entry_of(e, outer, node_at(e, outer, node)->next);
    return jump_to(e, outer, to);
}

/* All live lanes of the level go from it to `to` together. */
static LLVMBasicBlockRef jump_to(SimdEmit *e, int level, LLVMBasicBlockRef to) {
    SimdRegion *g = e->g;
    int s = value_map_get(g->block_of, to), loop = g->levels[level].loop;
    if (loop < 0) return s < 0 ? e->level_end[0] : e->entry[0][simd_node_of(g, 0, s)];
    if (s < 0 || !g->loops.at[loop].has[s]) return exit_to(e, loop, to);
    if (s == g->loops.at[loop].header) return e->level_end[level];
    return e->entry[level][simd_node_of(g, level, s)];
}

/* Edges ------------------------------------------------------------------------------------------------------------ */

static LLVMValueRef blend(SimdEmit *e, LLVMValueRef mask, LLVMValueRef v, LLVMValueRef slot) {
    LLVMValueRef old = simd_slot_load(e, LLVMTypeOf(v), slot);
    return LLVMBuildSelect(e->b, mask, v, old, "");
}

/* The lanes that leave a divergent loop keep the values that are used after it. Those that stay are given the values,
 * too, and overwrite them where they leave: the mask before the branch is there already, one of the lanes that leave is
 * not. */
static void keep_values(SimdEmit *e, int loop) {
    SimdRegion *g = e->g;
    for (int i = 0; i < g->values.n; i++) {
        if (g->values.at[i].leaves_loop != loop) continue;
        for (int k = 0; k < e->n; k++) {
            LLVMValueRef slot = simd_out_slot(e, i, k);
            LLVMValueRef v = simd_vector(e, g->values.at[i].v, k / e->shape.vectors, k % e->shape.vectors);
            simd_slot_store(e, e->mask ? blend(e, e->mask[k], v, slot) : v, slot);
        }
    }
}

static LLVMValueRef phi_slot(SimdEmit *e, int i, int k) {
    const SimdValue *value = &e->g->values.at[i];
    if (!e->phi[i][k]) e->phi[i][k] = simd_slot_new(e, simd_copy_type(e, value->rate, LLVMTypeOf(value->v)), "phi");
    return e->phi[i][k];
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* What the edge brings to the phis of block s. */
static void bring(SimdEmit *e, int from, int s, LLVMValueRef *mask, bool partial) {
    SimdRegion *g = e->g;
    if (!simd_comes_alive(g, from, s)) return;
    if (LLVMIsAPHINode(g->values.at[g->blocks.at[s].first].v) && simd_is_plain_header(g, s)) partial = false;
    for (int i = g->blocks.at[s].first; LLVMIsAPHINode(g->values.at[i].v); i++) {
        LaneRate r = g->values.at[i].rate;
        LLVMValueRef v = incoming(g->values.at[i].v, g->blocks.at[from].bb);
        bool one = r.x != LANE_VARYING;
        for (int row = 0; row < (r.y ? e->shape.rows : 1); row++)
            for (int vector = 0; vector < (one ? 1 : e->shape.vectors); vector++) {
                int k = simd_copy_at(e, r, row, vector);
                LLVMValueRef w = one ? simd_scalar(e, v, row, 0) : simd_vector(e, v, row, vector);
                if (!one && partial && mask) w = blend(e, mask[row * e->shape.vectors + vector], w, phi_slot(e, i, k));
                simd_slot_store(e, w, phi_slot(e, i, k));
            }
    }
}

/* The loop of the level that the block is in; -1: none. */
static int left_by(const SimdRegion *g, int from, int level) {
    int outer = g->levels[level].loop;
    for (int l = g->blocks.at[from].loop; l >= 0 && l != outer; l = g->loops.at[l].parent)
        if (g->loops.at[l].parent == outer) return l;
    return -1;
}

/* Where a divergent loop is left for several nodes, the lanes of one of them are those that the other nodes did not
 * get: END, or that one, for which no mask has to be kept up in each round. It is one that lanes leave for at different
 * times. */
static int find_rest(const SimdEmit *e, int loop) {
    const SimdRegion *g = e->g;
    int level = g->loops.at[loop].parent + 1, rest = END, first = END;
    bool several = false;
    for (int b = 0; b < g->blocks.n; b++) {
        if (!g->loops.at[loop].has[b]) continue;
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s >= 0 && (g->loops.at[loop].has[s] || g->blocks.at[s].leaves)) continue;
            int node = s < 0 ? END : simd_node_of(g, level, s);
            if (node == END || !g->levels[level].nodes.at[node].masked) return END;
            several |= first != END && first != node;
            first = node;
            if (g->blocks.at[b].diverges) rest = node;
        }
    }
    return several ? rest : END;
}

static bool is_left_for(const SimdRegion *g, int loop, int level, int node) {
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; g->loops.at[loop].has[b] && i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            bool is_inside = s >= 0 && (g->loops.at[loop].has[s] || g->blocks.at[s].leaves);
            if (s >= 0 && !is_inside && simd_node_of(g, level, s) == node) return true;
        }
    return false;
}

/* At the end of the loop. What came to the other nodes before it is not in `entered`, the lanes that entered it. */
static void come_from_rest(SimdEmit *e, int loop, LLVMValueRef *entered) {
    const SimdRegion *g = e->g;
    int level = g->loops.at[loop].parent + 1, rest = e->rest_of[loop];
    LLVMValueRef *others = masks_new(e);
    for (int n = 0; n < g->levels[level].nodes.n; n++) {
        if (n == rest || !is_left_for(g, loop, level, n)) continue;
        LLVMValueRef *came = load_masks(e, e->came[level][n]);
        for (int k = 0; k < e->n; k++) others[k] = others[k] ? LLVMBuildOr(e->b, others[k], came[k], "") : came[k];
    }
    for (int k = 0; k < e->n; k++) {
        LLVMValueRef mine = LLVMBuildNot(e->b, others[k], "");
        others[k] = entered ? LLVMBuildAnd(e->b, entered[k], mine, "") : mine;
    }
    add_masks(e, e->came[level][rest], others);
}

/* The lanes of `mask` go from block `from` to `to`. partial: others may go elsewhere. */
static void transfer(SimdEmit *e, int from, LLVMBasicBlockRef to, LLVMValueRef *mask, bool partial) {
    SimdRegion *g = e->g;
    int s = value_map_get(g->block_of, to);
    for (int l = g->blocks.at[from].loop; l >= 0 && (s < 0 || !g->loops.at[l].has[s]); l = g->loops.at[l].parent) {
        if (!g->loops.at[l].divergent) continue;
        partial = true;
        keep_values(e, l);
    }
    if (s < 0) return;
    bring(e, from, s, mask, partial);
    int loop = g->blocks.at[s].loop;
    bool is_header = loop >= 0 && g->loops.at[loop].header == s;
    if (is_header && g->loops.at[loop].has[from]) {
        if (g->loops.at[loop].divergent) add_masks(e, e->live_next[loop], mask);
        return;
    }
    int level = (is_header ? g->loops.at[loop].parent : loop) + 1, node = simd_node_of(g, level, s);
    int left = left_by(g, from, level);
    if (left >= 0 && e->rest_of[left] == node) return;
    if (node_at(e, level, node)->masked) add_masks(e, e->came[level][node], mask);
}

/* Blocks ----------------------------------------------------------------------------------------------------------- */

static bool leaves(SimdEmit *e, LLVMBasicBlockRef bb) {
    int s = value_map_get(e->g->block_of, bb);
    return s >= 0 && e->g->blocks.at[s].leaves;
}

/* Of the condition c, for one copy: what a dead lane's condition says, overflow and all, must not come in, so this is a
 * choice and no `and`. */
LLVMValueRef simd_live_where(SimdEmit *e, int copy, LLVMValueRef c) {
    return e->mask ? LLVMBuildSelect(e->b, e->mask[copy], c, LLVMConstNull(LLVMTypeOf(c)), "") : c;
}

/* The lanes of the block at hand that its condition sends one way. */
LLVMValueRef *simd_lanes_where(SimdEmit *e, LLVMValueRef cond, bool holds) {
    LLVMValueRef *m = masks_new(e);
    for (int k = 0; k < e->n; k++) {
        LLVMValueRef c = simd_vector(e, cond, k / e->shape.vectors, k % e->shape.vectors);
        if (!holds) c = LLVMBuildNot(e->b, c, "");
        m[k] = e->mask && c == LLVMConstAllOnes(LLVMTypeOf(c)) ? e->mask[k] : simd_live_where(e, k, c);
    }
    return m;
}

static void run_block(SimdEmit *e, int level, int node);

/* u p v as v p' u; 0: what may not hold for a number between two for which it holds. */
static LLVMIntPredicate swapped(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSLE: return LLVMIntSGE;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    default: return 0;
    }
}

/* Does it hold for every item of the block? Of a place among neighbours, compared with what is the same for all, the
 * first and the last item say it for those between: no look at the lanes. NULL: it takes one. */
static LLVMValueRef holds_for_all(SimdEmit *e, LLVMValueRef cond) {
    SimdRegion *g = e->g;
    int i = value_map_get(g->value_of, cond);
    if (i < 0 || !LLVMIsAICmpInst(cond) || g->values.at[i].block != e->block || e->shape.rows > 1) return NULL;
    LLVMValueRef place = LLVMGetOperand(cond, 0), limit = LLVMGetOperand(cond, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(cond);
    if (simd_rate(g, place, e->block).x == LANE_UNIFORM) {
        place = limit;
        limit = LLVMGetOperand(cond, 0);
        p = swapped(p);
    } else if (p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntEQ || p == LLVMIntNE) {
        return NULL;
    }
    LaneRate r = simd_rate(g, place, e->block);
    if (!p || r.x != LANE_LINEAR || !r.exact || simd_rate(g, limit, e->block).x != LANE_UNIFORM) return NULL;
    LLVMValueRef first = simd_scalar(e, place, 0, 0), end = simd_scalar(e, limit, 0, 0),
                 zero = LLVMConstNull(LLVMTypeOf(end));
    LLVMValueRef by = LLVMConstInt(LLVMTypeOf(first), (uint64_t)r.stride * (uint64_t)(e->n * e->shape.width - 1), true);
    LLVMValueRef all = LLVMBuildICmp(e->b, p, first, end, "");
    all = LLVMBuildAnd(e->b, all, LLVMBuildICmp(e->b, p, LLVMBuildAdd(e->b, first, by, ""), end, ""), "");
    if (p != LLVMIntULT && p != LLVMIntULE) return all;
    return LLVMBuildAnd(e->b, all, LLVMBuildICmp(e->b, LLVMIntSGE, end, zero, ""), "all");
}

/* The way to a block that only this one leads to. */
static void note_all(SimdEmit *e, int level, LLVMBasicBlockRef to, LLVMValueRef all) {
    int s = value_map_get(e->g->block_of, to), n_from = 0;
    for (int b = 0; b < e->g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(e->g, b); i++) n_from += simd_succ(e->g, b, i) == to;
    int node = s < 0 || n_from != 1 ? END : simd_node_of(e->g, level, s);
    if (node != END) e->all_come[level][node] = all;
}

static void follow(SimdEmit *e, int level, int node, LLVMBasicBlockRef to) {
    const SimdNode *n = node_at(e, level, node);
    transfer(e, n->block, to, e->mask, n->masked);
    LLVMBuildBr(e->b, n->masked ? entry_of(e, level, n->next) : jump_to(e, level, to));
}

static void branch(SimdEmit *e, int level, int node) {
    const SimdNode *n = node_at(e, level, node);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(e->g->blocks.at[n->block].bb);
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(t));
    LLVMBasicBlockRef yes = LLVMGetSuccessor(t, 0), no = LLVMIsConditional(t) ? LLVMGetSuccessor(t, 1) : yes;
    if (yes == no) {
        follow(e, level, node, yes);
        return;
    }
    LLVMValueRef cond = LLVMGetCondition(t);
    int taken = e->g->blocks.at[n->block].taken;
    if (taken >= 0) {
        follow(e, level, node, taken ? no : yes);
        return;
    }
    if (leaves(e, yes) || leaves(e, no)) {
        bool fails = leaves(e, yes);
        int rest = e->g->blocks.at[n->block].goes_on;
        simd_check(e, cond, fails, fails ? yes : no);
        if (rest < 0) follow(e, level, node, fails ? no : yes);
        else run_block(e, level, simd_node_of(e->g, level, rest));
        return;
    }
    if (n->masked || e->g->blocks.at[n->block].diverges) {
        if (!n->masked && e->whole && !e->mask && !e->settled) note_all(e, level, yes, holds_for_all(e, cond));
        LLVMValueRef *go = simd_lanes_where(e, cond, true), *stay = simd_lanes_where(e, cond, false);
        transfer(e, n->block, yes, go, true);
        transfer(e, n->block, no, stay, true);
        LLVMBuildBr(e->b, entry_of(e, level, n->next));
        return;
    }
    LLVMBasicBlockRef then = simd_block(e, "then"), otherwise = simd_block(e, "else");
    LLVMBuildCondBr(e->b, simd_scalar(e, cond, 0, 0), then, otherwise);
    LLVMPositionBuilderAtEnd(e->b, then);
    follow(e, level, node, yes);
    LLVMPositionBuilderAtEnd(e->b, otherwise);
    follow(e, level, node, no);
}

static void run_block(SimdEmit *e, int level, int node) {
    SimdRegion *g = e->g;
    const SimdBlock *b = &g->blocks.at[node_at(e, level, node)->block];
    e->block = node_at(e, level, node)->block;
    int i = b->first;
    for (; LLVMIsAPHINode(g->values.at[i].v); i++) {
        LaneRate r = g->values.at[i].rate;
        LLVMTypeRef t = simd_copy_type(e, r, LLVMTypeOf(g->values.at[i].v));
        for (int k = 0; k < simd_copies(e, r); k++) e->copy[i][k] = simd_slot_load(e, t, phi_slot(e, i, k));
        simd_keep(e, i);
    }
    simd_instructions(e, i, b->first + b->n - 1);
    branch(e, level, node);
}

/* Levels ----------------------------------------------------------------------------------------------------------- */

static void run_nodes(SimdEmit *e, int level);

static void clear_level(SimdEmit *e, int level) {
    for (int i = 0; i < e->g->levels[level].nodes.n; i++)
        if (node_at(e, level, i)->masked) clear_masks(e, e->came[level][i]);
}

/* The branch back. Unrolling what runs a few times makes code for nothing, and a block of several rows has enough to do
 * in one round, and its registers are full; but known numbers of iterations are written out, so that an item's arrays
 * may become registers. */
static void branch_back(SimdEmit *e, LLVMValueRef branch) {
    enum { MANY_VECTORS = 8 };
    bool is_large = e->shape.rows > 1 && e->shape.rows * e->shape.vectors >= MANY_VECTORS;
    if (e->rare || is_large) simd_say_of_loop(e->cg, branch, "llvm.loop.unroll.runtime.disable");
}

/* LLVM takes any loop for one of many rounds, and would keep its values in registers at the expense of the loops around
 * it that have many. */
static void say_few_rounds(SimdEmit *e, LLVMValueRef branch) {
    LLVMContextRef ctx = e->cg->ctx;
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(ctx, "branch_weights", 14),
                                  LLVMValueAsMetadata(cg_i32(e->cg, 1)), LLVMValueAsMetadata(cg_i32(e->cg, 1))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "prof", 4),
                    LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, weights, 3)));
}

static void run_loop(SimdEmit *e, int level, int node) {
    int loop = node_at(e, level, node)->loop, inner = loop + 1;
    bool divergent = e->g->loops.at[loop].divergent;
    LLVMValueRef *entered = e->mask;
    if (divergent) store_masks(e, e->live[loop], e->mask);
    else e->level_mask[inner] = e->mask;
    LLVMBuildBr(e->b, e->round[inner]);
    LLVMPositionBuilderAtEnd(e->b, e->round[inner]);
    if (divergent) {
        e->level_mask[inner] = load_masks(e, e->live[loop]);
        clear_masks(e, e->live_next[loop]);
    }
    clear_level(e, inner);
    LLVMBuildBr(e->b, e->entry[inner][0]);
    run_nodes(e, inner);
    LLVMPositionBuilderAtEnd(e->b, e->level_end[inner]);
    if (!divergent) {
        branch_back(e, LLVMBuildBr(e->b, e->round[inner]));
        LLVMPositionBuilderAtEnd(e->b, e->loop_done[loop]);
        LLVMBuildUnreachable(e->b);
        return;
    }
    LLVMValueRef *next = load_masks(e, e->live_next[loop]);
    store_masks(e, e->live[loop], next);
    LLVMValueRef back = LLVMBuildCondBr(e->b, simd_any(e, next), e->round[inner], e->loop_done[loop]);
    branch_back(e, back);
    if (simd_is_of_some_rows(e->g, loop)) say_few_rounds(e, back);
    LLVMPositionBuilderAtEnd(e->b, e->loop_done[loop]);
    if (e->rest_of[loop] != END) come_from_rest(e, loop, entered);
    LLVMBuildBr(e->b, entry_of(e, level, node_at(e, level, node)->next));
}

static LLVMValueRef all_live(SimdEmit *e, LLVMValueRef *mask) {
    LLVMValueRef all = mask[0];
    for (int k = 1; k < e->n; k++) all = LLVMBuildAnd(e->b, all, mask[k], "");
    LLVMTypeRef t = LLVMTypeOf(all);
    return simd_intrinsic(e, "llvm.vector.reduce.and", &t, 1, &all, 1);
}

static LLVMBasicBlockRef run_whole(SimdEmit *e, int level, int node, LLVMValueRef all) {
    LLVMBasicBlockRef whole = simd_block(e, "all"), some = simd_block(e, "some");
    LLVMBuildCondBr(e->b, all, whole, some);
    LLVMPositionBuilderAtEnd(e->b, whole);
    e->mask = NULL;
    run_block(e, level, node);
    return some;
}

static void run_nodes(SimdEmit *e, int level) {
    for (int i = 0; i < e->g->levels[level].nodes.n; i++) {
        const SimdNode *n = node_at(e, level, i);
        LLVMPositionBuilderAtEnd(e->b, e->entry[level][i]);
        if (n->block >= 0 && e->g->blocks.at[n->block].follows) { /* has been run already */
            LLVMBuildBr(e->b, entry_of(e, level, n->next));
            continue;
        }
        bool twice = n->masked && n->loop < 0 && e->whole && simd_gains_without_mask(e, n->block);
        LLVMValueRef all = twice ? e->all_come[level][i] : NULL;
        if (all) LLVMPositionBuilderAtEnd(e->b, run_whole(e, level, i, all));
        LLVMValueRef *mask = n->masked ? load_masks(e, e->came[level][i]) : e->level_mask[level];
        bool skips = n->masked && (n->loop >= 0 || e->g->blocks.at[n->block].guarded);
        skips = skips && !(n->loop < 0 && simd_only_blends(e, n->block));
        if (skips) {
            LLVMBasicBlockRef live = simd_block(e, "live");
            LLVMBuildCondBr(e->b, simd_any(e, mask), live, entry_of(e, level, n->next));
            LLVMPositionBuilderAtEnd(e->b, live);
        }
        if (twice && !all) LLVMPositionBuilderAtEnd(e->b, run_whole(e, level, i, all_live(e, mask)));
        e->mask = mask;
        if (n->loop >= 0) run_loop(e, level, i);
        else run_block(e, level, i);
    }
}

static void forget(SimdEmit *e, LLVMValueRef *slots) {
    for (int k = 0; k < e->n; k++)
        if (slots[k]) LLVMBuildStore(e->b, LLVMGetUndef(LLVMGetAllocatedType(slots[k])), slots[k]);
}

/* Nothing that is kept in the frame comes over from an earlier round, or from another block of items: said at the
 * beginning of each, so that LLVM need not carry it around. */
static void forget_level(SimdEmit *e, int level, LLVMBasicBlockRef start) {
    SimdRegion *g = e->g;
    int loop = g->levels[level].loop;
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(start));
    for (int i = 0; i < g->values.n; i++) {
        int block = g->values.at[i].block, of = g->blocks.at[block].loop;
        bool is_header = of >= 0 && g->loops.at[of].header == block;
        if (of == loop) forget(e, e->slot[i]);
        if ((is_header ? g->loops.at[of].parent : of) == loop) forget(e, e->phi[i]);
        if (level == 0) forget(e, e->out[i]);
    }
}

static LLVMValueRef **per_value(SimdEmit *e) {
    LLVMValueRef **all = arena_array(e->g->arena, LLVMValueRef *, e->g->values.n + 1);
    for (int i = 0; i < e->g->values.n; i++) all[i] = masks_new(e);
    return all;
}

static void prepare(SimdEmit *e) {
    SimdRegion *g = e->g;
    Arena *a = g->arena;
    int n_levels = g->loops.n + 1;
    e->n = e->shape.rows * e->shape.vectors;
    e->copy = per_value(e);
    e->slot = per_value(e);
    e->out = per_value(e);
    e->phi = per_value(e);
    e->entry = arena_array(a, LLVMBasicBlockRef *, n_levels);
    e->came = arena_array(a, LLVMValueRef **, n_levels);
    e->all_come = arena_array(a, LLVMValueRef *, n_levels);
    e->round = arena_array(a, LLVMBasicBlockRef, n_levels);
    e->level_end = arena_array(a, LLVMBasicBlockRef, n_levels);
    e->level_mask = arena_array(a, LLVMValueRef *, n_levels);
    e->loop_done = arena_array(a, LLVMBasicBlockRef, n_levels);
    e->live = arena_array(a, LLVMValueRef *, n_levels);
    e->live_next = arena_array(a, LLVMValueRef *, n_levels);
    e->rest_of = arena_array(a, int, n_levels);
    for (int l = 0; l < n_levels; l++) {
        int n = g->levels[l].nodes.n;
        e->entry[l] = arena_array(a, LLVMBasicBlockRef, n + 1);
        e->came[l] = arena_array(a, LLVMValueRef *, n + 1);
        e->all_come[l] = arena_array(a, LLVMValueRef, n + 1);
        for (int i = 0; i < n; i++) {
            e->entry[l][i] = simd_block(e, "node");
            if (g->levels[l].nodes.at[i].masked) e->came[l][i] = slots_new(e, "came");
        }
        e->level_end[l] = simd_block(e, l ? "round.end" : "items.end");
        if (l == 0) continue;
        e->round[l] = simd_block(e, "round");
        e->loop_done[l - 1] = simd_block(e, "loop.done");
        e->rest_of[l - 1] = g->loops.at[l - 1].divergent ? find_rest(e, l - 1) : END;
        if (!g->loops.at[l - 1].divergent) continue;
        e->live[l - 1] = slots_new(e, "live");
        e->live_next[l - 1] = slots_new(e, "live.next");
    }
    e->privates = arena_array(a, LLVMValueRef, g->privates.n + 1);
    for (int i = 0; i < g->privates.n; i++) {
        LLVMTypeRef t = LLVMGetAllocatedType(g->privates.at[i].alloca_);
        uint64_t bytes = (uint64_t)simd_bytes(g, t) * (uint64_t)(e->n * e->shape.width);
        e->privates[i] = simd_alloca(e, LLVMArrayType2(e->cg->i8, bytes), "own");
        LLVMSetAlignment(e->privates[i], 64);
    }
}

void simd_region_emit(SimdEmit *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *mask) {
    prepare(e);
    e->x = x;
    e->y = y;
    e->level_mask[0] = mask;
    e->whole = !mask;
    clear_level(e, 0);
    LLVMBasicBlockRef start = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, e->entry[0][0]);
    run_nodes(e, 0);
    for (int l = 0; l <= e->g->loops.n; l++) forget_level(e, l, l ? e->round[l] : start);
    LLVMPositionBuilderAtEnd(e->b, e->level_end[0]);
}
