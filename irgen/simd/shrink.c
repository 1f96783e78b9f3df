/* shrink.c -- narrowing of integer arithmetic to 16 bits (type shrinking by demanded bits and value ranges). A program
 * computes with bytes in 32 bits when it says `u8((i32(x) + i32(y) + 1) / 2)`; a vector then has a quarter of the lanes
 * that its memory has.
 *
 * Legal: the narrow number is the wide one modulo 2^16. Sums, products, bit operations, shifts to the left, choices and
 * phis need no more of their operands; how many low bits of a value are demanded is known from its uses. Shifts to the
 * right, divisions, minima, absolute values and comparisons need the number itself, unless they demand low bits only.
 * An interval holds every value that an instruction has, found from its operands' intervals, from the types that
 * extensions begin with, and from constants: a number that fits 16 bits, with a sign or without, is the narrow number
 * read so.
 *
 * An expression is narrowed as a whole: from extensions of bytes and 16-bit numbers, and values that are the same for
 * all items, to truncations and comparisons. A value that is used otherwise, as in a sum of 32 bits, stays as wide, and
 * so do those that it is made of. */
#include "irgen/simd/simd.h"

#include <string.h>

enum { NARROW_BITS = 16, ALL_BITS = 64 };

typedef struct ValueRange {
    bool known;
    int64_t lo, hi;
} ValueRange;

typedef Vec(LLVMValueRef) Values;

