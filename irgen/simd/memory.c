/* memory.c -- loads and stores of a block of items. An address that is the same for all is read once; neighbours' places
 * side by side are a vector; anything else is gathered and scattered. Where the machine has no masked form of an access,
 * lanes that are not live read from a place that is always there. */
#include "irgen/simd/simd.h"

#include <string.h>

static LLVMValueRef *mask_of(SimdEmit *e, int row, int vector) {
    return e->mask ? &e->mask[row * e->shape.vectors + vector] : NULL;
}

/* What is the same for all rows is made once, for the lanes that are live in any of them. */
LLVMValueRef *simd_mask_for(SimdEmit *e, LaneRate r, int row, int vector) {
    if (!e->mask || r.y || e->shape.rows == 1) return mask_of(e, row, vector);
    LLVMValueRef *any = arena_array(e->g->arena, LLVMValueRef, 1);
    *any = *mask_of(e, 0, vector);
    for (int k = 1; k < e->shape.rows; k++) {
        LLVMValueRef mask = *mask_of(e, k, vector);
        if (mask != *any) *any = LLVMBuildOr(e->b, *any, mask, "");
    }
    return any;
}

static LLVMValueRef all_lanes(SimdEmit *e) { return LLVMConstAllOnes(simd_type(e, e->cg->i1)); }

static void copy_alias(SimdEmit *e, LLVMValueRef to, LLVMValueRef from) {
    if (!LLVMIsAInstruction(to)) return;
    LLVMValueRef tag = LLVMGetMetadata(from, e->cg->md_tbaa);
    if (tag) LLVMSetMetadata(to, e->cg->md_tbaa, tag);
}

static void set_align(SimdEmit *e, LLVMValueRef call, int arg, unsigned align) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)(arg + 1), LLVMCreateEnumAttribute(e->cg->ctx, kind, align));
}

static LLVMValueRef reversed(SimdEmit *e, LLVMValueRef v) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) order[i] = cg_i32(e->cg, e->shape.width - 1 - i);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(order, (unsigned)e->shape.width), "");
}

static LLVMValueRef moved(SimdEmit *e, LLVMValueRef p, int64_t bytes) {
    LLVMValueRef by = cg_i64(e->cg, bytes);
    return bytes ? LLVMBuildGEP2(e->b, e->cg->i8, p, &by, 1, "") : p;
}

/* Of the block's items, those of one vector: first of its lanes' places in memory of the items' own. */
static LLVMValueRef private_place(SimdEmit *e, LLVMValueRef p, int row, int vector, int64_t bytes) {
    return moved(e, p, (int64_t)(row * e->shape.vectors + vector) * e->shape.width * bytes);
}

/* The same where each item has an index of its own: the lanes' places. */
static LLVMValueRef private_places(SimdEmit *e, LLVMValueRef p, int row, int vector, int64_t bytes) {
    LLVMValueRef lanes = simd_iota(e, e->cg->i64, bytes), all = simd_vector(e, p, row, vector);
    LLVMValueRef first = cg_i64(e->cg, (int64_t)(row * e->shape.vectors + vector) * e->shape.width * bytes);
    LLVMValueRef by = LLVMBuildAdd(e->b, lanes, simd_splat(e, first), "");
    return LLVMBuildGEP2(e->b, e->cg->i8, all, &by, 1, "");
}

static LLVMValueRef masked_place(SimdEmit *e, LLVMValueRef pointer, LLVMValueRef at) {
    return LLVMIsAArgument(simd_object(pointer)) ? at : simd_hidden(e, at);
}

/* Loads ------------------------------------------------------------------------------------------------------------ */

LLVMValueRef simd_safe_place(SimdEmit *e) {
    if (!e->safe) {
        LLVMTypeRef t = LLVMArrayType2(e->cg->i8, 64);
        e->safe = simd_alloca(e, t, "nowhere");
        LLVMSetAlignment(e->safe, 64);
    }
    return e->safe;
}

static LLVMValueRef load_masked(SimdEmit *e, LLVMValueRef inst, unsigned align, LLVMValueRef at, LLVMValueRef mask) {
    LLVMTypeRef t = simd_type(e, LLVMTypeOf(inst));
    LLVMTypeRef over[2] = {t, e->cg->ptr};
    LLVMValueRef args[3] = {masked_place(e, LLVMGetOperand(inst, 0), at), mask, LLVMConstNull(t)};
    LLVMValueRef v = simd_intrinsic(e, "llvm.masked.load", over, 2, args, 3);
    set_align(e, v, 0, align);
    copy_alias(e, v, inst);
    return v;
}

