/* stream.c -- stores past the caches. An array that a kernel only writes and that is larger than the last-level cache is
 * not read into it first if it is written with non-temporal stores, which saves a third of the traffic of a triad. The
 * sizes come from irgen, as calls of CG_EXTENT at the beginning of a kernel; whether an array is large is decided there
 * once. Such stores must be aligned to 16 bytes, which is asked of each vector: the answers are always the same. */
#include "irgen/simd/simd.h"

enum { WORTH_ASKING = 8 << 20, SC_LEVEL3_CACHE_SIZE = 194 /* glibc, bits/confname.h */, PART_BYTES = 16 };

/* Is nothing done with this address, or one made from it, but storing? */
static bool only_written(LLVMValueRef pointer) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user)) {
            if (LLVMGetOperand(user, 0) != pointer || !only_written(user)) return false;
        } else if (LLVMIsACallInst(user)) {
            LLVMValueRef fn = LLVMGetCalledValue(user);
            if (fn != LLVMGetNamedFunction(LLVMGetGlobalParent(fn), CG_EXTENT)) return false;
        } else if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) == pointer) {
            return false;
        }
    }
    return true;
}

static LLVMValueRef call(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef *args, int n) {
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, (unsigned)n, "");
}

static LLVMValueRef sysconf_function(Cg *cg) {
    LLVMTypeRef what = cg->i32;
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, "sysconf");
    return fn ? fn : LLVMAddFunction(cg->module, "sysconf", LLVMFunctionType(cg->i64, &what, 1, false));
}

static LLVMValueRef cache_size_global(Cg *cg) {
    LLVMValueRef known = LLVMAddGlobal(cg->module, cg->i64, "kdsl.cache");
    LLVMSetLinkage(known, LLVMInternalLinkage);
    LLVMSetInitializer(known, cg_i64(cg, 0));
    return known;
}

/* What the system says, no less than what is worth asking for; kept in `known`. */
static LLVMValueRef ask_cache_size(Cg *cg, LLVMBuilderRef b, LLVMValueRef known) {
    LLVMValueRef what = cg_i32(cg, SC_LEVEL3_CACHE_SIZE), least = cg_i64(cg, WORTH_ASKING);
    LLVMValueRef size = call(b, sysconf_function(cg), &what, 1);
    size = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, size, least, ""), size, least, "");
    LLVMSetOrdering(LLVMBuildStore(b, size, known), LLVMAtomicOrderingMonotonic);
    return size;
}

/* i1 kdsl.streams(i64 bytes): more than the last-level cache holds. The system is asked once. */
static LLVMValueRef streams_function(Cg *cg) {
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, "kdsl.streams");
    if (fn) return fn;
    fn = LLVMAddFunction(cg->module, "kdsl.streams", LLVMFunctionType(cg->i1, &cg->i64, 1, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "noinline");
    LLVMBasicBlockRef blocks[5];
    static const char *const names[5] = {"entry", "small", "large", "first", "say"};
    for (int i = 0; i < 5; i++) blocks[i] = LLVMAppendBasicBlockInContext(cg->ctx, fn, names[i]);
    LLVMBasicBlockRef small = blocks[1], large = blocks[2], first = blocks[3], say = blocks[4];
    LLVMValueRef known = cache_size_global(cg), bytes = LLVMGetParam(fn, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->ctx);
    LLVMPositionBuilderAtEnd(b, blocks[0]);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, bytes, cg_i64(cg, WORTH_ASKING), ""), large, small);
    LLVMPositionBuilderAtEnd(b, small);
    LLVMBuildRet(b, LLVMConstInt(cg->i1, 0, false));
    LLVMPositionBuilderAtEnd(b, large);
    LLVMValueRef sizes[2] = {LLVMBuildLoad2(b, cg->i64, known, "")};
    LLVMSetOrdering(sizes[0], LLVMAtomicOrderingMonotonic);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, sizes[0], cg_i64(cg, 0), ""), first, say);
    LLVMPositionBuilderAtEnd(b, first);
    sizes[1] = ask_cache_size(cg, b, known);
    LLVMBuildBr(b, say);
    LLVMPositionBuilderAtEnd(b, say);
    LLVMValueRef cache = LLVMBuildPhi(b, cg->i64, "");
    LLVMAddIncoming(cache, sizes, (LLVMBasicBlockRef[]){large, first}, 2);
    LLVMBuildRet(b, LLVMBuildICmp(b, LLVMIntUGT, bytes, cache, ""));
    LLVMDisposeBuilder(b);
    return fn;
}

