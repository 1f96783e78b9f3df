/* level_cost.c -- the cost model: what a level of a nest (its straight part, or the body of a loop) takes, for a block
 * of items and for one item alone. Operations over what the machine starts in a cycle, or the longest chain around the
 * loop, whichever is more; a region without loops waits for its longest way, together with as many blocks, or as much
 * of one, as the machine has in sight. What arithmetic costs is LLVM's to say (passes/cost.cpp). */
#include "irgen/simd/level_cost.h"

#include <math.h>

#include "irgen/lang/marks.h"

enum {
    MAX_DEPTH = 4,
    IN_A_CYCLE = 2, LATENCY = 4, LATENCY_OF_LOAD = 5,
    LANE_ACCESS = 3, LIVE_LANE_ACCESS = 8, PART_ACCESS = 3, BY_LANE = 6, BY_CALL = 6,
    LANE_BESIDE = 2 /* a lane whose address is there already, but for a constant */,
    ROW_ADDRESS = 1 /* of a lane, taken out of a vector */,
    GATHER_LANE = 3 /* at least, of a gather that may be slow; measured: docs/decisions/cost-model.md */,
    PRIVATE_ACCESS = 1 /* a lane of a gather or scatter of memory of the items, in the first cache */,
    PRIVATE_LANE_ACCESS = 5 /* the same by itself: its address is taken out of a vector */,
    BY_LIVE_LANE = 18 /* with a branch, half of which may be missed; measured: docs/decisions/cost-model.md */,
    BY_LANE_PLAIN = 3 /* an update without a lock */,
    DIVIDER_ALONE = 6, LATENCY_OF_DIVISION = 14, /* of an integer; Zen 3 and later, Ice Lake and later */
    LATENCY_OF_DIVISIONS = 30 /* of a vector of them, as floats */,
    LATENCY_OF_GATHER = 25, LATENCY_OF_MASK = 4,
    LATENCY_OF_LANES = 10, LATENCY_OF_LANE = 2 /* of loads lane by lane, for all and for each */,
    LOCKED = 18 /* cycles of an atomic update of memory that other threads reach */,
    REORDERED = 224 /* operations, by the least of the processors with AVX2 and later (Skylake) */,
    END_TESTS = 4 /* of the first and the last item (ends.c) */, MASKS = 3, TEMPORARIES = 2,
    SPILLS = 2, SPILLS_OF_ROWS = 6
};

