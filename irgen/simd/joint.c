/* joint.c -- spread places (spread.c) that fill two vectors together. An exchange in a sorting network reads `s[i]` and
 * `s[i + gap]` and writes both, and for gaps below a vector the places of a block of items are two whole vectors: a gap
 * of 2 makes `a a b b a a b b` of each, a for the lower places, b for the upper ones. Each access by itself would load and
 * store parts of these, and read what was just written in another shape, which has to wait until it has reached the
 * cache. So where the nest begins it is asked of all of them at once; then the vectors are loaded once and stored once.
 *
 * Items have no order among each other, so the lanes take them in the order in which machines bring the lower places of
 * two vectors together in a single step, and the upper ones, and both back: by halves for a gap of 4, by pairs and by
 * single elements within the halves for 2 and 1. The nest is written for each of the gaps.
 *
 * What asks such a place for bits, `(i & size) == 0`, asks that of the block's first place, once, and of those behind it,
 * where the nest begins: they have no bits in common.
 *
 * Only for memory of a group, and for accesses that every item makes before anything can part the items or fail: then all
 * that lies between these places is there, and nobody else's. */
#include "irgen/simd/simd.h"

enum { LANES = 8, LANES_LOG2 = 3, ELEMENT_BYTES = 4, FAR = 12 };

typedef struct Pair {             /* of vectors */
    LLVMValueRef lower, upper;    /* the accesses */
    int load[2];                  /* what they read is there until the stores of these elements; -1 */
} Pair;

typedef struct BitTest {
    LLVMValueRef test, behind;    /* behind: lanes of a mask: are the bits 0 in the places behind the first one? */
    LLVMValueRef all_behind;      /* in all of them, and does that not depend on the gap? */
} BitTest;

struct SimdJoint {
    Vec(Pair) pairs;
    Vec(BitTest) tests;
    LLVMValueRef gap, less;       /* and what the masks keep */
    int by;                       /* the gap, in the code that is being written */
    LLVMValueRef lower;           /* of the lanes' items: the lower place, counted from the first one */
    LLVMValueRef order;           /* the lanes' items */
};

/* The first item's value in a block that begins at item x: of a multiple of the block, a mask that keeps less leaves
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

static LLVMValueRef word_of(SimdEmit *e, LLVMValueRef number) {
    return LLVMBuildIntCast2(e->b, number, e->cg->i32, false, "");
}

static void hold(SimdEmit *e, LLVMValueRef *holds, LLVMValueRef also) {
    *holds = *holds ? LLVMBuildAnd(e->b, *holds, also, "") : also;
}

/* Pairs ------------------------------------------------------------------------------------------------------------- */

static bool counts_elements(const SimdRegion *g, LLVMValueRef v) {
    if (!LLVMIsAGetElementPtrInst(v) || LLVMGetNumOperands(v) != 2) return false;
    return simd_bytes(g, LLVMGetGEPSourceElementType(v)) == ELEMENT_BYTES;
}

/* Elements by which `upper` is made to lie behind `lower`; NULL: it is made in another way. */
static LLVMValueRef gap_between(const SimdRegion *g, LLVMValueRef lower, LLVMValueRef upper) {
    if (!counts_elements(g, upper)) return NULL;
    LLVMValueRef base = LLVMGetOperand(upper, 0), index = LLVMGetOperand(upper, 1);
    if (base == lower) return index;
    if (!counts_elements(g, lower) || base != LLVMGetOperand(lower, 0)) return NULL;
    if (!LLVMIsAInstruction(index) || LLVMGetInstructionOpcode(index) != LLVMAdd) return NULL;
    for (unsigned k = 0; k < 2; k++)
        if (LLVMGetOperand(index, k) == LLVMGetOperand(lower, 1)) return LLVMGetOperand(index, !k);
    return NULL;
}

static const Pair *pair_of(const SimdJoint *j, LLVMValueRef pointer) {
    for (int k = 0; j && k < j->pairs.n; k++)
        if (j->pairs.at[k].lower == pointer || j->pairs.at[k].upper == pointer) return &j->pairs.at[k];
    return NULL;
}

/* What an access is to, where all items make it; NULL: it is no place of a group that is spread. */
static LLVMValueRef joined_place(const SimdEmit *e, const SimdValue *value) {
    bool is_store = LLVMIsAStoreInst(value->v), is_access = is_store || LLVMIsALoadInst(value->v);
    LLVMValueRef at = is_access ? LLVMGetOperand(value->v, is_store) : NULL;
    bool fits = at && simd_is_spread(e->g, e->target, value) && simd_is_group_memory(at);
    return fits && !simd_rate(e->g, at, e->block).y ? at : NULL;
}

