/* leave.c -- checks that may fail, and the way out of the kernel behind one that did.
 *
 * Whether all of a block's items are inside is asked in the shortest way there is: of a number where it is the same
 * for all, of the first and the last item where it moves along with them, in its own width where a narrow index was
 * widened. That may leave a doubt, as lanes that are not live are asked, too; then every live lane is looked at. The
 * way out is as cold as code gets, so it stays scalar: written once more for the first item that failed, with that
 * item's values, it reports the item as the item itself would have. */
#include "irgen/simd/emit.h"

/* Is one outside? ------------------------------------------------------------------------------------------------ */

/* A comparison as it is where all is well, with what changes from item to item on its left. */
typedef struct Compared {
    LLVMValueRef v, with;
    LLVMIntPredicate is;
} Compared;

static LLVMIntPredicate inverse(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntEQ: return LLVMIntNE;
    case LLVMIntNE: return LLVMIntEQ;
    case LLVMIntUGT: return LLVMIntULE;
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntULT: return LLVMIntUGE;
    case LLVMIntULE: return LLVMIntUGT;
    case LLVMIntSGT: return LLVMIntSLE;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntSLT: return LLVMIntSGE;
    case LLVMIntSLE: return LLVMIntSGT;
    }
    return p;
}

static LLVMIntPredicate swapped(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSLE: return LLVMIntSGE;
    case LLVMIntEQ:
    case LLVMIntNE: break;
    }
    return p;
}

/* The values of a block are there where the check stands if the comparison does; false: it stands elsewhere. */
static bool compared(const SimdRegion *g, LLVMValueRef cond, bool fails, int block, Compared *c) {
    int i = value_map_get(g->value_of, cond);
    if (i < 0 || g->values.at[i].block != block || !LLVMIsAICmpInst(cond)) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(cond);
    *c = (Compared){LLVMGetOperand(cond, 0), LLVMGetOperand(cond, 1), fails ? inverse(p) : p};
    if (simd_rate(g, c->v, block).x == LANE_UNIFORM) *c = (Compared){c->with, c->v, swapped(c->is)};
    return LLVMGetTypeKind(LLVMTypeOf(c->v)) == LLVMIntegerTypeKind && simd_rate(g, c->with, block).x == LANE_UNIFORM;
}

static bool is_signed(LLVMIntPredicate p) { return p >= LLVMIntSGT; }
static bool is_order(LLVMIntPredicate p) { return p != LLVMIntEQ && p != LLVMIntNE; }
static bool is_below(LLVMIntPredicate p) {
    return p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT || p == LLVMIntSLE;
}

LLVMValueRef simd_check_of(const SimdRegion *g, int block) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->blocks.at[block].bb);
    if (g->blocks.at[block].leaves || !LLVMIsABranchInst(t) || !LLVMIsConditional(t)) return NULL;
    for (int i = 0; i < 2; i++) {
        int s = value_map_get(g->block_of, simd_succ(g, block, i));
        if (s >= 0 && g->blocks.at[s].leaves) return LLVMGetCondition(t);
    }
    return NULL;
}

bool simd_checked_at_ends(const SimdRegion *g, LLVMValueRef cond, int block) {
    Compared c;
    return compared(g, cond, false, block, &c) && simd_rate(g, c.v, block).x == LANE_LINEAR && is_order(c.is);
}

/* The first item keeps as far from an end that is the same for many blocks as the last one is behind it. */
static LLVMValueRef doubt_below(SimdEmit *e, const Compared *c, LLVMValueRef first, uint64_t behind) {
    LLVMTypeRef t = LLVMTypeOf(first);
    LLVMValueRef args[2] = {simd_scalar(e, c->with, 0, 0), LLVMConstInt(t, behind, false)};
    LLVMValueRef end = simd_intrinsic(e, "llvm.usub.sat", &t, 1, args, 2);
    return LLVMBuildICmp(e->b, LLVMIntUGE, first, end, "doubt");
}

/* From the first item to the last the value only goes up, or only down, unless it comes round the end of its type on
 * the way; then the last one is on the wrong side of the first. */
static LLVMValueRef doubt_at_ends(SimdEmit *e, const Compared *c) {
    LaneRate r = simd_rate(e->g, c->v, e->block);
    LLVMTypeRef t = LLVMTypeOf(c->v);
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (r.x != LANE_LINEAR || !is_order(c->is) || bits < 8 || bits > 64) return NULL;
    int64_t steps = e->shape.vectors * e->shape.width - 1, far = (int64_t)1 << (bits - 2);
    if (steps && (r.stride >= far / steps || r.stride <= -far / steps)) return NULL;
    LLVMValueRef first = simd_scalar(e, c->v, 0, 0);
    if (c->is == LLVMIntULT && r.stride > 0) return doubt_below(e, c, first, (uint64_t)(r.stride * steps));
    LLVMValueRef last = LLVMBuildAdd(e->b, first, LLVMConstInt(t, (uint64_t)(r.stride * steps), true), "");
    LLVMValueRef low = r.stride > 0 ? first : last, high = r.stride > 0 ? last : first;
    LLVMValueRef round = LLVMBuildICmp(e->b, is_signed(c->is) ? LLVMIntSGT : LLVMIntUGT, low, high, "");
    LLVMValueRef with = simd_scalar(e, c->with, 0, 0);
    LLVMValueRef outside = LLVMBuildICmp(e->b, inverse(c->is), is_below(c->is) ? high : low, with, "");
    return LLVMBuildOr(e->b, round, outside, "doubt");
}