static bool is_float(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

static const double MISSED_BRANCH = 15; /* cycles */

/* Places and counts are computed beside the vectors, and mostly part of addresses. */
static const double BESIDE = 0.25;

enum {
    FAR_LINE = 4,
    FAR_RUN = 8
}; /* operations for a line that is not in the first cache, and for the first of a run of such lines */

/* Does it fetch lines in each round of its loop that the next round has no use for? */
bool simd_walks_far(const SimdRegion *g, const SimdValue *load) {
    int loop = g->blocks.at[load->block].loop;
    if (loop < 0 || !LLVMIsALoadInst(load->v) || load->private_of >= 0) return false;
    int64_t by = simd_pace(g, LLVMGetOperand(load->v, 0), loop);
    return by >= SIMD_LINE || by <= -SIMD_LINE;
}

/* Lines side by side of an array outside: the machine goes on along them by itself, but not to those of the next round.
 * Where blocks may have rows, several of them walk along, and there is another way to share. */
bool simd_begins_run(const SimdRegion *g, const SimdValue *load) {
    if (g->y || g->blocks.at[load->block].leaves || !simd_walks_far(g, load)) return false;
    return simd_is_beside(g, load) && LLVMIsAArgument(simd_object(simd_address(load->v)));
}

bool level_walks_down(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (simd_begins_run(g, &g->values.at[i])) return true;
    return false;
}

static double lines_cost(const SimdRegion *g, const SimdValue *load, int width) {
    if (!simd_walks_far(g, load)) return 0;
    return (double)(FAR_LINE * width * simd_bytes(g, LLVMTypeOf(load->v))) / SIMD_LINE;
}

/* Arithmetic of places in a loop goes on beside the vectors'. */
static double beside(const SimdRegion *g, const SimdValue *value) {
    bool is_place = g->blocks.at[value->block].loop >= 0 && value->rate.x != LANE_VARYING && value->rate.y;
    return is_place && !is_float(LLVMTypeOf(value->v)) ? BESIDE : 1;
}

void level_find_costs(SimdRegion *g, const SimdTarget *t, int width) {
    LLVMValueRef *at = arena_array(g->arena, LLVMValueRef, g->values.n + 1);
    for (int i = 0; i < g->values.n; i++) at[i] = g->values.at[i].v;
    g->costs = arena_array(g->arena, OperationCost, g->values.n + 1);
    LLVMKdslOperationCosts(t->machine, g->fn, at, g->values.n, width, g->costs);
    for (int i = 0; i < g->values.n; i++) {
        if (simd_divides(at[i])) g->costs[i].vector = simd_division_cost(g, t, at[i], width, g->costs[i].vector);
        if (simd_is_low_half(at[i])) g->costs[i].vector = 1;
    }
}

static double arithmetic_cost(const SimdRegion *g, const SimdValue *value) {
    OperationCost c = g->costs[value - g->values.at];
    double cost = value->rate.x == LANE_VARYING ? c.vector : c.alone;
    return cost < 0 ? 1 : cost;
}

/* Transposed, a load is itself and a step for each doubling. */
static double transposed(int width) {
    double steps = 1;
    for (int n = 1; n < width; n *= 2) steps++;
    return steps;
}

/* One part of a row of which each lane reads its own. */
static double part_of_row_cost(const SimdRegion *g, const SimdValue *value, int width) {
    const SimdParts *p = &g->parts.at[value->parts];
    if (simd_reach(p) >= width) return transposed(width);
    int length = simd_row_length(p, width, simd_bytes(g, simd_element(value->v)));
    double lane = (simd_address_rate(g, value).x == LANE_LINEAR ? 0 : ROW_ADDRESS) + 2 - (double)length / width;
    return (lane * width + length * (transposed(length) - 1)) / p->of.n;
}

/* Cycles of an atomic update, which is inlined; less than 0: another call. */
static double update_cycles(LLVMValueRef call) {
    if (!simd_is_call_of(call, CG_UPDATE)) return -1;
    bool locks = !simd_is_call_of(call, CG_UPDATE CG_READ) && !simd_is_call_of(call, CG_UPDATE CG_WRITE);
    return locks && !simd_updates_alone(call) ? LOCKED : 1;
}

/* One item out of so many executes a block that only some execute; and one of so many branches is missed. */
enum { ONE_OF = 2, ONE_MISSED_OF = 3 };

static double share_of_block(const SimdRegion *g, int block) {
    return g->blocks.at[block].conditional && simd_is_masked(g, block) ? 1.0 / ONE_OF : 1;
}

/* Is it executed in a loop over the lanes that are live? */
static bool is_by_live_lane(const SimdRegion *g, const SimdValue *value) {
    LLVMValueRef v = value->v;
    if (!LLVMIsACallInst(v)) return simd_is_atomic(v) && simd_is_masked(g, value->block);
    return update_cycles(v) >= 0 && simd_may_miss(g, value->block) && !simd_has_vector_update(g, v, value->block);
}

/* What is not made of vectors: once for all lanes, or lane by lane. */
static double call_cost(const SimdRegion *g, LLVMValueRef call, int block, int width) {
    double cycles = update_cycles(call);
    bool masked = simd_may_miss(g, block);
    if (cycles < 0) return masked ? BY_LIVE_LANE : BY_CALL * width; /* few items print */
    if (simd_has_vector_update(g, call, block)) return simd_update_cost(g, call, block);
    return (masked ? BY_LIVE_LANE : cycles > 1 ? BY_LANE : BY_LANE_PLAIN) * width;
}

/* Cycles in which a vector's lanes have that memory for themselves, or those of a block together. */
static void add_locked(const SimdRegion *g, LevelCost *c, const SimdValue *value, int width) {
    if (!LLVMIsACallInst(value->v) || update_cycles(value->v) <= 1) return;
    if (!simd_has_vector_update(g, value->v, value->block))
        c->locked += update_cycles(value->v) * width * share_of_block(g, value->block);
    else if (simd_update_cost(g, value->v, value->block) > 1) c->locked_together += update_cycles(value->v);
}

bool level_is_by_lane(const SimdRegion *g, const SimdValue *value, int width) {
    SimdPeriod period;
    if (value->walks || simd_is_part(g, value, width) || simd_is_beside(g, value)) return false;
    if (simd_address_rate(g, value).x == LANE_UNIFORM || simd_is_table(g, value)) return false;
    return value->private_of >= 0 ||
           (!simd_is_reversed(g, value) && !simd_is_quasi_affine(g, value, width, &period));
}

/* Is a vector of it gathered by one instruction? */
static bool is_gather(const SimdRegion *g, const SimdTarget *t, const SimdValue *value, int width) {
    if (!LLVMIsALoadInst(value->v) || simd_is_atomic(value->v) || !level_is_by_lane(g, value, width)) return false;
    return simd_is_gathered(g, t, value->v) && (value->private_of < 0 || t->mask_registers);
}

/* A vector of it is scattered by an instruction that is not microcode. */
static bool is_scatter(const SimdTarget *t, const SimdValue *value) {
    return LLVMIsAStoreInst(value->v) && t->mask_registers && t->gathers != GATHERS_SLOW;
}

static double operation_cost(const SimdRegion *g, const SimdTarget *t, const SimdValue *value, int width) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (op != LLVMCall && simd_is_of_partial(g, value->v, 0)) return 0;
    if ((op == LLVMZExt || op == LLVMSExt) && simd_is_of_table(g, value->v)) return 0;
    switch (op) {
    case LLVMPHI: case LLVMBr: case LLVMGetElementPtr: case LLVMBitCast: case LLVMFreeze: return 0;
    case LLVMLoad:
    case LLVMStore: {
        bool uniform = simd_address_rate(g, value).x == LANE_UNIFORM, beside = simd_is_beside(g, value);
        bool masked = simd_is_masked(g, value->block);
        LLVMValueRef object = simd_object(simd_address(value->v));
        if (LLVMIsACallInst(object) && !simd_is_group_memory(object)) return 1; /* what is printed */
        if (simd_is_atomic(value->v) && !uniform) return (masked ? BY_LIVE_LANE : BY_LANE) * width;
        if (op == LLVMLoad && beside) return 1 + lines_cost(g, value, width);
        if (op == LLVMLoad && simd_is_table(g, value)) return simd_table_cost(g, value, width);
        if (value->walks) return transposed(width);
        if (simd_is_part(g, value, width))
            return simd_is_of_rows(g, value) ? part_of_row_cost(g, value, width) : PART_ACCESS;
        if (uniform || beside) return 1;
        if (simd_is_reversed(g, value) && value->private_of < 0) return masked ? 3 : 2; /* with the permutations */
        double gather = g->costs[value - g->values.at].vector;
        bool is_one = is_gather(g, t, value, width) && gather >= 0;
        if (value->private_of >= 0 && t->mask_registers && (is_one || is_scatter(t, value)))
            return PRIVATE_ACCESS * width;
        if (value->private_of >= 0 && (t->mask_registers ? op == LLVMLoad : !masked))
            return PRIVATE_LANE_ACCESS * width;
        SimdPeriod period;
        if (simd_is_quasi_affine(g, value, width, &period)) return 2 * period.items - 1; /* with its permutations */
        if (is_one) return gather;
        if (op == LLVMLoad && simd_shares_lanes(g, value)) return LANE_BESIDE * width;
        return (masked && !t->mask_registers ? LIVE_LANE_ACCESS : LANE_ACCESS) * width;
    }
    case LLVMCall:
        if (simd_is_remark(value->v) || simd_is_of_all_rows(value->v)) return 0;
        if (simd_has_vector_form(value->v)) return arithmetic_cost(g, value);
        return call_cost(g, value->v, value->block, width);
    case LLVMSExt: case LLVMZExt: case LLVMTrunc: return value->rate.x == LANE_VARYING ? arithmetic_cost(g, value) : 0;
    case LLVMICmp: {
        bool at_ends = simd_check_of(g, value->block) == value->v && simd_checked_at_ends(g, value->v, value->block);
        return at_ends ? 0 : beside(g, value) * arithmetic_cost(g, value);
    }
    default: return simd_is_sign_of_fused(value->v) ? 0 : beside(g, value) * arithmetic_cost(g, value);
    }
}

