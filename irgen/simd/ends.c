/* ends.c -- index-set splitting: conditions that compare places with bounds, as those of `at` and of what is different
 * at the edges of an array; indices that are clamped there, `max(j - 1, 0)`, and that wrap around, `(j + 1) % n`, also
 * if it is `(j + 1) & 255`. Nearly all blocks of items lie inside, where each item has the same answer. What grows
 * evenly from item to item has it for all if it has it for the first and the last one, which is looked at in scalar
 * registers. So a block is written twice: once settled, with the answers as constants, without a mask for them, its
 * rates those of blocks inside (a clamped index is linear there); and once, for blocks at edges, item after item's
 * vector. */
#include "irgen/simd/simd.h"

enum {
    FAR = 12,
    SHORT_PERIOD = 64, /* of so many items hardly a block of several vectors lies in one; */
    SHORT_BLOCKS = 1,  /* or so many vectors: then each has an edge; */
    SHORT_MASKED = 3   /* with mask registers, where edges are written for few */
};

/* Which conditions ------------------------------------------------------------------------------------------------- */

/* Is v computed from the item's indices and one counter, times a constant? Then all its values in the rounds of the
 * loop lie between those in the first and the last one. A clamp that is settled is what it clamps. */
typedef struct Counting {
    LLVMValueRef counter; /* NULL: of no counter */
    bool may_wrap;        /* does_not_wrap_in_rounds asks */
} Counting;

static bool counts_evenly(const SimdRegion *g, LLVMValueRef v, bool widened, Counting *c, int depth) {
    enum { MOST_FACTOR = 1 << 20 };
    if (!(simd_slice(g, v) & SLICE_COUNTER)) return simd_is_placed(g, v);
    if (LLVMIsAPHINode(v)) {
        bool is_other = c->counter && c->counter != v;
        c->counter = v;
        return !is_other;
    }
    if (depth > FAR) return false;
    const SimdValue *value = &g->values.at[value_map_get(g->value_of, v)];
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    if (simd_is_extreme(v) && value->at_ends)
        return counts_evenly(g, value->at_ends == 1 ? a : b, widened, c, depth + 1);
    if (op == LLVMSExt || op == LLVMZExt) return counts_evenly(g, a, true, c, depth + 1);
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul) return false; /* what else there is has other values between */
    if (!LLVMGetNSW(v)) c->may_wrap = true;
    if (widened && !LLVMGetNSW(v)) return false;
    if (op != LLVMMul) return counts_evenly(g, a, widened, c, depth + 1) && counts_evenly(g, b, widened, c, depth + 1);
    int64_t by = LLVMIsAConstantInt(b) ? LLVMConstIntGetSExtValue(b) : MOST_FACTOR;
    return by > -MOST_FACTOR && by < MOST_FACTOR && counts_evenly(g, a, widened, c, depth + 1);
}

static bool has_places(const SimdRegion *g, LLVMValueRef v) {
    Counting c = {0};
    return counts_evenly(g, v, false, &c, 0);
}

static bool is_in_rounds(const SimdRegion *g, LLVMValueRef v) { return (simd_slice(g, v) & SLICE_COUNTER) != 0; }