/* An index of fewer bits than the extent: what it cannot reach, it need not be compared with. */
static LLVMValueRef doubt_narrow(SimdEmit *e, const Compared *c) {
    int i = value_map_get(e->g->value_of, c->v);
    bool widened = i >= 0 && e->g->values.at[i].block == e->block && (LLVMIsASExtInst(c->v) || LLVMIsAZExtInst(c->v));
    if (!widened || c->is != LLVMIntULT || simd_rate(e->g, c->v, e->block).x != LANE_VARYING) return NULL;
    LLVMValueRef from = LLVMGetOperand(c->v, 0);
    LLVMTypeRef t = LLVMTypeOf(from), wide = LLVMTypeOf(c->v);
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits < 8) return NULL;
    uint64_t most = LLVMIsASExtInst(c->v) ? UINT64_C(1) << (bits - 1) : (UINT64_C(1) << bits) - 1;
    LLVMValueRef args[2] = {simd_scalar(e, c->with, 0, 0), LLVMConstInt(wide, most, false)};
    LLVMValueRef end = simd_intrinsic(e, "llvm.umin", &wide, 1, args, 2);
    LLVMValueRef all = simd_splat(e, LLVMBuildTrunc(e->b, end, t, ""));
    LLVMValueRef *outside = arena_array(e->g->arena, LLVMValueRef, e->n);
    for (int k = 0; k < e->n; k++) {
        LLVMValueRef v = simd_vector(e, from, k / e->shape.vectors, k % e->shape.vectors);
        outside[k] = simd_live_where(e, k, LLVMBuildICmp(e->b, LLVMIntUGE, v, all, ""));
    }
    return simd_any(e, outside);
}

/* NULL: there is no shorter way to ask than to look at every lane. */
static LLVMValueRef doubt(SimdEmit *e, LLVMValueRef cond, bool fails) {
    Compared c;
    LaneRate r = simd_rate(e->g, cond, e->block);
    if (r.x == LANE_UNIFORM && !r.y) {
        LLVMValueRef v = simd_scalar(e, cond, 0, 0);
        return fails ? v : LLVMBuildNot(e->b, v, "");
    }
    if (e->shape.rows > 1 || !compared(e->g, cond, fails, e->block, &c)) return NULL;
    LLVMValueRef ends = doubt_at_ends(e, &c);
    return ends ? ends : doubt_narrow(e, &c);
}

/* The way out ---------------------------------------------------------------------------------------------------- */

typedef struct Leaving {
    SimdEmit *e;
    LLVMValueRef row, vector, lane;    /* of the first item that failed: where it is in the block */
    LLVMValueRef along;                /* and in its row */
    ValueMap *value_at, *block_at;
    Vec(LLVMValueRef) values;
    Vec(LLVMBasicBlockRef) blocks;
} Leaving;

static LLVMValueRef is_at(Leaving *l, LLVMValueRef place, int k) {
    return LLVMBuildICmp(l->e->b, LLVMIntEQ, place, LLVMConstInt(l->e->cg->i32, (unsigned)k, false), "");
}

/* Of the item that failed. */
static LLVMValueRef of_item(Leaving *l, LLVMValueRef v) {
    SimdEmit *e = l->e;
    LaneRate r = simd_rate(e->g, v, e->block);
    bool varies = r.x == LANE_VARYING;
    LLVMValueRef lane = varies ? l->lane : l->along, found = NULL;
    for (int row = 0; row < (r.y ? e->shape.rows : 1); row++) {
        LLVMValueRef one = NULL;
        for (int k = 0; k < (varies ? e->shape.vectors : 1); k++) {
            LLVMValueRef here = simd_lane(e, v, row, k, lane);
            one = one ? LLVMBuildSelect(e->b, is_at(l, l->vector, k), here, one, "") : here;
        }
        found = found ? LLVMBuildSelect(e->b, is_at(l, l->row, row), one, found, "") : one;
    }
    return found;
}

static LLVMValueRef operand(Leaving *l, LLVMValueRef v) {
    if (LLVMValueIsBasicBlock(v)) {
        int b = value_map_get(l->block_at, LLVMValueAsBasicBlock(v));
        return LLVMBasicBlockAsValue(l->blocks.at[b]);
    }
    int i = value_map_get(l->value_at, v);
    return i >= 0 ? l->values.at[i] : of_item(l, v);
}

