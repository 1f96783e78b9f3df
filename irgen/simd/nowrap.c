/* nowrap.c -- widening of index arithmetic, under a condition that is tested before a nest (loop versioning). In
 *
 *     x[i * w + j]  with an i32 w, or     let q = i32(i);  ... x[q + 1]
 *
 * the index is of 32 bits and may wrap; so nothing tells that neighbours are contiguous, nor which of them fail a
 * check. The items of a nest are a rectangle, and w is known before it: interval arithmetic on the bounds of the loops,
 * on values from before the nest and on the bounds of counters of the items' own loops says whether any operation can
 * wrap for any item. Where none can, the nest computes the index in 64 bits, with operations that are known not to
 * wrap; a copy that is left as it was, and is scalar, runs for other rectangles.
 *
 * An expression is the sum, product, quotient, ... over the integers of its leaves. The condition is that each of its
 * operations lies within the numbers of the narrow type; then the value is that integer, in whatever width it is
 * computed. Looked for are values that extend, or cut off, an expression of 31 or 32 bits: conversions to 64 bits, the
 * same as shifts or masks, and comparisons. A factor of an index along the fastest axis has to be a constant, and a
 * small one: else, as in a hash function, neighbours are not contiguous anyhow, and the arithmetic may be meant to
 * wrap. */
#include "irgen/simd/simd.h"

#include "irgen/passes/clone.h"

enum { DEEPEST = 10, MOST_ROOTS = 64, MOST_NODES = 256, MOST_FACTOR = 1 << 12 };

typedef struct Root {
    LLVMValueRef v;           /* replaced by an expression of 64 bits; a comparison: its operands are */
    LLVMValueRef of[2];       /* narrow expressions; the second one of comparisons only */
    unsigned bits;
    int up;                   /* the value is a multiple of the expression: so many bits to the left */
    bool is_signed;
} Root;

typedef struct Versions {
    Cg *cg;
    SimdRegion *g;
    Root roots[MOST_ROOTS];
    int n;
} Versions;

/* Looking ---------------------------------------------------------------------------------------------------------- */

typedef struct Look {
    const SimdRegion *g;
    unsigned bits;
    bool is_signed;
    int nodes;
    bool may_wrap;            /* there is an operation that is not known not to */
} Look;

static bool constant(LLVMValueRef v, int64_t *k) {
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
    *k = LLVMConstIntGetSExtValue(v);
    return true;
}

static bool is_integer(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static unsigned width_of(LLVMValueRef v) { return LLVMGetIntTypeWidth(LLVMTypeOf(v)); }

static bool is_outside(const SimdRegion *g, LLVMValueRef v) {
    return v == g->x || v == g->y || (!LLVMIsAConstant(v) && value_map_get(g->value_of, v) < 0);
}

/* A counter of an item's loop: first, first + step, ... while it is less than a limit. */
typedef struct Counter {
    LLVMValueRef first, limit;
    int64_t step;
} Counter;

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
    bool is_less = LLVMIsAICmpInst(less) && LLVMGetOperand(less, 0) == phi &&
                   LLVMGetICmpPredicate(less) == (is_signed ? LLVMIntSLT : LLVMIntULT);
    if (!is_less) return false;
    c->limit = LLVMGetOperand(less, 1);
    int from = value_map_get(g->block_of, LLVMGetIncomingBlock(phi, 0));
    bool back = from < 0 || !g->loops.at[l].has[from];
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    c->first = LLVMGetIncomingValue(phi, !back);
    bool is_sum =
        LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi;
    return is_sum && constant(LLVMGetOperand(next, 1), &c->step) && c->step > 0 && c->step < MOST_FACTOR;
}

static bool look(Look *w, LLVMValueRef v, int depth, bool *has_x);

