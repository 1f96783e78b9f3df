/* chains.c -- reassociation along the critical path (tree height reduction): of the least of several numbers one of
 * which comes from the iteration before, as in the tables of dynamic programming,
 *
 *     next = min(min(row[j] + 1, row[j - 1] + 1), diagonal + cost);      // row[j - 1]: what the last iteration stored
 *
 * the others are combined first, while that one is still computed: then an iteration waits for one operation instead of
 * two. LLVM does so for sums (reassociate), and leaves minima and maxima alone.
 *
 * Legal for minima and maxima of integers and of floats by minimumnum and maximumnum, which have no order. */
#include "irgen/simd/simd.h"

enum { MOST_LEAVES = 16 };

typedef struct Tree {
    const SimdRegion *g;
    int loop;            /* the innermost one around all of it but its leaves */
    const bool *depends; /* by value: on what the iteration before has computed */
    LLVMValueRef callee;
    LLVMValueRef leaves[MOST_LEAVES];
    int n, n_late, late; /* leaves that depend on it */
} Tree;

static bool is_extreme(LLVMValueRef v) { return simd_is_extreme(v) || simd_is_float_extreme(v); }

static bool has_one_use(LLVMValueRef v) {
    LLVMUseRef first = LLVMGetFirstUse(v);
    return first && !LLVMGetNextUse(first);
}

static bool is_same_extreme(const Tree *t, LLVMValueRef v) {
    return LLVMIsACallInst(v) && is_extreme(v) && LLVMGetCalledValue(v) == t->callee;
}

static bool depends(const Tree *t, LLVMValueRef v) {
    int i = value_map_get(t->g->value_of, v);
    return i >= 0 && t->depends[i];
}

/* What is computed outside of the loop stays there. */
static bool is_in_loop(const SimdRegion *g, int loop, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    return i >= 0 && g->blocks.at[g->values.at[i].block].loop == loop;
}

/* false: there are too many leaves */
static bool read_tree(Tree *t, LLVMValueRef v, bool is_root) {
    if (is_same_extreme(t, v) && is_in_loop(t->g, t->loop, v) && (is_root || has_one_use(v)))
        return read_tree(t, LLVMGetOperand(v, 0), false) && read_tree(t, LLVMGetOperand(v, 1), false);
    if (t->n == MOST_LEAVES) return false;
    if (depends(t, v)) {
        t->n_late++;
        t->late = t->n;
    }
    t->leaves[t->n++] = v;
    return true;
}

static LLVMValueRef combined(Cg *cg, LLVMValueRef root, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef v =
        LLVMBuildCall2(cg->b, LLVMGetCalledFunctionType(root), LLVMGetCalledValue(root), (LLVMValueRef[]){a, b}, 2, "");
    if (LLVMCanValueUseFastMathFlags(v)) LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(root));
    return v;
}

/* The leaf that is late last. */
static void write_tree(Cg *cg, const Tree *t, LLVMValueRef root) {
    LLVMValueRef all = NULL;
    LLVMPositionBuilderBefore(cg->b, root);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(root));
    for (int i = 0; i < t->n; i++)
        if (i != t->late) all = all ? combined(cg, root, all, t->leaves[i]) : t->leaves[i];
    LLVMReplaceAllUsesWith(root, combined(cg, root, all, t->leaves[t->late]));
}

/* A tree of three leaves or more of which one is late, and not yet last. */
static bool is_late(const Tree *t, LLVMValueRef root) {
    LLVMValueRef late = t->leaves[t->late];
    return t->n >= 3 && t->n_late == 1 && LLVMGetOperand(root, 0) != late && LLVMGetOperand(root, 1) != late;
}

static bool is_root(const Tree *t, LLVMValueRef v) {
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !(has_one_use(v) && is_same_extreme(t, LLVMGetUser(use)));
}

/* Does an iteration's value come from one of these in the same iteration? Operands come first among the values. */
static bool takes_from(const SimdRegion *g, int i, const bool *from) {
    LLVMValueRef v = g->values.at[i].v;
    bool is_phi = LLVMIsAPHINode(v) != NULL;
    for (int k = 0, n = is_phi ? (int)LLVMCountIncoming(v) : LLVMGetNumOperands(v); k < n; k++) {
        int o =
            value_map_get(g->value_of, is_phi ? LLVMGetIncomingValue(v, (unsigned)k) : LLVMGetOperand(v, (unsigned)k));
        if (o >= 0 && o < i && from[o]) return true;
    }
    return false;
}

static void find_dependent(const SimdRegion *g, int loop, int first, bool *depends) {
    for (int i = first; i < g->values.n; i++) {
        int block = g->values.at[i].block, inside = g->blocks.at[block].loop;
        bool begins = LLVMIsAPHINode(g->values.at[i].v) && inside >= 0 && g->loops.at[inside].header == block;
        if (simd_in_loop(g, loop, block) && !begins) depends[i] = takes_from(g, i, depends);
    }
}

/* Its next value depends on it, and is more than a step further. */
static bool is_recurrence(const SimdRegion *g, int loop, int phi, bool *depends) {
    int64_t by;
    LLVMValueRef v = g->values.at[phi].v;
    for (int i = 0; i < g->values.n; i++) depends[i] = i == phi;
    find_dependent(g, loop, phi + 1, depends);
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        int o = value_map_get(g->value_of, LLVMGetIncomingValue(v, k));
        if (o < 0 || !depends[o] || !simd_in_loop(g, loop, g->values.at[o].block)) continue;
        return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
               !simd_goes_on_by(g, v, LLVMGetIncomingValue(v, k), &by);
    }
    return false;
}

/* By value: does it depend on what the iteration before has computed? false: nothing does */
static bool find_late(const SimdRegion *g, int loop, bool *late) {
    const SimdBlock *header = &g->blocks.at[g->loops.at[loop].header];
    bool *depends = arena_array(g->arena, bool, g->values.n + 1), any = false;
    for (int i = 0; i < g->values.n; i++) late[i] = false;
    for (int p = header->first; p < header->first + header->n && LLVMIsAPHINode(g->values.at[p].v); p++)
        any |= late[p] = is_recurrence(g, loop, p, depends);
    if (any) find_dependent(g, loop, header->first, late);
    return any;
}

/* Each tree is of one loop, the innermost around it: two loops would put it in order by turns. */
static bool shorten_one(Cg *cg, const SimdRegion *g, int loop) {
    bool *late = arena_array(g->arena, bool, g->values.n + 1);
    if (!find_late(g, loop, late)) return false;
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef v = g->values.at[i].v;
        if (!late[i] || !is_in_loop(g, loop, v) || !LLVMIsACallInst(v) || !is_extreme(v)) continue;
        Tree t = {.g = g, .loop = loop, .depends = late, .callee = LLVMGetCalledValue(v)};
        if (!is_root(&t, v) || !read_tree(&t, v, true) || !is_late(&t, v)) continue;
        write_tree(cg, &t, v);
        return true;
    }
    return false;
}

bool simd_shorten_chains_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false, more = true;
    while (more && simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch)) {
        more = false;
        for (int l = 0; l < g.loops.n && !more; l++) more = shorten_one(cg, &g, l);
        any |= more;
    }
    return any;
}