/* What a gather or a scatter may take beyond what LLVM says. Other vectors' operations go on meanwhile, so it says
 * nothing about how many of them a block should have; but it does about vectors at all. */
static double beyond_gather(const SimdRegion *g, const SimdTarget *t, const SimdValue *value, double cost, int width) {
    bool gathers = is_gather(g, t, value, width);
    bool scatters = is_scatter(t, value) && simd_address_rate(g, value).x != LANE_UNIFORM;
    if (value->private_of >= 0) return gathers || scatters ? cost : 0;
    double lanes = gathers && t->gathers != GATHERS_FAST && !simd_takes_columns(g, value) ? GATHER_LANE * width : 0;
    return lanes > cost ? lanes - cost : 0;
}

/* Not multiplied, as by a constant. */
static bool is_divided(LLVMValueRef v) { return simd_divides(v) && !LLVMIsConstant(LLVMGetOperand(v, 1)); }

/* Cycles from an operand to the result, of one element as of a vector. */
static double latency(const SimdRegion *g, int i) {
    LLVMValueRef v = g->values.at[i].v;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    double cost = is_divided(v) ? LATENCY_OF_DIVISION : g->costs[i].alone; /* of vectors nearly the same */
    if (op == LLVMGetElementPtr || op == LLVMBr || simd_is_remark(v) || simd_is_sign_of_fused(v)) return 0;
    double cycles = op == LLVMLoad ? LATENCY_OF_LOAD : is_float(LLVMTypeOf(v)) || op == LLVMMul ? LATENCY : 1;
    return cost > cycles ? cost : cycles;
}

