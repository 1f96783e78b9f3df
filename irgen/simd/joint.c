/* joint.c -- spread places (spread.c) that fill two vectors together. An exchange in a sorting network reads `s[i]` and
 * `s[i + gap]` and writes both, and for gaps below a vector the places of a block of items are two whole vectors. Each
 * access by itself would load and store parts of these, and read what was just written in another shape, which has to
 * wait until it has reached the cache. So where the nest begins it is asked of all of them at once; then the vectors are
 * loaded once, permuted, and stored once, without a look at the places of any block.
 *
 * Only for memory of a group, and for accesses that every item makes before anything can part the items or fail: then all
 * that lies between these places is there, and nobody else's. What the first lanes' places are behind one another is the
 * same in all blocks if they go on by the same number of bytes. */
#include "irgen/simd/simd.h"

enum { LANES = 8, ELEMENT_LOG2 = 2, FAR = 12 };

typedef struct Joined {
    LLVMValueRef pointer, behind; /* behind: the lanes' elements, counted from the first lane's of the lead, then of the pair */
    int pair, load;               /* load: what it reads is there until the store of these elements; -1 */
} Joined;

typedef struct Pair {             /* of vectors */
    LLVMValueRef lead;            /* the first access to it */
    LLVMValueRef from;            /* where it begins, in elements behind the lead's first lane */
    int64_t step;                 /* from item to item, of the blocks' first lanes */
    int n;                        /* accesses */
} Pair;

struct SimdJoint {
    Vec(Joined) places;
    Vec(Pair) pairs;
};

/* The first lane's value in a block that begins at item x: of a multiple of the block, a mask that keeps less leaves
 * nothing. NULL: that takes more than arithmetic. */
static LLVMValueRef first_at(const SimdEmit *e, LLVMValueRef v, LLVMValueRef x) {
    if (simd_rate(e->g, v, e->block).x != LANE_VARYING) return simd_at(e->g, e->b, v, x, e->y);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMAnd) return LLVMConstNull(LLVMTypeOf(v));
    LLVMValueRef a = first_at(e, LLVMGetOperand(v, 0), x), b = first_at(e, LLVMGetOperand(v, 1), x);
    if (!a || !b) return NULL;
    if (op != LLVMGetElementPtr) return LLVMBuildBinOp(e->b, op, a, b, "");
    return LLVMBuildGEP2(e->b, LLVMGetGEPSourceElementType(v), a, &b, 1, "");
}

/* How far that goes on from item to item; false: not evenly. */
static bool step_of(const SimdEmit *e, LLVMValueRef v, int64_t *step) {
    LaneRate r = simd_rate(e->g, v, e->block);
    int64_t a, b;
    *step = r.x == LANE_LINEAR ? r.stride : 0;
    if (r.x != LANE_VARYING) return !r.y;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMAnd) return true;
    if (!step_of(e, LLVMGetOperand(v, 0), &a) || !step_of(e, LLVMGetOperand(v, 1), &b)) return false;
    if (op == LLVMShl) b = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    else if (op == LLVMGetElementPtr) b *= simd_bytes(e->g, LLVMGetGEPSourceElementType(v));
    if (op == LLVMShl && (b < 0 || b >= FAR)) return false;
    *step = op == LLVMShl ? (int64_t)((uint64_t)a << b) : op == LLVMSub ? a - b : a + b;
    return true;
}

static LLVMValueRef memory_of(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer)) pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static int pair_of(SimdEmit *e, SimdJoint *j, LLVMValueRef pointer, int64_t step) {
    for (int k = 0; k < j->pairs.n; k++)
        if (j->pairs.at[k].step == step && memory_of(j->pairs.at[k].lead) == memory_of(pointer)) return k;
    Pair p = {.lead = pointer, .step = step};
    vec_push(e->g->arena, &j->pairs, p);
    return j->pairs.n - 1;
}

static int place_of(const SimdJoint *j, LLVMValueRef pointer) {
    for (int i = 0; i < j->places.n; i++)
        if (j->places.at[i].pointer == pointer) return i;
    return -1;
}

