/* unroll.c -- full unrolling of short loops of an item. Where its accesses are interleaved, as of `for c in 0..3 {
 * d[i, j, c] = ...; }`, those of all iterations are then contiguous, and parts.c makes whole vectors of them.
 * Where its counter shifts an index that is clamped or wraps around, `for k in 0..3 { s += x[(i + k) % n]; }`,
 * each index is then one of the item's alone, which index-set splitting (ends.c) can test. A loop that is small as
 * well, as one over the offsets of a stencil's neighbours, is unrolled whatever it does: an item without loops has
 * rows that are aligned, streamed and overlapped, and its offsets are constants. LLVM unrolls such loops as well,
 * but only after vectorisation. Only innermost loops of known trip counts are unrolled here, and of two in one
 * another the inner one first: what they do is then simplified, and blocks that follow one another are one
 * (straight.c). */
#include "irgen/simd/simd.h"

/* SMALL_VALUES: in all iterations, as they are before their counters are constants; SMALL_INSIDE: of a loop in another
 * one. SEARCH_TRIPS: of a loop that items leave early and that gathers: few come to the last iterations, which vector
 * code then executes for all. */
enum {
    MOST_TRIPS = 16,
    FEW_TRIPS = 8,
    SEARCH_TRIPS = 4,
    MOST_FILLING = 768,
    MOST_VALUES = 256,
    SMALL_VALUES = 160,
    SMALL_INSIDE = 400
};

typedef struct Short {
    const SimdRegion *g;
    const SimdLoop *loop;
    bool *has; /* by block: the loop's, and those in which failed checks report its values */
    LLVMBasicBlockRef header, before, first, exit; /* the header's successors: in the loop, outside */
    bool leaves_early;                             /* by `break` or `return`, too */
    int trips;
    bool is_straight;   /* without branches: written as one block, in which parts.c finds all accesses */
    ValueMap *block_at; /* of the loop, to `blocks` */
    ValueMap *value_at; /* to `values`: what stands for it in the iteration that is written */
    Vec(LLVMBasicBlockRef) blocks;
    Vec(LLVMValueRef) values;
} Short;

/* Which loops ------------------------------------------------------------------------------------------------------ */

static bool is_innermost(const SimdRegion *g, int loop) {
    for (int l = 0; l < g->loops.n; l++)
        if (g->loops.at[l].parent == loop) return false;
    return true;
}

static LLVMValueRef coming(LLVMValueRef phi, LLVMBasicBlockRef from, bool same) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if ((LLVMGetIncomingBlock(phi, i) == from) == same) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* for counter in constant..constant, by a constant step: how many iterations; 0: too many, or who knows */
static int known_trips(const Short *s) {
    LLVMValueRef cond = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->header));
    LLVMIntPredicate p = LLVMIsAICmpInst(cond) ? LLVMGetICmpPredicate(cond) : LLVMIntEQ;
    bool goes_on = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(s->header), 0) == s->first; /* where it holds */
    if (p != (goes_on ? LLVMIntSLT : LLVMIntSGT) && p != (goes_on ? LLVMIntULT : LLVMIntUGT)) return 0;
    LLVMValueRef counter = LLVMGetOperand(cond, 0), hi = LLVMGetOperand(cond, 1);
    if (!LLVMIsAPHINode(counter) || LLVMGetInstructionParent(counter) != s->header || !LLVMIsAConstantInt(hi)) return 0;
    LLVMValueRef lo = coming(counter, s->before, true), next = coming(counter, s->before, false);
    int64_t step;
    if (!LLVMIsAConstantInt(lo) || !simd_goes_on_by(s->g, counter, next, &step)) return 0;
    int64_t from = LLVMConstIntGetSExtValue(lo), to = LLVMConstIntGetSExtValue(hi);
    if ((p == LLVMIntULT || p == LLVMIntUGT) && (from < 0 || to < 0)) return 0;
    if (!goes_on && to++ == INT64_MAX) return 0;
    if (step <= 0 || step > MOST_VALUES || to <= from || to - from > MOST_TRIPS * step) return 0;
    if (to > (INT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(counter)))) - step)
        return 0; /* the last step may wrap */
    return (int)((to - from + step - 1) / step);
}

