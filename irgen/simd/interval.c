/* interval.c -- interval arithmetic before a nest. The items of a nest are a rectangle, whose bounds are known before
 * it; so are values from outside, and the bounds of counters of the items' own loops. From these the bounds of an
 * expression are computed for all items at once, and whether every operation in it lies within a range. Conditions of
 * this kind choose between two versions of the nest (nowrap.c, inside.c). */
#include "irgen/simd/interval.h"

enum { DEEPEST = 10, MOST_NODES = 256, MOST_FACTOR = 1 << 12 };

/* Expressions ------------------------------------------------------------------------------------------------------ */

bool simd_constant(LLVMValueRef v, int64_t *k) {
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
    *k = LLVMConstIntGetSExtValue(v);
    return true;
}

bool simd_is_integer(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static unsigned width_of(LLVMValueRef v) { return LLVMGetIntTypeWidth(LLVMTypeOf(v)); }

bool simd_is_outside(const SimdRegion *g, LLVMValueRef v) {
    return v == g->x || v == g->y || (!LLVMIsAConstant(v) && value_map_get(g->value_of, v) < 0);
}

/* A counter of an item's loop: first, first + step, ... while it is less than a limit. */
typedef struct Counter {
    LLVMValueRef first, limit;
    int64_t step;
    int loop;
} Counter;

/* LLVM prefers the form without signs, where it knows that both have the same. */
static bool is_less(LLVMValueRef cmp, bool is_signed) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    return p == (is_signed ? LLVMIntSLT : LLVMIntULT) || (p == LLVMIntULT && LLVMGetICmpSameSign(cmp));
}

static bool read_counter(const SimdRegion *g, LLVMValueRef phi, bool is_signed, Counter *c) {
    int block = value_map_get(g->value_of, phi) < 0 ? -1 : g->values.at[value_map_get(g->value_of, phi)].block;
    if (block < 0 || LLVMCountIncoming(phi) != 2) return false;
    int l = g->blocks.at[block].loop;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks.at[block].bb);
    if (l < 0 || g->loops.at[l].header != block || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return false;
    LLVMValueRef less = LLVMGetCondition(branch);
    int into = value_map_get(g->block_of, LLVMGetSuccessor(branch, 0));
    int out = value_map_get(g->block_of, LLVMGetSuccessor(branch, 1));
    if (into < 0 || !g->loops.at[l].has[into] || (out >= 0 && g->loops.at[l].has[out])) return false;
    if (!LLVMIsAICmpInst(less) || LLVMGetOperand(less, 0) != phi || !is_less(less, is_signed)) return false;
    c->loop = l;
    c->limit = LLVMGetOperand(less, 1);
    int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, 0));
    bool back = from < 0 || !g->loops.at[l].has[from];
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    c->first = LLVMGetIncomingValue(phi, !back);
    bool is_sum =
        LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi;
    return is_sum && simd_constant(LLVMGetOperand(next, 1), &c->step) && c->step > 0 && c->step < MOST_FACTOR;
}

static bool look(SimdLook *w, LLVMValueRef v, int depth, bool *has_x);

/* Constants are numbers with a sign: without, v - 1 is v + -1, and no other operand is negative. */
static bool look_both(SimdLook *w, LLVMValueRef v, int depth, bool *has_x) {
    bool has[2] = {false, false}, is_sum = LLVMGetInstructionOpcode(v) == LLVMAdd;
    if (is_sum && LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return look(w, LLVMGetOperand(v, 0), depth, has_x);
    bool found = look(w, LLVMGetOperand(v, 0), depth, &has[0]) && look(w, LLVMGetOperand(v, 1), depth, &has[1]);
    *has_x = has[0] || has[1];
    return found;
}

static bool look_under(const SimdLook *w, LLVMValueRef ext, int depth, bool *has_x, SimdLook *inner) {
    bool is_signed = LLVMIsASExtInst(ext) != NULL || LLVMGetNNeg(ext);
    *inner = (SimdLook){w->g, width_of(LLVMGetOperand(ext, 0)), is_signed, w->nodes, w->may_wrap, w->any_factor};
    return look(inner, LLVMGetOperand(ext, 0), depth, has_x);
}

static bool look_at_operation(SimdLook *w, LLVMValueRef v, int depth, bool *has_x) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    int64_t k = 0;
    bool by_constant = LLVMGetNumOperands(v) > 1 && simd_constant(LLVMGetOperand(v, 1), &k);
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        w->may_wrap |= !(w->is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v));
        if (op == LLVMShl)
            return by_constant && k >= 0 && k < 31 && look(w, LLVMGetOperand(v, 0), depth, has_x) &&
                   (!*has_x || 1 << k <= MOST_FACTOR);
        if (!look_both(w, v, depth, has_x)) return false;
        return op != LLVMMul || !*has_x || w->any_factor || (by_constant && k >= -MOST_FACTOR && k <= MOST_FACTOR);
    case LLVMOr: return LLVMGetIsDisjoint(v) && look_both(w, v, depth, has_x); /* a sum without carries */
    case LLVMXor:
        return w->is_signed && by_constant && k == -1 && look(w, LLVMGetOperand(v, 0), depth, has_x); /* -1 - v */
    case LLVMTrunc:
        w->may_wrap |= !(w->is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v));
        return look(w, LLVMGetOperand(v, 0), depth, has_x);
    case LLVMAShr:
        return w->is_signed && by_constant && k >= 0 && k < 31 && look(w, LLVMGetOperand(v, 0), depth, has_x);
    case LLVMLShr: return by_constant && k >= 0 && k < 31 && look(w, LLVMGetOperand(v, 0), depth, has_x);
    case LLVMSDiv: return w->is_signed && by_constant && k > 0 && look(w, LLVMGetOperand(v, 0), depth, has_x);
    case LLVMUDiv: return by_constant && k > 0 && look(w, LLVMGetOperand(v, 0), depth, has_x);
    case LLVMSExt:
    case LLVMZExt: {
        SimdLook inner;
        bool found = look_under(w, v, depth, has_x, &inner);
        w->nodes = inner.nodes;
        w->may_wrap |= inner.may_wrap;
        return found;
    }
    case LLVMCall: {
        bool is_extreme = simd_is_call_of(v, w->is_signed ? "llvm.smin." : "llvm.umin.") ||
                          simd_is_call_of(v, w->is_signed ? "llvm.smax." : "llvm.umax.");
        return is_extreme && look_both(w, v, depth, has_x);
    }
    case LLVMPHI: {
        Counter c;
        bool has = false;
        if (!read_counter(w->g, v, w->is_signed, &c) || !look(w, c.first, depth, &has)) return false;
        return look(w, c.limit, depth, has_x) && !*has_x && !has;
    }
    default: return false;
    }
}