/* The machine has no masked loads of small elements. Where one lane may read, the others can, if it is the same page. */
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

/* As the scalar access claims. In items' own memory, whose elements lie interleaved, only the element's size is known. */
static unsigned alignment(SimdEmit *e, LLVMValueRef inst) {
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

static LLVMValueRef load_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask) {
    return simd_load_elements(e, inst, alignment(e, inst), at, mask);
}

static LLVMValueRef load_lanes(SimdEmit *e, LLVMValueRef inst, LLVMValueRef *places) {
    LLVMTypeRef t = LLVMTypeOf(inst);
    LLVMValueRef all = LLVMGetPoison(simd_type(e, t));
    for (int i = 0; i < e->shape.width; i++) {
        LLVMValueRef one = LLVMBuildLoad2(e->b, t, places[i], "");
        LLVMSetAlignment(one, alignment(e, inst));
        copy_alias(e, one, inst);
        all = LLVMBuildInsertElement(e->b, all, one, cg_i32(e->cg, i), "");
    }
    return all;
}

/* at: a vector of addresses */
static LLVMValueRef gather(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask) {
    LLVMTypeRef t = simd_type(e, LLVMTypeOf(inst));
    if (e->target->mask_registers) {
        LLVMTypeRef over[2] = {t, LLVMTypeOf(at)};
        LLVMValueRef args[3] = {at, mask ? *mask : all_lanes(e), LLVMConstNull(t)};
        LLVMValueRef v = simd_intrinsic(e, "llvm.masked.gather", over, 2, args, 3);
        set_align(e, v, 0, alignment(e, inst));
        copy_alias(e, v, inst);
        return v;
    }
    if (mask) at = LLVMBuildSelect(e->b, *mask, at, simd_splat(e, simd_safe_place(e)), "");
    LLVMValueRef *places = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) places[i] = LLVMBuildExtractElement(e->b, at, cg_i32(e->cg, i), "");
    return load_lanes(e, inst, places);
}

/* Addresses computed from the items' indices alone, as of `x[i ^ gap]`, often are contiguous: worth a test each time, which
 * costs less than a gather. */
static bool may_be_neighbours(const SimdRegion *g, LLVMValueRef address) { return !(simd_slice(g, address) & SLICE_OTHER); }

static LLVMValueRef are_neighbours(SimdEmit *e, LLVMValueRef at, LLVMValueRef first, LLVMValueRef *mask, int64_t bytes) {
    LLVMValueRef steps = simd_iota(e, e->cg->i64, bytes);
    LLVMValueRef want = LLVMBuildGEP2(e->b, e->cg->i8, first, &steps, 1, "");
    LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, at, want, "");
    if (mask) same = LLVMBuildSelect(e->b, *mask, same, all_lanes(e), "");
    LLVMTypeRef t = LLVMTypeOf(same);
    return simd_intrinsic(e, "llvm.vector.reduce.and", &t, 1, &same, 1);
}

/* The builder goes to where it holds; *else_ is where it does not, *on where both meet. */
static void if_holds(SimdEmit *e, LLVMValueRef holds, LLVMBasicBlockRef *else_, LLVMBasicBlockRef *on) {
    LLVMBasicBlockRef then = simd_block(e, "together");
    *else_ = simd_block(e, "apart");
    *on = simd_block(e, "accessed");
    LLVMBuildCondBr(e->b, holds, then, *else_);
    LLVMPositionBuilderAtEnd(e->b, then);
}

static LLVMValueRef if_neighbours(SimdEmit *e, LLVMValueRef at, LLVMValueRef *mask, int64_t bytes, LLVMBasicBlockRef *else_,
                                  LLVMBasicBlockRef *on) {
    LLVMValueRef first = LLVMBuildExtractElement(e->b, at, cg_i32(e->cg, 0), "");
    if_holds(e, are_neighbours(e, at, first, mask, bytes), else_, on);
    return first;
}

