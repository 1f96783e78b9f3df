/* divide.c -- integer division of lanes in floating point. No x86 vector divides integers, so LLVM takes a vector apart
 * and divides lane by lane; vectors of floats divide.
 *
 * Legal because the quotient is exact: with a, b >= 0, b > 0 and q = floor(a / b), the next integer is at least 1 / b
 * above a / b. Rounding reaches it only if 1 / b is at most half a unit in the last place of q + 1, that is, for a
 * significand of p bits, if (q + 1) * b >= 2^p; and (q + 1) * b <= a + b. So numbers below 2^(p - 1) are divided
 * exactly, and so are their negatives: 8 and 16 bits as f32 (p = 24), 32 bits as f64 (p = 53). Lanes of 64 bits have a
 * test that all of them are from 0 to 2^52 - 1, as indices are. The remainder is a - q * b, of which each step is exact
 * as well.
 *
 * Larger dividends without a sign are products for the most part, as in `a * b % m`. Where no divisor has more than 50
 * bits, a quotient that is certainly not too large leaves a remainder below 2^52, which is divided as above. Other
 * lanes are divided one by one.
 *
 * Integer divisions trap, so lanes that are not live divide by 1; divisions of floats do not, and take the divisor as
 * it is: a division that waits for the mask of its loop makes each round wait for the one before. */
#include "irgen/simd/emit.h"

enum { MOST_BITS = 52, MOST_BITS_OF_DIVISOR = 50 };
static const double TWO_52 = 4503599627370496.0, TWO_31 = 2147483648.0;
static const double A_LITTLE_LESS =
    1 - 0x1p-50; /* than 1: more than the errors of a conversion, a division and itself */

typedef struct Division {
    SimdEmit *e;
    LLVMOpcode op;
    LLVMValueRef a, b, safe; /* safe: b where lanes are live, else 1 */
    LLVMTypeRef type;        /* of the vectors */
    bool is_signed, is_remainder;
} Division;

static LLVMTypeRef float_type(const Division *d) {
    Cg *cg = d->e->cg;
    bool is_short = LLVMGetIntTypeWidth(LLVMGetElementType(d->type)) <= 16;
    return simd_type(d->e, is_short ? LLVMFloatTypeInContext(cg->ctx) : LLVMDoubleTypeInContext(cg->ctx));
}

static LLVMValueRef integers(const Division *d, uint64_t k) {
    return simd_splat(d->e, LLVMConstInt(LLVMGetElementType(d->type), k, false));
}

static LLVMValueRef floats(const Division *d, double v) {
    return simd_splat(d->e, LLVMConstReal(LLVMGetElementType(float_type(d)), v));
}

static LLVMValueRef remainder_of(const Division *d, LLVMValueRef q) {
    if (!d->is_remainder) return q;
    return LLVMBuildSub(d->e->b, d->a, LLVMBuildMul(d->e->b, q, d->b, ""), "");
}

/* Up to 16 bits, and 32 with a sign: all their conversions are one instruction. */
static LLVMValueRef divide_as_signed(const Division *d) {
    LLVMBuilderRef b = d->e->b;
    LLVMTypeRef words = simd_type(d->e, d->e->cg->i32);
    LLVMOpcode extend = d->is_signed ? LLVMSExt : LLVMZExt;
    bool is_word = LLVMGetIntTypeWidth(LLVMGetElementType(d->type)) == 32;
    LLVMValueRef x = is_word ? d->a : LLVMBuildCast(b, extend, d->a, words, "");
    LLVMValueRef y = is_word ? d->b : LLVMBuildCast(b, extend, d->b, words, "");
    x = LLVMBuildSIToFP(b, x, float_type(d), "");
    y = LLVMBuildSIToFP(b, y, float_type(d), "");
    LLVMValueRef q = LLVMBuildFreeze(b, LLVMBuildFPToSI(b, LLVMBuildFDiv(b, x, y, ""), words, ""), "");
    return remainder_of(d, is_word ? q : LLVMBuildTrunc(b, q, d->type, ""));
}