/* Within a block it goes on evenly; where it might come round the end of its type, that is asked (does_not_wrap). */
static bool is_line(const SimdRegion *g, LLVMValueRef v, int block) {
    enum { BITS = 32, MOST = 1 << 20 };
    LaneRate r = simd_rate(g, v, block);
    if (r.x != LANE_LINEAR || !has_places(g, v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    return r.exact || (bits >= BITS && bits <= 2 * BITS && r.stride < MOST && r.stride > -MOST);
}

static bool grows_evenly(const SimdRegion *g, LLVMValueRef v, int block) {
    return (simd_rate(g, v, block).x == LANE_UNIFORM && has_places(g, v)) || is_line(g, v, block);
}

/* Next to no block has items that are all at one place. */
static bool is_seldom(LLVMValueRef cmp, bool want) {
    return LLVMGetICmpPredicate(cmp) == (want ? LLVMIntEQ : LLVMIntNE);
}

/* One side moves, or both by the same stride, as the ends of a block of an array do. */
static bool is_edge(const SimdRegion *g, const SimdValue *value) {
    if (LLVMGetInstructionOpcode(value->v) != LLVMICmp || !simd_is_placed_in_rounds(g, value->v)) return false;
    if (is_in_rounds(g, value->v) && (is_seldom(value->v, true) || is_seldom(value->v, false))) return false;
    LLVMValueRef a = LLVMGetOperand(value->v, 0), b = LLVMGetOperand(value->v, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMIntegerTypeKind) return false;
    LaneRate of_a = simd_rate(g, a, value->block), of_b = simd_rate(g, b, value->block);
    bool moves_as_one = of_a.x == LANE_UNIFORM || of_b.x == LANE_UNIFORM || of_a.stride == of_b.stride;
    return moves_as_one && grows_evenly(g, a, value->block) && grows_evenly(g, b, value->block);
}

static bool is_constant(LLVMValueRef v, bool is) {
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == (is ? 1 : 0);
}

/* Does the condition come out as wanted if comparisons that are edges do? They are marked with what is wanted of them.
 */
static bool settle(SimdRegion *g, LLVMValueRef cond, bool want, int depth) {
    int i = value_map_get(g->value_of, cond);
    if (i < 0 || depth > FAR) return false;
    SimdValue *value = &g->values.at[i];
    if (is_edge(g, value)) {
        int ends = want ? 1 : -1;
        if (is_seldom(value->v, want)) return false;
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
static int work_from(const SimdRegion *g, const SimdLevel *level, int from, int ipdom) {
    enum { ROUNDS = 8 };
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
    int yes = value_map_get(g->block_of, simd_succ(g, block, 0)),
        no = value_map_get(g->block_of, simd_succ(g, block, 1));
    int l = g->blocks.at[block].loop + 1, ipdom = g->levels[l].nodes.at[simd_node_of(g, l, block)].ipdom;
    int work_yes = yes < 0 ? 0 : work_from(g, &g->levels[l], simd_node_of(g, l, yes), ipdom);
    int work_no = no < 0 ? 0 : work_from(g, &g->levels[l], simd_node_of(g, l, no), ipdom);
    return work_yes >= work_no;
}

/* does_not_wrap */
static void ask_to_wrap(SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        for (unsigned k = 0; g->values.at[i].at_ends && k < 2; k++) {
            int of = value_map_get(g->value_of, LLVMGetOperand(g->values.at[i].v, k));
            if (of >= 0) g->values.at[of].asked_to_wrap = true;
        }
}

/* Does the branch go on in the same loop either way? */
static bool stays_in_loop(const SimdRegion *g, int block) {
    int loop = g->blocks.at[block].loop;
    for (int i = 0; loop >= 0 && i < simd_n_succ(g, block); i++) {
        int to = value_map_get(g->block_of, simd_succ(g, block, i));
        if (to < 0 || !g->loops.at[loop].has[to] || to == g->loops.at[loop].header) return false;
    }
    return true;
}

/* Loops that items leave apart, and branches on what they read, keep their masks. */
static bool settle_branches(SimdRegion *g) {
    bool changed = false;
    int *was = arena_array(g->arena, int, g->values.n + 1);
    for (int b = 0; b < g->blocks.n; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        if (block->leaves || !block->diverges || !stays_in_loop(g, b)) continue;
        LLVMValueRef cond = LLVMGetCondition(LLVMGetBasicBlockTerminator(block->bb));
        bool want = expects_yes(g, b);
        if (LLVMIsAICmpInst(cond) && is_seldom(cond, want)) want = !want;
        for (int i = 0; i < g->values.n; i++) was[i] = g->values.at[i].at_ends;
        bool settles = settle(g, cond, want, 0);
        for (int i = 0; i < g->values.n; i++) {
            if (!settles) g->values.at[i].at_ends = was[i];
            changed |= g->values.at[i].at_ends != was[i];
        }
        ask_to_wrap(g);
    }
    return changed;
}

/* Values that settle ----------------------------------------------------------------------------------------------- */

/* Of a loop that begins and ends at places that are clamped to an array, as one along a block of it or through the
 * window around an item, all items inside make as many rounds. */
static bool is_bound(const SimdRegion *g, const SimdValue *user) {
    int loop = g->blocks.at[user->block].loop;
    bool at_head = loop >= 0 && g->loops.at[loop].header == user->block;
    return at_head && (LLVMIsAPHINode(user->v) || LLVMIsAICmpInst(user->v));
}

static bool is_place(const SimdRegion *g, LLVMValueRef v, int depth) {
    enum { NEAR = 8 };
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && depth < NEAR; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int i = value_map_get(g->value_of, user);
        if (i < 0) continue;
        if (LLVMIsAGetElementPtrInst(user) || is_bound(g, &g->values.at[i])) return true;
        bool leads = simd_is_plain(user) || LLVMIsASelectInst(user) || LLVMIsAPHINode(user) || simd_is_extreme(user);
        if (leads && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind && is_place(g, user, depth + 1))
            return true;
    }
    return false;
}

static bool is_same_for_all(const SimdRegion *g, LLVMValueRef v, int block) {
    return simd_rate(g, v, block).x == LANE_UNIFORM && has_places(g, v);
}

/* What is chosen between a place that moves along and one that does not is, inside, the one that moves. */
static bool settle_select(SimdRegion *g, const SimdValue *value) {
    LLVMValueRef cond = LLVMGetOperand(value->v, 0), a = LLVMGetOperand(value->v, 1), b = LLVMGetOperand(value->v, 2);
    int c = value_map_get(g->value_of, cond);
    if (c < 0 || g->values.at[c].at_ends || !LLVMIsAICmpInst(cond) || !is_edge(g, &g->values.at[c])) return false;
    bool want = simd_rate(g, a, value->block).x == LANE_LINEAR;
    if (!want && simd_rate(g, b, value->block).x != LANE_LINEAR) return false;
    if (is_seldom(cond, want)) want = !want;
    g->values.at[c].at_ends = want ? 1 : -1;
    return true;
}

/* Of a constant: does nearly each block go around? */
static bool is_short_period(int64_t stride, LLVMValueRef by) {
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    return LLVMConstIntGetZExtValue(by) / SHORT_PERIOD < (step ? step : 1);
}

static bool settle_value(SimdRegion *g, SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    bool is_rest = simd_is_remainder(value->v);
    if (g->blocks.at[value->block].leaves || value->at_ends || value->rate.x != LANE_VARYING) return false;
    if (!is_rest && op != LLVMSelect && !simd_is_extreme(value->v)) return false;
    if (LLVMGetTypeKind(LLVMTypeOf(value->v)) != LLVMIntegerTypeKind || !is_place(g, value->v, 0)) return false;
    if (op == LLVMSelect) return settle_select(g, value);
    LLVMValueRef a = LLVMGetOperand(value->v, 0), b = LLVMGetOperand(value->v, 1);
    if (is_rest) b = simd_divisor(value->v);
    if (is_rest && LLVMIsAConstantInt(b) && is_short_period(simd_rate(g, a, value->block).stride, b)) return false;
    bool a_moves = is_line(g, a, value->block) && is_same_for_all(g, b, value->block);
    bool b_moves = !is_rest && is_line(g, b, value->block) && is_same_for_all(g, a, value->block);
    value->at_ends = a_moves ? 1 : b_moves ? 2 : 0;
    return value->at_ends != 0;
}

LaneRate simd_settled_rate(const SimdRegion *g, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (op == LLVMICmp) {
        bool y = simd_rate(g, LLVMGetOperand(value->v, 0), value->block).y;
        return (LaneRate){LANE_UNIFORM, y || simd_rate(g, LLVMGetOperand(value->v, 1), value->block).y, 0, false};
    }
    bool is_rest = simd_is_remainder(value->v);
    LaneRate r = simd_rate(g, LLVMGetOperand(value->v, is_rest ? 0 : (unsigned)value->at_ends - 1), value->block);
    r.exact = r.x == LANE_LINEAR; /* does_not_wrap */
    return r;
}

void simd_rates_settled(SimdRegion *g, bool settled) {
    g->settled = settled;
    simd_rates(g, g->rows);
}

/* Items that part on what they read do so inside, too: then blocks inside are worth it for their accesses only. */
static bool gains(const SimdRegion *g, int apart) {
    bool parts = false;
    for (int b = 0; b < g->blocks.n; b++) parts |= g->blocks.at[b].diverges;
    return !parts || simd_n_apart(g) < apart;
}

/* One clamp may be the operand of another, or of a condition, so these are looked for until nothing changes. */
bool simd_find_ends(SimdRegion *g) {
    bool any = false;
    int apart = simd_n_apart(g);
    for (int i = 0; i < g->values.n; i++) {
        g->values.at[i].at_ends = 0;
        g->values.at[i].asked_to_wrap = false;
    }
    if (!simd_allows(g, ENDS)) return false;
    for (bool changed = true; changed;) {
        simd_rates_settled(g, true);
        changed = settle_branches(g);
        for (int i = 0; i < g->values.n; i++) changed |= settle_value(g, &g->values.at[i]);
    }
    bool pays = gains(g, apart);
    for (int i = 0; i < g->values.n && !pays; i++) g->values.at[i].at_ends = g->values.at[i].asked_to_wrap = false;
    simd_rates_settled(g, false);
    for (int i = 0; i < g->values.n; i++) any |= g->values.at[i].at_ends != 0;
    return any;
}

/* Where nobody comes ----------------------------------------------------------------------------------------------- */

bool simd_comes_alive(const SimdRegion *g, int from, int to) {
    if (!g->settled) return true;
    int taken = g->blocks.at[from].taken;
    return !g->blocks.at[from].dead && (taken < 0 || simd_succ(g, from, taken) == g->blocks.at[to].bb);
}

static int known_constant(LLVMValueRef v) { return LLVMIsAConstantInt(v) ? (is_constant(v, true) ? 1 : -1) : 0; }

static int known_phi(const SimdRegion *g, LLVMValueRef phi, int block) {
    int all = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, i));
        if (from < 0 || from >= block) return 0; /* around a loop */
        if (!simd_comes_alive(g, from, block)) continue;
        int one = simd_known(g, LLVMGetIncomingValue(phi, i));
        if (!one || (all && one != all)) return 0;
        all = one;
    }
    return all;
}