static LLVMValueRef gather_or_load(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask, int64_t bytes) {
    LLVMBasicBlockRef apart, on, from[2];
    LLVMValueRef values[2];
    values[0] = load_vector(e, inst, if_neighbours(e, at, mask, bytes, &apart, &on), mask);
    from[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, apart);
    values[1] = gather(e, inst, at, mask);
    from[1] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    LLVMValueRef v = LLVMBuildPhi(e->b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(v, values, from, 2);
    return v;
}

static LLVMValueRef load_strided(SimdEmit *e, LLVMValueRef inst, LLVMValueRef first, int64_t stride) {
    LLVMValueRef *places = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) places[i] = moved(e, first, i * stride);
    return load_lanes(e, inst, places);
}

/* Columns ---------------------------------------------------------------------------------------------------------- */

/* Items below one another read what lies side by side, those beside one another do not: a tile that is read across. What
 * all rows of a block read is read together, which loops, written row by row, do not. */
bool simd_reads_columns(const SimdRegion *g, const SimdValue *load) {
    if (!g->rows || g->loops.n || !LLVMIsALoadInst(load->v)) return false;
    if (load->private_of >= 0 || load->rate.x != LANE_VARYING) return false;
    int64_t by, bytes = simd_bytes(g, LLVMTypeOf(load->v));
    LLVMValueRef at = LLVMGetOperand(load->v, 0);
    if (simd_is_contiguous(g, simd_rate(g, at, load->block), LLVMTypeOf(load->v))) return false;
    return simd_step_down(g, at, &by) && by == bytes;
}

/* Two vectors in, two out: the lanes of both, counted through, that each takes. */
static void permute_both(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, LLVMValueRef *first, LLVMValueRef *second) {
    LLVMValueRef was = *a;
    *a = LLVMBuildShuffleVector(e->b, was, *b, LLVMConstVector(first, (unsigned)e->shape.width), "");
    *b = LLVMBuildShuffleVector(e->b, was, *b, LLVMConstVector(second, (unsigned)e->shape.width), "");
}

/* Of two vectors of which one is `far` places behind the other: their squares of that size off the diagonal change places. */
static void exchange(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, int far) {
    int width = e->shape.width;
    LLVMValueRef *upper = arena_array(e->g->arena, LLVMValueRef, 2 * width), *lower = upper + width;
    for (int i = 0; i < width; i++) {
        upper[i] = cg_i32(e->cg, i & far ? width + i - far : i);
        lower[i] = cg_i32(e->cg, i & far ? width + i : i + far);
    }
    permute_both(e, a, b, upper, lower);
}

/* Of two vectors, in each stretch of `stretch` lanes: `unit` lanes of the one and of the other in turn, from the
 * stretch's first half, and from its second. */
static void unpack(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, int unit, int stretch) {
    int width = e->shape.width;
    LLVMValueRef *low = arena_array(e->g->arena, LLVMValueRef, 2 * width), *high = low + width;
    for (int i = 0; i < width; i++) {
        int turn = i % stretch / unit, from = i - i % stretch + turn / 2 * unit + i % unit + (turn % 2 ? width : 0);
        low[i] = cg_i32(e->cg, from);
        high[i] = cg_i32(e->cg, from + stretch / 2);
    }
    permute_both(e, a, b, low, high);
}

static void turn_pairs(SimdEmit *e, LLVMValueRef *lines, int far, int stretch) {
    for (int i = 0; i < e->shape.width; i++) {
        if (i & far) continue;
        if (far < stretch) unpack(e, &lines[i], &lines[i + far], far, stretch);
        else exchange(e, &lines[i], &lines[i + far], far);
    }
}

/* With the bits below `limit` in reverse. */
static int mirrored(int i, int limit) {
    int m = i / limit * limit;
    for (int bit = 1; bit < limit; bit *= 2)
        if (i & bit) m += limit / 2 / bit;
    return m;
}

/* A square of lines becomes its columns. Within 16 bytes in the form that every machine has an instruction for: LLVM
 * tries long to find one for any other, and ends with as many. Unpacked columns come in mirrored order. */
void simd_transpose(SimdEmit *e, LLVMValueRef *lines) {
    int width = e->shape.width, stretch = (int)(16 / simd_bytes(e->g, LLVMGetElementType(LLVMTypeOf(lines[0]))));
    if (stretch > width) stretch = width;
    for (int far = 1; far < width; far *= 2) turn_pairs(e, lines, far, stretch);
    for (int i = 0; i < width; i++) {
        int m = mirrored(i, stretch);
        LLVMValueRef line = lines[i];
        if (m < i) continue;
        lines[i] = lines[m];
        lines[m] = line;
    }
}

