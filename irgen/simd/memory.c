/* memory.c -- loads and stores of a block of items. An address that is the same for all is read once; neighbours'
 * places side by side are a vector; anything else is gathered and scattered. */
#include "irgen/simd/emit.h"

LLVMValueRef *simd_mask_of(SimdEmit *e, int row, int vector) {
    return e->mask ? &e->mask[row * e->shape.vectors + vector] : NULL;
}

/* What is the same for all rows is made once, for the lanes that are live in any of them. */
LLVMValueRef *simd_mask_for(SimdEmit *e, LaneRate r, int row, int vector) {
    if (!e->mask || r.y || e->shape.rows == 1) return simd_mask_of(e, row, vector);
    LLVMValueRef *any = arena_array(e->g->arena, LLVMValueRef, 1);
    *any = *simd_mask_of(e, 0, vector);
    for (int k = 1; k < e->shape.rows; k++) {
        LLVMValueRef mask = *simd_mask_of(e, k, vector);
        if (mask != *any) *any = LLVMBuildOr(e->b, *any, mask, "");
    }
    return any;
}

static LLVMValueRef reversed(SimdEmit *e, LLVMValueRef v) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) order[i] = cg_i32(e->cg, e->shape.width - 1 - i);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(order, (unsigned)e->shape.width), "");
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

/* Loads ------------------------------------------------------------------------------------------------------------ */

bool simd_may_be_neighbours(const SimdRegion *g, LLVMValueRef address) {
    return !(simd_slice(g, address) & (SLICE_OTHER | SLICE_COUNTER));
}

static LLVMValueRef are_neighbours(SimdEmit *e, LLVMValueRef at, LLVMValueRef first, LLVMValueRef *mask,
                                   int64_t bytes) {
    LLVMValueRef steps = simd_iota(e, e->cg->i64, bytes);
    LLVMValueRef want = LLVMBuildGEP2(e->b, e->cg->i8, first, &steps, 1, "");
    LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, at, want, "");
    if (mask) same = LLVMBuildSelect(e->b, *mask, same, simd_all_lanes(e), "");
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

static LLVMValueRef if_neighbours(SimdEmit *e, LLVMValueRef at, LLVMValueRef *mask, int64_t bytes,
                                  LLVMBasicBlockRef *else_, LLVMBasicBlockRef *on) {
    LLVMValueRef first = LLVMBuildExtractElement(e->b, at, cg_i32(e->cg, 0), "");
    if_holds(e, are_neighbours(e, at, first, mask, bytes), else_, on);
    return first;
}

static LLVMValueRef gather_or_load(SimdEmit *e, LLVMValueRef inst, LLVMValueRef at, LLVMValueRef *mask, int64_t bytes) {
    LLVMBasicBlockRef apart, on, from[2];
    LLVMValueRef values[2];
    values[0] = simd_load_vector(e, inst, if_neighbours(e, at, mask, bytes, &apart, &on), mask);
    from[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, apart);
    values[1] = simd_gather(e, inst, at, mask);
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
    return simd_load_lanes(e, inst, places);
}

/* Columns ---------------------------------------------------------------------------------------------------------- */

/* Items below one another access what lies side by side, those beside one another do not: a tile that is read or
 * written across. What all rows of a block access is accessed together, which loops, written row by row, do not. */
bool simd_takes_columns(const SimdRegion *g, const SimdValue *access) {
    if (!g->rows || g->loops.n || !simd_is_access(access->v) || simd_is_atomic(access->v)) return false;
    if (access->private_of >= 0 || simd_address_rate(g, access).x == LANE_UNIFORM) return false;
    int64_t by, bytes = simd_bytes(g, simd_element(access->v));
    if (simd_is_beside(g, access)) return false;
    return simd_step_down(g, simd_address(access->v), &by) && by == bytes;
}

/* The first element of a lane's column, in as many rows as a vector has lanes. */
static LLVMValueRef column_place(SimdEmit *e, const SimdValue *access, int first_row, int vector, int lane) {
    LLVMValueRef p = simd_address(access->v);
    LaneRate at = simd_rate(e->g, p, e->block);
    if (at.x == LANE_LINEAR) return moved(e, simd_scalar(e, p, first_row, vector), lane * at.stride);
    if (simd_is_made_by_lane(e, p)) return simd_lane(e, p, first_row, vector, cg_i32(e->cg, lane));
    return LLVMBuildExtractElement(e->b, simd_vector(e, p, first_row, vector), cg_i32(e->cg, lane), "");
}

