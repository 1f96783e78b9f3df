/* inside.c -- range check elimination by loop versioning. In
 *
 *     kernel k(x: &[f32; H, W], y: &out [f32; h, w]) over i in h, j in w { ... x[i + a, j + b] ... }    // a, b in 0..3
 *
 * nothing says how H is related to h, so the index is checked. But i + a is an expression in the sense of interval.c:
 * before the nest it is known between which bounds it lies for all its items. If these are inside for all such checks,
 * the nest runs without them, and can have tiles of several rows; else its scalar copy runs, which has them.
 *
 * Only checks that every item makes are looked at, in each round of its loops. Where the bounds are not inside, an item
 * of the rectangle is going to fail (but for loops that make no round), so how fast the copy is does not matter. */
#include "irgen/simd/interval.h"

enum { MOST_CHECKS = 64, MOST_BITS = 62 };

typedef struct Check {
    LLVMValueRef cmp, index, extent; /* index unsigned-less-than extent: cmp, or its opposite */
    int block;
    bool passes;                     /* what cmp is where the check does not fail */
} Check;

typedef struct Checks {
    Cg *cg;
    SimdRegion *g;
    Check at[MOST_CHECKS];
    int n;
} Checks;

/* The node is on every way through its level from the node `from`. */
static bool is_on_every_way(const SimdLevel *level, int from, int node) {
    for (int i = from; i != END; i = level->nodes.at[i].ipdom)
        if (i == node) return true;
    return false;
}

/* Where a round begins: behind the header, from which the other way leaves the loop. */
static int first_of_round(const SimdLevel *level) {
    const SimdNode *header = &level->nodes.at[0];
    int first = END;
    for (int i = 0; i < header->n_succ; i++) {
        if (header->succ[i] == END) continue;
        if (first != END) return END;
        first = header->succ[i];
    }
    return first;
}

static bool is_made_by_all(const SimdRegion *g, int block) {
    for (int loop = g->blocks.at[block].loop; loop >= 0; loop = g->loops.at[loop].parent) {
        const SimdLevel *level = &g->levels[1 + loop];
        int node = simd_node_of(g, 1 + loop, block);
        if (node == END || (node && !is_on_every_way(level, first_of_round(level), node))) return false;
    }
    int node = simd_node_of(g, 0, block);
    return node != END && is_on_every_way(&g->levels[0], 0, node);
}

static bool leaves(const SimdRegion *g, LLVMBasicBlockRef bb) {
    int block = value_map_get(g->block_of, bb);
    return block >= 0 && g->blocks.at[block].leaves;
}

static bool read_check(const SimdRegion *g, int block, Check *c) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[block].bb);
    if (g->blocks.at[block].leaves || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return false;
    LLVMValueRef cmp = LLVMGetCondition(branch);
    bool fails_if = leaves(g, LLVMGetSuccessor(branch, 0));
    if (fails_if == leaves(g, LLVMGetSuccessor(branch, 1)) || !LLVMIsAICmpInst(cmp)) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    bool mirrored = p == LLVMIntUGT || p == LLVMIntULE || p == LLVMIntSGT || p == LLVMIntSLE;
    bool is_less = p == LLVMIntULT || p == LLVMIntUGT || p == LLVMIntSLT || p == LLVMIntSGT;
    bool is_not_less = p == LLVMIntUGE || p == LLVMIntULE || p == LLVMIntSGE || p == LLVMIntSLE;
    if (fails_if ? !is_not_less : !is_less) return false;
    *c = (Check){cmp, LLVMGetOperand(cmp, mirrored), LLVMGetOperand(cmp, !mirrored), block, !fails_if};
    return true;
}

/* Of 64 bits, and nothing that differs between items without a bound that is known before. */
static bool is_wanted(const SimdRegion *g, const Check *c) {
    SimdLook w = {.g = g, .bits = MOST_BITS, .is_signed = true, .any_factor = true};
    bool has_x;
    if (!simd_is_integer(c->index) || LLVMGetIntTypeWidth(LLVMTypeOf(c->index)) != 64) return false;
    bool is_known =
        LLVMIsAConstantInt(c->extent) || (simd_is_outside(g, c->extent) && c->extent != g->x && c->extent != g->y);
    return is_known && simd_is_expression(&w, c->index, &has_x) && is_made_by_all(g, c->block);
}

static void find_checks(Checks *s) {
    for (int b = 0; b < s->g->blocks.n && s->n < MOST_CHECKS; b++)
        s->n += read_check(s->g, b, &s->at[s->n]) && is_wanted(s->g, &s->at[s->n]);
}

static LLVMValueRef condition(const void *checks) {
    const Checks *s = checks;
    SimdAsking a = {.cg = s->cg, .b = s->cg->b, .g = s->g, .bits = MOST_BITS, .is_signed = true};
    a.holds = LLVMConstInt(s->cg->i1, 1, false);
    for (int i = 0; i < s->n; i++) {
        a.in_block = s->at[i].block;
        SimdBounds index = simd_bounds(&a, s->at[i].index);
        simd_ask(&a, LLVMIntSGE, index.lo, cg_i64(s->cg, 0));
        simd_ask(&a, LLVMIntSLT, index.hi, s->at[i].extent);
    }
    return LLVMBuildFreeze(a.b, a.holds, ""); /* an item may not use what is poison here */
}

static void drop_checks(const void *checks) {
    const Checks *s = checks;
    for (int i = 0; i < s->n; i++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(s->g->blocks.at[s->at[i].block].bb);
        LLVMSetCondition(branch, LLVMConstInt(s->cg->i1, s->at[i].passes, false));
    }
}

bool simd_version_checks_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Checks s = {.cg = cg, .g = &g};
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return false;
    find_checks(&s);
    return s.n && simd_make_versions(cg, &g, &(SimdVersioning){condition, drop_checks, &s, false, false});
}