/* As many rows as a vector has lanes: each lane reads its column as a vector, and these are transposed. */
static LLVMValueRef load_columns(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    int width = e->shape.width, first_row = row - row % width, i = (int)(value - e->g->values.at);
    LLVMValueRef p = LLVMGetOperand(value->v, 0), *lines = arena_array(e->g->arena, LLVMValueRef, width);
    for (int lane = 0; lane < width; lane++) {
        LLVMValueRef place = at.x == LANE_LINEAR
            ? moved(e, simd_scalar(e, p, first_row, vector), lane * at.stride)
            : LLVMBuildExtractElement(e->b, simd_vector(e, p, first_row, vector), cg_i32(e->cg, lane), "");
        lines[lane] = load_vector(e, value->v, place, NULL);
    }
    simd_transpose(e, lines);
    for (int k = 0; k < width; k++) e->copy[i][simd_copy_at(e, value->rate, first_row + k, vector)] = lines[k];
    return lines[row - first_row];
}

bool simd_turns_columns(const SimdRegion *g, SimdShape s, const SimdValue *load) {
    return simd_allows(g, COLUMNS) && s.rows % s.width == 0 && simd_reads_columns(g, load);
}

static LLVMValueRef load_copy(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    LLVMValueRef inst = value->v, p = LLVMGetOperand(inst, 0), *mask = simd_mask_for(e, value->rate, row, vector);
    int private = value->private_of;
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(inst));
    if (private >= 0 && at.x == LANE_UNIFORM) /* dead lanes have memory too */
        return load_vector(e, inst, private_place(e, simd_scalar(e, p, row, vector), row, vector, bytes), NULL);
    if (private >= 0) return gather(e, inst, private_places(e, p, row, vector, bytes), mask);
    if (at.x == LANE_LINEAR && at.stride == bytes)
        return load_vector(e, inst, simd_scalar(e, p, row, vector), mask);
    if (at.x == LANE_LINEAR && at.stride == -bytes) {
        LLVMValueRef flipped = mask ? reversed(e, *mask) : NULL;
        LLVMValueRef first = moved(e, simd_scalar(e, p, row, vector), -bytes * (e->shape.width - 1));
        return reversed(e, load_vector(e, inst, first, mask ? &flipped : NULL));
    }
    if (at.x == LANE_LINEAR && !mask && !e->target->mask_registers)
        return load_strided(e, inst, simd_scalar(e, p, row, vector), at.stride);
    if (at.x == LANE_VARYING && may_be_neighbours(e->g, p))
        return gather_or_load(e, inst, simd_vector(e, p, row, vector), mask, bytes);
    return gather(e, inst, simd_vector(e, p, row, vector), mask);
}

/* What a whole row reads at one place. Of several rows some may have no lane that is live, and nothing to read there. */
static LLVMValueRef load_of_row(SimdEmit *e, const SimdValue *value, int row) {
    LLVMValueRef load = simd_clone(e, value->v, row, 0);
    if (!e->mask || e->shape.rows == 1 || !value->rate.y) return load;
    LLVMValueRef some = *mask_of(e, row, 0), p = LLVMGetOperand(load, 0), nowhere = simd_safe_place(e);
    LLVMPositionBuilderBefore(e->b, load);
    for (int vector = 1; vector < e->shape.vectors; vector++) some = LLVMBuildOr(e->b, some, *mask_of(e, row, vector), "");
    LLVMTypeRef t = LLVMTypeOf(some);
    some = simd_intrinsic(e, "llvm.vector.reduce.or", &t, 1, &some, 1);
    LLVMSetOperand(load, 0, LLVMBuildSelect(e->b, some, p, nowhere, ""));
    LLVMPositionBuilderAtEnd(e->b, LLVMGetInstructionParent(load));
    return load;
}

LLVMValueRef simd_load(SimdEmit *e, const SimdValue *value, int row, int vector) {
    LaneRate at = simd_rate(e->g, LLVMGetOperand(value->v, 0), e->block);
    if (value->rate.x != LANE_VARYING) return load_of_row(e, value, row);
    if (!e->mask && simd_turns_columns(e->g, e->shape, value)) return load_columns(e, value, at, row, vector);
    LLVMValueRef *mask = simd_mask_for(e, value->rate, row, vector);
    if (simd_reads_parts(e, value, mask)) return simd_load_parts(e, value, row, vector, mask);
    return load_copy(e, value, at, row, vector);
}