/* Constants are numbers with a sign: without, v - 1 is v + -1, and no other operand is negative. */
static bool look_both(Look *w, LLVMValueRef v, int depth, bool *has_x) {
    bool has[2] = {false, false}, is_sum = LLVMGetInstructionOpcode(v) == LLVMAdd;
    if (is_sum && LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return look(w, LLVMGetOperand(v, 0), depth, has_x);
    bool found = look(w, LLVMGetOperand(v, 0), depth, &has[0]) && look(w, LLVMGetOperand(v, 1), depth, &has[1]);
    *has_x = has[0] || has[1];
    return found;
}

static bool look_under(const Look *w, LLVMValueRef ext, int depth, bool *has_x, Look *inner) {
    bool is_signed = LLVMIsASExtInst(ext) != NULL || LLVMGetNNeg(ext);
    *inner = (Look){w->g, width_of(LLVMGetOperand(ext, 0)), is_signed, w->nodes, w->may_wrap};
    return look(inner, LLVMGetOperand(ext, 0), depth, has_x);
}

static bool look_at_operation(Look *w, LLVMValueRef v, int depth, bool *has_x) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    int64_t k = 0;
    bool by_constant = LLVMGetNumOperands(v) > 1 && constant(LLVMGetOperand(v, 1), &k);
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
        return op != LLVMMul || !*has_x || (by_constant && k >= -MOST_FACTOR && k <= MOST_FACTOR);
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
        Look inner;
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

/* Is it an expression in the sense above, of values that are known before the nest? */
static bool look(Look *w, LLVMValueRef v, int depth, bool *has_x) {
    *has_x = v == w->g->x;
    if (!is_integer(v) || width_of(v) < w->bits || depth > DEEPEST || ++w->nodes > MOST_NODES) return false;
    if (LLVMIsAConstantInt(v)) return w->is_signed || LLVMConstIntGetSExtValue(v) >= 0;
    if (is_outside(w->g, v)) return true;
    return LLVMIsAInstruction(v) && look_at_operation(w, v, depth + 1, has_x);
}

static bool is_shifted(LLVMValueRef v, int64_t *by) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMShl && constant(LLVMGetOperand(v, 1), by);
}

/* (v << 32) >> 32 is the low half of v with its sign; one that is shifted down by less, a multiple of it. */
static bool read_shifts(Root *r, int down) {
    int64_t up;
    if (!is_shifted(r->of[0], &up) || up != 32 || down > 32) return false;
    r->of[0] = LLVMGetOperand(r->of[0], 0);
    r->bits = 32;
    r->up = 32 - down;
    return true;
}

/* v & 0xffffffff, (v << 2) & 0x3fffffffc: the same without a sign. */
static bool read_mask(Root *r, int64_t mask) {
    int64_t up;
    if (is_shifted(r->of[0], &up) && up > 0 && up < 16 && mask % ((int64_t)1 << up) == 0) {
        r->of[0] = LLVMGetOperand(r->of[0], 0);
        r->up = (int)up;
        mask >>= up;
    }
    r->bits = mask == INT64_C(0xffffffff) ? 32 : mask == INT64_C(0x7fffffff) ? 31 : 0;
    return r->bits > 0;
}

/* Of the narrow value that v extends, or the low bits that it keeps. */
static bool read_root(LLVMValueRef v, Root *r) {
    int64_t k;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    *r = (Root){.v = v, .is_signed = true};
    if (op == LLVMICmp) {
        LLVMIntPredicate p = LLVMGetICmpPredicate(v);
        for (unsigned i = 0; i < 2; i++) r->of[i] = LLVMGetOperand(v, i);
        if (!is_integer(r->of[0])) return false;
        r->bits = width_of(r->of[0]);
        r->is_signed = p != LLVMIntULT && p != LLVMIntULE && p != LLVMIntUGT && p != LLVMIntUGE;
        return r->bits == 32;
    }
    if (!is_integer(v) || width_of(v) != 64) return false;
    r->of[0] = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    if (op == LLVMSExt || op == LLVMZExt) {
        r->bits = width_of(r->of[0]);
        r->is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        return r->bits == 32;
    }
    if ((op != LLVMAnd && op != LLVMAShr) || !constant(LLVMGetOperand(v, 1), &k) || k <= 0) return false;
    r->is_signed = op == LLVMAShr;
    return r->is_signed ? read_shifts(r, (int)k) : read_mask(r, k);
}