/* Cycles until the last lane's element is there. */
static double latency_of_lanes(const SimdRegion *g, const SimdTarget *t, const SimdValue *value, int width) {
    return is_gather(g, t, value, width) ? LATENCY_OF_GATHER : LATENCY_OF_LANES + LATENCY_OF_LANE * width;
}

static const double *latencies(const SimdRegion *g, const SimdTarget *t, int width) {
    double *cycles = arena_array(g->arena, double, g->values.n + 1);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool at_places = simd_is_of_rows(g, value) && simd_address_rate(g, value).x == LANE_VARYING;
        bool by_lane = width > 1 && LLVMIsALoadInst(value->v) && (at_places || level_is_by_lane(g, value, width));
        cycles[i] = by_lane ? latency_of_lanes(g, t, value, width) : latency(g, i);
        if (width > 1 && is_divided(value->v) && cycles[i] < LATENCY_OF_DIVISIONS) cycles[i] = LATENCY_OF_DIVISIONS;
    }
    return cycles;
}

/* Cycles around the loop from its phi: 0 if no value leads back to it. Values are in an order in which operands come
 * first, but for phis of loop headers. cycles_of: each value's latency. */
static double chain_of(const SimdRegion *g, int loop, int phi, const double *cycles_of) {
    double *far = arena_array(g->arena, double, g->values.n + 1), longest = 0;
    bool *reached = arena_array(g->arena, bool, g->values.n + 1);
    reached[phi] = true;
    for (int i = phi + 1; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        int inside = g->blocks.at[value->block].loop;
        bool is_phi = LLVMIsAPHINode(value->v);
        if (!simd_in_loop(g, loop, value->block) || (is_phi && g->loops.at[inside].header == value->block)) continue;
        for (int k = 0, n = is_phi ? (int)LLVMCountIncoming(value->v) : LLVMGetNumOperands(value->v); k < n; k++) {
            LLVMValueRef v = value->v,
                         from = is_phi ? LLVMGetIncomingValue(v, (unsigned)k) : LLVMGetOperand(v, (unsigned)k);
            int o = value_map_get(g->value_of, from);
            if (o < 0 || o >= i || !reached[o]) continue;
            if (far[o] > far[i]) far[i] = far[o];
            reached[i] = true;
        }
        if (reached[i]) far[i] += cycles_of[i];
    }
    LLVMValueRef v = g->values.at[phi].v;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        int o = value_map_get(g->value_of, LLVMGetIncomingValue(v, k));
        if (o >= 0 && reached[o] && far[o] > longest) longest = far[o];
    }
    return longest;
}

static double longest_chain(const SimdRegion *g, int loop, const double *cycles_of) {
    const SimdBlock *header = &g->blocks.at[g->loops.at[loop].header];
    double longest = 0;
    for (int i = header->first; i < header->first + header->n && LLVMIsAPHINode(g->values.at[i].v); i++) {
        double cycles = g->values.at[i].rate.x == LANE_VARYING ? chain_of(g, loop, i, cycles_of) : 0;
        if (cycles > longest) longest = cycles;
    }
    return longest;
}

/* Does a vector of it wait for the mask of its loop? */
static bool takes_mask(const SimdRegion *g, const SimdValue *value) {
    if (!LLVMIsALoadInst(value->v) || value->rate.x != LANE_VARYING) return false;
    return value->private_of < 0 || simd_address_rate(g, value).x == LANE_VARYING;
}

static bool decides_who_leaves(const SimdRegion *g, int loop, const SimdBlock *b) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(b->bb);
    bool leaves = false;
    for (int i = 0; b->diverges && LLVMIsABranchInst(branch) && i < (int)LLVMGetNumSuccessors(branch); i++) {
        int to = value_map_get(g->block_of, LLVMGetSuccessor(branch, (unsigned)i));
        leaves |= to < 0 || !g->loops.at[loop].has[to];
    }
    return leaves;
}

/* One item's branches are predicted; what lanes leave a loop by becomes their mask, which loads of the next iteration
 * wait for. Cycles from those loads to the mask; 0: no such load decides. */
