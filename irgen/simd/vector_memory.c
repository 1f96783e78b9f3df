/* vector_memory.c -- accesses of one vector: contiguous, under a mask, gathered and scattered. Where the machine has no
 * masked form of an access, lanes that are not live read from a place that is always there. */
#include "irgen/simd/emit.h"

LLVMValueRef simd_all_lanes(SimdEmit *e) { return LLVMConstAllOnes(simd_type(e, e->cg->i1)); }

static void copy_alias(SimdEmit *e, LLVMValueRef to, LLVMValueRef from) {
    if (!LLVMIsAInstruction(to)) return;
    LLVMValueRef tag = LLVMGetMetadata(from, e->cg->md_tbaa);
    if (tag) LLVMSetMetadata(to, e->cg->md_tbaa, tag);
}

static void set_align(SimdEmit *e, LLVMValueRef call, int arg, unsigned align) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)(arg + 1), LLVMCreateEnumAttribute(e->cg->ctx, kind, align));
}

static LLVMValueRef masked_place(SimdEmit *e, LLVMValueRef pointer, LLVMValueRef at) {
    return LLVMIsAArgument(simd_object(pointer)) ? at : simd_hidden(e, at);
}

LLVMValueRef simd_safe_place(SimdEmit *e) {
    static const char NAME[] = "kdsl.nowhere";
    LLVMValueRef zeros = LLVMGetNamedGlobal(e->cg->module, NAME);
    if (zeros) return zeros;
    LLVMTypeRef t = LLVMArrayType2(e->cg->i8, SIMD_LINE);
    zeros = LLVMAddGlobal(e->cg->module, t, NAME);
    LLVMSetInitializer(zeros, LLVMConstNull(t));
    LLVMSetGlobalConstant(zeros, true);
    LLVMSetLinkage(zeros, LLVMPrivateLinkage);
    LLVMSetAlignment(zeros, SIMD_LINE);
    return zeros;
}

static LLVMValueRef load_masked(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef at, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(inst), LLVMGetVectorSize(LLVMTypeOf(mask)));
    LLVMTypeRef over[2] = {t, e->cg->ptr};
    LLVMValueRef args[3] = {masked_place(e, simd_address(inst), at), mask, LLVMConstNull(t)};
    LLVMValueRef v = simd_intrinsic(e, "llvm.masked.load", over, 2, args, 3);
    set_align(e, v, 0, align);
    copy_alias(e, v, inst);
    return v;
}

/* The machine has no masked loads of small elements. Where one lane may read, the others can, if it is the same page.
 */
static LLVMValueRef load_in_page(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef at, LLVMValueRef mask) {
    enum { PAGE = 4096 };
    LLVMTypeRef t = simd_type(e, LLVMTypeOf(inst));
    LLVMBasicBlockRef within = simd_block(e, "page"), across = simd_block(e, "pages"), on = simd_block(e, "loaded");
    LLVMBasicBlockRef from[2];
    LLVMTypeRef lanes = LLVMTypeOf(mask);
    LLVMValueRef values[2], some = simd_intrinsic(e, "llvm.vector.reduce.or", &lanes, 1, &mask, 1);
    at = LLVMBuildSelect(e->b, some, at, simd_safe_place(e), "");
    LLVMValueRef in_page = LLVMBuildAnd(e->b, LLVMBuildPtrToInt(e->b, at, e->cg->i64, ""), cg_i64(e->cg, PAGE - 1), "");
    LLVMValueRef last = cg_i64(e->cg, PAGE - simd_bytes(e->g, t));
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULE, in_page, last, ""), within, across);
    LLVMPositionBuilderAtEnd(e->b, within);
    values[0] = LLVMBuildLoad2(e->b, t, simd_hidden(e, at), "");
    LLVMSetAlignment(values[0], align);
    values[0] = LLVMBuildSelect(e->b, mask, LLVMBuildFreeze(e->b, values[0], ""), LLVMConstNull(t), "");
    from[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, across);
    values[1] = load_masked(e, inst, align, at, mask);
    from[1] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    LLVMValueRef v = LLVMBuildPhi(e->b, t, "");
    LLVMAddIncoming(v, values, from, 2);
    return v;
}

