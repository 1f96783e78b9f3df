/* counters.c -- widening of induction variables, under a condition that the launch tests (loop versioning). In
 *
 *     var e = 0;                    // an i32
 *     while e < k { ... x[e] ... e += 1; }      // k: a size or a parameter, of 64 bits
 *
 * e wraps if k is above 2^31; so nothing tells that x[e] is inside, nor that e counts on. At the beginning of the
 * function a test calls a copy of it that is left as it was, unless k is at most 2^31 - 1. For all other launches:
 *
 *     e + 1 is computed only if e < k held in this iteration, because the header's other branch leaves the loop;
 *     so e + 1 <= k <= 2^31 - 1, which does not wrap (with steps of s: e + s <= k - 1 + s, and the test is k <= 2^31 -
 * s), so the counter is one of 64 bits, and is between its first value, a constant that is not negative, and k in the
 * body. */
#include "irgen/simd/simd.h"

#include <string.h>

#include "irgen/passes/clone.h"

enum { MOST_COUNTERS = 16, MOST_STEP = 1 << 16 };

typedef struct Counter {
    LLVMValueRef phi, next, less;  /* less: the loop goes on while it holds */
    LLVMValueRef bound;            /* an argument of the function */
    LLVMBasicBlockRef header, before, latch;
    int64_t first, step;
    bool is_signed, is_less_signed; /* how the counter is extended, and compared */
    LLVMBasicBlockRef *body;        /* the loop but for its header */
    int n_body;
} Counter;

typedef struct Counters {
    Cg *cg;
    LLVMValueRef fn;
    Counter at[MOST_COUNTERS];
    int n;
} Counters;

/* Finding them
 * --------------------------------------------------------------------------------------------------------- */

static bool constant(LLVMValueRef v, int64_t *k) {
    if (!LLVMIsAConstantInt(v)) return false;
    *k = LLVMConstIntGetSExtValue(v);
    return true;
}

/* less, or its mirror image: the extended counter < bound */
static bool read_comparison(Counter *c, LLVMTypeRef wide) {
    if (!LLVMIsAICmpInst(c->less)) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(c->less);
    bool mirrored = p == LLVMIntSGT || p == LLVMIntUGT;
    if (!mirrored && p != LLVMIntSLT && p != LLVMIntULT) return false;
    LLVMValueRef extended = LLVMGetOperand(c->less, mirrored);
    c->is_less_signed = p == LLVMIntSLT || p == LLVMIntSGT;
    c->bound = LLVMGetOperand(c->less, !mirrored);
    c->is_signed = LLVMIsASExtInst(extended) != NULL;
    if ((!c->is_signed && !LLVMIsAZExtInst(extended)) || LLVMTypeOf(extended) != wide || !LLVMIsAArgument(c->bound))
        return false;
    c->phi = LLVMGetOperand(extended, 0);
    return LLVMIsAPHINode(c->phi) && LLVMGetInstructionParent(c->phi) == c->header && LLVMCountIncoming(c->phi) == 2;
}

/* first, first + step, ... */
static bool read_steps(Counter *c, const SimdRegion *g, const SimdLoop *loop) {
    int from = value_map_get(g->block_of, LLVMGetIncomingBlock(c->phi, 0));
    unsigned back = from >= 0 && loop->has[from];
    c->latch = LLVMGetIncomingBlock(c->phi, !back);
    c->before = LLVMGetIncomingBlock(c->phi, back);
    c->next = LLVMGetIncomingValue(c->phi, !back);
    bool is_sum = LLVMIsAInstruction(c->next) && LLVMGetInstructionOpcode(c->next) == LLVMAdd;
    if (!is_sum || LLVMGetOperand(c->next, 0) != c->phi || !constant(LLVMGetOperand(c->next, 1), &c->step))
        return false;
    if (!constant(LLVMGetIncomingValue(c->phi, back), &c->first) || c->first < 0) return false;
    bool wraps = !(c->is_signed ? LLVMGetNSW(c->next) : LLVMGetNUW(c->next));
    return wraps && c->step > 0 && c->step < MOST_STEP && LLVMGetInstructionParent(c->next) != c->header;
}