int simd_known(const SimdRegion *g, LLVMValueRef cond) {
    int i = value_map_get(g->value_of, cond);
    if (!g->settled || i < 0) return known_constant(cond);
    LLVMOpcode op = LLVMGetInstructionOpcode(cond);
    if (op == LLVMICmp) return g->values.at[i].at_ends;
    if (op == LLVMPHI) return known_phi(g, cond, g->values.at[i].block);
    if (op != LLVMXor && op != LLVMAnd && op != LLVMOr && op != LLVMSelect) return 0;
    int a = simd_known(g, LLVMGetOperand(cond, 0)), b = simd_known(g, LLVMGetOperand(cond, 1));
    if (op == LLVMSelect) return a > 0 ? b : a < 0 ? simd_known(g, LLVMGetOperand(cond, 2)) : 0;
    if (op == LLVMXor) return -a * b;
    int decides = op == LLVMAnd ? -1 : 1;
    return a == decides || b == decides ? decides : a && b ? -decides : 0;
}

static bool comes(const SimdRegion *g, int block) {
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++)
            if (simd_succ(g, b, i) == g->blocks.at[block].bb && (b >= block || simd_comes_alive(g, b, block)))
                return true;
    return false;
}

/* In their order, in which a block comes after those that lead to it, but for edges back. */
void simd_find_dead(SimdRegion *g) {
    for (int b = 0; b < g->blocks.n; b++) {
        SimdBlock *block = &g->blocks.at[b];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(block->bb);
        block->dead = g->settled && b && !comes(g, b);
        block->taken = -1;
        bool parts =
            g->settled && !block->leaves && LLVMIsABranchInst(t) && LLVMIsConditional(t) && !simd_check_of(g, b);
        int known = parts && LLVMIsAInstruction(LLVMGetCondition(t)) ? simd_known(g, LLVMGetCondition(t)) : 0;
        if (known) block->taken = known < 0;
    }
}

