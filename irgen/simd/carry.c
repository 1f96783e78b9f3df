/* carry.c -- scalar replacement across iterations (predictive commoning; Callahan, Carr, Kennedy 1990): what an
 * iteration of an item's loop has stored to an element, or read from one, the next iteration takes from a register
 * instead of reading that element again, as in the recurrence `for j in 1..m { y[i, j] = a * y[i, j - 1] + x[i, j]; }`
 * or the window `for j in 1..m - 1 { s += x[i, j - 1] * x[i, j + 1]; }`. Without it, lanes that walk along rows of
 * their own would wait for their own scatter, and could not have several iterations read as whole vectors (walked.c).
 *
 *     for j { s = a[j + 1] + a[j]; }    was = a[lo]; for j { next = a[j + 1]; s = next + was; was = next; }
 *
 * Legal in a counted loop (counted.c) where the place that is read in the next iteration is the one accessed now, the
 * array has one name in the function (noalias), and nothing in the loop writes the array but the one store at a place
 * of its own in each iteration. The first iteration reads the element before the loop, if there is a first iteration.
 */
#include "irgen/simd/simd.h"

typedef struct Carry {
    const SimdRegion *g;
    SimdCounted c;
    int loop;
    LLVMValueRef load, from; /* what is read again; the store or load that has it one iteration earlier */
} Carry;

/* The only store to the object; NULL with *clear: nothing in the loop writes it. */
static LLVMValueRef only_store(const Carry *w, LLVMValueRef object, bool *clear) {
    LLVMValueRef store = NULL;
    *clear = true;
    for (int i = 0; i < w->c.n; i++) {
        LLVMValueRef v = w->g->values.at[w->c.of[i]].v, pointer = simd_accessed(v);
        if (!pointer && simd_touches_no_memory(v)) continue;
        if (pointer && (LLVMIsALoadInst(v) || simd_is_other_object(pointer, object))) {
            if (LLVMGetOrdering(v) <= LLVMAtomicOrderingMonotonic) continue;
        }
        bool is_plain = LLVMIsAStoreInst(v) && !simd_is_atomic(v) && !LLVMGetVolatile(v);
        if (!is_plain || store) *clear = false;
        else store = v;
    }
    return store;
}

/* It counts up to a bound, so it does not wrap; an extension is as large if no number is negative. */
static bool is_counter(const Carry *w, LLVMValueRef v) {
    if (v == w->c.counter) return true;
    bool is_natural = LLVMIsAConstantInt(w->c.lo) && LLVMConstIntGetSExtValue(w->c.lo) >= 0;
    bool extends = LLVMIsASExtInst(v) || (LLVMIsAZExtInst(v) && (is_natural || LLVMGetNNeg(v)));
    return extends && LLVMGetOperand(v, 0) == w->c.counter;
}

/* Bytes from the place that the load reads to the one that it reads in the next iteration; 0: it stays, or who knows.
 * simd_pace only estimates that of products. */
static int64_t pace_of(const Carry *w) {
    Form at = simd_place(w->g, LLVMGetOperand(w->load, 0), AS_BITS);
    int64_t by = 0;
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef v = simd_atom(w->g, at.at[i].atom, NULL);
        if (is_counter(w, v)) by = at.at[i].k;
        else if (!simd_is_invariant(w->g, w->loop, v)) return 0;
    }
    return by;
}

/* By how many bytes does the place of the access follow that of the load, in one iteration? */
static bool is_behind(const Carry *w, LLVMValueRef access, int64_t *by) {
    bool is_alike = simd_element(access) == LLVMTypeOf(w->load);
    return is_alike && simd_goes_on_by(w->g, LLVMGetOperand(w->load, 0), simd_accessed(access), by) &&
           *by % simd_bytes(w->g, LLVMTypeOf(w->load)) == 0;
}

/* Does the access now concern the place that the load reads in the next iteration? */
static bool is_one_ahead(const Carry *w, LLVMValueRef access) {
    int64_t by, pace = pace_of(w);
    return pace && is_behind(w, access, &by) && by == pace;
}

static int position(const Carry *w, LLVMValueRef v) {
    int i = 0;
    while (w->g->values.at[w->c.of[i]].v != v) i++;
    return i;
}

/* Is what an access one iteration ahead has read still there? The store is at another place, or comes later. */
static bool is_kept(const Carry *w, LLVMValueRef store) {
    int64_t by;
    if (!store) return true;
    if (!is_behind(w, store, &by)) return false;
    return by ? by != pace_of(w) : position(w, w->load) < position(w, store);
}

/* The first access is one inside memory of the item's own. */
static bool is_valid_first(const Carry *w) {
    Form at = simd_place(w->g, LLVMGetOperand(w->load, 0), AS_BITS);
    LLVMValueRef object = simd_object(LLVMGetOperand(w->load, 0));
    if (!LLVMIsAAllocaInst(object) || !LLVMIsAConstantInt(w->c.lo)) return false;
    Wide offset = at.c;
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef v = simd_atom(w->g, at.at[i].atom, NULL);
        if (is_counter(w, v)) offset += (Wide)at.at[i].k * LLVMConstIntGetSExtValue(w->c.lo);
        else if (v != object || at.at[i].k != 1) return false;
    }
    int64_t bytes = simd_bytes(w->g, LLVMTypeOf(w->load));
    return offset >= 0 && offset + bytes <= simd_bytes(w->g, LLVMGetAllocatedType(object));
}