/* As many rows as a vector has lanes: each lane reads its column as a vector, and these are transposed. */
static LLVMValueRef load_columns(SimdEmit *e, const SimdValue *value, int row, int vector) {
    int width = e->shape.width, first_row = row - row % width, i = (int)(value - e->g->values.at);
    LLVMValueRef *lines = arena_array(e->g->arena, LLVMValueRef, width);
    for (int lane = 0; lane < width; lane++)
        lines[lane] = simd_load_vector(e, value->v, column_place(e, value, first_row, vector, lane), NULL);
    simd_transpose(e, lines);
    for (int k = 0; k < width; k++) e->copy[i][simd_copy_at(e, value->rate, first_row + k, vector)] = lines[k];
    return lines[row - first_row];
}

/* The same the other way around: the rows' vectors are transposed, and each lane's column is stored; once for all these
 * rows. */
static void store_columns(SimdEmit *e, const SimdValue *value, int row, int vector) {
    int width = e->shape.width;
    if (row % width) return;
    LLVMValueRef *lines = arena_array(e->g->arena, LLVMValueRef, width);
    for (int k = 0; k < width; k++) lines[k] = simd_vector(e, LLVMGetOperand(value->v, 0), row + k, vector);
    simd_transpose(e, lines);
    for (int lane = 0; lane < width; lane++)
        simd_store_vector(e, value->v, lines[lane], column_place(e, value, row, vector, lane), NULL);
}

bool simd_turns_columns(const SimdRegion *g, SimdShape s, const SimdValue *access) {
    return simd_allows(g, COLUMNS) && s.rows % s.width == 0 && simd_takes_columns(g, access);
}

static LLVMValueRef *lane_places(SimdEmit *e, LLVMValueRef p, int row, int vector, const LLVMValueRef *mask) {
    if (mask || !simd_is_made_by_lane(e, p)) return simd_lane_places(e, simd_vector(e, p, row, vector), mask);
    LLVMValueRef *places = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) places[i] = simd_lane(e, p, row, vector, cg_i32(e->cg, i));
    return places;
}

/* Lane by lane, half of the time goes into taking the addresses out of their vector. Fields of a struct, or points of
 * three coordinates, have the same ones, but for a constant. Zeros, which lanes that are not live read, are a line. */
static LLVMValueRef load_by_lane(SimdEmit *e, const SimdValue *value, int row, int vector, LLVMValueRef *mask) {
    SimdLanes now = {value->v, mask ? *mask : NULL, NULL, LLVMGetInsertBlock(e->b), row, vector};
    int64_t by = 0;
    for (int i = 0; i < SIMD_MOST_LANES && !now.places; i++) {
        const SimdLanes *l = &e->lanes[i];
        bool is_there = l->in == now.in && l->mask == now.mask && l->row == row && l->vector == vector;
        if (!is_there || !simd_has_lanes_of(e->g, l->load, now.load, &by)) continue;
        now.places = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
        for (int k = 0; k < e->shape.width; k++) now.places[k] = moved(e, l->places[k], by);
    }
    if (!now.places) {
        now.places = lane_places(e, LLVMGetOperand(value->v, 0), row, vector, mask);
        e->lanes[e->n_lanes++ % SIMD_MOST_LANES] = now;
    }
    return simd_load_lanes(e, value->v, now.places);
}

static LLVMValueRef load_copy(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    LLVMValueRef inst = value->v, p = LLVMGetOperand(inst, 0), *mask = simd_mask_for(e, value->rate, row, vector);
    int private = value->private_of;
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(inst));
    if (private >= 0 && at.x == LANE_UNIFORM) /* dead lanes have memory too */
        return simd_load_vector(e, inst, private_place(e, simd_scalar(e, p, row, vector), row, vector, bytes), NULL);
    if (private >= 0) return simd_gather(e, inst, private_places(e, p, row, vector, bytes), mask);
    if (at.x == LANE_LINEAR && at.stride == bytes) {
        LLVMValueRef first = simd_scalar(e, p, row, vector);
        if (simd_begins_run(e->g, value)) simd_fetch_columns(e, value, first, row, vector);
        return simd_load_vector(e, inst, first, mask);
    }
    if (at.x == LANE_LINEAR && at.stride == -bytes) {
        LLVMValueRef flipped = mask ? reversed(e, *mask) : NULL;
        LLVMValueRef first = moved(e, simd_scalar(e, p, row, vector), -bytes * (e->shape.width - 1));
        return reversed(e, simd_load_vector(e, inst, first, mask ? &flipped : NULL));
    }
    if (at.x == LANE_LINEAR && !mask && !simd_is_gathered(e->g, e->target, inst))
        return load_strided(e, inst, simd_scalar(e, p, row, vector), at.stride);
    if (at.x == LANE_VARYING && simd_may_be_neighbours(e->g, p))
        return gather_or_load(e, inst, simd_vector(e, p, row, vector), mask, bytes);
    if (!simd_is_gathered(e->g, e->target, inst)) return load_by_lane(e, value, row, vector, mask);
    return simd_gather(e, inst, simd_vector(e, p, row, vector), mask);
}