/* At a block of items ---------------------------------------------------------------------------------------------- */

/* The items of a row from the first to the last; of values in loops, in the first round or the last. */
typedef struct Run {
    LLVMValueRef first, last, y;
    bool late;
} Run;

static LLVMValueRef at(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Run r, bool last) {
    return simd_at_round(g, b, v, last ? r.last : r.first, r.y, r.late);
}

static LLVMValueRef frozen(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Run r, bool last) {
    return LLVMBuildFreeze(b, at(g, b, v, r, last), "");
}

/* An unsigned comparison grows evenly where neither side changes its sign: none is negative. */
static LLVMValueRef no_sign(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef cmp, Run r, bool last) {
    LLVMValueRef all = NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = at(g, b, LLVMGetOperand(cmp, k), r, last);
        v = LLVMBuildICmp(b, LLVMIntSGE, v, LLVMConstNull(LLVMTypeOf(v)), "");
        all = all ? LLVMBuildAnd(b, all, v, "") : v;
    }
    return LLVMBuildFreeze(b, all, "");
}

static bool is_unsigned(LLVMValueRef cmp) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    return p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntUGT || p == LLVMIntUGE;
}

/* Are there so few items that v, in its width, goes on by less than half of its numbers? */
static LLVMValueRef are_few(LLVMBuilderRef b, LLVMValueRef v, int64_t stride, Run r) {
    int64_t room = INT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(v)) - 2), by = stride < 0 ? -stride : stride;
    LLVMValueRef items = LLVMBuildSub(b, r.last, r.first, "");
    LLVMValueRef most = LLVMConstInt(LLVMTypeOf(items), (uint64_t)(room / (by + 1)), false);
    return LLVMBuildICmp(b, LLVMIntULT, items, most, "");
}