/* As the scalar access claims. In items' own memory, whose elements lie interleaved, only the element's size is known.
 */
unsigned simd_alignment(SimdEmit *e, LLVMValueRef inst) {
    const SimdValue *value = &e->g->values.at[value_map_get(e->g->value_of, inst)];
    if (value->private_of < 0) return LLVMGetAlignment(inst);
    return (unsigned)e->g->privates.at[value->private_of].elem_bytes;
}

LLVMValueRef simd_load_elements(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef at, LLVMValueRef *mask) {
    bool small = simd_bytes(e->g, LLVMTypeOf(inst)) < 4 && !e->target->mask_registers;
    if (mask) return small ? load_in_page(e, inst, align, at, *mask) : load_masked(e, inst, align, at, *mask);
    LLVMValueRef v = LLVMBuildLoad2(e->b, simd_type(e, LLVMTypeOf(inst)), at, "");
    LLVMSetAlignment(v, align);
    copy_alias(e, v, inst);
    return v;
}

LLVMValueRef simd_load_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask) {
    return simd_load_elements(e, inst, simd_alignment(e, inst), at, mask);
}

LLVMValueRef simd_load_some(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef mask) {
    return load_masked(e, inst, simd_alignment(e, inst), at, mask);
}

LLVMValueRef simd_load_run(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, int n, bool is_splat) {
    LLVMTypeRef t = LLVMTypeOf(inst), run = LLVMVectorType(t, (unsigned)n);
    LLVMValueRef v = LLVMBuildLoad2(e->b, is_splat ? t : run, at, "");
    LLVMSetAlignment(v, simd_alignment(e, inst));
    copy_alias(e, v, inst);
    if (!is_splat) return v;
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(run), v, cg_i64(e->cg, 0), "");
    return LLVMBuildShuffleVector(e->b, one, one, LLVMConstNull(LLVMVectorType(e->cg->i32, (unsigned)n)), "");
}

LLVMValueRef simd_load_lanes(SimdEmit *e, LLVMValueRef inst, LLVMValueRef *places) {
    LLVMTypeRef t = LLVMTypeOf(inst);
    LLVMValueRef all = LLVMGetPoison(simd_type(e, t));
    for (int i = 0; i < e->shape.width; i++) {
        LLVMValueRef one = LLVMBuildLoad2(e->b, t, places[i], "");
        LLVMSetAlignment(one, simd_alignment(e, inst));
        copy_alias(e, one, inst);
        all = LLVMBuildInsertElement(e->b, all, one, cg_i32(e->cg, i), "");
    }
    return all;
}

/* An address for which LLVM needs no vector of 64 bits a lane: of an array that all items share. */
static bool has_word_index(const SimdRegion *g, LLVMValueRef load) {
    LLVMValueRef p = LLVMGetOperand(load, 0);
    int at = value_map_get(g->value_of, load);
    if (at < 0 || g->values.at[at].private_of >= 0) return false;
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2) return false;
    if (simd_rate(g, LLVMGetOperand(p, 0), g->values.at[at].block).x != LANE_UNIFORM) return false;
    LLVMValueRef i = LLVMGetOperand(p, 1);
    bool is_extended = LLVMIsASExtInst(i) || (LLVMIsAZExtInst(i) && LLVMGetNNeg(i));
    return is_extended && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) <= 32;
}

/* There is an instruction for elements of 4 and 8 bytes. Of others LLVM would make a branch for each lane under a mask.
 */
bool simd_is_gathered(const SimdRegion *g, const SimdTarget *t, LLVMValueRef load) {
    int64_t bytes = simd_bytes(g, LLVMTypeOf(load));
    if (t->gathers == GATHERS_WIDE) return bytes == 4 && t->vector_bits == 512 && has_word_index(g, load);
    return t->gathers != GATHERS_SLOW && (bytes == 4 || bytes == 8);
}

/* One address of each lane; those that are not live read zeros. */
LLVMValueRef *simd_lane_places(SimdEmit *e, LLVMValueRef at, const LLVMValueRef *mask) {
    if (mask) at = LLVMBuildSelect(e->b, *mask, at, simd_splat(e, simd_safe_place(e)), "");
    LLVMValueRef *places = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) places[i] = LLVMBuildExtractElement(e->b, at, cg_i32(e->cg, i), "");
    return places;
}

