/* trips.c -- trip counts, as the cost model estimates them: how many iterations a loop of an item has, and how many
 * more a vector executes, which stays in the loop until its last lane has left. */
#include "irgen/simd/simd.h"

/* Of one exit, the header's: phi + step each time, compared with a constant. 0: not known */
static int64_t constant_trips(const SimdRegion *g, int loop) {
    LLVMBasicBlockRef head = g->blocks.at[g->loops.at[loop].header].bb;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(head);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return 0;
    LLVMValueRef test = LLVMGetCondition(branch), phi = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 0) : NULL;
    if (!phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != head || LLVMCountIncoming(phi) != 2) return 0;
    LLVMValueRef first = LLVMGetIncomingValue(phi, 0), next = LLVMGetIncomingValue(phi, 1),
                 bound = LLVMGetOperand(test, 1);
    if (!LLVMIsAConstantInt(first)) first = next, next = LLVMGetIncomingValue(phi, 0);
    bool adds = LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi;
    if (!adds || !LLVMIsAConstantInt(first) || !LLVMIsAConstantInt(bound) ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return 0;
    int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
    int64_t way = LLVMConstIntGetSExtValue(bound) - LLVMConstIntGetSExtValue(first);
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    bool up = p == LLVMIntSLT || p == LLVMIntULT || p == LLVMIntNE,
         down = p == LLVMIntSGT || p == LLVMIntUGT || p == LLVMIntNE;
    if (step > 0 && up && way > 0) return (way + step - 1) / step;
    return step < 0 && down && way < 0 ? (-way - step - 1) / -step : 0;
}

static bool is_exit(const SimdRegion *g, int loop, int b) {
    for (int i = 0; g->loops.at[loop].has[b] && i < simd_n_succ(g, b); i++) {
        int to = value_map_get(g->block_of, simd_succ(g, b, i));
        if (to < 0 || (!g->loops.at[loop].has[to] && !g->blocks.at[to].leaves)) return true;
    }
    return false;
}

static int n_exits(const SimdRegion *g, int loop) {
    int n = 0;
    for (int b = 0; b < g->blocks.n; b++) n += is_exit(g, loop, b);
    return n;
}

/* Bounds of a counted loop: a header's phi goes up by one from lo until it is hi. */
static bool find_bounds(const SimdRegion *g, int loop, LLVMValueRef branch, LLVMValueRef *lo, LLVMValueRef *hi) {
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return false;
    LLVMValueRef test = LLVMGetCondition(branch);
    for (unsigned k = 0; k < 2 && LLVMIsAICmpInst(test); k++) {
        LLVMValueRef phi = LLVMGetOperand(test, k);
        int64_t by;
        *hi = LLVMGetOperand(test, 1 - k);
        if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2 || !simd_is_invariant(g, loop, *hi)) continue;
        for (unsigned from = 0; from < 2; from++) {
            *lo = LLVMGetIncomingValue(phi, from);
            bool goes_on = simd_goes_on_by(g, phi, LLVMGetIncomingValue(phi, 1 - from), &by) && by == 1;
            if (goes_on && simd_is_invariant(g, loop, *lo)) return true;
        }
    }
    return false;
}

/* v itself, and what it is the least (or the greatest, for `max`) of, each a value and a constant. */
enum { MOST_CLIPS = 8 };
typedef struct Clip {
    LLVMValueRef v;
    int64_t c;
} Clip;

static int clips_of(LLVMValueRef v, int64_t c, const char *kind, Clip *of, int n) {
    if (n == MOST_CLIPS) return n;
    of[n++] = (Clip){v, c};
    bool adds = LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
                LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMIsACallInst(LLVMGetOperand(v, 0));
    if (adds) { /* max(j - 3, 0) is max(j, 3) - 3 */
        c += LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        v = LLVMGetOperand(v, 0);
    }
    bool clips = LLVMIsACallInst(v) && simd_is_call_of(v, kind);
    for (unsigned k = 0; k < 2 && clips; k++) n = clips_of(LLVMGetOperand(v, k), c, kind, of, n);
    return n;
}

/* A window around a place, clipped at the ends of an array, `for k in max(i - 2, 0)..min(i + 3, n)`, or a block, cut
 * off at the end of one, has as many iterations as if nothing were clipped: this is usual. *is_window; else a constant
 * may bound it, `for k in 0..min(length[i], 16)`. 0: neither */
