/* shrink.c -- narrowing of integer arithmetic (type shrinking by value ranges). A program computes with bytes in 32
 * bits when it says `u8((i32(x) + i32(y) + 1) / 2)`; a vector then has a quarter of the lanes that its memory has.
 * Where all values of an expression fit into 16 bits, it is computed in 16.
 *
 * Legal: an interval holds every value that an instruction has, found from its operands' intervals, from the types
 * that extensions begin with, and from constants. An operation whose operands and result fit a signed 16-bit number,
 * computed there, has the same value, so it cannot wrap. An expression is narrowed as a whole: from extensions of
 * bytes and 16-bit numbers to truncations and comparisons. A value that is used otherwise, as in a sum of 32 bits,
 * stays as wide, and so do those that it is made of. */
#include "irgen/simd/simd.h"

enum { NARROW_BITS = 16 };

typedef struct ValueRange {
    bool known;
    int64_t lo, hi;
} ValueRange;

typedef Vec(LLVMValueRef) Values;

typedef struct Narrowing {
    Cg *cg;
    Values all;              /* instructions that might be narrowed */
    ValueMap *number;        /* of these */
    ValueRange *range;
    bool *is_in;             /* is narrowed */
    LLVMValueRef *narrow;    /* what takes its place */
} Narrowing;

/* Ranges ----------------------------------------------------------------------------------------------------------- */

static const ValueRange UNKNOWN = {0};

/* Within what a signed number of the type can be, and far from the ends of 64 bits. */
static ValueRange range_in(LLVMTypeRef t, int64_t lo, int64_t hi) {
    unsigned bits = LLVMGetIntTypeWidth(t);
    int64_t most = (INT64_C(1) << ((bits > 32 ? 32 : bits) - 1)) - 1;
    return lo < -most - 1 || hi > most || lo > hi ? UNKNOWN : (ValueRange){true, lo, hi};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static bool is_integer(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind; }

static ValueRange range_of(const Narrowing *n, LLVMValueRef v) {
    if (!is_integer(v)) return UNKNOWN;
    if (LLVMIsAConstantInt(v)) {
        int64_t c = LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 ? LLVMConstIntGetSExtValue(v) : INT64_MAX;
        return range_in(LLVMTypeOf(v), c, c);
    }
    int i = value_map_get(n->number, v);
    return i >= 0 ? n->range[i] : UNKNOWN;
}

static ValueRange extended(LLVMValueRef v) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0)));
    if (bits > NARROW_BITS) return UNKNOWN;
    int64_t n = INT64_C(1) << bits;
    return LLVMIsASExtInst(v) ? range_in(LLVMTypeOf(v), -n / 2, n / 2 - 1) : range_in(LLVMTypeOf(v), 0, n - 1);
}

static ValueRange product(LLVMTypeRef t, ValueRange a, ValueRange b) {
    int64_t p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return range_in(t, least(least(p[0], p[1]), least(p[2], p[3])), most(most(p[0], p[1]), most(p[2], p[3])));
}

/* All bits below the highest one of a number that is not negative. */
static int64_t bits_of(int64_t v) {
    int64_t bits = 0;
    while (bits < v) bits = 2 * bits + 1;
    return bits;
}

static ValueRange of_bits(LLVMOpcode op, LLVMTypeRef t, ValueRange a, ValueRange b) {
    bool mask = op == LLVMAnd && b.lo >= 0 && b.lo == b.hi;
    if (mask) return range_in(t, 0, a.lo >= 0 ? least(a.hi, b.hi) : b.hi);
    if (a.lo < 0 || b.lo < 0) return UNKNOWN;
    return range_in(t, 0, op == LLVMAnd ? least(a.hi, b.hi) : bits_of(most(a.hi, b.hi)));
}

/* By a constant; right shifts and divisions of numbers with a sign round in different ways, both monotonic. */
static ValueRange by_constant(LLVMOpcode op, LLVMTypeRef t, ValueRange a, ValueRange b) {
    int64_t by = b.lo;
    bool divides = op == LLVMUDiv || op == LLVMSDiv, is_unsigned = op == LLVMUDiv || op == LLVMLShr;
    if (b.lo != b.hi || by < divides || by >= (divides ? INT16_MAX : NARROW_BITS)) return UNKNOWN;
    if (is_unsigned && a.lo < 0) return UNKNOWN;
    if (divides) return range_in(t, a.lo / by, a.hi / by);
    if (op == LLVMShl) return product(t, a, (ValueRange){true, INT64_C(1) << by, INT64_C(1) << by});
    return range_in(t, a.lo >> by, a.hi >> by);
}