static void find_pairs(SimdEmit *e, SimdJoint *j) {
    const SimdRegion *g = e->g;
    const SimdBlock *first = &g->blocks.at[e->block];
    for (int i = first->first; i < first->first + first->n; i++)
        for (int k = first->first; k < first->first + first->n; k++) {
            Pair p = {joined_place(e, &g->values.at[i]), joined_place(e, &g->values.at[k]), {-1, -1}};
            if (!p.lower || !p.upper || pair_of(j, p.lower) || pair_of(j, p.upper)) continue;
            LLVMValueRef gap = gap_between(g, p.lower, p.upper);
            if (gap && simd_rate(g, gap, e->block).x == LANE_UNIFORM) vec_push(g->arena, &j->pairs, p);
        }
}

/* Would another access see which item a lane has? */
static bool knows_order(const SimdRegion *g, const SimdTarget *t, const SimdJoint *j) {
    for (int i = 0; i < g->values.n; i++) {
        const SimdValue *value = &g->values.at[i];
        bool is_store = LLVMIsAStoreInst(value->v), is_access = is_store || LLVMIsALoadInst(value->v);
        if (!is_access) continue;
        LLVMValueRef at = LLVMGetOperand(value->v, is_store);
        bool along = simd_rate(g, at, value->block).x == LANE_LINEAR || value->private_of >= 0;
        if (along || (simd_is_spread(g, t, value) && !pair_of(j, at))) return true;
    }
    return false;
}

/* What the items read there in the beginning is what is there when they store: that load and one store are all that is
 * done to these elements, once. The pair's other places are other elements. -1: it is not so. */
static int only_load(const SimdRegion *g, LLVMValueRef pointer) {
    int load = -1, accesses = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int i = value_map_get(g->value_of, user);
        if (i < 0 || g->blocks.at[g->values.at[i].block].loop >= 0) return -1;
        if (LLVMIsAGetElementPtrInst(user)) continue; /* is_alone looks at what that is for */
        accesses++;
        if (LLVMIsALoadInst(user) && g->values.at[i].block == value_map_get(g->block_of, g->body)) load = i;
        else if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != pointer) return -1;
    }
    return accesses == 2 ? load : -1;
}

/* Does the nest do nothing to the memory but by these accesses? */
static bool is_alone(const SimdRegion *g, const SimdJoint *j, const Pair *pair) {
    LLVMValueRef memory = simd_object(pair->lower);
    for (int i = 0; i < g->values.n; i++) {
        LLVMValueRef v = g->values.at[i].v;
        bool is_chosen = LLVMIsAPHINode(v) || LLVMIsASelectInst(v);
        if (is_chosen && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) return false;
        for (int k = 0; k < LLVMGetNumOperands(v) && !LLVMIsAGetElementPtrInst(v); k++) {
            LLVMValueRef at = LLVMGetOperand(v, (unsigned)k);
            if (simd_object(at) == memory && pair_of(j, at) != pair) return false;
        }
    }
    return true;
}

/* The question ------------------------------------------------------------------------------------------------------- */

/* What a value of an item is more than that of the block's first one: stride * item + low * (item & mask). */
typedef struct Behind {
    int64_t stride, low;
    LLVMValueRef mask;            /* NULL: there is none */
} Behind;

/* Does each item go on by one place in every gap, and by two gaps from one to the next? */
static bool is_every_other(Behind d, int64_t bytes) { return d.mask && d.stride == 2 * bytes && d.low == -bytes; }

static bool sum_behind(Behind a, Behind b, int64_t times, Behind *d) {
    if (a.mask && b.mask && a.mask != b.mask) return false;
    *d = (Behind){a.stride + times * b.stride, a.low + times * b.low, a.mask ? a.mask : b.mask};
    return true;
}