/* Stores ----------------------------------------------------------------------------------------------------------- */

/* Without mask registers a store under a mask takes as long as a dozen others, and of the vectors at the end of a row all
 * but the last have all their items. The builder is left where the ordinary store belongs; the masked one belongs in the
 * block that is returned, and both lead to *on. */
static LLVMBasicBlockRef when_all_inside(SimdEmit *e, LLVMBasicBlockRef *on) {
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
        LLVMValueRef args[3] = {v, masked_place(e, LLVMGetOperand(inst, 1), at), *mask};
        LLVMBasicBlockRef on = NULL;
        if (*mask == e->inside && args[1] == at && !e->target->mask_registers) {
            LLVMBasicBlockRef some = when_all_inside(e, &on);
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

static void store_vector(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    simd_store_elements(e, inst, alignment(e, inst), v, at, mask);
}

static void scatter(SimdEmit *e, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(at)};
    LLVMValueRef args[3] = {v, at, mask ? *mask : all_lanes(e)};
    LLVMValueRef st = simd_intrinsic(e, "llvm.masked.scatter", over, 2, args, 3);
    set_align(e, st, 1, alignment(e, inst));
    copy_alias(e, st, inst);
}

bool simd_blends_store(const SimdEmit *e, const SimdValue *value) {
    return e->whole && !e->target->mask_registers && LLVMIsAStoreInst(value->v) && value->read_before >= 0;
}

/* What is chosen, in a form that LLVM does not take apart: of a choice with what is in the place already it would make the
 * masked store again. */
LLVMValueRef simd_choice(SimdEmit *e, LLVMValueRef mask, LLVMValueRef v, LLVMValueRef old) {
    LLVMTypeRef t = LLVMTypeOf(v), number = LLVMGetElementType(t);
    v = LLVMBuildSelect(e->b, mask, v, old, "");
    int64_t bytes = simd_bytes(e->g, number);
    if (LLVMGetTypeKind(number) == LLVMPointerTypeKind || (bytes != 4 && bytes != 8)) return v; /* there is none to be made */
    LLVMTypeRef as = simd_type(e, bytes == 4 ? e->cg->f32 : e->cg->f64);
    v = LLVMBuildBitCast(e->b, v, as, "");
    v = simd_intrinsic(e, "llvm.arithmetic.fence", &as, 1, &v, 1);
    return LLVMBuildBitCast(e->b, v, t, "");
}

static LLVMValueRef blended(SimdEmit *e, LLVMValueRef v, LLVMValueRef old, LLVMValueRef **mask) {
    v = simd_choice(e, **mask, v, old);
    *mask = NULL;
    return v;
}

static void store_beside(SimdEmit *e, const SimdValue *value, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    if (mask && simd_blends_store(e, value))
        v = blended(e, v, load_vector(e, e->g->values.at[value->read_before].v, at, NULL), &mask);
    store_vector(e, value->v, v, at, mask);
}

static void store_apart(SimdEmit *e, const SimdValue *value, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    if (mask && simd_blends_store(e, value))
        v = blended(e, v, gather(e, e->g->values.at[value->read_before].v, at, NULL), &mask);
    scatter(e, value->v, v, at, mask);
}

LLVMValueRef simd_object(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer)) pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

bool simd_is_param(LLVMValueRef object, const char *attribute) {
    if (!LLVMIsAArgument(object)) return false;
    LLVMValueRef fn = LLVMGetParamParent(object);
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute)), i = 0;
    while (LLVMGetParam(fn, i) != object) i++;
    return LLVMGetEnumAttributeAtIndex(fn, i + 1, kind) != NULL;
}

bool simd_is_group_memory(LLVMValueRef pointer) {
    LLVMValueRef object = simd_object(pointer), fn = LLVMIsACallInst(object) ? LLVMGetCalledValue(object) : NULL;
    return fn && fn == LLVMGetNamedFunction(LLVMGetGlobalParent(fn), CG_GROUP_MEMORY);
}

/* Where they are side by side, and where not, is seen when they are there. */
static void store_places(SimdEmit *e, const SimdValue *value, LLVMValueRef v, int row, int vector, LLVMValueRef *mask) {
    LLVMBasicBlockRef apart, on;
    LLVMValueRef places = simd_vector(e, LLVMGetOperand(value->v, 1), row, vector);
    int64_t bytes = simd_bytes(e->g, LLVMGetElementType(LLVMTypeOf(v)));
    store_beside(e, value, v, if_neighbours(e, places, mask, bytes, &apart, &on), mask);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, apart);
    store_apart(e, value, v, places, mask);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
}