static bool look(SimdLook *w, LLVMValueRef v, int depth, bool *has_x) {
    *has_x = v == w->g->x;
    if (!simd_is_integer(v) || width_of(v) < w->bits || depth > DEEPEST || ++w->nodes > MOST_NODES) return false;
    if (LLVMIsAConstantInt(v)) return w->is_signed || LLVMConstIntGetSExtValue(v) >= 0;
    if (simd_is_outside(w->g, v)) return true;
    return LLVMIsAInstruction(v) && look_at_operation(w, v, depth + 1, has_x);
}

bool simd_is_expression(SimdLook *w, LLVMValueRef v, bool *has_x) { return look(w, v, 0, has_x); }

/* Bounds ----------------------------------------------------------------------------------------------------------- */

void simd_ask(SimdAsking *a, LLVMIntPredicate p, LLVMValueRef v, LLVMValueRef than) {
    a->holds = LLVMBuildAnd(a->b, a->holds, LLVMBuildICmp(a->b, p, v, than, ""), "");
}

static void ask(SimdAsking *a, LLVMIntPredicate p, LLVMValueRef v, int64_t k) { simd_ask(a, p, v, cg_i64(a->cg, k)); }

static SimdBounds fitting(SimdAsking *a, SimdBounds r) {
    int64_t half = (int64_t)1 << (a->bits - 1);
    ask(a, LLVMIntSGE, r.lo, a->is_signed ? -half : 0);
    ask(a, LLVMIntSLE, r.hi, a->is_signed ? half - 1 : 2 * half - 1);
    return r;
}

static LLVMValueRef extreme(SimdAsking *a, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMIntPredicate p = name[0] == 'm' && name[1] == 'i' ? LLVMIntSLT : LLVMIntSGT;
    return LLVMBuildSelect(a->b, LLVMBuildICmp(a->b, p, x, y, ""), x, y, "");
}

static LLVMValueRef least(SimdAsking *a, LLVMValueRef x, LLVMValueRef y) { return extreme(a, "min", x, y); }
static LLVMValueRef greatest(SimdAsking *a, LLVMValueRef x, LLVMValueRef y) { return extreme(a, "max", x, y); }

static LLVMValueRef times(SimdAsking *a, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef t = a->cg->i64;
    unsigned id = LLVMLookupIntrinsicID("llvm.smul.with.overflow", 23);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(a->cg->module, id, &t, 1);
    LLVMValueRef both = LLVMBuildCall2(a->b, LLVMGlobalGetValueType(fn), fn, (LLVMValueRef[]){x, y}, 2, "");
    LLVMValueRef wraps = LLVMBuildExtractValue(a->b, both, 1, "");
    a->holds = LLVMBuildAnd(a->b, a->holds, LLVMBuildNot(a->b, wraps, ""), "");
    return LLVMBuildExtractValue(a->b, both, 0, "");
}

