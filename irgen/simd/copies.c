/* copies.c -- the copies of a value for all items of a block. A value has as many copies as it has different values: a
 * scalar for each row where it is uniform or linear (then that of the row's first item), a vector for each vector of
 * each row where it varies. Each use makes what it needs from these copies: a scalar, a vector, one lane. What may be
 * used where its own block has been skipped is kept in slots of the frame. */
#include "irgen/simd/emit.h"

#include <string.h>

/* Types and constants ---------------------------------------------------------------------------------------------- */

LLVMTypeRef simd_type(SimdEmit *e, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMStructTypeKind) return LLVMVectorType(t, (unsigned)e->shape.width);
    unsigned n = LLVMCountStructElementTypes(t);
    LLVMTypeRef *parts = arena_array(e->g->arena, LLVMTypeRef, n + 1);
    for (unsigned i = 0; i < n; i++) parts[i] = simd_type(e, LLVMStructGetTypeAtIndex(t, i));
    return LLVMStructTypeInContext(e->cg->ctx, parts, n, false);
}

static LLVMTypeRef kept_type(SimdEmit *e, LLVMTypeRef t);

/* Invariant: each copy of a value has the type that the value's rate says. LLVM builds ill-typed casts and addresses
 * without a word. */
static LLVMValueRef typed(SimdEmit *e, LLVMValueRef v, LLVMTypeRef want) {
    if (LLVMTypeOf(v) == want) return v;
    ice(e->cg->c, (Span){0}, "vector code: a value has the type %s, its rate says %s",
        LLVMPrintTypeToString(LLVMTypeOf(v)), LLVMPrintTypeToString(want));
}

/* One bit for all goes into lanes as a number: LLVM would spread it byte by byte first. */
static LLVMValueRef splat_bit(SimdEmit *e, LLVMValueRef bit, LLVMTypeRef mask) {
    LLVMTypeRef lanes = kept_type(e, mask);
    LLVMValueRef all = simd_splat(e, LLVMBuildSExt(e->b, bit, LLVMGetElementType(lanes), ""));
    return simd_mask_call(e, all, mask);
}

LLVMValueRef simd_splat(SimdEmit *e, LLVMValueRef scalar) {
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)e->shape.width);
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef *all = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
        for (int i = 0; i < e->shape.width; i++) all[i] = scalar;
        return LLVMConstVector(all, (unsigned)e->shape.width);
    }
    if (kept_type(e, t) != t) return splat_bit(e, scalar, t);
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), scalar, cg_i64(e->cg, 0), "");
    LLVMTypeRef order = LLVMVectorType(e->cg->i32, (unsigned)e->shape.width);
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(t), LLVMConstNull(order), "");
}

LLVMValueRef simd_iota(SimdEmit *e, LLVMTypeRef t, int64_t stride) {
    LLVMValueRef *all = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) all[i] = LLVMConstInt(t, (uint64_t)stride * (uint64_t)i, true);
    return LLVMConstVector(all, (unsigned)e->shape.width);
}

LLVMValueRef simd_intrinsic(SimdEmit *e, const char *name, LLVMTypeRef *over, int n_over, LLVMValueRef *args, int n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) ice(e->cg->c, (Span){0}, "LLVM has no intrinsic %s", name);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->cg->module, id, over, (size_t)n_over);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cg->ctx, id, over, (size_t)n_over), fn, args, (unsigned)n, "");
}

LLVMValueRef simd_alloca(SimdEmit *e, LLVMTypeRef t, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMMetadataRef debug = LLVMGetCurrentDebugLocation2(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->allocas));
    LLVMValueRef at = LLVMBuildAlloca(e->b, t, name);
    LLVMPositionBuilderAtEnd(e->b, here);
    LLVMSetCurrentDebugLocation2(e->b, debug);
    return at;
}

LLVMBasicBlockRef simd_block(SimdEmit *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->cg->ctx, e->g->fn, name);
}

/* Copies ----------------------------------------------------------------------------------------------------------- */