typedef struct Narrowing {
    Cg *cg;
    LLVMBasicBlockRef entry;
    Values all;              /* instructions that might be narrowed */
    ValueMap *number;        /* of these */
    ValueRange *range;
    int *demanded;           /* low bits that its uses need; ALL_BITS: the number */
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

/* A phi has a range where all that comes in has one, which is so where no loop carries it. */
static ValueRange of_phi(const Narrowing *n, LLVMValueRef phi) {
    ValueRange r = range_of(n, LLVMGetIncomingValue(phi, 0));
    for (unsigned k = 1; k < LLVMCountIncoming(phi) && r.known; k++) {
        ValueRange in = range_of(n, LLVMGetIncomingValue(phi, k));
        r = in.known ? range_in(LLVMTypeOf(phi), least(r.lo, in.lo), most(r.hi, in.hi)) : UNKNOWN;
    }
    return r;
}

static ValueRange find_range(const Narrowing *n, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (op == LLVMZExt || op == LLVMSExt) return extended(v);
    bool selects = op == LLVMSelect;
    if (op == LLVMPHI) return of_phi(n, v);
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

/* Operations ------------------------------------------------------------------------------------------------------- */

/* How a narrow number stands for the wide one. */
typedef enum Sign { NO_SIGN, SIGNED, UNSIGNED } Sign;

static bool fits_signed(ValueRange r) { return r.known && r.lo >= INT16_MIN && r.hi <= INT16_MAX; }
static bool fits_unsigned(ValueRange r) { return r.known && r.lo >= 0 && r.hi <= UINT16_MAX; }

static bool is_extension(LLVMValueRef v) { return LLVMIsAZExtInst(v) || LLVMIsASExtInst(v); }

/* The operands that are numbers of the expression: all but a select's condition, a call's function and a flag. */
static void operands_of(LLVMValueRef v, unsigned *from, unsigned *to) {
    *from = LLVMGetInstructionOpcode(v) == LLVMSelect;
    *to = LLVMIsAPHINode(v) ? LLVMCountIncoming(v) : simd_is_call_of(v, "llvm.abs.") ? 1 : *from + 2;
}

static LLVMValueRef operand_of(LLVMValueRef v, unsigned k) {
    return LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k);
}

/* Both as numbers of one kind; those with a sign first, as that is what programs compute with. */
static Sign sign_of(const Narrowing *n, LLVMValueRef a, LLVMValueRef b) {
    ValueRange x = range_of(n, a), y = range_of(n, b);
    if (fits_signed(x) && fits_signed(y)) return SIGNED;
    return fits_unsigned(x) && fits_unsigned(y) ? UNSIGNED : NO_SIGN;
}

static bool is_operation(LLVMValueRef v, LLVMOpcode op) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* |a - b| of numbers without a sign is max(a, b) - min(a, b), where a - b does not fit. */
static bool is_distance(const Narrowing *n, LLVMValueRef v) {
    if (!simd_is_call_of(v, "llvm.abs.")) return false;
    LLVMValueRef sub = LLVMGetOperand(v, 0);
    if (!is_operation(sub, LLVMSub) || fits_signed(range_of(n, sub))) return false;
    return fits_unsigned(range_of(n, LLVMGetOperand(sub, 0))) && fits_unsigned(range_of(n, LLVMGetOperand(sub, 1)));
}

typedef struct Mean {
    LLVMValueRef a, b;
    bool up; /* is rounded up */
} Mean;

/* (a + b) >> 1, (a + b + 1) >> 1 of numbers without a sign, where a + b does not fit: a + b is twice the bits that both
 * have, and those that one has. */
static bool is_mean(const Narrowing *n, LLVMValueRef v, Mean *m) {
    bool halves = is_operation(v, LLVMLShr) || is_operation(v, LLVMAShr);
    LLVMValueRef by = halves ? LLVMGetOperand(v, 1) : NULL, sum = halves ? LLVMGetOperand(v, 0) : NULL;
    if (!halves || !LLVMIsAConstantInt(by) || LLVMConstIntGetZExtValue(by) != 1) return false;
    if (!is_operation(sum, LLVMAdd)) return false;
    if (fits_unsigned(range_of(n, sum))) return false;
    LLVMValueRef one = LLVMGetOperand(sum, 1);
    m->up = LLVMIsAConstantInt(one) && LLVMConstIntGetZExtValue(one) == 1;
    if (m->up) sum = LLVMGetOperand(sum, 0);
    if (!is_operation(sum, LLVMAdd)) return false;
    m->a = LLVMGetOperand(sum, 0);
    m->b = LLVMGetOperand(sum, 1);
    return fits_unsigned(range_of(n, m->a)) && fits_unsigned(range_of(n, m->b));
}

/* A constant from 0 to `most`, or -1. */
static int constant(LLVMValueRef v, int most) {
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return -1;
    uint64_t c = LLVMConstIntGetZExtValue(v);
    return c <= (uint64_t)most ? (int)c : -1;
}

static int n_bits(int c) {
    int bits = 0;
    for (; c > 0; c /= 2) bits++;
    return bits;
}

/* How many low bits of operand k an operation needs, of which `demanded` are. */
static int demanded_of(const Narrowing *n, LLVMValueRef user, unsigned k, int demanded) {
    int low = demanded < NARROW_BITS ? demanded : NARROW_BITS;
    Mean m;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMOr: case LLVMXor: case LLVMSelect: case LLVMPHI: return low;
    case LLVMAnd: {
        int mask = constant(LLVMGetOperand(user, !k), UINT16_MAX);
        return mask >= 0 && n_bits(mask) < low ? n_bits(mask) : low;
    }
    case LLVMShl: {
        int by = k ? -1 : constant(LLVMGetOperand(user, 1), NARROW_BITS - 1);
        return by < 0 ? ALL_BITS : low > by ? low - by : 0;
    }
    case LLVMLShr: case LLVMAShr: {
        int by = k ? -1 : constant(LLVMGetOperand(user, 1), NARROW_BITS - 1);
        if (by >= 0 && demanded + by <= NARROW_BITS) return demanded + by;
        return !k && is_mean(n, user, &m) ? NARROW_BITS : ALL_BITS;
    }
    case LLVMCall: return is_distance(n, user) ? NARROW_BITS : ALL_BITS;
    default: return ALL_BITS;
    }
}