static double mask_chain_of(const SimdRegion *g, int loop) {
    double *far = arena_array(g->arena, double, g->values.n + 1), longest = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!simd_in_loop(g, loop, value->block) || g->blocks.at[value->block].leaves) continue;
        bool is_masked = takes_mask(g, value), gathers = is_masked && !simd_is_beside(g, value);
        for (int k = 0; k < LLVMGetNumOperands(value->v); k++) {
            int o = LLVMIsAPHINode(value->v) ? -1 : value_map_get(g->value_of, LLVMGetOperand(value->v, (unsigned)k));
            if (o >= 0 && o < i && far[o] > far[i]) far[i] = far[o];
        }
        if (is_masked) far[i] += gathers ? LATENCY_OF_GATHER : LATENCY_OF_LOAD + LATENCY_OF_MASK;
        else if (far[i] > 0) far[i] += latency(g, i);
    }
    for (int b = 0; b < g->blocks.n; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        if (!simd_in_loop(g, loop, b) || block->leaves || !decides_who_leaves(g, loop, block)) continue;
        int o = value_map_get(g->value_of, LLVMGetCondition(LLVMGetBasicBlockTerminator(block->bb)));
        if (o >= 0 && far[o] > longest) longest = far[o];
    }
    return longest > 0 ? longest + LATENCY_OF_MASK : 0;
}

static double saved_by_columns(const SimdRegion *g, const SimdValue *value, double cost, int width) {
    double steps = transposed(width);
    return simd_takes_columns(g, value) && cost > steps ? cost - steps : 0;
}

bool level_takes_columns(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (simd_takes_columns(g, &g->values.at[i])) return true;
    return false;
}

/* The longest way through the operations of a region without loops. */
static int longest_way(const SimdRegion *g) {
    int *far = arena_array(g->arena, int, g->values.n + 1), longest = 0;
    for (int i = 0; i < g->values.n && !g->loops.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool counts = value->rate.x == LANE_VARYING && !LLVMIsAPHINode(value->v) && !simd_is_remark(value->v);
        far[i] = 0;
        for (int k = 0; k < LLVMGetNumOperands(value->v); k++) {
            int o = value_map_get(g->value_of, LLVMGetOperand(value->v, (unsigned)k));
            if (o >= 0 && o < i && far[o] > far[i]) far[i] = far[o];
        }
        far[i] += counts;
        if (far[i] > longest) longest = far[i];
    }
    return longest;
}

/* Is it the same in each round? LLVM loads that once before the loop, if the kernel only reads the array. */
static bool is_hoisted(const SimdRegion *g, int loop, const SimdValue *value) {
    if (loop < 0) return false;
    if (simd_is_invariant(g, loop, value->v)) return true;
    if (!LLVMIsALoadInst(value->v)) return false;
    LLVMValueRef object = simd_object(simd_address(value->v));
    bool is_read = simd_is_param(object, "readonly") && simd_is_param(object, "noalias");
    return is_read && simd_is_invariant(g, loop, simd_address(value->v));
}

/* Does the next row of items read it, too, at another place of the loop's body? LLVM loads it once for both. */
static bool is_shared_with_next_row(const SimdRegion *g, const SimdValue *value) {
    enum { MOST = 64 };
    const SimdBlock *b = &g->blocks.at[value->block];
    if (!g->y || !value->rate.y || !LLVMIsALoadInst(value->v) || value->private_of >= 0) return false;
    LLVMValueRef object = simd_object(simd_address(value->v));
    for (int i = b->first, n = 0; i < b->first + b->n && n < MOST; i++) {
        LLVMValueRef other = g->values.at[i].v;
        if (other == value->v || !LLVMIsALoadInst(other) || simd_object(simd_address(other)) != object) continue;
        if (simd_is_in_next_row(g, simd_address(value->v), simd_address(other))) return true;
        n++;
    }
    return false;
}

/* Cycles from the begin of an iteration to each value of the level. cycles_of: each value's latency. */
static const double *latencies_within(const SimdRegion *g, int loop, const double *cycles_of) {
    double *far = arena_array(g->arena, double, g->values.n + 1);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        LLVMValueRef v = value->v;
        if (g->blocks.at[value->block].loop != loop || is_hoisted(g, loop, value)) continue;
        bool is_phi = LLVMIsAPHINode(v);
        for (unsigned k = 0, n = is_phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++) {
            LLVMValueRef from = is_phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k);
            int o = value_map_get(g->value_of, from);
            if (o >= 0 && o < i && far[o] > far[i]) far[i] = far[o];
        }
        if (!is_phi) far[i] += cycles_of[i];
    }
    return far;
}

static double longest_iteration(const SimdRegion *g, int loop, const double *cycles_of) {
    const double *far = latencies_within(g, loop, cycles_of);
    double longest = 0;
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves && far[i] > longest) longest = far[i];
    return longest;
}

static bool is_inner(const SimdRegion *g, int loop) {
    for (int l = 0; l < g->loops.n; l++)
        if (g->loops.at[l].parent == loop) return false;
    return true;
}