int simd_copies(const SimdEmit *e, LaneRate r) {
    return (r.y ? e->shape.rows : 1) * (r.x == LANE_VARYING ? e->shape.vectors : 1);
}

int simd_copy_at(const SimdEmit *e, LaneRate r, int row, int vector) {
    if (!r.y) row = 0;
    return r.x == LANE_VARYING ? row * e->shape.vectors + vector : row;
}

/* Vectors of single bits live long in memory and across branches as lanes of the machine, where it has no mask
 * registers. */
static bool is_packed_mask(const SimdEmit *e, LLVMTypeRef t) {
    return !e->target->mask_registers && LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetElementType(t) == e->cg->i1;
}

static LLVMTypeRef kept_type(SimdEmit *e, LLVMTypeRef t) {
    if (!is_packed_mask(e, t)) return t;
    int bits = e->target->vector_bits / e->shape.width;
    return LLVMVectorType(LLVMIntTypeInContext(e->cg->ctx, (unsigned)(bits > 64 ? 64 : bits < 8 ? 8 : bits)),
                          (unsigned)e->shape.width);
}

LLVMValueRef simd_slot_new(SimdEmit *e, LLVMTypeRef t, const char *name) {
    return simd_alloca(e, kept_type(e, t), name);
}

LLVMValueRef simd_slot_load(SimdEmit *e, LLVMTypeRef t, LLVMValueRef slot) {
    LLVMTypeRef kept = kept_type(e, t);
    LLVMValueRef v = LLVMBuildLoad2(e->b, kept, slot, "");
    return kept == t ? v : simd_mask_call(e, v, t);
}

void simd_slot_store(SimdEmit *e, LLVMValueRef v, LLVMValueRef slot) {
    LLVMTypeRef kept = kept_type(e, LLVMTypeOf(v));
    if (kept != LLVMTypeOf(v)) v = LLVMIsNull(v) ? LLVMConstNull(kept) : simd_mask_call(e, v, kept);
    LLVMBuildStore(e->b, v, slot);
}

LLVMTypeRef simd_copy_type(SimdEmit *e, LaneRate r, LLVMTypeRef t) { return r.x == LANE_VARYING ? simd_type(e, t) : t; }

LLVMValueRef simd_kept_slot(SimdEmit *e, int i, int k) {
    const SimdValue *value = &e->g->values.at[i];
    if (!e->slot[i][k]) e->slot[i][k] = simd_slot_new(e, simd_copy_type(e, value->rate, LLVMTypeOf(value->v)), "kept");
    return e->slot[i][k];
}

LLVMValueRef simd_out_slot(SimdEmit *e, int i, int k) {
    LLVMTypeRef t = simd_type(e, LLVMTypeOf(e->g->values.at[i].v));
    if (!e->out[i][k]) e->out[i][k] = simd_slot_new(e, t, "out");
    return e->out[i][k];
}

static LLVMValueRef copy_of(SimdEmit *e, int i, int row, int vector) {
    SimdValue *value = &e->g->values.at[i];
    LLVMTypeRef t = LLVMTypeOf(value->v);
    if (value->leaves_loop >= 0 && !simd_in_loop(e->g, value->leaves_loop, e->block))
        return simd_slot_load(e, simd_type(e, t), simd_out_slot(e, i, row * e->shape.vectors + vector));
    int k = simd_copy_at(e, value->rate, row, vector);
    if (value->crosses && value->block != e->block)
        return simd_slot_load(e, simd_copy_type(e, value->rate, t), simd_kept_slot(e, i, k));
    return typed(e, e->copy[i][k], simd_copy_type(e, value->rate, t));
}

static LLVMValueRef offset(SimdEmit *e, LLVMValueRef base, LLVMValueRef by) {
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind)
        return LLVMBuildGEP2(e->b, e->cg->i8, base, &by, 1, "");
    return LLVMBuildAdd(e->b, base, by, "");
}

static LLVMTypeRef offset_type(SimdEmit *e, LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind ? e->cg->i64 : t;
}