/* Then the difference of the first and the last tells which one is greater, unless there is a wrap between them. NULL:
 * there is none. */
static LLVMValueRef does_not_wrap(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Run r) {
    int i = value_map_get(g->value_of, v);
    if (i < 0 || g->values.at[i].rate.x == LANE_UNIFORM ||
        (g->values.at[i].rate.x == LANE_LINEAR && g->values.at[i].rate.exact))
        return NULL;
    LLVMValueRef from = frozen(g, b, v, r, false), to = frozen(g, b, v, r, true);
    LLVMValueRef up = LLVMBuildICmp(b, LLVMIntSGT, LLVMBuildSub(b, to, from, ""), LLVMConstNull(LLVMTypeOf(v)), "");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, up, LLVMBuildICmp(b, LLVMIntSGT, to, from, ""), "");
    return LLVMBuildAnd(b, same, are_few(b, v, g->values.at[i].rate.stride, r), "");
}

/* The same from the first round to the last. NULL: it never does. */
static LLVMValueRef does_not_wrap_in_rounds(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef v, Run r) {
    const int64_t most_rounds = INT64_C(1) << 40;
    Counting c = {0};
    counts_evenly(g, v, false, &c, 0);
    if (!c.counter || !c.may_wrap) return NULL;
    LLVMValueRef all = NULL, zero = LLVMConstNull(LLVMTypeOf(v));
    Run early = r, late = r;
    early.late = false;
    late.late = true;
    for (int k = 0; k < 2; k++) {
        LLVMValueRef from = frozen(g, b, v, early, k), to = frozen(g, b, v, late, k);
        LLVMValueRef up = LLVMBuildICmp(b, LLVMIntSGT, LLVMBuildSub(b, to, from, ""), zero, "");
        LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, up, LLVMBuildICmp(b, LLVMIntSGT, to, from, ""), "");
        all = all ? LLVMBuildAnd(b, all, same, "") : same;
    }
    LLVMValueRef rounds = LLVMBuildSub(b, at(g, b, c.counter, late, false), at(g, b, c.counter, early, false), "");
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(rounds));
    LLVMValueRef most = LLVMConstInt(LLVMTypeOf(rounds), (uint64_t)(bits < 64 ? INT32_MAX >> 1 : most_rounds), false);
    return LLVMBuildAnd(b, all, LLVMBuildFreeze(b, LLVMBuildICmp(b, LLVMIntULT, rounds, most, ""), ""), "");
}

/* What has to hold of one item, of those that are asked, for the answer that is wanted of all. */
static LLVMValueRef holds_at(SimdRegion *g, LLVMBuilderRef b, const SimdValue *value, Run r, bool last) {
    LLVMValueRef v = value->v;
    if (LLVMIsAICmpInst(v)) {
        LLVMValueRef holds = at(g, b, v, r, last);
        return value->at_ends < 0 ? LLVMBuildNot(b, holds, "") : holds;
    }
    bool least = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
    bool is_signed = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.smax.");
    LLVMIntPredicate p = least ? (is_signed ? LLVMIntSLE : LLVMIntULE) : is_signed ? LLVMIntSGE : LLVMIntUGE;
    unsigned moves = (unsigned)value->at_ends - 1;
    return LLVMBuildICmp(b, p, at(g, b, LLVMGetOperand(v, moves), r, last),
                         at(g, b, LLVMGetOperand(v, !moves), r, last), "");
}