static bool is_gather(const SimdRegion *g, const SimdValue *value) {
    return simd_is_access(value->v) && value->private_of < 0 && simd_address_rate(g, value).x == LANE_VARYING;
}

/* Neighbours' elements are apart, and the iterations fill what is between them. */
static bool is_interleaved(const SimdRegion *g, int loop, const SimdValue *value) {
    if (!simd_is_access(value->v) || value->private_of >= 0 || simd_is_atomic(value->v)) return false;
    LaneRate r = simd_address_rate(g, value);
    int64_t by = simd_pace(g, simd_address(value->v), loop), bytes = simd_bytes(g, simd_element(value->v));
    return r.x == LANE_LINEAR && r.stride > bytes && by >= bytes && by < r.stride;
}

/* An element of the item's own array, one after the other: with constant indices the array is in registers. */
static bool is_own_element(const SimdRegion *g, int loop, const SimdValue *value) {
    return simd_is_access(value->v) && value->private_of >= 0 && simd_pace(g, simd_address(value->v), loop);
}

/* A remainder, a minimum, a maximum or a condition of what the item's index and the counter are added up to. */
static bool shifts_edge(const SimdRegion *g, int loop, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    bool is_check = op == LLVMICmp && simd_check_of(g, value->block) == value->v;
    bool turns = op == LLVMURem || op == LLVMSRem || (op == LLVMICmp && !is_check) || simd_is_extreme(value->v);
    for (int k = 0; k < 2 && turns; k++) {
        LLVMValueRef v = LLVMGetOperand(value->v, (unsigned)k), bound = LLVMGetOperand(value->v, (unsigned)!k);
        bool is_line = simd_rate(g, v, value->block).x == LANE_LINEAR && simd_pace(g, v, loop);
        if (is_line && simd_rate(g, bound, value->block).x == LANE_UNIFORM && !simd_pace(g, bound, loop)) return true;
    }
    return false;
}

/* A phi outside that takes the value only where the loop is left. */
static bool takes_at_exit(const Short *s, LLVMValueRef user, LLVMValueRef v) {
    for (unsigned i = 0; LLVMIsAPHINode(user) && i < LLVMCountIncoming(user); i++) {
        int from = value_map_get(s->g->block_of, LLVMGetIncomingBlock(user, i));
        if (LLVMGetIncomingValue(user, i) == v && (from < 0 || !s->loop->has[from])) return false;
    }
    return LLVMIsAPHINode(user);
}

/* Outside the loop, only phis at its exits may use what it computes; what its header computes may be used anywhere, if
 * the header is the only exit. */
static bool keeps_to_itself(const Short *s, const SimdValue *value) {
    const SimdRegion *g = s->g;
    for (LLVMUseRef u = LLVMGetFirstUse(value->v); u; u = LLVMGetNextUse(u)) {
        int user = value_map_get(g->value_of, LLVMGetUser(u));
        if (user >= 0 && s->has[g->values.at[user].block]) continue;
        if (user >= 0 && takes_at_exit(s, LLVMGetUser(u), value->v)) continue;
        bool is_last = g->blocks.at[value->block].bb == s->header && !s->leaves_early;
        if (user < 0 || g->blocks.at[g->values.at[user].block].leaves || !is_last) return false;
    }
    return true;
}

static bool reads_loop(const Short *s, int block) {
    const SimdRegion *g = s->g;
    for (int i = g->blocks.at[block].first; i < g->blocks.at[block].first + g->blocks.at[block].n; i++)
        for (int k = 0; k < LLVMGetNumOperands(g->values.at[i].v); k++) {
            int from = value_map_get(g->value_of, LLVMGetOperand(g->values.at[i].v, (unsigned)k));
            if (from >= 0 && s->has[g->values.at[from].block]) return true;
        }
    return false;
}

/* Only failed checks of the loop lead there, with values of it, and no phi would need more. */
static bool leaves_loop(const Short *s, int block) {
    const SimdRegion *g = s->g;
    if (!g->blocks.at[block].leaves || !reads_loop(s, block)) return false;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++)
            if (simd_succ(g, b, i) == g->blocks.at[block].bb && !s->has[b]) return false;
    for (int i = 0; i < simd_n_succ(g, block); i++)
        if (LLVMIsAPHINode(LLVMGetFirstInstruction(simd_succ(g, block, i)))) return false;
    return !LLVMIsAPHINode(LLVMGetFirstInstruction(g->blocks.at[block].bb));
}