static bool is_wanted(const SimdRegion *g, const Root *r) {
    Look w = {g, r->bits, r->is_signed, 0, false};
    bool has_x = false, any_x = false;
    for (int i = 0; i < 2 && r->of[i]; i++) {
        if (!look(&w, r->of[i], 0, &has_x)) return false;
        any_x |= has_x;
    }
    return any_x && (w.may_wrap || !r->of[1]);
}

static void find_roots(Versions *s) {
    const SimdRegion *g = s->g;
    for (int i = 0; i < g->values.n && s->n < MOST_ROOTS; i++) {
        Root *r = &s->roots[s->n];
        s->n += read_root(g->values.at[i].v, r) && is_wanted(g, r);
    }
}

/* The condition ---------------------------------------------------------------------------------------------------- */

typedef struct Bounds {
    LLVMValueRef lo, hi;
} Bounds;

typedef struct Asking {
    Cg *cg;
    LLVMBuilderRef b;         /* before the nest */
    const SimdRegion *g;
    unsigned bits;
    bool is_signed;
    LLVMValueRef holds;
} Asking;

static void ask(Asking *a, LLVMIntPredicate p, LLVMValueRef v, int64_t k) {
    LLVMValueRef is = LLVMBuildICmp(a->b, p, v, cg_i64(a->cg, k), "");
    a->holds = LLVMBuildAnd(a->b, a->holds, is, "");
}

/* Of 31 or 32 bits. */
static Bounds fitting(Asking *a, Bounds r) {
    int64_t half = (int64_t)1 << (a->bits - 1);
    ask(a, LLVMIntSGE, r.lo, a->is_signed ? -half : 0);
    ask(a, LLVMIntSLE, r.hi, a->is_signed ? half - 1 : 2 * half - 1);
    return r;
}

static LLVMValueRef extreme(Asking *a, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMIntPredicate p = name[0] == 'm' && name[1] == 'i' ? LLVMIntSLT : LLVMIntSGT;
    return LLVMBuildSelect(a->b, LLVMBuildICmp(a->b, p, x, y, ""), x, y, "");
}

static LLVMValueRef least(Asking *a, LLVMValueRef x, LLVMValueRef y) { return extreme(a, "min", x, y); }
static LLVMValueRef greatest(Asking *a, LLVMValueRef x, LLVMValueRef y) { return extreme(a, "max", x, y); }

static LLVMValueRef times(Asking *a, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef t = a->cg->i64;
    unsigned id = LLVMLookupIntrinsicID("llvm.smul.with.overflow", 23);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(a->cg->module, id, &t, 1);
    LLVMValueRef both = LLVMBuildCall2(a->b, LLVMGlobalGetValueType(fn), fn, (LLVMValueRef[]){x, y}, 2, "");
    LLVMValueRef wraps = LLVMBuildExtractValue(a->b, both, 1, "");
    a->holds = LLVMBuildAnd(a->b, a->holds, LLVMBuildNot(a->b, wraps, ""), "");
    return LLVMBuildExtractValue(a->b, both, 0, "");
}

/* Without signs the least factors have the least product. */
static Bounds product(Asking *a, Bounds x, Bounds y) {
    if (!a->is_signed) return (Bounds){times(a, x.lo, y.lo), times(a, x.hi, y.hi)};
    LLVMValueRef p[4] = {times(a, x.lo, y.lo), times(a, x.lo, y.hi), times(a, x.hi, y.lo), times(a, x.hi, y.hi)};
    return (Bounds){least(a, least(a, p[0], p[1]), least(a, p[2], p[3])),
                      greatest(a, greatest(a, p[0], p[1]), greatest(a, p[2], p[3]))};
}