static bool is_counter(Counters *all, Counter *c, const SimdRegion *g, const SimdLoop *loop) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->header);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return false;
    c->less = LLVMGetCondition(branch);
    int into = value_map_get(g->block_of, LLVMGetSuccessor(branch, 0)),
        out = value_map_get(g->block_of, LLVMGetSuccessor(branch, 1));
    if (into < 0 || !loop->has[into] || (out >= 0 && loop->has[out])) return false;
    return read_comparison(c, all->cg->i64) && read_steps(c, g, loop);
}

static void find_body(Counter *c, const SimdRegion *g, const SimdLoop *loop) {
    c->body = arena_array(g->arena, LLVMBasicBlockRef, g->blocks.n);
    for (int b = 0; b < g->blocks.n; b++)
        if (loop->has[b] && b != loop->header) c->body[c->n_body++] = g->blocks.at[b].bb;
}

static void find_in_nest(Counters *all, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(all->cg->module);
    if (!simd_region(&g, &all->cg->c->arena, all->fn, layout, latch, outer_latch)) return;
    for (int l = 0; l < g.loops.n && all->n < MOST_COUNTERS; l++) {
        Counter c = {.header = g.blocks.at[g.loops.at[l].header].bb};
        if (!is_counter(all, &c, &g, &g.loops.at[l])) continue;
        find_body(&c, &g, &g.loops.at[l]);
        all->at[all->n++] = c;
    }
}

/* The version for other launches
 * ----------------------------------------------------------------------------------------- */

/* Of the narrow type, less the step: the bound for which nothing wraps. */
static int64_t largest_bound(const Counter *c) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(c->phi)) - c->is_signed;
    return (INT64_C(1) << bits) - c->step;
}

static LLVMValueRef condition(const Counters *all) {
    LLVMBuilderRef b = all->cg->b;
    LLVMValueRef holds = LLVMConstInt(all->cg->i1, 1, false);
    for (int i = 0; i < all->n; i++) {
        LLVMIntPredicate at_most = all->at[i].is_less_signed ? LLVMIntSLE : LLVMIntULE;
        LLVMValueRef fits =
            LLVMBuildICmp(b, at_most, all->at[i].bound, cg_i64(all->cg, largest_bound(&all->at[i])), "");
        holds = LLVMBuildAnd(b, holds, fits, "");
    }
    return holds;
}

/* Scalar, small and rarely called. */
static LLVMValueRef copy_of(const Counters *all) {
    static const char *const attributes[] = {"cold", "optsize"};
    LLVMValueRef copy = LLVMKdslCloneFunction(all->fn);
    for (int i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(copy, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(all->cg->ctx, kind, 0));
    }
    LLVMRemoveStringAttributeAtIndex(copy, LLVMAttributeFunctionIndex, CG_NESTS, sizeof CG_NESTS - 1);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(copy); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        LLVMSetMetadata(t, all->cg->md_items, NULL);
        LLVMSetMetadata(t, all->cg->md_rows, NULL);
    }
    return copy;
}

static void call_copy(const Counters *all, LLVMValueRef copy) {
    LLVMBuilderRef b = all->cg->b;
    unsigned n = LLVMCountParams(all->fn);
    LLVMValueRef *args = arena_array(&all->cg->c->arena, LLVMValueRef, n + 1);
    LLVMGetParams(all->fn, args);
    LLVMTypeRef type = LLVMGlobalGetValueType(all->fn);
    LLVMValueRef result = LLVMBuildCall2(b, type, copy, args, n, "");
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind) LLVMBuildRetVoid(b);
    else LLVMBuildRet(b, result);
}

/* Variables of the frame stay in the block that the function begins with. */
static void move_allocas(LLVMBuilderRef b, LLVMBasicBlockRef from) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(from), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (!LLVMIsAAllocaInst(v)) continue;
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(b, v);
    }
}

static void write_test(const Counters *all) {
    Cg *cg = all->cg;
    LLVMValueRef copy = copy_of(all);
    LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(all->fn);
    LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(cg->ctx, body, "test");
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(cg->ctx, all->fn, "wrapping");
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(all->at[0].less));
    LLVMPositionBuilderAtEnd(cg->b, test);
    move_allocas(cg->b, body);
    LLVMBuildCondBr(cg->b, condition(all), body, other);
    LLVMPositionBuilderAtEnd(cg->b, other);
    call_copy(all, copy);
}