static int64_t bounded_trips(const SimdRegion *g, int loop, bool *is_window) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[loop].header].bb), lo, hi;
    Clip los[MOST_CLIPS], his[MOST_CLIPS];
    int64_t trips = 0, by;
    *is_window = false;
    if (!find_bounds(g, loop, branch, &lo, &hi)) return 0;
    int n_lo = clips_of(lo, 0, "llvm.smax.", los, 0), n_hi = clips_of(hi, 0, "llvm.smin.", his, 0);
    for (int i = 0; i < n_lo * n_hi; i++) {
        Clip from = los[i / n_hi], to = his[i % n_hi];
        if (!simd_goes_on_by(g, from.v, to.v, &by) || (by += to.c - from.c) <= 0) continue;
        *is_window |= !LLVMIsAConstantInt(from.v);
        if (!trips || by < trips) trips = by;
    }
    return trips;
}

static bool is_window(const SimdRegion *g, int loop) {
    bool is;
    bounded_trips(g, loop, &is);
    return is && n_exits(g, loop) == 1;
}

int64_t simd_known_trips(const SimdRegion *g, int loop) {
    int64_t trips = constant_trips(g, loop);
    bool is_window;
    return trips ? trips : bounded_trips(g, loop, &is_window);
}

enum { UNKNOWN = 32 };

/* What a program leaves open is mostly more than what it has constants for: who sets 256 counters to 0 counts more than
 * 256 numbers. So the loops beside it bound an unknown trip count from below. */
static double unknown_trips(const SimdRegion *g, int loop) {
    enum { MOST = 1024 };
    int64_t least = UNKNOWN;
    for (int l = 0; l < g->loops.n; l++) {
        int64_t trips = g->loops.at[l].parent == g->loops.at[loop].parent ? constant_trips(g, l) : 0;
        if (trips > least) least = trips;
    }
    return least < MOST ? (double)least : MOST;
}

double simd_trip_count(const SimdRegion *g, int loop) {
    int64_t trips = simd_known_trips(g, loop);
    if (!trips) return unknown_trips(g, loop);
    for (int b = 0; b < g->blocks.n; b++)
        if (b != g->loops.at[loop].header && is_exit(g, loop, b) && trips > UNKNOWN) return UNKNOWN;
    return (double)trips;
}

/* What changes smoothly from item to item does so in loops, too: sums and products of indices and of what all items
 * share, in floats as in integers. Remainders, bits and what items load for themselves may be anything. */
static bool is_smooth(const SimdRegion *g, LLVMValueRef v, bool *seen) {
    int i = value_map_get(g->value_of, v);
    if (i < 0 || seen[i] || g->values.at[i].rate.x != LANE_VARYING) return true;
    seen[i] = true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad: case LLVMURem: case LLVMSRem: case LLVMXor: case LLVMShl: case LLVMLShr: case LLVMAShr: return false;
    case LLVMCall:
        if (!simd_has_vector_form(v)) return false;
        break;
    default: break;
    }
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_smooth(g, LLVMGetOperand(v, (unsigned)k), seen)) return false;
    return true;
}

bool simd_is_smooth(const SimdRegion *g, LLVMValueRef v) {
    return is_smooth(g, v, arena_array(g->arena, bool, g->values.n + 1));
}

/* Do only smooth values decide which items leave the loop now? */
static bool leaves_smoothly(const SimdRegion *g, int loop) {
    bool *seen = arena_array(g->arena, bool, g->values.n + 1), smooth = true;
    for (int b = 0; b < g->blocks.n && smooth; b++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[b].bb);
        if (!is_exit(g, loop, b) || !g->blocks.at[b].diverges || !LLVMIsABranchInst(branch)) continue;
        smooth = is_smooth(g, LLVMGetCondition(branch), seen);
    }
    return smooth;
}

/* Once in all iterations of an item's loop, where data decide how many these are; of searches, which most items leave
 * at once, nothing is known. */
bool simd_exit_is_missed(const SimdRegion *g, int loop) {
    if (!g->loops.at[loop].divergent || n_exits(g, loop) > 1) return false;
    return !leaves_smoothly(g, loop) && !is_window(g, loop);
}

static bool is_step(const SimdRegion *g, int loop, LLVMValueRef v, LLVMValueRef of) {
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
    if (op != LLVMAdd && op != LLVMSub) return false;
    return LLVMGetOperand(v, 0) == of && simd_is_invariant(g, loop, LLVMGetOperand(v, 1));
}

/* A phi that goes up or down by the same each time. */
bool simd_is_counter(const SimdRegion *g, int loop, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    if (i < 0 || !LLVMIsAPHINode(v) || g->loops.at[loop].header != g->values.at[i].block) return false;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
        if (is_step(g, loop, LLVMGetIncomingValue(v, k), v)) return true;
    return false;
}