LLVMValueRef simd_scalar(SimdEmit *e, LLVMValueRef v, int row, int vector) {
    if (v == e->g->y) return row ? LLVMBuildAdd(e->b, e->y, cg_i64(e->cg, row), "") : e->y;
    LaneRate r = simd_rate(e->g, v, e->block);
    LLVMValueRef base = v;
    int i = value_map_get(e->g->value_of, v), private = value_map_get(e->g->private_of, v);
    if (private >= 0) return e->privates[private];
    if (v == e->g->x) base = e->x;
    else if (i >= 0) base = copy_of(e, i, row, vector);
    typed(e, base, LLVMTypeOf(v)); /* a varying value has no number for all lanes */
    if (r.x != LANE_LINEAR || !vector) return base;
    LLVMTypeRef t = offset_type(e, LLVMTypeOf(v));
    return offset(e, base, LLVMConstInt(t, (uint64_t)r.stride * (uint64_t)(vector * e->shape.width), true));
}

LLVMValueRef simd_vector(SimdEmit *e, LLVMValueRef v, int row, int vector) {
    LaneRate r = simd_rate(e->g, v, e->block);
    if (r.x == LANE_VARYING) return copy_of(e, value_map_get(e->g->value_of, v), row, vector);
    LLVMValueRef base = simd_scalar(e, v, row, vector);
    if (r.x == LANE_UNIFORM) return simd_splat(e, base);
    LLVMValueRef lanes = simd_iota(e, offset_type(e, LLVMTypeOf(v)), r.stride);
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        return LLVMBuildGEP2(e->b, e->cg->i8, base, &lanes, 1, "");
    return LLVMBuildAdd(e->b, simd_splat(e, base), lanes, "");
}

/* An operand where LLVM takes numbers beside vectors: as a number if it is the same for all lanes. */
LLVMValueRef simd_number_or_vector(SimdEmit *e, LLVMValueRef v, int row, int vector) {
    bool alike = simd_rate(e->g, v, e->block).x == LANE_UNIFORM;
    return alike ? simd_scalar(e, v, row, vector) : simd_vector(e, v, row, vector);
}

/* What was made of such operands: a number, if all of them were numbers. */
LLVMValueRef simd_widened(SimdEmit *e, LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ? v : simd_splat(e, v);
}

static bool is_never_written(LLVMValueRef pointer) { return simd_is_param(simd_object(pointer), "readonly"); }

static bool is_arithmetic(LLVMOpcode op) { return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl; }

static bool is_address(LLVMOpcode op) { return op == LLVMGetElementPtr || op == LLVMSExt || op == LLVMZExt; }