/* What the items read there in the beginning is what is there when they store: that load and one store are all that is done
 * to these elements, once. The pair's other places are other elements. -1: it is not so. */
static int only_load(const SimdRegion *g, LLVMValueRef pointer) {
    int load = -1, n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use), n++) {
        LLVMValueRef user = LLVMGetUser(use);
        int i = simd_map_get(g->value_of, user);
        if (i < 0 || g->blocks.at[g->values.at[i].block].loop >= 0) return -1;
        if (LLVMIsALoadInst(user) && g->values.at[i].block == simd_map_get(g->block_of, g->body)) load = i;
        else if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != pointer) return -1;
    }
    return n == 2 ? load : -1;
}

/* Does the nest do nothing to the memory but by these accesses? */
static bool is_alone(const SimdRegion *g, const SimdJoint *j, int pair) {
    LLVMValueRef memory = memory_of(j->pairs.at[pair].lead);
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef v = g->values.at[i].v;
        bool is_chosen = LLVMIsAPHINode(v) || LLVMIsASelectInst(v);
        if (is_chosen && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) return false;
        for (int k = 0; k < LLVMGetNumOperands(v) && !LLVMIsAGetElementPtrInst(v); k++) {
            LLVMValueRef at = LLVMGetOperand(v, (unsigned)k);
            int place = memory_of(at) == memory ? place_of(j, at) : -1;
            if (memory_of(at) == memory && (place < 0 || j->places.at[place].pair != pair)) return false;
        }
    }
    return true;
}

/* Elements between the two. */
static LLVMValueRef distance(SimdEmit *e, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef a = LLVMBuildPtrToInt(e->b, from, e->cg->i64, ""), b = LLVMBuildPtrToInt(e->b, to, e->cg->i64, "");
    LLVMValueRef bytes = LLVMBuildSub(e->b, b, a, "");
    return LLVMBuildTrunc(e->b, LLVMBuildAShr(e->b, bytes, cg_i64(e->cg, ELEMENT_LOG2), ""), e->cg->i32, "");
}

static void join(SimdEmit *e, SimdJoint *j, LLVMValueRef pointer) {
    int64_t step;
    if (place_of(j, pointer) >= 0 || !step_of(e, pointer, &step)) return;
    LLVMValueRef first = first_at(e, pointer, e->x);
    if (!first) return;
    Joined place = {.pointer = pointer, .pair = pair_of(e, j, pointer, step)};
    Pair *pair = &j->pairs.at[place.pair];
    LLVMValueRef behind = simd_splat(e, distance(e, first_at(e, pair->lead, e->x), first));
    place.behind = LLVMBuildAdd(e->b, behind, simd_behind_first(e, pointer), "");
    vec_push(e->g->arena, &j->places, place);
    pair->n++;
}

/* The least or the last of the pair's places. */
static LLVMValueRef extreme(SimdEmit *e, const SimdJoint *j, int pair, const char *of_two, const char *of_all) {
    LLVMValueRef all = NULL;
    LLVMTypeRef t = simd_type(e, e->cg->i32);
    for (int i = 0; i < j->places.n; i++) {
        if (j->places.at[i].pair != pair) continue;
        LLVMValueRef two[2] = {all, j->places.at[i].behind};
        all = all ? simd_intrinsic(e, of_two, &t, 1, two, 2) : two[1];
    }
    return simd_intrinsic(e, of_all, &t, 1, &all, 1);
}