/* The counters
 * -------------------------------------------------------------------------------------------------------------- */

static bool is_in_body(const Counter *c, LLVMValueRef v) {
    for (int i = 0; i < c->n_body; i++)
        if (c->body[i] == LLVMGetInstructionParent(v)) return true;
    return false;
}

/* There the counter is below the bound, and not negative: the check of an index. */
static void settle_checks(const Counter *c, LLVMValueRef wide) {
    for (LLVMUseRef u = LLVMGetFirstUse(wide), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef cmp = LLVMGetUser(u);
        if (!LLVMIsAICmpInst(cmp) || !is_in_body(c, cmp)) continue;
        bool mirrored = LLVMGetOperand(cmp, 1) == wide;
        LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
        bool is_check = p == (mirrored ? LLVMIntUGT : LLVMIntULT) && LLVMGetOperand(cmp, !mirrored) == c->bound;
        if (is_check) LLVMReplaceAllUsesWith(cmp, LLVMConstInt(LLVMTypeOf(cmp), 1, false));
    }
}

static bool extends(const Counter *c, LLVMValueRef v, LLVMTypeRef wide) {
    bool alike = c->is_signed ? LLVMIsASExtInst(v) != NULL : LLVMIsAZExtInst(v) != NULL;
    return alike && LLVMTypeOf(v) == wide;
}

/* counter < bound, in the form that other passes expect of a counted loop. Neither is negative where it makes a
 * difference: a bound without a sign is now one that is not too large. */
static void compare(Cg *cg, const Counter *c, LLVMValueRef wide) {
    LLVMPositionBuilderBefore(cg->b, c->less);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(c->less));
    LLVMValueRef less = LLVMBuildICmp(cg->b, LLVMIntSLT, wide, c->bound, "");
    LLVMReplaceAllUsesWith(c->less, less);
}

static void widen(Cg *cg, const Counter *c) {
    LLVMPositionBuilderBefore(cg->b, c->phi);
    LLVMValueRef wide = LLVMBuildPhi(cg->b, cg->i64, "");
    LLVMPositionBuilderBefore(cg->b, c->next);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(c->next));
    LLVMValueRef next = LLVMBuildNSWAdd(cg->b, wide, cg_i64(cg, c->step), "");
    LLVMSetNUW(next, true);
    LLVMAddIncoming(wide, (LLVMValueRef[]){cg_i64(cg, c->first), next}, (LLVMBasicBlockRef[]){c->before, c->latch}, 2);
    for (LLVMUseRef u = LLVMGetFirstUse(c->phi), after; u; u = after) {
        after = LLVMGetNextUse(u);
        if (extends(c, LLVMGetUser(u), cg->i64)) LLVMReplaceAllUsesWith(LLVMGetUser(u), wide);
    }
    LLVMValueRef first = LLVMGetFirstInstruction(c->header);
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(cg->b, first);
    LLVMValueRef narrow = LLVMBuildTrunc(cg->b, wide, LLVMTypeOf(c->phi), "");
    if (c->is_signed) LLVMSetNSW(narrow, true);
    else LLVMSetNUW(narrow, true);
    LLVMReplaceAllUsesWith(c->phi, narrow);
    LLVMInstructionEraseFromParent(c->phi);
    if (c->is_signed) LLVMSetNSW(c->next, true);
    else LLVMSetNUW(c->next, true);
    settle_checks(c, wide);
    compare(cg, c, wide);
}

/* latches: of the function's nests, n pairs of inner and outer ones */
bool simd_widen_counters_in(Cg *cg, LLVMValueRef fn, const LLVMValueRef *latches, int n) {
    Counters all = {.cg = cg, .fn = fn};
    for (int i = 0; i < n; i++) find_in_nest(&all, latches[2 * i], latches[2 * i + 1]);
    if (!all.n) return false;
    write_test(&all);
    for (int i = 0; i < all.n; i++) widen(cg, &all.at[i]);
    return true;
}