static bool behind_first(const SimdEmit *e, LLVMValueRef v, Behind *d) {
    LaneRate r = simd_rate(e->g, v, e->block);
    Behind a, b;
    *d = (Behind){.stride = r.x == LANE_LINEAR ? r.stride : 0};
    if (r.x != LANE_VARYING) return !r.y;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef by = LLVMGetOperand(v, 1);
    if (op == LLVMAnd) {
        *d = (Behind){.low = 1, .mask = by};
        return true;
    }
    if (!behind_first(e, LLVMGetOperand(v, 0), &a)) return false;
    if (op == LLVMShl) {
        int64_t k = LLVMConstIntGetSExtValue(by);
        return k >= 0 && k < FAR && sum_behind((Behind){0}, a, (int64_t)1 << k, d);
    }
    int64_t times = op == LLVMGetElementPtr ? simd_bytes(e->g, LLVMGetGEPSourceElementType(v)) : op == LLVMSub ? -1 : 1;
    return behind_first(e, by, &b) && sum_behind(a, b, times, d);
}

/* Is the gap 1, 2 or 4, and do the masks keep what is less? */
static bool ask_places(SimdEmit *e, const Pair *p, LLVMValueRef gap, LLVMValueRef *holds) {
    Behind lower, upper;
    if (!behind_first(e, p->lower, &lower) || !behind_first(e, p->upper, &upper)) return false;
    if (!is_every_other(lower, ELEMENT_BYTES) || !is_every_other(upper, ELEMENT_BYTES)) return false;
    LLVMTypeRef t = LLVMTypeOf(gap);
    LLVMValueRef less = LLVMBuildSub(e->b, gap, LLVMConstInt(t, 1, false), "");
    hold(e, holds, LLVMBuildICmp(e->b, LLVMIntULT, less, LLVMConstInt(t, SIMD_MOST_JOINT, false), ""));
    hold(e, holds, LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, gap, less, ""), LLVMConstNull(t), ""));
    LLVMValueRef masks[2] = {lower.mask, upper.mask};
    for (int k = 0; k < 2; k++) {
        LLVMValueRef mask = simd_at(e->g, e->b, masks[k], e->x, e->y);
        if (!mask || LLVMTypeOf(mask) != t) return false;
        hold(e, holds, LLVMBuildICmp(e->b, LLVMIntEQ, mask, less, ""));
    }
    return true;
}

/* The lower place of a lane's item. */
static int lower_place(int gap, int lane) {
    static const int by_1[LANES] = {0, 2, 8, 10, 4, 6, 12, 14}, by_2[LANES] = {0, 1, 8, 9, 4, 5, 12, 13};
    static const int by_4[LANES] = {0, 1, 2, 3, 8, 9, 10, 11};
    return (gap == 1 ? by_1 : gap == 2 ? by_2 : by_4)[lane];
}

static void find_order(SimdEmit *e, SimdJoint *j) {
    LLVMValueRef lower[LANES], order[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        int place = lower_place(j->by, lane), below = place & (j->by - 1);
        lower[lane] = cg_i32(e->cg, place);
        order[lane] = cg_i32(e->cg, below + (place - below) / 2);
    }
    j->lower = LLVMConstVector(lower, LANES);
    j->order = LLVMConstVector(order, LANES);
}

/* Bits --------------------------------------------------------------------------------------------------------------- */

static int max_of(int a, int b) { return a > b ? a : b; }
static int min_of(int a, int b) { return a < b ? a : b; }

/* Bits that are 0 at the end of v in the first item of every block. */
static int low_zeros(const SimdRegion *g, LLVMValueRef v, int depth) {
    enum { ALL = 64 };
    if (v == g->x) return LANES_LOG2;
    if (LLVMIsAConstantInt(v)) return LLVMIsNull(v) ? ALL : __builtin_ctzll(LLVMConstIntGetZExtValue(v));
    if (!LLVMIsABinaryOperator(v) || depth > FAR) return 0;
    LLVMValueRef by = LLVMGetOperand(v, 1);
    int a = low_zeros(g, LLVMGetOperand(v, 0), depth + 1), b = low_zeros(g, by, depth + 1);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd: case LLVMSub: case LLVMOr: return min_of(a, b);
    case LLVMAnd: {
        int i = value_map_get(g->value_of, v);
        bool is_spread = i >= 0 && g->values.at[i].rate.x == LANE_VARYING && g->values.at[i].low == LOW_ONES;
        return is_spread ? ALL : max_of(a, b);
    }
    case LLVMMul: return min_of(a + b, ALL);
    case LLVMShl: return LLVMIsAConstantInt(by) ? min_of(a + (int)LLVMConstIntGetZExtValue(by), ALL) : a;
    default: return 0;
    }
}

