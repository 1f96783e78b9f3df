/* update.c -- atomic updates of one element by all work items of a block: a reduction of the lanes in registers, then
 * one update in memory. What lanes that are not live bring changes nothing. Updates of one element have no order among
 * each other, and sums of floats may be taken in any (lang/atomic.c).
 *
 * If the old values of integers are wanted, as for places in a list, the reduction is a scan: an item finds what was
 * there before the update, and what the items before it have brought (on GPUs: warp-aggregated atomics).
 *
 * Updates of contiguous elements, without a lock, are a vector that is loaded, changed and stored again. Other lanes
 * reach other elements, and other vectors and rows come before or after it.
 *
 * Where an element is the same for the whole nest, and nothing but the update is done to it, lanes are reduced when the
 * nest ends: until then each copy of the block has an accumulator of vectors. It holds what changes nothing whenever no
 * nest runs. */
#include "irgen/simd/emit.h"

#include <string.h>

typedef enum Join { JOIN_ADD, JOIN_AND, JOIN_OR, JOIN_XOR, JOIN_MIN, JOIN_MAX, JOIN_NONE } Join;

typedef struct Combining {
    Join join;
    bool is_float, is_signed, subtracts;
    bool is_alone; /* the update is all that is done to its element while the kernel runs */
} Combining;

/* By the name of the function that the update is a call of: operation, then type. */
static Combining operation_of(LLVMValueRef call) {
    static const struct { const char *name; Join join; } joins[] = {
        {"add.", JOIN_ADD}, {"sub.", JOIN_ADD}, {"and.", JOIN_AND}, {"or.", JOIN_OR},
        {"xor.", JOIN_XOR}, {"min.", JOIN_MIN}, {"max.", JOIN_MAX},
    };
    Combining none = {.join = JOIN_NONE};
    if (!simd_is_call_of(call, CG_UPDATE)) return none;
    size_t n;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &n) + strlen(CG_UPDATE);
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        if (strncmp(name, joins[i].name, strlen(joins[i].name))) continue;
        const char *type = name + strlen(joins[i].name);
        bool is_float = !strncmp(type, "f32", 3) || !strncmp(type, "f64", 3);
        bool is_alone = strchr(type, '.') != NULL;
        return (Combining){joins[i].join, is_float, *type == 'i', !strncmp(name, "sub.", 4), is_alone};
    }
    return none;
}

/* Of an update whose old values nobody wants. */
static Combining combining(LLVMValueRef call) {
    return LLVMGetFirstUse(call) ? (Combining){.join = JOIN_NONE} : operation_of(call);
}

bool simd_updates_alone(LLVMValueRef v) {
    size_t n;
    if (!simd_is_call_of(v, CG_UPDATE) || simd_is_call_of(v, CG_UPDATE CG_READ)) return false;
    return strstr(LLVMGetValueName2(LLVMGetCalledValue(v), &n), CG_ALONE) != NULL;
}

/* Of floats whose old values are wanted, the sums before each item would be rounded in another order. */
static bool combines(const SimdRegion *g, LLVMValueRef v, int block) {
    Combining c = operation_of(v);
    if (c.join == JOIN_NONE || simd_rate(g, LLVMGetOperand(v, 0), block).x != LANE_UNIFORM) return false;
    bool is_private = g->values.at[value_map_get(g->value_of, v)].private_of >= 0;
    return !LLVMGetFirstUse(v) || (!c.is_float && !is_private && simd_allows(g, UPDATES));
}

/* A vector that is loaded while parts of it are on their way to memory waits for them (store-to-load forwarding). */
static bool overlaps_another(const SimdRegion *g, LLVMValueRef call) {
    enum { ON_THEIR_WAY = 16 * SIMD_LINE };
    int64_t by;
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef other = g->values.at[i].v;
        if (!simd_is_call_of(other, CG_UPDATE)) continue;
        if (!simd_goes_on_by(g, LLVMGetOperand(call, 0), LLVMGetOperand(other, 0), &by)) continue;
        if (by % SIMD_LINE && by > -ON_THEIR_WAY && by < ON_THEIR_WAY) return true;
    }
    return false;
}