static void find_blocks(Short *s) {
    const SimdRegion *g = s->g;
    s->has = arena_array(g->arena, bool, g->blocks.n);
    for (int b = 0; b < g->blocks.n; b++) s->has[b] = s->loop->has[b];
    for (bool found = true; found;) {
        found = false;
        for (int b = 0; b < g->blocks.n; b++)
            if (!s->has[b] && leaves_loop(s, b)) s->has[b] = found = true;
    }
}

/* One edge in, one back, and one out, from the header; early exits, by `break` or `return`, and the ways out of failed
 * checks. */
static bool find_edges(Short *s) {
    const SimdRegion *g = s->g;
    int n_in = 0, n_back = 0;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            LLVMBasicBlockRef bb = simd_succ(g, b, i);
            int to = value_map_get(g->block_of, bb);
            if (bb == s->header && s->loop->has[b]) n_back++;
            if (bb == s->header && !s->loop->has[b]) {
                s->before = g->blocks.at[b].bb;
                n_in++;
            }
            if (!s->loop->has[b] || (to >= 0 && s->loop->has[to])) continue;
            if (to >= 0 && g->blocks.at[to].leaves) continue;
            if (to < 0) return false;
            if (g->blocks.at[b].bb == s->header) s->exit = bb;
            else s->leaves_early = true;
        }
    s->is_straight = true;
    for (int b = 0; b < g->blocks.n; b++)
        if (s->loop->has[b] && g->blocks.at[b].bb != s->header && simd_n_succ(g, b) != 1) s->is_straight = false;
    LLVMValueRef leave = LLVMGetBasicBlockTerminator(s->header);
    if (n_in != 1 || n_back != 1 || !s->exit || LLVMGetNumSuccessors(leave) != 2) return false;
    s->first = LLVMGetSuccessor(leave, LLVMGetSuccessor(leave, 0) == s->exit);
    return s->first != s->exit;
}

/* Loops around it, all short, of which one fills what is between neighbours: then they are unrolled as well, after it.
 * Their trip counts, multiplied; 0: there is none. */
static int trips_around(const Short *s, int loop) {
    const SimdRegion *g = s->g;
    int trips = 1;
    for (int l = g->loops.at[loop].parent; l >= 0; l = g->loops.at[l].parent) {
        Short around = {.g = g, .loop = &g->loops.at[l], .header = g->blocks.at[g->loops.at[l].header].bb};
        if (!find_edges(&around)) return 0;
        int n = known_trips(&around);
        if (!n) return 0;
        trips *= n;
        for (int i = 0; i < g->values.n; i++)
            if (around.loop->has[g->values.at[i].block] && is_interleaved(g, l, &g->values.at[i])) return trips;
    }
    return 0;
}

/* again: other loops have been unrolled and simplified; those that only are small now and in no other loop would leave
 * blocks no rows.
 * open: the uses outside do not matter */
static bool is_wanted(Short *s, int loop, bool again, bool open) {
    const SimdRegion *g = s->g;
    int n = 0;
    bool fills = false, shifts = false, calls = false, gathers = false;
    if (!is_innermost(g, loop) || !find_edges(s)) return false;
    find_blocks(s);
    s->trips = known_trips(s);
    for (int i = 0; i < g->values.n && s->trips; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!s->loop->has[value->block]) continue;
        if (!open && !keeps_to_itself(s, value)) return false;
        fills |= is_interleaved(g, loop, value) || is_own_element(g, loop, value);
        shifts |= shifts_edge(g, loop, value);
        gathers |= is_gather(g, value);
        calls |= LLVMIsACallInst(value->v) &&
                 !simd_is_pure_call(value->v); /* of a prefetch (ahead.c), or large when inlined */
        n++;
    }
    if (gathers && s->leaves_early && s->trips > SEARCH_TRIPS) return false;
    int around = s->trips && !fills ? trips_around(s, loop) : 0;
    if (around && n * s->trips * around <= MOST_FILLING) return true;
    bool is_outermost = g->loops.at[loop].parent < 0;
    if (!s->trips || (!fills && ((again && is_outermost) || s->trips > FEW_TRIPS))) return false;
    return n * s->trips <= (fills          ? MOST_FILLING
                            : shifts       ? MOST_VALUES
                            : calls        ? 0
                            : is_outermost ? SMALL_VALUES
                                           : SMALL_INSIDE);
}