/* (v & mask) == 0, or != 0, of the number of a lower place, or of what it is made of. */
static bool is_bit_test(const SimdEmit *e, const SimdValue *value) {
    if (!LLVMIsAICmpInst(value->v) || !LLVMIsNull(LLVMGetOperand(value->v, 1))) return false;
    LLVMIntPredicate is = LLVMGetICmpPredicate(value->v);
    LLVMValueRef bits = LLVMGetOperand(value->v, 0);
    if ((is != LLVMIntEQ && is != LLVMIntNE) || !LLVMIsAInstruction(bits)) return false;
    if (LLVMGetInstructionOpcode(bits) != LLVMAnd || value->rate.x != LANE_VARYING || value->rate.y) return false;
    LLVMValueRef v = LLVMGetOperand(bits, 0);
    bool is_uniform = simd_rate(e->g, LLVMGetOperand(bits, 1), value->block).x == LANE_UNIFORM;
    Behind d;
    return is_uniform && simd_is_spread_number(e->g, v, value->block) && behind_first(e, v, &d) && is_every_other(d, 1);
}

static void find_bit_tests(SimdEmit *e, SimdJoint *j, LLVMValueRef less) {
    for (int i = 0; i < e->g->values.n; i++) {
        const SimdValue *value = &e->g->values.at[i];
        if (value->block != e->block || !is_bit_test(e, value)) continue;
        LLVMValueRef bits = LLVMGetOperand(value->v, 0), v = LLVMGetOperand(bits, 0);
        LLVMValueRef mask = simd_at(e->g, e->b, LLVMGetOperand(bits, 1), e->x, e->y);
        Behind d;
        if (!mask || !first_at(e, v, e->x) || low_zeros(e->g, v, 0) <= LANES_LOG2) continue;
        behind_first(e, v, &d);
        if (d.mask != less) continue;
        LLVMTypeRef lanes = simd_type(e, e->cg->i32);
        LLVMValueRef has = LLVMBuildAnd(e->b, j->lower, simd_splat(e, word_of(e, mask)), "");
        has = LLVMBuildICmp(e->b, LLVMIntEQ, has, LLVMConstNull(lanes), "");
        LLVMValueRef low = LLVMBuildAnd(e->b, mask, LLVMConstInt(LLVMTypeOf(mask), 2 * LANES - 1, false), "");
        low = LLVMBuildICmp(e->b, LLVMIntEQ, low, LLVMConstNull(LLVMTypeOf(low)), "");
        BitTest test = {value->v, simd_mask_call(e, has, lanes), low};
        vec_push(e->g->arena, &j->tests, test);
    }
}

static const BitTest *bit_test(const SimdEmit *e, LLVMValueRef v) {
    const SimdJoint *j = e->order ? e->g->joint : NULL;
    for (int i = 0; j && i < j->tests.n; i++)
        if (j->tests.at[i].test == v) return &j->tests.at[i];
    return NULL;
}