static void store_private(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    LLVMValueRef inst = value->v, v = simd_vector(e, LLVMGetOperand(inst, 0), row, vector), p = LLVMGetOperand(inst, 1);
    LLVMValueRef *mask = mask_of(e, row, vector);
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(LLVMGetOperand(inst, 0)));
    if (at.x == LANE_UNIFORM) {
        LLVMValueRef place = private_place(e, simd_scalar(e, p, row, vector), row, vector, bytes);
        if (mask) { /* cheaper than a masked store, and the memory is nobody else's */
            LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMTypeOf(v), place, "");
            LLVMSetAlignment(old, alignment(e, inst));
            v = blended(e, v, old, &mask);
        }
        store_vector(e, inst, v, place, NULL);
        return;
    }
    scatter(e, inst, v, private_places(e, p, row, vector, bytes), mask);
}

static void store_copy(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    LLVMValueRef v = simd_vector(e, LLVMGetOperand(value->v, 0), row, vector), p = LLVMGetOperand(value->v, 1);
    LLVMValueRef *mask = mask_of(e, row, vector);
    if (mask && value->is_still_there && simd_blends_store(e, value))
        v = blended(e, v, simd_vector(e, e->g->values.at[value->read_before].v, row, vector), &mask);
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(LLVMGetOperand(value->v, 0)));
    if (at.x == LANE_LINEAR && at.stride == bytes) {
        store_beside(e, value, v, simd_scalar(e, p, row, vector), mask);
    } else if (at.x == LANE_LINEAR && at.stride == -bytes) {
        LLVMValueRef flipped = mask ? reversed(e, *mask) : NULL;
        LLVMValueRef first = moved(e, simd_scalar(e, p, row, vector), -bytes * (e->shape.width - 1));
        store_beside(e, value, reversed(e, v), first, mask ? &flipped : NULL);
    } else if (at.x == LANE_VARYING && may_be_neighbours(e->g, p)) {
        store_places(e, value, v, row, vector, mask);
    } else {
        store_apart(e, value, v, simd_vector(e, p, row, vector), mask);
    }
}

bool simd_stores_whole(SimdEmit *e, const SimdValue *value) {
    return value->private_of < 0 && simd_rate(e->g, LLVMGetOperand(value->v, 1), e->block).x == LANE_UNIFORM;
}

/* All items write one value to one place: once for a row. Of several values the last one's stays, whichever that is. */
bool simd_one_store(SimdEmit *e, const SimdValue *value) {
    LaneRate v = simd_rate(e->g, LLVMGetOperand(value->v, 0), e->block);
    LaneRate at = simd_rate(e->g, LLVMGetOperand(value->v, 1), e->block);
    if (v.x != LANE_UNIFORM || at.x != LANE_UNIFORM || (e->mask && (at.y || v.y))) return false;
    for (int row = 0; row < (at.y || v.y ? e->shape.rows : 1); row++) simd_clone(e, value->v, row, 0);
    return true;
}

