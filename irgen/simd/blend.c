/* blend.c -- speculative stores: a store under a condition is executed by all lanes, and a masked-off lane writes back
 * the value that it has read. On some processors a masked store takes tens of operations, and a scatter under a mask a
 * branch for each lane.
 *
 * Legal where every item of the nest has read the element before the condition is tested. Then the element exists; and
 * no other item may write it while the nest runs, because that item and the one that reads would race. So the value
 * read is still the value of the element, and writing it back changes nothing. Atomic updates do not race with each
 * other, and another item may read between two of them: arrays with updates are left alone. */
#include "irgen/simd/simd.h"

static bool reaches(const SimdRegion *g, int from, int to, int without, bool *seen) {
    if (from == to) return true;
    if (from < 0 || from == without || seen[from]) return false;
    seen[from] = true;
    for (int i = 0; i < simd_n_succ(g, from); i++)
        if (reaches(g, value_map_get(g->block_of, simd_succ(g, from, i)), to, without, seen)) return true;
    return false;
}

/* Does every way to block `to` lead through `by`? */
bool simd_dominates(const SimdRegion *g, int by, int to) {
    int first = value_map_get(g->block_of, g->body);
    return by == to || !reaches(g, first, to, by, arena_array(g->arena, bool, g->blocks.n));
}

/* A kernel's array or a group's memory: each has one name in its function. */
static bool has_name(LLVMValueRef memory) { return LLVMIsAArgument(memory) || LLVMIsACallInst(memory); }

/* Anything but reading and storing. */
static bool is_update(LLVMValueRef v) {
    if (LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v)) return true;
    LLVMValueRef fn = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    return fn && !(LLVMIsAFunction(fn) && LLVMGetIntrinsicID(fn));
}

static void note_updated(ValueMap *updated, LLVMValueRef inst, LLVMValueRef fn) {
    for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
        LLVMValueRef memory = simd_object(LLVMGetOperand(inst, (unsigned)k));
        if (LLVMGetTypeKind(LLVMTypeOf(memory)) != LLVMPointerTypeKind) continue;
        bool is_other = LLVMIsAAllocaInst(memory) || LLVMIsAConstant(memory);
        if (!is_other) value_map_put(updated, has_name(memory) ? memory : fn, 1);
    }
}

/* What is done to memory other than reading and storing: memory with a name by itself, else the function. To be asked
 * before the first nest is written anew. */
ValueMap *simd_find_updated(Cg *cg) {
    ValueMap *updated = value_map_new(&cg->c->arena, 8);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v))
                if (is_update(v)) note_updated(updated, v, fn);
    return updated;
}

static bool is_without_updates(const SimdRegion *g, const ValueMap *updated, LLVMValueRef pointer) {
    LLVMValueRef memory = simd_object(pointer);
    return has_name(memory) && value_map_get(updated, memory) < 0 && value_map_get(updated, g->fn) < 0;
}

/* What every item reads of the store's element, on its way to the store: -1 if nothing. */
static int read_before(const SimdRegion *g, const SimdValue *store) {
    LLVMValueRef at = LLVMGetOperand(store->v, 1);
    int64_t bytes = simd_bytes(g, LLVMTypeOf(LLVMGetOperand(store->v, 0)));
    for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int i = LLVMIsALoadInst(user) ? value_map_get(g->value_of, user) : -1;
        if (i < 0 || simd_bytes(g, LLVMTypeOf(user)) != bytes || LLVMGetVolatile(user)) continue;
        int block = g->values.at[i].block;
        if (!g->blocks.at[block].leaves && !simd_may_miss(g, block) && simd_dominates(g, block, store->block)) return i;
    }
    return -1;
}

/* Does every item that comes to block `from` go on to `to`, unless it fails? */
static bool goes_on_to(const SimdRegion *g, int from, int to) {
    while (from >= 0 && from != to) from = g->blocks.at[from].goes_on;
    return from == to;
}

/* Speculative store: a masked-off lane writes back the value that it has read. Legal if only stores
 * under the same condition write this array. */
static bool is_still_there(const SimdRegion *g, const SimdValue *store) {
    LLVMValueRef memory = simd_object(LLVMGetOperand(store->v, 1));
    if (g->blocks.at[store->block].loop >= 0) return false;
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *other = &g->values.at[i];
        bool counts = LLVMIsAStoreInst(other->v) && other->private_of < 0 && !g->blocks.at[other->block].leaves;
        if (!counts || goes_on_to(g, other->block, store->block) || goes_on_to(g, store->block, other->block)) continue;
        LLVMValueRef to = simd_object(LLVMGetOperand(other->v, 1));
        if (to == memory || !has_name(to)) return false;
    }
    return true;
}

void simd_blends(SimdRegion *g, const ValueMap *updated) {
    for (int i = 0; i < g->values.n; i++) {
        SimdValue *value = &g->values.at[i];
        value->read_before = -1;
        value->is_still_there = false;
        if (!LLVMIsAStoreInst(value->v) || value->private_of >= 0 || !simd_may_miss(g, value->block)) continue;
        if (!simd_allows(g, BLEND) || simd_is_atomic(value->v)) continue;
        if (g->blocks.at[value->block].leaves || !is_without_updates(g, updated, LLVMGetOperand(value->v, 1))) continue;
        value->read_before = read_before(g, value);
        value->is_still_there = value->read_before >= 0 && is_still_there(g, value);
    }
}