/* Before AVX-512 only numbers with a sign are converted: x - 2^31 is one, and so is any quotient but that by 1. */
static LLVMValueRef float_of_word(const Division *d, LLVMValueRef x) {
    LLVMBuilderRef b = d->e->b;
    LLVMValueRef moved = LLVMBuildXor(b, x, integers(d, UINT64_C(1) << 31), "");
    return LLVMBuildFAdd(b, LLVMBuildSIToFP(b, moved, float_type(d), ""), floats(d, TWO_31), "");
}

static LLVMValueRef divide_words(const Division *d) {
    LLVMBuilderRef b = d->e->b;
    LLVMValueRef q = LLVMBuildFDiv(b, float_of_word(d, d->a), float_of_word(d, d->b), "");
    q = LLVMBuildFPToSI(b, q, d->type, "");
    LLVMValueRef by_one = LLVMBuildICmp(b, LLVMIntEQ, d->b, integers(d, 1), "");
    return remainder_of(d, LLVMBuildSelect(b, by_one, d->a, LLVMBuildFreeze(b, q, ""), ""));
}

/* The bits of 2^52 + x, for an integer x below 2^52, are those of 2^52 with x in place of the fraction. */
static LLVMValueRef float_of_long(const Division *d, LLVMValueRef x) {
    LLVMBuilderRef b = d->e->b;
    LLVMValueRef bits = LLVMBuildOr(b, x, integers(d, UINT64_C(0x433) << 52), "");
    return LLVMBuildFSub(b, LLVMBuildBitCast(b, bits, float_type(d), ""), floats(d, TWO_52), "");
}

static LLVMValueRef long_of_float(const Division *d, LLVMValueRef v) {
    LLVMBuilderRef b = d->e->b;
    LLVMValueRef bits = LLVMBuildBitCast(b, LLVMBuildFAdd(b, v, floats(d, TWO_52), ""), d->type, "");
    return LLVMBuildXor(b, bits, integers(d, UINT64_C(0x433) << 52), "");
}

static LLVMValueRef divide_small_longs(const Division *d) {
    LLVMBuilderRef b = d->e->b;
    LLVMTypeRef t = float_type(d);
    LLVMValueRef x = float_of_long(d, d->a), y = float_of_long(d, d->b), q = LLVMBuildFDiv(b, x, y, "");
    q = simd_intrinsic(d->e, "llvm.trunc", &t, 1, &q, 1);
    if (d->is_remainder) q = LLVMBuildFSub(b, x, LLVMBuildFMul(b, q, y, ""), "");
    return long_of_float(d, q);
}

/* Has any of the lanes more bits than that? */
static LLVMValueRef any_is_above(const Division *d, LLVMValueRef lanes, int bits) {
    LLVMBuilderRef b = d->e->b;
    LLVMTypeRef t = d->type;
    LLVMValueRef all = simd_intrinsic(d->e, "llvm.vector.reduce.or", &t, 1, &lanes, 1);
    LLVMValueRef high = LLVMBuildLShr(b, all, cg_i64(d->e->cg, bits), "");
    return LLVMBuildICmp(b, LLVMIntNE, high, cg_i64(d->e->cg, 0), "");
}

/* With x = q * y + r, x / y is between q and q + x / y * 2^-49 + 1, so r is below y + 2^15. */
static LLVMValueRef divide_large_longs(const Division *d) {
    LLVMBuilderRef b = d->e->b;
    LLVMValueRef x = LLVMBuildUIToFP(b, d->a, float_type(d), ""), y = float_of_long(d, d->safe);
    LLVMValueRef q = LLVMBuildFMul(b, LLVMBuildFDiv(b, x, y, ""), floats(d, A_LITTLE_LESS), "");
    q = LLVMBuildFPToUI(b, q, d->type, "");
    Division rest = *d;
    rest.b = d->safe;
    rest.a = LLVMBuildSub(b, d->a, LLVMBuildMul(b, q, d->safe, ""), "");
    LLVMValueRef more = divide_small_longs(&rest);
    return d->is_remainder ? more : LLVMBuildAdd(b, q, more, "");
}

