/* rates.c -- uniformity and stride analysis: how each value of a region changes from item to item, which branches are
 * divergent, and which blocks run under masks because of that. A fixpoint of both that only goes up. A load has the
 * uniformity of its address: items that run together read the same element at the same time. */
#include "irgen/simd/simd.h"

#define UNIFORM_LANES ((LaneRate){LANE_UNIFORM, false, 0, false})

int64_t simd_bytes(const SimdRegion *g, LLVMTypeRef t) { return (int64_t)LLVMABISizeOfType(g->layout, t); }

bool simd_is_contiguous(const SimdRegion *g, LaneRate at, LLVMTypeRef t) {
    return at.x == LANE_LINEAR && at.stride == simd_bytes(g, t);
}

static LaneRate varying(bool y) { return (LaneRate){LANE_VARYING, y, 0, false}; }

static LaneRate linear(int64_t stride, bool y, bool exact) {
    return stride ? (LaneRate){LANE_LINEAR, y, stride, exact} : (LaneRate){LANE_UNIFORM, y, 0, false};
}

LaneRate simd_rate(const SimdRegion *g, LLVMValueRef v, int user_block) {
    if (v == g->x) return linear(1, false, true);
    if (v == g->y) return (LaneRate){LANE_UNIFORM, g->rows, 0, false};
    int i = value_map_get(g->value_of, v);
    if (i < 0) return UNIFORM_LANES;
    const SimdValue *value = &g->values.at[i];
    for (int l = g->blocks.at[value->block].loop; l >= 0; l = g->loops.at[l].parent)
        if (g->loops.at[l].divergent && !g->loops.at[l].has[user_block]) return varying(g->rows);
    return value->rate;
}

static LaneRate any(LaneRate a, LaneRate b) {
    bool same = a.x == LANE_UNIFORM && b.x == LANE_UNIFORM;
    return same ? (LaneRate){LANE_UNIFORM, a.y || b.y, 0, false} : varying(a.y || b.y);
}

static LaneRate join(LaneRate a, LaneRate b) {
    if (a.x != b.x || a.stride != b.stride) return varying(a.y || b.y);
    return (LaneRate){a.x, a.y || b.y, a.stride, a.exact && b.exact};
}

static bool constant(LLVMValueRef v, int64_t *k) {
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
    *k = LLVMConstIntGetSExtValue(v);
    return true;
}

static LaneRate sum(LaneRate a, LaneRate b, int sign, bool no_wrap) {
    if (a.x == LANE_VARYING || b.x == LANE_VARYING) return varying(a.y || b.y);
    bool exact = no_wrap && (a.x == LANE_UNIFORM || a.exact) && (b.x == LANE_UNIFORM || b.exact);
    return linear((int64_t)((uint64_t)a.stride + (uint64_t)b.stride * (uint64_t)sign), a.y || b.y, exact);
}

static LaneRate product(LaneRate a, LaneRate b, LLVMValueRef va, LLVMValueRef vb, bool no_wrap) {
    int64_t k;
    if (a.x == LANE_LINEAR && constant(vb, &k))
        return linear((int64_t)((uint64_t)a.stride * (uint64_t)k), a.y, no_wrap && a.exact);
    if (b.x == LANE_LINEAR && constant(va, &k))
        return linear((int64_t)((uint64_t)b.stride * (uint64_t)k), b.y, no_wrap && b.exact);
    return any(a, b);
}

/* Elements of items' own memory lie interleaved (privates.c), so addresses in it do not step by what the scalar code
 * counts: they are alike or varying, never linear. */
static LaneRate private_address(LaneRate r) { return r.x == LANE_LINEAR ? varying(r.y) : r; }