/* The mask of a row's items has one at least. */
static bool has_live_lane(SimdEmit *e, int row) {
    if (!e->inside) return false;
    for (int vector = 0; vector < e->shape.vectors; vector++)
        if (*simd_mask_of(e, row, vector) == e->inside) return true;
    return false;
}

/* What a whole row reads at one place. Of several rows some may have no lane that is live, and nothing to read
 * there. */
static LLVMValueRef load_of_row(SimdEmit *e, const SimdValue *value, int row) {
    LLVMValueRef load = simd_clone(e, value->v, row, 0);
    if (!e->mask || e->shape.rows == 1 || !value->rate.y || has_live_lane(e, row)) return load;
    LLVMValueRef some = *simd_mask_of(e, row, 0), p = LLVMGetOperand(load, 0), nowhere = simd_safe_place(e);
    LLVMPositionBuilderBefore(e->b, load);
    for (int vector = 1; vector < e->shape.vectors; vector++)
        some = LLVMBuildOr(e->b, some, *simd_mask_of(e, row, vector), "");
    LLVMTypeRef t = LLVMTypeOf(some);
    some = simd_intrinsic(e, "llvm.vector.reduce.or", &t, 1, &some, 1);
    LLVMSetOperand(load, 0, LLVMBuildSelect(e->b, some, p, nowhere, ""));
    LLVMPositionBuilderAtEnd(e->b, LLVMGetInstructionParent(load));
    return load;
}

LLVMValueRef simd_load(SimdEmit *e, const SimdValue *value, int row, int vector) {
    LaneRate at = simd_rate(e->g, LLVMGetOperand(value->v, 0), e->block);
    if (value->rate.x != LANE_VARYING) return load_of_row(e, value, row);
    if (!e->mask && simd_turns_columns(e->g, e->shape, value)) return load_columns(e, value, row, vector);
    LLVMValueRef *mask = simd_mask_for(e, value->rate, row, vector);
    if (at.x == LANE_VARYING && simd_is_table(e->g, value)) return simd_look_up(e, value, row, vector);
    if (simd_reads_parts(e, value, mask)) return simd_load_parts(e, value, row, vector, mask);
    SimdPeriod period;
    if (!mask && simd_is_quasi_affine(e->g, value, e->shape.width, &period))
        return simd_load_quasi_affine(e, value, period, row, vector);
    return load_copy(e, value, at, row, vector);
}

/* Stores ----------------------------------------------------------------------------------------------------------- */

bool simd_blends_store(const SimdEmit *e, const SimdValue *value) {
    return e->whole && !e->target->mask_registers && LLVMIsAStoreInst(value->v) && value->read_before >= 0;
}

/* What is chosen, in a form that LLVM does not take apart: of a choice with what is in the place already it would make
 * the masked store again. */
static LLVMValueRef settled(SimdEmit *e, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v), number = LLVMGetElementType(t);
    int64_t bytes = simd_bytes(e->g, number);
    if (LLVMGetTypeKind(number) == LLVMPointerTypeKind || (bytes != 4 && bytes != 8))
        return v; /* there is none to be made */
    LLVMTypeRef as = simd_type(e, bytes == 4 ? e->cg->f32 : e->cg->f64);
    v = LLVMBuildBitCast(e->b, v, as, "");
    v = simd_intrinsic(e, "llvm.arithmetic.fence", &as, 1, &v, 1);
    return LLVMBuildBitCast(e->b, v, t, "");
}

LLVMValueRef simd_choice(SimdEmit *e, LLVMValueRef mask, LLVMValueRef v, LLVMValueRef old) {
    return settled(e, LLVMBuildSelect(e->b, mask, v, old, ""));
}

/* Is what is stored chosen between what is in the place already and something else? */
static bool may_keep(LLVMValueRef store) {
    LLVMValueRef v = LLVMGetOperand(store, 0), at = LLVMGetOperand(store, 1);
    bool is_phi = LLVMIsAPHINode(v) != NULL;
    int from = is_phi ? 0 : 1, to = is_phi ? (int)LLVMCountIncoming(v) : 3;
    for (int k = from; k < to && (is_phi || LLVMIsASelectInst(v)); k++) {
        LLVMValueRef one = is_phi ? LLVMGetIncomingValue(v, (unsigned)k) : LLVMGetOperand(v, (unsigned)k);
        if (LLVMIsALoadInst(one) && LLVMGetOperand(one, 0) == at) return true;
    }
    return false;
}

