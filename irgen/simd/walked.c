/* walked.c -- unrolling of inner loops in which each item walks along a row of its own, `for j in m { s += a[i, j] *
 * x[j]; }`. Neighbouring rows are far apart, so each iteration would gather. The loop is unrolled by the number of
 * lanes, with an epilogue for the remaining iterations; then each lane loads or stores a whole vector of its row, and
 * these vectors are transposed (parts.c). The iterations keep their order. Each item counts its own: where rows have
 * different lengths, the loop is a divergent one as any other.
 *
 *     for j in 0..m / 4 * 4 by 4 { j; j + 1; j + 2; j + 3 }   for j in m / 4 * 4..m { j } */
#include "irgen/simd/simd.h"

enum { MOST_WRITTEN = 640, MOST_ROUNDS = 16 };

typedef struct Walk {
    Cg *cg;
    SimdRegion *g;
    SimdCounted c;
    int width;
    LLVMBasicBlockRef head, body;  /* of several rounds at a time */
    LLVMBasicBlockRef exit;        /* where items that leave them at different times wait for each other */
    LLVMValueRef counter;          /* of the first of them */
    LLVMValueRef *now;             /* by instruction of the body: in the round at hand */
    LLVMValueRef *phis, *carried;  /* the header's, anew; and what goes on to the round at hand */
    LLVMValueRef *old;
    int n_phis;
} Walk;

static const char ROUNDS[] = "kdsl.rounds";

static unsigned rounds_kind(const SimdRegion *g) {
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(g->fn)), ROUNDS, sizeof ROUNDS - 1);
}

static LLVMValueRef rounds_note(const SimdRegion *g, int loop) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[loop].header].bb);
    return LLVMGetMetadata(branch, rounds_kind(g));
}

/* Several rounds at a time are so many times fewer; of the rest behind there are half as many as are taken at a time.
 */
static void note_rounds(const Walk *w, LLVMBasicBlockRef head, int rounds) {
    LLVMMetadataRef n = LLVMValueAsMetadata(cg_i32(w->cg, rounds));
    LLVMValueRef note = LLVMMetadataAsValue(w->cg->ctx, LLVMMDNodeInContext2(w->cg->ctx, &n, 1));
    LLVMSetMetadata(LLVMGetBasicBlockTerminator(head), rounds_kind(w->g), note);
}

static int64_t noted(const SimdRegion *g, int loop) {
    LLVMValueRef note = rounds_note(g, loop), n;
    if (!note) return 0;
    LLVMGetMDNodeOperands(note, &n);
    return LLVMConstIntGetSExtValue(n);
}

double simd_walked_rounds(const SimdRegion *g, int loop, double rounds) {
    int64_t n = noted(g, loop);
    return n < 0 ? rounds / (double)-n : n ? (double)n : rounds;
}

bool simd_is_rest(const SimdRegion *g, int loop) { return loop >= 0 && noted(g, loop) > 0; }

/* Which loops ------------------------------------------------------------------------------------------------------ */

/* Phis, the comparison and the branch. */
static bool only_counts(const Walk *w) {
    LLVMValueRef v = LLVMGetFirstInstruction(w->c.head), branch = LLVMGetBasicBlockTerminator(w->c.head);
    for (; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v))
        if (LLVMCountIncoming(v) != 2) return false;
    return v == LLVMGetCondition(branch) && LLVMGetNextInstruction(v) == branch;
}

static bool pays(const Walk *w) {
    int64_t trips = simd_trips(w->c.lo, w->c.hi);
    if ((trips && trips < w->width) || w->width > MOST_ROUNDS || w->c.n * w->width > MOST_WRITTEN) return false;
    for (int i = 0; i < w->c.n; i++)
        if (simd_walks(w->g, &w->g->values.at[w->c.of[i]], &w->c)) return true;
    return false;
}

/* The loop again --------------------------------------------------------------------------------------------------- */

static LLVMValueRef now(const Walk *w, LLVMValueRef v) {
    for (int i = 0; i < w->c.n; i++)
        if (w->g->values.at[w->c.of[i]].v == v) return w->now[i];
    for (int k = 0; k < w->n_phis; k++)
        if (w->old[k] == v) return w->carried[k];
    return v;
}

static void begin_loop(Walk *w, LLVMValueRef end) {
    LLVMBuilderRef b = w->cg->b;
    LLVMPositionBuilderAtEnd(b, w->head);
    for (int k = 0; k < w->n_phis; k++) {
        w->phis[k] = w->carried[k] = LLVMBuildPhi(b, LLVMTypeOf(w->old[k]), "");
        LLVMValueRef from_before = simd_coming(&w->c, w->old[k], false);
        LLVMAddIncoming(w->phis[k], &from_before, &w->c.before, 1);
        if (w->old[k] == w->c.counter) w->counter = w->phis[k];
    }
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, w->counter, end, ""), w->body, w->exit);
    LLVMPositionBuilderAtEnd(b, w->exit);
    LLVMBuildBr(b, w->c.head);
}

