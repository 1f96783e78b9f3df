/* promote.c -- scalar promotion: an element of an array that a loop of an item reads and writes in each iteration, as
 * in `for k in 0..n { c[i, j] += a[i, k] * b[k, j]; }`, is kept in a register while the loop runs: loaded once before
 * the loop and stored once after it. LLVM's licm does the same, but would promote in the loops over items, too, whose
 * form the vectoriser relies on; and of two facts it knows nothing: what the arrays hold after a failed check is
 * unspecified (reference 17), so the exit of a failed check stores nothing; and an item that has written an element
 * before the loop may write it again, because no other item may access that element meanwhile.
 *
 * Legal where the address is loop-invariant, every other access of the loop is of another object or of the same
 * address, and the array has one name in the function (noalias). An item that has not written the element before must
 * write it in every iteration; then load and store are guarded by the condition that the loop is entered with. */
#include "irgen/simd/simd.h"

enum { FAR = 12 };

typedef struct Candidate {
    const SimdRegion *g;
    int loop;
    LLVMValueRef pointer;     /* of a store in the loop */
    LLVMValueRef load, store; /* one of each, to be cloned; load NULL: the loop only writes */
    LLVMBasicBlockRef before; /* the loop's only predecessor */
} Candidate;

/* The address ------------------------------------------------------------------------------------------------------ */

static bool is_in_loop(const Candidate *c, LLVMValueRef v) {
    int i = value_map_get(c->g->value_of, v);
    return i >= 0 && c->g->loops.at[c->loop].has[c->g->values.at[i].block];
}

/* The same place? Blocks of which neither dominates the other have their own copies of an address. */
static bool is_same(const Candidate *c, LLVMValueRef a, LLVMValueRef b) {
    int64_t by;
    return simd_goes_on_by(c->g, a, b, &by) && by == 0;
}

/* The address before the loop: the builder is there. */
static LLVMValueRef hoisted(const Candidate *c, LLVMBuilderRef b, LLVMValueRef v) {
    if (!is_in_loop(c, v)) return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(copy, (unsigned)i, hoisted(c, b, LLVMGetOperand(v, (unsigned)i)));
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

/* Other accesses --------------------------------------------------------------------------------------------------- */

LLVMValueRef simd_accessed(LLVMValueRef v) {
    if (LLVMIsALoadInst(v) || LLVMIsAAtomicRMWInst(v)) return LLVMGetOperand(v, 0);
    return LLVMIsAStoreInst(v) ? LLVMGetOperand(v, 1) : NULL;
}

bool simd_is_other_object(LLVMValueRef pointer, LLVMValueRef object) {
    LLVMValueRef other = simd_object(pointer);
    return other != object && (LLVMIsAArgument(other) || LLVMIsAAllocaInst(other) || LLVMIsAGlobalVariable(other) ||
                               LLVMIsALoadInst(other) || simd_is_group_memory(other));
}

/* An atomic access of another object says nothing of the order of the others. */
static bool is_unordered(LLVMValueRef v) { return LLVMGetOrdering(v) <= LLVMAtomicOrderingMonotonic; }

bool simd_touches_no_memory(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMCall) return simd_is_remark(v) || simd_is_pure_call(v);
    return op != LLVMAtomicCmpXchg && op != LLVMFence && op != LLVMInvoke;
}

static bool has_plain_access(const Candidate *c, LLVMValueRef v, LLVMTypeRef t) {
    LLVMTypeRef own = simd_element(v);
    bool is_plain = !LLVMIsAAtomicRMWInst(v) && !simd_is_atomic(v) && !LLVMGetVolatile(v);
    return own == t && is_plain && is_same(c, simd_accessed(v), c->pointer);
}