/* Has the operation a form on narrow numbers, where all its operands have? */
static bool has_narrow_form(const Narrowing *n, LLVMValueRef v, int demanded) {
    Mean m;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : a;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMSelect: case LLVMPHI:
        return true;
    case LLVMShl: return constant(b, NARROW_BITS - 1) >= 0;
    case LLVMLShr: case LLVMAShr: {
        int by = constant(b, NARROW_BITS - 1);
        if (by < 0) return false;
        if (demanded + by <= NARROW_BITS || is_mean(n, v, &m) || fits_unsigned(range_of(n, a))) return true;
        return is_operation(v, LLVMAShr) && fits_signed(range_of(n, a));
    }
    case LLVMUDiv: return constant(b, INT16_MAX) > 0 && fits_unsigned(range_of(n, a));
    case LLVMSDiv: return constant(b, INT16_MAX) > 0 && sign_of(n, a, b) != NO_SIGN;
    case LLVMCall:
        if (simd_is_call_of(v, "llvm.abs.")) return is_distance(n, v) || fits_signed(range_of(n, a));
        if (simd_is_call_of(v, "llvm.umin.") || simd_is_call_of(v, "llvm.umax."))
            return fits_unsigned(range_of(n, a)) && fits_unsigned(range_of(n, b));
        return simd_is_extreme(v) && sign_of(n, a, b) != NO_SIGN;
    default: return false;
    }
}

/* Which expressions ------------------------------------------------------------------------------------------------ */

/* The same for all items, and there before all loops: truncated once. */
static bool is_from_outside(const Narrowing *n, LLVMValueRef v) {
    if (!is_integer(v) || LLVMIsAConstant(v)) return false;
    return LLVMIsAArgument(v) || (LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == n->entry);
}

/* Is it there in 16 bits, or can it be had? */
static bool can_be_had(const Narrowing *n, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v) || is_from_outside(n, v)) return true;
    int i = value_map_get(n->number, v);
    return i >= 0 && (n->is_in[i] || (is_extension(v) && n->range[i].known));
}

static bool operands_can(const Narrowing *n, LLVMValueRef v) {
    unsigned from, to;
    for (operands_of(v, &from, &to); from < to; from++)
        if (!can_be_had(n, operand_of(v, from))) return false;
    return true;
}

static bool is_narrow_trunc(LLVMValueRef v) {
    return LLVMIsATruncInst(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= NARROW_BITS;
}

static bool is_narrow_compare(const Narrowing *n, LLVMValueRef v) {
    if (!LLVMIsAICmpInst(v)) return false;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    return can_be_had(n, a) && can_be_had(n, b) && sign_of(n, a, b) != NO_SIGN;
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

/* Bits of v that its uses need, as far as those of its users are known. */
static int demanded_by_uses(const Narrowing *n, LLVMValueRef v) {
    int most = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int i = value_map_get(n->number, user), bits = ALL_BITS;
        unsigned from, to;
        if (is_narrow_trunc(user)) bits = (int)LLVMGetIntTypeWidth(LLVMTypeOf(user));
        if (i >= 0 && !is_extension(user)) {
            bits = 0;
            for (operands_of(user, &from, &to); from < to; from++) {
                int of = operand_of(user, from) == v ? demanded_of(n, user, from, n->demanded[i]) : 0;
                if (of > bits) bits = of;
            }
        }
        if (bits > most) most = bits;
    }
    return most;
}

/* The least fixpoint, from the uses to what they are made of. */
static void find_demanded(Narrowing *n) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = n->all.n; i-- > 0;) {
            int bits = demanded_by_uses(n, n->all.at[i]);
            changed |= bits > n->demanded[i];
            if (bits > n->demanded[i]) n->demanded[i] = bits;
        }
    }
}

static bool may_be_in(const Narrowing *n, int i) {
    LLVMValueRef v = n->all.at[i];
    bool is_known = fits_signed(n->range[i]) || fits_unsigned(n->range[i]);
    return !is_extension(v) && (n->demanded[i] <= NARROW_BITS || is_known) && has_narrow_form(n, v, n->demanded[i]);
}