/* The counter goes on by itself: places then are so many elements behind the first round's. */
static void write_round(Walk *w, int round) {
    LLVMValueRef next = simd_coming(&w->c, w->c.counter, true);
    LLVMValueRef *after = arena_array(w->g->arena, LLVMValueRef, w->n_phis);
    for (int i = 0; i < w->c.n; i++) {
        LLVMValueRef v = w->g->values.at[w->c.of[i]].v;
        if (v == next) {
            w->now[i] = LLVMBuildNSWAdd(w->cg->b, w->counter, cg_i64(w->cg, round + 1), "");
            continue;
        }
        if (round && simd_is_invariant(w->g, (int)(w->c.loop - w->g->loops.at), v)) continue;
        LLVMValueRef again = w->now[i] = LLVMInstructionClone(v);
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            LLVMSetOperand(again, (unsigned)k, now(w, LLVMGetOperand(v, (unsigned)k)));
        LLVMSetCurrentDebugLocation2(w->cg->b, LLVMInstructionGetDebugLoc(v));
        LLVMInsertIntoBuilder(w->cg->b, again);
    }
    for (int k = 0; k < w->n_phis; k++) after[k] = now(w, simd_coming(&w->c, w->old[k], true));
    for (int k = 0; k < w->n_phis; k++) w->carried[k] = after[k];
}

/* The rest of the rounds begins with what the others have left. */
static void enter_rest(Walk *w) {
    LLVMBasicBlockRef from[2] = {w->exit, w->c.body};
    for (int k = 0; k < w->n_phis; k++) {
        LLVMPositionBuilderBefore(w->cg->b, w->old[k]);
        LLVMValueRef rest = LLVMBuildPhi(w->cg->b, LLVMTypeOf(w->old[k]), "");
        LLVMValueRef values[2] = {w->phis[k], simd_coming(&w->c, w->old[k], true)};
        if (values[1] == w->old[k]) values[1] = rest;
        LLVMReplaceAllUsesWith(w->old[k], rest);
        LLVMAddIncoming(rest, values, from, 2);
    }
    for (int k = 0; k < w->n_phis; k++) LLVMInstructionEraseFromParent(w->old[k]);
}

static void write_loop(Walk *w) {
    LLVMBuilderRef b = w->cg->b;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(w->c.before);
    LLVMValueRef first = LLVMGetFirstInstruction(w->c.head);
    for (LLVMValueRef v = first; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) w->n_phis++;
    w->old = arena_array(w->g->arena, LLVMValueRef, 3 * w->n_phis);
    w->phis = w->old + w->n_phis;
    w->carried = w->phis + w->n_phis;
    w->now = arena_array(w->g->arena, LLVMValueRef, w->c.n + 1);
    LLVMValueRef v = first;
    for (int k = 0; k < w->n_phis; k++, v = LLVMGetNextInstruction(v)) w->old[k] = v;
    w->head = LLVMInsertBasicBlockInContext(w->cg->ctx, w->c.head, "walk");
    w->body = LLVMInsertBasicBlockInContext(w->cg->ctx, w->c.head, "rounds");
    w->exit = LLVMInsertBasicBlockInContext(w->cg->ctx, w->c.head, "walked");

    LLVMPositionBuilderBefore(b, enter);
    LLVMValueRef hi = w->c.includes_hi ? LLVMBuildAdd(b, w->c.hi, cg_i64(w->cg, 1), "") : w->c.hi;
    LLVMValueRef trips = LLVMBuildSub(b, hi, w->c.lo, ""), any = LLVMBuildICmp(b, LLVMIntSLT, w->c.lo, hi, "");
    LLVMValueRef taken = LLVMBuildAnd(b, trips, cg_i64(w->cg, -w->width), "");
    LLVMValueRef end = LLVMBuildSelect(b, any, LLVMBuildAdd(b, w->c.lo, taken, ""), w->c.lo, "");
    for (unsigned i = 0; i < LLVMGetNumSuccessors(enter); i++)
        if (LLVMGetSuccessor(enter, i) == w->c.head) LLVMSetSuccessor(enter, i, w->head);
    begin_loop(w, end);
    LLVMPositionBuilderAtEnd(b, w->body);
    for (int round = 0; round < w->width; round++) write_round(w, round);
    LLVMBuildBr(b, w->head);
    for (int k = 0; k < w->n_phis; k++) LLVMAddIncoming(w->phis[k], &w->carried[k], &w->body, 1);
    enter_rest(w);
    note_rounds(w, w->head, -w->width);
    note_rounds(w, w->c.head, w->width / 2);
}

static bool find_walk(Walk *w, int loop) {
    bool is_counted = !rounds_note(w->g, loop) && simd_find_counted(w->g, loop, &w->c);
    return is_counted && !w->c.checks && only_counts(w) && pays(w);
}

/* Is a value passed from round to round? Otherwise LLVM vectorises the loop of a single item, along its row, and that
 * is better than a transpose. */
static bool carries_value(const Walk *w) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(w->c.head); v && LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v))
        if (v != w->c.counter) return true;
    return false;
}

bool simd_find_walks(SimdRegion *g, int width) {
    bool any = false;
    for (int l = 0; l < g->loops.n; l++) {
        Walk w = {.g = g, .width = width};
        if (!find_walk(&w, l) || !carries_value(&w)) continue;
        for (int i = 0; i < w.c.n; i++) {
            SimdValue *value = &g->values.at[w.c.of[i]];
            value->walks = simd_walks(g, value, &w.c);
        }
        any = true;
    }
    return any;
}

/* The first such loop is written so, and the region has to be read again. */
bool simd_walked(Cg *cg, SimdRegion *g, int width) {
    for (int l = 0; l < g->loops.n; l++) {
        Walk w = {.cg = cg, .g = g, .width = width};
        if (!find_walk(&w, l)) continue;
        LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(w.c.head)));
        write_loop(&w);
        return true;
    }
    return false;
}
