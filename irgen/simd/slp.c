/* slp.c -- vectors that LLVM makes of the code of one item, if items run one after the other: of the iterations of a
 * loop that walks along a row, and of statements alike that lie next to one another (superword-level parallelism,
 * Larsen and Amarasinghe 2000), as unrolled loops over the elements of a small matrix are. The cost model compares with
 * that. */
#include "irgen/simd/simd.h"

/* Loops ------------------------------------------------------------------------------------------------------------ */

/* May iterations of it be the lanes? It writes contiguous elements, and reads such or the same, also in the short loops
 * in it, which LLVM unrolls; nothing goes on from iteration to iteration. */
static bool is_row_loop(const SimdRegion *g, int loop) {
    bool stores = false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *b = &g->blocks.at[value->block];
        if (!simd_in_loop(g, loop, value->block)) continue;
        LLVMValueRef v = value->v;
        bool is_header = g->loops.at[loop].header == value->block;
        if (b->leaves || b->diverges || (LLVMIsAPHINode(v) && is_header && !simd_is_counter(g, loop, v))) return false;
        if (LLVMIsACallInst(v) && !simd_has_vector_form(v) && !simd_is_remark(v)) return false;
        if (!simd_is_access(v)) continue;
        int64_t by = simd_pace(g, simd_address(v), loop), bytes = simd_bytes(g, simd_element(v));
        if (simd_is_atomic(v) || (by && by != bytes) || (!by && LLVMIsAStoreInst(v))) return false;
        stores |= LLVMIsAStoreInst(v) != NULL;
    }
    return stores;
}

/* Are loops in it unrolled, of so many iterations in all? */
static bool has_short_loops(const SimdRegion *g, int loop) {
    enum { MOST_UNROLLED = 64 };
    for (int l = 0; l < g->loops.n; l++) {
        int64_t all = 1, trips = 1;
        int at = l;
        for (; at >= 0 && at != loop && trips; at = g->loops.at[at].parent) all *= trips = simd_known_trips(g, at);
        if (at == loop && (!trips || all > MOST_UNROLLED)) return false;
    }
    return true;
}

/* Straight code ---------------------------------------------------------------------------------------------------- */

/* Is b computed as a is, from the same elements or from the next ones? `left`: so many comparisons may be made. */
static bool is_beside(const SimdRegion *g, LLVMValueRef a, LLVMValueRef b, int *left) {
    if (a == b || (LLVMIsConstant(a) && LLVMIsConstant(b))) return true;
    int i = value_map_get(g->value_of, a), k = value_map_get(g->value_of, b);
    if (i < 0 || k < 0 || (*left)-- <= 0 || g->values.at[i].block != g->values.at[k].block) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    if (op != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b)) return false;
    if (op == LLVMLoad) {
        Form x = simd_place(g, simd_address(a), AS_BITS), y = simd_place(g, simd_address(b), AS_BITS);
        int64_t by;
        return !simd_is_atomic(a) && !simd_is_atomic(b) && simd_is_behind(&y, &x, &by) &&
               (!by || by == simd_bytes(g, LLVMTypeOf(a)));
    }
    if (op == LLVMCall ? !simd_has_vector_form(a) : !simd_is_plain(a)) return false;
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(a); o++)
        if (!is_beside(g, LLVMGetOperand(a, o), LLVMGetOperand(b, o), left)) return false;
    return true;
}

/* Stores of adjacent elements whose values are computed alike. */
static bool is_packed(const SimdRegion *g, const SimdParts *p) {
    enum { MOST_COMPARED = 512 };
    for (int i = 0; i < p->of.n; i++)
        for (int k = 0; k < p->of.n; k++) {
            int left = MOST_COMPARED;
            if (p->place.at[k] != p->place.at[i] + 1) continue;
            if (!is_beside(g, LLVMGetOperand(g->values.at[p->of.at[i]].v, 0),
                           LLVMGetOperand(g->values.at[p->of.at[k]].v, 0), &left))
                return false;
        }
    return p->hi - p->lo + 1 == p->of.n;
}

/* The least group of all stores of the level; 0: there are others. */
static int stores_beside(const SimdRegion *g, int loop) {
    int least = 0;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *b = &g->blocks.at[value->block];
        if (!LLVMIsAStoreInst(value->v) || b->leaves || b->loop != loop) continue;
        const SimdParts *p = value->parts < 0 ? NULL : &g->parts.at[value->parts];
        if (p && p->of.at[0] != i) continue; /* looked at with the first one of the group */
        if (!p || !is_packed(g, p)) return 0;
        if (!least || p->of.n < least) least = p->of.n;
    }
    return least;
}

/* How many operations are one: vectors take some time for their ends, and to be put together. */
static double gain(int64_t lanes, int width) {
    enum { MOST = 4 };
    double half = (double)(lanes < width ? lanes : width) / 2;
    return half > MOST ? MOST : half < 1 ? 1 : half;
}

double simd_lanes_alone(const SimdRegion *g, int loop, int width) {
    enum { LEAST_LANES = 4 };
    for (int l = loop; l >= 0; l = g->loops.at[l].parent) {
        int64_t trips = simd_known_trips(g, l);
        if ((trips && trips < LEAST_LANES) || !has_short_loops(g, l) || !is_row_loop(g, l)) continue;
        return gain(trips ? trips : width, width);
    }
    int n = stores_beside(g, loop);
    return n < LEAST_LANES ? 1 : gain(n, width);
}