static bool is_beside(const SimdRegion *g, LLVMValueRef call, int block) {
    Combining c = combining(call);
    if (c.join == JOIN_NONE || !c.is_alone || !simd_allows(g, UPDATES)) return false;
    if (g->values.at[value_map_get(g->value_of, call)].private_of >= 0) return false;
    bool has_masks = g->mask_registers || simd_bytes(g, LLVMTypeOf(call)) >= 4;
    if (simd_is_masked(g, block) && !has_masks) return false;
    LaneRate at = simd_rate(g, LLVMGetOperand(call, 0), block);
    return simd_is_contiguous(g, at, LLVMTypeOf(call)) && !overlaps_another(g, call);
}

bool simd_has_vector_update(const SimdRegion *g, LLVMValueRef v, int block) {
    return combines(g, v, block) || is_beside(g, v, block);
}

/* What changes nothing, joined with a value. Of a number and a NaN the number stays. */
static LLVMValueRef neutral(Combining c, LLVMTypeRef t) {
    bool is_order = c.join == JOIN_MIN || c.join == JOIN_MAX;
    if (c.is_float) return is_order ? LLVMConstRealOfString(t, "nan") : LLVMConstReal(t, -0.0);
    if (c.join == JOIN_AND) return LLVMConstAllOnes(t);
    if (!is_order) return LLVMConstNull(t);
    uint64_t least = UINT64_C(1) << (LLVMGetIntTypeWidth(t) - 1), most = least - 1;
    if (c.is_signed) return LLVMConstInt(t, c.join == JOIN_MIN ? most : least, false);
    return c.join == JOIN_MIN ? LLVMConstAllOnes(t) : LLVMConstNull(t);
}

bool simd_changes_nothing(LLVMValueRef call, LLVMValueRef by) {
    Combining c = combining(call);
    if (c.is_float && c.subtracts) return false; /* -0.0 - -0.0 is 0.0 */
    return c.join != JOIN_NONE && by == neutral(c, LLVMTypeOf(by));
}

static LLVMValueRef nothing_of(SimdEmit *e, Combining c, LLVMTypeRef type) {
    LLVMValueRef *lanes = arena_array(e->g->arena, LLVMValueRef, LLVMGetVectorSize(type));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) lanes[i] = neutral(c, LLVMGetElementType(type));
    return LLVMConstVector(lanes, LLVMGetVectorSize(type));
}

static LLVMValueRef joined(SimdEmit *e, Combining c, LLVMValueRef a, LLVMValueRef b) {
    static const char *const orders[3][2] = {
        {"llvm.umin", "llvm.umax"}, {"llvm.smin", "llvm.smax"}, {"llvm.minimumnum", "llvm.maximumnum"}};
    LLVMValueRef args[2] = {a, b};
    LLVMTypeRef t = LLVMTypeOf(a);
    switch (c.join) {
    case JOIN_ADD: return c.is_float ? LLVMBuildFAdd(e->b, a, b, "") : LLVMBuildAdd(e->b, a, b, "");
    case JOIN_AND: return LLVMBuildAnd(e->b, a, b, "");
    case JOIN_OR: return LLVMBuildOr(e->b, a, b, "");
    case JOIN_XOR: return LLVMBuildXor(e->b, a, b, "");
    case JOIN_MIN:
    case JOIN_MAX: return simd_intrinsic(e, orders[c.is_float ? 2 : c.is_signed][c.join == JOIN_MAX], &t, 1, args, 2);
    case JOIN_NONE: break;
    }
    return a;
}

/* By halves: LLVM's reductions have no order of floats with our rule for NaN and signed zeros. */
static LLVMValueRef halved(SimdEmit *e, Combining c, LLVMValueRef v) {
    for (int n = e->shape.width / 2; n >= 1; n /= 2) {
        LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
        for (int i = 0; i < e->shape.width; i++) order[i] = cg_i32(e->cg, i < n ? n + i : i);
        LLVMValueRef upper = LLVMConstVector(order, (unsigned)e->shape.width);
        v = joined(e, c, v, LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), upper, ""));
    }
    return LLVMBuildExtractElement(e->b, v, cg_i32(e->cg, 0), "");
}

static LLVMValueRef reduced(SimdEmit *e, Combining c, LLVMValueRef v) {
    static const char *const names[][2] = { /* unsigned, signed */
        [JOIN_ADD] = {"llvm.vector.reduce.add", "llvm.vector.reduce.add"},
        [JOIN_AND] = {"llvm.vector.reduce.and", "llvm.vector.reduce.and"},
        [JOIN_OR] = {"llvm.vector.reduce.or", "llvm.vector.reduce.or"},
        [JOIN_XOR] = {"llvm.vector.reduce.xor", "llvm.vector.reduce.xor"},
        [JOIN_MIN] = {"llvm.vector.reduce.umin", "llvm.vector.reduce.smin"},
        [JOIN_MAX] = {"llvm.vector.reduce.umax", "llvm.vector.reduce.smax"},
    };
    LLVMTypeRef t = LLVMTypeOf(v);
    return c.is_float ? halved(e, c, v) : simd_intrinsic(e, names[c.join][c.is_signed], &t, 1, &v, 1);
}