static void make_blocks(Leaving *l, LLVMBasicBlockRef bb) {
    if (value_map_get(l->block_at, bb) >= 0) return;
    value_map_put(l->block_at, bb, l->blocks.n);
    vec_push(l->e->g->arena, &l->blocks, simd_block(l->e, "leave"));
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) make_blocks(l, LLVMGetSuccessor(t, i));
}

static void write(Leaving *l, LLVMBasicBlockRef bb) {
    SimdEmit *e = l->e;
    LLVMPositionBuilderAtEnd(e->b, l->blocks.at[value_map_get(l->block_at, bb)]);
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
        LLVMValueRef c = LLVMInstructionClone(v);
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            LLVMSetOperand(c, (unsigned)i, operand(l, LLVMGetOperand(v, (unsigned)i)));
        LLVMInsertIntoBuilder(e->b, c);
        value_map_put(l->value_at, v, l->values.n);
        vec_push(e->g->arena, &l->values, c);
    }
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) {
        int s = value_map_get(l->block_at, LLVMGetSuccessor(t, i));
        if (!LLVMGetFirstInstruction(l->blocks.at[s])) write(l, LLVMGetSuccessor(t, i));
    }
}

/* The number of the first lane of all that is set: i32. */
static LLVMValueRef first_item(SimdEmit *e, LLVMValueRef *failed) {
    LLVMTypeRef bits = LLVMIntTypeInContext(e->cg->ctx, (unsigned)e->shape.width);
    LLVMTypeRef all = LLVMIntTypeInContext(e->cg->ctx, (unsigned)(e->n * e->shape.width));
    LLVMValueRef set = LLVMConstNull(all);
    for (int k = 0; k < e->n; k++) {
        LLVMValueRef one = LLVMBuildIntCast2(e->b, LLVMBuildBitCast(e->b, failed[k], bits, ""), all, false, "");
        LLVMValueRef by = LLVMConstInt(all, (uint64_t)(k * e->shape.width), false);
        set = LLVMBuildOr(e->b, set, LLVMBuildShl(e->b, one, by, ""), "");
    }
    LLVMValueRef args[2] = {set, LLVMConstInt(e->cg->i1, 1, false)};
    return LLVMBuildIntCast2(e->b, simd_intrinsic(e, "llvm.cttz", &all, 1, args, 2), e->cg->i32, false, "item");
}

static void leave(SimdEmit *e, LLVMBasicBlockRef to, LLVMValueRef *failed) {
    Leaving l = {.e = e};
    int vectors = e->shape.vectors, width = e->shape.width;
    LLVMValueRef item = first_item(e, failed), n_row = LLVMConstInt(e->cg->i32, (unsigned)(vectors * width), false);
    l.row = LLVMBuildUDiv(e->b, item, n_row, "");
    l.along = LLVMBuildURem(e->b, item, n_row, "");
    LLVMValueRef n_lanes = LLVMConstInt(e->cg->i32, (unsigned)width, false);
    l.vector = LLVMBuildUDiv(e->b, l.along, n_lanes, "");
    l.lane = LLVMBuildURem(e->b, l.along, n_lanes, "");
    l.value_at = value_map_new(e->g->arena, 32);
    l.block_at = value_map_new(e->g->arena, 4);
    make_blocks(&l, to);
    LLVMBuildBr(e->b, l.blocks.at[0]);
    write(&l, to);
}

void simd_branch_seldom(SimdEmit *e, LLVMValueRef cond, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise) {
    LLVMContextRef ctx = e->cg->ctx;
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(ctx, "branch_weights", 14),
                                  LLVMValueAsMetadata(LLVMConstInt(e->cg->i32, 1, false)),
                                  LLVMValueAsMetadata(LLVMConstInt(e->cg->i32, 1 << 20, false))};
    LLVMValueRef branch = LLVMBuildCondBr(e->b, cond, then, otherwise);
    LLVMValueRef seldom = LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, weights, 3));
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "prof", 4), seldom);
}

/* The items that failed leave, or all go on to `ok`. */
static void part(SimdEmit *e, LLVMValueRef some, LLVMBasicBlockRef then, LLVMBasicBlockRef ok) {
    simd_branch_seldom(e, some, then, ok);
    LLVMPositionBuilderAtEnd(e->b, then);
}

void simd_check(SimdEmit *e, LLVMValueRef cond, bool fails, LLVMBasicBlockRef to) {
    LLVMBasicBlockRef ok = simd_block(e, "ok");
    LLVMValueRef some = doubt(e, cond, fails);
    if (some && e->mask) some = LLVMBuildFreeze(e->b, some, ""); /* it may rest on what was skipped */
    if (some) part(e, some, simd_block(e, "look"), ok);
    LLVMValueRef *failed = simd_lanes_where(e, cond, fails);
    part(e, simd_any(e, failed), simd_block(e, "fail"), ok);
    leave(e, to, failed);
    LLVMPositionBuilderAtEnd(e->b, ok);
}