/* Is the loop's only use of the object the element itself? Finds a load, if there is one. */
static bool is_alone(Candidate *c, LLVMValueRef object) {
    const SimdRegion *g = c->g;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(c->store, 0));
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef v = g->values.at[i].v, pointer = simd_accessed(v);
        const SimdBlock *block = &g->blocks.at[g->values.at[i].block];
        if (block->leaves ? !pointer : !g->loops.at[c->loop].has[g->values.at[i].block]) continue;
        if (!pointer && !simd_touches_no_memory(v)) return false;
        if (!pointer || (simd_is_other_object(pointer, object) && is_unordered(v))) continue;
        if (block->leaves || !has_plain_access(c, v, t)) return false; /* a report may read the element */
        if (LLVMIsALoadInst(v)) c->load = v;
    }
    return true;
}

/* Safety ----------------------------------------------------------------------------------------------------------- */

/* Has the item stored the element on every path to the loop? The address that is stored to is one that it has computed:
 * another spelling of the same may be poison (place.c). */
static bool is_stored_before(Candidate *c) {
    const SimdRegion *g = c->g;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(c->store, 0));
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (!LLVMIsAStoreInst(value->v) || g->loops.at[c->loop].has[value->block]) continue;
        if (!has_plain_access(c, value->v, t)) continue;
        if (!simd_dominates(g, value->block, g->loops.at[c->loop].header)) continue;
        c->pointer = simd_accessed(value->v);
        return true;
    }
    return false;
}

/* Does every iteration store the element before anything can end it? Then the condition of the header says whether
 * there is a first iteration; it is asked of the loop's initial values. */
static bool is_stored_always(Candidate *c) {
    const SimdRegion *g = c->g;
    const SimdLoop *l = &g->loops.at[c->loop];
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->blocks.at[l->header].bb);
    if (simd_n_succ(g, l->header) != 2 || LLVMGetInstructionOpcode(LLVMGetCondition(enter)) == LLVMPHI) return false;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; l->has[b] && b != l->header && i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s < 0 || (!l->has[s] && !g->blocks.at[s].leaves)) return false;
        }
    int first = value_map_get(g->block_of, simd_succ(g, l->header, 0));
    if (first < 0 || !l->has[first] || first == l->header)
        first = value_map_get(g->block_of, simd_succ(g, l->header, 1));
    for (int b = first; b != l->header && l->has[b]; b = value_map_get(g->block_of, simd_succ(g, b, 0))) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(g->blocks.at[b].bb); v; v = LLVMGetNextInstruction(v))
            if (LLVMIsAStoreInst(v) && is_same(c, simd_accessed(v), c->pointer) &&
                simd_may_hoist(g, c->loop, simd_accessed(v))) {
                c->pointer = simd_accessed(v);
                return true;
            }
        if (simd_n_succ(g, b) != 1) return false;
    }
    return false;
}

/* The header's condition for the first iteration: NULL if it is more than arithmetic. The builder is before the loop.
 */
static LLVMValueRef at_entry(const Candidate *c, LLVMBuilderRef b, LLVMValueRef v, int depth) {
    if (!is_in_loop(c, v)) return v;
    LLVMBasicBlockRef header = c->g->blocks.at[c->g->loops.at[c->loop].header].bb;
    if (LLVMIsAPHINode(v)) {
        for (unsigned i = 0; LLVMGetInstructionParent(v) == header && i < LLVMCountIncoming(v); i++)
            if (LLVMGetIncomingBlock(v, i) == c->before) return LLVMGetIncomingValue(v, i);
        return NULL;
    }
    if (!(simd_is_plain(v) || LLVMIsAICmpInst(v)) || depth > FAR) return NULL;
    LLVMValueRef with[2] = {NULL};
    int n = LLVMGetNumOperands(v);
    if (n > 2) return NULL;
    for (int i = 0; i < n; i++)
        if (!(with[i] = at_entry(c, b, LLVMGetOperand(v, (unsigned)i), depth + 1))) return NULL;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < n; i++) LLVMSetOperand(copy, (unsigned)i, with[i]);
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