/* The largest set in which operands and uses are narrow: what is not is taken out until nothing changes. */
static bool choose(Narrowing *n) {
    bool any = false;
    for (int i = 0; i < n->all.n; i++) n->is_in[i] = may_be_in(n, i);
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

static LLVMValueRef had(Narrowing *n, LLVMValueRef v);

static void go_before(Narrowing *n, LLVMValueRef v) {
    LLVMPositionBuilderBefore(n->cg->b, v);
    LLVMSetCurrentDebugLocation2(n->cg->b, LLVMInstructionGetDebugLoc(v));
}

static LLVMValueRef call_of(Narrowing *n, const char *name, LLVMValueRef *args) {
    LLVMTypeRef t = n->cg->i16;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(n->cg->module, id, &t, 1);
    return LLVMBuildCall2(n->cg->b, LLVMIntrinsicGetType(n->cg->ctx, id, &t, 1), fn, args, 2, "");
}

static LLVMValueRef narrowed_call(Narrowing *n, LLVMValueRef v) {
    LLVMValueRef by[2] = {had(n, LLVMGetOperand(v, 0)), LLVMGetOperand(v, 1)};
    if (is_distance(n, v)) {
        LLVMValueRef sub = LLVMGetOperand(v, 0);
        for (unsigned k = 0; k < 2; k++) by[k] = had(n, LLVMGetOperand(sub, k));
        go_before(n, v);
        return LLVMBuildSub(n->cg->b, call_of(n, "llvm.umax", by), call_of(n, "llvm.umin", by), "");
    }
    if (simd_is_call_of(v, "llvm.abs.")) { /* 32768 is what -32768 becomes */
        by[1] = LLVMConstInt(n->cg->i1, 0, false);
        go_before(n, v);
        return call_of(n, "llvm.abs", by);
    }
    Sign sign = sign_of(n, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1));
    by[1] = had(n, LLVMGetOperand(v, 1));
    go_before(n, v);
    bool is_min = simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.umin.");
    bool is_signed = sign == SIGNED && (simd_is_call_of(v, "llvm.smin.") || simd_is_call_of(v, "llvm.smax."));
    const char *const names[2][2] = {{"llvm.umax", "llvm.umin"}, {"llvm.smax", "llvm.smin"}};
    return call_of(n, names[is_signed][is_min], by);
}

static LLVMValueRef mean(Narrowing *n, LLVMValueRef v, const Mean *m) {
    LLVMBuilderRef b = n->cg->b;
    LLVMValueRef x = had(n, m->a), y = had(n, m->b);
    go_before(n, v);
    LLVMValueRef one = LLVMBuildLShr(b, LLVMBuildXor(b, x, y, ""), LLVMConstInt(n->cg->i16, 1, false), "");
    if (m->up) return LLVMBuildSub(b, LLVMBuildOr(b, x, y, ""), one, "");
    return LLVMBuildAdd(b, LLVMBuildAnd(b, x, y, ""), one, "");
}

static LLVMOpcode narrow_opcode(const Narrowing *n, LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMAShr && !fits_signed(range_of(n, LLVMGetOperand(v, 0)))) return LLVMLShr;
    if (op == LLVMSDiv && sign_of(n, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1)) == UNSIGNED) return LLVMUDiv;
    return op;
}

static LLVMValueRef narrowed_operation(Narrowing *n, LLVMValueRef v) {
    LLVMBuilderRef b = n->cg->b;
    LLVMOpcode op = narrow_opcode(n, v);
    Mean m;
    if (op == LLVMCall) return narrowed_call(n, v);
    if ((op == LLVMLShr || op == LLVMAShr) && is_mean(n, v, &m)) return mean(n, v, &m);
    bool selects = op == LLVMSelect;
    LLVMValueRef x = LLVMGetOperand(v, selects), y = LLVMGetOperand(v, 1 + selects);
    LLVMValueRef left = had(n, x), right = had(n, y);
    go_before(n, v);
    if (selects) return LLVMBuildSelect(b, LLVMGetOperand(v, 0), left, right, "");
    LLVMValueRef r = LLVMBuildBinOp(b, op, left, right, "");
    bool may_wrap = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    bool is_exact = sign_of(n, x, y) == SIGNED && fits_signed(range_of(n, v));
    if (may_wrap && is_exact && LLVMIsAInstruction(r)) LLVMSetNSW(r, true);
    return r;
}

