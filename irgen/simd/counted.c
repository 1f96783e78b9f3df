/* counted.c -- counted loops in the form that other files here transform: a header whose induction variable counts up
 * by one, and a body without branches other than those of checks. */
#include "irgen/simd/simd.h"

/* The block behind; a check that fails leaves the loop and the nest. -1: there are several */
static int next_of(const SimdRegion *g, const SimdLoop *l, int b, SimdCounted *c) {
    int next = value_map_get(g->block_of, simd_succ(g, b, 0));
    if (simd_n_succ(g, b) == 1) return next;
    int other = simd_n_succ(g, b) == 2 ? value_map_get(g->block_of, simd_succ(g, b, 1)) : -1;
    if (next < 0 || other < 0) return -1;
    c->checks = true;
    if (g->blocks.at[other].leaves && l->has[next]) return next;
    return g->blocks.at[next].leaves && l->has[other] ? other : -1;
}

/* A header with two ways, and blocks one behind the other. */
static bool find_blocks(const SimdRegion *g, int loop, SimdCounted *c) {
    const SimdLoop *l = &g->loops.at[loop];
    *c = (SimdCounted){.loop = l, .head = g->blocks.at[l->header].bb};
    c->of = arena_array(g->arena, int, g->values.n);
    if (simd_n_succ(g, l->header) != 2) return false;
    int first = value_map_get(g->block_of, simd_succ(g, l->header, 0)), left = l->size - 1;
    c->leaves_by_true = first < 0 || !l->has[first];
    if (c->leaves_by_true) first = value_map_get(g->block_of, simd_succ(g, l->header, 1));
    for (int b = first; b != l->header; left--) {
        if (b < 0 || !l->has[b] || g->blocks.at[b].loop != loop) return false;
        c->body = g->blocks.at[b].bb;
        for (int i = 0; i < g->blocks.at[b].n - 1; i++) c->of[c->n++] = g->blocks.at[b].first + i;
        b = next_of(g, l, b, c);
    }
    return left == 0;
}

/* The same where a round may branch: a round's instructions are those that each round executes. */
static bool find_blocks_of_any_round(const SimdRegion *g, int loop, bool may_fail, SimdCounted *c) {
    const SimdLoop *l = &g->loops.at[loop];
    *c = (SimdCounted){.loop = l, .head = g->blocks.at[l->header].bb};
    c->of = arena_array(g->arena, int, g->values.n);
    if (simd_n_succ(g, l->header) != 2) return false;
    int first = value_map_get(g->block_of, simd_succ(g, l->header, 0)), latch = -1;
    c->leaves_by_true = first < 0 || !l->has[first];
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b) && l->has[b]; i++) {
            int to = value_map_get(g->block_of, simd_succ(g, b, i));
            if (may_fail && to >= 0 && g->blocks.at[to].leaves) continue;
            if ((to < 0 || !l->has[to]) && b != l->header) return false;
            if (to == l->header && latch >= 0 && latch != b) return false;
            if (to == l->header) latch = b;
        }
    if (latch < 0) return false;
    c->body = g->blocks.at[latch].bb;
    for (int b = 0; b < g->blocks.n; b++) {
        bool is_always = l->has[b] && b != l->header && g->blocks.at[b].loop == loop && simd_dominates(g, b, latch);
        for (int i = 0; i < g->blocks.at[b].n - 1 && is_always; i++) c->of[c->n++] = g->blocks.at[b].first + i;
    }
    return true;
}

LLVMValueRef simd_coming(const SimdCounted *c, LLVMValueRef phi, bool round) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if ((LLVMGetIncomingBlock(phi, i) == c->body) == round) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

bool simd_is_in_counted(const SimdRegion *g, const SimdCounted *c, LLVMValueRef v) {
    int i = value_map_get(g->value_of, v);
    return i >= 0 && c->loop->has[g->values.at[i].block];
}

static bool is_natural(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) >= 0; }