static LLVMValueRef brought(SimdEmit *e, LLVMValueRef call, Combining c, int k) {
    LLVMValueRef v = simd_vector(e, LLVMGetOperand(call, 1), k / e->shape.vectors, k % e->shape.vectors);
    if (!e->mask) return v;
    LLVMValueRef nothing = simd_splat(e, neutral(c, LLVMTypeOf(LLVMGetOperand(call, 1))));
    return LLVMBuildSelect(e->b, e->mask[k], v, nothing, "");
}

static LLVMValueRef make_update(SimdEmit *e, LLVMValueRef call, LLVMValueRef at, LLVMValueRef v) {
    LLVMValueRef one = LLVMInstructionClone(call);
    LLVMSetOperand(one, 0, at);
    LLVMSetOperand(one, 1, v);
    LLVMInsertIntoBuilder(e->b, one);
    return one;
}

/* One update for what these rows bring. */
static void update(SimdEmit *e, LLVMValueRef call, Combining c, int from, int to) {
    LLVMValueRef all = NULL;
    for (int k = from * e->shape.vectors; k < to * e->shape.vectors; k++) {
        LLVMValueRef v = brought(e, call, c, k);
        all = all ? joined(e, c, all, v) : v;
    }
    LLVMValueRef at = simd_scalar(e, LLVMGetOperand(call, 0), from, 0);
    make_update(e, call, at, reduced(e, c, all));
}

/* The lanes, `by` further on; the first ones change nothing. */
static LLVMValueRef shifted(SimdEmit *e, Combining c, LLVMValueRef v, int by) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++) order[i] = cg_i32(e->cg, i < by ? i : e->shape.width + i - by);
    LLVMValueRef lanes = LLVMConstVector(order, (unsigned)e->shape.width);
    return LLVMBuildShuffleVector(e->b, nothing_of(e, c, LLVMTypeOf(v)), v, lanes, "");
}

/* What the lanes before each one have brought together (Hillis, Steele 1986). */
static LLVMValueRef scanned(SimdEmit *e, Combining c, LLVMValueRef v) {
    v = shifted(e, c, v, 1);
    for (int by = 1; by < e->shape.width; by *= 2) v = joined(e, c, v, shifted(e, c, v, by));
    return v;
}

static LLVMValueRef last_lane(SimdEmit *e, LLVMValueRef v) {
    return LLVMBuildExtractElement(e->b, v, cg_i32(e->cg, e->shape.width - 1), "");
}

static LLVMValueRef changed(SimdEmit *e, Combining c, LLVMValueRef old, LLVMValueRef v) {
    if (!c.subtracts) return joined(e, c, old, v);
    return c.is_float ? LLVMBuildFSub(e->b, old, v, "") : LLVMBuildSub(e->b, old, v, "");
}

/* The same, and the old values of all lanes. */
static void scan(SimdEmit *e, LLVMValueRef call, Combining c, int from, int to) {
    int i = value_map_get(e->g->value_of, call);
    LLVMValueRef *before = arena_array(e->g->arena, LLVMValueRef, e->n), all = NULL;
    for (int k = from * e->shape.vectors; k < to * e->shape.vectors; k++) {
        LLVMValueRef v = brought(e, call, c, k), lanes = scanned(e, c, v);
        before[k] = all ? joined(e, c, lanes, simd_splat(e, all)) : lanes;
        LLVMValueRef sum = joined(e, c, last_lane(e, lanes), last_lane(e, v));
        all = all ? joined(e, c, all, sum) : sum;
    }
    LLVMValueRef old = make_update(e, call, simd_scalar(e, LLVMGetOperand(call, 0), from, 0), all);
    for (int k = from * e->shape.vectors; k < to * e->shape.vectors; k++) {
        int at = simd_copy_at(e, e->g->values.at[i].rate, k / e->shape.vectors, k % e->shape.vectors);
        e->copy[i][at] = changed(e, c, simd_splat(e, old), before[k]);
    }
}