static bool is_used_by_rows(const SimdRegion *g, const SimdValue *value) {
    for (LLVMUseRef u = LLVMGetFirstUse(value->v); u; u = LLVMGetNextUse(u)) {
        int user = value_map_get(g->value_of, LLVMGetUser(u));
        if (user >= 0 && g->values.at[user].rate.y && g->values.at[user].block == value->block) return true;
    }
    return false;
}

/* Vectors made before a loop and used in it stay in registers, as what its phis carry does; and a column's that are
 * made in it do until the last row has used them. */
static void add_held(const SimdRegion *g, LevelCost *c, int loop, int i) {
    const SimdValue *value = &g->values.at[i];
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value->v));
    if (value->rate.x != LANE_VARYING || kind == LLVMVoidTypeKind) return;
    bool is_phi = LLVMIsAPHINode(value->v) && g->blocks.at[value->block].loop == loop;
    bool from_outside = simd_is_invariant(g, loop, value->v), used = false;
    for (LLVMUseRef u = LLVMGetFirstUse(value->v); u && !used && from_outside; u = LLVMGetNextUse(u)) {
        int user = value_map_get(g->value_of, LLVMGetUser(u));
        used = user >= 0 && simd_in_loop(g, loop, g->values.at[user].block) && !LLVMIsAPHINode(g->values.at[user].v);
        used = used && !simd_is_invariant(g, loop, g->values.at[user].v);
    }
    if (!from_outside && !is_phi && !value->rate.y && is_used_by_rows(g, value)) c->held_rows++;
    if (!is_phi && !(from_outside && used)) return;
    if (value->rate.y) c->held_both++;
    else c->held_vectors++;
}

/* The most vectors that are live at a time in a region without loops, in the order in which they are computed. A load
 * that is used once is part of the operation that uses it. */
static int most_live(const SimdRegion *g) {
    int *ends = arena_array(g->arena, int, g->values.n + 1), live = 0, most = 0;
    for (int i = 0; i < g->values.n && !g->loops.n; i++) {
        const SimdValue *value = &g->values.at[i];
        LLVMUseRef first = LLVMGetFirstUse(value->v);
        bool is_part = LLVMIsALoadInst(value->v) && first && !LLVMGetNextUse(first);
        int last = i;
        for (LLVMUseRef u = first; u; u = LLVMGetNextUse(u)) {
            int user = value_map_get(g->value_of, LLVMGetUser(u));
            if (user > last) last = user;
        }
        live -= ends[i];
        if (value->rate.x != LANE_VARYING || is_part || last == i) continue;
        ends[last]++;
        if (++live > most) most = live;
    }
    return most;
}

/* What divergence costs a vector beside the operations: masks of both sides and a branch, a selection where sides join,
 * and in each iteration of a loop the lanes that are live, with what those leave with that are not. */
static double divergence_cost(const SimdRegion *g, int loop) {
    double cost = loop >= 0 && g->loops.at[loop].divergent ? 2 : 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *b = &g->blocks.at[value->block];
        if (loop >= 0 && value->leaves_loop == loop) cost += value->rate.x == LANE_VARYING ? 1 : 2;
        if (b->leaves || b->loop != loop) continue;
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        bool at_header = loop >= 0 && g->loops.at[loop].header == value->block;
        if (op == LLVMBr && b->diverges) cost += MASKS;
        if (op == LLVMPHI && !at_header && value->rate.x == LANE_VARYING) cost += g->costs[i].vector;
    }
    return cost;
}

double level_divergence_time(const LevelCost *c) { return c->weight * c->divergence / IN_A_CYCLE; }

bool level_chases(const LevelCost *c) { return c->chain >= LATENCY_OF_LANES; }

double level_live_time(const LevelCost *c) { return c->weight * c->live / IN_A_CYCLE; }

double level_locked_time(const LevelCost *c) { return c->weight * c->locked; }

double level_locked_together_time(const LevelCost *c) { return c->weight * c->locked_together; }

double level_gather_time(const LevelCost *c) { return c->weight * c->beyond / IN_A_CYCLE; }