static ValueRange of_call(LLVMValueRef v, ValueRange a, ValueRange b) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (simd_is_call_of(v, "llvm.abs.")) {
        int64_t size = most(a.hi, -a.lo);
        return range_in(t, a.lo > 0 ? a.lo : 0, size);
    }
    bool is_unsigned = simd_is_call_of(v, "llvm.umin.") || simd_is_call_of(v, "llvm.umax.");
    if (!simd_is_extreme(v) || (is_unsigned && (a.lo < 0 || b.lo < 0))) return UNKNOWN;
    bool is_min = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
    if (is_min) return range_in(t, least(a.lo, b.lo), least(a.hi, b.hi));
    return range_in(t, most(a.lo, b.lo), most(a.hi, b.hi));
}

static ValueRange find_range(const Narrowing *n, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (op == LLVMZExt || op == LLVMSExt) return extended(v);
    bool selects = op == LLVMSelect;
    if (LLVMGetNumOperands(v) < 2) return UNKNOWN;
    ValueRange a = range_of(n, LLVMGetOperand(v, selects)), b = range_of(n, LLVMGetOperand(v, 1 + selects));
    if (op == LLVMCall && simd_is_call_of(v, "llvm.abs.")) b = a;
    bool is_mask = op == LLVMAnd && b.known && b.lo == b.hi && b.lo >= 0;
    if (!a.known || !b.known) return is_mask ? range_in(t, 0, b.hi) : UNKNOWN;
    switch (op) {
    case LLVMAdd: return range_in(t, a.lo + b.lo, a.hi + b.hi);
    case LLVMSub: return range_in(t, a.lo - b.hi, a.hi - b.lo);
    case LLVMMul: return product(t, a, b);
    case LLVMAnd: case LLVMOr: case LLVMXor: return of_bits(op, t, a, b);
    case LLVMShl: case LLVMLShr: case LLVMAShr: case LLVMUDiv: case LLVMSDiv: return by_constant(op, t, a, b);
    case LLVMSelect: return range_in(t, least(a.lo, b.lo), most(a.hi, b.hi));
    case LLVMCall: return of_call(v, a, b);
    default: return UNKNOWN;
    }
}

/* Which expressions ------------------------------------------------------------------------------------------------ */

static bool fits(ValueRange r) { return r.known && r.lo >= INT16_MIN && r.hi <= INT16_MAX; }

static bool is_extension(LLVMValueRef v) { return LLVMIsAZExtInst(v) || LLVMIsASExtInst(v); }

/* The operands that are numbers of the expression: all but a select's condition, a call's function and a flag. */
static void operands_of(LLVMValueRef v, unsigned *from, unsigned *to) {
    *from = LLVMGetInstructionOpcode(v) == LLVMSelect;
    *to = simd_is_call_of(v, "llvm.abs.") ? 1 : *from + 2;
}

/* Is it there in 16 bits, or can it be had? */
static bool can_be_had(const Narrowing *n, LLVMValueRef v) {
    if (!fits(range_of(n, v))) return false;
    if (LLVMIsAConstantInt(v)) return true;
    int i = value_map_get(n->number, v);
    return i >= 0 && (is_extension(v) || n->is_in[i]);
}

static bool operands_can(const Narrowing *n, LLVMValueRef v) {
    unsigned from, to;
    for (operands_of(v, &from, &to); from < to; from++)
        if (!can_be_had(n, LLVMGetOperand(v, from))) return false;
    return true;
}

static bool is_narrow_trunc(LLVMValueRef v) {
    return LLVMIsATruncInst(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= NARROW_BITS;
}

static bool is_narrow_compare(const Narrowing *n, LLVMValueRef v) {
    return LLVMIsAICmpInst(v) && can_be_had(n, LLVMGetOperand(v, 0)) && can_be_had(n, LLVMGetOperand(v, 1));
}

static bool uses_are_narrow(const Narrowing *n, LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int i = value_map_get(n->number, user);
        if (i >= 0 ? n->is_in[i] : is_narrow_trunc(user) || is_narrow_compare(n, user)) continue;
        return false;
    }
    return true;
}

/* The largest set in which operands and uses are narrow: what is not is taken out until nothing changes. */
static bool choose(Narrowing *n) {
    bool any = false;
    for (int i = 0; i < n->all.n; i++) n->is_in[i] = fits(n->range[i]) && !is_extension(n->all.at[i]);
    for (bool changed = true; changed;) {
        changed = any = false;
        for (int i = 0; i < n->all.n; i++) {
            if (!n->is_in[i]) continue;
            n->is_in[i] = operands_can(n, n->all.at[i]) && uses_are_narrow(n, n->all.at[i]);
            changed |= !n->is_in[i];
            any = true;
        }
    }
    return any;
}