static LLVMValueRef as_wide(Asking *a, LLVMValueRef v) {
    if (LLVMTypeOf(v) == a->cg->i64) return v;
    return a->is_signed ? LLVMBuildSExt(a->b, v, a->cg->i64, "") : LLVMBuildZExt(a->b, v, a->cg->i64, "");
}

static Bounds interval(Asking *a, LLVMValueRef v);

static Bounds interval_of_operation(Asking *a, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMBuilderRef b = a->b;
    Bounds x, y = {NULL, NULL};
    if (op == LLVMPHI) {
        Counter c;
        read_counter(a->g, v, a->is_signed, &c);
        x = interval(a, c.first);
        y = interval(a, c.limit);
        return (Bounds){x.lo, greatest(a, x.hi, LLVMBuildAdd(b, y.hi, cg_i64(a->cg, c.step - 1), ""))};
    }
    if (op == LLVMSExt || op == LLVMZExt) {
        Asking inner = *a;
        inner.bits = width_of(LLVMGetOperand(v, 0));
        inner.is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        x = interval(&inner, LLVMGetOperand(v, 0));
        a->holds = inner.holds;
        return x;
    }
    x = interval(a, LLVMGetOperand(v, 0));
    if (op == LLVMTrunc) return x;
    if (op == LLVMXor) return (Bounds){LLVMBuildNot(b, x.hi, ""), LLVMBuildNot(b, x.lo, "")};
    y = interval(a, LLVMGetOperand(v, 1));
    switch (op) {
    case LLVMAdd: return (Bounds){LLVMBuildAdd(b, x.lo, y.lo, ""), LLVMBuildAdd(b, x.hi, y.hi, "")};
    case LLVMSub: return (Bounds){LLVMBuildSub(b, x.lo, y.hi, ""), LLVMBuildSub(b, x.hi, y.lo, "")};
    case LLVMMul: return product(a, x, y);
    case LLVMShl: return (Bounds){LLVMBuildShl(b, x.lo, y.lo, ""), LLVMBuildShl(b, x.hi, y.lo, "")};
    case LLVMSDiv: return (Bounds){LLVMBuildSDiv(b, x.lo, y.lo, ""), LLVMBuildSDiv(b, x.hi, y.lo, "")};
    case LLVMAShr: return (Bounds){LLVMBuildAShr(b, x.lo, y.lo, ""), LLVMBuildAShr(b, x.hi, y.lo, "")};
    case LLVMUDiv:
        ask(a, LLVMIntSGE, x.lo, 0);
        return (Bounds){LLVMBuildUDiv(b, x.lo, y.lo, ""), LLVMBuildUDiv(b, x.hi, y.lo, "")};
    case LLVMLShr:
        ask(a, LLVMIntSGE, x.lo, 0);
        return (Bounds){LLVMBuildLShr(b, x.lo, y.lo, ""), LLVMBuildLShr(b, x.hi, y.lo, "")};
    default: { /* the least, or the greatest, of two */
        bool is_least = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
        return is_least ? (Bounds){least(a, x.lo, y.lo), least(a, x.hi, y.hi)}
                        : (Bounds){greatest(a, x.lo, y.lo), greatest(a, x.hi, y.hi)};
    }
    }
}

static Bounds interval(Asking *a, LLVMValueRef v) {
    const SimdRegion *g = a->g;
    int64_t k;
    if (constant(v, &k)) return (Bounds){cg_i64(a->cg, k), cg_i64(a->cg, k)};
    if (v == g->x) return fitting(a, (Bounds){g->x_lo, g->x_hi});
    if (v == g->y) return fitting(a, (Bounds){g->y_lo, g->y_hi});
    if (!is_outside(g, v)) return fitting(a, interval_of_operation(a, v));
    LLVMValueRef wide = as_wide(a, v);
    return fitting(a, (Bounds){wide, wide});
}