/* Together, where all lanes are there; else part by part. */
static void store_parts(SimdEmit *e, const SimdValue *value, int row, int vector) {
    LLVMValueRef *mask = mask_of(e, row, vector);
    LLVMBasicBlockRef on = NULL;
    if (!simd_ends_parts(e, value)) return;
    if (!mask || (e->target->mask_registers && !simd_is_of_rows(e->g, value))) {
        simd_store_parts(e, value, row, vector, mask);
        return;
    }
    if (*mask == e->inside) {
        LLVMBasicBlockRef some = when_all_inside(e, &on);
        simd_store_parts(e, value, row, vector, NULL);
        LLVMBuildBr(e->b, on);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    const SimdValue *part;
    for (int i = 0; (part = simd_part(e, value, i)); i++) {
        LLVMValueRef v = simd_vector(e, LLVMGetOperand(part->v, 0), row, vector);
        store_apart(e, part, v, simd_vector(e, LLVMGetOperand(part->v, 1), row, vector), mask);
    }
    if (!on) return;
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
}

void simd_store(SimdEmit *e, const SimdValue *value, int row, int vector) {
    LaneRate at = simd_rate(e->g, LLVMGetOperand(value->v, 1), e->block);
    if (simd_writes_parts(e, value)) store_parts(e, value, row, vector);
    else if (value->private_of >= 0) store_private(e, value, at, row, vector);
    else store_copy(e, value, at, row, vector);
}

/* Into the caches; for neighbours side by side only, each line of memory once where vectors are taken several at a time. */
void simd_fetch(SimdEmit *e, const SimdValue *ahead, int row, int vector) {
    LLVMValueRef place = LLVMGetOperand(ahead->v, 0);
    LaneRate at = simd_rate(e->g, place, e->block);
    if (at.x != LANE_LINEAR || at.stride <= 0 || at.stride > SIMD_LINE) return;
    int64_t bytes = at.stride * e->shape.width;
    if (vector * bytes % SIMD_LINE) return;
    for (int64_t line = 0; line < bytes; line += SIMD_LINE)
        simd_prefetch(e->cg, moved(e, simd_scalar(e, place, row, vector), line));
}

/* Lane by lane ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef lanes_as_bits(SimdEmit *e, LLVMValueRef *mask) {
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    return mask ? LLVMBuildBitCast(e->b, *mask, bits, "") : LLVMConstAllOnes(bits);
}

/* for each live lane, lowest first: the instruction as it was */
static void each_lane(SimdEmit *e, LLVMValueRef inst, LLVMValueRef *mask, int row, int vector, LLVMValueRef result) {
    LLVMTypeRef t = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    LLVMBasicBlockRef head = simd_block(e, "lanes"), body = simd_block(e, "lane"), done = simd_block(e, "lanes.done");
    LLVMValueRef left = simd_alloca(e, t, "left");
    LLVMBuildStore(e->b, lanes_as_bits(e, mask), left);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef bits = LLVMBuildLoad2(e->b, t, left, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstNull(t), ""), body, done);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->cg->i1, 1, false)};
    LLVMValueRef lane = simd_intrinsic(e, "llvm.cttz", &t, 1, args, 2);
    lane = LLVMBuildIntCast2(e->b, lane, e->cg->i32, false, "");
    LLVMValueRef one = simd_clone_lane(e, inst, row, vector, lane);
    if (result) {
        LLVMTypeRef all = simd_type(e, LLVMTypeOf(inst));
        LLVMValueRef so_far = LLVMBuildLoad2(e->b, all, result, "");
        LLVMBuildStore(e->b, LLVMBuildInsertElement(e->b, so_far, one, lane, ""), result);
    }
    LLVMValueRef rest = LLVMBuildAnd(e->b, bits, LLVMBuildSub(e->b, bits, LLVMConstInt(t, 1, false), ""), "");
    LLVMBuildStore(e->b, rest, left);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, done);
}

/* The same written out, where all lanes are live. */
static LLVMValueRef every_lane(SimdEmit *e, LLVMValueRef inst, int row, int vector, LLVMValueRef result) {
    for (int i = 0; i < e->shape.width; i++) {
        LLVMValueRef lane = cg_i32(e->cg, i), one = simd_clone_lane(e, inst, row, vector, lane);
        if (result) result = LLVMBuildInsertElement(e->b, result, one, lane, "");
    }
    return result;
}

void simd_per_lane(SimdEmit *e, int i) {
    LLVMValueRef inst = e->g->values.at[i].v;
    if (simd_combined_update(e, inst)) return;
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind;
    LaneRate r = e->g->values.at[i].rate;
    for (int row = 0; row < (has_result && !r.y ? 1 : e->shape.rows); row++)
        for (int vector = 0; vector < e->shape.vectors; vector++) {
            LLVMTypeRef all = has_result ? simd_type(e, LLVMTypeOf(inst)) : NULL;
            int k = has_result ? simd_copy_at(e, r, row, vector) : 0;
            if (!e->mask) {
                LLVMValueRef v = every_lane(e, inst, row, vector, has_result ? LLVMGetPoison(all) : NULL);
                if (has_result) e->copy[i][k] = v;
                continue;
            }
            LLVMValueRef result = has_result ? simd_alloca(e, all, "results") : NULL;
            if (result) LLVMBuildStore(e->b, LLVMConstNull(all), result);
            LLVMValueRef *mask = has_result ? simd_mask_for(e, r, row, vector) : mask_of(e, row, vector);
            each_lane(e, inst, mask, row, vector, result);
            if (result) e->copy[i][k] = LLVMBuildLoad2(e->b, all, result, "");
        }
}