static LLVMValueRef in_frame(const Division *d, LLVMValueRef v) {
    LLVMValueRef lanes = simd_alloca(d->e, d->type, "lanes");
    if (v) LLVMBuildStore(d->e->b, v, lanes);
    return lanes;
}

static LLVMValueRef lane_in_frame(const Division *d, LLVMValueRef lanes, LLVMValueRef lane) {
    return LLVMBuildGEP2(d->e->b, LLVMGetElementType(d->type), lanes, &lane, 1, "");
}

/* A loop over the lanes, through the frame: LLVM would write out each lane's division, for what hardly ever runs. */
static LLVMValueRef divide_one_by_one(const Division *d) {
    SimdEmit *e = d->e;
    LLVMTypeRef t = LLVMGetElementType(d->type);
    LLVMValueRef a = in_frame(d, d->a), by = in_frame(d, d->safe), quotients = in_frame(d, NULL);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), head = simd_block(e, "lane"), done = simd_block(e, "lanes.done");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef lane = LLVMBuildPhi(e->b, e->cg->i64, "");
    LLVMValueRef x = LLVMBuildLoad2(e->b, t, lane_in_frame(d, a, lane), "");
    LLVMValueRef y = LLVMBuildLoad2(e->b, t, lane_in_frame(d, by, lane), "");
    LLVMBuildStore(e->b, LLVMBuildBinOp(e->b, d->op, x, y, ""), lane_in_frame(d, quotients, lane));
    LLVMValueRef next = LLVMBuildNUWAdd(e->b, lane, cg_i64(e->cg, 1), "");
    LLVMAddIncoming(lane, (LLVMValueRef[]){cg_i64(e->cg, 0), next}, (LLVMBasicBlockRef[]){from, head}, 2);
    LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntULT, next, cg_i64(e->cg, e->shape.width), "");
    simd_say_of_loop(e->cg, LLVMBuildCondBr(e->b, more, head, done), "llvm.loop.disable_nonforced");
    LLVMPositionBuilderAtEnd(e->b, done);
    return LLVMBuildLoad2(e->b, d->type, quotients, "");
}

/* rare(d) where cond holds, else usual(d). */
static LLVMValueRef either(const Division *d, LLVMValueRef cond, LLVMValueRef (*rare)(const Division *),
                           LLVMValueRef (*usual)(const Division *)) {
    LLVMBuilderRef b = d->e->b;
    LLVMBasicBlockRef from[2] = {simd_block(d->e, "usual"), simd_block(d->e, "rare")}, on = simd_block(d->e, "divided");
    LLVMValueRef values[2];
    simd_branch_seldom(d->e, cond, from[1], from[0]);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(b, from[i]);
        values[i] = (i ? rare : usual)(d);
        from[i] = LLVMGetInsertBlock(b);
        LLVMBuildBr(b, on);
    }
    LLVMPositionBuilderAtEnd(b, on);
    LLVMValueRef v = LLVMBuildPhi(b, d->type, "");
    LLVMAddIncoming(v, values, from, 2);
    return v;
}

/* Conversions between longs without a sign and floats are single instructions with AVX-512 only. */
static bool divides_large(const SimdTarget *t, bool is_signed) { return t->mask_registers && !is_signed; }

static LLVMValueRef divide_many_bits(const Division *d) {
    if (!divides_large(d->e->target, d->is_signed)) return divide_one_by_one(d);
    return either(d, any_is_above(d, d->safe, MOST_BITS_OF_DIVISOR), divide_one_by_one, divide_large_longs);
}