static LaneRate address(const SimdRegion *g, LLVMValueRef gep, int block) {
    LaneRate r = simd_rate(g, LLVMGetOperand(gep, 0), block);
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            t = LLVMStructGetTypeAtIndex(t, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (i > 1) t = LLVMGetElementType(t);
        LaneRate at = simd_rate(g, index, block);
        if (at.x == LANE_LINEAR && !at.exact && LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64) at = varying(at.y);
        at.stride = (int64_t)((uint64_t)at.stride * (uint64_t)simd_bytes(g, t));
        r = sum(r, at, 1, false);
    }
    return r;
}

bool simd_is_masked(const SimdRegion *g, int block) {
    if (g->blocks.at[block].leaves) return true; /* it is no node: it stands beside the loop's own blocks */
    int level = g->blocks.at[block].loop + 1;
    return g->levels[level].nodes.at[simd_node_of(g, level, block)].masked;
}

/* One way into the loop, not out of another one, and one way around: all that are in a round have come the same way. */
bool simd_is_plain_header(const SimdRegion *g, int block) {
    int loop = g->blocks.at[block].loop, around = 0;
    if (loop < 0 || g->loops.at[loop].header != block) return false;
    LLVMValueRef phi = g->values.at[g->blocks.at[block].first].v;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, i));
        bool goes_around = from >= 0 && g->loops.at[loop].has[from];
        if (from >= 0 && !goes_around && g->blocks.at[from].loop != g->loops.at[loop].parent) return false;
        around += goes_around;
    }
    return around == 1 && LLVMCountIncoming(phi) == 2;
}

/* Do items come here on different ways, so that each brings a value of its own? */
static bool brings_apart(const SimdRegion *g, LLVMValueRef phi, int block) {
    if (simd_is_plain_header(g, block)) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, i));
        if (from < 0 || !simd_comes_alive(g, from, block)) continue;
        if (g->blocks.at[from].diverges || simd_is_masked(g, from)) return true;
        for (int l = g->blocks.at[from].loop; l >= 0 && !g->loops.at[l].has[block]; l = g->loops.at[l].parent)
            if (g->loops.at[l].divergent) return true;
    }
    return false;
}

/* What goes around a loop is not known at first: then it changes as what comes into the loop does. */
static LaneRate merged(const SimdRegion *g, LLVMValueRef phi, int block) {
    LaneRate r = UNIFORM_LANES;
    bool first = true;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, i)), value = value_map_get(g->value_of, v);
        if (value >= 0 && !g->values.at[value].known) continue;
        if (from >= 0 && !simd_comes_alive(g, from, block)) continue;
        LaneRate in = simd_rate(g, v, from < 0 ? block : from);
        r = first ? in : join(r, in);
        first = false;
    }
    return brings_apart(g, phi, block) ? varying(g->rows) : r;
}

bool simd_is_pure_call(LLVMValueRef call) {
    LLVMValueRef fn = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(fn)) return false;
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, memory);
    if (!a) a = LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, memory);
    return a && LLVMGetEnumAttributeValue(a) == 0;
}

bool simd_is_atomic(LLVMValueRef v) {
    return (LLVMIsALoadInst(v) || LLVMIsAStoreInst(v)) && LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic;
}

bool simd_is_fused(LLVMValueRef v) { return simd_is_call_of(v, "llvm.fma.") || simd_is_call_of(v, "llvm.fmuladd."); }

bool simd_is_plain(LLVMValueRef v) {
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsAUnaryOperator(v) ||
           simd_is_fused(v);
}

bool simd_is_sign_of_fused(LLVMValueRef v) {
    if (LLVMGetInstructionOpcode(v) != LLVMFNeg) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (!simd_is_fused(LLVMGetUser(u))) return false;
    return true;
}

static bool is_head_of_triangle(const SimdRegion *g, int b) {
    int loop = g->blocks.at[b].loop;
    return loop >= 0 && g->loops.at[loop].triangle && g->loops.at[loop].header == b;
}

static LaneRate of_operands(const SimdRegion *g, LLVMValueRef v, int block) {
    LaneRate r = UNIFORM_LANES;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) r = any(r, simd_rate(g, LLVMGetOperand(v, (unsigned)i), block));
    return r;
}