static LLVMValueRef blended(SimdEmit *e, LLVMValueRef v, LLVMValueRef old, LLVMValueRef **mask) {
    v = simd_choice(e, **mask, v, old);
    *mask = NULL;
    return v;
}

static void store_beside(SimdEmit *e, const SimdValue *value, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    if (mask && simd_blends_store(e, value))
        v = blended(e, v, simd_load_vector(e, e->g->values.at[value->read_before].v, at, NULL), &mask);
    else if (!e->target->mask_registers && may_keep(value->v)) v = settled(e, v);
    simd_store_vector(e, value->v, v, at, mask);
}

static void store_apart(SimdEmit *e, const SimdValue *value, LLVMValueRef v, LLVMValueRef at, LLVMValueRef *mask) {
    if (mask && simd_blends_store(e, value))
        v = blended(e, v, simd_gather(e, e->g->values.at[value->read_before].v, at, NULL), &mask);
    simd_scatter(e, value->v, v, at, mask);
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
    LLVMValueRef *mask = simd_mask_of(e, row, vector);
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(LLVMGetOperand(inst, 0)));
    if (at.x == LANE_UNIFORM) {
        LLVMValueRef place = private_place(e, simd_scalar(e, p, row, vector), row, vector, bytes);
        if (mask) { /* cheaper than a masked store, and the memory is nobody else's */
            LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMTypeOf(v), place, "");
            LLVMSetAlignment(old, simd_alignment(e, inst));
            v = blended(e, v, old, &mask);
        }
        simd_store_vector(e, inst, v, place, NULL);
        return;
    }
    simd_scatter(e, inst, v, private_places(e, p, row, vector, bytes), mask);
}

static void store_copy(SimdEmit *e, const SimdValue *value, LaneRate at, int row, int vector) {
    LLVMValueRef v = simd_vector(e, LLVMGetOperand(value->v, 0), row, vector), p = LLVMGetOperand(value->v, 1);
    LLVMValueRef *mask = simd_mask_of(e, row, vector);
    if (mask && value->is_still_there && simd_blends_store(e, value))
        v = blended(e, v, simd_vector(e, e->g->values.at[value->read_before].v, row, vector), &mask);
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(LLVMGetOperand(value->v, 0)));
    if (at.x == LANE_LINEAR && at.stride == bytes) {
        store_beside(e, value, v, simd_scalar(e, p, row, vector), mask);
    } else if (at.x == LANE_LINEAR && at.stride == -bytes) {
        LLVMValueRef flipped = mask ? reversed(e, *mask) : NULL;
        LLVMValueRef first = moved(e, simd_scalar(e, p, row, vector), -bytes * (e->shape.width - 1));
        store_beside(e, value, reversed(e, v), first, mask ? &flipped : NULL);
    } else if (at.x == LANE_VARYING && simd_may_be_neighbours(e->g, p)) {
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
    LLVMValueRef *mask = simd_mask_of(e, row, vector);
    LLVMBasicBlockRef on = NULL;
    if (!simd_ends_parts(e, value)) return;
    if (!mask || e->target->mask_registers || simd_is_of_rows(e->g, value)) {
        simd_store_parts(e, value, row, vector, mask);
        return;
    }
    if (*mask == e->inside) {
        LLVMBasicBlockRef some = simd_when_all_inside(e, &on);
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
    if (!e->mask && simd_turns_columns(e->g, e->shape, value)) store_columns(e, value, row, vector);
    else if (simd_writes_parts(e, value)) store_parts(e, value, row, vector);
    else if (value->private_of >= 0) store_private(e, value, at, row, vector);
    else store_copy(e, value, at, row, vector);
}

/* Into the caches; for neighbours side by side only, each line of memory once where vectors are taken several at a
 * time. */
void simd_fetch(SimdEmit *e, const SimdValue *ahead, int row, int vector) {
    LLVMValueRef place = LLVMGetOperand(ahead->v, 0);
    LaneRate at = simd_rate(e->g, place, e->block);
    if (at.x != LANE_LINEAR || at.stride <= 0 || at.stride > SIMD_LINE) return;
    int64_t bytes = at.stride * e->shape.width;
    if (vector * bytes % SIMD_LINE) return;
    for (int64_t line = 0; line < bytes; line += SIMD_LINE)
        simd_prefetch(e->cg, moved(e, simd_scalar(e, place, row, vector), line), FIRST_CACHE);
}