LLVMValueRef simd_joint_first_bits(SimdEmit *e, LLVMValueRef v, LLVMValueRef *all_behind) {
    const BitTest *test = bit_test(e, v);
    if (!test) return NULL;
    if (all_behind) *all_behind = test->all_behind;
    LLVMValueRef bits = LLVMGetOperand(v, 0), first = first_at(e, LLVMGetOperand(bits, 0), e->x);
    first = LLVMBuildAnd(e->b, first, simd_at(e->g, e->b, LLVMGetOperand(bits, 1), e->x, e->y), "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, first, LLVMConstNull(LLVMTypeOf(first)), "");
}

LLVMValueRef simd_joint_bit_test(SimdEmit *e, LLVMValueRef v) {
    LLVMValueRef first = simd_joint_first_bits(e, v, NULL);
    if (!first) return NULL;
    LLVMValueRef behind = simd_mask_call(e, bit_test(e, v)->behind, simd_type(e, e->cg->i1));
    LLVMValueRef none = LLVMBuildAnd(e->b, simd_splat(e, first), behind, "");
    return LLVMGetICmpPredicate(v) == LLVMIntEQ ? none : LLVMBuildNot(e->b, none, "");
}

/* Accesses ----------------------------------------------------------------------------------------------------------- */

/* e: where the nest begins. NULL: there are no places that could be joined. */
LLVMValueRef simd_join(SimdEmit *e) {
    SimdRegion *g = e->g;
    SimdJoint *j = arena_new(g->arena, SimdJoint);
    e->block = value_map_get(g->block_of, g->body);
    for (int b = 0; b < g->blocks.n; b++)
        if (g->blocks.at[b].leaves) return NULL;
    if (g->blocks.at[e->block].loop >= 0) return NULL;
    find_pairs(e, j);
    if (!j->pairs.n || knows_order(g, e->target, j)) return NULL;
    LLVMValueRef holds = NULL, gap = NULL;
    for (int k = 0; k < j->pairs.n; k++) { /* the lanes have one order for all */
        Pair *p = &j->pairs.at[k];
        LLVMValueRef one = simd_at(g, e->b, gap_between(g, p->lower, p->upper), e->x, e->y);
        if (!one || !first_at(e, p->lower, e->x) || (gap && LLVMTypeOf(one) != LLVMTypeOf(gap))) return NULL;
        if (!ask_places(e, p, one, &holds)) return NULL;
        if (gap) hold(e, &holds, LLVMBuildICmp(e->b, LLVMIntEQ, one, gap, ""));
        gap = one;
        if (!is_alone(g, j, p)) continue;
        p->load[0] = only_load(g, p->lower);
        p->load[1] = only_load(g, p->upper);
    }
    Behind d;
    behind_first(e, j->pairs.at[0].lower, &d);
    j->gap = gap;
    j->less = d.mask;
    g->joint = j;
    return holds;
}

LLVMValueRef simd_joint_has(SimdEmit *e, int gap) {
    LLVMValueRef is = e->g->joint->gap;
    return LLVMBuildICmp(e->b, LLVMIntEQ, is, LLVMConstInt(LLVMTypeOf(is), (unsigned)gap, false), "");
}

void simd_join_by(SimdEmit *e, int gap) {
    SimdJoint *j = e->g->joint;
    j->by = gap;
    find_order(e, j);
    j->tests.n = 0;
    find_bit_tests(e, j, j->less);
    e->order = j->order;
}

LLVMValueRef simd_joint_order(const SimdRegion *g) { return g->joint ? g->joint->order : NULL; }

bool simd_is_joint(const SimdRegion *g, LLVMValueRef pointer) { return pair_of(g->joint, pointer) != NULL; }

static LLVMValueRef vector_at(SimdEmit *e, const Pair *p, int k) {
    LLVMValueRef behind = cg_i64(e->cg, (int64_t)k * LANES);
    return LLVMBuildGEP2(e->b, e->cg->f32, first_at(e, p->lower, e->x), &behind, 1, "");
}

static LLVMValueRef shuffled(SimdEmit *e, LLVMValueRef a, LLVMValueRef b, const int *from) {
    LLVMValueRef index[LANES];
    for (int i = 0; i < LANES; i++) index[i] = cg_i32(e->cg, from[i]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(index, LANES), "");
}

LLVMValueRef simd_joint_load(SimdEmit *e, LLVMValueRef pointer, LLVMTypeRef t) {
    const SimdJoint *j = e->g->joint;
    const Pair *p = pair_of(j, pointer);
    int from[LANES], behind = pointer == p->upper ? j->by : 0;
    for (int lane = 0; lane < LANES; lane++) from[lane] = lower_place(j->by, lane) + behind;
    return shuffled(e, simd_elements_at(e, t, vector_at(e, p, 0)), simd_elements_at(e, t, vector_at(e, p, 1)), from);
}

/* The other places keep what is there. Where both of a pair are read and stored LLVM sees that it is the two vectors. */
void simd_joint_store(SimdEmit *e, LLVMValueRef pointer, LLVMValueRef v) {
    const SimdJoint *j = e->g->joint;
    const Pair *p = pair_of(j, pointer);
    int behind = pointer == p->upper ? j->by : 0;
    for (int k = 0; k < 2; k++) {
        LLVMValueRef at = vector_at(e, p, k), old = simd_elements_at(e, LLVMTypeOf(v), at);
        int from[LANES];
        for (int i = 0; i < LANES; i++) from[i] = LANES + i;
        for (int lane = 0; lane < LANES; lane++) {
            int place = lower_place(j->by, lane) + behind;
            if (place / LANES == k) from[place % LANES] = lane;
        }
        LLVMSetAlignment(LLVMBuildStore(e->b, shuffled(e, v, old, from), at), ELEMENT_BYTES);
    }
}

/* What is there; NULL: who knows */
LLVMValueRef simd_joint_old(SimdEmit *e, LLVMValueRef pointer, int row, int vector) {
    const Pair *p = pair_of(e->g->joint, pointer);
    int load = p->load[pointer == p->upper];
    return load < 0 ? NULL : simd_vector(e, e->g->values.at[load].v, row, vector);
}