/* A place that is none of the block's: all items are on one side of it. The difference has one sign. */
static LLVMValueRef misses(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef cmp, Run r) {
    LLVMValueRef side[2];
    LLVMIntPredicate p[2] = {LLVMIntSLT, LLVMIntSGT};
    for (int k = 0; k < 2; k++) {
        LLVMValueRef ends[2];
        for (int i = 0; i < 2; i++)
            ends[i] = LLVMBuildICmp(b, p[k], at(g, b, LLVMGetOperand(cmp, 0), r, i),
                                    at(g, b, LLVMGetOperand(cmp, 1), r, i), "");
        side[k] = LLVMBuildAnd(b, ends[0], ends[1], "");
    }
    return LLVMBuildOr(b, side[0], side[1], "");
}

/* A remainder that does not begin anew: of no negative numbers, and the last is as far from the first as the numbers
 * are. *times: how often the divisor is in the first. */
static LLVMValueRef goes_straight(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef rem, Run r, LLVMValueRef *times) {
    LLVMTypeRef t = LLVMTypeOf(rem);
    LLVMValueRef zero = LLVMConstNull(t), one = LLVMConstInt(t, 1, false);
    LLVMValueRef from = frozen(g, b, LLVMGetOperand(rem, 0), r, false),
                 to = frozen(g, b, LLVMGetOperand(rem, 0), r, true);
    LLVMValueRef by = simd_takes_low_bits(rem) ? simd_divisor(rem) : frozen(g, b, LLVMGetOperand(rem, 1), r, false);
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntSGT, by, zero, "");
    by = LLVMBuildSelect(b, all, by, one, "");
    all = LLVMBuildAnd(b, all, LLVMBuildICmp(b, LLVMIntSGE, from, zero, ""), "");
    all = LLVMBuildAnd(b, all, LLVMBuildICmp(b, LLVMIntSGE, to, zero, ""), "");
    LLVMValueRef end = LLVMBuildAdd(b, LLVMBuildURem(b, from, by, ""), LLVMBuildSub(b, to, from, ""), "");
    all = LLVMBuildAnd(b, all, LLVMBuildICmp(b, LLVMIntSGE, end, zero, ""), "");
    *times = LLVMBuildUDiv(b, from, by, "");
    return LLVMBuildAnd(b, all, LLVMBuildICmp(b, LLVMIntSLT, end, by, ""), "");
}

/* In the rounds between the first and the last it does not either, if the divisor is in both as often. */
static LLVMValueRef goes_straight_in_rounds(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef rem, Run r) {
    LLVMValueRef times[2], all = goes_straight(g, b, rem, r, &times[0]);
    if (!is_in_rounds(g, rem)) return all;
    r.late = true;
    all = LLVMBuildAnd(b, all, goes_straight(g, b, rem, r, &times[1]), "");
    return LLVMBuildAnd(b, all, LLVMBuildICmp(b, LLVMIntEQ, times[0], times[1], ""), "");
}

/* Of a row of the block, from its first item to its last. */
static LLVMValueRef holds_along(SimdRegion *g, LLVMBuilderRef b, const SimdValue *value, Run r) {
    LLVMValueRef v = value->v, all = NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool moves = value->rate.x == LANE_VARYING,
         equal = op == LLVMICmp && (LLVMGetICmpPredicate(v) == LLVMIntEQ || LLVMGetICmpPredicate(v) == LLVMIntNE);
    if (equal && moves) return misses(g, b, v, r);
    bool without_sign = op == LLVMICmp ? is_unsigned(v) : !simd_is_call_of(v, "llvm.s");
    for (int k = 0; k < (moves ? 2 : 1); k++) {
        LLVMValueRef holds = LLVMBuildFreeze(b, holds_at(g, b, value, r, k), "");
        all = all ? LLVMBuildAnd(b, all, holds, "") : holds;
        if (moves && without_sign) all = LLVMBuildAnd(b, all, no_sign(g, b, v, r, k), "");
    }
    return all;
}