LevelCost level_cost(const SimdRegion *g, const SimdTarget *t, int loop, int width) {
    LevelCost c = {.weight = 1, .few = loop >= 0, .inner = is_inner(g, loop)};
    bool is_crowded = level_is_crowded(g, width);
    int depth = 0;
    for (int l = loop; l >= 0 && depth < MAX_DEPTH; l = g->loops.at[l].parent, depth++) {
        c.few &= simd_known_trips(g, l) > 0;
        c.weight *= simd_is_of_some_rows(g, l) ? 1 : simd_walked_rounds(g, l, simd_trip_count(g, l));
    }
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *b = &g->blocks.at[value->block];
        if (loop >= 0 && c.inner) add_held(g, &c, loop, i);
        if (b->leaves || b->loop != loop) continue;
        if (loop >= 0 && simd_is_invariant(g, loop, value->v)) continue;
        double cost = operation_cost(g, t, value, width);
        if (g->settled && value->at_ends) *(value->rate.y ? &c.rows : &c.none) += END_TESTS;
        bool varies = value->rate.x == LANE_VARYING || LLVMGetInstructionOpcode(value->v) == LLVMStore;
        bool rows = value->rate.y || LLVMGetInstructionOpcode(value->v) == LLVMStore;
        if (loop >= 0 && is_shared_with_next_row(g, value)) rows = false;
        add_locked(g, &c, value, width);
        if (cost > 0 && is_by_live_lane(g, value)) {
            c.live += cost * share_of_block(g, value->block);
            continue;
        }
        if (simd_begins_run(g, value)) c.none += FAR_RUN;
        if (varies && simd_divides(value->v))
            *(rows ? &c.divider_both : &c.divider_vectors) += simd_division_cycles(g, t, value->v, width);
        c.columns += saved_by_columns(g, value, cost, width);
        c.beyond += beyond_gather(g, t, value, cost, width);
        level_add_lines(&c, g, value, width);
        if (is_crowded) c.beyond += FAR_LINE * level_crowded_lines(g, value, width);
        if (is_hoisted(g, loop, value)) *(rows ? &c.hoisted_both : &c.hoisted_vectors) += varies ? cost : 0;
        if (varies) *(rows ? &c.both : &c.vectors) += cost;
        else if (rows) c.rows += cost;
        else c.none += cost / 2;
    }
    c.chain_alone = loop >= 0 ? longest_chain(g, loop, latencies(g, t, 1)) : 0;
    c.chain = loop >= 0 ? longest_chain(g, loop, latencies(g, t, width)) : 0;
    if (loop >= 0 && g->loops.at[loop].divergent) c.mask_chain = mask_chain_of(g, loop);
    c.way = loop >= 0 ? 0 : longest_way(g);
    c.iteration = loop >= 0 && c.inner ? longest_iteration(g, loop, latencies(g, t, width)) : 0;
    if (loop < 0) c.held_both = most_live(g);
    /* Who is live, and what those leave with: where a chain of operations would go through memory, it waits there, too.
     */
    c.divergence = divergence_cost(g, loop);
    if (c.inner && c.chain > LATENCY && g->loops.at[loop].divergent) c.held_live = 2;
    return c;
}

/* Loops are left once; only other branches go now this way, now that. */
static bool stays_inside(const SimdRegion *g, int b) {
    int loop = g->blocks.at[b].loop;
    for (int i = 0; loop >= 0 && i < simd_n_succ(g, b); i++) {
        int s = value_map_get(g->block_of, simd_succ(g, b, i));
        if (s < 0 || !g->loops.at[loop].has[s]) return false;
    }
    return true;
}

/* LLVM executes so few operations, none of them a division, on both paths (SimplifyCFG's two-entry-phi-node-folding-
 * threshold). */
static bool is_executed_ahead(const SimdRegion *g, const SimdBlock *b) {
    enum { MOST = 4 };
    int n = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(g->values.at[i].v);
        n += op == LLVMFDiv ? MOST : op != LLVMPHI && op != LLVMBr && op != LLVMGetElementPtr;
    }
    return n <= MOST && !b->guarded;
}

/* Else LLVM makes a selection of it, which no processor has to predict. */
static bool skips_much(const SimdRegion *g, int b) {
    for (int i = 0; i < simd_n_succ(g, b); i++) {
        int s = value_map_get(g->block_of, simd_succ(g, b, i));
        if (s >= 0 && simd_is_masked(g, s) && !is_executed_ahead(g, &g->blocks.at[s])) return true;
    }
    return false;
}

/* Branches on data. In a loop, an index that goes on smoothly and is compared with an extent is predicted. */
static bool is_missed(const SimdRegion *g, int b) {
    if (!g->blocks.at[b].diverges || !stays_inside(g, b) || !skips_much(g, b)) return false;
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(g->blocks.at[b].bb));
    return g->blocks.at[b].loop < 0 || !LLVMIsAICmpInst(condition) || !simd_is_smooth(g, condition);
}

/* LLVM unrolls so many iterations of a loop without accesses, and folds them into one if recurrences are affine
 * (trips.c). */
enum { FOLDED = 8 };

/* How many of the items come to a loop. A condition around much work holds more often than one around a few operations;
 * measured: docs/decisions/cost-model.md. */
static double share_of_items(const SimdRegion *g, int loop) {
    static const double OF_THOSE_BEFORE = 0.6;
    double share = 1;
    for (int l = loop; l >= 0; l = g->loops.at[l].parent)
        if (g->loops.at[l].conditional) share *= OF_THOSE_BEFORE;
    return share;
}

