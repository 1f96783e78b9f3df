/* boscc.c -- branch on superword condition codes: what costs more under a mask is worth a second version of its block,
 * for the usual case that no lane is missing. Lane by lane, each live lane takes a branch; accesses are slow on
 * machines without mask registers. control.c writes the versions. */
#include "irgen/simd/emit.h"

static bool is_made_by_lane(const SimdRegion *g, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg) return true;
    return op == LLVMCall && !simd_is_remark(value->v) && !simd_has_vector_form(value->v) &&
           value->rate.x == LANE_VARYING && !simd_has_vector_update(g, value->v, value->block);
}

bool simd_makes_by_lane(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves && is_made_by_lane(g, &g->values.at[i])) return true;
    return false;
}

static bool costs_more_masked(const SimdEmit *e, const SimdValue *value) {
    if (value->private_of >= 0) return false;
    if (is_made_by_lane(e->g, value)) return true;
    if (!simd_is_access(value->v) || e->target->mask_registers) return false;
    return simd_address_rate(e->g, value).x != LANE_UNIFORM && !simd_blends_store(e, value);
}

static bool block_gains(const SimdEmit *e, int block) {
    const SimdBlock *b = &e->g->blocks.at[block];
    for (int i = b->first; i < b->first + b->n && b->guarded; i++)
        if (costs_more_masked(e, &e->g->values.at[i])) return true;
    return false;
}

bool simd_gains_without_mask(const SimdEmit *e, int block) {
    if (!simd_allows(e->g, BOSCC)) return false;
    for (int b = block; b >= 0; b = e->g->blocks.at[b].goes_on)
        if (block_gains(e, b)) return true;
    return false;
}

/* How many stores by all lanes; -1: there is something else, or a check that may fail. */
static int n_blends(SimdEmit *e, int block) {
    const SimdRegion *g = e->g;
    const SimdBlock *b = &g->blocks.at[block];
    LLVMValueRef check = simd_check_of(g, block);
    int stores = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        const SimdValue *value = &g->values.at[i];
        if (LLVMIsATerminatorInst(value->v) || simd_is_remark(value->v)) continue;
        if (!LLVMIsAStoreInst(value->v) || !simd_blends_store(e, value)) return -1;
        if (!simd_is_group_memory(simd_address(value->v)) || !simd_is_beside(g, value)) return -1;
        stores++;
    }
    return check && !LLVMIsAConstantInt(check) ? -1 : stores;
}

/* Nothing but a few stores by all lanes, vectors into memory of the group: that costs less than a branch which goes now
 * this way, now that. So it does in an array where a bit of the block turns the comparison: who sorts stores as often
 * as not. */
bool simd_only_blends(SimdEmit *e, int block) {
    enum { FEW = 4 };
    int stores = 0;
    for (int b = block; b >= 0; b = e->g->blocks.at[b].goes_on) {
        int n = n_blends(e, b);
        if (n < 0) return false;
        stores += n;
    }
    return stores <= FEW;
}
