/* ahead.c -- software prefetching for long rows. Hardware prefetchers follow streams by themselves, but stop at page
 * boundaries, and are slow to detect the streams of a row of one or two KiB that reads three planes, and three rows of
 * one of them. Rows with non-temporal stores belong to arrays larger than the caches, and so do, mostly, the arrays
 * that these rows read: from each of those that is read at many places, the line that is read farthest ahead is
 * prefetched some rows early. */
#include "irgen/simd/emit.h"

void simd_prefetch(Cg *cg, LLVMValueRef place, SimdCache cache) {
    enum { TO_READ = 0, DATA = 1 };
    unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", 13);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(cg->module, id, &cg->ptr, 1);
    LLVMValueRef args[4] = {place, cg_i32(cg, TO_READ), cg_i32(cg, cache), cg_i32(cg, DATA)};
    LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fn), fn, args, 4, "");
}

static void add(SimdAhead *ahead, Cg *cg, SimdRegion *g, LLVMValueRef pointer, int64_t bytes, LLVMValueRef x,
                LLVMValueRef y) {
    LLVMValueRef array = simd_object(pointer), at = simd_at(g, cg->b, pointer, x, y);
    if (!at || !LLVMIsAArgument(array)) return;
    at = LLVMBuildFreeze(cg->b, at, "");
    for (int i = 0; i < ahead->n; i++) {
        SimdLead *lead = &ahead->at[i];
        if (lead->array != array) continue;
        LLVMValueRef farther = LLVMBuildICmp(cg->b, LLVMIntUGT, at, lead->at, "");
        lead->at = LLVMBuildSelect(cg->b, farther, at, lead->at, "");
        lead->n_reads++;
        return;
    }
    SimdLead lead = {array, at, bytes, 1};
    vec_push(g->arena, ahead, lead);
}

SimdAhead simd_reads_ahead(Cg *cg, SimdRegion *g, LLVMValueRef x, LLVMValueRef y) {
    SimdAhead ahead = {0};
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        const SimdBlock *block = &g->blocks.at[value->block];
        if (!LLVMIsALoadInst(value->v) || block->leaves || block->loop >= 0 || value->private_of >= 0) continue;
        if (!simd_is_beside(g, value)) continue;
        add(&ahead, cg, g, simd_address(value->v), simd_bytes(g, LLVMTypeOf(value->v)), x, y);
    }
    return ahead;
}

void simd_fetch_ahead(Cg *cg, const SimdAhead *ahead, LLVMValueRef items, int n_items) {
    enum { BYTES_AHEAD = 8192, FEW_READS = 3 };
    for (int i = 0; i < ahead->n && cg_allows(cg, PREFETCH); i++) {
        const SimdLead *lead = &ahead->at[i];
        if (lead->n_reads <= FEW_READS) continue;
        for (int64_t line = 0; line < n_items * lead->bytes; line += SIMD_LINE) {
            LLVMValueRef by = LLVMBuildNSWMul(cg->b, items, cg_i64(cg, lead->bytes), "");
            by = LLVMBuildNSWAdd(cg->b, by, cg_i64(cg, BYTES_AHEAD + line), "");
            simd_prefetch(cg, LLVMBuildGEP2(cg->b, cg->i8, lead->at, &by, 1, ""), FIRST_CACHE);
        }
    }
}

/* Columns ------------------------------------------------------------------------------------------------------------
 */

/* In each round of its loop a block reads another row, a few lines of it, and the next block the lines after these.
 * Hardware prefetchers do not detect so many streams, nor do they start on so few lines. */
void simd_fetch_beside(SimdEmit *e, const SimdValue *load, LLVMValueRef place, int vector) {
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(load->v)) * e->shape.width;
    if (e->g->blocks.at[e->block].loop < 0 || e->rare || !simd_allows(e->g, PREFETCH)) return;
    if (vector * bytes % SIMD_LINE) return;
    LLVMValueRef by = cg_i64(e->cg, e->shape.vectors * bytes);
    simd_prefetch(e->cg, LLVMBuildGEP2(e->b, e->cg->i8, place, &by, 1, ""), SECOND_CACHE);
}