/* What the comparison says with its sides exchanged, and what it says where it fails. */
static LLVMIntPredicate exchanged(LLVMIntPredicate p) {
    return p == LLVMIntSLT   ? LLVMIntSGT
           : p == LLVMIntSGT ? LLVMIntSLT
           : p == LLVMIntSLE ? LLVMIntSGE
           : p == LLVMIntSGE ? LLVMIntSLE
           : p == LLVMIntULT ? LLVMIntUGT
           : p == LLVMIntUGT ? LLVMIntULT
                             : LLVMIntEQ;
}

static LLVMIntPredicate inverse(LLVMIntPredicate p) {
    return p == LLVMIntSLT   ? LLVMIntSGE
           : p == LLVMIntSGE ? LLVMIntSLT
           : p == LLVMIntSLE ? LLVMIntSGT
           : p == LLVMIntSGT ? LLVMIntSLE
           : p == LLVMIntUGE ? LLVMIntULT
                             : LLVMIntEQ;
}

static bool is_phi_of_head(const SimdCounted *c, LLVMValueRef v) {
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == c->head;
}

/* Of numbers that have the same sign, without signs it says the same as with them. */
static LLVMIntPredicate with_signs(LLVMValueRef test) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    if (!LLVMGetICmpSameSign(test)) return p;
    return p == LLVMIntULT   ? LLVMIntSLT
           : p == LLVMIntUGT ? LLVMIntSGT
           : p == LLVMIntULE ? LLVMIntSLE
           : p == LLVMIntUGE ? LLVMIntSGE
                             : p;
}

/* With signs; between known bounds that have none it comes to the same. */
static bool goes_up_to(SimdCounted *c, LLVMIntPredicate stays) {
    c->includes_hi = stays == LLVMIntSLE;
    return c->includes_hi || stays == LLVMIntSLT ||
           (stays == LLVMIntULT && is_natural(c->lo) && is_natural(c->hi));
}

/* for counter in lo..hi, by ones; or up to and including hi, which LLVM makes of hi + 1 */
static bool find_counter(const SimdRegion *g, SimdCounted *c, unsigned least_bits) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->head), test = LLVMGetCondition(branch);
    if (!LLVMIsAICmpInst(test) || LLVMGetInstructionParent(test) != c->head) return false;
    LLVMIntPredicate stays = with_signs(test);
    if (c->leaves_by_true) stays = inverse(stays);
    bool is_first = is_phi_of_head(c, LLVMGetOperand(test, 0));
    if (!is_first) stays = exchanged(stays);
    c->counter = LLVMGetOperand(test, !is_first);
    c->hi = LLVMGetOperand(test, is_first);
    if (!is_phi_of_head(c, c->counter)) return false;
    if (simd_is_in_counted(g, c, c->hi) || LLVMCountIncoming(c->counter) != 2) return false;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(c->counter)) < least_bits) return false;
    c->before = LLVMGetIncomingBlock(c->counter, LLVMGetIncomingBlock(c->counter, 0) == c->body);
    c->lo = simd_coming(c, c->counter, false);
    if (!goes_up_to(c, stays)) return false;
    int64_t by;
    return simd_goes_on_by(g, c->counter, simd_coming(c, c->counter, true), &by) && by == 1;
}

bool simd_find_counted_rounds(const SimdRegion *g, int loop, SimdCounted *c) {
    return find_blocks_of_any_round(g, loop, false, c) && find_counter(g, c, 64);
}

bool simd_find_counter(const SimdRegion *g, int loop, SimdCounted *c) {
    return find_blocks_of_any_round(g, loop, true, c) && find_counter(g, c, 8);
}

bool simd_find_counted(const SimdRegion *g, int loop, SimdCounted *c) {
    return find_blocks(g, loop, c) && find_counter(g, c, 64);
}

bool simd_find_counted_narrow(const SimdRegion *g, int loop, SimdCounted *c) {
    return find_blocks(g, loop, c) && find_counter(g, c, 8);
}