/* May the first item of a row not be here? What it says does not hold for the others then, where it overflows. */
bool simd_may_miss(const SimdRegion *g, int block) {
    if (simd_is_masked(g, block)) return true;
    for (int l = g->blocks.at[block].loop; l >= 0; l = g->loops.at[l].parent) {
        int outer = g->loops.at[l].parent + 1;
        if (g->loops.at[l].divergent) return true;
        if (g->levels[outer].nodes.at[simd_node_of(g, outer, g->loops.at[l].header)].masked) return true;
    }
    return false;
}

/* Of values that keep their distance from item to item, as `i ^ gap > i` in a block that gap leaves contiguous, all
 * items have one answer. An order needs the values to be those of the integers, also that of the first item, or the
 * distance could wrap. */
static LaneRate comparison(const SimdRegion *g, LLVMValueRef v, int block, LaneRate a, LaneRate b) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    bool equals = p == LLVMIntEQ || p == LLVMIntNE;
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE || LLVMGetICmpSameSign(v);
    bool apart = a.x == LANE_LINEAR && b.x == LANE_LINEAR && a.stride == b.stride;
    if (!apart || !(equals || (is_signed && a.exact && b.exact && !simd_may_miss(g, block)))) return any(a, b);
    return (LaneRate){LANE_UNIFORM, a.y || b.y, 0, false};
}

static LaneRate rate_of_value(const SimdRegion *g, const SimdValue *value) {
    LLVMValueRef v = value->v;
    int block = value->block;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LaneRate a = UNIFORM_LANES, b = UNIFORM_LANES;
    if (LLVMGetNumOperands(v) > 0 && op != LLVMPHI) a = simd_rate(g, LLVMGetOperand(v, 0), block);
    if (LLVMGetNumOperands(v) > 1 && op != LLVMPHI) b = simd_rate(g, LLVMGetOperand(v, 1), block);
    int64_t k;
    if (g->settled && value->at_ends) return simd_settled_rate(g, value);
    switch (op) {
    case LLVMAdd: return sum(a, b, 1, LLVMGetNSW(v));
    case LLVMSub: return sum(a, b, -1, LLVMGetNSW(v));
    case LLVMMul: return product(a, b, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), LLVMGetNSW(v));
    case LLVMAnd:
        if (!simd_counts_on(g, value)) return any(a, b);
        return value->low == LOW_ONES ? linear(1, a.y, true) : (LaneRate){LANE_UNIFORM, a.y, 0, false};
    case LLVMXor:
        if (simd_counts_on(g, value)) return linear(1, a.y, true);
        /* ~v is -1 - v, which LLVM writes so; that never wraps where v does not. */
        if (!constant(LLVMGetOperand(v, 1), &k) || k != -1 || a.x != LANE_LINEAR) return any(a, b);
        return sum(UNIFORM_LANES, a, -1, true);
    case LLVMUDiv: return simd_counts_on(g, value) ? (LaneRate){LANE_UNIFORM, a.y, 0, false} : any(a, b);
    case LLVMURem: return simd_counts_on(g, value) ? linear(1, a.y, true) : any(a, b);
    case LLVMOr:
        if (LLVMGetIsDisjoint(v)) return sum(a, b, 1, true);
        return simd_counts_on(g, value) ? linear(1, a.y, true) : any(a, b);
    case LLVMShl:
        if (a.x != LANE_LINEAR || !constant(LLVMGetOperand(v, 1), &k) || k < 0 || k > 62) return any(a, b);
        return linear((int64_t)((uint64_t)a.stride << k), a.y, a.exact && LLVMGetNSW(v));
    case LLVMTrunc: return a.x == LANE_LINEAR ? linear(a.stride, a.y, a.exact && LLVMGetNSW(v)) : any(a, a);
    case LLVMSExt: return a.x == LANE_LINEAR && a.exact && !simd_may_miss(g, block) ? a : any(a, a);
    case LLVMZExt: return a.x == LANE_LINEAR && a.exact && LLVMGetNNeg(v) && !simd_may_miss(g, block) ? a : any(a, a);
    case LLVMGetElementPtr: {
        LaneRate r = address(g, v, block);
        return value->private_of >= 0 ? private_address(r) : r;
    }
    case LLVMFreeze: return a;
    case LLVMICmp: return comparison(g, v, block, a, b);
    case LLVMPHI:
        if (is_head_of_triangle(g, block) && v == g->loops.at[g->blocks.at[block].loop].triangle) return UNIFORM_LANES;
        return merged(g, v, block);
    case LLVMSelect: {
        LaneRate c = simd_rate(g, LLVMGetOperand(v, 2), block);
        int known = g->settled ? simd_known(g, LLVMGetOperand(v, 0)) : 0;
        if (known) return known > 0 ? b : c;
        if (a.x != LANE_UNIFORM) return any(any(a, b), c);
        LaneRate r = join(b, c);
        r.y |= a.y;
        return r;
    }
    case LLVMLoad: return value->private_of >= 0 ? varying(g->rows) : any(a, a);
    case LLVMCall:
        if (simd_is_of_all_rows(v)) return UNIFORM_LANES;
        return simd_is_pure_call(v) ? of_operands(g, v, block) : varying(g->rows);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return varying(g->rows);
    default: return of_operands(g, v, block); /* the value depends on the operands alone: what reads memory is above */
    }
}