/* Without signs the least factors have the least product. */
static SimdBounds product(SimdAsking *a, SimdBounds x, SimdBounds y) {
    if (!a->is_signed) return (SimdBounds){times(a, x.lo, y.lo), times(a, x.hi, y.hi)};
    LLVMValueRef p[4] = {times(a, x.lo, y.lo), times(a, x.lo, y.hi), times(a, x.hi, y.lo), times(a, x.hi, y.hi)};
    return (SimdBounds){least(a, least(a, p[0], p[1]), least(a, p[2], p[3])),
                      greatest(a, greatest(a, p[0], p[1]), greatest(a, p[2], p[3]))};
}

LLVMValueRef simd_as_wide(SimdAsking *a, LLVMValueRef v) {
    if (LLVMTypeOf(v) == a->cg->i64) return v;
    return a->is_signed ? LLVMBuildSExt(a->b, v, a->cg->i64, "") : LLVMBuildZExt(a->b, v, a->cg->i64, "");
}

/* Where the header has found that the counter is less than the limit. */
static bool is_in_round(const SimdAsking *a, const Counter *c) {
    const SimdLoop *loop = &a->g->loops.at[c->loop];
    return a->in_block >= 0 && a->in_block != loop->header && loop->has[a->in_block];
}

static SimdBounds interval_of_operation(SimdAsking *a, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMBuilderRef b = a->b;
    SimdBounds x, y = {NULL, NULL};
    if (op == LLVMPHI) {
        Counter c;
        read_counter(a->g, v, a->is_signed, &c);
        x = simd_bounds(a, c.first);
        y = simd_bounds(a, c.limit);
        int64_t beyond = is_in_round(a, &c) ? -1 : c.step - 1;
        return (SimdBounds){x.lo, greatest(a, x.hi, LLVMBuildAdd(b, y.hi, cg_i64(a->cg, beyond), ""))};
    }
    if (op == LLVMSExt || op == LLVMZExt) {
        SimdAsking inner = *a;
        inner.bits = width_of(LLVMGetOperand(v, 0));
        inner.is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        x = simd_bounds(&inner, LLVMGetOperand(v, 0));
        a->holds = inner.holds;
        return x;
    }
    x = simd_bounds(a, LLVMGetOperand(v, 0));
    if (op == LLVMTrunc) return x;
    if (op == LLVMXor) return (SimdBounds){LLVMBuildNot(b, x.hi, ""), LLVMBuildNot(b, x.lo, "")};
    y = simd_bounds(a, LLVMGetOperand(v, 1));
    switch (op) {
    case LLVMOr:
    case LLVMAdd: return (SimdBounds){LLVMBuildAdd(b, x.lo, y.lo, ""), LLVMBuildAdd(b, x.hi, y.hi, "")};
    case LLVMSub: return (SimdBounds){LLVMBuildSub(b, x.lo, y.hi, ""), LLVMBuildSub(b, x.hi, y.lo, "")};
    case LLVMMul: return product(a, x, y);
    case LLVMShl: {
        LLVMValueRef by = LLVMBuildShl(b, cg_i64(a->cg, 1), y.lo, "");
        return (SimdBounds){times(a, x.lo, by), times(a, x.hi, by)};
    }
    case LLVMSDiv: return (SimdBounds){LLVMBuildSDiv(b, x.lo, y.lo, ""), LLVMBuildSDiv(b, x.hi, y.lo, "")};
    case LLVMAShr: return (SimdBounds){LLVMBuildAShr(b, x.lo, y.lo, ""), LLVMBuildAShr(b, x.hi, y.lo, "")};
    case LLVMUDiv:
        ask(a, LLVMIntSGE, x.lo, 0);
        return (SimdBounds){LLVMBuildUDiv(b, x.lo, y.lo, ""), LLVMBuildUDiv(b, x.hi, y.lo, "")};
    case LLVMLShr:
        ask(a, LLVMIntSGE, x.lo, 0);
        return (SimdBounds){LLVMBuildLShr(b, x.lo, y.lo, ""), LLVMBuildLShr(b, x.hi, y.lo, "")};
    default: { /* the least, or the greatest, of two */
        bool is_least = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
        return is_least ? (SimdBounds){least(a, x.lo, y.lo), least(a, x.hi, y.hi)}
                        : (SimdBounds){greatest(a, x.lo, y.lo), greatest(a, x.hi, y.hi)};
    }
    }
}

SimdBounds simd_bounds(SimdAsking *a, LLVMValueRef v) {
    const SimdRegion *g = a->g;
    int64_t k;
    if (simd_constant(v, &k)) return (SimdBounds){cg_i64(a->cg, k), cg_i64(a->cg, k)};
    if (v == g->x) return fitting(a, (SimdBounds){g->x_lo, LLVMBuildSub(a->b, g->x_hi, cg_i64(a->cg, 1), "")});
    if (v == g->y) return fitting(a, (SimdBounds){g->y_lo, LLVMBuildSub(a->b, g->y_hi, cg_i64(a->cg, 1), "")});
    if (!simd_is_outside(g, v)) return fitting(a, interval_of_operation(a, v));
    LLVMValueRef wide = simd_as_wide(a, v);
    return fitting(a, (SimdBounds){wide, wide});
}