static void update_beside(SimdEmit *e, LLVMValueRef call, int row, int vector) {
    LLVMValueRef *mask = simd_mask_of(e, row, vector), at = simd_scalar(e, LLVMGetOperand(call, 0), row, vector);
    unsigned align = (unsigned)simd_bytes(e->g, LLVMTypeOf(call));
    LLVMValueRef old = simd_load_elements(e, call, align, at, mask);
    LLVMValueRef v = changed(e, combining(call), old, simd_vector(e, LLVMGetOperand(call, 1), row, vector));
    simd_store_elements(e, call, align, v, at, mask);
}

/* Accumulators --------------------------------------------------------------------------------------------------- */

/* A constant element of a parameter. */
static bool is_element(LLVMValueRef at) {
    if (LLVMIsAArgument(at)) return true;
    if (!LLVMIsAGetElementPtrInst(at) || !LLVMIsAArgument(LLVMGetOperand(at, 0))) return false;
    for (int i = 1; i < LLVMGetNumOperands(at); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(at, (unsigned)i))) return false;
    return true;
}

/* May an instruction access what the update does, other than by the same operation? */
static bool may_access(const SimdRegion *g, LLVMValueRef v, LLVMValueRef call) {
    int64_t by, bytes = simd_bytes(g, LLVMTypeOf(LLVMGetOperand(call, 1)));
    LLVMValueRef at = LLVMGetOperand(call, 0), array = simd_object(at);
    if (simd_is_access(v)) {
        LLVMValueRef object = simd_object(simd_address(v));
        return object == array || LLVMIsASelectInst(object) || LLVMIsAPHINode(object); /* of one of several arrays */
    }
    if (!LLVMIsACallInst(v)) return false;
    Combining c = combining(v);
    for (int i = 0; i < LLVMGetNumOperands(v) - 1; i++) {
        LLVMValueRef p = LLVMGetOperand(v, (unsigned)i);
        if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind || simd_object(p) != array) continue;
        if (c.join != JOIN_NONE && LLVMGetCalledValue(v) == LLVMGetCalledValue(call)) continue;
        bool is_apart = c.join != JOIN_NONE && simd_goes_on_by(g, at, p, &by) && (by >= bytes || by <= -bytes);
        if (!is_apart) return true;
    }
    return false;
}

static bool is_all_that_accesses(const SimdRegion *g, LLVMValueRef call) {
    for (int i = 0; i < g->values.n; i++)
        if (may_access(g, g->values.at[i].v, call)) return false;
    return true;
}

static bool has_total(const SimdRegion *g, LLVMValueRef call) {
    Combining c = combining(call);
    if (c.join == JOIN_NONE || !is_element(LLVMGetOperand(call, 0))) return false;
    return c.is_alone || is_all_that_accesses(g, call);
}

bool simd_has_totals(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++) {
        if (!g->blocks.at[g->values.at[i].block].leaves && has_total(g, g->values.at[i].v)) return true;
    }
    return false;
}

SimdPartial simd_partial_update(const SimdRegion *g, LLVMValueRef call) {
    Combining c = combining(call);
    if (c.join != JOIN_ADD || c.is_float || !simd_allows(g, PARTIAL) || !has_total(g, call))
        return (SimdPartial){PARTIAL_NONE, NULL, NULL};
    return simd_partial_of(LLVMGetOperand(call, 1));
}

static LLVMValueRef total_of(SimdEmit *e, LLVMValueRef call, Combining c, int copy, LLVMTypeRef type) {
    SimdRegion *g = e->g;
    SimdTotal t = {value_map_get(g->value_of, call), copy, type, NULL};
    for (int i = 0; i < g->totals.n; i++) {
        const SimdTotal *other = &g->totals.at[i];
        if (other->value == t.value && other->copy == copy && other->type == t.type) return other->slot;
    }
    t.slot = simd_alloca(e, t.type, "total");
    LLVMValueRef nothing = nothing_of(e, c, t.type);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->allocas));
    LLVMBuildStore(e->b, nothing, t.slot);
    LLVMPositionBuilderAtEnd(e->b, here);
    vec_push(g->arena, &g->totals, t);
    return t.slot;
}