static bool is_counted(const SimdRegion *g, int loop, LLVMValueRef test) {
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetOperand(test, k);
        bool is_next = LLVMIsAInstruction(v) && LLVMGetNumOperands(v) &&
                       simd_is_counter(g, loop, LLVMGetOperand(v, 0)) && is_step(g, loop, v, LLVMGetOperand(v, 0));
        if (!simd_is_invariant(g, loop, v) && !simd_is_counter(g, loop, v) && !is_next) return false;
    }
    return true;
}

static bool is_varying(const SimdRegion *g, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    return i >= 0 && g->values.at[i].rate.x == LANE_VARYING;
}

/* From where to where is data: the row of a graph or of a sparse matrix. A row that begins at 0, or where its item
 * does, and only ends where data say is padded to a length that all have: who stores rows so has rows that are nearly
 * as long as one another. So has a grid of cells, whose rows an item finds in a window around its own. */
static bool is_row_of_data(const SimdRegion *g, int loop) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[loop].header].bb), lo, hi;
    if (!find_bounds(g, loop, branch, &lo, &hi) || !is_varying(g, lo)) return false;
    for (int l = g->loops.at[loop].parent; l >= 0; l = g->loops.at[l].parent)
        if (is_window(g, l)) return false;
    return true;
}

/* Smooth trip counts are nearly those of the neighbours. A loop with several exits is a search, which each item leaves
 * with the same probability in each iteration: a geometric distribution, where the greatest of n trip counts is the
 * mean times the n-th harmonic number. So are rows of data taken to be: those of graphs are mostly more uneven, those
 * of matrices less. Trip counts of other loops that data decide are taken to lie halfway between that and trip counts
 * that are all alike; of loops in one another both parts differ. Lanes one after the other take no longer than all of
 * them. */
double simd_unevenness(const SimdRegion *g, int loop, int n_items) {
    static const double OF_NEIGHBOURS = 1.2;
    double harmonic = 0, smooth = 1, data = 1;
    for (int i = 1; i <= n_items; i++) harmonic += 1.0 / i;
    for (int l = loop; l >= 0; l = g->loops.at[l].parent) {
        if (!g->loops.at[l].divergent || is_window(g, l)) continue;
        if (leaves_smoothly(g, l)) smooth = OF_NEIGHBOURS;
        else data *= n_exits(g, l) > 1 || is_row_of_data(g, l) ? harmonic : (1 + harmonic) / 2;
    }
    double all = smooth * data;
    return all < n_items ? all : n_items;
}

/* One item's loop that only computes affine recurrences, `s = s * a + b` with invariant a and b: unrolled, their
 * composition is one multiplication and one addition. Lanes that leave the loop at different times need every value. */
bool simd_is_folded(const SimdRegion *g, int loop) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!simd_in_loop(g, loop, value->block) || g->blocks.at[value->block].leaves) continue;
        LLVMValueRef v = value->v;
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        bool is_affine = op == LLVMAdd || op == LLVMSub;
        if (op == LLVMMul || op == LLVMShl) is_affine = simd_is_invariant(g, loop, LLVMGetOperand(v, 1));
        if (op == LLVMPHI) is_affine = g->loops.at[loop].header == value->block;
        if (op == LLVMICmp) is_affine = is_counted(g, loop, v);
        if (!is_affine && op != LLVMBr) return false;
    }
    return g->loops.at[loop].divergent;
}

/* A loop that only sets contiguous elements to values that it computes from its counter: LLVM replaces it by memset, or
 * vectorises it. */
bool simd_is_filling(const SimdRegion *g, int loop) {
    bool stores = false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!simd_in_loop(g, loop, value->block) || g->blocks.at[value->block].leaves) continue;
        LLVMValueRef v = value->v;
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        bool is_part = op == LLVMBr || op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub || op == LLVMTrunc ||
                       op == LLVMZExt || op == LLVMSExt;
        if (op == LLVMPHI) is_part = simd_is_counter(g, loop, v);
        if (op == LLVMICmp) is_part = is_counted(g, loop, v);
        if (op == LLVMStore) {
            int64_t bytes = simd_bytes(g, LLVMTypeOf(LLVMGetOperand(v, 0)));
            is_part = stores = !simd_is_atomic(v) && simd_pace(g, LLVMGetOperand(v, 1), loop) == bytes;
        }
        if (!is_part) return false;
    }
    return stores;
}