/* An address, or index, made of indices and sizes, `i * n + j`, which have a number for all lanes. */
static bool is_of_numbers(SimdEmit *e, LLVMValueRef v, int depth) {
    enum { FAR = 6 };
    int i = value_map_get(e->g->value_of, v);
    if (simd_rate(e->g, v, e->block).x != LANE_VARYING) return true;
    LLVMOpcode op = i < 0 ? LLVMPHI : LLVMGetInstructionOpcode(v);
    if (depth == FAR || !(is_arithmetic(op) || is_address(op))) return false;
    if (e->g->values.at[i].crosses || e->g->values.at[i].private_of >= 0) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_of_numbers(e, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

bool simd_is_made_by_lane(SimdEmit *e, LLVMValueRef place) { return is_of_numbers(e, place, 0); }

/* Vectors are taken apart slowly, so the address of a lane is made for it alone, of numbers that are read for it alone.
 */
static bool is_made_for_lane(SimdEmit *e, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    if (value->crosses || value->private_of >= 0) return false;
    if (is_arithmetic(op)) return is_of_numbers(e, value->v, 0);
    if (op != LLVMLoad) return is_address(op);
    LLVMValueRef at = LLVMGetOperand(value->v, 0);
    return simd_is_contiguous(e->g, simd_rate(e->g, at, e->block), LLVMTypeOf(value->v)) && is_never_written(at);
}

/* Two lanes' words as one number. */
static LLVMValueRef both_words(SimdEmit *e, LLVMValueRef v, int row, int vector, int first) {
    if (is_made_for_lane(e, &e->g->values.at[value_map_get(e->g->value_of, v)])) {
        LLVMValueRef at = simd_lane(e, LLVMGetOperand(v, 0), row, vector, cg_i32(e->cg, first));
        LLVMValueRef both = LLVMBuildLoad2(e->b, e->cg->i64, simd_hidden(e, at), "");
        LLVMSetAlignment(both, LLVMGetAlignment(v));
        return both;
    }
    LLVMTypeRef pairs = LLVMVectorType(e->cg->i64, (unsigned)e->shape.width / 2);
    LLVMValueRef all = LLVMBuildFreeze(e->b, simd_vector(e, v, row, vector), ""); /* each lane answers for itself */
    all = LLVMBuildBitCast(e->b, all, pairs, "");
    return simd_hidden(e, LLVMBuildExtractElement(e->b, all, cg_i32(e->cg, first / 2), ""));
}

/* A lane's word by itself, of two taken at once: what is done lane by lane waits for the units that read, write and
 * take vectors apart, and the others have nothing to do. NULL: that is no word, or who knows which lane's. */
static LLVMValueRef word_of(SimdEmit *e, LLVMValueRef v, int row, int vector, LLVMValueRef lane) {
    enum { WORD = 32 };
    if (LLVMTypeOf(v) != e->cg->i32 || !LLVMIsAConstantInt(lane) || e->shape.width % 2) return NULL;
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v)) return NULL; /* of what is smaller: by itself */
    int place = (int)LLVMConstIntGetZExtValue(lane), first = place & ~1;
    SimdLanePair *p = &e->pair;
    if (p->of != v || p->block != LLVMGetInsertBlock(e->b) || p->row != row || p->vector != vector || p->first != first)
        *p = (SimdLanePair){v, LLVMGetInsertBlock(e->b), row, vector, first, both_words(e, v, row, vector, first)};
    LLVMValueRef one = place == first ? p->both : LLVMBuildLShr(e->b, p->both, cg_i64(e->cg, WORD), "");
    return LLVMBuildTrunc(e->b, one, e->cg->i32, "");
}

LLVMValueRef simd_clone_lane(SimdEmit *e, LLVMValueRef inst, int row, int vector, LLVMValueRef lane) {
    LLVMValueRef c = LLVMInstructionClone(inst);
    for (int k = 0; k < LLVMGetNumOperands(inst); k++)
        LLVMSetOperand(c, (unsigned)k, simd_lane(e, LLVMGetOperand(inst, (unsigned)k), row, vector, lane));
    if (LLVMIsALoadInst(inst)) /* LLVM would take it out of the vector */
        LLVMSetOperand(c, 0, simd_hidden(e, LLVMGetOperand(c, 0)));
    LLVMInsertIntoBuilder(e->b, c);
    return c;
}

/* Of one item, which is live. lane: i32. */
LLVMValueRef simd_lane(SimdEmit *e, LLVMValueRef v, int row, int vector, LLVMValueRef lane) {
    LaneRate r = simd_rate(e->g, v, e->block);
    int i = value_map_get(e->g->value_of, v);
    bool is_computed = i >= 0 && is_arithmetic(LLVMGetInstructionOpcode(v)) && is_of_numbers(e, v, 0);
    LLVMValueRef word = r.x == LANE_VARYING && !is_computed ? word_of(e, v, row, vector, lane) : NULL;
    if (word) return word;
    if (r.x == LANE_VARYING && is_made_for_lane(e, &e->g->values.at[i]))
        return simd_clone_lane(e, v, row, vector, lane);
    if (r.x == LANE_VARYING) return LLVMBuildExtractElement(e->b, copy_of(e, i, row, vector), lane, "");
    LLVMValueRef base = simd_scalar(e, v, row, vector);
    if (r.x == LANE_UNIFORM) return base;
    LLVMTypeRef t = offset_type(e, LLVMTypeOf(v));
    LLVMValueRef at = LLVMBuildIntCast2(e->b, lane, t, false, "");
    return offset(e, base, LLVMBuildMul(e->b, at, LLVMConstInt(t, (uint64_t)r.stride, true), ""));
}