static bool same(LaneRate a, LaneRate b) {
    return a.x == b.x && a.y == b.y && a.stride == b.stride && a.exact == b.exact;
}

static bool update_rates(SimdRegion *g) {
    bool changed = false;
    for (int i = 0; i < g->values.n; i++) {
        SimdValue *value = &g->values.at[i];
        if (g->blocks.at[value->block].leaves) continue;
        LaneRate r = rate_of_value(g, value);
        if (g->settled && value->asked_to_wrap && r.x == LANE_LINEAR) r.exact = true;
        /* Only up: from uniform over linear to varying. */
        if (r.x < value->rate.x ||
            (r.x == LANE_LINEAR && value->rate.x == LANE_LINEAR && r.stride != value->rate.stride))
            r = varying(r.y);
        r.y |= value->rate.y;
        changed = changed || !value->known;
        value->known = true;
        if (same(r, value->rate)) continue;
        value->rate = r;
        changed = true;
    }
    return changed;
}

/* Divergence ------------------------------------------------------------------------------------------------------- */

static bool update_branches(SimdRegion *g) {
    bool changed = false;
    for (int b = 0; b < g->blocks.n; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(g->blocks.at[b].bb);
        if (g->blocks.at[b].leaves || g->blocks.at[b].diverges || g->blocks.at[b].taken >= 0 || !LLVMIsABranchInst(t) ||
            !LLVMIsConditional(t) || is_head_of_triangle(g, b))
            continue;
        bool may_leave = false;
        for (int i = 0; i < 2; i++) {
            int s = value_map_get(g->block_of, simd_succ(g, b, i));
            may_leave = may_leave || (s >= 0 && g->blocks.at[s].leaves);
        }
        LaneRate c = simd_rate(g, LLVMGetCondition(t), b);
        if (may_leave || simd_succ(g, b, 0) == simd_succ(g, b, 1) || (c.x == LANE_UNIFORM && !c.y)) continue;
        g->blocks.at[b].diverges = changed = true;
    }
    return changed;
}

/* Can an item take this edge out of loop l while another goes on? */
static bool leaves_alone(const SimdRegion *g, int l, int b) {
    if (g->blocks.at[b].diverges) return true;
    for (int at = g->blocks.at[b].loop;; at = g->loops.at[at].parent) {
        if (g->levels[at + 1].nodes.at[simd_node_of(g, at + 1, b)].masked) return true;
        if (at == l) return false;
        if (g->loops.at[at].divergent) return true;
    }
}

