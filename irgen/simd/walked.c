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

static bool reads_along(const Walk *w, int of) {
    const SimdValue *value = &w->g->values.at[of];
    return LLVMIsALoadInst(value->v) && simd_walks(w->g, value, &w->c);
}

static bool pays(const Walk *w) {
    int64_t trips = simd_trips(w->c.lo, w->c.hi);
    if ((trips && trips < w->width) || w->width > MOST_ROUNDS || w->c.n * w->width > MOST_WRITTEN) return false;
    for (int i = 0; i < w->c.n; i++)
        if (reads_along(w, w->c.of[i])) return true;
    return false;
}

static void write_loop(Walk *w) {
    LLVMBuilderRef b = w->cg->b;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(w->c.before));
    LLVMValueRef hi = w->c.includes_hi ? LLVMBuildAdd(b, w->c.hi, cg_i64(w->cg, 1), "") : w->c.hi;
    LLVMValueRef trips = LLVMBuildSub(b, hi, w->c.lo, ""), any = LLVMBuildICmp(b, LLVMIntSLT, w->c.lo, hi, "");
    /* A condition, no maximum: in windows, ends.c knows of it. */
    LLVMValueRef taken = LLVMBuildAnd(b, trips, cg_i64(w->cg, -w->width), "");
    LLVMValueRef end = LLVMBuildSelect(b, any, LLVMBuildNSWAdd(b, w->c.lo, taken, ""), w->c.lo, "");
    LLVMBasicBlockRef head = simd_write_front(w->cg, w->g, &w->c, end, w->width).head;
    note_rounds(w, head, -w->width);
    note_rounds(w, w->c.head, w->width / 2);
}

static bool find_walk(Walk *w, int loop) {
    bool is_counted = !rounds_note(w->g, loop) && simd_find_counted(w->g, loop, &w->c);
    return is_counted && simd_may_have_front(&w->c) && pays(w);
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
            value->walks = reads_along(&w, w.c.of[i]);
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