static LLVMValueRef divide_longs(const Division *d) {
    LLVMValueRef both = LLVMBuildOr(d->e->b, d->a, d->safe, "");
    return either(d, any_is_above(d, both, MOST_BITS), divide_many_bits, divide_small_longs);
}

bool simd_divides(LLVMValueRef v) {
    LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMAdd;
    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

static bool is_divided_in_floats(LLVMTypeRef t) {
    unsigned bits = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

LLVMValueRef simd_divided(SimdEmit *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *mask) {
    LLVMValueRef one = simd_splat(e, LLVMConstInt(LLVMGetElementType(LLVMTypeOf(b)), 1, false));
    LLVMValueRef safe = mask ? LLVMBuildSelect(e->b, *mask, b, one, "") : b;
    Division d = {.e = e,
                  .op = op,
                  .a = a,
                  .b = b,
                  .safe = safe,
                  .type = LLVMTypeOf(a),
                  .is_signed = op == LLVMSDiv || op == LLVMSRem,
                  .is_remainder = op == LLVMURem || op == LLVMSRem};
    LLVMTypeRef lane = LLVMGetElementType(d.type);
    if (!simd_allows(e->g, DIVIDE) || !is_divided_in_floats(lane)) return LLVMBuildBinOp(e->b, op, a, safe, "");
    if (LLVMGetIntTypeWidth(lane) == 64) return divide_longs(&d);
    return LLVMGetIntTypeWidth(lane) == 32 && !d.is_signed ? divide_words(&d) : divide_as_signed(&d);
}

static bool is_division_of_floats(const SimdRegion *g, LLVMValueRef v) {
    return simd_allows(g, DIVIDE) && is_divided_in_floats(LLVMTypeOf(v)) && !LLVMIsConstant(LLVMGetOperand(v, 1));
}

static unsigned float_bits(LLVMValueRef v) { return LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 16 ? 32 : 64; }

/* Is the dividend a product that has as many bits as both factors have together? */
static bool is_of_product(LLVMValueRef v) {
    LLVMValueRef a = LLVMGetOperand(v, 0);
    bool is_product = LLVMIsABinaryOperator(a) && LLVMGetInstructionOpcode(a) == LLVMMul;
    bool is_long = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64;
    return is_long && is_product && !LLVMGetNSW(a) && !LLVMIsConstant(LLVMGetOperand(a, 1));
}

static bool is_signed(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMSDiv || op == LLVMSRem;
}

static bool goes_one_by_one(const SimdTarget *t, LLVMValueRef v) {
    return is_of_product(v) && !divides_large(t, is_signed(v));
}

/* In the unit of cost.h, by vectors of floats: the conversions around a division. */
double simd_division_cost(const SimdRegion *g, const SimdTarget *t, LLVMValueRef v, int width, double otherwise) {
    enum { OF_SHORTS = 7, OF_WORDS = 11, OF_LONGS = 21, OF_PRODUCTS = 40, OF_LANE = 10 };
    if (!is_division_of_floats(g, v)) return otherwise;
    if (goes_one_by_one(t, v)) return OF_LANE * width;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    double vectors = (double)width * float_bits(v) / t->vector_bits;
    double of_longs = is_of_product(v) ? OF_PRODUCTS : OF_LONGS;
    return (vectors < 1 ? 1 : vectors) * (bits <= 16 ? OF_SHORTS : bits == 32 ? OF_WORDS : of_longs);
}

/* Cycles of the divider, which goes through a vector in parts (Zen 3 and later, Ice Lake and later). */
double simd_division_cycles(const SimdRegion *g, const SimdTarget *t, LLVMValueRef v, int width) {
    static const double OF_FLOAT = 0.625, OF_DOUBLE = 2, OF_LONG = 10;
    if (!is_division_of_floats(g, v)) return 0;
    if (goes_one_by_one(t, v)) return width * OF_LONG;
    return width * (float_bits(v) == 32 ? OF_FLOAT : is_of_product(v) ? 2 * OF_DOUBLE : OF_DOUBLE);
}