static bool update_loops(SimdRegion *g) {
    bool changed = false;
    for (int l = 0; l < g->loops.n; l++)
        for (int b = 0; b < g->blocks.n && !g->loops.at[l].divergent; b++)
            for (int i = 0; g->loops.at[l].has[b] && i < simd_n_succ(g, b); i++) {
                int s = value_map_get(g->block_of, simd_succ(g, b, i));
                if (s >= 0 && (g->loops.at[l].has[s] || g->blocks.at[s].leaves)) continue;
                if (!leaves_alone(g, l, b)) continue;
                g->loops.at[l].divergent = changed = true;
                break;
            }
    return changed;
}

/* The nodes between a node and where its ways meet again. */
static void influence(const SimdLevel *l, int from, int to, int stop, bool *in) {
    const SimdNode *n = &l->nodes.at[from];
    for (int i = 0; i < n->n_succ; i++) {
        int s = n->succ[i];
        if (s == END || s == stop || in[s]) continue;
        in[s] = true;
        influence(l, s, to, stop, in);
    }
}

static bool update_level(SimdRegion *g, SimdLevel *l) {
    bool changed = false;
    for (int i = 0; i < l->nodes.n; i++) {
        SimdNode *n = &l->nodes.at[i];
        n->diverges =
            n->n_succ > 1 && (n->loop >= 0 ? g->loops.at[n->loop].divergent : g->blocks.at[n->block].diverges);
        if (!n->diverges) continue;
        bool *in = arena_array(g->arena, bool, l->nodes.n);
        influence(l, i, END, n->ipdom, in);
        for (int k = 0; k < l->nodes.n; k++)
            if (in[k] && !l->nodes.at[k].masked) l->nodes.at[k].masked = changed = true;
    }
    return changed;
}

/* Where the sequence goes on behind a node that some items have not come to, or behind which they part. */
static void find_next(SimdRegion *g, SimdLevel *l) {
    for (int i = 0; i < l->nodes.n; i++) l->nodes.at[i].next = l->nodes.at[i].n_succ ? l->nodes.at[i].ipdom : END;
    for (int d = 0; d < l->nodes.n; d++) {
        const SimdNode *source = &l->nodes.at[d];
        if (!source->diverges || source->masked) continue;
        bool *in = arena_array(g->arena, bool, l->nodes.n);
        influence(l, d, END, source->ipdom, in);
        in[d] = true;
        int next = source->ipdom;
        for (int i = l->nodes.n; i-- > 0;) {
            if (!in[i]) continue;
            SimdNode *n = &l->nodes.at[i];
            bool known = i != d && n->next != n->ipdom && n->next != END;
            if (!known || (next != END && next < n->next)) n->next = next;
            next = i;
        }
    }
}

void simd_rates(SimdRegion *g, bool rows) {
    g->rows = rows;
    for (int i = 0; i < g->values.n; i++) {
        g->values.at[i].rate = UNIFORM_LANES;
        g->values.at[i].crosses = g->values.at[i].known = false;
        g->values.at[i].leaves_loop = -1;
    }
    for (int b = 0; b < g->blocks.n; b++) g->blocks.at[b].diverges = false;
    for (int l = 0; l < g->loops.n; l++) g->loops.at[l].divergent = false;
    for (int l = 0; l <= g->loops.n; l++)
        for (int i = 0; i < g->levels[l].nodes.n; i++)
            g->levels[l].nodes.at[i].masked = g->levels[l].nodes.at[i].diverges = false;
    simd_find_dead(g);
    for (bool changed = true; changed;) {
        changed = update_rates(g);
        changed = update_branches(g) || changed;
        changed = update_loops(g) || changed;
        for (int l = 0; l <= g->loops.n; l++) changed = update_level(g, &g->levels[l]) || changed;
    }
    for (int l = 0; l <= g->loops.n; l++) find_next(g, &g->levels[l]);
    simd_find_uses(g);
    simd_find_parts(g);
}