static void add_to_totals(SimdEmit *e, LLVMValueRef call, Combining c) {
    SimdPartial p = simd_partial_update(e->g, call);
    bool partially = simd_adds_partially(e, p);
    for (int k = 0; k < e->n; k++) {
        LLVMTypeRef sum = LLVMTypeOf(LLVMGetOperand(call, 1));
        LLVMTypeRef type = partially ? simd_partial_type(e, p, sum) : simd_type(e, sum);
        LLVMValueRef slot = total_of(e, call, c, k, type);
        if (partially) {
            LLVMValueRef before = LLVMBuildLoad2(e->b, type, slot, ""), *mask = e->mask ? &e->mask[k] : NULL;
            int row = k / e->shape.vectors, vector = k % e->shape.vectors;
            LLVMBuildStore(e->b, simd_add_partially(e, p, before, row, vector, mask), slot);
            continue;
        }
        LLVMValueRef v = brought(e, call, c, k);
        LLVMValueRef so_far = LLVMBuildLoad2(e->b, LLVMTypeOf(v), slot, "");
        LLVMBuildStore(e->b, joined(e, c, so_far, v), slot);
    }
}

/* Where nothing has come there may be no such element, and no item that comes to the update. */
static void bring(SimdEmit *e, LLVMValueRef call, Combining c, LLVMValueRef all) {
    LLVMValueRef at = LLVMGetOperand(call, 0), v = reduced(e, c, all), nothing = neutral(c, LLVMTypeOf(v));
    if (!LLVMIsAArgument(at)) {
        at = LLVMInstructionClone(at);
        LLVMInsertIntoBuilder(e->b, at);
    }
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cg->ctx, (unsigned)(8 * simd_bytes(e->g, LLVMTypeOf(v))));
    LLVMValueRef a = LLVMBuildBitCast(e->b, v, bits, ""), b = LLVMBuildBitCast(e->b, nothing, bits, "");
    LLVMValueRef nowhere = simd_alloca(e, LLVMTypeOf(v), "nowhere");
    at = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, a, b, ""), nowhere, at, "");
    make_update(e, call, at, v);
}

void simd_bring_totals(SimdEmit *e) {
    const SimdRegion *g = e->g;
    for (int i = 0; i < g->values.n; i++) {
        Combining c = combining(g->values.at[i].v);
        LLVMValueRef all = NULL;
        for (int k = 0; k < g->totals.n; k++) {
            const SimdTotal *t = &g->totals.at[k];
            if (t->value != i) continue;
            LLVMValueRef v = LLVMBuildLoad2(e->b, t->type, t->slot, "");
            e->shape.width = (int)LLVMGetVectorSize(t->type);
            LLVMBuildStore(e->b, nothing_of(e, c, t->type), t->slot);
            if (all && LLVMTypeOf(all) != t->type) { /* of another version of the nest */
                bring(e, g->values.at[i].v, c, v);
                continue;
            }
            all = all ? joined(e, c, all, v) : v;
        }
        if (!all) continue;
        e->shape.width = (int)LLVMGetVectorSize(LLVMTypeOf(all));
        bring(e, g->values.at[i].v, c, all);
    }
}

/* Rows that update elements of their own do so one by one; of several, some may have no lane that is live. */
static bool combined_update(SimdEmit *e, LLVMValueRef call) {
    if (!combines(e->g, call, e->block)) return false;
    Combining c = operation_of(call);
    if (has_total(e->g, call)) {
        add_to_totals(e, call, c);
        return true;
    }
    bool by_row = simd_rate(e->g, LLVMGetOperand(call, 0), e->block).y && e->shape.rows > 1;
    if (by_row && e->mask) return false;
    for (int row = 0; row < (by_row ? e->shape.rows : 1); row++) {
        int to = by_row ? row + 1 : e->shape.rows;
        if (LLVMGetFirstUse(call)) scan(e, call, c, row, to);
        else update(e, call, c, row, to);
    }
    return true;
}

bool simd_vector_update(SimdEmit *e, LLVMValueRef call) {
    if (!is_beside(e->g, call, e->block)) return combined_update(e, call);
    for (int row = 0; row < e->shape.rows; row++)
        for (int vector = 0; vector < e->shape.vectors; vector++) update_beside(e, call, row, vector);
    return true;
}

double simd_update_cost(const SimdRegion *g, LLVMValueRef call, int block) {
    enum { REDUCTION = 8, PARTIAL_SUM = 3, LOAD_AND_STORE = 3, MASKED_BY_VECTOR = 8, SCAN = 14 };
    if (LLVMGetFirstUse(call)) return SCAN;
    if (is_beside(g, call, block))
        return simd_is_masked(g, block) && !g->mask_registers ? MASKED_BY_VECTOR : LOAD_AND_STORE;
    if (simd_partial_update(g, call).kind) return PARTIAL_SUM;
    return has_total(g, call) ? 1 : REDUCTION;
}
