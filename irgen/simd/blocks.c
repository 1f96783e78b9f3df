/* blocks.c -- building blocks for rows.c: counters in memory that SROA promotes, counted loops, masks of tails, and one
 * block of items as vector code. */
#include "irgen/simd/nest.h"

#include <string.h>

LLVMBasicBlockRef nest_block(Items *n, const char *name) {
    return LLVMAppendBasicBlockInContext(n->cg->ctx, n->g->fn, name);
}

LLVMValueRef nest_counter(Items *n, LLVMValueRef from, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(n->allocas));
    LLVMValueRef at = LLVMBuildAlloca(n->b, n->cg->i64, name);
    LLVMPositionBuilderAtEnd(n->b, here);
    LLVMBuildStore(n->b, from, at);
    return at;
}

LLVMValueRef nest_count(Items *n, LLVMValueRef counter) { return LLVMBuildLoad2(n->b, n->cg->i64, counter, ""); }

void nest_step(Items *n, LLVMValueRef counter, int by) {
    LLVMBuildStore(n->b, LLVMBuildNSWAdd(n->b, nest_count(n, counter), cg_i64(n->cg, by), ""), counter);
}

/* Lanes of the block that are still items of the row: the lane's number below hi - x. */
LLVMValueRef nest_row_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef hi) {
    LLVMValueRef left = LLVMBuildSub(e->b, hi, x, ""), width = cg_i64(e->cg, e->shape.width);
    left = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, left, width, ""), left, width, "");
    left = LLVMBuildTrunc(e->b, left, e->cg->i32, "");
    return LLVMBuildICmp(e->b, LLVMIntSLT, simd_iota(e, e->cg->i32, 1), simd_splat(e, left), "");
}

/* Lanes of the block that are items of the row already: from lo on. */
LLVMValueRef nest_begun_mask(SimdEmit *e, LLVMValueRef x, LLVMValueRef lo) {
    LLVMValueRef before = LLVMBuildTrunc(e->b, LLVMBuildSub(e->b, lo, x, ""), e->cg->i32, "");
    return LLVMBuildICmp(e->b, LLVMIntSGE, simd_iota(e, e->cg->i32, 1), simd_splat(e, before), "");
}

/* The block in which the row begins, at lo. */
void nest_write_begin(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef lo) {
    SimdEmit e = {.g = n->g, .target = n->target, .streams = n->streams, .cg = n->cg, .b = n->b, .allocas = n->allocas,
                  .shape = shape};
    LLVMValueRef *mask = arena_array(n->g->arena, LLVMValueRef, shape.rows), one = nest_begun_mask(&e, x, lo);
    for (int i = 0; i < shape.rows; i++) mask[i] = one;
    simd_region_emit(&e, x, y, mask);
}

/* hi NULL: all lanes are items; past: stores of n->past go past the caches */
void nest_write_block(Items *n, SimdShape shape, LLVMValueRef x, LLVMValueRef y, LLVMValueRef hi, bool past) {
    SimdEmit e = {.g = n->g, .target = n->target, .streams = n->streams, .cg = n->cg, .b = n->b, .allocas = n->allocas,
                  .shape = shape, .settled = n->settled, .rare = n->rare || hi};
    LLVMValueRef *mask = NULL;
    if (past) e.past = n->past;
    if (hi) {
        mask = arena_array(n->g->arena, LLVMValueRef, shape.rows * shape.vectors);
        for (int v = 0; v < shape.vectors; v++) {
            LLVMValueRef from = v ? LLVMBuildNSWAdd(n->b, x, cg_i64(n->cg, v * shape.width), "") : x;
            LLVMValueRef one = nest_row_mask(&e, from, hi);
            for (int row = 0; row < shape.rows; row++) mask[row * shape.vectors + v] = one;
        }
        if (shape.vectors == 1) {
            LLVMValueRef last = LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, shape.width), "");
            e.inside = *mask;
            e.all_inside = LLVMBuildICmp(n->b, LLVMIntSLE, x, last, "");
        }
    }
    simd_region_emit(&e, x, y, mask);
}

static void say(Cg *cg, LLVMValueRef latch, LLVMMetadataRef property) {
    LLVMMetadataRef self = LLVMTemporaryMDNode(cg->ctx, NULL, 0), parts[2] = {self, property};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(cg->ctx, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(cg->ctx, "llvm.loop", 9), LLVMMetadataAsValue(cg->ctx, loop));
}

void simd_say_of_loop(Cg *cg, LLVMValueRef latch, const char *what) {
    LLVMMetadataRef text = LLVMMDStringInContext2(cg->ctx, what, strlen(what));
    say(cg, latch, LLVMMDNodeInContext2(cg->ctx, &text, 1));
}

void simd_keep_scalar(Cg *cg, LLVMValueRef latch) {
    static const char what[] = "llvm.loop.vectorize.enable";
    LLVMMetadataRef no = LLVMValueAsMetadata(LLVMConstInt(cg->i1, 0, false));
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(cg->ctx, what, sizeof what - 1), no};
    say(cg, latch, LLVMMDNodeInContext2(cg->ctx, parts, 2));
}

/* In blocks there is enough to do at a time; written several times, known rounds would make registers of what a group
 * keeps in memory, far more than there are. */
void keep_rolled(Items *n, LLVMValueRef latch) { simd_say_of_loop(n->cg, latch, "llvm.loop.unroll.disable"); }

Loop nest_loop_begin(Items *n, LLVMValueRef counter, LLVMValueRef lo, LLVMValueRef hi, int by, bool whole,
                     const char *name) {
    if (simd_trips(lo, hi) == by) return (Loop){.counter = counter, .at = lo, .by = by};
    Loop l = {.head = nest_block(n, name), .done = nest_block(n, "done"), .counter = counter, .by = by};
    LLVMBasicBlockRef body = nest_block(n, "block");
    LLVMBuildBr(n->b, l.head);
    LLVMPositionBuilderAtEnd(n->b, l.head);
    l.at = nest_count(n, counter);
    LLVMValueRef last = whole ? LLVMBuildNSWSub(n->b, hi, cg_i64(n->cg, by - 1), "") : hi;
    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntSLT, l.at, last, ""), body, l.done);
    LLVMPositionBuilderAtEnd(n->b, body);
    return l;
}

void nest_loop_end(Items *n, Loop *l) {
    nest_step(n, l->counter, l->by);
    if (!l->head) return;
    LLVMValueRef latch = LLVMBuildBr(n->b, l->head);
    if (n->g->loops.n || simd_trips(n->g->x_lo, n->g->x_hi)) keep_rolled(n, latch);
    LLVMPositionBuilderAtEnd(n->b, l->done);
}