static LLVMValueRef narrowed_phi(Narrowing *n, LLVMValueRef v, int i) {
    go_before(n, v);
    LLVMValueRef phi = n->narrow[i] = LLVMBuildPhi(n->cg->b, n->cg->i16, "");
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, k);
        LLVMValueRef in = had(n, LLVMGetIncomingValue(v, k));
        LLVMAddIncoming(phi, &in, &from, 1);
    }
    return phi;
}

/* Where it is made, so that each narrow number is made once. */
static LLVMValueRef had(Narrowing *n, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v)) return LLVMConstInt(n->cg->i16, LLVMConstIntGetZExtValue(v) & UINT16_MAX, false);
    int i = value_map_get(n->number, v);
    if (i < 0 || (is_from_outside(n, v) && !n->is_in[i] && !is_extension(v))) {
        LLVMPositionBuilderBefore(n->cg->b, LLVMGetBasicBlockTerminator(n->entry));
        return LLVMBuildTrunc(n->cg->b, v, n->cg->i16, "");
    }
    if (n->narrow[i]) return n->narrow[i];
    if (LLVMIsAPHINode(v)) return narrowed_phi(n, v, i);
    if (!is_extension(v)) return n->narrow[i] = narrowed_operation(n, v);
    LLVMValueRef from = LLVMGetOperand(v, 0);
    go_before(n, v);
    if (LLVMTypeOf(from) == n->cg->i16) return n->narrow[i] = from;
    return n->narrow[i] = LLVMBuildCast(n->cg->b, LLVMGetInstructionOpcode(v), from, n->cg->i16, "");
}

static LLVMIntPredicate without_sign(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntSLT: return LLVMIntULT;
    case LLVMIntSLE: return LLVMIntULE;
    case LLVMIntSGT: return LLVMIntUGT;
    case LLVMIntSGE: return LLVMIntUGE;
    default: return p;
    }
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
    Sign sign = sign_of(n, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1));
    LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    LLVMValueRef left = had(n, LLVMGetOperand(v, 0)), right = had(n, LLVMGetOperand(v, 1));
    LLVMPositionBuilderBefore(n->cg->b, v);
    return LLVMBuildICmp(n->cg->b, sign == SIGNED ? p : without_sign(p), left, right, "");
}

static void collect(Narrowing *n, LLVMValueRef fn) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            if (!is_integer(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= NARROW_BITS || LLVMIsATruncInst(v)) continue;
            if (!simd_has_vector_form(v) && !LLVMIsAPHINode(v)) continue;
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

/* What has been replaced has no use any more: dce takes it, if no phi leads around a loop to it. */
static void drop_phis(Narrowing *n) {
    for (int i = 0; i < n->all.n; i++) {
        LLVMValueRef v = n->all.at[i];
        if (!n->is_in[i] || !LLVMIsAPHINode(v)) continue;
        LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
        LLVMInstructionEraseFromParent(v);
    }
}

void simd_shrink(Cg *cg, LLVMValueRef fn) {
    enum { SOME = 256 };
    Narrowing n = {.cg = cg, .entry = LLVMGetEntryBasicBlock(fn), .number = value_map_new(&cg->c->arena, SOME)};
    collect(&n, fn);
    n.range = arena_array(&cg->c->arena, ValueRange, n.all.n + 1);
    n.demanded = arena_array(&cg->c->arena, int, n.all.n + 1);
    n.is_in = arena_array(&cg->c->arena, bool, n.all.n + 1);
    n.narrow = arena_array(&cg->c->arena, LLVMValueRef, n.all.n + 1);
    for (int i = 0; i < n.all.n; i++) n.range[i] = find_range(&n, n.all.at[i]);
    find_demanded(&n);
    if (!choose(&n)) return;
    replace_roots(&n, fn);
    drop_phis(&n);
}