static LLVMValueRef condition(const Versions *s) {
    Asking a = {.cg = s->cg, .b = s->cg->b, .g = s->g, .holds = LLVMConstInt(s->cg->i1, 1, false)};
    for (int i = 0; i < s->n; i++) {
        a.bits = s->roots[i].bits;
        a.is_signed = s->roots[i].is_signed;
        for (int k = 0; k < 2 && s->roots[i].of[k]; k++) interval(&a, s->roots[i].of[k]);
    }
    return LLVMBuildFreeze(a.b, a.holds, ""); /* an item may not use what is poison here */
}

/* The expressions -------------------------------------------------------------------------------------------------- */

static LLVMValueRef exact(Asking *a, LLVMValueRef v) {
    int64_t k;
    if (constant(v, &k)) return cg_i64(a->cg, k);
    if (is_outside(a->g, v) || LLVMIsAPHINode(v)) return as_wide(a, v);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMSExt || op == LLVMZExt) {
        Asking inner = *a;
        inner.is_signed = op == LLVMSExt || LLVMGetNNeg(v);
        return exact(&inner, LLVMGetOperand(v, 0));
    }
    LLVMValueRef x = exact(a, LLVMGetOperand(v, 0));
    if (op == LLVMTrunc) return x;
    LLVMValueRef by[2] = {x, exact(a, LLVMGetOperand(v, 1))};
    if (op == LLVMCall) {
        bool is_least = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
        LLVMTypeRef t = a->cg->i64;
        unsigned id = LLVMLookupIntrinsicID(is_least ? "llvm.smin" : "llvm.smax", 9);
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(a->cg->module, id, &t, 1);
        return LLVMBuildCall2(a->b, LLVMGlobalGetValueType(fn), fn, by, 2, "");
    }
    LLVMValueRef all = LLVMBuildBinOp(a->b, op, by[0], by[1], "");
    bool is_sum = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    if (is_sum && LLVMIsAInstruction(all)) LLVMSetNSW(all, true);
    return all;
}

static LLVMIntPredicate with_sign(LLVMIntPredicate p) {
    return p == LLVMIntULT ? LLVMIntSLT : p == LLVMIntULE ? LLVMIntSLE : p == LLVMIntUGT ? LLVMIntSGT
         : p == LLVMIntUGE ? LLVMIntSGE : p;
}

static void write_expressions(const Versions *s) {
    LLVMBuilderRef b = s->cg->b;
    for (int i = 0; i < s->n; i++) {
        const Root *r = &s->roots[i];
        Asking a = {.cg = s->cg, .b = b, .g = s->g, .bits = r->bits, .is_signed = r->is_signed};
        LLVMPositionBuilderBefore(b, r->v);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(r->v));
        LLVMValueRef by = exact(&a, r->of[0]);
        if (r->of[1]) {
            LLVMIntPredicate p = LLVMGetICmpPredicate(r->v);
            by = LLVMBuildICmp(b, with_sign(p), by, exact(&a, r->of[1]), "");
        }
        if (r->up) by = LLVMBuildNSWMul(b, by, cg_i64(s->cg, (int64_t)1 << r->up), "");
        LLVMReplaceAllUsesWith(r->v, by);
    }
}

/* The versions ---------------------------------------------------------------------------------------------------- */

typedef Vec(LLVMBasicBlockRef) Blocks;

/* The head first. */
static Blocks blocks_of(const SimdRegion *g) {
    Blocks all = {0};
    if (g->y) vec_push(g->arena, &all, g->outer_head);
    vec_push(g->arena, &all, g->inner_head);
    vec_push(g->arena, &all, g->exit);
    if (g->y) {
        vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->outer_head), 0));
        vec_push(g->arena, &all, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->inner_head), 1));
    }
    for (int i = 0; i < g->blocks.n; i++) vec_push(g->arena, &all, g->blocks.at[i].bb);
    return all;
}

