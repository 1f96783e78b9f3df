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
 *
 * In each round of its loop a block reads another row, a few lines of it, and the next block the lines after these.
 * Hardware prefetchers do not detect so many streams, nor do they start on so few lines. So each round prefetches what
 * the next block will read; or, where a block reads more than the second cache keeps until then, what this one reads
 * some rounds later. */

enum { ITEMS = -1 }; /* in place of a loop: from item to item */

static bool stays(const SimdEmit *e, LLVMValueRef v, int loop) {
    if (loop == ITEMS) return simd_rate(e->g, v, e->block).x == LANE_UNIFORM;
    return value_map_get(e->g->value_of, v) < 0 || simd_is_invariant(e->g, loop, v);
}

/* What v grows by in each round of the loop, as far as that is arithmetic of counters and of what does not change; of
 * no use but for prefetching, which may name any address. NULL: who knows. */
static LLVMValueRef step_of(SimdEmit *e, LLVMValueRef v, int loop, int row, int vector, int depth) {
    enum { FAR = 12 };
    SimdRegion *g = e->g;
    Cg *cg = e->cg;
    LaneRate rate = simd_rate(g, v, e->block);
    if (stays(e, v, loop)) return cg_i64(cg, 0);
    if (loop == ITEMS && rate.x == LANE_LINEAR) return cg_i64(cg, rate.stride);
    if (depth > FAR || !LLVMIsAInstruction(v)) return NULL;
    if (LLVMIsAPHINode(v)) return loop == ITEMS ? NULL : cg_i64(cg, simd_pace(g, v, loop));
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMSExt || op == LLVMZExt || op == LLVMFreeze)
        return step_of(e, LLVMGetOperand(v, 0), loop, row, vector, depth + 1);
    bool is_place = op == LLVMGetElementPtr && LLVMGetNumOperands(v) == 2;
    if (!is_place && op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl) return NULL;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMValueRef x = step_of(e, a, loop, row, vector, depth + 1), y = step_of(e, b, loop, row, vector, depth + 1);
    if (!x || !y) return NULL;
    if (op == LLVMAdd) return LLVMBuildAdd(cg->b, x, y, "");
    if (op == LLVMSub) return LLVMBuildSub(cg->b, x, y, "");
    if (is_place) {
        LLVMValueRef bytes = cg_i64(cg, simd_bytes(g, LLVMGetGEPSourceElementType(v)));
        return LLVMBuildAdd(cg->b, x, LLVMBuildMul(cg->b, y, bytes, ""), "");
    }
    bool moves_first = stays(e, b, loop);
    LLVMValueRef still = moves_first ? b : a, by = moves_first ? x : y;
    if (!stays(e, still, loop)) return NULL;
    if (LLVMTypeOf(still) != cg->i64 || simd_rate(g, still, e->block).x != LANE_UNIFORM) return NULL;
    still = simd_scalar(e, still, row, vector);
    return op == LLVMMul ? LLVMBuildMul(cg->b, by, still, "") : LLVMBuildShl(cg->b, by, still, "");
}

/* The bound of the loop's counter. NULL: it is not the same in all rounds */
static LLVMValueRef bound_of(const SimdRegion *g, int loop) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[loop].header].bb);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return NULL;
    LLVMValueRef test = LLVMGetCondition(branch);
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef bound = LLVMGetOperand(test, 1 - k);
        bool is_of_counter = LLVMIsAPHINode(LLVMGetOperand(test, k));
        bool is_same = value_map_get(g->value_of, bound) < 0 || simd_is_invariant(g, loop, bound);
        if (is_of_counter && is_same && LLVMTypeOf(bound) == LLVMTypeOf(g->x)) return bound;
    }
    return NULL;
}

void simd_fetch_columns(SimdEmit *e, const SimdValue *load, LLVMValueRef place, int row, int vector) {
    enum { ROUNDS_AHEAD = 8, KEPT_BYTES = 128 << 10 };
    int loop = e->g->blocks.at[e->block].loop;
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(load->v)) * e->shape.width, in_block = e->shape.vectors * bytes;
    if (loop < 0 || e->rare || !simd_allows(e->g, PREFETCH) || vector * bytes % SIMD_LINE) return;
    LLVMValueRef by = cg_i64(e->cg, in_block), rounds = bound_of(e->g, loop);
    LLVMValueRef down = rounds ? step_of(e, simd_address(load->v), loop, row, vector, 0) : NULL;
    if (down && simd_rate(e->g, rounds, e->block).x == LANE_UNIFORM) {
        down = LLVMBuildMul(e->b, down, cg_i64(e->cg, ROUNDS_AHEAD), "");
        LLVMValueRef most = cg_i64(e->cg, KEPT_BYTES / in_block);
        LLVMValueRef many = LLVMBuildICmp(e->b, LLVMIntSGT, simd_scalar(e, rounds, row, vector), most, "");
        by = LLVMBuildSelect(e->b, many, down, by, "");
    }
    simd_prefetch(e->cg, LLVMBuildGEP2(e->b, e->cg->i8, place, &by, 1, ""), SECOND_CACHE);
}

/* Rows of the items --------------------------------------------------------------------------------------------------
 *
 * Where each item walks along a row of its own, the rows of all lanes are more streams than hardware prefetchers
 * follow, and each begins anew at the end of a page. If the caches keep a block until the next one begins, what that
 * one will access at the same place of its rows is fetched, or one of the next four where blocks are small; else what
 * this one accesses some rounds later. */

static LLVMValueRef select_below(SimdEmit *e, LLVMValueRef v, int64_t limit, LLVMValueRef yes, LLVMValueRef no) {
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, v, cg_i64(e->cg, limit), ""), yes, no, "");
}

LLVMValueRef simd_ahead_in_rows(SimdEmit *e, const SimdValue *access, int row, int vector) {
    enum { ROUNDS_AHEAD = 8, KEPT_BYTES = 128 << 10, NEAR_BYTES = 4096 };
    LLVMValueRef place = simd_address(access->v);
    int loop = e->g->blocks.at[e->block].loop;
    int64_t pace = loop < 0 ? 0 : simd_pace(e->g, place, loop);
    if (!pace || e->rare || e->shape.rows > 1 || !simd_allows(e->g, PREFETCH)) return NULL;
    LLVMValueRef later = cg_i64(e->cg, pace * ROUNDS_AHEAD), next = step_of(e, place, ITEMS, row, vector, 0);
    if (!next) return later;
    next = LLVMBuildMul(e->b, next, cg_i64(e->cg, e->shape.width * e->shape.vectors), "");
    LLVMValueRef twice = LLVMBuildShl(e->b, next, cg_i64(e->cg, 1), "");
    LLVMValueRef four = LLVMBuildShl(e->b, next, cg_i64(e->cg, 2), "");
    LLVMValueRef far = select_below(e, next, NEAR_BYTES / 2 + 1, twice, next);
    far = select_below(e, next, NEAR_BYTES / 4 + 1, four, far);
    return select_below(e, next, KEPT_BYTES, far, later);
}