/* Writing it out --------------------------------------------------------------------------------------------------- */

static void stand_for(Short *s, LLVMValueRef v, LLVMValueRef by) {
    value_map_put(s->value_at, v, s->values.n);
    vec_push(s->g->arena, &s->values, by);
}

static LLVMValueRef now(const Short *s, LLVMValueRef v) {
    int i = value_map_get(s->value_at, v);
    return i < 0 ? v : s->values.at[i];
}

static LLVMBasicBlockRef block_now(const Short *s, LLVMBasicBlockRef bb) {
    int i = value_map_get(s->block_at, bb);
    return i < 0 ? bb : s->blocks.at[i];
}

static LLVMBasicBlockRef new_block(const Short *s) {
    return LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(s->g->x)), s->g->fn, "unrolled");
}

static void write_phi(Short *s, LLVMBuilderRef b, LLVMValueRef phi) {
    LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = now(s, LLVMGetIncomingValue(phi, i));
        LLVMBasicBlockRef from = block_now(s, LLVMGetIncomingBlock(phi, i));
        LLVMAddIncoming(made, &v, &from, 1);
    }
    stand_for(s, phi, made);
}

/* Adds what an early exit gives the phis where it leads. */
static void leave(const Short *s, LLVMBuilderRef b, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMBasicBlockRef at = LLVMGetInsertBlock(b);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(to); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef v = now(s, coming(phi, from, true));
        LLVMAddIncoming(phi, &v, &at, 1);
    }
}

/* The phis without what comes from the loop as it was. */
static void forget_loop(const Short *s, LLVMBuilderRef b, LLVMBasicBlockRef at) {
    for (int i = 0; i < s->g->blocks.n; i++)
        if (s->has[i]) simd_replace_incoming(b, at, s->g->blocks.at[i].bb, NULL);
}

static void write_branch(const Short *s, LLVMBuilderRef b, LLVMValueRef branch, LLVMBasicBlockRef next) {
    LLVMValueRef c = LLVMInstructionClone(branch);
    LLVMInsertIntoBuilder(b, c);
    if (LLVMIsABranchInst(c) && LLVMIsConditional(c)) LLVMSetCondition(c, now(s, LLVMGetCondition(branch)));
    for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(branch, i);
        LLVMSetSuccessor(c, i, to == s->header ? next : block_now(s, to));
        if (to != s->header && value_map_get(s->block_at, to) < 0) leave(s, b, LLVMGetInstructionParent(branch), to);
    }
}

/* Without the branch of the header, whose answer is known. */
static void write_block(Short *s, LLVMBuilderRef b, LLVMBasicBlockRef bb, LLVMBasicBlockRef next) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAPHINode(v)) {
            if (bb != s->header && s->is_straight) stand_for(s, v, now(s, LLVMGetIncomingValue(v, 0)));
            else if (bb != s->header) write_phi(s, b, v);
            continue;
        }
        if (LLVMIsATerminatorInst(v)) {
            if (bb != s->header && !s->is_straight) write_branch(s, b, v, next);
            continue;
        }
        LLVMValueRef c = LLVMInstructionClone(v);
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            LLVMSetOperand(c, (unsigned)i, now(s, LLVMGetOperand(v, (unsigned)i)));
        LLVMInsertIntoBuilder(b, c);
        stand_for(s, v, c);
    }
}