/* After a mispredicted branch nothing else runs until its condition is computed, which otherwise overlaps with other
 * iterations. */
static double waits_for(const SimdRegion *g, int b, const double *far, double time) {
    int o = value_map_get(g->value_of, LLVMGetCondition(LLVMGetBasicBlockTerminator(g->blocks.at[b].bb)));
    return o >= 0 && far[o] > time ? far[o] - time : 0;
}

/* The same level run by one item alone: it skips what a vector executes under a mask. */
double level_time_alone(const SimdRegion *g, const SimdTarget *t, const LevelCost *c, int loop, int width) {
    double operations = 1, wait = c->chain_alone, busy = 0, locked = 0, missed = 0;
    Vec(int) branches = {0};
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *b = &g->blocks.at[value->block];
        if (b->leaves || b->loop != loop) continue;
        LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
        bool free =
            op == LLVMPHI || op == LLVMGetElementPtr || simd_is_remark(value->v) || simd_is_sign_of_fused(value->v);
        if (free || (loop >= 0 && simd_is_invariant(g, loop, value->v))) continue;
        double cost = g->costs[i].alone;
        if (op == LLVMBr) cost = 1;
        else if (cost < 0) cost = op == LLVMCall && !simd_is_plain(value->v) ? 2 : 1;
        double share = share_of_block(g, value->block);
        operations += cost * beside(g, value) * share;
        if (op == LLVMBr && is_missed(g, value->block)) vec_push(g->arena, &branches, value->block);
        if (is_divided(value->v)) busy += DIVIDER_ALONE * share;
        if (op == LLVMCall && update_cycles(value->v) > 1) locked += update_cycles(value->v) * share;
    }
    double time = operations / t->alone_in_a_cycle;
    if (busy > time) time = busy;
    if (locked > time) time = locked; /* only accesses wait for it: arithmetic of the next items goes on */
    if (time < wait) time = wait;
    const double *far = branches.n ? latencies_within(g, loop, latencies(g, t, 1)) : NULL;
    for (int i = 0; i < branches.n; i++) {
        double cycles = MISSED_BRANCH + (loop >= 0 ? waits_for(g, branches.at[i], far, time) : 0);
        missed += share_of_block(g, branches.at[i]) * cycles / ONE_MISSED_OF;
    }
    if (loop >= 0 && (simd_is_folded(g, loop) || simd_is_filling(g, loop))) time /= FOLDED;
    else time /= simd_lanes_alone(g, loop, width);
    if (loop >= 0 && simd_exit_is_missed(g, loop)) missed += MISSED_BRANCH / simd_trip_count(g, loop);
    return c->weight * share_of_items(g, loop) * (time + missed); /* what follows a missed branch begins anew */
}

double level_time(const LevelCost *c, const SimdTarget *t, SimdShape s) {
    double n = s.rows * s.vectors;
    double of_all = c->few ? c->none : c->none + 1; /* LLVM unrolls loops with few rounds */
    double operations = c->both * n + c->vectors * s.vectors + c->rows * s.rows + of_all;
    if (s.rows % s.width == 0) operations -= c->columns * n;
    operations -= c->hoisted_both * n + c->hoisted_vectors * s.vectors;
    operations += FAR_LINE * level_lines_lost(c, s) * n;
    double held = c->held_both * n + c->held_vectors * s.vectors + TEMPORARIES;
    held += c->held_live * n;
    if (s.rows > 1) held += c->held_rows * s.vectors;
    /* A value is stored and loaded in each round. Where rows share what they load, LLVM holds back more. */
    double spills = s.rows > 1 && c->held_rows > 0 ? SPILLS_OF_ROWS : SPILLS;
    if (held > t->registers) operations += spills * (held - t->registers);
    double time = operations / IN_A_CYCLE, wait = c->chain > c->mask_chain ? c->chain : c->mask_chain;
    double divider = c->divider_both * n + c->divider_vectors * s.vectors;
    if (divider > time) time = divider;
    double in_sight = operations / REORDERED; /* of a block; below 1, others have begun meanwhile */
    double way = (double)c->way * LATENCY * (in_sight < 1 ? in_sight : 1);
    double blocks = c->few ? REORDERED / (operations * c->weight) : 1; /* that have begun before one ends */
    double round_in_sight = in_sight + c->divergence * n / REORDERED;  /* below 1, the next ones have begun meanwhile */
    double round = c->iteration * (round_in_sight < 1 ? round_in_sight : 1);
    if (blocks > 1) wait /= blocks;
    if (blocks > 1) time = time > wait ? time : wait;
    else time = sqrt(time * time + wait * wait); /* neither goes on all the while beside the other */
    if (blocks <= 1 && round > way) way = round;
    return c->weight * (time > way ? time : way) / n;
}