/* Writing them ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef narrowed_operation(Narrowing *n, LLVMValueRef v, LLVMValueRef *by) {
    LLVMBuilderRef b = n->cg->b;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMSelect) return LLVMBuildSelect(b, LLVMGetOperand(v, 0), by[0], by[1], "");
    if (op == LLVMCall) {
        LLVMTypeRef t = n->cg->i16;
        unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(v));
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(n->cg->module, id, &t, 1);
        if (simd_is_call_of(v, "llvm.abs.")) by[1] = LLVMGetOperand(v, 1);
        return LLVMBuildCall2(b, LLVMIntrinsicGetType(n->cg->ctx, id, &t, 1), fn, by, 2, "");
    }
    LLVMValueRef r = LLVMBuildBinOp(b, op, by[0], by[1], "");
    bool may_wrap = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    if (may_wrap && LLVMIsAInstruction(r)) LLVMSetNSW(r, true);
    return r;
}

/* In an order in which operands come first, so that each is there. */
static LLVMValueRef had(Narrowing *n, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v)) return LLVMConstInt(n->cg->i16, (uint64_t)LLVMConstIntGetSExtValue(v), true);
    int i = value_map_get(n->number, v);
    if (n->narrow[i]) return n->narrow[i];
    LLVMValueRef from = LLVMGetOperand(v, 0), by[2] = {0};
    LLVMPositionBuilderBefore(n->cg->b, v);
    LLVMSetCurrentDebugLocation2(n->cg->b, LLVMInstructionGetDebugLoc(v));
    if (is_extension(v)) {
        if (LLVMTypeOf(from) == n->cg->i16) return n->narrow[i] = from;
        return n->narrow[i] = LLVMBuildCast(n->cg->b, LLVMGetInstructionOpcode(v), from, n->cg->i16, "");
    }
    unsigned first, end;
    operands_of(v, &first, &end);
    for (unsigned k = first; k < end; k++) by[k - first] = had(n, LLVMGetOperand(v, k));
    LLVMPositionBuilderBefore(n->cg->b, v);
    LLVMSetCurrentDebugLocation2(n->cg->b, LLVMInstructionGetDebugLoc(v));
    return n->narrow[i] = narrowed_operation(n, v, by);
}

/* Of a truncation or comparison; NULL: it has nothing that is narrowed. */
static LLVMValueRef root(Narrowing *n, LLVMValueRef v) {
    int a = value_map_get(n->number, LLVMGetOperand(v, 0));
    bool is_in = a >= 0 && n->is_in[a];
    if (is_narrow_trunc(v) && is_in) {
        LLVMValueRef from = had(n, LLVMGetOperand(v, 0));
        LLVMPositionBuilderBefore(n->cg->b, v);
        return LLVMTypeOf(v) == n->cg->i16 ? from : LLVMBuildTrunc(n->cg->b, from, LLVMTypeOf(v), "");
    }
    if (!LLVMIsAICmpInst(v)) return NULL;
    int b = value_map_get(n->number, LLVMGetOperand(v, 1));
    if (!(is_in || (b >= 0 && n->is_in[b])) || !is_narrow_compare(n, v)) return NULL;
    LLVMValueRef left = had(n, LLVMGetOperand(v, 0)), right = had(n, LLVMGetOperand(v, 1));
    LLVMPositionBuilderBefore(n->cg->b, v);
    return LLVMBuildICmp(n->cg->b, LLVMGetICmpPredicate(v), left, right, "");
}

static void collect(Narrowing *n, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            if (!is_integer(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= NARROW_BITS || LLVMIsAPHINode(v)) continue;
            if (!simd_has_vector_form(v) || LLVMIsATruncInst(v)) continue;
            value_map_put(n->number, v, n->all.n);
            vec_push(&n->cg->c->arena, &n->all, v);
        }
}

/* The old values go when all new ones are there, which may have been made of them. */
static void replace_roots(Narrowing *n, LLVMValueRef fn) {
    Values old = {0}, now = {0};
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            LLVMValueRef r = LLVMIsATruncInst(v) || LLVMIsAICmpInst(v) ? root(n, v) : NULL;
            if (!r) continue;
            vec_push(&n->cg->c->arena, &old, v);
            vec_push(&n->cg->c->arena, &now, r);
        }
    for (int i = 0; i < old.n; i++) LLVMReplaceAllUsesWith(old.at[i], now.at[i]);
    for (int i = 0; i < old.n; i++) LLVMInstructionEraseFromParent(old.at[i]);
}

/* What has been replaced has no use any more: dce takes it. */
void simd_shrink(Cg *cg, LLVMValueRef fn) {
    enum { SOME = 256 };
    Narrowing n = {.cg = cg, .number = value_map_new(&cg->c->arena, SOME)};
    collect(&n, fn);
    n.range = arena_array(&cg->c->arena, ValueRange, n.all.n + 1);
    n.is_in = arena_array(&cg->c->arena, bool, n.all.n + 1);
    n.narrow = arena_array(&cg->c->arena, LLVMValueRef, n.all.n + 1);
    for (int i = 0; i < n.all.n; i++) n.range[i] = find_range(&n, n.all.at[i]);
    if (choose(&n)) replace_roots(&n, fn);
}