/* One edge into the loop, and exits that have no predecessors outside of it, so that a store may begin them. */
static bool has_own_ends(Candidate *c) {
    const SimdRegion *g = c->g;
    const SimdLoop *l = &g->loops.at[c->loop];
    int n_ways_in = 0;
    for (int b = 0; b < g->blocks.n; b++)
        for (int i = 0; i < simd_n_succ(g, b); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            if (s < 0 && l->has[b]) return false;
            if (!l->has[b] && s == l->header) {
                c->before = g->blocks.at[b].bb;
                n_ways_in++;
            }
            for (int k = 0; s >= 0 && l->has[b] && !l->has[s] && !g->blocks.at[s].leaves && k < g->blocks.n; k++)
                for (int j = 0; !l->has[k] && j < simd_n_succ(g, k); j++)
                    if (simd_succ(g, k, j) == g->blocks.at[s].bb) return false;
        }
    return n_ways_in == 1 && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(c->before)) == 1;
}

/* The change ------------------------------------------------------------------------------------------------------- */

static void copy_element(LLVMBuilderRef b, const Candidate *c, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef v = LLVMBuildLoad2(b, LLVMTypeOf(LLVMGetOperand(c->store, 0)), from, "");
    LLVMSetAlignment(v, LLVMGetAlignment(c->store));
    LLVMSetAlignment(LLVMBuildStore(b, v, to), LLVMGetAlignment(c->store));
}

static LLVMBasicBlockRef new_block(const Candidate *c, const char *name) {
    return LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(c->pointer)), c->g->fn, name);
}

/* A phi's blocks cannot be replaced: a new phi takes its place. */
void simd_replace_incoming(LLVMBuilderRef b, LLVMBasicBlockRef at, LLVMBasicBlockRef old, LLVMBasicBlockRef by) {
    LLVMValueRef next;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(at); LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef made = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef v = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
            if (from == old) from = by;
            if (from) LLVMAddIncoming(made, &v, &from, 1);
        }
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* Before the loop, in a block of its own if there may be no iteration. The first store keeps one item's element from
 * being live into the next item. */
static void load_before(LLVMBuilderRef b, const Candidate *c, LLVMValueRef guard, LLVMValueRef at, LLVMValueRef slot) {
    LLVMBasicBlockRef header = c->g->blocks.at[c->g->loops.at[c->loop].header].bb;
    if (!guard) {
        copy_element(b, c, at, slot);
        return;
    }
    LLVMBasicBlockRef load = new_block(c, "promote"), on = new_block(c, "promoted");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(c->before));
    LLVMPositionBuilderAtEnd(b, c->before);
    LLVMBuildStore(b, LLVMGetPoison(LLVMTypeOf(LLVMGetOperand(c->store, 0))), slot);
    LLVMBuildCondBr(b, guard, load, on);
    LLVMPositionBuilderAtEnd(b, load);
    copy_element(b, c, at, slot);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    LLVMBuildBr(b, header);
    simd_replace_incoming(b, header, c->before, on);
}

static void store_at(LLVMBuilderRef b, const Candidate *c, LLVMValueRef at, LLVMValueRef slot, LLVMBasicBlockRef exit) {
    LLVMValueRef first = LLVMGetFirstInstruction(exit);
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(b, first);
    copy_element(b, c, slot, at);
}

/* On the edge from the header to the exit. */
static void store_if(LLVMBuilderRef b, const Candidate *c, LLVMValueRef guard, LLVMValueRef at, LLVMValueRef slot,
                     int way) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(c->g->blocks.at[c->g->loops.at[c->loop].header].bb);
    LLVMBasicBlockRef exit = LLVMGetSuccessor(branch, (unsigned)way);
    LLVMBasicBlockRef ask = new_block(c, "demote"), store = new_block(c, "demoted");
    LLVMSetSuccessor(branch, (unsigned)way, ask);
    LLVMPositionBuilderAtEnd(b, ask);
    LLVMBuildCondBr(b, guard, store, exit);
    LLVMPositionBuilderAtEnd(b, store);
    copy_element(b, c, slot, at);
    LLVMBuildBr(b, exit);
}