/* Of a kernel's arrays, those that may be written past the caches: map from the parameter to its answer. */
void simd_find_streams(Cg *cg, SimdStreams *s) {
    LLVMValueRef marker = LLVMGetNamedFunction(cg->module, CG_EXTENT);
    *s = (SimdStreams){.of = simd_map_new(&cg->c->arena, 8)};
    if (!marker) return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(marker));) {
        LLVMValueRef mark = LLVMGetUser(use), array = LLVMGetOperand(mark, 0), bytes = LLVMGetOperand(mark, 1);
        if (LLVMIsAArgument(array) && only_written(array)) {
            LLVMPositionBuilderBefore(cg->b, mark);
            LLVMSetCurrentDebugLocation2(cg->b, NULL);
            simd_map_put(s->of, array, s->large.n);
            vec_push(&cg->c->arena, &s->large, call(cg->b, streams_function(cg), &bytes, 1));
        }
        LLVMInstructionEraseFromParent(mark);
    }
    LLVMDeleteFunction(marker);
}

static LLVMValueRef array_of(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer)) pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static void store_past(SimdEmit *e, LLVMValueRef v, LLVMValueRef at) {
    LLVMTypeRef t = LLVMTypeOf(v);
    int64_t bytes = simd_bytes(e->g, t);
    int parts = (int)(bytes / PART_BYTES), lanes = e->shape.width / parts;
    LLVMValueRef one = LLVMConstInt(e->cg->i32, 1, false), no_reuse[1] = {one};
    LLVMValueRef mark = LLVMMDNodeInContext(e->cg->ctx, no_reuse, 1);
    for (int p = 0; p < parts; p++) {
        LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, lanes), by = cg_i64(e->cg, p * PART_BYTES);
        for (int i = 0; i < lanes; i++) order[i] = cg_i32(e->cg, p * lanes + i);
        LLVMValueRef part = LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(t), LLVMConstVector(order, (unsigned)lanes), "");
        LLVMValueRef st = LLVMBuildStore(e->b, part, LLVMBuildGEP2(e->b, e->cg->i8, at, &by, 1, ""));
        LLVMSetAlignment(st, PART_BYTES);
        LLVMSetMetadata(st, LLVMGetMDKindIDInContext(e->cg->ctx, "nontemporal", 11), mark);
    }
}

/* Returns NULL where the ordinary store is all there is; else the block to go on in, with the builder where the ordinary
 * store belongs. */
LLVMBasicBlockRef simd_stream(SimdEmit *e, LLVMValueRef store, LLVMValueRef v, LLVMValueRef at) {
    int i = simd_map_get(e->streams->of, array_of(LLVMGetOperand(store, 1)));
    if (i < 0 || simd_bytes(e->g, LLVMTypeOf(v)) % PART_BYTES) return NULL;
    LLVMBasicBlockRef large = simd_block(e, "large"), past = simd_block(e, "past"), plain = simd_block(e, "plain"), on = simd_block(e, "stored");
    LLVMBuildCondBr(e->b, e->streams->large.at[i], large, plain);
    LLVMPositionBuilderAtEnd(e->b, large);
    LLVMValueRef low = LLVMBuildAnd(e->b, LLVMBuildPtrToInt(e->b, at, e->cg->i64, ""), cg_i64(e->cg, PART_BYTES - 1), "");
    LLVMValueRef aligned = LLVMBuildICmp(e->b, LLVMIntEQ, low, cg_i64(e->cg, 0), "");
    LLVMBuildCondBr(e->b, aligned, past, plain);
    LLVMPositionBuilderAtEnd(e->b, past);
    store_past(e, v, at);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, plain);
    e->streams->used = true;
    return on;
}
