/* inner.c -- inner-loop vectorisation of reductions that may be reordered, and of updates. Where each item walks
 * along a row of its own, as in `for k in w { t += i32(a[j, k]); }` for all j, lanes that are items would load rows
 * that are far apart and transpose them. The same loop with lanes that are iterations loads vectors as they lie in
 * memory, of whatever type they have. It puts the sum together in another order, which integers allow, and floats in
 * the fast mode. LLVM's loop vectoriser does that, so the nest is left scalar.
 *
 * So it is where the iterations of an item update elements side by side, as in `atomic s[x[i] + k] += 1`, of memory
 * without a lock: two items may update one element, two iterations do not, so lanes that are items update one after
 * the other.
 *
 * Other loops of such an item may write rows: the sums of a layer or of a softmax are followed by a loop that scales
 * the row. LLVM vectorises it, too, if an element that it reads is not one that another iteration writes.
 *
 * Legal always, as nothing is changed here. It pays if every innermost loop of the nest counts by one, has no
 * branch, reads along the row or the same address in all items, carries nothing but sums, products, minima, maxima
 * or bits of integers, extremes of floats, or sums and products of floats that may be reordered, each by one operation,
 * writes nothing but a row of the item's own or such updates, and is not known to be short; and if one of them has a
 * sum or updates. Beside updates there may be checks that fail in an iteration known before the loop. */
#include "irgen/simd/simd.h"

#include <stdlib.h>

/* LEAST_PLACED: where the place of the row is data, as in `x[at[i], k]`, lanes that are items gather.
 * At -O3 LLVM unrolls loops of up to some 200 iterations before it vectorises them, and does not find a sum of floats
 * in what is left. */
enum { LEAST_TRIPS = 32, LEAST_PLACED = 8, MOST_UNROLLED = 256 };

static bool is_innermost(const SimdRegion *g, int loop) {
    for (int l = 0; l < g->loops.n; l++)
        if (g->loops.at[l].parent == loop) return false;
    return true;
}

static int uses_inside(const SimdRegion *g, const SimdCounted *c, LLVMValueRef v) {
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) n += simd_is_in_counted(g, c, LLVMGetUser(u));
    return n;
}

/* Is v = op(phi, x) an operation on integers that may be reordered? */
static bool adds_integers(LLVMValueRef v, LLVMValueRef phi) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool is_bits = op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    bool reorders = op == LLVMAdd || op == LLVMMul || is_bits || simd_is_extreme(v);
    bool from_first = LLVMGetOperand(v, 0) == phi, takes = from_first || LLVMGetOperand(v, 1) == phi;
    return takes && (reorders || (op == LLVMSub && from_first));
}

/* The same of floats: extremes, which are the same in any order, and in the fast mode the others. */
static bool adds_floats(LLVMValueRef v, LLVMValueRef phi) {
    if (simd_is_float_extreme(v)) return LLVMGetOperand(v, 0) == phi || LLVMGetOperand(v, 1) == phi;
    if (!LLVMCanValueUseFastMathFlags(v) || !(LLVMGetFastMathFlags(v) & LLVMFastMathAllowReassoc)) return false;
    if (simd_is_fused(v))
        return LLVMGetOperand(v, 2) == phi && LLVMGetOperand(v, 0) != phi && LLVMGetOperand(v, 1) != phi;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool from_first = LLVMGetOperand(v, 0) == phi, takes = from_first || LLVMGetOperand(v, 1) == phi;
    return takes && (op == LLVMFAdd || op == LLVMFMul || (op == LLVMFSub && from_first));
}

/* phi = phi + v, in an operation that may be reordered; neither is used otherwise while the loop runs. */
static bool is_reduction(const SimdRegion *g, const SimdCounted *c, LLVMValueRef phi) {
    LLVMValueRef next = simd_coming(c, phi, true);
    if (!next || !simd_is_in_counted(g, c, next)) return false;
    bool is_integer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind;
    if (!(is_integer ? adds_integers(next, phi) : adds_floats(next, phi))) return false;
    return uses_inside(g, c, phi) == 1 && uses_inside(g, c, next) == 1;
}

typedef struct Inner {
    bool walks;   /* along an item's row */
    bool reduces; /* sums and the like */
    bool floats;  /* of floats */
    bool updates, writes;
    const bool *beside; /* by value: neighbouring items read neighbouring elements, but for those at edges (ends.c) */
} Inner;

/* Nothing else goes on from iteration to iteration. */
static bool carries_reductions(const SimdRegion *g, const SimdCounted *c, Inner *in) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(c->head); LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
        if (v == c->counter) continue;
        if (!is_reduction(g, c, v)) return false;
        in->reduces = true;
        in->floats |= LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind;
    }
    return true;
}

/* Along the item's row, or the same in all items and contiguous or the same from iteration to iteration. */
static bool reads_well(const SimdRegion *g, const SimdCounted *c, const SimdValue *load, Inner *in) {
    int loop = (int)(c->loop - g->loops.at);
    if (in->beside[load - g->values.at]) return false;
    if (simd_walks(g, load, c)) return in->walks = true;
    int64_t by = simd_pace(g, LLVMGetOperand(load->v, 0), loop), size = simd_bytes(g, LLVMTypeOf(load->v));
    return simd_address_rate(g, load).x == LANE_UNIFORM && (by == size || !by) &&
           !simd_is_atomic(load->v);
}