/* A check before it may be what makes the first access valid. */
static bool is_behind_check(const Carry *w) {
    int head = w->c.loop->header, first = value_map_get(w->g->block_of, simd_succ(w->g, head, w->c.leaves_by_true));
    return w->c.checks && value_map_get(w->g->block_of, LLVMGetInstructionParent(w->load)) != first;
}

static bool is_plain_load(LLVMValueRef v) { return LLVMIsALoadInst(v) && !simd_is_atomic(v) && !LLVMGetVolatile(v); }

static bool find_source(Carry *w, bool of_load) {
    LLVMValueRef object = simd_object(LLVMGetOperand(w->load, 0));
    bool clear;
    bool is_own = LLVMIsAAllocaInst(object) || simd_is_param(object, "noalias");
    if (!is_own || (is_behind_check(w) && !is_valid_first(w))) return false;
    LLVMValueRef store = only_store(w, object, &clear);
    if (!clear) return false;
    if (!of_load) {
        w->from = store;
        return store && is_one_ahead(w, store);
    }
    for (int i = 0; i < w->c.n && is_kept(w, store); i++) {
        w->from = w->g->values.at[w->c.of[i]].v;
        if (is_plain_load(w->from) && w->from != w->load && is_one_ahead(w, w->from)) return true;
    }
    return false;
}

/* The first iteration's address ------------------------------------------------------------------------------------ */

enum { FAR = 12 };

static bool is_known_before(const Carry *w, LLVMValueRef v, int depth) {
    if (!simd_is_in_counted(w->g, &w->c, v)) return true;
    if (LLVMIsAPHINode(v)) return LLVMGetInstructionParent(v) == w->c.head;
    if (depth > FAR || !(simd_is_plain(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v))) return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_known_before(w, LLVMGetOperand(v, (unsigned)i), depth + 1)) return false;
    return true;
}

static LLVMValueRef before(const Carry *w, LLVMBuilderRef b, LLVMValueRef v) {
    if (!simd_is_in_counted(w->g, &w->c, v)) return v;
    if (LLVMIsAPHINode(v)) return simd_coming(&w->c, v, false);
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(copy, (unsigned)i, before(w, b, LLVMGetOperand(v, (unsigned)i)));
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

/* The change ------------------------------------------------------------------------------------------------------- */

static LLVMBasicBlockRef new_block(Cg *cg, const Carry *w, const char *name) {
    return LLVMInsertBasicBlockInContext(cg->ctx, w->c.head, name);
}

/* On the edge into the loop: the element, if there is a first iteration. */
static LLVMValueRef read_first(Cg *cg, const Carry *w, LLVMBasicBlockRef *last) {
    LLVMBasicBlockRef ask = new_block(cg, w, "carry"), read = new_block(cg, w, "first");
    LLVMBuilderRef b = cg->b;
    *last = new_block(cg, w, "carried");
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(w->c.before);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(enter); i++)
        if (LLVMGetSuccessor(enter, i) == w->c.head) LLVMSetSuccessor(enter, i, ask);
    LLVMPositionBuilderAtEnd(b, ask);
    LLVMIntPredicate stays = w->c.includes_hi ? LLVMIntSLE : LLVMIntSLT;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, stays, w->c.lo, w->c.hi, ""), read, *last);
    LLVMPositionBuilderAtEnd(b, read);
    LLVMValueRef v = LLVMInstructionClone(w->load);
    LLVMSetOperand(v, 0, before(w, b, LLVMGetOperand(w->load, 0)));
    LLVMInsertIntoBuilder(b, v);
    LLVMBuildBr(b, *last);
    LLVMPositionBuilderAtEnd(b, *last);
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v), ""), values[2] = {v, LLVMGetPoison(LLVMTypeOf(v))};
    LLVMBasicBlockRef blocks[2] = {read, ask};
    LLVMAddIncoming(phi, values, blocks, 2);
    LLVMBuildBr(b, w->c.head);
    return phi;
}

static void carry(Cg *cg, const Carry *w) {
    LLVMBuilderRef b = cg->b;
    LLVMBasicBlockRef last;
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(w->load));
    LLVMValueRef first = read_first(cg, w, &last);
    LLVMValueRef next = LLVMIsAStoreInst(w->from) ? LLVMGetOperand(w->from, 0) : w->from;
    simd_replace_incoming(b, w->c.head, w->c.before, last);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(w->c.head));
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(w->load), "");
    LLVMReplaceAllUsesWith(w->load, phi);
    if (next == w->load) next = phi;
    LLVMValueRef values[2] = {first, next};
    LLVMBasicBlockRef blocks[2] = {last, w->c.body};
    LLVMAddIncoming(phi, values, blocks, 2);
    LLVMInstructionEraseFromParent(w->load);
}

/* What a load has read is passed on as long as that load is there; so these go first. */
static bool carry_one(Cg *cg, const SimdRegion *g) {
    for (int of_load = 1; of_load >= 0; of_load--)
        for (int l = 0; l < g->loops.n; l++) {
            Carry w = {.g = g, .loop = l};
            if (!simd_find_counted_narrow(g, l, &w.c)) continue;
            for (int i = 0; i < w.c.n; i++) {
                w.load = g->values.at[w.c.of[i]].v;
                if (!is_plain_load(w.load) || !find_source(&w, of_load)) continue;
                if (!is_known_before(&w, LLVMGetOperand(w.load, 0), 0)) continue;
                carry(cg, &w);
                return true;
            }
        }
    return false;
}

bool simd_carry_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false;
    while (simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) && simd_privates(&g) && carry_one(cg, &g))
        any = true;
    return any;
}