bool simd_has_lanes_of(const SimdRegion *g, LLVMValueRef first, LLVMValueRef second, int64_t *by) {
    bool is_behind = simd_goes_on_by(g, LLVMGetOperand(first, 0), LLVMGetOperand(second, 0), by);
    return is_behind && *by >= 0 && *by + simd_bytes(g, LLVMTypeOf(second)) <= SIMD_LINE;
}

bool simd_shares_lanes(const SimdRegion *g, const SimdValue *load) {
    int64_t by;
    for (int i = g->blocks.at[load->block].first; &g->values.at[i] < load; i++) {
        const SimdValue *first = &g->values.at[i];
        bool reads = LLVMIsALoadInst(first->v) && first->private_of < 0 && first->rate.x == LANE_VARYING;
        if (reads && simd_address_rate(g, first).x == LANE_VARYING && simd_has_lanes_of(g, first->v, load->v, &by))
            return true;
    }
    return false;
}

/* at: a vector of addresses */
LLVMValueRef simd_gather(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask) {
    LLVMTypeRef t = simd_type(e, LLVMTypeOf(inst));
    if (simd_is_gathered(e->g, e->target, inst)) {
        LLVMTypeRef over[2] = {t, LLVMTypeOf(at)};
        LLVMValueRef args[3] = {at, mask ? *mask : simd_all_lanes(e), LLVMConstNull(t)};
        LLVMValueRef v = simd_intrinsic(e, "llvm.masked.gather", over, 2, args, 3);
        set_align(e, v, 0, simd_alignment(e, inst));
        copy_alias(e, v, inst);
        return v;
    }
    return simd_load_lanes(e, inst, simd_lane_places(e, at, mask));
}

/* Without mask registers a store under a mask takes as long as a dozen others, and of the vectors at the end of a row
 * all but the last have all their items. The builder is left where the ordinary store belongs; the masked one belongs
 * in the block that is returned, and both lead to *on. */
LLVMBasicBlockRef simd_when_all_inside(SimdEmit *e, LLVMBasicBlockRef *on) {
    LLVMBasicBlockRef all = simd_block(e, "all"), some = simd_block(e, "some");
    *on = simd_block(e, "stored");
    LLVMBuildCondBr(e->b, e->all_inside, all, some);
    LLVMPositionBuilderAtEnd(e->b, all);
    return some;
}

void simd_store_elements(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef v, LLVMValueRef at,
                         LLVMValueRef *mask) {
    LLVMValueRef st;
    if (!mask) {
        st = LLVMBuildStore(e->b, v, at);
        LLVMSetAlignment(st, align);
        simd_stream(e, inst, st);
    } else {
        LLVMTypeRef over[2] = {LLVMTypeOf(v), e->cg->ptr};
        LLVMValueRef args[3] = {v, masked_place(e, simd_address(inst), at), *mask};
        LLVMBasicBlockRef on = NULL;
        if (*mask == e->inside && args[1] == at && !e->target->mask_registers) {
            LLVMBasicBlockRef some = simd_when_all_inside(e, &on);
            st = LLVMBuildStore(e->b, v, at);
            LLVMSetAlignment(st, align);
            copy_alias(e, st, inst);
            LLVMBuildBr(e->b, on);
            LLVMPositionBuilderAtEnd(e->b, some);
        }
        st = simd_intrinsic(e, "llvm.masked.store", over, 2, args, 3);
        set_align(e, st, 1, align);
        if (on) {
            LLVMBuildBr(e->b, on);
            LLVMPositionBuilderAtEnd(e->b, on);
        }
    }
    copy_alias(e, st, inst);
}

void simd_store_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    simd_store_elements(e, inst, simd_alignment(e, inst), v, at, mask);
}

void simd_scatter(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(at)};
    LLVMValueRef args[3] = {v, at, mask ? *mask : simd_all_lanes(e)};
    LLVMValueRef st = simd_intrinsic(e, "llvm.masked.scatter", over, 2, args, 3);
    set_align(e, st, 1, simd_alignment(e, inst));
    copy_alias(e, st, inst);
}