/* What the header begins the next iteration with: all at once, for one phi may be what another goes on with. */
static void step(Short *s, bool first) {
    int n = 0;
    LLVMValueRef *begin = arena_array(s->g->arena, LLVMValueRef, MOST_VALUES);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(s->header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        begin[n++] = first ? coming(phi, s->before, true) : now(s, coming(phi, s->before, false));
    n = 0;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(s->header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        stand_for(s, phi, begin[n++]);
}

static void write_iteration(Short *s, LLVMBuilderRef b, LLVMBasicBlockRef at, LLVMBasicBlockRef next) {
    const SimdRegion *g = s->g;
    s->blocks.n = 0;
    for (int i = 0; i < g->blocks.n; i++) {
        if (!s->has[i]) continue;
        value_map_put(s->block_at, g->blocks.at[i].bb, s->blocks.n);
        bool begins = g->blocks.at[i].bb == s->header || s->is_straight;
        vec_push(g->arena, &s->blocks, begins ? at : new_block(s));
    }
    for (int i = 0; i < g->blocks.n; i++) {
        if (!s->has[i]) continue;
        LLVMPositionBuilderAtEnd(b, block_now(s, g->blocks.at[i].bb));
        write_block(s, b, g->blocks.at[i].bb, next);
        if (g->blocks.at[i].bb != s->header || s->is_straight) continue;
        LLVMBuildBr(b, block_now(s, s->first));
    }
}

static void take_away(Short *s, LLVMBuilderRef b) {
    const SimdRegion *g = s->g;
    for (int i = 0; i < g->blocks.n; i++)
        for (LLVMValueRef v; s->has[i] && (v = LLVMGetLastInstruction(g->blocks.at[i].bb));) {
            if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
            LLVMInstructionEraseFromParent(v);
        }
    for (int i = 0; i < g->blocks.n; i++) {
        if (!s->has[i]) continue;
        LLVMPositionBuilderAtEnd(b, g->blocks.at[i].bb);
        LLVMBuildUnreachable(b); /* with it goes what -g left behind */
        LLVMDeleteBasicBlock(g->blocks.at[i].bb);
    }
}

static bool is_exit(const Short *s, int block) {
    const SimdRegion *g = s->g;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; s->loop->has[b] && i < simd_n_succ(g, b); i++)
            if (simd_succ(g, b, i) == g->blocks.at[block].bb) return true;
    return false;
}

static void unroll(Cg *cg, Short *s) {
    s->block_at = value_map_new(s->g->arena, 16);
    s->value_at = value_map_new(s->g->arena, 64);
    LLVMBasicBlockRef at = new_block(s);
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(s->before);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(enter); i++)
        if (LLVMGetSuccessor(enter, i) == s->header) LLVMSetSuccessor(enter, i, at);
    for (int i = 0; i < s->trips; i++) {
        LLVMBasicBlockRef next = s->is_straight ? at : new_block(s);
        step(s, i == 0);
        write_iteration(s, cg->b, at, next);
        at = next;
    }
    step(s, false);
    LLVMPositionBuilderAtEnd(cg->b, at);
    write_block(s, cg->b, s->header, NULL);
    LLVMBuildBr(cg->b, s->exit);
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->header); v; v = LLVMGetNextInstruction(v))
        if (value_map_get(s->value_at, v) >= 0) LLVMReplaceAllUsesWith(v, now(s, v));
    simd_replace_incoming(cg->b, s->exit, s->header, at);
    for (int i = 0; i < s->g->blocks.n; i++)
        if (!s->has[i] && is_exit(s, i)) forget_loop(s, cg->b, s->g->blocks.at[i].bb);
    take_away(s, cg->b);
}

static bool unroll_one(Cg *cg, SimdRegion *g, bool again) {
    simd_rates(g, false);
    for (int l = 0; l < g->loops.n; l++) {
        Short s = {.g = g, .loop = &g->loops.at[l], .header = g->blocks.at[g->loops.at[l].header].bb};
        if (!is_wanted(&s, l, again, false)) continue;
        unroll(cg, &s);
        return true;
    }
    return false;
}

static bool unroll_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch, bool again) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false;
    while (simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) && simd_privates(&g) &&
           unroll_one(cg, &g, again))
        any = true;
    return any;
}

bool simd_leaves_short_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return false;
    if (!simd_privates(&g)) return false;
    simd_rates(&g, false);
    for (int l = 0; l < g.loops.n; l++) {
        Short s = {.g = &g, .loop = &g.loops.at[l], .header = g.blocks.at[g.loops.at[l].header].bb};
        if (is_wanted(&s, l, false, true) && s.leaves_early) return true;
    }
    return false;
}

bool simd_unroll_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    return unroll_in(cg, fn, latch, outer_latch, false);
}

bool simd_unroll_again_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    return unroll_in(cg, fn, latch, outer_latch, true);
}