static bool has(const Blocks *all, LLVMBasicBlockRef bb) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i] == bb) return true;
    return false;
}

/* Its values are used inside, and from outside it is entered at the head only. */
static bool is_closed(const Blocks *all, LLVMBasicBlockRef head) {
    for (int i = 0; i < all->n; i++) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(all->at[i]); v; v = LLVMGetNextInstruction(v))
            for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
                if (!has(all, LLVMGetInstructionParent(LLVMGetUser(u)))) return false;
        LLVMUseRef ways = all->at[i] == head ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(all->at[i]));
        for (LLVMUseRef u = ways; u; u = LLVMGetNextUse(u))
            if (LLVMIsATerminatorInst(LLVMGetUser(u)) && !has(all, LLVMGetInstructionParent(LLVMGetUser(u))))
                return false;
    }
    return true;
}

/* Scalar: its loops are not marked. */
static LLVMBasicBlockRef copy_of(Cg *cg, const Blocks *all, LLVMBasicBlockRef head) {
    LLVMBasicBlockRef copy = LLVMKdslCloneBlocks(all->at, (unsigned)all->n, head);
    for (LLVMBasicBlockRef bb = copy; bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsABranchInst(t) || has(all, bb)) continue;
        LLVMSetMetadata(t, cg->md_items, NULL);
        LLVMSetMetadata(t, cg->md_rows, NULL);
    }
    return copy;
}

/* LLVM adds to what is shifted; here the sum is shifted again: (v << 32) + (k << 32) is (v + k) << 32. */
static void shift_sums(Cg *cg, LLVMValueRef fn) {
    int64_t k, up;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            bool is_sum = LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMTypeOf(v) == cg->i64;
            if (!is_sum || !constant(LLVMGetOperand(v, 1), &k) || !is_shifted(LLVMGetOperand(v, 0), &up)) continue;
            if (up != 32 || k % (INT64_C(1) << up)) continue;
            LLVMPositionBuilderBefore(cg->b, v);
            LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(v));
            LLVMValueRef sum = LLVMBuildAdd(cg->b, LLVMGetOperand(LLVMGetOperand(v, 0), 0), cg_i64(cg, k >> up), "");
            LLVMReplaceAllUsesWith(v, LLVMBuildShl(cg->b, sum, cg_i64(cg, up), ""));
            LLVMInstructionEraseFromParent(v);
        }
}

bool simd_version_indices_in(Cg *cg, LLVMValueRef fn, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdRegion g;
    Versions s = {.cg = cg, .g = &g};
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cg->module);
    shift_sums(cg, fn);
    if (!simd_region(&g, &cg->c->arena, fn, layout, latch, outer_latch)) return false;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g.entry_from);
    if (LLVMGetNumSuccessors(enter) != 1) return false;
    find_roots(&s);
    Blocks all = blocks_of(&g);
    LLVMBasicBlockRef head = g.y ? g.outer_head : g.inner_head;
    if (!s.n || !is_closed(&all, head)) return false;
    LLVMBasicBlockRef copy = copy_of(cg, &all, head);
    LLVMBasicBlockRef fits = LLVMInsertBasicBlockInContext(cg->ctx, head, "fits");
    LLVMBasicBlockRef wraps = LLVMInsertBasicBlockInContext(cg->ctx, copy, "wraps");
    LLVMPositionBuilderBefore(cg->b, enter);
    LLVMSetCurrentDebugLocation2(cg->b, LLVMInstructionGetDebugLoc(enter));
    LLVMBuildCondBr(cg->b, condition(&s), fits, wraps);
    LLVMInstructionEraseFromParent(enter);
    write_expressions(&s);
    LLVMBasicBlockRef to[2][2] = {{fits, head}, {wraps, copy}};
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(cg->b, to[i][0]);
        LLVMBuildBr(cg->b, to[i][1]);
        simd_replace_incoming(cg->b, to[i][1], g.entry_from, to[i][0]);
    }
    return true;
}