static void store_after(LLVMBuilderRef b, const Candidate *c, LLVMValueRef guard, LLVMValueRef at, LLVMValueRef slot) {
    const SimdRegion *g = c->g;
    const SimdLoop *l = &g->loops.at[c->loop];
    bool *done = arena_array(g->arena, bool, g->blocks.n);
    for (int k = 0; k < g->blocks.n; k++)
        for (int i = 0; l->has[k] && i < simd_n_succ(g, k); i++) {
            int s = value_map_get(g->block_of, simd_succ(g, k, i));
            if (s < 0 || l->has[s] || g->blocks.at[s].leaves || done[s]) continue;
            done[s] = true;
            if (guard) store_if(b, c, guard, at, slot, i);
            else store_at(b, c, at, slot, g->blocks.at[s].bb);
        }
}

/* Before any phi is replaced: the region's list of values still names those of the header. */
static void use_slot(const Candidate *c, LLVMValueRef slot) {
    for (int i = 0; i < c->g->values.n; i++) {
        LLVMValueRef v = c->g->values.at[i].v, pointer = simd_accessed(v);
        if (!pointer || !is_in_loop(c, v) || !is_same(c, pointer, c->pointer)) continue;
        LLVMSetOperand(v, LLVMIsAStoreInst(v) ? 1 : 0, slot);
    }
}

static bool promote(Cg *cg, Candidate *c) {
    const SimdRegion *g = c->g;
    const SimdLoop *l = &g->loops.at[c->loop];
    if (!has_own_ends(c) || !is_alone(c, simd_object(c->pointer))) return false;
    bool before = is_stored_before(c);
    if (!before && !is_stored_always(c)) return false;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->blocks.at[l->header].bb), guard = NULL;
    LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(c->before));
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(enter));
    if (!before) {
        int first = value_map_get(g->block_of, LLVMGetSuccessor(enter, 0));
        bool goes_in = first >= 0 && l->has[first];
        if (LLVMIsAPHINode(LLVMGetFirstInstruction(LLVMGetSuccessor(enter, goes_in)))) return false;
        guard = at_entry(c, cg->b, LLVMGetCondition(enter), 0);
        if (!guard) return false;
        if (!goes_in) guard = LLVMBuildNot(cg->b, guard, "");
    }
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(c->store, 0));
    LLVMValueRef at = hoisted(c, cg->b, c->pointer);
    LLVMPositionBuilderBefore(cg->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(g->fn)));
    LLVMValueRef slot = LLVMBuildAlloca(cg->b, t, "element");
    use_slot(c, slot);
    store_after(cg->b, c, guard, at, slot);
    LLVMPositionBuilderBefore(cg->b, LLVMGetBasicBlockTerminator(c->before));
    load_before(cg->b, c, guard, at, slot);
    return true;
}

/* The first loop, from the outermost on, that has an element to promote. */
static bool promote_one(Cg *cg, const SimdRegion *g) {
    bool *done = arena_array(g->arena, bool, g->loops.n + 1);
    for (int n = 0; n < g->loops.n; n++) {
        int largest = -1;
        for (int l = 0; l < g->loops.n; l++)
            if (!done[l] && (largest < 0 || g->loops.at[l].size > g->loops.at[largest].size)) largest = l;
        done[largest] = true;
        for (int i = 0; i < g->values.n; i++) {
            const SimdValue *value = &g->values.at[i];
            if (!LLVMIsAStoreInst(value->v) || !g->loops.at[largest].has[value->block]) continue;
            Candidate c = {.g = g, .loop = largest, .pointer = LLVMGetOperand(value->v, 1), .store = value->v};
            if (!simd_is_param(simd_object(c.pointer), "noalias") || !simd_may_hoist(g, largest, c.pointer)) continue;
            if (promote(cg, &c)) return true;
        }
    }
    return false;
}

bool simd_promote_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    SimdRegion g;
    bool any = false;
    while (simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch) && promote_one(cg, &g)) any = true;
    return any;
}