/* Along the item's row. What the loop reads of the same array is the element that this iteration writes. */
static bool writes_well(const SimdRegion *g, const SimdCounted *c, const SimdValue *store, Inner *in) {
    if (LLVMGetVolatile(store->v) || !simd_walks(g, store, c)) return false;
    for (int i = 0; i < c->n; i++) {
        LLVMValueRef other = g->values.at[c->of[i]].v;
        if (simd_is_access(other) && simd_may_meet(other, store->v) && simd_address(other) != simd_address(store->v))
            return false;
    }
    return in->writes = true;
}

static bool is_arithmetic(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem || op == LLVMFRem;
    return simd_is_remark(v) || (simd_has_vector_form(v) && !divides);
}

/* The same in all iterations, of which LLVM moves it out; a load, if it finds that no update can change it. */
static bool is_repeated(const SimdRegion *g, int loop, const bool *repeats, LLVMValueRef v) {
    bool is_load = LLVMIsALoadInst(v) && !simd_is_atomic(v) && !LLVMGetVolatile(v);
    if (!is_load && !simd_is_plain(v) && !LLVMIsACmpInst(v) && !LLVMIsASelectInst(v)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        int of = value_map_get(g->value_of, LLVMGetOperand(v, (unsigned)k));
        if (of >= 0 && simd_in_loop(g, loop, g->values.at[of].block) && !repeats[of]) return false;
    }
    return true;
}

/* Contiguous elements in the iterations, forwards or backwards, and any in the items. */
static bool updates_well(const SimdRegion *g, int loop, const SimdValue *call) {
    if (!simd_updates_alone(call->v) || simd_rate(g, LLVMGetOperand(call->v, 0), call->block).x != LANE_VARYING)
        return false;
    return llabs(simd_pace(g, LLVMGetOperand(call->v, 0), loop)) == simd_bytes(g, LLVMTypeOf(call->v));
}

/* A check of what goes on smoothly fails in an iteration that is known before the loop; one of what does not change, in
 * the first. */
static bool checks_well(const SimdRegion *g, int loop, const bool *repeats) {
    for (int b = 0; b < g->blocks.n; b++) {
        if (!g->loops.at[loop].has[b] || b == g->loops.at[loop].header || simd_n_succ(g, b) != 2) continue;
        LLVMValueRef check = LLVMGetCondition(LLVMGetBasicBlockTerminator(g->blocks.at[b].bb));
        if (!LLVMIsAICmpInst(check)) return false;
        if (repeats[value_map_get(g->value_of, check)]) continue;
        LLVMValueRef from = LLVMGetOperand(check, 0), to = LLVMGetOperand(check, 1);
        if (!simd_is_invariant(g, loop, to) || !simd_pace(g, from, loop)) return false;
    }
    return true;
}

/* Does an item read a row whose place is data? */
static bool reads_placed(const SimdRegion *g, const SimdCounted *c, int loop) {
    for (int i = 0; i < c->n; i++) {
        const SimdValue *value = &g->values.at[c->of[i]];
        if (!LLVMIsALoadInst(value->v) || value->private_of >= 0) continue;
        if (simd_address_rate(g, value).x == LANE_VARYING && simd_pace(g, simd_address(value->v), loop)) return true;
    }
    return false;
}

static int least_trips(const SimdRegion *g, const SimdCounted *c, int loop, const Inner *in, bool unrolls) {
    if (in->floats) return unrolls ? MOST_UNROLLED : LEAST_TRIPS;
    return reads_placed(g, c, loop) ? LEAST_PLACED : LEAST_TRIPS;
}

/* unrolls: at -O3 */
static bool is_vectorised_itself(const SimdRegion *g, int loop, bool unrolls, Inner *in) {
    SimdCounted c;
    bool *repeats = arena_array(g->arena, bool, g->values.n + 1);
    if (!simd_find_counted(g, loop, &c) || !carries_reductions(g, &c, in)) return false;
    int64_t trips = simd_known_trips(g, loop);
    if (trips && trips < least_trips(g, &c, loop, in, unrolls)) return false;
    for (int i = 0; i < c.n; i++) {
        const SimdValue *value = &g->values.at[c.of[i]];
        repeats[c.of[i]] = is_repeated(g, loop, repeats, value->v);
        if (repeats[c.of[i]]) continue;
        bool is_well = updates_well(g, loop, value)    ? (in->updates = true)
                       : LLVMIsALoadInst(value->v)     ? reads_well(g, &c, value, in)
                       : LLVMIsAStoreInst(value->v)    ? writes_well(g, &c, value, in)
                                                       : is_arithmetic(value->v);
        if (!is_well) return false;
    }
    if (c.checks) return in->updates && checks_well(g, loop, repeats);
    return in->updates || in->writes || (in->walks && in->reduces);
}

/* As in a window around an item that is clipped at the ends of its row. */
static const bool *find_beside(SimdRegion *g) {
    bool *beside = arena_array(g->arena, bool, g->values.n + 1);
    if (!simd_find_ends(g)) return beside;
    simd_rates_settled(g, true);
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_load = LLVMIsALoadInst(value->v) && !g->blocks.at[value->block].leaves;
        beside[i] = is_load && value->private_of < 0 && simd_is_beside(g, value);
    }
    simd_rates_settled(g, false);
    return beside;
}

bool simd_leaves_to_inner(SimdRegion *g, bool unrolls) {
    bool pays = false;
    const bool *beside = find_beside(g);
    for (int l = 0; l < g->loops.n; l++) {
        Inner in = {.beside = beside};
        if (!is_innermost(g, l)) continue;
        if (!is_vectorised_itself(g, l, unrolls, &in)) return false;
        pays |= in.updates || (in.walks && in.reduces);
    }
    return pays;
}
