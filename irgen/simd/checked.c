/* checked.c -- no-wrap facts from passed checks (conditional value ranges). In
 *
 *     let k = i32(x);  ... t[k] ... t[k + 1]
 *
 * the sum may wrap, so nothing tells that the two elements are neighbours. But where both checks have passed, both
 * numbers are indices. Neither is negative, and a sum of such a one and a constant that has wrapped would be. So there
 * the second index is the first one plus 1 in 64 bits, too, and what is read at both are parts of a row (parts.c). */
#include "irgen/simd/interval.h"

typedef struct Passed {
    LLVMValueRef index; /* what is compared with the extent: extended from 32 bits to 64 */
    LLVMValueRef base;  /* the narrow number is this, plus `by`, and may have wrapped */
    int64_t by;
    int block; /* which is entered only where the check has passed */
} Passed;

typedef Vec(Passed) AllPassed;

static bool is_extended(LLVMValueRef v) {
    bool extends = LLVMIsASExtInst(v) || (LLVMIsAZExtInst(v) && LLVMGetNNeg(v));
    if (!extends || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return false;
    return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) == 32;
}

/* Extents are arguments of the kernel, and never negative. */
static bool is_extent(LLVMValueRef v) {
    return LLVMIsAArgument(v) || (LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) >= 0);
}

/* The operand that is below the other one, both without signs, where the comparison holds; NULL: there is none. */
static LLVMValueRef below(LLVMValueRef compare, bool holds) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    bool first = holds ? p == LLVMIntULT : p == LLVMIntUGE, second = holds ? p == LLVMIntUGT : p == LLVMIntULE;
    if (!first && !second) return NULL;
    LLVMValueRef v = LLVMGetOperand(compare, !first), end = LLVMGetOperand(compare, first);
    return is_extended(v) && is_extent(end) ? v : NULL;
}

static void split(LLVMValueRef narrow, Passed *p) {
    p->base = narrow;
    bool is_sum = LLVMIsAInstruction(narrow) && LLVMGetInstructionOpcode(narrow) == LLVMAdd;
    if (is_sum && simd_constant(LLVMGetOperand(narrow, 1), &p->by)) p->base = LLVMGetOperand(narrow, 0);
    else p->by = 0;
}

static int n_edges_to(const SimdRegion *g, LLVMBasicBlockRef bb) {
    int n = 0;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++) n += simd_succ(g, b, i) == bb;
    return n;
}

static bool find_passed(const SimdRegion *g, int block, Passed *p) {
    LLVMValueRef compare = simd_check_of(g, block);
    if (!compare || !LLVMIsAICmpInst(compare)) return false;
    for (int i = 0; i < 2; i++) {
        p->block = value_map_get(g->block_of, simd_succ(g, block, i));
        if (p->block < 0 || g->blocks.at[p->block].leaves) continue;
        p->index = below(compare, i == 0);
        if (!p->index || n_edges_to(g, g->blocks.at[p->block].bb) != 1) return false;
        split(LLVMGetOperand(p->index, 0), p);
        return true;
    }
    return false;
}

/* Where the value is used: of a phi, the block that it comes from. */
static int block_of_use(const SimdRegion *g, LLVMValueRef user, LLVMValueRef v) {
    int found = -1, i = value_map_get(g->value_of, user);
    if (!LLVMIsAPHINode(user)) return i < 0 ? -1 : g->values.at[i].block;
    for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
        if (LLVMGetIncomingValue(user, k) != v) continue;
        if (found >= 0) return -1;
        found = value_map_get(g->block_of, LLVMGetIncomingBlock(user, k));
    }
    return found;
}

static LLVMValueRef first_after_phis(LLVMBasicBlockRef bb) {
    LLVMValueRef v = LLVMGetFirstInstruction(bb);
    while (LLVMIsAPHINode(v)) v = LLVMGetNextInstruction(v);
    return v;
}

/* first has passed wherever second has. Any use changed? */
static bool relate(Cg *cg, const SimdRegion *g, const Passed *first, const Passed *second) {
    int64_t by = (int32_t)(uint32_t)((uint64_t)second->by - (uint64_t)first->by);
    LLVMValueRef sum = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(second->index), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        int block = block_of_use(g, user, second->index);
        if (block < 0 || !simd_dominates(g, second->block, block)) continue;
        if (!sum) {
            LLVMPositionBuilderBefore(cg->b, first_after_phis(g->blocks.at[second->block].bb));
            sum = LLVMBuildNSWAdd(cg->b, first->index, cg_i64(cg, by), "");
            if (by > 0) LLVMSetNUW(sum, true);
        }
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == second->index) LLVMSetOperand(user, (unsigned)k, sum);
        next = LLVMGetFirstUse(second->index); /* the list has changed, and is shorter */
    }
    return sum;
}

bool simd_relate_checked_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    if (!simd_region(&g, &cg->c->arena, fn, LLVMGetModuleDataLayout(cg->module), latch, outer_latch)) return false;
    AllPassed all = {0};
    bool any = false;
    for (int b = 0; b < g.blocks.n; b++) {
        Passed p;
        if (!find_passed(&g, b, &p)) continue;
        for (int i = 0; i < all.n; i++) {
            const Passed *first = &all.at[i];
            if (first->base != p.base || first->index == p.index || !simd_dominates(&g, first->block, p.block))
                continue;
            any |= relate(cg, &g, first, &p);
            break;
        }
        vec_push(g.arena, &all, p);
    }
    return any;
}