/* In a loop: in its first round and in the last, and so in all between, as has_places says. */
static LLVMValueRef all_hold(SimdRegion *g, LLVMBuilderRef b, const SimdValue *value, Run r) {
    LLVMValueRef v = value->v, all = NULL;
    bool is_rest = simd_is_remainder(v);
    if (is_rest) all = LLVMBuildFreeze(b, goes_straight_in_rounds(g, b, v, r), "");
    for (int k = 0; k < (is_in_rounds(g, v) ? 2 : 1); k++) {
        r.late = k;
        if (!is_rest) {
            LLVMValueRef holds = LLVMBuildFreeze(b, holds_along(g, b, value, r), "");
            all = all ? LLVMBuildAnd(b, all, holds, "") : holds;
        }
        for (unsigned o = 0; o < 2; o++) {
            LLVMValueRef goes_on = does_not_wrap(g, b, LLVMGetOperand(v, o), r);
            if (goes_on) all = LLVMBuildAnd(b, all, goes_on, "");
            LLVMValueRef in_rounds = k ? does_not_wrap_in_rounds(g, b, LLVMGetOperand(v, o), r) : NULL;
            if (in_rounds) all = LLVMBuildAnd(b, all, in_rounds, "");
        }
    }
    return all;
}

static LLVMValueRef yes(const SimdRegion *g) {
    return LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(g->x))), 1, false);
}

/* What an item says that does not come to the comparison is frozen: another one then has the block written as an edge.
 */
LLVMValueRef simd_inside_upto(SimdRegion *g, LLVMBuilderRef b, int rows, LLVMValueRef x, LLVMValueRef last,
                              LLVMValueRef y) {
    LLVMValueRef all = yes(g);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        for (int k = 0; value->at_ends && k < (value->rate.y ? rows : 1); k++) {
            LLVMValueRef row = y ? LLVMBuildNSWAdd(b, y, LLVMConstInt(LLVMTypeOf(x), (unsigned)k, false), "") : NULL;
            all = LLVMBuildAnd(b, all, all_hold(g, b, value, (Run){x, last, row, false}), "");
        }
    }
    return all;
}

bool simd_settles_along(const SimdValue *value) { return value->at_ends && value->rate.x == LANE_VARYING; }

LLVMValueRef simd_inside_along(SimdRegion *g, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef last) {
    LLVMValueRef all = yes(g);
    Run r = {x, last, g->y ? g->y_lo : NULL, false};
    for (int i = 0; i < g->values.n; i++)
        if (simd_settles_along(&g->values.at[i])) all = LLVMBuildAnd(b, all, all_hold(g, b, &g->values.at[i], r), "");
    return all;
}

LLVMValueRef simd_all_inside(SimdRegion *g, LLVMBuilderRef b, SimdShape s, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef items = LLVMConstInt(LLVMTypeOf(x), (unsigned)(s.vectors * s.width - 1), false);
    return simd_inside_upto(g, b, s.rows, x, LLVMBuildNSWAdd(b, x, items, ""), y);
}

/* Only a select, a clamp or a remainder settles, and no branch: next to all items are inside, and those at edges, whose
 * vectors would load lane after lane, are few. */
bool simd_has_thin_edges(const SimdRegion *g) {
    bool any = false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!value->at_ends) continue;
        any = true;
        for (LLVMUseRef u = LLVMIsAICmpInst(value->v) ? LLVMGetFirstUse(value->v) : NULL; u; u = LLVMGetNextUse(u))
            if (!LLVMIsASelectInst(LLVMGetUser(u))) return false;
    }
    return any;
}

static LLVMValueRef period_of(const SimdRegion *g, const SimdValue *value) {
    if (!value->at_ends || !simd_is_remainder(value->v)) return NULL;
    LLVMValueRef by = simd_divisor(value->v);
    if (simd_bounds_row(by, g->x_hi, 0)) return NULL; /* where rows end */
    return LLVMIsAConstantInt(by) || simd_slice(g, by) & ~(unsigned)(SLICE_LAUNCH | SLICE_SELECT) ? NULL : by;
}

bool simd_has_periods(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (period_of(g, &g->values.at[i])) return true;
    return false;
}

LLVMValueRef simd_ask_short_periods(SimdRegion *g, LLVMBuilderRef b, int items) {
    int blocks = g->mask_registers ? SHORT_MASKED : SHORT_BLOCKS;
    LLVMValueRef any = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(g->x))), 0, false);
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef by = period_of(g, &g->values.at[i]);
        if (!by) continue;
        by = LLVMBuildFreeze(b, simd_at(g, b, by, NULL, NULL), "");
        LLVMValueRef most = LLVMConstInt(LLVMTypeOf(by), (unsigned)(blocks * items), false);
        any = LLVMBuildOr(b, any, LLVMBuildICmp(b, LLVMIntULT, by, most, ""), "");
    }
    return any;
}