/* Of two accesses, each element of the two vectors is one lane's. */
static LLVMValueRef fill_two_vectors(SimdEmit *e, SimdJoint *j, int k) {
    LLVMValueRef all = NULL, one = simd_splat(e, cg_i32(e->cg, 1)), most = simd_splat(e, cg_i32(e->cg, 2 * LANES - 1));
    LLVMValueRef from = extreme(e, j, k, "llvm.smin", "llvm.vector.reduce.smin");
    LLVMValueRef last = extreme(e, j, k, "llvm.smax", "llvm.vector.reduce.smax");
    j->pairs.at[k].from = from;
    for (int i = 0; i < j->places.n; i++) {
        Joined *place = &j->places.at[i];
        if (place->pair != k) continue;
        place->behind = LLVMBuildSub(e->b, place->behind, simd_splat(e, from), "");
        LLVMValueRef bits = LLVMBuildShl(e->b, one, LLVMBuildAnd(e->b, place->behind, most, ""), "");
        all = all ? LLVMBuildOr(e->b, all, bits, "") : bits;
    }
    LLVMTypeRef t = LLVMTypeOf(all);
    LLVMValueRef filled = simd_intrinsic(e, "llvm.vector.reduce.or", &t, 1, &all, 1);
    filled = LLVMBuildICmp(e->b, LLVMIntEQ, filled, cg_i32(e->cg, (1 << 2 * LANES) - 1), "");
    LLVMValueRef span = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildSub(e->b, last, from, ""), cg_i32(e->cg, 2 * LANES - 1), "");
    return LLVMBuildAnd(e->b, filled, span, "");
}

/* e: where the nest begins. NULL: there are no places that could be joined. */
LLVMValueRef simd_join(SimdEmit *e) {
    SimdRegion *g = e->g;
    SimdJoint *j = arena_new(g->arena, SimdJoint);
    e->block = simd_map_get(g->block_of, g->body);
    const SimdBlock *first = &g->blocks.at[e->block];
    for (int b = 0; b < g->blocks.n; b++)
        if (g->blocks.at[b].leaves) return NULL;
    if (first->loop >= 0) return NULL;
    for (int i = first->first; i < first->first + first->n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_store = LLVMIsAStoreInst(value->v), is_access = is_store || LLVMIsALoadInst(value->v);
        LLVMValueRef pointer = is_access ? LLVMGetOperand(value->v, is_store) : NULL;
        if (pointer && simd_is_spread(g, e->target, value) && simd_is_group_memory(pointer)) join(e, j, pointer);
    }
    for (int i = 0; i < j->places.n; i++) {
        Joined *place = &j->places.at[i];
        place->load = is_alone(g, j, place->pair) ? only_load(g, place->pointer) : -1;
    }
    LLVMValueRef holds = NULL;
    for (int k = 0; k < j->pairs.n; k++) {
        if (j->pairs.at[k].n != 2) continue;
        LLVMValueRef fill = fill_two_vectors(e, j, k);
        holds = holds ? LLVMBuildAnd(e->b, holds, fill, "") : fill;
    }
    g->joint = holds ? j : NULL;
    return holds;
}

bool simd_is_joint(const SimdRegion *g, LLVMValueRef pointer) {
    int i = g->joint ? place_of(g->joint, pointer) : -1;
    return i >= 0 && g->joint->pairs.at[g->joint->places.at[i].pair].n == 2;
}

bool simd_joint_window(SimdEmit *e, LLVMValueRef pointer, SimdWindow *w) {
    if (!simd_is_joint(e->g, pointer)) return false;
    const SimdJoint *j = e->g->joint;
    int i = place_of(j, pointer);
    const Pair *pair = &j->pairs.at[j->places.at[i].pair];
    LLVMValueRef vector = cg_i32(e->cg, LANES);
    w->holds = LLVMConstInt(e->cg->i1, 1, false);
    w->at[0] = LLVMBuildGEP2(e->b, e->cg->f32, first_at(e, pair->lead, e->x), (LLVMValueRef[]){pair->from}, 1, "");
    w->at[1] = LLVMBuildGEP2(e->b, e->cg->f32, w->at[0], &vector, 1, "");
    w->behind[0] = j->places.at[i].behind;
    w->behind[1] = LLVMBuildSub(e->b, w->behind[0], simd_splat(e, vector), "");
    return true;
}

LLVMValueRef simd_joint_old(SimdEmit *e, LLVMValueRef pointer, int row, int vector) {
    int load = e->g->joint->places.at[place_of(e->g->joint, pointer)].load;
    return load < 0 ? NULL : simd_vector(e, e->g->values.at[load].v, row, vector);
}
